//! Characters that act on whoever prints them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Control characters, and those that reorder or hide text: marks and isolates of direction, what has no width, what parts lines, what
/// annotates between lines, and tags.
pub fn acts_on_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text with what would move a cursor, change a colour or reorder text replaced by a visible escape (`\n`, `\u{1b}`).
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

/// JSON on one line without such characters, and without those that mean something `special` where it is to stand: they stand in strings only,
/// where JSON has an escape for each.
pub fn escape_json(line: &str, special: &dyn Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(line.len() + line.len() / 16);
    for c in line.chars() {
        if acts_on_terminal(c) || special(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
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
    }

    /// Whatever stands in JSON is read as what it was.
    #[test]
    fn json_is_escaped_beyond_the_basic_plane_too() {
        assert_eq!(
            escape_json("\"\u{e0041}\u{ad}\"", &|_| false),
            r#""\udb40\udc41\u00ad""#
        );
    }
}
