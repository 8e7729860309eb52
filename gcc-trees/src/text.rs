//! The text of a file, for what the trees do not say: where a statement begins and ends, and how far a macro's invocation reaches.

use crate::rows::Position;
use base::Span;
use std::cell::OnceCell;
use tokens::{Token, TokenKind, lex};

/// Statements within statements that are followed to their end.
const DEEPEST: usize = 250;

/// A file's text and its tokens.
#[derive(Debug, Default)]
pub(crate) struct Text {
    bytes: Vec<u8>,
    /// What it is made of. Most headers have no functions, and nobody asks.
    parts: OnceCell<Parts>,
}

#[derive(Debug, Default)]
struct Parts {
    /// Without the directives of the preprocessor.
    tokens: Vec<Token>,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl Parts {
    /// Takes a file apart. Of one that is too large nothing is known.
    fn new(bytes: &[u8]) -> Self {
        if u32::try_from(bytes.len()).is_err() {
            return Self::default();
        }
        let mut tokens = lex(bytes);
        tokens.retain(|token| token.kind != TokenKind::Directive);
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { tokens, lines }
    }
}

impl Text {
    /// The text of a file.
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let parts = OnceCell::new();
        Self { bytes, parts }
    }

    /// A text that tells nothing.
    pub(crate) fn unread() -> Self {
        Self {
            bytes: Vec::new(),
            parts: OnceCell::from(Parts::default()),
        }
    }

    fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| Parts::new(&self.bytes))
    }

    fn tokens(&self) -> &[Token] {
        &self.parts().tokens
    }

    fn lines(&self) -> &[usize] {
        &self.parts().lines
    }

    fn offset(&self, (line, column): Position) -> Option<usize> {
        let start = self.lines().get((line as usize).checked_sub(1)?)?;
        Some(start + (column as usize).checked_sub(1)?)
    }

    fn position(&self, offset: usize) -> Position {
        let line = self.lines().partition_point(|start| *start <= offset);
        let start = self.lines().get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        (number(line), number(offset - start + 1))
    }

    /// The token that begins there.
    fn token_at(&self, at: Position) -> Option<usize> {
        let offset = self.offset(at)?;
        let index = self
            .tokens()
            .partition_point(|token| (token.start as usize) < offset);
        let found = self.tokens().get(index)?;
        (found.start as usize == offset).then_some(index)
    }

    fn word(&self, index: usize) -> &[u8] {
        self.tokens()
            .get(index)
            .map_or(&[], |token| token.text(&self.bytes))
    }

    /// The text of the token that begins there; empty if none does.
    pub(crate) fn word_at(&self, at: Position) -> &[u8] {
        self.token_at(at).map_or(&[], |index| self.word(index))
    }

    fn start(&self, index: usize) -> Option<Position> {
        Some(self.position(self.tokens().get(index)?.start as usize))
    }

    fn end(&self, index: usize) -> Option<Position> {
        Some(self.position(self.tokens().get(index)?.end as usize))
    }

    /// The token behind the bracket that closes the one at `open`.
    fn behind_brackets(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in open..self.tokens().len() {
            match self.word(index) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The invocation of the macro whose name begins there: with its arguments, if brackets follow.
    pub(crate) fn invocation(&self, at: Position) -> Option<Span> {
        let name = self.token_at(at)?;
        let last = match self.word(name + 1) {
            b"(" => self.behind_brackets(name + 1)? - 1,
            _ => name,
        };
        Some(span(at, self.end(last)?))
    }

    /// A stretch without brackets around the whole of it.
    pub(crate) fn inside_brackets(&self, mut start: Position, mut last: Position) -> (Position, Position) {
        loop {
            let inner = self.token_at(start).filter(|open| self.word(*open) == b"(");
            let inner = inner.and_then(|open| {
                let close = self.behind_brackets(open)? - 1;
                let is_whole = self.start(close)? == last;
                // A last token is named by its last byte.
                is_whole.then(|| Some((self.start(open + 1)?, self.last_byte(close.checked_sub(1)?)?)))?
            });
            let Some((inner_start, inner_last)) = inner.filter(|(first, end)| first <= end) else {
                return (start, last);
            };
            (start, last) = (inner_start, inner_last);
        }
    }

    fn last_byte(&self, index: usize) -> Option<Position> {
        Some(self.position((self.tokens().get(index)?.end as usize).checked_sub(1)?))
    }

    /// The statement that begins with `keyword`, which is the token there or the one before it, brackets left out.
    pub(crate) fn statement(&self, keyword: &[u8], at: Position) -> Option<Span> {
        let mut first = self.token_at(at)?;
        if self.word(first) != keyword {
            first = first.checked_sub(1)?;
            while self.word(first) == b"(" {
                first = first.checked_sub(1)?;
            }
        }
        if self.word(first) != keyword {
            return None;
        }
        self.statement_at(first)
    }

    /// The statement that begins with `keyword` and in which something stands, at the keyword or anywhere behind it.
    pub(crate) fn statement_around(&self, keyword: &[u8], at: Position) -> Option<Span> {
        let mut first = self.token_at(at)?;
        while self.word(first) != keyword {
            first = first.checked_sub(1)?;
            if matches!(self.word(first), b";" | b"{" | b"}") {
                return None;
            }
        }
        self.statement_at(first)
    }

    fn statement_at(&self, first: usize) -> Option<Span> {
        let behind = self.behind_statement(first, 0)?;
        Some(span(self.start(first)?, self.end(behind - 1)?))
    }

    /// The block in braces that begins there.
    pub(crate) fn block(&self, at: Position) -> Option<Span> {
        let open = self.token_at(at).filter(|open| self.word(*open) == b"{")?;
        Some(span(at, self.end(self.behind_brackets(open)? - 1)?))
    }

    /// The block in braces whose last one stands there.
    pub(crate) fn block_that_ends(&self, at: Position) -> Option<Span> {
        let close = self.token_at(at).filter(|close| self.word(*close) == b"}")?;
        let mut depth = 0_usize;
        for index in (0..=close).rev() {
            match self.word(index) {
                b")" | b"]" | b"}" => depth += 1,
                b"(" | b"[" | b"{" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(span(self.start(index)?, self.end(close)?));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The last brace of the function of C++ whose name stands there, or of the lambda that begins there.
    pub(crate) fn end_of_body(&self, name: Position) -> Option<Position> {
        let mut at = self.token_at(name)?;
        if self.word(at) == b"[" {
            at = self.behind_brackets(at)?;
        } else {
            let is_call = |at: usize| self.word(at) == b"operator" && self.word(at + 1) == b"(";
            while self.word(at) != b"(" {
                if matches!(self.word(at), b"" | b";" | b"{" | b"}") {
                    return None;
                }
                at += if is_call(at) { 3 } else { 1 };
            }
        }
        loop {
            at = match self.word(at) {
                b"{" => break,
                b"" | b";" | b"}" | b")" | b"]" => return None,
                b"(" | b"[" => self.behind_brackets(at)?,
                b":" => {
                    at = self.behind_initialisers(at + 1)?;
                    break;
                }
                _ => at + 1,
            };
        }
        let mut behind = self.behind_brackets(at)?;
        while self.word(behind) == b"catch" {
            behind = self.behind_brackets(self.behind_condition(behind)?)?;
        }
        self.start(behind - 1)
    }

    /// The brace behind the members and bases that a constructor initialises.
    fn behind_initialisers(&self, mut at: usize) -> Option<usize> {
        loop {
            while !matches!(self.word(at), b"(" | b"{") {
                if matches!(self.word(at), b"" | b";" | b"}") {
                    return None;
                }
                at += 1;
            }
            at = self.behind_brackets(at)?;
            while self.word(at) == b"..." {
                at += 1;
            }
            match self.word(at) {
                b"," => at += 1,
                b"{" => return Some(at),
                _ => return None,
            }
        }
    }

    /// The same stretch with the semicolon that follows it.
    pub(crate) fn with_semicolon(&self, stretch: Span) -> Span {
        let Some(end) = self.offset((stretch.end_line, stretch.end_column)) else {
            return stretch;
        };
        let next = self
            .tokens()
            .partition_point(|token| (token.start as usize) < end);
        match (self.word(next), self.end(next)) {
            (b";", Some(behind)) => span((stretch.line, stretch.column), behind),
            _ => stretch,
        }
    }

    /// The line of the last `else` between two positions, 0 if there is none.
    pub(crate) fn line_of_else(&self, from: Position, to: Position) -> u32 {
        let (Some(from), Some(to)) = (self.offset(from), self.offset(to)) else {
            return 0;
        };
        let first = self
            .tokens()
            .partition_point(|token| (token.start as usize) < from);
        let behind = self
            .tokens()
            .partition_point(|token| (token.start as usize) <= to);
        let found = (first..behind).rev().find(|index| self.word(*index) == b"else");
        found
            .and_then(|index| self.start(index))
            .map_or(0, |(line, _)| line)
    }

    /// Where the definition begins whose name stands there: behind whatever ends before it.
    pub(crate) fn beginning_of_definition(&self, name: Position) -> Option<Position> {
        let mut first = self.token_at(name)?;
        while let Some(before) = first.checked_sub(1) {
            if matches!(self.word(before), b";" | b"}" | b"{") {
                break;
            }
            // A line of the preprocessor ends whatever stands before it.
            let between = self
                .bytes
                .get(self.tokens()[before].end as usize..self.tokens()[first].start as usize)?;
            if between
                .split(|byte| *byte == b'\n')
                .skip(1)
                .any(|line| line.trim_ascii_start().starts_with(b"#"))
            {
                break;
            }
            // `public:`, and what is no part of the first constructor's own initialisers.
            let is_access = self.word(before) == b":"
                && matches!(
                    self.word(before.wrapping_sub(1)),
                    b"public" | b"private" | b"protected"
                );
            if is_access {
                break;
            }
            first = before;
        }
        while self.word(first) == b"template" {
            first = self.behind_angles(first + 1)?;
        }
        self.start(first)
    }

    /// The token behind the angle that closes the one at `open`.
    fn behind_angles(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in open..self.tokens().len() {
            match self.word(index) {
                b"<" => depth += 1,
                b">" => depth = depth.checked_sub(1)?,
                b">>" => depth = depth.checked_sub(2)?,
                b";" | b"{" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(index + 1);
            }
        }
        None
    }

    /// The token behind a statement, as C's grammar has it; nothing where macros hide some of it.
    fn behind_statement(&self, first: usize, depth: usize) -> Option<usize> {
        if depth > DEEPEST {
            return None;
        }
        match self.word(first) {
            b"{" => self.behind_brackets(first),
            b"if" => {
                let behind = self.behind_statement(self.behind_condition(first)?, depth + 1)?;
                match self.word(behind) {
                    b"else" => self.behind_statement(behind + 1, depth + 1),
                    _ => Some(behind),
                }
            }
            b"try" => {
                let mut behind = self.behind_statement(first + 1, depth + 1)?;
                while self.word(behind) == b"catch" {
                    behind = self.behind_statement(behind, depth + 1)?;
                }
                Some(behind)
            }
            b"for" | b"while" | b"switch" | b"catch" => {
                self.behind_statement(self.behind_condition(first)?, depth + 1)
            }
            b"do" => {
                let behind = self.behind_statement(first + 1, depth + 1)?;
                let behind = (self.word(behind) == b"while").then(|| self.behind_condition(behind))??;
                Some(match self.word(behind) {
                    b";" => behind + 1,
                    _ => behind,
                })
            }
            b"case" | b"default" => {
                let colon = (first..self.tokens().len()).find(|index| self.word(*index) == b":")?;
                self.behind_statement(colon + 1, depth + 1)
            }
            _ if self.word(first + 1) == b":" => self.behind_statement(first + 2, depth + 1),
            _ => {
                let mut at = first;
                loop {
                    at = match self.word(at) {
                        b"" | b")" | b"]" | b"}" => return None,
                        b";" => return Some(at + 1),
                        b"(" | b"[" | b"{" => self.behind_brackets(at)?,
                        _ => at + 1,
                    };
                }
            }
        }
    }

    fn behind_condition(&self, mut keyword: usize) -> Option<usize> {
        if self.word(keyword + 1) == b"constexpr" {
            keyword += 1;
        }
        (self.word(keyword + 1) == b"(").then(|| self.behind_brackets(keyword + 1))?
    }
}

/// From a position to another one.
pub(crate) fn span((line, column): Position, (end_line, end_column): Position) -> Span {
    Span {
        line,
        column,
        end_line,
        end_column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text {
        Text::new(text.as_bytes().to_vec())
    }

    #[test]
    fn statements_end_where_c_ends_them() {
        let check = |source: &str, keyword: &str, statement: &str| {
            let text = text(source);
            let offset = source.find(statement).unwrap();
            let found = text.statement(keyword.as_bytes(), text.position(offset)).unwrap();
            assert_eq!(
                (found.line, found.column, found.end_line, found.end_column),
                {
                    let (line, column) = text.position(offset);
                    let (end_line, end_column) = text.position(offset + statement.len());
                    (line, column, end_line, end_column)
                },
                "{source}"
            );
        };
        check(
            "x; if (a)\n  b();\nelse if (c) { d(); } e();",
            "if",
            "if (a)\n  b();\nelse if (c) { d(); }",
        );
        check(
            "for (;;)\n while (a) b[{1}];\nc();",
            "for",
            "for (;;)\n while (a) b[{1}];",
        );
        check("do { a(); } while (b); c();", "do", "do { a(); } while (b);");
        check("if (a) l: return; b();", "if", "if (a) l: return;");
    }

    #[test]
    fn a_place_behind_the_keyword_is_of_its_statement() {
        let text = text("  while (a) b();");
        let at_bracket = text.statement(b"while", (1, 9)).unwrap();
        assert_eq!((at_bracket.column, at_bracket.end_column), (3, 17));
        assert_eq!(text.statement(b"for", (1, 9)), None);
        let text = self::text("{ return ((a) + b); }");
        assert_eq!(
            text.statement(b"return", (1, 12)).map(|span| span.column),
            Some(3)
        );
    }

    #[test]
    fn functions_of_cxx_end_with_their_bodies() {
        let check = |source: &str, name: &str, rest: &str| {
            let text = text(source);
            let end = text.end_of_body(text.position(source.find(name).unwrap()));
            let expected = source.len() - rest.len() - 1;
            assert_eq!(end, Some(text.position(expected)), "{source}");
        };
        check("int f() { if (a) { b(); } } int g();", "f", " int g();");
        check("A::A(int n) : B{n}, c(n) { d(); } int x;", "A(", " int x;");
        check(
            "void A::operator()(int n) const noexcept(true) { } ;",
            "operator",
            " ;",
        );
        check("f([&](int n) -> int { return n; });", "[", ");");
        check("A::A() try : b(1) { } catch (...) { } int x;", "A()", " int x;");
        assert_eq!(text("int f();").end_of_body((1, 5)), None);
    }

    #[test]
    fn what_stands_in_a_statement_leads_to_its_keyword() {
        let text = text("{ f(); return a + (b); }");
        let found = text.statement_around(b"return", (1, 20));
        assert_eq!(found.map(|span| (span.column, span.end_column)), Some((8, 23)));
        assert_eq!(text.statement_around(b"return", (1, 3)), None);
        assert_eq!(text.block_that_ends((1, 24)), Some(span((1, 1), (1, 25))));
    }

    #[test]
    fn brackets_around_the_whole_are_left_out() {
        let text = text("((a) + b) + (f(c))");
        assert_eq!(text.inside_brackets((1, 1), (1, 9)), ((1, 2), (1, 8)));
        assert_eq!(text.inside_brackets((1, 13), (1, 18)), ((1, 14), (1, 17)));
        assert_eq!(text.inside_brackets((1, 1), (1, 18)), ((1, 1), (1, 18)));
    }

    #[test]
    fn invocations_reach_to_their_last_bracket() {
        let text = text("A B(c,\n (d)) E");
        assert_eq!(text.invocation((1, 1)), Some(span((1, 1), (1, 2))));
        assert_eq!(text.invocation((1, 3)), Some(span((1, 3), (2, 6))));
        assert_eq!(text.invocation((1, 2)), None);
    }

    #[test]
    fn definitions_begin_behind_what_is_before_them() {
        let text = text("int a;\n#define X 1\nstatic int\nf(void)\n{\n}\nint g(void) {}");
        assert_eq!(text.beginning_of_definition((4, 1)), Some((3, 1)));
        assert_eq!(text.beginning_of_definition((7, 5)), Some((7, 1)));
    }
}
