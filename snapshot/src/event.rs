//! One event of a job, as `hindmost timeline` exports it and reads it again; `docs/causal.md` is the user's page.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What the first line of exported events calls itself.
pub const EVENTS_SCHEMA: &str = "hindmost-timeline";

/// The latest event of another rank that an event comes directly after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cause {
    /// The other rank.
    pub rank: u32,
    /// Which of its events, counted from 0.
    pub sequence: u64,
    /// When that was, in nanoseconds since the epoch, adjusted.
    pub time_ns: i64,
}

/// An event; what is not known, or does not apply, is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Event<'t> {
    /// Whose event.
    pub rank: u32,
    /// Which of its rank, counted from 0.
    pub sequence: u64,
    /// By which of its threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// When, in nanoseconds since the epoch, adjusted so that nothing is before what it depends on.
    pub time_ns: i64,
    /// The same by the clock of its host.
    pub local_ns: i64,
    /// `begins`, `ends`, `starts`, `completes` or `signals`.
    pub step: Cow<'t, str>,
    /// The function of MPI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<Cow<'t, str>>,
    /// The identity of the communicator, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communicator: Option<String>,
    /// The rank that a message goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// The rank that one came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// The message's tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<i64>,
    /// The number of the collective operation that is begun, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enters: Option<u64>,
    /// The number of the one that has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves: Option<u64>,
    /// Its root, as a rank of the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<u32>,
    /// What it comes directly after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Why what it comes after is not above: `gone`, `late` or `cycle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Cow<'t, str>>,
    /// What comes after it is above.
    #[serde(skip_serializing_if = "is_false")]
    pub overtaken: bool,
    /// So many events of its rank before it are lost.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_before: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
