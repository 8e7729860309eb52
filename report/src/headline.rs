//! The first lines of an answer: who is to be looked at and why, in words for somebody who reads them for the first time.

use crate::awaited;
use crate::clean::clean;
use crate::style::{DOUBT, HINDMOST, TITLE, paint};
use crate::text::{candidates, counted, describe, doing, stands};
use crate::{hosts, threads};
use engine::{
    Activity, Answer, Certainty, Finding, Grounds, Hindmost, Line, Outcome, Parting, Position, TaskClass,
    Trouble, TroubleKind, Value, Who,
};
use std::fmt::Write as _;

/// How many classes ahead are put into plain words before the list of proofs has to do.
const IN_WORDS: usize = 4;

/// Who is to be looked at, why, and how sure that is.
pub(crate) fn headline(out: &mut String, answer: &Answer) -> std::fmt::Result {
    seen(out, answer)?;
    let is_for_that = |finding: &Finding| finding.grounds == Grounds::CannotRun;
    if !answer.finding.as_ref().is_some_and(is_for_that) {
        verdict(out, answer)?;
    }
    hosts::of_named(out, answer)?;
    // Whoever cannot run is said in any case; where nobody else is named, before anything else.
    for halted in &answer.halted {
        writeln!(out, "{}", paint(HINDMOST, clean(&crate::state::halted(halted))))?;
    }
    if let Some(finding) = answer.finding.as_ref().filter(|finding| is_for_that(finding)) {
        waiting_for(out, answer, finding)?;
    }
    outside(out, answer)?;
    kind_of_trouble(out, answer)
}

/// Who is behind by the order of the code alone, of tasks that are not all of a job.
pub(crate) fn by_order(out: &mut String, answer: &Answer) -> std::fmt::Result {
    // Who is behind may not be whom the state of the tasks names.
    if answer.finding.is_none() && answer.outcome == Outcome::Named {
        return candidates(out, answer);
    }
    verdict(out, answer)?;
    hosts::of_named(out, answer)
}

/// What kind of trouble it is, unless that was said: of two looks there is a diagnosis, and who cannot run, or waits in a circle, is described above.
fn kind_of_trouble(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let is_new = |trouble: &Trouble| {
        // The first line says where all of them are.
        let all_at_one = trouble.kind == TroubleKind::AllInMpi && answer.classes.len() == 1;
        let by_recorder = |found: &Finding| found.grounds == Grounds::Recorded;
        let deadlock_is_said =
            trouble.kind == TroubleKind::EachOther && answer.finding.as_ref().is_some_and(by_recorder);
        !all_at_one
            && !deadlock_is_said
            && !matches!(
                trouble.kind,
                TroubleKind::CannotRun | TroubleKind::Unseen(_) | TroubleKind::OwnThreads
            )
    };
    match answer.trouble().filter(is_new) {
        Some(trouble) if answer.motion.is_none() => {
            writeln!(
                out,
                "Kind of trouble: {}",
                clean(&crate::trouble::sentence(&trouble))
            )
        }
        _ => Ok(()),
    }
}

/// The sentence about the others, while the named tasks cannot run.
fn waiting_for(out: &mut String, answer: &Answer, finding: &Finding) -> std::fmt::Result {
    let others = count(answer).saturating_sub(finding.who.count());
    let words = match &finding.doubt {
        None => format!("All {others} others wait."),
        Some(doubt) => format!("Probably that is what the others wait for. Not proven: {doubt}."),
    };
    writeln!(out, "{}", clean(&words))
}

/// Those who have no place in the order, where somebody else is named by it.
fn outside(out: &mut String, answer: &Answer) -> std::fmt::Result {
    if !answer
        .finding
        .as_ref()
        .is_some_and(|found| found.grounds == Grounds::Behind)
    {
        return Ok(());
    }
    let outside = answer.classes.iter().filter(|class| class.outside.is_some());
    for class in outside.take(IN_WORDS) {
        let words = format!(
            "{} {} no place in the order and may be further behind: {}",
            capital(&class.who.to_string()),
            if class.who.count() == 1 { "has" } else { "have" },
            doing(class)
        );
        writeln!(out, "{}", paint(DOUBT, clean(&words)))?;
    }
    Ok(())
}

