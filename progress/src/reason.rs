//! Why something about the order is not known, as a value: what it is about, a code that stays the same from version to
//! version, and one sentence, which is made here and nowhere else.

use crate::{Beneath, Value};
use base::Doubt;
use progress_map::{Across, Assumption, Grounds, LoopId, Refusal};
use std::fmt;

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// The file as the map spells it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Why it is not known where a task, or one frame of it, is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// Outer frames are missing, as whoever recorded the stack says.
    Incomplete(String),
    /// The stack begins in this function, and nothing tells what has called it, or how often.
    BeginsNowhere(String),
    /// The task of this name has no stack.
    NoStack(String),
    /// No function on the stack of the task of this name is in the map.
    NotInMap(String),
    /// The map is one of machine code, and has none of the code on the stack of the task of this name.
    CodeUnknown(String),
    /// The line of this function's frame is not known.
    NoLine(String),
    /// In this function the task computes, in code that an optimising compiler has mixed.
    Mixed(String),
    /// This function calls itself last: the frame may be that of a deeper call.
    MayBeDeeper(String),
    /// A function of the map is at a line of another file than its own: that file is included in the middle of it, or another function has its name.
    InIncludedFile {
        /// The function.
        function: String,
        /// The line.
        at: SourceLine,
    },
    /// The map has no program point there.
    NoPoint(SourceLine),
    /// A destructor, called implicitly at the end of a scope.
    LeavesScope {
        /// The function whose scope is left.
        function: String,
        /// What runs then.
        callee: String,
    },
    /// No call there can be that of the next frame's function.
    NoSuchCall {
        /// The line.
        at: SourceLine,
        /// The next frame's function.
        callee: String,
    },
}

impl Obstacle {
    /// The same of another task with the same stack.
    #[must_use]
    pub fn of_task(&self, task: &str) -> Self {
        match self {
            Self::NoStack(_) => Self::NoStack(task.to_owned()),
            Self::NotInMap(_) => Self::NotInMap(task.to_owned()),
            Self::CodeUnknown(_) => Self::CodeUnknown(task.to_owned()),
            other => other.clone(),
        }
    }
}

/// Why the order of two tasks is not known.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// It is not known where one of them is.
    Obstacle(Obstacle),
    /// One is inside a call, the other on the line that makes it: before it or after it.
    CallUnderWay {
        /// The task inside.
        inside: String,
        /// The other one.
        outside: String,
        /// The function that is called.
        callee: String,
    },
    /// Both are on a line that calls something, and neither is inside: one of these two may have made the call.
    BesideOneCall([String; 2]),
    /// No function on their stacks is in the map.
    NothingInMap,
    /// This function is not in the map and calls functions that are.
    CallsBack(String),
    /// Both are in this function outside the map, which is the program's or of a library that it brings along.
    NotInMap(String),
    /// Both are in one function outside the map, and not in the same operation of MPI beneath it.
    Beneath {
        /// The function.
        function: String,
        /// The first task and the operation that it is in, if any.
        a: (String, Option<Beneath>),
        /// The same of the second.
        b: (String, Option<Beneath>),
    },
    /// The stacks part into these two functions.
    Part(String, String),
    /// A function was understood in part.
    ReadInPart {
        /// The function.
        function: String,
        /// Why.
        why: Option<Doubt>,
    },
    /// A frame between this function and its callee is missing.
    FrameMissing(String),
    /// Which call of a macro that could not be expanded is under way in this function is not known.
    CallInMacro(String),
    /// The line stands for several program points, and they are not all on one side.
    SeveralPoints(SourceLine),
    /// No position of this function is known.
    NoPosition(String),
    /// Both are at a place to which a task may come more than once with the same value of this variable (empty where there
    /// is none).
    MayRecur(String),
    /// The language leaves the order of the operands there open.
    Unsequenced(SourceLine),
    /// Control flow leads from each to the other.
    Circle,
    /// A loop around both is entered by a jump into its middle.
    Irreducible {
        /// The loop, in the function of the deciding frame.
        in_loop: LoopId,
        /// Where it stands.
        at: SourceLine,
    },
    /// No variable that can be read tells the iteration of a loop around both.
    NoVariable {
        /// The loop, in the function of the deciding frame.
        in_loop: LoopId,
        /// Where it stands.
        at: SourceLine,
        /// The variables that come near it, each with why it does not tell; none if nothing changes in the loop.
        silent: Vec<Silent>,
    },
    /// The machine code of this function contradicts its source ([`crate::contradicted`]).
    NotAsBuilt(String),
    /// There are so many different execution points, and most of them have no order among them.
    TooManyPoints(usize),
}

