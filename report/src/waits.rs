//! Who waits for whom, as text: the verdict first, then one line for each wait, equal ones together.

use crate::clean::clean;
use crate::headline::capital;
use crate::style::{DOUBT, FAINT, HINDMOST, TITLE, paint};
use base::RankSet;
use engine::recorded::{Certainty, Collective, Edge, How, Identity, Rank, Why};
use engine::recorded::{Doing, Stage, Verdict, Waiting};
use engine::{Answer, Finding, Grounds};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Lines of waits that are shown unless all are asked for.
const LINES: usize = 40;

/// The same beside an answer, which has more to say.
const LINES_BESIDE: usize = 12;

/// The answer as text; all waits if `all`, else the first ones.
#[must_use]
pub fn waits_text(waiting: &Waiting, all: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", paint(HINDMOST, headline(waiting)));
    for line in beside(waiting) {
        let _ = writeln!(text, "  {line}");
    }
    who_for_whom(&mut text, waiting, (!all).then_some((LINES, "--all")));
    let waits = waiters(waiting);
    let outside: Vec<&Doing> = waiting
        .tasks
        .iter()
        .filter(|task| !waits.contains(&Rank(task.rank)))
        .collect();
    if !outside.is_empty() {
        let _ = writeln!(text, "\n{}", paint(TITLE, "The others:"));
        for (what, tasks) in grouped(&outside, does) {
            let _ = writeln!(text, "  {} {what}", ranks_text(&tasks));
        }
    }
    text
}

/// What the recorder says beside an answer that rests on stacks; nothing where there are no recordings.
pub(crate) fn beside_answer(text: &mut String, answer: &Answer) {
    let Some(waiting) = &answer.waiting else {
        return;
    };
    let is_said = |found: &Finding| found.grounds == Grounds::Recorded;
    if !answer.finding.as_ref().is_some_and(is_said) {
        let _ = writeln!(
            text,
            "{} {}",
            paint(TITLE, "By the flight recorder:"),
            uncapitalised(&headline(waiting))
        );
        for line in beside(waiting) {
            let _ = writeln!(text, "  {line}");
        }
        if answer.recorder_finds_others() {
            let words = "  These are others than those named above: being behind in the code and being waited for are two things.";
            let _ = writeln!(text, "{}", paint(DOUBT, words));
        }
    }
    who_for_whom(text, waiting, Some((LINES_BESIDE, "--waits")));
}

/// The waits, one line each; of more than so many the first ones, and how to see the rest.
fn who_for_whom(text: &mut String, waiting: &Waiting, most: Option<(usize, &str)>) {
    let lines = wait_lines(waiting);
    if !lines.is_empty() {
        let _ = writeln!(text, "\n{}", paint(TITLE, "Who waits for whom:"));
    }
    let most = most.filter(|(most, _)| *most < lines.len());
    for line in &lines[..most.map_or(lines.len(), |(most, _)| most)] {
        let _ = writeln!(text, "  {line}");
    }
    if let Some((most, how)) = most {
        let words = format!("  and {} more ({how})", lines.len() - most);
        let _ = writeln!(text, "{}", paint(FAINT, words));
    }
}

/// The first line: understood by somebody who reads it for the first time.
#[must_use]
pub fn headline(waiting: &Waiting) -> String {
    match waiting.verdict() {
        Verdict::Deadlock(ranks, certainty) => {
            let (who, each) = (
                ranks_text(&ranks),
                if ranks.len() == 2 {
                    "each other"
                } else {
                    "one another"
                },
            );
            match (certainty, &ranks[..]) {
                (Certainty::Proven, [_]) => format!("Deadlock: {who} waits for itself"),
                (Certainty::Proven, _) => {
                    format!("Deadlock: {who} wait for {each}, and nobody else can end it")
                }
                (Certainty::Probable, _) => format!(
                    "Probably a deadlock: {who} wait for {each}; some of them only ask again and again, and may do other things between"
                ),
            }
        }
        Verdict::Gone(waiter, on) => {
            format!(
                "Rank {} waits for rank {}, which takes no part in MPI any more",
                waiter.0, on.0
            )
        }
        Verdict::Mismatch(mismatch) => {
            let call = |collective: &Collective| match collective.root {
                Some(root) => format!("{} with root {}", operation(waiting, collective), root.0),
                None => operation(waiting, collective),
            };
            format!(
                "Rank {} is in {} and rank {} in {}, and both are number {} of {}",
                mismatch.one.0.0,
                call(&mismatch.one.1),
                mismatch.other.0.0,
                call(&mismatch.other.1),
                mismatch.one.1.ordinal,
                communicator(waiting, mismatch.one.1.communicator)
            )
        }
        Verdict::Awaited(ranks) => {
            let others = ranks_text(&waiters(waiting));
            let wait = if waiters(waiting).len() == 1 {
                "waits"
            } else {
                "wait"
            };
            let others = capital(&others);
            format!(
                "{others} {wait} for {}, directly or through others",
                ranks_text(&ranks)
            )
        }
        Verdict::Nobody if waiting.tasks.iter().any(|task| task.moves) => {
            "Nobody waits for anybody: the job moves".to_owned()
        }
        Verdict::Nobody => "Nobody is recorded to wait for anybody".to_owned(),
    }
}

