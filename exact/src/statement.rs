//! Statements.

use crate::function::Body;
use crate::pragma::divided_loops;
use base::Cause;
use ir::{ExprId, ExprKind, LoopKind, StmtId, StmtKind, VarRef};
use lang_c::ast::{BlockItem, ForInitializer, Label, Statement};
use lang_c::span::Node;
use thin_vec::{ThinVec, thin_vec};

impl Body<'_, '_> {
    /// Lowers a statement.
    pub(crate) fn statement(&mut self, node: &Node<Statement>) -> StmtId {
        let kind = self.deeper(node, |body| body.statement_kind(node));
        self.push_stmt(kind.unwrap_or_else(|| StmtKind::Unknown(ThinVec::new())), node)
    }

    fn statement_kind(&mut self, node: &Node<Statement>) -> StmtKind {
        match &node.node {
            Statement::Compound(items) => StmtKind::Block(self.scoped(|body| body.items(items)).into()),
            Statement::Expression(None) => StmtKind::Empty,
            Statement::Expression(Some(value)) => StmtKind::Expr(self.expr(value)),
            Statement::Labeled(labeled) => {
                let label = &labeled.node.label;
                let kind = match &label.node {
                    Label::Identifier(name) => StmtKind::Label(name.node.name.as_str().into()),
                    Label::Case(value) => StmtKind::Case(self.expr(value)),
                    // Which of the values is taken does not matter here.
                    Label::CaseRange(range) => StmtKind::Case(self.expr(&range.node.low)),
                    Label::Default => StmtKind::Default,
                };
                let label = self.push_stmt(kind, label);
                let rest = self.statement(&labeled.node.statement);
                StmtKind::Group(thin_vec![label, rest])
            }
            Statement::If(branch) => {
                let cond = self.expr(&branch.node.condition);
                let then = self.substatement(&branch.node.then_statement);
                let other = branch.node.else_statement.as_ref();
                // The keyword has no node of its own; it ends what is before it.
                let else_line =
                    other.map_or(0, |other| self.line_of_else(&branch.node.then_statement, other));
                StmtKind::If {
                    cond,
                    then,
                    other: other.map(|other| self.substatement(other)),
                    else_line,
                }
            }
            Statement::Switch(switch) => StmtKind::Switch {
                value: self.expr(&switch.node.expression),
                body: self.substatement(&switch.node.statement),
            },
            Statement::While(each) => {
                let cond = Some(self.expr(&each.node.expression));
                let body = self.substatement(&each.node.statement);
                looping(LoopKind::While, cond, body)
            }
            Statement::DoWhile(each) => {
                let body = self.substatement(&each.node.statement);
                let cond = Some(self.expr(&each.node.expression));
                looping(LoopKind::DoWhile, cond, body)
            }
            Statement::For(each) => self.scoped(|body| {
                let around = body.divided_loops;
                let depth = around.max(divided_loops(body.unit.text, node.span.start));
                let init = body.initial(&each.node.initializer);
                let cond = each.node.condition.as_ref().map(|cond| body.expr(cond));
                let step = each.node.step.as_ref().map(|step| body.expr(step));
                body.divided_loops = depth.saturating_sub(1);
                let statement = body.substatement(&each.node.statement);
                body.divided_loops = around;
                StmtKind::Loop {
                    kind: LoopKind::For,
                    init,
                    cond,
                    step,
                    body: statement,
                    divided: depth > 0,
                }
            }),
            Statement::Goto(label) => StmtKind::Goto(label.node.name.as_str().into()),
            Statement::Continue => StmtKind::Continue,
            Statement::Break => StmtKind::Break,
            Statement::Return(value) => StmtKind::Return(value.as_ref().map(|value| self.expr(value))),
            Statement::Asm(_) => {
                self.partial(node, Cause::Asm);
                StmtKind::Unknown(ThinVec::new())
            }
        }
    }

    fn items(&mut self, items: &[Node<BlockItem>]) -> Vec<StmtId> {
        let mut statements = Vec::new();
        for item in items {
            match &item.node {
                BlockItem::Statement(statement) => statements.push(self.statement(statement)),
                BlockItem::Declaration(declaration) => {
                    let kind = self.declaration(declaration);
                    statements.push(self.push_stmt(kind, declaration));
                }
                BlockItem::StaticAssert(_) => {}
            }
        }
        statements
    }

