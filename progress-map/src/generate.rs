//! Maps made up from a seed, for tests, fuzzers and measurements. Only with the feature `generate`.
//!
//! [`arbitrary`] makes small valid maps with every variant and every corner of the number ranges; [`synthetic`]
//! (in [`program`]) makes maps of the shape that real C code has.

mod binding;
mod program;

pub use binding::bind;
pub use program::synthetic;

use crate::format::Packing;
use crate::{
    Across, Assumption, BoundMerge, Choice, Cut, DecisiveCall, Direction, File, FileId, Function, FunctionId,
    Growth, Handed, InnerStep, Interference, Iterated, Loop, LoopId, LoopSource, Lov, LovClass, MacroCalls,
    Map, MpiArgument, MpiCall, Outsider, Point, PointId, PointKind, RangePart, Refusal, Refused, Scope,
    ScopeId, ScopeKind, Shown, Storage, Term, TermOp, Unsequenced,
};
use base::{Cause, Confidence, Diagnostic, Doubt, Id, IdVec, Reading, Severity, Span};
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

/// SplitMix64: the same numbers for the same seed, for ever.
pub struct Rng(pub u64);

impl Rng {
    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of `choices`, which are not none.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A number of any magnitude: each number of bits is as likely as any other.
    pub fn magnitude(&mut self) -> u64 {
        let bits = self.below(65) as u32;
        self.bits().checked_shr(64 - bits).unwrap_or(0)
    }

    fn u32(&mut self) -> u32 {
        (self.magnitude() >> 32) as u32 ^ self.below(4) as u32
    }

    fn hash(&mut self) -> [u8; 32] {
        std::array::from_fn(|_| self.bits() as u8)
    }

    fn some<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.one_in(2) { Some(make(self)) } else { None }
    }

    fn list<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| make(self)).collect()
    }

    fn id<I: Id>(&mut self, count: usize) -> I {
        I::from_index(self.below(count))
    }

    /// Up to `most` ids, sorted, none twice.
    fn ids<I: Id>(&mut self, most: usize, count: usize) -> Vec<I> {
        let set = BTreeSet::from_iter(self.list(most, |rng| rng.below(count)));
        set.into_iter().map(I::from_index).collect()
    }

    fn word(&mut self) -> String {
        let words = [
            "",
            "i",
            "s->step",
            "größe",
            "operator<<",
            "MPI_Allreduce",
            "a\0b \0",
            "x\ny",
            "line 12 at 4294967295, 007, 4294967296 ",
            "0 x2 2nd größe7 7",
        ];
        let mut word = self.pick(&words).to_owned();
        if self.one_in(3) {
            word.push_str(&self.below(1000).to_string());
        }
        word
    }

    fn span(&mut self) -> Span {
        let (a, b) = (self.u32(), self.u32());
        Span {
            line: a.min(b),
            column: self.u32(),
            end_line: a.max(b),
            end_column: self.u32(),
        }
    }
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
    Function {
        name: name.to_owned(),
        linkage_name: None,
        file,
        is_static: false,
        span,
        confidence: Confidence::Clean,
        confidence_reason: None,
        reading: Reading::AsWritten,
        points: IdVec::new(),
        edges: Vec::new(),
        scopes: IdVec::new(),
        loops: IdVec::new(),
    }
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
        because: "start and step are constants".to_owned(),
        cut: Cut::Updates,
        updates: Vec::new(),
        step: Some(Term::Constant(1)),
        start: Some(Term::Constant(0)),
        visible: Assumption::Proven,
        unsigned_bits: None,
    }
}

fn function(rng: &mut Rng, files: usize) -> Function {
    let span = rng.span();
    let points = if rng.one_in(8) { 0 } else { 2 + rng.below(12) };
    let loops = if points == 0 { 0 } else { rng.below(4) };
    let scopes = if points == 0 { 0 } else { 1 + rng.below(5) };
    let mut edges = BTreeSet::new();
    for from in (0..points).map(PointId::from_index) {
        if from.index() + 1 < points && !rng.one_in(4) {
            edges.insert((from, PointId::from_index(from.index() + 1)));
        }
        edges.extend(rng.list(2, |rng| (from, rng.id(points))));
    }
    Function {
        name: rng.word(),
        linkage_name: rng.some(Rng::word),
        file: rng.id(files),
        is_static: rng.one_in(2),
        span,
        confidence: rng.pick(&Confidence::ALL),
        confidence_reason: rng.some(|rng| Doubt::about(rng.pick(Cause::ALL), rng.word(), rng.u32())),
        reading: rng.pick(&Reading::ALL),
        points: (0..points)
            .map(|i| point(rng, i, [points, scopes, loops], span))
            .collect(),
        edges: Vec::from_iter(edges),
        scopes: (0..scopes).map(|i| scope(rng, i, loops)).collect(),
        loops: (0..loops).map(|i| a_loop(rng, i, points)).collect(),
    }
}

