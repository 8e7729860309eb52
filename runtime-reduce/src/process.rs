//! One process of the reduction.
//!
//! A question is handed to the children first, then answered for the own host, and then the answers of the children are taken: so all hosts are looked at at the same time. With `w` the time that the root may
//! take, a process at depth `d` of a tree of height `h` waits `w (1 - d / (2h + 1))` for its children ([`tree::patience`]).

use crate::network::Network;
use nodes::{
    Found, FoundThere, Frame, FrameError, FromNode, Look, MapPlace, Merge, MessageError, NodeId, PIECE,
    Piece, Plan, Reader, RecordedPart, ToNode, tree,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What looks at the tasks of a process: those of its host.
pub trait Source {
    /// From now on the tasks that a plan says are meant; what there is of them, or why there is nothing.
    fn find(&mut self, plan: &Plan) -> BTreeMap<NodeId, Result<Found, String>>;

    /// From now on they are read by this map, too, or by it alone.
    fn take_map(&mut self, place: MapPlace, bytes: &[u8]);

    /// Adds what they are at.
    fn look(&mut self, look: Look, merge: &mut Merge);

    /// What they have recorded, who were looked at, as [`nodes::NodeRecordings`] are sent.
    fn recordings(&mut self) -> BTreeMap<NodeId, Vec<u8>>;
}

/// Takes the frames of an answer.
pub type Sink<'s> = &'s mut dyn FnMut(&[u8]);

/// Whether there will be other questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// There may be.
    Question,
    /// There will be none.
    Nothing,
}

/// A process, and what it looks at.
pub struct Process<N, S> {
    network: N,
    source: S,
    /// Those that still answer.
    children: Vec<u32>,
    /// How long an answer may take.
    patience: Duration,
    has_lost: bool,
}

impl<N: Network, S: Source> Process<N, S> {
    /// A process that was asked nothing yet.
    pub fn new(network: N, source: S) -> Self {
        let children = tree::children(network.rank(), network.size());
        Process {
            network,
            source,
            children,
            patience: Duration::ZERO,
            has_lost: false,
        }
    }

    /// Whether a process below was given up: it does not come to an end by itself, perhaps.
    pub fn has_lost(&self) -> bool {
        self.has_lost
    }

    /// The next question of the parent; `None` if it asks nothing before `until`.
    ///
    /// # Errors
    /// What it sent is no question.
    pub fn next_question(&mut self, until: Instant) -> Option<Result<ToNode, MessageError>> {
        let parent = tree::parent(self.network.rank())?;
        let bytes = self.network.receive(parent, until)?;
        Some(only_frame(&bytes).and_then(ToNode::of))
    }

    /// Answers a question: each frame of what this process and those below it say goes to `answer`, or to the parent where that is `None`.
    pub fn answer(&mut self, question: ToNode, answer: Option<Sink<'_>>) -> Next {
        if let ToNode::Plan(plan) = &question {
            self.patience = plan.patience();
        }
        let (rank, size) = (self.network.rank(), self.network.size());
        let until = Instant::now() + tree::patience(rank, size, self.patience);
        self.hand_down(&question, until);
        let frames = match question {
            ToNode::Plan(plan) => self.find(&plan, until),
            ToNode::Map { place, bytes } => {
                self.source.take_map(place, &bytes);
                return Next::Question;
            }
            ToNode::Look(look) => self.look(look, until),
            ToNode::Recordings => self.recordings(until),
            ToNode::End => return Next::Nothing,
            // What a single node is told, and nobody says here.
            ToNode::Select(_) | ToNode::MapFile(_) | ToNode::Events => return Next::Question,
        };
        match (answer, tree::parent(rank)) {
            (Some(answer), _) => frames.iter().for_each(|frame| answer(frame)),
            (None, Some(parent)) => {
                for frame in frames {
                    if !self.network.send(&[parent], &frame, until).is_empty() {
                        // Whoever is above waits no longer.
                        return Next::Nothing;
                    }
                }
            }
            (None, None) => {}
        }
        Next::Question
    }

