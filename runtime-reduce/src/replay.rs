//! Reduces reports that were written to a file before, in place of looking at tasks: for `cargo xtask bench --nodes` and for tests, with more nodes than there are hosts.
//!
//! The file holds a [`Plan`], the reports of its nodes in their order, and what the tasks of some of them have recorded, as frames; a process takes those that come to it when they are dealt evenly. The root writes what it would say of a look to
//! another file, and to standard output how long that took, from when every process had read its reports, in milliseconds.

use crate::network::Network;
use crate::process::{Next, Process, Source};
use nodes::{
    Found, FromNode, Look, MapPlace, Merge, NodeId, Plan, PlannedNode, Reader, Report, ThreadsRead, ToNode,
};
use regular_files::Limit;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// So long is a step waited for.
const PATIENCE: Duration = Duration::from_secs(240);
/// The reports of ten thousand nodes have less.
const LARGEST: Limit = Limit::of(1 << 30);

/// Reports of nodes, in place of their tasks.
#[derive(Default)]
pub struct Replayed {
    /// The whole plan of all processes.
    plan: Plan,
    own: Vec<(NodeId, PlannedNode, Report)>,
    recorded: BTreeMap<NodeId, Vec<u8>>,
    /// Something was recorded, by whichever node.
    is_recorded: bool,
}

impl Replayed {
    /// Those that process `rank` of `size` has of a file's bytes.
    ///
    /// # Errors
    /// They are no such file.
    pub fn dealt(bytes: &[u8], rank: u32, size: u32) -> Result<Self, String> {
        let mut reader = Reader::default();
        reader.push(bytes);
        let mut next = || {
            let frame = reader.next_frame().map_err(|error| error.to_string())?;
            frame.ok_or_else(|| "it ends too early".to_owned())
        };
        let ToNode::Plan(plan) = ToNode::of(next()?).map_err(|error| error.to_string())? else {
            return Err("it does not begin with a plan".to_owned());
        };
        let count = plan.nodes.len().max(1) as u64;
        let mut own = Vec::new();
        for (place, (&node, planned)) in (0u64..).zip(&plan.nodes) {
            let frame = next()?;
            if place * u64::from(size) / count != u64::from(rank) {
                continue;
            }
            match FromNode::of(frame).map_err(|error| error.to_string())? {
                FromNode::Report(report) => own.push((node, planned.clone(), report)),
                _ => return Err("it has something else than a report".to_owned()),
            }
        }
        let (mut recorded, mut is_recorded) = (BTreeMap::new(), false);
        while let Some(frame) = reader.next_frame().map_err(|error| error.to_string())? {
            let FromNode::Recorded(part) = FromNode::of(frame).map_err(|error| error.to_string())? else {
                return Err("it has something else than what was recorded behind the reports".to_owned());
            };
            is_recorded = true;
            if own.iter().any(|(node, ..)| *node == part.node) {
                recorded.insert(part.node, part.bytes);
            }
        }
        Ok(Replayed {
            plan,
            own,
            recorded,
            is_recorded,
        })
    }
}

impl Source for Replayed {
    fn find(&mut self, _: &Plan) -> BTreeMap<NodeId, Result<Found, String>> {
        let own = self.own.iter();
        own.map(|&(node, ..)| (node, Ok(Found::default()))).collect()
    }

    fn take_map(&mut self, _: MapPlace, _: &[u8]) {}

    /// The only look there is.
    fn look(&mut self, _: Look, merge: &mut Merge) {
        for (node, planned, report) in std::mem::take(&mut self.own) {
            merge.add(node, planned.ranks().as_ref(), report);
        }
    }

    fn recordings(&mut self) -> BTreeMap<NodeId, Vec<u8>> {
        std::mem::take(&mut self.recorded)
    }
}

/// A look at what needs none.
pub const LOOK: Look = Look {
    threads: ThreadsRead::All,
    stop_sleepers: false,
    limit: 0,
    patience_ms: 0,
    recordings: false,
    events: 0,
};

/// Runs a process that replays.
pub(crate) fn run(network: impl Network, frames: &Path, output: &Path) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| format!("{}: {error}", frames.display());
    let bytes = regular_files::read_named(frames, LARGEST).map_err(|error| said(&error))?;
    let replayed = Replayed::dealt(&bytes, network.rank(), network.size()).map_err(|error| said(&error))?;
    drop(bytes);
    let is_root = network.rank() == 0;
    let plan = Plan {
        patience_ms: PATIENCE.as_secs() * 1000,
        ..replayed.plan.clone()
    };
    let (count, is_recorded) = (plan.nodes.len(), replayed.is_recorded);
    let mut process = Process::new(network, replayed);
    if !is_root {
        while let Some(question) = process.next_question(Instant::now() + PATIENCE) {
            let question = question.map_err(|error| error.to_string())?;
            if process.answer(question, None) == Next::Nothing {
                break;
            }
        }
        return Ok(());
    }
    // The others have read theirs once they answer.
    process.answer(ToNode::Plan(plan), Some(&mut |_| {}));
    let begun = Instant::now();
    let mut answer = Vec::new();
    process.answer(
        ToNode::Look(LOOK),
        Some(&mut |frame| answer.extend_from_slice(frame)),
    );
    if is_recorded {
        process.answer(
            ToNode::Recordings,
            Some(&mut |frame| answer.extend_from_slice(frame)),
        );
    }
    let took = begun.elapsed();
    process.answer(ToNode::End, None);
    std::fs::write(output, &answer).map_err(|error| format!("{}: {error}", output.display()))?;
    let line = format!("{count} {}\n", took.as_millis());
    let printed = std::io::stdout().write_all(line.as_bytes());
    printed.map_err(|error| error.to_string())
}
