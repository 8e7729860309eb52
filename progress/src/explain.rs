//! A verdict in words: one sentence that a user can check against the source.

use crate::iteration::change_since_header;
use crate::{CodeVerdict, Decided, Located, Relation, SameEpoch, Verdict};
use base::Id;
use progress_map::{Assumption, Function, Map, PointKind};

/// Where a frame of a located stack stands: `poisson.c:57`, with the file's last path component.
pub fn place(map: &Map, point: &Located, depth: usize) -> Option<String> {
    let frame = point.frames.get(depth)?;
    let function = &map.functions[frame.function?];
    let at = frame.places.first()?;
    Some(format!(
        "{}:{}",
        short_path(map, function),
        function.points[at.point].span.line
    ))
}

/// Why `a` stands to `b` as the verdict says, as a sentence without its full stop.
pub fn sentence(map: &Map, verdict: &Verdict, a: &Located, b: &Located) -> String {
    let proof = &verdict.proof;
    let is_after = verdict.relation == Relation::After;
    let before = if is_after { "comes after" } else { "comes before" };
    let function = proof.function.map(|id| &map.functions[id]);
    // Only loops whose values a reader can check; the innermost tells most.
    let same = proof.same.last().map(|same| same_epoch(map, same));
    let decided = match (&proof.decided, function) {
        (Decided::Iteration { .. }, Some(function)) => by_iteration(map, function, verdict, (a, b)),
        (&Decided::Iterations { in_loop, a, b }, Some(function)) => {
            let earlier = if is_after { "a later" } else { "an earlier" };
            let at = format!(
                "{}:{}",
                short_path(map, function),
                function.loops[in_loop].span.line
            );
            let (a, b) = (u128::from(a) + 1, u128::from(b) + 1);
            format!(
                "by the machine code iteration {a} is {earlier} iteration than iteration {b} of the loop at {at}"
            )
        }
        (Decided::Flow { a, b }, Some(function)) => {
            let (at_a, at_b) = (describe(map, function, *a), describe(map, function, *b));
            match verdict.relation {
                Relation::Incomparable => {
                    format!("{at_a} and {at_b} are on branches that do not follow each other")
                }
                _ => format!("{at_a} {before} {at_b}"),
            }
        }
        // Both are decided inside a function; the pair is spelled out so that a new variant is not forgotten.
        (Decided::Iteration { .. } | Decided::Iterations { .. } | Decided::Flow { .. }, None) => {
            String::new()
        }
        (Decided::SamePoint, _) => match place(map, a, proof.depth) {
            Some(at) => format!("both are at {at}"),
            None => "both are at the same point".to_owned(),
        },
        (Decided::Callees { a: to_a, b: to_b }, _) => format!(
            "one call through a pointer led task {} into {to_a} and task {} into {to_b}",
            a.task, b.task
        ),
        (Decided::NotBegun(operation), _) => {
            let idle = if is_after { b } else { a };
            format!("task {} has executed nothing of {operation} yet", idle.task)
        }
        (
            Decided::Stages {
                a: stage_a,
                b: stage_b,
            },
            _,
        ) => {
            format!("task {} {stage_a}, task {} {stage_b}", a.task, b.task)
        }
        (Decided::Code(found), _) => by_code(found, before),
        (Decided::Nothing(reason), _) => reason.to_string(),
    };
    same.unwrap_or_default() + &decided
}

/// That both are in one epoch of a loop, in front of what is said of the inside.
fn same_epoch(map: &Map, same: &SameEpoch) -> String {
    let function = &map.functions[same.function];
    let line = function.loops[same.in_loop].span.line;
    let at = format!("loop at {}:{line}", short_path(map, function));
    let (name, a, b) = (&same.name, same.a, same.b);
    if a == b {
        format!("same iteration ({name}={a} in the {at}); ")
    } else {
        format!("same iteration ({name}={a} and {name}={b} on the two sides of its update, {at}); ")
    }
}

