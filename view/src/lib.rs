//! A job in a terminal, where there is no browser: its tree, and what its ranks did over time ([`TimelineState`]).
//!
//! [`Job`] is what was found of a job, just now or in the JSON that `find` and `watch` write, [`ViewState`] is what a user has made of it
//! (collapsed, filtered, searched), [`ViewState::press`] changes it, and [`draw`] paints it into a `ratatui` frame of any size. All order
//! comes from the tree; nothing is compared here. Who owns the terminal, the keys and the files is the caller: a test paints into memory.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod answer;
mod attach;
mod draw;
mod history;
mod job;
mod keys;
mod operations;
mod rows;
mod state;
#[cfg(test)]
mod tests;
mod timeline;

pub use attach::Processes;
pub use draw::draw;
pub use job::{BadJob, Job};
pub use keys::Key;
pub use state::ViewState;
pub use timeline::{TimelineState, draw_timeline};
