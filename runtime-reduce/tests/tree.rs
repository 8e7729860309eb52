//! Processes that are threads, connected by channels: what the root says is what a gather of the same reports says, and of those who hang nobody but they and those below them is missing.

use base::{Random, RankSet};
use nodes::{
    Found, FromNode, Look, MapPlace, Merge, NodeId, PIECE, Plan, Reader, RecordedPart, Report, ToNode, tree,
};
use runtime_reduce::{LOOK, Network, Next, Process, Source};
use snapshot::{Frame, Header, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// One thread's end of the channels between all of them.
struct Channels {
    rank: u32,
    to: Vec<Sender<Arc<[u8]>>>,
    from: Vec<Receiver<Arc<[u8]>>>,
}

/// The ends of so many processes.
fn channels(size: u32) -> Vec<Channels> {
    let mut ends = Vec::from_iter((0..size).map(|rank| Channels {
        rank,
        to: Vec::new(),
        from: Vec::new(),
    }));
    for from in 0..ends.len() {
        for to in 0..ends.len() {
            let (sender, receiver) = channel();
            ends[from].to.push(sender);
            ends[to].from.push(receiver);
        }
    }
    ends
}

impl Network for Channels {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.to.len() as u32
    }

    fn send(&mut self, to: &[u32], bytes: &Arc<[u8]>, _: Instant) -> Vec<u32> {
        let mut lost = to.to_vec();
        lost.retain(|&to| self.to[to as usize].send(bytes.clone()).is_err());
        lost
    }

    fn receive(&mut self, from: u32, until: Instant) -> Option<Vec<u8>> {
        let left = until.saturating_duration_since(Instant::now());
        let bytes = self.from[from as usize].recv_timeout(left).ok()?;
        Some(bytes.to_vec())
    }
}

/// What a process does when it is asked for a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Answers,
    /// It comes to no end of it.
    Hangs,
    /// It ends.
    Ends,
}

/// Reports of some nodes.
struct Reports {
    own: BTreeMap<NodeId, Report>,
    manner: Manner,
}

impl Source for Reports {
    fn find(&mut self, plan: &Plan) -> BTreeMap<NodeId, Result<Found, String>> {
        assert_eq!(plan.patience(), PATIENCE);
        self.own
            .keys()
            .map(|&node| (node, Ok(Found::default())))
            .collect()
    }

    fn take_map(&mut self, place: MapPlace, bytes: &[u8]) {
        assert_eq!((place, bytes), (MapPlace::First, &b"map"[..]));
    }

    fn look(&mut self, _: Look, merge: &mut Merge) {
        if self.manner == Manner::Hangs {
            std::thread::sleep(PATIENCE * 2);
        }
        for (&node, report) in &self.own {
            merge.add(node, None, report.clone());
        }
    }

    fn recordings(&mut self) -> BTreeMap<NodeId, Vec<u8>> {
        recordings(self.own.keys())
    }
}

/// What the tasks of some of these nodes have recorded, which here is any bytes.
fn recordings<'n>(nodes: impl Iterator<Item = &'n NodeId>) -> BTreeMap<NodeId, Vec<u8>> {
    let recorded = nodes.filter(|NodeId(node)| node % 3 == 0);
    recorded
        .map(|&node| (node, vec![7; 1 + node.0 as usize]))
        .collect()
}

const PATIENCE: Duration = Duration::from_millis(1500);

fn report(random: &mut Random, node: u32) -> Report {
    let task = |random: &mut Random, rank: u32| Task {
        task: rank.to_string(),
        rank: Some(rank),
        held_ns: Some(random.below(5000) as u64),
        frames: vec![Frame {
            function: format!("f{}", random.below(4)),
            ..Frame::default()
        }]
        .into(),
        ..Task::default()
    };
    let ranks = node * 4..node * 4 + 1 + random.below(4) as u32;
    Report::of(Header::default(), ranks.map(|rank| task(random, rank)).collect())
}

/// What the root says of two looks and of what was recorded, as bytes, and of which nodes it had found anything.
fn reduced(dealt: Vec<Reports>) -> ([Vec<u8>; 2], Vec<u8>, BTreeSet<NodeId>) {
    let mut ends = channels(dealt.len() as u32).into_iter().zip(dealt);
    let (root, own) = ends.next().unwrap();
    let others = Vec::from_iter(ends.map(|(end, own)| std::thread::spawn(move || follow(end, own))));
    let mut root = Process::new(root, own);
    let plan = Plan {
        patience_ms: PATIENCE.as_millis() as u64,
        ..Plan::default()
    };
    let mut found = BTreeSet::new();
    let mut ask = |question: ToNode| {
        let mut answer = Vec::new();
        let next = root.answer(question, Some(&mut |frame| answer.extend_from_slice(frame)));
        assert_eq!(next, Next::Question);
        answer
    };
    let mut reader = Reader::default();
    reader.push(&ask(ToNode::Plan(plan)));
    while let Some(frame) = reader.next_frame().unwrap() {
        match FromNode::of(frame).unwrap() {
            FromNode::FoundThere(there) => found.extend(there.nodes.into_keys()),
            other => panic!("{other:?}"),
        }
    }
    let map = ToNode::Map {
        place: MapPlace::First,
        bytes: b"map".to_vec(),
    };
    assert!(ask(map).is_empty());
    let looks = [ask(ToNode::Look(LOOK)), ask(ToNode::Look(LOOK))];
    let recorded = ask(ToNode::Recordings);
    assert_eq!(root.answer(ToNode::End, None), Next::Nothing);
    drop(root);
    others.into_iter().for_each(|other| other.join().unwrap());
    (looks, recorded, found)
}

