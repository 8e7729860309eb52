//! What stands behind the numbers by which an editor asks for variables; they hold until the task goes on.

use crate::mi;
use serde_json::{Value, json};

/// A frame: gdb's number of its thread, and its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) thread: u64,
    pub(crate) level: usize,
}

impl At {
    /// The options by which a command of gdb's is about this frame.
    pub(crate) fn options(self) -> String {
        format!("--thread {} --frame {}", self.thread, self.level)
    }
}

/// Variables that are shown together.
#[derive(Clone, Debug)]
pub(crate) enum Group {
    /// Arguments and locals of a frame.
    Locals(At),
    /// The iteration of a frame, as the answer tells it.
    Iteration(Vec<(String, Result<String, String>)>),
    /// The parts of a variable, by the name that gdb gave it.
    Parts(String),
}

/// Frames and groups by their numbers, from 1.
#[derive(Default)]
pub(crate) struct Shown {
    frames: Vec<At>,
    groups: Vec<Group>,
}

impl Shown {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn add_frame(&mut self, at: At) -> usize {
        let known = self.frames.iter().position(|&one| one == at);
        1 + known.unwrap_or_else(|| {
            self.frames.push(at);
            self.frames.len() - 1
        })
    }

    pub(crate) fn frame(&self, id: u64) -> Option<At> {
        self.frames
            .get(usize::try_from(id).ok()?.checked_sub(1)?)
            .copied()
    }

    pub(crate) fn add_group(&mut self, group: Group) -> usize {
        self.groups.push(group);
        self.groups.len()
    }

    pub(crate) fn group(&self, id: u64) -> Option<&Group> {
        self.groups.get(usize::try_from(id).ok()?.checked_sub(1)?)
    }

    /// A variable of gdb's, as the editor wants it: `name` as it is written, the rest as gdb describes it.
    pub(crate) fn variable(&mut self, name: &str, described: &Value) -> Value {
        let text = |name: &str| described[name].as_str().unwrap_or_default();
        let has_parts = !matches!(text("numchild"), "" | "0") || text("dynamic") == "1";
        // What has no parts has the number 0.
        let reference = if has_parts {
            self.add_group(Group::Parts(text("name").to_owned()))
        } else {
            0
        };
        let value = text("value");
        json!({
            "name": name,
            "value": value,
            "result": value,
            "type": text("type"),
            "variablesReference": reference,
        })
    }
}

/// The iteration of a frame, as variables without parts.
pub(crate) fn iteration(values: &[(String, Result<String, String>)]) -> Value {
    let one = |(name, value): &(String, Result<String, String>)| {
        let text = value.as_ref().unwrap_or_else(|why| why);
        json!({"name": name, "value": text, "variablesReference": 0})
    };
    values.iter().map(one).collect()
}

/// The command by which gdb describes an expression.
pub(crate) fn describe(at: At, expression: &str) -> String {
    format!("-var-create {} - * {}", at.options(), mi::quoted(expression))
}
