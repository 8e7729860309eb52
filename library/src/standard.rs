//! Names of the standard library of C++, and what a call by one of them does: one row a name.
//!
//! A source of C++ seldom shows which function a name means: it is called for an object whose class nobody knows, or the headers of the library
//! are not among the sources that are read, so that no declaration says what it takes by reference. So what holds of all functions of
//! the standard library with a name is said of the name. A program may have a function of that name, too: each question says whether that
//! matters. What is done to memory that a *pointer* leads to, the rows of the other tables say.

/// What is known of a name.
#[derive(Clone, Copy, Debug)]
struct Name {
    name: &'static str,
    /// A class of the library has a member of this name.
    member: bool,
    by_value: ByValue,
    /// What it calls it neither keeps nor returns.
    calls_at_once: bool,
    /// It throws on values that programs meet.
    throws: bool,
    /// It may return a reference to one of its arguments.
    returns_argument: bool,
    /// It gives an iterator at the first element.
    gives_first: bool,
    /// `for (auto x : range)` calls it, and names it nowhere.
    in_range_loops: bool,
    /// The language or the library calls it elsewhere, where the source does not name it: `get` for the parts of a structured binding.
    unnamed: bool,
}

/// Where a function of a name changes none of its arguments that is a plain variable, and keeps no reference to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ByValue {
    /// This is not known.
    Nowhere,
    /// Where it is named with `std::`: a program may have a `max` of its own that takes references.
    InStd,
    /// Wherever no declaration says more.
    Anywhere,
}

impl Name {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            member: false,
            by_value: ByValue::Nowhere,
            calls_at_once: false,
            throws: false,
            returns_argument: false,
            gives_first: false,
            in_range_loops: false,
            unnamed: false,
        }
    }
}

/// Makes each word of the table a method that sets one column.
macro_rules! words {
    ($($word:ident: $column:ident = $value:expr;)*) => {
        impl Name {
            $(const fn $word(mut self) -> Self {
                self.$column = $value;
                self
            })*
        }
    };
}

words! {
    member: member = true;
    by_value: by_value = ByValue::Anywhere;
    by_value_in_std: by_value = ByValue::InStd;
    calls_at_once: calls_at_once = true;
    throws: throws = true;
    returns_argument: returns_argument = true;
    gives_first: gives_first = true;
    in_range_loops: in_range_loops = true;
    unnamed: unnamed = true;
}

macro_rules! names {
    ($($name:literal $($word:ident)+;)*) => {
        &[$(Name::new($name)$(.$word())+),*]
    };
}

