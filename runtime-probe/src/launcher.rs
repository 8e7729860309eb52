//! What launchers tell their ranks through the environment, and what launchers are called.

use std::collections::BTreeSet;

/// The size of the largest job that is believed. A larger number is garbage, and to list the ranks that are missing from such a job would take for ever.
pub(crate) const LARGEST: u32 = 1 << 24;

/// The variables of one kind of launcher.
pub(crate) struct LauncherVariables {
    rank: &'static str,
    size: &'static [&'static str],
    /// How many ranks of the job there are on this host.
    here: Option<&'static str>,
}

/// Most specific first: what an MPI sets for its ranks before what a batch system sets for any process.
pub(crate) const KINDS: [LauncherVariables; 7] = [
    LauncherVariables {
        rank: "PMIX_RANK",
        size: &["OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "FLUX_JOB_SIZE"],
        here: Some("OMPI_COMM_WORLD_LOCAL_SIZE"),
    },
    LauncherVariables {
        rank: "OMPI_COMM_WORLD_RANK",
        size: &["OMPI_COMM_WORLD_SIZE"],
        here: Some("OMPI_COMM_WORLD_LOCAL_SIZE"),
    },
    LauncherVariables {
        rank: "PMI_RANK",
        size: &["PMI_SIZE"],
        here: Some("MPI_LOCALNRANKS"),
    },
    LauncherVariables {
        rank: "MV2_COMM_WORLD_RANK",
        size: &["MV2_COMM_WORLD_SIZE"],
        here: Some("MV2_COMM_WORLD_LOCAL_SIZE"),
    },
    LauncherVariables {
        rank: "FLUX_TASK_RANK",
        size: &["FLUX_JOB_SIZE"],
        here: None,
    },
    LauncherVariables {
        rank: "SLURM_PROCID",
        size: &["SLURM_NTASKS"],
        here: None,
    },
    LauncherVariables {
        rank: "RANK",
        size: &["WORLD_SIZE"],
        here: Some("LOCAL_WORLD_SIZE"),
    },
];

impl LauncherVariables {
    /// The rank that an environment gives.
    pub(crate) fn rank(&self, environment: &[u8]) -> Option<u32> {
        number(environment, self.rank)
    }

    /// Whether any process below a batch script has it, rank or not.
    fn is_inherited_from_scripts(&self) -> bool {
        self.rank == "SLURM_PROCID"
    }

    /// The size of the job that an environment gives.
    pub(crate) fn size(&self, environment: &[u8]) -> Option<u32> {
        let size = self.size.iter().find_map(|name| number(environment, name))?;
        (size <= LARGEST).then_some(size)
    }

    /// How many ranks of the job were started on this host, if an environment gives it.
    pub(crate) fn here(&self, environment: &[u8]) -> Option<u32> {
        number(environment, self.here?)
    }
}

/// What of an environment tells of a job. A process may have six megabytes of it, and share them with ten thousand others that we would have to keep.
pub(crate) fn of_jobs(environment: &[u8]) -> Vec<u8> {
    // A number has fewer digits.
    const LONGEST: usize = 64;
    let names = KINDS.iter().flat_map(|kind| {
        std::iter::once(kind.rank)
            .chain(kind.size.iter().copied())
            .chain(kind.here)
    });
    let names: Vec<&str> = names.collect();
    let is_told = |entry: &&[u8]| {
        let name = entry.split(|&byte| byte == b'=').next().unwrap_or_default();
        entry.len() <= LONGEST && names.iter().any(|known| known.as_bytes() == name)
    };
    let told: Vec<&[u8]> = environment
        .split(|&byte| byte == 0)
        .filter(is_told)
        .take(names.len())
        .collect();
    told.join(&0)
}

fn number(environment: &[u8], name: &str) -> Option<u32> {
    environment.split(|&byte| byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        std::str::from_utf8(value).ok()?.parse().ok()
    })
}

/// The job of Slurm that environments say they are of, if all say the same.
pub(crate) fn common_slurm_job(environments: impl Iterator<Item = Vec<u8>>) -> Option<u32> {
    let jobs = environments.map(|environment| number(&environment, "SLURM_JOB_ID"));
    let mut jobs = jobs.collect::<Option<BTreeSet<u32>>>()?.into_iter();
    jobs.next().filter(|_| jobs.next().is_none())
}

/// Whether an environment is that of a rank of a job of Slurm, or of one of its steps. The script of a batch job, and what it starts, have a variable for a rank, too, but no step; and a probe
/// runs in a step of its own.
pub(crate) fn is_rank_of_slurm(environment: &[u8], job: u32, step: Option<u32>) -> bool {
    let own_step = number(environment, "SLURM_STEP_ID");
    let is_probe = environment
        .split(|&byte| byte == 0)
        .filter_map(|entry| entry.strip_prefix(b"SLURM_JOB_NAME="))
        .any(|name| name == nodes::OWN_STEP.as_bytes());
    let kind = KINDS.iter().find(|kind| kind.rank(environment).is_some());
    let is_rank = kind.is_some_and(|kind| own_step.is_some() || !kind.is_inherited_from_scripts());
    let is_meant = step.is_none_or(|step| own_step == Some(step));
    number(environment, "SLURM_JOB_ID") == Some(job) && is_rank && is_meant && !is_probe
}

