//! The answer for people: what was found, why, and everything that is not known.

use crate::clean::clean;
use crate::names::Names;
use crate::recursion::sentence_of_values;
use crate::stack::{frames, source};
use crate::style::{DOUBT, FAINT, HINDMOST, TITLE, VALUE, paint};
use crate::{call, headline, hosts, threads, waits};
use base::RankSet;
use engine::{
    Activity, Answer, Certainty, Finding, Grounds, Hindmost, LoopValue, OfProgram, Outcome, Position,
    Relation, RelationToHindmost, TaskClass, UndecidedPair, Who,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many classes ahead, undecided pairs and the like are spelled out before the rest is only counted.
const SPELLED_OUT: usize = 8;

/// How many classes are shown with their stacks.
const MOST_CLASSES: usize = 100;

/// The answer as text, ending with a newline.
pub fn answer_text(answer: &Answer, names: Names) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = headline::headline(&mut out, answer);
    let _ = programs(&mut out, answer);
    let _ = motion(&mut out, answer);
    waits::beside_answer(&mut out, answer);
    if let Some(way) = &answer.way {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{} {}",
            paint(TITLE, "By its traces:"),
            clean(&crate::traces::way_sentence(way))
        );
    }
    let _ = headline::proofs(&mut out, answer);
    let _ = undecided(&mut out, answer);
    let _ = classes(&mut out, answer, names);
    for excerpt in answer.excerpts.iter().filter(|excerpt| !excerpt.lines.is_empty()) {
        let _ = source(&mut out, excerpt);
    }
    let _ = notes(&mut out, answer);
    let _ = headline::next_step(&mut out, answer);
    out
}

/// Who is behind among the tasks of each other program.
fn programs(out: &mut String, answer: &Answer) -> std::fmt::Result {
    for OfProgram { program, answer } in &answer.programs {
        let who = RankSet::union(answer.classes.iter().map(|class| &class.who.ranks));
        let among = format!(
            "Among the {} of {} (ranks {}), which nothing but MPI orders against the others:",
            counted(answer.tasks, "task", "tasks"),
            base::last_component(program),
            who.brief()
        );
        writeln!(out, "\n{}", paint(TITLE, clean(&among)))?;
        let mut own = String::new();
        headline::by_order(&mut own, answer)?;
        headline::proofs(&mut own, answer)?;
        for line in own.lines().map(str::to_owned).chain(rests_on(answer)) {
            writeln!(out, "{}", format!("  {line}").trim_end())?;
        }
    }
    Ok(())
}

/// What the job did between two moments.
fn motion(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let Some(motion) = &answer.motion else {
        return Ok(());
    };
    let seconds = motion.elapsed.as_secs_f64();
    writeln!(
        out,
        "{} {}",
        paint(TITLE, format!("Over {seconds:.1} s:")),
        clean(&motion.sentence)
    )
}

/// Why a class is the hindmost: one line for each class ahead.
pub(crate) fn behind(
    out: &mut String,
    answer: &Answer,
    hindmost: &Hindmost,
    indent: &str,
) -> std::fmt::Result {
    for link in hindmost.ahead.iter().take(SPELLED_OUT) {
        let who = &answer.classes[link.other].who;
        writeln!(
            out,
            "{indent}behind {}: {}",
            clean(&who.to_string()),
            clean(&link.reason)
        )?;
    }
    if let Some(more @ 1..) = hindmost.ahead.len().checked_sub(SPELLED_OUT) {
        writeln!(
            out,
            "{indent}behind {}",
            counted(more, "more class", "more classes")
        )?;
    }
    let class = &answer.classes[hindmost.class];
    threads::behind(out, class, indent)?;
    match &class.unordered {
        Some(reason) if class.who.count() > 1 => writeln!(
            out,
            "{indent}{} {}",
            paint(DOUBT, "their order among themselves is unknown:"),
            clean(reason)
        ),
        _ => Ok(()),
    }
}

/// The classes that may be the hindmost.
pub(crate) fn candidates(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let may_be = |class: &&TaskClass| class.is_candidate || class.outside.is_some();
    let candidates: Vec<&TaskClass> = answer.classes.iter().filter(may_be).collect();
    for class in candidates.iter().take(SPELLED_OUT) {
        writeln!(out, "  {}", clean(&stands(class)))?;
    }
    match candidates.len().checked_sub(SPELLED_OUT) {
        Some(more @ 1..) => writeln!(out, "  and {}", counted(more, "more class", "more classes")),
        _ => Ok(()),
    }
}

