//! The dialogue with all hosts of a job at once.

use crate::following::Streamed;
use crate::loss::{Loss, Reached};
use crate::maps::MapFrames;
use crate::node::{Asked, KEEPS_PLACE, Line, Node};
use crate::patience::Patience;
use crate::session::{Event, Peer, Session};
use crate::start::Probe;
use crate::transport::Transport;
use nodes::{Found, FrameError, Look, NodeId, Report, ToNode};
use rustix::event::{Timespec, poll};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So many connections are made at one time: a thousand programs that all begin at once would take each other's time.
const AT_A_TIME: usize = 64;

/// What a host has seen in a look.
#[derive(Debug)]
pub struct Seen {
    /// The host.
    pub node: NodeId,
    /// What it has seen.
    pub report: Report,
    /// How much later than the first it was asked.
    pub late: Duration,
}

/// All hosts that are asked one by one, by their [`NodeId`]s.
pub struct Gathering {
    transport: Transport,
    peer: Peer,
    line: String,
    pub(crate) patience: Patience,
    /// The longest that any host has taken so far for what it was asked for.
    slowest: Duration,
    /// How long the hosts may yet take for what they are about to be asked. What we do ourselves in between is not their time.
    left: Duration,
    /// When the last look was begun.
    look_begun: Option<Instant>,
    pub(crate) nodes: Vec<Node>,
    maps: Option<MapFrames>,
    /// What has come of what tasks have recorded.
    recorded: BTreeMap<NodeId, Vec<u8>>,
    /// What has come of the events that they have written since.
    pub(crate) streamed: Vec<Streamed>,
    /// Dialogues that were given up.
    pub(crate) left_alone: Vec<Session>,
}

impl Drop for Gathering {
    /// All dialogues end at the same time, and are then waited for.
    fn drop(&mut self) {
        self.nodes
            .iter_mut()
            .filter_map(Node::session)
            .for_each(Session::leave);
    }
}

impl Gathering {
    /// Hosts that are to be asked, and how they are reached. From now on the first look may take as long as `patience` says, and so may each further one.
    pub fn new(
        asked: BTreeMap<NodeId, Asked>,
        transport: Transport,
        probe: Probe,
        patience: Patience,
    ) -> Self {
        let line = probe.command_line(transport.speech());
        Gathering {
            transport,
            line,
            patience,
            slowest: Duration::ZERO,
            left: patience.deadline,
            look_begun: None,
            nodes: Vec::from_iter(asked.into_iter().map(|(id, asked)| Node::new(id, asked))),
            maps: None,
            peer: Peer::Probe(probe),
            recorded: BTreeMap::new(),
            streamed: Vec::new(),
            left_alone: Vec::new(),
        }
    }

    /// Asks these hosts as well, which are not among those that are asked.
    pub fn add(&mut self, asked: BTreeMap<NodeId, Asked>) {
        let new = asked.into_iter().map(|(id, asked)| Node::new(id, asked));
        self.nodes.extend(new);
        self.nodes.sort_by_key(|node| node.id);
    }

    /// Connects to all hosts and asks for their tasks, when so much of the time is over. Ends when it is not worth waiting any longer for those that have not answered ([`Patience`]), or, where these are many, when half of the deadline is over.
    /// As long as none has answered, all of it is waited for.
    pub fn settle(&mut self, over: Duration) {
        let begun = Instant::now();
        let deadline = self.patience.deadline.saturating_sub(over);
        let is_settled = |node: &Node| node.is_ready() || node.is_lost();
        let has_found = |all: &Self| all.nodes.iter().any(|node| node.found.is_some());
        // Nobody was asked to look.
        let take = &mut |_: Seen| {};
        self.run(begun + deadline / 2, take, |all| all.worth_waiting(is_settled));
        if !has_found(self) {
            self.run(begun + deadline, take, |all| {
                all.worth_waiting(is_settled).filter(|_| !has_found(all))
            });
        }
        if !has_found(self) {
            self.give_up(is_settled);
        }
        self.left = deadline.saturating_sub(begun.elapsed());
    }

    /// Connects anew to those that were lost, and asks them for their tasks.
    pub fn try_lost_again(&mut self) {
        self.left_alone.clear();
        for node in self.nodes.iter_mut().filter(|node| node.is_lost()) {
            *node = Node::new(node.id, node.asked.clone());
        }
        self.settle(Duration::ZERO);
    }

    /// How long it is yet worth waiting until all nodes are `done`, if nothing more is heard of them; `None` if no longer.
    fn worth_waiting(&self, done: impl Fn(&Node) -> bool) -> Option<Duration> {
        let standings = self.nodes.iter().map(|node| node.standing(&done));
        self.patience.left(self.slowest, standings)
    }

