//! `hindmost watch` on a real job that hangs: the report is written, and looking has cost next to nothing.

use crate::hindmost::{bound_map, compile, hindmost, hung, my_turn, out, run, said};
use corpus::{Mpi, Program, Stall};
use serde_json::Value;
use std::fs;

#[test]
fn a_hung_job_is_reported_with_its_hindmost() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let exe = compile(Program::Poisson, mpi, "-O2");
        let sources = [Program::Poisson.source(), corpus::directory().join("stall.c")];
        let map = bound_map(&exe, &sources);
        let stall = Stall {
            rank: 2,
            iteration: 9,
            place: "lost_norm",
        };
        let job = hung(&exe, mpi, 4, stall);
        let directory = out().join(format!("watched-{}", mpi.name()));
        // What an earlier run left must not be found.
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        let output = run(hindmost()
            .args(["watch", "--every", "200ms", "--still", "1s", "--report", "hang"])
            .args(["--launcher", &job.launcher().to_string(), "--map"])
            .arg(&map)
            .current_dir(&directory));
        // It stands still.
        assert_eq!(output.status.code(), Some(4), "{}", said(&output));
        let read = |ending: &str| fs::read_to_string(directory.join(format!("hang{ending}"))).unwrap();
        let answer: Value = serde_json::from_str(&read(".json")).unwrap();
        assert_eq!(answer["hindmost"][0]["ranks"], "2", "{answer:#}");
        let text = read(".txt");
        assert!(
            text.starts_with("hung: all 4 tasks wait for each other in MPI"),
            "{text}"
        );
        assert!(read(".html").contains("hindmost-page"));
        // The tree that it wrote can be walked in, and the stacks ordered again.
        let order = run(hindmost()
            .args(["order", "--format", "json", "--stacks", "hang.snapshot", "--map"])
            .arg(&map)
            .current_dir(&directory));
        let again: Value =
            serde_json::from_slice(&order.stdout).unwrap_or_else(|_| panic!("{}", said(&order)));
        assert_eq!(again["hindmost"][0]["ranks"], "2", "{again:#}");
        let cost = String::from_utf8_lossy(&output.stderr);
        let cost = cost.lines().find(|line| line.contains("looked "));
        println!("{mpi:?}: {}", cost.unwrap_or_else(|| panic!("{}", said(&output))));
    }
}
