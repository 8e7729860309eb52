//! Functions rebuilt from what a compiler's preprocessor made of their file (`cc -E`).
//!
//! Raw text gives positions, preprocessed text gives structure. The output's line markers tell from which file and line
//! each token comes ([`lines`]). The tokens of each line are held against the raw tokens of the same line: those that
//! are the same keep their place, and what lies between came out of a macro, and stands at its invocation
//! ([`align`]). Where that leaves more than one possibility nothing is claimed. The result goes through the same
//! preparation and the same lowering as any text.
//!
//! Only the build whose command was run is seen: both arms of a `#if` are in a function that was read from raw text,
//! one of them in a function that was rebuilt, and its [`ir::Function::reading`] says so.

mod align;
mod lines;
mod positions;

pub use positions::Positions;

use crate::Source;
use crate::macros::{Macros, Visible, file_facts};
use crate::parse::{lower, parse_text};
use crate::position::{Lines, PositionMap};
use crate::prepare::{Note, Raw, prepare};
use crate::token::{TokenKind, lex};
use align::{Aligner, RawRange};
use base::{Cause, Confidence, Doubt, Reading};
use ir::{Callee, ExprKind, Function, Unit};
use lines::{Line, own_lines};
use std::ops::Range;

/// Lines over which an invocation and what follows it may go.
const JOIN_LIMIT: usize = 40;

/// Outputs above this size are not read.
const SIZE_LIMIT: usize = 256 << 20;

/// Why preprocessor output could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// It has no line markers, or none that names a file first.
    NoMarkers,
    /// Its lines do not follow those of the file: it is of another file, or of another version of it.
    OtherText,
    /// It is too large.
    TooLarge,
    /// The parser gave up.
    NotC,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Mismatch::NoMarkers => "the preprocessor's output has no line markers",
            Mismatch::OtherText => "the preprocessor's output does not follow the lines of the file",
            Mismatch::TooLarge => "the preprocessor's output is too large",
            Mismatch::NotC => "the preprocessor's output does not look like C",
        })
    }
}

/// Whether some function of `unit` would gain from preprocessor output: it is not clean, or macros are left in it.
pub fn wants_preprocessing(unit: &Unit) -> bool {
    unit.functions.iter().any(wants)
}

fn wants(function: &Function) -> bool {
    let is_macro = |kind: &ExprKind| {
        matches!(
            kind,
            ExprKind::Call {
                callee: Callee::Macro(_),
                ..
            }
        )
    };
    function.confidence != Confidence::Clean || function.exprs.iter().any(|expr| is_macro(&expr.kind))
}

/// Rebuilds those functions of `unit`, which is [`parse`](crate::parse)'s of `source`, that gain from it. `outputs` are
/// what the preprocessor made of the file, once for each way in which the build compiles it; a function that they do
/// not agree on stays as it is. Says how many functions were rebuilt or added.
pub fn improve(
    unit: &mut Unit,
    source: &Source,
    outputs: &[Vec<u8>],
    macros: &Macros,
) -> Result<usize, Mismatch> {
    let mut read = Vec::new();
    for output in outputs {
        read.push(parse_preprocessed(source, output, macros)?);
    }
    let Some((first, others)) = read.split_first_mut() else {
        return Ok(0);
    };
    let text = |function: &Function| format!("{function:?}");
    let agreed = |function: &Function| {
        others.iter().all(|other| {
            let same = same_function(&other.functions, function).map(|same| &other.functions[same]);
            same.is_some_and(|same| text(same) == text(function))
        })
    };
    let mut rebuilt = 0;
    let mut understood: Vec<base::Span> = Vec::new();
    for mut function in std::mem::take(&mut first.functions) {
        if function.confidence == Confidence::Partial || !agreed(&function) {
            continue;
        }
        function.reading = Reading::Preprocessed;
        let span = function.span;
        let known = same_function(&unit.functions, &function);
        match known {
            Some(index) if wants(&unit.functions[index]) => unit.functions[index] = function,
            Some(_) => continue,
            // A macro that raw text does not show makes a function. Elsewhere a name that differs is a doubt.
            None if unit.functions.iter().any(|f| overlaps(f, &function)) => continue,
            None => unit.functions.push(function),
        }
        rebuilt += 1;
        understood.push(span);
    }
    if rebuilt > 0 {
        // What raw text left unexplained in them is explained.
        let inside = |line: u32| {
            understood
                .iter()
                .any(|span| (span.line..=span.end_line).contains(&line))
        };
        unit.diagnostics.retain(|warning| !inside(warning.span.line));
        unit.functions.sort_by_key(|f| (f.span.line, f.span.column));
        join_file_scope(unit, std::mem::take(&mut read));
    }
    Ok(rebuilt)
}

