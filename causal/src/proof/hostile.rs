//! Events that no run has: of streams that there are not, twice, with links that contradict each other or go in circles.

use super::{Choices, check_once};
use crate::{
    Error, Event, EventId, Flow, GroupId, Limits, Link, Message, Missing, Operation, Sorter, StreamId, Window,
};
use base::Id;

/// Streams of a made-up job.
const STREAMS: usize = 4;
/// Events, at most: what is held is looked at again and again.
const MOST: usize = 400;

fn stream(choices: &mut Choices<'_>) -> StreamId {
    // Rarely one that there is not.
    let bound = if choices.below(64) == 0 { 1 << 16 } else { STREAMS };
    StreamId::from_index(choices.below(bound))
}

fn group(choices: &mut Choices<'_>) -> GroupId {
    GroupId::from_index(choices.below(3))
}

fn time(choices: &mut Choices<'_>) -> i64 {
    match choices.below(40) {
        0 => i64::MAX - choices.below(3) as i64,
        1 => i64::MIN + choices.below(3) as i64,
        _ => choices.below(1000) as i64,
    }
}

fn link(choices: &mut Choices<'_>, own: StreamId) -> Link {
    let ordinal = choices.below(3) as u64;
    match choices.below(6) {
        0 | 1 => {
            let message = |from, to, choices: &mut Choices<'_>| Message {
                group: group(choices),
                from,
                to,
                tag: choices.below(2) as i64,
                ordinal,
            };
            let other = stream(choices);
            match choices.below(9) {
                0 => Link::Sends(message(other, own, choices)),
                1..=4 => Link::Sends(message(own, other, choices)),
                _ => Link::Receives(message(other, own, choices)),
            }
        }
        2..=4 => {
            let flow = match choices.below(5) {
                0 => Flow::Everyone,
                1 => Flow::FromRoot(stream(choices)),
                2 => Flow::ToRoot(stream(choices)),
                3 => Flow::Neighbours,
                _ => Flow::Prefix,
            };
            let operation = Operation {
                group: group(choices),
                ordinal,
                flow,
            };
            match choices.below(2) {
                0 => Link::Enters(operation),
                _ => Link::Leaves(operation),
            }
        }
        _ => Link::None,
    }
}

/// Whatever comes, what is taken is put out once, in the order of its stream, and nothing of it is left at the end. A refusal changes nothing.
pub fn hostile(choices: &mut Choices<'_>) {
    let limits = Limits {
        events: MOST / 2,
        ahead: 16,
        jump: u64::MAX >> choices.below(60),
    };
    let mut sorter = Sorter::<()>::new(STREAMS as u32, limits);
    let all = Vec::from_iter((0..STREAMS).map(StreamId::from_index));
    let some = Vec::from_iter((0..1 + choices.below(STREAMS)).map(|_| stream(choices)));
    assert!(sorter.define(&all).is_ok());
    assert!(sorter.define(&[]) == Err(Error::EmptyGroup));
    let _ = sorter.define(&some);
    let (mut out, mut taken) = (Vec::new(), Vec::new());
    let mut sequences = [0_u64; STREAMS];
    for now in 0..MOST as u64 {
        if choices.is_over() {
            break;
        }
        sorter.advance(now);
        match choices.below(40) {
            0 => sorter.end(stream(choices), &mut out),
            1 => sorter.lose(stream(choices), choices.below(30) as u64, &mut out),
            2 => sorter.expire(now.saturating_sub(choices.below(20) as u64), &mut out),
            3 if choices.below(8) == 0 => sorter.retire(group(choices)),
            _ => {
                let own = stream(choices);
                let next = sequences.get(own.index()).copied().unwrap_or(0);
                let sequence = match choices.below(16) {
                    0 => choices.below(40) as u64,
                    1 => u64::MAX - choices.below(2) as u64,
                    _ => next,
                };
                let event = Event {
                    id: EventId {
                        stream: own,
                        sequence,
                    },
                    time: time(choices),
                    link: link(choices, own),
                    what: (),
                };
                let before = (sorter.window(), sorter.remembered());
                match sorter.observe(event, &mut out) {
                    Ok(()) => {
                        taken.push(event.id);
                        sequences[own.index()] = next.max(sequence + 1);
                    }
                    Err(refused) => {
                        assert_eq!(refused.event, event);
                        assert!(!refused.to_string().is_empty());
                        assert_eq!((sorter.window(), sorter.remembered()), before, "{refused}");
                    }
                }
            }
        }
    }
    let held = sorter.held();
    assert_eq!(held.events.len(), sorter.window().unreported);
    assert!(held.events.iter().all(|event| !event.by.is_empty()));
    sorter.expire(u64::MAX, &mut out);
    assert_eq!(sorter.window().unreported, 0);
    sorter.finish(&mut out);
    assert_eq!(sorter.window(), Window::default());
    check_once(&taken, &out);
    let has_cycle = out
        .iter()
        .any(|reported| reported.standing.missing == Missing::Cycle);
    assert!(!has_cycle || out.iter().any(|reported| reported.standing.overtaken));
}
