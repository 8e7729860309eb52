//! What the hosts of a job and who asks them tell each other, and how their answers become one.
//!
//! **The dialogue.** Whoever asks (the *front*) has a stream to and from a probe on each host (a *node*), however that was started. The probe says
//! [`Hello`]. The front sends [`Select`], the node answers [`Found`]; the front sends the maps, once, or where they lie if the node may see the same files, and [`Look`] for each look, which the node answers with a
//! [`Report`]. When the front's end of the stream is closed, the probe ends. Who follows a job asks again and again which events its tasks have written since ([`ToNode::Events`]); what was sent once is not sent again.
//!
//! **Frames** ([`frame`]) carry all of it: compressed, checksummed, and bounded before they are read. What a node says may come as lines of text ([`to_lines`]), where nothing else is carried.
//!
//! **Reports** ([`report`]) hold each distinct stack once, with the tasks that have it. A [`Merge`] takes the reports of all nodes, in whatever order they come, and
//! gives the tasks of the whole job: what it gives depends on the reports alone. A node is believed of its own tasks only: where the front knows which ranks a
//! node has, it may speak of no others, and a rank of which two nodes speak is believed of neither.
//!
//! **Together.** Nodes that can reach each other may answer as one: the front sends their process 0 a [`Plan`] in place of [`Select`], and has one answer for all of them. Each node adds
//! its own to what those below it in a [`tree`] say, and sends it on in [`Piece`]s.
//!
//! No I/O: bytes and values in, values out. Any bytes give a message or an error.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod frame;
mod lines;
mod merge;
mod message;
mod packed;
mod piece;
mod plan;
mod recorded;
pub mod report;
mod rows;
pub mod tree;

pub use frame::{Frame, FrameError, Kind, Reader};
pub use lines::{FromLines, NotLines, to_lines};
pub use merge::{All, Complaint, Merge, Merged, NodeId};
pub use message::{
    Found, FoundTask, FromNode, Hello, Look, MapFile, MapPlace, MessageError, OWN_ARGUMENT, OWN_STEP, Select,
    ThreadsRead, ToNode, VERSION,
};
pub use piece::{PIECE, Piece, Pieces};
pub use plan::{FoundThere, Plan, PlannedNode};
pub use recorded::{
    Damaged, LARGEST_FILE, MOST_EVENTS_OF_NODE, MOST_OF_NODE, NodeRecordings, RecordedPart, TaskRecording,
};
pub use report::{Report, SharedStack};
pub use rows::{MOST_ROWS, RingPart};
