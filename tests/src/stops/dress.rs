//! What the generator of the oracle never writes, put around what it writes: calls with 7 to 14 arguments, structures by value,
//! variable numbers of arguments, `alloca`, arrays of variable length, frames that are aligned, and a counter such as
//! `hindmost counters` writes them.
//!
//! The dress changes nothing that the interpreter knows: only arguments are added, at the end, and statements on lines where
//! nothing can be stopped. Lines stay, columns are moved with the text. The counter of each function, `volatile`, is stepped
//! wherever a block opens, and passed along with every call: to external functions, which report it, and to functions of the program,
//! which pass it on. So the program itself says what the counters of the two innermost frames are.

use crate::oracle::case::Case;
use crate::oracle::layout::{Position, Site};
use crate::oracle::rng::mix;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The counter of a function.
pub const COUNTER: &str = "hx_steps";
/// The parameter that has the caller's.
const CALLERS: &str = "hx_up";

/// The external functions that get more arguments: the harness reports the first two of these.
const DRESSED: [&str; 5] = ["w1", "w2", "w3", "w4", "w5"];

/// Whether a call of an external function reports counters.
#[must_use]
pub fn reports(name: &str) -> bool {
    DRESSED.contains(&name)
}

/// The arguments that a function gets, and their types, with those that it has.
#[derive(Clone, Debug)]
struct Extra {
    types: Vec<&'static str>,
    values: Vec<String>,
}

impl Extra {
    /// For an external function; the last type may be the dots.
    fn of_external(salt: u64) -> Self {
        let mut extra = Extra {
            types: vec!["unsigned long"; 2],
            values: Vec::new(),
        };
        let mut add = |ty, value: String| {
            extra.types.push(ty);
            extra.values.push(value);
        };
        let number = |at: u64| match mix(salt ^ at) % 4 {
            0 => "some".to_owned(),
            1 => COUNTER.to_owned(),
            _ => at.to_string(),
        };
        match salt % 5 {
            // Seven to fourteen in all.
            0 | 1 => (0..4 + salt / 8 % 8).for_each(|at| add("long", number(at))),
            2 => {
                add("struct small", "small".to_owned());
                add("struct wide", "wide".to_owned());
                (0..salt / 8 % 4).for_each(|at| add("long", number(at)));
            }
            3 => {
                add("...", "1.5".to_owned());
                for at in 0..5 + salt / 8 % 4 {
                    extra.values.push(number(at));
                }
            }
            _ => {}
        }
        extra
    }

    /// For a function of the program with so many parameters.
    fn of_own(parameters: usize, salt: u64) -> Self {
        let all = 7 + salt / 8 % 8;
        let more = all.saturating_sub(parameters as u64 + 1);
        Extra {
            types: vec!["long"; more as usize],
            values: (0..more).map(|at| (at + 1).to_string()).collect(),
        }
    }
}

/// A dressed program.
#[derive(Clone, Debug)]
pub struct Dress {
    /// Its text.
    pub text: String,
    /// The functions that have the counter of their caller.
    pub handed: BTreeSet<String>,
    /// Where the sites of the layout are now.
    pub sites: Vec<Site>,
}

/// What is written at an offset of the clean text, in the place of so many bytes.
struct Edit {
    at: usize,
    removed: usize,
    text: String,
}

/// What prototypes and arguments need.
const TYPES: &str = "struct small { int a, b; }; struct wide { long a[9]; }; extern struct small small; extern struct wide wide; \
                     extern volatile int some; extern void hold(void *); ";

