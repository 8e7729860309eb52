//! One function of the map: points, flow, scopes, loops and their order variables.
//!
//! **Flow.** Points and edges form the function's flow graph; `entry` reaches every point that can execute. A loop is
//! a strongly connected part of it with its header; loops nest, and every point names its innermost loop. The order
//! of SC'09 Def. 3.2 is reachability in this graph with each loop cut where its variable changes.

use crate::{FileId, LoopId, Lov, PointId, Refused, ScopeId};
use base::{Confidence, Doubt, IdVec, Reading, Span};

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
    /// One that was understood whole, without anything in it.
    pub(crate) fn bare(name: &str, file: FileId, span: Span) -> Self {
        Self {
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

    /// Whether its name in the source is not all of its name, as in C++ and in modules of Fortran: others of the program may have that name, too. Such a
    /// function may call what its text does not name; functions of C do not.
    pub fn is_qualified(&self) -> bool {
        self.linkage_name.is_some()
    }

    /// Whether it is a constructor of C++.
    pub fn is_constructor(&self) -> bool {
        let qualified = self.linkage_name.as_deref();
        qualified.is_some_and(|qualified| base::constructs(qualified, &self.name))
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
