//! Recorded stacks and a map to an answer.

use crate::alike::{KindId, Like, LookedUpId, Turn};
use crate::answer::{
    Activity, Answer, Finding, FirstTask, Hindmost, Link, Outcome, Position, TaskClass, UndecidedPair,
    Unreadable, Witness,
};
use crate::awaited::Awaited;
use crate::motion::{self, Before, ClassMotion, Earlier, JobMotion};
use crate::named::Named;
use crate::outside::{self, OutsideGroup, WithoutPlace};
use crate::stacks::LookedUp;
use crate::state::ClassState;
use crate::waits::{self, Member, NotEntered};
use crate::{
    CallView, FrameView, Relation, Who, advice, awaited, blocking, counterparts, finding, frames, mpi,
    parting, state, threads,
};
use base::RankSet;
use progress::{Classes, Located, Obstacle, Order, Verdict};
use progress_map::Map;
use snapshot::Task;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether an answer that was made of a few tasks of each kind says all that there is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// It is that of all tasks.
    All,
    /// Something is told by tasks that have no record.
    NotAll,
}

/// What the tasks of a job come to, which the order has looked up.
pub(crate) fn assemble<'a>(
    (order, looked_up): (Order<'a>, LookedUp),
    tasks: &'a [Task],
    named: Arc<Named>,
    (missing_ranks, earlier): (RankSet, Option<Earlier<'a>>),
) -> (Answer, Told) {
    let (job, others) = JobView::of((order, looked_up), tasks, named, (&missing_ranks, earlier));
    let outside = outside::groups(&others);
    let (classes, unreadable) = job.listed(&outside);
    let outcome = match job.outcome() {
        Outcome::NothingReadable if !classes.is_empty() => Outcome::NotPlaced,
        other => other,
    };
    let undecided = job.undecided();
    let halted = state::halted(tasks, &|tasks| job.named.who(tasks.iter().copied()));
    let motion = earlier.map(|earlier| motion::of(&job, earlier, &outside));
    let members = job.members(&outside);
    let has_moved = |class: usize| {
        let motion = motion.as_ref().and_then(|motion| motion.classes.get(class));
        motion.is_some_and(ClassMotion::has_moved)
    };
    let not_entered = if job.is_of_one_moment() {
        waits::not_entered(&job, &members, &has_moved)
    } else {
        Vec::new()
    };
    let finding = finding::of(
        &job,
        &classes,
        &halted,
        (&members, &not_entered),
        (outcome, &undecided),
    );
    let waiting = finding.as_ref().filter(|_| job.is_of_one_moment());
    let waiting =
        waiting.and_then(|finding| awaited::begun(&job, &members, &not_entered, &has_moved, finding));
    // A record that stands for many ranks does not tell whom each of them waits for, nor which process each of them is.
    let is_each_alone = |other: &WithoutPlace<'_>| job.named.weight(other.task) == 1;
    let told = if job.named.are_single() || waiting.is_none() && others.iter().all(is_each_alone) {
        Told::All
    } else {
        Told::NotAll
    };
    let awaited = waiting.filter(|_| job.named.are_single());
    let awaited = awaited.and_then(awaited::Waiting::followed);
    let mut warnings = job.partial_functions();
    warnings.extend(job.gone_past(&classes, &not_entered));
    let assumptions = job.taken_for_granted(finding.as_ref(), awaited.as_ref(), motion.as_ref());
    let excerpts = job.excerpts(&classes, finding.as_ref());
    let answer = Answer {
        tasks: job.total,
        finding,
        awaited,
        outcome,
        hindmost: job
            .hindmost_classes()
            .iter()
            .map(|&class| job.hindmost(class))
            .collect(),
        halted,
        undecided,
        unreadable,
        missing_ranks,
        ended_ranks: RankSet::default(),
        hosts: Vec::new(),
        map: None,
        programs: Vec::new(),
        assumptions,
        warnings,
        excerpts,
        classes,
        motion,
        waiting: None,
        way: None,
        next: None,
    };
    (answer, told)
}

pub(crate) fn first_task(task: &Task) -> FirstTask {
    FirstTask {
        rank: task.rank,
        pid: task.pid,
        host: task.host.to_string(),
    }
}

/// Everything that the parts of the answer are made from.
pub(crate) struct JobView<'a> {
    pub(crate) map: &'a Map,
    pub(crate) order: Order<'a>,
    /// The tasks that take part in the order.
    pub(crate) tasks: Vec<&'a Task>,
    /// What each of them is like.
    pub(crate) likes: Vec<Like>,
    /// How many kinds of tasks there are.
    pub(crate) kinds: usize,
    /// What was looked up of them in the map, by [`Like::looked_up`].
    located: Vec<Located>,
    pub(crate) classes: Classes,
    named: Arc<Named>,
    /// How many tasks were given.
    total: usize,
    /// No task is missing, unreadable or outside of the order.
    pub(crate) is_whole: bool,
    /// How many of the tasks have no place in the order, and nothing of their stacks was seen.
    pub(crate) unseen: usize,
    /// No task is missing, and of each something of its stack was seen.
    pub(crate) is_complete: bool,
    /// The tasks at an earlier moment, if there was a look then.
    before: Before<'a>,
    /// For each candidate, the classes that some chain of `Before` puts ahead of it.
    reached: Vec<Vec<usize>>,
}

