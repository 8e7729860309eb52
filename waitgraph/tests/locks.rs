//! Locks of windows against executed programs: random programs of locks, flushes, unlocks and messages are run by an interpreter in random schedules, under
//! libraries that ask for a lock at once or as late as they may (MPI 4.0, section 12.5.3), and frozen at random moments. Whoever is said to be stuck must never go
//! on, nothing that rests on a lock is called proven, and where nobody can move, all that want a lock are said to wait for somebody.

use base::Random;
use std::collections::{BTreeMap, BTreeSet};
use waitgraph::recorded::{
    Channel, From, How, Identity, Item, Lock, LockKind, Presence, Receive, Recorded, Waits,
};
use waitgraph::{Certainty, Rank, Why, wait_graph};

const WINDOW: Identity = Identity(7);
const WORLD: Identity = Identity(1);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Statement {
    Work,
    Lock(usize, LockKind),
    Flush(usize),
    Unlock(usize),
    Send(usize),
    Receive(usize),
}

/// When a library asks for a lock.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Library {
    AtOnce,
    /// When what was done under it has to be complete.
    Late,
}

#[derive(Clone)]
struct Machine {
    programs: Vec<Vec<Statement>>,
    library: Library,
    at: Vec<usize>,
    inside: Vec<bool>,
    /// Who really has which part, and how.
    held: BTreeSet<(usize, usize, LockKind)>,
    /// What was asked for by calls that have returned.
    asked: BTreeSet<(usize, usize, LockKind)>,
    sent: BTreeMap<(usize, usize), u64>,
    received: BTreeMap<(usize, usize), u64>,
}

impl Machine {
    fn random(random: &mut Random) -> Machine {
        let tasks = 2 + random.below(4);
        let mut programs: Vec<Vec<Statement>> = vec![Vec::new(); tasks];
        for _ in 0..3 + random.below(8) {
            let (task, part) = (random.below(tasks), random.below(tasks));
            let other = (task + 1 + random.below(tasks - 1)) % tasks;
            if random.below(3) == 0 {
                programs[task].push(Statement::Send(other));
                programs[other].push(Statement::Receive(task));
                continue;
            }
            // Nobody may lock a part again that it has locked.
            let own = &programs[task];
            let locks = own
                .iter()
                .filter(|step| matches!(step, Statement::Lock(of, _) if *of == part));
            let unlocks = own.iter().filter(|step| **step == Statement::Unlock(part));
            if locks.count() > unlocks.count() {
                let step = [Statement::Flush(part), Statement::Unlock(part)][random.below(2)];
                programs[task].push(step);
            } else {
                let access = [LockKind::Exclusive, LockKind::Exclusive, LockKind::Shared][random.below(3)];
                programs[task].extend([Statement::Lock(part, access), Statement::Work]);
            }
        }
        Machine {
            library: [Library::AtOnce, Library::Late][random.below(2)],
            at: vec![0; tasks],
            inside: vec![false; tasks],
            held: BTreeSet::new(),
            asked: BTreeSet::new(),
            sent: BTreeMap::new(),
            received: BTreeMap::new(),
            programs,
        }
    }

    fn step(&self, task: usize) -> Option<Statement> {
        self.programs[task].get(self.at[task]).copied()
    }

    fn asked_for(&self, task: usize, part: usize) -> Option<LockKind> {
        let found = self.asked.iter().find(|(who, of, _)| (*who, *of) == (task, part));
        found.map(|(.., access)| *access)
    }

    fn has(&self, task: usize, part: usize) -> bool {
        self.held.iter().any(|(who, of, _)| (*who, *of) == (task, part))
    }

    /// Whether nobody has what excludes this.
    fn is_free(&self, task: usize, part: usize, access: LockKind) -> bool {
        let excludes = |held: &&(usize, usize, LockKind)| {
            held.1 == part
                && held.0 != task
                && (held.2 == LockKind::Exclusive || access == LockKind::Exclusive)
        };
        self.held.iter().find(excludes).is_none()
    }

    /// Whether the call that the task is in can return.
    fn completes(&self, task: usize) -> bool {
        match self.step(task).expect("it is inside a step") {
            Statement::Lock(part, access) => {
                self.library == Library::Late || self.is_free(task, part, access)
            }
            Statement::Flush(part) | Statement::Unlock(part) => {
                let access = self.asked_for(task, part).expect("it was locked");
                self.has(task, part) || self.is_free(task, part, access)
            }
            Statement::Receive(from) => {
                let count = |map: &BTreeMap<_, u64>| map.get(&(from, task)).copied().unwrap_or(0);
                count(&self.sent) > count(&self.received)
            }
            Statement::Work | Statement::Send(_) => true,
        }
    }

    fn advance(&mut self, task: usize) -> bool {
        let Some(step) = self.step(task) else {
            return false;
        };
        if !self.inside[task] {
            self.inside[task] = true;
            if let Statement::Send(to) = step {
                *self.sent.entry((task, to)).or_default() += 1;
            }
            return true;
        }
        if !self.completes(task) {
            return false;
        }
        match step {
            Statement::Lock(part, access) => {
                self.asked.insert((task, part, access));
                if self.library == Library::AtOnce {
                    self.held.insert((task, part, access));
                }
            }
            Statement::Flush(part) => {
                let access = self.asked_for(task, part).expect("it was locked");
                self.held.insert((task, part, access));
            }
            Statement::Unlock(part) => {
                self.asked.retain(|(who, of, _)| (*who, *of) != (task, part));
                self.held.retain(|(who, of, _)| (*who, *of) != (task, part));
            }
            Statement::Receive(from) => *self.received.entry((from, task)).or_default() += 1,
            Statement::Work | Statement::Send(_) => {}
        }
        self.inside[task] = false;
        self.at[task] += 1;
        true
    }

