//! Functions of C's library and of POSIX, and what compilers offer in their place.

use crate::argument::Argument;
use crate::argument::words::*;
use crate::table::{Function, Value, table};

/// An open file.
const STREAM: Argument = OUT;

pub(crate) static FUNCTIONS: &[Function] = table! { Value::Differs;
    // Numbers.
    "abs" (N) of_arguments pure;
    "acos" (N) of_arguments;
    "asin" (N) of_arguments;
    "atan" (N) of_arguments;
    "atan2" (N N) of_arguments;
    "cbrt" (N) of_arguments;
    "ceil" (N) of_arguments pure;
    "cos" (N) of_arguments pure;
    "cosh" (N) of_arguments;
    "erf" (N) of_arguments;
    "exp" (N) of_arguments pure;
    "exp2" (N) of_arguments;
    "expm1" (N) of_arguments;
    "fabs" (N) of_arguments pure;
    "fabsf" (N) of_arguments;
    "floor" (N) of_arguments pure;
    "fmax" (N N) of_arguments;
    "fmin" (N N) of_arguments;
    "fmod" (N N) of_arguments pure;
    "hypot" (N N) of_arguments;
    "isfinite" (N) of_arguments;
    "isnan" (N) of_arguments;
    "labs" (N) of_arguments pure;
    "llabs" (N) of_arguments;
    "llround" (N) of_arguments;
    "log" (N) of_arguments pure;
    "log10" (N) of_arguments pure;
    "log1p" (N) of_arguments;
    "log2" (N) of_arguments;
    "lround" (N) of_arguments;
    "pow" (N N) of_arguments pure;
    "rint" (N) of_arguments;
    "round" (N) of_arguments;
    "sin" (N) of_arguments pure;
    "sinh" (N) of_arguments;
    "sqrt" (N) of_arguments pure;
    "sqrtf" (N) of_arguments;
    "tan" (N) of_arguments pure;
    "tanh" (N) of_arguments;
    "trunc" (N) of_arguments;
    "drand48" () random;
    "lrand48" () random;
    "rand" () random;
    "rand_r" (ONE);
    "random" () random;
    "srand" (N) random;
    "srand48" (N) random;
    "srandom" (N) random;

    // Characters and text.
    "isalnum" (N) of_arguments;
    "isalpha" (N) of_arguments;
    "isdigit" (N) of_arguments;
    "islower" (N) of_arguments;
    "isprint" (N) of_arguments;
    "ispunct" (N) of_arguments;
    "isspace" (N) of_arguments;
    "isupper" (N) of_arguments;
    "tolower" (N) of_arguments;
    "toupper" (N) of_arguments;
    "atof" (IN) of_arguments pure;
    "atoi" (IN) of_arguments pure;
    "atol" (IN) of_arguments pure;
    "atoll" (IN) of_arguments pure;
    "strtod" (IN ONE) of_arguments;
    "strtof" (IN ONE) of_arguments;
    "strtol" (IN ONE N) of_arguments;
    "strtoll" (IN ONE N) of_arguments;
    "strtoul" (IN ONE N) of_arguments;
    "strtoull" (IN ONE N) of_arguments;
    "strcasecmp" (IN IN) of_arguments;
    "strcmp" (IN IN) of_arguments pure;
    "strncmp" (IN IN N) of_arguments pure;
    "strlen" (IN) of_arguments pure;
    "index" (IN N) returns_first;
    "rindex" (IN N) returns_first;
    "strchr" (IN N) returns_first;
    "strpbrk" (IN IN) returns_first;
    "strrchr" (IN N) returns_first;
    "strstr" (IN IN) returns_first;
    "stpcpy" (OUT IN) returns_first;
    "strcat" (OUT IN) returns_first;
    "strcpy" (OUT IN) returns_first;
    "strncat" (OUT IN N) returns_first;
    "strncpy" (OUT IN N) returns_first;
    "strdup" (IN) allocates;
    "strndup" (IN N) allocates;
    "strerror" (N);
    // Later calls without a text go on in this one.
    "strtok" (OUT_LATER IN) returns_first tokens;

    // Memory.
    "memcmp" (IN IN N) of_arguments pure;
    // It calls the function that it is given, of which nothing is said here; but glibc lets compilers put that call in its place.
    "bsearch" (IN IN N N N) effects_unknown pure;
    "memchr" (IN N N) returns_first pure;
    "memcpy" (OUT IN N) returns_first copies_second_to_first fills;
    "memmove" (OUT IN N) returns_first copies_second_to_first fills;
    "mempcpy" (OUT IN N) returns_first copies_second_to_first fills;
    "memset" (OUT N N) returns_first fills;
    "bcopy" (IN OUT N) copies_first_to_second;
    "aligned_alloc" (N N) allocates;
    "alloca" (N) allocates;
    "calloc" (N N) allocates;
    "free" (IN);
    "malloc" (N) allocates;
    "memalign" (N N) allocates;
    "posix_memalign" (NEW_MEMORY N N);
    "realloc" (OUT N) allocates returns_first;
    "reallocarray" (OUT N N) allocates returns_first;
    "valloc" (N) allocates;

    // Streams and files.
    "fclose" (STREAM);
    "fdopen" (N IN) allocates;
    "fflush" (STREAM);
    "fgets" (OUT N STREAM) returns_first;
    "fopen" (IN IN) allocates;
    "fprintf" (STREAM IN; IN);
    "fputc" (N STREAM);
    "fputs" (IN STREAM);
    "fputs_unlocked" (IN STREAM);
    "fread" (OUT N N STREAM);
    "fscanf" (STREAM IN; ONE);
    "fwrite" (IN N N STREAM);
    "getchar" ();
    "getdelim" (NEW_MEMORY ONE N STREAM);
    "getline" (NEW_MEMORY ONE STREAM);
    "perror" (IN);
    "printf" (IN; IN);
    "putc" (N STREAM);
    "putchar" (N);
    "puts" (IN);
    "scanf" (IN; ONE);
    "setbuf" (STREAM OUT_LATER);
    "setvbuf" (STREAM OUT_LATER N N);
    "tmpfile" () allocates;
    "vfprintf" (STREAM IN IN);
    "vprintf" (IN IN);
    "asprintf" (NEW_MEMORY IN; IN);
    "snprintf" (OUT N IN; IN);
    "sprintf" (OUT IN; IN);
    "sscanf" (IN IN; ONE);
    "vasprintf" (NEW_MEMORY IN IN);
    "vsnprintf" (OUT N IN IN);
    "vsprintf" (OUT IN IN);
    "close" (N);
    "open" (IN N; N);
    "poll" (OUT N N) sleeps;
    "ppoll" (OUT N IN IN) sleeps;
    "read" (N OUT N);
    "select" (N OUT OUT OUT ONE) sleeps;
    "write" (N IN N);

    // Time, the process and its surroundings.
    "clock" ();
    "clock_gettime" (N ONE);
    "gettimeofday" (ONE ONE);
    "localtime" (IN);
    "time" (ONE);
    "clock_nanosleep" (N N IN ONE) sleeps;
    "nanosleep" (IN ONE) sleeps;
    "pause" ();
    "sched_yield" ();
    "sleep" (N) sleeps;
    "usleep" (N) sleeps;
    "gethostname" (OUT N);
    "getpid" ();
    "getrusage" (N ONE);
    "getenv" (IN) environment;
    // What is put stands in the environment itself.
    "putenv" (IN_LATER) environment;
    "setenv" (IN IN N) environment;
    "unsetenv" (IN) environment;

    // How control flows.
    "abort" () never_returns;
    "exit" (N) never_returns;
    "_exit" (N) never_returns;
    "_Exit" (N) never_returns;
    "quick_exit" (N) never_returns;
    "__assert_fail" (IN IN N IN) never_returns;
    "assert" (; IN);
    "static_assert" (; IN);
    "_Static_assert" (; IN);
    "longjmp" (OUT N) never_returns;
    "_longjmp" (OUT N) never_returns;
    "siglongjmp" (OUT N) never_returns;
    "setjmp" (OUT) effects_unknown returns_twice;
    "_setjmp" (OUT) effects_unknown returns_twice;
    "sigsetjmp" (OUT N) effects_unknown returns_twice;
    "__sigsetjmp" (OUT N) effects_unknown returns_twice;
    "getcontext" (OUT) effects_unknown returns_twice;
    "savectx" (OUT) effects_unknown returns_twice;
    "swapcontext" (OUT IN) effects_unknown returns_twice;
    "vfork" () effects_unknown returns_twice;

    // What compilers put in the place of functions.
    "__builtin_alloca" (N) allocates;
    "__builtin_expect" (N N) of_arguments;
    "__builtin_memcpy" (OUT IN N) returns_first copies_second_to_first fills;
    "__builtin_memmove" (OUT IN N) returns_first copies_second_to_first fills;
    "__builtin_memset" (OUT N N) returns_first fills;
    "__builtin_trap" () never_returns;
    "__builtin_unreachable" () never_returns;
    "_mm_pause" ();
};
