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

/// The C name of the MPI function that a symbol is an entry point of: of C, of the profiling interface, or of one of the Fortran
/// bindings (`mpi_send_`, `pmpi_send__`, `MPI_SEND`, Open MPI's `ompi_send_f`, `mpi_send_f08_`). `None` for all other symbols.
pub fn mpi_entry_point(symbol: &str) -> Option<String> {
    if is_mpi(symbol) && symbol.chars().any(char::is_lowercase) && !symbol.ends_with("_f08") {
        return Some(mpi_name(symbol).to_owned());
    }
    let lower = symbol.to_ascii_lowercase();
    let rest = ["pmpi_", "ompi_", "mpi_"]
        .iter()
        .find_map(|prefix| lower.strip_prefix(prefix))?;
    let is_internal = lower.starts_with("ompi_");
    let plain = rest.trim_end_matches('_');
    let endings = ["_f08ts", "_f08", "_f"];
    let ending = endings.iter().find_map(|ending| plain.strip_suffix(ending));
    // Open MPI calls all its own functions `ompi_...`; only those that end so are entry points.
    let name = match ending {
        Some(name) => name,
        None if is_internal || plain == rest && symbol == lower => return None,
        None => plain,
    };
    let mut letters = name.chars();
    let first = letters.next().filter(char::is_ascii_lowercase)?;
    Some(format!("MPI_{}{}", first.to_ascii_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_points_of_fortran_have_the_name_of_c() {
        for (symbol, expected) in [
            ("PMPI_Comm_split", Some("MPI_Comm_split")),
            ("mpi_allreduce_", Some("MPI_Allreduce")),
            ("pmpi_comm_rank__", Some("MPI_Comm_rank")),
            ("MPI_WIN_FENCE", Some("MPI_Win_fence")),
            ("ompi_allreduce_f", Some("MPI_Allreduce")),
            ("mpi_send_f08_", Some("MPI_Send")),
            ("PMPI_Send_f08", Some("MPI_Send")),
            ("ompi_request_wait_all", None),
            ("mpi_helper", None),
            ("mpi_", None),
            ("main", None),
        ] {
            assert_eq!(mpi_entry_point(symbol).as_deref(), expected, "{symbol}");
        }
    }

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
