//! Names of MPI functions.

/// The name that the MPI standard gives a function: without the `P` of the profiling interface. Other names are returned
/// as they are.
pub fn mpi_name(name: &str) -> &str {
    match name.strip_prefix('P') {
        Some(rest) if rest.starts_with("MPI_") => rest,
        _ => name,
    }
}

/// Whether a function is one of MPI's, by its own or its profiling name.
pub fn is_mpi(name: &str) -> bool {
    mpi_name(name).starts_with("MPI_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_mpi_lose_their_p() {
        for (name, expected) in [
            ("PMPI_Send", "MPI_Send"),
            ("MPI_Send", "MPI_Send"),
            ("PPMPI_Send", "PPMPI_Send"),
            ("Push", "Push"),
            ("", ""),
        ] {
            assert_eq!(mpi_name(name), expected);
        }
        assert!(is_mpi("PMPI_Recv") && is_mpi("MPI_Recv") && !is_mpi("PMPIX") && !is_mpi("mpi_recv_"));
    }
}
