//! The inference of AutomaDeD against its own tables and figure, against simulation, and against the enumeration of paths.

use base::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use waitgraph::Rank;
use waitgraph::chain::{Chain, Probability, State};
use waitgraph::progress::{
    Dependence, Evidence, Inferred, Model, Past, View, between, inferred, least_progressed,
};

const ZERO: Probability = Probability::Zero;
const SOME: Probability = Probability::Between(0.5);
const ONE: Probability = Probability::One;

/// Table 1: P(i, j), P(j, i), and what follows. Its fourth row has one mark too many as it is printed; the text says what is meant.
const TABLE_1: [(Probability, Probability, Dependence); 9] = [
    (ZERO, ZERO, Dependence::None),
    (ZERO, SOME, Dependence::Forward),
    (ZERO, ONE, Dependence::Forward),
    (SOME, ZERO, Dependence::Backward),
    (SOME, SOME, Dependence::Undefined),
    (SOME, ONE, Dependence::Forward),
    (ONE, ZERO, Dependence::Backward),
    (ONE, SOME, Dependence::Backward),
    (ONE, ONE, Dependence::Undefined),
];

/// Table 2: what task x and task y infer, and their union.
const TABLE_2: [(Dependence, Dependence, Dependence); 5] = [
    (Dependence::Forward, Dependence::None, Dependence::Forward),
    (Dependence::Forward, Dependence::Forward, Dependence::Forward),
    (Dependence::Backward, Dependence::Backward, Dependence::Backward),
    (Dependence::Forward, Dependence::Backward, Dependence::Undefined),
    (Dependence::None, Dependence::None, Dependence::None),
];

#[test]
fn tables_1_and_2_in_full() {
    for (forward, backward, expected) in TABLE_1 {
        assert_eq!(
            Dependence::of(forward, backward),
            expected,
            "{forward:?} {backward:?}"
        );
        // Seen from the other task it is the same.
        assert_eq!(Dependence::of(backward, forward).reversed(), expected);
    }
    for (x, y, expected) in TABLE_2 {
        assert_eq!((x.union(y), y.union(x)), (expected, expected));
        assert_eq!((x as u8 | y as u8), expected as u8);
    }
}

fn chain(steps: &[(u32, u32, u64)]) -> Chain {
    Chain::new(
        0,
        steps
            .iter()
            .map(|&(from, to, count)| (State(from), State(to), count)),
    )
}

fn hit(chain: &Chain, from: u32, to: u32) -> Probability {
    chain.hits(&[State(from)], State(to))[0]
}

#[test]
fn the_values_of_figure_4() {
    // A branch at state 2; on its left side a loop that is left with probability 0.1.
    let chain = chain(&[
        (1, 2, 10),
        (2, 3, 5),
        (2, 9, 5),
        (3, 4, 5),
        (4, 5, 5),
        (5, 6, 45),
        (5, 7, 5),
        (6, 8, 45),
        (8, 5, 45),
        (9, 10, 5),
        (7, 11, 5),
        (10, 11, 5),
    ]);
    assert_eq!((hit(&chain, 3, 5), hit(&chain, 5, 3)), (ONE, ZERO));
    assert_eq!(hit(&chain, 8, 5), ONE);
    assert!(matches!(hit(&chain, 5, 8), Probability::Between(value) if (value - 0.9).abs() < 1e-12));
    assert_eq!((hit(&chain, 3, 10), hit(&chain, 10, 3)), (ZERO, ZERO));
    // b in 3, c in 5, d in 8, e in 10: c waits for b and for d, and nothing is between e and the others.
    assert_eq!(between(&chain, State(5), State(3)), Dependence::Forward);
    assert_eq!(between(&chain, State(5), State(8)), Dependence::Forward);
    for other in [3, 5, 8] {
        assert_eq!(between(&chain, State(10), State(other)), Dependence::None);
    }
}

fn random_steps(random: &mut Random, acyclic: bool) -> (u32, Vec<(u32, u32, u64)>) {
    let size = 2 + random.below(9) as u32;
    let mut steps = Vec::new();
    for _ in 0..random.below(3 * size as usize) {
        let (a, b) = (
            random.below(size as usize) as u32,
            random.below(size as usize) as u32,
        );
        let (a, b) = if acyclic { (a.min(b), a.max(b)) } else { (a, b) };
        if !acyclic || a != b {
            steps.push((a, b, 1 + random.below(9) as u64));
        }
    }
    (size, steps)
}

/// The sum over all paths, one after the other.
fn enumerated(steps: &[(u32, u32, u64)], from: u32, to: u32) -> f64 {
    let own: Vec<_> = steps.iter().filter(|step| step.0 == from).collect();
    let total: u64 = own.iter().map(|step| step.2).sum();
    let one = |step: &&(u32, u32, u64)| {
        let share = step.2 as f64 / total as f64;
        share
            * if step.1 == to {
                1.0
            } else {
                enumerated(steps, step.1, to)
            }
    };
    own.iter().map(one).sum()
}

