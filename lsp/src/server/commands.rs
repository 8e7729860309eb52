//! The commands: slices and the way through them, fading, loading anew.

use super::{ErrorReply, Server, arguments};
use crate::desk::path_of;
use crate::settings::Options;
use crate::slices::{Made, SliceStatement, Task, Walked, Wish};
use engine::{Answer, Outwards, SourceFile};
use lsp_server::{ErrorCode, RequestId};
use lsp_types::{ExecuteCommandParams, MessageType, Position, TextDocumentIdentifier};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const COMMANDS: [&str; 5] = [SLICE, NEXT, PREVIOUS, FADE, RELOAD];

const SLICE: &str = "hindmost.slice";
const NEXT: &str = "hindmost.next";
const PREVIOUS: &str = "hindmost.previous";
const FADE: &str = "hindmost.fade";
const RELOAD: &str = "hindmost.reload";

/// A request that waits for a slice.
pub(super) struct Pending {
    pub(super) id: RequestId,
    wish: Wish,
    then: Then,
}

/// What to do once the slice is there.
#[derive(Clone, Copy)]
pub(super) enum Then {
    /// Tell all of it.
    List,
    Next,
    Previous,
    Fade(bool),
}

/// The argument of `hindmost.slice`: a class of the answer, or a place. The hindmost without, from which a slice goes on by progress or along waits.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Of {
    class: Option<usize>,
    along: Way,
    text_document: Option<TextDocumentIdentifier>,
    position: Option<Position>,
}

/// Which classes come after the hindmost.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Way {
    /// Those that are next in the order of their progress.
    #[default]
    Progress,
    /// Those that wait for it, directly or through others.
    Waits,
}

impl Way {
    fn begins(self) -> Outwards {
        match self {
            Way::Progress => Outwards::Progress(1),
            Way::Waits => Outwards::Waits(0),
        }
    }
}

impl Server {
    /// A command; nothing if its answer comes later.
    pub(super) fn execute(
        &mut self,
        id: &RequestId,
        params: ExecuteCommandParams,
    ) -> Result<Option<Value>, ErrorReply> {
        let argument = params.arguments.into_iter().next();
        let (wish, then) = match params.command.as_str() {
            SLICE => {
                let of = argument.map_or(Ok(Of::default()), arguments)?;
                (self.wish(of)?, Then::List)
            }
            NEXT => {
                let grown = self.grown().filter(|_| self.pending.is_empty());
                (grown.map_or_else(|| self.current_wish(), Ok)?, Then::Next)
            }
            PREVIOUS => (self.current_wish()?, Then::Previous),
            FADE => {
                let on = argument.as_ref().and_then(Value::as_bool).unwrap_or(!self.fading);
                if !on {
                    self.fading = false;
                    self.publish();
                    return Ok(Some(json!({"fading": false})));
                }
                (self.current_wish()?, Then::Fade(on))
            }
            RELOAD => {
                if let Some(argument) = argument {
                    let options: Options = arguments(argument)?;
                    self.settings.change(options, self.client.root.as_deref());
                    self.watch();
                }
                let loaded = self.reload();
                return Ok(Some(json!({"loaded": loaded})));
            }
            other => return Err((ErrorCode::InvalidParams, format!("no command {other}"))),
        };
        if self.walked.as_ref().is_some_and(|walked| walked.wish == wish) {
            return Ok(Some(self.then(then)));
        }
        self.pending.push(Pending {
            id: id.clone(),
            wish,
            then,
        });
        self.begin();
        Ok(None)
    }

    fn refused<T>(why: &str) -> Result<T, ErrorReply> {
        Err((ErrorCode::RequestFailed, why.to_owned()))
    }

    /// What is walked, or else the hindmost.
    fn current_wish(&self) -> Result<Wish, ErrorReply> {
        if let Some(pending) = self.pending.last() {
            return Ok(pending.wish.clone());
        }
        match &self.walked {
            Some(walked) => Ok(walked.wish.clone()),
            None => self.wish(Of::default()),
        }
    }

