//! Frames of a thread, as gdb has them, with what the answer says of them.

use crate::whom::{Hindmost, Place};
use serde_json::{Value, json};

/// Deeper frames are not shown.
pub(crate) const DEEPEST: usize = 10_000;

/// A frame of gdb's.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    function: String,
    path: Option<String>,
    line: u32,
    address: String,
    /// What the answer says of it.
    pub(crate) iteration: Vec<(String, Result<String, String>)>,
    /// In short, if a value is known.
    known: Option<String>,
    /// It lies below the place that the answer names.
    below: bool,
}

/// The frames of a list of gdb's, innermost first. Of the hindmost task's main thread, what the answer says is added.
pub(crate) fn frames(list: &Value, hindmost: Option<&Hindmost>) -> Vec<Frame> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    let mut frames = Vec::from_iter(list.iter().map(frame));
    let Some(hindmost) = hindmost else { return frames };
    let outermost_first = frames.iter().rev();
    let places =
        Vec::from_iter(outermost_first.map(|frame| Some(Place::new(frame.path.as_ref()?, frame.line))));
    let seen = hindmost.among(&places);
    let innermost = seen.keys().next_back().copied();
    let count = frames.len();
    for (index, frame) in frames.iter_mut().enumerate() {
        let index = count - 1 - index;
        frame.below = innermost.is_some_and(|innermost| index > innermost);
        if let Some(seen) = seen.get(&index) {
            frame.iteration = seen.iteration.clone();
            frame.known = seen.known();
        }
    }
    frames
}

fn frame(frame: &Value) -> Frame {
    let text = |name: &str| frame[name].as_str().map(str::to_owned);
    Frame {
        function: text("func").or_else(|| text("addr")).unwrap_or_default(),
        path: text("fullname").or_else(|| text("file")),
        line: text("line").and_then(|line| line.parse().ok()).unwrap_or(0),
        address: text("addr").unwrap_or_default(),
        iteration: Vec::new(),
        known: None,
        below: false,
    }
}

impl Frame {
    /// As the editor wants it. Editors show the first frame that is not subtle: that is the place of the answer, not the system call below it.
    pub(crate) fn shown(&self, id: usize) -> Value {
        let known = self.known.as_ref();
        let mut shown = json!({
            "id": id,
            "name": known.map_or(self.function.clone(), |known| format!("{} [{known}]", self.function)),
            "line": self.line,
            "column": 0,
            "instructionPointerReference": self.address,
        });
        // A path that is relative to nobody knows what leads an editor nowhere.
        if let Some(path) = self.path.as_ref().filter(|path| path.starts_with('/')) {
            let name = path.rsplit('/').next().unwrap_or(path);
            shown["source"] = json!({"name": name, "path": path});
        }
        if self.below {
            shown["presentationHint"] = "subtle".into();
        }
        shown
    }
}
