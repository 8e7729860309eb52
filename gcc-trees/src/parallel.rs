//! Loops that OpenMP divides among threads.

use crate::Code;
use crate::function::{Body, joined};
use crate::rows::RowId;
use base::{Cause, Span};
use ir::{LoopKind, StmtId, StmtKind};
use thin_vec::{ThinVec, thin_vec};

impl Body<'_, '_> {
    /// `#pragma omp for` and `simd`: as many loops as the directive takes together, each in the next one's place.
    pub(crate) fn parallel_loop(&mut self, id: RowId) -> StmtId {
        // Body, clauses, beginnings, conditions, steps, and what is computed before.
        let vectors = [2, 3, 4].map(|number| self.rows.operand(id, number));
        let [Some(inits), Some(conds), Some(steps)] = vectors else {
            let line = self.line(id);
            self.doubt(Cause::Statement, line);
            return self.push_stmt(StmtKind::Unknown(ThinVec::new()), Span::default(), false);
        };
        let divided = self.rows.code(id) == Code::OmpFor;
        let before = self.rows.operand(id, 5).map(|before| self.statement(before));
        let count = self.rows.operands(inits).len();
        let mut heads = Vec::new();
        for number in 0..count {
            let init = self.rows.operand(inits, number).map(|init| self.statement(init));
            let cond = self.rows.operand(conds, number).map(|cond| self.condition(cond));
            let step = self.rows.operand(steps, number).map(|step| self.expr(step));
            heads.push((init, cond, step));
        }
        let standing = self.standing(id);
        let mut body = match self.rows.operand(id, 0) {
            Some(body) => self.statement(body),
            None => self.push_stmt(StmtKind::Empty, standing.span, standing.from_macro),
        };
        for (init, cond, step) in heads.into_iter().rev() {
            let parts = cond.iter().chain(&step).map(|&part| self.exprs[part].span);
            let span = parts.fold(joined(standing.span, self.stmts[body].span), joined);
            let kind = StmtKind::Loop {
                kind: LoopKind::For,
                init,
                cond,
                step,
                body,
                divided,
            };
            body = self.push_stmt(kind, span, standing.from_macro);
        }
        match before {
            Some(before) => {
                let span = joined(self.stmts[before].span, self.stmts[body].span);
                self.push_stmt(StmtKind::Group(thin_vec![before, body]), span, false)
            }
            None => body,
        }
    }
}
