//! What becomes of the variables of small loops: one snippet for each rule and for each refusal.
//!
//! Each line of an expectation is a variable of a loop: the line of the loop, the name, and either what it tells of the
//! iteration, with the reason, or why it tells nothing. Fast enough to run while editing; what the loops really do is
//! held against the analysis by `tests`, which executes them (`cargo test -p tests --test order_loops`): a loop is tried there by a comment in it,
//! `/* mark: x, k */`, that names the variables which it changes (`tests/src/loops/sheet.rs`).
//!
//! `decisive`, `handed` and `shown` have calls, `moves` the steps, `wraps` the types, `changes` who else may change a variable, `across` other tasks. `UPDATE_EXPECT=1 cargo test -p lov`
//! writes the expectations: read what it wrote, then `cargo fmt`.

mod across;
mod changes;
mod decisive;
mod handed;
mod moves;
mod passed_constant;
mod pointer_call;
mod shown;
mod wraps;

use expect_test::Expect;
use frontend::{Macros, Source};
use progress_map::{Across, Assumption, Cut, Direction, Growth, Loop, Lov, LovClass, Map};
use std::fmt::Write as _;

/// Checks the variables of all loops of a file of C.
fn check(text: &str, expect: Expect) {
    check_as("t.c", text, expect);
}

/// Checks the variables of all loops of a file of C++.
fn check_cxx(text: &str, expect: Expect) {
    check_as("t.cc", text, expect);
}

/// The map of one file.
fn map_of(path: &str, text: &str) -> Map {
    let source = Source {
        path,
        text: text.as_bytes(),
    };
    let macros = Macros::gather([source]);
    crate::analyse(&[frontend::parse(&source, &macros)])
}

fn check_as(path: &str, text: &str, expect: Expect) {
    let map = map_of(path, text);
    let loops = map.functions.iter().flat_map(|function| function.loops.iter());
    expect.assert_eq(&loops.map(shown).collect::<String>());
}

fn shown(each: &Loop) -> String {
    let line = each.span.line;
    let mut text = String::new();
    for lov in &each.lovs {
        let _ = writeln!(text, "{line}: {} {}: {}", lov.name, kind(lov), lov.because());
    }
    for refused in &each.refused {
        let _ = writeln!(text, "{line}: {} refused: {}", refused.name, refused.why);
    }
    text
}

/// The kind of a variable in a few words: class, direction, growth where it is not additive, where the loop is cut, and what
/// values of two tasks say.
fn kind(lov: &Lov) -> String {
    let mut words = vec![
        match lov.class {
            LovClass::Strict => "strict",
            LovClass::Weak => "weak",
        },
        match lov.direction {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::SignOfStep => "by step",
        },
    ];
    words.extend(match lov.growth {
        Growth::Additive => None,
        Growth::Multiplicative => Some("multiplied"),
        Growth::Floating => Some("floating"),
    });
    words.push(match lov.cut {
        Cut::Header { .. } => "at header",
        Cut::Updates => "at updates",
    });
    words.push(match (lov.across, lov.assumption) {
        (Across::SameSequence, Assumption::Proven) => "same, proven",
        (Across::SameSequence, _) => "same, assumed",
        (Across::Relative, _) => "relative",
        (Across::Nothing, _) => "own",
    });
    words.join(" ")
}
