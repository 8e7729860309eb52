//! Who is behind, by what tasks did before (AutomaDeD, sections 3 and 4): where exact knowledge ends, because a task computes, or because it depends on the library
//! whether an operation holds it.
//!
//! Each task has a chain of the states that it was in, and is in one of them. Of two tasks in states of one loop the counts decide: who has not come as often
//! to the other's state as the other, but will have to, is behind. Of others Table 1 decides by how likely it is to come from the state of
//! the one to that of the other. Both infer from what was seen; nothing here is proven.

use crate::chain::{Chain, Probability, State};
use crate::state::Rank;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How two tasks stand, of which the first is in state i and the second in state j; the numbers are those of AutomaDeD's dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Dependence {
    /// Nothing is known of one waiting for the other.
    None = 0,
    /// The first waits for the second: i → j.
    Forward = 1,
    /// The second waits for the first.
    Backward = 2,
    /// What speaks for the one speaks for the other as well.
    Undefined = 3,
}

impl Dependence {
    /// By Table 1, from the probability of coming from i to j, and from j to i: the task that is likelier to come to the other's state is the one that the other
    /// waits for; none if neither can, undefined if both are sure to or both may.
    #[must_use]
    pub fn of(forward: Probability, backward: Probability) -> Self {
        use Probability::{Between, One, Zero};
        match (forward, backward) {
            (Zero, Zero) => Dependence::None,
            (Zero, Between(_) | One) | (Between(_), One) => Dependence::Forward,
            (Between(_) | One, Zero) | (One, Between(_)) => Dependence::Backward,
            (Between(_), Between(_)) | (One, One) => Dependence::Undefined,
        }
    }

    /// By Table 2: what two tasks infer, put together.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        match self as u8 | other as u8 {
            0 => Dependence::None,
            1 => Dependence::Forward,
            2 => Dependence::Backward,
            _ => Dependence::Undefined,
        }
    }

    /// The same, seen from the second task.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Dependence::Forward => Dependence::Backward,
            Dependence::Backward => Dependence::Forward,
            same => same,
        }
    }
}

/// What a task did before. Many tasks of a job have the same model: it is given once, and counted as often as they share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// What followed what, and how often; states are the same for all tasks.
    pub steps: Vec<(State, State, u64)>,
    /// How often it came to a state, for those in which that can be compared between tasks: not where one asks until something has happened.
    pub visits: BTreeMap<State, u64>,
}

/// What a task did before, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// Who it is.
    pub rank: Rank,
    /// What it did.
    pub model: Arc<Model>,
    /// Where it is.
    pub at: State,
}

/// From what a wait is inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Both are in one loop. The state that tells, and how often each has come to it: who is behind, and the other.
    Visits(State, u64, u64),
    /// The probability of coming from the state of who is behind to that of the other is high, and back it is lower.
    Likely,
}

/// One task is probably behind another, which waits for it or will have to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// Who is behind.
    pub behind: Rank,
    /// Of whom.
    pub ahead: Rank,
    /// Why.
    pub evidence: Evidence,
}

/// Whose model the inference is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Of the two tasks' own, each for itself, and their union by Table 2 (DIST).
    Own,
    /// One model of all tasks (SEMI-DIST).
    Merged,
}

/// More kinds of tasks than this are told apart by their states alone.
const MOST_KINDS: usize = 256;

/// What can be inferred of each two of the tasks that are asked about, while all show the way: for every one that is ahead of others, one of each kind that it is ahead of. Tasks of one kind are in the same state and have come
/// to those states equally often that somebody is in.
#[must_use]
pub fn inferred(pasts: &[Past], asked: &BTreeSet<Rank>, view: View) -> Vec<Inferred> {
    let kinds = kinds(pasts, asked);
    let firsts: Vec<&Past> = kinds
        .iter()
        .filter_map(|kind| pasts.get(*kind.first()?))
        .collect();
    let merged = chain_of(pasts.iter());
    let dependences = match view {
        View::Merged => dependences(&merged, &firsts),
        View::Own => {
            let own = firsts.iter().map(|past| chain_of(std::iter::once(*past)));
            let own: Vec<Chain> = own.collect();
            own_dependences(&own, &firsts)
        }
    };
    let mut found = Vec::new();
    for (i, one) in kinds.iter().enumerate() {
        for (j, other) in kinds.iter().enumerate().skip(i + 1) {
            let judged = by_visits(&merged, firsts[i], firsts[j]).or(match dependences[i][j] {
                Dependence::Forward => Some((false, Evidence::Likely)),
                Dependence::Backward => Some((true, Evidence::Likely)),
                Dependence::None | Dependence::Undefined => None,
            });
            let Some((first_is_behind, evidence)) = judged else {
                continue;
            };
            let (behind, ahead) = if first_is_behind { (i, other) } else { (j, one) };
            found.extend(ahead.iter().map(|&ahead| Inferred {
                behind: firsts[behind].rank,
                ahead: pasts[ahead].rank,
                evidence,
            }));
        }
    }
    found
}

/// One chain of all models, each as often as tasks have it.
fn chain_of<'p>(pasts: impl Iterator<Item = &'p Past>) -> Chain {
    let mut models: BTreeMap<*const Model, (&Model, u64)> = BTreeMap::new();
    for past in pasts {
        let model = &past.model;
        models.entry(Arc::as_ptr(model)).or_insert((model, 0)).1 += 1;
    }
    let steps = models.values().flat_map(|(model, tasks)| {
        let steps = model.steps.iter();
        steps.map(|&(from, to, count)| (from, to, count.saturating_mul(*tasks)))
    });
    Chain::new(0, steps)
}

