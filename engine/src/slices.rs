//! The slice of an answer: from the hindmost class outwards.

use crate::answer::{Answer, Finding, TaskClass};
use crate::awaited::peers;
use crate::frames::slice_frames;
use slicer::{CriterionError, Graph, Options, Slice};
use std::collections::BTreeSet;

/// So many classes are asked for what parted them from another one.
const MOST_CLASSES: usize = 64;

/// Which classes a slice goes on to from those that it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outwards {
    /// So many in all, in the order of their progress.
    Progress(usize),
    /// So many more, each of which waits for one before it, those first for whom the fewest stand between (AutomaDeD, section 4.4.2).
    Waits(usize),
}

impl Outwards {
    /// The same with one class more.
    #[must_use]
    pub fn further(self) -> Self {
        match self {
            Outwards::Progress(classes) => Outwards::Progress(classes.saturating_add(1)),
            Outwards::Waits(more) => Outwards::Waits(more.saturating_add(1)),
        }
    }

    /// Whether both go the same way, however far.
    #[must_use]
    pub fn is_same_way(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Outwards::Progress(_), Outwards::Progress(_)) | (Outwards::Waits(_), Outwards::Waits(_))
        )
    }
}

/// A class whose stack a slice has grown by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceStep {
    /// Its index in the answer.
    pub class: usize,
    /// Those of the earlier steps that its tasks wait for, as far as that is known.
    pub waits_for: Vec<usize>,
}

impl Answer {
    /// Whether there is a class for a slice to start from.
    pub fn has_start_of_slice(&self) -> bool {
        !self.classes.is_empty()
    }

    /// The part of the answer that a slice begins in, where that is of a further program ([`Answer::programs`]): the one that runs whoever is named, or else the only one in which somebody is. With whoever is named here as the one who is
    /// named there.
    pub fn slice_of_further_program(&self) -> Option<(usize, Answer)> {
        let Some(finding) = &self.finding else {
            let named = (0..self.programs.len()).filter(|&at| self.programs[at].answer.finding.is_some());
            let [only] = Vec::from_iter(named)[..] else {
                return None;
            };
            return Some((only, self.programs[only].answer.clone()));
        };
        let is_named = |class: &TaskClass| class.who.ranks.meets(&finding.who.ranks);
        let runs = |at: &usize| self.programs[*at].answer.classes.iter().any(is_named);
        let at = (0..self.programs.len()).find(runs)?;
        let mut part = self.programs[at].answer.clone();
        let classes = part.classes.iter().enumerate();
        let classes = classes.filter_map(|(index, class)| is_named(class).then_some(index));
        part.finding = Some(Finding {
            classes: classes.collect(),
            ..finding.clone()
        });
        Some((at, part))
    }

    /// Steps of a slice of a part of the answer as steps of the whole, whose classes have other numbers; without those that are none here.
    pub fn steps_of_part(&self, part: &Answer, steps: &[SliceStep]) -> Vec<SliceStep> {
        let number = |class: usize| {
            let ranks = &part.classes.get(class)?.who.ranks;
            self.classes.iter().position(|own| own.who.ranks.meets(ranks))
        };
        let step = |step: &SliceStep| {
            Some(SliceStep {
                class: number(step.class)?,
                waits_for: step.waits_for.iter().filter_map(|&class| number(class)).collect(),
            })
        };
        steps.iter().filter_map(step).collect()
    }

