//! Which loops get a counter.

use crate::no_place::NoPlace;
use crate::place::{Text, insertions};
use progress_map::{Across, FileId, Function, Loop, LoopId, LovClass, Map};
use std::collections::BTreeSet;

/// Which loops are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Also loops that call nothing.
    pub without_calls: bool,
    /// Only the innermost loops around these lines; all loops when empty.
    pub lines: Vec<(FileId, u32)>,
}

/// A counter for one loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The file.
    pub file: FileId,
    /// The line of the loop.
    pub line: u32,
    /// The counter's name, which nothing else in the file has.
    pub name: String,
    /// What is inserted at which byte offset, by offset.
    pub insertions: Vec<(usize, String)>,
}

/// A loop that gets no counter, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The file.
    pub file: FileId,
    /// The line of the loop.
    pub line: u32,
    /// Why.
    pub why: NoPlace,
}

/// What to do about the loops of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The counters, by file and line.
    pub counters: Vec<Counter>,
    /// Loops that want one and get none.
    pub left: Vec<Left>,
}

/// Plans counters for the loops of `map` that have no strict variable that tasks can be compared by. `text` gives the
/// bytes of a file of the map.
pub fn plan<'t>(map: &Map, text: impl Fn(FileId) -> Option<&'t [u8]>, wanted: &Wanted) -> Plan {
    let mut plan = Plan::default();
    let chosen = chosen(map, wanted);
    for file in map.files.ids() {
        let in_file = || chosen.iter().filter(|(_, function, _)| function.file == file);
        if in_file().next().is_none() {
            continue;
        }
        let read = text(file).map(Text::new);
        let mut names = BTreeSet::new();
        for &(line, function, in_loop) in in_file() {
            let found = match &read {
                None => Err(NoPlace::SourceMissing),
                Some(text) => possible(function, in_loop).and_then(|()| {
                    let name = fresh(text, line, &mut names);
                    insertions(text, in_loop, &name).map(|insertions| (name, insertions))
                }),
            };
            match found {
                Ok((name, insertions)) => plan.counters.push(Counter {
                    file,
                    line,
                    name,
                    insertions,
                }),
                Err(why) => plan.left.push(Left { file, line, why }),
            }
        }
    }
    plan
}

/// The loops that want a counter, by line.
fn chosen<'m>(map: &'m Map, wanted: &Wanted) -> Vec<(u32, &'m Function, &'m Loop)> {
    let mut chosen = Vec::new();
    for function in &map.functions {
        let lines = wanted.lines.iter().filter(|(file, _)| *file == function.file);
        let named: BTreeSet<LoopId> = lines.filter_map(|&(_, line)| around(function, line)).collect();
        for (id, in_loop) in function.loops.iter_enumerated() {
            let is_asked_for = if wanted.lines.is_empty() {
                wanted.without_calls || function.calls_in_loop(id)
            } else {
                named.contains(&id)
            };
            // A loop that is named gets one in any case: its variable may be lost in the build.
            if is_asked_for && (named.contains(&id) || !has_strict(in_loop)) {
                chosen.push((in_loop.span.line, function, in_loop));
            }
        }
    }
    chosen.sort_by_key(|&(line, function, in_loop)| (function.file, line, in_loop.span.column));
    chosen
}

/// The innermost loop around a line: the one that begins there, else the one with a point on it.
fn around(function: &Function, line: u32) -> Option<LoopId> {
    let begins = function
        .loops
        .iter_enumerated()
        .find(|(_, each)| each.span.line == line);
    if let Some((id, _)) = begins {
        return Some(id);
    }
    let on_line = |each: &&progress_map::Point| each.span.covers_line(line) && each.innermost_loop.is_some();
    let inside = function.points.iter().filter(on_line);
    inside
        .max_by_key(|each| each.span.line)
        .and_then(|each| each.innermost_loop)
}

/// Whether the iterations of the loop can be told apart on all tasks already.
fn has_strict(in_loop: &Loop) -> bool {
    in_loop
        .lovs
        .iter()
        .any(|lov| lov.class == LovClass::Strict && lov.across != Across::Nothing)
}

fn possible(function: &Function, in_loop: &Loop) -> Result<(), NoPlace> {
    if function.confidence == base::Confidence::Partial {
        return Err(NoPlace::ReadInPart {
            function: function.name.clone(),
            because: function.confidence_reason.clone(),
        });
    }
    if !in_loop.reducible {
        return Err(NoPlace::SeveralEntries);
    }
    Ok(())
}

/// A name that does not occur in the file.
fn fresh(text: &Text<'_>, line: u32, names: &mut BTreeSet<String>) -> String {
    let mut name = format!("hindmost_{line}");
    let mut number = 2;
    while text.has_word(name.as_bytes()) || !names.insert(name.clone()) {
        name = format!("hindmost_{line}_{number}");
        number += 1;
    }
    name
}

/// The text with the insertions of `counters`, which are all of its file.
pub fn apply<'c>(text: &[u8], counters: impl IntoIterator<Item = &'c Counter>) -> Vec<u8> {
    let mut insertions: Vec<(usize, &str)> = counters
        .into_iter()
        .flat_map(|counter| &counter.insertions)
        .map(|(at, what)| (*at, what.as_str()))
        .collect();
    // Where one statement ends and the next begins at one offset, the end comes first.
    insertions.sort_by_key(|&(at, what)| (at, !what.starts_with(" }")));
    let mut out = Vec::with_capacity(text.len() + 64 * insertions.len());
    let mut done = 0;
    for (at, what) in insertions {
        out.extend_from_slice(text.get(done..at).unwrap_or_default());
        out.extend_from_slice(what.as_bytes());
        done = at;
    }
    out.extend_from_slice(text.get(done..).unwrap_or_default());
    out
}
