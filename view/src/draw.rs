//! The screen: the answer above, the tree, below (or beside) it what is known of the selected call and its source.

mod panel;

use crate::job::Job;
use crate::keys::HELP;
use crate::rows::Row;
use crate::state::{Overlay, State};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use report::clean;

/// From so many columns on the panel stands beside the tree.
const WIDE: u16 = 120;

/// Paints a state; how much has room is remembered in it, for paging.
pub fn draw(frame: &mut Frame<'_>, state: &mut State) {
    let area = frame.area();
    let most = usize::from(area.height / 4).max(1);
    let head = wrapped(headline(state), usize::from(area.width), most);
    let filters = u16::from(!state.filters.is_empty());
    let head_lines = u16::try_from(head.len()).unwrap_or(1);
    let [top, chips, middle, bottom] = Layout::vertical([
        Constraint::Length(head_lines),
        Constraint::Length(filters),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(head), top);
    let names: Vec<String> = state
        .filters
        .iter()
        .map(|filter| format!("[{}]", clean(&filter.name)))
        .collect();
    frame.render_widget(
        Paragraph::new(names.join(" ")).style(state.paint(Color::Cyan)),
        chips,
    );

    let (tree, panel) = parts(middle);
    state.page = usize::from(tree.height).max(1);
    state.scroll();
    frame.render_widget(Paragraph::new(tree_lines(state, tree)), tree);
    if let Some(panel) = panel {
        panel::draw(frame, state, panel);
    }
    frame.render_widget(Paragraph::new(status(state, bottom.width)), bottom);
    match state.overlay {
        Some(Overlay::Help) => {
            let lines = HELP.iter().map(|(keys, meaning)| {
                Line::from(vec![
                    Span::styled(format!(" {keys:16}"), state.paint(Color::Cyan)),
                    Span::raw(*meaning),
                ])
            });
            overlay(frame, area, "Keys", lines.collect());
        }
        Some(Overlay::Notes) => overlay(frame, area, "What is not known", notes(state)),
        None => {}
    }
}

/// Where the tree and the panel stand; a small screen has the tree alone.
fn parts(middle: Rect) -> (Rect, Option<Rect>) {
    if middle.width >= WIDE {
        let [tree, panel] = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)])
            .spacing(1)
            .areas(middle);
        return (tree, Some(panel));
    }
    if middle.height < 10 {
        return (middle, None);
    }
    let [tree, panel] = Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(middle);
    (tree, Some(panel))
}

impl State {
    pub(crate) fn paint(&self, color: Color) -> Style {
        match self.colors {
            true => Style::new().fg(color),
            false => Style::new(),
        }
    }

