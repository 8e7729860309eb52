//! Which sends a receive may get: tags and communicators that members, parameters and variables hold. The receive has the mark `//<`; the
//! sends that it may get are marked `// meets`, others `// misses`. `tests/slices/mpi` runs programs like these.

use super::{graph, mark};
use crate::{Dependence, Options};

fn check(text: &str) {
    let (line, variable) = mark(text);
    let slice = graph("t.c", text).slice_at("t.c", line, variable, Options::default());
    let statements = slice.map(|slice| slice.statements).unwrap_or_default();
    let sends = statements
        .iter()
        .filter(|each| each.because.kind == Dependence::Sends);
    let found: Vec<u32> = sends.map(|each| each.line).filter(|&of| of != line).collect();
    for (line, text) in (1..).zip(text.lines()) {
        if text.contains("// meets") {
            assert!(found.contains(&line), "{line} is lost: {text}");
        } else if text.contains("// misses") {
            assert!(!found.contains(&line), "{line} cannot be received: {text}");
        }
    }
}

#[test]
fn tags_in_members_and_variables() {
    check(
        "
struct ring { int halo, done; char small; };
enum { BASE = 300 };
int known = 9;
void f(struct ring *r, struct ring *other, int n) {
    int a, plain = 7, twice = n ? 7 : 8;
    r->halo = 7;
    r->done = 8;
    r->small = 7;
    MPI_Send(&a, 1, MPI_INT, 0, r->halo, MPI_COMM_WORLD); // meets
    MPI_Send(&a, 1, MPI_INT, 0, r->done, MPI_COMM_WORLD); // misses
    MPI_Send(&a, 1, MPI_INT, 0, BASE + 1, MPI_COMM_WORLD); // misses
    MPI_Send(&a, 1, MPI_INT, 0, plain + 1, MPI_COMM_WORLD); // misses
    MPI_Send(&a, 1, MPI_INT, 0, twice, MPI_COMM_WORLD); // meets
    MPI_Send(&a, 1, MPI_INT, 0, known, MPI_COMM_WORLD); // misses
    MPI_Send(&a, 1, MPI_INT, 0, n, MPI_COMM_WORLD); // meets
    for (int tag = 0; tag < 9; tag++)
        MPI_Send(&a, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); // meets
    MPI_Recv(&a, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
}
int main(int argc, char **argv) { struct ring r, s; f(&r, &s, argc); return 0; }",
    );
}

#[test]
fn what_may_not_hold_a_tag_or_may_be_changed_tells_nothing() {
    check(
        "
struct ring { char small; int seen, copied; };
union both { int tag; char first; };
void f(struct ring *r, union both *u, int n) {
    int a, read = 8;
    r->small = 300;
    r->seen = 8;
    scanf(\"%d\", &read);
    change(&r->seen);
    u->tag = 8;
    u->first = 44;
    MPI_Send(&a, 1, MPI_INT, 0, r->small, MPI_COMM_WORLD); // meets
    MPI_Send(&a, 1, MPI_INT, 0, r->seen, MPI_COMM_WORLD); // meets
    MPI_Send(&a, 1, MPI_INT, 0, read, MPI_COMM_WORLD); // meets
    MPI_Send(&a, 1, MPI_INT, 0, u->tag, MPI_COMM_WORLD); // meets
    MPI_Recv(&a, 1, MPI_INT, 1, 44, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
}
int main(int argc, char **argv) { struct ring r; union both u; f(&r, &u, argc); return 0; }",
    );
}

#[test]
fn tags_through_parameters() {
    check(
        "
void halo(int *a, int tag) { MPI_Send(a, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); } // meets
void done(int *a, int tag) { MPI_Send(a, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); } // misses
void both(int *a, int tag) { MPI_Send(a, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); } // meets
void kept(int *a, int tag) { MPI_Send(a, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); } // meets
void take(int *a, int tag) {
    MPI_Recv(a, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
}
void (*keep)(int *, int) = kept;
int main(void) {
    int a;
    halo(&a, 5);
    done(&a, 6);
    both(&a, 6);
    both(&a, 5);
    kept(&a, 6);
    keep(&a, 5);
    take(&a, 5);
    return 0;
}",
    );
}

/// A wrapper is one send for each of its calls.
#[test]
fn calls_of_a_wrapper_are_told_apart() {
    let text = "
enum { BASE = 100 };
void send_to(int *a, int peer, int tag) {
    MPI_Send(a, 1, MPI_INT, peer, BASE + (int) tag, MPI_COMM_WORLD);
}
void step(int *a, int tag) { send_to(a, 0, tag); }
void from(int *a, int tag) {
    MPI_Recv(a, 1, MPI_INT, 0, BASE + tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void kept(int *a, int tag) {
    tag++;
    MPI_Send(a, 1, MPI_INT, 0, tag + 99, MPI_COMM_WORLD);
}
int main(int argc, char **argv) {
    int a = 0, b;
    send_to(&a, 1, 5);
    send_to(&a, 1, 6);
    send_to(&a, 1, argc);
    step(&a, 5);
    step(&a, 7);
    kept(&a, 5);
    kept(&a, 7);
    if (argc)
        from(&b, 5);
    else
        from(&b, 6);
    return 0;
}";
    let graph = graph("t.c", text);
    let senders = |line| {
        let stack = super::frames(&[("main", line), ("from", 8)]);
        let slice = graph.slice_stack(&stack, Options::default());
        let statements = slice.expect("a stack of the program").statements;
        let lines = statements
            .iter()
            .filter(|each| each.elsewhere)
            .map(|each| each.line);
        Vec::from_iter(std::collections::BTreeSet::from_iter(
            lines.filter(|line| (16..=22).contains(line)),
        ))
    };
    // What is assigned in the wrapper tells nothing.
    assert_eq!(senders(24), [16, 18, 19, 21, 22]);
    assert_eq!(senders(26), [17, 18, 21, 22]);
}

/// What went through memory may be what an earlier call left there, and what is called through a pointer is called with anything.
#[test]
fn wrappers_that_do_not_tell() {
    check(
        "
struct ring { int tag; } *r;
void through(int *a, int tag) {
    if (*a) r->tag = tag;
    MPI_Send(a, 1, MPI_INT, 0, r->tag, MPI_COMM_WORLD); // meets
}
void changed(int *a, int tag) {
    change(&tag);
    MPI_Send(a, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); // meets
}
int main(void) {
    int a;
    through(&a, 5);
    through(&a, 6);
    changed(&a, 6);
    changed(&a, 7);
    MPI_Recv(&a, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
    return 0;
}",
    );
}

#[test]
fn communicators_by_the_calls_that_make_them() {
    let program = |third: &str| {
        format!(
            "
int main(int argc, char **argv) {{
    int a, rank;
    MPI_Comm rows, columns, own, third, rest = MPI_COMM_SELF;
    {third}
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &rows);
    MPI_Comm_split(MPI_COMM_WORLD, 1, 0, &columns);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Send(&a, 1, MPI_INT, 0, 0, rows); // meets
    MPI_Send(&a, 1, MPI_INT, 0, 0, columns); // COLUMNS
    MPI_Send(&a, 1, MPI_INT, 0, 0, own); // misses
    MPI_Send(&a, 1, MPI_INT, 0, 0, rest); // misses
    MPI_Send(&a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); // misses
    MPI_Recv(&a, 1, MPI_INT, 1, 0, rows, MPI_STATUS_IGNORE); //<
    return 0;
}}"
        )
    };
    check(&program("").replace("COLUMNS", "misses"));
    // A third split on some ranks only: their second is the others' first, perhaps.
    let split = "if (argc) MPI_Comm_split(MPI_COMM_WORLD, 1, 0, &third);";
    check(&program(split).replace("COLUMNS", "meets"));
    let looped = "for (a = 0; a < 2; a++) MPI_Comm_split(MPI_COMM_WORLD, 1, 0, &third);";
    check(&program(looped).replace("COLUMNS", "meets"));
    // From a communicator that is not known, it may be any rank's first.
    let unknown = "MPI_Comm_split(given(), 1, 0, &third);";
    check(&program(unknown).replace("COLUMNS", "meets"));
}

/// A member of a copy holds what that member of the original holds, also where the original is a local variable of the function that made it.
#[test]
fn members_of_structures_that_are_copied_and_returned() {
    check(
        "
struct tags { int up, down, any; };
struct tags make(int n) {
    struct tags own;
    own.up = 11;
    own.down = 12;
    own.any = n;
    return own;
}
void f(struct tags *t) {
    int a;
    MPI_Send(&a, 1, MPI_INT, 0, t->up, MPI_COMM_WORLD); // misses
    MPI_Send(&a, 1, MPI_INT, 0, t->down, MPI_COMM_WORLD); // meets
    MPI_Send(&a, 1, MPI_INT, 0, t->any, MPI_COMM_WORLD); // meets
    MPI_Recv(&a, 1, MPI_INT, 1, t->down, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
}
int main(int argc, char **argv) { struct tags t = make(argc), copy; copy = t; f(&copy); return 0; }",
    );
    // What only one of several copies holds counts as well.
    check(
        "
struct tags { int up, down; };
struct tags make(int n) {
    struct tags own, other;
    own.up = 11;
    own.down = 12;
    other.up = 12;
    other.down = 11;
    if (n)
        return other;
    return own;
}
int main(int argc, char **argv) {
    int a;
    struct tags t = make(argc);
    MPI_Send(&a, 1, MPI_INT, 0, t.up, MPI_COMM_WORLD); // meets
    MPI_Send(&a, 1, MPI_INT, 0, 13, MPI_COMM_WORLD); // misses
    MPI_Recv(&a, 1, MPI_INT, 1, t.down, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
}",
    );
}
