//! Raw text to prepared text: what the C grammar can parse, with a table back to raw positions.
//!
//! One pass over the tokens. Comments and directives become blanks, macros are expanded, attributes vanish, dead
//! `#if` arms are dropped, and conditional groups inside functions stay as groups when each arm is made of whole
//! statements. Whatever this pass cannot do exactly leaves a [`Note`] that the function around it inherits.

mod groups;
mod guard;
mod heads;
mod invocation;
mod rewrite;
mod spare;
mod split;

use crate::condition::Directives;
use crate::expand::Expander;
use crate::hidden::Memory;
use crate::macros::Visible;
use crate::position::{Lines, PositionMap};
use crate::repair;
use crate::shape::{Bodies, Event, Shape, Written, is_cxx_keyword};
use crate::token::{Token, TokenKind};
use base::{Cause, Confidence, Doubt, Language};
use groups::OpenGroup;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
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
    /// Raw offsets of attributes that change what is called.
    pub attributes: Vec<(u32, ir::Attribute)>,
    /// Function bodies as the tokens show them, in prepared offsets.
    pub bodies: Bodies,
    /// Prepared offsets of the zeros that stand for a type given as an argument, sorted.
    pub type_arguments: Vec<u32>,
    /// Prepared offsets of the words `int` that stand for a type of another name, sorted.
    pub cast_types: Vec<u32>,
    /// Prepared offsets of words that stand for the name of an operator, as in `this->operator()(i)`, sorted.
    pub operators: Vec<u32>,
    /// Prepared offsets of names that a macro's own expansion left alone: they name functions, sorted.
    pub hidden_names: Vec<u32>,
    /// Prepared offsets of names that the build may change, without a change of what they name, sorted.
    pub renamed: Vec<u32>,
    /// Raw offsets of invocations whose expansion could be left out, sorted.
    pub optional: Vec<u32>,
    /// Prepared offsets of names that are invocations of macros without arguments, sorted.
    pub invocations: Vec<u32>,
    /// Prepared offsets of macros that were left as they are, and the variables that each may write, sorted.
    pub writes: Vec<(u32, BTreeSet<Box<[u8]>>)>,
}

/// Something that lowers the confidence in the functions that overlap it.
#[derive(Clone, Debug)]
pub struct Note {
    /// The raw bytes concerned.
    pub raw: Range<u32>,
    /// At most this confidence is left.
    pub confidence: Confidence,
    /// Why.
    pub doubt: Doubt,
}

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
    /// The language that it is read as.
    pub language: Language,
}

/// Prepares a file, leaving the expressions and statements that macros stand for unexpanded in the raw ranges of
/// `as_written`, which are sorted.
pub fn prepare(raw: Raw, as_written: &[Range<u32>]) -> Prepared {
    let mut writer = Writer {
        raw,
        directives: Directives::new(raw.text, raw.tokens, raw.language),
        as_written: as_written.to_vec(),
        raw_at: 0,
        prepared: Prepared {
            text: Vec::with_capacity(raw.text.len() + raw.text.len() / 4),
            ..Prepared::default()
        },
        shape: Shape::new(raw.language),
        groups: Vec::new(),
        inserts: BTreeMap::new(),
        conditional: Vec::new(),
        call_ends: Vec::new(),
        copies: 0,
        values: RefCell::default(),
        hidden: Memory::default(),
    };
    writer.prepared.map.copied(0, 0);
    let mut expander = Expander::new(raw.text, raw.tokens, raw.visible);
    writer.run(0..raw.tokens.len(), &mut expander);
    writer.note_lost_plans();
    writer.prepared.text.push(b'\n');
    writer.prepared.type_arguments.sort_unstable();
    writer.prepared.optional.sort_unstable();
    writer.prepared.bodies = writer.shape.into_bodies();
    writer.prepared
}

struct Writer<'a> {
    raw: Raw<'a>,
    directives: Directives,
    as_written: Vec<Range<u32>>,
    /// Raw bytes before this offset have been dealt with.
    raw_at: u32,
    prepared: Prepared,
    shape: Shape,
    groups: Vec<OpenGroup>,
    /// What to write in front of raw tokens, so that an arm becomes part of the statement around.
    inserts: BTreeMap<usize, Vec<&'static [&'static str]>>,
    /// The blocks that only some builds have: their depth, and the directive that began them.
    conditional: Vec<(usize, &'a [u8])>,
    /// Token indices before which a call ends that stands for a construct which the grammar lacks, innermost last.
    call_ends: Vec<usize>,
    /// What macros hide that are left as they are.
    hidden: Memory,
    /// How many times the tokens at hand are being written.
    copies: usize,
    /// Which words stand somewhere in the file as values do, as far as that was asked for.
    values: RefCell<BTreeMap<Box<[u8]>, bool>>,
}

