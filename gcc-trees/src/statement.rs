//! Statements.

use crate::Code;
use crate::function::{Body, Left, Standing, joined};
use crate::rows::{Place, RowId};
use base::{Cause, Id as _, Span};
use ir::{Attribute, ExprKind, LoopKind, StmtId, StmtKind};
use thin_vec::{ThinVec, thin_vec};

impl Body<'_, '_> {
    /// The statements of a list, or the one that stands there alone.
    pub(crate) fn items(&mut self, list: Option<RowId>) -> ThinVec<StmtId> {
        let Some(list) = list else {
            return ThinVec::new();
        };
        if self.rows.code(list) != Code::StatementList {
            return thin_vec![self.statement(list)];
        }
        let operands = Vec::from_iter(self.rows.operands(list).iter().flatten().copied());
        let lowered = self.deeper(list, |body| body.in_order(&operands));
        lowered.unwrap_or_default()
    }

    /// Lowers statements one after the other.
    pub(crate) fn in_order(&mut self, items: &[RowId]) -> ThinVec<StmtId> {
        let mut lowered = ThinVec::new();
        let mut items = items.iter().copied().peekable();
        while let Some(item) = items.next() {
            // C++ declares some objects first, and makes them in a statement of its own.
            let made = (self.is_cxx() && self.rows.code(item) == Code::DeclExpr)
                .then(|| self.initialiser_of(item, *items.peek()?))
                .flatten();
            lowered.push(match made {
                Some(value) => {
                    items.next();
                    let before = self.ended.len();
                    let declared = self.declaration(item, Some(value));
                    self.ended(declared, before)
                }
                None => self.statement(item),
            });
        }
        lowered
    }

    /// Lowers a statement.
    pub(crate) fn statement(&mut self, id: RowId) -> StmtId {
        let before = self.ended.len();
        let lowered = self.deeper(id, |body| body.lower_statement(id));
        let lowered = lowered
            .unwrap_or_else(|| self.push_stmt(StmtKind::Unknown(ThinVec::new()), Span::default(), false));
        self.ended(lowered, before)
    }

    /// A statement with the ends of the temporary objects that it has made, all but the first `before` of those known.
    fn ended(&mut self, statement: StmtId, before: usize) -> StmtId {
        if self.ended.len() <= before {
            return statement;
        }
        let ended = self.ended.split_off(before);
        let Standing { span, from_macro } = Standing {
            span: self.stmts[statement].span,
            from_macro: self.stmts[statement].from_macro,
        };
        if !matches!(
            self.stmts[statement].kind,
            StmtKind::Expr(_) | StmtKind::Decl { .. }
        ) {
            // It ends before what the statement goes on with.
            self.doubt(Cause::Statement, span.line);
            return statement;
        }
        let mut all = thin_vec![statement];
        for end in ended.into_iter().rev() {
            let end = self.expr(end);
            all.push(self.push_stmt(StmtKind::Expr(end), span, from_macro));
        }
        self.push_stmt(StmtKind::Group(all), span, from_macro)
    }

    /// The statement that an operand is, an empty one if there is none.
    pub(crate) fn substatement(&mut self, of: RowId, number: usize) -> StmtId {
        match self.rows.operand(of, number) {
            Some(id) => self.statement(id),
            None => self.push_stmt(StmtKind::Empty, Span::default(), false),
        }
    }

