//! Plans: what each rank of a job does, one step after the other, made up at random.

use base::Random;
use std::fmt::Write as _;

pub(crate) const RANKS: usize = 5;

/// A step of a plan: what it does, over which communicator, with whom, under which tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanStep(
    pub(super) char,
    pub(super) usize,
    pub(super) usize,
    pub(super) usize,
);

pub(crate) type Plan = Vec<Vec<PlanStep>>;

pub(super) fn members(communicator: usize, rank: usize) -> Vec<usize> {
    let is_member = |other: &usize| communicator != 1 || other % 2 == rank % 2;
    (0..RANKS).filter(is_member).collect()
}

/// The communicators with topologies: a ring, in which each rank takes of the two before it, and a line.
const RING: usize = 3;
const LINE: usize = 4;

/// Of whom a rank takes in an operation among neighbours.
pub(super) fn sources(communicator: usize, rank: usize) -> Vec<usize> {
    if communicator == RING {
        return vec![(rank + RANKS - 1) % RANKS, (rank + RANKS - 2) % RANKS];
    }
    let beside = [rank.checked_sub(1), Some(rank + 1)].into_iter().flatten();
    beside.filter(|other| *other < RANKS).collect()
}

/// What plans are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// Messages and collective operations.
    Messages,
    /// Epochs of windows, too.
    Epochs,
    /// Locks of windows, too.
    Locks,
    /// Operations among neighbours, too.
    Neighbours,
    /// Receives that are cancelled, and such as are freed before they take their message, too.
    Given,
    /// Constructors of communicators, files, and operations between the sides of an intercommunicator, too: whether anybody has to wait in these is the library's business.
    Likely,
}

/// The communicators of calls that wait if the library wants it so, each with the step that is done on it alone: duplicates, files, and barriers of an intercommunicator.
pub(super) const LIKELY: [(usize, char); 3] = [(6, 'D'), (7, 'P'), (8, 'H')];

/// All take part in such a call; one forgets it now and then, or waits before it for a message that another one sends behind it.
fn add_likely(random: &mut Random, plan: &mut Plan) {
    let (communicator, what) = LIKELY[random.below(LIKELY.len())];
    let how = random.below(4);
    let (late, apart) = (random.below(RANKS), 1 + random.below(RANKS - 1));
    let early = (late + apart) % RANKS;
    if how == 0 {
        plan[late].push(PlanStep('R', 0, early, 0));
    }
    for (rank, steps) in plan.iter_mut().enumerate() {
        if how != 1 || rank != late {
            steps.push(PlanStep(what, communicator, 0, 0));
        }
    }
    if how == 0 {
        plan[early].push(PlanStep('S', 0, late, 0));
    }
}

/// The communicator number of fences.
const FENCES: usize = 5;

/// Some have access to the windows of some others, once all have come there; now and then one forgets its part. All wait for each other first, because MPICH takes a
/// post for one of any other epoch (4.0).
fn add_epoch(random: &mut Random, plan: &mut Plan) {
    plan.iter_mut()
        .for_each(|steps| steps.push(PlanStep('B', 0, 0, 0)));
    if random.below(3) == 0 {
        for steps in plan.iter_mut() {
            if random.below(20) > 0 {
                steps.push(PlanStep('E', FENCES, 0, 0));
            }
        }
        return;
    }
    let is_origin: Vec<bool> = (0..RANKS).map(|_| random.below(2) == 0).collect();
    let bits = |of: bool| {
        (0..RANKS)
            .filter(|&rank| is_origin[rank] == of)
            .fold(0, |bits, rank| bits | 1 << rank)
    };
    let (origins, targets): (usize, usize) = (bits(true), bits(false));
    if origins == 0 || targets == 0 {
        return;
    }
    for (rank, steps) in plan.iter_mut().enumerate() {
        if random.below(20) == 0 {
            continue;
        }
        if is_origin[rank] {
            steps.extend([PlanStep('T', 0, targets, 0), PlanStep('C', 0, 0, 0)]);
        } else {
            steps.extend([PlanStep('O', 0, origins, 0), PlanStep('V', 0, 0, 0)]);
        }
    }
}

/// One has the part of somebody locked when others want it; now and then it waits for one of these before it gives it back, or never does. All wait for each other before and behind,
/// so that whoever's part it is can serve them by then, as a library may need it to.
fn add_locks(random: &mut Random, plan: &mut Plan) {
    let barrier = |plan: &mut Plan| {
        plan.iter_mut()
            .for_each(|steps| steps.push(PlanStep('B', 0, 0, 0)));
    };
    let (holder, target) = (random.below(RANKS), random.below(RANKS));
    barrier(plan);
    plan[holder].push(PlanStep('K', 0, target, 0));
    barrier(plan);
    let others = Vec::from_iter((0..RANKS).filter(|rank| *rank != holder));
    let wants = Vec::from_iter(others.into_iter().filter(|_| random.below(2) == 0));
    let asked = random.below(4);
    for (index, &rank) in wants.iter().enumerate() {
        // Who is to send a message before the lock is given back had better do so before it wants it.
        let sends = PlanStep('S', 0, holder, 1);
        let wants = PlanStep('N', 0, target, 0);
        match (index, asked) {
            (0, 0) => plan[rank].extend([wants, sends]),
            (0, 1) => plan[rank].extend([sends, wants]),
            _ => plan[rank].push(wants),
        }
    }
    if let (Some(&rank), 0 | 1) = (wants.first(), asked) {
        plan[holder].push(PlanStep('R', 0, rank, 1));
    }
    if random.below(6) > 0 {
        plan[holder].push(PlanStep('U', 0, target, 0));
    }
    barrier(plan);
}

