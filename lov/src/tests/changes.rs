//! Changes that may stay unseen: each refuses its variable.

use super::{check, check_cxx};
use expect_test::expect;

#[test]
fn a_pragma_that_divides_the_iterations() {
    let text = "
void f(int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) work(i);
}";
    check(
        text,
        expect![[r#"
        4: i refused: a pragma divides the iterations of the loop among threads
    "#]],
    );
}

#[test]
fn an_address_that_escapes() {
    let text = "
void f(void) {
    int i = 0;
    keep(&i);
    while (i < 10) { i++; work(); }
}";
    check(
        text,
        expect![[r#"
        5: i refused: it may change through a pointer
    "#]],
    );
}

#[test]
fn an_address_that_a_function_promises_to_leave() {
    let text = "
void show(const int *x) { note(x); }
void f(void) {
    for (int i = 0; i < 10; i++) show(&i);
}";
    check(
        text,
        expect![[r#"
            4: i strict up at header same, assumed: every iteration changes it by the same amount; start and steps are the same on every task: i is given to functions that promise not to change it; show() has promised not to change it (const)
        "#]],
    );
}

#[test]
fn a_static_of_a_function() {
    check(
        "void f(void) { static int i; while (i < 10) { i++; work(); } }",
        expect![[r#"
        1: i refused: it is static and other calls of the function change it
    "#]],
    );
}

#[test]
fn a_call_that_sets_it() {
    let text = "
void set(int *x) { *x = read(); }
void f(void) { int i = 0; while (i < 10) { i++; set(&i); } }";
    check(
        text,
        expect![[r#"
        3: i refused: line 3 does not move it by a step that is known
    "#]],
    );
}

#[test]
fn a_global_whose_address_is_taken() {
    let text = "
int step;
int *where = &step;
void f(void) { for (step = 0; step < 10; step++) work(); }";
    check(
        text,
        expect![[r#"
        4: step refused: its address is taken
    "#]],
    );
}

#[test]
fn a_global_that_a_callee_changes() {
    let text = "
int step;
void work(void) { step = other(); }
void f(void) { for (step = 0; step < 10; step++) work(); }";
    check(
        text,
        expect![[r#"
        4: step refused: line 4 does not move it by a step that is known
    "#]],
    );
}

#[test]
fn a_global_that_functions_elsewhere_may_change() {
    check(
        "int step; void f(void) { for (step = 0; step < 10; step++) work(); }",
        expect![[r#"
        1: step strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants; work() is not in the map and is taken to leave it alone
    "#]],
    );
}

#[test]
fn members_of_unions() {
    let text = "
union U { int i; float x; };
void f(void) { union U u; u.i = 0; while (u.i < 10) { u.i++; work(); } }";
    check(
        text,
        expect![[r#"
        3: u.i refused: i shares its memory with other members of a union
    "#]],
    );
}

#[test]
fn a_member_whose_address_is_taken() {
    let text = "
struct S { int n; };
int *of(struct S *s) { return &s->n; }
void f(struct S *s) { for (s->n = 0; s->n < 10; s->n++) work(); }";
    check(
        text,
        expect![[r#"
        4: s->n refused: the address of a member n is taken
    "#]],
    );
}

#[test]
fn ways_to_a_member() {
    let text = "
struct S { int n; struct S *next; };
void f(struct S *s, struct S *t) {
    while (s->n < 10) { s->n++; s = s->next; }
}
void g(struct S *s, struct S *t) {
    while (s->n < 10) { s->n++; t->n++; }
}
void h(struct S *s) {
    while (s->next->n < 10) { s->next->n++; s->next = s->next->next; }
}
void k(struct S *s, int *p) {
    while (s->n < 10) { s->n++; *p = 3; }
}
void l(struct S *s, int *a) {
    for (s->n = 0; s->n < 10; s->n++) a[s->n] = 3;
}";
    check(
        text,
        expect![[r#"
        4: s refused: line 4 does not move it by a step that is known
        4: s->n refused: line 4 changes the way to it
        7: s->n refused: line 7 assigns a member of the same name by another path
        7: t->n refused: line 7 assigns a member of the same name by another path
        10: s->next refused: line 10 does not move it by a step that is known
        10: s->next->n refused: line 10 changes the way to it
        13: s->n refused: line 13 writes through a pointer
        16: s->n strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn a_pointer_to_a_member_that_escapes() {
    let text = "
struct S { int n; };
void f(struct S *s) {
    keep(&s);
    for (s->n = 0; s->n < 10; s->n++) work();
}";
    check(
        text,
        expect![[r#"
        5: s->n refused: s may change through a pointer
    "#]],
    );
}

#[test]
fn a_way_that_a_call_may_change() {
    let text = "
struct S { int n; };
struct S *now;
void move(void) { now = other(); }
void f(void) {
    for (now->n = 0; now->n < 10; now->n++) move();
}";
    check(
        text,
        expect![[r#"
        6: now refused: line 6 does not move it by a step that is known
        6: now->n refused: the way to it may change: move() may change it
    "#]],
    );
}

#[test]
fn another_variable_of_the_name() {
    let text = "
void f(void) {
    int i = 0;
    while (i < 10) {
        i++;
        { int i = 3; use(i); }
    }
}";
    check(
        text,
        expect![[r#"
        4: i refused: another variable of this name, declared at line 6, hides it
        4: i refused: line 6 does not move it by a step that is known
    "#]],
    );
}

#[test]
fn calls_and_updates_in_no_order() {
    check(
        "void f(void) { int i = 0; while (i < 10) use(g(i), i++); }",
        expect![[r#"
        1: i refused: at line 1 C leaves open whether a call or its update comes first
    "#]],
    );
}

#[test]
fn captured_by_a_lambda() {
    let text = "
void f() {
    int i = 0;
    auto add = [&] { i = other(); };
    while (i < 10) { i++; add(); }
}";
    check_cxx(
        text,
        expect![[r#"
        5: i refused: it may change through a pointer
    "#]],
    );
}

#[test]
fn functions_that_were_read_in_part() {
    check(
        "void f(void) { int i; for (i = 0; i < 10; i++) { work( ; } }",
        expect![[r#"
        1: i refused: the function was read in part (statement that is not understood at line 1)
    "#]],
    );
}
