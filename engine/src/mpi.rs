//! The MPI call that a task is in, with what the source and the caller's frame tell of its arguments.
//!
//! Nothing is guessed: an argument has a value if it is a constant, or made of variables whose values were read in the
//! frame of the call and can be believed there, or if the build's debug info says what the call passed. Otherwise it is shown as the source
//! writes it.

use base::{Confidence, mpi_name};
use library::measured::Implementation;
use library::{Role, roles};
use progress::{Located, LocatedFrame, Value};
use progress_map::{FunctionId, Map, MpiArgument, MpiCall, PointKind, Storage, Term, TermOp};
use snapshot::Task;

/// A call of an MPI function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallView {
    /// The MPI function, by its `MPI_` name.
    pub function: String,
    /// What is known of its arguments, in their order.
    pub arguments: Vec<CallArgument>,
}

/// An argument of an MPI call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallArgument {
    /// What it means.
    pub role: Role,
    /// As the source writes it.
    pub text: String,
    /// Its value; `None` when it could not be read, when it differs by task, or when it is not a number.
    pub value: Option<i64>,
    /// MPI's name for the value, if it has one (`MPI_ANY_SOURCE`).
    pub name: Option<String>,
    /// It differs between the tasks of the class.
    pub differs: bool,
}

impl CallView {
    /// The argument of a role.
    pub fn argument(&self, role: Role) -> Option<&CallArgument> {
        self.arguments.iter().find(|argument| argument.role == role)
    }
}

/// The call that the innermost frame of the program is in, if the map knows its arguments.
pub(crate) fn call(map: &Map, located: &Located, task: &Task) -> Option<CallView> {
    let at = located
        .frames
        .iter()
        .rposition(|frame| own_function(map, frame).is_some())?;
    match &recorded_at(map, &located.frames[at])[..] {
        [only] => call_of(map, located, task, (at, only)),
        _ => None,
    }
}

/// What is known of a recorded call, if the frame `at` may be in it.
fn call_of(map: &Map, located: &Located, task: &Task, (at, recorded): (usize, &MpiCall)) -> Option<CallView> {
    let frame = &located.frames[at];
    // Without a callee it is about to call, or back again.
    located.frames.get(at + 1)?;
    let id = frame.function?;
    let PointKind::Call(name) = &map.functions[id].points[recorded.point].kind else {
        return None;
    };
    let function = mpi_name(name);
    // What is on the stack may be another library that the same line calls.
    let below = located.frames[at + 1..].iter();
    let entered = below.clone().any(|frame| mpi_name(&frame.name) == function);
    let nameless = below
        .clone()
        .all(|frame| matches!(frame.name.as_str(), "" | "??"));
    if !entered && !nameless {
        return None;
    }
    let origin = located.origin[at]?;
    let modules = task.frames.get(origin + 1..).unwrap_or_default().iter();
    let implementation = library::implementation(modules.filter_map(|frame| frame.module.as_deref()));
    let optimised = is_optimised(map, id);
    let inlined = task.frames.get(origin).is_some_and(|frame| frame.inlined);
    let believed = |argument: &MpiArgument| {
        let Some(term) = &argument.term else { return false };
        let variables = term.variables();
        // What a pointer leads to is in memory when a library is called: others may know the place. Only where the
        // function is inlined the compiler may have seen that nobody does.
        let behind_pointer = variables.iter().any(|(_, storage)| follows_pointer(storage));
        variables.is_empty() || !optimised || argument.settled && !(inlined && behind_pointer)
    };
    let passed = task.frames.passed(origin);
    let arguments = roles(function).filter_map(|(index, role)| {
        let argument = recorded
            .arguments
            .iter()
            .find(|argument| argument.index == index)?;
        let term = argument.term.as_ref().filter(|_| believed(argument));
        let of_source = term.and_then(|term| match role {
            Role::Communicator => handle(term, frame),
            _ => evaluate(term, frame),
        });
        let passed = passed.and_then(|passed| passed.get(&index));
        let value = agreed(
            of_source,
            passed.map(|&bits| as_passed(role, bits, implementation)),
        );
        let is_world =
            role == Role::Communicator && value.is_some() && value == task.world.map(u64::cast_signed);
        let known = is_world.then_some("MPI_COMM_WORLD");
        let known = known.or_else(|| library::constant(role, value?, implementation?));
        Some(view(role, argument, value, known))
    });
    Some(CallView {
        function: function.to_owned(),
        arguments: arguments.collect(),
    })
}

/// Every call of `function` that the innermost frame of the program may be in; empty when one of them is not known.
pub(crate) fn calls_in(map: &Map, located: &Located, task: &Task, function: &str) -> Vec<CallView> {
    let mut frames = located.frames.iter();
    let Some(at) = frames.rposition(|frame| own_function(map, frame).is_some()) else {
        return Vec::new();
    };
    let recorded = recorded_at(map, &located.frames[at]);
    let calls = recorded
        .into_iter()
        .map(|recorded| call_of(map, located, task, (at, recorded)).filter(|call| call.function == function));
    calls.collect::<Option<_>>().unwrap_or_default()
}