/// Chains through other classes are looked for among so many classes; among more, almost all pairs speak for themselves.
const FEW: usize = 400;

/// For each class that is a candidate, the classes that some chain of `Before` puts ahead of it; empty for the others.
fn reached(order: &Order<'_>, located: &[Located], classes: &Classes) -> Vec<Vec<usize>> {
    let count = classes.classes.len();
    let mut reached = vec![Vec::new(); count];
    if count > FEW {
        return reached;
    }
    for &candidate in &classes.minimal {
        let mut is_reached = vec![false; count];
        let mut work = vec![candidate];
        while let Some(at) = work.pop() {
            for (next, seen) in is_reached.iter_mut().enumerate() {
                let is_ahead = || classes.verdict(order, located, at, next).relation == Relation::Before;
                if !*seen && next != at && is_ahead() {
                    *seen = true;
                    work.push(next);
                    reached[candidate].push(next);
                }
            }
        }
    }
    reached
}

/// What was looked up and has a place in the order; and of all where it is there, or why it has none.
fn with_place(located: Vec<Located>) -> (Vec<Located>, Vec<Result<LookedUpId, Obstacle>>) {
    let (mut with_place, mut places) = (Vec::new(), Vec::new());
    for located in located {
        places.push(match located.obstacle.clone() {
            Some(obstacle) => Err(obstacle),
            None => {
                with_place.push(located);
                Ok(LookedUpId::new(with_place.len() - 1))
            }
        });
    }
    (with_place, places)
}

/// The classes of those that were looked up, as classes of all tasks.
fn of_all_tasks(mut classes: Classes, likes: &[Like]) -> Classes {
    let mut class_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, class) in classes.classes.iter_mut().enumerate() {
        let members = std::mem::take(&mut class.members);
        class_of.extend(members.into_iter().map(|looked_up| (looked_up, number)));
    }
    let class_of = Vec::from_iter(class_of.into_values());
    for (at, like) in likes.iter().enumerate() {
        classes.classes[class_of[like.looked_up.index()]].members.push(at);
    }
    classes
}

