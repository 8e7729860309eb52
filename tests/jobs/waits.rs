//! The flight recorder in real jobs: random plans of messages and collective operations are followed by real ranks under both MPIs until they hang,
//! and `hindmost waits` must come to what the plan comes to, never saying on the way that somebody is stuck who goes on.
//!
//! [`plan`] makes plans up, [`truth`] works out what they come to, and [`jobs`] runs them; here they are held against each other.

mod jobs;
mod plan;
mod truth;

pub(crate) use jobs::*;
pub(crate) use plan::{Kinds, RANKS, random_plan, text};
pub(crate) use truth::{Truth, truth};

use crate::hindmost::{PATIENCE, hindmost, my_turn, out, run, said};
use corpus::Mpi;
use plan::is_held_by_some;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Follows a plan until the answer is the truth; fails at the first claim that is none.
pub(crate) fn check(mpi: Mpi, made: &(PathBuf, PathBuf), seed: u64, kinds: Kinds) {
    let plan = random_plan(seed, kinds);
    let truth = truth(&plan);
    let mut job = start(mpi, made, &seed.to_string(), &text(&plan));
    let begun = Instant::now();
    let mut last = None;
    let is_not_told = |rank: usize| truth.unsure.contains(&rank) || is_held_by_some(&plan, rank);
    let is_true = |stuck: &BTreeSet<usize>| {
        let is_open = truth.stuck.iter().any(|rank| is_not_told(*rank));
        *stuck == truth.stuck || is_open && stuck.is_subset(&truth.stuck)
    };
    loop {
        let seen = waits(&job.directory);
        let place = || {
            format!(
                "{} seed {seed}: {}\n{truth:?}\n{seen:#?}\n{last:#?}",
                mpi.name(),
                text(&plan)
            )
        };
        if let Some(answer) = &seen {
            let stuck = ranks(&answer["stuck"]);
            assert!(stuck.is_subset(&truth.stuck), "{}", place());
            let edges = match kinds {
                // What depends on the library is so in both.
                Kinds::Likely => all_edges(answer),
                _ => certain_edges(answer),
            };
            let is_held_told = match held_by(answer) {
                Some(held) => {
                    assert!(!held.is_disjoint(&truth.held), "{}", place());
                    answer["verdict"] == "gone" || held.is_subset(&truth.held)
                }
                None => truth.held.is_empty() || truth.held.iter().any(|rank| is_not_told(*rank)),
            };
            let seen_all = answer["tasks"]
                .as_array()
                .is_some_and(|tasks| tasks.len() == RANKS);
            let edges_fit = edges.is_subset(&truth.edges);
            let all_wait = truth
                .blocked
                .iter()
                .all(|rank| edges.iter().any(|(waiter, _)| waiter == rank) || is_not_told(*rank));
            if seen_all && is_true(&stuck) && edges_fit && all_wait && is_held_told {
                break;
            }
        }
        assert!(begun.elapsed() < PATIENCE, "never came to the truth: {}", place());
        last = seen;
        std::thread::sleep(Duration::from_millis(100));
    }
    // A plan without a hang may be over by now.
    if !truth.blocked.is_empty() {
        job.processes.give_way();
        found(&job, &truth, &is_true);
    }
    job.end();
    // The record outlives its job.
    let after = waits(&job.directory).expect("the recordings stay");
    assert!(
        is_true(&ranks(&after["stuck"])),
        "{} seed {seed}, after its end: {truth:?}\n{after:#}",
        mpi.name()
    );
    let _ = std::fs::remove_dir_all(&job.directory);
}

/// Those of whom an answer says first that they can never go on, for certain or probably; with the one that is gone, if that is why.
fn held_by(answer: &Value) -> Option<BTreeSet<usize>> {
    matches!(answer["verdict"].as_str(), Some("deadlock" | "gone")).then(|| ranks(&answer["ranks"]))
}

/// Asks `find` for the same job, whose program has no debug info: it says what the recorder says, and names nobody on its word who is none of the truth.
fn found(job: &Running, truth: &Truth, is_true: &dyn Fn(&BTreeSet<usize>) -> bool) {
    let output = run(hindmost()
        .args(["find", "--format", "json"])
        .arg(job.launcher.id().to_string()));
    let answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    fits(include_str!("../../docs/schemas/answer.schema.json"), &answer);
    let waits = &answer["waits"];
    assert!(is_true(&ranks(&waits["stuck"])), "{truth:?}\n{answer:#}");
    let named = ranks(&answer["named"]);
    if answer["by"] == "recorder" {
        let waiting = truth.edges.iter().any(|(_, on)| named.contains(on));
        assert!(
            !named.is_empty() && (named.is_subset(&truth.stuck) || waiting),
            "{truth:?}\n{answer:#}"
        );
        assert_eq!(
            output.status.code(),
            Some(if answer["proven"] == true { 0 } else { 3 })
        );
    }
    if waits["verdict"] == "deadlock" && waits["proven"] == true {
        assert_eq!(answer["proven"], true, "{answer:#}");
    }
}

