//! Dependence graphs, kept beside the maps: a graph of a large program takes seconds to make, and the next slice of the same
//! sources wants the same one.
//!
//! Each is kept under a fingerprint of this very program and of the path and the bytes of every source, behind a hash of its
//! bytes. One that is damaged is told of and made anew.

use super::{directory, hash_of_this_program, make_room, put};
use crate::output;
use engine::{DependenceGraph, Fingerprint, SourceFile};
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::SystemTime;

/// How many bytes of graphs are kept; the largest tree that we know of takes a tenth.
const LIMIT: u64 = 1 << 30;

/// Where the graph of one set of sources is kept.
pub(crate) struct KeptGraph {
    path: PathBuf,
}

impl KeptGraph {
    /// The place for the graph that this program makes of `sources`, unless there is nowhere to keep anything.
    pub(crate) fn of(sources: &[SourceFile]) -> Option<Self> {
        // A program that is wrong on request must not leave its graphs to one that is right.
        if cfg!(feature = "mutants") {
            return None;
        }
        let mut fingerprint = Fingerprint::new("dependence graph");
        fingerprint.add(&hash_of_this_program()?);
        fingerprint.add_sources(sources);
        let name = format!("{}.graph", fingerprint.text());
        Some(Self {
            path: directory(&["graphs"])?.join(name),
        })
    }

    /// The graph kept here, if there is one and it is sound.
    pub(crate) fn read(&self) -> Option<DependenceGraph> {
        let bytes = fs::read(&self.path).ok()?;
        let graph = match engine::unsealed(&bytes) {
            Some(bytes) => DependenceGraph::from_bytes(bytes).map_err(|error| error.to_string()),
            None => Err("its bytes are not those that were written".to_owned()),
        };
        match graph {
            Ok(graph) => {
                // The oldest go first when room is needed: this one is in use. If that cannot be noted, it goes a little early.
                if let Ok(file) = File::options().append(true).open(&self.path) {
                    let _ = file.set_modified(SystemTime::now());
                }
                Some(graph)
            }
            Err(why) => {
                let path = self.path.display();
                output::warn(&format!(
                    "the kept dependence graph {path} is damaged and made anew: {why}"
                ));
                None
            }
        }
    }

    /// Keeps a graph, and makes room. What cannot be kept is made again.
    pub(crate) fn write(&self, graph: &DependenceGraph) {
        let Some(directory) = self.path.parent() else {
            return;
        };
        let sealed = engine::sealed(&[&graph.to_bytes()]);
        let written = fs::create_dir_all(directory).and_then(|()| put(&self.path, &sealed));
        if written.is_ok() {
            // When that fails, the next run tries again.
            let _ = make_room(directory, LIMIT);
        }
    }
}
