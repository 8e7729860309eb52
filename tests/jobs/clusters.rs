//! A job on several hosts, asked for by one command on one of them, while some of them are half dead.
//!
//! The hosts are namespaces of this machine (`hosts`), the jobs are Open MPI's and MPICH's, started by `ssh`: rank 0 on node1, 1 and 2 on node2, 3 on node3. Rank 2 waits for what nobody does.

mod hosts;

use crate::hindmost::{hindmost, my_turn, out, run, said};
use hosts::{Hosts, equipped, until};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const HUNG: &str = "2";
/// Hosts that say nothing are waited for so long at least.
const DEADLINE: Duration = Duration::from_secs(5);

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

/// A launcher that starts ranks by `ssh`: its first words on node1, with one rank on node1 and node3, and two on node2.
struct Launcher {
    compiler: &'static str,
    words: &'static [&'static str],
}

const OPEN_MPI: Launcher = Launcher {
    compiler: "mpicc.openmpi",
    words: &[
        "mpirun.openmpi",
        "-H",
        "node1:1,node2:2,node3:1",
        "-np",
        "4",
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
};

const HYDRA: Launcher = Launcher {
    compiler: "mpicc.mpich",
    // The hosts have one kernel, by which UCX takes them for one.
    words: &[
        "mpiexec.hydra",
        "-launcher",
        "ssh",
        "-iface",
        "eth0",
        "-hosts",
        "node1:1,node2:2,node3:1",
        "-n",
        "4",
        "-genv",
        "UCX_TLS",
        "tcp,self",
        "-genv",
        "UCX_NET_DEVICES",
        "eth0",
    ],
};

struct Cluster {
    hosts: Hosts,
    launcher: Option<Child>,
    directory: PathBuf,
    probe: PathBuf,
}

impl Cluster {
    /// Four hosts without a job.
    fn start() -> Self {
        let directory = out().join("clusters");
        let hosts = Hosts::start(4, &directory);
        std::fs::write(directory.join("altered.py"), ALTERED).unwrap();
        // As small as it is installed.
        let stripped = directory.join("hindmost-probe");
        let strip = run(Command::new("strip").arg(probe()).arg("-o").arg(&stripped));
        assert!(strip.status.success(), "{}", said(&strip));
        Cluster {
            hosts,
            launcher: None,
            directory,
            probe: stripped,
        }
    }

    /// Starts a job in place of the one that there was, and waits until it hangs. Returns the pid of its launcher on node1.
    fn hang(&mut self, launcher: &Launcher) -> String {
        self.end();
        let [exe, sign] =
            ["steps", "sign"].map(|name| self.directory.join(format!("{}-{name}", launcher.compiler)));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/clusters/steps.c");
        let built = run(Command::new(launcher.compiler)
            .args(["-g", "-O0", source, "-o"])
            .arg(&exe));
        assert!(built.status.success(), "{}", said(&built));
        let program = [exe.to_str().unwrap(), HUNG, sign.to_str().unwrap()];
        let log = std::fs::File::create(self.directory.join("launcher.log")).unwrap();
        let started = self
            .hosts
            .command(1, &[&["nice"], launcher.words, &program].concat())
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.launcher = Some(started.unwrap());
        until("rank 2 hangs", || sign.is_file());
        let running = self.hosts.running(1);
        let found = running
            .iter()
            .find(|(_, line)| line.starts_with(launcher.words[0]));
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
        find
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
        let probes = processes.filter(|(_, line)| line.contains("--serve") && !line.starts_with("ssh"));
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
    let mut cluster = Cluster::start();
    let launcher = cluster.hang(&HYDRA);
    let begun = Instant::now();
    let answer = cluster.names_rank_2(&[&launcher], "");
    let took = begun.elapsed();
    assert_eq!(answer["tasks"], 4, "{answer:#}");
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
    let list = cluster.directory.join("list");
    std::fs::write(&list, "node1\nnode2 # two ranks\nnode3\n").unwrap();
    let list = list.to_str().unwrap();
    cluster.names_rank_2(&["--hosts", list], "");
    cluster.nothing_remains();

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

    // Logins to node3 hang; its link is cut; node4, which has no rank, is dead.
    cluster.hosts.let_logins_hang(3, true);
    // On a busy machine the others need longer.
    let deadline = format!("{}s", DEADLINE.max(3 * took).as_secs());
    let answer = cluster.names_rank_2(&[&launcher, "--deadline", &deadline], "3");
    let told = warnings(&answer);
    assert!(
        told.contains("rank 3 on host node3 was not seen") && told.contains("did not answer within"),
        "{told}"
    );
    cluster.interrupted(&launcher);
    cluster.hosts.let_logins_hang(3, false);
    cluster.hosts.kill(4);
    cluster.hosts.cut(3, true);
    let list = cluster.directory.join("list");
    std::fs::write(&list, "node1\nnode2\nnode3\nnode4\n").unwrap();
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
    /// Nobody is named by what one host alone has.
    #[track_caller]
    fn names_of_one_host(&self, arguments: &[&str], missing: &str) -> Value {
        let (output, answer) = self.answer(arguments);
        assert_eq!(answer["missing_ranks"], missing, "{}", said(&output));
        answer
    }

    /// Whoever gives up while a host hangs leaves no probe on the others.
    fn interrupted(&self, launcher: &str) {
        let mut find = self.find(&[launcher, "--deadline", "60s"]);
        let mut find = find.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until("a probe waits on node2", || self.remains(2).contains("--serve"));
        // The shell's `^C` goes to the whole group; here the command alone is killed, which leaves it no time for anything.
        let killed = self
            .hosts
            .running(1)
            .into_iter()
            .find(|(_, line)| line.contains("--deadline 60s"));
        let (pid, line) = killed.expect("the command runs");
        let kill = self.hosts.run(1, &["kill", "-KILL", &pid.to_string()]);
        assert!(kill.status.success(), "{line}");
        find.wait().unwrap();
        self.nothing_remains();
    }
}
