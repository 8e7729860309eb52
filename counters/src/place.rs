//! Where the counter of one loop goes.

use crate::no_place::NoPlace;
use crate::statement::Tokens;
use progress_map::{Loop, LoopSource};
use tokens::{Token, TokenKind, lex};

/// A file that loops are looked up in.
pub(crate) struct Text<'t> {
    bytes: &'t [u8],
    tokens: Vec<Token>,
    /// The offset of every line.
    lines: Vec<usize>,
}

impl<'t> Text<'t> {
    pub fn new(bytes: &'t [u8]) -> Self {
        let ends = bytes.iter().enumerate().filter(|&(_, byte)| *byte == b'\n');
        Self {
            bytes,
            tokens: lex(bytes),
            lines: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(),
        }
    }

    /// Whether a word occurs, also inside directives.
    pub(crate) fn has_word(&self, word: &[u8]) -> bool {
        self.bytes.windows(word.len()).any(|each| each == word)
    }

    fn line_of(&self, offset: u32) -> u32 {
        self.lines.partition_point(|&start| start <= offset as usize) as u32
    }
}

/// What to insert for a counter of this name, by offset; or why it cannot be done.
pub(crate) fn insertions(
    text: &Text<'_>,
    in_loop: &Loop,
    name: &str,
) -> Result<Vec<(usize, String)>, NoPlace> {
    let tokens = Tokens {
        text: text.bytes,
        tokens: &text.tokens,
    };
    let line = (in_loop.span.line as usize).checked_sub(1);
    let start = line.and_then(|line| text.lines.get(line)).copied();
    let offset = start.map(|start| start + (in_loop.span.column as usize).saturating_sub(1));
    let found = offset.and_then(|offset| {
        text.tokens
            .binary_search_by_key(&offset, |token| token.start as usize)
            .ok()
    });
    let Some(first) = found else {
        return Err(NoPlace::SourceChanged);
    };
    let declaration = format!("volatile unsigned long {name} = 0;");
    let begin = |at: usize| text.tokens[at].start as usize;
    let end = |at: usize| text.tokens[at].end as usize;
    if in_loop.source == LoopSource::Goto {
        if tokens.kind(first) != Some(TokenKind::Ident) || tokens.word(first + 1) != b":" {
            return Err(NoPlace::LabelInMacro);
        }
        let before = first.checked_sub(1).map_or(&[][..], |at| tokens.word(at));
        if !matches!(before, b";" | b"{" | b"}") || tokens.word(first + 2) == b"__attribute__" {
            return Err(NoPlace::BeforeLabel);
        }
        return Ok(vec![
            (begin(first), format!("{declaration} ")),
            (end(first + 1), format!(" ++{name};")),
        ]);
    }
    let keyword: &[u8] = match in_loop.source {
        LoopSource::While => b"while",
        LoopSource::DoWhile => b"do",
        LoopSource::For | LoopSource::Goto => b"for",
    };
    if tokens.word(first) != keyword {
        return Err(NoPlace::LoopInMacro);
    }
    stands_free(tokens, first)?;
    let last = tokens.end(first, 0)?;
    if text.line_of(text.tokens[last].start) != in_loop.span.end_line {
        return Err(NoPlace::EndElsewhere);
    }
    let step = match in_loop.source {
        LoopSource::For => for_step(tokens, first, name)?,
        LoopSource::While => condition(tokens, first + 1, name)?,
        LoopSource::DoWhile | LoopSource::Goto => {
            let body = tokens.end(first + 1, 1)?;
            condition(tokens, body + 2, name)?
        }
    };
    Ok(vec![
        (begin(first), format!("{{ {declaration} ")),
        step,
        (end(last), " }".to_owned()),
    ])
}

/// The step in front of a condition whose parenthesis is at `open`.
fn condition(tokens: Tokens<'_>, open: usize, name: &str) -> Result<(usize, String), NoPlace> {
    let close = tokens.after_parens(open)? - 1;
    no_directive(tokens, open, close)?;
    Ok((tokens.tokens[open].end as usize, format!("++{name}, ")))
}

/// The step of a `for`, in front of its own if it has one.
fn for_step(tokens: Tokens<'_>, first: usize, name: &str) -> Result<(usize, String), NoPlace> {
    let close = tokens.after_parens(first + 1)? - 1;
    no_directive(tokens, first, close)?;
    let mut semicolons = Vec::new();
    let mut at = first + 2;
    while at < close {
        match tokens.word(at) {
            b"(" | b"[" | b"{" => at = tokens.close(at)?,
            b";" => semicolons.push(at),
            _ => {}
        }
        at += 1;
    }
    let [_, second] = semicolons[..] else {
        return Err(NoPlace::HeaderInMacro);
    };
    if second + 1 == close {
        return Ok((tokens.tokens[second].end as usize, format!(" ++{name}")));
    }
    let own = tokens.tokens[second + 1].start as usize;
    Ok((own, format!("++{name}, ")))
}

fn no_directive(tokens: Tokens<'_>, first: usize, last: usize) -> Result<(), NoPlace> {
    if (first..last).any(|at| tokens.kind(at) == Some(TokenKind::Directive)) {
        return Err(NoPlace::DirectiveInHeader);
    }
    Ok(())
}

/// A brace in front of the loop must part it from nothing: no pragma, no attribute, no macro.
fn stands_free(tokens: Tokens<'_>, first: usize) -> Result<(), NoPlace> {
    let Some(before) = first.checked_sub(1) else {
        return Err(NoPlace::OutsideFunction);
    };
    let free = match tokens.word(before) {
        b";" | b"{" | b"}" | b":" | b"else" | b"do" => true,
        b")" => opening(tokens, before).is_some_and(|open| {
            let word = open.checked_sub(1).map_or(&[][..], |at| tokens.word(at));
            matches!(word, b"if" | b"while" | b"for" | b"switch")
        }),
        line if tokens.kind(before) == Some(TokenKind::Directive) => {
            let words = line.strip_prefix(b"#").unwrap_or_default().trim_ascii_start();
            !words.starts_with(b"pragma")
        }
        _ => false,
    };
    if free { Ok(()) } else { Err(NoPlace::BeforeLoop) }
}

/// The parenthesis that the one at `close` closes.
fn opening(tokens: Tokens<'_>, close: usize) -> Option<usize> {
    let mut depth = 0usize;
    for at in (0..=close).rev() {
        match tokens.word(at) {
            b")" => depth += 1,
            b"(" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
