//! The tasks of one stack, as bytes: of a million tasks that stand in a few places next to nothing is kept but what is of each alone, and of that no more than it needs.
//!
//! Tasks of one node stand together, in a *run*. Numbers are LEB128; signed ones are folded first, so that small ones are short. A rank is told by its distance from the first one of its run, and a process by how
//! far it is from where the ranks would put it if both were counted alike, as launchers do.
//!
//! ```text
//! task   = length, flags, [rank], [pid], [name], [host], [world], thread, [count, thread…]
//! thread = flags, [number], [held], [cpu], [told], [lock], [passed]
//! ```
//!
//! Nothing of this leaves the process, so that a reader of it trusts what was written.

mod bytes;

use crate::merge::NodeId;
use base::put_number;
use bytes::{Bytes, put_signed, put_text};
use snapshot::{Lock, Name, Own, OwnThread};

/// Tasks with their nodes.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    bytes: Vec<u8>,
    runs: Vec<Run>,
}

/// Tasks of one node that came one after the other.
#[derive(Clone, Copy, Debug)]
struct Run {
    node: NodeId,
    /// Where its bytes are.
    start: usize,
    end: usize,
    tasks: u32,
    /// What the ranks of its tasks are told by: the first of them.
    first_rank: u32,
    /// What their processes are told by: how much larger than its rank that of the first task is.
    beyond_rank: i64,
}

/// A run, by its place among those of its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunId(usize);

/// A task, by where its bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At(usize);

mod has {
    //! What a task has.

    pub(super) const RANK: u8 = 1;
    pub(super) const PID: u8 = 1 << 1;
    /// A name of its own.
    pub(super) const NAME: u8 = 1 << 2;
    pub(super) const HOST: u8 = 1 << 3;
    pub(super) const WORLD: u8 = 1 << 4;
    pub(super) const THREADS: u8 = 1 << 5;
}

mod thread_has {
    //! What a thread has.

    pub(super) const NUMBER: u8 = 1;
    pub(super) const HELD: u8 = 1 << 1;
    pub(super) const CPU: u8 = 1 << 2;
    pub(super) const TOLD: u8 = 1 << 3;
    pub(super) const LOCK: u8 = 1 << 4;
    pub(super) const OWNER: u8 = 1 << 5;
    pub(super) const PASSED: u8 = 1 << 6;
}

impl Packed {
    /// Adds a task.
    pub(crate) fn push(&mut self, node: NodeId, own: &Own) {
        let start = self.bytes.len();
        if self.runs.last().is_none_or(|run| run.node != node) {
            let first_rank = own.rank.unwrap_or_default();
            self.runs.push(Run {
                node,
                start,
                end: start,
                tasks: 0,
                first_rank,
                beyond_rank: i64::from(own.pid.unwrap_or_default()) - i64::from(first_rank),
            });
        }
        let Some(run) = self.runs.last_mut() else { return };
        let mut body = Vec::with_capacity(16);
        write_task(&mut body, run, own);
        put_number(&mut self.bytes, body.len() as u64);
        self.bytes.extend(body);
        run.tasks += 1;
        run.end = self.bytes.len();
    }

    /// How many tasks there are.
    pub(crate) fn len(&self) -> usize {
        self.runs.iter().map(|run| run.tasks as usize).sum()
    }

    /// Puts the nodes in order; the tasks of each stay in theirs.
    pub(crate) fn sort(&mut self) {
        self.runs.sort_by_key(|run| run.node);
    }

    /// The runs, with the node of each.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (RunId, NodeId)> + '_ {
        let runs = self.runs.iter().enumerate();
        runs.map(|(at, run)| (RunId(at), run.node))
    }

    /// The node of a run.
    pub(crate) fn node(&self, RunId(run): RunId) -> NodeId {
        self.runs[run].node
    }

    /// Where the tasks of a run are, each with its rank.
    pub(crate) fn ranks(&self, RunId(run): RunId) -> impl Iterator<Item = (At, Option<u32>)> + '_ {
        let run = self.runs[run];
        let mut at = run.start;
        std::iter::from_fn(move || {
            let begin = (at < run.end).then_some(at)?;
            let (mut body, end) = self.body(begin);
            at = end;
            let flags = body.byte();
            Some((At(begin), (flags & has::RANK != 0).then(|| rank(&mut body, &run))))
        })
    }

    /// A task of a run.
    pub(crate) fn task(&self, RunId(run): RunId, At(at): At) -> Own {
        read_task(self.body(at).0, &self.runs[run])
    }

    /// The bytes of a task, and where they end.
    fn body(&self, at: usize) -> (Bytes<'_>, usize) {
        let mut bytes = Bytes::of(&self.bytes[at..]);
        let length = bytes.number() as usize;
        let begin = at + bytes.read();
        (Bytes::of(&self.bytes[begin..begin + length]), begin + length)
    }
}