impl<'a> JobView<'a> {
    /// The tasks that have a place in the order, and the others with the reason. A task that could not be looked up has none.
    fn of(
        (order, LookedUp { alike, located }): (Order<'a>, LookedUp),
        tasks: &'a [Task],
        named: Arc<Named>,
        (missing_ranks, earlier): (&RankSet, Option<Earlier<'a>>),
    ) -> (Self, Vec<WithoutPlace<'a>>) {
        let (mut located, places) = with_place(located);
        let mut placed: Vec<&Task> = Vec::new();
        let mut likes: Vec<Like> = Vec::new();
        let mut others: Vec<WithoutPlace<'_>> = Vec::new();
        for (task, &like) in tasks.iter().zip(&alike.likes) {
            match &places[like.looked_up.index()] {
                Ok(looked_up) => {
                    placed.push(task);
                    likes.push(Like {
                        looked_up: *looked_up,
                        ..like
                    });
                }
                Err(obstacle) => others.push(WithoutPlace {
                    task,
                    reason: obstacle.of_task(&task.task).to_string(),
                    like,
                }),
            }
        }
        progress::settle_code(&order, &mut located);
        let mut classes = progress::classify(&order, &located);
        if order.is_of_code_alone() && (classes.hindmost().is_empty() || !others.is_empty()) {
            // What the code alone tells is worth something only if it names somebody: otherwise the stacks say more.
            let reason =
                |task: &Task| format!("no function on the stack of task {} is in the map", task.task);
            let other = |(task, &like): (&'a Task, &Like)| WithoutPlace {
                task,
                reason: task.error.clone().unwrap_or_else(|| reason(task)),
                like,
            };
            others = Vec::from_iter(tasks.iter().zip(&alike.likes).map(other));
            (placed, likes, located) = (Vec::new(), Vec::new(), Vec::new());
            classes = progress::classify(&order, &located);
        }
        let reached = reached(&order, &located, &classes);
        let unseen = others.iter().filter(|other| other.task.frames.is_empty());
        let unseen = unseen.count();
        let job = Self {
            map: order.map(),
            tasks: placed,
            reached,
            order,
            classes: of_all_tasks(classes, &likes),
            likes,
            kinds: alike.kinds,
            located,
            total: named.count(tasks),
            named,
            is_whole: others.is_empty() && missing_ranks.is_empty(),
            unseen,
            is_complete: missing_ranks.is_empty() && unseen == 0,
            before: Before::of(earlier.map_or(&[], |earlier| earlier.tasks)),
        };
        (job, others)
    }

    /// The classes as the answer lists them, those outside of the order last; and the records of the tasks in the latter.
    fn listed(&self, outside: &[OutsideGroup<'_>]) -> (Vec<TaskClass>, Vec<Unreadable>) {
        let ordered = 0..self.classes.classes.len();
        let mut classes = Vec::from_iter(ordered.map(|class| self.class(class)));
        let mut unreadable = Vec::new();
        for group in outside {
            let class = group.stack.as_ref().map(|_| classes.len());
            classes.extend(self.class_outside(group));
            for other in &group.tasks {
                unreadable.extend(self.named.unreadable(other.task, &other.reason, class));
            }
        }
        (classes, unreadable)
    }

    /// What the answer takes for granted, as clauses: for the order, and for what MPI says.
    fn taken_for_granted(
        &self,
        finding: Option<&Finding>,
        awaited: Option<&Awaited>,
        motion: Option<&JobMotion>,
    ) -> Vec<String> {
        let mut assumptions = self.assumptions();
        if let Some(finding) = finding.filter(|finding| finding.by == Witness::Mpi) {
            let stood_still = motion.is_some_and(|motion| {
                let classes = motion.classes.iter().enumerate();
                let mut waiting = classes.filter(|(class, _)| !finding.classes.contains(class));
                waiting.all(|(_, motion)| motion.stood_still())
            });
            assumptions.extend(waits::assumptions(stood_still));
        }
        if awaited.is_some_and(|awaited| awaited.culprit().is_some()) {
            assumptions.push(awaited::ASSUMPTION.to_owned());
        }
        assumptions
    }

    pub(crate) fn first_member(&self, class: usize) -> usize {
        self.classes.classes[class].members[0]
    }

    /// The classes to name. A whole job of one task has its hindmost too; what is left of a larger one may not.
    pub(crate) fn hindmost_classes(&self) -> &[usize] {
        match self.tasks[..] {
            [_] if self.is_whole => &[0],
            _ => self.classes.hindmost(),
        }
    }

    /// Where MPI and the order of the code name different tasks: those who wait for somebody who is ahead of them wait in vain.
    fn gone_past(&self, classes: &[TaskClass], not_entered: &[NotEntered]) -> Vec<String> {
        let ordered = self.classes.classes.len();
        let is_ahead = |fact: &&NotEntered| {
            fact.certainty == waitgraph::Certainty::Proven
                && fact.who.max(fact.whom) < ordered
                && self.reason(fact.whom, fact.who).0 == Relation::Before
        };
        let sentences = not_entered.iter().filter(is_ahead).filter_map(|fact| {
            let Activity::Blocked(call) = &classes.get(fact.whom)?.position.activity else {
                return None;
            };
            Some(format!(
                "{} in {call} cannot leave before {} has entered it, which is ahead and has gone past that call without entering it",
                self.who(fact.whom),
                self.who(fact.who),
            ))
        });
        sentences.collect()
    }

    /// The members of the classes, in the order in which the answer lists them.
    fn members<'v>(&'v self, outside: &[OutsideGroup<'v>]) -> Vec<Vec<Member<'v>>> {
        let is_of_source = !self.order.is_of_code_alone();
        let member = |&at: &usize| -> Member<'v> {
            Member {
                task: self.tasks[at],
                located: is_of_source.then(|| self.located(at)),
                like: self.likes[at],
            }
        };
        let ordered = self.classes.classes.iter();
        let mut classes: Vec<Vec<Member<'_>>> =
            Vec::from_iter(ordered.map(|class| class.members.iter().map(member).collect()));
        for group in outside.iter().filter(|group| group.stack.is_some()) {
            let member = |other: &&WithoutPlace<'v>| Member {
                task: other.task,
                located: None,
                like: other.like,
            };
            classes.push(group.tasks.iter().map(member).collect());
        }
        classes
    }

    /// Whether a record stands for one moment of one task, so that ranks tell tasks.
    fn is_of_one_moment(&self) -> bool {
        self.named.are_of_one_moment()
    }

    /// How class `a` stands to class `b` by the order of the code; `None` if one of them has no place in it.
    pub(crate) fn relation(&self, a: usize, b: usize) -> Option<Relation> {
        (a.max(b) < self.classes.classes.len()).then(|| self.reason(a, b).0)
    }

    /// How messages name some tasks.
    pub(crate) fn who_of<'t>(&self, tasks: impl IntoIterator<Item = &'t Task>) -> Who {
        self.named.who(tasks)
    }

    /// What a task does at its position.
    pub(crate) fn activity(&self, at: usize) -> Activity {
        if self.order.is_of_code_alone() {
            return outside::stack(self.tasks[at]).position.activity;
        }
        let frames = frames::view(self.map, self.located(at), self.tasks[at]);
        self.position(at, &frames).activity
    }

    /// Where a task that has a place in the order is in the map: as it was looked up for it, or for another task with its stack.
    pub(crate) fn located(&self, at: usize) -> &Located {
        &self.located[self.likes[at].looked_up.index()]
    }

    /// Whatever was looked up: one of every stack at least.
    pub(crate) fn all_located(&self) -> &[Located] {
        &self.located
    }

    /// A task at the earlier moment; several where these had its name.
    pub(crate) fn before(&self, now: &Task) -> impl Iterator<Item = &'a Task> {
        self.before
            .named(&now.task)
            .filter(move |before| before.pid == now.pid)
    }