fn verdict(out: &mut String, answer: &Answer) -> std::fmt::Result {
    match (&answer.finding, answer.outcome) {
        (Some(finding), _) if finding.grounds == Grounds::Behind => match &answer.hindmost[..] {
            [only] => behind(out, answer, only, finding.certainty),
            several => several_behind(out, answer, several, finding.certainty),
        },
        (Some(finding), _) => named(out, answer, finding),
        (None, Outcome::Named | Outcome::NothingReadable) => {
            writeln!(out, "No answer: no task could be read")
        }
        (None, Outcome::NotPlaced) => not_placed(out, answer),
        (None, Outcome::Alone) => {
            let class = &answer.classes[0];
            writeln!(out, "Nothing to compare with: only {}", clean(&stands(class)))
        }
        (None, Outcome::AllEqual) => all_equal(out, answer),
        (None, Outcome::Branches) => {
            writeln!(
                out,
                "No hindmost: the tasks are on branches that have no order, and nobody stands out"
            )?;
            candidates(out, answer)
        }
        (None, Outcome::Undecided) => {
            writeln!(out, "{}", paint(DOUBT, "Undecided: the hindmost is among"))?;
            candidates(out, answer)
        }
    }
}

/// Several are behind all others.
fn several_behind(
    out: &mut String,
    answer: &Answer,
    several: &[Hindmost],
    certainty: Certainty,
) -> std::fmt::Result {
    let probably = match certainty {
        Certainty::Proven => "These",
        Certainty::Probable => "Probably these",
    };
    writeln!(out, "{probably} are behind, without an order among themselves:")?;
    for hindmost in several {
        let class = &answer.classes[hindmost.class];
        writeln!(out, "  {}", paint(HINDMOST, clean(&capital(&stands(class)))))?;
        in_words(out, answer, hindmost, "    ")?;
    }
    waits_for(out, answer)
}

/// Nobody has a place in the order.
fn not_placed(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let doubtful = |words: &str| paint(DOUBT, clean(words));
    match &answer.classes[..] {
        [only] if answer.tasks == 1 => return one_process(out, only),
        [only] if only.who.count() == 1 => {
            let words = format!("Nothing to compare with: {}", stands(only));
            writeln!(out, "{}", doubtful(&words))?;
        }
        [only] => {
            let words = format!("All are alike: {}", stands(only));
            writeln!(out, "{}", doubtful(&words))?;
        }
        _ => {
            writeln!(out, "{}", paint(DOUBT, "No order, and nobody stands out:"))?;
            candidates(out, answer)?;
        }
    }
    let reason = answer.classes.iter().find_map(|class| class.outside.as_deref());
    writeln!(
        out,
        "Why there is no order: {}",
        clean(reason.unwrap_or_default())
    )
}

/// The pid that was given is not that of a launcher.
fn one_process(out: &mut String, only: &TaskClass) -> std::fmt::Result {
    let words = format!("One process, and no other to compare it with: {}", stands(only));
    writeln!(out, "{}", paint(DOUBT, clean(&words)))?;
    let is_rank = only.first.as_ref().is_some_and(|first| first.rank.is_some());
    if is_rank {
        writeln!(
            out,
            "  It is one rank of a job; the pid of the launcher shows all."
        )
    } else {
        writeln!(
            out,
            "  It is no rank of a parallel job, as far as its environment tells."
        )
    }
}

/// How much of the job was seen, where that is not all of it.
fn seen(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let unseen = answer
        .unreadable
        .iter()
        .filter(|task| task.class.is_none())
        .count();
    let missing = usize::try_from(answer.missing_ranks.len()).unwrap_or(usize::MAX);
    if unseen == 0 && missing == 0 {
        return Ok(());
    }
    let whole = answer.tasks.saturating_add(missing);
    let others = if unseen == 0 && answer.ended_ranks == answer.missing_ranks {
        "the others have ended"
    } else {
        "any of the others may be further behind"
    };
    let words = format!("Saw {} of {whole} tasks: {others}.", answer.tasks - unseen);
    writeln!(out, "{}", paint(DOUBT, words))
}