/// What qualifies the headline.
pub(crate) fn beside(waiting: &Waiting) -> Vec<String> {
    let mut lines = Vec::new();
    if let Verdict::Awaited(ranks) = waiting.verdict() {
        let tasks: Vec<&Doing> = ranks.iter().filter_map(|rank| waiting.task(*rank)).collect();
        lines.extend(
            grouped(&tasks, does)
                .into_iter()
                .map(|(what, ranks)| format!("{} {what}", ranks_text(&ranks))),
        );
    }
    let seen = waiting.tasks.len();
    if seen < waiting.size as usize {
        let line = format!(
            "Read {seen} of {} tasks: the others may do anything.",
            waiting.size
        );
        lines.push(paint(DOUBT, line));
    }
    let partial: Vec<Rank> = waiting
        .tasks
        .iter()
        .filter(|task| task.is_partial)
        .map(|task| Rank(task.rank))
        .collect();
    if !partial.is_empty() {
        let line = format!(
            "The recorder had not room for all that {} did: nothing is said that rests on it.",
            ranks_text(&partial)
        );
        lines.push(paint(DOUBT, line));
    }
    lines
}

/// What a task that waits for nobody does.
fn does(task: &Doing) -> String {
    let time = seconds(task.for_ns);
    match (task.stage, task.is_gone) {
        (Stage::Ended, _) => "called MPI_Finalize and left it".to_owned(),
        (Stage::Ending, _) => format!("in MPI_Finalize for {time}"),
        (Stage::Aborted, _) => "called MPI_Abort".to_owned(),
        (_, true) => "ended without MPI_Finalize".to_owned(),
        (Stage::Starting, _) => format!("in MPI_Init for {time}"),
        _ if task.moves => "moving".to_owned(),
        _ => match (&task.operation, task.polls) {
            (Some(operation), None) => format!("in {} for {time}", clean(operation)),
            (Some(operation), Some(times)) => format!(
                "asks by {} again and again ({times} times in {time})",
                clean(operation)
            ),
            (None, _) => format!("outside of MPI for {time}"),
        },
    }
}

/// A collective operation, how many of its communicator's those have entered who are waited for, and how certain that is.
type Entry<'e> = (&'e Collective, u64, Certainty);

fn same(one: &Entry<'_>, other: &Entry<'_>) -> bool {
    let of = |entry: &Entry<'_>| (entry.0.communicator, entry.0.ordinal, entry.0.operation);
    of(one) == of(other) && (one.1, one.2) == (other.1, other.2)
}

