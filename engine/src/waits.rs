//! What MPI proves of the classes where the order of the code leaves open who is behind.
//!
//! From the stacks to `waitgraph`: what a task does is told by the outermost entry point of MPI on its stack. Nothing is guessed. A task is
//! outside of MPI only if its whole stack is seen and no frame can be one of MPI's, and it is in an operation on `MPI_COMM_WORLD` only
//! where the map says so of every call that may have led there.

use crate::assemble::JobView;
use crate::mpi::{self, Implementation, WrittenCall};
use crate::outside::is_runtime_library;
use crate::state;
use base::mpi_entry_point;
use progress::Located;
use progress_map::{Map, Role};
use snapshot::{Frame, Task};
use waitgraph::{Activity, Certainty, Communicator, Completion, Data, Operation, Rank};

/// One class has not entered an operation that another one cannot leave before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotEntered {
    /// The class that has not.
    pub(crate) who: usize,
    /// The class that waits.
    pub(crate) whom: usize,
    /// How sure that is.
    pub(crate) certainty: Certainty,
}

/// A task with its place in the map, if it has one.
pub(crate) type Member<'a> = (&'a Task, Option<&'a Located>);

/// All that MPI proves of the classes, given by their members; `has_moved` tells which classes were seen to move.
pub(crate) fn not_entered(
    job: &JobView<'_>,
    classes: &[Vec<Member<'_>>],
    has_moved: &dyn Fn(usize) -> bool,
) -> Vec<NotEntered> {
    let mut known = Vec::new();
    let mut tasks = Vec::new();
    let mut completion = Completion::Independent;
    for (class, members) in classes.iter().enumerate() {
        let waits = Vec::from_iter(members.iter().map(|&member| of_task(job.map, member)));
        let Some(Ok(first)) = waits
            .first()
            .filter(|first| waits.iter().all(|wait| wait == *first))
        else {
            continue;
        };
        if !first.library.is_none_or(completes) {
            completion = Completion::MayNeedHelp;
        }
        let halted = members.iter().any(|(task, _)| state::halted_by(task).is_some());
        known.push(class);
        tasks.push(waitgraph::Task {
            // A class stands for its members, which all do the same.
            rank: rank(class),
            stands_still: !halted && !has_moved(class),
            threads: first.threads.clone(),
        });
    }
    let facts = waitgraph::behind(&tasks, completion);
    let class = |of: Rank| known.iter().copied().find(|class| rank(*class) == of);
    let facts = facts.into_iter().filter_map(|fact| {
        let (who, whom) = (class(fact.who)?, class(fact.whom)?);
        Some(NotEntered {
            who,
            whom,
            certainty: fact.certainty,
        })
    });
    facts.collect()
}

/// What a verdict by MPI takes for granted; whoever was seen twice was seen to stand still.
pub(crate) fn assumptions(seen_twice: bool) -> Vec<String> {
    let mut clauses = vec!["MPI lets all leave an operation that all have entered".to_owned()];
    if !seen_twice {
        clauses.push("the job stands still, which one look cannot tell (`--twice` can)".to_owned());
    }
    clauses
}

/// `waitgraph` tells tasks apart by their rank; here each class is one, in `MPI_COMM_WORLD` like all others.
fn rank(class: usize) -> Rank {
    Rank(u32::try_from(class).unwrap_or(u32::MAX))
}

/// Whether a library lets all leave an operation that all have entered, also when one that has left it calls MPI no more: measured,
/// see `docs/mpi-witness.md`.
fn completes(library: Implementation) -> bool {
    match library {
        Implementation::OpenMpi | Implementation::Mpich => true,
    }
}

/// What a task does, as MPI sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wait {
    threads: Vec<Activity>,
    /// The library, if the stack names it and the main thread is in it.
    library: Option<Implementation>,
}

/// What a task was seen to do; nothing if it was not seen whole.
fn of_task(map: &Map, (task, located): Member<'_>) -> Result<Wait, Unseen> {
    let whole = |frames: &[Frame], error: &Option<String>| {
        !frames.is_empty() && error.is_none() && frames.iter().all(|frame| !frame.guessed)
    };
    if !whole(&task.frames, &task.error) {
        return Err(Unseen);
    }
    let entry = entry(&task.frames);
    let main = match &entry {
        Stack::Outside => Activity::Outside,
        Stack::Inside { at, function } => {
            let calls_back = |frame: &Frame| is_of_program(frame, &task.frames[*at]);
            let in_user_function = task.frames[at + 1..].iter().any(calls_back)
                || located.is_some_and(|located| is_called_back(map, located, *at));
            match operation(function) {
                Some(operation) => {
                    let (communicator, data) = match located {
                        Some(located) => written(map, located, task, *at, function),
                        None => (Communicator::Unknown, Data::Unknown),
                    };
                    Activity::Collective {
                        operation: match operation {
                            Operation::Complete(Data::Unknown) => Operation::Complete(data),
                            other => other,
                        },
                        communicator,
                        in_user_function,
                    }
                }
                None if is_point_to_point(function) => Activity::PointToPoint,
                None => Activity::Unknown,
            }
        }
        Stack::Unknown => Activity::Unknown,
    };
    let mut threads = vec![main];
    for thread in &task.threads {
        threads.push(match self::entry(&thread.frames) {
            Stack::Outside if whole(&thread.frames, &thread.error) => Activity::Outside,
            _ => Activity::Unknown,
        });
    }
    let library = match entry {
        Stack::Inside { at, .. } => {
            let modules = task.frames[at..].iter();
            let library = mpi::implementation(modules.filter_map(|frame| frame.module.as_deref()));
            // Whoever waits in a library that was not measured may only need help.
            if library.is_none() {
                threads[0] = Activity::Unknown;
            }
            library
        }
        Stack::Outside | Stack::Unknown => None,
    };
    Ok(Wait { threads, library })
}

