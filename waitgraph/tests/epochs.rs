//! Epochs of windows against executed programs: random programs of posts, starts, completes, waits and barriers are run by an interpreter in random
//! schedules, under each of the ways in which MPI lets a library wait for posts (MPI 4.0, section 12.5.2), and frozen at random moments. Whoever is said to be stuck
//! must never go on; while the one that a task waits for for certain does nothing, that task does not go on; and where nobody can move, all that wait for
//! a complete or a barrier are said to be stuck.

use base::Random;
use std::collections::BTreeMap;
use waitgraph::recorded::{
    Collective, How, Identity, Item, Needs, Presence, Recorded, Signal, Signals, Waits,
};
use waitgraph::{Certainty, Rank, Why, wait_graph};

const WINDOW: Identity = Identity(7);

#[derive(Clone, Debug, PartialEq)]
enum Statement {
    Work,
    Post(Vec<usize>),
    Start(Vec<usize>),
    Complete,
    Wait,
    Barrier,
}

/// Where a library waits for the posts of an access epoch: in start, in complete, nowhere because it has buffers, or for the first of them alone.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Library {
    InStart,
    InComplete,
    Nowhere,
    ForTheFirst,
}

#[derive(Clone)]
struct Machine {
    programs: Vec<Vec<Statement>>,
    library: Library,
    at: Vec<usize>,
    inside: Vec<bool>,
    /// The targets of the access epoch, the origins of the exposure epoch.
    targets: Vec<Vec<usize>>,
    origins: Vec<Vec<usize>>,
    given: BTreeMap<(usize, usize, Signal), u64>,
    used: BTreeMap<(usize, usize, Signal), u64>,
    entered: Vec<u64>,
}

impl Machine {
    fn random(random: &mut Random) -> Machine {
        let tasks = 2 + random.below(4);
        let mut programs: Vec<Vec<Statement>> = vec![Vec::new(); tasks];
        for _ in 0..1 + random.below(5) {
            if random.below(4) == 0 {
                let all = 0..tasks;
                all.for_each(|task| programs[task].push(Statement::Barrier));
                continue;
            }
            // Some have an access epoch to some others, which have exposure epochs to these, unless they forget it.
            let is_origin: Vec<bool> = (0..tasks).map(|_| random.below(2) == 0).collect();
            let origins = Vec::from_iter((0..tasks).filter(|&task| is_origin[task]));
            let targets = Vec::from_iter((0..tasks).filter(|&task| !is_origin[task]));
            if origins.is_empty() || targets.is_empty() {
                continue;
            }
            for &target in &targets {
                if random.below(8) > 0 {
                    programs[target].extend([
                        Statement::Post(origins.clone()),
                        Statement::Work,
                        Statement::Wait,
                    ]);
                }
            }
            for &origin in &origins {
                match random.below(8) {
                    0 => {}
                    1 => programs[origin].push(Statement::Start(targets.clone())),
                    _ => programs[origin].extend([Statement::Start(targets.clone()), Statement::Complete]),
                }
            }
        }
        let libraries = [
            Library::InStart,
            Library::InComplete,
            Library::Nowhere,
            Library::ForTheFirst,
        ];
        Machine {
            library: libraries[random.below(4)],
            at: vec![0; tasks],
            inside: vec![false; tasks],
            targets: vec![Vec::new(); tasks],
            origins: vec![Vec::new(); tasks],
            given: BTreeMap::new(),
            used: BTreeMap::new(),
            entered: vec![0; tasks],
            programs,
        }
    }

    fn step(&self, task: usize) -> Option<&Statement> {
        self.programs[task].get(self.at[task])
    }

    /// Whether the signal of `from` is there that this epoch of `to` takes.
    fn has_come(&self, from: usize, to: usize, signal: Signal) -> bool {
        let count =
            |map: &BTreeMap<(usize, usize, Signal), u64>| map.get(&(from, to, signal)).copied().unwrap_or(0);
        count(&self.given) > count(&self.used)
    }