/// All tasks, in the order of the runs.
#[derive(Debug)]
pub(crate) struct Unpacked {
    packed: Packed,
    run: usize,
    /// Where the next task of the run is; none if the run has not begun.
    at: Option<usize>,
    left: usize,
}

impl IntoIterator for Packed {
    type Item = (NodeId, Own);
    type IntoIter = Unpacked;

    fn into_iter(self) -> Unpacked {
        Unpacked {
            run: 0,
            at: None,
            left: self.len(),
            packed: self,
        }
    }
}

impl Iterator for Unpacked {
    type Item = (NodeId, Own);

    fn next(&mut self) -> Option<(NodeId, Own)> {
        let run = *self.packed.runs.get(self.run)?;
        let (body, end) = self.packed.body(self.at.unwrap_or(run.start));
        let own = read_task(body, &run);
        self.at = Some(end).filter(|&end| end < run.end);
        self.run += usize::from(self.at.is_none());
        self.left -= 1;
        Some((run.node, own))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Unpacked {}

fn write_task(out: &mut Vec<u8>, run: &Run, own: &Own) {
    // A field that is added has to be looked at here, and by who reads it.
    let Own {
        task,
        rank,
        pid,
        host,
        world,
        main,
        threads,
    } = own;
    out.push(
        flag(rank.is_some(), has::RANK)
            | flag(pid.is_some(), has::PID)
            | flag(task.is_some(), has::NAME)
            | flag(!host.is_empty(), has::HOST)
            | flag(world.is_some(), has::WORLD)
            | flag(!threads.is_empty(), has::THREADS),
    );
    if let Some(rank) = rank {
        put_signed(out, i64::from(*rank) - i64::from(run.first_rank));
    }
    if let Some(pid) = pid {
        put_signed(
            out,
            i64::from(*pid) - i64::from(rank.unwrap_or_default()) - run.beyond_rank,
        );
    }
    if let Some(task) = task {
        put_text(out, task);
    }
    if !host.is_empty() {
        put_text(out, host);
    }
    if let Some(world) = world {
        put_number(out, *world);
    }
    write_thread(out, main);
    if !threads.is_empty() {
        put_number(out, threads.len() as u64);
        threads.iter().for_each(|thread| write_thread(out, thread));
    }
}

fn rank(bytes: &mut Bytes<'_>, run: &Run) -> u32 {
    (bytes.signed() + i64::from(run.first_rank)) as u32
}

fn read_task(mut bytes: Bytes<'_>, run: &Run) -> Own {
    let flags = bytes.byte();
    let has = |what: u8| flags & what != 0;
    let rank = has(has::RANK).then(|| rank(&mut bytes, run));
    let pid = has(has::PID).then(|| {
        let pid = bytes.signed() + i64::from(rank.unwrap_or_default()) + run.beyond_rank;
        pid as u32
    });
    Own {
        task: has(has::NAME).then(|| bytes.text()),
        rank,
        pid,
        host: if has(has::HOST) {
            bytes.text().into()
        } else {
            Name::default()
        },
        world: has(has::WORLD).then(|| bytes.number()),
        main: read_thread(&mut bytes),
        threads: if has(has::THREADS) {
            (0..bytes.number()).map(|_| read_thread(&mut bytes)).collect()
        } else {
            Vec::new()
        },
    }
}

fn write_thread(out: &mut Vec<u8>, own: &OwnThread) {
    let OwnThread {
        thread,
        held_ns,
        told,
        cpu_ms,
        lock,
        passed,
    } = own;
    let owner = lock.and_then(|lock| lock.owner);
    out.push(
        flag(*thread != 0, thread_has::NUMBER)
            | flag(held_ns.is_some(), thread_has::HELD)
            | flag(cpu_ms.is_some(), thread_has::CPU)
            | flag(!told.is_empty(), thread_has::TOLD)
            | flag(lock.is_some(), thread_has::LOCK)
            | flag(owner.is_some(), thread_has::OWNER)
            | flag(!passed.is_empty(), thread_has::PASSED),
    );
    if *thread != 0 {
        put_number(out, u64::from(*thread));
    }
    [held_ns, cpu_ms]
        .into_iter()
        .flatten()
        .for_each(|&each| put_number(out, each));
    if !told.is_empty() {
        put_number(out, told.len() as u64);
        told.iter().for_each(|call| put_text(out, call));
    }
    if let Some(lock) = lock {
        put_number(out, lock.address);
    }
    if let Some(owner) = owner {
        put_number(out, u64::from(owner));
    }
    if !passed.is_empty() {
        put_number(out, passed.len() as u64);
        for (frame, arguments) in passed {
            put_number(out, u64::from(*frame));
            put_number(out, arguments.len() as u64);
            for (place, bits) in arguments {
                out.push(*place);
                put_number(out, *bits);
            }
        }
    }
}

fn read_thread(bytes: &mut Bytes<'_>) -> OwnThread {
    let flags = bytes.byte();
    let has = |what: u8| flags & what != 0;
    let thread = if has(thread_has::NUMBER) {
        bytes.number() as u32
    } else {
        0
    };
    let held_ns = has(thread_has::HELD).then(|| bytes.number());
    let cpu_ms = has(thread_has::CPU).then(|| bytes.number());
    let mut own = OwnThread {
        thread,
        held_ns,
        cpu_ms,
        ..OwnThread::default()
    };
    if has(thread_has::TOLD) {
        own.told = (0..bytes.number()).map(|_| bytes.text()).collect();
    }
    own.lock = has(thread_has::LOCK).then(|| Lock {
        address: bytes.number(),
        owner: has(thread_has::OWNER).then(|| bytes.number() as u32),
    });
    if has(thread_has::PASSED) {
        for _ in 0..bytes.number() {
            let frame = bytes.number() as u32;
            let arguments = (0..bytes.number()).map(|_| (bytes.byte(), bytes.number()));
            own.passed.insert(frame, arguments.collect());
        }
    }
    own
}

fn flag(is_there: bool, flag: u8) -> u8 {
    if is_there { flag } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;
    use std::collections::BTreeMap;

    /// Any number of any length.
    fn any(random: &mut Random) -> u64 {
        let bits = random.below(1 << 30) as u64 | (random.below(1 << 30) as u64) << 30;
        (bits | 0xf << 60) >> random.below(64)
    }

    fn thread(random: &mut Random) -> OwnThread {
        let mut some = |of: usize| random.below(of) == 0;
        let (held, cpu, lock, owner, number) = (some(2), some(2), some(3), some(2), some(2));
        let told = random.below(3);
        let passed = random.below(3) as u32;
        OwnThread {
            thread: if number { any(random) as u32 } else { 0 },
            held_ns: held.then(|| any(random)),
            told: vec!["recv".to_owned(); told],
            cpu_ms: cpu.then(|| any(random)),
            lock: lock.then(|| Lock {
                address: any(random),
                owner: owner.then(|| any(random) as u32),
            }),
            passed: (0..passed)
                .map(|frame| {
                    let arguments = (0..random.below(3)).map(|_| (random.below(256) as u8, any(random)));
                    (frame * 300, BTreeMap::from_iter(arguments))
                })
                .collect(),
        }
    }

    fn own(random: &mut Random) -> Own {
        let rank = (random.below(6) > 0).then(|| any(random) as u32);
        let name = ["0", "17", "task \u{e9}"][random.below(3)];
        let threads = random.below(3);
        Own {
            task: (random.below(3) == 0).then(|| name.to_owned()),
            rank,
            pid: (random.below(4) > 0).then(|| any(random) as u32),
            host: ["", "", "node7"][random.below(3)].into(),
            world: (random.below(3) == 0).then(|| any(random)),
            main: thread(random),
            threads: (0..threads).map(|_| thread(random)).collect(),
        }
    }

    #[test]
    fn whatever_is_packed_comes_out_again_in_order_and_one_by_one() {
        for seed in 0..300 {
            let mut random = Random(seed);
            let mut packed = Packed::default();
            let mut pushed: Vec<(NodeId, Own)> = Vec::new();
            for _ in 0..random.below(20) {
                let node = NodeId(random.below(4) as u32);
                for _ in 0..random.below(5) {
                    let own = own(&mut random);
                    packed.push(node, &own);
                    pushed.push((node, own));
                }
            }
            assert_eq!(packed.len(), pushed.len());
            let runs = Vec::from_iter(packed.runs());
            let each = runs.iter().flat_map(|&(run, node)| {
                let tasks = packed.ranks(run);
                let with_rank = tasks.map(|(at, rank)| (rank, packed.task(run, at)));
                Vec::from_iter(
                    with_rank
                        .inspect(|(rank, own)| assert_eq!(*rank, own.rank))
                        .map(|(_, own)| (node, own)),
                )
            });
            assert_eq!(Vec::from_iter(each), pushed, "seed {seed}");
            packed.sort();
            pushed.sort_by_key(|(node, _)| *node);
            let unpacked = packed.into_iter();
            assert_eq!(unpacked.len(), pushed.len());
            assert_eq!(Vec::from_iter(unpacked), pushed, "seed {seed}");
        }
    }

    #[test]
    fn a_task_that_is_counted_as_its_ranks_are_takes_few_bytes() {
        let mut packed = Packed::default();
        for rank in (70_000..70_128).step_by(3) {
            let own = Own {
                rank: Some(rank),
                pid: Some(rank - 30_000),
                main: OwnThread {
                    held_ns: Some(9_500),
                    cpu_ms: Some(700_000),
                    ..OwnThread::default()
                },
                ..Own::default()
            };
            packed.push(NodeId(547), &own);
        }
        assert!(packed.bytes.len() <= 12 * packed.len(), "{}", packed.bytes.len());
    }
}
