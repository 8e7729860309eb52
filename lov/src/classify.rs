//! From the variables that a loop assigns to those that order it.

use crate::across::{self, Sharing};
use crate::candidate::{Candidate, LoopContext, candidates, globals_read};
use crate::change;
use crate::inner_step::{self, Stepped};
use crate::iterated;
use crate::range;
use crate::stability::{hidden_change, invariance};
use crate::step::{Step, step};
use base::mutant::{Mutant, on};
use dataflow::{Effort, FunctionIndex, Program, Touch};
use ir::{BinaryOp, Type};
use progress_map::{
    Across, Assumption, Cut, Direction, Grounds, Growth, Interference, Lov, LovClass, Moves, PointId,
    Provenance, ProvenanceKind, RangePart, Refusal, Refused, Storage, Term,
};
use std::collections::BTreeSet;

/// The variables of one loop.
#[derive(Default)]
pub(crate) struct Variables {
    /// Those that order it, best first.
    pub(crate) lovs: Vec<Lov>,
    /// Those that do not, with the reason.
    pub(crate) refused: Vec<Refused>,
    /// The calls that step those that do.
    pub(crate) stepped: Stepped,
}

/// The variables of every loop of a function.
pub(crate) fn loops_of(program: &Program<'_>, id: FunctionIndex) -> Vec<Variables> {
    let info = &program.functions[id];
    let read = globals_read(program, info);
    let effort = Effort::default();
    info.loops
        .loops
        .ids()
        .map(|in_loop| {
            let context = LoopContext {
                program,
                id,
                info,
                in_loop,
                effort: &effort,
            };
            variables(context, &read)
        })
        .collect()
}

fn variables(context: LoopContext<'_, '_>, read: &BTreeSet<&str>) -> Variables {
    let mut found = Variables::default();
    if !context.info.loops.loops[context.in_loop].reducible {
        return found;
    }
    let divided = context.info.flow.divided.contains(&context.header());
    // What a compiler keeps for itself has no name by which anybody could read it.
    let named = candidates(context, read).into_iter();
    for candidate in named.filter(|candidate| !candidate.name.is_empty()) {
        if divided {
            found.refused.push(Refused {
                name: candidate.name,
                why: Refusal::Divided,
            });
            continue;
        }
        match classify(context, &candidate) {
            Ok(lov) => {
                let stepped = inner_step::of_updates(context, &candidate.target, &lov.updates);
                found.stepped.extend(stepped);
                found.lovs.extend(position(&lov));
                found.lovs.push(lov);
            }
            Err(why) => found.refused.push(Refused {
                name: candidate.name,
                why,
            }),
        }
    }
    found.lovs.sort_by(|a, b| preference(a).cmp(&preference(b)));
    found
}

/// Where the first element of a range lies, debug info may not tell, and so not how many have been left behind. Within a task
/// the address of the one at hand tells as much.
fn position(index: &Lov) -> Option<Lov> {
    let Storage::Range { variable, line, .. } = &index.storage else {
        return None;
    };
    let storage = Storage::Range {
        variable: variable.clone(),
        line: *line,
        part: RangePart::Position,
    };
    Some(Lov {
        name: storage.to_string(),
        storage,
        across: Across::Nothing,
        assumption: Assumption::RankDependent,
        // Nothing but the loop can change the iterator, and where the range is does not matter.
        grounds: Grounds {
            moves: match index.class {
                LovClass::Strict => Moves::EveryCycle,
                LovClass::Weak => Moves::SomeCycles,
            },
            provenance: Some(Provenance::of(ProvenanceKind::Element)),
            unseen: None,
        },
        cut: Cut::Updates,
        step: None,
        start: None,
        ..index.clone()
    })
}

/// Best first: strict before weak, comparable across tasks before not, then what is cheapest to read and to trust.
fn preference(lov: &Lov) -> impl Ord + use<'_> {
    let across = match lov.across {
        Across::SameSequence => 0,
        Across::Relative => 1,
        Across::Nothing => 2,
    };
    (
        lov.class == LovClass::Weak,
        across,
        lov.assumption.max(lov.visible()),
        lov.growth != Growth::Additive,
        !matches!(lov.storage, Storage::Local { .. }),
        &lov.name,
    )
}

