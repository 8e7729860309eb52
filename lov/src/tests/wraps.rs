//! Variables that may leave their type, and what keeps them in it.

use super::check;
use expect_test::expect;

#[test]
fn signed_overflow_has_no_meaning() {
    check(
        "void f(void) { int i = 0; while (more()) i++; }",
        expect![[r#"
        1: i strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn unsigned_wraps_unless_a_condition_holds_it() {
    let text = "
void f(unsigned n) {
    unsigned i = 0, j = 0;
    while (more()) i++;
    while (j < n) j++;
}";
    check(
        text,
        expect![[r#"
        4: i refused: a variable of 32 bits may wrap around
        5: j strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn sixty_four_bits_last_for_ever() {
    check(
        "void f(void) { unsigned long i = 0; while (more()) i++; }",
        expect![[r#"
        1: i strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn narrow_types() {
    let text = "
void f(void) {
    signed char a = 0;
    short b;
    while (more()) a++;
    for (b = 0; b < 100; b++) work();
}";
    check(
        text,
        expect![[r#"
        5: a refused: a variable of 8 bits may wrap around
        6: b strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn types_that_are_not_known() {
    check(
        "void f(void) { count_t i = 0; while (more()) i++; }",
        expect![[r#"
        1: i refused: its type is not known and it may wrap around
    "#]],
    );
}

#[test]
fn steps_that_the_type_does_not_hold() {
    let text = "
void f(long n) {
    int i = 0, j = 0;
    unsigned u = 90;
    while (more()) { i += 5000000000; j += n; }
    while (u > 10) u += (unsigned) -1;
}";
    check(
        text,
        expect![[r#"
        5: i refused: line 5 adds 5000000000, which its type does not hold
        5: j refused: line 5 adds a value that its type may not hold
        6: u refused: line 6 does not move it by a step that is known
    "#]],
    );
}

#[test]
fn growth_without_a_bound() {
    check(
        "void f(void) { unsigned i = 1; while (more()) i *= 2; }",
        expect![[r#"
        1: i refused: it is multiplied without a bound and may leave its type
    "#]],
    );
}

#[test]
fn a_branch_in_the_head_of_a_loop_that_does_not_end_it_bounds_nothing() {
    check(
        "int limit(void); void a(void); void b(void); void work(void);
void f(void) {
    for (unsigned u = 0;; u++, u < limit() ? a() : b()) work();
}",
        expect![[r#"
            3: u refused: a variable of 32 bits may wrap around
        "#]],
    );
}
