//! The flow of all machine code of a program or shared object: which instruction may follow which.
//!
//! Functions are what the unwind tables describe (`.eh_frame`): every piece of code that a compiler makes has an entry there, also
//! in a stripped file. Pieces between which code jumps into the middle are one function. A jump to the first instruction of
//! another function is a tail call: it leaves. What cannot be decoded for certain is left out, function by function: jumps to
//! computed addresses whose table is not found, tables of exceptions in an unknown form, calls of `setjmp` and its like.
//!
//! More ways than there are make tasks look unordered. Fewer would make an order wrong, so a way is never left out; where one may
//! not exist, because a call may never return, it is marked. Only behind a call that never returns for certain there is none.

mod blocks;
mod copies;
mod decode;
mod file;
mod function;
mod leads;
mod never;
mod signed;
pub(crate) mod stack;
mod tables;
mod tail_jumps;
#[cfg(test)]
mod tests;
mod volatile;
mod written;

pub(crate) use copies::HeldAlike;
pub(crate) use signed::{location, note_signed};
pub(crate) use written::RegisterWrite;

use crate::elf::Image;
use crate::objects::FrameObjects;
use decode::{Piece, decode};
use file::{File, Names, frames};
use progress_map::{MachineCode, TailJump};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;

/// What is decoded of a program or shared object.
#[derive(Default)]
pub(crate) struct Decoded {
    /// The functions that call something.
    pub(crate) code: MachineCode,
    /// The tail calls of all functions.
    pub(crate) tail_jumps: Option<Vec<TailJump>>,
    /// What is known of registers beside that.
    pub(crate) registers: Registers,
}

/// What is known of registers in the functions that call something, and needed only while a program is bound.
#[derive(Default)]
pub(crate) struct Registers {
    /// What copies make alike.
    pub(crate) alike: HeldAlike,
    /// What is put into registers that calls preserve, in ascending order.
    pub(crate) writes: Vec<RegisterWrite>,
}

/// Decodes a program or shared object, the functions in `bound` among others. `objects`: what debug info tells of their frames.
pub(crate) fn machine_code(
    image: &Image<'_>,
    bound: impl Iterator<Item = Range<u64>>,
    objects: &FrameObjects,
) -> Decoded {
    let Some(mut frames) = frames(image) else {
        return Decoded::default();
    };
    for frame in &mut frames {
        frame.objects = objects.at(frame.code.start).map(<[Range<i64>]>::to_vec);
    }
    let mut file = File {
        image,
        names: Names::new(image),
        frames,
        never_returns: BTreeSet::new(),
    };
    let pieces = pieces(&mut file);
    let function_of = function::functions(&file, &pieces);
    let jumps = tail_jumps::tail_jumps(&file, &pieces, &function_of, bound);
    Decoded {
        tail_jumps: Some(jumps),
        ..function::assemble(&file, &pieces, &function_of)
    }
}

/// Rounds of decoding; in each, code is found that only another piece leads to.
const MOST_ROUNDS: usize = 8;

/// Decodes all pieces. What only other pieces jump to, and which functions never return, is found once these are decoded.
fn pieces(file: &mut File<'_, '_>) -> Vec<Option<Piece>> {
    let mut entered: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); file.frames.len()];
    let mut pieces = all_pieces(file, &mut entered);
    for _ in 0..MOST_ROUNDS {
        file.never_returns = never::never_returning(file, &pieces);
        let file = &*file;
        let stale = (0..pieces.len()).into_par_iter().filter(|&at| {
            let piece = pieces[at].as_ref();
            piece.is_some_and(|piece| never::goes_on_behind(file, piece))
        });
        let again = stale.map(|at| (at, decode(file, &file.frames[at], &entered[at])));
        let again: Vec<(usize, Option<Piece>)> = again.collect();
        if again.is_empty() {
            break;
        }
        for (at, piece) in again {
            pieces[at] = piece;
        }
    }
    pieces
}

/// All pieces, as if every call of a function of the file came back; `entered` gets where others jump into each.
fn all_pieces(file: &File<'_, '_>, entered: &mut [BTreeSet<u64>]) -> Vec<Option<Piece>> {
    let decoded = |entered: &[BTreeSet<u64>], at: usize| decode(file, &file.frames[at], &entered[at]);
    let all = (0..file.frames.len()).into_par_iter();
    let mut pieces: Vec<Option<Piece>> = all.map(|at| decoded(entered, at)).collect();
    for _ in 0..MOST_ROUNDS {
        let mut changed = BTreeSet::new();
        for (at, piece) in pieces.iter().enumerate() {
            for target in piece.iter().flat_map(Piece::targets) {
                if let Some(other) = file.frame_at(target).filter(|&other| other != at)
                    && pieces[other]
                        .as_ref()
                        .is_some_and(|other| !other.steps.contains_key(&target))
                    && entered[other].insert(target)
                {
                    changed.insert(other);
                }
            }
        }
        if changed.is_empty() {
            break;
        }
        for at in changed {
            pieces[at] = decoded(entered, at);
        }
    }
    pieces
}
