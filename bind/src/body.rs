//! The variables of one function instance, with their lexical scopes.

use crate::debug::{Debug, Die, clip};
use crate::elf::Image;
use crate::range;
use crate::trouble::Trouble;
use gimli::UnitOffset;
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
    /// The blocks around it, from the outermost to the innermost, by their place in the debug info.
    pub(crate) blocks: Vec<UnitOffset>,
    /// The compiler has made it.
    pub(crate) is_artificial: bool,
}

/// The variables of one function instance.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) candidates: Vec<Candidate>,
}

impl Body {
    /// Reads the variables of the function or inlined call `die`, which has code, that have one of the `names`, and those that loops over
    /// ranges hide.
    pub(crate) fn of_instance(
        image: &Image<'_>,
        debug: &Debug<'_>,
        die: Die,
        names: &BTreeSet<&str>,
    ) -> Self {
        Self::read(Some(image), debug, die, names)
    }

    /// Reads what all instances of a function share. Even if the entry has code of its own, that is not theirs: the
    /// variables have no scopes and are not concrete.
    pub(crate) fn of_origin(debug: &Debug<'_>, die: Die, names: &BTreeSet<&str>) -> Self {
        Self::read(None, debug, die, names)
    }

    fn read(image: Option<&Image<'_>>, debug: &Debug<'_>, die: Die, names: &BTreeSet<&str>) -> Self {
        let mut body = Self {
            candidates: Vec::new(),
        };
        let unit = die.unit;
        let Ok(mut cursor) = debug.units[unit].entries_at_offset(die.offset) else {
            return body;
        };
        if !matches!(cursor.next_dfs(), Ok(Some(entry)) if entry.has_children()) {
            return body;
        }
        // Blocks around the current entry, by depth; and the depth of a nested function whose variables are not ours.
        let mut blocks: Vec<Block> = Vec::new();
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
            while blocks.last().is_some_and(|block| block.depth >= depth) {
                blocks.pop();
            }
            match entry.tag() {
                gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine => foreign = Some(depth),
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_try_block | gimli::DW_TAG_catch_block => {
                    let ranges = image.map(|image| debug.ranges(image, unit, entry));
                    blocks.push(Block {
                        depth,
                        offset: entry.offset(),
                        ranges,
                    });
                }
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    let die = Die {
                        unit,
                        offset: entry.offset(),
                    };
                    let concrete = image.is_some();
                    body.candidates
                        .extend(candidate(debug, die, &blocks, concrete, names));
                }
                _ => {}
            }
        }
        body
    }
}

/// A block around an entry.
struct Block {
    depth: isize,
    offset: UnitOffset,
    ranges: Option<Vec<Range<u64>>>,
}

fn candidate(
    debug: &Debug<'_>,
    die: Die,
    blocks: &[Block],
    concrete: bool,
    names: &BTreeSet<&str>,
) -> Option<Candidate> {
    let chain = debug.origins(die);
    let name = debug
        .string_along(&chain, gimli::DW_AT_name)
        .filter(|name| names.contains(name.as_str()) || range::is_hidden(name))?;
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
        scope: blocks.last().and_then(|block| block.ranges.clone()),
        concrete,
        blocks: blocks.iter().map(|block| block.offset).collect(),
        is_artificial: chain
            .iter()
            .any(|(_, entry)| entry.has_attr(gimli::DW_AT_artificial)),
    })
}

