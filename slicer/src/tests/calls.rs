//! Dependences over calls, and stacks.

use super::{check, check_cxx, check_frames, check_stack, frames, graph, mark};
use crate::{Dependence, Options};
use expect_test::expect;
use std::collections::BTreeSet;

#[test]
fn what_a_function_returns() {
    let text = "
int twice(int x) {
    log();
    return 2 * x;
}
void f(int n) {
    int a = twice(n);
    use(a); //<
}";
    check(
        text,
        expect![[r#"
        8 at 0: Criterion
        7 at 1: Sets a of 8
        4 at 2: Returns of 7
    "#]],
    );
}

#[test]
fn what_a_function_leaves_behind_a_pointer() {
    let text = "
void set(int *x, int *y) {
    *x = 3;
    *y = 4;
}
void f(void) {
    int a, b;
    set(&a, &b);
    use(a); //<
}";
    check(
        text,
        expect![[r#"
        9 at 0: Criterion
        3 at 1: Sets a of 9
        8 at 2: Calls of 3
    "#]],
    );
}

#[test]
fn globals_that_callees_set() {
    let text = "
int step;
void advance(void) { step++; }
void idle(void) { log(); }
void f(void) {
    advance();
    idle();
    use(step); //<
}";
    check(
        text,
        expect![[r#"
        8 at 0: Criterion
        3 at 1: Sets step of 8
        2 at 1: Sets step of 8
        6 at 2: Calls of 3
    "#]],
    );
}

#[test]
fn all_callers_of_a_line() {
    let text = "
void g(int x) {
    use(x); //<
}
void f(int n) {
    g(n);
    g(3);
}";
    check(
        text,
        expect![[r#"
        3 at 0: Criterion
        6 at 1: Calls of 3
        7 at 1: Calls of 3
    "#]],
    );
}

const STACK: &str = "
void g(int x) {
    use(x);
}
int main(int argc, char **argv) {
    int n = argc;
    g(n);
    if (n)
        g(3);
}";

#[test]
fn the_callers_that_are_on_the_stack() {
    check_stack(
        STACK,
        &[("main", 7), ("g", 3), ("use", 0)],
        expect![[r#"
        3 at 0: Criterion
        7 at 1: UnderWay
        6 at 3: Sets n of 7
    "#]],
    );
    check_stack(
        STACK,
        &[("main", 9), ("g", 3), ("use", 0)],
        expect![[r#"
            3 at 0: Criterion
            9 at 1: UnderWay
            8 at 2: Decides of 9
            6 at 3: Sets n of 8
        "#]],
    );
}

/// Who called the round that the task is in is not on the stack of a function that became a loop.
#[test]
fn any_round_of_a_function_that_calls_itself_last() {
    let text = "
void f(int n, int k) {
    use(k);
    if (n > 0)
        f(n - 1, n + k);
}
int main(void) {
    int a = input();
    f(a, 1);
}";
    let mut stack = frames(&[("main", 9), ("f", 3), ("use", 0)]);
    check_frames(
        text,
        &stack,
        expect![[r#"
        3 at 0: Criterion
        9 at 1: UnderWay
    "#]],
    );
    stack[1].stands[0].is_any_round = true;
    check_frames(
        text,
        &stack,
        expect![[r#"
        3 at 0: Criterion
        5 at 1: Calls of 3
        9 at 1: UnderWay
        4 at 3: Decides of 5
        8 at 5: Sets a of 9
    "#]],
    );
}

#[test]
fn a_stack_without_a_source() {
    check_stack(
        STACK,
        &[("start", 7), ("run", 3)],
        expect!["no frame of the stack has a function whose source is known"],
    );
}

#[test]
fn calls_through_pointers() {
    let text = "
int one(void) { return 1; }
int two(void) { return 2; }
int three(void) { return 3; }
void f(int n) {
    int (*call)(void) = n ? one : two;
    int a = call();
    use(a); //<
}";
    check(
        text,
        expect![[r#"
        8 at 0: Criterion
        7 at 1: Sets a of 8
        2 at 2: Returns of 7
        3 at 2: Returns of 7
        6 at 2: Sets call of 7
    "#]],
    );
}

#[test]
fn functions_that_nobody_defines() {
    let text = "
void f(void) {
    int a = 0, b = 0;
    fill(&a);
    int c = a;
    use(c); //<
}";
    check(
        text,
        expect![[r#"
            6 at 0: Criterion
            5 at 1: Sets c of 6
            3 at 2: Sets a of 5
            4 at 2: Sets a of 5
        "#]],
    );
}

#[test]
fn macros_that_stay_unexpanded() {
    let text = "
#ifdef X
#define SET(x, y) x = y
#else
#define SET(x, y) x = -(y)
#endif
void f(int n) {
    int a = 0;
    SET(a, n);
    use(a); //<
}";
    check(
        text,
        expect![[r#"
        10 at 0: Criterion
        9 at 1: Sets a of 10
    "#]],
    );
}

#[test]
fn members_of_objects() {
    let text = "
struct Grid {
    int n;
    Grid(int size) { n = size; }
    int size() { return n; }
};
void f(int m) {
    Grid grid(m);
    int a = grid.size();
    use(a); //<
}";
    check_cxx(
        text,
        expect![[r#"
            10 at 0: Criterion
            9 at 1: Sets a of 10
            5 at 2: Returns of 9
            8 at 2: Sets grid of 9
            4 at 3: Sets a of 10
        "#]],
    );
}

#[test]
fn functions_that_were_read_in_part() {
    let text = "
int g(int x) {
    if (x ) ) { return 3; }
    return x;
}
void f(int n) {
    int a = g(n);
    use(a); //<
}";
    check(
        text,
        expect![[r#"
        8 at 0: Criterion
        7 at 1: Sets a of 8
        3 at 2: Returns of 7
        4 at 2: Returns of 7
        g in part: syntax error at line 3
    "#]],
    );
}

/// What a member begins with is a statement of whoever makes the object; that a function is pure gives nothing a value.
#[test]
fn initial_values_of_members_and_pure_functions() {
    check_cxx(
        "
int input(int);
struct Shape {
    virtual int area(int n) = 0;
    virtual int *places() = 0;
    int (*hook)(int) = 0;
    int scale = 2;
};
struct Square : Shape {
    int area(int n) { return n * scale; }
};
int main() {
    Square square;
    Shape &shape = square;
    int got = shape.area(input(1));
    return got; //<
}
",
        expect![[r#"
            16 at 0: Criterion
            15 at 1: Sets got of 16
            14 at 2: Sets shape of 15
            10 at 2: Returns of 15
            13 at 4: Sets this->scale of 10
            7 at 5: Sets this->scale of 10
        "#]],
    );
}

/// A member function that a pointer tells, called for an object that another call chooses.
#[test]
fn members_that_pointers_tell_of_computed_objects() {
    for call in ["((*pick(&a)).*how)(1)", "(pick(&a)->*how)(1)"] {
        let text = format!(
            "
struct A {{ int n; void inc(int k) {{ n += k; }} }};
A *pick(A *x) {{
    return x;
}}
int main() {{
    A a;
    void (A::*how)(int) = &A::inc;
    {call};
    return a.n; //<
}}
"
        );
        check_cxx(
            &text,
            expect![[r#"
                10 at 0: Criterion
                2 at 1: Sets a.n of 10
                7 at 2: Sets a.n of 10
                9 at 2: Calls of 2
                8 at 3: Sets how of 9
                4 at 3: Returns of 9
            "#]],
        );
    }
}

/// Objects that are called, by whatever name, and what a function without source may call.
#[test]
fn objects_that_are_called() {
    let classes = "
struct Add { int total; void operator()(int k) { total += k; } };
struct Pair { int both; void operator()(int k, int m) { both = k + m; } };
struct Box { Add add; };
";
    let text = |lines: &str| format!("{classes}{lines}");
    check_cxx(
        &text(
            "int local() {
    Add a;
    a(4);
    return a.total; //<
}",
        ),
        expect![[r#"
            8 at 0: Criterion
            6 at 2: Sets a.total of 8
            2 at 3: Sets a.total of 8
            7 at 4: Calls of 2
            3 at 7: Sets a of 7
        "#]],
    );
    check_cxx(
        &text(
            "int member(Box &b) {
    b.add(4);
    return b.add.total; //<
}",
        ),
        expect![[r#"
            7 at 0: Criterion
            2 at 3: Sets b.add.total of 7
            6 at 4: Calls of 2
            3 at 8: Sets b.add of 6
        "#]],
    );
    check_cxx(
        &text(
            "int given(int *from, int *to) {
    Add a;
    a = std::for_each(from, to, a);
    return a.total; //<
}",
        ),
        expect![[r#"
            8 at 0: Criterion
            6 at 2: Sets a.total of 8
            7 at 2: Sets a.total of 8
            2 at 3: Sets a.total of 8
            3 at 5: Sets from of 7
        "#]],
    );
    check_cxx(
        &text(
            "int pointer(void (*f)(int)) {
    Add a;
    a.total = 3;
    f(4);
    return a.total; //<
}",
        ),
        expect![[r#"
            9 at 0: Criterion
            7 at 1: Sets a.total of 9
            6 at 2: Sets a.total of 9
            2 at 3: Sets a.total of 9
            8 at 8: Calls of 2
        "#]],
    );
}

#[test]
fn lambdas_that_nobody_unknown_has() {
    let text = "
void f(std::vector<int> &v, std::function<bool(int, int)> less, std::vector<std::function<bool(int, int)>> &kept) {
    std::sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
    auto named = [](int a, int b) {
        return a == b;
    };
    auto handed = [](int a, int b) {
        return a != b;
    };
    kept.push_back(handed);
    v[0] = named(1, 2);
    use(less(3, 4)); //<
}";
    check_cxx(
        text,
        expect![[r#"
            12 at 0: Criterion
            8 at 1: Returns
            3 at 4: Sets less of 12
            4 at 4: Sets less of 12
            7 at 4: Sets less of 12
            10 at 4: Sets less of 12
            11 at 4: Sets less of 12
            5 at 5: Returns of 11
        "#]],
    );
}

#[test]
fn arguments_that_decide_nothing_are_evaluated() {
    let text = "
int pick(int wanted, int ignored) {
    return wanted;
}
void f(int n, int *p, int *table) {
    int i = n + 1;
    int unused = 4;
    use(pick(n, table[i])); //<
    use(unused);
}
void g(int *p) {
    f(3, p, p);
}";
    check(
        text,
        expect![[r#"
        8 at 0: Criterion
        3 at 1: Returns
        12 at 1: Calls of 8
        6 at 3: Sets i of 8
    "#]],
    );
}

#[test]
fn what_stands_around_a_call_is_evaluated() {
    let text = "
int count;
int bump(void) {
    return ++count;
}
void f(int *p, int *q) {
    int *to = p;
    int value = *q;
    *to = value + bump();
    use(count); //<
}";
    check(
        text,
        expect![[r#"
        10 at 0: Criterion
        4 at 1: Sets count of 10
        2 at 1: Sets count of 10
        9 at 2: Calls of 4
        7 at 6: Sets to of 9
    "#]],
    );
}

/// A parameter pack takes all arguments from its place on, and its expansion is any number of arguments.
#[test]
fn parameter_packs() {
    let lines = |text: &str| {
        let (line, variable) = super::mark(text);
        let slice = super::graph("t.cc", text).slice_at("t.cc", line, variable, crate::Options::default());
        let statements = slice.expect("the marked line is executed").statements;
        std::collections::BTreeSet::from_iter(statements.iter().map(|each| each.line))
    };
    let text = "
template <class... A> int sum(A... all) { return (0 + ... + all); }
template <class T> int last(T only) { return only; }
template <class T, class... A> int last(T first, A... rest) { return last(rest...); }
int middle(int a, int b, int c) { return b; }
template <class... A> int between(int end, A... all) { return middle(all..., end); }
int main(int argc, char **argv) {
    int x = argc;
    int y = argc;
    int z = argc;
    int result = CALL;
    printf(0, result); //<
}";
    for (call, wanted) in [
        ("sum(x, y, z)", [8, 9, 10].as_slice()),
        ("last(x, y, z)", &[8, 9, 10]),
        ("between(x, y, z)", &[8, 9, 10]),
        ("middle(x, y, z)", &[9]),
    ] {
        let found = lines(&text.replace("CALL", call));
        let found = Vec::from_iter(found.intersection(&[8, 9, 10].into()).copied());
        assert_eq!(found, wanted, "{call}");
    }
}

/// An object whose class nobody knows is called as what takes so many arguments, those with default arguments left out.
#[test]
fn objects_take_as_many_arguments_as_their_class_says() {
    let classes = "
struct One { int operator()(int a) { return 1; } };
struct Two { int operator()(int a, int b) { return 2; } };
struct Three {
    int operator()(int a, int b, int c = 0);
};
int Three::operator()(int a, int b, int c) {
    return 3;
}
struct Four { int operator()(int a, int b = 0, int c = 1, int d = 2) { return 4; } };
struct Open { int operator()(int a, ...) { return 5; } };
int Elsewhere::operator()(int a, int b, int c) {
    return 6;
}
void give() {
    auto lambda = [](int a, int b = 2) {
        return 7;
    };
    keep(lambda);
    auto pair = [](int a, int b) {
        return 8;
    };
    keep(pair);
}
template <class F> int f(F &g) {
";
    // The lines of those that are called there; what may be called implicitly stands farther back.
    let called = |call: &str| {
        let text = format!("{classes}    return {call}; //<\n}}");
        let (line, _) = mark(&text);
        let slice = graph("t.cc", &text).slice_at("t.cc", line, None, Options::default());
        let statements = slice.unwrap().statements.into_iter();
        let near = statements.filter(|each| each.because.kind == Dependence::Returns && each.distance < 4);
        BTreeSet::from_iter(near.map(|each| each.line))
    };
    assert_eq!(called("g(1)"), BTreeSet::from([2, 10, 11, 13, 17]));
    assert_eq!(called("g(1, 2)"), BTreeSet::from([3, 8, 10, 11, 13, 17, 21]));
    assert_eq!(called("g(1, 2, 3)"), BTreeSet::from([8, 10, 11, 13]));
    assert_eq!(called("g(1, 2, 3, 4)"), BTreeSet::from([10, 11]));
    assert_eq!(called("g(1, 2, 3, 4, 5)"), BTreeSet::from([11]));
}

/// What gives an argument that a call leaves out is evaluated with the call, also where it is an object that is called.
#[test]
fn default_arguments_of_what_is_called_as_an_object() {
    let text = "
int k, m;
struct S { int operator()(int a, int b = m + 1) { return a * b; } };
template <class F> int f(F &g) { return g(2); }
int main(int argc, char **argv) {
    auto lambda = [](int a, int b = k + 1) { return a * b; };
    S object;
    k = argc;
    m = argc;
    printf(0, CALL); //<
}";
    let leads_to = |call: &str, set: &[u32]| {
        let text = text.replace("CALL", call);
        let (line, _) = mark(&text);
        let slice = graph("t.cc", &text).slice_at("t.cc", line, None, Options::default());
        let lines = BTreeSet::from_iter(slice.unwrap().statements.into_iter().map(|each| each.line));
        assert!(set.iter().all(|line| lines.contains(line)), "{call}: {lines:?}");
    };
    leads_to("lambda(2)", &[8]);
    leads_to("object(2)", &[9]);
    leads_to("f(lambda) + f(object)", &[8, 9]);
}

/// What is static or constant in a function is named by the classes that stand in it, and by default arguments of lambdas.
#[test]
fn variables_of_the_function_around() {
    let text = "
struct Base { int step; };
int main(int argc, char **argv) {
    static int step, total;
    const int least = argc;
    struct Own { int go() { total += least; return step; } };
    struct Derived : Base { int go() { return step; } };
    auto lambda = [](int a = step + 1) { return a; };
    Own own;
    Derived derived;
    step = argc;
    derived.step = argc;
    printf(0, CALL); //<
}";
    let leads_to = |call: &str, set: &[u32]| {
        let text = text.replace("CALL", call);
        let (line, _) = mark(&text);
        let slice = graph("t.cc", &text).slice_at("t.cc", line, None, Options::default());
        let lines = BTreeSet::from_iter(slice.unwrap().statements.into_iter().map(|each| each.line));
        assert!(set.iter().all(|line| lines.contains(line)), "{call}: {lines:?}");
    };
    leads_to("own.go()", &[4, 11]);
    leads_to("(own.go(), total)", &[4, 5, 6]);
    leads_to("derived.go()", &[11, 12]);
    leads_to("lambda()", &[11]);
}

/// Of two functions of one name, `std::` names the library's, but where the program has one in that namespace.
#[test]
fn the_library_has_its_own_functions_and_those_that_programs_add_to_it() {
    let lines = |namespace: &str| {
        let text = format!(
            "
{namespace} {{
void exchange(int *a, int *b) {{
    *a = *b;
}}
}}
void f(int n) {{
    int to = 0, from = n;
    std::exchange(&to, &from);
    show(to);
}}"
        );
        let slice = graph("t.cc", &text).slice_at("t.cc", 10, None, Options::default());
        let lines = slice.expect("there is a slice").lines();
        Vec::from_iter(lines.into_iter().map(|(_, line)| line))
    };
    assert_eq!(lines("namespace std"), [4, 8, 9, 10]);
    assert_eq!(lines("namespace own"), [8, 9, 10]);
}

/// `std::thread t(work);` looks like the declaration of a function that takes a `work`.
#[test]
fn a_thread_that_looks_like_a_function_calls_what_it_is_made_of() {
    check_cxx(
        "
int flag;
void work() {
    flag = 1;
}
void f() {
    std::thread t(work);
    t.join();
    show(flag); //<
}",
        expect![[r#"
        9 at 0: Criterion
        4 at 1: Sets flag of 9
        2 at 1: Sets flag of 9
        7 at 2: Calls of 4
        8 at 3: Sets flag of 9
    "#]],
    );
}