/// By name. `for_each` and `bind` call nothing at once: they return what they are given, or keep it.
static NAMES: &[Name] = names! {
    "abort" by_value;
    "abs" by_value;
    "accumulate" calls_at_once;
    "acos" by_value;
    "adjacent_difference" calls_at_once;
    "adjacent_find" calls_at_once;
    "all_of" calls_at_once;
    "any_cast" throws;
    "any_of" calls_at_once;
    "append" member;
    "asin" by_value;
    "assert" by_value;
    "assign" member by_value;
    "at" member by_value throws;
    "atan" by_value;
    "atan2" by_value;
    "atof" by_value;
    "atoi" by_value;
    "back" member by_value;
    "begin" member by_value gives_first in_range_loops;
    "binary_search" calls_at_once;
    "c_str" member by_value;
    "cbegin" member gives_first;
    "ceil" by_value;
    "cend" member;
    "clamp" returns_argument;
    "clear" member by_value;
    "compare" by_value;
    "copy_if" calls_at_once;
    "copysign" by_value;
    "cos" by_value;
    "cosh" by_value;
    "count" member by_value;
    "count_if" calls_at_once;
    "data" member by_value;
    "distance" by_value;
    "emplace" member;
    "emplace_back" member;
    "emplace_front" member;
    "empty" member by_value;
    "end" member by_value in_range_loops;
    "equal" calls_at_once;
    "equal_range" calls_at_once;
    "erase" member by_value;
    "exclusive_scan" calls_at_once;
    "exit" by_value;
    "exp" by_value;
    "fabs" by_value;
    "fflush" by_value;
    "fill" by_value;
    "find" member by_value;
    "find_end" calls_at_once;
    "find_first_of" calls_at_once;
    "find_if" calls_at_once;
    "find_if_not" calls_at_once;
    "first" member;
    "floor" by_value;
    "fmod" by_value;
    "fprintf" by_value;
    "fputs" by_value;
    "fread" by_value;
    "free" by_value;
    "front" member by_value;
    "fwrite" by_value;
    "generate" calls_at_once;
    "generate_n" calls_at_once;
    "get" member throws unnamed;
    "hypot" by_value;
    "includes" calls_at_once;
    "inclusive_scan" calls_at_once;
    "inner_product" calls_at_once;
    "inplace_merge" calls_at_once;
    "insert" member by_value;
    "is_heap" calls_at_once;
    "is_partitioned" calls_at_once;
    "is_sorted" calls_at_once;
    "is_sorted_until" calls_at_once;
    "isfinite" by_value_in_std;
    "isinf" by_value;
    "isnan" by_value;
    "join" member;
    "ldexp" by_value;
    "length" member;
    "lexicographical_compare" calls_at_once;
    "load" member;
    "log" by_value;
    "log10" by_value;
    "log2" by_value;
    "lower_bound" member by_value calls_at_once;
    "lround" by_value;
    "make_heap" calls_at_once;
    "make_pair" by_value;
    "make_tuple" by_value_in_std;
    "malloc" by_value;
    "max" member by_value_in_std returns_argument;
    "max_element" calls_at_once;
    "memcmp" by_value;
    "memcpy" by_value;
    "memmove" by_value;
    "memset" by_value;
    "merge" member calls_at_once;
    "min" member by_value_in_std returns_argument;
    "min_element" calls_at_once;
    "minmax_element" calls_at_once;
    "mismatch" calls_at_once;
    "next_permutation" calls_at_once;
    "none_of" calls_at_once;
    "nth_element" calls_at_once;
    "partial_sort" calls_at_once;
    "partial_sort_copy" calls_at_once;
    "partial_sum" calls_at_once;
    "partition" calls_at_once;
    "partition_copy" calls_at_once;
    "partition_point" calls_at_once;
    "pop" member;
    "pop_back" member;
    "pop_front" member;
    "pow" by_value;
    "precision" by_value;
    "prev_permutation" calls_at_once;
    "printf" by_value;
    "push" member by_value;
    "push_back" member by_value;
    "push_front" member;
    "putchar" by_value;
    "puts" by_value;
    "rbegin" member;
    "realloc" by_value;
    "release" member;
    "remove" member;
    "remove_if" calls_at_once;
    "rend" member;
    "replace_if" calls_at_once;
    "reserve" member by_value throws;
    "reset" member;
    "resize" member by_value throws;
    "rethrow_exception" throws;
    "rint" by_value;
    "round" by_value;
    "set_difference" calls_at_once;
    "set_intersection" calls_at_once;
    "set_union" calls_at_once;
    "setprecision" by_value;
    "setw" by_value;
    "signbit" by_value_in_std;
    "sin" by_value;
    "sinh" by_value;
    "size" member by_value;
    "snprintf" by_value;
    "sort" member calls_at_once;
    "sort_heap" calls_at_once;
    "splice" member;
    "sprintf" by_value;
    "sqrt" by_value;
    "stable_partition" calls_at_once;
    "stable_sort" calls_at_once;
    "stod" throws;
    "stof" throws;
    "stoi" throws;
    "stol" throws;
    "stold" throws;
    "stoll" throws;
    "store" member by_value;
    "stoul" throws;
    "stoull" throws;
    "str" member;
    "strcmp" by_value;
    "strcpy" by_value;
    "strlen" by_value;
    "strncmp" by_value;
    "strncpy" by_value;
    "strstr" by_value;
    "strtod" by_value_in_std;
    "strtol" by_value;
    "strtoul" by_value_in_std;
    "substr" member by_value throws;
    "swap" member unnamed;
    "tan" by_value;
    "tanh" by_value;
    "to_string" by_value;
    "top" member;
    "toupper" by_value;
    "transform" calls_at_once;
    "transform_reduce" calls_at_once;
    "trunc" by_value_in_std;
    "unique" calls_at_once;
    "unique_copy" calls_at_once;
    "upper_bound" member by_value calls_at_once;
    "value" member throws;
    "what" member unnamed;
    "write" by_value;
};

fn known(name: &str) -> Option<&'static Name> {
    let at = NAMES.binary_search_by_key(&name, |known| known.name).ok()?;
    Some(&NAMES[at])
}

