//! What a user can do when the order of two tasks is unknown.
//!
//! The cause is found again in the two stacks rather than in the words of the reason: the first frame (from the
//! outermost) at which something stands in the way.

use crate::frames::loops_around;
use base::Confidence;
use progress::{Located, LocatedFrame, Verdict};
use progress_map::{Across, Function, LovClass, Map};
use std::collections::BTreeSet;
use std::fmt;

/// What a user can do, so that an order is known next time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Give the loop at a line a counter.
    AddCounter {
        /// The file as the map spells it.
        file: String,
        /// The line of the loop.
        line: u32,
    },
    /// Anything else, as an imperative without its full stop.
    Do(String),
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddCounter { file, line } => write!(
                f,
                "add a counter to the loop at {file}:{line}: a variable that every iteration increments by one (`hindmost counters \
                 {}` prints the change)",
                base::shell_word(&format!("{file}:{line}"))
            ),
            Self::Do(text) => f.write_str(text),
        }
    }
}

/// Advice for a pair whose relation is unknown, if there is something to do.
pub(crate) fn for_unknown(map: &Map, verdict: &Verdict, a: &Located, b: &Located) -> Option<Advice> {
    let doing = |text: String| Some(Advice::Do(text));
    let depth = verdict.proof.depth;
    let (frame_a, frame_b) = (a.frames.get(depth)?, b.frames.get(depth)?);
    let Some(id) = verdict.proof.function else {
        return doing(match (frame_a.function, frame_b.function) {
            (Some(_), Some(_)) => return None,
            // The name of an operation in a tool that watches MPI: its source is nobody's who asks.
            (None, None) if base::is_mpi(&frame_a.name) => return None,
            (None, _) => map_the_source_of(&frame_a.name),
            (_, None) => map_the_source_of(&frame_b.name),
        });
    };
    let function = &map.functions[id];
    let path = &map.files[function.file].path;
    if frame_a.obstacle.is_some() || frame_b.obstacle.is_some() {
        return doing(format!(
            "rebuild with -g and make the map from the sources of that build, so that the lines of {} are known",
            function.name
        ));
    }
    if function.confidence == Confidence::Partial {
        // The reason says what was not understood, and only its author could write it otherwise.
        return None;
    }
    if frame_a.places.len() > 1 || frame_b.places.len() > 1 {
        let several = if frame_a.places.len() > 1 {
            frame_a
        } else {
            frame_b
        };
        if !differ_in_loop(function, frame_a, frame_b) {
            // Of one point, before and after what it assigns, nothing can be put elsewhere.
            let points = several
                .places
                .iter()
                .map(|place| function.points[place.point].span);
            let spans: BTreeSet<(u32, u32)> = points.map(|span| (span.line, span.column)).collect();
            let line = spans.first().map_or(0, |&(line, _)| line);
            return match spans.len() {
                0 | 1 => None,
                _ => doing(format!(
                    "put what {path}:{line} does in several steps on lines of their own, or build with a compiler that records columns"
                )),
            };
        }
    }
    for (in_loop, shared) in loops_around(function, frame_a)
        .into_iter()
        .zip(loops_around(function, frame_b))
    {
        if in_loop != shared {
            break;
        }
        let in_loop = &function.loops[in_loop];
        let at = format!("{path}:{}", in_loop.span.line);
        if !in_loop.reducible {
            return doing(format!("enter the loop at {at} from its top only"));
        }
        let comparable = || in_loop.lovs.iter().filter(|lov| lov.across != Across::Nothing);
        let read = |name: &String| frame_a.values.contains_key(name) && frame_b.values.contains_key(name);
        let decides = |name: &String| frame_a.values.get(name) != frame_b.values.get(name);
        if comparable().any(|lov| read(&lov.name) && (lov.class == LovClass::Strict || decides(&lov.name))) {
            continue;
        }
        let unread = comparable().find(|lov| !read(&lov.name) && lov.class == LovClass::Strict);
        return match unread {
            Some(lov) => doing(unread_advice(&lov.name, &at, frame_a, frame_b)),
            None => Some(Advice::AddCounter {
                file: path.clone(),
                line: in_loop.span.line,
            }),
        };
    }
    None
}

fn map_the_source_of(function: &str) -> String {
    format!("add the source of {function} to the map, if it is part of the program")
}

fn unread_advice(name: &str, at: &str, a: &LocatedFrame, b: &LocatedFrame) -> String {
    if a.missing.contains_key(name) || b.missing.contains_key(name) {
        format!(
            "build with -g and less optimisation (-Og), or declare '{name}' volatile, so that its value in the loop at {at} \
             can be read"
        )
    } else {
        format!("record the variable '{name}' with the stacks: its value orders the loop at {at}")
    }
}

/// Whether the two frames share a loop at all: then it is the loop that could not be decided, not the line.
fn differ_in_loop(function: &Function, a: &LocatedFrame, b: &LocatedFrame) -> bool {
    let first = |frame| loops_around(function, frame).into_iter().next();
    first(a).is_some() && first(a) == first(b)
}
