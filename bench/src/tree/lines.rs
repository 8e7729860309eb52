//! What the source says at a position that is no point of the map.

use base::Confidence;
use progress_map::{FileId, FunctionId, Map, Row};
use std::collections::BTreeMap;

/// The lines of the files of a map, read when asked for.
pub(crate) struct Lines<'m> {
    map: &'m Map,
    files: BTreeMap<FileId, Vec<String>>,
}

impl<'m> Lines<'m> {
    pub(crate) fn new(map: &'m Map) -> Self {
        Self {
            map,
            files: BTreeMap::new(),
        }
    }

    fn text(&mut self, row: &Row) -> &str {
        let Ok(file) = row.file else { return "" };
        let path = &self.map.files[file].path;
        let lines = self.files.entry(file).or_insert_with(|| {
            let bytes = std::fs::read(path).unwrap_or_default();
            let lines = bytes.split(|&byte| byte == b'\n');
            lines
                .map(|line| String::from_utf8_lossy(line).trim().to_owned())
                .collect()
        });
        lines.get(row.line as usize - 1).map_or("", String::as_str)
    }

    /// The kind of line that a row stands on, and how well its function is known.
    pub(crate) fn describe(&mut self, map: &Map, function: FunctionId, row: &Row) -> String {
        let body = &map.functions[function];
        if row.file != Ok(body.file) {
            return "in another file than its function".to_owned();
        }
        let known = match body.confidence {
            Confidence::Partial => " in a function known in part",
            _ => "",
        };
        let outside = if body.span.covers_line(row.line) {
            ""
        } else {
            ", outside its function"
        };
        let text = self.text(row);
        let word: String = text
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let kind = match word.as_str() {
            "" => match text.chars().next() {
                Some(first) => format!("a line that begins with '{first}'"),
                None => "an empty line".to_owned(),
            },
            "if" | "for" | "while" | "do" | "switch" | "case" | "default" | "return" | "break"
            | "continue" | "goto" | "else" | "static" => format!("a line that begins with '{word}'"),
            _ if text.chars().any(|c| c.is_ascii_lowercase()) => {
                let ends = text.chars().next_back().unwrap_or(' ');
                format!("a line that begins with a name and ends in '{ends}'")
            }
            _ => "a macro alone on its line".to_owned(),
        };
        format!("{kind}{known}{outside}")
    }

    /// The position and its text, for the reader to look at.
    pub(crate) fn quote(&mut self, map: &Map, row: &Row) -> String {
        let path = match row.file {
            Ok(file) => map.files[file].path.clone(),
            Err(_) => "a file that the map does not hold".to_owned(),
        };
        let text = self.text(row).to_owned();
        format!("{path}:{}:{} {text}", row.line, row.column)
    }
}
