//! The screen: the answer above, the tree, below (or beside) it what is known of the selected call and its source.

mod head;
mod panel;
mod tree;

use crate::job::Job;
use crate::keys::HELP;
use crate::state::{Overlay, ViewState};
use base::shell_word;
use engine::{NodeKind, TreeNode};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use report::clean;

/// What stands in front of the tree takes no more lines than this.
const OVERLAY_LINES: u16 = 24;

/// From so many columns on the panel stands beside the tree.
const WIDE: u16 = 120;

/// Paints a state; how much has room is remembered in it, for paging.
pub fn draw(frame: &mut Frame<'_>, state: &mut ViewState) {
    let area = frame.area();
    let most = usize::from(area.height / 4).max(1);
    let head = head::wrapped(head::headline(state), usize::from(area.width), most);
    let filters = u16::from(!state.shown.filters.is_empty());
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
        .shown
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
    state.tree_area = tree;
    state.scroll();
    frame.render_widget(Paragraph::new(tree::tree_lines(state, tree)), tree);
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
        Some(Overlay::History) => overlay(frame, area, "Steps", steps(state)),
        Some(Overlay::Debuggers) => overlay(
            frame,
            area,
            "A key starts it; any other goes back",
            debuggers(state),
        ),
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

impl ViewState {
    pub(crate) fn paint(&self, color: Color) -> Style {
        if self.colors {
            Style::new().fg(color)
        } else {
            Style::new()
        }
    }

    pub(crate) fn hindmost_style(&self) -> Style {
        self.paint(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn faint(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }
}

/// The tasks of a node as STAT labels the edge to it.
pub(crate) fn edge(job: &Job, node: &TreeNode, width: usize) -> String {
    let count = node.tasks.len();
    // Of several samples each has stacks of its own.
    let threads = if node.stacks > count && node.samples.is_empty() {
        format!("({})", node.stacks)
    } else {
        String::new()
    };
    format!("{count}{threads}:[{}]", clean(&job.members(node, width)))
}

fn status(state: &ViewState, width: u16) -> Line<'static> {
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

fn notes(state: &ViewState) -> Vec<Line<'static>> {
    let job = &state.job;
    let of_answer = job.said.warnings.iter();
    let mut lines: Vec<String> = job
        .tree
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
    for node in &job.tree.nodes {
        let what = match node.kind {
            NodeKind::Unreadable if node.depth == 1 => {
                format!("Not read: {}: {}", edge(job, node, 40), node.function)
            }
            NodeKind::Missing => format!("Missing: {}", edge(job, node, 40)),
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

/// The last steps that fit, and behind them those that were taken back.
fn steps(state: &ViewState) -> Vec<Line<'static>> {
    let (steps, taken) = state.history.steps();
    if steps.is_empty() {
        return vec![Line::raw("The whole tree is shown, as at the start.")];
    }
    let line = |(at, what): (usize, &str)| {
        let text = format!("{:3}  {}", at + 1, clean(what));
        if at < taken {
            Line::raw(text)
        } else {
            Line::styled(format!("{text} (taken back)"), state.faint())
        }
    };
    let all: Vec<Line<'static>> = steps.into_iter().enumerate().map(line).collect();
    // The border takes two lines of the overlay's.
    let first = taken
        .saturating_sub(usize::from(OVERLAY_LINES) - 4)
        .min(all.len());
    all.into_iter().skip(first).collect()
}

/// What would be started, by which key.
fn debuggers(state: &ViewState) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let host = state
        .job
        .processes
        .as_ref()
        .map_or("", |processes| &processes.host);
    if !host.is_empty() {
        lines.push(Line::styled(format!("on {}:", clean(host)), state.faint()));
    }
    for debugger in state.debuggers().unwrap_or_default() {
        let words = debugger.command.iter().map(|word| shell_word(word).into_owned());
        let text = Vec::from_iter(words).join(" ");
        lines.push(Line::from(vec![
            Span::styled(format!(" {}  ", debugger.key), state.paint(Color::Cyan)),
            Span::raw(clean(&text).into_owned()),
        ]));
    }
    lines
}

fn overlay(frame: &mut Frame<'_>, area: Rect, title: &'static str, lines: Vec<Line<'static>>) {
    let width = area.width.min(72);
    let wrapped = Paragraph::new(lines).wrap(Wrap { trim: false });
    let height = area.height.min(OVERLAY_LINES);
    let place = centred(area, width, height);
    frame.render_widget(Clear, place);
    frame.render_widget(wrapped.block(Block::bordered().title(title)), place);
}

/// The middle of an area that is at least so large.
pub(crate) fn centred(area: Rect, width: u16, height: u16) -> Rect {
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}
