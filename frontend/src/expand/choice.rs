//! Macros within macros that have several definitions: what to write where the build decides which of them holds.
//!
//! An expression becomes a choice of expressions, a statement a conditional group. What is neither leaves the name as it is.

use super::{Behind, Expander, GivenUp, PpToken, are_balanced, fitted, plain};
use crate::directive::Definition;
use crate::hazard::{Hazard, hazard};
use crate::hide::with_name;
use crate::macros::Meaning;
use crate::shape::{declaration_word, is_control};
use crate::token::TokenKind;
use crate::variants::is_statements;
use base::looks_like_macro;

/// The name of the condition by which a build chooses among the definitions of a macro in an expression. No variable has
/// it: its value is not known, and the same on every task.
pub const BUILD_CHOICE: &[u8] = b"__build_choice";

/// A macro with more definitions than this is left as it is.
const CHOICE_LIMIT: usize = 4;

/// Tokens of further branches that a macro stands for.
const BRANCHES_LIMIT: usize = 400;

/// What may stand in the place of a macro.
#[derive(Clone, Copy)]
pub(super) struct MacroPosition {
    /// A statement begins here.
    pub(super) begins: bool,
    /// Parentheses that only group are open, so that a comma is an operator.
    pub(super) grouped: bool,
}

/// A name with the definitions that it has in different builds.
#[derive(Clone, Copy)]
struct Several<'t, 'a> {
    token: &'t PpToken<'a>,
    definitions: &'t [&'a Definition],
    /// How many macros it stands in.
    depth: usize,
    place: MacroPosition,
}

impl<'a> Expander<'a> {
    /// An expression for `token`, a macro of several definitions that would hide a call or a write if it were left as it
    /// is: each definition is an operand of `BUILD_CHOICE ? … : …`, and so is the name itself where it may be no macro.
    /// A statement of its own, which `begins` here, becomes a conditional group.
    pub(super) fn choice(
        &mut self,
        token: &PpToken<'a>,
        definitions: &[&'a Definition],
        work: &mut Vec<PpToken<'a>>,
        behind: Behind,
        depth: usize,
        place: MacroPosition,
    ) -> Result<Option<Vec<PpToken<'a>>>, GivenUp> {
        if place.begins
            && let Some(tokens) = self.further_branches(token, definitions, work, behind, depth)?
        {
            return Ok(Some(tokens));
        }
        let worst = definitions.iter().map(|d| hazard(d)).max();
        let worst = worst.unwrap_or(Hazard::None);
        let called = definitions.iter().filter(|d| d.params.is_some()).count();
        let alike = called == 0 || called == definitions.len();
        let wanted = match worst {
            Hazard::Call => self.in_function && place.begins && definitions.len() > 1 && called > 0,
            worst => (Hazard::Statement..=Hazard::Write).contains(&worst),
        };
        if !wanted || !alike || definitions.len() > CHOICE_LIMIT {
            return Ok(None);
        }
        let pulled = self.next;
        // Only arguments are taken off the stack.
        let before = (called > 0).then(|| work.clone());
        let several = Several {
            token,
            definitions,
            depth,
            place,
        };
        let chosen = self.one_by_build(several, worst, work, behind)?;
        if chosen.is_none() {
            // What was taken for arguments is put back.
            self.next = pulled;
            if let Some(before) = before {
                *work = before;
            }
        }
        Ok(chosen)
    }

