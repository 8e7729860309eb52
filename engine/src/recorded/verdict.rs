//! What a wait graph comes to: what there is to say first, whom that names, and whether it is certain.

use super::{Certainty, Edge, How, Mismatch, Rank, Transfer, Waiting, Why};
use std::collections::BTreeSet;

/// What the wait graph comes to, the gravest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// These wait for each other, and nobody else can help them; not proven if some of them ask again and again and may do something else between.
    Deadlock(Vec<Rank>, Certainty),
    /// The first waits for the second, which has ended, or ends, its use of MPI; not proven if the library may let the call go on that it waits in.
    Gone(Rank, Rank, Certainty),
    /// Two tasks are in one collective operation and called different ones.
    Mismatch(Mismatch),
    /// All that wait, wait for these, which wait for nobody.
    Awaited(Vec<Rank>),
    /// Nobody waits for anybody.
    Nobody,
}

impl Verdict {
    /// The tasks that it is about.
    #[must_use]
    pub fn ranks(&self) -> Vec<Rank> {
        match self {
            Verdict::Deadlock(ranks, _) | Verdict::Awaited(ranks) => ranks.clone(),
            Verdict::Gone(waiter, on, _) => vec![*waiter, *on],
            Verdict::Mismatch(mismatch) => vec![mismatch.one.0, mismatch.other.0],
            Verdict::Nobody => Vec::new(),
        }
    }
}

/// Whom a verdict names as those to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// These.
    pub ranks: Vec<Rank>,
    /// Why that is not certain; nothing if it is proven.
    pub doubt: Option<String>,
}

