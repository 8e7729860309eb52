//! What each task waits for, as its stack and its call tell.

use crate::assemble::JobView;
use crate::beneath::{InMpi, has_not_begun, in_mpi, is_at_entry};
use crate::blocking::{is_blocking, is_test};
use crate::mpi::{self, CallView};
use crate::sends::{self, Sends, Wanted};
use crate::state::{self, HaltedBy};
use crate::waits::{self, Member, NotEntered};
use crate::{CallArgument, Relation, Role, Who};
use library::{Part, Wait};
use snapshot::Task;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use waitgraph::{Communicator, Does, Half, Peer, Rank, Tag, Truth};

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
    Entry { call: String, classes: Rc<[usize]> },
    /// It waits for anybody's message.
    Anybody { call: String },
    /// It waits, and nothing tells for whom.
    Waits { call: String },
    /// Whether it waits is not known.
    NotKnown,
}

/// Whether the operation that one task stands in is the one that another task waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    /// It stands in the operation that the other one needs, as far as is known, and in no other: nobody keeps it there.
    Given,
    /// It may have been given, or not.
    MayBe,
    /// It has to do something else first.
    Not,
}

/// What is known of a task.
struct Found {
    standing: Standing,
    /// The messages of the operation that it stands in.
    halves: Vec<Half>,
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
    /// By kind: whom a task waits for depends on nothing that is its own.
    found: Vec<OnceCell<Found>>,
    /// By kind.
    at_entry: Vec<OnceCell<bool>>,
    /// By class: those that have to enter its collective call.
    have_to_enter: Vec<OnceCell<Rc<[usize]>>>,
    /// By rank: the tasks whose operations name it.
    naming: OnceCell<BTreeMap<u32, Vec<usize>>>,
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
        let by_rank = ranks.filter_map(|(index, &(class, at))| Some((members[class][at].task.rank?, index)));
        Self {
            by_rank: by_rank.collect(),
            found: (0..job.kinds).map(|_| OnceCell::new()).collect(),
            at_entry: vec![OnceCell::new(); job.kinds],
            have_to_enter: vec![OnceCell::new(); members.len()],
            naming: OnceCell::new(),
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

    fn member(&self, at: usize) -> Member<'j> {
        let (class, member) = self.all[at];
        self.members[class][member]
    }

