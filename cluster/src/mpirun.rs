//! How the reducer is started on hosts, one process on each, by the launcher of an MPI.

use crate::hosts::HostName;
use crate::printed::{NotPrinted, printed_by};
use crate::slurm;
use base::clean;
use nodes::OWN_ARGUMENT;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What starts a process on each of several hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// A launcher with the options that the user gives, and those that its family has for hosts.
    Known {
        /// The program and its options.
        words: Vec<String>,
        /// Which launcher it is.
        family: Family,
    },
    /// A program and its arguments, in which `{hosts}` and `{count}` stand for the names of the hosts with commas, and their number; the last one is `{program}`, the reducer.
    Template(Vec<String>),
    /// `srun`, in the job of this number, beside the steps that it has.
    Slurm(u32),
}

/// Launchers that name hosts alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Open MPI's `mpirun`, and PRRTE's `prterun`.
    OpenMpi,
    /// Hydra: MPICH's and Intel's `mpiexec`, MVAPICH's.
    Hydra,
}

/// Why it is not known how to start processes.
#[derive(Debug)]
pub enum LaunchError {
    /// The text has a quote that is not closed, or no word.
    Words,
    /// A part is not in the template.
    Missing(&'static str),
    /// The template does not end with the program.
    ProgramNotLast,
    /// The program does not say what it is.
    Silent {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// It says that it is something else than what is known.
    Unknown {
        /// The program.
        program: String,
        /// What it says.
        said: String,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Words => f.write_str("it names no program, or a quote is not closed"),
            LaunchError::Missing(part) => write!(
                f,
                "there is no {part} in it, as in 'mpirun -n {COUNT} -hosts {HOSTS} {PROGRAM}'"
            ),
            LaunchError::ProgramNotLast => write!(f, "{PROGRAM} must be its last word"),
            LaunchError::Silent { program, why } => {
                write!(f, "{} --version: {}", clean(program), clean(why))
            }
            LaunchError::Unknown { program, said } => write!(
                f,
                "{} is no launcher that is known ('{}'): --mpirun 'COMMAND {COUNT} {HOSTS} {PROGRAM}' says how it names hosts",
                clean(program),
                clean(said)
            ),
        }
    }
}

impl std::error::Error for LaunchError {}

const HOSTS: &str = "{hosts}";
const COUNT: &str = "{count}";
const PROGRAM: &str = "{program}";

impl Launch {
    /// As a user writes it: a template, or a launcher with options, which is asked what it is, and has `patience` to say so.
    ///
    /// # Errors
    /// It is neither.
    pub fn of_text(text: &str, patience: Duration) -> Result<Self, LaunchError> {
        let words = shlex::split(text).filter(|words| words.first().is_some_and(|word| !word.is_empty()));
        let words = words.ok_or(LaunchError::Words)?;
        let has = |part: &str| words.iter().any(|word| word.contains(part));
        if !has(HOSTS) && !has(PROGRAM) {
            return Self::known(words, patience);
        }
        match [HOSTS, PROGRAM].into_iter().find(|part| !has(part)) {
            Some(missing) => Err(LaunchError::Missing(missing)),
            None if words.last().is_some_and(|last| last == PROGRAM) => Ok(Launch::Template(words)),
            None => Err(LaunchError::ProgramNotLast),
        }
    }

    /// A launcher with options, which is asked what it is.
    ///
    /// # Errors
    /// It does not say, or is another one than those that are known.
    pub fn known(words: Vec<String>, patience: Duration) -> Result<Self, LaunchError> {
        let Some(program) = words.first().cloned() else {
            return Err(LaunchError::Words);
        };
        let said = printed_by(Command::new(&program).arg("--version"), patience);
        let said = said.map_err(|error| LaunchError::Silent {
            program: program.clone(),
            why: match error {
                NotPrinted::NotStarted(why) => why.to_string(),
                NotPrinted::Late => format!("it did not answer within {} s", patience.as_secs_f64()),
                NotPrinted::Failed(said) => said,
            },
        })?;
        match family(&said) {
            Some(family) => Ok(Launch::Known { words, family }),
            None => Err(LaunchError::Unknown {
                program,
                said: said.lines().next().unwrap_or_default().to_owned(),
            }),
        }
    }

    /// What runs `reducer` once on each of the hosts.
    pub fn command(&self, hosts: &[&HostName], reducer: &Path) -> Command {
        let mut command = self.on(hosts);
        let count = hosts.len().to_string();
        command.args([reducer.as_os_str(), OWN_ARGUMENT.as_ref(), count.as_ref()]);
        command
    }