    /// The same for a macro that is known to be `worst`; arguments may be taken off `work` in vain.
    fn one_by_build(
        &mut self,
        several: Several<'_, 'a>,
        worst: Hazard,
        work: &mut Vec<PpToken<'a>>,
        behind: Behind,
    ) -> Result<Option<Vec<PpToken<'a>>>, GivenUp> {
        let mut args = None;
        if several.definitions.iter().any(|d| d.params.is_some()) {
            if self.peek(work, behind).is_none_or(|open| *open.text != *b"(") {
                return Ok(None);
            }
            args = Some(self.arguments(work, behind)?.0);
        }
        // A call with its semicolon may stay a call of the macro, unless it hides a jump.
        let swallows = self
            .peek(work, behind)
            .is_some_and(|next| next.kind == TokenKind::Ident);
        let Some(mut forms) = self.forms(several, args.as_deref())? else {
            return Ok(None);
        };
        let jumps = |tokens: &Vec<PpToken>| tokens.iter().any(|t| is_jump(&t.text));
        if worst == Hazard::Call && !swallows && !forms.operands.iter().any(jumps) {
            return Ok(None);
        }
        if forms.prefixes {
            return Ok(Some(prefix_of(forms.operands)));
        }
        if !forms.expressions {
            let ends = forms.statements && self.peek(work, behind).is_some_and(|next| *next.text == *b";");
            return Ok(if ends {
                Some(group_of(forms.operands, Some(plain(TokenKind::Punct, b";"))))
            } else if forms.whole {
                Some(group_of(forms.operands, None))
            } else {
                None
            });
        }
        // Where no definition is in force, the name is that of a function.
        if let Some(args) = args.filter(|_| !looks_like_macro(&several.token.text)) {
            forms
                .operands
                .push(self.call_of(several.token, args, several.depth)?);
        }
        Ok(Some(one_of(forms.operands)))
    }

    /// Expands a name by each of its definitions; `None` when the expansions are of no form that can be chosen among.
    fn forms(
        &mut self,
        several: Several<'_, 'a>,
        args: Option<&[Vec<PpToken<'a>>]>,
    ) -> Result<Option<Forms<'a>>, GivenUp> {
        let Several {
            token,
            definitions,
            depth,
            place,
        } = several;
        let differ = definitions.len() > 1;
        let mut forms = Forms {
            operands: Vec::new(),
            expressions: true,
            statements: place.begins && differ,
            whole: self.in_function && place.begins && differ,
            prefixes: place.grouped && differ,
        };
        for definition in definitions {
            let hide = with_name(token.hide.clone(), &token.text);
            let given = args.map(|args| fitted(args.to_vec(), definition));
            self.chosen.push(((*token.text).into(), definition));
            let tokens = match given {
                Some(None) => Vec::new(),
                Some(Some(args)) => self.substitute(definition, &args, &hide, depth)?,
                None => self.substitute(definition, &[], &hide, depth)?,
            };
            let tokens = self.run(tokens.into_iter().rev().collect(), Behind::Nothing, depth + 1)?;
            self.chosen.pop();
            // Just another name is left to those who know what functions there are.
            let renamed = args.is_none() && tokens.len() == 1;
            forms.expressions &= is_expression(&tokens);
            forms.statements &= is_statement(&tokens);
            forms.whole &= is_statements(&tokens);
            forms.prefixes &= is_prefix(&tokens);
            if renamed || !(forms.expressions || forms.statements || forms.whole || forms.prefixes) {
                return Ok(None);
            }
            forms.operands.push(tokens);
        }
        Ok(Some(forms))
    }

    /// The call of a function that has the name of the macro `token`.
    fn call_of(
        &mut self,
        token: &PpToken<'a>,
        args: Vec<Vec<PpToken<'a>>>,
        depth: usize,
    ) -> Result<Vec<PpToken<'a>>, GivenUp> {
        let mut name = token.clone();
        name.hide = with_name(name.hide, &token.text);
        let mut call = vec![name, plain(TokenKind::Punct, b"(")];
        for (index, arg) in args.into_iter().enumerate() {
            if index > 0 {
                call.push(plain(TokenKind::Punct, b","));
            }
            call.extend(self.run(arg.into_iter().rev().collect(), Behind::Nothing, depth + 1)?);
        }
        call.push(plain(TokenKind::Punct, b")"));
        Ok(call)
    }

    /// What is assigned to by the name of `token`, a macro without arguments, with one of its `definitions`. No build has both an
    /// assignment and a constant there.
    pub(super) fn assigned(
        &mut self,
        token: &PpToken<'a>,
        definitions: &[&'a Definition],
        work: &[PpToken<'a>],
        behind: Behind,
        depth: usize,
    ) -> Result<Option<Vec<PpToken<'a>>>, GivenUp> {
        let next = self.peek(work, behind);
        let assigned = next.is_some_and(|next| is_assignment(&next.text));
        if !assigned || definitions.iter().any(|d| d.params.is_some()) || definitions.len() > CHOICE_LIMIT {
            return Ok(None);
        }
        let mut variables = Vec::new();
        for definition in definitions {
            let hide = with_name(token.hide.clone(), &token.text);
            let tokens = self.substitute(definition, &[], &hide, depth)?;
            let tokens = self.run(tokens.into_iter().rev().collect(), Behind::Nothing, depth + 1)?;
            let is_variable = |t: &PpToken| {
                t.kind == TokenKind::Ident && matches!(self.visible.meaning(&t.text, self.at), Meaning::None)
            };
            if tokens.iter().any(is_variable) {
                variables.push(tokens);
            }
        }
        Ok(match variables.len() {
            0 => None,
            1 => variables.pop(),
            _ => variables
                .iter()
                .all(|tokens| is_expression(tokens))
                .then(|| variable_of(variables)),
        })
    }

    /// A macro that stands for further branches, `} else if (c) { s`, in one build and for nothing in the others: the branches, with
    /// conditions that fail where the build leaves them out.
    fn further_branches(
        &mut self,
        token: &PpToken<'a>,
        definitions: &[&'a Definition],
        work: &mut Vec<PpToken<'a>>,
        behind: Behind,
        depth: usize,
    ) -> Result<Option<Vec<PpToken<'a>>>, GivenUp> {
        let mut filled = definitions
            .iter()
            .filter(|definition| !definition.body.is_empty());
        let (Some(filled), None) = (filled.next(), filled.next()) else {
            return Ok(None);
        };
        let begins = filled.body.first().is_some_and(|first| *first.text == *b"}");
        let alike = definitions
            .iter()
            .all(|d| d.params.is_some() == filled.params.is_some());
        if !begins || !alike || definitions.len() < 2 {
            return Ok(None);
        }
        let (pulled, before) = (self.next, work.clone());
        let mut args = Vec::new();
        if filled.params.is_some() {
            if self.peek(work, behind).is_none_or(|open| *open.text != *b"(") {
                return Ok(None);
            }
            let found = self.arguments(work, behind)?.0;
            args = fitted(found, filled).ok_or(GivenUp)?;
        }
        let hide = with_name(token.hide.clone(), &token.text);
        let tokens = self.substitute(filled, &args, &hide, depth)?;
        let tokens = self.run(tokens.into_iter().rev().collect(), Behind::Nothing, depth + 1)?;
        let guarded = guarded_branches(&tokens);
        if guarded.is_none() {
            (self.next, *work) = (pulled, before);
        }
        Ok(guarded)
    }
}

