//! The wire form of an explanation.

use super::value;
use engine::{Explanation, SharedLoop, Side};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct ExplanationOut<'a> {
    relation: &'static str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason_code: Option<&'static str>,
    assumption: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    function: Option<&'a str>,
    frame: usize,
    shared_loops: Vec<SharedLoopOut<'a>>,
    deciding_loop: Option<SharedLoopOut<'a>>,
    a: SideOut<'a>,
    b: SideOut<'a>,
}

#[derive(Serialize)]
struct SharedLoopOut<'a> {
    function: &'a str,
    place: &'a str,
    variable: &'a str,
    a: serde_json::Value,
    b: serde_json::Value,
}

#[derive(Serialize)]
struct SideOut<'a> {
    ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    function: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    values: BTreeMap<&'a str, serde_json::Value>,
}

/// An explanation as it is written.
pub(super) fn explanation_out(proof: &Explanation) -> ExplanationOut<'_> {
    ExplanationOut {
        relation: proof.relation.word(),
        reason: &proof.reason,
        reason_code: proof.unknown_because.as_ref().map(engine::Reason::code),
        assumption: proof.assumption.as_deref(),
        advice: proof.advice.as_ref().map(ToString::to_string),
        function: proof.function.as_deref(),
        frame: proof.depth,
        shared_loops: proof.shared_loops.iter().map(shared_loop).collect(),
        deciding_loop: proof.deciding_loop.as_ref().map(shared_loop),
        a: side(&proof.a),
        b: side(&proof.b),
    }
}

fn shared_loop(shared: &SharedLoop) -> SharedLoopOut<'_> {
    SharedLoopOut {
        function: &shared.function,
        place: &shared.place,
        variable: &shared.variable,
        a: value(shared.a),
        b: value(shared.b),
    }
}

fn side(side: &Side) -> SideOut<'_> {
    SideOut {
        ranks: side.who.ranks.to_string(),
        tasks: &side.who.names,
        function: side.frame.as_deref(),
        file: side.source.as_ref().map(|source| source.path.as_str()),
        line: side.source.as_ref().map(|source| source.line),
        values: side
            .values
            .iter()
            .map(|(name, of)| (name.as_str(), value(*of)))
            .collect(),
    }
}
