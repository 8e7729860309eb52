//! What kind of trouble a job is in, in words.

use crate::headline::capital;
use crate::text::describe;
use engine::{Trouble, TroubleKind, Who};

/// The kind of trouble, as a sentence with its full stop.
pub(crate) fn sentence(trouble: &Trouble) -> String {
    let one = trouble.who.count() == 1;
    let says = |one_does: &str, they_do: &str| {
        let does = if one { one_does } else { they_do };
        format!("{} {does}", trouble.who)
    };
    let words = match &trouble.kind {
        TroubleKind::CannotRun => says("cannot run", "cannot run"),
        TroubleKind::EachOther if one => format!("{} waits for itself", trouble.who),
        TroubleKind::EachOther => format!("it looks like a deadlock: {} wait for each other", trouble.who),
        TroubleKind::Unseen(ranks) => {
            let others = Who {
                ranks: ranks.clone(),
                names: Vec::new(),
            };
            format!(
                "{} of which nothing was seen",
                says("waits for", "wait for") + &format!(" {others},")
            )
        }
        TroubleKind::Computing => format!(
            "{}: an endless loop, or work that takes long",
            says("computes outside of MPI", "compute outside of MPI")
        ),
        TroubleKind::InputOutput(call) => {
            format!("{}, in the system call {call}", says("is in I/O", "are in I/O"))
        }
        TroubleKind::Asleep(call) => {
            format!(
                "{}, in the system call {call}",
                says("sleeps for a time", "sleep for a time")
            )
        }
        TroubleKind::Signal(call) => format!(
            "{}, in the system call {call}",
            says("waits for a signal", "wait for a signal")
        ),
        TroubleKind::Lock(holder) => format!(
            "{} by thread {} of the same process{}",
            says(
                "waits for a lock that is held",
                "wait for locks that are held, the first"
            ),
            holder.thread,
            holder
                .position
                .as_ref()
                .map(|position| format!(", which is {}", describe(position)))
                .unwrap_or_default()
        ),
        TroubleKind::OwnThreads => says("waits for threads of its own", "wait for threads of their own"),
        TroubleKind::Child(call) => format!(
            "{}, in the system call {call}",
            says(
                "waits for a process that it started",
                "wait for processes that they started"
            )
        ),
        TroubleKind::SystemCall(call) => says(
            &format!("sleeps in the system call {call}"),
            &format!("sleep in the system call {call}"),
        ),
        TroubleKind::AllInMpi => "all are inside of MPI, and nobody is outside".to_owned(),
    };
    format!("{}.", capital(&words))
}

/// The word for a kind.
pub(crate) fn word(kind: &TroubleKind) -> &'static str {
    match kind {
        TroubleKind::CannotRun => "cannot-run",
        TroubleKind::EachOther => "each-other",
        TroubleKind::Unseen(_) => "unseen",
        TroubleKind::Computing => "computing",
        TroubleKind::InputOutput(_) => "input-output",
        TroubleKind::Asleep(_) => "asleep",
        TroubleKind::Signal(_) => "signal",
        TroubleKind::Lock(_) => "lock",
        TroubleKind::OwnThreads => "own-threads",
        TroubleKind::Child(_) => "child",
        TroubleKind::SystemCall(_) => "system-call",
        TroubleKind::AllInMpi => "all-in-mpi",
    }
}
