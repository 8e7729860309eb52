//! `find --slice` on a hung job: what may have brought the hindmost there.

use crate::hindmost::{compile, hindmost, hung, my_turn, out, run, said};
use corpus::{Mpi, Program, Stall};

#[test]
fn the_branch_and_the_values_that_led_to_where_it_hangs() {
    let _turn = my_turn();
    let exe = compile(Program::Poisson, Mpi::OpenMpi, "-O2");
    let stall = Stall {
        rank: 2,
        iteration: 7,
        place: "lost_norm",
    };
    let job = hung(&exe, Mpi::OpenMpi, 4, stall);
    let find = |extra: &[&str]| {
        let output = run(hindmost()
            .args(["find", "--slice", "--launcher"])
            .arg(job.launcher().to_string())
            .args(extra)
            .current_dir(out()));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let line = Program::Poisson.stall_line("lost_norm").unwrap();
    let lines = find(&["--slice-format", "lines", "--all"]);
    let noted: Vec<&str> = lines.lines().filter(|line| line.contains(": note: ")).collect();
    assert!(noted[0].contains(&format!("poisson.c:{line}:")), "{lines}");
    assert!(noted[0].contains(": note: here [0]"), "{lines}");
    // The branch before the receive, and the loop that counts the iterations.
    let branch = noted
        .iter()
        .find(|note| note.contains(&format!("poisson.c:{}:", line - 1)));
    assert!(
        branch.is_some_and(|note| note.contains("parts these tasks from others")),
        "{lines}"
    );
    assert!(
        noted.iter().any(|note| note.contains("may set it, which")),
        "{lines}"
    );
    assert!(!lines.contains("has changed"), "{lines}");
    let text = find(&[]);
    assert!(
        text.contains("1: here") && text.contains("--all shows the whole slice"),
        "{text}"
    );
}

#[test]
fn the_slice_grows_class_by_class() {
    let _turn = my_turn();
    let exe = compile(Program::Ring, Mpi::OpenMpi, "-O2");
    let stall = Stall {
        rank: 2,
        iteration: 7,
        place: "send",
    };
    let job = hung(&exe, Mpi::OpenMpi, 4, stall);
    let noted = |classes: &str| {
        let output = run(hindmost()
            .args([
                "find",
                "--slice",
                "--slice-format",
                "lines",
                "--all",
                "--classes",
                classes,
            ])
            .args(["--launcher", &job.launcher().to_string()])
            .current_dir(out()));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let notes = text.lines().filter(|line| line.contains(": note: "));
        // What one of the added tasks executes itself is no longer said to be in another.
        Vec::from_iter(notes.map(|note| note.replace(" (in another task)", "")))
    };
    let (own, grown) = (noted("1"), noted("3"));
    assert_eq!(grown[..own.len()], own[..], "the hindmost's own comes first");
    let added = &grown[own.len()..];
    assert!(!added.is_empty());
    for note in added {
        assert!(note.contains("(class 2)") || note.contains("(class 3)"), "{note}");
    }
}
