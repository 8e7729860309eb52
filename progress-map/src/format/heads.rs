//! Sections `FILE`, `HEAD` and `DIAG`: what a reader needs to find a function, and what could not be analysed.

use super::bytes::{number, place};
use super::columns::{Budget, Column, Columns, ColumnsOut};
use super::spans::SpanColumns;
use super::strings::{Sink, Source, Strings};
use crate::error::ReadError;
use crate::{File, FileId, Function, FunctionId};
use base::{Cause, Confidence, Diagnostic, Doubt, IdVec, Reading, Severity, Span};

const FILE_SHARED: Column = Column(0);
const FILE_REST: Column = Column(1);
const FILE_BYTES: Column = Column(2);
const FILE_HASH: Column = Column(3);

/// Paths are sorted, so most of each stands in the one before.
pub(crate) fn write_files(out: &mut ColumnsOut, files: &IdVec<FileId, File>) {
    let mut before: &[u8] = &[];
    for file in files {
        let path = file.path.as_bytes();
        let shared = before.iter().zip(path).take_while(|(a, b)| a == b).count();
        out.at(FILE_SHARED).size(shared);
        out.at(FILE_REST).size(path.len() - shared);
        out.at(FILE_BYTES).bytes(&path[shared..]);
        out.at(FILE_HASH).bytes(&file.hash);
        before = path;
    }
}

pub(crate) fn read_files(
    mut columns: Columns<'_>,
    budget: &mut Budget,
) -> Result<IdVec<FileId, File>, ReadError> {
    let mut files: Vec<File> = Vec::with_capacity(columns.left(FILE_SHARED));
    while columns.left(FILE_SHARED) > 0 {
        let before = files.last().map_or("", |file| file.path.as_str()).as_bytes();
        let shared = columns.at(FILE_SHARED).count(before.len())?;
        let mut path = before[..shared].to_vec();
        let rest = columns.count(FILE_REST, FILE_BYTES)?;
        let cursor = columns.at(FILE_BYTES);
        budget.take(cursor.section(), shared + rest)?;
        path.extend_from_slice(cursor.take(rest)?);
        let path = String::from_utf8(path).map_err(|_| cursor.malformed("a path is not UTF-8"))?;
        let hash = read_hash(&mut columns, FILE_HASH)?;
        files.push(File { path, hash });
    }
    columns.finish()?;
    Ok(files.into())
}

/// 32 bytes of blake3.
pub(crate) fn read_hash(columns: &mut Columns<'_>, column: Column) -> Result<[u8; 32], ReadError> {
    let mut hash = [0; 32];
    hash.copy_from_slice(columns.at(column).take(32)?);
    Ok(hash)
}

/// What identifies a function: everything but its body. The texts are those of the map's string table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionHead<'i> {
    /// See [`Function::name`].
    pub name: &'i str,
    /// See [`Function::linkage_name`].
    pub linkage_name: Option<&'i str>,
    /// See [`Function::file`].
    pub file: FileId,
    /// See [`Function::is_static`].
    pub is_static: bool,
    /// See [`Function::span`].
    pub span: Span,
    /// See [`Function::confidence`].
    pub confidence: Confidence,
    /// The cause, name and line of [`Function::confidence_reason`].
    pub confidence_reason: Option<(Cause, &'i str, u32)>,
    /// See [`Function::reading`].
    pub reading: Reading,
}

impl FunctionHead<'_> {
    /// The function without its body.
    pub(crate) fn function(&self) -> Function {
        Function {
            name: self.name.to_owned(),
            linkage_name: self.linkage_name.map(str::to_owned),
            file: self.file,
            is_static: self.is_static,
            span: self.span,
            confidence: self.confidence,
            confidence_reason: self
                .confidence_reason
                .map(|(cause, name, line)| Doubt::about(cause, name, line)),
            reading: self.reading,
            points: IdVec::new(),
            edges: Vec::new(),
            scopes: IdVec::new(),
            loops: IdVec::new(),
        }
    }
}

/// A head as it stands in the section: texts by their numbers, which were found to be in the table and text. Who looks for one
/// function of a large map copies no name but its own.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    name: u32,
    linkage_name: Option<u32>,
    file: FileId,
    is_static: bool,
    span: Span,
    confidence: Confidence,
    /// Its cause, the number of its name, and its line.
    confidence_reason: Option<(Cause, u32, u32)>,
    reading: Reading,
}

