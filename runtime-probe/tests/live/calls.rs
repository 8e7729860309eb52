//! System calls in a target do not see us: the table of `docs/harmlessness.md`.
//!
//! Each target makes one call again and again and counts how often it ends early (`calls.c`). It is looked at all the while, as
//! by default and with `Stopping::Always`, and left alone for comparison.

use crate::safety::{attempts, running};
use crate::support::{Program, Target, compile, complete, names, snap, snap_with, until};
use progress_map::Map;
use runtime_probe::{Options, Stopping};
use std::time::Duration;

/// Whether a call begins again after a stop by itself; then a stop must make no difference either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    BeginsAgain,
    Tells,
}

const CALLS: [(&str, After); 42] = {
    use After::{BeginsAgain, Tells};
    [
        ("recv-waitall-unix", Tells),
        ("recv-waitall-tcp", Tells),
        ("recvmsg-waitall", Tells),
        ("recv-timeout", Tells),
        ("read-timeout", Tells),
        ("readv-timeout", Tells),
        ("recvmmsg-timeout", Tells),
        ("accept-timeout", Tells),
        ("accept4-timeout", Tells),
        ("send-large", Tells),
        ("write-socket", Tells),
        ("write-pipe", Tells),
        ("writev-pipe", Tells),
        ("sendfile", Tells),
        ("epoll_wait", Tells),
        ("epoll_pwait", Tells),
        ("epoll_pwait2", Tells),
        ("semtimedop", Tells),
        ("semop", Tells),
        ("sigtimedwait", Tells),
        ("io_getevents", Tells),
        ("io_pgetevents", Tells),
        ("io_uring_enter", Tells),
        ("read-pipe", BeginsAgain),
        ("poll", BeginsAgain),
        ("ppoll", BeginsAgain),
        ("select", BeginsAgain),
        ("pselect", BeginsAgain),
        ("nanosleep", BeginsAgain),
        ("clock_nanosleep", BeginsAgain),
        ("clock_nanosleep-until", BeginsAgain),
        ("futex", BeginsAgain),
        ("wait4", BeginsAgain),
        ("waitid", BeginsAgain),
        ("msgrcv", BeginsAgain),
        ("msgsnd", BeginsAgain),
        ("mq_timedreceive", BeginsAgain),
        ("flock", BeginsAgain),
        ("mq_timedsend", BeginsAgain),
        ("futex_waitv", BeginsAgain),
        ("pause", BeginsAgain),
        ("rt_sigsuspend", BeginsAgain),
    ]
};

/// What became of the calls of some targets.
#[derive(Debug, Default)]
struct Count {
    calls: usize,
    /// Calls that ended early.
    differences: usize,
    looks: usize,
    /// Looks that needed no stop.
    asleep: usize,
    /// Looks that found the thread always on the other side.
    unread: usize,
    /// Stops that the probe itself says may have been noticed.
    told: usize,
}

/// Runs targets until there were `looks`; `None` when the kernel refuses the call.
fn count(program: &Program, call: &str, stopping: Option<Stopping>, looks: usize) -> Option<Count> {
    let mut count = Count::default();
    while stopping.is_none() || count.looks < looks {
        let times = if looks < 100 { "40" } else { "200" };
        let target = program.start(&[call, times]);
        if let Some(stopping) = stopping {
            let options = Options {
                stopping,
                ..Options::default()
            };
            while running(&target) {
                let task = snap_with(&Map::default(), target.pid(), options);
                // Also of one that ended while it was read.
                count.told += task.told.len();
                let error = task.error.unwrap_or_default();
                if ["ended", "zombie"].iter().any(|word| error.contains(word)) {
                    break;
                }
                count.looks += 1;
                count.asleep += usize::from(task.unstopped);
                count.unread += usize::from(!error.is_empty());
                // The target is to get on, too.
                std::thread::sleep(std::time::Duration::from_micros(300));
            }
        }
        let said = target.finish();
        if let Some(reason) = said.strip_prefix("refused ") {
            println!("{call}: this kernel refuses it: {reason}");
            assert!(std::env::var_os("CI").is_none(), "CI has to measure {call}");
            return None;
        }
        let (differences, calls) = said.split_once(" of ").unwrap();
        count.differences += differences.parse::<usize>().unwrap();
        count.calls += calls.parse::<usize>().unwrap();
        if stopping.is_none() {
            break;
        }
    }
    Some(count)
}

