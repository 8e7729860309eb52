//! The case study of AutomaDeD (section 5.1) as a program that hangs for real (`plans/pio.c`): who is behind, who waits for whom, and which code is to be looked at.

use crate::hindmost::{PATIENCE, bound_map, hindmost, my_turn, out, run, said};
use crate::waits::{Debug, made_of, start};
use corpus::Mpi;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

fn hangs_and_is_explained(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "pio", Debug::Info);
    let mut job = start(mpi, &made, "pio", "");
    let begun = Instant::now();
    let text = loop {
        let output = run(hindmost().arg("waits").arg(&job.directory));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.contains("Deadlock") && text.contains("ranks 0-2,4 wait in MPI_Barrier") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{}", said(&output));
        std::thread::sleep(Duration::from_millis(100));
    };
    let launcher = job.launcher.id().to_string();
    let found = |arguments: &[&str]| -> Value {
        let output = run(hindmost().arg("find").args(arguments).arg(&launcher));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
    };
    let answer = found(&["--format", "json"]);
    let slice = found(&["--slice", "--all", "--slice-format", "json"]);
    let outwards = found(&["--slice", "--all", "--next=9", "--slice-format", "json"]);
    let stacks = out().join(format!("pio-{}.stacks", mpi.name()));
    found(&["--format", "json", "--save", &stacks.to_string_lossy()]);
    job.end();
    grows_outwards(&outwards);
    grows_in_an_editor(&made.1, &stacks, &job.directory, &outwards);
    for line in [
        "Deadlock: ranks 0,3 wait for each other, and nobody else can end it",
        "rank 3 waits in MPI_Recv for message 3 of rank 0 (tag 7, MPI_COMM_WORLD): rank 0 has sent 2",
        "ranks 0-2,4 wait in MPI_Barrier, number 1 of MPI_COMM_WORLD, for rank 3, which has entered 0",
    ] {
        assert!(text.contains(line), "no '{line}' in:\n{text}");
    }
    assert_eq!(
        (&answer["named"], &answer["proven"]),
        (&Value::from("3"), &Value::from(true)),
        "{answer:#}"
    );
    // The tag that both sets share, and the answer that takes the request of the other set.
    let source = include_str!("plans/pio.c");
    let statements = slice["statements"].as_array().cloned().unwrap_or_default();
    for wanted in [
        "return is_fixed ? tag",
        "answer(own_writer, set);\n                answered++",
    ] {
        let line = source.find(wanted).map(|at| source[..at].lines().count() as u64);
        let is_there = statements
            .iter()
            .any(|statement| statement["line"].as_u64() == line);
        assert!(is_there, "line {line:?} is not in {slice:#}");
    }
}

/// Class by class along the waits: first the one that is named, then rank 0, which it waits for in a ring, and those who wait in the barrier.
fn grows_outwards(slice: &Value) {
    let schema = include_str!("../../docs/schemas/slice.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap_or_else(|error| panic!("{error}"));
    let schema = jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{error}"));
    assert!(schema.is_valid(slice), "{slice:#}");
    let steps = slice["steps"].as_array().cloned().unwrap_or_default();
    let (first, later) = steps.split_first().unwrap_or_else(|| panic!("{slice:#}"));
    assert_eq!(
        (&first["ranks"], &first["waits_for"]),
        (&Value::from("3"), &Value::from(Vec::<u64>::new())),
        "{slice:#}"
    );
    let waits = |step: &Value| step["waits_for"].as_array().is_some_and(|on| !on.is_empty());
    assert!(!later.is_empty() && later.iter().all(waits), "{slice:#}");
    let ranks = steps
        .iter()
        .flat_map(|step| step["ranks"].as_str()?.parse::<base::RankSet>().ok());
    assert_eq!(ranks.map(|ranks| ranks.len()).sum::<u64>(), 5, "{slice:#}");
}

/// An editor that goes from step to step comes through the same statements, class by class.
fn grows_in_an_editor(program: &Path, stacks: &Path, recordings: &Path, slice: &Value) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/plans/pio.c");
    let map = bound_map(program, &[source]);
    let mut server = hindmost()
        .args(["lsp", "--map"])
        .arg(map)
        .arg("--snapshot")
        .arg(stacks)
        .arg("--recordings")
        .arg(recordings)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{error}"));
    let mut editor = Editor {
        output: BufReader::new(server.stdout.take().expect("it is piped")),
        input: server.stdin.take().expect("it is piped"),
        asked: 0,
    };
    editor.ask("initialize", &json!({"capabilities": {}}));
    editor.send(&json!({"method": "initialized", "params": {}}));
    let mut run = |command: &str, arguments: Value| {
        let what = json!({"command": command, "arguments": arguments});
        editor.ask("workspace/executeCommand", &what)["result"].clone()
    };
    let first = run("hindmost.slice", json!([{"along": "waits"}]));
    let mut walked = vec![first["steps"][0].clone()];
    loop {
        let step = run("hindmost.next", json!([]));
        if walked.last().is_some_and(|last| last["step"] == step["step"]) {
            break;
        }
        walked.push(step);
    }
    editor.ask("shutdown", &Value::Null);
    editor.send(&json!({"method": "exit"}));
    server.wait().unwrap_or_else(|error| panic!("{error}"));
    let lines = |of: &[Value]| Vec::from_iter(of.iter().map(|each| each["line"].as_u64()));
    let statements = slice["statements"].as_array().cloned().unwrap_or_default();
    assert_eq!(lines(&walked), lines(&statements), "{first:#}");
    let classes: BTreeSet<Option<u64>> = walked.iter().map(|step| step["class"].as_u64()).collect();
    assert!(classes.len() > 1, "{walked:#?}");
}

/// The wire of a language server.
struct Editor {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Editor {
    fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        let wire = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.input
            .write_all(wire.as_bytes())
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// Asks, and waits for the answer.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        self.send(&json!({"id": self.asked, "method": method, "params": params}));
        loop {
            let mut length = 0;
            loop {
                let mut header = String::new();
                self.output
                    .read_line(&mut header)
                    .unwrap_or_else(|error| panic!("{error}"));
                match header.trim().split_once(": ") {
                    Some(("Content-Length", value)) => length = value.parse().unwrap_or(0),
                    Some(_) => {}
                    None => break,
                }
            }
            let mut body = vec![0; length];
            self.output
                .read_exact(&mut body)
                .unwrap_or_else(|error| panic!("{error}"));
            let message: Value = serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{error}"));
            if message["id"] == self.asked && message.get("method").is_none() {
                return message;
            }
        }
    }
}

#[test]
fn the_case_study_is_explained_under_open_mpi() {
    hangs_and_is_explained(Mpi::OpenMpi);
}

#[test]
fn the_case_study_is_explained_under_mpich() {
    hangs_and_is_explained(Mpi::Mpich);
}

/// With tags of its own for each set the same program ends: the tags are what it hangs by.
#[test]
fn the_case_study_ends_with_tags_of_its_own() {
    let _turn = my_turn();
    let made = made_of(Mpi::OpenMpi, "pio", Debug::Info);
    let mut job = start(Mpi::OpenMpi, &made, "pio-fixed", "fixed");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = job.launcher.try_wait().unwrap_or_else(|error| panic!("{error}")) {
            break status;
        }
        assert!(begun.elapsed() < PATIENCE, "it hangs");
        std::thread::sleep(Duration::from_millis(50));
    };
    job.end();
    assert!(status.success(), "{status}");
}
