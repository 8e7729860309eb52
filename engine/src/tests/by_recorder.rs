//! What the recorder finds beside what the stacks say.

use super::{map, tasks};
use crate::recorded::{self, Doing, Edge, How, Identity, Rank, Stage, Waiting, Why};
use crate::{Answer, Certainty, Grounds, Witness};
use base::RankSet;
use std::collections::BTreeMap;
use waitgraph::WaitGraph;

fn doing(rank: u32) -> Doing {
    Doing {
        rank,
        operation: None,
        polls: None,
        for_ns: 0,
        stage: Stage::Running,
        moves: false,
        is_gone: false,
        pid: rank + 100,
        host: String::new(),
        is_partial: false,
    }
}

/// Three tasks that wait as `edges` say, the first of each for the second.
fn waiting(edges: &[(u32, u32)], graph: WaitGraph) -> Waiting {
    let edge = |&(waiter, on): &(u32, u32)| Edge {
        waiter: Rank(waiter),
        on: Rank(on),
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
    // It comes to what they wait for, as far as anybody can tell.
    assert_eq!(found(&|waiting| waiting.tasks[2].moves = true), None);
    // Of several that are as many as the others none stands out.
    assert_eq!(
        found(&|waiting| waiting.graph.awaited = vec![Rank(1), Rank(2)]),
        None
    );
}
