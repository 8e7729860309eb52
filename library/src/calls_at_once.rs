//! Which functions of the standard library call what they are given, and are done with it when they return.
//!
//! Who else is given a function or an object that can be called may keep it, and whoever gets that may call it at any time.

/// Algorithms, none of which keeps or returns what it calls. (`for_each` returns it.)
const ALGORITHMS: [&str; 57] = [
    "accumulate",
    "adjacent_difference",
    "adjacent_find",
    "all_of",
    "any_of",
    "binary_search",
    "copy_if",
    "count_if",
    "equal",
    "equal_range",
    "exclusive_scan",
    "find_end",
    "find_first_of",
    "find_if",
    "find_if_not",
    "generate",
    "generate_n",
    "includes",
    "inclusive_scan",
    "inner_product",
    "inplace_merge",
    "is_heap",
    "is_partitioned",
    "is_sorted",
    "is_sorted_until",
    "lexicographical_compare",
    "lower_bound",
    "make_heap",
    "max_element",
    "merge",
    "min_element",
    "minmax_element",
    "mismatch",
    "next_permutation",
    "none_of",
    "nth_element",
    "partial_sort",
    "partial_sort_copy",
    "partial_sum",
    "partition",
    "partition_copy",
    "partition_point",
    "prev_permutation",
    "remove_if",
    "replace_if",
    "set_difference",
    "set_intersection",
    "set_union",
    "sort",
    "sort_heap",
    "stable_partition",
    "stable_sort",
    "transform",
    "transform_reduce",
    "unique",
    "unique_copy",
    "upper_bound",
];

/// Whether a function of this name, which is no member and of which no declaration says more, keeps and returns nothing of what it
/// calls.
pub fn calls_at_once(name: &str) -> bool {
    ALGORITHMS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_keep_nothing_of_what_they_call() {
        assert!(ALGORITHMS.is_sorted());
        assert!(calls_at_once("sort") && calls_at_once("transform"));
        // These keep it, or return it.
        assert!(!calls_at_once("bind") && !calls_at_once("for_each") && !calls_at_once("thread"));
    }
}
