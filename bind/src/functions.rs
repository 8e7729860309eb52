//! Functions and inlined calls of the binding, and which function of the map each of them is.
//!
//! A function in several pieces gives one record per piece, and an inlined call one record per piece of it inside
//! one record of its parent. So one record is one stretch of code, and a lookup by address needs no lists of ranges.

use crate::debug::clip;
use crate::paths::PathId;
use crate::walk::{Forest, Node, NodeId, Origin, OriginId};
use base::IdVec;
use progress_map::{BoundFunction, BoundInline, FileId, FunctionId, FunctionInstance, Map};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// One record of the binding that belongs to a node, with the code it stands for.
pub(crate) type Piece = (FunctionInstance, Range<u64>);

/// The tables of functions and inlined calls.
pub(crate) struct Layout {
    pub(crate) functions: Vec<BoundFunction>,
    pub(crate) inlines: Vec<BoundInline>,
    /// The linker's names of functions, with their numbers.
    pub(crate) linkage_names: BTreeMap<String, u32>,
    /// The records of every node.
    pub(crate) pieces: IdVec<NodeId, Vec<Piece>>,
    /// Addresses that two different functions claim.
    pub(crate) contested: Vec<Range<u64>>,
}

/// What the identification of functions found.
pub(crate) struct Identified {
    /// The map's function for each function of the source.
    pub(crate) functions: IdVec<OriginId, Option<FunctionId>>,
    /// Functions that the map has under this name in this file, but on other lines than the debug info says.
    pub(crate) elsewhere: Vec<(FunctionId, u32)>,
}

/// The function's name without what compilers add to the name of a part or copy.
pub(crate) fn source_name(name: &str) -> &str {
    const SUFFIXES: [&str; 7] = [
        "._omp_fn.",
        ".constprop.",
        ".part.",
        ".isra.",
        ".cold",
        ".lto_priv.",
        ".omp_outlined",
    ];
    let name = without_template_arguments(name);
    let end = SUFFIXES.iter().filter_map(|suffix| name.find(suffix)).min();
    match end {
        Some(end) if end > 0 => &name[..end],
        _ => name,
    }
}

/// The name of a C++ function as its source writes it: without the arguments of a template. One function of the source
/// may have many instances (`step<int>`, `step<double>`).
fn without_template_arguments(name: &str) -> &str {
    // Longest first, so that `<<=` is not taken for `<`.
    const OPERATORS: [&str; 39] = [
        "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--",
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "<", ">", ",", "+", "-", "*", "/", "%", "&",
        "|", "^", "~", "!", "=",
    ];
    if let Some(rest) = name.strip_prefix("operator")
        && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    {
        let known = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
        return known.map_or(name, |operator| &name[.."operator".len() + operator.len()]);
    }
    match name.find('<') {
        Some(open) if open > 0 => name[..open].trim_end(),
        _ => name,
    }
}

/// Finds the map's function for every function of the source that has code.
///
/// A name alone is never enough: the file must be the same and the line of declaration must lie in the function.
/// Outlined parts (`f._omp_fn.0`) have no line of declaration; `first_row` gives the position of their first byte.
pub(crate) fn identify(
    map: &Map,
    forest: &Forest,
    files: &IdVec<PathId, Option<FileId>>,
    first_row: impl Fn(u64) -> Option<(PathId, u32)>,
) -> Identified {
    let mut by_name: BTreeMap<&str, Vec<FunctionId>> = BTreeMap::new();
    for (id, function) in map.functions.iter_enumerated() {
        by_name.entry(&function.name).or_default().push(id);
    }
    let mut starts: BTreeMap<OriginId, u64> = BTreeMap::new();
    for node in forest.nodes.iter().filter(|node| node.parent.is_none()) {
        if let Some(first) = node.ranges.first() {
            starts.entry(node.origin).or_insert(first.start);
        }
    }
    let mut elsewhere = Vec::new();
    let functions = forest.origins.iter_enumerated().map(|(id, origin)| {
        let position = match origin.declared {
            Some((path, line)) if line != 0 => Some((path, line)),
            _ => starts.get(&id).and_then(|&start| first_row(start)),
        };
        let (path, line) = position?;
        let file = files[path]?;
        let same_file = by_name.get(source_name(&origin.name)).into_iter().flatten();
        let same_file = Vec::from_iter(same_file.copied().filter(|&function| {
            let function = &map.functions[function];
            function.file == file
        }));
        let mut inside = Vec::from_iter(
            same_file
                .iter()
                .copied()
                .filter(|&function| map.functions[function].span.covers_line(line)),
        );
        if inside.is_empty() && origin.linkage_name.is_none() {
            elsewhere.extend(same_file.iter().map(|&function| (function, line)));
        }
        // A lambda within another: the line is that of a head, and the outer one's head comes first.
        inside.sort_by_key(|&function| std::cmp::Reverse(map.functions[function].span.line));
        match inside[..] {
            // Two definitions of one name on one line: neither can be told from the other.
            [one, other, ..] if map.functions[one].span.line == map.functions[other].span.line => None,
            [one, ..] => Some(one),
            [] => None,
        }
    });
    let functions = IdVec::from_iter(functions);
    elsewhere.sort_unstable();
    elsewhere.dedup();
    Identified { functions, elsewhere }
}

