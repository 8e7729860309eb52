//! What was seen of a job, wherever it comes from, and what follows from it: commands differ in when they look and in what they print.

use crate::failure::Failure;
use crate::files::SourceFinder;
use crate::findings::{self, Wish, advise};
use crate::job_map::JobMap;
use crate::tasks::Tasks;
use base::RankSet;
use engine::recorded::Waiting;
use engine::traces::Process;
use engine::{
    Analysis, Circumstances, Earlier, Explanation, Findings, NextStep, OfProgram, OrderedTree, Origin,
    Outcome, TaskSet, Witness,
};
use snapshot::{Header, Task};

/// What was seen of a job.
pub struct Seen {
    /// What the look says of itself.
    pub header: Header,
    /// Its tasks.
    pub records: Tasks,
    /// What was seen before that, for a tree over time.
    pub samples: Vec<Vec<Task>>,
    /// Ranks of which nothing was seen.
    pub missing: RankSet,
    /// Those of them that have ended.
    pub ended: RankSet,
    /// What the user should know about it.
    pub notes: Vec<String>,
    /// Who waits for whom, where its tasks have recorded their calls of MPI.
    pub waiting: Option<Waiting>,
    /// What its tasks have called, where they are traced.
    pub traced: Vec<Process>,
}

/// How a job was looked at.
#[derive(Clone, Copy, Debug)]
pub struct LookedAt {
    /// Whether it runs.
    pub origin: Origin,
    /// No thread was read but the main ones.
    pub main_threads_alone: bool,
    /// Nobody has asked who moved.
    pub silent_of_motion: bool,
}

impl Seen {
    /// What is wished for, with what to do next.
    ///
    /// # Errors
    /// The user has named a task that there is not.
    pub fn findings<'a>(
        &'a self,
        found: &'a JobMap,
        earlier: Option<Earlier<'a>>,
        wish: &Wish<'_>,
        how: LookedAt,
        finder: &SourceFinder,
    ) -> Result<Findings<'a>, Failure> {
        let analysis = self
            .records
            .analysis(&found.map, self.missing.clone())
            .since(earlier)
            .after(&self.samples);
        let mut findings = findings::of(analysis, wish)?;
        if let Some(names) = wish.explain {
            let apart = found
                .others
                .iter()
                .find_map(|other| self.explained_by(other, names));
            findings.explanation = apart.or(findings.explanation);
        }
        if findings.tree.is_some() {
            findings.seen.clone_from(&self.header);
        }
        let circumstances = Circumstances::of(&self.records, how.origin == Origin::Live);
        let is_no_job = circumstances.no_job;
        if let Some(answer) = &mut findings.answer {
            answer.under(Circumstances {
                main_threads_alone: how.main_threads_alone,
                silent_of_motion: how.silent_of_motion,
                ended: self.ended.clone(),
                no_map: found.none.as_ref(),
                map: found.used.clone(),
                waiting: self.waiting.clone(),
                warnings: found.warnings.iter().chain(&self.notes).cloned().collect(),
                ..circumstances
            });
        }
        if let Some(answer) = &mut findings.answer
            && let Some(finding) = &answer.finding
            && !self.traced.is_empty()
        {
            let ranks = Vec::from_iter(finding.who.ranks.iter());
            answer.way = engine::traces::parted(self.traced.clone(), &ranks);
        }
        if let Some(answer) = &mut findings.answer {
            answer.programs = found
                .others
                .iter()
                .filter_map(|other| self.of_program(other))
                .collect();
        }
        advise(&mut findings, how.origin, finder);
        if is_no_job
            && let Some(answer) = &mut findings.answer
            && let Outcome::NotPlaced | Outcome::NothingReadable = answer.outcome
            && let Some((pid, command)) = runtime_probe::launchers().into_iter().next()
        {
            answer.next = Some(NextStep::OtherJob { pid, command });
        }
        Ok(findings)
    }

    /// The tasks that run another program.
    fn tasks_of(&self, other: &JobMap) -> Vec<Task> {
        let Some(binding) = &other.map.binding else {
            return Vec::new();
        };
        let build = engine::build_id_text(&binding.build_id);
        let own = self.records.iter().filter(|task| task.build == build);
        own.cloned().collect()
    }

    /// How two tasks stand to each other that both run another program.
    fn explained_by(&self, other: &JobMap, names: &[String]) -> Option<Explanation> {
        let own = self.tasks_of(other);
        let apart = Analysis::new(&other.map, &own, RankSet::default());
        let [a, b] = names else { return None };
        Some(apart.explain(apart.find(a)?, apart.find(b)?))
    }

    /// What is known of the tasks of another program among themselves.
    fn of_program(&self, other: &JobMap) -> Option<OfProgram> {
        let own = self.tasks_of(other);
        let program = own.first()?.program.to_string();
        let mut answer = Analysis::new(&other.map, &own, RankSet::default()).answer();
        // What MPI and the states of tasks say is said of the whole job: here it would be of a part that counts as all of it.
        answer.awaited = None;
        answer.finding = answer.finding.filter(|finding| finding.by == Witness::Order);
        answer.under(Circumstances {
            map: other.used.clone(),
            silent_of_motion: true,
            warnings: other.warnings.clone(),
            ..Circumstances::default()
        });
        Some(OfProgram { program, answer })
    }

    /// All tasks of a tree on the one host that the snapshot names, if it names one.
    pub fn on_one_host(&self, tree: &OrderedTree) -> Vec<(String, TaskSet)> {
        if self.header.host.is_empty() {
            return Vec::new();
        }
        let root = tree.nodes.first();
        let everyone = root.map(|root| root.tasks.clone()).unwrap_or_default();
        let missing = if tree.names.are_ranks() {
            self.missing.iter().collect()
        } else {
            TaskSet::default()
        };
        vec![(self.header.host.clone(), everyone.difference(&missing))]
    }
}
