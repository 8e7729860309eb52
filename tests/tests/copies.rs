//! Calls that gcc copies and joins again, at levels at which it does: a task is put into no call that it is not in.
//!
//! `copies.c` stops itself at a chosen visit of `step`. Where that is in the source its flag and the visit tell, without any map.

use rayon::prelude::*;
use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{Stopped, find, has_tools, hindmost, succeed};

/// Where a task is: the iteration, and the call in it. Calls of different arms have different last numbers and nothing in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Truth {
    place: (u32, u32),
    arm: u32,
}

/// One of the program's cases.
struct Case {
    number: u32,
    /// Flag and visit of each moment.
    moments: &'static [(u32, u32)],
    truth: fn(u32, u32) -> Truth,
    /// How many of the ordered pairs must be decided.
    decided: usize,
}

const fn at(iteration: u32, call: u32) -> Truth {
    Truth {
        place: (iteration, call),
        arm: 0,
    }
}

const CASES: [Case; 11] = [
    Case {
        number: 0,
        moments: &[(0, 1), (1, 1), (1, 2)],
        truth: |_, visit| at(0, visit),
        decided: 0,
    },
    Case {
        number: 1,
        moments: &[(0, 1), (0, 2), (1, 1), (1, 2), (1, 3)],
        truth: |flag, visit| match flag {
            0 => at(visit - 1, 0),
            _ => at((visit - 1) / 2, (visit - 1) % 2),
        },
        decided: 0,
    },
    Case {
        number: 2,
        moments: &[(0, 1), (1, 1), (1, 2)],
        truth: |_, visit| at(0, visit),
        decided: 0,
    },
    Case {
        number: 3,
        moments: &[(0, 1), (1, 1), (2, 1)],
        truth: |flag, _| Truth {
            place: (0, 0),
            arm: u32::from(flag > 0),
        },
        decided: 0,
    },
    // Nothing is copied: calls through pointers that always follow each other are told apart.
    Case {
        number: 4,
        moments: &[(0, 1), (0, 2), (0, 3), (0, 4)],
        truth: |_, visit| at((visit - 1) / 3, (visit - 1) % 3),
        decided: 6,
    },
    // An instruction that follows another call is the call before that.
    Case {
        number: 5,
        moments: &[(0, 1), (1, 1), (1, 2), (1, 3)],
        truth: |_, visit| at(0, visit),
        decided: 0,
    },
    // One call leads to one function by two tail calls. On one of the two ways the order is known.
    Case {
        number: 6,
        moments: &[(0, 1), (0, 2), (1, 1), (1, 2)],
        truth: |flag, visit| Truth {
            place: (0, visit),
            arm: flag,
        },
        decided: 0,
    },
    // A call whose result decides what follows is a call in the code: the stack shows how deep a task is.
    Case {
        number: 7,
        moments: &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 7), (0, 8)],
        truth: |_, visit| at(0, visit),
        decided: 15,
    },
    // One that decides about nothing becomes a loop, of which the stack shows one frame.
    Case {
        number: 8,
        moments: &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 7), (0, 8)],
        truth: |_, visit| at(0, visit),
        decided: 0,
    },
    Case {
        number: 9,
        moments: &[(0, 1), (0, 2), (0, 3), (0, 6), (1, 1), (1, 2), (1, 3), (1, 6)],
        truth: |_, visit| at(0, visit),
        decided: 0,
    },
    Case {
        number: 10,
        moments: &[(0, 1), (0, 2), (0, 3), (0, 4), (0, 7), (0, 8), (0, 9)],
        truth: |_, visit| at(0, visit),
        decided: 21,
    },
];

#[test]
fn copied_calls_are_not_taken_for_one_another() {
    if !has_tools(&["gcc"]) {
        return;
    }
    ["-O1", "-O2", "-O3", "-Os"].into_par_iter().for_each(|level| {
        let dir = Directory::of_seed(None, 0).unwrap();
        std::fs::write(dir.path.join("copies.c"), include_str!("copies/copies.c")).unwrap();
        succeed(
            Command::new("gcc")
                .args([
                    "-std=gnu11",
                    "-g",
                    "-Wall",
                    "-Werror",
                    level,
                    "copies.c",
                    "-o",
                    "copies",
                ])
                .current_dir(&dir.path),
        );
        let (program, map) = (dir.path.join("copies"), dir.path.join("copies.hmap"));
        let bind = ["map", "-q", "--exe", "copies", "-o", "copies.hmap", "--no-cache"];
        succeed(Command::new(hindmost()).args(bind).current_dir(&dir.path));
        for case in CASES {
            let stopped = case.moments.iter().map(|&(flag, visit)| {
                let process = Stopped::new(&program, &[case.number, flag, visit]);
                (process, (case.truth)(flag, visit))
            });
            let stopped = Vec::from_iter(stopped);
            let mut decided = 0;
            for (first, (a, truth_a)) in stopped.iter().enumerate() {
                for (b, truth_b) in &stopped[first + 1..] {
                    let what = format!("{level}, case {}: {truth_a:?} and {truth_b:?}", case.number);
                    let Some(named) = find(&dir.path, &map, (a, b)).named else {
                        continue;
                    };
                    decided += 1;
                    assert_eq!(truth_a.arm, truth_b.arm, "{what}: neither is behind");
                    assert_ne!(truth_a.place, truth_b.place, "{what}: neither is behind");
                    let earlier = if truth_a.place < truth_b.place { a } else { b };
                    assert_eq!(named, earlier.id(), "{what}");
                }
            }
            assert!(
                decided >= case.decided,
                "{level}, case {}: {decided} pairs decided",
                case.number
            );
        }
    });
}
