//! What a user has made of a job: what is collapsed, filtered and selected, and the way back.

use crate::history::{History, Shown};
use crate::job::Job;
use crate::rows::{Row, rows};
use engine::NodeKind;
use ratatui::layout::{Position, Rect};

/// A job as it is looked at.
#[derive(Clone, Debug)]
pub struct ViewState {
    pub(crate) job: Job,
    /// Nodes that are the entry to MPI, threads or OpenMP.
    pub(crate) entries: Vec<bool>,
    pub(crate) shown: Shown,
    pub(crate) rows: Vec<Row>,
    pub(crate) history: History,
    /// What is being typed after `/`.
    pub(crate) asking: Option<String>,
    pub(crate) hits: Vec<usize>,
    pub(crate) hit: Option<usize>,
    pub(crate) overlay: Option<Overlay>,
    /// Said at the bottom until the next key.
    pub(crate) message: String,
    /// The first line of the tree that is in sight, and how many are.
    pub(crate) top: usize,
    pub(crate) page: usize,
    /// Where the tree was painted, for the mouse.
    pub(crate) tree_area: Rect,
    /// How far the panel below is scrolled.
    pub(crate) scrolled: usize,
    pub(crate) walked: Option<(char, usize)>,
    /// Colours are wanted.
    pub(crate) colors: bool,
    pub(crate) done: bool,
    /// A debugger that the user wants to be started.
    pub(crate) command: Option<Vec<String>>,
}

/// What stands in front of the tree until the next key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The keys.
    Help,
    /// Warnings, and what is not known.
    Notes,
    /// The steps that were taken, and those that were taken back.
    History,
    /// Debuggers for the tasks of the selected call.
    Debuggers,
}

/// Something that is not shown.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    /// Filters of one kind take each other's place.
    pub(crate) kind: String,
    pub(crate) name: String,
    /// By node.
    pub(crate) keep: Vec<bool>,
}

impl ViewState {
    /// All of a job, the hindmost selected. `is_entry` says which functions are the entry to MPI and the like.
    pub fn new(job: Job, colors: bool, is_entry: &dyn Fn(&str) -> bool) -> Self {
        let entries = job
            .tree
            .nodes
            .iter()
            .map(|node| node.kind == NodeKind::Frame && is_entry(&node.function))
            .collect();
        let ends = |id: &usize| job.tree.nodes[*id].hindmost && job.tree.nodes[*id].children.is_empty();
        let selected = (1..job.tree.nodes.len())
            .find(ends)
            .unwrap_or(usize::from(job.tree.nodes.len() > 1));
        let mut state = Self {
            job,
            entries,
            shown: Shown {
                selected,
                ..Shown::default()
            },
            rows: Vec::new(),
            history: History::default(),
            asking: None,
            hits: Vec::new(),
            hit: None,
            overlay: None,
            message: String::new(),
            top: 0,
            // Until it is drawn for the first time all of it is in sight.
            page: 1000,
            tree_area: Rect::default(),
            scrolled: 0,
            walked: None,
            colors,
            done: false,
            command: None,
        };
        state.refresh();
        state
    }

    /// A program that the user wants to be started now, with its arguments.
    pub fn take_command(&mut self) -> Option<Vec<String>> {
        self.command.take()
    }

    /// The user has had enough.
    pub fn is_done(&self) -> bool {
        self.done
    }

    pub(crate) fn keeps(&self, id: usize) -> bool {
        self.shown.filters.iter().all(|filter| filter.keep[id])
    }

    pub(crate) fn is_open(&self, id: usize) -> bool {
        !self.shown.closed.contains(&id)
    }

    /// The line of the selected node.
    pub(crate) fn at(&self) -> usize {
        self.row_of(self.shown.selected).unwrap_or(0)
    }

    pub(crate) fn row_of(&self, id: usize) -> Option<usize> {
        self.rows.iter().position(|row| row.ids.contains(&id))
    }

    /// Changes what is shown, and remembers how it was.
    pub(crate) fn change(&mut self, how: impl FnOnce(&mut Self)) {
        let before = self.shown.clone();
        how(self);
        self.history.step(before, &self.shown);
        self.refresh();
    }

    pub(crate) fn undo(&mut self) {
        match self.history.back(&self.shown) {
            Some((before, what)) => {
                self.shown = before;
                self.refresh();
                self.message = format!("undone: {what}");
            }
            None => self.message = "nothing to undo".to_owned(),
        }
    }

