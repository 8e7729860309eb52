//! Constructs that the grammar lacks or reads in the wrong way, written so that it reads them in the right one.

use super::Writer;
use crate::lower::{COMPUTED_GOTO, LABEL_ADDRESS, OPERATOR, THROWN, is_library_type};
use crate::macros::Meaning;
use crate::repair;
use crate::shape::{Open, declaration_word};
use crate::token::{Token, TokenKind};
use base::Language;

/// Tokens of a parameter's default.
const DEFAULT_LIMIT: usize = 100;
/// Tokens of the name of a type.
const TYPE_LIMIT: usize = 60;
/// Tokens of the symbol of an operator.
const OPERATOR_LIMIT: usize = 4;
/// Tokens of an expression in which a `throw` stands.
const OPERAND_LIMIT: usize = 400;
/// Tokens of the end of a range of labels.
const RANGE_LIMIT: usize = 40;

impl Writer<'_> {
    /// Deals with the token at `at`, which is no identifier; returns the index of the next token.
    pub(super) fn punctuation(&mut self, at: usize) -> usize {
        let token = self.raw.tokens[at];
        while self.call_ends.pop_if(|end| *end == at).is_some() {
            self.stand_in(")", TokenKind::Punct, token.start, token.start);
        }
        if self.text(token) == b"*" && (self.star_of_new(at) || self.star_of_member(at)) {
            return at + 1;
        }
        if self.text(token) == b"*" && self.raw.language == Language::Cxx {
            repair::blank_class_of_pointer(&mut self.prepared.text);
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
        if let Some(after) = self.default_in_braces(at) {
            let end = self.raw.tokens[after - 1].end;
            self.stand_in("0", TokenKind::Number, token.start, end);
            return after;
        }
        if self.text(token) == b"..."
            && let Some(colon) = self.end_of_range(at)
        {
            return colon;
        }
        self.copy(at);
        at + 1
    }

    /// The index behind the braces at `at` that are the default of a parameter, `T x = {}`, which the grammar cannot read. What is in
    /// them is evaluated by whoever calls.
    fn default_in_braces(&self, at: usize) -> Option<usize> {
        let word = |at: usize| self.raw.tokens.get(at).map(|t| self.text(*t)).unwrap_or_default();
        let value =
            self.raw.language == Language::Cxx && word(at) == b"{" && word(at.checked_sub(1)?) == b"=";
        if !value || self.shape.in_function() || self.shape.innermost() != Some(Open::Other) {
            return None;
        }
        let mut depth = 0_usize;
        for index in at..self.raw.tokens.len().min(at + DEFAULT_LIMIT) {
            match word(index) {
                b"{" => depth += 1,
                b"}" => depth -= 1,
                _ if self.raw.tokens[index].kind == TokenKind::Directive => return None,
                _ => {}
            }
            if depth == 0 {
                return matches!(word(index + 1), b"," | b")").then_some(index + 1);
            }
        }
        None
    }

    /// Whether `typename` at `at` stands in front of an object that is made, `typename T::tag()`: the grammar knows it in front of types
    /// that declare only.
    pub(super) fn is_typename_of_object(&self, at: usize) -> bool {
        let token = |at: usize| self.raw.tokens.get(at).copied();
        let word = |at: usize| token(at).map(|t| self.text(t)).unwrap_or_default();
        let mut index = at + 1;
        let (mut depth, mut qualified) = (0_usize, false);
        while index < at + TYPE_LIMIT {
            match word(index) {
                b"<" => depth += 1,
                b">" if depth > 0 => depth -= 1,
                b">>" if depth > 1 => depth -= 2,
                b"::" => qualified |= depth == 0,
                b"(" | b"{" if depth == 0 => return qualified && self.shape.in_function(),
                b"template" => {}
                _ if token(index).is_some_and(|t| t.kind == TokenKind::Ident) => {
                    // Two words in a row: what follows is declared.
                    let next = token(index + 1).is_some_and(|t| t.kind == TokenKind::Ident);
                    if depth == 0 && next {
                        return false;
                    }
                }
                b"," | b"..." | b"*" | b"&" if depth > 0 => {}
                _ if depth > 0 && token(index).is_some_and(|t| t.kind == TokenKind::Number) => {}
                _ => return false,
            }
            index += 1;
        }
        false
    }

    /// GNU's `case a ... b:`, whose `...` stands at `at`: the token index of the colon. The grammar has no ranges; the end of one is a
    /// constant, which nothing that follows asks for, as the values of labels decide no order.
    fn end_of_range(&self, at: usize) -> Option<usize> {
        let constant = |index: &usize| {
            let token = self.raw.tokens[*index];
            matches!(token.kind, TokenKind::Ident | TokenKind::Number | TokenKind::Char)
                || matches!(self.text(token), b"(" | b")" | b"+" | b"-" | b"*" | b"<<" | b"|")
        };
        let case = |index: &usize| self.text(self.raw.tokens[*index]) == b"case";
        let before = (at.saturating_sub(RANGE_LIMIT)..at).rev();
        let is_label = before.take_while(constant).any(|index| case(&index));
        let behind = at + 1..self.raw.tokens.len().min(at + RANGE_LIMIT);
        let colon = behind.clone().find(|index| !constant(index))?;
        (self.shape.in_function() && is_label && self.text(self.raw.tokens[colon]) == b":").then_some(colon)
    }

    /// `p->*f` and `x.*f`, which the grammar cannot read: written as members called `f`, which lowering tells from others by the star.
    fn star_of_member(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|at| self.raw.tokens[at]);
        before.is_some_and(|before| {
            before.end == self.raw.tokens[at].start && matches!(self.text(before), b"->" | b".")
        })
    }

    /// `new T *[n]`: the grammar cannot read the star, and the size of what is made does not matter here.
    fn star_of_new(&self, at: usize) -> bool {
        let word = |at: usize| self.raw.tokens.get(at).map(|t| self.text(*t)).unwrap_or_default();
        let mut after = at;
        while word(after) == b"*" {
            after += 1;
        }
        if self.raw.language != Language::Cxx || word(after) != b"[" {
            return false;
        }
        // Back over the stars and the name of the type.
        for before in (at.saturating_sub(12)..at).rev() {
            let token = self.raw.tokens[before];
            match self.text(token) {
                b"new" => return true,
                b"*" | b"::" => {}
                _ if token.kind == TokenKind::Ident => {}
                _ => return false,
            }
        }
        false
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
        // `f<T>(x) - y` of C++ is a call.
        let behind_angle = self.shape.statement().last().is_some_and(|last| {
            let bytes = self.prepared.text.get(last.start as usize..last.end as usize);
            self.raw.language == Language::Cxx && bytes == Some(b">")
        });
        if !plain || behind_angle || !repair::cast_may_follow(self.shape.statement(), &self.prepared.text) {
            return false;
        }
        if visible.is_visible_typedef(text) || is_library_type(text) {
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

    /// `T (*f)(int) = g;` reads as an assignment to a call, unless `T` is known to be a type.
    pub(super) fn declares_pointer_to_function(&mut self, at: usize) -> bool {
        let text = |at: usize| self.raw.tokens.get(at).map(|t| self.text(*t)).unwrap_or_default();
        let mut star = at + 2;
        // The class, of a pointer to a member function.
        while text(star + 1) == b"::" && star < at + TYPE_LIMIT {
            star += 2;
        }
        let pattern = self.shape.at_statement() && text(at + 1) == b"(" && text(star) == b"*";
        let token = self.raw.tokens[at];
        if !pattern || !self.raw.visible.is_visible_typedef(self.text(token)) {
            return false;
        }
        self.blank_to(token.start);
        self.prepared.cast_types.push(self.offset());
        self.stand_in("int", TokenKind::Ident, token.start, token.end);
        true
    }

    /// Whether what comes next is an operand: `&&` is then GNU's address of a label.
    fn operand_expected(&self) -> bool {
        let Some(last) = self.shape.statement().last() else {
            return false;
        };
        let text = self
            .prepared
            .text
            .get(last.start as usize..last.end as usize)
            .unwrap_or_default();
        matches!(
            text,
            b"=" | b"(" | b"," | b"{" | b"?" | b":" | b"return" | b"[" | b"-"
        )
    }

    /// `p->operator=(x)`: the grammar has no operator behind `->` and `.`, nor one that is called by itself. Writes a name for it, and returns
    /// the index behind it.
    pub(super) fn operator_called(&mut self, at: usize) -> Option<usize> {
        let text = |at: usize| self.raw.tokens.get(at).map(|t| self.text(*t)).unwrap_or_default();
        let before = at.checked_sub(1).map(text).unwrap_or_default();
        let is_use = matches!(before, b"->" | b".")
            || matches!(self.shape.innermost(), Some(Open::Body | Open::Block)) && self.shape.at_statement();
        let next = match (text(at + 1), text(at + 2)) {
            (b"(", b")") | (b"[", b"]") => at + 3,
            _ => (at + 1..at + 1 + OPERATOR_LIMIT).find(|at| text(*at) == b"(")?,
        };
        let symbol = self.raw.tokens.get(at + 1..next)?;
        let is_symbol = symbol.iter().all(|token| token.kind == TokenKind::Punct);
        if !self.shape.in_function() || !is_use || symbol.is_empty() || !is_symbol || text(next) != b"(" {
            return None;
        }
        let (start, end) = (self.raw.tokens[at].start, symbol.last()?.end);
        self.blank_to(start);
        self.prepared.operators.push(self.offset());
        self.stand_in(OPERATOR, TokenKind::Ident, start, end);
        Some(next)
    }

    /// `goto *p;` becomes a call that the grammar can read.
    pub(super) fn computed_goto(&mut self, at: usize) -> bool {
        let tokens = self.raw.tokens;
        let star = tokens.get(at + 1).is_some_and(|t| self.text(*t) == b"*");
        let rest = tokens.iter().enumerate().skip(at).take(100);
        let end = rest
            .take_while(|(_, t)| t.kind != TokenKind::Directive)
            .find(|(_, t)| self.text(**t) == b";");
        let (true, Some((end, _))) = (star, end) else {
            return false;
        };
        let token = tokens[at];
        self.begin_call(COMPUTED_GOTO, token, end);
        true
    }

    /// A `throw` that is an operand, `x > 3 ? throw e : x`, becomes a call that the grammar can read; it knows the statement alone.
    pub(super) fn thrown_operand(&mut self, at: usize) -> bool {
        let tokens = self.raw.tokens;
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_operand = before.is_some_and(|before| match self.text(*before) {
            b"?" | b"(" | b"," | b"=" => true,
            // Behind a label it is a statement.
            b":" => self.ends_first_choice(at - 1),
            _ => false,
        });
        let Some(end) = self
            .end_of_operand(at + 1)
            .filter(|_| is_operand && self.shape.in_function())
        else {
            return false;
        };
        let token = tokens[at];
        self.begin_call(THROWN, token, end);
        true
    }

    /// Writes a call of `name` in the place of a keyword; it ends before the token of index `end`.
    fn begin_call(&mut self, name: &'static str, keyword: Token, end: usize) {
        self.stand_in(name, TokenKind::Ident, keyword.start, keyword.end);
        self.stand_in("(", TokenKind::Punct, keyword.end, keyword.end);
        self.call_ends.push(end);
    }

    /// Whether the `:` at `colon` belongs to a `?` in front of it.
    fn ends_first_choice(&self, colon: usize) -> bool {
        let (mut depth, mut colons) = (0_usize, 0_usize);
        let before = self.raw.tokens[..colon].iter().rev().take(OPERAND_LIMIT);
        for token in before.filter(|token| token.kind != TokenKind::Directive) {
            match self.text(*token) {
                b")" | b"]" | b"}" => depth += 1,
                b"(" | b"[" | b"{" => match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => return false,
                },
                b";" if depth == 0 => return false,
                b":" if depth == 0 => colons += 1,
                b"?" if depth == 0 => match colons.checked_sub(1) {
                    Some(outer) => colons = outer,
                    None => return true,
                },
                _ => {}
            }
        }
        false
    }

    /// The index of the token that ends the operand of `throw` which begins at `at`: all that an assignment may be.
    fn end_of_operand(&self, at: usize) -> Option<usize> {
        let (mut depth, mut choices) = (0_usize, 0_usize);
        for (index, token) in self.raw.tokens.iter().enumerate().skip(at).take(OPERAND_LIMIT) {
            if token.kind == TokenKind::Directive {
                return None;
            }
            match self.text(*token) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => return Some(index),
                },
                b"?" if depth == 0 => choices += 1,
                b":" if depth == 0 => match choices.checked_sub(1) {
                    Some(outer) => choices = outer,
                    None => return Some(index),
                },
                b"," | b";" if depth == 0 => return Some(index),
                _ => {}
            }
        }
        None
    }
}
