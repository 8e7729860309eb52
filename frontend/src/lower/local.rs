//! Declarations inside functions, and the parts of what is not understood.

use crate::lower::declare::{self, Declared, Derived, Specifiers};
use crate::lower::expression::is_expression;
use crate::lower::function::{Binding, Body};
use crate::lower::object::is_list;
use crate::lower::{children, field, literal};
use crate::shape::is_control;
use base::Cause;
use ir::{ExprId, ExprKind, StmtId, StmtKind, Type, VarRef};
use tree_sitter::Node;

impl Body<'_, '_> {
    pub(super) fn bind_enumerators(&mut self, node: Node) {
        self.file.note_members(node);
        for (name, value) in self.file.enumerators_in(node) {
            self.bind(name, Binding::Enumerator(value));
        }
    }

    pub(super) fn declaration(&mut self, node: Node) -> StmtKind {
        self.bind_enumerators(node);
        let specifiers = Specifiers::read(self.file, node);
        self.suspicious_type(node);
        // Where no `else` may stand, the grammar takes the word for a type.
        if field(node, "type").is_some_and(|ty| is_control(self.file.text(ty))) {
            self.partial(node, Cause::SyntaxError);
        }
        let mut statements = Vec::new();
        if let Some(ty) = field(node, "type") {
            self.class_of_type(ty);
        }
        for declarator in declare::declarators(node) {
            if let Some((names, value)) = self.binding_of(declarator) {
                statements.extend(self.structured_binding(names, value));
                continue;
            }
            let Some(mut declared) = declare::declarator(self.file, declarator) else {
                self.partial(declarator, Cause::Declaration);
                continue;
            };
            let name = self.file.name(declared.name);
            let is_void = field(node, "type").is_some_and(|ty| self.file.text(ty) == b"void");
            let is_object = !specifiers.is_extern && !is_void;
            if let Some(arguments) = self.vexing_arguments(declarator).filter(|_| is_object) {
                let derived = match declarator.kind() {
                    "reference_declarator" => Derived::Reference,
                    _ => Derived::Plain,
                };
                (declared.derived, declared.value) = (derived, Some(arguments));
            }
            if declared.derived == Derived::Function {
                self.file.function_names.insert(name.clone());
                self.bind(name, Binding::FileScope);
                continue;
            }
            if specifiers.is_extern {
                self.bind(name, Binding::FileScope);
                continue;
            }
            if let Some(size) = declared.size.filter(|size| self.has_effects(*size)) {
                let size_expr = self.expr(size);
                statements.push(self.push_stmt(StmtKind::Expr(size_expr), size));
            }
            let ty = match declared.derived {
                Derived::Plain => self.local_type(node).unwrap_or(specifiers.ty),
                derived => derived.apply(specifiers.ty),
            };
            // The name is in scope in its own initialiser.
            let local = self.declare_local(declared.name, ty, specifiers.is_static);
            if self.file.is_cxx() {
                statements.extend(self.cxx_variable(node, declarator, &declared, local));
                continue;
            }
            let init = declared.value.map(|value| self.expr(value));
            statements.push(self.push_stmt(StmtKind::Decl { local, init }, declarator));
        }
        match statements.as_slice() {
            [] => StmtKind::Empty,
            // The lone declaration stands for the whole statement.
            [only] => self.stmts[*only].kind.clone(),
            _ => StmtKind::Group(statements.into()),
        }
    }

