//! Main threads that all wait for threads of their own: what those threads do tells who stands out.
//!
//! The order compares main threads, and where these stand alike, or the iteration of their loop is not known, it names nobody. But where the threads of
//! most tasks wait in MPI, and those of a few do something else, the few are whom a person would look at first. That is no proof: their
//! counterparts may be in a later iteration, or in an earlier one.

use crate::Who;
use crate::answer::{Activity, Certainty, Finding, Grounds, Position, TaskClass, Witness};
use crate::finding::{calls_of, stand_out, waits};
use crate::threads::{ThreadActivity, ThreadGroup};

/// The tasks of which some thread neither waits nor helps a library, if all other tasks have a thread that waits for other tasks, and these are
/// few.
pub(crate) fn of(classes: &[TaskClass], doubt: String) -> Option<Finding> {
    let joins = |class: &TaskClass| matches!(class.position.activity, Activity::Joining(_));
    if classes.is_empty() || !classes.iter().all(joins) {
        return None;
    }
    let (mut outside, mut waiting) = (Vec::new(), Vec::new());
    for (at, class) in classes.iter().enumerate() {
        for (group, position) in class.threads.iter().filter_map(working) {
            match &position.activity {
                activity if waits(activity) => waiting.push((group, position)),
                // It waits for other threads of its task, as the main one does.
                Activity::Joining(_) => {}
                _ => outside.push((at, group, position)),
            }
        }
    }
    let who = Who::of_all(outside.iter().map(|(_, group, _)| &group.who));
    let others = Who::of_all(waiting.iter().map(|(group, _)| &group.who));
    let total: u64 = classes.iter().map(|class| class.who.count()).sum();
    let all_others_wait = others.count() - others.in_common(&who) == total - who.count();
    if !all_others_wait || !stand_out(&who, total) {
        return None;
    }
    let (_, first, doing) = outside.first()?;
    let mut named = Vec::from_iter(outside.iter().map(|(at, ..)| *at));
    named.dedup();
    let others_in = waiting
        .iter()
        .map(|(group, position)| (&position.activity, group.who.count()));
    let others_in = calls_of(others_in);
    Some(Finding {
        certainty: Certainty::Probable,
        by: Witness::State,
        classes: named,
        who,
        grounds: Grounds::ThreadAlone {
            first: first.first.clone(),
            doing: Box::new((*doing).clone()),
            others_in,
        },
        doubt: Some(doubt),
        remedy: None,
    })
}

/// A group of threads that are in the program's code, and where they stand.
fn working(group: &ThreadGroup) -> Option<(&ThreadGroup, &Position)> {
    match &group.doing {
        ThreadActivity::Working(position) => Some((group, position)),
        ThreadActivity::Helper(_) | ThreadActivity::Unreadable(_) => None,
    }
}
