//! The traces of a job as text: the last events, call trees, folded loops, differences, and who does not do as the others.

use crate::clean::clean;
use crate::style::{FAINT, HINDMOST, TITLE, paint};
use base::RankSet;
use engine::traces::{
    Call, Deviation, Did, Difference, Differences, Forest, Outlier, Paths, Shape, Step, Traces, View, Way,
    Who,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt::Write as _;

/// The threads of a list, as short as it goes.
#[must_use]
pub fn threads_text(who: &[Who]) -> String {
    let is_rank = |who: &&Who| who.rank.is_some() && who.thread == 0 && who.image == 0;
    let ranks: RankSet = who.iter().filter(is_rank).filter_map(|who| who.rank).collect();
    let mut words = Vec::new();
    match ranks.len() {
        0 => {}
        1 => words.push(format!("rank {ranks}")),
        _ => words.push(format!("ranks {ranks}")),
    }
    words.extend(who.iter().filter(|who| !is_rank(who)).map(ToString::to_string));
    words.join("; ")
}

/// The last events of a thread.
pub struct Last {
    /// Whose they are.
    pub who: Who,
    /// How many events there are.
    pub events: u64,
    /// The last ones, each with the number of functions around it.
    pub last: VecDeque<(Step, usize)>,
    /// The functions that the thread is in at its end, outermost first.
    pub stack: Vec<u32>,
    /// Why there may be more.
    pub damage: Option<String>,
}

/// The last `most` events of each thread.
#[must_use]
pub fn last_events(traces: &Traces, most: usize) -> Vec<Last> {
    let last = traces.streams.iter().map(|stream| {
        let mut found = Last {
            who: stream.who,
            events: 0,
            last: VecDeque::new(),
            stack: Vec::new(),
            damage: None,
        };
        let read = stream.each_step(|step| {
            found.events += 1;
            let depth = match step {
                Step::Enter(function) => {
                    found.stack.push(function);
                    found.stack.len() - 1
                }
                Step::Exit => {
                    found.stack.pop();
                    found.stack.len()
                }
            };
            if found.last.len() == most {
                found.last.pop_front();
            }
            if most > 0 {
                found.last.push_back((step, depth));
            }
        });
        found.damage = read.err().map(|damage| damage.to_string());
        found
    });
    last.collect()
}

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
        for (step, depth) in &thread.last {
            let indent = "  ".repeat(*depth.min(&40));
            let words = match step {
                Step::Enter(function) => format!("enters {}", clean(traces.name(*function))),
                Step::Exit => match names.pop_front().flatten() {
                    Some(function) => format!("leaves {}", clean(traces.name(function))),
                    None => "leaves it".to_owned(),
                },
            };
            let _ = writeln!(text, "  {indent}{words}");
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
    for (step, _) in &thread.last {
        match step {
            Step::Enter(function) => stack.push(*function),
            Step::Exit => names.push_back(stack.pop()),
        }
    }
    names
}

/// The last events for programs.
#[must_use]
pub fn last_json(traces: &Traces, all: &[Last]) -> String {
    let threads = all.iter().map(|thread| {
        let events = thread.last.iter().map(|(step, depth)| match step {
            Step::Enter(function) => json!({"enters": traces.name(*function), "depth": depth}),
            Step::Exit => json!({"leaves": true, "depth": depth}),
        });
        let stack = thread.stack.iter().map(|function| traces.name(*function));
        json!({"thread": who_json(thread.who), "events": thread.events, "damage": thread.damage,
            "stack": Vec::from_iter(stack), "last": Vec::from_iter(events)})
    });
    document("last", traces, &json!({"threads": Vec::from_iter(threads)}))
}

fn who_json(who: Who) -> Value {
    json!({"rank": who.rank, "pid": who.pid, "program": who.image, "thread": who.thread})
}

fn document(kind: &str, traces: &Traces, what: &Value) -> String {
    let mut all = json!({"schema": "hindmost-trace", "version": crate::json::VERSION, "kind": kind, "notes": traces.notes});
    if let (Some(all), Some(what)) = (all.as_object_mut(), what.as_object()) {
        all.extend(what.clone());
    }
    format!("{all}\n")
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

/// The same for programs.
#[must_use]
pub fn paths_json(traces: &Traces, paths: &Paths) -> String {
    let threads = traces.streams.iter().map(|stream| who_json(stream.who));
    let rows = paths.all.iter().enumerate().skip(1).map(|(index, path)| {
        let counts = paths.counts.iter().map(|counts| counts[index]);
        let open = (0..paths.open.len()).filter(|thread| paths.open[*thread].contains(&index));
        let parent = path.parent.and_then(|parent| parent.checked_sub(1));
        json!({"parent": parent, "function": traces.name(path.function), "counts": Vec::from_iter(counts), "open": Vec::from_iter(open)})
    });
    let (threads, rows) = (Vec::from_iter(threads), Vec::from_iter(rows));
    document(
        "tree",
        traces,
        &json!({"threads": threads, "paths": rows, "is_cut": paths.is_cut}),
    )
}

/// Folded stacks, as flame graphs are made of: the functions of a path, and how often its last one was called, by all threads.
#[must_use]
pub fn paths_folded(traces: &Traces, paths: &Paths) -> String {
    let mut text = String::new();
    for index in 1..paths.all.len() {
        let functions = paths.functions(index).into_iter();
        let names = functions.map(|function| clean(traces.name(function)).replace([';', ' '], "_"));
        let calls: u64 = paths.counts.iter().map(|counts| counts[index]).sum();
        let _ = writeln!(text, "{} {calls}", Vec::from_iter(names).join(";"));
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

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Differences for programs.
#[must_use]
pub fn differences_json(traces: &Traces, differences: &Differences, who: [&str; 2]) -> String {
    let one = |difference: &Difference| {
        let path = difference.path.iter();
        let path = path.map(|turn| json!({"function": traces.name(turn.function), "nth": turn.nth}));
        let counts = difference.counts.iter();
        let counts =
            counts.map(|(function, counts)| json!({"function": traces.name(*function), "counts": counts}));
        let first = difference
            .first
            .map(|function| function.map(|function| traces.name(function).to_owned()));
        json!({"path": Vec::from_iter(path), "counts": Vec::from_iter(counts), "first": first,
            "open": difference.is_open, "alike": difference.alike, "is_lag": difference.is_lag()})
    };
    let telling = differences.telling().map(one);
    let all = Vec::from_iter(differences.all.iter().map(one));
    let what = json!({"between": who, "telling": telling, "differences": all, "is_cut": differences.is_cut});
    document("diff", traces, &what)
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

/// The same for programs, with how alike all are to each other.
#[must_use]
pub fn outliers_json(traces: &Traces, paths: &Paths, groups: &[Vec<usize>], outliers: &[Outlier]) -> String {
    let threads = Vec::from_iter(traces.streams.iter().map(|stream| who_json(stream.who)));
    let outliers = outliers.iter().map(|outlier| {
        let deviations = outlier.deviations.iter().map(|deviation| {
            let functions = paths.functions(deviation.path).into_iter();
            let names = functions.map(|function| traces.name(function));
            json!({"path": Vec::from_iter(names), "count": deviation.count, "usual": deviation.usual})
        });
        json!({"thread": outlier.thread, "deviations": Vec::from_iter(deviations)})
    });
    let firsts = Vec::from_iter(groups.iter().filter_map(|group| group.first()));
    let alike = firsts.iter().map(|one| {
        let row = firsts.iter().map(|other| paths.similarity(**one, **other));
        Vec::from_iter(row)
    });
    let what = json!({"threads": threads, "groups": groups, "outliers": Vec::from_iter(outliers), "similarity": Vec::from_iter(alike)});
    document("outliers", traces, &what)
}

/// All calls as a trace in Chrome's format, which Perfetto reads. Traces have no clock: an event stands at its number, as if each took a microsecond.
#[must_use]
pub fn perfetto(traces: &Traces) -> String {
    let mut text = String::from("{\"traceEvents\":[");
    let mut push = |event: &Value| {
        if !text.ends_with('[') {
            text.push(',');
        }
        let _ = write!(text, "\n{event}");
    };
    for stream in &traces.streams {
        let who = stream.who;
        let pid = who.rank.unwrap_or(who.pid);
        push(
            &json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": who.thread, "args": {"name": who.to_string()}}),
        );
        let mut time = 0_u64;
        // What is read before damage is shown; the notes tell of it.
        let _ = stream.each_step(|step| {
            match step {
                Step::Enter(function) => {
                    push(&json!({"ph": "B", "name": clean(traces.name(function)), "pid": pid, "tid": who.thread, "ts": time}));
                }
                Step::Exit => push(&json!({"ph": "E", "pid": pid, "tid": who.thread, "ts": time})),
            }
            time += 1;
        });
    }
    text.push_str("\n]}\n");
    text
}

/// Where ways parted, in a sentence without its end: `in call 41 of step, ranks 0-2 called exchange 6 times, rank 3 5 times`.
#[must_use]
pub fn way_sentence(way: &Way) -> String {
    let place = match way.path.last() {
        Some((function, 1)) => format!("in {function}"),
        Some((function, nth)) => format!("in call {nth} of {function}"),
        None => "outside of all functions".to_owned(),
    };
    let mut called = false;
    let did = way.ranks.iter().map(|(did, ranks)| {
        let set: RankSet = ranks.iter().copied().collect();
        let who = match ranks.len() {
            1 => format!("rank {set}"),
            _ => format!("ranks {set}"),
        };
        match did {
            Did::NeverCame => format!("{who} never came there"),
            Did::Called(count) => {
                let name = if called {
                    String::new()
                } else {
                    format!(" {}", way.function)
                };
                let verb = if called { "" } else { " called" };
                called = true;
                match count {
                    0 if name.is_empty() => format!("{who} never"),
                    0 => format!("{who} never called{name}"),
                    count => format!("{who}{verb}{name} {}", times(*count)),
                }
            }
        }
    });
    let did = Vec::from_iter(did).join(", ");
    format!("{place}, {did}")
}

/// Where ways parted, for programs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WayJson {
    /// In words.
    pub sentence: String,
    /// Functions from the outermost one in, each with which call of it it is within the one before.
    pub path: Vec<WayStepJson>,
    /// The function that was called unequally often there.
    pub function: String,
    /// How often, by whom; nothing for those that never came there.
    pub ranks: Vec<WayRanksJson>,
    /// How many calls of this path differ so.
    pub alike: u64,
    /// Some have only not come as far.
    pub is_lag: bool,
}

/// A call on the way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WayStepJson {
    /// The function.
    pub function: String,
    /// Which call of it, from 1.
    pub nth: u64,
}

/// Ranks that did the same.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WayRanksJson {
    /// The ranks.
    pub ranks: String,
    /// How often they called the function; `null` if they never came there.
    pub called: Option<u64>,
}

pub(crate) fn way_out(way: &Way) -> WayJson {
    let path = way.path.iter().map(|(function, nth)| WayStepJson {
        function: function.clone(),
        nth: *nth,
    });
    let ranks = way.ranks.iter().map(|(did, ranks)| WayRanksJson {
        ranks: RankSet::from_iter(ranks.iter().copied()).to_string(),
        called: match did {
            Did::Called(count) => Some(*count),
            Did::NeverCame => None,
        },
    });
    WayJson {
        sentence: way_sentence(way),
        path: path.collect(),
        function: way.function.clone(),
        ranks: ranks.collect(),
        alike: way.alike,
        is_lag: way.is_lag,
    }
}
