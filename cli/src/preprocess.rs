//! Running a build's compilers as preprocessors (`cc -E`), for files in which raw text leaves something open.
//!
//! A compile command is run without what makes it write files, in its own directory, with a limit on time and on
//! output. Whatever goes wrong is counted by cause: the file is then read from raw text alone. A compiler that is missing or
//! that hung is not tried again, so that a broken database costs one warning and not a time limit per file.

use crate::compile_commands::CompileCommand;
use crate::inputs::{self, Inputs};
use engine::{Fingerprint, SourceFile};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Ways to compile one file that are looked at.
const VARIANT_LIMIT: usize = 4;
/// Bytes of preprocessor output that are read.
const OUTPUT_LIMIT: u64 = 256 << 20;
/// Bytes of error messages that are read.
const MESSAGE_LIMIT: u64 = 64 << 10;

/// The preprocessors of a build.
#[derive(Debug)]
pub(crate) struct Preprocessor {
    /// By compiled file: where and how to run, each way once.
    commands: BTreeMap<PathBuf, Vec<(PathBuf, Vec<String>)>>,
    limit: Duration,
    started: SystemTime,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
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
    pub(crate) fn new(commands: &[CompileCommand], limit: Duration) -> Self {
        let mut by_file: BTreeMap<PathBuf, Vec<(PathBuf, Vec<String>)>> = BTreeMap::new();
        for command in commands {
            let words = preprocessing(&command.arguments);
            if words.is_empty() {
                continue;
            }
            let ways = by_file.entry(key(&command.file)).or_default();
            let way = (command.directory.clone(), words);
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        Self {
            commands: by_file,
            limit,
            started: SystemTime::now(),
            state: Mutex::default(),
        }
    }

    /// Whether there is no preprocessor to be run for any file.
    pub(crate) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// What the preprocessor makes of the file at `path`, once for each way in which the build compiles it. Nothing when
    /// the build does not compile it, or when one of the ways fails: the others would not tell all.
    pub(crate) fn outputs(&self, path: &str) -> Vec<Vec<u8>> {
        let Some(ways) = self.commands.get(&key(Path::new(path))) else {
            return Vec::new();
        };
        self.state().asked.insert(path.to_owned());
        if ways.len() > VARIANT_LIMIT {
            self.failed("the build compiles it in too many ways".to_owned(), path);
            return Vec::new();
        }
        let mut outputs = Vec::new();
        for (directory, words) in ways {
            let known = self.state().given_up.get(&words[0]).cloned();
            let result = match known {
                Some(why) => Err(Failed { why, last: true }),
                None => run(directory, words, self.limit),
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
    /// of themselves. Nothing when that is not all.
    pub(crate) fn identify(&self, fingerprint: &mut Fingerprint, sources: &[SourceFile]) -> Option<()> {
        for source in sources {
            // By this they meet their commands.
            fingerprint.add(key(Path::new(&source.path)).as_os_str().as_encoded_bytes());
        }
        let mut directories: BTreeSet<PathBuf> = BTreeSet::new();
        let mut compilers: BTreeSet<(&Path, &str)> = BTreeSet::new();
        for (file, ways) in &self.commands {
            fingerprint.add(file.as_os_str().as_encoded_bytes());
            fingerprint.add(&ways.len().to_le_bytes());
            for (directory, words) in ways {
                fingerprint.add(directory.as_os_str().as_encoded_bytes());
                fingerprint.add(&words.len().to_le_bytes());
                words.iter().for_each(|word| fingerprint.add(word.as_bytes()));
                directories.extend(inputs::search_directories(words, directory)?);
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
                let (_, said, status) = execute(directory, &words, self.limit).ok()?;
                // A compiler of C need not know C++; whether it does is part of what it says.
                let said = String::from_utf8_lossy(&said);
                fingerprint.add(said.as_bytes());
                if status.success() {
                    directories.extend(inputs::system_directories(&said));
                }
            }
        }
        self.state().directories = directories;
        Some(())
    }

    /// All that was read for the outputs, if nothing went wrong and nothing has changed meanwhile; after
    /// [`identify`](Self::identify).
    pub(crate) fn inputs(&self) -> Option<Inputs> {
        let state = self.state();
        match state.failures.is_empty() {
            true => Inputs::now(&state.read, &state.directories, self.started),
            false => None,
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
    pub(crate) fn warnings(&self) -> Vec<String> {
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

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // A thread that panicked cannot have left counts half made.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name under which commands and sources meet: two spellings of one file are one.
fn key(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The words that preprocess what `words` compiles.
fn preprocessing(words: &[String]) -> Vec<String> {
    let Some((compiler, rest)) = words.split_first() else {
        return Vec::new();
    };
    let mut kept = vec![compiler.clone(), "-E".to_owned()];
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            // What comes out, and where; and -P, which leaves out the line markers.
            "-c" | "-S" | "-E" | "-P" | "-C" | "-CC" | "-fsyntax-only" | "-save-temps" => {}
            "-M" | "-MM" | "-MD" | "-MMD" | "-MP" | "-MG" => {}
            "-o" | "-MF" | "-MT" | "-MQ" | "-MJ" => {
                rest.next();
            }
            "-dM" | "-dD" | "-dN" | "-dI" | "-dU" => {}
            word if ["-o", "-MF", "-MT", "-MQ", "-MJ", "-save-temps=", "-Wp,-M"]
                .iter()
                .any(|option| word.starts_with(option)) => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// Why there is no output; `last` when the same compiler would fail again.
struct Failed {
    why: String,
    last: bool,
}

fn run(directory: &Path, words: &[String], limit: Duration) -> Result<Vec<u8>, Failed> {
    let (output, messages, status) = execute(directory, words, limit)?;
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

/// Runs a command to its end: what it puts out, what it says, and how it ends.
fn execute(
    directory: &Path,
    words: &[String],
    limit: Duration,
) -> Result<(Vec<u8>, Vec<u8>, ExitStatus), Failed> {
    let compiler = &words[0];
    let failed = |why: String| Failed { why, last: false };
    if !directory.is_dir() {
        return Err(failed(format!(
            "the command's directory {} is not there",
            directory.display()
        )));
    }
    let child = Command::new(compiler)
        .args(&words[1..])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A compiler is a driver with children of its own; a limit on time must end them all.
        .process_group(0)
        .spawn();
    let mut child = child.map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => format!("{compiler} is not installed"),
            _ => format!("cannot run {compiler}: {error}"),
        };
        Failed { why, last: true }
    })?;
    let output = child.stdout.take().map(|pipe| reader(pipe, OUTPUT_LIMIT));
    let messages = child.stderr.take().map(|pipe| reader(pipe, MESSAGE_LIMIT));
    let deadline = Instant::now() + limit;
    let receive = |receiver: Option<Receiver<Vec<u8>>>| {
        let left = deadline.saturating_duration_since(Instant::now());
        receiver?.recv_timeout(left).ok()
    };
    let (Some(output), Some(messages)) = (receive(output), receive(messages)) else {
        end(&mut child);
        let why = format!("{compiler} took longer than {} s", limit.as_secs());
        return Err(Failed { why, last: true });
    };
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            // It has closed its outputs and goes on all the same, or it cannot be waited for.
            _ => {
                end(&mut child);
                return Err(failed(format!("{compiler} did not end")));
            }
        }
    };
    Ok((output, messages, status))
}

/// Reads a pipe to its end in a thread of its own: a compiler that waits for room in one pipe must not hold up the other.
fn reader(pipe: impl Read + Send + 'static, limit: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut limited = pipe.take(limit);
        // What could be read is what there is: output that was cut off is noticed when it is parsed.
        let _ = limited.read_to_end(&mut bytes);
        let _ = std::io::copy(&mut limited.into_inner(), &mut std::io::sink());
        let _ = sender.send(bytes);
    });
    receiver
}

/// Ends a compiler and its children.
fn end(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_writes_files_is_left_out_of_a_command() {
        let words = "gcc -DX -c -o a.o -MMD -MF a.d -MTa.o -O2 -Wp,-MD,b.d -P -oa.o a.c -M -include b.h";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        assert_eq!(preprocessing(&words).join(" "), "gcc -E -DX -O2 a.c -include b.h");
        assert!(preprocessing(&[]).is_empty());
    }

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
        let missing = Preprocessor::new(&[command(&["no-such-compiler", "a.c"])], limit);
        assert!(missing.outputs("/dev/null").is_empty() && missing.outputs("/dev/null").is_empty());
        assert_eq!(
            missing.warnings(),
            [
                "/dev/null and 1 more: not preprocessed, so read from the text alone: no-such-compiler is not installed"
            ]
        );
        let fails = Preprocessor::new(&[command(&["false"])], limit);
        assert!(fails.outputs("/dev/null").is_empty());
        assert!(
            fails.warnings()[0].ends_with("false failed: it says nothing"),
            "{:?}",
            fails.warnings()
        );
        let other = Preprocessor::new(&[], limit);
        assert!(other.outputs("/dev/null").is_empty() && other.warnings().is_empty());
    }

    #[test]
    fn one_way_per_set_of_options() {
        let commands = [
            command(&["cat", "-o", "x"]),
            command(&["cat", "-o", "y"]),
            command(&["cat", "-O2"]),
        ];
        let found = Preprocessor::new(&commands, Duration::from_secs(1));
        assert_eq!(found.commands[Path::new("/dev/null")].len(), 2);
    }
}
