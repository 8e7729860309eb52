//! What a tree is made of: the stacks of one moment or of several, or partial trees, which each part of a machine makes of the tasks that it has.

use crate::failure::Failure;
use crate::files::{begins_with, read, read_text};
use crate::findings::{self, Wish};
use crate::recorded::{Recorded, stacks_of};
use base::RankSet;
use engine::{Analysis, Findings, JobTree, Map, Model, TreeOptions};
use snapshot::Task;
use std::path::{Path, PathBuf};

/// What files hold that a tree is made of.
pub enum Moments<'p> {
    /// The stacks of one moment.
    One(Recorded<'p>),
    /// The tasks of several, one after the other.
    Several(Vec<Vec<Task>>),
    /// The tree that partial ones make.
    Merged(Box<JobTree>),
}

impl<'p> Moments<'p> {
    /// Reads files of stacks, or partial trees, of a program that the map is of.
    ///
    /// # Errors
    /// A file cannot be read, or there are stacks and partial trees among them.
    pub fn read(paths: &'p [PathBuf], map: &Map) -> Result<Self, Failure> {
        let are_partial: Vec<bool> = paths.iter().map(|path| is_partial(path)).collect();
        if are_partial.iter().all(|&is| is) {
            return Ok(Self::Merged(Box::new(merged(paths)?)));
        }
        if let Some(at) = are_partial.iter().position(|&is| is) {
            let text = format!("{}: a partial tree, among files with stacks", paths[at].display());
            return Err(Failure::new(text).hint("make partial trees of the others, too: --format partial"));
        }
        if let [only] = paths {
            return Ok(Self::One(stacks_of(only, map)?));
        }
        let samples = paths.iter().map(|path| stacks_of(path, map)?.one_by_one());
        Ok(Self::Several(samples.collect::<Result<_, _>>()?))
    }

    /// What the user should know of the file of one moment.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::One(recorded) => recorded.notes(),
            Self::Several(_) | Self::Merged(_) => &[],
        }
    }

    /// What is wished for. Of several moments the last one is the job as it is now; of a tree the stacks of single tasks are not known.
    ///
    /// # Errors
    /// The user has named a task that there is not.
    pub fn findings<'a>(&'a self, map: &'a Map, wish: &Wish<'_>) -> Result<Findings<'a>, Failure> {
        match self {
            Self::One(recorded) => recorded.findings(map, wish),
            Self::Several(samples) => findings::of(of_samples(map, samples), wish),
            Self::Merged(tree) => Ok(Findings {
                tree: wish.tree.as_ref().map(|options| tree.ordered(map, options)),
                ..Findings::of_map(map)
            }),
        }
    }

    /// The tree without an order.
    pub fn tree(&self, map: &Map, options: &TreeOptions) -> JobTree {
        match self {
            Self::One(recorded) => recorded.analysis(map).tree(options),
            Self::Several(samples) => of_samples(map, samples).tree(options),
            Self::Merged(tree) => JobTree::clone(tree),
        }
    }
}

fn of_samples<'a>(map: &'a Map, samples: &'a [Vec<Task>]) -> Analysis<'a> {
    let (now, before) = match samples {
        [before @ .., now] => (&now[..], before),
        [] => (&[][..], &[][..]),
    };
    Analysis::new(map, now, RankSet::default()).after(before)
}

/// The tree of a job, or of a part of one, as bytes.
///
/// # Errors
/// Its tasks are not told by ranks.
pub fn partial_tree(job: &JobTree) -> Result<Vec<u8>, Failure> {
    if !job.names.are_ranks() {
        let text = "a partial tree tells tasks by their ranks, and not every task has one of its own";
        return Err(Failure::new(text));
    }
    Ok(job.to_bytes())
}

/// Whether a file is a partial tree, as its beginning tells. Standard input is none: it cannot be read twice.
fn is_partial(path: &Path) -> bool {
    begins_with(path, engine::PARTIAL_TREE)
}

/// The tree of all parts.
fn merged(paths: &[PathBuf]) -> Result<JobTree, Failure> {
    let mut parts = Vec::new();
    for path in paths {
        let part = read(path)?;
        // Each by itself first, so that the error names the file.
        JobTree::merged(std::slice::from_ref(&part))
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        parts.push(part);
    }
    JobTree::merged(&parts).map_err(|error| Failure::new(error.to_string()))
}

/// The models of programs that trees are cut by: those that are known, and the user's own, which take the place of ours of the same name.
///
/// # Errors
/// The user's file cannot be read.
pub fn models(own: Option<&Path>) -> Result<Vec<Model>, Failure> {
    let mut known = Model::known();
    if let Some(path) = own {
        let read = Model::parse(&read_text(path)?)
            .map_err(|error| Failure::new(format!("{}:{}: {}", path.display(), error.line, error.reason)))?;
        known.retain(|model| read.iter().all(|other| other.name != model.name));
        known.extend(read);
    }
    Ok(known)
}
