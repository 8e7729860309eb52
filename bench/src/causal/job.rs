//! Made-up jobs, and how their events are delivered.

use base::{Id, Random};
use causal::{Event, EventId, Flow, GroupId, Link, Message, Operation, StreamId};

/// Microseconds that a message of the job is under way, at least, and by how much that differs.
const MESSAGE: (i64, usize) = (5, 10);
/// Microseconds that computation between messages takes.
const COMPUTATION: (i64, usize) = (20, 20);
/// Microseconds by which clocks are apart, at most.
const SKEW: usize = 40;
/// Microseconds that a buffer of events is on its way to who sorts.
const TRANSIT: (i64, usize) = (50, 300);
/// Microseconds after which a buffer is flushed though it is not full, or a heartbeat is sent.
const FLUSH: i64 = 2_000;

/// A job: the streams of its processes.
pub(crate) struct Job {
    pub(crate) streams: u32,
    pub(crate) groups: Vec<Vec<StreamId>>,
    /// The events of each process with the true time, in microseconds.
    events: Vec<Vec<(i64, Event<u32>)>>,
    random: Random,
}

/// How events come.
#[derive(Clone, Copy)]
pub(crate) enum Delivery {
    /// One of each process in turn.
    InStep,
    /// So many of each process in turn.
    Bursts(usize),
}

/// What comes from a process: an event, or, without one, the word that there was none until this time by its clock.
#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) at: i64,
    pub(crate) from: usize,
    pub(crate) time: i64,
    pub(crate) event: Option<Event<u32>>,
}

impl Job {
    fn new(streams: u32) -> Self {
        let all = Vec::from_iter((0..streams as usize).map(StreamId::from_index));
        Self {
            streams,
            groups: vec![all],
            events: vec![Vec::new(); streams as usize],
            random: Random(28),
        }
    }

    fn between(&mut self, (least, range): (i64, usize)) -> i64 {
        least + self.random.below(range) as i64
    }

    fn add(&mut self, of: usize, time: i64, local: i64, link: Link) {
        let id = EventId {
            stream: StreamId::from_index(of),
            sequence: self.events[of].len() as u64,
        };
        let event = Event {
            id,
            time: local * 1000,
            link,
            what: of as u32,
        };
        self.events[of].push((time, event));
    }

    fn message(&self, from: usize, ordinal: u64) -> Message {
        Message {
            group: GroupId::from_index(0),
            from: StreamId::from_index(from),
            to: StreamId::from_index((from + 1) % self.streams as usize),
            tag: 1,
            ordinal,
        }
    }

    /// Each process computes, sends to its neighbour and receives from the other one; each eighth round ends with a barrier.
    pub(crate) fn rounds(streams: u32, rounds: u64) -> Self {
        let mut job = Self::new(streams);
        let all = streams as usize;
        for round in 0..rounds {
            let now = round as i64 * 100;
            for of in 0..all {
                job.add(of, now, now, Link::None);
                let sends = Link::Sends(job.message(of, round));
                job.add(of, now + 1, now + 1, sends);
                let receives = Link::Receives(job.message((of + all - 1) % all, round));
                job.add(of, now + 40, now + 40, receives);
                if round % 8 == 7 {
                    let operation = Operation {
                        group: GroupId::from_index(0),
                        ordinal: round / 8,
                        flow: Flow::Everyone,
                    };
                    job.add(of, now + 50, now + 50, Link::Enters(operation));
                    job.add(of, now + 90, now + 90, Link::Leaves(operation));
                }
            }
        }
        job
    }

    /// Parts of a vector go along a ring, each process adds its own (the paper's section 3).
    pub(crate) fn ring(streams: u32, parts: u64) -> Self {
        let mut job = Self::new(streams);
        let skews = Vec::from_iter((0..streams).map(|_| job.random.below(SKEW) as i64));
        let mut free_at = vec![0_i64; streams as usize];
        let mut received_at = free_at.clone();
        for part in 0..parts {
            let mut sent_at = 0;
            for of in 0..streams as usize {
                if of > 0 {
                    let arrives = sent_at + job.between(MESSAGE);
                    free_at[of] = free_at[of].max(arrives) + 1;
                    let receives = Link::Receives(job.message(of - 1, part));
                    job.add(of, free_at[of], free_at[of] + skews[of], receives);
                    received_at[of] = free_at[of];
                }
                free_at[of] += job.between(COMPUTATION);
                let now = free_at[of];
                job.add(of, now, now + skews[of], Link::None);
                if of + 1 < streams as usize {
                    // There is room for one message between neighbours.
                    sent_at = now.max(received_at[of + 1]) + 1;
                    let sends = Link::Sends(job.message(of, part));
                    job.add(of, sent_at, sent_at + skews[of], sends);
                    free_at[of] = sent_at;
                }
            }
        }
        job
    }

    pub(crate) fn deliver(&self, delivery: Delivery) -> Vec<Event<u32>> {
        let burst = match delivery {
            Delivery::InStep => 1,
            Delivery::Bursts(burst) => burst,
        };
        let mut all = Vec::new();
        let longest = self.events.iter().map(Vec::len).max().unwrap_or(0);
        for from in (0..longest).step_by(burst) {
            for stream in &self.events {
                let part = stream.iter().skip(from).take(burst);
                all.extend(part.map(|(_, event)| *event));
            }
        }
        all
    }

    /// Events wait in buffers of so many, which are sent when they are full, and every [`FLUSH`] microseconds.
    pub(crate) fn buffered(&self, buffer: usize) -> Vec<Arrival> {
        let mut random = Random(6);
        let mut all = Vec::new();
        for (from, stream) in self.events.iter().enumerate() {
            let end = stream.last().map_or(0, |(time, _)| *time);
            let skew = stream.first().map_or(0, |(time, event)| event.time / 1000 - time);
            let (mut waiting, mut flush_at, mut last_at) = (Vec::new(), FLUSH, 0);
            let mut send = |waiting: &mut Vec<Event<u32>>, now: i64| {
                // Of one process nothing overtakes.
                last_at = (now + TRANSIT.0 + random.below(TRANSIT.1) as i64).max(last_at);
                let at = last_at;
                if waiting.is_empty() {
                    all.push(Arrival {
                        at,
                        from,
                        time: (now + skew) * 1000,
                        event: None,
                    });
                }
                all.extend(waiting.drain(..).map(|event| Arrival {
                    at,
                    from,
                    time: event.time,
                    event: Some(event),
                }));
            };
            for (time, event) in stream {
                while flush_at < *time {
                    send(&mut waiting, flush_at);
                    flush_at += FLUSH;
                }
                waiting.push(*event);
                if waiting.len() >= buffer {
                    send(&mut waiting, *time);
                }
            }
            send(&mut waiting, end + FLUSH);
            send(&mut waiting, end + FLUSH * 1000);
        }
        all.sort_by_key(|arrival| arrival.at);
        all
    }
}