/// The descriptions in one instance (`own`) of the variable called `name` that is declared on `line`.
///
/// `shared` describes all variables of the source function; an instance may lack some. `only`: the map has no other
/// variable of that name in the function.
pub(crate) fn choose<'b>(
    own: &'b Body,
    shared: &'b Body,
    name: &str,
    line: u32,
    only: bool,
) -> Result<Vec<&'b Candidate>, Trouble> {
    let named = |body: &'b Body| {
        body.candidates
            .iter()
            .filter(move |candidate| candidate.name == name)
    };
    let mut origins: BTreeSet<Die> = named(own)
        .chain(named(shared))
        .filter(|candidate| candidate.line == line)
        .map(|candidate| candidate.origin)
        .collect();
    if origins.is_empty() {
        origins = named(own)
            .chain(named(shared))
            .map(|candidate| candidate.origin)
            .collect();
        match origins.len() {
            0 => return Err(Trouble::NotFound),
            1 if only => {}
            1 => return Err(Trouble::NotFound),
            _ => return Err(Trouble::Ambiguous),
        }
    }
    let chosen = Vec::from_iter(named(own).filter(|candidate| origins.contains(&candidate.origin)));
    if chosen.is_empty() {
        // Only a static variable can have a place without being described in the instance.
        return Ok(named(shared)
            .filter(|candidate| origins.contains(&candidate.origin))
            .collect());
    }
    // Several variables of one name declared on one line can only be told apart by disjoint scopes.
    for (at, a) in chosen.iter().enumerate() {
        if chosen[..at]
            .iter()
            .any(|b| a.origin != b.origin && scopes_meet(a, b))
        {
            return Err(Trouble::Ambiguous);
        }
    }
    Ok(chosen)
}

fn scopes_meet(a: &Candidate, b: &Candidate) -> bool {
    match (&a.scope, &b.scope) {
        (Some(a), Some(b)) => a.iter().any(|range| clip(b, range).next().is_some()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variable called `i`: where it is described, what all instances share, its line, and the code of its block.
    fn variable((at, origin): (usize, usize), line: u32, scope: Range<u64>) -> Candidate {
        Candidate {
            die: Die::at(at),
            origin: Die::at(origin),
            name: "i".to_owned(),
            line,
            scope: Some(vec![scope]),
            concrete: true,
            blocks: Vec::new(),
            is_artificial: false,
        }
    }

    /// Which descriptions of `i` on line 5 are chosen, by their places.
    fn check(own: &[Candidate], shared: &[Candidate], only: bool, expected: Result<&[usize], Trouble>) {
        let [own, shared] = [own, shared].map(|candidates| Body {
            candidates: candidates.to_vec(),
        });
        let found = choose(&own, &shared, "i", 5, only);
        let places = |found: Vec<&Candidate>| Vec::from_iter(found.iter().map(|each| each.die.offset.0));
        assert_eq!(found.map(places), expected.map(<[usize]>::to_vec));
    }

    #[test]
    fn the_line_of_its_declaration_tells_a_variable_from_others_of_its_name() {
        let own = [variable((1, 11), 5, 0..8), variable((2, 12), 7, 8..16)];
        check(&own, &[], false, Ok(&[1]));
        // Two copies of one block.
        let own = [variable((1, 11), 5, 0..8), variable((2, 11), 5, 8..16)];
        check(&own, &[], false, Ok(&[1, 2]));
        check(&[], &[variable((11, 11), 5, 0..8)], false, Ok(&[11]));
    }

    #[test]
    fn a_variable_on_another_line_is_taken_only_where_there_is_no_other() {
        let other = [variable((1, 11), 7, 0..8)];
        check(&other, &[], true, Ok(&[1]));
        check(&other, &[], false, Err(Trouble::NotFound));
        check(&[], &[], true, Err(Trouble::NotFound));
        let others = [variable((1, 11), 7, 0..8), variable((2, 12), 8, 8..16)];
        check(&others, &[], true, Err(Trouble::Ambiguous));
        // The instance lacks one of the two that the function has.
        check(
            &other,
            &[variable((12, 12), 8, 8..16)],
            true,
            Err(Trouble::Ambiguous),
        );
    }

    #[test]
    fn two_variables_on_one_line_are_told_apart_by_disjoint_blocks_only() {
        let with = |scope| [variable((1, 11), 5, 0..8), variable((2, 12), 5, scope)];
        check(&with(8..16), &[], false, Ok(&[1, 2]));
        check(&with(7..16), &[], false, Err(Trouble::Ambiguous));
        let mut whole = with(8..16);
        whole[1].scope = None;
        check(&whole, &[], false, Err(Trouble::Ambiguous));
    }
}
