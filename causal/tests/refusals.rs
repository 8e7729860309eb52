//! What is refused, and why; and what is said of events that are held.

use base::Id;
use causal::{
    Error, Event, EventId, Flow, GroupId, Hold, Limits, Link, Message, Missing, Offsets, Operation, Reported,
    Sorter, StreamId,
};

fn stream(number: usize) -> StreamId {
    StreamId::from_index(number)
}

fn id(of: usize, sequence: u64) -> EventId {
    EventId {
        stream: stream(of),
        sequence,
    }
}

/// A job of some processes, whose world is its first group.
struct Job {
    sorter: Sorter<()>,
    world: GroupId,
    out: Vec<Reported<()>>,
}

impl Job {
    fn new(processes: usize) -> Self {
        let limits = Limits {
            events: 100,
            ahead: 10,
            jump: 1_000_000,
        };
        let mut sorter = Sorter::new(processes as u32, limits);
        let members = Vec::from_iter((0..processes).map(stream));
        let world = sorter.define(&members).unwrap();
        Self {
            sorter,
            world,
            out: Vec::new(),
        }
    }

    fn at(&mut self, of: usize, sequence: u64, time: i64, link: Link) -> Result<(), Error> {
        let event = Event {
            id: id(of, sequence),
            time,
            link,
            what: (),
        };
        self.sorter
            .observe(event, &mut self.out)
            .map_err(|refused| refused.why)
    }

    fn take(&mut self, of: usize, sequence: u64, link: Link) -> Result<(), Error> {
        self.at(of, sequence, sequence as i64, link)
    }

    fn message(&self, from: usize, to: usize, ordinal: u64) -> Message {
        Message {
            group: self.world,
            from: stream(from),
            to: stream(to),
            tag: 7,
            ordinal,
        }
    }

    fn operation(&self, flow: Flow) -> Operation {
        Operation {
            group: self.world,
            ordinal: 0,
            flow,
        }
    }

    fn order(&self) -> Vec<EventId> {
        self.out.iter().map(|reported| reported.event.id).collect()
    }
}

#[test]
fn a_record_that_claims_more_than_there_is() {
    let mut job = Job::new(2);
    assert_eq!(
        job.take(1_000_000, 0, Link::None),
        Err(Error::UnknownStream(stream(1_000_000)))
    );
    let all = Vec::from_iter((0..1_000_000).map(stream));
    assert_eq!(job.sorter.define(&all), Err(Error::UnknownStream(stream(2))));
    let twice = [stream(1), stream(0), stream(1)];
    assert_eq!(job.sorter.define(&twice), Err(Error::TwiceInGroup(stream(1))));
    let unknown = GroupId::from_index(9);
    let link = Link::Sends(Message {
        group: unknown,
        ..job.message(0, 1, 0)
    });
    assert_eq!(job.take(0, 0, link), Err(Error::UnknownGroup(unknown)));
    // The same event is taken without its tie.
    assert_eq!(job.take(0, 0, Link::None), Ok(()));
    assert_eq!(
        job.take(0, 2_000_000, Link::None),
        Err(Error::TooFarAhead(id(0, 2_000_000), 1))
    );
}

#[test]
fn links_that_are_told_twice_or_by_others() {
    let mut job = Job::new(3);
    let small = job.sorter.define(&[stream(2), stream(0)]).unwrap();
    let (send, receive) = (
        Link::Sends(job.message(0, 1, 0)),
        Link::Receives(job.message(0, 1, 0)),
    );
    assert_eq!(job.take(0, 0, send), Ok(()));
    assert_eq!(job.take(0, 1, send), Err(Error::ToldTwice(id(0, 1))));
    assert_eq!(job.take(2, 0, send), Err(Error::NotItsMessage(id(2, 0))));
    assert_eq!(job.take(2, 0, receive), Err(Error::NotItsMessage(id(2, 0))));
    let stranger = Link::Sends(Message {
        group: small,
        ..job.message(0, 1, 0)
    });
    assert_eq!(job.take(0, 1, stranger), Err(Error::NoMember(stream(1), small)));
    let everyone = job.operation(Flow::Everyone);
    let rooted = job.operation(Flow::FromRoot(stream(0)));
    assert_eq!(job.take(0, 1, Link::Enters(everyone)), Ok(()));
    assert_eq!(
        job.take(0, 2, Link::Enters(everyone)),
        Err(Error::ToldTwice(id(0, 2)))
    );
    assert_eq!(
        job.take(1, 0, Link::Leaves(rooted)),
        Err(Error::Contradicts(id(1, 0), rooted))
    );
    assert_eq!(job.take(1, 0, receive), Ok(()));
}