/// That one is in an earlier iteration than the other.
fn by_iteration(map: &Map, function: &Function, verdict: &Verdict, (a, b): (&Located, &Located)) -> String {
    let Decided::Iteration {
        in_loop,
        name,
        a: value_a,
        b: value_b,
    } = &verdict.proof.decided
    else {
        return String::new();
    };
    let line = function.loops[*in_loop].span.line;
    let earlier = if verdict.relation == Relation::After {
        "a later"
    } else {
        "an earlier"
    };
    let loop_at = format!("the loop at {}:{line}", short_path(map, function));
    match sides_of_change(map, function, verdict, (a, b)) {
        Some(sides) if value_a == value_b => format!("{sides}: {earlier} iteration of {loop_at}"),
        _ if value_a == value_b => format!(
            "{name}={value_a} on both, but counted from its start that is {earlier} iteration of {loop_at} on task {}",
            a.task
        ),
        _ => format!("{name}={value_a} is {earlier} iteration than {name}={value_b} of {loop_at}"),
    }
}

/// What machine code tells, in words.
fn by_code(found: &CodeVerdict, before: &str) -> String {
    let at = |(name, line, address): &(String, Option<u32>, u64)| match line {
        Some(line) => format!("{name}:{line} ({address:#x})"),
        None => format!("{name} ({address:#x})"),
    };
    let (at_a, at_b) = (at(&found.a), at(&found.b));
    match (found.relation, found.counts) {
        (_, Some((a, b))) => {
            format!("by the machine code the loop around {at_a} and {at_b} has come round {a} and {b} times")
        }
        (Relation::Equal, None) => format!("both are at {at_a} in the machine code"),
        (Relation::Incomparable, None) => {
            format!("{at_a} and {at_b} are on branches of the machine code that do not follow each other")
        }
        (_, None) => format!("{at_a} {before} {at_b} in the machine code"),
    }
}

/// On which side of the variable's change in the body each of two tasks is that show the same value in different iterations.
fn sides_of_change(
    map: &Map,
    function: &Function,
    verdict: &Verdict,
    (a, b): (&Located, &Located),
) -> Option<String> {
    let Decided::Iteration {
        in_loop,
        name,
        a: value,
        ..
    } = &verdict.proof.decided
    else {
        return None;
    };
    let around = &function.loops[*in_loop];
    let lov = around.lovs.iter().find(|lov| lov.name == *name)?;
    let change = |point: &Located| {
        let place = *point.frames.get(verdict.proof.depth)?.places.first()?;
        Some(change_since_header(function, around.header, lov, place))
    };
    let (of_a, of_b) = (change(a)?, change(b)?);
    if of_a == of_b {
        return None;
    }
    let [update] = lov.updates[..] else {
        return Some(format!(
            "{name}={value} on both, changed by {of_a} in this iteration on task {} and by {of_b} on task {}",
            a.task, b.task
        ));
    };
    let side = |change| if change == 0 { "before" } else { "after" };
    Some(format!(
        "task {} has {name}={value} {} its change at {}:{}, task {} has {name}={value} {} it",
        a.task,
        side(of_a),
        short_path(map, function),
        function.points[update].span.line,
        b.task,
        side(of_b)
    ))
}

/// What the verdict takes for granted, if anything, as a clause.
pub fn assumption(verdict: &Verdict) -> Option<&'static str> {
    match (verdict.assumption, verdict.trusts_outside) {
        (Assumption::Proven, false) => None,
        (Assumption::Proven, true) => Some(
            "assuming that functions outside the map, and those that promise it, leave the program's variables alone",
        ),
        (Assumption::Assumed, false) => {
            Some("assuming that arguments and configuration are the same on every task")
        }
        (Assumption::Assumed, true) => Some(
            "assuming that arguments and configuration are the same on every task, and that functions outside the \
             map, and those that promise it, leave the program's variables alone",
        ),
        (Assumption::RankDependent, _) => Some("although the values depend on the rank"),
    }
}

fn describe(map: &Map, function: &Function, point: progress_map::PointId) -> String {
    let body = &function.points[point];
    let at = format!("{}:{}", short_path(map, function), body.span.line);
    match &body.kind {
        PointKind::Entry => format!("the entry of {}", function.name),
        PointKind::Exit => format!("the end of {}", function.name),
        _ => at,
    }
}

fn short_path<'m>(map: &'m Map, function: &Function) -> &'m str {
    let path = &map.files[function.file].path;
    debug_assert!(function.file.index() < map.files.len());
    base::last_component(path)
}
