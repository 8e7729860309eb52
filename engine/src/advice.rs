//! What a user can do when the order of two tasks is unknown.
//!
//! What stands in the way is what the reason of the verdict is about.

use crate::frames::loops_around;
use base::FileKind;
use progress::{Located, LocatedFrame, Obstacle, Reason, Verdict};
use progress_map::{Across, Function, LoopId, Lov, LovClass, Map};
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
    let reason = verdict.unknown_because()?;
    let Some(id) = verdict.proof.function else {
        if let Reason::Obstacle(obstacle @ Obstacle::InIncludedFile { function, .. }) = reason {
            return doing(past(map, obstacle, function)?);
        }
        // No map has what is written in another language.
        let other_language = |frame: &LocatedFrame| {
            let kind = frame.outside.as_ref().and_then(|at| FileKind::of(&at.file));
            kind.is_some_and(|kind| !kind.is_c_or_cxx())
        };
        if [a, b]
            .iter()
            .any(|side| side.frames[..=depth].iter().any(other_language))
        {
            return None;
        }
        return doing(match (frame_a.function, frame_b.function) {
            (Some(_), Some(_)) => return None,
            // The name of an operation in a tool that watches MPI: its source is nobody's who asks.
            (None, None) if base::is_mpi(&frame_a.name) => return None,
            // What a library of the system or of the language does is in nobody's hands: `qsort`, `std::sort`.
            (None, _) if frame_a.is_runtime => return None,
            (_, None) if frame_b.is_runtime => return None,
            (None, _) => map_the_source_of(&frame_a.name),
            (_, None) => map_the_source_of(&frame_b.name),
        });
    };
    let function = &map.functions[id];
    let path = &map.files[function.file].path;
    let several = on_one_line(function, frame_a, frame_b);
    match (reason, several) {
        (Reason::Obstacle(obstacle), _) => doing(past(map, obstacle, &function.name)?),
        // The reason says what was not understood, and only its author could write it otherwise.
        (Reason::ReadInPart { .. }, _) => None,
        (_, Some(several)) => apart(path, function, several),
        (Reason::Irreducible { at, .. }, None) => doing(format!("enter the loop at {at} from its top only")),
        (Reason::NoVariable { in_loop, .. }, None) => {
            Some(for_loop(path, function, *in_loop, (frame_a, frame_b)))
        }
        (_, None) => uncounted_loop(path, function, (frame_a, frame_b)),
    }
}

/// What keeps an obstacle to placing a frame of `function` away, where something does.
fn past(map: &Map, obstacle: &Obstacle, function: &str) -> Option<String> {
    match obstacle {
        Obstacle::NoLine(_) => Some(format!(
            "rebuild with -g, so that the lines of {function} are known"
        )),
        Obstacle::NoPoint(_) | Obstacle::NoSuchCall { .. } if map.bindings().next().is_none() => {
            Some(format!(
                "make the map from the sources of this build (`hindmost map --exe PROGRAM`), so that it has the lines of {function}"
            ))
        }
        Obstacle::Mixed(_) => Some(format!(
            "build with -g and less optimisation (-Og), so that {function} is at one line at a time"
        )),
        Obstacle::MayBeDeeper(_) => Some(format!(
            "build with -fno-optimize-sibling-calls, so that each call of {function} has a frame"
        )),
        Obstacle::InIncludedFile { function, at } => Some(format!(
            "if {} is included in the middle of {function}, move what it does into functions",
            base::last_component(&at.file)
        )),
        // A map that was made for this very program has no such point: nothing that its author does would bring it.
        Obstacle::NoPoint(_) | Obstacle::NoSuchCall { .. } => None,
        // What the frame is about is known, and what it lacks is no matter of how the program is built.
        Obstacle::LeavesScope { .. }
        | Obstacle::Incomplete(_)
        | Obstacle::BeginsNowhere(_)
        | Obstacle::NoStack(_)
        | Obstacle::NotInMap(_)
        | Obstacle::CodeUnknown(_) => None,
    }
}

