//! Text from targets and files, made safe for a terminal, a ticket or a line of output.

use base::acts_on_terminal;
use std::borrow::Cow;

/// Replaces what would move a cursor, change a colour or reorder text by a visible escape (`\n`, `\u{1b}`).
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts_on_terminal) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if acts_on_terminal(c) {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Like [`clean`], for one field of a line whose fields are parted by white space: spaces are escaped as well.
pub fn clean_field(text: &str) -> Cow<'_, str> {
    match clean(text) {
        safe if safe.contains(char::is_whitespace) => {
            Cow::Owned(safe.chars().flat_map(escape_space).collect())
        }
        safe => safe,
    }
}

fn escape_space(c: char) -> impl Iterator<Item = char> {
    let (escaped, plain) = if c.is_whitespace() {
        (Some(c.escape_unicode()), None)
    } else {
        (None, Some(c))
    };
    escaped.into_iter().flatten().chain(plain)
}

/// A source line as it looks in an editor: tabs go to the next multiple of eight.
pub(crate) fn source_line(text: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        if c == '\t' {
            let stop = 8 - column % 8;
            expanded.extend(std::iter::repeat_n(' ', stop));
            column += stop;
        } else {
            expanded.push(c);
            column += 1;
        }
    }
    clean(&expanded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_as_a_command() {
        assert_eq!(clean("poisson.c"), "poisson.c");
        assert_eq!(
            clean("a\u{1b}[2Jb\n\u{202e}c\u{9b}"),
            "a\\u{1b}[2Jb\\n\\u{202e}c\\u{9b}"
        );
        assert_eq!(clean("größe"), "größe");
        assert_eq!(clean_field("a b"), "a\\u{20}b");
        assert_eq!(source_line("\tx\ty\u{1b}"), "        x       y\\u{1b}");
    }
}
