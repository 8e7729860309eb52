//! One function of the map: points, flow, scopes, loops and their order variables.
//!
//! **Flow.** Points and edges form the function's flow graph; `entry` reaches every point that can execute. A loop is
//! a strongly connected part of it with its header; loops nest, and every point names its innermost loop. The order
//! of SC'09 Def. 3.2 is reachability in this graph with each loop cut where its variable changes.

use crate::{FileId, Grounds, LoopId, PointId, Refused, ScopeId};
use base::{Confidence, Doubt, IdVec, Language, Reading, Span};

/// A function and everything that orders two positions inside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name in the source.
    pub name: String,
    /// Its name with the namespaces and classes around it, of a function of C++ and of no other.
    pub linkage_name: Option<String>,
    /// The file that holds the definition.
    pub file: FileId,
    /// `static`: the name alone does not identify it.
    pub is_static: bool,
    /// From the first byte of the definition to its closing brace.
    pub span: Span,
    /// How well the source was understood. When `Partial`, no order inside the function may be claimed.
    pub confidence: Confidence,
    /// Why nothing may be claimed, or what was repaired.
    pub confidence_reason: Option<Doubt>,
    /// Which text of it was read.
    pub reading: Reading,
    /// Program points; point 0 is the entry. It and the exit (the last point) have the function's own span.
    pub points: IdVec<PointId, Point>,
    /// Flow from point to point, sorted, without duplicates.
    pub edges: Vec<(PointId, PointId)>,
    /// Syntactic scopes, parents before children; scope 0 is the function.
    pub scopes: IdVec<ScopeId, Scope>,
    /// Loops, parents before children.
    pub loops: IdVec<LoopId, Loop>,
}

/// A node of the flow graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What happens there.
    pub kind: PointKind,
    /// Where it stands in the source, as compilers number it.
    pub span: Span,
    /// The innermost syntactic scope around it.
    pub scope: ScopeId,
    /// The innermost loop that contains it in the flow graph.
    pub innermost_loop: Option<LoopId>,
    /// The operand positions that leave its order to others open; sorted by group.
    pub unsequenced: Vec<Unsequenced>,
}

impl Function {
    /// The language that it is written in: of C++ all functions have a linkage name, of C none.
    pub fn language(&self) -> Language {
        match self.linkage_name {
            Some(_) => Language::Cxx,
            None => Language::C,
        }
    }

    /// The calls from which the exit is reached without another call, sorted.
    pub fn last_calls(&self) -> Vec<PointId> {
        let Some(exit) = self.points.ids().next_back() else {
            return Vec::new();
        };
        // Backwards from the exit, through whatever is no call.
        let mut sources: Vec<(PointId, PointId)> = self.edges.iter().map(|&(from, to)| (to, from)).collect();
        sources.sort_unstable();
        let mut seen = vec![false; self.points.len()];
        let mut calls = Vec::new();
        let mut work = vec![exit];
        while let Some(point) = work.pop() {
            let first = sources.partition_point(|&(to, _)| to < point);
            for &(_, from) in sources[first..].iter().take_while(|&&(to, _)| to == point) {
                if std::mem::replace(&mut seen[base::Id::index(from)], true) {
                    continue;
                }
                match &self.points[from].kind {
                    kind if kind.is_call() => calls.push(from),
                    _ => work.push(from),
                }
            }
        }
        calls.sort_unstable();
        calls
    }

    /// Whether control comes from `from` to `to` by at least one step, in between at none but points that `through` admits.
    pub fn reaches(&self, from: PointId, to: PointId, through: impl Fn(PointId) -> bool) -> bool {
        let mut seen: IdVec<PointId, bool> = self.points.iter().map(|_| false).collect();
        base::reaches(
            from,
            to,
            |point| !std::mem::replace(&mut seen[point], true),
            |point, next| {
                next.extend(
                    self.successors(point)
                        .filter(|&point| point == to || through(point)),
                )
            },
        )
    }

