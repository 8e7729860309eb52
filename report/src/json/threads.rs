//! The wire form of a class's threads.

use super::answer::{FrameJson, LoopValueJson, activity, frame, iteration};
use super::call::{CallJson, call_out};
use engine::{ThreadActivity, ThreadGroup, ThreadsBehind};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadsJson<'a> {
    pub threads: u64,
    pub ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub name: Cow<'a, str>,
    pub activity: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallJson<'a>>,
    pub frames: Vec<FrameJson<'a>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadsBehindJson<'a> {
    pub ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    pub ahead: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub name: Cow<'a, str>,
    pub function: Cow<'a, str>,
    pub file: Cow<'a, str>,
    pub line: u32,
    pub activity: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallJson<'a>>,
    pub iteration: Vec<LoopValueJson<'a>>,
    pub reason: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<Cow<'a, str>>,
}

pub(super) fn threads_behind_out(behind: &ThreadsBehind) -> ThreadsBehindJson<'_> {
    let position = &behind.position;
    let (activity, callee) = activity(&position.activity);
    ThreadsBehindJson {
        ranks: behind.who.ranks.to_string(),
        tasks: (&behind.who.names).into(),
        ahead: behind.ahead.to_string(),
        name: (&behind.name).into(),
        function: (&position.function).into(),
        file: (&position.file).into(),
        line: position.line,
        activity,
        callee,
        call: position.call.as_ref().map(call_out),
        iteration: iteration(position),
        reason: (&behind.reason).into(),
        reason_code: Some(behind.reason_code.into()),
    }
}

pub(super) fn threads_out(group: &ThreadGroup) -> ThreadsJson<'_> {
    let (mut library, mut error, mut call) = (None, None, None);
    let (activity, callee) = match &group.doing {
        ThreadActivity::Working(position) => {
            call = position.call.as_ref().map(call_out);
            activity(&position.activity)
        }
        ThreadActivity::Helper(name) => {
            library = Some(name.into());
            ("helper".into(), None)
        }
        ThreadActivity::Unreadable(why) => {
            error = Some(why.into());
            ("unreadable".into(), None)
        }
    };
    ThreadsJson {
        threads: group.threads,
        ranks: group.who.ranks.to_string(),
        tasks: (&group.who.names).into(),
        name: (&group.name).into(),
        activity,
        callee,
        library,
        error,
        call,
        frames: group.frames.iter().map(frame).collect(),
    }
}
