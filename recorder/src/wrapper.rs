//! The function of the shim for one function of MPI, by what the crate `library` says of it.

use crate::prototype::{Parameter, Prototype};
use library::{Flow, Function, Part, Role, Timing, Wait};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The functions that `written` defines.
pub fn by_hand(written: &str) -> BTreeSet<&str> {
    let definitions = written.split("EXPORTED int ").skip(1);
    let frees = written.split("\nFREES(").skip(1);
    definitions
        .chain(frees)
        .filter_map(|text| text.split(['(', ',']).next())
        .filter(|name| name.starts_with("MPI_"))
        .collect()
}

/// Whether a function takes part in communication, so that a call of it is recorded.
pub fn is_wrapped(prototype: &Prototype) -> bool {
    row(prototype).is_some_and(|row| what(row, prototype).is_some())
}

/// The row of the function, if its arguments are those of the prototype.
fn row(prototype: &Prototype) -> Option<&'static Function> {
    let row = library::function(prototype.function())?;
    (row.arguments.len() == prototype.parameters.len()).then_some(row)
}

/// What a function does, by the name that the shim has for it (`recording::layout::does`); `None` if it is not recorded.
fn what(row: &Function, prototype: &Prototype) -> Option<&'static str> {
    let has = |ty: &str| prototype.parameters.iter().any(|parameter| parameter.is(ty));
    let waits = row.wait == Wait::Tasks;
    Some(match row.part {
        Part::Sends => "SENDS",
        Part::SendsBuffered => "BUFFERS",
        Part::Receives => "RECEIVES",
        Part::Exchanges => "EXCHANGES",
        Part::Probes if waits => "PROBES",
        Part::Takes if waits => "RECEIVES",
        Part::Probes | Part::Takes => "ASKS_MESSAGE",
        Part::Collective(flow) => match (flow, row.role(Role::Communicator).is_some()) {
            (_, false) => "OTHER",
            // Called by those alone that are to be members.
            _ if row.name == "MPI_Comm_create_group" => "OTHER",
            (Flow::EveryPart, _) => "EVERY_PART",
            (Flow::FromRoot, _) => "FROM_ROOT",
            (Flow::ToRoot, _) => "TO_ROOT",
            (Flow::Prefix, _) => "PREFIX",
            (Flow::Neighbours | Flow::Management, _) => "COLLECTIVE",
        },
        Part::Opens if waits => "COLLECTIVE",
        Part::Epoch if row.name == "MPI_Win_fence" => "COLLECTIVE",
        Part::File if waits => "COLLECTIVE",
        _ if waits && has("MPI_Win") => "EPOCH",
        _ => return None,
    })
}

/// The name of the argument with this role, or the first of this type.
struct Arguments<'p> {
    row: &'static Function,
    prototype: &'p Prototype,
}

impl<'p> Arguments<'p> {
    fn role(&self, role: Role) -> Option<&'p str> {
        let index = self.row.role(role)?;
        Some(&self.prototype.parameters.get(index)?.name)
    }

    fn first(&self, is_it: impl Fn(&Parameter) -> bool) -> Option<&'p str> {
        let mut parameters = self.prototype.parameters.iter();
        Some(&parameters.find(|parameter| is_it(parameter))?.name)
    }
}

