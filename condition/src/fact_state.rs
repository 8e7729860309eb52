//! Of which ranks one fact is true, kept up to date event by event.

use crate::event::{Event, Step};
use crate::syntax::{Call, Deed, Fact, Ranks, What, Who};
use base::RankSet;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Of which ranks a fact is true.
#[derive(Debug)]
pub(crate) struct FactState {
    /// How many of them it has to be true of.
    needed: u64,
    ranks: Ranks,
    true_of: BTreeSet<u32>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    State(State),
    Count(Count),
}

/// A fact about what ranks are in.
#[derive(Debug)]
struct State {
    call: Call,
    /// It is the contrary that is asked for: being in no call.
    is_outside: bool,
    least: u64,
    /// How often each thread is in the call, where it is at all.
    depth: BTreeMap<(u32, u32), u64>,
    /// When the state began of ranks that are in it; `None` before the first item.
    began: BTreeMap<u32, Option<i64>>,
    /// Ranks that have been in the state for too short a time yet, by when it will be long enough.
    due: BTreeSet<(i64, u32)>,
}

/// A fact about what ranks have done.
#[derive(Debug)]
struct Count {
    deed: Deed,
    times: u64,
    counts: BTreeMap<u32, u64>,
}

impl FactState {
    pub(crate) fn new(fact: &Fact, size: u32) -> Self {
        let ranks = fact.who.ranks().clone();
        let kind = match &fact.what {
            What::In(call, least) => Kind::State(State::new(call.clone(), false, *least)),
            What::Outside(least) => Kind::State(State::new(Call::Any, true, *least)),
            What::Has { deed, times, .. } => Kind::Count(Count {
                deed: deed.clone(),
                times: *times,
                counts: BTreeMap::new(),
            }),
        };
        let mut fact = Self {
            needed: match (&fact.who, &ranks) {
                (Who::AtLeast(many, _), _) => *many,
                (Who::All(_), Ranks::Set(set)) => set.len(),
                (Who::All(_), Ranks::Job) => size.into(),
            },
            ranks,
            true_of: BTreeSet::new(),
            kind,
        };
        if let Kind::State(state) = &mut fact.kind
            && state.is_outside
        {
            // Nobody has begun anything yet.
            for rank in (0..size).filter(|rank| fact.ranks.contain(*rank)) {
                state.began.insert(rank, None);
                if state.least == 0 {
                    fact.true_of.insert(rank);
                }
            }
        }
        fact
    }

    pub(crate) fn holds(&self) -> bool {
        self.true_of.len() as u64 >= self.needed
    }

    /// The ranks that it is true of.
    pub(crate) fn true_of(&self) -> RankSet {
        self.true_of.iter().copied().collect()
    }

    /// The first item has come, whose clock this is: what held before it holds since then.
    pub(crate) fn begin(&mut self, clock: i64) {
        let Kind::State(state) = &mut self.kind else {
            return;
        };
        let due = due_after(clock, state.least);
        for (rank, began) in &mut state.began {
            *began = Some(clock);
            if state.least > 0 {
                state.due.insert((due, *rank));
            }
        }
    }

    /// What an event changes.
    pub(crate) fn observe(&mut self, event: &Event<'_>, clock: i64) {
        if !self.ranks.contain(event.rank) {
            return;
        }
        match &mut self.kind {
            Kind::State(state) => state.observe(event, clock, &mut self.true_of),
            Kind::Count(count) => {
                if !count.deed.is(event) {
                    return;
                }
                let own = count.counts.entry(event.rank).or_default();
                *own += 1;
                if *own >= count.times {
                    self.true_of.insert(event.rank);
                }
            }
        }
    }

    /// What the passing of time changes.
    pub(crate) fn pass(&mut self, clock: i64) {
        let Kind::State(state) = &mut self.kind else {
            return;
        };
        while let Some(&(due, rank)) = state.due.first()
            && due <= clock
        {
            state.due.pop_first();
            self.true_of.insert(rank);
        }
    }

    /// Counts anew.
    pub(crate) fn forget(&mut self) {
        if let Kind::Count(count) = &mut self.kind {
            count.counts.clear();
            self.true_of.clear();
        }
    }
}

impl State {
    fn new(call: Call, is_outside: bool, least: u64) -> Self {
        Self {
            call,
            is_outside,
            least,
            depth: BTreeMap::new(),
            began: BTreeMap::new(),
            due: BTreeSet::new(),
        }
    }

    fn observe(&mut self, event: &Event<'_>, clock: i64, true_of: &mut BTreeSet<u32>) {
        let rank = event.rank;
        let all = (rank, 0)..=(rank, u32::MAX);
        if event.is_after_loss {
            self.depth.retain(|thread, _| thread.0 != rank);
        }
        if event.call.is_some_and(|name| self.call.is(name)) {
            let thread = (rank, event.thread);
            match event.step {
                Step::Begins => *self.depth.entry(thread).or_default() += 1,
                Step::Ends => {
                    if let Some(depth) = self.depth.get_mut(&thread) {
                        *depth -= 1;
                        if *depth == 0 {
                            self.depth.remove(&thread);
                        }
                    }
                }
                Step::Other => {}
            }
        }
        let is_in = self.depth.range(all).next().is_some();
        if is_in == self.is_outside {
            if let Some(Some(began)) = self.began.remove(&rank) {
                self.due.remove(&(due_after(began, self.least), rank));
            }
            true_of.remove(&rank);
        } else if let Entry::Vacant(began) = self.began.entry(rank) {
            began.insert(Some(clock));
            if self.least == 0 {
                true_of.insert(rank);
            } else {
                self.due.insert((due_after(clock, self.least), rank));
            }
        }
    }
}

/// When a state that began then will have lasted for at least so long.
fn due_after(began: i64, least: u64) -> i64 {
    began.saturating_add(i64::try_from(least).unwrap_or(i64::MAX))
}

impl Deed {
    /// Whether an event is such a deed.
    pub(crate) fn is(&self, event: &Event<'_>) -> bool {
        let message = |message: Option<(u32, i64)>, tag: &Option<i64>, peers: &Option<RankSet>| {
            message.is_some_and(|(peer, own)| {
                tag.is_none_or(|tag| tag == own) && peers.as_ref().is_none_or(|peers| peers.contains(peer))
            })
        };
        let called = |call: &Call| event.call.is_some_and(|name| call.is(name));
        match self {
            Self::Sent(tag, to) => message(event.sends, tag, to),
            Self::Received(tag, from) => message(event.receives, tag, from),
            Self::Entered(call) => event.step == Step::Begins && called(call),
            Self::Left(call) => event.step == Step::Ends && called(call),
        }
    }
}
