//! What the adapter waits for: the editor, the answer, the debugger.

use crate::message::Request;
use crate::mi::Record;
use serde_json::Value;
use std::sync::mpsc::Sender;

pub(crate) enum Incoming {
    /// The editor wants something.
    Request(Request),
    /// The editor is gone.
    ClientGone,
    /// Who is behind is known: the answer as JSON, or why there is none.
    Answer(Result<String, String>),
    /// gdb has said something.
    Record(Debugger, Record),
    /// A debugger's own adapter has said something.
    Relayed(Debugger, Value),
    /// The debugger is gone.
    DebuggerGone(Debugger),
}

/// Which debugger: an attempt to attach that has failed may be followed by another one, and what the first one still says is of no interest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Debugger(pub(crate) u32);

impl Incoming {
    /// The debugger that it came from.
    pub(crate) fn from(&self) -> Option<Debugger> {
        match self {
            Self::Record(from, _) | Self::Relayed(from, _) | Self::DebuggerGone(from) => Some(*from),
            Self::Request(_) | Self::ClientGone | Self::Answer(_) => None,
        }
    }
}

/// The way by which a debugger comes in.
#[derive(Clone)]
pub(crate) struct Said {
    pub(crate) to: Sender<Incoming>,
    pub(crate) by: Debugger,
}

impl Said {
    /// Whether anybody still listens.
    pub(crate) fn record(&self, record: Record) -> bool {
        self.to.send(Incoming::Record(self.by, record)).is_ok()
    }

    /// Whether anybody still listens.
    pub(crate) fn relayed(&self, message: Value) -> bool {
        self.to.send(Incoming::Relayed(self.by, message)).is_ok()
    }

    /// If nobody listens any more, there is nobody to tell.
    pub(crate) fn gone(&self) {
        let _ = self.to.send(Incoming::DebuggerGone(self.by));
    }
}
