//! Functions of C++ by their names in full, and calls that call themselves, on real processes.

use crate::support::{Sandbox, Target};
use serde_json::Value;

/// Says a byte at the bottom of a recursion, and stays there. The first argument says which instance of the class does it.
const GRID: &str = "\
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

namespace solver {
template <typename T> class Grid {
public:
    __attribute__((noinline)) int descend(int depth)
    {
        if (depth > 0)
            return descend(depth - 1) + depth;
        if (write(1, \"x\", 1) != 1)
            return 1;
        pause();
        return 0;
    }
    __attribute__((always_inline)) inline int relax(int depth) { return descend(depth) + 1; }
    T sum{};
};
}

template <typename T> static int run(int depth)
{
    solver::Grid<T> grid;
    return grid.relax(depth);
}

int main(int argc, char **argv)
{
    char kind = argc > 1 ? argv[1][0] : 'd';
    int (*chosen)(int) = kind == 'f' ? run<float> : run<double>;
    if (kind == 'l')
        chosen = run<std::map<std::string, std::vector<double>>>;
    return chosen(100) + 1;
}
";

fn built(name: &str, optimised: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("grid.cpp", GRID);
    sandbox.compile(
        "grid.cpp",
        "grid",
        &[
            "-g",
            optimised,
            "-fno-optimize-sibling-calls",
            "-Wl,--no-as-needed",
            "-lstdc++",
        ],
    );
    sandbox
}

fn frames(answer: &Value) -> Vec<(&str, Option<&str>)> {
    let frames = answer["classes"][0]["frames"].as_array().unwrap();
    let name = |frame| {
        let frame: &'_ Value = frame;
        (frame["function"].as_str().unwrap(), frame["qualified"].as_str())
    };
    frames.iter().map(name).collect()
}

fn find(sandbox: &Sandbox, arguments: &[&str], targets: &[&Target]) -> String {
    let pids = Vec::from_iter(targets.iter().map(|target| target.pid()));
    let pids = pids.iter().map(String::as_str);
    let run = sandbox.run(&Vec::from_iter(
        ["find"].into_iter().chain(arguments.iter().copied()).chain(pids),
    ));
    assert_ne!(run.code, Some(2), "{}", run.err);
    run.out
}

#[test]
fn functions_of_cxx_keep_their_classes() {
    let sandbox = built("names", "-O1");
    let long = sandbox.start("grid", &["l"]);
    let json = find(&sandbox, &["--format", "json"], &[&long]);
    let answer: Value = serde_json::from_str(&json).unwrap();
    let frames = frames(&answer);
    assert_eq!(frames[0], ("main", None));
    // The inlined call has its name as well.
    let class = "solver::Grid<std::map<std::__cxx11::basic_string<char, ";
    assert_eq!(frames.len(), 105, "{frames:?}");
    for ((function, qualified), wanted) in frames[2..].iter().zip(["relax", "descend"]) {
        assert_eq!(*function, wanted);
        let qualified = qualified.unwrap();
        assert!(qualified.starts_with(class), "{qualified}");
        assert!(qualified.ends_with(&format!(">::{wanted}")), "{qualified}");
    }

    let text = find(&sandbox, &[], &[&long]);
    for part in [
        "in pause called from solver::Grid<std::map<…> >::descend at grid.cpp:15",
        "  run<std::map<…> >                    grid.cpp:26\n",
        "  solver::Grid<std::map<…> >::relax    grid.cpp:18  inlined\n",
        "  solver::Grid<std::map<…> >::descend  grid.cpp:12  ×100\n",
        "  solver::Grid<std::map<…> >::descend  grid.cpp:1",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let whole = find(&sandbox, &["--whole-names"], &[&long]);
    assert!(whole.contains(frames[3].1.unwrap()), "{whole}");

    let tree = find(&sandbox, &["--tree"], &[&long]);
    let (_, tree) = tree.split_once("The tree of their stacks:").unwrap();
    assert!(
        tree.contains("solver::Grid<std::map<…> >::descend grid.cpp:12  ×100\n"),
        "{tree}"
    );
    assert_eq!(tree.matches("::descend").count(), 2, "{tree}");
    let tree: Value = serde_json::from_str(&find(&sandbox, &["--tree=json"], &[&long])).unwrap();
    let nodes = tree["nodes"].as_array().unwrap();
    assert_eq!(nodes[4]["qualified"].as_str(), frames[3].1, "{:#}", nodes[4]);
    assert_eq!(nodes[4]["label"], "solver::Grid<std::map<…> >::descend");
}

/// Instances of a template share the places in the code, and the class of tasks: it has the name that both have.
#[test]
fn instances_at_one_place_share_a_name() {
    let sandbox = built("instances", "-O0");
    let (single, double) = (sandbox.start("grid", &["f"]), sandbox.start("grid", &["d"]));
    for (targets, wanted) in [
        (vec![&single], "solver::Grid<float>::descend"),
        (vec![&single, &double], "solver::Grid::descend"),
    ] {
        let answer: Value = serde_json::from_str(&find(&sandbox, &["--format", "json"], &targets)).unwrap();
        let class = &answer["classes"][0];
        assert_eq!(class["count"], targets.len(), "{answer:#}");
        let last = &class["frames"][103];
        assert_eq!(last["qualified"], wanted, "{answer:#}");
    }
}

/// Debug info has no linkage name of a function that takes a local type; the linker does.
#[test]
fn a_template_that_is_given_a_lambda_keeps_its_class() {
    let sandbox = Sandbox::new("names_lambda");
    let source = "\
#include <unistd.h>
namespace solver {
struct Domain {
    template <class F> __attribute__((noinline)) int for_each(F f) { return f(1) + 1; }
};
}
int main()
{
    solver::Domain domain;
    return domain.for_each([](int n) { if (write(1, \"x\", 1) == 1) pause(); return n; });
}
";
    sandbox.write("each.cpp", source);
    sandbox.compile(
        "each.cpp",
        "each",
        &["-g", "-O0", "-Wl,--no-as-needed", "-lstdc++"],
    );
    let target = sandbox.start("each", &[]);
    let answer: Value = serde_json::from_str(&find(&sandbox, &["--format", "json"], &[&target])).unwrap();
    let frames = frames(&answer);
    let qualified = frames.iter().find(|(function, _)| *function == "for_each");
    let qualified = qualified
        .and_then(|(_, qualified)| *qualified)
        .unwrap_or_default();
    assert!(qualified.starts_with("solver::Domain::for_each<"), "{frames:?}");
}
