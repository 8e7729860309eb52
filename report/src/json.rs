//! The answer for programs. Every type here is a promise: `docs/json-schema.md` documents it, and a field changes its
//! meaning only together with `version`.

mod answer;
mod awaited;
mod call;
mod check;
mod explanation;
mod map;
mod motion;
mod threads;
mod waits;

pub use answer::answer_json;
pub(crate) use answer::{AnswerOut, answer_out};
pub use check::check_json;
pub use map::{line_json, summary_json};
pub use waits::waits_json;

use base::escape_json;
use engine::Value;
use serde::Serialize;

/// The version of every document written here. New fields may come without a new version.
pub(crate) const VERSION: u32 = 1;

/// A value as JSON: a number where JSON's readers keep it exact, a string where they would not.
pub(crate) fn value(value: Value) -> serde_json::Value {
    match value {
        Value::Int(int) => match (i64::try_from(int), u64::try_from(int)) {
            (Ok(int), _) => int.into(),
            (_, Ok(int)) => int.into(),
            _ => int.to_string().into(),
        },
        // JSON has neither infinities nor NaN.
        Value::Float(float) => serde_json::Number::from_f64(float)
            .map_or_else(|| float.to_string().into(), serde_json::Value::Number),
    }
}

/// Indented JSON with a final newline, in which no character acts on the terminal that it may be printed to.
pub(crate) fn document(content: &impl Serialize) -> String {
    // Only a map with keys that are no strings, or a failing writer, could make this fail; there is neither.
    let text = serde_json::to_string_pretty(content).unwrap_or_default();
    // Ends of lines stand between values only: in a string JSON escapes them itself.
    let mut text: Vec<String> = text
        .split('\n')
        .map(|line| escape_json(line, &|_| false))
        .collect();
    text.push(String::new());
    text.join("\n")
}
