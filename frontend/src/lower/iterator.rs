//! Loops along a container whose iterator the source names: `for (auto it = v.begin(); it != v.end(); ++it)`.
//!
//! What an iterator is, the source often does not tell; the debug info of the program does. So the loop gets a variable beside it that counts
//! its rounds, if the source shows this much: the iterator starts at the container's first element and the loop's step
//! moves it by one. In the rest of the loop it is only looked through or compared, in whatever way an iterator over a row of elements
//! can be without being changed; and if it lives longer than the loop, nothing in the function binds a reference to it or takes its
//! address. Whether it goes along a row at all, `bind` says by its type, and there is no count of any other.

use crate::lower::function::{Binding, Body};
use crate::lower::{children, field};
use ir::{ExprKind, LocalId, StmtId, VarRef};
use library::standard::{self, Fact};
use tree_sitter::Node;

/// The loop's iterator, where it is set, and the call that gives the first element.
struct Start<'t> {
    iterator: Node<'t>,
    first: Node<'t>,
    /// The loop itself declares it.
    is_own: bool,
}

/// How the occurrence of an iterator's name uses it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is looked through, compared, or a part of a sum.
    Looks,
    /// It is stepped, assigned to, or declared.
    Sets,
    /// Anything else: somebody may get hold of the iterator itself.
    Other,
}

impl Body<'_, '_> {
    /// Declares what counts the rounds of the `for` loop `node`, whose start has been lowered; with the statement that sets it to 0.
    pub(super) fn count_of_iterator(&mut self, node: Node) -> Option<(LocalId, StmtId)> {
        if !self.file.is_cxx() {
            return None;
        }
        let start = start(node)?;
        let (container, is_pointer) = self.container(start.first)?;
        let name = self.file.name(start.iterator);
        let Some(Binding::Local(iterator)) = self.lookup(&name) else {
            return None;
        };
        let update = field(node, "update")?;
        if !self.steps_once(update, &name) {
            return None;
        }
        let looked_at = [field(node, "condition"), field(node, "body")];
        let only_looks = |part: Node| self.uses(part, &name, &|how, _| how == Use::Looks);
        if !looked_at.into_iter().flatten().all(only_looks) {
            return None;
        }
        let of_iterator = if start.is_own {
            field(node, "initializer")?
        } else {
            function_around(node)
        };
        // What a lambda does to it is done whenever that is called.
        let is_left_to_the_loop = |how: Use, at: Node| match how {
            Use::Looks => true,
            Use::Sets => function_around(at) == function_around(node),
            Use::Other => false,
        };
        if !self.uses(of_iterator, &name, &is_left_to_the_loop) {
            return None;
        }
        let mut object = self.expr(container);
        if is_pointer {
            object = self.push_expr(ExprKind::Deref(object), container);
        } else if let ExprKind::Deref(inner) = self.exprs[object].kind
            && let ExprKind::Var(VarRef::Local(local)) = self.exprs[inner].kind
            && self.references.contains(&local)
        {
            // Debug info describes a reference as what it refers to.
            object = inner;
        }
        let index = self.declare_index(node);
        self.count_for(index, iterator);
        self.locals[index].container = Some(object);
        Some((index, self.begin_count(index, start.iterator)))
    }

    /// The object of `object.begin()`, or the pointer of `pointer->begin()`: a variable, or a member of one.
    fn container<'t>(&self, first: Node<'t>) -> Option<(Node<'t>, bool)> {
        let callee = field(first, "function").filter(|callee| callee.kind() == "field_expression")?;
        let arguments = field(first, "arguments")?;
        if !children(arguments).is_empty() {
            return None;
        }
        let named = self.file.name(field(callee, "field")?);
        if !standard::holds(&named, Fact::GivesFirst) {
            return None;
        }
        let object = field(callee, "argument")?;
        let mut root = object;
        while root.kind() == "field_expression" {
            root = field(root, "argument")?;
        }
        let is_pointer = self.operator(callee) == b"->";
        matches!(root.kind(), "identifier" | "this").then_some((object, is_pointer))
    }

    /// Whether the step of a loop moves `name` by one element, and does nothing else to it.
    fn steps_once(&self, update: Node, name: &str) -> bool {
        match update.kind() {
            "comma_expression" => {
                let mut parts = children(update).into_iter();
                let only_looks = |part: &Node| self.uses(*part, name, &|how, _| how == Use::Looks);
                let rest = Vec::from_iter(parts.by_ref().filter(|part| !only_looks(part)));
                matches!(rest[..], [one] if self.steps_once(one, name))
            }
            "update_expression" => {
                let argument = field(update, "argument");
                self.operator(update) == b"++" && argument.is_some_and(|target| self.is_name(target, name))
            }
            _ => false,
        }
    }

    fn is_name(&self, node: Node, name: &str) -> bool {
        node.kind() == "identifier" && self.file.text(node) == name.as_bytes()
    }

    /// Whether all uses of `name` in `node` are as they may be.
    fn uses(&self, node: Node, name: &str, may_be: &dyn Fn(Use, Node) -> bool) -> bool {
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            if self.is_name(at, name) && !may_be(self.use_of(at), at) {
                return false;
            }
            open.extend(children(at));
        }
        true
    }

    fn use_of(&self, name: Node) -> Use {
        let Some(mut around) = name.parent() else {
            return Use::Other;
        };
        let mut at = name;
        while around.kind() == "parenthesized_expression" {
            let Some(outer) = around.parent() else {
                return Use::Other;
            };
            (at, around) = (around, outer);
        }
        let is = |part: &str| field(around, part) == Some(at);
        match around.kind() {
            "pointer_expression" if self.operator(around) == b"*" => Use::Looks,
            "field_expression" if is("argument") && self.operator(around) == b"->" => Use::Looks,
            "subscript_expression" if is("argument") => Use::Looks,
            "binary_expression" => match self.operator(around) {
                b"==" | b"!=" | b"<" | b">" | b"<=" | b">=" | b"+" | b"-" => Use::Looks,
                _ => Use::Other,
            },
            "update_expression" => Use::Sets,
            "assignment_expression" if is("left") => Use::Sets,
            "init_declarator" if is("declarator") => Use::Sets,
            "declaration" => Use::Sets,
            _ => Use::Other,
        }
    }

    /// The loop's step, and that of what counts its rounds.
    pub(super) fn counted_step(&mut self, step: ir::ExprId, index: LocalId, node: Node) -> ir::ExprId {
        let counts = self.count_one(index, node);
        self.push_expr(ExprKind::Comma(step, counts), node)
    }
}

/// The innermost function or lambda around a node.
fn function_around(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while let Some(around) = at.parent() {
        at = around;
        if matches!(at.kind(), "function_definition" | "lambda_expression") {
            break;
        }
    }
    at
}

/// Where a `for` loop sets its iterator.
fn start(node: Node<'_>) -> Option<Start<'_>> {
    let init = field(node, "initializer")?;
    let (iterator, first, is_own) = match init.kind() {
        "declaration" => {
            let mut declared = children(init).into_iter();
            let declared = declared.find(|child| child.kind() == "init_declarator")?;
            (field(declared, "declarator")?, field(declared, "value")?, true)
        }
        "assignment_expression" => (field(init, "left")?, field(init, "right")?, false),
        _ => return None,
    };
    let is_call = iterator.kind() == "identifier" && first.kind() == "call_expression";
    is_call.then_some(Start {
        iterator,
        first,
        is_own,
    })
}
