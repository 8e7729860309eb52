//! The definitions, word by word, over the whole stream: nothing is remembered from item to item but where the condition was armed.

use super::Item;
use crate::event::{Event, Step};
use crate::syntax::{Call, Deed, Fact, Formula, Ranks, What, Who};
use crate::watch::Holds;

/// What stands left of a formula in the innermost `and` of which it is not the first operand, with what stands left of that one.
#[derive(Clone, Copy)]
struct Left<'f> {
    operands: &'f [Formula],
    outer: Option<&'f Left<'f>>,
}

/// A stream up to one of its items; item 0 stands before all.
#[derive(Clone, Copy)]
struct Prefix<'i> {
    items: &'i [Item],
    upto: usize,
    /// The item at which the condition was armed.
    armed: usize,
    size: u32,
}

/// What a formula comes to at each item.
pub(super) fn holds(formula: &Formula, items: &[Item], size: u32) -> Vec<Holds> {
    let mut armed = 0;
    let at = |upto, armed| {
        let prefix = Prefix {
            items,
            upto,
            armed,
            size,
        };
        is_true(formula, prefix, None)
    };
    let mut out = Vec::new();
    for upto in 1..=items.len() {
        // Before the first item nothing has held.
        let held = upto > 1 && at(upto - 1, armed);
        out.push(match (held, at(upto, armed)) {
            (_, false) => Holds::No,
            (true, true) => Holds::Still,
            (false, true) => {
                armed = upto;
                Holds::ComesTrue
            }
        });
    }
    out
}

fn is_true(formula: &Formula, prefix: Prefix<'_>, left: Option<&Left<'_>>) -> bool {
    match formula {
        Formula::Fact(fact) => is_fact(fact, prefix, left),
        Formula::Not(inner) => !is_true(inner, prefix, left),
        Formula::Or(parts) => parts.iter().any(|part| is_true(part, prefix, left)),
        Formula::And(parts) => all(parts, prefix, left),
    }
}

fn all(parts: &[Formula], prefix: Prefix<'_>, left: Option<&Left<'_>>) -> bool {
    parts.iter().enumerate().all(|(at, part)| {
        let own = Left {
            operands: &parts[..at],
            outer: left,
        };
        is_true(part, prefix, if at == 0 { left } else { Some(&own) })
    })
}

fn is_fact(fact: &Fact, prefix: Prefix<'_>, left: Option<&Left<'_>>) -> bool {
    // Of what stands left of it, the first item from which on it has held.
    let counted_from = match (&fact.what, left) {
        (What::Has { since: true, .. }, Some(left)) => {
            let held = |upto: &usize| {
                all(
                    left.operands,
                    Prefix {
                        upto: *upto,
                        ..prefix
                    },
                    left.outer,
                )
            };
            match (prefix.armed..=prefix.upto).rev().take_while(held).last() {
                Some(first) => first,
                None => return false,
            }
        }
        _ => prefix.armed,
    };
    let is_so = |rank: &u32| match &fact.what {
        What::In(call, least) => prefix.lasts(*least, |at| at.is_in(*rank, call)),
        What::Outside(least) => prefix.lasts(*least, |at| !at.is_in(*rank, &Call::Any)),
        What::Has { deed, times, .. } => {
            let counted = &prefix.items[counted_from.min(prefix.upto)..prefix.upto];
            let own = counted.iter().filter_map(|item| item.event.as_ref());
            let deeds = own.filter(|event| event.rank == *rank && does(event, deed));
            deeds.count() as u64 >= *times
        }
    };
    let those = Vec::from_iter((0..prefix.size).filter(|rank| fact.who.ranks().contain(*rank)));
    let many = those.iter().filter(|rank| is_so(rank)).count() as u64;
    match &fact.who {
        Who::AtLeast(least, _) => many >= *least,
        Who::All(Ranks::Job) => many == u64::from(prefix.size),
        Who::All(Ranks::Set(set)) => many == set.len(),
    }
}

impl Prefix<'_> {
    /// The clock at the item up to which it goes, or at the first one.
    fn clock(self) -> Option<i64> {
        let items = &self.items[..self.upto.max(1).min(self.items.len())];
        items.iter().map(|item| item.time).max()
    }

    fn lasts(self, least: u64, is_so: impl Fn(Self) -> bool) -> bool {
        let held = |upto: &usize| is_so(Self { upto: *upto, ..self });
        let Some(since) = (0..=self.upto).rev().take_while(held).last() else {
            return false;
        };
        let began = Self { upto: since, ..self };
        match (self.upto, self.clock(), began.clock()) {
            (0, ..) | (_, None, _) | (_, _, None) => least == 0,
            (_, Some(now), Some(then)) => now - then >= least as i64,
        }
    }

    fn is_in(self, rank: u32, call: &Call) -> bool {
        let own = self.items[..self.upto].iter();
        let own = Vec::from_iter(
            own.filter_map(|item| item.event.as_ref())
                .filter(|event| event.rank == rank),
        );
        let threads = own.iter().map(|event| event.thread).max().unwrap_or(0);
        (0..=threads).any(|thread| {
            (0..own.len()).any(|from| {
                let part = &own[from..];
                let is_whole = part.iter().skip(1).all(|event| !event.is_after_loss);
                let many = |step| {
                    let fits = |event: &&&Event<'_>| {
                        event.thread == thread
                            && event.step == step
                            && event.call.is_some_and(|name| is_call(call, name))
                    };
                    part.iter().filter(fits).count()
                };
                is_whole && many(Step::Begins) > many(Step::Ends)
            })
        })
    }
}

fn is_call(call: &Call, name: &str) -> bool {
    match call {
        Call::Any => true,
        Call::Named(own) => name == own || name == format!("{own}_c"),
    }
}

fn does(event: &Event<'_>, deed: &Deed) -> bool {
    let (step, call) = match deed {
        Deed::Sent(tag, to) => {
            return event.sends.is_some_and(|(peer, own)| {
                (tag.is_none() || *tag == Some(own)) && to.iter().all(|to| to.iter().any(|rank| rank == peer))
            });
        }
        Deed::Received(tag, from) => {
            return event.receives.is_some_and(|(peer, own)| {
                (tag.is_none() || *tag == Some(own))
                    && from.iter().all(|from| from.iter().any(|rank| rank == peer))
            });
        }
        Deed::Entered(call) => (Step::Begins, call),
        Deed::Left(call) => (Step::Ends, call),
    };
    event.step == step && event.call.is_some_and(|name| is_call(call, name))
}
