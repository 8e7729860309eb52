//! An answer and its slice as SARIF 2.1.0, for editors and for services that show results beside the code.
//!
//! A hindmost is a result. Its stack is one of SARIF's stacks, the slice is the one thread flow of its code flow: whatever
//! has an influence stands before what it has the influence on, and the last step is where the task is. Messages link to
//! the steps that they speak of.
//!
//! What is not decided is a result of kind `open`; who is ahead of the hindmost stands at its related locations.

mod flow;
mod log;
mod places;
mod rules;

use crate::awaited;
use crate::clean;
use crate::json;
use crate::slice::{doubts, statement_text};
use crate::text::{describe, stands};
use engine::{Answer, Check, FrameView, LoopState, Outcome, RelationToHindmost, Slice, Statement, TaskClass};
use flow::flow;
use log::{
    Driver, Invocation, Location, Log, LogicalLocation, Message, Notification, Run, SarifResult, Stack,
    StackFrame, Tool,
};
use places::Places;
use rules::{CANDIDATE, HINDMOST, NO_VARIABLE, SLICE, rules};
use serde_json::Value;
use std::collections::BTreeMap;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// How many classes ahead are shown.
const AHEAD: usize = 50;

/// A job's answer, with the slice of its first hindmost. `read` gives the bytes of a file as the map names it.
pub fn answer_sarif(
    answer: &Answer,
    slice: Option<&Slice>,
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> String {
    let on_stacks = answer.classes.iter().flat_map(|class| &class.frames);
    let on_stacks = on_stacks.filter(|frame| frame.in_map);
    let paths = on_stacks.filter_map(|frame| frame.file.as_deref());
    let of_slice = slice.iter().flat_map(|slice| &slice.statements);
    let mut places = Places::new(paths.chain(of_slice.map(|each| each.file.as_str())), read);
    let mut results = Vec::new();
    for (number, hindmost) in answer.hindmost.iter().enumerate() {
        let class = &answer.classes[hindmost.class];
        let awaited = answer.awaited.as_ref();
        let awaited = awaited.filter(|awaited| awaited.chain.iter().any(|wait| wait.class == hindmost.class));
        let mut result = of_class(&mut places, class, HINDMOST);
        if let Some(awaited) = awaited {
            let text = format!("{}. {}", stands(class), awaited::sentence(answer, awaited));
            result.message = message(&text);
        }
        let reasons = hindmost.ahead.iter().take(AHEAD).map(|link| {
            let ahead = &answer.classes[link.other];
            (ahead, format!("{} ahead: {}", ahead.who, link.reason))
        });
        result.related_locations = reasons
            .filter_map(|(ahead, reason)| at_position(&mut places, ahead, &reason))
            .collect();
        if let Some(slice) = slice.filter(|_| number == 0) {
            let values = class.position.iteration.iter();
            let state = values.map(|each| (each.variable.clone(), message(&each.value.to_string())));
            result.code_flows = vec![flow(&mut places, slice, state.collect())];
        }
        number_locations(&mut result);
        results.push(result);
    }
    if matches!(answer.outcome, Outcome::Undecided | Outcome::Branches) {
        for (at, class) in answer.classes.iter().enumerate() {
            let rule = match answer.relation_to_hindmost(at) {
                RelationToHindmost::Hindmost => HINDMOST,
                RelationToHindmost::Candidate => CANDIDATE,
                _ => continue,
            };
            results.push(of_class(&mut places, class, rule));
        }
    }
    let mut notes = Vec::from_iter(answer.warnings.iter().map(|text| notification("warning", text)));
    for pair in &answer.undecided {
        let who = |class: usize| answer.classes[class].who.to_string();
        let text = format!("{} against {}: {}", who(pair.a), who(pair.b), pair.reason);
        notes.push(notification("note", &text));
    }
    for task in &answer.unreadable {
        let text = format!("task {} could not be read: {}", task.task, task.error);
        notes.push(notification("warning", &text));
    }
    if !answer.missing_ranks.is_empty() {
        let text = format!(
            "not among the tasks that were found: ranks {}",
            answer.missing_ranks.brief()
        );
        notes.push(notification("warning", &text));
    }
    let taken = answer.assumptions.iter();
    notes.extend(taken.map(|text| notification("note", &format!("taken for granted: {text}"))));
    if let Some(slice) = slice {
        notes.extend(doubts(slice).iter().map(|text| notification("note", text)));
    }
    document(places, results, notes, answer.outcome != Outcome::NothingReadable)
}

/// The slice of a line; `title` says of which.
pub fn slice_sarif(slice: &Slice, title: &str, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> String {
    let paths = slice.statements.iter().map(|each| each.file.as_str());
    let mut places = Places::new(paths, read);
    let mut results = Vec::new();
    if let Some(criterion) = slice.statements.first() {
        let mut result = result(SLICE, title);
        let place = statement_location(&mut places, criterion, None);
        result.partial_fingerprints = fingerprint(
            &mut places,
            &criterion.file,
            criterion.line,
            [criterion.function.as_str()],
        );
        result.locations = vec![place];
        // What is next to the criterion: not every viewer shows flows.
        let near = slice.statements.iter().skip(1);
        for statement in near.filter(|each| each.because.of.is_none_or(|of| of == 0)) {
            let why = statement_text(slice, statement, &|_| "the criterion".to_owned());
            let location = statement_location(&mut places, statement, Some(&why));
            result.related_locations.push(location);
        }
        result.code_flows = vec![flow(&mut places, slice, BTreeMap::new())];
        number_locations(&mut result);
        results.push(result);
    }
    let notes = doubts(slice)
        .iter()
        .map(|text| notification("note", text))
        .collect();
    document(places, results, notes, true)
}

/// The loops of a build that keep no readable variable at some call.
pub fn check_sarif(check: &Check, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> String {
    let dark = || check.loops.iter().filter(|each| each.state != LoopState::Kept);
    let mut places = Places::new(dark().map(|each| each.file.as_str()), read);
    let mut results = Vec::new();
    for each in dark() {
        let mut result = result(NO_VARIABLE, &crate::check::what_becomes_of(each));
        result.partial_fingerprints =
            fingerprint(&mut places, &each.file, each.line, [each.function.as_str()]);
        result.locations = vec![Location {
            id: None,
            physical_location: Some(places.place(&each.file, each.line, None, each.line)),
            logical_locations: function(&each.function, None),
            message: None,
        }];
        number_locations(&mut result);
        results.push(result);
    }
    document(places, results, Vec::new(), true)
}

fn document(
    places: Places<'_>,
    results: Vec<SarifResult>,
    notes: Vec<Notification>,
    successful: bool,
) -> String {
    let (original_uri_base_ids, artifacts) = places.finish();
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "hindmost",
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    // Where the project is published, if the build says so.
                    information_uri: Some(env!("CARGO_PKG_REPOSITORY")).filter(|uri| !uri.is_empty()),
                    short_description: message(
                        "Finds the task of a hung parallel job that is behind all others.",
                    ),
                    rules: rules(),
                },
            },
            invocations: [Invocation {
                execution_successful: successful,
                tool_execution_notifications: notes,
            }],
            original_uri_base_ids,
            column_kind: "utf16CodeUnits",
            artifacts,
            results,
        }],
    };
    json::document(&log)
}