    fn completes(&self, task: usize) -> bool {
        let posted = |target: &usize| self.has_come(*target, task, Signal::Post);
        let mut targets = self.targets[task].iter();
        match (self.step(task).expect("it is inside a step"), self.library) {
            (Statement::Start(_), Library::InStart) | (Statement::Complete, Library::InComplete) => {
                targets.all(posted)
            }
            (Statement::Start(_), Library::ForTheFirst) => targets.next().is_none_or(posted),
            (Statement::Wait, _) => {
                let completed = |origin: &usize| self.has_come(*origin, task, Signal::Complete);
                self.origins[task].iter().all(completed)
            }
            (Statement::Barrier, _) => self.entered.iter().all(|&entered| entered >= self.entered[task]),
            _ => true,
        }
    }

    fn give(&mut self, from: usize, to: &[usize], signal: Signal) {
        for &to in to {
            *self.given.entry((from, to, signal)).or_default() += 1;
        }
    }

    fn advance(&mut self, task: usize) -> bool {
        let Some(step) = self.step(task).cloned() else {
            return false;
        };
        if !self.inside[task] {
            self.inside[task] = true;
            match step {
                Statement::Post(origins) => {
                    self.give(task, &origins, Signal::Post);
                    self.origins[task] = origins;
                }
                Statement::Start(targets) => self.targets[task] = targets,
                Statement::Complete => self.give(task, &self.targets[task].clone(), Signal::Complete),
                Statement::Barrier => self.entered[task] += 1,
                Statement::Work | Statement::Wait => {}
            }
            return true;
        }
        if !self.completes(task) {
            return false;
        }
        let ends = match step {
            Statement::Complete => Some((Signal::Post, std::mem::take(&mut self.targets[task]))),
            Statement::Wait => Some((Signal::Complete, std::mem::take(&mut self.origins[task]))),
            _ => None,
        };
        for (signal, peer) in ends
            .into_iter()
            .flat_map(|(signal, peers)| peers.into_iter().map(move |peer| (signal, peer)))
        {
            *self.used.entry((peer, task, signal)).or_default() += 1;
        }
        self.inside[task] = false;
        self.at[task] += 1;
        true
    }

    fn run(&mut self, random: &mut Random, moves: usize, may_move: impl Fn(usize) -> bool) -> bool {
        for _ in 0..moves {
            let tasks = self.at.len();
            let first = random.below(tasks);
            let mut order = (0..tasks)
                .map(|index| (first + index) % tasks)
                .filter(|&task| may_move(task));
            if !order.any(|task| self.advance(task)) {
                return false;
            }
        }
        true
    }

    /// What a recorder in the task would have written.
    fn record(&self, task: usize) -> Recorded {
        let signals = |peers: &[usize], signal: Signal| {
            let item = |&peer: &usize| Item::Signal(key(peer, signal));
            Vec::from_iter(peers.iter().map(item))
        };
        let barrier = Collective {
            communicator: Identity(1),
            members: (0..self.at.len() as u32).map(Rank).collect(),
            ordinal: self.entered[task],
            operation: 0,
            root: None,
            bytes: None,
            reduction: None,
            needs: Needs::All,
        };
        let step = self.step(task).filter(|_| self.inside[task]);
        let waits = match step {
            None | Some(Statement::Work | Statement::Post(_)) => Waits::Nothing,
            // It does not stand there: whether a library waits there is told by that alone.
            Some(Statement::Start(_) | Statement::Complete) if self.completes(task) => Waits::Nothing,
            Some(Statement::Start(targets)) => Waits::Some(signals(targets, Signal::Post)),
            // Of several targets a complete may as well wait for what it does to them.
            Some(Statement::Complete) => match &self.targets[task][..] {
                [_] => Waits::Some(signals(&self.targets[task], Signal::Post)),
                _ => Waits::Nothing,
            },
            Some(Statement::Wait) => Waits::All(signals(&self.origins[task], Signal::Complete)),
            Some(Statement::Barrier) => Waits::All(vec![Item::Collective(barrier.clone())]),
        };
        let own = self.given.iter().filter(|((from, ..), _)| *from == task);
        let used = self.used.iter().filter(|((_, to, _), _)| *to == task);
        Recorded {
            rank: Rank(task as u32),
            presence: match self.step(task) {
                Some(_) => Presence::Present,
                None => Presence::Gone,
            },
            threads: vec![(waits, How::Blocked)],
            sent: BTreeMap::new(),
            delivered: BTreeMap::new(),
            received: BTreeMap::new(),
            given: own
                .map(|(&(_, to, signal), count)| (key(to, signal), *count))
                .collect(),
            used: used
                .map(|(&(from, _, signal), count)| (key(from, signal), *count))
                .collect(),
            locks: Vec::new(),
            posted: Vec::new(),
            entered: BTreeMap::from([(Identity(1), self.entered[task])]),
            has_freed: false,
            inside: Vec::from_iter((step == Some(&Statement::Barrier)).then_some(barrier)),
            divisions: Vec::new(),
            is_partial: false,
            taken: BTreeMap::new(),
            may_be_joined: false,
        }
    }
}

