//! How long a tool keeps its target from running, as the target itself sees it.
//!
//! The target (`corpus/heartbeat.c`) looks at the clock all the time and keeps the longest gap. A gap has other causes
//! too, above all the scheduler giving the processor to someone else; what the same program sees in a stretch of
//! time without any tool is measured beside it and printed as `no tool`. A pause that is not above that is not
//! visible to the program.

use super::measure::{eu_stack_on, gdb_on, median, micro};
use crate::command::{self, shown, succeed};
use anyhow::{Result, bail};
use corpus::Heartbeat;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// How often the fast tools attach.
const TIMES: usize = 25;

/// Attaches every tool to a heartbeat program many times and prints the gaps.
pub fn print(hindmost: &Path, directory: &Path) -> Result<()> {
    println!(
        "\n## The pause that one attach imposes (longest gap that corpus/heartbeat.c sees per attach)\n"
    );
    let heartbeat = Heartbeat::start(directory, &["-g", "-O2"])?;
    let pid = heartbeat.pid().to_string();
    let map = directory.join("heartbeat.hmap");
    succeed(
        Command::new(hindmost)
            .args(["map", "-o"])
            .arg(&map)
            .arg("--exe")
            .args([heartbeat.exe().to_owned(), Heartbeat::source()]),
    )?;

    let mut find = Command::new(hindmost);
    find.arg("find").arg("--map").arg(&map).arg(&pid);
    let mut gdb = gdb_on(heartbeat.pid(), "beats");
    let mut eu_stack = eu_stack_on(heartbeat.pid());

    println!(
        "{:<28} {:>12} {:>12} {:>12}",
        "tool", "median", "shortest", "longest"
    );
    print_gaps("no tool, 100 ms", &undisturbed(&heartbeat));
    print_gaps("hindmost", &gaps(&heartbeat, &mut find, TIMES)?);
    print_gaps("eu-stack", &gaps(&heartbeat, &mut eu_stack, TIMES)?);
    print_gaps("gdb", &gaps(&heartbeat, &mut gdb, 5)?);
    println!();
    for command in [&find, &eu_stack, &gdb] {
        println!("{}", shown(command).replace(&pid, "PID"));
    }
    Ok(())
}

/// The longest gaps, in nanoseconds and sorted, over `times` runs of the tool.
fn gaps(heartbeat: &Heartbeat, tool: &mut Command, times: usize) -> Result<Vec<u64>> {
    let mut gaps = Vec::new();
    for _ in 0..times {
        heartbeat.forget_gaps();
        let (output, _) = command::capture(tool)?;
        // A gap is known at its end only: let the target run again before it is asked.
        let beats = heartbeat.beats();
        while heartbeat.beats() == beats {
            thread::sleep(Duration::from_millis(1));
        }
        gaps.push(heartbeat.longest_gap());
        if output.stdout.is_empty() {
            bail!(
                "{} said nothing but {}",
                shown(tool),
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    gaps.sort_unstable();
    Ok(gaps)
}

/// The same without a tool.
fn undisturbed(heartbeat: &Heartbeat) -> Vec<u64> {
    let mut gaps = Vec::from_iter((0..TIMES).map(|_| {
        heartbeat.forget_gaps();
        thread::sleep(Duration::from_millis(100));
        heartbeat.longest_gap()
    }));
    gaps.sort_unstable();
    gaps
}

fn print_gaps(name: &str, gaps: &[u64]) {
    if let (Some(middle), Some(shortest), Some(longest)) = (median(gaps), gaps.first(), gaps.last()) {
        let ms = |ns: u64| micro(ns) / 1e3;
        println!(
            "{name:<28} {:>9.3} ms {:>9.3} ms {:>9.3} ms",
            ms(middle),
            ms(*shortest),
            ms(*longest)
        );
    }
}
