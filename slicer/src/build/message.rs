//! Which calls exchange messages, and what of a message is a constant.

use crate::build::callees::Callees;
use crate::graph::{Message, Role};
use crate::library::effect;
use base::mpi_name;
use dataflow::FunctionInfo;
use ir::{ExprId, ExprKind, Function, UnaryOp, VarRef};
use progress_map::{Role as ArgumentRole, roles};

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
        one.role == other.role && (one.role != Role::Collective || one.operation == other.operation);
    let tag = |a: Option<i64>, b: Option<i64>| a.filter(|_| is_same && a == b);
    Message {
        role: if is_same { one.role } else { Role::Any },
        tag: tag(one.tag, other.tag),
        receive_tag: tag(one.receive_tag, other.receive_tag),
        communicator: one
            .communicator
            .filter(|name| other.communicator.as_ref() == Some(name)),
        by_address: one.by_address || other.by_address,
        carried: one.carried & other.carried,
        operation: one.operation,
    }
}

fn named(function: &Function, name: &str, args: &[ExprId]) -> Option<Message> {
    let operation = mpi_name(name);
    let role = role(operation.strip_prefix("MPI_")?)?;
    let argument = |wanted: ArgumentRole| {
        let found = roles(operation).iter().find(|(_, role)| *role == wanted);
        found
            .and_then(|&(index, _)| args.get(usize::from(index)))
            .copied()
    };
    let constant = |wanted| argument(wanted).and_then(|argument| constant(function, argument));
    // Files are read and written by operations of many names.
    let operation = match operation.starts_with("MPI_File_") {
        true => "MPI_File",
        false => operation,
    };
    let by_address = args.iter().any(|&buffer| is_bottom(function, buffer));
    Some(Message {
        role,
        by_address,
        carried: carried(operation),
        operation: operation.to_owned(),
        tag: constant(ArgumentRole::SendTag).or_else(|| match role {
            Role::Receive | Role::Probe => constant(ArgumentRole::ReceiveTag),
            _ => None,
        }),
        receive_tag: constant(ArgumentRole::ReceiveTag),
        communicator: argument(ArgumentRole::Communicator).and_then(|argument| {
            match &function.exprs[argument].kind {
                ExprKind::Var(VarRef::Global(name))
                    if name == "MPI_COMM_WORLD" || name == "MPI_COMM_SELF" =>
                {
                    Some(name.to_string())
                }
                _ => None,
            }
        }),
    })
}

fn constant(function: &Function, expr: ExprId) -> Option<i64> {
    match function.exprs[expr].kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Unary(UnaryOp::Neg, inner) => constant(function, inner).and_then(i64::checked_neg),
        ExprKind::Cast(_, inner) => constant(function, inner),
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

/// The arguments of an operation that are buffers: those that it follows, but for the request that it makes.
fn carried(operation: &str) -> u32 {
    let effect = effect(operation);
    match operation {
        "MPI_Mrecv"
        | "MPI_Imrecv"
        | "MPI_Sendrecv_replace"
        | "MPI_Gatherv"
        | "MPI_Scatterv"
        | "MPI_Allgatherv"
        | "MPI_Alltoallv"
        | "MPI_Ibcast"
        | "MPI_Ireduce"
        | "MPI_Iallreduce" => 1,
        // Nothing is known of its arguments.
        _ if effect.opaque == 0 => 0,
        _ => !effect.opaque & !effect.gives.map_or(0, |argument| 1 << argument),
    }
}

/// What an operation does. Of what is in no table, all tasks are taken to take part.
fn role(operation: &str) -> Option<Role> {
    const LOCAL: [&str; 24] = [
        "Type_",
        "Group_",
        "Info_",
        "Op_",
        "Errhandler_",
        "Error_",
        "Wait",
        "Test",
        "Start",
        "Request_",
        "Grequest_",
        "Status_",
        "Pack",
        "Unpack",
        "Buffer_",
        "Cartdim_",
        "Topo_",
        "Attr_",
        "Keyval_",
        "T_",
        "Init",
        "Aint_",
        "Add_error_",
        "Comm_call_",
    ];
    Some(match operation {
        "Send" | "Ssend" | "Bsend" | "Rsend" | "Isend" | "Issend" | "Ibsend" | "Irsend" | "Send_init"
        | "Ssend_init" | "Bsend_init" | "Rsend_init" | "Psend_init" => Role::Send,
        "Recv" | "Irecv" | "Recv_init" | "Mrecv" | "Imrecv" | "Mprobe" | "Improbe" | "Precv_init" => {
            Role::Receive
        }
        "Probe" | "Iprobe" => Role::Probe,
        "Sendrecv" | "Sendrecv_replace" | "Isendrecv" | "Isendrecv_replace" => Role::Both,
        "Put" | "Accumulate" | "Rput" | "Raccumulate" => Role::Put,
        "Get_accumulate" | "Rget_accumulate" | "Fetch_and_op" | "Compare_and_swap" => Role::Update,
        "Get" | "Rget" => Role::Get,
        "Win_create" | "Win_allocate" | "Win_allocate_shared" | "Win_shared_query" | "Win_attach" => {
            Role::Window
        }
        "Get_address" | "Address" => Role::Address,
        "Comm_rank"
        | "Comm_size"
        | "Comm_group"
        | "Comm_compare"
        | "Comm_test_inter"
        | "Comm_remote_size"
        | "Comm_remote_group"
        | "Comm_free_keyval"
        | "Comm_create_keyval"
        | "Comm_create_errhandler"
        | "Win_create_keyval"
        | "Win_create_errhandler"
        | "Win_detach"
        | "Win_flush"
        | "Win_flush_all"
        | "Win_flush_local"
        | "Win_flush_local_all"
        | "Win_sync"
        | "Win_lock"
        | "Win_lock_all"
        | "Win_unlock"
        | "Win_unlock_all"
        | "Cancel"
        | "Get_count"
        | "Get_elements"
        | "Get_elements_x"
        | "Finalized"
        | "Is_thread_main"
        | "Query_thread"
        | "Wtime"
        | "Wtick"
        | "Get_processor_name"
        | "Get_version"
        | "Get_library_version"
        | "Abort"
        | "Alloc_mem"
        | "Free_mem"
        | "Cart_coords"
        | "Cart_rank"
        | "Cart_shift"
        | "Cart_get"
        | "Dims_create"
        | "Graph_get"
        | "Graphdims_get"
        | "Graph_neighbors"
        | "Graph_neighbors_count"
        | "Dist_graph_neighbors"
        | "Dist_graph_neighbors_count"
        | "Pcontrol" => return None,
        name if LOCAL.iter().any(|prefix| name.starts_with(prefix)) => return None,
        name if [
            "Comm_get_",
            "Comm_set_",
            "Win_get_",
            "Win_set_",
            "Comm_delete_",
            "Win_delete_",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix)) =>
        {
            return None;
        }
        // A constant, or a macro of somebody's own.
        name if base::is_shouted(name) => return None,
        _ => Role::Collective,
    })
}
