//! Holds this version against an earlier one, byte for byte: what a change that should not alter behaviour has to show.
//!
//! Both versions map the same trees, map and check the same builds of the corpus' programs, and answer the same recorded jobs: as text
//! and JSON, with an explanation, a slice and a tree. Each version works with its own maps and its own cache, so that
//! nothing of one reaches the other. What differs is printed and kept, for `diff`.

use crate::command::{self, build_hindmost, capture, cargo, succeed, work_directory};
use crate::{setup, workspace};
use anyhow::{Context, Result, bail, ensure};
use corpus::{Build, JobPlan, Mpi, Program, Stall};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Where the recorded jobs hang: one place of every kind that the corpus has.
const STALLS: [(Program, &str); 9] = [
    (Program::Poisson, "get_norm"),
    (Program::Poisson, "after_update"),
    (Program::Ring, "send"),
    (Program::Multigrid, "smooth"),
    (Program::Multigrid, "coarsen"),
    (Program::Adi, "between_updates"),
    (Program::Relax, "smooth"),
    (Program::Hybrid, "worker"),
    (Program::Courier, "pack"),
];

const RANKS: u32 = 6;

/// One of the two versions.
struct Version {
    name: &'static str,
    hindmost: PathBuf,
    /// Where it leaves what it writes. The files' names are the same for both versions.
    directory: PathBuf,
}

/// Compares this version with `before`, an executable or a revision, on the corpus and on `trees`; fails when anything
/// differs.
pub fn run(before: &str, trees: &[PathBuf]) -> Result<()> {
    setup::ensure()?;
    let work = work_directory("same")?;
    let before = executable_of(before, &work)?;
    let versions = [("before", before), ("after", build_hindmost()?)].map(|(name, hindmost)| Version {
        name,
        hindmost,
        directory: work.join(name),
    });
    for version in &versions {
        if version.directory.exists() {
            fs::remove_dir_all(&version.directory)?;
        }
        fs::create_dir_all(version.directory.join("cache"))?;
    }

    let mut tally = Tally::default();
    for tree in trees {
        let tree = fs::canonicalize(tree).with_context(|| format!("cannot find {}", tree.display()))?;
        let name = tree.to_string_lossy().trim_start_matches('/').replace('/', "-");
        tally.compare(&versions, &format!("{name}.map"), |version, _| {
            vec![
                "map -q --no-cache -o".into(),
                version.file(&name, "hmap"),
                quoted(&tree),
            ]
        })?;
        tally.files(&versions, &format!("{name}.hmap"))?;
        tally.compare(&versions, &format!("{name}.counters"), |_, _| {
            vec!["counters".into(), quoted(&tree)]
        })?;
    }
    for flags in [["-g", "-O0"], ["-g", "-O2"]] {
        for (program, place) in STALLS {
            recorded(&versions, &work, program, place, &flags, &mut tally)?;
        }
    }

    println!(
        "\n{} outputs and maps compared, {} differ",
        tally.compared,
        tally.different.len()
    );
    if let Some(first) = tally.different.first() {
        let [before, after] = &versions;
        println!("{}", tally.different.join("\n"));
        bail!(
            "not the same; for the first one: diff {} {}",
            before.directory.join(first).display(),
            after.directory.join(first).display()
        );
    }
    Ok(())
}

