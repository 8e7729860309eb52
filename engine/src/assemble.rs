//! Recorded stacks and a map to an answer.

use crate::answer::{Answer, Hindmost, Link, Outcome, TaskClass, UndecidedPair, Unreadable};
use crate::{Excerpt, Relation, Who, advice, frames, stacks};
use base::{Confidence, RankSet};
use progress::{Classes, Located, Order};
use progress_map::{FunctionId, Map};
use rayon::prelude::*;
use snapshot::Task;

/// How many source positions are shown with an answer.
const EXCERPTS: usize = 3;

/// Orders the tasks of a job. `missing_ranks` are those of which there is no task at all.
pub fn answer(map: &Map, tasks: &[Task], missing_ranks: RankSet) -> Answer {
    let order = Order::new(map);
    let located: Vec<Located> = tasks
        .par_iter()
        .map(|task| order.locate(&stacks::execution_point(task)))
        .collect();
    let mut readable: Vec<(&Task, Located)> = Vec::new();
    let mut unreadable = Vec::new();
    for (task, located) in tasks.iter().zip(located) {
        match located.obstacle {
            Some(error) => unreadable.push(Unreadable {
                task: task.task.clone(),
                rank: task.rank,
                pid: task.pid,
                error,
            }),
            None => readable.push((task, located)),
        }
    }
    let (readable, located): (Vec<&Task>, Vec<Located>) = readable.into_iter().unzip();
    let job = JobView {
        map,
        tasks: readable,
        classes: progress::classify(&order, &located),
        located,
        shared_ranks: shared_ranks(tasks),
        is_whole: unreadable.is_empty() && missing_ranks.is_empty(),
    };
    Answer {
        tasks: tasks.len(),
        outcome: job.outcome(),
        classes: (0..job.classes.classes.len())
            .map(|class| job.class(class))
            .collect(),
        hindmost: job
            .hindmost_classes()
            .iter()
            .map(|&class| job.hindmost(class))
            .collect(),
        undecided: job.undecided(),
        unreadable,
        missing_ranks,
        assumptions: job.assumptions(),
        warnings: job.partial_functions(),
        excerpts: job.excerpts(),
    }
}

/// Ranks that more than one record carries: several moments of one task.
pub(crate) fn shared_ranks(tasks: &[Task]) -> RankSet {
    let mut ranks: Vec<u32> = tasks.iter().filter_map(|task| task.rank).collect();
    ranks.sort_unstable();
    let shared = ranks
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0]);
    RankSet::from_iter(shared)
}

/// Everything that the parts of the answer are made from.
struct JobView<'a> {
    map: &'a Map,
    /// The tasks that take part in the order.
    tasks: Vec<&'a Task>,
    /// The same, looked up in the map.
    located: Vec<Located>,
    classes: Classes,
    shared_ranks: RankSet,
    /// No task is missing or unreadable.
    is_whole: bool,
}

