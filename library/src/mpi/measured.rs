//! What was measured of implementations of MPI, beyond what the standard says: `docs/mpi-witness.md` has the program and the figures.

/// Families of MPI implementations that agree in their binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implementation {
    /// Open MPI.
    OpenMpi,
    /// And all with its binary interface: Intel MPI, MVAPICH, Cray MPICH.
    Mpich,
}

/// Whether a library lets all leave an operation that all have entered, also when one that has left it calls MPI no more.
pub fn completes(library: Implementation, function: &str) -> bool {
    match library {
        Implementation::OpenMpi => !matches!(function, "MPI_Allgather" | "MPI_Allgatherv"),
        Implementation::Mpich => true,
    }
}

/// Whether nobody is ever found inside an operation without data, so that whoever stands in it has some, and all others as much. MPICH's
/// allreduce of nothing lets some leave while others still wait. Of what is not here each part may have another size, or it was not measured.
pub fn waits_for_data_only(library: Implementation, function: &str) -> bool {
    match function {
        "MPI_Barrier" | "MPI_Allgather" | "MPI_Alltoall" | "MPI_Reduce_scatter_block" => true,
        "MPI_Allreduce" => library == Implementation::OpenMpi,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::SORTED;
    use crate::{Flow, Part, Timing};

    /// What the measurement says holds only of operations in which each task waits for all.
    #[test]
    fn what_was_measured_waits_for_all() {
        let measured = SORTED
            .iter()
            .filter(|row| waits_for_data_only(Implementation::OpenMpi, row.name));
        let measured = Vec::from_iter(measured);
        assert_eq!(measured.len(), 5);
        for row in measured {
            assert_eq!(row.part, Part::Collective(Flow::EveryPart), "{}", row.name);
            assert_eq!(row.timing, Timing::AtOnce, "{}", row.name);
        }
    }
}
