//! Sections `BIND`, `ROWS`, `BFUN`, `BINL`: the build, its line rows, functions and inlined calls.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use super::heads::read_hash;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Binding, BoundFunction, BoundInline, FileId, FunctionId, Row};

const BUILD_ID: Column = Column(0);
const TEXT_HASH: Column = Column(1);
/// Executable and producer.
const ABOUT: Column = Column(2);
const OTHER_FILES: Column = Column(3);
const LINKAGE_NAMES: Column = Column(4);

pub(crate) fn write_build<'a>(sink: &mut Sink<'a, '_>, binding: &'a Binding) {
    sink.columns.at(BUILD_ID).bytes(&binding.build_id);
    sink.columns.at(TEXT_HASH).bytes(&binding.text_hash);
    sink.text(ABOUT, &binding.executable);
    sink.text(ABOUT, &binding.producer);
    for file in &binding.other_files {
        sink.text(OTHER_FILES, file);
    }
    for name in &binding.linkage_names {
        sink.text(LINKAGE_NAMES, name);
    }
}

/// A binding with everything but the tables.
pub(crate) fn read_build(mut source: Source<'_, '_>) -> Result<Binding, ReadError> {
    let build_id = source.columns.at(BUILD_ID).rest().to_vec();
    let text_hash = read_hash(&mut source.columns, TEXT_HASH)?;
    let executable = source.text(ABOUT)?;
    let producer = source.text(ABOUT)?;
    let mut other_files = Vec::with_capacity(source.columns.left(OTHER_FILES));
    while source.columns.left(OTHER_FILES) > 0 {
        other_files.push(source.text(OTHER_FILES)?);
    }
    let mut linkage_names = Vec::with_capacity(source.columns.left(LINKAGE_NAMES));
    while source.columns.left(LINKAGE_NAMES) > 0 {
        linkage_names.push(source.text(LINKAGE_NAMES)?);
    }
    source.columns.finish()?;
    Ok(Binding {
        build_id,
        text_hash,
        executable,
        producer,
        other_files,
        linkage_names,
        ..Binding::default()
    })
}

const ROW_START: Column = Column(0);
const ROW_LENGTH: Column = Column(1);
const ROW_FILE: Column = Column(2);
const ROW_LINE: Column = Column(3);
const ROW_COLUMN: Column = Column(4);

pub(crate) fn write_rows(out: &mut ColumnsOut, rows: &[Row]) {
    let (mut end, mut file, mut line) = (0, 0, 0);
    for row in rows {
        out.at(ROW_START).after64(end, row.start);
        out.at(ROW_LENGTH).after64(row.start, row.end);
        out.at(ROW_FILE).near64(file, file_code(row.file));
        out.at(ROW_LINE).near32(line, row.line);
        out.at(ROW_COLUMN)
            .unsigned(u64::from(row.column) << 1 | u64::from(row.statement));
        (end, file, line) = (row.end, file_code(row.file), row.line);
    }
}

pub(crate) fn read_rows(mut columns: Columns<'_>) -> Result<Vec<Row>, ReadError> {
    let mut rows = Vec::with_capacity(columns.left(ROW_COLUMN));
    let (mut end, mut file, mut line) = (0, 0, 0);
    while columns.left(ROW_COLUMN) > 0 {
        let start = columns.at(ROW_START).after64(end)?;
        end = columns.at(ROW_LENGTH).after64(start)?;
        file = columns.at(ROW_FILE).near64(file)?;
        line = columns.at(ROW_LINE).near32(line)?;
        let cursor = columns.at(ROW_COLUMN);
        let code = cursor.unsigned()?;
        let column =
            u32::try_from(code >> 1).map_err(|_| cursor.malformed("a column has more than 32 bits"))?;
        rows.push(Row {
            start,
            end,
            file: from_file_code(&mut columns, ROW_FILE, file)?,
            line,
            column,
            statement: code & 1 == 1,
        });
    }
    columns.finish()?;
    Ok(rows)
}

/// Even for a file of the map, odd for one of `other_files`.
fn file_code(file: Result<FileId, u32>) -> u64 {
    match file {
        Ok(file) => u64::from(number(file)) << 1,
        Err(other) => u64::from(other) << 1 | 1,
    }
}

fn from_file_code(
    columns: &mut Columns<'_>,
    column: Column,
    code: u64,
) -> Result<Result<FileId, u32>, ReadError> {
    let cursor = columns.at(column);
    let Ok(raw) = u32::try_from(code >> 1) else {
        return Err(cursor.malformed("a file number has more than 32 bits"));
    };
    Ok(if code & 1 == 0 {
        Ok(cursor.id(raw)?)
    } else {
        Err(raw)
    })
}

const START: Column = Column(0);
const LENGTH: Column = Column(1);
const FUNCTION: Column = Column(2);
const NAME: Column = Column(3);
const FRAME_BASE: Column = Column(4);
const OPTIMISED: Column = Column(5);
const PARENT: Column = Column(5);
const CALL_FILE: Column = Column(6);
const CALL_LINE: Column = Column(7);
const CALL_COLUMN: Column = Column(8);
/// Of both; empty where no function has a linkage name.
const LINKAGE_NAME: Column = Column(9);

pub(crate) fn write_functions<'a>(sink: &mut Sink<'a, '_>, functions: &'a [BoundFunction]) {
    let (mut end, mut id) = (0, 0);
    let has_names = functions.iter().any(|function| function.linkage_name.is_some());
    let mut linkage_name = 0;
    for function in functions {
        sink.columns.at(START).after64(end, function.start);
        sink.columns.at(LENGTH).after64(function.start, function.end);
        id = write_function(sink, id, function.function);
        sink.text(NAME, &function.name);
        if has_names {
            linkage_name = write_linkage_name(sink, linkage_name, function.linkage_name);
        }
        sink.blob(FRAME_BASE, &function.frame_base);
        sink.columns.at(OPTIMISED).unsigned(u64::from(function.optimised));
        end = function.end;
    }
}

