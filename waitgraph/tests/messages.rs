//! Who serves whom, against executed programs: random programs of sends, receives, probes and exchanges are run by a small interpreter of MPI's
//! semantics, in which some tasks stop for good wherever they are. When nobody can go on, each claim is held against what happened.

use base::Random;
use waitgraph::{Communicator, Does, Half, Peer, Rank, Tag, Truth, serves};

/// A half of an operation, as the program has it.
#[derive(Clone, Debug)]
struct Part {
    does: Does,
    /// Nobody in particular: any source.
    with: Option<usize>,
    /// None: any.
    tag: Option<i64>,
    communicator: u32,
    /// A send that returns only when its message is taken.
    waits: bool,
}

#[derive(Clone, Debug)]
struct Message {
    from: usize,
    to: usize,
    tag: i64,
    communicator: u32,
    /// The task whose send waits for it.
    number: usize,
}

#[derive(Clone, Debug)]
struct Machine {
    /// The operations of each task, each with one half or two.
    programs: Vec<Vec<Vec<Part>>>,
    at: Vec<usize>,
    inside: Vec<bool>,
    /// What each half of the operation that a task is inside has come to.
    halves: Vec<Vec<HalfState>>,
    /// In the order in which they were sent.
    under_way: Vec<Message>,
    sent: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum HalfState {
    Begun,
    /// A send whose message waits to be taken.
    Offered(usize),
    Done,
}

impl Machine {
    fn random(random: &mut Random) -> Self {
        let tasks = 2 + random.below(4);
        let mut programs = vec![Vec::new(); tasks];
        for _ in 0..3 + random.below(14) {
            let (a, b) = (random.below(tasks), random.below(tasks));
            if a == b {
                continue;
            }
            let communicator = u32::from(random.below(6) == 0);
            let tag = random.below(2) as i64;
            // Now and then the two do not agree.
            let other_tag = if random.below(6) == 0 { 1 - tag } else { tag };
            let waits = random.below(2) == 0;
            let send = |with, tag| Part {
                does: Does::Sends,
                with: Some(with),
                tag: Some(tag),
                communicator,
                waits,
            };
            let any_source = random.below(4) == 0;
            let any_tag = random.below(4) == 0;
            let receive = |does, with, tag| Part {
                does,
                with: (!any_source).then_some(with),
                tag: (!any_tag).then_some(tag),
                communicator,
                waits: false,
            };
            match random.below(8) {
                0 | 1 => {
                    programs[a].push(vec![send(b, tag), receive(Does::Receives, b, other_tag)]);
                    programs[b].push(vec![send(a, tag), receive(Does::Receives, a, other_tag)]);
                }
                2 => {
                    programs[a].push(vec![send(b, tag)]);
                    programs[b].push(vec![receive(Does::Probes, a, other_tag)]);
                    programs[b].push(vec![receive(Does::Receives, a, tag)]);
                }
                3 => {
                    // Both send first.
                    programs[a].push(vec![send(b, tag)]);
                    programs[b].push(vec![send(a, tag)]);
                    programs[a].push(vec![receive(Does::Receives, b, tag)]);
                    programs[b].push(vec![receive(Does::Receives, a, tag)]);
                }
                4 => programs[b].push(vec![receive(Does::Receives, a, tag)]),
                _ => {
                    programs[a].push(vec![send(b, tag)]);
                    programs[b].push(vec![receive(Does::Receives, a, other_tag)]);
                }
            }
        }
        Self {
            at: vec![0; tasks],
            inside: vec![false; tasks],
            halves: vec![Vec::new(); tasks],
            programs,
            under_way: Vec::new(),
            sent: 0,
        }
    }

    fn operation(&self, task: usize) -> Option<&Vec<Part>> {
        self.programs[task].get(self.at[task])
    }

    /// One move of a task; false if it cannot move.
    fn advance(&mut self, task: usize) -> bool {
        let Some(operation) = self.operation(task).cloned() else {
            return false;
        };
        if !self.inside[task] {
            self.inside[task] = true;
            self.halves[task] = vec![HalfState::Begun; operation.len()];
            return true;
        }
        for (half, part) in operation.iter().enumerate() {
            match (self.halves[task][half], part.does) {
                (HalfState::Begun, Does::Sends) => {
                    let (Some(to), Some(tag)) = (part.with, part.tag) else {
                        unreachable!("sends name both")
                    };
                    self.sent += 1;
                    let number = self.sent;
                    self.under_way.push(Message {
                        from: task,
                        to,
                        tag,
                        communicator: part.communicator,
                        number,
                    });
                    self.halves[task][half] = if part.waits {
                        HalfState::Offered(number)
                    } else {
                        HalfState::Done
                    };
                    return true;
                }
                (HalfState::Offered(number), _)
                    if self.under_way.iter().all(|message| message.number != number) =>
                {
                    self.halves[task][half] = HalfState::Done;
                    return true;
                }
                (HalfState::Begun, Does::Receives | Does::Probes) => {
                    let fits = |message: &Message| {
                        message.to == task
                            && part.with.is_none_or(|from| from == message.from)
                            && part.tag.is_none_or(|tag| tag == message.tag)
                            && part.communicator == message.communicator
                    };
                    if let Some(found) = self.under_way.iter().position(fits) {
                        if part.does == Does::Receives {
                            self.under_way.remove(found);
                        }
                        self.halves[task][half] = HalfState::Done;
                        return true;
                    }
                }
                _ => {}
            }
        }
        if self.halves[task].iter().all(|state| *state == HalfState::Done) {
            self.inside[task] = false;
            self.at[task] += 1;
            return true;
        }
        false
    }

