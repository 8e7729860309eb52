//! What users of STATview do with a tree: cut, hide, focus, search, walk to the extremes. The same operations, by the same keys,
//! as on the page for a browser.

use crate::job::{Job, Node, beginning};
use crate::state::ViewState;
use base::RankSet;
use regex::Regex;
use std::borrow::Cow;

impl ViewState {
    /// The nodes that are so, what is below them, and the way to them.
    fn ways_through(&self, is_so: impl Fn(usize) -> bool) -> Vec<bool> {
        let nodes = &self.job.nodes;
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
        self.only("focus", format!("at {}", self.job.nodes[id].said.label), keep);
    }

    pub(crate) fn focus_class(&mut self) {
        let Some(class) = self.job.nodes[self.shown.selected].said.temporal.clone() else {
            self.message = "it has no temporal rank".to_owned();
            return;
        };
        let is_in = |node: &Node| {
            let temporal = node.said.temporal.as_deref().unwrap_or_default();
            temporal
                .strip_prefix(&*class)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let keep = self.ways_through(|at| is_in(&self.job.nodes[at]));
        self.only("focus", format!("class {class}"), keep);
    }

    pub(crate) fn focus_tasks(&mut self) {
        let wanted = &self.job.nodes[self.shown.selected];
        let nodes = self.job.nodes.iter();
        let keep = nodes.map(|node| node.ranges.meets(&wanted.ranges)).collect();
        let name = format!("tasks {}", self.job.members(wanted, 24));
        self.only("tasks", name, keep);
    }

    pub(crate) fn hide(&mut self) {
        let id = self.shown.selected;
        if id == 0 {
            return;
        }
        let mut keep = vec![true; self.job.nodes.len()];
        keep[id..self.job.nodes[id].end].fill(false);
        let label = self.job.nodes[id].said.label.clone();
        if let Some(above) = self.at().checked_sub(1) {
            self.shown.selected = self.rows[above].id;
        }
        self.only(&format!("hide {id}"), format!("without {label}"), keep);
    }

    pub(crate) fn cut(&mut self) {
        if self.shown.filters.iter().any(|filter| filter.kind == "cut") {
            return self.drop_filter("cut");
        }
        let nodes = &self.job.nodes;
        let mut keep = vec![true; nodes.len()];
        for id in 1..nodes.len() {
            let parent = nodes[id].parent;
            keep[id] = keep[parent] && !self.entries[parent];
        }
        self.only("cut", "cut below MPI and threads".to_owned(), keep);
    }

    /// Shows the way to the first end that a walk picks; again, to the next one. Progress is what the JSON says of it.
    pub(crate) fn walk(&mut self, key: char) {
        let (name, of): (&str, fn(&Node) -> Option<f64>) = match key {
            'l' => ("least progress", |node| node.said.progress),
            'm' => ("most progress", |node| {
                node.said.progress.map(|progress| -progress)
            }),
            'f' => ("fewest tasks", |node| Some(node.said.count as f64)),
            'g' => ("most tasks", |node| Some(-(node.said.count as f64))),
            'x' => ("longest", |node| Some(-(node.depth as f64))),
            _ => ("shortest", |node| Some(node.depth as f64)),
        };
        let ends = self.job.nodes.iter().enumerate().skip(1);
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
        let mut keep = vec![false; self.job.nodes.len()];
        let mut at = end;
        while at > 0 {
            keep[at] = true;
            at = self.job.nodes[at].parent;
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
        } else if let Some(tasks) = wanted.parse().ok().filter(|_: &RankSet| self.job.are_ranks) {
            // Where they end: a node that has them, and none of whose children has.
            let nodes = &self.job.nodes;
            let has: Vec<bool> = nodes.iter().map(|node| node.ranges.meets(&tasks)).collect();
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
            (1..self.job.nodes.len())
                .filter(|&id| self.job.nodes[id].looks(&self.job, &looks_so))
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

impl Node {
    fn looks(&self, job: &Job, looks_so: &dyn Fn(&str) -> bool) -> bool {
        let said = &self.said;
        let is_named = |task: &(u32, u32)| {
            (task.0..=task.1)
                .take(1000)
                .filter_map(|task| job.names.get(task as usize))
                .any(|name| looks_so(name))
        };
        looks_so(&said.label)
            || looks_so(&said.function)
            || looks_so(&self.place())
            || said.file.as_deref().is_some_and(looks_so)
            || said.module.as_deref().is_some_and(looks_so)
            || said.values.iter().any(|value| looks_so(&value.to_string()))
            || (self.children.is_empty() && !job.are_ranks && self.ranges.ranges().iter().any(is_named))
    }

    /// The file's last path component and the line, or the module.
    pub(crate) fn place(&self) -> String {
        let base_name = |path: &Cow<'_, str>| base::last_component(path).to_owned();
        let said = &self.said;
        match (&said.module, &said.pc, &said.file, said.line) {
            (Some(module), Some(pc), ..) => format!("{}+{pc}", base_name(module)),
            (_, _, Some(file), Some(line)) => format!("{}:{line}", base_name(file)),
            (_, _, Some(file), None) => base_name(file),
            (Some(module), None, None, _) => base_name(module),
            (None, pc, None, _) => pc.clone().unwrap_or_default(),
        }
    }
}

impl Job {
    /// The tasks of a node: ranges, or names where they have no ranks; cut where it gets long.
    pub(crate) fn members(&self, node: &Node, width: usize) -> String {
        let whole = if self.are_ranks {
            // A range takes two characters and more.
            beginning(&node.ranges, width / 2 + 1)
        } else {
            let numbers = node.ranges.iter();
            let name = |task: u32| {
                let name = self.names.get(task as usize);
                name.cloned().unwrap_or_else(|| task.to_string())
            };
            // More names than fit are not asked for.
            numbers.take(width).map(name).collect::<Vec<_>>().join(",")
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
