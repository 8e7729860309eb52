//! Two ranks of a hung job in one gdb and in one lldb, and the job in an editor: all name whom it was hung by.

use crate::hindmost::{compile, hindmost, hung, my_turn, out};
use corpus::{Job, Mpi, Program, Stall};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests::editor::Editor;
use tests::stopped::python_of_lldb;

fn check(mpi: Mpi) {
    let _turn = my_turn();
    let exe = compile(Program::Poisson, mpi, "-O2");
    let stall = Stall {
        rank: 1,
        iteration: 17,
        place: "get_norm",
    };
    let job = hung(&exe, mpi, 3, stall);
    let directory = out().join(format!("debuggers-{mpi:?}"));
    fs::create_dir_all(&directory).unwrap();
    in_gdb(&exe, &job, &directory);
    in_lldb(&exe, &job, &directory);
    in_an_editor(&job);
    drop(job);
    fs::remove_dir_all(&directory).unwrap();
}

/// Writes a script of hindmost's for a debugger.
fn script(command: &str, file: PathBuf) -> PathBuf {
    let printed = hindmost().arg(command).output().unwrap();
    fs::write(&file, printed.stdout).unwrap();
    file
}

fn in_gdb(exe: &Path, job: &Job, directory: &Path) {
    let script = script("gdb-script", directory.join("hindmost-gdb.py"));
    let ranks = job.ranks();
    let program = hindmost().get_program().to_owned();
    let commands = [
        "set pagination off".to_owned(),
        format!("source {}", script.display()),
        format!("set hindmost program {}", program.to_str().unwrap()),
        format!("attach {}", ranks[&0]),
        format!("add-inferior -exec {}", exe.display()),
        "inferior 2".to_owned(),
        format!("attach {}", ranks[&1]),
        "hindmost order".to_owned(),
        "hindmost here".to_owned(),
        "set hindmost frames on".to_owned(),
        "bt".to_owned(),
    ];
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-q", "-batch"]).env_remove("DEBUGINFOD_URLS");
    for command in &commands {
        gdb.args(["-ex", command]);
    }
    let wanted = [
        "Rank 1 is behind the other one",
        "iteration it=17",
        // A job of three ranks, of which gdb holds two: the third may be further behind.
        "rank 2",
        "[it=17]",
    ];
    says(gdb.arg(exe), &wanted);
}

fn in_lldb(exe: &Path, job: &Job, directory: &Path) {
    let script = script("lldb-script", directory.join("hindmost_lldb.py"));
    let ranks = job.ranks();
    let program = hindmost().get_program().to_owned();
    let mut lldb = Command::new("lldb");
    lldb.args(["--no-lldbinit", "--batch"])
        .env("PYTHONPATH", python_of_lldb())
        .env_remove("DEBUGINFOD_URLS");
    let commands = [
        format!("command script import {}", script.display()),
        format!("hindmost set program {}", program.to_str().unwrap()),
        format!("target create {}", exe.display()),
        format!("process attach --pid {}", ranks[&0]),
        format!("target create {}", exe.display()),
        format!("process attach --pid {}", ranks[&1]),
        "hindmost order".to_owned(),
        "hindmost here".to_owned(),
    ];
    for command in &commands {
        lldb.args(["-o", command]);
    }
    says(
        &mut lldb,
        &[
            "Rank 1 is behind the other one",
            "iteration it=17",
            "rank 2",
            "get_norm",
        ],
    );
}

/// The editor names the launcher, and stands at the rank by which the job was hung, at the program's line; then that rank hangs on.
fn in_an_editor(job: &Job) {
    let mut editor = Editor::new(hindmost().arg("dap").env_remove("DEBUGINFOD_URLS"));
    editor.ask("initialize", json!({})).unwrap();
    let attach = editor.send("attach", json!({"pid": job.launcher()}));
    editor.answer(attach).unwrap();
    editor.event("initialized");
    editor.ask("configurationDone", json!({})).unwrap();
    let stopped = editor.event("stopped");
    let why = stopped["description"].as_str().unwrap();
    assert!(why.starts_with("hindmost: rank 1, in "), "{why}");
    let stack = editor
        .ask("stackTrace", json!({"threadId": stopped["threadId"]}))
        .unwrap();
    let mut frames = stack["stackFrames"].as_array().unwrap().iter();
    let place = frames
        .find(|frame| frame["presentationHint"] != "subtle")
        .unwrap();
    assert_eq!(place["source"]["name"], "poisson.c", "{stack}");
    assert!(stack.to_string().contains("[it=17]"), "{stack}");
    editor.ask("disconnect", json!({})).unwrap();
    editor.vanish();
    let status = fs::read_to_string(format!("/proc/{}/status", job.ranks()[&1])).unwrap();
    assert!(status.contains("TracerPid:\t0\n"), "{status}");
}

fn says(debugger: &mut Command, wanted: &[&str]) {
    let output = debugger.output().expect("the debugger runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    for words in wanted {
        assert!(
            said.contains(words),
            "no {words:?} in {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn under_open_mpi() {
    check(Mpi::OpenMpi);
}

#[test]
fn under_mpich() {
    check(Mpi::Mpich);
}
