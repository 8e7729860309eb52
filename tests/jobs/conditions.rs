//! Conditions over the ranks of a real job (`plans/events.c`): when they come true is held against the lines that `timeline --export jsonl` has of the same job.

use crate::hindmost::{PATIENCE, hindmost, my_turn, out, refused, run, said};
use crate::waits::{Debug, RANKS, Running, made_of, start_with};
use corpus::{JobProcesses, Mpi};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How all stand at the end: rank 0 in a receive that nobody serves, the others in the second barrier, behind it. They may still be in the first one when rank 0 comes to its receive.
const AT_THE_END: &str =
    "rank 0 in Recv and all of 1-4 in Barrier and all of 1-4 has entered Barrier 2 times";

fn until(job: &Running, condition: &str, options: &[&str]) -> Command {
    let mut command = hindmost();
    command.args(["until", condition]).args(options);
    command.arg("--recordings").arg(&job.directory);
    command
}

/// The process of each rank.
fn pids(job: &Running) -> Vec<u32> {
    let waits = run(hindmost().args(["waits", "--format", "json"]).arg(&job.directory));
    let waits: Value = serde_json::from_slice(&waits.stdout).unwrap_or_else(|_| panic!("{}", said(&waits)));
    let tasks = waits["tasks"].as_array().unwrap();
    tasks
        .iter()
        .map(|task| task["pid"].as_u64().unwrap() as u32)
        .collect()
}

/// How many of them are stopped by a signal.
fn stopped(pids: &[u32]) -> usize {
    let is_stopped = |pid: &&u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ")
            .is_some_and(|(_, state)| state.starts_with('T'))
    };
    pids.iter().filter(is_stopped).count()
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the job hangs.
fn hung(job: &Running) {
    wait_for("the job hangs", || {
        let waits = run(hindmost().args(["waits", "--format", "json"]).arg(&job.directory));
        let waits: Option<Value> = serde_json::from_slice(&waits.stdout).ok();
        waits.is_some_and(|waits| waits["verdict"] == "deadlock" && waits["proven"] == true)
    });
}

/// The n-th event of the job's lines that this is true of, as its rank, sender and time in the whole.
fn nth(job: &Running, many: usize, is_one: impl Fn(&Value) -> bool) -> (u64, u64, f64) {
    let lines = run(hindmost()
        .args(["timeline", "--export", "jsonl"])
        .arg(&job.directory));
    let lines = String::from_utf8_lossy(&lines.stdout).into_owned();
    let events = lines
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events = Vec::from_iter(events);
    let time = |event: &Value| event["time_ns"].as_i64().unwrap();
    let found = events.iter().filter(|event| is_one(event)).nth(many - 1).unwrap();
    let seconds = (time(found) - time(&events[0])) as f64 / 1e9;
    (
        found["rank"].as_u64().unwrap(),
        found["from"].as_u64().unwrap(),
        seconds,
    )
}

/// The condition comes true with the thirtieth message, whoever it is from.
fn is_told_at_its_event(job: &Running) {
    let condition = "rank 0 has left Recv and rank 0 has received tag 2 from 1-4 30 times";
    let output = run(&mut until(job, condition, &[]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let (rank, from, seconds) = nth(job, 30, |event| {
        event["rank"] == 0 && event["tag"] == 2 && event["from"].is_u64()
    });
    let line = format!("  at {seconds:.6} s  rank {rank:<4} leaves MPI_Recv from rank {from} (tag 2)");
    assert!(text.contains(&line), "no '{line}' in:\n{text}");
    // Then the job is looked at, as it is by now.
    assert!(text.contains("MPI_Barrier") && text.contains("5 tasks"), "{text}");
}

/// The tasks are stopped when the condition comes true, go on when a line is entered, and stand again when it comes true again.
fn are_stopped_and_go_on(job: &Running) {
    let pids = pids(job);
    assert_eq!(pids.len(), RANKS);
    let mut command = until(job, AT_THE_END, &["--stop", "--again"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child: Child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = Vec::new();
    while !told
        .last()
        .is_some_and(|line: &String| line.starts_with("They go on"))
    {
        told.push(lines.next().unwrap().unwrap());
    }
    for pid in &pids {
        assert!(
            told.iter().any(|line| line.ends_with(&format!(": gdb -p {pid}"))),
            "{told:#?}"
        );
    }
    wait_for("all are stopped", || stopped(&pids) == RANKS);
    writeln!(child.stdin.as_mut().unwrap()).unwrap();
    wait_for("all go on", || stopped(&pids) == 0);
    // It is asked to end, and lets go of whom it might have stopped again.
    let end = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(end.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    wait_for("all go on", || stopped(&pids) == 0);
}

#[test]
fn conditions_come_true_at_their_event() {
    let _turn = my_turn();
    let made = made_of(Mpi::OpenMpi, "events", Debug::None);
    let mut job = start_with(Mpi::OpenMpi, &made, "conditions", "", &["--events"]);
    hung(&job);
    is_told_at_its_event(&job);
    are_stopped_and_go_on(&job);
    job.end();
    let output = run(&mut until(&job, "any rank has sent tag 12345", &[]));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    refused(
        &mut until(&job, "rank 0 in Receive", &[]),
        &["\n          ^^^^^^^ MPI has no function MPI_Receive"],
    );
}

/// A job that `until` starts is looked at in the moment at which it hangs, its stacks are kept, and it is ended.
#[test]
fn a_job_is_followed_from_its_start() {
    let _turn = my_turn();
    let (recorder, program) = made_of(Mpi::OpenMpi, "events", Debug::None);
    let directory = out().join("recorded-until");
    let prefix = out().join("until");
    let _ = std::fs::remove_dir_all(&directory);
    let processes = JobProcesses::new();
    let (variable, value) = processes.variable();
    let output = run(hindmost()
        .args(["until", AT_THE_END, "--end", "--recorder"])
        .arg(&recorder)
        .arg("--record")
        .arg(&directory)
        .arg("--save")
        .arg(&prefix)
        .args([
            "--",
            "mpirun.openmpi",
            "--allow-run-as-root",
            "--oversubscribe",
            "-np",
        ])
        .arg(RANKS.to_string())
        .arg(&program)
        .env(variable, value));
    processes.end();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let truths = "  rank 0 in MPI_Recv: 0\n  ranks 1-4 in MPI_Barrier: 1-4\n";
    assert!(text.contains(truths), "{text}");
    let kept = std::fs::read_to_string(out().join("until-1.snapshot")).unwrap();
    assert_eq!(
        kept.lines().filter(|line| line.contains("\"rank\"")).count(),
        RANKS,
        "{kept}"
    );
}