impl<'a> Writer<'a> {
    /// Writes the raw tokens of `range`.
    pub(super) fn run(&mut self, range: Range<usize>, expander: &mut Expander<'a>) {
        let mut at = range.start;
        while at < range.end {
            if !self.inserts.is_empty() && self.groups.last().is_none_or(|g| g.live) {
                self.insert_planned(at);
            }
            if self.groups.last().is_none_or(|g| g.live)
                && let Some(ways) = self.cut_statement(at)
            {
                at = self.write_ways(ways, expander);
                continue;
            }
            at = match self.raw.tokens[at].kind {
                TokenKind::Directive => self.directive(at, expander),
                _ if self.groups.last().is_some_and(|g| !g.live) => at + 1,
                TokenKind::Ident => self.name(at, expander),
                _ => self.punctuation(at),
            };
        }
    }

    pub(super) fn text(&self, token: Token) -> &'a [u8] {
        token.text(self.raw.text)
    }

    pub(super) fn line(&self, offset: u32) -> u32 {
        self.raw.lines.line(offset)
    }

    pub(super) fn offset(&self) -> u32 {
        self.prepared.text.len() as u32
    }

    pub(super) fn note(&mut self, raw: Range<u32>, confidence: Confidence, doubt: Doubt) {
        self.prepared.notes.push(Note {
            raw,
            confidence,
            doubt,
        });
    }

    /// Writes blanks for the raw bytes up to `to`; whole lines of them are left out.
    pub(super) fn blank_to(&mut self, to: u32) {
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
    pub(super) fn copy(&mut self, at: usize) {
        let token = self.raw.tokens[at];
        self.blank_to(token.start);
        let start = self.offset();
        // Bytes that are no ASCII occur in strings and in exotic names only; the grammar reads valid UTF-8.
        let bytes = self.text(token).iter();
        self.prepared
            .text
            .extend(bytes.map(|b| if b.is_ascii() { *b } else { b'_' }));
        self.raw_at = token.end;
        self.written(token.kind, start, token.start);
    }

    /// Lets the shape follow the token that was written from `start` on, and makes the repairs that it asks for.
    pub(super) fn written(&mut self, kind: TokenKind, start: u32, raw: u32) {
        let end = self.offset();
        // To the grammar of C++ `void f() {};` is a declaration with an initialiser, and `void f() {}` a function.
        if self.shape.is_behind_empty_body() && self.prepared.text[start as usize..] == *b";" {
            self.prepared.text[start as usize] = b' ';
            return;
        }
        let token = Written { kind, start, end };
        let event = self.shape.write(token, &mut self.prepared.text);
        match event {
            Event::None => {}
            Event::Argument(from) => {
                let len = self.shape.item().len().saturating_sub(1);
                let argument = self.shape.item().get(from..len).unwrap_or_default();
                if repair::blank_type_argument(argument, &mut self.prepared.text) {
                    self.prepared
                        .type_arguments
                        .extend(argument.first().map(|t| t.start));
                }
            }
            Event::ItemHead | Event::ItemEnd => {
                let blanked = if self.is_cxx_item() {
                    repair::blank_cxx_attribute(self.shape.item(), &mut self.prepared.text)
                } else {
                    repair::blank_attribute_words(self.shape.item(), &mut self.prepared.text)
                };
                if let Some(word) = blanked {
                    let line = self.line(raw);
                    self.note(
                        raw..raw + 1,
                        Confidence::Repaired,
                        Doubt::about(Cause::TakenForAttribute, word, line),
                    );
                }
                if event == Event::ItemEnd {
                    self.shape.begin_item();
                }
            }
        }
    }

    /// Whether the item at hand has words that C does not know: which of them are attributes is harder to tell then.
    fn is_cxx_item(&self) -> bool {
        let text = |t: &Written| {
            let bytes = self.prepared.text.get(t.start as usize..t.end as usize);
            bytes.unwrap_or_default()
        };
        let mut words = self.shape.item().iter().take(24).map(text);
        self.raw.language == Language::Cxx && words.any(is_cxx_keyword)
    }

    /// Writes `text` for the raw bytes `start..end`.
    pub(super) fn stand_in(&mut self, text: &str, kind: TokenKind, start: u32, end: u32) {
        self.blank_to(start);
        self.prepared.map.expanded(self.offset(), start, end);
        let from = self.offset();
        self.prepared.text.extend_from_slice(text.as_bytes());
        self.written(kind, from, start);
        self.raw_at = end;
        self.prepared.map.copied(self.offset(), end);
    }

    /// Writes text that no raw bytes stand for, and goes on at `raw`.
    pub(super) fn insert(&mut self, text: &str, raw: u32) {
        self.prepared
            .map
            .expanded(self.offset(), self.raw_at, self.raw_at);
        self.prepared.text.extend_from_slice(text.as_bytes());
        self.raw_at = raw;
        self.prepared.map.copied(self.offset(), raw);
    }

    /// Writes a directive of the prepared text for the raw directive at `at`.
    pub(super) fn marker(&mut self, at: usize, text: &str) {
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
}
