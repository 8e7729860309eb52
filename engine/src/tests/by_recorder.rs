//! What the recorder finds beside what the stacks say.

use super::{map, tasks};
use crate::recorded::{self, Collective, Doing, Edge, How, Identity, Part, Rank, Stage, Waiting, Why};
use crate::{Answer, Certainty, Grounds, Outwards, SliceStep, Witness};
use base::RankSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use waitgraph::recorded::Needs;
use waitgraph::{WaitGraph, Whom};

pub(crate) fn doing(rank: u32) -> Doing {
    Doing {
        rank,
        operation: None,
        threads: Vec::new(),
        polls: None,
        for_ns: 0,
        stage: Stage::Running,
        moves: false,
        is_gone: false,
        pid: rank + 100,
        host: String::new(),
        is_partial: false,
        may_be_joined: false,
        completed: 0,
        longest: None,
        before: None,
    }
}

/// Three tasks that wait as `edges` say, the first of each for the second.
pub(crate) fn waiting(edges: &[(u32, u32)], graph: WaitGraph) -> Waiting {
    let edge = |&(waiter, on): &(u32, u32)| Edge {
        waiter: Rank(waiter),
        thread: 0,
        on: [Rank(on)].into(),
        why: Why::Message {
            communicator: Identity(1),
            tag: Some(7),
            number: Some(1),
            sent: 0,
            unwanted: Vec::new(),
            alternatives: false,
        },
        how: How::Blocked,
        certainty: recorded::Certainty::Proven,
    };
    Waiting {
        tasks: (0..3).map(doing).collect(),
        size: 3,
        graph: WaitGraph {
            edges: edges.iter().map(edge).collect(),
            ..graph
        },
        operations: Vec::new(),
        communicators: BTreeMap::new(),
        least: None,
        last_events: None,
    }
}

fn awaited(edges: &[(u32, u32)], ranks: &[u32]) -> Waiting {
    let awaited = ranks.iter().copied().map(Rank).collect();
    waiting(
        edges,
        WaitGraph {
            awaited,
            ..WaitGraph::default()
        },
    )
}

fn deadlock(proven: &[u32]) -> Waiting {
    let ranks = vec![Rank(0), Rank(1)];
    let graph = WaitGraph {
        stuck: ranks.clone(),
        proven: proven.iter().copied().map(Rank).collect(),
        cycles: vec![ranks],
        closed: 1,
        ..WaitGraph::default()
    };
    waiting(&[(0, 1), (1, 0), (2, 0)], graph)
}

/// Three tasks in one function: nobody is behind by the code.
fn beside(lines: &[&str], waiting: Waiting) -> Answer {
    let map = map("void f(void) {\n  g();\n  h();\n}\n");
    let mut answer = super::answer(&map, &tasks(lines), RankSet::default());
    answer.beside_recordings(waiting);
    answer
}

const ALIKE: [&str; 3] = ["f:2,g:0", "f:2,g:0", "f:2,g:0"];
const ORDERED: [&str; 3] = ["f:3,h:0", "f:3,h:0", "f:2,g:0"];

fn named(answer: &Answer) -> Option<(String, Certainty, Witness)> {
    let found = answer.finding.as_ref()?;
    Some((found.who.ranks.to_string(), found.certainty, found.by))
}

#[test]
fn a_deadlock_is_found_where_nobody_is_behind() {
    let answer = beside(&ALIKE, deadlock(&[0, 1]));
    assert_eq!(
        named(&answer),
        Some(("0-1".to_owned(), Certainty::Proven, Witness::Recorder))
    );
    assert_eq!(answer.finding.unwrap().classes, [0]);
    // Some of them may do other things between their questions.
    let answer = beside(&ALIKE, deadlock(&[0]));
    assert_eq!(
        named(&answer),
        Some(("0-1".to_owned(), Certainty::Probable, Witness::Recorder))
    );
    assert!(answer.finding.unwrap().doubt.is_some());
}