    fn run(&mut self, random: &mut Random, moves: usize, stopped: &[usize]) {
        for _ in 0..moves {
            let task = random.below(self.at.len());
            if !stopped.contains(&task) {
                self.advance(task);
            }
        }
    }

    /// Until nobody can go on that is not stopped.
    fn run_out(&mut self, stopped: &[usize]) {
        while (0..self.at.len()).any(|task| !stopped.contains(&task) && self.advance(task)) {}
    }

    /// What the operation shows in which a task stands; of what is hidden nothing is known.
    fn seen(&self, task: usize, hidden: &mut dyn FnMut() -> bool) -> Vec<Half> {
        let operation = self.operation(task).filter(|_| self.inside[task]);
        let parts = operation.into_iter().flatten();
        let half = |part: &Part| Half {
            does: part.does,
            peer: match part.with {
                _ if hidden() => Peer::Unknown,
                Some(with) => Peer::Rank(Rank(with as u32)),
                None => Peer::Anybody,
            },
            tag: match part.tag {
                _ if hidden() => Tag::Unknown,
                Some(tag) => Tag::Is(tag),
                None => Tag::Any,
            },
            communicator: match part.communicator {
                _ if hidden() => Communicator::Unknown,
                0 => Communicator::World,
                identity => Communicator::Known {
                    identity,
                    members: (0..self.at.len() as u32).map(Rank).collect(),
                },
            },
        };
        parts.map(half).collect()
    }
}

#[test]
fn who_serves_another_is_kept_by_nobody_and_who_does_not_keeps_it_waiting() {
    let (mut served, mut dead, mut unclear) = (0, 0, 0);
    for seed in 0..20_000_u64 {
        let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut machine = Machine::random(random);
        let tasks = machine.at.len();
        let stopped = Vec::from_iter((0..1 + random.below(2)).map(|_| random.below(tasks)));
        let moves = random.below(60);
        machine.run(random, moves, &[]);
        machine.run_out(&stopped);
        let inside = Vec::from_iter((0..tasks).filter(|&task| machine.inside[task]));
        for &one in &inside {
            for &other in inside.iter().filter(|&&other| other != one) {
                let rank = |task: usize| Rank(task as u32);
                let (mine, theirs) = (
                    machine.seen(one, &mut || false),
                    machine.seen(other, &mut || false),
                );
                let does = serves((rank(other), &theirs), (rank(one), &mine));
                if mine.len() + theirs.len() == 2 {
                    assert_ne!(does, Truth::Perhaps, "seed {seed}: all is known");
                }
                let stands = |task| stopped.contains(&task);
                if does == Truth::Yes {
                    assert!(
                        stands(one) || stands(other),
                        "seed {seed}: {other} is in {theirs:?} and {one} in {mine:?}, and both could go on"
                    );
                    served += 1;
                }
                let only_with =
                    |halves: &[Half], task| halves.iter().all(|half| half.peer == Peer::Rank(rank(task)));
                let back = serves((rank(one), &mine), (rank(other), &theirs));
                if (does, back) == (Truth::No, Truth::No)
                    && !stands(one)
                    && !stands(other)
                    && only_with(&mine, other)
                    && only_with(&theirs, one)
                {
                    let mut later = machine.clone();
                    later.run_out(&[]);
                    assert_eq!(
                        (later.at[one], later.at[other]),
                        (machine.at[one], machine.at[other]),
                        "seed {seed}: {other} in {theirs:?} and {one} in {mine:?} went on"
                    );
                    dead += 1;
                }
                // Of what is not known nothing else is said than what is so.
                let mut hide = Random(seed ^ 77);
                let mut hidden = || hide.below(3) == 0;
                let (mine, theirs) = (machine.seen(one, &mut hidden), machine.seen(other, &mut hidden));
                let guess = serves((rank(other), &theirs), (rank(one), &mine));
                assert!(
                    guess == does || guess == Truth::Perhaps,
                    "seed {seed}: {guess:?} of {mine:?} by {theirs:?}, but {does:?}"
                );
                unclear += usize::from(guess == Truth::Perhaps);
            }
        }
    }
    assert!(
        served > 500 && dead > 500 && unclear > 500,
        "the programs show too little: {served} served, {dead} for ever, {unclear} not known"
    );
}
