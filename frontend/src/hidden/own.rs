//! The brackets of a replacement list and the variables that it declares.

use crate::directive::{BodyToken, Definition};
use crate::shape::is_keyword;
use crate::token::TokenKind;
use std::ops::Range;

/// A name that a replacement list declares, the tokens in which it is in scope, and the word that is its type.
pub(super) type Own<'d> = (&'d [u8], Range<usize>, usize);

/// The partner of each bracket of `body`.
pub(super) fn partners(body: &[BodyToken]) -> Vec<Option<usize>> {
    let mut partner = vec![None; body.len()];
    let mut open = Vec::new();
    for (at, token) in body.iter().enumerate() {
        match &*token.text {
            b"(" | b"[" | b"{" => open.push(at),
            b")" | b"]" | b"}" => {
                if let Some(start) = open.pop() {
                    partner[start] = Some(at);
                    partner[at] = Some(start);
                }
            }
            _ => {}
        }
    }
    partner
}

/// Whether `definition` stands for a type.
pub(super) fn is_type(definition: &Definition) -> bool {
    let word = |t: &BodyToken| t.kind == TokenKind::Ident && !is_keyword(&t.text) || *t.text == *b"*";
    !definition.body.is_empty() && definition.body.iter().all(word)
}

/// The variables that `body` declares: names behind a type, up to the end of the bracket around. Also whether there is
/// a declaration outside all brackets, which is one of the function at hand.
pub(super) fn own_variables<'d>(body: &'d [BodyToken], partner: &[Option<usize>]) -> (Vec<Own<'d>>, bool) {
    let mut own = Vec::new();
    let mut leaked = false;
    // The bracket around and where the statement (or argument) at hand began, and the type of the declaration at hand.
    let mut open: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let mut start = 0;
    let mut listed: Option<usize> = None;
    for (at, token) in body.iter().enumerate() {
        match &*token.text {
            b"(" | b"[" | b"{" => {
                open.push((at, start, listed));
                (start, listed) = (at + 1, None);
                continue;
            }
            b")" | b"]" | b"}" => {
                // Behind a parenthesis the statement goes on; behind a block the next one begins.
                (start, listed) = match open.pop() {
                    Some((_, start, listed)) if *token.text != *b"}" => (start, listed),
                    _ => (at + 1, None),
                };
                continue;
            }
            b";" => {
                (start, listed) = (at + 1, None);
                continue;
            }
            b"," => {
                start = at + 1;
                continue;
            }
            _ => {}
        }
        let next = body.get(at + 1).map_or(&b""[..], |next| &*next.text);
        let name = token.kind == TokenKind::Ident && !is_keyword(&token.text);
        if !name || !matches!(next, b"=" | b";" | b"," | b"[") {
            continue;
        }
        let head = body.get(start..at).unwrap_or_default();
        let words = |t: &BodyToken| t.kind == TokenKind::Ident && !is_keyword(&t.text);
        let stars = head.iter().rev().take_while(|t| *t.text == *b"*").count();
        let (types, _) = head.split_at(head.len() - stars);
        let in_parens = open.last().is_some_and(|(open, ..)| *body[*open].text == *b"(");
        // `f(a * b, c)` is a product.
        let product = in_parens && stars > 0 && next != b"=";
        let declares = !types.is_empty() && types.iter().all(words) && !product;
        // `int a = 1, *b`: behind the comma stands no type.
        let continues = types.is_empty() && listed.is_some();
        if declares {
            listed = Some(start + types.len() - 1);
        } else if !continues {
            continue;
        }
        match (open.last().and_then(|(open, ..)| partner[*open]), listed) {
            (Some(end), Some(ty)) => own.push((&*token.text, at..end, ty)),
            _ => leaked = true,
        }
    }
    (own, leaked)
}
