//! A job on several hosts, asked for by one command on one of them, while some of them are half dead.
//!
//! The hosts are namespaces of this machine (`hosts`), the jobs are Open MPI's and MPICH's, started by `ssh`: rank 0 on node1, 1 and 2 on node2, 3 on node3. Rank 2 waits for what nobody does.

mod faults;
mod hosts;
mod reducing;
mod slurm;
mod timing;

use crate::hindmost::{hindmost, my_turn, out, run, said};
use hosts::{Hosts, equipped, until};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value;
use slurm::Slurm;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const HUNG: &str = "2";
/// No answer takes so long, although one of the hosts says nothing: the others are waited for by what they need themselves.
const DEADLINE: Duration = Duration::from_secs(200);

/// The probe beside the command under test, or the one that cargo builds.
fn probe() -> PathBuf {
    let beside = Path::new(hindmost().get_program()).with_file_name("hindmost-probe");
    if beside.is_file() {
        return beside;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args([
        "build",
        "--quiet",
        "--package",
        "runtime-probe",
        "--bin",
        "hindmost-probe",
    ]);
    let output = run(build.current_dir(env!("CARGO_MANIFEST_DIR")));
    assert!(output.status.success(), "{}", said(&output));
    beside
}

/// `ssh`, whose answers are altered on their way: a frame is none any more.
const ALTERED: &str = "\
import os, subprocess, sys
ssh = subprocess.Popen(['ssh', *sys.argv[1:]], stdout=subprocess.PIPE)
while piece := os.read(ssh.stdout.fileno(), 65536):
    os.write(1, piece.replace(b'HMF1', b'HMF2'))
";

/// A launcher that starts ranks by `ssh`.
struct Launcher {
    compiler: &'static str,
    /// Its name, and by what it reaches the other hosts. The hosts have one kernel, by which an MPI may take them for one.
    words: &'static [&'static str],
    /// One rank on node1 and node3, and two on node2.
    ranks: &'static [&'static str],
}

const OPEN_MPI: Launcher = Launcher {
    compiler: "mpicc.openmpi",
    words: &[
        "mpirun.openmpi",
        "--mca",
        "btl",
        "tcp,self",
        "--mca",
        "btl_tcp_if_include",
        "eth0",
        "--mca",
        "oob_tcp_if_include",
        "eth0",
        "--mca",
        "mpi_yield_when_idle",
        "1",
    ],
    ranks: &["-H", "node1:1,node2:2,node3:1", "-np", "4"],
};

const HYDRA: Launcher = Launcher {
    compiler: "mpicc.mpich",
    words: &[
        "mpiexec.hydra",
        "-launcher",
        "ssh",
        "-iface",
        "eth0",
        "-genv",
        "UCX_TLS",
        "tcp,self",
        "-genv",
        "UCX_NET_DEVICES",
        "eth0",
    ],
    ranks: &["-hosts", "node1:1,node2:2,node3:1", "-n", "4"],
};

/// `ssh` over a line on which a probe takes many seconds.
const SLOW: &str = "\
import subprocess, sys, time
ssh = subprocess.Popen(['ssh', *sys.argv[1:]], stdin=subprocess.PIPE)
while piece := sys.stdin.buffer.read1(1 << 16):
    time.sleep(0.2)
    ssh.stdin.write(piece)
    ssh.stdin.flush()
";

struct Cluster {
    hosts: Hosts,
    launcher: Option<Child>,
    directory: PathBuf,
    probe: PathBuf,
}

impl Cluster {
    /// Four hosts without a job, with their files in a directory of this name.
    fn start(name: &str) -> Self {
        let directory = out().join(name);
        let hosts = Hosts::start(4, &directory);
        for (name, script) in [("altered.py", ALTERED), ("slow.py", SLOW)] {
            std::fs::write(directory.join(name), script).unwrap();
        }
        // As small as it is installed.
        let stripped = directory.join("hindmost-probe");
        let strip = run(Command::new("strip").arg(probe()).arg("-o").arg(&stripped));
        assert!(strip.status.success(), "{}", said(&strip));
        // On the disk of node1 alone: what all hosts see is not sent.
        let own = "/run/hindmost-probe";
        let copied = hosts.run(1, &["cp", "/run/cluster/hindmost-probe", own]);
        assert!(copied.status.success(), "{}", said(&copied));
        Cluster {
            hosts,
            launcher: None,
            directory,
            probe: PathBuf::from(own),
        }
    }

