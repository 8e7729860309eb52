//! A second run follows the first: what a program prints depends on who comes first, in a fixed program (`plans/race.c`) and in ones that are made up (`plans/chance.c`), and is the same each time; and where the first run hung (`plans/unanswered.c`).

use crate::hindmost::{hindmost, my_turn, out, run, said};
use crate::waits::{Debug, made_of, seeds};
use corpus::Mpi;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

const RANKS: usize = 4;

/// How often the first run is followed.
const TIMES: usize = 20;

struct Race {
    mpi: Mpi,
    recorder: PathBuf,
    program: PathBuf,
}

impl Race {
    fn of(mpi: Mpi, plan: &str) -> Self {
        let (recorder, program) = made_of(mpi, plan, Debug::None);
        Self {
            mpi,
            recorder,
            program,
        }
    }

    /// Runs the program to its end, which is a good one.
    fn run(&self, name: &str, ranks: usize, options: &[&str], arguments: &[&str]) -> (PathBuf, Output) {
        let (directory, output) = self.run_to_any_end(name, ranks, options, arguments);
        assert!(output.status.success(), "{}", said(&output));
        (directory, output)
    }

    fn run_to_any_end(
        &self,
        name: &str,
        ranks: usize,
        options: &[&str],
        arguments: &[&str],
    ) -> (PathBuf, Output) {
        let directory = out().join(format!("race-{}-{name}", self.mpi.name()));
        let _ = std::fs::remove_dir_all(&directory);
        let mut command = hindmost();
        command.args(["run", "--recorder"]).arg(&self.recorder);
        command.arg("--record").arg(&directory).args(options);
        command.args(["--", &format!("mpirun.{}", self.mpi.name())]);
        if self.mpi == Mpi::OpenMpi {
            command.args(["--allow-run-as-root", "--oversubscribe"]);
        }
        command.args(["-np", &ranks.to_string()]);
        command.arg(&self.program).args(arguments);
        (directory, run(&mut command))
    }
}

/// What it printed.
fn order(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.starts_with("order:"));
    line.unwrap_or_else(|| panic!("{}", said(output))).to_owned()
}