    pub(crate) fn hindmost_style(&self) -> Style {
        self.paint(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn faint(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }
}

/// Who is the hindmost and why, or why nobody is named.
fn headline(state: &State) -> Vec<(String, Style)> {
    let job = &state.job;
    let mut lines = Vec::new();
    if let Some(answer) = &job.answer {
        for hindmost in answer.hindmost.iter().take(2) {
            let what = match (&hindmost.callee, hindmost.activity.as_str()) {
                (Some(callee), "blocked") => format!("blocked in {callee} called from {}", hindmost.function),
                (Some(callee), _) => format!("in {callee} called from {}", hindmost.function),
                (None, _) => format!("computing in {}", hindmost.function),
            };
            let values = hindmost
                .iteration
                .iter()
                .map(|each| format!(", {}={}", each.variable, each.value));
            let file = hindmost.file.rsplit('/').next().unwrap_or_default();
            let text = format!(
                "Hindmost: {}, {what} at {file}:{}{}",
                who(&hindmost.ranks, &hindmost.tasks),
                hindmost.line,
                values.collect::<String>()
            );
            lines.push((text, state.hindmost_style()));
            for behind in hindmost
                .behind
                .iter()
                .take(if answer.hindmost.len() > 1 { 1 } else { 2 })
            {
                let text = format!("  behind {}: {}", who(&behind.ranks, &[]), behind.reason);
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
fn wrapped(lines: Vec<(String, Style)>, width: usize, most: usize) -> Vec<Line<'static>> {
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

/// The tasks of a node as STAT labels the edge to it.
pub(crate) fn edge(job: &Job, node: &crate::job::Node, width: usize) -> String {
    let said = &node.said;
    // Of several samples each has stacks of its own.
    let threads = match said.stacks > said.count && said.samples.is_empty() {
        true => format!("({})", said.stacks),
        false => String::new(),
    };
    format!("{}{threads}:[{}]", said.count, clean(&job.members(node, width)))
}

fn tree_lines(state: &State, area: Rect) -> Vec<Line<'static>> {
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
        match at == selected {
            true => line.patch_style(Modifier::REVERSED),
            false => line,
        }
    })
    .collect()
}

fn tree_line(state: &State, row: &Row, width: usize) -> Line<'static> {
    let node = &state.job.nodes[row.id];
    let head = &state.job.nodes[row.ids[0]];
    let color = match state.colors {
        true => Style::new().fg(indexed(&head.said.color)),
        false => Style::new(),
    };
    let mut spans = rails(state, row, color);
    let names = row.ids.iter().map(|&id| bare(&state.job.nodes[id].said));
    let name = clean(&names.collect::<Vec<_>>().join(" › ")).into_owned();
    let is_end = node.children.is_empty();
    let name_style = match (node.said.hindmost && is_end, head.said.mark.as_str()) {
        (true, _) => state.hindmost_style(),
        (_, "unknown" | "incomparable") => state.paint(Color::Yellow).add_modifier(Modifier::BOLD),
        _ => Style::new().add_modifier(Modifier::BOLD),
    };
    let hit = row.ids.iter().any(|id| state.hits.contains(id));
    let name_style = match hit {
        true => name_style.add_modifier(Modifier::UNDERLINED),
        false => name_style,
    };
    spans.push(Span::styled(name, name_style));
    if let Some(temporal) = head
        .said
        .temporal
        .as_deref()
        .filter(|temporal| has_own(&head.said, temporal))
    {
        spans.push(Span::styled(
            format!("@[{}]", clean(temporal)),
            state.paint(Color::Cyan),
        ));
    }
    let place = node.place();
    if !place.is_empty() {
        spans.push(Span::styled(format!(" {}", clean(&place)), state.faint()));
    }
    for value in row.ids.iter().flat_map(|&id| &state.job.nodes[id].said.values) {
        spans.push(Span::styled(
            format!(" {}", clean(&value.to_string())),
            state.paint(Color::Cyan),
        ));
    }
    if node.said.hindmost && is_end {
        spans.push(Span::styled(" <- hindmost", state.hindmost_style()));
    } else if node.said.hindmost && row.has_more && !row.is_open {
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
fn rails(state: &State, row: &Row, color: Style) -> Vec<Span<'static>> {
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

/// Whether a node's temporal rank is new at it, as its label tells.
fn has_own(said: &crate::job::NodeIn, temporal: &str) -> bool {
    said.label.ends_with(&format!("@[{temporal}]"))
}

/// The label without its temporal ranks.
fn bare(said: &crate::job::NodeIn) -> String {
    let ending = said.temporal.as_ref().map(|temporal| format!("@[{temporal}]"));
    let label = ending.and_then(|ending| said.label.strip_suffix(ending.as_str()));
    label.unwrap_or(&said.label).to_owned()
}

/// As much of a line as fits.
fn cut(spans: Vec<Span<'static>>, room: usize) -> Vec<Span<'static>> {
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
fn indexed(color: &str) -> Color {
    let channel = |at: usize| {
        color
            .get(at..at + 2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
    };
    let level = |value: u8| ((u16::from(value) * 5 + 127) / 255) as u8;
    match (channel(1), channel(3), channel(5)) {
        (Some(red), Some(green), Some(blue)) => {
            Color::Indexed(16 + 36 * level(red) + 6 * level(green) + level(blue))
        }
        _ => Color::Reset,
    }
}

fn status(state: &State, width: u16) -> Line<'static> {
    if let Some(text) = &state.asking {
        return Line::raw(format!("/{}▏", clean(text)));
    }
    if !state.message.is_empty() {
        return Line::styled(clean(&state.message).into_owned(), state.paint(Color::Yellow));
    }
    let keys = "arrows move  Enter only this  / search  u undo  ? keys  q quit";
    let where_ = format!("{}/{}", state.at() + 1, state.rows.len());
    let gap = usize::from(width)
        .saturating_sub(keys.len() + where_.len())
        .max(1);
    Line::styled(format!("{keys}{}{where_}", " ".repeat(gap)), state.faint())
}

fn notes(state: &State) -> Vec<Line<'static>> {
    let job = &state.job;
    let of_answer = job.answer.iter().flat_map(|answer| &answer.warnings);
    let mut lines: Vec<String> = job
        .undecided
        .iter()
        .map(|reason| format!("No hindmost is named: {reason}"))
        .collect();
    lines.extend(of_answer.map(|warning| format!("Warning: {warning}")));
    for warning in job.warnings.iter().map(|warning| format!("Warning: {warning}")) {
        if !lines.contains(&warning) {
            lines.push(warning);
        }
    }
    for node in &job.nodes {
        let what = match node.said.kind.as_str() {
            "unreadable" if node.depth == 1 => {
                format!("Not read: {}: {}", edge(job, node, 40), node.said.function)
            }
            "missing" => format!("Missing: {}", edge(job, node, 40)),
            _ => continue,
        };
        lines.push(what);
    }
    if lines.is_empty() {
        lines.push("There is nothing to be warned of.".to_owned());
    }
    lines
        .into_iter()
        .map(|line| Line::raw(clean(&line).into_owned()))
        .collect()
}

fn overlay(frame: &mut Frame<'_>, area: Rect, title: &'static str, lines: Vec<Line<'static>>) {
    let width = area.width.min(72);
    let wrapped = Paragraph::new(lines).wrap(Wrap { trim: false });
    let height = area.height.min(24);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, place);
    frame.render_widget(wrapped.block(Block::bordered().title(title)), place);
}
