//! A host that is asked, and how it stands with it.

use crate::hosts::HostName;
use crate::loss::Loss;
use crate::patience::Standing;
use crate::session::Session;
use base::RankSet;
use nodes::{Found, NodeId, Select};
use std::time::{Duration, Instant};

/// Who has said nothing for so long while we connect to him keeps nobody else from being connected to.
pub(crate) const KEEPS_PLACE: Duration = Duration::from_secs(1);

/// A host that is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The host.
    pub host: HostName,
    /// Which tasks are meant there.
    pub select: Select,
    /// The ranks that it has, where that is known: it is believed of no others.
    pub ranks: Option<RankSet>,
}

/// A host, and how far the dialogue with it is.
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) asked: Asked,
    pub(crate) line: Line,
    pub(crate) found: Option<Found>,
    /// What it has seen was taken.
    pub(crate) has_reported: bool,
    /// It was asked for what its tasks have recorded, and has not answered yet.
    pub(crate) owes_recordings: bool,
    /// When it was asked for new events that have not come yet.
    pub(crate) events_asked_at: Option<Instant>,
    /// When it was begun to connect to it.
    pub(crate) begun_at: Option<Instant>,
    /// When it was asked for the report.
    pub(crate) asked_at: Option<Instant>,
    /// The maps were sent, or it was told where they lie.
    pub(crate) has_maps: bool,
    /// It does not see the files that have them.
    pub(crate) lacks_files: bool,
}

/// How it stands with a host.
pub(crate) enum Line {
    /// It waits for its turn.
    Waiting,
    /// The dialogue with it goes on.
    Open(Box<Session>),
    /// There will be no answer of it.
    Lost(Loss),
}

impl Node {
    pub(crate) fn new(id: NodeId, asked: Asked) -> Self {
        Node {
            id,
            asked,
            line: Line::Waiting,
            found: None,
            has_reported: false,
            owes_recordings: false,
            events_asked_at: None,
            begun_at: None,
            asked_at: None,
            has_maps: false,
            lacks_files: false,
        }
    }

    pub(crate) fn session(&mut self) -> Option<&mut Session> {
        match &mut self.line {
            Line::Open(session) => Some(session),
            Line::Waiting | Line::Lost(_) => None,
        }
    }

    /// There will be no answer of it. What is left of the dialogue is told to end, and has its time for that.
    pub(crate) fn lose(&mut self, loss: Loss) -> Option<Session> {
        let Line::Open(mut session) = std::mem::replace(&mut self.line, Line::Lost(loss)) else {
            return None;
        };
        session.leave();
        Some(*session)
    }

    pub(crate) fn is_ready(&self) -> bool {
        matches!(&self.line, Line::Open(session) if session.is_ready())
    }

    /// Whether it has one of the places of those that are connected to: whoever is silent leaves his to others.
    pub(crate) fn is_connecting(&self) -> bool {
        let is_heard_of = |session: &Session| session.silent_since().elapsed() < KEEPS_PLACE;
        matches!(&self.line, Line::Open(session) if self.found.is_none() && is_heard_of(session))
    }

    /// What it is at with something that is `done` or not.
    pub(crate) fn standing(&self, done: impl Fn(&Node) -> bool) -> Standing {
        match &self.line {
            Line::Lost(_) => Standing::Lost,
            _ if done(self) => Standing::Done,
            Line::Waiting => Standing::Waiting,
            Line::Open(session) => Standing::Silent(session.silent_since().elapsed()),
        }
    }

    pub(crate) fn has_more_to_send(&self) -> bool {
        matches!(&self.line, Line::Open(session) if session.has_more_to_send()) && self.asked_at.is_some()
    }

    /// Why there will be no answer of it, if so.
    pub(crate) fn loss(&self) -> Option<&Loss> {
        match &self.line {
            Line::Lost(loss) => Some(loss),
            Line::Waiting | Line::Open(_) => None,
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.line, Line::Lost(_))
    }
}