#[test]
fn what_the_order_proves_stands_and_others_are_said_beside_it() {
    let by_order = Some(("2".to_owned(), Certainty::Proven, Witness::Order));
    let answer = beside(&ORDERED, deadlock(&[0, 1]));
    assert_eq!(named(&answer), by_order);
    assert!(answer.recorder_finds_others());
    let answer = beside(&ORDERED, awaited(&[(0, 2), (1, 2)], &[2]));
    assert_eq!(named(&answer), by_order);
    assert!(!answer.recorder_finds_others());
}

#[test]
fn whom_all_others_wait_for_is_proven_only_where_all_are_known() {
    let found = |change: &dyn Fn(&mut Waiting)| {
        let mut waiting = awaited(&[(0, 2), (1, 2)], &[2]);
        change(&mut waiting);
        let answer = beside(&ALIKE, waiting);
        let found = answer.finding.filter(|found| found.grounds == Grounds::Recorded);
        found.map(|found| (found.who.ranks.to_string(), found.certainty))
    };
    assert_eq!(found(&|_| {}), Some(("2".to_owned(), Certainty::Proven)));
    let probably = Some(("2".to_owned(), Certainty::Probable));
    assert_eq!(found(&|waiting| waiting.size = 4), probably);
    assert_eq!(found(&|waiting| waiting.tasks[0].is_partial = true), probably);
    assert_eq!(found(&|waiting| waiting.graph.edges.truncate(1)), probably);
    // MPI_Waitall and MPI_Sendrecv wait for several things at once: one that is certain is enough.
    let second = |certainty: recorded::Certainty| {
        move |waiting: &mut Waiting| {
            waiting.graph.edges[0].certainty = recorded::Certainty::Probable;
            let edge = waiting.graph.edges[0].clone();
            waiting.graph.edges.push(Edge { certainty, ..edge });
        }
    };
    assert_eq!(found(&second(recorded::Certainty::Probable)), probably);
    assert_eq!(
        found(&second(recorded::Certainty::Proven)),
        Some(("2".to_owned(), Certainty::Proven))
    );
    // It comes to what they wait for, as far as anybody can tell.
    assert_eq!(found(&|waiting| waiting.tasks[2].moves = true), None);
    // Of several that are as many as the others none stands out.
    assert_eq!(
        found(&|waiting| waiting.graph.awaited = vec![Rank(1), Rank(2)]),
        None
    );
}

/// The graph of tasks in a file of their own, with everything that follows from these edges left to the caller.
fn graph_of(tasks: u32, edges: Vec<Edge>, graph: WaitGraph) -> Waiting {
    Waiting {
        tasks: (0..tasks).map(doing).collect(),
        size: tasks,
        graph: WaitGraph { edges, ..graph },
        operations: vec!["MPI_Barrier".to_owned()],
        communicators: BTreeMap::new(),
        least: None,
        last_events: None,
    }
}

/// A wait in one of some barriers for these.
fn in_barrier(waiter: u32, on: &Arc<[Rank]>, ordinal: u64) -> Edge {
    let collective = Collective {
        communicator: Identity(1),
        members: Arc::from([]),
        ordinal,
        operation: 0,
        root: None,
        bytes: None,
        reduction: None,
        needs: Needs::All,
    };
    Edge {
        waiter: Rank(waiter),
        thread: 0,
        on: Whom::all(Arc::clone(on)),
        why: Why::Entry {
            collective,
            entered: 0,
        },
        how: How::Blocked,
        certainty: recorded::Certainty::Proven,
    }
}

#[test]
fn tasks_that_wait_alike_are_one_node() {
    let on: Arc<[Rank]> = [Rank(9_999)].into();
    let edges = (0..9_999).map(|waiter| in_barrier(waiter, &on, 1)).collect();
    let graph = WaitGraph {
        awaited: vec![Rank(9_999)],
        ..WaitGraph::default()
    };
    let found = graph_of(10_000, edges, graph).condensed();
    let nodes: Vec<(String, Part, u32)> = found
        .nodes
        .iter()
        .map(|node| (node.ranks.to_string(), node.part, node.distance))
        .collect();
    assert_eq!(
        nodes,
        [
            ("9999".to_owned(), Part::Awaited, 0),
            ("0-9998".to_owned(), Part::Waits, 1)
        ]
    );
    assert_eq!(found.links.len(), 1);
    assert_eq!((found.links[0].from, found.links[0].to), (1, 0));
}

