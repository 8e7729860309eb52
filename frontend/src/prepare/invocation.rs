//! Macro invocations on the way into prepared text: expanded, turned into alternatives, or left as they are written.

mod opaque;
mod variants;

use opaque::Unexpanded;

use super::Writer;
use crate::directive::Definition;
use crate::expand::{Expander, Outcome, PpToken};
use crate::hazard::{Hazard, hazard, is_structural};
use crate::macros::Meaning;
use crate::repair;
use crate::shape::{Open, is_keyword};
use crate::token::{Token, TokenKind};
use base::looks_like_macro;
use base::{Cause, Confidence, Doubt, Language};

/// A macro with more definitions than this is left as it is.
const VARIANT_LIMIT: usize = 4;
/// Tokens of the parameters of a function.
const HEAD_LIMIT: usize = 400;

impl<'a> Writer<'a> {
    /// Deals with the identifier at `at`; returns the index of the next token.
    pub(super) fn name(&mut self, at: usize, expander: &mut Expander<'a>) -> usize {
        let token = self.raw.tokens[at];
        let text = self.text(token);
        let item_begins = self.shape.item().is_empty() && !self.shape.in_function();
        let plain_c = self.raw.language == Language::C;
        if plain_c && item_begins && repair::lacks_type(self.raw.text, self.raw.tokens, at) {
            self.stand_in("int", TokenKind::Ident, token.start, token.start);
            self.insert(" ", token.start);
        }
        if text == b"goto" && self.computed_goto(at) {
            return at + 1;
        }
        if text == b"throw" && self.raw.language == Language::Cxx && self.thrown_operand(at) {
            return at + 1;
        }
        if text == b"operator"
            && let Some(next) = self.operator_called(at)
        {
            return next;
        }
        if text == b"typename" && self.is_typename_of_object(at) {
            self.blank_to(token.end);
            return at + 1;
        }
        if let Some(next) = repair::attribute(self.raw.text, self.raw.tokens, at) {
            self.blank_attribute(at, next);
            return next;
        }
        let block = matches!(self.shape.innermost(), Some(Open::Body | Open::Block));
        expander.stand_at(
            self.shape.in_function(),
            block && (self.shape.at_statement() || self.is_label()),
        );
        match expander.expand(at, self.line(token.start)) {
            Outcome::Plain if self.declares_pointer_to_function(at) => {}
            Outcome::Plain => match self.unknown_macro(at) {
                Some(next) => return next,
                None => self.copy(at),
            },
            Outcome::Opaque if self.names_definition(at) => self.copy(at),
            Outcome::Opaque if self.is_part_of_a_string(at) => {
                self.stand_in("\"\"", TokenKind::Str, token.start, token.end);
            }
            Outcome::Opaque => {
                let found = self
                    .taken_for_granted(at, expander)
                    .or_else(|| self.variants(at, expander))
                    .or_else(|| self.chosen(at, expander));
                if let Some(next) = found {
                    return next;
                }
                self.opaque(at, expander);
            }
            Outcome::Expanded { tokens, next } => return self.expanded(at, &tokens, next, expander),
        }
        at + 1
    }

    /// Leaves out the attribute whose tokens begin at `at` and end before `next`, and keeps what it says of calls.
    fn blank_attribute(&mut self, at: usize, next: usize) {
        let token = self.raw.tokens[at];
        let raw = token.start..self.raw.tokens.get(next - 1).map_or(token.end, |t| t.end);
        self.blank_to(raw.end);
        let attribute = repair::attribute_of_calls(&self.raw.text[raw.start as usize..raw.end as usize]);
        let attribute = attribute.map(|attribute| (raw.start, attribute));
        self.prepared.attributes.extend(attribute);
        let word = String::from_utf8_lossy(self.text(token));
        let doubt = Doubt::about(Cause::Blanked, word, self.line(token.start));
        self.note(raw, Confidence::Repaired, doubt);
    }

