//! What library functions do, as far as the order needs to know: a small table, argued entry by entry.
//!
//! A function that is neither in the map nor here is unknown: it may change every global and its value may differ by
//! task.

use base::{is_mpi, mpi_name};

/// What a library function's value is on different tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallValue {
    /// A function of its arguments alone.
    OfArguments,
    /// The same on every task: the size of a communicator, success, the result of a collective.
    Same,
    /// Different on every task.
    Differs,
}

/// Functions of their arguments alone (and of errno, which tells no iteration).
const PURE: &[&str] = &[
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fabsf",
    "floor",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "isfinite",
    "isnan",
    "labs",
    "llabs",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "lround",
    "memcmp",
    "pow",
    "rint",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "sqrtf",
    "strcmp",
    "strlen",
    "strncmp",
    "strtod",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "tan",
    "tanh",
    "tolower",
    "toupper",
    "trunc",
    "MPI_Type_size",
];

/// Standard C and POSIX functions that call nothing of the program's and write only through their arguments.
const QUIET: &[&str] = &[
    "abort",
    "calloc",
    "clock",
    "clock_gettime",
    "close",
    "exit",
    "_exit",
    "fclose",
    "fflush",
    "fgets",
    "fopen",
    "fprintf",
    "fputc",
    "fputs",
    "fread",
    "free",
    "fscanf",
    "fwrite",
    "getchar",
    "getenv",
    "gethostname",
    "getpid",
    "gettimeofday",
    "localtime",
    "malloc",
    "memcpy",
    "memmove",
    "memset",
    "nanosleep",
    "omp_get_num_threads",
    "omp_get_thread_num",
    "omp_get_wtime",
    "open",
    "pause",
    "perror",
    "poll",
    "printf",
    "putchar",
    "puts",
    "rand",
    "random",
    "read",
    "realloc",
    "sched_yield",
    "select",
    "setbuf",
    "setvbuf",
    "sleep",
    "snprintf",
    "sprintf",
    "srand",
    "srandom",
    "sscanf",
    "strcat",
    "strchr",
    "strcpy",
    "strdup",
    "strerror",
    "strncat",
    "strncpy",
    "strrchr",
    "strstr",
    "strtok",
    "time",
    "usleep",
    "vfprintf",
    "vprintf",
    "vsnprintf",
    "write",
    "_mm_pause",
    "__assert_fail",
    "__builtin_expect",
    "__builtin_unreachable",
    "getrusage",
    "rand_r",
    "scanf",
];

/// MPI functions that leave the same result on every member of the communicator, and the argument that gets it.
const MADE_EQUAL: &[(&str, usize)] = &[
    ("MPI_Bcast", 0),
    ("MPI_Allreduce", 1),
    ("MPI_Allgather", 1),
    ("MPI_Allgatherv", 1),
    ("MPI_Comm_size", 1),
    ("MPI_Comm_dup", 1),
    ("MPI_Init", 0),
    ("MPI_Init", 1),
    ("MPI_Init_thread", 0),
    ("MPI_Init_thread", 1),
    ("MPI_Initialized", 0),
    ("MPI_Finalized", 0),
];

/// MPI functions that write through an argument before they return and never later, with a value that differs.
const MADE_DIFFERENT: &[(&str, usize)] = &[
    ("MPI_Comm_rank", 1),
    ("MPI_Comm_split", 3),
    ("MPI_Comm_split_type", 4),
    ("MPI_Comm_create", 2),
    ("MPI_Cart_create", 5),
    ("MPI_Cart_sub", 2),
    ("MPI_Recv", 0),
    ("MPI_Sendrecv", 5),
    ("MPI_Reduce", 1),
    ("MPI_Scatter", 3),
    ("MPI_Gather", 3),
    ("MPI_Scan", 1),
    ("MPI_Exscan", 1),
    ("MPI_Alltoall", 3),
    ("MPI_Test", 1),
    ("MPI_Iprobe", 3),
    ("MPI_Get_count", 2),
    ("MPI_Get_processor_name", 1),
    ("MPI_Testall", 2),
];

/// Whether a function belongs to a library that calls nothing of the program's (MPI reduction operators aside) and
/// knows none of its globals.
pub fn is_library(name: &str) -> bool {
    // The table is short and asked rarely; it stays in reading order.
    is_mpi(name) || PURE.contains(&name) || QUIET.contains(&name)
}

/// What a library function's value is on different tasks; `None` for functions that are not in the table.
pub fn call_value(name: &str) -> Option<CallValue> {
    if PURE.contains(&name) {
        return Some(CallValue::OfArguments);
    }
    match name {
        "MPI_Wtime" | "MPI_Aint_add" => Some(CallValue::Differs),
        // Error codes: a call that failed on some task does not return to the program by default.
        _ if is_mpi(name) => Some(CallValue::Same),
        "__builtin_expect" => Some(CallValue::OfArguments),
        _ if QUIET.contains(&name) => Some(CallValue::Differs),
        _ => None,
    }
}

