//! Programs of C and C++, random ones and some that were written to be hard, whose processes tell their order themselves: nothing that is said of it may
//! be wrong, whatever the compiler made of them.
//!
//! Any number of further seeds: `order-cxx --seeds A..B`; programs of one's own: `order-cxx --file PROGRAM`.

use tests::second::made_plugin;
use tests::stands::{Figures, Program, STOPS, Said, Source, check, generate};
use tests::stopped::has_tools;

/// So many calls of a program that was written are looked at: there are as many such programs as random ones.
const FEW: usize = 12;

fn of_sources(sources: &[Source], stops: usize, compiler: &str, flags: &str) {
    if !has_tools(&[compiler]) {
        return;
    }
    let mut figures = Figures::default();
    for source in sources {
        check(source, stops, compiler, flags, &mut figures);
    }
    assert!(
        figures.wrong.is_empty(),
        "{figures}\n{}",
        figures.wrong.join("\n")
    );
    // Silence is no way to be right.
    assert!(figures.right > 40, "{compiler} {flags}: {figures}");
}

fn of_seeds(seeds: std::ops::Range<u64>, compiler: &str, flags: &str) {
    of_sources(&Vec::from_iter(seeds.map(generate)), STOPS, compiler, flags);
}

macro_rules! written {
    ($($name:literal),*) => { [$(Source::written($name, include_str!(concat!("order_cxx/", $name)))),*] };
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

#[test]
fn nothing_is_wrong_in_programs_of_cxx_that_were_written() {
    let hard = written![
        "scopes.cc",
        "constructors.cc",
        "evaluation.cc",
        "jumps.cc",
        "tries.cc"
    ];
    of_sources(&hard, FEW, "g++", "-O2");
    of_sources(&[hard[0].joined(), hard[2].joined()], FEW, "clang++", "-O1");
    let hard = written!["calls.cc", "members.cc", "modern.cc"];
    of_sources(&hard, FEW, "clang++", "-O2");
    of_sources(&[hard[0].joined(), hard[1].joined()], FEW, "g++", "-O0");
}

#[test]
fn nothing_is_wrong_in_programs_of_c_that_were_written() {
    let [loops, gnu] = written!["loops.c", "gnu.c"];
    of_sources(&[loops.joined(), gnu], FEW, "gcc", "-O2");
    of_sources(&[loops], FEW, "gcc", "-O3");
}

#[test]
fn nothing_is_wrong_where_a_wrapper_is_inlined() {
    let [source] = written!["wrapped.c"];
    for level in ["-Os", "-O2", "-O0"] {
        let mut figures = Figures::default();
        check(&source, FEW, "gcc", level, &mut figures);
        assert!(
            figures.wrong.is_empty(),
            "{figures}\n{}",
            figures.wrong.join("\n")
        );
        assert!(figures.right > 8, "{level}: {figures}");
    }
}

/// What the compiler itself has understood.
#[test]
fn nothing_is_wrong_by_the_maps_of_the_plugin() {
    const GCC: &str = "gcc-12";
    if !has_tools(&[GCC, "g++-12"]) {
        return;
    }
    let Some(plugin) = made_plugin(GCC) else {
        return;
    };
    let with = |level: &str| format!("{level} -fplugin={}", plugin.display());
    of_seeds(30..33, "g++-12", &with("-O2"));
    of_seeds(32..33, "g++-12", &with("-O0"));
    let hard = written![
        "scopes.cc",
        "constructors.cc",
        "evaluation.cc",
        "jumps.cc",
        "tries.cc",
        "calls.cc",
        "members.cc",
        "modern.cc"
    ];
    of_sources(&hard, FEW, "g++-12", &with("-O1"));
    let [loops] = written!["loops.c"];
    of_sources(&[loops], FEW, GCC, &with("-O2"));
}

/// `#line` gives lines numbers that others have, three of them further up: whoever takes them for what they say believes a task to be in another statement.
#[test]
fn nothing_is_wrong_where_lines_have_other_numbers() {
    let [mut source] = written!["renumbered.c"];
    let numbered = source.text.lines().enumerate().map(|(above, line)| match line {
        "#line -3" => format!("#line {}\n", above + 2 - 3),
        _ => format!("{line}\n"),
    });
    source.text = numbered.collect();
    for flags in ["-O0", "-O2"] {
        let mut figures = Figures::default();
        check(&source, STOPS, "gcc", flags, &mut figures);
        assert!(
            figures.wrong.is_empty(),
            "{figures}\n{}",
            figures.wrong.join("\n")
        );
        assert!(figures.right + figures.unknown.len() > 100, "{flags}: {figures}");
    }
}

/// A call in a default argument has the position of the call that takes it: a written call of the same function on that line is another one.
#[test]
fn what_no_call_site_writes_is_no_written_call() {
    if !has_tools(&["g++", "clang++"]) {
        return;
    }
    let [source] = written!["defaults.cc"];
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