fn undecided(out: &mut String, answer: &Answer) -> std::fmt::Result {
    if answer.undecided.is_empty() || is_settled(answer) || proven_by_recorder(answer).is_some() {
        return Ok(());
    }
    writeln!(out, "\n{}", paint(TITLE, "What is not known:"))?;
    let who = |class: usize| clean(&answer.classes[class].who.to_string()).into_owned();
    let shown = &answer.undecided[..answer.undecided.len().min(SPELLED_OUT)];
    // One task against several for one reason is one line, and one advice for several lines comes after the last.
    let mut lines = shown
        .chunk_by(|one, next| {
            let whole = |pair: &UndecidedPair| pair.a == pair.b;
            (one.a, &one.reason, &one.advice, whole(one)) == (next.a, &next.reason, &next.advice, whole(next))
        })
        .peekable();
    while let Some(pairs) = lines.next() {
        let first = &pairs[0];
        if first.a == first.b {
            writeln!(
                out,
                "  {} among themselves: {}",
                who(first.a),
                clean(&first.reason)
            )?;
        } else {
            let others = Vec::from_iter(pairs.iter().map(|pair| who(pair.b))).join(" and ");
            writeln!(
                out,
                "  {} against {others}: {}",
                who(first.a),
                clean(&first.reason)
            )?;
        }
        let said_again = lines.peek().is_some_and(|next| next[0].advice == first.advice);
        if let Some(advice) = first.advice.as_ref().filter(|_| !said_again) {
            writeln!(out, "    to decide it: {}", clean(&advice.to_string()))?;
        }
    }
    match answer.undecided.len().checked_sub(SPELLED_OUT) {
        Some(more @ 1..) => writeln!(out, "  and {}", counted(more, "more pair", "more pairs")),
        _ => Ok(()),
    }
}

fn classes(out: &mut String, answer: &Answer, names: Names) -> std::fmt::Result {
    if answer.classes.is_empty() {
        return Ok(());
    }
    let figures = headline::figures(answer);
    let title = match answer.outcome {
        Outcome::Named | Outcome::Undecided => format!("{figures}, least progressed first:"),
        _ => format!("{figures}:"),
    };
    writeln!(out, "\n{}", paint(TITLE, title))?;
    for (index, class) in answer.classes.iter().enumerate().take(MOST_CLASSES) {
        let who = clean(&class.who.to_string()).into_owned();
        let count = match class.who.count() {
            1 => String::new(),
            count => format!(" ({count} tasks)"),
        };
        let on_hosts = hosts::of_class(&answer.hosts, &class.who.ranks);
        let place = on_hosts.map_or_else(String::new, |words| format!(", {}", clean(&words)));
        let mut standing = standing(answer, index);
        if let Some(motion) = &answer.motion {
            let between = if standing.is_empty() { "" } else { "; " };
            let _ = write!(standing, "{between}{}", clean(&motion.classes[index].words()));
        }
        let colon = if standing.is_empty() { "" } else { ": " };
        writeln!(
            out,
            "  {}. {}{count}{place}{colon}{standing}",
            index + 1,
            paint(TITLE, who)
        )?;
        if let Some(state) = &class.state {
            let words = crate::state::of_class(state, &class.who);
            writeln!(out, "       {}", paint(FAINT, clean(&words)))?;
        }
        frames(out, &class.frames, class.position.call.as_ref(), names)?;
        for (who, call) in class.calls.iter().take(SPELLED_OUT) {
            let given = call::arguments(call);
            writeln!(
                out,
                "         {}:{}",
                clean(&who.to_string()),
                paint(VALUE, clean(&given))
            )?;
        }
        if let Some(more @ 1..) = class.calls.len().checked_sub(SPELLED_OUT) {
            writeln!(out, "         and {more} more with other arguments")?;
        }
        threads::threads(out, class, names)?;
    }
    match answer.classes.len().checked_sub(MOST_CLASSES) {
        Some(more @ 1..) => writeln!(
            out,
            "  and {}, which --format json has",
            counted(more, "more class", "more classes")
        ),
        _ => Ok(()),
    }
}

/// Whether what the order of the code leaves open does not matter.
fn is_settled(answer: &Answer) -> bool {
    answer.finding.as_ref().is_some_and(Finding::settles_what_is_open)
}

/// What the recorder proves, whatever the order of the code leaves open.
fn proven_by_recorder(answer: &Answer) -> Option<&Finding> {
    let finding = answer.finding.as_ref()?;
    let is_proven = finding.grounds == Grounds::Recorded && finding.certainty == Certainty::Proven;
    is_proven.then_some(finding)
}