    /// Writes the tokens that the name at `at` stands for, unless it is to stay as it is written; returns the index of the next token.
    fn expanded(
        &mut self,
        at: usize,
        tokens: &[PpToken<'a>],
        next: usize,
        expander: &mut Expander<'a>,
    ) -> usize {
        let token = self.raw.tokens[at];
        // Another name, or a constant: nothing that could not be parsed.
        let constant = tokens.len() == 1;
        if !constant && !self.is_structural(token) {
            if self.is_as_written(token.start) {
                self.opaque(at, expander);
                return at + 1;
            }
            if self.shape.in_function() {
                self.prepared.optional.push(token.start);
            }
        }
        let first = tokens.first();
        if first.is_some_and(|first| first.kind == TokenKind::Directive) {
            self.end_label();
        }
        self.expansion(token.start, tokens, next);
        next
    }

    /// Whether the name at `at` is that of a function which is defined here, `T f(…) {`, whatever macro it is in builds that leave the
    /// definition out.
    fn names_definition(&self, at: usize) -> bool {
        let text = |at: usize| self.raw.tokens.get(at).map(|t| self.text(*t)).unwrap_or_default();
        let name = text(at);
        let typed = at.checked_sub(1).is_some_and(|before| {
            let word = self.raw.tokens[before].kind == TokenKind::Ident;
            word && !is_keyword(text(before)) || text(before) == b"*"
        });
        if self.shape.in_function() || self.shape.item().is_empty() || !typed || looks_like_macro(name) {
            return false;
        }
        // Each parameter has a type: `T MAKE(name) {` is a macro that makes the head of a function.
        let (mut depth, mut words, mut first) = (0_usize, 0_usize, true);
        for index in at + 1..self.raw.tokens.len().min(at + HEAD_LIMIT) {
            match text(index) {
                b"(" => depth += 1,
                b")" => depth = depth.saturating_sub(1),
                _ => words += usize::from(self.raw.tokens[index].kind == TokenKind::Ident),
            }
            let ends = depth == 0 || depth == 1 && text(index) == b",";
            let none = depth == 0 && first && (words == 0 || text(index - 1) == b"void");
            if ends && words < 2 && !none {
                return false;
            }
            if depth == 0 {
                return text(index) == b")" && text(index + 1) == b"{";
            }
            if ends {
                (words, first) = (0, false);
            }
        }
        false
    }

    /// Whether the name at `at` stands between string literals: whatever it is in which build, it is one too.
    pub(super) fn is_part_of_a_string(&self, at: usize) -> bool {
        let kind = |at: Option<usize>| at.and_then(|at| self.raw.tokens.get(at)).map(|token| token.kind);
        let called = self
            .raw
            .tokens
            .get(at + 1)
            .is_some_and(|next| self.text(*next) == b"(");
        let beside = [kind(at.checked_sub(1)), kind(Some(at + 1))];
        // `extern "C" NAME` is no string.
        let mut words = at.saturating_sub(2)..at;
        let linkage = words.any(|at| self.text(self.raw.tokens[at]) == b"extern");
        !called && !linkage && beside.contains(&Some(TokenKind::Str))
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

    /// Expands the macro at `at` if just one definition of it is known that the code around needs to be whole. A build
    /// in which it is something else cannot be ruled out.
    fn taken_for_granted(&mut self, at: usize, expander: &mut Expander<'a>) -> Option<usize> {
        let token = self.raw.tokens[at];
        let name = self.text(token);
        let Meaning::Several(definitions) = self.raw.visible.meaning(name, token.start) else {
            return None;
        };
        let [only] = definitions.as_slice() else {
            return None;
        };
        let line = self.line(token.start);
        if hazard(only) != Hazard::Structure {
            return None;
        }
        let Outcome::Expanded { tokens, next } = expander.expand_as(at, line, only) else {
            return None;
        };
        let name = String::from_utf8_lossy(name);
        let doubt = Doubt::about(Cause::TakenAsDefined, name, line);
        self.note(token.start..token.end, Confidence::Repaired, doubt);
        self.expansion(token.start, &tokens, next);
        Some(next)
    }

    /// Writes a macro in an expression as a choice among its definitions.
    fn chosen(&mut self, at: usize, expander: &mut Expander<'a>) -> Option<usize> {
        let token = self.raw.tokens[at];
        if self.is_as_written(token.start) {
            return None;
        }
        match expander.expand_choice(at, self.line(token.start)) {
            Outcome::Expanded { tokens, next } if tokens.len() > 1 => {
                if self.shape.in_function() {
                    self.prepared.optional.push(token.start);
                }
                self.expansion(token.start, &tokens, next);
                Some(next)
            }
            _ => None,
        }
    }

    /// Whether the function at hand may declare `name`: it stands behind a word, a star or a comma.
    fn may_declare(&self, name: &[u8]) -> bool {
        let item = self.shape.item();
        let text = |at: usize| {
            let token = item.get(at)?;
            self.prepared.text.get(token.start as usize..token.end as usize)
        };
        (1..item.len()).any(|at| {
            let before = text(at - 1).unwrap_or_default();
            let typed = item[at - 1].kind == TokenKind::Ident && !is_keyword(before);
            text(at) == Some(name) && (typed || matches!(before, b"*" | b","))
        })
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
        for (index, token) in tokens.iter().enumerate() {
            if token.kind == TokenKind::Directive {
                self.prepared.text.extend_from_slice(&token.text);
                continue;
            }
            let start = self.offset();
            if token.kind == TokenKind::Ident && !token.is_hidden() {
                let called = tokens.get(index + 1).is_some_and(|next| *next.text == *b"(");
                self.left(start, raw_start, &token.text, called, Unexpanded::Within);
            }
            let bytes = token.text.iter();
            self.prepared
                .text
                .extend(bytes.map(|b| if b.is_ascii() { *b } else { b'_' }));
            if token.kind == TokenKind::Ident && token.is_hidden() {
                self.prepared.hidden_names.push(start);
            }
            self.written(token.kind, start, raw_start);
            self.prepared.text.push(b' ');
        }
    }

    /// If each of `definitions` only gives the name at `at` another name, those names.
    fn other_names(
        &self,
        at: usize,
        definitions: &[&'a Definition],
        expander: &mut Expander<'a>,
    ) -> Option<Vec<Vec<u8>>> {
        let line = self.line(self.raw.tokens[at].start);
        let mut names = Vec::new();
        for definition in definitions.iter().filter(|d| d.params.is_none()) {
            match expander.expand_as(at, line, definition) {
                Outcome::Expanded { tokens, .. } => match tokens.as_slice() {
                    [only] if only.kind == TokenKind::Ident => names.push(only.text.to_vec()),
                    _ => return None,
                },
                _ => return None,
            }
        }
        (!names.is_empty() && names.len() == definitions.len()).then_some(names)
    }
}
