//! The facade: sources to map, stacks and map to an answer.
