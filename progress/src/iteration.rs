//! Which of two tasks is in the earlier iteration of a loop that both are in, as its variables tell.
//!
//! The variables are tried best first. A strict one whose values are equal puts both tasks into the same epoch; a
//! weak one decides only when its values differ. Values are first made comparable: the change since the header is
//! taken away where it is known (`Cut::Header`), and on different tasks `Across::Relative` counts steps from the
//! start.

use crate::flow::{self, Region};
use crate::locate::{LocatedFrame, Place};
use crate::reason::{Silent, TermRole, WhyNoTerm, WhySilent};
use crate::{Relation, Value};
use base::mutant::{Mutant, on};
use progress_map::{
    Across, Assumption, Cut, Direction, Function, Growth, LoopId, Lov, LovClass, PointId, Term, TermOp,
};

/// What the variables of a loop say.
pub(crate) enum Iteration<'m> {
    /// They differ: the first task is earlier or later.
    Differ {
        relation: Relation,
        lov: &'m Lov,
        a: Value,
        b: Value,
    },
    /// They are equal: both are in this region.
    Same {
        region: Region<'m>,
        lov: &'m Lov,
        a: Value,
        b: Value,
    },
    /// None of them can tell, and why; there may be none.
    Unknown(Vec<Silent>),
}

/// Compares the iterations of `in_loop` in which two frames of one function are.
pub(crate) fn compare<'m>(
    function: &'m Function,
    id: LoopId,
    (frame_a, a): (&LocatedFrame, Place),
    (frame_b, b): (&LocatedFrame, Place),
    same_task: bool,
) -> Iteration<'m> {
    let in_loop = &function.loops[id];
    let mut silent: Vec<Silent> = Vec::new();
    let mut same = None;
    for lov in &in_loop.lovs {
        match one(function, id, lov, (frame_a, a), (frame_b, b), same_task) {
            // A weak variable that is equal says little; another one may differ.
            Ok(Iteration::Same { region, lov, a, b }) if lov.class == LovClass::Weak => {
                same.get_or_insert(Iteration::Same { region, lov, a, b });
            }
            Ok(decided) => return decided,
            Err(why) => {
                let each = Silent {
                    name: lov.name.clone(),
                    why,
                };
                if !silent.contains(&each) {
                    silent.push(each);
                }
            }
        }
    }
    if let Some(same) = same {
        return same;
    }
    if in_loop.lovs.is_empty() {
        silent.extend(in_loop.refused.iter().map(|refused| Silent {
            name: refused.name.clone(),
            why: WhySilent::Refused(refused.why.clone()),
        }));
    }
    Iteration::Unknown(silent)
}

fn one<'m>(
    function: &'m Function,
    id: LoopId,
    lov: &'m Lov,
    (frame_a, a): (&LocatedFrame, Place),
    (frame_b, b): (&LocatedFrame, Place),
    same_task: bool,
) -> Result<Iteration<'m>, WhySilent> {
    let value_a = read(frame_a, &lov.name)?;
    let value_b = read(frame_b, &lov.name)?;
    if !same_task && lov.across == Across::Nothing {
        return Err(WhySilent::NotAcrossTasks(lov.grounds.clone()));
    }
    for (place, value) in [(a, value_a), (b, value_b)] {
        check_passed_zero(function, lov, place, value)?;
    }
    let header = function.loops[id].header;
    let relative = lov.across == Across::Relative && !on(Mutant::StartNotSubtracted);
    let (count_a, count_b) = if !same_task && relative {
        (
            steps_since_start(function, header, lov, frame_a, a, value_a)?,
            steps_since_start(function, header, lov, frame_b, b, value_b)?,
        )
    } else {
        let sign = direction(lov, frame_a)?;
        if sign != direction(lov, frame_b)? {
            return Err(WhySilent::SignsDiffer);
        }
        check_absorption(lov, frame_a, value_a, value_b)?;
        (
            in_direction(sign, at_header(function, header, lov, a, value_a)),
            in_direction(sign, at_header(function, header, lov, b, value_b)),
        )
    };
    let relation = match order(count_a, count_b)? {
        std::cmp::Ordering::Less => Relation::Before,
        std::cmp::Ordering::Greater => Relation::After,
        // No update lies between two moments of one task at which the value is the same, even of a weak variable;
        // a floating-point update, though, may change nothing.
        std::cmp::Ordering::Equal
            if lov.class == LovClass::Strict || same_task && lov.growth != Growth::Floating =>
        {
            let region = match &lov.cut {
                Cut::Header { .. } => Region::Iteration(id),
                Cut::Updates if on(Mutant::HeaderCutsEpoch) => Region::Iteration(id),
                Cut::Updates => Region::Epoch(id, &lov.updates),
            };
            return Ok(Iteration::Same {
                region,
                lov,
                a: value_a,
                b: value_b,
            });
        }
        std::cmp::Ordering::Equal => return Err(WhySilent::Weak(value_a)),
    };
    Ok(Iteration::Differ {
        relation,
        lov,
        a: value_a,
        b: value_b,
    })
}

