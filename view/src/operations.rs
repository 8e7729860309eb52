//! What users of STATview do with a tree: cut, hide, focus, search, walk to the extremes. The same operations, by the same keys,
//! as on the page for a browser.

use crate::job::{Job, beginning};
use crate::state::ViewState;
use base::RankSet;
use engine::{TaskSet, TreeNode};
use regex::Regex;
use report::Names;
use report::tree::{place, value};

impl ViewState {
    /// The nodes that are so, what is below them, and the way to them.
    fn ways_through(&self, is_so: impl Fn(usize) -> bool) -> Vec<bool> {
        let nodes = &self.job.tree.nodes;
        let mut keep = vec![false; nodes.len()];
        for id in 1..nodes.len() {
            keep[id] = keep[nodes[id].parent] || is_so(id);
        }
        for id in (1..nodes.len()).rev() {
            if keep[id] {
                keep[nodes[id].parent] = true;
            }
        }
        keep
    }

    pub(crate) fn focus(&mut self) {
        let id = self.shown.selected;
        let keep = self.ways_through(|at| at == id);
        self.only(
            "focus",
            format!("at {}", self.job.label(&self.job.tree.nodes[id])),
            keep,
        );
    }

    pub(crate) fn focus_class(&mut self) {
        let Some(class) = self.job.tree.nodes[self.shown.selected].temporal.clone() else {
            self.message = "it has no temporal rank".to_owned();
            return;
        };
        let is_in = |node: &TreeNode| {
            let temporal = node.temporal.as_deref().unwrap_or_default();
            temporal
                .strip_prefix(&*class)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let keep = self.ways_through(|at| is_in(&self.job.tree.nodes[at]));
        self.only("focus", format!("class {class}"), keep);
    }

    pub(crate) fn focus_tasks(&mut self) {
        let wanted = &self.job.tree.nodes[self.shown.selected];
        let nodes = self.job.tree.nodes.iter();
        let keep = nodes.map(|node| node.tasks.meets(&wanted.tasks)).collect();
        let name = format!("tasks {}", self.job.members(wanted, 24));
        self.only("tasks", name, keep);
    }

    pub(crate) fn hide(&mut self) {
        let id = self.shown.selected;
        if id == 0 {
            return;
        }
        let mut keep = vec![true; self.job.tree.nodes.len()];
        keep[id..self.job.ends[id]].fill(false);
        let label = self.job.label(&self.job.tree.nodes[id]);
        if let Some(above) = self.at().checked_sub(1) {
            self.shown.selected = self.rows[above].id;
        }
        self.only(&format!("hide {id}"), format!("without {label}"), keep);
    }

    pub(crate) fn cut(&mut self) {
        if self.shown.filters.iter().any(|filter| filter.kind == "cut") {
            return self.drop_filter("cut");
        }
        let nodes = &self.job.tree.nodes;
        let mut keep = vec![true; nodes.len()];
        for id in 1..nodes.len() {
            let parent = nodes[id].parent;
            keep[id] = keep[parent] && !self.entries[parent];
        }
        self.only("cut", "cut below MPI and threads".to_owned(), keep);
    }

    /// Shows the way to the first end that a walk picks; again, to the next one. Progress is what the JSON says of it.
    pub(crate) fn walk(&mut self, key: char) {
        let (name, of): (&str, fn(&TreeNode) -> Option<f64>) = match key {
            'l' => ("least progress", |node| node.progress),
            'm' => ("most progress", |node| node.progress.map(|progress| -progress)),
            'f' => ("fewest tasks", |node| Some(node.tasks.len() as f64)),
            'g' => ("most tasks", |node| Some(-(node.tasks.len() as f64))),
            'x' => ("longest", |node| Some(-(node.depth as f64))),
            _ => ("shortest", |node| Some(node.depth as f64)),
        };
        let ends = self.job.tree.nodes.iter().enumerate().skip(1);
        let mut ends: Vec<(f64, usize)> = ends
            .filter(|(_, node)| node.children.is_empty())
            .filter_map(|(id, node)| Some((of(node)?, id)))
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if ends.is_empty() {
            self.message = "no end has a known progress".to_owned();
            return;
        }
        let next = match self.walked {
            Some((before, at))
                if before == key && self.shown.filters.iter().any(|filter| filter.kind == "focus") =>
            {
                (at + 1) % ends.len()
            }
            _ => 0,
        };
        self.walked = Some((key, next));
        let end = ends[next].1;
        let mut keep = vec![false; self.job.tree.nodes.len()];
        let mut at = end;
        while at > 0 {
            keep[at] = true;
            at = self.job.tree.nodes[at].parent;
        }
        self.only("focus", format!("{name}, {} of {}", next + 1, ends.len()), keep);
        self.select(end);
    }

    /// Looks for functions, files and values, or tasks (`0-10`). `false` if that cannot be looked for; the message says why.
    pub(crate) fn search(&mut self, text: &str) -> bool {
        let wanted = text.trim();
        self.hit = None;
        self.hits = if wanted.is_empty() {
            Vec::new()
        } else if let Some(tasks) = self.job.ranks(wanted) {
            // Where they end: a node that has them, and none of whose children has.
            let nodes = &self.job.tree.nodes;
            let has: Vec<bool> = nodes.iter().map(|node| node.tasks.meets(&tasks)).collect();
            let ends = |&id: &usize| has[id] && !nodes[id].children.iter().any(|&child| has[child]);
            (1..nodes.len()).filter(ends).collect()
        } else {
            let regex = match wanted.strip_prefix('/') {
                Some(rest) => match Regex::new(rest.strip_suffix('/').unwrap_or(rest)) {
                    Ok(regex) => Some(regex),
                    Err(error) => {
                        let error = error.to_string();
                        let why = error.lines().last().unwrap_or_default().trim();
                        let why = why.strip_prefix("error: ").unwrap_or(why);
                        self.hits = Vec::new();
                        self.message = format!("'{wanted}' is no regular expression: {why}");
                        return false;
                    }
                },
                None => None,
            };
            let lower = wanted.to_lowercase();
            let looks_so = |text: &str| match &regex {
                Some(regex) => regex.is_match(text),
                None => text.to_lowercase().contains(&lower),
            };
            (1..self.job.tree.nodes.len())
                .filter(|&id| self.job.looks(&self.job.tree.nodes[id], &looks_so))
                .collect()
        };
        true
    }

    pub(crate) fn next_hit(&mut self, forth: bool) {
        let count = self.hits.len();
        if count == 0 {
            self.message = "nothing is found".to_owned();
            return;
        }
        let next = match (self.hit, forth) {
            (None, true) => 0,
            (None, false) => count - 1,
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
        };
        self.hit = Some(next);
        self.select(self.hits[next]);
        self.message = format!("hit {} of {count}", next + 1);
    }
}

impl Job {
    /// The ranks that a text lists, if that is what tasks are known by.
    fn ranks(&self, text: &str) -> Option<TaskSet> {
        let ranks: RankSet = text.parse().ok()?;
        let are_ranks = self.tree.names.are_ranks();
        are_ranks.then(|| TaskSet::from_ranges(ranks.ranges().to_vec()))
    }