    fn run(&mut self, random: &mut Random, moves: usize) -> bool {
        for _ in 0..moves {
            let tasks = self.at.len();
            let first = random.below(tasks);
            let mut order = (0..tasks).map(|index| (first + index) % tasks);
            if !order.any(|task| self.advance(task)) {
                return false;
            }
        }
        true
    }

    /// What a recorder in the task would have written, and two looks have shown: who can go on by itself is not met standing there.
    fn record(&self, task: usize) -> Recorded {
        let lock = |part: usize, access| Lock {
            window: WINDOW,
            target: Some(Rank(part as u32)),
            access,
        };
        let waits = match self.step(task).filter(|_| self.inside[task]) {
            None => Waits::Nothing,
            Some(_) if self.completes(task) => Waits::Nothing,
            Some(Statement::Lock(part, access)) => Waits::All(vec![Item::Lock(lock(part, access))]),
            Some(Statement::Flush(part) | Statement::Unlock(part)) => {
                let access = self.asked_for(task, part).expect("it was locked");
                Waits::All(vec![Item::Lock(lock(part, access))])
            }
            Some(Statement::Receive(from)) => Waits::All(vec![Item::Message {
                receive: Receive {
                    communicator: WORLD,
                    from: From::Rank(Rank(from as u32)),
                    tag: Some(0),
                },
                before: 0,
            }]),
            Some(Statement::Work | Statement::Send(_)) => Waits::Nothing,
        };
        let channel = |peer: usize| Channel {
            communicator: WORLD,
            peer: Rank(peer as u32),
            tag: 0,
        };
        let sent = self.sent.iter().filter(|((from, _), _)| *from == task);
        let received = self.received.iter().filter(|((_, to), _)| *to == task);
        let own = self.asked.iter().filter(|(who, ..)| *who == task);
        Recorded {
            rank: Rank(task as u32),
            presence: match self.step(task) {
                Some(_) => Presence::Present,
                None => Presence::Gone,
            },
            threads: vec![(waits, How::Blocked)],
            sent: sent.map(|(&(_, to), count)| (channel(to), *count)).collect(),
            delivered: BTreeMap::new(),
            received: received
                .map(|(&(from, _), count)| (channel(from), *count))
                .collect(),
            given: BTreeMap::new(),
            used: BTreeMap::new(),
            locks: own.map(|&(_, part, access)| lock(part, access)).collect(),
            posted: Vec::new(),
            entered: BTreeMap::new(),
            has_freed: false,
            inside: Vec::new(),
            divisions: Vec::new(),
            is_partial: false,
            taken: BTreeMap::new(),
            may_be_joined: false,
        }
    }
}

/// Counts of what was seen, so that a test of nothing fails.
#[derive(Debug, Default)]
struct Seen {
    stuck: usize,
    locks: usize,
    hangs: usize,
}

fn check(seed: u64, seen: &mut Seen) {
    let mut random = Random(seed);
    let mut machine = Machine::random(&mut random);
    let moves = random.below(60);
    let can_move = machine.run(&mut random, moves);
    let tasks = machine.at.len();
    let records: Vec<Recorded> = (0..tasks).map(|task| machine.record(task)).collect();
    let graph = wait_graph(&records);
    seen.stuck += graph.stuck.len();
    for trial in 0..8 {
        let mut later = machine.clone();
        later.run(&mut Random(seed ^ trial << 40), 300);
        for stuck in &graph.stuck {
            let task = stuck.0 as usize;
            assert_eq!(
                later.at[task], machine.at[task],
                "seed {seed}: {stuck:?} went on\n{records:#?}\n{graph:#?}"
            );
        }
    }
    let wants_lock = |task: usize| {
        let is_lock = |item: &Item| matches!(item, Item::Lock(_));
        matches!(&records[task].threads[0].0, Waits::All(items) if items.iter().any(is_lock))
    };
    for edge in &graph.edges {
        if let Why::Lock(_) = edge.why {
            seen.locks += 1;
            assert_eq!(edge.certainty, Certainty::Probable, "seed {seed}: {edge:?}");
        }
    }
    assert!(
        !graph.proven.iter().any(|rank| wants_lock(rank.0 as usize)),
        "{graph:#?}"
    );
    if !can_move {
        // Who has ended with a lock is no holder, so that nobody is said to keep those who want it.
        let left = |task: usize| machine.step(task).is_none();
        let is_kept_by_one_who_left = |task: usize| {
            let mut held = machine.held.iter();
            held.any(|(who, part, _)| left(*who) && matches!(machine.step(task), Some(Statement::Lock(of, _) | Statement::Flush(of) | Statement::Unlock(of)) if of == *part))
        };
        for task in (0..tasks).filter(|&task| wants_lock(task) && !is_kept_by_one_who_left(task)) {
            seen.hangs += 1;
            let held = graph.edges.iter().any(|edge| edge.waiter.0 as usize == task);
            assert!(held, "seed {seed}: {task} stands\n{records:#?}\n{graph:#?}");
        }
    }
}

#[test]
fn who_wants_a_lock_waits_for_those_who_asked_for_it() {
    let mut seen = Seen::default();
    for seed in 0..12_000 {
        check(seed, &mut seen);
    }
    assert!(
        seen.stuck > 300 && seen.locks > 300 && seen.hangs > 300,
        "{seen:?}"
    );
}
