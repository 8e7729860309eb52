//! Raw text to prepared text: what the C grammar can parse, with a table back to raw positions.
//!
//! One pass over the tokens. Comments and directives become blanks, macros are expanded, attributes vanish, dead
//! `#if` arms are dropped, and conditional groups inside functions stay as groups when each arm is made of whole
//! statements. Whatever this pass cannot do exactly leaves a [`Note`] that the function around it inherits.

use crate::condition::{Arm, ArmShape, Directives, Group};
use crate::directive::{Definition, Directive};
use crate::expand::{Expander, Outcome, PpToken};
use crate::hazard::{Hazard, hazard, is_structural};
use crate::macros::{Meaning, Visible};
use crate::position::{Lines, PositionMap};
use crate::repair;
use crate::lower::{COMPUTED_GOTO, LABEL_ADDRESS};
use crate::shape::{Bodies, Effect, Open, Shape, Written, declaration_word, is_control};
use crate::token::{Token, TokenKind};
use crate::variants::{Split, same_brackets, split};
use base::Confidence;
use std::ops::Range;

/// Prepared text and what is known about it.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The text to parse.
    pub text: Vec<u8>,
    /// From its offsets to raw ones.
    pub map: PositionMap,
    /// What the preparation could not do exactly.
    pub notes: Vec<Note>,
    /// Function bodies as the tokens show them, in prepared offsets.
    pub bodies: Bodies,
    /// Prepared offsets of the zeros that stand for a type given as an argument, sorted.
    pub type_arguments: Vec<u32>,
    /// Prepared offsets of the words `int` that stand for a type of another name, sorted.
    pub cast_types: Vec<u32>,
    /// Prepared offsets of names that a macro's own expansion left alone: they name functions, sorted.
    pub hidden_names: Vec<u32>,
    /// Raw offsets of invocations whose expansion could be left out, sorted.
    pub optional: Vec<u32>,
}

/// Something that lowers the confidence in the functions that overlap it.
#[derive(Clone, Debug)]
pub struct Note {
    /// The raw bytes concerned.
    pub raw: Range<u32>,
    /// At most this confidence is left.
    pub confidence: Confidence,
    /// Why, for the user.
    pub reason: String,
}

/// Conditional groups nested deeper than this are not looked into.
const GROUP_DEPTH_LIMIT: usize = 48;

/// A statement is written at most this many times over; twice per group that ends in `else`.
const COPY_LIMIT: usize = 2;

/// A macro with more definitions than this is left as it is.
const VARIANT_LIMIT: usize = 4;

/// The inputs of preparation.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    /// The file.
    pub text: &'a [u8],
    /// Its tokens.
    pub tokens: &'a [Token],
    /// Its lines.
    pub lines: &'a Lines,
    /// The macros that it can see.
    pub visible: &'a Visible<'a>,
}

/// Prepares a file, leaving the expressions and statements that macros stand for unexpanded in the raw ranges of
/// `as_written`, which are sorted.
pub fn prepare(raw: Raw<'_>, as_written: &[Range<u32>]) -> Prepared {
    let mut writer = Writer {
        raw,
        directives: Directives::new(raw.text, raw.tokens),
        as_written,
        raw_at: 0,
        prepared: Prepared {
            text: Vec::with_capacity(raw.text.len() + raw.text.len() / 4),
            ..Prepared::default()
        },
        shape: Shape::default(),
        groups: Vec::new(),
        goto_end: None,
        copies: 0,
    };
    writer.prepared.map.copied(0, 0);
    let mut expander = Expander::new(raw.text, raw.tokens, raw.visible);
    writer.run(0..raw.tokens.len(), &mut expander);
    writer.prepared.text.push(b'\n');
    writer.prepared.type_arguments.sort_unstable();
    writer.prepared.optional.sort_unstable();
    writer.prepared.bodies = writer.shape.into_bodies();
    writer.prepared
}

struct Writer<'a> {
    raw: Raw<'a>,
    directives: Directives,
    as_written: &'a [Range<u32>],
    /// Raw bytes before this offset have been dealt with.
    raw_at: u32,
    prepared: Prepared,
    shape: Shape,
    groups: Vec<Frame>,
    /// Token index of the `;` that ends a computed goto.
    goto_end: Option<usize>,
    /// How many times the tokens at hand are being written.
    copies: usize,
}

