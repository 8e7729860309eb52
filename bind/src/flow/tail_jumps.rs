//! The jumps that leave functions.
//!
//! What is not known counts as a jump to anywhere: code that could not be decoded or that the unwind tables do not describe, and a computed jump of
//! which it is not certain that it stays in the function: one that does not read its address from a table, in a function that has some.

use super::decode::Piece;
use super::file::File;
use progress_map::{TailJump, TailTarget};
use std::ops::Range;

/// The tail calls of all pieces, and of the functions in `bound`, sorted by address; `function_of` gives the first piece of each one's function.
pub(super) fn tail_jumps(
    file: &File<'_, '_>,
    pieces: &[Option<Piece>],
    function_of: &[usize],
    bound: impl Iterator<Item = Range<u64>>,
) -> Vec<TailJump> {
    let mut found = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let Some(piece) = piece else {
            found.push(anywhere(file.frames[at].code.start));
            continue;
        };
        for (&address, step) in &piece.steps {
            let computed = step.may_leave.into_iter();
            let targets = step.jumps.iter();
            let leaving = targets.filter_map(|&target| out_of(file, function_of, at, target));
            let leaving = leaving.chain(computed).map(|to| TailJump { at: address, to });
            found.extend(leaving);
        }
    }
    let is_described = |code: &Range<u64>| {
        let described = file.frame_at(code.start).map(|at| &file.frames[at].code);
        described.is_some_and(|described| code.end <= described.end)
    };
    found.extend(
        bound
            .filter(|code| !is_described(code))
            .map(|code| anywhere(code.start)),
    );
    found.sort_unstable();
    found.dedup();
    found
}

/// Where a jump leads, if that is out of the function of the piece that it is in.
fn out_of(file: &File<'_, '_>, function_of: &[usize], piece: usize, target: u64) -> Option<TailTarget> {
    match file.frame_at(target) {
        Some(other) if function_of[other] == function_of[piece] => None,
        Some(other) if file.frames[other].code.start == target => Some(TailTarget::Function(target)),
        Some(_) => Some(TailTarget::Anywhere),
        None if file.names.of_stub(file.image, target).is_some() => Some(TailTarget::Linked),
        None => Some(TailTarget::Anywhere),
    }
}

fn anywhere(at: u64) -> TailJump {
    TailJump {
        at,
        to: TailTarget::Anywhere,
    }
}
