//! Tests across crates, on real programs.
