//! Who waits for whom, as text: the verdict first, then one line for each wait, equal ones together.

mod dump;
mod entries;
mod graph;
mod said;

pub use dump::waits_dump;
pub use graph::waits_dot;
pub(crate) use graph::{link_label, link_sentence, node_does, part_word};
pub use said::WaitsSaid;

use self::entries::Entries;
use crate::clean::clean;
use crate::headline::capital;
use crate::last_events::last_events;
use crate::style::{DOUBT, FAINT, HINDMOST, TITLE, paint};
use base::RankSet;
use engine::recorded::{Because, Differ, Doing, Least, Mismatch, Stage, Verdict, Waiting, reduction_name};
use engine::recorded::{
    Certainty, Collective, Edge, How, Identity, Lock, LockKind, Rank, Signal, Transfer, Whom, Why,
};
use engine::{Answer, Finding, Grounds};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

/// Lines of waits that are shown unless all are asked for.
const LINES: usize = 40;

/// The same beside an answer, which has more to say.
const LINES_BESIDE: usize = 12;

/// Ranges of a set that are shown, and half of these of a longer one.
const RUNS: usize = 40;

/// The answer as text; all waits if `all`, else the first ones.
#[must_use]
pub fn waits_text(waiting: &Waiting, all: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", paint(HINDMOST, headline(waiting)));
    for line in beside(waiting) {
        let _ = writeln!(text, "  {line}");
    }
    who_for_whom(&mut text, waiting, (!all).then_some((LINES, "--all")));
    // What those do who are awaited stands below the headline.
    let mut told = waiting.waiters();
    if let Verdict::Awaited(ranks) = waiting.verdict() {
        told.extend(ranks);
    }
    let told: BTreeSet<Rank> = told.into_iter().collect();
    let outside: Vec<&Doing> = waiting
        .tasks
        .iter()
        .filter(|task| !told.contains(&Rank(task.rank)))
        .collect();
    if !outside.is_empty() {
        let _ = writeln!(text, "\n{}", paint(TITLE, "The others:"));
        for (what, tasks) in grouped(&outside, does) {
            let _ = writeln!(text, "  {} {what}", ranks_text(&tasks));
        }
    }
    last_events(&mut text, waiting, &waiting.involved());
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
    last_events(text, waiting, &answer.involved());
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
    let transfers = transfer_lines(waiting);
    if !transfers.is_empty() {
        let _ = writeln!(
            text,
            "\n{}",
            paint(TITLE, "On their way, held by one of their two ends or by MPI:")
        );
    }
    for line in transfers.iter().take(LINES_BESIDE) {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(more @ 1..) = transfers.len().checked_sub(LINES_BESIDE) {
        let _ = writeln!(text, "{}", paint(FAINT, format!("  and {more} more")));
    }
}

/// Messages that are on their way, one line each.
fn transfer_lines(waiting: &Waiting) -> Vec<String> {
    let key = |each: &Transfer| (each.ends(), each.communicator, each.tag);
    let keys: BTreeSet<_> = waiting.graph.transfers.iter().map(key).collect();
    let line = |((sender, receiver), over, tag): ((Rank, Rank), Identity, i64)| {
        let (sender, receiver) = (sender.0, receiver.0);
        format!(
            "a message of rank {sender} to rank {receiver} (tag {tag}, {})",
            communicator(waiting, over)
        )
    };
    keys.into_iter().map(line).collect()
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
                    "Probably a deadlock: {who} wait for {each}; {}",
                    waiting.doubt_of(&ranks)
                ),
            }
        }
        Verdict::Gone(waiter, on, certainty) => {
            let waits = format!(
                "ank {} waits for rank {}, which takes no part in MPI any more",
                waiter.0, on.0
            );
            match certainty {
                Certainty::Proven => format!("R{waits}"),
                Certainty::Probable => format!("Probably r{waits}; {}", waiting.doubt_of(&[waiter])),
            }
        }
        Verdict::Mismatch(mismatch) => mismatch_line(waiting, &mismatch),
        Verdict::Awaited(ranks) => {
            let waiters = waiting.waiters();
            let partly = &waiting.graph.partly;
            let (others, wait) = match waiters.len() {
                // Nobody waits as a whole.
                0 => (format!("a thread of {}", ranks_text(partly)), "waits"),
                1 => (ranks_text(&waiters), "waits"),
                _ => (ranks_text(&waiters), "wait"),
            };
            let others = capital(&others);
            let also = if ranks.iter().any(|rank| partly.binary_search(rank).is_ok()) {
                ", which may go on by another thread"
            } else {
                ""
            };
            format!(
                "{others} {wait} for {}{also}, directly or through others",
                ranks_text(&ranks)
            )
        }
        Verdict::Nobody if waiting.tasks.iter().any(|task| task.moves) => {
            "Nobody waits for anybody: the job moves".to_owned()
        }
        Verdict::Nobody if !waiting.graph.edges.is_empty() => {
            "Some wait for others, and nobody is found who holds them".to_owned()
        }
        Verdict::Nobody => "Nobody is recorded to wait for anybody".to_owned(),
    }
}

