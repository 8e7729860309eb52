//! The dialogue with hosts that answer together: one process of MPI on each, of which the first speaks with us.

use crate::hosts::HostName;
use crate::loss::Loss;
use crate::maps::MapFrames;
use crate::mpirun::Launch;
use crate::node::Asked;
use crate::session::{Event, Peer, Session};
use crate::start::Speech;
use nodes::{Found, Look, NodeId, Piece, Plan, PlannedNode, ToNode};
use rustix::event::{Timespec, poll};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Hosts that answer together.
pub struct Reduction {
    session: Session,
    /// What came while something was sent.
    heard: Vec<Event>,
    /// How long each answer may take.
    patience: Duration,
}

impl Reduction {
    /// Starts `reducer` on the hosts that are asked. Each of its answers may take so long as `patience`; the processes wait half as long for each other.
    ///
    /// # Errors
    /// It could not be started.
    pub fn start(
        launch: &Launch,
        reducer: &Path,
        asked: &BTreeMap<NodeId, Asked>,
        patience: Duration,
    ) -> Result<Self, Loss> {
        let not_started = |why| Loss::NotStarted {
            program: launch.program().to_owned(),
            why,
        };
        let planned = asked.iter().map(|(&node, asked)| {
            let planned = PlannedNode {
                host: asked.host.to_string(),
                select: asked.select.clone(),
                ranks: asked.ranks.as_ref().map(|ranks| ranks.ranges().to_vec()),
            };
            (node, planned)
        });
        let plan = Plan {
            nodes: planned.collect(),
            patience_ms: u64::try_from(patience.as_millis() / 2).unwrap_or(u64::MAX),
        };
        let plan = ToNode::Plan(plan).to_bytes();
        let plan = plan.map_err(|error| not_started(std::io::Error::other(error)))?;
        let hosts: Vec<&HostName> = asked.values().map(|asked| &asked.host).collect();
        let command = launch.command(&hosts, reducer);
        let session =
            Session::start(command, &Peer::Reducer, Speech::Bytes, plan.into()).map_err(not_started)?;
        Ok(Reduction {
            session,
            heard: Vec::new(),
            patience,
        })
    }

    /// The tasks of the hosts that have any and say so in time.
    ///
    /// # Errors
    /// There is no answer.
    pub fn found(&mut self) -> Result<BTreeMap<NodeId, Found>, Loss> {
        let mut found = BTreeMap::new();
        self.hear(|event| match event {
            Event::FoundThere(there) => {
                let some = there.nodes.into_iter();
                found.extend(some.filter_map(|(node, found)| Some((node, found.ok()?))));
                there.last
            }
            Event::Found(_) | Event::Report(_) | Event::Piece(_) | Event::Recorded(_) | Event::MapsWanted => {
                false
            }
        })?;
        Ok(found)
    }

    /// Has all hosts read variables by these maps.
    pub fn set_maps(&mut self, maps: &MapFrames) {
        self.session.send_maps(&maps.whole);
    }

    /// Asks for a look, and returns when the question is on its way.
    ///
    /// # Errors
    /// It is too large to be sent, or nobody takes it.
    pub fn ask(&mut self, look: Look) -> Result<(), Loss> {
        let question = ToNode::Look(look).to_bytes();
        let question = question.map_err(|error| Loss::Garbage { why: error.into() })?;
        // A piece is never as large as a frame may be.
        self.session.ask_to_look(&question.into(), usize::MAX);
        let begun = Instant::now();
        loop {
            self.heard.extend(self.session.step()?);
            if !self.session.has_more_to_send() {
                return Ok(());
            }
            self.wait(begun)?;
        }
    }

    /// What the hosts have seen, in pieces.
    ///
    /// # Errors
    /// There is no answer, or no whole one.
    pub fn pieces(&mut self) -> Result<Vec<Piece>, Loss> {
        let mut pieces = Vec::new();
        self.hear(|event| match event {
            Event::Piece(piece) => {
                let is_last = piece.is_last();
                pieces.push(piece);
                is_last
            }
            Event::Found(_)
            | Event::Report(_)
            | Event::FoundThere(_)
            | Event::Recorded(_)
            | Event::MapsWanted => false,
        })?;
        Ok(pieces)
    }

    /// What the tasks of the hosts have recorded that answer, by host.
    ///
    /// # Errors
    /// There is no answer, or no whole one.
    pub fn recordings(&mut self) -> Result<BTreeMap<NodeId, Vec<u8>>, Loss> {
        let question = ToNode::Recordings.to_bytes();
        let question = question.map_err(|error| Loss::Garbage { why: error.into() })?;
        self.session.ask_for_recordings(&question.into(), usize::MAX);
        let mut recorded = BTreeMap::new();
        self.hear(|event| match event {
            Event::Recorded(part) => {
                if !part.bytes.is_empty() {
                    recorded.entry(part.node).or_insert(part.bytes);
                }
                part.last
            }
            Event::Found(_)
            | Event::Report(_)
            | Event::FoundThere(_)
            | Event::Piece(_)
            | Event::MapsWanted => false,
        })?;
        Ok(recorded)
    }

    /// Takes what comes, until that `is_whole`.
    fn hear(&mut self, mut is_whole: impl FnMut(Event) -> bool) -> Result<(), Loss> {
        let begun = Instant::now();
        loop {
            self.heard.extend(self.session.step()?);
            let mut is_done = false;
            for event in self.heard.drain(..) {
                is_done |= is_whole(event);
            }
            if is_done {
                return Ok(());
            }
            self.wait(begun)?;
        }
    }

    /// Waits until something can be read or written.
    ///
    /// # Errors
    /// The time is over that has passed since `begun`.
    fn wait(&self, begun: Instant) -> Result<(), Loss> {
        let left = self.patience.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Err(Loss::Silent {
                reached: self.session.reached(),
                waited: begun.elapsed(),
                others: None,
            });
        }
        let (mut polled, at_most) = self.session.polled();
        let left = at_most.map_or(left, |at_most| left.min(at_most));
        // An interruption is like an end of the time: what there is to do is looked for anew.
        let _ = poll(&mut polled, Timespec::try_from(left).ok().as_ref());
        Ok(())
    }
}
