//! The source that a page carries: the lines around every place of its tree.

use engine::{Answer, OrderedTree, Slice};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The lines of one file that a page shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageSource {
    /// The file as the map spells it.
    pub path: String,
    /// It is no longer the file that was mapped: its lines may mean something else, so none are shown.
    pub changed: bool,
    /// Lines with their numbers, in order, with gaps.
    pub lines: Vec<(u32, String)>,
}

/// What a reader says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadSource {
    /// Its bytes.
    Text(Vec<u8>),
    /// It is no longer the file that was mapped.
    Changed,
}

/// So many lines on either side of a place.
const CONTEXT: u32 = 12;

/// No more lines than this in all: a page is to be sent by mail.
const MOST_LINES: usize = 20_000;

/// A line is cut here: nobody reads further, and generated files have lines of megabytes.
const MOST_COLUMNS: usize = 400;

/// The source around the places of a tree, of its answer and of a slice, the hindmost first where not all has room. `read` gives a file that the
/// map is of; it must refuse all others, because the names come from the target.
pub fn page_sources(
    tree: &OrderedTree,
    answer: Option<&Answer>,
    slice: Option<&Slice>,
    read: &dyn Fn(&str) -> Option<ReadSource>,
) -> Vec<PageSource> {
    let mut wanted: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    let excerpts = answer.iter().flat_map(|answer| &answer.excerpts);
    let excerpts = excerpts.map(|excerpt| (excerpt.path.as_str(), excerpt.line));
    let of_nodes = |hindmost: bool| {
        let nodes = tree.nodes.iter().filter(move |node| node.hindmost == hindmost);
        nodes.filter_map(|node| Some((node.file.as_deref()?, node.line?)))
    };
    let threads = answer.iter().flat_map(|answer| &answer.classes);
    let threads = threads.flat_map(|class| &class.threads_behind);
    let threads = threads.map(|behind| (behind.position.file.as_str(), behind.position.line));
    let statements = slice.iter().flat_map(|slice| &slice.statements);
    let statements = statements.map(|statement| (statement.file.as_str(), statement.line));
    let of_answer = excerpts.chain(threads).chain(statements);
    for (path, line) in of_answer.chain(of_nodes(true)).chain(of_nodes(false)) {
        let lines = wanted.entry(path).or_insert_with(|| {
            order.push(path);
            Vec::new()
        });
        lines.push(line);
    }
    let mut room = MOST_LINES;
    let mut sources = Vec::new();
    for path in order {
        let Some(found) = read(path) else { continue };
        let lines = match &found {
            ReadSource::Text(bytes) => {
                around(bytes, wanted.get_mut(path).map_or(&mut [], |lines| lines), room)
            }
            ReadSource::Changed => Vec::new(),
        };
        room -= lines.len();
        sources.push(PageSource {
            path: path.to_owned(),
            changed: found == ReadSource::Changed,
            lines,
        });
    }
    sources
}

/// The lines near the wanted ones.
fn around(bytes: &[u8], wanted: &mut [u32], room: usize) -> Vec<(u32, String)> {
    wanted.sort_unstable();
    let is_near = |number: u32| {
        let next = wanted.partition_point(|&line| line.saturating_add(CONTEXT) < number);
        wanted
            .get(next)
            .is_some_and(|&line| line.saturating_sub(CONTEXT) <= number)
    };
    (1..)
        .zip(bytes.split(|&byte| byte == b'\n'))
        .filter(|&(number, _)| is_near(number))
        .take(room)
        .map(|(number, line)| (number, cut(&String::from_utf8_lossy(line))))
        .collect()
}

fn cut(line: &str) -> String {
    let line = line.trim_end();
    match line.char_indices().nth(MOST_COLUMNS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_places_once_each() {
        let text: String = (1..=100).map(|line| format!("line {line}\n")).collect();
        let lines = around(text.as_bytes(), &mut [60, 2, 50], usize::MAX);
        let numbers: Vec<u32> = lines.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, Vec::from_iter((1..=14).chain(38..=72)));
        assert_eq!(around(text.as_bytes(), &mut [60], 3).len(), 3);
        assert!(around(text.as_bytes(), &mut [], 3).is_empty());
        assert_eq!(cut(&"ä".repeat(500)).chars().count(), MOST_COLUMNS + 1);
    }
}
