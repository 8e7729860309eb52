//! Recorded stacks from files: hindmost's own snapshots, and what STAT, gdb, eu-stack and py-spy write.
//!
//! What a file is tells its beginning, not its name. Backtraces and dumps of py-spy are of one process each: a directory of
//! them is a job, and the rank is the last number in a file's name.

use crate::failure::Failure;
use crate::files;
use crate::findings::{self, Wish};
use base::RankSet;
use engine::{Analysis, Findings, Map};
use foreign::snapshots::{Reader, Snapshots};
use foreign::{Alike, Format};
use regular_files::Limit;
use snapshot::{Header, Task};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The stacks in a file, or in the files of a directory, of a program that the map is of.
pub fn stacks_of<'p>(path: &'p Path, map: &Map) -> Result<Recorded<'p>, Failure> {
    let mut recorded = stacks(&[path])?;
    recorded.distrust(map);
    Ok(recorded)
}

/// The beginning of a regular file, longer than any header that is written; nothing of what can be read only once.
pub fn beginning_of(path: &Path) -> Option<Vec<u8>> {
    const MOST: u64 = 1 << 16;
    let mut start = Vec::new();
    regular_files::open(path)
        .ok()?
        .take(MOST)
        .read_to_end(&mut start)
        .ok()?;
    Some(start)
}

/// What the first line of a snapshot says of its job; nothing of what is no snapshot, or can be read only once.
pub fn header_of(path: &Path) -> Option<Header> {
    let start = beginning_of(path)?;
    let line = start.split(|&byte| byte == b'\n').next()?;
    let header: Header = serde_json::from_slice(line).ok()?;
    Some(header)
}

/// Stacks as they were recorded.
pub struct Recorded<'p> {
    path: &'p Path,
    stacks: Stacks,
    /// They come from a tool that does not say how exact a line is.
    foreign: bool,
    notes: Vec<String>,
}

/// What one file, or the files of a directory, hold.
struct Read {
    stacks: Stacks,
    foreign: bool,
    /// What of it is missing.
    cut: Option<String>,
}

enum Stacks {
    /// Those of a whole job by another tool, each with its ranks: a million tasks are read as quickly as a few.
    Alike(Vec<Alike>),
    /// A record for each task.
    Each(Vec<Task>),
}

impl Recorded<'_> {
    /// What the user should know of the files.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Every stack, whatever number of tasks it stands for.
    pub fn stacks(&self) -> impl Iterator<Item = &Task> {
        let (alike, each) = match &self.stacks {
            Stacks::Alike(alike) => (&alike[..], &[][..]),
            Stacks::Each(each) => (&[][..], &each[..]),
        };
        alike.iter().map(|each| &each.task).chain(each)
    }

    /// Believes of their lines what a tool can know in the map's build.
    pub fn distrust(&mut self, map: &Map) {
        if !self.foreign {
            return;
        }
        match &mut self.stacks {
            Stacks::Alike(alike) => {
                engine::distrust_innermost_lines(map, alike.iter_mut().map(|each| &mut each.task));
            }
            Stacks::Each(each) => engine::distrust_innermost_lines(map, each),
        }
    }

    /// A record for each task; an error where they are too many for that.
    pub fn one_by_one(self) -> Result<Vec<Task>, Failure> {
        self.stacks.one_by_one(self.path)
    }

    /// The tasks of one moment, held against a map.
    pub fn analysis<'a>(&'a self, map: &'a Map) -> Analysis<'a> {
        match &self.stacks {
            Stacks::Alike(alike) => Analysis::alike(map, &ranked(alike)),
            Stacks::Each(each) => Analysis::new(map, each, RankSet::default()),
        }
    }

    /// What is wished for of one moment.
    pub fn findings<'a>(&'a self, map: &'a Map, wish: &Wish<'_>) -> Result<Findings<'a>, Failure> {
        let Stacks::Alike(alike) = &self.stacks else {
            return findings::of(self.analysis(map), wish);
        };
        let whole = Wish {
            explain: None,
            ..wish.clone()
        };
        let mut found = findings::of(self.analysis(map), &whole)?;
        if wish.explain.is_some() {
            // Two tasks are told apart, which stand for others otherwise.
            let tasks = one_by_one(self.path, alike.clone())?;
            let apart = Analysis::new(map, &tasks, RankSet::default());
            let explanation = Wish {
                explain: wish.explain,
                ..Wish::default()
            };
            found.explanation = findings::of(apart, &explanation)?.explanation;
        }
        Ok(found)
    }
}

