//! Whole numbers as bytes, small ones short: LEB128, and zigzag for those with a sign.
//!
//! What our own files and messages are made of. Seven bits a byte, lowest first, the top bit set on all bytes but the last.

use std::ops::{BitOr, Shl, Shr};

/// The whole numbers that are written: mostly `u64`, and `u128` where a value of the program may be as wide.
pub trait Number:
    Copy + PartialEq + From<u8> + Shl<u32, Output = Self> + Shr<u32, Output = Self> + BitOr<Output = Self>
{
    /// The number of the same width with a sign.
    type Signed;
    /// Its width.
    const BITS: u32;
    /// The lowest seven bits, and whether there are more.
    fn low(self) -> (u8, bool);
    /// 0, -1, 1, -2, … become 0, 1, 2, 3, …
    fn zigzag(signed: Self::Signed) -> Self;
    /// The number that [`zigzag`](Self::zigzag) turned into this one.
    fn unzigzag(self) -> Self::Signed;
}

macro_rules! number {
    ($unsigned:ty, $signed:ty) => {
        impl Number for $unsigned {
            type Signed = $signed;
            const BITS: u32 = <$unsigned>::BITS;

            fn low(self) -> (u8, bool) {
                ((self & 0x7f) as u8, self >= 0x80)
            }

            fn zigzag(signed: $signed) -> Self {
                (signed << 1 ^ signed >> (Self::BITS - 1)).cast_unsigned()
            }

            fn unzigzag(self) -> $signed {
                (self >> 1).cast_signed() ^ -(self & 1).cast_signed()
            }
        }
    };
}

number!(u32, i32);
number!(u64, i64);
number!(u128, i128);

/// Appends a number.
pub fn put_number<N: Number>(out: &mut Vec<u8>, mut value: N) {
    loop {
        let (low, more) = value.low();
        out.push(low | u8::from(more) << 7);
        if !more {
            return;
        }
        value = value >> 7;
    }
}

/// Why there is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoNumber {
    /// The bytes end within it.
    Cut,
    /// It is wider than its type, or is written with more bytes than any number of its type takes.
    TooLarge,
}

/// Reads the number at `at`, which is then behind it; after an error, behind the byte that does not fit.
///
/// # Errors
/// When the bytes end, or the number does not fit the type.
pub fn take_number<N: Number>(bytes: &[u8], at: &mut usize) -> Result<N, NoNumber> {
    let mut value = N::from(0);
    for shift in (0..N::BITS).step_by(7) {
        let &byte = bytes.get(*at).ok_or(NoNumber::Cut)?;
        *at += 1;
        let bits = N::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return Err(NoNumber::TooLarge);
        }
        value = value | bits << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(NoNumber::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    fn again<N: Number + Debug>(value: N, length: usize) {
        let mut bytes = vec![7];
        put_number(&mut bytes, value);
        assert_eq!(bytes.len(), 1 + length, "{value:?}");
        let mut at = 1;
        assert_eq!(take_number(&bytes, &mut at), Ok(value));
        assert_eq!(at, bytes.len());
        for end in 1..bytes.len() {
            assert_eq!(take_number::<N>(&bytes[..end], &mut 1), Err(NoNumber::Cut));
        }
    }

    #[test]
    fn numbers_come_back_and_small_ones_are_short() {
        for bits in 0..64 {
            let length = (bits as usize / 7) + 1;
            again(1u64 << bits, length);
            again((1u64 << bits) | 1, length);
            again(1u128 << bits, length);
        }
        again(0u64, 1);
        again(u64::MAX, 10);
        again(u128::MAX, 19);
    }

    #[test]
    fn signs_are_kept() {
        for (signed, unsigned) in [
            (0, 0),
            (-1, 1),
            (1, 2),
            (i64::MAX, u64::MAX - 1),
            (i64::MIN, u64::MAX),
        ] {
            assert_eq!(u64::zigzag(signed), unsigned);
            assert_eq!(unsigned.unzigzag(), signed);
        }
        assert_eq!(u128::zigzag(i128::MIN), u128::MAX);
        assert_eq!(u128::MAX.unzigzag(), i128::MIN);
    }

    #[test]
    fn what_is_wider_than_its_type_is_none() {
        let nines = |count| [vec![0xff; count], vec![0x01]].concat();
        assert_eq!(take_number(&nines(9), &mut 0), Ok(u64::MAX));
        for bytes in [[vec![0xff; 9], vec![0x02]].concat(), nines(10), vec![0xff; 30]] {
            assert_eq!(
                take_number::<u64>(&bytes, &mut 0),
                Err(NoNumber::TooLarge),
                "{bytes:?}"
            );
        }
        assert_eq!(take_number::<u128>(&nines(19), &mut 0), Err(NoNumber::TooLarge));
        assert_eq!(take_number::<u128>(&nines(10), &mut 0), Ok((1 << 71) - 1));
    }
}