fn classify(context: LoopContext<'_, '_>, candidate: &Candidate) -> Result<Lov, Refusal> {
    let updates: Vec<PointId> = candidate.assignments.iter().map(|&(point, _)| point).collect();
    let mut steps = Vec::new();
    for &(point, by) in &candidate.assignments {
        steps.push((point, step(context, candidate, point, by)?));
    }
    let hidden = hidden_change(context, candidate);
    if let Touch::May(how) = hidden {
        return Err(Refusal::Interference(how));
    }
    let shape = shape(context, candidate, &steps, &updates)?;
    let sharing = across::sharing(context, candidate, &steps, &shape)?;
    // The weakest of what the variable, its steps and (where it counts) its start rest on.
    let operands = steps.iter().filter_map(|(_, step)| match step {
        Step::Add(_, operand) => *operand,
        _ => None,
    });
    let trust = operands
        .map(|operand| invariance(context, operand))
        .fold(hidden, Touch::max);
    let container = iterated::stays(context, candidate);
    if let Touch::May(how) = container {
        return Err(Refusal::Interference(how));
    }
    let trust = trust.max(container).max(stays(&candidate.storage));
    let trust = match trust.max(sharing.start_touch.clone()) {
        Touch::Leaves => None,
        Touch::Assumed(how) | Touch::May(how) => Some(how),
    };
    let Sharing {
        across,
        assumption,
        start,
        provenance,
        ..
    } = sharing;
    Ok(Lov {
        name: candidate.name.clone(),
        storage: candidate.storage.clone(),
        class: shape.class,
        direction: shape.direction,
        growth: shape.growth,
        across,
        assumption,
        grounds: Grounds {
            moves: shape.moves,
            provenance,
            unseen: trust,
        },
        cut: shape.cut,
        updates,
        step: shape.step,
        start,
        unsigned_bits: match candidate.ty {
            Type::Int {
                signed: Some(false),
                bits,
            } => bits,
            _ => None,
        },
    })
}

/// Elements are counted from where the range says that the first one is. The body may replace the range, or end its life, if it is on its
/// way out of the loop; most of that is seen when the index is read, but not all.
fn stays(storage: &Storage) -> Touch {
    match storage {
        Storage::Range { .. } => Touch::Assumed(Interference::RangeKept),
        _ => Touch::Leaves,
    }
}

/// How a variable moves, on one task.
pub(crate) struct Shape {
    pub class: LovClass,
    pub direction: Direction,
    pub growth: Growth,
    pub cut: Cut,
    /// The step, when all are the same.
    pub step: Option<Term>,
    /// All updates are alike, and their number since the header is the same on every path: then the branches that a task took in an iteration say nothing of
    /// its value, and need not be the same on all tasks.
    pub uniform: bool,
    moves: Moves,
}

fn shape(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    steps: &[(PointId, Step)],
    updates: &[PointId],
) -> Result<Shape, Refusal> {
    let strict = change::on_every_cycle(context, updates) || on(Mutant::WeakIsStrict);
    // On every path as many updates, and all alike: then the number of updates tells the value.
    let alike = steps.iter().all(|(_, step)| *step == steps[0].1);
    let each_once: Vec<(PointId, i64)> = updates.iter().map(|&point| (point, 1)).collect();
    let uniform =
        alike && change::offsets(context, &each_once).is_some_and(|counts| counts.per_iteration > 0);
    let class = if strict { LovClass::Strict } else { LovClass::Weak };
    let moves = if strict {
        Moves::EveryCycle
    } else {
        Moves::SomeCycles
    };
    let at_updates = |direction, growth| Shape {
        class,
        direction,
        growth,
        cut: Cut::Updates,
        step: None,
        uniform,
        moves,
    };
    if steps.iter().all(|(_, step)| matches!(step, Step::Shrink)) {
        shrinks(context, candidate, updates)?;
        return Ok(at_updates(Direction::Down, Growth::Multiplicative));
    }
    if steps.iter().all(|(_, step)| matches!(step, Step::Grow { .. })) {
        grows(context, candidate, steps)?;
        return Ok(at_updates(Direction::Up, Growth::Multiplicative));
    }
    if steps.iter().any(|(_, step)| matches!(step, Step::Vary { .. })) {
        let direction = one_way(steps)?.0;
        range::growing_steps(context, candidate, direction)?;
        return Ok(Shape {
            uniform: false,
            ..at_updates(direction, Growth::Additive)
        });
    }
    by_sums(
        context,
        candidate,
        steps,
        at_updates(Direction::Up, Growth::Additive),
    )
}

