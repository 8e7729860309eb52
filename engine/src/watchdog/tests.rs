//! Jobs that go on, that wait and that hang, as looks at their stacks.

use super::*;
use crate::recorded::Rank;
use crate::tests::by_recorder::{doing, waiting};
use snapshot::{Frame, ProcessState, RunState, Thread};
use waitgraph::WaitGraph;

const SECOND: Duration = Duration::from_secs(1);

fn frame(function: &str, module: &str, pc: u64) -> Frame {
    Frame {
        function: function.to_owned(),
        module: Some(module.to_owned()),
        pc: Some(pc),
        ..Frame::default()
    }
}

fn task(rank: u32, frames: Vec<Frame>, run: RunState, call: Option<&str>) -> Task {
    Task {
        task: rank.to_string(),
        rank: Some(rank),
        pid: Some(100 + rank),
        frames: frames.into(),
        state: Some(ProcessState {
            run,
            system_call: call.map(str::to_owned),
            ..ProcessState::default()
        }),
        ..Task::default()
    }
}

/// In MPI, called from `pc`; `inner` is where it polls.
fn waits(rank: u32, pc: u64, inner: u64) -> Task {
    let frames = vec![
        frame("main", "app", pc),
        frame("MPI_Allreduce", "libmpi.so.40", 7 + inner),
        frame("opal_progress", "libopen-pal.so.40", inner),
    ];
    task(rank, frames, RunState::Running, None)
}

fn computes(rank: u32, pc: u64) -> Task {
    let frames = vec![frame("main", "app", 3), frame("work", "app", pc)];
    task(rank, frames, RunState::Running, None)
}

fn sleeps(rank: u32, call: &str) -> Task {
    let frames = vec![frame("main", "app", 3), frame(call, "libc.so.6", 9)];
    task(rank, frames, RunState::Sleeping, Some(call))
}

fn dog() -> Watchdog {
    Watchdog::new(Patience::Learned(5 * SECOND), Patience::Learned(50 * SECOND))
}

/// Looks once a second at what `job` shows; the first pause that is too long, with the second it was seen in.
fn watch(dog: &mut Watchdog, seconds: u32, job: impl Fn(u32) -> Vec<Task>) -> Option<(u32, Pause)> {
    (0..seconds).find_map(
        |second| match dog.look(&job(second), None, true, second * SECOND) {
            Sight::Pauses(pause) if pause.is_too_long => Some((second, pause)),
            _ => None,
        },
    )
}

#[test]
fn a_job_of_which_all_tasks_wait_hangs() {
    let (second, pause) = watch(&mut dog(), 90, |second| {
        vec![waits(0, 5, u64::from(second)), waits(1, 6, u64::from(second) * 3)]
    })
    .unwrap();
    assert_eq!((second, &pause.by), (5, &HeldUpBy::EachOther(2)));
    assert_eq!(
        pause.sentence("12:00:00"),
        "hung: all 2 tasks wait for each other in MPI, and none has moved for 5 s, since 12:00:00"
    );
}

#[test]
fn who_computes_is_given_time_and_not_called_hung() {
    let job = |second: u32| vec![waits(0, 5, 1), computes(1, u64::from(second)), waits(2, 5, 2)];
    let (second, pause) = watch(&mut dog(), 90, job).unwrap();
    assert_eq!(second, 50);
    let said = pause.sentence("12:00:00");
    assert!(
        said.starts_with("rank 1 computes, all 2 others have waited for it for 50 s"),
        "{said}"
    );
    assert!(!said.contains("hung"), "{said}");
    let mut told = Watchdog::new(Patience::Learned(5 * SECOND), Patience::Given(9 * SECOND));
    let (second, pause) = watch(&mut told, 90, job).unwrap();
    assert!(second == 9 && pause.is_hung());
}

