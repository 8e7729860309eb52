//! Maps made up from a seed, for tests, fuzzers and measurements. Only with the feature `generate`.
//!
//! [`arbitrary`] makes small valid maps with every variant and every corner of the number ranges; [`synthetic`]
//! (in [`program`]) makes maps of the shape that real C code has.

mod binding;
mod program;

pub use binding::bind;
pub use program::synthetic;

mod function;
mod rng;

pub use rng::Rng;

use crate::format::Packing;
use crate::{
    Across, AddressTaken, Assumption, BoundMerge, Choice, Cut, DecisiveCall, Direction, File, FileId,
    Function, FunctionId, Grounds, Growth, Handed, Handler, InnerStep, Iterated, Lov, LovClass, MacroCalls,
    Map, Moves, MpiArgument, MpiCall, PassedConstant, Point, PointId, PointKind, PointerCall, ScopeId, Shown,
    Storage, Term,
};
use base::{Diagnostic, Id, IdVec, Severity, Span};
use function::{function, storage, term};
use std::collections::BTreeSet;
use std::num::NonZeroU64;

/// As [`Map::to_bytes`], without deflating anything: bytes that a mutation changes then reach the decoders.
pub fn verbatim_bytes(map: &Map) -> Vec<u8> {
    crate::format::write(map, Packing::Verbatim, 1).0
}

/// Computes the checksums of a record anew, after a mutation.
pub fn reseal(record: &mut [u8]) {
    crate::format::reseal(record);
}

/// A valid map, of whatever strange shape.
pub fn arbitrary(seed: u64) -> Map {
    let rng = &mut Rng(seed);
    let paths = BTreeSet::from_iter(rng.list(4, Rng::word));
    let files = paths.into_iter().map(|path| File {
        path,
        hash: rng.hash(),
    });
    let files: IdVec<FileId, File> = files.collect();
    let mut functions = match files.len() {
        0 => Vec::new(),
        count => rng.list(4, |rng| function(rng, count)),
    };
    functions.sort_by_key(|function| (function.file, function.span.line));
    let diagnostics = rng.list(3, |rng| Diagnostic {
        severity: rng.pick(&[Severity::Note, Severity::Warning, Severity::Error]),
        subject: rng.word(),
        span: rng.span(),
        message: rng.word(),
    });
    let functions: IdVec<FunctionId, Function> = functions.into();
    let mut binding = rng.some(|rng| binding::arbitrary(rng, files.len(), functions.len()));
    let libraries = match binding {
        Some(_) => rng.list(2, |rng| binding::arbitrary(rng, files.len(), functions.len())),
        None => Vec::new(),
    };
    if let Some(binding) = &mut binding {
        binding.merges = merges(rng, &functions);
    }
    Map {
        mpi_calls: at_some_points(rng, &functions, 4, |rng, function, point| MpiCall {
            function,
            point,
            arguments: rng.list(3, mpi_argument),
        }),
        handed: at_some_points(rng, &functions, 8, |rng, function, point| Handed {
            function,
            point,
            variable: local(rng),
            parameter: local(rng),
            callee: rng.id(functions.len()),
        }),
        address_taken: address_taken(rng, &functions),
        pointer_calls: at_some_points(rng, &functions, 8, |rng, function, point| PointerCall {
            function,
            point,
            arguments: rng.bits() as u8,
        }),
        handlers: at_some_points(rng, &functions, 8, |_, function, point| Handler {
            function,
            point,
        }),
        passed_constants: at_some_points(rng, &functions, 8, |rng, function, point| PassedConstant {
            function,
            point,
            register: rng.below(6) as u8,
            value: rng.bits() as i32,
        }),
        shown: at_some_points(rng, &functions, 8, |rng, function, point| Shown {
            function,
            point,
            variable: local(rng),
            to: rng.some(|rng| (rng.id(functions.len()), local(rng))),
        }),
        iterated: iterated(rng, &functions),
        inner_steps: inner_steps(rng, &functions),
        choices: choices(rng, &functions),
        decisive: decisive(rng, &functions),
        macros: macros(rng, &files),
        may_call: macros(rng, &files),
        files,
        functions,
        diagnostics,
        binding,
        libraries,
    }
}

fn address_taken(rng: &mut Rng, functions: &IdVec<FunctionId, Function>) -> Vec<AddressTaken> {
    let mut taken = Vec::new();
    for function in functions.ids() {
        let parameters = rng.some(|rng| rng.bits() as u8);
        let each = AddressTaken { function, parameters };
        taken.extend((rng.below(3) == 0).then_some(each));
    }
    taken
}

fn inner_steps(rng: &mut Rng, functions: &IdVec<FunctionId, Function>) -> Vec<InnerStep> {
    let steps = at_some_points(rng, functions, 8, |rng, function, point| {
        let callee: FunctionId = rng.id(functions.len());
        let there = functions[callee].points.len();
        (there > 0).then(|| InnerStep {
            function,
            point,
            callee,
            at: rng.id(there),
        })
    });
    steps.into_iter().flatten().collect()
}

