//! Conditional groups on the way into prepared text: dropped, kept as groups, or cut down to one arm.

use super::Writer;
use crate::condition::{Arm, ArmShape, ChosenArm, Group};
use crate::directive::{Condition, Directive};
use crate::expand::Expander;
use crate::shape::{Open, Written, is_control};
use crate::token::{Token, TokenKind, lex};
use base::{Cause, Confidence, Doubt};
use std::ops::Range;

/// Conditional groups nested deeper than this are not looked into.
const GROUP_DEPTH_LIMIT: usize = 48;

/// A statement is written at most this many times over; twice per group that ends in `else`.
const COPY_LIMIT: usize = 2;

/// A conditional group that is being passed.
pub(super) struct OpenGroup {
    /// Directives of the arms that are kept.
    kept: Vec<usize>,
    /// The group stays a group in the prepared text.
    native: bool,
    /// The arm at hand is kept.
    pub(super) live: bool,
    /// An arm has been written.
    begun: bool,
    /// The last arm is taken whenever no other is.
    exhaustive: bool,
    /// The group is the one statement that an `if` and the like wants, and braces were put around it. The arm at hand begins at
    /// this offset of the prepared text.
    braced: Option<u32>,
    /// The arm ends in `else`: the statement behind the group, as token indices, belongs to either way.
    shared: Option<Range<usize>>,
}

impl<'a> Writer<'a> {
    /// Deals with the directive at `at`; returns the index of the next token.
    pub(super) fn directive(&mut self, at: usize, expander: &mut Expander<'a>) -> usize {
        let skipping = self.groups.last().is_some_and(|g| !g.live);
        let start = self.raw.tokens[at].start;
        match self.directives.at(at) {
            Some(Directive::If(_)) => {
                let open = if skipping {
                    OpenGroup::skipped()
                } else {
                    self.open_group(at)
                };
                self.groups.push(open);
                self.arm(at);
            }
            Some(Directive::Elif(_) | Directive::Else) => {
                self.end_arm();
                self.arm(at);
            }
            Some(Directive::Endif) => {
                self.end_arm();
                let Some(open) = self.groups.pop() else {
                    return at + 1;
                };
                if let Some(shared) = open.shared {
                    self.share(at, shared.clone(), expander);
                    return shared.end;
                }
                if open.native {
                    self.marker(at, if open.begun { "\n#endif\n" } else { "\n" });
                }
                if open.braced.is_some() {
                    let end = self.raw.tokens[at].end;
                    self.stand_in("}", TokenKind::Punct, end, end);
                }
            }
            // Pragmas are asked for by the loops behind them.
            Some(Directive::Include(path))
                if !skipping
                    && self.shape.in_function()
                    && self.raw.visible.pragmas_alone(path).is_none() =>
            {
                let doubt = Doubt::about(Cause::Included, path, self.line(start));
                self.note(start..start + 1, Confidence::Partial, doubt);
            }
            _ => {}
        }
        at + 1
    }

    /// Writes the statement `shared` twice: as the `else` of the arm that has just ended, and for builds without it.
    fn share(&mut self, endif: usize, shared: Range<usize>, expander: &mut Expander<'a>) {
        self.copies += 1;
        self.marker(endif, "\n");
        self.run(shared.clone(), expander);
        let start = self.raw.tokens[shared.start].start;
        self.insert("\n#else\n", start);
        self.run(shared, expander);
        self.insert("\n#endif\n", self.raw_at);
        self.copies -= 1;
    }

    /// Leaves the arm at hand. Where it ends in `name:`, the statement that this belongs to stands behind the group, for all
    /// builds; behind `case …:` the grammar wants none.
    fn end_arm(&mut self) {
        let open = self.groups.last().filter(|open| open.live);
        if let Some(begins) = open.and_then(|open| open.braced) {
            // What its macros stand for may be several statements, of which the `if` has the first.
            let written = self.prepared.text.get(begins as usize..).unwrap_or_default();
            if !is_one_statement(written, &lex(written)) {
                let doubt = Doubt::at(Cause::SplitByIf, self.line(self.raw_at));
                self.note(self.raw_at..self.raw_at + 1, Confidence::Partial, doubt);
            }
        }
        let statement = self.shape.statement();
        let first = statement.first();
        let first = first.and_then(|t| self.prepared.text.get(t.start as usize..t.end as usize));
        let named = statement.len() == 2 && first != Some(b"default");
        if named && self.groups.last().is_some_and(|open| open.live && open.native) {
            self.end_label();
        }
    }

