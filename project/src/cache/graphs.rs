//! Dependence graphs, kept beside the maps: a graph of a large program takes seconds to make, and the next slice of the same
//! sources wants the same one.
//!
//! Each is kept under a fingerprint of this very program and of the path and the bytes of every source, behind a hash of its
//! bytes. One that is damaged is told of and made anew.

use super::own::Directory;
use super::{directory, hash_of_this_program};
use crate::listener::Listener;
use engine::{CompiledUnits, DependenceGraph, Fingerprint, SourceFile};

/// How many bytes of graphs are kept; the largest tree that we know of takes a tenth.
const LIMIT: u64 = 1 << 30;

/// Where the graph of one set of sources is kept.
pub(crate) struct KeptGraph {
    directory: Directory,
    name: String,
}

impl KeptGraph {
    /// The place for the graph that this program makes of `sources` and of what was compiled, unless there is nowhere to keep anything.
    pub(crate) fn of(
        sources: &[SourceFile],
        compiled: &CompiledUnits,
        listener: &dyn Listener,
    ) -> Option<Self> {
        // A program that is wrong on request must not leave its graphs to one that is right.
        if base::mutant::any_is_on() {
            return None;
        }
        let mut fingerprint = Fingerprint::new("dependence graph");
        fingerprint.add(&hash_of_this_program()?);
        fingerprint.add_sources(sources);
        compiled.packed().iter().for_each(|unit| fingerprint.add(unit));
        Some(Self {
            directory: directory(&["graphs"], listener)?,
            name: format!("{}.graph", fingerprint.text()),
        })
    }

    /// The graph kept here, if there is one and it is sound.
    pub(crate) fn read(&self, listener: &dyn Listener) -> Option<DependenceGraph> {
        let bytes = self.directory.read(&self.name)?;
        let graph = match engine::unsealed(&bytes) {
            Some(bytes) => DependenceGraph::from_bytes(bytes).map_err(|error| error.to_string()),
            None => Err("its bytes are not those that were written".to_owned()),
        };
        match graph {
            Ok(graph) => {
                self.directory.note_use(&self.name);
                Some(graph)
            }
            Err(why) => {
                let name = &self.name;
                listener.warn(&format!(
                    "the kept dependence graph {name} is damaged and made anew: {why}"
                ));
                None
            }
        }
    }

    /// Keeps a graph, and makes room. What cannot be kept is made again.
    pub(crate) fn write(&self, graph: &DependenceGraph) {
        let sealed = engine::sealed(&[&graph.to_bytes()]);
        let written = self.directory.put(&self.name, &sealed);
        if written.is_ok() {
            // When that fails, the next run tries again.
            let _ = self.directory.make_room(LIMIT);
        }
    }
}
