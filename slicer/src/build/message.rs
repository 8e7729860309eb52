//! Which calls exchange messages, and what of a message is a constant.

use crate::build::callees::Callees;
use crate::graph::{Message, Role};
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
    let operation = mpi_name(name);
    let role = role(operation.strip_prefix("MPI_")?)?;
    let argument = |wanted: ArgumentRole| {
        let found = roles(operation).iter().find(|(_, role)| *role == wanted);
        found
            .and_then(|&(index, _)| args.get(usize::from(index)))
            .copied()
    };
    let constant = |wanted| argument(wanted).and_then(|argument| constant(function, argument));
    Some(Message {
        role,
        operation: operation.to_owned(),
        tag: constant(ArgumentRole::SendTag).or_else(|| match role {
            Role::Receive => constant(ArgumentRole::ReceiveTag),
            _ => None,
        }),
        receive_tag: constant(ArgumentRole::ReceiveTag),
        communicator: argument(ArgumentRole::Communicator).and_then(|argument| {
            match &function.exprs[argument].kind {
                ExprKind::Var(VarRef::Global(name)) if name.starts_with("MPI_COMM_") => Some(name.clone()),
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

fn role(operation: &str) -> Option<Role> {
    Some(match operation {
        "Send" | "Ssend" | "Bsend" | "Rsend" | "Isend" | "Issend" | "Ibsend" | "Irsend" | "Send_init"
        | "Ssend_init" => Role::Send,
        "Recv" | "Irecv" | "Recv_init" | "Mrecv" | "Imrecv" | "Probe" | "Iprobe" | "Mprobe" | "Improbe" => {
            Role::Receive
        }
        "Sendrecv" | "Sendrecv_replace" => Role::Both,
        "Barrier"
        | "Bcast"
        | "Reduce"
        | "Allreduce"
        | "Gather"
        | "Gatherv"
        | "Allgather"
        | "Allgatherv"
        | "Scatter"
        | "Scatterv"
        | "Alltoall"
        | "Alltoallv"
        | "Alltoallw"
        | "Scan"
        | "Exscan"
        | "Reduce_scatter"
        | "Reduce_scatter_block"
        | "Ibarrier"
        | "Ibcast"
        | "Ireduce"
        | "Iallreduce"
        | "Igather"
        | "Iallgather"
        | "Iscatter"
        | "Ialltoall"
        | "Comm_split"
        | "Comm_dup"
        | "Comm_create"
        | "Comm_free"
        | "Win_fence"
        | "Finalize"
        | "Neighbor_allgather"
        | "Neighbor_alltoall"
        | "Cart_create" => Role::Collective,
        "Put" | "Accumulate" | "Rput" | "Raccumulate" | "Get_accumulate" | "Fetch_and_op"
        | "Compare_and_swap" => Role::Put,
        "Get" | "Rget" => Role::Get,
        "Win_create" | "Win_allocate" | "Win_allocate_shared" | "Win_attach" => Role::Window,
        _ => return None,
    })
}
