//! For the viewers of others.

use super::moments::did;
use crate::clean::clean;
use engine::traces::{Happening, Paths, Step, Traces};
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

/// All calls as a trace in Chrome's format, which Perfetto reads. Most events have no time of their own: they stand evenly between those that do, and where none does at their numbers, as if each took
/// a microsecond.
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
        let mut clock = Clock::of(stream.times());
        // What is read before damage is shown; the notes tell of it.
        let _ = stream.each_happening(|happening| match happening {
            Happening::Step(step) => {
                let time = clock.next();
                push(&match step {
                    Step::Enter(function) => {
                        json!({"ph": "B", "name": clean(traces.name(function)), "pid": pid, "tid": who.thread, "ts": time})
                    }
                    Step::Exit => json!({"ph": "E", "pid": pid, "tid": who.thread, "ts": time}),
                });
            }
            Happening::Moment(moment) => {
                if let Some(did) = did(moment.tie) {
                    push(&json!({"ph": "i", "s": "t", "name": did, "pid": pid, "tid": who.thread, "ts": microseconds(moment.time)}));
                }
            }
        });
    }
    text.push_str("\n]}\n");
    text
}

fn microseconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e3
}

/// Tells a time for each event of a thread, one behind the other.
struct Clock {
    /// Events with the times behind them.
    known: Vec<(u64, i64)>,
    /// The first of these that stands behind the event that comes next, or would.
    at: usize,
    event: u64,
}

impl Clock {
    fn of(known: Vec<(u64, i64)>) -> Self {
        Self {
            known,
            at: 0,
            event: 0,
        }
    }

    /// In microseconds.
    fn next(&mut self) -> f64 {
        self.event += 1;
        while self
            .known
            .get(self.at)
            .is_some_and(|(event, _)| *event < self.event)
        {
            self.at += 1;
        }
        let before = self.at.checked_sub(1).and_then(|before| self.known.get(before));
        match (before, self.known.get(self.at)) {
            (None, None) => (self.event - 1) as f64,
            (None, Some((_, time))) => microseconds(*time),
            // A nanosecond each: they have happened, and nobody knows when.
            (Some((event, time)), None) => microseconds(*time) + (self.event - event) as f64 / 1e3,
            (Some((event, time)), Some((next, then))) => {
                let part = (self.event - event) as f64 / (next - event) as f64;
                microseconds(*time) + part * microseconds(then - time)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn events_stand_evenly_between_those_whose_time_is_known() {
        let times = |known: &[(u64, i64)], events: usize| {
            let mut clock = Clock::of(known.to_vec());
            Vec::from_iter((0..events).map(|_| clock.next()))
        };
        assert_eq!(times(&[], 3), [0.0, 1.0, 2.0]);
        let known = [(2, 1000), (4, 5000), (4, 5500), (5, 6000)];
        assert_eq!(times(&known, 6), [1.0, 1.0, 3.0, 5.0, 6.0, 6.001]);
    }
}
