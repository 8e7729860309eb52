//! Expressions.

use crate::constant;
use crate::function::{Binding, Body};
use base::Cause;
use ir::{Callee, ExprId, ExprKind, Type, UnaryOp, VarRef};
use lang_c::ast::{
    self, BinaryOperator, BinaryOperatorExpression, CallExpression, Declarator, DerivedDeclarator,
    Expression, GenericAssociation, MemberOperator, SpecifierQualifier, TypeName, UnaryOperator,
    UnaryOperatorExpression,
};
use lang_c::span::Node;
use thin_vec::{ThinVec, thin_vec};

impl Body<'_, '_> {
    /// Lowers an expression.
    pub(crate) fn expr(&mut self, node: &Node<Expression>) -> ExprId {
        let id = self.deeper(node, |body| match &node.node {
            Expression::Comma(parts) => {
                let parts = parts.iter().map(|part| body.expr(part)).collect();
                body.sequence(parts, node)
            }
            Expression::Statement(statement) => body.statement_expression(statement),
            _ => {
                let kind = body.expr_kind(node);
                body.push_expr(kind, node)
            }
        });
        id.unwrap_or_else(|| self.push_expr(ExprKind::Unknown(ThinVec::new()), node))
    }

    /// Several expressions, one after the other.
    pub(crate) fn sequence<T>(&mut self, parts: Vec<ExprId>, node: &Node<T>) -> ExprId {
        let mut parts = parts.into_iter();
        match parts.next() {
            Some(first) => parts.fold(first, |before, after| {
                self.push_expr(ExprKind::Comma(before, after), node)
            }),
            None => self.push_expr(ExprKind::Unknown(ThinVec::new()), node),
        }
    }

