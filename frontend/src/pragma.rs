//! Pragmas that hand the iterations of a loop to several threads: no variable of such a loop counts for one task.

use crate::directive::{self, Definition, Directive};
use crate::macros::Visible;
use crate::prepare::Raw;
use crate::token::{Token, TokenKind};
use std::collections::BTreeSet;

/// Tokens that are searched for the beginning of an invocation.
const INVOCATION_LIMIT: usize = 200;

/// How many nested loops, from the one at raw offset `start` inwards, the pragmas in front of it divide among threads.
pub fn divided_loops(raw: Raw<'_>, start: u32) -> usize {
    let known = raw.visible.divided.borrow().get(&start).copied();
    known.unwrap_or_else(|| {
        let depth = find_divided_loops(raw, start);
        raw.visible.divided.borrow_mut().insert(start, depth);
        depth
    })
}

fn find_divided_loops(raw: Raw<'_>, start: u32) -> usize {
    let (text, tokens) = (raw.text, raw.tokens);
    let mut at = tokens.partition_point(|token| token.start < start);
    // The loop may come out of a macro, and the pragma with it.
    let mut depth = of_invocation(raw, at, at + 1);
    while let Some(before) = at.checked_sub(1) {
        let last = tokens[before];
        // Other directives may stand in between: `#endif`, or a pragma of another kind.
        let (first, divided) = if last.kind == TokenKind::Directive {
            (before, of_directive(raw.visible, last.text(text)))
        } else {
            let first = invocation(text, tokens, before);
            (first, of_invocation(raw, first, before + 1))
        };
        if divided == 0 && last.kind != TokenKind::Directive {
            break;
        }
        depth = depth.max(divided);
        at = first;
    }
    depth
}

/// Where `name`, or `name ( … )`, begins that ends with token `last`.
fn invocation(text: &[u8], tokens: &[Token], last: usize) -> usize {
    let mut open = 0;
    for at in (last.saturating_sub(INVOCATION_LIMIT)..=last).rev() {
        match tokens[at].text(text) {
            b")" => open += 1,
            b"(" => {
                open -= 1;
                if open == 0 {
                    return at.saturating_sub(1);
                }
            }
            _ if open == 0 => return at,
            _ => {}
        }
    }
    last
}

/// The same of what tokens `first..end` say, if they are `_Pragma ("…")` or a macro with such an operator in it.
fn of_invocation(raw: Raw<'_>, first: usize, end: usize) -> usize {
    let Some((name, arguments)) = raw.tokens.get(first..end).and_then(<[Token]>::split_first) else {
        return 0;
    };
    if name.text(raw.text) == b"_Pragma" {
        let string = arguments.iter().find(|token| token.kind == TokenKind::Str);
        return string.map_or(0, |string| of_words(string.text(raw.text)));
    }
    if name.kind != TokenKind::Ident {
        return 0;
    }
    let mut said = Said::default();
    said.macro_at(raw.visible, name.text(raw.text), name.start);
    for token in arguments {
        said.word(token.text(raw.text));
    }
    // What its strings are put together from is not worth working out.
    usize::from(said.pragma && said.threads)
}

/// What a macro's replacement speaks of, other macros in it included.
#[derive(Default)]
struct Said<'m> {
    pragma: bool,
    threads: bool,
    seen: BTreeSet<&'m [u8]>,
}

impl<'m> Said<'m> {
    fn word(&mut self, word: &[u8]) {
        self.pragma |= word == b"_Pragma";
        let names = |needle: &[u8]| word.windows(3).any(|three| three == needle);
        self.threads |= names(b"omp") || names(b"acc");
    }

    fn macro_at(&mut self, visible: &Visible<'m>, name: &[u8], offset: u32) {
        let mut work: Vec<&'m Definition> = visible.definitions(name, offset);
        while let Some(definition) = work.pop() {
            for token in &definition.body {
                self.word(&token.text);
                if token.kind == TokenKind::Ident && self.seen.insert(&token.text) {
                    work.extend(visible.definitions(&token.text, offset));
                }
            }
        }
    }
}

/// The same of a directive: a pragma, or an include line in whose place pragmas are read.
fn of_directive(visible: &Visible<'_>, line: &[u8]) -> usize {
    if let Some(words) = words(line) {
        return of_words(words);
    }
    let Directive::Include(path) = directive::read(line, visible.language()) else {
        return 0;
    };
    let included = visible.pragmas_alone(&path).into_iter().flatten();
    included.map(of_words).max().unwrap_or(0)
}

/// What stands behind `#pragma`; `None` for another directive.
pub fn words(directive: &[u8]) -> Option<&[u8]> {
    directive
        .strip_prefix(b"#")?
        .trim_ascii_start()
        .strip_prefix(b"pragma")
}

fn of_words(line: &[u8]) -> usize {
    let mut words = line
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| !word.is_empty());
    let divides = match words.next() {
        // `for`, `parallel for`, `distribute parallel for simd`, `taskloop`, …; clauses come after these words.
        Some(b"omp") => words
            .by_ref()
            .any(|word| matches!(word, b"for" | b"loop" | b"taskloop" | b"distribute")),
        Some(b"acc") => words
            .by_ref()
            .any(|word| matches!(word, b"loop" | b"kernels" | b"parallel")),
        _ => false,
    };
    if !divides {
        return 0;
    }
    let collapsed = words.skip_while(|word| *word != b"collapse").nth(1);
    match collapsed.map(|number| std::str::from_utf8(number).unwrap_or_default().parse()) {
        None => 1,
        Some(Ok(depth)) => depth,
        // A macro tells how many: all of them, then.
        Some(Err(_)) => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::of_words;

    #[test]
    fn words_that_divide() {
        let cases: [(&[u8], usize); 8] = [
            (b" omp parallel for private(j) HYPRE_SMP_SCHEDULE", 1),
            (b"\"omp for\"", 1),
            (b" omp parallel for \\\n collapse(2)", 2),
            (b" omp for collapse(DEPTH)", usize::MAX),
            (b" omp simd", 0),
            (b" omp parallel", 0),
            (b" acc parallel loop", 1),
            (b" unroll for", 0),
        ];
        for (line, depth) in cases {
            assert_eq!(of_words(line), depth, "{}", String::from_utf8_lossy(line));
        }
    }
}
