//! Invocations that stay as they are written, and what they may hide.

use super::HEAD_LIMIT;
use crate::directive::Definition;
use crate::expand::Expander;
use crate::hidden::{Definitions, Hidden, Obstacle};
use crate::macros::{Meaning, Visible};
use crate::prepare::Writer;
use crate::shape::is_keyword;
use crate::token::TokenKind;
use base::{Cause, Confidence, Doubt, Language};

/// Whether nothing but a name, or the invocation of another macro, stands for a macro without parameters.
fn is_name_or_call(definition: &Definition) -> bool {
    let text = |at: usize| definition.body.get(at).map_or(&b""[..], |t| &*t.text);
    let name = definition
        .body
        .first()
        .is_some_and(|t| t.kind == TokenKind::Ident);
    let bare = |t: &crate::directive::BodyToken| t.kind == TokenKind::Ident || *t.text == *b",";
    let arguments = match definition.body.as_slice() {
        [_] => true,
        [_, open, inside @ .., close] => {
            *open.text == *b"(" && *close.text == *b")" && inside.iter().all(bare)
        }
        _ => false,
    };
    definition.params.is_none() && name && arguments && !is_keyword(text(0))
}

impl<'a> Writer<'a> {
    /// Copies a macro's name that stays unexpanded, and notes what it may hide.
    pub(super) fn opaque(&mut self, at: usize, expander: &mut Expander<'a>) {
        let token = self.raw.tokens[at];
        self.copy(at);
        let name = self.text(token);
        if expander.is_undecided() {
            let (line, name) = (self.line(token.start), String::from_utf8_lossy(name));
            let doubt = Doubt::about(Cause::Undecided, name, line);
            self.note(token.start..token.end, Confidence::Partial, doubt);
        }
        let definitions = match self.raw.visible.meaning(name, token.start) {
            Meaning::One(definition) => vec![definition],
            Meaning::Several(definitions) => definitions,
            Meaning::None | Meaning::Elsewhere => Vec::new(),
        };
        if let Some(targets) = self.other_names(at, &definitions, expander) {
            // `#define walk PREFIX(walk)`: the function's definition and its calls are renamed alike. But when the other
            // name is one of its own, nobody knows which of the two is meant.
            let visible = self.raw.visible;
            let own = |target: &Vec<u8>| {
                let derived = target.windows(name.len()).any(|part| part == name);
                let macro_name = !matches!(visible.meaning(target, token.start), Meaning::None);
                !derived || visible.is_function(target) || macro_name
            };
            if visible.is_function(name) && !targets.iter().any(own) {
                let start = self.offset() - name.len() as u32;
                self.prepared.renamed.push(start);
            }
            return;
        }
        let called = self
            .raw
            .tokens
            .get(at + 1)
            .is_some_and(|next| self.text(*next) == b"(");
        let start = self.offset() - name.len() as u32;
        let why = if definitions.len() > 1 {
            Unexpanded::Several
        } else {
            Unexpanded::Written
        };
        self.left(start, token.start, name, called, why);
        if called {
            self.names_given(at);
        }
        // A macro without arguments only gives the function another name.
        let renames = !definitions.is_empty() && definitions.iter().all(|d| is_name_or_call(d));
        if called && !renames && self.heads_body(at) {
            let cause = match why {
                Unexpanded::Several => Cause::Several,
                Unexpanded::Written | Unexpanded::Within => Cause::Unexpanded,
            };
            let doubt = Doubt::about(cause, String::from_utf8_lossy(name), self.line(token.start));
            self.note(token.start..token.end, Confidence::Partial, doubt);
        }
    }

