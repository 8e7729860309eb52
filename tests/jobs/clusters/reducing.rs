//! Answers that are reduced by MPI: equal to those that are gathered, and no worse where some host has no part in it.

use super::{Cluster, HUNG, Launcher, OPEN_MPI, alarm_of, warnings};
use crate::hindmost::{hindmost, my_turn, out, run, said};
use base::Random;
use nodes::{FromNode, Merge, NodeId, PIECE, Plan, PlannedNode, Report, Select, ToNode};
use snapshot::{Frame, Header, Task};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// The reducer of an MPI, made as users make it.
pub fn reducer(compiler: &str) -> PathBuf {
    let reducer = out().join(format!("reducer-{compiler}"));
    let made = run(hindmost()
        .args(["build-reducer", "--mpicc", compiler, "-o"])
        .arg(&reducer)
        .arg("--runtime")
        .arg(tests::built::runtime("runtime_reduce")));
    assert!(made.status.success(), "{}", said(&made));
    reducer
}

/// Nodes with the reports of their tasks; one speaks of a rank of another.
fn reports(random: &mut Random, count: u32) -> Vec<(NodeId, PlannedNode, Report)> {
    let task = |random: &mut Random, rank: u32| Task {
        task: rank.to_string(),
        rank: Some(rank),
        pid: Some(1000 + rank),
        held_ns: Some(random.below(9000) as u64),
        frames: vec![Frame {
            function: format!("function_{}", random.below(5)),
            ..Frame::default()
        }]
        .into(),
        ..Task::default()
    };
    let node = |node: u32| {
        let ranks = (node * 16, node * 16 + 15);
        let planned = PlannedNode {
            host: format!("node{node}"),
            select: Select::OnlyJob,
            ranks: Some(vec![ranks]),
        };
        let last = ranks.1 + u32::from(node == 3);
        let tasks = (ranks.0..=last).map(|rank| task(random, rank)).collect();
        (NodeId(node), planned, Report::of(Header::default(), tasks))
    };
    (0..count).map(node).collect()
}

#[test]
fn what_mpi_reduces_is_what_is_gathered_byte_for_byte() {
    let _turn = my_turn();
    let reports = reports(&mut Random(29), 21);
    let nodes = reports.iter().map(|(node, planned, _)| (*node, planned.clone()));
    let plan = Plan {
        nodes: BTreeMap::from_iter(nodes),
        patience_ms: 0,
    };
    let (mut frames, mut gathered) = (ToNode::Plan(plan).to_bytes().unwrap(), Merge::default());
    for (node, planned, report) in reports {
        frames.extend(FromNode::Report(report.clone()).to_bytes().unwrap());
        gathered.add(node, planned.ranks().as_ref(), report);
    }
    let pieces = gathered.into_pieces(PIECE).map(FromNode::Piece);
    let expected = Vec::from_iter(pieces.flat_map(|piece| piece.to_bytes().unwrap()));
    let (file, output) = (out().join("reports"), out().join("reduced"));
    std::fs::write(&file, frames).unwrap();
    for (compiler, launcher) in [
        (
            "mpicc.openmpi",
            &["mpirun.openmpi", "--oversubscribe", "-np", "5"][..],
        ),
        ("mpicc.mpich", &["mpirun.mpich", "-np", "3"]),
    ] {
        let _ = std::fs::remove_file(&output);
        let reduced = run(Command::new(launcher[0])
            .args(&launcher[1..])
            .arg(reducer(compiler))
            .arg("--replay")
            .args([&file, &output])
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
        assert!(said(&reduced).contains("21 "), "{compiler}: {}", said(&reduced));
        assert!(
            std::fs::read(&output).unwrap() == expected,
            "{compiler}: {}",
            said(&reduced)
        );
    }
}

impl Cluster {
    /// Hosts answer together, if they can; whoever has no part in it is asked as without.
    pub(super) fn is_reduced_by_mpi(&self, launcher: &str, of: &Launcher) {
        let reducer = reducer(of.compiler);
        let mpirun = of.words.join(" ");
        let wanted = [
            "--reduce",
            "mpi",
            "--reducer",
            reducer.to_str().unwrap(),
            "--mpirun",
            &mpirun,
            "--deadline",
            "60s",
        ];
        let find = |more: &[&str]| {
            let arguments = [&[launcher][..], &wanted, more].concat();
            self.names_rank_2(&arguments, "")
        };
        let answer = find(&["--twice", "300ms"]);
        assert!(!warnings(&answer).contains("reduced by MPI"), "{answer:#}");
        assert_eq!(answer["tasks"], 4, "{answer:#}");
        assert_eq!(answer["hosts"][1]["host"], "node2", "{answer:#}");
        // The processes that answer have ranks of MPI as well, and are none of the job.
        let list = self.directory.join("list-of-all");
        std::fs::write(&list, "node1\nnode2\nnode3\nnode4\n").unwrap();
        let listed = [&["--hosts", list.to_str().unwrap()][..], &wanted].concat();
        let answer = self.names_rank_2(&listed, "");
        assert!(!warnings(&answer).contains("reduced by MPI"), "{answer:#}");
        self.nothing_remains();
        // Whoever watches keeps the same processes from look to look.
        let report = self.directory.join("report-reduced");
        let _ = std::fs::remove_file(report.with_extension("json"));
        let mut watch = self.watch(&report, &[&["--launcher", launcher][..], &wanted].concat());
        watch.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
        let watched = run(watch.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
        assert_eq!(watched.status.code(), Some(4), "{}", said(&watched));
        let told = said(&watched);
        assert!(
            told.contains("4 tasks watched") && !told.contains("reduced by MPI"),
            "{told}"
        );
        assert_eq!(told.matches("asked together, through MPI").count(), 1, "{told}");
        let alarm = alarm_of(&report);
        assert_eq!(alarm["hindmost"][0]["ranks"], HUNG, "{alarm:#}");
        assert_eq!(alarm["hosts"][1]["host"], "node2", "{alarm:#}");
        self.nothing_remains();
        if of.compiler != OPEN_MPI.compiler {
            return;
        }

        // One host has no reducer; there is no such launcher, or no such program.
        let hidden = [
            "sh",
            "-c",
            "touch /run/none; mount --bind /run/none \"$1\"",
            "sh",
            wanted[3],
        ];
        assert!(self.hosts.run(3, &hidden).status.success());
        let answer = find(&[]);
        assert!(
            warnings(&answer).contains("were not reduced by MPI"),
            "{answer:#}"
        );
        assert!(self.hosts.run(3, &["umount", wanted[3]]).status.success());
        let nowhere = run(&mut self.find(&[
            launcher,
            "--reduce",
            "mpi",
            "--reducer",
            wanted[3],
            "--mpirun",
            "/nowhere",
        ]));
        assert_eq!(nowhere.status.code(), Some(2), "{}", said(&nowhere));
        assert!(
            said(&nowhere).contains("--mpirun '/nowhere'"),
            "{}",
            said(&nowhere)
        );
        let none = run(&mut self.find(&[launcher, "--reduce", "mpi", "--reducer", "/nowhere"]));
        assert!(said(&none).contains("hindmost build-reducer"), "{}", said(&none));
        self.nothing_remains();
    }
}
