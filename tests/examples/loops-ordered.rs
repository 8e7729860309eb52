//! How many loops of a map a variable orders, and what keeps it from the others.
//!
//! `cargo run -p tests --example loops-ordered -- MAP [FILE]`: loops with a call in them, those that have a variable which is comparable
//! on all tasks, and those that order at least one task alone; then the reasons of the rest, most frequent first. With a part of a
//! file's path, the loops without a variable in such files.

use base::Confidence;
use progress_map::{Across, Function, Loop, LoopId, LovClass, Map, PointKind};
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
    let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
    for function in &map.functions {
        for (id, each) in function.loops.iter_enumerated() {
            if !has_call(function, id) {
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
                let why = reason(function, each);
                *reasons.entry(blurred(&why)).or_default() += 1;
                let file = &map.files[function.file].path;
                if listed.as_ref().is_some_and(|part| file.contains(part.as_str())) {
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
    sorted.sort_by_key(|(why, count)| (std::cmp::Reverse(*count), why.clone()));
    for (why, count) in sorted.into_iter().take(40) {
        println!("{count:>6}  {why}");
    }
    Ok(())
}

/// Whether a call stands in the loop, inner loops included.
fn has_call(function: &Function, id: LoopId) -> bool {
    let around = |inner: LoopId| {
        let mut chain = std::iter::successors(Some(inner), |&at| function.loops[at].parent);
        chain.any(|at| at == id)
    };
    function.points.iter().any(|point| {
        let call = matches!(
            point.kind,
            PointKind::Call(_) | PointKind::MacroCall(_) | PointKind::IndirectCall
        );
        call && point.innermost_loop.is_some_and(around)
    })
}

fn reason(function: &Function, each: &Loop) -> String {
    if function.confidence == Confidence::Partial {
        let why = function.confidence_reason.as_deref().unwrap_or_default();
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

/// A reason without names and lines, so that equal ones are counted together.
fn blurred(reason: &str) -> String {
    let text = match reason.split_once(": ") {
        Some((_, rest)) => rest,
        None => reason,
    };
    text.split(' ')
        .map(|word| match word {
            word if word.contains("()") => "F()",
            word if word.chars().next().is_some_and(|c| c.is_ascii_digit()) => "N",
            word => word,
        })
        .collect::<Vec<_>>()
        .join(" ")
}
