//! `-n++` and `!n--`: the grammar gives `-` and `++` one precedence and reads `(-n)++`. C reads `-(n++)`.

use crate::lower::field;
use crate::lower::function::Body;
use base::Cause;
use ir::{ExprId, ExprKind, Type, UnaryOp};
use tree_sitter::Node;

/// Operators in a row that are followed: `- - -n++`.
const CHAIN_LIMIT: usize = 64;

impl Body<'_, '_> {
    /// Lowers `node` as C means it, if it is a postfix step of something with operators in front.
    pub(super) fn step_behind_operators(&mut self, node: Node) -> Option<ExprId> {
        if node.kind() != "update_expression" {
            return None;
        }
        let mut target = field(node, "argument")?;
        let operator = field(node, "operator")?;
        if operator.start_byte() < target.start_byte() {
            return None;
        }
        let mut operators = Vec::new();
        while target.kind() == "unary_expression" && operators.len() < CHAIN_LIMIT {
            operators.push(target);
            target = field(target, "argument")?;
        }
        if operators.is_empty() {
            return None;
        }
        if matches!(target.kind(), "unary_expression" | "cast_expression") {
            self.partial(node, Cause::Step);
        }
        let up = self.file.text(operator) == b"++";
        let place = target;
        let target = self.expr(target);
        let mut value = self.push_expr(
            ExprKind::Step {
                target,
                up,
                prefix: false,
            },
            place,
        );
        for around in operators.into_iter().rev() {
            let kind = match self.operator(around) {
                b"-" => ExprKind::Unary(UnaryOp::Neg, value),
                b"~" => ExprKind::Unary(UnaryOp::BitNot, value),
                b"!" => ExprKind::Unary(UnaryOp::Not, value),
                // `+x` is x, promoted.
                _ => ExprKind::Cast(Type::Unknown, value),
            };
            value = self.push_expr(kind, around);
            let whole = self.file.span(node);
            let span = &mut self.exprs[value].span;
            (span.end_line, span.end_column) = (whole.end_line, whole.end_column);
        }
        Some(value)
    }
}
