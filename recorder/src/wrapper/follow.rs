//! What lets a call take what it took in a first run (`runtime_pmpi::recorder::follows`).

use super::Arguments;
use crate::prototype::Prototype;
use library::Role;

/// What lets a call name whom it receives from, or take nothing, if it follows a first run.
pub(super) fn named(arguments: &Arguments<'_>) -> Option<String> {
    let (source, tag) = (arguments.role(Role::Source)?, arguments.role(Role::ReceiveTag)?);
    let comm = arguments.first(|parameter| parameter.is("MPI_Comm"))?;
    Some(format!(
        "if (call.follows != NOTHING) follow(&call, &{source}, &{tag}, &{comm});"
    ))
}

/// The text of the call itself, where it is a question that a first run has answered: then what came there is waited for. Where it was not answered yet, MPI is asked all the same, so that it goes on.
pub(super) fn question(arguments: &Arguments<'_>, passed: &str, flag: &str, status: &str) -> Option<String> {
    let (source, tag) = (arguments.role(Role::Source)?, arguments.role(Role::ReceiveTag)?);
    let comm = arguments.first(|parameter| parameter.is("MPI_Comm"))?;
    let message = arguments.first(|parameter| parameter.leads_to("MPI_Message"));
    let wait = match message {
        Some(message) => format!("REAL(MPI_Mprobe)({source}, {tag}, {comm}, {message}, {status})"),
        None => format!("REAL(MPI_Probe)({source}, {tag}, {comm}, {status})"),
    };
    Some(format!(
        "int result = call.follows == NAMED ? {wait} : call.follows == NOT_YET ? REAL(MPI_Iprobe)({source}, {tag}, {comm}, {flag}, {status}) : {passed};\n    \
         if (call.follows != NOTHING) *{flag} = call.follows == NAMED;"
    ))
}

/// What keeps the arguments of a receive that is prepared, for starts that follow.
pub(super) fn prepared(prototype: &Prototype) -> String {
    let passed = prototype.passed();
    format!("if (result == MPI_SUCCESS) prepares_receive({passed});")
}