impl JobView<'_> {
    fn first_member(&self, class: usize) -> usize {
        self.classes.classes[class].members[0]
    }

    /// The classes to name. A whole job of one task has its hindmost too; what is left of a larger one may not.
    fn hindmost_classes(&self) -> &[usize] {
        match self.tasks[..] {
            [_] if self.is_whole => &[0],
            _ => self.classes.hindmost(),
        }
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
            _ if classes.undecided.is_empty() => Outcome::Branches,
            _ => Outcome::Undecided,
        }
    }

    fn who(&self, class: usize) -> Who {
        let members = self.classes.classes[class]
            .members
            .iter()
            .map(|&at| self.tasks[at]);
        Who::new(members, &|rank| self.shared_ranks.contains(rank))
    }

    fn class(&self, class: usize) -> TaskClass {
        let first = self.first_member(class);
        let located = &self.located[first];
        let mut frames = frames::view(self.map, located, self.tasks[first]);
        let mut position = frames::position(self.map, located, &frames);
        for &other in &self.classes.classes[class].members[1..] {
            frames::mark_differences(self.map, &self.located[other], &mut frames, &mut position);
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
        TaskClass {
            who: self.who(class),
            position,
            frames,
            is_candidate,
            links,
            unordered: self.classes.classes[class].unordered.clone(),
        }
    }

    fn hindmost(&self, class: usize) -> Hindmost {
        let mut ahead: Vec<Link> = (0..self.classes.classes.len())
            .filter(|&other| other != class)
            .map(|other| self.link(class, other, other))
            .filter(|link| link.relation == Relation::Before)
            .collect();
        // The largest class is where the job is; stable, so the order of the classes breaks ties.
        ahead.sort_by_key(|link| std::cmp::Reverse(self.classes.classes[link.other].members.len()));
        Hindmost { class, ahead }
    }

    /// How `candidate` (a minimal class) stands to `class`; the link is labelled with `other`.
    fn link(&self, candidate: usize, class: usize, other: usize) -> Link {
        let (relation, reason) = self.reason(candidate, class);
        if relation != Relation::Unknown && relation != Relation::Incomparable {
            return Link {
                other,
                relation,
                reason,
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
            },
            None => Link {
                other,
                relation,
                reason,
            },
        }
    }

    /// The relation of class `a` to class `b`, with its reason.
    fn reason(&self, a: usize, b: usize) -> (Relation, String) {
        let relation = self.classes.relation(a, b);
        let (first, second) = (a.min(b), a.max(b));
        if first == second {
            return (relation, String::new());
        }
        let located = |class| &self.located[self.first_member(class)];
        let verdict = self.classes.verdict(first, second);
        let reason = progress::sentence(self.map, verdict, located(first), located(second));
        (relation, reason)
    }

    /// The last class of a chain of `Before` that leads from `from` to `to`, if there is one.
    fn between(&self, from: usize, to: usize) -> Option<usize> {
        let count = self.classes.classes.len();
        let before = |a, b| self.classes.relation(a, b) == Relation::Before;
        let mut reached = vec![false; count];
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            if at != from && before(at, to) {
                return Some(at);
            }
            for next in 0..count {
                if !reached[next] && before(at, next) {
                    reached[next] = true;
                    work.push(next);
                }
            }
        }
        None
    }

    fn undecided(&self) -> Vec<UndecidedPair> {
        let order = Order::new(self.map);
        let mut pairs: Vec<UndecidedPair> = Vec::new();
        for &(a, b) in &self.classes.undecided {
            let verdict = self.classes.verdict(a, b);
            let (at_a, at_b) = (
                &self.located[self.first_member(a)],
                &self.located[self.first_member(b)],
            );
            pairs.push(UndecidedPair {
                a,
                b,
                reason: progress::sentence(self.map, verdict, at_a, at_b),
                advice: advice::for_unknown(self.map, verdict, at_a, at_b),
            });
        }
        if self.outcome() == Outcome::Undecided
            && let [only] = &self.classes.classes[..]
            && let [first, second, ..] = only.members[..]
        {
            let (at_a, at_b) = (&self.located[first], &self.located[second]);
            let verdict = order.compare(at_a, at_b);
            pairs.push(UndecidedPair {
                a: 0,
                b: 0,
                reason: progress::sentence(self.map, &verdict, at_a, at_b),
                advice: advice::for_unknown(self.map, &verdict, at_a, at_b),
            });
        }
        pairs
    }

    /// What the verdicts between the hindmost (or the candidates) and the rest take for granted.
    fn assumptions(&self) -> Vec<String> {
        let count = self.classes.classes.len();
        let mut clauses: Vec<String> = Vec::new();
        for &a in &self.classes.minimal {
            for b in (0..count).filter(|&b| b != a) {
                let verdict = self.classes.verdict(a.min(b), a.max(b));
                if verdict.relation == Relation::Unknown {
                    continue;
                }
                if let Some(clause) = progress::assumption(verdict)
                    && clauses.iter().all(|known| known != clause)
                {
                    clauses.push(clause.to_owned());
                }
            }
        }
        clauses
    }

    /// Functions on a stack that the front end understood in part only.
    fn partial_functions(&self) -> Vec<String> {
        let mut on_stacks: Vec<FunctionId> = self
            .located
            .iter()
            .flat_map(|located| located.frames.iter().filter_map(|frame| frame.function))
            .collect();
        on_stacks.sort_unstable();
        on_stacks.dedup();
        on_stacks
            .into_iter()
            .map(|id| &self.map.functions[id])
            .filter(|function| function.confidence == Confidence::Partial)
            .map(|function| {
                let reason = function
                    .confidence_reason
                    .as_deref()
                    .unwrap_or("no reason recorded");
                format!(
                    "the map is partial here: {} at {}:{} was not fully understood ({reason})",
                    function.name, self.map.files[function.file].path, function.span.line
                )
            })
            .collect()
    }

    /// Where the hindmost stand; the candidates when there is no hindmost.
    fn excerpts(&self) -> Vec<Excerpt> {
        let mut excerpts: Vec<Excerpt> = Vec::new();
        for &class in &self.classes.minimal {
            let first = self.first_member(class);
            let located = &self.located[first];
            let innermost = located.frames.iter().zip(&located.origin).rev();
            let Some((id, origin)) = innermost
                .filter_map(|(frame, &origin)| Some((frame.function?, origin)))
                .next()
            else {
                continue;
            };
            let Some(line) = self.tasks[first].frames[origin].line.filter(|&line| line > 0) else {
                continue;
            };
            let file_id = self.map.functions[id].file;
            let file = &self.map.files[file_id];
            let known = |excerpt: &Excerpt| excerpt.path == file.path && excerpt.line == line;
            if excerpts.len() < EXCERPTS && !excerpts.iter().any(known) {
                excerpts.push(Excerpt {
                    path: file.path.clone(),
                    short_path: crate::paths::short_name(self.map, file_id).to_owned(),
                    hash: file.hash,
                    line,
                    lines: Vec::new(),
                });
            }
        }
        excerpts
    }
}
