//! Slices of small programs. The criterion is the line with `// <-- slice`; a line is in the slice if and only if it ends in
//! `// in`.

use engine::{
    DependenceGraph, SliceAt, SliceFrame, SliceOptions, SlicePoints, SliceStand, SourceFile,
    dependence_graph, map_sources,
};
use progress_map::{Map, Point, PointKind};
use std::fmt::Write as _;
use tests::slices::slicing::units;

fn graph(text: &str) -> DependenceGraph {
    let file = SourceFile {
        path: "snippet.c".to_owned(),
        bytes: text.as_bytes().to_owned(),
    };
    dependence_graph(vec![file], None, &|_| {}).unwrap()
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

#[test]
fn what_comes_after_has_no_influence() {
    check(
        r"
int count;                                  // in
static void step(int n) { count += n; }     // in
int main(void) {
    int a = 2;                              // in
    step(a);                                // in
    int seen = count;                       // <-- slice
    step(5);
    count = 7;
    return seen;
}
",
    );
}

#[test]
fn a_table_of_functions() {
    check(
        r"
struct ops { int (*get)(int); int (*put)(int); };
static int get_one(int n) { return n + 1; }     // in
static int put_one(int n) { return n - 1; }     // in
static int never(int n) { return n; }
static const struct ops table = { get_one, put_one };   // in
int main(void) {
    const struct ops *used = &table;            // in
    int other = never(3);
    int n = 4;                                  // in
    return used->get(n) + 0 * (int) sizeof other;   // <-- slice
}
",
    );
}

#[test]
fn only_the_callers_on_the_stack() {
    let text = r"
int input(int);
static void wait_for(int n) {
    while (n > 0)
        n = input(n);
}
static void middle(int m) {
    wait_for(m);
}
int main(int argc, char **argv) {
    int a = input(1);
    int b = input(2);
    if (argc > 1)
        middle(a);
    else
        middle(b);
    return 0;
}
";
    let frames = [
        SliceFrame::on_line("snippet.c", "main", 14, Some("middle")),
        SliceFrame::on_line("snippet.c", "middle", 8, Some("wait_for")),
        SliceFrame::on_line("snippet.c", "wait_for", 5, Some("input")),
    ];
    let slice = graph(text)
        .slice_stack(&frames, SliceOptions::default())
        .expect("a slice");
    let lines: Vec<u32> = slice.lines().into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines, [4, 5, 8, 11, 13, 14]);
    let nearest = SliceOptions {
        enough: Some(2),
        ..SliceOptions::default()
    };
    let few = graph(text).slice_stack(&frames, nearest).expect("a slice");
    assert!(few.has_more && few.statements.len() < slice.statements.len());
    assert_eq!(few.statements[..], slice.statements[..few.statements.len()]);
}

/// What a macro calls is on the stack, the macro is not: it is under way, and what it did before counts.
#[test]
fn a_call_out_of_a_macro_is_on_the_stack() {
    let text = r"
int input(int);
int state;
static void enter(int n) {
    state = n + 1;
}
static int wait_for(int n) {
    return input(n + state);
}
#ifdef TRACED
#define WAIT(n) (enter(2), wait_for(n))
#else
#define WAIT(n) (enter((n) + 1), wait_for(n))
#endif
int main(void) {
    int noise = 3;
    int x = input(1);
    int y = 1 + WAIT(x);
    noise = y;
    return noise;
}
";
    let frames = [
        SliceFrame::on_line("snippet.c", "main", 18, Some("wait_for")),
        SliceFrame::on_line("snippet.c", "wait_for", 8, Some("input")),
    ];
    let slice = graph(text).slice_stack(&frames, SliceOptions::default());
    let lines = slice.expect("a slice").lines().into_iter();
    let lines: Vec<u32> = lines.map(|(_, line)| line).collect();
    assert_eq!(lines, [3, 5, 8, 17, 18]);
}

/// Where a task stands in a call that a macro makes, that call is asked why it has not come back: its arguments, and the messages of others.
#[test]
fn a_task_stands_in_a_call_of_a_macro() {
    let text = r"
typedef int MPI_Comm;
int rank, size;
#ifdef TRACED
#define SUM(value, all) do { int n_ = 1; trace(n_); MPI_Allreduce(value, all, n_, 0, 0, comm); } while (0)
#elif defined(ONE)
#define SUM(value, all) do { *(all) = *(value); } while (0)
#elif defined(TWO)
#define SUM(value, all) do { MPI_Allreduce(value, all, 2, 0, 0, comm); } while (0)
#elif defined(THREE)
#define SUM(value, all) do { MPI_Allreduce(value, all, 3, 0, 0, comm); } while (0)
#else
#define SUM(value, all) do { if (size > 1) MPI_Allreduce(value, all, 1, 0, 0, comm); } while (0)
#endif
int main(void) {
    MPI_Comm comm = 0;
    int own = 1, all, noise = 3;
    size = 2;
    noise = size;
    SUM(&own, &all);
    return noise;
}
int other(MPI_Comm comm) {
    int a, b;
    int wanted = rank > 3;
    if (wanted)
        MPI_Allreduce(&a, &b, 1, 0, 0, comm);
    return b;
}
";
    let frames = [SliceFrame::on_line(
        "snippet.c",
        "main",
        20,
        Some("MPI_Allreduce"),
    )];
    let slice = graph(text).slice_stack(&frames, SliceOptions::default());
    let lines = slice.expect("a slice").lines().into_iter();
    let lines: Vec<u32> = lines.map(|(_, line)| line).collect();
    for needed in [16, 17, 18, 20, 25, 26, 27] {
        assert!(lines.contains(&needed), "{needed} in {lines:?}");
    }
    assert!(!lines.contains(&19), "{lines:?}");
}