/// How many iterations of `in_loop` a task at `place` has completed, by a variable of which each makes one step, and that variable.
pub(crate) fn completed<'m>(
    function: &'m Function,
    in_loop: LoopId,
    frame: &LocatedFrame,
    place: Place,
) -> Option<(&'m Lov, u64)> {
    let header = function.loops[in_loop].header;
    let counts = |lov: &&Lov| {
        let is_one_step = matches!(lov.cut, Cut::Header { .. });
        lov.class == LovClass::Strict && lov.across != Across::Nothing && is_one_step
    };
    function.loops[in_loop]
        .lovs
        .iter()
        .filter(counts)
        .find_map(|lov| {
            let value = read(frame, &lov.name).ok()?;
            match steps_since_start(function, header, lov, frame, place, value) {
                Ok(Value::Int(steps)) => Some((lov, u64::try_from(steps).ok()?)),
                _ => None,
            }
        })
}

/// The last `c--` of `while (c-- > 0)` takes an unsigned variable around zero, which is undone where the change since the
/// header is known. Elsewhere nothing but the rest of the condition sees it, and no call: whatever is called there is
/// called for a condition that holds.
fn check_passed_zero(function: &Function, lov: &Lov, place: Place, value: Value) -> Result<(), WhySilent> {
    let in_call = function.points[place.point].kind.is_call();
    let (Direction::Down, Cut::Updates, Some(bits), false) =
        (lov.direction, &lov.cut, lov.unsigned_bits, in_call)
    else {
        return Ok(());
    };
    let (Value::Int(value), Some(Term::Constant(step))) = (value, &lov.step) else {
        return Ok(());
    };
    let end = 1i128 << bits.min(64);
    if (end - i128::from(*step).abs()..end).contains(&value) {
        return Err(WhySilent::MayBeBelowZero(value));
    }
    Ok(())
}

/// The weakest assumption that using `lov` brings in.
pub(crate) fn assumption(lov: &Lov, same_task: bool) -> Assumption {
    if same_task || lov.across == Across::Relative {
        Assumption::Proven
    } else {
        lov.assumption
    }
}

fn read(frame: &LocatedFrame, name: &str) -> Result<Value, WhySilent> {
    let value = frame.values.get(name).copied();
    value.ok_or_else(|| WhySilent::Unread(frame.missing.get(name).cloned()))
}

/// How much a variable has changed at `place` since the header of this iteration, where the map knows it; else 0.
pub(crate) fn change_since_header(function: &Function, header: PointId, lov: &Lov, place: Place) -> i64 {
    let Cut::Header {
        offsets,
        per_iteration,
    } = &lov.cut
    else {
        return 0;
    };
    let before = |point: PointId| match offsets.binary_search_by_key(&point, |&(point, _)| point) {
        Ok(found) => offsets[found].1,
        Err(_) => 0,
    };
    if !place.after || lov.updates.binary_search(&place.point).is_err() {
        return before(place.point);
    }
    // Every point of a loop has a successor in it, and what holds after the point holds before that one.
    let around = function.points[header].innermost_loop;
    let next = function
        .successors(place.point)
        .find(|&target| flow::lies_in(function, target, around));
    match next {
        Some(next) if next == header => *per_iteration,
        Some(next) => before(next),
        None => before(place.point),
    }
}

/// The value that the variable had at the header of this iteration, where the map knows the change since then.
fn at_header(function: &Function, header: PointId, lov: &Lov, place: Place, value: Value) -> Value {
    let is_known = matches!(lov.cut, Cut::Header { .. });
    if !is_known || on(Mutant::ChangeNotSubtracted) {
        return value;
    }
    let change = change_since_header(function, header, lov, place);
    match (value, lov.unsigned_bits) {
        // `while (n-- > 0)` leaves with the largest value there is.
        (Value::Int(value), Some(bits)) => {
            Value::Int((value - i128::from(change)).rem_euclid(1i128 << bits.min(64)))
        }
        (Value::Int(value), None) => Value::Int(value - i128::from(change)),
        (float, _) => float,
    }
}

