//! `hindmost watch` on jobs with the flight recorder: who can never go on is reported at once, who is slow while others go on is no alarm.

use crate::hindmost::{hindmost, my_turn, out};
use crate::waits::{Debug, RANKS, made_of};
use corpus::{JobProcesses, Mpi};
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{ExitStatus, Stdio};

/// How the watchdog ends, and its words, of which `heard` gets each line at once; of a program of `plans` that is started with the recorder and watched
/// with the times that it has by itself.
fn watched(
    mpi: Mpi,
    program: &str,
    environment: [(&str, &OsStr); 1],
    heard: impl Fn(&str),
) -> (ExitStatus, String) {
    let (recorder, program) = made_of(mpi, program, Debug::None);
    let directory = out().join(format!("watched-record-{}", mpi.name()));
    let _ = std::fs::remove_dir_all(&directory);
    let processes = JobProcesses::new();
    let (name, token) = processes.variable();
    let mut command = hindmost();
    command
        .args(["watch", "--every", "300ms", "--report"])
        .arg(out().join("record-alarm"))
        .args([
            "--run",
            "kill -KILL $(grep -o '\"pid\":[0-9]*' $HINDMOST_REPORT.snapshot | cut -d: -f2)",
            "--",
        ]);
    command
        .arg(hindmost().get_program())
        .args(["run", "--recorder"])
        .arg(recorder);
    command
        .arg("--record")
        .arg(directory)
        .args(["--", &format!("mpirun.{}", mpi.name())]);
    if mpi == Mpi::OpenMpi {
        command.args(["--allow-run-as-root", "--oversubscribe"]);
    }
    command.args(["-np", &RANKS.to_string()]).arg(program);
    command.env(name, token).envs(environment);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut words = String::new();
    for line in BufReader::new(child.stderr.take().expect("it is piped")).lines() {
        let line = line.unwrap_or_else(|error| panic!("{error}"));
        heard(&line);
        words += &line;
        words.push('\n');
    }
    let status = child.wait().unwrap_or_else(|error| panic!("{error}"));
    (status, words)
}

/// Two ranks wait for each other's messages, and the others sleep outside of MPI: from outside they may go on at any time.
fn never_goes_on(mpi: Mpi) {
    let _turn = my_turn();
    let plan = OsStr::new(" R0,1,0| R0,0,0| L0,0,0| L0,0,0| L0,0,0");
    let (status, text) = watched(mpi, "plan", [("PLAN", plan)], |_| ());
    assert_eq!(status.code(), Some(4), "{text}");
    assert!(
        text.contains(
            "ALARM: hung: ranks 0-1 wait for what can never come, by what the tasks have recorded in MPI"
        ),
        "{text}"
    );
    assert!(
        // How many record is said as of the first look, when some may still be on their way into MPI.
        text.contains("5 tasks watched"),
        "{text}"
    );
    let report =
        std::fs::read_to_string(out().join("record-alarm.txt")).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        report.contains("Deadlock: ranks 0-1 wait for each other"),
        "{report}"
    );
}

#[test]
fn who_can_never_go_on_is_reported_under_open_mpi() {
    never_goes_on(Mpi::OpenMpi);
}

#[test]
fn who_can_never_go_on_is_reported_under_mpich() {
    never_goes_on(Mpi::Mpich);
}

#[test]
fn who_is_slow_while_others_go_on_is_no_alarm() {
    let _turn = my_turn();
    let enough = out().join("slow-enough");
    let _ = std::fs::remove_file(&enough);
    let is_slow = |line: &&str| line.contains("rank 2 computes for ");
    // The rank is slow until it is said to be: a busy machine may take many seconds for a look.
    let (status, text) = watched(Mpi::Mpich, "slow", [("ENOUGH", enough.as_os_str())], |line| {
        if is_slow(&line) {
            std::fs::write(&enough, "").unwrap_or_else(|error| panic!("{error}"));
        }
    });
    assert!(status.success() && !text.contains("ALARM"), "{status}: {text}");
    let said = Vec::from_iter(text.lines().filter(is_slow));
    assert!(
        said.len() == 1 && said[0].ends_with("others go on: it is slow, not hung"),
        "{text}"
    );
}
