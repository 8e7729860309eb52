//! The object of every question about a job: its tasks at one moment, looked up in the map once.
//!
//! Answers, explanations, comparisons and trees are made of it, and ask the order for nothing twice. Looking tasks up is put off until
//! something needs it: a tree alone goes through the tasks part by part, and a million of them never stand in memory at once.

use crate::alike::Alike;
use crate::assemble::{Told, assemble};
use crate::hosts::{HostRanks, hosts_of};
use crate::motion::Earlier;
use crate::named::Named;
use crate::representatives::Representatives;
use crate::stacks::LookedUp;
use crate::{Answer, Findings, Map, OrderedTree, TreeOptions};
use base::RankSet;
use progress::{Located, Order};
use snapshot::Task;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// The tasks of a job at one moment, with the map that they are held against.
pub struct Analysis<'a> {
    pub(crate) order: Order<'a>,
    pub(crate) tasks: Cow<'a, [Task]>,
    pub(crate) named: Arc<Named>,
    /// The hosts of all tasks, where these are but a few of them.
    hosts: Option<&'a [HostRanks]>,
    /// Ranks of which there is no task at all.
    pub(crate) missing: RankSet,
    /// The tasks as they were at earlier moments, for a tree over time.
    pub(crate) samples: &'a [Vec<Task>],
    /// The earlier stacks, by which the answer tells who went on.
    earlier: Option<Earlier<'a>>,
    looked_up: OnceLock<LookedUp>,
    /// Indices of `tasks`, sorted by name.
    by_name: OnceLock<Vec<usize>>,
}

/// What is wanted of a job.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Its answer.
    pub answer: bool,
    /// How these two tasks, indices that [`Analysis::find`] gives, stand to each other.
    pub explain: Option<(usize, usize)>,
    /// Its tree.
    pub tree: Option<TreeOptions>,
}

impl<'a> Analysis<'a> {
    /// Of tasks, each with a record of its own. `missing` are the ranks of which there is no task at all.
    pub fn new(map: &'a Map, tasks: &'a [Task], missing: RankSet) -> Self {
        Self::of(map, Cow::Borrowed(tasks), Named::of(tasks).into(), missing)
    }

    /// Of a few tasks of each kind, which speak for all: what is answered is what all would come to ([`Analysis::answer_of_all`]).
    pub fn represented(map: &'a Map, job: &'a Representatives, missing: RankSet) -> Self {
        Self {
            hosts: Some(&job.hosts),
            ..Self::of(map, Cow::Borrowed(&job.tasks), Arc::clone(&job.named), missing)
        }
    }

    /// Of stacks that stand for many ranks each, as other tools' files have them: a million tasks with a few hundred stacks
    /// take no longer than a few hundred tasks.
    pub fn alike(map: &'a Map, stacks: &[(Task, RankSet)]) -> Self {
        let (tasks, named) = Named::of_alike(stacks);
        Self::of(map, Cow::Owned(tasks), named.into(), RankSet::default())
    }

    fn of(map: &'a Map, tasks: Cow<'a, [Task]>, named: Arc<Named>, missing: RankSet) -> Self {
        Self {
            order: Order::new(map),
            tasks,
            named,
            hosts: None,
            missing,
            samples: &[],
            earlier: None,
            looked_up: OnceLock::new(),
            by_name: OnceLock::new(),
        }
    }

    /// The same, with the tasks as they were a moment before: the answer also tells who went on since.
    #[must_use]
    pub fn since(mut self, earlier: Option<Earlier<'a>>) -> Self {
        self.earlier = earlier;
        self
    }

    /// The same, with what was seen before it, the first one first: the tree has all of it.
    #[must_use]
    pub fn after(mut self, samples: &'a [Vec<Task>]) -> Self {
        self.samples = samples;
        self
    }

