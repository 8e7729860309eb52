//! The hindmost task, as an answer tells of it.

use report::json::{AnswerJson, FrameJson};
use std::collections::BTreeMap;

/// Whom to attach to.
pub(crate) struct Hindmost {
    pub(crate) pid: u32,
    /// Why it is the one, in a sentence.
    pub(crate) why: String,
    /// Its main thread's stack, outermost frame first.
    frames: Vec<Seen>,
}

/// A frame of the program, or of a library, which has no place.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    place: Option<Place>,
    /// The variables that order the loops around it: a value, or why there is none.
    pub(crate) iteration: Vec<(String, Result<String, String>)>,
}

/// A line, by the file's name alone: map and debugger may spell its path in different ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    name: String,
    line: u32,
}

impl Place {
    pub(crate) fn new(path: &str, line: u32) -> Self {
        Self {
            name: base::last_component(path).to_owned(),
            line,
        }
    }
}

impl Seen {
    fn of(frame: &FrameJson<'_>) -> Self {
        let text =
            |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let known = frame
            .values
            .iter()
            .map(|(name, value)| (name.to_string(), Ok(text(value))));
        let unknown = frame
            .missing
            .iter()
            .map(|(name, why)| (name.to_string(), Err(why.to_string())));
        Self {
            place: frame
                .file
                .as_deref()
                .zip(frame.line)
                .map(|(file, line)| Place::new(file, line)),
            iteration: known.chain(unknown).collect(),
        }
    }

    /// Its iteration in short, `it=3 k=0`; nothing where no value is known.
    pub(crate) fn known(&self) -> Option<String> {
        let known = self
            .iteration
            .iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref().ok()?)));
        let known = Vec::from_iter(known);
        (!known.is_empty()).then(|| known.join(" "))
    }
}

impl Hindmost {
    /// Reads an answer in JSON.
    ///
    /// # Errors
    /// It is none, it names nobody, or nobody whose process could be attached to.
    pub(crate) fn of(answer: &str) -> Result<Self, String> {
        let answer: AnswerJson<'_> =
            serde_json::from_str(answer).map_err(|error| format!("not an answer of hindmost: {error}"))?;
        if (&*answer.schema, answer.version) != ("hindmost-answer", 1) {
            return Err("not an answer of this version of hindmost".to_owned());
        }
        let hindmost = answer
            .hindmost
            .first()
            .map(|one| (one.class, &one.ranks, &one.function, one.reason.as_str()));
        let probable = answer.probable.first();
        let probable = probable.map(|one| {
            (
                one.class,
                &one.ranks,
                &one.function,
                one.doubt.as_deref().unwrap_or_default(),
            )
        });
        let (class, ranks, function, reason) = hindmost.or(probable).ok_or_else(|| nobody(&answer))?;
        let class = answer
            .classes
            .get(class)
            .ok_or("an answer of a class that it does not have")?;
        let pid = class.state.as_ref().and_then(|state| state.pids.first().copied());
        let who = match (&**ranks, &*class.tasks) {
            ("", [first, ..]) => format!("task {first}"),
            (ranks, _) => format!("rank {ranks}"),
        };
        Ok(Self {
            pid: pid.ok_or_else(|| {
                format!(
                    "{who} is the hindmost, and the answer tells no process of it: `find` on its host does"
                )
            })?,
            why: format!("hindmost: {who}, in {function}: {reason}"),
            frames: class.frames.iter().map(Seen::of).collect(),
        })
    }

