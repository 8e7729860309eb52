//! `hindmost show`.

use crate::support::Sandbox;
use expect_test::{Expect, expect};

/// Laid out, line by line, as Figure 1 of SC'09.
const FIGURE_1: &str = "\
int poisson(void) { int it, converged; double norm, diff;
    it = 0;
    converged = 0;
    while (it < MAX) {
        exchange(a);
        sweep(a);
        norm = get_norm(a);
        exchange(b);
        sweep(b);
        norm = get_norm(b);
        MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, comm);
        if (diff <= tolerance)
            converged = 1;
        if (converged)
            handle_converged(it);
        else
            handle_not(it);
        if (converged)
            break;
        it++;
    }
    return converged;
}
";

fn mapped(name: &str, source: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("poisson.c", source);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "poisson.c"]);
    sandbox
}

#[test]
fn the_tuples_of_figure_3() {
    let sandbox = mapped("figure3", FIGURE_1);
    for (line, tuple) in [
        (5, "<1, 0, 3, 0, $iter, 1>"),
        (6, "<1, 0, 3, 0, $iter, 2>"),
        (15, "<1, 0, 3, 0, $iter, 10⊃ 0, 1>"),
        (17, "<1, 0, 3, 0, $iter, 10⊃ 2, 1>"),
        (2, "<1, 0, 1>"),
        (22, "<1, 0, 21>"),
    ] {
        let out = sandbox.ok(&["show", "a.hmap", &format!("poisson.c:{line}")]);
        let first = out.lines().next().unwrap();
        assert_eq!(first, format!("poisson.c:{line}  {tuple}"), "{out}");
    }
}

#[track_caller]
fn check(sandbox: &Sandbox, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&sandbox.ok(arguments));
}

