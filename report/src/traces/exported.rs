//! For the viewers of others.

use crate::clean::clean;
use engine::traces::{Paths, Step, Traces};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Folded stacks, as flame graphs are made of: the functions of a path, and how often its last one was called, by all threads.
#[must_use]
pub fn paths_folded(traces: &Traces, paths: &Paths) -> String {
    let mut text = String::new();
    for index in 1..paths.all.len() {
        let functions = paths.functions(index).into_iter();
        let names = functions.map(|function| clean(traces.name(function)).replace([';', ' '], "_"));
        let calls: u64 = paths.counts.iter().map(|counts| counts[index]).sum();
        let _ = writeln!(text, "{} {calls}", Vec::from_iter(names).join(";"));
    }
    text
}

/// All calls as a trace in Chrome's format, which Perfetto reads. Traces have no clock: an event stands at its number, as if each took a microsecond.
#[must_use]
pub fn perfetto(traces: &Traces) -> String {
    let mut text = String::from("{\"traceEvents\":[");
    let mut push = |event: &Value| {
        if !text.ends_with('[') {
            text.push(',');
        }
        let _ = write!(text, "\n{event}");
    };
    for stream in &traces.streams {
        let who = stream.who;
        let pid = who.rank.unwrap_or(who.pid);
        push(
            &json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": who.thread, "args": {"name": who.to_string()}}),
        );
        let mut time = 0_u64;
        // What is read before damage is shown; the notes tell of it.
        let _ = stream.each_step(|step| {
            match step {
                Step::Enter(function) => {
                    push(&json!({"ph": "B", "name": clean(traces.name(function)), "pid": pid, "tid": who.thread, "ts": time}));
                }
                Step::Exit => push(&json!({"ph": "E", "pid": pid, "tid": who.thread, "ts": time})),
            }
            time += 1;
        });
    }
    text.push_str("\n]}\n");
    text
}
