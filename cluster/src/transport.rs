//! How a command line comes to run on a host with its standard streams here: by `ssh` as the user has configured it, by a step of the job's batch system, or by whatever program the user names.

use crate::hosts::HostName;
use crate::slurm;
use std::fmt;
use std::process::Command;
use std::time::Duration;

/// What reaches hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// `ssh`, which asks for nothing: nobody answers for sixty hosts.
    Ssh,
    /// A program and its arguments, in which `{host}` and `{command}` stand for the name of the host and for the command line.
    Template(Vec<String>),
    /// `srun`, by a step of our own in the job of this number, beside the steps that it has.
    Slurm(u32),
}

/// Why a text names no transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportError {
    /// It has a quote that is not closed.
    Quotes,
    /// It names no program.
    NoProgram,
    /// A part is not in it.
    Missing(&'static str),
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransportError::Quotes => f.write_str("a quote is not closed"),
            TransportError::NoProgram => f.write_str("it names no program"),
            TransportError::Missing(part) => write!(
                f,
                "there is no {part} in it, as in 'kubectl exec -i {HOST} -- sh -c {COMMAND}'"
            ),
        }
    }
}

impl std::error::Error for TransportError {}

const HOST: &str = "{host}";
const COMMAND: &str = "{command}";

impl Transport {
    /// A template as a user writes it: words as a shell would part them, one of them with `{host}`, one with `{command}`.
    ///
    /// # Errors
    /// It is no such template.
    pub fn template(text: &str) -> Result<Self, TransportError> {
        let words = shlex::split(text).ok_or(TransportError::Quotes)?;
        let program = words
            .first()
            .filter(|program| !program.is_empty() && !program.contains('{'));
        program.ok_or(TransportError::NoProgram)?;
        for part in [HOST, COMMAND] {
            if !words.iter().any(|word| word.contains(part)) {
                return Err(TransportError::Missing(part));
            }
        }
        Ok(Transport::Template(words))
    }

    /// The program, for messages.
    pub fn program(&self) -> &str {
        match self {
            Transport::Ssh => "ssh",
            Transport::Slurm(_) => "srun",
            Transport::Template(words) => words.first().map_or("", String::as_str),
        }
    }

    /// What runs `line`, a command line for a shell, on a host. A connection that is not there after `patience` is given up.
    pub(crate) fn command(&self, host: &HostName, line: &str, patience: Duration) -> Command {
        match self {
            Transport::Ssh => {
                let mut command = Command::new("ssh");
                // No terminal, no forwarding, and a link that was cut is noticed although nothing is sent.
                command.args([
                    "-T",
                    "-x",
                    "-a",
                    "-o",
                    "BatchMode=yes",
                    "-o",
                    "ClearAllForwardings=yes",
                ]);
                command.args(["-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o"]);
                command.arg(format!("ConnectTimeout={}", patience.as_secs().max(1)));
                command.args(["--", host.as_str(), line]);
                command
            }
            Transport::Slurm(job) => {
                let mut command = slurm::step(*job, 1, host.as_str(), &["--mpi=none"]);
                command.args(["sh", "-c", line]);
                command
            }
            Transport::Template(words) => {
                // The command line is put in last: a name holds no braces, and so nothing is put in twice.
                let mut words = words
                    .iter()
                    .map(|word| word.replace(HOST, host.as_str()).replace(COMMAND, line));
                let mut command = Command::new(words.next().unwrap_or_default());
                command.args(words);
                command
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<String> {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn host_and_command_are_words_of_their_own() {
        let transport = Transport::template("kubectl exec -i 'job-{host}' -- sh -c {command}").unwrap();
        let host: HostName = "node1".parse().unwrap();
        let command = transport.command(&host, "exec sh -c 'a {host} b'", Duration::from_secs(9));
        assert_eq!(
            words(&command),
            [
                "kubectl",
                "exec",
                "-i",
                "job-node1",
                "--",
                "sh",
                "-c",
                "exec sh -c 'a {host} b'"
            ]
        );
        let ssh = words(&Transport::Ssh.command(&host, "true", Duration::from_millis(20)));
        assert!(ssh.contains(&"ConnectTimeout=1".to_owned()), "{ssh:?}");
        assert_eq!(ssh[ssh.len() - 3..], ["--", "node1", "true"]);
        let srun = words(&Transport::Slurm(4711).command(&host, "true", Duration::from_secs(9)));
        assert_eq!(
            srun[srun.len() - 5..],
            ["--jobid=4711", "--nodelist=node1", "sh", "-c", "true"]
        );
    }

    #[test]
    fn a_template_without_a_part_is_refused() {
        for (text, error) in [
            ("ssh {host}", TransportError::Missing(COMMAND)),
            ("sh -c {command}", TransportError::Missing(HOST)),
            ("ssh '{host} {command}", TransportError::Quotes),
            ("", TransportError::NoProgram),
            ("{host} {command}", TransportError::NoProgram),
        ] {
            assert_eq!(Transport::template(text), Err(error), "{text}");
        }
    }
}
