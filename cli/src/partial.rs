//! Partial trees: what each part of a machine makes of the tasks that it has, and what is merged into the tree of the job.

use engine::JobTree;
use project::Failure;
use std::path::{Path, PathBuf};

/// The tree of a job, or of a part of one, as bytes.
pub(crate) fn bytes(job: &JobTree) -> anyhow::Result<Vec<u8>> {
    if !job.names.are_ranks() {
        let text = "a partial tree tells tasks by their ranks, and not every task has one of its own";
        return Err(Failure::new(text).into());
    }
    Ok(job.to_bytes())
}

/// Whether a file is a partial tree, as its beginning tells. Standard input is none: it cannot be read twice.
pub(crate) fn is_one(path: &Path) -> bool {
    project::begins_with(path, engine::PARTIAL_TREE)
}

/// The tree of all parts.
pub(crate) fn merged(paths: &[PathBuf]) -> anyhow::Result<JobTree> {
    let mut parts = Vec::new();
    for path in paths {
        let part = project::read(path)?;
        // Each by itself first, so that the error names the file.
        JobTree::merged(std::slice::from_ref(&part))
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        parts.push(part);
    }
    JobTree::merged(&parts).map_err(|error| Failure::new(error.to_string()).into())
}