fn ranked(alike: &[Alike]) -> Vec<(Task, RankSet)> {
    let each = alike.iter();
    each.map(|each| (each.task.clone(), each.ranks.clone())).collect()
}

/// The stacks of one job in some files, each a file or a directory of files; `-` is standard input. A file is read once: it may be a pipe.
pub fn stacks<'p>(paths: &[&'p Path]) -> Result<Recorded<'p>, Failure> {
    let [path, more @ ..] = paths else {
        return Err(Failure::new("no file with stacks is named"));
    };
    let Read { stacks, foreign, cut } = of_path(path)?;
    let mut recorded = Recorded {
        path,
        stacks,
        foreign,
        notes: Vec::from_iter(cut),
    };
    for other in more {
        let next = of_path(other)?;
        recorded.stacks = recorded.stacks.with(path, next.stacks, other)?;
        recorded.foreign |= next.foreign;
        recorded.notes.extend(next.cut);
    }
    if recorded.stacks().next().is_none() {
        return Err(Failure::new(format!("{}: no task in it", path.display())));
    }
    Ok(recorded)
}

fn of_path(path: &Path) -> Result<Read, Failure> {
    if path.is_dir() {
        Ok(of_tool(Stacks::Each(of_directory(path)?)))
    } else {
        of_file(path)
    }
}

/// What another tool has recorded.
fn of_tool(stacks: Stacks) -> Read {
    Read {
        stacks,
        foreign: true,
        cut: None,
    }
}

impl Stacks {
    /// Both together; no task may be in both.
    fn with(self, path: &Path, other: Stacks, of: &Path) -> Result<Stacks, Failure> {
        let is_one_by_one = |stacks: &Stacks| matches!(stacks, Stacks::Each(_));
        if is_one_by_one(&self) && is_one_by_one(&other) {
            let (mut all, more) = (self.one_by_one(path)?, other.one_by_one(of)?);
            let known: BTreeSet<&str> = all.iter().map(|task| task.task.as_str()).collect();
            if let Some(again) = more.iter().find(|task| known.contains(task.task.as_str())) {
                return Err(second(of, &again.task));
            }
            all.extend(more);
            return Ok(Stacks::Each(all));
        }
        let (mut all, more) = (self.alike(path)?, other.alike(of)?);
        let ranks = |alike: &[Alike]| RankSet::union(alike.iter().map(|each| &each.ranks));
        let known = ranks(&all);
        if let Some(again) = ranks(&more).iter().find(|&rank| known.contains(rank)) {
            return Err(second(of, &again.to_string()));
        }
        all.extend(more);
        Ok(Stacks::Alike(all))
    }

    fn one_by_one(self, path: &Path) -> Result<Vec<Task>, Failure> {
        match self {
            Stacks::Each(each) => Ok(each),
            Stacks::Alike(alike) => one_by_one(path, alike),
        }
    }

    fn alike(self, path: &Path) -> Result<Vec<Alike>, Failure> {
        let each = match self {
            Stacks::Alike(alike) => return Ok(alike),
            Stacks::Each(each) => each,
        };
        let alike = each.into_iter().map(|task| match task.rank {
            Some(rank) => Ok(Alike {
                ranks: RankSet::from_iter([rank]),
                task,
            }),
            None => {
                let text = format!(
                    "{}: task {} has no rank, which it needs beside so many others",
                    path.display(),
                    task.task
                );
                Err(Failure::new(text))
            }
        });
        alike.collect()
    }
}

fn second(path: &Path, task: &str) -> Failure {
    Failure::new(format!("{}: task {task} is in another file, too", path.display()))
        .hint("several files are parts of one job at one moment; `hindmost tree` takes several moments")
}

/// So many bytes are read at once: the lines of a thousand tasks.
const PIECE: usize = 4 << 20;

