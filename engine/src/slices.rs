//! The slice of an answer: from the hindmost class outwards.

use crate::answer::{Answer, Outcome};
use crate::frames::slice_frames;
use slicer::{CriterionError, Graph, Options, Slice};

/// The slice of the stack of the hindmost, grown by those of the classes that come next, `classes` of them in all. `None` if
/// there is no class to start from: where all tasks stand at one point, it is theirs.
pub fn slice_answer(
    graph: &Graph,
    answer: &Answer,
    classes: usize,
    options: Options,
) -> Option<Result<Slice, CriterionError>> {
    // Without a hindmost, whoever is named as probable.
    let named = answer.finding.as_ref().map(|finding| finding.classes.clone());
    let mut order = named.unwrap_or_default();
    if order.is_empty() && answer.outcome != Outcome::AllEqual {
        return None;
    }
    // They stand in the order of their progress already, as far as there is one.
    let others = (0..answer.classes.len()).filter(|class| !order.contains(class));
    let others: Vec<usize> = others.collect();
    order.extend(others);
    let mut grown = Slice::default();
    let mut failed = None;
    for &class in order.iter().take(classes.max(1)) {
        let frames = slice_frames(&answer.classes.get(class)?.frames);
        match graph.slice_stack(&frames, options) {
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