fn behind(out: &mut String, answer: &Answer, hindmost: &Hindmost, certainty: Certainty) -> std::fmt::Result {
    let class = &answer.classes[hindmost.class];
    let is_are = if class.who.count() == 1 { "is" } else { "are" };
    let others = count(answer) - class.who.count();
    let ahead = hindmost
        .ahead
        .iter()
        .map(|link| answer.classes[link.other].who.count());
    let ahead: u64 = ahead.sum();
    let of_whom = match (others, ahead) {
        (0, _) => "the only task".to_owned(),
        (1, 1) => "behind the other one".to_owned(),
        (others, ahead) if others == ahead => format!("behind all {others} others"),
        (others, ahead) => format!("behind {ahead} of the {others} others"),
    };
    let only_one = class.who.count() == 1;
    let awaited = answer.awaited.as_ref().filter(|_| only_one);
    let does = match awaited {
        Some(awaited) => format!("{}.", awaited::clause(answer, awaited, "it")),
        None => doing(class),
    };
    let (style, who) = match certainty {
        Certainty::Proven => (HINDMOST, capital(&class.who.to_string())),
        Certainty::Probable => (DOUBT, format!("Probably {}", class.who)),
    };
    let words = format!("{who} {is_are} {of_whom}: {does}");
    writeln!(out, "{}", paint(style, clean(&words)))?;
    if !only_one {
        waits_for(out, answer)?;
    }
    in_words(out, answer, hindmost, "  ")
}

/// Whom those that are named wait for, where the first line does not say it.
fn waits_for(out: &mut String, answer: &Answer) -> std::fmt::Result {
    match &answer.awaited {
        Some(awaited) => {
            let words = awaited::sentence(answer, awaited);
            writeln!(out, "{}", paint(HINDMOST, clean(&words)))
        }
        None => Ok(()),
    }
}

/// How many tasks have a class.
fn count(answer: &Answer) -> u64 {
    answer.classes.iter().map(|class| class.who.count()).sum()
}

/// What stands between a hindmost class and those ahead of it, as plain sentences.
fn in_words(out: &mut String, answer: &Answer, hindmost: &Hindmost, indent: &str) -> std::fmt::Result {
    let class = &answer.classes[hindmost.class];
    let mut lines: Vec<AtLines<'_>> = Vec::new();
    let mut others = Vec::new();
    for link in hindmost.ahead.iter().take(IN_WORDS) {
        let other = &answer.classes[link.other];
        match &link.parting {
            Some(Parting::Iteration {
                in_loop,
                variable,
                behind,
                ahead,
            }) => {
                let words = format!(
                    "{} {} in iteration {variable}={behind} of the loop at {}, {} in {variable}={ahead}",
                    capital(&class.who.to_string()),
                    is_are(&class.who),
                    place(in_loop),
                    other.who,
                );
                others.push(words);
            }
            Some(Parting::Line {
                within,
                behind,
                ahead,
            }) => {
                let known = lines
                    .iter_mut()
                    .find(|known| known.within == within.as_ref() && known.behind == behind);
                match known {
                    Some(known) => known.ahead.push((&other.who, ahead)),
                    None => lines.push(AtLines {
                        within: within.as_ref(),
                        behind,
                        ahead: vec![(&other.who, ahead)],
                    }),
                }
            }
            None => {}
        }
    }
    for each in lines {
        let words = each.words(&class.who, count(answer));
        writeln!(out, "{indent}{}", clean(&words))?;
    }
    let mut others = others.iter();
    others.try_for_each(|words| writeln!(out, "{indent}{}.", clean(words)))
}

/// Classes that are ahead of one line, all in the same iteration.
struct AtLines<'a> {
    within: Option<&'a (Line, String, Value)>,
    behind: &'a Line,
    ahead: Vec<(&'a Who, &'a Line)>,
}

impl AtLines<'_> {
    fn words(&self, who: &Who, total: u64) -> String {
        let mut words = String::new();
        let ahead: u64 = self.ahead.iter().map(|(who, _)| who.count()).sum();
        let mut last_file = String::new();
        // The file is named where it is another than the one before.
        let mut spell = |line: &Line| {
            let words = if line.short_file == last_file {
                format!("line {}", line.line)
            } else {
                place(line)
            };
            last_file.clone_from(&line.short_file);
            words
        };
        let own = who.to_string();
        match self.within {
            Some((in_loop, variable, value)) => {
                let (both, own) = if ahead + who.count() == total {
                    ("All".to_owned(), capital(&own))
                } else {
                    let others = self.ahead.iter().map(|(who, _)| who.to_string());
                    let others = Vec::from_iter(others).join(", ");
                    (format!("{} and {others}", capital(&own)), capital(&own))
                };
                let at = spell(in_loop);
                let _ = write!(
                    words,
                    "{both} are in iteration {variable}={value} of the loop at {at}. {own}"
                );
            }
            None => words.push_str(&capital(&own)),
        }
        let _ = write!(words, " {} still at {}; ", is_are(who), spell(self.behind));
        for (index, (who, line)) in self.ahead.iter().enumerate() {
            let has = match (index, who.count()) {
                (0, 1) => " has reached",
                (0, _) => " have reached",
                _ => "",
            };
            let between = if index == 0 { "" } else { ", " };
            let _ = write!(words, "{between}{who}{has} {}", spell(line));
        }
        words.push('.');
        words
    }
}

