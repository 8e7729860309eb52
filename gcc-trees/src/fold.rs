//! What the front end has folded, as the source has it: conversions, offsets of pointers, assignments with an operator.

use crate::Code;
use crate::expression::Made;
use crate::function::{Body, Standing};
use crate::rows::RowId;
use crate::types::{self, keeps};
use ir::{BinaryOp, ExprId, ExprKind, Type, UnaryOp};
use thin_vec::ThinVec;

/// How much of two trees is compared.
const MOST_COMPARED: usize = 1_000;
/// How much of a tree is searched for effects; a larger one is taken to have some.
const MOST_SEARCHED: usize = 10_000;

/// By how many elements a pointer is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offset {
    /// By so many.
    Constant(i64),
    /// By the value of this tree.
    Plus(RowId),
    /// By that value, backwards.
    Minus(RowId),
    /// By the value of this tree and so many more.
    Sum(RowId, i64),
}

/// What gcc makes of `target op= operand`: `target = target op operand`, without the conversions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compound {
    code: Code,
    /// The whole value.
    whole: RowId,
    /// Which of its operands is not the target.
    operand: usize,
}

impl Body<'_, '_> {
    /// Operators.
    pub(crate) fn made_of_operator(&mut self, id: RowId, code: Code) -> Option<ExprKind> {
        if let Some(op) = operator(code) {
            return Some(self.binary(id, op));
        }
        Some(match code {
            // `a & b` of two conditions without effects is how gcc writes some `a && b`.
            Code::TruthAndif | Code::TruthAnd => {
                ExprKind::And(self.condition_operand(id, 0), self.condition_operand(id, 1))
            }
            Code::TruthOrif | Code::TruthOr => {
                ExprKind::Or(self.condition_operand(id, 0), self.condition_operand(id, 1))
            }
            Code::TruthXor => {
                ExprKind::Binary(BinaryOp::Ne, self.operand_expr(id, 0), self.operand_expr(id, 1))
            }
            Code::TruthNot => ExprKind::Unary(UnaryOp::Not, self.condition_operand(id, 0)),
            Code::Negate => ExprKind::Unary(UnaryOp::Neg, self.operand_expr(id, 0)),
            Code::BitNot => ExprKind::Unary(UnaryOp::BitNot, self.operand_expr(id, 0)),
            Code::PointerPlus => self.moved_pointer(id),
            _ => return None,
        })
    }

    fn binary(&mut self, id: RowId, op: BinaryOp) -> ExprKind {
        let (left, right) = (self.rows.operand(id, 0), self.rows.operand(id, 1));
        if let (Some(left), Some(right)) = (left, right) {
            // `!x` is a comparison with zero for gcc.
            if op == BinaryOp::Eq && self.is_zero(right) && self.is_written(id, b"!") {
                return ExprKind::Unary(UnaryOp::Not, self.expr(left));
            }
            // Without a sign, less by one is more by the largest number.
            if op == BinaryOp::Add
                && let Some(less) = self.subtracted(right)
            {
                let left = self.expr(left);
                let less = self.push_expr(ExprKind::Int(less), Standing::default());
                return ExprKind::Binary(BinaryOp::Sub, left, less);
            }
            // The difference of two pointers, divided by the size of what they lead to.
            if self.rows.code(id) == Code::ExactDiv && self.rows.code(left) == Code::PointerDiff {
                let (a, b) = (self.operand_expr(left, 0), self.operand_expr(left, 1));
                return ExprKind::Binary(BinaryOp::Sub, a, b);
            }
        }
        ExprKind::Binary(op, self.operand_expr(id, 0), self.operand_expr(id, 1))
    }

    /// How much is subtracted where this constant of a type without a sign is added, if it is in the upper half of the type.
    fn subtracted(&self, constant: RowId) -> Option<i64> {
        let row = self.rows.row(constant);
        let ty = self.rows.type_row(constant)?;
        if row.code != Code::IntegerCst || !ty.is_unsigned {
            return None;
        }
        let value = row.value?;
        match ty.bits {
            64 if value < 0 => value.checked_neg(),
            32 if value >= 1 << 31 => Some((1 << 32) - value),
            _ => None,
        }
    }

