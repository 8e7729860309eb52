//! Text that went through a terminal on its way into a file: colours, titles and other orders to the terminal are no part of it.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// The text without the sequences that begin with an escape character, and without what moves the cursor back.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip(&mut rest),
            '\r' => {}
            _ => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// Goes past what follows an escape character: up to a final byte (ECMA-48, 5.4), to the end of a command (5.6), or one character. The end of
/// the line ends it, too, as it may be cut.
fn skip(rest: &mut Peekable<Chars<'_>>) {
    let is_end: fn(char) -> bool = match rest.peek() {
        Some('[') => |c| ('@'..='~').contains(&c),
        Some(']') => |c| matches!(c, '\u{7}' | '\\'),
        _ => |_| true,
    };
    rest.next_if(|&c| matches!(c, '[' | ']'));
    while let Some(c) = rest.next_if(|&c| c != '\n') {
        if is_end(c) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_to_the_terminal_are_left_out() {
        let shown = "#1  \u{1b}[34m0x5\u{1b}[m in \u{1b}[33msolve\u{1b}[m ()\n\u{1b}[?2004l\r#2 main\r\n\u{1b}]0;title\u{7}end";
        assert_eq!(plain(shown), "#1  0x5 in solve ()\n#2 main\nend");
        assert_eq!(
            plain("\u{1b}]8;;file:///a.c\u{1b}\\a.c\u{1b}]8;;\u{1b}\\:3"),
            "a.c:3"
        );
        assert_eq!(plain("cut \u{1b}[3\nnext\u{1b}"), "cut \nnext");
        assert!(matches!(plain("a\r\n"), Cow::Borrowed(_)));
    }
}