/// Six thousand functions in one table, six thousand calls of some entry of it: thirty-six million dependences where these are listed for
/// each call, and few where they are not.
#[test]
fn a_graph_that_would_fill_the_memory_says_so() {
    let count = 6_000;
    let mut text = String::from("void (*table[])(int);\n");
    for number in 0..count {
        writeln!(text, "void f{number}(int n) {{ table[n](n); }}").unwrap();
    }
    text.push_str("void (*table[])(int) = {");
    for number in 0..count {
        write!(text, "f{number}, ").unwrap();
    }
    text.push_str("};\n");
    text.push_str("int main(int argc, char **argv) {\n    table[argc](1);\n    return 0;\n}\n");
    let listed = DependenceGraph::with_tables(&units(&[("snippet.c", &text)]), usize::MAX);
    let why = listed.err().map(|why| why.to_string());
    assert!(
        why.as_ref()
            .is_some_and(|why| why.contains("calls through pointers in 6001 places")),
        "{why:?}"
    );
    let slice = graph(&text).slice_at("snippet.c", 8, None, SliceOptions::default());
    let lines = slice.expect("a slice").lines().len();
    assert!(
        lines > 6_000,
        "any of the functions may call that of line 8, not {lines} only"
    );
}

/// Four pointers to some of forty functions each; the sets contain each other, overlap, and come in every order of size. What a
/// call hands over is written by the functions of its own set, and by no other.
#[test]
fn sets_of_functions_that_contain_each_other() {
    const SETS: [(&str, std::ops::Range<usize>); 4] =
        [("d", 0..40), ("a", 0..20), ("c", 10..40), ("b", 0..30)];
    let mut text = String::new();
    for number in 0..40 {
        writeln!(text, "int *f{number}(int *at) {{ *at = {number}; return at; }}").unwrap();
    }
    text.push_str("int main(int argc, char **argv) {\n    int a = 0, b = 0, c = 0, d = 0;\n");
    let mut read = Vec::new();
    for (name, functions) in SETS {
        writeln!(text, "    int *(*p_{name})(int *) = f{};", functions.start).unwrap();
        for number in functions {
            writeln!(text, "    if (argc == {number}) p_{name} = f{number};").unwrap();
        }
        writeln!(text, "    p_{name}(&{name});\n    use({name});").unwrap();
        read.push(text.lines().count() as u32);
    }
    text.push_str("    return 0;\n}\n");
    for table in [usize::MAX, 128, 1] {
        let graph =
            DependenceGraph::with_tables(&units(&[("snippet.c", &text)]), table).expect("a small program");
        for ((name, functions), &line) in SETS.iter().zip(&read) {
            let slice = graph.slice_at("snippet.c", line, Some(name), SliceOptions::default());
            let lines = slice.expect("a slice").lines();
            let written_by =
                (0..40).filter(|&number| lines.contains(&("snippet.c".to_owned(), number as u32 + 1)));
            let written_by: Vec<usize> = written_by.collect();
            assert_eq!(
                written_by,
                Vec::from_iter(functions.clone()),
                "{name}, table {table}"
            );
        }
    }
}

#[test]
fn what_cannot_be_sliced_says_why() {
    let graph = graph("int f(int n) {\n    return n;\n}\n");
    let at = |file, line, variable| {
        let slice = graph.slice_at(file, line, variable, SliceOptions::default());
        slice.expect_err("an error").to_string()
    };
    assert_eq!(
        at("other.c", 1, None),
        "no source file of the program is called other.c"
    );
    assert_eq!(at("snippet.c", 9, None), "nothing is executed at snippet.c:9");
    assert_eq!(
        at("snippet.c", 2, Some("m")),
        "nothing at snippet.c:2 reads or writes m"
    );
    let none = graph
        .slice_stack(&[], SliceOptions::default())
        .expect_err("an error");
    assert_eq!(
        none.to_string(),
        "no frame of the stack has a function whose source is known"
    );
}