/// One line for each wait; equal ones of several tasks together.
fn wait_lines(waiting: &Waiting) -> Vec<String> {
    // Collective operations: those who wait for the same tasks in the same one, together.
    let mut entries: Vec<(Entry<'_>, Vec<Rank>, Vec<Rank>)> = Vec::new();
    let mut messages: Vec<(Rank, Vec<&Edge>)> = Vec::new();
    for edges in waiting
        .graph
        .edges
        .chunk_by(|one, other| one.waiter == other.waiter)
    {
        let mut own: Vec<(Entry<'_>, Vec<Rank>)> = Vec::new();
        for edge in edges {
            let Why::Entry { collective, entered } = &edge.why else {
                match messages.last_mut() {
                    Some((waiter, edges)) if *waiter == edge.waiter => edges.push(edge),
                    _ => messages.push((edge.waiter, vec![edge])),
                }
                continue;
            };
            let entry: Entry<'_> = (collective, *entered, edge.certainty);
            match own.iter_mut().find(|(known, _)| same(known, &entry)) {
                Some((_, on)) => on.push(edge.on),
                None => own.push((entry, vec![edge.on])),
            }
        }
        for (entry, on) in own {
            match entries
                .iter_mut()
                .find(|(known, _, of_known)| same(known, &entry) && *of_known == on)
            {
                Some((_, waiters, _)) => waiters.push(edges[0].waiter),
                None => entries.push((entry, vec![edges[0].waiter], on)),
            }
        }
    }
    let mut lines: Vec<(Rank, String)> = Vec::new();
    for ((collective, entered, certainty), waiters, on) in entries {
        let may = match certainty {
            Certainty::Proven => "",
            Certainty::Probable => " (it depends on the library whether that holds it up)",
        };
        let (waits, has) = (plural(&waiters, "waits", "wait"), plural(&on, "has", "have"));
        let line = format!(
            "{} {waits} in {}, number {} of {}, for {}, which {has} entered {entered}{may}",
            ranks_text(&waiters),
            operation(waiting, collective),
            collective.ordinal,
            communicator(waiting, collective.communicator),
            ranks_text(&on),
        );
        lines.push((waiters[0], line));
    }
    for (waiter, edges) in messages {
        let operation = waiting.task(waiter).and_then(|task| task.operation.as_deref());
        let operation = clean(operation.unwrap_or("MPI")).into_owned();
        let alternatives = edges.len() > 1 && edges.iter().all(|edge| is_alternative(edge));
        if alternatives {
            let on: Vec<Rank> = edges.iter().map(|edge| edge.on).collect();
            let line = format!(
                "rank {} waits in {operation} for a message of any of {}",
                waiter.0,
                ranks_text(&on)
            );
            lines.push((waiter, line));
            continue;
        }
        for edge in edges {
            lines.push((waiter, message_line(waiting, edge, &operation)));
        }
    }
    lines.sort_by_key(|(waiter, _)| *waiter);
    lines.into_iter().map(|(_, line)| line).collect()
}

fn is_alternative(edge: &Edge) -> bool {
    matches!(
        edge.why,
        Why::Message {
            alternatives: true,
            ..
        }
    )
}

fn message_line(waiting: &Waiting, edge: &Edge, operation: &str) -> String {
    let (waiter, on) = (edge.waiter.0, edge.on.0);
    let asks = match edge.how {
        How::Blocked => format!("rank {waiter} waits in {operation}"),
        How::Polling => format!("rank {waiter} asks by {operation} again and again"),
    };
    match &edge.why {
        Why::Message {
            communicator: over,
            tag,
            number,
            sent,
            unwanted,
            ..
        } => {
            let under = match tag {
                Some(tag) => format!("tag {tag}"),
                None => "any tag".to_owned(),
            };
            let which = match number {
                Some(number) => format!("message {number} of rank {on}"),
                None => format!("a message of rank {on}"),
            };
            let mut line = format!(
                "{asks} for {which} ({under}, {}): rank {on} has sent {sent}",
                communicator(waiting, *over)
            );
            for (tag, count) in unwanted {
                let messages = if *count == 1 { "message" } else { "messages" };
                let _ = write!(
                    line,
                    "; it has sent {count} {messages} under tag {tag}, which nobody has received"
                );
            }
            line
        }
        Why::Delivery {
            channel,
            number,
            taken,
        } => format!(
            "{asks} until rank {on} takes message {number} (tag {}, {}): rank {on} is ready for {taken}",
            channel.tag,
            communicator(waiting, channel.communicator)
        ),
        Why::Entry { .. } => asks,
    }
}

fn operation(waiting: &Waiting, collective: &Collective) -> String {
    let name = waiting.operations.get(collective.operation as usize);
    clean(name.map_or("a collective operation", String::as_str)).into_owned()
}

fn communicator(waiting: &Waiting, identity: Identity) -> String {
    let name = waiting.communicators.get(&identity);
    clean(name.map_or("a communicator", String::as_str)).into_owned()
}

fn waiters(waiting: &Waiting) -> Vec<Rank> {
    let mut waiters: Vec<Rank> = waiting.graph.edges.iter().map(|edge| edge.waiter).collect();
    waiters.sort_unstable();
    waiters.dedup();
    waiters
}

fn grouped(tasks: &[&Doing], what: impl Fn(&Doing) -> String) -> Vec<(String, Vec<Rank>)> {
    let mut groups: BTreeMap<String, Vec<Rank>> = BTreeMap::new();
    for task in tasks {
        groups.entry(what(task)).or_default().push(Rank(task.rank));
    }
    let mut groups: Vec<(String, Vec<Rank>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, ranks)| ranks.first().copied());
    groups
}

/// `rank 3`, `ranks 0-2,5`.
fn ranks_text(ranks: &[Rank]) -> String {
    let set = ranks.iter().map(|rank| rank.0).collect::<RankSet>();
    match set.len() {
        1 => format!("rank {set}"),
        _ => format!("ranks {set}"),
    }
}

fn plural<'w>(ranks: &[Rank], one: &'w str, several: &'w str) -> &'w str {
    let set = ranks.iter().map(|rank| rank.0).collect::<RankSet>();
    if set.len() == 1 { one } else { several }
}

/// A sentence that goes on behind a colon.
fn uncapitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// A duration as people say it.
fn seconds(nanoseconds: u64) -> String {
    let seconds = nanoseconds as f64 / 1e9;
    match seconds {
        ..100.0 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.0} s"),
    }
}
