//! A loop-order variable: how it moves, where its storage is, and what its values on two tasks say about each other.

use crate::{Grounds, PointId};

/// A loop-order variable of one loop (SC'09 Def. 4.1, widened).
#[derive(Clone, Debug, PartialEq)]
pub struct Lov {
    /// The expression as the user would write it: `it`, `s->step`. Recorded values carry this name.
    pub name: String,
    /// Where its storage is found in debug info.
    pub storage: Storage,
    /// Whether every cycle of the loop changes it.
    pub class: LovClass,
    /// Which way it moves.
    pub direction: Direction,
    /// How one step moves it.
    pub growth: Growth,
    /// What its values on two different tasks say about each other.
    pub across: Across,
    /// What `across` rests on.
    pub assumption: Assumption,
    /// The reason for class, `across` and assumption.
    pub grounds: Grounds,
    /// Where the loop is cut to see the order inside one epoch.
    pub cut: Cut,
    /// The points that assign it inside the loop, sorted. A task stopped at one of them may have done it or not; so
    /// may one inside a call that updates it.
    pub updates: Vec<PointId>,
    /// The increment, when it is a constant or a loop-invariant variable; `None` when steps differ.
    pub step: Option<Term>,
    /// The value on entry, when it is a constant or a variable that the loop does not change.
    pub start: Option<Term>,
    /// The width in bits of an unsigned variable: its arithmetic wraps around at two to that power. `None` for all
    /// others, which the language does not let wrap.
    pub unsigned_bits: Option<u8>,
}

impl Lov {
    /// The reason for class, `across` and assumption as a sentence.
    pub fn because(&self) -> String {
        self.grounds.sentence(self.across, self.assumption)
    }

    /// What it rests on that `updates` are all its changes: nothing, or ([`Assumption::Assumed`]) that functions
    /// outside the map leave it alone, though they could change it. Of an index also that the range keeps its elements.
    pub fn visible(&self) -> Assumption {
        match self.grounds.unseen {
            None => Assumption::Proven,
            Some(_) => Assumption::Assumed,
        }
    }

    /// What it lacks whose values on two tasks say nothing about each other: one start and one step an iteration, both to be read,
    /// would make them comparable.
    pub fn lack(&self) -> Option<Lack> {
        match (self.across, self.class, &self.start, &self.step) {
            (Across::SameSequence | Across::Relative, ..) => None,
            (_, LovClass::Weak, ..) => Some(Lack::Strictness),
            (_, _, None, _) => Some(Lack::Start),
            (_, _, _, None) => Some(Lack::Step),
            (_, _, _, Some(_)) => Some(Lack::Evenness),
        }
    }
}

/// What keeps a variable from telling the iteration on two tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// Some cycle leaves it as it is, so that its values count no iterations.
    Strictness,
    /// Its value on entry to the loop cannot be read.
    Start,
    /// It has several steps, or one that cannot be read.
    Step,
    /// Its one step is not done once an iteration, or not added.
    Evenness,
}

impl std::fmt::Display for Lack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Lack::Strictness => "some cycle leaves it as it is",
            Lack::Start => "its value on entry to the loop cannot be read",
            Lack::Step => "it has several steps, or one that cannot be read",
            Lack::Evenness => "its step is not added once in each iteration",
        })
    }
}

/// Whether every cycle of the loop changes the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LovClass {
    /// All updates move it one way, and the loop without them (inner loops collapsed) has no cycle.
    Strict,
    /// All updates move it one way; some cycle leaves it as it is. Equal values say nothing.
    Weak,
}

/// Which way a variable moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Later iterations have larger values.
    Up,
    /// Later iterations have smaller values.
    Down,
    /// As the sign of [`Lov::step`] says at run time; a step of zero orders nothing.
    SignOfStep,
}

/// How one step moves a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Integers and pointers: by addition.
    Additive,
    /// Integers: by multiplication, division or shift.
    Multiplicative,
    /// Floating point, by addition: steps smaller than the spacing of the values would be absorbed.
    Floating,
}

/// What the values on two different tasks say about each other. Two moments of one task may always be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// Every task assigns the same sequence: values compare directly (SC'09 Def. 4.1 (3)).
    SameSequence,
    /// Start or step differ by task but both are readable: `(value - start) / step` compares.
    Relative,
    /// Nothing.
    Nothing,
}

/// What a claim across tasks rests on, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// Constants only.
    Proven,
    /// Inputs that are the same on every task: arguments, broadcast or reduced data, configuration.
    Assumed,
    /// It differs by task.
    RankDependent,
}

