//! Findings, printed: every command that tells of a job ends here, whatever it tells and in whatever form.

use crate::args::{AnswerFormat, JobSlice, SliceFormat, SliceShape};
use crate::output::{self, Terminal};
use engine::{Findings, Outcome, Outwards, SliceOptions};
use project::{Failure, FirstLook, JobMap, SliceWish, SourceFinder};
use report::{Form, Names, TreeText};
use std::io;
use std::path::PathBuf;

/// The forms in which an answer is printed, one below the other, with the tree and the slice that are wanted of it.
pub(crate) fn forms(
    format: AnswerFormat,
    names: Names,
    tree: Option<TreeText>,
    slice: Option<&JobSlice>,
) -> Vec<Form> {
    let slice = slice.map(|asked| Form::from(asked.shape.slice_format));
    match slice {
        // It takes the place of the answer.
        Some(document) if document.is_document() => vec![document],
        _ => [answer(format, names)]
            .into_iter()
            .chain(tree.map(Form::Tree))
            .chain(slice)
            .collect(),
    }
}

/// Puts what the tasks have recorded beside recorded stacks, if the user says where it is.
pub(crate) fn add_recordings(
    findings: &mut Findings<'_>,
    directory: Option<&PathBuf>,
) -> Result<(), Failure> {
    if let Some(directory) = directory {
        let recorded = FirstLook::of_paths(std::slice::from_ref(directory), &Terminal::new())?;
        if let Some(waiting) = recorded.waiting() {
            findings.beside_recordings(waiting);
        }
    }
    Ok(())
}

/// Prints findings in these forms. A slice is made when it is wanted and its turn has come: nobody waits for it to read the answer. What keeps
/// it from being made is a warning; the rest stands without it. `others` are the maps of further programs of the job.
pub(crate) fn print(
    findings: &mut Findings<'_>,
    forms: &[Form],
    slice: Option<&JobSlice>,
    finder: &SourceFinder,
    others: &[JobMap],
) -> io::Result<()> {
    if forms.iter().any(|form| form.shows_answer()) {
        finder.fill(findings);
    }
    for (at, form) in forms.iter().enumerate() {
        if at > 0 {
            output::print("\n")?;
        }
        if form.shows_slice()
            && let Some(asked) = slice
            && let Err(why) = project::add_slice(findings, asked.wish(), finder, others, &Terminal::new())
        {
            output::warn(&format!("no slice: {why}"));
        }
        if form.shows_slice()
            && let Some(more) = slice.and_then(|asked| asked.next)
            && findings.slice.is_some()
            && findings.slice_steps.len() <= more
        {
            output::warn("--next: no other class is known to wait for those of the slice");
        }
        match form {
            Form::Tree(_) => findings.warnings.iter().for_each(|warning| output::warn(warning)),
            Form::Dot(_) | Form::Folded => findings.all_warnings().for_each(output::warn),
            _ => {}
        }
        match report::write(findings, *form, &|path| finder.read(path)) {
            Some(text) if form.is_document() => output::print_plain(&text)?,
            Some(text) => output::print(&text)?,
            None => {}
        }
    }
    let shows_answer = forms.iter().any(|form| form.is_answer());
    if let Some(answer) = findings.answer.as_ref().filter(|_| shows_answer)
        && answer.outcome == Outcome::NothingReadable
    {
        output::error(&output::nothing_readable(answer).into());
    }
    Ok(())
}

fn answer(format: AnswerFormat, names: Names) -> Form {
    match format {
        AnswerFormat::Text => Form::Answer(names),
        AnswerFormat::Json => Form::AnswerJson,
        AnswerFormat::Sarif => Form::AnswerSarif,
    }
}

impl From<SliceFormat> for Form {
    fn from(format: SliceFormat) -> Self {
        match format {
            SliceFormat::Text => Form::Slice,
            SliceFormat::Lines => Form::SliceLines,
            SliceFormat::Json => Form::SliceJson,
            SliceFormat::Sarif => Form::SliceSarif,
        }
    }
}

impl JobSlice {
    fn wish(&self) -> SliceWish {
        SliceWish {
            outwards: match self.next {
                Some(more) => Outwards::Waits(more),
                None => Outwards::Progress(self.classes),
            },
            options: self.shape.options(),
        }
    }
}

impl SliceShape {
    pub(crate) fn options(&self) -> SliceOptions {
        SliceOptions {
            messages: !self.no_mpi,
            enough: (!self.all).then_some(self.top),
        }
    }
}