#[test]
fn a_short_ring_is_seen_call_by_call_and_a_long_one_as_one_node() {
    let ring = |tasks: u32| {
        let message = |waiter: u32| waiting(&[(waiter, (waiter + 1) % tasks)], WaitGraph::default());
        let edges = (0..tasks)
            .flat_map(|waiter| message(waiter).graph.edges)
            .collect();
        let ranks = Vec::from_iter((0..tasks).map(Rank));
        let graph = WaitGraph {
            stuck: ranks.clone(),
            cycles: vec![ranks],
            closed: 1,
            ..WaitGraph::default()
        };
        graph_of(tasks, edges, graph).condensed()
    };
    let short = ring(5);
    assert_eq!((short.nodes.len(), short.links.len()), (5, 5));
    let long = ring(5_000);
    assert_eq!((long.nodes.len(), long.links.len()), (1, 1));
    assert_eq!(long.links[0].on.len(), 5_000);
}

/// A few tasks wait in an operation of their own each for very many others: what is told of that has a bound, and it is said that there is more.
#[test]
fn what_is_told_of_waits_for_many_has_a_bound() {
    let tasks = 20_000;
    let on: Arc<[Rank]> = (38..tasks).map(Rank).collect();
    let edges = (0..38).map(|waiter| in_barrier(waiter, &on, u64::from(waiter)));
    let found = graph_of(tasks, edges.collect(), WaitGraph::default()).condensed();
    let named: u64 = found.links.iter().map(|link| link.on.len()).sum();
    assert!(found.is_cut && (1 << 19..1 << 20).contains(&named), "{named}");
}

/// A wait for a message under this tag.
fn under_tag(waiter: u32, on: u32, tag: i64) -> Edge {
    let mut edges = waiting(&[(waiter, on)], WaitGraph::default()).graph.edges;
    if let Why::Message { tag: of, .. } = &mut edges[0].why {
        *of = Some(tag);
    }
    edges.remove(0)
}

/// However many tasks there are, and in however many ways they wait, the picture has so few boxes and lines that a person can read it, and every task is in a box. Where there are few ways
/// each is a box.
#[test]
fn a_picture_of_any_job_can_be_read() {
    const TASKS: u32 = 10_000;
    let all_stuck = |cycles: Vec<Vec<Rank>>| WaitGraph {
        stuck: (0..TASKS).map(Rank).collect(),
        closed: cycles.len(),
        cycles,
        ..WaitGraph::default()
    };
    let tag_of = |rank: u32| i64::from(rank);
    let pairs = || {
        let edges = (0..TASKS).map(|rank| under_tag(rank, rank ^ 1, tag_of(rank)));
        let cycles = (0..TASKS).step_by(2).map(|rank| vec![Rank(rank), Rank(rank + 1)]);
        graph_of(TASKS, edges.collect(), all_stuck(cycles.collect()))
    };
    let awaited = |rank: u32| WaitGraph {
        awaited: vec![Rank(rank)],
        ..WaitGraph::default()
    };
    let chain = || {
        let edges = (1..TASKS).map(|rank| under_tag(rank, rank - 1, tag_of(rank)));
        graph_of(TASKS, edges.collect(), awaited(0))
    };
    let one_for_all = || {
        let edges = (1..TASKS).map(|rank| under_tag(0, rank, tag_of(rank)));
        graph_of(TASKS, edges.collect(), WaitGraph::default())
    };
    let operations = || {
        let mut waiting = chain();
        for task in &mut waiting.tasks {
            task.operation = Some(format!("MPI_Operation{}", task.rank % 500));
        }
        waiting
    };
    let classes = || {
        let on: Arc<[Rank]> = [Rank(0)].into();
        let edges = (1..TASKS).map(|rank| in_barrier(rank, &on, u64::from(rank % 15)));
        graph_of(TASKS, edges.collect(), awaited(0))
    };
    let jobs = [
        (pairs(), 2..5),
        (chain(), 2..4),
        (one_for_all(), 2..3),
        (operations(), 2..4),
        (classes(), 16..17),
    ];
    for (waiting, boxes) in jobs {
        let found = waiting.condensed();
        let headline = waiting.verdict();
        assert!(
            boxes.contains(&found.nodes.len()),
            "{headline:?}: {}",
            found.nodes.len()
        );
        assert!(found.links.len() <= 40, "{headline:?}: {}", found.links.len());
        let ranks = found.nodes.iter().map(|node| node.ranks.len());
        assert_eq!(ranks.sum::<u64>(), u64::from(TASKS));
        let node_of = |rank: u32| found.nodes.iter().position(|node| node.ranks.contains(rank));
        for edge in &waiting.graph.edges {
            for on in edge.on.iter() {
                let ends = (node_of(edge.waiter.0), node_of(on.0));
                let is_it = |link: &recorded::Link| {
                    (Some(link.from), Some(link.to)) == ends && link.on.contains(on.0)
                };
                assert!(found.links.iter().any(is_it), "{headline:?}: {edge:?}");
            }
        }
    }
    // The members of the first ring are the answer itself.
    let found = pairs().condensed();
    let alone = found.nodes.iter().filter(|node| node.ranks.len() == 1);
    assert_eq!(
        Vec::from_iter(alone.map(|node| node.ranks.first())),
        [Some(0), Some(1)]
    );
    let rest = found.nodes.iter().find(|node| node.ranks.contains(2)).unwrap();
    assert_eq!((rest.part, rest.kinds), (Part::Cycle, TASKS as usize - 2));
}

