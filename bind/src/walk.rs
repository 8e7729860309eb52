//! One pass over all entries: functions with code, inlined calls below them, and the file-scope variables asked for.
//!
//! The result is a forest. A root is a function with code; below it stand the calls inlined into it. Lexical blocks
//! are transparent here. Abstract functions (the description that inlined copies share) have no code and give no
//! node, but they are what nodes of one source function have in common: their [`Origin`].

use crate::debug::{Debug, Die, Entry, UnitId, text};
use crate::elf::Image;
use crate::lines::UnitFiles;
use crate::optimised::optimised;
use crate::paths::PathId;
use base::{IdVec, define_id};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

define_id!(
    /// A function or an inlined call with code.
    NodeId, "node"
);
define_id!(
    /// A function of the source.
    OriginId, "origin"
);

/// A function of the source, as debug info describes it.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The entry at the end of the chain of abstract origins: what all instances of the function share.
    pub(crate) die: Die,
    /// `DW_AT_name`; empty when it has none.
    pub(crate) name: String,
    pub(crate) linkage_name: Option<String>,
    pub(crate) declared: Option<(PathId, u32)>,
}

/// A function with code, or a call inlined into one.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) die: Die,
    pub(crate) origin: OriginId,
    /// The function or inlined call around an inlined call; `None` for a function.
    pub(crate) parent: Option<NodeId>,
    /// Sorted, disjoint, not empty.
    pub(crate) ranges: Vec<Range<u64>>,
    /// The first instruction of a function that is executed.
    pub(crate) entry: Option<u64>,
    /// Where an inlined call stands.
    pub(crate) call: Option<Call>,
    /// The frame base of a function; empty for an inlined call.
    pub(crate) frame_base: Vec<u8>,
    /// See [`progress_map::BoundFunction::optimised`]; false for an inlined call.
    pub(crate) optimised: bool,
}

/// Where an inlined call stands in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) path: Option<PathId>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A definition at file scope.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) die: Die,
    /// The unit of the source file that defines it; an LTO build places it elsewhere.
    pub(crate) home: UnitId,
    pub(crate) external: bool,
}

/// A call instruction that debug info describes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSite {
    pub(crate) die: Die,
    /// The function or inlined call that it is in.
    pub(crate) node: NodeId,
    /// The address after it.
    pub(crate) after: Option<u64>,
    /// The same, unless it is a jump.
    pub(crate) return_address: Option<u64>,
    /// A jump in tail position: the frame of the caller is gone.
    pub(crate) is_jump: bool,
    /// The function that it names, or a declaration of it.
    pub(crate) target: Option<Die>,
    /// It names none: the call is one through a pointer.
    pub(crate) by_pointer: bool,
}

/// What the pass found.
#[derive(Default)]
pub(crate) struct Forest {
    pub(crate) origins: IdVec<OriginId, Origin>,
    /// Parents before children.
    pub(crate) nodes: IdVec<NodeId, Node>,
    pub(crate) globals: BTreeMap<String, Vec<Global>>,
    /// Calls that are described, in no order.
    pub(crate) calls: Vec<CallSite>,
    /// Origins by the entry that describes them.
    pub(crate) known: BTreeMap<Die, OriginId>,
    /// Units whose entries end in an error, with the reason.
    pub(crate) damaged: Vec<String>,
}

/// What an open entry means to the entries below it.
#[derive(Clone, Copy)]
enum Open {
    /// Code: inlined calls below belong to it.
    Node(NodeId),
    /// A function or call without code: nothing below it has any.
    Nothing,
}

/// Reads all units; `wanted` are the names of file-scope variables that someone needs.
pub(crate) fn walk<'a>(
    image: &Image<'_>,
    files: &mut UnitFiles<'_, 'a>,
    debug: &Debug<'a>,
    wanted: &BTreeSet<&str>,
) -> Forest {
    let mut walk = Walk {
        image,
        files,
        debug,
        wanted,
        forest: Forest::default(),
    };
    for unit in debug.units.ids() {
        if let Err(error) = walk.unit(unit) {
            walk.forest.damaged.push(error.to_string());
        }
    }
    walk.forest
}

