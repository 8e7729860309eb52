//! What must be true of every row, and how rows are found.

use crate::table::SORTED;
use crate::{Access, Argument, Exit, Extent, Flow, Function, Handling, Part, Role, Timing, Value, Wait};
use crate::{fortran, function, of_symbol, roles, standard, symbols, system_calls};

/// Fails with the names of all rows that break a rule.
#[track_caller]
fn all(rule: &str, holds: impl Fn(&Function) -> bool) {
    let broken: Vec<&str> = SORTED
        .iter()
        .filter(|row| !holds(row))
        .map(|row| row.name)
        .collect();
    assert!(broken.is_empty(), "{rule}: {broken:?}");
}

fn is_memory(access: Access) -> bool {
    use Access::{Reads, ReadsLater, Writes, WritesLater};
    matches!(access, Reads | ReadsLater | Writes | WritesLater)
}

#[test]
fn no_function_has_two_rows_and_each_is_found() {
    assert!(SORTED.len() > 650, "{} rows", SORTED.len());
    for pair in SORTED.windows(2) {
        assert!(pair[0].name < pair[1].name, "two rows for {}", pair[1].name);
    }
    all("found by its name", |row| {
        function(row.name).is_some_and(|found| std::ptr::eq(found, row))
    });
}

#[test]
fn functions_of_mpi_are_found_in_all_spellings() {
    all("found in all spellings", |row| {
        let Some(operation) = row.name.strip_prefix("MPI_").filter(|name| !name.ends_with("_c")) else {
            return true;
        };
        let (lower, upper) = (operation.to_ascii_lowercase(), operation.to_ascii_uppercase());
        let is_row = |found: Option<&'static Function>| found.is_some_and(|found| found.name == row.name);
        let of_c = ["MPI_{}", "PMPI_{}"].iter().all(|spelling| {
            is_row(function(&spelling.replace("{}", operation)))
                && is_row(of_symbol(&spelling.replace("{}", operation)))
        });
        // Tools see no Fortran, and one has other arguments there.
        let has_fortran = !operation.starts_with("T_") && operation != "Init_thread";
        let symbols = [
            "mpi_{}_",
            "pmpi_{}__",
            "mpi_{}_f08_",
            "mpi_{}_f08ts_",
            "ompi_{}_f",
        ];
        let sources = ["mpi_{}", "pmpi_{}", "mpi_{}_f08", "mpi_{}_"];
        let of_fortran = symbols
            .iter()
            .all(|spelling| is_row(of_symbol(&spelling.replace("{}", &lower))))
            && sources
                .iter()
                .all(|spelling| is_row(fortran(&spelling.replace("{}", &lower))))
            && is_row(fortran(&format!("MPI_{upper}")))
            && is_row(of_symbol(&format!("MPI_{upper}")));
        of_c && (!has_fortran || of_fortran)
    });
}

#[test]
fn other_names_are_not_found() {
    for name in [
        "",
        "main",
        "MPI_",
        "MPI_Unheard_of",
        "PPMPI_Send",
        "malloc_c",
        "mpi_send",
        "Pmalloc",
        "MPI_COMM_WORLD",
    ] {
        assert!(function(name).is_none(), "{name}");
    }
    for name in ["mpi_helper_", "mpi_send", "ompi_request_wait_all", "MPIR_Barrier"] {
        assert!(of_symbol(name).is_none(), "{name}");
    }
    for name in ["mpi_helper", "malloc", "send", ""] {
        assert!(fortran(name).is_none(), "{name}");
    }
    assert_eq!(
        function("MPI_Alltoallv_c").map(|row| row.name),
        Some("MPI_Alltoallv")
    );
    assert_eq!(
        function("PMPI_Type_get_envelope_c").map(|row| row.arguments.len()),
        Some(6)
    );
}

#[test]
fn waiting_and_collective_operations_agree() {
    all(
        "a collective operation that is no mere start may block",
        |row| match row.part {
            Part::Collective(_) => row.timing == Timing::Later || row.wait == Wait::Tasks,
            _ => true,
        },
    );
    all(
        "what ends later has a request that says when, and does not wait for it",
        |row| match row.timing {
            Timing::AtOnce => true,
            Timing::Later => row.gives().is_some() && row.wait == Wait::Nobody,
            Timing::Persistent => row.gives().is_some(),
        },
    );
    all("only functions of MPI have a part in communication", |row| {
        base::is_mpi(row.name)
            || row.part == Part::Local && row.timing == Timing::AtOnce && row.wait != Wait::Tasks
    });
    all(
        "other threads may change memory while a call waits for them",
        |row| row.wait != Wait::Threads || !row.known,
    );
    all("whom other jobs meet waits for their tasks", |row| {
        !row.with_other_jobs || row.wait == Wait::Tasks
    });
}

