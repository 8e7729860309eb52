//! STAT's `.dot` files: a prefix tree of frames, edges labelled with the ranks that pass.
//!
//! Only what STAT (and hindmost) writes is understood: statements `ID [ATTRIBUTES]` and `ID -> ID [ATTRIBUTES]`,
//! attributes quoted. A node's frame is in `function`, `source`, `line` and `vars`, or, before version 3, in
//! `label` alone (`main@b.c:25`). A rank's stack ends at the last node that it passes.

use crate::{Error, MAX_ALL_FRAMES, MAX_FRAMES, MAX_TASKS, MAX_TEXT};
use base::RankSet;
use snapshot::{Frame, Task, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A statement, with the line that it begins on.
enum Statement {
    Node(String, Attributes, usize),
    Edge(String, String, Attributes, usize),
}

type Attributes = BTreeMap<String, String>;

#[derive(Default)]
struct Node {
    frames: Vec<Frame>,
    parent: Option<String>,
    tasks: RankSet,
    line: usize,
}

pub(crate) fn read(text: &str) -> Result<Vec<Task>, Error> {
    let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
    let mut edges = Vec::new();
    for statement in Lexer::new(text).statements()? {
        match statement {
            Statement::Node(id, attributes, line) => {
                let node = Node {
                    frames: frames(&attributes, line)?,
                    line,
                    ..Node::default()
                };
                if nodes.insert(id.clone(), node).is_some() {
                    return Err(Error::new(line, format!("a second node '{id}'")));
                }
            }
            Statement::Edge(from, to, attributes, line) => edges.push((from, to, attributes, line)),
        }
    }
    for (from, to, attributes, line) in edges {
        if !nodes.contains_key(&from) {
            return Err(Error::new(
                line,
                format!("an edge from '{from}', which is no node"),
            ));
        }
        let tasks = tasks(&attributes, line)?;
        let Some(node) = nodes.get_mut(&to) else {
            return Err(Error::new(line, format!("an edge to '{to}', which is no node")));
        };
        if node.parent.replace(from).is_some() {
            return Err(
                Error::new(line, format!("a second edge to '{to}': this is no prefix tree"))
                    .hint("STAT's trees have one way to each node; other graphs hold no stacks"),
            );
        }
        node.tasks = tasks;
    }
    stacks(&nodes)
}

/// The stacks of a checked set of nodes.
fn stacks(nodes: &BTreeMap<String, Node>) -> Result<Vec<Task>, Error> {
    let mut children: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut todo: Vec<(&str, usize)> = Vec::new();
    for (id, node) in nodes {
        match &node.parent {
            Some(parent) => children.entry(parent).or_default().push(id),
            None => todo.push((id, 0)),
        }
    }
    let mut seen = 0;
    let mut frames = 0;
    let mut ends: Vec<(u32, &str)> = Vec::new();
    while let Some((id, above)) = todo.pop() {
        let node = &nodes[id];
        seen += 1;
        let depth = above + node.frames.len();
        let below = children.get(id).map_or(&[][..], Vec::as_slice);
        let further: BTreeSet<u32> = below
            .iter()
            .flat_map(|&child| nodes[child].tasks.iter())
            .collect();
        let before = ends.len();
        ends.extend(
            node.tasks
                .iter()
                .filter(|rank| !further.contains(rank))
                .map(|rank| (rank, id)),
        );
        frames += depth * (ends.len() - before);
        if depth > MAX_FRAMES || frames > MAX_ALL_FRAMES {
            return Err(Error::new(
                node.line,
                format!("more than {MAX_ALL_FRAMES} frames on all stacks together"),
            ));
        }
        todo.extend(below.iter().map(|&child| (child, depth)));
    }
    if seen < nodes.len() {
        let unreached = nodes.values().map(|node| node.line).max().unwrap_or(1);
        return Err(Error::new(
            unreached,
            "some nodes lead to each other in a circle: this is no prefix tree",
        ));
    }
    if ends.is_empty() {
        return Err(Error::new(1, "no rank on any edge")
            .hint("save the tree with ranks on its edges (without -U, which keeps counts alone)"));
    }
    ends.sort();
    Ok(ends
        .chunk_by(|a, b| a.0 == b.0)
        .flat_map(|of_rank| {
            let several = of_rank.len() > 1;
            of_rank.iter().enumerate().map(move |(at, &(rank, end))| Task {
                task: match several {
                    // Threads, or moments of a 3D tree: which of them, the file does not tell.
                    true => format!("{rank}#{}", at + 1),
                    false => rank.to_string(),
                },
                rank: (!several).then_some(rank),
                frames: path(nodes, end),
                ..Task::default()
            })
        })
        .collect())
}

/// The frames from the root to a node; there is no circle above it.
fn path(nodes: &BTreeMap<String, Node>, end: &str) -> Vec<Frame> {
    let mut path = Vec::new();
    let mut at = Some(end);
    while let Some(node) = at.and_then(|id| nodes.get(id)) {
        path.extend(node.frames.iter().rev().cloned());
        at = node.parent.as_deref();
    }
    path.reverse();
    path
}

fn present<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a str> {
    attributes
        .get(name)
        .map(String::as_str)
        .filter(|value| !matches!(*value, "" | "(null)" | "?" | ":?"))
}

/// The frames of a node: one, or several that STATview has joined.
fn frames(attributes: &Attributes, line: usize) -> Result<Vec<Frame>, Error> {
    let Some(functions) = present(attributes, "function") else {
        let label = present(attributes, "label").unwrap_or("/");
        return Ok(label
            .split("\\n")
            .filter(|label| *label != "/")
            .map(frame_of_label)
            .collect());
    };
    let parts = |name: &str| -> Vec<&str> {
        present(attributes, name).map_or(Vec::new(), |all| all.split("\\n").collect())
    };
    let (sources, lines, vars) = (parts("source"), parts("line"), parts("vars"));
    let at = |parts: &[&str], index: usize| -> Option<String> {
        let part = parts.get(index)?.trim_start_matches(':');
        (!matches!(part, "" | "?" | "(null)")).then(|| part.to_owned())
    };
    let mut frames = Vec::new();
    for (index, function) in functions.split("\\n").enumerate() {
        if function == "/" {
            continue;
        }
        let number = match at(&lines, index) {
            None => None,
            Some(text) => Some(
                text.parse()
                    .map_err(|_| Error::new(line, format!("'{text}' is no line number")))?,
            ),
        };
        let values = at(&vars, index).map(|vars| values(&vars)).unwrap_or_default();
        frames.push(Frame {
            function: name(function),
            file: at(&sources, index),
            line: number,
            values,
            module: present(attributes, "module").map(str::to_owned),
            ..Frame::default()
        });
    }
    Ok(frames)
}

/// `function@source:line$var=1`, or `module+0xoff`.
fn frame_of_label(label: &str) -> Frame {
    let (position, vars) = label.split_once('$').unwrap_or((label, ""));
    let (function, place) = position.rsplit_once('@').unwrap_or((position, ""));
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (Some(file), line.parse().ok()),
        None => (None, None),
    };
    Frame {
        function: name(function),
        file: file.filter(|file| !matches!(*file, "" | "?")).map(str::to_owned),
        line,
        values: values(vars),
        ..Frame::default()
    }
}

