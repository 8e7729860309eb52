//! What calls through pointers pass, and who is behind pointers.

use super::map_of;
use expect_test::{Expect, expect};
use std::fmt::Write as _;

fn check(path: &str, text: &str, expect: Expect) {
    let map = map_of(path, text);
    let mut found = String::new();
    for taken in &map.address_taken {
        let name = &map.functions[taken.function].name;
        let _ = writeln!(found, "{name}: {:?}", taken.parameters);
    }
    for call in &map.pointer_calls {
        let line = map.functions[call.function].points[call.point].span.line;
        let _ = writeln!(found, "line {line} passes {}", call.arguments);
    }
    expect.assert_eq(&found);
}

#[test]
fn parameters_and_arguments_of_c_are_counted() {
    check(
        "t.c",
        "int none(void) { return 0; }
int two(int a, char *b) { return a; }
int more(const char *text, ...) { return 0; }
int old(a, b) int a; { return a; }
int unnamed(int, int b) { return b; }
int other(int a) { return a; }
struct s { int (*call)(); int (*all[2])(int); } s = { two };
void f(int (*g)(int, int)) {
    s.call = none;
    s.call = more, s.call = old, s.call = unnamed;
    g(1, other(2));
    s.call();
    s.all[0](5);
}",
        expect![[r#"
            none: Some(0)
            two: Some(2)
            more: Some(1)
            old: Some(2)
            unnamed: Some(1)
            line 11 passes 2
            line 12 passes 0
            line 13 passes 1
        "#]],
    );
}

#[test]
fn of_cxx_nothing_is_counted() {
    check(
        "t.cc",
        "int two(int a, int b = 3) { return a; }
void f(int (*g)(int)) { g(1); f(two); }",
        expect![[r#"
            two: None
        "#]],
    );
}
