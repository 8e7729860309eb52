//! What a front end does with the answers of many nodes, through the frames in which they come.
//!
//! A process writes the frames to a file, as the probes of so many nodes would send them; that is not part of the time. Another one reads them piece by piece, as they come from
//! a stream, merges them and answers. A third has the same tasks without frames and merge, and answers: what the first needs more than that is the price of the frames.

use crate::job::Job;
use crate::own::{peak_megabytes, processor_time};
use base::RankSet;
use engine::{Analysis, Findings};
use nodes::{FromNode, Merge, NodeId, Reader, Report};
use report::{Form, Names};
use snapshot::{Header, ProcessState, RunState, Task};
use std::fs::File;
use std::io::{BufWriter, Read, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// So many tasks does a node run.
const PER_NODE: u32 = 128;

/// How the tasks of a node are spread over its job: one is behind, the others wait for it in three places.
const KIND: &str = "few";

/// Every size, each measurement in a process of its own.
pub fn all(sizes: &[u32]) -> Result<(), String> {
    println!("Answers of nodes with {PER_NODE} tasks in 4 classes, read as frames, merged and answered\n");
    println!(
        "{:>6} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8}  ",
        "nodes", "tasks", "bytes/node", "read", "answer", "both", "processor", "memory"
    );
    let me = std::env::current_exe().map_err(|error| error.to_string())?;
    let file = std::env::temp_dir().join(format!("hindmost-bench-nodes.{}", std::process::id()));
    for nodes in sizes {
        for step in ["send", "gather", "flat"] {
            let status = Command::new(&me)
                .args(["nodes", step, &nodes.to_string()])
                .arg(&file)
                .status();
            let status = status.map_err(|error| error.to_string());
            if status.as_ref().is_ok_and(std::process::ExitStatus::success) {
                continue;
            }
            let _ = std::fs::remove_file(&file);
            return Err(format!("{nodes} nodes, {step}: {status:?}"));
        }
    }
    let _ = std::fs::remove_file(&file);
    println!(
        "\nread: all frames read, checked and merged; answer: who is behind, as text; memory: the largest that the process had. Without frames: the same tasks, answered for."
    );
    Ok(())
}

/// One measurement.
pub fn one(step: &str, nodes: u32, file: &str) -> Result<(), String> {
    let of_nodes = OfNodes {
        job: Job::new(KIND, nodes.saturating_mul(PER_NODE))?,
        nodes,
    };
    match step {
        "send" => of_nodes.send(Path::new(file)),
        "gather" => of_nodes.gather(Path::new(file)),
        "flat" => of_nodes.flat(),
        _ => Err(format!("'{step}' is none of send, gather and flat")),
    }
}

/// A job of so many nodes.
struct OfNodes {
    job: Job,
    nodes: u32,
}

impl OfNodes {
    fn ranks_of(node: u32) -> Range<u32> {
        node * PER_NODE..(node + 1) * PER_NODE
    }

    /// The tasks of a node, with what a probe tells of each beside its stack.
    fn tasks(&self, node: u32) -> Vec<Task> {
        let with_own = |task: Task| {
            let rank = task.rank.unwrap_or(0);
            Task {
                pid: Some(40_000 + rank % PER_NODE),
                held_ns: Some(9_000 + u64::from(rank.wrapping_mul(2_654_435_761) % 9_000)),
                program: "/home/user/solver/bin/solver".to_owned(),
                state: Some(ProcessState {
                    run: RunState::Running,
                    cpu_ms: Some(u64::from(rank.wrapping_mul(40_503) % 1_000_000)),
                    ..ProcessState::default()
                }),
                ..task
            }
        };
        self.job.tasks(Self::ranks_of(node)).map(with_own).collect()
    }

    /// Writes what the nodes send.
    fn send(&self, file: &Path) -> Result<(), String> {
        let said = |error: std::io::Error| format!("{}: {error}", file.display());
        let mut out = BufWriter::new(File::create(file).map_err(said)?);
        for node in 0..self.nodes {
            let report = Report::of(Header::default(), self.tasks(node));
            let bytes = FromNode::Report(report)
                .to_bytes()
                .map_err(|error| error.to_string())?;
            out.write_all(&bytes).map_err(said)?;
        }
        out.flush().map_err(said)
    }

    /// Reads it, merges it and answers.
    fn gather(&self, file: &Path) -> Result<(), String> {
        let said = |error: std::io::Error| format!("{}: {error}", file.display());
        let mut stream = File::open(file).map_err(said)?;
        let bytes = stream.metadata().map_err(said)?.len();
        let begun = (Instant::now(), processor_time());
        let (mut reader, mut merge) = (Reader::default(), Merge::default());
        let mut piece = vec![0; 1 << 16];
        let mut node = 0;
        loop {
            let length = stream.read(&mut piece).map_err(said)?;
            reader.push(&piece[..length]);
            while let Some(frame) = reader.next_frame().map_err(|error| error.to_string())? {
                let FromNode::Report(report) = FromNode::of(frame).map_err(|error| error.to_string())? else {
                    return Err("a frame that is no report".to_owned());
                };
                let ranks = Self::ranks_of(node);
                let own = RankSet::from_ranges([(ranks.start, ranks.end - 1)]);
                merge.add(NodeId(node), &format!("node{node:05}"), Some(&own), report);
                node += 1;
            }
            if length == 0 {
                break;
            }
        }
        let merged = merge.finish();
        if node != self.nodes || !merged.complaints.is_empty() {
            return Err(format!("{node} nodes, {:?}", merged.complaints));
        }
        self.answer(
            &merged.tasks,
            begun,
            &format!("{}", bytes / u64::from(self.nodes)),
            "",
        )
    }

    /// Answers without frames.
    fn flat(&self) -> Result<(), String> {
        let with_host = |node: u32| {
            let tasks = self.tasks(node).into_iter();
            tasks.map(move |task| Task {
                host: format!("node{node:05}"),
                ..task
            })
        };
        let tasks = Vec::from_iter((0..self.nodes).flat_map(with_host));
        self.answer(&tasks, (Instant::now(), processor_time()), "", "without frames")
    }

    fn answer(
        &self,
        tasks: &[Task],
        (begun, busy): (Instant, std::time::Duration),
        bytes: &str,
        words: &str,
    ) -> Result<(), String> {
        let read = begun.elapsed();
        let answer = Analysis::new(&self.job.map, tasks, RankSet::default()).answer();
        let named: u64 = answer
            .hindmost
            .iter()
            .map(|class| answer.classes[class.class].who.count())
            .sum();
        let found = Findings {
            answer: Some(answer),
            ..Findings::of_map(&self.job.map)
        };
        let text = report::write(&found, Form::Answer(Names::Short), &|_| None).unwrap_or_default();
        let both = begun.elapsed();
        let busy = processor_time().saturating_sub(busy);
        if named != self.job.hindmost() {
            return Err(format!(
                "{named} hindmost tasks, not {}\n{text}",
                self.job.hindmost()
            ));
        }
        let milliseconds = |time: std::time::Duration| format!("{:.0} ms", time.as_secs_f64() * 1e3);
        println!(
            "{:>6} {:>9} {bytes:>10} {:>9} {:>9} {:>9} {:>9} {:>5} MB  {words}",
            self.nodes,
            tasks.len(),
            milliseconds(read),
            milliseconds(both - read),
            milliseconds(both),
            milliseconds(busy),
            peak_megabytes(),
        );
        Ok(())
    }
}