    fn lower_statement(&mut self, id: RowId) -> StmtId {
        match self.rows.code(id) {
            Code::StatementList => {
                let items = self.items(Some(id));
                if let [only] = items[..] {
                    return only;
                }
                self.group(items)
            }
            Code::Bind => self.block(id),
            Code::DeclExpr => self.declaration(id, None),
            Code::If => self.branch(id),
            Code::Cleanup => {
                let items = self.scope_with_end(id);
                self.one(items)
            }
            Code::Try => self.tried(id),
            Code::TryFinally => {
                let items = self.scope_with_end(id);
                self.one(items)
            }
            Code::Using | Code::VoidCst => self.at(id, StmtKind::Empty),
            // An `if` has no value. One of `?:` whose arms have none, and which a macro hides, is taken for an `if`: both are the same way through the code.
            Code::CondExpr if !self.has_value(id) && !self.is_written(id, b"?") => self.branch(id),
            Code::For => {
                let init = self.rows.operand(id, 0);
                let init = init.map(|init| self.statement(init));
                self.repeat(id, LoopKind::For, init, (1, Some(2), 3))
            }
            Code::Loop => self.do_loop(id),
            Code::CompoundExpr if self.is_fortran() => self.one_then_other(id),
            Code::While => self.repeat(id, LoopKind::While, None, (0, None, 1)),
            Code::Do => self.repeat(id, LoopKind::DoWhile, None, (0, None, 1)),
            Code::Switch | Code::SwitchExpr => self.switch(id),
            Code::CaseLabel => {
                let kind = match self.rows.operand(id, 0) {
                    // Of a range: which of the values is taken does not matter here.
                    Some(value) => StmtKind::Case(self.expr(value)),
                    None => StmtKind::Default,
                };
                self.at(id, kind)
            }
            Code::Break => {
                let jump = self.at(id, StmtKind::Break);
                let kept = self.jumps.last().map_or(0, |left| left.kept);
                self.leaving(kept, jump)
            }
            Code::Continue => {
                let jump = self.at(id, StmtKind::Continue);
                let looping = self.jumps.iter().rfind(|left| left.is_loop);
                let kept = looping.map_or(0, |left| left.kept);
                self.leaving(kept, jump)
            }
            Code::LabelExpr if self.is_end_of_function(id) => self.at(id, StmtKind::Empty),
            Code::LabelExpr => {
                let name = self.label(id);
                self.at(id, StmtKind::Label(name))
            }
            Code::Goto => self.jump(id),
            Code::Return => self.returned(id),
            Code::Predict | Code::DebugBegin => self.at(id, StmtKind::Empty),
            Code::CleanupPoint | Code::ExprStmt | Code::MustNotThrow | Code::EhSpec | Code::TryCatch => {
                self.substatement(id, 0)
            }
            Code::Asm => {
                let line = self.line(id);
                self.doubt(Cause::Asm, line);
                self.at(id, StmtKind::Unknown(ThinVec::new()))
            }
            Code::OmpParallel | Code::OmpCritical | Code::OmpMaster | Code::OmpSingle => {
                self.substatement(id, 0)
            }
            Code::OmpFor | Code::OmpSimd => self.parallel_loop(id),
            _ => match self.thrown(id) {
                Some(thrown) => thrown,
                None => self.expression_statement(id),
            },
        }
    }

    /// A statement that stands where its tree does.
    fn at(&mut self, id: RowId, kind: StmtKind) -> StmtId {
        let standing = self.standing(id);
        let span = self.file.text.with_semicolon(standing.span);
        self.push_stmt(kind, span, standing.from_macro)
    }

    pub(crate) fn group(&mut self, items: ThinVec<StmtId>) -> StmtId {
        let spans = items.iter().map(|&item| self.stmts[item].span);
        let span = spans.fold(Span::default(), joined);
        self.push_stmt(StmtKind::Group(items), span, false)
    }

    /// What declares variables: a block in braces, or the statement around the declaration in its head.
    fn block(&mut self, id: RowId) -> StmtId {
        self.declare_of_fortran(id);
        let inside = self.rows.operand(id, 0);
        let place = self.rows.row(id).place.filter(|place| !place.in_macro);
        if self.is_cxx() {
            return self.scope_of_cxx(inside, place.map(|place| place.caret));
        }
        let block = place.and_then(|place| self.file.text.block(place.caret));
        if let Some(span) = block {
            let items = self.items(inside);
            return self.push_stmt(StmtKind::Block(items), span, false);
        }
        let items = self.items(inside);
        self.group(items)
    }

    /// One statement of several.
    pub(crate) fn one(&mut self, items: ThinVec<StmtId>) -> StmtId {
        match items[..] {
            [only] => only,
            _ => self.group(items),
        }
    }

