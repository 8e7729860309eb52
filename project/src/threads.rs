//! The threads that do parallel work.

use std::num::NonZeroUsize;
use std::sync::{Mutex, Once};
use std::thread;

/// Starts the threads that do parallel work, `jobs` of them if that is given; to be called before any such work, again if one likes. Where
/// none can be had (a limit of processes or memory), all work is done by this one: left to itself, the first parallel work would panic.
/// Memory that runs out later still ends the program.
pub fn start(jobs: Option<NonZeroUsize>) {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| start_now(jobs));
}

fn start_now(jobs: Option<NonZeroUsize>) {
    let count = jobs
        .or(thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let mut pool = rayon::ThreadPoolBuilder::new().num_threads(count);
    if !can_start(count) {
        pool = pool.num_threads(1).use_current_thread();
    }
    // It fails when there is one already: nobody before us makes one.
    let _ = pool.build_global();
}

/// Whether so many threads can be had at once. The pool can be tried only once, so others are; what they leave is there for it. Some
/// more are asked for: a thread that finds no memory when it begins dies, and whoever waits for its work waits for ever.
fn can_start(count: usize) -> bool {
    const SPARE: usize = 3;
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let closed = gate.lock();
        let start = |_| {
            let waiting = || drop(gate.lock());
            thread::Builder::new().spawn_scoped(scope, waiting).is_ok()
        };
        let all = (0..count + SPARE).all(start);
        drop(closed);
        all
    })
}
