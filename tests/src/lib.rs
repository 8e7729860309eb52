//! Tests across crates, on real programs.

pub mod oracle;
