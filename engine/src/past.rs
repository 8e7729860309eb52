//! What tasks did before, for those questions that the counts leave open: who of several that others wait for is furthest behind, and whether something takes longer than it
//! ever did.
//!
//! The recorder keeps a model of each task (`recording::model`): calls by their paths, and what followed what. `waitgraph::progress` infers from it.
//! What follows is never proven, and is asked only where the exact waits name nobody or several.

use crate::recorded::{Rank, Record, Waiting};
use recording::model::Times;
use recording::{Stage, Thread};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;
use waitgraph::chain::State;
use waitgraph::progress::{Evidence, Model, Past, View, inferred, least_progressed};
use waitgraph::{Edge, Why};

/// How long what a task does now lasted before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before {
    /// How often it ended.
    pub count: u64,
    /// The mean.
    pub mean: Duration,
    /// The deviation from that.
    pub deviation: Duration,
    /// The longest.
    pub longest: Duration,
}

impl Before {
    pub(crate) fn of(times: Times) -> Option<Self> {
        let (mean, deviation) = times.mean_and_deviation();
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        (times.count > 0).then_some(Before {
            count: times.count,
            mean: time(mean),
            deviation: time(deviation),
            longest: Duration::from_nanos(times.longest),
        })
    }

    /// Whether something that has lasted so long lasts longer than it ever did, by more than chance.
    #[must_use]
    pub fn is_exceeded_by(&self, time: Duration) -> bool {
        let usual = self.mean.saturating_add(self.deviation.saturating_mul(3));
        time > self.longest.max(usual)
    }
}

/// Who of those that others wait for is furthest behind, as far as can be inferred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// Who: some of those that others wait for.
    pub ranks: Vec<Rank>,
    /// Somebody who is ahead of the first of them.
    pub ahead: Rank,
    /// Why.
    pub because: Because,
}

/// Why somebody is probably behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// They go round in one loop: an operation there, and how often each has come to it: who is behind, and the other.
    Visits(String, u64, u64),
    /// From where the one is, tasks always or mostly came to where the other is, and more rarely back.
    Likely,
}

/// How long what a thread does now lasted before.
pub(crate) fn before(record: &Record) -> Option<Before> {
    let thread = only_thread(record)?;
    let state = record.recording.model.state(thread.state?)?;
    Before::of(match thread.call {
        Some(_) => state.calls,
        None => state.regions,
    })
}

/// The longest that a call of the task, or a computation between two, ever lasted.
pub(crate) fn longest(record: &Record) -> Option<Duration> {
    only_thread(record).filter(|_| !record.recording.lost.model)?;
    let states = record.recording.model.states.iter();
    let longest = states
        .map(|state| state.calls.longest.max(state.regions.longest))
        .max()?;
    Some(Duration::from_nanos(longest))
}

