//! What is thrown, and who catches it.

use crate::Code;
use crate::function::{Body, Standing, joined};
use crate::rows::RowId;
use base::{Cause, Span};
use ir::{ExprKind, StmtId, StmtKind};
use thin_vec::ThinVec;

impl Body<'_, '_> {
    /// `try`, with its handlers.
    pub(crate) fn tried(&mut self, id: RowId) -> StmtId {
        let thrown = self.push_expr(ExprKind::Unseen, Standing::default());
        let body = self.items(self.rows.operand(id, 0));
        let body = self.one(body);
        let mut handlers = ThinVec::new();
        let listed = self.rows.operand(id, 1);
        let all = match listed {
            Some(list) if self.rows.code(list) == Code::StatementList => self.rows.operands(list).to_vec(),
            other => vec![other],
        };
        for handler in all.into_iter().flatten() {
            if self.rows.code(handler) != Code::Handler {
                let line = self.line(id);
                self.doubt(Cause::Statement, line);
                continue;
            }
            let items = self.items(self.rows.operand(handler, 1));
            let spans = items.iter().map(|&item| self.stmts[item].span);
            let parts = spans.fold(Span::default(), joined);
            let standing = self.statement_standing(handler, b"catch", parts);
            handlers.push(self.push_stmt(StmtKind::Block(items), standing.span, standing.from_macro));
        }
        let parts = handlers.iter().map(|&handler| self.stmts[handler].span);
        let parts = parts.fold(self.stmts[body].span, joined);
        let standing = self.statement_standing(id, b"try", parts);
        let kind = StmtKind::Try {
            body,
            handlers,
            thrown,
        };
        self.push_stmt(kind, standing.span, standing.from_macro)
    }

    /// `throw`, if an expression is that.
    pub(crate) fn thrown(&mut self, id: RowId) -> Option<StmtId> {
        let mut inner = id;
        while self.rows.code(inner).converts() || self.rows.code(inner).is_transparent() {
            inner = self.rows.operand(inner, 0)?;
        }
        if self.rows.code(inner) != Code::Throw {
            return None;
        }
        let value = self.rows.operand(inner, 0);
        let is_again = value.is_some_and(|value| {
            self.called(value)
                .is_some_and(|called| called.name == "__cxa_rethrow")
        });
        let value = value.filter(|_| !is_again).map(|value| self.expr(value));
        let standing = self.statement_standing(inner, b"throw", Span::default());
        Some(self.push_stmt(StmtKind::Throw(value), standing.span, standing.from_macro))
    }
}
