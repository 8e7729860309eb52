//! The tree along which answers are reduced: the binomial tree of `MPI_Reduce` in MPICH (Thakur, Rabenseifner, Gropp 2005), with process 0 at its root.
//!
//! The parent of `p` is `p` without its lowest bit that is set; so `p` has a child for each lower bit, and as many processes as two to that bit are below. The first child has the smallest tree, and answers first.

use std::time::Duration;

/// Whom a process has its questions from and sends its answers to; `None` of the root.
pub fn parent(process: u32) -> Option<u32> {
    (process != 0).then(|| process & (process - 1))
}

/// Whose answers a process merges with its own, in the order in which they may be expected. There are `count` processes.
pub fn children(process: u32, count: u32) -> Vec<u32> {
    let below = match process {
        0 => u32::BITS,
        _ => process.trailing_zeros(),
    };
    let child = |bit: u32| process.checked_add(1 << bit);
    (0..below)
        .map_while(child)
        .take_while(|&child| child < count)
        .collect()
}

/// How long a process waits for those below when the root waits `whole`: the deeper, the shorter, so that who waits for a process that has waited in vain still hears of all others. Half of the time at least is there for the answer itself.
pub fn patience(process: u32, count: u32, whole: Duration) -> Duration {
    let height = u32::BITS - count.saturating_sub(1).leading_zeros();
    whole - whole * process.count_ones().min(height) / (2 * height + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_has_one_parent_and_is_its_child() {
        for count in 1..200 {
            let mut reached = vec![0];
            for at in 0..count {
                assert!(reached.len() > at as usize, "{at} of {count} is cut off");
                let process = reached[at as usize];
                let children = children(process, count);
                assert!(children.iter().all(|&child| parent(child) == Some(process)));
                reached.extend(children);
            }
            reached.sort_unstable();
            assert_eq!(reached, Vec::from_iter(0..count));
        }
        assert_eq!(children(8, 12), [9, 10]);
        assert_eq!(children(0, u32::MAX).len(), 32);
    }

    #[test]
    fn who_waits_for_others_waits_longer_than_they() {
        let whole = Duration::from_secs(5);
        for count in [1, 2, 3, 8, 1000] {
            assert_eq!(patience(0, count, whole), whole);
            for process in 0..count {
                let own = patience(process, count, whole);
                assert!(own >= whole / 2);
                for child in children(process, count) {
                    assert!(patience(child, count, whole) < own);
                }
            }
        }
    }
}
