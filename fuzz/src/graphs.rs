//! A dependence graph of unknown origin.

use engine::{DependenceGraph, SliceOptions};

/// More statements than these are not asked for: a slice of a hostile graph may be as long as the graph.
const ENOUGH: usize = 200;

/// Any bytes are a graph in which a walk goes nowhere but in the graph, or an error; and what was read is written as it was.
pub(crate) fn graph(bytes: &[u8]) {
    let graph = match DependenceGraph::from_bytes(bytes) {
        Ok(graph) => graph,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = graph.to_bytes();
    let again = DependenceGraph::from_bytes(&written).map(|graph| graph.to_bytes());
    assert!(
        again.as_ref() == Ok(&written),
        "a graph that was read is not read again: {:?}",
        again.err()
    );
    let options = SliceOptions {
        enough: Some(ENOUGH),
        ..SliceOptions::default()
    };
    for stack in graph.stacks(4, 6) {
        let _ = graph.slice_stack(&stack, options);
    }
    for line in 1..40 {
        for file in ["small.c", "small.cpp"] {
            let _ = graph.slice_at(file, line, None, options);
        }
    }
}
