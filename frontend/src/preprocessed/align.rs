//! The tokens of a line before and after preprocessing, one held against the other.
//!
//! A raw token is *written* if it stands in the output as it is; otherwise it is the name of a macro, and its
//! invocation (the name, or the name with its arguments) stands for any number of output tokens. Of all ways to explain the
//! output the cheapest counts: few invocations, of names that are known as macros rather than of others, with few tokens. If
//! several are equally cheap, nothing is said about the line.

use crate::directive::Definition;
use crate::expand::{Expander, Outcome, PpToken};
use crate::macros::Visible;
use crate::prepare::Raw;
use crate::shape::is_keyword;
use crate::token::{Token, TokenKind};
use std::ops::Range;

/// Where an output token comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRange {
    /// The raw bytes: of the token itself, or of the invocation.
    pub raw: Range<u32>,
    /// It stands in the raw text as it is.
    pub written: bool,
}

/// Cells of the table that is made per line, at most; generated one-liners are not aligned.
const CELL_LIMIT: usize = 1 << 20;

/// What an invocation costs on top of its tokens when none of the definitions in the tree explains it.
const GUESSED: u32 = 100;
/// What an invocation costs on top of its tokens when nobody in the tree defines a macro of its name.
const UNKNOWN: u32 = 1_000;
/// The same when there is a function of its name.
const FUNCTION: u32 = 5_000;

/// No way to explain the rest.
const NEVER: u32 = u32::MAX / 2;

/// Aligns lines of one file.
pub struct Aligner<'a> {
    raw: Raw<'a>,
    output: &'a [u8],
    expander: Expander<'a>,
    /// The best ways from each cell on; kept to save allocations.
    table: Vec<Cell>,
}

/// The ways to explain the output tokens from one on by the raw tokens from one on.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The cheapest, and in how many ways; two stands for more.
    best: Cheapest,
    /// The best cell of the same raw token, here or further right: where an invocation before it may end.
    reach: Cheapest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cheapest {
    cost: u32,
    count: u8,
}

impl Cheapest {
    const NONE: Self = Self {
        cost: NEVER,
        count: 0,
    };

    fn or(self, other: Self) -> Self {
        match self.cost.cmp(&other.cost) {
            std::cmp::Ordering::Less => self,
            std::cmp::Ordering::Greater => other,
            std::cmp::Ordering::Equal => Self {
                cost: self.cost,
                count: (self.count + other.count).min(2),
            },
        }
    }

    fn plus(self, cost: u32) -> Self {
        Self {
            cost: (self.cost + cost).min(NEVER),
            ..self
        }
    }
}

/// What an identifier of the raw text may stand for as a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Invocation {
    /// Index of the raw token behind it.
    next: usize,
    /// The tokens that it stands for, as far as the definitions tell; `None` for any number of any tokens.
    form: Option<Vec<Option<Box<[u8]>>>>,
    cost: u32,
}

impl<'a> Aligner<'a> {
    /// An aligner of `raw` with `output`.
    pub fn new(raw: Raw<'a>, output: &'a [u8]) -> Self {
        Self {
            raw,
            output,
            expander: Expander::new(raw.text, raw.tokens, raw.visible),
            table: Vec::new(),
        }
    }

    /// Where each of the output tokens `after` comes from, if they are what is left of the raw tokens `before`, and only
    /// one explanation is best.
    pub fn places(&mut self, before: Range<usize>, after: &[Token]) -> Option<Vec<RawRange>> {
        let count = before.len();
        if count == after.len() && (0..count).all(|at| self.same(before.start + at, &after[at])) {
            return Some(before.map(|at| self.written(at)).collect());
        }
        let width = after.len() + 1;
        if (count + 1).saturating_mul(width) > CELL_LIMIT {
            return None;
        }
        let invocations: Vec<Vec<Invocation>> = before
            .clone()
            .map(|at| self.invocations(at, before.end))
            .collect();
        self.fill(&before, after, &invocations);
        let start = self.table.first()?.best;
        if start.cost >= NEVER || start.count != 1 {
            return None;
        }
        Some(self.follow(&before, after, &invocations))
    }

    fn fill(&mut self, before: &Range<usize>, after: &[Token], invocations: &[Vec<Invocation>]) {
        let (count, width) = (before.len(), after.len() + 1);
        let empty = Cell {
            best: Cheapest::NONE,
            reach: Cheapest::NONE,
        };
        self.table.clear();
        self.table.resize((count + 1) * width, empty);
        let end = Cheapest { cost: 0, count: 1 };
        for cell in &mut self.table[count * width..] {
            cell.reach = end;
        }
        self.table[(count + 1) * width - 1].best = end;
        for row in (0..count).rev() {
            let mut reach = Cheapest::NONE;
            for column in (0..width).rev() {
                let mut best = Cheapest::NONE;
                if after
                    .get(column)
                    .is_some_and(|token| self.same(before.start + row, token))
                {
                    best = self.table[(row + 1) * width + column + 1].best;
                }
                for invocation in &invocations[row] {
                    let next = (invocation.next - before.start) * width + column;
                    let ways = match &invocation.form {
                        Some(form) if self.fits(form, &after[column..]) => self.table[next + form.len()].best,
                        Some(_) => Cheapest::NONE,
                        None => self.table[next].reach,
                    };
                    best = best.or(ways.plus(invocation.cost));
                }
                reach = reach.or(best);
                self.table[row * width + column] = Cell { best, reach };
            }
        }
    }

