//! Reports of nodes, merged, against the same tasks looked at all at once: any split into nodes, any order of arrival, reports that come twice.

use base::{Random, RankSet};
use nodes::{Complaint, FromNode, Merge, NodeId, Piece, Reader, Report};
use snapshot::{Frame, Frames, Header, ProcessState, RunState, Task, Thread};
use std::collections::{BTreeMap, BTreeSet};

const SEEDS: u64 = 40;

/// A task of few possible stacks, with things of its own.
fn task(random: &mut Random, rank: Option<u32>, pid: u32) -> Task {
    let frames = |random: &mut Random| {
        let depth = 1 + random.below(2);
        let frame = |random: &mut Random| {
            let passed = random.below(3);
            Frame {
                function: ["main", "MPI_Recv"][random.below(2)].to_owned(),
                passed: (0..passed as u8)
                    .map(|place| (place, random.below(1 << 20) as u64))
                    .collect(),
                ..Frame::default()
            }
        };
        (0..depth).map(|_| frame(random)).collect::<Frames>()
    };
    let state = |random: &mut Random| ProcessState {
        run: [RunState::Running, RunState::Sleeping][random.below(2)],
        cpu_ms: Some(random.below(1000) as u64),
        ..ProcessState::default()
    };
    let threads = (0..random.below(2) as u32).map(|number| Thread {
        thread: pid + number + 1,
        frames: frames(random),
        state: Some(state(random)),
        ..Thread::default()
    });
    Task {
        threads: threads.collect(),
        task: rank.unwrap_or(pid).to_string(),
        rank,
        pid: Some(pid),
        frames: frames(random),
        error: (random.below(8) == 0).then(|| "it has ended".to_owned()),
        held_ns: Some(random.below(5000) as u64),
        state: Some(state(random)),
        ..Task::default()
    }
}

struct Job {
    hosts: Vec<String>,
    nodes: Vec<Vec<Task>>,
}

impl Job {
    fn host(&self, node: NodeId) -> &str {
        &self.hosts[node.0 as usize]
    }
}

fn job(random: &mut Random) -> Job {
    let count = 1 + random.below(5);
    let hosts = Vec::from_iter((0..count).map(|node| format!("node{node}")));
    let mut nodes = vec![Vec::new(); count];
    for rank in 0..random.below(40) as u32 {
        let pid = 100 + random.below(10_000) as u32 * 10;
        let rank = (random.below(12) > 0).then_some(rank);
        let made = task(random, rank, pid);
        nodes[random.below(count)].push(made);
    }
    // Tasks without a rank are named by their pid, of which a host has one.
    for node in &mut nodes {
        let mut seen = BTreeSet::new();
        node.retain(|task| seen.insert(task.task.clone()));
    }
    Job { hosts, nodes }
}

/// What all hosts together have, without any merging.
fn flat(job: &Job) -> Vec<Task> {
    let tasks = job.hosts.iter().zip(&job.nodes).flat_map(|(host, tasks)| {
        tasks.iter().map(move |task| Task {
            host: host.into(),
            task: match task.rank {
                Some(_) => task.task.clone(),
                None => format!("{host}:{}", task.task),
            },
            ..task.clone()
        })
    });
    let mut tasks = Vec::from_iter(tasks);
    tasks.sort_by_key(|task| {
        (
            task.rank.is_none(),
            task.rank,
            task.host.clone(),
            task.task.clone(),
        )
    });
    tasks
}

/// A report, over the wire.
fn sent(tasks: &[Task]) -> Report {
    // What a host says of its clock plays no part, whatever it is.
    let header = Header {
        taken: Some(tasks.len() as u64 * 1_000_000_000),
        ..Header::default()
    };
    let report = Report::of(header, tasks.to_vec());
    let mut reader = Reader::default();
    reader.push(&FromNode::Report(report.clone()).to_bytes().unwrap());
    let frame = reader.next_frame().unwrap().unwrap();
    assert_eq!(FromNode::of(frame).unwrap(), FromNode::Report(report.clone()));
    report
}

fn shuffled(random: &mut Random, count: usize) -> Vec<usize> {
    let mut order = Vec::from_iter(0..count);
    // Some come twice.
    order.extend((0..random.below(3)).map(|_| random.below(count)));
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    order
}

