//! Programs of messages, requests and collective operations, and an interpreter of MPI's semantics that runs them: the truth.
//!
//! A task has one thread, or two: these have programs, requests and calls of their own, and share messages and collective operations.

use base::Random;

/// The tag of messages that nobody sends: who waits for one has forgotten its part in a collective operation, and calls no later one.
const FORGOTTEN: i64 = 9;

#[derive(Clone, Debug)]
pub(crate) enum Statement {
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
pub(crate) enum CollectiveKind {
    Barrier,
    Bcast,
    Reduce,
    Scan,
    Neighbours,
    /// It makes a communicator, or is about a file: whether anybody has to wait is the library's business.
    Manages,
}

#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) communicator: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) tag: i64,
    pub(crate) matched: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) task: usize,
    pub(crate) communicator: usize,
    pub(crate) from: Option<usize>,
    pub(crate) tag: Option<i64>,
    pub(crate) matched: Option<usize>,
    /// The program has seen that it is complete.
    pub(crate) seen: bool,
}

/// What a task waits for in its step: indices of messages and of posted receives.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Send(usize),
    Receive(usize),
}

#[derive(Clone)]
pub(crate) struct Machine {
    /// The task of each thread: the first thread of each task, by its number, and behind these the second of those that have one.
    pub(crate) task_of: Vec<usize>,
    pub(crate) programs: Vec<Vec<Statement>>,
    pub(crate) members: Vec<Vec<usize>>,
    /// Of whom each task takes in operations among neighbours, by communicator.
    pub(crate) sources: Vec<Vec<Vec<usize>>>,
    /// Sends are complete at once, not when they are received.
    pub(crate) eager: bool,
    /// Nobody leaves a collective operation before all have come for whom a library may let it wait.
    pub(crate) holds: bool,
    /// The second threads of tasks do not begin yet.
    pub(crate) sleep: bool,
    pub(crate) at: Vec<usize>,
    pub(crate) inside: Vec<bool>,
    pub(crate) own: Vec<Vec<Request>>,
    pub(crate) requests: Vec<Vec<Request>>,
    pub(crate) messages: Vec<Message>,
    pub(crate) posted: Vec<Posted>,
    pub(crate) entered: Vec<Vec<u64>>,
}

