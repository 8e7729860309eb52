//! How many loops of a map a variable orders, and what keeps it from the others.
//!
//! `cargo run -p tests --example loops-ordered -- MAP [FILE]`: loops with a call in them, those that have a variable which is comparable
//! on all tasks, and those that order at least one task alone; then the reasons of the rest, most frequent first. With a part of a
//! file's path, the loops without a variable in such files.

use base::Confidence;
use progress_map::{Across, Function, Loop, LovClass, Map};
use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("which map?")?;
    let listed = args.next();
    let bytes = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
    let map = Map::from_bytes(&bytes).map_err(|error| format!("{path}: {error}"))?;
    let (mut all, mut everywhere, mut within) = (0u32, 0u32, 0u32);
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for function in &map.functions {
        for (id, each) in function.loops.iter_enumerated() {
            if !function.calls_in_loop(id) {
                continue;
            }
            all += 1;
            let strict = |lov: &&progress_map::Lov| lov.class == LovClass::Strict;
            within += u32::from(!each.lovs.is_empty());
            everywhere += u32::from(
                each.lovs
                    .iter()
                    .filter(strict)
                    .any(|lov| lov.across != Across::Nothing),
            );
            if each.lovs.is_empty() {
                *reasons.entry(kind(function, each)).or_default() += 1;
                let file = &map.files[function.file].path;
                if listed.as_ref().is_some_and(|part| file.contains(part.as_str())) {
                    let why = reason(function, each);
                    println!("{file}:{}: {}: {why}", each.span.line, function.name);
                }
            }
        }
    }
    let share = |part: u32| f64::from(part) * 100.0 / f64::from(all.max(1));
    println!("loops with a call  {all}");
    println!("on all tasks       {everywhere} ({:.1} %)", share(everywhere));
    println!("within each task   {within} ({:.1} %)", share(within));
    let mut sorted: Vec<_> = reasons.into_iter().collect();
    sorted.sort_by_key(|(why, count)| (std::cmp::Reverse(*count), *why));
    for (why, count) in sorted.into_iter().take(40) {
        println!("{count:>6}  {why}");
    }
    Ok(())
}

fn reason(function: &Function, each: &Loop) -> String {
    if function.confidence == Confidence::Partial {
        let why = function.confidence_reason.clone().unwrap_or_default();
        return format!("{}: read in part, {why}", function.name);
    }
    if !each.reducible {
        return "several entries".to_owned();
    }
    match each.refused.first() {
        Some(first) => format!("{}: {}", first.name, first.why),
        None => format!("nothing changes ({:?})", each.source),
    }
}

/// The same without what it is about, so that equal ones are counted together.
fn kind(function: &Function, each: &Loop) -> &'static str {
    match each.refused.first() {
        _ if function.confidence == Confidence::Partial => "read in part",
        _ if !each.reducible => "several entries",
        Some(first) => first.why.code(),
        None => "nothing changes",
    }
}