/// What a class is to the hindmost, or to the candidates.
fn standing(answer: &Answer, index: usize) -> String {
    let class = &answer.classes[index];
    match answer.relation_to_hindmost(index) {
        RelationToHindmost::Hindmost => return paint(HINDMOST, "hindmost"),
        RelationToHindmost::Ahead if is_settled(answer) => return "ahead".to_owned(),
        _ => {}
    }
    if let Some(finding) = proven_by_recorder(answer) {
        return if finding.classes.contains(&index) {
            paint(HINDMOST, "found by the recorder")
        } else {
            String::new()
        };
    }
    if let Some(reason) = &class.outside {
        // Where none has a place, the reason is said once, above.
        return match answer.outcome {
            Outcome::NotPlaced => String::new(),
            _ => format!("without a place in the order: {}", clean(reason)),
        };
    }
    if class.is_candidate {
        return if answer.classes.len() > 1 && answer.outcome == Outcome::Undecided {
            paint(DOUBT, "candidate")
        } else {
            String::new()
        };
    }
    let numbers = |relation: Relation| {
        let of = class.links.iter().filter(|link| link.relation == relation);
        let mut numbers: Vec<String> = of.map(|link| (link.other + 1).to_string()).collect();
        if numbers.len() > SPELLED_OUT {
            numbers.truncate(SPELLED_OUT);
            numbers.push("…".to_owned());
        }
        numbers.join(", ")
    };
    let mut parts = Vec::new();
    for (relation, words) in [
        (Relation::Before, "ahead of"),
        (Relation::Incomparable, "no order against"),
        (Relation::Unknown, "order unknown against"),
    ] {
        let numbers = numbers(relation);
        if !numbers.is_empty() {
            parts.push(format!("{words} {numbers}"));
        }
    }
    parts.join("; ")
}

/// What is taken for granted, and what else the reader should know.
fn rests_on(answer: &Answer) -> Vec<String> {
    let assumptions = answer.assumptions.iter();
    let assumptions = assumptions.map(|clause| format!("taken for granted: {}", clean(clause)));
    let warnings = answer.warnings.iter();
    let warnings = warnings.map(|warning| format!("{} {}", paint(DOUBT, "warning:"), clean(warning)));
    assumptions.chain(warnings).collect()
}

fn notes(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let mut lines = rests_on(answer);
    for task in answer.unreadable.iter().filter(|task| task.class.is_none()) {
        let name = match (task.rank, task.pid) {
            (Some(rank), Some(pid)) => format!("rank {rank} (pid {pid})"),
            (Some(rank), None) => format!("rank {rank}"),
            (None, Some(pid)) => format!("pid {pid}"),
            (None, None) => format!("task {}", clean(&task.task)),
        };
        lines.push(format!(
            "{} {name}: {}",
            paint(DOUBT, "not readable:"),
            clean(&task.error)
        ));
    }
    if !answer.missing_ranks.is_empty() {
        let who = Who {
            ranks: answer.missing_ranks.clone(),
            names: Vec::new(),
        };
        let why = if answer.ended_ranks == answer.missing_ranks {
            "ended"
        } else {
            "not among the tasks that were found"
        };
        lines.push(format!("{} {who}: {why}", paint(DOUBT, "missing:")));
    }
    let all_ended = answer.ended_ranks == answer.missing_ranks;
    let is_partial = !all_ended || !answer.unreadable.is_empty();
    if is_partial && answer.outcome != Outcome::NotPlaced {
        lines.push(
            "the order holds among the tasks that have a place in it; any other may be further behind"
                .to_owned(),
        );
    }
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Who a class is and where it stands, in words; names are as the target has them.
pub fn stands(class: &TaskClass) -> String {
    format!("{}, {}", class.who, doing(class))
}

/// What a class does where, with what its own threads do where it waits for those.
pub(crate) fn doing(class: &TaskClass) -> String {
    let instead = match class.position.activity {
        Activity::Joining(_) => threads::instead(class),
        _ => String::new(),
    };
    format!("{}{instead}", describe(&class.position))
}

/// What is done where, in which iteration.
pub(crate) fn describe(position: &Position) -> String {
    let Position { short_file, line, .. } = position;
    let function = Names::Short.of(&position.function, position.qualified.as_deref());
    let given = position.call.as_ref().map(call::arguments).unwrap_or_default();
    // Of a stack that no map knows, the line and even the function may be missing.
    let at = match (short_file.as_str(), *line) {
        ("", _) => function,
        (file, 0) => format!("{function} in {file}"),
        (file, line) => format!("{function} at {file}:{line}"),
    };
    let from = match at.as_str() {
        "" => String::new(),
        at => format!(" called from {at}"),
    };
    let mut text = match &position.activity {
        Activity::Computing => format!("computing in {at}"),
        Activity::Blocked(callee) => format!("blocked in {callee}{given}{from}"),
        Activity::Joining(callee) => format!("waiting in {callee}{from} for other threads of its own"),
        Activity::Inside(callee) => format!("in {callee}{given}{from}"),
    };
    if !position.iteration.is_empty() {
        let mut of_name: BTreeMap<&str, usize> = BTreeMap::new();
        for value in &position.iteration {
            *of_name.entry(&value.variable).or_default() += 1;
        }
        let clashes = |value: &LoopValue| of_name[value.variable.as_str()] > 1;
        let values: Vec<String> = position
            .iteration
            .iter()
            .map(|value| {
                let mut text = format!("{}={}", value.variable, value.value);
                if clashes(value) {
                    let _ = write!(text, " in {}", value.function);
                }
                if value.differs {
                    text.push_str(" (differs by task)");
                }
                text
            })
            .collect();
        let _ = write!(text, ", iteration {}", sentence_of_values(&values));
    }
    text
}

/// A number with its noun.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{count} {many}")
    }
}
