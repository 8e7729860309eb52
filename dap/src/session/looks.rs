//! What an editor looks at while the task stands: threads, frames, variables.

use super::{Answer, Session};
use crate::message::Request;
use crate::mi;
use crate::stack;
use crate::variables::{self, At, Group};
use serde_json::json;
use std::io::Write;

/// Parts of a variable that are shown at once.
const MOST_PARTS: u64 = 1000;

impl<W: Write> Session<W> {
    pub(super) fn main_thread(&mut self) -> Option<u64> {
        let pid = self.hindmost.as_ref()?.pid;
        let threads = self.ask("-thread-info").ok()?;
        let is_main = |target: &str| {
            target.ends_with(&format!("(LWP {pid})"))
                || target == format!("process {pid}")
                || target == format!("LWP {pid}")
        };
        let mut threads = threads["threads"].as_array()?.iter();
        let main = threads.find(|thread| thread["target-id"].as_str().is_some_and(is_main))?;
        main["id"].as_str()?.parse().ok()
    }

    pub(super) fn threads(&mut self) -> Answer {
        let told = self.ask("-thread-info")?;
        let threads = told["threads"].as_array().map_or(&[][..], Vec::as_slice);
        let shown = threads.iter().filter_map(|thread| {
            let text = |name: &str| thread[name].as_str();
            let id: u64 = text("id")?.parse().ok()?;
            let name = text("name").unwrap_or_default();
            Some(json!({"id": id, "name": format!("{name} {}", text("target-id")?).trim()}))
        });
        Ok(json!({"threads": Vec::from_iter(shown)}))
    }

    pub(super) fn stack_trace(&mut self, request: &Request) -> Answer {
        let thread = request.number("threadId").ok_or("no thread is named")?;
        if !self.stacks.contains_key(&thread) {
            let is_main = self.main_thread() == Some(thread);
            let list = self.ask(&format!(
                "-stack-list-frames --thread {thread} 0 {}",
                stack::DEEPEST - 1
            ))?;
            let hindmost = self.hindmost.as_ref().filter(|_| is_main);
            self.stacks
                .insert(thread, stack::frames(&list["stack"], hindmost));
        }
        let frames = &self.stacks[&thread];
        let number = |name: &str| usize::try_from(request.number(name).unwrap_or(0)).unwrap_or(usize::MAX);
        let levels = match number("levels") {
            0 => frames.len(),
            levels => levels,
        };
        let wanted = frames.iter().enumerate().skip(number("startFrame")).take(levels);
        let shown = wanted.map(|(level, frame)| frame.shown(self.shown.add_frame(At { thread, level })));
        Ok(json!({"stackFrames": Vec::from_iter(shown), "totalFrames": frames.len()}))
    }

    fn frame(&self, request: &Request) -> Result<At, String> {
        let id = request.number("frameId").ok_or("no frame is named")?;
        self.shown
            .frame(id)
            .ok_or_else(|| "this frame is gone: the task has gone on".to_owned())
    }

    pub(super) fn scopes(&mut self, request: &Request) -> Answer {
        let at = self.frame(request)?;
        let scope = |name: &str, hint: &str, reference: usize| json!({"name": name, "presentationHint": hint, "variablesReference": reference, "expensive": false});
        let mut scopes = vec![scope("Locals", "locals", self.shown.add_group(Group::Locals(at)))];
        let iteration = self
            .stacks
            .get(&at.thread)
            .and_then(|frames| frames.get(at.level))
            .map(|frame| &frame.iteration);
        if let Some(iteration) = iteration.filter(|iteration| !iteration.is_empty()) {
            let group = Group::Iteration(iteration.clone());
            scopes.push(scope(
                "Iteration (hindmost)",
                "iteration",
                self.shown.add_group(group),
            ));
        }
        Ok(json!({"scopes": scopes}))
    }

    pub(super) fn variables(&mut self, request: &Request) -> Answer {
        let id = request.number("variablesReference").unwrap_or(0);
        let group = self
            .shown
            .group(id)
            .cloned()
            .ok_or("these variables are gone: the task has gone on")?;
        let variables = match group {
            Group::Iteration(values) => variables::iteration(&values),
            Group::Locals(at) => self.locals(at)?,
            Group::Parts(name) => {
                let from = request.number("start").unwrap_or(0);
                let count = request
                    .number("count")
                    .filter(|&count| count > 0)
                    .unwrap_or(MOST_PARTS);
                self.parts(&name, from, count.min(MOST_PARTS))?
            }
        };
        Ok(json!({"variables": variables}))
    }

    fn locals(&mut self, at: At) -> Answer {
        let told = self.ask(&format!("-stack-list-variables {} --no-values", at.options()))?;
        let names = told["variables"].as_array().map_or(&[][..], Vec::as_slice);
        let names = names.iter().filter_map(|variable| variable["name"].as_str());
        let mut shown = Vec::new();
        for name in names {
            let variable = match self.ask(&variables::describe(at, name)) {
                Ok(described) => self.shown.variable(name, &described),
                Err(why) => json!({"name": name, "value": format!("<{why}>"), "variablesReference": 0}),
            };
            shown.push(variable);
        }
        Ok(shown.into())
    }

    fn parts(&mut self, name: &str, from: u64, count: u64) -> Answer {
        let to = from.saturating_add(count);
        let told = self.ask(&format!(
            "-var-list-children --all-values {} {from} {to}",
            mi::quoted(name)
        ))?;
        let parts = told["children"].as_array().map_or(&[][..], Vec::as_slice);
        Ok(parts
            .iter()
            .map(|part| {
                self.shown
                    .variable(part["exp"].as_str().unwrap_or_default(), part)
            })
            .collect())
    }

    pub(super) fn evaluate(&mut self, request: &Request) -> Answer {
        let at = match request.number("frameId") {
            Some(_) => self.frame(request)?,
            None => At {
                thread: self.main_thread().ok_or("no task is attached")?,
                level: 0,
            },
        };
        let expression = request.text("expression");
        let described = self.ask(&variables::describe(at, expression))?;
        Ok(self.shown.variable(expression, &described))
    }
}
