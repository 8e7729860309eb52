//! The dependence graph of a program: of its sources, as they are now, and of what gcc's plugin has left in the program of those in Fortran.

use crate::cache::graphs::KeptGraph;
use crate::cache::units::Units;
use crate::files::SourceFinder;
use crate::listener::Listener;
use crate::program::Program;
use engine::{DependenceGraph, Map, SourceFile, TooManyCallees};

/// The program of a map: its sources as they are now, and what was compiled. What is missing or has changed is a warning.
pub(crate) fn program_of(map: &Map, finder: &SourceFinder, listener: &dyn Listener) -> Program {
    let mut files = Vec::new();
    let (mut missing, mut changed, mut unread) = (0, 0, 0);
    let is_unread = |path: &str| engine::is_unread(path);
    let compiled = finder.compiled(map, listener);
    for file in &map.files {
        if compiled.has(&file.path, Some(&file.hash)) {
            continue;
        }
        if is_unread(&file.path) {
            unread += 1;
            continue;
        }
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
    if unread > 0 {
        listener.warn(&format!(
            "{unread} of {total} sources are in Fortran, of which a slice needs what gcc's plugin has left in the program that the map is of: what they do is not in the slice"
        ));
    }
    if changed > 0 {
        listener.warn(&format!(
            "{changed} of {total} sources have changed since the map was made: the slice may show other lines"
        ));
    }
    Program { files, compiled }
}

/// The dependence graph of a program: the one that was kept, if it is of the very same files. Of others, those that a map was made
/// of before are not parsed again.
pub fn graph_of(program: Program, listener: &dyn Listener) -> Result<DependenceGraph, TooManyCallees> {
    let Program { files, compiled } = program;
    let kept = KeptGraph::of(&files, &compiled, listener);
    if let Some(graph) = kept.as_ref().and_then(|kept| kept.read(listener)) {
        return Ok(graph);
    }
    let units = Units::open(listener);
    let reuse = units.as_ref().map(Units::reuse);
    let graph = engine::dependence_graph_with(files, compiled, reuse, &|_| {});
    if let Some(units) = units {
        units.make_room();
    }
    let graph = graph?;
    if let Some(kept) = kept {
        kept.write(&graph);
    }
    Ok(graph)
}