    /// A variable of C++, already declared: its initialiser, and what its type says.
    fn cxx_variable(
        &mut self,
        declaration: Node,
        declarator: Node,
        declared: &Declared,
        local: ir::LocalId,
    ) -> Vec<StmtId> {
        let ty = field(declaration, "type");
        let named = ty.filter(|ty| ty.kind() == "type_identifier");
        let number = named.is_some_and(|ty| {
            let name = self.file.name(ty);
            self.lookup(&name).is_none() && declare::is_number(self.file, name.as_bytes())
        });
        if number && declared.derived == Derived::Plain {
            self.numbers.insert(local);
        }
        let base = Specifiers::read(self.file, declaration).ty;
        self.note_elements(local, declared, base);
        self.note_object_type(local, declaration, declared);
        if declared.derived == Derived::Reference || ty.is_some_and(|ty| self.may_be_reference(ty)) {
            // `int &r(x)` and `int &r{x}` are `int &r = x`.
            let value = declared.value.map(|value| match children(value).as_slice() {
                [only] if is_list(value) => *only,
                _ => value,
            });
            let init = value.map(|value| {
                let lowered = self.expr(value);
                self.referent(lowered, value)
            });
            self.locals[local].ty = Type::Pointer;
            self.references.insert(local);
            return vec![self.push_stmt(StmtKind::Decl { local, init }, declarator)];
        }
        let init = match declared.derived {
            Derived::Plain | Derived::Array => self.initial(declaration, declarator, declared.value),
            _ => declared.value.map(|value| self.expr(value)),
        };
        if let Some(value) = declared.value.filter(|value| value.kind() == "lambda_expression") {
            let mask = self.lambda_mask(value);
            self.lambda_masks.insert(local, mask);
        }
        if let (Some(ty), Derived::Plain | Derived::Array, false) =
            (ty, declared.derived, self.locals[local].is_static)
        {
            self.note_object(ty);
        }
        if ty.is_some_and(|ty| ty.kind() == "placeholder_type_specifier")
            && declared.derived == Derived::Plain
        {
            self.locals[local].ty = self.placeholder_type(declared.value, init);
        }
        let declaration = self.push_stmt(StmtKind::Decl { local, init }, declarator);
        match init.filter(|_| self.locals[local].is_static) {
            Some(value) if !self.is_constant(value) => {
                vec![declaration, self.first_assignment(local, value, declarator)]
            }
            _ => vec![declaration],
        }
    }

    /// What `auto` stands for in the declaration of a variable that begins as `value`.
    fn placeholder_type(&self, value: Option<Node>, init: Option<ExprId>) -> Type {
        match value.map(|value| (value.kind(), self.file.text(value))) {
            Some(("char_literal", text)) if text.starts_with(b"'") => narrow(None),
            Some(("true" | "false", _)) => narrow(Some(false)),
            Some(("number_literal", text))
                if matches!(init.map(|init| &self.exprs[init].kind), Some(ExprKind::Float(_))) =>
            {
                Type::Float {
                    bits: literal::float_bits(text),
                }
            }
            _ => init.map_or(Type::Unknown, |init| self.deduced(init)),
        }
    }

    /// The initialiser of a `static` variable that is computed: done once, by whoever comes first.
    fn first_assignment(&mut self, local: ir::LocalId, value: ExprId, declarator: Node) -> StmtId {
        let cond = self.push_expr(ExprKind::Unseen, declarator);
        let target = self.push_expr(ExprKind::Var(VarRef::Local(local)), declarator);
        let op = None;
        let assign = self.push_expr(ExprKind::Assign { op, target, value }, declarator);
        let then = self.push_stmt(StmtKind::Expr(assign), declarator);
        let guarded = StmtKind::If {
            cond,
            then,
            other: None,
            else_line: 0,
        };
        self.push_stmt(guarded, declarator)
    }

    /// Whether a variable of the type `ty` may be a reference although it is not written as one: `decltype((x))` is one, `decltype(auto)` may be.
    fn may_be_reference(&self, ty: Node) -> bool {
        let text = self.file.text(ty);
        ty.kind() == "decltype" || text.starts_with(b"decltype")
    }

    fn is_constant(&self, id: ExprId) -> bool {
        matches!(
            self.exprs[id].kind,
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str | ExprKind::Constant
        )
    }

    /// The type that `auto` stands for, as far as the initialiser shows.
    fn deduced(&self, id: ExprId) -> Type {
        match &self.exprs[id].kind {
            // A literal may be wider than `int`.
            ExprKind::Int(value) if i32::try_from(*value).is_ok() => Type::Int {
                signed: None,
                bits: Some(32),
            },
            ExprKind::Float(_) => Type::Float { bits: 64 },
            ExprKind::AddressOf(_) => Type::Pointer,
            ExprKind::Cast(ty, _) => *ty,
            ExprKind::Var(VarRef::Local(local)) => match self.locals[*local].ty {
                Type::Array => Type::Pointer,
                ty => ty,
            },
            _ => Type::Unknown,
        }
    }

