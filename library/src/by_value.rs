//! Which functions of the standard library take plain variables by value, so that a call written `f(x)` does not change `x`.
//!
//! In C++ a call does not show whether its arguments are taken by reference. The declaration does, but the headers of the
//! standard library are seldom among the sources that are read. The rows of the other tables say what is done to memory that a *pointer* leads to;
//! these names, which include members of classes, need no rows for that.

/// Functions of the standard library, members among them, that change none of their arguments which is a plain variable,
/// and keep no reference to it.
const ANYWHERE: [&str; 91] = [
    "abort",
    "abs",
    "acos",
    "asin",
    "assert",
    "assign",
    "at",
    "atan",
    "atan2",
    "atof",
    "atoi",
    "back",
    "begin",
    "c_str",
    "ceil",
    "clear",
    "compare",
    "copysign",
    "cos",
    "cosh",
    "count",
    "data",
    "distance",
    "empty",
    "end",
    "erase",
    "exit",
    "exp",
    "fabs",
    "fflush",
    "fill",
    "find",
    "floor",
    "fmod",
    "fprintf",
    "fputs",
    "fread",
    "free",
    "front",
    "fwrite",
    "hypot",
    "insert",
    "isinf",
    "isnan",
    "ldexp",
    "log",
    "log10",
    "log2",
    "lower_bound",
    "lround",
    "make_pair",
    "malloc",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "pow",
    "precision",
    "printf",
    "push",
    "push_back",
    "putchar",
    "puts",
    "realloc",
    "reserve",
    "resize",
    "rint",
    "round",
    "setprecision",
    "setw",
    "sin",
    "sinh",
    "size",
    "snprintf",
    "sprintf",
    "sqrt",
    "store",
    "strcmp",
    "strcpy",
    "strlen",
    "strncmp",
    "strncpy",
    "strstr",
    "strtol",
    "substr",
    "tan",
    "tanh",
    "to_string",
    "toupper",
    "upper_bound",
    "write",
];

/// More of them, which a program may have under the same name: those of the standard library are named with `std::`.
const IN_STD: [&str; 8] = [
    "isfinite",
    "make_tuple",
    "max",
    "min",
    "signbit",
    "strtod",
    "strtoul",
    "trunc",
];

/// Whether a call of a function of this name changes none of its arguments that is a plain variable and keeps no reference to it,
/// if no declaration says more.
pub fn takes_values(name: &str) -> bool {
    ANYWHERE.binary_search(&name).is_ok()
}

/// The same of a function that is named with `std::`.
pub fn takes_values_in_std(name: &str) -> bool {
    takes_values(name) || IN_STD.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_the_source_may_write_them_so() {
        assert!(ANYWHERE.is_sorted() && IN_STD.is_sorted());
        assert!(takes_values("push_back") && takes_values_in_std("push_back"));
        // A program may have a `max` of its own that takes references.
        assert!(!takes_values("max") && takes_values_in_std("max"));
        assert!(!takes_values_in_std("swap"));
    }
}
