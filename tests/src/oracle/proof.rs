//! Whether the proof of a verdict holds, worked out again.
//!
//! A verdict names what it rests on: loops in which both tasks are in the same iteration, then the values, the flow or the
//! names that differ. Each is held against the recorded stacks and the map: the values must be those recorded in a
//! frame that stands in that loop, they must stand as the relation says, and what the flow is said to do must come out
//! of an own search of the map's edges ([`flow`]). Nothing of `progress` is used but its types and the proof itself.

use super::judge::Verdict as Said;
use progress::{
    Decided, ExecutionPoint, Located, Order, Reason, Relation, SameEpoch, Value, Verdict, WhySilent,
};
use progress_map::{Across, Cut, Direction, Function, LoopId, Lov, LovClass, Map, PointId, Term, TermOp};
use snapshot::Task;
use std::cmp::Ordering;
use std::collections::BTreeSet;

mod flow;

/// Checks proofs about the tasks of one map.
pub struct Prover<'m> {
    map: &'m Map,
    order: Order<'m>,
}

/// The two recorded frames that a part of a proof is about.
#[derive(Clone, Copy)]
struct Frames<'a> {
    function: &'a Function,
    a: &'a snapshot::Frame,
    b: &'a snapshot::Frame,
    same_task: bool,
}

/// A word for why a variable does not tell.
fn silence(why: &WhySilent) -> &'static str {
    match why {
        WhySilent::Refused(refusal) => refusal.code(),
        WhySilent::NotAcrossTasks(_) => "not-across-tasks",
        WhySilent::Unread(_) => "unread",
        WhySilent::Weak(_) => "weak",
        WhySilent::MayBeBelowZero(_) => "may-be-below-zero",
        WhySilent::NotANumber => "not-a-number",
        WhySilent::SignsDiffer => "signs-differ",
        WhySilent::StepIsZero => "step-is-zero",
        WhySilent::Absorbed { .. } => "step-absorbed",
        WhySilent::InexactSteps => "inexact-steps",
        WhySilent::BetweenSteps { .. } => "between-steps",
        WhySilent::Term { .. } => "start-or-step-unknown",
    }
}

type Checked = Result<(), String>;

impl<'m> Prover<'m> {
    /// Prepares for the tasks of `map`.
    #[must_use]
    pub fn new(map: &'m Map) -> Self {
        let order = Order::new(map);
        Self { map, order }
    }

    /// A task as the order sees it.
    #[must_use]
    pub fn locate(&self, task: &Task) -> Located {
        self.order.locate(&execution_point(task))
    }

    /// What is wrong with the proof of `said` about two tasks, if anything is. What was not decided needs no proof.
    #[must_use]
    pub fn flaw(
        &self,
        (a, at_a): (&Task, &Located),
        (b, at_b): (&Task, &Located),
        said: &Said,
    ) -> Option<String> {
        let relation = match said {
            Said::Before => Relation::Before,
            Said::After => Relation::After,
            Said::Equal => Relation::Equal,
            Said::Incomparable => Relation::Incomparable,
            Said::Unknown(_) => return None,
        };
        let verdict = self.order.compare(at_a, at_b);
        if verdict.relation != relation {
            return Some(format!("the library says {}", verdict.relation.word()));
        }
        self.holds(a, b, &verdict).err()
    }

    /// Of what kind the reason is for which the order of two tasks is not known: its code, and those of the variables
    /// that do not tell the iteration of a loop. `None` when the order is known.
    #[must_use]
    pub fn kind(&self, at_a: &Located, at_b: &Located) -> Option<String> {
        match &self.order.compare(at_a, at_b).proof.decided {
            Decided::Nothing(Reason::NoVariable { silent, .. }) if silent.is_empty() => {
                Some("loop-without-variable (nothing changes)".to_owned())
            }
            Decided::Nothing(reason @ Reason::NoVariable { silent, .. }) => {
                let kinds = BTreeSet::from_iter(silent.iter().map(|variable| silence(&variable.why)));
                Some(format!(
                    "{} ({})",
                    reason.code(),
                    Vec::from_iter(kinds).join(", ")
                ))
            }
            Decided::Nothing(reason) => Some(reason.code().to_owned()),
            _ => None,
        }
    }

