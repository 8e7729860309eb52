//! The slice of an answer: from the hindmost class outwards.

use crate::answer::{Answer, Outcome, TaskClass};
use crate::frames::slice_frames;
use slicer::{CriterionError, Graph, Options, Slice};

impl Answer {
    /// Whether there is a class for a slice to start from: somebody is named, or all tasks stand at one point.
    pub fn has_start_of_slice(&self) -> bool {
        self.finding.is_some() || self.outcome == Outcome::AllEqual
    }

    /// The slice of the stack of the hindmost, grown by those of the classes that come next, `classes` of them in all. `None` if
    /// there is no class to start from: where all tasks stand at one point, it is theirs.
    pub fn slice(
        &self,
        graph: &Graph,
        classes: usize,
        options: Options,
    ) -> Option<Result<Slice, CriterionError>> {
        // Without a hindmost, whoever is named as probable.
        let named = self.finding.as_ref().map(|finding| finding.classes.clone());
        let mut order = named.unwrap_or_default();
        if order.is_empty() && self.outcome != Outcome::AllEqual {
            return None;
        }
        // They stand in the order of their progress already, as far as there is one.
        let others = (0..self.classes.len()).filter(|class| !order.contains(class));
        let others: Vec<usize> = others.collect();
        order.extend(others);
        let mut grown = Slice::default();
        let mut failed = None;
        for &class in order.iter().take(classes.max(1)) {
            match self.classes.get(class)?.slice(graph, options) {
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
