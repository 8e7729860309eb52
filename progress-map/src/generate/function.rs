//! A function of a map with every variant that its parts have.

use super::Rng;
use crate::{
    Across, Assumption, Cut, Direction, Function, Grounds, Growth, Interference, Loop, LoopId, LoopSource,
    Lov, LovClass, Moves, Outsider, Point, PointId, PointKind, Provenance, ProvenanceKind, RangePart,
    Refusal, Refused, Scope, ScopeId, ScopeKind, Storage, Term, TermOp, Unsequenced,
};
use base::{Cause, Confidence, Doubt, Id, Reading, Span};
use std::collections::BTreeSet;

pub(super) fn function(rng: &mut Rng, files: usize) -> Function {
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
        confidence_reason: doubt(rng),
        reading: rng.pick(&Reading::ALL),
        points: (0..points)
            .map(|i| point(rng, i, [points, scopes, loops], span))
            .collect(),
        edges: Vec::from_iter(edges),
        scopes: (0..scopes).map(|i| scope(rng, i, loops)).collect(),
        loops: (0..loops).map(|i| a_loop(rng, i, points)).collect(),
    }
}

pub(super) fn point(
    rng: &mut Rng,
    index: usize,
    [points, scopes, loops]: [usize; 3],
    function: Span,
) -> Point {
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

pub(super) fn scope(rng: &mut Rng, index: usize, loops: usize) -> Scope {
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

pub(super) fn a_loop(rng: &mut Rng, index: usize, points: usize) -> Loop {
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

pub(super) fn refusal(rng: &mut Rng) -> Refusal {
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
        13 => Refusal::ReadInPart { because: doubt(rng) },
        _ => Refusal::Interference(interference(rng, 0)),
    }
}

pub(super) fn interference(rng: &mut Rng, paths: usize) -> Interference {
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

pub(super) fn outsider(rng: &mut Rng) -> Outsider {
    if rng.one_in(4) {
        Outsider::BehindPointer
    } else {
        Outsider::Named(format!("g{}", rng.word()))
    }
}

fn doubt(rng: &mut Rng) -> Option<Doubt> {
    rng.some(|rng| Doubt::about(rng.pick(Cause::ALL), rng.word(), rng.u32()))
}

fn grounds(rng: &mut Rng) -> Grounds {
    let provenance = rng.some(|rng| {
        if rng.one_in(4) {
            return Provenance::Kept(interference(rng, 0));
        }
        let kind = rng.pick(ProvenanceKind::ALL);
        let about = kind.is_about();
        let name = |rng: &mut Rng, is_there| if is_there { rng.word() } else { String::new() };
        Provenance::From {
            kind,
            variable: name(rng, about.variable),
            function: name(rng, about.function),
            line: if about.line { rng.u32() } else { 0 },
        }
    });
    Grounds {
        moves: rng.pick(Moves::ALL),
        provenance,
        unseen: rng.some(|rng| interference(rng, 0)),
    }
}

pub(super) fn arbitrary_lov(rng: &mut Rng, points: usize) -> Lov {
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
        grounds: grounds(rng),
        cut: if rng.one_in(2) { Cut::Updates } else { cut },
        updates: rng.ids(3, points),
        step: rng.some(|rng| term(rng, 0)),
        start: rng.some(|rng| term(rng, 0)),
        unsigned_bits: rng.pick(&[None, Some(8), Some(16), Some(32), Some(64)]),
    }
}

pub(super) fn term(rng: &mut Rng, depth: usize) -> Term {
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

pub(super) fn storage(rng: &mut Rng, listed: &str) -> Storage {
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
