//! Flow graphs as lines: `3 -> 4 6` says that behind what stands on line 3 comes what stands on line 4 or 6.

use super::of_functions;
use crate::FlowKind;
use base::Id as _;
use expect_test::{Expect, expect};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Checks which lines follow which, the loops, and who decides about calls.
fn check(text: &str, expect: Expect) {
    let found = of_functions(text, |_, _, info| {
        let flow = &info.flow;
        let line = |point| flow.points[point].span.line;
        let mut text = String::new();
        let mut steps: BTreeSet<(u32, u32)> = BTreeSet::new();
        for (point, _) in flow
            .points
            .iter_enumerated()
            .filter(|(point, _)| flow.reachable[*point])
        {
            steps.extend(flow.succs[point].iter().map(|&next| (line(point), line(next))));
        }
        steps.retain(|(from, to)| from != to);
        let from: BTreeSet<u32> = steps.iter().map(|step| step.0).collect();
        for from in from {
            let to = steps.iter().filter(|step| step.0 == from);
            let to = Vec::from_iter(to.map(|step| step.1.to_string()));
            let _ = writeln!(text, "{from} -> {}", to.join(" "));
        }
        for (id, each) in info.loops.loops.iter_enumerated() {
            let lines: BTreeSet<u32> = each.points.iter().map(|&point| line(point)).collect();
            let _ = writeln!(
                text,
                "loop {}: {lines:?}, in {:?}{}",
                id.index(),
                each.parent.map(|parent| parent.index()),
                if each.reducible {
                    ""
                } else {
                    ", of several entries"
                },
            );
        }
        for (point, each) in flow.points.iter_enumerated() {
            if each.kind == FlowKind::Call && flow.reachable[point] {
                let deciders: BTreeSet<u32> = info.control.deciders(point).into_iter().map(line).collect();
                let _ = writeln!(text, "the call on {} is decided on {deciders:?}", each.span.line);
            }
        }
        if let Some(why) = &flow.distrust {
            let _ = writeln!(text, "not trusted: {why}");
        }
        text
    });
    expect.assert_eq(&found);
}

#[test]
fn branches_meet_again() {
    let text = "void f(int n) {
    if (n)
        one();
    else
        two();
    three();
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3 5
        3 -> 6
        5 -> 6
        6 -> 1
        the call on 3 is decided on {2}
        the call on 5 is decided on {2}
        the call on 6 is decided on {}
    "#]],
    );
}

/// C++ calls there; a constant is there before the program starts.
#[test]
fn what_a_static_variable_begins_with_is_called_by_the_first() {
    let text = "void f(void) {
    static int limit = 3;
    static int kept =
        first();
    second(kept);
}";
    check(
        text,
        expect![[r#"
        1 -> 3
        3 -> 4 5
        4 -> 3
        5 -> 1
        the call on 4 is decided on {3}
        the call on 5 is decided on {}
    "#]],
    );
}

#[test]
fn loops_within_loops() {
    let text = "void f(int n) {
    for (int i = 0; i < n; i++) {
        one();
        while (more())
            two();
    }
    three();
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3 7
        3 -> 4
        4 -> 2 5
        5 -> 4
        7 -> 1
        loop 0: {2, 3, 4, 5}, in None
        loop 1: {4, 5}, in Some(0)
        the call on 3 is decided on {2}
        the call on 4 is decided on {2, 4}
        the call on 5 is decided on {2, 4}
        the call on 7 is decided on {}
    "#]],
    );
}

#[test]
fn tests_at_the_end() {
    let text = "void f(int n) {
    do {
        one();
        n--;
    } while (n);
    two();
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3
        3 -> 4
        4 -> 5
        5 -> 2 6
        6 -> 1
        loop 0: {2, 3, 4, 5}, in None
        the call on 3 is decided on {5}
        the call on 6 is decided on {}
    "#]],
    );
}

