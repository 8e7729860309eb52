//! Two ranks of a hung job as inferiors of one gdb: the commands of `hindmost gdb-script` name whom the job was hung by.

use crate::hindmost::{compile, hindmost, hung, my_turn, out};
use corpus::{Mpi, Program, Stall};
use std::fs;
use std::process::Command;

fn check(mpi: Mpi) {
    let _turn = my_turn();
    let exe = compile(Program::Poisson, mpi, "-O2");
    let stall = Stall {
        rank: 1,
        iteration: 17,
        place: "get_norm",
    };
    let job = hung(&exe, mpi, 3, stall);
    let directory = out().join(format!("gdb-{mpi:?}"));
    fs::create_dir_all(&directory).unwrap();
    let script = directory.join("hindmost-gdb.py");
    let printed = hindmost().arg("gdb-script").output().unwrap();
    fs::write(&script, printed.stdout).unwrap();
    let ranks = job.ranks();
    let program = hindmost().get_program().to_owned();
    let commands = [
        "set pagination off".to_owned(),
        format!("source {}", script.display()),
        format!("set hindmost program {}", program.to_str().unwrap()),
        format!("attach {}", ranks[&0]),
        format!("add-inferior -exec {}", exe.display()),
        "inferior 2".to_owned(),
        format!("attach {}", ranks[&1]),
        "hindmost order".to_owned(),
        "hindmost here".to_owned(),
        "set hindmost frames on".to_owned(),
        "bt".to_owned(),
    ];
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-q", "-batch"]).env_remove("DEBUGINFOD_URLS");
    for command in &commands {
        gdb.args(["-ex", command]);
    }
    let output = gdb.arg(&exe).output().expect("gdb runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wanted = [
        "Rank 1 is behind the other one",
        "iteration it=17",
        // A job of three ranks, of which gdb holds two: the third may be further behind.
        "rank 2",
        "[it=17]",
    ];
    for words in wanted {
        assert!(
            said.contains(words),
            "no {words:?} in {said}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    drop(job);
    fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn under_open_mpi() {
    check(Mpi::OpenMpi);
}

#[test]
fn under_mpich() {
    check(Mpi::Mpich);
}
