//! Which map a job needs, told before it is made: that takes as long as it takes, and need not be waited for.

use crate::everywhere::Everywhere;
use crate::output::Terminal;
use project::{Failure, JobMap};
use regular_files::User;
use runtime_probe::{Job, TaskRef};
use std::path::{Path, PathBuf};

/// The programs of a job.
pub(crate) struct WantedMap {
    /// What runs here.
    job: Job,
    /// The programs that run on other hosts, and not here.
    elsewhere: Vec<PathBuf>,
    /// Whose the job is, if that is known.
    user: Option<User>,
}

impl WantedMap {
    /// Of the tasks that run here, and of those on other `hosts`.
    pub(crate) fn of(job: &Job, hosts: Option<&Everywhere>) -> Self {
        let mut elsewhere = hosts.map(Everywhere::programs).unwrap_or_default();
        let is_here = |path: &PathBuf| job.tasks.iter().any(|task| Path::new(&task.executable) == path);
        elsewhere.retain(|path| !is_here(path));
        let user = job.tasks.iter().find_map(TaskRef::user);
        Self {
            job: job.clone(),
            elsewhere,
            user: user.or_else(|| hosts?.user_of_launcher()),
        }
    }

    /// Makes the map, or takes the one that is `given`; of what runs here, or else of what runs elsewhere, as far as that is here as a
    /// file.
    pub(crate) fn made(&self, given: Option<&Path>) -> Result<JobMap, Failure> {
        let terminal = Terminal::new();
        if self.job.tasks.is_empty() {
            return project::map_of_programs(given, &self.elsewhere, self.user.clone(), &terminal);
        }
        let mut found = project::map_of_job(given, &self.job, &terminal)?;
        project::add_programs(&mut found, &self.elsewhere, self.user.clone(), &terminal);
        Ok(found)
    }
}
