//! A Slurm of all hosts: its controller on node1, its daemon on each.

use super::hosts::{Hosts, until};
use crate::slurm::write_key;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

/// Runs until this is dropped, and no longer than its hosts.
pub struct Slurm {
    configuration: PathBuf,
    munged: Child,
}

impl Slurm {
    /// Starts it, with its files in `directory`, and waits until all nodes are there.
    pub fn start(hosts: &Hosts, count: usize, directory: &Path) -> Self {
        write_key(&directory.join("key.munge"));
        std::fs::create_dir_all(directory.join("state")).unwrap();
        let configuration = directory.join("slurm.conf");
        // What daemons keep for themselves lies in `/run`, of which each host has its own.
        let text = format!(
            "ClusterName=hosts\n\
             SlurmctldHost=node1\n\
             AuthType=auth/munge\n\
             AuthInfo=socket={at}/munge\n\
             ProctrackType=proctrack/pgid\n\
             TaskPlugin=task/none\n\
             SelectType=select/cons_tres\n\
             SelectTypeParameters=CR_Core\n\
             SlurmUser=root\n\
             SlurmdUser=root\n\
             StateSaveLocation={at}/state\n\
             SlurmdSpoolDir=/run/slurmd\n\
             SlurmctldPidFile=/run/slurmctld.pid\n\
             SlurmdPidFile=/run/slurmd.pid\n\
             SlurmctldLogFile={at}/slurmctld.log\n\
             SlurmdLogFile={at}/slurmd.%n.log\n\
             SlurmdParameters=config_overrides\n\
             ReturnToService=2\n\
             NodeName=node[1-{count}] CPUs=4 State=UNKNOWN\n\
             PartitionName=all Nodes=ALL Default=YES State=UP\n",
            at = directory.display(),
        );
        std::fs::write(&configuration, text).unwrap();
        // Its directories in /tmp have the same name on all hosts, which may share that.
        std::fs::write(directory.join("mpi.conf"), "PMIxCliTmpDirBase=/run\n").unwrap();
        let option = |name: &str, file: &str| format!("--{name}={}", directory.join(file).display());
        let munged = Command::new("munged")
            .args(["--foreground", "--force"])
            .args([option("socket", "munge"), option("key-file", "key.munge")])
            .args([option("pid-file", "munge.pid"), option("seed-file", "munge.seed")])
            .stderr(std::fs::File::create(directory.join("munge.log")).unwrap())
            .spawn()
            .unwrap();
        let slurm = Slurm {
            configuration,
            munged,
        };
        until("munged listens", || directory.join("munge").exists());
        assert!(slurm.run(hosts, 1, &["slurmctld"]).status.success());
        for node in 1..=count {
            assert!(slurm.run(hosts, node, &["slurmd"]).status.success());
        }
        until("all nodes are there", || {
            let idle = slurm.run(hosts, 1, &["sinfo", "--noheader", "--states=idle", "--format=%D"]);
            String::from_utf8_lossy(&idle.stdout).trim() == count.to_string()
        });
        slurm
    }

    /// A command on a host that has this Slurm.
    pub fn on(&self, mut command: Command) -> Command {
        command.env("SLURM_CONF", &self.configuration);
        command
    }

    /// Runs a command on a host to its end.
    pub fn run(&self, hosts: &Hosts, node: usize, words: &[&str]) -> Output {
        self.on(hosts.command(node, words)).output().unwrap()
    }

    /// The steps that run.
    pub fn steps(&self, hosts: &Hosts) -> String {
        let steps = self.run(hosts, 1, &["squeue", "--noheader", "--steps", "--format=%i %j"]);
        String::from_utf8_lossy(&steps.stdout).into_owned()
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        let _ = self.munged.kill();
        let _ = self.munged.wait();
    }
}