/// A call of an MPI function as the source writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenCall {
    /// MPI's name for its communicator, if it has one.
    pub(crate) communicator: Option<String>,
    /// Its count, if that is known.
    pub(crate) count: Option<i64>,
}

/// The same where the places of the innermost frame of the program tell: what was passed holds of each of them.
fn calls_at_place(map: &Map, located: &Located, task: &Task, function: &str) -> Vec<WrittenCall> {
    let calls = calls_in(map, located, task, function);
    let written = calls.iter().map(|call| {
        let communicator = call.argument(Role::Communicator);
        WrittenCall {
            communicator: communicator.and_then(|argument| argument.name.clone()),
            count: call.argument(Role::Count).and_then(|argument| argument.value),
        }
    });
    written.collect()
}

/// Every call of `function` that a task may be in that has reached it by the frame `entry` of its stack; empty when one may be missing. Which
/// call it is may be open in optimised code, but the instruction of the caller's frame calls the function itself, and compilers join
/// calls of one function only.
pub(crate) fn calls_that_may_be(
    map: &Map,
    located: &Located,
    task: &Task,
    entry: usize,
    function: &str,
) -> Vec<WrittenCall> {
    let may_be = calls_at_place(map, located, task, function);
    if !may_be.is_empty() {
        return may_be;
    }
    let caller = entry.checked_sub(1).and_then(|caller| {
        task.frames.get(caller).filter(|frame| frame.straight)?;
        let at = located.origin.iter().position(|origin| *origin == Some(caller))?;
        own_function(map, &located.frames[at])
    });
    // Any function of the program may have been inlined into the caller, and its calls joined.
    if caller.is_none_or(|id| map.functions[id].confidence == Confidence::Partial) {
        return Vec::new();
    }
    let of_name = |id: FunctionId, call: &MpiCall| matches!(&map.functions[id].points[call.point].kind, PointKind::Call(name) if mpi_name(name) == function);
    let calls = map.mpi_calls.iter().filter(|call| of_name(call.function, call));
    let named = |call: &MpiCall, role: Role| {
        let index = roles(function).find(|(_, known)| *known == role)?.0;
        call.arguments
            .iter()
            .find(|argument| argument.index == index)
            .cloned()
    };
    let written = calls.map(|call| {
        let communicator = named(call, Role::Communicator).map(|argument| argument.text);
        let count = named(call, Role::Count).and_then(|argument| argument.term);
        WrittenCall {
            communicator: communicator.filter(|text| text.starts_with("MPI_")),
            count: match count {
                Some(Term::Constant(count)) => Some(count),
                _ => None,
            },
        }
    });
    written.collect()
}

/// What the calls of the tasks of one class have in common.
pub(crate) fn shared(calls: &[Option<CallView>]) -> Option<CallView> {
    let (first, others) = calls.split_first()?;
    let mut call = first.clone();
    for other in others {
        mark_differences(&mut call, other.as_ref());
    }
    call
}

/// Takes back what another task of the same class does not share.
fn mark_differences(call: &mut Option<CallView>, other: Option<&CallView>) {
    let Some(mine) = call else { return };
    let Some(theirs) = other.filter(|other| other.function == mine.function) else {
        *call = None;
        return;
    };
    for argument in &mut mine.arguments {
        let same = theirs.argument(argument.role).is_some_and(|other| {
            (&other.text, &other.value, &other.name) == (&argument.text, &argument.value, &argument.name)
        });
        if !same && !argument.differs {
            (argument.value, argument.name, argument.differs) = (None, None, true);
        }
    }
}

/// The recorded calls that a frame may be in; none if one of its possible places is something else.
fn recorded_at<'m>(map: &'m Map, frame: &LocatedFrame) -> Vec<&'m MpiCall> {
    let Some(id) = frame.function else {
        return Vec::new();
    };
    let mut points = Vec::from_iter(frame.places.iter().map(|place| place.point));
    points.dedup();
    let recorded = points.iter().map(|&point| {
        let calls = &map.mpi_calls;
        let found = calls.binary_search_by(|call| (call.function, call.point).cmp(&(id, point)));
        found.ok().map(|at| &calls[at])
    });
    recorded.collect::<Option<_>>().unwrap_or_default()
}

/// The function of the map that a frame is in, but for those that stand between the program and MPI: a profiling layer has
/// functions of MPI's names, and the program wrote the call of the first.
pub(crate) fn own_function(map: &Map, frame: &LocatedFrame) -> Option<FunctionId> {
    frame
        .function
        .filter(|&id| !base::is_mpi(&map.functions[id].name))
}

/// Whether a variable is reached through a pointer.
fn follows_pointer(storage: &Storage) -> bool {
    match storage {
        Storage::Local { .. } | Storage::Global { .. } => false,
        Storage::Pointee(_) | Storage::Range { .. } => true,
        Storage::Member { base, arrow, .. } => *arrow || follows_pointer(base),
    }
}