    /// `p + i`.
    fn moved_pointer(&mut self, id: RowId) -> ExprKind {
        let pointer = self.operand_expr(id, 0);
        let (op, value) = self.movement(id);
        ExprKind::Binary(op, pointer, value)
    }

    /// What is added to a pointer, or subtracted from it.
    fn movement(&mut self, id: RowId) -> (BinaryOp, ExprId) {
        match self.offset(id) {
            Some(Offset::Constant(less)) if less < 0 => {
                let less = self.push_expr(ExprKind::Int(less.saturating_neg()), Standing::default());
                (BinaryOp::Sub, less)
            }
            Some(Offset::Minus(value)) => (BinaryOp::Sub, self.widened(value)),
            Some(offset) => (BinaryOp::Add, self.offset_expr(offset)),
            None => (BinaryOp::Add, self.opaque_operand(id)),
        }
    }

    /// By how many elements a `POINTER_PLUS_EXPR` moves its pointer; nothing where that cannot be told of its bytes.
    pub(crate) fn offset(&self, id: RowId) -> Option<Offset> {
        let bytes = self.rows.operand(id, 1)?;
        let inner = self.rows.type_row(id)?.inner?;
        let inner = self.rows.ty(inner);
        let size = match inner.code {
            Code::Other | Code::FunctionType => inner.size.unwrap_or(1),
            _ => inner.size?,
        };
        self.in_elements(bytes, size)
    }

    /// The value of an integer constant, as many bits as it has.
    fn number(&self, id: RowId) -> Option<i64> {
        let row = self.rows.row(id);
        row.value.filter(|_| row.code == Code::IntegerCst)
    }

    fn in_elements(&self, bytes: RowId, size: i64) -> Option<Offset> {
        if size == 0 {
            return None;
        }
        let plain = self.without_widening(bytes);
        match self.rows.code(plain) {
            Code::IntegerCst => {
                let value = self.number(plain)?;
                (value % size == 0).then(|| Offset::Constant(value / size))
            }
            // gcc multiplies what is constant in advance, and leaves out bits of it that do not matter then.
            Code::Plus => {
                let (variable, more) = (self.rows.operand(plain, 0)?, self.rows.operand(plain, 1)?);
                let more = self.number(more)?;
                match self.in_elements(variable, size)? {
                    Offset::Plus(value) if more % size == 0 => Some(Offset::Sum(value, more / size)),
                    _ => None,
                }
            }
            Code::Mult => {
                let (factor, by) = (self.rows.operand(plain, 0)?, self.rows.operand(plain, 1)?);
                let by = self.number(by)?;
                if by != size {
                    return (by == -size).then_some(Offset::Minus(factor));
                }
                let sum = self.without_widening(factor);
                let more = self.rows.operand(sum, 1).and_then(|more| self.number(more));
                let is_wide = self.rows.type_row(sum).is_some_and(|ty| ty.bits == 64);
                match (self.rows.operand(sum, 0), more) {
                    (Some(variable), Some(more)) if self.rows.code(sum) == Code::Plus && is_wide => {
                        Some(Offset::Sum(variable, more.wrapping_mul(size) / size))
                    }
                    _ => Some(Offset::Plus(factor)),
                }
            }
            Code::Negate => match self.in_elements(self.rows.operand(plain, 0)?, size)? {
                Offset::Constant(value) => Some(Offset::Constant(value.checked_neg()?)),
                Offset::Plus(value) => Some(Offset::Minus(value)),
                Offset::Minus(value) => Some(Offset::Plus(value)),
                Offset::Sum(..) => None,
            },
            _ => (size == 1).then_some(Offset::Plus(bytes)),
        }
    }

    /// A tree without conversions between integers.
    fn without_widening(&self, mut id: RowId) -> RowId {
        while matches!(self.rows.code(id), Code::NopExpr | Code::ConvertExpr)
            && let Some(inner) = self.rows.operand(id, 0)
            && matches!(types::of(self.rows, self.rows.row(inner).ty), Type::Int { .. })
        {
            id = inner;
        }
        id
    }

