//! What a slice does not leave out because it is not certain: one small program for each rule by which something is known, and one for
//! each way in which it is not.

use super::{frames, graph, mark};
use crate::{CriterionError, Options, Slice};

fn slice(path: &str, text: &str) -> Slice {
    let (line, variable) = mark(text);
    let slice = graph(path, text).slice_at(path, line, variable, Options::default());
    slice.expect("the marked line is executed")
}

/// Whether the line with this mark is in the slice.
fn has(slice: &Slice, text: &str, wanted: &str) -> bool {
    let line = (1..).zip(text.lines()).find(|(_, text)| text.contains(wanted));
    let (line, _) = line.expect("a line has the mark");
    slice.statements.iter().any(|each| each.line == line)
}

/// Checks whether a receive of tag 7 may get what `body` sends with `tag`.
fn check_tag(globals: &str, body: &str, tag: &str, meets: bool) {
    let text = format!(
        "{globals}
void f(int n) {{
    int a;
    {body}
    MPI_Send(&a, 1, MPI_INT, 0, {tag}, MPI_COMM_WORLD); // sends
}}
int main(int argc, char **argv) {{
    int b;
    f(argc);
    MPI_Recv(&b, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
    return 0;
}}"
    );
    assert_eq!(has(&slice("t.c", &text), &text, "// sends"), meets, "{text}");
}

#[test]
fn what_is_computed_otherwise_than_by_sums_is_any_tag() {
    check_tag("", "int t = 8;", "t", false);
    check_tag("", "int t = 4;", "t + t", false);
    check_tag("", "int t = 16;", "t / 2", true);
    check_tag("", "int t = 8;", "t | 0", true);
    check_tag("", "int t = 8; t += 1;", "t", true);
    check_tag("", "int t = 8; t++;", "t", true);
}

#[test]
fn what_a_variable_may_not_hold_unchanged_is_any_tag() {
    check_tag("", "int t = 32767;", "t", false);
    check_tag("", "int t = 32768;", "t", true);
    check_tag("", "short t = 8;", "t", false);
    check_tag("", "signed char t = 127;", "t", false);
    check_tag("", "signed char t = 128;", "t", true);
    check_tag("", "float t = 8;", "(int) t", true);
    check_tag("", "", "(int) (short) 263", false);
    check_tag("", "", "(int) (signed char) 263", true);
}

#[test]
fn more_tags_than_a_few_are_any() {
    let tags = |last: usize| {
        let case = |tag: usize| format!("n == {tag} ? {tag} : ");
        let cases = (10..last).map(case).collect::<String>();
        format!("int t = {cases} {last};")
    };
    check_tag("", &tags(25), "t", false);
    check_tag("", &tags(26), "t", true);
}

#[test]
fn what_functions_outside_return_or_write_is_any_tag() {
    check_tag("int get(void) { return 8; }", "", "get()", false);
    check_tag("int get(void) { return 8; }", "int t = get();", "t", false);
    check_tag("int get(void);", "", "get()", true);
    check_tag(
        "int get(void) { return 8; } int (*which)(void) = get;",
        "",
        "which()",
        true,
    );
    check_tag(
        "int get(int n) { if (n) return 8; return n; }",
        "",
        "get(n)",
        true,
    );
    check_tag("", "int t = 8; change(&t);", "t", true);
    check_tag("", "int t;", "t", true);
}

#[test]
fn what_a_variable_of_the_file_holds_at_first_is_known_of_constants_alone() {
    check_tag("int t = 8;", "", "t", false);
    check_tag("extern int t;", "", "t", true);
    check_tag("int n, t = 8; void set(int of) { t = of; }", "set(n);", "t", true);
    check_tag("int t = 8; void set(int of) { t = of; }", "set(9);", "t", false);
    check_tag("int t = 8 + OTHER;", "", "t", true);
    check_tag("int t = 8 + OTHER;", "if (n) t = 9;", "t", true);
}

#[test]
fn what_was_read_in_part_gives_any_tag() {
    check_tag(
        "int get(int n) { if (n) { return 9; } return 8; }",
        "",
        "get(n)",
        false,
    );
    check_tag(
        "int get(int n) { if (n) ) { return 9; } return 8; }",
        "",
        "get(n)",
        true,
    );
}

#[test]
fn a_parameter_of_a_function_that_others_may_call_is_any_tag() {
    let send = "void g(int *a, int t) { MPI_Send(a, 1, MPI_INT, 0, t, MPI_COMM_WORLD); /* also */ }";
    let check = |more: &str, call: &str, meets: bool| {
        let text = format!(
            "{send}
{more}
int main(int argc, char **argv) {{
    int b;
    {call}
    MPI_Recv(&b, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
    return 0;
}}"
        );
        assert_eq!(has(&slice("t.c", &text), &text, "/* also */"), meets, "{text}");
    };
    check("", "g(&b, 8);", false);
    check("", "g(&b, argc);", true);
    // It is given to somebody who may call it.
    check("", "g(&b, 8); somebody(g);", true);
    // One argument is missing.
    check("", "g(&b);", true);
    check("", "g(&b, 8); g(&b);", true);
    // Nobody calls it that is seen, so what it is given is one of two things that the tag may be.
    let unseen = "void h(int *a, int n, int t) { g(a, n ? t : 8); }";
    check(unseen, "g(&b, 8);", true);
}

/// What is called where no call of it stands is given what nobody sees.
#[test]
fn a_parameter_of_what_is_called_implicitly_is_any_tag() {
    let check = |call: &str, meets: bool| {
        let text = format!(
            "
struct Sender {{
    int *a;
    Sender &operator<<(int t) {{
        MPI_Send(a, 1, MPI_INT, 0, t, MPI_COMM_WORLD); /* sends */
        return *this;
    }}
}};
int main(int argc, char **argv) {{
    int b;
    Sender s;
    s.a = &b;
    {call}
    MPI_Recv(&b, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
    return 0;
}}"
        );
        assert_eq!(has(&slice("t.cc", &text), &text, "/* sends */"), meets, "{text}");
    };
    check("s << 8;", true);
    check("s.operator<<(8); s << 7;", true);
}

/// An argument that a call leaves out is the function's, and no other argument.
#[test]
fn a_default_argument_is_any_tag() {
    let text = "
void send(int *a, int t = 7) { MPI_Send(a, 1, MPI_INT, 0, t, MPI_COMM_WORLD); /* sends */ }
void take(int t, int more) {}
int main(int argc, char **argv) {
    int b;
    send(&b, 8);
    send(&b);
    take(8, 8);
    MPI_Recv(&b, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //<
    return 0;
}";
    assert!(has(&slice("t.cc", text), text, "/* sends */"));
}

/// Checks whether a receive by `one` may get what is sent by `other`, two communicators that two calls of one operation have made.
fn check_communicators(globals: &str, made: &str, meets: bool) {
    let text = format!(
        "{globals}
int main(int argc, char **argv) {{
    int a;
    MPI_Comm one, other, third;
    {made}
    MPI_Send(&a, 1, MPI_INT, 0, 0, other); // sends
    MPI_Recv(&a, 1, MPI_INT, 1, 0, one, MPI_STATUS_IGNORE); //<
    return 0;
}}"
    );
    assert_eq!(has(&slice("t.c", &text), &text, "// sends"), meets, "{text}");
}

const BOTH: &str = "MPI_Comm_dup(MPI_COMM_WORLD, &one); MPI_Comm_dup(MPI_COMM_WORLD, &other);";

#[test]
fn communicators_of_calls_in_no_certain_order_may_be_one() {
    check_communicators("", BOTH, false);
    check_communicators(
        "",
        "if (argc) MPI_Comm_dup(MPI_COMM_WORLD, &one); else MPI_Comm_dup(MPI_COMM_WORLD, &other);",
        true,
    );
    // In functions that every process calls once.
    let make = "void first(MPI_Comm *c) { MPI_Comm_dup(MPI_COMM_WORLD, c); }
void second(MPI_Comm *c) { MPI_Comm_dup(MPI_COMM_WORLD, c); }";
    check_communicators(make, "first(&one); second(&other);", false);
    check_communicators(make, "first(&one); if (argc) second(&other);", false);
    check_communicators(make, "if (argc) first(&one); second(&other);", true);
    check_communicators(make, "while (argc--) first(&one); second(&other);", true);
    check_communicators(make, "first(&one); first(&third); second(&other);", true);
    // Some processes come to the first call twice: their second communicator is the others' from the second call.
    let twice =
        "do MPI_Comm_dup(MPI_COMM_WORLD, &one); while (--argc > 0); MPI_Comm_dup(MPI_COMM_WORLD, &other);";
    check_communicators("", twice, true);
}

/// A function of the program's own that has the name of one of MPI makes what it likes.
#[test]
fn a_communicator_of_the_programs_own_function_may_be_any() {
    let own = "int MPI_Comm_dup(MPI_Comm of, MPI_Comm *into) { *into = given(of); return 0; }";
    let made = "MPI_Comm_dup(MPI_COMM_WORLD, &one); other = MPI_COMM_WORLD;";
    check_communicators("", made, false);
    check_communicators(own, made, true);
}

#[test]
fn communicators_in_a_function_that_may_leave_out_its_call_may_be_one() {
    let make = |condition: &str| {
        format!(
            "void first(MPI_Comm *c, int n) {{ {condition} MPI_Comm_dup(MPI_COMM_WORLD, c); }}
void second(MPI_Comm *c) {{ MPI_Comm_dup(MPI_COMM_WORLD, c); }}"
        )
    };
    check_communicators(&make(""), "first(&one, argc); second(&other);", false);
    check_communicators(&make("if (n)"), "first(&one, argc); second(&other);", true);
}

#[test]
fn communicators_may_be_one_where_other_calls_may_make_them_too() {
    // What was not understood may make one, and so may a call through a pointer.
    let broken = "void broken(int n) { if (n ) ) { n = 1; } }";
    check_communicators(broken, BOTH, true);
    let pointer = "int (*make)(MPI_Comm, MPI_Comm *) = MPI_Comm_dup;";
    check_communicators(pointer, &format!("make(MPI_COMM_WORLD, &third); {BOTH}"), true);
    // Groups make theirs in an order of their own.
    let group = "MPI_Comm_create_group(MPI_COMM_WORLD, g, 0, &one); MPI_Comm_create_group(MPI_COMM_WORLD, g, 0, &other);";
    check_communicators("MPI_Group g;", group, true);
    // A different operation, which no process may mix.
    check_communicators(
        broken,
        "MPI_Comm_dup(MPI_COMM_WORLD, &one); MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &other);",
        false,
    );
}

/// Checks whether memory of two calls of `make` may be the same.
fn check_memory(make: &str, one: bool) {
    check_memory_in("t.c", make, one);
}

fn check_memory_in(path: &str, make: &str, one: bool) {
    let text = format!(
        "int *kept;
{make}
int main(void) {{
    int *p = make(1), *q = make(2);
    *p = 1;
    *q = 2; // sets
    use(*p); //<
    return 0;
}}"
    );
    assert_eq!(has(&slice(path, &text), &text, "// sets"), one, "{text}");
}

#[test]
fn memory_of_a_function_that_does_nothing_but_allocate_is_new() {
    check_memory("int *make(int n) { return malloc(n); }", false);
    check_memory(
        "int *make(int n) { int *m = malloc(n); if (!m) return 0; return m; }",
        false,
    );
    check_memory(
        "int *own(int n) { return malloc(n); } int *make(int n) { return own(n); }",
        false,
    );
}

#[test]
fn memory_of_a_function_that_keeps_it_may_be_had_twice() {
    check_memory(
        "int *make(int n) { int *m = malloc(n); kept = m; return m; }",
        true,
    );
    check_memory(
        "int *make(int n) { if (kept) return kept; return malloc(n); }",
        true,
    );
    check_memory(
        "int *make(int n) { static int *m; if (!m) m = malloc(n); return m; }",
        true,
    );
    check_memory(
        "int *make(int n) { int *m = malloc(n); keep(m); return m; }",
        true,
    );
    check_memory(
        "int *make(int n) { int *m = malloc(n); keep(&m); return m; }",
        true,
    );
    check_memory(
        "int *make(int n) { int *m = malloc(n); m = kept; return m; }",
        true,
    );
    check_memory(
        "int *make(int n) { int *m = malloc(n), *o = kept; if (n) return o; return m; }",
        true,
    );
    check_memory(
        "int *make(int n) { int *m = malloc(n), *o = kept; if (n) return m; return o; }",
        true,
    );
}

#[test]
fn memory_of_a_function_whose_lambda_sets_the_pointer_may_be_had_twice() {
    let make =
        |lambda: &str| format!("int *make(int n) {{ int *m = (int *) malloc(n); {lambda} return m; }}");
    check_memory_in("t.cc", &make("auto f = [] { return 3; }; f();"), false);
    check_memory_in("t.cc", &make("auto f = [&] { m = kept; }; f();"), true);
    check_memory_in("t.cc", &make("auto f = [&m] { m = kept; }; f();"), true);
}

/// Checks whether a call of an object of which nobody knows the class may be one of the lambda that `body` has in place of `LAMBDA`.
fn check_lambda(body: &str, may_be: bool) {
    let body = body.replace("LAMBDA", "[](int a) {\nreturn a + 3; }");
    let text = format!(
        "typedef std::function<int(int)> Any;
Any kept;
void f(std::vector<int> &v, Any other, std::vector<Any> &all) {{
    {body}
    use(other(1)); //<
}}"
    );
    assert_eq!(
        has(&slice("t.cc", &text), &text, "return a + 3"),
        may_be,
        "{text}"
    );
}

#[test]
fn a_lambda_that_somebody_may_have_may_be_what_is_called() {
    check_lambda("auto mine = LAMBDA;", false);
    check_lambda("auto mine = LAMBDA; mine(2);", false);
    // Somebody else has it: who is given it, a variable, a container, another lambda.
    check_lambda("somebody(LAMBDA);", true);
    check_lambda("auto mine = LAMBDA; somebody(mine);", true);
    check_lambda("auto mine = LAMBDA; kept = mine;", true);
    check_lambda("auto mine = LAMBDA; auto more = mine;", true);
    check_lambda("auto mine = LAMBDA; all.push_back(mine);", true);
    check_lambda(
        "auto mine = LAMBDA; auto more = [mine] { return mine; }; kept = more();",
        true,
    );
    check_lambda(
        "auto mine = LAMBDA; auto more = [&] { kept = mine; }; more();",
        true,
    );
    check_lambda("auto mine = LAMBDA; mine.operator()(3);", true);
    check_lambda(
        "static auto mine = LAMBDA; struct K { void keep() { kept = mine; } }; K().keep();",
        true,
    );
    check_lambda("Any mine = LAMBDA;", true);
}

/// Lines of the slice of a stack, or why there is none.
fn lines(text: &str, stack: &[(&str, u32)]) -> Result<Vec<u32>, CriterionError> {
    let slice = graph("t.c", text).slice_stack(&frames(stack), Options::default())?;
    let mut lines = Vec::from_iter(slice.statements.iter().map(|each| each.line));
    lines.sort_unstable();
    Ok(lines)
}

#[test]
fn what_comes_after_a_call_under_way_is_in_a_slice_only_of_functions_read_in_part() {
    let text = |condition: &str| {
        format!(
            "int n;
void h(void) {{
    use(n);
}}
int main(int argc, char **argv) {{
    if (argc {condition}) {{ n = 1; }}
    h();
    n = 2;
    return 0;
}}"
        )
    };
    let stack = [("main", 7), ("h", 3), ("use", 0)];
    let of = |condition| lines(&text(condition), &stack).expect("a stack of the program");
    assert!(of("").contains(&6) && !of("").contains(&8));
    assert!(of(") ").contains(&8));
}

#[test]
fn a_frame_elsewhere_than_its_function_is_not_followed() {
    let text = "int n;
void h(void) {
    use(n);
}
int main(void) {
    n = 1;
    h();
    return 0;
}";
    let found = |stack: &[(&str, u32)]| lines(text, stack);
    assert_eq!(found(&[("h", 3), ("use", 0)]), Ok(vec![1, 3]));
    assert_eq!(found(&[("main", 7), ("h", 3), ("use", 0)]), Ok(vec![1, 3, 6, 7]));
    // A line outside of the function, and a name that no function there has.
    assert_eq!(found(&[("h", 7), ("use", 0)]), Err(CriterionError::NoSource));
    assert_eq!(found(&[("g", 3), ("use", 0)]), Err(CriterionError::NoSource));
    let mut elsewhere = frames(&[("h", 3), ("use", 0)]);
    elsewhere[0].stands[0].file = "other.c".to_owned();
    let slice = graph("t.c", text).slice_stack(&elsewhere, Options::default());
    assert_eq!(slice.err(), Some(CriterionError::NoSource));
}

/// Of functions of one name in one file, the one around the line is meant.
#[test]
fn a_frame_is_in_the_function_around_its_line() {
    let text = "int n;
void h(int a) {
    int b = a;
    n = b;
    use(n);
}
void h(double) {
    use(n);
}";
    let found = |line| {
        let mut stack = frames(&[("h", line), ("use", 0)]);
        stack[0].stands[0].file = "t.cc".to_owned();
        let slice = graph("t.cc", text).slice_stack(&stack, Options::default());
        slice.map(|slice| Vec::from_iter(slice.statements.iter().map(|each| each.line)))
    };
    assert_eq!(found(5), Ok(vec![5, 4, 1, 3]));
    assert_eq!(found(8), Ok(vec![8, 1]));
}

#[test]
fn a_file_that_the_program_does_not_have_has_no_slice() {
    let of = |file: &str| {
        graph("src/t.c", "void f(void) {\n    use();\n}").slice_at(file, 2, None, Options::default())
    };
    assert!(of("t.c").is_ok() && of("src/t.c").is_ok());
    for other in ["u.c", "other/t.c", "c"] {
        assert_eq!(of(other).err(), Some(CriterionError::NoFile(other.to_owned())));
    }
}
