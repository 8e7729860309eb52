//! What the semantics of MPI prove about a job that stands still, without any knowledge of its code.
//!
//! Input: what each task was seen to do. Output: facts with their certainty. Three rules:
//!
//! - **Behind.** From a collective operation to which every part contributes data, nobody leaves before all have entered
//!   (MPI 4.0, section 6.1, as a consequence of what each part receives). A task that stands still inside one on a
//!   communicator, and a member of that communicator that is in no operation of it: had that member left the operation,
//!   all would have entered it, and MPI would complete it. So the member has not entered it yet.
//! - **Deadlock.** The greatest set of tasks in which each waits for a task of the set: for all tasks of its
//!   need (a collective, a receive with a named source) it is enough that one is in the set; for a receive from any source,
//!   all that could send must be in it.
//! - **Served.** A task that stands in the operation which another one waits for keeps nobody waiting by anything but itself ([`serves`]): a
//!   chain of waits ends there.
//!
//! What is not proven is inferred elsewhere: [`progress`] compares what tasks did before.
//!
//! Both assume that MPI completes what all have entered ([`Completion`]), that a task said to stand still does, and that the
//! program calls matching collectives in the same order on all members of a communicator, as MPI demands.
//! The crate reads nothing and sees no other crate.
//!
//! # How it works
//!
//! `engine::waits` turns stacks into its input, one task for each class; of deadlocks it asks nothing
//! yet. Whether a library completes what all have entered without help of those who left (`Completion`) is for the
//! caller to say; unless that has been measured, nothing about collectives is proven and no deadlock is named.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod chain;
mod deadlock;
mod exact;
mod message;
pub mod progress;
pub mod recorded;
mod scc;
mod state;
mod whom;

pub use deadlock::deadlocked;
pub use exact::{
    Differ, Edge, Likely, Mismatch, Side, Transfer, WaitGraph, Why, wait_graph, wait_graph_and_work,
};
pub use message::{Does, Half, Peer, Tag, Truth, serves};
pub use state::{Activity, Communicator, Completion, Data, Operation, Rank, Source, Task};
pub use whom::{ListId, Union, Whom};

/// How sure a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It follows from the semantics of MPI under the caller's stated assumption, but part of what it needs is not known.
    Probable,
    /// It holds whenever the tasks do what the input says.
    Proven,
}

/// Who asks again and again may do other things in between, so that no wait of it is proven.
fn certainty_of(how: recorded::How) -> Certainty {
    match how {
        recorded::How::Blocked => Certainty::Proven,
        recorded::How::Polling => Certainty::Probable,
    }
}

/// One task has not entered a collective operation in which another one stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The task that has not entered.
    pub who: Rank,
    /// The task that stands still inside.
    pub whom: Rank,
    /// How sure it is.
    pub certainty: Certainty,
}

/// All pairs of which the semantics of collective operations say that one is behind the other, in the order of `tasks`.
/// Tasks that are missing from `tasks` are never named. Quadratic in the number of tasks: callers give one task per class.
///
/// `completion` bounds the certainty: a library that may need a task's help after it left an operation can leave another
/// inside although all have entered, so that nothing is proven there.
#[must_use]
pub fn behind(tasks: &[Task], completion: Completion) -> Vec<Behind> {
    let mut facts = Vec::new();
    for inside in tasks {
        let Some((communicator, data)) = inside.stands_in_complete_collective() else {
            continue;
        };
        for outside in tasks {
            if outside.rank == inside.rank || outside.may_be_in(communicator) {
                continue;
            }
            let member = communicator.has(outside.rank);
            if member == Some(false) {
                continue;
            }
            let proven =
                member == Some(true) && data == Data::EveryPart && completion == Completion::Independent;
            let certainty = if proven {
                Certainty::Proven
            } else {
                Certainty::Probable
            };
            facts.push(Behind {
                who: outside.rank,
                whom: inside.rank,
                certainty,
            });
        }
    }
    facts
}