/// The function's text.
pub fn write(prototype: &Prototype) -> String {
    let Some((row, what)) = row(prototype).and_then(|row| Some((row, what(row, prototype)?))) else {
        return String::new();
    };
    let arguments = Arguments { row, prototype };
    let name = prototype.function();
    let passed = format!("P{name}({})", prototype.passed());
    let is_persistent = row.timing == Timing::Persistent;
    let status = arguments.first(|parameter| parameter.leads_to("MPI_Status"));
    // Who sent what came is told by the status alone.
    let status = status.filter(|_| matches!(what, "RECEIVES" | "EXCHANGES") || row.part == Part::Takes);
    let mut text = format!("\nEXPORTED int {name}({})\n{{\n", prototype.declared());
    let mut line = |line: String| {
        let _ = writeln!(text, "    {line}");
    };
    // What is prepared happens when it is started.
    let now = if is_persistent { "OTHER" } else { what };
    line(format!("struct hindmost_call call = CALL({name}, {now});"));
    line(format!("if (here.is_inside) return {passed};"));
    let comm = arguments.first(|parameter| parameter.is("MPI_Comm"));
    let window = arguments.first(|parameter| parameter.is("MPI_Win"));
    let file = arguments.first(|parameter| parameter.is("MPI_File"));
    if let Some(comm) = comm {
        line(format!("call.communicator = COMM_HANDLE({comm});"));
    } else if let Some(window) = window {
        line(format!(
            "call.communicator = HANDLE({window}); call.kind = WINDOW;"
        ));
    } else if let Some(file) = file {
        line(format!(
            "call.communicator = HANDLE({file}); call.kind = SHARED_FILE;"
        ));
    }
    let fields = [
        (Role::Destination, "destination", "rank_of"),
        (Role::SendTag, "send_tag", "tag_of"),
        (Role::Source, "source", "rank_of"),
        (Role::ReceiveTag, "receive_tag", "tag_of"),
        (Role::Count, "count", "(int64_t)"),
    ];
    for (role, field, of) in fields {
        if let Some(argument) = arguments.role(role) {
            line(format!("call.{field} = {of}({argument});"));
        }
    }
    if let Some(root) = arguments.role(Role::Root) {
        line(format!("call.root = {root} < 0 ? 0 : (int64_t){root} + 1;"));
    }
    line(format!("if (!begins(&call, NULL, 0)) return {passed};"));
    if let Some(status) = status {
        line("MPI_Status own;".to_owned());
        line(format!("if ({status} == MPI_STATUS_IGNORE) {status} = &own;"));
    }
    line(format!("int result = {passed};"));
    let flag = arguments.first(|parameter| parameter.ty == "int *" && parameter.suffix.is_empty());
    let flag = flag.filter(|_| what == "ASKS_MESSAGE");
    let came = match flag {
        Some(flag) => format!("result == MPI_SUCCESS && *{flag}"),
        None => "result == MPI_SUCCESS".to_owned(),
    };
    if let Some(status) = status {
        let taken = if flag.is_some() {
            " call.does = RECEIVES;"
        } else {
            ""
        };
        line(format!(
            "if ({came}) {{ call.source = rank_of({status}->MPI_SOURCE); call.receive_tag = {status}->MPI_TAG;{taken} }}"
        ));
    }
    let request = arguments.first(|parameter| parameter.leads_to("MPI_Request"));
    if let Some(request) = request {
        let persistent = u32::from(is_persistent);
        line(format!(
            "if (result == MPI_SUCCESS) {{ struct hindmost_call made = call; made.does = {what}; hindmost_request(&made, \
             REQUEST_HANDLE(*{request}), {persistent}); }}"
        ));
    }
    let outcome = match (flag, request) {
        (Some(flag), _) => format!("result != MPI_SUCCESS ? FAILED : *{flag} ? DONE : UNANSWERED"),
        (None, Some(_)) => "result == MPI_SUCCESS ? STARTED : FAILED".to_owned(),
        (None, None) => "outcome_of(result)".to_owned(),
    };
    line(format!("ends(&call, {outcome});"));
    if let Some(made) = made(&arguments, comm, request.is_some()) {
        line(made);
    }
    line("return result;".to_owned());
    text.push_str("}\n");
    text
}

/// What tells the recorder of new communicators, windows and files. Of one that is made later, nothing is known before its request is complete.
fn made(arguments: &Arguments<'_>, comm: Option<&str>, later: bool) -> Option<String> {
    if later
        || !matches!(
            arguments.row.part,
            Part::Collective(Flow::Management) | Part::Opens | Part::File
        )
    {
        return None;
    }
    let name = arguments.prototype.function();
    let by_all = arguments.row.role(Role::Communicator).is_some() && name != "MPI_Comm_create_group";
    let by_all = u32::from(by_all);
    let parent = comm.map_or_else(|| "0".to_owned(), |comm| format!("COMM_HANDLE({comm})"));
    let describe = |members: &str, handle: String, kind: &str| {
        format!(
            "if (result == MPI_SUCCESS) describe({members}, {handle}, {kind}, {parent}, HINDMOST_{name} + 1, {by_all}, call.ordinal);"
        )
    };
    let new = |ty: &str| arguments.first(|parameter| parameter.leads_to(ty));
    if let Some(new) = new("MPI_Comm") {
        return Some(describe(
            &format!("*{new}"),
            format!("COMM_HANDLE(*{new})"),
            "COMMUNICATOR",
        ));
    }
    let comm = comm?;
    if let Some(new) = new("MPI_Win") {
        return Some(describe(comm, format!("HANDLE(*{new})"), "WINDOW"));
    }
    let new = new("MPI_File")?;
    Some(describe(comm, format!("HANDLE(*{new})"), "SHARED_FILE"))
}
