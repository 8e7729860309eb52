//! Random programs of C++, compiled by g++ and clang++, whose processes tell their order themselves: nothing that is said of it may be wrong.
//!
//! Any number of further seeds: `order-cxx --seeds A..B`.

use tests::stands::{Figures, PRELUDE, Program, Said, check};
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

/// A call in a default argument has the position of the call that takes it: a written call of the same function on that line is another one.
#[test]
fn what_no_call_site_writes_is_no_written_call() {
    if !has_tools(&["g++", "clang++"]) {
        return;
    }
    let source = format!(
        "#define STANDS_IN_MPI 1\n{PRELUDE}{}",
        include_str!("order_cxx/defaults.cc")
    );
    for (compiler, level) in [
        ("g++", "-O0"),
        ("g++", "-O2"),
        ("clang++", "-O0"),
        ("clang++", "-O2"),
    ] {
        let program = Program::build(&source, compiler, level);
        let answers = program.order_some(0, 40).unwrap();
        let before = answers
            .iter()
            .filter(|answer| answer.said == Said::Before)
            .count();
        for answer in &answers {
            let (a, b) = answer.calls;
            let is_right = matches!(answer.said, Said::Before | Said::Nothing);
            assert!(
                is_right,
                "{compiler} {level}: call {a} comes before call {b}, but: {}",
                answer.text
            );
        }
        assert!(
            3 * before > answers.len(),
            "{compiler} {level}: {before} of {}",
            answers.len()
        );
    }
}
