//! One file from bytes to ir.

use crate::Source;
use crate::asked::Asked;
use crate::launch;
use crate::lower::File;
use crate::macros::{Macros, Visible, file_facts};
use crate::mixed;
use crate::position::Lines;
use crate::prepare::{Prepared, Raw, prepare};
use crate::renumbered;
use crate::token::lex;
use base::Diagnostic;
use base::Language;
use ir::{Defaults, MacroCalls, TypeNames, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree};

/// Files above this size are not read; offsets are 32 bits wide, and expansion makes text longer.
const SIZE_LIMIT: usize = 256 << 20;

/// Steps of the parser, in units of its progress callback, allowed per byte; text that is C needs far fewer.
const PARSE_STEPS_PER_BYTE: usize = 2;

/// Reads `source` with the macros of all files that it may include.
pub fn parse(source: &Source, macros: &Macros) -> Unit {
    parse_asking(source, macros).0
}

/// The same, with the names that it asked `macros` about: while `macros` says the same of these
/// ([`Macros::standing`]), the unit is the same.
pub fn parse_asking(source: &Source, macros: &Macros) -> (Unit, Asked) {
    let mut unit = Unit {
        path: source.path.to_owned(),
        content_hash: *blake3::hash(source.text).as_bytes(),
        ..Unit::default()
    };
    if source.text.len() > SIZE_LIMIT {
        unit.diagnostics.push(Diagnostic::error(
            source.path,
            "the file is too large to be source text",
        ));
        return (unit, Asked::default());
    }
    let text = launch::as_calls(source.text);
    let tokens = lex(&text);
    let lines = Lines::new(&text);
    let written = Source {
        path: source.path,
        text: &text,
    };
    let facts = file_facts(&written, &tokens);
    let visible = Visible::new(source.path, &facts, macros);
    let raw = Raw {
        text: &text,
        tokens: &tokens,
        lines: &lines,
        visible: &visible,
        language: visible.language(),
    };
    let Some((prepared, tree)) = prepare_and_parse(raw) else {
        let message = "the parser gave up; the text does not look like source code";
        unit.diagnostics.push(Diagnostic::error(source.path, message));
        return (unit, visible.asked());
    };
    unit = lower(source, raw, &prepared, &tree);
    drop(tree);
    if raw.language == Language::C {
        mixed::improve(&mut unit, source, raw, &prepared, macros);
    }
    (unit, visible.asked())
}

/// Lowers the tree of prepared text.
pub fn lower<'a>(source: &Source<'a>, raw: Raw<'a>, prepared: &'a Prepared, tree: &Tree) -> Unit {
    let mut unit = Unit {
        path: source.path.to_owned(),
        content_hash: *blake3::hash(source.text).as_bytes(),
        ..Unit::default()
    };
    let mut file = File {
        path: source.path,
        raw,
        prepared,
        renumbered: renumbered::notes(source.path, raw),
        functions: Vec::new(),
        globals: Vec::new(),
        global_index: BTreeMap::new(),
        global_references: BTreeSet::new(),
        function_names: BTreeSet::new(),
        address_taken_functions: BTreeSet::new(),
        macros: BTreeMap::new(),
        types: BTreeMap::new(),
        enumerators: BTreeMap::new(),
        members: BTreeSet::new(),
        classes: BTreeSet::new(),
        aliases: BTreeSet::new(),
        template_types: BTreeSet::new(),
        namespaces: BTreeSet::new(),
        scopes: Vec::new(),
        passed: BTreeSet::new(),
        outer: BTreeSet::new(),
        defaults: Defaults::default(),
        static_members: Vec::new(),
        call_operators: BTreeSet::new(),
        diagnostics: Vec::new(),
    };
    file.lower(tree.root_node());
    unit.functions = file.functions;
    unit.globals = file.globals;
    unit.defaults = file.defaults;
    unit.call_operators = file.call_operators.into_iter().collect();
    let attributes = prepared.attributes.iter();
    unit.attributes = attributes
        .map(|&(at, attribute)| (raw.lines.span(at, at).line, attribute))
        .collect();
    unit.names = TypeNames {
        classes: file.classes.into_iter().collect(),
        aliases: file.aliases.into_iter().collect(),
        namespaces: file.namespaces.into_iter().collect(),
        in_part: tree.root_node().has_error(),
    };
    unit.members = file.members.into_iter().collect();
    unit.address_taken_functions = file.address_taken_functions.into_iter().collect();
    // What a macro means in a header depends on who includes it: `macro_calls` is for these.
    let macros = file.macros.into_iter().filter(|_| unit.is_compiled_once());
    unit.macros = macros
        .filter_map(|(name, callees)| {
            Some(MacroCalls {
                name,
                callees: callees?,
                after_arguments: true,
            })
        })
        .collect();
    unit.diagnostics = file.diagnostics;
    unit
}

