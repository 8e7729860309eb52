//! The reader in Python, which shares nothing with ours, against ours on traces of real programs.

use crate::THREADS;
use crate::generate::{Leaving, program};
use crate::run::{Place, build, command};
use calltrace::{Event, Stamps, Task, Trace};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[test]
fn python_reads_what_programs_have_left() {
    let jumps = program(0, Leaving::Jumps);
    for (options, text) in [
        (&["-O2", THREADS][..], jumps.as_str()),
        (&["-O2", "-DSIGNALS", "-DAWAY", "-DOTHER_STACK", THREADS], &jumps),
        (&["-O1"], include_str!("family.c")),
    ] {
        let place = Place::new();
        let file = build(&place, "gcc", options, text).expect("there is gcc");
        let status = command(&place, &file).arg("forks").status().unwrap();
        assert!(status.success(), "{options:?}: {status}");
        let directory = place.path().join("traces");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/python/hindmost_trace.py");
        let output = Command::new("python3")
            .arg("-B")
            .arg(script)
            .arg(&directory)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let threads = String::from_utf8(output.stdout).unwrap();
        let threads = Vec::from_iter(
            threads
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()),
        );
        assert!(!threads.is_empty());
        for thread in &threads {
            hold(thread, &directory);
        }
    }
}

fn hold_stamps(thread: &Value, file: &Path) {
    let bytes = std::fs::read(file).unwrap();
    let stamps = Stamps::of(&bytes, &[]).unwrap();
    let all = Vec::from_iter(stamps.all().map(Result::unwrap));
    assert!(!all.is_empty(), "the first event has one");
    let ours = all
        .iter()
        .map(|stamp| (stamp.behind, stamps.since_epoch(stamp.time)));
    let read = thread["stamps"].as_array().unwrap().iter();
    let read = read.map(|stamp| (stamp["behind"].as_u64().unwrap(), stamp["time"].as_u64().unwrap()));
    assert!(ours.eq(read), "{}", file.display());
}

/// What Python has read of a thread is what we read.
fn hold(thread: &Value, directory: &Path) {
    let name = thread["file"].as_str().unwrap();
    let bytes = std::fs::read(directory.join(name)).unwrap();
    let trace = Trace::read(&bytes).unwrap();
    let mut events = trace.events();
    let mut all = Vec::from_iter(events.by_ref().map(Result::unwrap));
    all.extend(trace.queued(&events));
    let numbers = all.iter().map(|event| match event {
        Event::Enter(function) => u64::from(function.number()),
        Event::Exit => 0,
    });
    let read = thread["events"].as_array().unwrap().iter();
    assert!(numbers.eq(read.map(|number| number.as_u64().unwrap())), "{name}");
    let about = trace.about();
    for (field, value) in [
        ("lost", about.lost),
        ("supplied", about.supplied),
        ("ignored", about.ignored),
        ("inherited", about.inherited),
        ("tid", about.tid.into()),
    ] {
        assert_eq!(thread["about"][field], value, "{name}: {field}");
    }
    hold_stamps(thread, &directory.join(name).with_extension("stamps"));
    let (stem, _) = name.rsplit_once('-').unwrap();
    let task = Task::read(&std::fs::read(directory.join(format!("{stem}.task"))).unwrap()).unwrap();
    let process = &thread["process"];
    assert_eq!(
        (&process["pid"], &process["host"]),
        (&task.pid.into(), &task.host.into())
    );
    assert_eq!(process["forked_from"].as_u64(), task.forked_from.map(u64::from));
    let paths = Vec::from_iter(
        process["modules"]
            .as_array()
            .unwrap()
            .iter()
            .map(|module| module["path"].as_str().unwrap()),
    );
    assert!(task.modules.iter().map(|module| module.path.as_str()).eq(paths));
    let functions = process["functions"].as_array().unwrap();
    assert_eq!(functions.len(), task.functions.len());
    for (read, ours) in functions.iter().zip(task.functions.iter().flatten()) {
        assert_eq!(read["address"], ours.address, "{name}");
        assert_eq!(
            read["module"].as_u64(),
            ours.module.map(|module| module as u64),
            "{name}"
        );
    }
}
