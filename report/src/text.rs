//! The answer for people: what was found, why, and everything that is not known.

use crate::clean::clean;
use crate::stack::{frames, source};
use crate::style::{DOUBT, HINDMOST, TITLE, VALUE, paint};
use crate::{call, threads};
use engine::{
    Activity, Answer, Hindmost, LoopValue, Outcome, Position, Relation, TaskClass, UndecidedPair, Who,
};
use std::fmt::Write as _;

/// How many classes ahead, undecided pairs and the like are spelled out before the rest is only counted.
const SPELLED_OUT: usize = 8;

/// The answer as text, ending with a newline.
pub fn answer_text(answer: &Answer) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = headline(&mut out, answer);
    let _ = motion(&mut out, answer);
    let _ = undecided(&mut out, answer);
    let _ = classes(&mut out, answer);
    for excerpt in answer.excerpts.iter().filter(|excerpt| !excerpt.lines.is_empty()) {
        let _ = source(&mut out, excerpt);
    }
    let _ = notes(&mut out, answer);
    out
}

fn headline(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let tasks = counted(answer.tasks, "task", "tasks");
    let readable = match answer.unreadable.len() {
        0 => String::new(),
        unread => format!(" ({unread} not readable)"),
    };
    let classes = counted(answer.classes.len(), "class", "classes");
    write!(out, "{tasks}{readable}, {classes}. ")?;
    match answer.outcome {
        Outcome::Named => match &answer.hindmost[..] {
            [only] => {
                let class = &answer.classes[only.class];
                writeln!(out, "Hindmost: {}", paint(HINDMOST, clean(&stands(class))))?;
                behind(out, answer, only, "  ")
            }
            several => {
                writeln!(out, "Hindmost, without an order among themselves:")?;
                for hindmost in several {
                    let class = &answer.classes[hindmost.class];
                    writeln!(out, "  {}", paint(HINDMOST, clean(&stands(class))))?;
                    behind(out, answer, hindmost, "    ")?;
                }
                Ok(())
            }
        },
        Outcome::NothingReadable => {
            writeln!(out, "No answer: no task could be read and placed in the map")
        }
        Outcome::Alone => {
            let class = &answer.classes[0];
            writeln!(out, "Nothing to compare with: only {}", clean(&stands(class)))
        }
        Outcome::AllEqual => {
            let class = &answer.classes[0];
            let at = describe(&class.position);
            if class.threads_behind.is_empty() {
                writeln!(out, "No hindmost: all are {}", clean(&at))?;
                return writeln!(
                    out,
                    "  all tasks are at the same point of the same iteration: nobody is behind"
                );
            }
            writeln!(out, "No hindmost by the main threads: all are {}", clean(&at))?;
            threads::behind(out, class, "  ")
        }
        Outcome::Branches => {
            writeln!(out, "No hindmost: the classes are on branches that have no order")?;
            candidates(out, answer)
        }
        Outcome::Undecided => {
            writeln!(out, "{}", paint(DOUBT, "Undecided: the hindmost is among"))?;
            candidates(out, answer)
        }
    }
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

fn behind(out: &mut String, answer: &Answer, hindmost: &Hindmost, indent: &str) -> std::fmt::Result {
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

fn candidates(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let candidates: Vec<&TaskClass> = answer.classes.iter().filter(|class| class.is_candidate).collect();
    for class in candidates.iter().take(SPELLED_OUT) {
        writeln!(out, "  {}", clean(&stands(class)))?;
    }
    if let Some(more @ 1..) = candidates.len().checked_sub(SPELLED_OUT) {
        writeln!(out, "  and {}", counted(more, "more class", "more classes"))?;
    }
    // No proof, but what a person would look at first: who is alone where most are together.
    let total: u64 = candidates.iter().map(|class| class.who.count()).sum();
    let fewest = candidates
        .iter()
        .map(|class| class.who.count())
        .min()
        .unwrap_or(0);
    let mut smallest = candidates.iter().filter(|class| class.who.count() == fewest);
    match (smallest.next(), smallest.next()) {
        (Some(odd), None) if 4 * fewest <= total => {
            writeln!(
                out,
                "  the odd one out: {} of {total} tasks",
                clean(&odd.who.to_string())
            )
        }
        _ => Ok(()),
    }
}

fn undecided(out: &mut String, answer: &Answer) -> std::fmt::Result {
    if answer.undecided.is_empty() {
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
            writeln!(out, "    to decide it: {}", clean(advice))?;
        }
    }
    match answer.undecided.len().checked_sub(SPELLED_OUT) {
        Some(more @ 1..) => writeln!(out, "  and {}", counted(more, "more pair", "more pairs")),
        _ => Ok(()),
    }
}

fn classes(out: &mut String, answer: &Answer) -> std::fmt::Result {
    if answer.classes.is_empty() {
        return Ok(());
    }
    let title = match answer.outcome {
        Outcome::Named | Outcome::Undecided => "Classes, least progressed first:",
        _ => "Classes:",
    };
    writeln!(out, "\n{}", paint(TITLE, title))?;
    for (index, class) in answer.classes.iter().enumerate() {
        let who = clean(&class.who.to_string()).into_owned();
        let count = match class.who.count() {
            1 => String::new(),
            count => format!(" ({count} tasks)"),
        };
        let mut standing = standing(answer, index);
        if let Some(motion) = &answer.motion {
            let between = if standing.is_empty() { "" } else { "; " };
            let _ = write!(standing, "{between}{}", clean(&motion.classes[index].words()));
        }
        let colon = if standing.is_empty() { "" } else { ": " };
        writeln!(
            out,
            "  {}. {}{count}{colon}{standing}",
            index + 1,
            paint(TITLE, who)
        )?;
        frames(out, &class.frames, class.position.call.as_ref())?;
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
        threads::threads(out, class)?;
    }
    Ok(())
}

/// What a class is to the hindmost, or to the candidates.
fn standing(answer: &Answer, index: usize) -> String {
    let class = &answer.classes[index];
    if answer.hindmost.iter().any(|hindmost| hindmost.class == index) {
        return paint(HINDMOST, "hindmost");
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

fn notes(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let mut lines: Vec<String> = Vec::new();
    for clause in &answer.assumptions {
        lines.push(format!("taken for granted: {}", clean(clause)));
    }
    for warning in &answer.warnings {
        lines.push(format!("{} {}", paint(DOUBT, "warning:"), clean(warning)));
    }
    for task in &answer.unreadable {
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
        lines.push(format!(
            "{} {who}: not among the tasks that were found",
            paint(DOUBT, "missing:")
        ));
    }
    if !answer.missing_ranks.is_empty() || !answer.unreadable.is_empty() {
        lines.push(
            "the order holds among the tasks that were read; any other may be further behind".to_owned(),
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
    let instead = match class.position.activity {
        Activity::Joining(_) => threads::instead(class),
        _ => String::new(),
    };
    format!("{}, {}{instead}", class.who, describe(&class.position))
}

/// What is done where, in which iteration.
pub(crate) fn describe(position: &Position) -> String {
    let Position {
        function,
        short_file,
        line,
        ..
    } = position;
    let given = position.call.as_ref().map(call::arguments).unwrap_or_default();
    let mut text = match &position.activity {
        Activity::Computing => format!("computing in {function} at {short_file}:{line}"),
        Activity::Blocked(callee) => {
            format!("blocked in {callee}{given} called from {function} at {short_file}:{line}")
        }
        Activity::Joining(callee) => format!(
            "waiting in {callee} called from {function} at {short_file}:{line} for other threads of its own"
        ),
        Activity::Inside(callee) => {
            format!("in {callee}{given} called from {function} at {short_file}:{line}")
        }
    };
    if !position.iteration.is_empty() {
        let clashes = |value: &LoopValue| {
            let same = position
                .iteration
                .iter()
                .filter(|other| other.variable == value.variable);
            same.count() > 1
        };
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
        let _ = write!(text, ", iteration {}", values.join(", "));
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