#[test]
fn streams_that_begin_anew_end_or_jump() {
    let mut job = Job::new(1);
    job.take(0, 0, Link::None).unwrap();
    job.take(0, 1, Link::None).unwrap();
    assert_eq!(job.take(0, 0, Link::None), Err(Error::Passed(id(0, 0), 2)));
    assert_eq!(job.at(0, 0, 50, Link::None), Err(Error::Restarted(stream(0))));
    let year = 365 * 24 * 3600 * 1_000_000_000;
    assert_eq!(
        job.at(0, 2, year, Link::None),
        Err(Error::TimeJumps(id(0, 2), year as u64 - 1))
    );
    job.sorter.end(stream(0), &mut job.out);
    assert_eq!(job.take(0, 2, Link::None), Err(Error::Ended(id(0, 2))));
    assert_eq!(job.order(), [id(0, 0), id(0, 1)]);
    assert_eq!(job.sorter.window(), causal::Window::default());
}

#[test]
fn more_than_may_be_held_is_refused() {
    let mut job = Job::new(2);
    let mut last = Ok(());
    for ordinal in 0..101 {
        last = job.take(1, ordinal, Link::Receives(job.message(0, 1, ordinal)));
    }
    assert_eq!(last, Err(Error::Full));
}

#[test]
fn what_is_held_says_by_what() {
    let mut job = Job::new(3);
    let everyone = job.operation(Flow::Everyone);
    job.take(0, 0, Link::Enters(everyone)).unwrap();
    job.take(0, 1, Link::Leaves(everyone)).unwrap();
    job.take(1, 0, Link::Receives(job.message(2, 1, 4))).unwrap();
    job.take(1, 1, Link::Enters(everyone)).unwrap();
    job.take(1, 3, Link::None).unwrap();
    job.take(1, 5, Link::None).unwrap();
    let held = job.sorter.held();
    let by = Vec::from_iter(held.events.iter().map(|event| (event.id, event.by.clone())));
    assert_eq!(
        by,
        [
            (id(0, 1), vec![Hold::Operation(job.world, 0)]),
            (id(1, 0), vec![Hold::Message(job.message(2, 1, 4))]),
            (id(1, 1), vec![Hold::Event(id(1, 0))]),
            (id(1, 3), vec![Hold::Gap(2..3)]),
            (id(1, 5), vec![Hold::Event(id(1, 3)), Hold::Gap(4..5)]),
        ]
    );
    let [operation] = &held.operations[..] else {
        panic!("{held:?}")
    };
    assert_eq!(
        (&operation.absent[..], &operation.held[..]),
        (&[stream(2)][..], &[id(1, 1)][..])
    );
    assert!(held.cycles().is_empty());
}

#[test]
fn what_is_late_says_so_and_so_does_what_it_overtakes() {
    let mut job = Job::new(2);
    let (send, receive) = (
        Link::Sends(job.message(0, 1, 0)),
        Link::Receives(job.message(0, 1, 0)),
    );
    job.sorter.advance(5);
    job.take(1, 0, receive).unwrap();
    job.sorter.expire(5, &mut job.out);
    assert_eq!(job.order(), []);
    job.sorter.expire(6, &mut job.out);
    assert_eq!(job.out[0].standing.missing, Missing::Late);
    job.take(0, 0, send).unwrap();
    assert!(job.out[1].standing.overtaken);
    assert_eq!(job.order(), [id(1, 0), id(0, 0)]);
}

