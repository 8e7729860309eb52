//! The screen: what is said of the job, the time, a line for each rank, the sort's window over time, and the last events of the selected rank.

use super::keys::HELP;
use super::lane::{Kind, Lane};
use super::{Arrow, Arrows, Asking, Pace, Row, TimelineState};
use crate::draw::centred;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use report::clean;
use std::collections::BTreeMap;

/// Columns of the names in front of the lines.
const NAMES: u16 = 14;

/// Columns behind the lines that say what a rank is in, where there is room.
const STATES: u16 = 34;

/// From so many columns on there is.
const WIDE: u16 = 100;

/// Lines of events below.
const EVENTS: u16 = 6;

/// Heights of the sort's window.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Paints a state; how much has room is remembered in it.
pub fn draw_timeline(frame: &mut Frame<'_>, state: &mut TimelineState) {
    let area = frame.area();
    let events = if area.height > 3 * EVENTS { EVENTS } else { 0 };
    let parts = [
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(u16::from(!state.points.is_empty())),
        Constraint::Length(events),
        Constraint::Length(1),
    ];
    let [head, axis, middle, window, below, bottom] = Layout::vertical(parts).areas(area);
    let states = if area.width >= WIDE { STATES } else { 0 };
    let across = [
        Constraint::Length(NAMES),
        Constraint::Fill(1),
        Constraint::Length(states),
    ];
    let [names, lines, states] = Layout::horizontal(across).areas(middle);
    let rows = state.rows();
    state.selected = state.selected.min(rows.len().saturating_sub(1));
    state.rows_in_sight = usize::from(middle.height).max(1);
    state.columns = usize::from(lines.width).max(1);
    // The selected line is in sight.
    state.top = state.top.clamp(
        (state.selected + 1).saturating_sub(state.rows_in_sight),
        state.selected,
    );
    let state = &*state;
    let picture = Picture { state, lines };
    frame.render_widget(headline(state), head);
    picture.axis(frame.buffer_mut(), axis);
    let shown = rows.iter().skip(state.top).take(usize::from(middle.height));
    let shown = Vec::from_iter(shown);
    for (at, row) in shown.iter().enumerate() {
        let y = middle.y + at as u16;
        let style = if state.top + at == state.selected {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            Style::new()
        };
        let buffer = frame.buffer_mut();
        buffer.set_stringn(names.x, y, picture.name(row), usize::from(names.width) - 1, style);
        picture.row(buffer, row, y);
        buffer.set_stringn(
            states.x,
            y,
            picture.doing(row),
            usize::from(states.width),
            state.style_of(row),
        );
    }
    picture.arrows(frame.buffer_mut(), &shown);
    picture.cursor(frame.buffer_mut());
    picture.window(frame.buffer_mut(), window);
    frame.render_widget(Paragraph::new(last_events(state, &rows, below.height)), below);
    frame.render_widget(Paragraph::new(status(state, &rows, bottom.width)), bottom);
    if state.overlay.is_some() {
        help(frame, state, area);
    }
}

impl TimelineState {
    fn paint(&self, color: Color) -> Style {
        if self.colors {
            Style::new().fg(color)
        } else {
            Style::new()
        }
    }

    /// Ranks that are named stand out.
    fn style_of(&self, row: &Row) -> Style {
        if row.ranks.meets(&self.said.named) {
            self.paint(Color::Red).add_modifier(Modifier::BOLD)
        } else {
            Style::new()
        }
    }

    fn kind_style(&self, kind: Kind) -> Style {
        self.paint(match kind {
            Kind::Sends => Color::Green,
            Kind::Receives => Color::Yellow,
            Kind::Waits => Color::Magenta,
            Kind::Together => Color::Blue,
            Kind::Other => Color::Cyan,
        })
    }
}

fn headline(state: &TimelineState) -> Line<'static> {
    let said = clean(&state.said.headline).into_owned();
    if said.is_empty() {
        return Line::raw(format!("{} events of {} ranks", state.seen, state.lanes.len()));
    }
    let style = if state.said.named.is_empty() {
        Style::new()
    } else {
        state.paint(Color::Red).add_modifier(Modifier::BOLD)
    };
    Line::styled(said, style)
}