/// Where a loop is cut to see the order inside one epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// At the header: the change since the header is the same on every path to a point, and `value - offset` is
    /// the same all through one iteration. Lists the points where the offset is not zero, sorted; at an update the
    /// offset is that *before* it. The last element is the change over a whole iteration.
    Header {
        /// Offsets by point, in steps of one (the variable's own unit).
        offsets: Vec<(PointId, i64)>,
        /// The change over a whole iteration; never zero.
        per_iteration: i64,
    },
    /// At the updates: an epoch is the stretch between two of them.
    Updates,
}

/// A start or a step: a constant, or something to read in the same frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A constant.
    Constant(i64),
    /// A floating-point constant.
    Float(f64),
    /// A variable that does not change while the loop runs, optionally negated, by the name that recorded values
    /// carry.
    Variable {
        /// As in [`Lov::name`].
        name: String,
        /// Where its storage is found.
        storage: Storage,
        /// The term is minus the variable's value.
        negated: bool,
    },
    /// What an operator makes of two terms, in integers: `rank * chunk`.
    Arithmetic {
        /// The operator.
        op: TermOp,
        /// The two operands, in order.
        operands: Box<[Term; 2]>,
    },
}

/// An operator between two terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, rounded towards zero.
    Div,
    /// `a % b`, with the sign of `a`. No start or step has it.
    Rem,
}

impl Term {
    /// How deep operators may stand in each other.
    pub const MAX_DEPTH: usize = 4;

    /// The variables that must be read to evaluate the term: names and storages, in order.
    pub fn variables(&self) -> Vec<(&str, &Storage)> {
        match self {
            Term::Constant(_) | Term::Float(_) => Vec::new(),
            Term::Variable { name, storage, .. } => vec![(name, storage)],
            Term::Arithmetic { operands, .. } => operands.iter().flat_map(Term::variables).collect(),
        }
    }

    /// How many operators stand in each other, at most.
    pub fn depth(&self) -> usize {
        match self {
            Term::Arithmetic { operands, .. } => 1 + operands.iter().map(Term::depth).max().unwrap_or(0),
            _ => 0,
        }
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Term::Constant(value) => value.fmt(f),
            Term::Float(value) => write!(f, "{value:?}"),
            Term::Variable { name, negated, .. } => write!(f, "{}{name}", if *negated { "-" } else { "" }),
            Term::Arithmetic { op, operands } => {
                let sign = match op {
                    TermOp::Add => '+',
                    TermOp::Sub => '-',
                    TermOp::Mul => '*',
                    TermOp::Div => '/',
                    TermOp::Rem => '%',
                };
                write!(f, "({} {sign} {})", operands[0], operands[1])
            }
        }
    }
}

/// How debug info names the storage of a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Storage {
    /// A parameter or local variable, told from others of its name by its line of declaration.
    Local {
        /// Name in the source.
        name: String,
        /// `DW_AT_decl_line`.
        line: u32,
    },
    /// A variable at file scope.
    Global {
        /// Name in the source.
        name: String,
    },
    /// A member of a structure: `base.member`, or `base->member` when `arrow`.
    Member {
        /// The structure, or the pointer to it.
        base: Box<Storage>,
        /// The member's name.
        member: String,
        /// `->` rather than `.`.
        arrow: bool,
    },
    /// What a pointer points to.
    Pointee(Box<Storage>),
    /// Where a loop over a range stands: `for (auto variable : range)`.
    Range {
        /// The loop's variable, by its name in the source.
        variable: String,
        /// `DW_AT_decl_line` of it.
        line: u32,
        /// What is told of the place.
        part: RangePart,
    },
}

impl Storage {
    /// The local variable that it is, or starts from.
    pub fn local_root(&self) -> Option<&Storage> {
        match self {
            Self::Local { .. } => Some(self),
            Self::Member { base, .. } | Self::Pointee(base) => base.local_root(),
            Self::Global { .. } | Self::Range { .. } => None,
        }
    }
}

/// What is told of the place where a loop over a range stands. The program holds an iterator that has no name in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RangePart {
    /// How many elements lie before it.
    Index,
    /// The address of the element.
    Position,
}

impl std::fmt::Display for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Storage::Local { name, .. } | Storage::Global { name } => f.write_str(name),
            Storage::Member { base, member, arrow } => {
                write!(f, "{base}{}{member}", if *arrow { "->" } else { "." })
            }
            Storage::Pointee(base) => write!(f, "*{base}"),
            Storage::Range { variable, part, .. } => match part {
                RangePart::Index => write!(f, "index({variable})"),
                RangePart::Position => write!(f, "position({variable})"),
            },
        }
    }
}