/// Every wait of the full graph is one of the links between the nodes of its two tasks, and every task is in one node.
#[test]
fn no_wait_is_lost_and_none_is_made_up() {
    for seed in 0..300 {
        let mut random = base::Random(seed);
        let tasks = 2 + random.below(30) as u32;
        let lists: Vec<Arc<[Rank]>> = (0..3)
            .map(|_| {
                let mut list: Vec<Rank> = (0..tasks + 2)
                    .filter(|_| random.below(3) == 0)
                    .map(Rank)
                    .collect();
                list.push(Rank(tasks + 2));
                list.into()
            })
            .collect();
        let edges: Vec<Edge> = (0..tasks)
            .map(|waiter| in_barrier(waiter, &lists[random.below(3)], random.below(2) as u64))
            .filter(|edge| edge.waiter.0 % 4 > 0)
            .collect();
        let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
        pairs.extend(
            edges
                .iter()
                .flat_map(|edge| edge.on.iter().map(|on| (edge.waiter.0, on.0))),
        );
        let missing = Vec::from_iter((tasks..tasks + 3).map(Rank));
        let graph = WaitGraph {
            missing,
            ..WaitGraph::default()
        };
        let found = graph_of(tasks, edges, graph).condensed();
        let node_of = |rank: u32| {
            found
                .nodes
                .iter()
                .position(|node| node.ranks.contains(rank))
                .unwrap()
        };
        for (waiter, on) in &pairs {
            let is_it = |link: &&recorded::Link| (link.from, link.to) == (node_of(*waiter), node_of(*on));
            assert!(
                found.links.iter().filter(is_it).any(|link| link.on.contains(*on)),
                "seed {seed}"
            );
        }
        for link in &found.links {
            for on in link.on.iter() {
                let is_one = |rank: u32| pairs.contains(&(rank, on));
                assert!(found.nodes[link.from].ranks.iter().any(is_one), "seed {seed}");
            }
        }
        assert_eq!(
            found.nodes.iter().map(|node| node.ranks.len()).sum::<u64>(),
            u64::from(tasks) + 3
        );
    }
}

