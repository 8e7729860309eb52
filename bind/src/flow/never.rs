//! Functions of a file that never come back to their callers: `die()`, which ends in `exit`, and whatever ends in a call of such a one.
//!
//! What stands behind a call of one in the code belongs to something else, often to the code in front. Taken for the way that control goes, it makes one cycle of all that lies between.
//! A function may come back if control comes to a return in it, to where nobody knows where it goes on, or to code that was not decoded. Of what calls only functions that come back this
//! takes too much for granted, so what is found is put in and looked for again.

use super::decode::{Callee, DecodedInstruction, Piece};
use super::file::File;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The first addresses of all functions that are called here and never come back, if those that `file` says do not.
pub(super) fn never_returning(file: &File<'_, '_>, pieces: &[Option<Piece>]) -> BTreeSet<u64> {
    let steps = pieces.iter().flatten().flat_map(|piece| piece.steps.values());
    let called = steps.filter_map(|step| match step.call {
        Some(Callee::Here(address)) => Some(address),
        _ => None,
    });
    let called: BTreeSet<u64> = called.collect();
    let never = called.into_par_iter();
    never
        .filter(|&address| file.never_returns.contains(&address) || !may_return(file, pieces, address))
        .collect()
}

/// Whether control may come back from code that is entered at an address.
fn may_return(file: &File<'_, '_>, pieces: &[Option<Piece>], address: u64) -> bool {
    let mut seen = BTreeSet::new();
    let mut padded = BTreeSet::new();
    let mut work = vec![address];
    while let Some(address) = work.pop() {
        if !seen.insert(address) {
            continue;
        }
        let at = file.frame_at(address);
        let Some((at, piece)) = at.and_then(|at| Some((at, pieces[at].as_ref()?))) else {
            return true;
        };
        let Some(step) = piece.steps.get(&address) else {
            return true;
        };
        if step.returns || step.jumps_anywhere || step.may_leave.is_some() {
            return true;
        }
        work.extend(&step.jumps);
        if step.falls {
            work.push(step.end);
        }
        // An exception may go to any handler of the piece.
        if padded.insert(at) {
            work.extend(piece.pads.iter().map(|pad| pad.pad));
        }
    }
    false
}

/// Whether a piece has a call that goes on, of a function that never comes back.
pub(super) fn goes_on_behind(file: &File<'_, '_>, piece: &Piece) -> bool {
    let calls_it = |step: &DecodedInstruction| match step.call {
        Some(Callee::Here(address)) => step.falls && file.never_returns.contains(&address),
        _ => false,
    };
    piece.steps.values().any(calls_it)
}
