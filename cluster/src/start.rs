//! How the probe comes to run on a host: by a command line for whatever shell the user has there.
//!
//! The line says in words what it is about to do ([`Step`]), one line of text each, so that a greeting of the host in between does no harm. Where the host has a probe of our version, that is run.
//! Otherwise it asks for our own, takes it from standard input into a directory that nobody else can write to, opens it, tries it, removes directory and file, and runs what it has open. It begins with
//! memory (`/dev/shm`), and goes on where there is no room, or where nothing may be run.

use std::fmt;
use std::sync::Arc;

/// A probe to send.
#[derive(Clone)]
pub struct Probe(pub(crate) Arc<[u8]>);

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
        is_program
            .then(|| Probe(bytes.into()))
            .ok_or(ProbeFault::NoProgram)
    }

    /// The command line that starts it.
    pub(crate) fn command_line(&self) -> String {
        let script = SCRIPT
            .replace("VERSION", &nodes::VERSION.to_string())
            .replace("LENGTH", &self.0.len().to_string());
        let words = ["exec", "sh", "-c", &script];
        // It holds no NUL, which is all that cannot be quoted.
        shlex::try_join(words).unwrap_or_default()
    }
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

/// One line without single quotes, backslashes and exclamation marks, so that its quoted form is the same to every shell. What could not be written is read
/// to its end all the same: otherwise it would be taken for what comes next.
const SCRIPT: &str = "umask 077; echo hindmost-node $(uname -s) $(uname -m); \
    if [ \"$(hindmost-probe --dialogue 2>/dev/null)\" = VERSION ]; then echo hindmost-begin; exec hindmost-probe --serve; fi; \
    t=; clean() { [ -n \"$t\" ] && rm -rf \"$t\"; t=; }; trap clean 0; trap \"exit 1\" 1 2 13 15; \
    for d in /dev/shm \"${XDG_RUNTIME_DIR:-/run}\" \"${TMPDIR:-/tmp}\" /tmp \"${HOME:-/}\"; do \
    [ -d \"$d\" ] && [ -w \"$d\" ] || continue; \
    t=$(mktemp -d \"$d/hindmost.XXXXXXXX\" 2>/dev/null) || { t=; continue; }; \
    echo hindmost-send; \
    head -c LENGTH | { cat >\"$t/probe\" 2>/dev/null || cat >/dev/null; }; \
    if [ \"$(wc -c <\"$t/probe\")\" -eq LENGTH ] && chmod 700 \"$t/probe\" && \"$t/probe\" --dialogue </dev/null >/dev/null 2>&1; then \
    exec 9<\"$t/probe\"; clean; echo hindmost-begin; exec /proc/self/fd/9 --serve; fi; \
    clean; done; echo hindmost-no-place";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_quoted_the_same_for_every_shell() {
        let mut program = b"\x7fELF\x02\x01".to_vec();
        program.resize(20, 0);
        assert!(Probe::new(&program).is_err());
        program[18] = 62;
        let line = Probe::new(&program).unwrap().command_line();
        let script = line
            .strip_prefix("exec sh -c '")
            .and_then(|rest| rest.strip_suffix('\''));
        let script = script.unwrap_or_else(|| panic!("{line}"));
        assert!(!script.contains(['\'', '\\', '!', '\n']), "{script}");
        assert!(script.contains("head -c 20 |"), "{script}");
        assert_eq!(shlex::split(&line).unwrap()[3], script);
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