    /// At the last step of a slice that goes outwards from the hindmost: the slice with the class that comes next, if there is one.
    fn grown(&self) -> Option<Wish> {
        let walked = self.walked.as_ref()?;
        let Wish::Outwards(outwards) = walked.wish else {
            return None;
        };
        let is_last = walked.at.is_some_and(|at| at + 1 >= walked.steps.len());
        if !is_last {
            return None;
        }
        let answer = self.project.as_ref()?.answer()?;
        let steps = |outwards: Outwards| answer.slice_steps(outwards).len();
        let further = outwards.further();
        (steps(further) > steps(outwards)).then_some(Wish::Outwards(further))
    }

    fn wish(&self, of: Of) -> Result<Wish, ErrorReply> {
        let Some(project) = &self.project else {
            return Self::refused("no map is loaded");
        };
        let classes = project.answer().map_or(0, |answer| answer.classes.len());
        match (of.class, of.text_document, of.position) {
            (Some(class), _, _) if class < classes => Ok(Wish::Class(class)),
            (Some(class), _, _) => Self::refused(&format!("there is no class {class}")),
            (None, Some(document), Some(position)) => {
                let Some((file, view)) = self.desk.open(&document.uri) else {
                    let path = path_of(&document.uri).unwrap_or_default();
                    return Self::refused(&format!("{} is no open file of the map", path.display()));
                };
                let line = view.and_then(|view| view.alignment.before(position.line.checked_add(1)?));
                match line {
                    Some(line) => Ok(Wish::Line(file, line)),
                    None => Self::refused("the line has changed since the map was made"),
                }
            }
            (None, None, None) => {
                if project.answer().is_some_and(Answer::has_start_of_slice) {
                    Ok(Wish::Outwards(of.along.begins()))
                } else {
                    Self::refused("there is no task to start from")
                }
            }
            _ => Self::refused("a place needs textDocument and position"),
        }
    }

    /// Starts on the first wish that waits, unless a thread is at work: one at a time, the others find the graph made.
    fn begin(&mut self) {
        if self.is_working {
            return;
        }
        let (Some(first), Some(project)) = (self.pending.first(), self.project.clone()) else {
            return;
        };
        let mut sources = Vec::new();
        if self.graph.is_none() {
            let mut compiled = 0;
            for (id, file) in project.job.map.files.iter_enumerated() {
                // Of those, text would tell nothing.
                if project.job.compiled.has(&file.path, Some(&file.hash)) {
                    compiled += 1;
                    continue;
                }
                let bytes = self.desk.mapped_bytes(id, &project, &*self.host);
                sources.extend(bytes.map(|bytes| SourceFile {
                    path: file.path.clone(),
                    bytes,
                }));
            }
            let total = project.job.map.files.len();
            let missing = total - compiled - sources.len();
            if missing > 0 {
                let text = format!(
                    "hindmost: {missing} of {total} sources are not here as they were mapped: what they do is not in the slice"
                );
                self.say(MessageType::WARNING, &text);
            }
        }
        let task = Task {
            project,
            host: Arc::clone(&self.host),
            graph: self.graph.clone(),
            sources,
            wish: first.wish.clone(),
            messages: !self.settings.no_mpi,
        };
        self.is_working = true;
        let (generation, to_self) = (self.generation, self.to_self.clone());
        std::thread::spawn(move || {
            // The server may be gone by then.
            let _ = to_self.send((generation, task.run()));
        });
    }

