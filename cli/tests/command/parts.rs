//! Stacks of a job in parts: several files, standard input, partial trees, a file that was cut off, and as many tasks as one record
//! each would be too much for.

use crate::support::{Run, Sandbox};
use std::io::Write as _;
use std::process::Stdio;

const SOLVER: &str = "\
static void solve(double *a, int max)
{
    int it = 0;
    while (it < max) {
        exchange(a);
        MPI_Allreduce(a);
        it++;
    }
}
int main(void)
{
    solve(a, 100);
    return 0;
}
";

/// Of every 1,000 ranks the eighth is behind.
fn stacks(ranks: std::ops::Range<u32>) -> String {
    let task = |rank: u32| {
        let line = if rank % 1000 == 8 { 5 } else { 6 };
        format!(
            "{{\"task\":\"{rank}\",\"rank\":{rank},\"pid\":{},\"frames\":[{{\"function\":\"main\",\"file\":\"solver.c\",\"line\":12}},{{\"function\":\
             \"solve\",\"file\":\"solver.c\",\"line\":{line},\"values\":{{\"it\":7}}}}]}}\n",
            rank + 4000
        )
    };
    ranks.map(task).collect()
}

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("solver.c", SOLVER);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "solver.c"]);
    sandbox
}

#[test]
fn several_files_are_one_job() {
    let sandbox = sandbox("parts_files");
    sandbox.write("whole", stacks(0..30));
    sandbox.write("one", stacks(0..12));
    sandbox.write("two", stacks(12..30));
    let order = |files: &[&str]| {
        let arguments = [&["order", "--map", "a.hmap", "--stacks"], files].concat();
        sandbox.ok(&arguments)
    };
    assert!(order(&["whole"]).contains("Rank 8 is behind all 29 others"));
    assert_eq!(order(&["one", "two"]), order(&["whole"]));
    let error = sandbox.refused(&["order", "--map", "a.hmap", "--stacks", "one", "whole"]);
    assert!(error.contains("whole: task 0 is in another file, too"), "{error}");
}

#[test]
fn standard_input_is_a_file() {
    let sandbox = sandbox("parts_stdin");
    let order = ["order", "--map", "a.hmap", "--stacks", "-"];
    let mut child = sandbox
        .command(&order)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(stacks(0..30).as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("Rank 8 is behind all 29 others"));
}

#[test]
fn a_cut_last_line_costs_its_task() {
    let sandbox = sandbox("parts_cut");
    let whole = stacks(0..30);
    sandbox.write("cut", &whole[..whole.len() - 30]);
    let Run { out, err, .. } = sandbox.run(&["order", "--map", "a.hmap", "--stacks", "cut"]);
    assert!(out.contains("Rank 8 is behind all 28 others"), "{out}");
    assert!(
        err.contains("cut: line 30 is cut off: its task is missing"),
        "{err}"
    );
}

#[test]
fn partial_trees_make_the_tree_of_the_job() {
    let sandbox = sandbox("parts_trees");
    let name = "\"function\":\"solve\",\"qualified\":\"_ZN4GridIdE5solveEPdi\"";
    let stacks = |ranks| stacks(ranks).replace("\"function\":\"solve\"", name);
    sandbox.write("whole", stacks(0..30));
    for (name, ranks) in [("one", 0..12), ("two", 12..30)] {
        sandbox.write(name, stacks(ranks));
        let run = sandbox
            .command(&["tree", "--map", "a.hmap", "--format", "partial", name])
            .output()
            .unwrap();
        assert!(run.status.success());
        sandbox.write(&format!("{name}.part"), run.stdout);
    }
    let tree = |files: &[&str]| sandbox.ok(&[&["tree", "--map", "a.hmap"], files].concat());
    let merged = tree(&["two.part", "one.part"]);
    assert_eq!(merged, tree(&["whole"]));
    assert!(merged.contains("Grid<double>::solve"), "{merged}");
    let error = sandbox.refused(&["tree", "--map", "a.hmap", "one.part", "two"]);
    assert!(
        error.contains("one.part: a partial tree, among files with stacks"),
        "{error}"
    );
    sandbox.write(
        "cut.part",
        &std::fs::read(sandbox.path("one.part")).unwrap()[..40],
    );
    let error = sandbox.refused(&["tree", "--map", "a.hmap", "cut.part"]);
    assert!(error.contains("cut.part: byte "), "{error}");
}

#[test]
fn many_tasks_are_told_as_few_are() {
    let sandbox = sandbox("parts_many");
    sandbox.write("many", stacks(0..20_000));
    let run = sandbox.run(&["order", "--map", "a.hmap", "--stacks", "many"]);
    assert!(
        run.out.contains("20000 tasks in 2 classes"),
        "{}{}",
        run.out,
        run.err
    );
    assert!(run.out.len() < 10_000, "{}", run.out);
    let tree = sandbox.ok(&["tree", "--map", "a.hmap", "many"]);
    assert!(tree.contains("20:[8,1008,2008,"), "{tree}");
    // Parts of which one alone is large enough to be read so.
    sandbox.write("few", stacks(20_000..20_010));
    let run = sandbox.run(&["order", "--map", "a.hmap", "--stacks", "many", "few"]);
    assert!(
        run.out.contains("20010 tasks in 3 classes") || run.out.contains("20010 tasks in 2 classes"),
        "{}",
        run.out
    );
}
