//! Counters in objects that a loop hands on, and that its callees step: what is read of them is held against the program.
//!
//! `handed.cc` stops itself at a chosen visit of `MPI_Visit`, of which each iteration has three: before the step, after it, and in a callee that
//! was handed the object. So the visit tells the counter's value and the order of two tasks, without any map.

use rayon::prelude::*;
use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{Answer, Stopped, find, has_tools, hindmost, succeed};

/// One of the program's cases, with the builds (of eight) that do at least as well as the tests have seen.
struct Case {
    number: u32,
    /// In how many the counter is read at all moments.
    read: usize,
    /// In how many the earlier one is named, of any two moments.
    named: usize,
}

const fn case(number: u32, read: usize, named: usize) -> Case {
    Case { number, read, named }
}

const CASES: [Case; 10] = [
    case(0, 7, 7),
    case(1, 8, 7),
    case(2, 8, 8),
    case(3, 8, 8),
    case(4, 5, 5),
    case(5, 0, 0),
    case(6, 7, 0),
    case(7, 8, 8),
    case(8, 7, 7),
    case(9, 0, 0),
];

/// Nobody but the compiler knows the object.
const UNTOLD: u32 = 5;

const LEVELS: [&str; 4] = ["-O1", "-O2", "-O3", "-Os"];

/// Which visits the moments are: each of the three of one iteration, and the one before and after them.
const VISITS: [u32; 5] = [15, 16, 17, 18, 19];

/// What the counter is while a visit lasts.
fn value(visit: u32) -> i64 {
    let (iteration, place) = ((visit - 1) / 3, (visit - 1) % 3);
    i64::from(iteration) + i64::from(place > 0)
}

/// The counter's value in each process of which an answer has one.
fn values(answer: &Answer) -> Vec<(u32, i64)> {
    let mut values = Vec::new();
    for class in answer.json["classes"].as_array().unwrap() {
        let read = class["frames"].as_array().unwrap().iter();
        let mut read = read.filter_map(|frame| frame["values"]["s->i"].as_i64());
        if let Some(value) = read.next() {
            let pids = class["state"]["pids"].as_array().unwrap().iter();
            values.extend(pids.map(|pid| (u32::try_from(pid.as_u64().unwrap()).unwrap(), value)));
        }
    }
    values
}

/// The cases whose counter was read at all moments, and those in which the earlier task was always named.
fn check(compiler: &str, level: &str) -> (Vec<u32>, Vec<u32>) {
    let (mut read_always, mut named_always) = (Vec::new(), Vec::new());
    let dir = Directory::of_seed(None, 0).unwrap();
    for (name, text) in [
        ("sim.h", include_str!("handed/sim.h")),
        ("handed.cc", include_str!("handed/handed.cc")),
        ("comm.cc", include_str!("handed/comm.cc")),
        ("outside.c", include_str!("handed/outside.c")),
    ] {
        std::fs::write(dir.path.join(name), text).unwrap();
    }
    let of_c = if compiler == "g++" { "gcc" } else { "clang" };
    succeed(
        Command::new(of_c)
            .args(["-c", "outside.c"])
            .current_dir(&dir.path),
    );
    let build = [
        "-std=c++17",
        "-g",
        "-Wall",
        "-Werror",
        level,
        "handed.cc",
        "comm.cc",
        "outside.o",
        "-o",
        "handed",
    ];
    succeed(Command::new(compiler).args(build).current_dir(&dir.path));
    let (program, map) = (dir.path.join("handed"), dir.path.join("handed.hmap"));
    let bind = ["map", "-q", "--exe", "handed", "-o", "handed.hmap", "--no-cache"];
    succeed(Command::new(hindmost()).args(bind).current_dir(&dir.path));
    for case in CASES {
        let number = case.number;
        let stopped = VISITS.map(|visit| (visit, Stopped::new(&program, &[number, 0, visit])));
        let visit_of = |pid: u32| {
            let found = stopped.iter().find(|(_, task)| task.id() == pid);
            found.unwrap().0
        };
        let (mut unread, mut unnamed) = (0, 0);
        for (first, (visit_a, a)) in stopped.iter().enumerate() {
            for (visit_b, b) in &stopped[first + 1..] {
                let what = format!("{compiler} {level}, case {number}: {visit_a} and {visit_b}");
                let answer = find(&dir.path, &map, (a, b));
                let values = values(&answer);
                unread += usize::from(values.len() < 2);
                unnamed += usize::from(answer.named.is_none());
                // The visits are in order.
                assert!(
                    answer.named.is_none_or(|named| named == a.id()),
                    "{what}: the later one is named"
                );
                assert!(number != UNTOLD || values.is_empty(), "{what}: it is read");
                for (pid, read) in values {
                    let visit = visit_of(pid);
                    assert_eq!(read, value(visit), "{what}: the value at {visit}");
                }
            }
        }
        if unread == 0 {
            read_always.push(number);
        }
        if unnamed == 0 {
            named_always.push(number);
        }
    }
    (read_always, named_always)
}

#[test]
fn what_callees_know_of_an_object_is_what_the_program_has() {
    let (mut read, mut named) = (Vec::new(), Vec::new());
    let compilers = ["g++", "clang++"]
        .into_iter()
        .filter(|compiler| has_tools(&[compiler]));
    let builds = Vec::from_iter(compilers.flat_map(|compiler| LEVELS.map(|level| (compiler, level))));
    let checked = builds
        .par_iter()
        .map(|&(compiler, level)| check(compiler, level))
        .collect::<Vec<_>>();
    for ((read_here, named_here), (compiler, level)) in checked.into_iter().zip(&builds) {
        eprintln!("{compiler} {level}: read {read_here:?}, named {named_here:?}");
        read.extend(read_here);
        named.extend(named_here);
    }
    for case in CASES {
        let count = |of: &[u32]| of.iter().filter(|&&number| number == case.number).count();
        let missing = 2 * LEVELS.len() - builds.len();
        for (found, wanted, what) in [
            (count(&read), case.read, "read"),
            (count(&named), case.named, "named"),
        ] {
            assert!(
                found + missing >= wanted,
                "case {}: {what} in {found} builds",
                case.number
            );
        }
    }
}