/// A task whose stack is not known as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unseen;

/// Where a stack stands to MPI.
enum Stack {
    Outside,
    /// The outermost entry point of MPI, and which one it is.
    Inside {
        at: usize,
        function: String,
    },
    /// Nobody can tell.
    Unknown,
}

fn entry(frames: &[Frame]) -> Stack {
    for (at, frame) in frames.iter().enumerate() {
        if let Some(function) = mpi_entry_point(&frame.function) {
            return Stack::Inside { at, function };
        }
        if may_be_mpi(frame) {
            return Stack::Unknown;
        }
    }
    Stack::Outside
}

/// Whether a frame that is no entry point may belong to MPI: by its library, by how the libraries name their functions, or because it
/// has no name in a program that MPI may have been linked into.
fn may_be_mpi(frame: &Frame) -> bool {
    const FUNCTIONS: [&str; 10] = [
        "MPI", "PMPI", "ompi_", "opal_", "orte_", "mca_", "ucp_", "uct_", "psm2_", "fi_",
    ];
    const LIBRARIES: [&str; 12] = [
        "libmpi",
        "libopen-",
        "mca_",
        "libuc",
        "libfabric",
        "libpsm",
        "libmpl",
        "libopa",
        "libmca",
        "libpmpi",
        "libpami",
        "libportals",
    ];
    let module = frame.module.as_deref().unwrap_or_default();
    let library = module.rsplit('/').next().unwrap_or(module);
    let starts = |names: &[&str], of: &str| names.iter().any(|name| of.starts_with(name));
    let nameless = matches!(frame.function.as_str(), "" | "??") && !is_runtime_library(module);
    starts(&LIBRARIES, library) || starts(&FUNCTIONS, &frame.function) || nameless
}

/// Whether a frame below an entry point of MPI is the program's again: a reduction that it supplied, or another function that MPI calls.
fn is_of_program(frame: &Frame, entry: &Frame) -> bool {
    let module = frame.module.as_deref().unwrap_or_default();
    !is_runtime_library(module) && frame.module != entry.module
}

/// The same, where MPI is a part of the program's file: what the map knows is no part of MPI.
fn is_called_back(map: &Map, located: &Located, entry: usize) -> bool {
    let frames = located.frames.iter().zip(&located.origin);
    let mut inner = frames.filter(|(_, origin)| origin.is_some_and(|origin| origin > entry));
    inner.any(|(frame, _)| mpi::own_function(map, frame).is_some())
}

/// What an entry point waits for. Communicator management is collective too, but what its parts exchange is the library's business.
fn operation(function: &str) -> Option<Operation> {
    Some(match function.strip_prefix("MPI_")? {
        "Barrier" => Operation::Complete(Data::EveryPart),
        "Allreduce"
        | "Allgather"
        | "Allgatherv"
        | "Alltoall"
        | "Alltoallv"
        | "Alltoallw"
        | "Reduce_scatter"
        | "Reduce_scatter_block" => Operation::Complete(Data::Unknown),
        "Bcast" | "Reduce" | "Gather" | "Gatherv" | "Scatter" | "Scatterv" | "Scan" | "Exscan" => {
            Operation::Partial
        }
        _ => return None,
    })
}

/// Whether a function only starts, completes or tests operations that are no blocking collective: who is in it is in none.
fn is_point_to_point(function: &str) -> bool {
    const FUNCTIONS: [&str; 26] = [
        "Send",
        "Ssend",
        "Bsend",
        "Rsend",
        "Isend",
        "Issend",
        "Ibsend",
        "Irsend",
        "Recv",
        "Irecv",
        "Sendrecv",
        "Sendrecv_replace",
        "Probe",
        "Iprobe",
        "Mprobe",
        "Improbe",
        "Mrecv",
        "Imrecv",
        "Wait",
        "Waitall",
        "Waitany",
        "Waitsome",
        "Test",
        "Testall",
        "Testany",
        "Testsome",
    ];
    function
        .strip_prefix("MPI_")
        .is_some_and(|operation| FUNCTIONS.contains(&operation))
}

/// The communicator of the call that a task is in, and whether each part has data, as far as every call in the source agrees that may
/// be this one.
fn written(map: &Map, located: &Located, task: &Task, entry: usize, function: &str) -> (Communicator, Data) {
    let calls = match mpi::call(map, located, task) {
        Some(call) if call.function == function => {
            let name = call
                .argument(Role::Communicator)
                .and_then(|argument| argument.name.clone());
            let count = call.argument(Role::Count).and_then(|argument| argument.value);
            vec![WrittenCall {
                communicator: name,
                count,
            }]
        }
        _ => mpi::calls_that_may_be(map, located, task, entry, function),
    };
    let is_world = |call: &WrittenCall| call.communicator.as_deref() == Some("MPI_COMM_WORLD");
    let communicator = match calls.is_empty() || !calls.iter().all(is_world) {
        true => Communicator::Unknown,
        false => Communicator::World,
    };
    let counts = Vec::from_iter(calls.iter().map(|call| call.count));
    let data = match counts.is_empty() || counts.contains(&None) {
        true => Data::Unknown,
        false if counts.iter().all(|count| *count > Some(0)) => Data::EveryPart,
        false if counts.iter().all(|count| *count == Some(0)) => Data::SomeEmpty,
        false => Data::Unknown,
    };
    (communicator, data)
}