/// The stacks in a file.
fn of_file(path: &Path) -> Result<Read, Failure> {
    let mut file = files::open(path)?;
    let piece = read_piece(path, &mut file)?;
    let start = String::from_utf8_lossy(&piece[..piece.len().min(64 << 10)]);
    let format = foreign::format_of(&start);
    if format == Format::Snapshot {
        return snapshot(path, file, piece);
    }
    drop(start);
    let mut bytes = piece;
    let rest = regular_files::read_opened(&mut file, Limit::RECORD);
    bytes.extend(rest.map_err(|error| files::unreadable(path, &error))?);
    let text = files::text_of(path, bytes)?;
    if format != Format::Dot {
        return Ok(of_tool(Stacks::Each(of_text(path, format, &text)?)));
    }
    let alike = foreign::read_alike(&text).map_err(|error| files::of_foreign(path, &error))?;
    // What has no rank has a name, and stands for itself alone.
    let stacks = if alike.iter().all(|each| !each.ranks.is_empty()) {
        Stacks::Alike(alike)
    } else {
        Stacks::Each(one_by_one(path, alike)?)
    };
    Ok(of_tool(stacks))
}

/// A snapshot, of which `piece` has been read. It may be larger than memory.
fn snapshot(path: &Path, mut file: File, mut piece: Vec<u8>) -> Result<Read, Failure> {
    let mut reader = Reader::default();
    let mut bytes = 0;
    loop {
        let next = read_piece(path, &mut file)?;
        let is_last = next.is_empty();
        bytes += next.len() as u64;
        if bytes > Limit::RECORD.bytes() {
            let text = format!(
                "{}: it has more than {} bytes, as many as are read",
                path.display(),
                Limit::RECORD.bytes()
            );
            return Err(Failure::new(text));
        }
        let end = piece
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        if end > 0 {
            reader
                .take(&piece[..end])
                .map_err(|error| files::of_foreign(path, &error))?;
            piece.drain(..end);
        }
        if is_last {
            break;
        }
        piece.extend(next);
    }
    let (snapshots, cut) = reader
        .finish(&piece)
        .map_err(|error| files::of_foreign(path, &error))?;
    Ok(Read {
        stacks: match snapshots {
            Snapshots::Each(each) => Stacks::Each(each),
            Snapshots::Alike(alike) => Stacks::Alike(alike),
        },
        foreign: false,
        cut: cut.map(|cut| format!("{}: {cut}", path.display())),
    })
}

/// The next bytes of a file; none at its end.
fn read_piece(path: &Path, file: &mut File) -> Result<Vec<u8>, Failure> {
    let mut piece = Vec::with_capacity(PIECE);
    file.take(PIECE as u64)
        .read_to_end(&mut piece)
        .map_err(|error| files::unreadable(path, &error))?;
    Ok(piece)
}

/// The tasks of a job of which each rank has a file.
fn of_directory(path: &Path) -> Result<Vec<Task>, Failure> {
    let entries = std::fs::read_dir(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    let mut all: Vec<Task> = Vec::new();
    let mut known = BTreeSet::new();
    for file in &paths {
        let text = files::read_text(file)?;
        let format = foreign::format_of(&text);
        if matches!(format, Format::Snapshot | Format::Dot) {
            return Err(Failure::new(format!(
                "{}: a file of a whole job, in a directory",
                file.display()
            ))
            .hint("give that file itself; a directory holds one backtrace or py-spy dump per rank"));
        }
        for task in of_text(file, format, &text)? {
            if !known.insert(task.task.clone()) {
                return Err(Failure::new(format!(
                    "{}: a second file of rank or task {}",
                    file.display(),
                    task.task
                ))
                .hint("the last number in a file's name is its rank"));
            }
            all.push(task);
        }
    }
    Ok(all)
}

/// The tasks that a file's text tells of, and its name.
fn of_text(path: &Path, format: Format, text: &str) -> Result<Vec<Task>, Failure> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let rank = foreign::rank_of_name(&name);
    let task = rank.map_or(name, |rank| rank.to_string());
    foreign::read(format, text, &task, rank).map_err(|error| files::of_foreign(path, &error))
}

fn one_by_one(path: &Path, alike: Vec<Alike>) -> Result<Vec<Task>, Failure> {
    foreign::one_by_one(alike).map_err(|error| files::of_foreign(path, &error))
}
