//! Preprocessor directives: what a directive line says, and conditions whose value is the same in every C build.

use crate::token::{Token, TokenKind, lex, splice_len};
use base::Language;

/// What a directive line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// `#define`.
    Define(Box<[u8]>, Definition),
    /// `#undef`.
    Undef(Box<[u8]>),
    /// `#include` of this path, quotes and brackets removed; empty when a macro names the file.
    Include(String),
    /// `#if`, `#ifdef`, `#ifndef`.
    If(Condition),
    /// `#elif` and its variants.
    Elif(Condition),
    /// `#else`.
    Else,
    /// `#endif`.
    Endif,
    /// Anything else: `#pragma`, `#error`, `#line`, an empty directive.
    Other,
}

/// What is known of a condition without knowing the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// True in every build (`#if 1`, and of C `#ifndef __cplusplus`).
    True,
    /// False in every build (`#if 0`, and of C `#ifdef __cplusplus`).
    False,
    /// True as long as this name is not defined: perhaps an include guard.
    Unless(Box<[u8]>),
    /// Depends on the build.
    Open,
}

/// The meaning of one macro name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// `None` for an object-like macro.
    pub params: Option<Params>,
    /// The replacement list.
    pub body: Vec<BodyToken>,
}

impl Definition {
    /// The texts of what stands for the macro.
    pub fn words(&self) -> Vec<&[u8]> {
        self.body.iter().map(|token| &*token.text).collect()
    }
}

/// The parameters of a function-like macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// Their names; the last is `__VA_ARGS__`, or the name before `...`, when `variadic`.
    pub names: Vec<Box<[u8]>>,
    /// The last parameter takes all remaining arguments.
    pub variadic: bool,
}

/// A token of a replacement list, which owns its text because headers are dropped once gathered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyToken {
    /// What it is.
    pub kind: TokenKind,
    /// Its bytes.
    pub text: Box<[u8]>,
}

/// Reads the directive whose token has the bytes `line`, in a file of `language`.
pub fn read(line: &[u8], language: Language) -> Directive {
    let clean = without_comments(line);
    let tokens = lex(clean.get(1..).unwrap_or_default());
    let body = clean.get(1..).unwrap_or_default();
    let Some((name, rest)) = tokens.split_first() else {
        return Directive::Other;
    };
    match name.text(body) {
        b"define" => define(body, rest).unwrap_or(Directive::Other),
        b"undef" => match rest.first() {
            Some(token) if token.kind == TokenKind::Ident => Directive::Undef(token.text(body).into()),
            _ => Directive::Other,
        },
        b"include" | b"include_next" | b"import" => Directive::Include(include_path(body, name.end)),
        b"if" => Directive::If(condition(body, rest, language)),
        b"ifdef" => Directive::If(defined(body, rest, language)),
        b"ifndef" => Directive::If(negate(defined(body, rest, language), body, rest)),
        b"elif" => Directive::Elif(condition(body, rest, language)),
        b"elifdef" => Directive::Elif(defined(body, rest, language)),
        b"elifndef" => Directive::Elif(negate(defined(body, rest, language), body, rest)),
        b"else" => Directive::Else,
        b"endif" => Directive::Endif,
        _ => Directive::Other,
    }
}

fn define(body: &[u8], rest: &[Token]) -> Option<Directive> {
    let (name, mut rest) = rest.split_first()?;
    if name.kind != TokenKind::Ident {
        return None;
    }
    let mut params = None;
    // A parenthesis makes the macro function-like only when nothing stands before it.
    if let Some(open) = rest
        .first()
        .filter(|t| t.text(body) == b"(" && t.start == name.end)
    {
        let close = rest.iter().position(|t| t.text(body) == b")")?;
        params = Some(parameters(body, &rest[1..close])?);
        debug_assert!(open.end > open.start);
        rest = &rest[close + 1..];
    }
    let own = |token: &Token| BodyToken {
        kind: token.kind,
        text: token.text(body).into(),
    };
    let definition = Definition {
        params,
        body: rest.iter().map(own).collect(),
    };
    Some(Directive::Define(name.text(body).into(), definition))
}

