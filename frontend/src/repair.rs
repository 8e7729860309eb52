//! Repairs of code that C compilers accept and the grammar does not; none of them can change control flow.

use crate::shape::{Written, declaration_word, is_control};
use crate::token::{Token, TokenKind};

/// If an attribute or the like begins at token `at`, the index of the token after it.
pub fn attribute(text: &[u8], tokens: &[Token], at: usize) -> Option<usize> {
    match tokens.get(at)?.text(text) {
        b"__extension__" | b"__restrict" | b"__restrict__" | b"__inline__" | b"__inline" | b"_Noreturn" | b"__const"
        | b"__signed__" | b"__noreturn__" => Some(at + 1),
        b"__attribute__" | b"__attribute" | b"__declspec" | b"_Alignas" | b"_Pragma" => after_parens(text, tokens, at + 1),
        _ => None,
    }
}

/// The index after the parenthesised tokens that begin at `open`.
fn after_parens(text: &[u8], tokens: &[Token], open: usize) -> Option<usize> {
    if tokens.get(open)?.text(text) != b"(" {
        return None;
    }
    let mut depth = 0;
    // An attribute is short; an unclosed parenthesis must not cost a scan of the whole file.
    for (at, token) in tokens.iter().enumerate().skip(open).take(400) {
        match token.text(text) {
            b"(" => depth += 1,
            b")" => depth -= 1,
            _ if token.kind == TokenKind::Directive => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Replaces an argument that is a type (`va_arg(ap, int)`, `ALLOC(double *, n)`) by a zero. Says whether it did.
pub fn blank_type_argument(argument: &[Written], out: &mut [u8]) -> bool {
    let (Some(first), Some(last)) = (argument.first(), argument.last()) else {
        return false;
    };
    let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
    let words = |t: &Written| (t.kind == TokenKind::Ident && !is_control(text(t))) || text(t) == b"*";
    let named = argument.iter().any(|t| declaration_word(text(t)) == Some(true));
    let pointer = argument.len() > 1 && text(last) == b"*";
    if first.kind != TokenKind::Ident || !argument.iter().all(words) || !(named || pointer) {
        return false;
    }
    if let Some(bytes) = out.get_mut(first.start as usize..last.end as usize) {
        bytes.fill(b' ');
        bytes[0] = b'0';
    }
    true
}

/// Blanks the words in front of a declaration at file scope that can be neither its type nor its name: macros of
/// headers that were not gathered, such as `API_EXPORT int f(void)`. Returns the first.
pub fn blank_attribute_words(item: &[Written], out: &mut [u8]) -> Option<String> {
    let text = |t: &Written| out.get(t.start as usize..t.end as usize).unwrap_or_default();
    let count = item.iter().take_while(|t| t.kind == TokenKind::Ident).count();
    let (words, rest) = item.split_at(count);
    let next = rest.first().map(text)?;
    if words.first().is_some_and(|t| text(t) == b"typedef") {
        return None;
    }
    // Behind a star comes the name; otherwise the last word is it.
    let names = match next {
        b"*" => 0,
        b"(" | b";" | b"=" | b"[" | b"," => 1,
        _ => return None,
    };
    let mut types = words.get(..words.len().checked_sub(names)?)?;
    if let Some(at) = types.iter().position(|t| matches!(text(t), b"struct" | b"union" | b"enum")) {
        // The tag is not a word to spare.
        types = &types[..at + 1];
    }
    let free: Vec<Written> = types.iter().filter(|t| declaration_word(text(t)).is_none()).copied().collect();
    let typed = types.iter().any(|t| declaration_word(text(t)) == Some(true));
    let spare = free.get(..free.len().saturating_sub(usize::from(!typed)))?;
    let first = spare.first().map(|t| String::from_utf8_lossy(text(t)).into_owned());
    for word in spare {
        if let Some(bytes) = out.get_mut(word.start as usize..word.end as usize) {
            bytes.fill(b' ');
        }
    }
    first
}
