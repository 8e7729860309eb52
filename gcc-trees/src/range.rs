//! Loops over a range: `for (T x : range)`.
//!
//! gcc makes four variables and a loop over iterators of it. Here it becomes what `frontend` makes of it: a loop that counts how many elements it has
//! left behind, in a variable that the program holds as its iterator.

use crate::Code;
use crate::function::{Body, Standing, joined};
use crate::rows::RowId;
use base::Span;
use ir::{Callee, ExprId, ExprKind, Local, LocalId, LoopKind, StmtId, StmtKind, Type, VarRef};
use thin_vec::{ThinVec, thin_vec};

/// The parts of such a loop.
struct Range {
    /// What it is over: the initialiser of the reference to it.
    over: RowId,
    /// The statements in front that are not the compiler's.
    before: Vec<RowId>,
    looping: RowId,
}

impl Body<'_, '_> {
    /// A loop over a range, if that is what a scope holds.
    pub(crate) fn loop_over_range(&mut self, scope: RowId) -> Option<StmtId> {
        let range = self.range(scope)?;
        let mut statements = ThinVec::new();
        for &before in &range.before {
            statements.push(self.statement(before));
        }
        let over = self.referred(range.over);
        let at = Standing {
            span: self.exprs[over].span,
            from_macro: self.exprs[over].from_macro,
        };
        let over = self.push_expr(ExprKind::Cast(Type::Unknown, over), at);
        statements.push(self.push_stmt(StmtKind::Expr(over), at.span, at.from_macro));
        let own = self.standing(range.looping);
        let index = self.locals.push(Local::new(
            String::new(),
            own.span,
            Type::Int {
                signed: Some(true),
                bits: Some(64),
            },
        ));
        let zero = self.push_expr(ExprKind::Int(0), at);
        let init = StmtKind::Decl {
            local: index,
            init: Some(zero),
        };
        let init = self.push_stmt(init, at.span, at.from_macro);
        let cond = self.push_expr(ExprKind::Unseen, at);
        let step = self.range_step(range.looping, index, at);
        self.enter(true);
        let inside = self.flat(self.rows.operand(range.looping, 3));
        let body = self.range_body(&inside, index);
        self.jumps.pop();
        let parts = joined(at.span, self.stmts[body].span);
        let standing = self.statement_standing(range.looping, b"for", parts);
        if self.locals[index].counts_for.is_none() {
            self.locals[index].span = standing.span;
        }
        let kind = StmtKind::Loop {
            kind: LoopKind::For,
            init: Some(init),
            cond: Some(cond),
            step: Some(step),
            body,
            divided: false,
        };
        statements.push(self.push_stmt(kind, standing.span, standing.from_macro));
        Some(self.one(statements))
    }

    /// The parts of a loop over a range; nothing if a scope holds anything else, or what has to be done at its end.
    fn range(&self, scope: RowId) -> Option<Range> {
        let mut over = None;
        let mut before = Vec::new();
        for item in self.flat(Some(scope)) {
            let inner = self.within(item);
            match self.rows.code(inner) {
                Code::For if over.is_some() => {
                    return Some(Range {
                        over: over?,
                        before,
                        looping: inner,
                    });
                }
                Code::DeclExpr if self.declares(inner, "__for_range") => {
                    over = self.rows.operand(inner, 1);
                    over?;
                }
                Code::Cleanup => return None,
                // The iterators, and where they are set.
                _ if over.is_some() => {}
                _ => before.push(item),
            }
        }
        None
    }

    fn declares(&self, declaration: RowId, name: &str) -> bool {
        let declared = self.rows.operand(declaration, 0);
        declared.is_some_and(|declared| self.rows.row(declared).name.trim_end() == name)
    }

    /// What stands in transparent trees.
    fn within(&self, mut id: RowId) -> RowId {
        while self.rows.code(id).is_transparent()
            && let Some(inner) = self.rows.operand(id, 0)
        {
            id = inner;
        }
        id
    }