    /// An integer that was made as wide as an address.
    pub(crate) fn widened(&mut self, id: RowId) -> ExprId {
        let plain = self.without_widening(id);
        self.expr(plain)
    }

    /// A tree without any conversion.
    pub(crate) fn without_conversions(&self, mut id: RowId) -> RowId {
        while self.rows.code(id).converts()
            && let Some(inner) = self.rows.operand(id, 0)
        {
            id = inner;
        }
        id
    }

    /// A cast, or what C does by itself: that stays only where it may change the value.
    pub(crate) fn conversion(&mut self, id: RowId) -> Made {
        let Some(inner) = self.rows.operand(id, 0) else {
            return Made::Known(self.operand_expr(id, 0));
        };
        let row = self.rows.row(id);
        let (from, to) = (
            types::of(self.rows, self.rows.row(inner).ty),
            types::of(self.rows, row.ty),
        );
        let start = row.place.filter(|place| !place.in_macro).map(|place| place.start);
        let is_written = start.is_some_and(|start| self.file.text.word_at(start) == b"(");
        let changes = match (from, to) {
            (_, Type::Unknown | Type::Aggregate | Type::Array) => false,
            (Type::Array, Type::Pointer) => false,
            (Type::Pointer, Type::Pointer) => {
                row.place.is_some_and(|place| place.in_macro) && self.leads_elsewhere(id, inner)
            }
            _ => !keeps(from, to),
        };
        let is_void = self.rows.type_row(id).is_some_and(|ty| ty.code == Code::Other);
        let value = self.expr(inner);
        if is_void || !(changes || is_written) {
            return Made::Known(value);
        }
        ExprKind::Cast(to, value).into()
    }

    /// Whether two pointers lead to different types, neither of which is `void`.
    fn leads_elsewhere(&self, a: RowId, b: RowId) -> bool {
        let inner = |id: RowId| {
            let inner = self.rows.type_row(id)?.inner?;
            Some(self.rows.ty(inner).code)
        };
        let (a, b) = (inner(a), inner(b));
        a != b && a != Some(Code::Other) && b != Some(Code::Other)
    }

    /// What `value` is if gcc has made it of `target op= …`.
    pub(crate) fn compound(&self, target: RowId, value: RowId) -> Option<Compound> {
        let mut whole = value;
        // The result is converted to the type of the target, and to no other one in between.
        if self.rows.code(whole).converts() {
            let of = |id: RowId| types::of(self.rows, self.rows.row(id).ty);
            whole = (of(whole) == of(target)).then(|| self.rows.operand(whole, 0))??;
        }
        let code = self.rows.code(whole);
        let is_operator = operator(code).is_some_and(|op| !op.compares()) || code == Code::PointerPlus;
        if !is_operator || code == Code::ExactDiv {
            return None;
        }
        // gcc puts the operands of these in an order of its own.
        let commutes = matches!(
            code,
            Code::Plus | Code::Mult | Code::BitAnd | Code::BitOr | Code::BitXor
        );
        let operand = if self.is_target(target, self.rows.operand(whole, 0)?) {
            1
        } else {
            (commutes && self.is_target(target, self.rows.operand(whole, 1)?)).then_some(0)?
        };
        Some(Compound { code, whole, operand })
    }

    /// Whether an operand is the target, but for what C converts by itself.
    fn is_target(&self, target: RowId, mut operand: RowId) -> bool {
        while self.rows.code(operand).converts() {
            let Some(inner) = self.rows.operand(operand, 0) else {
                return false;
            };
            let of = |id: RowId| types::of(self.rows, self.rows.row(id).ty);
            if !is_usual(of(inner), of(operand)) {
                return false;
            }
            operand = inner;
        }
        self.is_same(target, operand)
    }

