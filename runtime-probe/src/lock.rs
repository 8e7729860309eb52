//! The mutex that a thread sleeps for, and who holds it.
//!
//! glibc's `pthread_mutex_t` on x86-64 begins with the word that is the futex (0 free, 1 held, 2 held and waited for), a
//! counter, the owner's thread id at offset 8, the number of users at 12 and the kind at 16. A robust or priority-inheriting
//! mutex has the owner's thread id in the futex word itself, as the kernel demands it (`futex(2)`). Everything is read from
//! outside while the thread sleeps, and counts only if it sleeps in the same call afterwards.
//!
//! Other futexes look alike (a condition, a semaphore, a lock of stdio or of the allocator): an owner is named only if the
//! words have the form of a mutex and the owner is a living thread of the same process.

use crate::procfs;
use crate::state::Call;
use crate::sys;
use snapshot::Lock;

/// Number of the system call `futex`.
const FUTEX: u16 = 202;
/// Operations, without the flags for private memory and for the clock.
const WAIT: u64 = 0;
const LOCK_PI: u64 = 6;
const LOCK_PI2: u64 = 13;
const OPERATION: u64 = 0x7f;
/// Bits of the futex word of a mutex that the kernel knows the owner of.
const WAITERS: u32 = 0x8000_0000;
const OWNER: u32 = 0x3fff_ffff;
/// What a word of a mutex says that is held and waited for.
const CONTENDED: u32 = 2;
/// The bits that a kind may have: the four types, robust, priority, sharing and elision.
const KINDS: u32 = 0x3ff;

/// The mutex that a thread of `pid`, asleep in `call`, waits for.
pub(crate) fn waited_for(pid: u32, tid: u32, call: &Call) -> Option<Lock> {
    let [address, operation, expected, ..] = call.arguments;
    if call.number != FUTEX || !matches!(operation & OPERATION, WAIT | LOCK_PI | LOCK_PI2) {
        return None;
    }
    let mut bytes = [0; 20];
    let copied = sys::read_memory(pid, &[(address, bytes.len())], &mut bytes).ok()?;
    if copied < bytes.len() {
        return None;
    }
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let mutex = Mutex {
        word: word(0)?,
        owner: word(8)?,
        kind: word(16)?,
    };
    // The call takes the lower half of it.
    let owner = mutex.holder(operation & OPERATION, expected as u32)?;
    if Call::of(pid, tid).as_ref() != Some(call) {
        return None;
    }
    let lives =
        owner != tid && procfs::thread_stat(pid, owner).is_ok_and(|stat| !matches!(stat.state, 'Z' | 'X'));
    lives.then_some(Lock {
        address,
        owner: Some(owner),
    })
}

/// The words of a mutex that tell who holds it.
struct Mutex {
    word: u32,
    owner: u32,
    kind: u32,
}

impl Mutex {
    /// Who holds it, if these are the words of a mutex whose waiter asked for `operation` and expected `expected`.
    fn holder(&self, operation: u64, expected: u32) -> Option<u32> {
        if self.kind & !KINDS != 0 {
            return None;
        }
        let known_to_kernel = operation != WAIT || expected & WAITERS != 0;
        let owner = if known_to_kernel {
            self.word & OWNER
        } else if expected == CONTENDED && self.word == CONTENDED {
            self.owner
        } else {
            return None;
        };
        (owner != 0).then_some(owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_form_of_a_mutex_has_a_holder() {
        let mutex = |word, owner, kind| Mutex { word, owner, kind };
        assert_eq!(mutex(2, 77, 0).holder(WAIT, 2), Some(77));
        // Released meanwhile, waited for as something else, no kind of mutex, no owner.
        assert_eq!(mutex(0, 77, 0).holder(WAIT, 2), None);
        assert_eq!(mutex(2, 77, 0).holder(WAIT, 0), None);
        assert_eq!(mutex(2, 77, 0x7ffc_0000).holder(WAIT, 2), None);
        assert_eq!(mutex(2, 0, 0).holder(WAIT, 2), None);
        assert_eq!(mutex(WAITERS | 78, 0, 0x20).holder(LOCK_PI, 0), Some(78));
        assert_eq!(mutex(WAITERS | 79, 79, 0x10).holder(WAIT, WAITERS | 79), Some(79));
    }
}
