//! The dialogue with all hosts of a job at once.

use crate::hosts::HostName;
use crate::loss::{Loss, Reached};
use crate::session::{Event, Session};
use crate::start::Probe;
use crate::transport::Transport;
use base::RankSet;
use nodes::{Found, FrameError, Look, NodeId, Report, Select, ToNode};
use rustix::event::{Timespec, poll};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So many connections are made at one time: a thousand programs that all begin at once would take each other's time.
const AT_A_TIME: usize = 64;

/// A host that is asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The host.
    pub host: HostName,
    /// Which tasks are meant there.
    pub select: Select,
    /// The ranks that it has, where that is known: it is believed of no others.
    pub ranks: Option<RankSet>,
}

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

/// All hosts that are asked, by their [`NodeId`]s.
pub struct Gathering {
    transport: Transport,
    probe: Probe,
    line: String,
    patience: Duration,
    /// How long the hosts may yet take for what they are about to be asked. What we do ourselves in between is not their time.
    left: Duration,
    nodes: Vec<Node>,
    map: Option<Arc<[u8]>>,
}

struct Node {
    asked: Asked,
    line: Line,
    found: Option<Found>,
    report: Option<Report>,
    /// When it was asked for the report.
    asked_at: Option<Instant>,
    /// The map was sent.
    has_map: bool,
}

/// How it stands with a host.
enum Line {
    /// It waits for its turn.
    Waiting,
    Open(Box<Session>),
    Lost(Loss),
}

impl Node {
    fn session(&mut self) -> Option<&mut Session> {
        match &mut self.line {
            Line::Open(session) => Some(session),
            Line::Waiting | Line::Lost(_) => None,
        }
    }

    fn is_ready(&self) -> bool {
        matches!(&self.line, Line::Open(session) if session.is_ready())
    }

    fn is_connecting(&self) -> bool {
        matches!(&self.line, Line::Open(_)) && self.found.is_none()
    }

    fn has_more_to_send(&self) -> bool {
        matches!(&self.line, Line::Open(session) if session.has_more_to_send()) && self.asked_at.is_some()
    }

    fn is_lost(&self) -> bool {
        matches!(self.line, Line::Lost(_))
    }
}

impl Gathering {
    /// Hosts that are to be asked, and how they are reached. From now on the first look may take all of `patience`, and so may each further one.
    pub fn new(asked: Vec<Asked>, transport: Transport, probe: Probe, patience: Duration) -> Self {
        let line = probe.command_line();
        let nodes = asked.into_iter().map(|asked| Node {
            asked,
            line: Line::Waiting,
            found: None,
            report: None,
            asked_at: None,
            has_map: false,
        });
        Gathering {
            transport,
            line,
            patience,
            left: patience,
            nodes: nodes.collect(),
            map: None,
            probe,
        }
    }

    /// Connects to all hosts and asks for their tasks. Ends once all have answered or are lost; or, where some are late, when it has been waited for them for half of the patience. As long as none has
    /// answered, all of it is waited for.
    pub fn settle(&mut self) {
        let begun = Instant::now();
        let is_settled = |node: &Node| node.is_ready() || node.is_lost();
        let has_found = |node: &Node| node.found.is_some();
        self.run(begun + self.patience / 2, |nodes| nodes.iter().all(is_settled));
        if !self.nodes.iter().any(has_found) {
            self.run(begun + self.patience, |nodes| {
                nodes.iter().any(has_found) || nodes.iter().all(is_settled)
            });
        }
        if !self.nodes.iter().any(has_found) {
            self.give_up(is_settled);
        }
        self.left = self.patience.saturating_sub(begun.elapsed());
    }

    /// The map, as bytes, by which all hosts read variables from now on.
    ///
    /// # Errors
    /// It is too large to be sent.
    pub fn set_map(&mut self, map: Vec<u8>) -> Result<(), FrameError> {
        self.map = Some(ToNode::Map(map).to_bytes()?.into());
        self.nodes.iter_mut().for_each(|node| node.has_map = false);
        Ok(())
    }