/// Where times and ranks stand on the screen.
struct Picture<'s> {
    state: &'s TimelineState,
    lines: Rect,
}

impl Picture<'_> {
    /// The stretch of time that a column stands for.
    fn column(&self, column: u16) -> (i64, i64) {
        let at = |column: u16| {
            let part =
                i128::from(self.state.sight) * i128::from(column) / i128::from(self.lines.width.max(1));
            self.state.left().saturating_add(part as i64)
        };
        // At least a nanosecond, so that no column is empty.
        (at(column), at(column + 1).max(at(column).saturating_add(1)))
    }

    /// The column of a moment that is in sight.
    fn place(&self, time: i64) -> Option<u16> {
        let (left, right) = (self.state.left(), self.state.right);
        if !(left..=right).contains(&time) || self.lines.width == 0 {
            return None;
        }
        let behind = i128::from(time.saturating_sub(left)) * i128::from(self.lines.width);
        let column = (behind / i128::from(self.state.sight.max(1))) as u16;
        Some(column.min(self.lines.width - 1))
    }

    fn axis(&self, buffer: &mut Buffer, area: Rect) {
        let state = self.state;
        let begun = state.begun.unwrap_or(0);
        let seconds = |time: i64| time.saturating_sub(begun) as f64 / 1e9;
        let faint = Style::new().add_modifier(Modifier::DIM);
        let digits = if state.sight < 100_000_000 { 6 } else { 3 };
        let text = format!("{:.digits$} s", seconds(state.left()));
        buffer.set_stringn(self.lines.x, area.y, &text, usize::from(self.lines.width), faint);
        let text = format!("{:.digits$} s", seconds(state.right));
        let at = self
            .lines
            .right()
            .saturating_sub(text.len() as u16)
            .max(self.lines.x);
        buffer.set_stringn(at, area.y, &text, usize::from(self.lines.width), faint);
        if let Some(column) = self.place(state.cursor) {
            let time = format!("{:.digits$} s", seconds(state.cursor));
            let (room, needed) = (self.lines.width - column, time.len() as u16 + 1);
            // Where there is no room behind the mark, the time stands before it.
            let (at, text) = if needed <= room {
                (column, format!("▾{time}"))
            } else {
                ((column + 1).saturating_sub(needed), format!("{time}▾"))
            };
            let most = usize::from(self.lines.width - at);
            buffer.set_stringn(self.lines.x + at, area.y, text, most, Style::new());
        }
        if let Some(column) = state.hang().and_then(|hang| self.place(hang)) {
            let style = state.paint(Color::Red).add_modifier(Modifier::BOLD);
            buffer.set_stringn(self.lines.x + column, area.y, "!", 1, style);
        }
    }

    fn name(&self, row: &Row) -> String {
        match row.ranks.len() {
            1 if row.lane.thread > 0 => format!("{} thread {}", row.lane.rank, row.lane.thread),
            1 => format!("rank {}", row.lane.rank),
            many => format!("{many}: {}", row.ranks.brief()),
        }
    }

    fn row(&self, buffer: &mut Buffer, row: &Row, y: u16) {
        let Some(lane) = self.state.lanes.get(&row.lane) else {
            return;
        };
        let first = lane.first().unwrap_or(i64::MAX);
        let shows = |call: &super::lane::Call| self.state.filter.shows_call(call);
        for column in 0..self.lines.width {
            let (from, to) = self.column(column);
            if to <= first || from > self.state.now {
                continue;
            }
            let (symbol, style) = match lane.mostly(from, to.min(self.state.now.saturating_add(1)), &shows) {
                Some(kind) => (Kind::ALL[kind as usize].1, self.state.kind_style(kind)),
                None => ('·', Style::new().add_modifier(Modifier::DIM)),
            };
            set(buffer, self.lines.x + column, y, symbol, style);
        }
    }

    /// What a line is in at the cursor, and for whom it waits.
    fn doing(&self, row: &Row) -> String {
        let lane = self.state.lanes.get(&row.lane);
        let call = lane.and_then(|lane| lane.at(self.state.cursor));
        let Some(call) = call else { return String::new() };
        let lasted = self.state.cursor.saturating_sub(call.begun) as f64 / 1e9;
        let is_newest =
            call.ended.is_none() && self.state.cursor >= self.state.hang().unwrap_or(self.state.now);
        let waits = self.state.said.waits.get(&row.lane.rank).filter(|_| is_newest);
        let waits = waits.map_or(String::new(), |on| format!(" for {}", on.brief()));
        format!("{}{} {lasted:.3} s", clean(&call.name), waits)
    }

    /// Messages, from the line of the sender to that of the receiver: at the moments of both ends, and in the column between them where there is room.
    fn arrows(&self, buffer: &mut Buffer, shown: &[&Row]) {
        if self.state.shown_arrows == Arrows::None {
            return;
        }
        // There may be thousands of messages of a rank in sight: it is looked for once.
        let mut lines: BTreeMap<u32, Option<usize>> = BTreeMap::new();
        let mut line = |rank: u32| {
            let find = || shown.iter().position(|row| row.ranks.contains(rank));
            *lines.entry(rank).or_insert_with(find)
        };
        let selected = self.state.selected.checked_sub(self.state.top);
        let (left, right) = (self.state.left(), self.state.right);
        for Arrow { from, to } in &self.state.arrows {
            if to.1 < left || from.1 > right {
                continue;
            }
            let (Some(above), Some(below)) = (line(from.0), line(to.0)) else {
                continue;
            };
            let is_selected = selected == Some(above) || selected == Some(below);
            if above == below || self.state.shown_arrows == Arrows::OfSelected && !is_selected {
                continue;
            }
            let style = Style::new().add_modifier(Modifier::BOLD);
            if let Some(column) = self.place(from.1) {
                set(
                    buffer,
                    self.lines.x + column,
                    self.lines.y + above as u16,
                    '○',
                    style,
                );
            }
            let Some(column) = self.place(to.1) else { continue };
            let x = self.lines.x + column;
            for between in above.min(below) + 1..above.max(below) {
                set(buffer, x, self.lines.y + between as u16, '│', style);
            }
            let head = if above < below { '▼' } else { '▲' };
            set(buffer, x, self.lines.y + below as u16, head, style);
        }
    }

    fn cursor(&self, buffer: &mut Buffer) {
        let Some(column) = self.place(self.state.cursor) else {
            return;
        };
        for y in self.lines.top()..self.lines.bottom() {
            if let Some(cell) = buffer.cell_mut((self.lines.x + column, y)) {
                cell.modifier.insert(Modifier::UNDERLINED);
            }
        }
    }

    /// How many events the sort remembered: the asynchrony of the job (the paper's Figure 3).
    fn window(&self, buffer: &mut Buffer, area: Rect) {
        if area.height == 0 {
            return;
        }
        let points = &self.state.points;
        let most = points.iter().map(|point| point.events).max().unwrap_or(0).max(1);
        let faint = Style::new().add_modifier(Modifier::DIM);
        buffer.set_stringn(
            area.x,
            area.y,
            format!("window ≤{most}"),
            usize::from(NAMES) - 1,
            faint,
        );
        for column in 0..self.lines.width {
            let (from, to) = self.column(column);
            let first = points.partition_point(|point| point.time < from);
            // What was last measured holds until it is measured again.
            let behind = points.partition_point(|point| point.time < to);
            let own = points.range(first.saturating_sub(1).min(behind)..behind);
            let Some(point) = own
                .max_by_key(|point| point.events)
                .filter(|_| from <= self.state.now)
            else {
                continue;
            };
            let height = |many: usize| (many * (BARS.len() - 1)).div_ceil(most).min(BARS.len() - 1);
            let style = if point.held > 0 {
                self.state.paint(Color::Yellow)
            } else {
                Style::new()
            };
            set(
                buffer,
                self.lines.x + column,
                area.y,
                BARS[height(point.events)],
                style,
            );
        }
        if let Some(last) = points.back() {
            let text = format!(" {} events, {} held", last.events, last.held);
            buffer.set_stringn(
                self.lines.right(),
                area.y,
                text,
                usize::from(area.right() - self.lines.right()),
                faint,
            );
        }
    }
}

