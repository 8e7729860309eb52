//! Expressions.

use crate::Code;
use crate::declare::integer;
use crate::fold::Offset;
use crate::function::{Body, Standing, joined};
use crate::rows::RowId;
use crate::types;
use base::{Cause, Span};
use ir::{BinaryOp, Callee, ExprId, ExprKind, StmtKind, Type, UnaryOp, VarRef};
use thin_vec::{ThinVec, thin_vec};

/// What a tree has become.
pub(crate) enum Made {
    /// An expression of its own.
    New(ExprKind),
    /// One that is there already: nothing of the tree is left.
    Known(ExprId),
}

impl From<ExprKind> for Made {
    fn from(kind: ExprKind) -> Self {
        Made::New(kind)
    }
}

impl Body<'_, '_> {
    /// Lowers an expression.
    pub(crate) fn expr(&mut self, id: RowId) -> ExprId {
        let made = self.deeper(id, |body| body.make(id));
        let made = made.unwrap_or_else(|| ExprKind::Unknown(ThinVec::new()).into());
        match made {
            Made::Known(known) => known,
            Made::New(kind) => {
                let standing = self.expression_standing(id, &kind);
                self.push_expr(kind, standing)
            }
        }
    }

    /// The expression that an operand is.
    pub(crate) fn operand_expr(&mut self, of: RowId, number: usize) -> ExprId {
        match self.rows.operand(of, number) {
            Some(id) => self.expr(id),
            None => {
                let line = self.line(of);
                self.doubt(Cause::Expression, line);
                let standing = self.standing(of);
                self.push_expr(ExprKind::Unknown(ThinVec::new()), standing)
            }
        }
    }

    /// Operators stand where their operands begin.
    pub(crate) fn expression_standing(&mut self, id: RowId, kind: &ExprKind) -> Standing {
        // gcc gives a use of a variable or an enumerator no place of its own, and the row has that of its declaration; who uses it has one.
        if self.rows.code(id).is_declaration() {
            return Standing::default();
        }
        let own = self.standing(id);
        if self.is_fortran() {
            return own;
        }
        if own.from_macro {
            return own;
        }
        let parts = children(kind);
        let spans = parts.iter().map(|&part| self.exprs[part].span);
        let from_macro = own.span == Span::default() && parts.iter().any(|&part| self.exprs[part].from_macro);
        Standing {
            span: spans.fold(own.span, joined),
            from_macro,
        }
    }

