//! Slices, held against runs: what a slice leaves of a program must observe the same, and what a run rested on must be in
//! the slice.
//!
//! `cargo xtask slice-fuzz` does the same at length.

use std::collections::BTreeSet;
use std::path::PathBuf;
use tests::second::{Plugin, made_plugin};
use tests::slices::dynamic::{ProgramKind, campaign};
use tests::slices::judge::{self, Effort};
use tests::slices::neutralise::{Language, Mode, neutralise};
use tests::slices::{fortran, fortran_judge, matrix, objects, slicing, suite};
use tests::stopped::has_tools;

fn scratch(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("slices-{name}"));
    std::fs::create_dir_all(&directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    directory
}

/// What is left of a program whose lines marked `// in` are kept.
fn left(text: &str, mode: Mode) -> String {
    let kept: BTreeSet<u32> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| line.contains("// in"))
        .map(|(line, _)| line)
        .collect();
    let left = neutralise(text, Language::C, &kept, mode).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(left.lines().count(), text.lines().count(), "lines stay lines");
    let words = left
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    Vec::from_iter(words.flat_map(str::split_whitespace)).join(" ")
}

#[test]
fn what_is_not_in_a_slice_is_taken_out() {
    let text = "\
int f(int n) {
    int a = 1, b[] = {1, 2};
    int c = 3; // in
    a = 2;
    n++;
    while (n > 3) {
        if (a)
            break; // in
        goto out;
    }
    for (n = 0; n < 3; n++) {
        out:
        a++;
    }
    return c; // in
}
";
    assert_eq!(
        left(text, Mode::Delete),
        "int f(int n) { int a, b[2]; int c = 3; ; ; while (1) { if (1) break; ; } { out: ; } return c; }"
    );
    assert_eq!(
        left(text, Mode::Perturb(0)),
        "int f(int n) { int a = -5, b[2]; int c = 3; a = 113; n = 0; while (0) { if (0) break; ; } { out: ; } \
         return c; }"
    );
}

/// Everything that the tests promise of hand-written programs: none of their slices leaves out what decides a value, and
/// whoever leaves a line out is noticed.
/// At least so many of a hundred of these lines, and slices are at most so many hundredths of their programs.
fn judge_all(language: Language, least: usize, effort: Effort, (noticed, largest): (usize, usize)) {
    let mut programs = suite::programs();
    programs.retain(|program| {
        let mut files = program.files.iter();
        files.any(|file| Language::of(&file.name) == Language::Cxx) == (language == Language::Cxx)
    });
    assert!(programs.len() >= least, "{} programs", programs.len());
    let directory = scratch(&format!("{language:?}"));
    let report = judge::judge(&programs, &slicing::slices, effort, &directory);
    let report = report.unwrap_or_else(|e| panic!("{e}"));
    println!("{report}");
    let faults = Vec::from_iter(report.faults.iter().map(ToString::to_string));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let judge::Mutants { killed, survived, .. } = report.mutants;
    assert!(
        killed * 100 > (killed + survived) * noticed,
        "only {killed} of {} are noticed",
        killed + survived
    );
    assert!(
        report.slice_lines * 100 < report.code_lines * largest,
        "slices are no smaller than programs"
    );
}

fn effort(mutants: usize) -> Effort {
    Effort {
        mutants,
        modes: &judge::MODES,
    }
}

#[test]
fn slices_of_hand_written_programs_observe_what_the_programs_observe() {
    judge_all(Language::C, 150, effort(15), (50, 70));
}

/// The same of C++, where constructors, destructors and operators are called implicitly.
#[test]
fn slices_of_programs_of_cplusplus_observe_what_the_programs_observe() {
    judge_all(Language::Cxx, 30, effort(20), (25, 80));
}

/// A share of every way to name an object, to change it and to read it; `slice-fuzz --matrix` judges all of them.
#[test]
fn objects_are_followed_by_whatever_name_they_are_changed() {
    let programs = matrix::programs(5, 40);
    assert!(programs.len() >= 80, "{} programs", programs.len());
    judge_made("matrix", &programs);
}

/// The same of Fortran, as gcc's plugin has read it; `slice-fuzz --fortran` judges all of them.
#[test]
fn slices_of_programs_of_fortran_observe_what_these_observe() {
    const GFORTRAN: &str = "gfortran-12";
    if !has_tools(&[GFORTRAN, "gcc-12"]) {
        return;
    }
    let scratch = scratch("fortran");
    let Some(plugin) = made_plugin("gcc-12") else {
        return;
    };
    let plugin = Plugin {
        gcc: GFORTRAN,
        plugin: &plugin,
        flags: &[],
    };
    let report = fortran_judge::judge(&fortran::programs(11, 30), &plugin, 3, &scratch);
    let report = report.unwrap_or_else(|e| panic!("{e}"));
    println!("{report}");
    assert!(report.faults.is_empty(), "{}", report.faults.join("\n"));
    assert!(report.programs >= 40, "{report}");
    assert!(
        report.killed * 100 > (report.killed + report.survived) * 60,
        "{report}"
    );
    assert!(report.slice_lines * 100 < report.program_lines * 50, "{report}");
}

/// A few random programs; `slice-fuzz --objects 0..300` judges more.
#[test]
fn slices_of_random_programs_of_cplusplus_observe_what_these_observe() {
    judge_made("objects", &Vec::from_iter((0..12).map(objects::program)));
}

fn judge_made(directory: &str, programs: &[suite::Program]) {
    let effort = Effort {
        mutants: 0,
        modes: &[Mode::Delete],
    };
    let report = judge::judge(programs, &slicing::slices, effort, &scratch(directory));
    let report = report.unwrap_or_else(|e| panic!("{e}"));
    println!("{report}");
    let faults = Vec::from_iter(report.faults.iter().map(ToString::to_string));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(
        report.slice_lines * 100 < report.code_lines * 70,
        "slices are no smaller than programs"
    );
}

fn check(kind: ProgramKind, seeds: std::ops::Range<u64>) {
    let found = campaign(kind, seeds).unwrap_or_else(|e| panic!("{e}"));
    println!("{kind:?}\n{found}");
    let faults = Vec::from_iter(found.faults.iter().map(|(_, fault)| fault.as_str()));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(found.visits >= 300, "{} visits", found.visits);
    assert!(found.noticed * 10 > found.mutants, "the bound notices nothing");
}

#[test]
fn what_data_rests_on_is_in_the_slice() {
    check(ProgramKind::Data, 0..60);
}

#[test]
fn what_control_flow_rests_on_is_in_the_slice() {
    check(ProgramKind::Control, 0..40);
    // Two jumps back to one label, of which the inner decides nothing that stands behind it.
    let found = campaign(ProgramKind::Control, 61149..61150).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.visits > 0 && found.faults.is_empty(), "{found}");
}

#[test]
fn what_plain_programs_rest_on_is_in_the_slice() {
    check(ProgramKind::Plain, 0..30);
}
