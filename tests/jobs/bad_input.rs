//! What is wrong with the input is said, with what to do about it; nothing hangs, and nobody is left stopped.

use crate::hindmost::{bound_map, heartbeat, hindmost, my_turn, named, out, refused, run, said};
use corpus::Heartbeat;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// A pid that was just in use and no longer is.
fn gone() -> String {
    let mut child = Command::new("true").spawn().expect("true starts");
    let pid = child.id();
    child.wait().expect("it is ours");
    pid.to_string()
}

#[test]
fn a_process_that_is_gone() {
    let pid = gone();
    refused(hindmost().args(["find", &pid]), &[&pid]);
    refused(hindmost().args(["find", "--launcher", &pid]), &[&pid]);
}

#[test]
fn a_zombie() {
    let mut child = Command::new("true").spawn().expect("true starts");
    let pid = child.id().to_string();
    while corpus::is_running(child.id()) {
        thread::sleep(Duration::from_millis(1));
    }
    refused(hindmost().args(["find", &pid]), &[&pid, "zombie"]);
    child.wait().expect("it is ours");
}

#[test]
fn a_launcher_without_tasks() {
    let mut child = Command::new("sleep").arg("60").spawn().expect("sleep starts");
    let pid = child.id().to_string();
    refused(hindmost().args(["find", "--launcher", &pid]), &[&pid]);
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
}

#[test]
fn one_of_two_is_gone() {
    let _turn = my_turn();
    let target = heartbeat("one-of-two");
    let map = bound_map(target.exe(), &[Heartbeat::source()]);
    let gone = gone();
    let mut find = hindmost();
    find.args([
        "find",
        "--format",
        "json",
        &target.pid().to_string(),
        &gone,
        "--map",
    ])
    .arg(map);
    let output = run(&mut find);
    let answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    assert_eq!(answer["unreadable"][0]["pid"].to_string(), gone, "{answer:#}");
    assert_eq!(answer["classes"].as_array().map(Vec::len), Some(1), "{answer:#}");
}

#[test]
fn files_that_are_no_maps() {
    let _turn = my_turn();
    let target = heartbeat("no-maps");
    let pid = target.pid().to_string();
    let map = bound_map(target.exe(), &[Heartbeat::source()]);
    let bytes = fs::read(&map).expect("the map is there");
    let bad = out().join("bad.hmap");
    let bad_name = bad.to_string_lossy();

    for length in [0, 3, 8, 16, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&bad, &bytes[..length]).expect("writes");
        refused(hindmost().args(["find", &pid, "--map"]).arg(&bad), &[&bad_name]);
        refused(hindmost().arg("show").arg(&bad), &[&bad_name]);
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 16 + 1) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        fs::write(&bad, changed).expect("writes");
        refused(hindmost().args(["find", &pid, "--map"]).arg(&bad), &[&bad_name]);
    }
    refused(
        hindmost().args(["find", &pid, "--map"]).arg(Heartbeat::source()),
        &["heartbeat.c"],
    );
    refused(hindmost().args(["find", &pid, "--map"]).arg(out()), &[]);
    refused(
        hindmost().args(["find", &pid, "--map", "does-not-exist.hmap"]),
        &["does-not-exist.hmap"],
    );
    named_only(&pid, &map);
}

/// The frame of the function that never returns; what it has just called may stand below it.
#[track_caller]
fn beat_frame(answer: &Value) -> &Value {
    let frames = answer["classes"][0]["frames"].as_array();
    frames
        .and_then(|frames| frames.iter().find(|frame| frame["function"] == "beat"))
        .unwrap_or_else(|| panic!("{answer:#}"))
}

/// After all that, the same process can still be read.
#[track_caller]
fn named_only(pid: &str, map: &std::path::Path) {
    let mut find = hindmost();
    let answer = named(find.args(["find", "--format", "json", pid, "--map"]).arg(map))
        .unwrap_or_else(|said| panic!("{said}"));
    beat_frame(&answer);
}

#[test]
fn an_executable_that_is_none() {
    let map = out().join("unbound.hmap");
    let mut command = hindmost();
    command
        .args(["map", "-o"])
        .arg(&map)
        .arg("--exe")
        .args([Heartbeat::source(), Heartbeat::source()]);
    refused(&mut command, &["heartbeat.c", "ELF"]);
}

#[test]
fn a_map_of_another_build() {
    let _turn = my_turn();
    let old = heartbeat("another-build");
    let map = bound_map(old.exe(), &[Heartbeat::source()]);
    drop(old);
    let new = Heartbeat::start(&out().join("another-build"), &["-g", "-O1"]).expect("starts");
    refused(
        hindmost()
            .args(["find", &new.pid().to_string(), "--map"])
            .arg(&map),
        &["build"],
    );
}

