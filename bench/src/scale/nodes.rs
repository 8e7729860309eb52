//! What a front end does with the answers of many nodes, through the frames in which they come.
//!
//! A process writes the frames to a file, as the probes of so many nodes would send them; that is not part of the time. Another one reads them piece by piece, as they come from
//! a stream, merges them and answers. A third has the same tasks without frames and merge, and answers: what the first needs more than that is the price of the frames. Where there is
//! a reducer, processes of MPI reduce the same frames, and a front end reads what they say in the end.

use crate::job::Job;
use crate::own::{peak_megabytes, processor_time};
use base::RankSet;
use engine::{Analysis, Findings, Representatives};
use nodes::{FromNode, Kind, Merge, NodeId, Plan, PlannedNode, Reader, Report, Select, ToNode};
use report::{Form, Names};
use snapshot::{Header, Name, ProcessState, RunState, Task};
use std::fs::File;
use std::io::{BufWriter, Read, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// So many tasks does a node run.
const PER_NODE: u32 = 128;

/// How the tasks of a node are spread over its job: one is behind, the others wait for it in three places.
const KIND: &str = "few";

/// What the answer is written as, in place of text.
const AS_JSON: &str = "as JSON";

/// So many processes reduce.
const PROCESSES: &str = "8";

/// Every size, each measurement in a process of its own; with a reducer, if there is one.
pub fn all(sizes: &[u32], reducer: Option<&Path>) -> Result<(), String> {
    println!("Answers of nodes with {PER_NODE} tasks in 4 classes, read as frames, merged and answered\n");
    println!(
        "{:>6} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}  ",
        "nodes", "tasks", "bytes/node", "read", "answer", "both", "processor", "merged", "memory"
    );
    let me = std::env::current_exe().map_err(|error| error.to_string())?;
    let file = std::env::temp_dir().join(format!("hindmost-bench-nodes.{}", std::process::id()));
    for nodes in sizes {
        for (step, words) in [("send", ""), ("gather", ""), ("gather", AS_JSON), ("flat", "")] {
            let status = Command::new(&me)
                .args(["nodes", step, &nodes.to_string()])
                .arg(&file)
                .arg(words)
                .status();
            let status = status.map_err(|error| error.to_string());
            if status.as_ref().is_ok_and(std::process::ExitStatus::success) {
                continue;
            }
            let _ = std::fs::remove_file(&file);
            return Err(format!("{nodes} nodes, {step}: {status:?}"));
        }
        if let Some(reducer) = reducer {
            reduced(&me, reducer, *nodes, &file)?;
        }
    }
    let _ = std::fs::remove_file(&file);
    if reducer.is_some() {
        println!(
            "\nOf the reduction by MPI ({PROCESSES} processes of Open MPI on this machine): what it takes is the first, what the front end needs for what they say in the end are the others."
        );
    }
    println!(
        "\nread: all frames read, checked and merged; answer: who is behind, as text; merged: the largest memory until all was merged, before a task was made of it; memory: the largest at all. Without frames: the same tasks, answered for."
    );
    Ok(())
}

/// The frames of a file, reduced by MPI, and what a front end makes of that.
fn reduced(me: &Path, reducer: &Path, nodes: u32, file: &Path) -> Result<(), String> {
    let output = file.with_extension("reduced");
    let said = |what: &dyn std::fmt::Display| format!("{nodes} nodes, reduction: {what}");
    let reduction = Command::new("mpirun.openmpi")
        .args([
            "--oversubscribe",
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "-np",
            PROCESSES,
        ])
        .arg(reducer)
        .arg("--replay")
        .args([file, &output])
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .output()
        .map_err(|error| said(&error))?;
    let printed = String::from_utf8_lossy(&reduction.stdout);
    let took = printed
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|took| took.parse::<u64>().ok());
    let took = took.ok_or_else(|| said(&String::from_utf8_lossy(&reduction.stderr)))?;
    let status = Command::new(me)
        .args(["nodes", "pieces", &nodes.to_string()])
        .arg(&output)
        .arg(format!("reduced by MPI in {took} ms"))
        .status();
    let _ = std::fs::remove_file(&output);
    match status {
        Ok(status) if status.success() => Ok(()),
        other => Err(said(&format!("{other:?}"))),
    }
}

/// One measurement.
pub fn one(step: &str, nodes: u32, file: &str, words: &str) -> Result<(), String> {
    let of_nodes = OfNodes {
        job: Job::new(KIND, nodes.saturating_mul(PER_NODE))?,
        nodes,
    };
    match step {
        "send" => of_nodes.send(Path::new(file)),
        "gather" => of_nodes.gather(Path::new(file), words),
        "flat" => of_nodes.flat(),
        "pieces" => of_nodes.pieces(Path::new(file), words),
        _ => Err(format!("'{step}' is none of send, gather, flat and pieces")),
    }
}

