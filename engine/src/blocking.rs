//! Which library calls wait for somebody else.

/// Whether a library function returns only when another task (or a lock's holder) does its part. Of MPI, all that the
/// standard calls blocking or collective; what only starts or tests is not.
pub(crate) fn is_blocking(function: &str) -> bool {
    let name = function
        .strip_prefix('P')
        .filter(|rest| rest.starts_with("MPI_"))
        .unwrap_or(function);
    let Some(operation) = name.strip_prefix("MPI_") else {
        return matches!(
            name,
            "pthread_join" | "pthread_mutex_lock" | "pthread_cond_wait" | "pthread_barrier_wait" | "sem_wait"
        );
    };
    const BLOCKING: [&str; 34] = [
        "Allgather",
        "Allgatherv",
        "Allreduce",
        "Alltoall",
        "Alltoallv",
        "Alltoallw",
        "Barrier",
        "Bcast",
        "Bsend",
        "Comm_create",
        "Comm_dup",
        "Comm_split",
        "Comm_free",
        "Exscan",
        "Finalize",
        "Gather",
        "Gatherv",
        "Init",
        "Init_thread",
        "Mprobe",
        "Mrecv",
        "Probe",
        "Recv",
        "Reduce",
        "Reduce_scatter",
        "Reduce_scatter_block",
        "Rsend",
        "Scan",
        "Scatter",
        "Scatterv",
        "Send",
        "Sendrecv",
        "Sendrecv_replace",
        "Ssend",
    ];
    const ALSO: [&str; 10] = [
        "Wait",
        "Waitall",
        "Waitany",
        "Waitsome",
        "Win_fence",
        "Win_lock",
        "Win_unlock",
        "Win_free",
        "Win_wait",
        "Win_complete",
    ];
    BLOCKING.contains(&operation)
        || ALSO.contains(&operation)
        || operation.starts_with("Neighbor_")
        || (operation.starts_with("File_") && operation.ends_with("_all"))
}

#[cfg(test)]
mod tests {
    use super::is_blocking;

    #[test]
    fn only_calls_that_wait_for_others_block() {
        assert!(is_blocking("MPI_Recv") && is_blocking("PMPI_Allreduce") && is_blocking("MPI_Waitall"));
        assert!(!is_blocking("MPI_Irecv") && !is_blocking("MPI_Iprobe") && !is_blocking("MPI_Test"));
        assert!(!is_blocking("memcpy") && !is_blocking("PWait"));
    }
}
