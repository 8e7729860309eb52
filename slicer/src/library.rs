//! What functions without source do to the memory that they are given.
//!
//! The table is short: what it does not name is taken to read and write everything that its arguments point to, and one
//! step further. Being in it only makes slices smaller.

use base::mpi_name;

/// What a function without source does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
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
    pub state: Option<&'static str>,
    /// It stores a pointer to new memory, or a handle, in what its argument of this number points to.
    pub gives: Option<u8>,
    /// Arguments that it follows over one more pointer, or to what a handle stands for. As bits, too.
    pub inside: u32,
    /// Nothing is known: it may keep its arguments in one another, and call functions that it is given.
    pub unknown: bool,
}

/// All arguments.
const ALL: u32 = u32::MAX;

impl Effect {
    /// Whether it may write through its argument `index`.
    pub fn writes(&self, index: usize) -> bool {
        self.reads_only & (1 << index.min(31)) == 0
    }

    /// Whether it follows its argument `index`, if that is a pointer.
    pub fn follows(&self, index: usize) -> bool {
        self.opaque & (1 << index.min(31)) == 0
    }

    /// Whether it follows what its argument `index` points to, too.
    pub fn goes_inside(&self, index: usize) -> bool {
        self.inside & (1 << index.min(31)) != 0
    }
}

/// What the function of this name does.
pub fn effect(name: &str) -> Effect {
    let reads = |reads_only: u32| Effect {
        reads_only,
        ..Effect::default()
    };
    let stateful = |reads_only, state| Effect {
        reads_only,
        state: Some(state),
        ..Effect::default()
    };
    match mpi_name(name) {
        "exit"
        | "_exit"
        | "_Exit"
        | "abort"
        | "__assert_fail"
        | "quick_exit"
        | "pthread_exit"
        | "MPI_Abort"
        | "__builtin_unreachable"
        | "__builtin_trap" => Effect {
            ends: true,
            ..reads(ALL)
        },
        "longjmp" | "siglongjmp" | "_longjmp" => Effect {
            ends: true,
            ..Effect::default()
        },
        "malloc" | "calloc" | "aligned_alloc" | "memalign" | "valloc" | "alloca" | "__builtin_alloca"
        | "fopen" | "fdopen" | "tmpfile" | "operator new" | "operator new[]" => Effect {
            allocates: true,
            ..reads(ALL)
        },
        "strdup" | "strndup" => Effect {
            allocates: true,
            ..reads(ALL)
        },
        "posix_memalign" | "asprintf" | "vasprintf" | "getline" | "getdelim" => Effect {
            gives: Some(0),
            inside: ALL,
            ..Effect::default()
        },
        "realloc" | "reallocarray" => Effect {
            allocates: true,
            returns: Some(0),
            ..Effect::default()
        },
        "memcpy" | "memmove" | "mempcpy" | "__builtin_memcpy" | "__builtin_memmove" => Effect {
            returns: Some(0),
            copies: Some((0, 1)),
            ..reads(!1)
        },
        "bcopy" => Effect {
            copies: Some((1, 0)),
            ..reads(!2)
        },
        "memset" | "strcpy" | "strncpy" | "stpcpy" | "strcat" | "strncat" | "__builtin_memset" => Effect {
            returns: Some(0),
            ..reads(!1)
        },
        "strchr" | "strrchr" | "strstr" | "strpbrk" | "memchr" | "index" | "rindex" => Effect {
            returns: Some(0),
            ..reads(ALL)
        },
        "fgets" => Effect {
            returns: Some(0),
            ..reads(0)
        },
        "strtok" => Effect {
            returns: Some(0),
            ..stateful(!1, "strtok")
        },
        "rand" | "random" | "drand48" | "lrand48" | "srand" | "srandom" | "srand48" => stateful(ALL, "rand"),
        "getenv" | "setenv" | "putenv" | "unsetenv" => stateful(ALL, "environ"),
        "free" | "strlen" | "strcmp" | "strncmp" | "strcasecmp" | "memcmp" | "atoi" | "atol" | "atoll"
        | "atof" | "puts" | "printf" | "putchar" | "perror" | "strerror" | "abs" | "labs" | "llabs"
        | "sleep" | "usleep" | "toupper" | "tolower" | "isalpha" | "isdigit" | "isspace" | "isalnum"
        | "isupper" | "islower" | "ispunct" | "isprint" | "getpid" | "sched_yield" | "clock"
        | "operator delete" | "operator delete[]" | "getchar" | "assert" | "static_assert"
        | "_Static_assert" => reads(ALL),
        // The stream changes; what is printed does not.
        "fprintf" | "vfprintf" | "fputs" | "fputc" | "putc" | "fflush" | "fclose" => reads(!1),
        "fwrite" => reads(!8),
        "fputs_unlocked" | "vprintf" => reads(ALL),
        "sprintf" | "vsprintf" => reads(!1),
        "snprintf" | "vsnprintf" => reads(!1),
        "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtod" | "strtof" => reads(!2),
        "scanf" | "fscanf" | "sscanf" | "fread" | "read" | "gettimeofday" | "clock_gettime" | "time"
        | "nanosleep" | "localtime" | "gethostname" => Effect::default(),
        "sqrt" | "sqrtf" | "fabs" | "fabsf" | "floor" | "ceil" | "sin" | "cos" | "tan" | "exp" | "log"
        | "log2" | "log10" | "pow" | "atan" | "atan2" | "asin" | "acos" | "sinh" | "cosh" | "tanh"
        | "fmin" | "fmax" | "fmod" | "round" | "trunc" | "rint" | "cbrt" | "hypot" | "lround" | "llround"
        | "erf" | "isnan" | "isfinite" | "__builtin_expect" => reads(ALL),
        name if name.starts_with("MPI_") => mpi(name),
        _ => Effect {
            inside: ALL,
            unknown: true,
            ..Effect::default()
        },
    }
}