impl Waiting {
    /// What there is to say first.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let graph = &self.graph;
        // A wrong call explains a deadlock better than who waits for whom in it.
        if let Some(mismatch) = graph.mismatches.first() {
            return Verdict::Mismatch(mismatch.clone());
        }
        let certainty_of = |ranks: &[Rank]| {
            if ranks.iter().all(|rank| graph.proven.binary_search(rank).is_ok()) {
                Certainty::Proven
            } else {
                Certainty::Probable
            }
        };
        let mut orphans = graph.orphans.iter();
        let is_proven = |(waiter, _): &&(Rank, Rank)| certainty_of(&[*waiter]) == Certainty::Proven;
        if let Some((waiter, on)) = orphans.find(is_proven).or(graph.orphans.first()) {
            return Verdict::Gone(*waiter, *on, certainty_of(&[*waiter]));
        }
        if let Some(cycle) = graph.cycles.first() {
            return Verdict::Deadlock(cycle.clone(), certainty_of(cycle));
        }
        // Before those who are awaited: whoever is held like this waits for none of them.
        if let Some((waiter, on)) = graph.likely.orphans.first() {
            return Verdict::Gone(*waiter, *on, Certainty::Probable);
        }
        if let Some(cycle) = graph.likely.cycles.first() {
            return Verdict::Deadlock(cycle.clone(), Certainty::Probable);
        }
        if graph.awaited.is_empty() {
            return Verdict::Nobody;
        }
        Verdict::Awaited(graph.awaited.clone())
    }

    /// Why the verdict is not certain; nothing if it is.
    #[must_use]
    pub fn doubt(&self, verdict: &Verdict) -> Option<String> {
        match verdict {
            Verdict::Deadlock(ranks, Certainty::Probable) => Some(self.doubt_of(ranks).to_owned()),
            Verdict::Gone(waiter, _, Certainty::Probable) => Some(self.doubt_of(&[*waiter]).to_owned()),
            Verdict::Awaited(ranks) => self.doubt_of_awaited(ranks),
            Verdict::Deadlock(_, Certainty::Proven)
            | Verdict::Gone(_, _, Certainty::Proven)
            | Verdict::Mismatch(_)
            | Verdict::Nobody => None,
        }
    }

    /// Whom the verdict names, if anybody: of many who are awaited those who are furthest behind, if that can be inferred.
    #[must_use]
    pub fn named(&self, verdict: &Verdict) -> Option<Named> {
        let ranks = match (verdict, &self.least) {
            (Verdict::Nobody, _) => return None,
            (Verdict::Gone(waiter, ..), _) => vec![*waiter],
            (Verdict::Awaited(_), Some(least)) => {
                let doubt = "others wait for more than these, of whom these are furthest behind by what all did before";
                return Some(Named {
                    ranks: least.ranks.clone(),
                    doubt: Some(doubt.to_owned()),
                });
            }
            _ => verdict.ranks(),
        };
        Some(Named {
            ranks,
            doubt: self.doubt(verdict),
        })
    }

    /// The tasks that wait with all of their threads that have called MPI, sorted.
    #[must_use]
    pub fn waiters(&self) -> Vec<Rank> {
        let mut waiters: Vec<Rank> = self.graph.edges.iter().map(|edge| edge.waiter).collect();
        waiters.sort_unstable();
        waiters.dedup();
        waiters.retain(|rank| self.graph.partly.binary_search(rank).is_err());
        waiters
    }

    /// Why it is not certain that these can never go on.
    #[must_use]
    pub fn doubt_of(&self, cycle: &[Rank]) -> &'static str {
        let cycle: BTreeSet<Rank> = cycle.iter().copied().collect();
        let own = |is_it: &dyn Fn(&Edge) -> bool| {
            let mut edges = self.graph.edges.iter();
            edges.any(|edge| is_it(edge) && cycle.contains(&edge.waiter))
        };
        if own(&|edge| matches!(edge.why, Why::Lock(_))) {
            "who has a window locked is told by calls alone, and a library may have it otherwise"
        } else if self.graph.stuck.is_empty() {
            "it depends on the library whether it holds them up until all have come"
        } else if own(&|edge| edge.how == How::Polling) {
            "some of them only ask again and again, and may do other things between"
        } else {
            "MPI_THREAD_MULTIPLE lets other threads of theirs call MPI, and some may not have done so yet"
        }
    }

    /// Why it is not certain that all others wait for these; `None` if it is.
    fn doubt_of_awaited(&self, awaited: &[Rank]) -> Option<String> {
        let is_on_its_way = |each: &Transfer| awaited.binary_search(&each.who).is_ok();
        if let Some(transfer) = self.graph.transfers.iter().find(|each| is_on_its_way(each)) {
            let (sender, receiver) = transfer.ends();
            return Some(format!(
                "a message of rank {} to rank {} is on its way, and which of the two holds it, or whether MPI does, nobody can tell from outside",
                sender.0, receiver.0
            ));
        }
        if let Some(first) = self.graph.unclear.first() {
            return Some(format!(
                "rank {} stands in a call of which nobody knows for whom it waits, if for anybody",
                first.0
            ));
        }
        let known: BTreeSet<Rank> = self
            .waiters()
            .into_iter()
            .chain(awaited.iter().copied())
            .collect();
        let ranks = self.tasks.iter().map(|task| task.rank);
        let others: base::RankSet = ranks.filter(|&rank| !known.contains(&Rank(rank))).collect();
        let partial = self.tasks.iter().any(|task| task.is_partial);
        let mut edges = self.graph.edges.iter();
        if edges.any(|edge| matches!(edge.why, Why::Lock(_))) {
            return Some("who has a window locked is told by calls alone".to_owned());
        }
        let sure: BTreeSet<Rank> = (self.graph.edges.iter())
            .filter(|edge| edge.certainty == Certainty::Proven)
            .map(|edge| edge.waiter)
            .chain(awaited.iter().copied())
            .collect();
        let unsure: base::RankSet = (known.difference(&sure)).map(|rank| rank.0).collect();
        match (self.tasks.len() < self.size as usize, others.len()) {
            (true, _) => Some("there are no recordings of some ranks".to_owned()),
            (false, 1..) => Some(format!("of {others} nobody knows for whom they wait, if they do")),
            (false, 0) if partial => Some("the recorder has not all that was done".to_owned()),
            (false, 0) if !unsure.is_empty() => Some(format!(
                "it is not certain of {unsure} that they wait: who asks again and again may do other things between, and a library may let a call go on"
            )),
            (false, 0) => None,
        }
    }
}
