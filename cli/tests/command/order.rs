//! `hindmost order`: recorded stacks, answers and pairs.

mod answers;
mod output;
mod pairs;
mod refused;
mod undecided;

use crate::support::Sandbox;
use expect_test::Expect;

const SOLVER: &str = "\
static double get_norm(const double *a)
{
    double norm = 0.0;
    int k;
    for (k = 0; k < 64; k++)
        if (a[k] > norm)
            norm = a[k];
    return norm;
}

static void solve(double *a, int max)
{
    int it = 0;
    double norm, diff;
    while (it < max) {
        exchange(a);
        norm = get_norm(a);
        MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        it++;
    }
    while (*a)
        settle(a);
}

int main(void)
{
    static double a[64];
    solve(a, 100);
    if (a[0] > 1)
        left(a);
    else
        right(a);
    return 0;
}
";

/// A frame; `rest` holds further fields.
fn frame(function: &str, line: u32, rest: &str) -> String {
    format!(r#"{{"function": "{function}", "file": "solver.c", "line": {line}{rest}}}"#)
}

/// In `solve` at a line, in an iteration, with whatever is below.
fn in_solve(line: u32, it: i32, below: &[String]) -> Vec<String> {
    let values = format!(r#", "values": {{"it": {it}}}"#);
    let mut frames = vec![frame("main", 28, ""), frame("solve", line, &values)];
    frames.extend_from_slice(below);
    frames
}

fn library(function: &str) -> Vec<String> {
    vec![
        format!(r#"{{"function": "{function}", "module": "/usr/lib/libmpi.so.40"}}"#),
        r#"{"function": "progress", "module": "/usr/lib/libmpi.so.40"}"#.to_owned(),
    ]
}

fn task(name: &str, rank: Option<u32>, frames: &[String]) -> String {
    let rank = rank
        .map(|rank| format!(r#""rank": {rank}, "#))
        .unwrap_or_default();
    format!(
        "{{\"task\": \"{name}\", {rank}\"frames\": [{}]}}\n",
        frames.join(", ")
    )
}

fn sandbox(name: &str, stacks: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("solver.c", SOLVER);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "solver.c"]);
    sandbox.write("stacks", stacks);
    sandbox
}

const ORDER: [&str; 5] = ["order", "--map", "a.hmap", "--stacks", "stacks"];

#[track_caller]
fn check(sandbox: &Sandbox, more: &[&str], code: i32, expected: Expect) {
    let arguments: Vec<&str> = ORDER.iter().chain(more).copied().collect();
    let run = sandbox.run(&arguments);
    assert_eq!((run.code, run.err.as_str()), (Some(code), ""), "{}", run.out);
    // What the map's bytes are is no matter of the answer's form.
    let hash = run
        .out
        .split_once("\"blake3\": \"")
        .and_then(|(_, rest)| rest.get(..64));
    let shown = hash.map_or(run.out.clone(), |hash| run.out.replace(hash, "HASH"));
    expected.assert_eq(&shown);
}

/// The job of the issue: one rank still computes, most wait for it, two have gone on.
fn hung_job() -> String {
    let mut stacks = String::new();
    for rank in 0..32 {
        let frames = match rank {
            8 => in_solve(17, 41, &[frame("get_norm", 8, "")]),
            7 | 9 => in_solve(16, 42, &library("exchange")),
            _ => in_solve(18, 41, &library("PMPI_Allreduce")),
        };
        stacks += &task(&rank.to_string(), Some(rank), &frames);
    }
    stacks
}