    /// Where a task stands, and whether it waits there for threads of its own.
    fn position(&self, at: usize, frames: &[FrameView]) -> Position {
        let mut position = frames::position(self.map, self.located(at), frames);
        let entry = frames
            .iter()
            .rposition(|frame| frame.in_map)
            .and_then(|last| frames.get(last + 1));
        if let Some(entry) = entry
            && let Some(name) = blocking::waits_for_threads(&entry.function, entry.module.as_deref())
            && threads::works(&self.order, self.tasks[at])
        {
            position.activity = Activity::Joining(name);
        }
        position
    }

    fn outcome(&self) -> Outcome {
        let classes = &self.classes;
        if !self.hindmost_classes().is_empty() {
            return Outcome::Named;
        }
        match &classes.classes[..] {
            [] => Outcome::NothingReadable,
            [only] if only.members.len() == 1 => Outcome::Alone,
            [only] if only.unordered.is_some() => Outcome::Undecided,
            [_] => Outcome::AllEqual,
            _ if classes.undecided.is_empty() && classes.unfinished.is_none() => Outcome::Branches,
            _ => Outcome::Undecided,
        }
    }

    fn who(&self, class: usize) -> Who {
        let members = self.classes.classes[class]
            .members
            .iter()
            .map(|&at| self.tasks[at]);
        self.named.who(members)
    }

    /// The class of tasks that have no place in the order, if their stack was seen.
    fn class_outside(&self, group: &OutsideGroup<'_>) -> Option<TaskClass> {
        let stack = group.stack.as_ref()?;
        let WithoutPlace {
            task: first, reason, ..
        } = group.tasks.first()?;
        let tasks = Vec::from_iter(group.tasks.iter().map(|other| other.task));
        Some(TaskClass {
            who: self.named.who(tasks.iter().copied()),
            first: Some(first_task(first)),
            position: outside::with_system_call(stack.position.clone(), first),
            frames: stack.frames.clone(),
            is_candidate: false,
            outside: Some(reason.clone()),
            links: Vec::new(),
            unordered: None,
            state: self.state(&tasks),
            calls: Vec::new(),
            threads: Vec::new(),
            threads_behind: Vec::new(),
        })
    }

