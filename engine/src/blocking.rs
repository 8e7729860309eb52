//! Which library calls wait for somebody else.

use crate::readable::readable;
use library::{SharedObject, Wait, of_symbol, symbols};

/// Whether a library function may return only when another task (or a lock's holder) has done its part. Of MPI, all that the
/// standard calls blocking or collective; what only starts or tests is not.
pub(crate) fn is_blocking(function: &str) -> bool {
    of_symbol(function).is_some_and(|row| matches!(row.wait, Wait::Tasks | Wait::Threads))
}

/// Whether a function of MPI asks without waiting whether others have done their part.
pub(crate) fn is_test(function: &str) -> bool {
    of_symbol(function).is_some_and(|row| row.wait == Wait::Asks)
}

/// Whether a function of the C library waits for other threads.
pub(crate) fn waits(function: &str) -> bool {
    library::function(function).is_some_and(|row| row.wait == Wait::Threads)
}

/// Whether a library function waits for other threads of its own process: the name to show for it. `module` is the
/// library that it is in.
pub(crate) fn waits_for_threads(function: &str, module: Option<&str>) -> Option<String> {
    let readable = readable(function);
    let plain = symbols::called_name(&readable);
    // Of a runtime for OpenMP only the entry points have names, and those jump to the waiting in tail position.
    let runtime = module.filter(|module| library::shared_object(module) == Some(SharedObject::OpenMp));
    match runtime {
        Some(module) if matches!(function, "" | "??") => Some(library::without_ending(module).to_owned()),
        Some(_) => Some(function.to_owned()),
        None if waits(plain) => Some(plain.to_owned()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_blocking, is_test, waits_for_threads};

    #[test]
    fn what_waits_for_threads_is_known_by_name_or_library() {
        let waits = |function, module| waits_for_threads(function, module);
        assert_eq!(waits("??", Some("libgomp.so.1.0.0")).as_deref(), Some("libgomp"));
        assert_eq!(
            waits("GOMP_parallel", Some("libgomp.so.1")).as_deref(),
            Some("GOMP_parallel")
        );
        assert_eq!(
            waits("__pthread_join", Some("libc.so.6")).as_deref(),
            Some("pthread_join")
        );
        assert_eq!(
            waits("_ZNSt6thread4joinEv", Some("/usr/lib/libstdc++.so.6")).as_deref(),
            Some("std::thread::join")
        );
        assert_eq!(waits("??", Some("libc.so.6")), None);
        assert_eq!(waits("MPI_Recv", Some("libmpi.so.40")), None);
    }

    #[test]
    fn only_calls_that_wait_for_others_block() {
        assert!(is_blocking("MPI_Recv") && is_blocking("PMPI_Allreduce") && is_blocking("MPI_Waitall"));
        assert!(!is_blocking("MPI_Irecv") && !is_blocking("MPI_Iprobe") && !is_blocking("MPI_Test"));
        assert!(!is_blocking("memcpy") && !is_blocking("PWait"));
        // Each stood in one of several lists.
        for name in [
            "MPI_Cart_create",
            "MPI_Comm_split_type",
            "PMPI_Win_create",
            "pthread_cond_timedwait",
            "pthread_cond_clockwait",
            "sem_timedwait",
            "mtx_lock",
            "omp_set_lock",
            "mpi_win_fence_",
        ] {
            assert!(is_blocking(name), "{name}");
        }
        assert!(is_test("MPI_Win_test") && !is_test("MPI_Start"));
    }
}
