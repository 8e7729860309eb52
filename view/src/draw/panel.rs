//! The panel: tasks, order and source of the selected call.

use super::edge;
use crate::state::ViewState;
use engine::{Mark, Relation};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};
use report::clean;

pub(super) fn draw(frame: &mut Frame<'_>, state: &ViewState, area: Rect) {
    let beside = area.height > area.width / 3;
    let parts = if beside {
        Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)])
    } else {
        Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)])
    };
    let [facts, source] = parts.areas(area);
    let border = |title: String| {
        Block::new()
            .borders(Borders::TOP)
            .border_style(state.faint())
            .title(title)
    };
    let node = &state.job.tree.nodes[state.shown.selected];
    let scrolled = u16::try_from(state.scrolled).unwrap_or(u16::MAX);
    let text = Paragraph::new(facts_of(state))
        .wrap(Wrap { trim: false })
        .scroll((scrolled, 0))
        .block(border(state.job.label(node)));
    frame.render_widget(text, facts);
    if let Some((title, lines)) = source_of(state, usize::from(source.height.saturating_sub(1))) {
        frame.render_widget(Paragraph::new(lines).block(border(title)), source);
    } else {
        frame.render_widget(border("no source of it is here".to_owned()), source);
    }
}

fn facts_of(state: &ViewState) -> Vec<Line<'static>> {
    let job = &state.job;
    let node = &job.tree.nodes[state.shown.selected];
    let mut lines = Vec::new();
    let mut fact = |name: &str, text: String| {
        if !text.is_empty() {
            lines.push(Line::from(vec![
                Span::styled(format!("{name} "), state.faint()),
                Span::raw(clean(&text).into_owned()),
            ]));
        }
    };
    let file = node.file.as_ref().map(|file| match node.line {
        Some(line) => format!("{file}:{line}"),
        None => file.clone(),
    });
    let module = node.module.as_ref().map(|module| match node.pc {
        Some(pc) => format!("{module}+{pc:#x}"),
        None => module.clone(),
    });
    fact("name", node.qualified.as_deref().unwrap_or_default().to_owned());
    fact(
        "at",
        [file, module].into_iter().flatten().collect::<Vec<_>>().join(" "),
    );
    fact("tasks", edge(job, node, 400));
    let waits = job.waits.get(&state.shown.selected).into_iter().flatten();
    waits.for_each(|wait| fact("and", wait.clone()));
    fact(
        "values",
        Vec::from_iter(node.values.iter().map(report::tree::value)).join(" "),
    );
    if node.points > 1 && node.children.is_empty() {
        fact("program points", node.points.to_string());
    }
    fact(
        "samples",
        Vec::from_iter(node.samples.iter().map(u64::to_string)).join(" "),
    );
    lines.extend(order_of(state));
    lines
}

/// How the selected call, or the nearest one above it that has siblings, stands to them, as the JSON says it.
fn order_of(state: &ViewState) -> Vec<Line<'static>> {
    let nodes = &state.job.tree.nodes;
    let mut branch = state.shown.selected;
    while branch > 0 && nodes[branch].mark == Mark::None {
        branch = nodes[branch].parent;
    }
    if branch == 0 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for &sibling in &nodes[nodes[branch].parent].children {
        for other in &nodes[sibling].siblings {
            if sibling != branch && other.node != branch {
                continue;
            }
            let relation = match other.relation {
                Relation::Before => "is behind",
                Relation::After => "is ahead of",
                Relation::Equal => "is as far as",
                Relation::Incomparable => "has no order with",
                Relation::Unknown => "has no known order with",
            };
            let [a, b] = [sibling, other.node].map(|id| state.job.label(&nodes[id]));
            lines.push(Line::from(format!(
                "{a} {relation} {b}: {}",
                clean(&other.reason)
            )));
        }
    }
    lines
}

/// The source of the selected call, or of the nearest one above it of which there is some: the line in the middle, marked.
fn source_of(state: &ViewState, height: usize) -> Option<(String, Vec<Line<'static>>)> {
    let nodes = &state.job.tree.nodes;
    let mut at = state.shown.selected;
    let (file, line, lines) = loop {
        let said = &nodes[at];
        if let (Some(file), Some(line)) = (&said.file, said.line)
            && let Some(lines) = state
                .job
                .sources
                .get(file)
                .filter(|lines| lines.contains_key(&line))
        {
            break (file, line, lines);
        }
        if at == 0 {
            return None;
        }
        at = nodes[at].parent;
    };
    let first = line.saturating_sub(u32::try_from(height / 2).unwrap_or(0));
    let is_hung = nodes[at].hindmost && at == state.shown.selected;
    let marked = if is_hung {
        state.hindmost_style()
    } else {
        state.paint(Color::Cyan).add_modifier(Modifier::BOLD)
    };
    let shown = lines.range(first..).take(height).map(|(&number, text)| {
        let text = text.split('\t').map(clean).collect::<Vec<_>>().join("    ");
        let mark = if number == line { '>' } else { ' ' };
        let style = if number == line { marked } else { Style::new() };
        Line::styled(format!("{mark}{number:5} {text}"), style)
    });
    Some((format!("{}:{line}", clean(file)), shown.collect()))
}
