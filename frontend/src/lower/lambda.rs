//! Lambdas: each is a function of its own, called `operator()`, and where it stands an expression that takes the
//! addresses of what it captures by reference.

use crate::lower::function::{Binding, Body};
use crate::lower::function::{BodyKind, lower_lambda};
use crate::lower::{children, declare, field};
use base::Cause;
use ir::{ExprId, ExprKind, VarRef};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// Stands for a callable of which nothing is known: it may change all its arguments.
pub const MASK_UNKNOWN: u32 = u32::MAX;

/// Nesting of syntax in a lambda that is searched for captured names.
const DEPTH_LIMIT: usize = 200;

impl Body<'_, '_> {
    /// Lowers a lambda expression, and the function that it is.
    pub(super) fn lambda(&mut self, node: Node) -> ExprKind {
        if let Some(template) = field(node, "template_parameters") {
            self.file.note_template(template);
        }
        let captures = field(node, "captures");
        let mut by_value: BTreeSet<String> = BTreeSet::new();
        let mut by_reference: BTreeSet<String> = BTreeSet::new();
        let mut parts: Vec<ExprId> = Vec::new();
        let mut default = None;
        for capture in captures.map(children).unwrap_or_default() {
            match capture.kind() {
                "lambda_default_capture" => default = Some(self.file.text(capture)),
                // `&i` is captured by reference, like what is not named at all.
                "identifier" if capture.prev_sibling().is_none_or(|before| before.kind() != "&") => {
                    by_value.insert(self.file.name(capture));
                }
                "identifier" => drop(by_reference.insert(self.file.name(capture))),
                "lambda_capture_initializer" => {
                    let name = field(capture, "left").map(|name| self.file.name(name));
                    let text = self.file.text(capture);
                    if let Some(value) = field(capture, "right") {
                        let value_node = value;
                        let mut value = self.expr(value);
                        if text.first() == Some(&b'&') {
                            value = self.referent(value, value_node);
                        }
                        parts.push(value);
                    }
                    by_value.extend(name);
                }
                _ => {}
            }
        }
        let names = self.names_in(node);
        // What is not captured by value is, if it is a variable of this function, captured by reference. (A constant that
        // needs no capture loses nothing but precision.)
        for name in &names {
            let is_copied = default == Some(b"=") && !by_reference.contains(name);
            if by_value.contains(name) || is_copied {
                continue;
            }
            if let Some(Binding::Local(local)) = self.lookup(name)
                && !self.references.contains(&local)
            {
                let target = self.push_expr(ExprKind::Var(VarRef::Local(local)), node);
                self.take_address(target);
                parts.push(self.push_expr(ExprKind::AddressOf(target), node));
            }
        }
        let captured: BTreeSet<String> = names
            .into_iter()
            .filter(|name| {
                matches!(self.lookup(name), Some(Binding::Local(_))) || self.captured.contains(name)
            })
            .chain(by_value)
            .collect();
        let kind = match self.kind {
            BodyKind::Free => BodyKind::Lambda,
            _ => BodyKind::LambdaInMethod,
        };
        lower_lambda(self.file, node, captured, kind, self.depth);
        ExprKind::List(parts.into())
    }

    /// The references among the parameters of a lambda.
    pub(super) fn lambda_mask(&self, node: Node) -> u32 {
        let list = field(node, "declarator").and_then(|declarator| field(declarator, "parameters"));
        let mut mask = 0;
        for (index, parameter) in list.map(children).unwrap_or_default().into_iter().enumerate() {
            let declarator = field(parameter, "declarator");
            let declared = declarator.and_then(|d| declare::declarator(self.file, d));
            let fixed = children(parameter)
                .iter()
                .any(|child| child.kind() == "type_qualifier" && self.file.text(*child) == b"const");
            // In `const char *&`, the characters are.
            let is_changed =
                |d: declare::Declared| d.derived == declare::Derived::Reference && !(fixed && d.levels == 0);
            if declared.is_some_and(is_changed) {
                mask |= 1 << index.min(30);
            }
        }
        mask
    }

    /// Every name that occurs below `node`.
    pub(super) fn names_in(&mut self, node: Node) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut work = vec![(node, 0)];
        while let Some((at, depth)) = work.pop() {
            if at.kind() == "identifier" {
                names.insert(self.file.name(at));
            }
            if depth >= DEPTH_LIMIT {
                self.partial(at, Cause::TooDeep);
                continue;
            }
            work.extend(children(at).into_iter().map(|child| (child, depth + 1)));
        }
        names
    }
}
