//! The wire form of an MPI call.

use engine::{CallView, Role, Who};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct CallOut<'a> {
    function: &'a str,
    arguments: Vec<ArgumentOut<'a>>,
}

#[derive(Serialize)]
struct ArgumentOut<'a> {
    role: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    differs: bool,
}

/// What some tasks of a class gave to the call.
#[derive(Serialize)]
pub(super) struct TaskCallOut<'a> {
    ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    #[serde(flatten)]
    call: CallOut<'a>,
}

pub(super) fn task_call_out<'a>(who: &'a Who, call: &'a CallView) -> TaskCallOut<'a> {
    TaskCallOut {
        ranks: who.ranks.to_string(),
        tasks: &who.names,
        call: call_out(call),
    }
}

pub(super) fn call_out(call: &CallView) -> CallOut<'_> {
    let arguments = call.arguments.iter().map(|argument| ArgumentOut {
        role: match argument.role {
            Role::Count => "count",
            Role::Destination => "destination",
            Role::Source => "source",
            Role::Root => "root",
            Role::SendTag => "send-tag",
            Role::ReceiveTag => "receive-tag",
            Role::Communicator => "communicator",
            Role::Request => "request",
        },
        text: &argument.text,
        value: argument.value,
        name: argument.name.as_deref(),
        differs: argument.differs,
    });
    CallOut {
        function: &call.function,
        arguments: arguments.collect(),
    }
}
