//! Statements that only C++ has: handlers, loops over ranges, conditions that declare.

use crate::lower::cxx::{ClassOf, Surroundings};
use crate::lower::declare::{self, Derived, Specifiers};
use crate::lower::expression::is_expression;
use crate::lower::function::{Binding, Body, TRY, body_of};
use crate::lower::statement::closing_brace;
use crate::lower::{children, field};
use crate::pragma::divided_loops;
use base::Cause;
use base::Id as _;
use ir::{ExprId, ExprKind, Local, LocalId, LoopKind, StmtId, StmtKind, Type, VarRef};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

impl Body<'_, '_> {
    /// Statements that only C++ has; `None` when `node` is none.
    pub(super) fn cxx_statement(&mut self, node: Node) -> Option<StmtKind> {
        if !self.file.is_cxx() {
            return None;
        }
        Some(match node.kind() {
            TRY => self.try_statement(node),
            "throw_statement" => {
                let value = children(node).first().copied();
                StmtKind::Throw(value.map(|value| self.expr(value)))
            }
            "for_range_loop" => self.scoped(|body| body.range_loop(node)),
            "alias_declaration" => {
                if let (Some(name), Some(ty)) = (field(node, "name"), field(node, "type")) {
                    let ty = declare::described_type(self.file, ty);
                    let name = self.file.name(name);
                    self.file.note_alias(name.clone());
                    self.bind(name, Binding::Type(ty));
                }
                StmtKind::Empty
            }
            "class_specifier" => {
                self.local_class(node);
                StmtKind::Empty
            }
            "using_declaration"
            | "static_assert_declaration"
            | "namespace_alias_definition"
            | "template_declaration"
            | "template_instantiation" => StmtKind::Empty,
            "init_statement" => match children(node).first().copied() {
                Some(inner) => StmtKind::Group(thin_vec![self.statement(inner)]),
                None => StmtKind::Empty,
            },
            "co_return_statement" | "co_yield_statement" => {
                self.partial(node, Cause::Coroutine);
                StmtKind::Unknown(self.parts(node).into())
            }
            _ => return None,
        })
    }

    /// The functions of a class that is defined within the function.
    pub(super) fn local_class(&mut self, node: Node) {
        self.bind_enumerators(node);
        self.class_of_type(node);
    }

    /// The functions of the class that a type in the function defines, if it does. They may name what is static, or constant, in this function.
    pub(super) fn class_of_type(&mut self, ty: Node) {
        if !self.file.is_cxx() || field(ty, "body").is_none() {
            return;
        }
        let mut outer = self.captured.clone();
        for name in self.names_in(ty) {
            let Some(Binding::Local(local)) = self.lookup(&name) else {
                continue;
            };
            // A member of the class hides a variable; one that can be named at all is constant if it is not static.
            if self.locals[local].is_static || !self.file.is_member(&name) {
                let target = self.push_expr(ExprKind::Var(VarRef::Local(local)), ty);
                self.take_address(target);
                outer.insert(name);
            }
        }
        let before = std::mem::replace(&mut self.file.outer, outer);
        self.file
            .class(ty, ClassOf::Function, Surroundings::Understood, 1);
        self.file.outer = before;
    }

    /// `try`, with its handlers. That of a constructor holds the initialisers.
    pub(super) fn try_statement(&mut self, node: Node) -> StmtKind {
        let thrown = self.push_expr(ExprKind::Unseen, node);
        let mut tried = self.initialisers_in(node);
        let body = match field(node, "body") {
            Some(body) if tried.is_empty() => self.scoped(|inner| inner.statement(body)),
            Some(body) => self.scoped(|inner| {
                tried.push(inner.statement(body));
                inner.push_stmt(StmtKind::Group(tried.into()), body)
            }),
            None => self.push_stmt(StmtKind::Empty, node),
        };
        let is_whole_body = node.parent().is_some_and(|parent| body_of(parent) == Some(node));
        let throws_again = is_whole_body && self.throws_again;
        let clauses = children(node)
            .into_iter()
            .filter(|child| child.kind() == "catch_clause");
        let handlers = clauses
            .map(|clause| self.scoped(|body| body.handler(clause, throws_again)))
            .collect();
        StmtKind::Try {
            body,
            handlers,
            thrown,
        }
    }

