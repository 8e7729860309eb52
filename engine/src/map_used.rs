//! Which map an answer rests on.

use progress_map::Map;
use std::path::{Path, PathBuf};

/// The map of an answer, for whoever has to find it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapUsed {
    /// Where it came from.
    pub from: MapOrigin,
    /// The build-id of the program that it is bound to; empty if it is bound to none, or that has none.
    pub build_id: Vec<u8>,
    /// blake3 of the map's bytes.
    pub hash: [u8; 32],
}

/// Where a map came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapOrigin {
    /// A file of its own.
    File(PathBuf),
    /// A section of this program.
    Program(PathBuf),
    /// It was kept from an earlier time.
    Kept,
    /// It was made for this answer, of the sources or of what their compiler left in the program.
    Made,
    /// There is none of the sources: machine code alone.
    Code,
}

impl MapOrigin {
    /// The file, if it is one that the user may look for.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Program(path) => Some(path),
            Self::Kept | Self::Made | Self::Code => None,
        }
    }
}

impl MapUsed {
    /// A map with the bytes that it was read from, or that it is written as.
    pub fn new(from: MapOrigin, map: &Map, bytes: &[u8]) -> Self {
        Self {
            from,
            build_id: map
                .binding
                .as_ref()
                .map_or_else(Vec::new, |binding| binding.build_id.clone()),
            hash: *blake3::hash(bytes).as_bytes(),
        }
    }
}