    /// What is wanted, made of tasks that are looked up once.
    pub fn findings(self, wanted: &Wanted) -> Findings<'a> {
        let explanation = wanted.explain.map(|(a, b)| self.explain(a, b));
        if wanted.answer {
            self.looked_up();
        }
        let tree = wanted.tree.as_ref().map(|options| self.ordered_tree(options));
        // What has no rank has no number that would be the same in every tree.
        let hosts = match &tree {
            Some(tree) if tree.names.are_ranks() => self.hosts(),
            _ => Vec::new(),
        };
        let hosts = hosts
            .into_iter()
            .map(|HostRanks { host, ranks }| (host, ranks.iter().collect()));
        let map = self.order.map();
        Findings {
            answer: wanted.answer.then(|| self.answer()),
            explanation,
            tree,
            hosts: hosts.collect(),
            ..Findings::of_map(map)
        }
    }

    /// The hosts of its tasks.
    fn hosts(&self) -> Vec<HostRanks> {
        match self.hosts {
            Some(hosts) => hosts.to_vec(),
            None => hosts_of(&self.tasks),
        }
    }

    /// Who is behind.
    pub fn answer(self) -> Answer {
        self.answered().0
    }

    /// Who is behind, if these tasks tell it of all that they stand for: not where it takes each of them to follow who waits for whom, or to name those that could not be read.
    pub fn answer_of_all(self) -> Option<Answer> {
        let (answer, told) = self.answered();
        (told == Told::All).then_some(answer)
    }

    fn answered(self) -> (Answer, Told) {
        let hosts = self.hosts();
        let looked_up = match self.looked_up.into_inner() {
            Some(looked_up) => looked_up,
            None => LookedUp::of(&self.order, &self.tasks, Alike::of(&self.tasks)),
        };
        let (answer, told) = assemble(
            (self.order, looked_up),
            &self.tasks,
            self.named,
            (self.missing, self.earlier),
        );
        (Answer { hosts, ..answer }, told)
    }

    /// The prefix tree of its stacks, with the order on it.
    pub(crate) fn ordered_tree(&self, options: &TreeOptions) -> OrderedTree {
        self.tree(options).ordered(self.order.map(), options)
    }

    /// The task of that recorded name.
    pub fn named(&self, name: &str) -> Option<usize> {
        let by_name = self.by_name.get_or_init(|| {
            let mut all: Vec<usize> = (0..self.tasks.len()).collect();
            all.sort_by(|&a, &b| self.tasks[a].task.cmp(&self.tasks[b].task));
            all
        });
        let found = by_name.binary_search_by(|&at| self.tasks[at].task.as_str().cmp(name));
        found.ok().map(|at| by_name[at])
    }

    /// The task that a user means: by recorded name, or else by a rank that only one record carries.
    pub fn find(&self, word: &str) -> Option<usize> {
        self.named(word).or_else(|| {
            let rank: u32 = word.parse().ok()?;
            let mut of_rank = (0..self.tasks.len()).filter(|&at| self.tasks[at].rank == Some(rank));
            of_rank.next().filter(|_| of_rank.next().is_none())
        })
    }

    /// The tasks, as they were recorded.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The tasks, looked up.
    pub(crate) fn looked_up(&self) -> &LookedUp {
        self.looked_up
            .get_or_init(|| LookedUp::of(&self.order, &self.tasks, Alike::of(&self.tasks)))
    }

    /// A task, looked up.
    pub(crate) fn located(&self, task: usize) -> Cow<'_, Located> {
        self.looked_up().of_task(&self.tasks, task)
    }

    /// What was looked up for a task, if that has been done: perhaps under the name of another one with its stack.
    pub(crate) fn already_located(&self, task: usize) -> Option<&Located> {
        Some(self.looked_up.get()?.of_stack(task))
    }

    /// The same, with each task looked up for itself.
    #[cfg(test)]
    pub(crate) fn one_by_one(self) -> Self {
        let looked_up = LookedUp::of(&self.order, &self.tasks, Alike::nobody(&self.tasks));
        Self {
            looked_up: OnceLock::from(looked_up),
            ..self
        }
    }
}