    /// Whether the invocation at `at` stands where a body follows it, outside of any function: `MAKE(f) {` is the head of some function
    /// whose name and parameters are not known. Behind a list of parameters it is an attribute.
    pub(super) fn heads_body(&self, at: usize) -> bool {
        let text = |at: usize| self.raw.tokens.get(at).map(|t| self.text(*t)).unwrap_or_default();
        if self.shape.in_function() || at.checked_sub(1).is_some_and(|before| text(before) == b")") {
            return false;
        }
        let mut depth = 0_usize;
        for index in at + 1..self.raw.tokens.len().min(at + HEAD_LIMIT) {
            match text(index) {
                b"(" => depth += 1,
                b")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return text(index + 1) == b"{";
            }
        }
        false
    }

    /// Macros that are given to the invocation at `at` by their names: what it does with them is not known.
    pub(super) fn names_given(&mut self, at: usize) {
        let mut depth = 0;
        for index in at + 1..self.raw.tokens.len().min(at + 400) {
            let token = self.raw.tokens[index];
            match self.text(token) {
                b"(" => depth += 1,
                b")" => depth -= 1,
                _ => {}
            }
            if depth == 0 || token.kind == TokenKind::Directive {
                return;
            }
            let beside = |at: usize| self.raw.tokens.get(at).map(|t| self.text(*t));
            let alone = beside(index + 1).is_some_and(|next| matches!(next, b"," | b")"));
            if token.kind != TokenKind::Ident || !alone {
                continue;
            }
            let name = self.text(token);
            let definitions = self.raw.visible.definitions(name, token.start);
            if definitions.iter().all(|d| d.params.is_none()) {
                continue;
            }
            let hidden = self.hidden_by(name, true, token.start);
            if hidden.obstacle.is_some() || !hidden.written.is_empty() {
                let (line, name) = (self.line(token.start), String::from_utf8_lossy(name));
                let doubt = Doubt::about(Cause::GivenToMacro, name, line);
                self.note(token.start..token.end, Confidence::Partial, doubt);
            }
        }
    }

    pub(super) fn hidden_by(&mut self, name: &[u8], called: bool, offset: u32) -> Hidden {
        let place = MeaningsAt {
            visible: self.raw.visible,
            offset,
        };
        self.hidden.hidden(name, called, &place)
    }

    /// Notes what `name`, a macro that is left as it is at `start` of the prepared text, hides.
    pub(super) fn left(&mut self, start: u32, raw: u32, name: &[u8], called: bool, why: Unexpanded) {
        let hidden = self.hidden_by(name, called, raw);
        if let Some(obstacle) = hidden.obstacle {
            let (line, name) = (self.line(raw), String::from_utf8_lossy(name));
            let doubt = Doubt::about(why.hiding(obstacle), name, line);
            self.note(raw..raw + 1, Confidence::Partial, doubt);
            return;
        }
        if hidden.acts && !called && self.shape.in_function() {
            self.prepared.invocations.push(start);
        }
        if !hidden.written.is_empty() && self.shape.in_function() {
            self.prepared.writes.push((start, hidden.written));
        }
    }
}

/// Why a macro is left as it is.
#[derive(Clone, Copy)]
pub(super) enum Unexpanded {
    /// It has several definitions.
    Several,
    /// It stands in the text.
    Written,
    /// What stands in the text is another macro, which stands for it.
    Within,
}

impl Unexpanded {
    /// The cause to doubt a function in which such a macro hides something.
    fn hiding(self, obstacle: Obstacle) -> Cause {
        match (self, obstacle) {
            (Self::Several, Obstacle::Jump) => Cause::SeveralHideJump,
            (Self::Several, Obstacle::Write) => Cause::SeveralHideWrite,
            (Self::Several, Obstacle::Part) => Cause::SeveralHidePart,
            (Self::Written, Obstacle::Jump) => Cause::UnexpandedHidesJump,
            (Self::Written, Obstacle::Write) => Cause::UnexpandedHidesWrite,
            (Self::Written, Obstacle::Part) => Cause::UnexpandedHidesPart,
            (Self::Within, Obstacle::Jump) => Cause::InnerHidesJump,
            (Self::Within, Obstacle::Write) => Cause::InnerHidesWrite,
            (Self::Within, Obstacle::Part) => Cause::InnerHidesPart,
        }
    }
}

/// A place in the raw text, which decides what a name means.
struct MeaningsAt<'v, 'a> {
    visible: &'v Visible<'a>,
    offset: u32,
}

impl<'a> Definitions<'a> for MeaningsAt<'_, 'a> {
    fn of(&self, name: &[u8]) -> Vec<&'a Definition> {
        match self.visible.meaning(name, self.offset) {
            Meaning::One(definition) => vec![definition],
            Meaning::Several(definitions) => definitions,
            Meaning::None | Meaning::Elsewhere => Vec::new(),
        }
    }

    fn is_own(&self, name: &[u8]) -> bool {
        self.visible.is_own(name)
    }

    fn has_references(&self) -> bool {
        self.visible.language() == Language::Cxx
    }
}