    fn declaration(&mut self, id: RowId, made: Option<RowId>) -> StmtId {
        let declared = self.rows.operand(id, 0);
        let declared = declared.filter(|&declared| {
            let row = self.rows.row(declared);
            row.code == Code::VarDecl && !row.traits.is_external && !row.traits.at_file_scope
        });
        let Some(declared) = declared else {
            return self.at(id, StmtKind::Empty);
        };
        let standing = self.standing(declared);
        if self.rows.row(declared).traits.has_cleanup {
            self.file.note_attribute(standing.span.line, Attribute::Cleanup);
            self.doubt(Cause::Statement, standing.span.line);
        }
        let local = self.local(declared);
        let init = made.or(self.rows.operand(id, 1));
        let init = init.map(|init| {
            if self.is_cxx() {
                self.initial(init)
            } else {
                self.expr(init)
            }
        });
        let end = init.map_or(Span::default(), |init| self.exprs[init].span);
        let span = joined(standing.span, end);
        self.push_stmt(StmtKind::Decl { local, init }, span, standing.from_macro)
    }

    /// Where a statement stands that begins with a keyword, and reaches over `parts` at least.
    pub(crate) fn statement_standing(&mut self, id: RowId, keyword: &[u8], parts: Span) -> Standing {
        let own = self.standing(id);
        // What is returned may be a macro, which has the place of the whole then.
        let place = self.rows.row(id).place;
        let place = place.filter(|place| !place.in_macro || keyword == b"return");
        let is_within = self.is_cxx() && matches!(keyword, b"return" | b"goto" | b"throw");
        let whole = place.and_then(|place| {
            if is_within {
                // In C++ it has the place of what it is done with.
                self.file.text.statement_around(keyword, place.start)
            } else {
                self.file.text.statement(keyword, place.start)
            }
        });
        match whole {
            Some(whole) => Standing {
                span: joined(whole, parts),
                from_macro: false,
            },
            None => Standing {
                span: joined(own.span, parts),
                from_macro: own.from_macro,
            },
        }
    }

    fn branch(&mut self, id: RowId) -> StmtId {
        let cond = self.condition_operand(id, 0);
        let then = self.substatement(id, 1);
        let other = self.rows.operand(id, 2).map(|other| self.statement(other));
        let then_span = self.stmts[then].span;
        let other_span = other.map_or(Span::default(), |other| self.stmts[other].span);
        let parts = joined(joined(self.exprs[cond].span, then_span), other_span);
        let standing = self.statement_standing(id, b"if", parts);
        let mut else_line = 0;
        if other.is_some() && !standing.from_macro {
            let from = match then_span {
                span if span == Span::default() => self.exprs[cond].span,
                span => span,
            };
            else_line = self.file.text.line_of_else(
                (from.end_line, from.end_column),
                (other_span.line, other_span.column),
            );
        }
        let kind = StmtKind::If {
            cond,
            then,
            other,
            else_line,
        };
        self.push_stmt(kind, standing.span, standing.from_macro)
    }

    /// A loop whose condition, step and body are the operands with these numbers.
    pub(crate) fn repeat(
        &mut self,
        id: RowId,
        kind: LoopKind,
        init: Option<StmtId>,
        (cond, step, body): (usize, Option<usize>, usize),
    ) -> StmtId {
        let cond = self.rows.operand(id, cond).map(|cond| self.condition(cond));
        let step = step.and_then(|step| self.rows.operand(id, step));
        let step = step.map(|step| self.expr(step));
        self.enter(true);
        let body = self.substatement(id, body);
        self.jumps.pop();
        let keyword: &[u8] = match kind {
            LoopKind::For => b"for",
            LoopKind::While => b"while",
            LoopKind::DoWhile => b"do",
        };
        let parts = cond.iter().chain(&step).map(|&part| self.exprs[part].span);
        let parts = parts.fold(self.stmts[body].span, joined);
        let standing = self.statement_standing(id, keyword, parts);
        let kind = StmtKind::Loop {
            kind,
            init,
            cond,
            step,
            body,
            divided: false,
        };
        self.push_stmt(kind, standing.span, standing.from_macro)
    }

    fn switch(&mut self, id: RowId) -> StmtId {
        let value = self.operand_expr(id, 0);
        let items = self.rows.operand(id, 1);
        self.enter(false);
        let items = self.items(items);
        self.jumps.pop();
        let body = self.one(items);
        let parts = joined(self.exprs[value].span, self.stmts[body].span);
        let standing = self.statement_standing(id, b"switch", parts);
        self.push_stmt(
            StmtKind::Switch { value, body },
            standing.span,
            standing.from_macro,
        )
    }

