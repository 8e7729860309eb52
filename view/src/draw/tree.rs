//! The lines of the tree that are in sight.

use super::edge;
use crate::rows::Row;
use crate::state::ViewState;
use engine::Mark;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use report::tree::{bare_name, color, own_ranks, place};
use report::{Names, clean};

pub(super) fn tree_lines(state: &ViewState, area: Rect) -> Vec<Line<'static>> {
    if state.rows.is_empty() {
        return vec![Line::raw("no call is left: u undoes, r shows all")];
    }
    let rows = state
        .rows
        .iter()
        .enumerate()
        .skip(state.top)
        .take(usize::from(area.height));
    let selected = state.at();
    rows.map(|(at, row)| {
        let line = tree_line(state, row, usize::from(area.width));
        if at == selected {
            line.patch_style(Modifier::REVERSED)
        } else {
            line
        }
    })
    .collect()
}

fn tree_line(state: &ViewState, row: &Row, width: usize) -> Line<'static> {
    let node = &state.job.tree.nodes[row.id];
    let head = &state.job.tree.nodes[row.ids[0]];
    let color = if state.colors {
        Style::new().fg(indexed(color(head)))
    } else {
        Style::new()
    };
    let mut spans = rails(state, row, color);
    // Of rounds that are folded the first one is written.
    let written = &row.ids[..row.rounds.map_or(row.ids.len(), |rounds| rounds.calls)];
    let names = written
        .iter()
        .map(|&id| bare_name(&state.job.tree.nodes[id], Names::Short));
    let name = clean(&names.collect::<Vec<_>>().join(" › ")).into_owned();
    let is_end = node.children.is_empty();
    let name_style = match (node.hindmost && is_end, head.mark) {
        (true, _) => state.hindmost_style(),
        (_, Mark::Unknown | Mark::Incomparable(_)) => state.paint(Color::Yellow).add_modifier(Modifier::BOLD),
        _ => Style::new().add_modifier(Modifier::BOLD),
    };
    let hit = row.ids.iter().any(|id| state.hits.contains(id));
    let name_style = if hit {
        name_style.add_modifier(Modifier::UNDERLINED)
    } else {
        name_style
    };
    spans.push(Span::styled(name, name_style));
    if let Some(temporal) = own_ranks(&state.job.tree, head) {
        spans.push(Span::styled(
            format!("@[{}]", clean(temporal)),
            state.paint(Color::Cyan),
        ));
    }
    let place = place(node);
    if !place.is_empty() {
        spans.push(Span::styled(format!(" {place}"), state.faint()));
    }
    for value in written.iter().flat_map(|&id| &state.job.tree.nodes[id].values) {
        spans.push(Span::styled(
            format!(" {}", report::tree::value(value)),
            state.paint(Color::Cyan),
        ));
    }
    if let Some(rounds) = row.rounds {
        spans.push(Span::styled(format!(" ×{}", rounds.times), state.faint()));
    }
    if node.hindmost && is_end {
        spans.push(Span::styled(" <- hindmost", state.hindmost_style()));
    } else if node.hindmost && row.has_more && !row.is_open {
        spans.push(Span::styled(" <- hindmost below", state.hindmost_style()));
    }
    let tasks = edge(&state.job, node, (width / 3).max(6));
    let tasks = Span::styled(tasks, state.faint());
    let room = width.saturating_sub(tasks.width() + 1);
    let mut spans = cut(spans, room);
    let used: usize = spans.iter().map(Span::width).sum();
    spans.push(Span::raw(" ".repeat((room + 1).saturating_sub(used))));
    spans.push(tasks);
    Line::from(spans)
}

/// The lines that lead down to a node. Deep in, they would leave no room: the outer ones are left out.
fn rails(state: &ViewState, row: &Row, color: Style) -> Vec<Span<'static>> {
    const MOST: usize = 16;
    let mut open = Vec::new();
    let mut parent = row.parent;
    while let Some(at) = parent
        && open.len() < MOST
    {
        open.push(!state.rows[at].is_last);
        parent = state.rows[at].parent;
    }
    open.reverse();
    let mut text = match row.level.saturating_sub(open.len()) {
        0 => String::new(),
        more => format!("({more}) "),
    };
    text.extend(open.iter().map(|&open| if open { "│ " } else { "  " }));
    let elbow = if row.is_last { "└" } else { "├" };
    let twist = match (row.has_more, row.is_open) {
        (true, true) => "▾ ",
        (true, false) => "▸ ",
        (false, _) => "─ ",
    };
    vec![
        Span::styled(text, state.faint()),
        Span::styled(format!("{elbow}{twist}"), color),
    ]
}

/// As much of a line as fits.
pub(super) fn cut(spans: Vec<Span<'static>>, room: usize) -> Vec<Span<'static>> {
    let mut used = 0;
    let mut kept = Vec::new();
    for span in spans {
        let width = span.width();
        if used + width <= room {
            used += width;
            kept.push(span);
            continue;
        }
        let mut text = String::new();
        for c in span.content.chars() {
            let wide = Span::raw(c.to_string()).width();
            if used + wide + 1 > room {
                break;
            }
            used += wide;
            text.push(c);
        }
        text.push('…');
        kept.push(Span::styled(text, span.style));
        break;
    }
    kept
}

/// The nearest of the 216 colours that most terminals have.
fn indexed(color: [u8; 3]) -> Color {
    let [red, green, blue] = color.map(|value| ((u16::from(value) * 5 + 127) / 255) as u8);
    Color::Indexed(16 + 36 * red + 6 * green + blue)
}
