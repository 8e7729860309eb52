//! Whom those that are named wait for, in words.

use crate::headline::capital;
use engine::{
    Activity, Answer, Awaited, ChainEnd, Coming, Counterpart, Culprit, HaltedBy, Role, SendSite, TaskClass,
    ToldBy, Wait, WaitsFor, Who,
};
use std::fmt::Write as _;

/// Of a longer chain only the first waits are told.
const TOLD: usize = 4;

/// Whom those that are named wait for, and who is to be looked at, as a sentence with its full stop.
pub fn sentence(answer: &Answer, awaited: &Awaited) -> String {
    let first = awaited.chain.first();
    let who = first.map(|wait| wait.who.to_string()).unwrap_or_default();
    format!("{}.", capital(&clause(answer, awaited, &who)))
}

/// The same as a clause: who is named waits for whom, and who is to be looked at. `subject` is the word for the first who waits.
pub(crate) fn clause(answer: &Answer, awaited: &Awaited, subject: &str) -> String {
    let mut text = subject.to_owned();
    let told = match awaited.chain.len() {
        count if count > TOLD => TOLD - 1,
        count => count,
    };
    for (index, wait) in awaited.chain.iter().enumerate() {
        // The last one says where the chain ends.
        if index >= told && index + 1 < awaited.chain.len() {
            continue;
        }
        if index == told {
            let skipped = awaited.chain.len() - told - 1;
            let _ = write!(text, ", and so on through {skipped} more to {}", wait.who);
        }
        if index > 0 {
            let of_whom = &awaited.chain[index - 1];
            let is_one_of = matches!(of_whom.needs, WaitsFor::OneOf(..)) && index < told;
            if is_one_of {
                let _ = write!(text, ", of whom {}", wait.who);
            } else {
                text.push_str(", which")
            }
        }
        let place = match place(&answer.classes[wait.class]) {
            Some(place) => format!(" ({place})"),
            None => String::new(),
        };
        let _ = write!(text, " waits in {}{place}{}", wait.call, needs(wait));
    }
    text.push_str(&end(answer, awaited));
    if let Some(words) = awaited.chain.iter().find_map(never_sent) {
        text.push_str(". ");
        text.push_str(&words);
    }
    text
}

/// How many sends that fit are told.
const SENDS: usize = 3;

/// That the message which somebody waits for will not come, as a sentence without its full stop.
fn never_sent(wait: &Wait) -> Option<String> {
    let (WaitsFor::Task(sender), Some(sends)) = (&wait.needs, &wait.sends) else {
        return None;
    };
    if sends.coming != Coming::Never {
        return None;
    }
    let sender = sender.to_string();
    let place = |site: &SendSite| format!("{} ({}:{})", site.call, site.file, site.line);
    let told = Vec::from_iter(sends.sites.iter().take(SENDS).map(place)).join(", ");
    let past = match sends.sites.len() {
        0 => "the source has none that fits".to_owned(),
        count if count > SENDS => format!(
            "that message is lost, or it has gone past its send, one of {told} and {} more",
            count - SENDS
        ),
        1 => format!("that message is lost, or it has gone past {told}"),
        _ => format!("that message is lost, or it has gone past its send, one of {told}"),
    };
    Some(format!(
        "{} can come to no send any more that {} would receive: {past}",
        capital(&sender),
        wait.who
    ))
}

/// Whom a task waits for: ` for rank 3`.
fn needs(wait: &Wait) -> String {
    let is_for_message = wait.counterpart() == Some(Counterpart::Send);
    match &wait.needs {
        WaitsFor::Task(who) => format!(" for {who}"),
        WaitsFor::OneOf(who, others) => format!(" for {who} or {others}"),
        WaitsFor::Anybody => " for anybody's message".to_owned(),
        WaitsFor::NotTold if is_for_message => " for a message".to_owned(),
        WaitsFor::NotTold => String::new(),
    }
}

fn end(answer: &Answer, awaited: &Awaited) -> String {
    let (Some(first), Some(last)) = (awaited.chain.first(), awaited.chain.last()) else {
        return String::new();
    };
    let behind = match awaited.chain.len() {
        1 => "it".to_owned(),
        _ => first.who.to_string(),
    };
    match &awaited.end {
        ChainEnd::Culprit(culprit) => at_culprit(answer, culprit, (first, last), &behind),
        ChainEnd::Cycle(start) => cycle(answer, awaited, *start),
        ChainEnd::Unseen(ranks) => {
            let who = Who {
                ranks: ranks.clone(),
                names: Vec::new(),
            };
            if ranks.iter().all(|rank| answer.ended_ranks.contains(rank)) {
                ", which has ended".to_owned()
            } else {
                format!(", of which nothing was seen: it has ended, or runs on another host; look for {who}")
            }
        }
        ChainEnd::Unknown => match &last.needs {
            WaitsFor::Task(_) | WaitsFor::OneOf(..) => ", of which is not known whether it waits".to_owned(),
            WaitsFor::Anybody | WaitsFor::NotTold => ", and for whom is not known".to_owned(),
        },
    }
}

