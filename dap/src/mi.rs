//! What gdb says by its machine interface ("GDB/MI Output Syntax" in its manual), one record a line.
//!
//! Strings of a target stand in it, so any text is read: what is no record is left out. A tuple becomes an object, of several results of one name
//! the last counts; a list becomes an array, and names of its results, which are all the same, are left out.

use serde_json::{Map, Value};

/// A line of gdb's.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// The answer to a command, by the command's number: `done`, `running`, `error` and others, with what it tells.
    Result(u64, String, Value),
    /// What happened to the target: `stopped`, `running`, with what it tells.
    Happened(String, Value),
    /// What gdb prints for people.
    Said(String),
}

/// Deeper values are damage.
const DEEPEST: u32 = 64;

impl Record {
    /// Reads a line; nothing if it is none of these.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let line = line.trim_end();
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = line.split_at(digits);
        let mut text = rest.chars();
        let kind = text.next()?;
        let mut reader = Reader { rest: text.as_str() };
        match kind {
            '^' => {
                let class = reader.word();
                Some(Self::Result(number.parse().ok()?, class, reader.results()?))
            }
            '*' => {
                let class = reader.word();
                Some(Self::Happened(class, reader.results()?))
            }
            '~' | '&' => Some(Self::Said(reader.string()?)),
            _ => None,
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn takes(&mut self, what: char) -> bool {
        match self.rest.strip_prefix(what) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Letters and what else names have.
    fn word(&mut self) -> String {
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || "-_".contains(c)));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word.to_owned()
    }

    /// `,name=value,…` up to the end.
    fn results(&mut self) -> Option<Value> {
        let mut results = Map::new();
        while self.takes(',') {
            let name = self.word();
            let value = if self.takes('=') {
                self.value(0)?
            } else {
                return None;
            };
            results.insert(name, value);
        }
        self.rest.is_empty().then_some(Value::Object(results))
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        if self.takes('{') {
            return self.tuple(depth);
        }
        if self.takes('[') {
            return self.list(depth);
        }
        self.string().map(Value::String)
    }

    fn tuple(&mut self, depth: u32) -> Option<Value> {
        let mut tuple = Map::new();
        while !self.takes('}') {
            let name = self.word();
            let value = if self.takes('=') {
                self.value(depth + 1)?
            } else {
                return None;
            };
            tuple.insert(name, value);
            self.takes(',');
        }
        Some(Value::Object(tuple))
    }

    fn list(&mut self, depth: u32) -> Option<Value> {
        let mut list = Vec::new();
        while !self.takes(']') {
            if !self.rest.starts_with(['"', '{', '[']) {
                self.word();
                if !self.takes('=') {
                    return None;
                }
            }
            list.push(self.value(depth + 1)?);
            self.takes(',');
        }
        Some(Value::Array(list))
    }

    /// A string of C in quotes. Bytes that are written as octal numbers are joined to text first.
    fn string(&mut self) -> Option<String> {
        self.rest = self.rest.strip_prefix('"')?;
        let mut bytes = Vec::new();
        let mut characters = self.rest.chars();
        loop {
            match characters.next()? {
                '"' => break,
                '\\' => match characters.next()? {
                    'n' => bytes.push(b'\n'),
                    't' => bytes.push(b'\t'),
                    'r' => bytes.push(b'\r'),
                    first @ '0'..='7' => {
                        let mut byte = first as u32 - '0' as u32;
                        let following = characters.as_str().chars().take(2);
                        for digit in Vec::from_iter(following.map_while(|c| c.to_digit(8))) {
                            byte = 8 * byte + digit;
                            characters.next();
                        }
                        bytes.push(u8::try_from(byte & 0xff).unwrap_or_default());
                    }
                    other => bytes.extend(other.encode_utf8(&mut [0; 4]).bytes()),
                },
                other => bytes.extend(other.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
        self.rest = characters.as_str();
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A text as an argument of a command.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' | '\r' => out.push(' '),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn records_of_gdb() {
        let read = |line: &str| Record::read(line).unwrap();
        assert_eq!(
            read(
                r#"7^done,stack=[frame={level="0",func="f<a, b>",line="3"},frame={level="1",func="main"}],n={},l=[],two=["x","y"]"#
            ),
            Record::Result(
                7,
                "done".to_owned(),
                json!({"stack": [{"level": "0", "func": "f<a, b>", "line": "3"}, {"level": "1", "func": "main"}], "n": {}, "l": [], "two": ["x", "y"]})
            )
        );
        assert_eq!(
            read(
                r#"*stopped,reason="signal-received",frame={args=[{name="s",value="0x1 \"a\\n\\303\\274\""}]}"#
            ),
            Record::Happened(
                "stopped".to_owned(),
                json!({"reason": "signal-received", "frame": {"args": [{"name": "s", "value": "0x1 \"a\\n\\303\\274\""}]}})
            )
        );
        assert_eq!(read(r#"~"\303\274\n""#), Record::Said("ü\n".to_owned()));
        assert_eq!(
            read("3^running"),
            Record::Result(3, "running".to_owned(), json!({}))
        );
    }

    #[test]
    fn what_is_no_record() {
        let deep = format!("1^done,a={}", "[".repeat(100_000));
        for line in [
            "",
            "(gdb) ",
            "=thread-created,id=\"1\"",
            "^done",
            "1^done,",
            "1^done,a",
            "1^done,a=",
            "1^done,a=\"b",
            "1^done,a={b",
            "1^done,a=[b",
            "1^done,a=\"\\",
            "~no",
            "*stopped,x=\"\" y",
            &deep,
            "99999999999999999999999^done",
        ] {
            assert_eq!(Record::read(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_quoted_is_read_again() {
        for text in ["a", "\"", "\\", "a[\"x\\n\"]", "ü"] {
            let line = format!("~{}", quoted(text));
            assert_eq!(Record::read(&line), Some(Record::Said(text.to_owned())));
        }
        assert_eq!(quoted("a\n-exec-abort"), "\"a -exec-abort\"");
    }
}