/// By one chain, of each two.
fn dependences(chain: &Chain, firsts: &[&Past]) -> Vec<Vec<Dependence>> {
    let states: Vec<State> = firsts.iter().map(|past| past.at).collect();
    let hits: Vec<Vec<Probability>> = states.iter().map(|to| chain.hits(&states, *to)).collect();
    let of = |i: usize, j: usize| {
        if states[i] == states[j] {
            Dependence::None
        } else {
            Dependence::of(hits[j][i], hits[i][j])
        }
    };
    let all = 0..states.len();
    all.clone()
        .map(|i| all.clone().map(|j| of(i, j)).collect())
        .collect()
}

/// By each task's own chain, put together by Table 2.
fn own_dependences(own: &[Chain], firsts: &[&Past]) -> Vec<Vec<Dependence>> {
    let all = 0..firsts.len();
    let of = |i: usize, j: usize| {
        let (at, other) = (firsts[i].at, firsts[j].at);
        between(&own[i], at, other).union(between(&own[j], at, other))
    };
    all.clone()
        .map(|i| all.clone().map(|j| of(i, j)).collect())
        .collect()
}

/// Those of one kind among the tasks that are asked about, by index.
fn kinds(pasts: &[Past], asked: &BTreeSet<Rank>) -> Vec<Vec<usize>> {
    let is_asked = |(_, past): &(usize, &Past)| asked.contains(&past.rank);
    // Tasks with one model in one state are of one kind, whatever is looked at.
    let mut alike: BTreeMap<(State, *const Model), Vec<usize>> = BTreeMap::new();
    for (at, past) in pasts.iter().enumerate().filter(is_asked) {
        alike
            .entry((past.at, Arc::as_ptr(&past.model)))
            .or_default()
            .push(at);
    }
    let states: BTreeSet<State> = alike.keys().map(|(state, _)| *state).collect();
    let visits = |past: &Past| -> Vec<Option<u64>> {
        let visits = &past.model.visits;
        states.iter().map(|state| visits.get(state).copied()).collect()
    };
    let mut kinds: BTreeMap<(State, Vec<Option<u64>>), Vec<usize>> = BTreeMap::new();
    for group in alike.values() {
        let first = &pasts[group[0]];
        kinds.entry((first.at, visits(first))).or_default().extend(group);
    }
    if kinds.len() > MOST_KINDS {
        let mut by_state: BTreeMap<State, Vec<usize>> = BTreeMap::new();
        for ((state, _), group) in alike {
            by_state.entry(state).or_default().extend(group);
        }
        return sorted(by_state.into_values());
    }
    sorted(kinds.into_values())
}

/// Groups with the members of each in order.
fn sorted(groups: impl Iterator<Item = Vec<usize>>) -> Vec<Vec<usize>> {
    let sorted = groups.map(|mut group| {
        group.sort_unstable();
        group
    });
    sorted.collect()
}

/// The dependence of a task in state `i` and one in state `j`, by Table 1.
#[must_use]
pub fn between(chain: &Chain, i: State, j: State) -> Dependence {
    if i == j {
        return Dependence::None;
    }
    Dependence::of(chain.hits(&[i], j)[0], chain.hits(&[j], i)[0])
}

/// Whether the first is behind the second, by how often they came to each other's states in a loop; nothing if the counts contradict each other or are equal.
fn by_visits(chain: &Chain, first: &Past, second: &Past) -> Option<(bool, Evidence)> {
    if !chain.in_one_loop(first.at, second.at) {
        return None;
    }
    let visits = |past: &Past, state: State| past.model.visits.get(&state).copied();
    // Who came to a state less often than the other that stands in it, or stood in it, has that visit before itself.
    // Whoever hardly ever comes there has other duties in the loop.
    let lacks = |who: &Past, whom: &Past| {
        let (own, others) = (visits(who, whom.at)?, visits(whom, whom.at)?);
        (own < others && 2 * own >= others).then_some(Evidence::Visits(whom.at, own, others))
    };
    match (lacks(first, second), lacks(second, first)) {
        (Some(evidence), None) => Some((true, evidence)),
        (None, Some(evidence)) => Some((false, evidence)),
        _ => None,
    }
}

/// The least-progressed tasks (AutomaDeD, section 4.3): those that wait for nobody in a collective operation and are ahead of nobody; if these are several, without those
/// that wait for a message of one that is not among them. Waits are given as who waits, and for whom; sorted.
#[must_use]
pub fn least_progressed(tasks: &[Rank], collective: &[(Rank, Rank)], messages: &[(Rank, Rank)]) -> Vec<Rank> {
    let waits: BTreeSet<Rank> = collective.iter().map(|(waiter, _)| *waiter).collect();
    let found: BTreeSet<Rank> = tasks
        .iter()
        .copied()
        .filter(|rank| !waits.contains(rank))
        .collect();
    let leads_out = |rank: &Rank| {
        messages
            .iter()
            .any(|(waiter, on)| waiter == rank && !found.contains(on))
    };
    let left: Vec<Rank> = found.iter().copied().filter(|rank| !leads_out(rank)).collect();
    match (found.len(), left.is_empty()) {
        (2.., false) => left,
        _ => found.into_iter().collect(),
    }
}