    /// The program with its arguments, and the file that says that it hangs.
    fn program(&self, compiler: &str) -> ([String; 3], PathBuf) {
        let [exe, sign] = ["steps", "sign"].map(|name| self.directory.join(format!("{compiler}-{name}")));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/clusters/steps.c");
        let built = run(Command::new(compiler).args(["-g", "-O0", source, "-o"]).arg(&exe));
        assert!(built.status.success(), "{}", said(&built));
        let word = |path: &Path| path.to_str().unwrap().to_owned();
        ([word(&exe), HUNG.to_owned(), word(&sign)], sign)
    }

    /// Starts a job in place of the one that there was, and waits until it hangs. Returns the pid of its launcher on node1.
    fn hang(&mut self, launcher: &Launcher) -> String {
        let (program, sign) = self.program(launcher.compiler);
        let program = Vec::from_iter(program.iter().map(String::as_str));
        self.hang_with(&[launcher.words, launcher.ranks, &program].concat(), &sign)
    }

    /// The same with the words of a launcher, and the file that says that the job hangs.
    fn hang_with(&mut self, words: &[&str], sign: &Path) -> String {
        self.end();
        let _ = std::fs::remove_file(sign);
        let log = std::fs::File::create(self.directory.join("launcher.log")).unwrap();
        let started = self
            .hosts
            .command(1, &[&["nice"], words].concat())
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.launcher = Some(started.unwrap());
        until("rank 2 hangs", || sign.is_file());
        let running = self.hosts.running(1);
        let found = running.iter().find(|(_, line)| line.starts_with("mpi"));
        let (pid, _) = found.unwrap_or_else(|| panic!("{running:?}"));
        pid.to_string()
    }

    /// Ends the job.
    fn end(&mut self) {
        let Some(mut launcher) = self.launcher.take() else {
            return;
        };
        for (pid, _) in self
            .hosts
            .running(1)
            .iter()
            .filter(|(_, line)| line.starts_with("mpi"))
        {
            self.hosts.run(1, &["kill", &pid.to_string()]);
        }
        launcher.wait().unwrap();
    }

    /// `hindmost find` on node1.
    fn find(&self, arguments: &[&str]) -> Command {
        let mut find = self.hosts.command(
            1,
            &[
                hindmost().get_program().to_str().unwrap(),
                "find",
                "--format",
                "json",
            ],
        );
        find.arg("--probe").arg(&self.probe).args(arguments);
        find.env("XDG_CACHE_HOME", out().join("cache"));
        // What is reduced by MPI is started by it.
        find.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
        find.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        find
    }

    /// `hindmost watch` on node1, which gives an alarm soon.
    fn watch(&self, report: &Path, arguments: &[&str]) -> Command {
        let mut watch = self
            .hosts
            .command(1, &[hindmost().get_program().to_str().unwrap(), "watch"]);
        watch.args(arguments).arg("--probe").arg(&self.probe);
        watch.args(["--every", "300ms", "--still", "1s", "--busy", "1s", "--report"]);
        watch.arg(report).env("XDG_CACHE_HOME", out().join("cache"));
        watch
    }

    /// Whoever watches hosts that were named goes on after the alarm, and ends with the job, which `end` ends.
    fn is_watched_until_it_ends(&mut self, watch: &mut Command, report: &Path, end: impl FnOnce(&mut Self)) {
        let watch = watch
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until("the watch gives an alarm", || {
            report.with_extension("txt").is_file()
        });
        let alarm = alarm_of(report);
        assert_eq!(alarm["hindmost"][0]["ranks"], HUNG, "{alarm:#}");
        end(self);
        let watched = watch.wait_with_output().unwrap();
        assert_eq!(watched.status.code(), Some(4), "{}", said(&watched));
        // Ranks that are being ended do not go on.
        assert!(!said(&watched).contains("taken back"), "{}", said(&watched));
        self.nothing_remains();
    }

