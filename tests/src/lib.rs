//! Tests across crates; see `tests/` for the tests, `oracle` for what judges the order, and `loops` for what judges
//! claims about loop variables.

pub mod loops;
pub mod oracle;
pub mod stops;
