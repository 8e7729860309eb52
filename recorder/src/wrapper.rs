//! The function of the shim for one function of MPI, by what the crate `library` says of it.

mod follow;

use crate::prototype::{Parameter, Prototype};
use library::symbols::RECORDERS_OWN;
use library::{Flow, Function, Part, Role, Timing, Wait};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The functions that `written` defines.
pub fn by_hand(written: &str) -> BTreeSet<&str> {
    let definitions = written.split("EXPORTED int ").skip(1);
    let by_macro = ["\nFREES(", "\nSYNCHRONISE("].map(|name| written.split(name).skip(1));
    definitions
        .chain(by_macro.into_iter().flatten())
        .filter_map(|text| text.split(['(', ',']).next())
        .filter(|name| name.starts_with("MPI_"))
        .collect()
}

/// Whether a function takes part in communication, so that a call of it is recorded.
pub fn is_wrapped(prototype: &Prototype) -> bool {
    row(prototype).is_some_and(|row| what(row, prototype).is_some())
}

/// Whether a function takes part in communication, whatever the prototype that a library gives it.
pub fn communicates(row: &Function) -> bool {
    let waits = row.wait == Wait::Tasks;
    match row.part {
        Part::Sends | Part::SendsBuffered | Part::Receives | Part::Exchanges => true,
        Part::Probes | Part::Takes | Part::ReceivesTaken | Part::Collective(_) => true,
        Part::Opens | Part::File => waits,
        _ => waits && row.name.starts_with("MPI_Win_"),
    }
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
    // Messages in partitions fit together by the order in which they were prepared, apart from all others (MPI 4.1, section 4.2.1).
    if matches!(row.name, "MPI_Psend_init" | "MPI_Precv_init") {
        return Some("OTHER");
    }
    Some(match row.part {
        Part::Sends => "SENDS",
        Part::SendsBuffered => "BUFFERS",
        Part::Receives => "RECEIVES",
        Part::Exchanges => "EXCHANGES",
        Part::Probes if waits => "PROBES",
        Part::Takes if waits => "RECEIVES",
        Part::Probes | Part::Takes => "ASKS_MESSAGE",
        // It was counted when it was taken.
        Part::ReceivesTaken => "OTHER",
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
    let passed = format!("REAL({name})({})", prototype.passed());
    let status = arguments.first(|parameter| parameter.leads_to("MPI_Status"));
    // Who sent what came is told by the status alone.
    let status = status.filter(|_| matches!(what, "RECEIVES" | "EXCHANGES" | "PROBES" | "ASKS_MESSAGE"));
    let flag = arguments.first(|parameter| parameter.ty == "int *" && parameter.suffix.is_empty());
    let flag = flag.filter(|_| what == "ASKS_MESSAGE");
    let request = arguments.first(|parameter| parameter.leads_to("MPI_Request"));
    let is_persistent = row.timing == Timing::Persistent;

    let mut lines = Vec::new();
    let is_collective = matches!(row.part, Part::Collective(_));
    // What is prepared happens when it is started; but all members prepare a collective operation together.
    let now = if !is_persistent {
        what
    } else if is_collective {
        "COLLECTIVE"
    } else {
        "OTHER"
    };
    lines.push(format!("struct hindmost_call call = CALL({name}, {now});"));
    lines.push(format!("if (here.is_inside) return {passed};"));
    lines.extend(object(&arguments));
    lines.extend(fields(&arguments));
    lines.extend(amount(prototype));
    lines.push(format!("if (!begins(&call, NULL, 0)) return {passed};"));
    lines.extend(divided(prototype, "0").filter(|_| !is_persistent));
    if let Some(status) = status {
        lines.push("MPI_Status own;".to_owned());
        lines.push(format!("if ({status} == MPI_STATUS_IGNORE) {status} = &own;"));
    }
    let message = arguments.first(|parameter| parameter.leads_to("MPI_Message"));
    let is_received = row.part == Part::ReceivesTaken;
    if let Some(message) = message.filter(|_| is_received) {
        lines.push(format!("uint64_t taken = HANDLE(*{message});"));
    }
    lines.extend(follow::named(&arguments).filter(|_| !is_persistent));
    let asked = flag
        .zip(status)
        .and_then(|(flag, status)| follow::question(&arguments, &passed, flag, status));
    lines.push(asked.unwrap_or_else(|| format!("int result = {passed};")));
    match (message, status) {
        (Some(_), _) if is_received => {
            lines.push("if (result == MPI_SUCCESS) hindmost_free(taken);".to_owned());
        }
        (Some(message), Some(status)) => {
            let flag = flag.map_or_else(String::new, |flag| format!(" && *{flag}"));
            lines.push(format!(
                "if (result == MPI_SUCCESS{flag} && *{message} != MPI_MESSAGE_NO_PROC) took(&call, {status}, HANDLE(*{message}));"
            ));
        }
        _ => {}
    }
    lines.extend(status.map(|status| came(status, flag, row.part)));
    let comm = arguments.first(|parameter| parameter.is("MPI_Comm"));
    match (request, comm) {
        (Some(request), Some(comm)) if is_persistent && is_collective => {
            lines.push(prepared(prototype, request, comm, what));
        }
        _ => lines.extend(request.map(|request| requested(request, what, is_persistent))),
    }
    if is_persistent && what == "RECEIVES" {
        lines.push(follow::prepared(prototype));
    }
    lines.push(format!("ends(&call, {});", outcome(flag, request)));
    lines.extend(made(&arguments, comm, request.is_some()));
    lines.push("return result;".to_owned());

    let mut text = format!("\nEXPORTED int {name}({})\n{{\n", prototype.declared());
    for line in lines {
        let _ = writeln!(text, "    {line}");
    }
    text.push_str("}\n");
    text
}

/// Gives the shim's own function a name of its own for the linker: under MPI's stands a jump.
pub fn renamed(prototype: &Prototype) -> String {
    let function = prototype.function();
    format!("extern __typeof__({function}) {function} __asm__(\"{RECORDERS_OWN}{function}\");\n")
}

/// The jumps under MPI's names, ordinary and for profiling, and the tables of where they can lead: to the shim's own functions, or first to what finds out which MPI the
/// program has. A jump keeps all arguments, the return address and the stack as they are; which one it was stands in `eax`, which no argument is in.
pub fn entries(wrapped: &[&Prototype]) -> String {
    let mut own = String::new();
    let (mut jumps, mut table) = (String::new(), String::new());
    let ordinary = wrapped.iter().map(|prototype| prototype.function());
    let for_profiling = wrapped.iter().map(|prototype| prototype.name.as_str());
    let functions = wrapped
        .iter()
        .chain(wrapped)
        .map(|prototype| prototype.function());
    for (index, (name, function)) in ordinary.chain(for_profiling).zip(functions).enumerate() {
        let _ = writeln!(own, "    (void *){function},");
        let lines = [
            format!(".globl {name}"),
            format!(".type {name}, @function"),
            format!("{name}:"),
            ".cfi_startproc".to_owned(),
            format!("movl ${index}, %eax"),
            format!("jmp *hindmost_entries+{}(%rip)", index * 8),
            ".cfi_endproc".to_owned(),
            format!(".size {name}, .-{name}"),
        ];
        lines.iter().for_each(|line| assembly(&mut jumps, line));
        if index < wrapped.len() {
            assembly(&mut table, &format!(".quad {name}"));
            assembly(&mut jumps, &format!(".hidden {RECORDERS_OWN}{function}"));
        }
    }
    format!(
        "\n#define HIDDEN __attribute__((visibility(\"hidden\"), used))\nvoid hindmost_first(void);\n\
         static void *const hindmost_own[2 * HINDMOST_FUNCTIONS] = {{\n{own}}};\n\
         HIDDEN void *hindmost_entries[2 * HINDMOST_FUNCTIONS] = {{ [0 ... 2 * HINDMOST_FUNCTIONS - 1] = (void *)hindmost_first }};\n\
         __asm__(\n    \".pushsection .text\\n\"\n{jumps}    \".popsection\\n\"\n    \".pushsection .data.rel.ro,\\\"aw\\\"\\n.p2align 3\\n.hidden hindmost_jumps\\n.globl hindmost_jumps\\nhindmost_jumps:\\n\"\n{table}    \".popsection\");\n"
    )
}

fn assembly(text: &mut String, line: &str) {
    let _ = writeln!(text, "    \"{line}\\n\"");
}

/// What notes the communicator, window or file that the call is about.
fn object(arguments: &Arguments<'_>) -> Option<String> {
    let argument = |ty: &str| arguments.first(|parameter| parameter.is(ty));
    if let Some(comm) = argument("MPI_Comm") {
        return Some(format!("call.communicator = COMM_HANDLE({comm});"));
    }
    let (handle, kind) = match argument("MPI_Win") {
        Some(window) => (window, "WINDOW"),
        None => (argument("MPI_File")?, "SHARED_FILE"),
    };
    Some(format!(
        "call.communicator = HANDLE({handle}); call.kind = {kind};"
    ))
}

/// What notes the partners, tags and counts.
fn fields(arguments: &Arguments<'_>) -> Vec<String> {
    let fields = [
        (Role::Destination, "destination", "rank_of"),
        (Role::SendTag, "send_tag", "tag_of"),
        (Role::Source, "source", "rank_of"),
        (Role::ReceiveTag, "receive_tag", "tag_of"),
        (Role::Count, "count", "(int64_t)"),
    ];
    let notes = fields.into_iter().filter_map(|(role, field, of)| {
        let argument = arguments.role(role)?;
        Some(format!("call.{field} = {of}({argument});"))
    });
    let mut notes = Vec::from_iter(notes);
    if let Some(root) = arguments.role(Role::Root) {
        notes.push(format!("call.root = {root} < 0 ? 0 : (int64_t){root} + 1;"));
    }
    notes
}

/// What notes how much each member gives or takes, and by what it is reduced, of the operations in which all members have to say the same. A buffer
/// that is `MPI_IN_PLACE` says that count and type behind it do not count. Of a list of counts the sum is what all say alike.
fn amount(prototype: &Prototype) -> Vec<String> {
    let blocking = blocking(prototype.function());
    let (buffer, count, ty, op) = match &blocking[..] {
        "MPI_Bcast" => (None, 1, 2, None),
        "MPI_Reduce"
        | "MPI_Allreduce"
        | "MPI_Scan"
        | "MPI_Exscan"
        | "MPI_Reduce_scatter_block"
        | "MPI_Reduce_scatter" => (None, 2, 3, Some(4)),
        "MPI_Gather" => (Some(0), 1, 2, None),
        "MPI_Scatter" => (Some(3), 4, 5, None),
        "MPI_Allgather" | "MPI_Alltoall" => (None, 4, 5, None),
        "MPI_Allgatherv" => (None, 4, 6, None),
        _ => return Vec::new(),
    };
    let argument = |index: usize| prototype.parameters.get(index);
    let comm = prototype
        .parameters
        .iter()
        .find(|parameter| parameter.is("MPI_Comm"));
    let (Some(of), Some(ty), Some(comm)) = (argument(count), argument(ty), comm) else {
        return Vec::new();
    };
    if !ty.is("MPI_Datatype") {
        return Vec::new();
    }
    let is_given = buffer.and_then(argument).map_or_else(String::new, |buffer| {
        format!("if ({} != MPI_IN_PLACE) ", buffer.name)
    });
    let bytes = if matches!(&blocking[..], "MPI_Allgatherv" | "MPI_Reduce_scatter") {
        format!("BYTES_OF_ALL({}, {}, {})", of.name, comm.name, ty.name)
    } else {
        format!("bytes_of((int64_t){}, {})", of.name, ty.name)
    };
    let mut notes = vec![format!("{is_given}call.bytes = {bytes};")];
    if let Some(op) = op.and_then(argument).filter(|op| op.is("MPI_Op")) {
        notes.push(format!("call.reduction = reduction_of({});", op.name));
    }
    notes
}

/// What notes how much each member gives each other, or each neighbour, and takes of it, where each pair has to say the same. With `MPI_IN_PLACE` a member of `MPI_Alltoallv` gives what it takes,
/// and a root gives itself nothing. `request` is that of what is prepared, or 0.
fn divided(prototype: &Prototype, request: &str) -> Option<String> {
    let name = |index: usize| Some(prototype.parameters.get(index)?.name.as_str());
    // A list that is missing is for MPI to refuse.
    let list = |count: usize, ty: usize, index: &str| {
        let (count, ty) = (name(count)?, name(ty)?);
        let is_there = match index {
            "" => count.to_owned(),
            _ => format!("{count} && {ty}"),
        };
        Some(format!(
            "({is_there} ? bytes_of((int64_t){count}[i], {ty}{index}) : 0)"
        ))
    };
    let alike = |count: usize, ty: usize| Some(format!("bytes_of((int64_t){}, {})", name(count)?, name(ty)?));
    let one = |buffer: usize, count: usize, ty: usize| {
        Some(format!(
            "{} == MPI_IN_PLACE ? 0 : {}",
            name(buffer)?,
            alike(count, ty)?
        ))
    };
    let among_members = |root: &str| format!("peers_with(&call, {root})");
    let among_neighbours = || "neighbours_of(&call)".to_owned();
    let (peers, given, gives, taken, takes) = match &blocking(prototype.function())[..] {
        all @ ("MPI_Alltoallv" | "MPI_Alltoallw") => {
            let of_type = if all == "MPI_Alltoallw" { "[i]" } else { "" };
            let takes = list(5, 7, of_type)?;
            let gives = format!(
                "{} == MPI_IN_PLACE ? {takes} : {}",
                name(0)?,
                list(1, 3, of_type)?
            );
            (
                among_members("NO_ROOT"),
                "peers.count",
                gives,
                "peers.count",
                takes,
            )
        }
        "MPI_Gatherv" => (
            among_members(name(7)?),
            "peers.has_portion",
            one(0, 1, 2)?,
            "peers.is_root ? peers.count : 0",
            list(4, 6, "")?,
        ),
        "MPI_Scatterv" => (
            among_members(name(7)?),
            "peers.is_root ? peers.count : 0",
            list(1, 3, "")?,
            "peers.has_portion",
            one(4, 5, 6)?,
        ),
        all @ ("MPI_Neighbor_alltoallv" | "MPI_Neighbor_alltoallw") => {
            let of_type = if all == "MPI_Neighbor_alltoallw" {
                "[i]"
            } else {
                ""
            };
            let (gives, takes) = (list(1, 3, of_type)?, list(5, 7, of_type)?);
            (
                among_neighbours(),
                "peers.destinations",
                gives,
                "peers.sources",
                takes,
            )
        }
        "MPI_Neighbor_allgatherv" => (
            among_neighbours(),
            "peers.destinations",
            alike(1, 2)?,
            "peers.sources",
            list(4, 6, "")?,
        ),
        "MPI_Neighbor_allgather" | "MPI_Neighbor_alltoall" => (
            among_neighbours(),
            "peers.destinations",
            alike(1, 2)?,
            "peers.sources",
            alike(4, 5)?,
        ),
        _ => return None,
    };
    Some(format!(
        "DIVIDES({request}, {peers}, {given}, {gives}, {taken}, {takes});"
    ))
}

/// The blocking form of a collective operation, whose arguments the other forms begin with: `MPI_Bcast` of `MPI_Ibcast_c`, `MPI_Bcast_init`.
fn blocking(function: &str) -> String {
    let name = function.strip_suffix("_c").unwrap_or(function);
    let name = name.strip_suffix("_init").unwrap_or(name);
    match name.strip_prefix("MPI_I") {
        Some(rest) if rest.starts_with(|first: char| first.is_ascii_lowercase()) => {
            let (first, rest) = rest.split_at(1);
            format!("MPI_{}{rest}", first.to_ascii_uppercase())
        }
        _ => name.to_owned(),
    }
}

/// What notes who sent the message that came, if one did: where there is a flag, that tells.
fn came(status: &str, flag: Option<&str>, part: Part) -> String {
    let taken = match part {
        Part::Takes if flag.is_some() => " call.does = RECEIVES;",
        _ => "",
    };
    let came = match flag {
        Some(flag) => format!("result == MPI_SUCCESS && *{flag}"),
        None => "result == MPI_SUCCESS".to_owned(),
    };
    format!(
        "if ({came}) {{ call.source = rank_of({status}->MPI_SOURCE); call.receive_tag = {status}->MPI_TAG;{taken} }}"
    )
}

/// What notes the request that the call has made.
fn requested(request: &str, what: &str, is_persistent: bool) -> String {
    let persistent = u32::from(is_persistent);
    format!(
        "if (result == MPI_SUCCESS) {{ struct hindmost_call made = call; made.does = {what}; hindmost_request(&made, \
         REQUEST_HANDLE(*{request}), {persistent}); }}"
    )
}

/// What notes a collective operation that the call has prepared, and how it is divided.
fn prepared(prototype: &Prototype, request: &str, comm: &str, what: &str) -> String {
    let request = format!("REQUEST_HANDLE(*{request})");
    let divided = divided(prototype, &request).unwrap_or_default();
    format!("if (result == MPI_SUCCESS) {{ prepares(&call, {comm}, {request}, {what}); {divided} }}")
}

/// How the call has ended.
fn outcome(flag: Option<&str>, request: Option<&str>) -> String {
    match (flag, request) {
        (Some(flag), _) => format!("result != MPI_SUCCESS ? FAILED : *{flag} ? DONE : UNANSWERED"),
        (None, Some(_)) => "result == MPI_SUCCESS ? STARTED : FAILED".to_owned(),
        (None, None) => "outcome_of(result)".to_owned(),
    }
}

/// What tells the recorder of new communicators, windows and files. One that is made later, a duplicate, is known by its handle at once, and has the
/// members of what it is made from: it may not be asked for them before its request is complete.
fn made(arguments: &Arguments<'_>, comm: Option<&str>, later: bool) -> Option<String> {
    if !matches!(
        arguments.row.part,
        Part::Collective(Flow::Management) | Part::Opens | Part::File
    ) {
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
        let members = if later {
            comm?.to_owned()
        } else {
            format!("*{new}")
        };
        return Some(describe(&members, format!("COMM_HANDLE(*{new})"), "COMMUNICATOR"));
    }
    let comm = comm.filter(|_| !later)?;
    if let Some(new) = new("MPI_Win") {
        return Some(describe(comm, format!("HANDLE(*{new})"), "WINDOW"));
    }
    let new = new("MPI_File")?;
    Some(describe(comm, format!("HANDLE(*{new})"), "SHARED_FILE"))
}