/// How many steps a task has made since it entered the loop.
fn steps_since_start(
    function: &Function,
    header: PointId,
    lov: &Lov,
    frame: &LocatedFrame,
    place: Place,
    value: Value,
) -> Result<Value, WhySilent> {
    let start = term(lov.start.as_ref(), TermRole::Start, frame)?;
    let step = match &lov.cut {
        // Between two headers the whole iteration's change is one step.
        Cut::Header { per_iteration, .. } => Value::Int(i128::from(*per_iteration)),
        Cut::Updates => term(lov.step.as_ref(), TermRole::Step, frame)?,
    };
    let (Value::Int(value), Value::Int(start), Value::Int(step)) =
        (at_header(function, header, lov, place, value), start, step)
    else {
        return Err(WhySilent::InexactSteps);
    };
    if step == 0 {
        return Err(WhySilent::StepIsZero);
    }
    let change = value.wrapping_sub(start);
    if change % step != 0 {
        return Err(WhySilent::BetweenSteps { value, step, start });
    }
    Ok(Value::Int(change / step))
}

fn term(term: Option<&Term>, role: TermRole, frame: &LocatedFrame) -> Result<Value, WhySilent> {
    let value = term.ok_or(WhyNoTerm::NotInMap);
    let value = value.and_then(|term| evaluate(term, frame));
    value.map_err(|why| WhySilent::Term { role, why })
}

fn evaluate(term: &Term, frame: &LocatedFrame) -> Result<Value, WhyNoTerm> {
    match term {
        Term::Constant(value) => Ok(Value::Int(i128::from(*value))),
        Term::Float(value) => Ok(Value::Float(*value)),
        Term::Arithmetic { op, operands } => {
            let operand = |index: usize| match evaluate(&operands[index], frame)? {
                Value::Int(value) => Ok(value),
                Value::Float(_) => Err(WhyNoTerm::Floating(term.to_string())),
            };
            let (left, right) = (operand(0)?, operand(1)?);
            let value = match op {
                TermOp::Add => left.checked_add(right),
                TermOp::Sub => left.checked_sub(right),
                TermOp::Mul => left.checked_mul(right),
                TermOp::Div => left.checked_div(right),
                TermOp::Rem => left.checked_rem(right),
            };
            value
                .map(Value::Int)
                .ok_or_else(|| WhyNoTerm::NoValue(term.to_string()))
        }
        Term::Variable { name, negated, .. } => {
            let Some(&value) = frame.values.get(name) else {
                return Err(WhyNoTerm::Unread(name.clone(), frame.missing.get(name).cloned()));
            };
            Ok(match value {
                Value::Int(value) if *negated => Value::Int(-value),
                Value::Float(value) if *negated => Value::Float(-value),
                value => value,
            })
        }
    }
}

/// +1 when later iterations have larger values, -1 when smaller.
fn direction(lov: &Lov, frame: &LocatedFrame) -> Result<i8, WhySilent> {
    match lov.direction {
        Direction::Up => Ok(1),
        Direction::Down => Ok(-1),
        Direction::SignOfStep => match term(lov.step.as_ref(), TermRole::Step, frame)? {
            Value::Int(step) if step > 0 => Ok(1),
            Value::Int(step) if step < 0 => Ok(-1),
            Value::Float(step) if step > 0.0 => Ok(1),
            Value::Float(step) if step < 0.0 => Ok(-1),
            _ => Err(WhySilent::StepIsZero),
        },
    }
}

fn in_direction(sign: i8, value: Value) -> Value {
    match value {
        Value::Int(value) if sign < 0 => Value::Int(-value),
        Value::Float(value) if sign < 0 => Value::Float(-value),
        value => value,
    }
}

/// A floating-point sum stands still once its step is smaller than half the spacing of its values.
fn check_absorption(lov: &Lov, frame: &LocatedFrame, a: Value, b: Value) -> Result<(), WhySilent> {
    if lov.growth != Growth::Floating || on(Mutant::AbsorptionIgnored) {
        return Ok(());
    }
    let float = |value| match value {
        Value::Int(value) => value as f64,
        Value::Float(value) => value,
    };
    let step = float(term(lov.step.as_ref(), TermRole::Step, frame)?).abs();
    // Two ulps of a double: one would do, the second allows for the step's own rounding.
    let spacing = 2.0 * f64::EPSILON * float(a).abs().max(float(b).abs());
    // Written so that NaN fails.
    if step > spacing {
        Ok(())
    } else {
        Err(WhySilent::Absorbed { step, at: a })
    }
}

fn order(a: Value, b: Value) -> Result<std::cmp::Ordering, WhySilent> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(a.cmp(&b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b).ok_or(WhySilent::NotANumber),
        // A whole number among floating-point ones: some recorders write 1.0 as 1.
        (Value::Int(a), Value::Float(b)) => order(Value::Float(a as f64), Value::Float(b)),
        (Value::Float(a), Value::Int(b)) => order(Value::Float(a), Value::Float(b as f64)),
    }
}