/// The shape of a variable that each step adds a term to. `plain` is what it is where the sum does not say more.
fn by_sums(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    steps: &[(PointId, Step)],
    plain: Shape,
) -> Result<Shape, Refusal> {
    let terms = steps.iter().map(|(_, step)| match step {
        Step::Add(term, _) => Some(term),
        _ => None,
    });
    let terms: Vec<&Term> = terms.collect::<Option<_>>().ok_or(Refusal::AddedAndMultiplied)?;
    let growth = match (candidate.ty, terms[0]) {
        (Type::Float { .. }, _) | (Type::Unknown, Term::Float(_)) => Growth::Floating,
        _ => Growth::Additive,
    };
    let constants = steps.iter().zip(&terms).map(|(&(point, _), term)| match term {
        Term::Constant(value) => Some((point, *value)),
        _ => None,
    });
    let constants: Option<Vec<(PointId, i64)>> = constants.collect();
    if growth == Growth::Additive
        && let Some(constants) = &constants
        && let Some(shape) = from_header_to_header(context, candidate, constants)?
    {
        return Ok(shape);
    }
    let (direction, step) = one_way(steps)?;
    if growth == Growth::Additive {
        stays_in_range(
            context,
            candidate,
            steps,
            constants.as_deref(),
            step.as_ref(),
            direction,
        )?;
    }
    let lossy = growth == Growth::Floating && may_round_off(context, candidate, step.as_ref());
    let by_updates = Shape {
        direction,
        growth,
        step,
        ..plain
    };
    Ok(if lossy {
        Shape {
            class: LovClass::Weak,
            moves: Moves::MayRoundOff,
            ..by_updates
        }
    } else {
        by_updates
    })
}

/// The shape of a variable whose constant steps add up to the same amount on all paths through an iteration: then steps of both signs are
/// fine, and the loop is cut at the header.
fn from_header_to_header(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    constants: &[(PointId, i64)],
) -> Result<Option<Shape>, Refusal> {
    if candidate.ty == Type::Pointer {
        return Ok(None);
    }
    let Some(offsets) = change::offsets(context, constants) else {
        return Ok(None);
    };
    let direction = match offsets.per_iteration.signum() {
        0 => return Err(Refusal::StepsCancelOut),
        1 => Direction::Up,
        _ => Direction::Down,
    };
    range::constant_steps(context, candidate, constants, direction)?;
    Ok(Some(Shape {
        class: LovClass::Strict,
        direction,
        growth: Growth::Additive,
        cut: Cut::Header {
            offsets: offsets.at,
            per_iteration: offsets.per_iteration,
        },
        step: Some(Term::Constant(offsets.per_iteration)),
        uniform: true,
        moves: Moves::SameAmount,
    }))
}

/// Multiplication moves a positive value only.
fn grows(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    steps: &[(PointId, Step)],
) -> Result<(), Refusal> {
    let least = if on(Mutant::ZeroGrows) { 0 } else { 1 };
    if !matches!(across::start_value(context, candidate), Some(Term::Constant(start)) if start >= least) {
        return Err(Refusal::StartNotPositive);
    }
    let factors = steps.iter().filter_map(|(point, step)| match step {
        Step::Grow { factor, offset } => Some((*point, *factor, *offset)),
        _ => None,
    });
    range::growth(context, candidate, factors)
}

