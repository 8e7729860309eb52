//! The slicer, asked as the command asks it: through the facade, with nothing but the sources.

use super::judge::Lines;
use super::suite::{Criterion, Program};
use engine::{DependenceGraph, SliceOptions, SourceFile, dependence_graph};

/// What programs may include besides their own headers, as the slicer is to see it.
const OBSERVE: &str = include_str!("../../slices/observe.h");

/// The dependence graph of a program.
#[must_use]
pub fn graph(program: &Program) -> DependenceGraph {
    let own = program.files.iter().map(|file| SourceFile {
        path: file.name.clone(),
        bytes: file.text.clone().into_bytes(),
    });
    let observe = SourceFile {
        path: "observe.h".to_owned(),
        bytes: OBSERVE.as_bytes().to_vec(),
    };
    dependence_graph(own.chain([observe]).collect(), None, &|_| {}).expect("a small program")
}

/// The same graph, where all functions that a call through a pointer may lead to are tables.
#[must_use]
pub fn graph_of_tables(program: &Program) -> DependenceGraph {
    let own = program
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.text.as_str()));
    let files = Vec::from_iter(own.chain([("observe.h", OBSERVE)]));
    DependenceGraph::with_tables(&units(&files), 1).expect("a small program")
}

/// Files, by path and text, as the slicer gets them.
#[must_use]
pub fn units(files: &[(&str, &str)]) -> Vec<ir::Unit> {
    let sources = files.iter().map(|&(path, text)| frontend::Source {
        path,
        text: text.as_bytes(),
    });
    let sources = Vec::from_iter(sources);
    let macros = frontend::Macros::gather(sources.iter().copied());
    let mut units = Vec::from_iter(sources.iter().map(|source| frontend::parse(source, &macros)));
    frontend::add_defaults(&mut units);
    frontend::add_macros(&mut units, &macros);
    units
}

/// The slices of a program's criteria; a [`Slicer`](super::judge::Slicer).
#[must_use]
pub fn slices(program: &Program, criteria: &[Criterion]) -> Vec<Result<Lines, String>> {
    let graph = graph(program);
    let slice = |criterion: &Criterion| {
        graph
            .slice_at(&criterion.file, criterion.line, None, SliceOptions::default())
            .map(|slice| slice.lines())
            .map_err(|e| e.to_string())
    };
    criteria.iter().map(slice).collect()
}
