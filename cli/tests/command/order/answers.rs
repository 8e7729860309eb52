//! Who is behind all others, and what is said of it.

use super::{ORDER, check, hung_job, in_solve, library, sandbox, task};
use expect_test::expect;

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
                      "reason": "same iteration (it=41 in the loop at solver.c:15); solver.c:17 comes before solver.c:18",
                      "reason_code": "flow"
                    },
                    {
                      "class": 2,
                      "ranks": "7,9",
                      "reason": "it=41 is an earlier iteration than it=42 of the loop at solver.c:15",
                      "reason_code": "iteration"
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
                      "reason": "same iteration (it=41 in the loop at solver.c:15); solver.c:17 comes before solver.c:18",
                      "reason_code": "flow"
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
                      "reason": "it=41 is an earlier iteration than it=42 of the loop at solver.c:15",
                      "reason_code": "iteration"
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
              "map": {
                "from": "file",
                "path": "a.hmap",
                "blake3": "HASH"
              },
              "assumptions": [],
              "warnings": []
            }
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
