//! What calls hand on: each line is one such call, with the variable and the parameter that is the same, or leads to the same object.

use super::map_of;
use expect_test::{Expect, expect};
use std::fmt::Write as _;

fn check(path: &str, text: &str, expect: Expect) {
    let map = map_of(path, text);
    let mut shown = String::new();
    for each in &map.handed {
        let function = &map.functions[each.function];
        let line = function.points[each.point].span.line;
        let callee = &map.functions[each.callee].name;
        let _ = writeln!(
            shown,
            "{}:{line}: {} is {} of {callee}",
            function.name, each.variable, each.parameter
        );
    }
    expect.assert_eq(&shown);
}

#[test]
fn objects_are_handed_on_by_reference_and_from_callee_to_callee() {
    check(
        "t.cc",
        "struct Sim { int i; void send(); };
static void exchange(Sim &e, int n) { MPI_Barrier(n * e.i); }
static void by_pointer(Sim *b) { exchange(*b, b->i); }
static void step(Sim &s) { exchange(s, s.i); by_pointer(&s); }
void Sim::send() { MPI_Barrier(i); }
int main()
{
    Sim *p = new Sim;
    for (p->i = 0; p->i < 9; p->i++) {
        step(*p);
        by_pointer(p);
        p->send();
    }
    return 0;
}
",
        expect![[r#"
            by_pointer:3: b is e of exchange
            step:4: s is e of exchange
            main:10: p is s of step
            main:11: p is b of by_pointer
            main:12: p is this of send
        "#]],
    );
}

#[test]
fn numbers_are_handed_on_as_they_are() {
    check(
        "t.c",
        "static void inner(int k) { MPI_Barrier(k); }
static void outer(int j) { inner(j); }
static void changes(int j) { j++; inner(j); }
int main(void)
{
    for (int i = 0; i < 9; i++) {
        outer(i);
        changes(i);
    }
    return 0;
}
",
        expect![[r#"
            outer:2: j is k of inner
            main:7: i is j of outer
        "#]],
    );
}

#[test]
fn what_may_be_another_object_is_not_handed_on() {
    check(
        "t.cc",
        "struct Sim { int i; };
static void takes(Sim *t) { MPI_Barrier(t->i); }
static void moves(Sim *m) { m = m + 1; MPI_Barrier(m->i); }
static void copy(Sim c) { MPI_Barrier(c.i); }
int main(int argc, char **argv)
{
    Sim a[2], *p = a, *q = a;
    for (p->i = 0; p->i < 9; p->i++) {
        moves(p);
        copy(*p);
    }
    for (q->i = 0; q->i < 9; q->i++) {
        if (argc > 2) q = a + 1;
        takes(q);
    }
    return 0;
}
",
        expect![[r#""#]],
    );
}

fn check_steps(text: &str, expect: Expect) {
    let map = map_of("t.cc", text);
    let mut shown = String::new();
    for each in &map.inner_steps {
        let (function, callee) = (&map.functions[each.function], &map.functions[each.callee]);
        let line = function.points[each.point].span.line;
        let at = callee.points[each.at].span.line;
        let _ = writeln!(
            shown,
            "{}:{line}: the step is in {}:{at}",
            function.name, callee.name
        );
    }
    expect.assert_eq(&shown);
}

#[test]
fn steps_in_callees_are_found_at_one_point() {
    check_steps(
        "struct Sim { int i; int n; };
static void step(Sim &s) { MPI_Barrier(s.n); ++s.i; MPI_Barrier(s.n); }
static void deeper(Sim *s) { MPI_Barrier(s->n); step(*s); }
static void either(Sim &s) { if (s.n) { s.i++; return; } MPI_Barrier(s.n); s.i++; }
static void twice(Sim &s) { s.i++; MPI_Barrier(s.n); s.i++; }
int main(int argc, char **argv)
{
    Sim *a = new Sim, *b = new Sim, *c = new Sim, *d = new Sim, e;
    for (a->i = 0; a->i < 9; ) step(*a);
    for (b->i = 0; b->i < 9; ) deeper(b);
    for (c->i = 0; c->i < 9; ) either(*c);
    for (d->i = 0; d->i < 9; ) twice(*d);
    for (e.i = 0; e.i < 9; ) deeper(&e);
    return 0;
}
",
        expect![[r#"
            deeper:3: the step is in step:2
            main:9: the step is in step:2
            main:10: the step is in deeper:3
        "#]],
    );
}
