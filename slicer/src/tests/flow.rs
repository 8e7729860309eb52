//! Dependences within a function: values, branches, memory; and what is no criterion.

use super::{check, check_cxx};
use expect_test::expect;

#[test]
fn values_of_variables() {
    let text = "
void f(int n) {
    int a = n;
    int b = 3;
    int c = a + 1;
    use(c); //<
    b = c;
}";
    check(
        text,
        expect![[r#"
        6 at 0: Criterion
        5 at 1: Sets c of 6
        3 at 2: Sets a of 5
    "#]],
    );
}

#[test]
fn a_variable_of_a_line() {
    let text = "
void f(int n) {
    int a = n;
    int b = 3;
    use(a, b); //< b
}";
    check(
        text,
        expect![[r#"
        4 at 1: Sets b
    "#]],
    );
}

#[test]
fn branches_and_loops_that_decide() {
    let text = "
void f(int n, int m) {
    int done = 0;
    if (m)
        log();
    while (!done) {
        if (n > 3)
            use(n); //<
        done = test();
    }
}";
    check(
        text,
        expect![[r#"
            8 at 0: Criterion
            7 at 1: Decides of 8
            6 at 3: Decides of 7
            3 at 4: Sets done of 6
            9 at 4: Sets done of 6
        "#]],
    );
}

#[test]
fn jumps_that_leave_it_out() {
    let text = "
void f(int n) {
    if (n > 3)
        return;
    if (n < 0)
        goto out;
    use(); //<
out:
    log();
}";
    check(
        text,
        expect![[r#"
            7 at 0: Criterion
            5 at 1: Decides of 7
            6 at 2: Jumps of 5
            3 at 3: Decides of 5
            4 at 4: Jumps of 3
        "#]],
    );
}

#[test]
fn calls_that_may_not_return() {
    let text = "
void f(int n) {
    if (n > 3)
        exit(1);
    log();
    use(); //<
}";
    check(
        text,
        expect![[r#"
        6 at 0: Criterion
        3 at 1: Decides of 6
        4 at 3: Ends of 6
    "#]],
    );
}

#[test]
fn assignments_that_are_overwritten() {
    let text = "
void f(void) {
    int a = one();
    a = two();
    use(a); //<
}";
    check(
        text,
        expect![[r#"
        5 at 0: Criterion
        4 at 1: Sets a of 5
    "#]],
    );
}

#[test]
fn memory_by_pointers() {
    let text = "
void f(int n) {
    int a, b;
    int *p = &a, *q = &b;
    *p = n;
    *q = 4;
    use(a); //<
}";
    check(
        text,
        expect![[r#"
            7 at 0: Criterion
            5 at 1: Sets a of 7
            4 at 4: Sets p of 5
        "#]],
    );
}

#[test]
fn members_are_told_apart() {
    let text = "
struct S { int x, y; };
void f(struct S *s, int n) {
    s->x = n;
    s->y = 4;
    use(s->x); //<
}";
    check(
        text,
        expect![[r#"
            6 at 0: Criterion
            4 at 3: Sets s->x of 6
        "#]],
    );
}

#[test]
fn elements_are_one() {
    let text = "
void f(int *a, int n) {
    a[0] = n;
    a[1] = 4;
    use(a[0]); //<
}";
    check(
        text,
        expect![[r#"
            5 at 0: Criterion
            3 at 3: Sets a[] of 5
            4 at 3: Sets a[] of 5
        "#]],
    );
}

#[test]
fn captured_variables() {
    let text = "
void f(int n) {
    int a = 0;
    auto set = [&] { a = n; };
    set();
    use(a); //<
}";
    check_cxx(
        text,
        expect![[r#"
            6 at 0: Criterion
            3 at 1: Sets a of 6
            4 at 3: Sets a of 6
            5 at 4: Calls of 4
        "#]],
    );
}

#[test]
fn a_line_within_a_statement_is_the_statement() {
    check(
        "
int input(int);
int f(int n) {
    int a = input(n) +

        2; //<
    return a;
}
",
        expect![[r#"
            4 at 0: Criterion
        "#]],
    );
}

#[test]
fn no_statement_there() {
    check(
        "\nint f(int n) {\n    use(n);\n//<\n    return n;\n}\n",
        expect!["nothing is executed at t.c:4"],
    );
    check(
        "\nvoid f(int n) {\n    use(n);\n}\n//<\n",
        expect!["nothing is executed at t.c:5"],
    );
}

#[test]
fn no_such_variable_there() {
    check(
        "\nvoid f(int n) {\n    use(n); //< m\n}\n",
        expect!["nothing at t.c:3 reads or writes m"],
    );
}

/// How many bytes `sizeof` is of, nobody says.
#[test]
fn members_behind_one_that_is_filled() {
    check(
        "
struct s { int a, b; };
void far(struct s *s) {
    memset(&s->a, 0, sizeof *s);
    use(s->b); //<
}",
        expect![[r#"
            5 at 0: Criterion
            4 at 4: Sets s->b of 5
        "#]],
    );
    check(
        "
struct s { int a, b; };
void whole(struct s s, char *to) {
    s.b = 1;
    memcpy(to, (char *)&s.a, sizeof s);
    use(to[4]); //<
}",
        expect![[r#"
            6 at 0: Criterion
            4 at 3: Sets to[] of 6
            5 at 3: Sets to[] of 6
        "#]],
    );
    check(
        "
struct s { int a, b; };
void near(struct s *s) {
    int *p = &s->a;
    memset(p, 0, sizeof *p);
    use(s->b); //<
}",
        expect![[r#"
            6 at 0: Criterion
        "#]],
    );
}

/// A pointer to one member, moved to others.
#[test]
fn members_behind_others() {
    check(
        "
struct s { int a, b; };
void far(struct s *s) {
    int *p = &s->a;
    p[1] = 4;
    use(s->b); //<
}",
        expect![[r#"
            6 at 0: Criterion
            5 at 4: Sets s->b of 6
            4 at 7: Sets p of 5
        "#]],
    );
    check(
        "
struct s { int a, b; };
void near(struct s *s) {
    int *p = &s->a;
    p[0] = 4;
    use(s->b); //<
}",
        expect![[r#"
            6 at 0: Criterion
        "#]],
    );
    check(
        "
struct s { int a, b; };
static void put(int *p, int n) {
    while (n > 0) {
        *p++ = n;
        n = n - 1;
    }
}
void handed(struct s *s) {
    put(&s->a, 2);
    use(s->b); //<
}",
        expect![[r#"
            11 at 0: Criterion
            5 at 4: Sets s->b of 11
            6 at 5: Sets n of 5
            10 at 5: Calls of 5
            4 at 6: Decides of 5
        "#]],
    );
    check(
        "
struct s { int a, b; };
void sent(struct s *s) {
    MPI_Bcast(&s->a, 2, MPI_INT, 0, MPI_COMM_WORLD);
    use(s->b); //<
}",
        expect![[r#"
            5 at 0: Criterion
            4 at 4: Sets s->b of 5
        "#]],
    );
    check(
        "
struct s { int a, b; };
void one(struct s *s) {
    MPI_Bcast(&s->a, 1, MPI_INT, 0, MPI_COMM_WORLD);
    use(s->b); //<
}",
        expect![[r#"
            5 at 0: Criterion
        "#]],
    );
}

/// A header in front of an array that is a member.
#[test]
fn members_before_an_array() {
    check(
        "
struct s { int head; int data[4]; };
void back(struct s *s) {
    int *p = s->data;
    p[-1] = 4;
    p[2] = 5;
    use(s->head); //<
}",
        expect![[r#"
            7 at 0: Criterion
            5 at 4: Sets s->head of 7
            6 at 4: Sets s->head of 7
            4 at 7: Sets p of 5
        "#]],
    );
    check(
        "
struct s { int head; int data[4]; };
void inside(struct s *s) {
    int *p = s->data;
    p[2] = 5;
    use(s->head); //<
}",
        expect![[r#"
            6 at 0: Criterion
        "#]],
    );
}

/// What is asked about comes back to itself: the reasons end all the same.
#[test]
fn a_variable_that_depends_on_itself() {
    check(
        "
int n;
void g(void);
int main(void) {
    for (int i = 0; i < 3; i++) {
        n = n + 1; //< n
        g();
    }
}",
        expect![[r#"
            6 at 1: Sets n
            2 at 1: Sets n of 6
            5 at 3: Decides of 6
        "#]],
    );
}
