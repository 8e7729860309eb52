//! How the probe comes to run on a host: by a command line for whatever shell the user has there.
//!
//! The line says in words what it is about to do ([`Step`]), one line of text each, so that a greeting of the host in between does no harm. Where the host has a probe of our version in its `PATH`, that is run.
//! Otherwise our own is copied into a directory that nobody else can write to, opened, tried, and run as what is open, once directory and file are removed. It begins with
//! memory (`/dev/shm`), and goes on where there is no room, or where nothing may be run.
//!
//! **Where the bytes come from.** From the file of the name that the probe has here, if the host sees the same file; from a copy that was kept there ([`Probe::kept`]); else from standard input. Nobody is asked whose these files are: what is run is the
//! private copy, and only if its SHA-256 is that of our own probe. So nothing is run that another could have written, nor from a file system that may hang while a task is stopped. A host without
//! `sha256sum` or `timeout` is sent the probe.

use sha2::{Digest as _, Sha256};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A probe to send.
#[derive(Clone)]
pub struct Probe {
    pub(crate) bytes: Arc<[u8]>,
    /// Where else it may be found.
    path: Option<String>,
    keeping: Keeping,
}

/// Whether a probe that was sent stays on the host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeping {
    Nowhere,
    InCache,
}

/// Why a file is no probe that could be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeFault {
    /// It is no program of Linux for x86-64.
    NoProgram,
}

impl fmt::Display for ProbeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeFault::NoProgram => f.write_str("it is no program for Linux on x86-64"),
        }
    }
}

impl std::error::Error for ProbeFault {}

impl Probe {
    /// The bytes of a program file.
    ///
    /// # Errors
    /// They are of none.
    pub fn new(bytes: &[u8]) -> Result<Self, ProbeFault> {
        // The machine is two bytes at 18, behind the magic of a little-endian file with words of 64 bits.
        const X86_64: [u8; 2] = [62, 0];
        let is_program = bytes.starts_with(b"\x7fELF\x02\x01") && bytes.get(18..20) == Some(&X86_64);
        let probe = || Probe {
            bytes: bytes.into(),
            path: None,
            keeping: Keeping::Nowhere,
        };
        is_program.then(probe).ok_or(ProbeFault::NoProgram)
    }

    /// The same, which hosts that share a file system with this one find under its absolute name. A name with characters that some shell takes for more than a part of it is looked for nowhere.
    #[must_use]
    pub fn found_at(mut self, path: &Path) -> Self {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._+-@:,=".contains(c);
        let plain = path.to_str().filter(|path| path.chars().all(is_plain));
        self.path = plain.filter(|path| path.starts_with('/')).map(str::to_owned);
        self
    }

    /// The same, a copy of which stays in the user's cache on each host that it is sent to, and is used the next time.
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.keeping = Keeping::InCache;
        self
    }

    /// The command line that starts it.
    pub(crate) fn command_line(&self, speech: Speech) -> String {
        let hash: String = Sha256::digest(&self.bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let script = SCRIPT
            .replace("VERSION", &nodes::VERSION.to_string())
            .replace("LENGTH", &self.bytes.len().to_string())
            .replace("HASH", &hash)
            .replace(
                "SERVE",
                match speech {
                    Speech::Bytes => "--serve",
                    Speech::Lines => "--serve-lines",
                },
            )
            .replace(
                "CACHE",
                match self.keeping {
                    Keeping::Nowhere => "",
                    Keeping::InCache => "${XDG_CACHE_HOME:-${HOME:-/}/.cache}/hindmost-probe",
                },
            );
        let words = ["exec", "sh", "-c", &script, "hindmost"].into_iter();
        // They hold no NUL, which is all that cannot be quoted.
        shlex::try_join(words.chain(self.path.as_deref())).unwrap_or_default()
    }
}

/// How the probe answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speech {
    /// In bytes, as they are.
    Bytes,
    /// In lines of text ([`nodes::to_lines`]).
    Lines,
}

/// What the command line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// What the host is.
    Node {
        /// Its system, as `uname -s` says.
        system: String,
        /// Its processors, as `uname -m` says.
        machine: String,
    },
    /// It takes the probe now.
    Send,
    /// The probe is about to begin.
    Begin,
    /// There is no place from which it could be run.
    NoPlace,
}

impl Step {
    /// What a line of text says; `None` of one that is not ours.
    pub(crate) fn of(line: &str) -> Option<Step> {
        let mut words = line.split_whitespace();
        let step = match words.next()? {
            "hindmost-node" => Step::Node {
                system: words.next()?.to_owned(),
                machine: words.next()?.to_owned(),
            },
            "hindmost-send" => Step::Send,
            "hindmost-begin" => Step::Begin,
            "hindmost-no-place" => Step::NoPlace,
            _ => return None,
        };
        Some(step)
    }
}