/// Prepares and parses. Where that leaves errors behind in functions that use macros, tries once more with those
/// macros as they are written, and keeps to that in the functions that it helps.
pub fn prepare_and_parse(raw: Raw<'_>) -> Option<(Prepared, Tree)> {
    let first = prepare(raw, &[]);
    let first_tree = parse_text(&first.text, raw.language)?;
    let suspects = suspect_bodies(&first, first_tree.root_node());
    if suspects.is_empty() {
        return Some((first, first_tree));
    }
    let second = prepare(raw, &suspects);
    let second_tree = parse_again(&second, &first, &first_tree, raw.language)?;
    let broken = broken_bodies(&second, second_tree.root_node());
    let helped: Vec<_> = suspects
        .iter()
        .filter(|body| !broken.contains(body))
        .cloned()
        .collect();
    if helped.is_empty() {
        return Some((first, first_tree));
    }
    if helped.len() == suspects.len() {
        return Some((second, second_tree));
    }
    drop((first, first_tree));
    let third = prepare(raw, &helped);
    let tree = parse_again(&third, &second, &second_tree, raw.language)?;
    Some((third, tree))
}

/// The raw ranges of the function bodies that have a syntax error and hold expansions that could be left out.
fn suspect_bodies(prepared: &Prepared, root: Node) -> Vec<Range<u32>> {
    let mut suspects = broken_bodies(prepared, root);
    suspects.retain(|body| {
        let at = prepared.optional.partition_point(|offset| *offset < body.start);
        prepared
            .optional
            .get(at)
            .is_some_and(|offset| body.contains(offset))
    });
    suspects
}

/// The raw ranges of the function bodies that have a syntax error.
fn broken_bodies(prepared: &Prepared, root: Node) -> Vec<Range<u32>> {
    if !root.has_error() {
        return Vec::new();
    }
    let errors = error_ranges(root);
    let broken = |(start, end): &&(u32, u32)| {
        // The errors are in order, and the outermost ones do not overlap.
        let from = errors.partition_point(|error| error.end < *start);
        errors.get(from).is_some_and(|error| error.start <= *end)
    };
    let raw = |(start, end): &(u32, u32)| prepared.map.raw_start(*start)..prepared.map.raw_end(*end);
    prepared.bodies.iter().filter(broken).map(raw).collect()
}

/// The outermost errors, in order.
fn error_ranges(root: Node) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            found.push(node.start_byte() as u32..node.end_byte() as u32);
        }
        if !broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Parses prepared text, with a bound on the work.
pub fn parse_text(text: &[u8], language: Language) -> Option<Tree> {
    parse_with(text, language, None)
}

/// Parses `after`, which is `before` with other bodies of functions; `tree` is the tree of that, whose other parts are taken over.
fn parse_again(after: &Prepared, before: &Prepared, tree: &Tree, language: Language) -> Option<Tree> {
    let Some(edits) = changed_bodies(before, after) else {
        return parse_text(&after.text, language);
    };
    let (old, new) = (Lines::new(&before.text), Lines::new(&after.text));
    let point = |lines: &Lines, offset: u32| {
        let (row, column) = lines.at(offset);
        Point::new(row as usize - 1, column as usize - 1)
    };
    let mut tree = tree.clone();
    // From the last to the first: what stands before an edit keeps its place.
    for ((start, old_end), (new_start, new_end)) in edits.into_iter().rev() {
        let length = (new_end - new_start) as usize;
        let from = point(&old, start);
        let (first, last) = (point(&new, new_start), point(&new, new_end));
        let end = match last.row - first.row {
            0 => Point::new(from.row, from.column + last.column - first.column),
            rows => Point::new(from.row + rows, last.column),
        };
        tree.edit(&InputEdit {
            start_byte: start as usize,
            old_end_byte: old_end as usize,
            new_end_byte: start as usize + length,
            start_position: from,
            old_end_position: point(&old, old_end),
            new_end_position: end,
        });
    }
    parse_with(&after.text, language, Some(&tree))
}

/// A range of the text before and one of the text after.
type Change = ((u32, u32), (u32, u32));

/// The bodies of functions that differ; `None` if something else does.
fn changed_bodies(before: &Prepared, after: &Prepared) -> Option<Vec<Change>> {
    if before.bodies.len() != after.bodies.len() {
        return None;
    }
    let mut changes = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (&(old, old_end), &(new, new_end)) in before.bodies.iter().zip(&after.bodies) {
        // No text stands between a body and the one around it, which ends later: then all is parsed.
        if slice(before, old_at, old)? != slice(after, new_at, new)? {
            return None;
        }
        if slice(before, old, old_end)? != slice(after, new, new_end)? {
            changes.push(((old, old_end), (new, new_end)));
        }
        (old_at, new_at) = (old_end, new_end);
    }
    let end = |prepared: &Prepared| prepared.text.len() as u32;
    let rest = slice(before, old_at, end(before))? == slice(after, new_at, end(after))?;
    rest.then_some(changes)
}

/// The prepared text between two offsets; `None` if there is no such.
fn slice(prepared: &Prepared, from: u32, to: u32) -> Option<&[u8]> {
    prepared.text.get(from as usize..to as usize)
}

fn parse_with(text: &[u8], language: Language, old: Option<&Tree>) -> Option<Tree> {
    let mut parser = Parser::new();
    let grammar = match language {
        Language::C => tree_sitter_c::LANGUAGE,
        Language::Cxx => tree_sitter_cpp::LANGUAGE,
        // Its own compiler reads it, with the plugin.
        Language::Fortran => return None,
    };
    parser.set_language(&grammar.into()).ok()?;
    let mut steps = 0;
    let limit = PARSE_STEPS_PER_BYTE * text.len() + 10_000;
    let mut progress = |_: &tree_sitter::ParseState| {
        steps += 1;
        if steps > limit {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut read = |offset: usize, _| text.get(offset..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut read, old, Some(options))
}
