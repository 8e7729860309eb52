//! The wait graph against executed programs: random programs of messages, requests and collective operations are run by an interpreter of
//! MPI's semantics in random schedules and frozen at random moments. Whoever is said to be stuck must never go on, in any of many
//! continuations; when nobody can move, all that are left must be said to be stuck; and while `on` does nothing, nobody who waits for it alone goes on.

use base::Random;
use std::collections::BTreeMap;
use std::sync::Arc;
use waitgraph::recorded::{
    Channel, Collective, Division, From, How, Identity, Item, Needs, Neighbours, Peers, Portions, Presence,
    Receive, Recorded, Waits,
};
use waitgraph::{Certainty, Differ, Mismatch, Rank, Why, wait_graph};

#[derive(Clone, Debug)]
enum Statement {
    Work,
    /// Over a communicator to a task, under a tag; the second begins it and leaves a request.
    Send(usize, usize, i64),
    Isend(usize, usize, i64),
    Receive(usize, Option<usize>, Option<i64>),
    Ireceive(usize, Option<usize>, Option<i64>),
    Probe(usize, Option<usize>, Option<i64>),
    Exchange(usize, usize, usize, i64),
    WaitAll,
    WaitAny,
    Collective(usize, CollectiveKind, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CollectiveKind {
    Barrier,
    Bcast,
    Reduce,
    Scan,
    Neighbours,
}

#[derive(Clone, Debug)]
struct Message {
    communicator: usize,
    from: usize,
    to: usize,
    tag: i64,
    matched: bool,
}

#[derive(Clone, Debug)]
struct Posted {
    task: usize,
    communicator: usize,
    from: Option<usize>,
    tag: Option<i64>,
    matched: Option<usize>,
    /// The program has seen that it is complete.
    seen: bool,
}

/// What a task waits for in its step: indices of messages and of posted receives.
#[derive(Clone, Debug)]
enum Request {
    Send(usize),
    Receive(usize),
}

#[derive(Clone)]
struct Machine {
    programs: Vec<Vec<Statement>>,
    members: Vec<Vec<usize>>,
    /// Of whom each task takes in operations among neighbours, by communicator.
    sources: Vec<Vec<Vec<usize>>>,
    /// Sends are complete at once, not when they are received.
    eager: bool,
    at: Vec<usize>,
    inside: Vec<bool>,
    own: Vec<Vec<Request>>,
    requests: Vec<Vec<Request>>,
    messages: Vec<Message>,
    posted: Vec<Posted>,
    entered: Vec<Vec<u64>>,
}

impl Machine {
    fn random(random: &mut Random) -> Machine {
        let tasks = 2 + random.below(4);
        let mut members = vec![(0..tasks).collect::<Vec<_>>()];
        for _ in 0..random.below(3) {
            let some: Vec<usize> = (0..tasks).filter(|_| random.below(3) > 0).collect();
            if some.len() > 1 {
                members.push(some);
            }
        }
        let mut programs: Vec<Vec<Statement>> = vec![Vec::new(); tasks];
        for _ in 0..3 + random.below(14) {
            let communicator = random.below(members.len());
            let group = members[communicator].clone();
            let (a, b) = (group[random.below(group.len())], group[random.below(group.len())]);
            let tag = random.below(2) as i64;
            let from = (random.below(4) > 0).then_some(a);
            let wanted = (random.below(5) > 0).then_some(if random.below(8) == 0 { 1 - tag } else { tag });
            match random.below(9) {
                0 => programs[a].push(Statement::Work),
                1 | 2 => {
                    let kinds = [
                        CollectiveKind::Barrier,
                        CollectiveKind::Bcast,
                        CollectiveKind::Reduce,
                        CollectiveKind::Scan,
                        CollectiveKind::Neighbours,
                    ];
                    let (kind, root) = (kinds[random.below(kinds.len())], a);
                    for &task in &group {
                        // Rarely one forgets its part, and never calls another on the communicator, which would be a wrong program.
                        if random.below(10) > 0 {
                            programs[task].push(Statement::Collective(communicator, kind, root));
                        } else {
                            programs[task].push(Statement::WaitAny);
                            programs[task].push(Statement::Receive(communicator, Some(b), Some(9)));
                        }
                    }
                }
                3 if a != b => {
                    programs[a].push(Statement::Exchange(communicator, b, b, tag));
                    programs[b].push(Statement::Exchange(communicator, a, a, tag));
                }
                4 => programs[a].push(if random.below(2) == 0 {
                    Statement::WaitAll
                } else {
                    Statement::WaitAny
                }),
                _ if a != b => {
                    if random.below(6) > 0 {
                        programs[a].push(match random.below(2) {
                            0 => Statement::Send(communicator, b, tag),
                            _ => Statement::Isend(communicator, b, tag),
                        });
                    }
                    programs[b].push(match random.below(5) {
                        0 => Statement::Probe(communicator, from, wanted),
                        1 | 2 => Statement::Ireceive(communicator, from, wanted),
                        _ => Statement::Receive(communicator, from, wanted),
                    });
                }
                _ => {}
            }
        }
        let n = members.len();
        let mut some_of = |group: &Vec<usize>| {
            let some = group.iter().copied().filter(|_| random.below(3) == 0);
            Vec::from_iter(some)
        };
        let sources = members
            .iter()
            .map(|group| (0..tasks).map(|_| some_of(group)).collect())
            .collect();
        Machine {
            sources,
            members,
            eager: random.below(2) == 0,
            at: vec![0; tasks],
            inside: vec![false; tasks],
            own: vec![Vec::new(); tasks],
            requests: vec![Vec::new(); tasks],
            messages: Vec::new(),
            posted: Vec::new(),
            entered: vec![vec![0; n]; tasks],
            programs,
        }
    }

    fn step(&self, task: usize) -> Option<&Statement> {
        self.programs[task].get(self.at[task])
    }

    fn fits(posted: &Posted, message: &Message) -> bool {
        posted.task == message.to
            && posted.communicator == message.communicator
            && posted.from.is_none_or(|from| from == message.from)
            && posted.tag.is_none_or(|tag| tag == message.tag)
    }

    fn send(&mut self, communicator: usize, from: usize, to: usize, tag: i64) -> Request {
        let mut message = Message {
            communicator,
            from,
            to,
            tag,
            matched: false,
        };
        let index = self.messages.len();
        let open = self
            .posted
            .iter_mut()
            .find(|posted| posted.matched.is_none() && Self::fits(posted, &message));
        if let Some(posted) = open {
            posted.matched = Some(index);
            message.matched = true;
        }
        self.messages.push(message);
        Request::Send(index)
    }

    fn post(&mut self, task: usize, communicator: usize, from: Option<usize>, tag: Option<i64>) -> Request {
        let mut posted = Posted {
            task,
            communicator,
            from,
            tag,
            matched: None,
            seen: false,
        };
        let first = self
            .messages
            .iter()
            .position(|message| !message.matched && Self::fits(&posted, message));
        if let Some(index) = first {
            self.messages[index].matched = true;
            posted.matched = Some(index);
        }
        self.posted.push(posted);
        Request::Receive(self.posted.len() - 1)
    }

    fn is_complete(&self, request: &Request) -> bool {
        match request {
            Request::Send(index) => self.eager || self.messages[*index].matched,
            Request::Receive(index) => self.posted[*index].matched.is_some(),
        }
    }

    fn see(&mut self, request: &Request) {
        if let Request::Receive(index) = request {
            self.posted[*index].seen = true;
        }
    }

    fn completes(&self, task: usize) -> bool {
        match self.step(task).expect("it is inside a step") {
            Statement::Work | Statement::Isend(..) | Statement::Ireceive(..) => true,
            Statement::Send(..) | Statement::Receive(..) | Statement::Exchange(..) => {
                self.own[task].iter().all(|request| self.is_complete(request))
            }
            Statement::Probe(communicator, from, tag) => {
                let posted = Posted {
                    task,
                    communicator: *communicator,
                    from: *from,
                    tag: *tag,
                    matched: None,
                    seen: false,
                };
                self.messages
                    .iter()
                    .any(|message| !message.matched && Self::fits(&posted, message))
            }
            Statement::WaitAll => self.requests[task]
                .iter()
                .all(|request| self.is_complete(request)),
            Statement::WaitAny => {
                self.requests[task].is_empty()
                    || self.requests[task]
                        .iter()
                        .any(|request| self.is_complete(request))
            }
            Statement::Collective(c, kind, root) => {
                let group = &self.members[*c];
                let mine = self.entered[task][*c];
                let has = |other: usize| self.entered[other][*c] >= mine;
                match kind {
                    CollectiveKind::Barrier => group.iter().all(|&other| has(other)),
                    CollectiveKind::Bcast => has(*root),
                    CollectiveKind::Reduce => task != *root || group.iter().all(|&other| has(other)),
                    CollectiveKind::Scan => group
                        .iter()
                        .take_while(|&&other| other != task)
                        .all(|&other| has(other)),
                    CollectiveKind::Neighbours => self.sources[*c][task].iter().all(|&other| has(other)),
                }
            }
        }
    }

    /// One move of a task; false if it cannot move.
    fn advance(&mut self, task: usize) -> bool {
        let Some(step) = self.step(task).cloned() else {
            return false;
        };
        if !self.inside[task] {
            self.inside[task] = true;
            match step {
                Statement::Send(c, to, tag) => self.own[task] = vec![self.send(c, task, to, tag)],
                Statement::Receive(c, from, tag) => self.own[task] = vec![self.post(task, c, from, tag)],
                Statement::Exchange(c, to, from, tag) => {
                    let receive = self.post(task, c, Some(from), Some(tag));
                    self.own[task] = vec![self.send(c, task, to, tag), receive];
                }
                Statement::Isend(c, to, tag) => {
                    let request = self.send(c, task, to, tag);
                    self.requests[task].push(request);
                }
                Statement::Ireceive(c, from, tag) => {
                    let request = self.post(task, c, from, tag);
                    self.requests[task].push(request);
                }
                Statement::Collective(c, ..) => self.entered[task][c] += 1,
                Statement::Work | Statement::Probe(..) | Statement::WaitAll | Statement::WaitAny => {}
            }
            return true;
        }
        if !self.completes(task) {
            return false;
        }
        match step {
            Statement::WaitAll => {
                let done = std::mem::take(&mut self.requests[task]);
                done.iter().for_each(|request| self.see(request));
            }
            Statement::WaitAny => {
                let first = self.requests[task]
                    .iter()
                    .position(|request| self.is_complete(request));
                if let Some(first) = first {
                    let request = self.requests[task].remove(first);
                    self.see(&request);
                }
            }
            _ => {
                let done = std::mem::take(&mut self.own[task]);
                done.iter().for_each(|request| self.see(request));
            }
        }
        self.inside[task] = false;
        self.at[task] += 1;
        true
    }

    /// Moves tasks at random until nobody can move, or `moves` are made; the moves that are left.
    fn run(&mut self, random: &mut Random, mut moves: usize, may_move: impl Fn(usize) -> bool) -> usize {
        while moves > 0 {
            let tasks = self.at.len();
            let first = random.below(tasks);
            let moved = (0..tasks)
                .map(|index| (first + index) % tasks)
                .filter(|&task| may_move(task))
                .any(|task| self.advance(task));
            if !moved {
                break;
            }
            moves -= 1;
        }
        moves
    }

    // What a recorder in each task would have written.

    fn receive(&self, index: usize) -> Receive {
        let posted = &self.posted[index];
        self.receive_of(posted.task, posted.communicator, posted.from, posted.tag)
    }

    fn receive_of(&self, task: usize, communicator: usize, from: Option<usize>, tag: Option<i64>) -> Receive {
        let others = self.members[communicator]
            .iter()
            .filter(|&&member| member != task);
        Receive {
            communicator: Identity(communicator as u64),
            from: match from {
                Some(from) => From::Rank(Rank(from as u32)),
                None => From::AnyOf(others.map(|&member| Rank(member as u32)).collect()),
            },
            tag,
        }
    }

    fn under_way(&self, task: usize) -> Vec<usize> {
        let all = 0..self.posted.len();
        all.filter(|&index| self.posted[index].task == task && !self.posted[index].seen)
            .collect()
    }

    fn item(&self, task: usize, request: &Request) -> Item {
        match request {
            Request::Receive(index) => Item::Message {
                receive: self.receive(*index),
                before: self
                    .under_way(task)
                    .into_iter()
                    .filter(|each| each < index)
                    .map(|each| self.receive(each))
                    .collect(),
            },
            Request::Send(index) => {
                let message = &self.messages[*index];
                let same = |other: &&Message| {
                    (other.communicator, other.from, other.to, other.tag)
                        == (message.communicator, message.from, message.to, message.tag)
                };
                Item::Delivery {
                    channel: channel(message.communicator, message.to, message.tag),
                    number: self.messages[..=*index].iter().filter(same).count() as u64,
                }
            }
        }
    }

    fn record(&self, task: usize) -> Recorded {
        let collective = |c: usize, kind: CollectiveKind, root: usize| Collective {
            communicator: Identity(c as u64),
            members: self.members[c]
                .iter()
                .map(|&member| Rank(member as u32))
                .collect(),
            ordinal: self.entered[task][c],
            operation: kind as u32,
            root: matches!(kind, CollectiveKind::Bcast | CollectiveKind::Reduce).then_some(Rank(root as u32)),
            bytes: None,
            reduction: None,
            needs: match kind {
                CollectiveKind::Barrier => Needs::All,
                CollectiveKind::Bcast => Needs::Root(Rank(root as u32)),
                CollectiveKind::Reduce if root == task => Needs::All,
                CollectiveKind::Reduce => Needs::Nothing,
                CollectiveKind::Scan => Needs::Lower,
                CollectiveKind::Neighbours => {
                    let of = &self.sources[c];
                    let others = self.members[c].iter().copied();
                    let others = others.filter(|other| {
                        *other != task && of[*other].contains(&task) && !of[task].contains(other)
                    });
                    let ranks = |list: Vec<usize>| list.into_iter().map(|rank| Rank(rank as u32)).collect();
                    Needs::Neighbours(Arc::new(Neighbours {
                        sources: ranks(of[task].clone()),
                        others: ranks(others.collect()),
                    }))
                }
            },
        };
        let items = |requests: &[Request]| {
            requests
                .iter()
                .map(|request| self.item(task, request))
                .collect::<Vec<_>>()
        };
        // A request that is complete is still recorded as under way, and one that MPI has completed at once as well.
        let pending = |requests: &[Request]| {
            let waiting = requests
                .iter()
                .filter(|request| !matches!(request, Request::Send(_)) || !self.is_complete(request));
            waiting.cloned().collect::<Vec<_>>()
        };
        let mut inside = Vec::new();
        let waits = match self.step(task).filter(|_| self.inside[task]) {
            None | Some(Statement::Work | Statement::Isend(..) | Statement::Ireceive(..)) => Waits::Nothing,
            Some(Statement::Send(..) | Statement::Receive(..) | Statement::Exchange(..)) => {
                Waits::All(items(&pending(&self.own[task])))
            }
            Some(Statement::WaitAll) => Waits::All(items(&pending(&self.requests[task]))),
            Some(Statement::WaitAny) if pending(&self.requests[task]).len() < self.requests[task].len() => {
                Waits::Nothing
            }
            Some(Statement::WaitAny) => Waits::One(items(&self.requests[task])),
            Some(Statement::Probe(c, from, tag)) => Waits::All(vec![Item::Message {
                receive: self.receive_of(task, *c, *from, *tag),
                before: self
                    .under_way(task)
                    .into_iter()
                    .map(|each| self.receive(each))
                    .collect(),
            }]),
            Some(Statement::Collective(c, kind, root)) => {
                inside.push(collective(*c, *kind, *root));
                Waits::All(vec![Item::Collective(collective(*c, *kind, *root))])
            }
        };
        let mut sent: BTreeMap<Channel, u64> = BTreeMap::new();
        let mut received: BTreeMap<Channel, u64> = BTreeMap::new();
        for message in self.messages.iter().filter(|message| message.from == task) {
            *sent
                .entry(channel(message.communicator, message.to, message.tag))
                .or_default() += 1;
        }
        for posted in self
            .posted
            .iter()
            .filter(|posted| posted.task == task && posted.seen)
        {
            let message = &self.messages[posted.matched.expect("it is seen")];
            *received
                .entry(channel(message.communicator, message.from, message.tag))
                .or_default() += 1;
        }
        Recorded {
            rank: Rank(task as u32),
            presence: if self.at[task] == self.programs[task].len() {
                Presence::Gone
            } else {
                Presence::Present
            },
            threads: vec![(waits, How::Blocked)],
            sent,
            delivered: BTreeMap::new(),
            received,
            given: BTreeMap::new(),
            used: BTreeMap::new(),
            locks: Vec::new(),
            posted: self
                .under_way(task)
                .into_iter()
                .map(|index| self.receive(index))
                .collect(),
            entered: (0..self.members.len())
                .map(|c| (Identity(c as u64), self.entered[task][c]))
                .collect(),
            inside,
            divisions: Vec::new(),
            is_partial: false,
        }
    }
}

fn channel(communicator: usize, peer: usize, tag: i64) -> Channel {
    Channel {
        communicator: Identity(communicator as u64),
        peer: Rank(peer as u32),
        tag,
    }
}

/// Counts of what was seen, so that a test of nothing fails.
#[derive(Debug, Default)]
struct Seen {
    stuck: usize,
    cycles: usize,
    edges: usize,
    deadlocks: usize,
}

fn check(seed: u64, seen: &mut Seen) {
    let mut random = Random(seed);
    let mut machine = Machine::random(&mut random);
    let moves = random.below(120);
    let all_moved = machine.run(&mut random, moves, |_| true) > 0;
    let tasks = machine.at.len();
    let records: Vec<Recorded> = (0..tasks).map(|task| machine.record(task)).collect();
    let graph = wait_graph(&records);
    seen.stuck += graph.stuck.len();
    seen.cycles += graph.cycles.len();
    assert!(
        graph.missing.is_empty() && graph.mismatches.is_empty(),
        "seed {seed}: {graph:?}"
    );
    // Whoever is stuck is held by somebody who cannot go on either, in the end by a closed group or by one that is gone.
    assert!(
        graph.stuck.is_empty() || graph.closed > 0 || !graph.orphans.is_empty(),
        "seed {seed}: {graph:?}"
    );
    for (at, cycle) in graph.cycles.iter().enumerate() {
        let own = graph.edges.iter().filter(|edge| cycle.contains(&edge.waiter));
        let outside = |on: &&Rank| graph.stuck.contains(on) && !cycle.contains(on);
        let leads_out = own.flat_map(|edge| edge.on.iter()).any(|on| outside(&on));
        assert_eq!(leads_out, at >= graph.closed, "seed {seed}: {graph:?}");
    }
    for trial in 0..12 {
        let mut random = Random(seed ^ trial << 40);
        let mut later = machine.clone();
        later.run(&mut random, 400, |_| true);
        for stuck in &graph.stuck {
            let task = stuck.0 as usize;
            assert_eq!(
                later.at[task], machine.at[task],
                "seed {seed}: {stuck:?} went on\n{records:#?}\n{graph:#?}"
            );
        }
    }
    if all_moved {
        let left = (0..tasks).filter(|&task| machine.at[task] < machine.programs[task].len());
        let left: Vec<Rank> = left.map(|task| Rank(task as u32)).collect();
        seen.deadlocks += usize::from(!left.is_empty());
        // Which message a receive has taken that takes several is known only once it is complete: behind such a one a message may have come.
        let is_open = |task: &Recorded| {
            let open = |each: &Receive| each.tag.is_none() || matches!(each.from, From::AnyOf(_));
            let takers = task.posted.iter().filter(|each| open(each)).count();
            let alone = task.posted.len() == 1
                && matches!(machine.step(task.rank.0 as usize), Some(Statement::Receive(..)));
            takers > 0 && !alone
        };
        if records.iter().any(is_open) {
            return;
        }
        assert_eq!(
            graph.stuck, left,
            "seed {seed}: nobody moves\n{records:#?}\n{graph:#?}"
        );
        assert!(
            left.is_empty() || !graph.cycles.is_empty() || !graph.orphans.is_empty(),
            "seed {seed}: {graph:?}"
        );
    }
    for edge in &graph.edges {
        let alternatives = matches!(
            edge.why,
            Why::Message {
                alternatives: true,
                ..
            }
        );
        if alternatives
            || edge.certainty != Certainty::Proven
            || machine.step(edge.waiter.0 as usize).is_none()
        {
            continue;
        }
        if matches!(machine.step(edge.waiter.0 as usize), Some(Statement::WaitAny)) {
            continue;
        }
        seen.edges += 1;
        let waiter = edge.waiter.0 as usize;
        for (trial, on) in (0..6).flat_map(|trial| edge.on.iter().map(move |on| (trial, on.0 as usize))) {
            let mut random = Random(seed ^ trial << 41);
            let mut later = machine.clone();
            later.run(&mut random, 400, |task| task != on);
            assert_eq!(
                later.at[waiter], machine.at[waiter],
                "seed {seed}: {edge:?}\n{records:#?}"
            );
        }
    }
}

#[test]
fn who_is_stuck_never_goes_on() {
    let mut seen = Seen::default();
    for seed in 0..12_000 {
        check(seed, &mut seen);
    }
    let Seen {
        stuck,
        cycles,
        edges,
        deadlocks,
    } = seen;
    assert!(
        stuck > 5_000 && cycles > 500 && edges > 10_000 && deadlocks > 2_000,
        "{seen:?}"
    );
}

/// A task in its first barrier, or before it.
fn at_barrier(rank: u32, members: &Arc<[Rank]>, is_inside: bool) -> Recorded {
    let barrier = Collective {
        communicator: Identity(1),
        members: Arc::clone(members),
        ordinal: 1,
        operation: 0,
        root: None,
        bytes: None,
        reduction: None,
        needs: Needs::All,
    };
    let waits = match is_inside {
        true => Waits::All(vec![Item::Collective(barrier.clone())]),
        false => Waits::Nothing,
    };
    Recorded {
        rank: Rank(rank),
        presence: Presence::Present,
        threads: vec![(waits, How::Blocked)],
        sent: BTreeMap::new(),
        delivered: BTreeMap::new(),
        received: BTreeMap::new(),
        given: BTreeMap::new(),
        used: BTreeMap::new(),
        locks: Vec::new(),
        posted: Vec::new(),
        entered: BTreeMap::from([(Identity(1), u64::from(is_inside))]),
        inside: Vec::from_iter(is_inside.then_some(barrier)),
        divisions: Vec::new(),
        is_partial: false,
    }
}

#[test]
fn many_who_wait_for_many_share_one_list_of_them() {
    let members: Arc<[Rank]> = (0..20_000).map(Rank).collect();
    let is_inside = |rank: u32| rank.is_multiple_of(2);
    let tasks: Vec<Recorded> = (0..20_000)
        .map(|rank| at_barrier(rank, &members, is_inside(rank)))
        .collect();
    let graph = wait_graph(&tasks);
    assert_eq!(graph.edges.len(), 10_000);
    let first = &graph.edges[0].on;
    assert!(graph.edges.iter().all(|edge| Arc::ptr_eq(&edge.on, first)));
    assert_eq!(
        graph.awaited,
        Vec::from_iter((0..20_000).filter(|rank| !is_inside(*rank)).map(Rank))
    );
    assert!(graph.stuck.is_empty() && graph.cycles.is_empty());
}

#[test]
fn a_long_chain_of_waits_ends_at_the_first() {
    let length = 20_000;
    let waits_for_the_next = |rank: u32| {
        let receive = Receive {
            communicator: Identity(1),
            from: From::Rank(Rank((rank + 1) % length)),
            tag: Some(7),
        };
        let mut task = at_barrier(rank, &Arc::from([]), false);
        let message = Item::Message {
            receive: receive.clone(),
            before: Vec::new(),
        };
        task.threads = vec![(Waits::All(vec![message]), How::Blocked)];
        task.posted = vec![receive];
        task
    };
    let mut tasks: Vec<Recorded> = (0..length).map(waits_for_the_next).collect();
    let ring = wait_graph(&tasks);
    assert_eq!(ring.cycles, [Vec::from_iter((0..length).map(Rank))]);
    assert_eq!(ring.proven, ring.stuck);
    tasks[length as usize - 1] = at_barrier(length - 1, &Arc::from([]), false);
    let chain = wait_graph(&tasks);
    assert_eq!((chain.stuck.len(), chain.awaited), (0, vec![Rank(length - 1)]));
}

/// Of three in one operation the first does not tell its size, and the others tell different ones: these are named.
#[test]
fn sizes_are_compared_among_those_who_tell_them() {
    let members: Arc<[Rank]> = (0..4).map(Rank).collect();
    let with = |rank: u32, bytes: Option<u64>, reduction: Option<u32>| {
        let mut task = at_barrier(rank, &members, true);
        for collective in &mut task.inside {
            (collective.bytes, collective.reduction) = (bytes, reduction);
        }
        task
    };
    let found = |tasks: &[Recorded]| {
        let graph = wait_graph(tasks);
        let pair = |each: &Mismatch| (each.one.0.0, each.other.0.0, each.differ);
        Vec::from_iter(graph.mismatches.iter().map(pair))
    };
    let tasks = [
        with(0, None, None),
        with(1, Some(4), Some(2)),
        with(2, Some(8), Some(2)),
        with(3, Some(4), Some(1)),
    ];
    assert_eq!(found(&tasks), [(1, 2, Differ::Bytes), (1, 3, Differ::Reduction)]);
    assert_eq!(
        found(&[
            with(0, Some(4), None),
            with(1, Some(4), Some(2)),
            with(2, None, Some(2))
        ]),
        []
    );
}

/// Each of three gives and takes 4 bytes of each. Where one gives another less it is told, though the giver has left, and of the root's list nobody else knows.
#[test]
fn portions_are_compared_pair_by_pair() {
    let members: Arc<[Rank]> = [2, 0, 1].map(Rank).into();
    let each = |bytes: [Option<u64>; 3]| Portions::OfMembers(bytes.to_vec());
    let task = |rank: u32, gives: Portions, takes: Portions| {
        let mut task = at_barrier(rank, &members, true);
        task.divisions = vec![Division {
            communicator: Identity(1),
            ordinal: 1,
            operation: 0,
            peers: Peers::All {
                ranks: Arc::clone(&members),
                place: members
                    .iter()
                    .position(|member| *member == Rank(rank))
                    .expect("it is a member"),
            },
            gives,
            takes,
        }];
        task
    };
    let found = |tasks: &[Recorded]| {
        let graph = wait_graph(tasks);
        let pair = |each: &Mismatch| (each.one.0.0, each.other.0.0, each.differ);
        Vec::from_iter(graph.mismatches.iter().map(pair))
    };
    let alike = || each([Some(4); 3]);
    let mut tasks = [0, 1, 2].map(|rank| task(rank, alike(), alike()));
    assert_eq!(found(&tasks), []);
    // To rank 1, which is the last member.
    tasks[2] = task(2, each([Some(4), None, Some(0)]), alike());
    tasks[2].inside.clear();
    let differ = Differ::Portion { given: 0, taken: 4 };
    assert_eq!(found(&tasks), [(2, 1, differ)]);
    // A list of the root, which is the member in the middle, against what the others give it.
    let to_root = |bytes: u64| Portions::OfRoot(1, Some(bytes));
    let none = || Portions::OfMembers(Vec::new());
    let tasks = [
        task(0, to_root(4), each([Some(8), Some(4), Some(4)])),
        task(1, to_root(4), none()),
        task(2, to_root(12), none()),
    ];
    let differ = Differ::Portion { given: 12, taken: 8 };
    assert_eq!(found(&tasks), [(2, 0, differ)]);
}

/// Ranks 0 and 2 are one side, and ranks 1, 3 and 4 the other: each gives each of the other side as many bytes as that one takes, but rank 3 takes less of rank 2.
#[test]
fn portions_between_two_sides_are_compared_across() {
    let members: Arc<[Rank]> = (0..5).map(Rank).collect();
    let (one, other): (Arc<[Rank]>, Arc<[Rank]>) = ([0, 2].map(Rank).into(), [1, 3, 4].map(Rank).into());
    let task = |rank: u32, takes_less: bool| {
        let (own, peers) = if one.contains(&Rank(rank)) {
            (&one, &other)
        } else {
            (&other, &one)
        };
        let to_each = |bytes: u64| Portions::OfMembers(vec![Some(bytes); peers.len()]);
        let mut takes = vec![Some(8); peers.len()];
        if takes_less {
            takes[1] = Some(4);
        }
        let mut task = at_barrier(rank, &members, true);
        task.divisions = vec![Division {
            communicator: Identity(1),
            ordinal: 1,
            operation: 0,
            peers: Peers::All {
                ranks: Arc::clone(peers),
                place: own
                    .iter()
                    .position(|member| *member == Rank(rank))
                    .expect("it is a member"),
            },
            gives: to_each(8),
            takes: Portions::OfMembers(takes),
        }];
        task
    };
    let found = |takes_less: Option<u32>| {
        let tasks: Vec<Recorded> = (0..5).map(|rank| task(rank, takes_less == Some(rank))).collect();
        let pair = |each: &Mismatch| (each.one.0.0, each.other.0.0, each.differ);
        Vec::from_iter(wait_graph(&tasks).mismatches.iter().map(pair))
    };
    assert_eq!(found(None), []);
    assert_eq!(found(Some(3)), [(2, 3, Differ::Portion { given: 8, taken: 4 })]);
}

/// Rank 0 gives ranks 1 and 3, and takes of rank 3 alone; ranks 1 and 2 give each other. Rank 3 has other neighbours than these, too.
#[test]
fn portions_of_neighbours_are_compared_where_both_name_each_other() {
    let members: Arc<[Rank]> = (0..5).map(Rank).collect();
    let task = |rank: u32, peers: &[u32], gives: &[Option<u64>], takes: &[Option<u64>]| {
        let mut task = at_barrier(rank, &members, true);
        task.divisions = vec![Division {
            communicator: Identity(1),
            ordinal: 1,
            operation: 0,
            peers: Peers::Neighbours(peers.iter().map(|rank| Rank(*rank)).collect()),
            gives: Portions::OfMembers(gives.to_vec()),
            takes: Portions::OfMembers(takes.to_vec()),
        }];
        task
    };
    let found = |of_three: u64| {
        let tasks = [
            task(0, &[1, 3], &[Some(4), Some(8)], &[None, Some(16)]),
            task(1, &[0, 2], &[None, Some(4)], &[Some(4), Some(4)]),
            task(2, &[1], &[Some(4)], &[Some(4)]),
            task(3, &[0, 4], &[Some(of_three), Some(1)], &[Some(8), None]),
            task(4, &[3], &[None], &[Some(1)]),
        ];
        let pair = |each: &Mismatch| (each.one.0.0, each.other.0.0, each.differ);
        Vec::from_iter(wait_graph(&tasks).mismatches.iter().map(pair))
    };
    assert_eq!(found(16), []);
    let differ = Differ::Portion { given: 12, taken: 16 };
    assert_eq!(found(12), [(3, 0, differ)]);
}

/// What the tasks of [`under_way`] do.
#[derive(Clone, Copy)]
enum Does {
    /// It stands in the call that completes its side.
    Stands,
    /// It computes.
    Computes,
    /// It is in the barrier that rank 2 has entered, too.
    Synchronises,
}

/// Rank 0 has sent rank 1 a message that it has asked for, and nobody has completed its side; rank 2 waits for both in a barrier.
fn under_way(sender: Does, receiver: Does) -> waitgraph::WaitGraph {
    let members: Arc<[Rank]> = (0..3).map(Rank).collect();
    let channel = |peer: u32| Channel {
        communicator: Identity(1),
        peer: Rank(peer),
        tag: 7,
    };
    let receive = Receive {
        communicator: Identity(1),
        from: From::Rank(Rank(0)),
        tag: Some(7),
    };
    let delivery = Item::Delivery {
        channel: channel(1),
        number: 1,
    };
    let message = Item::Message {
        receive: receive.clone(),
        before: Vec::new(),
    };
    let task = |rank: u32, does: Does, item: Item| {
        let mut task = at_barrier(rank, &members, matches!(does, Does::Synchronises));
        if matches!(does, Does::Stands) {
            task.threads = vec![(Waits::All(vec![item]), How::Blocked)];
        }
        task
    };
    let mut tasks = [
        task(0, sender, delivery),
        task(1, receiver, message),
        at_barrier(2, &members, true),
    ];
    tasks[0].sent = BTreeMap::from([(channel(1), 1)]);
    tasks[1].posted = vec![receive];
    wait_graph(&tasks)
}

/// Nobody can tell which side holds a message; but a side that stands in no call for it waits for nobody by it.
#[test]
fn of_a_message_on_its_way_both_sides_may_hold_the_others() {
    use Does::{Computes, Stands, Synchronises};
    let awaited = |sender: Does, receiver: Does| {
        let graph = under_way(sender, receiver);
        assert!(graph.stuck.is_empty(), "{graph:?}");
        graph.awaited.iter().map(|rank| rank.0).collect::<Vec<_>>()
    };
    assert_eq!(awaited(Stands, Stands), [0, 1]);
    assert_eq!(awaited(Computes, Stands), [0, 1]);
    assert_eq!(awaited(Stands, Computes), [0, 1]);
    // Rank 0 waits for rank 1 by the barrier, and may hold the message all the same.
    assert_eq!(awaited(Synchronises, Stands), [1]);
    assert_eq!(under_way(Synchronises, Stands).transfers.len(), 1);
    assert_eq!(awaited(Stands, Synchronises), [0]);
    assert_eq!(under_way(Computes, Computes).transfers, []);
}

/// A send that is complete on its side leaves the receiver alone with its message.
#[test]
fn a_message_that_its_sender_is_done_with_is_the_receivers() {
    let members: Arc<[Rank]> = (0..2).map(Rank).collect();
    let channel = |peer: u32| Channel {
        communicator: Identity(1),
        peer: Rank(peer),
        tag: 7,
    };
    let receive = Receive {
        communicator: Identity(1),
        from: From::AnyOf([Rank(0)].into()),
        tag: None,
    };
    let message = Item::Message {
        receive: receive.clone(),
        before: Vec::new(),
    };
    let mut tasks = [at_barrier(0, &members, true), at_barrier(1, &members, false)];
    tasks[0].sent = BTreeMap::from([(channel(1), 2)]);
    tasks[0].delivered = BTreeMap::from([(channel(1), 1)]);
    tasks[1].threads = vec![(Waits::All(vec![message]), How::Blocked)];
    tasks[1].posted = vec![receive];
    assert_eq!(wait_graph(&tasks).transfers.len(), 1);
    tasks[0].delivered = BTreeMap::from([(channel(1), 2)]);
    let graph = wait_graph(&tasks);
    assert_eq!((graph.transfers, graph.awaited), (Vec::new(), vec![Rank(1)]));
}
