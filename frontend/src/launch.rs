//! Kernel launches of CUDA and HIP, `kernel<<<grid, block>>>(x)`, written as calls that any grammar can read.
//!
//! The text keeps its length: `kernel()(grid, block,   x)`, a call of what a call gives. All that a launch evaluates is there,
//! in an order that nobody claims; whoever is called through the second pair of parentheses is unknown, so that the
//! kernel's parameters are not taken for the arguments in front of its own. `<<<` means nothing else in C or C++.

use std::borrow::Cow;

/// Bytes between `<<<` and `>>>` that are looked through.
const LENGTH_LIMIT: usize = 2_000;

/// `text` with all launches written as calls.
pub fn as_calls(text: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(found) = find(text, at) {
        at = found + 3;
        if let Some((close, open)) = ends(text, at) {
            let bytes = out.to_mut();
            bytes[found..at].copy_from_slice(b"()(");
            bytes[close..close + 3].fill(b' ');
            bytes[open] = b' ';
            let next = text[open + 1..].trim_ascii_start().first();
            if next != Some(&b')') {
                bytes[close] = b',';
            }
            at = open;
        }
    }
    out
}

/// Where the next `<<<` begins that is not part of `<<<<`, at or behind `from`.
fn find(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let step = text.get(at..)?.iter().position(|byte| *byte == b'<')?;
        at += step;
        let length = text[at..].iter().take_while(|byte| **byte == b'<').count();
        if length == 3 {
            return Some(at);
        }
        at += length;
    }
}

/// Where the `>>>` stands that belongs to the `<<<` in front of `from`, and the `(` behind it.
fn ends(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    for at in from..text.len().min(from + LENGTH_LIMIT) {
        match text[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b';' | b'"' | b'\'' | b'#' => return None,
            b'>' if depth == 0 && text[at..].starts_with(b">>>") => {
                let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\\';
                let open = at + 3 + text[at + 3..].iter().take_while(|byte| blank(byte)).count();
                return (text.get(open) == Some(&b'(')).then_some((at, open));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        String::from_utf8_lossy(&as_calls(text.as_bytes())).into_owned()
    }

    #[test]
    fn launches_become_calls_of_the_same_length() {
        let cases = [
            ("k<<<a, b>>>(x, y);", "k()(a, b,   x, y);"),
            ("k<T> <<< f(a, 1), b >>> ( );", "k<T> ()( f(a, 1), b       );"),
            ("(k)<<<a>>> \\\n (x)", "(k)()(a,   \\\n  x)"),
            ("k<<<a, b>>>();k<<<c>>>(1)", "k()(a, b    );k()(c,   1)"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected);
            assert_eq!(text.len(), expected.len());
        }
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "a << b >> c",
            "<<<<<<< HEAD",
            "k<<<a;b>>>(c)",
            "k<<<a)>>>(c)",
            "k<<<a>>> b",
            "k<<<",
            "",
        ] {
            assert!(matches!(as_calls(text.as_bytes()), Cow::Borrowed(_)), "{text}");
        }
    }
}