    /// What a handler does. `throws_again`: its end throws what it caught.
    fn handler(&mut self, clause: Node, throws_again: bool) -> StmtId {
        let mut statements = Vec::new();
        let list = field(clause, "parameters").map(children).unwrap_or_default();
        for parameter in list.into_iter().filter(|p| p.kind() == "parameter_declaration") {
            let ty = Specifiers::read(self.file, parameter).ty;
            let declarator = field(parameter, "declarator");
            let Some(declared) = declarator.and_then(|d| declare::declarator(self.file, d)) else {
                continue;
            };
            let local = self.declare_local(declared.name, declared.derived.apply(ty), false);
            if Self::is_reference(&declared) {
                self.references.insert(local);
            }
            let init = Some(self.push_expr(ExprKind::Unseen, declared.name));
            statements.push(self.push_stmt(StmtKind::Decl { local, init }, declared.name));
        }
        if let Some(body) = field(clause, "body") {
            statements.push(self.statement(body));
            if throws_again {
                let brace = closing_brace(body).unwrap_or(body);
                statements.push(self.push_stmt(StmtKind::Throw(None), brace));
            }
        }
        self.push_stmt(StmtKind::Block(statements.into()), clause)
    }

    /// `for (T x : range)`: a loop whose iterator has no name.
    fn range_loop(&mut self, node: Node) -> StmtKind {
        let mut before = Vec::new();
        if let Some(init) = field(node, "initializer") {
            before.push(self.statement(init));
        }
        let range = field(node, "right").unwrap_or(node);
        let lowered = match range.kind() {
            "initializer_list" => self.list(range),
            _ => ExprKind::Cast(Type::Unknown, self.expr(range)),
        };
        let value = self.push_expr(lowered, range);
        before.push(self.push_stmt(StmtKind::Expr(value), range));
        let cond = self.push_expr(ExprKind::Unseen, range);
        let index = self.declare_index(node);
        let init = self.begin_count(index, range);
        let step = self.range_step(range, index);
        let (start, _) = self.file.raw_range(node);
        let around = self.divided_loops;
        let depth = around.max(divided_loops(self.file.raw, start));
        self.divided_loops = depth.saturating_sub(1);
        self.jumps.push((self.scope_depth(), true));
        let block = self.scoped(|body| {
            let mut statements = Vec::new();
            let declarator = field(node, "declarator");
            if let Some((names, _)) = declarator.and_then(|d| body.binding_of(d)) {
                let first = body.locals.len();
                statements.extend(body.structured_binding(names, None));
                if first < body.locals.len() {
                    body.count_for(index, LocalId::from_index(first));
                }
            } else if let Some(declared) = declarator.and_then(|d| declare::declarator(body.file, d)) {
                let ty = Specifiers::read(body.file, node).ty;
                let local = body.declare_local(declared.name, declared.derived.apply(ty), false);
                if Self::is_reference(&declared) {
                    body.references.insert(local);
                }
                body.note_elements(local, &declared, ty);
                body.note_object_type(local, node, &declared);
                body.count_for(index, local);
                let init = Some(body.push_expr(ExprKind::Unseen, declared.name));
                statements.push(body.push_stmt(StmtKind::Decl { local, init }, declared.name));
                if declared.derived == Derived::Plain
                    && let Some(ty) = field(node, "type")
                {
                    body.note_object(ty);
                }
            } else {
                body.partial(node, Cause::LoopVariable);
            }
            if let Some(inner) = field(node, "body") {
                statements.push(body.scoped(|body| body.statement(inner)));
                let depth = body.scope_depth() - 1;
                statements.extend(body.leave(depth, inner));
            }
            body.push_stmt(
                StmtKind::Block(statements.into()),
                field(node, "body").unwrap_or(node),
            )
        });
        self.jumps.pop();
        self.divided_loops = around;
        let looping = StmtKind::Loop {
            kind: LoopKind::For,
            init: Some(init),
            cond: Some(cond),
            step: Some(step),
            body: block,
            divided: depth > 0,
        };
        before.push(self.push_stmt(looping, node));
        StmtKind::Group(before.into())
    }

