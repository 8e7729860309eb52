//! Macros of which nothing is left in any build but attributes and the like: the code is the same without them.

use super::visible::NESTED_LIMIT;
use super::{Meaning, Visible};
use crate::directive::{BodyToken, Definition};
use crate::token::TokenKind;

/// Tokens of such a macro.
const LENGTH_LIMIT: usize = 40;

impl<'m> Visible<'m> {
    /// The shortest of several definitions of which nothing is left but attributes, if they all are of this kind.
    pub(super) fn attributes_alone(
        &self,
        definitions: &[&'m Definition],
        offset: u32,
        depth: usize,
    ) -> Option<&'m Definition> {
        // Where one build needs no semicolon, that of `__attribute__((fallthrough));` ends no statement.
        let some_empty = definitions.iter().any(|one| one.body.is_empty());
        let all = definitions.iter().all(|one| {
            let body = match one.body.as_slice() {
                [body @ .., last] if some_empty && *last.text == *b";" => body,
                body => body,
            };
            is_else_blocker(one) || self.vanishes(body, offset, depth)
        });
        let shortest = definitions.iter().min_by_key(|one| one.body.len());
        shortest.copied().filter(|_| all)
    }

    /// Whether nothing is left of `body`, the replacement list of a macro, but attributes.
    fn vanishes(&self, body: &[BodyToken], offset: u32, depth: usize) -> bool {
        let mut rest = body;
        if rest.len() > LENGTH_LIMIT || depth > NESTED_LIMIT {
            return false;
        }
        while let [first, tail @ ..] = rest {
            let after = match &*first.text {
                b"__attribute__" | b"__attribute" | b"__declspec" => after_brackets(tail),
                b"[" if tail.first().is_some_and(|t| *t.text == *b"[") => after_brackets(rest),
                b"inline" | b"__inline" | b"__inline__" | b"__forceinline" => Some(tail),
                b"restrict" | b"__restrict" | b"__restrict__" => Some(tail),
                // Who may not write does not write: it decides at most what compiles.
                b"const" => Some(tail),
                // Of C++: nothing that the flow of a function depends on.
                b"constexpr" | b"noexcept" | b"override" | b"final" if tail.is_empty() => Some(tail),
                b"throw" if matches!(tail, [open, close] if *open.text == *b"(" && *close.text == *b")") => {
                    after_brackets(tail)
                }
                b"_Pragma" | b"__pragma" => after_brackets(tail).filter(|after| {
                    let text = &tail[..tail.len() - after.len()];
                    text.iter().all(is_of_vector_pragma) || is_of_diagnostics(text)
                }),
                name if is_annotation(name) => Some(tail),
                name if first.kind == TokenKind::Ident => self.behind_vanished(name, tail, offset, depth + 1),
                _ => None,
            };
            let Some(after) = after else {
                return false;
            };
            rest = after;
        }
        true
    }

    /// What follows the invocation of the macro `name` in front of `tail`, if the macro stands for attributes in every build.
    fn behind_vanished<'t>(
        &self,
        name: &[u8],
        tail: &'t [BodyToken],
        offset: u32,
        depth: usize,
    ) -> Option<&'t [BodyToken]> {
        let after = after_brackets(tail);
        let arguments = &tail[..tail.len() - after.map_or(tail.len(), <[BodyToken]>::len)];
        let vanishes = |one: &Definition| {
            makes_pragma(one) && is_of_diagnostics(arguments) || self.vanishes(&one.body, offset, depth)
        };
        let vanished = match self.meaning_within(name, offset, depth) {
            Meaning::One(definition) => is_else_blocker(definition) || vanishes(definition),
            Meaning::Several(all) => all.into_iter().all(vanishes),
            Meaning::None | Meaning::Elsewhere => false,
        };
        vanished.then_some(after.unwrap_or(tail))
    }
}

/// Whether a token of a pragma's text says nothing but that iterations may be put side by side in one thread.
fn is_of_vector_pragma(token: &BodyToken) -> bool {
    const WORDS: [&[u8]; 9] = [
        b"omp", b"simd", b"ivdep", b"vector", b"unroll", b"GCC", b"clang", b"_NEC", b"_CRI",
    ];
    let text = unquoted(token);
    matches!(text, b"(" | b")")
        || text
            .split(u8::is_ascii_whitespace)
            .all(|word| WORDS.contains(&word))
}

/// Whether `name` is one of those that Microsoft's compilers have beside parameters: `_Printf_format_string_`, `_In_`.
fn is_annotation(name: &[u8]) -> bool {
    matches!(name, [b'_', capital, .., b'_'] if capital.is_ascii_uppercase())
}

/// Whether the bracketed tokens of a pragma are about the compiler's warnings: `(GCC diagnostic ignored "-Wfloat-equal")`.
fn is_of_diagnostics(bracketed: &[BodyToken]) -> bool {
    let text = bracketed.iter().skip(1).map(unquoted);
    let mut words = text.flat_map(|text| text.split(u8::is_ascii_whitespace));
    matches!(
        (words.next(), words.next()),
        (Some(b"GCC" | b"clang"), Some(b"diagnostic")) | (Some(b"warning"), Some(_))
    )
}

/// Whether `definition` makes a pragma of its argument: `_Pragma(#text)`.
fn makes_pragma(definition: &Definition) -> bool {
    definition.params.is_some()
        && matches!(
            definition.words()[..],
            [b"_Pragma", b"(", b"#", _, b")"] | [b"__pragma", b"(", _, b")"]
        )
}

/// The text of a token; of a string what stands in it.
fn unquoted(token: &BodyToken) -> &[u8] {
    let text = token.text.trim_ascii();
    text.strip_prefix(b"\"")
        .and_then(|text| text.strip_suffix(b"\""))
        .unwrap_or(text)
        .trim_ascii()
}

/// Whether `definition` is `switch (0) case 0: default:`, which test frameworks write in front of an `if` so that compilers do not
/// warn of an `else` behind it: the statement is executed as if nothing stood there.
fn is_else_blocker(definition: &Definition) -> bool {
    let value = matches!(
        definition.words()[..],
        [b"switch", b"(", value, b")", b"case", label, b":", b"default", b":"] if value == label
    );
    definition.params.is_none() && value
}

/// What follows the bracketed tokens that `tokens` begin with; `None` when they do not begin with a bracket.
fn after_brackets(tokens: &[BodyToken]) -> Option<&[BodyToken]> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            b"(" | b"[" => depth += 1,
            b")" | b"]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then(|| &tokens[at + 1..]);
        }
    }
    None
}
