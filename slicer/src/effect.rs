//! What functions without source do to the memory that they are given: questions to the tables of [`library`].
//!
//! What they do not name is taken to read and write everything that its arguments point to, and one step further. Being in
//! them only makes slices smaller.

use crate::graph::Purpose;
use library::{Access, Exit, Function, HiddenState, function};

/// What a function without source does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LibraryEffect {
    /// Arguments through which it only reads, as bits; the last bit stands for itself and all that follow.
    pub reads_only: u32,
    /// Arguments that are values to it, even if they are pointers: handles. As bits, too.
    pub opaque: u32,
    /// It returns new memory.
    pub allocates: bool,
    /// It returns its argument of this number, or a pointer into it.
    pub returns: Option<u8>,
    /// It copies what the second of these arguments points to, to what the first points to.
    pub copies: Option<(u8, u8)>,
    /// It never returns.
    pub ends: bool,
    /// It keeps a state that later calls of the functions of this group see.
    pub state: Option<HiddenState>,
    /// It stores a pointer to new memory, or a handle, in what its argument of this number points to.
    pub gives: Option<u8>,
    /// Arguments that it follows over one more pointer, or to what a handle stands for. As bits, too.
    pub inside: u32,
    /// Of these, arguments that point to handles of requests, as bits: behind one, only functions of the library write.
    pub requests: u32,
    /// Arguments to which it gives a value whatever they had before. As bits, too.
    pub sets: u32,
    /// Nothing is known: it may keep its arguments in one another, and call functions that it is given.
    pub unknown: bool,
}

/// All arguments.
const ALL: u32 = u32::MAX;

impl LibraryEffect {
    /// The same of a function that gives a value to its argument `index`, too.
    #[must_use]
    pub(crate) fn setting(mut self, index: usize) -> Self {
        self.reads_only &= !bit(index);
        self.opaque &= !bit(index);
        self.sets |= bit(index);
        self
    }

    /// Whether it may write through its argument `index`.
    pub fn writes(&self, index: usize) -> bool {
        self.reads_only & bit(index) == 0
    }

    /// Whether it follows its argument `index`, if that is a pointer.
    pub fn follows(&self, index: usize) -> bool {
        self.opaque & bit(index) == 0
    }

    /// Whether it reads what its argument `index` points to.
    pub(crate) fn reads(&self, index: usize) -> bool {
        self.sets & bit(index) == 0
    }

    /// What that is read for, which its argument `index` leads to over one more pointer.
    pub(crate) fn purpose_inside(&self, index: usize) -> Purpose {
        if self.requests & bit(index) != 0 {
            Purpose::Request
        } else {
            Purpose::Value
        }
    }

    /// Whether it follows what its argument `index` points to, too.
    pub fn goes_inside(&self, index: usize) -> bool {
        self.inside & bit(index) != 0
    }
}

/// What the function of this name does.
pub fn effect(name: &str) -> LibraryEffect {
    let Some(row) = function(name) else {
        return LibraryEffect {
            inside: ALL,
            // Of other functions of MPI so much is known that they call nothing of the program's.
            unknown: !base::is_mpi(name),
            ..LibraryEffect::default()
        };
    };
    let done = LibraryEffect {
        allocates: row.returned.new,
        returns: row.returned.argument,
        copies: row.copies,
        ends: row.exit == Exit::Never,
        state: row.state,
        gives: row.gives().and_then(|index| u8::try_from(index).ok()),
        ..LibraryEffect::default()
    };
    if row.known && !row.calls_back() {
        through_arguments(row, done)
    } else {
        LibraryEffect {
            inside: ALL,
            unknown: true,
            ..done
        }
    }
}

fn through_arguments(row: &Function, mut done: LibraryEffect) -> LibraryEffect {
    let is_mpi = base::is_mpi(row.name);
    // Arguments beyond those of the row: no function of MPI looks at them; a function of C may be another one of that name, and is taken to read them.
    let listed = row.arguments.len().min(31);
    let beyond = ALL << listed;
    match row.more {
        Some(more) if more.access == Access::Writes => {}
        _ => done.reads_only |= beyond,
    }
    if is_mpi {
        done.opaque |= beyond;
    }
    for (index, argument) in row.arguments.iter().enumerate().take(listed) {
        match argument.access {
            Access::Value => {
                done.reads_only |= bit(index);
                // A pointer where a function of C takes a number is given to another one of that name.
                done.opaque |= if is_mpi { bit(index) } else { 0 };
            }
            Access::Reads | Access::ReadsLater => done.reads_only |= bit(index),
            Access::Object | Access::Writes | Access::WritesLater | Access::Calls => {}
        }
        done.inside |= if argument.inside { bit(index) } else { 0 };
        done.requests |= if argument.requests { bit(index) } else { 0 };
    }
    done
}

/// The bit that stands for an argument.
fn bit(index: usize) -> u32 {
    1 << index.min(31)
}

/// The arguments whose content is a part of a message, as bits.
pub(crate) fn carried(row: &Function) -> u32 {
    let carried = row
        .arguments
        .iter()
        .enumerate()
        .filter(|(_, argument)| argument.carried);
    carried.fold(0, |bits, (index, _)| bits | bit(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_followed_and_written() {
        let is_request = |name, index| effect(name).purpose_inside(index) == Purpose::Request;
        let send = effect("PMPI_Send");
        assert!(send.follows(0) && !send.writes(0) && !send.follows(5) && !send.unknown);
        let receive = effect("MPI_Recv");
        assert!(receive.follows(0) && receive.writes(0) && !receive.follows(5) && receive.writes(6));
        let copy = effect("memcpy");
        assert!(copy.writes(0) && !copy.writes(1) && copy.follows(1));
        assert!(effect("somebody_elses").unknown && effect("somebody_elses").writes(40));
        assert!(effect("MPI_Unheard_of").writes(3) && effect("MPI_Unheard_of").follows(3));
        assert!(receive.gives.is_none() && effect("MPI_Irecv").gives == Some(6));
        assert!(effect("MPI_Irecv").goes_inside(6) && !effect("MPI_Irecv").goes_inside(0));
        assert!(effect("MPI_Wait").goes_inside(0) && !effect("MPI_Wait").unknown);
        assert!(is_request("MPI_Wait", 0) && is_request("MPI_Isend", 6));
        // What it kept is called with memory of the program.
        assert!(!is_request("MPI_Grequest_start", 4) && !is_request("MPI_Init", 1));
    }
}
