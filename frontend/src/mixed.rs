//! C++ in files of C: code for GPUs and bindings of C++ libraries, which builds compile as C++ whatever the file is called.
//!
//! When a file of C has functions that C does not explain, it is read once more, as C++. A function of the second reading
//! replaces what C made of its lines if it is not `Partial`, if all that C made of them is, and if words stand in it that
//! no program of C can have: a build that sees these compiles the whole function as C++. Everywhere else C stays the better
//! reading, since a file without such words may be anything that the grammar of C++ happens to accept.
//!
//! `f<T>(x)` is the one construct that both languages accept, with different meanings. Where `T` is known to be a type, what C
//! makes of the function does not count.

use crate::Source;
use crate::language::{is_for_gpus, only_cxx};
use crate::macros::{Macros, Visible, file_facts_as};
use crate::parse::{lower, prepare_and_parse};
use crate::prepare::{Prepared, Raw};
use crate::preprocessed::join_file_scope;
use crate::shape::declaration_word;
use crate::token::{Token, TokenKind, lex};
use base::{Cause, Confidence, Doubt, Language, Span};
use ir::{Function, Unit};

/// Tokens between the angle brackets of a template's arguments that are looked at.
const ARGUMENTS_LIMIT: usize = 24;

/// Replaces those functions of `unit`, read from `prepared` as C, that only C++ explains.
pub fn improve(unit: &mut Unit, source: &Source, raw: Raw<'_>, prepared: &Prepared, macros: &Macros) {
    let doubtful = |f: &Function| f.confidence == Confidence::Partial;
    let templates = template_calls(&prepared.text, raw.visible);
    let suspicious =
        !templates.is_empty() || !unit.diagnostics.is_empty() || unit.functions.iter().any(doubtful);
    let tokens = if suspicious {
        lex(&prepared.text)
    } else {
        Vec::new()
    };
    // A reference counts in the head of a function; in a body `(flags & MASK)` looks like one.
    let is_in_body = |at: usize| {
        let offset = tokens[at].start;
        let before = prepared.bodies.partition_point(|body| body.0 < offset);
        before
            .checked_sub(1)
            .is_some_and(|body| offset < prepared.bodies[body].1)
    };
    let speaks = |at: usize| {
        only_cxx(&prepared.text, &tokens, at) || is_reference(&prepared.text, &tokens, at) && !is_in_body(at)
    };
    let blanked = |token: &Token| is_for_gpus(token.text(raw.text));
    if !(0..tokens.len()).any(speaks)
        && templates.is_empty()
        && !(suspicious && raw.tokens.iter().any(blanked))
    {
        return;
    }
    for (start, _) in templates {
        doubt(unit, raw, prepared.map.raw_start(start));
    }
    let facts = file_facts_as(raw.text, raw.tokens, Language::Cxx);
    let visible = Visible::new(source.path, &facts, macros);
    // Another set of headers would be a dependence that nobody keeps (`Visible::asked`), and is rare.
    if !visible.sees_the_same(raw.visible) {
        return;
    }
    let as_cxx = Raw {
        visible: &visible,
        language: Language::Cxx,
        ..raw
    };
    let Some((prepared, tree)) = prepare_and_parse(as_cxx) else {
        raw.visible.note_asked(&visible);
        return;
    };
    let mut read = lower(source, as_cxx, &prepared, &tree);
    drop(tree);
    let marks = Marks::new(as_cxx, &prepared);
    adopt(unit, std::mem::take(&mut read.functions), raw, &marks);
    join_file_scope(unit, vec![read]);
    raw.visible.note_asked(&visible);
}

/// Prepared offsets of calls of templates, `f<T>(`, that C takes for two comparisons, and whether no name in them could be a
/// variable's: `f<int>(`.
fn template_calls(text: &[u8], visible: &Visible) -> Vec<(u32, bool)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(step) = text[from..].iter().position(|byte| *byte == b'<') {
        let open = from + step;
        from = open + 1;
        // Cheap tests first: most of these bytes are comparisons.
        let close = text[from..]
            .iter()
            .take(200)
            .position(|byte| matches!(byte, b'>' | b';' | b'{' | b'('));
        let Some(close) = close.map(|step| from + step).filter(|at| text[*at] == b'>') else {
            continue;
        };
        if text[close + 1..].trim_ascii_start().first() != Some(&b'(') {
            continue;
        }
        let inside = lex(&text[from..close]);
        let is_type = |token: &Token| {
            let word = token.text(&text[from..close]);
            token.kind == TokenKind::Ident
                && (declaration_word(word) == Some(true) || visible.is_visible_typedef(word))
        };
        let plain = |token: &Token| {
            matches!(token.kind, TokenKind::Ident | TokenKind::Number)
                || matches!(token.text(&text[from..close]), b"," | b"*" | b"::")
        };
        let named = text[..open]
            .trim_ascii_end()
            .last()
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let types = inside.len() <= ARGUMENTS_LIMIT && inside.iter().all(plain) && inside.iter().any(is_type);
        if named && types {
            let keyword = |token: &Token| declaration_word(token.text(&text[from..close])) == Some(true);
            found.push((open as u32, inside.iter().any(keyword)));
        }
    }
    found
}

/// Whether the token at `at` makes a reference of a parameter, `T &x,`, if it does not stand in an expression.
fn is_reference(text: &[u8], tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(|t| t.text(text)).unwrap_or_default();
    let ident = |at: usize| tokens.get(at).is_some_and(|t| t.kind == TokenKind::Ident);
    word(at) == b"&"
        && at > 0
        && (ident(at - 1) || word(at - 1) == b">")
        && ident(at + 1)
        && matches!(word(at + 2), b"," | b")")
}