/// The tags of messages of which a receive was cancelled, and of those of which one was freed.
const OF_CANCELLED: usize = 2;
const OF_FREED: usize = 3;

/// One gives up a receive: it cancels it before anybody sends, and takes the message by another one; or frees it, so that it takes the first of two messages. Now and then the last one is
/// forgotten.
fn add_given_up(random: &mut Random, plan: &mut Plan) {
    let (receiver, apart) = (random.below(RANKS), 1 + random.below(RANKS - 1));
    let sender = (receiver + apart) % RANKS;
    let is_sent = random.below(8) > 0;
    if random.below(2) == 0 {
        plan[receiver].push(PlanStep('Z', 0, sender, OF_CANCELLED));
        plan.iter_mut()
            .for_each(|steps| steps.push(PlanStep('B', 0, 0, 0)));
        if is_sent {
            plan[sender].push(PlanStep('S', 0, receiver, OF_CANCELLED));
        }
        plan[receiver].push(PlanStep('R', 0, sender, OF_CANCELLED));
        return;
    }
    plan[receiver].push(PlanStep('Y', 0, sender, OF_FREED));
    plan[sender].push(PlanStep('S', 0, receiver, OF_FREED));
    if is_sent {
        plan[sender].push(PlanStep('S', 0, receiver, OF_FREED));
    }
    plan[receiver].push(PlanStep('R', 0, sender, OF_FREED));
}

/// An operation among neighbours, which one forgets now and then. Whoever has forgotten one is in another by number later: so a communicator has one kind.
fn add_neighbours(random: &mut Random, plan: &mut Plan, kinds: [usize; 2]) {
    let (communicator, which) = [(RING, kinds[0]), (LINE, kinds[1])][random.below(2)];
    for steps in plan.iter_mut() {
        if random.below(16) > 0 {
            steps.push(PlanStep('G', communicator, 0, which));
        }
    }
}

pub(super) fn bits_of(set: usize) -> Vec<usize> {
    (0..RANKS).filter(|rank| set >> rank & 1 == 1).collect()
}

pub(crate) fn random_plan(seed: u64, kinds: Kinds) -> Plan {
    let mut random = Random(seed);
    let mut plan: Plan = vec![Vec::new(); RANKS];
    for _ in 0..6 + random.below(16) {
        if kinds == Kinds::Epochs && random.below(2) == 0 {
            add_epoch(&mut random, &mut plan);
            continue;
        }
        if kinds == Kinds::Locks && random.below(2) == 0 {
            add_locks(&mut random, &mut plan);
            continue;
        }
        if kinds == Kinds::Given && random.below(2) == 0 {
            add_given_up(&mut random, &mut plan);
            continue;
        }
        if kinds == Kinds::Likely && random.below(4) == 0 {
            add_likely(&mut random, &mut plan);
            continue;
        }
        if kinds == Kinds::Neighbours && random.below(2) == 0 {
            let kinds = [seed % 3, seed / 3 % 3].map(|kind| kind as usize);
            add_neighbours(&mut random, &mut plan, kinds);
            continue;
        }
        let (c, tag) = (random.below(3), random.below(2));
        let a = random.below(RANKS);
        let group = members(c, a);
        let b = group[random.below(group.len())];
        match random.below(8) {
            0 | 1 => {
                let what = if random.below(2) == 0 { 'B' } else { 'A' };
                group
                    .iter()
                    .for_each(|&rank| plan[rank].push(PlanStep(what, c, 0, 0)));
            }
            2 if a != b => {
                plan[a].push(PlanStep('X', c, b, tag));
                plan[b].push(PlanStep('X', c, a, tag));
            }
            3 => plan[a].push(PlanStep('W', 0, 0, 0)),
            _ if a != b => {
                let send = if random.below(2) == 0 { 'S' } else { 'I' };
                let receive = if random.below(2) == 0 { 'R' } else { 'Q' };
                // Now and then a message is forgotten, or sent under another tag.
                if random.below(8) > 0 {
                    plan[a].push(PlanStep(send, c, b, tag));
                }
                let wrong = usize::from(random.below(8) == 0);
                plan[b].push(PlanStep(receive, c, a, tag ^ wrong));
            }
            _ => {}
        }
    }
    for steps in &mut plan {
        steps.push(PlanStep('W', 0, 0, 0));
        steps.push(PlanStep(if random.below(4) == 0 { 'L' } else { 'F' }, 0, 0, 0));
    }
    plan
}

pub(crate) fn text(plan: &Plan) -> String {
    let mut text = String::new();
    for (rank, steps) in plan.iter().enumerate() {
        text.push_str(if rank == 0 { "" } else { "|" });
        for PlanStep(what, c, peer, tag) in steps {
            let _ = write!(text, " {what}{c},{peer},{tag}");
        }
    }
    text
}

/// Whether a rank completes several sends at once somewhere, or begins an epoch with several targets: which of them holds it nobody knows.
pub(super) fn is_held_by_some(plan: &Plan, rank: usize) -> bool {
    let starts = |step: &PlanStep| step.0 == 'T' && bits_of(step.2).len() > 1;
    plan[rank].iter().filter(|step| step.0 == 'I').count() > 1 || plan[rank].iter().any(starts)
}