/// `HINDMOST_PLANS` names the seeds of another run: `40..80`.
pub(crate) fn seeds(usual: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let named = std::env::var("HINDMOST_PLANS").ok();
    let named = named.as_deref().and_then(|range| range.split_once(".."));
    named.map_or(usual, |(from, to)| {
        from.parse().unwrap_or(0)..to.parse().unwrap_or(0)
    })
}

/// Of the plans with calls in which a library may hold up whoever has come, many end with tasks that only such a one holds, in a ring and by one that has ended.
#[test]
fn plans_end_in_waits_that_depend_on_the_library() {
    let truths = Vec::from_iter((8_000..8_040).map(|seed| truth(&random_plan(seed, Kinds::Likely))));
    let is_held = |truth: &&Truth| truth.stuck.is_empty() && !truth.held.is_empty();
    let held = truths.iter().filter(is_held).count();
    let proven = truths.iter().filter(|truth| !truth.stuck.is_empty()).count();
    assert!(held >= 20 && proven >= 2, "{held}, {proven}");
    assert!(
        truths[..5].iter().any(|truth| is_held(&truth)),
        "none of those that are run"
    );
}

fn plans(mpi: Mpi) {
    let _turn = my_turn();
    let made = made(mpi);
    let usual = match mpi {
        Mpi::OpenMpi => 0..5,
        // Its ranks poll: a job takes long on few processors.
        Mpi::Mpich => 0..2,
    };
    for seed in seeds(usual) {
        check(mpi, &made, seed, Kinds::Messages);
        check(mpi, &made, 1_000 + seed, Kinds::Epochs);
        check(mpi, &made, 2_000 + seed, Kinds::Locks);
        check(mpi, &made, 5_000 + seed, Kinds::Neighbours);
        check(mpi, &made, 7_000 + seed, Kinds::Given);
        check(mpi, &made, 8_000 + seed, Kinds::Likely);
    }
}

#[test]
fn plans_under_open_mpi() {
    plans(Mpi::OpenMpi);
}

#[test]
fn plans_under_mpich() {
    plans(Mpi::Mpich);
}

