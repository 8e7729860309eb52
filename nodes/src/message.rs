//! What front and node say, as frames: the map as its own bytes, all else as JSON.

use crate::frame::{Frame, FrameError, Kind};
use crate::piece::Piece;
use crate::plan::{FoundThere, Plan};
use crate::recorded::RecordedPart;
use crate::report::Report;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the dialogue. Both sides are of one version: the front sends its own probe along where there is another.
pub const VERSION: u32 = 7;

/// What the step of a batch system is called in which a probe runs, so that no other takes that for a part of the job.
pub const OWN_STEP: &str = "hindmost-probe";

/// What a process has as its first argument that answers together with others, before how many they are. It is a rank of MPI, and no other is to take it for one of the job.
pub const OWN_ARGUMENT: &str = "--hindmost-together";

/// The probe is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The [`VERSION`] that it speaks.
    pub version: u32,
    /// The name of its host, as that calls itself.
    pub host: String,
}

/// Which tasks are meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    /// These processes of a launcher's table, each with its rank. What is not `owner`'s, or carries no environment of a job, is left out: the table was in the memory of a process
    /// that only calls itself a launcher.
    Table {
        /// Pid and rank.
        tasks: Vec<(u32, u32)>,
        /// The launcher's user.
        owner: Option<u32>,
    },
    /// These processes, which the user has named; a single one may be a launcher, or a launcher's daemon.
    Processes(Vec<u32>),
    /// The ranks below a launcher's daemon, which is known by one of its arguments.
    Daemon {
        /// The argument.
        argument: String,
    },
    /// The ranks of the one job that runs there.
    OnlyJob,
    /// The ranks of a job of Slurm; there may be none.
    Slurm {
        /// Its number.
        job: u32,
        /// Those of this step alone.
        step: Option<u32>,
    },
    /// The ranks in whose environment each of these variables has this value; there may be none.
    Alike {
        /// Names and values.
        variables: Vec<(String, String)>,
    },
}

/// The tasks that there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Each of them.
    pub tasks: Vec<FoundTask>,
    /// How many ranks the whole job has, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// What the user should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A task of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundTask {
    /// Its process there.
    pub pid: u32,
    /// Its rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Its executable, as the node's kernel names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub executable: String,
}

/// Which threads are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadsRead {
    /// None: what the tasks record is looked at alone.
    None,
    /// The main ones.
    Main,
    /// All.
    #[default]
    All,
}

/// How tasks are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Which threads.
    pub threads: ThreadsRead,
    /// Threads are stopped also where they sleep.
    pub stop_sleepers: bool,
    /// Bytes of each stack to copy at most.
    pub limit: u64,
    /// How long to wait for tasks to stop, in milliseconds.
    pub patience_ms: u64,
    /// What the tasks record of their calls of MPI is looked at as well, and is asked for afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recordings: bool,
    /// Of each task's events so many of the last ones go with these.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub events: u64,
}

/// None are wanted.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What the front says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToNode {
    /// Which tasks are meant.
    Select(Select),
    /// A map that the probe reads variables by.
    Map {
        /// Which of them.
        place: MapPlace,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// The same, in a file that the node perhaps sees as well.
    MapFile(MapFile),
    /// Look at the tasks.
    Look(Look),
    /// What have the tasks recorded, who were looked at before? It is asked once all nodes have answered that, so that there is a moment which lies between both for all of them.
    Recordings,
    /// What have they written to their rings of events since they were asked for that last? The answer is [`FromNode::Recorded`], of those tasks alone of which there is anything new, with their files where events name
    /// what was not known before. No look goes before it.
    Events,
    /// Answer together with other nodes: in place of [`Select`].
    Plan(Plan),
    /// There will be no other question. A single node sees that by the end of the stream.
    End,
}

/// Where a map may be found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapFile {
    /// Which of them.
    pub place: MapPlace,
    /// The absolute name of the file.
    pub path: String,
    /// blake3 of its bytes: any other file is none of it.
    pub hash: [u8; 32],
}

/// Which of several maps one is, of a job of several programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapPlace {
    /// The first, in place of all that were sent before.
    First,
    /// One more.
    Further,
}

impl MapPlace {
    fn kind(self) -> Kind {
        match self {
            MapPlace::First => Kind::Map,
            MapPlace::Further => Kind::FurtherMap,
        }
    }
}

/// What a node says.
#[derive(Clone, Debug, PartialEq)]
pub enum FromNode {
    /// The probe is there.
    Hello(Hello),
    /// The tasks that there are.
    Found(Found),
    /// What they were seen at.
    Report(Report),
    /// Why it cannot do what it was asked for.
    Failure(String),
    /// The tasks that there are on several nodes.
    FoundThere(FoundThere),
    /// What several nodes were seen at, or a piece of it.
    Piece(Piece),
    /// What the tasks of a node have recorded, or of their events what is new.
    Recorded(RecordedPart),
    /// In answer to [`Look`]: a [`MapFile`] is not there. The maps are to be sent, and the look asked for once more.
    MapsWanted,
}

