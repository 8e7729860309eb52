//! A job whose program is one file, `/a.c`.

use base::{IdVec, RankSet};
use engine::{CompiledUnits, SourceFile};
use lsp::Job;
use std::path::PathBuf;

/// The file with this text.
pub fn source(text: &str) -> SourceFile {
    SourceFile {
        path: "/a.c".to_owned(),
        bytes: text.into(),
    }
}

/// The job of these recorded stacks.
pub fn job(text: &str, stacks: &str) -> Result<Job, String> {
    let map = engine::map_sources(vec![source(text)], &|_| {});
    let (_, tasks) = snapshot::read(stacks).map_err(|error| error.to_string())?;
    Ok(Job {
        answer: Some(engine::Analysis::new(&map, &tasks, RankSet::default()).answer()),
        map,
        compiled: CompiledUnits::default(),
        sources: IdVec::from_iter([Some(PathBuf::from("/a.c"))]),
        notes: Vec::new(),
    })
}
