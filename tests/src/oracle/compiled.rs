//! The interpreter held against a compiler: the logging build of a program, made by gcc and run, must record the
//! same events with the same values.

use super::case::Case;
use super::externals::run_seed;
use super::interp::{self, Evaluation, Event, Seen, Setting};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Events compared per run.
const BUDGET: usize = 400;

/// Builds the logging text of `case` in `dir` and compares its events on `ranks` with the interpreter's.
///
/// # Errors
/// The first difference; or gcc is missing or refuses the program.
pub fn compare(case: &Case, dir: &Path, ranks: &[u32]) -> Result<usize, String> {
    let files = [
        ("mpi.h", include_str!("harness/mpi.h")),
        ("log.h", include_str!("harness/log.h")),
        ("harness.c", include_str!("harness/harness.c")),
        ("logging.c", case.layout.logging.as_str()),
        ("clean.c", case.layout.clean.as_str()),
    ];
    for (name, text) in files {
        std::fs::write(dir.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    if case.layout.logging.lines().count() != case.layout.clean.lines().count() {
        return Err("the two texts differ in their lines".to_owned());
    }
    let flags = ["-std=gnu11", "-O0", "-w", "-I."];
    gcc(
        dir,
        &[
            &flags[..],
            &["-include", "log.h", "logging.c", "harness.c", "-o", "logging"],
        ]
        .concat(),
    )?;
    // The clean text is not run here, but it must be C.
    gcc(dir, &[&flags[..], &["-fsyntax-only", "clean.c"]].concat())?;
    let mut compared = 0;
    for &rank in ranks {
        let setting = Setting {
            seed: case.seed,
            rank,
            diverse: true,
            budget: BUDGET,
            evaluation: Evaluation::LeftToRight,
            c_view: true,
        };
        let expected = interp::run(&case.program, setting).map_err(|e| e.reason)?;
        let output = Command::new(dir.join("logging"))
            .env("HX_RUN", run_seed(case.seed, rank).to_string())
            .env("HX_SEED", case.seed.to_string())
            .env("HX_RANK", rank.to_string())
            .env("HX_BUDGET", BUDGET.to_string())
            .output()
            .map_err(|e| format!("the logging build does not start: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines();
        for event in &expected {
            let line = lines.next().unwrap_or("(the end)");
            same_event(case, event, line)
                .map_err(|e| format!("rank {rank}, event {}: {e}\n  {line}", event.time))?;
            compared += 1;
        }
        if let Some(line) = lines.next() {
            return Err(format!("rank {rank}: the compiled program goes on\n  {line}"));
        }
    }
    Ok(compared)
}

fn gcc(dir: &Path, args: &[&str]) -> Result<(), String> {
    let output = Command::new("gcc")
        .args(args)
        .current_dir(dir)
        .output()
        .map_err(|e| format!("gcc: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "gcc {}:\n{}",
        args.join(" "),
        String::from_utf8_lossy(&output.stderr)
    ))
}

fn same_event(case: &Case, event: &Event, line: &str) -> Result<(), String> {
    let mut parts = line.split('|');
    let leaf = parts.next().unwrap_or_default();
    let expected = event.leaf.as_deref().unwrap_or("-");
    if leaf != expected {
        return Err(format!(
            "in '{expected}' for the interpreter, in '{leaf}' for gcc"
        ));
    }
    let frames: Vec<&str> = parts.collect();
    if frames.len() != event.frames.len() {
        return Err(format!(
            "{} frames for the interpreter, {} for gcc",
            event.frames.len(),
            frames.len()
        ));
    }
    for (view, text) in event.frames.iter().zip(frames) {
        let mut parts = text.splitn(3, ':');
        let place = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let known = (
            case.program.functions[view.function].name.as_str(),
            view.site.to_string(),
        );
        if place != (known.0, known.1.as_str()) {
            return Err(format!("at {known:?} for the interpreter, at {place:?} for gcc"));
        }
        let values = parts.next().unwrap_or_default().split(',');
        let values: BTreeMap<&str, &str> = values.filter_map(|value| value.split_once('=')).collect();
        for (name, seen) in &view.values {
            let Some(text) = values.get(name.as_str()) else {
                continue;
            };
            let equal = match seen {
                Seen::Int(value) => *text == value.to_string(),
                Seen::Unsigned(value) => *text == value.to_string(),
                Seen::Real(value) => text.parse::<f64>().is_ok_and(|other| other == *value),
            };
            if !equal {
                return Err(format!("{name} is {seen:?} for the interpreter, {text} for gcc"));
            }
        }
    }
    Ok(())
}