/// Lays the nodes out as records.
///
/// `call_file` turns a path into the file of a call, `frame_base` gives the frame base of a function as the probe is to evaluate it, `symbols`
/// the names that the linker has for those that are [without](without_linkage_name), by their first address.
pub(crate) fn layout(
    forest: &Forest,
    identified: &IdVec<OriginId, Option<FunctionId>>,
    call_file: impl Fn(Option<PathId>) -> Result<FileId, u32>,
    frame_base: impl Fn(NodeId) -> Vec<u8>,
    symbols: &BTreeMap<u64, &str>,
) -> Layout {
    let mut layout = Layout {
        functions: Vec::new(),
        inlines: Vec::new(),
        linkage_names: BTreeMap::new(),
        pieces: forest.nodes.iter().map(|_| Vec::new()).collect(),
        contested: Vec::new(),
    };
    let mut children: IdVec<NodeId, Vec<NodeId>> = forest.nodes.iter().map(|_| Vec::new()).collect();
    let mut roots: Vec<(Range<u64>, NodeId)> = Vec::new();
    for (id, node) in forest.nodes.iter_enumerated() {
        match node.parent {
            Some(parent) => children[parent].push(id),
            None => roots.extend(node.ranges.iter().map(|range| (range.clone(), id))),
        }
    }
    roots.sort_by_key(|(range, id)| (range.start, range.end, *id));
    let mut owner: Option<NodeId> = None;
    for (mut range, id) in roots {
        let node = &forest.nodes[id];
        if let Some(last) = layout.functions.last_mut()
            && range.start < last.end
        {
            let same = owner.is_some_and(|owner| forest.nodes[owner].origin == node.origin);
            let twin =
                same || (last.name == name_of(forest, node) && last.function == identified[node.origin]);
            if !twin {
                // One piece of code for two functions (a linker folded them): the code does not tell which one runs.
                layout.contested.push(range.start..range.end.min(last.end));
                last.function = None;
            }
            range.start = last.end;
            if range.start >= range.end {
                continue;
            }
        }
        owner = Some(id);
        layout.functions.push(BoundFunction {
            start: range.start,
            end: range.end,
            function: identified[node.origin],
            name: name_of(forest, node),
            linkage_name: linkage_name(
                &mut layout.linkage_names,
                &forest.origins[node.origin],
                node.entry.and_then(|entry| symbols.get(&entry).copied()),
            ),
            frame_base: frame_base(id),
            optimised: node.optimised,
        });
        let instance = FunctionInstance::Concrete(index(layout.functions.len() - 1));
        layout.pieces[id].push((instance, range.clone()));
        layout.inlined_below(forest, identified, &children, id, range, &call_file);
    }
    layout
}

impl Layout {
    /// Records for all inlined calls in one piece of a function: each before those inside it, siblings by address.
    fn inlined_below(
        &mut self,
        forest: &Forest,
        identified: &IdVec<OriginId, Option<FunctionId>>,
        children: &IdVec<NodeId, Vec<NodeId>>,
        function: NodeId,
        range: Range<u64>,
        call_file: &impl Fn(Option<PathId>) -> Result<FileId, u32>,
    ) {
        let mut work = vec![];
        push_children(&mut work, forest, &children[function], None, &range);
        while let Some((parent, id, range)) = work.pop() {
            let node = &forest.nodes[id];
            let call = node.call;
            let record = index(self.inlines.len());
            self.inlines.push(BoundInline {
                start: range.start,
                end: range.end,
                parent,
                function: identified[node.origin],
                name: name_of(forest, node),
                linkage_name: linkage_name(&mut self.linkage_names, &forest.origins[node.origin], None),
                call_file: call_file(call.and_then(|call| call.path)),
                call_line: call.map_or(0, |call| call.line),
                call_column: call.map_or(0, |call| call.column),
            });
            self.pieces[id].push((FunctionInstance::Inlined(record), range.clone()));
            push_children(&mut work, forest, &children[id], Some(record), &range);
        }
    }
}