/// What is probable, or certain by another witness than the order.
fn named(out: &mut String, answer: &Answer, finding: &Finding) -> std::fmt::Result {
    let style = match finding.certainty {
        Certainty::Proven => HINDMOST,
        Certainty::Probable => DOUBT,
    };
    let sure = match finding.certainty {
        Certainty::Proven => "",
        Certainty::Probable => "Probably ",
    };
    if let Grounds::NotEntered { calls, waiting } = &finding.grounds {
        held_up(out, answer, finding, (calls, *waiting))?;
        return doubts(out, answer, finding);
    }
    if let (Grounds::Recorded, Some(waiting)) = (&finding.grounds, &answer.waiting) {
        let words = crate::waits::headline(waiting);
        writeln!(out, "{}", paint(style, clean(&words)))?;
        for line in crate::waits::beside(waiting) {
            writeln!(out, "  {line}")?;
        }
        return doubts(out, answer, finding);
    }
    if let Grounds::ThreadsBehind { .. } = &finding.grounds {
        return by_threads(out, answer, finding);
    }
    if let Grounds::AtEntry { others_in, .. } = &finding.grounds {
        at_entry(out, answer, finding, others_in)?;
        return doubts(out, answer, finding);
    }
    if let Grounds::ThreadAlone { doing, others_in, .. } = &finding.grounds {
        by_thread_alone(out, answer, finding, (doing, others_in))?;
        return doubts(out, answer, finding);
    }
    let others = match &finding.grounds {
        Grounds::AloneOutside { others_in } | Grounds::AloneElsewhere { others_in } => {
            elsewhere(answer, finding, others_in)
        }
        Grounds::OnlyOneLeft => match answer.ended_ranks.len() {
            1 => "; the other one has ended".to_owned(),
            count => format!("; the other {count} have ended"),
        },
        Grounds::Behind
        | Grounds::CannotRun
        | Grounds::NotEntered { .. }
        | Grounds::AtEntry { .. }
        | Grounds::Recorded
        | Grounds::ThreadsBehind { .. }
        | Grounds::ThreadAlone { .. } => String::new(),
    };
    match finding.classes[..] {
        [only] => {
            let class = &answer.classes[only];
            let alone = match class.who.count() {
                1 => "it alone is",
                _ => "they alone are",
            };
            let who = class.who.to_string();
            let who = if sure.is_empty() { capital(&who) } else { who };
            let words = format!("{sure}{who}: {alone} {}{others}", doing(class));
            writeln!(out, "{}", paint(style, clean(&words)))?;
        }
        _ => {
            let title = format!("{sure}one of these{others}:");
            writeln!(out, "{}", paint(style, capital(&title)))?;
            for &class in &finding.classes {
                writeln!(out, "  {}", clean(&stands(&answer.classes[class])))?;
            }
        }
    }
    waits_for(out, answer)?;
    doubts(out, answer, finding)
}

/// Those whose threads are behind, where everybody's main thread waits for such: `Rank 2 is behind by a thread of its own: computing in
/// pack at courier.c:43`, why, and what the main threads do.
fn by_threads(out: &mut String, answer: &Answer, finding: &Finding) -> std::fmt::Result {
    let class = &answer.classes[0];
    let of_own = match finding.who.count() {
        1 => "a thread of its own",
        _ => "threads of their own",
    };
    for found in &class.threads_behind {
        let words = format!(
            "{} {} behind by {of_own}: {}",
            capital(&finding.who.to_string()),
            is_are(&finding.who),
            describe(&found.position)
        );
        writeln!(out, "{}", paint(HINDMOST, clean(&words)))?;
        let why = format!("  Behind the threads of {}: {}", found.ahead, found.reason);
        writeln!(out, "{}", clean(&why))?;
    }
    let words = format!("  The main threads of all are {}", describe(&class.position));
    writeln!(out, "{}", clean(&words))
}