    /// Which of a debugger's frames are for certain those of the answer; both stacks come outermost frame first.
    ///
    /// Both are walked from the outermost frame of the program inwards, as far as they stand on the same lines. Where they part, one may have
    /// left a frame out before, one of several on the same line: then a value would be shown of the wrong one.
    pub(crate) fn among(&self, places: &[Option<Place>]) -> BTreeMap<usize, &Seen> {
        let program: Vec<(&Seen, &Place)> = self
            .frames
            .iter()
            .map_while(|seen| Some((seen, seen.place.as_ref()?)))
            .collect();
        let Some((_, outermost)) = program.first() else {
            return BTreeMap::new();
        };
        let Some(first) = places.iter().position(|place| place.as_ref() == Some(outermost)) else {
            return BTreeMap::new();
        };
        let places = &places[first..];
        let mut same = places
            .iter()
            .zip(&program)
            .take_while(|(place, (_, seen))| place.as_ref() == Some(seen))
            .count();
        let (shared, deeper) = places.split_at(same);
        if same < program.len() || deeper.iter().any(|place| shared.contains(place)) {
            let once = |index: &usize| {
                places.iter().filter(|&place| *place == places[*index]).count() == 1
                    && program
                        .iter()
                        .filter(|(_, place)| *place == program[*index].1)
                        .count()
                        == 1
            };
            same = (0..same).take_while(once).count();
        }
        (0..same).map(|index| (first + index, program[index].0)).collect()
    }
}

fn nobody(answer: &AnswerJson<'_>) -> String {
    let unreadable = answer.unreadable.first().map(|task| task.error.to_string());
    let why = unreadable.or_else(|| answer.undecided.first().map(|pair| pair.reason.to_string()));
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    format!("nobody is named as the hindmost{why}; `hindmost find` says more")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hindmost(lines: &[u32]) -> Hindmost {
        let frames = Vec::from_iter(
            lines
                .iter()
                .map(|line| json!({"function": "f", "file": "/a/f.c", "line": line, "values": {"i": line}})),
        );
        let answer = json!({
            "schema": "hindmost-answer", "version": 1,
            "hindmost": [{"class": 0, "ranks": "3", "function": "f", "reason": "behind rank 0"}],
            "classes": [{"ranks": "3", "count": 1, "state": {"pids": [17]}, "frames": frames}],
        });
        Hindmost::of(&answer.to_string()).unwrap()
    }

    fn matched(answer: &[u32], debugger: &[u32]) -> Vec<(usize, String)> {
        let places = Vec::from_iter(
            debugger
                .iter()
                .map(|&line| (line > 0).then(|| Place::new("../f.c", line))),
        );
        let hindmost = hindmost(answer);
        hindmost
            .among(&places)
            .into_iter()
            .map(|(at, seen)| (at, seen.known().unwrap()))
            .collect()
    }

    #[test]
    fn frames_that_are_the_same() {
        let found = |pairs: &[(usize, &str)]| {
            Vec::from_iter(pairs.iter().map(|(at, text)| (*at, (*text).to_owned())))
        };
        assert_eq!(matched(&[9, 4], &[0, 9, 4, 0]), found(&[(1, "i=9"), (2, "i=4")]));
        assert_eq!(
            matched(&[9, 4, 4], &[9, 4, 4, 0]),
            found(&[(0, "i=9"), (1, "i=4"), (2, "i=4")])
        );
        // One of the calls on line 4 is missing on one side: which one, nobody can say.
        assert_eq!(matched(&[9, 4, 4], &[9, 4]), found(&[(0, "i=9")]));
        assert_eq!(matched(&[9, 4], &[9, 4, 4]), found(&[(0, "i=9")]));
        assert_eq!(matched(&[9, 4, 2], &[9, 4, 3]), found(&[(0, "i=9"), (1, "i=4")]));
        assert_eq!(matched(&[9], &[8]), found(&[]));
        assert_eq!(matched(&[], &[8]), found(&[]));
    }

    #[test]
    fn answers_that_name_nobody() {
        let error =
            |answer: serde_json::Value| Hindmost::of(&answer.to_string()).map(|one| one.pid).unwrap_err();
        assert!(error(json!({})).contains("version"));
        assert!(error(json!([1])).contains("not an answer"));
        let empty = json!({"schema": "hindmost-answer", "version": 1, "undecided": [{"reason": "no value"}]});
        assert!(error(empty).contains("nobody is named as the hindmost: no value"));
        let recorded = json!({"schema": "hindmost-answer", "version": 1, "hindmost": [{"class": 0, "ranks": "3"}], "classes": [{"ranks": "3"}]});
        assert!(error(recorded).contains("rank 3 is the hindmost, and the answer tells no process"));
        assert_eq!(hindmost(&[3]).pid, 17);
    }
}
