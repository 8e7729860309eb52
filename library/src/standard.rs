//! Names of the standard library of C++, and what a call by one of them does: one row a name.
//!
//! A source of C++ seldom shows which function a name means: it is called for an object whose class nobody knows, or the headers of the library
//! are not among the sources that are read, so that no declaration says what it takes by reference. So what holds of all functions of
//! the standard library with a name is said of the name. A program may have a function of that name, too: each question says whether that
//! matters. What is done to memory that a *pointer* leads to, the rows of the other tables say.

/// What holds of the functions of the library with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A class of the library has a member of this name; some class of the program may have one, too.
    Member,
    /// A call changes none of its arguments that is a plain variable and keeps no reference to it, if no declaration says more.
    ByValue,
    /// The same where it is named with `std::`: a program may have a `max` of its own that takes references.
    ByValueInStd,
    /// What is no member is done with what it is given to call when it returns, if no declaration says more. Who else is given a function
    /// or an object that can be called may keep it, as `bind` does, or return it, as `for_each` does.
    CallsAtOnce,
    /// A class of streams that are written to, or an object of one that every program has.
    Stream,
    /// It throws on values that programs meet.
    Throws,
    /// It may return a reference to one of its arguments.
    ReturnsArgument,
    /// It gives an iterator at the first element.
    GivesFirst,
    /// `for (auto x : range)` calls it, and names it nowhere.
    InRangeLoops,
    /// Containers of the library call a member function of this name for the allocator that they are given, always with arguments.
    OfAllocators,
    /// Objects of this template hold what its arguments say, and nothing else.
    HoldsArguments,
    /// The language or the library calls it elsewhere, where the source does not name it: `get` for the parts of a structured binding.
    Unnamed,
}

use Fact::{
    ByValue, ByValueInStd, CallsAtOnce, GivesFirst, HoldsArguments, InRangeLoops, Member, OfAllocators,
    ReturnsArgument, Stream, Throws, Unnamed,
};

