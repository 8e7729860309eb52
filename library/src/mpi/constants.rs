//! What numbers mean that implementations give MPI's constants and handles, by their `mpi.h`.

use super::measured::Implementation::{self, Mpich, OpenMpi};
use crate::Role;

/// MPI's name for a value that is passed in this role, in an implementation.
pub fn constant(role: Role, value: i64, implementation: Implementation) -> Option<&'static str> {
    use Role::{Communicator, Destination, ReceiveTag, Root, Source};
    Some(match (role, implementation, value) {
        (Source, OpenMpi, -1) | (Source, Mpich, -2) => "MPI_ANY_SOURCE",
        (Source | Destination | Root, OpenMpi, -2) | (Source | Destination | Root, Mpich, -1) => {
            "MPI_PROC_NULL"
        }
        (Root, OpenMpi, -4) | (Root, Mpich, -3) => "MPI_ROOT",
        (ReceiveTag, _, -1) => "MPI_ANY_TAG",
        (Communicator, Mpich, 0x4400_0000) => "MPI_COMM_WORLD",
        (Communicator, Mpich, 0x4400_0001) => "MPI_COMM_SELF",
        _ => return None,
    })
}

impl Implementation {
    /// Whether its handles are addresses, and thus wider than an `int`.
    pub fn has_pointers_for_handles(self) -> bool {
        self == OpenMpi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implementations_name_the_same_number_differently() {
        assert_eq!(constant(Role::Source, -1, OpenMpi), Some("MPI_ANY_SOURCE"));
        assert_eq!(constant(Role::Source, -2, OpenMpi), Some("MPI_PROC_NULL"));
        assert_eq!(constant(Role::Source, -1, Mpich), Some("MPI_PROC_NULL"));
        assert_eq!(constant(Role::Source, -2, Mpich), Some("MPI_ANY_SOURCE"));
        assert_eq!(constant(Role::Destination, 3, Mpich), None);
    }
}