/// A variable of a loop that does not tell which of two tasks is in the earlier iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Silent {
    /// The variable.
    pub name: String,
    /// Why it does not tell.
    pub why: WhySilent,
}

/// Why a variable of a loop does not tell which of two tasks is in the earlier iteration.
#[derive(Clone, Debug, PartialEq)]
pub enum WhySilent {
    /// It is no loop-order variable, for the reason that the map gives.
    Refused(Refusal),
    /// Its values on different tasks cannot be compared, for the reason that the map gives.
    NotAcrossTasks(Grounds),
    /// It could not be read, with the reason if it is known; else it was not recorded.
    Unread(Option<String>),
    /// It has this value on both tasks, but not every iteration changes it.
    Weak(Value),
    /// It has this value, which may be below zero.
    MayBeBelowZero(i128),
    /// Its value is not a number.
    NotANumber,
    /// Its step has different signs on the two tasks.
    SignsDiffer,
    /// Its step is 0.
    StepIsZero,
    /// Its step is lost in rounding at this value.
    Absorbed {
        /// The step.
        step: f64,
        /// The value.
        at: Value,
    },
    /// It is a floating-point variable: its steps cannot be counted exactly.
    InexactSteps,
    /// Its value is not a whole number of steps from its start.
    BetweenSteps {
        /// The value.
        value: i128,
        /// The step.
        step: i128,
        /// The start.
        start: i128,
    },
    /// What its iterations are counted with is not known.
    Term {
        /// Which one.
        role: TermRole,
        /// Why.
        why: WhyNoTerm,
    },
}

/// What the iterations of a variable are counted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermRole {
    /// Its value on entry to the loop.
    Start,
    /// What is added to it at a time.
    Step,
}

/// Why a start or step is not known; terms as the source writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyNoTerm {
    /// The map does not say.
    NotInMap,
    /// It is not computed in whole numbers.
    Floating(String),
    /// It has no value: it overflows, or divides by zero.
    NoValue(String),
    /// This variable of it was not read, with the reason if it is known.
    Unread(String, Option<String>),
}

impl Obstacle {
    /// A word for the kind of obstacle that stays the same from version to version.
    pub fn code(&self) -> &'static str {
        match self {
            Obstacle::Incomplete(_) | Obstacle::BeginsNowhere(_) => "stack-incomplete",
            Obstacle::NoStack(_) => "stack-empty",
            Obstacle::NotInMap(_) => "stack-not-in-map",
            Obstacle::CodeUnknown(_) => "stack-code-unknown",
            Obstacle::NoLine(_) => "frame-without-line",
            Obstacle::Mixed(_) => "frame-in-mixed-code",
            Obstacle::MayBeDeeper(_) => "frame-may-be-deeper",
            Obstacle::InIncludedFile { .. } => "frame-in-included-file",
            Obstacle::NoPoint(_) => "frame-at-no-point",
            Obstacle::LeavesScope { .. } => "frame-leaves-scope",
            Obstacle::NoSuchCall { .. } => "call-not-found",
        }
    }
}