/// In which respect two tasks are not in the same collective operation.
fn mismatch_line(waiting: &Waiting, mismatch: &Mismatch) -> String {
    let Mismatch {
        one: (one, of_one),
        other: (other, of_other),
        differ,
    } = mismatch;
    let which = format!(
        "number {} of {}",
        of_one.ordinal,
        communicator(waiting, of_one.communicator)
    );
    if let Differ::Portion { given, taken } = differ {
        return format!(
            "Rank {} gives rank {} {given} bytes in {}, {which}, and that one takes {taken} bytes of it",
            one.0,
            other.0,
            operation(waiting, of_one)
        );
    }
    let call = |collective: &Collective| {
        let name = operation(waiting, collective);
        let (bytes, reduction) = (collective.bytes, collective.reduction);
        match (differ, collective.root, bytes, reduction) {
            (Differ::Bytes, _, Some(bytes), _) => format!("{name} of {bytes} bytes"),
            (Differ::Reduction, _, _, Some(number)) => {
                format!("{name} by {}", reduction_name(number))
            }
            (_, Some(root), ..) => format!("{name} with root {}", root.0),
            _ => name,
        }
    };
    format!(
        "Rank {} is in {} and rank {} in {}, and both are {which}",
        one.0,
        call(of_one),
        other.0,
        call(of_other)
    )
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
    lines.extend(waiting.least.as_ref().map(least_line));
    let seen = waiting.tasks.len();
    if let Some(last) = waiting.size.checked_sub(1)
        && seen < waiting.size as usize
    {
        let recorded = waiting.tasks.iter().map(|task| task.rank).collect();
        let others = RankSet::from_ranges([(0, last)]).without(&recorded);
        let line = format!(
            "Read {seen} of {} tasks: of {} there is no recording, and they may do anything.",
            waiting.size,
            set_text(&others)
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
            "The recorder has not all that {} did, for lack of room or since MPI does not tell it: nothing is said that rests on it.",
            ranks_text(&partial)
        );
        lines.push(paint(DOUBT, line));
    }
    lines
}

/// Who of several that others wait for is furthest behind, as far as can be inferred, and from what.
pub(crate) fn least_line(least: &Least) -> String {
    let times = |count: u64| {
        if count == 1 {
            "once".to_owned()
        } else {
            format!("{count} times")
        }
    };
    let because = match &least.because {
        Because::Visits(operation, own, others) => format!(
            "in a loop that both are in, it has come to {} {}, and rank {} {}",
            clean(operation),
            times(*own),
            least.ahead.0,
            times(*others)
        ),
        Because::Likely => format!(
            "from where it is, tasks came to where rank {} is, and more rarely or never back",
            least.ahead.0
        ),
    };
    let (first, furthest) = (plural(&least.ranks, "is", "are"), ranks_text(&least.ranks));
    let first = format!("Of these, {furthest} {first} probably furthest behind");
    match least.ranks.len() {
        1 => format!("{first}: {because}"),
        _ => format!("{first}; of rank {}: {because}", least.ranks[0].0),
    }
}

/// How long the same lasted before, beside how long it lasts now.
fn compared(task: &Doing) -> String {
    let Some(before) = task.before else {
        return String::new();
    };
    let times = match before.count {
        1 => "the one time before".to_owned(),
        count => format!("the {count} times before"),
    };
    if before.is_exceeded_by(Duration::from_nanos(task.for_ns)) {
        format!(
            ", longer than ever: at most {} in {times}",
            seconds(u64::try_from(before.longest.as_nanos()).unwrap_or(u64::MAX))
        )
    } else {
        format!(", no longer than in {times}")
    }
}