/// A name without what record labels escape, and without the temporal ranks that we and STATview's plug-in write.
fn name(written: &str) -> String {
    let plain = written
        .replace("\\<", "<")
        .replace("\\>", ">")
        .replace("\\|", "|");
    let end = plain.find("@[T").unwrap_or(plain.len());
    let function = plain[..end].trim();
    if function.is_empty() {
        "??".to_owned()
    } else {
        function.to_owned()
    }
}

/// `$i=3$j=0`; what is no number orders nothing and is left out.
fn values(vars: &str) -> BTreeMap<String, Value> {
    let each = vars.split('$').filter_map(|var| var.split_once('='));
    each.filter_map(|(name, value)| {
        let value = match (value.parse::<i64>(), value.parse::<f64>()) {
            (Ok(integer), _) => Value::Integer(integer),
            (_, Ok(float)) if float.is_finite() => Value::Float(float),
            _ => return None,
        };
        Some((name.to_owned(), value))
    })
    .collect()
}

/// The ranks of an edge: `bv`, or before version 3 the label.
fn tasks(attributes: &Attributes, line: usize) -> Result<RankSet, Error> {
    let Some(text) = present(attributes, "bv").or_else(|| present(attributes, "label")) else {
        let counted = present(attributes, "count").is_some();
        let error = Error::new(line, "an edge without ranks");
        return Err(match counted {
            true => error.hint("this file has counts only: let STAT write it without -U"),
            false => error,
        });
    };
    let list = text.rsplit_once(':').map_or(text, |(_, list)| list);
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    if list.contains("...") || list.contains('…') {
        return Err(Error::new(line, "the list of ranks is cut")
            .hint("save the tree by STAT itself, not from a picture of it"));
    }
    let ranks =
        ranges(list).ok_or_else(|| Error::new(line, format!("'{}' is no list of ranks", shown(list))))?;
    let count: u64 = ranks
        .iter()
        .map(|&(first, last)| u64::from(last - first) + 1)
        .sum();
    if count > MAX_TASKS {
        return Err(Error::new(
            line,
            format!("{count} ranks, more than the {MAX_TASKS} that are read"),
        ));
    }
    Ok(ranks.into_iter().flat_map(|(first, last)| first..=last).collect())
}