    fn make(&mut self, id: RowId) -> Made {
        let code = self.rows.code(id);
        if let Some(made) = self.made_of_operator(id, code) {
            return made.into();
        }
        match code {
            Code::VarDecl | Code::ParmDecl if self.is_cxx() => match self.variable_of_cxx(id) {
                Some(made) => made,
                None => self.variable(id).into(),
            },
            Code::VarDecl | Code::ParmDecl if self.is_fortran() => self.variable_of_fortran(id),
            Code::VarDecl | Code::ParmDecl => self.variable(id).into(),
            // A variable that is what the function returns.
            Code::ResultDecl if !self.rows.row(id).name.is_empty() => {
                ExprKind::Var(VarRef::Local(self.local(id))).into()
            }
            Code::ResultDecl | Code::EmptyClass => ExprKind::Unseen.into(),
            Code::VoidCst => ExprKind::Int(0).into(),
            Code::PtrmemCst => ExprKind::Constant.into(),
            Code::FunctionDecl => {
                let name = self.rows.row(id).name;
                self.file.addresses.insert(name.to_owned());
                ExprKind::Var(VarRef::Global(name.into())).into()
            }
            Code::IntegerCst => integer(self.rows, id)
                .map_or(ExprKind::Constant, ExprKind::Int)
                .into(),
            Code::RealCst => {
                let value = self.rows.row(id).name.parse();
                value.map_or(ExprKind::Constant, ExprKind::Float).into()
            }
            Code::StringCst => ExprKind::Str.into(),
            Code::ConstDecl | Code::LabelDecl | Code::ComplexCst | Code::VectorCst | Code::TypeDecl => {
                ExprKind::Constant.into()
            }
            Code::AddrExpr => self.address(id),
            Code::IndirectRef | Code::MemRef => self.dereferenced(id),
            Code::ComponentRef => self.member(id),
            Code::ArrayRef if self.is_fortran() => self.element_of_fortran(id),
            Code::ArrayRef => {
                let base = self.operand_expr(id, 0);
                let index = self.operand_expr(id, 1);
                ExprKind::Index { base, index }.into()
            }
            Code::ModifyExpr | Code::InitExpr if self.sets_no_variable(id) => {
                self.becomes(code, self.rows.operand(id, 1));
                Made::Known(self.operand_expr(id, 1))
            }
            Code::PreIncrement | Code::PreDecrement | Code::PostIncrement | Code::PostDecrement
                if self.sets_no_variable(id) =>
            {
                Made::Known(self.operand_expr(id, 0))
            }
            Code::ModifyExpr | Code::InitExpr => self.assignment(id).into(),
            Code::PreIncrement | Code::PreDecrement | Code::PostIncrement | Code::PostDecrement => {
                let target = self.operand_expr(id, 0);
                if !self.is_lvalue(target) {
                    let line = self.line(id);
                    self.doubt(Cause::Step, line);
                }
                ExprKind::Step {
                    target,
                    up: matches!(code, Code::PreIncrement | Code::PostIncrement),
                    prefix: matches!(code, Code::PreIncrement | Code::PreDecrement),
                }
                .into()
            }
            Code::CallExpr | Code::AggrInit if self.is_cxx() => match self.call_of_cxx(id) {
                Some(made) => made,
                None => self.call(id).into(),
            },
            Code::CallExpr => self.call(id).into(),
            Code::TryFinally => {
                let first = self.operand_expr(id, 0);
                ExprKind::Comma(first, self.operand_expr(id, 1)).into()
            }
            Code::TryCatch => Made::Known(self.operand_expr(id, 0)),
            Code::VaArg => {
                let list = self.operand_expr(id, 0);
                ExprKind::Call {
                    callee: Callee::Named("__builtin_va_arg".into()),
                    args: thin_vec![list],
                }
                .into()
            }
            Code::Constructor => {
                let values = self.rows.operands(id).to_vec();
                let values = values.iter().flatten().map(|&value| self.expr(value));
                ExprKind::List(values.collect()).into()
            }
            Code::CompoundLiteral => self.literal(id),
            Code::CompoundExpr => self.sequence(id),
            Code::CondExpr => {
                let cond = self.condition_operand(id, 0);
                let then = self.operand_expr(id, 1);
                let other = match self.rows.operand(id, 2) {
                    Some(other) => self.expr(other),
                    None => self.push_expr(ExprKind::Int(0), Standing::default()),
                };
                ExprKind::Conditional(cond, then, other).into()
            }
            Code::SaveExpr => self.saved(id),
            Code::MaybeConst => match self.rows.operand(id, 0) {
                Some(before) => {
                    let before = self.expr(before);
                    ExprKind::Comma(before, self.operand_expr(id, 1)).into()
                }
                None => Made::Known(self.operand_expr(id, 1)),
            },
            _ if code.is_transparent() => Made::Known(self.operand_expr(id, 0)),
            _ if code.converts() => self.conversion(id),
            Code::TargetExpr => {
                if let Some(end) = self.rows.operand(id, 2)
                    && self.is_cxx()
                    && !self.elided.contains(&id)
                    && !self.rows.row(id).traits.is_for_exceptions
                    && self.calls_program(end)
                {
                    self.ended.push(end);
                }
                let slot = self.rows.operand(id, 0);
                let inside = self.rows.operand(id, 1);
                self.statement_expression(id, slot, inside)
            }
            Code::Bind => {
                let inside = self.rows.operand(id, 0);
                self.statement_expression(id, None, inside)
            }
            Code::StatementList => self.statement_expression(id, None, Some(id)),
            _ => self.opaque(id),
        }
    }

    /// Whether what is set is the function's value, or one that the compiler keeps for itself.
    fn sets_no_variable(&self, id: RowId) -> bool {
        let target = self.rows.operand(id, 0).map(|target| self.rows.row(target));
        self.is_cxx()
            && target.is_some_and(|target| {
                target.name.is_empty() && matches!(target.code, Code::ResultDecl | Code::VarDecl)
            })
    }

