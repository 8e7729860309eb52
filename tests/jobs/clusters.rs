//! A job on several hosts, asked for by one command on one of them, while some of them are half dead.
//!
//! The hosts are namespaces of this machine (`hosts`), the jobs are Open MPI's and MPICH's, started by `ssh`: rank 0 on node1, 1 and 2 on node2, 3 on node3. Rank 2 waits for what nobody does.

mod cluster;
mod faults;
mod following;
mod hosts;
mod otherwise;
mod reached;
mod reducing;
mod slurm;
mod timing;

use crate::hindmost::{my_turn, run, said};
use cluster::{Cluster, HUNG, HYDRA, Launcher, OPEN_MPI, alarm_of, interrupt_when, warnings};
use hosts::{equipped, until};
use serde_json::Value;
use slurm::Slurm;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// No answer takes so long, although one of the hosts says nothing: the others are waited for by what they need themselves.
const DEADLINE: Duration = Duration::from_secs(200);

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
    cluster.tells_of_other_hosts(&HYDRA, Err("its launcher runs on host 10.77.1.2"));
    let refused = run(&mut cluster.find(&[&launcher, "--via", "mpiexec.hydra"]));
    assert!(
        said(&refused).contains("Hydra hands on no more standard input"),
        "{}",
        said(&refused)
    );
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
    cluster.is_reached_by_clush(&launcher);
    cluster.is_reached_by_its_mpi(&launcher, &OPEN_MPI, &list);
    cluster.tells_of_other_hosts(&OPEN_MPI, Ok(()));
    cluster.has_a_table_without_a_pid(&launcher, &text);
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
    // Its own launcher, on the node that has the script, tells of the same; and so do ranks on a node that has no launcher.
    let running = cluster.hosts.running(1);
    let launcher = running
        .iter()
        .find(|(_, line)| line.starts_with("srun --nodes=3"));
    let launcher = launcher.unwrap_or_else(|| panic!("{running:?}")).0.to_string();
    let output = run(&mut find(&[&launcher]));
    assert!(
        said(&output).contains("2 hosts are asked by srun --overlap"),
        "{}",
        said(&output)
    );
    answered(output, "");
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