    /// A variable for how many elements the loop over a range has left behind.
    pub(super) fn declare_index(&mut self, node: Node) -> LocalId {
        let ty = Type::Int {
            signed: Some(true),
            bits: Some(64),
        };
        self.locals
            .push(Local::new(String::new(), self.file.span(node), ty))
    }

    /// The loop whose elements `index` counts has this variable.
    pub(super) fn count_for(&mut self, index: LocalId, variable: LocalId) {
        let (name, span) = (&self.locals[variable].name, self.locals[variable].span);
        let name = format!("index({name})");
        let index = &mut self.locals[index];
        (index.name, index.span, index.counts_for) = (name, span, Some(variable));
    }

    /// Nothing is left behind yet.
    pub(super) fn begin_count(&mut self, index: LocalId, node: Node) -> StmtId {
        let zero = self.push_expr(ExprKind::Int(0), node);
        let init = StmtKind::Decl {
            local: index,
            init: Some(zero),
        };
        self.push_stmt(init, node)
    }

    /// One more is left behind.
    pub(super) fn count_one(&mut self, index: LocalId, node: Node) -> ExprId {
        let target = self.push_expr(ExprKind::Var(VarRef::Local(index)), node);
        let step = ExprKind::Step {
            target,
            up: true,
            prefix: true,
        };
        self.push_expr(step, node)
    }

    /// How the iterator moves: by one element, and by a function of the program, if it has one.
    fn range_step(&mut self, range: Node, index: LocalId) -> ExprId {
        let step = self.count_one(index, range);
        let name = "operator++".to_owned();
        if self.file.is_cxx_function(&name) {
            let callee = ir::Callee::Named(name.into());
            let args = Vec::new();
            let call = ExprKind::Call {
                callee,
                args: args.into(),
            };
            let call = self.push_expr(call, range);
            return self.push_expr(ExprKind::Comma(call, step), range);
        }
        step
    }

    /// The condition of a statement: its value, and what is to be done before it. `whole` is where the condition stands.
    pub(super) fn condition_clause(&mut self, clause: Node) -> (Vec<StmtId>, ExprId) {
        let mut before = Vec::new();
        if let Some(init) = field(clause, "initializer") {
            before.push(self.statement(init));
        }
        let Some(value) = field(clause, "value") else {
            return (before, self.push_expr(ExprKind::Unknown(ThinVec::new()), clause));
        };
        if is_expression(value.kind()) || value.kind() != "declaration" {
            return (before, self.expr(value));
        }
        // `while (T x = f())` declares anew whenever it is tested: an assignment and a test of its value.
        let ty = Specifiers::read(self.file, value).ty;
        let declarator = field(value, "declarator").and_then(|d| declare::declarator(self.file, d));
        let init = field(value, "value").map(|init| self.expr(init));
        let (Some(declared), Some(init)) = (declarator, init) else {
            self.partial(value, Cause::Condition);
            return (before, self.push_expr(ExprKind::Unknown(ThinVec::new()), clause));
        };
        let local = self.declare_local(declared.name, declared.derived.apply(ty), false);
        if Self::is_reference(&declared) {
            self.references.insert(local);
        }
        let variable = ExprKind::Var(ir::VarRef::Local(local));
        let target = self.push_expr(variable, declared.name);
        let op = None;
        let assign = ExprKind::Assign {
            op,
            target,
            value: init,
        };
        (before, self.push_expr(assign, declared.name))
    }
}