/// Whether a library function writes through argument `index` before it returns and keeps no pointer to it; the
/// value says whether what it writes is the same on every task.
///
/// `None` when it is not known to: the address must then be taken for escaped.
pub fn writes_through(name: &str, index: usize) -> Option<CallValue> {
    let name = mpi_name(name);
    if MADE_EQUAL.contains(&(name, index)) {
        return Some(CallValue::Same);
    }
    if MADE_DIFFERENT.contains(&(name, index)) {
        return Some(CallValue::Differs);
    }
    let reads_only = matches!(
        (name, index),
        (
            "MPI_Send"
                | "MPI_Ssend"
                | "MPI_Bsend"
                | "MPI_Rsend"
                | "MPI_Sendrecv"
                | "MPI_Allreduce"
                | "MPI_Reduce",
            0
        ) | (
            "MPI_Allgather" | "MPI_Allgatherv" | "MPI_Gather" | "MPI_Scatter" | "MPI_Alltoall" | "MPI_Scan",
            0
        )
    );
    if reads_only {
        // The value stays what it was; taken for changed, which only loses precision.
        return Some(CallValue::Differs);
    }
    QUIET.contains(&name).then_some(CallValue::Differs)
}

/// How much a library function writes through an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nothing.
    Nothing,
    /// The one object that the argument points to.
    One,
    /// As many as the argument of this number says, of the type that the next one names.
    Counted(usize),
    /// Any number of bytes.
    Any,
}

/// Where the count of a buffer stands that MPI writes to, and the buffer.
const COUNTED: &[(&str, usize, usize)] = &[
    ("MPI_Bcast", 0, 1),
    ("MPI_Allreduce", 1, 2),
    ("MPI_Reduce", 1, 2),
    ("MPI_Scan", 1, 2),
    ("MPI_Exscan", 1, 2),
    ("MPI_Recv", 0, 1),
    ("MPI_Irecv", 0, 1),
    ("MPI_Sendrecv", 5, 6),
];

/// Arguments through which a function writes one object.
const SINGLE: &[(&str, usize)] = &[
    ("MPI_Comm_rank", 1),
    ("MPI_Comm_size", 1),
    ("MPI_Comm_dup", 1),
    ("MPI_Comm_split", 3),
    ("MPI_Comm_split_type", 4),
    ("MPI_Comm_create", 2),
    ("MPI_Cart_create", 5),
    ("MPI_Cart_sub", 2),
    ("MPI_Initialized", 0),
    ("MPI_Finalized", 0),
    ("MPI_Test", 0),
    ("MPI_Test", 1),
    ("MPI_Test", 2),
    ("MPI_Testall", 2),
    ("MPI_Iprobe", 3),
    ("MPI_Iprobe", 4),
    ("MPI_Probe", 3),
    ("MPI_Get_count", 2),
    ("MPI_Recv", 6),
    ("MPI_Sendrecv", 11),
    ("MPI_Isend", 6),
    ("MPI_Irecv", 6),
    ("MPI_Wait", 0),
    ("MPI_Wait", 1),
    ("MPI_Type_size", 1),
    ("time", 0),
];

/// How much the library function `name` writes through its argument `index`, at once or later.
pub(crate) fn reach(name: &str, index: usize) -> Reach {
    let name = mpi_name(name);
    if let Some(&(.., count)) = COUNTED
        .iter()
        .find(|&&(known, at, _)| (known, at) == (name, index))
    {
        return Reach::Counted(count);
    }
    let formats = matches!((name, index), ("sscanf" | "fscanf", 2..) | ("scanf", 1..));
    if formats || SINGLE.contains(&(name, index)) {
        return Reach::One;
    }
    let reads = match name {
        _ if PURE.contains(&name) => true,
        "printf" | "fprintf" | "puts" | "fputs" | "fwrite" | "write" | "free" | "perror" | "getenv"
        | "fopen" | "open" | "strdup" => true,
        "sprintf" | "snprintf" | "memcpy" | "memmove" | "strcpy" | "strncpy" | "strcat" | "strncat" => {
            index > 0
        }
        "MPI_Send" | "MPI_Ssend" | "MPI_Bsend" | "MPI_Rsend" | "MPI_Isend" | "MPI_Sendrecv"
        | "MPI_Allreduce" | "MPI_Reduce" | "MPI_Allgather" | "MPI_Allgatherv" | "MPI_Gather"
        | "MPI_Scatter" | "MPI_Alltoall" | "MPI_Scan" => index == 0,
        _ => false,
    };
    if reads { Reach::Nothing } else { Reach::Any }
}

/// Which argument is the communicator over which an MPI function makes a value equal, of `count` arguments.
pub(crate) fn communicator(name: &str, count: usize) -> Option<usize> {
    let name = mpi_name(name);
    match name {
        "MPI_Bcast" | "MPI_Allreduce" | "MPI_Allgather" | "MPI_Allgatherv" => count.checked_sub(1),
        "MPI_Comm_size" | "MPI_Comm_dup" => Some(0),
        _ => None,
    }
}

/// Whether a call may return more than once: control then reappears where the graph has no edge.
pub fn returns_twice(name: &str) -> bool {
    matches!(
        name,
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "getcontext" | "vfork"
    )
}
