//! Which values an argument has by which of the calls that lead to it: a wrapper such as `send_to(peer, tag)` is one send for
//! each of its calls.
//!
//! An argument is followed where it is computed from one parameter and constants alone (`tag`, `(int) tag`, `BASE + tag`), and the
//! parameter is never assigned. What a call hands over then says what the argument is in that call and in no other; through memory it would
//! not, for a member may hold what an earlier call left there. Callers that are wrappers themselves are followed in the same way.
//!
//! Equation, for the values *V* of an argument *e* that depends on parameter *p*, by a call *c* of the function: *V(e)* with the
//! values of what *c* hands over for *p* in place of *p*; what *c* hands over may be told apart by the callers of its function in turn.

use crate::build::origins::{Asker, Origins, fits};
use crate::graph::{EdgeKind, NodeId};
use base::Id as _;
use dataflow::{Action, FunctionIndex, FunctionInfo};
use ir::{ExprId, ExprKind, LocalId, UnaryOp, VarRef};
use progress_map::PointId;

/// More ways than these are as good as any.
const MOST: usize = 64;

/// So many functions stand around each other at most.
const DEEPEST: usize = 3;

/// The calls that lead to an argument, innermost first, and the values that it has then.
pub(super) type Way = (Vec<NodeId>, Origins);

impl Asker<'_, '_> {
    /// All ways to an argument with the values that it has by each; `None` where callers do not tell.
    pub(super) fn by_caller(&mut self, argument: NodeId) -> Option<Vec<Way>> {
        self.ways_to(argument, DEEPEST)
    }

    fn ways_to(&mut self, argument: NodeId, depth: usize) -> Option<Vec<Way>> {
        let id = self.graph.nodes[argument].function.filter(|_| depth > 0)?;
        let index = FunctionIndex::from_index(id.index());
        let program = self.program;
        let info = program.functions.get(index)?;
        if self.graph.is_hidden(id) || self.graph.functions[id].distrust.is_some() {
            return None;
        }
        let expr = self.expr_of(info, id, argument)?;
        let mut used = None;
        if !self.uses_one(info, argument, expr, &mut used) {
            return None;
        }
        let local = used?;
        let ty = info.function.locals[local].ty;
        let parameter = self.graph.functions[id].parameter(local.index() as u32);
        let mut found = Vec::new();
        for handed in self.handed_over(info, id, local.index())? {
            let further = self.ways_to(handed.argument, depth - 1);
            let further = match further {
                Some(further) => further,
                None => vec![(Vec::new(), self.ask(handed.argument))],
            };
            for (way, values) in further {
                let values = values.and_then(|values| fits(ty, values));
                let before = self.known.insert(parameter, values);
                let value = self.of_expr(info, argument, expr);
                match before {
                    Some(before) => self.known.insert(parameter, before),
                    None => self.known.remove(&parameter),
                };
                found.push(([&[handed.call], &way[..]].concat(), value));
            }
            if found.len() > MOST {
                return None;
            }
        }
        Some(found)
    }

    /// Whether an expression is computed from constants and at most one parameter, which nobody has assigned.
    fn uses_one(
        &self,
        info: &FunctionInfo<'_>,
        node: NodeId,
        expr: ExprId,
        used: &mut Option<LocalId>,
    ) -> bool {
        match info.function.exprs[expr].kind {
            ExprKind::Int(_) => true,
            ExprKind::Cast(_, inner) | ExprKind::Unary(UnaryOp::Neg, inner) => {
                self.uses_one(info, node, inner, used)
            }
            ExprKind::Binary(_, a, b) => {
                self.uses_one(info, node, a, used) && self.uses_one(info, node, b, used)
            }
            ExprKind::Var(VarRef::Local(local)) => {
                let is_other = used.replace(local).is_some_and(|other| other != local);
                !is_other && self.is_as_given(info, node, local)
            }
            _ => false,
        }
    }

    /// Whether a variable is a parameter that has the value that it was given.
    fn is_as_given(&self, info: &FunctionInfo<'_>, node: NodeId, local: LocalId) -> bool {
        let graph = self.graph;
        let Some(id) = graph.nodes[node]
            .function
            .filter(|_| local.index() < info.function.params)
        else {
            return false;
        };
        let name = info.function.locals[local].name.as_str();
        let parameter = graph.functions[id].parameter(local.index() as u32);
        let edges = graph.edges.of(node.index()).iter();
        let mut sources = edges
            .filter(|edge| edge.kind == EdgeKind::Local)
            .filter(|edge| edge.name.is_some_and(|id| graph.name(id) == name))
            .peekable();
        sources.peek().is_some() && sources.all(|edge| edge.to == parameter)
    }

    /// The expression of an argument.
    pub(super) fn expr_of(
        &self,
        info: &FunctionInfo<'_>,
        id: crate::graph::FunctionId,
        node: NodeId,
    ) -> Option<ExprId> {
        let calls = self.graph.calls_of(id);
        let at = calls
            .partition_point(|call| call.first_argument <= node)
            .checked_sub(1)?;
        let call = &calls[at];
        let index = node.index() - call.first_argument.index();
        let point = call.node.index() - self.graph.functions[id].first_node.index();
        let Action::Call(expr) = info.flow.points[PointId::from_index(point)].action else {
            return None;
        };
        let ExprKind::Call { args, .. } = &info.function.exprs[expr].kind else {
            return None;
        };
        args.get(index)
            .copied()
            .filter(|_| index < call.arguments as usize)
    }
}