    /// Enters the arm whose directive is at `at`.
    fn arm(&mut self, at: usize) {
        let Some(open) = self.groups.last_mut() else {
            return;
        };
        open.live = open.kept.contains(&at);
        if open.live && open.native {
            let first = !std::mem::replace(&mut open.begun, true);
            let last = open.exhaustive && open.kept.last() == Some(&at);
            let text = match (first, last) {
                (true, _) => "\n#if 1\n",
                (false, false) => "\n#elif 1\n",
                (false, true) => "\n#else\n",
            };
            self.marker(at, text);
            let begins = self.offset();
            if let Some(open) = self.groups.last_mut() {
                open.braced = open.braced.map(|_| begins);
            }
        }
    }

    fn open_group(&mut self, at: usize) -> OpenGroup {
        let deep = self.groups.len() >= GROUP_DEPTH_LIMIT;
        let Some(group) = self.directives.group(at) else {
            return OpenGroup::skipped();
        };
        let tokens = self.raw.tokens;
        let start = tokens[at].start;
        let end = tokens
            .get(group.last + 1)
            .or(tokens.last())
            .map_or(start, |t| t.end);
        if deep {
            let doubt = Doubt::at(Cause::GroupsTooDeep, self.line(start));
            self.note(start..end, Confidence::Partial, doubt);
            return OpenGroup::skipped();
        }
        let shapes: Vec<(Arm, ArmShape)> = group.arms.iter().map(|arm| (*arm, self.shape_of(arm))).collect();
        let all = all_arms(group);
        // Nothing to choose from, or nothing between the directives: the group is as good as not there.
        let single = group.exhaustive && all.len() <= 1 || self.is_include_guard(at);
        if single || shapes.iter().all(|(_, shape)| *shape == ArmShape::Empty) {
            return OpenGroup::keeping(all);
        }
        let group = group.clone();
        let kept = if self.shape.in_function() {
            self.group_in_function(&group, &shapes, start)
        } else if self.shape.innermost() != Some(Open::Other) && self.shape.at_statement() {
            self.group_between_functions(&group, &shapes)
        } else if self.is_behind_type_of_item() {
            let arm = self.choice_of_heads(&group);
            arm.map(|arm| OpenGroup::keeping(vec![arm]))
        } else {
            None
        };
        if let Some(open) = kept {
            return open;
        }
        if self.shape.innermost() == Some(Open::Data)
            && shapes.iter().all(|(_, s)| *s != ArmShape::Unbalanced)
        {
            return OpenGroup::keeping(all);
        }
        self.first_arm(&shapes, group.exhaustive, start..end)
    }

    /// Whether the item at hand, outside of any function, is words alone so far.
    fn is_behind_type_of_item(&self) -> bool {
        let words = self
            .shape
            .item()
            .iter()
            .all(|token| token.kind == TokenKind::Ident);
        words && matches!(self.shape.innermost(), None | Some(Open::Linkage))
    }

    /// What is kept of a group in a function, if that can be told.
    fn group_in_function(
        &mut self,
        group: &Group,
        shapes: &[(Arm, ArmShape)],
        start: u32,
    ) -> Option<OpenGroup> {
        let (tokens, text) = (self.raw.tokens, self.raw.text);
        let exhaustive = group.exhaustive;
        let whole = are_whole(shapes);
        let all = all_arms(group);
        if whole && self.statements_around(group) {
            self.end_label();
            return Some(OpenGroup {
                native: true,
                exhaustive,
                ..OpenGroup::keeping(all)
            });
        }
        let single = |(arm, _): &(Arm, ArmShape)| {
            let tokens = tokens.get(arm.directive + 1..arm.end);
            is_one_statement(text, tokens.unwrap_or_default())
        };
        if exhaustive && self.wants_substatement() && shapes.iter().all(single) {
            self.stand_in("{", TokenKind::Punct, start, start);
            return Some(OpenGroup {
                native: true,
                exhaustive,
                braced: Some(self.offset()),
                ..OpenGroup::keeping(all)
            });
        }
        if let ([(arm, ArmShape::Balanced | ArmShape::Invocations)], Some(shared)) =
            (shapes, self.shared_statement(group))
            && self.wants_statement(arm, &shared)
        {
            return Some(OpenGroup {
                native: true,
                shared: Some(shared),
                ..OpenGroup::keeping(all)
            });
        }
        self.guarded(group).or_else(|| self.guarded_operands(group))
    }

    /// The same of a group where declarations and functions stand.
    fn group_between_functions(&self, group: &Group, shapes: &[(Arm, ArmShape)]) -> Option<OpenGroup> {
        let whole = are_whole(shapes);
        let invoked = |shape: &ArmShape| *shape == ArmShape::Invocations;
        let items = shapes
            .iter()
            .all(|(_, s)| invoked(s) || matches!(s, ArmShape::Empty | ArmShape::Statements));
        let next = self.raw.tokens.get(group.last + 1);
        let head = next.is_some_and(|t| self.text(*t) == b"{");
        if let Some(arm) = self.choice_of_heads(group) {
            return Some(OpenGroup::keeping(vec![arm]));
        }
        (whole || (items && !head)).then(|| OpenGroup::keeping(all_arms(group)))
    }

