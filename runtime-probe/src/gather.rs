//! Copying threads: those that sleep as they sleep, the others by a stop.
//!
//! A thread is first looked at. Asleep in a system call it is read without a stop. One that runs is stopped; since it may have come into
//! a call meanwhile, the window looks once more, right before it interrupts, and leaves a thread alone that by then sleeps in a call that
//! would tell the program. Those are looked at again.

use crate::asleep::{self, Look};
use crate::at_once;
use crate::calls;
use crate::state::Call;
use crate::stop::{self, Manner, NotStill, Request, Still};
use std::time::{Duration, Instant};

/// When a thread is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stopping {
    /// When it runs; when it sleeps, only if some value is in a register, and if the call it sleeps in begins again after a stop.
    #[default]
    Sparing,
    /// Always. Calls that do not begin again after a stop return `EINTR` or a short count to the program.
    Always,
}

/// So often a thread that runs is looked at before it is stopped, and how long apart: one that is on its way into a call, or
/// between two of them, sleeps the next time, and most of those that a stop would have caught there are spared it.
const LOOKS: usize = 4;
const BETWEEN_LOOKS: Duration = Duration::from_micros(200);

/// So often a thread is tried that is about to sleep whenever it is to be stopped, and awake whenever it is to be read asleep.
const PASSES: usize = 32;

/// What was copied.
pub(crate) struct Gathered {
    /// In the order of the requests.
    pub(crate) copies: Vec<Result<Still, NotStill>>,
    /// From when to when threads were stopped, if any were.
    pub(crate) window: Option<(Instant, Instant)>,
}

/// Copies what was asked for.
pub(crate) fn gather(requests: &[Request<'_>], manner: Manner) -> Gathered {
    let mut results: Vec<Option<Result<Still, NotStill>>> = requests.iter().map(|_| None).collect();
    let mut window = None;
    if manner.stopping == Stopping::Sparing {
        for again in 0..LOOKS {
            if again > 0 {
                std::thread::sleep(BETWEEN_LOOKS);
            }
            look(requests, &mut results, |request| !request.registers);
            let open = |(request, result): (&Request<'_>, &Option<_>)| !request.registers && result.is_none();
            if !requests.iter().zip(&results).any(open) {
                break;
            }
        }
    }
    for pass in 1..=PASSES {
        let open: Vec<usize> = (0..requests.len()).filter(|&at| results[at].is_none()).collect();
        if open.is_empty() {
            break;
        }
        let begun = Instant::now();
        let chosen: Vec<&Request<'_>> = open.iter().map(|&at| &requests[at]).collect();
        let copies = stop::stop_all(&chosen, manner);
        window = Some((window.map_or(begun, |(first, _)| first), Instant::now()));
        let mut left_asleep = false;
        for (&at, copy) in open.iter().zip(copies) {
            if matches!(copy, Err(NotStill::LeftAsleep)) && pass < PASSES {
                left_asleep = true;
            } else {
                results[at] = Some(copy);
            }
        }
        if left_asleep {
            look(requests, &mut results, |_| true);
        }
    }
    let lost = || Err(NotStill::LeftAsleep);
    let copies = results
        .into_iter()
        .map(|result| result.unwrap_or_else(lost))
        .collect();
    Gathered { copies, window }
}

/// Reads those that have no result yet, and that are `wanted`, if they sleep.
fn look(
    requests: &[Request<'_>],
    results: &mut [Option<Result<Still, NotStill>>],
    wanted: impl Fn(&Request<'_>) -> bool,
) {
    let mut open: Vec<_> = requests
        .iter()
        .zip(results)
        .filter(|(request, result)| result.is_none() && wanted(request))
        .collect();
    at_once::for_each(&mut open, |(request, result)| {
        **result = match asleep::read(request) {
            Look::Asleep(still) => Some(Ok(*still)),
            // The window tells why, or finds that it has ended.
            Look::Awake | Look::Restless => None,
            Look::Failed(why) => Some(Err(why)),
        };
    });
}

/// Whether a thread that is about to be interrupted is to be left alone: it sleeps in a call that would tell its program.
pub(crate) fn is_to_be_left(tid: u32) -> bool {
    Call::of(tid, tid).is_some_and(|call| !calls::begins_again(&call, tid))
}
