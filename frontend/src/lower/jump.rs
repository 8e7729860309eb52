//! The destructors that run where control leaves scopes of C++: at their ends, and on the way of each jump out of them.

use crate::lower::function::Body;
use crate::lower::{children, field};
use base::Cause;
use ir::{Callee, ExprKind, StmtId, StmtKind};
use tree_sitter::Node;

/// Nodes with which the names end that are declared in them, outside of all smaller ones of these kinds.
const SCOPES: [&str; 8] = [
    "compound_statement",
    "for_statement",
    "for_range_loop",
    "if_statement",
    "while_statement",
    "switch_statement",
    "catch_clause",
    "function_definition",
];

/// An object with a destructor that runs when its scope is left.
pub(super) struct Object {
    /// How many scopes were open where it was declared.
    depth: usize,
    /// Where its declaration begins, as a byte of the prepared text.
    declared: usize,
    /// The unqualified name of its destructor.
    destructor: String,
}

impl Body<'_, '_> {
    /// A variable of a declaration with the type `ty` may have a destructor to run at the end of its scope.
    pub(super) fn note_object(&mut self, ty: Node) {
        let text = self.file.text(ty);
        let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let destructors: Vec<String> = words
            .filter(|word| !word.is_empty() && self.file.is_class(word))
            .map(|word| format!("~{}", String::from_utf8_lossy(word)))
            .filter(|name| self.file.is_cxx_function(name))
            .collect();
        let depth = self.scope_depth();
        let declared = ty.start_byte();
        self.objects
            .extend(destructors.into_iter().map(|destructor| Object {
                depth,
                declared,
                destructor,
            }));
    }

    /// Only `depth` scopes are open: the objects of all others are gone.
    pub(super) fn forget_objects(&mut self, depth: usize) {
        self.objects.truncate(self.objects_outside(depth));
    }

    /// How many objects are of the outermost `depth` scopes.
    fn objects_outside(&self, depth: usize) -> usize {
        self.objects.partition_point(|object| object.depth <= depth)
    }

    /// The calls of destructors when control leaves all scopes deeper than `depth`, the last object first.
    pub(super) fn leave(&mut self, depth: usize, node: Node) -> Vec<StmtId> {
        self.destroy(self.objects_outside(depth), node)
    }

    /// The calls of the destructors of all objects but the first `kept`, the last object first.
    fn destroy(&mut self, kept: usize, node: Node) -> Vec<StmtId> {
        let leaving = self.objects.iter().skip(kept).rev();
        let leaving = Vec::from_iter(leaving.map(|object| object.destructor.clone()));
        let calls = leaving.into_iter().map(|name| {
            let callee = Callee::Named(name.into());
            let args = Vec::new();
            let call = self.push_expr(
                ExprKind::Call {
                    callee,
                    args: args.into(),
                },
                node,
            );
            self.push_stmt(StmtKind::Expr(call), node)
        });
        calls.collect()
    }

    /// `jump` behind the calls of destructors that it leads past.
    pub(super) fn leaving(&mut self, depth: usize, jump: StmtKind, node: Node) -> StmtKind {
        let destroyed = self.leave(depth, node);
        self.behind(destroyed, jump, node)
    }

    /// `jump` behind these statements.
    fn behind(&mut self, mut statements: Vec<StmtId>, jump: StmtKind, node: Node) -> StmtKind {
        if statements.is_empty() {
            return jump;
        }
        statements.push(self.push_stmt(jump, node));
        StmtKind::Group(statements.into())
    }

    /// `goto` with the destructors of the objects that are not in scope at its label (C++17 9.6p2).
    pub(super) fn goto(&mut self, node: Node) -> StmtKind {
        let Some(label) = field(node, "label") else {
            return self.unknown_kind(node);
        };
        let jump = StmtKind::Goto(self.file.name(label).into());
        if self.objects.is_empty() {
            return jump;
        }
        let Some(kept) = self.kept_at(node, label) else {
            self.partial(node, Cause::GotoPastDestructors);
            return self.unknown_kind(node);
        };
        let destroyed = self.destroy(kept, node);
        self.behind(destroyed, jump, node)
    }

    /// How many of the objects, the outermost ones, are still in scope where the jump `node` leads. `None` if its label is not
    /// found, or is found more than once.
    fn kept_at(&self, node: Node, label: Node) -> Option<usize> {
        let around = around(node);
        let target = labeled(*around.last()?, |name| {
            self.file.text(name) == self.file.text(label)
        })?;
        let is_kept = |object: &Object| {
            let holds = |scope: &&Node| {
                SCOPES.contains(&scope.kind()) && scope.byte_range().contains(&object.declared)
            };
            let scope = around.iter().find(holds);
            object.declared < target && scope.is_some_and(|scope| scope.byte_range().contains(&target))
        };
        Some(self.objects.iter().take_while(|object| is_kept(object)).count())
    }
}

/// The nodes around a statement, from the smallest to the function.
fn around(node: Node) -> Vec<Node> {
    let mut around = Vec::new();
    let mut at = node;
    while let Some(parent) = at.parent() {
        around.push(parent);
        if is_function(parent) {
            break;
        }
        at = parent;
    }
    around
}

/// Whether labels inside are of no function around it.
fn is_function(node: Node) -> bool {
    matches!(node.kind(), "function_definition" | "lambda_expression")
}

/// Where the only label of the function begins whose name is the one looked for, as a byte of the prepared text.
fn labeled(function: Node, is_name: impl Fn(Node) -> bool) -> Option<usize> {
    let mut found = None;
    let mut pending = children(function);
    while let Some(node) = pending.pop() {
        if is_function(node) {
            continue;
        }
        if node.kind() == "labeled_statement" && field(node, "label").is_some_and(&is_name) {
            let is_second = found.replace(node.start_byte()).is_some();
            if is_second {
                return None;
            }
        }
        pending.extend(children(node));
    }
    found
}