    fn answer(&self, arguments: &[&str]) -> (Output, Value) {
        let output = run(&mut self.find(arguments));
        let answer = serde_json::from_slice(&output.stdout);
        let answer = answer.unwrap_or_else(|_| panic!("{arguments:?}: {}", said(&output)));
        (output, answer)
    }

    /// Who is named, proven, and what is said of what was not seen. A rank may have been on its way to the call of all others.
    #[track_caller]
    fn names_rank_2(&self, arguments: &[&str], missing: &str) -> Value {
        let (output, answer) = self.answer(arguments);
        assert_eq!(answer["hindmost"][0]["ranks"], HUNG, "{arguments:?}: {answer:#}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {answer:#}");
        assert_eq!(answer["missing_ranks"], missing, "{arguments:?}: {answer:#}");
        answer
    }

    /// What the probe may have left on a host.
    fn remains(&self, node: usize) -> String {
        let files = self.hosts.run(
            node,
            &[
                "sh",
                "-c",
                "ls -d /dev/shm/hindmost.???????? /tmp/hindmost.???????? 2>/dev/null",
            ],
        );
        let processes = self.hosts.running(node).into_iter();
        // What reaches a host that hangs has the same words among its arguments, and ends when that host does.
        let probes = processes.filter(|(_, line)| {
            line.contains("--serve") && !line.starts_with("ssh") || line.contains("/reducer-")
        });
        format!(
            "{}{:?}",
            String::from_utf8_lossy(&files.stdout),
            Vec::from_iter(probes)
        )
    }