impl Head {
    /// The same with its texts.
    pub(crate) fn with<'i>(&self, strings: &'i Strings) -> FunctionHead<'i> {
        FunctionHead {
            name: strings.known(self.name),
            linkage_name: self.linkage_name.map(|number| strings.known(number)),
            file: self.file,
            is_static: self.is_static,
            span: self.span,
            confidence: self.confidence,
            confidence_reason: self
                .confidence_reason
                .map(|(cause, name, line)| (cause, strings.known(name), line)),
            reading: self.reading,
        }
    }
}

const HEAD_NAME: Column = Column(0);
const HEAD_FLAGS: Column = Column(1);
const HEAD_LINKAGE: Column = Column(2);
const HEAD_REASON: Column = Column(3);
const HEAD_FILE: Column = Column(4);
const HEAD_SPAN: SpanColumns = SpanColumns::new(5);
const HEAD_BLOCKS: Column = Column(9);
/// Empty where all functions were read as they are written, as in maps of versions that did not say it.
const HEAD_READING: Column = Column(10);
const HEAD_CAUSE: Column = Column(11);
const HEAD_CAUSE_LINE: Column = Column(12);
const HEAD_CAUSE_NAME: Column = Column(13);

const FLAG_STATIC: u8 = 1;
/// Two bits from here: [`Confidence`].
const FLAG_CONFIDENCE: u8 = 1;
const FLAG_LINKAGE: u8 = 8;
const FLAG_REASON: u8 = 16;

/// `blocks` says how many functions each `BODY` section holds, so that one can be found without inflating the others.
pub(crate) fn write_heads<'a>(
    sink: &mut Sink<'a, '_>,
    functions: &'a IdVec<FunctionId, Function>,
    blocks: &[std::ops::Range<usize>],
) {
    let mut before = Previous::default();
    let tells_reading = functions
        .iter()
        .any(|function| function.reading != Reading::AsWritten);
    for function in functions {
        let mut flags = place(&Confidence::ALL, function.confidence) << FLAG_CONFIDENCE;
        if function.is_static {
            flags |= FLAG_STATIC;
        }
        // Most names are used once or twice, so that their numbers follow each other.
        let name = sink.number(function.name.as_bytes());
        sink.columns.at(HEAD_NAME).near32(before.name, name);
        if let Some(linkage) = &function.linkage_name {
            flags |= FLAG_LINKAGE;
            sink.text(HEAD_LINKAGE, linkage);
        }
        if let Some(doubt) = &function.confidence_reason {
            flags |= FLAG_REASON;
            write_doubt(sink, function.span.line, doubt);
        }
        sink.columns.at(HEAD_FLAGS).byte(flags);
        let file = number(function.file);
        sink.columns.at(HEAD_FILE).near32(before.file, file);
        HEAD_SPAN.write(&mut sink.columns, before.line_in(file), 0, function.span);
        if tells_reading {
            let column = sink.columns.at(HEAD_READING);
            column.one_of(&Reading::ALL, function.reading);
        }
        before = Previous {
            name,
            file,
            end_line: function.span.end_line,
        };
    }
    for block in blocks {
        sink.columns.at(HEAD_BLOCKS).size(block.len());
    }
}

/// Why a function that begins on `line` was not understood: as a sentence for readers that know no causes, and as what it is made of.
fn write_doubt<'a>(sink: &mut Sink<'a, '_>, line: u32, doubt: &'a Doubt) {
    let sentence = sink.number(doubt.to_string().into_bytes());
    sink.columns.at(HEAD_REASON).unsigned(u64::from(sentence));
    sink.columns.at(HEAD_CAUSE).one_of(Cause::ALL, doubt.cause);
    sink.columns.at(HEAD_CAUSE_LINE).near32(line, doubt.line);
    sink.text(HEAD_CAUSE_NAME, &doubt.name);
}

/// The same. Of a writer that knew no causes, or more of them, there is the sentence.
fn read_doubt(
    source: &mut Source<'_, '_>,
    line: u32,
    tells_cause: bool,
) -> Result<(Cause, u32, u32), ReadError> {
    let sentence = (Cause::Other, source.text_number(HEAD_REASON)?, 0);
    if !tells_cause {
        return Ok(sentence);
    }
    let code = source.columns.at(HEAD_CAUSE).byte()?;
    let at = source.columns.at(HEAD_CAUSE_LINE).near32(line)?;
    let name = source.text_number(HEAD_CAUSE_NAME)?;
    let cause = Cause::ALL.get(usize::from(code));
    Ok(cause.map_or(sentence, |&cause| (cause, name, at)))
}

/// The function before, next to which most numbers lie.
#[derive(Default)]
struct Previous {
    name: u32,
    file: u32,
    end_line: u32,
}

