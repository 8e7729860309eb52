//! `out << value` where the program has no `operator<<`: what stands on the left changes all the same.
//!
//! A shift whose value nobody uses would do nothing, and a stream of the standard library is known by its type or name. So these are
//! calls of a function that no source shows: for objects of the library, the library's own, of which
//! [`library::function`] knows that it changes the object and nothing else; for other objects, one that may do anything. `out << a << b` is one call for each value, in this order, each for
//! `out` itself: what the call before returned is the stream again.

use crate::lower::field;
use crate::lower::function::Body;
use ir::{Callee, ExprId, ExprKind, ObjectType, VarRef};
use library::STANDARD;
use library::standard::{self, Fact};
use tree_sitter::Node;

/// The function that stands behind `<<`.
const INSERT: &str = "operator<<";

/// Chains of `<<`, and members of members, are followed over so many expressions.
const LIMIT: usize = 64;

impl Body<'_, '_> {
    /// What `left << right` at `node` does, where that is no shift of a number and no function of the program.
    pub(super) fn inserted(&mut self, node: Node, left: ExprId, right: ExprId) -> Option<ExprKind> {
        if self.operator(node) != b"<<" {
            return None;
        }
        let before = self.inserted_into(left);
        let is_library = self.is_of_library(before.unwrap_or(left));
        let is_call = before.is_some()
            || is_library
            || self.is_object(left)
            || self.may_be_object(left) && is_discarded(node);
        if !is_call {
            return None;
        }
        let name = if is_library {
            format!("{STANDARD}{INSERT}")
        } else {
            INSERT.to_owned()
        };
        let again = before.and_then(|given| self.copied(given, node, LIMIT));
        let given = again.unwrap_or_else(|| self.given(left, node));
        let args = vec![given, right];
        let call = ExprKind::Call {
            callee: Callee::Named(name.into()),
            args: args.into(),
        };
        if again.is_none() {
            return Some(call);
        }
        let call = self.push_expr(call, node);
        Some(ExprKind::Comma(left, call))
    }

    /// The object that an expression such as `out << value`, read already, has changed: the first argument of its last call.
    fn inserted_into(&self, id: ExprId) -> Option<ExprId> {
        let mut last = id;
        for _ in 0..LIMIT {
            match &self.exprs[last].kind {
                ExprKind::Comma(_, after) => last = *after,
                ExprKind::Call {
                    callee: Callee::Named(name),
                    args,
                } => {
                    let name = name.as_str();
                    let is_insertion = name.strip_prefix(STANDARD).unwrap_or(name) == INSERT;
                    return args.first().copied().filter(|_| is_insertion);
                }
                _ => return None,
            }
        }
        None
    }

    /// The same place once more, if to name it does nothing.
    fn copied(&mut self, id: ExprId, node: Node, limit: usize) -> Option<ExprId> {
        let limit = limit.checked_sub(1)?;
        let kind = match self.exprs[id].kind.clone() {
            kind @ ExprKind::Var(_) => kind,
            ExprKind::AddressOf(inner) => ExprKind::AddressOf(self.copied(inner, node, limit)?),
            ExprKind::Deref(inner) => ExprKind::Deref(self.copied(inner, node, limit)?),
            ExprKind::Field { base, name, arrow } => ExprKind::Field {
                base: self.copied(base, node, limit)?,
                name,
                arrow,
            },
            _ => return None,
        };
        Some(self.push_expr(kind, node))
    }

    /// Whether an expression is an object of the standard library, as streams are, or its address.
    fn is_of_library(&self, id: ExprId) -> bool {
        let is_declared = |object: &Option<ObjectType>| match object {
            Some(ObjectType::Library { .. }) => true,
            Some(ObjectType::Class { name, .. }) => standard::holds(name.as_str(), Fact::Stream),
            _ => false,
        };
        match &self.exprs[id].kind {
            ExprKind::Var(VarRef::Local(local)) => is_declared(&self.locals[*local].object),
            ExprKind::Var(VarRef::Global(name)) => {
                let index = self.file.global_index.get(name.as_str());
                match index {
                    Some(index) => is_declared(&self.file.globals[*index].object),
                    None => standard::holds(name.as_str(), Fact::Stream),
                }
            }
            ExprKind::Field { name, .. } => {
                let members = self.file.members.iter();
                let mut named = members.filter(|member| member.name == name.as_str()).peekable();
                named.peek().is_some() && named.all(|member| is_declared(&member.object))
            }
            ExprKind::AddressOf(inner) | ExprKind::Deref(inner) => self.is_of_library(*inner),
            _ => false,
        }
    }
}

/// Whether nobody uses the value of an expression: it, or a chain that begins with it, is a statement.
fn is_discarded(node: Node) -> bool {
    let mut at = node;
    for _ in 0..LIMIT {
        let Some(parent) = at.parent() else {
            return false;
        };
        let goes_on = match parent.kind() {
            "expression_statement" => return true,
            "parenthesized_expression" => true,
            "binary_expression" => {
                let is_left = field(parent, "left") == Some(at);
                let operator = field(parent, "operator");
                is_left && operator.is_some_and(|operator| operator.kind() == "<<")
            }
            _ => false,
        };
        if !goes_on {
            return false;
        }
        at = parent;
    }
    false
}
