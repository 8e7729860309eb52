//! The documents for programs. Every type here is a promise: `docs/json-schema.md` documents it, field by field, and a field changes its
//! meaning only together with `version`.
//!
//! The same types are read: what is missing in a document, because an earlier version wrote it, is empty. Whoever reads one from elsewhere
//! checks its `schema` first, and every index before it is used.

#![allow(missing_docs, reason = "docs/json-schema.md describes every field")]

mod answer;
mod awaited;
mod call;
mod check;
mod explanation;
mod map;
mod motion;
mod read_tree;
mod slice;
mod threads;
mod tree;
mod waits;

pub use answer::{
    AnswerJson, BehindJson, ClassJson, FrameJson, HaltedJson, HindmostJson, LoopValueJson, OfProgramJson,
    ProbableJson, RelationJson, StateGroupJson, StateJson, TroubleJson, UndecidedJson, UnreadableJson,
};
pub use awaited::{AwaitedJson, CulpritJson, SendJson, SendsJson, WaitJson};
pub use call::{ArgumentJson, CallJson, TaskCallJson};
pub use explanation::{ExplanationJson, SharedLoopJson, SideJson};
pub use motion::{ClassMotionJson, MotionJson};
pub use read_tree::BadTree;
pub use slice::{InPartJson, SliceJson, SliceStepJson, StatementJson};
pub use threads::{ThreadsBehindJson, ThreadsJson};
pub use tree::{
    ChangeJson, ClassWaitJson, HostJson, NodeJson, RoundsJson, SiblingJson, StepJson, TreeClassJson,
    TreeJson, ValueJson,
};

pub(crate) use answer::answer_json;
pub use answer::answer_of_classes;
pub use check::{check_json, read_check};
pub use map::{line_json, summary_json};
pub(crate) use slice::{slice_json, slice_out};
pub(crate) use tree::{hosts_out, tree_json, tree_out};
pub use waits::waits_json;
pub(crate) use waits::waits_out;

use base::escape_json;
use engine::Value;
use serde::Serialize;
use std::io;

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
    let mut document = Document::default();
    // Only a map with keys that are no strings, or a failing writer, could make this fail; there is neither.
    let _ = serde_json::to_writer_pretty(&mut document, content);
    document.end_line();
    document.text
}

/// JSON as it is written, line by line: that of a million tasks is not to stand in memory more than once.
#[derive(Default)]
struct Document {
    text: String,
    line: Vec<u8>,
}

impl Document {
    /// Ends of lines stand between values only: in a string JSON escapes them itself.
    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&self.line);
        self.text.push_str(&escape_json(&line, &|_| false));
        self.text.push('\n');
        self.line.clear();
    }
}

impl io::Write for Document {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            self.line.extend(&rest[..end]);
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.line.extend(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