    /// The type of a declaration whose type name was defined within the function.
    fn local_type(&self, node: Node) -> Option<Type> {
        let ty = field(node, "type").filter(|ty| ty.kind() == "type_identifier")?;
        match self.lookup(&self.file.name(ty)) {
            Some(Binding::Type(ty)) => Some(ty),
            _ => None,
        }
    }

    /// A macro that was not gathered, without a semicolon behind it, makes the next statement look like a declaration:
    /// `START x = 1;`.
    fn suspicious_type(&mut self, node: Node) {
        let Some(ty) = field(node, "type") else {
            return;
        };
        let name = self.file.name(ty);
        match ty.kind() {
            "macro_type_specifier" if !name.starts_with("typeof") && !name.starts_with("__typeof") => {
                self.partial(ty, Cause::MacroType);
            }
            "type_identifier" if !self.is_type_name(&name) => {
                let mut declared = declare::declarators(node).into_iter();
                let first = declared
                    .next()
                    .and_then(|d| declare::declarator(self.file, d))
                    .map(|d| d.name);
                let elsewhere =
                    first.is_some_and(|first| self.file.span(first).line != self.file.span(ty).line);
                let known = first.is_some_and(|first| self.lookup(&self.file.name(first)).is_some());
                let shouted = base::is_shouted(name.as_bytes());
                let variable = matches!(self.lookup(&name), Some(Binding::Local(_)));
                if elsewhere || (known && shouted) || variable {
                    self.doubt(ty, Cause::MacroOrType, name);
                }
            }
            _ => {}
        }
    }

    pub(super) fn is_type_name(&self, name: &str) -> bool {
        matches!(self.lookup(name), Some(Binding::Type(_)))
            || self.file.types.contains_key(name)
            || self.file.raw.visible.is_typedef(name.as_bytes())
    }

    /// The expressions inside a construct whose control flow is not understood. Declarations become assignments.
    pub(super) fn parts(&mut self, node: Node) -> Vec<ExprId> {
        let mut parts = Vec::new();
        for child in children(node) {
            let more = self.deeper(child, |body| body.part(child));
            parts.extend(more.unwrap_or_default());
        }
        parts
    }

    fn part(&mut self, node: Node) -> Vec<ExprId> {
        match node.kind() {
            kind if is_expression(kind) => vec![self.expr(node)],
            "declaration" => {
                let kind = self.declaration(node);
                self.assignments(kind, node)
            }
            "compound_statement" => self.scoped(|body| body.parts(node)),
            "return_statement" | "goto_statement" | "break_statement" | "continue_statement"
            | "labeled_statement" => {
                self.partial(node, Cause::JumpOut);
                self.parts(node)
            }
            "type_identifier" | "field_identifier" | "statement_identifier" | "type_descriptor" => Vec::new(),
            "parameter_list"
            | "struct_specifier"
            | "union_specifier"
            | "enum_specifier"
            | "class_specifier"
            | "template_argument_list"
            | "namespace_identifier" => Vec::new(),
            _ => self.parts(node),
        }
    }

    fn assignments(&mut self, kind: StmtKind, node: Node) -> Vec<ExprId> {
        match kind {
            StmtKind::Decl {
                local,
                init: Some(value),
            } => {
                let target = self.push_expr(ExprKind::Var(VarRef::Local(local)), node);
                let op = None;
                vec![self.push_expr(ExprKind::Assign { op, target, value }, node)]
            }
            StmtKind::Expr(expr) => vec![expr],
            StmtKind::Group(statements) => {
                let kinds: Vec<_> = statements.iter().map(|id| self.stmts[*id].kind.clone()).collect();
                kinds
                    .into_iter()
                    .flat_map(|kind| self.assignments(kind, node))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether evaluating `node` may do more than read.
    fn has_effects(&self, node: Node) -> bool {
        let text = self.file.text(node);
        let pair = |pair: &[u8]| text.windows(2).any(|window| window == pair);
        text.contains(&b'(') || text.contains(&b'=') || pair(b"++") || pair(b"--")
    }
}

/// A type of eight bits.
fn narrow(signed: Option<bool>) -> Type {
    Type::Int {
        signed,
        bits: Some(8),
    }
}
