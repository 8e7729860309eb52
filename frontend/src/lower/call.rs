//! Calls: who is called, and what is only written like a call.

use crate::cxx::Declared;
use crate::lower::cxx::is_named_with_std;
use crate::lower::declare;
use crate::lower::function::{Binding, Body, BodyKind};
use crate::lower::hidden::a_macro;
use crate::lower::lambda::MASK_UNKNOWN;
use crate::lower::{children, field};
use crate::macros::Meaning;
use crate::sequence::called_after_arguments;
use base::Cause;
use base::looks_like_macro;
use ir::{Callee, ExprId, ExprKind, Receiver, Type};
use library::STANDARD;
use thin_vec::ThinVec;
use tree_sitter::Node;

/// The name that stands for `goto *` in prepared text.
pub const COMPUTED_GOTO: &str = "__computed_goto";

/// What a `throw` that is an operand is prepared as: a call of its value.
pub const THROWN: &str = "__thrown";

impl Body<'_, '_> {
    pub(super) fn call(&mut self, node: Node) -> ExprKind {
        let (Some(function), Some(arguments)) = (field(node, "function"), field(node, "arguments")) else {
            return ExprKind::Unknown(ThinVec::new());
        };
        let arguments = children(arguments);
        if let (Some(ty), [only]) = (self.parenthesized_type(function), arguments.as_slice()) {
            return ExprKind::Cast(ty, self.expr(*only));
        }
        if self.file.is_cxx() {
            if self.file.text(function) == THROWN.as_bytes() {
                let value = arguments.first().map(|&value| self.expr(value));
                return ExprKind::Throw(value);
            }
            return self.cxx_call(node, function, &arguments);
        }
        if let ([only], true) = (arguments.as_slice(), self.is_unknown_name_in_parens(function)) {
            return ExprKind::Cast(Type::Unknown, self.expr(*only));
        }
        self.c_call(function, &arguments)
    }

    /// A call in C.
    pub(super) fn c_call(&mut self, function: Node, arguments: &[Node]) -> ExprKind {
        let mut callee = self.callee(function);
        let mut args = Vec::new();
        for (index, &argument) in arguments.iter().enumerate() {
            if argument.kind() == "compound_statement" {
                self.partial(argument, Cause::BlockArgument);
                args.extend(self.scoped(|body| body.parts(argument)));
            } else {
                let arg = self.expr(argument);
                let changed = matches!(&callee, Callee::Named(name) if self.takes_reference(name, index));
                args.push(if changed { self.given(arg, argument) } else { arg });
            }
        }
        self.add_hidden_writes(function, &mut callee);
        ExprKind::Call {
            callee,
            args: args.into(),
        }
    }

    /// Whether `name`, called in a file of C, is a function that takes this argument by a reference: some builds compile files
    /// of C as C++, and then a reference is written like a value.
    fn takes_reference(&self, name: &str, index: usize) -> bool {
        let [program, own] = self.file.raw.visible.cxx();
        let takes = |facts: Declared| facts.by_reference(name.as_bytes(), index) == Some(true);
        !own.facts.is_empty() && (takes(own) || takes(program))
    }

    /// A call in C++: of a function, a member function, an object, a type, or a cast.
    pub(super) fn cxx_call(&mut self, node: Node, function: Node, arguments: &[Node]) -> ExprKind {
        match function.kind() {
            "field_expression" => return self.member_call(node, function, arguments),
            "primitive_type" | "sized_type_specifier" => {
                let ty = declare::base_type(self.file, function);
                return match arguments {
                    [only] => ExprKind::Cast(ty, self.expr(*only)),
                    _ => ExprKind::Int(0),
                };
            }
            "template_function" if is_cast(self.file.text(function)) => {
                return self.named_cast(function, arguments);
            }
            "qualified_identifier" | "template_function" | "template_type" => {
                let name = self.file.last_name(function);
                if let Some(member) = self.own_access(&name, function, arguments) {
                    return member;
                }
                let is_standard = is_named_with_std(self.file.text(function));
                let args = if is_standard {
                    self.standard_arguments(&name, arguments)
                } else {
                    self.arguments(Some(&name), arguments)
                };
                // Where the program has a function of that name, it is another one.
                let facts = self.file.raw.visible.cxx();
                let declares = |facts: &Declared<'_>| facts.is_function(name.as_bytes());
                let is_own = self.is_function(&name) || facts.iter().any(declares);
                let is_own = is_own && !facts.iter().any(|facts| facts.is_in_std(name.as_bytes()));
                let name = if is_standard && is_own {
                    format!("{STANDARD}{name}")
                } else {
                    name
                };
                let callee = Callee::Named(name.into());
                return ExprKind::Call {
                    callee,
                    args: args.into(),
                };
            }
            "identifier" | "type_identifier" => {}
            "parenthesized_expression" if let Some(call) = self.pointed_call(node, function, arguments) => {
                return call;
            }
            // What MPICH's headers make of MPI_SUM. Any other argument may be given to what a class or another file names so.
            "parenthesized_expression"
                if matches!(arguments, [only] if only.kind() == "number_literal")
                    && self.is_unknown_name_in_parens(function) =>
            {
                return ExprKind::Cast(Type::Unknown, self.expr(arguments[0]));
            }
            _ => {
                let callee = Callee::Indirect(self.expr(function));
                let args = self.arguments(None, arguments);
                return ExprKind::Call {
                    callee,
                    args: args.into(),
                };
            }
        }
        self.call_by_name(function, arguments)
    }

