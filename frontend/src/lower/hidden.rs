//! Macros that are left as they are: what they do to the variables of the function is said here.

use crate::lower::function::{Binding, Body, BodyKind};
use base::{Cause, Doubt};
use ir::{Callee, ExprId, ExprKind, MacroCall, VarRef};
use thin_vec::ThinVec;
use tree_sitter::Node;

/// The macro `name` as what is called, with nothing yet that it writes.
pub(super) fn a_macro(name: &str) -> Callee {
    Callee::Macro(Box::new(MacroCall {
        name: name.into(),
        writes: ThinVec::new(),
    }))
}

impl Body<'_, '_> {
    /// The name at `node` is a macro without arguments that does something: a call of it.
    pub(super) fn invocation(&mut self, node: Node, name: &str) -> Option<ExprKind> {
        let offset = node.start_byte() as u32;
        self.file.prepared.invocations.binary_search(&offset).ok()?;
        self.file.passed.insert(offset);
        self.note_macro(name, self.file.prepared.map.raw_start(offset));
        let mut callee = a_macro(name);
        self.add_hidden_writes(node, &mut callee);
        Some(ExprKind::Call {
            callee,
            args: ThinVec::new(),
        })
    }

    /// Adds the variables that a macro which is called at `node` may write although its arguments do not show it; the arguments come first.
    pub(super) fn add_hidden_writes(&mut self, node: Node, callee: &mut Callee) {
        if let Callee::Macro(called) = callee {
            called.writes = self.hidden_writes(node).into();
        }
    }

    /// An assignment, as [`MacroCall::writes`] has them, for each variable that the macro at `node` may write although its arguments do not show it.
    fn hidden_writes(&mut self, node: Node) -> Vec<ExprId> {
        let offset = node.start_byte() as u32;
        let writes = &self.file.prepared.writes;
        let Ok(index) = writes.binary_search_by_key(&offset, |(at, _)| *at) else {
            return Vec::new();
        };
        let variables = &writes[index].1;
        self.file.passed.insert(offset);
        let mut result = Vec::new();
        for variable in variables {
            let variable = String::from_utf8_lossy(variable).into_owned();
            let Some(target) = self.written(node, &variable) else {
                continue;
            };
            let target = self.push_expr(target, node);
            let value = self.push_expr(ExprKind::Unseen, node);
            let op = None;
            let write = self.push_expr(ExprKind::Assign { op, target, value }, node);
            let choice = self.push_expr(ExprKind::BuildChoice, node);
            result.push(self.push_expr(ExprKind::And(choice, write), node));
        }
        result
    }

    /// What the name `variable` in a replacement list stands for here; `None` when it is no variable.
    fn written(&mut self, node: Node, variable: &str) -> Option<ExprKind> {
        match self.lookup(variable) {
            Some(Binding::Local(local)) => return Some(self.variable(local, node)),
            Some(Binding::Enumerator(_) | Binding::Type(_)) => return None,
            Some(Binding::FileScope) => {}
            None => {
                if matches!(self.kind, BodyKind::Lambda | BodyKind::LambdaInMethod) {
                    self.partial(node, Cause::CapturedWrite);
                    return None;
                }
                if self.file.enumerators.contains_key(variable)
                    || self.file.is_function_name(variable)
                    || self.file.enumerator_of_header(node, variable, None).is_some()
                {
                    return None;
                }
                if let Some(member) = self.implicit_member(node, variable) {
                    return Some(member);
                }
            }
        }
        Some(ExprKind::Var(VarRef::Global(variable.into())))
    }

    /// Makes the function partial when a macro between the prepared offsets `from` and `to` was not met as a call: what it
    /// hides is lost then.
    pub(super) fn check_hidden(&mut self, node: Node) {
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        let prepared = self.file.prepared;
        let from = prepared.invocations.partition_point(|at| *at < start);
        let invocations = prepared.invocations[from..].iter().copied();
        let from = prepared.writes.partition_point(|(at, _)| *at < start);
        let writes = prepared.writes[from..].iter().map(|(at, _)| *at);
        let inside = |at: &u32| *at < end;
        let mut offsets = invocations.take_while(inside).chain(writes.take_while(inside));
        let first = offsets.find(|at| !self.file.passed.contains(at));
        if let Some(offset) = first {
            let line = self.file.raw.lines.line(prepared.map.raw_start(offset));
            self.partial.get_or_insert(Doubt::at(Cause::UncalledMacro, line));
        }
    }
}