#[test]
fn the_sum_over_all_paths_where_there_are_no_loops() {
    let mut between = 0;
    for seed in 0..2_000 {
        let (size, steps) = random_steps(&mut Random(seed), true);
        let chain = chain(&steps);
        for from in 0..size {
            for to in 0..size {
                let found = hit(&chain, from, to);
                let sum = enumerated(&steps, from, to);
                assert!(
                    (found.value() - sum).abs() < 1e-9,
                    "seed {seed}: {from} to {to}: {found:?}, {sum}"
                );
                between += usize::from(matches!(found, Probability::Between(_)));
            }
        }
    }
    assert!(between > 2_000, "{between}");
}

/// How often, of many walks, one comes to the state.
fn simulated(random: &mut Random, steps: &[(u32, u32, u64)], from: u32, to: u32) -> f64 {
    const WALKS: usize = 400;
    let hits = (0..WALKS).filter(|_| {
        let mut at = from;
        for _ in 0..3_000 {
            let own: Vec<_> = steps.iter().filter(|step| step.0 == at).collect();
            let total: u64 = own.iter().map(|step| step.2).sum();
            if total == 0 {
                return false;
            }
            let mut left = random.below(total as usize) as u64;
            let taken = own.iter().find(|step| {
                let is_it = left < step.2;
                left = left.saturating_sub(step.2);
                is_it
            });
            at = taken.expect("shares add up").1;
            if at == to {
                return true;
            }
        }
        false
    });
    hits.count() as f64 / WALKS as f64
}

#[test]
fn as_often_as_walks_come_there() {
    let (mut ones, mut between) = (0, 0);
    for seed in 0..150 {
        let mut random = Random(seed);
        let (size, steps) = random_steps(&mut random, false);
        let chain = chain(&steps);
        let (from, to) = (
            random.below(size as usize) as u32,
            random.below(size as usize) as u32,
        );
        let found = hit(&chain, from, to);
        let share = simulated(&mut random, &steps, from, to);
        // Six deviations of so many walks.
        assert!(
            (found.value() - share).abs() < 0.15,
            "seed {seed}: {found:?}, {share} of {steps:?}"
        );
        match found {
            Probability::Zero => assert_eq!(share, 0.0, "seed {seed}"),
            Probability::One => {
                ones += 1;
                assert!(share > 0.95, "seed {seed}: {share}");
            }
            Probability::Between(_) => between += 1,
        }
    }
    assert!(ones > 10 && between > 10, "{ones} {between}");
}

#[test]
fn sure_is_decided_without_numbers() {
    // A loop that is left once in 10^18 turns, and one that is never left.
    let nearly = chain(&[(0, 1, u64::MAX / 8), (1, 0, u64::MAX / 8), (0, 2, 1), (2, 2, 1)]);
    assert_eq!((hit(&nearly, 0, 2), hit(&nearly, 2, 0)), (ONE, ZERO));
    assert!(matches!(hit(&nearly, 1, 1), Probability::Between(_)));
    let never = chain(&[(0, 1, 1), (1, 0, 1)]);
    assert_eq!(
        (hit(&never, 0, 1), hit(&never, 0, 0), hit(&never, 0, 7)),
        (ONE, ONE, ZERO)
    );
}

/// A task of a loop 0 → 1 → 2 → 0 that has gone round so many times, and then on to a state.
fn ranks_of(pasts: &[Past]) -> BTreeSet<Rank> {
    pasts.iter().map(|past| past.rank).collect()
}

fn in_loop(rank: u32, turns: u64, at: u32) -> Past {
    let steps = (0..3).map(|state| {
        let count = turns + u64::from(state < at);
        (State(state), State((state + 1) % 3), count)
    });
    Past {
        rank: Rank(rank),
        model: Arc::new(Model {
            steps: steps.collect(),
            visits: (0..3)
                .map(|state| (State(state), turns + u64::from(state <= at)))
                .collect(),
        }),
        at: State(at),
    }
}

#[test]
fn in_a_loop_the_turns_tell() {
    // Both probabilities are 1 everywhere: Table 1 says nothing. The oracle is the order of (turn, state).
    let mut told = 0;
    for seed in 0..500 {
        let mut random = Random(seed);
        let tasks = 2 + random.below(6) as u32;
        let places: Vec<(u64, u32)> = (0..tasks)
            .map(|_| (20 + random.below(3) as u64, random.below(3) as u32))
            .collect();
        let pasts: Vec<Past> = (0..tasks)
            .map(|rank| in_loop(rank, places[rank as usize].0, places[rank as usize].1))
            .collect();
        for view in [View::Merged, View::Own] {
            let found = inferred(&pasts, &ranks_of(&pasts), view);
            for each in &found {
                assert!(
                    places[each.behind.0 as usize] < places[each.ahead.0 as usize],
                    "seed {seed}: {each:?}"
                );
                assert!(matches!(each.evidence, Evidence::Visits(..)));
            }
            told += found.len();
            let ahead_of: Vec<(Rank, Rank)> = found.iter().map(|each| (each.ahead, each.behind)).collect();
            let ranks: Vec<Rank> = (0..tasks).map(Rank).collect();
            let least = least_progressed(&ranks, &ahead_of, &[]);
            let first = places.iter().min();
            let expected: Vec<Rank> = ranks
                .into_iter()
                .filter(|rank| Some(&places[rank.0 as usize]) == first)
                .collect();
            assert_eq!(least, expected, "seed {seed}: {places:?}");
        }
    }
    assert!(told > 1_000, "{told}");
}

