//! The dependence graph of a map's sources, as they are now.

use crate::cache::graphs::KeptGraph;
use crate::cache::units::Units;
use crate::files::SourceFinder;
use crate::listener::Listener;
use engine::{DependenceGraph, Map, SourceFile, TooManyCallees};

/// The sources of a map, as they are now. What is missing or has changed is a warning.
pub(crate) fn sources_of(map: &Map, finder: &SourceFinder, listener: &dyn Listener) -> Vec<SourceFile> {
    let mut files = Vec::new();
    let mut missing = 0;
    let mut changed = 0;
    for file in &map.files {
        match finder.read(&file.path) {
            Some(bytes) => {
                changed += usize::from(engine::content_hash(&bytes) != file.hash);
                files.push(SourceFile {
                    path: file.path.clone(),
                    bytes,
                });
            }
            None => missing += 1,
        }
    }
    let total = map.files.len();
    if missing > 0 {
        listener.warn(&format!(
            "{missing} of {total} sources are not here: what they do is not in the slice"
        ));
    }
    if changed > 0 {
        listener.warn(&format!(
            "{changed} of {total} sources have changed since the map was made: the slice may show other lines"
        ));
    }
    files
}

/// The dependence graph of files: the one that was kept, if it is of the very same files. Of others, those that a map was made
/// of before are not parsed again.
pub fn graph_of(files: Vec<SourceFile>, listener: &dyn Listener) -> Result<DependenceGraph, TooManyCallees> {
    let kept = KeptGraph::of(&files, listener);
    if let Some(graph) = kept.as_ref().and_then(|kept| kept.read(listener)) {
        return Ok(graph);
    }
    let units = Units::open(listener);
    let graph = engine::dependence_graph(files, units.as_ref().map(Units::reuse), &|_| {});
    if let Some(units) = units {
        units.make_room();
    }
    let graph = graph?;
    if let Some(kept) = kept {
        kept.write(&graph);
    }
    Ok(graph)
}
