//! A graph that was kept slices as the one that was made, and damage never gets further than an error.

use engine::{DependenceGraph, GraphError, SliceOptions};
use tests::oracle::rng::Rng;
use tests::slices::{slicing, suite};

#[test]
fn a_graph_that_was_kept_is_the_graph_that_was_made() {
    let programs = suite::programs();
    assert!(programs.len() > 200);
    for program in programs {
        let made = slicing::graph(&program);
        let bytes = made.to_bytes();
        let kept = DependenceGraph::from_bytes(&bytes).unwrap_or_else(|e| panic!("{}: {e}", program.name));
        assert!(kept.to_bytes() == bytes, "{}", program.name);
        for criterion in program.criteria() {
            let slice = |graph: &DependenceGraph| {
                let slice = graph.slice_at(&criterion.file, criterion.line, None, SliceOptions::default());
                slice.map(|slice| slice.statements)
            };
            assert_eq!(slice(&kept), slice(&made), "{}", program.name);
        }
    }
}

/// Large programs have tables of functions where small ones have a list for every call. They may lose contexts, never a line.
#[test]
fn tables_of_functions_lose_no_line() {
    let (mut with_tables, mut larger) = (0, 0);
    for program in suite::programs() {
        let (plain, tables) = (slicing::graph(&program), slicing::graph_of_tables(&program));
        with_tables += usize::from(plain.counts().1 < tables.counts().1);
        let kept = DependenceGraph::from_bytes(&tables.to_bytes());
        let kept = kept.unwrap_or_else(|e| panic!("{}: {e}", program.name));
        for criterion in program.criteria() {
            let lines = |graph: &DependenceGraph| {
                let options = SliceOptions::default();
                let slice = graph.slice_at(&criterion.file, criterion.line, None, options);
                slice
                    .map(|slice| slice.lines())
                    .unwrap_or_else(|e| panic!("{}: {e}", program.name))
            };
            let (plain, tables) = (lines(&plain), lines(&tables));
            let lost = Vec::from_iter(plain.difference(&tables));
            assert!(
                lost.is_empty(),
                "{} at line {}: {lost:?}",
                program.name,
                criterion.line
            );
            larger += usize::from(plain.len() < tables.len());
            assert_eq!(lines(&kept), tables, "{}", program.name);
        }
    }
    assert!(
        with_tables >= 15,
        "only {with_tables} programs call through pointers"
    );
    println!("{with_tables} programs with tables, {larger} slices larger by them");
}

#[test]
fn a_damaged_graph_is_an_error_or_a_graph() {
    let program = suite::programs().swap_remove(40);
    let bytes = slicing::graph(&program).to_bytes();
    for end in 0..bytes.len() {
        assert!(
            DependenceGraph::from_bytes(&bytes[..end]).is_err(),
            "the first {end} bytes"
        );
    }
    let mut refused = 0;
    for seed in 0..3000 {
        let mut rng = Rng::new(seed);
        let mut damaged = bytes.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(damaged.len());
            damaged[at] = rng.below(256) as u8;
        }
        match DependenceGraph::from_bytes(&damaged) {
            Ok(graph) => {
                for criterion in program.criteria() {
                    let _ = graph.slice_at(&criterion.file, criterion.line, None, SliceOptions::default());
                }
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 300, "{refused} of 3000 refused");
    let mut newer = bytes;
    newer[8] += 1;
    assert!(matches!(
        DependenceGraph::from_bytes(&newer),
        Err(GraphError::Version(_))
    ));
    assert!(matches!(
        DependenceGraph::from_bytes(b"no graph"),
        Err(GraphError::NoGraph)
    ));
}