#[test]
fn a_line_in_a_loop() {
    let sandbox = mapped("line", FIGURE_1);
    check(
        &sandbox,
        &["show", "a.hmap", "poisson.c:7"],
        expect![[r#"
        poisson.c:7  <1, 0, 3, 0, $iter, 3>
          $iter of line 4: it
          point p7: call get_norm 7:16-7:27
          point p8: eval 7:9-7:27
        in poisson (poisson.c:1-23)
        loops around it, outermost first:
          while at poisson.c:4
            LOV it: strict, up, additive; same sequence on every task (proven); starts at 0; step 1; updated on line 20; cut at the header
              accepted because: every iteration changes it by the same amount; start and steps are constants
            refused converged: line 13 does not move it by a step that is known
            refused diff: line 11 does not move it by a step that is known
            refused norm: line 7 does not move it by a step that is known
    "#]],
    );
}

#[test]
fn a_line_without_points() {
    let sandbox = mapped("no-points", FIGURE_1);
    check(
        &sandbox,
        &["show", "a.hmap", "poisson.c:16"],
        expect![[r#"
            poisson.c:16  <1, 0, 3, 0, $iter, 10⊃ 2, 0>
              $iter of line 4: it
            in poisson (poisson.c:1-23)
            loops around it, outermost first:
              while at poisson.c:4
                LOV it: strict, up, additive; same sequence on every task (proven); starts at 0; step 1; updated on line 20; cut at the header
                  accepted because: every iteration changes it by the same amount; start and steps are constants
                refused converged: line 13 does not move it by a step that is known
                refused diff: line 11 does not move it by a step that is known
                refused norm: line 7 does not move it by a step that is known
            no program point at poisson.c:16; the nearest are on: 15, 17
        "#]],
    );
}

#[test]
fn a_line_as_json() {
    let sandbox = mapped(
        "line-json",
        "int f(int n) {\n    while (n) g();\n    return n;\n}\n",
    );
    check(
        &sandbox,
        &["show", "a.hmap", "poisson.c:2", "--format", "json"],
        expect![[r#"
            {
              "schema": "hindmost-line",
              "version": 1,
              "file": "poisson.c",
              "line": 2,
              "functions": [
                {
                  "name": "f",
                  "first_line": 1,
                  "last_line": 4,
                  "confidence": "clean",
                  "confidence_reason": null,
                  "reading": "as_written",
                  "tuples": [
                    {
                      "tuple": "<1, 0, 1, $iter, 0>",
                      "elements": [
                        {
                          "displacement": 1
                        },
                        {
                          "displacement": 0
                        },
                        {
                          "displacement": 1
                        },
                        {
                          "loop": 0
                        },
                        {
                          "displacement": 0
                        }
                      ],
                      "points": [
                        {
                          "kind": "eval",
                          "callee": null,
                          "line": 2,
                          "column": 5,
                          "end_line": 2,
                          "end_column": 5
                        },
                        {
                          "kind": "branch",
                          "callee": null,
                          "line": 2,
                          "column": 12,
                          "end_line": 2,
                          "end_column": 13
                        },
                        {
                          "kind": "call",
                          "callee": "g",
                          "line": 2,
                          "column": 15,
                          "end_line": 2,
                          "end_column": 18
                        }
                      ]
                    }
                  ],
                  "loops": [
                    {
                      "id": 0,
                      "statement": "while",
                      "line": 2,
                      "reducible": true,
                      "lovs": [],
                      "refused": []
                    }
                  ]
                }
              ],
              "nearest_lines": []
            }
        "#]],
    );
}

#[test]
fn a_whole_map() {
    let source = format!("{FIGURE_1}\nint spin(volatile int *p) {{ while (*p) ; return 0; }}\n");
    let sandbox = mapped("whole", &source);
    check(
        &sandbox,
        &["show", "a.hmap"],
        expect![[r#"
        1 file, 2 functions (0 in part, 0 after a repair), 29 program points, 2 loops
        1 of 2 loops (50 %) have a variable that orders them across tasks:
              1   50 %  strict, same sequence on every task

        Loops that nothing orders across tasks:
          poisson.c:25 in spin: no variable changes in it

        Not bound to an executable: made without --exe, so it serves recorded stacks; a live job binds it on the fly
    "#]],
    );
    let json: serde_json::Value =
        serde_json::from_str(&sandbox.ok(&["show", "a.hmap", "--format", "json"])).unwrap();
    assert_eq!(json["schema"], "hindmost-map");
    assert_eq!(json["loops"], 2);
    assert_eq!(json["loops_ordered"], 1);
    assert_eq!(json["binding"], serde_json::Value::Null);
}

#[test]
fn what_cannot_be_shown() {
    let sandbox = mapped("cannot", FIGURE_1);
    let check =
        |place: &str, expected: Expect| expected.assert_eq(&sandbox.refused(&["show", "a.hmap", place]));
    check(
        "other.c:3",
        expect![[r#"
        hindmost: error: other.c is not in the map
        hint: it holds poisson.c
    "#]],
    );
    check(
        "poisson.c:99",
        expect![[r#"
            hindmost: error: poisson.c:99 is not inside a function
            hint: the nearest program points are on line 23
        "#]],
    );
    check(
        "poisson.c",
        expect![[r#"
        hindmost: error: 'poisson.c' is not FILE:LINE, such as poisson.c:84
    "#]],
    );
    check(
        "poisson.c:0",
        expect![[r#"
        hindmost: error: 'poisson.c:0' is not FILE:LINE, such as poisson.c:84
    "#]],
    );
    expect![[r#"
        hindmost: error: cannot read missing.hmap: No such file or directory (os error 2)
    "#]]
    .assert_eq(&sandbox.refused(&["show", "missing.hmap"]));
    expect![[r#"
        hindmost: error: cannot read .: it is a directory, not a regular file
    "#]]
    .assert_eq(&sandbox.refused(&["show", "."]));
    expect![[r#"
        hindmost: error: poisson.c: not a progress map; make one with `hindmost map`
    "#]]
    .assert_eq(&sandbox.refused(&["show", "poisson.c"]));
}

#[test]
fn a_name_that_two_files_share() {
    let sandbox = Sandbox::new("shared-name");
    sandbox.write("a/x.c", "int f(void) { return 1; }\n");
    sandbox.write("b/x.c", "int g(void) { return 1; }\n");
    sandbox.ok(&["map", "--quiet", "a", "b"]);
    expect![[r#"
        hindmost: error: x.c may be any of a/x.c, b/x.c
        hint: give more of the path
    "#]]
    .assert_eq(&sandbox.refused(&["show", "app.hmap", "x.c:1"]));
    assert!(
        sandbox
            .ok(&["show", "app.hmap", "b/x.c:1"])
            .contains("in g (b/x.c:1-1)")
    );
}