#[test]
fn a_stripped_program() {
    let _turn = my_turn();
    let target = Heartbeat::start(&out().join("stripped"), &["-O2", "-s"]).expect("starts");
    let pid = target.pid().to_string();
    // Nothing to make a map from, and nobody to compare with: its stack is shown all the same.
    let output = run(hindmost().args(["find", &pid]));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        words.starts_with("One process, and no other to compare it with: "),
        "{words}"
    );
    assert!(!words.contains("rebuild"), "{words}");
    // A map that was made from the sources alone cannot tell where in them the program is.
    let map = out().join("stripped/unbound.hmap");
    let output = run(hindmost().args(["map", "-o"]).arg(&map).arg(Heartbeat::source()));
    assert!(output.status.success(), "{}", said(&output));
    refused(hindmost().args(["find", &pid, "--map"]).arg(&map), &[]);
}

#[test]
fn a_stripped_program_with_the_map_of_its_build() {
    let _turn = my_turn();
    let directory = out().join("stripped-later");
    let target = heartbeat("stripped-later");
    let map = bound_map(target.exe(), &[Heartbeat::source()]);
    let stripped = directory.join("stripped");
    let output = run(Command::new("strip").arg("-o").arg(&stripped).arg(target.exe()));
    assert!(output.status.success(), "{}", said(&output));
    drop(target);

    let cells = directory.join("cells");
    fs::write(&cells, [0; 16]).expect("writes");
    let mut target = Command::new(stripped).arg(&cells).spawn().expect("starts");
    while fs::read(&cells).is_ok_and(|cells| cells[..8] == [0; 8]) {
        thread::sleep(Duration::from_millis(1));
    }
    let answer = run(hindmost()
        .args(["find", "--format", "json", &target.id().to_string(), "--map"])
        .arg(&map));
    target.kill().expect("it is ours");
    target.wait().expect("it is ours");
    let answer: Value =
        serde_json::from_slice(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&answer)));
    let beat = beat_frame(&answer);
    assert!(
        beat["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("heartbeat.c")),
        "{answer:#}"
    );
    assert!(beat["line"].is_u64(), "{answer:#}");
}

#[test]
fn someone_else_traces_it() {
    let _turn = my_turn();
    let target = heartbeat("traced");
    let pid = target.pid().to_string();
    let mut gdb = Command::new("gdb")
        .args(["-nx", "-q", "-p", &pid, "-ex", "echo attached\\n"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("gdb starts");
    let mut lines = BufReader::new(gdb.stdout.take().expect("it is piped")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.ends_with("attached"))));

    refused(hindmost().args(["find", &pid]), &[&pid, "traced"]);

    gdb.stdin
        .take()
        .expect("it is piped")
        .write_all(b"detach\nquit\n")
        .expect("gdb reads");
    gdb.wait().expect("it is ours");
    let beats = target.beats();
    thread::sleep(Duration::from_millis(100));
    assert!(target.beats() > beats, "it does not run any more");
}

#[test]
fn a_stopped_process_stays_stopped() {
    let _turn = my_turn();
    let target = heartbeat("stopped");
    let pid = target.pid().to_string();
    let map = bound_map(target.exe(), &[Heartbeat::source()]);
    let signal = |name: &str| {
        let status = Command::new("kill")
            .args([name, &pid])
            .status()
            .expect("kill starts");
        assert!(status.success());
    };
    signal("-STOP");
    named_only(&pid, &map);
    thread::sleep(Duration::from_millis(20));
    let beats = target.beats();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(target.beats(), beats, "it was set going");
    signal("-CONT");
    while target.beats() == beats {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn processes_that_end_while_they_are_read() {
    let _turn = my_turn();
    for delay in 0..20 {
        let mut child = Command::new("sleep")
            .arg(format!("0.{delay:03}"))
            .spawn()
            .expect("sleep starts");
        let output = run(hindmost().args(["find", &child.id().to_string()]));
        child.wait().expect("it is ours");
        // It may be seen or not, and has nobody to be compared with; what counts is how that is said.
        let message = said(&output);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{message}");
        assert!(
            output.status.code() == Some(1) || !output.stderr.is_empty(),
            "{message}"
        );
        assert!(!message.contains("panicked"), "{message}");
    }
}

#[test]
fn a_source_with_syntax_errors() {
    let source = out().join("broken.c");
    let text = "int good(int n) { int i; for (i = 0; i < n; i++) work(i); return i; }\nint bad(int n) { while ( { n+ }\n";
    fs::write(&source, text).expect("writes");
    let map = out().join("broken.hmap");
    let output = run(hindmost().args(["map", "-o"]).arg(&map).arg(&source));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("broken.c"),
        "{}",
        said(&output)
    );
    let shown = run(hindmost().arg("show").arg(&map));
    assert_eq!(shown.status.code(), Some(0), "{}", said(&shown));
}