    pub(crate) fn redo(&mut self) {
        match self.history.forth(&self.shown) {
            Some((behind, what)) => {
                self.shown = behind;
                self.refresh();
                self.message = format!("done again: {what}");
            }
            None => self.message = "nothing to do again".to_owned(),
        }
    }

    /// Selects the line of the tree at this place of the screen; if it is selected, opens or closes it.
    pub fn click(&mut self, column: u16, line: u16) {
        self.message.clear();
        if self.overlay.take().is_some() || !self.tree_area.contains(Position::new(column, line)) {
            return;
        }
        let at = self.top + usize::from(line - self.tree_area.y);
        let Some(row) = self.rows.get(at) else {
            return;
        };
        let id = row.id;
        if id == self.shown.selected {
            self.set_open(id, !self.is_open(id));
        } else {
            self.select(id);
        }
    }

    pub(crate) fn reset(&mut self) {
        self.change(|state| {
            state.shown.filters.clear();
            state.shown.closed.clear();
            state.shown.joined = false;
        });
    }

    /// Shows only some nodes, unless that were none.
    pub(crate) fn only(&mut self, kind: &str, name: String, keep: Vec<bool>) {
        if !keep.iter().skip(1).any(|&kept| kept) {
            self.message = format!("nothing is {name}");
            return;
        }
        self.change(|state| {
            state.shown.filters.retain(|filter| filter.kind != kind);
            state.shown.filters.push(Filter {
                kind: kind.to_owned(),
                name,
                keep,
            });
            state.reveal(state.shown.selected);
        });
    }

    pub(crate) fn drop_filter(&mut self, kind: &str) {
        self.change(|state| state.shown.filters.retain(|filter| filter.kind != kind));
    }

    pub(crate) fn set_open(&mut self, id: usize, open: bool) {
        if self.job.tree.nodes[id].children.is_empty() || self.is_open(id) == open {
            return;
        }
        self.change(|state| {
            if open {
                state.shown.closed.remove(&id);
            } else {
                state.shown.closed.insert(id);
            }
        });
    }

    pub(crate) fn expand_all(&mut self) {
        self.change(|state| state.shown.closed.clear());
    }

    /// Closes what is below the first branching point; again, everything.
    pub(crate) fn collapse_all(&mut self) {
        let nodes = &self.job.tree.nodes;
        let first = nodes.iter().position(|node| node.children.len() > 1).unwrap_or(0);
        let has_more = |id: &usize| !nodes[*id].children.is_empty();
        let below: Vec<usize> = nodes[first].children.iter().copied().filter(has_more).collect();
        let close: Vec<usize> = if below.iter().all(|id| self.shown.closed.contains(id)) {
            (1..nodes.len()).filter(has_more).collect()
        } else {
            below
        };
        self.change(|state| state.shown.closed.extend(close));
    }

    /// Opens whatever hides a node.
    pub(crate) fn reveal(&mut self, id: usize) {
        let mut at = self.job.tree.nodes[id].parent;
        while at > 0 {
            self.shown.closed.remove(&at);
            at = self.job.tree.nodes[at].parent;
        }
    }

    /// Selects a node, and shows it if anything hides it.
    pub(crate) fn select(&mut self, id: usize) {
        if self.row_of(id).is_none() {
            if !self.keeps(id) {
                self.change(|state| state.shown.filters.clear());
            }
            self.reveal(id);
        }
        self.shown.selected = id;
        self.scrolled = 0;
        self.refresh();
    }

    pub(crate) fn refresh(&mut self) {
        self.rows = rows(&self.job, self);
        // What is hidden is not selected.
        let mut at = self.shown.selected;
        while at > 0 && self.row_of(at).is_none() {
            at = self.job.tree.nodes[at].parent;
        }
        self.shown.selected = match (at, self.rows.first()) {
            (0, first) => first.map_or(0, |row| row.id),
            (at, _) => at,
        };
        self.scroll();
    }

    /// Keeps the selected line in sight.
    pub(crate) fn scroll(&mut self) {
        let at = self.at();
        let page = self.page.max(1);
        self.top = self.top.min(at).max((at + 1).saturating_sub(page));
        self.top = self.top.min(self.rows.len().saturating_sub(page));
    }
}