/// Dresses the clean text of a case.
#[must_use]
pub fn dress(case: &Case) -> Dress {
    let clean = case.layout.clean.as_str();
    let salt_of = |name: &str| {
        name.bytes()
            .fold(mix(case.seed), |hash, byte| mix(hash ^ u64::from(byte)))
    };
    let external = |name: &&str| ((*name).to_owned(), Extra::of_external(salt_of(name)));
    let mut extras: BTreeMap<String, Extra> = DRESSED.iter().map(external).collect();
    let mut handed = BTreeSet::new();
    for function in &case.program.functions {
        let name = function.name.as_str();
        if name != "main" && !is_pointed_to(clean, name) {
            handed.insert(name.to_owned());
            extras.insert(
                name.to_owned(),
                Extra::of_own(function.params.len(), salt_of(name)),
            );
        }
    }
    let mut edits = Vec::new();
    let mut insert = |at: usize, removed: usize, text: String| edits.push(Edit { at, removed, text });
    let mut around = "";
    let mut start = 0;
    for line in clean.split_inclusive('\n') {
        let text = line.trim_end_matches('\n');
        let end = start + text.len();
        let prototype = DRESSED
            .iter()
            .find(|name| text == format!("extern int {name}(int);"));
        if text == "#include <stddef.h>" {
            // The next line has the first prototype.
            insert(start + line.len(), 0, TYPES.to_owned());
        }
        if let Some(name) = definition(case, text) {
            around = name;
            if handed.contains(name) {
                let types = extras[name]
                    .types
                    .iter()
                    .enumerate()
                    .map(|(at, ty)| format!("{ty} hx_{at}"));
                let more = Vec::from_iter(std::iter::once(format!("unsigned long {CALLERS}")).chain(types))
                    .join(", ");
                match text.find("(void)") {
                    Some(at) => insert(start + at + 1, "void".len(), more),
                    None => insert(end - ") {".len(), 0, format!(", {more}")),
                }
            }
            insert(end, 0, locals(salt_of(name)));
        } else if let Some(name) = prototype {
            insert(
                end - ");".len(),
                0,
                format!(", {}", extras[*name].types.join(", ")),
            );
        } else if !around.is_empty() {
            for call in calls(clean, start..end) {
                let Some(extra) = extras.get(call.name) else {
                    continue;
                };
                let mut values = vec![COUNTER.to_owned()];
                if reports(call.name) {
                    values.push(if handed.contains(around) { CALLERS } else { "0" }.to_owned());
                }
                values.extend(extra.values.iter().cloned());
                let comma = if call.is_empty { "" } else { ", " };
                insert(call.close, 0, format!("{comma}{}", values.join(", ")));
            }
            if text.ends_with('{') && !text.contains("switch (") {
                insert(end, 0, format!(" {COUNTER}++;"));
            }
        }
        start += line.len();
    }
    edits.sort_by_key(|edit| edit.at);
    Dress {
        sites: case
            .layout
            .sites
            .iter()
            .map(|site| Site {
                own: moved(clean, &edits, site.own),
                outer: moved(clean, &edits, site.outer),
            })
            .collect(),
        text: apply(clean, &edits),
        handed,
    }
}

/// The function that a line begins to define.
fn definition<'c>(case: &'c Case, line: &str) -> Option<&'c str> {
    let rest = line.strip_prefix("int ").or(line.strip_prefix("void "))?;
    let name = rest.split('(').next().filter(|_| line.ends_with(") {"))?;
    let mut functions = case.program.functions.iter();
    functions
        .find(|function| function.name == name)
        .map(|function| function.name.as_str())
}

/// What a function has besides: the counter, and room on the stack in one of several ways.
fn locals(salt: u64) -> String {
    let mut text = format!(" volatile unsigned long {COUNTER} = 0;");
    text.push_str(match salt / 64 % 8 {
        0 => " char hx_room[some + 1]; hold(hx_room);",
        1 => " hold(__builtin_alloca(some + 16));",
        2 => " _Alignas(64) char hx_room[64]; hold(hx_room);",
        3 => " _Alignas(32) char hx_wide[96]; char hx_room[some + 1]; hold(hx_wide); hold(hx_room);",
        _ => "",
    });
    text
}

/// A call in the text.
struct Call<'t> {
    name: &'t str,
    /// Where its last parenthesis is.
    close: usize,
    /// It has no arguments.
    is_empty: bool,
}

/// What looks like a call and begins in a range.
fn calls(text: &str, range: Range<usize>) -> Vec<Call<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let length = bytes[at..range.end]
            .iter()
            .take_while(|&&byte| is_of_name(byte))
            .count();
        if length == 0 {
            at += 1;
            continue;
        }
        let open = at + length;
        if bytes.get(open) == Some(&b'(')
            && let Some(close) = closing(bytes, open)
        {
            found.push(Call {
                name: &text[at..open],
                close,
                is_empty: close == open + 1,
            });
        }
        at = open;
    }
    found
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The parenthesis that closes the one at `open`.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether the name of a function is used otherwise than to define or call it.
fn is_pointed_to(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let bytes = text.as_bytes();
        let begins = at == 0 || !is_of_name(bytes[at - 1]);
        let after = bytes.get(at + name.len()).copied().unwrap_or(b' ');
        begins && !is_of_name(after) && after != b'('
    })
}

fn apply(clean: &str, edits: &[Edit]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for edit in edits {
        text.push_str(&clean[at..edit.at]);
        text.push_str(&edit.text);
        at = edit.at + edit.removed;
    }
    text.push_str(&clean[at..]);
    text
}

/// Where a position of the clean text is after the edits, none of which makes a line.
fn moved(clean: &str, edits: &[Edit], (line, column): Position) -> Position {
    let Some(above) = line.checked_sub(1) else {
        return (line, column);
    };
    let lines = clean.split_inclusive('\n').take(above as usize);
    let start: usize = lines.map(str::len).sum();
    let at = start + column as usize - 1;
    let before = edits
        .iter()
        .filter(|edit| (start..=at).contains(&edit.at) && edit.at + edit.removed <= at);
    let shift: usize = before.map(|edit| edit.text.len() - edit.removed).sum();
    (line, column + u32::try_from(shift).unwrap_or(0))
}