    fn holds(&self, a: &Task, b: &Task, verdict: &Verdict) -> Checked {
        let same_task = a.rank.is_some() && a.rank == b.rank;
        let proof = &verdict.proof;
        let (a, b) = (self.in_program(a), self.in_program(b));
        let mut last = None;
        for same in &proof.same {
            let function = &self.map.functions[same.function];
            let stands = |(a, b): &(&'_ snapshot::Frame, &'_ snapshot::Frame)| {
                let frames = Frames {
                    function,
                    a,
                    b,
                    same_task,
                };
                a.function == function.name && b.function == function.name && same_iteration(frames, same)
            };
            let frames = a.iter().copied().zip(b.iter().copied());
            if !frames.take(proof.depth + 1).any(|frames| stands(&frames)) {
                return Err(format!("no frames are in one iteration as {same:?} has it"));
            }
            last = (Some(same.function) == proof.function).then_some(same);
        }
        let function = proof.function.map(|id| &self.map.functions[id]);
        let frames = match (function, a.get(proof.depth), b.get(proof.depth)) {
            (Some(function), Some(a), Some(b)) => Some(Frames {
                function,
                a,
                b,
                same_task,
            }),
            _ => None,
        };
        match (&proof.decided, frames) {
            (Decided::Iteration { in_loop, name, a, b }, Some(frames)) => {
                iteration(frames, *in_loop, name, (*a, *b), verdict.relation)
            }
            (Decided::Flow { a, b }, Some(frames)) => {
                stands_on(frames.function, *a, frames.a)?;
                stands_on(frames.function, *b, frames.b)?;
                flow::relation_holds(frames.function, last, (*a, *b), verdict.relation)
            }
            (Decided::SamePoint, _) => same_lines(&a, &b, proof.depth),
            (Decided::Callees { a: x, b: y }, _) => {
                let name =
                    |frames: &[&snapshot::Frame]| frames.get(proof.depth).map(|frame| frame.function.clone());
                if name(&a).as_ref() == Some(x) && name(&b).as_ref() == Some(y) && x != y {
                    Ok(())
                } else {
                    Err(format!("the frames are not in {x} and {y}"))
                }
            }
            // Made-up stacks have no machine code.
            (Decided::NotBegun(_), _) => Err("decided by a library that is not there".to_owned()),
            (Decided::Stages { .. }, _) => {
                Err("decided by what is outside of main, where nothing is".to_owned())
            }
            (Decided::Code(_) | Decided::Iterations { .. }, _) => {
                Err("decided by machine code that is not there".to_owned())
            }
            (Decided::Nothing(reason), _) => Err(format!("decided by nothing: {reason}")),
            (Decided::Iteration { .. } | Decided::Flow { .. }, None) => {
                Err("the deciding frame does not exist".to_owned())
            }
        }
    }

    /// The frames from the outermost function of the map on: proofs count from there.
    fn in_program<'t>(&self, task: &'t Task) -> Vec<&'t snapshot::Frame> {
        let known = |frame: &&snapshot::Frame| self.map.functions.iter().any(|f| f.name == frame.function);
        task.frames.iter().skip_while(|frame| !known(frame)).collect()
    }
}

fn execution_point(task: &Task) -> ExecutionPoint {
    let frame = |frame: &snapshot::Frame| progress::Frame {
        function: frame.function.clone(),
        file: frame.file.clone(),
        line: frame.line,
        column: frame.column,
        values: frame
            .values
            .keys()
            .filter_map(|name| Some((name.clone(), recorded(frame, name)?)))
            .collect(),
        missing: frame.missing.clone(),
        inexact: frame.inexact,
        straight: frame.straight,
        ..progress::Frame::default()
    };
    ExecutionPoint {
        task: task.task.clone(),
        rank: task.rank,
        pid: task.pid,
        frames: task.frames.iter().map(frame).collect(),
        beneath: None,
        incomplete: None,
    }
}

fn recorded(frame: &snapshot::Frame, name: &str) -> Option<Value> {
    match frame.values.get(name)? {
        snapshot::Value::Integer(value) => Some(Value::Int((*value).into())),
        snapshot::Value::Unsigned(value) => Some(Value::Int((*value).into())),
        snapshot::Value::Float(value) => Some(Value::Float(*value)),
        snapshot::Value::Other(_) => None,
    }
}

