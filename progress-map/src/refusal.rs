//! Why a variable that changes in a loop does not tell the iteration.
//!
//! A new reason is a variant here with its code and sentence, a byte in `format/refusals.rs` (and one more version of the format, see `VERSION`), and a case each in
//! `generate.rs` (or no test reads it back), `tests/as_json`, the readers under `integrations` and `docs/map-format.md`. `lov/src/step.rs` and
//! `lov/src/classify.rs` say it, with a snippet in `lov/src/tests`.

use crate::Term;
use base::Doubt;
use std::fmt;

/// A variable that changes in a loop but does not order its iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The variable, as in [`Lov::name`](crate::Lov::name).
    pub name: String,
    /// Why.
    pub why: Refusal,
}

/// Which condition of SC'09 Def. 4.1 a variable does not meet, or not for certain.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// A pragma divides the iterations among threads.
    Divided,
    /// The function was not understood as a whole, and what was not may hold a change.
    ReadInPart {
        /// What was not understood; `None` if that is not known.
        because: Option<Doubt>,
    },
    /// It may change where no assignment of it is seen.
    Interference(Interference),
    /// An assignment is none of the steps that are followed.
    UnknownStep {
        /// Its line.
        line: u32,
    },
    /// A fraction is added to a whole number.
    FractionAdded {
        /// The line that does so.
        line: u32,
    },
    /// A constant is added that the type cannot hold.
    StepTooLarge {
        /// The line that does so.
        line: u32,
        /// The constant.
        value: i64,
    },
    /// A variable is added that may be larger than the type can hold.
    StepMayBeTooLarge {
        /// The line that does so.
        line: u32,
    },
    /// Some steps are upward and some downward, and not the same ones on every path.
    MovesBothWays,
    /// The steps of an iteration add up to nothing.
    StepsCancelOut,
    /// Nobody can tell which way a step moves it, and there are others.
    DirectionUnknown {
        /// The step.
        step: Term,
    },
    /// Sums and products of steps follow no direction.
    AddedAndMultiplied,
    /// It is multiplied, which moves only what is positive.
    StartNotPositive,
    /// It is multiplied, and nothing ends the loop before it leaves its type.
    GrowsWithoutBound,
    /// It is divided, which does not move zero.
    StandsAtZero,
    /// It may pass the end of its type and start anew at the other one.
    WrapsAround {
        /// The width of the type; `None` when the type is not known.
        bits: Option<u8>,
    },
}

/// How a variable may change where no assignment of it is seen. Of several ways that a loop has, the greatest is told: what is known to
/// happen stands behind what may happen for all that is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interference {
    /// It is the element of an array or what a pointer leads to, which other names lead to as well.
    NoVariable,
    /// Its address is kept somewhere.
    ThroughPointer,
    /// It lives on when its function returns, and is changed when the function is called again.
    Static,
    /// It is a global whose address is taken.
    AddressTaken,
    /// The address of a member of this name is taken.
    MemberAddressTaken {
        /// The member.
        member: String,
    },
    /// It shares its memory with other members of a union.
    Union {
        /// The member on the path to it that does.
        member: String,
    },
    /// The pointer that the path to it begins with may change through another pointer.
    RootThroughPointer {
        /// That pointer.
        root: String,
    },
    /// A member of the same name is assigned by another path, which may lead to the same structure.
    OtherPath {
        /// The line of the assignment.
        line: u32,
    },
    /// What the path to it leads over is assigned.
    PathAssigned {
        /// The line of the assignment.
        line: u32,
    },
    /// Something is written through a pointer.
    PointerWrite {
        /// The line that does so.
        line: u32,
    },
    /// What the path to it leads over may change in turn.
    Path(Box<Interference>),
    /// A variable of the same name hides it in a part of the loop, and values are recorded by name.
    Hidden {
        /// Where the other one is declared.
        line: u32,
    },
    /// The language leaves open whether a call or an assignment in the same expression comes first.
    Unsequenced {
        /// The line of the expression.
        line: u32,
    },
    /// It is a step or a start that is assigned in the loop.
    InLoop,
    /// It is a start that is assigned on the way to the loop.
    OnTheWay,
    /// A call is given its address.
    SetByCall {
        /// The line of the call.
        line: u32,
    },
    /// A library function is given memory to write that may be its own.
    WrittenOver {
        /// That function.
        function: String,
    },
    /// A macro could not be expanded.
    ByMacro {
        /// The macro.
        name: String,
    },
    /// A function outside the map may change it.
    Unmapped(Outsider),
    /// A function outside the map may call one that changes it.
    CallsBack {
        /// The function outside the map.
        outsider: Outsider,
        /// The one that it may call.
        function: String,
    },
    /// A function is given its address and promises by a type with `const` that it leaves it alone.
    Promised {
        /// The function.
        callee: Outsider,
    },
    /// A function outside the map has no way to it that is seen, and is taken to have none.
    UnmappedLeaves(Outsider),
    /// The body of a loop over a range is taken to leave the range as it is.
    RangeKept,
    /// A function of the map may change it, or something that this one calls.
    ByFunction {
        /// That function.
        function: String,
    },
}

