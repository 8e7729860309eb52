//! Programs whose compiler has left room for calls, against what they wrote down themselves; and registers, which stay what they were.

use crate::generate::{Leaving, program};
use crate::run::{Place, command, compile, logs, traced};
use crate::{THREADS, compare};

/// What gcc is told.
const GCC: [&str; 7] = [
    "-no-pie",
    "-fno-pie",
    "-pg",
    "-mfentry",
    "-mnop-mcount",
    "-mrecord-mcount",
    "-minstrument-return=nop5",
];
const GCC_RETURNS: &str = "-mrecord-return";
/// What clang is told.
const CLANG: [&str; 2] = ["-fxray-instrument", "-fxray-instruction-threshold=1"];

fn check(seed: u64, leaving: Leaving, compiler: &str, options: &[&str]) -> usize {
    let place = Place::new();
    let text = program(seed, leaving);
    let Some(file) = compile(&place, compiler, options, &text) else {
        return 0;
    };
    let output = command(&place, &file).output().unwrap();
    let what = format!("seed {seed} of {compiler} {options:?}");
    assert!(output.status.success(), "{what}: {output:?}");
    assert!(output.stderr.is_empty(), "{what}: {output:?}");
    let (processes, logs) = (traced(&place), logs(&place));
    let threads = &processes.values().next().expect("it is traced").threads;
    for (tid, log) in &logs {
        compare(&what, &threads[tid], log);
        assert_eq!((threads[tid].about.lost, threads[tid].about.ignored), (0, 0));
    }
    logs.values().map(Vec::len).sum()
}

#[test]
fn places_that_compilers_have_left() {
    let mut compared = 0;
    for seed in 0..2 {
        for optimised in [
            &["-O2", THREADS][..],
            &["-O3", "-fno-inline", "-fcf-protection", THREADS],
        ] {
            let gcc = [&GCC[..], &[GCC_RETURNS], optimised].concat();
            compared += check(seed, Leaving::Jumps, "gcc", &gcc);
            compared += check(seed, Leaving::Exceptions, "g++", &gcc);
        }
        // Of what is inlined nothing is told.
        let clang = [
            &CLANG[..],
            &[
                "-O2",
                "-fno-inline",
                "-DUNSEEN=__attribute__((xray_never_instrument))",
                THREADS,
            ],
        ]
        .concat();
        compared += check(seed, Leaving::Jumps, "clang", &clang);
    }
    assert!(compared > 100_000, "{compared} events show little");
}

#[test]
fn registers_are_what_they_were() {
    let place = Place::new();
    let text = include_str!("registers.c");
    let gcc = [&GCC[..], &[GCC_RETURNS, "-O1"]].concat();
    let clang = [&CLANG[..], &["-O1"]].concat();
    for (compiler, options) in [("gcc", gcc), ("clang", clang)] {
        let Some(file) = compile(&place, compiler, &options, text) else {
            continue;
        };
        // Nobody wants a trace: nothing is changed.
        let plain = std::process::Command::new(&file)
            .current_dir(place.path())
            .status()
            .unwrap();
        assert!(plain.success(), "{compiler}: {plain}");
        let output = command(&place, &file).output().unwrap();
        assert!(output.status.success(), "{compiler}: {output:?}");
        let processes = traced(&place);
        let thread = processes.values().next().unwrap().first();
        // main, all twice, and 20 functions within each, or main alone where there are no such registers.
        let events = thread.events.len();
        assert!(
            [2 * (1 + 2 + 40), 2].contains(&events),
            "{compiler}: {events} events"
        );
        std::fs::remove_dir_all(place.path().join("traces")).unwrap();
    }
}

#[test]
fn unused_parts_of_registers_stay_unused() {
    let place = Place::new();
    let hooks = vec!["-finstrument-functions", "-O1"];
    let places = [&GCC[..], &[GCC_RETURNS, "-O1"]].concat();
    for options in [hooks, places] {
        let file = compile(&place, "gcc", &options, include_str!("unused.c")).expect("there is gcc");
        let output = command(&place, &file).output().unwrap();
        assert!(output.status.success(), "{options:?}: {output:?}");
        assert!(!traced(&place).is_empty(), "{options:?}");
        std::fs::remove_dir_all(place.path().join("traces")).unwrap();
    }
}
