//! What a call may change, and what it adds.

use super::of_functions;
use crate::{Action, Target, Touch};
use expect_test::{Expect, expect};

/// Checks what each call of the last function does to the global `x`.
fn check(text: &str, expect: Expect) {
    let found = of_functions(text, |program, id, info| {
        if info.function.name.as_str() != "f" {
            return String::new();
        }
        let target = Target::Global("x".into());
        let points = info.flow.points.iter_enumerated();
        let calls = points.filter(|(_, each)| matches!(each.action, Action::Call(_)));
        let said = calls.map(|(point, each)| {
            let line = each.span.line;
            match (
                program.added_by_call(id, point, &target),
                program.may_change(id, point, &target),
            ) {
                (Some(added), _) => format!("{line}: adds {added}\n"),
                (None, Touch::Leaves) => format!("{line}: leaves it\n"),
                (None, Touch::Assumed(why)) => format!("{line}: taken to leave it: {why}\n"),
                (None, Touch::May(why)) => format!("{line}: may change it: {why}\n"),
            }
        });
        said.collect()
    });
    expect.assert_eq(&found);
}

#[test]
fn what_callees_do_to_a_global() {
    let text = "int x;
static void leaves(void) { int y = x; }
static void sets(void) { x = 4; }
static void adds(void) { x += 2; }
static void adds_sometimes(int n) { if (n) x++; }
static void passes_on(void) { sets(); }
void f(void) {
    leaves();
    sets();
    adds();
    adds_sometimes(3);
    passes_on();
    elsewhere();
    printf(\"%d\", x);
}";
    check(
        text,
        expect![[r#"
        8: leaves it
        9: may change it: sets() may change it
        10: adds 2
        11: may change it: adds_sometimes() may change it
        12: may change it: passes_on() may change it
        13: taken to leave it: elsewhere() is not in the map and is taken to leave it alone
        14: leaves it
    "#]],
    );
}

#[test]
fn what_rows_of_the_library_do_to_a_global() {
    let text = "int x, y;
void f(void) {
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    printf(\"%d\", x);
    gets_no_row(y);
}";
    check(
        text,
        expect![[r#"
        3: may change it: the call at line 3 sets it
        4: leaves it
        5: leaves it
        6: taken to leave it: gets_no_row() is not in the map and is taken to leave it alone
    "#]],
    );
}

#[test]
fn functions_behind_pointers() {
    let text = "int x;
static void sets(void) { x = 4; }
void (*call)(void) = sets;
void f(void) {
    call();
}";
    check(
        text,
        expect![[r#"
        5: may change it: sets() may change it
    "#]],
    );
}

#[test]
fn functions_elsewhere_that_may_call_back() {
    let text = "int x;
void sets(void) { x = 4; }
void f(void) {
    with(sets);
    elsewhere();
}";
    check(
        text,
        expect![[r#"
        4: may change it: with() is not in the map and may call sets()
        5: may change it: elsewhere() is not in the map and may call sets()
    "#]],
    );
}

/// The function that calls may be the one that is called back.
#[test]
fn functions_elsewhere_that_may_call_their_caller() {
    let text = "int x;
void f(void) {
    x = 4;
    with(f);
}";
    check(
        text,
        expect![[r#"
        4: may change it: with() is not in the map and may call f()
    "#]],
    );
    let text = "static int x;
void f(void) {
    x = 4;
    may_know_f();
}";
    check(
        text,
        expect![[r#"
        4: taken to leave it: may_know_f() is not in the map and is taken to leave it alone
    "#]],
    );
    let text = "static int x;
static void f(void) {
    x = 4;
    knows_nothing_here();
}";
    check(
        text,
        expect![[r#"
        4: leaves it
    "#]],
    );
}

#[test]
fn macros_that_stay_unexpanded() {
    let text = "#ifdef A
#define SET() one()
#else
#define SET() x = 4
#endif
int x;
void f(void) {
    SET();
    UNKNOWN();
}";
    check(
        text,
        expect![[r#"
        8: taken to leave it: one() is not in the map and is taken to leave it alone
        9: may change it: the macro UNKNOWN could not be expanded and may change it
    "#]],
    );
}

#[test]
fn who_sets_up_a_lock_lets_nobody_change_a_global() {
    let text = "int x;
static pthread_mutex_t lock;
void f(void) {
    pthread_mutex_init(&lock, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}";
    check(
        text,
        expect![[r#"
        4: leaves it
        5: taken to leave it: pthread_mutex_lock() is not in the map and is taken to leave it alone
        6: taken to leave it: pthread_mutex_unlock() is not in the map and is taken to leave it alone
    "#]],
    );
}