/// Where the order finds a task that is at the points of a function which `is_there` tells.
fn stand(map: &Map, function: &str, is_there: impl Fn(&Point) -> bool) -> SliceStand {
    let found = map.functions.iter().find(|each| each.name == function);
    let function = found.expect("a function of the map");
    let points = function.points.iter_enumerated();
    let there = points.filter(|(_, point)| is_there(point));
    SliceStand {
        file: map.files[function.file].path.clone(),
        function: function.name.clone(),
        at: SliceAt::Points(SlicePoints {
            content_hash: map.files[function.file].hash,
            first_line: function.span.line,
            count: function.points.len(),
            points: there
                .map(|(id, point)| (id, point.span.line, point.span.column))
                .collect(),
        }),
        is_any_round: false,
    }
}

/// A function on a stack, and what it calls or, where it calls nothing, the line and the column of what it does.
type Call<'t> = (&'t str, Result<&'t str, (u32, u32)>);

/// The lines of a slice of `sliced`. Each frame is what the order finds in the map of `mapped`: a function, and behind
/// it those that have left no frame.
fn lines_by_map(mapped: &str, sliced: &str, frames: &[&[Call<'_>]]) -> Vec<u32> {
    let file = SourceFile {
        path: "snippet.c".to_owned(),
        bytes: mapped.as_bytes().to_owned(),
    };
    let map = map_sources(vec![file], &|_| {});
    let stand = |&(function, what): &Call<'_>| {
        stand(&map, function, |point| match (what, &point.kind) {
            (Ok(callee), PointKind::Call(name)) => name == callee,
            (Ok(_), _) => false,
            (Err(at), kind) => kind.has_text() && (point.span.line, point.span.column) == at,
        })
    };
    let frames = frames.iter().map(|calls| SliceFrame {
        stands: calls.iter().map(stand).collect(),
        callee: calls.last().and_then(|(_, what)| what.ok()).map(str::to_owned),
    });
    let slice = graph(sliced).slice_stack(&Vec::from_iter(frames), SliceOptions::default());
    let lines = slice.expect("a slice").lines().into_iter();
    lines.map(|(_, line)| line).collect()
}

/// A task that computes is where the order has found it, which may be one of several statements on a line.
#[test]
fn a_task_that_computes_is_at_points_of_a_line() {
    let text = r"
int input(int);
int main(void) {
    int a = input(1);
    int c = input(2);
    int x;
    x = c; a = a + 1;
    return x + a;
}
";
    let lines = |column| lines_by_map(text, text, &[&[("main", Err((7, column)))]]);
    assert_eq!(lines(5), [5, 7]);
    assert_eq!(lines(12), [4, 7]);
    // Also in a text that has other points, since they begin where those of the map do.
    let other = text.replace("input(2);", "input(2) ? 3 : 4;");
    assert_eq!(lines_by_map(text, &other, &[&[("main", Err((7, 12)))]]), [4, 7]);
}

/// `step` has called `wait_for` last and has left no frame; the order gives it back.
#[test]
fn functions_that_left_no_frame_are_on_the_stack() {
    let text = r"
int input(int);
void wait_for(int a) {
    while (a)
        input(a);
}
void step(int a) {
    int b = a + 1;
    int c = a + 2;
    wait_for(b);
}
int main(void) {
    int a = input(1);
    step(a);
    return 0;
}
";
    let outer = [("main", Ok("step")), ("step", Ok("wait_for"))];
    let frames: [&[_]; 2] = [&outer, &[("wait_for", Ok("input"))]];
    let needed = [4, 5, 8, 10, 13, 14];
    assert_eq!(lines_by_map(text, text, &frames), needed);
    // A text with other points on the same lines has other numbers: then it counts where they begin.
    let other = text.replace("int c = a + 2;", "int c = a + (a ? 2 : 3);");
    assert_eq!(lines_by_map(text, &other, &frames), needed);
}

/// Attributes that make functions run are not followed, and every slice says so.
#[test]
fn attributes_that_change_what_is_called_are_said() {
    let text = "\
static int n = 1;
static void add(int *by) { n += *by; }
__attribute__((constructor)) static void early(void) { n = 2; }
int other(void) __attribute__((alias(\"main\")));
__attribute__((noinline)) int main(void) {
    { int held __attribute__((__cleanup__(add))) = 3; }
    return n;
}
";
    let slice = graph(text).slice_at("snippet.c", 7, None, SliceOptions::default());
    let slice = slice.unwrap_or_else(|error| panic!("{error}"));
    let files = slice.in_part.iter().filter(|(file, _)| file == "snippet.c");
    let mut why = Vec::from_iter(files.map(|(_, why)| why.as_str()));
    why.sort_unstable();
    assert_eq!(
        why,
        [
            "the attribute at line 3 runs a function outside of main",
            "the attribute at line 4 gives a function another name",
            "the attribute at line 6 calls a function where a variable goes out of scope",
        ]
    );
}
