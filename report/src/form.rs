//! The forms in which findings are written. A new one is a value of [`Form`], a line of [`write`], and a module that makes it; the compiler asks for the rest.

use crate::names::Names;
use crate::page::{Page, ReadSource, page_html, page_sources};
use crate::{DotColors, TreeText};
use crate::{explanation, hosts, json, sarif, slice, text, tree, waits};
use engine::Findings;

/// A form for findings.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// The answer, and the explanation below it, for people.
    Answer(Names),
    /// The same as JSON.
    AnswerJson,
    /// The hosts of the answer, each with its ranks and their classes, for people.
    ByHost,
    /// All that the tasks have recorded of who waits for whom.
    Waits,
    /// The same as JSON.
    WaitsJson,
    /// The same for Graphviz, with few nodes.
    WaitsDot,
    /// The answer as SARIF.
    AnswerSarif,
    /// The tree for people.
    Tree(TreeText),
    /// The tree as JSON.
    TreeJson,
    /// The tree for STATview and Graphviz.
    Dot(DotColors),
    /// The tree as folded stacks, for flame graphs.
    Folded,
    /// Everything, as one page for a browser.
    Page,
    /// The slice as annotated source.
    Slice,
    /// The slice as lines for an editor's list.
    SliceLines,
    /// The slice as JSON.
    SliceJson,
    /// The slice as SARIF, with the answer that it belongs to.
    SliceSarif,
}

/// What findings a form has in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    Answer,
    Waits,
    Tree,
    Slice,
    SliceAndAnswer,
    All,
}

impl Form {
    /// Every form stands here, so that a new one cannot be forgotten.
    fn parts(self) -> Parts {
        match self {
            Self::Answer(_) | Self::ByHost | Self::AnswerJson | Self::AnswerSarif => Parts::Answer,
            Self::Waits | Self::WaitsJson | Self::WaitsDot => Parts::Waits,
            Self::Tree(_) | Self::TreeJson | Self::Dot(_) | Self::Folded => Parts::Tree,
            Self::Slice | Self::SliceLines | Self::SliceJson => Parts::Slice,
            Self::SliceSarif => Parts::SliceAndAnswer,
            Self::Page => Parts::All,
        }
    }

    /// Whether it is for programs, which want no styles in it.
    pub fn is_document(self) -> bool {
        !matches!(
            self,
            Self::Answer(_) | Self::ByHost | Self::Waits | Self::Tree(_) | Self::Slice | Self::SliceLines
        )
    }

    /// Whether the answer is in it, with its source lines.
    pub fn shows_answer(self) -> bool {
        matches!(self.parts(), Parts::Answer | Parts::SliceAndAnswer | Parts::All)
    }

    /// Whether it is an answer and nothing else.
    pub fn is_answer(self) -> bool {
        self.parts() == Parts::Answer
    }

    /// Whether a slice is in it, if there is one.
    pub fn shows_slice(self) -> bool {
        matches!(self.parts(), Parts::Slice | Parts::SliceAndAnswer | Parts::All)
    }
}

/// Findings in a form; `None` if what the form shows was not asked for, or could not be found. `read` gives a file's text, of the files that
/// the map, or the slice, names.
pub fn write(findings: &Findings<'_>, form: Form, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    let answer = || findings.answer.as_ref();
    let tree = || findings.tree.as_ref();
    let slice = || findings.slice.as_ref();
    let waiting = findings.who_waits();
    let title = &findings.slice_of;
    Some(match form {
        Form::Answer(names) => {
            let mut text = text::answer_text(answer()?, names);
            if let Some(explanation) = &findings.explanation {
                text.push('\n');
                text.push_str(&explanation::explanation_text(explanation));
            }
            text
        }
        Form::ByHost => hosts::by_host(answer()?),
        Form::AnswerJson => json::answer_json(answer()?, findings.explanation.as_ref()),
        Form::Waits => waits::waits_text(waiting?, true),
        Form::WaitsJson => json::waits_json(waiting?),
        Form::WaitsDot => waits::waits_dot(waiting?),
        Form::AnswerSarif => sarif::answer_sarif(answer()?, None, read),
        Form::Tree(how) => tree::tree_text(tree()?, waiting, &findings.hosts, how),
        Form::TreeJson => {
            let warnings = Vec::from_iter(findings.all_warnings().map(str::to_owned));
            json::tree_json(tree()?, waiting, &findings.hosts, &warnings)
        }
        Form::Dot(colors) => tree::tree_dot(tree()?, waiting, colors),
        Form::Folded => tree::tree_folded(tree()?),
        Form::Page => page(findings, read)?,
        Form::Slice => slice::slice_text(slice()?, &slice::steps(findings), title, read),
        Form::SliceLines => slice::slice_lines(slice()?),
        Form::SliceJson => json::slice_json(slice()?, &slice::steps(findings)),
        Form::SliceSarif => match answer() {
            Some(answer) => sarif::answer_sarif(answer, slice(), read),
            None => sarif::slice_sarif(slice()?, title, read),
        },
    })
}

fn page(findings: &Findings<'_>, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    let (tree, answer, slice) = (
        findings.tree.as_ref()?,
        findings.answer.as_ref(),
        findings.slice.as_ref(),
    );
    // The names come from a target, and the page may be sent to anybody: only files that the map is of are put into it.
    let of_map = |path: &str| {
        let mapped = findings.map.files.iter().find(|file| file.path == path)?;
        let bytes = read(path)?;
        if engine::content_hash(&bytes) == mapped.hash {
            Some(ReadSource::Text(bytes))
        } else {
            Some(ReadSource::Changed)
        }
    };
    let sources = page_sources(tree, answer, slice, &of_map);
    Some(page_html(&Page {
        tree,
        answer,
        waiting: findings.who_waits(),
        slice,
        slice_steps: &slice::steps(findings),
        warnings: &findings.warnings,
        sources: &sources,
        hosts: &findings.hosts,
        seen: &findings.seen,
        map: findings.map,
    }))
}
