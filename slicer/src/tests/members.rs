//! Parts of objects: which of those who write an object are the nearest, and what cannot be an address.

use super::{check, check_cxx, graph};
use crate::Options;
use expect_test::expect;

/// The elements of a container may be any object with members, so whoever writes anything of one counts; but what writes this
/// member comes first.
#[test]
fn what_is_written_by_the_member_of_that_name_is_nearer() {
    let text = "
struct Job { int cost; };
struct Queue {
    std::vector<Job> jobs, others;
    int count;
    void fill(Job job, int n) {
        others.push_back(job);
        jobs.push_back(job);
        count = n;
        for (auto &each : jobs)
            work(); //<
    }
};
int main(int argc, char **argv) {
    Queue queue;
    queue.fill(Job{argc}, argc);
    for (auto &each : queue.jobs)
        work(each.cost);
}";
    check_cxx(
        text,
        expect![[r#"
        11 at 0: Criterion
        16 at 1: UnderWay
        10 at 1: Decides of 11
        8 at 2: Sets of 10
        15 at 3: Sets of 10
        7 at 6: Sets job of 8
        9 at 7: Sets job of 8
    "#]],
    );
}

/// Whatever is stored in the structure, its first member may be too narrow to lead anywhere.
#[test]
fn what_a_narrow_number_would_point_to_is_not_read() {
    let text = |first: &str| {
        format!(
            "
struct pair {{ {first} a; int *b; }};
void f(int n) {{
    int x;
    struct pair t = {{ n, &x }};
    x = 4;
    show(t.a); //<
}}"
        )
    };
    check(
        &text("int"),
        expect![[r#"
        7 at 0: Criterion
        5 at 2: Sets t.a of 7
    "#]],
    );
    check(
        &text("long"),
        expect![[r#"
        7 at 0: Criterion
        5 at 2: Sets t.a of 7
        6 at 3: Sets *t.a of 7
    "#]],
    );
}

/// The class may derive from one of the library's, whose function it is.
#[test]
fn a_name_of_the_library_alone_changes_the_object_at_hand() {
    let text = "
struct list : std::vector<int> {
    void add(int n) {
        push_back(n);
    }
    void far(int n) {
        compute(n);
    }
};
int main(int argc, char **argv) {
    list l;
    l.add(2);
    l.far(2);
    use(l.back()); //<
}";
    check_cxx(
        text,
        expect![[r#"
        14 at 0: Criterion
        11 at 1: Sets l of 14
        4 at 1: Sets l of 14
        12 at 2: Calls of 4
        7 at 4: Sets l of 14
        13 at 5: Calls of 7
    "#]],
    );
}

/// Functions of other classes that have such a name leave it open which is meant; a class without a base of the library has none of its functions.
#[test]
fn a_name_alone_may_be_inherited_from_the_library_whatever_other_classes_have() {
    let text = |base: &str| {
        format!(
            "
struct last {{ int kept; void push_back(int k) {{ kept = k; }} }};
struct plain {{ int n; }};
struct list : {base} {{
    void add(int k) {{
        push_back(k);
    }}
}};
int main(int argc, char **argv) {{
    list l;
    l.n = 1;
    l.add(argc);
    printf(0, l.n); //<
}}"
        )
    };
    let lines = |base: &str| {
        let text = text(base);
        let slice = graph("t.cc", &text).slice_at("t.cc", super::mark(&text).0, None, Options::default());
        let statements = slice.expect("the marked line is executed").statements;
        Vec::from_iter(statements.iter().map(|each| each.line))
    };
    assert!(lines("std::vector<int>").contains(&6));
    assert!(lines("public Base<int>").contains(&6));
    assert!(!lines("plain").contains(&6), "{:?}", lines("plain"));
}

/// A function of MPI that is given the address of a member writes there, and not to the whole object.
#[test]
fn the_class_of_an_object_tells_its_members_apart() {
    let text = |declared: &str| {
        format!(
            "
struct level {{ int n; MPI_Comm comm; int right; }};
int main() {{
    {declared}
    MPI_Comm_dup(MPI_COMM_WORLD, &l.comm);
    l.right = 3;
    printf(0, l.right); //<
}}"
        )
    };
    for declared in ["level l;", "struct level l;"] {
        check_cxx(
            &text(declared),
            expect![[r#"
                7 at 0: Criterion
                6 at 1: Sets l.right of 7
                4 at 2: Sets l.right of 7
            "#]],
        );
    }
}

/// Who adds to a container that is a member sets that member, and nothing that stands beside it; and `items.size()` is no call of the
/// program's `size`.
#[test]
fn a_container_that_is_a_member_has_its_elements_to_itself() {
    let text = |element: &str| {
        format!(
            "
struct Other {{ int held; }};
struct Pool {{
    int beside;
    int tag;
    std::vector<{element}> items;
    explicit Pool(int c, {element} one) : beside(c), tag(0) {{
        items.push_back(one);
        tag = 7;
    }}
    int size() const {{ return (int)items.size(); }}
    void run() {{
        int x = size();
        MPI_Bcast(&x, 1, MPI_INT, beside, MPI_COMM_WORLD);
    }}
}};
void f(int n, {element} one) {{
    Pool pool(n, one);
    pool.run();
}}"
        )
    };
    let set_by_call = |element: &str| {
        let graph = graph("t.cc", &text(element));
        let slice = graph.slice_at("t.cc", 14, None, Options::default());
        let slice = slice.expect("there is a slice");
        let mut statements = slice.statements.iter();
        let call = statements.find(|statement| statement.line == 8);
        let call = call.unwrap_or_else(|| panic!("{element}: the call is lost"));
        call.because.name.clone()
    };
    for element in [
        "int",
        "long",
        "Other",
        "std::string",
        "std::map<int, std::array<double, 3>>",
    ] {
        assert_eq!(set_by_call(element).as_deref(), Some("this->items"), "{element}");
    }
    // What a pointer leads to may be anything.
    assert_ne!(set_by_call("int *").as_deref(), Some("this->items"));
}