    /// The label of a `goto`, or of the place where it leads. Two of one name in different blocks (`__label__`) are told apart.
    fn label(&mut self, id: RowId) -> ir::Name {
        let Some(label) = self.rows.operand(id, 0) else {
            return "".into();
        };
        let name = self.rows.row(label).name;
        let first = *self.labels.entry(name.to_owned()).or_insert(label);
        if first == label && !name.is_empty() {
            return name.into();
        }
        format!("{name}.{}", label.index()).into()
    }

    /// Begins a loop or a switch, until it is popped.
    pub(crate) fn enter(&mut self, is_loop: bool) {
        let kept = self.ends.len();
        self.jumps.push(Left { kept, is_loop });
    }

    /// Whether a label is the compiler's own, where a destructor's `return` leads.
    fn is_end_of_function(&self, id: RowId) -> bool {
        let label = self.rows.operand(id, 0).map(|label| self.rows.row(label));
        self.is_cxx() && label.is_some_and(|label| label.name.is_empty() && label.code == Code::LabelDecl)
    }

    fn jump(&mut self, id: RowId) -> StmtId {
        if self.is_end_of_function(id) {
            let jump = self.at(id, StmtKind::Return(None));
            return self.leaving(0, jump);
        }
        if !self.ends.is_empty() {
            let jump = self.plain_jump(id);
            let Some(kept) = self.kept_at(id) else {
                let line = self.line(id);
                self.doubt(Cause::GotoPastDestructors, line);
                return jump;
            };
            return self.leaving(kept, jump);
        }
        self.plain_jump(id)
    }

    fn plain_jump(&mut self, id: RowId) -> StmtId {
        let target = self.rows.operand(id, 0);
        let kind = match target.map(|target| self.rows.code(target)) {
            Some(Code::LabelDecl) => StmtKind::Goto(self.label(id)),
            _ => StmtKind::ComputedGoto(self.operand_expr(id, 0)),
        };
        if self.is_cxx() {
            let standing = self.statement_standing(id, b"goto", Span::default());
            return self.push_stmt(kind, standing.span, standing.from_macro);
        }
        self.at(id, kind)
    }

    fn returned(&mut self, id: RowId) -> StmtId {
        // What C99 puts behind the last statement of `main` is none of the source's; in C++ it stands at the brace.
        let place = self.place(id);
        let is_at_brace = |place: Place| self.is_cxx() && self.file.text.word_at(place.caret) == b"}";
        if place.is_none_or(is_at_brace) {
            return self.push_stmt(StmtKind::Empty, Span::default(), false);
        }
        let mut value = self.rows.operand(id, 0);
        if let Some(set) = value
            && matches!(self.rows.code(set), Code::ModifyExpr | Code::InitExpr)
            && let Some(result) = self.rows.operand(set, 0)
            && self.rows.code(result) == Code::ResultDecl
        {
            value = self.rows.operand(set, 1);
            self.becomes(Code::InitExpr, value);
        }
        // `return;` of a function that should give a value.
        let value = value.filter(|&value| self.rows.code(value) != Code::ResultDecl);
        let value = value.map(|value| self.expr(value));
        let parts = value.map_or(Span::default(), |value| self.exprs[value].span);
        let standing = self.statement_standing(id, b"return", parts);
        let jump = self.push_stmt(StmtKind::Return(value), standing.span, standing.from_macro);
        self.leaving(0, jump)
    }

    fn expression_statement(&mut self, id: RowId) -> StmtId {
        let expr = self.expr(id);
        let value = &self.exprs[expr];
        let (span, from_macro) = (value.span, value.from_macro);
        // An empty statement is a constant for gcc; the size of an array is a value that it keeps.
        if matches!(value.kind, ExprKind::Int(_)) || self.is_kept_size(id) {
            return self.push_stmt(StmtKind::Empty, span, from_macro);
        }
        let span = self.file.text.with_semicolon(span);
        self.push_stmt(StmtKind::Expr(expr), span, from_macro)
    }

    /// Whether a statement keeps the size of an array and does nothing else.
    fn is_kept_size(&self, mut id: RowId) -> bool {
        while self.rows.code(id).converts() {
            let Some(inner) = self.rows.operand(id, 0) else {
                return false;
            };
            id = inner;
        }
        self.rows.code(id) == Code::SaveExpr && !self.has_effects(id)
    }
}
