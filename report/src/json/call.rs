//! The wire form of an MPI call.

use engine::{CallView, Role, Who};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallJson<'a> {
    pub function: Cow<'a, str>,
    pub arguments: Vec<ArgumentJson<'a>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ArgumentJson<'a> {
    pub role: Cow<'a, str>,
    pub text: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
}

/// What some tasks of a class gave to the call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskCallJson<'a> {
    pub ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    #[serde(flatten)]
    pub call: CallJson<'a>,
}

pub(super) fn task_call_out<'a>(who: &'a Who, call: &'a CallView) -> TaskCallJson<'a> {
    TaskCallJson {
        ranks: who.ranks.to_string(),
        tasks: (&who.names).into(),
        call: call_out(call),
    }
}

pub(super) fn call_out(call: &CallView) -> CallJson<'_> {
    let arguments = call.arguments.iter().map(|argument| ArgumentJson {
        role: match argument.role {
            Role::Count => "count",
            Role::Destination => "destination",
            Role::Source => "source",
            Role::Root => "root",
            Role::SendTag => "send-tag",
            Role::ReceiveTag => "receive-tag",
            Role::Communicator => "communicator",
            Role::Request => "request",
        }
        .into(),
        text: (&argument.text).into(),
        value: argument.value.map(Into::into),
        name: argument.name.as_deref().map(Into::into),
        differs: argument.differs,
    });
    CallJson {
        function: (&call.function).into(),
        arguments: arguments.collect(),
    }
}
