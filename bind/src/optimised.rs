//! Whether a function was compiled such that code may have moved.
//!
//! gcc writes its options into the debug info. LLVM does not, but marks the functions of optimised code as having all
//! their calls described, which unoptimised ones never are. Of other compilers nothing is known: theirs count as
//! optimised.

use crate::debug::{Debug, Entry, UnitId};
use crate::sources::producer;

/// Whether the function of `entry` may have lost tail calls, or have computations moved past calls.
pub(crate) fn optimised(debug: &Debug<'_>, unit: UnitId, entry: &Entry<'_>) -> bool {
    let producer = producer(debug, unit);
    if producer.starts_with("GNU ") {
        return by_options(&producer);
    }
    let marks = [gimli::DW_AT_call_all_calls, gimli::DW_AT_GNU_all_call_sites];
    !is_llvm(&producer) || marks.iter().any(|&mark| entry.has_attr(mark))
}

/// Whether gcc made a unit, or there is nothing in it that a compiler has made.
pub(crate) fn gcc(debug: &Debug<'_>, unit: UnitId) -> bool {
    let producer = producer(debug, unit);
    producer.is_empty() || producer.starts_with("GNU ")
}

/// Whether LLVM made a unit: then code that begins no statement is in the order of the source, unless some function is
/// marked. gcc has hardly any such code when it does not optimise.
pub(crate) fn llvm(debug: &Debug<'_>, unit: UnitId) -> bool {
    is_llvm(&producer(debug, unit))
}

/// Whether gcc made a unit at a level at which not even code that begins a statement is in the order of the source: at
/// `-O3` it copies and joins loops, and the start of one was seen to be executed behind the end of another; at `-Os` it makes one
/// instruction of two stores of a variable (`i = 0` in front of a loop, and its `i++`), with the line of the first.
pub(crate) fn rearranged(debug: &Debug<'_>, unit: UnitId) -> bool {
    let producer = producer(debug, unit);
    producer.starts_with("GNU ") && is_rearranged(&producer)
}

/// Whether gcc made a unit at -O2, or without optimisation.
pub(crate) fn at_two(debug: &Debug<'_>, unit: UnitId) -> bool {
    let producer = producer(debug, unit);
    matches!(level(&producer), None | Some("-O0" | "-O2"))
}

fn is_rearranged(producer: &str) -> bool {
    level(producer).is_some_and(|last| !matches!(last, "-O" | "-O0" | "-O1" | "-O2" | "-Og"))
}

/// The level of optimisation: of several options the last one counts.
fn level(producer: &str) -> Option<&str> {
    let mut options = producer.split_whitespace().rev();
    options.find(|option| option.starts_with("-O"))
}

fn is_llvm(producer: &str) -> bool {
    ["clang", "LLVM", "flang", "AOCC"]
        .iter()
        .any(|name| producer.contains(name))
}

/// gcc's options decide: the last level counts, and at `-Og` nothing moves past a call.
fn by_options(producer: &str) -> bool {
    let mut optimised = false;
    let mut tail_calls = false;
    for option in producer.split_whitespace() {
        match option {
            "-O0" | "-Og" => optimised = false,
            "-foptimize-sibling-calls" => tail_calls = true,
            _ if option.starts_with("-O") => optimised = true,
            _ => {}
        }
    }
    optimised || tail_calls
}

#[cfg(test)]
mod tests {
    use super::{by_options, is_rearranged};

    #[test]
    fn from_the_third_level_on_code_is_rearranged() {
        for (options, expected) in [
            ("-g -O3 -flto", true),
            ("-Ofast", true),
            ("-O3 -O2", false),
            ("-Os", true),
            ("-Og", false),
            ("-g", false),
        ] {
            let producer = format!("GNU C17 12.2.0 -mtune=generic {options}");
            assert_eq!(is_rearranged(&producer), expected, "{options}");
        }
    }

    #[test]
    fn the_last_level_counts() {
        let check = |options: &str, expected| {
            let producer = format!("GNU C17 12.2.0 -mtune=generic {options} -fasynchronous-unwind-tables");
            assert_eq!(by_options(&producer), expected, "{options}");
        };
        check("-g", false);
        check("-g -Og", false);
        check("-O0", false);
        check("-O", true);
        check("-O2 -g", true);
        check("-O3 -O0", false);
        check("-O0 -Ofast", true);
        check("-Og -foptimize-sibling-calls", true);
    }
}