#[test]
fn what_a_reader_is_told() {
    let _turn = my_turn();
    let made = made(Mpi::OpenMpi);
    // Rank 0 waits for tag 1 of rank 1, which has sent tag 0 before; ranks 2 to 4 wait in a barrier for both.
    let plan = " R0,1,1 B0,0,0| I0,0,0 R0,0,0| B0,0,0| B0,0,0| B0,0,0";
    let mut job = start(Mpi::OpenMpi, &made, "told", plan);
    let begun = Instant::now();
    let text = loop {
        let output = run(hindmost().arg("waits").arg(&job.directory));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.contains("Deadlock") && text.contains("ranks 2-4 wait in MPI_Barrier") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{}", said(&output));
        std::thread::sleep(Duration::from_millis(100));
    };
    let beside = run(hindmost()
        .args(["find", "--waits"])
        .arg(job.launcher.id().to_string()));
    let beside = String::from_utf8_lossy(&beside.stdout).into_owned();
    let drawn = |arguments: &[&str]| {
        let output = run(hindmost()
            .arg("find")
            .args(arguments)
            .arg(job.launcher.id().to_string()));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let (graph, page) = (drawn(&["--waits=dot"]), drawn(&["--tree=html"]));
    let stacks = out().join("told.jsonl");
    drawn(&["--save", &stacks.to_string_lossy()]);
    job.end();
    is_drawn(&graph, &page);
    stands_beside_the_tree(&stacks, &job.directory);
    // The deadlock comes first, then the waits, the stacks, and the whole account that was asked for.
    assert!(
        beside.starts_with("Deadlock: ranks 0-1 wait for each other"),
        "{beside}"
    );
    assert_eq!(
        beside.matches("rank 0 waits in MPI_Recv for message 1").count(),
        2,
        "{beside}"
    );
    assert!(beside.contains("5 tasks in 2 classes"), "{beside}");
    for line in [
        "Deadlock: ranks 0-1 wait for each other, and nobody else can end it",
        "rank 0 waits in MPI_Recv for message 1 of rank 1 (tag 1, MPI_COMM_WORLD): rank 1 has sent 0; it has sent 1 message under tag 0, which nobody has received",
        "rank 1 waits in MPI_Recv for message 1 of rank 0 (tag 0, MPI_COMM_WORLD): rank 0 has sent 0",
        "for ranks 0-1, which have entered",
    ] {
        assert!(text.contains(line), "no '{line}' in:\n{text}");
    }
}

/// The tree of stacks that were kept says for whom each class waits, in every form, if it is told where the recordings are.
fn stands_beside_the_tree(stacks: &Path, recordings: &Path) {
    let tree = |arguments: &[&str]| {
        let output = run(hindmost().arg("tree").arg(stacks).args(arguments));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let directory = recordings.to_string_lossy();
    let beside = |format: &str| tree(&["--recordings", &directory, "--format", format]);
    let in_barrier = "waits for ranks 0-1 (MPI_Barrier ";
    assert!(!tree(&[]).contains("waits for"));
    let text = beside("text");
    for line in [
        in_barrier,
        "Deadlock: ranks 0-1 wait for each other",
        "rank 0 waits in MPI_Recv for message 1",
    ] {
        assert!(text.contains(line), "no '{line}' in:\n{text}");
    }
    let dot = beside("dot");
    assert!(
        dot.contains(&format!("xlabel=\"{in_barrier}"))
            && dot.matches(" -> ").count() < dot.matches(" [").count(),
        "{dot}"
    );
    let document: Value = serde_json::from_str(&beside("json")).expect("the tree is JSON");
    fits(include_str!("../../docs/schemas/tree.schema.json"), &document);
    assert_eq!(document["waits"]["verdict"], "deadlock", "{document:#}");
    let page = beside("html");
    let data = page
        .split_once("id=\"data\">")
        .and_then(|(_, rest)| rest.split_once("</script>"));
    let data: Value = serde_json::from_str(data.expect("a page has data").0).expect("the data is JSON");
    fits(include_str!("../../docs/schemas/page.schema.json"), &data);
    assert_eq!(data["tree"]["waits"]["verdict"], "deadlock", "{data}");
}

/// The two that wait for each other are a box each, those in the barrier one that points to both; the page's data fit the schema and draw the same.
fn is_drawn(graph: &str, page: &str) {
    for part in [
        "digraph waits {",
        "n0 [label=\"rank 0\\nin MPI_Recv",
        "n2 [label=\"ranks 2-4 (3)\\nin MPI_Barrier",
        "n0 -> n1 [label=\"message, tag 1, MPI_COMM_WORLD\",style=solid",
        "n1 -> n0 [",
        "n2 -> n0 [label=\"MPI_Barrier ",
    ] {
        assert!(graph.contains(part), "no '{part}' in:\n{graph}");
    }
    let data = page
        .split_once("id=\"data\">")
        .and_then(|(_, rest)| rest.split_once("</script>"));
    let data: Value = serde_json::from_str(data.expect("a page has data").0).expect("the data is JSON");
    fits(include_str!("../../docs/schemas/page.schema.json"), &data);
    let waits = &data["answer"]["waits"];
    let ranks = waits["nodes"]
        .as_array()
        .map(|nodes| Vec::from_iter(nodes.iter().map(|node| &node["ranks"])));
    assert_eq!(
        ranks,
        Some(vec![&Value::from("0"), &Value::from("1"), &Value::from("2-4")]),
        "{waits}"
    );
    assert_eq!(waits["links"].as_array().map(Vec::len), Some(4), "{waits}");
}

#[test]
fn what_cannot_be_read() {
    let directory = out().join("no-recordings");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap_or_else(|error| panic!("{error}"));
    let refused = |words: &[&str]| crate::hindmost::refused(hindmost().arg("waits").arg(&directory), words);
    refused(&["there is no recording in", "hindmost run"]);
    let file = directory.join("hindmost-1.recording");
    std::fs::write(&file, "short").unwrap_or_else(|error| panic!("{error}"));
    refused(&["hindmost-1.recording", "cut off", "5 bytes"]);
    std::fs::write(&file, vec![1; 4 << 20]).unwrap_or_else(|error| panic!("{error}"));
    refused(&["hindmost-1.recording", "no recording"]);
    std::fs::remove_file(&file).unwrap_or_else(|error| panic!("{error}"));
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.is_ok_and(|status| status.success()));
    refused(&["hindmost-1.recording"]);
    let no_mpi = hindmost_recorder("gcc");
    assert!(no_mpi.contains("mpi.h"), "{no_mpi}");
    assert!(hindmost_recorder("no-such-compiler").contains("--mpicc"));
}

fn hindmost_recorder(mpicc: &str) -> String {
    let output = run(hindmost()
        .args(["recorder", "--mpicc", mpicc, "--runtime", "/dev/null", "-o"])
        .arg(out().join("none.so")));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    said(&output)
}
