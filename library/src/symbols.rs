//! What names tell that only libraries and compilers give: the C library's own spellings, what begins programs and threads, what lies
//! inside of MPI or of the runtime of C++, and what the compiler itself knows.

/// The name by which programs call the function that a symbol of the C library is: `pthread_join` of `__pthread_join`,
/// `pthread_mutex_lock` of `pthread_mutex_lock@@GLIBC_2.2.5`.
pub fn called_name(symbol: &str) -> &str {
    without_version(symbol).trim_start_matches('_')
}

/// What the names of the flight recorder's own functions begin with, before the function of MPI that each stands in front of.
pub const RECORDERS_OWN: &str = "hindmost_own_";

/// Whether `inner` is the function of MPI that the recorder's `own` hands a call on to, by its own name or that for profiling.
pub fn hands_on(own: &str, inner: &str) -> bool {
    let plain = base::mpi_name(inner);
    plain == own || plain.strip_prefix('p') == Some(own)
}

/// What the outermost functions of a stack begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The program: they call `main`.
    Program,
    /// A thread: they call what it was made for.
    Thread,
}

/// What a function of this name begins, if it is one of those that begin every program or every thread.
pub fn starts(symbol: &str) -> Option<Start> {
    let name = without_version(symbol);
    // Rust's library calls a program's `main`, and what its threads do, through this one.
    if name.contains("__rust_begin_short_backtrace") {
        return Some(Start::Program);
    }
    match name {
        "_start"
        | "__libc_start_main"
        | "__libc_start_main_impl"
        | "__libc_start_call_main"
        | "generic_start_main" => Some(Start::Program),
        // musl's.
        "_start_c" | "libc_start_main_stage2" => Some(Start::Program),
        "start_thread" | "clone" | "__clone" | "clone3" | "__clone3" => Some(Start::Thread),
        // What C++'s library and the runtimes of OpenMP do there.
        "execute_native_thread_routine" | "gomp_thread_start" => Some(Start::Thread),
        "__kmp_launch_worker"
        | "__kmp_launch_thread"
        | "__kmp_invoke_task_func"
        | "__kmp_invoke_microtask" => Some(Start::Thread),
        _ => None,
    }
}

/// Whether a symbol is that of a function which throws or ends the program, and which only the library of C++ and the compiler call.
pub fn never_returns(symbol: &str) -> bool {
    let name = without_version(symbol);
    // `std::__throw_length_error(char const*)` and its kin.
    let throws = name
        .strip_prefix("_ZSt")
        .map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    throws.is_some_and(|rest| rest.starts_with("__throw_"))
        || matches!(
            name,
            "_ZSt9terminatev"
                | "_ZSt21__glibcxx_assert_failPKciS0_S0_"
                | "_Unwind_Resume"
                | "__assert_perror_fail"
                | "__chk_fail"
                | "__cxa_bad_cast"
                | "__cxa_bad_typeid"
                | "__cxa_call_unexpected"
                | "__cxa_pure_virtual"
                | "__cxa_rethrow"
                | "__cxa_throw"
                | "__cxa_throw_bad_array_new_length"
                | "__fortify_fail"
                | "__stack_chk_fail"
        )
}

/// Whether a function of this name, called by what begins a program, runs constructors before `main`: the C library's, or what compilers make of the global
/// objects of a file.
pub fn constructs(symbol: &str) -> bool {
    matches!(without_version(symbol), "call_init" | "__libc_csu_init")
        || ["_GLOBAL__sub_I_", "_GLOBAL__I_"]
            .iter()
            .any(|beginning| symbol.starts_with(beginning))
}

/// Whether a function of this name runs what is left to do when `main` has returned or the program ends in another way: destructors, and what `atexit` was given.
pub fn ends_program(symbol: &str) -> bool {
    matches!(without_version(symbol), "exit" | "__run_exit_handlers")
}

/// Whether a function is named as MPI's libraries name those that are not their entry points.
pub fn is_internal_of_mpi(symbol: &str) -> bool {
    const OF_MPICH: [&str; 4] = ["MPIR_", "MPID", "MPIC_", "MPL_"];
    const OF_OPEN_MPI: [&str; 4] = ["ompi_", "opal_", "mca_", "orte_"];
    let mut beginnings = OF_MPICH.iter().chain(&OF_OPEN_MPI);
    beginnings.any(|beginning| symbol.starts_with(beginning))
}

/// Whether a function is the one that a rank ends its part in MPI with. The entry point of Open MPI leaves its frame to the second.
pub fn ends_mpi(symbol: &str) -> bool {
    base::mpi_name(symbol) == "MPI_Finalize" || symbol == "ompi_mpi_finalize"
}

/// Whether a function of this name throws, catches or hands on exceptions of C++.
pub fn is_of_exceptions(symbol: &str) -> bool {
    symbol.starts_with("_Unwind_") || symbol.starts_with("__cxa_")
}

/// Whether the compiler itself knows the function of this name: no library has code of it.
pub fn is_builtin(name: &str) -> bool {
    name.starts_with("__builtin_")
}

/// Whether what is written like a call of this name only tells the compiler something, or asks it.
pub fn calls_nothing(name: &str) -> bool {
    matches!(
        name,
        "__builtin_assume"
            | "__builtin_assume_aligned"
            | "__builtin_constant_p"
            | "__builtin_expect"
            | "__builtin_expect_with_probability"
            | "__builtin_prefetch"
            | "__builtin_types_compatible_p"
            | "__builtin_unreachable"
    )
}

fn without_version(symbol: &str) -> &str {
    symbol.split_once('@').map_or(symbol, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_the_c_library_have_the_name_that_is_called() {
        assert_eq!(called_name("__pthread_join"), "pthread_join");
        assert_eq!(
            called_name("pthread_mutex_lock@@GLIBC_2.2.5"),
            "pthread_mutex_lock"
        );
        assert_eq!(called_name("poll"), "poll");
    }

    #[test]
    fn programs_and_threads_are_begun_by_known_functions() {
        assert_eq!(starts("__libc_start_main@GLIBC_2.34"), Some(Start::Program));
        assert_eq!(starts("start_thread"), Some(Start::Thread));
        assert_eq!(starts("main"), None);
        assert!(hands_on("MPI_Send", "PMPI_Send") && hands_on("MPI_Send", "MPI_Send"));
        assert!(hands_on("mpi_send_", "pmpi_send_") && !hands_on("MPI_Send", "MPI_Recv"));
        assert!(constructs("_GLOBAL__sub_I_outside.cc") && ends_program("exit@@GLIBC_2.2.5"));
        assert!(!constructs("main") && !ends_program("exit_all"));
    }

    #[test]
    fn entry_points_are_not_inside() {
        assert!(is_internal_of_mpi("MPIDI_Progress") && is_internal_of_mpi("opal_progress"));
        assert!(!is_internal_of_mpi("MPI_Send") && !is_internal_of_mpi("PMPI_Send"));
    }
}
