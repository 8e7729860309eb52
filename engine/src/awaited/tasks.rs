//! What each task waits for, as its stack and its call tell.

use crate::assemble::JobView;
use crate::beneath::{InMpi, in_mpi};
use crate::blocking::{is_blocking, is_test};
use crate::mpi::{self, CallView};
use crate::state::{self, HaltedBy};
use crate::waits::{self, Member, NotEntered};
use crate::{CallArgument, Relation, Role, Who};
use snapshot::Task;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// What keeps a task from going on.
#[derive(Clone, Debug)]
pub(super) enum Standing {
    /// It does not wait in MPI; `whole`: nor does any of its threads, all of which were seen whole.
    Free { whole: bool },
    /// It cannot run.
    Halted(HaltedBy),
    /// It waits until these ranks of `MPI_COMM_WORLD` do their parts; if not `each`, one of them may be enough.
    Ranks {
        call: String,
        ranks: Vec<u32>,
        each: bool,
    },
    /// It waits in a collective call until these classes enter it.
    Entry { call: String, classes: Vec<usize> },
    /// It waits for anybody's message.
    Anybody { call: String },
    /// It waits, and nothing tells for whom.
    Waits { call: String },
    /// Whether it waits is not known.
    NotKnown,
}

/// What the ranks of a call are.
enum Peer {
    Rank(u32),
    Nobody,
    Anybody,
    NotKnown,
}

/// All tasks, with what each of them waits for as soon as somebody asks.
pub(super) struct Tasks<'j, 'a> {
    job: &'j JobView<'a>,
    /// By class.
    members: &'j [Vec<Member<'j>>],
    /// Class and place in it.
    pub(super) all: Vec<(usize, usize)>,
    /// The first task of each class in `all`.
    starts: Vec<usize>,
    pub(super) by_rank: BTreeMap<u32, usize>,
    standing: Vec<OnceCell<Standing>>,
    not_entered: &'j [NotEntered],
    has_moved: &'j dyn Fn(usize) -> bool,
}

impl Standing {
    pub(super) fn waits(&self) -> bool {
        match self {
            Self::Free { .. } | Self::Halted(_) | Self::NotKnown => false,
            Self::Ranks { .. } | Self::Entry { .. } | Self::Anybody { .. } | Self::Waits { .. } => true,
        }
    }
}

impl<'j, 'a> Tasks<'j, 'a> {
    pub(super) fn new(
        job: &'j JobView<'a>,
        members: &'j [Vec<Member<'j>>],
        not_entered: &'j [NotEntered],
        has_moved: &'j dyn Fn(usize) -> bool,
    ) -> Self {
        let mut all = Vec::new();
        let mut starts = Vec::new();
        for (class, members) in members.iter().enumerate() {
            starts.push(all.len());
            all.extend((0..members.len()).map(|at| (class, at)));
        }
        let ranks = all.iter().enumerate();
        let by_rank = ranks.filter_map(|(index, &(class, at))| Some((members[class][at].0.rank?, index)));
        Self {
            by_rank: by_rank.collect(),
            standing: vec![OnceCell::new(); all.len()],
            job,
            members,
            all,
            starts,
            not_entered,
            has_moved,
        }
    }

    pub(super) fn of_class(&self, class: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.starts[class];
        first..first + self.members[class].len()
    }

    pub(super) fn class(&self, at: usize) -> usize {
        self.all[at].0
    }

    pub(super) fn task(&self, at: usize) -> &'j Task {
        let (class, member) = self.all[at];
        self.members[class][member].0
    }

    pub(super) fn who(&self, tasks: &[usize]) -> Who {
        self.job.who_of(tasks.iter().map(|&at| self.task(at)))
    }

    /// Whether of two tasks that wait for each other the one sends what the other receives: unless their tags differ, both go on as soon as MPI
    /// has done its part.
    pub(super) fn are_matched(&self, one: usize, other: usize) -> bool {
        let of = |at: usize| match self.standing(at) {
            Standing::Ranks { call, .. } => parts(call),
            _ => (false, false),
        };
        let ((receives, sends), (takes, gives)) = (of(one), of(other));
        receives && gives || sends && takes
    }

    pub(super) fn standing(&self, at: usize) -> &Standing {
        self.standing[at].get_or_init(|| self.find_standing(at))
    }

    fn find_standing(&self, at: usize) -> Standing {
        let (class, member) = self.all[at];
        let (task, located) = self.members[class][member];
        if let Some(why) = state::halted_by(task) {
            return Standing::Halted(why);
        }
        if !waits::is_whole(&task.frames, &task.error) {
            return Standing::NotKnown;
        }
        let call = match in_mpi(task, &task.frames) {
            InMpi::Inside { function, .. } => function,
            InMpi::Outside => {
                let threads = task.threads.iter();
                let is_in_mpi = |thread: &snapshot::Thread| {
                    !waits::is_helper(&thread.frames)
                        && !matches!(in_mpi(task, &thread.frames), InMpi::Outside | InMpi::Unknown)
                };
                let whole = waits::threads_are_outside(task);
                return match !whole && threads.clone().any(is_in_mpi) {
                    true => Standing::NotKnown,
                    false => Standing::Free { whole },
                };
            }
            InMpi::Named { .. } | InMpi::SomewhereInside | InMpi::Unknown => return Standing::NotKnown,
        };
        if !is_blocking(&call) && !is_test(&call) {
            return Standing::Free { whole: false };
        }
        if (self.has_moved)(class) {
            return Standing::NotKnown;
        }
        let entered_by = self.has_to_enter(class);
        if !entered_by.is_empty() {
            return Standing::Entry {
                call,
                classes: entered_by,
            };
        }
        let calls = located.map(|located| mpi::calls_in(self.job.map, located, task, &call));
        by_arguments(call, &calls.unwrap_or_default())
    }

    /// The classes that have to enter the collective call of a class before it can be left. One that is ahead by the order of the code
    /// contradicts that.
    fn has_to_enter(&self, class: usize) -> Vec<usize> {
        let proven = |fact: &&NotEntered| {
            fact.whom == class
                && fact.certainty == waitgraph::Certainty::Proven
                && self.job.relation(class, fact.who) != Some(Relation::Before)
        };
        Vec::from_iter(self.not_entered.iter().filter(proven).map(|fact| fact.who))
    }
}

