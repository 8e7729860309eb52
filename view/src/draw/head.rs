//! The first lines: who is the hindmost and why, or why nobody is named.

use super::edge;
use super::tree::cut;
use crate::state::ViewState;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use report::{Names, clean, sentence_of_values};

/// Who is the hindmost and why, or why nobody is named.
pub(super) fn headline(state: &ViewState) -> Vec<(String, Style)> {
    let job = &state.job;
    let mut lines = Vec::new();
    if let Some(answer) = &job.answer {
        for hindmost in answer.hindmost.iter().take(2) {
            let function = Names::Short.of(&hindmost.function, hindmost.qualified.as_deref());
            let what = match (&hindmost.callee, &*hindmost.activity) {
                (Some(callee), "blocked") => format!("blocked in {callee} called from {function}"),
                (Some(callee), _) => format!("in {callee} called from {function}"),
                (None, _) => format!("computing in {function}"),
            };
            let values = hindmost
                .iteration
                .iter()
                .map(|each| format!("{}={}", each.variable, each.value));
            let values = sentence_of_values(&Vec::from_iter(values));
            let comma = if values.is_empty() { "" } else { ", " };
            let file = base::last_component(&hindmost.file);
            let text = format!(
                "Hindmost: {}, {what} at {file}:{}{comma}{values}",
                who(&hindmost.ranks, &hindmost.tasks),
                hindmost.line,
            );
            lines.push((text, state.hindmost_style()));
            for behind in hindmost
                .behind
                .iter()
                .take(if answer.hindmost.len() > 1 { 1 } else { 2 })
            {
                let tasks = answer.classes.get(behind.class).map(|class| &*class.tasks);
                let other = who(&behind.ranks, tasks.unwrap_or_default());
                let text = format!("  behind {other}: {}", behind.reason);
                lines.push((text, Style::new()));
            }
        }
        if let ([], Some(first)) = (&answer.hindmost[..], answer.undecided.first()) {
            let text = format!("No hindmost is named: {}", first.reason);
            lines.push((text, state.paint(Color::Yellow)));
        }
    }
    if lines.is_empty() {
        let text = match (
            &job.undecided,
            job.nodes
                .iter()
                .find(|node| node.said.hindmost && node.children.is_empty()),
        ) {
            (Some(reason), _) => format!("No hindmost is named: {reason}"),
            (None, Some(node)) => format!(
                "Hindmost: {} at {}",
                edge(job, node, 40),
                node.said.temporal.as_deref().unwrap_or("T1")
            ),
            (None, None) => "No hindmost is among these".to_owned(),
        };
        let style = match job.undecided {
            Some(_) => state.paint(Color::Yellow),
            None => state.hindmost_style(),
        };
        lines.push((text, style));
    }
    lines
}

/// Lines broken between words, and no more than so many.
pub(super) fn wrapped(lines: Vec<(String, Style)>, width: usize, most: usize) -> Vec<Line<'static>> {
    let mut out: Vec<Line<'static>> = Vec::new();
    for (text, style) in lines {
        let mut line = String::new();
        for word in clean(&text).split_inclusive(' ') {
            let whole = Span::raw(format!("{line}{}", word.trim_end())).width();
            if whole > width && !line.trim().is_empty() {
                out.push(Line::styled(std::mem::take(&mut line), style));
                line.push_str("    ");
            }
            line.push_str(word);
        }
        out.push(Line::styled(line, style));
    }
    if out.len() > most {
        out.truncate(most);
        if let Some(last) = out.last_mut() {
            last.spans = cut(std::mem::take(&mut last.spans), width.saturating_sub(1));
            last.spans.push(Span::styled("…", last.style));
        }
    }
    out
}

/// A list of ranks is cut: the tree has all.
fn who(ranks: &str, tasks: &[String]) -> String {
    const MOST: usize = 32;
    let whole = match ranks {
        "" => format!("task {}", tasks.join(", ")),
        ranks if ranks.contains([',', '-']) => format!("ranks {ranks}"),
        rank => format!("rank {rank}"),
    };
    match whole.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}