    /// Keeps one arm of a group that splits something, so that what follows can be read at all; nothing may be claimed about it.
    fn first_arm(&mut self, shapes: &[(Arm, ArmShape)], exhaustive: bool, range: Range<u32>) -> OpenGroup {
        let line = self.line(range.start);
        let words_only = |arm: &Arm| arm.code(self.raw.tokens).all(|t| t.kind == TokenKind::Ident);
        let attribute = !self.shape.in_function()
            && shapes.iter().all(|(arm, _)| words_only(arm))
            && exhaustive | (shapes.len() == 1);
        let (confidence, cause) = if attribute {
            (Confidence::Repaired, Cause::ChoiceOfAttributes)
        } else {
            (Confidence::Partial, Cause::SplitByIf)
        };
        let first = shapes.iter().find(|(_, shape)| *shape != ArmShape::Empty);
        let kept = first.map(|(arm, _)| arm.directive).into_iter().collect();
        self.note(range, confidence, Doubt::at(cause, line));
        OpenGroup::keeping(kept)
    }

    /// What the tokens of an arm amount to. A statement may end with a macro that ends it, and items with words on lines of their own.
    fn shape_of(&self, arm: &Arm) -> ArmShape {
        let mut items = *arm;
        while !self.shape.in_function()
            && let Some(last) = items.last(self.raw.tokens)
            && self.has_own_line(last)
        {
            items.end = last;
        }
        let (text, tokens) = (self.raw.text, self.raw.tokens);
        let mut shape = items.shape(text, tokens);
        // The arms of a group within may each open the same brace.
        if shape == ArmShape::Unbalanced && !self.shape.in_function() {
            let [one, other] = [ChosenArm::First, ChosenArm::Last]
                .map(|chosen| items.shape_by_choice(text, tokens, &self.directives, chosen));
            if one == other {
                shape = one;
            }
        }
        let (first, last) = (arm.code(self.raw.tokens).next(), arm.last(self.raw.tokens));
        let continues = first.is_some_and(|first| matches!(self.text(*first), b"else" | b"," | b"." | b"->"));
        match shape {
            ArmShape::Balanced | ArmShape::Invocations
                if self.shape.in_function()
                    && !continues
                    && last.is_some_and(|last| self.ends_by_macro(last)) =>
            {
                ArmShape::Statements
            }
            shape => shape,
        }
    }

    /// `#ifndef NAME` outside functions, with `#define NAME` as the first thing in it: whoever reads the file for the first
    /// time gets all of it.
    fn is_include_guard(&self, at: usize) -> bool {
        let Some(Directive::If(Condition::Unless(name))) = self.directives.at(at) else {
            return false;
        };
        let defines =
            matches!(self.directives.at(at + 1), Some(Directive::Define(defined, _)) if defined == name);
        let empty = self.directives.at(at + 1).is_some_and(
            |define| matches!(define, Directive::Define(_, definition) if definition.params.is_none() && definition.body.len() <= 1),
        );
        defines && empty && !self.shape.in_function()
    }

    /// Whether statements may stand where the group stands.
    fn statements_around(&self, group: &Group) -> bool {
        let after = self.raw.tokens.get(group.last + 1).map(|t| self.text(*t));
        let block = matches!(self.shape.innermost(), Some(Open::Body | Open::Block));
        block && after != Some(b"else") && (self.shape.at_statement() || self.is_label())
    }

    /// Whether the statement at hand ends in `else` or in `if (…)` and the like, so that one statement must follow.
    pub(super) fn wants_substatement(&self) -> bool {
        let text = |t: &Written| {
            let bytes = self.prepared.text.get(t.start as usize..t.end as usize);
            bytes.unwrap_or_default()
        };
        let block = matches!(self.shape.innermost(), Some(Open::Body | Open::Block));
        block && ends_in_head(&Vec::from_iter(self.shape.statement().iter().map(text)))
    }

    /// Whether `arm` ends in `else` or in `if (…)` and the like, so that `shared`, the statement behind, belongs to it.
    fn wants_statement(&self, arm: &Arm, shared: &Range<usize>) -> bool {
        let words: Vec<&[u8]> = arm.code(self.raw.tokens).map(|t| self.text(*t)).collect();
        let is_else = words.last() == Some(&b"else".as_slice());
        // An `else` behind would belong to an `if` that only some builds have.
        let after = self.raw.tokens.get(shared.end).map(|t| self.text(*t));
        (is_else || after != Some(b"else".as_slice())) && ends_in_head(&words)
    }