    fn variable(&mut self, id: RowId) -> ExprKind {
        let row = self.rows.row(id);
        // `__func__` and what else the compiler has a text for.
        if row.traits.is_artificial && row.name.starts_with("__") && !row.name.starts_with("__for_") {
            return ExprKind::Str;
        }
        if row.traits.at_file_scope || row.traits.is_external {
            return ExprKind::Var(VarRef::Global(row.name.into()));
        }
        ExprKind::Var(VarRef::Local(self.local(id)))
    }

    /// A condition: without the comparison with zero that C makes of any value.
    pub(crate) fn condition(&mut self, mut id: RowId) -> ExprId {
        while self.rows.code(id).is_transparent()
            && let Some(inner) = self.rows.operand(id, 0)
        {
            id = inner;
        }
        if self.rows.code(id) == Code::Ne
            && !self.is_written(id, b"!=")
            && let (Some(value), Some(zero)) = (self.rows.operand(id, 0), self.rows.operand(id, 1))
            && self.is_zero(zero)
        {
            return self.expr(value);
        }
        self.expr(id)
    }

    pub(crate) fn condition_operand(&mut self, of: RowId, number: usize) -> ExprId {
        match self.rows.operand(of, number) {
            Some(id) => self.condition(id),
            None => self.operand_expr(of, number),
        }
    }

    /// Whether the tree has a value, of a type that is known.
    pub(crate) fn has_value(&self, id: RowId) -> bool {
        types::of(self.rows, self.rows.row(id).ty) != Type::Unknown
    }

    /// Whether the source has this word where gcc says that the tree is.
    pub(crate) fn is_written(&self, id: RowId, word: &[u8]) -> bool {
        let place = self.rows.row(id).place;
        place.is_some_and(|place| !place.in_macro && self.file.text.word_at(place.caret) == word)
    }

    pub(crate) fn is_zero(&self, id: RowId) -> bool {
        match self.rows.code(id) {
            Code::IntegerCst => self.rows.row(id).value == Some(0),
            Code::RealCst => self.rows.row(id).name.parse::<f64>() == Ok(0.0),
            _ => false,
        }
    }

    /// `&x`; and what C makes of an array and of a text without being told.
    fn address(&mut self, id: RowId) -> Made {
        let Some(of) = self.rows.operand(id, 0) else {
            return Made::Known(self.operand_expr(id, 0));
        };
        match self.rows.code(of) {
            Code::StringCst => return ExprKind::Str.into(),
            Code::FunctionDecl | Code::LabelDecl => return Made::Known(self.expr(of)),
            // What a literal holds nobody else can name.
            Code::CompoundLiteral => {}
            _ => {
                let is_array = types::of(self.rows, self.rows.row(of).ty) == Type::Array;
                let start = self.rows.row(id).place.map(|place| (place.start, place.in_macro));
                let is_written = match start {
                    Some((start, false)) => self.file.text.word_at(start) == b"&",
                    _ => !is_array,
                };
                if is_array && !is_written {
                    return Made::Known(self.expr(of));
                }
            }
        }
        let of = self.expr(of);
        match self.exprs[of].kind {
            ExprKind::Deref(pointer) if self.is_cxx() => return Made::Known(pointer),
            // A temporary object, or what a call returns.
            _ if self.is_cxx() && !self.is_lvalue(of) => return Made::Known(of),
            _ => {}
        }
        self.note_address(of);
        ExprKind::AddressOf(of).into()
    }

    /// Marks the variable that an lvalue is, or is part of, as one whose address is taken.
    fn note_address(&mut self, mut target: ExprId) {
        loop {
            match self.exprs[target].kind {
                ExprKind::Var(VarRef::Local(local)) => {
                    self.locals[local].address_taken = true;
                    return;
                }
                ExprKind::Var(VarRef::Global(name)) => {
                    if let Some(global) = self.file.global_mut(&name) {
                        global.address_taken = true;
                    }
                    return;
                }
                ExprKind::Field {
                    base, arrow: false, ..
                }
                | ExprKind::Index { base, .. }
                | ExprKind::Cast(_, base) => target = base,
                _ => return,
            }
        }
    }

