//! Which functions calls in C++ mean by the class of their object, and which classes are not known well enough.

use super::graph;
use crate::Options;

/// Checks which functions the statements of a slice stand in.
fn check(text: &str, expected: &str) {
    let (line, variable) = super::mark(text);
    let slice = graph("t.cc", text).slice_at("t.cc", line, variable, Options::default());
    let slice = slice.expect("the marked line is executed");
    let mut functions = Vec::from_iter(slice.statements.iter().map(|each| each.function.as_str()));
    functions.retain(|name| !matches!(*name, "main" | ""));
    functions.sort_unstable();
    functions.dedup();
    assert_eq!(functions.join(" "), expected, "{text}");
}

/// Three classes with a function `f` each, of which `B` derives from `A`; they call functions whose names tell them apart.
const CLASSES: &str = "
int n;
void of_a() { n = 1; }
void of_b() { n = 2; }
void of_c() { n = 3; }
struct A { virtual void f() { of_a(); } void up() { f(); } };
struct B : public A { void f() override { of_b(); } };
struct C { void f() { of_c(); } };
";

fn called(body: &str, expected: &str) {
    check(&format!("{CLASSES}{body}"), expected);
}

#[test]
fn the_class_of_the_object_tells_who_is_called() {
    called("int main() { C c; c.f();\nuse(n); //<\n}", "f of_c");
    // A virtual function may be that of a derived class, and one that is inherited that of a base class.
    called(
        "void g(A &a) { a.f(); }\nint main() { B b; g(b);\nuse(n); //<\n}",
        "f g of_a of_b",
    );
    called(
        "int main() { B *b = new B; b->f();\nuse(n); //<\n}",
        "f of_a of_b",
    );
    called("int main() { B b; b.up();\nuse(n); //<\n}", "f of_a of_b");
    called(
        "struct D { C c[2]; }; int main() { D d; d.c[1].f();\nuse(n); //<\n}",
        "f of_c",
    );
    called(
        "struct D { C *c; void g() { c->f(); } }; int main() { D d; d.g();\nuse(n); //<\n}",
        "f of_c",
    );
}

#[test]
fn the_class_of_the_object_tells_as_what_it_is_called() {
    called(
        "int main() { auto h = [](int k) {\nof_b();\nreturn k; }; auto i = [](int k) { of_c(); return k; }; h(1);\nuse(n); //<\n}",
        "of_b operator()",
    );
}

#[test]
fn what_is_not_certain_keeps_all() {
    let all = "f of_a of_b of_c";
    called("typedef C D; int main() { D d; d.f();\nuse(n); //<\n}", all);
    called("using A = C; int main() { A d; d.f();\nuse(n); //<\n}", all);
    called(
        "struct D : Unseen { }; int main() { D d; d.f();\nuse(n); //<\n}",
        all,
    );
    called(
        "template <class T> struct M : T { }; int main() { M<C> d; d.f();\nuse(n); //<\n}",
        all,
    );
    called(
        "template <class T> struct P { T *t; T *operator->(); }; int main() { P<C> d; d->f();\nuse(n); //<\n}",
        all,
    );
    called("A *make(); int main() { make()->f();\nuse(n); //<\n}", all);
    called(
        "namespace o { struct C : B { }; } int main() { C d; d.f();\nuse(n); //<\n}",
        all,
    );
    called("int main() { auto d = C(); d.f();\nuse(n); //<\n}", all);
}

#[test]
fn names_in_member_functions_mean_those_in_reach() {
    let text = "
int n;
struct Far { void step() { n = 1; } };
struct Base { void step() { n = 2; } };
void free_step() { n = 3; }
struct Near : Base { void run() { step(); } };
int main() { Near near; near.run(); 
use(n); //<
}";
    check(text, "run step");
    let slice = |text: &str| {
        let slice = graph("t.cc", text).slice_at("t.cc", super::mark(text).0, Some("n"), Options::default());
        Vec::from_iter(
            slice
                .expect("it is executed")
                .statements
                .iter()
                .map(|each| each.line),
        )
    };
    let near = slice(text);
    assert!(near.contains(&4) && !near.contains(&3), "{near:?}");
    // What stands in a class may call functions of the class around it, wherever it is defined; a friend belongs to none.
    let nested = "
int n;
struct Other { void step() { n = 4; } };
struct Outer { static void step() { n = 1; } struct Inner; friend void mark() { n = 2; } };
struct Outer::Inner { void run() { step(); } };
struct Third { void mark() { n = 3; } void go() { Outer o; ::mark(); } };
int main() { Outer::Inner i; i.run(); 
use(n); //<
}";
    let nested = slice(nested);
    assert!(nested.contains(&4) && !nested.contains(&3), "{nested:?}");
}
