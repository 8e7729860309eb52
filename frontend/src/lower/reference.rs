//! References, and what a call may change that it is given.
//!
//! A reference is a pointer that is followed wherever it is named: `int &r = x; r++;` becomes `int *r = &x; (*r)++;`. So
//! the analyses need to know nothing of references. The price is paid at calls: an argument looks the same whether the
//! function takes its value or may change it. The declarations of all C++ files tell; where none does, the
//! argument's address is taken to be given away.

use crate::lower::function::Body;
use crate::lower::lambda::MASK_UNKNOWN;
use base::Cause;
use ir::{Callee, ExprId, ExprKind, LocalId, Type, VarRef};
use library::standard::{self, Fact};
use library::symbols::is_builtin;
use tree_sitter::Node;

impl Body<'_, '_> {
    /// A variable by its name: what a reference stands for, or the variable itself.
    pub(super) fn variable(&mut self, local: LocalId, node: Node) -> ExprKind {
        let variable = ExprKind::Var(VarRef::Local(local));
        if self.references.contains(&local) {
            return ExprKind::Deref(self.push_expr(variable, node));
        }
        variable
    }

    /// Whether an expression is the pointer that a reference, or `this`, stands for, not what is behind it.
    pub(super) fn is_reference_itself(&self, id: ExprId) -> bool {
        match &self.exprs[id].kind {
            ExprKind::Var(VarRef::Local(local)) => {
                self.references.contains(local) || Some(*local) == self.this
            }
            _ => false,
        }
    }

    /// The address that a reference is bound to by its initialiser.
    pub(super) fn referent(&mut self, value: ExprId, node: Node) -> ExprId {
        match &self.exprs[value].kind {
            ExprKind::Deref(pointer) => *pointer,
            ExprKind::Var(_) | ExprKind::Field { .. } | ExprKind::Index { .. } => {
                self.note_address(value);
                self.push_expr(ExprKind::AddressOf(value), node)
            }
            // What these return is one of their arguments.
            ExprKind::Call {
                callee: Callee::Named(name),
                args,
            } if standard::holds(name.as_str(), Fact::ReturnsArgument) => {
                let args = args.clone();
                let mut parts: Vec<ExprId> = args.into_iter().map(|arg| self.given(arg, node)).collect();
                parts.push(value);
                self.push_expr(ExprKind::List(parts.into()), node)
            }
            // A temporary, or what a call returns.
            _ => value,
        }
    }

    /// What a function returns. Where that is a reference, whoever called gets the address of what stands behind it; the value stays
    /// what callers read.
    pub(super) fn returned(&mut self, value: ExprId, node: Node) -> ExprId {
        if !self.returns_reference || self.is_own_member(value, node) {
            return value;
        }
        let address = match &self.exprs[value].kind {
            // `return *this` returns what the caller had.
            ExprKind::Deref(pointer) if !matches!(self.exprs[*pointer].kind, ExprKind::Var(_)) => {
                return value;
            }
            ExprKind::Deref(_) | ExprKind::Var(_) | ExprKind::Field { .. } => self.referent(value, node),
            ExprKind::Conditional(_, one, other) => {
                let (one, other) = (*one, *other);
                let one = self.referent(one, node);
                let other = self.referent(other, node);
                self.push_expr(ExprKind::Comma(one, other), node)
            }
            ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => {
                let target = *target;
                self.referent(target, node)
            }
            _ => return value,
        };
        self.push_expr(ExprKind::Comma(address, value), node)
    }

    /// Whether a function of this name may change its argument `index`, as far as all declarations tell.
    fn may_change(&self, name: &str, index: usize) -> bool {
        let facts = self.file.raw.visible.cxx();
        let mut declared = facts
            .iter()
            .filter_map(|facts| facts.by_reference(name.as_bytes(), index))
            .peekable();
        if declared.peek().is_some() {
            return declared.any(|changes| changes);
        }
        let of_c = self.file.raw.visible.is_function(name.as_bytes())
            || base::is_mpi(name)
            || is_builtin(name)
            || standard::holds(name, Fact::ByValue);
        !of_c
    }

    /// Whether a function of this name, a constructor, may keep a reference to its first argument.
    pub(super) fn may_change_first(&self, name: &str) -> bool {
        self.may_change(name, 0)
    }

    /// Lowers the arguments of a call of the standard library's function `name`, whatever the program calls so.
    pub(super) fn standard_arguments(&mut self, name: &str, nodes: &[Node]) -> Vec<ExprId> {
        let harmless = standard::holds(name, Fact::ByValue) || standard::holds(name, Fact::ByValueInStd);
        let mut args = Vec::new();
        for node in nodes {
            let Some(arg) = self.argument_value(*node, &mut args) else {
                continue;
            };
            args.push(if harmless { arg } else { self.given(arg, *node) });
        }
        args
    }

