//! What a macro's replacement list may do to the code around it when it is left unexpanded.

use crate::directive::Definition;
use crate::shape::{declaration_word, is_control, is_keyword};
use crate::token::{TokenKind, closes};
use std::fmt;

/// The worst thing that an unexpanded macro hides, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hazard {
    /// A value, at most of its arguments.
    None,
    /// A call, a jump, or a write to an argument: what `Callee::Macro` stands for.
    Call,
    /// A call, jump or statement behind a name without arguments.
    Statement,
    /// A write to a variable that is not among the arguments.
    Write,
    /// A part of a statement, or brackets that match only together with the code around.
    Structure,
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hazard::None => "a value",
            Hazard::Call => "a call",
            Hazard::Statement => "a statement",
            Hazard::Write => "an assignment",
            Hazard::Structure => "part of a statement",
        })
    }
}

/// Whether the code around needs `definition` expanded to be read at all: it is empty, or it is not whole.
pub fn is_structural(definition: &Definition) -> bool {
    definition.body.is_empty() || hazard(definition) == Hazard::Structure || declares(definition)
}

/// A replacement list of declaration words only: an attribute, or another name of a type.
pub fn declares(definition: &Definition) -> bool {
    let word =
        |t: &crate::directive::BodyToken| t.kind == TokenKind::Ident && declaration_word(&t.text).is_some();
    definition.params.is_none() && definition.body.first().is_some_and(word)
}

/// The worst thing that `definition` hides.
pub fn hazard(definition: &Definition) -> Hazard {
    let body = &definition.body;
    let text = |at: usize| body.get(at).map_or(&b""[..], |t| &*t.text);
    let is_param = |name: &[u8]| {
        definition
            .params
            .as_ref()
            .is_some_and(|p| p.names.iter().any(|n| **n == *name))
    };
    let own = own_variables(definition);
    let mut worst = Hazard::None;
    let mut open: Vec<u8> = Vec::new();
    let mut control = false;
    for (at, token) in body.iter().enumerate() {
        let word = &*token.text;
        match word {
            b"(" | b"[" | b"{" => {
                let callee = at > 0 && body[at - 1].kind == TokenKind::Ident && !is_keyword(text(at - 1));
                if word == b"(" && callee {
                    worst = worst.max(Hazard::Call);
                }
                open.push(word[0]);
            }
            b")" | b"]" | b"}" if !closes(open.pop(), word) => return Hazard::Structure,
            b")" | b"]" | b"}" => {}
            b"++" | b"--" | b"=" | b"+=" | b"-=" | b"*=" | b"/=" | b"%=" | b"&=" | b"|=" | b"^=" | b"<<="
            | b">>=" => {
                let prefix = matches!(word, b"++" | b"--")
                    && body.get(at + 1).is_some_and(|t| t.kind == TokenKind::Ident);
                let target = if prefix { at + 1 } else { at.saturating_sub(1) };
                let member = matches!(target.checked_sub(1).map_or(&b""[..], text), b"." | b"->");
                let harmless = !member && (is_param(text(target)) || own.contains(&text(target)));
                worst = worst.max(if harmless { Hazard::Call } else { Hazard::Write });
            }
            _ if token.kind == TokenKind::Ident && is_control(word) => {
                control = true;
                worst = worst.max(Hazard::Call);
            }
            b";" => worst = worst.max(Hazard::Call),
            _ => {}
        }
    }
    // A loop or branch whose body is to come, such as `for (;;)` or `if (x)`.
    if !open.is_empty() || (control && unfinished(definition)) {
        return Hazard::Structure;
    }
    if worst == Hazard::Call && definition.params.is_none() {
        return Hazard::Statement;
    }
    worst
}

/// The variables that the replacement list declares for itself: names after a word and perhaps stars.
fn own_variables(definition: &Definition) -> Vec<&[u8]> {
    let body = &definition.body;
    let mut own = Vec::new();
    let mut typed = false;
    for (at, token) in body.iter().enumerate() {
        let word = token.kind == TokenKind::Ident && !is_control(&token.text);
        let ends = body
            .get(at + 1)
            .is_some_and(|next| matches!(&*next.text, b"=" | b";" | b"," | b"["));
        if word && typed && ends {
            own.push(&*token.text);
        }
        typed = word || (typed && *token.text == *b"*");
    }
    own
}

/// Whether the replacement list begins a statement that the code behind the macro completes.
fn unfinished(definition: &Definition) -> bool {
    let body = &definition.body;
    let first = body.first().map_or(&b""[..], |t| &*t.text);
    let last = body.last().map_or(&b""[..], |t| &*t.text);
    match first {
        b"for" | b"if" | b"switch" | b"else" | b"case" | b"default" => {
            !matches!(last, b"}" | b";") && !whole_branch(definition)
        }
        // `while (c)` needs a body, and behind `do` it ends one; `do … while (c)` is whole.
        b"while" => !matches!(last, b"}" | b";"),
        b"do" => last == b"do",
        _ => false,
    }
}

/// `if (c) f()`: more follows the parenthesised head.
fn whole_branch(definition: &Definition) -> bool {
    let mut depth = 0;
    for (at, token) in definition.body.iter().enumerate() {
        match &*token.text {
            b"(" => depth += 1,
            b")" => {
                depth -= 1;
                if depth == 0 {
                    return at + 1 < definition.body.len();
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::{Directive, read};

    fn of(line: &str) -> Hazard {
        match read(line.as_bytes(), base::Language::C) {
            Directive::Define(_, definition) => hazard(&definition),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn from_values_to_halves_of_statements() {
        assert_eq!(of("#define N (1 + 2)"), Hazard::None);
        assert_eq!(of("#define BITS (8 * sizeof (int))"), Hazard::None);
        assert_eq!(of("#define MAX(a,b) ((a) > (b) ? (a) : (b))"), Hazard::None);
        assert_eq!(
            of("#define CHECK(x) do { int e = (x); if (e) die(e); } while (0)"),
            Hazard::Call
        );
        assert_eq!(of("#define INC(x) x++"), Hazard::Call);
        assert_eq!(of("#define NEXT it++"), Hazard::Write);
        assert_eq!(of("#define OK return 0"), Hazard::Statement);
        assert_eq!(of("#define FAIL(x) if (x) return 1"), Hazard::Call);
        assert_eq!(of("#define EACH(i,n) for (i = 0; i < n; i++)"), Hazard::Structure);
        assert_eq!(of("#define forever for (;;)"), Hazard::Structure);
        assert_eq!(of("#define BEGIN {"), Hazard::Structure);
    }
}