    fn initial(&mut self, init: &Node<ForInitializer>) -> Option<StmtId> {
        let kind = match &init.node {
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => return None,
            ForInitializer::Expression(value) => StmtKind::Expr(self.expr(value)),
            ForInitializer::Declaration(declaration) => self.declaration(declaration),
        };
        Some(self.push_stmt(kind, init))
    }

    /// A substatement is a scope of its own, with or without braces (C11 6.8.4p3).
    fn substatement(&mut self, node: &Node<Statement>) -> StmtId {
        self.scoped(|body| body.statement(node))
    }

    fn line_of_else(&self, then: &Node<Statement>, other: &Node<Statement>) -> u32 {
        let between = self
            .unit
            .text
            .get(then.span.start..other.span.start)
            .unwrap_or_default();
        let offset = between.windows(4).rposition(|window| window == b"else");
        let start = then.span.start + offset.unwrap_or(0);
        let place = Node::new((), lang_c::span::Span::span(start, start + 4));
        self.unit.span(&place).line
    }

    /// `({ … })`: its value and effects are those of its parts, one after the other where nothing in it branches.
    pub(crate) fn statement_expression(&mut self, statement: &Node<Statement>) -> ExprId {
        let mut straight = true;
        let parts = self.scoped(|body| {
            let parts = body.deeper(statement, |body| body.parts(statement, &mut straight));
            parts.unwrap_or_default()
        });
        if straight {
            return self.sequence(parts, statement);
        }
        self.push_expr(ExprKind::Unknown(parts.into()), statement)
    }

    /// The expressions of a statement inside an expression.
    fn parts(&mut self, node: &Node<Statement>, straight: &mut bool) -> Vec<ExprId> {
        match &node.node {
            Statement::Compound(items) => self.scoped(|body| {
                let mut parts = Vec::new();
                for item in items {
                    match &item.node {
                        BlockItem::Statement(statement) => {
                            let more = body.deeper(statement, |body| body.parts(statement, straight));
                            parts.extend(more.unwrap_or_default());
                        }
                        BlockItem::Declaration(declaration) => {
                            let kind = body.declaration(declaration);
                            body.assignments(&kind, declaration, &mut parts);
                        }
                        BlockItem::StaticAssert(_) => {}
                    }
                }
                parts
            }),
            Statement::Expression(value) => value.iter().map(|value| self.expr(value)).collect(),
            _ => {
                *straight = false;
                let before = self.stmts.len();
                self.statement(node);
                let jumps = self.stmts.iter().skip(before).any(|each| {
                    matches!(
                        each.kind,
                        StmtKind::Return(_)
                            | StmtKind::Goto(_)
                            | StmtKind::ComputedGoto(_)
                            | StmtKind::Break
                            | StmtKind::Continue
                            | StmtKind::Label(_)
                    )
                });
                if jumps {
                    self.partial(node, Cause::JumpOut);
                }
                self.take_parts(before, node)
            }
        }
    }

    /// The expressions of the statements from `first` on, which are then no statements any more.
    fn take_parts(&mut self, first: usize, node: &Node<Statement>) -> Vec<ExprId> {
        let kinds: Vec<StmtKind> = self
            .stmts
            .iter()
            .skip(first)
            .map(|each| each.kind.clone())
            .collect();
        let mut parts = Vec::new();
        for kind in kinds {
            match kind {
                StmtKind::If { cond, .. } => parts.push(cond),
                StmtKind::Loop { cond, step, .. } => parts.extend(cond.into_iter().chain(step)),
                StmtKind::Switch { value, .. } => parts.push(value),
                StmtKind::Return(value) => parts.extend(value),
                other => self.assignments(&other, node, &mut parts),
            }
        }
        parts
    }

    /// What a declaration or expression statement evaluates, declarations as assignments.
    fn assignments<T>(&mut self, kind: &StmtKind, node: &Node<T>, parts: &mut Vec<ExprId>) {
        match kind {
            StmtKind::Decl {
                local,
                init: Some(value),
            } => {
                let target = self.push_expr(ExprKind::Var(VarRef::Local(*local)), node);
                let (op, value) = (None, *value);
                parts.push(self.push_expr(ExprKind::Assign { op, target, value }, node));
            }
            StmtKind::Expr(expr) => parts.push(*expr),
            StmtKind::Group(statements) => {
                for statement in statements {
                    let kind = self.stmts[*statement].kind.clone();
                    self.assignments(&kind, node, parts);
                }
            }
            _ => {}
        }
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
