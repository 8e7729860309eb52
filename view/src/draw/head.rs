//! The first lines: who is the hindmost and why, or why nobody is named.

use super::edge;
use super::tree::cut;
use crate::state::ViewState;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use report::clean;

/// Who is the hindmost and why, or why nobody is named.
pub(super) fn headline(state: &ViewState) -> Vec<(String, Style)> {
    let job = &state.job;
    let mut lines = Vec::new();
    for one in &job.said.hindmost {
        lines.push((format!("Hindmost: {}", one.sentence), state.hindmost_style()));
        let behind = one.behind.iter().map(|behind| format!("  behind {behind}"));
        lines.extend(behind.map(|text| (text, Style::new())));
    }
    if let Some(reason) = &job.said.undecided {
        let text = format!("No hindmost is named: {reason}");
        lines.push((text, state.paint(Color::Yellow)));
    }
    if lines.is_empty() {
        let text = match (
            &job.tree.undecided,
            job.tree
                .nodes
                .iter()
                .find(|node| node.hindmost && node.children.is_empty()),
        ) {
            (Some(reason), _) => format!("No hindmost is named: {reason}"),
            (None, Some(node)) => format!(
                "Hindmost: {} at {}",
                edge(job, node, 40),
                node.temporal.as_deref().unwrap_or("T1")
            ),
            (None, None) => "No hindmost is among these".to_owned(),
        };
        let style = match job.tree.undecided {
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
