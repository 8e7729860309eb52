//! Markov chains of what tasks did, and how likely it is to come from one state to another.
//!
//! The *hitting probability* of y from x is that of ever being in y, after at least one step if x is y (AutomaDeD, Definition 3: the sum over all paths). Whether it is 0 or 1 is
//! decided by reachability alone, for Table 1 of AutomaDeD asks just that, and no sum of rounded numbers can tell it:
//!
//! ```text
//! P(x, y) = 0   iff y cannot be reached from x
//! P(x, y) = 1   iff y can be reached from every state that can be reached from x without passing y
//! ```
//!
//! (a finite chain ends almost surely in a closed class, and every one that does not hold y is a way past it). What lies between is the solution of
//! `h(y) = 1`, `h(s) = Σ p(s, t) h(t)`, component by component from the ends of the chain, each by elimination without a pivot: the matrix is
//! diagonally dominant.

use crate::scc;
use std::collections::{BTreeMap, VecDeque};

/// A state of a chain: its number in [`Chain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State(pub u32);

/// How likely it is to come to a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Probability {
    /// It cannot happen.
    Zero,
    /// It may happen or not; the number is rounded, and means nothing but that it lies between 0 and 1.
    Between(f64),
    /// It happens almost surely.
    One,
}

impl Probability {
    /// As a number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Probability::Zero => 0.0,
            Probability::Between(value) => value,
            Probability::One => 1.0,
        }
    }
}

/// A chain: what followed what, how often.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// By state, the next ones and how often they followed; never 0.
    next: Vec<Vec<(usize, u64)>>,
    before: Vec<Vec<usize>>,
    /// The component of each state; components are numbered from the ends of the chain.
    component: Vec<usize>,
    components: Vec<Vec<usize>>,
}

