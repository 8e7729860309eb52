//! What a task was seen to do.

/// Rank in `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(pub u32);

/// What is known of the communicator of an operation. Intercommunicators must be given as [`Communicator::Unknown`] or,
/// better, their operations as [`Activity::Unknown`]: a collective on them is complete for one side only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Communicator {
    /// `MPI_COMM_WORLD`: every task of the job is a member.
    World,
    /// A communicator that has the same identity, and these members, on every task that names it.
    Known {
        /// Equal exactly for equal communicators.
        identity: u32,
        /// All members, sorted.
        members: Vec<Rank>,
    },
    /// Nothing is known.
    Unknown,
}

impl Communicator {
    /// Whether `rank` is a member, if that is known.
    pub(crate) fn has(&self, rank: Rank) -> Option<bool> {
        match self {
            Communicator::World => Some(true),
            Communicator::Known { members, .. } => Some(members.binary_search(&rank).is_ok()),
            Communicator::Unknown => None,
        }
    }

    /// Whether both may be the same communicator.
    pub(crate) fn may_be(&self, other: &Communicator) -> bool {
        match (self, other) {
            (Communicator::Unknown, _) | (_, Communicator::Unknown) => true,
            (Communicator::World, Communicator::World) => true,
            (Communicator::Known { identity: a, .. }, Communicator::Known { identity: b, .. }) => a == b,
            (Communicator::World, Communicator::Known { .. })
            | (Communicator::Known { .. }, Communicator::World) => false,
        }
    }
}

/// Whether every part of a collective operation contributes data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Every part does (or it is a barrier).
    EveryPart,
    /// The counts are not known.
    Unknown,
    /// Some counts are zero: parts may leave early.
    SomeEmpty,
}

/// The operations that wait for other tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Nobody leaves before all have entered, if every part contributes data: barrier, allreduce, allgather, alltoall,
    /// reduce-scatter and their variants.
    Complete(Data),
    /// A collective from which some parts may leave early: bcast, reduce, gather, scatter, scan.
    Partial,
}

/// Where a receive takes its message from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// This task alone.
    Named(Rank),
    /// Any of these tasks (`MPI_ANY_SOURCE` on a communicator with these members).
    AnyOf(Vec<Rank>),
}

/// What one thread of a task does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// In no MPI operation.
    Outside,
    /// In a blocking collective operation of an intracommunicator.
    Collective {
        /// Which one.
        operation: Operation,
        /// On which communicator.
        communicator: Communicator,
        /// It runs a reduction that the program supplied, so that it is not MPI that keeps it inside.
        in_user_function: bool,
    },
    /// In a blocking receive.
    Receive(Source),
    /// In another operation that is no collective one: a send, or what completes or tests point-to-point operations.
    PointToPoint,
    /// In MPI, but nobody knows where, or in an operation that is not listed here.
    Unknown,
}

/// A task: all its threads that may call MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Who it is.
    pub rank: Rank,
    /// It can run and does not go on. False for a task that is stopped, in uninterruptible sleep, or was seen to move.
    pub stands_still: bool,
    /// What each thread does; never empty for a task that was read.
    pub threads: Vec<Activity>,
}

/// Whether MPI completes an operation that all have entered without help of tasks that have left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It does; measured for the library, the transport and the size in question.
    Independent,
    /// A task that has left may have to call MPI again before others can leave.
    MayNeedHelp,
}

impl Task {
    /// The collective in which the task stands because others have not entered it, with what is known of its data.
    pub(crate) fn stands_in_complete_collective(&self) -> Option<(&Communicator, Data)> {
        if !self.stands_still {
            return None;
        }
        self.threads.iter().find_map(|thread| match thread {
            Activity::Collective {
                operation: Operation::Complete(data),
                communicator,
                in_user_function: false,
            } if *data != Data::SomeEmpty => Some((communicator, *data)),
            _ => None,
        })
    }

    /// Whether some thread may be in a collective of this communicator. A different collective of the same communicator
    /// counts: the program may be wrong, and then neither is behind.
    pub(crate) fn may_be_in(&self, wanted: &Communicator) -> bool {
        self.threads.is_empty()
            || self.threads.iter().any(|thread| match thread {
                Activity::Collective { communicator, .. } => communicator.may_be(wanted),
                Activity::Unknown => true,
                Activity::Outside | Activity::Receive(_) | Activity::PointToPoint => false,
            })
    }
}