    /// The statements of a scope, those in scopes at whose end nothing is done included.
    fn flat(&self, scope: Option<RowId>) -> Vec<RowId> {
        let mut work = Vec::from_iter(scope);
        let mut found = Vec::new();
        let mut is_first = true;
        while let Some(id) = work.pop() {
            let goes_in = match self.rows.code(id) {
                Code::StatementList => true,
                Code::Bind => is_first,
                Code::Cleanup => {
                    self.rows.row(id).traits.is_for_exceptions
                        || self
                            .rows
                            .operand(id, 1)
                            .is_none_or(|end| !self.calls_program(end))
                }
                _ => false,
            };
            match self.rows.code(id) {
                _ if !goes_in => {
                    is_first = false;
                    found.push(id);
                }
                Code::StatementList => work.extend(self.rows.operands(id).iter().rev().flatten()),
                _ => work.extend(self.rows.operand(id, 0)),
            }
        }
        found
    }

    /// One more element is left behind; a function of the program that moves its iterator is called.
    fn range_step(&mut self, looping: RowId, index: LocalId, at: Standing) -> ExprId {
        let target = self.push_expr(ExprKind::Var(VarRef::Local(index)), at);
        let step = ExprKind::Step {
            target,
            up: true,
            prefix: true,
        };
        let step = self.push_expr(step, at);
        let moves = self.rows.operand(looping, 2);
        if !moves.is_some_and(|moves| self.calls_program(moves)) {
            return step;
        }
        let call = ExprKind::Call {
            callee: Callee::Named("operator++".into()),
            args: ThinVec::new(),
        };
        let call = self.push_expr(call, at);
        self.push_expr(ExprKind::Comma(call, step), at)
    }

    /// The body, which begins with the element.
    fn range_body(&mut self, inside: &[RowId], index: LocalId) -> StmtId {
        let mut rest = inside.iter().copied().peekable();
        let mut statements = ThinVec::new();
        if let Some(declaration) = rest.next_if(|&item| self.rows.code(self.within(item)) == Code::DeclExpr) {
            let declaration = self.within(declaration);
            rest.next_if(|&next| self.initialiser_of(declaration, next).is_some());
            if let Some(element) = self.rows.operand(declaration, 0) {
                let standing = self.standing(element);
                let local = self.local(element);
                let init = Some(self.push_expr(ExprKind::Unseen, standing));
                let kind = StmtKind::Decl { local, init };
                statements.push(self.push_stmt(kind, standing.span, standing.from_macro));
                let Local { name, span, .. } = &self.locals[local];
                // The parts of a structured binding have names, the element has none.
                if !name.is_empty() && !self.rows.row(element).traits.is_artificial {
                    let (name, span) = (format!("index({name})"), *span);
                    let counted = &mut self.locals[index];
                    (counted.name, counted.span, counted.counts_for) = (name, span, Some(local));
                }
            }
        }
        let rest = Vec::from_iter(rest);
        let mut span = Span::default();
        for item in self.in_order(&rest) {
            span = joined(span, self.stmts[item].span);
            statements.push(item);
        }
        self.push_stmt(StmtKind::Block(statements), span, false)
    }

    /// The `for` whose beginning gcc has put in front of it: that is part of it again.
    pub(crate) fn with_beginning(&mut self, items: ThinVec<StmtId>) -> ThinVec<StmtId> {
        let Some((&last, before)) = items.split_last().filter(|(_, before)| !before.is_empty()) else {
            return items;
        };
        let is_plain = |&each: &StmtId| {
            matches!(
                self.stmts[each].kind,
                StmtKind::Decl { .. } | StmtKind::Expr(_) | StmtKind::Empty
            )
        };
        if !matches!(
            self.stmts[last].kind,
            StmtKind::Loop {
                kind: LoopKind::For,
                init: None,
                ..
            }
        ) || !before.iter().all(is_plain)
        {
            return items;
        }
        let whole = self.stmts[last].span;
        let begins = |&each: &StmtId| {
            let at = self.stmts[each].span;
            at == Span::default() || whole.contains_position(at.line, at.column)
        };
        if !before.iter().all(begins) {
            return items;
        }
        let first = self.one(before.into());
        if let StmtKind::Loop { init, .. } = &mut self.stmts[last].kind {
            *init = Some(first);
        }
        // Parts stand before what they are parts of.
        let looping = self.stmts[last].clone();
        self.stmts[last].kind = StmtKind::Empty;
        thin_vec![self.push_stmt(looping.kind, looping.span, looping.from_macro)]
    }
}
