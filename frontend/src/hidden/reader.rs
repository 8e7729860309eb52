//! One replacement list, read token by token: what acts in it, where it jumps, and which macros are within it.

use super::own::{Own, is_type, own_variables, partners};
use super::{Definitions, Hidden, Memory, Obstacle, STEP_LIMIT};
use crate::directive::{BodyToken, Definition};
use crate::hazard::{Hazard, hazard};
use crate::shape::{is_control, is_keyword};
use crate::token::TokenKind;
use std::ops::Range;

/// Reads one replacement list.
pub(super) struct Reader<'d> {
    definition: &'d Definition,
    pub(super) body: &'d [BodyToken],
    references: bool,
    /// The partner of each bracket.
    pub(super) partner: Vec<Option<usize>>,
    /// Names that the replacement list declares, with the tokens in which they are in scope.
    pub(super) own: Vec<Own<'d>>,
    pub(super) found: Hidden,
}

impl<'d> Reader<'d> {
    pub(super) fn new(definition: &'d Definition, references: bool) -> Self {
        Self {
            definition,
            body: &definition.body,
            references,
            partner: Vec::new(),
            own: Vec::new(),
            found: Hidden::default(),
        }
    }

    pub(super) fn text(&self, at: usize) -> &'d [u8] {
        self.body.get(at).map_or(&b""[..], |t| &*t.text)
    }

    pub(super) fn before(&self, at: usize) -> &'d [u8] {
        at.checked_sub(1).map_or(&b""[..], |at| self.text(at))
    }

    pub(super) fn is_name(&self, at: usize) -> bool {
        let token = self.body.get(at);
        token.is_some_and(|t| t.kind == TokenKind::Ident && !is_keyword(&t.text))
    }

    pub(super) fn read<'m>(
        mut self,
        memory: &mut Memory,
        source: &dyn Definitions<'m>,
        within: &mut Vec<usize>,
    ) -> Option<Hidden> {
        memory.steps += self.body.len() + 1;
        if memory.steps > STEP_LIMIT {
            return None;
        }
        self.partner = partners(self.body);
        if hazard(self.definition) == Hazard::Structure {
            self.obstacle(Obstacle::Part);
        }
        let (own, leaked) = own_variables(self.body, &self.partner);
        // A macro that leaves nothing in the place of a type makes an assignment of the declaration.
        let typed = |(_, _, ty): &Own<'_>| source.of(self.text(*ty)).iter().all(|d| is_type(d));
        self.own = own.into_iter().filter(typed).collect();
        if leaked {
            self.obstacle(Obstacle::Part);
        }
        let loops = self.bodies_of(&[b"for", b"while", b"do"]);
        let switches = self.bodies_of(&[b"switch"]);
        let inside = |ranges: &[Range<usize>], at: usize| ranges.iter().any(|range| range.contains(&at));
        for at in 0..self.body.len() {
            let token = &self.body[at];
            match &*token.text {
                b"++" | b"--" => {
                    self.found.acts = true;
                    let operand = |at: usize| {
                        self.body.get(at).is_some_and(|t| {
                            t.kind == TokenKind::Ident || *t.text == *b")" || *t.text == *b"]"
                        })
                    };
                    // Behind an operand it is a postfix.
                    if at > 0 && operand(at - 1) && !is_control(self.before(at)) {
                        self.write_before(at);
                    } else {
                        self.write_after(at + 1);
                    }
                }
                // `[=]` and `[&]` of a lambda name no variable; what its body writes is found there.
                b"=" | b"&" if self.before(at) == b"[" && matches!(self.text(at + 1), b"]" | b",") => {}
                b"=" if self.is_initial(at) => {}
                b"=" | b"+=" | b"-=" | b"*=" | b"/=" | b"%=" | b"&=" | b"|=" | b"^=" | b"<<=" | b">>=" => {
                    self.found.acts = true;
                    self.write_before(at);
                }
                b"&" if !self.ends_operand(at) => self.address(at + 1),
                // A reference is another name for what it is declared with.
                b"&" if self.references && self.text(at + 2) == b"=" => self.address(at + 3),
                b">>" if self.references => self.address(at + 1),
                b"goto" => self.obstacle(Obstacle::Jump),
                b"break" if !inside(&loops, at) && !inside(&switches, at) => self.obstacle(Obstacle::Jump),
                b"continue" if !inside(&loops, at) => self.obstacle(Obstacle::Jump),
                b"case" | b"default" if !inside(&switches, at) => self.obstacle(Obstacle::Part),
                // What it writes stands in a language of its own; and where such a call returns to is not told.
                b"asm" | b"__asm" | b"__asm__" => self.obstacle(Obstacle::Write),
                word if std::str::from_utf8(word).is_ok_and(library::returns_twice) => {
                    self.obstacle(Obstacle::Jump)
                }
                word if is_control(word) => self.found.acts = true,
                b";" => self.found.acts = true,
                _ => {}
            }
            if self.is_name(at) {
                self.name(at, memory, source, within)?;
            }
        }
        Some(self.found)
    }

    /// A name that may be a macro's, and may be called.
    fn name<'m>(
        &mut self,
        at: usize,
        memory: &mut Memory,
        source: &dyn Definitions<'m>,
        within: &mut Vec<usize>,
    ) -> Option<()> {
        let name = self.text(at);
        let called = self.text(at + 1) == b"(";
        let close = self.partner.get(at + 1).copied().flatten().filter(|_| called);
        let member = matches!(self.before(at), b"." | b"->");
        if called && self.references {
            for arg in self.arguments(at + 1, close) {
                if arg.len() == 1 {
                    self.give(arg.start);
                }
            }
        }
        let pasted = self.before(at) == b"##" || self.text(at + 1) == b"##";
        if pasted || member || self.param(name).is_some() {
            self.found.acts |= called;
        }
        if pasted {
            // Which name comes out is not known; that of a macro would be an odd one.
            return Some(());
        }
        if member || self.param(name).is_some() {
            return Some(());
        }
        // The name of a function-like macro by itself is called by whom it is given to, or by what follows the macro.
        let definitions = source.of(name);
        let given = !called && definitions.iter().any(|d| d.params.is_some());
        let hidden = memory.of_name(name, called || given, source, within)?;
        self.found.acts |= called && definitions.is_empty();
        self.found.local |= hidden.local;
        self.found.acts |= hidden.acts;
        if let Some(obstacle) = hidden.obstacle {
            self.obstacle(obstacle);
        }
        for name in &hidden.written {
            self.write_name(name, at);
        }
        let renamed = self.definition.params.is_none() && at + 1 == self.body.len();
        if given && renamed {
            // `#define RUN RUN_FAST`: the arguments of the one are those of the other.
            self.found.params.extend(&hidden.params);
        } else if given && !hidden.params.is_empty() {
            self.obstacle(Obstacle::Write);
        } else if !hidden.params.is_empty() {
            let args = self.arguments(at + 1, close);
            for &param in &hidden.params {
                // The last parameter may take all that is left.
                let rest = if param + 1 >= self.most_params(name, source) {
                    args.len()
                } else {
                    param + 1
                };
                for arg in args.get(param..rest.max(param)).unwrap_or_default() {
                    self.give_range(arg.clone());
                }
            }
        }
        Some(())
    }

    fn most_params<'m>(&self, name: &[u8], source: &dyn Definitions<'m>) -> usize {
        let counts = source
            .of(name)
            .into_iter()
            .filter_map(|d| d.params.as_ref().map(|p| p.names.len()));
        counts.min().unwrap_or(0)
    }

    pub(super) fn param(&self, name: &[u8]) -> Option<usize> {
        let params = self.definition.params.as_ref()?;
        params.names.iter().position(|param| **param == *name)
    }

    pub(super) fn obstacle(&mut self, obstacle: Obstacle) {
        self.found.obstacle = self.found.obstacle.max(Some(obstacle));
        self.found.acts = true;
    }

    /// The arguments between the bracket at `open` and its partner.
    fn arguments(&self, open: usize, close: Option<usize>) -> Vec<Range<usize>> {
        let Some(close) = close else {
            return Vec::new();
        };
        let mut result = Vec::new();
        let (mut from, mut at) = (open + 1, open + 1);
        while at < close {
            match self.text(at) {
                b"," => {
                    result.push(from..at);
                    from = at + 1;
                }
                _ => at = self.partner[at].filter(|partner| *partner > at).unwrap_or(at),
            }
            at += 1;
        }
        result.push(from..close);
        result
    }

    /// Whether the token before `at` ends an operand, so that the operator at `at` has two.
    pub(super) fn ends_operand(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        let token = &self.body[before];
        match token.kind {
            TokenKind::Ident => !is_control(&token.text),
            TokenKind::Punct => matches!(&*token.text, b")" | b"]"),
            _ => true,
        }
    }

    /// Whether the `=` at `at` belongs to the declaration of one of its own variables.
    fn is_initial(&self, at: usize) -> bool {
        self.own.iter().any(|(_, scope, _)| scope.start + 1 == at)
            || self.before(at) == b"]"
                && at
                    .checked_sub(1)
                    .and_then(|close| self.partner[close])
                    .is_some_and(|open| self.own.iter().any(|(_, scope, _)| scope.start + 1 == open))
    }

    /// The tokens of the statements that belong to each of `words`.
    fn bodies_of(&self, words: &[&[u8]]) -> Vec<Range<usize>> {
        let heads = (0..self.body.len()).filter(|at| words.contains(&self.text(*at)));
        let ranges = heads.map(|head| {
            let mut at = head + 1;
            if self.text(at) == b"(" {
                at = self.partner[at].map_or(self.body.len(), |close| close + 1);
            }
            if self.text(at) == b"{" {
                return at..self.partner[at].unwrap_or(self.body.len());
            }
            let mut end = at;
            while end < self.body.len() && self.text(end) != b";" {
                end = self.partner[end].filter(|partner| *partner > end).unwrap_or(end) + 1;
            }
            at..end
        });
        ranges.collect()
    }
}
