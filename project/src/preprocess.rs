//! Running a build's compilers as preprocessors (`cc -E`), for files in which raw text leaves something open.
//!
//! Of a compile command only what is harmless is run ([`compiler_command`](crate::compiler_command)), in its own directory, with limits of time, memory and
//! output, and unable to write a byte to any file. Whatever goes wrong is counted by cause: the file is then read from raw text alone. A compiler that is missing or
//! that hung is not tried again, so that a broken database costs one warning and not a time limit per file.

use crate::compile_commands::CompileCommand;
use crate::compiler_command::{Trust, finds_precompiled, preprocessing};
use crate::compiler_program::{environment, program};
use crate::finish::{Finished, Limits, Unfinished, finish};
use crate::inputs::{self, Inputs};
use engine::{Fingerprint, SourceFile};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Ways to compile one file that are looked at.
const VARIANT_LIMIT: usize = 4;
/// Bytes of preprocessor output that are read.
const OUTPUT_LIMIT: u64 = 256 << 20;
/// Runs a program that can write no byte to any file (pipes are none) and has eight gigabytes of memory.
const LIMITED: &str = "ulimit -f 0; ulimit -v 8388608; exec \"$0\" \"$@\"";

/// The preprocessors of a build.
#[derive(Debug)]
pub struct Preprocessor {
    commands: BTreeMap<PathBuf, Commands>,
    trust: Trust,
    limit: Duration,
    started: SystemTime,
    state: Mutex<RunRecord>,
}

/// It cannot be told what decides the outputs of a build's preprocessors.
pub(crate) struct Unidentified;

/// How a file is compiled.
#[derive(Debug, Default)]
struct Commands {
    /// Where and how to run, each way once.
    run: Vec<(PathBuf, Vec<String>)>,
    /// Why one of its commands is not run, if that is so.
    refused: Option<String>,
}

#[derive(Debug, Default)]
struct RunRecord {
    /// Why compilers did not give what was asked for: how often, and the first file.
    failures: BTreeMap<String, (usize, String)>,
    /// Compilers not to be run again, and why.
    given_up: BTreeMap<String, String>,
    /// Files that were asked for.
    asked: BTreeSet<String>,
    /// Files that preprocessors have read.
    read: BTreeSet<PathBuf>,
    /// Where they look for headers, as far as that is known.
    directories: BTreeSet<PathBuf>,
}

impl Preprocessor {
    /// The preprocessors behind `commands`, each run with at most `limit` of time.
    pub fn new(commands: &[CompileCommand], limit: Duration, trust: Trust) -> Self {
        let mut by_file: BTreeMap<PathBuf, Commands> = BTreeMap::new();
        for command in commands {
            let words = match preprocessing(&command.arguments, trust) {
                Ok(words) if words.is_empty() => continue,
                Ok(words) => words,
                Err(why) => {
                    by_file.entry(key(&command.file)).or_default().refused = Some(why);
                    continue;
                }
            };
            let ways = by_file.entry(key(&command.file)).or_default();
            let way = (command.directory.clone(), words);
            if !ways.run.contains(&way) {
                ways.run.push(way);
            }
        }
        Self {
            commands: by_file,
            trust,
            limit,
            started: SystemTime::now(),
            state: Mutex::default(),
        }
    }

    /// Whether there is no preprocessor to be run for any file.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// What the preprocessor makes of the file at `path`, once for each way in which the build compiles it. Nothing when
    /// the build does not compile it, or when one of the ways fails: the others would not tell all.
    pub fn outputs(&self, path: &str) -> Vec<Vec<u8>> {
        let Some(ways) = self.commands.get(&key(Path::new(path))) else {
            return Vec::new();
        };
        self.state().asked.insert(path.to_owned());
        if let Some(why) = &ways.refused {
            self.failed(why.clone(), path);
            return Vec::new();
        }
        if ways.run.len() > VARIANT_LIMIT {
            self.failed("the build compiles it in too many ways".to_owned(), path);
            return Vec::new();
        }
        let mut outputs = Vec::new();
        for (directory, words) in &ways.run {
            let known = self.state().given_up.get(&words[0]).cloned();
            let result = match known {
                Some(why) => Err(Failed { why, last: true }),
                None => run(directory, words, self.limit, self.trust),
            };
            match result {
                Ok(output) => {
                    let read = inputs::files_read(&output, directory);
                    self.state().read.extend(read);
                    outputs.push(output);
                }
                Err(failed) => {
                    if failed.last {
                        self.state().given_up.insert(words[0].clone(), failed.why.clone());
                    }
                    self.failed(failed.why, path);
                    return Vec::new();
                }
            }
        }
        outputs
    }

