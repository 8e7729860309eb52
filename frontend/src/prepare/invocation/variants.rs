//! Invocations of macros whose definitions depend on the build, as alternatives.

use super::{HEAD_LIMIT, VARIANT_LIMIT};
use crate::expand::{Expander, Outcome, PpToken, are_balanced};
use crate::macros::Meaning;
use crate::prepare::Writer;
use crate::repair;
use crate::shape::{Open, declaration_word, is_keyword};
use crate::token::{Token, TokenKind};
use crate::variants::{Split, even_braces, same_brackets, split};
use base::{Cause, Confidence, Doubt};

/// Whether no build that reads this file as C can have this expansion: it has an empty argument, or is C++.
fn is_impossible(tokens: &[PpToken<'_>]) -> bool {
    let text = |at: usize| tokens.get(at).map_or(&b""[..], |t| &*t.text);
    (0..tokens.len()).any(|at| {
        matches!(
            (text(at), text(at + 1), text(at + 2)),
            (b"," | b"(", b",", _) | (b",", b")", _) | (b"::", _, _) | (b"[", b"=" | b"&", b"]" | b",")
        )
    })
}

/// Whether `tokens` are one block, with a semicolon perhaps.
fn is_block(tokens: &[PpToken<'_>]) -> bool {
    let mut depth = 0_usize;
    let end = tokens.iter().position(|token| {
        match &*token.text {
            b"{" => depth += 1,
            b"}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    end.is_some_and(|end| end > 0 && end + 1 == tokens.len())
}

impl<'a> Writer<'a> {
    /// The expansions of the invocation at `at` by each definition that its name may have, and the next token's index.
    pub(super) fn expansions(
        &self,
        at: usize,
        expander: &mut Expander<'a>,
    ) -> Option<(Vec<Vec<PpToken<'a>>>, usize)> {
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
        let possible = |tokens: &Vec<PpToken>| !is_impossible(tokens);
        if expansions.iter().any(possible) {
            expansions.retain(possible);
        }
        Some((expansions, end?))
    }

    /// Writes a macro that has several definitions: as a conditional group where it stands for statements. Where it
    /// stands for brackets and the like, one definition is taken, so that what follows can be read at all. Returns the
    /// next token's index, or `None` when nothing was written.
    pub(super) fn variants(&mut self, at: usize, expander: &mut Expander<'a>) -> Option<usize> {
        let token = self.raw.tokens[at];
        if self.is_as_written(token.start) {
            return None;
        }
        let (expansions, end) = self.expansions(at, expander)?;
        if let [only] = expansions.as_slice() {
            if self.shape.in_function() {
                self.prepared.optional.push(token.start);
            }
            self.expansion(token.start, only, end);
            return Some(end);
        }
        if let Some(items) = self.items_of_some_builds(&expansions) {
            self.expansion(token.start, &expansions[items], end);
            return Some(end);
        }
        if let Some(more) = self.last_arguments(&expansions, end) {
            self.expansion(token.start, &expansions[more], end);
            return Some(end);
        }
        let block = matches!(self.shape.innermost(), Some(Open::Body | Open::Block))
            && (self.shape.at_statement() || self.is_label());
        let grouped = if block {
            self.group_of_variants(token, expansions.clone(), end)
        } else if self.wants_substatement() && expansions.iter().all(|tokens| is_block(tokens)) {
            self.stand_in("{", TokenKind::Punct, token.start, token.start);
            let next = self.group_of_variants(token, expansions.clone(), end);
            self.stand_in("}", TokenKind::Punct, self.raw_at, self.raw_at);
            return next;
        } else {
            None
        };
        if grouped.is_some() || !same_brackets(&expansions) {
            return grouped;
        }
        let (line, name) = (self.line(token.start), String::from_utf8_lossy(self.text(token)));
        let doubt = Doubt::about(Cause::SeveralHidePart, name, line);
        self.note(token.start..token.end, Confidence::Partial, doubt);
        self.expansion(token.start, &expansions[0], end);
        Some(end)
    }

    /// Outside functions: the one of `expansions` that is not empty, if it is made of whole declarations. A build without them
    /// has fewer functions, as with an arm of `#if` around them.
    fn items_of_some_builds(&self, expansions: &[Vec<PpToken<'a>>]) -> Option<usize> {
        if self.shape.in_function() || !self.shape.item().is_empty() {
            return None;
        }
        let mut filled = (0..expansions.len()).filter(|at| !expansions[*at].is_empty());
        let items = filled.next().filter(|_| filled.next().is_none())?;
        let tokens = &expansions[items];
        let whole = tokens.last().is_some_and(|t| matches!(&*t.text, b"}" | b";"));
        (whole && are_balanced(tokens)).then_some(items)
    }

    /// The longest of `expansions` if each is nothing or further arguments, names only, behind which none follow but others of
    /// this kind: `f(a MORE(b) MORE(c))`. A build that leaves them out gives the function less to read and to write. Or further
    /// parameters of a function, which builds without them do not have.
    fn last_arguments(&self, expansions: &[Vec<PpToken<'a>>], end: usize) -> Option<usize> {
        let list = matches!(self.shape.innermost(), Some(Open::Call(_) | Open::Other));
        let parameters = !self.shape.in_function();
        let plain = |tokens: &Vec<PpToken>| {
            let comma = tokens.first().is_none_or(|t| *t.text == *b",");
            let names = tokens.iter().all(|t| match t.kind {
                TokenKind::Ident => {
                    !is_keyword(&t.text) || parameters && declaration_word(&t.text) == Some(true)
                }
                _ => matches!(&*t.text, b"," | b"*" | b"&"),
            });
            comma && names
        };
        if !list || !expansions.iter().all(plain) || !self.closes_behind_invocations(end) {
            return None;
        }
        (0..expansions.len()).max_by_key(|at| expansions[*at].len())
    }

    /// Whether nothing but invocations stands between `at` and a closing parenthesis.
    fn closes_behind_invocations(&self, mut at: usize) -> bool {
        let (text, tokens) = (self.raw.text, self.raw.tokens);
        let limit = at + HEAD_LIMIT;
        while at < limit
            && tokens.get(at).is_some_and(|t| t.kind == TokenKind::Ident)
            && let Some(next) = repair::after_parens(text, tokens, at + 1)
        {
            at = next;
        }
        tokens.get(at).is_some_and(|t| self.text(*t) == b")")
    }

    fn group_of_variants(
        &mut self,
        token: Token,
        mut expansions: Vec<Vec<PpToken<'a>>>,
        mut end: usize,
    ) -> Option<usize> {
        // The semicolon behind the invocation completes the last statement of each.
        if let Some(semicolon) = self.raw.tokens.get(end).filter(|t| self.text(**t) == b";") {
            expansions
                .iter_mut()
                .for_each(|tokens| tokens.push(PpToken::raw(*semicolon, self.raw.text)));
            end += 1;
        }
        self.end_label();
        let Split { prefix, suffix } = match split(&expansions) {
            Some(split) => split,
            None => {
                if !even_braces(&mut expansions) {
                    self.close_last(&mut expansions)?;
                }
                split(&expansions)?
            }
        };
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

    /// Where each of `expansions` closes one block and goes on, lets it close the block at its end: `} leave();` becomes
    /// `leave(); }`, which is the same unless the block declares what the rest names.
    fn close_last(&self, expansions: &mut [Vec<PpToken<'a>>]) -> Option<()> {
        for tokens in expansions {
            let mut depth = 0_i64;
            let close = tokens.iter().position(|token| {
                match &*token.text {
                    b"{" => depth += 1,
                    b"}" => depth -= 1,
                    _ => {}
                }
                depth < 0
            })?;
            let names = |token: &&PpToken| token.kind == TokenKind::Ident && !is_keyword(&token.text);
            let mut rest = tokens[close + 1..].iter().filter(names);
            if rest.any(|name| self.may_declare(&name.text)) {
                return None;
            }
            let brace = tokens.remove(close);
            tokens.push(brace);
        }
        Some(())
    }
}