/// One line without single quotes, backslashes and exclamation marks, so that its quoted form is the same to every shell. Its arguments are files that may be the probe.
///
/// What could not be written is read to its end all the same: otherwise it would be taken for what comes next. A file that is looked for has a second, since a file system may hang, and a job hang for that. `keep` writes nothing where
/// another could have prepared what it writes to, and throws away what has lain there for a month; nobody waits for it.
const SCRIPT: &str = "umask 077; echo hindmost-node $(uname -s) $(uname -m); \
    if [ \"$(hindmost-probe --dialogue 2>/dev/null)\" = VERSION ]; then echo hindmost-begin; exec hindmost-probe SERVE; fi; \
    k=\"CACHE\"; [ -z \"$k\" ] || set -- \"$@\" \"$k/HASH\"; \
    t=; clean() { [ -n \"$t\" ] && rm -rf \"$t\"; t=; }; trap clean 0; trap \"exit 1\" 1 2 13 15; \
    copy() { timeout -s KILL 1 head -c LENGTH \"$1\" >\"$t/probe\" 2>/dev/null && \
    case $(sha256sum <\"$t/probe\" 2>/dev/null) in HASH*) ;; *) false ;; esac; }; \
    keep() { mkdir -p \"$k\" && cd \"$k\" && [ \"$(stat -c %u.%a .)\" = \"$(id -u).700\" ] && n=$(mktemp new.XXXXXXXX) && \
    { cat <&9 >\"$n\" && mv -f \"$n\" HASH || rm -f \"$n\"; find . -type f -mtime +30 -exec rm -f {} +; }; }; \
    begin() { [ \"$(wc -c <\"$t/probe\")\" -eq LENGTH ] && chmod 700 \"$t/probe\" && \"$t/probe\" --dialogue </dev/null >/dev/null 2>&1 || return 1; \
    exec 9<\"$t/probe\"; clean; if [ -n \"$1\" ]; then keep </dev/null >/dev/null 2>&1 & fi; \
    echo hindmost-begin; exec /proc/self/fd/9 SERVE; }; \
    for d in /dev/shm \"${XDG_RUNTIME_DIR:-/run}\" \"${TMPDIR:-/tmp}\" /tmp \"${HOME:-/}\"; do \
    [ -d \"$d\" ] && [ -w \"$d\" ] || continue; \
    t=$(mktemp -d \"$d/hindmost.XXXXXXXX\" 2>/dev/null) || { t=; continue; }; \
    for f in \"$@\"; do copy \"$f\" && { begin; clean; continue 2; }; done; \
    echo hindmost-send; \
    head -c LENGTH | { cat >\"$t/probe\" 2>/dev/null || cat >/dev/null; }; \
    begin \"$k\"; clean; done; echo hindmost-no-place";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_quoted_the_same_for_every_shell() {
        let mut program = b"\x7fELF\x02\x01".to_vec();
        program.resize(20, 0);
        assert!(Probe::new(&program).is_err());
        program[18] = 62;
        let line = Probe::new(&program).unwrap().command_line(Speech::Bytes);
        let script = line
            .strip_prefix("exec sh -c '")
            .and_then(|rest| rest.strip_suffix("' hindmost"));
        let script = script.unwrap_or_else(|| panic!("{line}"));
        assert!(!script.contains(['\'', '\\', '!', '\n']), "{script}");
        assert!(script.contains("head -c 20 |"), "{script}");
        assert_eq!(script.matches("--serve;").count(), 2, "{script}");
        let lines = Probe::new(&program).unwrap().command_line(Speech::Lines);
        assert_eq!(lines.matches("--serve-lines;").count(), 2, "{lines}");
        assert_eq!(shlex::split(&line).unwrap()[3], script);
    }

    #[test]
    fn a_probe_is_looked_for_under_plain_names_alone() {
        let mut program = b"\x7fELF\x02\x01".to_vec();
        program.resize(20, 62);
        program[19] = 0;
        let words = |path: &str| {
            let probe = Probe::new(&program).unwrap().found_at(Path::new(path)).kept();
            shlex::split(&probe.command_line(Speech::Bytes)).unwrap()[4..].to_vec()
        };
        let plain = "/home/a.b/hindmost-0.1/bin/hindmost-probe";
        assert_eq!(words(plain), ["hindmost", plain]);
        for other in ["hindmost-probe", "/opt/my probe", "/a'b", "/a!b", "/a$b", "/é"] {
            assert_eq!(words(other), ["hindmost"], "{other}");
        }
    }

    #[test]
    fn what_a_host_greets_with_is_no_step() {
        assert_eq!(Step::of("Welcome to node7"), None);
        assert_eq!(Step::of("hindmost-node"), None);
        assert_eq!(Step::of("hindmost-send"), Some(Step::Send));
        assert!(
            matches!(Step::of("hindmost-node Linux x86_64\r"), Some(Step::Node { machine, .. }) if machine == "x86_64")
        );
    }
}
