//! Which members the assignment of a whole object sets.

use crate::Program;
use expect_test::{Expect, expect};
use frontend::{Macros, Source};

/// Checks at which lines of `f` a member of the name `count` may be set.
fn check(text: &str, expect: Expect) {
    let source = Source {
        path: "t.cpp",
        text: text.as_bytes(),
    };
    let units = [frontend::parse(&source, &Macros::gather([source]))];
    let program = Program::of_units(&units);
    let functions = program.functions.iter_enumerated();
    let (id, f) = { functions }
        .find(|(_, info)| info.function.name == "f")
        .unwrap_or_else(|| panic!("no function f"));
    let sets = |(point, _): &(_, _)| program.changes_member(id, *point, "count");
    let lines = f.flow.points.iter_enumerated().filter(sets);
    let found: Vec<String> = lines.map(|(_, point)| point.span.line.to_string()).collect();
    expect.assert_eq(&found.join(" "));
}

#[test]
fn those_of_the_class_and_no_others() {
    check(
        "struct Pair { double x, y; };
struct Counter { int count; };
struct Timer : Counter { long end; };
struct Holder { Pair at; Timer inside; };
void f(Pair *p, Pair &q, Pair a[], Counter *c, Timer *t, Holder *h, Pair v) {
    *p = v;
    q = v;
    a[3] = v;
    *(p + 1) = v;
    h->at = v;
    *c = Counter{4};
    *t = *t;
    h[0] = *h;
}",
        expect![[r#"11 12 13"#]],
    );
}

#[test]
fn what_is_not_known_may_set_any() {
    check(
        "typedef Elsewhere Alias;
struct Odd : Elsewhere { double x; };
struct Full { double x[3]; };
template <class T> struct Of { T value; };
struct Pair { double x, y; };
void f(Alias *a, Odd *o, Full *g, Of<int> *t, Pair **p, void *any, Pair v) {
    *a = a[1];
    *o = o[1];
    *g = g[1];
    *t = t[1];
    **p = v;
    *(Pair *)any = v;
}",
        expect!["8 9 10 12"],
    );
}

#[test]
fn text_that_was_not_understood_may_declare_more() {
    check(
        "struct Pair { double x, y; };
struct Other { int @@ };
void f(Pair *p, Pair v) {
    *p = v;
}",
        expect!["4"],
    );
}

#[test]
fn an_operator_that_does_more_may_set_any() {
    check(
        "struct Pair { double x, y; Pair &operator=(const Pair &o) { x = o.x; note(this); return *this; } };
void f(Pair *p, Pair v) {
    *p = v;
}",
        expect!["3"],
    );
    check(
        "struct Pair { double x, y; Pair &operator=(const Pair &o) { x = o.x; y = o.y; return *this; } };
void f(Pair *p, Pair v) {
    *p = v;
}",
        expect![""],
    );
}

#[test]
fn numbers_that_a_class_computes_are_no_objects() {
    check(
        "typedef double real;
struct Pair { double x, y; };
struct Counter { int count; Counter operator/(double by); };
struct Mesh { double *area; real **rows; Counter *all; };
Counter Counter::operator/(double by) { return *this; }
void f(double *d, real r[], double &n, Mesh *m, Counter *c, void *any, double **rows) {
    d[1] = d[2] / d[3];
    r[1] = r[2] / r[3];
    n = d[2] / d[3];
    m->area[2] = d[1] / d[2];
    m->rows[2][3] = d[1] / d[2];
    rows[1][2] = d[1] / d[2];
    m->all[2] = c[1] / d[2];
    *c = *c / 3;
    *(Counter *)any = *c / 3;
    *(Counter *)d = *c / 3;
}",
        expect!["13 14 15 16"],
    );
    check(
        "typedef double T;
struct Counter { int count; };
Counter operator/(const Counter &a, double by) { return a; }
template <class T> void f(T *p, T v) {
    *p = v / 3;
}
void g(Counter *c) { f(c, *c); }",
        expect!["5"],
    );
}

/// Which parameter an argument is for is not known behind the expansion of a parameter pack, so that what is given there may be changed.
#[test]
fn behind_an_expansion_any_argument_may_be_changed() {
    let source = Source {
        path: "t.cpp",
        text: b"void h(int a, int b, int &c) { c = 0; }
template <class... A> void f(A... all) { int n = 3; h(all..., n); use(n); }
",
    };
    let units = [frontend::parse(&source, &Macros::gather([source]))];
    let program = Program::of_units(&units);
    let escapes = |name: &str| {
        let mut functions = program.functions.iter();
        let info = functions
            .find(|info| info.function.name == name)
            .expect("a function of the name");
        let local = info
            .function
            .locals
            .iter_enumerated()
            .find(|(_, local)| local.name == "n");
        info.definitions.escaped(local.expect("a variable").0)
    };
    assert!(escapes("f"));
}
