//! Where a slice begins when other tasks stand elsewhere, and what comes up because it differs from task to task.

use super::{graph, shown};
use crate::{Frame, Options};
use expect_test::{Expect, expect};

type Stack<'s> = &'s [(&'s str, u32)];

fn frames(stack: Stack<'_>, last: &str) -> Vec<Frame> {
    let called = stack.iter().skip(1).map(|&(name, _)| name).chain([last]);
    stack
        .iter()
        .zip(called)
        .map(|(&(function, line), callee)| Frame::on_line("t.c", function, line, Some(callee)))
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