    /// The points that control comes to from `starts`, which are among them, by none but points that `through` admits.
    pub fn reached(&self, starts: &[PointId], through: impl Fn(PointId) -> bool) -> IdVec<PointId, bool> {
        let mut reached: IdVec<PointId, bool> = self.points.iter().map(|_| false).collect();
        let mut work = starts.to_vec();
        while let Some(point) = work.pop() {
            if !std::mem::replace(&mut reached[point], true) {
                work.extend(self.successors(point).filter(|&next| through(next)));
            }
        }
        reached
    }

    /// Whether anything is called in the loop `id`, or in a loop inside it.
    pub fn calls_in_loop(&self, id: LoopId) -> bool {
        self.points
            .iter_enumerated()
            .any(|(point, what)| what.kind.is_call() && self.loops_around(point).any(|at| at == id))
    }

    /// The points that may execute right after `point`, sorted.
    pub fn successors(&self, point: PointId) -> impl Iterator<Item = PointId> + '_ {
        let first = self.edges.partition_point(|&(source, _)| source < point);
        let own = self.edges[first..].iter();
        own.take_while(move |&&(source, _)| source == point)
            .map(|&(_, target)| target)
    }

    /// The loops that contain `point`, from the innermost to the outermost.
    pub fn loops_around(&self, point: PointId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.points[point].innermost_loop, |&at| self.loops[at].parent)
    }
}

/// What happens at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// The function begins.
    Entry,
    /// The function is about to return.
    Exit,
    /// Something is computed or assigned.
    Eval,
    /// The function returns a value that no call can have left behind for it. Where a caller uses the value, the frame is there until
    /// then; an optimising compiler may make a copy of the function that returns none.
    Return,
    /// A branch is decided.
    Branch,
    /// A function is called by name.
    Call(String),
    /// Whatever a pointer points to is called.
    IndirectCall,
    /// An unexpanded macro is invoked: any function may be called under it.
    MacroCall(String),
}

impl PointKind {
    /// The name of the function that is called, where one is called by name.
    pub fn callee(&self) -> Option<&str> {
        match self {
            Self::Call(name) => Some(name),
            _ => None,
        }
    }

    /// Whether something is called at such a point, by whatever name.
    pub fn is_call(&self) -> bool {
        matches!(self, Self::Call(_) | Self::IndirectCall | Self::MacroCall(_))
    }
}

/// C leaves the order of some operands open (`f(x) + g(y)`): two points that share a group but not the operand have
/// no order that the source could tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unsequenced {
    /// The operator or call whose operands these are; numbered per function.
    pub group: u32,
    /// Which of its operands the point belongs to.
    pub operand: u32,
}

/// A level of the paper's tuples (SC'09 section 4.1, Figure 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The enclosing scope; `None` for the function itself.
    pub parent: Option<ScopeId>,
    /// What kind of statement it is.
    pub kind: ScopeKind,
    /// Its first line; the tuple shows the displacement from the parent's.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
}

/// What kind of statement a scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// The function definition.
    Function,
    /// A compound statement.
    Block,
    /// A loop statement: its tuple element is followed by an iteration token. The loop is absent when the body
    /// never repeats (`do … while (0)`).
    Loop(Option<LoopId>),
    /// An `if`, `switch` or `#if`: its tuple element is followed by a branch token.
    Branch,
    /// One arm of a branch; arms of one branch are numbered in source order.
    Arm(u32),
}

/// A loop of the flow graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The enclosing loop.
    pub parent: Option<LoopId>,
    /// The statement that it comes from.
    pub source: LoopSource,
    /// Where a user looks for it: the loop statement, or the label that a `goto` returns to.
    pub span: Span,
    /// The point that every cycle passes, and the only one that is entered from outside when `reducible`.
    pub header: PointId,
    /// False when the loop has several entries (`goto` into it): nothing inside it can be ordered.
    pub reducible: bool,
    /// Variables that order its iterations, best first.
    pub lovs: Vec<Lov>,
    /// Candidates that do not, with the reason.
    pub refused: Vec<Refused>,
}

/// The statement that a loop comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopSource {
    /// `while`
    While,
    /// `do … while`
    DoWhile,
    /// `for`
    For,
    /// A `goto` that jumps back.
    Goto,
}

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
