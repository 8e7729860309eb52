//! Scopes that do something when they are left, by whatever way: what destructors do stands at the end of the scope, and in front of each jump out of it.

use crate::Code;
use crate::cxx::MOST_SEARCHED;
use crate::function::{Body, Standing};
use crate::rows::{Position, RowId};
use crate::text::span;
use base::{Cause, Span};
use ir::{StmtId, StmtKind};
use thin_vec::ThinVec;

impl Body<'_, '_> {
    /// What is done at the end of a scope, however it is left.
    pub(crate) fn scope_with_end(&mut self, id: RowId) -> ThinVec<StmtId> {
        if self.is_fortran() {
            return self.scope_of_fortran(id);
        }
        let end = self.end_of_scope(id);
        let depth = self.ends.len();
        self.ends.extend(end);
        let mut items = self.items(self.rows.operand(id, 0));
        let (line, column) = self.brace;
        let brace = Standing {
            span: span((line, column), (line, column + 1)),
            from_macro: false,
        };
        items.extend(self.leave(depth, brace));
        self.ends.truncate(depth);
        items
    }

    /// A scope of C++, which gcc puts where it ends: a block in braces, or the head of a statement that declares something.
    pub(crate) fn scope_of_cxx(&mut self, inside: Option<RowId>, end: Option<Position>) -> StmtId {
        let outer = self.brace;
        self.brace = end.unwrap_or(outer);
        let made = inside.and_then(|inside| self.loop_over_range(inside));
        let made = made.unwrap_or_else(|| {
            let items = self.items(inside);
            let items = self.with_beginning(items);
            let spans = items.iter().map(|&item| self.stmts[item].span);
            let parts = spans.fold(Span::default(), crate::function::joined);
            let block = end.and_then(|end| self.file.text.block_that_ends(end));
            let holds = |block: &Span| {
                parts == Span::default() || (block.line, block.column) < (parts.line, parts.column)
            };
            match block.filter(holds) {
                Some(block) => self.push_stmt(StmtKind::Block(items), block, false),
                None => self.one(items),
            }
        });
        self.brace = outer;
        made
    }

    /// Of what is done at the ends of the scopes around, how much is still to be done where a `goto` leads; nothing if that is not found.
    pub(crate) fn kept_at(&self, jump: RowId) -> Option<usize> {
        let label = self.rows.operand(jump, 0)?;
        let at_label = self.scopes_around(label)?;
        let same = self
            .ends
            .iter()
            .zip(&at_label)
            .take_while(|(end, other)| end == other);
        Some(same.count())
    }

    /// What is done at the ends of the scopes around a label, the outermost first.
    fn scopes_around(&self, label: RowId) -> Option<Vec<RowId>> {
        let mut work = vec![(self.tree?, Vec::new())];
        for _ in 0..MOST_SEARCHED {
            let (id, ends) = work.pop()?;
            if self.rows.code(id) == Code::LabelExpr && self.rows.operand(id, 0) == Some(label) {
                return Some(ends);
            }
            let end = matches!(self.rows.code(id), Code::Cleanup | Code::TryFinally)
                .then(|| self.end_of_scope(id))
                .flatten();
            for (number, &part) in self.rows.operands(id).iter().enumerate() {
                let mut around = ends.clone();
                around.extend(end.filter(|_| number == 0));
                work.extend(part.map(|part| (part, around)));
            }
        }
        None
    }

    /// What is done at the end of a scope of which the source says nothing, if it calls functions of the program.
    fn end_of_scope(&self, id: RowId) -> Option<RowId> {
        let is_for_exceptions = self.rows.row(id).traits.is_for_exceptions;
        let end = self.rows.operand(id, 1)?;
        (!is_for_exceptions && self.calls_program(end)).then_some(end)
    }

    /// What is done when control leaves all scopes but the first `kept`, the last one first.
    pub(crate) fn leave(&mut self, kept: usize, standing: Standing) -> Vec<StmtId> {
        let all = self.ends.clone();
        let mut done = Vec::new();
        for (number, &end) in all.iter().enumerate().skip(kept).rev() {
            let first = self.exprs.len();
            // A jump within it leaves none of these scopes.
            self.ends.truncate(number);
            let value = self.expr(end);
            for id in self.exprs.ids().skip(first).collect::<Vec<_>>() {
                self.exprs[id].span = standing.span;
                self.exprs[id].from_macro = standing.from_macro;
            }
            done.push(self.push_stmt(StmtKind::Expr(value), standing.span, standing.from_macro));
        }
        self.ends = all;
        done
    }

    /// `jump`, behind what is done on the way out of all scopes but the first `kept`.
    pub(crate) fn leaving(&mut self, kept: usize, jump: StmtId) -> StmtId {
        if self.ends.len() <= kept {
            return jump;
        }
        if self.is_fortran() {
            let line = self.stmts[jump].span.line;
            self.doubt(Cause::GotoPastDestructors, line);
            return jump;
        }
        let standing = Standing {
            span: self.stmts[jump].span,
            from_macro: self.stmts[jump].from_macro,
        };
        let mut all = self.leave(kept, standing);
        all.push(jump);
        self.push_stmt(StmtKind::Group(all.into()), standing.span, standing.from_macro)
    }
}
