//! Line programs: which source position every address comes from.
//!
//! A row of the program holds from its address to the next row's; several rows at one address leave the last. Rows
//! that are no recommended breakpoint (`is_stmt` off) count as well: a task stops wherever it stops.

use crate::compiled::Md5;
use crate::debug::{Debug, Slice, UnitId, text};
use crate::elf::Image;
use crate::paths::{PathId, Paths, join, normalise};
use base::IdVec;
use gimli::{AttributeValue, ColumnType, LineProgramHeader};
use std::collections::{BTreeMap, BTreeSet};

/// A stretch of code of one position, before files are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawRow {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) path: PathId,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// It begins a statement.
    pub(crate) statement: bool,
    /// The unit whose program has it.
    pub(crate) unit: UnitId,
}

/// The files of all units, by the numbers that line programs and entries use.
pub(crate) struct UnitFiles<'d, 'a> {
    debug: &'d Debug<'a>,
    pub(crate) paths: Paths,
    known: IdVec<UnitId, BTreeMap<u64, Option<PathId>>>,
}

impl<'d, 'a> UnitFiles<'d, 'a> {
    pub(crate) fn new(debug: &'d Debug<'a>) -> Self {
        Self {
            debug,
            paths: Paths::default(),
            known: debug.units.iter().map(|_| BTreeMap::new()).collect(),
        }
    }

    /// The path of file `index` of `unit`.
    pub(crate) fn path(&mut self, unit: UnitId, index: u64) -> Option<PathId> {
        if let Some(&known) = self.known[unit].get(&index) {
            return known;
        }
        let with_lines = self.debug.with_lines(unit);
        let program = self.debug.units[with_lines].line_program.as_ref()?;
        let path = self.spell(with_lines, program.header(), index);
        let path = path.map(|path| self.paths.intern(path));
        self.known[unit].insert(index, path);
        path
    }

    /// The paths of all files of `unit`.
    pub(crate) fn all(&mut self, unit: UnitId) -> Vec<PathId> {
        let program = self.debug.units[self.debug.with_lines(unit)]
            .line_program
            .as_ref();
        // Files count from 1 before DWARF 5.
        let count = program.map_or(0, |program| program.header().file_names().len() as u64 + 1);
        (0..count).filter_map(|index| self.path(unit, index)).collect()
    }

    /// The checksums of all files that have one: of each those that the units give.
    pub(crate) fn texts(&mut self) -> BTreeMap<PathId, BTreeSet<Md5>> {
        let mut found: BTreeMap<PathId, BTreeSet<Md5>> = BTreeMap::new();
        for unit in self.debug.units.ids() {
            let with_lines = self.debug.with_lines(unit);
            let Some(program) = self.debug.units[with_lines].line_program.as_ref() else {
                continue;
            };
            let header = program.header();
            if !header.file_has_md5() {
                continue;
            }
            for index in 0..=header.file_names().len() as u64 {
                if let Some(file) = header.file(index)
                    && let Some(path) = self.path(unit, index)
                {
                    found.entry(path).or_default().insert(*file.md5());
                }
            }
        }
        found
    }

    fn spell(&self, unit: UnitId, header: &LineProgramHeader<Slice<'a>>, index: u64) -> Option<String> {
        let string = |value: AttributeValue<Slice<'a>>| self.debug.string(unit, value).map(text);
        let file = header.file(index)?;
        let name = string(file.path_name())?;
        let unit = &self.debug.units[unit];
        let compilation = unit.comp_dir.map(text).unwrap_or_default();
        let directory = file.directory(header).and_then(string).unwrap_or_default();
        Some(normalise(&join(&join(&compilation, &directory), &name)))
    }
}

/// The path of a unit's own source; `None` for units that have none, such as the one that LTO makes.
pub(crate) fn primary_path(debug: &Debug<'_>, unit: UnitId) -> Option<String> {
    let unit = &debug.units[unit];
    let name = unit.name.map(text).filter(|name| !name.starts_with('<'))?;
    let directory = unit.comp_dir.map(text).unwrap_or_default();
    Some(normalise(&join(&directory, &name)))
}

/// The rows of all line programs, sorted, disjoint, without empty ones.
///
/// Counts the line programs that end in an error; the rows before it are kept.
pub(crate) fn rows(image: &Image<'_>, files: &mut UnitFiles<'_, '_>) -> (Vec<RawRow>, usize) {
    let mut rows = Vec::new();
    let mut damaged = 0;
    let mut seen = BTreeSet::new();
    for (unit, parsed) in files.debug.units.iter_enumerated() {
        // Type units and the units of an LTO partition share one program. Other files have none about code.
        if files.debug.is_own(unit)
            && let Some(program) = parsed.line_program.clone()
            && seen.insert(program.header().offset().0)
        {
            let complete = program_rows(image, files, unit, program, &mut rows);
            damaged += usize::from(complete.is_err());
        }
    }
    // Stable: of two rows that start together, the one of the earlier unit stays first.
    rows.sort_by_key(|row: &RawRow| row.start);
    (disjoint(rows), damaged)
}

fn program_rows(
    image: &Image<'_>,
    files: &mut UnitFiles<'_, '_>,
    unit: UnitId,
    program: gimli::IncompleteLineProgram<Slice<'_>>,
    rows: &mut Vec<RawRow>,
) -> gimli::Result<()> {
    let mut program = program.rows();
    let mut open: Option<RawRow> = None;
    let mut begun: Vec<(PathId, u32)> = Vec::new();
    while let Some((_, row)) = program.next_row()? {
        let address = row.address();
        if let Some(mut before) = open.take() {
            before.end = address;
            if before.start < before.end {
                begun.clear();
                if image.is_code(before.start) {
                    rows.push(before);
                }
            } else if before.statement {
                // gcc numbers an address several times, and marks only the first time that a statement begins there.
                begun.push((before.path, before.line));
            }
        }
        if row.end_sequence() {
            begun.clear();
            continue;
        }
        let line = row
            .line()
            .map_or(0, |line| u32::try_from(line.get()).unwrap_or(0));
        open = files.path(unit, row.file_index()).map(|path| RawRow {
            start: address,
            end: address,
            path,
            line,
            statement: row.is_stmt() || begun.contains(&(path, line)),
            column: match row.column() {
                ColumnType::LeftEdge => 0,
                ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(0),
            },
            unit,
        });
    }
    Ok(())
}

/// Cuts away what an earlier row already covers, and joins neighbours of one position.
fn disjoint(rows: Vec<RawRow>) -> Vec<RawRow> {
    let mut kept: Vec<RawRow> = Vec::with_capacity(rows.len());
    for mut row in rows {
        if let Some(last) = kept.last_mut() {
            row.start = row.start.max(last.end);
            if row.start >= row.end {
                continue;
            }
            let position = |row: &RawRow| (row.path, row.line, row.column, row.statement);
            let same = position(&row) == position(last);
            if same && row.start == last.end {
                last.end = row.end;
                continue;
            }
        }
        kept.push(row);
    }
    kept
}
