//! The hindmost command.

fn main() {}