    /// `target op= …`.
    pub(crate) fn compound_assignment(&mut self, id: RowId, target: RowId, compound: Compound) -> ExprKind {
        let Compound { code, whole, operand } = compound;
        let place = self.expr(target);
        let (op, value) = if code == Code::PointerPlus {
            self.movement(whole)
        } else {
            let op = operator(code).unwrap_or(BinaryOp::Add);
            let right = self.rows.operand(whole, operand);
            match right.and_then(|right| self.subtracted(right)) {
                Some(less) if op == BinaryOp::Add => (
                    BinaryOp::Sub,
                    self.push_expr(ExprKind::Int(less), Standing::default()),
                ),
                _ => (op, self.operand_expr(whole, operand)),
            }
        };
        self.assigned(id, Some(op), place, value)
    }

    fn opaque_operand(&mut self, whole: RowId) -> ExprId {
        let effects = self
            .rows
            .operand(whole, 1)
            .is_some_and(|offset| self.has_effects(offset));
        if effects {
            let offset = self.operand_expr(whole, 1);
            return self.push_expr(
                ExprKind::Unknown([offset].into_iter().collect()),
                Standing::default(),
            );
        }
        self.push_expr(ExprKind::Unseen, Standing::default())
    }

    /// `a, b`; and `x += f()`, of which gcc computes the operand before.
    pub(crate) fn sequence(&mut self, id: RowId) -> Made {
        let (Some(first), Some(second)) = (self.rows.operand(id, 0), self.rows.operand(id, 1)) else {
            return Made::Known(self.operand_expr(id, 0));
        };
        if self.rows.code(first) == Code::SaveExpr
            && matches!(self.rows.code(second), Code::ModifyExpr)
            && !self.saved.contains(&first)
            && let (Some(target), Some(value)) = (self.rows.operand(second, 0), self.rows.operand(second, 1))
            && let Some(Compound { whole, operand, .. }) = self.compound(target, value)
            && let Some(right) = self.rows.operand(whole, operand)
            && self.mentions_only(right, first)
        {
            return Made::Known(self.expr(second));
        }
        let before = self.expr(first);
        ExprKind::Comma(before, self.expr(second)).into()
    }

    /// Whether a tree is the other one, but for conversions and the size of what a pointer leads to.
    fn mentions_only(&self, mut id: RowId, saved: RowId) -> bool {
        loop {
            if id == saved {
                return true;
            }
            let is_wrapped =
                self.rows.code(id).converts() || matches!(self.rows.code(id), Code::Mult | Code::Negate);
            match self.rows.operand(id, 0) {
                Some(inner) if is_wrapped => id = inner,
                _ => return false,
            }
        }
    }

    /// A value of which only the effects of its parts are known.
    pub(crate) fn opaque(&mut self, id: RowId) -> Made {
        let code = self.rows.code(id);
        if let Code::Min | Code::Max | Code::Abs = code
            && !self.has_effects(id)
        {
            return self.chosen(id, code).into();
        }
        if !self.has_effects(id) && self.is_value(id) {
            return ExprKind::Unseen.into();
        }
        let operands = self.rows.operands(id).to_vec();
        let parts: ThinVec<ExprId> = operands.iter().flatten().map(|&part| self.expr(part)).collect();
        let line = self.line(id);
        self.doubt(base::Cause::Expression, line);
        ExprKind::Unknown(parts).into()
    }

    /// Whether a tree is a value for certain, and no statement that is not known here.
    fn is_value(&self, id: RowId) -> bool {
        self.rows
            .type_row(id)
            .is_some_and(|ty| types::reduced(ty) != Type::Unknown || ty.size.is_some_and(|size| size > 1))
    }

    /// `a < b ? a : b` and the like, which gcc has operators for.
    fn chosen(&mut self, id: RowId, code: Code) -> ExprKind {
        let left = self.operand_expr(id, 0);
        let (op, right, otherwise) = if code == Code::Abs {
            let zero = self.push_expr(ExprKind::Int(0), Standing::default());
            let again = self.operand_expr(id, 0);
            let negative = self.push_expr(ExprKind::Unary(UnaryOp::Neg, again), Standing::default());
            (BinaryOp::Ge, zero, negative)
        } else {
            let op = match code {
                Code::Min => BinaryOp::Lt,
                _ => BinaryOp::Gt,
            };
            (op, self.operand_expr(id, 1), self.operand_expr(id, 1))
        };
        let cond = self.push_expr(ExprKind::Binary(op, left, right), Standing::default());
        ExprKind::Conditional(cond, self.operand_expr(id, 0), otherwise)
    }