fn ranks(tasks: &[Task]) -> RankSet {
    tasks.iter().filter_map(|task| task.rank).collect()
}

#[test]
fn any_split_and_any_order_give_what_one_look_at_all_would() {
    let mut shared = 0;
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let job = job(&mut random);
        let expected = flat(&job);
        let one_look = Report::of(Header::default(), job.nodes.concat()).stacks.len();
        for _ in 0..3 {
            let mut merge = Merge::default();
            for at in shuffled(&mut random, job.nodes.len()) {
                let own = ranks(&job.nodes[at]);
                merge.add(NodeId(at as u32), Some(&own), sent(&job.nodes[at]));
            }
            let merged = merge.finish(&|node| job.host(node));
            assert_eq!(merged.tasks, expected, "seed {seed}");
            assert_eq!(
                (merged.stacks, &merged.complaints[..]),
                (one_look, &[][..]),
                "seed {seed}"
            );
            shared += merged.tasks.len() - merged.stacks;
        }
    }
    assert!(shared > 300, "hardly any two tasks had one stack: {shared}");
}

/// The frames of an answer, and what is read of them. Small pieces, so that stacks are parted.
fn framed(merge: Merge) -> (Vec<u8>, Vec<Piece>) {
    let mut stream = Vec::new();
    for piece in merge.into_pieces(500) {
        stream.extend(FromNode::Piece(piece).to_bytes().unwrap());
    }
    let (mut reader, mut pieces) = (Reader::default(), Vec::new());
    reader.push(&stream);
    while let Some(frame) = reader.next_frame().unwrap() {
        match FromNode::of(frame).unwrap() {
            FromNode::Piece(piece) => pieces.push(piece),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(reader.finish(), Ok(()));
    let last = Vec::from_iter(pieces.iter().map(Piece::is_last));
    assert!(last.iter().rev().skip(1).all(|is_last| !is_last) && last.ends_with(&[true]));
    (stream, pieces)
}

/// Reports merged along any tree, in any order, some of them twice and one of them with lies, are the very bytes that they are when all of them are merged at once.
#[test]
fn along_any_tree_the_same_bytes_come_out() {
    let (mut parted, mut lies) = (0, 0);
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let mut job = job(&mut random);
        let own = Vec::from_iter(job.nodes.iter().map(|tasks| ranks(tasks)));
        let liar = random.below(job.nodes.len());
        job.nodes[liar].extend((0..random.below(5) as u32).map(|rank| task(&mut random, Some(rank), 7)));
        let all = Vec::from_iter(job.nodes.iter().map(|tasks| sent(tasks)));
        let add = |merge: &mut Merge, at: usize| {
            merge.add(NodeId(at as u32), Some(&own[at]), all[at].clone());
        };
        let gathered = || {
            let mut merge = Merge::default();
            (0..all.len()).for_each(|at| add(&mut merge, at));
            merge
        };
        let (expected, pieces) = framed(gathered());
        parted += usize::from(pieces.len() > 1);
        let flat = gathered().finish(&|node| job.host(node));
        lies += flat.complaints.len();
        for _ in 0..3 {
            let mut merges = Vec::from_iter(shuffled(&mut random, all.len()).into_iter().map(|at| {
                let mut merge = Merge::default();
                add(&mut merge, at);
                merge
            }));
            while merges.len() > 1 {
                let other = merges.swap_remove(random.below(merges.len()));
                let into = random.below(merges.len());
                merges[into].absorb(framed(other).1, |_| true, |_| None);
            }
            let (bytes, pieces) = framed(merges.remove(0));
            assert!(bytes == expected, "seed {seed}");
            let mut front = Merge::default();
            front.absorb(pieces, |_| true, |node| Some(&own[node.0 as usize]));
            assert_eq!(front.finish(&|node| job.host(node)), flat, "seed {seed}");
        }
        // Nobody speaks for a node that was not asked, or that has spoken for itself.
        let mut front = Merge::default();
        add(&mut front, 0);
        let strange = all[0].clone();
        let mut liars = Merge::default();
        (0..all.len()).for_each(|at| liars.add(NodeId(at as u32), None, strange.clone()));
        front.absorb(framed(liars).1, |node| node == NodeId(0), |_| None);
        let mut alone = Merge::default();
        add(&mut alone, 0);
        assert_eq!(
            front.finish(&|node| job.host(node)),
            alone.finish(&|node| job.host(node))
        );
    }
    assert!(parted > 20 && lies > 10, "{parted} {lies}");
}

/// One node claims ranks of others: of theirs at most nothing is believed, and all else is as without the claim.
#[test]
fn a_node_can_lie_about_its_own_ranks_only() {
    let mut lies = 0;
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let job = job(&mut random);
        let liar = random.below(job.nodes.len());
        let own = BTreeMap::from_iter(job.nodes.iter().map(|tasks| ranks(tasks)).enumerate());
        let invented = Vec::from_iter((0..40).map(|rank| task(&mut random, Some(rank), 7)));
        let claimed = RankSet::union(
            own.iter()
                .filter(|(node, _)| **node != liar)
                .map(|(_, ranks)| ranks),
        );
        let is_others = |task: &Task| task.rank.is_some_and(|rank| claimed.contains(rank));
        let of_others =
            |tasks: Vec<Task>| Vec::from_iter(tasks.into_iter().filter(|task| task.host != job.hosts[liar]));
        let honest = of_others(flat(&job));
        for knows_ranks in [true, false] {
            let mut merge = Merge::default();
            for at in shuffled(&mut random, job.nodes.len()) {
                let report = if at == liar {
                    sent(&invented)
                } else {
                    sent(&job.nodes[at])
                };
                merge.add(NodeId(at as u32), knows_ranks.then_some(&own[&at]), report);
            }
            let merged = merge.finish(&|node| job.host(node));
            let complained = merged.complaints.iter().any(|complaint| match complaint {
                Complaint::NotItsRanks { node, .. } => knows_ranks && *node == NodeId(liar as u32),
                Complaint::SeveralNodes { ranks, .. } => !knows_ranks && *ranks == claimed,
                Complaint::Contradiction { .. } => false,
            });
            assert!(
                complained || claimed.is_empty(),
                "seed {seed}: {:?}",
                merged.complaints
            );
            lies += usize::from(complained);
            let told = of_others(merged.tasks);
            if knows_ranks {
                assert_eq!(told, honest, "seed {seed}");
            } else {
                let left = Vec::from_iter(honest.iter().filter(|task| !is_others(task)).cloned());
                assert_eq!(told, left, "seed {seed}");
            }
        }
    }
    assert!(lies > 20, "{lies}");
}

