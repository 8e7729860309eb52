//! What else is asked of a job on several hosts, and what else there may be on these.

use super::cluster::{Cluster, HUNG, OPEN_MPI, alarm_of, interrupt_when, warnings};
use super::hosts::until;
use crate::hindmost::{hindmost, run, said};
use serde_json::Value;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

impl Cluster {
    /// Whatever else is asked of a job is asked of all its hosts.
    pub fn is_looked_at_in_other_ways(&self, launcher: &str) {
        let answer = self.names_rank_2(&[launcher, "--twice", "300ms", "--explain", "2", "3"], "");
        assert!(
            answer["motion"].is_object() && answer["explanation"].is_object(),
            "{answer:#}"
        );
        let hosts = serde_json::json!([
            { "host": "node1", "ranks": "0", "classes": [1] },
            { "host": "node2", "ranks": "1-2", "classes": [0, 1] },
            { "host": "node3", "ranks": "3", "classes": [1] },
        ]);
        assert_eq!(answer["hosts"], hosts, "{answer:#}");
        let of_classes = (&answer["classes"][0]["host"], &answer["classes"][1]["host"]);
        assert_eq!(of_classes, (&Value::from("node2"), &Value::Null), "{answer:#}");

        let told = self.text(&[launcher, "--by-host", "--tree", "--slice", "--samples", "2"]);
        let shown = String::from_utf8_lossy(&told.stdout);
        for words in [
            "On host node2: 1 of its 2 ranks.",
            "node2 (ranks 1-2): class 1 (2), hindmost; class 2 (1)",
            "node1, node3 (ranks 0,3): class 2 (0,3)",
            "1. rank 2, on node2: hindmost",
            "1:[2] on node2",
            "wait_for_nobody",
            "rank == hung && step == 7",
        ] {
            assert!(shown.contains(words), "{words}: {}", said(&told));
        }

        // It ends with the first alarm.
        let report = self.directory.join("report");
        let watched = run(&mut self.watch(&report, &["--launcher", launcher]));
        assert_eq!(watched.status.code(), Some(4), "{}", said(&watched));
        assert!(said(&watched).contains("4 tasks watched"), "{}", said(&watched));
        let alarm = alarm_of(&report);
        assert_eq!(
            (&alarm["hindmost"][0]["ranks"], &alarm["hosts"]),
            (&Value::from(HUNG), &hosts),
            "{alarm:#}"
        );
        self.nothing_remains();
    }

    /// Ranks 0 and 1 run one program, 2 and 3 another that is made of the same source and does not run where it is asked for: each is ordered by its own map.
    pub fn is_of_two_programs(&mut self) {
        let (air, sign) = self.program("mpicc.openmpi");
        let sea = self.directory.join("sea");
        let source = self.directory.join("sea.c");
        std::fs::copy(
            concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/clusters/steps.c"),
            &source,
        )
        .unwrap();
        let built = run(Command::new("mpicc.openmpi")
            .args(["-g", "-O0", "-fno-common", "-o"])
            .args([&sea, &source]));
        assert!(built.status.success(), "{}", said(&built));
        let [_, hung, file] = &air;
        let mut words = Vec::new();
        for (program, hosts) in [(&air[0][..], "node1:2"), (sea.to_str().unwrap(), "node3:2")] {
            if !words.is_empty() {
                words.push(":");
            }
            words.extend(["-H", hosts, "-np", "2", program, hung, file]);
        }
        let launcher = self.hang_with(&[OPEN_MPI.words, &words].concat(), &sign);
        let (output, answer) = self.answer(&[
            &launcher,
            "--save",
            self.directory.join("of-two").to_str().unwrap(),
        ]);
        let own = &answer["programs"][0];
        assert_eq!(own["answer"]["hindmost"][0]["ranks"], HUNG, "{}", said(&output));
        assert!(own["program"].as_str().unwrap().ends_with("/sea"), "{answer:#}");
        let (whole, outside) = (&answer["classes"][0], &answer["classes"][1]);
        assert_eq!(whole["ranks"], "0-1", "{answer:#}");
        let why = "nothing but MPI orders tasks of different programs";
        assert!(
            outside["outside"]
                .as_str()
                .is_some_and(|said| said.ends_with(why)),
            "{answer:#}"
        );
        assert_eq!(answer["named"], HUNG, "{answer:#}");
        // What else is asked is answered by the map of the program that they run.
        let (output, answer) = self.answer(&[&launcher, "--explain", "2", "3"]);
        assert_eq!(answer["explanation"]["relation"], "before", "{}", said(&output));
        let output = self.text(&[&launcher, "--slice", "--slice-format", "lines"]);
        let text = String::from_utf8_lossy(&output.stdout);
        let slice = Vec::from_iter(text.lines().filter(|line| line.contains(": note: ")));
        let is_of_sea = |line: &&str| line.contains("/sea.c:");
        assert!(
            !slice.is_empty() && slice.iter().all(is_of_sea),
            "{}",
            said(&output)
        );
    }

