//! Slices across messages, on programs of two or three ranks that are run (`tests/slices/mpi`).
//!
//! Comments in the programs say what is expected: lines with `criterion` are sliced; `in` must be in the slice; `needed`
//! too, and without that statement the criterion's ranks observe something else or the job hangs; `perturb` must not be
//! in it, and a wrong value there changes nothing. What a slice leaves of a program must run and observe the same.
//!
//! Under CI all of them run under MPICH, which starts sooner, and one of them under Open MPI and without each statement that is
//! needed; with `HINDMOST_SLICES=all` this is done with all, and with `HINDMOST_SLICES=splits.c,grid.c` with these alone.

use crate::hindmost::{PATIENCE, my_turn, out, run, said};
use corpus::{JobPlan, Mpi};
use engine::{SliceOptions, SourceFile, dependence_graph};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tests::slices::neutralise::{Language, Mode, neutralise};
use tests::slices::suite;

/// A job without a needed statement is given so long; one that hangs uses it up.
const HANG: Duration = Duration::from_secs(3);

struct Subject {
    name: String,
    text: String,
    ranks: u32,
}

impl Subject {
    fn marked(&self, mark: &str) -> BTreeSet<u32> {
        let has = |text: &str| text.contains(&format!("/* {mark} */"));
        (1..)
            .zip(self.text.lines())
            .filter(|(_, text)| has(text))
            .map(|(line, _)| line)
            .collect()
    }

    fn all_lines(&self) -> BTreeSet<u32> {
        (1..).zip(self.text.lines()).map(|(line, _)| line).collect()
    }

    /// What the program says that it observes under any MPI that works.
    fn says(&self) -> impl Iterator<Item = &str> {
        let mut marks = self.text.split("/* observes ");
        marks.next();
        marks.filter_map(|after| after.split(" */").next())
    }

