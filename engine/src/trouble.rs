//! What kind of trouble a job is in, as far as one look tells.
//!
//! It follows from who is named, or whom those wait for, and from what that one does: whether it computes, sleeps in a system call, or waits for threads
//! of its own. Whether somebody who computes will ever end takes a second look.

use crate::Who;
use crate::answer::{Activity, Answer, Grounds, TaskClass};
use crate::awaited::{Awaited, ChainEnd};
use crate::blocking::is_test;
use crate::recorded::Verdict;
use crate::state::LockHolder;
use base::RankSet;
use library::system_calls::{self, Awaits};
use snapshot::RunState;

/// A kind of trouble, and whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// Whom to look at: those who are named, or whom these wait for; all tasks for [`TroubleKind::AllInMpi`].
    pub who: Who,
    /// What is the matter with them.
    pub kind: TroubleKind,
}

/// A kind of trouble.
#[derive(Clone, Debug, PartialEq)]
pub enum TroubleKind {
    /// They cannot run: [`Answer::halted`] says why.
    CannotRun,
    /// They wait for each other.
    EachOther,
    /// They wait for these, of which nothing was seen.
    Unseen(RankSet),
    /// They compute.
    Computing,
    /// They read, write, or wait for a file or a connection, in this system call.
    InputOutput(String),
    /// They sleep for a time, in this system call.
    Asleep(String),
    /// They wait for a signal, in this system call.
    Signal(String),
    /// They wait for a lock that this thread of their own holds.
    Lock(LockHolder),
    /// They wait for other threads of their own.
    OwnThreads,
    /// They wait for a process that they have started, in this system call.
    Child(String),
    /// They sleep in another system call.
    SystemCall(String),
    /// All are inside of MPI, and nobody is outside.
    AllInMpi,
}

/// The kind of trouble of a job, if it can be told.
pub(crate) fn of(answer: &Answer) -> Option<Trouble> {
    let finding = answer.finding.as_ref();
    if let Some(finding) = finding.filter(|finding| finding.grounds == Grounds::CannotRun) {
        return Some(Trouble {
            who: finding.who.clone(),
            kind: TroubleKind::CannotRun,
        });
    }
    if let (Some(waiting), Some(finding)) = (&answer.waiting, finding)
        && finding.grounds == Grounds::Recorded
        && let Verdict::Deadlock(..) = waiting.verdict()
    {
        return Some(Trouble {
            who: finding.who.clone(),
            kind: TroubleKind::EachOther,
        });
    }
    match answer.awaited.as_ref().map(|awaited| &awaited.end) {
        Some(ChainEnd::Cycle(start)) => return Some(each_other(answer.awaited.as_ref()?, *start)),
        Some(ChainEnd::Unseen(ranks)) => {
            let last = answer.awaited.as_ref()?.chain.last()?;
            return Some(Trouble {
                who: last.who.clone(),
                kind: TroubleKind::Unseen(ranks.clone()),
            });
        }
        _ => {}
    }
    let culprit = answer.awaited.as_ref().and_then(Awaited::culprit);
    let (who, classes) = match (culprit, finding) {
        (Some(culprit), _) if culprit.halted.is_some() => {
            return Some(Trouble {
                who: culprit.who.clone(),
                kind: TroubleKind::CannotRun,
            });
        }
        (Some(culprit), _) => (&culprit.who, &culprit.classes),
        (None, Some(finding)) => (&finding.who, &finding.classes),
        (None, None) => return all_in_mpi(answer),
    };
    let [class] = classes[..] else { return None };
    let class = answer.classes.get(class)?;
    if waits(class) {
        return all_in_mpi(answer);
    }
    kind_of(class).map(|kind| Trouble {
        who: who.clone(),
        kind,
    })
}

fn each_other(awaited: &Awaited, start: usize) -> Trouble {
    let members = awaited.chain.get(start..).unwrap_or_default();
    Trouble {
        who: Who::of_all(members.iter().map(|wait| &wait.who)),
        kind: TroubleKind::EachOther,
    }
}

/// That nobody is outside of MPI, if all tasks were seen.
fn all_in_mpi(answer: &Answer) -> Option<Trouble> {
    let all_seen =
        answer.missing_ranks.is_empty() && answer.unreadable.iter().all(|task| task.class.is_some());
    let all_wait = answer.classes.iter().all(waits);
    let several = answer.classes.iter().map(|class| class.who.count()).sum::<u64>() > 1;
    (all_seen && all_wait && several).then(|| Trouble {
        who: Who::of_all(answer.classes.iter().map(|class| &class.who)),
        kind: TroubleKind::AllInMpi,
    })
}

/// Whether the tasks of a class wait in MPI, or ask it again and again.
fn waits(class: &TaskClass) -> bool {
    match &class.position.activity {
        Activity::Blocked(call) => base::is_mpi(call),
        Activity::Inside(call) => is_test(call),
        Activity::Computing | Activity::Joining(_) => false,
    }
}

/// What tasks do that are outside of MPI.
fn kind_of(class: &TaskClass) -> Option<TroubleKind> {
    if let Some(holder) = class.state.as_ref().and_then(|state| state.lock.clone()) {
        return Some(TroubleKind::Lock(holder));
    }
    if matches!(class.position.activity, Activity::Joining(_)) {
        return Some(TroubleKind::OwnThreads);
    }
    let [group] = &class.state.as_ref()?.groups[..] else {
        return None;
    };
    match (group.run, &group.system_call) {
        (RunState::Running, _) => Some(TroubleKind::Computing),
        (RunState::Sleeping, Some(call)) => Some(of_system_call(call)),
        _ => None,
    }
}

fn of_system_call(call: &str) -> TroubleKind {
    let name = call.to_owned();
    match system_calls::by_name(call).map(|call| call.awaits) {
        Some(Awaits::Time) => TroubleKind::Asleep(name),
        Some(Awaits::Signal) => TroubleKind::Signal(name),
        Some(Awaits::Child) => TroubleKind::Child(name),
        Some(Awaits::Threads) => TroubleKind::OwnThreads,
        Some(Awaits::InputOutput) => TroubleKind::InputOutput(name),
        Some(Awaits::Process | Awaits::Unknown) | None => TroubleKind::SystemCall(name),
    }
}