/// Of MPI functions, the arguments through which they read and write: all others are values and handles. A request is a handle
/// for what waits and tests do to it, whichever variable holds it.
fn mpi(name: &str) -> Effect {
    let bits = |arguments: &[u8]| arguments.iter().fold(0, |bits, argument| bits | 1 << argument);
    let (read, written, gives): (&[u8], &[u8], Option<u8>) = match name {
        "MPI_Send" | "MPI_Ssend" | "MPI_Bsend" | "MPI_Rsend" | "MPI_Put" | "MPI_Accumulate" => {
            (&[0], &[], None)
        }
        "MPI_Isend" | "MPI_Issend" | "MPI_Ibsend" | "MPI_Irsend" => (&[0], &[6], Some(6)),
        "MPI_Recv" => (&[], &[0, 6], None),
        "MPI_Irecv" => (&[], &[0, 6], Some(6)),
        "MPI_Send_init" | "MPI_Ssend_init" | "MPI_Bsend_init" | "MPI_Rsend_init" => (&[0], &[6], Some(6)),
        "MPI_Recv_init" => (&[], &[0, 6], Some(6)),
        "MPI_Sendrecv" => (&[0], &[5, 11], None),
        "MPI_Bcast" | "MPI_Get" => (&[], &[0], None),
        "MPI_Reduce" | "MPI_Allreduce" | "MPI_Scan" | "MPI_Exscan" => (&[0], &[1], None),
        "MPI_Gather" | "MPI_Allgather" | "MPI_Scatter" | "MPI_Alltoall" => (&[0], &[3], None),
        "MPI_Comm_rank" | "MPI_Comm_size" => (&[], &[1], None),
        "MPI_Barrier" | "MPI_Wtime" | "MPI_Finalize" | "MPI_Win_fence" | "MPI_Win_lock"
        | "MPI_Win_unlock" | "MPI_Win_lock_all" | "MPI_Win_unlock_all" | "MPI_Win_flush" => (&[], &[], None),
        _ => return other_mpi(name),
    };
    Effect {
        reads_only: !bits(written),
        opaque: !(bits(read) | bits(written)),
        gives,
        inside: gives.map_or(0, |argument| 1 << argument),
        ..Effect::default()
    }
}

/// MPI functions that are in no table: they may write through all arguments, and to what handles stand for.
fn other_mpi(name: &str) -> Effect {
    Effect {
        gives: match name {
            "MPI_Alloc_mem" => Some(2),
            "MPI_Win_allocate" | "MPI_Win_allocate_shared" | "MPI_Win_shared_query" => Some(4),
            "MPI_Ibcast" => Some(5),
            "MPI_Ireduce" => Some(7),
            "MPI_Iallreduce" | "MPI_Iscan" | "MPI_Iexscan" => Some(6),
            "MPI_Ibarrier" => Some(1),
            _ => None,
        },
        inside: ALL,
        // These are given functions of the program.
        unknown: matches!(name, "MPI_Op_create" | "MPI_Op_create_c" | "MPI_Grequest_start")
            || name.ends_with("_create_keyval")
            || name.ends_with("_create_errhandler"),
        ..Effect::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_followed_and_written() {
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
    }
}
