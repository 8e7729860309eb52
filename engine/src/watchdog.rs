//! The watchdog's judgement: whether a job stands still, and since when.
//!
//! From outside an endless loop and a long computation look alike, so two things are told apart. A job *stands still* while no task is
//! busy and each waits or sleeps where it did: nothing in it can make it go on but what it has already. It is *held up* while a few are
//! busy and all others wait where they did: those few may be about to be done. The first is worth an alarm soon, the second late, and
//! neither before ten times the longest such time after which the job went on: some jobs write a file for an hour every hour. What
//! makes a job go on is a task that waited or slept, and is elsewhere now; that a busy one is elsewhere means nothing.
//!
//! Where the tasks record what they do, a call that was completed counts as going on (also of a task that is met busy each time), the pauses of before it was watched count as learned, and those who can never go
//! on by what all have recorded are worth an alarm at once, whatever the others do.
//!
//! It is called *hung* only where nobody is left who could end it, or where a limit that the user gave has passed.

mod doing;
mod heard;
#[cfg(test)]
mod tests;

use crate::Who;
use crate::recorded::Waiting;
use doing::{Business, Doing, StackFingerprint};
use heard::Heard;
use snapshot::Task;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long something may last before it is worth an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// So long, says the user.
    Given(Duration),
    /// At least so long, and at least [`LONGER`] times longer than it ever lasted before the job went on.
    Learned(Duration),
}

/// How many times longer than ever before something must last that is worth an alarm.
pub const LONGER: u32 = 10;

/// Watches one job.
#[derive(Clone, Debug)]
pub struct Watchdog {
    still: Patience,
    busy: Patience,
    last: BTreeMap<String, Seen>,
    /// When a task went on for the last time; nothing before the first look.
    went_on: Option<Duration>,
    /// When a task went on or was busy for the last time.
    was_busy: Duration,
    longest_still: Duration,
    longest_busy: Duration,
}

#[derive(Clone, Debug)]
struct Seen {
    pid: Option<u32>,
    doing: Doing,
    place: StackFingerprint,
    /// The calls that it has completed, if it records them.
    completed: Option<u64>,
}

/// What a look shows of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Some task went on since the look before, or the job was not seen before.
    GoesOn,
    /// None did.
    Pauses(Pause),
}

/// A time in which no task went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// What holds it up.
    pub by: HeldUpBy,
    /// When it began, on the clock of the looks.
    pub since: Duration,
    /// How long it has lasted.
    pub lasted: Duration,
    /// It has lasted longer than it may.
    pub is_too_long: bool,
    /// The limit that has passed is the user's own.
    pub is_users_limit: bool,
}

/// Who holds a job up, while no task goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldUpBy {
    /// All tasks wait for each other in MPI, every one was seen, and none has a thread that is busy: nobody is left who could end it.
    EachOther(u64),
    /// These can never go on, by what all tasks have recorded: they wait for each other, or for tasks that have ended.
    Hopeless(Who),
    /// Tasks that a signal or a debugger has stopped, or that have ended; all others wait or sleep.
    Halted(Who),
    /// No task is busy. Those that sleep outside of MPI, with the call that the first of them sleeps in; nobody if all wait in MPI.
    Nobody(Who, Option<String>),
    /// These are busy, with what the first of them is; so many others wait or sleep.
    Busy(Who, String, u64),
    /// All wait in MPI, some with other threads that are busy.
    Threads(Who),
}

impl Pause {
    /// Whether it is certain that the job cannot go on by itself, or the user has said that it counts as hung.
    pub fn is_hung(&self) -> bool {
        matches!(self.by, HeldUpBy::EachOther(_) | HeldUpBy::Hopeless(_)) || self.is_users_limit
    }