/// Which of these functions another reading of their file means by `function`: the one of its name that begins where it does, or else one that shares
/// lines with it. Lambdas in lambdas have one name and share lines.
pub fn same_function(functions: &[Function], function: &Function) -> Option<usize> {
    let begin = |function: &Function| (function.span.line, function.span.column);
    let may_be = |other: &Function| other.name == function.name && overlaps(other, function);
    let is_surely = |other: &Function| may_be(other) && begin(other) == begin(function);
    functions
        .iter()
        .position(is_surely)
        .or_else(|| functions.iter().position(may_be))
}

fn overlaps(one: &Function, other: &Function) -> bool {
    one.span.line <= other.span.end_line && other.span.line <= one.span.end_line
}

/// Adds what other readings of a unit know of file scope.
pub fn join_file_scope(unit: &mut Unit, rebuilt: Vec<Unit>) {
    for other in rebuilt {
        unit.members.extend(other.members);
        unit.address_taken_functions.extend(other.address_taken_functions);
        for global in other.globals {
            match unit.globals.iter_mut().find(|known| known.name == global.name) {
                Some(known) => {
                    known.address_taken |= global.address_taken;
                    if known.initial != global.initial && !global.is_extern {
                        known.initial = None;
                    }
                }
                None => unit.globals.push(global),
            }
        }
    }
    unit.members.sort();
    unit.members.dedup();
    unit.address_taken_functions.sort();
    unit.address_taken_functions.dedup();
}

/// Reads `source` from what the preprocessor made of it. Positions are those of `source`; a function of which some
/// tokens cannot be given a place is `Partial`.
pub fn parse_preprocessed(source: &Source, output: &[u8], macros: &Macros) -> Result<Unit, Mismatch> {
    if output.len() > SIZE_LIMIT || source.text.len() > SIZE_LIMIT {
        return Err(Mismatch::TooLarge);
    }
    let tokens = lex(source.text);
    let lines = Lines::new(source.text);
    let facts = file_facts(source, &tokens);
    let defined = Visible::new(source.path, &facts, macros);
    let as_written = Raw {
        text: source.text,
        tokens: &tokens,
        lines: &lines,
        visible: &defined,
        language: defined.language(),
    };
    let joined = join(as_written, output)?;
    let visible = Visible::new(source.path, &facts, macros).already_expanded();
    let raw = Raw {
        visible: &visible,
        ..as_written
    };
    let joined_tokens = lex(&joined.text);
    let joined_lines = Lines::new(&joined.text);
    let mut prepared = prepare(
        Raw {
            text: &joined.text,
            tokens: &joined_tokens,
            lines: &joined_lines,
            visible: &visible,
            language: raw.language,
        },
        &[],
    );
    prepared.map = prepared.map.through(&joined.map);
    for note in &mut prepared.notes {
        note.raw = joined.map.raw_start(note.raw.start)..joined.map.raw_end(note.raw.end);
    }
    prepared.notes.extend(joined.notes);
    prepared.optional.clear();
    let tree = parse_text(&prepared.text, raw.language).ok_or(Mismatch::NotC)?;
    Ok(lower(source, raw, &prepared, &tree))
}

/// The raw bytes of the raw tokens `range`.
fn bytes(raw: Raw<'_>, range: &Range<usize>) -> Range<u32> {
    let tokens = raw.tokens.get(range.clone()).unwrap_or_default();
    let start = tokens.first().map_or(0, |token| token.start);
    start..tokens.last().map_or(start, |token| token.end)
}

/// The tokens of a file's own lines, as the preprocessor left them, one raw line per line.
struct Joined {
    text: Vec<u8>,
    /// From offsets in `text` to raw ones.
    map: PositionMap,
    notes: Vec<Note>,
}

fn join<'a>(raw: Raw<'a>, output: &'a [u8]) -> Result<Joined, Mismatch> {
    let mut joined = Joined {
        text: Vec::with_capacity(raw.text.len()),
        map: PositionMap::default(),
        notes: Vec::new(),
    };
    let mut written = 1;
    each_stretch(raw, output, |lines, range, places| {
        let mut places = places.map(Vec::into_iter);
        joined.doubts(raw, lines, range.clone(), places.is_none());
        for line in lines {
            while written < line.number {
                joined.text.push(b'\n');
                written += 1;
            }
            joined.line(raw, output, line, &range, places.as_mut());
        }
    })?;
    joined.text.push(b'\n');
    Ok(joined)
}