/// A function, or a macro that could not be expanded, whose text the map does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outsider<Name = String> {
    /// One that is called by this name.
    Named(Name),
    /// One that is called through a pointer.
    BehindPointer,
}

impl Refusal {
    /// A word for the kind of refusal that stays the same from version to version. It is part of the JSON that users read.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Divided => "divided-among-threads",
            Self::ReadInPart { .. } => "function-read-in-part",
            Self::Interference(how) => how.code(),
            Self::UnknownStep { .. } => "step-unknown",
            Self::FractionAdded { .. } => "step-fraction",
            Self::StepTooLarge { .. } => "step-too-large",
            Self::StepMayBeTooLarge { .. } => "step-may-be-too-large",
            Self::MovesBothWays => "steps-both-ways",
            Self::StepsCancelOut => "steps-cancel-out",
            Self::DirectionUnknown { .. } => "steps-of-unknown-direction",
            Self::AddedAndMultiplied => "steps-of-two-kinds",
            Self::StartNotPositive => "start-not-positive",
            Self::GrowsWithoutBound => "grows-without-bound",
            Self::StandsAtZero => "stands-at-zero",
            Self::WrapsAround { .. } => "wraps-around",
        }
    }
}

impl Interference {
    /// The same for what may change the variable unseen.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoVariable => "no-variable",
            Self::ThroughPointer => "changed-through-pointer",
            Self::Static => "changed-by-other-calls",
            Self::AddressTaken => "address-taken",
            Self::MemberAddressTaken { .. } => "member-address-taken",
            Self::Union { .. } => "in-union",
            Self::RootThroughPointer { .. } => "path-changed-through-pointer",
            Self::PathAssigned { .. } => "path-assigned",
            Self::Path(_) => "path-changed",
            Self::OtherPath { .. } => "changed-by-other-path",
            Self::PointerWrite { .. } => "pointer-write",
            Self::Hidden { .. } => "name-hidden",
            Self::Unsequenced { .. } => "unsequenced",
            Self::InLoop => "operand-changed-in-loop",
            Self::OnTheWay => "operand-changed-before-loop",
            Self::SetByCall { .. } => "set-by-call",
            Self::ByFunction { .. } => "changed-by-function",
            Self::WrittenOver { .. } => "written-over",
            Self::ByMacro { .. } => "changed-by-macro",
            Self::Unmapped(_) => "changed-by-unmapped-function",
            Self::CallsBack { .. } => "changed-by-call-back",
            Self::Promised { .. } => "promised-constant",
            Self::UnmappedLeaves(_) => "taken-to-stay",
            Self::RangeKept => "range-taken-to-stay",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Divided => f.write_str("a pragma divides the iterations of the loop among threads"),
            Self::ReadInPart { because: Some(doubt) } => write!(f, "the function was read in part ({doubt})"),
            Self::ReadInPart { because: None } => {
                f.write_str("the function was read in part (the reason is not known)")
            }
            Self::Interference(how) => how.fmt(f),
            Self::UnknownStep { line } => write!(f, "line {line} does not move it by a step that is known"),
            Self::FractionAdded { line } => write!(f, "line {line} adds a fraction to an integer"),
            Self::StepTooLarge { line, value } => {
                write!(f, "line {line} adds {value}, which its type does not hold")
            }
            Self::StepMayBeTooLarge { line } => {
                write!(f, "line {line} adds a value that its type may not hold")
            }
            Self::MovesBothWays => f.write_str("it moves both ways"),
            Self::StepsCancelOut => f.write_str("its steps cancel out over an iteration"),
            Self::DirectionUnknown { step } => write!(f, "it moves by {step} and by other steps"),
            Self::AddedAndMultiplied => f.write_str("it is both added to and multiplied"),
            Self::StartNotPositive => {
                f.write_str("it is multiplied, and its start is not known to be positive")
            }
            Self::GrowsWithoutBound => f.write_str("it is multiplied without a bound and may leave its type"),
            Self::StandsAtZero => f.write_str("it is divided and may stand still at zero"),
            Self::WrapsAround { bits: None } => f.write_str("its type is not known and it may wrap around"),
            Self::WrapsAround { bits: Some(bits) } => write!(f, "a variable of {bits} bits may wrap around"),
        }
    }
}

