//! For people.

use super::moments::{did, seconds};
use super::{Last, Shown, threads_text, times};
use crate::clean::clean;
use crate::style::{FAINT, HINDMOST, TITLE, paint};
use engine::traces::{
    Call, Deviation, Difference, Differences, Forest, Outlier, Paths, Shape, Step, Traces, View, Who,
};
use std::collections::VecDeque;
use std::fmt::Write as _;

/// The last events as text.
#[must_use]
pub fn last_text(traces: &Traces, all: &[Last]) -> String {
    let mut text = String::new();
    for thread in all {
        let stack = Vec::from_iter(thread.stack.iter().map(|function| clean(traces.name(*function))));
        let stands = if stack.is_empty() {
            "in none of its functions".to_owned()
        } else {
            format!("in {}", stack.join(" > "))
        };
        let _ = writeln!(
            text,
            "{}",
            paint(
                TITLE,
                format!("{}: {} events, {stands}", thread.who, thread.events)
            )
        );
        let before = thread.events - thread.last.len() as u64;
        if before > 0 {
            let _ = writeln!(text, "  {}", paint(FAINT, format!("… {before} events before")));
        }
        // What is left is named by what was entered, which may stand before the events that are shown.
        let mut names = leavers(thread);
        for Shown { step, depth, moments } in &thread.last {
            let indent = "  ".repeat(*depth.min(&40));
            let words = match step {
                Step::Enter(function) => format!("enters {}", clean(traces.name(*function))),
                Step::Exit => match names.pop_front().flatten() {
                    Some(function) => format!("leaves {}", clean(traces.name(function))),
                    None => "leaves it".to_owned(),
                },
            };
            let time = moments
                .first()
                .map(|moment| paint(FAINT, format!("  at {}", seconds(moment.time))));
            let _ = writeln!(text, "  {indent}{words}{}", time.unwrap_or_default());
            for (moment, did) in moments
                .iter()
                .filter_map(|moment| Some((moment, did(moment.tie)?)))
            {
                let time = paint(FAINT, format!("  at {}", seconds(moment.time)));
                let _ = writeln!(text, "  {indent}    {did}{time}");
            }
        }
        if let Some(damage) = &thread.damage {
            let _ = writeln!(text, "  {damage}");
        }
    }
    text
}

/// For each exit of the last events the function that is left, where it was entered among them.
fn leavers(thread: &Last) -> VecDeque<Option<u32>> {
    let mut stack = Vec::new();
    let mut names = VecDeque::new();
    for shown in &thread.last {
        match &shown.step {
            Step::Enter(function) => stack.push(*function),
            Step::Exit => names.push_back(stack.pop()),
        }
    }
    names
}

/// How often each call path was taken: of several threads the least and the most.
#[must_use]
pub fn paths_text(traces: &Traces, paths: &Paths) -> String {
    let mut text = String::new();
    let who = Vec::from_iter(traces.streams.iter().map(|stream| stream.who));
    let _ = writeln!(
        text,
        "{}",
        paint(TITLE, format!("Calls of {}", threads_text(&who)))
    );
    for (index, path) in paths.all.iter().enumerate().skip(1) {
        let counts = paths.counts.iter().map(|counts| counts[index]);
        let (least, most) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
        let count = if least == most {
            most.to_string()
        } else {
            format!("{least}..{most}")
        };
        let indent = "  ".repeat((path.depth - 1).min(60));
        let here = (0..who.len()).filter(|thread| paths.open[*thread].contains(&index));
        let here = Vec::from_iter(here.map(|thread| who[thread]));
        let here = if here.is_empty() {
            String::new()
        } else {
            paint(FAINT, format!("  not over: {}", threads_text(&here)))
        };
        let _ = writeln!(
            text,
            "{count:>12}  {indent}{}{here}",
            clean(traces.name(path.function))
        );
    }
    if paths.is_cut {
        let _ = writeln!(text, "(there are more paths)");
    }
    text
}

/// What threads did, loops folded: those that did the same together.
#[must_use]
pub fn loops_text(traces: &Traces, forest: &Forest, shapes: &[Shape], depth: usize, lines: usize) -> String {
    let mut groups: Vec<(Shape, Vec<Who>)> = Vec::new();
    for (stream, &shape) in traces.streams.iter().zip(shapes) {
        match groups.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, who)) => who.push(stream.who),
            None => groups.push((shape, vec![stream.who])),
        }
    }
    let mut text = String::new();
    for (shape, who) in groups {
        let _ = writeln!(text, "{}", paint(TITLE, threads_text(&who)));
        folded(&mut text, traces, forest, shape, depth, lines);
    }
    text
}

fn folded(text: &mut String, traces: &Traces, forest: &Forest, root: Shape, depth: usize, lines: usize) {
    // The next one is the last.
    let mut pending = Vec::from_iter(forest.call(root).called.iter().rev().map(|part| (*part, 1)));
    let mut left = lines;
    while let Some((shape, level)) = pending.pop() {
        if left == 0 {
            let _ = writeln!(text, "  {}", paint(FAINT, "… (--lines shows more)"));
            return;
        }
        left -= 1;
        let indent = "  ".repeat(level);
        let (words, below) = match forest.view(shape) {
            View::Loop { turns, body: [only] } if !matches!(forest.view(*only), View::Loop { .. }) => {
                let call = forest.call(*only);
                (format!("{turns} × {}", call_words(traces, call)), call.called)
            }
            View::Loop { turns, body } => (format!("{turns} ×"), body),
            View::Call(call) => (call_words(traces, call), call.called),
        };
        let is_deeper = level < depth;
        let more = if is_deeper || below.is_empty() {
            String::new()
        } else {
            paint(FAINT, format!("  ({} calls within)", forest.calls(shape)))
        };
        let _ = writeln!(text, "{indent}{words}{more}");
        if is_deeper {
            pending.extend(below.iter().rev().map(|part| (*part, level + 1)));
        }
    }
}

