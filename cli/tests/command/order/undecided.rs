//! Tasks that have no order, and why.

use super::{check, frame, library, sandbox, task};
use expect_test::expect;

#[test]
fn an_iteration_that_was_not_recorded_leaves_it_open() {
    let stacks = [
        task(
            "a",
            None,
            &[
                frame("main", 28, ""),
                frame("solve", 16, ""),
                library("exchange")[0].clone(),
            ],
        ),
        task(
            "b",
            None,
            &[
                frame("main", 28, ""),
                frame("solve", 18, ""),
                library("MPI_Allreduce")[0].clone(),
            ],
        ),
    ];
    check(
        &sandbox("open", &stacks.concat()),
        &[],
        3,
        expect![[r#"
            Probably task a: it alone is in exchange called from solve at solver.c:16; the other one waits in MPI_Allreduce
            Not proven: the loop at solver.c:15 has no readable loop-order variable that decides (it: its value was not recorded)

            What is not known:
              task a against task b: the loop at solver.c:15 has no readable loop-order variable that decides (it: its value was not recorded)
                to decide it: record the variable 'it' with the stacks: its value orders the loop at solver.c:15

            2 tasks in 2 classes, least progressed first:
              1. task a: candidate
                   main      solver.c:28
                   solve     solver.c:16
                   exchange  (libmpi.so.40)
              2. task b: candidate
                   main           solver.c:28
                   solve          solver.c:18
                   MPI_Allreduce  (libmpi.so.40)

            solver.c:16
              13 |     int it = 0;
              14 |     double norm, diff;
              15 |     while (it < max) {
            > 16 |         exchange(a);
              17 |         norm = get_norm(a);
              18 |         MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
              19 |         it++;

            solver.c:18
              15 |     while (it < max) {
              16 |         exchange(a);
              17 |         norm = get_norm(a);
            > 18 |         MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
              19 |         it++;
              20 |     }
              21 |     while (*a)
        "#]],
    );
}

#[test]
fn a_loop_without_a_counter_leaves_it_open() {
    let stacks = [
        task("0", Some(0), &[frame("main", 28, ""), frame("solve", 21, "")]),
        task(
            "1",
            Some(1),
            &[
                frame("main", 28, ""),
                frame("solve", 22, ""),
                library("settle")[0].clone(),
            ],
        ),
    ];
    check(
        &sandbox("no-counter", &stacks.concat()),
        &[],
        1,
        expect![[r#"
            Undecided: the hindmost is among
              rank 0, computing in solve at solver.c:21
              rank 1, in settle called from solve at solver.c:22

            What is not known:
              rank 0 against rank 1: the loop at solver.c:21 has no readable loop-order variable that decides (no variable changes in it)
                to decide it: add a counter to the loop at solver.c:21: a variable that every iteration increments by one (`hindmost counters solver.c:21` prints the change)

            2 tasks in 2 classes, least progressed first:
              1. rank 0: candidate
                   main   solver.c:28
                   solve  solver.c:21
              2. rank 1: candidate
                   main    solver.c:28
                   solve   solver.c:22
                   settle  (libmpi.so.40)

            solver.c:21
              18 |         MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
              19 |         it++;
              20 |     }
            > 21 |     while (*a)
              22 |         settle(a);
              23 | }
              24 |

            solver.c:22
              19 |         it++;
              20 |     }
              21 |     while (*a)
            > 22 |         settle(a);
              23 | }
              24 |
              25 | int main(void)

            Next: add a counter to the loop at solver.c:21: a variable that every iteration increments by one (`hindmost counters solver.c:21` prints the change)
        "#]],
    );
}

#[test]
fn branches_have_no_order() {
    let mut stacks = vec![task(
        "0",
        Some(0),
        &[frame("main", 30, ""), library("left")[0].clone()],
    )];
    for rank in 1..5 {
        let frames = [frame("main", 32, ""), library("right")[0].clone()];
        stacks.push(task(&rank.to_string(), Some(rank), &frames));
    }
    check(
        &sandbox("branches", &stacks.concat()),
        &[],
        3,
        expect![[r#"
            Probably rank 0: it alone is in left called from main at solver.c:30; the other 4 are in right
            Not proven: the program gives the branches on which the tasks stand no order

            5 tasks in 2 classes:
              1. rank 0
                   main  solver.c:30
                   left  (libmpi.so.40)
              2. ranks 1-4 (4 tasks)
                   main   solver.c:32
                   right  (libmpi.so.40)

            solver.c:30
              27 |     static double a[64];
              28 |     solve(a, 100);
              29 |     if (a[0] > 1)
            > 30 |         left(a);
              31 |     else
              32 |         right(a);
              33 |     return 0;

            solver.c:32
              29 |     if (a[0] > 1)
              30 |         left(a);
              31 |     else
            > 32 |         right(a);
              33 |     return 0;
              34 | }
              35 |
        "#]],
    );
}