    fn dereferenced(&mut self, id: RowId) -> Made {
        let Some(mut pointer) = self.rows.operand(id, 0) else {
            return Made::Known(self.operand_expr(id, 0));
        };
        if self.rows.code(id) == Code::MemRef
            && !self
                .rows
                .operand(id, 1)
                .is_some_and(|offset| self.is_zero(offset))
        {
            return self.opaque(id);
        }
        while let Some(inner) = self.rows.operand(pointer, 0)
            && match self.rows.code(pointer) {
                Code::NonLvalue => true,
                // gcc keeps the address where an element is changed by its value.
                Code::SaveExpr => !self.saved.contains(&pointer) || !self.has_effects(pointer),
                _ => false,
            }
        {
            if self.rows.code(pointer) == Code::SaveExpr {
                self.saved.insert(pointer);
            }
            pointer = inner;
        }
        if self.is_cxx()
            && let Some(made) = self.operator_gives(pointer)
        {
            return made;
        }
        if self.rows.code(pointer) == Code::AddrExpr
            && let Some(of) = self.rows.operand(pointer, 0)
            && self.rows.code(of) != Code::CompoundLiteral
        {
            return Made::Known(self.expr(of));
        }
        let place = self.rows.row(id).place.filter(|place| !place.in_macro);
        let is_star = place.is_some_and(|place| self.file.text.word_at(place.start) == b"*");
        let is_subscript = place.is_some_and(|place| self.file.text.word_at(place.last) == b"]");
        // gcc adds no zero to a pointer.
        if is_subscript && !is_star && self.rows.code(pointer) != Code::PointerPlus {
            let base = self.expr(pointer);
            let index = self.push_expr(ExprKind::Int(0), Standing::default());
            return ExprKind::Index { base, index }.into();
        }
        if self.rows.code(pointer) == Code::PointerPlus
            && !is_star
            && let Some(base) = self.rows.operand(pointer, 0)
            && let Some(offset) = self.offset(pointer)
        {
            let base = self.expr(base);
            let index = self.offset_expr(offset);
            return ExprKind::Index { base, index }.into();
        }
        ExprKind::Deref(self.expr(pointer)).into()
    }

    /// The value of an offset, in elements.
    pub(crate) fn offset_expr(&mut self, offset: Offset) -> ExprId {
        match offset {
            Offset::Constant(value) => self.push_expr(ExprKind::Int(value), Standing::default()),
            Offset::Plus(id) => self.widened(id),
            Offset::Sum(id, more) => {
                let value = self.widened(id);
                let standing = Standing {
                    span: self.exprs[value].span,
                    from_macro: self.exprs[value].from_macro,
                };
                let op = if more < 0 { BinaryOp::Sub } else { BinaryOp::Add };
                let amount = i64::try_from(more.unsigned_abs()).unwrap_or(i64::MAX);
                let amount = self.push_expr(ExprKind::Int(amount), Standing::default());
                self.push_expr(ExprKind::Binary(op, value, amount), standing)
            }
            Offset::Minus(id) => {
                let value = self.widened(id);
                let span = self.exprs[value].span;
                let standing = Standing {
                    span,
                    from_macro: self.exprs[value].from_macro,
                };
                self.push_expr(ExprKind::Unary(UnaryOp::Neg, value), standing)
            }
        }
    }

    fn member(&mut self, id: RowId) -> Made {
        let (Some(of), Some(field)) = (self.rows.operand(id, 0), self.rows.operand(id, 1)) else {
            return Made::Known(self.operand_expr(id, 0));
        };
        // The members of a structure without a name are those of the one around it.
        let name = self.rows.row(field).name;
        if name.is_empty() {
            return Made::Known(self.expr(of));
        }
        if self.is_cxx()
            && let Some(captured) = self.captured(of, field)
        {
            return captured;
        }
        if self.is_fortran() {
            // No event of this front end tells of types.
            let language = self.file.language;
            let member = crate::declare::member(self.rows, field, false, None, language);
            self.file.members.insert(member);
        }
        let base = self.expr(of);
        if self.is_fortran() && self.within_whole(base).is_some() {
            return Made::Known(base);
        }
        let (base, arrow) = match self.exprs[base].kind {
            ExprKind::Deref(pointer) => (pointer, true),
            _ => (base, false),
        };
        let name = name.into();
        ExprKind::Field { base, name, arrow }.into()
    }

