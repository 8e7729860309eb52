//! Where a slice begins when other tasks stand elsewhere, and what comes up because it differs from task to task.

use super::{graph, shown};
use crate::{Options, SliceFrame};
use expect_test::{Expect, expect};

type Stack<'s> = &'s [(&'s str, u32)];

fn frames(stack: Stack<'_>, last: &str) -> Vec<SliceFrame> {
    let called = stack.iter().skip(1).map(|&(name, _)| name).chain([last]);
    stack
        .iter()
        .zip(called)
        .map(|(&(function, line), callee)| SliceFrame::on_line("t.c", function, line, Some(callee)))
        .collect()
}

/// The slice of a stack that ends in a call, beside another stack.
fn check(text: &str, (own, call): (Stack<'_>, &str), (other, their_call): (Stack<'_>, &str), expect: Expect) {
    let other = frames(other, their_call);
    let slice = graph("t.c", text).slice_parted(&frames(own, call), &[&other], Options::default());
    expect.assert_eq(&slice.map_or_else(|why| why.to_string(), |slice| shown(&slice)));
}

const NORMS: &str = "
double norm(double mine) {
    double all;
    MPI_Scan(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
void meet(int tag) {
    MPI_Barrier(MPI_COMM_WORLD);
}
int main() {
    int tag = 5, size;
    double left = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (left > size) {
        meet(tag);
        left = norm(left);
    }
    MPI_Finalize();
}";

#[test]
fn a_loop_that_one_has_left_comes_first_and_what_made_it_differ() {
    check(
        NORMS,
        (&[("main", 15), ("meet", 8)], "MPI_Barrier"),
        (&[("main", 18)], "MPI_Finalize"),
        expect![[r#"
            8 at 0: Criterion
            14 at 4: Parts
            16 at 4: Sets left of 14
            5 at 4: Returns of 16
            4 at 4: Sets all of 5
            15 at 10: UnderWay
            12 at 13: Sets left of 14
            13 at 13: Sets size of 14
        "#]],
    );
}

#[test]
fn a_branch_below_that_the_other_has_taken_parts_too() {
    let text = "
int wanted(int n) {
    return n > 3;
}
void dump(int n) {
    if (wanted(n))
        MPI_Barrier(MPI_COMM_WORLD);
}
int main() {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    dump(rank);
    MPI_Finalize();
}";
    check(
        text,
        (&[("main", 13)], "MPI_Finalize"),
        (&[("main", 12), ("dump", 7)], "MPI_Barrier"),
        expect![[r#"
            13 at 0: Criterion
            6 at 1: Parts
            3 at 3: Returns of 6
            12 at 4: Calls of 6
            11 at 7: Sets rank of 12
        "#]],
    );
}

#[test]
fn what_one_task_sets_breaks_with_what_all_set() {
    let text = "
struct s { int every, left; };
void defaults(struct s *s) {
    s->every = 10;
    s->left = 3;
}
void read(struct s *s, const char *text) {
    s->every = atoi(text);
}
int main(int argc, char **argv) {
    struct s s;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    defaults(&s);
    if (rank == 0)
        read(&s, argv[1]);
    for (int i = 1; i < 30; i++)
        if (i % s.every == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}";
    check(
        text,
        (&[("main", 19)], "MPI_Barrier"),
        (&[("main", 20)], "MPI_Finalize"),
        expect![[r#"
            19 at 0: Criterion
            18 at 6: Parts
            8 at 6: Sets s.every of 18
            16 at 6: Calls of 8
            15 at 7: Decides of 16
            13 at 7: Sets rank of 15
            17 at 10: Parts
            4 at 14: Sets s.every of 18
            14 at 15: Calls of 4
        "#]],
    );
}

#[test]
fn clocks_of_tasks_differ() {
    let text = "
int is_over(double begun) {
    double now = MPI_Wtime();
    return now > begun + 1;
}
int main(int argc, char **argv) {
    double begun = 0;
    while (!is_over(begun))
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}";
    check(
        text,
        (&[("main", 9)], "MPI_Barrier"),
        (&[("main", 10)], "MPI_Finalize"),
        expect![[r#"
            9 at 0: Criterion
            8 at 4: Parts
            4 at 4: Returns of 8
            3 at 4: Sets now of 4
            7 at 18: Sets begun of 8
        "#]],
    );
}

#[test]
fn equal_stacks_are_parted_by_nothing() {
    let stack: Stack<'_> = &[("main", 15), ("meet", 8)];
    check(
        NORMS,
        (stack, "MPI_Barrier"),
        (stack, "MPI_Barrier"),
        expect![[r#"
        8 at 0: Criterion
        15 at 10: UnderWay
        14 at 10: Decides of 15
        16 at 10: Sets left of 14
        5 at 10: Returns of 16
        4 at 10: Sets all of 5
        12 at 14: Sets left of 14
        13 at 14: Sets size of 14
    "#]],
    );
}

#[test]
fn so_many_lines_and_how_many_are_as_near() {
    let graph = graph("t.c", NORMS);
    let stack = frames(&[("main", 15), ("meet", 8)], "MPI_Barrier");
    let all = graph
        .slice_parted(&stack, &[], Options::default())
        .expect("a slice");
    for enough in 1..=all.statements.len() {
        let options = Options {
            enough: Some(enough),
            ..Options::default()
        };
        let some = graph.slice_parted(&stack, &[], options).expect("a slice");
        assert_eq!(some.statements, all.statements[..enough]);
        assert_eq!(some.has_more, enough < all.statements.len());
        let last = all.statements[enough - 1].distance;
        let ties = all.statements[enough..]
            .iter()
            .filter(|each| each.distance == last);
        assert_eq!(some.as_near, ties.count());
    }
}