/// A conditional group that is being passed.
struct Frame {
    /// Directives of the arms that are kept.
    kept: Vec<usize>,
    /// The group stays a group in the prepared text.
    native: bool,
    /// The arm at hand is kept.
    live: bool,
    /// An arm has been written.
    begun: bool,
    /// The last arm is taken whenever no other is.
    exhaustive: bool,
    /// The arm ends in `else`: the statement behind the group, as token indices, belongs to either way.
    shared: Option<Range<usize>>,
}

impl<'a> Writer<'a> {
    /// Writes the raw tokens of `range`.
    fn run(&mut self, range: Range<usize>, expander: &mut Expander<'a>) {
        let mut at = range.start;
        while at < range.end {
            at = match self.raw.tokens[at].kind {
                TokenKind::Directive => self.directive(at, expander),
                _ if self.groups.last().is_some_and(|g| !g.live) => at + 1,
                TokenKind::Ident => self.name(at, expander),
                _ => self.punctuation(at),
            };
        }
    }

    fn text(&self, token: Token) -> &'a [u8] {
        token.text(self.raw.text)
    }

    fn line(&self, offset: u32) -> u32 {
        self.raw.lines.line(offset)
    }

    fn offset(&self) -> u32 {
        self.prepared.text.len() as u32
    }

    fn note(&mut self, raw: Range<u32>, confidence: Confidence, reason: String) {
        self.prepared.notes.push(Note {
            raw,
            confidence,
            reason,
        });
    }

    /// Writes blanks for the raw bytes up to `to`; whole lines of them are left out.
    fn blank_to(&mut self, to: u32) {
        let gap = to.saturating_sub(self.raw_at);
        if gap > 80 {
            self.prepared.text.push(b'\n');
            self.prepared.map.copied(self.offset(), to);
        } else {
            let blanks = self.prepared.text.len() + gap as usize;
            self.prepared.text.resize(blanks, b' ');
        }
        self.raw_at = self.raw_at.max(to);
    }

    /// Copies raw token `at`.
    fn copy(&mut self, at: usize) {
        let token = self.raw.tokens[at];
        self.blank_to(token.start);
        let start = self.offset();
        // Bytes that are no ASCII occur in strings and in exotic names only; the grammar reads valid UTF-8.
        let bytes = self.text(token).iter();
        self.prepared.text.extend(bytes.map(|b| if b.is_ascii() { *b } else { b'_' }));
        self.raw_at = token.end;
        self.written(token.kind, start, token.start);
    }

    /// Lets the shape follow the token that was written from `start` on, and makes the repairs that it asks for.
    fn written(&mut self, kind: TokenKind, start: u32, raw: u32) {
        let end = self.offset();
        let token = Written { kind, start, end };
        let effect = self.shape.write(token, &mut self.prepared.text);
        match effect {
            Effect::None => {}
            Effect::Argument(from) => {
                let len = self.shape.item().len().saturating_sub(1);
                let argument = self.shape.item().get(from..len).unwrap_or_default();
                if repair::blank_type_argument(argument, &mut self.prepared.text) {
                    self.prepared.type_arguments.extend(argument.first().map(|t| t.start));
                }
            }
            Effect::ItemHead | Effect::ItemEnd => {
                let blanked = repair::blank_attribute_words(self.shape.item(), &mut self.prepared.text);
                if let Some(word) = blanked {
                    let line = self.line(raw);
                    self.note(raw..raw + 1, Confidence::Repaired, format!("'{word}' taken for an attribute at line {line}"));
                }
                if effect == Effect::ItemEnd {
                    self.shape.begin_item();
                }
            }
        }
    }

    /// Deals with the token at `at`, which is no identifier; returns the index of the next token.
    fn punctuation(&mut self, at: usize) -> usize {
        let token = self.raw.tokens[at];
        if self.goto_end == Some(at) {
            self.goto_end = None;
            self.stand_in(")", TokenKind::Punct, token.start, token.start);
        }
        if self.text(token) == b"&&" && self.operand_expected() {
            let label = self.raw.tokens.get(at + 1).filter(|t| t.kind == TokenKind::Ident);
            if let Some(label) = label {
                self.stand_in(LABEL_ADDRESS, TokenKind::Ident, token.start, label.end);
                return at + 2;
            }
        }
        if self.text(token) == b"(" && self.shape.in_function() && self.name_in_parens(at) {
            return at + 3;
        }
        self.copy(at);
        at + 1
    }

    /// `(x) - y` and `(T) - y` differ in what the name is, which a grammar cannot know. A type is written as `(int)`,
    /// with a note for lowering, and a value without its parentheses.
    fn name_in_parens(&mut self, at: usize) -> bool {
        let Some([open, name, close, after]) = self.raw.tokens.get(at..at + 4) else {
            return false;
        };
        let (text, visible) = (self.text(*name), self.raw.visible);
        let plain = name.kind == TokenKind::Ident
            && text.is_ascii()
            && self.text(*close) == b")"
            && declaration_word(text).is_none()
            && matches!(visible.meaning(text, name.start), Meaning::None);
        if !plain || !repair::cast_may_follow(self.shape.statement(), &self.prepared.text) {
            return false;
        }
        if visible.is_visible_typedef(text) {
            self.stand_in("(", TokenKind::Punct, open.start, open.end);
            self.blank_to(name.start);
            self.prepared.cast_types.push(self.offset());
            self.stand_in("int", TokenKind::Ident, name.start, name.end);
            self.stand_in(")", TokenKind::Punct, close.start, close.end);
            return true;
        }
        let value = matches!(self.text(*after), b"+" | b"-" | b"*");
        if value {
            let text = String::from_utf8_lossy(text).into_owned();
            self.stand_in(&text, TokenKind::Ident, open.start, close.end);
        }
        value
    }

    /// Whether what comes next is an operand: `&&` is then GNU's address of a label.
    fn operand_expected(&self) -> bool {
        let Some(last) = self.shape.statement().last() else {
            return false;
        };
        let text = self.prepared.text.get(last.start as usize..last.end as usize).unwrap_or_default();
        matches!(text, b"=" | b"(" | b"," | b"{" | b"?" | b":" | b"return" | b"[" | b"-")
    }

    /// `goto *p;` becomes a call that the grammar can read.
    fn computed_goto(&mut self, at: usize) -> bool {
        let tokens = self.raw.tokens;
        let star = tokens.get(at + 1).is_some_and(|t| self.text(*t) == b"*");
        let rest = tokens.iter().enumerate().skip(at).take(100);
        let end = rest.take_while(|(_, t)| t.kind != TokenKind::Directive).find(|(_, t)| self.text(**t) == b";");
        let (true, Some((end, _))) = (star, end) else {
            return false;
        };
        let token = tokens[at];
        self.stand_in(COMPUTED_GOTO, TokenKind::Ident, token.start, token.end);
        self.stand_in("(", TokenKind::Punct, token.end, token.end);
        self.goto_end = Some(end);
        true
    }

    /// Writes `text` for the raw bytes `start..end`.
    fn stand_in(&mut self, text: &str, kind: TokenKind, start: u32, end: u32) {
        self.blank_to(start);
        self.prepared.map.expanded(self.offset(), start, end);
        let from = self.offset();
        self.prepared.text.extend_from_slice(text.as_bytes());
        self.written(kind, from, start);
        self.raw_at = end;
        self.prepared.map.copied(self.offset(), end);
    }

    /// Deals with the identifier at `at`; returns the index of the next token.
    fn name(&mut self, at: usize, expander: &mut Expander<'a>) -> usize {
        let token = self.raw.tokens[at];
        let text = self.text(token);
        let item_begins = self.shape.item().is_empty() && !self.shape.in_function();
        if item_begins && repair::lacks_type(self.raw.text, self.raw.tokens, at) {
            self.stand_in("int", TokenKind::Ident, token.start, token.start);
            self.insert(" ", token.start);
        }
        if text == b"goto" && self.computed_goto(at) {
            return at + 1;
        }
        if let Some(next) = repair::attribute(self.raw.text, self.raw.tokens, at) {
            let raw = token.start..self.raw.tokens.get(next - 1).map_or(token.end, |t| t.end);
            self.blank_to(raw.end);
            let (line, word) = (self.line(token.start), String::from_utf8_lossy(text));
            self.note(raw, Confidence::Repaired, format!("{word} blanked at line {line}"));
            return next;
        }
        match expander.expand(at, self.line(token.start)) {
            Outcome::Plain => self.copy(at),
            Outcome::Opaque => {
                if let Some(next) = self.variants(at, expander) {
                    return next;
                }
                self.opaque(at);
            }
            Outcome::Expanded { tokens, next } => {
                // Another name, or a constant: nothing that could not be parsed.
                let constant = tokens.len() == 1;
                if !constant && !self.is_structural(token) {
                    if self.is_as_written(token.start) {
                        self.opaque(at);
                        return at + 1;
                    }
                    if self.shape.in_function() {
                        self.prepared.optional.push(token.start);
                    }
                }
                self.expansion(token.start, &tokens, next);
                return next;
            }
        }
        at + 1
    }

    fn is_as_written(&self, offset: u32) -> bool {
        let after = self.as_written.partition_point(|range| range.start <= offset);
        after > 0 && self.as_written[after - 1].contains(&offset)
    }

    fn is_structural(&self, token: Token) -> bool {
        match self.raw.visible.meaning(self.text(token), token.start) {
            Meaning::One(definition) => is_structural(definition),
            _ => false,
        }
    }

    /// The expansions of the invocation at `at` by each definition that its name may have, and the next token's index.
    fn expansions(&self, at: usize, expander: &mut Expander<'a>) -> Option<(Vec<Vec<PpToken<'a>>>, usize)> {
        let token = self.raw.tokens[at];
        let Meaning::Several(definitions) = self.raw.visible.meaning(self.text(token), token.start) else {
            return None;
        };
        if !(2..=VARIANT_LIMIT).contains(&definitions.len()) {
            return None;
        }
        let line = self.line(token.start);
        let mut expansions = Vec::new();
        let mut end = None;
        for definition in definitions {
            match expander.expand_as(at, line, definition) {
                Outcome::Expanded { tokens, next } if end.is_none_or(|end| end == next) => {
                    end = Some(next);
                    expansions.push(tokens);
                }
                _ => return None,
            }
        }
        Some((expansions, end?))
    }

    /// Writes a macro that has several definitions: as a conditional group where it stands for statements. Where it
    /// stands for brackets and the like, one definition is taken, so that what follows can be read at all. Returns the
    /// next token's index, or `None` when nothing was written.
    fn variants(&mut self, at: usize, expander: &mut Expander<'a>) -> Option<usize> {
        let token = self.raw.tokens[at];
        if self.is_as_written(token.start) {
            return None;
        }
        let (expansions, end) = self.expansions(at, expander)?;
        let block = matches!(self.shape.innermost(), Some(Open::Body | Open::Block)) && self.shape.at_statement();
        let grouped = if block { self.group_of_variants(token, expansions.clone(), end) } else { None };
        if grouped.is_some() || !same_brackets(&expansions) {
            return grouped;
        }
        let (line, name) = (self.line(token.start), String::from_utf8_lossy(self.text(token)));
        let reason = format!("macro {name} at line {line} has several definitions and hides part of a statement");
        self.note(token.start..token.end, Confidence::Partial, reason);
        self.expansion(token.start, &expansions[0], end);
        Some(end)
    }

    fn group_of_variants(
        &mut self,
        token: Token,
        mut expansions: Vec<Vec<PpToken<'a>>>,
        mut end: usize,
    ) -> Option<usize> {
        // The semicolon behind the invocation completes the last statement of each.
        if let Some(semicolon) = self.raw.tokens.get(end).filter(|t| self.text(**t) == b";") {
            expansions.iter_mut().for_each(|tokens| tokens.push(PpToken::raw(*semicolon, self.raw.text)));
            end += 1;
        }
        let Split { prefix, suffix } = split(&expansions)?;
        let raw_end = self.raw.tokens.get(end - 1).map_or(token.end, |t| t.end);
        self.prepared.optional.push(token.start);
        self.blank_to(token.start);
        self.prepared.map.expanded(self.offset(), token.start, raw_end);
        self.expanded_tokens(token.start, &expansions[0][..prefix]);
        for (index, tokens) in expansions.iter().enumerate() {
            let directive = match index {
                0 => "\n#if 1\n",
                _ if index + 1 == expansions.len() => "\n#else\n",
                _ => "\n#elif 1\n",
            };
            self.prepared.text.extend_from_slice(directive.as_bytes());
            self.expanded_tokens(token.start, &tokens[prefix..tokens.len() - suffix]);
        }
        self.prepared.text.extend_from_slice(b"\n#endif\n");
        self.expanded_tokens(token.start, &expansions[0][expansions[0].len() - suffix..]);
        self.raw_at = raw_end;
        self.prepared.map.copied(self.offset(), raw_end);
        Some(end)
    }

    fn expansion(&mut self, raw_start: u32, tokens: &[PpToken<'a>], next: usize) {
        let raw_end = self.raw.tokens.get(next - 1).map_or(raw_start, |t| t.end);
        self.blank_to(raw_start);
        self.prepared.map.expanded(self.offset(), raw_start, raw_end);
        self.expanded_tokens(raw_start, tokens);
        self.raw_at = raw_end;
        self.prepared.map.copied(self.offset(), raw_end);
    }

    /// Writes tokens into the expanded segment at hand.
    fn expanded_tokens(&mut self, raw_start: u32, tokens: &[PpToken<'a>]) {
        for token in tokens {
            let start = self.offset();
            let bytes = token.text.iter();
            self.prepared.text.extend(bytes.map(|b| if b.is_ascii() { *b } else { b'_' }));
            if token.kind == TokenKind::Ident && token.is_hidden() {
                self.prepared.hidden_names.push(start);
            }
            self.written(token.kind, start, raw_start);
            self.prepared.text.push(b' ');
        }
    }

    /// Copies a macro's name that stays unexpanded, and notes what it may hide.
    fn opaque(&mut self, at: usize) {
        let token = self.raw.tokens[at];
        self.copy(at);
        let name = self.text(token);
        let several;
        let definitions: &[&Definition] = match self.raw.visible.meaning(name, token.start) {
            Meaning::One(definition) => &[definition],
            Meaning::Several(definitions) => {
                several = definitions;
                &several
            }
            Meaning::None | Meaning::Elsewhere => &[],
        };
        let worst = definitions.iter().map(|d| hazard(d)).max().unwrap_or(Hazard::None);
        if worst > Hazard::Call {
            let (line, name) = (self.line(token.start), String::from_utf8_lossy(name));
            let why = if definitions.len() > 1 { "has several definitions" } else { "could not be expanded" };
            let reason = format!("macro {name} at line {line} {why} and hides {worst}");
            self.note(token.start..token.end, Confidence::Partial, reason);
        }
    }

    /// Deals with the directive at `at`; returns the index of the next token.
    fn directive(&mut self, at: usize, expander: &mut Expander<'a>) -> usize {
        let skipping = self.groups.last().is_some_and(|g| !g.live);
        let start = self.raw.tokens[at].start;
        match self.directives.at(at) {
            Some(Directive::If(_)) => {
                let frame = if skipping { Frame::skipped() } else { self.open_group(at) };
                self.groups.push(frame);
                self.arm(at);
            }
            Some(Directive::Elif(_) | Directive::Else) => self.arm(at),
            Some(Directive::Endif) => {
                let Some(frame) = self.groups.pop() else {
                    return at + 1;
                };
                if let Some(shared) = frame.shared {
                    self.share(at, shared.clone(), expander);
                    return shared.end;
                }
                if frame.native {
                    self.marker(at, if frame.begun { "\n#endif\n" } else { "\n" });
                }
            }
            Some(Directive::Include(path)) if !skipping && self.shape.in_function() => {
                let reason = format!("{path} is included at line {}", self.line(start));
                self.note(start..start + 1, Confidence::Partial, reason);
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

    /// Writes text that no raw bytes stand for, and goes on at `raw`.
    fn insert(&mut self, text: &str, raw: u32) {
        self.prepared.map.expanded(self.offset(), self.raw_at, self.raw_at);
        self.prepared.text.extend_from_slice(text.as_bytes());
        self.raw_at = raw;
        self.prepared.map.copied(self.offset(), raw);
    }

    /// Writes a directive of the prepared text for the raw directive at `at`.
    fn marker(&mut self, at: usize, text: &str) {
        let (start, end) = match self.raw.tokens.get(at) {
            Some(token) => (token.start, token.end),
            None => (self.raw_at, self.raw_at),
        };
        self.blank_to(start);
        self.prepared.map.expanded(self.offset(), start, end);
        self.prepared.text.extend_from_slice(text.as_bytes());
        self.raw_at = end;
        self.prepared.map.copied(self.offset(), end);
    }

    /// Enters the arm whose directive is at `at`.
    fn arm(&mut self, at: usize) {
        let Some(frame) = self.groups.last_mut() else {
            return;
        };
        frame.live = frame.kept.contains(&at);
        if frame.live && frame.native {
            let first = !std::mem::replace(&mut frame.begun, true);
            let last = frame.exhaustive && frame.kept.last() == Some(&at);
            let text = match (first, last) {
                (true, _) => "\n#if 1\n",
                (false, false) => "\n#elif 1\n",
                (false, true) => "\n#else\n",
            };
            self.marker(at, text);
        }
    }

    fn open_group(&mut self, at: usize) -> Frame {
        let deep = self.groups.len() >= GROUP_DEPTH_LIMIT;
        let Some(group) = self.directives.group(at) else {
            return Frame::skipped();
        };
        let (tokens, text) = (self.raw.tokens, self.raw.text);
        let start = tokens[at].start;
        let end = tokens.get(group.last + 1).or(tokens.last()).map_or(start, |t| t.end);
        if deep {
            let reason = format!("conditional groups nested too deeply at line {}", self.line(start));
            self.note(start..end, Confidence::Partial, reason);
            return Frame::skipped();
        }
        let shapes: Vec<(Arm, ArmShape)> = group.arms.iter().map(|arm| (*arm, arm.shape(text, tokens))).collect();
        let all: Vec<usize> = group.arms.iter().map(|arm| arm.directive).collect();
        // Nothing to choose from, or nothing between the directives: the group is as good as not there.
        let single = group.exhaustive && all.len() <= 1;
        if single || shapes.iter().all(|(_, shape)| *shape == ArmShape::Empty) {
            return Frame::keeping(all);
        }
        let whole = |shape: &ArmShape| matches!(shape, ArmShape::Empty | ArmShape::Statements);
        let whole = shapes.iter().all(|(_, shape)| whole(shape));
        let exhaustive = group.exhaustive;
        if self.shape.in_function() {
            if whole && self.statements_around(group) {
                self.end_label();
                return Frame {
                    native: true,
                    exhaustive,
                    ..Frame::keeping(all)
                };
            }
            if let ([(arm, ArmShape::Balanced)], Some(shared)) = (shapes.as_slice(), self.shared_statement(group))
                && arm.code(tokens).last().is_some_and(|t| self.text(*t) == b"else")
            {
                return Frame {
                    native: true,
                    shared: Some(shared),
                    ..Frame::keeping(all)
                };
            }
        } else if self.shape.innermost() != Some(Open::Other) && (whole && self.shape.at_statement()) {
            return Frame::keeping(all);
        }
        if self.shape.innermost() == Some(Open::Data) && shapes.iter().all(|(_, s)| *s != ArmShape::Unbalanced) {
            return Frame::keeping(all);
        }
        // One arm is kept so that what follows can be read at all; nothing may be claimed about it.
        let line = self.line(start);
        let words_only = |arm: &Arm| arm.code(tokens).all(|t| t.kind == TokenKind::Ident);
        let attribute = !self.shape.in_function() && group.arms.iter().all(words_only) && exhaustive | (all.len() == 1);
        let (confidence, reason) = if attribute {
            (Confidence::Repaired, format!("#if at line {line} chooses among attributes; the first was taken"))
        } else {
            (Confidence::Partial, format!("#if at line {line} splits a statement"))
        };
        let first = shapes.iter().find(|(_, shape)| *shape != ArmShape::Empty);
        let kept = first.map(|(arm, _)| arm.directive).into_iter().collect();
        self.note(start..end, confidence, reason);
        Frame::keeping(kept)
    }

    /// Whether statements may stand where the group stands.
    fn statements_around(&self, group: &Group) -> bool {
        let after = self.raw.tokens.get(group.last + 1).map(|t| self.text(*t));
        let block = matches!(self.shape.innermost(), Some(Open::Body | Open::Block));
        block && after != Some(b"else") && (self.shape.at_statement() || self.is_label())
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
                    Some(Directive::Elif(_) | Directive::Else | Directive::Endif) if groups == 0 => return None,
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
    fn is_label(&self) -> bool {
        let statement = self.shape.statement();
        let text = |t: &Written| self.prepared.text.get(t.start as usize..t.end as usize).unwrap_or_default();
        let colon = statement.last().is_some_and(|t| text(t) == b":");
        let first = statement.first().map(text).unwrap_or_default();
        colon && (first == b"case" || statement.len() == 2)
    }

    /// The grammar wants a statement after a label; the group is not one.
    fn end_label(&mut self) {
        if !self.shape.at_statement() && self.is_label() {
            self.insert(" ;", self.raw_at);
            self.shape.begin_statement();
        }
    }
}

impl Frame {
    fn skipped() -> Self {
        Self::keeping(Vec::new())
    }

    fn keeping(kept: Vec<usize>) -> Self {
        Self {
            kept,
            native: false,
            live: false,
            begun: false,
            exhaustive: false,
            shared: None,
        }
    }
}