/// Whom a call waits for, as far as all the calls agree that it may be.
fn by_arguments(call: String, calls: &[CallView]) -> Standing {
    let needs = |role: Role| {
        let mut peers = calls.iter().map(|call| peer(call, role));
        let first = peers.next().unwrap_or(Peer::NotKnown);
        peers.fold(first, |known, next| match (known, next) {
            (Peer::Rank(one), Peer::Rank(other)) if one == other => Peer::Rank(one),
            (Peer::Nobody, Peer::Nobody) => Peer::Nobody,
            (Peer::Anybody, Peer::Anybody) => Peer::Anybody,
            _ => Peer::NotKnown,
        })
    };
    let (receives, sends) = parts(&call);
    if !receives && !sends {
        return Standing::Waits { call };
    }
    let peers = [(receives, Role::Source), (sends, Role::Destination)];
    let peers = peers
        .into_iter()
        .filter(|(has, _)| *has)
        .map(|(_, role)| needs(role));
    let mut ranks = Vec::new();
    let (mut anybody, mut open) = (false, false);
    for peer in peers {
        match peer {
            Peer::Rank(rank) if !ranks.contains(&rank) => ranks.push(rank),
            Peer::Rank(_) | Peer::Nobody => {}
            Peer::Anybody => anybody = true,
            Peer::NotKnown => open = true,
        }
    }
    match ranks.len() {
        // What is not known of the one half may be what it waits for.
        _ if open => Standing::Waits { call },
        _ if anybody => Standing::Anybody { call },
        0 => Standing::Free { whole: false },
        count => Standing::Ranks {
            call,
            ranks,
            each: count == 1,
        },
    }
}

/// Whether a call waits for a message, and whether it waits for somebody to take one.
fn parts(call: &str) -> (bool, bool) {
    match call.strip_prefix("MPI_").unwrap_or_default() {
        "Recv" | "Probe" | "Mprobe" => (true, false),
        "Send" | "Ssend" | "Rsend" => (false, true),
        "Sendrecv" | "Sendrecv_replace" => (true, true),
        _ => (false, false),
    }
}

/// The rank in `MPI_COMM_WORLD` that an argument names.
fn peer(call: &CallView, role: Role) -> Peer {
    let is_world = |argument: &CallArgument| argument.name.as_deref() == Some("MPI_COMM_WORLD");
    let Some(argument) = call.argument(role) else {
        return Peer::NotKnown;
    };
    match (argument.name.as_deref(), argument.value) {
        (Some("MPI_PROC_NULL"), _) => Peer::Nobody,
        (Some("MPI_ANY_SOURCE"), _) => Peer::Anybody,
        // Ranks count anew in each communicator.
        (None, Some(value)) if call.argument(Role::Communicator).is_some_and(is_world) => {
            u32::try_from(value).map_or(Peer::NotKnown, Peer::Rank)
        }
        _ => Peer::NotKnown,
    }
}
