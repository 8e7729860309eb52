//! Tokens by the kinds of their bytes: what is alike stands together, which a general compressor has no other way to know.
//!
//! The planes are, in this order: first bytes; the rest of runs; first, second, and further bytes of numbers of functions. Bytes are only moved, so that any tokens come back as
//! they were, also those that no encoder writes.

use crate::layout::{LONG_RUN, code};

/// How many there are.
pub(super) const PLANES: usize = 5;

const FIRST: usize = 0;
const RUN: usize = 1;
const NUMBER: usize = 2;

/// The planes of the tokens of several blocks; `None` if one is cut off.
pub(super) fn split<'a>(blocks: impl Iterator<Item = &'a [u8]>) -> Option<[Vec<u8>; PLANES]> {
    let mut planes = [const { Vec::new() }; PLANES];
    for tokens in blocks {
        let mut rest = tokens.iter().copied();
        while let Some(first) = rest.next() {
            token(first, |plane| {
                let byte = rest.next()?;
                planes[plane].push(byte);
                Some(byte)
            })?;
            planes[FIRST].push(first);
        }
    }
    Some(planes)
}

/// So many bytes of tokens for each block out of their planes; `None` if they are not these.
pub(super) fn join(planes: &[Vec<u8>; PLANES], lengths: impl Iterator<Item = usize>) -> Option<Vec<u8>> {
    let mut at = [0; PLANES];
    let mut take = |plane: usize| {
        let byte = planes[plane].get(at[plane]).copied();
        at[plane] += 1;
        byte
    };
    let mut tokens = Vec::new();
    for length in lengths {
        let end = tokens.len() + length;
        while tokens.len() < end {
            let first = take(FIRST)?;
            tokens.push(first);
            token(first, |plane| {
                let byte = take(plane)?;
                tokens.push(byte);
                Some(byte)
            })?;
        }
        if tokens.len() > end {
            return None;
        }
    }
    (0..PLANES)
        .all(|plane| at[plane] == planes[plane].len())
        .then_some(tokens)
}

/// Asks for the bytes behind a token's first one, each by its plane.
fn token(first: u8, mut next: impl FnMut(usize) -> Option<u8>) -> Option<()> {
    if u32::from(first >> code::BITS) == LONG_RUN {
        while next(RUN)? >= 0x80 {}
    }
    if first & code::LITERAL == code::LITERAL {
        let mut plane = NUMBER;
        while next(plane)? >= 0x80 {
            plane = (plane + 1).min(PLANES - 1);
        }
    }
    Some(())
}