impl Reason {
    /// A word for the kind of reason that stays the same from version to version; what it begins with says what the reason
    /// is about: `stack`, `frame`, `call`, `function`, `line` or `loop`. It is part of the JSON that users read.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Obstacle(obstacle) => obstacle.code(),
            Reason::NothingInMap => "stack-not-in-map",
            Reason::TooManyPoints(_) => "stack-points-too-many",
            Reason::FrameMissing(_) => "frame-missing",
            Reason::NoPosition(_) => "frame-at-no-point",
            Reason::CallUnderWay { .. } | Reason::BesideOneCall(_) => "call-under-way",
            Reason::CallInMacro(_) => "call-in-macro",
            Reason::CallsBack(_) => "function-calls-back",
            Reason::NotInMap(_) | Reason::Beneath { .. } => "function-not-in-map",
            Reason::Part(..) => "function-differs",
            Reason::ReadInPart { .. } => "function-read-in-part",
            Reason::SeveralPoints(_) => "line-of-several-points",
            Reason::Unsequenced(_) => "line-unsequenced",
            Reason::Circle => "loop-of-jumps",
            Reason::MayRecur(_) => "loop-may-recur",
            Reason::Irreducible { .. } => "loop-irreducible",
            Reason::NoVariable { .. } => "loop-without-variable",
            Reason::NotAsBuilt(_) => "function-not-as-built",
        }
    }
}

impl From<Obstacle> for Reason {
    fn from(obstacle: Obstacle) -> Self {
        Reason::Obstacle(obstacle)
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Incomplete(reason) => f.write_str(reason),
            Obstacle::BeginsNowhere(function) => write!(
                f,
                "its stack begins in {function}, as that of a fiber does: how often that was called is not known"
            ),
            Obstacle::NoStack(task) => write!(f, "task {task} has no stack"),
            Obstacle::NotInMap(task) => write!(f, "no function on the stack of task {task} is in the map"),
            Obstacle::CodeUnknown(task) => {
                write!(f, "nothing of the code on the stack of task {task} is known")
            }
            Obstacle::NoLine(function) => write!(f, "the line of {function} is not known"),
            Obstacle::Mixed(function) => write!(
                f,
                "in {function} the task computes, in code that an optimising compiler has mixed"
            ),
            Obstacle::MayBeDeeper(function) => write!(
                f,
                "{function} calls itself last: in this optimised build the frame may be that of a deeper call"
            ),
            Obstacle::InIncludedFile { function, at } => {
                write!(f, "{function} is at {at}, and the map has it in another file")
            }
            Obstacle::NoPoint(at) => write!(f, "the map has no program point at {at}"),
            Obstacle::LeavesScope { function, callee } => write!(
                f,
                "in {function} {callee} runs at the end of a scope: by which way it is left is not known"
            ),
            Obstacle::NoSuchCall { at, callee } => write!(f, "no call at {at} can be that of {callee}"),
        }
    }
}

/// The sentence, without its full stop.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Obstacle(obstacle) => obstacle.fmt(f),
            Reason::CallUnderWay {
                inside,
                outside,
                callee,
            } => write!(
                f,
                "task {inside} is inside {callee}, task {outside} on the line that calls it"
            ),
            Reason::BesideOneCall([a, b]) => write!(
                f,
                "tasks {a} and {b} are on one line that calls something, each before it or after it"
            ),
            Reason::NothingInMap => f.write_str("no function on their stacks is in the map"),
            Reason::NotInMap(function) => {
                write!(
                    f,
                    "{function} is not in the map: who is further in it is not known"
                )
            }
            Reason::CallsBack(function) => {
                write!(f, "{function} is not in the map, and calls functions that are")
            }
            Reason::Beneath {
                function,
                a: (task_a, in_a),
                b: (task_b, in_b),
            } => write!(
                f,
                "of {function}, which is not in the map, it is only known that task {task_a} is {} and task {task_b} {}",
                within(in_a),
                within(in_b)
            ),
            Reason::Part(a, b) => write!(f, "the stacks part into {a} and {b}"),
            Reason::ReadInPart { function, why } => {
                write!(f, "{function}: ")?;
                match why {
                    Some(doubt) => doubt.fmt(f),
                    None => f.write_str("part of it was not understood"),
                }
            }
            Reason::FrameMissing(function) => {
                write!(f, "a frame between {function} and its callee is missing")
            }
            Reason::CallInMacro(function) => write!(
                f,
                "{function}: which call of a macro that could not be expanded is not known"
            ),
            Reason::SeveralPoints(at) => write!(
                f,
                "{at} stands for several program points, and they are not all on one side"
            ),
            Reason::NoPosition(function) => write!(f, "no position of {function} is known"),
            Reason::MayRecur(variable) => {
                write!(
                    f,
                    "both are there with the same {variable}, perhaps more than once"
                )
            }
            Reason::Unsequenced(at) => {
                write!(f, "the language leaves the order of the operands at {at} open")
            }
            Reason::Circle => f.write_str("control flow leads from each to the other"),
            Reason::Irreducible { at, .. } => {
                write!(f, "the loop at {at} is entered by a jump into its middle")
            }
            Reason::NoVariable { at, silent, .. } => no_variable(f, at, silent),
            Reason::NotAsBuilt(function) => write!(
                f,
                "the machine code of {function} goes other ways than its source: it was built from another version, or with a macro of the command line"
            ),
            Reason::TooManyPoints(count) => write!(
                f,
                "there are {count} different execution points, and most of them have no order among them"
            ),
        }
    }
}