#[test]
fn spawned_jobs_and_servers_are_other_jobs() {
    let meets = |name| function(name).map(|row| row.with_other_jobs);
    assert_eq!(meets("MPI_Comm_spawn_multiple"), Some(true));
    assert_eq!(meets("MPI_Comm_join"), Some(true));
    assert_eq!(meets("MPI_Comm_split"), Some(false));
}

#[test]
fn what_never_returns_has_no_result() {
    all("never returns, and is no allocator, waits for nobody", |row| {
        row.exit != Exit::Never
            || !row.returned.new && row.returned.argument.is_none() && row.wait == Wait::Nobody
    });
    all(
        "its effects cannot be told where control comes back later",
        |row| row.exit != Exit::Twice || !row.known,
    );
}

#[test]
fn arguments_say_what_can_be() {
    let each = |holds: fn(&Function, usize) -> bool| {
        move |row: &Function| (0..row.arguments.len()).all(|index| holds(row, index))
    };
    all(
        "what is written is in memory",
        each(|row, index| {
            let argument = row.arguments[index];
            let is_written = argument.extent != Extent::Any || argument.same || argument.gives;
            !is_written || matches!(argument.access, Access::Writes | Access::WritesLater)
        }),
    );
    all(
        "what is the same at once is the same on tasks of a job or of one communicator",
        |row| {
            let same = row
                .arguments
                .iter()
                .any(|argument| argument.same && argument.access != Access::Writes);
            !same && (row.value != Value::Same || base::is_mpi(row.name))
        },
    );
    all(
        "a count and a type stand behind a counted buffer",
        each(|row, index| {
            let is_value = |at: usize| {
                row.argument(at)
                    .is_some_and(|argument| argument.access == Access::Value)
            };
            row.arguments[index].extent != Extent::Counted || is_value(index + 1) && is_value(index + 2)
        }),
    );
    all(
        "what is carried is memory, and so is where something new is stored",
        each(|row, index| {
            let argument = row.arguments[index];
            (!argument.carried || is_memory(argument.access)) && (!argument.gives || argument.inside)
        }),
    );
    all("only one argument gets something new, or has a role", |row| {
        let given = row.arguments.iter().filter(|argument| argument.gives).count();
        let mut roles: Vec<Role> = row
            .arguments
            .iter()
            .filter_map(|argument| argument.role)
            .collect();
        let count = roles.len();
        roles.sort_unstable();
        roles.dedup();
        given <= 1 && roles.len() == count
    });
    all(
        "what is filled is the first argument, as far as the third says",
        |row| {
            let access = |index| row.argument(index).map(|argument| argument.access);
            !row.fills || access(0) == Some(Access::Writes) && access(2) == Some(Access::Value)
        },
    );
    all("pointers that are returned or copied are arguments", |row| {
        let is_pointer = |index: u8| {
            row.argument(index.into())
                .is_some_and(|argument| is_memory(argument.access))
        };
        let writes = |index: u8| {
            row.argument(index.into())
                .is_some_and(|argument| argument.access == Access::Writes)
        };
        row.returned.argument.is_none_or(is_pointer)
            && row
                .copies
                .is_none_or(|(into, from)| writes(into) && is_pointer(from) && !writes(from))
    });
}

#[test]
fn calls_say_with_whom_they_exchange_messages() {
    use Role::{Communicator, Destination, ReceiveTag, Request, Root, SendTag, Source};
    all("the arguments of messages", |row| {
        let wanted: &[Role] = match row.part {
            Part::Sends | Part::SendsBuffered => &[Destination, SendTag, Communicator],
            Part::Receives | Part::Probes | Part::Takes => &[Source, ReceiveTag, Communicator],
            Part::Exchanges => &[Destination, SendTag, Source, ReceiveTag, Communicator],
            Part::Starts | Part::Completes => &[Request],
            Part::Collective(Flow::FromRoot | Flow::ToRoot) => &[Root, Communicator],
            Part::Collective(Flow::EveryPart | Flow::Prefix | Flow::Neighbours) => &[Communicator],
            _ => &[],
        };
        wanted.iter().all(|&wanted| row.role(wanted).is_some())
    });
    let of = |name: &str| Vec::from_iter(roles(name));
    assert_eq!(of("MPI_Probe"), [(0, Source), (1, ReceiveTag), (2, Communicator)]);
    assert_eq!(of("MPI_Gatherv"), [(7, Root), (8, Communicator)]);
    assert_eq!(of("PMPI_Win_create"), [(4, Communicator)]);
    assert_eq!(of("MPI_Comm_rank"), [], "nobody waits there");
    assert_eq!(of("memcpy"), []);
}