/// The frame whose line stands for several points, if it is the line and not a loop around it that could not be decided.
fn on_one_line<'l>(
    function: &Function,
    a: &'l LocatedFrame,
    b: &'l LocatedFrame,
) -> Option<&'l LocatedFrame> {
    let several = [a, b].into_iter().find(|frame| frame.places.len() > 1)?;
    (!differ_in_loop(function, a, b)).then_some(several)
}

/// Advice for a line that stands for several points.
fn apart(path: &str, function: &Function, several: &LocatedFrame) -> Option<Advice> {
    // Of one point, before and after what it assigns, nothing can be put elsewhere.
    let points = several
        .places
        .iter()
        .map(|place| function.points[place.point].span);
    let spans: BTreeSet<(u32, u32)> = points.map(|span| (span.line, span.column)).collect();
    let line = spans.first().map_or(0, |&(line, _)| line);
    match spans.len() {
        0 | 1 => None,
        _ => Some(Advice::Do(format!(
            "put what {path}:{line} does in several steps on lines of their own, or build with a compiler that records columns"
        ))),
    }
}

/// Advice for the outermost loop around two frames that lets a task come to one place more than once with equal values.
fn uncounted_loop(
    path: &str,
    function: &Function,
    (frame_a, frame_b): (&LocatedFrame, &LocatedFrame),
) -> Option<Advice> {
    let (of_a, of_b) = (loops_around(function, frame_a), loops_around(function, frame_b));
    let shared = of_a.into_iter().zip(of_b).take_while(|(a, b)| a == b);
    let value = |frame: &LocatedFrame, name: &str| frame.values.get(name).copied();
    let decides = |lov: &&Lov| {
        let (a, b) = (value(frame_a, &lov.name), value(frame_b, &lov.name));
        a.is_some() && b.is_some() && (lov.class == LovClass::Strict || a != b)
    };
    let mut loops = shared.map(|(in_loop, _)| in_loop);
    let uncounted = loops.find(|&in_loop| !comparable(function, in_loop).any(|lov| decides(&lov)))?;
    Some(for_loop(path, function, uncounted, (frame_a, frame_b)))
}

/// Advice for a loop whose variables do not tell the iteration.
fn for_loop(path: &str, function: &Function, id: LoopId, (a, b): (&LocatedFrame, &LocatedFrame)) -> Advice {
    let line = function.loops[id].span.line;
    let is_read = |name: &String| a.values.contains_key(name) && b.values.contains_key(name);
    let mut strict = comparable(function, id).filter(|lov| lov.class == LovClass::Strict);
    match strict.find(|lov| !is_read(&lov.name)) {
        Some(lov) => Advice::Do(unread_advice(&lov.name, &format!("{path}:{line}"), a, b)),
        None => Advice::AddCounter {
            file: path.to_owned(),
            line,
        },
    }
}

/// The variables of a loop whose values on different tasks can be compared.
fn comparable(function: &Function, id: LoopId) -> impl Iterator<Item = &Lov> {
    let lovs = function.loops[id].lovs.iter();
    lovs.filter(|lov| lov.across != Across::Nothing)
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

#[cfg(test)]
mod tests {
    use super::past;
    use progress::{Obstacle, SourceLine};
    use progress_map::Map;

    /// Nobody is told to make anew what was made for this very program.
    #[test]
    fn a_map_of_the_program_itself_is_not_made_again() {
        let obstacle = Obstacle::NoPoint(SourceLine {
            file: "a.c".to_owned(),
            line: 3,
        });
        let mut map = Map::default();
        let advice = past(&map, &obstacle, "f").unwrap();
        assert!(advice.contains("hindmost map --exe"), "{advice}");
        map.binding = Some(Default::default());
        assert_eq!(past(&map, &obstacle, "f"), None);
    }

    /// By which way a scope is left, no option of a compiler tells.
    #[test]
    fn what_no_build_would_show_has_no_advice() {
        let obstacle = Obstacle::LeavesScope {
            function: "f".to_owned(),
            callee: "~S".to_owned(),
        };
        assert_eq!(past(&Map::default(), &obstacle, "f"), None);
        assert!(past(&Map::default(), &Obstacle::Mixed("f".to_owned()), "f").is_some());
    }
}