    pub(crate) fn is_lvalue(&self, target: ExprId) -> bool {
        matches!(
            self.exprs[target].kind,
            ExprKind::Var(_) | ExprKind::Field { .. } | ExprKind::Index { .. } | ExprKind::Deref(_)
        )
    }

    fn assignment(&mut self, id: RowId) -> ExprKind {
        self.becomes(self.rows.code(id), self.rows.operand(id, 1));
        self.note_string(id);
        if !self.is_written(id, b"=")
            && let (Some(target), Some(value)) = (self.rows.operand(id, 0), self.rows.operand(id, 1))
            && let Some(compound) = self.compound(target, value)
        {
            return self.compound_assignment(id, target, compound);
        }
        let target = self.operand_expr(id, 0);
        let value = self.operand_expr(id, 1);
        self.assigned(id, None, target, value)
    }

    pub(crate) fn assigned(
        &mut self,
        id: RowId,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
    ) -> ExprKind {
        if self.is_lvalue(target) {
            return ExprKind::Assign { op, target, value };
        }
        let line = self.line(id);
        self.doubt(Cause::Assignment, line);
        ExprKind::Unknown(thin_vec![target, value])
    }

    fn call(&mut self, id: RowId) -> ExprKind {
        let operands = self.rows.operands(id).to_vec();
        let callee = match (self.named_by(id), operands.first().copied().flatten()) {
            (Some(function), _) => Callee::Named(self.name_of_called(id, function)),
            (None, Some(callee)) => {
                let callee = self.without_conversions(callee);
                Callee::Indirect(self.expr(callee))
            }
            // A function of the compiler's own, which no front end calls.
            (None, None) => {
                let line = self.line(id);
                self.doubt(Cause::Expression, line);
                return ExprKind::Unknown(ThinVec::new());
            }
        };
        let args = operands.iter().skip(1).enumerate();
        let args = args.filter_map(|(number, &argument)| Some((number, argument?)));
        let args = args.map(|(number, argument)| {
            if self.is_fortran() {
                self.argument_of_fortran(id, number, argument)
            } else {
                self.expr(argument)
            }
        });
        let args = args.collect();
        ExprKind::Call { callee, args }
    }

    /// The function that a call names.
    pub(crate) fn named_by(&self, call: RowId) -> Option<RowId> {
        let callee = self.without_conversions(self.rows.operand(call, 0)?);
        let named = match self.rows.code(callee) {
            Code::AddrExpr => self.rows.operand(callee, 0)?,
            _ => callee,
        };
        (self.rows.code(named) == Code::FunctionDecl).then_some(named)
    }

    fn literal(&mut self, id: RowId) -> Made {
        let declared = self.rows.operand(id, 0);
        match declared.and_then(|declared| self.rows.operand(declared, 1)) {
            Some(value) if self.rows.code(value) == Code::Constructor => Made::Known(self.expr(value)),
            Some(value) => ExprKind::List(thin_vec![self.expr(value)]).into(),
            // One at file scope: its values are constants that were put there before.
            None => ExprKind::List(ThinVec::new()).into(),
        }
    }

    /// A value that is computed once and used in several places.
    fn saved(&mut self, id: RowId) -> Made {
        let is_first = self.saved.insert(id);
        if is_first || !self.has_effects(id) {
            return Made::Known(self.operand_expr(id, 0));
        }
        ExprKind::Unseen.into()
    }

    /// `({ … })`: its value and effects are those of its parts, one after the other where nothing in it branches. The value goes into `slot`.
    fn statement_expression(&mut self, id: RowId, slot: Option<RowId>, inside: Option<RowId>) -> Made {
        let mut parts = Vec::new();
        let straight = inside.is_none_or(|inside| self.parts(inside, slot, &mut parts));
        if !straight {
            return ExprKind::Unknown(parts.into()).into();
        }
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else {
            return ExprKind::Int(0).into();
        };
        let standing = self.standing(id);
        Made::Known(parts.fold(first, |before, after| {
            self.push_expr(ExprKind::Comma(before, after), standing)
        }))
    }

