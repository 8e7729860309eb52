//! Which constants tell calls apart.

use super::map_of;
use expect_test::{Expect, expect};
use std::fmt::Write as _;

fn check(path: &str, text: &str, expect: Expect) {
    let map = map_of(path, text);
    let mut found = String::new();
    for each in &map.passed_constants {
        let line = map.functions[each.function].points[each.point].span.line;
        let _ = writeln!(found, "line {line}: register {} is {}", each.register, each.value);
    }
    expect.assert_eq(&found);
}

#[test]
fn those_that_differ_and_whose_register_is_certain() {
    check(
        "t.c",
        "void number(int a, double x, char *p, long n) { }
struct pair { long a, b; };
void object(int a, struct pair p, int n) { }
void many(int a, int b, int c, int d, int e, int f, int g) { }
void alone(int a) { }
void f(double x, char *p, struct pair q, int variable) {
    number(1, 2.5, p, -3);
    number(1, x, p, 4);
    number(variable, 3, p, 4);
    object(1, q, 5);
    object(2, q, 6);
    many(1, 2, 3, 4, 5, 6, 7);
    many(1, 2, 3, 4, 5, 7, 8);
    alone(9);
    elsewhere(1);
    elsewhere(2);
    MPI_Bcast(p, 1, variable, 0, variable);
    MPI_Bcast(p, 1, variable, 3, variable);
}",
        expect![[r#"
            line 7: register 2 is -3
            line 8: register 2 is 4
            line 9: register 2 is 4
            line 10: register 0 is 1
            line 11: register 0 is 2
            line 12: register 5 is 6
            line 13: register 5 is 7
            line 17: register 3 is 0
            line 18: register 3 is 3
        "#]],
    );
}

#[test]
fn of_cxx_none() {
    check(
        "t.cc",
        "void number(int a) { }
void f() { number(1); number(2); }",
        expect![""],
    );
}
