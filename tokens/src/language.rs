//! Which language a file is written in: by its ending where that is certain, by its content where it is not.
//!
//! A header says nothing with `.h`: hypre's and PETSc's hold C, LAMMPS's C++, and both kinds may lie in one tree. Words that
//! only C++ has decide, as far as a C compiler would see them: what stands under `#ifdef __cplusplus` is there for the
//! other language.

use crate::condition::{Directives, Group};
use crate::token::{Token, TokenKind};
use base::{FileKind, Language};

/// The language of the file at `path`, whose bytes are `text` and whose tokens are `tokens`.
pub fn language_of(path: &str, text: &[u8], tokens: &[Token]) -> Language {
    match FileKind::of(path) {
        Some(FileKind::C) => Language::C,
        Some(FileKind::Cxx | FileKind::CxxHeader) => Language::Cxx,
        _ if speaks_cxx(text, tokens) => Language::Cxx,
        _ => Language::C,
    }
}

/// Whether a C compiler would meet words that only C++ has.
fn speaks_cxx(text: &[u8], tokens: &[Token]) -> bool {
    let suspicious = |at: usize| is_cxx(text, tokens, at) || includes_cxx(text, tokens, at);
    if !(0..tokens.len()).any(suspicious) {
        return false;
    }
    // Only now is it worth finding out which of them are hidden from C.
    let directives = Directives::new(text, tokens, Language::C);
    // The groups around the token at hand.
    let mut groups: Vec<&Group> = Vec::new();
    for at in 0..tokens.len() {
        while groups.last().is_some_and(|group| group.last < at) {
            groups.pop();
        }
        groups.extend(directives.group(at));
        let in_arm = |group: &&Group| {
            group
                .arms
                .iter()
                .any(|arm| (arm.directive..arm.end).contains(&at))
        };
        if suspicious(at) && groups.iter().all(in_arm) {
            return true;
        }
    }
    false
}

/// Whether the token at `at` includes a header without an ending, `<cstdio>`, as those of C++'s own library are and those of C's never.
fn includes_cxx(text: &[u8], tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|t| t.kind == TokenKind::Directive) else {
        return false;
    };
    let written = token.text(text).strip_prefix(b"#").unwrap_or_default();
    let path = written.trim_ascii_start().strip_prefix(b"include");
    let path = path.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"<"));
    let end = path.and_then(|path| path.iter().position(|byte| *byte == b'>'));
    path.zip(end).is_some_and(|(path, end)| {
        end > 0 && path[..end].iter().all(|b| b.is_ascii_lowercase() || *b == b'_')
    })
}

/// Whether the tokens from `at` on can only be C++.
fn is_cxx(text: &[u8], tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(|t| t.text(text)).unwrap_or_default();
    let ident = |at: usize| tokens.get(at).is_some_and(|t| t.kind == TokenKind::Ident);
    match word(at) {
        b"::" => true,
        b"template" => word(at + 1) == b"<",
        b"namespace" => ident(at + 1) && matches!(word(at + 2), b"{" | b"::" | b"="),
        b"class" => ident(at + 1) && matches!(word(at + 2), b"{" | b":" | b";" | b"final"),
        b"public" | b"private" | b"protected" => word(at + 1) == b":",
        b"using" => word(at + 1) == b"namespace",
        b"operator" => matches!(
            word(at + 1),
            b"(" | b"=" | b"==" | b"[" | b"+" | b"-" | b"*" | b"<<"
        ),
        b"static_cast" | b"reinterpret_cast" | b"dynamic_cast" | b"const_cast" => word(at + 1) == b"<",
        _ => false,
    }
}

/// Words that CUDA and HIP add to C++.
pub fn is_for_gpus(word: &[u8]) -> bool {
    matches!(
        word,
        b"__global__" | b"__device__" | b"__shared__" | b"__constant__" | b"__launch_bounds__"
    )
}

/// Whether the tokens from `at` on are of no program of C, in text whose macros have been expanded.
pub fn only_cxx(text: &[u8], tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(|t| t.text(text)).unwrap_or_default();
    match word(at) {
        // A capture of a lambda: in C an operand stands on either side of these.
        b"[" => matches!(word(at + 1), b"=" | b"&") && matches!(word(at + 2), b"]" | b","),
        word if is_for_gpus(word) => true,
        b"typename" => tokens.get(at + 1).is_some_and(|t| t.kind == TokenKind::Ident),
        b"nullptr" => matches!(word(at + 1), b")" | b"," | b";"),
        _ => is_cxx(text, tokens, at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::lex;

    fn of(path: &str, text: &str) -> Language {
        language_of(path, text.as_bytes(), &lex(text.as_bytes()))
    }

    #[test]
    fn content_decides_for_headers_only() {
        assert_eq!(of("a.c", "class A { };"), Language::C);
        assert_eq!(of("a.cc", "int x;"), Language::Cxx);
        assert_eq!(of("a.C", "int x;"), Language::Cxx);
        assert_eq!(of("d/a.h", "int f(int class);"), Language::C);
        assert_eq!(of("a.h", "namespace n { int x; }"), Language::Cxx);
        assert_eq!(of("a.h", "struct A { int n; };\nint A::f();"), Language::Cxx);
        assert_eq!(of("a.h", "template <class T> T f();"), Language::Cxx);
    }

    #[test]
    fn what_c_does_not_see_says_nothing() {
        let guarded = "#ifdef __cplusplus\nextern \"C\" {\nclass A;\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n";
        assert_eq!(of("a.h", guarded), Language::C);
        let other = "#ifndef __cplusplus\nint f(void);\n#else\nnamespace n { }\n#endif\n";
        assert_eq!(of("a.h", other), Language::C);
        let open = "#if X\nnamespace n { }\n#endif\n";
        assert_eq!(of("a.h", open), Language::Cxx);
    }
}
