//! Code outside of `main` and stacks that do not begin with it: constructors, what runs at exit, fibers. Each function there runs more than once, so that two
//! tasks in one of them have no order by their lines.
//!
//! `outside.cc` counts its calls of `stand` and stays in one of them: the numbers tell which of two processes is behind.

use base::Language;
use tests::stands::{Program, Said, Source};
use tests::stopped::has_tools;

/// The calls of `stand`, by where they are.
const CONSTRUCTORS: std::ops::Range<u32> = 1..5;
const IN_MAIN: [u32; 4] = [5, 8, 9, 12];
const IN_FIBERS: [u32; 4] = [6, 7, 10, 11];
const AT_EXIT: std::ops::Range<u32> = 13..21;

/// Whether the order of two calls must be found: who is in another part of the program's run, or in another place of `main`.
fn is_known(a: u32, b: u32) -> bool {
    let part = |call: u32| {
        let parts = [
            CONSTRUCTORS.contains(&call),
            IN_MAIN.contains(&call),
            AT_EXIT.contains(&call),
        ];
        parts.iter().position(|&is_in| is_in)
    };
    match (part(a), part(b)) {
        (Some(a), Some(b)) if a == b => a == 1,
        (Some(_), Some(_)) => true,
        (None, _) | (_, None) => false,
    }
}

fn build(compiler: &str, level: &str) {
    if !has_tools(&[compiler]) {
        return;
    }
    let source = Source {
        name: "outside.cc".to_owned(),
        seed: 0,
        language: Language::Cxx,
        text: include_str!("outside_main/outside.cc").to_owned(),
    };
    let program = Program::build(&source, compiler, level);
    let calls = CONSTRUCTORS.chain(IN_MAIN).chain(IN_FIBERS).chain(AT_EXIT);
    for answer in program.order(&Vec::from_iter(calls)) {
        let (a, b) = answer.calls;
        let what = format!("{compiler} {level}: calls {a} and {b}: {}", answer.text);
        match answer.said {
            Said::Before => assert!(a < b, "{what}"),
            Said::After => assert!(a > b, "{what}"),
            Said::Equal => panic!("{what}"),
            Said::Incomparable | Said::Nothing => assert!(!is_known(a, b), "{what}"),
        }
    }
}

#[test]
fn what_gcc_makes_of_them() {
    build("g++", "-O0");
    build("g++", "-O2");
}

#[test]
fn what_clang_makes_of_them() {
    build("clang++", "-O0");
    build("clang++", "-O2");
}