    /// Another user has a job on the same hosts: each of them sees his own.
    pub fn is_asked_for_by_two_users(&self, launcher: &str) {
        let ranks = [2, 3].map(|node| {
            let rank = format!("PMI_RANK={}", node - 2);
            let words = ["env", &rank, "PMI_SIZE=2", "sleep", "1000"];
            self.hosts.command_of_visitor(node, &words).spawn().unwrap()
        });
        let list = self.directory.join("list-of-two");
        std::fs::write(&list, "node2\nnode3\n").unwrap();
        let answer = self.names_rank_2(&[launcher], "");
        assert_eq!(answer["tasks"], 4, "{answer:#}");
        // Root may look at both, and has to say whose is meant.
        let both = run(&mut self.find(&["--hosts", list.to_str().unwrap()]));
        assert!(said(&both).contains("several jobs run here"), "{}", said(&both));

        let command = hindmost();
        let command = Path::new(command.get_program());
        let beside = command.parent().unwrap().to_str().unwrap();
        let mounted = [
            "sh",
            "-ec",
            "mkdir /run/bin; mount --bind \"$1\" /run/bin",
            "sh",
            beside,
        ];
        assert!(self.hosts.run(1, &mounted).status.success());
        let name = format!("/run/bin/{}", command.file_name().unwrap().to_str().unwrap());
        let words = [
            &name,
            "find",
            "--format",
            "json",
            "--hosts",
            "/run/cluster/list-of-two",
            "--probe",
            "/run/cluster/hindmost-probe",
        ];
        let own = run(&mut self.hosts.command_of_visitor(1, &words));
        let answer: Value = serde_json::from_slice(&own.stdout).unwrap_or_else(|_| panic!("{}", said(&own)));
        assert_eq!(
            (&answer["tasks"], &answer["missing_ranks"]),
            (&Value::from(2), &Value::from("")),
            "{answer:#}"
        );
        assert_eq!(answer["classes"][0]["ranks"], "0-1", "{answer:#}");
        for (node, mut rank) in [2, 3].into_iter().zip(ranks) {
            self.hosts.end_all_of_visitor(node);
            rank.wait().unwrap();
        }
    }

    /// The probe goes where there is room, and where there is none anywhere that is said.
    pub fn has_a_full_disk(&self, launcher: &str) {
        let mount = |at: &str| {
            let words = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", at];
            assert!(self.hosts.run(3, &words).status.success(), "{at}");
        };
        mount("/dev/shm");
        let answer = self.names_rank_2(&[launcher], "");
        assert!(!warnings(&answer).contains("not seen"), "{answer:#}");
        let places = ["/run", "/tmp", "/root"];
        places.iter().for_each(|at| mount(at));
        // Without this `sshd` takes nobody.
        assert!(self.hosts.run(3, &["mkdir", "/run/sshd"]).status.success());
        let answer = self.names_rank_2(&[launcher], "3");
        assert!(warnings(&answer).contains("they are full"), "{answer:#}");
        for at in ["/dev/shm"].iter().chain(&places) {
            assert!(self.hosts.run(3, &["umount", at]).status.success(), "{at}");
        }
        self.nothing_remains();
    }

    /// Nobody is named by what one host alone has.
    #[track_caller]
    pub fn names_of_one_host(&self, arguments: &[&str], missing: &str) -> Value {
        let (output, answer) = self.answer(arguments);
        assert_eq!(answer["missing_ranks"], missing, "{}", said(&output));
        answer
    }

    /// Whoever is killed while a host hangs leaves no probe on the others.
    pub fn killed(&self, launcher: &str) {
        let mut find = self.find(&[launcher, "--grace", "61s"]);
        let mut find = find.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until("a probe waits on node2", || self.remains(2).contains("--serve"));
        // The command alone is killed, which leaves it no time for anything.
        let killed = self
            .hosts
            .running(1)
            .into_iter()
            .find(|(_, line)| line.contains("--grace 61s"));
        let (pid, line) = killed.expect("the command runs");
        let kill = self.hosts.run(1, &["kill", "-KILL", &pid.to_string()]);
        assert!(kill.status.success(), "{line}");
        find.wait().unwrap();
        self.nothing_remains();
    }

    /// Nor does `^C`, which a shell sends to all that was started: while a probe is being sent, and while it waits.
    pub fn interrupted(&self, launcher: &str) {
        let slow = format!(
            "python3 {} {{host}} {{command}}",
            self.directory.join("slow.py").display()
        );
        let being_sent = [launcher, "--via", &slow];
        for (arguments, sign) in [
            (&being_sent[..], "/dev/shm/hindmost."),
            (&[launcher, "--grace", "62s"], "--serve"),
        ] {
            let mut find = self.find(arguments);
            let find = find.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
            interrupt_when(find, &format!("{sign} on node2"), || {
                self.remains(2).contains(sign)
            });
            self.nothing_remains();
        }
    }
}