fn point(rng: &mut Rng, index: usize, [points, scopes, loops]: [usize; 3], function: Span) -> Point {
    let inner = [
        PointKind::Eval,
        PointKind::Return,
        PointKind::Branch,
        PointKind::IndirectCall,
        PointKind::Call(rng.word()),
        PointKind::MacroCall(rng.word()),
    ];
    let kind = match index {
        0 => PointKind::Entry,
        _ if index == points - 1 => PointKind::Exit,
        _ => inner[rng.below(inner.len())].clone(),
    };
    let mut unsequenced = rng.list(2, |rng| Unsequenced {
        group: rng.u32(),
        operand: rng.u32(),
    });
    unsequenced.sort();
    Point {
        kind,
        span: if rng.one_in(3) { function } else { rng.span() },
        scope: rng.id(scopes),
        innermost_loop: match loops {
            0 => None,
            _ => rng.some(|rng| rng.id(loops)),
        },
        unsequenced,
    }
}

fn scope(rng: &mut Rng, index: usize, loops: usize) -> Scope {
    let some_loop = match loops {
        0 => None,
        _ => rng.some(|rng| rng.id::<LoopId>(loops)),
    };
    let kinds = [
        ScopeKind::Block,
        ScopeKind::Loop(some_loop),
        ScopeKind::Branch,
        ScopeKind::Arm(rng.u32()),
    ];
    let span = rng.span();
    Scope {
        parent: (index > 0).then(|| rng.id::<ScopeId>(index)),
        kind: if index == 0 {
            ScopeKind::Function
        } else {
            rng.pick(&kinds)
        },
        line: span.line,
        end_line: span.end_line,
    }
}

fn a_loop(rng: &mut Rng, index: usize, points: usize) -> Loop {
    Loop {
        parent: match index {
            0 => None,
            _ => rng.some(|rng| rng.id(index)),
        },
        source: rng.pick(&[
            LoopSource::While,
            LoopSource::DoWhile,
            LoopSource::For,
            LoopSource::Goto,
        ]),
        span: rng.span(),
        header: rng.id(points),
        reducible: !rng.one_in(4),
        lovs: rng.list(2, |rng| arbitrary_lov(rng, points)),
        refused: rng.list(2, |rng| Refused {
            name: rng.word(),
            why: refusal(rng),
        }),
    }
}

fn refusal(rng: &mut Rng) -> Refusal {
    let line = rng.u32();
    match rng.below(16) {
        0 => Refusal::Divided,
        1 => Refusal::UnknownStep { line },
        2 => Refusal::FractionAdded { line },
        3 => Refusal::StepTooLarge {
            line,
            value: rng.magnitude().cast_signed(),
        },
        4 => Refusal::StepMayBeTooLarge { line },
        5 => Refusal::MovesBothWays,
        6 => Refusal::StepsCancelOut,
        7 => Refusal::DirectionUnknown { step: term(rng, 0) },
        8 => Refusal::AddedAndMultiplied,
        9 => Refusal::StartNotPositive,
        10 => Refusal::GrowsWithoutBound,
        11 => Refusal::StandsAtZero,
        12 => Refusal::WrapsAround {
            bits: rng.pick(&[None, Some(8), Some(64)]),
        },
        13 => Refusal::ReadInPart { because: rng.word() },
        _ => Refusal::Interference(interference(rng, 0)),
    }
}

