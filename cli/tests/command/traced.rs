//! Traced programs: four processes that their environment calls ranks, one of which goes another way once.

use crate::schemas::Schema;
use crate::support::Sandbox;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Rank 2 leaves out one exchange of step 41, and then waits for ever in another function than the others.
const PROGRAM: &str = r#"
#include <stdlib.h>
#include <unistd.h>
static int rank, hangs;
__attribute__((noinline)) static void compute(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void exchange(void) { compute(); for (int i = 0; i < rank; i++) compute(); }
__attribute__((noinline)) static void reduce(int step) { if (hangs && step == 43 && rank == 2) for (;;) pause(); }
__attribute__((noinline)) static void finish(int step) { if (hangs && step == 43) for (;;) pause(); }
__attribute__((noinline)) static void step(int step)
{
    int count = step == 41 && rank == 2 ? 5 : 6;
    for (int i = 0; i < count; i++) exchange();
    reduce(step);
    finish(step);
}
int main(int argc, char **argv)
{
    hangs = argc > 1;
    rank = atoi(getenv("PMI_RANK"));
    for (int i = 1; i <= 60; i++) step(i);
    return 0;
}
"#;

const JOB: &str = "for r in 0 1 2 3; do PMI_RANK=$r PMI_SIZE=4 \"$@\" & done; wait";

/// The tracer, which is built with the tests.
pub(crate) fn tracer() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().join("libruntime_trace.so")
}

fn built(sandbox: &Sandbox, program: &str) {
    sandbox.write("app.c", program);
    let status = Command::new("gcc")
        .args(["-O2", "-g", "-finstrument-functions", "-o", "app", "app.c"])
        .current_dir(&sandbox.root)
        .status()
        .unwrap();
    assert!(status.success());
}

fn job(sandbox: &Sandbox) -> Command {
    let tracer = tracer();
    let tracer = tracer.to_str().unwrap();
    let started = [
        "--trace", "traces", "--tracer", tracer, "--", "sh", "-c", JOB, "sh", "./app",
    ];
    let mut command = sandbox.command(&["run", "--no-recorder"]);
    command.args(started);
    command
}

/// What `hindmost trace` prints for programs.
fn told(sandbox: &Sandbox, words: &[&str]) -> Value {
    let printed = sandbox.ok(&[&["trace", words[0], "traces"], &words[1..], &["--format", "json"]].concat());
    let document: Value = serde_json::from_str(&printed).unwrap();
    Schema::read("trace").fits(&document);
    document
}