#[test]
fn functions_wait_for_what_their_system_calls_wait_for() {
    use system_calls::Awaits;
    all("the function of a system call sleeps as that does", |row| {
        let Some(call) = system_calls::by_name(row.name) else {
            return true;
        };
        match row.wait {
            Wait::Nobody => call.awaits != Awaits::Time,
            Wait::Time => matches!(call.awaits, Awaits::Time | Awaits::InputOutput),
            Wait::Asks | Wait::Tasks | Wait::Threads => false,
        }
    });
}

#[test]
fn what_begins_or_lies_inside_is_nothing_that_programs_call() {
    all("no row of the C library's start or of MPI's inside", |row| {
        symbols::starts(row.name).is_none() && !symbols::is_internal_of_mpi(row.name)
    });
    all("what calls nothing has no effect", |row| {
        !symbols::calls_nothing(row.name) || row.wait == Wait::Nobody && row.known && !row.calls_back()
    });
    all(
        "a name that takes plain variables by value calls none of them",
        |row| !standard::holds(row.name, standard::Fact::ByValue) || !row.calls_back(),
    );
}

/// The names of the rows that `is_meant` picks, sorted.
fn names(is_meant: impl Fn(&Function) -> bool) -> Vec<&'static str> {
    let rows = SORTED.iter().filter(|row| is_meant(row));
    rows.map(|row| row.name).collect()
}

#[test]
fn what_makes_and_frees_communicators() {
    let makes = names(|row| row.communicators == Handling::Makes);
    assert_eq!(
        makes,
        [
            "MPI_Cart_create",
            "MPI_Cart_sub",
            "MPI_Comm_create",
            "MPI_Comm_create_group",
            "MPI_Comm_dup",
            "MPI_Comm_dup_with_info",
            "MPI_Comm_idup",
            "MPI_Comm_split",
            "MPI_Comm_split_type",
            "MPI_Dist_graph_create_adjacent",
            "MPI_Graph_create",
            "MPI_Intercomm_create",
            "MPI_Intercomm_merge"
        ]
    );
    let frees = names(|row| row.communicators == Handling::Frees);
    assert_eq!(frees, ["MPI_Comm_disconnect", "MPI_Comm_free"]);
}

#[test]
fn what_bounds_the_access_to_windows() {
    assert_eq!(
        names(|row| row.epoch.is_some()),
        [
            "MPI_Win_complete",
            "MPI_Win_fence",
            "MPI_Win_flush",
            "MPI_Win_flush_all",
            "MPI_Win_flush_local",
            "MPI_Win_flush_local_all",
            "MPI_Win_lock",
            "MPI_Win_lock_all",
            "MPI_Win_post",
            "MPI_Win_start",
            "MPI_Win_sync",
            "MPI_Win_test",
            "MPI_Win_unlock",
            "MPI_Win_unlock_all",
            "MPI_Win_wait"
        ]
    );
}

#[test]
fn who_lets_whom_go_on_at_a_window() {
    let epoch = |name| function(name).and_then(|row| row.epoch).unwrap();
    let lets_go = |waits, other| epoch(waits).is_let_go_by(epoch(other));
    for (waits, other) in [
        ("MPI_Win_fence", "MPI_Win_fence"),
        ("MPI_Win_start", "MPI_Win_post"),
        ("MPI_Win_complete", "MPI_Win_post"),
        ("MPI_Win_wait", "MPI_Win_complete"),
        ("MPI_Win_test", "MPI_Win_complete"),
        ("MPI_Win_lock", "MPI_Win_unlock_all"),
        ("MPI_Win_lock_all", "MPI_Win_unlock"),
    ] {
        assert!(lets_go(waits, other), "{waits}, {other}");
        assert!(waits == other || !lets_go(other, waits), "{other}, {waits}");
    }
    assert!(!lets_go("MPI_Win_flush", "MPI_Win_unlock"));
}

#[test]
fn a_barrier_alone_carries_no_data() {
    let is_collective =
        |row: &Function| matches!(row.part, Part::Collective(flow) if flow != Flow::Management);
    assert_eq!(
        names(|row| is_collective(row) && !row.carries_data()),
        ["MPI_Barrier", "MPI_Barrier_init", "MPI_Ibarrier"]
    );
}

#[test]
fn a_pure_function_writes_nothing() {
    let pure = names(|row| row.pure);
    assert!(pure.contains(&"sqrt") && !pure.contains(&"MPI_Wtime"));
    for name in pure {
        let row = function(name).unwrap();
        let reads = |argument: &Argument| matches!(argument.access, Access::Value | Access::Reads);
        assert!(
            row.arguments.iter().all(reads) && row.state.is_none() && row.part == Part::Local,
            "{name}"
        );
    }
}

#[test]
fn what_only_the_new_members_call() {
    assert_eq!(
        names(|row| row.by_members),
        ["MPI_Comm_create_group", "MPI_Intercomm_create"]
    );
}