#[test]
fn a_node_of_many_tasks_in_few_places_is_a_few_thousand_bytes() {
    let mut random = Random(5);
    let places = Vec::from_iter((0..4).map(|_| {
        let frames = (0..20).map(|depth| Frame {
            function: format!("function_{depth}_of_the_solver"),
            file: Some(format!("/home/user/solver/src/part_{depth}/module.c")),
            line: Some(random.below(2000) as u32),
            ..Frame::default()
        });
        Vec::from_iter(frames)
    }));
    let tasks = (0..128).map(|rank: u32| {
        let mut frames = places[random.below(4)].clone();
        let last = frames.len() - 1;
        let address = |random: &mut Random| 0x7ffc_0000_0000 + random.below(1 << 30) as u64;
        frames[last].passed = BTreeMap::from([(0, address(&mut random)), (1, 1), (5, address(&mut random))]);
        Task {
            task: rank.to_string(),
            rank: Some(rank),
            pid: Some(40_000 + rank),
            frames: frames.into(),
            held_ns: Some(10_000 + random.below(9000) as u64),
            state: Some(ProcessState {
                cpu_ms: Some(random.below(1 << 20) as u64),
                ..ProcessState::default()
            }),
            ..Task::default()
        }
    });
    let report = Report::of(Header::default(), tasks.collect());
    assert_eq!(report.stacks.len(), 4);
    let all = RankSet::union(&Vec::from_iter(report.stacks.iter().map(|stack| stack.ranks())));
    assert_eq!(all.to_string(), "0-127");
    let bytes = FromNode::Report(report).to_bytes().unwrap().len();
    assert!(bytes <= 8 << 10, "{bytes} bytes");
    println!("{bytes} bytes");
}
