//! Work for many seeds, on every processor there is.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// What `work` gives for each seed, in the order of the seeds: what is printed must not depend on which thread was faster.
pub fn in_parallel<T: Send>(seeds: Range<u64>, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(seeds.start);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return done;
            }
            done.push((seed, work(seed)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let threads = Vec::from_iter((0..workers).map(|_| scope.spawn(worker)));
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect::<Vec<_>>()
    });
    all.sort_by_key(|(seed, _)| *seed);
    all.into_iter().map(|(_, result)| result).collect()
}
