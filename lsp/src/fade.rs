//! What is outside of a slice, so that it can fade.

use crate::desk::View;
use crate::facts::{SOURCE, Teller};
use crate::slices::Walked;
use lsp_types::{Diagnostic, DiagnosticSeverity, DiagnosticTag, NumberOrString, Range};
use progress_map::FileId;

impl Teller<'_> {
    /// Stretches of functions that are not in the slice.
    pub(crate) fn outside(&self, file: FileId, view: &View<'_>, slice: &Walked) -> Vec<Diagnostic> {
        let lines = view.lines();
        let functions = self.project.job.map.functions.iter();
        let mut diagnostics = Vec::new();
        for function in functions.filter(|function| function.file == file) {
            let (first, last) = (function.span.line, function.span.end_line);
            // Its frame stays, where something of it does.
            let touched = (first..=last).any(|line| slice.covers(file, line));
            let stays = |line: u32| slice.covers(file, line) || (touched && (line == first || line == last));
            let mut outside = Vec::new();
            for line in first..=last {
                let now = view.alignment.now(line).filter(|_| !stays(line));
                let text = now.and_then(|now| Some((now, *lines.get(now as usize - 1)?)));
                outside.extend(
                    text.filter(|(_, text)| !is_frame(text))
                        .map(|(now, text)| (line, now, text)),
                );
            }
            let frame = |line: u32| lines.get(line as usize - 1).is_some_and(|text| is_frame(text));
            let joined = |a: &(u32, u32, &str), b: &(u32, u32, &str)| b.1 > a.1 && (a.1 + 1..b.1).all(frame);
            for stretch in outside.chunk_by(joined) {
                if let (Some((_, start, text)), Some((_, end, last_text))) = (stretch.first(), stretch.last())
                {
                    diagnostics.push(Diagnostic {
                        range: Range {
                            start: self.encoding.rest_of_line(text, *start, None).start,
                            end: self.encoding.end_of_line(last_text, *end),
                        },
                        severity: Some(DiagnosticSeverity::HINT),
                        code: Some(NumberOrString::String("outside".to_owned())),
                        source: Some(SOURCE.to_owned()),
                        message: "not in the slice: without it, the task would be here all the same"
                            .to_owned(),
                        tags: Some(vec![DiagnosticTag::UNNECESSARY]),
                        ..Diagnostic::default()
                    });
                }
            }
        }
        diagnostics
    }
}

/// A line that neither fades nor parts what does: blank, or brackets alone.
fn is_frame(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || matches!(c, '{' | '}' | ';'))
}
