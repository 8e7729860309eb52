//! What a build has lost since an earlier one, as a reviewer of a change asks.

use crate::check::{Check, CheckedLoop, LoopState};
use std::collections::BTreeMap;

/// A loop of an earlier build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierLoop {
    /// Its file, as the map of that build named it.
    pub file: String,
    /// Its function.
    pub function: String,
    /// It kept a variable at every call.
    pub is_kept: bool,
}

impl Check {
    /// The loops that keep no variable at some call although their like did in the earlier build.
    ///
    /// Lines move with every change, so a loop's like is the one of the same number in the function of the same name, in a file of the same name. Where a
    /// function has another number of loops now, all are meant that keep none, if fewer keep one than before.
    pub fn lost_since(&self, earlier: &[EarlierLoop]) -> Vec<&CheckedLoop> {
        let mut before: BTreeMap<(&str, &str), Vec<bool>> = BTreeMap::new();
        for each in earlier {
            let function = before
                .entry((base::last_component(&each.file), &each.function))
                .or_default();
            function.push(each.is_kept);
        }
        let mut now: BTreeMap<(&str, &str), Vec<&CheckedLoop>> = BTreeMap::new();
        for each in &self.loops {
            now.entry((base::last_component(&each.file), &each.function))
                .or_default()
                .push(each);
        }
        let is_kept = |each: &CheckedLoop| each.state == LoopState::Kept;
        let mut lost = Vec::new();
        for (function, loops) in now {
            let Some(before) = before.get(&function) else {
                continue;
            };
            if before.len() == loops.len() {
                let pairs = loops.iter().zip(before);
                lost.extend(
                    pairs
                        .filter(|(each, was)| **was && !is_kept(each))
                        .map(|(each, _)| *each),
                );
            } else if loops.iter().filter(|each| is_kept(each)).count()
                < before.iter().filter(|was| **was).count()
            {
                lost.extend(loops.into_iter().filter(|each| !is_kept(each)));
            }
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(loops: &[(&str, u32, LoopState)]) -> Check {
        let looped = |&(function, line, state): &(&str, u32, LoopState)| CheckedLoop {
            file: "src/a.c".to_owned(),
            line,
            statement: "for",
            function: function.to_owned(),
            optimised: true,
            state,
            calls: Vec::new(),
            variables: Vec::new(),
            can_be_counted: false,
        };
        Check {
            loops: loops.iter().map(looped).collect(),
            ..Check::default()
        }
    }

    fn earlier(loops: &[(&str, bool)]) -> Vec<EarlierLoop> {
        let looped = |&(function, is_kept): &(&str, bool)| EarlierLoop {
            file: "/elsewhere/a.c".to_owned(),
            function: function.to_owned(),
            is_kept,
        };
        loops.iter().map(looped).collect()
    }

    fn lines(now: &[(&str, u32, LoopState)], before: &[(&str, bool)]) -> Vec<u32> {
        let check = check(now);
        let lost = check.lost_since(&earlier(before));
        lost.iter().map(|each| each.line).collect()
    }

    #[test]
    fn what_was_kept_and_is_no_longer() {
        use LoopState::{Kept, Lost, Partly, Unordered};
        assert_eq!(
            lines(&[("f", 3, Kept), ("f", 9, Lost)], &[("f", true), ("f", true)]),
            [9]
        );
        assert_eq!(
            lines(
                &[("f", 3, Unordered), ("f", 9, Partly)],
                &[("f", true), ("f", false)]
            ),
            [3]
        );
        assert_eq!(
            lines(&[("f", 3, Lost)], &[("f", false)]),
            [0; 0],
            "it was so before"
        );
        assert_eq!(lines(&[("g", 3, Lost)], &[("f", true)]), [0; 0], "a new function");
        // A loop more, or less.
        assert_eq!(
            lines(&[("f", 3, Lost), ("f", 6, Kept)], &[("f", true)]),
            [0; 0],
            "as many are kept"
        );
        assert_eq!(lines(&[("f", 3, Lost), ("f", 6, Lost)], &[("f", true)]), [3, 6]);
        assert_eq!(
            lines(&[("f", 3, Kept)], &[("f", true), ("f", true)]),
            [0; 0],
            "it is gone"
        );
    }
}
