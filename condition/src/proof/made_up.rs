//! Conditions and streams that could have been.

use super::{Choices, Item};
use crate::event::{Event, Step};
use crate::syntax::{Call, Condition, Deed, Fact, Formula, Ranks, What, Who};
use base::RankSet;

/// The functions of the MPI that is made up.
pub(super) const CALLS: [&str; 3] = ["MPI_Send", "MPI_Recv", "MPI_Barrier"];

/// Items of a stream, at most: each is evaluated over all before it.
const ITEMS: usize = 40;

pub(super) fn condition(choices: &mut Choices<'_>) -> Condition {
    Condition {
        formula: formula(choices, 3, false),
    }
}

/// A formula, no deeper than this; `may_since` if something stands left of it.
fn formula(choices: &mut Choices<'_>, depth: usize, may_since: bool) -> Formula {
    let kind = if depth == 0 { 0 } else { choices(6) };
    match kind {
        0..=2 => Formula::Fact(fact(choices, may_since)),
        3 => Formula::Not(Box::new(formula(choices, depth - 1, may_since))),
        4 => {
            let many = 2 + choices(2);
            let part = |at| formula(choices, depth - 1, may_since || at > 0);
            Formula::And((0..many).map(part).collect())
        }
        _ => {
            let many = 2 + choices(2);
            Formula::Or(
                (0..many)
                    .map(|_| formula(choices, depth - 1, may_since))
                    .collect(),
            )
        }
    }
}

fn fact(choices: &mut Choices<'_>, may_since: bool) -> Fact {
    let set = set(choices);
    let who = match choices(6) {
        0 => Who::AtLeast(1, Ranks::Job),
        1 => Who::All(Ranks::Job),
        2 => Who::AtLeast(1 + choices(3) as u64, Ranks::Job),
        3 => Who::All(Ranks::Set(set)),
        _ => {
            let many = 1 + choices(set.len() as usize) as u64;
            Who::AtLeast(many, Ranks::Set(set))
        }
    };
    let what = match choices(6) {
        0 | 1 => What::In(call(choices), lasting(choices)),
        2 => What::Outside(lasting(choices)),
        _ => What::Has {
            deed: deed(choices),
            times: 1 + choices(3) as u64,
            since: may_since && choices(3) > 0,
        },
    };
    Fact { who, what }
}

/// Some of the ranks, and now and then one that the job has not.
fn set(choices: &mut Choices<'_>) -> RankSet {
    let first = choices(4) as u32;
    let last = first + choices(3) as u32;
    RankSet::from_ranges([(first, last)])
}

fn lasting(choices: &mut Choices<'_>) -> u64 {
    [0, 0, 1, 5, 20][choices(5)]
}

fn call(choices: &mut Choices<'_>) -> Call {
    match choices(4) {
        3 => Call::Any,
        named => Call::Named(CALLS[named].to_owned()),
    }
}

fn deed(choices: &mut Choices<'_>) -> Deed {
    let tag = |choices: &mut Choices<'_>| (choices(2) == 0).then(|| tag(choices));
    let peers = |choices: &mut Choices<'_>| (choices(2) == 0).then(|| set(choices));
    match choices(4) {
        0 => Deed::Sent(tag(choices), peers(choices)),
        1 => Deed::Received(tag(choices), peers(choices)),
        2 => Deed::Entered(call(choices)),
        _ => Deed::Left(call(choices)),
    }
}

fn tag(choices: &mut Choices<'_>) -> i64 {
    choices(2) as i64 - 1
}

pub(super) fn items(choices: &mut Choices<'_>, size: u32) -> Vec<Item> {
    let many = choices(ITEMS);
    let mut time = choices(100) as i64;
    let item = |_| {
        // Clocks go back now and then.
        time += choices(8) as i64 - 2;
        let is_event = choices(6) > 0;
        let event = is_event.then(|| event(choices, size, time));
        Item { time, event }
    };
    (0..many).map(item).collect()
}

fn event(choices: &mut Choices<'_>, size: u32, time: i64) -> Event<'static> {
    let message =
        |choices: &mut Choices<'_>| (choices(3) == 0).then(|| (choices(size as usize) as u32, tag(choices)));
    let names = ["MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Send_c"];
    // Damage may name a rank that the job has not.
    let ranks = size as usize + usize::from(choices(16) == 0);
    Event {
        rank: choices(ranks) as u32,
        thread: choices(5) as u32 / 4,
        time,
        step: [Step::Begins, Step::Begins, Step::Ends, Step::Ends, Step::Other][choices(5)],
        call: (choices(8) > 0).then(|| names[choices(4)]),
        sends: message(choices),
        receives: message(choices),
        is_after_loss: choices(16) == 0,
    }
}
