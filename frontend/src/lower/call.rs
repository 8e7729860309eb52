//! Calls: who is called, and what is only written like a call.

use crate::lower::function::{Binding, Body};
use crate::lower::{children, field};
use crate::macros::{Meaning, is_shouted};
use ir::{Callee, ExprId, ExprKind, Type};
use tree_sitter::Node;

/// The name that stands for `goto *` in prepared text.
pub const COMPUTED_GOTO: &str = "__computed_goto";

impl Body<'_, '_> {
    pub(super) fn call(&mut self, node: Node) -> ExprKind {
        let (Some(function), Some(arguments)) = (field(node, "function"), field(node, "arguments")) else {
            return ExprKind::Unknown(Vec::new());
        };
        let arguments = children(arguments);
        if let (Some(ty), [only]) = (self.parenthesized_type(function), arguments.as_slice()) {
            return ExprKind::Cast(ty, self.expr(*only));
        }
        if let ([only], true) = (arguments.as_slice(), self.is_unknown_name_in_parens(function)) {
            return ExprKind::Cast(Type::Unknown, self.expr(*only));
        }
        let callee = self.callee(function);
        let mut args = Vec::new();
        for argument in arguments {
            if argument.kind() == "compound_statement" {
                self.partial(argument, "block as a macro argument");
                args.extend(self.scoped(|body| body.parts(argument)));
            } else {
                args.push(self.expr(argument));
            }
        }
        ExprKind::Call { callee, args }
    }

    /// `(MPI_Aint)(x)`: a name in parentheses that nothing declares is a type of some header. (Nobody puts the name of a
    /// function in parentheses, but to keep a macro of that name away; and then the function is declared.)
    fn is_unknown_name_in_parens(&self, node: Node) -> bool {
        let inner = children(node);
        let (true, [name]) = (node.kind() == "parenthesized_expression", inner.as_slice()) else {
            return false;
        };
        let text = self.file.name(*name);
        let known = self.lookup(&text).is_some() || self.file.global_index.contains_key(&text);
        name.kind() == "identifier" && !known && !self.is_function(&text)
    }

    fn callee(&mut self, function: Node) -> Callee {
        if function.kind() != "identifier" {
            return Callee::Indirect(self.expr(function));
        }
        let name = self.file.name(function);
        let variable = match self.lookup(&name) {
            Some(Binding::Local(_)) => true,
            Some(_) => false,
            None => self.file.global_index.contains_key(&name),
        };
        if variable {
            return Callee::Indirect(self.expr(function));
        }
        let offset = function.start_byte() as u32;
        if self.is_plain_name(offset) {
            return Callee::Named(name);
        }
        let raw = self.file.prepared.map.raw_start(offset);
        if !matches!(self.file.raw.visible.meaning(name.as_bytes(), raw), Meaning::None) {
            return Callee::Macro(name);
        }
        match name.as_str() {
            "assert" | "static_assert" | "_Static_assert" => Callee::Macro(name),
            // The macros of <stdarg.h> are these built-ins of the compiler.
            "va_start" | "va_arg" | "va_end" | "va_copy" => Callee::Named(format!("__builtin_{name}")),
            _ if is_shouted(name.as_bytes()) && !self.is_function(&name) => Callee::Macro(name),
            _ => Callee::Named(name),
        }
    }

    /// Whether the name at this prepared offset is that of a function or variable, although there are macros of that
    /// name: a macro's own expansion names what is behind it, or the macro is just another name.
    pub(super) fn is_plain_name(&self, offset: u32) -> bool {
        let prepared = self.file.prepared;
        prepared.hidden_names.binary_search(&offset).is_ok()
            || prepared.renamed.binary_search(&offset).is_ok()
    }

    fn is_function(&self, name: &str) -> bool {
        self.file.function_names.contains(name) || self.file.raw.visible.is_function(name.as_bytes())
    }

    /// `goto *p;` is prepared as a call.
    pub(super) fn computed_goto(&mut self, node: Node) -> Option<ExprId> {
        let function = field(node, "function").filter(|_| node.kind() == "call_expression")?;
        if self.file.text(function) != COMPUTED_GOTO.as_bytes() {
            return None;
        }
        let arguments = children(field(node, "arguments")?);
        match arguments.as_slice() {
            [target] => Some(self.expr(*target)),
            _ => None,
        }
    }
}
