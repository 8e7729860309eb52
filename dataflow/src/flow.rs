//! The flow graph of one function.
//!
//! A point is one side effect, call or branch; what computes without effect belongs to the point that uses it. Entry is
//! the first point and exit the last. Points with an empty span are joins that no code stands for (a label, the
//! start of a `do`): they give every loop a header of its own.

use crate::effects::Target;
use base::{Doubt, IdVec, Span};
use ir::{Callee, ExprId, ExprKind, Function, LoopKind};
use progress_map::{PointId, PointKind, Scope, ScopeId, Unsequenced};
use thin_vec::ThinVec;

/// The flow graph of one function.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Points; the first is the entry, the last the exit.
    pub points: IdVec<PointId, FlowPoint>,
    /// Successors of each point, sorted, without duplicates.
    pub succs: Neighbours,
    /// Predecessors of each point, sorted, without duplicates.
    pub preds: Neighbours,
    /// Whether control can get there from the entry.
    pub reachable: IdVec<PointId, bool>,
    /// Syntactic scopes, parents before children. Loop scopes carry no loop id yet.
    pub scopes: IdVec<ScopeId, Scope>,
    /// Loop statements: scope, kind, and the point that heads the loop if it repeats.
    pub loop_statements: Vec<(ScopeId, LoopKind, PointId)>,
    /// The headers of loops whose iterations a pragma divides among threads.
    pub divided: Vec<PointId>,
    /// Arms of which every build has one, where two of them make the same call at the same position: where each begins, and the
    /// point behind the last.
    pub choices: Vec<Vec<PointId>>,
    /// Where handlers of exceptions begin, in order. Nothing but an exception leads there.
    pub handlers: Vec<PointId>,
    /// Why the graph cannot be trusted, if it cannot (`setjmp`, a computed `goto`, a jump to a missing label).
    pub distrust: Option<Doubt>,
}

/// A point with what it does. It becomes one of the map's ([`progress_map::Point`]) when the loops around it are known.
#[derive(Clone, Debug)]
pub struct FlowPoint {
    /// What happens there.
    pub kind: FlowKind,
    /// Where it stands in the source, as compilers number it.
    pub span: Span,
    /// The innermost syntactic scope around it.
    pub scope: ScopeId,
    /// The operand positions that leave its order to others open; sorted by group.
    pub unsequenced: ThinVec<Unsequenced>,
    /// What it does to variables.
    pub action: Action,
}

// A program of a million lines has a million and a half of them.
const _: () = assert!(size_of::<FlowPoint>() == 56);

/// What happens at a point, but for the names that the map's kinds ([`PointKind`]) have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// The function begins.
    Entry,
    /// The function is about to return.
    Exit,
    /// Something is computed or assigned.
    Eval,
    /// The function returns a value.
    Return,
    /// A branch is decided.
    Branch,
    /// The call that [`Action::Call`] names.
    Call,
}

impl FlowPoint {
    /// Its kind in the map; `function` is the one whose flow it belongs to.
    pub fn kind_in_map(&self, function: &Function) -> PointKind {
        match self.kind {
            FlowKind::Entry => PointKind::Entry,
            FlowKind::Exit => PointKind::Exit,
            FlowKind::Eval => PointKind::Eval,
            FlowKind::Return => PointKind::Return,
            FlowKind::Branch => PointKind::Branch,
            FlowKind::Call => match self.callee(function) {
                Some(Callee::Named(name)) => {
                    // Stacks have the name alone.
                    let name = name.as_str();
                    PointKind::Call(name.strip_prefix(library::STANDARD).unwrap_or(name).to_owned())
                }
                Some(Callee::Macro(called)) => PointKind::MacroCall(called.name.to_string()),
                Some(Callee::Indirect(_)) | None => PointKind::IndirectCall,
            },
        }
    }

    /// Whom it calls, if it calls.
    pub fn callee<'f>(&self, function: &'f Function) -> Option<&'f Callee> {
        match (&self.action, self.kind) {
            (Action::Call(call), FlowKind::Call) => match &function.exprs[*call].kind {
                ExprKind::Call { callee, .. } => Some(callee),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What a point does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Nothing that anybody reads.
    None,
    /// Assigns: `target = value`, or `target op= value`, `++`, `--` as the expression `by` says. A declaration's
    /// initialiser has no assignment expression; then `by` is the initialiser itself and `initial` is set.
    Assign {
        /// What is written.
        target: Target,
        /// The assignment, step or initialiser.
        by: ExprId,
        /// `by` is an initialiser.
        initial: bool,
    },
    /// Calls; the expression is the call.
    Call(ExprId),
    /// Decides a branch by this expression (`None` when nothing decides: `for (;;)`, `#if`).
    Branch(Option<ExprId>),
    /// Returns this value.
    Return(Option<ExprId>),
}

/// Points beside each point, sorted and without duplicates: one list for all, since a tree of a million lines has
/// millions of points and nearly all have one neighbour.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// Where the list of each point ends.
    ends: IdVec<PointId, u32>,
    points: Vec<PointId>,
}

impl Neighbours {
    /// From pairs of a point and a neighbour; sorted, without duplicates. There are `count` points.
    pub(crate) fn new(count: usize, pairs: &[(PointId, PointId)]) -> Self {
        let mut ends: IdVec<PointId, u32> = IdVec::new();
        let mut end = 0;
        while ends.len() < count {
            let id = ends.next_id();
            end += pairs[end..].iter().take_while(|&&(from, _)| from == id).count();
            ends.push(end as u32);
        }
        Neighbours {
            ends,
            points: pairs.iter().map(|&(_, to)| to).collect(),
        }
    }

    /// All points with their neighbours.
    pub fn iter_enumerated(&self) -> impl Iterator<Item = (PointId, &[PointId])> {
        self.ends.ids().map(|id| (id, &self[id]))
    }
}

impl std::ops::Index<PointId> for Neighbours {
    type Output = [PointId];

    fn index(&self, point: PointId) -> &[PointId] {
        let index = base::Id::index(point);
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.ends.as_slice()[before]);
        &self.points[start as usize..self.ends[point] as usize]
    }
}

impl Flow {
    /// The entry point.
    pub fn entry(&self) -> PointId {
        base::Id::from_index(0)
    }

    /// The exit point.
    pub fn exit(&self) -> PointId {
        base::Id::from_index(self.points.len() - 1)
    }
}