#[test]
fn ways_out_of_a_loop() {
    let text = "void f(int n) {
    while (n) {
        if (one())
            break;
        if (two())
            continue;
        if (three())
            return;
        four();
    }
    five();
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3 11
        3 -> 4 5
        4 -> 11
        5 -> 6 7
        6 -> 2
        7 -> 8 9
        8 -> 1
        9 -> 2
        11 -> 1
        loop 0: {2, 3, 4, 5, 6, 7, 8, 9}, in None
        the call on 3 is decided on {2, 3, 5, 7}
        the call on 5 is decided on {2, 3, 5, 7}
        the call on 7 is decided on {2, 3, 5, 7}
        the call on 9 is decided on {2, 3, 5, 7}
        the call on 11 is decided on {2, 3, 5, 7}
    "#]],
    );
}

#[test]
fn cases_fall_through() {
    let text = "void f(int n) {
    switch (n) {
    case 1:
        one();
    case 2:
        two();
        break;
    default:
        three();
    }
    four();
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3 5 8
        3 -> 4
        4 -> 5
        5 -> 6
        6 -> 7
        7 -> 11
        8 -> 9
        9 -> 11
        11 -> 1
        the call on 4 is decided on {2}
        the call on 6 is decided on {2}
        the call on 9 is decided on {2}
        the call on 11 is decided on {}
    "#]],
    );
}

#[test]
fn jumps_make_loops() {
    let text = "void f(int n) {
again:
    one();
    if (n)
        goto again;
    two();
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3
        3 -> 4
        4 -> 5 6
        5 -> 2
        6 -> 1
        loop 0: {2, 3, 4, 5}, in None
        the call on 3 is decided on {4}
        the call on 6 is decided on {}
    "#]],
    );
}

#[test]
fn loops_that_are_jumped_into() {
    let text = "void f(int n) {
    if (n)
        goto middle;
    while (more()) {
        one();
middle:
        two();
    }
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3 4
        3 -> 6
        4 -> 1 5
        5 -> 6
        6 -> 7
        7 -> 4
        loop 0: {4, 5, 6, 7}, in None, of several entries
        the call on 4 is decided on {4}
        the call on 5 is decided on {4}
        the call on 7 is decided on {2, 4}
    "#]],
    );
}

#[test]
fn conditions_are_decided_from_left_to_right() {
    let text = "void f(int n) {
    if (one()
        && two()
        || three())
        four();
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3 4
        3 -> 4 5
        4 -> 1 5
        5 -> 1
        the call on 2 is decided on {}
        the call on 3 is decided on {2}
        the call on 4 is decided on {2, 3}
        the call on 5 is decided on {2, 3, 4}
    "#]],
    );
}

#[test]
fn both_arms_of_a_build_choice() {
    let text = "void f(int n) {
#ifdef A
    one();
#else
    two();
#endif
    three();
}";
    check(
        text,
        expect![[r#"
        1 -> 2
        2 -> 3 5
        3 -> 7
        5 -> 7
        7 -> 1
        the call on 3 is decided on {2}
        the call on 5 is decided on {2}
        the call on 7 is decided on {}
    "#]],
    );
}

#[test]
fn what_cannot_be_trusted() {
    check(
        "void f(void) { goto nowhere; }",
        expect![[r#"
        not trusted: goto nowhere leads to no label
    "#]],
    );
    check(
        "void f(void *p) { goto *p; }",
        expect![[r#"
        not trusted: goto through a pointer at line 1
    "#]],
    );
    check(
        "void f(void) { break; }",
        expect![[r#"
        not trusted: break outside a loop at line 1
    "#]],
    );
    check(
        "void f(void) { continue; }",
        expect![[r#"
        not trusted: continue outside a loop at line 1
    "#]],
    );
    check(
        "void f(jmp_buf b) { if (setjmp(b)) one(); }",
        expect![[r#"
        the call on 1 is decided on {}
        the call on 1 is decided on {1}
        not trusted: setjmp at line 1 returns twice
    "#]],
    );
}
