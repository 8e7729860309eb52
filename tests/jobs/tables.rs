//! STAT's process tables, written and read.

use crate::hindmost::{compile, hindmost, hung, my_turn, named, out, refused};
use corpus::{Mpi, Program, Stall};

#[test]
fn a_job_is_found_again_by_its_process_table() {
    let _turn = my_turn();
    let exe = compile(Program::Ring, Mpi::OpenMpi, "-O2");
    let stall = Stall {
        rank: 1,
        iteration: 9,
        place: "send",
    };
    let job = hung(&exe, Mpi::OpenMpi, 3, stall);
    let table = out().join("ring.proctab");
    let launcher = job.launcher().to_string();
    let find = |arguments: &[&str]| {
        let found = named(hindmost().args(["find", "--format", "json"]).args(arguments));
        found.unwrap_or_else(|why| panic!("{arguments:?}: {why}"))
    };
    let first = find(&["--launcher", &launcher, "--save-table", table.to_str().unwrap()]);
    let text = std::fs::read_to_string(&table).unwrap();
    assert!(
        text.lines().next().unwrap().ends_with(&format!(":{launcher}")),
        "{text}"
    );
    for (rank, pid) in job.ranks() {
        let line = text.lines().nth(rank as usize + 1).unwrap();
        assert!(line.starts_with(&format!("{rank} ")), "{text}");
        assert!(line.contains(&format!(":{pid} {}", exe.display())), "{text}");
    }
    let again = find(&["--table", table.to_str().unwrap()]);
    assert_eq!(again["hindmost"], first["hindmost"]);

    // Half of the job is somewhere else.
    let half = text.lines().map(|line| match line.strip_prefix("2 ") {
        Some(rest) => format!("2 elsewhere:{}", rest.split_once(':').unwrap().1),
        None => line.to_owned(),
    });
    std::fs::write(&table, Vec::from_iter(half).join("\n")).unwrap();
    let part = find(&["--here", "--table", table.to_str().unwrap()]);
    assert_eq!(part["missing_ranks"], "2", "{part:#}");
    let warnings = part["warnings"].to_string();
    assert!(warnings.contains("rank 2 runs on host elsewhere"), "{warnings}");

    std::fs::write(&table, "0 elsewhere:7 app\n").unwrap();
    refused(
        hindmost().args(["find", "--here", "--table"]).arg(&table),
        &["no task of it is on this host", "its hosts are: elsewhere"],
    );
    std::fs::write(&table, "0 no pid\n").unwrap();
    refused(
        hindmost().args(["find", "--table"]).arg(&table),
        &["line 1 is neither"],
    );
}
