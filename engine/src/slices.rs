//! The slice of an answer: from the hindmost class outwards.

use crate::answer::{Answer, TaskClass};
use crate::frames::slice_frames;
use slicer::{CriterionError, Graph, Options, Slice};

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
        if !is_named {
            // The odd one out first.
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

impl TaskClass {
    /// The slice of its stack.
    pub fn slice(&self, graph: &Graph, options: Options) -> Result<Slice, CriterionError> {
        graph.slice_stack(&slice_frames(&self.frames), options)
    }
}
