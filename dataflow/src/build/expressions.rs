//! The points of expressions, in evaluation order.

use super::{Builder, Frontier};
use crate::effects::{self, target_of};
use crate::flow::{Action, FlowKind};
use base::{Cause, Doubt, Span};
use ir::{Callee, ExprId, ExprKind, UnaryOp};
use progress_map::Unsequenced;

impl Builder<'_> {
    /// The point at which the expression `by` assigns `target`.
    pub(super) fn assign(&mut self, target: ExprId, by: ExprId, span: Span) {
        let action = Action::Assign {
            target: target_of(self.function, target),
            by,
            initial: false,
        };
        self.emit(FlowKind::Eval, span, action);
    }

    /// An expression whose value is not used: it gets a point even when it has no effect.
    pub(super) fn full_expression(&mut self, id: ExprId, span: Span) {
        if self.effects[id] {
            self.expression(id);
        } else {
            self.emit(FlowKind::Eval, span, Action::None);
        }
    }

    /// The points of an expression's effects, in evaluation order.
    pub(super) fn expression(&mut self, id: ExprId) {
        if !self.effects[id] {
            return;
        }
        let expr = &self.function.exprs[id];
        let span = expr.span;
        match &expr.kind {
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                if !self.effects[*b] {
                    return self.expression(*a);
                }
                let is_and = matches!(expr.kind, ExprKind::And(..));
                let (when_true, when_false) = self.condition(*a);
                let (goes_on, skips) = if is_and {
                    (when_true, when_false)
                } else {
                    (when_false, when_true)
                };
                self.frontier = goes_on;
                self.expression(*b);
                self.frontier.extend(skips);
            }
            ExprKind::Conditional(cond, then, other) => {
                let (when_true, when_false) = self.condition(*cond);
                let mut bounds = vec![self.points.next_id()];
                self.frontier = when_true;
                self.expression(*then);
                bounds.push(self.points.next_id());
                let after = std::mem::replace(&mut self.frontier, when_false);
                self.expression(*other);
                bounds.push(self.points.next_id());
                self.frontier.extend(after);
                if self.is_choice(*cond) {
                    self.note_choice(bounds);
                }
            }
            ExprKind::Comma(a, b) => {
                self.expression(*a);
                self.expression(*b);
            }
            ExprKind::Assign { target, value, .. } => {
                self.operands(&[*target, *value]);
                self.assign(*target, id, span);
            }
            ExprKind::Step { target, .. } => {
                self.expression(*target);
                self.assign(*target, id, span);
            }
            ExprKind::Call { callee, .. } => {
                if let Callee::Named(name) = callee
                    && library::returns_twice(name)
                {
                    self.distrust
                        .get_or_insert(Doubt::about(Cause::ReturnsTwice, &**name, span.line));
                }
                self.operands(&effects::children(&self.function.exprs[id]));
                self.may_throw(span);
                self.emit(FlowKind::Call, span, Action::Call(id));
                self.may_throw(span);
            }
            ExprKind::Throw(value) => self.throw(*value, span),
            ExprKind::Unknown(parts) => {
                self.operands(parts);
                self.distrust
                    .get_or_insert(Doubt::at(Cause::UnknownExpression, span.line));
            }
            _ => self.operands(&effects::children(expr)),
        }
    }

    /// Operands that C may evaluate in any order.
    pub(super) fn operands(&mut self, operands: &[ExprId]) {
        let effective = operands.iter().filter(|&&operand| self.effects[operand]).count();
        if effective < 2 {
            for &operand in operands {
                self.expression(operand);
            }
            return;
        }
        let group = self.groups;
        self.groups += 1;
        for (number, &operand) in operands.iter().enumerate() {
            self.unsequenced.push(Unsequenced {
                group,
                operand: number as u32,
            });
            self.expression(operand);
            self.unsequenced.pop();
        }
    }

    /// A condition: where control goes on when it is true, and when it is false.
    pub(super) fn condition(&mut self, id: ExprId) -> (Frontier, Frontier) {
        let expr = &self.function.exprs[id];
        if self.effects[id] {
            match expr.kind {
                ExprKind::And(a, b) => {
                    let (when_true, mut when_false) = self.condition(a);
                    self.frontier = when_true;
                    let (both, second_false) = self.condition(b);
                    when_false.extend(second_false);
                    return (both, when_false);
                }
                ExprKind::Or(a, b) => {
                    let (mut when_true, when_false) = self.condition(a);
                    self.frontier = when_false;
                    let (second_true, neither) = self.condition(b);
                    when_true.extend(second_true);
                    return (when_true, neither);
                }
                ExprKind::Unary(UnaryOp::Not, inner) => {
                    let (when_true, when_false) = self.condition(inner);
                    return (when_false, when_true);
                }
                _ => {}
            }
        }
        self.expression(id);
        if let ExprKind::Int(value) = expr.kind {
            // A constant decides nothing and no code stands for it: `while (1)`, `do … while (0)`.
            let frontier = std::mem::take(&mut self.frontier);
            return if value != 0 {
                (frontier, Vec::new())
            } else {
                (Vec::new(), frontier)
            };
        }
        let decider = self.emit(FlowKind::Branch, expr.span, Action::Branch(Some(id)));
        self.frontier.clear();
        (vec![decider], vec![decider])
    }
}