    #[track_caller]
    fn nothing_remains(&self) {
        for node in 1..=3 {
            until(&format!("nothing remains on node{node}"), || {
                self.remains(node) == "[]"
            });
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(launcher) = &mut self.launcher {
            let _ = launcher.kill();
            let _ = launcher.wait();
        }
    }
}

/// The answer in the report of an alarm.
fn alarm_of(report: &Path) -> Value {
    let text = std::fs::read_to_string(report.with_extension("json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Every warning of an answer, one a line.
fn warnings(answer: &Value) -> String {
    let all = answer["warnings"].as_array().into_iter().flatten();
    Vec::from_iter(all.filter_map(Value::as_str)).join("\n")
}

#[test]
fn one_command_answers_for_all_hosts_though_some_are_half_dead() {
    if !equipped() {
        return;
    }
    let _turn = my_turn();
    let mut cluster = Cluster::start("clusters");
    let launcher = cluster.hang(&HYDRA);
    let answer = cluster.names_rank_2(&[&launcher], "");
    assert_eq!(answer["tasks"], 4, "{answer:#}");
    cluster.is_reduced_by_mpi(&launcher, &HYDRA);
    let list = cluster.directory.join("list");
    std::fs::write(&list, "node1\nnode2 # two ranks\nnode3\nnode4 # none\n").unwrap();
    let report = cluster.directory.join("report-of-hosts");
    let mut watch = cluster.watch(&report, &["--hosts", list.to_str().unwrap(), "--go-on"]);
    cluster.is_watched_until_it_ends(&mut watch, &report, Cluster::end);
    let launcher = cluster.hang(&OPEN_MPI);

    // By the launcher's table, with the hosts in the table that is kept; by a list of hosts that names no process.
    let table = cluster.directory.join("table");
    let saved = cluster.directory.join("stacks");
    let keep = [
        "--save-table",
        table.to_str().unwrap(),
        "--save",
        saved.to_str().unwrap(),
    ];
    let answer = cluster.names_rank_2(&[&[&launcher[..]][..], &keep].concat(), "");
    assert_eq!(answer["tasks"], 4, "{answer:#}");
    assert!(!warnings(&answer).contains("not seen"), "{answer:#}");
    let text = std::fs::read_to_string(&table).unwrap();
    for (rank, host) in ["0 node1:", "1 node2:", "2 node2:", "3 node3:"]
        .into_iter()
        .enumerate()
    {
        assert!(text.lines().nth(rank + 1).unwrap().starts_with(host), "{text}");
    }
    let stacks = std::fs::read_to_string(&saved).unwrap();
    assert!(
        stacks.lines().nth(3).unwrap().contains("\"host\":\"node2\""),
        "{stacks}"
    );
    cluster.names_rank_2(&["--hosts", list.to_str().unwrap()], "");
    cluster.nothing_remains();
    cluster.is_a_job_of_flux(&text);
    cluster.is_looked_at_in_other_ways(&launcher);
    cluster.is_reduced_by_mpi(&launcher, &OPEN_MPI);
    cluster.has_a_full_disk(&launcher);
    cluster.has_a_slow_link(&launcher);
    cluster.loses_a_link(&launcher);

    // What is sent is not what comes there: an answer with one altered byte counts as none.
    let altered = format!(
        "python3 {} {{host}} {{command}}",
        cluster.directory.join("altered.py").display()
    );
    let answer = cluster.names_of_one_host(&[&launcher, "--via", &altered], "1-3");
    assert!(
        warnings(&answer).contains("it sent something else than a frame"),
        "{answer:#}"
    );

    cluster.is_recorded_on_all_hosts();
    let launcher = cluster.hang(&OPEN_MPI);
    cluster.is_asked_for_by_two_users(&launcher);
    cluster.is_of_two_programs();
    let launcher = cluster.hang(&OPEN_MPI);

    // Logins to node3 hang; its link is cut; node4, which has no rank, is dead.
    cluster.hosts.let_logins_hang(3, true);
    let deadline = format!("{}s", DEADLINE.as_secs());
    let begun = Instant::now();
    let answer = cluster.names_rank_2(&[&launcher, "--deadline", &deadline], "3");
    let told = warnings(&answer);
    assert!(
        told.contains("rank 3 on host node3 was not seen") && told.contains("--grace TIME waits longer"),
        "{told}"
    );
    assert!(begun.elapsed() < DEADLINE / 2, "{told}");
    cluster.killed(&launcher);
    cluster.interrupted(&launcher);
    cluster.hosts.let_logins_hang(3, false);
    cluster.hosts.kill(4);
    cluster.hosts.cut(3, true);
    let answer = cluster.names_rank_2(&["--hosts", list.to_str().unwrap(), "--deadline", &deadline], "3");
    for host in ["node3", "node4"] {
        assert!(
            warnings(&answer).contains(&format!("host {host} was not seen")),
            "{answer:#}"
        );
    }
    cluster.hosts.cut(3, false);
    cluster.nothing_remains();
}

impl Cluster {
    /// Whatever else is asked of a job is asked of all its hosts.
    fn is_looked_at_in_other_ways(&self, launcher: &str) {
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

        let text = |arguments: &[&str]| {
            let command = hindmost();
            let words = [&[command.get_program().to_str().unwrap()][..], arguments].concat();
            let mut command = self.hosts.command(1, &words);
            command.args(["--probe", self.probe.to_str().unwrap()]);
            command.env("XDG_CACHE_HOME", out().join("cache"));
            run(&mut command)
        };
        let told = text(&[
            "find",
            launcher,
            "--by-host",
            "--tree",
            "--slice",
            "--samples",
            "2",
        ]);
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

    /// Flux says where the processes of a job are; here what plays its part has them from the launcher's table.
    fn is_a_job_of_flux(&self, table: &str) {
        let process = |line: &str| {
            let process = line.split_whitespace().nth(1);
            process.unwrap_or_else(|| panic!("{table}")).to_owned()
        };
        let processes = Vec::from_iter(table.lines().skip(1).map(process)).join(",");
        let directory = self.directory.join("flux");
        std::fs::create_dir_all(&directory).unwrap();
        let script = format!(
            "#!/bin/sh\nif [ \"$*\" = 'job hostpids f2xYz4b' ]; then echo '{processes}'; else echo 'flux-job: unknown job id' >&2; exit 1; fi\n"
        );
        let flux = directory.join("flux");
        std::fs::write(&flux, script).unwrap();
        std::fs::set_permissions(&flux, PermissionsExt::from_mode(0o755)).unwrap();
        let path = std::env::var("PATH").unwrap();
        let find = |id: &str| {
            let mut find = self.find(&["--job", id]);
            run(find.env("PATH", format!("{}:{path}", directory.display())))
        };
        let found = find("ƒ2xYz4b");
        let answer: Value =
            serde_json::from_slice(&found.stdout).unwrap_or_else(|_| panic!("{}", said(&found)));
        assert_eq!(
            (&answer["tasks"], &answer["hindmost"][0]["ranks"]),
            (&Value::from(4), &Value::from(HUNG)),
            "{answer:#}"
        );
        let unknown = find("f7");
        assert_eq!(unknown.status.code(), Some(2), "{}", said(&unknown));
        assert!(
            said(&unknown).contains("Flux does not say where job f7 runs: flux-job: unknown job id"),
            "{}",
            said(&unknown)
        );
    }

    /// Ranks 0 and 1 run one program, 2 and 3 another that is made of the same source and does not run where it is asked for: each is ordered by its own map.
    fn is_of_two_programs(&mut self) {
        let (air, sign) = self.program("mpicc.openmpi");
        let sea = self.directory.join("sea");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/clusters/steps.c");
        let built = run(Command::new("mpicc.openmpi")
            .args(["-g", "-O0", "-fno-common", source, "-o"])
            .arg(&sea));
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
    }

    /// Another user has a job on the same hosts: each of them sees his own.
    fn is_asked_for_by_two_users(&self, launcher: &str) {
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
    fn has_a_full_disk(&self, launcher: &str) {
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
    fn names_of_one_host(&self, arguments: &[&str], missing: &str) -> Value {
        let (output, answer) = self.answer(arguments);
        assert_eq!(answer["missing_ranks"], missing, "{}", said(&output));
        answer
    }

    /// Whoever is killed while a host hangs leaves no probe on the others.
    fn killed(&self, launcher: &str) {
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
    fn interrupted(&self, launcher: &str) {
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

/// Starts a command as a shell does, and sends it and all that it has started `^C` once something is so.
fn interrupt_when(command: &mut Command, what: &str, is_so: impl Fn() -> bool) {
    let mut child = command.spawn().unwrap();
    until(what, is_so);
    killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    child.wait().unwrap();
}

#[test]
fn a_job_of_slurm_is_asked_for_by_its_number() {
    if !equipped() || !crate::slurm::equipped() {
        return;
    }
    let _turn = my_turn();
    let mut cluster = Cluster::start("clusters-slurm");
    let slurm = Slurm::start(&cluster.hosts, 4, &cluster.directory);
    let (program, sign) = cluster.program("mpicc.openmpi");
    let script = cluster.directory.join("script");
    // Of the four nodes of the job one has no rank, and one has the script.
    let text = format!(
        "#!/bin/sh\nsrun --nodes=3 --ntasks=3 --mpi=pmix {}\n",
        program.join(" ")
    );
    std::fs::write(&script, text).unwrap();
    let submit = [
        "sbatch",
        "--parsable",
        "--nodes=4",
        "--ntasks=4",
        "--chdir=/",
        "--output=/dev/null",
    ];
    let submitted = slurm.run(
        &cluster.hosts,
        1,
        &[&submit[..], &[script.to_str().unwrap()]].concat(),
    );
    let job = String::from_utf8_lossy(&submitted.stdout).trim().to_owned();
    until("rank 2 hangs", || sign.is_file());

    let find = |arguments: &[&str]| slurm.on(cluster.find(arguments));
    let answered = |output: Output, missing: &str| -> Value {
        let answer: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
        assert_eq!(answer["hindmost"][0]["ranks"], HUNG, "{answer:#}");
        assert_eq!(answer["missing_ranks"], missing, "{answer:#}");
        answer
    };
    // The same through MPI, which Slurm starts as one more step.
    let reducer = reducing::reducer("mpicc.openmpi");
    let together = [
        "--job",
        &job,
        "--reduce",
        "mpi",
        "--reducer",
        reducer.to_str().unwrap(),
    ];
    let together = [&together[..], &["--deadline", "60s"]].concat();
    let answer = answered(run(find(&together).env("SLURM_MPI_TYPE", "pmix")), "");
    assert!(!warnings(&answer).contains("reduced by MPI"), "{answer:#}");
    // Where Slurm starts no MPI, Open MPI refuses to run.
    let answer = answered(run(find(&together).env("SLURM_MPI_TYPE", "none")), "");
    assert!(warnings(&answer).contains("SLURM_MPI_TYPE"), "{answer:#}");
    // Two users look at the same time, and neither takes the other for a part of the job.
    let piped = |mut command: Command| {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let both = [(); 2].map(|()| piped(find(&["--job", &job])));
    for other in both {
        let output = other.wait_with_output().unwrap();
        assert!(
            said(&output).contains("3 hosts are asked by srun --overlap"),
            "{}",
            said(&output)
        );
        let answer = answered(output, "");
        assert_eq!(
            (&answer["tasks"], warnings(&answer).contains("not seen")),
            (&Value::from(3), false),
            "{answer:#}"
        );
    }
    for (id, words) in [
        (format!("{job}.7"), "there is no step"),
        ("4711".to_owned(), "Slurm knows no job 4711"),
    ] {
        let output = run(&mut find(&["--job", &id]));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(words), "{}", said(&output));
    }

    // A job without ranks has no answer.
    let submitted = slurm.run(&cluster.hosts, 1, &[&submit[..], &["--wrap=sleep 1000"]].concat());
    let idle = String::from_utf8_lossy(&submitted.stdout).trim().to_owned();
    let state = ["squeue", "--noheader", "--format=%T", "--jobs", &idle];
    until("the other job runs", || {
        slurm.run(&cluster.hosts, 1, &state).stdout == b"RUNNING\n"
    });
    let output = run(&mut find(&["--job", &idle]));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("has no rank on its hosts"),
        "{}",
        said(&output)
    );

    // A step that cannot be started says nothing at all.
    let daemon = |signal: &str| cluster.hosts.run(2, &["pkill", signal, "--exact", "slurmd"]);
    assert!(daemon("-STOP").status.success());
    let begun = Instant::now();
    let deadline = format!("{}s", DEADLINE.as_secs());
    let answer = answered(run(&mut find(&["--job", &job, "--deadline", &deadline])), "1");
    assert!(
        warnings(&answer).contains("host node2 was not seen"),
        "{answer:#}"
    );
    assert!(begun.elapsed() < DEADLINE / 2, "{answer:#}");
    assert!(daemon("-CONT").status.success());

    let mut interrupted = find(&["--job", &job, "--twice", "60s"]);
    let interrupted = interrupted
        .process_group(0)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    interrupt_when(interrupted, "a probe waits on node3", || {
        cluster.remains(3).contains("--serve")
    });
    cluster.nothing_remains();
    let report = cluster.directory.join("report");
    let mut watch = slurm.on(cluster.watch(&report, &["--job", &job, "--go-on"]));
    cluster.is_watched_until_it_ends(&mut watch, &report, |cluster| {
        let cancelled = slurm.run(&cluster.hosts, 1, &["scancel", &job]);
        assert!(cancelled.status.success(), "{}", said(&cancelled));
    });
    until("no step of ours is left", || {
        let steps = slurm.steps(&cluster.hosts);
        !steps.contains("hindmost")
    });
}