/// Gives `visit` the file's own lines in `output`, in order: as many at a time as are aligned together, with the raw tokens that
/// they come from and the places of their tokens, if there is only one way to explain them.
fn each_stretch<'a>(
    raw: Raw<'a>,
    output: &'a [u8],
    mut visit: impl FnMut(&[Line], Range<usize>, Option<Vec<RawRange>>),
) -> Result<(), Mismatch> {
    let own = own_lines(output, raw.lines.line(raw.text.len() as u32))?;
    let mut ranges = Vec::with_capacity(own.len());
    let mut at = 0;
    for (index, line) in own.iter().enumerate() {
        let end = own.get(index + 1).map_or(u32::MAX, |next| next.number);
        ranges.push(raw_tokens(raw, &mut at, line.number, end));
    }
    let mut aligner = Aligner::new(raw, output);
    let mut first = 0;
    while first < own.len() {
        let (after, places) = align(&mut aligner, &own, &ranges, first);
        let range = ranges[first].start..ranges[after - 1].end;
        visit(&own[first..after], range, places);
        first = after;
    }
    Ok(())
}

/// Where the tokens of line `first` come from; of several lines, where compilers put what follows the closing parenthesis
/// of an invocation on a line of its own. The index of the line behind them comes first.
fn align(
    aligner: &mut Aligner<'_>,
    own: &[Line],
    ranges: &[Range<usize>],
    first: usize,
) -> (usize, Option<Vec<RawRange>>) {
    let found = aligner.places(ranges[first].clone(), &own[first].tokens);
    if found.is_some() {
        return (first + 1, found);
    }
    let mut tokens = own[first].tokens.clone();
    let last = own.len().min(first + JOIN_LIMIT);
    for next in first + 1..last {
        let range = ranges[first].start..ranges[next - 1].end;
        if ranges[next].start != range.end || !aligner.is_open(range) {
            break;
        }
        tokens.extend_from_slice(&own[next].tokens);
        let found = aligner.places(ranges[first].start..ranges[next].end, &tokens);
        if found.is_some() {
            return (next + 1, found);
        }
    }
    (first + 1, None)
}

/// The raw tokens of line `number` and of those before line `end`, as far as no directive comes in between.
fn raw_tokens(raw: Raw<'_>, at: &mut usize, number: u32, end: u32) -> Range<usize> {
    let line = |index: usize| raw.tokens.get(index).map(|token| raw.lines.line(token.start));
    let start_of_line = |line: u32| raw.lines.start(line);
    let from = *at;
    let first = from
        + raw
            .tokens
            .get(from..)
            .unwrap_or_default()
            .partition_point(|token| token.start < start_of_line(number));
    let mut after = first;
    while line(after).is_some_and(|line| line < end) && raw.tokens[after].kind != TokenKind::Directive {
        after += 1;
    }
    *at = first;
    first..after
}

impl Joined {
    /// Notes what is doubtful about `lines`, whose raw tokens are `range`.
    fn doubts(&mut self, raw: Raw<'_>, lines: &[Line], range: Range<usize>, unplaced: bool) {
        let number = lines.first().map_or(0, |line| line.number);
        let whole = bytes(raw, &range);
        let whole = whole.start..whole.end.max(whole.start + 1);
        if lines.iter().any(|line| line.foreign) {
            self.partial(whole.clone(), Doubt::at(Cause::ForeignText, number));
        }
        if unplaced {
            self.partial(whole, Doubt::at(Cause::MacrosOfLine, number));
        }
    }

    /// Writes the tokens of a line, which come from `places`, or from somewhere in the raw tokens `range`.
    fn line(
        &mut self,
        raw: Raw<'_>,
        output: &[u8],
        line: &Line,
        range: &Range<usize>,
        mut places: Option<&mut std::vec::IntoIter<RawRange>>,
    ) {
        let whole = bytes(raw, range);
        for (index, token) in line.tokens.iter().enumerate() {
            let offset = self.text.len() as u32;
            match places.as_mut().and_then(|places| places.next()) {
                Some(place) if place.written => self.map.copied(offset, place.raw.start),
                Some(place) => self.map.expanded(offset, place.raw.start, place.raw.end),
                None => self.map.expanded(offset, whole.start, whole.end),
            }
            self.text.extend_from_slice(token.text(output));
            // To the grammar `operator()` and `operator ( )` are not the same.
            let next = line.tokens.get(index + 1);
            if next.is_none_or(|next| next.start != token.end) {
                self.text.push(b' ');
            }
        }
    }

    fn partial(&mut self, raw: Range<u32>, doubt: Doubt) {
        self.notes.push(Note {
            raw,
            confidence: Confidence::Partial,
            doubt,
        });
    }
}
