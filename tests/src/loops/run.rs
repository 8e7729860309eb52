//! Runs a logging sheet as ranks in worlds, and reads what was logged.

use super::sheet::{Language, Sheet};
use progress_map::Map;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// How many ranks are run.
pub const RANKS: usize = 3;

/// How many worlds: in the first, functions without source return the same on every rank; in the others they do not.
pub const WORLDS: usize = 3;

/// One pass of a mark: the values by expression.
pub type Pass = BTreeMap<String, f64>;

/// What one rank logged: by function, the passes of its mark in order, each variable's activation number beside its value.
#[derive(Clone, Debug, Default)]
pub struct Log {
    passes: BTreeMap<String, Vec<Logged>>,
    /// Expressions that are pointers.
    pub pointers: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default)]
struct Logged {
    values: Pass,
    /// How often each variable was started anew before this pass.
    activation: BTreeMap<String, usize>,
}

impl Log {
    /// The passes of a function's mark, one list for each activation of the loop as `variable` tells them.
    #[must_use]
    pub fn activations(&self, function: &str, variable: &str) -> Vec<Vec<&Pass>> {
        let mut found: Vec<Vec<&Pass>> = Vec::new();
        let mut last = None;
        for logged in self.passes.get(function).into_iter().flatten() {
            let now = logged.activation.get(variable).copied();
            if found.is_empty() || now != last {
                found.push(Vec::new());
                last = now;
            }
            if let Some(list) = found.last_mut() {
                list.push(&logged.values);
            }
        }
        found
    }
}

/// Logs by world and rank.
pub type Runs = Vec<Vec<Log>>;

/// Compiles the sheet with logging for what `map` claims, and runs it.
///
/// # Errors
/// When a mark is not in the map, the compiler refuses the text (a start or step that the map names is then not
/// readable in the loop), or a rank fails.
pub fn run(sheet: &Sheet, map: &Map, dir: &Path) -> Result<Runs, String> {
    let logging = sheet.logging(map)?;
    let text = format!("logging.{}", sheet.language.ending());
    let files = [
        (text.as_str(), logging.as_str()),
        ("harness.c", include_str!("harness/harness.c")),
        ("log.h", include_str!("harness/log.h")),
        ("mpi.h", include_str!("harness/mpi.h")),
    ];
    for (name, text) in files {
        std::fs::write(dir.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    let steps = match sheet.language {
        Language::C => [
            "gcc -std=gnu11 -O0 -w -fopenmp -I. -c logging.c",
            "gcc logging.o harness.o -fopenmp -o logging -lm",
        ],
        Language::Cxx => [
            "g++ -std=gnu++17 -O0 -w -fopenmp -I. -c logging.cpp",
            "g++ logging.o harness.o -fopenmp -pthread -o logging",
        ],
    };
    compile(sheet, dir, "gcc -std=gnu11 -O0 -w -fopenmp -I. -c harness.c")?;
    for step in steps {
        compile(sheet, dir, step)?;
    }
    (0..WORLDS)
        .map(|world| (0..RANKS).map(|rank| run_rank(dir, world, rank)).collect())
        .collect()
}

fn compile(sheet: &Sheet, dir: &Path, step: &str) -> Result<(), String> {
    let mut words = step.split(' ');
    let compiler = words.next().unwrap_or_default();
    let built = Command::new(compiler)
        .args(words)
        .current_dir(dir)
        .output()
        .map_err(|e| format!("cannot start {compiler}: {e}"))?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr);
        return Err(format!(
            "'{step}' refuses the logging form of {}:\n{said}",
            sheet.name
        ));
    }
    Ok(())
}

fn run_rank(dir: &Path, world: usize, rank: usize) -> Result<Log, String> {
    let run = Command::new(dir.join("logging"))
        .env("HX_WORLD", world.to_string())
        .env("HX_RANK", rank.to_string())
        .output()
        .map_err(|e| format!("cannot run the loops: {e}"))?;
    if !run.status.success() {
        return Err(format!("world {world}, rank {rank}: {}", run.status));
    }
    let mut log = Log::default();
    let mut activation: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&run.stdout).lines() {
        let unclear = || format!("world {world}, rank {rank}: the log says '{line}'");
        let words: Vec<&str> = line.split('\t').collect();
        match words[..] {
            ["pass", function] => {
                let logged = Logged {
                    activation: activation.get(function).cloned().unwrap_or_default(),
                    ..Logged::default()
                };
                log.passes.entry(function.to_owned()).or_default().push(logged);
            }
            ["start", function, name] => {
                let starts = activation.entry(function.to_owned()).or_default();
                *starts.entry(name.to_owned()).or_default() += 1;
            }
            [kind @ ("value" | "pointer"), function, name, value] => {
                let value = value.parse::<f64>().map_err(|_| unclear())?;
                let pass = log.passes.get_mut(function).and_then(|passes| passes.last_mut());
                pass.ok_or_else(unclear)?.values.insert(name.to_owned(), value);
                let key = (function.to_owned(), name.to_owned());
                if kind == "pointer" && !log.pointers.contains(&key) {
                    log.pointers.push(key);
                }
            }
            _ => return Err(unclear()),
        }
    }
    Ok(log)
}