/// What is made for one in `n` points, in their order.
fn at_some_points<T>(
    rng: &mut Rng,
    functions: &IdVec<FunctionId, Function>,
    n: usize,
    mut make: impl FnMut(&mut Rng, FunctionId, PointId) -> T,
) -> Vec<T> {
    let mut made = Vec::new();
    for (id, function) in functions.iter_enumerated() {
        for point in Vec::from_iter(function.points.ids().filter(|_| rng.one_in(n))) {
            made.push(make(rng, id, point));
        }
    }
    made
}

fn local(rng: &mut Rng) -> Storage {
    Storage::Local {
        name: rng.word(),
        line: rng.u32(),
    }
}

fn merges(rng: &mut Rng, functions: &IdVec<FunctionId, Function>) -> Vec<BoundMerge> {
    at_some_points(rng, functions, 8, |rng, function, shown| BoundMerge {
        function,
        shown,
        other: rng.pick(&Vec::from_iter(functions[function].points.ids())),
        return_address: NonZeroU64::new(u64::from(rng.u32())).filter(|_| rng.below(2) == 0),
    })
}

/// Over which objects iterators go, in their order.
fn iterated(rng: &mut Rng, functions: &IdVec<FunctionId, Function>) -> Vec<Iterated> {
    let mut all = Vec::new();
    for function in functions.ids().take(rng.below(functions.len() + 1)) {
        let container = match storage(rng, "") {
            Storage::Range { variable, line, .. } => Storage::Local { name: variable, line },
            storage => storage,
        };
        all.push(Iterated {
            function,
            iterator: local(rng),
            container,
        });
    }
    all
}

fn choices(rng: &mut Rng, functions: &IdVec<FunctionId, Function>) -> Vec<Choice> {
    let mut choices = Vec::new();
    for (id, function) in functions.iter_enumerated() {
        let points = Vec::from_iter(function.points.ids());
        for _ in 0..if points.is_empty() { 0 } else { rng.below(3) } {
            let more = rng.below(3);
            let mut bounds = Vec::from_iter((0..3 + more).map(|_| rng.pick(&points)));
            bounds.sort_unstable();
            choices.push(Choice { function: id, bounds });
        }
    }
    choices.sort();
    choices.dedup();
    choices
}

fn macros(rng: &mut Rng, files: &IdVec<FileId, File>) -> Vec<MacroCalls> {
    let mut macros = Vec::new();
    for file in files.ids() {
        macros.extend(rng.list(3, |rng| MacroCalls {
            file,
            name: rng.word(),
            callees: rng.list(3, Rng::word),
        }));
    }
    macros.sort();
    macros.dedup_by(|a, b| (a.file, &a.name) == (b.file, &b.name));
    macros
}

fn decisive(rng: &mut Rng, functions: &IdVec<FunctionId, Function>) -> Vec<DecisiveCall> {
    let mut found = Vec::new();
    for (function, body) in functions.iter_enumerated() {
        let points = body.points.iter_enumerated();
        let named = points.filter(|(_, point)| matches!(point.kind, PointKind::Call(_)));
        let named = Vec::from_iter(named.map(|(point, _)| point));
        for &point in &named {
            if rng.one_in(3) {
                let mut follow = Vec::from_iter((0..=rng.below(2)).map(|_| rng.pick(&named)));
                follow.sort_unstable();
                follow.dedup();
                found.push(DecisiveCall {
                    function,
                    point,
                    follow,
                });
            }
        }
    }
    found
}

fn mpi_argument(rng: &mut Rng) -> MpiArgument {
    MpiArgument {
        index: rng.below(12) as u8,
        text: rng.word(),
        term: rng.some(|rng| term(rng, 0)),
        settled: rng.one_in(2),
    }
}

/// A function that was understood whole, without anything in it.
pub fn bare_function(name: &str, file: FileId, span: Span) -> Function {
    Function::bare(name, file, span)
}

/// Says of the last function, which has no points yet, that whatever its variables lead to is its caller's.
pub fn hand_in(map: &mut Map) {
    let Some(id) = map.functions.ids().next_back() else {
        return;
    };
    let function = &mut map.functions[id];
    let point = function.points.push(Point {
        kind: PointKind::Entry,
        span: function.span,
        scope: ScopeId::from_index(0),
        innermost_loop: None,
        unsequenced: Vec::new(),
    });
    let lovs = function.loops.iter().flat_map(|in_loop| &in_loop.lovs);
    let roots = lovs.filter_map(|lov| lov.storage.local_root());
    map.shown.extend(roots.map(|variable| Shown {
        function: id,
        point,
        variable: variable.clone(),
        to: None,
    }));
    map.shown.sort();
    map.shown.dedup();
}

/// A strict variable that counts up by one from zero, proven: the plainest there is.
pub fn lov(name: &str) -> Lov {
    Lov {
        name: name.to_owned(),
        storage: Storage::Local {
            name: name.to_owned(),
            line: 1,
        },
        class: LovClass::Strict,
        direction: Direction::Up,
        growth: Growth::Additive,
        across: Across::SameSequence,
        assumption: Assumption::Proven,
        grounds: Grounds {
            moves: Moves::SameAmount,
            provenance: None,
            unseen: None,
        },
        cut: Cut::Updates,
        updates: Vec::new(),
        step: Some(Term::Constant(1)),
        start: Some(Term::Constant(0)),
        unsigned_bits: None,
    }
}