    /// The maps by which all hosts read variables from now on, each task by that of its program.
    pub fn set_maps(&mut self, maps: &MapFrames) {
        self.maps = Some(maps.clone());
        self.nodes.iter_mut().for_each(|node| node.has_maps = false);
    }

    /// One look of all hosts that are not lost, those that were late included. What each has seen is handed to `take` as it comes, so that of thousands of hosts nobody keeps all. Who has not answered when the patience ends
    /// is lost. `meanwhile` is done once all that are ready were asked, for what is to be seen at the same time.
    ///
    /// # Errors
    /// The question is too large to be sent; then `meanwhile` was done all the same.
    pub fn look(
        &mut self,
        look: Look,
        meanwhile: impl FnOnce(),
        take: &mut dyn FnMut(Seen),
    ) -> Result<(), FrameError> {
        let question: Arc<[u8]> = match ToNode::Look(look).to_bytes() {
            Ok(bytes) => bytes.into(),
            Err(error) => {
                meanwhile();
                return Err(error);
            }
        };
        for node in &mut self.nodes {
            (node.has_reported, node.asked_at) = (false, None);
        }
        let begun = Instant::now();
        self.look_begun = Some(begun);
        let until = begun + self.left;
        let is_done = |node: &Node| node.has_reported || node.is_lost();
        // Who was late is asked as soon as it is ready.
        let is_due = |node: &Node| !node.has_reported && node.is_ready();
        self.ask(&question);
        self.run(until, take, |all| {
            all.worth_waiting(|node| !node.has_more_to_send())
        });
        let own = Instant::now();
        meanwhile();
        let until = until + own.elapsed();
        // What has come in the meantime counts, and others may be as slow as we are.
        self.slowest = self.slowest.max(own.elapsed());
        self.step(take);
        let is_worth_it = |all: &Self| all.worth_waiting(is_done);
        while Instant::now() < until && is_worth_it(self).is_some() {
            self.ask(&question);
            self.run(until, take, |all| {
                is_worth_it(all).filter(|_| !all.nodes.iter().any(is_due))
            });
        }
        self.give_up(is_done);
        self.left = self.patience.deadline;
        Ok(())
    }

    /// What the tasks of all hosts have recorded that have answered the last look, by host. Who does not answer in time is lost.
    ///
    /// # Errors
    /// The question is too large to be sent.
    pub fn recordings(&mut self) -> Result<BTreeMap<NodeId, Vec<u8>>, FrameError> {
        let question: Arc<[u8]> = ToNode::Recordings.to_bytes()?.into();
        for node in &mut self.nodes {
            node.owes_recordings = node.has_reported && node.is_ready();
            if !node.owes_recordings {
                continue;
            }
            node.asked_at = Some(Instant::now());
            let tasks = node.found.as_ref().map_or(0, |found| found.tasks.len());
            if let Some(session) = node.session() {
                session.ask_for_recordings(&question, tasks);
            }
        }
        let is_done = |node: &Node| !node.owes_recordings || node.is_lost();
        let until = Instant::now() + self.patience.deadline;
        self.recorded.clear();
        self.run(until, &mut |_| {}, |all| all.worth_waiting(is_done));
        self.give_up(is_done);
        Ok(std::mem::take(&mut self.recorded))
    }

    /// Waits no longer for hosts that are not `done`.
    fn give_up(&mut self, done: impl Fn(&Node) -> bool) {
        let others = Some(self.slowest).filter(|slowest| !slowest.is_zero());
        for node in self.nodes.iter_mut().filter(|node| !done(node)) {
            let session = node.session();
            let reached = session.map_or(Reached::Nothing, |session| session.reached());
            let since = node.asked_at.or(node.begun_at);
            let loss = Loss::Silent {
                reached,
                waited: since.map_or(Duration::ZERO, |since| since.elapsed()),
                others,
            };
            self.left_alone.extend(node.lose(loss));
        }
    }

    /// Asks those that wait for it.
    fn ask(&mut self, question: &Arc<[u8]>) {
        for node in &mut self.nodes {
            if node.has_reported || !node.is_ready() {
                continue;
            }
            let tasks = node.found.as_ref().map_or(0, |found| found.tasks.len());
            let maps = self.maps.as_ref().filter(|_| !node.has_maps);
            let maps = maps.map(|maps| {
                let by_file = maps.by_file.as_ref().filter(|_| !node.lacks_files);
                by_file.unwrap_or(&maps.whole).clone()
            });
            node.has_maps |= maps.is_some();
            node.asked_at = Some(Instant::now());
            if let Some(session) = node.session() {
                if let Some(maps) = &maps {
                    session.send_maps(maps);
                }
                session.ask_to_look(question, tasks);
            }
        }
    }