fn interference(rng: &mut Rng, paths: usize) -> Interference {
    let (line, name) = (rng.u32(), format!("f{}", rng.word()));
    match rng.below(24) {
        0 => Interference::NoVariable,
        1 => Interference::ThroughPointer,
        2 => Interference::Static,
        3 => Interference::AddressTaken,
        4 => Interference::MemberAddressTaken { member: name },
        5 => Interference::Union { member: name },
        6 => Interference::RootThroughPointer { root: name },
        7 => Interference::OtherPath { line },
        8 => Interference::PathAssigned { line },
        9 => Interference::PointerWrite { line },
        10 => Interference::Hidden { line },
        11 => Interference::Unsequenced { line },
        12 => Interference::InLoop,
        13 => Interference::OnTheWay,
        14 => Interference::SetByCall { line },
        15 => Interference::ByFunction { function: name },
        16 => Interference::WrittenOver { function: name },
        17 => Interference::ByMacro { name },
        18 => Interference::Unmapped(outsider(rng)),
        19 => Interference::CallsBack {
            outsider: outsider(rng),
            function: name,
        },
        20 => Interference::Promised {
            callee: outsider(rng),
        },
        21 => Interference::UnmappedLeaves(outsider(rng)),
        22 if paths < 4 => Interference::Path(Box::new(interference(rng, paths + 1))),
        _ => Interference::RangeKept,
    }
}

fn outsider(rng: &mut Rng) -> Outsider {
    if rng.one_in(4) {
        Outsider::BehindPointer
    } else {
        Outsider::Named(format!("g{}", rng.word()))
    }
}

fn arbitrary_lov(rng: &mut Rng, points: usize) -> Lov {
    let name = rng.word();
    let offsets = rng.ids::<PointId>(3, points);
    let cut = Cut::Header {
        offsets: Vec::from_iter(offsets.into_iter().map(|p| (p, rng.magnitude().cast_signed()))),
        per_iteration: rng.magnitude().cast_signed() | 1,
    };
    Lov {
        storage: storage(rng, &name),
        name,
        class: rng.pick(&[LovClass::Strict, LovClass::Weak]),
        direction: rng.pick(&[Direction::Up, Direction::Down, Direction::SignOfStep]),
        growth: rng.pick(&[Growth::Additive, Growth::Multiplicative, Growth::Floating]),
        across: rng.pick(&[Across::SameSequence, Across::Relative, Across::Nothing]),
        assumption: rng.pick(&[Assumption::Proven, Assumption::Assumed, Assumption::RankDependent]),
        because: rng.word(),
        cut: if rng.one_in(2) { Cut::Updates } else { cut },
        updates: rng.ids(3, points),
        step: rng.some(|rng| term(rng, 0)),
        start: rng.some(|rng| term(rng, 0)),
        visible: rng.pick(&[Assumption::Proven, Assumption::Assumed]),
        unsigned_bits: rng.pick(&[None, Some(8), Some(16), Some(32), Some(64)]),
    }
}

fn term(rng: &mut Rng, depth: usize) -> Term {
    let name = rng.word();
    match rng.below(if depth < Term::MAX_DEPTH { 4 } else { 3 }) {
        0 => Term::Constant(rng.magnitude().cast_signed()),
        // Never NaN, which would not equal itself.
        1 => Term::Float(f64::from(rng.u32()) * 0.37 - 1.0),
        2 => Term::Variable {
            storage: storage(rng, &name),
            name,
            negated: rng.one_in(2),
        },
        _ => Term::Arithmetic {
            op: rng.pick(&[TermOp::Add, TermOp::Sub, TermOp::Mul, TermOp::Div, TermOp::Rem]),
            operands: Box::new([term(rng, depth + 1), term(rng, depth + 1)]),
        },
    }
}

fn storage(rng: &mut Rng, listed: &str) -> Storage {
    let name = if rng.one_in(2) {
        listed.to_owned()
    } else {
        rng.word()
    };
    let mut storage = match rng.below(3) {
        0 => Storage::Global { name },
        1 => Storage::Range {
            variable: name,
            line: rng.u32(),
            part: rng.pick(&[RangePart::Index, RangePart::Position]),
        },
        _ => Storage::Local {
            name,
            line: rng.u32(),
        },
    };
    let steps = match storage {
        Storage::Range { .. } => 0,
        _ => rng.pick(&[0, 0, 1, 2, 5, 64]),
    };
    for _ in 0..steps {
        storage = match rng.below(3) {
            0 => Storage::Pointee(Box::new(storage)),
            arrow => Storage::Member {
                base: Box::new(storage),
                member: rng.word(),
                arrow: arrow == 1,
            },
        };
    }
    storage
}
