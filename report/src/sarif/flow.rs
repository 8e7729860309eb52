//! The slice as a code flow.

use super::log::{CodeFlow, Message, ThreadFlow, ThreadFlowLocation};
use super::places::Places;
use super::{message, statement_location};
use crate::slice::{kind, statement_text};
use engine::{Dependence, Slice};
use serde_json::Value;
use std::collections::BTreeMap;

/// The slice, furthest first; `values` are those of the loops where the task is.
pub(super) fn flow(places: &mut Places<'_>, slice: &Slice, values: BTreeMap<String, Message>) -> CodeFlow {
    let mut state = Some(values);
    let steps = slice.statements.iter().enumerate().map(|(at, statement)| {
        let link = |of: usize| {
            let other = &slice.statements[of];
            let name = base::last_component(&other.file);
            let name = name.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
            format!("[{name}:{}]({of})", other.line)
        };
        let why = statement_text(slice, statement, &link);
        let mut location = statement_location(places, statement, Some(&why));
        location.id = Some(at);
        let mut properties = BTreeMap::from([
            ("distance", Value::from(statement.distance)),
            ("kind", Value::from(kind(statement.because.kind))),
        ]);
        if statement.elsewhere {
            properties.insert("elsewhere", Value::Bool(true));
        }
        if let Some(of) = statement.because.of {
            properties.insert("of", Value::from(of));
        }
        ThreadFlowLocation {
            location,
            kinds: kinds(statement.because.kind),
            state: state.take().unwrap_or_default(),
            importance: match statement.distance {
                0 | 1 => "essential",
                2..=4 => "important",
                _ => "unimportant",
            },
            properties,
        }
    });
    let mut locations = Vec::from_iter(steps);
    locations.reverse();
    CodeFlow {
        message: message("what may have had an influence, furthest first"),
        thread_flows: [ThreadFlow { locations }],
    }
}

/// SARIF's own words for what a step does.
fn kinds(kind: Dependence) -> Vec<&'static str> {
    match kind {
        Dependence::Criterion => vec![],
        Dependence::Decides | Dependence::Parts => vec!["branch"],
        Dependence::Sets
        | Dependence::Computes
        | Dependence::Hands
        | Dependence::Sends
        | Dependence::Takes => vec!["value"],
        Dependence::UnderWay | Dependence::Calls => vec!["call", "function"],
        Dependence::Returns => vec!["return", "function", "value"],
        Dependence::Jumps => vec!["branch"],
        Dependence::Epoch => vec!["call"],
        Dependence::Ends => vec!["exit"],
    }
}