    /// The tokens of the statement behind `group`, when it is simple enough to be written twice.
    fn shared_statement(&self, group: &Group) -> Option<Range<usize>> {
        if self.copies >= COPY_LIMIT || !self.statements_around(group) {
            return None;
        }
        let start = group.last + 1;
        let first = self.text(*self.raw.tokens.get(start)?);
        if is_control(first) {
            return None;
        }
        let (mut open, mut groups) = (0, 0);
        for (at, token) in self.raw.tokens.iter().enumerate().skip(start) {
            if token.kind == TokenKind::Directive {
                match self.directives.at(at) {
                    Some(Directive::If(_)) => groups += 1,
                    Some(Directive::Endif) if groups > 0 => groups -= 1,
                    Some(Directive::Elif(_) | Directive::Else | Directive::Endif) if groups == 0 => {
                        return None;
                    }
                    _ => {}
                }
                continue;
            }
            match self.text(*token) {
                b"{" | b"(" | b"[" => open += 1,
                b"}" | b")" | b"]" => open -= 1,
                _ => {}
            }
            let ends = match first {
                b"{" => open == 0,
                _ => open == 0 && self.text(*token) == b";",
            };
            if ends || open < 0 {
                return (ends && groups == 0).then_some(start..at + 1);
            }
        }
        None
    }

    /// Whether the tokens of the statement at hand are `case …:`, `default:` or `name:`.
    pub(super) fn is_label(&self) -> bool {
        let statement = self.shape.statement();
        let text = |t: &Written| {
            self.prepared
                .text
                .get(t.start as usize..t.end as usize)
                .unwrap_or_default()
        };
        let colon = statement.last().is_some_and(|t| text(t) == b":");
        let first = statement.first().map(text).unwrap_or_default();
        colon && (first == b"case" || statement.len() == 2)
    }

    /// The grammar wants a statement after a label; the group is not one.
    pub(super) fn end_label(&mut self) {
        if !self.shape.at_statement() && self.is_label() {
            self.insert(" ;", self.raw_at);
            self.shape.begin_statement();
        }
    }
}

/// The directives of all arms of a group.
fn all_arms(group: &Group) -> Vec<usize> {
    group.arms.iter().map(|arm| arm.directive).collect()
}

/// Whether every arm is a row of whole statements.
fn are_whole(shapes: &[(Arm, ArmShape)]) -> bool {
    let whole = |shape: &ArmShape| matches!(shape, ArmShape::Empty | ArmShape::Statements);
    shapes.iter().all(|(_, shape)| whole(shape))
}

/// Whether `tokens` are one statement, of which nothing behind it can become a part: no `if` or loop, but `do … while (…);`. Or one
/// block.
fn is_one_statement(text: &[u8], tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    let mut ends = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == TokenKind::Directive {
            return false;
        }
        match token.text(text) {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" => depth = depth.saturating_sub(1),
            b"}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    ends.push(at + 1);
                }
            }
            b";" if depth == 0 => ends.push(at + 1),
            _ => {}
        }
    }
    let word = |at: usize| tokens.get(at).map(|t| t.text(text)).unwrap_or_default();
    match (ends.as_slice(), word(0)) {
        (&[body, end], b"do") => end == tokens.len() && word(body) == b"while",
        (&[end], first) => end == tokens.len() && !is_head(first) && !matches!(first, b"do" | b"else"),
        _ => false,
    }
}

/// Whether a condition in parentheses follows the word, and then a statement.
fn is_head(word: &[u8]) -> bool {
    matches!(word, b"if" | b"for" | b"while" | b"switch")
}

/// Whether `words` end in `else` or in `if (…)` and the like.
fn ends_in_head(words: &[&[u8]]) -> bool {
    if words.last() == Some(&b"else".as_slice()) {
        return true;
    }
    let mut depth = 0;
    let mut head = None;
    for (at, word) in words.iter().enumerate().rev() {
        match *word {
            b")" => depth += 1,
            b"(" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            head = at.checked_sub(1);
            break;
        }
    }
    let last = words.last() == Some(&b")".as_slice());
    last && head.is_some_and(|at| is_head(words[at]))
}

impl OpenGroup {
    fn skipped() -> Self {
        Self::keeping(Vec::new())
    }

    pub(super) fn keeping(kept: Vec<usize>) -> Self {
        Self {
            kept,
            native: false,
            live: false,
            begun: false,
            exhaustive: false,
            shared: None,
            braced: None,
        }
    }
}