#[test]
fn a_worker_that_computes_keeps_its_task_busy() {
    let job = |second: u32| {
        let mut joins = sleeps(0, "futex");
        joins
            .frames
            .edit(|frames| frames[1].function = "pthread_join".to_owned());
        joins.threads = vec![Thread {
            frames: vec![frame("worker", "app", u64::from(second))].into(),
            state: Some(ProcessState {
                run: RunState::Running,
                ..ProcessState::default()
            }),
            ..Thread::default()
        }];
        vec![joins, waits(1, 5, 1)]
    };
    assert_eq!(watch(&mut dog(), 49, job), None);
    // Those that MPI keeps for itself do not.
    let helped = |_| {
        let mut joins = sleeps(0, "pause");
        joins.threads = vec![Thread {
            frames: vec![
                frame("epoll_wait", "libc.so.6", 1),
                frame("??", "libopen-pal.so.40", 2),
            ]
            .into(),
            ..Thread::default()
        }];
        vec![joins, waits(1, 5, 1)]
    };
    let (second, pause) = watch(&mut dog(), 49, helped).unwrap();
    assert_eq!(second, 5);
    assert!(matches!(pause.by, HeldUpBy::Nobody(ref who, _) if who.to_string() == "rank 0"));
}

#[test]
fn timers_files_and_polling_are_no_standstill() {
    for call in [
        "nanosleep",
        "clock_nanosleep",
        "write",
        "fsync",
        "read",
        "poll",
        "epoll_wait",
    ] {
        assert_eq!(
            watch(&mut dog(), 49, |_| vec![sleeps(0, call), waits(1, 5, 1)]),
            None,
            "{call}"
        );
    }
    let polls = |second: u32| {
        let mut polls = waits(0, 5, u64::from(second));
        polls
            .frames
            .edit(|frames| frames[1].function = "MPI_Test".to_owned());
        vec![polls, waits(1, 5, 1)]
    };
    assert_eq!(watch(&mut dog(), 49, polls), None);
}

#[test]
fn what_a_job_did_before_is_learned() {
    // It waits for 4 s for half an hour, and then for 30.
    let job = |second: u32| {
        let epoch = if second < 1800 { second / 4 } else { 450 };
        vec![waits(0, u64::from(epoch), 1), waits(1, u64::from(epoch), 2)]
    };
    let (second, _) = watch(&mut dog(), 4000, job).unwrap();
    assert!((1840..1850).contains(&second), "{second}");
}

#[test]
fn a_task_that_was_not_seen_proves_nothing() {
    let mut dog = dog();
    for second in 0..6 {
        dog.look(&[waits(0, 5, 1), waits(1, 5, 1)], None, false, second * SECOND);
    }
    // Of the second one nothing is known for a while; it has not gone on by that.
    let unseen = Task {
        error: Some("it ended".to_owned()),
        ..waits(1, 5, 1)
    };
    let Sight::Pauses(pause) = dog.look(&[waits(0, 5, 1), unseen], None, false, 7 * SECOND) else {
        panic!("nobody moved")
    };
    assert!(pause.is_too_long && !pause.is_hung(), "{pause:?}");
}

/// Jobs by a plain model: each task works and waits in turn. No pause counts as too long that is shorter than ten times one before,
/// and every one that is longer than all that counts does.
#[test]
fn alarms_are_those_of_the_model() {
    for seed in 0..200_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        let mut next = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        // Per step: how long all wait, and how long one computes before.
        let steps: Vec<(u64, u64)> = (0..20).map(|_| (next(5), next(40))).collect();
        let end: u64 = steps.iter().map(|(wait, work)| wait + work + 1).sum();
        let hangs_computing = next(2) == 0;
        let job = |second: u32| {
            let mut left = u64::from(second);
            for (step, &(wait, work)) in (0..).zip(&steps) {
                if left < work {
                    return vec![waits(0, step, left), computes(1, left), waits(2, step, left)];
                }
                if left - work <= wait {
                    return vec![waits(0, step, left), waits(1, step, left), waits(2, step, left)];
                }
                left -= work + wait + 1;
            }
            let one = if hangs_computing {
                computes(1, left)
            } else {
                waits(1, 99, left)
            };
            vec![waits(0, 99, left), one, waits(2, 99, left)]
        };
        let mut dog = dog();
        let (second, pause) = watch(&mut dog, 3000, job).unwrap_or_else(|| panic!("seed {seed}: no alarm"));
        assert!(
            u64::from(second) >= end,
            "seed {seed}: {pause:?} at {second}, and all was well until {end}"
        );
        assert_eq!(pause.is_hung(), !hangs_computing, "seed {seed}: {pause:?}");
    }
}