    /// What the kernel says of tasks, with the processor time that they have used since the earlier moment.
    fn state(&self, tasks: &[&Task]) -> Option<ClassState> {
        let spent_before = |task: &Task| self.before(task).next()?.state.as_ref()?.cpu_ms;
        state::of_class(tasks, &|task| self.named.weight(task), &spent_before)
    }

    fn class(&self, class: usize) -> TaskClass {
        let first = self.first_member(class);
        let located = self.located(first);
        let (mut frames, mut position) = if self.order.is_of_code_alone() {
            let stack = outside::stack(self.tasks[first]);
            let position = outside::with_system_call(stack.position, self.tasks[first]);
            (stack.frames, position)
        } else {
            let frames = frames::view(self.map, located, self.tasks[first]);
            let position = self.position(first, &frames);
            (frames, position)
        };
        let members = &self.classes.classes[class].members;
        let of_each_kind = members.iter().filter(|&&at| self.likes[at].is_first());
        let calls: Vec<Option<CallView>> = of_each_kind
            .map(|&at| mpi::call(self.map, self.located(at), self.tasks[at]))
            .collect();
        position.call = mpi::shared(&calls);
        let others = members.iter().skip(1).copied();
        for other in others.filter(|&at| self.likes[at].turn != Turn::Further) {
            frames::mark_differences(self.map, self.located(other), &mut frames, &mut position);
            let theirs = (self.located(other), self.tasks[other]);
            frames::keep_shared_names(self.map, (located, self.tasks[first]), theirs, &mut frames);
        }
        let innermost = frames.iter().rfind(|frame| frame.in_map);
        if let Some(frame) = innermost {
            position.qualified.clone_from(&frame.qualified);
        }
        let is_candidate = self.classes.minimal.contains(&class);
        let links = if is_candidate {
            Vec::new()
        } else {
            self.classes
                .minimal
                .iter()
                .map(|&other| self.link(other, class, other))
                .collect()
        };
        let tasks = Vec::from_iter(members.iter().map(|&at| self.tasks[at]));
        let with_likes = Vec::from_iter(members.iter().map(|&at| (self.tasks[at], self.likes[at])));
        let unordered = self.classes.classes[class]
            .unordered
            .as_ref()
            .map(ToString::to_string);
        let threads_behind = match position.activity {
            Activity::Joining(_) if unordered.is_none() => {
                counterparts::behind(&self.order, &with_likes, &self.named)
            }
            _ => Vec::new(),
        };
        TaskClass {
            who: self.who(class),
            first: Some(first_task(self.tasks[first])),
            position,
            frames,
            is_candidate,
            outside: None,
            links,
            unordered,
            state: self.state(&tasks),
            calls: self.calls_of(members, calls),
            threads: threads::groups(&self.order, &with_likes, &self.named),
            threads_behind,
        }
    }

    /// The tasks by their calls, those of the first of each kind, in the order of the first of each; nothing when all calls are the same.
    fn calls_of(&self, members: &[usize], calls: Vec<Option<CallView>>) -> Vec<(Who, CallView)> {
        let mut groups: Vec<(CallView, Vec<&Task>)> = Vec::new();
        let mut of_kind: BTreeMap<KindId, usize> = BTreeMap::new();
        let firsts = members
            .iter()
            .map(|&at| self.likes[at])
            .filter(|like| like.is_first());
        for (like, call) in firsts.zip(calls) {
            let Some(call) = call else { return Vec::new() };
            let group = groups.iter().position(|(known, _)| *known == call);
            of_kind.insert(like.kind, group.unwrap_or(groups.len()));
            match group {
                Some(_) => {}
                // Beyond that nobody reads them, and looking them up would take too long.
                None if groups.len() == FEW => return Vec::new(),
                None => groups.push((call, Vec::new())),
            }
        }
        if groups.len() < 2 {
            return Vec::new();
        }
        for &at in members {
            if let Some(&group) = of_kind.get(&self.likes[at].kind) {
                groups[group].1.push(self.tasks[at]);
            }
        }
        groups
            .into_iter()
            .map(|(call, tasks)| (self.named.who(tasks), call))
            .collect()
    }

