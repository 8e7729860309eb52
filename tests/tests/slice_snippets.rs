//! Slices of small programs. The criterion is the line with `// <-- slice`; a line is in the slice if and only if it ends in
//! `// in`.

use engine::{DependenceGraph, SliceOptions, SourceFile, dependence_graph};

fn graph(text: &str) -> DependenceGraph {
    let file = SourceFile {
        path: "snippet.c".to_owned(),
        bytes: text.as_bytes().to_owned(),
    };
    dependence_graph(vec![file], None, &|_| {})
}

#[track_caller]
fn check(text: &str) {
    let criterion = text.lines().position(|line| line.contains("// <-- slice"));
    let criterion = criterion.expect("a criterion") as u32 + 1;
    let slice = graph(text).slice_at("snippet.c", criterion, None, SliceOptions::default());
    let slice = slice.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let lines = slice.lines();
    let mut shown = String::new();
    let mut wrong = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let expected = line.contains("// in") || line.contains("// <-- slice");
        let found = lines.contains(&("snippet.c".to_owned(), number));
        let sign = match (expected, found) {
            (true, false) => "missing ",
            (false, true) => "too much",
            (true, true) => "in      ",
            (false, false) => "        ",
        };
        wrong += usize::from(expected != found);
        shown.push_str(&format!("{sign} {number:3} {line}\n"));
    }
    assert_eq!(wrong, 0, "\n{shown}");
}

#[test]
fn values_and_branches() {
    check(
        r"
int f(int n) {
    int a = 1;              // in
    int b = 2;
    int unused = b;
    if (n > 3)              // in
        a = n;              // in
    b = unused;
    return a;               // <-- slice
}
",
    );
}

#[test]
fn loops_and_jumps() {
    check(
        r"
int f(int n) {
    int sum = 0;            // in
    int product = 1;
    for (int i = 0;         // in
         i < n;             // in
         i++) {             // in
        if (i == 7)         // in
            break;          // in
        product *= i;
        sum += i;           // in
    }
    if (product > 3) product = 0;
    return sum;             // <-- slice
}
",
    );
}

#[test]
fn a_parameter_comes_from_the_caller_and_a_result_from_the_callee() {
    check(
        r"
static int twice(int x, int y) {
    int z = y;
    return 2 * x;           // in
}
int main(void) {
    int a = 4;              // in
    int b = 5;
    int c = twice(a, b);    // in
    return c;               // <-- slice
}
",
    );
}

#[test]
fn memory_through_pointers_and_members() {
    check(
        r"
struct s { int n; int m; };
static void set(struct s *p, int v) { p->n = v; }   // in
static void other(struct s *p, int v) { p->m = v; }
int main(void) {
    struct s one, two;
    int k = 3;              // in
    set(&one, k);           // in
    set(&two, 4);           // in
    other(&one, 5);
    return one.n;           // <-- slice
}
",
    );
}

#[test]
fn two_arrays_are_two() {
    check(
        r"
#include <stdlib.h>
static void fill(double *x, int n) {
    for (int i = 0; i < n; i++)     // in
        x[i] = i;                   // in
}
static double *make(int n) { double *p = malloc(n * sizeof(double)); return p; }   // in
int main(void) {
    double *a = make(4);            // in
    double *b = make(4);
    fill(a, 4);                     // in
    for (int i = 0; i < 4; i++)
        b[i] = 3;
    return (int) a[2];              // <-- slice
}
",
    );
}

#[test]
fn calls_through_pointers() {
    check(
        r"
static int one(void) { return 1; }          // in
static int two(void) { return 2; }          // in
static int three(void) { return 3; }
int (*unused)(void) = three;
int main(int argc, char **argv) {
    int (*f)(void) = one;                   // in
    if (argc > 1)                           // in
        f = two;                            // in
    return f();                             // <-- slice
}
",
    );
}

#[test]
fn the_message_that_is_received() {
    check(
        r"
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, x = 0, y, z = 2, w = 1, result;      // in
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);          // in
    if (rank == 0) {                               // in
        x = 10;                                    // in
        MPI_Send(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);    // in
        MPI_Send(&w, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&y, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    // in
        result = y * z;                            // <-- slice
    }
    return 0;
}
",
    );
}