    pub(super) fn task(&self, at: usize) -> &'j Task {
        self.member(at).task
    }

    /// Whether a task comes to an operation of MPI, or leaves it.
    pub(super) fn is_at_entry(&self, at: usize) -> bool {
        let member = self.member(at);
        *self.at_entry[member.like.kind.index()].get_or_init(|| is_at_entry(member.task))
    }

    pub(super) fn who(&self, tasks: &[usize]) -> Who {
        self.job.who_of(tasks.iter().map(|&at| self.task(at)))
    }

    /// Whether the operation that `other` stands in is the one that `one` waits for.
    pub(super) fn service(&self, other: usize, one: usize) -> Service {
        let (Some(other_rank), Some(one_rank)) = (self.task(other).rank, self.task(one).rank) else {
            return Service::MayBe;
        };
        let (theirs, own) = (&self.found(other).halves, &self.found(one).halves);
        let served = waitgraph::serves((Rank(other_rank), theirs), (Rank(one_rank), own));
        match served {
            Truth::No => Service::Not,
            Truth::Yes => Service::Given,
            // A tag or a communicator that was not read is no reason to look elsewhere.
            Truth::Perhaps => match (&theirs[..], &own[..]) {
                ([offer], [_]) if offer.peer != Peer::Unknown => Service::Given,
                _ => Service::MayBe,
            },
        }
    }

    /// The first task that stands in the operation which a task waits for that takes anybody's message. Its operation names that one's rank: of an operation of which nobody is known, or
    /// only others, it is not known that it is the one.
    pub(super) fn server_of(&self, at: usize) -> Option<usize> {
        let naming = self.naming.get_or_init(|| self.by_named_rank());
        let mut others = naming.get(&self.task(at).rank?)?.iter().copied();
        others.find(|&other| other != at && self.service(other, at) == Service::Given)
    }

    /// By rank the tasks whose operations name it, in their order.
    fn by_named_rank(&self) -> BTreeMap<u32, Vec<usize>> {
        let mut naming: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for at in 0..self.all.len() {
            for half in &self.found(at).halves {
                if let Peer::Rank(Rank(rank)) = half.peer {
                    let known = naming.entry(rank).or_default();
                    if known.last() != Some(&at) {
                        known.push(at);
                    }
                }
            }
        }
        naming
    }

    /// The sends that could be the message which `at` waits for of `sender`, if that is what it waits for and no other thread of the sender may
    /// send it.
    pub(super) fn sends(&self, at: usize, sender: usize) -> Option<Sends> {
        let [half] = &self.found(at).halves[..] else {
            return None;
        };
        let Member { task, located, .. } = self.member(sender);
        let alone = task.threads.iter().all(|thread| waits::is_helper(&thread.frames));
        if half.does == Does::Sends || !alone || !waits::is_whole(&task.frames, &task.error) {
            return None;
        }
        let wanted = Wanted {
            tag: half.tag,
            by: self.task(at).rank?,
        };
        Some(sends::of(self.job.map, located?, wanted))
    }

    pub(super) fn standing(&self, at: usize) -> &Standing {
        &self.found(at).standing
    }

    fn found(&self, at: usize) -> &Found {
        let Member { task, located, like } = self.member(at);
        self.found[like.kind.index()].get_or_init(|| match self.find_standing(at) {
            Ok(call) => {
                let calls = located.map(|located| mpi::calls_in(self.job.map, located, task, &call));
                let halves = halves(&call, &calls.unwrap_or_default());
                Found {
                    standing: by_arguments(call, &halves),
                    halves,
                }
            }
            Err(standing) => Found {
                standing,
                halves: Vec::new(),
            },
        })
    }

    /// What is known of a task without the arguments of its call; the call where these tell.
    fn find_standing(&self, at: usize) -> Result<String, Standing> {
        let (class, task) = (self.class(at), self.task(at));
        if let Some(why) = state::halted_by(task) {
            return Err(Standing::Halted(why));
        }
        if !waits::is_whole(&task.frames, &task.error) {
            return Err(Standing::NotKnown);
        }
        if has_not_begun(task) {
            return Err(Standing::Free {
                whole: waits::threads_are_outside(task),
            });
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
                return Err(if !whole && threads.clone().any(is_in_mpi) {
                    Standing::NotKnown
                } else {
                    Standing::Free { whole }
                });
            }
            InMpi::Named { .. } | InMpi::SomewhereInside | InMpi::Unknown => return Err(Standing::NotKnown),
        };
        if !is_blocking(&call) && !is_test(&call) {
            return Err(Standing::Free { whole: false });
        }
        if (self.has_moved)(class) {
            return Err(Standing::NotKnown);
        }
        let entered_by = self.has_to_enter(class);
        if !entered_by.is_empty() {
            return Err(Standing::Entry {
                call,
                classes: entered_by,
            });
        }
        Ok(call)
    }

    /// The classes that have to enter the collective call of a class before it can be left. One that is ahead by the order of the code
    /// contradicts that.
    fn has_to_enter(&self, class: usize) -> Rc<[usize]> {
        let proven = |fact: &&NotEntered| {
            fact.whom == class
                && fact.certainty == waitgraph::Certainty::Proven
                && self.job.relation(class, fact.who) != Some(Relation::Before)
        };
        let found = || {
            self.not_entered
                .iter()
                .filter(proven)
                .map(|fact| fact.who)
                .collect()
        };
        Rc::clone(self.have_to_enter[class].get_or_init(found))
    }
}

