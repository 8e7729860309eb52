//! Answers that are reduced by MPI: equal to those that are gathered, and no worse where some host has no part in it.

use super::{Cluster, HUNG, Launcher, OPEN_MPI, alarm_of, warnings};
use crate::hindmost::{hindmost, my_turn, out, run, said};
use crate::waits::{all_edges, certain_edges, recorder_of};
use base::Random;
use corpus::Mpi;
use nodes::{
    FromNode, Merge, NodeId, NodeRecordings, PIECE, Plan, PlannedNode, RecordedPart, Report, Select,
    TaskRecording, ToNode,
};
use serde_json::Value;
use snapshot::{Frame, Header, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
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
    let mut random = Random(30);
    // Of some nodes the tasks are recorded.
    let recorded = (0..21).step_by(4).map(|node| {
        let mut files = NodeRecordings::default();
        for _ in 0..4 {
            let mut file = vec![0; 1 + random.below(9000)];
            let at = random.below(file.len());
            file[at..].fill_with(|| random.below(4) as u8);
            files.add(&TaskRecording {
                now: random.below(1 << 40) as u64,
                file: file.into(),
                ..TaskRecording::default()
            });
        }
        (NodeId(node), files.to_bytes())
    });
    let recorded = RecordedPart::messages(recorded.collect()).into_iter();
    let recorded = recorded.flat_map(|part| FromNode::Recorded(part).to_bytes().unwrap());
    let recorded = Vec::from_iter(recorded);
    let (mut frames, mut gathered) = (ToNode::Plan(plan).to_bytes().unwrap(), Merge::default());
    for (node, planned, report) in reports {
        frames.extend(FromNode::Report(report.clone()).to_bytes().unwrap());
        gathered.add(node, planned.ranks().as_ref(), report);
    }
    let pieces = gathered.into_pieces(PIECE).map(FromNode::Piece);
    let mut expected = Vec::from_iter(pieces.flat_map(|piece| piece.to_bytes().unwrap()));
    frames.extend(&recorded);
    expected.extend(recorded);
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

/// What asks hosts to answer together by MPI, which `mpirun` starts.
fn by_mpi<'w>(reducer: &'w Path, mpirun: &'w str) -> [&'w str; 6] {
    let reducer = reducer.to_str().unwrap();
    ["--reduce", "mpi", "--reducer", reducer, "--mpirun", mpirun]
}

impl Cluster {
    /// What the tasks on all hosts have recorded comes back, whether hosts are asked one by one or together: each host has its own directory, which no other one sees.
    pub(super) fn is_recorded_on_all_hosts(&mut self) {
        for node in 1..=3 {
            assert!(self.hosts.run(node, &["mkdir", "/run/recorded"]).status.success());
        }
        let recorder = recorder_of(Mpi::OpenMpi);
        let (program, sign) = self.program(OPEN_MPI.compiler);
        let program = Vec::from_iter(program.iter().map(String::as_str));
        let command = hindmost();
        let run_recorded = [
            command.get_program().to_str().unwrap(),
            "run",
            "--recorder",
            recorder.to_str().unwrap(),
            "--record",
            "/run/recorded",
            "--",
        ];
        let exported = [
            "-x",
            "LD_PRELOAD",
            "-x",
            "HINDMOST_RECORD",
            "-x",
            "HINDMOST_RECORD_JOB",
        ];
        let (own, rest) = OPEN_MPI.words.split_at(1);
        let words = [&run_recorded, own, &exported, rest, OPEN_MPI.ranks, &program].concat();
        let launcher = self.hang_with(&words, &sign);
        // Who certainly waits for whom, and what each does on which host: times are of the moment.
        let told = |answer: &Value| {
            let doing = answer["tasks"].as_array().into_iter().flatten();
            let doing =
                doing.map(|task| ["rank", "host", "operation", "stage"].map(|word| task[word].clone()));
            (certain_edges(answer), Vec::from_iter(doing))
        };
        let all_wait = BTreeSet::from([(0, 2), (1, 2), (3, 2)]);
        let waits = |arguments: &[&str]| {
            let mut last = Value::Null;
            // A rank may have been on its way to the call of all others.
            for _ in 0..20 {
                let own = [run_recorded[0], "find", &launcher];
                let mut find = self.hosts.command(1, &own);
                find.args(["--waits=json", "--deadline", "60s", "--probe"]);
                find.arg(&self.probe).args(arguments);
                find.env("XDG_CACHE_HOME", out().join("cache"));
                find.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
                let output = run(find.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
                assert!(!said(&output).contains("reduced by MPI"), "{}", said(&output));
                last = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
                if certain_edges(&last) == all_wait {
                    return told(&last);
                }
            }
            panic!("{last:#}");
        };
        let gathered = waits(&[]);
        // The same as the files themselves say, each brought here by hand.
        let by_hand = self.directory.join("by-hand");
        std::fs::create_dir(&by_hand).unwrap();
        for node in 1..=3 {
            let copy = ["sh", "-c", "cp /run/recorded/*.recording /run/cluster/by-hand"];
            assert!(self.hosts.run(node, &copy).status.success());
        }
        let by_hand = crate::waits::waits(&by_hand).unwrap();
        assert_eq!(gathered.1, told(&by_hand).1);
        assert_eq!(all_edges(&by_hand), all_wait);
        let reducer = reducer(OPEN_MPI.compiler);
        let mpirun = OPEN_MPI.words.join(" ");
        let reduced = waits(&by_mpi(&reducer, &mpirun));
        assert_eq!(gathered, reduced);
        // Whoever watches reads it at each look.
        let report = self.directory.join("report-recorded");
        let watched = run(&mut self.watch(&report, &["--launcher", &launcher]));
        let words = "4 tasks watched, with what 4 of them record";
        assert!(said(&watched).contains(words), "{}", said(&watched));
        let alarm = alarm_of(&report);
        assert_eq!(alarm["hindmost"][0]["ranks"], HUNG, "{alarm:#}");
        self.nothing_remains();
    }

    /// Hosts answer together, if they can; whoever has no part in it is asked as without.
    pub(super) fn is_reduced_by_mpi(&self, launcher: &str, of: &Launcher) {
        let reducer = reducer(of.compiler);
        let mpirun = of.words.join(" ");
        let wanted = [&by_mpi(&reducer, &mpirun)[..], &["--deadline", "60s"]].concat();
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