    /// Talks to all hosts until a time, or until that is not `worth` it any more; it says for how long it is if nothing happens by then. Reports go to `take`.
    pub(crate) fn run(
        &mut self,
        until: Instant,
        take: &mut dyn FnMut(Seen),
        worth: impl Fn(&Self) -> Option<Duration>,
    ) {
        loop {
            self.connect();
            self.step(take);
            let left = until.saturating_duration_since(Instant::now());
            match worth(self) {
                Some(worth) if !left.is_zero() => self.wait(left.min(worth)),
                _ => return,
            }
        }
    }

    /// Begins connections, as many as may be made at one time.
    fn connect(&mut self) {
        let connecting = self.nodes.iter().filter(|node| node.is_connecting()).count();
        let waiting = self
            .nodes
            .iter_mut()
            .filter(|node| matches!(node.line, Line::Waiting));
        for node in waiting.take(AT_A_TIME.saturating_sub(connecting)) {
            let command = self
                .transport
                .command(&node.asked.host, &self.line, self.patience.deadline);
            let select = ToNode::Select(node.asked.select.clone()).to_bytes();
            let session = select.map_err(std::io::Error::other).and_then(|select| {
                Session::start(command, &self.peer, self.transport.speech(), select.into())
            });
            node.begun_at = Some(Instant::now());
            node.line = match session {
                Ok(session) => Line::Open(Box::new(session)),
                Err(why) => Line::Lost(Loss::NotStarted {
                    program: self.transport.program().to_owned(),
                    why,
                }),
            };
        }
    }

    fn step(&mut self, take: &mut dyn FnMut(Seen)) {
        let look_begun = self.look_begun;
        for node in &mut self.nodes {
            let Some(session) = node.session() else { continue };
            match session.step() {
                Ok(events) => {
                    for event in events {
                        let since = match event {
                            Event::Found(found) => {
                                node.found = Some(found);
                                node.begun_at
                            }
                            Event::Report(report) => {
                                let late = node.asked_at.zip(look_begun);
                                node.has_reported = true;
                                take(Seen {
                                    node: node.id,
                                    report,
                                    late: late.map_or(Duration::ZERO, |(at, begun)| {
                                        at.saturating_duration_since(begun)
                                    }),
                                });
                                node.asked_at
                            }
                            Event::Recorded(part) => {
                                if let Some(asked) = node.events_asked_at.take() {
                                    self.streamed.push(Streamed {
                                        node: node.id,
                                        bytes: part.bytes,
                                        asked,
                                    });
                                } else {
                                    node.owes_recordings = false;
                                    self.recorded.insert(node.id, part.bytes);
                                }
                                node.asked_at
                            }
                            Event::MapsWanted => {
                                // It is asked once more as any that is ready and has not reported.
                                (node.lacks_files, node.has_maps) = (true, false);
                                node.asked_at
                            }
                            // A session with a probe gives none of them.
                            Event::FoundThere(_) | Event::Piece(_) => None,
                        };
                        let took = since.map_or(Duration::ZERO, |since| since.elapsed());
                        self.slowest = self.slowest.max(took);
                    }
                }
                Err(loss) => self.left_alone.extend(node.lose(loss)),
            }
        }
    }

    /// Waits until something can be read or written, but no longer than `left`.
    fn wait(&self, left: Duration) {
        let mut all = Vec::new();
        let has_waiting = self.nodes.iter().any(|node| matches!(node.line, Line::Waiting));
        // A place may become free although nothing is heard.
        let mut left = if has_waiting { left.min(KEEPS_PLACE) } else { left };
        for node in &self.nodes {
            if let Line::Open(session) = &node.line {
                let (polled, at_most) = session.polled();
                all.extend(polled);
                left = at_most.map_or(left, |at_most| left.min(at_most));
            }
        }
        let timeout = Timespec::try_from(left).ok();
        // An interruption is like an end of the time: what there is to do is looked for anew.
        let _ = poll(&mut all, timeout.as_ref());
    }

    /// How hosts are reached.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The hosts with what they have found.
    pub fn found(&self) -> impl Iterator<Item = (&Asked, &Found)> {
        let nodes = self.nodes.iter();
        nodes.filter_map(|node| Some((&node.asked, node.found.as_ref()?)))
    }

    /// The host of a number.
    pub fn asked(&self, node: NodeId) -> Option<&Asked> {
        let place = self.nodes.binary_search_by_key(&node, |node| node.id).ok()?;
        Some(&self.nodes[place].asked)
    }

    /// The hosts that have no answer, each with the reason, and with what it had found before.
    pub fn losses(&self) -> impl Iterator<Item = (&Asked, &Loss, Option<&Found>)> {
        self.nodes.iter().filter_map(|node| match &node.line {
            Line::Lost(loss) => Some((&node.asked, loss, node.found.as_ref())),
            Line::Waiting | Line::Open(_) => None,
        })
    }
}
