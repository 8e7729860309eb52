//! Source text to the static half of a map.

use crate::exactly::read_exactly;
use crate::fragments::CompiledUnits;
use crate::reuse::{self, Reuse};
use base::{Diagnostic, FileKind};
use frontend::{Macros, MacrosOfFile, Source};
use progress_map::Map;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A source file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the build or the user named it: the map keeps it.
    pub path: String,
    /// Its bytes, in any encoding that shares ASCII.
    pub bytes: Vec<u8>,
}

/// How far [`map_sources`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapProgress {
    /// Definitions of so many files have been gathered.
    Gathered(usize),
    /// So many files have been parsed.
    Parsed(usize),
    /// All files are parsed; loops and variables are analysed over the whole program.
    Analysing,
}

/// Maps a set of files as one program.
///
/// The result does not depend on the order of the files, nor on the number of threads. Of two files of one path the
/// first counts. `progress` is called from worker threads, in no particular order.
pub fn map_sources(files: Vec<SourceFile>, progress: &(dyn Fn(MapProgress) + Sync)) -> Map {
    map_preprocessed(
        files,
        CompiledUnits::default(),
        &|_| Vec::new(),
        Parser::Tolerant,
        None,
        progress,
    )
}

/// Who reads what a build's preprocessor leaves of C files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parser {
    /// The parser that also reads raw text; where raw text leaves something open.
    Tolerant,
    /// The one that knows all types, and gives up a file for one construct that it does not know; wherever the build
    /// compiles a file. The tolerant one reads the rest.
    Exact,
}

/// The same, with what compilations have read of files that are not among them, and a build's preprocessor at hand: `preprocess` is asked for what it makes of the file at a path, once
/// for each way in which the build compiles it, when raw text leaves something open or `parser` reads nothing else;
/// nothing when it cannot say. Called from worker threads. With `reuse`, what was read of single files before is used where
/// that gives the same map.
pub fn map_preprocessed(
    files: Vec<SourceFile>,
    compiled: CompiledUnits,
    preprocess: &(dyn Fn(&str) -> Vec<Vec<u8>> + Sync),
    parser: Parser,
    reuse: Option<Reuse<'_>>,
    progress: &(dyn Fn(MapProgress) + Sync),
) -> Map {
    let (mut units, macros) = parse(files, preprocess, parser, reuse, progress);
    progress(MapProgress::Analysing);
    units.par_iter_mut().for_each(frontend::macro_calls(&macros));
    drop(macros);
    units.extend(compiled.into_units());
    let map = lov::analyse(&units);
    // Millions of small pieces of memory.
    units.into_par_iter().for_each(drop);
    map
}

/// Where the preprocessor's directives of a file of C or C++ begin: not those in comments and strings. `None` of a text of four gigabytes
/// and more.
pub fn directives(text: &[u8]) -> Option<BTreeSet<usize>> {
    u32::try_from(text.len()).ok()?;
    let all = tokens::lex(text).into_iter();
    let directives = all.filter(|token| token.kind == tokens::TokenKind::Directive);
    Some(directives.map(|token| token.start as usize).collect())
}

/// Makes the dependence graph of a program's sources. `progress` is called from worker threads.
pub fn dependence_graph(
    files: Vec<SourceFile>,
    reuse: Option<Reuse<'_>>,
    progress: &(dyn Fn(MapProgress) + Sync),
) -> Result<slicer::Graph, slicer::TooManyCallees> {
    dependence_graph_with(files, CompiledUnits::default(), reuse, progress)
}

/// The same of sources, and of what compilations have read of others.
pub fn dependence_graph_with(
    files: Vec<SourceFile>,
    compiled: CompiledUnits,
    reuse: Option<Reuse<'_>>,
    progress: &(dyn Fn(MapProgress) + Sync),
) -> Result<slicer::Graph, slicer::TooManyCallees> {
    let (mut units, macros) = parse(files, &|_| Vec::new(), Parser::Tolerant, reuse, progress);
    progress(MapProgress::Analysing);
    frontend::add_defaults(&mut units);
    frontend::add_macros(&mut units, &macros);
    drop(macros);
    units.extend(compiled.into_units());
    let graph = slicer::Graph::of_units(&units);
    units.into_par_iter().for_each(drop);
    graph
}

pub(crate) fn parse(
    mut files: Vec<SourceFile>,
    preprocess: &(dyn Fn(&str) -> Vec<Vec<u8>> + Sync),
    parser: Parser,
    reuse: Option<Reuse<'_>>,
    progress: &(dyn Fn(MapProgress) + Sync),
) -> (Vec<ir::Unit>, Macros) {
    // A stable sort: the first of two files of one path stays first.
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|later, first| later.path == first.path);
    let done = AtomicUsize::new(0);
    let advance = |step: fn(usize) -> MapProgress| progress(step(done.fetch_add(1, Ordering::Relaxed) + 1));
    // Macros come first: what a macro means in one file may be written in another.
    let parts: Vec<MacrosOfFile> = files
        .par_iter()
        .map(|file| {
            let part = MacrosOfFile::gather(source(file));
            advance(MapProgress::Gathered);
            part
        })
        .collect();
    let macros = Macros::merge(parts);
    done.store(0, Ordering::Relaxed);
    let kept = reuse.map(|reuse| reuse::Units::new(reuse, &macros));
    let units = files
        .into_par_iter()
        // A file's text is dropped as soon as it is parsed.
        .map(|file| {
            let mut unit = match &kept {
                Some(kept) => kept.read(&file),
                None => frontend::parse(&source(&file), &macros),
            };
            rebuild(&mut unit, &file, preprocess, parser, &macros);
            // All units are kept until the end: what their vectors took in advance is a third of them.
            for function in &mut unit.functions {
                function.exprs.shrink_to_fit();
                function.stmts.shrink_to_fit();
                function.locals.shrink_to_fit();
            }
            advance(MapProgress::Parsed);
            unit
        })
        .collect();
    drop(kept);
    (units, macros)
}

/// Rebuilds from preprocessor output what raw text left open, or all that `parser` can read.
fn rebuild(
    unit: &mut ir::Unit,
    file: &SourceFile,
    preprocess: &(dyn Fn(&str) -> Vec<Vec<u8>> + Sync),
    parser: Parser,
    macros: &Macros,
) {
    let exactly = parser == Parser::Exact && FileKind::of(&file.path) == Some(FileKind::C);
    if !exactly && !frontend::wants_preprocessing(unit) {
        return;
    }
    let outputs = preprocess(&file.path);
    let mut warnings = Vec::new();
    if exactly && let Err(why) = read_exactly(unit, &source(file), &outputs, macros) {
        warnings.push(format!("{why}; read by the tolerant parser"));
    }
    if frontend::wants_preprocessing(unit)
        && let Err(why) = frontend::improve(unit, &source(file), &outputs, macros)
    {
        warnings.push(format!("{why}; read from the text alone"));
    }
    let warning = |message| Diagnostic::warning(&file.path, base::Span::default(), message);
    unit.diagnostics.extend(warnings.into_iter().map(warning));
}

fn source(file: &SourceFile) -> Source<'_> {
    Source {
        path: &file.path,
        text: &file.bytes,
    }
}