fn ranges(list: &str) -> Option<Vec<(u32, u32)>> {
    let pieces = list.split(',').map(str::trim).filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| {
            let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            (first <= last).then_some((first, last))
        })
        .collect()
}

/// As much of a text as a message needs.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

struct Lexer<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text.chars().peekable(),
            line: 1,
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next();
        self.line += usize::from(c == Some('\n'));
        c
    }

    fn skip(&mut self) {
        while self
            .rest
            .peek()
            .is_some_and(|c| c.is_whitespace() || matches!(c, ';' | ','))
        {
            self.next();
        }
    }

    fn fail<T>(&self, reason: impl Into<String>) -> Result<T, Error> {
        Err(Error::new(self.line, reason))
    }

    /// A word, or a quoted text.
    fn word(&mut self) -> Result<String, Error> {
        self.skip();
        let mut word = String::new();
        if self.rest.peek() == Some(&'"') {
            let begun = self.line;
            self.next();
            loop {
                match self.next() {
                    None => return Err(Error::new(begun, "a quoted text does not end")),
                    Some('"') => return Ok(word),
                    Some('\\') if self.rest.peek() == Some(&'"') => word.extend(self.next()),
                    Some(c) => word.push(c),
                }
                if word.len() > MAX_TEXT {
                    return Err(Error::new(begun, format!("a text of more than {MAX_TEXT} bytes")));
                }
            }
        }
        while let Some(&c) = self.rest.peek()
            && (c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
        {
            // `a->b` needs no spaces.
            if c == '-' && !word.is_empty() {
                break;
            }
            word.extend(self.next());
            if word == "-" && self.rest.peek() == Some(&'>') {
                self.next();
                return Ok("->".to_owned());
            }
            if word.len() > MAX_TEXT {
                return self.fail(format!("a word of more than {MAX_TEXT} bytes"));
            }
        }
        match (word.is_empty(), self.rest.peek()) {
            (false, _) => Ok(word),
            (true, None) => self.fail("the file ends in the middle of the graph"),
            (true, Some(&c)) => self.fail(format!("'{}' is not expected here", c.escape_default())),
        }
    }

    fn attributes(&mut self) -> Result<Attributes, Error> {
        let mut attributes = Attributes::new();
        self.skip();
        if self.rest.peek() != Some(&'[') {
            return Ok(attributes);
        }
        self.next();
        loop {
            self.skip();
            if self.rest.peek() == Some(&']') {
                self.next();
                return Ok(attributes);
            }
            let name = self.word()?;
            self.skip();
            if self.next() != Some('=') {
                return self.fail(format!("'=' is missing after '{}'", shown(&name)));
            }
            let value = self.word()?;
            attributes.insert(name, value);
        }
    }

    fn statements(mut self) -> Result<Vec<Statement>, Error> {
        self.skip();
        // The head: `digraph G {`.
        loop {
            match self.next() {
                Some('{') => break,
                Some(_) => {}
                None => return self.fail("no graph in it"),
            }
        }
        let mut statements = Vec::new();
        loop {
            self.skip();
            match self.rest.peek() {
                Some('}') => return Ok(statements),
                None => return self.fail("the file ends in the middle of the graph"),
                Some(_) => {}
            }
            let line = self.line;
            let id = self.word()?;
            self.skip();
            if self.rest.peek() == Some(&'-') {
                let arrow = self.word()?;
                if arrow != "->" {
                    return self.fail("'->' is expected here");
                }
                let to = self.word()?;
                let attributes = self.attributes()?;
                statements.push(Statement::Edge(id, to, attributes, line));
                continue;
            }
            let attributes = self.attributes()?;
            if !matches!(id.as_str(), "graph" | "node" | "edge") {
                statements.push(Statement::Node(id, attributes, line));
            } else if attributes.get("type").is_some_and(|kind| kind == "dysect") {
                return Err(Error::new(line, "a DySectAPI session, not a tree of stacks"));
            }
        }
    }
}
