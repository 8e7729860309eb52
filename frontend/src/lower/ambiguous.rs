//! Where the grammar cannot tell a type from a value, names decide.

use crate::lower::function::{Binding, Body};
use crate::lower::{children, declare, field};
use ir::{ExprId, ExprKind, Type, UnaryOp, VarRef};
use thin_vec::thin_vec;
use tree_sitter::Node;

impl Body<'_, '_> {
    /// `(T) * p`, `(T) - 1`, `(T) & x`: the grammar cannot know that `T` is a type.
    pub(super) fn hidden_cast(&mut self, node: Node) -> Option<ExprKind> {
        let left = field(node, "left")?;
        let ty = self.parenthesized_type(left)?;
        let operator = self.operator(node).to_owned();
        let operand = self.operand(node, "right");
        let value = match operator.as_slice() {
            b"*" => ExprKind::Deref(operand),
            b"&" => {
                self.note_address(operand);
                ExprKind::AddressOf(operand)
            }
            b"-" => ExprKind::Unary(UnaryOp::Neg, operand),
            b"+" => return Some(ExprKind::Cast(ty, operand)),
            _ => return Some(ExprKind::Unknown(thin_vec![operand])),
        };
        let value = self.push_expr(value, node);
        Some(ExprKind::Cast(ty, value))
    }

    /// The type that `node` names, if it is a name in parentheses and that name is a type's.
    pub(super) fn parenthesized_type(&self, node: Node) -> Option<Type> {
        let inner = children(node);
        let (true, [name]) = (node.kind() == "parenthesized_expression", inner.as_slice()) else {
            return None;
        };
        if name.kind() != "identifier" {
            return None;
        }
        let text = self.file.name(*name);
        match self.lookup(&text) {
            Some(Binding::Type(ty)) => return Some(ty),
            Some(_) => return None,
            None => {}
        }
        let known = self.file.types.contains_key(&text) || self.file.raw.visible.is_typedef(text.as_bytes());
        known.then(|| declare::named_type(self.file, text.as_bytes(), 0))
    }

    /// The variable that `node`, a type descriptor, really names.
    pub(super) fn variable_as_type(&mut self, node: Node) -> Option<ExprId> {
        let name = self.file.name(node);
        let variable = match self.lookup(&name) {
            Some(Binding::Local(local)) => VarRef::Local(local),
            Some(_) => return None,
            None if self.file.global_index.contains_key(&name) => VarRef::Global(name.into()),
            None => return None,
        };
        Some(self.push_expr(ExprKind::Var(variable), node))
    }
}