    /// The pause as a sentence without its full stop. `since` is when it began, as a clock shows it.
    pub fn sentence(&self, since: &str) -> String {
        let time = format!("{} s, since {since}", self.lasted.as_secs());
        let hung = if self.is_hung() { "hung: " } else { "" };
        let said = match &self.by {
            HeldUpBy::EachOther(1) => format!("the only task waits in MPI, and has not moved for {time}"),
            HeldUpBy::EachOther(tasks) => {
                format!("all {tasks} tasks wait for each other in MPI, and none has moved for {time}")
            }
            HeldUpBy::Hopeless(who) => {
                let (wait, they) = if who.count() == 1 {
                    ("waits", "it")
                } else {
                    ("wait", "they")
                };
                format!(
                    "{who} {wait} for what can never come, by what the tasks have recorded in MPI: {they} did not move for {time}"
                )
            }
            HeldUpBy::Halted(who) => format!("{who} cannot run, and no other task has moved for {time}"),
            HeldUpBy::Nobody(who, _) if who.count() == 0 => {
                format!("all tasks that were seen wait in MPI, and none has moved for {time}")
            }
            HeldUpBy::Nobody(who, call) => {
                let call = call
                    .as_ref()
                    .map_or_else(String::new, |call| format!(" in {call}"));
                format!(
                    "{who} sleeps{call} outside of MPI, nobody computes, and no task has moved for {time}"
                )
            }
            HeldUpBy::Busy(who, does, 0) => {
                format!("{who} {does}, and no task has waited for another for {time}")
            }
            HeldUpBy::Busy(who, does, others) => {
                let whom = if who.count() == 1 { "it" } else { "them" };
                let others = match others {
                    1 => "the other one has".to_owned(),
                    _ => format!("all {others} others have"),
                };
                format!("{who} {does}, {others} waited for {whom} for {time}")
            }
            HeldUpBy::Threads(who) => {
                format!("all tasks wait in MPI, a thread of {who} computes, and none has moved for {time}")
            }
        };
        let limit = match (self.is_users_limit, &self.by) {
            (true, _) => " (the limit that was given has passed)",
            (false, HeldUpBy::Busy(..) | HeldUpBy::Threads(_)) => {
                " (an endless loop, or work that takes long: from outside they look alike)"
            }
            _ => "",
        };
        format!("{hung}{said}{limit}")
    }
}

impl Watchdog {
    /// A watchdog that bites after the given times: `still` of a job in which nobody is busy, `busy` of one that waits for those who are.
    pub fn new(still: Patience, busy: Patience) -> Self {
        Watchdog {
            still,
            busy,
            last: BTreeMap::new(),
            went_on: None,
            was_busy: Duration::ZERO,
            longest_still: Duration::ZERO,
            longest_busy: Duration::ZERO,
        }
    }

    /// Takes in what is seen `at` a time since the beginning, and what the tasks have recorded, if they do. `is_complete` says that these are all tasks of
    /// the job.
    pub fn look(
        &mut self,
        tasks: &[Task],
        recorded: Option<&Waiting>,
        is_complete: bool,
        at: Duration,
    ) -> Sight {
        let heard = Heard::of(recorded, tasks);
        let sight = self.look_at_stacks(tasks, &heard, is_complete, at);
        match heard.hopeless {
            Some((who, lasted)) => Sight::Pauses(Pause {
                by: HeldUpBy::Hopeless(who),
                since: at.saturating_sub(lasted),
                lasted,
                is_too_long: true,
                is_users_limit: false,
            }),
            None => sight,
        }
    }

    fn look_at_stacks(&mut self, tasks: &[Task], heard: &Heard, is_complete: bool, at: Duration) -> Sight {
        let mut now: BTreeMap<String, Seen> = BTreeMap::new();
        let mut moved = self.went_on.is_none() || tasks.len() != self.last.len();
        for task in tasks {
            let (doing, place) = doing::of(task);
            let before = self.last.get(&task.task);
            let seen = Seen {
                pid: task.pid,
                doing,
                place,
                completed: heard.completed(task),
            };
            match before {
                // What was seen last is what the next look is held against.
                Some(before) if seen.doing == Doing::Unseen && before.pid == seen.pid => {
                    now.insert(task.task.clone(), before.clone());
                    continue;
                }
                Some(before) => moved |= before.went_on(&seen),
                None => moved = true,
            }
            now.insert(task.task.clone(), seen);
        }
        let is_busy =
            |seen: &Seen| matches!(seen.doing, Doing::Busy(_) | Doing::Waits { with_busy: true, .. });
        let anybody_busy = now.values().any(is_busy);
        self.last = now;
        let went_on = match self.went_on {
            Some(went_on) if !moved => went_on,
            before => {
                if let Some(before) = before {
                    self.longest_busy = self.longest_busy.max(at - before);
                    self.longest_still = self.longest_still.max(at.saturating_sub(self.was_busy));
                }
                self.went_on = Some(at);
                self.was_busy = at;
                return Sight::GoesOn;
            }
        };
        if anybody_busy {
            // That somebody is busy again without that anybody went on: the pause was none of those who stand still.
            self.longest_still = self.longest_still.max(at.saturating_sub(self.was_busy));
            self.was_busy = at;
        }
        let by = self.held_up_by(tasks, is_complete);
        let (since, patience, longest) = match by {
            HeldUpBy::Busy(..) | HeldUpBy::Threads(_) => (went_on, self.busy, self.longest_busy),
            _ => (self.was_busy, self.still, self.longest_still),
        };
        let lasted = at.saturating_sub(since);
        let (limit, is_given) = match patience {
            Patience::Given(limit) => (limit, true),
            Patience::Learned(least) => {
                let longest = longest.max(heard.longest_pause.unwrap_or_default());
                (least.max(longest.saturating_mul(LONGER)), false)
            }
        };
        // Where most are busy, the others may wait for work that comes to them as it is done, at the same place each time.
        let is_likely = match &by {
            HeldUpBy::Busy(who, _, waiting) => who.count() <= *waiting,
            _ => true,
        };
        let is_too_long = lasted >= limit && (is_given || is_likely);
        Sight::Pauses(Pause {
            by,
            since,
            lasted,
            is_too_long,
            is_users_limit: is_too_long && is_given,
        })
    }