    /// What runs once on each of the hosts whatever follows it as arguments.
    pub(crate) fn on(&self, hosts: &[&HostName]) -> Command {
        let names = |between: &str, behind: &str| {
            let names = hosts.iter().map(|host| format!("{host}{behind}"));
            Vec::from_iter(names).join(between)
        };
        let count = hosts.len().to_string();
        let mut command;
        match self {
            Launch::Known { words, family } => {
                command = Command::new(words.first().map_or("", String::as_str));
                command.args(&words[1..]);
                match family {
                    // The job has all slots of a host, and is not to lose a processor to us.
                    Family::OpenMpi => command
                        .args(["--host", &names(",", ":1"), "-np", &count])
                        .args(["--bind-to", "none"]),
                    Family::Hydra => command.args(["-hosts", &names(",", ""), "-ppn", "1", "-n", &count]),
                };
            }
            Launch::Template(words) => {
                // A name holds no braces, and so nothing is put in twice but what the user has named himself.
                let put = |word: &String| word.replace(HOSTS, &names(",", "")).replace(COUNT, &count);
                let mut words = words.iter().filter(|word| *word != PROGRAM).map(put);
                command = Command::new(words.next().unwrap_or_default());
                command.args(words);
            }
            Launch::Slurm(job) => {
                // Process 0 alone is spoken to.
                let own = ["--input=0", "--ntasks-per-node=1"];
                command = slurm::step(*job, hosts.len(), &names(",", ""), &own);
            }
        }
        command
    }

    /// Whether it hands on all of its standard input. Hydra's proxy gives up where the program does not take at once what comes (MPICH 4.0: "process reading stdin too slowly").
    pub fn hands_on_input(&self) -> bool {
        match self {
            Launch::Known { family, .. } => *family == Family::OpenMpi,
            Launch::Template(_) | Launch::Slurm(_) => true,
        }
    }

    /// The program, for messages.
    pub fn program(&self) -> &str {
        match self {
            Launch::Known { words, .. } | Launch::Template(words) => words.first().map_or("", String::as_str),
            Launch::Slurm(_) => "srun",
        }
    }
}

/// The family of the launcher that prints this of its version.
fn family(version: &str) -> Option<Family> {
    let says = |words: &[&str]| words.iter().any(|word| version.contains(word));
    if says(&["(Open MPI)", "(OpenRTE)", "(PRRTE)"]) {
        Some(Family::OpenMpi)
    } else if says(&["HYDRA", "Intel(R) MPI"]) {
        Some(Family::Hydra)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(launch: &Launch) -> String {
        let hosts: [HostName; 2] = ["node1", "node2"].map(|name| name.parse().unwrap());
        let command = launch.command(&Vec::from_iter(&hosts), Path::new("/opt/my reducer"));
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        Vec::from_iter(words.map(|word| word.to_string_lossy().into_owned())).join("|")
    }

    #[test]
    fn each_family_names_hosts_its_way() {
        let known = |version: &str| {
            family(version).map(|family| Launch::Known {
                words: vec!["mpirun".to_owned(), "-v".to_owned()],
                family,
            })
        };
        let open = known("mpirun (Open MPI) 4.1.4\n\nReport bugs to …\n").unwrap();
        assert_eq!(
            line(&open),
            "mpirun|-v|--host|node1:1,node2:1|-np|2|--bind-to|none|/opt/my reducer|--hindmost-together|2"
        );
        let hydra = known("HYDRA build details:\n    Version: 4.0.2\n").unwrap();
        assert_eq!(
            line(&hydra),
            "mpirun|-v|-hosts|node1,node2|-ppn|1|-n|2|/opt/my reducer|--hindmost-together|2"
        );
        assert!(known("slurm 22.05.8\n").is_none());
        let slurm = line(&Launch::Slurm(4711));
        assert!(
            slurm.contains("|--input=0|")
                && slurm
                    .ends_with("--jobid=4711|--nodelist=node1,node2|/opt/my reducer|--hindmost-together|2"),
            "{slurm}"
        );
    }

    #[test]
    fn a_template_has_hosts_and_program() {
        let of = |text: &str| Launch::of_text(text, Duration::from_secs(5));
        let own = of("jsrun -n {count} --hosts '{hosts}' {program}").unwrap();
        assert_eq!(
            line(&own),
            "jsrun|-n|2|--hosts|node1,node2|/opt/my reducer|--hindmost-together|2"
        );
        for (text, said) in [
            ("jsrun {hosts}", "there is no {program}"),
            ("jsrun {program}", "there is no {hosts}"),
            ("jsrun {hosts} {program} -x", "{program} must be its last word"),
            ("", "no program"),
            ("'mpirun", "not closed"),
            ("/nowhere/mpirun -x A", "/nowhere/mpirun --version: No such file"),
            ("true", "true is no launcher that is known"),
            ("false", "false --version: exit status: 1"),
        ] {
            let error = of(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