    /// One look of all hosts that are not lost, those that were late included: what each has seen. Who has not answered by the end of the patience is lost. `meanwhile` is done once
    /// all that are ready were asked, for what is to be seen at the same time.
    ///
    /// # Errors
    /// The question is too large to be sent; then `meanwhile` was done all the same.
    pub fn look(&mut self, look: Look, meanwhile: impl FnOnce()) -> Result<Vec<Seen>, FrameError> {
        let question: Arc<[u8]> = match ToNode::Look(look).to_bytes() {
            Ok(bytes) => bytes.into(),
            Err(error) => {
                meanwhile();
                return Err(error);
            }
        };
        for node in &mut self.nodes {
            (node.report, node.asked_at) = (None, None);
        }
        let begun = Instant::now();
        let until = Instant::now() + self.left;
        let is_done = |node: &Node| node.report.is_some() || node.is_lost();
        // Who was late is asked as soon as it is ready.
        let is_due = |node: &Node| node.report.is_none() && node.is_ready();
        self.ask(&question);
        self.run(until, |nodes| !nodes.iter().any(Node::has_more_to_send));
        let own = Instant::now();
        meanwhile();
        let until = until + own.elapsed();
        while Instant::now() < until && !self.nodes.iter().all(is_done) {
            self.ask(&question);
            self.run(until, |nodes| {
                nodes.iter().any(is_due) || nodes.iter().all(is_done)
            });
        }
        self.give_up(is_done);
        self.left = self.patience;
        let reports = (0..).zip(&mut self.nodes);
        let seen = reports.filter_map(|(number, node)| {
            Some(Seen {
                node: NodeId(number),
                report: node.report.take()?,
                late: node.asked_at?.saturating_duration_since(begun),
            })
        });
        Ok(seen.collect())
    }

    /// Waits no longer for hosts that are not `done`.
    fn give_up(&mut self, done: impl Fn(&Node) -> bool) {
        let waited = self.patience;
        for node in self.nodes.iter_mut().filter(|node| !done(node)) {
            let session = node.session();
            let reached = session.map_or(Reached::Nothing, |session| session.reached());
            node.line = Line::Lost(Loss::Silent { reached, waited });
        }
    }

    /// Asks those that wait for it.
    fn ask(&mut self, question: &Arc<[u8]>) {
        for node in &mut self.nodes {
            if node.report.is_some() || !node.is_ready() {
                continue;
            }
            let tasks = node.found.as_ref().map_or(0, |found| found.tasks.len());
            let map = self.map.clone().filter(|_| !node.has_map);
            node.has_map |= map.is_some();
            node.asked_at = Some(Instant::now());
            if let Some(session) = node.session() {
                if let Some(map) = &map {
                    session.send_map(map);
                }
                session.ask_to_look(question, tasks);
            }
        }
    }

    /// Talks to all hosts until it is `enough`, or until a time.
    fn run(&mut self, until: Instant, enough: impl Fn(&[Node]) -> bool) {
        loop {
            self.connect();
            self.step();
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || enough(&self.nodes) {
                return;
            }
            self.wait(left);
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
                .command(&node.asked.host, &self.line, self.patience);
            let select = ToNode::Select(node.asked.select.clone()).to_bytes();
            let session = select
                .map_err(std::io::Error::other)
                .and_then(|select| Session::start(command, &self.probe, select.into()));
            node.line = match session {
                Ok(session) => Line::Open(Box::new(session)),
                Err(why) => Line::Lost(Loss::NotStarted {
                    program: self.transport.program().to_owned(),
                    why,
                }),
            };
        }
    }

    fn step(&mut self) {
        for node in &mut self.nodes {
            let Some(session) = node.session() else { continue };
            match session.step() {
                Ok(events) => {
                    for event in events {
                        match event {
                            Event::Found(found) => node.found = Some(found),
                            Event::Report(report) => node.report = Some(report),
                        }
                    }
                }
                Err(loss) => node.line = Line::Lost(loss),
            }
        }
    }

    /// Waits until something can be read or written, but no longer than `left`.
    fn wait(&self, left: Duration) {
        let mut all = Vec::new();
        let mut left = left;
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

    /// The hosts with what they have found.
    pub fn found(&self) -> impl Iterator<Item = (&Asked, &Found)> {
        let nodes = self.nodes.iter();
        nodes.filter_map(|node| Some((&node.asked, node.found.as_ref()?)))
    }

    /// The host of a number.
    pub fn asked(&self, node: NodeId) -> Option<&Asked> {
        self.nodes.get(node.0 as usize).map(|node| &node.asked)
    }

    /// The hosts that have no answer, each with the reason, and with what it had found before.
    pub fn losses(&self) -> impl Iterator<Item = (&Asked, &Loss, Option<&Found>)> {
        self.nodes.iter().filter_map(|node| match &node.line {
            Line::Lost(loss) => Some((&node.asked, loss, node.found.as_ref())),
            Line::Waiting | Line::Open(_) => None,
        })
    }
}
