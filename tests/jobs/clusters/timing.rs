//! How long an answer for several hosts takes, beside what it takes to reach them and an answer for one host. `cargo xtask bench --nodes` runs it; nothing is asserted of a time.

use super::cluster::probe;
use super::hosts::{Hosts, equipped, until};
use crate::hindmost::{hindmost, my_turn, out, run, said};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ranks are on this many hosts; one more has as many ranks alone.
const HOSTS: usize = 8;
const RANKS: usize = 16;
const ALL: usize = HOSTS * RANKS;
const TIMES: usize = 9;

/// Ranks sleep, so that nothing but what is measured takes the processors; one of them elsewhere.
const SOURCE: &str = "\
#include <stdlib.h>
#include <unistd.h>
static void exchange(int step) { for (;;) usleep(500000 + step); }
static void compute(int step) { for (;;) usleep(500000 + step); }
int main(void)
{
    int rank = atoi(getenv(\"PMI_RANK\"));
    for (int step = 0; step < 10; step++) {
        if (step == 7 && rank == 77)
            compute(step);
        if (step == 7)
            exchange(step);
    }
    return 0;
}
";

/// Starts ranks on a host, as children of one process.
fn start(hosts: &Hosts, node: usize, program: &str, first: usize, count: usize) -> Child {
    let script = format!(
        "for rank in $(seq {first} {}); do PMI_RANK=$rank PMI_SIZE={ALL} {program} & done; wait",
        first + count - 1
    );
    hosts.command(node, &["sh", "-c", &script]).spawn().unwrap()
}

/// The median time of a command, which is run once before.
fn median(mut command: impl FnMut() -> Command) -> Duration {
    let mut once = || {
        let mut command = command();
        let begun = Instant::now();
        let output = run(command.stdin(Stdio::null()));
        let took = begun.elapsed();
        // Whoever wakes for a moment may keep an answer from being proven (3), which takes as long.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", said(&output));
        took
    };
    once();
    let mut times = Vec::from_iter((0..TIMES).map(|_| once()));
    times.sort();
    times[TIMES / 2]
}

#[test]
#[ignore = "a measurement: cargo xtask bench --nodes"]
fn an_answer_for_several_hosts_beside_what_it_takes_to_reach_them() {
    if !equipped() {
        return;
    }
    let _turn = my_turn();
    let directory = out().join("clusters-timing");
    let alone = HOSTS + 1;
    let hosts = Hosts::start(alone, &directory);
    let source = directory.join("ranks.c");
    let program = directory.join("ranks");
    std::fs::write(&source, SOURCE).unwrap();
    let built = run(Command::new("cc")
        .args(["-g", "-O0"])
        .arg(&source)
        .arg("-o")
        .arg(&program));
    assert!(built.status.success(), "{}", said(&built));
    let stripped = directory.join("hindmost-probe");
    let strip = run(Command::new("strip").arg(probe()).arg("-o").arg(&stripped));
    assert!(strip.status.success(), "{}", said(&strip));
    let program = program.to_str().unwrap();
    let mut jobs =
        Vec::from_iter((1..=HOSTS).map(|node| start(&hosts, node, program, (node - 1) * RANKS, RANKS)));
    jobs.push(start(&hosts, alone, program, 0, ALL));
    let running = |node: usize| {
        let all = hosts.running(node);
        all.iter().filter(|(_, line)| line == program).count()
    };
    until("all ranks run", || {
        (1..=HOSTS).all(|node| running(node) == RANKS) && running(alone) == ALL
    });

    // What all hosts see is not sent, and what is on the disk of one is.
    let own = "/run/hindmost-probe";
    for node in [1, alone] {
        let copied = hosts.run(node, &["cp", "/run/cluster/hindmost-probe", own]);
        assert!(copied.status.success(), "{}", said(&copied));
    }
    let find = |node: usize, list: String, probe: &str| {
        let path = directory.join(format!("list{node}"));
        std::fs::write(&path, list).unwrap();
        let mut command = hosts.command(node, &[hindmost().get_program().to_str().unwrap(), "find"]);
        command.arg("--hosts").arg(path).args(["--probe", probe]);
        command.env("XDG_CACHE_HOME", out().join("cache"));
        command
    };
    let all = || (1..=HOSTS).map(|node| format!("node{node}\n")).collect();
    let several = || find(1, all(), own);
    let sharing = || find(1, all(), "/run/cluster/hindmost-probe");
    let one = || find(alone, format!("node{alone}\n"), own);
    for mut command in [several(), sharing(), one()] {
        let told = run(&mut command);
        assert!(
            said(&told).contains("Rank 77 is behind all 127 others"),
            "{}",
            said(&told)
        );
    }
    let reach = || {
        let script = (2..=HOSTS).map(|node| format!("ssh node{node} true & "));
        hosts.command(1, &["sh", "-c", &format!("{}wait", String::from_iter(script))])
    };
    let (floor, answer, alone) = (median(reach), median(several), median(one));
    let shared = median(sharing);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{HOSTS} hosts of {RANKS} ranks, medians of {TIMES}");
    println!(
        "  ssh true on {} hosts at once       {:>7.0} ms",
        HOSTS - 1,
        milliseconds(floor)
    );
    println!(
        "  hindmost find, {HOSTS} hosts            {:>7.0} ms",
        milliseconds(answer)
    );
    println!(
        "  the same, where they see the probe's file {:>2.0} ms",
        milliseconds(shared)
    );
    println!(
        "  hindmost find, {ALL} ranks on one host {:>6.0} ms",
        milliseconds(alone)
    );
    for job in &mut jobs {
        let _ = job.kill();
        let _ = job.wait();
    }
}