/// Whether code of a function was optimised; yes when it is not known.
fn is_optimised(map: &Map, id: FunctionId) -> bool {
    let mut inlines = map.bindings().flat_map(|binding| &binding.inlines);
    let functions = map.bindings().flat_map(|binding| &binding.functions);
    let mut of_function = functions
        .filter(|function| function.function == Some(id))
        .peekable();
    let is_known = of_function.peek().is_some();
    !is_known
        || inlines.any(|inline| inline.function == Some(id))
        || of_function.any(|function| function.optimised)
}

/// The value that the variables give and the one that was passed, if they do not contradict each other.
fn agreed(of_source: Option<i64>, passed: Option<i64>) -> Option<i64> {
    match (of_source, passed) {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => one.or(other),
    }
}

/// An argument as its type says: a handle is taken for the widest that it may be.
fn as_passed(role: Role, bits: u64, implementation: Option<Implementation>) -> i64 {
    let is_handle = matches!(role, Role::Communicator | Role::Request);
    if is_handle && implementation.is_none_or(Implementation::has_pointers_for_handles) {
        bits.cast_signed()
    } else {
        i64::from(bits as u32 as i32)
    }
}

fn view(role: Role, argument: &MpiArgument, value: Option<i64>, constant: Option<&str>) -> CallArgument {
    let spelled = argument.text.starts_with("MPI_").then(|| argument.text.clone());
    let name = spelled.or_else(|| constant.map(str::to_owned));
    // A negative rank or tag means something only by its name, a handle nothing at all.
    let is_number = match role {
        Role::Communicator | Role::Request => false,
        _ => value.is_some_and(|value| value >= 0),
    };
    CallArgument {
        role,
        text: argument.text.clone(),
        value: value.filter(|_| is_number),
        name,
        differs: false,
    }
}

/// A handle that was read: its bits, which may be those of an address.
fn handle(term: &Term, frame: &LocatedFrame) -> Option<i64> {
    let Term::Variable {
        name, negated: false, ..
    } = term
    else {
        return None;
    };
    let Value::Int(value) = *frame.values.get(name)? else {
        return None;
    };
    let address = || u64::try_from(value).ok().map(u64::cast_signed);
    i64::try_from(value).ok().or_else(address)
}

/// The value of a term, computed as a 32-bit `int`; `None` when something is not known, or would not fit one.
fn evaluate(term: &Term, frame: &LocatedFrame) -> Option<i64> {
    let value = match term {
        Term::Constant(value) => *value,
        Term::Float(_) => return None,
        Term::Variable { name, negated, .. } => {
            let Value::Int(value) = *frame.values.get(name)? else {
                return None;
            };
            let value = i64::try_from(value).ok()?;
            if *negated { value.checked_neg()? } else { value }
        }
        Term::Arithmetic { op, operands } => {
            let [left, right] = &**operands;
            let (left, right) = (evaluate(left, frame)?, evaluate(right, frame)?);
            match op {
                TermOp::Add => left.checked_add(right)?,
                TermOp::Sub => left.checked_sub(right)?,
                TermOp::Mul => left.checked_mul(right)?,
                // With one operand without a sign a negative number would stand for a large one.
                TermOp::Div | TermOp::Rem if left < 0 || right < 0 => return None,
                TermOp::Div => left.checked_div(right)?,
                TermOp::Rem => left.checked_rem(right)?,
            }
        }
    };
    i32::try_from(value).is_ok().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Term {
        Term::Variable {
            name: name.to_owned(),
            storage: Storage::Global {
                name: name.to_owned(),
            },
            negated: false,
        }
    }

    fn of(op: TermOp, left: Term, right: Term) -> Term {
        Term::Arithmetic {
            op,
            operands: Box::new([left, right]),
        }
    }

    fn frame(values: &[(&str, i128)]) -> LocatedFrame {
        LocatedFrame {
            name: "f".to_owned(),
            function: None,
            places: Vec::new(),
            callee_known: true,
            values: values
                .iter()
                .map(|&(name, value)| (name.to_owned(), Value::Int(value)))
                .collect(),
            missing: std::collections::BTreeMap::new(),
            iterations: std::collections::BTreeMap::new(),
            may_be_merged: false,
            is_any_round: false,
            is_of_program: false,
            outside: None,
            is_runtime: false,
            obstacle: None,
        }
    }

    #[test]
    fn a_ring_neighbour_is_computed_and_nothing_is_guessed() {
        let right = of(
            TermOp::Rem,
            of(TermOp::Add, variable("rank"), Term::Constant(1)),
            variable("size"),
        );
        assert_eq!(evaluate(&right, &frame(&[("rank", 7), ("size", 8)])), Some(0));
        assert_eq!(evaluate(&right, &frame(&[("rank", 7)])), None);
        assert_eq!(evaluate(&right, &frame(&[("rank", 7), ("size", 0)])), None);
        assert_eq!(evaluate(&right, &frame(&[("rank", -4), ("size", 3)])), None);
        assert_eq!(evaluate(&variable("x"), &frame(&[("x", 1 << 40)])), None);
    }
}