impl Machine {
    pub(crate) fn random(random: &mut Random) -> Machine {
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
                        CollectiveKind::Manages,
                    ];
                    let (kind, root) = (kinds[random.below(kinds.len())], a);
                    for &task in &group {
                        // Rarely one forgets its part, and never calls another on the communicator, which would be a wrong program.
                        if random.below(10) > 0 {
                            programs[task].push(Statement::Collective(communicator, kind, root));
                        } else {
                            programs[task].push(Statement::WaitAny);
                            programs[task].push(Statement::Receive(communicator, Some(b), Some(FORGOTTEN)));
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
        let mut task_of = Vec::from_iter(0..tasks);
        if random.below(3) == 0 {
            for task in 0..tasks {
                if random.below(2) == 0 {
                    let second = divide(random, &mut programs[task]);
                    programs.push(second);
                    task_of.push(task);
                }
            }
        }
        let threads = task_of.len();
        Machine {
            task_of,
            sources,
            members,
            eager: random.below(2) == 0,
            holds: random.below(3) == 0,
            sleep: random.below(2) == 0,
            at: vec![0; threads],
            inside: vec![false; threads],
            own: vec![Vec::new(); threads],
            requests: vec![Vec::new(); threads],
            messages: Vec::new(),
            posted: Vec::new(),
            entered: vec![vec![0; n]; tasks],
            programs,
        }
    }

    /// The threads of a task.
    pub(crate) fn threads(&self, task: usize) -> Vec<usize> {
        let threads = 0..self.task_of.len();
        threads.filter(|&thread| self.task_of[thread] == task).collect()
    }

    /// Whether a thread has called nothing yet, and will.
    pub(crate) fn is_silent(&self, thread: usize) -> bool {
        self.at[thread] == 0 && !self.inside[thread] && !self.is_done(thread)
    }

    /// Whether a thread has come to its program's end.
    pub(crate) fn is_done(&self, thread: usize) -> bool {
        self.at[thread] == self.programs[thread].len()
    }

    pub(crate) fn step(&self, thread: usize) -> Option<&Statement> {
        self.programs[thread].get(self.at[thread])
    }

    pub(crate) fn fits(posted: &Posted, message: &Message) -> bool {
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

    pub(crate) fn is_complete(&self, request: &Request) -> bool {
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

    fn completes(&self, thread: usize) -> bool {
        let task = self.task_of[thread];
        match self.step(thread).expect("it is inside a step") {
            Statement::Work | Statement::Isend(..) | Statement::Ireceive(..) => true,
            Statement::Send(..) | Statement::Receive(..) | Statement::Exchange(..) => {
                self.own[thread].iter().all(|request| self.is_complete(request))
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
            Statement::WaitAll => self.requests[thread]
                .iter()
                .all(|request| self.is_complete(request)),
            Statement::WaitAny => {
                self.requests[thread].is_empty()
                    || self.requests[thread]
                        .iter()
                        .any(|request| self.is_complete(request))
            }
            Statement::Collective(c, kind, root) => {
                let group = &self.members[*c];
                let mine = self.entered[task][*c];
                let has = |other: usize| self.entered[other][*c] >= mine;
                match kind {
                    CollectiveKind::Neighbours if self.holds => {
                        let takes = |other: &usize| self.sources[*c][*other].contains(&task);
                        let takers = group.iter().copied().filter(takes);
                        takers.chain(self.sources[*c][task].iter().copied()).all(has)
                    }
                    _ if self.holds => group.iter().all(|&other| has(other)),
                    CollectiveKind::Manages => true,
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

    /// One move of a thread; false if it cannot move.
    pub(crate) fn advance(&mut self, thread: usize) -> bool {
        let task = self.task_of[thread];
        let Some(step) = self.step(thread).cloned() else {
            return false;
        };
        if !self.inside[thread] {
            self.inside[thread] = true;
            match step {
                Statement::Send(c, to, tag) => self.own[thread] = vec![self.send(c, task, to, tag)],
                Statement::Receive(c, from, tag) => self.own[thread] = vec![self.post(task, c, from, tag)],
                Statement::Exchange(c, to, from, tag) => {
                    let receive = self.post(task, c, Some(from), Some(tag));
                    self.own[thread] = vec![self.send(c, task, to, tag), receive];
                }
                Statement::Isend(c, to, tag) => {
                    let request = self.send(c, task, to, tag);
                    self.requests[thread].push(request);
                }
                Statement::Ireceive(c, from, tag) => {
                    let request = self.post(task, c, from, tag);
                    self.requests[thread].push(request);
                }
                Statement::Collective(c, ..) => self.entered[task][c] += 1,
                Statement::Work | Statement::Probe(..) | Statement::WaitAll | Statement::WaitAny => {}
            }
            return true;
        }
        if !self.completes(thread) {
            return false;
        }
        match step {
            Statement::WaitAll => {
                let done = std::mem::take(&mut self.requests[thread]);
                done.iter().for_each(|request| self.see(request));
            }
            Statement::WaitAny => {
                let first = self.requests[thread]
                    .iter()
                    .position(|request| self.is_complete(request));
                if let Some(first) = first {
                    let request = self.requests[thread].remove(first);
                    self.see(&request);
                }
            }
            _ => {
                let done = std::mem::take(&mut self.own[thread]);
                done.iter().for_each(|request| self.see(request));
            }
        }
        self.inside[thread] = false;
        self.at[thread] += 1;
        true
    }

    /// Moves threads of those tasks that may at random, until nobody can move, or `moves` are made; the moves that are left.
    pub(crate) fn run(
        &mut self,
        random: &mut Random,
        mut moves: usize,
        may_move: impl Fn(usize) -> bool,
    ) -> usize {
        while moves > 0 {
            let threads = self.at.len();
            let first = random.below(threads);
            let moved = (0..threads)
                .map(|index| (first + index) % threads)
                .filter(|&thread| may_move(self.task_of[thread]))
                .filter(|&thread| !self.sleep || thread < self.entered.len())
                .collect::<Vec<_>>()
                .into_iter()
                .any(|thread| self.advance(thread));
            if !moved {
                break;
            }
            moves -= 1;
        }
        moves
    }
}

/// Takes some of a task's statements for a second thread. Collective operations stay, since of one communicator they are called in one order, and so does what stands in place of one.
fn divide(random: &mut Random, program: &mut Vec<Statement>) -> Vec<Statement> {
    let all = std::mem::take(program);
    let mut second = Vec::new();
    for statement in all {
        let stays = matches!(
            statement,
            Statement::Collective(..) | Statement::Receive(_, _, Some(FORGOTTEN))
        );
        if !stays && random.below(2) == 0 {
            second.push(statement);
        } else {
            program.push(statement);
        }
    }
    second
}
