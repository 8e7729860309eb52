//! Traces that are packed while their program runs, by several at once, some of which are killed: nothing is ever missing.

use crate::support::Sandbox;
use crate::traced::tracer;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Calls functions at random, which are told by nothing that came before, until there is a file `enough`, and prints how often it has called which. It rests in between: whoever
/// reads its trace again and again must not fall behind, however busy the machine is.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4)
static unsigned long state = 7, counts[50];
__attribute__((no_instrument_function)) static unsigned draw(void)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return state >> 33;
}
static void any(int depth);
#define FUNCTION(n) __attribute__((noinline)) static void f##n(int depth) { counts[n]++; if (draw() % 2) any(depth + 1); }
ALL(FUNCTION)
#define NAME(n) f##n,
static void (*const functions[])(int) = { ALL(NAME) };
__attribute__((no_instrument_function)) static void any(int depth) { if (depth < 50) functions[draw() % 32](depth); }
int main(void)
{
    do {
        for (int i = 0; i < 5000; i++) any(0);
        usleep(20000);
    } while (access("enough", F_OK) != 0);
#define PRINT(n) printf("f" #n " %lu\n", counts[n]);
    ALL(PRINT)
    return 0;
}
"#;

/// So often is looked at most.
const MOST: u32 = 400;

fn files(traces: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(traces).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect()
}

#[test]
fn nothing_is_lost_of_a_trace_that_is_packed_by_several_who_are_killed() {
    let sandbox = Sandbox::new("traced-packed");
    sandbox.write("app.c", PROGRAM);
    let built = Command::new("gcc")
        .args(["-O1", "-finstrument-functions", "-o", "app", "app.c"])
        .current_dir(&sandbox.root)
        .status();
    assert!(built.unwrap().success());
    let tracer = tracer();
    let started = [
        "run",
        "--no-recorder",
        "--trace",
        "traces",
        "--tracer",
        tracer.to_str().unwrap(),
        "--",
    ];
    let mut job = sandbox.command(&started);
    job.arg("./app").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut job = job.spawn().unwrap();
    let traces = sandbox.root.join("traces");
    let (mut looks, mut killed, mut shown, mut given_back) = (0, 0, 0, 0_u64);
    let mut pause = 1;
    while job.try_wait().unwrap().is_none() {
        let mut packer = sandbox.command(&["trace", "pack", "traces"]);
        let mut packer = packer.stderr(Stdio::null()).spawn().unwrap();
        pause = pause * 7 % 61;
        std::thread::sleep(Duration::from_millis(10 + pause));
        killed += u32::from(packer.try_wait().unwrap().is_none());
        let _ = packer.kill();
        packer.wait().unwrap();
        looks += 1;
        if killed > 3 && shown > 0 || looks == MOST {
            sandbox.write("enough", "");
        }
        // To read all of it takes longer than to pack what is new.
        if looks % 6 != 5 || files(&traces, ".trace").is_empty() {
            continue;
        }
        let last = sandbox.run(&["trace", "show", "traces", "--last", "1"]);
        let is_whole = !last.out.contains("block") && !last.err.contains("block");
        assert!(last.code == Some(0) && is_whole, "{}{}", last.out, last.err);
        shown += 1;
        for file in files(&traces, ".trace") {
            use std::os::unix::fs::MetadataExt as _;
            let found = std::fs::metadata(file);
            given_back =
                given_back.max(found.map_or(0, |found| found.size().saturating_sub(found.blocks() * 512)));
        }
    }
    assert!(killed > 3 && shown > 0, "{killed} and {shown} show little");
    // Not every file system can.
    println!("given back while it ran: {given_back} bytes");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut job.stdout.take().unwrap(), &mut text).unwrap();
    assert!(job.wait().unwrap().success());
    let counted = text.lines().filter_map(|line| line.split_once(' '));
    let counted: BTreeMap<String, u64> = counted
        .map(|(name, count)| (name.to_owned(), count.parse().unwrap()))
        .collect();
    assert_eq!(counted.len(), 32);
    let count_of = |function: &str| {
        let tree = sandbox.ok(&[
            "trace",
            "tree",
            "traces",
            "--only",
            &format!("^{function}$"),
            "--format",
            "json",
        ]);
        let tree: Value = serde_json::from_str(&tree).unwrap();
        let paths = tree["paths"].as_array().unwrap().iter();
        paths.map(|path| path["counts"][0].as_u64().unwrap()).sum::<u64>()
    };
    // `hindmost run` has left somebody behind who packs what is there.
    let over = Instant::now();
    while !files(&traces, ".trace").is_empty() {
        assert!(
            over.elapsed() < Duration::from_secs(300),
            "{:?}",
            files(&traces, "")
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(files(&traces, ".trace-packed").len(), 1);
    assert!(files(&traces, ".stamps").is_empty());
    let shown = sandbox.ok(&["trace", "show", "traces", "--last", "1", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    // Main, and each of them.
    assert_eq!(
        shown["threads"][0]["events"],
        2 + 2 * counted.values().sum::<u64>()
    );
    for function in ["f10", "f47"] {
        assert_eq!(count_of(function), counted[function], "{function}");
    }
}