    fn looks(&self, node: &TreeNode, looks_so: &dyn Fn(&str) -> bool) -> bool {
        let names = &self.tree.names;
        let is_named = |task: u32| names.name(task).is_some_and(looks_so);
        looks_so(&self.label(node))
            || looks_so(&node.function)
            || looks_so(&place(node))
            || node.file.as_deref().is_some_and(looks_so)
            || node.module.as_deref().is_some_and(looks_so)
            || node.values.iter().any(|each| looks_so(&value(each)))
            || (node.children.is_empty() && !names.are_ranks() && node.tasks.iter().any(is_named))
    }

    /// What a node is called.
    pub(crate) fn label(&self, node: &TreeNode) -> String {
        report::tree::name(&self.tree, node, Names::Short)
    }

    /// The tasks of a node: ranges, or names where they have no ranks; cut where it gets long.
    pub(crate) fn members(&self, node: &TreeNode, width: usize) -> String {
        let names = &self.tree.names;
        let whole = if names.are_ranks() {
            // A range takes two characters and more.
            let most = width / 2 + 1;
            beginning(&node.tasks.first_ranges(most + 1), most)
        } else {
            let name = |task: u32| names.name(task).map_or_else(|| task.to_string(), str::to_owned);
            // More names than fit are not asked for.
            node.tasks
                .iter()
                .take(width)
                .map(name)
                .collect::<Vec<_>>()
                .join(",")
        };
        match whole.char_indices().nth(width) {
            None => whole,
            Some((end, _)) => {
                let kept = whole[..end]
                    .rsplit_once(',')
                    .map_or(&whole[..end], |(kept, _)| kept);
                format!("{kept},…")
            }
        }
    }
}
