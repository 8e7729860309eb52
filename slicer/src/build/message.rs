//! Which calls exchange messages, and what of a message is a constant.

use crate::build::callees::Callees;
use crate::build::origins::{Origin, fits};
use crate::effect::carried;
use crate::graph::{Message, MessageRole};
use base::mpi_name;
use dataflow::FunctionInfo;
use ir::{ExprId, ExprKind, Function, UnaryOp, VarRef};
use library::{Part, Role};
use std::collections::BTreeSet;

/// The number of `MPI_COMM_WORLD`.
pub(super) const WORLD: u32 = 0;

/// The number of `MPI_COMM_SELF`; those that calls make have larger ones.
pub(super) const OWN: u32 = 1;

/// What a call does in communication, if it does anything.
pub(crate) fn of(callees: &Callees<'_, '_>, info: &FunctionInfo<'_>, call: ExprId) -> Option<Message> {
    let function = info.function;
    let (name, args) = function.named_call(call)?;
    if callees.any(info.unit, name) {
        return None;
    }
    named(function, name, args)
}

/// What a call of one of these functions does, where a pointer tells which.
pub(crate) fn of_any<'n>(
    function: &Function,
    names: impl IntoIterator<Item = &'n str>,
    args: &[ExprId],
) -> Option<Message> {
    let messages = names.into_iter().filter_map(|name| named(function, name, args));
    messages.reduce(either)
}

/// What is true of two messages.
fn either(one: Message, other: Message) -> Message {
    let is_same =
        one.role == other.role && (one.role != MessageRole::Collective || one.operation == other.operation);
    let tag = |a: Option<Vec<i64>>, b: Option<Vec<i64>>| a.filter(|a| is_same && Some(a) == b.as_ref());
    Message {
        role: if is_same { one.role } else { MessageRole::Any },
        tag: tag(one.tag, other.tag),
        receive_tag: tag(one.receive_tag, other.receive_tag),
        communicator: one
            .communicator
            .filter(|known| other.communicator.as_ref() == Some(known)),
        sends: Vec::new(),
        receives: Vec::new(),
        by_address: one.by_address || other.by_address,
        carried: one.carried & other.carried,
        operation: one.operation,
    }
}

fn named(function: &Function, name: &str, args: &[ExprId]) -> Option<Message> {
    let row = library::function(name);
    let name = row.map_or_else(|| mpi_name(name), |row| row.name);
    let role = role(name, row)?;
    let argument = |wanted: Role| args.get(row?.role(wanted)?).copied();
    let constant = |wanted| {
        let value = argument(wanted).and_then(|argument| constant(function, argument));
        value.map(|value| vec![value])
    };
    // Files are read and written by operations of many names, and opened over communicators of any.
    let is_file = row.is_some_and(|row| row.part == Part::File);
    let operation = if is_file { "MPI_File" } else { name };
    let by_address = args.iter().any(|&buffer| is_bottom(function, buffer));
    Some(Message {
        role,
        by_address,
        carried: row.map_or(0, carried),
        operation: operation.to_owned(),
        tag: constant(Role::SendTag).or_else(|| match role {
            MessageRole::Receive | MessageRole::Probe => constant(Role::ReceiveTag),
            _ => None,
        }),
        receive_tag: constant(Role::ReceiveTag),
        sends: Vec::new(),
        receives: Vec::new(),
        communicator: argument(Role::Communicator)
            .filter(|_| !is_file)
            .and_then(|argument| match &function.exprs[argument].kind {
                ExprKind::Var(VarRef::Global(name)) if name == "MPI_COMM_WORLD" => Some(vec![WORLD]),
                ExprKind::Var(VarRef::Global(name)) if name == "MPI_COMM_SELF" => Some(vec![OWN]),
                _ => None,
            }),
    })
}

fn constant(function: &Function, expr: ExprId) -> Option<i64> {
    match function.exprs[expr].kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Unary(UnaryOp::Neg, inner) => constant(function, inner).and_then(i64::checked_neg),
        // A type that does not hold the value makes another one of it.
        ExprKind::Cast(ty, inner) => {
            let value = constant(function, inner)?;
            fits(ty, BTreeSet::from([Origin::Int(value)])).map(|_| value)
        }
        _ => None,
    }
}

/// Whether a buffer is `MPI_BOTTOM`, which the headers of some MPI define as a null pointer.
fn is_bottom(function: &Function, expr: ExprId) -> bool {
    match &function.exprs[expr].kind {
        ExprKind::Var(VarRef::Global(name)) => name == "MPI_BOTTOM",
        ExprKind::Cast(_, inner) => {
            is_bottom(function, *inner) || function.exprs[*inner].kind == ExprKind::Int(0)
        }
        _ => false,
    }
}

/// What an operation does; nothing, if it has no part in communication. Of what is in no table, all tasks are taken to take part.
fn role(name: &str, row: Option<&library::Function>) -> Option<MessageRole> {
    let Some(row) = row else {
        // A constant of MPI, or a macro of the program.
        return (!base::is_shouted(name.strip_prefix("MPI_")?.as_bytes())).then_some(MessageRole::Collective);
    };
    if row.epoch.is_some() {
        return Some(MessageRole::Epoch);
    }
    Some(match row.part {
        // What starts or completes an operation leads to the call that made its request, which is the operation.
        Part::Local | Part::Starts | Part::Completes => return None,
        Part::Sends | Part::SendsBuffered => MessageRole::Send,
        Part::Receives | Part::ReceivesTaken | Part::Takes => MessageRole::Receive,
        Part::Probes => MessageRole::Probe,
        Part::Exchanges => MessageRole::Both,
        Part::Collective(_) | Part::Epoch | Part::File => MessageRole::Collective,
        Part::Puts => MessageRole::Put,
        Part::Gets => MessageRole::Get,
        Part::Updates => MessageRole::Update,
        Part::Opens => MessageRole::Window,
        Part::TakesAddress => MessageRole::Address,
    })
}
