//! The same for many tasks, on all processors.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Reading `/proc` is the kernel's work, and more threads than this only wait for each other.
const MOST_THREADS: usize = 8;
/// Fewer tasks than this for each thread are not worth its start.
const FEWEST: usize = 4;

/// Does the work for each of `all`. Where no thread can be started, this one does everything.
pub(crate) fn for_each<T: Send>(all: &mut [T], work: impl Fn(&mut T) + Sync) {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(MOST_THREADS).min(all.len() / FEWEST);
    let left = Mutex::new(all.iter_mut());
    let help = || {
        loop {
            let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(each) => work(each),
                None => return,
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            let helper = thread::Builder::new().name("hindmost-prepare".to_owned());
            if helper.spawn_scoped(scope, help).is_err() {
                break;
            }
        }
        help();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once() {
        for count in [0, 1, 7, 1000] {
            let mut all = vec![0; count];
            for_each(&mut all, |each| *each += 1);
            assert_eq!(all, vec![1; count]);
        }
    }
}
