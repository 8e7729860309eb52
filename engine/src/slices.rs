//! The slice of an answer: from the hindmost class outwards.

use crate::answer::{Answer, TaskClass};
use crate::awaited::peers;
use crate::frames::slice_frames;
use slicer::{CriterionError, Graph, Options, Slice};
use std::collections::BTreeSet;

/// So many classes are asked for what parted them from another one.
const MOST_CLASSES: usize = 64;

impl Answer {
    /// Whether there is a class for a slice to start from.
    pub fn has_start_of_slice(&self) -> bool {
        !self.classes.is_empty()
    }

    /// What a slice of the answer is of.
    pub fn slice_title(&self) -> &'static str {
        match self.finding {
            Some(_) => "what may have brought the hindmost there",
            None if self.classes.len() == 1 => "what may have brought the tasks there",
            None => "what may have parted the tasks; nobody is named as the hindmost",
        }
    }

    /// The slice of the stack of the hindmost, grown by those of the classes that come next, `classes` of them in all. Where nobody is
    /// named it starts from the class with the fewest tasks. What parted a class from others comes first. `None` if there is no class.
    pub fn slice(
        &self,
        graph: &Graph,
        classes: usize,
        options: Options,
    ) -> Option<Result<Slice, CriterionError>> {
        // Without a hindmost, whoever is named as probable.
        let named = self.finding.as_ref().map(|finding| finding.classes.clone());
        let mut order = named.unwrap_or_default();
        let is_named = !order.is_empty();
        // They stand in the order of their progress already, as far as there is one.
        let others = (0..self.classes.len()).filter(|class| !order.contains(class));
        let mut others: Vec<usize> = others.collect();
        if is_named {
            self.awaited_first(&mut order);
        } else {
            // The odd one out first.
            self.awaited_first(&mut others);
            others.sort_by_key(|&class| self.classes[class].who.count());
        }
        order.extend(others);
        let stacks = self.classes.iter().map(|class| slice_frames(&class.frames));
        let stacks: Vec<_> = stacks.collect();
        let mut grown = Slice::default();
        let mut failed = None;
        for &class in order.iter().take(classes.max(1)) {
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
}

impl Answer {
    /// Of several classes those first for which most of the others wait, directly or by way of each other: the rest are where they are because
    /// of these. The rest stay in their order.
    fn awaited_first(&self, classes: &mut [usize]) {
        if classes.len() > MOST_CLASSES {
            return;
        }
        let next = Vec::from_iter(classes.iter().map(|&class| self.classes[class].waits_for()));
        let of_rank = |rank: u32| {
            let mut places = classes.iter();
            places.position(|&class| self.classes[class].who.ranks.contains(rank))
        };
        let next: Vec<Vec<usize>> = next
            .into_iter()
            .map(|ranks| ranks.into_iter().filter_map(of_rank).collect())
            .collect();
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
