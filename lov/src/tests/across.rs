//! What the values of two tasks say about each other.

use super::check;
use expect_test::expect;

#[test]
fn from_constants() {
    check(
        "void f(void) { for (int i = 3; i < 9; i += 2) work(); }",
        expect![[r#"
        1: i strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
    "#]],
    );
}

#[test]
fn from_what_is_given_to_the_program() {
    check(
        "int main(int argc, char **argv) { int n = atoi(argv[1]); for (int i = n; i > 0; i--) work(); }",
        expect![[r#"
            1: i strict down at header relative: every iteration changes it by the same amount; counted from its start, which differs by task: it is read from memory at line 1
        "#]],
    );
}

#[test]
fn from_the_rank() {
    let text = "
void f(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = rank; i < 100; i++) work();
    for (int j = 0; j < 100; j += rank) work();
}";
    check(
        text,
        expect![[r#"
        5: i strict up at header relative: every iteration changes it by the same amount; counted from its start, which differs by task: MPI_Comm_rank() sets it
        6: j strict by step at updates relative: every cycle changes it; counted from its start, which differs by task: MPI_Comm_rank() sets it
    "#]],
    );
}

#[test]
fn from_what_all_have_agreed_on() {
    let text = "
void f(int n) {
    double sum;
    int root = 0;
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = n; i > 0; i--) work();
}";
    check(
        text,
        expect![[r#"
        6: i strict down at header same, assumed: every iteration changes it by the same amount; start and steps are the same on every task: MPI_Bcast() sets it
    "#]],
    );
}

#[test]
fn from_what_was_received() {
    let text = "
void f(void) {
    int n;
    MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = n; i < 100; i++) work();
}";
    check(
        text,
        expect![[r#"
        5: i strict up at header relative: every iteration changes it by the same amount; counted from its start, which differs by task: MPI_Recv() sets it
    "#]],
    );
}

#[test]
fn pointers_count_from_their_start() {
    check(
        "void f(char *p, char *end) { for (char *q = p; q < end; q++) work(); }",
        expect![[r#"
        1: q strict up at updates relative: every cycle changes it; counted from its start, which differs by task: p is an argument of f(), whose callers are not all known
    "#]],
    );
}

#[test]
fn updates_that_tasks_choose_for_themselves() {
    let text = "
void f(void) {
    int rank, even = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) if (rank % 2 == 0) even++;
}";
    check(
        text,
        expect![[r#"
        5: i strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants
        5: even weak up at updates own: some cycles leave it as it is; its values differ by task: MPI_Comm_rank() sets it
    "#]],
    );
}

#[test]
fn a_start_that_nobody_knows() {
    check(
        "extern int base; void f(void) { int i = base; while (i < 10) { i++; work(); } }",
        expect![[r#"
        1: i strict up at header relative: every iteration changes it by the same amount; counted from its start, which differs by task: base is defined elsewhere; work() is not in the map and is taken to leave it alone
    "#]],
    );
}

#[test]
fn members_of_a_structure_that_is_set_as_a_whole() {
    let text = "
struct Span { int at, end; };
void f(void) {
    struct Span span = {2, 90};
    while (span.at < span.end) { span.at++; work(); }
}";
    check(
        text,
        expect![[r#"
        5: span.at strict up at header same, proven: every iteration changes it by the same amount; start and steps are constants; work() is not in the map and is taken to leave it alone
    "#]],
    );
}

/// Where one call alone leads to a function, what that call's function has set before is what a variable at file scope begins with.
#[test]
fn from_what_the_only_caller_has_set() {
    let text = "
int step, again, turn, either, count;
static void init(void) { step = 0; again = 0; turn = 0; }
static void run(void) { while (step < 10) { step++; work(); } }
static void twice(void) { while (again < 10) { again++; work(); } }
static void in_turn(void) { while (turn < 10) { turn += 3; work(); } }
static void one_of(void) { while (either < 10) { either++; work(); } }
static void deeper(void) { work(); run(); }
int main(int argc, char **argv) {
    MPI_Comm_rank(MPI_COMM_WORLD, &count);
    init();
    deeper();
    twice();
    twice();
    while (work()) in_turn();
    if (count) either = 2; else either = 1;
    one_of();
}";
    check(
        text,
        expect![[r#"
        4: step strict up at header same, assumed: every iteration changes it by the same amount; start and steps are the same on every task: work() is not in the map and is taken to leave it alone; work() is not in the map and is taken to leave it alone
        5: again strict up at header own: every iteration changes it by the same amount; its values differ by task: its value on entry to the loop is not known; work() is not in the map and is taken to leave it alone
        6: turn strict up at header own: every iteration changes it by the same amount; its values differ by task: its value on entry to the loop is not known; work() is not in the map and is taken to leave it alone
        7: either strict up at header own: every iteration changes it by the same amount; its values differ by task: its value on entry to the loop is not known; work() is not in the map and is taken to leave it alone
    "#]],
    );
}