/// A process that is not the root, to its end.
fn follow(end: Channels, own: Reports) {
    let manner = own.manner;
    let mut process = Process::new(end, own);
    while let Some(question) = process.next_question(Instant::now() + PATIENCE * 4) {
        let question = question.unwrap();
        if manner == Manner::Ends && matches!(question, ToNode::Look(_)) {
            return;
        }
        if process.answer(question, None) == Next::Nothing {
            return;
        }
    }
}

/// The same reports, merged by who asks.
fn gathered<'r>(reports: impl Iterator<Item = (NodeId, &'r Report)>) -> Vec<u8> {
    let mut merge = Merge::default();
    reports.for_each(|(node, report)| merge.add(node, None, report.clone()));
    let pieces = merge.into_pieces(PIECE).map(FromNode::Piece);
    pieces.flat_map(|piece| piece.to_bytes().unwrap()).collect()
}

/// What the tasks of these nodes have recorded, as who asks each of them has it.
fn recorded<'n>(nodes: impl Iterator<Item = &'n NodeId>) -> Vec<u8> {
    let parts = RecordedPart::messages(recordings(nodes)).into_iter();
    let frames = parts.map(|part| FromNode::Recorded(part).to_bytes().unwrap());
    frames.flatten().collect()
}

/// Nodes with their reports, each dealt to some process.
fn dealt(random: &mut Random, size: u32) -> (BTreeMap<NodeId, Report>, Vec<BTreeMap<NodeId, Report>>) {
    let all = BTreeMap::from_iter((0..size * 2).map(|node| (NodeId(node), report(random, node))));
    let mut dealt = vec![BTreeMap::new(); size as usize];
    for (node, report) in &all {
        dealt[random.below(size as usize)].insert(*node, report.clone());
    }
    (all, dealt)
}

#[test]
fn the_root_says_what_a_gather_says() {
    for size in [1, 2, 3, 5, 8, 13] {
        let mut random = Random(size.into());
        let (all, dealt) = dealt(&mut random, size);
        let answering = |own| Reports {
            own,
            manner: Manner::Answers,
        };
        let (looks, told, found) = reduced(dealt.into_iter().map(answering).collect());
        let expected = gathered(all.iter().map(|(&node, report)| (node, report)));
        assert!(looks.iter().all(|look| *look == expected), "{size} processes");
        assert!(found.iter().eq(all.keys()), "{size} processes");
        assert!(told == recorded(all.keys()), "{size} processes");
    }
}

#[test]
fn who_hangs_or_ends_costs_those_below_him_and_nobody_else() {
    for (size, culprit, manner) in [
        (8, 6, Manner::Hangs),
        (8, 7, Manner::Ends),
        (13, 4, Manner::Hangs),
        (5, 4, Manner::Ends),
    ] {
        let mut random = Random(culprit.into());
        let (all, dealt) = dealt(&mut random, size);
        let mut below = Vec::from([culprit]);
        let mut at = 0;
        while let Some(&process) = below.get(at) {
            below.extend(tree::children(process, size));
            at += 1;
        }
        let is_below = |process: usize| below.contains(&(process as u32));
        let missing: BTreeSet<NodeId> = (dealt.iter().enumerate())
            .filter(|&(process, _)| is_below(process))
            .flat_map(|(_, own)| own.keys().copied())
            .collect();
        let own = dealt.into_iter().enumerate().map(|(process, own)| Reports {
            own,
            manner: if process as u32 == culprit {
                manner
            } else {
                Manner::Answers
            },
        });
        let begun = Instant::now();
        let (looks, told, found) = reduced(own.collect());
        assert!(begun.elapsed() < PATIENCE * 5, "{size} {culprit}");
        assert!(found.iter().eq(all.keys()));
        let there = all.iter().filter(|(node, _)| !missing.contains(node));
        let expected = gathered(there.map(|(&node, report)| (node, report)));
        assert!(
            looks.iter().all(|look| *look == expected),
            "{size} {culprit} {manner:?}"
        );
        let there = all.keys().filter(|node| !missing.contains(node));
        assert!(told == recorded(there), "{size} {culprit} {manner:?}");
    }
}

/// Ranks of which two nodes speak are believed of neither, wherever on the way that is seen.
#[test]
fn contradictions_are_those_of_a_gather() {
    let mut random = Random(3);
    let twice = report(&mut random, 0);
    let own = |node: u32| Reports {
        own: BTreeMap::from([(NodeId(node), twice.clone())]),
        manner: Manner::Answers,
    };
    let (looks, ..) = reduced((0..4).map(own).collect());
    let mut reader = Reader::default();
    reader.push(&looks[0]);
    let FromNode::Piece(piece) = FromNode::of(reader.next_frame().unwrap().unwrap()).unwrap() else {
        panic!("no piece")
    };
    let mut merge = Merge::default();
    merge.absorb([piece], |_| true, |_| None::<&RankSet>);
    let merged = merge.finish(&|_| "node");
    assert!(
        merged.tasks.is_empty() && merged.complaints.len() == 1,
        "{merged:?}"
    );
}
