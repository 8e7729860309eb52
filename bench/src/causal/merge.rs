//! What the sort is compared with: a merge by time stamps, which waits until something of each process is there, but no longer than its patience.

use crate::job::Arrival;
use causal::{Event, Link, Message};
use std::collections::{BTreeSet, VecDeque};

/// Microseconds that the merge waits for a process of which nothing is there.
const PATIENCE: i64 = 200;

/// What a merge comes to.
pub(crate) struct Merged {
    /// Messages whose end comes before their beginning.
    pub(crate) backwards: usize,
    pub(crate) messages: usize,
    /// Events that are held, on the average over the arrivals of events.
    pub(crate) delay: f64,
}

/// How many messages are received before they are sent, of how many.
pub(crate) fn backwards(events: impl IntoIterator<Item = Event<u32>>) -> (usize, usize) {
    let mut sent: BTreeSet<Message> = BTreeSet::new();
    let (mut backwards, mut messages) = (0, 0);
    for event in events {
        match event.link {
            Link::Sends(message) => drop(sent.insert(message)),
            Link::Receives(message) => {
                messages += 1;
                backwards += usize::from(!sent.remove(&message));
            }
            _ => {}
        }
    }
    (backwards, messages)
}

pub(crate) fn by_time_stamps(streams: u32, arrivals: &[Arrival]) -> Merged {
    let mut queues: Vec<VecDeque<Arrival>> = vec![VecDeque::new(); streams as usize];
    let mut out = Vec::new();
    let (mut held, mut sum, mut events) = (0_usize, 0_usize, 0_usize);
    for arrival in arrivals {
        queues[arrival.from].push_back(*arrival);
        held += usize::from(arrival.event.is_some());
        loop {
            let first = queues.iter().filter_map(|queue| queue.front());
            let Some(oldest) = first.min_by_key(|first| first.time).copied() else {
                break;
            };
            let is_complete = queues.iter().all(|queue| !queue.is_empty());
            if !is_complete && arrival.at - oldest.at < PATIENCE {
                break;
            }
            queues[oldest.from].pop_front();
            if let Some(event) = oldest.event {
                held -= 1;
                out.push(event);
            }
        }
        if arrival.event.is_some() {
            events += 1;
            sum += held;
        }
    }
    let rest = queues.into_iter().flatten().filter_map(|arrival| arrival.event);
    out.extend(rest);
    let (backwards, messages) = backwards(out);
    Merged {
        backwards,
        messages,
        delay: sum as f64 / events as f64,
    }
}