/// An inlined call to lay out: the record around it, the node, and the code.
type Work = (Option<u32>, NodeId, Range<u64>);

/// Puts the parts of `nodes` inside `within` on the stack, the first on top.
fn push_children(
    work: &mut Vec<Work>,
    forest: &Forest,
    nodes: &[NodeId],
    parent: Option<u32>,
    within: &Range<u64>,
) {
    let mut parts = Vec::new();
    for &id in nodes {
        parts.extend(clip(&forest.nodes[id].ranges, within).map(|range| (range, id)));
    }
    parts.sort_by_key(|(range, id)| (range.start, range.end, *id));
    let mut end = within.start;
    parts.retain_mut(|(range, _)| {
        // Siblings are disjoint in what compilers write; where they are not, the first keeps the code.
        range.start = range.start.max(end);
        end = end.max(range.end);
        range.start < range.end
    });
    work.extend(parts.into_iter().rev().map(|(range, id)| (parent, id, range)));
}

/// A linkage name longer than this would take longer to read than anybody has for it.
const LONGEST_NAME: usize = 1 << 12;

/// Some compilers write the arguments of a template into the function's name.
fn has_arguments(name: &str) -> bool {
    name.contains('<') && name.ends_with('>')
}

/// The first addresses of functions that debug info gives arguments of a template and no linkage name: those of local types, such as
/// templates that are given a lambda. The linker has one, with namespaces and classes.
pub(crate) fn without_linkage_name(forest: &Forest) -> BTreeSet<u64> {
    let is_one = |origin: &Origin| origin.linkage_name.is_none() && has_arguments(&origin.name);
    let nodes = forest
        .nodes
        .iter()
        .filter(|node| is_one(&forest.origins[node.origin]));
    nodes.filter_map(|node| node.entry).collect()
}

/// The number of a function's linkage name, if it tells more than its name in the source does; `symbol` is that of its code where debug info has none.
fn linkage_name(known: &mut BTreeMap<String, u32>, origin: &Origin, symbol: Option<&str>) -> Option<u32> {
    let linked = origin
        .linkage_name
        .as_deref()
        .filter(|name| name.starts_with("_Z"));
    let written = || Some(origin.name.as_str()).filter(|name| has_arguments(name));
    let name = linked.or_else(|| symbol.or_else(written))?;
    if name.len() > LONGEST_NAME {
        return None;
    }
    let next = index(known.len());
    Some(*known.entry(name.to_owned()).or_insert(next))
}

fn name_of(forest: &Forest, node: &Node) -> String {
    let origin = &forest.origins[node.origin];
    match (origin.name.as_str(), &origin.linkage_name) {
        ("", Some(linkage_name)) => linkage_name.clone(),
        ("", None) => "??".to_owned(),
        (name, _) => source_name(name).to_owned(),
    }
}

