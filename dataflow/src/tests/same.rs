//! Whether a value is the same on every task, and what that rests on.

use super::of_functions;
use crate::{Action, Effort};
use expect_test::{Expect, expect};
use ir::{Callee, ExprKind};

/// Checks the first argument of each call of `use`.
fn check(text: &str, expect: Expect) {
    let found = of_functions(text, |program, id, info| {
        let points = info.flow.points.iter_enumerated();
        let calls = points.filter_map(|(point, each)| match each.action {
            Action::Call(call) => Some((point, &info.function.exprs[call].kind, each.span.line)),
            _ => None,
        });
        let said = calls.filter_map(|(point, call, line)| match call {
            ExprKind::Call {
                callee: Callee::Named(name),
                args,
                ..
            } if **name == *"use" => {
                let same = program.single_valued(&Effort::default(), id, args[0], point);
                let why = same.provenance.map_or_else(String::new, |from| from.to_string());
                let text = format!("{line}: {:?} {why}", same.assumption);
                Some(text.trim_end().to_owned() + "\n")
            }
            _ => None,
        });
        said.collect()
    });
    expect.assert_eq(&found);
}

#[test]
fn constants() {
    check(
        "void f(void) { int n = 3; use(2 * n + 1); }",
        expect![[r#"
        1: Proven
    "#]],
    );
}

#[test]
fn what_files_may_have_been_built_with() {
    let text = "void f(void) {
    int m;
    if ((m = (2 > 1
#ifdef MORE
        && 4 > 3
#endif
        )))
        use(m);
}";
    check(
        text,
        expect![[r#"
        8: RankDependent what line 5 stands for depends on how its file was built
    "#]],
    );
}

#[test]
fn ranks() {
    let text = "void f(void) {
    int n, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &n);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use(n);
    use(size);
}";
    check(
        text,
        expect![[r#"
        5: RankDependent MPI_Comm_rank() sets it
        6: Assumed MPI_Comm_size() sets it
    "#]],
    );
}

#[test]
fn what_was_agreed_on_and_what_was_received() {
    let text = "void f(int a, int b, int c) {
    MPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&c, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Recv(&c, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, 0);
    use(a);
    use(b);
    use(c);
}";
    check(
        text,
        expect![[r#"
        5: Assumed MPI_Bcast() sets it
        6: Assumed MPI_Allreduce() sets it
        7: RankDependent MPI_Recv() sets it
    "#]],
    );
}

#[test]
fn arguments_of_functions() {
    let text = "static void g(int n) { use(n); }
static void h(int n) { use(n); }
void f(void) {
    g(3);
    g(4);
    h(3);
    h(getpid());
}
void open(int n) { use(n); }";
    check(
        text,
        expect![[r#"
        1: Proven
        2: RankDependent getpid() gives it
        9: RankDependent n is an argument of open(), whose callers are not all known
    "#]],
    );
}

#[test]
fn the_command_line() {
    check(
        "int main(int argc, char **argv) { use(argc); }",
        expect![[r#"
        1: Assumed it comes from the command line
    "#]],
    );
}

#[test]
fn what_functions_return() {
    let text = "int three(void) { return 3; }
int own(void) { return getpid(); }
void f(double x) {
    use(three());
    use(own());
    use(elsewhere());
    use(sqrt(2.0));
    use(time(0));
}";
    check(
        text,
        expect![[r#"
        4: Proven
        5: RankDependent getpid() gives it
        6: RankDependent elsewhere() gives it and is not in the map
        7: Assumed it is computed by sqrt()
        8: RankDependent time() gives it
    "#]],
    );
}

#[test]
fn globals() {
    let text = "int fixed = 3;
int set;
int given;
extern int theirs;
int *where = &given;
void g(void) { set = 4; }
void f(void) {
    use(fixed);
    use(set);
    use(given);
    use(theirs);
    use(LIMIT);
}";
    check(
        text,
        expect![[r#"
        8: Proven
        9: RankDependent the callers of g() are not all known
        10: RankDependent given may change through a pointer
        11: RankDependent theirs is defined elsewhere
        12: Assumed LIMIT is taken for a constant
    "#]],
    );
}

#[test]
fn the_branch_that_chooses_a_value() {
    let text = "void f(void) {
    int a = 0, b = 0, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) a = 1;
    if (three()) b = 1; else b = 2;
    use(a);
    use(b);
}
int three(void) { return 3; }";
    check(
        text,
        expect![[r#"
        6: RankDependent MPI_Comm_rank() sets it
        7: Proven
    "#]],
    );
}

#[test]
fn memory_and_addresses() {
    let text = "void f(int *p, int n) {
    int a = 3;
    keep(&a);
    use(*p);
    use(p[n]);
    use(&n);
    use(a);
}";
    check(
        text,
        expect![[r#"
        4: RankDependent it is read from memory at line 4
        5: RankDependent it is read from memory at line 5
        6: RankDependent it is an address at line 6
        7: RankDependent a may change through a pointer
    "#]],
    );
}

#[test]
fn names_of_ranks() {
    check(
        "void f(void) { use(my_rank); }",
        expect![[r#"
        1: RankDependent by its name my_rank is a rank
    "#]],
    );
}

#[test]
fn calls_and_text_that_nobody_can_follow() {
    let text = "void f(int (*p)(void)) {
    use(p());
    use(({ goto out; 1; }));
out:
    use(3);
}";
    check(
        text,
        expect![[r#"
        2: RankDependent it is the value of a call that the map cannot follow
        3: RankDependent line 3 was not understood
        5: Proven
    "#]],
    );
}

#[test]
fn arguments_that_a_call_leaves_out() {
    let text = "static void g(int a, int b) { use(a); use(b); }
int main(void) { g(1); return 0; }";
    check(
        text,
        expect![[r#"
        1: Proven
        1: RankDependent a call of g() leaves b out
    "#]],
    );
}

#[test]
fn globals_that_are_assigned() {
    let text = "int untouched;
int set;
int main(void) {
    set = 4;
    use(untouched);
    use(set);
    return 0;
}";
    check(
        text,
        expect![[r#"
        5: Proven
        6: Assumed set is a global
    "#]],
    );
}

#[test]
fn more_than_can_be_followed() {
    let found = of_functions("void f(void) { use(3); }", |program, id, info| {
        let points = info.flow.points.iter_enumerated();
        let calls = points.filter_map(|(point, each)| match each.action {
            Action::Call(call) => Some((point, call)),
            _ => None,
        });
        let said = calls.map(|(point, call)| {
            let same = program.single_valued(&Effort::spent(), id, call, point);
            same.provenance.map_or("nothing", |from| from.code()).to_owned()
        });
        said.collect()
    });
    assert_eq!(found, "too-much-to-follow");
}
