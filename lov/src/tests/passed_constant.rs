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
        "#ifdef WIDE
typedef long long whole;
#else
typedef int whole;
#endif
void typed(whole a, whole b) { }
void number(int a, double x, char *p, long n) { }
struct pair { long a, b; };
void object(int a, struct pair p, int n) { }
void many(int a, int b, int c, int d, int e, int f, int g) { }
void alone(int a) { }
void narrow(unsigned char a, short b, int c) { }
void unseen(some_type a, int b) { }
void f(double x, char *p, struct pair q, int variable) {
    number(1, 2.5, p, -3);
    number(1, x, p, 4);
    number(variable, 3, p, 4);
    object(1, q, 5);
    object(2, q, 6);
    many(1, 2, 3, 4, 5, 6, 7);
    many(1, 2, 3, 4, 5, 7, 8);
    alone(9);
    narrow(-1, -1, 1);
    narrow(1, 1, 2);
    unseen(1, 1);
    unseen(1, 2);
    typed(1, -1);
    typed(2, 300);
    elsewhere(1);
    elsewhere(2);
    MPI_Bcast(p, 1, variable, 0, variable);
    MPI_Bcast(p, 1, variable, 3, variable);
}",
        expect![[r#"
            line 15: register 2 is -3
            line 16: register 2 is 4
            line 17: register 2 is 4
            line 18: register 0 is 1
            line 19: register 0 is 2
            line 20: register 5 is 6
            line 21: register 5 is 7
            line 23: register 2 is 1
            line 24: register 2 is 2
            line 27: register 0 is 1
            line 27: register 1 is -1
            line 28: register 0 is 2
            line 28: register 1 is 300
            line 31: register 3 is 0
            line 32: register 3 is 3
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