/// Refuses an integer that additive steps may take around the end of its type.
fn stays_in_range(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    steps: &[(PointId, Step)],
    constants: Option<&[(PointId, i64)]>,
    common: Option<&Term>,
    direction: Direction,
) -> Result<(), Refusal> {
    if let Some(constants) = constants {
        return range::constant_steps(context, candidate, constants, direction);
    }
    let known = |(point, step): &(PointId, Step)| Some((*point, known_amount(context, step)?));
    let known = steps.iter().map(known).collect::<Option<Vec<_>>>();
    match known {
        Some(known) if known.iter().all(|(_, amount)| *amount != 0) => {
            let up = known.iter().all(|(_, amount)| *amount > 0);
            let towards = if up { Direction::Up } else { Direction::Down };
            range::constant_steps(context, candidate, &known, towards)
        }
        _ => range::variable_steps(context, candidate, common),
    }
}

/// Whether rounding may swallow a step of a floating-point number. Of several steps it cannot be told whether the smallest is
/// swallowed, and single precision loses steps early.
fn may_round_off(context: LoopContext<'_, '_>, candidate: &Candidate, step: Option<&Term>) -> bool {
    if on(Mutant::AbsorptionIgnored) {
        return false;
    }
    let Some(step) = step else {
        return true;
    };
    let absorbed = match (across::start_value(context, candidate), step) {
        (Some(Term::Float(start)), Term::Float(step)) => step.abs() <= 2.0 * f64::EPSILON * start.abs(),
        _ => false,
    };
    absorbed || candidate.ty == (Type::Float { bits: 32 })
}

/// The amount of a step, where it is a constant or a variable that has been set to one.
fn known_amount(context: LoopContext<'_, '_>, step: &Step) -> Option<i64> {
    let negated = match step {
        Step::Add(Term::Constant(amount), _) => return Some(*amount),
        Step::Add(Term::Variable { negated, .. }, _) => *negated,
        _ => return None,
    };
    let Step::Add(_, Some(operand)) = step else {
        return None;
    };
    let target = dataflow::target_of(context.info.function, *operand);
    match across::start_of(context, &target)? {
        (Term::Constant(amount), _) if negated => amount.checked_neg(),
        (Term::Constant(amount), _) => Some(amount),
        _ => None,
    }
}

/// The common direction of additive steps, and the step itself when all are the same.
fn one_way(steps: &[(PointId, Step)]) -> Result<(Direction, Option<Term>), Refusal> {
    let common = match &steps[0].1 {
        Step::Add(term, _) if steps.iter().all(|(_, step)| *step == steps[0].1) => Some(term.clone()),
        _ => None,
    };
    if let Some(step @ (Term::Variable { .. } | Term::Arithmetic { .. })) = common {
        return Ok((Direction::SignOfStep, Some(step)));
    }
    let sign = |step: &Step| match step {
        Step::Add(Term::Constant(value), _) => Ok(*value > 0),
        Step::Add(Term::Float(value), _) => Ok(*value > 0.0),
        Step::Add(term, _) => Err(Refusal::DirectionUnknown { step: term.clone() }),
        Step::Vary { up, .. } => Ok(*up),
        Step::Grow { .. } | Step::Shrink => Err(Refusal::AddedAndMultiplied),
    };
    let up = sign(&steps[0].1)?;
    for (_, step) in steps {
        if sign(step)? != up {
            return Err(Refusal::MovesBothWays);
        }
    }
    Ok((if up { Direction::Up } else { Direction::Down }, common))
}

/// Division moves a positive value only: one update in each iteration, after the loop's condition has said that it is
/// positive.
fn shrinks(context: LoopContext<'_, '_>, candidate: &Candidate, updates: &[PointId]) -> Result<(), Refusal> {
    let direct = context.info.loops.innermost[updates[0]] == Some(context.in_loop);
    let unsigned = matches!(
        candidate.ty,
        Type::Int {
            signed: Some(false),
            ..
        }
    );
    // A test at the end lets the first iteration pass untested.
    let (bounds, tested_first) = range::bounds(context, candidate);
    let positive = tested_first
        && bounds.iter().any(|bound| match (bound.op, bound.constant) {
            (BinaryOp::Gt, Some(bound)) => bound >= 0,
            (BinaryOp::Ge, Some(bound)) => bound >= 1,
            (BinaryOp::Ne, Some(0)) => unsigned,
            _ => false,
        });
    if updates.len() == 1 && direct && positive {
        Ok(())
    } else {
        Err(Refusal::StandsAtZero)
    }
}