/// By name.
static NAMES: &[(&str, &[Fact])] = &[
    ("abort", &[ByValue]),
    ("abs", &[ByValue]),
    ("accumulate", &[CallsAtOnce]),
    ("acos", &[ByValue]),
    ("adjacent_difference", &[CallsAtOnce]),
    ("adjacent_find", &[CallsAtOnce]),
    ("all_of", &[CallsAtOnce]),
    ("allocate", &[OfAllocators]),
    ("any_cast", &[Throws]),
    ("any_of", &[CallsAtOnce]),
    ("append", &[Member]),
    ("array", &[HoldsArguments]),
    ("asin", &[ByValue]),
    ("assert", &[ByValue]),
    ("assign", &[Member, ByValue]),
    ("at", &[Member, ByValue, Throws]),
    ("atan", &[ByValue]),
    ("atan2", &[ByValue]),
    ("atof", &[ByValue]),
    ("atoi", &[ByValue]),
    ("atomic", &[HoldsArguments]),
    ("back", &[Member, ByValue]),
    ("basic_fstream", &[Stream]),
    ("basic_iostream", &[Stream]),
    ("basic_ofstream", &[Stream]),
    ("basic_ostream", &[Stream]),
    ("basic_ostringstream", &[Stream]),
    ("basic_stringstream", &[Stream]),
    ("begin", &[Member, ByValue, GivesFirst, InRangeLoops]),
    ("binary_search", &[CallsAtOnce]),
    ("c_str", &[Member, ByValue]),
    ("cbegin", &[Member, GivesFirst]),
    ("ceil", &[ByValue]),
    ("cend", &[Member]),
    ("cerr", &[Stream]),
    ("clamp", &[ReturnsArgument]),
    ("clear", &[Member, ByValue]),
    ("clog", &[Stream]),
    ("compare", &[ByValue]),
    ("complex", &[HoldsArguments]),
    ("construct", &[OfAllocators]),
    ("copy_if", &[CallsAtOnce]),
    ("copysign", &[ByValue]),
    ("cos", &[ByValue]),
    ("cosh", &[ByValue]),
    ("count", &[Member, ByValue]),
    ("count_if", &[CallsAtOnce]),
    ("cout", &[Stream]),
    ("data", &[Member, ByValue]),
    ("deallocate", &[OfAllocators]),
    ("deque", &[HoldsArguments]),
    ("destroy", &[OfAllocators]),
    ("distance", &[ByValue]),
    ("emplace", &[Member]),
    ("emplace_back", &[Member]),
    ("emplace_front", &[Member]),
    ("empty", &[Member, ByValue]),
    ("end", &[Member, ByValue, InRangeLoops]),
    ("equal", &[CallsAtOnce]),
    ("equal_range", &[CallsAtOnce]),
    ("erase", &[Member, ByValue]),
    ("exclusive_scan", &[CallsAtOnce]),
    ("exit", &[ByValue]),
    ("exp", &[ByValue]),
    ("fabs", &[ByValue]),
    ("fflush", &[ByValue]),
    ("fill", &[ByValue]),
    ("find", &[Member, ByValue]),
    ("find_end", &[CallsAtOnce]),
    ("find_first_of", &[CallsAtOnce]),
    ("find_if", &[CallsAtOnce]),
    ("find_if_not", &[CallsAtOnce]),
    ("first", &[Member]),
    ("floor", &[ByValue]),
    ("fmod", &[ByValue]),
    ("forward_list", &[HoldsArguments]),
    ("fprintf", &[ByValue]),
    ("fputs", &[ByValue]),
    ("fread", &[ByValue]),
    ("free", &[ByValue]),
    ("front", &[Member, ByValue]),
    ("fstream", &[Stream]),
    ("fwrite", &[ByValue]),
    ("generate", &[CallsAtOnce]),
    ("generate_n", &[CallsAtOnce]),
    ("get", &[Member, Throws, Unnamed]),
    ("hypot", &[ByValue]),
    ("includes", &[CallsAtOnce]),
    ("inclusive_scan", &[CallsAtOnce]),
    ("inner_product", &[CallsAtOnce]),
    ("inplace_merge", &[CallsAtOnce]),
    ("insert", &[Member, ByValue]),
    ("iostream", &[Stream]),
    ("is_heap", &[CallsAtOnce]),
    ("is_partitioned", &[CallsAtOnce]),
    ("is_sorted", &[CallsAtOnce]),
    ("is_sorted_until", &[CallsAtOnce]),
    ("isfinite", &[ByValueInStd]),
    ("isinf", &[ByValue]),
    ("isnan", &[ByValue]),
    ("join", &[Member]),
    ("ldexp", &[ByValue]),
    ("length", &[Member]),
    ("lexicographical_compare", &[CallsAtOnce]),
    ("list", &[HoldsArguments]),
    ("load", &[Member]),
    ("log", &[ByValue]),
    ("log10", &[ByValue]),
    ("log2", &[ByValue]),
    ("lower_bound", &[Member, ByValue, CallsAtOnce]),
    ("lround", &[ByValue]),
    ("make_heap", &[CallsAtOnce]),
    ("make_pair", &[ByValue]),
    ("make_tuple", &[ByValueInStd]),
    ("malloc", &[ByValue]),
    ("map", &[HoldsArguments]),
    ("max", &[Member, ByValueInStd, ReturnsArgument]),
    ("max_element", &[CallsAtOnce]),
    ("memcmp", &[ByValue]),
    ("memcpy", &[ByValue]),
    ("memmove", &[ByValue]),
    ("memset", &[ByValue]),
    ("merge", &[Member, CallsAtOnce]),
    ("min", &[Member, ByValueInStd, ReturnsArgument]),
    ("min_element", &[CallsAtOnce]),
    ("minmax_element", &[CallsAtOnce]),
    ("mismatch", &[CallsAtOnce]),
    ("multimap", &[HoldsArguments]),
    ("multiset", &[HoldsArguments]),
    ("next_permutation", &[CallsAtOnce]),
    ("none_of", &[CallsAtOnce]),
    ("nth_element", &[CallsAtOnce]),
    ("ofstream", &[Stream]),
    ("ostream", &[Stream]),
    ("ostringstream", &[Stream]),
    ("pair", &[HoldsArguments]),
    ("partial_sort", &[CallsAtOnce]),
    ("partial_sort_copy", &[CallsAtOnce]),
    ("partial_sum", &[CallsAtOnce]),
    ("partition", &[CallsAtOnce]),
    ("partition_copy", &[CallsAtOnce]),
    ("partition_point", &[CallsAtOnce]),
    ("pop", &[Member]),
    ("pop_back", &[Member]),
    ("pop_front", &[Member]),
    ("pow", &[ByValue]),
    ("precision", &[ByValue]),
    ("prev_permutation", &[CallsAtOnce]),
    ("printf", &[ByValue]),
    ("priority_queue", &[HoldsArguments]),
    ("push", &[Member, ByValue]),
    ("push_back", &[Member, ByValue]),
    ("push_front", &[Member]),
    ("putchar", &[ByValue]),
    ("puts", &[ByValue]),
    ("queue", &[HoldsArguments]),
    ("rbegin", &[Member]),
    ("realloc", &[ByValue]),
    ("release", &[Member]),
    ("remove", &[Member]),
    ("remove_if", &[CallsAtOnce]),
    ("rend", &[Member]),
    ("replace_if", &[CallsAtOnce]),
    ("reserve", &[Member, ByValue, Throws]),
    ("reset", &[Member]),
    ("resize", &[Member, ByValue, Throws]),
    ("rethrow_exception", &[Throws]),
    ("rint", &[ByValue]),
    ("round", &[ByValue]),
    ("set", &[HoldsArguments]),
    ("set_difference", &[CallsAtOnce]),
    ("set_intersection", &[CallsAtOnce]),
    ("set_union", &[CallsAtOnce]),
    ("setprecision", &[ByValue]),
    ("setw", &[ByValue]),
    ("signbit", &[ByValueInStd]),
    ("sin", &[ByValue]),
    ("sinh", &[ByValue]),
    ("size", &[Member, ByValue]),
    ("snprintf", &[ByValue]),
    ("sort", &[Member, CallsAtOnce]),
    ("sort_heap", &[CallsAtOnce]),
    ("splice", &[Member]),
    ("sprintf", &[ByValue]),
    ("sqrt", &[ByValue]),
    ("stable_partition", &[CallsAtOnce]),
    ("stable_sort", &[CallsAtOnce]),
    ("stack", &[HoldsArguments]),
    ("stod", &[Throws]),
    ("stof", &[Throws]),
    ("stoi", &[Throws]),
    ("stol", &[Throws]),
    ("stold", &[Throws]),
    ("stoll", &[Throws]),
    ("store", &[Member, ByValue]),
    ("stoul", &[Throws]),
    ("stoull", &[Throws]),
    ("str", &[Member]),
    ("strcmp", &[ByValue]),
    ("strcpy", &[ByValue]),
    ("stringstream", &[Stream]),
    ("strlen", &[ByValue]),
    ("strncmp", &[ByValue]),
    ("strncpy", &[ByValue]),
    ("strstr", &[ByValue]),
    ("strtod", &[ByValueInStd]),
    ("strtol", &[ByValue]),
    ("strtoul", &[ByValueInStd]),
    ("substr", &[Member, ByValue, Throws]),
    ("swap", &[Member, Unnamed]),
    ("tan", &[ByValue]),
    ("tanh", &[ByValue]),
    ("to_string", &[ByValue]),
    ("top", &[Member]),
    ("toupper", &[ByValue]),
    ("transform", &[CallsAtOnce]),
    ("transform_reduce", &[CallsAtOnce]),
    ("trunc", &[ByValueInStd]),
    ("tuple", &[HoldsArguments]),
    ("unique", &[CallsAtOnce]),
    ("unique_copy", &[CallsAtOnce]),
    ("unordered_map", &[HoldsArguments]),
    ("unordered_multimap", &[HoldsArguments]),
    ("unordered_multiset", &[HoldsArguments]),
    ("unordered_set", &[HoldsArguments]),
    ("upper_bound", &[Member, ByValue, CallsAtOnce]),
    ("valarray", &[HoldsArguments]),
    ("value", &[Member, Throws]),
    ("vector", &[HoldsArguments]),
    ("wcerr", &[Stream]),
    ("wclog", &[Stream]),
    ("wcout", &[Stream]),
    ("wfstream", &[Stream]),
    ("what", &[Member, Unnamed]),
    ("wiostream", &[Stream]),
    ("wofstream", &[Stream]),
    ("wostream", &[Stream]),
    ("wostringstream", &[Stream]),
    ("write", &[ByValue]),
    ("wstringstream", &[Stream]),
];