fn stands_on(function: &Function, point: PointId, frame: &snapshot::Frame) -> Checked {
    let span = function.points[point].span;
    match frame.line {
        Some(line) if span.covers_line(line) => Ok(()),
        // gcc numbers a call in the arguments of another one like that one.
        Some(line)
            if on_line(function, line)
                .iter()
                .any(|&p| function.points[p].span.contains(span)) =>
        {
            Ok(())
        }
        line => Err(format!("line {line:?} is not that of {point:?}, {span:?}")),
    }
}

fn on_line(function: &Function, line: u32) -> Vec<PointId> {
    let covers = |point: &PointId| {
        let span = function.points[*point].span;
        !span.is_empty() && span.covers_line(line)
    };
    function.points.ids().filter(covers).collect()
}

/// Whether both frames stand in the loop with the values named, and those mean one iteration.
fn same_iteration(frames: Frames<'_>, same: &SameEpoch) -> bool {
    read_as_named(frames, &same.name, (same.a, same.b)).is_ok()
        && by_name(frames, same.in_loop, &same.name).any(|lov| {
            (lov.class == LovClass::Strict || frames.same_task)
                && compared(frames, same.in_loop, lov, (same.a, same.b))
                    .any(|ordering| ordering == Ordering::Equal)
        })
}

fn iteration(
    frames: Frames<'_>,
    in_loop: LoopId,
    name: &str,
    values: (Value, Value),
    relation: Relation,
) -> Checked {
    read_as_named(frames, name, values)?;
    let expected = match relation {
        Relation::Before => Ordering::Less,
        Relation::After => Ordering::Greater,
        other => return Err(format!("different iterations, and {}", other.word())),
    };
    let holds = by_name(frames, in_loop, name)
        .any(|lov| compared(frames, in_loop, lov, values).any(|ordering| ordering == expected));
    if holds {
        Ok(())
    } else {
        Err(format!("{name}: {} and {} do not stand so", values.0, values.1))
    }
}

fn read_as_named(frames: Frames<'_>, name: &str, (a, b): (Value, Value)) -> Checked {
    if recorded(frames.a, name) == Some(a) && recorded(frames.b, name) == Some(b) {
        Ok(())
    } else {
        Err(format!("{name} was not read as {a} and {b}"))
    }
}

/// The variables of a loop by that name which may be used for these frames.
fn by_name<'f>(frames: Frames<'f>, in_loop: LoopId, name: &str) -> impl Iterator<Item = &'f Lov> {
    let lovs = frames.function.loops[in_loop].lovs.iter();
    lovs.filter(move |lov| lov.name == name && (frames.same_task || lov.across != Across::Nothing))
}

/// How the iterations may stand that the values mean, for each way of placing the frames on their lines.
fn compared<'f>(
    frames: Frames<'f>,
    in_loop: LoopId,
    lov: &'f Lov,
    (a, b): (Value, Value),
) -> impl Iterator<Item = Ordering> + use<'f> {
    let count = |frame, value| -> Vec<Value> {
        let changes = changes_on_line(frames.function, in_loop, lov, frame);
        let numbers = changes.into_iter().filter_map(|change| {
            let value = match value {
                Value::Int(value) => Value::Int(value - change),
                float => float,
            };
            if !frames.same_task && lov.across == Across::Relative {
                steps_from_start(lov, frame, value)
            } else {
                Some(turned(value, sign(lov, frame)?))
            }
        });
        numbers.collect()
    };
    let (left, right) = (count(frames.a, a), count(frames.b, b));
    let pairs = left.into_iter().flat_map(move |x| {
        let right = right.clone();
        right.into_iter().map(move |y| (x, y))
    });
    pairs.filter_map(|(x, y)| match (x, y) {
        (Value::Int(x), Value::Int(y)) => Some(x.cmp(&y)),
        (Value::Float(x), Value::Float(y)) => x.partial_cmp(&y),
        _ => None,
    })
}