#[test]
fn what_all_did_is_told() {
    let sandbox = Sandbox::new("traced");
    built(&sandbox, PROGRAM);
    assert!(job(&sandbox).status().unwrap().success());

    let tree = told(&sandbox, &["tree"]);
    let paths = tree["paths"].as_array().unwrap();
    let counts = |name: &str| {
        let of_name = paths.iter().filter(|path| path["function"] == name);
        Vec::from_iter(of_name.map(|path| path["counts"].clone()))
    };
    assert_eq!(counts("step"), [json!([60, 60, 60, 60])]);
    assert_eq!(counts("exchange"), [json!([360, 360, 359, 360])]);
    assert_eq!(counts("compute"), [json!([360, 720, 1077, 1440])]);

    let loops = sandbox.ok(&["trace", "loops", "traces", "--rank", "0"]);
    for line in ["60 × step", "6 × exchange"] {
        assert!(loops.contains(line), "{line}:\n{loops}");
    }

    let loops = told(&sandbox, &["loops", "--only", "main|step|exchange"]);
    // Equal ranks have one shape; rank 2 shares with them what it did alike.
    let roots = loops["roots"].as_array().unwrap();
    assert!(
        roots[0] == roots[1] && roots[0] == roots[3] && roots[0] != roots[2],
        "{loops}"
    );
    let shapes = loops["shapes"].as_array().unwrap();
    let turns = Vec::from_iter(shapes.iter().filter_map(|shape| shape["turns"].as_u64()));
    assert_eq!(
        (turns.contains(&60), turns.contains(&40), turns.contains(&5)),
        (true, true, true),
        "{loops}"
    );
    let shown = told(&sandbox, &["show", "--last", "1000000"]);
    for thread in shown["threads"].as_array().unwrap() {
        // The first event has a time, and it is of this job.
        let time = thread["last"][0]["moments"][0]["time"].as_i64().unwrap();
        assert!((0..100_000_000_000).contains(&time), "{thread}");
    }

    let differences = told(&sandbox, &["diff", "2", "1"]);
    let step = &differences["telling"]["path"][1];
    assert_eq!((&step["function"], &step["nth"]), (&json!("step"), &json!(41)));
    let differences = sandbox.ok(&["trace", "diff", "traces", "2", "1"]);
    assert!(differences.contains("exchange: called 5 times by rank 2, 6 times by rank 1"));
    let again = sandbox.run(&["trace", "diff", "traces", "3", "--with", "traces"]);
    assert_eq!(again.code, Some(1), "a run is like itself: {}", again.out);

    let outliers = told(&sandbox, &["outliers", "--only", "exchange|step|main"]);
    assert_eq!(outliers["groups"], json!([[0, 1, 3], [2]]));
    assert_eq!(outliers["outliers"][0]["thread"], 2);
    assert_eq!(outliers["outliers"][0]["deviations"][0]["count"], 359);
    let phases = &outliers["phases"];
    assert_eq!(phases["within"], json!(["main"]));
    let phase = |index: usize| {
        let phase = &phases["all"][index];
        json!([phase["function"], phase["calls"], phase["groups"]])
    };
    let alike = json!([[0, 1, 2, 3]]);
    assert_eq!(phase(0), json!(["step", [1, 40], alike]));
    assert_eq!(phase(1), json!(["step", [41, 41], [[0, 1, 3], [2]]]));
    assert_eq!(phase(2), json!(["step", [42, 60], alike]));
    let concepts = phases["all"][1]["concepts"].as_array().unwrap();
    let own = Vec::from_iter(
        concepts
            .iter()
            .map(|concept| json!([concept["threads"], concept["own"]])),
    );
    let exchange = |count: u64| json!([{"path": ["exchange"], "count": count}]);
    assert!(
        own.contains(&json!([[0, 1, 3], exchange(6)])) && own.contains(&json!([[2], exchange(5)])),
        "{own:?}"
    );
    let text = sandbox.ok(&["trace", "outliers", "traces", "--only", "exchange|step|main"]);
    for line in [
        "  step, call 41: ranks 0-1,3 | rank 2",
        "    rank 2: exchange 5 times",
        "  step, calls 42-60: all",
    ] {
        assert!(text.contains(line), "{line}:\n{text}");
    }

    let folded = sandbox.ok(&["trace", "tree", "traces", "--format", "folded", "--rank", "3"]);
    assert!(folded.contains("main;step;exchange 360\n"), "{folded}");
    let perfetto = sandbox.ok(&["trace", "show", "traces", "--format", "perfetto", "--rank", "0"]);
    let perfetto: Value = serde_json::from_str(&perfetto).unwrap();
    let events = perfetto["traceEvents"].as_array().unwrap();
    let begun = events.iter().filter(|event| event["ph"] == "B");
    assert_eq!(begun.count(), 1 + 60 * (1 + 6 + 6 + 1 + 1));

    assert!(
        sandbox
            .refused(&["trace", "show", "."])
            .contains("there is no trace in")
    );
}

#[test]
fn find_tells_where_the_way_of_a_traced_task_parted() {
    let sandbox = Sandbox::new("traced-find");
    built(&sandbox, PROGRAM);
    let mut launcher = job(&sandbox).arg("hangs").stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let pids = loop {
        let shown = sandbox.run(&["trace", "show", "traces", "--last", "1", "--format", "json"]);
        let shown: Value = serde_json::from_str(&shown.out).unwrap_or_default();
        let threads = shown["threads"].as_array().cloned().unwrap_or_default();
        // 42 whole steps have more events.
        let is_there = |thread: &&Value| {
            let last = thread["stack"].as_array().and_then(|stack| stack.last());
            let waits_in = if thread["thread"]["rank"] == 2 {
                "reduce"
            } else {
                "finish"
            };
            last.is_some_and(|last| last == waits_in) && thread["events"].as_u64() > Some(42 * 30)
        };
        let waiting = Vec::from_iter(threads.iter().filter(is_there));
        if waiting.len() == 4 {
            break Vec::from_iter(waiting.iter().map(|thread| thread["thread"]["pid"].to_string()));
        }
        assert!(begun.elapsed() < Duration::from_secs(100), "{shown}");
        std::thread::sleep(Duration::from_millis(50));
    };
    let words = Vec::from_iter(
        ["find", "--format", "json"]
            .into_iter()
            .chain(pids.iter().map(String::as_str)),
    );
    let found = sandbox.run(&words);
    for pid in &pids {
        let _ = Command::new("kill").args(["-9", pid]).status();
    }
    launcher.wait().unwrap();
    let answer: Value = serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{}", found.err));
    assert_eq!(answer["named"], "2", "{}", found.out);
    let way = answer["way"]["sentence"].as_str().unwrap();
    assert_eq!(
        way,
        "in call 41 of step, ranks 0-1,3 called exchange 6 times, rank 2 5 times"
    );
    // What they left can be read when they are gone.
    let shown = sandbox.ok(&["trace", "show", "traces", "--rank", "2", "--last", "2"]);
    assert!(shown.contains("in main > step > reduce"), "{shown}");
}

