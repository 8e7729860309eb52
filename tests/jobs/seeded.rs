//! Programs with an error each, in a file that is not the one of the call in which they hang (`tests/slices/seeded`): how far down the slice
//! must a reader go to the faulty line, which is marked `BUG`?
//!
//! Each directory is a program for four ranks, with the stacks that were recorded when it hung. The test of all of these needs no MPI. Under CI a few programs hang
//! for real; with `HINDMOST_SLICES=all` all, and with `HINDMOST_RECORD` they leave their stacks in their directories.

use crate::hindmost::{hindmost, my_turn, out, run, said};
use crate::slices::{lines_of, slice_of, wait_hung};
use corpus::{JobPlan, Mpi};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many must have the faulty line among the first twenty, of so many: as many as have it. The aim, 18 of 21, is 61.
const AIM: (usize, usize) = (61, 71);

/// Those that run under CI: of C and of C++, a condition and a message.
const ALWAYS: [&str; 3] = ["local_norm", "tag_in_member", "parameters_of_root"];

fn root() -> PathBuf {
    tests::slices::suite::directory().join("seeded")
}

fn names() -> Vec<String> {
    let entries = fs::read_dir(root()).unwrap_or_else(|e| panic!("{}: {e}", root().display()));
    let names = entries.flatten().filter(|entry| entry.path().is_dir());
    let mut names = Vec::from_iter(names.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    names.sort();
    names
}

/// The sources of a program.
fn sources(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let is_source = |path: &PathBuf| {
        let ending = path.extension().unwrap_or_default();
        ending == "c" || ending == "cpp"
    };
    let mut sources = Vec::from_iter(entries.flatten().map(|entry| entry.path()).filter(is_source));
    sources.sort();
    sources
}

/// The file and line of the error.
fn faulty(name: &str) -> (String, u32) {
    let mut found = Vec::new();
    for source in sources(name) {
        let text = fs::read_to_string(&source).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let marked = (1..)
            .zip(text.lines())
            .filter(|(_, line)| line.contains("/* BUG"));
        let file = source
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        found.extend(marked.map(|(line, _)| (file.clone(), line)));
    }
    let [only] = &found[..] else {
        panic!("{name}: {} lines are marked", found.len())
    };
    only.clone()
}

/// Where the faulty line stands among those of a slice, from 1.
fn position(name: &str, lines: &[(String, u32)]) -> Option<usize> {
    let (file, faulty) = faulty(name);
    let is_it = |(path, line): &(String, u32)| *line == faulty && Path::new(path).ends_with(&file);
    lines.iter().position(is_it).map(|at| at + 1)
}

/// The slice of recorded stacks.
fn recorded(name: &str) -> Vec<(String, u32)> {
    let map = out().join(format!("seeded-{name}.hmap"));
    let made = run(hindmost()
        .current_dir(root())
        .arg("map")
        .arg("-o")
        .arg(&map)
        .arg(name));
    assert!(made.status.success(), "{name}: {}", said(&made));
    let stacks = Path::new(name).join("stacks.jsonl");
    let sliced = run(hindmost()
        .current_dir(root())
        .args(["order", "--slice", "--all", "--slice-format", "lines", "--map"])
        .arg(&map)
        .arg("--stacks")
        .arg(stacks));
    lines_of(&sliced).unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[test]
fn errors_are_among_the_first_twenty_lines_of_recorded_stacks() {
    let (mut early, mut first_ten, mut all) = (0, 0, 0);
    for name in names() {
        let lines = recorded(&name);
        let at = position(&name, &lines);
        let place = at.map_or_else(|| "not in".to_owned(), |at| at.to_string());
        println!("{name}: {place} of {}", lines.len());
        all += 1;
        early += usize::from(at.is_some_and(|at| at <= 20));
        first_ten += usize::from(at.is_some_and(|at| at <= 10));
        assert!(at.is_some(), "{name}: the faulty line is not in the slice");
    }
    println!("{early} of {all} within the first twenty, {first_ten} within the first ten");
    assert!(all >= AIM.1);
    assert!(early * AIM.1 >= all * AIM.0, "only {early} of {all}");
}

#[test]
fn errors_are_found_in_jobs_that_hang() {
    let _turn = my_turn();
    let is_set = |name: &str| std::env::var_os(name).is_some();
    let all = std::env::var_os("HINDMOST_SLICES").is_some_and(|value| value == "all");
    let record = is_set("HINDMOST_RECORD");
    let (mut early, mut count) = (0, 0);
    for name in names() {
        if !all && !record && !ALWAYS.contains(&name.as_str()) {
            continue;
        }
        let lines = hung(&name, record).unwrap_or_else(|why| panic!("{name}: {why}"));
        let at = position(&name, &lines);
        println!("{name}: {at:?} of {}", lines.len());
        count += 1;
        early += usize::from(at.is_some_and(|at| at <= 20));
    }
    println!("{early} of {count} within the first twenty");
    assert!(early * AIM.1 >= count * AIM.0, "only {early} of {count}");
}

/// The slice of a program that hangs.
fn hung(name: &str, record: bool) -> Result<Vec<(String, u32)>, String> {
    let exe = out().join(format!("seeded-{name}"));
    let sources = sources(name);
    let is_cxx = sources
        .iter()
        .any(|path| path.extension().is_some_and(|ending| ending == "cpp"));
    let compiler = if is_cxx { "mpicxx.openmpi" } else { "mpicc.openmpi" };
    let compiled = Command::new(compiler)
        .args(["-g", "-O0", "-w"])
        .args(&sources)
        .arg("-lm")
        .arg("-o")
        .arg(&exe)
        .output()
        .map_err(|e| format!("{compiler}: {e}"))?;
    if !compiled.status.success() {
        return Err(said(&compiled));
    }
    let plan = JobPlan {
        exe: &exe,
        mpi: Mpi::OpenMpi,
        ranks: 4,
        stall: None,
        arguments: &[],
    };
    let job = plan.start().map_err(|e| e.to_string())?;
    wait_hung(&job, 4);
    if record {
        let launcher = job.launcher().to_string();
        let snapshot = out().join(format!("seeded-{name}.snapshot"));
        run(hindmost()
            .args(["find", "--launcher", &launcher, "--save"])
            .arg(&snapshot));
        let text = fs::read_to_string(&snapshot).map_err(|e| e.to_string())?;
        let stacks = root().join(name).join("stacks.jsonl");
        fs::write(stacks, bare(&text)?).map_err(|e| e.to_string())?;
    }
    slice_of(job.launcher())
}

/// A snapshot without what is of one run, and of one machine.
fn bare(snapshot: &str) -> Result<String, String> {
    let below = format!("{}/", root().display());
    let mut text = String::new();
    for line in snapshot.lines() {
        let mut record: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let fields = record.as_object_mut().ok_or("a line that is no record")?;
        for own in [
            "host",
            "window_us",
            "pid",
            "held_ns",
            "program",
            "world",
            "threads",
            "unstopped",
            "state",
        ] {
            fields.remove(own);
        }
        for frame in record["frames"].as_array_mut().into_iter().flatten() {
            let frame = frame.as_object_mut().ok_or("a frame that is no record")?;
            frame.remove("pc");
            if let Some(Value::String(file)) = frame.get_mut("file") {
                *file = file.replace(&below, "");
            }
        }
        text += &format!("{record}\n");
    }
    Ok(text)
}
