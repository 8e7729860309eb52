//! Tasks that look alike: one position, one set of values. They are the units that the order is worked out for.

use crate::{
    Class, CodeStack, Decided, Located, LocatedFrame, Obstacle, Order, Place, Relation, SourceLine, Value,
};
use progress_map::FunctionId;

/// What tells the members of a class from other tasks.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    obstacle: Option<&'a Obstacle>,
    frames: Vec<FrameKey<'a>>,
    in_library: bool,
    /// The operation, and whether it has begun.
    beneath: Option<(&'a str, bool)>,
    code: Option<&'a CodeStack>,
}

/// What tells one frame from another: function, name, places, the line outside of the map, and the values that matter there.
type FrameKey<'a> = (
    Option<FunctionId>,
    &'a str,
    &'a [Place],
    Option<&'a SourceLine>,
    Vec<(&'a str, Number)>,
);

/// A value as a key: sorted by size, so that tasks in one loop come in the order of their iterations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Number {
    Int(i128),
    /// The bits of a float, turned so that they sort as the numbers do.
    Float(u64),
}

impl From<Value> for Number {
    fn from(value: Value) -> Self {
        match value {
            Value::Int(value) => Number::Int(value),
            Value::Float(value) => {
                let bits = value.to_bits();
                let negative = bits >> 63 == 1;
                Number::Float(if negative { !bits } else { bits | 1 << 63 })
            }
        }
    }
}

/// Tasks at one position with the same values of the variables that matter there, sorted by position and values.
pub(crate) fn group(order: &Order<'_>, tasks: &[Located]) -> Vec<Class> {
    let mut keyed: Vec<(Key<'_>, usize)> = tasks
        .iter()
        .enumerate()
        .map(|(index, task)| (key(order, task, Some(&task.code)), index))
        .collect();
    keyed.sort();
    let mut classes: Vec<Class> = Vec::new();
    for chunk in keyed.chunk_by(|(a, _), (b, _)| a == b) {
        let members: Vec<usize> = chunk.iter().map(|&(_, index)| index).collect();
        // All members look alike, so one pair tells for all.
        let unordered = members.get(1).and_then(|&second| {
            let verdict = order.compare(&tasks[members[0]], &tasks[second]);
            match verdict.proof.decided {
                Decided::Nothing(reason) if verdict.relation == Relation::Unknown => Some(reason),
                _ => None,
            }
        });
        classes.push(Class { members, unordered });
    }
    classes
}

/// So many places of the machine code tell tasks apart that are at one place of the source. Ranks that compute are at as many as there are
/// ranks.
const MOST_VARIANTS: usize = 8;

/// The same of tasks of which nothing but the code is known: they have no other place.
const MOST_VARIANTS_OF_CODE: usize = 400;

/// Takes away what machine code tells of tasks where it would only part them: of those that the source puts at one point of one iteration
/// the code of one stands for all, and where many are at one position that the source cannot order, none has any.
pub fn settle_code(order: &Order<'_>, tasks: &mut [Located]) {
    let mut keyed: Vec<(Key<'_>, usize)> = tasks
        .iter()
        .enumerate()
        .map(|(index, task)| (key(order, task, None), index))
        .collect();
    keyed.sort();
    let mut settled: Vec<(usize, CodeStack)> = Vec::new();
    for chunk in keyed.chunk_by(|(a, _), (b, _)| a == b) {
        let code = |index: usize| &tasks[index].code;
        let mut variants = Vec::from_iter(chunk.iter().map(|&(_, index)| code(index)));
        variants.sort();
        variants.dedup();
        let (&[_, ..], [(_, first), (_, second), ..]) = (&variants[..], chunk) else {
            continue;
        };
        if variants.len() == 1 {
            continue;
        }
        let most = if order.is_of_code_alone() {
            MOST_VARIANTS_OF_CODE
        } else {
            MOST_VARIANTS
        };
        let of_all = if order.equal_by_source(&tasks[*first], &tasks[*second]) {
            code(*first).clone()
        } else if variants.len() > most {
            CodeStack::default()
        } else {
            continue;
        };
        settled.extend(chunk.iter().map(|&(_, index)| (index, of_all.clone())));
    }
    drop(keyed);
    for (index, code) in settled {
        tasks[index].code = code;
    }
}

fn key<'a>(order: &Order<'_>, task: &'a Located, code: Option<&'a CodeStack>) -> Key<'a> {
    // What happens inside a library below the program does not tell tasks apart, but for whether it waits for others, and where its lines are known.
    let program = task
        .frames
        .iter()
        .rposition(|frame| frame.function.is_some() || frame.outside.is_some() && !frame.is_runtime)
        .map_or(0, |last| last + 1);
    let frames = task.frames[..program]
        .iter()
        .map(|frame| {
            (
                frame.function,
                frame.name.as_str(),
                frame.places.as_slice(),
                frame.outside.as_ref(),
                values(order, frame),
            )
        })
        .collect();
    Key {
        obstacle: task.obstacle.as_ref(),
        frames,
        in_library: program < task.frames.len(),
        beneath: task
            .beneath
            .as_ref()
            .map(|beneath| (beneath.operation.as_str(), beneath.begun)),
        code,
    }
}

/// The values that matter in a frame: of the variables that can order tasks in the loops around its places.
fn values<'a>(order: &Order<'_>, frame: &'a LocatedFrame) -> Vec<(&'a str, Number)> {
    let read = order
        .comparable(frame)
        .filter_map(|lov| frame.values.get_key_value(&lov.name));
    let mut values = Vec::from_iter(read.map(|(name, value)| (name.as_str(), Number::from(*value))));
    values.sort();
    values.dedup();
    values
}
