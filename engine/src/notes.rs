//! What an answer rests on and what goes with it: assumptions, doubts about the map, the source to show.

use crate::answer::{Activity, Certainty, Finding, TaskClass};
use crate::assemble::JobView;
use crate::paths::short_name;
use crate::{Excerpt, Relation, threads};
use base::Confidence;
use progress_map::FunctionId;

/// How many source positions are shown with an answer.
const EXCERPTS: usize = 3;

impl JobView<'_> {
    /// What the verdicts between the hindmost (or the candidates) and the rest take for granted.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let count = self.classes.classes.len();
        let mut clauses: Vec<String> = Vec::new();
        for &a in &self.classes.minimal {
            for b in (0..count).filter(|&b| b != a) {
                let verdict = self.verdict(a.min(b), a.max(b));
                if verdict.relation == Relation::Unknown {
                    continue;
                }
                if let Some(clause) = progress::assumption(&verdict)
                    && clauses.iter().all(|known| known != clause)
                {
                    clauses.push(clause.to_owned());
                }
            }
        }
        clauses
    }

    /// Functions on a stack that the front end understood in part only, or after a repair.
    pub(crate) fn partial_functions(&self) -> Vec<String> {
        let mut on_stacks: Vec<FunctionId> = self
            .all_located()
            .iter()
            .flat_map(|located| located.frames.iter().filter_map(|frame| frame.function))
            .collect();
        on_stacks.sort_unstable();
        on_stacks.dedup();
        on_stacks
            .into_iter()
            .map(|id| &self.map.functions[id])
            .filter(|function| function.confidence != Confidence::Clean)
            .map(|function| {
                let reason = function
                    .confidence_reason
                    .as_ref()
                    .map_or_else(|| "no reason recorded".to_owned(), ToString::to_string);
                let (name, line) = (&function.name, function.span.line);
                let path = &self.map.files[function.file].path;
                match function.confidence {
                    Confidence::Partial => format!(
                        "the map is partial here: {name} at {path}:{line} was not fully understood ({reason})"
                    ),
                    _ => format!("the map rests on a repair of {name} at {path}:{line} ({reason})"),
                }
            })
            .collect()
    }

    fn excerpt_at(&self, (path, line): &(String, u32)) -> Option<Excerpt> {
        let (id, file) = self
            .map
            .files
            .iter_enumerated()
            .find(|(_, file)| file.path == *path)?;
        Some(Excerpt {
            path: file.path.clone(),
            short_path: short_name(self.map, id).to_owned(),
            hash: file.hash,
            line: *line,
            lines: Vec::new(),
        })
    }

    /// Where those stand that are named, and the other candidates where that is not proven.
    pub(crate) fn excerpts(&self, classes: &[TaskClass], finding: Option<&Finding>) -> Vec<Excerpt> {
        let ordered = 0..self.classes.classes.len();
        let named = finding.map_or(&[][..], |finding| &finding.classes);
        let mut shown = Vec::from_iter(named.iter().copied().filter(|class| ordered.contains(class)));
        let is_settled = finding.is_some_and(|finding| finding.certainty == Certainty::Proven);
        if !is_settled || shown.is_empty() {
            let others = self.classes.minimal.iter().filter(|class| !named.contains(class));
            shown.extend(others);
        }
        let mut excerpts: Vec<Excerpt> = Vec::new();
        for class in shown {
            let first = self.first_member(class);
            // What a task's own threads do that its main one waits for is what the task does.
            if excerpts.len() < EXCERPTS
                && let Activity::Joining(_) = self.activity(first)
                && let Some(place) = classes[class]
                    .threads_behind
                    .first()
                    .map(|behind| (behind.position.file.clone(), behind.position.line))
                    .or_else(|| threads::working_place(&self.order, self.tasks[first]))
            {
                excerpts.extend(self.excerpt_at(&place));
                continue;
            }
            let located = self.located(first);
            let innermost = located.frames.iter().zip(&located.origin).rev();
            let Some((id, origin)) = innermost
                .filter_map(|(frame, &origin)| Some((frame.function?, origin?)))
                .next()
            else {
                continue;
            };
            let Some(line) = self.tasks[first].frames[origin].line.filter(|&line| line > 0) else {
                continue;
            };
            let file_id = self.map.functions[id].file;
            let file = &self.map.files[file_id];
            let known = |excerpt: &Excerpt| excerpt.path == file.path && excerpt.line == line;
            if excerpts.len() < EXCERPTS && !excerpts.iter().any(known) {
                excerpts.push(Excerpt {
                    path: file.path.clone(),
                    short_path: short_name(self.map, file_id).to_owned(),
                    hash: file.hash,
                    line,
                    lines: Vec::new(),
                });
            }
        }
        excerpts
    }
}
