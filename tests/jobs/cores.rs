//! A job's cores give the answer that the job itself gave.

use crate::hindmost::{compile, hindmost, hung, my_turn, named, out};
use corpus::{Mpi, Program, Stall};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn check(mpi: Mpi) {
    let _turn = my_turn();
    const RANKS: u32 = 4;
    let exe = compile(Program::Poisson, mpi, "-O2");
    let stall = Stall {
        rank: 2,
        iteration: 17,
        place: "get_norm",
    };
    let job = hung(&exe, mpi, RANKS, stall);
    let live = named(
        hindmost()
            .args(["find", "--format", "json", "--launcher"])
            .arg(job.launcher().to_string()),
    );
    let directory = out().join(format!("cores-{mpi:?}"));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    let mut cores: Vec<PathBuf> = Vec::new();
    for pid in job.ranks().into_values() {
        let stem = directory.join("core");
        let output = Command::new("gcore")
            .arg("-o")
            .arg(&stem)
            .arg(pid.to_string())
            .output();
        assert!(output.is_ok_and(|output| output.status.success()), "gcore {pid}");
        cores.push(stem.with_extension(pid.to_string()));
    }
    drop(job);

    let dead = named(
        hindmost()
            .args(["find", "--format", "json", "--core"])
            .args(&cores),
    )
    .unwrap();
    let who = |answer: &Value| {
        let hindmost = &answer["hindmost"][0];
        (
            hindmost["ranks"].clone(),
            hindmost["line"].clone(),
            hindmost["values"].clone(),
        )
    };
    assert_eq!(who(&dead), who(&live.unwrap()));
    assert_eq!(dead["hindmost"][0]["ranks"], "2", "{dead:#}");
    assert_eq!(dead["hindmost"][0]["values"]["it"], 17, "{dead:#}");

    // A rank without a core may be further behind than all others, and one core that is no use keeps none of the
    // others from being read.
    fs::write(&cores[0], "disk full").unwrap();
    let part = named(
        hindmost()
            .args(["find", "--format", "json", "--core"])
            .args(&cores),
    )
    .unwrap();
    assert_eq!(part["hindmost"][0]["ranks"], "2", "{part:#}");
    assert_eq!(part["missing_ranks"], "0", "{part:#}");
    let warnings = part["warnings"].to_string();
    assert!(warnings.contains("is not a core file"), "{warnings}");
    fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn of_open_mpi() {
    check(Mpi::OpenMpi);
}

#[test]
fn of_mpich() {
    check(Mpi::Mpich);
}
