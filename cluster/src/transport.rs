//! How a command line comes to run on a host with its standard streams here: by `ssh` as the user has configured it, by the batch system or the launcher of the job, or by whatever program the user names.

use crate::flux::FluxNodes;
use crate::hosts::HostName;
use crate::mpirun::Launch;
use crate::slurm;
use crate::start::Speech;
use std::fmt;
use std::process::Command;
use std::time::Duration;

/// What reaches hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// `ssh`, which asks for nothing: nobody answers for sixty hosts.
    Ssh,
    /// `clush`, as the site has configured it.
    Clush,
    /// A program and its arguments, in which `{host}` and `{command}` stand for the name of the host and for the command line.
    Template(Vec<String>),
    /// `srun`, by a step of our own in the job of this number, beside the steps that it has.
    Slurm(u32),
    /// `flux exec`, by the shells that the job has on its nodes.
    Flux(FluxNodes),
    /// A launcher of MPI, by a job of one process.
    Launcher(Launch),
}

/// How hosts are to be reached, as a user says, before it is known where the job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// By `ssh`.
    Ssh,
    /// By `clush`.
    Clush,
    /// By a step of Slurm in the job.
    Slurm,
    /// By `flux exec` in the job.
    Flux,
    /// By a program that should be a launcher of MPI, with options.
    Launcher(Vec<String>),
    /// By a template.
    Template(Vec<String>),
}

/// Why a text names no way to reach hosts.
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

impl Way {
    /// The ways that have a name of their own.
    pub const NAMES: &str = "ssh, srun, flux, clush";

    /// As a user writes it: one of those that have names, a launcher of MPI, or a template.
    ///
    /// # Errors
    /// It is none of them.
    pub fn of(text: &str) -> Result<Self, TransportError> {
        let words = shlex::split(text).ok_or(TransportError::Quotes)?;
        match &Vec::from_iter(words.iter().map(String::as_str))[..] {
            ["ssh"] => Ok(Way::Ssh),
            ["clush"] => Ok(Way::Clush),
            ["srun"] => Ok(Way::Slurm),
            ["flux"] => Ok(Way::Flux),
            [program, ..]
                if !program.is_empty() && ![HOST, COMMAND].iter().any(|part| text.contains(part)) =>
            {
                Ok(Way::Launcher(words))
            }
            _ => template(words).map(Way::Template),
        }
    }
}

/// The words of a template, one of them with `{host}`, one with `{command}`.
fn template(words: Vec<String>) -> Result<Vec<String>, TransportError> {
    let program = words
        .first()
        .filter(|program| !program.is_empty() && !program.contains('{'));
    program.ok_or(TransportError::NoProgram)?;
    for part in [HOST, COMMAND] {
        if !words.iter().any(|word| word.contains(part)) {
            return Err(TransportError::Missing(part));
        }
    }
    Ok(words)
}

impl Transport {
    /// A template as a user writes it: words as a shell would part them.
    ///
    /// # Errors
    /// It is no such template.
    pub fn template(text: &str) -> Result<Self, TransportError> {
        let words = shlex::split(text).ok_or(TransportError::Quotes)?;
        template(words).map(Transport::Template)
    }

    /// The program, for messages.
    pub fn program(&self) -> &str {
        match self {
            Transport::Ssh => "ssh",
            Transport::Clush => "clush",
            Transport::Slurm(_) => "srun",
            Transport::Flux(_) => "flux exec",
            Transport::Launcher(launch) => launch.program(),
            Transport::Template(words) => words.first().map_or("", String::as_str),
        }
    }

    /// In which form answers come back whole.
    pub(crate) fn speech(&self) -> Speech {
        match self {
            Transport::Clush | Transport::Flux(_) => Speech::Lines,
            Transport::Ssh | Transport::Slurm(_) | Transport::Launcher(_) | Transport::Template(_) => {
                Speech::Bytes
            }
        }
    }

    /// What runs `line`, a command line for a shell, on a host. A connection that is not there after `patience` is given up.
    pub(crate) fn command(&self, host: &HostName, line: &str, patience: Duration) -> Command {
        let in_a_shell = |mut command: Command| {
            command.args(["sh", "-c", line]);
            command
        };
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
            Transport::Clush => {
                let mut command = Command::new("clush");
                // Without the name of the host before each line. What it runs is a line for the shell there, as with ssh.
                command.args(["-N", "-w", host.as_str(), line]);
                command
            }
            Transport::Slurm(job) => in_a_shell(slurm::step(*job, 1, host.as_str(), &["--mpi=none"])),
            Transport::Flux(nodes) => in_a_shell(nodes.on(host)),
            Transport::Launcher(launch) => in_a_shell(launch.on(&[host])),
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
    use crate::mpirun::Family;

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
    fn a_way_is_a_name_a_launcher_or_a_template() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        for (text, way) in [
            ("ssh", Way::Ssh),
            ("srun", Way::Slurm),
            ("flux", Way::Flux),
            (" clush ", Way::Clush),
            ("prterun", Way::Launcher(words("prterun"))),
            (
                "/opt/bin/mpirun --mca a b",
                Way::Launcher(words("/opt/bin/mpirun --mca a b")),
            ),
            (
                "ssh {host} {command}",
                Way::Template(words("ssh {host} {command}")),
            ),
        ] {
            assert_eq!(Way::of(text), Ok(way), "{text}");
        }
        for (text, error) in [
            ("", TransportError::NoProgram),
            ("''", TransportError::NoProgram),
            ("ssh {host}", TransportError::Missing(COMMAND)),
            ("mpirun 'a", TransportError::Quotes),
        ] {
            assert_eq!(Way::of(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_launcher_of_mpi_starts_a_shell_on_one_host() {
        let launch = Launch::Known {
            words: vec!["mpirun".to_owned(), "-v".to_owned()],
            family: Family::OpenMpi,
        };
        let host: HostName = "node1".parse().unwrap();
        let command = Transport::Launcher(launch).command(&host, "true", Duration::from_secs(9));
        assert_eq!(
            words(&command).join(" "),
            "mpirun -v --host node1:1 -np 1 --bind-to none sh -c true"
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
