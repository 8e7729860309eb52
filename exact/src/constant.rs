//! The values of constants.

use ir::{BinaryOp, ExprKind, Type};
use lang_c::ast::{self, Constant, Float, Integer, IntegerBase, IntegerSize};

/// An integer constant, and its type when that has no sign (C11 6.4.4.1).
pub fn integer(constant: &Integer) -> (Option<i64>, Option<Type>) {
    let radix = match constant.base {
        IntegerBase::Decimal => 10,
        IntegerBase::Octal => 8,
        IntegerBase::Hexadecimal => 16,
        IntegerBase::Binary => 2,
    };
    if constant.suffix.imaginary {
        return (None, None);
    }
    let digits = constant.number.trim_matches('\'');
    let value = match digits {
        "" => Some(0),
        digits => i64::from_str_radix(digits, radix).ok(),
    };
    let Some(number) = value else {
        return (None, None);
    };
    let wide = constant.suffix.size != IntegerSize::Int || number > i64::from(u32::MAX);
    let based = radix != 10 && !wide && number > i64::from(i32::MAX);
    let unsigned = constant.suffix.unsigned || based;
    let ty = unsigned.then_some(Type::Int {
        signed: Some(false),
        bits: Some(if wide { 64 } else { 32 }),
    });
    (value, ty)
}

/// A floating-point constant; `None` when its value is not computed here.
pub fn float(constant: &Float) -> Option<f64> {
    let plain = constant.base == ast::FloatBase::Decimal && !constant.suffix.imaginary;
    plain.then(|| constant.number.parse().ok()).flatten()
}

/// A character constant as it is written, quotes included.
pub fn character(text: &str) -> Option<i64> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut bytes = inner.bytes();
    let value = match (bytes.next()?, bytes.next()) {
        (byte, None) if byte.is_ascii() && byte != b'\\' => i64::from(byte),
        (b'\\', Some(b'x')) => i64::from_str_radix(&inner[2..], 16).ok()?,
        (b'\\', Some(b'0'..=b'7')) => i64::from_str_radix(&inner[1..], 8).ok()?,
        (b'\\', Some(escape)) if inner.len() == 2 => match escape {
            b'n' => 10,
            b't' => 9,
            b'r' => 13,
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            other => i64::from(other),
        },
        _ => return None,
    };
    // Whether plain `char` has a sign depends on the machine.
    (value < 128).then_some(value)
}

/// A constant as an expression, and the unsigned type that it has.
pub fn lower(constant: &Constant) -> (ExprKind, Option<Type>) {
    match constant {
        Constant::Integer(number) => {
            let (value, ty) = integer(number);
            (value.map_or(ExprKind::Constant, ExprKind::Int), ty)
        }
        Constant::Float(number) => (float(number).map_or(ExprKind::Constant, ExprKind::Float), None),
        Constant::Character(text) => (character(text).map_or(ExprKind::Constant, ExprKind::Int), None),
    }
}

/// The operator of the ir, for operators that compute.
pub fn operator(operator: &ast::BinaryOperator) -> Option<BinaryOp> {
    use ast::BinaryOperator as Theirs;
    Some(match operator {
        Theirs::Multiply | Theirs::AssignMultiply => BinaryOp::Mul,
        Theirs::Divide | Theirs::AssignDivide => BinaryOp::Div,
        Theirs::Modulo | Theirs::AssignModulo => BinaryOp::Rem,
        Theirs::Plus | Theirs::AssignPlus => BinaryOp::Add,
        Theirs::Minus | Theirs::AssignMinus => BinaryOp::Sub,
        Theirs::ShiftLeft | Theirs::AssignShiftLeft => BinaryOp::Shl,
        Theirs::ShiftRight | Theirs::AssignShiftRight => BinaryOp::Shr,
        Theirs::Less => BinaryOp::Lt,
        Theirs::Greater => BinaryOp::Gt,
        Theirs::LessOrEqual => BinaryOp::Le,
        Theirs::GreaterOrEqual => BinaryOp::Ge,
        Theirs::Equals => BinaryOp::Eq,
        Theirs::NotEquals => BinaryOp::Ne,
        Theirs::BitwiseAnd | Theirs::AssignBitwiseAnd => BinaryOp::BitAnd,
        Theirs::BitwiseXor | Theirs::AssignBitwiseXor => BinaryOp::BitXor,
        Theirs::BitwiseOr | Theirs::AssignBitwiseOr => BinaryOp::BitOr,
        Theirs::Index | Theirs::LogicalAnd | Theirs::LogicalOr | Theirs::Assign => return None,
    })
}

/// Whether an operator assigns.
pub fn assigns(operator: &ast::BinaryOperator) -> bool {
    use ast::BinaryOperator as Theirs;
    matches!(
        operator,
        Theirs::Assign
            | Theirs::AssignMultiply
            | Theirs::AssignDivide
            | Theirs::AssignModulo
            | Theirs::AssignPlus
            | Theirs::AssignMinus
            | Theirs::AssignShiftLeft
            | Theirs::AssignShiftRight
            | Theirs::AssignBitwiseAnd
            | Theirs::AssignBitwiseXor
            | Theirs::AssignBitwiseOr
    )
}

/// What an operator makes of two constants of type `int`, where the result has that type too.
pub fn fold(operator: BinaryOp, left: i64, right: i64) -> Option<i64> {
    let value = match operator {
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Sub => left.checked_sub(right)?,
        BinaryOp::Mul => left.checked_mul(right)?,
        BinaryOp::Div => left.checked_div(right)?,
        BinaryOp::Rem => left.checked_rem(right)?,
        BinaryOp::Shl if (0..31).contains(&right) => left.checked_shl(u32::try_from(right).ok()?)?,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        _ => return None,
    };
    i32::try_from(value).is_ok().then_some(value)
}
