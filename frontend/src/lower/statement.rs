//! Statements.

use crate::lower::declare;
use crate::lower::function::{Binding, Body};
use crate::lower::{children, expression::is_expression, field};
use crate::pragma::divided_loops;
use base::Cause;
use ir::{ExprId, ExprKind, LoopKind, StmtId, StmtKind};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

impl Body<'_, '_> {
    /// Lowers a statement, declaration or conditional group.
    pub(super) fn statement(&mut self, node: Node) -> StmtId {
        let lowered = self.deeper(node, |body| body.statement_kind(node));
        let kind = lowered.unwrap_or_else(|| StmtKind::Unknown(ThinVec::new()));
        self.push_stmt(kind, node)
    }

    fn statements<'t>(&mut self, nodes: impl IntoIterator<Item = Node<'t>>) -> Vec<StmtId> {
        nodes.into_iter().map(|node| self.statement(node)).collect()
    }

    fn statement_kind(&mut self, node: Node) -> StmtKind {
        match node.kind() {
            "compound_statement" => self.block(node),
            "expression_statement" => match children(node).first() {
                Some(expr) => self.expression_statement(*expr),
                None => StmtKind::Empty,
            },
            "declaration" => self.declaration(node),
            "type_definition" => {
                let typedefs = declare::typedefs(self.file, node);
                let names = typedefs.iter().map(|(name, _)| name.clone()).collect();
                self.file.note_typedefs(node, names);
                for (name, ty) in typedefs {
                    self.bind(name, Binding::Type(ty));
                }
                self.bind_enumerators(node);
                StmtKind::Empty
            }
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                self.local_class(node);
                StmtKind::Empty
            }
            // A word and a semicolon look like a type; a variable or a macro without effect is meant.
            "type_identifier" | "primitive_type" | "sized_type_specifier" => StmtKind::Empty,
            "if_statement" | "switch_statement" | "while_statement" if self.file.is_cxx() => {
                self.scoped(|body| body.declaring(node))
            }
            "if_statement" => {
                let cond = self.field_expr(node, "condition");
                self.branch(node, cond)
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
            "do_statement" => self.do_loop(node),
            "for_statement" => self.scoped(|body| body.for_loop(node)),
            "case_statement" => self.case(node),
            "labeled_statement" => self.labeled(node),
            "attributed_statement" => match children(node).last() {
                Some(inner) => StmtKind::Group(thin_vec![self.statement(*inner)]),
                None => StmtKind::Empty,
            },
            "goto_statement" => self.goto(node),
            "break_statement" => {
                let depth = self.jumps.last().map_or(usize::MAX, |(depth, _)| *depth);
                self.leaving(depth, StmtKind::Break, node)
            }
            "continue_statement" => {
                let outside = self.jumps.iter().rev().find(|(_, is_loop)| *is_loop);
                let depth = outside.map_or(usize::MAX, |(depth, _)| *depth);
                self.leaving(depth, StmtKind::Continue, node)
            }
            "return_statement" => self.return_statement(node),
            "preproc_if" | "preproc_ifdef" => self.alternatives(node),
            "preproc_def"
            | "preproc_function_def"
            | "preproc_call"
            | "preproc_include"
            | "attribute_declaration" => StmtKind::Empty,
            "function_definition" => {
                if let Some(zeroed) = self.zeroed_result(node) {
                    return zeroed;
                }
                self.partial(node, Cause::NestedFunction);
                self.unknown_kind(node)
            }
            kind if is_expression(kind) => self.expression_statement(node),
            "macro_type_specifier" if self.is_call_read_as_type(node) => self.expression_statement(node),
            _ => match self.cxx_statement(node) {
                Some(kind) => kind,
                None => {
                    self.partial(node, Cause::Statement);
                    self.unknown_kind(node)
                }
            },
        }
    }

    fn block(&mut self, node: Node) -> StmtKind {
        let statements = self.scoped(|body| {
            let mut statements = body.statements(children(node));
            let depth = body.scope_depth() - 1;
            statements.extend(body.leave(depth, closing_brace(node).unwrap_or(node)));
            statements
        });
        StmtKind::Block(statements.into())
    }

    fn do_loop(&mut self, node: Node) -> StmtKind {
        self.jumps.push((self.scope_depth(), true));
        let body = self.field_statement(node, "body");
        self.jumps.pop();
        let cond = Some(self.field_expr(node, "condition"));
        looping(LoopKind::DoWhile, cond, body)
    }

    fn labeled(&mut self, node: Node) -> StmtKind {
        let label = match field(node, "label") {
            Some(label) => {
                let name = self.file.name(label);
                self.push_stmt(StmtKind::Label(name.into()), label)
            }
            None => self.unknown(node),
        };
        let rest = self.statements(children(node).into_iter().skip(1));
        StmtKind::Group([vec![label], rest].concat().into())
    }

    fn return_statement(&mut self, node: Node) -> StmtKind {
        let value = children(node).first().copied();
        let value = value.map(|value| {
            let lowered = self.expr(value);
            self.returned(lowered, value)
        });
        self.leaving(0, StmtKind::Return(value), node)
    }

    /// An `if` with its arms; `cond` is its condition.
    fn branch(&mut self, node: Node, cond: ExprId) -> StmtKind {
        let then = self.field_statement(node, "consequence");
        let clause = field(node, "alternative");
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

    /// `if`, `switch` and `while` of C++: their condition may declare.
    fn declaring(&mut self, node: Node) -> StmtKind {
        let (mut before, cond) = match field(node, "condition") {
            Some(clause) if clause.kind() == "condition_clause" => self.condition_clause(clause),
            Some(cond) => (Vec::new(), self.expr(cond)),
            None => (
                Vec::new(),
                self.push_expr(ExprKind::Unknown(ThinVec::new()), node),
            ),
        };
        let kind = match node.kind() {
            "if_statement" => self.branch(node, cond),
            kind => {
                let is_loop = kind == "while_statement";
                self.jumps.push((self.scope_depth(), is_loop));
                let body = self.field_statement(node, "body");
                self.jumps.pop();
                if is_loop {
                    looping(LoopKind::While, Some(cond), body)
                } else {
                    StmtKind::Switch { value: cond, body }
                }
            }
        };
        if before.is_empty() {
            return kind;
        }
        before.push(self.push_stmt(kind, node));
        StmtKind::Group(before.into())
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
            None => self.push_expr(ExprKind::Unknown(ThinVec::new()), node),
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

    pub(super) fn unknown_kind(&mut self, node: Node) -> StmtKind {
        StmtKind::Unknown(self.scoped(|body| body.parts(node)).into())
    }

    fn for_loop(&mut self, node: Node) -> StmtKind {
        let (start, _) = self.file.raw_range(node);
        let around = self.divided_loops;
        let own = divided_loops(self.file.raw, start);
        let depth = around.max(own);
        let part = |name: &str| field(node, name);
        let init = part("initializer").map(|init| match init.kind() {
            "declaration" => self.statement(init),
            _ => {
                let expr = self.expr(init);
                self.push_stmt(StmtKind::Expr(expr), init)
            }
        });
        let count = self.count_of_iterator(node);
        let cond = part("condition").map(|cond| self.expr(cond));
        let mut step = part("update").map(|step| self.expr(step));
        self.divided_loops = depth.saturating_sub(1);
        self.jumps.push((self.scope_depth(), true));
        let body = self.field_statement(node, "body");
        self.jumps.pop();
        self.divided_loops = around;
        if let (Some((index, _)), Some(moves)) = (count, step) {
            step = Some(self.counted_step(moves, index, part("update").unwrap_or(node)));
        }
        let looping = StmtKind::Loop {
            kind: LoopKind::For,
            init,
            cond,
            step,
            body,
            divided: depth > 0,
        };
        match count {
            Some((_, zero)) => {
                let looping = self.push_stmt(looping, node);
                StmtKind::Group(thin_vec![zero, looping])
            }
            None => looping,
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
        StmtKind::Group([vec![label], rest].concat().into())
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
            let code: Vec<_> = code
                .filter(|child| Some(*child) != alternative && Some(*child) != condition)
                .collect();
            let place = code.first().copied().unwrap_or(arm);
            let statements = self.statements(code);
            let kind = if statements.is_empty() {
                StmtKind::Empty
            } else {
                StmtKind::Group(statements.into())
            };
            arms.push(self.push_stmt(kind, place));
            exhaustive = arm.kind() == "preproc_else";
            at = alternative;
        }
        if !exhaustive {
            arms.push(self.push_stmt(StmtKind::Empty, node));
        }
        StmtKind::Alternatives(arms.into())
    }
}

fn looping(kind: LoopKind, cond: Option<ExprId>, body: StmtId) -> StmtKind {
    StmtKind::Loop {
        kind,
        init: None,
        cond,
        step: None,
        body,
        divided: false,
    }
}

/// The brace that ends a block.
pub(super) fn closing_brace(block: Node<'_>) -> Option<Node<'_>> {
    block.child(block.child_count().checked_sub(1)?)
}
