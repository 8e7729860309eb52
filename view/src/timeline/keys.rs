//! Keys, and what they do.

use super::filter::Filter;
use super::lane::LaneId;
use super::{Arrows, Asking, LEAST_SIGHT, Overlay, Pace, Rows, TimelineState};
use crate::keys::Key;

/// What the help says, in two columns.
pub(super) const HELP: [(&str, &str); 14] = [
    ("→ ←", "the cursor forth and back: stands still"),
    ("↓ ↑, Page", "next, previous line"),
    ("Home End", "the first moment kept; the newest: goes along"),
    ("Space", "stands still, goes along with what comes"),
    ("+ -", "less, more time in sight"),
    ("a", "all that is kept in sight"),
    ("c", "ranks in one call at the cursor are one line"),
    ("m", "messages: of the selected rank, all, none"),
    ("f", "only: 0-3,8 (ranks) Recv (calls) comm:3f (communicator)"),
    ("/", "search: recv, tag 7, rank 3"),
    ("n N", "next, previous hit"),
    ("g", "the moment of the hang"),
    ("?", "these keys"),
    ("q", "quit"),
];

impl TimelineState {
    /// Does what a key asks for.
    pub fn press(&mut self, key: Key) {
        self.message.clear();
        if self.overlay.take().is_some() {
            return;
        }
        match self.asking.take() {
            Some(asking) => self.type_in(asking, key),
            None => self.command(key),
        }
    }

    fn type_in(&mut self, mut asking: Asking, key: Key) {
        let (Asking::Search(text) | Asking::Filter(text)) = &mut asking;
        match key {
            Key::Enter => {
                let text = std::mem::take(text);
                match asking {
                    Asking::Search(_) => {
                        self.search = text.trim().to_lowercase();
                        self.next_hit(Direction::Forth);
                    }
                    Asking::Filter(_) => {
                        self.filter = Filter::read(&text);
                        (self.selected, self.top) = (0, 0);
                    }
                }
                return;
            }
            Key::Escape => return,
            Key::Backspace if text.is_empty() => return,
            Key::Backspace => drop(text.pop()),
            Key::Char(c) => text.push(c),
            _ => {}
        }
        self.asking = Some(asking);
    }

    fn command(&mut self, key: Key) {
        match key {
            Key::Left => self.move_cursor(-1),
            Key::Right => self.move_cursor(1),
            Key::Up => self.select(self.selected.saturating_sub(1)),
            Key::Down => self.select(self.selected.saturating_add(1)),
            Key::PageUp => self.select(self.selected.saturating_sub(self.rows_in_sight)),
            Key::PageDown => self.select(self.selected.saturating_add(self.rows_in_sight)),
            Key::Home => self.go_to(self.first()),
            Key::End => {
                self.pace = Pace::Follows;
                self.follow();
            }
            Key::Char(' ') => {
                self.pace = match self.pace {
                    Pace::Follows => Pace::Stands,
                    Pace::Stands => Pace::Follows,
                };
                self.follow();
            }
            Key::Char('+' | '=') => self.zoom(self.sight / 2),
            Key::Char('-') => self.zoom(self.sight.saturating_mul(2)),
            Key::Char('a') => {
                let cursor = self.cursor;
                self.show_whole();
                self.cursor = cursor.clamp(self.left(), self.right);
            }
            Key::Char('c') => {
                self.rows = match self.rows {
                    Rows::Ranks => Rows::Classes,
                    Rows::Classes => Rows::Ranks,
                };
                (self.selected, self.top) = (0, 0);
            }
            Key::Char('m') => {
                self.shown_arrows = match self.shown_arrows {
                    Arrows::OfSelected => Arrows::All,
                    Arrows::All => Arrows::None,
                    Arrows::None => Arrows::OfSelected,
                }
            }
            Key::Char('f') => self.asking = Some(Asking::Filter(self.filter.text.clone())),
            Key::Char('/') => self.asking = Some(Asking::Search(String::new())),
            Key::Char('n') => self.next_hit(Direction::Forth),
            Key::Char('N') => self.next_hit(Direction::Back),
            Key::Char('g') => match self.hang() {
                Some(hang) => self.go_to(hang),
                None => "nothing says that the job hangs".clone_into(&mut self.message),
            },
            Key::Char('?') => self.overlay = Some(Overlay::Help),
            Key::Char('q') | Key::Escape => self.done = true,
            Key::Enter | Key::Backspace | Key::Char(_) => "? shows the keys".clone_into(&mut self.message),
        }
    }

    /// One column.
    fn move_cursor(&mut self, by: i64) {
        let column = (self.sight / self.columns.max(1) as i64).max(1);
        let to = self.cursor.saturating_add(by.saturating_mul(column));
        self.go_to(to.clamp(self.first(), self.now));
    }

    /// Stands still, with the cursor at this moment.
    fn go_to(&mut self, time: i64) {
        self.pace = Pace::Stands;
        self.cursor = time;
        if time > self.right {
            self.right = time;
        } else if time < self.left() {
            self.right = time.saturating_add(self.sight);
        }
    }

    /// So much in sight, the cursor staying where it is on the screen.
    fn zoom(&mut self, sight: i64) {
        let sight = sight.clamp(LEAST_SIGHT, i64::MAX / 4);
        let behind = self.right.saturating_sub(self.cursor);
        // Of what is behind the cursor as much of the new sight as of the old one.
        let behind = (i128::from(behind) * i128::from(sight) / i128::from(self.sight.max(1))) as i64;
        self.sight = sight;
        if self.pace == Pace::Stands {
            self.right = self.cursor.saturating_add(behind);
        }
    }

    fn select(&mut self, row: usize) {
        self.selected = row.min(self.rows().len().saturating_sub(1));
    }

    /// Goes to the next event that fits, of a rank that is shown.
    fn next_hit(&mut self, direction: Direction) {
        let mut hits = Vec::new();
        for (id, lane) in &self.lanes {
            if !self.filter.shows(id.rank) {
                continue;
            }
            let fits = |time: i64| match direction {
                Direction::Forth => time > self.cursor,
                Direction::Back => time < self.cursor,
            };
            let is_hit = |text: &str| text.to_lowercase().contains(&self.search);
            let mut own = lane.events.iter().filter(|event| fits(event.time));
            let hit = |event: &&engine::timeline::Happening<'static>| is_hit(&report::event_words(event));
            let found = match direction {
                Direction::Forth => own.find(hit),
                Direction::Back => own.rfind(hit),
            };
            hits.extend(found.map(|event| (event.time, *id)));
        }
        let next = match direction {
            Direction::Forth => hits.into_iter().min(),
            Direction::Back => hits.into_iter().max(),
        };
        match next {
            Some((time, id)) => {
                self.go_to(time);
                self.select_lane(id);
            }
            None => self.message = format!("nothing more has '{}'", self.search),
        }
    }

    fn select_lane(&mut self, id: LaneId) {
        let rows = self.rows();
        let found = rows
            .iter()
            .position(|row| row.lane == id || row.ranks.contains(id.rank));
        if let Some(row) = found {
            self.selected = row;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forth,
    Back,
}
