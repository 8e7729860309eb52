//! Calls whose result decides whether others follow: each line is such a call, with what follows.

use super::map_of;
use expect_test::{Expect, expect};
use std::fmt::Write as _;

fn check(text: &str, expect: Expect) {
    check_as("t.c", text, expect);
}

fn check_as(path: &str, text: &str, expect: Expect) {
    let map = map_of(path, text);
    let mut shown = String::new();
    for each in &map.decisive {
        let points = &map.functions[each.function].points;
        let name = |at| points[at].kind.callee().unwrap_or("?");
        let line = points[each.point].span.line;
        let follow = each.follow.iter().map(|&at| name(at)).collect::<Vec<_>>();
        let _ = writeln!(
            shown,
            "{line}: {} decides about {}",
            name(each.point),
            follow.join(", ")
        );
    }
    expect.assert_eq(&shown);
}

#[test]
fn a_tested_result_decides() {
    check(
        "int g(int);
int f(int n)
{
    int r = 0;
    if (n) {
        r = f(n - 1); if (r) return r;
        r = g(n); if (r) return r;
    }
    return 0;
}
int h(int n)
{
    if (n && h(n - 1) != 0)
        return 1;
    g(n);
    return 0;
}
int k(int n)
{
    int r;
    if (!n || (r = k(n - 1)) < 0)
        return 1;
    else
        return g(r);
}",
        expect![[r#"
            6: f decides about g
            13: h decides about g
            21: k decides about g
        "#]],
    );
}

#[test]
fn an_error_that_is_reported_decides() {
    check(
        "void report(int);
int f(int n)
{
    int r = n ? f(n - 1) : 0;
    const int s = f(n - 2);
    if (s) {
        report(s);
        return s;
    }
    return r;
}",
        expect![[r#"
            5: f decides about report
        "#]],
    );
}

#[test]
fn by_way_of_another_function() {
    check(
        "int g(int);
static int f(int n);
static int step(int n) { if (n == 3) return 0; return f(n - 1); }
static int f(int n)
{
    int r = step(n);
    if (r)
        return r;
    return g(n);
}",
        expect![[r#"
            6: step decides about g
        "#]],
    );
}

#[test]
fn what_may_be_known_without_the_result_does_not_decide() {
    // Another condition may skip what follows; the result is changed, or tested against what another function gives; nothing follows
    // that anybody would miss; what follows is called through a pointer.
    check(
        "int g(int); int limit(void); int strict;
int skipped(int n) { int r = skipped(n - 1); if (r) return r; if (strict) g(n); return 0; }
int with_another(int n) { int r = with_another(n - 1); if (r && strict) return r; g(n); return 0; }
int changed(int n) { int r = changed(n - 1); if (strict) r = 0; if (r) return r; g(n); return 0; }
int against(int n) { int r = against(n - 1); if (r < strict) return r; g(n); return 0; }
int computes(int n) { int r = computes(n - 1); if (r) return r; return abs(n); }
int by_pointer(int n, int (*p)(int)) { int r = by_pointer(n - 1, p); if (r) return r; return p(n); }
void keep(int *);
int known_elsewhere(int n) { int r = 0; keep(&r); r = known_elsewhere(n - 1); if (r) return r; return g(n); }
int plain(int n) { return plain(n - 1); }
int no_recursion(int n) { int r = g(n); if (r) return r; return limit(); }",
        expect![""],
    );
}

#[test]
fn members_of_classes() {
    check_as(
        "t.cc",
        "struct level { level *coarse; int solve(); int smooth(); };
int level::solve()
{
    if (coarse)
        if (int error = coarse->solve())
            return error;
    return smooth();
}",
        expect![[r#"
            5: solve decides about smooth
        "#]],
    );
}