    /// Adds what decides the outputs besides the files that are read: commands, environment, and what the compilers say
    /// of themselves.
    ///
    /// # Errors
    /// That is not all.
    pub(crate) fn identify(
        &self,
        fingerprint: &mut Fingerprint,
        sources: &[SourceFile],
    ) -> Result<(), Unidentified> {
        for source in sources {
            // By this they meet their commands.
            fingerprint.add(key(Path::new(&source.path)).as_os_str().as_encoded_bytes());
        }
        let mut directories: BTreeSet<PathBuf> = BTreeSet::new();
        let mut compilers: BTreeSet<(&Path, &str)> = BTreeSet::new();
        for (file, ways) in &self.commands {
            fingerprint.add(file.as_os_str().as_encoded_bytes());
            fingerprint.add(&[u8::from(ways.refused.is_some())]);
            fingerprint.add(&ways.run.len().to_le_bytes());
            for (directory, words) in &ways.run {
                fingerprint.add(directory.as_os_str().as_encoded_bytes());
                fingerprint.add(&words.len().to_le_bytes());
                words.iter().for_each(|word| fingerprint.add(word.as_bytes()));
                let searched = inputs::search_directories(words, directory);
                directories.extend(searched.ok_or(Unidentified)?);
                // Without a slash it is the same wherever it is run.
                let place = if words[0].contains('/') {
                    directory
                } else {
                    Path::new("/")
                };
                compilers.insert((place, &words[0]));
            }
        }
        for name in inputs::ENVIRONMENT {
            let value = std::env::var_os(name);
            fingerprint.add(&[u8::from(value.is_some())]);
            fingerprint.add(value.unwrap_or_default().as_encoded_bytes());
        }
        for (directory, compiler) in compilers {
            for language in ["c", "c++"] {
                let words = [compiler, "-E", "-v", "-x", language, "/dev/null"].map(str::to_owned);
                let said = execute(directory, &words, self.limit, self.trust);
                let said = said.map_err(|_| Unidentified)?;
                let succeeds = said.status.success();
                // A compiler of C need not know C++; whether it does is part of what it says.
                let said = String::from_utf8_lossy(&said.messages);
                fingerprint.add(said.as_bytes());
                if succeeds {
                    directories.extend(inputs::system_directories(&said));
                }
            }
        }
        self.state().directories = directories;
        Ok(())
    }

    /// All that was read for the outputs, if nothing went wrong and nothing has changed meanwhile; after
    /// [`identify`](Self::identify).
    pub(crate) fn inputs(&self) -> Option<Inputs> {
        let state = self.state();
        if state.failures.is_empty() {
            Inputs::now(&state.read, &state.directories, self.started)
        } else {
            None
        }
    }

    fn failed(&self, why: String, path: &str) {
        let mut state = self.state();
        let entry = state.failures.entry(why).or_insert((0, path.to_owned()));
        entry.0 += 1;
        // The first by name, whatever order the threads came in.
        if path < entry.1.as_str() {
            entry.1 = path.to_owned();
        }
    }

