//! Whom those that are behind wait for.

use super::waits::in_mpich;
use super::{answer, answer_since, map};
use crate::{
    Answer, Awaited, Certainty, ChainEnd, Earlier, Grounds, HaltedBy, NextStep, Origin, Outcome, ToldBy,
    WaitsFor,
};
use base::RankSet;
use snapshot::{ProcessState, RunState, Task};
use std::time::Duration;

/// Everybody goes straight down; `other` is a communicator that nobody knows.
pub(super) const STRAIGHT: &str = "\
void f(MPI_Comm other, int from, int to) {
    MPI_Recv(a, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(a, 1, MPI_INT, from, 7, other, MPI_STATUS_IGNORE);
    MPI_Recv(a, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(a, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 1, MPI_INT, to, 7, b, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Ssend(a, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    work();
    MPI_Isend(a, 1, MPI_INT, to, 7, MPI_COMM_WORLD, requests);
    MPI_Recv(a, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
";

/// The variables of the source are in the frame; who optimises is not asked, since the build is not known to have.
pub(super) fn stacks(given: &[&str]) -> Vec<Task> {
    // As a debugger passes them: by the position of the argument.
    let pass = |outer: &mut snapshot::Frame| {
        for (name, value) in std::mem::take(&mut outer.values) {
            let snapshot::Value::Integer(value) = value else {
                continue;
            };
            let index = name.trim_start_matches("arg").parse().unwrap();
            let bits = u64::from(i32::try_from(value).unwrap().cast_unsigned());
            outer.passed.insert(index, bits);
        }
    };
    let mut tasks = in_mpich(given);
    for task in &mut tasks {
        task.frames
            .edit(|frames| frames.first_mut().into_iter().for_each(pass));
    }
    tasks
}

fn ask(given: &[&str]) -> Answer {
    answer(&map(STRAIGHT), &stacks(given), RankSet::default())
}

fn awaited(given: &[&str]) -> Option<Awaited> {
    let found = ask(given);
    assert_eq!(found.outcome, Outcome::Named, "{found:?}");
    assert_eq!(found.finding.unwrap().who.to_string(), "rank 0");
    found.awaited
}

/// Who waits in what, and who is to be looked at how surely.
#[track_caller]
fn culprit(given: &[&str]) -> (Vec<String>, String, ToldBy, Certainty) {
    let awaited = awaited(given).unwrap_or_else(|| panic!("nobody is waited for: {given:?}"));
    let chain = awaited
        .chain
        .iter()
        .map(|wait| format!("{} {}", wait.who, wait.call));
    let culprit = awaited.culprit().unwrap_or_else(|| panic!("{awaited:?}"));
    (
        chain.collect(),
        culprit.who.to_string(),
        culprit.by,
        culprit.certainty,
    )
}

const TOLD: (ToldBy, Certainty) = (ToldBy::Arguments, Certainty::Proven);
const ALONE: (ToldBy, Certainty) = (ToldBy::OnlyOneOutside, Certainty::Probable);

#[test]
fn a_source_that_is_known_is_whom_it_waits_for() {
    // Two do not wait: the argument tells which of them it is.
    let given = [
        "f:2 arg3=2,MPI_Recv:0",
        "f:10,work:0",
        "f:10,work:0",
        "f:9,MPI_Barrier:0",
    ];
    let (chain, who, by, certainty) = culprit(&given);
    assert_eq!(chain, ["rank 0 MPI_Recv"]);
    assert_eq!((who.as_str(), (by, certainty)), ("rank 2", TOLD));

    let found = ask(&given);
    assert!(
        found
            .assumptions
            .iter()
            .any(|taken| taken.contains("stand still"))
    );
    let pids = |mut task: Task| {
        task.pid = task.rank.map(|rank| 100 + rank);
        task
    };
    let given = Vec::from_iter(stacks(&given).into_iter().map(pids));
    let mut found = answer(&map(STRAIGHT), &given, RankSet::default());
    found.advise(Origin::Live);
    let attach = NextStep::Attach {
        pid: 102,
        rank: Some(2),
        host: String::new(),
    };
    assert_eq!(
        found.next,
        Some(attach),
        "the next step is to look at whom it waits for"
    );
}

#[test]
fn where_the_call_does_not_tell_the_only_one_that_does_not_wait_is_probable() {
    for call in [
        // The value is not known; another communicator; anybody; requests.
        "f:2,MPI_Recv:0",
        "f:3 arg3=2,MPI_Recv:0",
        "f:4,MPI_Recv:0",
        "f:6 arg3=2,MPI_Sendrecv:0",
        "f:7,MPI_Waitall:0",
    ] {
        let (_, who, by, certainty) = culprit(&[call, "f:10,work:0", "f:12,MPI_Recv:0", "f:12,MPI_Recv:0"]);
        assert_eq!((who.as_str(), (by, certainty)), ("rank 1", ALONE), "{call}");
        // Two of three: neither stands out.
        assert_eq!(awaited(&[call, "f:10,work:0", "f:10,work:0"]), None, "{call}");
        // Of one nobody knows whether it waits.
        assert_eq!(
            awaited(&[call, "f:10,work:0", "f:10,??:0", "f:12,MPI_Recv:0"]),
            None,
            "{call}"
        );
    }
    // A source that is no process: it waits for nobody.
    let nobody = [
        "f:5,MPI_Recv:0",
        "f:10,work:0",
        "f:12,MPI_Recv:0",
        "f:12,MPI_Recv:0",
    ];
    assert_eq!(awaited(&nobody), None);
    // Who is behind and does not wait is who to look at.
    assert_eq!(awaited(&["f:2,work:0", "f:10,work:0", "f:12,MPI_Recv:0"]), None);
}

#[test]
fn a_chain_is_followed_to_its_end() {
    let given = [
        "f:2 arg3=1,MPI_Recv:0",
        "f:8 arg3=2,MPI_Ssend:0",
        "f:6 arg3=3 arg8=3,MPI_Sendrecv:0",
        "f:11,MPI_Isend:0",
        "f:10,work:0",
    ];
    let (chain, who, by, certainty) = culprit(&given);
    assert_eq!(
        chain,
        ["rank 0 MPI_Recv", "rank 1 MPI_Ssend", "rank 2 MPI_Sendrecv"]
    );
    // It is in MPI, though it does not wait there: nothing is proven of it.
    assert_eq!(
        (who.as_str(), by, certainty),
        ("rank 3", ToldBy::Arguments, Certainty::Probable)
    );

    // One of the two peers may have done its part.
    let given = [
        "f:6 arg3=1 arg8=2,MPI_Sendrecv:0",
        "f:9,MPI_Barrier:0",
        "f:10,work:0",
    ];
    let awaited_of_two = awaited(&given).unwrap();
    let of_two = awaited_of_two.culprit().unwrap();
    assert_eq!(
        (of_two.who.to_string(), of_two.certainty),
        ("rank 2".to_owned(), Certainty::Probable)
    );
    let WaitsFor::OneOf(one, other) = &awaited_of_two.chain[0].needs else {
        panic!("{awaited_of_two:?}")
    };
    assert_eq!(
        (one.to_string(), other.to_string()),
        ("rank 2".to_owned(), "rank 1".to_owned())
    );

    // Somewhere on the way nothing tells further: then whoever does not wait is probable.
    let given = [
        "f:2 arg3=1,MPI_Recv:0",
        "f:7,MPI_Waitall:0",
        "f:10,work:0",
        "f:12,MPI_Recv:0",
    ];
    let (chain, who, by, certainty) = culprit(&given);
    assert_eq!(chain, ["rank 0 MPI_Recv", "rank 1 MPI_Waitall"]);
    assert_eq!((who.as_str(), (by, certainty)), ("rank 2", ALONE));
}

#[test]
fn those_who_wait_for_each_other_are_a_cycle() {
    let end = |given: &[&str]| awaited(given).unwrap().end;
    // Three of them.
    let given = [
        "f:2 arg3=1,MPI_Recv:0",
        "f:12 arg3=2,MPI_Recv:0",
        "f:12 arg3=0,MPI_Recv:0",
    ];
    assert_eq!(end(&given), ChainEnd::Cycle(0));
    // The first leads to the other two.
    let given = [
        "f:2 arg3=1,MPI_Recv:0",
        "f:12 arg3=2,MPI_Recv:0",
        "f:12 arg3=1,MPI_Recv:0",
    ];
    assert_eq!(end(&given), ChainEnd::Cycle(1));
    // A barrier that the first has not entered, of which the other would have to send before.
    assert_eq!(
        end(&["f:2 arg3=1,MPI_Recv:0", "f:9,MPI_Barrier:0"]),
        ChainEnd::Cycle(0)
    );
    assert_eq!(end(&["f:2 arg3=0,MPI_Recv:0", "f:10,work:0"]), ChainEnd::Cycle(0));
    // Each needs a message of the other, and nothing tells which of them does not go on.
    let exchange = ["f:6 arg3=1 arg8=1,MPI_Sendrecv:0", "f:12 arg3=0,MPI_Recv:0"];
    assert_eq!(awaited(&exchange), None);
    assert_eq!(
        awaited(&["f:6 arg3=0 arg8=0,MPI_Sendrecv:0", "f:10,work:0"]),
        None
    );
    // One of two peers may have done its part: neighbours that exchange are no cycle.
    let given = [
        "f:6 arg3=1 arg8=2,MPI_Sendrecv:0",
        "f:12 arg3=0,MPI_Recv:0",
        "f:12 arg3=0,MPI_Recv:0",
    ];
    assert_eq!(awaited(&given), None);
}

/// Of two operations the first is that of the hindmost, and the second that of the rank which it waits for.
#[derive(Debug, PartialEq)]
enum Pair {
    /// The second one does what the first one waits for: nobody keeps it.
    Served,
    /// It waits for the first one in turn.
    Each,
    /// It waits for the third, which works.
    Third,
    /// Nothing is said.
    Open,
}

/// Whatever two operations wait for: who waits for whom, and where it ends.
#[test]
fn a_table_of_pairs() {
    use Pair::{Each, Open, Served, Third};
    const RECV: &str = "MPI_Recv(a, 1, MPI_INT, @, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    const SEND: &str = "MPI_Send(a, 1, MPI_INT, @, 7, MPI_COMM_WORLD);";
    const RECV_8: &str = "MPI_Recv(a, 1, MPI_INT, @, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    const SSEND_8: &str = "MPI_Ssend(a, 1, MPI_INT, @, 8, MPI_COMM_WORLD);";
    const ANY_SOURCE: &str = "MPI_Recv(a, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    const ANY_TAG: &str = "MPI_Recv(a, 1, MPI_INT, @, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    const SOME_TAG: &str = "MPI_Recv(a, 1, MPI_INT, @, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    const PROBE: &str = "MPI_Probe(@, 7, MPI_COMM_WORLD, status);";
    const MPROBE_8: &str = "MPI_Mprobe(@, 8, MPI_COMM_WORLD, message, status);";
    const EXCHANGE: &str =
        "MPI_Sendrecv(a, 1, MPI_INT, @, 7, b, 1, MPI_INT, @, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    const HALF: &str = "MPI_Sendrecv(a, 1, MPI_INT, MPI_PROC_NULL, 7, b, 1, MPI_INT, @, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    const WAIT: &str = "MPI_Wait(request, MPI_STATUS_IGNORE);";
    const BARRIER: &str = "MPI_Barrier(MPI_COMM_WORLD);";
    const BCAST: &str = "MPI_Bcast(a, 1, MPI_INT, @, MPI_COMM_WORLD);";
    const REDUCE: &str = "MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, @, MPI_COMM_WORLD);";
    // The operation of rank 0 with rank 1; that of rank 1, and with whom.
    let table = [
        (RECV, SEND, 0, Served),
        (RECV, SSEND_8, 0, Each),
        (RECV_8, SSEND_8, 0, Served),
        (ANY_TAG, SSEND_8, 0, Served),
        (SOME_TAG, SSEND_8, 0, Served),
        (RECV, SEND, 2, Third),
        (RECV, RECV, 0, Each),
        (RECV, RECV, 2, Third),
        (RECV, ANY_SOURCE, 2, Third),
        (RECV, PROBE, 0, Each),
        (RECV, BARRIER, 0, Each),
        (RECV, WAIT, 0, Third),
        (RECV, EXCHANGE, 0, Open),
        (RECV, EXCHANGE, 2, Third),
        (RECV, HALF, 0, Each),
        (SEND, RECV, 0, Served),
        (SEND, RECV_8, 0, Each),
        (SEND, RECV, 2, Third),
        (SEND, ANY_SOURCE, 2, Served),
        (SEND, ANY_TAG, 0, Served),
        (SEND, SEND, 0, Each),
        (SEND, PROBE, 0, Served),
        (SEND, MPROBE_8, 0, Each),
        (SEND, HALF, 0, Served),
        (SSEND_8, HALF, 0, Each),
        (PROBE, SEND, 0, Served),
        (PROBE, SSEND_8, 0, Each),
        (PROBE, RECV, 0, Each),
        (MPROBE_8, SSEND_8, 0, Served),
        (ANY_SOURCE, SEND, 0, Served),
        (ANY_SOURCE, SSEND_8, 0, Third),
        (ANY_SOURCE, SEND, 2, Third),
        (EXCHANGE, EXCHANGE, 0, Open),
        (EXCHANGE, SEND, 0, Open),
        (HALF, SEND, 0, Served),
        (HALF, RECV, 0, Each),
        (WAIT, SEND, 0, Third),
        // Whoever is ahead has gone past it: the two witnesses contradict each other, and the one that works remains.
        (BARRIER, RECV, 0, Third),
        (BARRIER, RECV, 2, Third),
        (BARRIER, SEND, 2, Third),
        (BCAST, RECV, 0, Third),
        (REDUCE, RECV, 0, Third),
    ];
    let places = |text: &str| match text {
        text if text == EXCHANGE => vec![3, 8],
        text if text == HALF => vec![8],
        text if text.contains("@,") => {
            let before = text.split("@,").next().unwrap_or_default();
            vec![before.matches(',').count()]
        }
        _ => Vec::new(),
    };
    for (mine, theirs, with, expected) in table {
        let source = format!(
            "void f(int from, int tag) {{\n{}\nbetween();\n{}\nwork();\n}}\n",
            mine.replace('@', "from"),
            theirs.replace('@', "from")
        );
        let frame = |line: u32, text: &str, with: u32| {
            let call = text.split('(').next().unwrap_or_default();
            let passed = places(text)
                .into_iter()
                .map(|place| format!(" arg{place}={with}"));
            format!("f:{line}{},{call}:0", passed.collect::<String>())
        };
        let given = [frame(2, mine, 1), frame(4, theirs, with), "f:5,work:0".to_owned()];
        let given = Vec::from_iter(given.iter().map(String::as_str));
        let found = answer(&map(&source), &stacks(&given), RankSet::default());
        assert_eq!(
            found
                .finding
                .as_ref()
                .map(|found| found.who.to_string())
                .as_deref(),
            Some("rank 0"),
            "{given:?}"
        );
        let said = match found.awaited.as_ref().map(|awaited| &awaited.end) {
            None => Open,
            Some(ChainEnd::Cycle(0)) => Each,
            Some(ChainEnd::Culprit(culprit)) => match (culprit.who.to_string().as_str(), culprit.by) {
                ("rank 1", ToldBy::Served) => Served,
                ("rank 2", _) => Third,
                _ => panic!("{culprit:?} of {mine} and {theirs}"),
            },
            Some(end) => panic!("{end:?} of {mine} and {theirs}"),
        };
        assert_eq!(
            said, expected,
            "{mine} of rank 0 and {theirs} of rank 1 with {with}"
        );
    }
}

#[test]
fn a_rank_that_nobody_saw_is_named_as_such() {
    let end = |given: &[&str]| awaited(given).unwrap().end;
    let given = ["f:2 arg3=7,MPI_Recv:0", "f:10,work:0"];
    assert_eq!(end(&given), ChainEnd::Unseen(RankSet::from_iter([7])));
}

#[test]
fn who_is_stopped_is_the_end_of_the_chain() {
    let mut given = stacks(&["f:2 arg3=1,MPI_Recv:0", "f:12 arg3=0,MPI_Recv:0", "f:10,work:0"]);
    given[1].state = Some(ProcessState {
        run: RunState::Stopped,
        ..ProcessState::default()
    });
    given[1].pid = Some(11);
    let mut found = answer(&map(STRAIGHT), &given, RankSet::default());
    let culprit = found.awaited.as_ref().unwrap().culprit().unwrap().clone();
    assert_eq!(culprit.who.to_string(), "rank 1");
    assert_eq!(culprit.halted, Some(HaltedBy::Signal));
    found.advise(Origin::Live);
    let resume = NextStep::Resume {
        pid: 11,
        host: String::new(),
    };
    assert_eq!(found.next, Some(resume));
}

#[test]
fn who_may_not_be_waiting_is_not_said_to_wait() {
    let given = ["f:2 arg3=1,MPI_Recv:0", "f:10,work:0", "f:12,MPI_Recv:0"];
    // Another thread of the culprit may be the one that waits.
    let mut tasks = stacks(&given);
    tasks[1].threads.push(snapshot::Thread {
        frames: super::waits::in_mpich(&["f:12,MPI_Recv:0"])[0].frames.clone(),
        ..snapshot::Thread::default()
    });
    let found = answer(&map(STRAIGHT), &tasks, RankSet::default());
    assert_eq!(found.awaited.unwrap().end, ChainEnd::Unknown);
    // Nothing at all was seen of that thread.
    tasks[1].threads[0].frames = snapshot::Frames::default();
    let found = answer(&map(STRAIGHT), &tasks, RankSet::default());
    assert_eq!(
        found.awaited.unwrap().culprit().unwrap().certainty,
        Certainty::Probable
    );
    // It came to this call from another one a moment ago.
    let before = stacks(&["f:9,MPI_Barrier:0", "f:10,work:0", "f:12,MPI_Recv:0"]);
    let earlier = Earlier {
        tasks: &before,
        elapsed: Duration::from_millis(100),
    };
    let found = answer_since(&map(STRAIGHT), &stacks(&given), earlier);
    assert_eq!(found.awaited, None);
    // Records of several moments have ranks that tell nothing.
    let twice = [stacks(&given), stacks(&given)].concat();
    assert_eq!(answer(&map(STRAIGHT), &twice, RankSet::default()).awaited, None);
}

#[test]
fn the_only_one_that_is_left_in_the_end_is_behind_those_that_ended() {
    let missing = || RankSet::from_iter([1, 2, 3]);
    let source = "int main(void) { work(); MPI_Finalize(); }\n";
    let left = |frames: &str, ended: RankSet| {
        let mut found = answer(&map(source), &stacks(&[frames]), missing());
        found.explain_ended(&ended);
        found.finding.map(|found| (found.certainty, found.grounds))
    };
    let named = Some((Certainty::Probable, Grounds::OnlyOneLeft));
    assert_eq!(left("main:1,MPI_Finalize:0", missing()), named);
    assert_eq!(left("main:1,ompi_mpi_finalize:0", missing()), named);
    // One of the others may be on another host; a job that is being started has ranks that are not there yet.
    assert_eq!(left("main:1,MPI_Finalize:0", RankSet::from_iter([1, 2])), None);
    assert_eq!(left("main:1,MPI_Finalize:0", RankSet::default()), None);
    assert_eq!(left("main:1,work:0", missing()), None);
}
