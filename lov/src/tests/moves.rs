//! How assignments move a variable, and what the moves of a loop make together.

use super::{check, check_cxx};
use expect_test::expect;

#[test]
fn a_counter_of_a_for_loop() {
    check(
        "void f(void) { for (int i = 0; i < 9; i++) work(); }",
        expect![[r#"
        1: i strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn constant_steps_in_every_form() {
    let text = "
void f(int n) {
    int a = 0, b = 90, c = 0, d = 0, t;
    while (more()) {
        a += 2;
        b = b - 3;
        c = 1 + c;
        t = d + 4;
        d = t;
    }
}";
    check(
        text,
        expect![[r#"
        4: a strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        4: b strict down at header same, proven: every iteration changes it by the same amount; start and steps are constants
        4: c strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        4: d strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        4: t refused: line 8 does not move it by a step that is known
    "#]],
    );
}

#[test]
fn a_step_that_a_loop_leaves_alone() {
    let text = "
void f(int step) {
    long x = 0, y = 0;
    while (more()) {
        x += step;
        y -= 2 * step;
    }
}";
    check(
        text,
        expect![[r#"
        4: x strict by step at updates relative: every cycle changes it; counted from its start, which differs by task: step is an argument of f(), whose callers are not all known
        4: y strict by step at updates relative: every cycle changes it; counted from its start, which differs by task: step is an argument of f(), whose callers are not all known
    "#]],
    );
}

#[test]
fn a_step_inside_a_minus_sign() {
    let text = "
void f(int step, unsigned n) {
    int a = 90, b = 0, c = 0, t;
    long x = 0, y = 0, z = 0;
    unsigned u;
    unsigned char narrow;
    while (more()) {
        a = -(3 - a);
        b = -(-b - 2);
        t = -(-4 - c);
        c = t;
        x = -(step - x);
        y = -(-y - step);
        z = -(long) (-(long) z - 5);
    }
    for (u = 0; u < n; u = -(-u - 1)) work();
    for (narrow = 90; narrow > 10; narrow = -(1 - narrow)) work();
}";
    check(
        text,
        expect![[r#"
        7: a strict down at header same, proven: every iteration changes it by the same amount; start and steps are constants
        7: b strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        7: c strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        7: z strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        7: x strict by step at updates relative: every cycle changes it; counted from its start, which differs by task: step is an argument of f(), whose callers are not all known
        7: y strict by step at updates relative: every cycle changes it; counted from its start, which differs by task: step is an argument of f(), whose callers are not all known
        7: t refused: line 10 does not move it by a step that is known
        16: u strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        17: narrow strict down at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn minus_signs_that_make_no_step() {
    let text = "
void f(double dt) {
    int sum = 1, turned = 1, product = 1, none = 1, itself = 1, half = 1, large = 1;
    long cut = 1, part = 1, signless = 1;
    unsigned u = 0;
    unsigned char narrow = 0;
    double t = 0.0;
    number_t n = 0;
    while (more()) {
        sum = -(3 + sum);
        turned = -(turned - 3);
        product = -(-product * 3);
        none = -(0 - none);
        itself = -(-itself - itself);
        half = -(dt - half);
        large = -(5000000000 - large);
        cut = -(int) (3 - cut);
        part = -((int) -part - 3);
        signless = -(-(unsigned) signless - 3);
        u = -(-u - 1);
        narrow = -(-narrow - 1);
        t = -(0.25 - t);
        n = -(1 - n);
    }
}";
    check(
        text,
        expect![[r#"
            9: cut refused: line 17 does not move it by a step that is known
            9: half refused: line 15 adds a fraction to an integer
            9: itself refused: line 14 does not move it by a step that is known
            9: large refused: line 16 adds -5000000000, which its type does not hold
            9: n refused: line 23 does not move it by a step that is known
            9: narrow refused: a variable of 8 bits may wrap around
            9: none refused: line 13 does not move it by a step that is known
            9: part refused: line 18 does not move it by a step that is known
            9: product refused: line 12 does not move it by a step that is known
            9: signless refused: line 19 does not move it by a step that is known
            9: sum refused: line 10 does not move it by a step that is known
            9: t refused: line 22 does not move it by a step that is known
            9: turned refused: line 11 does not move it by a step that is known
            9: u refused: a variable of 32 bits may wrap around
        "#]],
    );
}

#[test]
fn a_step_that_a_function_makes() {
    let text = "
int next(int x) { return x + 1; }
void advance(int *x) { *x += 2; }
void f(void) {
    int a = 0, b = 0;
    while (more()) {
        a = next(a);
        advance(&b);
    }
}";
    check(
        text,
        expect![[r#"
        6: a strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        6: b strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn a_global_that_a_function_steps() {
    let text = "
int step;
void advance(void) { step++; }
void f(void) {
    step = 0;
    while (step < 100)
        advance();
}";
    check(
        text,
        expect![[r#"
        6: step strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn growing_by_a_factor() {
    let text = "
void f(void) {
    for (long i = 1; i < 1000; i *= 2) work();
    for (long j = 1; j < 1000; j = 3 * j + 1) work();
    for (long k = 1; k < 1000; k <<= 1) work();
}";
    check(
        text,
        expect![[r#"
        3: i strict up multiplied at updates same, proven: every cycle changes it; start and steps are constants
        4: j strict up multiplied at updates same, proven: every cycle changes it; start and steps are constants
        5: k strict up multiplied at updates same, proven: every cycle changes it; start and steps are constants
    "#]],
    );
}

#[test]
fn growth_from_a_start_that_may_be_zero() {
    check(
        "void f(long i) { for (; i < 1000; i *= 2) work(); }",
        expect![[r#"
        1: i refused: it is multiplied, and its start is not known to be positive
    "#]],
    );
}

#[test]
fn shrinking_while_it_is_positive() {
    let text = "
void f(int n) {
    for (int i = 1000; i > 0; i /= 2) work();
    for (unsigned j = 1000; j; j >>= 1) work();
}";
    check(
        text,
        expect![[r#"
        3: i strict down multiplied at updates same, proven: every cycle changes it; start and steps are constants
        4: j strict down multiplied at updates same, proven: every cycle changes it; start and steps are constants
    "#]],
    );
}

#[test]
fn shrinking_may_stand_still_at_zero() {
    check(
        "void f(void) { int i = 1000; do { work(); i /= 2; } while (i >= 0); }",
        expect![[r#"
        1: i refused: it is divided and may stand still at zero
    "#]],
    );
}

#[test]
fn a_step_that_grows_itself() {
    let text = "
void f(void) {
    int stride = 1;
    for (int i = 0; i < 1000; i += stride) { work(); stride++; }
}";
    check(
        text,
        expect![[r#"
        4: i strict up at updates same, proven: every cycle changes it; start and steps are constants
        4: stride strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn floating_point_time() {
    let text = "
void f(double dt) {
    double t = 0.0;
    float s = 0.0f;
    double big = 1e20;
    while (t < 1.0) { work(); t += 0.25; s += 0.25f; big += 1.0; }
    for (double u = 0.0; u < 1.0; u += dt) work();
}";
    check(
        text,
        expect![[r#"
        6: t strict up floating at updates same, proven: every cycle changes it; start and steps are constants
        6: big weak up floating at updates same, proven: a small step may be lost in rounding; start and steps are constants
        6: s weak up floating at updates same, proven: a small step may be lost in rounding; start and steps are constants
        7: u strict by step floating at updates own: every cycle changes it; its values differ by task: dt is an argument of f(), whose callers are not all known
    "#]],
    );
}

#[test]
fn steps_that_sum_up_to_the_same_on_every_way() {
    check(
        "void f(void) { int i = 0; while (i < 90) { i += 3; work(); i -= 1; } }",
        expect![[r#"
            1: i strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        "#]],
    );
}

#[test]
fn not_on_every_cycle() {
    check(
        "void f(int n) { int found = 0; for (int i = 0; i < n; i++) if (test(i)) found++; }",
        expect![[r#"
            1: i strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
            1: found weak up at updates own: some cycles leave it as it is; its values differ by task: test() gives it and is not in the map
        "#]],
    );
}

#[test]
fn moves_that_tell_nothing() {
    let text = "
void f(int s, double x) {
    int cancels = 0, both = 0, mixed = 1, steps = 0, unknown = 0, whole = 0;
    while (more()) {
        cancels += 2; cancels -= 2;
        if (one()) both++; else both--;
        if (one()) mixed *= 2; else mixed += 1;
        if (one()) steps += s; else steps += 1;
        unknown = one();
        whole += 0.5;
    }
}";
    check(
        text,
        expect![[r#"
        4: both refused: it moves both ways
        4: cancels refused: its steps cancel out over an iteration
        4: mixed refused: it is both added to and multiplied
        4: steps refused: it moves by s and by other steps
        4: unknown refused: line 9 does not move it by a step that is known
        4: whole refused: line 10 adds a fraction to an integer
    "#]],
    );
}

#[test]
fn inner_loops_count_for_the_outer_one() {
    let text = "
void f(int n) {
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            k++;
}";
    check(
        text,
        expect![[r#"
        4: i strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        4: k weak up at updates own: some cycles leave it as it is; its values differ by task: n is an argument of f(), whose callers are not all known
        4: j refused: line 5 does not move it by a step that is known
        5: j strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        5: k strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn a_member_that_accessors_step() {
    let text = "
struct Domain {
    int &cycle() { return m_cycle; }
    int m_cycle;
};
void f(Domain &d) {
    d.cycle() = 0;
    while (d.cycle() < 10) {
        ++d.cycle();
        work();
    }
}";
    check_cxx(
        text,
        expect![[r#"
        8: d.m_cycle strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants; work() is not in the map and is taken to leave it alone
    "#]],
    );
}

#[test]
fn nothing_in_a_loop_with_two_entries() {
    let text = "
void f(int i) {
    if (i) goto middle;
    while (i < 10) {
        i++;
middle:
        work();
    }
}";
    check(text, expect![[""]]);
}

#[test]
fn what_is_added_must_fit() {
    let text = "
double fraction; long wide; unsigned one; short little; other strange;
struct amounts { double half; long wide; unsigned one; };
void f(struct amounts *by) {
    int a = 0, b = 0, c = 0, d = 0, e = 0, g = 0; unsigned u = 0; long l = 0, m = 0;
    while (more()) {
        a -= fraction;
        b += by->half;
        c += wide;
        d += little;
        e += strange;
        g += wide + 1;
        u += by->wide;
        l += -one;
        m += -strange;
    }
}";
    check(
        text,
        expect![[r#"
            6: d strict by step at updates same, proven: every cycle changes it; start and steps are constants; more() is not in the map and is taken to leave it alone
            6: a refused: line 7 adds a fraction to an integer
            6: b refused: line 8 adds a fraction to an integer
            6: c refused: line 9 adds a value that its type may not hold
            6: e refused: line 11 adds a value that its type may not hold
            6: g refused: line 12 adds a value that its type may not hold
            6: l refused: line 14 does not move it by a step that is known
            6: m refused: line 15 does not move it by a step that is known
            6: u refused: line 13 adds a value that its type may not hold
        "#]],
    );
}
