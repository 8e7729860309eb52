//! The judge that matters: the `hindmost` command, as a user runs it.

use super::{Judge, Question, Unknown, Verdict};
use crate::oracle::case::{Case, Moment, task_name};
use crate::oracle::layout::FILE;
use crate::oracle::proof::Prover;
use progress_map::Map;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The `hindmost` command: `map` once for a program, `order` for every question.
#[derive(Clone, Debug)]
pub struct Command {
    executable: PathBuf,
    /// Where programs are kept instead of a temporary directory.
    pub keep: Option<PathBuf>,
    /// The rule to break, in a command with debug assertions; see `base::mutant`.
    pub mutant: Option<String>,
}

impl Command {
    /// The command named by `HINDMOST_BIN`, or else the one built beside this executable.
    ///
    /// # Errors
    /// When there is none, saying how to get one.
    pub fn find() -> Result<Self, String> {
        let executable = match std::env::var_os("HINDMOST_BIN") {
            Some(path) => PathBuf::from(path),
            None => {
                let this = std::env::current_exe().map_err(|e| format!("no path to this executable: {e}"))?;
                let beside = |dir: &Path| dir.join("hindmost");
                // Test executables are one level below the others, in `deps`.
                let found = this
                    .ancestors()
                    .skip(1)
                    .take(2)
                    .map(beside)
                    .find(|path| path.is_file());
                found
                    .ok_or("no 'hindmost' beside the tests: run 'cargo build -p cli', or set HINDMOST_BIN")?
            }
        };
        if !executable.is_file() {
            return Err(format!(
                "'{}' is no file, though the environment names it",
                executable.display()
            ));
        }
        Ok(Self {
            executable,
            keep: None,
            mutant: None,
        })
    }

    fn run(&self, dir: &Path, args: &[&str]) -> Result<String, String> {
        let output = std::process::Command::new(&self.executable)
            .args(args)
            .envs(self.mutant.iter().map(|name| ("HINDMOST_MUTANT", name)))
            .current_dir(dir)
            .output()
            .map_err(|e| format!("cannot start '{}': {e}", self.executable.display()))?;
        // 1 means that the order is undecided: an answer.
        if !matches!(output.status.code(), Some(0 | 1)) {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("hindmost {}: {}\n{said}", args.join(" "), output.status));
        }
        String::from_utf8(output.stdout).map_err(|e| format!("hindmost {}: {e}", args.join(" ")))
    }

    /// Writes the map of `source` in `dir`, as [`FILE`]'s.
    ///
    /// # Errors
    /// When the command fails.
    pub fn map(&self, dir: &Path, source: &str) -> Result<PathBuf, String> {
        self.map_as(dir, FILE, source)
    }

    /// The same with the name that the source has: its ending tells the language.
    ///
    /// # Errors
    /// When the command fails.
    pub fn map_as(&self, dir: &Path, file: &str, source: &str) -> Result<PathBuf, String> {
        std::fs::write(dir.join(file), source).map_err(|e| format!("{}: {e}", dir.display()))?;
        self.run(dir, &["map", file, "-o", "clean.hmap"])?;
        Ok(dir.join("clean.hmap"))
    }

    /// Asks about `pairs` of recorded stacks; the map is in `dir` already.
    ///
    /// # Errors
    /// When the command fails or does not answer for every pair in order.
    pub fn order(
        &self,
        dir: &Path,
        stem: &str,
        tasks: &[snapshot::Task],
        pairs: &[(String, String)],
    ) -> Result<Vec<Verdict>, String> {
        let stacks = format!("{stem}.jsonl");
        let asked = format!("{stem}.pairs");
        let mut text = String::new();
        for task in tasks {
            text.push_str(&serde_json::to_string(task).map_err(|e| e.to_string())?);
            text.push('\n');
        }
        let lines: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} {b}\n")).collect();
        for (name, text) in [(&stacks, text), (&asked, lines.concat())] {
            std::fs::write(dir.join(name), text).map_err(|e| format!("{name}: {e}"))?;
        }
        let args = [
            "order",
            "--map",
            "clean.hmap",
            "--stacks",
            &stacks,
            "--pairs",
            &asked,
        ];
        let answers = self.run(dir, &args)?;
        let mut verdicts = Vec::new();
        for (line, (a, b)) in answers.lines().zip(pairs) {
            let rest = line.strip_prefix(&format!("{a} {b} "));
            verdicts.push(
                rest.and_then(parse)
                    .ok_or_else(|| format!("asked about {a} {b}, told '{line}'"))?,
            );
        }
        if verdicts.len() != pairs.len() {
            return Err(format!(
                "{} pairs asked, {} answered",
                pairs.len(),
                verdicts.len()
            ));
        }
        Ok(verdicts)
    }

    /// A directory for the files of one case.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn directory(&self, seed: u64) -> Result<Directory, String> {
        Directory::of_seed(self.keep.as_deref(), seed)
    }
}