/// Those of which some thread does not wait, where everybody's main thread waits for its own: `Probably rank 1: a thread of its own is in pause
/// called from stall at courier.c:9; threads of the other 3 wait in MPI_Sendrecv`.
fn by_thread_alone(
    out: &mut String,
    answer: &Answer,
    finding: &Finding,
    (doing, others_in): (&Position, &[String]),
) -> std::fmt::Result {
    let of_own = match finding.who.count() {
        1 => "a thread of its own is",
        _ => "threads of their own are",
    };
    let others = match count(answer) - finding.who.count() {
        1 => "a thread of the other one waits".to_owned(),
        others => format!("threads of the other {others} wait"),
    };
    let words = format!(
        "Probably {}: {of_own} {}; {others} in {}",
        finding.who,
        describe(doing),
        others_in.join(" and ")
    );
    writeln!(out, "{}", paint(DOUBT, clean(&words)))?;
    let main = describe(&answer.classes[finding.classes[0]].position);
    writeln!(out, "  {}", clean(&format!("The main threads of all are {main}")))
}

/// Those that are in MPI, but not where it waits: `Probably rank 2: it alone is at the start or end of MPI_Send (ring.c:40), where nobody
/// waits; the other 3 wait inside MPI_Send`.
fn at_entry(out: &mut String, answer: &Answer, finding: &Finding, others_in: &[String]) -> std::fmt::Result {
    let alone = match finding.who.count() {
        1 => "it alone is",
        _ => "they alone are",
    };
    let at = finding.classes.iter().map(|&class| {
        let position = &answer.classes[class].position;
        let call = match &position.activity {
            Activity::Blocked(call) | Activity::Inside(call) | Activity::Joining(call) => call.as_str(),
            Activity::Computing => "a call of MPI",
        };
        match (position.short_file.as_str(), position.line) {
            ("", _) | (_, 0) => call.to_owned(),
            (file, line) => format!("{call} ({file}:{line})"),
        }
    });
    let at = Vec::from_iter(at).join(" or ");
    let others = match count(answer) - finding.who.count() {
        1 => "the other one waits".to_owned(),
        others => format!("the other {others} wait"),
    };
    let words = format!(
        "Probably {}: {alone} at the start or end of {at}, where nobody waits; {others} inside {}",
        finding.who,
        others_in.join(" and ")
    );
    writeln!(out, "{}", paint(DOUBT, clean(&words)))
}

/// Why it is not proven, and what would prove it.
fn doubts(out: &mut String, answer: &Answer, finding: &Finding) -> std::fmt::Result {
    if let Some(doubt) = &finding.doubt {
        writeln!(out, "{}", clean(&format!("Not proven: {doubt}")))?;
    }
    // Where the open questions are listed, they have their advice.
    match finding.remedy.as_ref().filter(|_| answer.undecided.is_empty()) {
        Some(remedy) => writeln!(out, "To prove it: {}", clean(&remedy.to_string())),
        None => Ok(()),
    }
}

/// Those of whom MPI proves that the others wait for them: `Rank 1 is behind all 3 others: it is in open() (io.c:10)`, and why.
fn held_up(
    out: &mut String,
    answer: &Answer,
    finding: &Finding,
    (calls, waiting): (&[String], u64),
) -> std::fmt::Result {
    let named = finding.who.count();
    let others = count(answer) - named;
    let of_whom = match others {
        1 => "behind the other one".to_owned(),
        others => format!("behind all {others} others"),
    };
    let (style, who) = match finding.certainty {
        Certainty::Proven => (HINDMOST, capital(&finding.who.to_string())),
        Certainty::Probable => (DOUBT, format!("Probably {}", finding.who)),
    };
    let is_are = is_are(&finding.who);
    match finding.classes[..] {
        [only] => {
            let words = format!("{who} {is_are} {of_whom}: {}", doing(&answer.classes[only]));
            writeln!(out, "{}", paint(style, clean(&words)))?;
        }
        _ => {
            let words = format!("{who} are {of_whom}, without an order among themselves:");
            writeln!(out, "{}", paint(style, clean(&words)))?;
            for &class in &finding.classes {
                writeln!(out, "  {}", clean(&capital(&stands(&answer.classes[class]))))?;
            }
        }
    }
    waits_for(out, answer)?;
    let wait = match (waiting, others) {
        (1, 1) => "the other one waits".to_owned(),
        (waiting, others) if waiting == others => "the others wait".to_owned(),
        (1, _) => "one of the others waits".to_owned(),
        (waiting, _) => format!("{waiting} of the others wait"),
    };
    let all = if named == 1 { "it has" } else { "all of these have" };
    let rest = if waiting == others {
        ""
    } else {
        "; the rest is ahead by the order of the code"
    };
    let words = format!(
        "  By the rules of MPI: {wait} in {}, which nobody leaves before {all} entered it{rest}.",
        calls.join(" and ")
    );
    writeln!(out, "{}", clean(&words))
}