    /// Lowers the arguments of a call of `name`; those that it may change are given by their address.
    pub(super) fn arguments(&mut self, name: Option<&str>, nodes: &[Node]) -> Vec<ExprId> {
        let open = nodes.iter().position(|node| is_expansion(*node));
        let mut args = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let arg = self.argument_value(*node, &mut args);
            let Some(arg) = arg else { continue };
            let changes = name.is_none_or(|name| match open.filter(|&open| open <= index) {
                Some(open) => (open..MASKED).any(|place| self.may_change(name, place)),
                None => self.may_change(name, index),
            });
            args.push(if changes { self.given(arg, *node) } else { arg });
        }
        args
    }

    /// The same for a call of what `mask` tells the references of: a lambda.
    pub(super) fn masked_arguments(&mut self, mask: u32, nodes: &[Node]) -> Vec<ExprId> {
        let open = nodes.iter().position(|node| is_expansion(*node));
        let mut args = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let Some(arg) = self.argument_value(*node, &mut args) else {
                continue;
            };
            let is_given = match open.filter(|&open| open <= index) {
                Some(open) => mask >> open.min(MASKED - 1) != 0,
                None => mask & (1 << index.min(MASKED - 1)) != 0,
            };
            let changes = mask == MASK_UNKNOWN || is_given;
            args.push(if changes { self.given(arg, *node) } else { arg });
        }
        args
    }

    fn argument_value(&mut self, node: Node, args: &mut Vec<ExprId>) -> Option<ExprId> {
        if node.kind() == "compound_statement" {
            self.partial(node, Cause::BlockArgument);
            let parts = self.scoped(|body| body.parts(node));
            args.extend(parts);
            return None;
        }
        Some(self.expr(node))
    }

    /// An argument whose address is given away with it.
    pub(super) fn given(&mut self, arg: ExprId, node: Node) -> ExprId {
        match &self.exprs[arg].kind {
            ExprKind::Deref(pointer) => *pointer,
            ExprKind::Var(VarRef::Local(local)) if self.locals[*local].ty == Type::Array => arg,
            ExprKind::Var(VarRef::Global(name)) if self.file.is_function_name(name) => arg,
            ExprKind::Var(_) | ExprKind::Field { .. } => self.referent(arg, node),
            ExprKind::Cast(ty, inner) if is_expansion(node) => {
                let (ty, inner) = (*ty, *inner);
                let given = self.given(inner, node.child(0).unwrap_or(node));
                self.push_expr(ExprKind::Cast(ty, given), node)
            }
            _ => arg,
        }
    }

    /// Whether what an expression yields may be an object of a class: its operators may be functions.
    pub(super) fn may_be_object(&self, id: ExprId) -> bool {
        let scalar = |ty: Type| {
            matches!(
                ty,
                Type::Int { .. } | Type::Float { .. } | Type::Pointer | Type::Array
            )
        };
        match &self.exprs[id].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str => false,
            ExprKind::Constant | ExprKind::BuildChoice => false,
            ExprKind::AddressOf(_) | ExprKind::And(..) | ExprKind::Or(..) => false,
            ExprKind::Var(VarRef::Local(local)) => {
                !scalar(self.locals[*local].ty) && !self.numbers.contains(local)
            }
            ExprKind::Var(VarRef::Global(name)) => {
                let index = self.file.global_index.get(name.as_str());
                !index.is_some_and(|index| scalar(self.file.globals[*index].ty))
            }
            ExprKind::Cast(ty, inner) => !scalar(*ty) && self.may_be_object(*inner),
            ExprKind::Unary(_, inner) => self.may_be_object(*inner),
            ExprKind::Step { target, .. } | ExprKind::Assign { target, .. } => self.may_be_object(*target),
            ExprKind::Binary(_, left, right) => self.may_be_object(*left) || self.may_be_object(*right),
            ExprKind::Conditional(_, then, other) => self.may_be_object(*then) || self.may_be_object(*other),
            ExprKind::Comma(_, last) => self.may_be_object(*last),
            ExprKind::Index { base: inner, .. } | ExprKind::Deref(inner) => !self.has_scalar_elements(*inner),
            ExprKind::Field { name, .. } => !self.is_number_member(name),
            _ => true,
        }
    }

    /// Whether an expression is an array of, or a pointer to, plain numbers.
    fn has_scalar_elements(&self, id: ExprId) -> bool {
        match &self.exprs[id].kind {
            ExprKind::Var(VarRef::Local(local)) => self.scalar_elements.contains(local),
            ExprKind::Index { base: inner, .. } | ExprKind::Deref(inner) => self.has_scalar_elements(*inner),
            ExprKind::Binary(_, left, _) => self.has_scalar_elements(*left),
            _ => false,
        }
    }

    /// Whether an expression is certainly an object of a class.
    pub(super) fn is_object(&self, id: ExprId) -> bool {
        match &self.exprs[id].kind {
            ExprKind::Var(VarRef::Local(local)) => self.locals[*local].ty == Type::Aggregate,
            ExprKind::Deref(inner) => match &self.exprs[*inner].kind {
                ExprKind::Var(VarRef::Local(local)) => self.object_references.contains(local),
                _ => false,
            },
            _ => false,
        }
    }
}

/// So many parameters are told apart where it is asked which of them are references.
const MASKED: usize = 32;

/// Whether an argument is the expansion of a parameter pack: then it is not known for which parameters it, and those behind it, are.
fn is_expansion(node: Node) -> bool {
    node.kind() == "parameter_pack_expansion"
}
