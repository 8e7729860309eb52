//! What MPI proves where the order of the code leaves open who is behind.

use super::{answer, answer_since, map, tasks};
use crate::{Certainty, Earlier, Grounds, Outcome, Witness};
use base::RankSet;
use std::time::Duration;

/// Whoever is in the loop that nothing counts cannot be ordered against those behind it by the code.
pub(super) const OPEN: &str = "\
void f(MPI_Comm comm, int n) {
    while (x) {
        work();
        MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, comm);
        MPI_Bcast(a, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
";

/// Changes the frames of tasks.
fn each_frame(tasks: &mut [snapshot::Task], change: impl Fn(&mut snapshot::Frame)) {
    for task in tasks {
        task.frames.edit(|frames| frames.iter_mut().for_each(&change));
    }
}

/// Stacks as real ones are: what MPI does is in its library.
pub(super) fn in_mpich(given: &[&str]) -> Vec<snapshot::Task> {
    let mut tasks = tasks(given);
    let in_library = |frame: &mut snapshot::Frame| {
        if frame.line == Some(0) {
            let library = if frame.function.contains("MPI") {
                "/usr/lib/libmpich.so.12"
            } else {
                "/usr/lib/libapp.so"
            };
            frame.module = Some(library.to_owned());
        }
    };
    each_frame(&mut tasks, in_library);
    tasks
}

fn witness(tasks: &[snapshot::Task]) -> (Certainty, Witness) {
    let found = answer(&map(OPEN), tasks, RankSet::default());
    assert_eq!(found.outcome, Outcome::Undecided, "{found:?}");
    let finding = found.finding.unwrap();
    assert_eq!(finding.who.to_string(), "rank 1");
    (finding.certainty, finding.by)
}

#[test]
fn who_has_not_entered_what_the_others_cannot_leave_is_behind_by_mpi() {
    let proven = (Certainty::Proven, Witness::Mpi);
    let probable = (Certainty::Probable, Witness::State);
    for (expected, others, alone) in [
        (proven, "f:4,MPI_Allreduce:0", "f:3,work:0"),
        (proven, "f:8,PMPI_Barrier:0,MPIR_Barrier:0", "f:3,work:0"),
        // Their count, their communicator may be anything.
        (probable, "f:5,MPI_Allreduce:0", "f:3,work:0"),
        (probable, "f:6,MPI_Allreduce:0", "f:3,work:0"),
        // The root of a broadcast leaves early.
        (probable, "f:7,MPI_Bcast:0", "f:3,work:0"),
        // A function of the program computes, not MPI; a library has no name for what may be MPI's.
        (probable, "f:4,MPI_Allreduce:0,my_sum:0", "f:3,work:0"),
        (probable, "f:8,MPI_Barrier:0", "f:3,??:0"),
    ] {
        let tasks = in_mpich(&[others, alone, others, others]);
        assert_eq!(witness(&tasks), expected, "{others}; {alone}");
    }
}

#[test]
fn mpi_proves_nothing_of_who_cannot_run_or_was_not_seen_whole() {
    let whole = in_mpich(&["f:8,MPI_Barrier:0", "f:3,work:0", "f:8,MPI_Barrier:0"]);
    assert_eq!(witness(&whole), (Certainty::Proven, Witness::Mpi));
    let probable = (Certainty::Probable, Witness::State);
    // Another thread of it may be in the barrier.
    let mut tasks = whole.clone();
    tasks[1].threads.push(snapshot::Thread::default());
    assert_eq!(witness(&tasks), probable);
    // Of one library nobody has measured whether it completes.
    let mut tasks = whole.clone();
    each_frame(&mut tasks, |frame| {
        let other = |_| "/opt/libmpi_of_somebody.so".to_owned();
        frame.module = frame.module.take().map(other);
    });
    assert_eq!(witness(&tasks), probable);
}

#[test]
fn who_moved_between_two_looks_does_not_wait_for_anybody() {
    let at = |line: u32| {
        in_mpich(&[
            "f:4,MPI_Allreduce:0",
            "f:3,work:0",
            &format!("f:{line},MPI_Allreduce:0"),
        ])
    };
    let by = |before: &[snapshot::Task], now: &[snapshot::Task]| {
        let earlier = Earlier {
            tasks: before,
            elapsed: Duration::from_millis(100),
        };
        answer_since(&map(OPEN), now, earlier)
            .finding
            .map(|finding| finding.by)
    };
    assert_eq!(by(&at(4), &at(4)), Some(Witness::Mpi));
    assert_ne!(by(&at(5), &at(4)), Some(Witness::Mpi));
}

#[test]
fn who_waits_for_somebody_ahead_is_told_that_it_waits_in_vain() {
    let source = "void f(void) {\n    MPI_Barrier(MPI_COMM_WORLD);\n    work();\n}\n";
    let tasks = in_mpich(&["f:2,MPI_Barrier:0", "f:3,work:0", "f:2,MPI_Barrier:0"]);
    let found = answer(&map(source), &tasks, RankSet::default());
    assert_eq!(found.finding.unwrap().by, Witness::Order);
    let [warning] = &found.warnings[..] else {
        panic!("{:?}", found.warnings)
    };
    assert!(warning.contains("before rank 1 has entered it"), "{warning}");
}

#[test]
fn of_several_that_have_not_entered_the_one_that_does_not_wait_is_probable() {
    let tasks = in_mpich(&[
        "f:4,MPI_Allreduce:0",
        "f:3,work:0",
        "f:4,MPI_Allreduce:0",
        "f:9,MPI_Recv:0",
    ]);
    let found = answer(&map(OPEN), &tasks, RankSet::default());
    let finding = found.finding.unwrap();
    assert_eq!(
        (finding.certainty, finding.by),
        (Certainty::Probable, Witness::Mpi)
    );
    assert_eq!(finding.who.to_string(), "rank 1");
}

/// Stacks as the probe takes them: with what begins the program, and the place of each frame in its file.
fn exact(given: &[&str]) -> Vec<snapshot::Task> {
    let mut tasks = in_mpich(given);
    for task in &mut tasks {
        let start = snapshot::Frame {
            function: "__libc_start_main".to_owned(),
            module: Some("/usr/lib/libc.so.6".to_owned()),
            ..snapshot::Frame::default()
        };
        task.frames.edit(|frames| frames.insert(0, start));
    }
    each_frame(&mut tasks, |frame| frame.pc = Some(0x1000));
    tasks
}

#[test]
fn who_is_in_a_call_but_not_where_it_waits_is_probable() {
    let (waits, comes) = ("f:9,MPI_Recv:0,MPID_Wait:0", "f:9,MPI_Recv:0");
    let named = |tasks: &[snapshot::Task]| {
        let finding = answer(&map(OPEN), tasks, RankSet::default()).finding?;
        let Grounds::AtEntry { first, others_in } = finding.grounds else {
            return None;
        };
        assert_eq!(
            (finding.certainty, finding.by),
            (Certainty::Probable, Witness::State)
        );
        Some((finding.who.to_string(), first.rank, others_in.join(" ")))
    };
    let expected = Some(("rank 1".to_owned(), Some(1), "MPI_Recv".to_owned()));
    // In one class with the others, and in one of its own.
    assert_eq!(named(&exact(&[waits, comes, waits])), expected);
    let elsewhere = "f:7,MPI_Bcast:0,MPID_Wait:0";
    let found = named(&exact(&[elsewhere, comes, elsewhere, waits])).unwrap();
    assert_eq!((found.0.as_str(), found.1), ("rank 1", Some(1)));
    // Half of them and more are no exception; whoever computes stands out more; other tools leave out what is below.
    assert_eq!(named(&exact(&[comes, comes, waits])), None);
    assert_eq!(named(&exact(&["f:3,work:0", comes, waits])), None);
    assert_eq!(named(&in_mpich(&[waits, comes, waits])), None);
}

#[test]
fn who_alone_does_not_wait_is_probable_also_if_it_is_ahead() {
    let source = "void f(void) {\n    MPI_Recv(a);\n    while (x) {\n        MPI_Recv(b);\n        MPI_Send(b);\n    }\n    work();\n}\n";
    let of = |given: &[&str]| {
        let found = answer(&map(source), &in_mpich(given), RankSet::default());
        assert_eq!(found.outcome, Outcome::Undecided, "{found:?}");
        found
            .finding
            .map(|finding| (finding.certainty, finding.who.to_string()))
    };
    let (one, other, ahead) = ("f:4,MPI_Recv:0", "f:5,MPI_Send:0", "f:7,work:0");
    assert_eq!(
        of(&[one, other, ahead]),
        Some((Certainty::Probable, "rank 2".to_owned()))
    );
    assert_eq!(of(&[one, other, ahead, ahead, ahead]), None);
}

#[test]
fn where_all_are_inside_those_that_wait_must_be_seen_to_go_round() {
    let inside = "f:4,MPI_Allreduce:0,MPID_Wait:0";
    let same = exact(&[inside, "f:9,MPI_Recv:0,MPID_Wait:0", inside]);
    let witness = |before: &[snapshot::Task], now: &[snapshot::Task]| {
        let earlier = Earlier {
            tasks: before,
            elapsed: Duration::from_millis(100),
        };
        let finding = answer_since(&map(OPEN), now, earlier).finding.unwrap();
        assert_eq!(finding.who.to_string(), "rank 1");
        (finding.certainty, finding.by)
    };
    let alone = answer(&map(OPEN), &same, RankSet::default()).finding.unwrap();
    assert_eq!((alone.certainty, alone.by), (Certainty::Probable, Witness::Mpi));
    assert!(alone.doubt.unwrap().contains("lost in it"));
    assert_eq!(witness(&same, &same), (Certainty::Probable, Witness::Mpi));
    let mut turned = same.clone();
    for (number, task) in (1..).zip(&mut turned) {
        task.frames.edit(|frames| {
            let innermost = frames.last_mut().unwrap();
            innermost.pc = Some(innermost.pc.unwrap_or_default() + number);
        });
    }
    assert_eq!(witness(&same, &turned), (Certainty::Proven, Witness::Mpi));
    // One of the two that wait inside does not move.
    turned[2] = same[2].clone();
    assert_eq!(witness(&same, &turned), (Certainty::Probable, Witness::Mpi));
}