/// Each of two processes receives what the other sends afterwards, and a third one waits for a shift that neither has to do with.
#[test]
fn a_circle_is_named_and_broken_up() {
    let mut job = Job::new(3);
    job.take(0, 0, Link::Receives(job.message(1, 0, 0))).unwrap();
    job.take(0, 1, Link::Sends(job.message(0, 1, 0))).unwrap();
    job.take(1, 0, Link::Receives(job.message(0, 1, 0))).unwrap();
    job.take(1, 1, Link::Sends(job.message(1, 0, 0))).unwrap();
    let shift = job.operation(Flow::Neighbours);
    job.take(2, 0, Link::Leaves(shift)).unwrap();
    let circle = vec![id(0, 0), id(0, 1), id(1, 0), id(1, 1)];
    assert_eq!(job.sorter.held().cycles(), [circle]);
    job.sorter.expire(u64::MAX, &mut job.out);
    let missing = Vec::from_iter(
        job.out
            .iter()
            .map(|reported| (reported.event.id, reported.standing.missing)),
    );
    assert_eq!(
        missing,
        [
            (id(2, 0), Missing::Late),
            (id(0, 0), Missing::Cycle),
            (id(0, 1), Missing::Nothing),
            (id(1, 0), Missing::Nothing),
            (id(1, 1), Missing::Nothing),
        ]
    );
}

/// A prefix holds nobody for members behind: these are in no circle with those before them.
#[test]
fn a_prefix_is_no_circle() {
    let mut job = Job::new(3);
    let prefix = job.operation(Flow::Prefix);
    job.take(1, 0, Link::Leaves(prefix)).unwrap();
    job.take(1, 1, Link::Sends(job.message(1, 2, 0))).unwrap();
    job.take(2, 0, Link::Receives(job.message(1, 2, 0))).unwrap();
    job.take(2, 1, Link::Enters(job.operation(Flow::Everyone)))
        .unwrap_err();
    job.take(2, 1, Link::Enters(prefix)).unwrap();
    assert!(job.sorter.held().cycles().is_empty());
    job.take(0, 0, Link::Enters(prefix)).unwrap();
    assert_eq!(job.order(), [id(0, 0), id(1, 0), id(1, 1), id(2, 0), id(2, 1)]);
}

/// The clock of process 1 is 1,000 ahead: messages both ways, on the way for 10 and 30, leave 40 of doubt. That of process 2 is told by way of process 1.
#[test]
fn clocks_are_bounded_by_messages_both_ways() {
    let mut job = Job::new(4);
    let mut offsets = Offsets::default();
    let send = |from, to| {
        Link::Sends(Message {
            tag: 0,
            ..job.message(from, to, 0)
        })
    };
    let receive = |from, to| {
        Link::Receives(Message {
            tag: 0,
            ..job.message(from, to, 0)
        })
    };
    let events = [
        (0, 0, 100, send(0, 1)),
        (1, 0, 1110, receive(0, 1)),
        (1, 1, 1200, send(1, 0)),
        (0, 1, 230, receive(1, 0)),
        (1, 2, 1300, send(1, 2)),
        (2, 0, 305 - 500, receive(1, 2)),
        (2, 1, 400 - 500, send(2, 1)),
        (1, 3, 1405, receive(2, 1)),
        (0, 2, 500, send(0, 3)),
        (3, 0, 0, receive(0, 3)),
    ];
    for (of, sequence, time, link) in events {
        job.at(of, sequence, time, link).unwrap();
    }
    job.out.iter().for_each(|reported| offsets.observe(reported));
    let bounds = offsets.bounds(4).unwrap();
    let known = Vec::from_iter(
        bounds
            .iter()
            .map(|bound| bound.map(|bound| (bound.least, bound.most))),
    );
    assert_eq!(known, [Some((0, 0)), Some((970, 1010)), Some((-535, -485)), None]);
    assert_eq!(bounds[1].map(causal::Offset::correction), Some(-990));
}
