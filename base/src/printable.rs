//! Characters that act on whoever prints them.

use std::fmt::Write as _;

/// Control characters, and those that reorder or hide text.
pub fn acts_on_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// JSON on one line without such characters, and without those that mean something `special` where it is to stand: they stand in strings only,
/// where JSON has an escape for each.
pub fn escape_json(line: &str, special: &dyn Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(line.len() + line.len() / 16);
    for c in line.chars() {
        if acts_on_terminal(c) || special(c) {
            // All of them are in the basic plane, where one unit is one character. Writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}