/// The only thread that calls MPI: of several nobody knows what they do for each other.
fn only_thread(record: &Record) -> Option<&Thread> {
    match &record.recording.threads[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Adds to a wait graph what can be inferred.
pub(crate) fn add_least(waiting: &mut Waiting, records: &BTreeMap<u32, &Record>) {
    let ranks = &waiting.graph.awaited;
    let is_one = |rank: Rank| ranks.binary_search(&rank).is_ok();
    // Of the two ends of a message that is on its way none is behind by what they did before.
    let mut transfers = waiting.graph.transfers.iter();
    if ranks.len() < 2 || transfers.any(|each| is_one(each.who) && is_one(each.other)) {
        return;
    }
    let awaited: Vec<(Rank, &Record)> = waiting
        .graph
        .awaited
        .iter()
        .filter_map(|rank| Some((*rank, *records.get(&rank.0)?)))
        .collect();
    // Of one that moves, or has no model, nobody knows where it is in relation to the others.
    let is_known = |record: &Record| {
        !record.moves && record.recording.stage == Stage::Running && !record.recording.lost.model
    };
    if awaited.len() < waiting.graph.awaited.len() || !awaited.iter().all(|(_, record)| is_known(record)) {
        return;
    }
    let mut states = States::default();
    let all: Vec<(Rank, &Record)> = records
        .iter()
        .map(|(rank, record)| (Rank(*rank), *record))
        .collect();
    // Everybody shows the way, those that others wait for are compared.
    let pasts: Vec<Past> = all
        .iter()
        .filter_map(|(rank, record)| states.past(*rank, record))
        .collect();
    let among: BTreeSet<Rank> = waiting.graph.awaited.iter().copied().collect();
    if pasts.iter().filter(|past| among.contains(&past.rank)).count() < among.len() {
        return;
    }
    let found = inferred(&pasts, &among, View::Merged);
    let pairs: Vec<(Rank, Rank)> = found.iter().map(|each| (each.ahead, each.behind)).collect();
    let ranks = least_progressed(&waiting.graph.awaited, &pairs, &[]);
    let Some(why) = found.iter().find(|each| ranks.contains(&each.behind)) else {
        return;
    };
    if ranks.is_empty() || ranks.len() == among.len() {
        return;
    }
    waiting.least = Some(Least {
        ahead: why.ahead,
        because: match why.evidence {
            Evidence::Visits(state, own, others) => Because::Visits(states.operation(state), own, others),
            Evidence::Likely => Because::Likely,
        },
        ranks,
    });
}

/// The least-progressed tasks of a job by inference alone (AutomaDeD, section 4.3). Of what is exact only who waits for a message of whom is used, as there. It is for
/// holding the inference against the exact answer, and is said to no user. Without `turns`, Table 1 alone decides, in loops as well.
#[must_use]
pub fn least_by_inference(records: &[Record], edges: &[Edge], view: View, turns: bool) -> Vec<Rank> {
    let mut states = States::default();
    let of_world = |record: &Record| Some(Rank(record.recording.world?.0));
    let mut pasts: Vec<Past> = records
        .iter()
        .filter_map(|record| states.past(of_world(record)?, record))
        .collect();
    if !turns {
        let bare = |past: &Past| {
            Arc::new(Model {
                visits: BTreeMap::new(),
                ..(*past.model).clone()
            })
        };
        pasts.iter_mut().for_each(|past| past.model = bare(past));
    }
    let among: BTreeSet<Rank> = pasts.iter().map(|past| past.rank).collect();
    let found = inferred(&pasts, &among, view);
    let pairs: Vec<(Rank, Rank)> = found.iter().map(|each| (each.ahead, each.behind)).collect();
    let messages: Vec<(Rank, Rank)> = edges
        .iter()
        .filter(|edge| matches!(edge.why, Why::Message { .. } | Why::Delivery { .. }))
        .flat_map(|edge| edge.on.iter().map(|on| (edge.waiter, on)))
        .collect();
    least_progressed(&Vec::from_iter(among), &pairs, &messages)
}

/// The states of all tasks, each with two numbers: the call, and the computation behind it.
#[derive(Default)]
struct States {
    numbers: BTreeMap<u64, u32>,
    operations: Vec<String>,
    /// Models that several tasks have, by a hash of them.
    models: BTreeMap<u64, Vec<Arc<Model>>>,
}

impl States {
    fn call(&mut self, key: u64, operation: &str) -> State {
        let operations = &mut self.operations;
        let number = *self.numbers.entry(key).or_insert_with(|| {
            operations.push(operation.to_owned());
            operations.len() as u32 - 1
        });
        State(2 * number)
    }

    fn operation(&self, state: State) -> String {
        let name = self.operations.get(state.0 as usize / 2);
        name.cloned().unwrap_or_default()
    }

    fn past(&mut self, rank: Rank, record: &Record) -> Option<Past> {
        let recording = &record.recording;
        let thread = only_thread(record)?;
        let now = thread.state?;
        let in_call = thread.call.is_some() || thread.polling.is_some();
        let behind = |state: State| State(state.0 + 1);
        let (mut steps, mut visits, mut at) = (Vec::new(), BTreeMap::new(), None);
        for state in &recording.model.states {
            let name = recording.operation(state.operation);
            let call = self.call(state.key, name);
            let is_here = state.key == now;
            let is_inside = is_here && in_call;
            let left = state.entered.saturating_sub(u64::from(is_inside));
            if left > 0 {
                steps.push((call, behind(call), left));
            }
            if is_regular(name) {
                visits.insert(call, state.entered);
                visits.insert(behind(call), left);
            }
            if is_here {
                at = Some(if is_inside { call } else { behind(call) });
            }
        }
        for edge in &recording.model.edges {
            let (from, to) = (self.numbers.get(&edge.from), self.numbers.get(&edge.to));
            if let (Some(from), Some(to)) = (from, to) {
                steps.push((State(2 * from + 1), State(2 * to), edge.count));
            }
        }
        Some(Past {
            rank,
            model: self.shared(Model { steps, visits }),
            at: at?,
        })
    }

    /// The same model that another task has, if one has it.
    fn shared(&mut self, model: Model) -> Arc<Model> {
        let mut hasher = DefaultHasher::new();
        model.steps.hash(&mut hasher);
        let known = self.models.entry(hasher.finish()).or_default();
        if let Some(same) = known.iter().find(|known| ***known == model) {
            return Arc::clone(same);
        }
        let model = Arc::new(model);
        known.push(Arc::clone(&model));
        model
    }
}

/// Whether a task that does its part comes to such a call as often as any other: not where it asks, or takes what is ready.
fn is_regular(operation: &str) -> bool {
    let name = operation.strip_prefix("MPI_").unwrap_or(operation);
    let asks = ["Test", "Iprobe", "Improbe", "Request_get", "Waitany", "Waitsome"];
    !asks.iter().any(|start| name.starts_with(start))
}