/// The messages of a call that waits for some, as far as all the calls agree that it may be.
fn halves(call: &str, calls: &[CallView]) -> Vec<Half> {
    let communicator = if !calls.is_empty() && calls.iter().all(is_in_world) {
        Communicator::World
    } else {
        Communicator::Unknown
    };
    let half = |&(does, with, tag): &(Does, Role, Role)| Half {
        does,
        peer: agreed(calls.iter().map(|call| peer(call, with))).unwrap_or(Peer::Unknown),
        tag: agreed(calls.iter().map(|call| tag_of(call, tag))).unwrap_or(Tag::Unknown),
        communicator: communicator.clone(),
    };
    parts(call).iter().map(half).collect()
}

/// What all of them are, if they are the same.
fn agreed<T: PartialEq>(mut each: impl Iterator<Item = T>) -> Option<T> {
    let first = each.next()?;
    each.all(|next| next == first).then_some(first)
}

/// Whom a call with these messages waits for.
fn by_arguments(call: String, halves: &[Half]) -> Standing {
    let mut ranks = Vec::new();
    let (mut anybody, mut open) = (false, halves.is_empty());
    for half in halves {
        match half.peer {
            Peer::Rank(Rank(rank)) if !ranks.contains(&rank) => ranks.push(rank),
            Peer::Rank(_) | Peer::Nobody => {}
            Peer::Anybody => anybody = true,
            Peer::Unknown => open = true,
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

/// The messages that a call exchanges before it returns, with the arguments that say with whom and under which tag.
fn parts(call: &str) -> &'static [(Does, Role, Role)] {
    const SENDS: (Does, Role, Role) = (Does::Sends, Role::Destination, Role::SendTag);
    const RECEIVES: (Does, Role, Role) = (Does::Receives, Role::Source, Role::ReceiveTag);
    const PROBES: (Does, Role, Role) = (Does::Probes, Role::Source, Role::ReceiveTag);
    match library::function(call)
        .filter(|row| row.wait == Wait::Tasks)
        .map(|row| row.part)
    {
        Some(Part::Receives) => &[RECEIVES],
        Some(Part::Probes | Part::Takes) => &[PROBES],
        Some(Part::Sends) => &[SENDS],
        Some(Part::Exchanges) => &[RECEIVES, SENDS],
        _ => &[],
    }
}

/// The ranks of `MPI_COMM_WORLD` that a call waits for, as far as its arguments tell.
pub(crate) fn peers(call: &CallView) -> Vec<u32> {
    let with = parts(&call.function).iter().map(|&(_, with, _)| peer(call, with));
    let ranks = with.filter_map(|peer| match peer {
        Peer::Rank(Rank(rank)) => Some(rank),
        Peer::Nobody | Peer::Anybody | Peer::Unknown => None,
    });
    ranks.collect()
}

fn is_in_world(call: &CallView) -> bool {
    let is_world = |argument: &CallArgument| argument.name.as_deref() == Some("MPI_COMM_WORLD");
    call.argument(Role::Communicator).is_some_and(is_world)
}

/// The rank in `MPI_COMM_WORLD` that an argument names.
fn peer(call: &CallView, role: Role) -> Peer {
    let Some(argument) = call.argument(role) else {
        return Peer::Unknown;
    };
    match (argument.name.as_deref(), argument.value) {
        (Some("MPI_PROC_NULL"), _) => Peer::Nobody,
        (Some("MPI_ANY_SOURCE"), _) => Peer::Anybody,
        // Ranks count anew in each communicator.
        (None, Some(value)) if is_in_world(call) => {
            u32::try_from(value).map_or(Peer::Unknown, |rank| Peer::Rank(Rank(rank)))
        }
        _ => Peer::Unknown,
    }
}

fn tag_of(call: &CallView, role: Role) -> Tag {
    let argument = call.argument(role);
    match argument.map(|argument| (argument.name.as_deref(), argument.value)) {
        Some((Some("MPI_ANY_TAG"), _)) => Tag::Any,
        Some((None, Some(value))) => Tag::Is(value),
        _ => Tag::Unknown,
    }
}
