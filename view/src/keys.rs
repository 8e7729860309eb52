//! Keys, and what they do.

use crate::attach::{self, Debugger};
use crate::state::{Overlay, ViewState};

/// A key, whatever library read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the names on the keys")]
pub enum Key {
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
    Char(char),
}

/// What the help says, in two columns.
pub(crate) const HELP: [(&str, &str); 23] = [
    ("↓ ↑", "next, previous line"),
    ("→ ←", "open or go in, close or go out"),
    ("Page, Home, End", "a page on or back, first, last line"),
    ("Enter", "only the selected call, with the way to it"),
    ("p", "only its temporal class"),
    ("t", "only its tasks"),
    ("h", "hide it and what it calls"),
    ("l m", "least, most progress; again: the next one"),
    ("f g", "fewest, most tasks"),
    ("x s", "longest, shortest way"),
    ("c", "cut below MPI, Pthreads and OpenMP"),
    ("j", "join calls with the same tasks"),
    ("e E", "expand all, collapse"),
    ("/", "search: function, it=7, 0-10, /regex/"),
    ("n N", "next, previous hit"),
    ("d D", "scroll the panel below"),
    ("u U r", "undo; do again; reset: the whole tree"),
    ("H", "the steps that were taken"),
    ("a", "attach gdb, DDT or TotalView to its tasks"),
    ("click, wheel", "select (again: open, close); go on, back"),
    ("w", "warnings, and what is not known"),
    ("?", "these keys"),
    ("q", "quit"),
];

impl ViewState {
    /// Does what a key asks for.
    pub fn press(&mut self, key: Key) {
        self.message.clear();
        if let Some(overlay) = self.overlay.take() {
            if let (Overlay::Debuggers, Key::Char(key)) = (overlay, key) {
                self.start(key);
            }
            return;
        }
        match &mut self.asking {
            Some(_) => self.type_in(key),
            None => self.command(key),
        }
    }

    fn type_in(&mut self, key: Key) {
        let Some(text) = &mut self.asking else { return };
        match key {
            Key::Enter => {
                let text = std::mem::take(text);
                self.asking = None;
                if self.search(&text) {
                    self.next_hit(true);
                }
            }
            Key::Escape => self.asking = None,
            Key::Backspace if text.is_empty() => self.asking = None,
            Key::Backspace => drop(text.pop()),
            Key::Char(c) => text.push(c),
            _ => {}
        }
    }

    fn command(&mut self, key: Key) {
        match key {
            Key::Down => self.step(1),
            Key::Up => self.step(-1),
            Key::PageDown => self.step(self.page as isize),
            Key::PageUp => self.step(-(self.page as isize)),
            Key::Home => self.step(isize::MIN),
            Key::End => self.step(isize::MAX),
            Key::Right => self.go_in(),
            Key::Left => self.go_out(),
            Key::Enter => self.focus(),
            Key::Char(' ') => self.set_open(self.shown.selected, !self.is_open(self.shown.selected)),
            Key::Char('p') => self.focus_class(),
            Key::Char('t') => self.focus_tasks(),
            Key::Char('h') => self.hide(),
            Key::Char(walk @ ('l' | 'm' | 'f' | 'g' | 'x' | 's')) => self.walk(walk),
            Key::Char('c') => self.cut(),
            Key::Char('j') => self.change(|state| state.shown.joined = !state.shown.joined),
            Key::Char('e') => self.expand_all(),
            Key::Char('E') => self.collapse_all(),
            Key::Char('/') => self.asking = Some(String::new()),
            Key::Char('n') => self.next_hit(true),
            Key::Char('N') => self.next_hit(false),
            Key::Char('d') => self.scrolled += 1,
            Key::Char('D') => self.scrolled = self.scrolled.saturating_sub(1),
            Key::Char('u') => self.undo(),
            Key::Char('U') => self.redo(),
            Key::Char('H') => self.overlay = Some(Overlay::History),
            Key::Char('r') => self.reset(),
            Key::Char('a') => match self.debuggers() {
                Ok(_) => self.overlay = Some(Overlay::Debuggers),
                Err(why) => self.message = why,
            },
            Key::Char('?') => self.overlay = Some(Overlay::Help),
            Key::Char('w') => self.overlay = Some(Overlay::Notes),
            // Who leaves a search by one key too many does not want to leave the view.
            Key::Escape => self.message.clear(),
            Key::Char('q') => self.done = true,
            Key::Backspace | Key::Char(_) => self.message = "? shows the keys".to_owned(),
        }
    }

    pub(crate) fn debuggers(&self) -> Result<Vec<Debugger>, String> {
        attach::debuggers(&self.job, &self.job.tree.nodes[self.shown.selected])
    }

    fn start(&mut self, key: char) {
        let known = self.debuggers().unwrap_or_default();
        let chosen = known.into_iter().find(|debugger| debugger.key == key);
        self.command = chosen.map(|debugger| debugger.command);
    }

    fn step(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        let to = self.at().saturating_add_signed(by).min(last);
        if let Some(row) = self.rows.get(to) {
            self.shown.selected = row.id;
            self.scrolled = 0;
            self.scroll();
        }
    }

    fn go_in(&mut self) {
        let Some(row) = self.rows.get(self.at()) else {
            return;
        };
        match (row.has_more, row.is_open) {
            (true, false) => self.set_open(row.id, true),
            (true, true) => self.step(1),
            (false, _) => {}
        }
    }

    fn go_out(&mut self) {
        let Some(row) = self.rows.get(self.at()) else {
            return;
        };
        if row.has_more && row.is_open {
            self.set_open(row.id, false);
        } else if let Some(parent) = row.parent {
            self.select(self.rows[parent].id);
        }
    }
}