fn call_words(traces: &Traces, call: Call<'_>) -> String {
    let name = clean(traces.name(call.function));
    if call.is_open {
        format!("{name} (not over)")
    } else {
        name.into_owned()
    }
}

/// The way to a call: `main > step (call 41)`.
fn way(traces: &Traces, difference: &Difference) -> String {
    let steps = difference.path.iter().map(|turn| {
        let name = clean(traces.name(turn.function));
        match turn.nth {
            1 => name.into_owned(),
            nth => format!("{name} (call {nth})"),
        }
    });
    Vec::from_iter(steps).join(" > ")
}

/// Differences of two threads as text: those that happened least often first, at most so many.
#[must_use]
pub fn differences_text(traces: &Traces, differences: &Differences, who: [&str; 2], most: usize) -> String {
    let mut text = String::new();
    if differences.all.is_empty() {
        return format!("{} and {} did the same\n", who[0], who[1]);
    }
    if let Some(telling) = differences.telling() {
        let _ = writeln!(
            text,
            "{}",
            paint(TITLE, format!("{} and {} part", who[0], who[1]))
        );
        one_difference(&mut text, traces, telling, who);
    }
    let first = differences.all.first();
    if let Some(first) = first.filter(|first| differences.telling() != Some(first)) {
        let _ = writeln!(text, "{}", paint(TITLE, "They differ for the first time"));
        one_difference(&mut text, traces, first, who);
    }
    let mut others = Vec::from_iter(&differences.all);
    others.sort_by_key(|difference| difference.alike);
    let shown = others.len().min(most);
    let _ = writeln!(
        text,
        "{}",
        paint(
            TITLE,
            format!(
                "All differences, what happened least often first ({shown} of {})",
                others.len()
            )
        )
    );
    for difference in others.into_iter().take(most) {
        one_difference(&mut text, traces, difference, who);
    }
    if differences.is_cut {
        let _ = writeln!(
            text,
            "(what comes behind was not compared: there is too much of it)"
        );
    }
    text
}

fn one_difference(text: &mut String, traces: &Traces, difference: &Difference, who: [&str; 2]) {
    let place = match &way(traces, difference)[..] {
        "" => "outside of all functions".to_owned(),
        way => format!("in {way}"),
    };
    let often = match difference.alike {
        1 => String::new(),
        alike => paint(FAINT, format!("  (in {alike} calls of this path)")),
    };
    let _ = writeln!(text, "  {place}{often}");
    for (function, [one, other]) in &difference.counts {
        let name = clean(traces.name(*function));
        let _ = writeln!(
            text,
            "    {name}: called {} by {}, {} by {}",
            times(*one),
            who[0],
            times(*other),
            who[1]
        );
    }
    let next = (0..2).map(|side| {
        let does = match (difference.first[side], difference.is_open[side]) {
            (Some(function), _) => format!("calls {}", clean(traces.name(function))),
            (None, true) => "has come no further".to_owned(),
            (None, false) => "returns".to_owned(),
        };
        format!("{} {does}", who[side])
    });
    let _ = writeln!(text, "    {}", Vec::from_iter(next).join(", "));
}

/// Groups of threads that did the same, and those that do not do as most.
#[must_use]
pub fn outliers_text(
    traces: &Traces,
    paths: &Paths,
    groups: &[Vec<usize>],
    outliers: &[Outlier],
    most: usize,
) -> String {
    let mut text = String::new();
    let who = |threads: &[usize]| -> Vec<Who> {
        let streams = threads.iter().filter_map(|thread| traces.streams.get(*thread));
        streams.map(|stream| stream.who).collect()
    };
    let _ = writeln!(text, "{}", paint(TITLE, "Who took all call paths equally often"));
    let largest = groups.first().and_then(|group| group.first());
    for group in groups {
        let like = match (largest, group.first()) {
            (Some(one), Some(other)) if one != other => {
                format!(
                    "  ({:.0} % as the first group)",
                    100.0 * paths.similarity(*one, *other)
                )
            }
            _ => String::new(),
        };
        let _ = writeln!(text, "  {}{}", threads_text(&who(group)), paint(FAINT, like));
    }
    if outliers.is_empty() {
        let _ = writeln!(text, "Nobody does otherwise than most do");
        return text;
    }
    let _ = writeln!(text, "{}", paint(TITLE, "Who does not do as most do"));
    for outlier in outliers {
        let _ = writeln!(
            text,
            "  {}",
            paint(HINDMOST, threads_text(&who(&[outlier.thread])))
        );
        for deviation in outlier.deviations.iter().take(most) {
            let Deviation {
                path, count, usual, ..
            } = deviation;
            let functions = paths.functions(*path).into_iter();
            let names = Vec::from_iter(functions.map(|function| clean(traces.name(function)).into_owned()));
            let _ = writeln!(
                text,
                "    {}: called {}, by most {}",
                names.join(" > "),
                times(*count),
                times(*usual)
            );
        }
        let more = outlier.deviations.len().saturating_sub(most);
        if more > 0 {
            let _ = writeln!(text, "    {}", paint(FAINT, format!("and {more} more paths")));
        }
    }
    text
}
