//! What a member holds of a structure that is copied as a whole, or returned: what it holds of the original.

use crate::build::origins::{Asker, MOST, Origins, STEPS};
use crate::graph::{MemoryAccess, NodeId, NodeKind};
use crate::places::NameId;
use base::Id as _;
use dataflow::{Action, FunctionIndex};
use ir::{ExprKind, VarRef};
use progress_map::PointId;
use std::collections::BTreeSet;

impl Asker<'_, '_> {
    /// What a member of the structure holds that a node copies, or returns; `None` if it copies none.
    pub(super) fn member_of_copy(&mut self, node: NodeId, member: NameId) -> Origins {
        self.steps += 1;
        if self.steps > STEPS || !self.open_members.insert((node, member)) {
            return None;
        }
        let found = self.copied(node, member).filter(|found| found.len() <= MOST);
        self.open_members.remove(&(node, member));
        found
    }

    fn copied(&mut self, node: NodeId, member: NameId) -> Origins {
        let graph = self.graph;
        let id = graph.nodes[node].function?;
        if graph.nodes[node].kind != NodeKind::Plain
            || graph.is_hidden(id)
            || graph.functions[id].distrust.is_some()
        {
            return None;
        }
        let info = self
            .program
            .functions
            .get(FunctionIndex::from_index(id.index()))?;
        let first = graph.functions[id].first_node.index();
        let exprs = &info.function.exprs;
        let value = match info.flow.points[PointId::from_index(node.index() - first)].action {
            Action::Assign {
                by, initial: true, ..
            } => by,
            Action::Assign { by, .. } => match exprs[by].kind {
                ExprKind::Assign { op: None, value, .. } => value,
                _ => return None,
            },
            Action::Return(value) => value?,
            _ => return None,
        };
        let name = match &exprs[value].kind {
            ExprKind::Call { .. } => {
                let mut points = info.flow.points.iter_enumerated();
                let (point, _) = points.find(|(_, each)| each.action == Action::Call(value))?;
                return self.member_returned(NodeId::from_index(first + point.index()), member);
            }
            ExprKind::Var(VarRef::Local(local)) => info.function.locals[*local].name.as_str(),
            ExprKind::Var(VarRef::Global(name)) => name.as_str(),
            _ => return None,
        };
        let name = *self.names.get(name)?;
        let reads = graph.reads.of(node.index()).iter();
        let whole = reads.filter(|access| access.key.is_none() && access.name == Some(name));
        let parts = whole.map(|&access| MemoryAccess {
            key: Some(member),
            ..access
        });
        let parts = Vec::from_iter(parts);
        self.written_to(&parts)
    }

    /// What a member of the structures holds that the functions return which a call may lead to.
    fn member_returned(&mut self, call: NodeId, member: NameId) -> Origins {
        let call = self.graph.call(call)?;
        if call.callees.is_empty() || call.hands_on || call.name.is_none() {
            return None;
        }
        let mut all = BTreeSet::new();
        for &callee in &call.callees {
            let returns = &self.graph.functions[callee].returns;
            if returns.is_empty() {
                return None;
            }
            for &value in returns {
                all.extend(self.member_of_copy(value, member)?);
            }
        }
        Some(all)
    }
}