/// Of any groups of tasks, of which some have a task twice and some tasks are in none, the waits between them are those of the full graph.
#[test]
fn waits_between_groups_of_any_kind_are_those_of_their_tasks() {
    for seed in 0..200 {
        let mut random = base::Random(seed);
        let lists: Vec<Arc<[Rank]>> = (0..3)
            .map(|_| {
                let some = (0..12).filter(|_| random.below(3) == 0).map(Rank);
                Vec::from_iter(some.chain([Rank(12)])).into()
            })
            .collect();
        let edges: Vec<Edge> = (0..12)
            .map(|waiter| in_barrier(waiter, &lists[random.below(3)], 1))
            .collect();
        let groups: Vec<RankSet> = (0..4)
            .map(|_| (0..12).filter(|_| random.below(3) == 0).collect())
            .collect();
        let group_of = |rank: Rank| {
            let mut places = groups.iter();
            places
                .position(|group| group.contains(rank.0))
                .unwrap_or(groups.len())
        };
        let mut expected: BTreeSet<(usize, usize, u32)> = BTreeSet::new();
        for edge in &edges {
            let on = edge.on.iter();
            expected.extend(on.map(|on| (group_of(edge.waiter), group_of(on), on.0)));
        }
        let waiting = graph_of(12, edges, WaitGraph::default());
        let found = waiting.between(&groups).into_iter();
        let found = found.flat_map(|link| Vec::from_iter(link.on.iter().map(|on| (link.from, link.to, on))));
        assert_eq!(BTreeSet::from_iter(found), expected, "seed {seed}");
    }
}

/// Five tasks in five places: 0 and 4 wait for 1, 1 for 2, which waits for nobody, as 3 does.
fn in_a_chain() -> Answer {
    let map = map("void f(void) {\n  a();\n  b();\n  c();\n  d();\n  e();\n}\n");
    let stacks = ["f:2,a:0", "f:3,b:0", "f:4,c:0", "f:5,d:0", "f:6,e:0"];
    let mut answer = super::answer(&map, &tasks(&stacks), RankSet::default());
    let mut waiting = awaited(&[(0, 1), (1, 2), (4, 1)], &[2]);
    waiting.tasks = (0..5).map(doing).collect();
    answer.finding = None;
    answer.beside_recordings(waiting);
    answer
}

#[test]
fn a_slice_grows_along_the_waits_class_by_class() {
    let answer = in_a_chain();
    let steps = |outwards| {
        let step = |step: SliceStep| {
            let who = |class: usize| answer.classes[class].who.ranks.to_string();
            (
                who(step.class),
                Vec::from_iter(step.waits_for.into_iter().map(who)),
            )
        };
        Vec::from_iter(answer.slice_steps(outwards).into_iter().map(step))
    };
    let said = |who: &str, on: &[&str]| (who.to_owned(), Vec::from_iter(on.iter().map(|&on| on.to_owned())));
    assert_eq!(steps(Outwards::Waits(0)), [said("2", &[])]);
    let all = [
        said("2", &[]),
        said("1", &["2"]),
        said("0", &["1"]),
        said("4", &["1"]),
    ];
    assert_eq!(steps(Outwards::Waits(1)), all[..2]);
    assert_eq!(steps(Outwards::Waits(2)), all[..3]);
    // Nobody waits for 3, nor does it wait: it is in no slice along the waits, however long.
    assert_eq!(steps(Outwards::Waits(9)), all);
    assert_eq!(steps(Outwards::Progress(9)).len(), 5);
}

#[test]
fn who_has_a_lock_is_never_proven() {
    let lock = |target| {
        Why::Lock(recorded::Lock {
            window: Identity(2),
            target,
            access: recorded::LockKind::Exclusive,
        })
    };
    let both = [Rank(0), Rank(1)];
    let mut found = deadlock(&[]);
    assert!(found.doubt_of(&both).contains("MPI_THREAD_MULTIPLE"));
    found.graph.edges[0].how = How::Polling;
    assert!(found.doubt_of(&both).contains("ask again"));
    found.graph.edges[0].why = lock(Some(Rank(1)));
    assert!(found.doubt_of(&both).contains("locked"));
    let probably = |ranks: &str| Some((ranks.to_owned(), Certainty::Probable, Witness::Recorder));
    assert_eq!(named(&beside(&ALIKE, found)), probably("0-1"));
    // One of three waits for a lock, and one for a message: that all wait for the third is not certain.
    let mut found = awaited(&[(0, 2), (1, 2)], &[2]);
    found.graph.edges[0].why = lock(None);
    assert_eq!(named(&beside(&ALIKE, found)), probably("2"));
}
