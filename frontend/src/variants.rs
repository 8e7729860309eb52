//! Statement macros whose definition depends on the build: each definition is one arm of a conditional group.
//!
//! The expansions of one invocation often differ in the middle only (`log(x); {` against `{`), so what they begin and
//! end with in common is written once; that keeps brackets outside the group which match only together with the code
//! around.

use crate::expand::{PpToken, are_balanced};
use crate::token::TokenKind;

/// The expansions of one invocation, taken apart. `prefix` and `suffix` are lengths that all of them share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Tokens that all begin with.
    pub prefix: usize,
    /// Tokens that all end with.
    pub suffix: usize,
}

/// Longer expansions are not compared: the search for the split is quadratic.
const LENGTH_LIMIT: usize = 300;

/// Splits `expansions` so that what remains of each is whole statements; `None` when that cannot be done.
pub fn split(expansions: &[Vec<PpToken<'_>>]) -> Option<Split> {
    let (first, rest) = expansions.split_first()?;
    let shortest = expansions.iter().map(Vec::len).min()?;
    if expansions.iter().any(|tokens| tokens.len() > LENGTH_LIMIT) {
        return None;
    }
    // A group within one of them must stay in one piece.
    let grouped = |tokens: &Vec<PpToken<'_>>| tokens.iter().any(|t| t.kind == TokenKind::Directive);
    if expansions.iter().any(grouped) {
        let whole = expansions.iter().all(|tokens| is_statements(tokens));
        return whole.then_some(Split { prefix: 0, suffix: 0 });
    }
    let same = |at: usize| rest.iter().all(|other| other[at].text == first[at].text);
    let common = (0..shortest).take_while(|at| same(*at)).count();
    // The group begins where a statement does.
    let prefix = (0..=common).rev().find(|len| ends_statement(&first[..*len]))?;
    let same = |back: &usize| {
        rest.iter()
            .all(|other| other[other.len() - back].text == first[first.len() - back].text)
    };
    let common = (1..=shortest - prefix).take_while(same).count();
    let whole = |suffix: &usize| {
        let middle = |tokens: &Vec<PpToken<'_>>| is_statements(&tokens[prefix..tokens.len() - suffix]);
        expansions.iter().all(middle)
    };
    let suffix = (0..=common).rev().find(whole)?;
    Some(Split { prefix, suffix })
}

/// Where some of `expansions` end by opening a block, or begin what follows by closing one, and the others are whole statements, gives
/// these the brace too: `log(x); {` against nothing becomes `log(x); {` against `{`. Every build has either both braces of such a pair or
/// none, as both compile, and a block around statements changes nothing. Says whether it did.
pub fn even_braces(expansions: &mut [Vec<PpToken<'_>>]) -> bool {
    let whole = |tokens: &Vec<PpToken<'_>>| is_statements(tokens);
    if !expansions.iter().any(whole) {
        return false;
    }
    let opens = |tokens: &Vec<PpToken<'_>>| {
        let is_open =
            |(last, head): (&PpToken<'_>, &[PpToken<'_>])| *last.text == *b"{" && is_statements(head);
        tokens.split_last().is_some_and(is_open)
    };
    // A block of its own, so that where it ends among statements does not matter to them.
    let closes = |tokens: &Vec<PpToken<'_>>| {
        let at = tokens.iter().position(|token| *token.text == *b"}")?;
        let rest = &tokens[at + 1..];
        let ends = rest.is_empty() || at == 0;
        (ends && is_statements(&tokens[..at]) && is_statements(rest)).then_some(at)
    };
    let brace = |text: &'static [u8]| PpToken::punctuation(text);
    let rest = || expansions.iter().filter(|tokens| !whole(tokens));
    if rest().all(opens) {
        for tokens in expansions.iter_mut().filter(|tokens| whole(tokens)) {
            tokens.push(brace(b"{"));
        }
        return true;
    }
    if rest().all(|tokens| closes(tokens) == Some(0)) {
        for tokens in expansions.iter_mut().filter(|tokens| whole(tokens)) {
            tokens.insert(0, brace(b"}"));
        }
        return true;
    }
    if rest().all(|tokens| closes(tokens) == Some(tokens.len() - 1)) {
        for tokens in expansions.iter_mut().filter(|tokens| whole(tokens)) {
            tokens.push(brace(b"}"));
        }
        return true;
    }
    false
}

/// Whether all expansions leave the same brackets open or closed, and at least one.
pub fn same_brackets(expansions: &[Vec<PpToken<'_>>]) -> bool {
    let net = |tokens: &Vec<PpToken<'_>>| {
        let count = |text: &[u8]| tokens.iter().filter(|t| *t.text == *text).count() as i64;
        (count(b"{") - count(b"}"), count(b"(") - count(b")"))
    };
    let first = expansions.first().map(net);
    first.is_some_and(|first| first != (0, 0)) && expansions.iter().all(|tokens| Some(net(tokens)) == first)
}

/// Whether a statement may begin behind `tokens`.
fn ends_statement(tokens: &[PpToken<'_>]) -> bool {
    let open = |text: &[u8]| tokens.iter().filter(|t| *t.text == *text).count();
    let Some(last) = tokens.last() else {
        return true;
    };
    matches!(&*last.text, b";" | b"{" | b"}") && open(b"(") == open(b")")
}

/// Whether `tokens` are whole statements, or nothing.
pub fn is_statements(tokens: &[PpToken<'_>]) -> bool {
    let first = tokens
        .first()
        .is_some_and(|t| matches!(&*t.text, b"else" | b"while"));
    // What ends with a directive ends with a group of whole statements.
    let last = tokens
        .last()
        .is_none_or(|t| t.kind == TokenKind::Directive || matches!(&*t.text, b";" | b"}"));
    are_balanced(tokens) && last && !first
}