pub(crate) fn read_functions(mut source: Source<'_, '_>) -> Result<Vec<BoundFunction>, ReadError> {
    let mut functions = Vec::with_capacity(source.columns.left(FRAME_BASE));
    let has_names = source.columns.left(LINKAGE_NAME) > 0;
    let mut linkage_name = 0;
    let (mut end, mut id) = (0, 0);
    while source.columns.left(FRAME_BASE) > 0 {
        let start = source.columns.at(START).after64(end)?;
        end = source.columns.at(LENGTH).after64(start)?;
        functions.push(BoundFunction {
            start,
            end,
            function: read_function(&mut source.columns, &mut id)?,
            name: source.text(NAME)?,
            linkage_name: read_linkage_name(&mut source.columns, has_names, &mut linkage_name)?,
            frame_base: source.blob(FRAME_BASE)?,
            optimised: read_flag(&mut source.columns)?,
        });
    }
    source.columns.finish()?;
    Ok(functions)
}

fn read_flag(columns: &mut Columns<'_>) -> Result<bool, ReadError> {
    let cursor = columns.at(OPTIMISED);
    match cursor.unsigned()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(cursor.malformed("a flag is neither 0 nor 1")),
    }
}

/// Inlined calls start near the one around them, or near the one before when there is none.
pub(crate) fn write_inlines<'a>(sink: &mut Sink<'a, '_>, inlines: &'a [BoundInline]) {
    let (mut id, mut file, mut line) = (0, 0, 0);
    let has_names = inlines.iter().any(|inline| inline.linkage_name.is_some());
    let mut linkage_name = 0;
    for (index, inline) in inlines.iter().enumerate() {
        let near = start_of_parent(&inlines[..index], inline.parent);
        sink.columns.at(PARENT).parent(index as u32, inline.parent);
        sink.columns.at(START).near64(near, inline.start);
        sink.columns.at(LENGTH).after64(inline.start, inline.end);
        id = write_function(sink, id, inline.function);
        sink.text(NAME, &inline.name);
        if has_names {
            linkage_name = write_linkage_name(sink, linkage_name, inline.linkage_name);
        }
        sink.columns
            .at(CALL_FILE)
            .near64(file, file_code(inline.call_file));
        sink.columns.at(CALL_LINE).near32(line, inline.call_line);
        sink.columns
            .at(CALL_COLUMN)
            .unsigned(u64::from(inline.call_column));
        (file, line) = (file_code(inline.call_file), inline.call_line);
    }
}

pub(crate) fn read_inlines(mut source: Source<'_, '_>) -> Result<Vec<BoundInline>, ReadError> {
    let mut inlines = Vec::with_capacity(source.columns.left(CALL_COLUMN));
    let has_names = source.columns.left(LINKAGE_NAME) > 0;
    let mut linkage_name = 0;
    let (mut id, mut file, mut line) = (0, 0, 0);
    while source.columns.left(CALL_COLUMN) > 0 {
        let parent = source.columns.at(PARENT).parent(inlines.len() as u32)?;
        let near = start_of_parent(&inlines, parent);
        let start = source.columns.at(START).near64(near)?;
        let end = source.columns.at(LENGTH).after64(start)?;
        let function = read_function(&mut source.columns, &mut id)?;
        let name = source.text(NAME)?;
        let named = read_linkage_name(&mut source.columns, has_names, &mut linkage_name)?;
        file = source.columns.at(CALL_FILE).near64(file)?;
        line = source.columns.at(CALL_LINE).near32(line)?;
        inlines.push(BoundInline {
            start,
            end,
            parent,
            function,
            name,
            linkage_name: named,
            call_file: from_file_code(&mut source.columns, CALL_FILE, file)?,
            call_line: line,
            call_column: source.columns.at(CALL_COLUMN).u32()?,
        });
    }
    source.columns.finish()?;
    Ok(inlines)
}

fn start_of_parent(earlier: &[BoundInline], parent: Option<u32>) -> u64 {
    match parent {
        Some(parent) => earlier.get(parent as usize),
        None => earlier.last(),
    }
    .map_or(0, |inline| inline.start)
}

/// 0 for none, else the index plus one, as a difference from the one before; returns what the next is written against.
fn write_linkage_name(sink: &mut Sink<'_, '_>, before: u32, name: Option<u32>) -> u32 {
    let code = name.map_or(0, |name| name + 1);
    sink.columns.at(LINKAGE_NAME).near32(before, code);
    code
}

fn read_linkage_name(
    columns: &mut Columns<'_>,
    has_them: bool,
    before: &mut u32,
) -> Result<Option<u32>, ReadError> {
    if has_them {
        *before = columns.at(LINKAGE_NAME).near32(*before)?;
    }
    Ok(before.checked_sub(1))
}

/// 0 for none, else the id plus one, as a difference from the one before; returns what the next is written against.
fn write_function(sink: &mut Sink<'_, '_>, before: u32, function: Option<FunctionId>) -> u32 {
    let code = function.map_or(0, |id| number(id) + 1);
    sink.columns.at(FUNCTION).near32(before, code);
    code
}

fn read_function(columns: &mut Columns<'_>, before: &mut u32) -> Result<Option<FunctionId>, ReadError> {
    let cursor = columns.at(FUNCTION);
    *before = cursor.near32(*before)?;
    match before.checked_sub(1) {
        None => Ok(None),
        Some(raw) => Ok(Some(cursor.id(raw)?)),
    }
}
