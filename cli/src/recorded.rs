//! Recorded stacks from files: hindmost's own snapshots, and what STAT, gdb, eu-stack and py-spy write.
//!
//! What a file is tells its beginning, not its name. Backtraces and dumps of py-spy are of one process each: a directory of
//! them is a job, and the rank is the last number in a file's name.

use crate::failure::Failure;
use crate::files;
use base::RankSet;
use engine::Map;
use foreign::Format;
use snapshot::Task;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The tasks in a file, or in the files of a directory, of a program that the map is of.
pub(crate) fn read(path: &Path, map: &Map) -> anyhow::Result<Vec<Task>> {
    Ok(stacks(path)?.of(map))
}

/// Tasks as they were recorded.
pub(crate) struct Stacks {
    /// The tasks.
    pub(crate) tasks: Vec<Task>,
    /// They come from a tool that does not say how exact a line is.
    foreign: bool,
}

impl Stacks {
    /// The tasks of a program that the map is of.
    pub(crate) fn of(mut self, map: &Map) -> Vec<Task> {
        if self.foreign {
            engine::distrust_innermost_lines(map, &mut self.tasks);
        }
        self.tasks
    }
}

/// The tasks in a file, or in the files of a directory.
pub(crate) fn stacks(path: &Path) -> anyhow::Result<Stacks> {
    if !path.is_dir() {
        let (format, tasks) = one(path)?;
        let tasks = some(path, tasks)?;
        let foreign = format != Format::Snapshot;
        return Ok(Stacks { tasks, foreign });
    }
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
        let (format, tasks) = one(file)?;
        if !matches!(format, Format::Backtrace | Format::PySpy) {
            return Err(Failure::new(format!(
                "{}: a file of a whole job, in a directory",
                file.display()
            ))
            .hint("give that file itself; a directory holds one backtrace or py-spy dump per rank")
            .into());
        }
        for task in tasks {
            if !known.insert(task.task.clone()) {
                return Err(Failure::new(format!(
                    "{}: a second file of rank or task {}",
                    file.display(),
                    task.task
                ))
                .hint("the last number in a file's name is its rank")
                .into());
            }
            all.push(task);
        }
    }
    Ok(Stacks {
        tasks: some(path, all)?,
        foreign: true,
    })
}

/// The stacks in a file of a whole job by another tool, each with its ranks, where every task has a rank: a million tasks are read as
/// quickly as a few. `None` of all else, which [`read`] reads.
pub(crate) fn alike(path: &Path) -> anyhow::Result<Option<Vec<(Task, RankSet)>>> {
    if path.is_dir() {
        return Ok(None);
    }
    let text = files::read_text(path)?;
    if foreign::format_of(&text) != Format::Dot {
        return Ok(None);
    }
    let read = foreign::read_alike(Format::Dot, &text, "", None);
    let alike = read.map_err(|error| failure(path, &error))?;
    if alike.iter().any(|each| each.ranks.is_empty()) {
        return Ok(None);
    }
    let ranks: Vec<RankSet> = alike.iter().map(|each| each.ranks().collect()).collect();
    let tasks = alike.into_iter().map(|each| each.task);
    Ok(Some(tasks.zip(ranks).collect()))
}

/// The same of a program that the map is of.
pub(crate) fn distrusted(stacks: Vec<(Task, RankSet)>, map: &Map) -> Vec<(Task, RankSet)> {
    let (mut tasks, ranks): (Vec<Task>, Vec<RankSet>) = stacks.into_iter().unzip();
    engine::distrust_innermost_lines(map, &mut tasks);
    tasks.into_iter().zip(ranks).collect()
}

fn failure(path: &Path, error: &foreign::Error) -> Failure {
    let failure = Failure::new(format!("{}:{}: {}", path.display(), error.line, error.reason));
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn some(path: &Path, tasks: Vec<Task>) -> anyhow::Result<Vec<Task>> {
    if tasks.is_empty() {
        return Err(Failure::new(format!("{}: no task in it", path.display())).into());
    }
    Ok(tasks)
}

fn one(path: &Path) -> anyhow::Result<(Format, Vec<Task>)> {
    let text = files::read_text(path)?;
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let rank = foreign::rank_of_name(&name);
    let task = rank.map_or(name, |rank| rank.to_string());
    let format = foreign::format_of(&text);
    let tasks = foreign::read(format, &text, &task, rank).map_err(|error| failure(path, &error))?;
    Ok((format, tasks))
}
