//! Recorded stacks from files: hindmost's own snapshots, and what STAT, gdb, eu-stack and py-spy write.
//!
//! What a file is tells its beginning, not its name. Backtraces and dumps of py-spy are of one process each: a directory of
//! them is a job, and the rank is the last number in a file's name.

use crate::failure::Failure;
use crate::files;
use base::RankSet;
use engine::{Answer, JobTree, Map, TreeOptions};
use foreign::{Alike, Format};
use snapshot::Task;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The stacks in a file, or in the files of a directory, of a program that the map is of.
pub fn stacks_of<'p>(path: &'p Path, map: &Map) -> Result<Recorded<'p>, Failure> {
    let mut recorded = stacks(path)?;
    recorded.distrust(map);
    Ok(recorded)
}

/// Stacks as they were recorded.
pub struct Recorded<'p> {
    path: &'p Path,
    stacks: Stacks,
    /// They come from a tool that does not say how exact a line is.
    foreign: bool,
}

enum Stacks {
    /// Those of a whole job by another tool, each with its ranks: a million tasks are read as quickly as a few.
    Alike(Vec<Alike>),
    /// A record for each task.
    Each(Vec<Task>),
}

impl Recorded<'_> {
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
        match self.stacks {
            Stacks::Each(each) => Ok(each),
            Stacks::Alike(alike) => Ok(one_by_one(self.path, alike)?),
        }
    }

    /// The tasks of one moment in their order.
    pub fn answer(&self, map: &Map) -> Answer {
        match &self.stacks {
            Stacks::Alike(alike) => engine::answer_alike(map, &ranked(alike)),
            Stacks::Each(each) => engine::answer(map, each, RankSet::default()),
        }
    }

    /// The tree of one moment.
    pub fn tree(&self, map: &Map, options: &TreeOptions) -> JobTree {
        match &self.stacks {
            Stacks::Alike(alike) => engine::alike_tree(map, &ranked(alike), options),
            Stacks::Each(each) => engine::job_tree(map, each, &RankSet::default(), options),
        }
    }
}

fn ranked(alike: &[Alike]) -> Vec<(Task, RankSet)> {
    let each = alike.iter();
    each.map(|each| (each.task.clone(), each.rank_set())).collect()
}

/// The stacks in a file, or in the files of a directory. A file is read once: it may be a pipe.
pub fn stacks(path: &Path) -> Result<Recorded<'_>, Failure> {
    let (stacks, foreign) = match path.is_dir() {
        true => (Stacks::Each(of_directory(path)?), true),
        false => of_file(path)?,
    };
    let recorded = Recorded {
        path,
        stacks,
        foreign,
    };
    if recorded.stacks().next().is_none() {
        return Err(Failure::new(format!("{}: no task in it", path.display())));
    }
    Ok(recorded)
}

/// The stacks in a file, and whether they come from another tool.
fn of_file(path: &Path) -> Result<(Stacks, bool), Failure> {
    let text = files::read_text(path)?;
    let format = foreign::format_of(&text);
    if format != Format::Dot {
        return Ok((
            Stacks::Each(of_text(path, format, &text)?),
            format != Format::Snapshot,
        ));
    }
    let alike = foreign::read_alike(&text).map_err(|error| failure(path, &error))?;
    // What has no rank has a name, and stands for itself alone.
    let stacks = match alike.iter().all(|each| !each.ranks.is_empty()) {
        true => Stacks::Alike(alike),
        false => Stacks::Each(one_by_one(path, alike)?),
    };
    Ok((stacks, true))
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
        if !matches!(format, Format::Backtrace | Format::PySpy) {
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
    foreign::read(format, text, &task, rank).map_err(|error| failure(path, &error))
}

fn one_by_one(path: &Path, alike: Vec<Alike>) -> Result<Vec<Task>, Failure> {
    foreign::one_by_one(alike).map_err(|error| failure(path, &error))
}

fn failure(path: &Path, error: &foreign::Error) -> Failure {
    let failure = Failure::new(format!("{}:{}: {}", path.display(), error.line, error.reason));
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