/// By how much the variable may have moved since the header, for a task on the frame's line inside the loop; empty when no
/// point of the loop is there.
fn changes_on_line(function: &Function, in_loop: LoopId, lov: &Lov, frame: &snapshot::Frame) -> Vec<i128> {
    let Some(line) = frame.line else { return Vec::new() };
    let direct = on_line(function, line);
    // A call in the arguments of one that is there may stand on a line of its own.
    let near = function.points.ids().filter(|&p| {
        let span = function.points[p].span;
        direct
            .iter()
            .any(|&outer| function.points[outer].span.contains(span))
    });
    let inside: Vec<PointId> = near
        .filter(|&point| flow::lies_in(function, point, in_loop))
        .collect();
    let Cut::Header {
        offsets,
        per_iteration,
    } = &lov.cut
    else {
        return if inside.is_empty() { Vec::new() } else { vec![0] };
    };
    let at = |point: PointId| {
        let known = offsets.iter().find(|(other, _)| *other == point);
        known.map_or(0, |&(_, offset)| i128::from(offset))
    };
    let header = function.loops[in_loop].header;
    let mut changes = Vec::new();
    for point in inside {
        changes.push(at(point));
        let next = function.edges.iter().filter(|&&(from, _)| from == point);
        changes.extend(next.map(|&(_, to)| {
            if to == header {
                i128::from(*per_iteration)
            } else {
                at(to)
            }
        }));
    }
    changes.sort_unstable();
    changes.dedup();
    changes
}

fn sign(lov: &Lov, frame: &snapshot::Frame) -> Option<i8> {
    match lov.direction {
        Direction::Up => Some(1),
        Direction::Down => Some(-1),
        Direction::SignOfStep => match evaluate(lov.step.as_ref()?, frame)? {
            Value::Int(step) => i8::try_from(step.signum()).ok(),
            Value::Float(step) => Some(if step > 0.0 { 1 } else { -1 }),
        },
    }
}

fn turned(value: Value, sign: i8) -> Value {
    match value {
        Value::Int(value) => Value::Int(value * i128::from(sign)),
        Value::Float(value) => Value::Float(value * f64::from(sign)),
    }
}

/// How many steps lie between the start and `value`: a whole number, or it proves nothing.
fn steps_from_start(lov: &Lov, frame: &snapshot::Frame, value: Value) -> Option<Value> {
    let step = match &lov.cut {
        Cut::Header { per_iteration, .. } => i128::from(*per_iteration),
        Cut::Updates => whole(evaluate(lov.step.as_ref()?, frame)?)?,
    };
    let change = whole(value)? - whole(evaluate(lov.start.as_ref()?, frame)?)?;
    // An unsigned variable that went around has moved on all the same.
    let change = match lov.unsigned_bits {
        Some(bits) if bits < 127 => {
            let modulus = 1i128 << bits;
            let low = change.rem_euclid(modulus);
            if (low >= modulus / 2) == (step < 0) {
                low - if low >= modulus / 2 { modulus } else { 0 }
            } else {
                change
            }
        }
        _ => change,
    };
    (step != 0 && change % step == 0).then(|| Value::Int(change / step))
}

fn whole(value: Value) -> Option<i128> {
    match value {
        Value::Int(value) => Some(value),
        Value::Float(_) => None,
    }
}

fn evaluate(term: &Term, frame: &snapshot::Frame) -> Option<Value> {
    match term {
        Term::Constant(value) => Some(Value::Int((*value).into())),
        Term::Float(value) => Some(Value::Float(*value)),
        Term::Variable { name, negated, .. } => {
            let value = recorded(frame, name)?;
            Some(turned(value, if *negated { -1 } else { 1 }))
        }
        Term::Arithmetic { op, operands } => {
            let [a, b] = &**operands;
            let (a, b) = (whole(evaluate(a, frame)?)?, whole(evaluate(b, frame)?)?);
            let value = match op {
                TermOp::Add => a.checked_add(b),
                TermOp::Sub => a.checked_sub(b),
                TermOp::Mul => a.checked_mul(b),
                TermOp::Div => a.checked_div(b),
                TermOp::Rem => a.checked_rem(b),
            };
            value.map(Value::Int)
        }
    }
}

/// Equal stacks are in the same functions on the same lines, down to the deciding frame.
fn same_lines(a: &[&snapshot::Frame], b: &[&snapshot::Frame], depth: usize) -> Checked {
    let place = |frame: &&snapshot::Frame| (frame.function.clone(), frame.line);
    let upto = |frames: &[&snapshot::Frame]| frames.iter().take(depth + 1).map(place).collect::<Vec<_>>();
    if upto(a) == upto(b) {
        Ok(())
    } else {
        Err("the frames stand on different lines".to_owned())
    }
}
