//! Operators that are functions of the program.

use crate::lower::function::Body;
use crate::lower::{children, field};
use ir::{BinaryOp, Callee, ExprId, ExprKind};
use thin_vec::ThinVec;
use tree_sitter::Node;

impl Body<'_, '_> {
    /// `it++` on an object calls a function.
    pub(super) fn overloaded_step(&mut self, node: Node, target: ExprId) -> Option<ExprKind> {
        if !self.file.is_cxx() {
            return None;
        }
        let name = format!("operator{}", String::from_utf8_lossy(self.operator(node)));
        let declared = self.file.is_cxx_function(&name) && self.may_be_object(target);
        if !declared && !self.is_object(target) {
            return None;
        }
        let args = vec![self.given(target, node)];
        let callee = Callee::Named(name.into());
        let call = ExprKind::Call {
            callee,
            args: args.into(),
        };
        if self.is_object(target) {
            return Some(call);
        }
        let operator = field(node, "operator");
        let step = ExprKind::Step {
            target,
            up: self.operator(node) == b"++",
            prefix: operator.is_some_and(|op| op.start_byte() == node.start_byte()),
        };
        Some(self.either(call, step, node))
    }

    /// One of two things: which of them, every build knows, and it is the same on every task. What is the call of an operator, for example,
    /// or, if the object is a plain number, the operator of the language.
    pub(super) fn either(&mut self, one: ExprKind, other: ExprKind, node: Node) -> ExprKind {
        let choice = self.push_expr(ExprKind::BuildChoice, node);
        let one = self.push_expr(one, node);
        let other = self.push_expr(other, node);
        ExprKind::Conditional(choice, one, other)
    }

    /// `a += b`, and `a = b` for an object, call a function where the program has one.
    pub(super) fn overloaded_assignment(
        &mut self,
        node: Node,
        target: ExprId,
        value: ExprId,
    ) -> Option<ExprKind> {
        if !self.file.is_cxx() {
            return None;
        }
        let operator = self.operator(node).to_vec();
        let operator = operator.as_slice();
        let name = format!("operator{}", String::from_utf8_lossy(operator));
        let is_call = match operator {
            b"=" => self.is_object(target) && self.file.is_cxx_function(&name),
            _ => self.is_object(target) || self.file.is_cxx_function(&name) && self.may_be_object(target),
        };
        if !is_call {
            return None;
        }
        let mut args = vec![self.given(target, node)];
        args.push(self.given(value, node));
        let callee = Callee::Named(name.into());
        let call = ExprKind::Call {
            callee,
            args: args.into(),
        };
        if self.is_object(target) || !self.is_lvalue(target) {
            return Some(call);
        }
        let op = operator.strip_suffix(b"=").and_then(BinaryOp::written);
        let assign = ExprKind::Assign { op, target, value };
        Some(self.either(call, assign, node))
    }

    /// `a + b` calls a function where the program has one; `>>` and `&` may be a stream's or an archive's.
    pub(super) fn overloaded_binary(&mut self, node: Node, left: ExprId, right: ExprId) -> Option<ExprKind> {
        if !self.file.is_cxx() {
            return None;
        }
        let operator = self.operator(node);
        let name = format!("operator{}", String::from_utf8_lossy(operator));
        let object = self.may_be_object(left) || self.may_be_object(right);
        let declared = self.file.is_cxx_function(&name);
        let reads_into = matches!(operator, b">>" | b"&") && self.may_be_object(left);
        let variable = matches!(self.exprs[right].kind, ExprKind::Var(_) | ExprKind::Field { .. });
        if !(object && declared || reads_into && variable) {
            return self.inserted(node, left, right);
        }
        let facts = self.file.raw.visible.cxx();
        let changes = |index: usize| {
            facts
                .iter()
                .any(|f| f.by_reference(name.as_bytes(), index) == Some(true))
        };
        // A member of the left operand's class takes the right one alone.
        let of_member = facts.iter().any(|f| f.changes_only_argument(name.as_bytes()));
        let (first, second) = (changes(0), changes(1) || of_member || reads_into);
        let left = if first { self.given(left, node) } else { left };
        let right = if second { self.given(right, node) } else { right };
        let callee = Callee::Named(name.into());
        let args = vec![left, right];
        Some(ExprKind::Call {
            callee,
            args: args.into(),
        })
    }

    /// `matrix << 1, 2, 3` calls a function for each comma where the program has one.
    pub(super) fn overloaded_comma(&mut self, node: Node, left: ExprId, right: ExprId) -> Option<ExprKind> {
        const NAME: &str = "operator,";
        let may_be_object = |body: &Self| body.may_be_object(left) || body.may_be_object(right);
        if !self.file.is_cxx() || !self.file.is_cxx_function(NAME) || !may_be_object(self) {
            return None;
        }
        let args = vec![self.given(left, node), self.given(right, node)];
        let call = ExprKind::Call {
            callee: Callee::Named(NAME.into()),
            args: args.into(),
        };
        Some(self.either(call, ExprKind::Comma(left, right), node))
    }

    /// `base[index]`; of an object it calls a function where the program has one.
    pub(super) fn subscript(&mut self, node: Node) -> ExprKind {
        let base = self.operand(node, "argument");
        let indices = field(node, "indices").map(children).unwrap_or_default();
        let index = match field(node, "index").or(indices.last().copied()) {
            Some(index) => self.expr(index),
            None => self.push_expr(ExprKind::Unknown(ThinVec::new()), node),
        };
        if self.file.is_cxx() && self.is_object(base) && self.file.is_cxx_function("operator[]") {
            let object = self.given(base, node);
            let callee = Callee::Named("operator[]".into());
            let args = vec![object, index];
            let call = self.push_expr(
                ExprKind::Call {
                    callee,
                    args: args.into(),
                },
                node,
            );
            return ExprKind::Deref(call);
        }
        ExprKind::Index { base, index }
    }

    /// Whether an assignment's target is what a call returns.
    pub(super) fn is_reference_result(&self, target: ExprId) -> bool {
        if !self.file.is_cxx() {
            return false;
        }
        let mut at = target;
        while let ExprKind::Comma(_, last) = self.exprs[at].kind {
            at = last;
        }
        matches!(self.exprs[at].kind, ExprKind::Call { .. } | ExprKind::List(_))
    }
}
