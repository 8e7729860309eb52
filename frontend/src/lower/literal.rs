//! Constants: literals, and arithmetic on them that gives the same result in every C integer type it may have.

use ir::{BinaryOp, ExprKind};

/// The value of a number as written; `Constant` when it does not fit.
pub fn number(text: &[u8]) -> ExprKind {
    let text: String = text
        .iter()
        .filter(|b| **b != b'\'')
        .map(|b| char::from(*b))
        .collect();
    let lower = text.to_ascii_lowercase();
    let (sign, digits) = match lower.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, lower.strip_prefix('+').unwrap_or(&lower)),
    };
    let hex = digits.starts_with("0x");
    let float = digits.contains('.') || digits.contains('p') || (!hex && digits.contains('e'));
    if float {
        let plain = digits.trim_end_matches(['f', 'l', 'w', 'q', 'd', 'i', 'j']);
        return match plain.parse::<f64>() {
            Ok(value) if !hex => ExprKind::Float(f64::from(sign) * value),
            _ => ExprKind::Constant,
        };
    }
    let plain = digits.trim_end_matches(['u', 'l']);
    let value = if let Some(digits) = plain.strip_prefix("0x") {
        i64::from_str_radix(digits, 16)
    } else if let Some(digits) = plain.strip_prefix("0b") {
        i64::from_str_radix(digits, 2)
    } else if plain.len() > 1 && plain.starts_with('0') {
        i64::from_str_radix(plain, 8)
    } else {
        plain.parse()
    };
    match value {
        // `-1u` is a large number.
        Ok(1..) if sign < 0 && digits.contains('u') => ExprKind::Constant,
        Ok(value) => ExprKind::Int(i64::from(sign) * value),
        Err(_) => ExprKind::Constant,
    }
}

/// The width of an integer constant whose type has no sign (C11 6.4.4.1), widths being those of LP64.
pub fn unsigned_bits(text: &[u8]) -> Option<u8> {
    let lower = text.to_ascii_lowercase();
    let ExprKind::Int(value) = number(text) else {
        return None;
    };
    let hex = lower.starts_with(b"0x");
    let suffix = if hex {
        lower.rsplit(|b| b.is_ascii_hexdigit()).next()
    } else {
        lower.rsplit(u8::is_ascii_digit).next()
    };
    let suffix = suffix.unwrap_or_default();
    let wide = suffix.contains(&b'l') || value > i64::from(u32::MAX);
    // What is written in base 8 or 16 takes the unsigned type when the signed one is too narrow.
    let based = lower.starts_with(b"0") && !wide && value > i64::from(i32::MAX);
    (suffix.contains(&b'u') || based).then_some(if wide { 64 } else { 32 })
}

/// The value of a character constant as written.
pub fn character(text: &[u8]) -> ExprKind {
    let inner = text.split(|b| *b == b'\'').nth(1).unwrap_or_default();
    let value = match inner {
        [b'\\', b'x', digits @ ..] => radix(digits, 16),
        [b'\\', digits @ ..] if digits.first().is_some_and(|d| (b'0'..=b'7').contains(d)) => radix(digits, 8),
        [b'\\', escape] => Some(match escape {
            b'n' => 10,
            b't' => 9,
            b'r' => 13,
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            other => i64::from(*other),
        }),
        [byte] if byte.is_ascii() => Some(i64::from(*byte)),
        _ => None,
    };
    // `char` may or may not have a sign.
    match value {
        Some(value) if value < 128 => ExprKind::Int(value),
        _ => ExprKind::Constant,
    }
}

fn radix(digits: &[u8], radix: u32) -> Option<i64> {
    i64::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

/// `left op right`, when the result does not depend on the operands' types: nothing negative, nothing wider than `int`.
pub fn fold(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    let int = 0..=i64::from(i32::MAX);
    if !int.contains(&left) || !int.contains(&right) {
        return None;
    }
    let value = match op {
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left - right,
        BinaryOp::Mul => left * right,
        BinaryOp::Div => left.checked_div(right)?,
        BinaryOp::Rem => left.checked_rem(right)?,
        BinaryOp::Shl => left.checked_shl(u32::try_from(right).ok().filter(|n| *n < 31)?)?,
        BinaryOp::Shr => left.checked_shr(u32::try_from(right).ok().filter(|n| *n < 31)?)?,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::Lt => i64::from(left < right),
        BinaryOp::Le => i64::from(left <= right),
        BinaryOp::Gt => i64::from(left > right),
        BinaryOp::Ge => i64::from(left >= right),
        BinaryOp::Eq => i64::from(left == right),
        BinaryOp::Ne => i64::from(left != right),
    };
    int.contains(&value).then_some(value)
}

/// How wide the floating-point literal `text` is.
pub fn float_bits(text: &[u8]) -> u8 {
    let is_hex = text.starts_with(b"0x") || text.starts_with(b"0X");
    match text.last() {
        Some(b'f' | b'F') if !is_hex || text.contains(&b'p') || text.contains(&b'P') => 32,
        Some(b'l' | b'L') => 80,
        _ => 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let int = |text: &str| number(text.as_bytes());
        assert_eq!(int("42"), ExprKind::Int(42));
        assert_eq!(int("0x1Fu"), ExprKind::Int(31));
        assert_eq!(int("017L"), ExprKind::Int(15));
        assert_eq!(int("0"), ExprKind::Int(0));
        assert_eq!(int("1'000"), ExprKind::Int(1000));
        assert_eq!(int("0xffffffffffffffff"), ExprKind::Constant);
        assert_eq!(int("1e-3"), ExprKind::Float(1e-3));
        assert_eq!(int(".5f"), ExprKind::Float(0.5));
        assert_eq!(int("0xe"), ExprKind::Int(14));
        assert_eq!(int("0x1p3"), ExprKind::Constant);
        assert_eq!(character(b"'a'"), ExprKind::Int(97));
        assert_eq!(character(b"'\\n'"), ExprKind::Int(10));
        assert_eq!(character(b"L'\\x41'"), ExprKind::Int(65));
        assert_eq!(character(b"'\\377'"), ExprKind::Constant);
        assert_eq!(character(b"'ab'"), ExprKind::Constant);
    }

    #[test]
    fn folding_stays_within_int() {
        assert_eq!(fold(BinaryOp::Shl, 1, 10), Some(1024));
        assert_eq!(fold(BinaryOp::Sub, 0, 1), None);
        assert_eq!(fold(BinaryOp::Mul, 1 << 20, 1 << 20), None);
        assert_eq!(fold(BinaryOp::Div, 1, 0), None);
    }
}