    fn hand_down(&mut self, question: &ToNode, until: Instant) {
        if self.children.is_empty() {
            return;
        }
        let Ok(bytes) = question.to_bytes() else { return };
        let lost = self.network.send(&self.children, &bytes.into(), until);
        self.give_up(&lost);
    }

    fn give_up(&mut self, lost: &[u32]) {
        self.has_lost |= !lost.is_empty();
        self.children.retain(|child| !lost.contains(child));
    }

    /// What this process and those below it have found.
    fn find(&mut self, plan: &Plan, until: Instant) -> Vec<Arc<[u8]>> {
        let mut found = self.source.find(plan);
        let message = |message| match message {
            FromNode::FoundThere(found) => Some((found.last, found)),
            _ => None,
        };
        for answer in self.of_children(until, message) {
            for FoundThere { nodes, .. } in answer {
                for (node, there) in nodes {
                    found.entry(node).or_insert(there);
                }
            }
        }
        framed(FoundThere::messages(found).into_iter().map(FromNode::FoundThere))
    }

    /// What this process and those below it have seen.
    fn look(&mut self, look: Look, until: Instant) -> Vec<Arc<[u8]>> {
        let mut merge = Merge::default();
        self.source.look(look, &mut merge);
        let piece = |message| match message {
            FromNode::Piece(piece) => Some((piece.is_last(), piece)),
            _ => None,
        };
        for pieces in self.of_children::<Piece>(until, piece) {
            // Each process has looked after its own ranks, and who asks looks after all of them again.
            merge.absorb(pieces, |_| true, |_| None);
        }
        framed(merge.into_pieces(PIECE).map(FromNode::Piece))
    }

    /// What the tasks of this process and of those below it have recorded.
    fn recordings(&mut self, until: Instant) -> Vec<Arc<[u8]>> {
        let mut recorded = self.source.recordings();
        let message = |message| match message {
            FromNode::Recorded(part) => Some((part.last, part)),
            _ => None,
        };
        for parts in self.of_children::<RecordedPart>(until, message) {
            for RecordedPart { node, bytes, .. } in parts {
                if !bytes.is_empty() {
                    recorded.entry(node).or_insert(bytes);
                }
            }
        }
        framed(
            RecordedPart::messages(recorded)
                .into_iter()
                .map(FromNode::Recorded),
        )
    }

    /// The whole answer of each child that gives one in time: `part` is a part of it, and whether that is the last.
    fn of_children<P>(
        &mut self,
        until: Instant,
        part: impl Fn(FromNode) -> Option<(bool, P)>,
    ) -> Vec<Vec<P>> {
        let (mut answers, mut lost) = (Vec::new(), Vec::new());
        for &child in &self.children {
            let mut parts = Vec::new();
            let is_whole = loop {
                let bytes = self.network.receive(child, until);
                let read = bytes.and_then(|bytes| only_frame(&bytes).and_then(FromNode::of).ok());
                match read.and_then(&part) {
                    Some((is_last, read)) => {
                        parts.push(read);
                        if is_last {
                            break true;
                        }
                    }
                    None => break false,
                }
            };
            if is_whole {
                answers.push(parts);
            } else {
                lost.push(child);
            }
        }
        self.give_up(&lost);
        answers
    }
}

/// The frame that a message is.
fn only_frame(bytes: &[u8]) -> Result<Frame, MessageError> {
    let mut reader = Reader::default();
    reader.push(bytes);
    let frame = reader.next_frame()?;
    reader.finish()?;
    frame.ok_or(MessageError::Frame(FrameError::Cut))
}

/// Messages as they are sent. One that is too large leaves the answer without its end, and so counts for nothing.
fn framed(messages: impl Iterator<Item = FromNode>) -> Vec<Arc<[u8]>> {
    let bytes = messages.map_while(|message| message.to_bytes().ok());
    bytes.map(Arc::from).collect()
}