/// Records are counted by `u32`: a file of 4 GiB could not hold more.
fn index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::Die;
    use base::{Id, Span};
    use progress_map::generate::bare_function;

    /// A function of the source that debug info calls so and says to be declared there: in a path, on a line.
    fn origin(at: usize, name: &str, declared: Option<(usize, u32)>) -> Origin {
        Origin {
            die: Die::at(at),
            name: name.to_owned(),
            linkage_name: None,
            declared: declared.map(|(path, line)| (Id::from_index(path), line)),
        }
    }

    /// Functions with code, each of one range.
    fn forest(functions: Vec<(Origin, Range<u64>)>) -> Forest {
        let mut forest = Forest::default();
        for (origin, range) in functions {
            let die = origin.die;
            let entry = Some(range.start);
            let origin = forest.origins.push(origin);
            forest.nodes.push(Node {
                die,
                origin,
                parent: None,
                ranges: vec![range],
                entry,
                call: None,
                frame_base: Vec::new(),
                optimised: false,
            });
        }
        forest
    }

    /// Which of the map's functions, given by name, file and lines, an origin is. Paths 0 and 1 are the files 0 and 1, path 2 is none; the first byte
    /// of the code is on line 5 of path 0.
    fn check(functions: &[(&str, usize, Range<u32>)], origin: Origin, expected: Option<usize>) {
        let functions = functions.iter().map(|(name, file, lines)| {
            let span = Span {
                line: lines.start,
                end_line: lines.end,
                ..Span::default()
            };
            bare_function(name, Id::from_index(*file), span)
        });
        let map = Map {
            functions: functions.collect(),
            ..Map::default()
        };
        let files = IdVec::from_iter([Some(Id::from_index(0)), Some(Id::from_index(1)), None]);
        let forest = forest(vec![(origin, 0x1000..0x1010)]);
        let found = identify(&map, &forest, &files, |_| Some((Id::from_index(0), 5)));
        let found = found.functions.iter().next().expect("there is one function");
        assert_eq!(found.map(|id: FunctionId| id.index()), expected);
    }

    #[test]
    fn a_name_alone_identifies_no_function() {
        let functions = [("f", 0, 3..9), ("g", 0, 12..20)];
        check(&functions, origin(0, "f", Some((0, 3))), Some(0));
        // Another name; another file; a file that the map does not have; lines outside of it.
        check(&functions, origin(0, "h", Some((0, 3))), None);
        check(&functions, origin(0, "f", Some((1, 3))), None);
        check(&functions, origin(0, "f", Some((2, 3))), None);
        check(&functions, origin(0, "f", Some((0, 2))), None);
        check(&functions, origin(0, "g", Some((0, 3))), None);
        // An outlined part is where its code begins.
        check(&functions, origin(0, "f._omp_fn.0", None), Some(0));
        check(&functions, origin(0, "g._omp_fn.0", None), None);
    }

    #[test]
    fn of_two_definitions_on_one_line_neither_is_taken() {
        let around = ("f", 0, 3..9);
        check(
            &[around.clone(), ("f", 0, 5..7)],
            origin(0, "f", Some((0, 5))),
            Some(1),
        );
        check(&[around.clone(), around], origin(0, "f", Some((0, 3))), None);
    }

    #[test]
    fn code_that_two_functions_claim_is_of_neither() {
        let functions = |second: Origin, range| forest(vec![(origin(1, "f", None), 16..48), (second, range)]);
        let laid = |forest: &Forest, identified: [usize; 2]| {
            let identified = identified.map(|id| Some(Id::from_index(id)));
            let identified = IdVec::from_iter(identified);
            let laid = layout(forest, &identified, |_| Err(0), |_| Vec::new(), &BTreeMap::new());
            let functions = laid.functions.iter();
            let functions = functions.map(|each| (each.start, each.end, each.function.map(|id| id.index())));
            let contested = laid.contested.iter().map(|code| (code.start, code.end));
            (Vec::from_iter(functions), Vec::from_iter(contested))
        };
        let apart = functions(origin(2, "g", None), 48..64);
        assert_eq!(
            laid(&apart, [0, 1]),
            (vec![(16, 48, Some(0)), (48, 64, Some(1))], vec![])
        );
        let folded = functions(origin(2, "g", None), 16..48);
        assert_eq!(laid(&folded, [0, 1]), (vec![(16, 48, None)], vec![(16, 48)]));
        let overlapping = functions(origin(2, "g", None), 32..64);
        assert_eq!(
            laid(&overlapping, [0, 1]),
            (vec![(16, 48, None), (48, 64, Some(1))], vec![(32, 48)])
        );
        // One inline function, which two units describe.
        let twice = functions(origin(2, "f", None), 16..48);
        assert_eq!(laid(&twice, [0, 0]), (vec![(16, 48, Some(0))], vec![]));
    }

    #[test]
    fn names_lose_what_compilers_add() {
        assert_eq!(source_name("solve._omp_fn.3"), "solve");
        assert_eq!(source_name("solve.constprop.0.isra.0"), "solve");
        assert_eq!(source_name("solve.cold"), "solve");
        assert_eq!(source_name("_omp_fn"), "_omp_fn");
        assert_eq!(source_name("step<int, std::vector<int> >"), "step");
        assert_eq!(source_name("operator<< <char>"), "operator<<");
        assert_eq!(source_name("operator<"), "operator<");
        assert_eq!(source_name("operator()<int>"), "operator()");
        assert_eq!(
            source_name("operator std::vector<int>"),
            "operator std::vector<int>"
        );
        assert_eq!(source_name("operator+<int>"), "operator+");
        assert_eq!(source_name("operators<int>"), "operators");
        assert_eq!(source_name("~Grid"), "~Grid");
        assert_eq!(source_name("<lambda(int)>"), "<lambda(int)>");
    }
}
