//! Macro invocations on the way into prepared text: expanded, turned into alternatives, or left as they are written.

use super::Writer;
use crate::directive::Definition;
use crate::expand::{Expander, Outcome, PpToken, are_balanced};
use crate::hazard::{Hazard, hazard, is_structural};
use crate::hidden::{Definitions, Hidden, Obstacle};
use crate::macros::{Meaning, Visible, is_shouted};
use crate::repair;
use crate::shape::{Open, declaration_word, is_keyword};
use crate::token::{Token, TokenKind};
use crate::variants::{Split, even_braces, same_brackets, split};
use base::{Cause, Confidence, Doubt, Language};

/// A macro with more definitions than this is left as it is.
const VARIANT_LIMIT: usize = 4;
/// Tokens of the parameters of a function.
const HEAD_LIMIT: usize = 400;

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
        if self.shape.in_function() || self.shape.item().is_empty() || !typed || is_shouted(name) {
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
        let possible = |tokens: &Vec<PpToken>| !is_impossible(tokens);
        if expansions.iter().any(possible) {
            expansions.retain(possible);
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

    /// Copies a macro's name that stays unexpanded, and notes what it may hide.
    fn opaque(&mut self, at: usize, expander: &mut Expander<'a>) {
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
    fn heads_body(&self, at: usize) -> bool {
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
    fn names_given(&mut self, at: usize) {
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

    fn hidden_by(&mut self, name: &[u8], called: bool, offset: u32) -> Hidden {
        let place = MeaningsAt {
            visible: self.raw.visible,
            offset,
        };
        self.hidden.hidden(name, called, &place)
    }

    /// Notes what `name`, a macro that is left as it is at `start` of the prepared text, hides.
    fn left(&mut self, start: u32, raw: u32, name: &[u8], called: bool, why: Unexpanded) {
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
enum Unexpanded {
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