    /// The one best way.
    fn follow(
        &self,
        before: &Range<usize>,
        after: &[Token],
        invocations: &[Vec<Invocation>],
    ) -> Vec<RawRange> {
        let width = after.len() + 1;
        let mut places = Vec::with_capacity(after.len());
        let (mut row, mut column) = (0, 0);
        while row < before.len() {
            let cost = self.table[row * width + column].best.cost;
            let at = before.start + row;
            let copied = after.get(column).is_some_and(|token| self.same(at, token))
                && self.table[(row + 1) * width + column + 1].best.cost == cost;
            if copied {
                places.push(self.written(at));
                (row, column) = (row + 1, column + 1);
                continue;
            }
            let step = invocations[row].iter().find_map(|invocation| {
                let next = invocation.next - before.start;
                let ends = match &invocation.form {
                    Some(form) if self.fits(form, &after[column..]) => {
                        column + form.len()..column + form.len() + 1
                    }
                    Some(_) => return None,
                    None => column..width,
                };
                let ends_well = |end: &usize| {
                    let rest = self.table[next * width + end].best;
                    rest.cost < NEVER && rest.cost + invocation.cost == cost
                };
                Some((next, ends.into_iter().find(ends_well)?))
            });
            let Some((next, end)) = step else {
                break;
            };
            let raw = self.raw.tokens[at].start..self.raw.tokens[before.start + next - 1].end;
            places.extend((column..end).map(|_| RawRange {
                raw: raw.clone(),
                written: false,
            }));
            (row, column) = (next, end);
        }
        places
    }

    /// Whether a parenthesis is open at the end of the raw tokens `range`: an invocation may go on behind them.
    pub fn is_open(&self, range: Range<usize>) -> bool {
        let mut depth = 0_i64;
        for token in self.raw.tokens.get(range).unwrap_or_default() {
            match token.text(self.raw.text) {
                b"(" => depth += 1,
                b")" => depth -= 1,
                _ => {}
            }
        }
        depth > 0
    }

    fn same(&self, raw: usize, token: &Token) -> bool {
        self.raw.tokens[raw].text(self.raw.text) == token.text(self.output)
    }

    fn written(&self, at: usize) -> RawRange {
        let token = self.raw.tokens[at];
        RawRange {
            raw: token.start..token.end,
            written: true,
        }
    }

    /// Whether `tokens` begin with what `form` says.
    fn fits(&self, form: &[Option<Box<[u8]>>], tokens: &[Token]) -> bool {
        let fits = |(expected, token): (&Option<Box<[u8]>>, &Token)| match expected {
            Some(text) => **text == *token.text(self.output),
            None => true,
        };
        form.len() <= tokens.len() && form.iter().zip(tokens).all(fits)
    }

    /// What the raw token at `at` may stand for as a macro, before token `end`: what the definitions that are known make
    /// of it, or anything, alone or with arguments. A macro that is not known takes the arguments that follow it.
    fn invocations(&mut self, at: usize, end: usize) -> Vec<Invocation> {
        let token = self.raw.tokens[at];
        let name = token.text(self.raw.text);
        if token.kind != TokenKind::Ident || is_keyword(name) {
            return Vec::new();
        }
        let visible = self.raw.visible;
        let definitions = visible.definitions(name, token.start);
        let mut found = Vec::new();
        for definition in &definitions {
            let line = self.raw.lines.line(token.start);
            let Outcome::Expanded { tokens, next } = self.expander.expand_as(at, line, definition) else {
                continue;
            };
            // What `#` makes is not worked out, and in an invocation over several lines compilers differ about `__LINE__`.
            let own_line = line.to_string();
            let text = |token: &PpToken| {
                let open = token.kind == TokenKind::Str || *token.text == *own_line.as_bytes();
                (!open).then(|| (*token.text).into())
            };
            let invocation = Invocation {
                next,
                form: Some(tokens.iter().map(text).collect()),
                cost: 1 + (next - at) as u32,
            };
            if next <= end && !found.contains(&invocation) {
                found.push(invocation);
            }
        }
        let extra = if !definitions.is_empty() {
            GUESSED
        } else if visible.is_function(name) {
            FUNCTION
        } else {
            UNKNOWN
        };
        let anything = |next: usize| Invocation {
            next,
            form: None,
            cost: extra + 1 + (next - at) as u32,
        };
        let arguments = self.after_arguments(at + 1, end);
        let takes = |d: &&Definition| d.params.is_some() || ends_in_call(visible, d, token.start);
        if definitions.iter().any(|d| d.params.is_none()) || (definitions.is_empty() && arguments.is_none()) {
            found.push(anything(at + 1));
        }
        if definitions.is_empty() || definitions.iter().any(takes) {
            found.extend(arguments.map(anything));
        }
        found
    }

    /// The token behind the parenthesised ones that begin at `open`.
    fn after_arguments(&self, open: usize, end: usize) -> Option<usize> {
        let first = self.raw.tokens.get(open)?;
        if open >= end || first.text(self.raw.text) != b"(" {
            return None;
        }
        let mut depth = 0;
        for at in open..end {
            match self.raw.tokens[at].text(self.raw.text) {
                b"(" => depth += 1,
                b")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }
}

/// Whether a macro without parameters ends in the name of one that has some: it then takes the arguments that follow.
fn ends_in_call(visible: &Visible, definition: &Definition, offset: u32) -> bool {
    let mut name = match (&definition.params, definition.body.last()) {
        (None, Some(last)) if last.kind == TokenKind::Ident => &*last.text,
        _ => return false,
    };
    for _ in 0..8 {
        let definitions = visible.definitions(name, offset);
        if definitions.iter().any(|d| d.params.is_some()) {
            return true;
        }
        match definitions.first().and_then(|d| d.body.last()) {
            Some(last) if last.kind == TokenKind::Ident => name = &last.text,
            _ => return false,
        }
    }
    false
}