/// Records one hung job and lets both versions say all they know of it.
fn recorded(
    versions: &[Version; 2],
    work: &Path,
    program: Program,
    place: &str,
    flags: &[&str],
    tally: &mut Tally,
) -> Result<()> {
    let build = Build {
        program,
        mpi: Mpi::OpenMpi,
        flags,
    };
    let exe = build.compile(work)?;
    let name = format!("{}-{place}{}", program.name(), flags.concat());
    let stacks = work.join(format!("{name}.stacks"));
    let plan = JobPlan {
        exe: &exe,
        mpi: Mpi::OpenMpi,
        ranks: RANKS,
        stall: Some(Stall {
            rank: 2,
            iteration: 3,
            place,
        }),
        arguments: &[],
    };
    let mut job = plan.start()?;
    job.wait_hung(Duration::from_secs(120))
        .with_context(|| format!("{name} does not hang"))?;
    let [_, after] = versions;
    let mut record = Command::new(&after.hindmost);
    record
        .args(["find", "--launcher", &job.launcher().to_string(), "--save"])
        .arg(&stacks)
        .env("XDG_CACHE_HOME", work.join("record"));
    let (output, _) = capture(&mut record)?;
    ensure!(
        stacks.exists(),
        "nothing recorded of {name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    drop(job);

    let (exe, stacks, sources) = (quoted(&exe), quoted(&stacks), quoted(&program.source()));
    let stall = quoted(&corpus::directory().join("stall.c"));
    let map = |version: &Version| version.file(&name, "hmap");
    tally.compare(versions, &format!("{name}.map"), |version, _| {
        vec![
            // Without the summary, which says how long it took.
            "map -q --no-cache -o".into(),
            map(version),
            "--exe".into(),
            exe.clone(),
            sources.clone(),
            stall.clone(),
        ]
    })?;
    tally.files(versions, &format!("{name}.hmap"))?;
    for (what, question) in QUESTIONS {
        tally.compare(versions, &format!("{name}.{what}"), |version, _| {
            let question = question
                .replace("MAP", &map(version))
                .replace("STACKS", &stacks)
                .replace("EXE", &exe);
            vec![question]
        })?;
    }
    Ok(())
}

/// What both versions are asked about a recorded job.
const QUESTIONS: [(&str, &str); 10] = [
    ("txt", "order --map MAP --stacks STACKS"),
    ("explained", "order --map MAP --stacks STACKS --explain 2 0"),
    ("json", "order --map MAP --stacks STACKS --format json"),
    ("slice", "order --map MAP --stacks STACKS --slice --all"),
    (
        "sarif",
        "order --map MAP --stacks STACKS --slice --slice-format sarif",
    ),
    ("tree", "tree STACKS --map MAP"),
    ("tree-json", "tree STACKS --map MAP --format json"),
    ("tree-html", "tree STACKS --map MAP --format html"),
    ("check", "check EXE"),
    ("show", "show MAP --format json"),
];

/// What was compared, and the names of what differed.
#[derive(Default)]
struct Tally {
    compared: u32,
    different: Vec<String>,
}

impl Tally {
    /// Asks both versions and compares what they print, on both streams, and how they end.
    fn compare(
        &mut self,
        versions: &[Version; 2],
        name: &str,
        arguments: impl Fn(&Version, &str) -> Vec<String>,
    ) -> Result<()> {
        for version in versions {
            let line = arguments(version, name).join(" ");
            let mut command = Command::new(&version.hindmost);
            command
                .args(line.split_whitespace().map(|word| word.replace(SPACE, " ")))
                .env("XDG_CACHE_HOME", version.directory.join("cache"));
            let (output, _) = capture(&mut command)?;
            // Two refusals are alike whatever they refuse.
            ensure!(
                version.name == "before" || output.status.code() != Some(2),
                "{} fails: {}",
                command::shown(&command),
                String::from_utf8_lossy(&output.stderr)
            );
            let text = [
                format!("{}\n", output.status).as_bytes(),
                &output.stdout,
                &output.stderr,
            ]
            .concat();
            fs::write(version.directory.join(name), version.without_its_name(&text))?;
        }
        self.files(versions, name)
    }

    /// Compares the file of this name that each version wrote.
    fn files(&mut self, versions: &[Version; 2], name: &str) -> Result<()> {
        let read = |version: &Version| {
            let file = version.directory.join(name);
            fs::read(&file).with_context(|| format!("{} left no {}", version.name, file.display()))
        };
        let [before, after] = versions;
        self.compared += 1;
        if read(before)? != read(after)? {
            println!("differs: {name}");
            self.different.push(name.to_owned());
        }
        Ok(())
    }
}

/// Stands for a blank inside of an argument while arguments are one line.
const SPACE: char = '\u{1f}';

fn quoted(path: &Path) -> String {
    path.to_string_lossy().replace(' ', &SPACE.to_string())
}

impl Version {
    fn file(&self, name: &str, ending: &str) -> String {
        quoted(&self.directory.join(format!("{name}.{ending}")))
    }

    /// What it printed, with the names of its own files as the other version would name them.
    fn without_its_name(&self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        text.replace(&*self.directory.to_string_lossy(), "HERE")
            .replace(&*self.hindmost.to_string_lossy(), "hindmost")
            .into_bytes()
    }
}

/// The executable that `before` names, or the one of the revision that it names, which is built once.
fn executable_of(before: &str, work: &Path) -> Result<PathBuf> {
    if Path::new(before).is_file() {
        return Ok(fs::canonicalize(before)?);
    }
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(workspace::root()).args(arguments);
        succeed(&mut command)
    };
    let (output, _) = git(&["rev-parse", "--verify", &format!("{before}^{{commit}}")])
        .with_context(|| format!("{before} is neither an executable nor a revision"))?;
    let revision = String::from_utf8(output.stdout)?.trim().to_owned();
    let kept = work.join(format!("hindmost-{revision}"));
    if kept.exists() {
        return Ok(kept);
    }
    let sources = work.join("sources");
    if sources.exists() {
        git(&["worktree", "remove", "--force", &sources.to_string_lossy()])?;
    }
    git(&["worktree", "prune"])?;
    git(&[
        "worktree",
        "add",
        "--detach",
        &sources.to_string_lossy(),
        &revision,
    ])?;
    let target = work.join("target");
    command::run(
        cargo()
            .current_dir(&sources)
            .env("CARGO_TARGET_DIR", &target)
            .args(["build", "--release", "--package", "cli", "--bin", "hindmost"]),
    )?;
    fs::copy(target.join("release/hindmost"), &kept)?;
    git(&["worktree", "remove", "--force", &sources.to_string_lossy()])?;
    Ok(kept)
}
