//! The greatest set of tasks that wait only for each other.
//!
//! Formally: the greatest fixpoint of S = { t : t needs one of several, all in S; or t needs all of several, one in S }.

use crate::state::{Activity, Communicator, Completion, Data, Operation, Rank, Source, Task};

/// What must happen before a task goes on.
enum Need {
    /// Each of these has to do something first.
    All(Vec<Rank>),
    /// One of these is enough.
    One(Vec<Rank>),
}

/// The tasks that can never go on, because each waits for another of them; sorted. A task with several threads, one that
/// does not stand still, and one whose operation is not understood is never named, and saves those who wait for it alone.
/// Empty if the library may leave a task inside an operation that all have entered.
#[must_use]
pub fn deadlocked(tasks: &[Task], completion: Completion) -> Vec<Rank> {
    if completion == Completion::MayNeedHelp {
        return Vec::new();
    }
    let mut set: Vec<(Rank, Need)> = tasks
        .iter()
        .filter_map(|task| Some((task.rank, need(task, tasks)?)))
        .collect();
    set.sort_by_key(|(rank, _)| *rank);
    loop {
        let ranks: Vec<Rank> = set.iter().map(|(rank, _)| *rank).collect();
        let held = |rank: &Rank| ranks.binary_search(rank).is_ok();
        set.retain(|(_, need)| match need {
            Need::All(others) => others.iter().any(held),
            Need::One(others) => others.iter().all(held),
        });
        if set.len() == ranks.len() {
            return ranks;
        }
    }
}

fn need(task: &Task, tasks: &[Task]) -> Option<Need> {
    let [thread] = task.threads.as_slice() else {
        return None;
    };
    if !task.stands_still {
        return None;
    }
    match thread {
        Activity::Receive(Source::Named(from)) => Some(Need::All(vec![*from])),
        Activity::Receive(Source::AnyOf(from)) => Some(Need::One(from.clone())),
        Activity::Collective {
            operation: Operation::Complete(Data::EveryPart),
            communicator,
            in_user_function: false,
        } if *communicator != Communicator::Unknown => {
            let outside =
                |other: &&Task| communicator.has(other.rank) == Some(true) && !other.may_be_in(communicator);
            Some(Need::All(
                tasks.iter().filter(outside).map(|other| other.rank).collect(),
            ))
        }
        _ => None,
    }
}