#[test]
fn no_call_of_a_target_sees_us() {
    let program = compile("gcc", include_str!("calls.c"), "-O1 -g -lrt");
    let looks = attempts("HINDMOST_LOOKS", 8);
    let (mut seen, mut sum, mut excess) = (0, Count::default(), Vec::new());
    println!("| call | without us | by default | asleep | on its way | with --stop |");
    for (call, after) in CALLS {
        let Some(without) = count(&program, call, None, 0) else {
            continue;
        };
        let (Some(sparing), Some(always)) = (
            count(&program, call, Some(Stopping::Sparing), looks),
            count(&program, call, Some(Stopping::Always), looks),
        ) else {
            continue;
        };
        println!(
            "| {call} | {} of {} | {} of {} | {} of {} | {} | {} of {} |",
            without.differences,
            without.calls,
            sparing.differences,
            sparing.calls,
            sparing.asleep,
            sparing.looks,
            sparing.told,
            always.differences,
            always.calls,
        );
        assert_eq!(without.differences, 0, "{call} by itself");
        // Only what was not yet asleep when it was looked at, and the probe says so of each.
        if sparing.differences > sparing.told {
            excess.push(format!("{call}: {sparing:?}"));
        }
        if after == After::BeginsAgain {
            assert_eq!(always.differences, 0, "{call} does not begin again");
        } else {
            seen += always.differences;
            // A thread that is stopped whatever it does may have come into its call after it was looked at: not all are told.
            if always.differences > 2 * always.told {
                excess.push(format!("{call} with --stop: {always:?}"));
            }
        }
        sum.looks += sparing.looks;
        sum.asleep += sparing.asleep;
        sum.unread += sparing.unread;
        sum.told += sparing.told;
        sum.differences += sparing.differences;
    }
    println!("by default, in all: {sum:?}");
    assert!(
        excess.is_empty(),
        "noticed, and the probe did not say so: {excess:#?}"
    );
    assert!(seen > 0, "the targets would not notice a stop either");
    assert!(100 * sum.unread <= sum.looks, "{sum:?}");
    assert!(2 * sum.asleep > sum.looks, "{sum:?}");
}

/// Sleeps in a call, with a loop variable in a register that no frame below saves. With the frame pointer, the caller is found by it alone.
const KEEPER: &str = r#"
#include <stdio.h>
#include <sys/epoll.h>
#include <poll.h>
static int epoll;
__attribute__((noinline)) static int wait_here(int how) {
    struct epoll_event event;
    int ended = how ? epoll_wait(epoll, &event, 1, how > 1 ? 500 : -1) : poll(0, 0, -1);
    return ended + 1;
}
int main(int argc, char **argv) {
    (void)argv;
    epoll = epoll_create1(0);
    puts("ready"); fflush(stdout);
    int sum = 0;
    if (argc > 2) {
        wait_here(2);
        for (;;) sum++;
    }
    for (int it = 7; it < 9; it++) sum += wait_here(argc > 1);
    return sum;
}
"#;

#[test]
fn what_only_a_stop_shows_is_guessed_or_read_by_one_that_does_no_harm() {
    let program = compile("gcc", KEEPER, "-O0 -g -fno-omit-frame-pointer");
    let in_call = |target: &Target, call: &str| {
        until(call, || {
            let task = snap(&Map::default(), target.pid());
            let sleeps_in = task.state.and_then(|state| state.system_call);
            // Once stopped, a call with a time limit goes on as another.
            sleeps_in.is_some_and(|name| name == call || name == "restart_syscall")
        });
        snap(&Map::default(), target.pid())
    };
    // A call that begins again: stopped, for the frame pointer's sake.
    let poll = program.start(&[]);
    let task = in_call(&poll, "poll");
    assert!(!task.unstopped && complete(&task), "{task:?}");
    assert!(task.frames.iter().all(|frame| !frame.guessed), "{task:?}");
    // One that does not: the same frames, but nobody vouches for them.
    let epoll = program.start(&["epoll"]);
    let asleep = in_call(&epoll, "epoll_wait");
    assert!(asleep.unstopped && asleep.told.is_empty(), "{asleep:?}");
    assert!(names(&asleep).contains(&"main"), "{asleep:?}");
    let error = asleep.error.as_deref().unwrap_or_default();
    assert!(error.contains("guessed") && error.contains("rbp"), "{error}");
    let is_guessed = |name: &str| {
        let frame = asleep.frames.iter().find(|frame| frame.function == name);
        frame.unwrap().guessed
    };
    assert!(is_guessed("main") && !is_guessed("wait_here"), "{asleep:?}");
    let options = Options {
        stopping: Stopping::Always,
        ..Options::default()
    };
    let stopped = snap_with(&Map::default(), epoll.pid(), options);
    assert!(complete(&stopped) && !stopped.unstopped, "{stopped:?}");
    // Whoever sleeps there for a moment only is read a moment later.
    let napping = program.start(&["epoll", "once"]);
    let options = Options {
        moment: Duration::from_secs(2),
        ..Options::default()
    };
    let awake = snap_with(&Map::default(), napping.pid(), options);
    assert!(
        complete(&awake) && names(&awake).first() == Some(&"main"),
        "{awake:?}"
    );
    let state = awake
        .state
        .as_ref()
        .and_then(|state| state.system_call.as_deref());
    assert_eq!(state, None, "{awake:?}");
    // What called main keeps too little to be guessed whole.
    assert_eq!(names(&stopped)[..3], names(&asleep)[..3]);
    assert_eq!(stopped.told, ["epoll_wait"]);
}