    fn hindmost(&self, class: usize) -> Hindmost {
        let mut ahead: Vec<Link> = (0..self.classes.classes.len())
            .filter(|&other| other != class)
            .map(|other| self.link(class, other, other))
            .filter(|link| link.relation == Relation::Before)
            .collect();
        // The largest class is where the job is; stable, so the order of the classes breaks ties.
        ahead.sort_by_cached_key(|link| std::cmp::Reverse(self.who(link.other).count()));
        Hindmost { class, ahead }
    }

    /// How `candidate` (a minimal class) stands to `class`; the link is labelled with `other`.
    fn link(&self, candidate: usize, class: usize, other: usize) -> Link {
        let (relation, reason, code) = self.reason(candidate, class);
        if relation != Relation::Unknown && relation != Relation::Incomparable {
            return Link {
                other,
                relation,
                reason,
                reason_code: code,
                parting: parting::of(self, candidate, class),
            };
        }
        // What is behind a class is behind everything ahead of that class, even if the two alone do not tell.
        match self.between(candidate, class) {
            Some(middle) => Link {
                other,
                relation: Relation::Before,
                reason: format!(
                    "behind {}, which is behind {}: {}",
                    self.who(middle),
                    self.who(class),
                    self.reason(middle, class).1
                ),
                reason_code: None,
                parting: None,
            },
            None => Link {
                other,
                relation,
                reason,
                reason_code: code,
                parting: None,
            },
        }
    }

    /// How class `a` stands to class `b`.
    pub(crate) fn verdict(&self, a: usize, b: usize) -> Verdict {
        let first = |class: usize| self.located(self.first_member(class));
        self.order.compare(first(a), first(b))
    }

    /// The relation of class `a` to class `b`, with its reason and the word for it.
    fn reason(&self, a: usize, b: usize) -> (Relation, String, Option<&'static str>) {
        let (first, second) = (a.min(b), a.max(b));
        if first == second {
            return (Relation::Equal, String::new(), None);
        }
        let located = |class| self.located(self.first_member(class));
        let verdict = self.verdict(first, second);
        let reason = progress::sentence(self.map, &verdict, located(first), located(second));
        let relation = if a < b {
            verdict.relation
        } else {
            verdict.relation.reversed()
        };
        (relation, reason, Some(verdict.proof.decided.code()))
    }

    /// The last class of a chain of `Before` that leads from a candidate to another class, if there is one.
    fn between(&self, candidate: usize, class: usize) -> Option<usize> {
        let is_last =
            |&middle: &usize| middle != class && self.verdict(middle, class).relation == Relation::Before;
        self.reached[candidate].iter().copied().find(is_last)
    }

    fn undecided(&self) -> Vec<UndecidedPair> {
        let mut pairs: Vec<UndecidedPair> = Vec::new();
        if let Some(reason) = &self.classes.unfinished {
            pairs.push(UndecidedPair {
                a: 0,
                b: 1,
                reason: reason.to_string(),
                unknown_because: reason.clone(),
                advice: None,
            });
        }
        for &(a, b) in &self.classes.undecided {
            let tasks = (self.first_member(a), self.first_member(b));
            pairs.extend(self.undecided_pair((a, b), tasks));
        }
        if self.outcome() == Outcome::Undecided
            && let [only] = &self.classes.classes[..]
            && let [first, second, ..] = only.members[..]
        {
            pairs.extend(self.undecided_pair((0, 0), (first, second)));
        }
        pairs
    }

    /// Why the order of two classes is not known, as two of their tasks show.
    fn undecided_pair(&self, (a, b): (usize, usize), tasks: (usize, usize)) -> Option<UndecidedPair> {
        let (at_a, at_b) = (self.located(tasks.0), self.located(tasks.1));
        let verdict = self.order.compare(at_a, at_b);
        Some(UndecidedPair {
            a,
            b,
            reason: progress::sentence(self.map, &verdict, at_a, at_b),
            unknown_because: verdict.unknown_because()?.clone(),
            advice: advice::for_unknown(self.map, &verdict, at_a, at_b),
        })
    }
}
