//! What kind of trouble one look tells.

use super::waits::in_mpich;
use super::{answer, map};
use crate::TroubleKind;
use base::RankSet;
use snapshot::{ProcessState, RunState};

const SOURCE: &str = "\
void f(int from, int to) {
    work();
    MPI_Recv(a, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(a, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(a, 1, MPI_INT, 9, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
";

/// Of which ranks what kind is told, if rank 0 is in that state.
fn told(given: &[&str], run: RunState, system_call: Option<&str>) -> Option<(String, TroubleKind)> {
    let mut tasks = in_mpich(given);
    tasks[0].state = Some(ProcessState {
        run,
        system_call: system_call.map(str::to_owned),
        ..ProcessState::default()
    });
    let found = answer(&map(SOURCE), &tasks, RankSet::default()).trouble()?;
    Some((found.who.to_string(), found.kind))
}

/// A task that was stopped and let go on sleeps in the call that it began, which the kernel calls by another name then.
#[test]
fn a_call_that_was_begun_again_is_told_as_it_was_begun() {
    let state = ProcessState {
        run: RunState::Sleeping,
        system_call: Some("restart_syscall".to_owned()),
        ..ProcessState::default()
    };
    let told = |last: &str| {
        let given = [
            &format!("f:2,work:0,{last}:0")[..],
            "f:5,MPI_Barrier:0",
            "f:5,MPI_Barrier:0",
        ];
        let mut tasks = in_mpich(&given);
        tasks[0].state = Some(state.clone());
        let answer = answer(&map(SOURCE), &tasks, RankSet::default());
        let groups = answer.classes.iter().filter_map(|class| class.state.as_ref());
        let mut calls = groups
            .flat_map(|state| &state.groups)
            .map(|group| group.system_call.clone());
        let kind = answer.trouble().map(|trouble| trouble.kind);
        (calls.next().flatten(), kind)
    };
    let named = |call: &str| (Some(call.to_owned()), Some(TroubleKind::Asleep(call.to_owned())));
    assert_eq!(told("clock_nanosleep"), named("clock_nanosleep"));
    // Nothing in the stack tells which it was.
    assert_eq!(told("unknown"), named("restart_syscall"));
}

#[test]
fn what_the_one_outside_does_is_the_trouble() {
    let given = ["f:2,work:0", "f:5,MPI_Barrier:0", "f:5,MPI_Barrier:0"];
    let call = |name: &str| Some(name.to_owned());
    for (run, system_call, expected) in [
        (RunState::Running, None, TroubleKind::Computing),
        (
            RunState::Sleeping,
            Some("read"),
            TroubleKind::InputOutput("read".to_owned()),
        ),
        (
            RunState::Sleeping,
            Some("clock_nanosleep"),
            TroubleKind::Asleep("clock_nanosleep".to_owned()),
        ),
        (RunState::Sleeping, Some("futex"), TroubleKind::OwnThreads),
        (
            RunState::Sleeping,
            Some("wait4"),
            TroubleKind::Child("wait4".to_owned()),
        ),
        (
            RunState::Sleeping,
            Some("msgrcv"),
            TroubleKind::SystemCall("msgrcv".to_owned()),
        ),
    ] {
        let found = told(&given, run, system_call);
        assert_eq!(
            found,
            Some(("rank 0".to_owned(), expected)),
            "{:?}",
            system_call.and_then(call)
        );
    }
    assert_eq!(
        told(&given, RunState::Stopped, None),
        None,
        "the order names it, and its state is said besides"
    );
    // Whom the one that is named waits for is the one to look at.
    let behind = ["f:5,work:0", "f:4,MPI_Recv:0", "f:5,MPI_Barrier:0"];
    let found = told(&behind, RunState::Running, None);
    assert_eq!(found, Some(("rank 0".to_owned(), TroubleKind::Computing)));
    // Nothing is known of what it does.
    assert_eq!(told(&given, RunState::Sleeping, None), None);
}

#[test]
fn what_those_wait_for_that_are_in_mpi_is_the_trouble() {
    let of = |given: &[&str]| told(given, RunState::Running, None);
    let each_other = ["f:3,MPI_Recv:0", "f:4,MPI_Recv:0", "f:5,MPI_Barrier:0"];
    assert_eq!(
        of(&each_other),
        Some(("ranks 0-1".to_owned(), TroubleKind::EachOther))
    );
    let gone = ["f:6,MPI_Recv:0", "f:7,MPI_Waitall:0"];
    let expected = TroubleKind::Unseen(RankSet::from_iter([9]));
    assert_eq!(of(&gone), Some(("rank 0".to_owned(), expected)));
    let inside = ["f:7,MPI_Waitall:0", "f:7,MPI_Waitall:0"];
    assert_eq!(of(&inside), Some(("ranks 0-1".to_owned(), TroubleKind::AllInMpi)));
    // Of a rank that was not seen nobody knows where it is.
    let tasks = in_mpich(&inside);
    let some = answer(&map(SOURCE), &tasks, RankSet::from_iter([2]));
    assert_eq!(some.trouble(), None);
    // They compute, all of them: no trouble is known.
    assert_eq!(of(&["f:2,work:0", "f:2,work:0"]), None);
}
