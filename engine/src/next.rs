//! The one next step of an answer: what its reader can do now.

use crate::advice::Advice;
use crate::answer::{Answer, Grounds, Outcome};
use crate::awaited::Awaited;
use crate::state::HaltedBy;

/// Where stacks come from, which decides what can be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A job that runs on this host.
    Live,
    /// Files of an earlier moment: recorded stacks, or cores.
    Recorded,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Look at this process with a debugger.
    Attach {
        /// The process.
        pid: u32,
        /// Its rank.
        rank: Option<u32>,
        /// The host that it runs on, where the job runs on several.
        host: String,
    },
    /// Let this process go on, which a signal has stopped.
    Resume {
        /// The process.
        pid: u32,
        /// The host that it runs on, where the job runs on several.
        host: String,
    },
    /// Ask about the job of this launcher instead, where what was asked about is no parallel job.
    OtherJob {
        /// The launcher.
        pid: u32,
        /// What it is called.
        command: String,
    },
    /// Find out whether the job moves at all: look twice.
    LookTwice,
    /// What would decide the answer.
    Advice(Advice),
}

/// The next step for an answer, if there is one.
pub(crate) fn of(answer: &Answer, origin: Origin) -> Option<NextStep> {
    let named = answer
        .finding
        .as_ref()
        .and_then(|finding| finding.classes.first());
    let culprit = answer.awaited.as_ref().and_then(Awaited::culprit);
    if let (Origin::Live, Some(culprit)) = (origin, culprit)
        && let (Some(HaltedBy::Signal), Some(pid)) = (&culprit.halted, culprit.first.pid)
    {
        let host = culprit.first.host.clone();
        return Some(NextStep::Resume { pid, host });
    }
    // A debugger on a task that waits for another shows only that, so it is to be attached to the one that is waited for.
    let first = match (culprit, answer.finding.as_ref().map(|finding| &finding.grounds)) {
        (Some(culprit), _) => Some(&culprit.first),
        (
            None,
            Some(
                Grounds::AtEntry { first, .. }
                | Grounds::ThreadsBehind { first }
                | Grounds::ThreadAlone { first, .. },
            ),
        ) => Some(first),
        (None, _) => named.and_then(|&class| answer.classes.get(class)?.first.as_ref()),
    };
    let stopped = answer.halted.iter().find(|halted| halted.why == HaltedBy::Signal);
    let by_that = answer
        .finding
        .as_ref()
        .is_some_and(|finding| finding.grounds == Grounds::CannotRun);
    if let (Origin::Live, true, Some(stopped)) = (origin, by_that, stopped)
        && let Some(pid) = stopped.pid
    {
        let host = stopped.host.clone();
        return Some(NextStep::Resume { pid, host });
    }
    if origin == Origin::Live
        && let Some(first) = first
        && let Some(pid) = first.pid
    {
        return Some(NextStep::Attach {
            pid,
            rank: first.rank,
            host: first.host.clone(),
        });
    }
    if named.is_some() {
        return None;
    }
    // With one process alone there is nothing to compare.
    if let (Origin::Live, 1, Some(only)) = (origin, answer.tasks, answer.classes.first())
        && let Some(first) = &only.first
        && let Some(pid) = first.pid
    {
        return Some(NextStep::Attach {
            pid,
            rank: first.rank,
            host: first.host.clone(),
        });
    }
    let advice = answer.undecided.iter().find_map(|pair| pair.advice.clone());
    if let Some(advice) = advice {
        return Some(NextStep::Advice(advice));
    }
    let is_still = matches!(
        answer.outcome,
        Outcome::AllEqual | Outcome::Branches | Outcome::Undecided | Outcome::NotPlaced
    );
    (origin == Origin::Live && is_still && answer.motion.is_none()).then_some(NextStep::LookTwice)
}