fn key(peer: usize, signal: Signal) -> Signals {
    Signals {
        window: WINDOW,
        peer: Rank(peer as u32),
        signal,
    }
}

/// Counts of what was seen, so that a test of nothing fails.
#[derive(Debug, Default)]
struct Seen {
    stuck: usize,
    posts: usize,
    completes: usize,
    hangs: usize,
}

fn check(seed: u64, seen: &mut Seen) {
    let mut random = Random(seed);
    let mut machine = Machine::random(&mut random);
    let moves = random.below(60);
    let can_move = machine.run(&mut random, moves, |_| true);
    let tasks = machine.at.len();
    let records: Vec<Recorded> = (0..tasks).map(|task| machine.record(task)).collect();
    let graph = wait_graph(&records);
    seen.stuck += graph.stuck.len();
    for trial in 0..8 {
        let mut later = machine.clone();
        later.run(&mut Random(seed ^ trial << 40), 300, |_| true);
        for stuck in &graph.stuck {
            let task = stuck.0 as usize;
            assert_eq!(
                later.at[task], machine.at[task],
                "seed {seed}: {stuck:?} went on\n{records:#?}\n{graph:#?}"
            );
        }
    }
    if !can_move {
        let waits_surely =
            |task: &usize| matches!(machine.step(*task), Some(Statement::Wait | Statement::Barrier));
        for task in (0..tasks).filter(waits_surely) {
            seen.hangs += 1;
            let held = graph.edges.iter().any(|edge| edge.waiter.0 as usize == task);
            assert!(held, "seed {seed}: {task} stands\n{records:#?}\n{graph:#?}");
        }
    }
    for edge in graph
        .edges
        .iter()
        .filter(|edge| edge.certainty == Certainty::Proven)
    {
        match edge.why {
            Why::Signal {
                signal: Signal::Post, ..
            } => seen.posts += 1,
            Why::Signal {
                signal: Signal::Complete,
                ..
            } => seen.completes += 1,
            _ => {}
        }
        let waiter = edge.waiter.0 as usize;
        for on in edge.on.iter() {
            for trial in 0..4 {
                let mut later = machine.clone();
                later.run(&mut Random(seed ^ trial << 41), 300, |task| task != on.0 as usize);
                assert_eq!(
                    later.at[waiter], machine.at[waiter],
                    "seed {seed}: {edge:?}\n{records:#?}"
                );
            }
        }
    }
}

#[test]
fn who_waits_for_an_epoch_waits_for_the_right_ones() {
    let mut seen = Seen::default();
    for seed in 0..6_000 {
        check(seed, &mut seen);
    }
    assert!(
        seen.stuck > 300 && seen.posts > 300 && seen.completes > 300 && seen.hangs > 300,
        "{seen:?}"
    );
}
