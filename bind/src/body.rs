//! The variables of one function instance, with their lexical scopes.

use crate::debug::{Debug, Die, text};
use crate::elf::Image;
use std::collections::BTreeSet;
use std::ops::Range;

/// A parameter or local variable as one instance of its function describes it.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) die: Die,
    /// The description that all instances share; `die` itself when there is none.
    pub(crate) origin: Die,
    pub(crate) name: String,
    /// `DW_AT_decl_line`, 0 when unknown.
    pub(crate) line: u32,
    /// The code of the innermost block around it; `None` for the whole instance.
    pub(crate) scope: Option<Vec<Range<u64>>>,
    /// It is described in an instance that has code, so that its location holds there.
    pub(crate) concrete: bool,
}

/// The variables of one function instance.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) candidates: Vec<Candidate>,
}

impl Body {
    /// Reads the variables of the function or inlined call `die` that have one of the `names`.
    pub(crate) fn read(image: &Image<'_>, debug: &Debug<'_>, die: Die, names: &BTreeSet<&str>) -> Self {
        let mut body = Self {
            candidates: Vec::new(),
        };
        let unit = die.unit;
        let Ok(mut cursor) = debug.units[unit].entries_at_offset(die.offset) else {
            return body;
        };
        let concrete = match cursor.next_dfs() {
            Ok(Some(entry)) if entry.has_children() => !debug.ranges(image, unit, entry).is_empty(),
            _ => return body,
        };
        // Blocks around the current entry, by depth; and the depth of a nested function whose variables are not ours.
        let mut blocks: Vec<(isize, Vec<Range<u64>>)> = Vec::new();
        let mut foreign: Option<isize> = None;
        while let Ok(Some(entry)) = cursor.next_dfs() {
            let depth = entry.depth();
            if depth <= 0 {
                break;
            }
            if foreign.is_some_and(|outer| depth > outer) {
                continue;
            }
            foreign = None;
            while blocks.last().is_some_and(|&(outer, _)| outer >= depth) {
                blocks.pop();
            }
            match entry.tag() {
                gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine => foreign = Some(depth),
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_try_block | gimli::DW_TAG_catch_block => {
                    blocks.push((depth, debug.ranges(image, unit, entry)));
                }
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    let die = Die {
                        unit,
                        offset: entry.offset(),
                    };
                    // An abstract description has blocks too, but no code to tell where they are.
                    let scope = blocks
                        .last()
                        .filter(|_| concrete)
                        .map(|(_, ranges)| ranges.clone());
                    body.candidates
                        .extend(candidate(debug, die, scope, concrete, names));
                }
                _ => {}
            }
        }
        body
    }
}

fn candidate(
    debug: &Debug<'_>,
    die: Die,
    scope: Option<Vec<Range<u64>>>,
    concrete: bool,
    names: &BTreeSet<&str>,
) -> Option<Candidate> {
    let chain = debug.origins(die);
    let name = chain
        .iter()
        .find_map(|(die, entry)| debug.string_attr(die.unit, entry, gimli::DW_AT_name))
        .map(text)
        .filter(|name| names.contains(name.as_str()))?;
    // A declaration (`extern int n;` in a block) names something at file scope.
    if chain.first()?.1.has_attr(gimli::DW_AT_declaration) {
        return None;
    }
    let line = chain
        .iter()
        .find_map(|(_, entry)| entry.attr_value(gimli::DW_AT_decl_line)?.udata_value());
    Some(Candidate {
        die,
        origin: chain.last()?.0,
        name,
        line: line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
        scope,
        concrete,
    })
}
