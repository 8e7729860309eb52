//! STAT's `.dot` files: a prefix tree of frames, edges labelled with the ranks that pass.
//!
//! Only what STAT (and hindmost) writes is understood: statements `ID [ATTRIBUTES]` and `ID -> ID [ATTRIBUTES]`,
//! attributes quoted. A node's frame is in `function`, `source`, `line` and `vars`, or, before version 3, in
//! `label` alone (`main@b.c:25`). A rank's stack ends at the last node that it passes.

use crate::{Alike, Error, MAX_ALL_FRAMES, MAX_FRAMES, MAX_LIST, MAX_NAMED, MAX_TASKS, MAX_TEXT};
use base::RankSet;
use snapshot::{Frame, Task, Value};
use std::collections::BTreeMap;

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
    /// Nothing below it is a stack of a main thread, as our own files say.
    is_aside: bool,
    /// Why the stacks below it have no place in the order, as our own files say; of one that ends here, why there is none.
    unordered: Option<String>,
    line: usize,
}

pub(crate) fn read(text: &str) -> Result<Vec<Alike>, Error> {
    let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
    let mut edges = Vec::new();
    for statement in Lexer::new(text).statements()? {
        match statement {
            Statement::Node(id, attributes, line) => {
                let kind = attributes.get("kind").map(String::as_str);
                let node = Node {
                    frames: match kind {
                        Some("here" | "unreadable") => Vec::new(),
                        _ => frames(&attributes, line)?,
                    },
                    is_aside: matches!(kind, Some("threads" | "missing")),
                    unordered: (kind == Some("unreadable")).then(|| reason(&attributes)),
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
fn stacks(nodes: &BTreeMap<String, Node>) -> Result<Vec<Alike>, Error> {
    let mut children: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut todo: Vec<(&str, usize, bool)> = Vec::new();
    for (id, node) in nodes {
        match &node.parent {
            Some(parent) => children.entry(parent).or_default().push(id),
            None => todo.push((id, 0, false)),
        }
    }
    let mut seen = 0;
    let mut frames = 0;
    let mut ends: Vec<(RankSet, &str)> = Vec::new();
    while let Some((id, above, is_aside)) = todo.pop() {
        let node = &nodes[id];
        seen += 1;
        let depth = above + node.frames.len();
        let below = children.get(id).map_or(&[][..], Vec::as_slice);
        let further = RankSet::union(below.iter().map(|&child| &nodes[child].tasks));
        let own = node.tasks.without(&further);
        let is_aside = is_aside || node.is_aside;
        if !own.is_empty() && !is_aside && node.unordered.is_none() {
            frames += depth;
            ends.push((own, id));
        }
        if depth > MAX_FRAMES || frames > MAX_ALL_FRAMES {
            return Err(Error::new(
                node.line,
                format!("more than {MAX_ALL_FRAMES} frames on all stacks together"),
            ));
        }
        todo.extend(below.iter().map(|&child| (child, depth, is_aside)));
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
    let several = RankSet::in_several(ends.iter().map(|(own, _)| own));
    let mut all: Vec<Alike> = Vec::new();
    for (own, end) in &ends {
        let ranks = own.without(&several);
        if let Some(first) = ranks.first() {
            let task = Task {
                task: first.to_string(),
                rank: Some(first),
                error: unordered(nodes, end),
                frames: path(nodes, end).into(),
                ..Task::default()
            };
            all.push(Alike { task, ranks });
        }
    }
    all.extend(of_several_ends(nodes, &ends, &several)?);
    Ok(all)
}

/// The stacks of ranks that end at several nodes: threads, or moments of a 3D tree; which of them, the file does not tell.
fn of_several_ends(
    nodes: &BTreeMap<String, Node>,
    ends: &[(RankSet, &str)],
    several: &RankSet,
) -> Result<Vec<Alike>, Error> {
    let mut named: Vec<(u32, &str)> = Vec::new();
    let mut frames = 0;
    for (own, end) in ends {
        let ranks = own.without(&own.without(several));
        frames += path_length(nodes, end) * usize::try_from(ranks.len()).unwrap_or(usize::MAX);
        if named.len() as u64 + ranks.len() > MAX_NAMED || frames > MAX_ALL_FRAMES {
            let reason = "too many ranks have several stacks each, as threads or moments of a 3D tree";
            return Err(Error::new(nodes[*end].line, reason)
                .hint("save the tree of one moment and of the main threads alone"));
        }
        named.extend(ranks.iter().map(|rank| (rank, *end)));
    }
    named.sort_unstable();
    let of_rank = |stacks: &[(u32, &str)]| -> Vec<Alike> {
        let numbered = stacks.iter().enumerate();
        let one = |(at, &(rank, end)): (usize, &(u32, &str))| Alike {
            task: Task {
                task: format!("{rank}#{}", at + 1),
                error: unordered(nodes, end),
                frames: path(nodes, end).into(),
                ..Task::default()
            },
            ranks: RankSet::default(),
        };
        numbered.map(one).collect()
    };
    Ok(named.chunk_by(|a, b| a.0 == b.0).flat_map(of_rank).collect())
}

/// A node and those above it, up to the root; there is no circle.
fn upwards<'n>(nodes: &'n BTreeMap<String, Node>, end: &str) -> impl Iterator<Item = &'n Node> {
    std::iter::successors(nodes.get(end), |node| nodes.get(node.parent.as_deref()?))
}

fn path_length(nodes: &BTreeMap<String, Node>, end: &str) -> usize {
    upwards(nodes, end).map(|node| node.frames.len()).sum()
}

/// The frames from the root to a node.
fn path(nodes: &BTreeMap<String, Node>, end: &str) -> Vec<Frame> {
    let mut path: Vec<Frame> = upwards(nodes, end)
        .flat_map(|node| node.frames.iter().rev().cloned())
        .collect();
    path.reverse();
    path
}

/// Why a stack that ends here has no place in the order, if the file says so.
fn unordered(nodes: &BTreeMap<String, Node>, end: &str) -> Option<String> {
    upwards(nodes, end).find_map(|node| node.unordered.clone())
}

/// Why stacks have no place in the order; files of earlier versions say it to people alone.
fn reason(attributes: &Attributes) -> String {
    let reason = present(attributes, "reason").map(unescaped);
    reason.unwrap_or_else(|| "the file does not say why".to_owned())
}

/// A text without what record labels escape.
fn unescaped(written: &str) -> String {
    written
        .replace("\\<", "<")
        .replace("\\>", ">")
        .replace("\\|", "|")
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
        if label.len() > MAX_TEXT {
            return Err(Error::new(line, format!("a label of more than {MAX_TEXT} bytes")));
        }
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
    let own = |name: &str| present(attributes, name).map(str::to_owned);
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
            file: at(&sources, index).or_else(|| own("file")),
            line: number,
            values,
            module: own("module").or_else(|| own("library")),
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

/// A name without the temporal ranks and values that we write behind it.
fn name(written: &str) -> String {
    let plain = unescaped(written);
    let end = plain.find("@[").unwrap_or(plain.len());
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
        return Err(if counted {
            error.hint("this file has counts only: let STAT write it without -U")
        } else {
            error
        });
    };
    let list = text.rsplit_once(':').map_or(text, |(_, list)| list);
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    if list.contains("...") || list.contains('…') {
        return Err(Error::new(line, "the list of ranks is cut")
            .hint("save the tree by STAT itself, not from a picture of it"));
    }
    let ranks: RankSet = list
        .parse()
        .map_err(|_| Error::new(line, format!("'{}' is no list of ranks", shown(list))))?;
    let count = ranks.len();
    if count > MAX_TASKS {
        return Err(Error::new(
            line,
            format!("{count} ranks, more than the {MAX_TASKS} that are read"),
        ));
    }
    Ok(ranks)
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

    /// A word, or a quoted text, which may be several with `+` between them.
    fn word(&mut self) -> Result<String, Error> {
        self.text(MAX_TEXT)
    }

    /// The same, of so many bytes at most.
    fn text(&mut self, most: usize) -> Result<String, Error> {
        self.skip();
        let mut word = String::new();
        if self.rest.peek() == Some(&'"') {
            let begun = self.line;
            self.next();
            loop {
                match self.next() {
                    None => return Err(Error::new(begun, "a quoted text does not end")),
                    Some('"') if self.goes_on()? => {}
                    Some('"') => return Ok(word),
                    Some('\\') if self.rest.peek() == Some(&'"') => word.extend(self.next()),
                    Some(c) => word.push(c),
                }
                if word.len() > most {
                    return Err(Error::new(begun, format!("a text of more than {most} bytes")));
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
            if word.len() > most {
                return self.fail(format!("a word of more than {most} bytes"));
            }
        }
        match (word.is_empty(), self.rest.peek()) {
            (false, _) => Ok(word),
            (true, None) => self.fail("the file ends in the middle of the graph"),
            (true, Some(&c)) => self.fail(format!("'{}' is not expected here", c.escape_default())),
        }
    }

    /// Whether another piece follows a quoted text; it is then begun.
    fn goes_on(&mut self) -> Result<bool, Error> {
        self.skip();
        if self.rest.peek() != Some(&'+') {
            return Ok(false);
        }
        self.next();
        self.skip();
        match self.next() {
            Some('"') => Ok(true),
            _ => self.fail("no text behind `+`"),
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
            let is_list = matches!(name.as_str(), "bv" | "label");
            let value = self.text(if is_list { MAX_LIST } else { MAX_TEXT })?;
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