fn set(buffer: &mut Buffer, x: u16, y: u16, symbol: char, style: Style) {
    if let Some(cell) = buffer.cell_mut((x, y)) {
        cell.set_char(symbol).set_style(style);
    }
}

fn last_events(state: &TimelineState, rows: &[Row], most: u16) -> Vec<Line<'static>> {
    let lane: Option<&Lane> = rows
        .get(state.selected)
        .and_then(|row| state.lanes.get(&row.lane));
    let begun = state.begun.unwrap_or(0);
    let events = lane
        .into_iter()
        .flat_map(|lane| lane.before(state.cursor, usize::from(most)));
    events
        .map(|event| {
            let seconds = event.time.saturating_sub(begun) as f64 / 1e9;
            Line::raw(format!("{seconds:>14.6} s  {}", report::event_words(event)))
        })
        .collect()
}

fn status(state: &TimelineState, rows: &[Row], width: u16) -> Line<'static> {
    match &state.asking {
        Some(Asking::Search(text)) => return Line::raw(format!("/{}▏", clean(text))),
        Some(Asking::Filter(text)) => {
            let here = communicator_here(state, rows).unwrap_or_default();
            return Line::raw(format!("only: {}▏{here}", clean(text)));
        }
        None => {}
    }
    if !state.message.is_empty() {
        return Line::styled(clean(&state.message).into_owned(), state.paint(Color::Yellow));
    }
    let pace = match state.pace {
        Pace::Follows => "goes along",
        Pace::Stands => "stands still",
    };
    let mut left = format!("{pace}  ? keys  q quit");
    if !state.filter.text.is_empty() {
        left.push_str(&format!("  only: {}", clean(&state.filter.text)));
    }
    let lost = if state.lost > 0 {
        format!(", {} lost", state.lost)
    } else {
        String::new()
    };
    let right = format!(
        "{}/{} lines, {} events{lost}",
        state.selected + 1,
        rows.len(),
        state.seen
    );
    let gap = usize::from(width)
        .saturating_sub(left.chars().count() + right.len())
        .max(1);
    Line::styled(
        format!("{left}{}{right}", " ".repeat(gap)),
        Style::new().add_modifier(Modifier::DIM),
    )
}