struct Walk<'w, 'd, 'a, 'i> {
    image: &'w Image<'i>,
    files: &'w mut UnitFiles<'d, 'a>,
    debug: &'w Debug<'a>,
    wanted: &'w BTreeSet<&'w str>,
    forest: Forest,
}

impl<'a> Walk<'_, '_, 'a, '_> {
    fn unit(&mut self, unit: UnitId) -> gimli::Result<()> {
        // The entries that are open around the current one, with their depths. An explicit stack: a damaged file may
        // nest deeper than ours is.
        let mut open: Vec<(isize, Open)> = Vec::new();
        // The module of Fortran around the current entry, with its depth.
        let mut module: Option<(isize, String)> = None;
        let debug = self.debug;
        let mut cursor = debug.units[unit].entries();
        while let Some(entry) = cursor.next_dfs()? {
            let depth = entry.depth();
            while open.last().is_some_and(|&(outer, _)| outer >= depth) {
                open.pop();
            }
            module = module.filter(|&(outer, _)| outer < depth);
            let around = open.last().map(|&(_, open)| open);
            let die = Die {
                unit,
                offset: entry.offset(),
            };
            let found = match entry.tag() {
                gimli::DW_TAG_subprogram => self.function(die, entry),
                gimli::DW_TAG_inlined_subroutine => match around {
                    Some(Open::Node(parent)) => self.inlined(die, entry, parent),
                    _ => Open::Nothing,
                },
                gimli::DW_TAG_call_site | gimli::DW_TAG_GNU_call_site => {
                    if let Some(Open::Node(node)) = around {
                        self.call_site(die, entry, node);
                    }
                    continue;
                }
                gimli::DW_TAG_module => {
                    let name = debug.string_attr(unit, entry, gimli::DW_AT_name);
                    module = name.map(|name| (depth, text(name)));
                    continue;
                }
                gimli::DW_TAG_variable if around.is_none() => {
                    self.global(die, entry, module.as_ref().map(|(_, name)| name.as_str()));
                    continue;
                }
                _ => continue,
            };
            open.push((depth, found));
        }
        Ok(())
    }

    fn function(&mut self, die: Die, entry: &Entry<'a>) -> Open {
        let ranges = self.debug.ranges(self.image, die.unit, entry);
        if ranges.is_empty() {
            return Open::Nothing;
        }
        let frame_base = match entry.attr_value(gimli::DW_AT_frame_base) {
            Some(gimli::AttributeValue::Exprloc(expression)) => expression.0.to_vec(),
            // A list of frame bases is what gcc wrote before there was DW_OP_call_frame_cfa.
            _ => Vec::new(),
        };
        let node = Node {
            die,
            origin: self.origin(die),
            parent: None,
            entry: self.debug.first_address(self.image, die.unit, entry),
            ranges,
            call: None,
            frame_base,
            optimised: optimised(self.debug, die.unit, entry),
        };
        Open::Node(self.forest.nodes.push(node))
    }

    fn inlined(&mut self, die: Die, entry: &Entry<'a>, parent: NodeId) -> Open {
        let ranges = self.debug.ranges(self.image, die.unit, entry);
        if ranges.is_empty() {
            return Open::Nothing;
        }
        let number = |name| entry.attr_value(name).and_then(|value| value.udata_value());
        let small = |name| {
            number(name)
                .and_then(|value| u32::try_from(value).ok())
                .unwrap_or(0)
        };
        let file = entry.attr_value(gimli::DW_AT_call_file).and_then(file_index);
        let call = Call {
            path: file.and_then(|file| self.files.path(die.unit, file)),
            line: small(gimli::DW_AT_call_line),
            column: small(gimli::DW_AT_call_column),
        };
        let node = Node {
            die,
            origin: self.origin(die),
            parent: Some(parent),
            ranges,
            entry: None,
            call: Some(call),
            frame_base: Vec::new(),
            optimised: false,
        };
        Open::Node(self.forest.nodes.push(node))
    }

    fn call_site(&mut self, die: Die, entry: &Entry<'a>, node: NodeId) {
        let flag = |name| entry.attr_value(name) == Some(gimli::AttributeValue::Flag(true));
        // The GNU form names the return address like the first address of a function.
        let after = entry
            .attr_value(gimli::DW_AT_call_return_pc)
            .or_else(|| entry.attr_value(gimli::DW_AT_low_pc));
        let after = after.and_then(|value| {
            let address = self
                .debug
                .dwarf(die.unit)
                .attr_address(&self.debug.units[die.unit], value);
            address.ok().flatten()
        });
        let named = entry
            .attr_value(gimli::DW_AT_call_origin)
            .or_else(|| entry.attr_value(gimli::DW_AT_abstract_origin));
        let target = named.and_then(|value| self.debug.follow(die.unit, value));
        let is_jump = flag(gimli::DW_AT_call_tail_call) || flag(gimli::DW_AT_GNU_tail_call);
        self.forest.calls.push(CallSite {
            die,
            node,
            after,
            return_address: after.filter(|_| !is_jump),
            is_jump,
            by_pointer: named.is_none(),
            target: target.map(|target| definition(&self.debug.origins(target)).unwrap_or(target)),
        });
    }

    /// The source function that an entry is an instance of.
    fn origin(&mut self, die: Die) -> OriginId {
        let chain = self.debug.origins(die);
        let definition = definition(&chain).unwrap_or(die);
        if let Some(&known) = self.forest.known.get(&definition) {
            return known;
        }
        let string = |name| self.debug.string_along(&chain, name);
        let name = string(gimli::DW_AT_name);
        let linkage_name =
            string(gimli::DW_AT_linkage_name).or_else(|| string(gimli::DW_AT_MIPS_linkage_name));
        let declared = self.declared(&chain);
        let origin = self.forest.origins.push(Origin {
            die: definition,
            name: name.unwrap_or_default(),
            linkage_name,
            declared,
        });
        self.forest.known.insert(definition, origin);
        origin
    }

    /// The position of the definition rather than that of a declaration it refers to. A definition in the file of its
    /// declaration leaves the file out.
    fn declared(&mut self, chain: &[(Die, Entry<'a>)]) -> Option<(PathId, u32)> {
        let (at, line) = chain.iter().enumerate().find_map(|(at, (_, entry))| {
            let line = entry.attr_value(gimli::DW_AT_decl_line)?.udata_value()?;
            Some((at, u32::try_from(line).ok()?))
        })?;
        let (unit, file) = chain[at..].iter().find_map(|(die, entry)| {
            let file = file_index(entry.attr_value(gimli::DW_AT_decl_file)?)?;
            Some((die.unit, file))
        })?;
        Some((self.files.path(unit, file)?, line))
    }

    /// Notes a variable, which in a module of Fortran is known as `module::name`: each module has names of its own.
    fn global(&mut self, die: Die, entry: &Entry<'a>, module: Option<&str>) {
        let placed = entry.has_attr(gimli::DW_AT_location) || entry.has_attr(gimli::DW_AT_const_value);
        if !placed || self.wanted.is_empty() {
            return;
        }
        let chain = self.debug.origins(die);
        let name = self.debug.string_along(&chain, gimli::DW_AT_name);
        let name = name.map(|name| match module {
            Some(module) => format!("{module}::{name}"),
            None => name,
        });
        let Some(name) = name.filter(|name| self.wanted.contains(name.as_str())) else {
            return;
        };
        let home = chain.last().map_or(die.unit, |(last, _)| last.unit);
        let external = chain.iter().any(|(_, entry)| {
            entry.attr_value(gimli::DW_AT_external) == Some(gimli::AttributeValue::Flag(true))
        });
        self.forest
            .globals
            .entry(name)
            .or_default()
            .push(Global { die, home, external });
    }
}

/// The entry that all instances of a function share. Specifications lead on to a declaration, which has no body.
fn definition(chain: &[(Die, Entry<'_>)]) -> Option<Die> {
    chain
        .iter()
        .find(|(_, entry)| !entry.has_attr(gimli::DW_AT_abstract_origin))
        .map(|&(definition, _)| definition)
}

pub(crate) fn file_index(value: crate::debug::Value<'_>) -> Option<u64> {
    match value {
        gimli::AttributeValue::FileIndex(index) => Some(index),
        other => other.udata_value(),
    }
}
