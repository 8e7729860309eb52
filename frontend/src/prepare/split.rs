//! Simple statements that conditional groups cut: `f(a,` / `#if X` / `b,` / `#endif` / `c);`. Each build has one of a few whole
//! statements there, so these are written one after the other as the arms of a group.
//!
//! What has a body of its own is not written twice: `if`, loops and blocks stay as they are.

use super::Writer;
use crate::condition::{ArmShape, Group};
use crate::directive::Directive;
use crate::expand::Expander;
use crate::macros::Meaning;
use crate::shape::{Open, is_control};
use crate::token::TokenKind;
use std::ops::Range;

/// Tokens of a statement that is written more than once.
const LENGTH_LIMIT: usize = 1_500;
/// How many times a statement is written at most.
const WAYS_LIMIT: usize = 4;

/// A group, and the directive that begins it.
type Cut<'a> = (&'a [u8], Group);

/// The ways in which builds read a statement.
pub(super) struct Readings {
    /// The token ranges that make up the statement, for each way.
    ways: Vec<Vec<Range<usize>>>,
    /// Index behind the `;`.
    end: usize,
    /// It is the one statement that an `if` and the like wants.
    braced: bool,
}

impl<'a> Writer<'a> {
    /// The ways in which builds read the statement that begins at `at`; `None` when no group cuts it, or the tokens do not tell.
    pub(super) fn cut_statement(&self, at: usize) -> Option<Readings> {
        let block = matches!(self.shape.innermost(), Some(Open::Body | Open::Block));
        if !block || self.copies > 0 {
            return None;
        }
        let first = self.raw.tokens.get(at)?;
        let word = self.text(*first);
        let control = first.kind == TokenKind::Ident && is_control(word) && word != b"return";
        let begins = first.kind == TokenKind::Ident || matches!(word, b"*" | b"(" | b"++" | b"--");
        if control || !begins {
            return None;
        }
        let braced = !self.shape.at_statement();
        if braced && self.shape.statement().len() > LENGTH_LIMIT {
            return None;
        }
        if braced {
            let before = at.checked_sub(1).map(|before| self.text(self.raw.tokens[before]));
            let plain = matches!(self.raw.visible.meaning(word, first.start), Meaning::None);
            if !matches!(before, Some(b")" | b"else")) || !plain || !self.wants_substatement() {
                return None;
            }
        }
        let (groups, end) = self.groups_within(at)?;
        Some(Readings {
            ways: ways(at, end, &groups)?,
            end,
            braced,
        })
    }

    /// The groups within the statement that begins at `at`, if there are any, and the index behind its `;`.
    fn groups_within(&self, at: usize) -> Option<(Vec<Cut<'a>>, usize)> {
        let (mut groups, mut depth) = (Vec::new(), 0_usize);
        let mut index = at;
        while index < self.raw.tokens.len().min(at + LENGTH_LIMIT) {
            let token = self.raw.tokens[index];
            if token.kind == TokenKind::Directive {
                match self.directives.at(index)? {
                    Directive::If(_) => {
                        let group = self.directives.group(index)?.clone();
                        if !self.is_within(&group) {
                            return None;
                        }
                        index = group.last + 1;
                        groups.push((self.text(token).trim_ascii(), group));
                        continue;
                    }
                    Directive::Other => {}
                    _ => return None,
                }
            }
            match self.text(token) {
                b"(" | b"[" => depth += 1,
                b"{" if depth > 0 || self.is_initial_brace(index) => depth += 1,
                b")" | b"]" | b"}" => depth = depth.checked_sub(1)?,
                b"{" => return None,
                b";" if depth == 0 => return (!groups.is_empty()).then_some((groups, index + 1)),
                b";" => return None,
                _ => {}
            }
            index += 1;
        }
        None
    }

    /// Whether the brace at `at` begins an initialiser.
    fn is_initial_brace(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.raw.tokens.get(before));
        before.is_some_and(|before| self.text(*before) == b"=" || before.kind == TokenKind::Directive)
    }

    /// Whether brackets match in each arm of `group`, no statement ends there, and there is no group within.
    fn is_within(&self, group: &Group) -> bool {
        group.arms.iter().all(|arm| {
            let inside = self
                .raw
                .tokens
                .get(arm.directive + 1..arm.end)
                .unwrap_or_default();
            let part = |token: &&crate::token::Token| {
                token.kind == TokenKind::Directive || self.text(**token) == b";"
            };
            arm.shape(self.raw.text, self.raw.tokens) != ArmShape::Unbalanced
                && inside.iter().find(part).is_none()
        })
    }

    /// Writes the ways of a statement as a group; returns the index of the next token.
    pub(super) fn write_ways(&mut self, ways: Readings, expander: &mut Expander<'a>) -> usize {
        let start = |range: Option<&Range<usize>>| {
            let token = range.and_then(|range| self.raw.tokens.get(range.start));
            token.map_or(self.raw_at, |token| token.start)
        };
        let begins = start(ways.ways.first().and_then(|way| way.first()));
        self.blank_to(begins);
        if ways.braced {
            self.stand_in("{", TokenKind::Punct, begins, begins);
        }
        self.copies += 1;
        let last = ways.ways.len() - 1;
        for (index, way) in ways.ways.iter().enumerate() {
            let directive = match index {
                0 => "\n#if 1\n",
                index if index == last => "\n#else\n",
                _ => "\n#elif 1\n",
            };
            self.insert(directive, begins);
            for range in way {
                self.run(range.clone(), expander);
            }
        }
        self.insert("\n#endif\n", self.raw_at);
        self.copies -= 1;
        if ways.braced {
            self.stand_in("}", TokenKind::Punct, self.raw_at, self.raw_at);
        }
        ways.end
    }
}

/// The token ranges of each way through `groups`, which stand between `at` and `end`. Groups with the same condition go together.
fn ways(at: usize, end: usize, groups: &[Cut<'_>]) -> Option<Vec<Vec<Range<usize>>>> {
    let count = |group: &Group| group.arms.len() + usize::from(!group.exhaustive);
    let mut conditions: Vec<(&[u8], usize)> = Vec::new();
    for (condition, group) in groups {
        match conditions.iter().find(|(known, _)| known == condition) {
            // Groups with equal conditions are one choice only if they have equally many arms.
            Some((_, ways)) if *ways != count(group) || *ways > 2 => return None,
            Some(_) => {}
            None => conditions.push((condition, count(group))),
        }
    }
    let total: usize = conditions.iter().map(|(_, ways)| ways).product();
    if !(2..=WAYS_LIMIT).contains(&total) {
        return None;
    }
    let all = (0..total).map(|number| {
        let mut ranges = Vec::new();
        let mut from = at;
        for (condition, group) in groups {
            let (mut rest, mut chosen) = (number, 0);
            for (known, ways) in &conditions {
                chosen = rest % ways;
                rest /= ways;
                if known == condition {
                    break;
                }
            }
            ranges.push(from..group.first);
            if let Some(arm) = group.arms.get(chosen) {
                ranges.push(arm.directive + 1..arm.end);
            }
            from = group.last + 1;
        }
        ranges.push(from..end);
        ranges
    });
    Some(all.collect())
}