impl Previous {
    fn line_in(&self, file: u32) -> u32 {
        if file == self.file { self.end_line } else { 0 }
    }
}

/// The heads, and how many functions each `BODY` section holds.
pub(crate) fn read_heads(
    mut source: Source<'_, '_>,
) -> Result<(IdVec<FunctionId, Head>, Vec<usize>), ReadError> {
    let count = source.columns.left(HEAD_FLAGS);
    let mut heads = Vec::with_capacity(count);
    let mut before = Previous::default();
    let tells_reading = source.columns.left(HEAD_READING) > 0;
    let tells_cause = source.columns.left(HEAD_CAUSE) > 0;
    for _ in 0..count {
        let flags = source.columns.at(HEAD_FLAGS).byte()?;
        let confidence = Confidence::ALL.get(usize::from(flags >> FLAG_CONFIDENCE & 3));
        let Some(&confidence) = confidence.filter(|_| flags < 2 * FLAG_REASON) else {
            let cursor = source.columns.at(HEAD_FLAGS);
            return Err(cursor.malformed("no such flags of a function"));
        };
        let name = source.columns.at(HEAD_NAME).near32(before.name)?;
        let at_name = source.columns.at(HEAD_NAME);
        source.strings.checked(name, at_name, source.budget)?;
        let linkage_name = match flags & FLAG_LINKAGE {
            0 => None,
            _ => Some(source.text_number(HEAD_LINKAGE)?),
        };
        let cursor = source.columns.at(HEAD_FILE);
        let file_number = cursor.near32(before.file)?;
        let file = cursor.id(file_number)?;
        let span = HEAD_SPAN.read(&mut source.columns, before.line_in(file_number), 0)?;
        let confidence_reason = match flags & FLAG_REASON {
            0 => None,
            _ => Some(read_doubt(&mut source, span.line, tells_cause)?),
        };
        let reading = if tells_reading {
            let cursor = source.columns.at(HEAD_READING);
            cursor.one_of(&Reading::ALL, "no such reading of a function")?
        } else {
            Reading::AsWritten
        };
        before = Previous {
            name,
            file: file_number,
            end_line: span.end_line,
        };
        heads.push(Head {
            name,
            linkage_name,
            file,
            is_static: flags & FLAG_STATIC != 0,
            span,
            confidence,
            confidence_reason,
            reading,
        });
    }
    let mut blocks = Vec::with_capacity(source.columns.left(HEAD_BLOCKS));
    let mut left = count;
    while source.columns.left(HEAD_BLOCKS) > 0 {
        let block = source.columns.at(HEAD_BLOCKS).count(left)?;
        left -= block;
        blocks.push(block);
    }
    if left > 0 {
        let cursor = source.columns.at(HEAD_BLOCKS);
        return Err(cursor.malformed("the BODY sections do not hold all functions"));
    }
    source.columns.finish()?;
    Ok((heads.into(), blocks))
}

const DIAG_SEVERITY: Column = Column(0);
const DIAG_SUBJECT: Column = Column(1);
const DIAG_MESSAGE: Column = Column(2);
const DIAG_SPAN: SpanColumns = SpanColumns::new(3);

pub(crate) fn write_diagnostics<'a>(sink: &mut Sink<'a, '_>, diagnostics: &'a [Diagnostic]) {
    let mut line = 0;
    for diagnostic in diagnostics {
        let severity = sink.columns.at(DIAG_SEVERITY);
        severity.one_of(&Severity::ALL, diagnostic.severity);
        sink.text(DIAG_SUBJECT, &diagnostic.subject);
        sink.text(DIAG_MESSAGE, &diagnostic.message);
        DIAG_SPAN.write(&mut sink.columns, line, 0, diagnostic.span);
        line = diagnostic.span.line;
    }
}

pub(crate) fn read_diagnostics(mut source: Source<'_, '_>) -> Result<Vec<Diagnostic>, ReadError> {
    let count = source.columns.left(DIAG_SEVERITY);
    let mut diagnostics = Vec::with_capacity(count);
    let mut line = 0;
    for _ in 0..count {
        let cursor = source.columns.at(DIAG_SEVERITY);
        let severity = cursor.one_of(&Severity::ALL, "no such severity")?;
        let subject = source.text(DIAG_SUBJECT)?;
        let message = source.text(DIAG_MESSAGE)?;
        let span = DIAG_SPAN.read(&mut source.columns, line, 0)?;
        line = span.line;
        diagnostics.push(Diagnostic {
            severity,
            subject,
            span,
            message,
        });
    }
    source.columns.finish()?;
    Ok(diagnostics)
}