#[test]
fn a_call_that_was_completed_is_going_on_and_what_was_recorded_before_is_learned() {
    let tasks = || vec![waits(0, 5, 1), waits(1, 5, 1)];
    let recorded = |completed: u64| {
        let mut waiting = waiting(&[], WaitGraph::default());
        waiting.tasks = vec![doing(0), doing(1)];
        for task in &mut waiting.tasks {
            task.completed = completed;
            task.longest = Some(SECOND);
        }
        waiting
    };
    let mut watched = dog();
    // Both are met in the same call each time.
    for second in 0..90 {
        let sight = watched.look(&tasks(), Some(&recorded(second.into())), true, second * SECOND);
        assert_eq!(sight, Sight::GoesOn, "second {second}");
    }
    // Now they complete nothing more. There were pauses of a second before.
    let too_long = (90..120).find(|second| {
        let sight = watched.look(&tasks(), Some(&recorded(89)), true, *second * SECOND);
        matches!(sight, Sight::Pauses(pause) if pause.is_too_long)
    });
    assert_eq!(too_long, Some(89 + LONGER));
    // One is met computing at each look, and completes a call between every two.
    let held_up = |second: u64| vec![waits(0, 5, 1), computes(1, second)];
    let mut watched = dog();
    for second in 0..90 {
        let sight = watched.look(
            &held_up(second.into()),
            Some(&recorded(second.into())),
            true,
            second * SECOND,
        );
        assert_eq!(sight, Sight::GoesOn, "second {second}");
    }
    // Of one nothing is known: how long pauses of the job were before, the other cannot tell alone.
    let mut partly = recorded(89);
    partly.tasks.truncate(1);
    let mut watched = dog();
    let too_long = (0..30).find(|second| {
        let sight = watched.look(&tasks(), Some(&partly), true, *second * SECOND);
        matches!(sight, Sight::Pauses(pause) if pause.is_too_long)
    });
    assert_eq!(too_long, Some(5));
}

#[test]
fn who_can_never_go_on_is_found_at_once_whatever_the_others_do() {
    let graph = WaitGraph {
        stuck: vec![Rank(0), Rank(1)],
        proven: vec![Rank(0), Rank(1)],
        ..WaitGraph::default()
    };
    let mut recorded = waiting(&[(0, 1), (1, 0)], graph);
    recorded.tasks[0].for_ns = 2_000_000_000;
    recorded.tasks[1].for_ns = 3_000_000_000;
    let job = |second: u64| vec![waits(0, 5, 1), waits(1, 5, 1), waits(2, 5 + second, 1)];
    let mut watched = dog();
    let Sight::Pauses(pause) = watched.look(&job(0), Some(&recorded), true, 7 * SECOND) else {
        panic!("they can never go on");
    };
    assert!(pause.is_too_long && pause.is_hung() && !pause.is_users_limit);
    let said = pause.sentence("12:00:00");
    assert!(
        said.starts_with("hung: ranks 0-1 wait for what can never come, by what the tasks have recorded in MPI: they did not move for 2 s"),
        "{said}"
    );
    // One that asks again and again may do something else: nothing is proven of it.
    recorded.graph.proven.clear();
    assert_eq!(
        watched.look(&job(1), Some(&recorded), true, 8 * SECOND),
        Sight::GoesOn
    );
}
