//! Values of variables as debuggers print them: `it=it@entry=41` among the arguments of a frame, `it = 41` on a line below it.
//!
//! Only plain numbers are taken. What a variable was when the function was entered (`it@entry=41` alone) says nothing of what it is, and
//! addresses differ from process to process.

use snapshot::Value;

/// The numbers among a frame's arguments; `text` is what stands between the parentheses.
pub(crate) fn arguments(text: &str) -> Vec<(String, Value)> {
    let each = split(text).into_iter();
    each.filter_map(|argument| {
        let (name, value) = argument.split_once('=')?;
        Some((
            named(name)?,
            number(
                value
                    .strip_prefix(&format!("{}@entry=", name.trim()))
                    .unwrap_or(value),
            )?,
        ))
    })
    .collect()
}

/// A variable on a line of its own, as `bt full` prints it; its value if that is a number.
pub(crate) fn local(line: &str) -> Option<(String, Option<Value>)> {
    let (name, value) = line.split_once(" = ")?;
    Some((named(name)?, number(value)))
}

fn named(name: &str) -> Option<String> {
    let name = name.trim();
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.starts_with(is_first) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}

/// `41`, `-1`, `0.5`, `97 'a'`.
fn number(text: &str) -> Option<Value> {
    let text = text.trim();
    let text = text.split_once(" '").map_or(text, |(code, _)| code);
    if let Ok(value) = text.parse() {
        return Some(Value::Integer(value));
    }
    if let Ok(value) = text.parse() {
        return Some(Value::Unsigned(value));
    }
    // The words for infinities are names of variables as well.
    let is_decimal = text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !text.starts_with("0x");
    text.parse().ok().filter(|_| is_decimal).map(Value::Float)
}

/// The parts between commas that lie in no brackets and no quotation marks.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    let mut quotes = Quotes::default();
    for (at, c) in text.char_indices() {
        if quotes.cover(c) {
            continue;
        }
        match c {
            '(' | '{' | '[' | '<' => depth += 1,
            ')' | '}' | ']' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Tells, character by character, what stands in quotation marks.
#[derive(Default)]
pub(crate) struct Quotes {
    mark: Option<char>,
    /// The character before was a backslash that quotes this one.
    is_escaped: bool,
}

impl Quotes {
    /// Whether the next character is part of quoted text; the marks are.
    pub(crate) fn cover(&mut self, c: char) -> bool {
        let is_escaped = std::mem::take(&mut self.is_escaped);
        match self.mark {
            Some(mark) => {
                self.is_escaped = c == '\\' && !is_escaped;
                self.mark = Some(mark).filter(|_| c != mark || is_escaped);
                true
            }
            None => {
                self.mark = matches!(c, '"' | '\'').then_some(c);
                self.mark.is_some()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_among_arguments() {
        let of = |text: &str| {
            let shown = arguments(text).into_iter().map(|(name, value)| match value {
                Value::Integer(value) => format!("{name}={value}"),
                Value::Unsigned(value) => format!("{name}={value}"),
                Value::Float(value) => format!("{name}={value:?}"),
                Value::Other(value) => format!("{name}={value}"),
            });
            shown.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("it=41, a=0x7ffe, n=-3"), "it=41 n=-3");
        assert_eq!(of("it=it@entry=41, n@entry=5, m=<optimized out>"), "it=41");
        assert_eq!(of("s=0x55 \"a, b=3, (\", c=97 'a', t=0.5"), "c=97 t=0.5");
        assert_eq!(
            of("s=..., v={x = 1, y = 2}, big=18446744073709551615"),
            "big=18446744073709551615"
        );
        assert_eq!(of(""), "");
        assert_eq!(of("t=nan, u=inf"), "");
    }

    #[test]
    fn a_local_is_known_by_its_name_even_without_a_value() {
        assert_eq!(
            local("it = 41"),
            Some(("it".to_owned(), Some(Value::Integer(41))))
        );
        assert_eq!(local("s = {a = 1, b = 2}"), Some(("s".to_owned(), None)));
        assert_eq!(local("No locals."), None);
        assert_eq!(local("a[3] = 4"), None);
    }
}