/// A result without places.
fn result(rule: usize, text: &str) -> SarifResult {
    let of = &rules()[rule];
    let open = rule == CANDIDATE;
    SarifResult {
        rule_id: of.id,
        rule_index: rule,
        // What is open has no level.
        kind: if open { "open" } else { "fail" },
        level: if open {
            "none"
        } else {
            of.default_configuration.level
        },
        message: message(text),
        locations: Vec::new(),
        related_locations: Vec::new(),
        stacks: Vec::new(),
        code_flows: Vec::new(),
        partial_fingerprints: BTreeMap::new(),
        properties: BTreeMap::new(),
    }
}

/// Where a class stands, with its stack.
fn of_class(places: &mut Places<'_>, class: &TaskClass, rule: usize) -> SarifResult {
    let mut of_class = result(rule, &stands(class));
    of_class.locations = at_position(places, class, &describe(&class.position))
        .into_iter()
        .collect();
    let own = class.frames.iter().filter(|frame| frame.in_map);
    let functions = own.map(|frame| frame.function.as_str());
    of_class.partial_fingerprints = fingerprint(places, &class.position.file, class.position.line, functions);
    // SARIF has the innermost first.
    let frames = class.frames.iter().rev();
    of_class.stacks = vec![Stack {
        message: message(&format!("the stack of {}", class.who)),
        frames: frames.map(|frame| stack_frame(places, frame)).collect(),
    }];
    let ranks = Value::String(class.who.ranks.to_string());
    of_class.properties = BTreeMap::from([("ranks", ranks), ("tasks", Value::from(class.who.count()))]);
    of_class
}