/// What is done differently within the calls on this way: functions called unequally often, by the rank with the bug and by another; none where the order alone is another.
struct Injected {
    /// From the step on, each function with which call of it.
    within: &'static [(&'static str, u64)],
    unequal: &'static [(&'static str, [u64; 2])],
}

/// By the numbers of the bugs.
const INJECTED: [Injected; 12] = [
    Injected {
        within: &[("exchange", 4)],
        unequal: &[("transfer", [0, 1]), ("unpack", [0, 1])],
    },
    Injected {
        within: &[("exchange", 6)],
        unequal: &[("unpack", [2, 1])],
    },
    Injected {
        within: &[("solve", 1), ("solve", 1), ("solve", 1)],
        unequal: &[("residual", [2, 1])],
    },
    Injected {
        within: &[
            ("solve", 1),
            ("solve", 1),
            ("solve", 1),
            ("solve", 1),
            ("solve", 1),
        ],
        unequal: &[("solve", [1, 0])],
    },
    Injected {
        within: &[("assemble", 1)],
        unequal: &[("compute", [7, 8])],
    },
    Injected {
        within: &[("assemble", 1)],
        unequal: &[("fast_path", [0, 1]), ("slow_path", [1, 0])],
    },
    Injected {
        within: &[("reduce", 1)],
        unequal: &[],
    },
    Injected {
        within: &[],
        unequal: &[("report", [1, 0])],
    },
    Injected {
        within: &[],
        unequal: &[("reduce", [0, 1])],
    },
    Injected {
        within: &[],
        unequal: &[("report", [0, 1])],
    },
    Injected {
        within: &[],
        unequal: &[("report", [1, 0])],
    },
    Injected {
        within: &[],
        unequal: &[("exchange", [7, 6])],
    },
];

/// Whatever the bug, the step and the rank: `diff` names the call that it is in, against another rank as against the same rank of a good run, and `outliers` the rank.
#[test]
fn the_place_of_an_injected_bug_is_named() {
    let sandbox = Sandbox::new("traced-injected");
    built(&sandbox, include_str!("injected.c"));
    let traced = |directory: &str, arguments: &[String]| {
        let mut command = job(&sandbox);
        // The directory is the word behind the option.
        let words = Vec::from_iter(command.get_args().map(ToOwned::to_owned));
        let words = words
            .into_iter()
            .map(|word| if word == "traces" { directory.into() } else { word });
        let words = Vec::from_iter(words);
        command = Command::new(command.get_program());
        let status = command
            .current_dir(&sandbox.root)
            .args(words)
            .args(arguments)
            .stderr(Stdio::null())
            .status();
        assert!(status.unwrap().success());
    };
    traced("good", &[]);
    for (bug, injected) in (1_u64..).zip(&INJECTED) {
        let (who, when) = (
            bug % 4,
            match bug {
                // Of these steps alone a report is made, or not.
                10 => 20,
                11 => 13,
                _ => 3 + bug * 7 % 34,
            },
        );
        let _ = std::fs::remove_dir_all(sandbox.root.join("traces"));
        traced("traces", &[bug, who, when].map(|number| number.to_string()));
        let what = format!("bug {bug} of rank {who} in step {when}");
        let path = [("main", 1), ("step", when)]
            .into_iter()
            .chain(injected.within.iter().copied());
        let path = Vec::from_iter(path.map(|(function, nth)| json!({"function": function, "nth": nth})));
        let unequal = Vec::from_iter(
            injected
                .unequal
                .iter()
                .map(|(function, counts)| json!({"function": function, "counts": counts})),
        );
        let (who, other) = (who.to_string(), ((who + 1) % 4).to_string());
        for against in [&["diff", &who, &other][..], &["diff", &who, "--with", "good"]] {
            let telling = &told(&sandbox, against)["telling"];
            assert_eq!(telling["path"], json!(path), "{what}, {against:?}");
            let mut counts = telling["counts"].as_array().unwrap().clone();
            counts.sort_by_key(|of| of["function"].to_string());
            assert_eq!(counts, unequal, "{what}, {against:?}");
        }
        let is_of_all = injected
            .unequal
            .iter()
            .any(|(function, _)| *function == "compute");
        if !unequal.is_empty() && !is_of_all {
            // Without what is different in all of them.
            let outliers = told(&sandbox, &["outliers", "--only", "^[^c]|check"]);
            assert_eq!(
                outliers["outliers"][0]["thread"].to_string(),
                who,
                "{what}: {outliers}"
            );
        }
    }
}