    /// What a slice of the answer is of.
    pub fn slice_title(&self) -> &'static str {
        match self.finding {
            Some(_) => "what may have brought the hindmost there",
            None if self.classes.len() == 1 => "what may have brought the tasks there",
            None => "what may have parted the tasks; nobody is named as the hindmost",
        }
    }

    /// The slice of the stack of the hindmost, grown by those of the classes that come next (see [`Self::slice_steps`]). What parted a class from others comes
    /// first. `None` if there is no class.
    pub fn slice(
        &self,
        graph: &Graph,
        outwards: Outwards,
        options: Options,
    ) -> Option<Result<Slice, CriterionError>> {
        let stacks = self.classes.iter().map(|class| slice_frames(&class.frames));
        let stacks: Vec<_> = stacks.collect();
        let mut grown = Slice::default();
        let mut failed = None;
        for SliceStep { class, .. } in self.slice_steps(outwards) {
            let others = stacks.iter().enumerate().filter(|(other, _)| *other != class);
            let others: Vec<_> = others.take(MOST_CLASSES).map(|(_, frames)| &frames[..]).collect();
            match graph.slice_parted(stacks.get(class)?, &others, options) {
                Ok(slice) => grown.grow(slice, class),
                // The first is what was asked for; a later one may stand in a library.
                Err(error) if grown.statements.is_empty() => failed = failed.or(Some(error)),
                Err(_) => {}
            }
        }
        match failed {
            Some(error) if grown.statements.is_empty() => Some(Err(error)),
            _ => Some(Ok(grown)),
        }
    }

    /// The classes that a slice of the answer goes through, in order. It begins with the hindmost; where nobody is named, with the class with the fewest tasks.
    #[must_use]
    pub fn slice_steps(&self, outwards: Outwards) -> Vec<SliceStep> {
        // Without a hindmost, whoever is named as probable.
        let named = self.finding.as_ref().map(|finding| finding.classes.clone());
        let mut order = named.unwrap_or_default();
        let is_named = !order.is_empty();
        // They stand in the order of their progress already, as far as there is one.
        let others = (0..self.classes.len()).filter(|class| !order.contains(class));
        let mut others: Vec<usize> = others.collect();
        let waits = self.class_waits();
        if is_named {
            awaited_first(&waits, &mut order);
        } else {
            // The odd one out first.
            awaited_first(&waits, &mut others);
            others.sort_by_key(|&class| self.classes[class].who.count());
        }
        let named = order.len();
        order.extend(others);
        let (order, count) = match outwards {
            Outwards::Progress(classes) => (order, classes.max(1)),
            Outwards::Waits(more) => (
                along_waits(&waits, &order[..named.max(1).min(order.len())]),
                more.saturating_add(1),
            ),
        };
        let order: Vec<usize> = order.into_iter().take(count).collect();
        let step = |(at, &class): (usize, &usize)| SliceStep {
            class,
            waits_for: order[..at]
                .iter()
                .copied()
                .filter(|earlier| waits[class].contains(earlier))
                .collect(),
        };
        order.iter().enumerate().map(step).collect()
    }

    /// For which other classes tasks of each class wait: by what they have recorded, or else by the arguments of their calls.
    fn class_waits(&self) -> Vec<BTreeSet<usize>> {
        let mut waits: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.classes.len()];
        if let Some(waiting) = &self.waiting {
            let groups = Vec::from_iter(self.classes.iter().map(|class| class.who.ranks.clone()));
            for link in waiting.between(&groups) {
                if link.from < groups.len() && link.to < groups.len() && link.from != link.to {
                    waits[link.from].insert(link.to);
                }
            }
            return waits;
        }
        let ranges = |(at, class): (usize, &TaskClass)| {
            let ranges = class.who.ranks.ranges().iter();
            Vec::from_iter(ranges.map(|&(first, last)| (first, last, at)))
        };
        let mut ranges: Vec<(u32, u32, usize)> = self.classes.iter().enumerate().flat_map(ranges).collect();
        ranges.sort_unstable();
        let class_of = |rank: u32| {
            let behind = ranges.partition_point(|&(first, ..)| first <= rank);
            let &(_, last, class) = ranges.get(behind.checked_sub(1)?)?;
            (rank <= last).then_some(class)
        };
        for (at, class) in self.classes.iter().enumerate() {
            let others = class.waits_for().into_iter().filter_map(class_of);
            waits[at].extend(others.filter(|&other| other != at));
        }
        waits
    }
}

/// Of several classes those first for which most of the others wait, directly or by way of each other: the rest are where they are because
/// of these. The rest stay in their order.
fn awaited_first(waits: &[BTreeSet<usize>], classes: &mut [usize]) {
    if classes.len() > MOST_CLASSES {
        return;
    }
    let place = |class: &usize| classes.iter().position(|other| other == class);
    let next = classes.iter().map(|&class| waits[class].iter().filter_map(place));
    let next: Vec<Vec<usize>> = next.map(Iterator::collect).collect();
    let mut waiting = vec![0_u32; classes.len()];
    for start in 0..classes.len() {
        let mut reached = BTreeSet::from([start]);
        let mut work = vec![start];
        while let Some(at) = work.pop() {
            work.extend(next[at].iter().filter(|&&next| reached.insert(next)));
        }
        reached.remove(&start);
        reached.iter().for_each(|&at| waiting[at] += 1);
    }
    let mut order = Vec::from_iter((0..classes.len()).map(|at| (waiting[at], classes[at])));
    order.sort_by_key(|&(waiting, _)| std::cmp::Reverse(waiting));
    for (place, (_, class)) in classes.iter_mut().zip(order) {
        *place = class;
    }
}

/// The classes from `start` outwards against the direction of the waits, nearest first: those that wait for one of `start`, then those that wait for these.
fn along_waits(waits: &[BTreeSet<usize>], start: &[usize]) -> Vec<usize> {
    let mut waiters: Vec<Vec<usize>> = vec![Vec::new(); waits.len()];
    for (class, on) in waits.iter().enumerate() {
        on.iter().for_each(|&on| waiters[on].push(class));
    }
    let mut order = start.to_vec();
    let mut known: BTreeSet<usize> = order.iter().copied().collect();
    let mut at = 0;
    while let Some(&class) = order.get(at) {
        order.extend(waiters[class].iter().filter(|&&waiter| known.insert(waiter)));
        at += 1;
    }
    order
}

impl TaskClass {
    /// The ranks of `MPI_COMM_WORLD` that its tasks wait for, as far as the arguments of their calls tell.
    fn waits_for(&self) -> BTreeSet<u32> {
        let calls = self.calls.iter().map(|(_, call)| call).chain(&self.position.call);
        calls.flat_map(peers).collect()
    }

    /// The slice of its stack.
    pub fn slice(&self, graph: &Graph, options: Options) -> Result<Slice, CriterionError> {
        graph.slice_stack(&slice_frames(&self.frames), options)
    }
}
