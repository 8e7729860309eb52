//! C preprocessing tokens: the level at which macros live and at which repairs are made.
//!
//! The lexer is total: every byte string has a token list, and lexing takes one pass. Comments and white space are
//! the gaps between tokens. A preprocessor directive is one token, from its `#` to the end of its logical line.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Ident,
    /// A preprocessing number.
    Number,
    /// A string literal, with its prefix.
    Str,
    /// A character constant, with its prefix.
    Char,
    /// An operator or punctuator, or a byte that C has no use for.
    Punct,
    /// A whole directive line.
    Directive,
}

/// A token as a byte range of the text that was lexed.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}

impl Token {
    /// The token's bytes in the text that it was lexed from.
    pub fn text(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// Operators of more than one byte, longest first, so that the first match is the right one.
const OPERATORS: [&[u8]; 24] = [
    b"<<=", b">>=", b"...", b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||",
    b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"^=", b"|=", b"##", b"::",
];

/// Whether an identifier may begin with `byte`. Bytes above ASCII count: they are parts of UTF-8 letters.
pub(crate) fn starts_ident(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether `byte` may continue an identifier.
pub(crate) fn continues_ident(byte: u8) -> bool {
    starts_ident(byte) || byte.is_ascii_digit()
}

/// The tokens of `text`, whose length must fit in 32 bits.
pub fn lex(text: &[u8]) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut line_start = true;
    while let Some(&byte) = text.get(lexer.at) {
        let start = lexer.at;
        if byte == b'\n' {
            line_start = true;
            lexer.at += 1;
            continue;
        }
        if lexer.skip_blank() {
            continue;
        }
        let kind = if line_start && byte == b'#' {
            lexer.directive();
            TokenKind::Directive
        } else {
            lexer.token(byte)
        };
        line_start = false;
        tokens.push(Token {
            kind,
            start: start as u32,
            end: lexer.at as u32,
        });
    }
    tokens
}

struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips one stretch of white space (not a newline), one line splice or one comment.
    fn skip_blank(&mut self) -> bool {
        let from = self.at;
        match self.peek(0) {
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
            b'\\' => self.at += splice_len(self.rest()),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            _ => {}
        }
        self.at > from
    }

    fn block_comment(&mut self) {
        self.at += 2;
        while self.at < self.text.len() {
            if self.peek(0) == b'*' && self.peek(1) == b'/' {
                self.at += 2;
                return;
            }
            self.at += 1;
        }
    }

    fn line_comment(&mut self) {
        while self.at < self.text.len() && self.peek(0) != b'\n' {
            self.at += splice_len(self.rest()).max(1);
        }
    }

    fn directive(&mut self) {
        while self.at < self.text.len() && self.peek(0) != b'\n' {
            match self.peek(0) {
                b'/' if matches!(self.peek(1), b'*' | b'/') => {
                    self.skip_blank();
                }
                quote @ (b'"' | b'\'') => self.quoted(quote),
                _ => self.at += splice_len(self.rest()).max(1),
            }
        }
    }

    /// A literal up to its closing quote, or to the end of the line when there is none.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\n' => return,
                b'\\' => self.at += splice_len(self.rest()).max(2),
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.text.len());
    }

    /// A raw string of C++, `R"delimiter(…)delimiter"`, from its quote on, if one begins here.
    fn raw_string(&mut self) -> bool {
        let rest = self.rest();
        let Some(open) = rest.iter().take(18).position(|byte| *byte == b'(') else {
            return false;
        };
        let delimiter = rest.get(1..open).unwrap_or_default();
        if delimiter
            .iter()
            .any(|byte| matches!(byte, b' ' | b')' | b'\\' | b'\n' | b'"'))
        {
            return false;
        }
        let end = [b")", delimiter, b"\""].concat();
        let Some(close) = rest[open..].windows(end.len()).position(|part| part == end) else {
            return false;
        };
        self.at += open + close + end.len();
        true
    }

    fn token(&mut self, byte: u8) -> TokenKind {
        if byte == b'"' || byte == b'\'' {
            self.quoted(byte);
            return if byte == b'"' {
                TokenKind::Str
            } else {
                TokenKind::Char
            };
        }
        if byte.is_ascii_digit() || (byte == b'.' && self.peek(1).is_ascii_digit()) {
            self.number();
            return TokenKind::Number;
        }
        if starts_ident(byte) {
            let from = self.at;
            while continues_ident(self.peek(0)) {
                self.at += 1;
            }
            let quote = self.peek(0);
            let raw = matches!(&self.text[from..self.at], b"R" | b"LR" | b"uR" | b"UR" | b"u8R");
            if raw && quote == b'"' && self.raw_string() {
                return TokenKind::Str;
            }
            let prefix = matches!(&self.text[from..self.at], b"L" | b"u" | b"U" | b"u8");
            if prefix && (quote == b'"' || quote == b'\'') {
                self.quoted(quote);
                return if quote == b'"' {
                    TokenKind::Str
                } else {
                    TokenKind::Char
                };
            }
            return TokenKind::Ident;
        }
        let rest = self.rest();
        let len = OPERATORS
            .iter()
            .find(|op| rest.starts_with(op))
            .map_or(1, |op| op.len());
        self.at += len;
        TokenKind::Punct
    }

    fn number(&mut self) {
        self.at += 1;
        loop {
            let byte = self.peek(0);
            let exponent = matches!(byte, b'e' | b'E' | b'p' | b'P') && matches!(self.peek(1), b'+' | b'-');
            // `1'000` of C++14 and C23.
            let separator = byte == b'\'' && self.peek(1).is_ascii_hexdigit();
            if exponent || separator {
                self.at += 2;
            } else if continues_ident(byte) || byte == b'.' {
                self.at += 1;
            } else {
                return;
            }
        }
    }
}

/// Length of the backslash-newline that `text` starts with; zero when it does not.
pub(crate) fn splice_len(text: &[u8]) -> usize {
    match text {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

/// Whether the bracket that was opened last is closed by `close`.
pub fn closes(open: Option<u8>, close: &[u8]) -> bool {
    matches!(
        (open, close),
        (Some(b'('), b")") | (Some(b'['), b"]") | (Some(b'{'), b"}")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        lex(text.as_bytes())
            .into_iter()
            .map(|t| String::from_utf8_lossy(t.text(text.as_bytes())).into_owned())
            .collect()
    }

    #[test]
    fn splits_as_c_does() {
        assert_eq!(
            texts("a+++b->c<<=1e-3f;/*x*/L\"s\\\"\" '\\'' // y\n...##"),
            [
                "a",
                "++",
                "+",
                "b",
                "->",
                "c",
                "<<=",
                "1e-3f",
                ";",
                "L\"s\\\"\"",
                "'\\''",
                "...",
                "##"
            ]
        );
    }

    #[test]
    fn raw_strings_and_separated_digits_of_cxx() {
        assert_eq!(
            texts("f(R\"x(a\" )\" //)x\", 1'000'0) u8R\"()\"; R\"a b\""),
            [
                "f",
                "(",
                "R\"x(a\" )\" //)x\"",
                ",",
                "1'000'0",
                ")",
                "u8R\"()\"",
                ";",
                "R",
                "\"a b\""
            ]
        );
    }

    #[test]
    fn a_directive_is_one_token() {
        assert_eq!(
            texts("  # define A \\\n 1 /* two\nlines */ + 2\nx #y"),
            ["# define A \\\n 1 /* two\nlines */ + 2", "x", "#", "y"]
        );
        assert_eq!(texts("#error don't\nz"), ["#error don't", "z"]);
    }
}