    fn expr_kind(&mut self, node: &Node<Expression>) -> ExprKind {
        match &node.node {
            Expression::Identifier(name) => self.identifier(&name.node.name),
            Expression::Constant(value) => match constant::lower(&value.node) {
                (kind, None) => kind,
                (kind, Some(ty)) => ExprKind::Cast(ty, self.push_expr(kind, node)),
            },
            Expression::StringLiteral(_) => ExprKind::Str,
            // The operand is not evaluated.
            Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_) => ExprKind::Constant,
            Expression::Member(member) => ExprKind::Field {
                base: self.expr(&member.node.expression),
                name: member.node.identifier.node.name.as_str().into(),
                arrow: member.node.operator.node == MemberOperator::Indirect,
            },
            Expression::Call(call) => self.call(&call.node),
            Expression::CompoundLiteral(literal) => {
                let items = &literal.node.initializer_list;
                ExprKind::List(
                    items
                        .iter()
                        .map(|item| self.initializer(&item.node.initializer))
                        .collect(),
                )
            }
            Expression::UnaryOperator(unary) => self.unary(&unary.node),
            Expression::Cast(cast) => {
                let ty = self.type_of_name(&cast.node.type_name.node);
                ExprKind::Cast(ty, self.expr(&cast.node.expression))
            }
            Expression::BinaryOperator(binary) => self.binary(node, &binary.node),
            Expression::Conditional(choice) => {
                let cond = self.expr(&choice.node.condition);
                let then = self.expr(&choice.node.then_expression);
                ExprKind::Conditional(cond, then, self.expr(&choice.node.else_expression))
            }
            Expression::VaArg(arg) => {
                let list = self.expr(&arg.node.va_list);
                ExprKind::Call {
                    callee: Callee::Named("__builtin_va_arg".into()),
                    args: thin_vec![list],
                }
            }
            Expression::GenericSelection(choice) => {
                // The first operand is not evaluated, and one of the others is.
                let choices = choice.node.associations.iter().map(|each| match &each.node {
                    GenericAssociation::Type(each) => self.expr(&each.node.expression),
                    GenericAssociation::Default(value) => self.expr(value),
                });
                ExprKind::Unknown(choices.collect())
            }
            // Their values are those of their parts; see `expr`.
            Expression::Comma(_) | Expression::Statement(_) => ExprKind::Unknown(ThinVec::new()),
        }
    }

    fn identifier(&mut self, name: &str) -> ExprKind {
        match self.lookup(name) {
            Some(Binding::Local(local)) => return ExprKind::Var(VarRef::Local(local)),
            Some(Binding::Enumerator(value)) => return value.map_or(ExprKind::Constant, ExprKind::Int),
            Some(Binding::Type(_)) => return ExprKind::Constant,
            Some(Binding::FileScope) => {}
            None => {
                if let Some(value) = self.unit.enumerators.get(name) {
                    return value.map_or(ExprKind::Constant, ExprKind::Int);
                }
                if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
                    return ExprKind::Str;
                }
            }
        }
        self.unit.note_address_of_function(name);
        ExprKind::Var(VarRef::Global(name.into()))
    }

    fn call(&mut self, call: &CallExpression) -> ExprKind {
        let callee = match &call.callee.node {
            Expression::Identifier(name) if !self.is_variable(&name.node.name) => {
                Callee::Named(name.node.name.as_str().into())
            }
            _ => Callee::Indirect(self.expr(&call.callee)),
        };
        ExprKind::Call {
            callee,
            args: call
                .arguments
                .iter()
                .map(|argument| self.expr(argument))
                .collect(),
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        match self.lookup(name) {
            Some(Binding::Local(_)) => true,
            Some(Binding::FileScope) | None => self.unit.global_index.contains_key(name),
            Some(Binding::Enumerator(_) | Binding::Type(_)) => false,
        }
    }

    fn unary(&mut self, unary: &UnaryOperatorExpression) -> ExprKind {
        let operand = self.expr(&unary.operand);
        let step = |up, prefix| ExprKind::Step {
            target: operand,
            up,
            prefix,
        };
        match unary.operator.node {
            UnaryOperator::PostIncrement => step(true, false),
            UnaryOperator::PostDecrement => step(false, false),
            UnaryOperator::PreIncrement => step(true, true),
            UnaryOperator::PreDecrement => step(false, true),
            UnaryOperator::Address => {
                // `&*p` evaluates neither operator: it is p (C11 6.5.3.2p3).
                if let ExprKind::Deref(pointer) = self.exprs[operand].kind {
                    return ExprKind::Cast(Type::Pointer, pointer);
                }
                // What the expression itself shows of a whole global needs no note.
                if !matches!(self.exprs[operand].kind, ExprKind::Var(VarRef::Global(_))) {
                    self.take_address(operand);
                }
                ExprKind::AddressOf(operand)
            }
            UnaryOperator::Indirection => ExprKind::Deref(operand),
            // `+x` is x, promoted.
            UnaryOperator::Plus => ExprKind::Cast(Type::Unknown, operand),
            UnaryOperator::Minus => match self.exprs[operand].kind {
                ExprKind::Int(value) if value > i64::MIN => ExprKind::Int(-value),
                ExprKind::Float(value) => ExprKind::Float(-value),
                _ => ExprKind::Unary(UnaryOp::Neg, operand),
            },
            UnaryOperator::Complement => ExprKind::Unary(UnaryOp::BitNot, operand),
            UnaryOperator::Negate => ExprKind::Unary(UnaryOp::Not, operand),
        }
    }

    /// Records that the address of `target` is taken: of the variable that it is, or is a part of.
    fn take_address(&mut self, target: ExprId) {
        match &self.exprs[target].kind {
            ExprKind::Var(VarRef::Local(local)) => {
                let local = *local;
                self.locals[local].address_taken = true;
            }
            ExprKind::Var(VarRef::Global(name)) => {
                let name = *name;
                if let Some(global) = self.unit.global_mut(&name) {
                    global.address_taken = true;
                }
            }
            ExprKind::Field {
                base, arrow: false, ..
            }
            | ExprKind::Index { base, .. }
            | ExprKind::Cast(_, base) => {
                let base = *base;
                self.take_address(base);
            }
            _ => {}
        }
    }

    fn binary(&mut self, node: &Node<Expression>, binary: &BinaryOperatorExpression) -> ExprKind {
        let left = self.expr(&binary.lhs);
        let right = self.expr(&binary.rhs);
        let operator = &binary.operator.node;
        if constant::assigns(operator) {
            let target = &self.exprs[left].kind;
            let lvalue = matches!(
                target,
                ExprKind::Var(_) | ExprKind::Field { .. } | ExprKind::Index { .. } | ExprKind::Deref(_)
            );
            if !lvalue {
                self.partial(node, Cause::Assignment);
                return ExprKind::Unknown(thin_vec![left, right]);
            }
            return ExprKind::Assign {
                op: constant::operator(operator),
                target: left,
                value: right,
            };
        }
        match operator {
            BinaryOperator::Index => ExprKind::Index {
                base: left,
                index: right,
            },
            BinaryOperator::LogicalAnd => ExprKind::And(left, right),
            BinaryOperator::LogicalOr => ExprKind::Or(left, right),
            other => match constant::operator(other) {
                Some(operator) => ExprKind::Binary(operator, left, right),
                None => ExprKind::Unknown(thin_vec![left, right]),
            },
        }
    }

    fn type_of_name(&self, name: &TypeName) -> Type {
        let types = name.specifiers.iter().filter_map(|each| match &each.node {
            SpecifierQualifier::TypeSpecifier(ty) => Some(&ty.node),
            _ => None,
        });
        let base = crate::types::of_specifiers(types, &|name| self.named_type(name));
        let derived = name
            .declarator
            .as_ref()
            .map(|declarator| nearest(&declarator.node));
        match derived.flatten() {
            None => base,
            Some(DerivedDeclarator::Array(_)) => Type::Array,
            Some(_) => Type::Pointer,
        }
    }
}

/// The derivation of an abstract declarator that comes last to the value.
fn nearest(declarator: &Declarator) -> Option<&DerivedDeclarator> {
    if let ast::DeclaratorKind::Declarator(inner) = &declarator.kind.node
        && let Some(found) = nearest(&inner.node)
    {
        return Some(found);
    }
    declarator.derived.last().map(|derived| &derived.node)
}
