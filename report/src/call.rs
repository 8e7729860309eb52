//! The arguments of an MPI call as a reader says them: `from rank 5, tag 17`.

use engine::{CallArgument, CallView, Role};
use std::fmt::Write as _;

/// What is known of a call's arguments, with a space in front; empty when that is nothing.
pub(crate) fn arguments(call: &CallView) -> String {
    let mut parts: Vec<String> = Vec::new();
    // Where tags are shown the count says little; it does for requests, and for what is reduced or broadcast.
    let requests = call.argument(Role::Request);
    if let Some(requests) = requests {
        let count = call.argument(Role::Count).and_then(|count| count.value);
        parts.push(match count {
            Some(1) => format!("for 1 request of {}", requests.text),
            Some(count) => format!("for {count} requests of {}", requests.text),
            None if call.argument(Role::Count).is_some() => format!("for requests of {}", requests.text),
            None => format!("for request {}", requests.text),
        });
    }
    for argument in &call.arguments {
        match argument.role {
            Role::Destination => parts.push(format!("to {}", rank(argument))),
            Role::Source => parts.push(format!("from {}", rank(argument))),
            Role::Root => parts.push(format!("with root {}", rank(argument))),
            Role::SendTag | Role::ReceiveTag => parts.push(tag(argument)),
            Role::Count | Role::Communicator | Role::Request => {}
        }
    }
    let world = Some("MPI_COMM_WORLD");
    if let Some(communicator) = call.argument(Role::Communicator)
        && communicator.name.as_deref() != world
    {
        // Ranks count anew in each communicator.
        parts.push(format!("in communicator {}", plain(communicator)));
    }
    let mut text = String::new();
    for (index, part) in parts.iter().enumerate() {
        let _ = write!(text, "{}{part}", if index == 0 { " " } else { ", " });
    }
    text
}

/// What the source has in place of a number stands in quotes: a variable may be called `from`.
fn rank(argument: &CallArgument) -> String {
    match (&argument.name, argument.value) {
        (None, Some(value)) => format!("rank {value}"),
        (None, None) if argument.differs => format!("'{}' (differs by task)", argument.text),
        (None, None) => format!("'{}'", argument.text),
        (Some(name), _) => name.clone(),
    }
}

/// A variable that is called `tag`, and was not read, tells nothing.
fn tag(argument: &CallArgument) -> String {
    match (&argument.name, argument.value) {
        (None, None) if argument.differs => format!("tag '{}' (differs by task)", argument.text),
        (None, None) => format!("tag not known ({})", argument.text),
        _ => format!("tag {}", plain(argument)),
    }
}

/// The name, or the value, or what the source has in its place.
fn plain(argument: &CallArgument) -> String {
    match (&argument.name, argument.value) {
        (Some(name), _) => name.clone(),
        (None, Some(value)) => value.to_string(),
        (None, None) if argument.differs => format!("{} (differs by task)", argument.text),
        (None, None) => argument.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(role: Role, text: &str, value: Option<i64>) -> CallArgument {
        CallArgument {
            role,
            text: text.to_owned(),
            value,
            name: text.starts_with("MPI_").then(|| text.to_owned()),
            differs: false,
        }
    }

    fn check(function: &str, given: Vec<CallArgument>, expected: &str) {
        let call = CallView {
            function: function.to_owned(),
            arguments: given,
        };
        assert_eq!(arguments(&call), expected);
    }

    #[test]
    fn calls_are_said_as_far_as_they_are_known() {
        let receive = |comm| {
            vec![
                argument(Role::Count, "n", Some(4)),
                argument(Role::Source, "peer", Some(5)),
                argument(Role::ReceiveTag, "TAG", Some(17)),
                argument(Role::Communicator, comm, None),
            ]
        };
        check("MPI_Recv", receive("MPI_COMM_WORLD"), " from rank 5, tag 17");
        check(
            "MPI_Recv",
            receive("grid->comm"),
            " from rank 5, tag 17, in communicator grid->comm",
        );
        let by_variable = |differs| {
            let source = argument(Role::Source, "from", None);
            vec![CallArgument { differs, ..source }]
        };
        check("MPI_Recv", by_variable(false), " from 'from'");
        check("MPI_Recv", by_variable(true), " from 'from' (differs by task)");
        let anybody = vec![
            argument(Role::Source, "MPI_ANY_SOURCE", None),
            argument(Role::ReceiveTag, "tag", None),
            argument(Role::Communicator, "MPI_COMM_WORLD", None),
        ];
        check("MPI_Recv", anybody, " from MPI_ANY_SOURCE, tag not known (tag)");
        let all = vec![
            argument(Role::Count, "2", Some(2)),
            argument(Role::Request, "reqs", None),
        ];
        check("MPI_Waitall", all, " for 2 requests of reqs");
        check(
            "MPI_Barrier",
            vec![argument(Role::Communicator, "MPI_COMM_WORLD", None)],
            "",
        );
    }
}