/// Whether a task is in something that waits for others.
fn within(beneath: &Option<Beneath>) -> String {
    match beneath {
        None => "in none of MPI's operations".to_owned(),
        Some(beneath) if beneath.begun => format!("in {}", beneath.operation),
        Some(beneath) => format!("about to begin {}", beneath.operation),
    }
}

fn no_variable(f: &mut fmt::Formatter<'_>, at: &SourceLine, silent: &[Silent]) -> fmt::Result {
    write!(
        f,
        "the loop at {at} has no readable loop-order variable that decides ("
    )?;
    if silent.is_empty() {
        f.write_str("no variable changes in it")?;
    }
    for (number, each) in silent.iter().enumerate() {
        let separator = if number > 0 { "; " } else { "" };
        write!(f, "{separator}{}: {}", each.name, each.why)?;
    }
    f.write_str(")")
}

impl fmt::Display for WhySilent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhySilent::Refused(why) => why.fmt(f),
            WhySilent::NotAcrossTasks(grounds) => {
                let because = grounds.sentence(Across::Nothing, Assumption::RankDependent);
                write!(f, "its values on different tasks cannot be compared ({because})")
            }
            WhySilent::Unread(Some(reason)) => write!(f, "its value could not be read ({reason})"),
            WhySilent::Unread(None) => f.write_str("its value was not recorded"),
            WhySilent::Weak(value) => write!(f, "it is {value} on both, but not every iteration changes it"),
            WhySilent::MayBeBelowZero(value) => write!(f, "it is {value}, which may be below zero"),
            WhySilent::NotANumber => f.write_str("its value is not a number"),
            WhySilent::SignsDiffer => f.write_str("its step has different signs on the two tasks"),
            WhySilent::StepIsZero => f.write_str("its step is 0"),
            WhySilent::Absorbed { step, at } => write!(f, "its step {step} is lost in rounding at {at}"),
            WhySilent::InexactSteps => {
                f.write_str("steps of a floating-point variable cannot be counted exactly")
            }
            WhySilent::BetweenSteps { value, step, start } => write!(
                f,
                "{value} is not a whole number of steps of {step} from its start {start}"
            ),
            WhySilent::Term { role, why } => match why {
                WhyNoTerm::NotInMap => write!(f, "its {role} is not known"),
                WhyNoTerm::Floating(term) => write!(f, "its {role} {term} is not computed in whole numbers"),
                WhyNoTerm::NoValue(term) => write!(f, "its {role} {term} has no value"),
                WhyNoTerm::Unread(name, why) => {
                    write!(f, "its {role} {name}: {}", WhySilent::Unread(why.clone()))
                }
            },
        }
    }
}

impl fmt::Display for TermRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TermRole::Start => "start",
            TermRole::Step => "step",
        })
    }
}
