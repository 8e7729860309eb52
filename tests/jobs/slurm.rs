//! A job that Slurm started: `srun` is the launcher, but its ranks are children of the node's daemon.
//!
//! A Slurm of one node, with ports, keys and files of its own, beside whatever the machine has.

use crate::calls::{answer_when_hung, compile};
use crate::hindmost::my_turn;
use corpus::{JobProcesses, Mpi};
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whether all parts of Slurm are there. Under CI they must be.
pub fn equipped() -> bool {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    let directories = Vec::from_iter(std::env::split_paths(&directories));
    for program in ["munged", "slurmctld", "slurmd", "srun"] {
        if !directories
            .iter()
            .any(|directory| directory.join(program).is_file())
        {
            assert!(std::env::var_os("CI").is_none(), "there is no {program}");
            eprintln!("SKIPPED: there is no {program}");
            return false;
        }
    }
    true
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn first_line(path: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().next().unwrap_or_default().to_owned()
}

/// Writes a key by which the parts of a Slurm know each other.
pub fn write_key(path: &Path) {
    let key = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    std::io::Write::write_all(&mut key.unwrap(), &[7; 128]).unwrap();
}

/// Writes the key and the configuration of a cluster in `scratch`.
fn configure(scratch: &Path) {
    for part in ["state", "spool"] {
        std::fs::create_dir_all(scratch.join(part)).unwrap();
    }
    write_key(&scratch.join("key"));
    let host = first_line("/proc/sys/kernel/hostname");
    let host = host.split('.').next().unwrap_or_default();
    let user = Command::new("id").arg("-un").output().unwrap();
    let user = String::from_utf8_lossy(&user.stdout).trim().to_owned();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let at = scratch.display();
    let text = format!(
        "ClusterName=one\n\
         SlurmctldHost={host}(127.0.0.1)\n\
         SlurmctldPort={}\n\
         SlurmdPort={}\n\
         AuthType=auth/munge\n\
         AuthInfo=socket={at}/munge\n\
         ProctrackType=proctrack/pgid\n\
         TaskPlugin=task/none\n\
         SelectType=select/linear\n\
         SlurmUser={user}\n\
         SlurmdUser={user}\n\
         StateSaveLocation={at}/state\n\
         SlurmdSpoolDir={at}/spool\n\
         SlurmctldPidFile={at}/slurmctld.pid\n\
         SlurmdPidFile={at}/slurmd.pid\n\
         SlurmctldLogFile={at}/slurmctld.log\n\
         SlurmdLogFile={at}/slurmd.log\n\
         ReturnToService=2\n\
         NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN\n\
         PartitionName=all Nodes={host} Default=YES State=UP\n",
        free_port(),
        free_port(),
    );
    std::fs::write(scratch.join("slurm.conf"), text).unwrap();
}

#[test]
fn srun_is_a_launcher_though_its_ranks_are_not_below_it() {
    if !equipped() {
        return;
    }
    let _turn = my_turn();
    let exe = compile(Mpi::OpenMpi, "gcc", "calls-slurm");
    let processes = JobProcesses::new();
    let scratch = processes.scratch();
    std::fs::create_dir_all(&scratch).unwrap();
    configure(&scratch);
    let log = || {
        std::fs::File::options()
            .create(true)
            .append(true)
            .open(scratch.join("log"))
            .unwrap()
    };
    let (name, token) = processes.variable();
    let of_cluster = |program: &str| {
        let mut command = Command::new(program);
        command
            .env(name, token)
            .env("SLURM_CONF", scratch.join("slurm.conf"))
            .stdin(Stdio::null())
            .stdout(log())
            .stderr(log());
        command
    };
    let option = |name: &str, file: &str| format!("--{name}={}", scratch.join(file).display());
    let munged = of_cluster("munged")
        .args(["--force", &option("socket", "munge"), &option("key-file", "key")])
        .args([option("pid-file", "munge.pid"), option("seed-file", "munge.seed")])
        .arg(option("log-file", "munge.log"))
        .status();
    assert!(munged.unwrap().success(), "{}", logs(&scratch));
    assert!(
        of_cluster("slurmctld").status().unwrap().success(),
        "{}",
        logs(&scratch)
    );
    assert!(
        of_cluster("slurmd").status().unwrap().success(),
        "{}",
        logs(&scratch)
    );
    let mut srun = of_cluster("srun")
        .args(["--ntasks=4", "--overcommit", "--mpi=pmix"])
        .arg(&exe)
        .spawn()
        .unwrap();
    // It waits until the node has registered, which takes a moment.
    std::thread::sleep(Duration::from_secs(2));
    let answer = answer_when_hung(srun.id());
    let logs = logs(&scratch);
    // The step has a process of its own without our mark, which stays behind when the daemon is killed before it has reported.
    let _ = of_cluster("scancel")
        .args(["--full", "--signal=KILL", "1"])
        .status();
    for _ in 0..40 {
        if srun.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    std::thread::sleep(Duration::from_secs(1));
    processes.end();
    srun.wait().unwrap();
    assert_eq!(answer["tasks"], 4, "{answer:#}\n{logs}");
    let classes = answer["classes"].as_array().unwrap();
    let receiver = classes.iter().find(|class| class["ranks"] == "1").unwrap();
    assert_eq!(receiver["call"]["function"], "MPI_Recv", "{answer:#}");
    assert_eq!(receiver["call"]["arguments"][1]["value"], 0, "{answer:#}");
}

/// What the parts of the cluster wrote.
fn logs(scratch: &Path) -> String {
    let read = |file: &str| std::fs::read_to_string(scratch.join(file)).unwrap_or_default();
    ["log", "munge.log", "slurmctld.log", "slurmd.log"]
        .map(read)
        .join("\n")
}