/// Makes the functions partial in which the raw byte `offset` lies.
fn doubt(unit: &mut Unit, raw: Raw<'_>, offset: u32) {
    let (line, column) = raw.lines.at(offset);
    for function in &mut unit.functions {
        let span = function.span;
        let inside =
            (span.line, span.column) <= (line, column) && (line, column) < (span.end_line, span.end_column);
        if inside && function.confidence != Confidence::Partial {
            function.confidence = Confidence::Partial;
            function.confidence_reason = Some(Doubt::at(Cause::TemplateCall, line));
        }
    }
}

/// Where a second reading shows that only C++ can be meant.
struct Marks {
    /// Raw offsets of words that C does not have.
    cxx: Vec<u32>,
    /// Raw offsets of what declares a reference, if it stands in the head of a function.
    references: Vec<u32>,
    /// Raw offsets of `{`.
    blocks: Vec<u32>,
    /// Raw offsets of `;`, `{` and `}`: the head of a function begins behind one.
    ends: Vec<u32>,
    /// Raw offsets of directives that ask which language it is.
    asked: Vec<u32>,
}

impl Marks {
    fn new(raw: Raw<'_>, prepared: &Prepared) -> Self {
        let tokens = lex(&prepared.text);
        let mut marks = Self {
            cxx: Vec::new(),
            references: Vec::new(),
            blocks: Vec::new(),
            ends: Vec::new(),
            asked: Vec::new(),
        };
        for (at, token) in tokens.iter().enumerate() {
            let place = || prepared.map.raw_start(token.start);
            if matches!(token.text(&prepared.text), b";" | b"{" | b"}") {
                marks.ends.push(place());
                if token.text(&prepared.text) == b"{" {
                    marks.blocks.push(place());
                }
            } else if is_reference(&prepared.text, &tokens, at) {
                marks.references.push(place());
            } else if only_cxx(&prepared.text, &tokens, at) {
                marks.cxx.push(place());
            }
        }
        let certain = template_calls(&prepared.text, raw.visible)
            .into_iter()
            .filter(|(_, certain)| *certain);
        marks
            .cxx
            .extend(certain.map(|(at, _)| prepared.map.raw_start(at)));
        // These became blank on the way.
        let words = raw
            .tokens
            .iter()
            .filter(|token| is_for_gpus(token.text(raw.text)));
        marks.cxx.extend(words.map(|token| token.start));
        // Text that a macro expands to may stand before text that it stands behind.
        for places in [
            &mut marks.cxx,
            &mut marks.references,
            &mut marks.blocks,
            &mut marks.ends,
        ] {
            places.sort_unstable();
        }
        let asks = |token: &&Token| {
            let word = b"__cplusplus";
            token.kind == TokenKind::Directive
                && token.text(raw.text).windows(word.len()).any(|part| part == word)
        };
        marks.asked = raw.tokens.iter().filter(asks).map(|token| token.start).collect();
        marks
    }

    /// Where the head of the function begins whose definition is found at the raw byte `start`.
    fn head(&self, start: u32) -> u32 {
        let before = self.ends.partition_point(|at| *at < start);
        before.checked_sub(1).map_or(0, |at| self.ends[at])
    }

    /// Whether the function at the raw bytes `start..end`, whose head begins at `head`, can only be C++.
    fn only_cxx(&self, head: u32, start: u32, end: u32) -> bool {
        let block = self.blocks.get(self.blocks.partition_point(|at| *at < start));
        let references = block.is_some_and(|block| any_within(&self.references, head, *block));
        (references || any_within(&self.cxx, head, end)) && !any_within(&self.asked, start, end)
    }
}

/// Whether one of the sorted `offsets` lies in `start..end`.
fn any_within(offsets: &[u32], start: u32, end: u32) -> bool {
    offsets
        .get(offsets.partition_point(|at| *at < start))
        .is_some_and(|at| *at < end)
}

/// Puts those of `read`, the functions of the second reading in the order of their places, in the place of others.
fn adopt(unit: &mut Unit, read: Vec<Function>, raw: Raw<'_>, marks: &Marks) {
    let offset = |line: u32, column: u32| raw.lines.start(line) + column.saturating_sub(1);
    let mut rest = read.into_iter().peekable();
    while let Some(outer) = rest.next() {
        let span = outer.span;
        // Lambdas and local classes come along with the function around them.
        let mut group = vec![outer];
        while let Some(inner) = rest.next_if(|next| span.contains(next.span)) {
            group.push(inner);
        }
        let (start, end) = (
            offset(span.line, span.column),
            offset(span.end_line, span.end_column),
        );
        let head = marks.head(start);
        let replaced = |f: &Function| overlap(f.span, span);
        // What C made of more than this function must not go: its effects on others would go with it.
        let weak = |f: &Function| {
            let (from, to) = (
                offset(f.span.line, f.span.column),
                offset(f.span.end_line, f.span.end_column),
            );
            f.confidence == Confidence::Partial && head <= from && to <= end
        };
        if group[0].confidence == Confidence::Partial
            || !marks.only_cxx(head, start, end)
            || !unit.functions.iter().filter(|f| replaced(f)).all(weak)
        {
            continue;
        }
        unit.functions.retain(|f| !replaced(f));
        // C stumbles where the head begins, over `template <…>`. Bodies that are not found have warnings of their own.
        let explained = head..=end;
        unit.diagnostics.retain(|diagnostic| {
            let start = offset(diagnostic.span.line, diagnostic.span.column);
            !explained.contains(&start)
        });
        unit.functions.extend(group);
    }
    unit.functions.sort_by_key(|f| (f.span.line, f.span.column));
}

fn overlap(one: Span, other: Span) -> bool {
    (one.line, one.column) < (other.end_line, other.end_column)
        && (other.line, other.column) < (one.end_line, one.end_column)
}