fn at_culprit(answer: &Answer, culprit: &Culprit, (first, last): (&Wait, &Wait), behind: &str) -> String {
    let who = &culprit.who;
    let one = who.count() == 1;
    let only_class = match culprit.classes[..] {
        [class] => Some(&answer.classes[class]),
        _ => None,
    };
    let ahead = match culprit.classes[..] {
        [class] if is_ahead(answer, first.class, class) => format!("ahead of {behind}"),
        _ => String::new(),
    };
    let stands = only_class.map(at).unwrap_or_default();
    let where_it_is = match (ahead.as_str(), stands.as_str()) {
        ("", stands) => stands.to_owned(),
        (ahead, "") => ahead.to_owned(),
        (ahead, stands) => format!("{ahead} {stands}"),
    };
    // Who is named though it is in a call that waits comes to it, or leaves it.
    let waits_nowhere =
        only_class.is_some_and(|class| matches!(class.position.activity, Activity::Blocked(_)));
    let does = match (&culprit.halted, one) {
        (Some(why), true) => format!("is {}", halted(why)),
        (Some(why), false) => format!("are {}", halted(why)),
        (None, true) if waits_nowhere => "does not wait there yet, or no more".to_owned(),
        (None, true) => "does not wait in MPI".to_owned(),
        (None, false) => "do not wait in MPI".to_owned(),
    };
    let look = format!("look at {who}");
    match culprit.by {
        ToldBy::Arguments if one => {
            let which = match &last.needs {
                WaitsFor::OneOf(..) => format!(", of whom {who}"),
                _ => ", which".to_owned(),
            };
            match where_it_is.as_str() {
                "" => format!("{which} {does}: {look}"),
                place => format!("{which} is {place} and {does}: {look}"),
            }
        }
        ToldBy::Arguments => format!("; of those that are waited for {who} {does}: {look}"),
        ToldBy::Served => {
            let place = match where_it_is.as_str() {
                "" => String::new(),
                place => format!(" {place}"),
            };
            format!(
                ", which is{place}: what the two do fits together, so nobody keeps {who} there, and one of them does not go on; {look}"
            )
        }
        ToldBy::OnlyOneOutside => {
            let complete =
                answer.missing_ranks.is_empty() && answer.unreadable.iter().all(|task| task.class.is_some());
            let of_seen = if complete { "" } else { " of those that were seen" };
            let is_the_only = if one {
                "is the only one"
            } else {
                "are the only ones"
            };
            let place = match where_it_is.as_str() {
                "" => String::new(),
                place => format!(", {place},"),
            };
            format!("; {who}{place} {is_the_only}{of_seen} that {does}: {look}")
        }
    }
}

fn cycle(answer: &Answer, awaited: &Awaited, start: usize) -> String {
    if awaited.chain.len() == start + 1 {
        return ", which is itself".to_owned();
    }
    let (Some(first), Some(next)) = (awaited.chain.get(start), awaited.chain.get(start + 1)) else {
        return String::new();
    };
    let of_two = awaited.chain.len() == start + 2;
    let tags = of_two
        .then(|| tags_apart(answer, first, next))
        .flatten()
        .unwrap_or_default();
    let each_other = format!(": they wait for each other{tags}, unless a message is still under way");
    // What a task that is ahead has not done for one behind it, it will not do while it waits.
    let gone_past = match first.counterpart() {
        Some(Counterpart::Send) => "send",
        Some(Counterpart::Receive) => "receive",
        None => return each_other,
    };
    let is_told = never_sent(first).is_some();
    if start == 0 && !is_told && is_ahead(answer, first.class, next.class) {
        format!(
            "{each_other}; {} is ahead: look whether it has gone past its {gone_past}",
            next.who
        )
    } else {
        each_other
    }
}

/// The tags of two operations that would be one message but for them: `, since their tags differ (7 and 9)`.
fn tags_apart(answer: &Answer, one: &Wait, other: &Wait) -> Option<String> {
    let tag = |wait: &Wait, role: Role| {
        let call = answer.classes[wait.class].position.call.as_ref()?;
        call.argument(role)?.value
    };
    let (receives, sends) = (Role::ReceiveTag, Role::SendTag);
    let pair = |of: Role, to: Role| Some((tag(one, of)?, tag(other, to)?));
    let (mine, theirs) = pair(receives, sends).or_else(|| pair(sends, receives))?;
    (mine != theirs).then(|| format!(", since their tags differ ({mine} and {theirs})"))
}

/// Whether the order proves that a class is ahead of one that is hindmost.
fn is_ahead(answer: &Answer, behind: usize, class: usize) -> bool {
    let mut hindmost = answer.hindmost.iter().filter(|hindmost| hindmost.class == behind);
    hindmost.any(|hindmost| hindmost.ahead.iter().any(|link| link.other == class))
}

fn halted(why: &HaltedBy) -> &'static str {
    match why {
        HaltedBy::Signal => "stopped",
        HaltedBy::Tracer(_) => "stopped by a debugger",
        HaltedBy::Kernel(_) => "in an uninterruptible system call",
        HaltedBy::Ended => "without its main thread, which has ended",
    }
}

/// Where a class is and what it does there: `at hybrid.c:67`, `in open (io.c:10)`.
fn at(class: &TaskClass) -> String {
    let place = place(class);
    match (&class.position.activity, place) {
        (Activity::Computing, Some(place)) => format!("at {place}"),
        (Activity::Computing, None) => String::new(),
        (Activity::Blocked(call) | Activity::Inside(call) | Activity::Joining(call), Some(place)) => {
            format!("in {call} ({place})")
        }
        (Activity::Blocked(call) | Activity::Inside(call) | Activity::Joining(call), None) => {
            format!("in {call}")
        }
    }
}

/// The line that a class is at, or its function.
fn place(class: &TaskClass) -> Option<String> {
    let position = &class.position;
    match (position.short_file.as_str(), position.line) {
        ("", _) | (_, 0) if position.function.is_empty() => None,
        ("", _) | (_, 0) => Some(position.function.clone()),
        (file, line) => Some(format!("{file}:{line}")),
    }
}