/// The expansions of one macro by each of its definitions, and what all of them are.
struct Forms<'a> {
    operands: Vec<Vec<PpToken<'a>>>,
    /// Expressions, or parts of one that can be an operand.
    expressions: bool,
    /// Statements that lack their semicolon.
    statements: bool,
    /// Whole statements, with their semicolons.
    whole: bool,
    /// What can stand in front of an expression in parentheses.
    prefixes: bool,
}

/// Whether `tokens` can be an operand.
fn is_expression(tokens: &[PpToken<'_>]) -> bool {
    let mut depth = 0_i64;
    for token in tokens {
        match &*token.text {
            b"(" | b"[" => depth += 1,
            b")" | b"]" => depth -= 1,
            b";" | b"{" | b"}" => return false,
            _ if token.kind == TokenKind::Directive => return false,
            word if token.kind == TokenKind::Ident && is_control(word) => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    let begins = tokens
        .first()
        .is_some_and(|t| declaration_word(&t.text).is_none());
    // A comma at an end is what separates it from its neighbours.
    let cut = |token: Option<&PpToken>| token.is_some_and(|t| *t.text == *b",");
    depth == 0 && begins && !cut(tokens.first()) && !cut(tokens.last())
}

/// Whether `tokens` and a semicolon are whole statements: `do { … } while (0)`, `f(x)`, or nothing.
fn is_statement(tokens: &[PpToken<'_>]) -> bool {
    let first = tokens.first().map_or(&b""[..], |t| &*t.text);
    // Anything else that ends in a parenthesis may want a body, and a declaration is for what follows.
    are_balanced(tokens) && (first == b"do" || !(is_control(first) || declaration_word(first).is_some()))
}

/// `(*(BUILD_CHOICE ? &(one) : &(two)))`: one of several variables, as something to assign to.
fn variable_of<'a>(variables: Vec<Vec<PpToken<'a>>>) -> Vec<PpToken<'a>> {
    let punct = |text: &'static [u8]| plain(TokenKind::Punct, text);
    let address = |tokens| [vec![punct(b"&"), punct(b"(")], tokens, vec![punct(b")")]].concat();
    let place = one_of(variables.into_iter().map(address).collect());
    [vec![punct(b"("), punct(b"*")], place, vec![punct(b")")]].concat()
}

/// Whether `text` is an operator that changes what stands before it.
fn is_assignment(text: &[u8]) -> bool {
    matches!(
        text,
        b"=" | b"+="
            | b"-="
            | b"*="
            | b"/="
            | b"%="
            | b"&="
            | b"|="
            | b"^="
            | b"<<="
            | b">>="
            | b"++"
            | b"--"
    )
}

/// Whether `word` leaves the place where it stands.
fn is_jump(word: &[u8]) -> bool {
    matches!(word, b"goto" | b"return" | b"break" | b"continue")
}

/// Whether `tokens` are operands of the comma operator that stand before another, `f(),`, or nothing.
fn is_prefix(tokens: &[PpToken<'_>]) -> bool {
    match tokens.split_last() {
        None => true,
        Some((last, head)) => *last.text == *b"," && is_expression(head),
    }
}

/// `(BUILD_CHOICE ? (f()) : (0)),` for operands of the comma operator that some builds leave out.
fn prefix_of<'a>(prefixes: Vec<Vec<PpToken<'a>>>) -> Vec<PpToken<'a>> {
    let operands = prefixes.into_iter().map(|mut tokens| {
        if tokens.pop().is_none() {
            tokens.push(plain(TokenKind::Number, b"0"));
        }
        tokens
    });
    let mut result = one_of(operands.collect());
    result.push(plain(TokenKind::Punct, b","));
    result
}

/// Whether what follows `tokens` stands in parentheses that only group, so that a comma there is an operator.
pub(super) fn is_in_plain_parens(tokens: &[PpToken<'_>]) -> bool {
    if !tokens.last().is_some_and(|t| matches!(&*t.text, b"(" | b",")) {
        return false;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().rev() {
        match &*token.text {
            b")" | b"]" | b"}" => depth += 1,
            b"(" if depth == 0 => {
                let before = at.checked_sub(1).map(|at| &tokens[at]);
                return before.is_none_or(|t| {
                    t.kind == TokenKind::Punct && !matches!(&*t.text, b")" | b"]" | b">" | b"}")
                });
            }
            b"(" | b"[" | b"{" => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            _ => {}
        }
    }
    false
}

/// A conditional group with `arms`, each of whole statements but for the semicolon `ends`. What follows is one more statement.
fn group_of<'a>(arms: Vec<Vec<PpToken<'a>>>, ends: Option<PpToken<'a>>) -> Vec<PpToken<'a>> {
    let mut result = Vec::new();
    let count = arms.len();
    for (index, arm) in arms.into_iter().enumerate() {
        let directive: &[u8] = match index {
            0 => b"\n#if 1\n",
            _ if index + 1 == count => b"\n#else\n",
            _ => b"\n#elif 1\n",
        };
        result.push(plain(TokenKind::Directive, directive));
        result.extend(arm);
        result.extend(ends.clone());
    }
    result.push(plain(TokenKind::Directive, b"\n#endif\n"));
    result
}

/// `} else if (c) { s` with `(BUILD_CHOICE && (c))` for each condition of its branches; `None` when `tokens` are something else.
fn guarded_branches<'a>(tokens: &[PpToken<'a>]) -> Option<Vec<PpToken<'a>>> {
    let text = |at: usize| tokens.get(at).map_or(&b""[..], |t| &*t.text);
    let closing = |open: usize| {
        let ends = |end: &usize| text(*end) != text(open) && are_balanced(&tokens[open..=*end]);
        (open + 1..tokens.len()).find(ends)
    };
    if tokens.len() > BRANCHES_LIMIT {
        return None;
    }
    let punct = |text: &'static [u8]| plain(TokenKind::Punct, text);
    let mut result = vec![tokens.first().filter(|t| *t.text == *b"}")?.clone()];
    let mut at = 1;
    loop {
        if (text(at), text(at + 1), text(at + 2)) != (b"else", b"if", b"(") {
            return None;
        }
        let close = closing(at + 2)?;
        result.extend(tokens[at..at + 3].iter().cloned());
        result.extend([plain(TokenKind::Ident, BUILD_CHOICE), punct(b"&&"), punct(b"(")]);
        result.extend(tokens[at + 3..close].iter().cloned());
        result.extend([punct(b")"), punct(b")")]);
        let open = close + 1;
        if text(open) != b"{" {
            return None;
        }
        let Some(end) = closing(open) else {
            // The last block is closed by what follows.
            let rest = &tokens[open..];
            let whole = are_balanced(&rest[1..]) && !rest.iter().any(|t| t.kind == TokenKind::Directive);
            result.extend(rest.iter().cloned());
            return whole.then_some(result);
        };
        result.extend(tokens[open..=end].iter().cloned());
        at = end + 1;
    }
}

/// `(BUILD_CHOICE ? (one) : (BUILD_CHOICE ? (two) : (three)))`.
fn one_of<'a>(operands: Vec<Vec<PpToken<'a>>>) -> Vec<PpToken<'a>> {
    let punct = |text: &'static [u8]| plain(TokenKind::Punct, text);
    let mut result: Vec<PpToken<'a>> = Vec::new();
    for operand in operands.into_iter().rev() {
        let mut operand = [vec![punct(b"(")], operand, vec![punct(b")")]].concat();
        if !result.is_empty() {
            let head = vec![punct(b"("), plain(TokenKind::Ident, BUILD_CHOICE), punct(b"?")];
            operand = [head, operand, vec![punct(b":")], result, vec![punct(b")")]].concat();
        }
        result = operand;
    }
    result
}