/// Why a frame is no message.
#[derive(Debug)]
pub enum MessageError {
    /// It is not even a frame.
    Frame(FrameError),
    /// It is one that this side sends.
    WrongSide(Kind),
    /// Its bytes are not what its kind has.
    Content(Kind, serde_json::Error),
    /// The same, of what is no JSON.
    Bytes(Kind),
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Frame(error) => error.fmt(f),
            MessageError::WrongSide(kind) => write!(f, "a message that only the other side sends ({kind:?})"),
            MessageError::Content(kind, error) => write!(f, "a damaged message ({kind:?}: {error})"),
            MessageError::Bytes(kind) => write!(f, "a damaged message ({kind:?})"),
        }
    }
}

impl std::error::Error for MessageError {}

impl From<FrameError> for MessageError {
    fn from(error: FrameError) -> Self {
        MessageError::Frame(error)
    }
}

impl ToNode {
    /// As it is sent.
    ///
    /// # Errors
    /// It is too large.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FrameError> {
        match self {
            ToNode::Select(select) => framed(Kind::Select, json(select)),
            ToNode::Map { place, bytes } => framed(place.kind(), bytes.clone()),
            ToNode::MapFile(file) => framed(Kind::MapFile, json(file)),
            ToNode::Look(look) => framed(Kind::Look, json(look)),
            ToNode::Recordings => framed(Kind::Recordings, Vec::new()),
            ToNode::Events => framed(Kind::Events, Vec::new()),
            ToNode::Plan(plan) => framed(Kind::Plan, json(plan)),
            ToNode::End => framed(Kind::End, Vec::new()),
        }
    }

    /// As the node takes it.
    ///
    /// # Errors
    /// It is nothing that the front says.
    pub fn of(frame: Frame) -> Result<Self, MessageError> {
        match frame.kind {
            Kind::Select => parsed(&frame).map(ToNode::Select),
            Kind::Map => Ok(ToNode::Map {
                place: MapPlace::First,
                bytes: frame.bytes,
            }),
            Kind::FurtherMap => Ok(ToNode::Map {
                place: MapPlace::Further,
                bytes: frame.bytes,
            }),
            Kind::MapFile => parsed(&frame).map(ToNode::MapFile),
            Kind::Look => parsed(&frame).map(ToNode::Look),
            Kind::Recordings => Ok(ToNode::Recordings),
            Kind::Events => Ok(ToNode::Events),
            Kind::Plan => parsed(&frame).map(ToNode::Plan),
            Kind::End => Ok(ToNode::End),
            other => Err(MessageError::WrongSide(other)),
        }
    }
}

impl FromNode {
    /// As it is sent.
    ///
    /// # Errors
    /// It is too large.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FrameError> {
        match self {
            FromNode::Hello(hello) => framed(Kind::Hello, json(hello)),
            FromNode::Found(found) => framed(Kind::Found, json(found)),
            FromNode::Report(report) => framed(Kind::Report, json(report)),
            FromNode::Failure(text) => framed(Kind::Failure, json(text)),
            FromNode::FoundThere(found) => framed(Kind::FoundThere, json(found)),
            FromNode::Piece(piece) => framed(Kind::Piece, json(piece)),
            FromNode::Recorded(part) => framed(Kind::Recorded, part.to_plain()),
            FromNode::MapsWanted => framed(Kind::MapsWanted, Vec::new()),
        }
    }

    /// As the front takes it.
    ///
    /// # Errors
    /// It is nothing that a node says.
    pub fn of(frame: Frame) -> Result<Self, MessageError> {
        match frame.kind {
            Kind::Hello => parsed(&frame).map(FromNode::Hello),
            Kind::Found => parsed(&frame).map(FromNode::Found),
            Kind::Report => parsed(&frame).map(FromNode::Report),
            Kind::Failure => parsed(&frame).map(FromNode::Failure),
            Kind::FoundThere => parsed(&frame).map(FromNode::FoundThere),
            Kind::Piece => parsed(&frame).map(FromNode::Piece),
            Kind::Recorded => RecordedPart::of_plain(frame.bytes)
                .map(FromNode::Recorded)
                .ok_or(MessageError::Bytes(Kind::Recorded)),
            Kind::MapsWanted => Ok(FromNode::MapsWanted),
            other => Err(MessageError::WrongSide(other)),
        }
    }
}

fn framed(kind: Kind, bytes: Vec<u8>) -> Result<Vec<u8>, FrameError> {
    Frame { kind, bytes }.to_bytes()
}

fn json(content: &impl Serialize) -> Vec<u8> {
    // Serialising plain strings and numbers cannot fail.
    serde_json::to_vec(content).unwrap_or_default()
}

fn parsed<T: DeserializeOwned>(frame: &Frame) -> Result<T, MessageError> {
    serde_json::from_slice(&frame.bytes).map_err(|error| MessageError::Content(frame.kind, error))
}
