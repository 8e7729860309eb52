//! What stands on the lines of a file: diagnostics, lenses and hints.

use crate::Host;
use crate::desk::{Desk, View};
use crate::project::{Project, Standing};
use crate::slices::Walked;
use crate::text::Encoding;
use engine::{RelationToHindmost, TaskClass};
use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, InlayHint,
    InlayHintLabel, NumberOrString, Position, Range,
};
use progress_map::FileId;
use report::{Names, clean, counted};
use std::collections::BTreeMap;

/// Whose diagnostics these are; a server of the language has its own.
pub(crate) const SOURCE: &str = "hindmost";

/// How many classes or reasons are spelled out on one line.
const SPELLED_OUT: usize = 8;

/// What is needed to say something of a file.
pub(crate) struct Teller<'a> {
    pub(crate) project: &'a Project,
    pub(crate) desk: &'a Desk,
    pub(crate) host: &'a dyn Host,
    pub(crate) encoding: Encoding,
}

impl Teller<'_> {
    /// The diagnostics of a file; `faded` is the slice whose outside is to fade.
    pub(crate) fn diagnostics(
        &self,
        file: FileId,
        view: &View<'_>,
        faded: Option<&Walked>,
    ) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let standings = self.project.standings(file).iter();
        let innermost = Vec::from_iter(standings.filter(|standing| standing.is_innermost));
        for on_line in innermost.chunk_by(|a, b| a.line == b.line) {
            let (behind, others): (Vec<&Standing>, Vec<&Standing>) = on_line.iter().partition(|standing| {
                matches!(
                    self.project.role(standing),
                    RelationToHindmost::Hindmost | RelationToHindmost::Candidate
                )
            });
            for standing in behind {
                diagnostics.extend(self.behind(view, standing));
            }
            diagnostics.extend(self.others(view, &others));
        }
        if let Some(slice) = faded {
            diagnostics.extend(self.outside(file, view, slice));
        }
        diagnostics
    }

    /// Of a document whose text is another than the mapped one.
    pub(crate) fn withheld(&self) -> Diagnostic {
        Diagnostic {
            range: Range::new(Position::new(0, 0), Position::new(0, 0)),
            severity: Some(DiagnosticSeverity::INFORMATION),
            source: Some(SOURCE.to_owned()),
            code: Some(NumberOrString::String("changed".to_owned())),
            message: "this text is not the one that the map was made from: which line is which is not known, so nothing is \
                      shown here"
                .to_owned(),
            ..Diagnostic::default()
        }
    }

    fn behind(&self, view: &View<'_>, standing: &Standing) -> Option<Diagnostic> {
        let class = self.project.class(standing)?;
        let answer = self.project.answer()?;
        let role = self.project.role(standing);
        let (word, severity) = match role {
            RelationToHindmost::Hindmost => ("hindmost", DiagnosticSeverity::ERROR),
            _ => ("may be the hindmost", DiagnosticSeverity::WARNING),
        };
        let mut message = format!("{word}: {}", clean(&report::stands(class)));
        if let Some(awaited) = &answer.awaited
            && awaited.chain.iter().any(|wait| wait.class == standing.class)
        {
            message.push_str(&format!(
                "\n{}",
                clean(&report::awaited_sentence(answer, awaited))
            ));
        }
        let hindmost = answer
            .hindmost
            .iter()
            .find(|hindmost| hindmost.class == standing.class);
        let ahead = hindmost
            .map(|hindmost| hindmost.ahead.as_slice())
            .unwrap_or_default();
        for link in ahead.iter().take(SPELLED_OUT) {
            let who = answer.classes[link.other].who.to_string();
            message.push_str(&format!("\nbehind {}: {}", clean(&who), clean(&link.reason)));
        }
        message.push_str(self.edited(view));
        let mut related = self.callers(class, standing);
        for link in ahead.iter().take(SPELLED_OUT) {
            let text = format!("ahead: {}", clean(&report::stands(&answer.classes[link.other])));
            let place = self.project.place_of(link.other);
            let place = place.map(|(file, standing)| (file, standing.line, standing.column));
            related.extend(place.and_then(|place| self.related(place, text)));
        }
        Some(Diagnostic {
            range: view.range(self.encoding, standing.line, standing.column)?,
            severity: Some(severity),
            code: Some(NumberOrString::String(
                if role == RelationToHindmost::Hindmost {
                    "hindmost"
                } else {
                    "candidate"
                }
                .to_owned(),
            )),
            source: Some(SOURCE.to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        })
    }

    /// The other frames of a stack that the map knows, innermost first.
    fn callers(&self, class: &TaskClass, standing: &Standing) -> Vec<DiagnosticRelatedInformation> {
        let mut related = Vec::new();
        for (at, frame) in class.frames.iter().enumerate().rev() {
            if at == standing.frame || !frame.in_map {
                continue;
            }
            let of_frame = |file| {
                self.project
                    .standings(file)
                    .iter()
                    .find(|s| s.class == standing.class && s.frame == at)
            };
            let place = self
                .project
                .files_of_stacks()
                .find_map(|file| of_frame(file).map(|standing| (file, standing.line, standing.column)));
            let text = format!(
                "called from here, in {}{}",
                clean(&Names::Short.of(&frame.function, frame.qualified.as_deref())),
                values(class, at)
            );
            related.extend(place.and_then(|place| self.related(place, text)));
        }
        related
    }

    fn related(
        &self,
        place: (FileId, u32, Option<u32>),
        message: String,
    ) -> Option<DiagnosticRelatedInformation> {
        let location = self
            .desk
            .location(place, self.project, self.host, self.encoding)?;
        Some(DiagnosticRelatedInformation { location, message })
    }

    /// Classes on one line that are not behind.
    fn others(&self, view: &View<'_>, standings: &[&Standing]) -> Option<Diagnostic> {
        let first = standings.first()?;
        let classes = standings
            .iter()
            .filter_map(|standing| self.project.class(standing));
        let mut texts = Vec::from_iter(classes.map(|class| clean(&report::stands(class)).into_owned()));
        if let Some(more @ 1..) = texts.len().checked_sub(SPELLED_OUT) {
            texts.truncate(SPELLED_OUT);
            texts.push(counted(more, "more class", "more classes"));
        }
        Some(Diagnostic {
            range: view.range(self.encoding, first.line, first.column)?,
            severity: Some(DiagnosticSeverity::HINT),
            code: Some(NumberOrString::String("here".to_owned())),
            source: Some(SOURCE.to_owned()),
            message: texts.join("\n") + self.edited(view),
            ..Diagnostic::default()
        })
    }

    fn edited(&self, view: &View<'_>) -> &'static str {
        if view.alignment.is_same() {
            ""
        } else {
            "\n(the file has been edited since; this line has not)"
        }
    }

    /// A lens on each line that tasks stand on or have called from.
    pub(crate) fn lenses(&self, file: FileId, view: &View<'_>) -> Vec<CodeLens> {
        let standings = self.project.standings(file);
        let lines = standings.chunk_by(|a, b| a.line == b.line);
        let lenses = lines.flat_map(|on_line| {
            let mut groups: BTreeMap<(bool, RelationToHindmost), Vec<&Standing>> = BTreeMap::new();
            for standing in on_line {
                let role = if standing.is_innermost {
                    self.project.role(standing)
                } else {
                    RelationToHindmost::Incomparable
                };
                groups
                    .entry((!standing.is_innermost, role))
                    .or_default()
                    .push(standing);
            }
            groups.into_iter().filter_map(|((calls, role), standings)| {
                let first = standings.first()?;
                let range = view.range(self.encoding, first.line, None)?;
                let mut who = Vec::from_iter(standings.iter().map(|standing| standing.class));
                // A function that calls itself stands there several times.
                who.dedup();
                let classes = Vec::from_iter(
                    who.iter()
                        .filter_map(|&class| self.project.answer()?.classes.get(class)),
                );
                let role = match (calls, role) {
                    (true, _) => " in this call",
                    (false, RelationToHindmost::Hindmost) => " here, hindmost",
                    (false, RelationToHindmost::Candidate) => " here, may be hindmost",
                    (false, RelationToHindmost::Ahead) => " here, ahead",
                    (false, _) => " here",
                };
                Some(CodeLens {
                    range,
                    command: Some(Command {
                        title: number(&classes) + role,
                        command: "hindmost.slice".to_owned(),
                        arguments: Some(vec![serde_json::json!({"class": first.class})]),
                    }),
                    data: None,
                })
            })
        });
        lenses.collect()
    }

    /// The values of loops at the ends of the lines where tasks are in them, within a range of lines.
    pub(crate) fn hints(&self, file: FileId, view: &View<'_>, wanted: Range) -> Vec<InlayHint> {
        let lines = view.lines();
        let standings = self.project.standings(file);
        let hints = standings.chunk_by(|a, b| a.line == b.line).filter_map(|on_line| {
            let now = view.alignment.now(on_line.first()?.line)?;
            let text = lines.get(now as usize - 1)?;
            if now - 1 < wanted.start.line || now - 1 > wanted.end.line {
                return None;
            }
            // The same values of several classes are said once.
            let mut said: Vec<(String, Vec<&TaskClass>)> = Vec::new();
            for standing in on_line {
                let class = self.project.class(standing)?;
                let values = frame_values(class, standing.frame);
                if values.is_empty() {
                    continue;
                }
                match said.iter_mut().find(|(known, _)| *known == values) {
                    Some((_, classes)) => classes.push(class),
                    None => said.push((values, vec![class])),
                }
            }
            let alone = said.len() == 1 && self.project.answer()?.classes.len() == said[0].1.len();
            let parts = said.iter().take(SPELLED_OUT).map(|(values, classes)| {
                if alone {
                    values.clone()
                } else {
                    let who = Vec::from_iter(
                        classes
                            .iter()
                            .take(SPELLED_OUT)
                            .map(|class| class.who.to_string()),
                    );
                    format!("{values} ({})", clean(&who.join(", ")))
                }
            });
            let label = Vec::from_iter(parts).join("; ");
            (!label.is_empty()).then(|| InlayHint {
                position: self.encoding.end_of_line(text, now),
                label: InlayHintLabel::String(label),
                kind: None,
                text_edits: None,
                tooltip: None,
                padding_left: Some(true),
                padding_right: None,
                data: None,
            })
        });
        hints.collect()
    }
}

/// How many tasks there are in classes.
fn number(classes: &[&TaskClass]) -> String {
    let count: u64 = classes.iter().map(|class| class.who.count()).sum();
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if classes.iter().all(|class| class.who.names.is_empty()) {
        counted(count, "rank", "ranks")
    } else {
        counted(count, "task", "tasks")
    }
}

/// The values of a frame's loops.
pub(crate) fn frame_values(class: &TaskClass, frame: usize) -> String {
    let Some(frame) = class.frames.get(frame) else {
        return String::new();
    };
    let values = frame.values.iter().map(|(name, value)| {
        if frame.differing.contains(name) {
            format!("{}={value}…", clean(name))
        } else {
            format!("{}={value}", clean(name))
        }
    });
    Vec::from_iter(values).join(", ")
}

fn values(class: &TaskClass, frame: usize) -> String {
    match frame_values(class, frame) {
        none if none.is_empty() => none,
        some => format!(", {some}"),
    }
}
