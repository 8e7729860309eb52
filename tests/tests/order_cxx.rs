//! Random programs of C++, compiled by g++ and clang++, whose processes tell their order themselves: nothing that is said of it may be wrong.
//!
//! Any number of further seeds: `order-cxx --seeds A..B`.

use tests::stands::{Figures, check};
use tests::stopped::has_tools;

fn of_seeds(seeds: std::ops::Range<u64>, compiler: &str, flags: &str) {
    if !has_tools(&[compiler]) {
        return;
    }
    let mut figures = Figures::default();
    for seed in seeds {
        check(seed, compiler, flags, &mut figures);
    }
    assert!(
        figures.wrong.is_empty(),
        "{figures}\n{}",
        figures.wrong.join("\n")
    );
    // Silence is no way to be right.
    assert!(figures.right > 40, "{compiler} {flags}: {figures}");
}

#[test]
fn nothing_is_wrong_in_code_of_gcc() {
    of_seeds(1..6, "g++", "-O2");
    of_seeds(6..9, "g++", "-Os");
}

#[test]
fn nothing_is_wrong_in_code_of_clang() {
    of_seeds(6..8, "clang++", "-O2");
    of_seeds(8..9, "clang++", "-O0");
}
