//! The wire form of `check`.

use super::{VERSION, document};
use engine::{Check, EarlierLoop, LoopState};
use serde::{Deserialize, Serialize};

/// A check as JSON.
pub fn check_json(check: &Check, program: &str) -> String {
    document(&CheckOut {
        schema: SCHEMA,
        version: VERSION,
        program,
        loops: check.with_variables(),
        kept: check.count(LoopState::Kept),
        partly: check.count(LoopState::Partly),
        lost: check.count(LoopState::Lost),
        without_variable: check.count(LoopState::Unordered),
        blocking: check.blocking(),
        kept_percent: check.kept_percent(),
        calls: check.pairs,
        readable_calls: check.readable,
        each: check
            .loops
            .iter()
            .map(|each| LoopOut {
                file: &each.file,
                line: each.line,
                statement: each.statement,
                function: &each.function,
                state: match each.state {
                    LoopState::Kept => KEPT,
                    LoopState::Partly => "partly",
                    LoopState::Lost => "lost",
                    LoopState::Unordered => "without_variable",
                },
                variables: &each.variables,
                calls: each
                    .calls
                    .iter()
                    .map(|call| CallOut {
                        line: call.line,
                        sites: call.sites,
                        readable: call.readable,
                        unsafe_register: call.unsafe_register,
                        variables: call.variables.iter().map(String::as_str).collect(),
                    })
                    .collect(),
                advice: (each.state != LoopState::Kept).then(|| crate::check::advice(each)),
            })
            .collect(),
    })
}

/// The loops of a check that was printed as JSON.
///
/// # Errors
/// When the text is none.
pub fn read_check(text: &str) -> Result<Vec<EarlierLoop>, String> {
    let read: CheckIn = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if read.schema != SCHEMA || read.version != VERSION {
        return Err(format!(
            "it is a {} of version {}, not a {SCHEMA} of version {VERSION}",
            crate::clean(&read.schema),
            read.version
        ));
    }
    let earlier = |each: LoopIn| EarlierLoop {
        is_kept: each.state == KEPT,
        file: each.file,
        function: each.function,
    };
    Ok(read.each.into_iter().map(earlier).collect())
}

/// What the document calls itself, and the state of a loop that keeps a variable.
const SCHEMA: &str = "hindmost-check";
const KEPT: &str = "kept";

#[derive(Deserialize)]
struct CheckIn {
    schema: String,
    version: u32,
    each: Vec<LoopIn>,
}

#[derive(Deserialize)]
struct LoopIn {
    file: String,
    function: String,
    state: String,
}

#[derive(Serialize)]
struct CheckOut<'a> {
    schema: &'static str,
    version: u32,
    program: &'a str,
    loops: usize,
    kept: usize,
    partly: usize,
    lost: usize,
    without_variable: usize,
    blocking: usize,
    kept_percent: f64,
    calls: usize,
    readable_calls: usize,
    each: Vec<LoopOut<'a>>,
}

#[derive(Serialize)]
struct LoopOut<'a> {
    file: &'a str,
    line: u32,
    statement: &'static str,
    function: &'a str,
    state: &'static str,
    variables: &'a [String],
    calls: Vec<CallOut<'a>>,
    advice: Option<String>,
}

#[derive(Serialize)]
struct CallOut<'a> {
    line: u32,
    sites: usize,
    readable: usize,
    unsafe_register: usize,
    variables: Vec<&'a str>,
}
