//! What the debug info says of a program's code, and which of the files that it names are the map's.

use crate::debug::Debug;
use crate::elf::Image;
use crate::lines::{RawRow, UnitFiles, rows};
use crate::optimised::{llvm, rearranged};
use crate::paths::{Matching, PathId, match_files};
use crate::walk::{Forest, Node, NodeId, walk};
use base::IdVec;
use progress_map::{FileId, Function, Map, Row};
use std::collections::BTreeSet;

/// What the debug info says of the code, and which of the files that it names are the map's.
pub(crate) struct Described {
    rows: Vec<RawRow>,
    /// How many line tables were read in part.
    pub(crate) damaged_programs: usize,
    pub(crate) forest: Forest,
    paths: IdVec<PathId, String>,
    pub(crate) matching: Matching,
    other: OtherFiles,
}

impl Described {
    pub(crate) fn new(map: &Map, image: &Image<'_>, debug: &Debug<'_>, globals: &BTreeSet<&str>) -> Self {
        let mut files = UnitFiles::new(debug);
        let (rows, damaged_programs) = rows(image, &mut files);
        let forest = walk(image, &mut files, debug, globals);
        let paths = files.paths.paths;
        let matching = match_files(&map.files, &paths);
        let other = OtherFiles::new(&rows, &forest.nodes, &paths, &matching.files);
        Self {
            rows,
            damaged_programs,
            forest,
            paths,
            matching,
            other,
        }
    }

    /// The row of the code at an address.
    pub(crate) fn row_at(&self, address: u64) -> Option<&RawRow> {
        let after = self.rows.partition_point(|row| row.start <= address);
        let row = self.rows.get(after.checked_sub(1)?)?;
        (address < row.end).then_some(row)
    }

    /// Line and column of an address, where it is in the file of the function.
    pub(crate) fn position(&self, function: &Function, address: u64) -> Option<(u32, u32)> {
        let row = self.row_at(address)?;
        let is_there = self.matching.files[row.path] == Some(function.file);
        is_there.then_some((row.line, row.column))
    }

    /// The map's file of that path, or its number among the others.
    fn file_of(&self, path: PathId) -> Result<FileId, u32> {
        self.matching.files[path].ok_or_else(|| self.other.number(&self.paths[path]))
    }

    /// The file of an inlined call.
    pub(crate) fn call_file(&self, path: Option<PathId>) -> Result<FileId, u32> {
        match path {
            Some(path) => self.file_of(path),
            None => Err(self.other.number(NO_FILE)),
        }
    }

    /// The rows as the binding has them, each with whether a statement may be taken to begin there: that is so for all code of a unit
    /// that clang has left in the order of the source, and for none of one in which gcc has not even left the beginnings in order.
    pub(crate) fn bound_rows(&self, debug: &Debug<'_>) -> Vec<Row> {
        let mut in_order: IdVec<_, bool> = debug.units.ids().map(|unit| llvm(debug, unit)).collect();
        for node in self.forest.nodes.iter().filter(|node| node.optimised) {
            in_order[node.die.unit] = false;
        }
        let rearranged: IdVec<_, bool> = debug.units.ids().map(|unit| rearranged(debug, unit)).collect();
        let bound = self.rows.iter().map(|row| {
            let unit = debug.whole(row.unit);
            let begins = row.statement && !rearranged[unit];
            bound_row(row, self.file_of(row.path), begins || in_order[unit])
        });
        bound.collect()
    }

    /// The paths of files that the map does not have, by their numbers.
    pub(crate) fn other_files(&self) -> Vec<String> {
        self.other.0.clone()
    }
}

fn bound_row(row: &RawRow, file: Result<FileId, u32>, statement: bool) -> Row {
    Row {
        start: row.start,
        end: row.end,
        file,
        line: row.line,
        column: row.column,
        statement,
    }
}

/// Stands for the file of an inlined call that names none.
const NO_FILE: &str = "??";

/// Files that the map does not hold, sorted.
struct OtherFiles(Vec<String>);

impl OtherFiles {
    /// Those that rows and inlined calls name.
    fn new(
        rows: &[RawRow],
        nodes: &IdVec<NodeId, Node>,
        paths: &IdVec<PathId, String>,
        files: &IdVec<PathId, Option<FileId>>,
    ) -> Self {
        let mut used: IdVec<PathId, bool> = paths.iter().map(|_| false).collect();
        for row in rows {
            used[row.path] = true;
        }
        let mut nameless = false;
        for call in nodes.iter().filter_map(|node| node.call) {
            match call.path {
                Some(path) => used[path] = true,
                None => nameless = true,
            }
        }
        let mut other = Vec::from_iter(
            paths
                .iter_enumerated()
                .filter(|&(path, _)| used[path] && files[path].is_none())
                .map(|(_, spelling)| spelling.clone()),
        );
        other.extend(nameless.then(|| NO_FILE.to_owned()));
        other.sort();
        other.dedup();
        Self(other)
    }

    fn number(&self, path: &str) -> u32 {
        let found = self.0.binary_search_by(|other| other.as_str().cmp(path));
        // Every path that is asked for was put in by `new`.
        u32::try_from(found.unwrap_or_default()).unwrap_or(u32::MAX)
    }
}