fn parameters(body: &[u8], tokens: &[Token]) -> Option<Params> {
    let mut names: Vec<Box<[u8]>> = Vec::new();
    let mut variadic = false;
    for (i, token) in tokens.iter().enumerate() {
        match (token.kind, token.text(body)) {
            (TokenKind::Ident, name) if !variadic => names.push(name.into()),
            (_, b",") if !variadic => {}
            (_, b"...") if i + 1 == tokens.len() => {
                let named = i > 0 && tokens[i - 1].kind == TokenKind::Ident;
                if !named {
                    names.push((*b"__VA_ARGS__").into());
                }
                variadic = true;
            }
            _ => return None,
        }
    }
    Some(Params { names, variadic })
}

fn include_path(body: &[u8], from: u32) -> String {
    let text = String::from_utf8_lossy(body.get(from as usize..).unwrap_or_default());
    let text = text.trim();
    let close = match text.chars().next() {
        Some('"') => '"',
        Some('<') => '>',
        _ => return String::new(),
    };
    text[1..].split(close).next().unwrap_or_default().to_owned()
}

/// `#ifdef NAME`: whether `__cplusplus` is defined is known.
fn defined(body: &[u8], rest: &[Token], language: Language) -> Condition {
    match rest.first().map(|t| t.text(body)) {
        Some(b"__cplusplus") => match language {
            Language::C | Language::Fortran => Condition::False,
            Language::Cxx => Condition::True,
        },
        _ => Condition::Open,
    }
}

fn negate(condition: Condition, body: &[u8], rest: &[Token]) -> Condition {
    match (condition, rest.first()) {
        (Condition::False, _) => Condition::True,
        (Condition::True, _) => Condition::False,
        (_, Some(name)) => Condition::Unless(name.text(body).into()),
        (_, None) => Condition::Open,
    }
}

fn condition(body: &[u8], rest: &[Token], language: Language) -> Condition {
    let text = |at: usize| rest.get(at).map(|token| token.text(body));
    let words: Vec<&[u8]> = rest
        .iter()
        .map(|t| t.text(body))
        .filter(|t| !matches!(*t, b"(" | b")"))
        .collect();
    let is_one = |word: &[u8]| words.contains(&word);
    // Brackets may negate all that is in them.
    let grouped = (0..rest.len())
        .any(|at| text(at) == Some(b"(") && at.checked_sub(1).and_then(text) != Some(b"defined"));
    let (settles, between) = match (is_one(b"&&"), is_one(b"||")) {
        (true, false) if !grouped => (Condition::False, b"&&"),
        (false, true) if !grouped => (Condition::True, b"||"),
        _ => return operand(&words, language),
    };
    let mut operands = words.split(|word| *word == between);
    if operands.any(|words| operand(words, language) == settles) {
        settles
    } else {
        Condition::Open
    }
}

/// What is known of a condition, or of what stands between two operators of it.
fn operand(words: &[&[u8]], language: Language) -> Condition {
    match words {
        [b"0"] => Condition::False,
        [b"defined", b"__cplusplus"] | [b"__cplusplus"] => match language {
            Language::C | Language::Fortran => Condition::False,
            Language::Cxx => Condition::True,
        },
        [b"!", b"defined", b"__cplusplus"] => match language {
            Language::C | Language::Fortran => Condition::True,
            Language::Cxx => Condition::False,
        },
        // `0 && anything` is how code is switched off without losing the condition.
        [b"0", b"&&", tail @ ..] if !tail.contains(&b"||".as_slice()) => Condition::False,
        [b"1"] => Condition::True,
        [b"!", b"defined", name] => Condition::Unless((*name).into()),
        _ => Condition::Open,
    }
}