/// The name of a node.
fn host(node: u32) -> String {
    format!("node{node:05}")
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
                program: "/home/user/solver/bin/solver".into(),
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

    /// Who answers, and for which ranks.
    fn plan(&self) -> Plan {
        let planned = |node: u32| {
            let ranks = Self::ranks_of(node);
            let planned = PlannedNode {
                host: host(node),
                select: Select::OnlyJob,
                ranks: Some(vec![(ranks.start, ranks.end - 1)]),
            };
            (NodeId(node), planned)
        };
        Plan {
            nodes: (0..self.nodes).map(planned).collect(),
            patience_ms: 0,
        }
    }

    /// Writes what the nodes send, behind a plan of them.
    fn send(&self, file: &Path) -> Result<(), String> {
        let said = |error: std::io::Error| format!("{}: {error}", file.display());
        let mut out = BufWriter::new(File::create(file).map_err(said)?);
        let plan = ToNode::Plan(self.plan()).to_bytes();
        out.write_all(&plan.map_err(|error| error.to_string())?)
            .map_err(said)?;
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
    fn gather(&self, file: &Path, words: &str) -> Result<(), String> {
        let said = |error: std::io::Error| format!("{}: {error}", file.display());
        let mut stream = File::open(file).map_err(said)?;
        let bytes = stream.metadata().map_err(said)?.len();
        let mut plan =
            Vec::from_iter(self.plan().nodes.into_values().map(|planned| planned.ranks())).into_iter();
        let begun = (Instant::now(), processor_time());
        let (mut reader, mut merge) = (Reader::default(), Merge::default());
        let mut piece = vec![0; 1 << 16];
        let mut node = 0;
        loop {
            let length = stream.read(&mut piece).map_err(said)?;
            reader.push(&piece[..length]);
            while let Some(frame) = reader.next_frame().map_err(|error| error.to_string())? {
                // Who asks has made the plan himself.
                if frame.kind == Kind::Plan {
                    continue;
                }
                let FromNode::Report(report) = FromNode::of(frame).map_err(|error| error.to_string())? else {
                    return Err("a frame that is no report".to_owned());
                };
                merge.add(NodeId(node), plan.next().flatten().as_ref(), report);
                node += 1;
            }
            if length == 0 {
                break;
            }
        }
        if node != self.nodes {
            return Err(format!("{node} nodes"));
        }
        self.merged(merge, begun, bytes, words)
    }

    /// Reads what others have reduced.
    fn pieces(&self, file: &Path, words: &str) -> Result<(), String> {
        let said = |error: std::io::Error| format!("{}: {error}", file.display());
        let bytes = std::fs::read(file).map_err(said)?;
        let own = Vec::from_iter(self.plan().nodes.into_values().map(|planned| planned.ranks()));
        let begun = (Instant::now(), processor_time());
        let (mut reader, mut merge) = (Reader::default(), Merge::default());
        let mut pieces = Vec::new();
        for part in bytes.chunks(1 << 16) {
            reader.push(part);
            while let Some(frame) = reader.next_frame().map_err(|error| error.to_string())? {
                match FromNode::of(frame).map_err(|error| error.to_string())? {
                    FromNode::Piece(piece) => pieces.push(piece),
                    _ => return Err("a frame that is no piece".to_owned()),
                }
            }
        }
        merge.absorb(pieces, |_| true, |node| own.get(node.0 as usize)?.as_ref());
        self.merged(merge, begun, bytes.len() as u64, words)
    }

    /// Answers of what was merged of so many bytes.
    fn merged(
        &self,
        merge: Merge,
        begun: (Instant, Duration),
        bytes: u64,
        words: &str,
    ) -> Result<(), String> {
        let kept = peak_megabytes();
        let hosts = Vec::from_iter((0..self.nodes).map(host));
        let all = merge.all();
        if !all.complaints.is_empty() {
            return Err(format!("{:?}", all.complaints));
        }
        let host = |node: NodeId| hosts.get(node.0 as usize).map_or("", String::as_str);
        let few = Representatives::of(|take| all.each(&host, take));
        let few = few.ok_or("there are tasks that nobody speaks for")?;
        drop(all);
        let bytes = format!("{}", bytes / u64::from(self.nodes));
        let analysis = Analysis::represented(&self.job.map, &few, RankSet::default());
        self.answer(analysis, begun, (&bytes, &format!("{kept} MB")), words)
    }

    /// Answers without frames.
    fn flat(&self) -> Result<(), String> {
        let with_host = |node: u32| {
            let tasks = self.tasks(node).into_iter();
            let host = Name::from(host(node));
            tasks.map(move |task| Task {
                host: host.clone(),
                ..task
            })
        };
        let tasks = Vec::from_iter((0..self.nodes).flat_map(with_host));
        self.answer(
            Analysis::new(&self.job.map, &tasks, RankSet::default()),
            (Instant::now(), processor_time()),
            ("", ""),
            "without frames",
        )
    }

    fn answer(
        &self,
        analysis: Analysis<'_>,
        (begun, busy): (Instant, Duration),
        (bytes, kept): (&str, &str),
        words: &str,
    ) -> Result<(), String> {
        let read = begun.elapsed();
        let answer = analysis.answer_of_all();
        let answer = answer.ok_or("some tasks tell what the others do not")?;
        let tasks = answer.tasks;
        let named: u64 = answer
            .hindmost
            .iter()
            .map(|class| answer.classes[class.class].who.count())
            .sum();
        let found = Findings {
            answer: Some(answer),
            ..Findings::of_map(&self.job.map)
        };
        let form = if words == AS_JSON {
            Form::AnswerJson
        } else {
            Form::Answer(Names::Short)
        };
        let text = report::write(&found, form, &|_| None).unwrap_or_default();
        let both = begun.elapsed();
        let busy = processor_time().saturating_sub(busy);
        if named != self.job.hindmost() {
            return Err(format!(
                "{named} hindmost tasks, not {}\n{text}",
                self.job.hindmost()
            ));
        }
        let milliseconds = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1e3);
        println!(
            "{:>6} {:>9} {bytes:>10} {:>9} {:>9} {:>9} {:>9} {kept:>8} {:>5} MB  {words} ({} KB written)",
            self.nodes,
            tasks,
            milliseconds(read),
            milliseconds(both - read),
            milliseconds(both),
            milliseconds(busy),
            peak_megabytes(),
            text.len() / 1000,
        );
        Ok(())
    }
}