    fn held_up_by(&self, tasks: &[Task], is_complete: bool) -> HeldUpBy {
        let who = |is_meant: &dyn Fn(&Doing) -> bool| {
            let meant = tasks.iter().filter(|task| is_meant(&self.last[&task.task].doing));
            Who::new(meant, &|_| false)
        };
        let first_busy = self.last.values().find_map(|seen| match &seen.doing {
            Doing::Busy(business) => Some(business),
            _ => None,
        });
        if let Some(business) = first_busy {
            let busy = who(&|doing| matches!(doing, Doing::Busy(_)));
            let others = self.last.len() as u64 - busy.count();
            let does = business.words(busy.count() == 1);
            return HeldUpBy::Busy(busy, does, others);
        }
        let with_threads = who(&|doing| matches!(doing, Doing::Waits { with_busy: true, .. }));
        if with_threads.count() > 0 {
            return HeldUpBy::Threads(with_threads);
        }
        let halted = who(&|doing| *doing == Doing::Halted);
        if halted.count() > 0 {
            return HeldUpBy::Halted(halted);
        }
        let only_each_other = self.last.values().all(|seen| {
            matches!(
                seen.doing,
                Doing::Waits {
                    on_tasks_alone: true,
                    with_busy: false
                }
            )
        });
        if is_complete && only_each_other {
            return HeldUpBy::EachOther(self.last.len() as u64);
        }
        let asleep = who(&|doing| matches!(doing, Doing::Asleep(_)));
        let call = self.last.values().find_map(|seen| match &seen.doing {
            Doing::Asleep(call) => call.clone(),
            _ => None,
        });
        HeldUpBy::Nobody(asleep, call)
    }
}

impl Seen {
    /// Whether a task that was seen like this has gone on by `now`.
    fn went_on(&self, now: &Self) -> bool {
        match (&self.doing, &now.doing) {
            _ if self.pid != now.pid => true,
            (Doing::Unseen, _) | (_, Doing::Unseen) => false,
            // Whoever is stopped or ended does not go on by that.
            (_, Doing::Halted) => false,
            _ if self.has_completed_a_call_by(now) => true,
            (Doing::Busy(_), Doing::Busy(_)) => false,
            (Doing::Waits { .. }, Doing::Waits { .. }) | (Doing::Asleep(_), Doing::Asleep(_)) => {
                self.place.differs(&now.place)
            }
            _ => true,
        }
    }

    /// Whoever does not record, or did not at one of the looks, has completed nothing that is known.
    fn has_completed_a_call_by(&self, now: &Self) -> bool {
        self.completed
            .zip(now.completed)
            .is_some_and(|(before, now)| before != now)
    }
}

impl Business {
    fn words(&self, is_one: bool) -> String {
        let s = if is_one { "s" } else { "" };
        match self {
            Business::Computes => format!("compute{s}"),
            Business::Polls(function) => format!("ask{s} again and again by {function}"),
            Business::SystemCall(call) => format!("{} in {call}", if is_one { "is" } else { "are" }),
            Business::File(function) => format!("{} in {function}", if is_one { "is" } else { "are" }),
        }
    }
}
