//! Four hosts, and a job on three of them.

use super::hosts::{Hosts, until};
use crate::hindmost::{hindmost, out, run, said};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The rank that hangs.
pub const HUNG: &str = "2";

/// The probe beside the command under test, or the one that cargo builds.
pub fn probe() -> PathBuf {
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
pub struct Launcher {
    pub compiler: &'static str,
    /// Its name, and by what it reaches the other hosts. The hosts have one kernel, by which an MPI may take them for one.
    pub words: &'static [&'static str],
    /// One rank on node1 and node3, and two on node2.
    pub ranks: &'static [&'static str],
}

pub const OPEN_MPI: Launcher = Launcher {
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

pub const HYDRA: Launcher = Launcher {
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

pub struct Cluster {
    pub hosts: Hosts,
    pub launcher: Option<Child>,
    pub directory: PathBuf,
    pub probe: PathBuf,
}

impl Cluster {
    /// Four hosts without a job, with their files in a directory of this name.
    pub fn start(name: &str) -> Self {
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
    pub fn program(&self, compiler: &str) -> ([String; 3], PathBuf) {
        let [exe, sign] = ["steps", "sign"].map(|name| self.directory.join(format!("{compiler}-{name}")));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/clusters/steps.c");
        let built = run(Command::new(compiler).args(["-g", "-O0", source, "-o"]).arg(&exe));
        assert!(built.status.success(), "{}", said(&built));
        let word = |path: &Path| path.to_str().unwrap().to_owned();
        ([word(&exe), HUNG.to_owned(), word(&sign)], sign)
    }

    /// Starts a job in place of the one that there was, and waits until it hangs. Returns the pid of its launcher on node1.
    pub fn hang(&mut self, launcher: &Launcher) -> String {
        let (program, sign) = self.program(launcher.compiler);
        let program = Vec::from_iter(program.iter().map(String::as_str));
        self.hang_with(&[launcher.words, launcher.ranks, &program].concat(), &sign)
    }

    /// The same with the words of a launcher, and the file that says that the job hangs.
    pub fn hang_with(&mut self, words: &[&str], sign: &Path) -> String {
        self.end();
        let _ = std::fs::remove_file(sign);
        self.launch(words);
        until("rank 2 hangs", || sign.is_file());
        self.launcher_there().expect("the launcher runs")
    }

    /// Starts the launcher of a job on node1 by these words.
    pub fn launch(&mut self, words: &[&str]) {
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
    }

    /// The pid of the launcher on node1.
    pub fn launcher_there(&self) -> Option<String> {
        let running = self.hosts.running(1);
        let found = running.iter().find(|(_, line)| line.starts_with("mpi"));
        found.map(|(pid, _)| pid.to_string())
    }

    /// Ends the job.
    pub fn end(&mut self) {
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
    pub fn find(&self, arguments: &[&str]) -> Command {
        self.find_on(1, arguments)
    }

    /// `hindmost find` on a host.
    pub fn find_on(&self, node: usize, arguments: &[&str]) -> Command {
        let mut find = self.hosts.command(
            node,
            &[
                hindmost().get_program().to_str().unwrap(),
                "find",
                "--format",
                "json",
            ],
        );
        // The probe on the disk of node1 is on that of no other host.
        let shared = Path::new("/run/cluster/hindmost-probe");
        let probe = if node == 1 { &*self.probe } else { shared };
        find.arg("--probe").arg(probe).args(arguments);
        find.env("XDG_CACHE_HOME", out().join("cache"));
        // What is reduced by MPI is started by it.
        find.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
        find.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        find
    }

    /// The same as people see it.
    pub fn text(&self, arguments: &[&str]) -> Output {
        let mut find = self
            .hosts
            .command(1, &[hindmost().get_program().to_str().unwrap(), "find"]);
        find.arg("--probe").arg(&self.probe).args(arguments);
        run(find.env("XDG_CACHE_HOME", out().join("cache")))
    }

    /// `hindmost watch` on node1, which gives an alarm soon.
    pub fn watch(&self, report: &Path, arguments: &[&str]) -> Command {
        let mut watch = self
            .hosts
            .command(1, &[hindmost().get_program().to_str().unwrap(), "watch"]);
        watch.args(arguments).arg("--probe").arg(&self.probe);
        watch.args(["--every", "300ms", "--still", "1s", "--busy", "1s", "--report"]);
        watch.arg(report).env("XDG_CACHE_HOME", out().join("cache"));
        watch
    }

    /// Whoever watches hosts that were named goes on after the alarm, and ends with the job, which `end` ends.
    pub fn is_watched_until_it_ends(
        &mut self,
        watch: &mut Command,
        report: &Path,
        end: impl FnOnce(&mut Self),
    ) {
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

    pub fn answer(&self, arguments: &[&str]) -> (Output, Value) {
        let output = run(&mut self.find(arguments));
        let answer = serde_json::from_slice(&output.stdout);
        let answer = answer.unwrap_or_else(|_| panic!("{arguments:?}: {}", said(&output)));
        (output, answer)
    }

    /// Who is named, proven, and what is said of what was not seen. A rank may have been on its way to the call of all others.
    #[track_caller]
    pub fn names_rank_2(&self, arguments: &[&str], missing: &str) -> Value {
        let (output, answer) = self.answer(arguments);
        assert_eq!(answer["hindmost"][0]["ranks"], HUNG, "{arguments:?}: {answer:#}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {answer:#}");
        assert_eq!(answer["missing_ranks"], missing, "{arguments:?}: {answer:#}");
        answer
    }

    /// What the probe may have left on a host.
    pub fn remains(&self, node: usize) -> String {
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
    pub fn nothing_remains(&self) {
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
pub fn alarm_of(report: &Path) -> Value {
    let text = std::fs::read_to_string(report.with_extension("json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Every warning of an answer, one a line.
pub fn warnings(answer: &Value) -> String {
    let all = answer["warnings"].as_array().into_iter().flatten();
    Vec::from_iter(all.filter_map(Value::as_str)).join("\n")
}

/// Starts a command as a shell does, and sends it and all that it has started `^C` once something is so.
pub fn interrupt_when(command: &mut Command, what: &str, is_so: impl Fn() -> bool) {
    let mut child = command.spawn().unwrap();
    until(what, is_so);
    killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    child.wait().unwrap();
}