    /// A call in C++ of something that has a name and nothing else.
    fn call_by_name(&mut self, function: Node, arguments: &[Node]) -> ExprKind {
        let name = self.file.last_name(function);
        if let Some(Binding::Local(local)) = self.lookup(&name) {
            let mask = self.lambda_masks.get(&local).copied().unwrap_or(MASK_UNKNOWN);
            let callee = Callee::Indirect(self.expr(function));
            let args = self.masked_arguments(mask, arguments);
            return ExprKind::Call {
                callee,
                args: args.into(),
            };
        }
        let is_type = match self.lookup(&name) {
            Some(Binding::Type(ty)) => Some(ty).filter(|ty| *ty != Type::Aggregate),
            Some(_) => None,
            None => self.file.scalar_type(&name),
        };
        if let (Some(ty), [only]) = (is_type, arguments) {
            return ExprKind::Cast(ty, self.expr(*only));
        }
        if self.captured.contains(&name) || self.is_callable_member(&name) {
            let callee = Callee::Indirect(self.expr(function));
            let args = self.arguments(None, arguments);
            return ExprKind::Call {
                callee,
                args: args.into(),
            };
        }
        if let Some(member) = self.own_access(&name, function, arguments) {
            return member;
        }
        let mut callee = self.callee(function);
        let args = match callee {
            Callee::Named(name) => self.arguments(Some(&name), arguments),
            Callee::Macro(_) | Callee::Indirect(_) => self.arguments(None, arguments),
        };
        self.add_hidden_writes(function, &mut callee);
        // A class's name makes another object.
        if self.kind == BodyKind::Method
            && matches!(callee, Callee::Named(_))
            && !self.file.is_class(name.as_bytes())
        {
            self.this();
            self.receiver = Some(Receiver::This);
        }
        ExprKind::Call {
            callee,
            args: args.into(),
        }
    }

    /// `static_cast<T>(x)`. A cast to a reference is another name for its operand.
    fn named_cast(&mut self, function: Node, arguments: &[Node]) -> ExprKind {
        let list = field(function, "arguments").map(children).unwrap_or_default();
        let descriptor = list.first().copied();
        let [only] = arguments else {
            return ExprKind::Unknown(ThinVec::new());
        };
        let value = self.expr(*only);
        let reference = descriptor
            .and_then(|ty| field(ty, "declarator"))
            .is_some_and(|declarator| declarator.kind() == "abstract_reference_declarator");
        if reference {
            let address = self.referent(value, *only);
            return ExprKind::Deref(address);
        }
        let ty = descriptor.map_or(Type::Unknown, |ty| declare::described_type(self.file, ty));
        ExprKind::Cast(ty, value)
    }

    /// Whether `name` is that of a member which can be called: a pointer to a function, or an object.
    fn is_callable_member(&self, name: &str) -> bool {
        let facts = self.file.raw.visible.cxx();
        let member = facts.iter().any(|facts| facts.is_member(name.as_bytes()));
        member && !self.is_function(name)
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
        let member = self.file.is_cxx() && self.is_callable_member(&text);
        name.kind() == "identifier" && !known && !member && !self.is_function(&text)
    }

    fn callee(&mut self, function: Node) -> Callee {
        if !matches!(function.kind(), "identifier" | "type_identifier") {
            return Callee::Indirect(self.expr(function));
        }
        let name = self.file.last_name(function);
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
            return Callee::Named(name.into());
        }
        let raw = self.file.prepared.map.raw_start(offset);
        if !matches!(self.file.raw.visible.meaning(name.as_bytes(), raw), Meaning::None) {
            self.note_macro(&name, raw);
            return a_macro(&name);
        }
        match name.as_str() {
            "assert" | "static_assert" | "_Static_assert" => a_macro(&name),
            // The macros of <stdarg.h> are these built-ins of the compiler.
            "va_start" | "va_arg" | "va_end" | "va_copy" => Callee::Named(format!("__builtin_{name}").into()),
            _ if looks_like_macro(name.as_bytes()) && !self.is_function(&name) => a_macro(&name),
            _ => Callee::Named(name.into()),
        }
    }

    /// Notes what the macro `name`, which stays as it is at the raw `offset`, calls after it has its arguments.
    pub(super) fn note_macro(&mut self, name: &str, offset: u32) {
        if self.file.is_cxx() {
            return;
        }
        let visible = self.file.raw.visible;
        let callees = called_after_arguments(name.as_bytes(), offset, visible).map(|callees| {
            let names = callees
                .iter()
                .map(|name| String::from_utf8_lossy(name).into_owned());
            Vec::from_iter(names)
        });
        // A variable of the name of a function leads anywhere.
        let callees = callees.filter(|names| names.iter().all(|name| self.lookup(name).is_none()));
        let known = self
            .file
            .macros
            .entry(name.to_owned())
            .or_insert_with(|| callees.clone());
        if *known != callees {
            *known = None;
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
        self.file.is_function_name(name)
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

/// Whether the text of a callee is one of the four casts.
fn is_cast(text: &[u8]) -> bool {
    let casts: [&[u8]; 4] = [
        b"static_cast",
        b"const_cast",
        b"reinterpret_cast",
        b"dynamic_cast",
    ];
    casts.iter().any(|cast| {
        let rest = text.strip_prefix(*cast);
        rest.is_some_and(|rest| rest.trim_ascii_start().first() == Some(&b'<'))
    })
}
