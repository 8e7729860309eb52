//! The map inside a binary: a section that no program loads, so that it travels with the executable and `strip` leaves it there.
//!
//! Two sections are ours. [`MAP`] holds the map of a linked program, bound to it. [`UNITS`] holds what a compilation has read of
//! its sources, one [fragment](fragment) a file; the linker joins those of all its objects.
//!
//! # How it works
//!
//! A file is never laid out anew ([`with_section`]). The content goes to its end, behind it the names of the sections and the section table
//! with one entry more, and the header learns where they are. All other bytes stay where they were: code, debug info, signatures
//! over segments and the build-id are what they were before. Files end with names and table already, as compilers and linkers write
//! them; those are then replaced instead of left behind, so that a map that is embedded again and again does not make the file grow.
//!
//! Sections of fragments are marked as strings that may be merged (`SHF_MERGE`, `SHF_STRINGS`), as a compiler's own `.comment` is: a header that a
//! hundred files include is in the program once. For that a fragment has no byte that is zero but the last one.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod fragment;
pub mod outline;
mod section;

pub use section::{ElfError, Kind, section, with_section};

/// The section with the map of a program.
pub const MAP: &str = ".hindmost.map";
/// The section with the fragments of the files that a program was compiled from.
pub const UNITS: &str = ".hindmost.units";