/// What a task that waits for nobody does.
fn does(task: &Doing) -> String {
    let time = seconds(task.for_ns) + &compared(task);
    match (task.stage, task.is_gone) {
        (Stage::Ended, _) => "called MPI_Finalize and left it".to_owned(),
        (Stage::Ending, _) => format!("in MPI_Finalize for {time}"),
        (Stage::Aborted, _) => "called MPI_Abort".to_owned(),
        (_, true) => "ended without MPI_Finalize".to_owned(),
        (Stage::Starting, _) => format!("in MPI_Init for {time}"),
        _ if task.moves => "moving".to_owned(),
        _ => match (&task.operation, task.polls) {
            (Some(operation), None) if task.has_threads_outside() => {
                format!(
                    "in {} for {time} with one thread, and outside of MPI with another",
                    clean(operation)
                )
            }
            (Some(operation), None) => format!("in {} for {time}", clean(operation)),
            (Some(operation), Some(times)) => format!(
                "asks by {} again and again ({times} times in {time})",
                clean(operation)
            ),
            (None, _) => format!("outside of MPI for {time}"),
        },
    }
}

/// One line for each wait; equal ones of several tasks together.
fn wait_lines(waiting: &Waiting) -> Vec<String> {
    let mut entries = Entries::default();
    let mut lines: Vec<(Rank, String)> = Vec::new();
    for edges in waiting
        .graph
        .edges
        .chunk_by(|one, other| (one.waiter, one.thread) == (other.waiter, other.thread))
    {
        let waiter = edges[0].waiter;
        let (collectives, messages): (Vec<&Edge>, Vec<&Edge>) = edges
            .iter()
            .partition(|edge| matches!(edge.why, Why::Entry { .. }));
        collectives.into_iter().for_each(|edge| entries.add(edge));
        let own = message_lines(waiting, &messages);
        lines.extend(own.into_iter().map(|line| (waiter, line)));
    }
    let entries = entries.alike.into_iter();
    lines.extend(entries.map(|(edge, waiters)| (waiters[0], entry_line(waiting, edge, &waiters))));
    lines.sort_by_key(|(waiter, _)| *waiter);
    lines.into_iter().map(|(_, line)| line).collect()
}

fn entry_line(waiting: &Waiting, edge: &Edge, waiters: &[Rank]) -> String {
    let Why::Entry { collective, entered } = &edge.why else {
        return String::new();
    };
    let may = match edge.certainty {
        Certainty::Proven => "",
        Certainty::Probable => " (it depends on the library whether that holds it up)",
    };
    let (waits, has) = (
        plural(waiters, "waits", "wait"),
        if edge.on.len() == 1 { "has" } else { "have" },
    );
    format!(
        "{} {waits} in {}, number {} of {}, for {}, which {has} entered {entered}{may}",
        ranks_text(waiters),
        operation(waiting, collective),
        collective.ordinal,
        communicator(waiting, collective.communicator),
        whom_text([&edge.on]),
    )
}

/// What one task waits for of messages.
fn message_lines(waiting: &Waiting, edges: &[&Edge]) -> Vec<String> {
    let Some(first) = edges.first() else {
        return Vec::new();
    };
    let operation = operation_of(waiting, first);
    let on: usize = edges.iter().map(|edge| edge.on.len()).sum();
    if on > 1 && edges.iter().all(|edge| is_alternative(edge)) {
        return vec![format!(
            "{} waits in {operation} for a message of any of {}",
            who(waiting, first),
            whom_text(edges.iter().map(|edge| &edge.on))
        )];
    }
    let lines = edges.iter().flat_map(|edge| {
        let on = edge.on.iter().take(LINES);
        on.map(|on| message_line(waiting, edge, on, &operation))
    });
    lines.collect()
}

/// The operation in which a task waits.
fn operation_of(waiting: &Waiting, edge: &Edge) -> String {
    let task = waiting.task(edge.waiter);
    let operation = task.and_then(|task| task.operation_of(edge.thread));
    clean(operation.unwrap_or("MPI")).into_owned()
}