/// How a filter names the communicator of the call that the selected line is in at the cursor: nobody knows its identity by heart.
fn communicator_here(state: &TimelineState, rows: &[Row]) -> Option<String> {
    let lane = state.lanes.get(&rows.get(state.selected)?.lane)?;
    let identity = format!("{:016x}", lane.at(state.cursor)?.communicator?);
    Some(format!("   (the selected call's is comm:{})", &identity[..6]))
}

fn help(frame: &mut Frame<'_>, state: &TimelineState, area: Rect) {
    let keys = HELP.iter().map(|(keys, meaning)| {
        Line::from(vec![
            Span::styled(format!(" {keys:12}"), state.paint(Color::Cyan)),
            Span::raw(*meaning),
        ])
    });
    let kinds = Kind::ALL.iter().flat_map(|(kind, letter, words)| {
        [
            Span::styled(format!(" {letter}"), state.kind_style(*kind)),
            Span::raw(format!(" {words} ")),
        ]
    });
    let lines = Vec::from_iter(keys.chain([Line::from(Vec::from_iter(kinds))]));
    let (width, height) = (area.width.min(76), area.height.min(lines.len() as u16 + 2));
    let place = centred(area, width, height);
    frame.render_widget(Clear, place);
    frame.render_widget(
        Paragraph::new(lines).block(Block::bordered().title("Keys")),
        place,
    );
}
