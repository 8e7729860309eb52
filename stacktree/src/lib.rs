//! Prefix trees of the stacks of many tasks (SC'09 section 4.3, and STAT before it).
//!
//! A [`Tree`] holds every stack that was seen, each frame with all that is known of it (position, values), as a path from the root;
//! tasks whose stacks begin alike share nodes. It is built from stacks ([`Tree::new`]), merged from the trees of parts
//! of the job ([`merge`]; as bytes between daemons, [`Tree::to_bytes`]), and looked at more coarsely
//! ([`Tree::coarsened`]).
//!
//! Nothing here orders anything: siblings stand by label. Which of them is behind only `progress` can tell.

mod dictionary;
mod label;
mod merge;
mod set;
mod tree;
mod weave;
mod wire;

pub use dictionary::Dictionary;
pub use label::{Granularity, Kind, Label, LabelId, Number, PlaceId, Text};
pub use merge::merge;
pub use set::TaskSet;
pub use tree::{NodeId, Stack, Tree};
pub use wire::WireError;
