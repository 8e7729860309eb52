//! The dialogue with hosts whose tasks are followed while they run: each is asked for their new events again and again, at its own pace, so that no host keeps the events of others.

use crate::gathering::Gathering;
use crate::loss::Loss;
use crate::node::{Asked, Node};
use nodes::{FrameError, NodeId, ToNode};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the tasks of a host have written since they were asked for it last, as [`nodes::NodeRecordings`] are sent.
#[derive(Debug)]
pub struct Streamed {
    /// The host.
    pub node: NodeId,
    /// Its answer.
    pub bytes: Vec<u8>,
    /// When it was asked.
    pub asked: Instant,
}

impl Gathering {
    /// Talks to all hosts until a time, and gives what they have sent as soon as any has. Who is ready is asked, each `pause` after it was asked before. Who takes longer than the deadline for an answer, or to be
    /// connected to, is lost; whoever was lost is left alone.
    ///
    /// # Errors
    /// The question is too large to be sent.
    pub fn follow(&mut self, pause: Duration, until: Instant) -> Result<Vec<Streamed>, FrameError> {
        let question: Arc<[u8]> = ToNode::Events.to_bytes()?.into();
        while self.streamed.is_empty() {
            self.ask_for_events(&question, pause);
            self.lose_overdue();
            self.run(until, &mut |_| {}, |all| all.left_to_follow(pause));
            if Instant::now() >= until {
                break;
            }
        }
        Ok(std::mem::take(&mut self.streamed))
    }

    /// How long nothing is to be done, if nothing is heard; `None` if something has come, or somebody is to be asked or given up.
    fn left_to_follow(&self, pause: Duration) -> Option<Duration> {
        if !self.streamed.is_empty() {
            return None;
        }
        let next = self
            .nodes
            .iter()
            .filter_map(|node| self.acts_next(node, pause))
            .min();
        let Some(next) = next else {
            return Some(Duration::MAX);
        };
        let left = next.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// Connects anew to those of the hosts that were lost for which it `is_worth_it`, while the others are followed.
    pub fn revive(&mut self, is_worth_it: impl Fn(NodeId, &Loss) -> bool) {
        self.left_alone.clear();
        let is_worth_it = |node: &Node| node.loss().is_some_and(|loss| is_worth_it(node.id, loss));
        for node in self.nodes.iter_mut().filter(|node| is_worth_it(node)) {
            *node = Node::new(node.id, node.asked.clone());
        }
    }

    /// The hosts that are lost, each with the reason.
    pub fn lost_now(&self) -> impl Iterator<Item = (NodeId, &Asked, &Loss)> {
        self.nodes
            .iter()
            .filter_map(|node| Some((node.id, &node.asked, node.loss()?)))
    }

    /// When there is something to do with a host, if nothing is heard of it.
    fn acts_next(&self, node: &Node, pause: Duration) -> Option<Instant> {
        if node.is_lost() {
            return None;
        }
        if node.is_ready() {
            return Some(node.asked_at.map_or_else(Instant::now, |asked| asked + pause));
        }
        let since = node.asked_at.or(node.begun_at)?;
        Some(since + self.patience.deadline)
    }

    fn ask_for_events(&mut self, question: &Arc<[u8]>, pause: Duration) {
        for node in &mut self.nodes {
            let is_due = node.asked_at.is_none_or(|asked| asked.elapsed() >= pause);
            if !node.is_ready() || !is_due {
                continue;
            }
            let now = Some(Instant::now());
            (node.asked_at, node.events_asked_at) = (now, now);
            if let Some(session) = node.session() {
                session.ask_for_events(question);
            }
        }
    }

    fn lose_overdue(&mut self) {
        for node in &mut self.nodes {
            let since = node.asked_at.or(node.begun_at);
            let waited = since.map_or(Duration::ZERO, |since| since.elapsed());
            if node.is_lost() || node.is_ready() || waited < self.patience.deadline {
                continue;
            }
            let Some(reached) = node.session().map(|session| session.reached()) else {
                continue;
            };
            let loss = Loss::Silent {
                reached,
                waited,
                others: None,
            };
            self.left_alone.extend(node.lose(loss));
        }
    }
}
