//! A job that is looked at computes the same as one that is not, also when whoever looks is killed at any moment.

use crate::hindmost::{PATIENCE, bound_map, compile, hindmost, my_turn};
use base::Random;
use corpus::{JobPlan, Mpi, Program};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

/// Enough work that dozens of attempts fall into it.
const ITERATIONS: &str = "40000";

/// How long the job is bothered, after which it is left to end.
const BOTHERED: Duration = Duration::from_secs(5);

fn last_line(exe: &Path, bother: impl FnOnce(&corpus::Job)) -> String {
    let plan = JobPlan {
        exe,
        mpi: Mpi::OpenMpi,
        ranks: 4,
        stall: None,
        arguments: &[ITERATIONS, "0"],
    };
    let mut job = plan.start().unwrap_or_else(|error| panic!("{error}"));
    bother(&job);
    let (success, output) = job.wait_end(PATIENCE).unwrap_or_else(|error| panic!("{error}"));
    assert!(success, "{output}");
    output.lines().last().unwrap_or_default().to_owned()
}

/// `T` or `t` in `/proc/PID/stat`: the process is stopped, by a signal or by a tracer.
fn is_stopped(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        let state = stat.rsplit_once(") ").map(|(_, fields)| &fields[..1]);
        matches!(state, Some("T" | "t"))
    })
}

#[test]
fn killing_hindmost_at_any_moment_changes_nothing() {
    let _turn = my_turn();
    let exe = compile(Program::Poisson, Mpi::OpenMpi, "-O2");
    let map = bound_map(
        &exe,
        &[Program::Poisson.source(), corpus::directory().join("stall.c")],
    );
    let undisturbed = last_line(&exe, |_| {});
    assert!(undisturbed.contains("self-check passed"), "{undisturbed}");

    let seed = std::env::var("HINDMOST_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(1);
    println!("HINDMOST_SEED={seed}");
    let mut random = Random(seed);
    let (mut killed, mut finished) = (0, 0);
    let disturbed = last_line(&exe, |job| {
        let start = Instant::now();
        while job.heartbeat().contains(&0) {
            assert!(start.elapsed() < PATIENCE, "{}", job.output());
            thread::sleep(Duration::from_millis(5));
        }
        let launcher = job.launcher().to_string();
        let ranks = job.ranks();
        let start = Instant::now();
        while start.elapsed() < BOTHERED {
            let mut find = hindmost()
                .args(["find", "--launcher", &launcher, "--map"])
                .arg(&map)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("hindmost starts");
            thread::sleep(Duration::from_micros(random.below(60_000) as u64));
            // It may have finished: then it was not killed, and must have left everybody running just so.
            if find.try_wait().expect("it is ours").is_some() {
                finished += 1;
            } else {
                find.kill().expect("it is ours");
                killed += 1;
            }
            find.wait().expect("it is ours");
            for (rank, &pid) in &ranks {
                // The kernel lets go of the traced when the tracer dies; that has happened once it is reaped.
                assert!(!is_stopped(pid), "rank {rank} was left stopped");
            }
        }
    });
    println!("{killed} killed, {finished} finished");
    assert!(killed > 10, "only {killed} of {} were killed", killed + finished);
    assert_eq!(disturbed, undisturbed);
}
