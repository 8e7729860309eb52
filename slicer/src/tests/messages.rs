//! Messages: what a receive waits for.

use super::check;
use expect_test::expect;

#[test]
fn sends_of_the_same_tag() {
    let text = "
void f(int rank, int n) {
    int a;
    if (rank == 0)
        MPI_Recv(&a, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
    else if (n)
        MPI_Send(&n, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    else
        MPI_Send(&n, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
}";
    check(
        text,
        expect![[r#"
            5 at 0: Criterion
            4 at 1: Decides of 5
            7 at 2: Sends of 5, in another task
            6 at 3: Decides of 7, in another task
        "#]],
    );
}

#[test]
fn collectives_join() {
    let text = "
void f(int rank, int n) {
    if (n)
        MPI_Barrier(MPI_COMM_WORLD); //<
    if (rank)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
}";
    check(
        text,
        expect![[r#"
            4 at 0: Criterion
            3 at 1: Decides of 4
            7 at 2: Sets n of 3
            6 at 2: Sends of 4, in another task
            5 at 3: Decides of 6, in another task
        "#]],
    );
}

#[test]
fn waits_for_what_made_the_request() {
    let text = "
void f(int n) {
    MPI_Request first, second;
    int a, b;
    MPI_Irecv(&a, 1, MPI_INT, n, 7, MPI_COMM_WORLD, &first);
    MPI_Irecv(&b, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &second);
    MPI_Wait(&first, MPI_STATUS_IGNORE); //<
}";
    check(
        text,
        expect![[r#"
        7 at 0: Criterion
        5 at 1: Sets first of 7
    "#]],
    );
}

#[test]
fn what_is_received_is_what_was_sent() {
    let text = "
void f(int rank) {
    int a = 0, b = read_input();
    if (rank)
        MPI_Send(&b, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(&a, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    use(a); //<
}";
    check(
        text,
        expect![[r#"
            8 at 0: Criterion
            3 at 1: Sets a of 8
            7 at 1: Sets a of 8
            4 at 3: Decides of 7
            5 at 3: Sends of 7, in another task
        "#]],
    );
}

/// What stands behind a request is the library's: what the program writes where another member of the structure leads to does not change
/// whether a wait returns, unless it is the memory of a request of the program's own.
#[test]
fn nobody_but_calls_writes_what_a_request_stands_for() {
    let text = "
struct all { MPI_Request request; int *count; };
void f(int n, int *buffer) {
    int other;
    struct all a = { MPI_REQUEST_NULL, &other };
    MPI_Irecv(buffer, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &a.request);
    other = n;
    MPI_Wait(&a.request, MPI_STATUS_IGNORE); //<
}
void g(MPI_Request *own, int *state) {
    MPI_Grequest_start(query, release, cancel, state, own);
}";
    let (without_own, _) = text.split_once("void g").expect("two functions");
    check(
        without_own,
        expect![[r#"
        8 at 0: Criterion
        6 at 1: Sets a.request of 8
        5 at 2: Sets a.request of 8
    "#]],
    );
    check(
        text,
        expect![[r#"
        8 at 0: Criterion
        6 at 1: Sets a.request of 8
        7 at 1: Sets a.request of 8
        5 at 2: Sets a.request of 8
    "#]],
    );
}