    /// A thread is done.
    pub(super) fn slice_made(&mut self, generation: u64, made: Made) {
        if generation != self.generation {
            return;
        }
        self.is_working = false;
        self.graph = made.graph.or(self.graph.take());
        let pending = std::mem::take(&mut self.pending);
        let ready: Vec<Pending>;
        (ready, self.pending) = pending.into_iter().partition(|each| each.wish == made.wish);
        match made.slice {
            Ok(mut walked) => {
                walked.go_on(self.walked.as_ref());
                self.walked = Some(walked);
                for pending in ready {
                    // A class may bring nothing new: on to the one after it.
                    let further = self.grown().filter(|_| matches!(pending.then, Then::Next));
                    if let Some(wish) = further {
                        self.pending.push(Pending { wish, ..pending });
                        continue;
                    }
                    let value = self.then_guarded(pending.then);
                    self.answer(pending.id, value);
                }
                if self.fading {
                    self.publish();
                }
            }
            Err(why) => {
                for pending in ready {
                    self.answer(pending.id, Self::refused(&format!("no slice: {why}")));
                }
            }
        }
        self.begin();
    }

    /// The client does not want to know any more.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        let cancelled = self.pending.iter().position(|pending| pending.id == *id);
        if let Some(at) = cancelled {
            self.pending.remove(at);
            self.answer(
                id.clone(),
                Err((ErrorCode::RequestCanceled, "cancelled".to_owned())),
            );
        }
    }

    pub(super) fn cancel_all(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let changed = (
                ErrorCode::ContentModified,
                "there is something else to slice".to_owned(),
            );
            self.answer(pending.id, Err(changed));
        }
    }

    /// Does what was asked with the slice that is there.
    pub(super) fn then(&mut self, then: Then) -> Value {
        let Some(mut walked) = self.walked.take() else {
            return Value::Null;
        };
        let last = walked.steps.len().saturating_sub(1);
        let value = match then {
            Then::List => {
                let steps = walked.steps.iter().enumerate();
                let steps = Vec::from_iter(steps.map(|(at, step)| self.step(&walked, at, step)));
                walked.at = Some(0);
                self.show(steps.first());
                json!({"steps": steps})
            }
            Then::Fade(on) => {
                self.fading = on;
                json!({"fading": on})
            }
            Then::Next | Then::Previous => {
                let at = match (then, walked.at) {
                    (_, None) => 0,
                    (Then::Next, Some(at)) => (at + 1).min(last),
                    (_, Some(at)) => at.saturating_sub(1),
                };
                if walked.at == Some(at) {
                    let end = if at == 0 { "begins" } else { "ends" };
                    self.say(MessageType::INFO, &format!("hindmost: the slice {end} here"));
                }
                walked.at = Some(at);
                let step = walked.steps.get(at).map(|step| self.step(&walked, at, step));
                self.show(step.as_ref());
                step.unwrap_or_default()
            }
        };
        self.walked = Some(walked);
        if matches!(then, Then::Fade(_)) {
            self.publish();
        }
        value
    }

    /// A step as clients get it. Its place is left out when the line is not what it was.
    fn step(&self, walked: &Walked, at: usize, step: &SliceStatement) -> Value {
        let project = self.project.as_ref();
        let place = (step.file, step.line, Some(step.column));
        let location =
            project.and_then(|project| self.desk.location(place, project, &*self.host, self.encoding()));
        let path = project.and_then(|project| project.job.map.files.get(step.file));
        json!({
            "step": at + 1,
            "steps": walked.steps.len(),
            "message": step.text,
            "distance": step.distance,
            "class": step.class,
            "file": path.map(|file| &file.path),
            "line": step.line,
            "location": location,
        })
    }

    /// Goes to a step, where the client can be asked to.
    fn show(&mut self, step: Option<&Value>) {
        let location = step
            .and_then(|step| step.get("location"))
            .filter(|location| location.is_object());
        match (location, step) {
            (Some(location), _) if self.client.show_document => {
                let show = json!({"uri": location["uri"], "takeFocus": true, "selection": location["range"]});
                self.ask("window/showDocument", show);
            }
            (None, Some(step)) => {
                let text = format!(
                    "hindmost: {}:{} is not shown: the text has changed since the map was made, or is not here",
                    step["file"].as_str().unwrap_or_default(),
                    step["line"]
                );
                self.say(MessageType::WARNING, &text);
            }
            _ => {}
        }
    }
}
