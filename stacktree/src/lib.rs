//! Prefix trees of the stacks of many tasks (SC'09 section 4.3, and STAT before it).
//!
//! A [`Tree`] holds every stack that was seen, each frame with all that is known of it (position, values), as a path from the root;
//! tasks whose stacks begin alike share nodes. It is built from stacks ([`Tree::new`]), merged from the trees of parts
//! of the job ([`merge`]; as bytes between daemons, [`Tree::to_bytes`]), and looked at more coarsely
//! ([`Tree::relabelled`] with [`Label::at`]).
//!
//! Nothing here orders anything: siblings stand by label. Which of them is behind only `progress` can tell.
//!
//! # How it works
//!
//! A tree is kept in columns: nodes in preorder, siblings by label, a sorted dictionary
//! of strings, places and labels (a place with values). A node holds the tasks of the stacks that *end* there (one
//! task or one range without allocation, otherwise a roaring bitmap); who passes through is the union below it.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod dictionary;
mod label;
mod merge;
mod set;
mod tree;
mod weave;
mod wire;

pub use dictionary::Dictionary;
pub use label::{Granularity, Label, LabelId, LabelKind, Number, PlaceId, Text};
pub use merge::merge;
pub use set::TaskSet;
pub use tree::{NodeId, Stack, Tree};
pub use wire::{MAGIC, Reader, WireError, put_string};