    /// One warning per cause.
    pub fn warnings(&self) -> Vec<String> {
        let state = self.state();
        let text = |(why, (count, first)): (&String, &(usize, String))| {
            let more = match count {
                1 => String::new(),
                count => format!(" and {} more", count - 1),
            };
            format!("{first}{more}: not preprocessed, so read from the text alone: {why}")
        };
        state.failures.iter().map(text).collect()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, RunRecord> {
        // A thread that panicked cannot have left counts half made.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name under which commands and sources meet: two spellings of one file are one.
fn key(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Why there is no output; `last` when the same compiler would fail again.
struct Failed {
    why: String,
    last: bool,
}

fn run(directory: &Path, words: &[String], limit: Duration, trust: Trust) -> Result<Vec<u8>, Failed> {
    let Finished {
        output,
        messages,
        status,
    } = execute(directory, words, limit, trust)?;
    if !status.success() {
        let messages = String::from_utf8_lossy(&messages);
        let first = messages
            .lines()
            .find(|line| line.contains("error"))
            .or(messages.lines().next());
        // The place before the message differs from file to file; the cause does not.
        let message = first.unwrap_or("it says nothing");
        let message = message.split_once("error: ").map_or(message, |(_, cause)| cause);
        let why = format!("{} failed: {message}", words[0]);
        return Err(Failed { why, last: false });
    }
    Ok(output)
}

/// Runs a command to its end.
fn execute(directory: &Path, words: &[String], limit: Duration, trust: Trust) -> Result<Finished, Failed> {
    let compiler = &words[0];
    let failed = |why: String| Failed { why, last: false };
    if !directory.is_dir() {
        return Err(failed(format!(
            "the command's directory {} is not there",
            directory.display()
        )));
    }
    if trust == Trust::Nothing && finds_precompiled(words, directory) {
        let why = format!("{compiler} may find a header there that somebody has compiled before");
        return Err(failed(why));
    }
    let program = program(compiler, trust).map_err(|why| Failed { why, last: true })?;
    let mut command = match trust {
        Trust::Build => Command::new(&*program),
        Trust::Nothing => {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", LIMITED]).arg(&*program);
            for (name, value) in environment() {
                match value {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                };
            }
            command
        }
    };
    command.args(&words[1..]).current_dir(directory);
    let limits = Limits {
        time: limit,
        output: OUTPUT_LIMIT,
    };
    finish(&mut command, limits).map_err(|why| match why {
        Unfinished::NotStarted(error) => Failed {
            why: match error.kind() {
                ErrorKind::NotFound => format!("{compiler} is not installed"),
                _ => format!("cannot run {compiler}: {error}"),
            },
            last: true,
        },
        Unfinished::TooLong => Failed {
            why: format!("{compiler} took longer than {} s", limit.as_secs()),
            last: true,
        },
        Unfinished::GoesOn => failed(format!("{compiler} did not end")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> CompileCommand {
        CompileCommand {
            file: PathBuf::from("/dev/null"),
            directory: PathBuf::from("/"),
            arguments: words.iter().map(ToString::to_string).collect(),
            output: None,
        }
    }

    #[test]
    fn failures_are_counted_by_cause() {
        let limit = Duration::from_millis(300);
        let missing = Preprocessor::new(&[command(&["no-such-compiler", "a.c"])], limit, Trust::Build);
        assert!(missing.outputs("/dev/null").is_empty() && missing.outputs("/dev/null").is_empty());
        assert_eq!(
            missing.warnings(),
            [
                "/dev/null and 1 more: not preprocessed, so read from the text alone: no-such-compiler is not installed"
            ]
        );
        let fails = Preprocessor::new(&[command(&["false"])], limit, Trust::Build);
        assert!(fails.outputs("/dev/null").is_empty());
        assert!(
            fails.warnings()[0].ends_with("false failed: it says nothing"),
            "{:?}",
            fails.warnings()
        );
        let other = Preprocessor::new(&[], limit, Trust::Nothing);
        assert!(other.outputs("/dev/null").is_empty() && other.warnings().is_empty());
    }

    #[test]
    fn one_way_per_set_of_options() {
        let commands = [
            command(&["cat", "-o", "x"]),
            command(&["cat", "-o", "y"]),
            command(&["cat", "-O2"]),
        ];
        let found = Preprocessor::new(&commands, Duration::from_secs(1), Trust::Build);
        assert_eq!(found.commands[Path::new("/dev/null")].run.len(), 2);
    }
}
