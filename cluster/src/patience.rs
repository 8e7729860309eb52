//! How long is waited for hosts: a few that are silent are not to cost everybody the whole deadline.
//!
//! With `t` the longest that any host has taken so far for something that it was asked for, a host is *overdue* once nothing has come from it, and nothing could be sent to it, for longer than
//! `max(grace, t)`. When at least half of those that are not lost have answered, and all others are overdue, they are given up. So a slow network or a busy cluster makes everybody wait longer by itself,
//! and a host that still takes what it is sent is waited for up to the deadline.

use std::time::Duration;

/// How long is waited for hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// No look takes longer, whoever is missing.
    pub deadline: Duration,
    /// How long hosts may be silent, at least, after half of them have answered.
    pub grace: Duration,
}

/// What a host that was asked for something is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It has answered.
    Done,
    /// It will not answer.
    Lost,
    /// It has not been connected to yet.
    Waiting,
    /// It has been silent for so long.
    Silent(Duration),
}

impl Patience {
    /// How long it is yet worth waiting, if nothing more is heard by then; `None` if no longer. `slowest` is the longest that any has taken so far.
    pub(crate) fn left(
        self,
        slowest: Duration,
        hosts: impl Iterator<Item = Standing> + Clone,
    ) -> Option<Duration> {
        let count = |what: Standing| hosts.clone().filter(|&standing| standing == what).count();
        let (done, lost, waiting) = (
            count(Standing::Done),
            count(Standing::Lost),
            count(Standing::Waiting),
        );
        let not_lost = hosts.clone().count() - lost;
        if done == not_lost {
            return None;
        }
        if waiting > 0 || 2 * done < not_lost {
            return Some(Duration::MAX);
        }
        let allowed = self.grace.max(slowest);
        let left = hosts.filter_map(|standing| match standing {
            Standing::Silent(silence) => allowed.checked_sub(silence),
            Standing::Done | Standing::Lost | Standing::Waiting => None,
        });
        left.max()
    }
}

#[cfg(test)]
mod tests {
    use super::Standing::{Done, Lost, Silent, Waiting};
    use super::*;

    #[test]
    fn a_few_that_are_silent_are_given_up_and_many_are_not() {
        let at = Duration::from_secs;
        let left = |slowest: u64, hosts: &[Standing]| {
            let patience = Patience {
                deadline: at(20),
                grace: at(2),
            };
            patience.left(at(slowest), hosts.iter().copied())
        };
        // All have answered; one may yet, and may no longer.
        assert_eq!(left(0, &[Done, Lost]), None);
        assert_eq!(left(0, &[Done, Silent(at(1))]), Some(at(1)));
        assert_eq!(left(0, &[Done, Silent(at(3))]), None);
        assert_eq!(
            left(0, &[Done, Silent(at(3)), Silent(at(0))]),
            Some(Duration::MAX)
        );
        assert_eq!(left(0, &[Done, Done, Silent(at(3)), Silent(at(0))]), Some(at(2)));
        // Where the others took long, it may be slow as well.
        assert_eq!(left(5, &[Done, Silent(at(3))]), Some(at(2)));
        // What is lost tells nothing of how fast others are, and who was not asked is not silent.
        assert_eq!(left(0, &[Lost, Lost, Silent(at(9))]), Some(Duration::MAX));
        assert_eq!(
            left(0, &[Done, Done, Silent(at(9)), Waiting]),
            Some(Duration::MAX)
        );
        assert_eq!(left(0, &[]), None);
    }
}