    /// The expressions of the statements inside an expression; whether they are made one after the other.
    fn parts(&mut self, id: RowId, slot: Option<RowId>, parts: &mut Vec<ExprId>) -> bool {
        let lowered = self.deeper(id, |body| match body.rows.code(id) {
            Code::StatementList => {
                let items = body.rows.operands(id).to_vec();
                let mut straight = true;
                for &item in items.iter().flatten() {
                    straight &= body.parts(item, slot, parts);
                }
                straight
            }
            Code::Bind => {
                let inside = body.rows.operand(id, 0);
                inside.is_none_or(|inside| body.parts(inside, slot, parts))
            }
            Code::ModifyExpr | Code::InitExpr if slot.is_some() && body.rows.operand(id, 0) == slot => {
                parts.push(body.operand_expr(id, 1));
                true
            }
            Code::DeclExpr
            | Code::For
            | Code::While
            | Code::Do
            | Code::Switch
            | Code::Break
            | Code::Continue
            | Code::CaseLabel
            | Code::LabelExpr
            | Code::Goto
            | Code::Return
            | Code::Asm => body.branching_part(id, parts),
            Code::CondExpr if !body.is_written(id, b"?") => body.branching_part(id, parts),
            Code::If | Code::Try => body.branching_part(id, parts),
            Code::Cleanup => {
                if body
                    .rows
                    .operand(id, 1)
                    .is_some_and(|end| body.calls_program(end))
                {
                    let line = body.line(id);
                    body.doubt(Cause::Statement, line);
                }
                let inside = body.rows.operand(id, 0);
                inside.is_none_or(|inside| body.parts(inside, slot, parts))
            }
            Code::Predict | Code::DebugBegin => true,
            _ => {
                parts.push(body.expr(id));
                true
            }
        });
        lowered.unwrap_or(false)
    }

    /// A statement within an expression that is no expression itself. A declaration is an assignment; of others only what they evaluate is kept.
    fn branching_part(&mut self, id: RowId, parts: &mut Vec<ExprId>) -> bool {
        let before = self.stmts.len();
        let statement = self.statement(id);
        if let StmtKind::Decl { local, init } = self.stmts[statement].kind {
            let Some(value) = init else { return true };
            let span = self.stmts[statement].span;
            let standing = Standing {
                span,
                from_macro: self.stmts[statement].from_macro,
            };
            let target = self.push_expr(ExprKind::Var(VarRef::Local(local)), standing);
            let op = None;
            parts.push(self.push_expr(ExprKind::Assign { op, target, value }, standing));
            return true;
        }
        let line = self.line(id);
        let inner: Vec<StmtKind> = self
            .stmts
            .iter()
            .skip(before)
            .map(|each| each.kind.clone())
            .collect();
        for kind in inner {
            match kind {
                StmtKind::If { cond, .. } => parts.push(cond),
                StmtKind::Loop { cond, step, .. } => parts.extend(cond.into_iter().chain(step)),
                StmtKind::Switch { value, .. } => parts.push(value),
                StmtKind::Expr(value) => parts.push(value),
                StmtKind::Decl { init, .. } => parts.extend(init),
                StmtKind::Return(_)
                | StmtKind::Goto(_)
                | StmtKind::ComputedGoto(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Throw(_)
                | StmtKind::Try { .. }
                | StmtKind::Label(_) => self.doubt(Cause::JumpOut, line),
                _ => {}
            }
        }
        false
    }
}

/// The expressions that one is made of.
pub(crate) fn children(kind: &ExprKind) -> ThinVec<ExprId> {
    match kind {
        ExprKind::Unary(_, a) | ExprKind::Deref(a) | ExprKind::AddressOf(a) | ExprKind::Cast(_, a) => {
            thin_vec![*a]
        }
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Comma(a, b) => {
            thin_vec![*a, *b]
        }
        ExprKind::Conditional(a, b, c) => thin_vec![*a, *b, *c],
        ExprKind::Assign { target, value, .. } => thin_vec![*target, *value],
        ExprKind::Step { target, .. } => thin_vec![*target],
        ExprKind::Call { callee, args } => {
            let mut all = args.clone();
            if let Callee::Indirect(callee) = callee {
                all.push(*callee);
            }
            all
        }
        ExprKind::Field { base, .. } => thin_vec![*base],
        ExprKind::Captured { object, .. } => thin_vec![*object],
        ExprKind::Index { base, index } => thin_vec![*base, *index],
        ExprKind::List(parts) | ExprKind::Unknown(parts) => parts.clone(),
        _ => ThinVec::new(),
    }
}