/// Who waits: a task, or one thread of it.
fn who(waiting: &Waiting, edge: &Edge) -> String {
    let rank = edge.waiter.0;
    match waiting.graph.partly.binary_search(&edge.waiter) {
        Ok(_) => format!("a thread of rank {rank}"),
        Err(_) => format!("rank {rank}"),
    }
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

fn message_line(waiting: &Waiting, edge: &Edge, on: Rank, operation: &str) -> String {
    let on = on.0;
    let who = who(waiting, edge);
    let asks = match edge.how {
        How::Blocked => format!("{who} waits in {operation}"),
        How::Polling => format!("{who} asks by {operation} again and again"),
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
        Why::Signal {
            window,
            signal,
            number,
            given,
        } => format!(
            "{asks} for {} {number} of rank {on} ({}): rank {on} has made {given}{}",
            signal_name(*signal),
            communicator(waiting, *window),
            match edge.certainty {
                Certainty::Proven => "",
                Certainty::Probable => ", and the library may do without it",
            }
        ),
        Why::Lock(lock) => format!(
            "{asks} for {} ({}), which rank {on} has locked, by its calls",
            part(lock),
            communicator(waiting, lock.window)
        ),
        Why::Entry { .. } => asks,
    }
}

/// What is locked, and how.
pub(crate) fn part(lock: &Lock) -> String {
    let how = match lock.access {
        LockKind::Shared => "shared",
        LockKind::Exclusive => "exclusive",
    };
    match lock.target {
        Some(target) => format!("{how} access to the part of rank {}", target.0),
        None => format!("{how} access to the parts of all"),
    }
}

/// The call that gives a signal.
pub(crate) fn signal_name(signal: Signal) -> &'static str {
    match signal {
        Signal::Post => "MPI_Win_post",
        Signal::Complete => "MPI_Win_complete",
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
    set_text(&ranks.iter().map(|rank| rank.0).collect())
}

fn set_text(set: &RankSet) -> String {
    match set.len() {
        1 => format!("rank {set}"),
        _ => format!("ranks {}", set.brief()),
    }
}

/// Whom some wait for. Thousands may wait for thousands, each for others: no more is looked at than is shown.
fn whom_text<'w>(whom: impl IntoIterator<Item = &'w Whom>) -> String {
    let (mut runs, mut count) = (Vec::new(), 0);
    for each in whom {
        count += each.len();
        runs.extend(each.runs().take(RUNS + 1).map(|(first, last)| (first.0, last.0)));
    }
    if runs.len() <= RUNS {
        return set_text(&RankSet::from_ranges(runs));
    }
    runs.sort_unstable();
    runs.truncate(RUNS / 2);
    format!("ranks {},… ({count} in all)", RankSet::from_ranges(runs))
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::time::Duration;

    /// Tasks that wait for messages, the first of each pair for the second.
    pub(crate) fn messages(pairs: &[(u32, u32)]) -> Waiting {
        let edge = |&(waiter, on): &(u32, u32)| Edge {
            waiter: Rank(waiter),
            thread: 0,
            on: [Rank(on)].into(),
            why: Why::Message {
                communicator: Identity(1),
                tag: Some(7),
                number: Some(1),
                sent: 0,
                unwanted: Vec::new(),
                alternatives: false,
            },
            how: How::Blocked,
            certainty: Certainty::Proven,
        };
        let ranks: BTreeSet<u32> = pairs.iter().flat_map(|&(waiter, on)| [waiter, on]).collect();
        let mut waiting = engine::recorded::waiting(&[]);
        let waiters: BTreeSet<u32> = pairs.iter().map(|&(waiter, _)| waiter).collect();
        waiting.size = ranks.len() as u32;
        waiting.graph.edges = pairs.iter().map(edge).collect();
        waiting.graph.awaited = ranks.difference(&waiters).copied().map(Rank).collect();
        let doing = |&rank: &u32| Doing {
            rank,
            operation: waiters.contains(&rank).then(|| "MPI_Recv".to_owned()),
            threads: Vec::new(),
            polls: None,
            for_ns: 2_000_000_000,
            stage: Stage::Running,
            moves: false,
            is_gone: false,
            pid: 100 + rank,
            host: String::new(),
            is_partial: false,
            may_be_joined: false,
            completed: 3,
            longest: Some(Duration::from_secs(1)),
            before: None,
        };
        waiting.tasks = ranks.iter().map(doing).collect();
        waiting
    }

    #[test]
    fn who_is_awaited_is_told_once() {
        let text = waits_text(&messages(&[(0, 2), (1, 2)]), false);
        assert_eq!(text.matches("rank 2 outside of MPI").count(), 1, "{text}");
        assert!(!text.contains("The others"), "{text}");
    }
}