/// Where a class is in the program; nothing where it is on no line.
fn at_position(places: &mut Places<'_>, class: &TaskClass, text: &str) -> Option<Location> {
    let position = &class.position;
    if position.line == 0 {
        return None;
    }
    let own = class.frames.iter().rev().find(|frame| frame.in_map);
    let column = own
        .filter(|frame| frame.line == Some(position.line))
        .and_then(|frame| frame.column);
    Some(Location {
        id: None,
        physical_location: Some(places.place(&position.file, position.line, column, position.line)),
        logical_locations: function(&position.function, position.qualified.as_deref()),
        message: Some(message(text)),
    })
}

fn stack_frame(places: &mut Places<'_>, frame: &FrameView) -> StackFrame {
    let file = frame.file.as_deref().filter(|_| frame.in_map);
    let physical_location = file
        .zip(frame.line)
        .map(|(file, line)| places.place(file, line, frame.column, line));
    let values = frame.values.iter().map(|(name, value)| format!("{name}={value}"));
    let values = Vec::from_iter(values).join(", ");
    StackFrame {
        location: Location {
            id: None,
            physical_location,
            logical_locations: function(&frame.function, frame.qualified.as_deref()),
            message: (!values.is_empty()).then(|| message(&values)),
        },
        module: frame.module.as_deref().map(|module| clean(module).into_owned()),
    }
}

fn statement_location(places: &mut Places<'_>, statement: &Statement, text: Option<&str>) -> Location {
    let Statement {
        file,
        line,
        column,
        end_line,
        ..
    } = statement;
    Location {
        id: None,
        physical_location: Some(places.place(file, *line, Some(*column), *end_line)),
        logical_locations: function(&statement.function, None),
        message: text.map(message),
    }
}

fn function(name: &str, qualified: Option<&str>) -> Vec<LogicalLocation> {
    let named = (!name.is_empty()).then(|| LogicalLocation {
        name: clean(name).into_owned(),
        fully_qualified_name: qualified.map(|name| clean(name).into_owned()),
        kind: "function",
    });
    named.into_iter().collect()
}

/// The locations of a result have numbers of their own: those of a flow are already links' targets.
fn number_locations(result: &mut SarifResult) {
    let flows = result.code_flows.iter().flat_map(|flow| &flow.thread_flows);
    let first: usize = flows.map(|flow| flow.locations.len()).sum();
    let locations = result.locations.iter_mut().chain(&mut result.related_locations);
    for (number, location) in (first..).zip(locations) {
        location.id = Some(number);
    }
}

/// What stays when lines are added elsewhere: the file, the functions of the stack, and the text of the line.
fn fingerprint<'n>(
    places: &mut Places<'_>,
    file: &str,
    line: u32,
    functions: impl IntoIterator<Item = &'n str>,
) -> BTreeMap<&'static str, String> {
    let name = base::last_component(file);
    let text = places.line(file, line).unwrap_or_default();
    let parts = [name, &text].into_iter().map(str::to_owned);
    let parts = Vec::from_iter(parts.chain(functions.into_iter().map(str::to_owned)));
    let hash = engine::content_hash(parts.join("\0").as_bytes());
    let hex = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    BTreeMap::from([("stackAndLine/v1", hex)])
}

fn notification(level: &'static str, text: &str) -> Notification {
    Notification {
        level,
        message: message(text),
    }
}

/// Text as a message: free of control characters, and braces, which stand for arguments, doubled.
fn message(text: &str) -> Message {
    Message {
        text: clean(text).replace('{', "{{").replace('}', "}}"),
    }
}
