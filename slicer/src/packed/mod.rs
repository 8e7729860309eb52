//! A graph as bytes: for keeping it until the sources change.
//!
//! Not an exchange format: a version stands in front, and such bytes must be kept together with a mark of the program that
//! wrote them. Everything is a number of seven bits a byte; where rows are sorted, a number is its distance from the one
//! before, and what a node leads to is its distance from the node, so that most numbers take one byte. Reading is one pass
//! over the bytes into the columns that the walk uses.
//!
//! **Contract.** [`Graph::from_bytes`] of [`Graph::to_bytes`] is the graph. Any other bytes give a graph in which every id
//! is in range, or a [`GraphError`]; there is no panic, neither here nor in a walk over what was read, and no more room is
//! taken than a fixed multiple of the bytes.

mod check;
mod read;
mod write;

use crate::graph::{EdgeKind, FunctionKind, Graph, MessageRole, NodeKind, Purpose};
use std::fmt;

/// Changes with every change of the format or of what the columns mean.
const VERSION: u64 = 12;

/// What the bytes begin with.
const MAGIC: &[u8; 8] = b"hm graph";

/// Why bytes are no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// They are something else.
    NoGraph,
    /// They are of another version.
    Version(u64),
    /// This byte, or a number before it, cannot stand there.
    Malformed(usize),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::NoGraph => f.write_str("not a dependence graph"),
            GraphError::Version(version) => {
                write!(f, "a dependence graph of version {version}, not {VERSION}")
            }
            GraphError::Malformed(at) => write!(f, "a damaged dependence graph: wrong at byte {at}"),
        }
    }
}

impl std::error::Error for GraphError {}

impl Graph {
    /// The bytes of the graph. Equal graphs have equal bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        write::graph(self)
    }

    /// The graph of these bytes.
    ///
    /// # Errors
    /// When the bytes cannot have been made by [`Graph::to_bytes`] of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Graph, GraphError> {
        read::graph(bytes)
    }
}

/// The number that stands for a kind is its index.
const NODE_KINDS: [NodeKind; 5] = [
    NodeKind::Plain,
    NodeKind::Call,
    NodeKind::Parameter,
    NodeKind::Argument,
    NodeKind::Initial,
];

const FUNCTION_KINDS: [FunctionKind; 3] = [FunctionKind::Source, FunctionKind::Macro, FunctionKind::Table];

const EDGE_KINDS: [EdgeKind; 7] = [
    EdgeKind::Control,
    EdgeKind::Local,
    EdgeKind::Choice,
    EdgeKind::Part,
    EdgeKind::Jump,
    EdgeKind::Ends,
    EdgeKind::Leaves,
];

const PURPOSES: [Purpose; 3] = [Purpose::Value, Purpose::Choice, Purpose::Request];

const ROLES: [MessageRole; 12] = [
    MessageRole::Send,
    MessageRole::Receive,
    MessageRole::Both,
    MessageRole::Collective,
    MessageRole::Put,
    MessageRole::Get,
    MessageRole::Update,
    MessageRole::Window,
    MessageRole::Epoch,
    MessageRole::Probe,
    MessageRole::Address,
    MessageRole::Any,
];
