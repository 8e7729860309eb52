//! Who is shown the address of a variable: each line is one such call, or a parameter that leads to what the caller has.

use super::map_of;
use expect_test::{Expect, expect};
use progress_map::PointKind;
use std::fmt::Write as _;

fn check(path: &str, text: &str, expect: Expect) {
    let map = map_of(path, text);
    let mut shown = String::new();
    for each in &map.shown {
        let function = &map.functions[each.function];
        let point = &function.points[each.point];
        let to = match (&each.to, &point.kind) {
            (Some((to, parameter)), _) => format!("{} as {parameter}", map.functions[*to].name),
            (None, PointKind::Entry) => "is the caller's".to_owned(),
            (None, kind) => kind.callee().unwrap_or("?").to_owned(),
        };
        let _ = writeln!(
            shown,
            "{}:{}: {}: {to}",
            function.name, point.span.line, each.variable
        );
    }
    expect.assert_eq(&shown);
}

#[test]
fn calls_and_callers_know_an_object() {
    check(
        "t.c",
        "struct sim { int i; int rank; int table[9]; };
void step(void);
static void tell(struct sim *t) { MPI_Bcast(&t->table[2]); }
void run(struct sim *s, int n)
{
    for (s->i = 0; s->i < n; s->i++) step();
}
int main(int argc, char **argv)
{
    struct sim a, b, *p = &b;
    MPI_Comm_rank(MPI_COMM_WORLD, &a.rank);
    tell(p);
    printf(a.table);
    for (a.i = 0; a.i < argc; a.i++) step();
    for (p->i = 0; p->i < argc; p->i++) step();
    run(&a, argc);
    return 0;
}
",
        expect![[r#"
            tell:3: t: is the caller's
            tell:3: t: MPI_Bcast
            run:4: s: is the caller's
            main:11: a: MPI_Comm_rank
            main:12: p: tell as t
            main:16: a: run as s
        "#]],
    );
}

#[test]
fn a_pointer_that_is_assigned_to_twice_leads_to_two_objects() {
    check(
        "t.c",
        "struct sim { int i; };
void step(void);
void of_two(struct sim *s, struct sim *t, int n)
{
    MPI_Bcast(s);
    s = t;
    for (s->i = 0; s->i < n; s->i++) step();
}
void by_address(struct sim *s, int n)
{
    set(&s);
    for (s->i = 0; s->i < n; s->i++) step();
}
",
        expect![[r#""#]],
    );
}

#[test]
fn objects_of_member_functions_and_references_are_shown() {
    check(
        "t.cc",
        "struct Sim {
    int i;
    int requests[3];
    Sim();
    void run(int n);
    void tell() { MPI_Waitall(3, requests); }
};
void step();
void report(Sim &sim) { MPI_Bcast(&sim.i); }
Sim::Sim() { for (i = 0; i < 3; i++) step(); }
void Sim::run(int n)
{
    tell();
    for (i = 0; i < n; i++) step();
}
int main(int argc, char **)
{
    Sim sim;
    Sim *other = new Sim();
    report(*other);
    report(sim);
    sim.run(argc);
    for (other->i = 0; other->i < argc; other->i++) step();
}
",
        expect![[r#"
            tell:6: this: is the caller's
            tell:6: this: MPI_Waitall
            report:9: sim: is the caller's
            report:9: sim: MPI_Bcast
            run:11: this: is the caller's
            run:13: this: tell as this
            main:20: other: report as sim
            main:21: sim: report as sim
            main:22: sim: run as this
        "#]],
    );
}
