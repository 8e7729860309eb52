//! Proof by execution: runs that could have been, delivered in any order, and an oracle that knows the whole of them.
//!
//! [`whole`] delivers every event and asks for each step that just those events are put out and remembered that the complete graph says; [`with_losses`] leaves some out and asks
//! that the order holds but where the output says that it does not; [`hostile`] makes up events that no run has. One function each for tests with seeds and
//! for the fuzzer, which makes the choices out of its bytes.

mod choices;
mod hostile;
mod oracle;
mod run;

pub use choices::Choices;
pub use hostile::hostile;
pub use oracle::Oracle;
pub use run::{Run, Shape};

use crate::{EventId, Limits, Missing, Reported, Sorter, StreamId};
use base::Id;
use std::collections::BTreeMap;

/// A sort of the run's streams, to which its groups become known as they are needed.
struct Fed {
    sorter: Sorter<()>,
    known: usize,
}

impl Fed {
    fn new(run: &Run) -> Self {
        Self {
            sorter: Sorter::new(run.streams, Limits::default()),
            known: 0,
        }
    }

    /// Delivers an event of the run; whether it was taken.
    fn deliver(&mut self, run: &Run, event: usize, out: &mut Vec<Reported<()>>) -> bool {
        let event = run.events[event];
        let needed = run::group_of(event.link).map_or(0, |group| group.index() + 1);
        while self.known < needed {
            self.sorter.define(&run.groups[self.known]).unwrap();
            self.known += 1;
        }
        self.sorter.observe(event, out).is_ok()
    }
}

/// A whole run in a random order of delivery, some of it twice. Panics where the sort is not the optimal one.
pub fn whole(choices: &mut Choices<'_>, shape: Shape) {
    let run = Run::generate(choices, shape);
    let delivery = run.delivery(choices);
    let oracle = Oracle::new(&run, &delivery, &[]);
    let mut fed = Fed::new(&run);
    let mut out = Vec::new();
    for (step, &event) in delivery.iter().enumerate() {
        if choices.below(16) == 0 && step > 0 {
            let (again, before) = (delivery[choices.below(step)], fed.sorter.remembered());
            assert!(
                !fed.deliver(&run, again, &mut out),
                "{:?} is taken twice",
                run.events[again]
            );
            assert_eq!(fed.sorter.remembered(), before);
        }
        assert!(
            fed.deliver(&run, event, &mut out),
            "{:?} is refused",
            run.events[event]
        );
        oracle.check_step(step, &fed.sorter, &out);
    }
    oracle.check_order(&out);
    oracle.check_times(&out);
    assert_eq!(out.len(), run.events.len());
    assert!(out.iter().all(|reported| reported.standing.is_in_order()));
    assert!(fed.sorter.held().events.is_empty());
    fed.sorter.finish(&mut out);
    assert_eq!(out.len(), run.events.len());
    assert_eq!(fed.sorter.window(), crate::Window::default());
}

/// A run some of whose events never come, and of which some streams end early or wait no longer for what is late. Panics where something is out of order and does not say so.
pub fn with_losses(choices: &mut Choices<'_>, shape: Shape) {
    let run = Run::generate(choices, shape);
    let lost = Vec::from_iter((0..run.events.len()).filter(|_| choices.below(12) == 0));
    let mut delivery = run.delivery(choices);
    delivery.retain(|event| lost.binary_search(event).is_err());
    let oracle = Oracle::new(&run, &delivery, &lost);
    let has_deadlines = choices.below(2) == 0;
    let mut fed = Fed::new(&run);
    let (mut out, mut taken) = (Vec::new(), Vec::new());
    for (step, &event) in delivery.iter().enumerate() {
        fed.sorter.advance(step as u64);
        if fed.deliver(&run, event, &mut out) {
            taken.push(run.events[event].id);
        } else {
            assert!(has_deadlines, "{:?} is refused", run.events[event]);
        }
        if has_deadlines && choices.below(20) == 0 {
            let before = (step as u64).saturating_sub(choices.below(10) as u64);
            fed.sorter.expire(before, &mut out);
        }
        if !has_deadlines {
            oracle.check_earliest(step, &out);
        }
    }
    if !has_deadlines {
        for &event in &lost {
            let id = run.events[event].id;
            fed.sorter.lose(id.stream, id.sequence + 1, &mut out);
        }
    }
    fed.sorter.finish(&mut out);
    oracle.check_order(&out);
    check_once(&taken, &out);
    if !has_deadlines {
        oracle.check_flags(&out);
    }
    assert_eq!(fed.sorter.window(), crate::Window::default());
}

/// What was taken is put out once, each stream in its order and with times that never go back.
pub(crate) fn check_once<T>(taken: &[EventId], out: &[Reported<T>]) {
    let mut ids = Vec::from_iter(out.iter().map(|reported| reported.event.id));
    let mut last: BTreeMap<StreamId, (u64, i64)> = BTreeMap::new();
    for reported in out {
        let now = (reported.event.id.sequence, reported.time);
        if let Some(before) = last.insert(reported.event.id.stream, now) {
            assert!(before.0 < now.0 && before.1 <= now.1, "{before:?} before {now:?}");
        }
        assert!(reported.standing.missing == Missing::Nothing || !reported.standing.is_in_order());
    }
    ids.sort_unstable();
    let mut taken = taken.to_vec();
    taken.sort_unstable();
    assert_eq!(ids, taken);
}