/// A directory that goes away with this value unless it is to be kept.
#[derive(Debug)]
pub struct Directory {
    /// Where it is.
    pub path: PathBuf,
    temporary: bool,
}

impl Directory {
    /// A directory below `keep`, or else a temporary one.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn of_seed(keep: Option<&Path>, seed: u64) -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let path = match keep {
            Some(keep) => keep.join(format!("seed{seed}")),
            None => {
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                std::env::temp_dir().join(format!("hindmost-order-{}-{number}", std::process::id()))
            }
        };
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self {
            path,
            temporary: keep.is_none(),
        })
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if self.temporary {
            // What cannot be removed stays in the system's temporary directory.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

fn parse(answer: &str) -> Option<Verdict> {
    let (word, reason) = answer.split_once(' ').unwrap_or((answer, ""));
    Some(match word {
        "before" => Verdict::Before,
        "after" => Verdict::After,
        "equal" => Verdict::Equal,
        "incomparable" => Verdict::Incomparable,
        "unknown" => Verdict::Unknown(Unknown::plain(reason)),
        _ => return None,
    })
}

fn read_map(path: &Path) -> Result<Map, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Map::from_bytes(&bytes).map_err(|e| format!("{}: {e}", path.display()))
}

impl Judge for Command {
    fn judge(&self, case: &Case, questions: &[Question]) -> Result<Vec<Vec<Verdict>>, String> {
        let dir = self.directory(case.seed)?;
        let map = read_map(&self.map(&dir.path, &case.layout.clean)?)?;
        let prover = Prover::new(&map);
        let mut answers = Vec::new();
        for (index, question) in questions.iter().enumerate() {
            let places = question.pairs.iter().flat_map(|&(a, b)| [a, b]);
            let asked: BTreeSet<Moment> = places.map(|i| question.moments[i]).collect();
            let tasks: Vec<snapshot::Task> = asked
                .iter()
                .map(|&moment| case.record(moment, question.view))
                .collect();
            let name = |i: usize| task_name(question.moments[i]);
            let pairs: Vec<(String, String)> =
                question.pairs.iter().map(|&(a, b)| (name(a), name(b))).collect();
            let mut verdicts = self.order(&dir.path, &format!("view{index}"), &tasks, &pairs)?;
            // A mutant may not know what the library, whose rules are whole, knows: it keeps its sentences.
            if self.mutant.is_none() {
                let locate = |i: usize| prover.locate(&case.record(question.moments[i], question.view));
                for (&(a, b), verdict) in question.pairs.iter().zip(&mut verdicts) {
                    if let Verdict::Unknown(unknown) = verdict
                        && let Some(kind) = prover.kind(&locate(a), &locate(b))
                    {
                        unknown.kind = kind;
                    }
                }
            }
            answers.push(verdicts);
        }
        Ok(answers)
    }

    fn flaws(
        &self,
        case: &Case,
        questions: &[Question],
        verdicts: &[Vec<Verdict>],
    ) -> Result<Vec<(usize, usize, String)>, String> {
        if self.mutant.is_some() {
            // The proofs are asked of the library in this process, whose rules are whole.
            return Ok(Vec::new());
        }
        let dir = self.directory(case.seed)?;
        let map = read_map(&self.map(&dir.path, &case.layout.clean)?)?;
        let prover = Prover::new(&map);
        let mut flaws = Vec::new();
        for (number, (question, verdicts)) in questions.iter().zip(verdicts).enumerate() {
            let record = |&moment: &Moment| case.record(moment, question.view);
            let tasks: Vec<snapshot::Task> = question.moments.iter().map(record).collect();
            let located: Vec<_> = tasks.iter().map(|task| prover.locate(task)).collect();
            let task = |i: usize| (&tasks[i], &located[i]);
            for (pair, (&(a, b), verdict)) in question.pairs.iter().zip(verdicts).enumerate() {
                if let Some(flaw) = prover.flaw(task(a), task(b), verdict) {
                    flaws.push((number, pair, flaw));
                }
            }
        }
        Ok(flaws)
    }
}
