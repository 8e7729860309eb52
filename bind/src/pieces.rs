//! Values that a compiler keeps in pieces: the members of a structure in registers of their own, some of them nowhere.
//!
//! A listed variable is one number of at most eight bytes inside the whole. Of the whole's location only the piece
//! that holds all of the number is kept, at its place: the probe sees an empty piece, as long as what lies before it, and then
//! that one. What other pieces need does not matter then.

use crate::debug::Slice;
use crate::expression::Inexpressible;
use base::put_number;
use gimli::{Expression, Operation, Reader as _};
use progress_map::{Encoding, PathStep};

/// The part of a variable that is read first, in bytes: the value itself, or the pointer that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Where it begins.
    pub(crate) offset: u64,
    /// Its length.
    pub(crate) length: u64,
}

impl Part {
    /// What is read of a variable by `path`, at whose end a value of `encoding` lies.
    pub(crate) fn of(path: &[PathStep], encoding: Encoding) -> Self {
        let mut offset = 0_u64;
        for step in path {
            match step {
                PathStep::Offset(bytes) => offset = offset.wrapping_add(*bytes),
                PathStep::Deref => return Self { offset, length: 8 },
            }
        }
        let length = match encoding {
            Encoding::Signed(size) | Encoding::Unsigned(size) | Encoding::Float(size) => size.into(),
            Encoding::Address => 8,
        };
        Self { offset, length }
    }

    /// Where it ends.
    pub(crate) fn end(self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}

/// The piece of a location that holds a part of the variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held<'a> {
    /// The place of the piece. It may be empty: then the compiler keeps this piece nowhere.
    pub(crate) place: Expression<Slice<'a>>,
    /// Which bytes of the variable it holds, from the first to before the last; `None` when the location is in one piece.
    pub(crate) holds: Option<(u64, u64)>,
}

impl Held<'_> {
    /// The location of the piece, `place` being its rewritten place: an empty piece before it, and its own length after it.
    pub(crate) fn at_its_place(&self, place: Vec<u8>) -> Vec<u8> {
        let Some((start, end)) = self.holds else {
            return place;
        };
        let mut bytes = Vec::with_capacity(place.len() + 6);
        if start > 0 {
            piece(&mut bytes, start);
        }
        bytes.extend_from_slice(&place);
        piece(&mut bytes, end - start);
        bytes
    }
}

/// The piece of `location` that holds all of `part`.
///
/// What lies behind the last piece is nowhere, as if there were an empty one.
///
/// # Errors
/// When none does: the part lies across two, or a piece before it is not made of bytes.
pub(crate) fn holding<'a>(
    location: Expression<Slice<'a>>,
    part: Part,
    encoding: gimli::Encoding,
) -> Result<Held<'a>, Inexpressible> {
    let mut rest = location.0;
    // Where the operators of this piece begin, in the expression and in the variable.
    let mut from = location.0;
    let mut start = 0_u64;
    let mut in_pieces = false;
    while !rest.is_empty() {
        let before = rest;
        let Operation::Piece {
            size_in_bits,
            bit_offset,
        } = Operation::parse(&mut rest, encoding).map_err(|_| Inexpressible::Damaged)?
        else {
            continue;
        };
        in_pieces = true;
        if size_in_bits % 8 != 0 || bit_offset.unwrap_or(0) != 0 {
            return Err(Inexpressible::Pieces);
        }
        let end = start
            .checked_add(size_in_bits / 8)
            .ok_or(Inexpressible::Damaged)?;
        if part.offset < end {
            if part.end() > end {
                return Err(Inexpressible::Pieces);
            }
            let mut place = from;
            place
                .truncate(from.len() - before.len())
                .map_err(|_| Inexpressible::Damaged)?;
            return Ok(Held {
                place: Expression(place),
                holds: Some((start, end)),
            });
        }
        (start, from) = (end, rest);
    }
    match (in_pieces, from.is_empty()) {
        // Operators without a piece that they would be the place of.
        (true, false) => Err(Inexpressible::Damaged),
        (true, true) => Ok(Held {
            place: Expression(from),
            holds: None,
        }),
        (false, _) => Ok(Held {
            place: location,
            holds: None,
        }),
    }
}

/// Appends the end of a piece of `length` bytes.
fn piece(bytes: &mut Vec<u8>, length: u64) {
    bytes.push(gimli::DW_OP_piece.0);
    put_number(bytes, length);
}

#[cfg(test)]
mod tests {
    use super::*;

    const DWARF: gimli::Encoding = gimli::Encoding {
        address_size: 8,
        format: gimli::Format::Dwarf32,
        version: 5,
    };

    fn held(location: &[u8], offset: u64, length: u64) -> Result<(Vec<u8>, Vec<u8>), Inexpressible> {
        let whole = Expression(Slice::new(location, gimli::LittleEndian));
        let held = holding(whole, Part { offset, length }, DWARF)?;
        let place = held.place.0.slice().to_vec();
        Ok((place.clone(), held.at_its_place(place)))
    }

    #[test]
    fn the_piece_that_holds_the_part_is_kept_at_its_place() {
        // DW_OP_reg3, piece 8; nothing, piece 4; DW_OP_fbreg -20, piece 140.
        let location = [0x53, 0x93, 8, 0x93, 4, 0x91, 0x6c, 0x93, 0x8c, 1];
        assert_eq!(held(&location, 0, 8), Ok((vec![0x53], vec![0x53, 0x93, 8])));
        assert_eq!(held(&location, 4, 4), Ok((vec![0x53], vec![0x53, 0x93, 8])));
        // Kept nowhere.
        assert_eq!(held(&location, 8, 4), Ok((vec![], vec![0x93, 8, 0x93, 4])));
        let last = vec![0x93, 12, 0x91, 0x6c, 0x93, 0x8c, 1];
        assert_eq!(held(&location, 16, 4), Ok((vec![0x91, 0x6c], last)));
        // Behind the last one, across two, cut off.
        assert_eq!(held(&location, 152, 4), Ok((vec![], vec![])));
        assert_eq!(held(&location, 4, 8), Err(Inexpressible::Pieces));
        assert_eq!(held(&location[..9], 16, 4), Err(Inexpressible::Damaged));
        assert_eq!(held(&location[..7], 16, 4), Err(Inexpressible::Damaged));
        // DW_OP_reg3, bit_piece of 3 bits.
        assert_eq!(held(&[0x53, 0x9d, 3, 0], 0, 4), Err(Inexpressible::Pieces));
    }

    #[test]
    fn what_is_whole_stays_as_it_is() {
        assert_eq!(held(&[0x53], 4, 4), Ok((vec![0x53], vec![0x53])));
        assert_eq!(held(&[], 0, 4), Ok((vec![], vec![])));
    }

    #[test]
    fn a_path_reads_the_pointer_first() {
        use PathStep::{Deref, Offset};
        let part = |path: &[PathStep]| {
            let part = Part::of(path, Encoding::Signed(4));
            (part.offset, part.length)
        };
        assert_eq!(part(&[]), (0, 4));
        assert_eq!(part(&[Offset(12)]), (12, 4));
        assert_eq!(part(&[Offset(12), Deref, Offset(4)]), (12, 8));
        assert_eq!(part(&[Deref]), (0, 8));
    }
}
