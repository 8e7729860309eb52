//! What is known of how stacks were taken, and changes what an answer may claim.

use crate::recorded::Waiting;
use crate::{Answer, MapUsed, NoMap};
use base::RankSet;
use snapshot::Task;

/// How the stacks of an answer were taken.
#[derive(Clone, Debug, Default)]
pub struct Circumstances<'a> {
    /// No thread was read but the main ones.
    pub main_threads_alone: bool,
    /// Nobody has asked who moved: the answer makes use of it and says nothing of it.
    pub silent_of_motion: bool,
    /// Ranks that have ended.
    pub ended: RankSet,
    /// Why there is no map.
    pub no_map: Option<&'a NoMap>,
    /// Which map there is.
    pub map: Option<MapUsed>,
    /// The tasks are no ranks of a parallel job, as far as their environments tell.
    pub no_job: bool,
    /// The programs of the tasks are not the same.
    pub several_programs: bool,
    /// Who waits for whom, where the tasks have recorded it.
    pub waiting: Option<Waiting>,
    /// What the user should know besides.
    pub warnings: Vec<String>,
}

impl Circumstances<'_> {
    /// What the tasks say themselves, of a job that runs or of one that was recorded.
    pub fn of(tasks: &[Task], is_live: bool) -> Self {
        let mut programs = tasks.windows(2).map(|two| two[0].program != two[1].program);
        Self {
            // What was recorded need not say which rank it was.
            no_job: is_live && tasks.iter().all(|task| task.rank.is_none()),
            several_programs: programs.any(|differ| differ),
            ..Self::default()
        }
    }
}

impl Answer {
    /// Takes account of how the stacks were taken.
    pub fn under(&mut self, circumstances: Circumstances<'_>) {
        if circumstances.main_threads_alone && self.rests_on_mpi() {
            let clause = "no thread but the main ones, which alone were read, calls MPI";
            self.assumptions.push(clause.to_owned());
        }
        if circumstances.silent_of_motion {
            self.motion = None;
        }
        self.map = circumstances.map;
        self.explain_ended(&circumstances.ended);
        if let Some(why) = circumstances.no_map {
            self.explain_no_map(why);
            if circumstances.no_job && circumstances.several_programs {
                self.explain_no_map(&NoMap {
                    reason: "these are no ranks of a parallel job, as far as their environments tell, and run different programs"
                        .to_owned(),
                    remedy: None,
                });
            }
        }
        if let Some(waiting) = circumstances.waiting {
            self.beside_recordings(waiting);
        }
        self.warnings.extend(circumstances.warnings);
    }
}
