//! What the kernel says of tasks, in words.

use engine::{ClassState, Halted, HaltedBy, RunState, StateGroup, Who};

/// Why tasks cannot run, as a sentence with its full stop, and what resumes them.
pub(crate) fn halted(halted: &Halted) -> String {
    let is_are = if halted.who.count() == 1 { "is" } else { "are" };
    let who = crate::headline::capital(&halted.who.to_string());
    let process = match (halted.pid, halted.who.count()) {
        (Some(pid), 1) => format!("{pid}"),
        (Some(pid), _) => format!("{pid} …"),
        (None, _) => "PID".to_owned(),
    };
    match &halted.why {
        HaltedBy::Signal => {
            format!(
                "{who} {is_are} stopped (SIGSTOP, a terminal, or a debugger): `kill -CONT {process}` resumes."
            )
        }
        HaltedBy::Tracer(Some(tracer)) => {
            format!(
                "{who} {is_are} stopped by process {tracer}, which traces it (a debugger): let it go on there."
            )
        }
        HaltedBy::Tracer(None) => {
            format!("{who} {is_are} stopped by a tracer (a debugger): let it go on there.")
        }
        HaltedBy::Kernel(Some(place)) if is_vfork(place) => format!(
            "{who} {is_are} in vfork(), state D: what it started has neither become another program (exec) nor ended."
        ),
        HaltedBy::Kernel(Some(place)) => format!(
            "{who} {is_are} in an uninterruptible system call ({place} in the kernel; state D): often disk or network storage."
        ),
        HaltedBy::Kernel(None) => {
            format!(
                "{who} {is_are} in an uninterruptible system call (state D): often disk or network storage."
            )
        }
        HaltedBy::Ended => format!(
            "{who} {} ended: whoever waits for {} waits for ever.",
            if halted.who.count() == 1 { "has" } else { "have" },
            if halted.who.count() == 1 { "it" } else { "them" },
        ),
    }
}

/// Whether a function of the kernel, in which a process cannot be interrupted, is the one that waits for what `vfork` has started.
fn is_vfork(place: &str) -> bool {
    matches!(
        place,
        "kernel_clone" | "_do_fork" | "do_fork" | "wait_for_vfork_done"
    )
}

/// The state of a class on one line: `1 running; pid 4711; 12.3 s of processor time`.
pub(crate) fn of_class(state: &ClassState, who: &Who) -> String {
    let groups = Vec::from_iter(state.groups.iter().map(|group| of_group(group, who.count() == 1)));
    let mut parts = vec![groups.join(", ")];
    let pids = Vec::from_iter(state.pids.iter().map(u32::to_string)).join(", ");
    let more = if who.count() > state.pids.len() as u64 {
        ", …"
    } else {
        ""
    };
    match state.pids.len() {
        0 => {}
        1 => parts.push(format!("pid {pids}{more}")),
        _ => parts.push(format!("pids {pids}{more}")),
    }
    if let Some(cpu) = state.cpu_ms {
        let since = state
            .cpu_ms_since
            .map(|since| format!(", {} of it since the first look", seconds(since)));
        parts.push(format!(
            "{} of processor time{}",
            seconds(cpu),
            since.unwrap_or_default()
        ));
    }
    if let Some(holder) = &state.lock {
        parts.push(format!("thread {} holds the lock", holder.thread));
    }
    parts.join("; ")
}

fn of_group(group: &StateGroup, only_one: bool) -> String {
    let does = match (group.run, &group.system_call, &group.wait_channel) {
        (RunState::Running, ..) => "running".to_owned(),
        (RunState::Sleeping, Some(call), _) => format!("sleeping in {call}"),
        (RunState::Sleeping, None, _) => "sleeping".to_owned(),
        (RunState::Uninterruptible, _, Some(place)) => format!("in D (uninterruptible, in {place})"),
        (RunState::Uninterruptible, Some(call), None) => format!("in D (uninterruptible, in {call})"),
        (RunState::Uninterruptible, None, None) => "in D (uninterruptible)".to_owned(),
        (RunState::Stopped, ..) => "stopped".to_owned(),
        (RunState::Traced, ..) => "stopped by a tracer".to_owned(),
        (RunState::Ended, ..) => "without its main thread".to_owned(),
        (RunState::Other, ..) => "in a state that is not known".to_owned(),
    };
    if only_one {
        does
    } else {
        format!("{} {does}", group.tasks)
    }
}

fn seconds((least, most): (u64, u64)) -> String {
    let tenths = |ms: u64| format!("{}.{}", ms / 1000, ms % 1000 / 100);
    if tenths(least) == tenths(most) {
        format!("{} s", tenths(most))
    } else {
        format!("{} to {} s", tenths(least), tenths(most))
    }
}
