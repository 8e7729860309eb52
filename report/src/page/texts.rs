//! The long texts of a page, each written once.
//!
//! Ten thousand calls of one instance of a template have ten thousand times the same name of a thousand characters. So a long text that occurs
//! several times stands in a table, and `@3`, the fourth text of it, stands wherever it is meant. A text that begins with `@` stands there,
//! too, however short it is, so that the one is never taken for the other. Names of fields, and what sets of tasks are written with, stay.
//!
//! A page may come from anywhere, and a few bytes of it may stand for a very long text many times. Readers count first.

use serde_json::Value;
use std::collections::BTreeMap;

/// What is no longer than this stands where it is used.
const SHORT: usize = 64;

/// So many bytes may all texts of a page together stand for.
const MOST_BYTES: usize = 1 << 30;

/// Parts of a page in which no text is replaced.
const AS_THEY_ARE: [&str; 2] = ["sets", "texts"];

/// Writes the long texts of a page to its table.
pub(super) fn share(page: &mut Value) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    each_text(page, &mut |text| {
        if text.len() > SHORT || text.starts_with('@') {
            *counts.entry(text.clone()).or_default() += 1;
        }
    });
    let mut table: Vec<String> = Vec::new();
    let mut place_of: BTreeMap<String, String> = BTreeMap::new();
    for (text, count) in counts {
        if count > 1 || text.starts_with('@') {
            place_of.insert(text.clone(), format!("@{}", table.len()));
            table.push(text);
        }
    }
    each_text(page, &mut |text| {
        if let Some(place) = place_of.get(text) {
            text.clone_from(place);
        }
    });
    page["texts"] = table.into();
}

/// A text stands nowhere, or there is too much of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadTexts;

/// Puts the texts of the table back where they are meant.
pub(super) fn put_back(page: &mut Value) -> Result<(), BadTexts> {
    put_back_within(page, MOST_BYTES)
}

fn put_back_within(page: &mut Value, most: usize) -> Result<(), BadTexts> {
    let table = page.get("texts").and_then(Value::as_array);
    let table = table.map_or_else(Vec::new, |texts| {
        Vec::from_iter(
            texts
                .iter()
                .map(|text| text.as_str().unwrap_or_default().to_owned()),
        )
    });
    let mut left = Some(most);
    each_text(page, &mut |text| {
        if let Some(number) = text.strip_prefix('@') {
            let meant = number.parse().ok().and_then(|number: usize| table.get(number));
            left = left
                .zip(meant)
                .and_then(|(left, meant)| left.checked_sub(meant.len()));
            if let (Some(_), Some(meant)) = (left, meant) {
                text.clone_from(meant);
            }
        }
    });
    match left {
        Some(_) => Ok(()),
        None => Err(BadTexts),
    }
}

/// Changes the texts of a page that may be in the table.
fn each_text(page: &mut Value, change: &mut dyn FnMut(&mut String)) {
    let fields = page.as_object_mut().into_iter().flatten();
    for (name, value) in fields {
        if !AS_THEY_ARE.contains(&name.as_str()) {
            each_text_of(value, change);
        }
    }
}

fn each_text_of(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| each_text_of(value, change)),
        Value::Object(fields) => fields.values_mut().for_each(|value| each_text_of(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_texts_stand_once_and_come_back() {
        let (long, other) = ("x".repeat(900), "y".repeat(900));
        let page = json!({"sets": ["@0"], "texts": [], "tree": [{"name": long, "again": [&long, 3, null]}, &other, "@0", "@", "short", "short"]});
        let mut shared = page.clone();
        share(&mut shared);
        assert_eq!(shared["texts"], json!(["@", "@0", long]));
        assert_eq!(
            shared["tree"],
            json!([{"name": "@2", "again": ["@2", 3, null]}, &other, "@1", "@0", "short", "short"])
        );
        assert_eq!(shared["sets"], json!(["@0"]));
        put_back(&mut shared).unwrap();
        assert_eq!(shared["tree"], page["tree"]);
    }

    #[test]
    fn what_stands_nowhere_or_for_too_much_is_refused() {
        for text in ["@1", "@", "@-1", "@x"] {
            assert_eq!(
                put_back(&mut json!({"tree": text, "texts": ["a"]})),
                Err(BadTexts),
                "{text}"
            );
        }
        let many = |count: usize| json!({"tree": vec!["@0"; count], "texts": ["0123456789"]});
        assert_eq!(put_back_within(&mut many(10), 100), Ok(()));
        assert_eq!(put_back_within(&mut many(11), 100), Err(BadTexts));
    }
}
