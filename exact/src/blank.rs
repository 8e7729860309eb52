//! Preprocessed text as lang-c can read it, offset for offset.
//!
//! Attributes do not change what the analyses see and stand in more places than the parser expects them in; they become
//! blanks of the same length. So do names of types that it does not know; others of the same width stand in for them.

/// Keywords that go with the parentheses behind them.
const BLANKED: [&[u8]; 3] = [b"__attribute__", b"__attribute", b"_Alignas"];

/// Keywords with another of no greater length that means the same here.
const RENAMED: [(&[u8], &[u8]); 9] = [
    (b"__int128", b"long"),
    (b"_Float128", b"double"),
    (b"__float128", b"double"),
    (b"_Float64x", b"double"),
    (b"_Float64", b"double"),
    (b"_Float32x", b"double"),
    (b"_Float32", b"float"),
    (b"__auto_type", b"int"),
    (b"__signed__", b"signed"),
];

/// The text with attributes blanked; bytes that are not UTF-8 are question marks, one each.
pub fn prepare(text: &[u8]) -> String {
    let mut out = text.to_vec();
    let mut at = 0;
    while at < out.len() {
        match out[at] {
            quote @ (b'"' | b'\'') => at = skip_literal(&out, at, quote),
            b'#' if is_line_start(&out, at) => at = line_end(&out, at),
            byte if is_word(byte) => {
                let end = word_end(&out, at);
                let word = &out[at..end];
                if word == b"__extension__" {
                    blank(&mut out[at..end]);
                    at = end;
                } else if BLANKED.contains(&word) {
                    let end = parentheses_end(&out, end);
                    blank(&mut out[at..end]);
                    at = end;
                } else {
                    let renamed = RENAMED.iter().find(|(name, _)| *name == word);
                    // Headers for older compilers declare some of these names themselves.
                    if let Some((_, other)) = renamed.filter(|_| !is_declared(&out, end)) {
                        let other = *other;
                        blank(&mut out[at..end]);
                        out[at..at + other.len()].copy_from_slice(other);
                    }
                    at = end;
                }
            }
            _ => at += 1,
        }
    }
    for byte in &mut out {
        if !byte.is_ascii() {
            *byte = b'?';
        }
    }
    // All of it is ASCII now.
    String::from_utf8(out).unwrap_or_default()
}

/// The most brackets that are open at once.
pub fn nesting(text: &[u8]) -> usize {
    let (mut open, mut most, mut at) = (0_usize, 0, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' | b'\'' => {
                at = skip_literal(text, at, *byte);
                continue;
            }
            b'(' | b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    most
}

/// Whether the name that ends here ends its declaration.
fn is_declared(text: &[u8], end: usize) -> bool {
    text[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b';')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

fn word_end(text: &[u8], start: usize) -> usize {
    let length = text[start..].iter().position(|byte| !is_word(*byte));
    length.map_or(text.len(), |length| start + length)
}

fn line_end(text: &[u8], start: usize) -> usize {
    let length = text[start..].iter().position(|byte| *byte == b'\n');
    length.map_or(text.len(), |length| start + length)
}

fn is_line_start(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|byte| *byte == b'\n')
}

/// The offset behind a literal; an unfinished one ends with its line.
fn skip_literal(text: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The offset behind the parentheses that follow `start`, or `start` when none do.
fn parentheses_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    if text.get(at) != Some(&b'(') {
        return start;
    }
    // Where they are not closed, the parser will say so.
    closing(&text[at..]).map_or(start, |length| at + length + 1)
}

/// The place of the parenthesis that closes the first one.
pub fn closing(text: &[u8]) -> Option<usize> {
    let (mut open, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' | b'\'' => {
                at = skip_literal(text, at, *byte);
                continue;
            }
            b'(' => open += 1,
            b')' => {
                open -= 1;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Line markers may stand inside; they and line ends stay.
fn blank(part: &mut [u8]) {
    let mut in_marker = false;
    let mut line_start = false;
    for byte in part {
        match *byte {
            b'\n' => {
                in_marker = false;
                line_start = true;
                continue;
            }
            b'#' if line_start => in_marker = true,
            b' ' | b'\t' => continue,
            _ => {}
        }
        line_start = false;
        if !in_marker {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{nesting, prepare};

    #[test]
    fn attributes_go_and_nothing_moves() {
        let check = |before: &str, after: &str| {
            let found = prepare(before.as_bytes());
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words(&found), words(after), "{before}");
            let ends = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            assert_eq!(
                (found.len(), ends(&found)),
                (before.len(), ends(before)),
                "{before}"
            );
        };
        check("int f(void) __attribute__((pure));", "int f(void) ;");
        check(
            "char *s = \"__attribute__((x))\";",
            "char *s = \"__attribute__((x))\";",
        );
        check("__attribute__((a(\")\")))x", "x");
        check("__int128 n;", "long n;");
        check("__attribute__((\n# 4 \"a.h\" 3\nx)) y", "# 4 \"a.h\" 3 y");
        check("__attribute__((", "((");
        check(
            "typedef float _Float32; _Float32 x;",
            "typedef float _Float32; float x;",
        );
        check("x = __extension__ ({ 1; });", "x = ({ 1; });");
    }

    #[test]
    fn brackets_in_literals_do_not_nest() {
        assert_eq!(nesting(b"f(a[1], '(', \"((((\")"), 2);
    }
}
