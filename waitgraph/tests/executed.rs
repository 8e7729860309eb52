//! The rules against executed programs: random programs with overlapping communicators are run by a small interpreter of
//! MPI's semantics in random schedules and frozen at random moments; each claim must hold in what really happened.

use base::Random;
use waitgraph::{Activity, Certainty, Communicator, Completion, Data, Operation, Rank, Source, Task};

#[derive(Clone, Debug)]
enum Statement {
    Work,
    /// Complete, on this communicator.
    Collective(usize),
    /// The root (first member) leaves at once, the others after the root has entered.
    Bcast(usize),
    Send(usize),
    Receive(usize),
    ReceiveAny,
}

#[derive(Clone)]
struct Machine {
    programs: Vec<Vec<Statement>>,
    members: Vec<Vec<usize>>,
    /// Next step of each task, and whether it is inside it.
    at: Vec<usize>,
    inside: Vec<bool>,
    /// Collectives entered, by task and communicator.
    entered: Vec<Vec<usize>>,
    /// Messages sent and not received, by sender and receiver.
    flight: Vec<Vec<usize>>,
}

impl Machine {
    fn random(random: &mut Random) -> Machine {
        let tasks = 2 + random.below(5);
        let mut members = vec![(0..tasks).collect::<Vec<_>>()];
        for _ in 0..random.below(4) {
            members.push((0..tasks).filter(|_| random.below(3) > 0).collect());
        }
        let mut programs = vec![Vec::new(); tasks];
        for _ in 0..4 + random.below(16) {
            let communicator = random.below(members.len());
            let (a, b) = (random.below(tasks), random.below(tasks));
            match random.below(5) {
                0 => programs[a].push(Statement::Work),
                1 | 2 => {
                    for &task in &members[communicator] {
                        // Rarely one forgets its part, where that cannot make a broadcast match a barrier (then the
                        // program is wrong, and MPI says nothing of what it does).
                        if communicator % 2 == 1 || random.below(12) > 0 {
                            programs[task].push(Statement::Collective(communicator));
                        }
                    }
                }
                3 if communicator % 2 == 1 => members[communicator]
                    .iter()
                    .for_each(|&task| programs[task].push(Statement::Bcast(communicator))),
                _ if a != b => {
                    if random.below(4) > 0 {
                        programs[a].push(Statement::Send(b));
                    }
                    programs[b].push(if random.below(3) > 0 {
                        Statement::Receive(a)
                    } else {
                        Statement::ReceiveAny
                    });
                    if random.below(3) == 0 {
                        programs[a].push(Statement::Receive(b));
                        programs[b].push(Statement::Send(a));
                    }
                }
                _ => {}
            }
        }
        let n = members.len();
        Machine {
            programs,
            members,
            at: vec![0; tasks],
            inside: vec![false; tasks],
            entered: vec![vec![0; n]; tasks],
            flight: vec![vec![0; tasks]; tasks],
        }
    }

    fn step(&self, task: usize) -> Option<&Statement> {
        self.programs[task].get(self.at[task])
    }

    /// Whether what the task is inside can complete now.
    fn completes(&self, task: usize) -> bool {
        match self.step(task) {
            Some(Statement::Collective(c)) => self.members[*c]
                .iter()
                .all(|&other| self.entered[other][*c] >= self.entered[task][*c]),
            Some(Statement::Bcast(c)) => {
                let root = self.members[*c][0];
                self.entered[root][*c] >= self.entered[task][*c]
            }
            Some(Statement::Receive(from)) => self.flight[*from][task] > 0,
            Some(Statement::ReceiveAny) => self.flight.iter().any(|to| to[task] > 0),
            Some(Statement::Work | Statement::Send(_)) => true,
            None => false,
        }
    }

    /// One move of a task; false if it cannot move.
    fn advance(&mut self, task: usize) -> bool {
        let Some(step) = self.step(task).cloned() else {
            return false;
        };
        if !self.inside[task] {
            self.inside[task] = true;
            if let Statement::Collective(c) | Statement::Bcast(c) = step {
                self.entered[task][c] += 1;
            }
            return true;
        }
        if !self.completes(task) {
            return false;
        }
        match step {
            Statement::Send(to) => self.flight[task][to] += 1,
            Statement::Receive(from) => self.flight[from][task] -= 1,
            Statement::ReceiveAny => {
                let from = (0..self.at.len())
                    .find(|&from| self.flight[from][task] > 0)
                    .expect("it completes");
                self.flight[from][task] -= 1;
            }
            Statement::Work | Statement::Collective(_) | Statement::Bcast(_) => {}
        }
        self.inside[task] = false;
        self.at[task] += 1;
        true
    }

    fn run(&mut self, random: &mut Random, moves: usize, frozen: Option<usize>) {
        for _ in 0..moves {
            let task = random.below(self.at.len());
            if Some(task) != frozen {
                self.advance(task);
            }
        }
    }

    fn communicator(&self, c: usize) -> Communicator {
        if c == 0 {
            return Communicator::World;
        }
        let members = self.members[c].iter().map(|&task| Rank(task as u32)).collect();
        Communicator::Known {
            identity: c as u32,
            members,
        }
    }