impl fmt::Display for Interference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVariable => f.write_str("it is no variable"),
            Self::ThroughPointer => f.write_str("it may change through a pointer"),
            Self::Static => f.write_str("it is static and other calls of the function change it"),
            Self::AddressTaken => f.write_str("its address is taken"),
            Self::MemberAddressTaken { member } => write!(f, "the address of a member {member} is taken"),
            Self::Union { member } => {
                write!(f, "{member} shares its memory with other members of a union")
            }
            Self::RootThroughPointer { root } => write!(f, "{root} may change through a pointer"),
            Self::OtherPath { line } => {
                write!(f, "line {line} assigns a member of the same name by another path")
            }
            Self::PathAssigned { line } => write!(f, "line {line} changes the way to it"),
            Self::PointerWrite { line } => write!(f, "line {line} writes through a pointer"),
            Self::Path(how) => write!(f, "the way to it may change: {how}"),
            Self::Hidden { line } => {
                write!(
                    f,
                    "another variable of this name, declared at line {line}, hides it"
                )
            }
            Self::Unsequenced { line } => {
                write!(
                    f,
                    "at line {line} C leaves open whether a call or its update comes first"
                )
            }
            Self::InLoop => f.write_str("the loop changes it"),
            Self::OnTheWay => f.write_str("it is assigned on the way to the loop"),
            Self::SetByCall { line } => write!(f, "the call at line {line} sets it"),
            Self::ByFunction { function } => write!(f, "{function}() may change it"),
            Self::WrittenOver { function } => write!(f, "{function}() may write over it"),
            Self::ByMacro { name } => {
                write!(f, "the macro {name} could not be expanded and may change it")
            }
            Self::Unmapped(outsider) => write!(f, "{outsider} is not in the map and may change it"),
            Self::CallsBack { outsider, function } => {
                write!(f, "{outsider} is not in the map and may call {function}()")
            }
            Self::Promised { callee } => write!(f, "{callee} has promised not to change it (const)"),
            Self::UnmappedLeaves(outsider) => {
                write!(f, "{outsider} is not in the map and is taken to leave it alone")
            }
            Self::RangeKept => f.write_str("the range is taken to keep its elements until the loop is left"),
        }
    }
}

impl Outsider<&str> {
    /// The same with a name of its own.
    pub fn to_owned(self) -> Outsider {
        match self {
            Self::Named(name) => Outsider::Named(name.to_owned()),
            Self::BehindPointer => Outsider::BehindPointer,
        }
    }
}

impl fmt::Display for Outsider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => write!(f, "{name}()"),
            Self::BehindPointer => f.write_str("a function behind a pointer"),
        }
    }
}
