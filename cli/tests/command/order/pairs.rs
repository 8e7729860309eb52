//! Two tasks explained, and many pairs.

use super::{ORDER, hung_job, sandbox};
use expect_test::{Expect, expect};
use std::fmt::Write as _;

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

/// Each task is looked up once: looking both up again for every pair would take minutes.
#[test]
fn a_hundred_thousand_pairs() {
    let sandbox = sandbox("many-pairs", &hung_job());
    let mut pairs = String::new();
    for i in 0..100_000 {
        writeln!(pairs, "{} {}", i % 32, (i / 32) % 32).unwrap();
    }
    sandbox.write("pairs", pairs);
    let out = sandbox.ok(&[&ORDER[..], &["--pairs", "pairs"]].concat());
    assert_eq!(out.lines().count(), 100_000);
}
