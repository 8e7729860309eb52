//! The pause that an attach imposes; `crate::pause` explains how it is seen.

use super::measure::{eu_stack_on, median, micro};
use crate::command::{shown, succeed};
use crate::pause::Heartbeat;
use anyhow::Result;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Attaches every tool to a heartbeat program many times and prints the gaps.
pub fn print(hindmost: &Path, directory: &Path) -> Result<()> {
    println!(
        "\n## The pause that one attach imposes, seen by the target (corpus/heartbeat.c: longest gap per attach)\n"
    );
    let heartbeat = Heartbeat::start(directory)?;
    let pid = heartbeat.pid().to_string();
    let map = directory.join("heartbeat.hmap");
    let source = corpus::directory().join("heartbeat.c");
    let exe = directory.join("heartbeat");
    succeed(
        Command::new(hindmost)
            .args(["map", "-o"])
            .arg(&map)
            .arg("--exe")
            .arg(exe)
            .arg(source),
    )?;

    let mut find = Command::new(hindmost);
    find.arg("find").arg("--map").arg(&map).arg(&pid);
    let mut gdb = Command::new("gdb");
    gdb.args([
        "-nx",
        "-batch",
        "-p",
        &pid,
        "-ex",
        "bt",
        "-ex",
        "frame function beat",
        "-ex",
        "print beats",
    ]);
    let mut eu_stack = eu_stack_on(heartbeat.pid());

    println!(
        "{:<28} {:>12} {:>12} {:>12}",
        "tool", "median", "shortest", "longest"
    );
    print_gaps(
        "no tool, 100 ms",
        &heartbeat.undisturbed(Duration::from_millis(100), 25)?,
    );
    print_gaps("hindmost", &heartbeat.gaps(&mut find, 25)?);
    print_gaps("eu-stack", &heartbeat.gaps(&mut eu_stack, 25)?);
    print_gaps("gdb", &heartbeat.gaps(&mut gdb, 5)?);
    println!();
    for command in [&find, &eu_stack, &gdb] {
        println!("{}", shown(command).replace(&pid, "PID"));
    }
    Ok(())
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
