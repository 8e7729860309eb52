//! Hosts whose answers are reduced by MPI on the hosts themselves, where the user wants it. Who has no part in it is asked as without: nothing that fails here costs more than a third of the time that a look has.

use crate::host_args::{HostArgs, Reduce};
use crate::sent_probe::named_or_beside;
use cluster::{Asked, Launch, Loss, Reduction, Transport};
use nodes::{Found, NodeId};
use project::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is to be started, as the user says.
pub(crate) struct WantedReduction {
    reducer: PathBuf,
    launch: Result<Launch, String>,
    patience: Duration,
}

impl WantedReduction {
    /// `None` where none is wanted.
    ///
    /// # Errors
    /// The user has named what cannot be started.
    pub(crate) fn of(
        args: &HostArgs,
        transport: &Transport,
        launcher: Option<u32>,
    ) -> Result<Option<Self>, Failure> {
        let Some(Reduce::Mpi) = args.reduce else {
            return Ok(None);
        };
        let reducer = reducer(args.reducer.as_deref())?;
        let patience = args.deadline / 3;
        let launch = match (&args.mpirun, transport) {
            (Some(text), _) => {
                let named = Launch::of_text(text, patience);
                Ok(named
                    .map_err(|error| Failure::new(format!("--mpirun '{}': {error}", base::clean(text))))?)
            }
            (None, Transport::Slurm(job)) => Ok(Launch::Slurm(*job)),
            (None, Transport::Launcher(launch)) => Ok(launch.clone()),
            (None, Transport::Ssh | Transport::Clush | Transport::Flux(_) | Transport::Template(_)) => {
                let program = launcher.and_then(program_of);
                let program = program.unwrap_or_else(|| "mpirun".to_owned());
                Launch::known(vec![program], patience).map_err(|error| error.to_string())
            }
        };
        Ok(Some(WantedReduction {
            reducer,
            launch,
            patience,
        }))
    }

    /// Starts it on these hosts, and asks them for their tasks.
    ///
    /// # Errors
    /// They do not answer together, and why.
    pub(crate) fn start(self, asked: &BTreeMap<NodeId, Asked>) -> Result<Together, String> {
        let launch = self.launch.map_err(|why| apart(&why))?;
        let program = launch.program().to_owned();
        let hint = match launch {
            Launch::Slurm(_) => {
                "; SLURM_MPI_TYPE names one of `srun --mpi=list`, by which Slurm starts programs of MPI"
            }
            Launch::Known { .. } | Launch::Template(_) => "",
        };
        let not_together = |loss: &Loss| apart(&format!("{}{hint}", said(&program, loss)));
        let reduction = Reduction::start(&launch, &self.reducer, asked, self.patience);
        let mut reduction = reduction.map_err(|loss| not_together(&loss))?;
        let found = reduction.found().map_err(|loss| not_together(&loss))?;
        Ok(Together {
            reduction,
            found,
            program,
        })
    }
}

/// Hosts that answer together.
pub(crate) struct Together {
    pub(crate) reduction: Reduction,
    /// What each of them has found.
    pub(crate) found: BTreeMap<NodeId, Found>,
    program: String,
}

impl Together {
    /// How many they are, and how they were reached.
    pub(crate) fn how(&self) -> String {
        let program = base::clean(&self.program);
        match self.found.len() {
            1 => format!("1 host is asked through MPI, by {program}"),
            several => format!("{several} hosts are asked together, through MPI, by {program}"),
        }
    }

    /// Whether a host is one of them.
    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.found.contains_key(&node)
    }

    /// These hosts are among them no longer; what the user should know of that.
    pub(crate) fn leave(&mut self, nodes: &BTreeSet<NodeId>) -> Option<String> {
        self.found.retain(|node, _| !nodes.contains(node));
        (!nodes.is_empty()).then(|| {
            let count = nodes.len();
            format!("{count} of the hosts whose answers are reduced by MPI did not answer there in time, and were asked one by one")
        })
    }

    /// That they answer together no longer.
    pub(crate) fn ended(&self, loss: &Loss) -> String {
        apart(&said(&self.program, loss))
    }
}

fn apart(why: &str) -> String {
    format!("the answers were not reduced by MPI ({why}): the hosts were asked one by one")
}

/// What became of what a launcher has started.
fn said(program: &str, loss: &Loss) -> String {
    let program = base::clean(program);
    match loss {
        Loss::NotStarted { .. } => loss.to_string(),
        Loss::Ended { said, .. } if said.is_empty() => format!("{program} has ended"),
        Loss::Ended { said, .. } => format!("{program} has ended: {}", base::clean(said)),
        _ => format!("{program}: {loss}"),
    }
}

/// The file of a launcher.
fn program_of(launcher: u32) -> Option<String> {
    let file = std::fs::read_link(format!("/proc/{launcher}/exe")).ok()?;
    file.into_os_string().into_string().ok()
}

/// The program that is started on the hosts.
fn reducer(named: Option<&Path>) -> Result<PathBuf, Failure> {
    const NAME: &str = "hindmost-reducer";
    let path = named_or_beside(named, NAME)?;
    // A launcher would look for a name without a directory in PATH, and for a relative one elsewhere.
    path.canonicalize().ok().filter(|path| path.is_file()).ok_or_else(|| {
        Failure::new(format!("{}: there is no such program", path.display())).hint(format!(
            "hindmost build-reducer --mpicc mpicc -o {NAME} makes it, in a directory that the hosts share; --reducer FILE names it"
        ))
    })
}