impl Chain {
    /// The chain of these steps: from, to, how often. States are numbered from 0 without great gaps; those of a step that never happened are in it alone.
    #[must_use]
    pub fn new(states: u32, steps: impl IntoIterator<Item = (State, State, u64)>) -> Self {
        let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        let mut size = states as usize;
        for (from, to, count) in steps {
            let (from, to) = (from.0 as usize, to.0 as usize);
            size = size.max(from + 1).max(to + 1);
            let known = counts.entry((from, to)).or_default();
            *known = known.saturating_add(count);
        }
        let mut next: Vec<Vec<(usize, u64)>> = vec![Vec::new(); size];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); size];
        for ((from, to), count) in counts {
            if count > 0 {
                next[from].push((to, count));
                before[to].push(from);
            }
        }
        let targets: Vec<Vec<usize>> = next
            .iter()
            .map(|steps| steps.iter().map(|(to, _)| *to).collect())
            .collect();
        let components = scc::components(&targets);
        let mut component = vec![0; size];
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|&state| component[state] = number);
        }
        Chain {
            next,
            before,
            component,
            components,
        }
    }

    /// Whether two states are in one loop: each can be reached from the other.
    #[must_use]
    pub fn in_one_loop(&self, one: State, other: State) -> bool {
        let of = |state: State| self.component.get(state.0 as usize);
        of(one).is_some() && of(one) == of(other)
    }

    /// The probability of coming from each of these states to `to`. One search and one solution serve all of them.
    #[must_use]
    pub fn hits(&self, from: &[State], to: State) -> Vec<Probability> {
        let to = to.0 as usize;
        if to >= self.next.len() {
            return vec![Probability::Zero; from.len()];
        }
        let reaches = self.search(&[to], |state| &self.before[state], |_| false);
        // A state from which `to` cannot be reached is a way past it, and so is what leads to one without passing `to`.
        let lost: Vec<usize> = (0..reaches.len()).filter(|&state| !reaches[state]).collect();
        let misses = self.search(&lost, |state| &self.before[state], |state| state == to);
        let mut solved: Option<Vec<f64>> = None;
        let from = from.iter().map(|state| {
            let at = state.0 as usize;
            // After one step at least: of `to` itself the first step counts.
            let (can, may_miss) = match self.next.get(at) {
                None => (false, true),
                Some(steps) if at == to => (
                    steps.iter().any(|(next, _)| reaches[*next]),
                    steps.is_empty() || steps.iter().any(|(next, _)| *next != to && misses[*next]),
                ),
                Some(_) => (reaches[at], misses[at]),
            };
            match (can, may_miss) {
                (false, _) => Probability::Zero,
                (true, false) => Probability::One,
                (true, true) => {
                    let hits = solved.get_or_insert_with(|| self.solve(to, &reaches, &misses));
                    let value = if at == to { self.mean(at, hits) } else { hits[at] };
                    Probability::Between(value.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON))
                }
            }
        });
        from.collect()
    }

    /// The mean of what is known of the next states.
    fn mean(&self, state: usize, known: &[f64]) -> f64 {
        let total: f64 = self.next[state].iter().map(|(_, count)| *count as f64).sum();
        let steps = self.next[state].iter();
        steps.map(|(to, count)| *count as f64 / total * known[*to]).sum()
    }

    /// The states that can be reached by `step`; none beyond those that `ends` names, which are found if something leads to them.
    fn search<'c, I>(
        &'c self,
        from: &[usize],
        step: impl Fn(usize) -> I,
        ends: impl Fn(usize) -> bool,
    ) -> Vec<bool>
    where
        I: IntoIterator<Item = &'c usize>,
    {
        let mut found = vec![false; self.next.len()];
        let mut open: VecDeque<usize> = from.iter().copied().collect();
        while let Some(state) = open.pop_front() {
            if found[state] {
                continue;
            }
            found[state] = true;
            if !ends(state) {
                open.extend(step(state).into_iter().copied());
            }
        }
        found
    }

    /// The probability of ever being in `to`, by state.
    fn solve(&self, to: usize, reaches: &[bool], misses: &[bool]) -> Vec<f64> {
        let mut hits: Vec<f64> = vec![0.0; self.next.len()];
        hits[to] = 1.0;
        let is_known = |state: usize| state == to || !reaches[state] || !misses[state];
        for state in 0..hits.len() {
            if state != to && reaches[state] && !misses[state] {
                hits[state] = 1.0;
            }
        }
        // What a component leads to has a smaller number.
        for members in &self.components {
            let open: Vec<usize> = members
                .iter()
                .copied()
                .filter(|&state| !is_known(state))
                .collect();
            let solution = self.solve_component(&open, &hits);
            for (state, value) in open.into_iter().zip(solution) {
                hits[state] = value;
            }
        }
        hits
    }

    /// Solves for the unknown states of one component, everything behind which is known.
    fn solve_component(&self, open: &[usize], known: &[f64]) -> Vec<f64> {
        let place: BTreeMap<usize, usize> = open.iter().enumerate().map(|(at, state)| (*state, at)).collect();
        // Rows of `h(s) - Σ p(s, t) h(t) = Σ p(s, u) known(u)`, sparse.
        let mut rows: Vec<BTreeMap<usize, f64>> = Vec::with_capacity(open.len());
        let mut sides: Vec<f64> = Vec::with_capacity(open.len());
        for (at, &state) in open.iter().enumerate() {
            let total: f64 = self.next[state].iter().map(|(_, count)| *count as f64).sum();
            let mut row = BTreeMap::from([(at, 1.0)]);
            let mut side = 0.0;
            for (to, count) in &self.next[state] {
                let share = *count as f64 / total;
                match place.get(to) {
                    Some(&unknown) => *row.entry(unknown).or_insert(0.0) -= share,
                    None => side += share * known[*to],
                }
            }
            rows.push(row);
            sides.push(side);
        }
        eliminate(&mut rows, &mut sides)
    }
}

/// Solves a sparse system whose matrix is diagonally dominant.
fn eliminate(rows: &mut [BTreeMap<usize, f64>], sides: &mut [f64]) -> Vec<f64> {
    let size = rows.len();
    // Which rows below have a value in a column.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); size];
    for (at, row) in rows.iter().enumerate() {
        row.keys()
            .filter(|column| **column < at)
            .for_each(|column| users[*column].push(at));
    }
    for pivot in 0..size {
        let diagonal = rows[pivot]
            .get(&pivot)
            .copied()
            .unwrap_or(1.0)
            .max(f64::MIN_POSITIVE);
        let upper: Vec<(usize, f64)> = rows[pivot]
            .range(pivot + 1..)
            .map(|(at, value)| (*at, *value))
            .collect();
        for user in std::mem::take(&mut users[pivot]) {
            let Some(value) = rows[user].remove(&pivot) else {
                continue;
            };
            let factor = value / diagonal;
            for (column, above) in &upper {
                let is_new = !rows[user].contains_key(column);
                *rows[user].entry(*column).or_insert(0.0) -= factor * above;
                if is_new && *column < user {
                    users[*column].push(user);
                }
            }
            sides[user] -= factor * sides[pivot];
        }
    }
    let mut solution = vec![0.0; size];
    for at in (0..size).rev() {
        let behind: f64 = rows[at]
            .range(at + 1..)
            .map(|(column, value)| value * solution[*column])
            .sum();
        let diagonal = rows[at].get(&at).copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
        solution[at] = (sides[at] - behind) / diagonal;
    }
    solution
}
