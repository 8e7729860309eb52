//! Where a C statement ends, by its tokens.
//!
//! Tokens are those of the file as written: macros are not expanded. A statement whose end cannot be seen that way, because
//! a macro takes a block or a conditional directive cuts through it, is refused.

use crate::no_place::NoPlace;
use tokens::{Token, TokenKind};

/// Nesting of statements without braces that is followed.
const DEPTH_LIMIT: usize = 60;

/// Tokens of a text, for walking.
#[derive(Clone, Copy)]
pub(crate) struct Tokens<'t> {
    pub text: &'t [u8],
    pub tokens: &'t [Token],
}

impl<'t> Tokens<'t> {
    pub fn word(&self, at: usize) -> &'t [u8] {
        self.tokens.get(at).map_or(&[][..], |token| token.text(self.text))
    }

    pub fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// The index of the token that closes the bracket at `open`.
    pub fn close(&self, open: usize) -> Result<usize, NoPlace> {
        let mut opened: Vec<&[u8]> = Vec::new();
        // At each `#if` that is open: how many brackets were.
        let mut groups: Vec<usize> = Vec::new();
        for at in open..self.tokens.len() {
            if self.kind(at) == Some(TokenKind::Directive) {
                self.directive(at, opened.len(), &mut groups)?;
                continue;
            }
            match self.word(at) {
                b"(" => opened.push(b")"),
                b"[" => opened.push(b"]"),
                b"{" => opened.push(b"}"),
                word @ (b")" | b"]" | b"}") => {
                    if opened.pop() != Some(word) {
                        return Err(NoPlace::Brackets);
                    }
                    if opened.is_empty() {
                        return if groups.is_empty() {
                            Ok(at)
                        } else {
                            Err(NoPlace::CutByDirective)
                        };
                    }
                }
                _ => {}
            }
        }
        Err(NoPlace::Brackets)
    }

    /// Conditional groups inside must leave the brackets as they found them.
    fn directive(&self, at: usize, depth: usize, groups: &mut Vec<usize>) -> Result<(), NoPlace> {
        let line = self.word(at).strip_prefix(b"#").unwrap_or_default();
        let line = line.trim_ascii_start();
        if line.starts_with(b"if") {
            groups.push(depth);
        } else if line.starts_with(b"el") && groups.last() != Some(&depth)
            || line.starts_with(b"endif") && groups.pop() != Some(depth)
        {
            return Err(NoPlace::CutByDirective);
        }
        Ok(())
    }

    /// The index of the last token of the statement that begins at `first`.
    pub fn end(&self, first: usize, depth: usize) -> Result<usize, NoPlace> {
        if depth > DEPTH_LIMIT {
            return Err(NoPlace::TooDeep);
        }
        match self.word(first) {
            b"{" => self.close(first),
            b"while" | b"for" | b"switch" => self.end(self.after_parens(first + 1)?, depth + 1),
            b"if" => {
                let then = self.end(self.after_parens(first + 1)?, depth + 1)?;
                match self.word(then + 1) {
                    b"else" => self.end(then + 2, depth + 1),
                    _ if self.kind(then + 1) == Some(TokenKind::Directive) => {
                        // An `else` may be hidden behind it; then a brace in between would cut it off.
                        self.no_else_after(then + 1).map(|()| then)
                    }
                    _ => Ok(then),
                }
            }
            b"do" => {
                let body = self.end(first + 1, depth + 1)?;
                if self.word(body + 1) != b"while" {
                    return Err(NoPlace::InnerEndMissing);
                }
                self.semicolon(self.after_parens(body + 2)?)
            }
            b"case" | b"default" => {
                let colon = (first..self.tokens.len().min(first + 50)).find(|&at| self.word(at) == b":");
                match colon {
                    Some(colon) => self.end(colon + 1, depth + 1),
                    None => Err(NoPlace::CaseWithoutEnd),
                }
            }
            _ if self.kind(first) == Some(TokenKind::Ident) && self.word(first + 1) == b":" => {
                self.end(first + 2, depth + 1)
            }
            _ => self.expression_end(first),
        }
    }

    fn no_else_after(&self, mut at: usize) -> Result<(), NoPlace> {
        while self.kind(at) == Some(TokenKind::Directive) {
            at += 1;
        }
        match self.word(at) {
            b"else" => Err(NoPlace::CutByDirective),
            _ => Ok(()),
        }
    }

    /// The `;` of an expression statement that begins at `first`.
    fn expression_end(&self, first: usize) -> Result<usize, NoPlace> {
        let mut at = first;
        while at < self.tokens.len() {
            match self.word(at) {
                b";" => return Ok(at),
                b"{" | b"}" => {
                    return Err(NoPlace::BlockInMacro);
                }
                b"(" | b"[" => at = self.close(at)? + 1,
                _ if self.kind(at) == Some(TokenKind::Directive) => return Err(NoPlace::CutByDirective),
                _ => at += 1,
            }
        }
        Err(NoPlace::EndMissing)
    }

    /// The index after the parentheses that open at `open`.
    pub fn after_parens(&self, open: usize) -> Result<usize, NoPlace> {
        if self.word(open) != b"(" {
            return Err(NoPlace::HeaderInMacro);
        }
        Ok(self.close(open)? + 1)
    }

    fn semicolon(&self, at: usize) -> Result<usize, NoPlace> {
        match self.word(at) {
            b";" => Ok(at),
            _ => Err(NoPlace::SemicolonInMacro),
        }
    }
}