/// Whether a command name is that of a known launcher.
pub(crate) fn is_launcher(command: &str) -> bool {
    const LAUNCHERS: [&str; 14] = [
        "mpirun",
        "mpiexec",
        "mpiexec.hydra",
        "mpirun.openmpi",
        "mpirun.mpich",
        "orterun",
        "prterun",
        "prun",
        "hydra_pmi_proxy",
        "srun",
        "aprun",
        "jsrun",
        "torchrun",
        "flux",
    ];
    // The kernel cuts command names at 15 bytes.
    LAUNCHERS
        .iter()
        .any(|name| name[..name.len().min(15)] == *command)
        || ["mpiexec.", "mpirun."]
            .iter()
            .any(|start| command.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_matched_whole() {
        let environment = b"XPMI_RANK=9\0PMI_RANK_=8\0PMI_RANK=7\0PMI_SIZE=x\0";
        assert_eq!(number(environment, "PMI_RANK"), Some(7));
        assert_eq!(number(environment, "PMI_SIZE"), None);
    }

    #[test]
    fn a_job_of_billions_is_garbage() {
        let size = |text: &[u8]| KINDS[1].size(text);
        assert_eq!(size(b"OMPI_COMM_WORLD_SIZE=16777216"), Some(LARGEST));
        assert_eq!(size(b"OMPI_COMM_WORLD_SIZE=4294967295"), None);
    }

    #[test]
    fn only_what_tells_of_jobs_is_kept() {
        let long = format!(
            "A={}\0PMI_RANK=3\0PMI_RANKS=9\0PMI_SIZE=4\0RANK={}",
            "x".repeat(1000),
            "1".repeat(100)
        );
        assert_eq!(of_jobs(long.as_bytes()), b"PMI_RANK=3\0PMI_SIZE=4");
        let again = "RANK=1\0".repeat(100_000);
        assert!(of_jobs(again.as_bytes()).len() < 1000);
    }

    /// What each launcher gives its ranks, as its documentation has it or a run has shown.
    #[test]
    fn every_launcher_tells_rank_and_size() {
        let cases: [(&str, &[&str]); 8] = [
            (
                "Open MPI 4",
                &["OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "PMIX_RANK=3"],
            ),
            ("Open MPI 5, PMIx", &["PMIX_RANK=3", "OMPI_COMM_WORLD_SIZE=8"]),
            (
                "MPICH and Intel MPI",
                &["PMI_RANK=3", "PMI_SIZE=8", "MPI_LOCALRANKID=1"],
            ),
            ("MVAPICH2", &["MV2_COMM_WORLD_RANK=3", "MV2_COMM_WORLD_SIZE=8"]),
            ("Slurm", &["SLURM_PROCID=3", "SLURM_NTASKS=8", "SLURM_LOCALID=0"]),
            (
                "Slurm with PMIx",
                &["PMIX_RANK=3", "SLURM_PROCID=3", "SLURM_NTASKS=8"],
            ),
            ("Flux", &["FLUX_TASK_RANK=3", "FLUX_JOB_SIZE=8"]),
            ("torchrun", &["RANK=3", "WORLD_SIZE=8", "LOCAL_RANK=1"]),
        ];
        for (name, variables) in cases {
            let environment = variables.join("\0").into_bytes();
            let found = KINDS
                .iter()
                .find_map(|kind| Some((kind.rank(&environment)?, kind.size(&environment))));
            assert_eq!(found, Some((3, Some(8))), "{name}");
        }
    }

    #[test]
    fn some_launchers_tell_how_many_ranks_are_here() {
        for variables in [
            "PMIX_RANK=3\0OMPI_COMM_WORLD_LOCAL_SIZE=4",
            "PMI_RANK=3\0MPI_LOCALNRANKS=4",
            "RANK=3\0LOCAL_WORLD_SIZE=4",
        ] {
            let environment = variables.as_bytes();
            let mut kinds = KINDS.iter().filter(|kind| kind.rank(environment) == Some(3));
            assert_eq!(
                kinds.next().and_then(|kind| kind.here(environment)),
                Some(4),
                "{variables}"
            );
        }
    }

    #[test]
    fn ranks_of_a_job_of_slurm_are_neither_its_script_nor_a_probe() {
        let is_rank = |step: Option<u32>, text: &str| is_rank_of_slurm(text.as_bytes(), 7, step);
        let ranks = "SLURM_JOB_ID=7\0SLURM_PROCID=0\0SLURM_STEP_ID=3\0SLURM_JOB_NAME=app";
        assert!(is_rank(None, ranks) && is_rank(Some(3), ranks) && !is_rank(Some(2), ranks));
        // What mpirun starts in a batch script has no step.
        assert!(is_rank(None, "SLURM_JOB_ID=7\0SLURM_PROCID=0\0PMIX_RANK=2"));
        for other in [
            "SLURM_JOB_ID=7\0SLURM_PROCID=0",
            "SLURM_JOB_ID=8\0SLURM_PROCID=0\0SLURM_STEP_ID=3",
            "SLURM_JOB_ID=7\0SLURM_PROCID=0\0SLURM_STEP_ID=3\0SLURM_JOB_NAME=hindmost-probe",
            "SLURM_JOB_ID=7\0SLURM_STEP_ID=3",
        ] {
            assert!(!is_rank(None, other), "{other:?}");
        }
    }

    #[test]
    fn launchers_are_known_by_their_cut_names() {
        assert!(is_launcher("mpiexec.hydra"));
        assert!(is_launcher("hydra_pmi_proxy"));
        assert!(is_launcher("mpirun.openmpi"));
        assert!(!is_launcher("mpi_app"));
    }
}
