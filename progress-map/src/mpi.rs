//! What the source gives to the MPI calls that a task can be blocked in: peers, tags, communicators, requests.
//!
//! A library without debug info says nothing of the arguments that it was called with, and the registers they came in
//! are lost by the time a task is looked at. What remains is the source: an argument is a constant, or a variable that
//! can be read in the caller's frame while the call lasts, or at least something to show as it is written.

use crate::{FunctionId, PointId, Term};

/// A call of an MPI function.
#[derive(Clone, Debug, PartialEq)]
pub struct MpiCall {
    /// The function that calls.
    pub function: FunctionId,
    /// The call, a point of it.
    pub point: PointId,
    /// The arguments that [`roles`] lists, as far as they are understood, in their order.
    pub arguments: Vec<MpiArgument>,
}

/// An argument of an MPI call.
#[derive(Clone, Debug, PartialEq)]
pub struct MpiArgument {
    /// Its place among the arguments, from 0.
    pub index: u8,
    /// As the source writes it, macros expanded: `ring->left`, `MPI_ANY_SOURCE`.
    pub text: String,
    /// Its value, when it consists of constants and of variables that the call itself does not change.
    pub term: Option<Term>,
    /// The variables of `term` get their values once and outside of loops, so that debug info of optimised code can be
    /// believed about them too.
    pub settled: bool,
}

/// What an argument means to its MPI function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// How many elements, or requests.
    Count,
    /// The rank that is sent to.
    Destination,
    /// The rank that is received from.
    Source,
    /// The rank that a collective operation starts or ends at.
    Root,
    /// The tag of what is sent.
    SendTag,
    /// The tag of what is received.
    ReceiveTag,
    /// The communicator.
    Communicator,
    /// A request, or an array of them.
    Request,
}

/// The arguments of an MPI function (by its `MPI_` name) that tell what a task in it waits for, in their order.
pub fn roles(function: &str) -> &'static [(u8, Role)] {
    use Role::{Communicator, Count, Destination, ReceiveTag, Request, Root, SendTag, Source};
    let Some(operation) = function.strip_prefix("MPI_") else {
        return &[];
    };
    match operation {
        "Send" | "Ssend" | "Bsend" | "Rsend" | "Isend" | "Issend" => {
            &[(1, Count), (3, Destination), (4, SendTag), (5, Communicator)]
        }
        "Recv" | "Irecv" => &[(1, Count), (3, Source), (4, ReceiveTag), (5, Communicator)],
        "Sendrecv" => &[
            (1, Count),
            (3, Destination),
            (4, SendTag),
            (8, Source),
            (9, ReceiveTag),
            (10, Communicator),
        ],
        "Sendrecv_replace" => &[
            (1, Count),
            (3, Destination),
            (4, SendTag),
            (5, Source),
            (6, ReceiveTag),
            (7, Communicator),
        ],
        "Probe" | "Iprobe" | "Mprobe" => &[(0, Source), (1, ReceiveTag), (2, Communicator)],
        "Wait" | "Test" => &[(0, Request)],
        "Waitall" | "Waitany" | "Waitsome" | "Testall" => &[(0, Count), (1, Request)],
        "Barrier" | "Comm_dup" | "Comm_split" | "Comm_create" => &[(0, Communicator)],
        "Bcast" => &[(1, Count), (3, Root), (4, Communicator)],
        "Reduce" => &[(2, Count), (5, Root), (6, Communicator)],
        "Allreduce" | "Scan" | "Exscan" => &[(2, Count), (5, Communicator)],
        "Reduce_scatter" => &[(5, Communicator)],
        "Reduce_scatter_block" => &[(2, Count), (5, Communicator)],
        "Gather" | "Scatter" => &[(6, Root), (7, Communicator)],
        "Gatherv" | "Scatterv" => &[(7, Root), (8, Communicator)],
        // What each part receives: what it sends is not looked at with MPI_IN_PLACE.
        "Allgather" | "Alltoall" => &[(4, Count), (6, Communicator)],
        "Allgatherv" => &[(7, Communicator)],
        "Alltoallv" | "Alltoallw" => &[(8, Communicator)],
        _ => &[],
    }
}