/// Lines about what is followed no further.
fn stops(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = text.lines().filter(|line| line.contains("follows no further"));
    lines.map(str::to_owned).collect()
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn follows(mpi: Mpi) {
    let _turn = my_turn();
    let race = Race::of(mpi, "race");
    let (first, output) = race.run("first", RANKS, &["--events"], &[]);
    let expected = order(&output);
    // It is a race: otherwise each run is another.
    let others = (0..3).map(|time| order(&race.run(&format!("free{time}"), RANKS, &[], &[]).1));
    let different = BTreeSet::from_iter(others.chain([expected.clone()]));
    assert!(different.len() > 2, "{different:#?}");
    for time in 0..TIMES {
        // What follows can be recorded, too.
        let options = ["--replay", name(&first), "--events"];
        let (directory, output) = race.run("followed", RANKS, &options, &[]);
        assert_eq!(order(&output), expected, "run {time}: {}", said(&output));
        assert_eq!(stops(&output), Vec::<String>::new());
        if time == 0 {
            let (_, output) = race.run("again", RANKS, &["--replay", name(&directory)], &[]);
            assert_eq!(order(&output), expected, "{}", said(&output));
        }
    }
}

#[test]
fn a_second_run_follows_the_first_under_open_mpi() {
    follows(Mpi::OpenMpi);
}

#[test]
fn a_second_run_follows_the_first_under_mpich() {
    follows(Mpi::Mpich);
}

/// Made-up programs, each of which is followed some times. What their episodes are depends on all that came before, so that a run that takes one other message, completes one other request or asks once more
/// prints something else from there on.
fn follows_at_random(mpi: Mpi) {
    const PROGRAMS: std::ops::Range<u64> = 0..8;
    const EACH: usize = 3;
    let _turn = my_turn();
    let race = Race::of(mpi, "chance");
    let mut ways = BTreeSet::new();
    for seed in seeds(PROGRAMS) {
        let seed = seed.to_string();
        let (first, output) = race.run("chance", RANKS, &["--events"], &[&seed]);
        let expected = order(&output);
        ways.extend(
            expected
                .split(' ')
                .filter_map(|episode| Some(episode.split_once(':')?.0.to_owned())),
        );
        let free = order(&race.run("unled", RANKS, &[], &[&seed]).1);
        assert_ne!(free, expected, "program {seed} is no race");
        for time in 0..EACH {
            let options = ["--replay", name(&first), "--events"];
            let (directory, output) = race.run("led", RANKS, &options, &[&seed]);
            assert_eq!(
                order(&output),
                expected,
                "program {seed}, run {time}: {}",
                said(&output)
            );
            assert_eq!(stops(&output), Vec::<String>::new(), "program {seed}");
            // What that run took is what the first one took.
            if time == 0 {
                let (_, output) = race.run("led-again", RANKS, &["--replay", name(&directory)], &[&seed]);
                assert_eq!(order(&output), expected, "program {seed}: {}", said(&output));
            }
        }
    }
    let all = (0..8).map(|way| way.to_string());
    assert!(
        ways.into_iter().filter(|way| way != "order").eq(all),
        "some way of receiving was in no program"
    );
}

#[test]
fn made_up_programs_are_followed_under_open_mpi() {
    follows_at_random(Mpi::OpenMpi);
}

#[test]
fn made_up_programs_are_followed_under_mpich() {
    follows_at_random(Mpi::Mpich);
}

#[test]
fn what_does_not_fit_is_said_once_and_the_job_goes_on() {
    let _turn = my_turn();
    let race = Race::of(Mpi::Mpich, "race");
    let (first, _) = race.run("fits", RANKS, &["--events"], &[]);
    // Other calls: of the ranks only the first receives from anybody, and the last in a communicator of its own.
    let (_, output) = race.run("other", RANKS, &["--replay", name(&first)], &["backwards"]);
    let said_of = stops(&output);
    assert!((1..=RANKS).contains(&said_of.len()), "{}", said(&output));
    assert!(
        said_of
            .iter()
            .all(|line| line.contains("it does other than the first run did")),
        "{said_of:?}"
    );
    // Another number of ranks.
    let (_, output) = race.run("fewer", RANKS - 1, &["--replay", name(&first)], &[]);
    let said_of = stops(&output);
    assert_eq!(said_of.len(), RANKS - 1, "{}", said(&output));
    assert!(
        said_of
            .iter()
            .all(|line| line.contains("the first run had 4 ranks, and this one has 3")),
        "{said_of:?}"
    );
    // A record that ends early: there was room for 64 receives.
    let (short, _) = race.run("short", RANKS, &["--events=64"], &[]);
    let (_, output) = race.run("longer", RANKS, &["--replay", name(&short)], &[]);
    let said_of = stops(&output);
    assert_eq!(said_of.len(), 1, "{}", said(&output));
    assert!(
        said_of[0].contains("its record ends here, where it was full"),
        "{said_of:?}"
    );
    // Nothing that could be followed.
    let (bare, _) = race.run("bare", RANKS, &[], &[]);
    let refused = run(hindmost()
        .args(["run", "--replay"])
        .arg(&bare)
        .args(["--", "true"]));
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(
        text.contains("does not tell which messages were received") && text.contains("run --events"),
        "{text}"
    );
}

/// A call that the first run was in at its end is no end of what is followed, unless it comes to something in the second.
#[test]
fn where_the_first_run_hung_the_second_hangs_and_nothing_is_said() {
    let _turn = my_turn();
    let race = Race::of(Mpi::Mpich, "unanswered");
    for way in ["wait", "test", "probe"] {
        let (first, output) = race.run_to_any_end("hung", 2, &["--events"], &[way, "hangs"]);
        assert!(!output.status.success(), "{way}: {}", said(&output));
        let options = ["--replay", name(&first)];
        let (_, output) = race.run_to_any_end("hung-again", 2, &options, &[way, "hangs"]);
        assert!(!output.status.success(), "{way}: {}", said(&output));
        assert_eq!(stops(&output), Vec::<String>::new(), "{way}");
        let (_, output) = race.run("goes-on", 2, &options, &[way, "goes on"]);
        let said_of = stops(&output);
        assert_eq!(said_of.len(), 1, "{way}: {}", said(&output));
        assert!(
            said_of[0].contains("the first run came no further"),
            "{way}: {said_of:?}"
        );
    }
}
