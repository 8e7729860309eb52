//! The wire form of a class's threads.

use super::answer::{FrameOut, LoopValueOut, activity, frame, iteration};
use super::call::{CallOut, call_out};
use engine::{ThreadActivity, ThreadGroup, ThreadsBehind};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct ThreadsOut<'a> {
    threads: u64,
    ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    activity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    library: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallOut<'a>>,
    frames: Vec<FrameOut<'a>>,
}

#[derive(Serialize)]
pub(super) struct ThreadsBehindOut<'a> {
    ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    ahead: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    function: &'a str,
    file: &'a str,
    line: u32,
    activity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallOut<'a>>,
    iteration: Vec<LoopValueOut<'a>>,
    reason: &'a str,
}

pub(super) fn threads_behind_out(behind: &ThreadsBehind) -> ThreadsBehindOut<'_> {
    let position = &behind.position;
    let (activity, callee) = activity(&position.activity);
    ThreadsBehindOut {
        ranks: behind.who.ranks.to_string(),
        tasks: &behind.who.names,
        ahead: behind.ahead.to_string(),
        name: &behind.name,
        function: &position.function,
        file: &position.file,
        line: position.line,
        activity,
        callee,
        call: position.call.as_ref().map(call_out),
        iteration: iteration(position),
        reason: &behind.reason,
    }
}

pub(super) fn threads_out(group: &ThreadGroup) -> ThreadsOut<'_> {
    let (mut library, mut error, mut call) = (None, None, None);
    let (activity, callee) = match &group.doing {
        ThreadActivity::Working(position) => {
            call = position.call.as_ref().map(call_out);
            activity(&position.activity)
        }
        ThreadActivity::Helper(name) => {
            library = Some(name.as_str());
            ("helper", None)
        }
        ThreadActivity::Unreadable(why) => {
            error = Some(why.as_str());
            ("unreadable", None)
        }
    };
    ThreadsOut {
        threads: group.threads,
        ranks: group.who.ranks.to_string(),
        tasks: &group.who.names,
        name: &group.name,
        activity,
        callee,
        library,
        error,
        call,
        frames: group.frames.iter().map(frame).collect(),
    }
}