/// What those do that are not named: `; the other 3 wait in MPI_Allreduce`.
fn elsewhere(answer: &Answer, finding: &Finding, calls: &[String]) -> String {
    let named = finding.classes.iter().map(|&at| answer.classes[at].who.count());
    let others = count(answer) - named.sum::<u64>();
    let verb = match (&finding.grounds, others) {
        (Grounds::AloneOutside { .. }, 1) => "waits",
        (Grounds::AloneOutside { .. }, _) => "wait",
        (_, 1) => "is",
        _ => "are",
    };
    let what = match calls {
        [] => format!("{verb} elsewhere"),
        calls => format!("{verb} in {}", calls.join(" and ")),
    };
    match others {
        0 => String::new(),
        1 => format!("; the other one {what}"),
        others => format!("; the other {others} {what}"),
    }
}

fn all_equal(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let class = &answer.classes[0];
    let at = describe(&class.position);
    let everybody = if answer.missing_ranks.is_empty() && answer.unreadable.is_empty() {
        "all are"
    } else {
        "all that were seen are"
    };
    if class.threads_behind.is_empty() {
        let nobody = if answer.missing_ranks.is_empty() && answer.unreadable.is_empty() {
            "Nobody is behind"
        } else {
            "No order among those that were seen"
        };
        writeln!(out, "{}", clean(&format!("{nobody}: {everybody} {at}")))?;
        // What a library does with such a call may be long, and may call the program back.
        let within = match &class.position.activity {
            Activity::Inside(callee) => format!("; how far each is inside of {callee} is not known"),
            _ => String::new(),
        };
        let words = format!("{everybody} at the same point of the same iteration{within}");
        writeln!(out, "  {}", clean(&words))?;
        return match (&class.position.activity, answer.missing_ranks.is_empty()) {
            (Activity::Blocked(_), false) => writeln!(
                out,
                "  They wait for somebody who was not seen, as it seems: of {} nothing is known",
                Who {
                    ranks: answer.missing_ranks.clone(),
                    names: Vec::new()
                }
            ),
            _ => Ok(()),
        };
    }
    writeln!(
        out,
        "{}",
        clean(&format!("Nobody is behind by the main threads: {everybody} {at}"))
    )?;
    threads::behind(out, class, "  ")
}

/// The proofs that a reader can check: one line for each class ahead of a hindmost one.
pub(crate) fn proofs(out: &mut String, answer: &Answer) -> std::fmt::Result {
    if answer.hindmost.is_empty() {
        return Ok(());
    }
    let is_worth_a_title = answer.hindmost.iter().any(|hindmost| {
        let class = &answer.classes[hindmost.class];
        !hindmost.ahead.is_empty() || !class.threads_behind.is_empty() || class.unordered.is_some()
    });
    if !is_worth_a_title {
        return Ok(());
    }
    writeln!(out, "\n{}", paint(TITLE, "Proof, by the order of the code:"))?;
    for hindmost in &answer.hindmost {
        crate::text::behind(out, answer, hindmost, "  ")?;
    }
    Ok(())
}

/// What to do next, as the last line.
pub(crate) fn next_step(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let Some(step) = &answer.next else { return Ok(()) };
    let words = crate::next::words(step);
    writeln!(out, "\n{} {}", paint(TITLE, "Next:"), clean(&words))
}

fn is_are(who: &Who) -> &'static str {
    if who.count() == 1 { "is" } else { "are" }
}

fn place(line: &Line) -> String {
    format!("{}:{}", line.short_file, line.line)
}

/// With a capital letter.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// How much was seen, in figures: `32 tasks in 4 classes`.
pub(crate) fn figures(answer: &Answer) -> String {
    let tasks = counted(answer.tasks, "task", "tasks");
    let classes = counted(answer.classes.len(), "class", "classes");
    format!("{tasks} in {classes}")
}