    fn seen(&self, task: usize) -> Task {
        let collective = |operation, c: &usize| Activity::Collective {
            operation,
            communicator: self.communicator(*c),
            in_user_function: false,
        };
        let others = || {
            (0..self.at.len())
                .filter(|&other| other != task)
                .map(|other| Rank(other as u32))
                .collect()
        };
        let activity = match self.step(task).filter(|_| self.inside[task]) {
            Some(Statement::Collective(c)) => collective(Operation::Complete(Data::EveryPart), c),
            Some(Statement::Bcast(c)) => collective(Operation::Partial, c),
            Some(Statement::Receive(from)) => Activity::Receive(Source::Named(Rank(*from as u32))),
            Some(Statement::ReceiveAny) => Activity::Receive(Source::AnyOf(others())),
            Some(Statement::Send(_)) => Activity::PointToPoint,
            Some(Statement::Work) | None => Activity::Outside,
        };
        let stands_still = self.inside[task] && !self.completes(task);
        Task {
            rank: Rank(task as u32),
            stands_still,
            threads: vec![activity],
        }
    }
}

#[test]
fn every_claim_holds_in_executed_programs() {
    let (mut behind, mut dead) = (0, 0);
    for seed in 0..5_000_u64 {
        let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut machine = Machine::random(random);
        let frozen = random.below(machine.at.len() + 1);
        let moves = random.below(200);
        machine.run(random, moves, Some(frozen));
        let mut tasks: Vec<Task> = (0..machine.at.len()).map(|task| machine.seen(task)).collect();
        if random.below(4) == 0 {
            // A task that was not read.
            tasks.remove(random.below(tasks.len()));
        }
        for fact in waitgraph::behind(&tasks, Completion::Independent) {
            let (who, whom) = (fact.who.0 as usize, fact.whom.0 as usize);
            let Some(Statement::Collective(c)) = machine.step(whom) else {
                panic!("seed {seed}: {fact:?} is in no collective")
            };
            assert_eq!(fact.certainty, Certainty::Proven, "seed {seed}");
            assert!(
                machine.members[*c].contains(&who),
                "seed {seed}: {fact:?} is no member"
            );
            assert!(
                machine.entered[who][*c] < machine.entered[whom][*c],
                "seed {seed}: {fact:?} is not true"
            );
            behind += 1;
        }
        let claimed = waitgraph::deadlocked(&tasks, Completion::Independent);
        for _ in 0..3 {
            let mut later = machine.clone();
            later.run(random, 1_000, None);
            for rank in &claimed {
                let task = rank.0 as usize;
                assert_eq!(
                    later.at[task], machine.at[task],
                    "seed {seed}: {rank:?} of {claimed:?} went on"
                );
            }
        }
        dead += usize::from(!claimed.is_empty());
    }
    assert!(
        behind > 1_000 && dead > 100,
        "the programs show too little: {behind} behind, {dead} deadlocks"
    );
}

fn barrier(rank: u32, communicator: Communicator, data: Data) -> Task {
    let operation = Operation::Complete(data);
    let threads = vec![Activity::Collective {
        operation,
        communicator,
        in_user_function: false,
    }];
    Task {
        rank: Rank(rank),
        stands_still: true,
        threads,
    }
}

fn outside(rank: u32) -> Task {
    Task {
        rank: Rank(rank),
        stands_still: true,
        threads: vec![Activity::Outside],
    }
}

fn certainty(tasks: &[Task], completion: Completion) -> Option<Certainty> {
    waitgraph::behind(tasks, completion)
        .first()
        .map(|fact| fact.certainty)
}

#[test]
fn what_is_not_sound_is_probable_or_not_said() {
    let world = || barrier(0, Communicator::World, Data::EveryPart);
    let by = Completion::Independent;
    assert_eq!(certainty(&[world(), outside(1)], by), Some(Certainty::Proven));
    assert_eq!(
        certainty(&[world(), outside(1)], Completion::MayNeedHelp),
        Some(Certainty::Probable)
    );
    assert_eq!(
        certainty(&[barrier(0, Communicator::World, Data::Unknown), outside(1)], by),
        Some(Certainty::Probable)
    );
    assert_eq!(
        certainty(
            &[barrier(0, Communicator::Unknown, Data::EveryPart), outside(1)],
            by
        ),
        Some(Certainty::Probable)
    );
    assert_eq!(
        certainty(
            &[barrier(0, Communicator::World, Data::SomeEmpty), outside(1)],
            by
        ),
        None
    );
    assert_eq!(
        certainty(
            &[
                Task {
                    stands_still: false,
                    ..world()
                },
                outside(1)
            ],
            by
        ),
        None
    );
    let mut user = world();
    if let Activity::Collective { in_user_function, .. } = &mut user.threads[0] {
        *in_user_function = true;
    }
    assert_eq!(certainty(&[user, outside(1)], by), None);
    // Another thread may be inside; a task of which nothing was read may be, too.
    let unclear = Task {
        threads: vec![Activity::Outside, Activity::Unknown],
        ..outside(1)
    };
    assert_eq!(certainty(&[world(), unclear], by), None);
    assert_eq!(
        certainty(
            &[
                world(),
                Task {
                    threads: Vec::new(),
                    ..outside(1)
                }
            ],
            by
        ),
        None
    );
}

#[test]
fn receives_from_each_other_are_a_deadlock() {
    let receive = |rank, from| Task {
        threads: vec![Activity::Receive(Source::Named(Rank(from)))],
        ..outside(rank)
    };
    let tasks = [
        receive(0, 1),
        receive(1, 0),
        barrier(2, Communicator::World, Data::EveryPart),
        outside(3),
    ];
    assert_eq!(
        waitgraph::deadlocked(&tasks, Completion::Independent),
        [Rank(0), Rank(1), Rank(2)]
    );
    assert!(waitgraph::deadlocked(&tasks, Completion::MayNeedHelp).is_empty());
    assert!(waitgraph::deadlocked(&[receive(0, 1), outside(1)], Completion::Independent).is_empty());
}