/// Whether this is known of a name.
pub fn holds(name: &str, fact: Fact) -> bool {
    let name = name.strip_prefix(crate::STANDARD).unwrap_or(name);
    let at = NAMES.binary_search_by_key(&name, |&(known, _)| known);
    at.is_ok_and(|at| NAMES[at].1.contains(&fact))
}

/// Whether objects of the class with this name call, on a thread of their own, what they are made of.
pub fn is_thread(class: &str) -> bool {
    matches!(class, "thread" | "jthread")
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
    fn rows_agree_with_each_other_and_with_the_tables_of_functions() {
        for pair in NAMES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{}", pair[1].0);
        }
        for &(name, _) in NAMES {
            let holds = |fact| holds(name, fact);
            assert!(
                !holds(GivesFirst) || holds(Member),
                "{name}: an iterator is a container's"
            );
            assert!(
                !holds(ByValue) || !holds(ByValueInStd),
                "{name}: one says the other"
            );
            // An argument that is returned as a reference is taken by one: only `std::` says whose function it is.
            assert!(!holds(ReturnsArgument) || !holds(ByValue), "{name}");
            let returns = crate::function(name).is_none_or(|row| row.exit != crate::Exit::Never);
            assert!(returns || !holds(Throws), "{name} throws or never returns");
        }
    }

    #[test]
    fn names_are_found_by_what_holds_of_them() {
        assert!(holds("at", ByValue) && holds("upper_bound", CallsAtOnce) && holds("begin", InRangeLoops));
        assert!(!holds("swap", ByValue) && !holds("for_each", CallsAtOnce) && !holds("cbegin", InRangeLoops));
        assert!(keeps_references(b"std::function<int(int)>") && keeps_references(b"std::tuple<int &>"));
        assert!(!keeps_references(b"std::vector<int>"));
    }
}