#[test]
fn each_tasks_own_view_and_one_of_all() {
    let past = |rank: u32, steps: &[(u32, u32)], at: u32| Past {
        rank: Rank(rank),
        model: Arc::new(Model {
            steps: steps
                .iter()
                .map(|&(from, to)| (State(from), State(to), 1))
                .collect(),
            visits: BTreeMap::new(),
        }),
        at: State(at),
    };
    // Neither of the two has gone from 1 to 3: only a third one shows the way.
    let tasks = [
        past(0, &[(0, 1)], 1),
        past(1, &[(0, 2), (2, 3)], 3),
        past(2, &[(0, 1), (1, 3), (3, 4)], 4),
    ];
    let pairs = |view| -> Vec<(u32, u32)> {
        let found = inferred(&tasks, &ranks_of(&tasks), view);
        found.iter().map(|each| (each.behind.0, each.ahead.0)).collect()
    };
    assert!(pairs(View::Merged).contains(&(0, 1)));
    assert!(!pairs(View::Own).contains(&(0, 1)));
    assert!(pairs(View::Own).contains(&(0, 2)));
}

#[test]
fn who_waits_for_a_message_of_others_is_no_least_progressed() {
    let ranks = |list: &[u32]| Vec::from_iter(list.iter().copied().map(Rank));
    let pairs = |list: &[(u32, u32)]| Vec::from_iter(list.iter().map(|&(a, b)| (Rank(a), Rank(b))));
    // As in the paper's case study: 1 and 3 wait for nobody by collectives, and 3 for a message of 0, which does.
    let least = |messages: &[(u32, u32)]| {
        let collective = pairs(&[(0, 1), (2, 0)]);
        least_progressed(&ranks(&[0, 1, 2, 3]), &collective, &pairs(messages))
    };
    assert_eq!(least(&[(3, 0)]), ranks(&[1]));
    assert_eq!(least(&[(3, 1)]), ranks(&[1, 3]));
    assert_eq!(least(&[]), ranks(&[1, 3]));
    // One alone is kept.
    assert_eq!(
        least_progressed(&ranks(&[0, 1]), &pairs(&[(0, 1)]), &pairs(&[(1, 0)])),
        ranks(&[1])
    );
}

/// Models that tasks share count as often as there are tasks, and those who are not asked about show the way all the same.
#[test]
fn equal_models_are_merged_and_others_show_the_way() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let models: Vec<Model> = (0..3)
            .map(|_| {
                let mut steps = Vec::new();
                for _ in 0..6 {
                    let (from, to) = (random.below(5) as u32, random.below(5) as u32);
                    steps.push((State(from), State(to), 1 + random.below(3) as u64));
                }
                let visits = (0..5)
                    .map(|state| (State(state), random.below(4) as u64))
                    .collect();
                Model { steps, visits }
            })
            .collect();
        let shared: Vec<Arc<Model>> = models.iter().cloned().map(Arc::new).collect();
        let places: Vec<(usize, u32)> = (0..12)
            .map(|_| (random.below(3), random.below(5) as u32))
            .collect();
        let past = |(rank, (_, at)): (usize, &(usize, u32)), model: Arc<Model>| Past {
            rank: Rank(rank as u32),
            model,
            at: State(*at),
        };
        let each = places.iter().enumerate();
        let together: Vec<Past> = each
            .clone()
            .map(|place| past(place, Arc::clone(&shared[place.1.0])))
            .collect();
        let apart: Vec<Past> = each
            .map(|place| past(place, Arc::new(models[place.1.0].clone())))
            .collect();
        let all = ranks_of(&apart);
        let sorted = |pasts: &[Past], asked: &BTreeSet<Rank>| {
            let mut found: Vec<String> = inferred(pasts, asked, View::Merged)
                .iter()
                .map(|each| format!("{each:?}"))
                .collect();
            found.sort();
            found
        };
        let found = sorted(&together, &all);
        assert_eq!(found, sorted(&apart, &all), "seed {seed}");
        // Of two alone the same is said as among all.
        for (one, other) in [(0, 1), (3, 7), (5, 11)] {
            let asked = BTreeSet::from([Rank(one), Rank(other)]);
            let pair = inferred(&apart, &asked, View::Merged);
            let is_same = |each: &Inferred| {
                // Of a kind the first is named as behind: compare what is said of the ones that were asked about.
                asked.contains(&each.ahead) && asked.contains(&each.behind)
            };
            assert!(pair.iter().all(is_same), "seed {seed}: {pair:?}");
            let among_all = inferred(&apart, &all, View::Merged);
            for each in &among_all {
                if asked.contains(&each.ahead) && asked.contains(&each.behind) {
                    assert!(pair.contains(each), "seed {seed}: {each:?} is not in {pair:?}");
                }
            }
        }
    }
}