    fn slice(&self, messages: bool) -> BTreeSet<u32> {
        let source = |path: &str, text: &str| SourceFile {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let observe = suite::directory().join("observe.h");
        let observe = fs::read_to_string(&observe).unwrap_or_else(|e| panic!("{}: {e}", observe.display()));
        let graph = dependence_graph(
            vec![source(&self.name, &self.text), source("observe.h", &observe)],
            None,
            &|_| {},
        )
        .unwrap();
        let criterion = *self.marked("criterion").first().expect("a criterion");
        graph
            .slice_at(
                &self.name,
                criterion,
                None,
                SliceOptions {
                    messages,
                    ..SliceOptions::default()
                },
            )
            .unwrap_or_else(|e| panic!("{}: {e}", self.name))
            .lines()
            .into_iter()
            .filter(|(file, _)| *file == self.name)
            .map(|(_, line)| line)
            .collect()
    }

    /// What the ranks observe when only `kept` is left; nothing if that does not end well in time.
    fn observed(
        &self,
        mpi: Mpi,
        kept: &BTreeSet<u32>,
        mode: Mode,
        patience: Duration,
    ) -> Option<Vec<String>> {
        let directory = out().join("messages");
        fs::create_dir_all(&directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
        let text =
            neutralise(&self.text, Language::C, kept, mode).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let source = directory.join(&self.name);
        fs::write(&source, text).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let exe = source.with_extension("exe");
        let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/slices/harness/mpi.c");
        let compiler = format!("mpicc.{}", mpi.name());
        let output = run(Command::new(&compiler)
            .args(["-O0", "-w", "-ftrivial-auto-var-init=pattern", "-I"])
            .arg(suite::directory())
            .args([&source, &harness])
            .arg("-o")
            .arg(&exe));
        assert!(output.status.success(), "{}: {}", self.name, said(&output));
        let plan = JobPlan {
            exe: &exe,
            mpi,
            ranks: self.ranks,
            stall: None,
            arguments: &[],
        };
        let mut job = plan.start().unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let (success, output) = job.wait_end(patience).ok()?;
        let observed = output.lines().filter(|line| line.starts_with("observed"));
        let mut observed: Vec<String> = observed.map(str::to_owned).collect();
        observed.sort();
        success.then_some(observed)
    }
}

fn subjects() -> Vec<Subject> {
    let directory = suite::directory().join("mpi");
    let entries = fs::read_dir(&directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut subjects: Vec<Subject> = entries
        .map(|entry| entry.unwrap_or_else(|e| panic!("{e}")).path())
        .map(|path| {
            let name = path
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            // Whoever has a third rank says so by asking for it.
            let ranks = if text.contains("rank == 2") { 3 } else { 2 };
            Subject { name, text, ranks }
        })
        .collect();
    subjects.sort_by(|a, b| a.name.cmp(&b.name));
    subjects
}

#[test]
fn a_message_carries_what_its_sender_did() {
    let mut wrong = Vec::new();
    for subject in subjects() {
        let slice = subject.slice(true);
        let expected: BTreeSet<u32> = subject
            .marked("in")
            .union(&subject.marked("needed"))
            .copied()
            .collect();
        let missing = Vec::from_iter(expected.difference(&slice));
        if !missing.is_empty() {
            wrong.push(format!("{}: lines {missing:?} are missing", subject.name));
        }
        let too_much = Vec::from_iter(subject.marked("perturb").intersection(&slice).copied());
        if !too_much.is_empty() {
            wrong.push(format!("{}: lines {too_much:?} should not be in", subject.name));
        }
        let alone = subject.slice(false);
        // Where every rank executes the same, the slice without messages may be no smaller.
        let alike = !subject.marked("alike").is_empty();
        if !alone.is_subset(&slice) || (alone.len() == slice.len()) != alike {
            wrong.push(format!(
                "{}: {} lines without messages, {} with them",
                subject.name,
                alone.len(),
                slice.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a program under one MPI: whole, perturbed outside its slice (in more ways if `all`), nothing but its slice, and, if
/// `dropping`, without each statement that is needed. Returns what is wrong, and how often a missing statement was noticed;
/// nothing if this MPI does not do what the program asks of it.
fn judge(subject: &Subject, mpi: Mpi, all: bool, dropping: bool) -> Option<(Vec<String>, usize)> {
    let mut wrong = Vec::new();
    let mut noticed = 0;
    let name = format!("{} under {}", subject.name, mpi.name());
    let whole = subject.all_lines();
    let observed = |kept: &BTreeSet<u32>, mode, patience| subject.observed(mpi, kept, mode, patience);
    let truth = observed(&whole, Mode::Delete, PATIENCE).unwrap_or_else(|| panic!("{name} does not run"));
    assert!(!truth.is_empty(), "{name} observes nothing");
    let is_observed = |value: &str| truth.iter().any(|line| line.ends_with(&format!(": {value}")));
    if !subject.says().all(is_observed) {
        println!("{name} observes {truth:?}, which is wrong: not judged there");
        return None;
    }

    for seed in if all { 1..3 } else { 1..2 } {
        let perturbed = whole.difference(&subject.marked("perturb")).copied().collect();
        let seen = observed(&perturbed, Mode::Perturb(seed), PATIENCE / 8);
        if seen.as_ref() != Some(&truth) {
            wrong.push(format!(
                "{name}: perturbed outside, it observes {seen:?}, not {truth:?}"
            ));
        }
    }

    // What begins and ends a program or a window is no statement of the slice, but nothing runs without it.
    let frame = |text: &str| {
        ["MPI_Init", "MPI_Finalize", "MPI_Win_free"]
            .iter()
            .any(|name| text.contains(name))
    };
    let mut kept = subject.slice(true);
    let lines = (1..).zip(subject.text.lines());
    kept.extend(lines.filter(|(_, text)| frame(text)).map(|(line, _)| line));
    if subject.text.matches("observe(").count() == 1 {
        let seen = observed(&kept, Mode::Delete, PATIENCE / 8);
        if seen.as_ref() != Some(&truth) {
            wrong.push(format!("{name}: its slice observes {seen:?}, not {truth:?}"));
        }
    }

    if dropping {
        for line in subject.marked("needed") {
            let mut less = whole.clone();
            less.remove(&line);
            if observed(&less, Mode::Delete, HANG).as_ref() == Some(&truth) {
                wrong.push(format!("{name}: line {line} is not needed"))
            } else {
                noticed += 1
            }
        }
    }
    Some((wrong, noticed))
}

#[test]
fn slices_of_jobs_observe_what_the_jobs_observe() {
    let _turn = my_turn();
    let wanted = std::env::var("HINDMOST_SLICES").unwrap_or_default();
    let all = !wanted.is_empty();
    let is_wanted = |name: &str| matches!(&*wanted, "" | "all") || wanted.split(',').any(|each| each == name);
    let mut wrong = Vec::new();
    let (mut noticed, mut runs) = (0, 0);
    for subject in subjects().into_iter().filter(|subject| is_wanted(&subject.name)) {
        let mut judged = 0;
        for mpi in [Mpi::Mpich, Mpi::OpenMpi] {
            if all || judged == 0 || subject.name == "spmd.c" {
                let found = judge(&subject, mpi, all, all || subject.name == "spmd.c");
                judged += usize::from(found.is_some());
                let (found, times) = found.unwrap_or_default();
                wrong.extend(found);
                noticed += times;
            }
        }
        if judged == 0 {
            wrong.push(format!("{}: no MPI does what it says", subject.name));
        }
        runs += judged;
    }
    println!("{runs} programs were run; {noticed} needed statements were left out, and it was noticed");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
