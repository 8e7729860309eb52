//! Whom those that are named wait for.
//!
//! Who is behind may be a victim: it waits in MPI for a message of a task that is ahead of it and that never sends it. Nothing of the order
//! changes by that, but a person should look at the other one. So from each task that is named the waits are followed, from task to task, until
//! one is found that does not wait in MPI, or that cannot run, or that stands in the very operation which is waited for; or until they come back to a
//! task that was passed; or until nothing tells whom the next one waits for.
//!
//! A call tells whom it waits for by its arguments, where their values were read and its communicator is `MPI_COMM_WORLD`: the source of what
//! receives, the destination of what sends. Of a collective call it is whoever is proven not to have entered it. A request and another communicator
//! tell nothing, and `MPI_ANY_SOURCE` means anybody: then the tasks that do not wait in MPI are looked at, if they are few.

mod cycle;
#[cfg(test)]
mod slowly;
mod tasks;
mod walk;

use crate::Sends;
use crate::Who;
use crate::answer::{Certainty, Finding, FirstTask, Grounds};
use crate::assemble::JobView;
use crate::state::HaltedBy;
use crate::waits::{Member, NotEntered};
use base::RankSet;
use library::Part;
use tasks::Tasks;
pub(crate) use tasks::peers;
use walk::Walk;

/// Whom a task that is named waits for, from one to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Who waits, the first of them named: each waits for the next, and [`Awaited::end`] says for whom the last one does. Never empty.
    pub chain: Vec<Wait>,
    /// Where it ends.
    pub end: ChainEnd,
}

/// A task that waits in MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Its class, as an index into [`Answer::classes`](crate::Answer::classes).
    pub class: usize,
    /// The task.
    pub who: Who,
    /// The MPI function that it is in, by its `MPI_` name.
    pub call: String,
    /// What it waits for.
    pub needs: WaitsFor,
    /// Where that is a message of one task: the sends that could be it, and whether that task can still come to one.
    pub sends: Option<Sends>,
}

/// The call by which another task would do its part for one that sends or receives a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counterpart {
    /// A send.
    Send,
    /// A receive.
    Receive,
}

impl Wait {
    /// The other side's call, where the task waits for nothing but the one message that its call sends or receives.
    pub fn counterpart(&self) -> Option<Counterpart> {
        let row = library::function(&self.call).filter(|row| row.wait == library::Wait::Tasks)?;
        match row.part {
            Part::Receives | Part::Probes | Part::Takes => Some(Counterpart::Send),
            Part::Sends => Some(Counterpart::Receive),
            _ => None,
        }
    }
}

/// What a task waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// That this task does its part.
    Task(Who),
    /// That one of these, of whom the first is followed, does its part: the others may have done theirs already.
    OneOf(Who, Who),
    /// A message of whoever sends one: `MPI_ANY_SOURCE`.
    Anybody,
    /// The call does not tell.
    NotTold,
}

/// Where a chain of waits ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// At those who keep all the others waiting.
    Culprit(Culprit),
    /// The last one waits for the one at this index of the chain, by the arguments of their calls.
    Cycle(usize),
    /// The last one waits for ranks of which nothing was seen.
    Unseen(RankSet),
    /// Nobody stands out, or what the next task does is not known.
    Unknown,
}

/// Tasks that others wait for, and that do not wait in MPI for anybody themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// Their classes, as indices into [`Answer::classes`](crate::Answer::classes), sorted.
    pub classes: Vec<usize>,
    /// The tasks.
    pub who: Who,
    /// The first of them.
    pub first: FirstTask,
    /// Why it does not go on, if it cannot run.
    pub halted: Option<HaltedBy>,
    /// How it is known that they are waited for.
    pub by: ToldBy,
    /// How sure that is, of a job that stands still.
    pub certainty: Certainty,
}

/// How it is known who is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldBy {
    /// Each call of the chain tells the next task by its arguments, or by the rules of collective calls.
    Arguments,
    /// All other tasks wait in MPI.
    OnlyOneOutside,
    /// Its operation of MPI and that of the last task of the chain belong together, so that no other task keeps it there: one of the two
    /// does not go on for a reason of its own.
    Served,
}

impl Awaited {
    /// Those who are to be looked at, if the chain ends at them.
    pub fn culprit(&self) -> Option<&Culprit> {
        match &self.end {
            ChainEnd::Culprit(culprit) => Some(culprit),
            _ => None,
        }
    }
}

/// What the chain takes for granted.
pub(crate) const ASSUMPTION: &str = "those that wait in MPI stand still, and MPI delivers what was sent";

/// The waits of the tasks of a finding, as they begin.
pub(crate) struct Waiting<'j, 'a> {
    tasks: Tasks<'j, 'a>,
    walk: Walk,
}

/// Where the waits of the tasks of a finding begin; nothing if these do not wait in MPI. `members` are the tasks by class.
pub(crate) fn begun<'j, 'a>(
    job: &'j JobView<'a>,
    members: &'j [Vec<Member<'j>>],
    not_entered: &'j [NotEntered],
    has_moved: &'j dyn Fn(usize) -> bool,
    finding: &Finding,
) -> Option<Waiting<'j, 'a>> {
    // Who cannot run, or is named for not waiting, waits for nobody.
    if matches!(
        finding.grounds,
        Grounds::CannotRun
            | Grounds::AloneOutside { .. }
            | Grounds::AtEntry { .. }
            | Grounds::ThreadsBehind { .. }
            | Grounds::ThreadAlone { .. }
            | Grounds::Recorded
    ) {
        return None;
    }
    let tasks = Tasks::new(job, members, not_entered, has_moved);
    let mut walk = Walk::default();
    for &class in &finding.classes {
        // Of the tasks at one point of the program, those that are entering or leaving the call keep those waiting that are inside it.
        for at in tasks.of_class(class).filter(|&at| !tasks.is_at_entry(at)) {
            if !tasks.standing(at).waits() {
                return None;
            }
            walk.reach(at, None);
        }
    }
    Some(Waiting { tasks, walk })
}

impl Waiting<'_, '_> {
    /// Whom they wait for, each task being among those that are known.
    pub(crate) fn followed(self) -> Option<Awaited> {
        let Self { tasks, mut walk } = self;
        walk.follow(&tasks);
        // What every test of an answer comes by.
        #[cfg(test)]
        slowly::check(&walk, &tasks);
        walk.result(&tasks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_two_sides() {
        let counterpart = |call: &str| {
            let who = Who::default();
            let wait = Wait {
                class: 0,
                who,
                call: call.to_owned(),
                needs: WaitsFor::NotTold,
                sends: None,
            };
            wait.counterpart()
        };
        for call in ["MPI_Recv", "MPI_Probe", "MPI_Mprobe"] {
            assert_eq!(counterpart(call), Some(Counterpart::Send), "{call}");
        }
        for call in ["MPI_Send", "MPI_Ssend", "MPI_Rsend"] {
            assert_eq!(counterpart(call), Some(Counterpart::Receive), "{call}");
        }
        for call in [
            "MPI_Bsend",
            "MPI_Isend",
            "MPI_Irecv",
            "MPI_Mrecv",
            "MPI_Sendrecv",
            "MPI_Wait",
            "MPI_Barrier",
            "f",
        ] {
            assert_eq!(counterpart(call), None, "{call}");
        }
    }
}
