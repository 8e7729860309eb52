//! Statements and local declarations.

use crate::lower::declare::{self, Derived, Specifiers};
use crate::lower::function::{Binding, Body};
use crate::lower::{children, field, expression::is_expression};
use ir::{ExprId, ExprKind, LoopKind, StmtId, StmtKind, Type, VarRef};
use tree_sitter::Node;

impl Body<'_, '_> {
    /// Lowers a statement, declaration or conditional group.
    pub(super) fn statement(&mut self, node: Node) -> StmtId {
        let lowered = self.deeper(node, |body| body.statement_kind(node));
        let kind = lowered.unwrap_or_else(|| StmtKind::Unknown(Vec::new()));
        self.push_stmt(kind, node)
    }

    fn statements<'t>(&mut self, nodes: impl IntoIterator<Item = Node<'t>>) -> Vec<StmtId> {
        nodes.into_iter().map(|node| self.statement(node)).collect()
    }

    fn statement_kind(&mut self, node: Node) -> StmtKind {
        let part = |name: &str| field(node, name);
        match node.kind() {
            "compound_statement" => StmtKind::Block(self.scoped(|body| body.statements(children(node)))),
            "expression_statement" => match children(node).first() {
                Some(expr) => self.expression_statement(*expr),
                None => StmtKind::Empty,
            },
            "declaration" => self.declaration(node),
            "type_definition" => {
                for (name, ty) in declare::typedefs(self.file, node) {
                    self.bind(name, Binding::Type(ty));
                }
                self.bind_enumerators(node);
                StmtKind::Empty
            }
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                self.bind_enumerators(node);
                StmtKind::Empty
            }
            // A word and a semicolon look like a type; a variable or a macro without effect is meant.
            "type_identifier" | "primitive_type" | "sized_type_specifier" => StmtKind::Empty,
            "if_statement" => {
                let cond = self.field_expr(node, "condition");
                let then = self.field_statement(node, "consequence");
                let clause = part("alternative");
                let other = clause.and_then(|clause| children(clause).last().copied());
                let other = other.map(|other| self.substatement(other));
                let else_line = clause.map_or(0, |clause| self.file.span(clause).line);
                StmtKind::If {
                    cond,
                    then,
                    other,
                    else_line,
                }
            }
            "switch_statement" => StmtKind::Switch {
                value: self.field_expr(node, "condition"),
                body: self.field_statement(node, "body"),
            },
            "while_statement" => {
                let cond = Some(self.field_expr(node, "condition"));
                let body = self.field_statement(node, "body");
                looping(LoopKind::While, cond, body)
            }
            "do_statement" => {
                let body = self.field_statement(node, "body");
                let cond = Some(self.field_expr(node, "condition"));
                looping(LoopKind::DoWhile, cond, body)
            }
            "for_statement" => self.scoped(|body| body.for_loop(node)),
            "case_statement" => self.case(node),
            "labeled_statement" => {
                let label = match part("label") {
                    Some(label) => {
                        let name = self.file.name(label);
                        self.push_stmt(StmtKind::Label(name), label)
                    }
                    None => self.unknown(node),
                };
                let rest = children(node).into_iter().skip(1);
                let rest = self.statements(rest);
                StmtKind::Group([vec![label], rest].concat())
            }
            "attributed_statement" => match children(node).last() {
                Some(inner) => StmtKind::Group(vec![self.statement(*inner)]),
                None => StmtKind::Empty,
            },
            "goto_statement" => match part("label") {
                Some(label) => StmtKind::Goto(self.file.name(label)),
                None => self.unknown_kind(node),
            },
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "return_statement" => {
                let value = children(node).first().copied();
                StmtKind::Return(value.map(|value| self.expr(value)))
            }
            "preproc_if" | "preproc_ifdef" => self.alternatives(node),
            "preproc_def" | "preproc_function_def" | "preproc_call" | "preproc_include" | "attribute_declaration" => {
                StmtKind::Empty
            }
            "function_definition" => {
                self.partial(node, "nested function, or a macro that takes a block,");
                self.unknown_kind(node)
            }
            kind if is_expression(kind) => self.expression_statement(node),
            _ => {
                self.partial(node, "statement that is not understood");
                self.unknown_kind(node)
            }
        }
    }

    fn expression_statement(&mut self, node: Node) -> StmtKind {
        if let Some(target) = self.computed_goto(node) {
            return StmtKind::ComputedGoto(target);
        }
        StmtKind::Expr(self.expr(node))
    }

    /// A field that must be an expression; parentheses around it are left out.
    fn field_expr(&mut self, node: Node, name: &str) -> ExprId {
        match field(node, name) {
            Some(expr) => self.expr(expr),
            None => self.push_expr(ExprKind::Unknown(Vec::new()), node),
        }
    }

    fn field_statement(&mut self, node: Node, name: &str) -> StmtId {
        match field(node, name) {
            Some(statement) => self.substatement(statement),
            None => self.unknown(node),
        }
    }

    /// A substatement is a scope of its own, with or without braces (C11 6.8.4p3).
    fn substatement(&mut self, node: Node) -> StmtId {
        self.scoped(|body| body.statement(node))
    }

    fn unknown(&mut self, node: Node) -> StmtId {
        let kind = self.unknown_kind(node);
        self.push_stmt(kind, node)
    }

    fn unknown_kind(&mut self, node: Node) -> StmtKind {
        StmtKind::Unknown(self.scoped(|body| body.parts(node)))
    }

    fn for_loop(&mut self, node: Node) -> StmtKind {
        let part = |name: &str| field(node, name);
        let init = part("initializer").map(|init| match init.kind() {
            "declaration" => self.statement(init),
            _ => {
                let expr = self.expr(init);
                self.push_stmt(StmtKind::Expr(expr), init)
            }
        });
        let cond = part("condition").map(|cond| self.expr(cond));
        let step = part("update").map(|step| self.expr(step));
        let body = self.field_statement(node, "body");
        StmtKind::Loop {
            kind: LoopKind::For,
            init,
            cond,
            step,
            body,
        }
    }

    /// The grammar puts the statements up to the next label under the `case`; C does not.
    fn case(&mut self, node: Node) -> StmtKind {
        let value = field(node, "value");
        let label = match value {
            Some(value) => StmtKind::Case(self.expr(value)),
            None => StmtKind::Default,
        };
        let label = self.push_stmt(label, node);
        let rest = children(node).into_iter().skip(usize::from(value.is_some()));
        let rest = self.statements(rest);
        StmtKind::Group([vec![label], rest].concat())
    }

    /// The arms of a conditional group. They share the scope around them.
    fn alternatives(&mut self, node: Node) -> StmtKind {
        let mut arms = Vec::new();
        let mut at = Some(node);
        let mut exhaustive = false;
        while let Some(arm) = at {
            let alternative = field(arm, "alternative");
            let condition = field(arm, "condition").or(field(arm, "name"));
            let code = children(arm).into_iter();
            let code: Vec<_> = code.filter(|child| Some(*child) != alternative && Some(*child) != condition).collect();
            let place = code.first().copied().unwrap_or(arm);
            let statements = self.statements(code);
            let kind = if statements.is_empty() { StmtKind::Empty } else { StmtKind::Group(statements) };
            arms.push(self.push_stmt(kind, place));
            exhaustive = arm.kind() == "preproc_else";
            at = alternative;
        }
        if !exhaustive {
            arms.push(self.push_stmt(StmtKind::Empty, node));
        }
        StmtKind::Alternatives(arms)
    }

    fn bind_enumerators(&mut self, node: Node) {
        for (name, value) in self.file.enumerators_in(node) {
            self.bind(name, Binding::Enumerator(value));
        }
    }

    fn declaration(&mut self, node: Node) -> StmtKind {
        self.bind_enumerators(node);
        let specifiers = Specifiers::read(self.file, node);
        self.suspicious_type(node);
        let mut statements = Vec::new();
        for declarator in declare::declarators(node) {
            let Some(declared) = declare::declarator(self.file, declarator) else {
                self.partial(declarator, "declaration that is not understood");
                continue;
            };
            let name = self.file.name(declared.name);
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
            let init = declared.value.map(|value| self.expr(value));
            statements.push(self.push_stmt(StmtKind::Decl { local, init }, declarator));
        }
        match statements.as_slice() {
            [] => StmtKind::Empty,
            // The lone declaration stands for the whole statement.
            [only] => self.stmts[*only].kind.clone(),
            _ => StmtKind::Group(statements),
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
                self.partial(ty, "macro with arguments in the place of a type");
            }
            "type_identifier" if !self.is_type_name(&name) => {
                let mut declared = declare::declarators(node).into_iter();
                let first = declared.next().and_then(|d| declare::declarator(self.file, d)).map(|d| d.name);
                let elsewhere = first.is_some_and(|first| self.file.span(first).line != self.file.span(ty).line);
                let known = first.is_some_and(|first| self.lookup(&self.file.name(first)).is_some());
                let shouted = !name.bytes().any(|b| b.is_ascii_lowercase());
                let variable = matches!(self.lookup(&name), Some(Binding::Local(_)));
                if elsewhere || (known && shouted) || variable {
                    self.partial(ty, &format!("'{name}' may be no type but a macro that hides code"));
                }
            }
            _ => {}
        }
    }

    fn is_type_name(&self, name: &str) -> bool {
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
            "return_statement" | "goto_statement" | "break_statement" | "continue_statement" | "labeled_statement" => {
                self.partial(node, "jump out of an expression");
                self.parts(node)
            }
            "type_identifier" | "field_identifier" | "statement_identifier" | "type_descriptor" => Vec::new(),
            "parameter_list" | "struct_specifier" | "union_specifier" | "enum_specifier" => Vec::new(),
            _ => self.parts(node),
        }
    }

    fn assignments(&mut self, kind: StmtKind, node: Node) -> Vec<ExprId> {
        match kind {
            StmtKind::Decl { local, init: Some(value) } => {
                let target = self.push_expr(ExprKind::Var(VarRef::Local(local)), node);
                let op = None;
                vec![self.push_expr(ExprKind::Assign { op, target, value }, node)]
            }
            StmtKind::Expr(expr) => vec![expr],
            StmtKind::Group(statements) => {
                let kinds: Vec<_> = statements.iter().map(|id| self.stmts[*id].kind.clone()).collect();
                kinds.into_iter().flat_map(|kind| self.assignments(kind, node)).collect()
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

fn looping(kind: LoopKind, cond: Option<ExprId>, body: StmtId) -> StmtKind {
    StmtKind::Loop {
        kind,
        init: None,
        cond,
        step: None,
        body,
    }
}