/// Whether classes of the library have a member of this name; some class of the program may have one, too.
pub fn is_member(name: &str) -> bool {
    known(name).is_some_and(|known| known.member)
}

/// Whether a call of a function of this name changes none of its arguments that is a plain variable and keeps no reference to it,
/// if no declaration says more.
pub fn takes_values(name: &str) -> bool {
    known(name).is_some_and(|known| known.by_value == ByValue::Anywhere)
}

/// The same of a function that is named with `std::`.
pub fn takes_values_in_std(name: &str) -> bool {
    known(name).is_some_and(|known| known.by_value >= ByValue::InStd)
}

/// Whether a function of this name, which is no member and of which no declaration says more, is done with what it is given to call
/// when it returns. Who else is given a function or an object that can be called may keep it, and whoever gets that may call it at any time.
pub fn calls_at_once(name: &str) -> bool {
    known(name).is_some_and(|known| known.calls_at_once)
}

/// Whether a function of this name throws on values that programs meet.
pub fn may_throw(name: &str) -> bool {
    known(name).is_some_and(|known| known.throws)
}

/// Whether a function of this name may return a reference to one of its arguments.
pub fn returns_argument(name: &str) -> bool {
    known(name).is_some_and(|known| known.returns_argument)
}

/// Whether a member of this name gives an iterator at the first element of a container.
pub fn gives_first(name: &str) -> bool {
    known(name).is_some_and(|known| known.gives_first)
}

/// Whether a function of this name is called by `for (auto x : range)`, which names it nowhere.
pub fn is_called_by_range_loops(name: &str) -> bool {
    known(name).is_some_and(|known| known.in_range_loops)
}

/// Whether the language or the library may call a function of this name where the source does not name it.
pub fn may_be_called_unnamed(name: &str) -> bool {
    known(name).is_some_and(|known| known.in_range_loops || known.unnamed)
}

/// Whether objects of a type of the library, as a source writes it, may keep a reference to what they are made of.
pub fn keeps_references(ty: &[u8]) -> bool {
    const KEEPS: [&[u8]; 6] = [
        b"&",
        b"reference_wrapper",
        b"thread",
        b"function",
        b"future",
        b"packaged_task",
    ];
    let has = |word: &&[u8]| ty.windows(word.len()).any(|part| part == *word);
    KEEPS.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_row() {
        for pair in NAMES.windows(2) {
            assert!(pair[0].name < pair[1].name, "{}", pair[1].name);
        }
        assert!(
            NAMES
                .iter()
                .all(|row| known(row.name).is_some_and(|found| found.name == row.name))
        );
    }

    #[test]
    fn rows_agree_with_themselves_and_with_the_tables_of_functions() {
        for row in NAMES {
            let name = row.name;
            assert!(
                !row.gives_first || row.member,
                "{name}: an iterator is a container's"
            );
            // An argument that is returned as a reference is taken by one: only `std::` says whose function it is.
            assert!(
                !row.returns_argument || row.by_value != ByValue::Anywhere,
                "{name}"
            );
            let returns = crate::function(name).is_none_or(|row| row.exit != crate::Exit::Never);
            assert!(returns || !row.throws, "{name} throws or never returns");
        }
    }

    #[test]
    fn names_are_found_where_the_source_may_write_them_so() {
        assert!(takes_values("push_back") && takes_values_in_std("push_back"));
        assert!(!takes_values("max") && takes_values_in_std("max"));
        assert!(!takes_values_in_std("swap"));
        assert!(gives_first("cbegin") && !gives_first("cend"));
    }

    #[test]
    fn algorithms_keep_nothing_of_what_they_call() {
        assert!(calls_at_once("sort") && calls_at_once("transform"));
        assert!(!calls_at_once("bind") && !calls_at_once("for_each") && !calls_at_once("thread"));
    }

    #[test]
    fn what_is_called_without_its_name() {
        assert!(is_called_by_range_loops("begin") && !is_called_by_range_loops("cbegin"));
        assert!(may_be_called_unnamed("end") && may_be_called_unnamed("what"));
        assert!(!is_called_by_range_loops("what"));
    }

    #[test]
    fn types_that_keep_references() {
        assert!(keeps_references(b"std::function<int(int)>") && keeps_references(b"std::tuple<int &>"));
        assert!(!keeps_references(b"std::vector<int>"));
    }
}