/// The directive with splices removed and each comment replaced by one space, as C's translation phases do.
pub(crate) fn without_comments(line: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(line.len());
    let mut at = 0;
    let mut quote = None;
    while at < line.len() {
        let splice = splice_len(&line[at..]);
        if splice > 0 {
            at += splice;
            continue;
        }
        let byte = line[at];
        match quote {
            Some(open) => {
                if byte == b'\\' && at + 1 < line.len() {
                    clean.push(byte);
                    at += 1;
                } else if byte == open {
                    quote = None;
                }
                clean.push(line[at]);
                at += 1;
            }
            None if line[at..].starts_with(b"/*") => {
                let body = &line[at + 2..];
                let len = body
                    .windows(2)
                    .position(|w| w == b"*/")
                    .map_or(body.len(), |p| p + 2);
                clean.push(b' ');
                at += 2 + len;
            }
            None if line[at..].starts_with(b"//") => break,
            None => {
                if byte == b'"' || byte == b'\'' {
                    quote = Some(byte);
                }
                clean.push(byte);
                at += 1;
            }
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(line: &str) -> String {
        match read(line.as_bytes(), Language::C) {
            Directive::Define(name, definition) => {
                let params = definition.params.map(|p| {
                    let names: Vec<_> = p.names.iter().map(|n| String::from_utf8_lossy(n)).collect();
                    format!("({}{})", names.join(","), if p.variadic { "..." } else { "" })
                });
                let body: Vec<_> = definition
                    .body
                    .iter()
                    .map(|t| String::from_utf8_lossy(&t.text))
                    .collect();
                let name = String::from_utf8_lossy(&name).into_owned();
                format!("{name}{} = {}", params.unwrap_or_default(), body.join(" "))
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn definitions() {
        assert_eq!(body("#define N 10 // ten"), "N = 10");
        assert_eq!(body("# define F(a,b) a/**/##b \\\n + 1"), "F(a,b) = a ## b + 1");
        assert_eq!(body("#define G (x)"), "G = ( x )");
        assert_eq!(
            body("#define V(f, ...) f(__VA_ARGS__)"),
            "V(f,__VA_ARGS__...) = f ( __VA_ARGS__ )"
        );
        assert_eq!(body("#define W(rest...) g(rest)"), "W(rest...) = g ( rest )");
        assert_eq!(body("#define BAD(1) x"), "Other");
        assert_eq!(body("#define"), "Other");
    }

    #[test]
    fn conditions_known_in_every_build() {
        let read = |line: &str| read(line.as_bytes(), Language::C);
        assert_eq!(read("#if 0"), Directive::If(Condition::False));
        assert_eq!(read("#if (1)"), Directive::If(Condition::True));
        assert_eq!(read("#ifdef __cplusplus"), Directive::If(Condition::False));
        assert_eq!(read("#if defined(__cplusplus)"), Directive::If(Condition::False));
        for (line, expected) in [
            ("#if defined(__cplusplus) && !defined(A)", Condition::False),
            ("#if A > 1 && defined __cplusplus", Condition::False),
            ("#if !defined(__cplusplus) || defined(A)", Condition::True),
            ("#if !defined(__cplusplus) && defined(A)", Condition::Open),
            ("#if defined(__cplusplus) || defined(A)", Condition::Open),
            ("#if !(defined(__cplusplus) && defined(A))", Condition::Open),
            ("#if defined(A) && !(defined(__cplusplus) && B)", Condition::Open),
            ("#if defined(A) || defined(__cplusplus) && B", Condition::Open),
        ] {
            assert_eq!(read(line), Directive::If(expected), "{line}");
        }
        assert_eq!(
            read("#ifndef X_H"),
            Directive::If(Condition::Unless((*b"X_H").into()))
        );
        assert_eq!(read("#if 0 || X"), Directive::If(Condition::Open));
        assert_eq!(read("#include <a/b.h>"), Directive::Include("a/b.h".to_owned()));
        assert_eq!(read("#"), Directive::Other);
    }
}
