//! `hindmost order`: recorded stacks, answers and pairs.

use crate::support::Sandbox;
use expect_test::{Expect, expect};
use std::fmt::Write as _;

const SOLVER: &str = "\
static double get_norm(const double *a)
{
    double norm = 0.0;
    int k;
    for (k = 0; k < 64; k++)
        if (a[k] > norm)
            norm = a[k];
    return norm;
}

static void solve(double *a, int max)
{
    int it = 0;
    double norm, diff;
    while (it < max) {
        exchange(a);
        norm = get_norm(a);
        MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        it++;
    }
    while (*a)
        settle(a);
}

int main(void)
{
    static double a[64];
    solve(a, 100);
    if (a[0] > 1)
        left(a);
    else
        right(a);
    return 0;
}
";

/// A frame; `rest` holds further fields.
fn frame(function: &str, line: u32, rest: &str) -> String {
    format!(r#"{{"function": "{function}", "file": "solver.c", "line": {line}{rest}}}"#)
}

/// In `solve` at a line, in an iteration, with whatever is below.
fn in_solve(line: u32, it: i32, below: &[String]) -> Vec<String> {
    let values = format!(r#", "values": {{"it": {it}}}"#);
    let mut frames = vec![frame("main", 28, ""), frame("solve", line, &values)];
    frames.extend_from_slice(below);
    frames
}

fn library(function: &str) -> Vec<String> {
    vec![
        format!(r#"{{"function": "{function}", "module": "/usr/lib/libmpi.so.40"}}"#),
        r#"{"function": "progress", "module": "/usr/lib/libmpi.so.40"}"#.to_owned(),
    ]
}

fn task(name: &str, rank: Option<u32>, frames: &[String]) -> String {
    let rank = rank
        .map(|rank| format!(r#""rank": {rank}, "#))
        .unwrap_or_default();
    format!(
        "{{\"task\": \"{name}\", {rank}\"frames\": [{}]}}\n",
        frames.join(", ")
    )
}

fn sandbox(name: &str, stacks: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("solver.c", SOLVER);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "solver.c"]);
    sandbox.write("stacks", stacks);
    sandbox
}

const ORDER: [&str; 5] = ["order", "--map", "a.hmap", "--stacks", "stacks"];

#[track_caller]
fn check(sandbox: &Sandbox, more: &[&str], code: i32, expected: Expect) {
    let arguments: Vec<&str> = ORDER.iter().chain(more).copied().collect();
    let run = sandbox.run(&arguments);
    assert_eq!((run.code, run.err.as_str()), (Some(code), ""), "{}", run.out);
    expected.assert_eq(&run.out);
}

/// The job of the issue: one rank still computes, most wait for it, two have gone on.
fn hung_job() -> String {
    let mut stacks = String::new();
    for rank in 0..32 {
        let frames = match rank {
            8 => in_solve(17, 41, &[frame("get_norm", 8, "")]),
            7 | 9 => in_solve(16, 42, &library("exchange")),
            _ => in_solve(18, 41, &library("PMPI_Allreduce")),
        };
        stacks += &task(&rank.to_string(), Some(rank), &frames);
    }
    stacks
}

/// As with `find --slice`, but hours later and elsewhere.
#[test]
fn recorded_stacks_may_be_asked_why() {
    let sandbox = sandbox("slice", &hung_job());
    let ask = |more: &[&str]| sandbox.ok(&[&ORDER[..], &["--slice"], more].concat());
    let answer = sandbox.ok(&ORDER);
    let text = ask(&[]);
    let slice = text.strip_prefix(&answer).unwrap_or_else(|| panic!("{text}"));
    assert!(
        slice.contains("the hindmost") && slice.contains("solver.c:8:"),
        "{slice}"
    );
    let lines = ask(&["--all", "--slice-format", "lines"]);
    let lines = lines.strip_prefix(&answer).unwrap().trim_start();
    assert!(lines.starts_with("solver.c:8:"), "{lines}");
    let has = |lines: &str, line: u32| {
        lines
            .lines()
            .any(|each| each.starts_with(&format!("solver.c:{line}:")))
    };
    for line in [5, 6, 7, 15, 16, 17, 28] {
        assert!(has(lines, line), "{line} is not in\n{lines}");
    }
    for after in [21, 22, 29, 30, 32] {
        assert!(!has(lines, after), "{after} is in\n{lines}");
    }
    let json = ask(&["--classes", "3", "--slice-format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["statements"][0]["line"], 8, "{json}");
    let refused = sandbox.run(&[&ORDER[..], &["--slice", "--format", "json"]].concat());
    assert_eq!(refused.code, Some(2), "{}", refused.err);
}

#[test]
fn the_hindmost_comes_first() {
    check(
        &sandbox("hung", &hung_job()),
        &[],
        0,
        expect![[r#"
            Rank 8 is behind all 31 others: computing in get_norm at solver.c:8, iteration it=41
              Rank 8 and ranks 0-6,10-31 are in iteration it=41 of the loop at solver.c:15. Rank 8 is still at line 17; ranks 0-6,10-31 have reached line 18.
              Rank 8 is in iteration it=41 of the loop at solver.c:15, ranks 7,9 in it=42.

            Proof, by the order of the code:
              behind ranks 0-6,10-31: same iteration (it=41 in the loop at solver.c:15); solver.c:17 comes before solver.c:18
              behind ranks 7,9: it=41 is an earlier iteration than it=42 of the loop at solver.c:15

            32 tasks in 3 classes, least progressed first:
              1. rank 8: hindmost
                   main      solver.c:28
                   solve     solver.c:17  it=41
                   get_norm  solver.c:8
              2. ranks 0-6,10-31 (29 tasks): ahead of 1
                   main           solver.c:28
                   solve          solver.c:18     it=41
                   MPI_Allreduce  (libmpi.so.40)
              3. ranks 7,9 (2 tasks): ahead of 1
                   main      solver.c:28
                   solve     solver.c:16     it=42
                   exchange  (libmpi.so.40)

            solver.c:8
               5 |     for (k = 0; k < 64; k++)
               6 |         if (a[k] > norm)
               7 |             norm = a[k];
            >  8 |     return norm;
               9 | }
              10 |
              11 | static void solve(double *a, int max)
        "#]],
    );
}

#[test]
fn the_hindmost_as_json() {
    let sandbox = sandbox("hung-json", &hung_job());
    check(
        &sandbox,
        &["--format", "json"],
        0,
        expect![[r#"
            {
              "schema": "hindmost-answer",
              "version": 1,
              "tasks": 32,
              "decided": true,
              "outcome": "named",
              "proven": true,
              "by": "order",
              "named": "8",
              "halted": [],
              "probable": [],
              "hindmost": [
                {
                  "class": 0,
                  "ranks": "8",
                  "count": 1,
                  "function": "get_norm",
                  "file": "solver.c",
                  "line": 8,
                  "activity": "computing",
                  "values": {
                    "it": 41
                  },
                  "iteration": [
                    {
                      "function": "solve",
                      "variable": "it",
                      "value": 41
                    }
                  ],
                  "reason": "behind ranks 0-6,10-31: same iteration (it=41 in the loop at solver.c:15); solver.c:17 comes before solver.c:18; behind ranks 7,9: it=41 is an earlier iteration than it=42 of the loop at solver.c:15",
                  "behind": [
                    {
                      "class": 1,
                      "ranks": "0-6,10-31",
                      "reason": "same iteration (it=41 in the loop at solver.c:15); solver.c:17 comes before solver.c:18"
                    },
                    {
                      "class": 2,
                      "ranks": "7,9",
                      "reason": "it=41 is an earlier iteration than it=42 of the loop at solver.c:15"
                    }
                  ]
                }
              ],
              "classes": [
                {
                  "ranks": "8",
                  "count": 1,
                  "relation_to_hindmost": "hindmost",
                  "relations": [],
                  "frames": [
                    {
                      "function": "main",
                      "file": "solver.c",
                      "line": 28,
                      "column": null,
                      "values": {},
                      "inlined": false,
                      "module": null
                    },
                    {
                      "function": "solve",
                      "file": "solver.c",
                      "line": 17,
                      "column": null,
                      "values": {
                        "it": 41
                      },
                      "inlined": false,
                      "module": null
                    },
                    {
                      "function": "get_norm",
                      "file": "solver.c",
                      "line": 8,
                      "column": null,
                      "values": {},
                      "inlined": false,
                      "module": null
                    }
                  ]
                },
                {
                  "ranks": "0-6,10-31",
                  "count": 29,
                  "relation_to_hindmost": "ahead",
                  "relations": [
                    {
                      "class": 0,
                      "relation": "after",
                      "reason": "same iteration (it=41 in the loop at solver.c:15); solver.c:17 comes before solver.c:18"
                    }
                  ],
                  "frames": [
                    {
                      "function": "main",
                      "file": "solver.c",
                      "line": 28,
                      "column": null,
                      "values": {},
                      "inlined": false,
                      "module": null
                    },
                    {
                      "function": "solve",
                      "file": "solver.c",
                      "line": 18,
                      "column": null,
                      "values": {
                        "it": 41
                      },
                      "inlined": false,
                      "module": null
                    },
                    {
                      "function": "MPI_Allreduce",
                      "file": null,
                      "line": null,
                      "column": null,
                      "values": {},
                      "inlined": false,
                      "module": "libmpi.so.40",
                      "folded": 1
                    }
                  ],
                  "call": {
                    "function": "MPI_Allreduce",
                    "arguments": [
                      {
                        "role": "count",
                        "text": "1",
                        "value": 1
                      },
                      {
                        "role": "communicator",
                        "text": "MPI_COMM_WORLD",
                        "name": "MPI_COMM_WORLD"
                      }
                    ]
                  }
                },
                {
                  "ranks": "7,9",
                  "count": 2,
                  "relation_to_hindmost": "ahead",
                  "relations": [
                    {
                      "class": 0,
                      "relation": "after",
                      "reason": "it=41 is an earlier iteration than it=42 of the loop at solver.c:15"
                    }
                  ],
                  "frames": [
                    {
                      "function": "main",
                      "file": "solver.c",
                      "line": 28,
                      "column": null,
                      "values": {},
                      "inlined": false,
                      "module": null
                    },
                    {
                      "function": "solve",
                      "file": "solver.c",
                      "line": 16,
                      "column": null,
                      "values": {
                        "it": 42
                      },
                      "inlined": false,
                      "module": null
                    },
                    {
                      "function": "exchange",
                      "file": null,
                      "line": null,
                      "column": null,
                      "values": {},
                      "inlined": false,
                      "module": "libmpi.so.40",
                      "folded": 1
                    }
                  ]
                }
              ],
              "undecided": [],
              "unreadable": [],
              "missing_ranks": "",
              "assumptions": [],
              "warnings": []
            }
        "#]],
    );
}

#[test]
fn two_ranks_explained() {
    let sandbox = sandbox("explained", &hung_job());
    let text = sandbox.ok(&[&ORDER[..], &["--explain", "8", "0"]].concat());
    let at = text.rfind("rank 8 is behind").unwrap();
    expect![[r#"
        rank 8 is behind rank 0: same iteration (it=41 in the loop at solver.c:15); solver.c:17 comes before solver.c:18
          decided in solve, frame 2 of the program
          same iteration of the loop at solver.c:15 in solve: it=41 and it=41
          rank 8 in solve at solver.c:17: it=41
            17 | norm = get_norm(a);
          rank 0 in solve at solver.c:18: it=41
            18 | MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    "#]]
    .assert_eq(&text[at..]);
    let json = sandbox.ok(&[&ORDER[..], &["--explain", "9", "8", "--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["explanation"]["relation"], "after");
    assert_eq!(json["explanation"]["deciding_loop"]["a"], 42);
    expect![[r#"
        hindmost: error: --explain: no task or rank '77'
        hint: there are 32 tasks, from 0 to 31
    "#]]
    .assert_eq(&sandbox.refused(&[&ORDER[..], &["--explain", "8", "77"]].concat()));
}

#[test]
fn an_iteration_that_was_not_recorded_leaves_it_open() {
    let stacks = [
        task(
            "a",
            None,
            &[
                frame("main", 28, ""),
                frame("solve", 16, ""),
                library("exchange")[0].clone(),
            ],
        ),
        task(
            "b",
            None,
            &[
                frame("main", 28, ""),
                frame("solve", 18, ""),
                library("MPI_Allreduce")[0].clone(),
            ],
        ),
    ];
    check(
        &sandbox("open", &stacks.concat()),
        &[],
        3,
        expect![[r#"
            Probably task a: it alone is in exchange called from solve at solver.c:16; the other one waits in MPI_Allreduce
            Not proven: the loop at solver.c:15 has no readable loop-order variable that decides (it: its value was not recorded)

            What is not known:
              task a against task b: the loop at solver.c:15 has no readable loop-order variable that decides (it: its value was not recorded)
                to decide it: record the variable 'it' with the stacks: its value orders the loop at solver.c:15

            2 tasks in 2 classes, least progressed first:
              1. task a: candidate
                   main      solver.c:28
                   solve     solver.c:16
                   exchange  (libmpi.so.40)
              2. task b: candidate
                   main           solver.c:28
                   solve          solver.c:18
                   MPI_Allreduce  (libmpi.so.40)

            solver.c:16
              13 |     int it = 0;
              14 |     double norm, diff;
              15 |     while (it < max) {
            > 16 |         exchange(a);
              17 |         norm = get_norm(a);
              18 |         MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
              19 |         it++;

            solver.c:18
              15 |     while (it < max) {
              16 |         exchange(a);
              17 |         norm = get_norm(a);
            > 18 |         MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
              19 |         it++;
              20 |     }
              21 |     while (*a)
        "#]],
    );
}

#[test]
fn a_loop_without_a_counter_leaves_it_open() {
    let stacks = [
        task("0", Some(0), &[frame("main", 28, ""), frame("solve", 21, "")]),
        task(
            "1",
            Some(1),
            &[
                frame("main", 28, ""),
                frame("solve", 22, ""),
                library("settle")[0].clone(),
            ],
        ),
    ];
    check(
        &sandbox("no-counter", &stacks.concat()),
        &[],
        1,
        expect![[r#"
            Undecided: the hindmost is among
              rank 0, computing in solve at solver.c:21
              rank 1, in settle called from solve at solver.c:22

            What is not known:
              rank 0 against rank 1: the loop at solver.c:21 has no readable loop-order variable that decides (no variable changes in it)
                to decide it: add a counter to the loop at solver.c:21: a variable that every iteration increments by one (`hindmost counters solver.c:21` prints the change)

            2 tasks in 2 classes, least progressed first:
              1. rank 0: candidate
                   main   solver.c:28
                   solve  solver.c:21
              2. rank 1: candidate
                   main    solver.c:28
                   solve   solver.c:22
                   settle  (libmpi.so.40)

            solver.c:21
              18 |         MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
              19 |         it++;
              20 |     }
            > 21 |     while (*a)
              22 |         settle(a);
              23 | }
              24 |

            solver.c:22
              19 |         it++;
              20 |     }
              21 |     while (*a)
            > 22 |         settle(a);
              23 | }
              24 |
              25 | int main(void)

            Next: add a counter to the loop at solver.c:21: a variable that every iteration increments by one (`hindmost counters solver.c:21` prints the change)
        "#]],
    );
}

#[test]
fn branches_have_no_order() {
    let mut stacks = vec![task(
        "0",
        Some(0),
        &[frame("main", 30, ""), library("left")[0].clone()],
    )];
    for rank in 1..5 {
        let frames = [frame("main", 32, ""), library("right")[0].clone()];
        stacks.push(task(&rank.to_string(), Some(rank), &frames));
    }
    check(
        &sandbox("branches", &stacks.concat()),
        &[],
        3,
        expect![[r#"
            Probably rank 0: it alone is in left called from main at solver.c:30; the other 4 are in right
            Not proven: the program gives the branches on which the tasks stand no order

            5 tasks in 2 classes:
              1. rank 0
                   main  solver.c:30
                   left  (libmpi.so.40)
              2. ranks 1-4 (4 tasks)
                   main   solver.c:32
                   right  (libmpi.so.40)

            solver.c:30
              27 |     static double a[64];
              28 |     solve(a, 100);
              29 |     if (a[0] > 1)
            > 30 |         left(a);
              31 |     else
              32 |         right(a);
              33 |     return 0;

            solver.c:32
              29 |     if (a[0] > 1)
              30 |         left(a);
              31 |     else
            > 32 |         right(a);
              33 |     return 0;
              34 | }
              35 |
        "#]],
    );
}

#[test]
fn nobody_is_behind_when_all_are_at_one_point() {
    let stacks: String = (0..4)
        .map(|rank| {
            task(
                &rank.to_string(),
                Some(rank),
                &in_solve(18, 7, &library("MPI_Allreduce")),
            )
        })
        .collect();
    check(
        &sandbox("equal", &stacks),
        &[],
        1,
        expect![[r#"
            Nobody is behind: all are blocked in MPI_Allreduce called from solve at solver.c:18, iteration it=7
              all are at the same point of the same iteration

            4 tasks in 1 class:
              1. ranks 0-3 (4 tasks)
                   main           solver.c:28
                   solve          solver.c:18     it=7
                   MPI_Allreduce  (libmpi.so.40)

            solver.c:18
              15 |     while (it < max) {
              16 |         exchange(a);
              17 |         norm = get_norm(a);
            > 18 |         MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
              19 |         it++;
              20 |     }
              21 |     while (*a)
        "#]],
    );
}

#[test]
fn tasks_that_cannot_be_placed_are_listed() {
    let stacks = [
        task("0", Some(0), &in_solve(18, 7, &library("MPI_Allreduce"))),
        task("1", Some(1), &in_solve(16, 7, &library("exchange"))),
        "{\"task\": \"2\", \"rank\": 2, \"pid\": 77, \"error\": \"pid 77 has ended\"}\n".to_owned(),
        task(
            "3",
            Some(3),
            &[r#"{"function": "sleep", "module": "libc.so.6"}"#.to_owned()],
        ),
    ];
    check(
        &sandbox("listed", &stacks.concat()),
        &[],
        3,
        expect![[r#"
            Saw 3 of 4 tasks: any of the others may be further behind.
            Probably rank 1 is behind 1 of the 2 others: in exchange called from solve at solver.c:16, iteration it=7
              Rank 1 and rank 0 are in iteration it=7 of the loop at solver.c:15. Rank 1 is still at line 16; rank 0 has reached line 18.
            Rank 3 has no place in the order and may be further behind: in sleep

            Proof, by the order of the code:
              behind rank 0: same iteration (it=7 in the loop at solver.c:15); solver.c:16 comes before solver.c:18

            4 tasks in 3 classes, least progressed first:
              1. rank 1: hindmost
                   main      solver.c:28
                   solve     solver.c:16     it=7
                   exchange  (libmpi.so.40)
              2. rank 0: ahead of 1
                   main           solver.c:28
                   solve          solver.c:18     it=7
                   MPI_Allreduce  (libmpi.so.40)
              3. rank 3: without a place in the order: no function on the stack of task 3 is in the map
                   sleep  (libc.so.6)

            solver.c:16
              13 |     int it = 0;
              14 |     double norm, diff;
              15 |     while (it < max) {
            > 16 |         exchange(a);
              17 |         norm = get_norm(a);
              18 |         MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
              19 |         it++;

            not readable: rank 2 (pid 77): pid 77 has ended
            the order holds among the tasks that have a place in it; any other may be further behind
        "#]],
    );
}

#[test]
fn what_comes_from_the_target_is_escaped() {
    let evil = "x\\u001b[2Jy";
    let stacks = [
        task(evil, None, &in_solve(18, 7, &library("MPI_\\u0007Foo"))),
        task("plain", None, &in_solve(16, 7, &library("exchange"))),
    ];
    let sandbox = sandbox("escaped", &stacks.concat());
    let run = sandbox.run(&ORDER);
    assert!(!run.out.contains(['\u{1b}', '\u{7}']), "{:?}", run.out);
    assert!(run.out.contains("x\\u{1b}[2Jy"), "{}", run.out);
}

#[test]
fn a_source_that_changed_is_not_shown() {
    let sandbox = sandbox("changed", &hung_job());
    sandbox.write("solver.c", format!("/* new */\n{SOLVER}"));
    let out = sandbox.ok(&ORDER);
    assert!(
        out.contains("solver.c has changed since the map was made"),
        "{out}"
    );
    assert!(!out.contains("> 8 |"), "{out}");
}

#[test]
fn pairs_in_the_order_given() {
    let sandbox = sandbox("pairs", &hung_job());
    sandbox.write("pairs", "8 0\n0\t8\n\n7 9\n31 7\n0 1\n");
    let arguments = [&ORDER[..], &["--pairs", "pairs"]].concat();
    expect![[r#"
        8 0 before same iteration (it=41 in the loop at solver.c:15); solver.c:17 comes before solver.c:18
        0 8 after same iteration (it=41 in the loop at solver.c:15); solver.c:18 comes after solver.c:17
        7 9 equal same iteration (it=42 in the loop at solver.c:15); both are at solver.c:16
        31 7 before it=41 is an earlier iteration than it=42 of the loop at solver.c:15
        0 1 equal same iteration (it=41 in the loop at solver.c:15); both are at solver.c:18
    "#]]
    .assert_eq(&sandbox.ok(&arguments));
}

#[test]
fn pairs_that_are_none() {
    let sandbox = sandbox("bad-pairs", &hung_job());
    let refused = |pairs: &str, expected: Expect| {
        sandbox.write("pairs", pairs);
        expected.assert_eq(&sandbox.refused(&[&ORDER[..], &["--pairs", "pairs"]].concat()));
    };
    refused(
        "0 1\n0 99\n",
        expect![[r#"
        hindmost: error: pairs:2: no task is named '99' in the stacks
    "#]],
    );
    refused(
        "0 1 2\n",
        expect![[r#"
        hindmost: error: pairs:1: two task names expected, found 3
        hint: names that contain spaces can be parted by a tab
    "#]],
    );
    refused(
        "0\n",
        expect![[r#"
        hindmost: error: pairs:1: two task names expected, found 1
        hint: names that contain spaces can be parted by a tab
    "#]],
    );
    expect![[r#"
        hindmost: error: cannot read gone: No such file or directory (os error 2)
    "#]]
    .assert_eq(&sandbox.refused(&[&ORDER[..], &["--pairs", "gone"]].concat()));
}

#[test]
fn a_hundred_thousand_pairs_take_seconds() {
    let sandbox = sandbox("many-pairs", &hung_job());
    let mut pairs = String::new();
    for i in 0..100_000 {
        writeln!(pairs, "{} {}", i % 32, (i / 32) % 32).unwrap();
    }
    sandbox.write("pairs", pairs);
    let started = std::time::Instant::now();
    let out = sandbox.ok(&[&ORDER[..], &["--pairs", "pairs"]].concat());
    assert_eq!(out.lines().count(), 100_000);
    // Unoptimised, on a busy machine; looking every task up again for every pair would take minutes.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn stacks_that_are_none() {
    let sandbox = sandbox("bad-stacks", "");
    let refused = |stacks: &[u8], expected: Expect| {
        sandbox.write("stacks", stacks);
        expected.assert_eq(&sandbox.refused(&ORDER));
    };
    refused(
        b"",
        expect![[r#"
        hindmost: error: stacks: no task in it
    "#]],
    );
    refused(
        b"{\"task\": \"a\"}\nnonsense\n",
        expect![[r#"
            hindmost: error: stacks:2: not a task record: expected ident at line 1 column 2
            hint: `hindmost order --help` shows a line of recorded stacks
        "#]],
    );
    refused(
        b"{\"task\": \"a\"}\n{\"task\": \"a\"}\n",
        expect![[r#"
            hindmost: error: stacks:2: a second task named 'a'
            hint: `hindmost order --help` shows a line of recorded stacks
        "#]],
    );
    refused(
        b"{\"hindmost_snapshot\": 99}\n",
        expect![[r#"
            hindmost: error: stacks:1: snapshot version 99 is newer than this hindmost (it reads up to 1)
            hint: `hindmost order --help` shows a line of recorded stacks
        "#]],
    );
    refused(
        b"{\"task\": \"a\"}\n\xff\xfe\n",
        expect![[r#"
        hindmost: error: stacks:2: not UTF-8 text
    "#]],
    );
    let no_stack = sandbox.write("stacks", "{\"task\": \"a\"}\n");
    let run = sandbox.run(&ORDER);
    assert_eq!(run.code, Some(2), "{}", run.out);
    assert!(run.out.contains("task a has no stack"), "{}", run.out);
    std::fs::remove_file(no_stack).unwrap();
    expect![[r#"
        hindmost: error: cannot read stacks: No such file or directory (os error 2)
    "#]]
    .assert_eq(&sandbox.refused(&ORDER));
}

#[test]
fn maps_that_are_none() {
    let sandbox = sandbox("bad-maps", &hung_job());
    let bytes = std::fs::read(sandbox.path("a.hmap")).unwrap();
    sandbox.write("a.hmap", &bytes[..bytes.len() / 2]);
    assert!(sandbox.refused(&ORDER).contains("a.hmap: "));
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    sandbox.write("a.hmap", damaged);
    assert!(sandbox.refused(&ORDER).contains("a.hmap: "));
    sandbox.write("a.hmap", "");
    assert!(sandbox.refused(&ORDER).contains("a.hmap: "));
}

#[test]
fn colours_only_where_they_belong() {
    let sandbox = sandbox("colours", &hung_job());
    let forced = sandbox
        .command(&ORDER)
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(forced.stdout.contains(&0x1b));
    let not = sandbox
        .command(&ORDER)
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(!not.stdout.contains(&0x1b));
    assert!(!sandbox.ok(&ORDER).contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = sandbox("pipe", &hung_job());
    let mut child = sandbox
        .command(&ORDER)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
