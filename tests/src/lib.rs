//! Tests across crates; see `tests/` for the tests, `oracle` for what judges the order, `loops` for what judges
//! claims about loop variables, `second` for two parsers that judge each other, and `slices` for what judges slices.

pub mod command;
pub mod loops;
pub mod oracle;
pub mod second;
pub mod slices;
pub mod stopped;
pub mod stops;
