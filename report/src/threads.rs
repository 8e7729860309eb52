//! The threads of a class besides the main ones, as text: what works is shown with its stack, idle workers and helpers
//! are one line each.

use crate::clean::clean;
use crate::names::Names;
use crate::stack::frames;
use crate::style::{FAINT, HINDMOST, TITLE, paint};
use crate::text::{counted, describe};
use engine::{SharedObject, TaskClass, ThreadActivity, ThreadGroup};
use std::fmt::Write as _;

/// How many groups are shown with their stacks before the rest is only counted.
const SPELLED_OUT: usize = 4;

/// What the class's other threads do; nothing when there are none.
pub(crate) fn threads(out: &mut String, class: &TaskClass, names: Names) -> std::fmt::Result {
    let is_helper = |group: &&ThreadGroup| matches!(group.doing, ThreadActivity::Helper(_));
    let (helpers, others): (Vec<_>, Vec<_>) = class.threads.iter().partition(is_helper);
    for group in others.iter().take(SPELLED_OUT) {
        let of = of(class, group);
        match &group.doing {
            ThreadActivity::Working(position) => {
                let threads = plural(group.threads, "thread", "threads");
                let text = format!("{of}{threads} {}", describe(position));
                writeln!(out, "       {}", paint(TITLE, clean(&text)))?;
                let mut stack = String::new();
                frames(&mut stack, &group.frames, position.call.as_ref(), names)?;
                stack.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
            }
            ThreadActivity::Unreadable(why) => {
                let threads = plural(group.threads, "thread", "threads");
                writeln!(
                    out,
                    "       {}",
                    paint(FAINT, clean(&format!("{of}{threads} not readable: {why}")))
                )?;
            }
            ThreadActivity::Helper(_) => {}
        }
    }
    if let Some(more @ 1..) = others.len().checked_sub(SPELLED_OUT) {
        let places = counted(more, "more place", "more places");
        writeln!(out, "       threads at {places}")?;
    }
    // The same few in every task: one line is enough.
    let helpers = helpers.into_iter().filter_map(|group| match &group.doing {
        ThreadActivity::Helper(library) => {
            Some(format!("{}{}", of(class, group), helper(group.threads, library)))
        }
        _ => None,
    });
    let helpers = Vec::from_iter(helpers).join("; ");
    if !helpers.is_empty() {
        writeln!(out, "       {}", paint(FAINT, clean(&helpers)))?;
    }
    Ok(())
}

/// Which threads are behind those of other tasks, one line for each.
pub(crate) fn behind(out: &mut String, class: &TaskClass, indent: &str) -> std::fmt::Result {
    for found in class.threads_behind.iter().take(SPELLED_OUT) {
        let at = format!("{}, a thread {}", found.who, describe(&found.position));
        writeln!(
            out,
            "{indent}{} {}",
            paint(TITLE, "by their threads:"),
            paint(HINDMOST, clean(&at))
        )?;
        let why = format!("behind {}: {}", found.ahead, found.reason);
        writeln!(out, "{indent}  {}", clean(&why))?;
    }
    Ok(())
}

/// What the threads do for which the main threads of a class wait; empty when there are none that work.
pub(crate) fn instead(class: &TaskClass) -> String {
    let working = class.threads.iter().find_map(|group| match &group.doing {
        ThreadActivity::Working(position) => Some((group.threads, position)),
        _ => None,
    });
    working.map_or_else(String::new, |(count, position)| {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "; {} {}",
            plural(count, "thread", "threads"),
            describe(position)
        );
        text
    })
}

fn helper(count: u64, library: &str) -> String {
    if engine::shared_object(library) == Some(SharedObject::OpenMp) {
        let waits = if count == 1 { "waits" } else { "wait" };
        return format!(
            "{} {waits} in {library}",
            plural(count, "worker thread", "worker threads")
        );
    }
    format!(
        "{} in {library}",
        plural(count, "helper thread", "helper threads")
    )
}

/// Whose threads they are, if not all tasks of the class have such.
fn of(class: &TaskClass, group: &ThreadGroup) -> String {
    if group.who == class.who {
        String::new()
    } else {
        format!("{}: ", group.who)
    }
}

fn plural(count: u64, one: &str, many: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), one, many)
}