    /// Whether a tree changes something, calls or decides anything, or may do so.
    pub(crate) fn has_effects(&self, id: RowId) -> bool {
        let mut work = vec![id];
        for _ in 0..MOST_SEARCHED {
            let Some(id) = work.pop() else { return false };
            match self.rows.code(id) {
                Code::ModifyExpr
                | Code::InitExpr
                | Code::PreIncrement
                | Code::PreDecrement
                | Code::PostIncrement
                | Code::PostDecrement
                | Code::CallExpr
                | Code::AggrInit
                | Code::Throw
                | Code::VaArg
                | Code::TargetExpr
                | Code::Bind
                | Code::StatementList
                | Code::Asm => return true,
                _ => work.extend(self.rows.operands(id).iter().flatten()),
            }
        }
        true
    }

    /// Whether two trees are the same lvalue.
    fn is_same(&self, a: RowId, b: RowId) -> bool {
        let mut work = vec![(a, b)];
        for _ in 0..MOST_COMPARED {
            let Some((a, b)) = work.pop() else { return true };
            if a == b {
                continue;
            }
            let (left, right) = (self.rows.row(a), self.rows.row(b));
            let is_declaration = matches!(
                left.code,
                Code::VarDecl | Code::ParmDecl | Code::FunctionDecl | Code::FieldDecl | Code::ResultDecl
            );
            let (of_left, of_right) = (self.rows.operands(a), self.rows.operands(b));
            let differ = left.code != right.code
                || is_declaration
                || left.value != right.value
                || left.name != right.name
                || of_left.len() != of_right.len()
                || matches!(left.code, Code::CallExpr | Code::SaveExpr | Code::StringCst)
                || self.has_effects_itself(a);
            if differ {
                return false;
            }
            for (&left, &right) in of_left.iter().zip(of_right) {
                match (left, right) {
                    (Some(left), Some(right)) => work.push((left, right)),
                    (None, None) => {}
                    _ => return false,
                }
            }
        }
        false
    }

    fn has_effects_itself(&self, id: RowId) -> bool {
        matches!(
            self.rows.code(id),
            Code::PreIncrement
                | Code::PreDecrement
                | Code::PostIncrement
                | Code::PostDecrement
                | Code::ModifyExpr
                | Code::InitExpr
        )
    }
}

/// Whether C makes the conversion by itself of an operand of arithmetic.
fn is_usual(from: Type, to: Type) -> bool {
    match (from, to) {
        (Type::Int { bits: Some(from), .. }, Type::Int { bits: Some(to), .. }) => from <= to,
        (Type::Int { .. }, Type::Float { .. }) => true,
        _ => from == to || keeps(from, to),
    }
}

fn operator(code: Code) -> Option<BinaryOp> {
    Some(match code {
        Code::Plus => BinaryOp::Add,
        Code::Minus | Code::PointerDiff => BinaryOp::Sub,
        Code::Mult => BinaryOp::Mul,
        Code::TruncDiv | Code::ExactDiv | Code::RealDiv => BinaryOp::Div,
        Code::TruncMod => BinaryOp::Rem,
        Code::LeftShift => BinaryOp::Shl,
        Code::RightShift => BinaryOp::Shr,
        Code::BitAnd => BinaryOp::BitAnd,
        Code::BitOr => BinaryOp::BitOr,
        Code::BitXor => BinaryOp::BitXor,
        Code::Lt => BinaryOp::Lt,
        Code::Le => BinaryOp::Le,
        Code::Gt => BinaryOp::Gt,
        Code::Ge => BinaryOp::Ge,
        Code::Eq => BinaryOp::Eq,
        Code::Ne => BinaryOp::Ne,
        _ => return None,
    })
}
