//! The wire form of an explanation.

use super::value;
use engine::{Explanation, SharedLoop, Side};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplanationJson<'a> {
    pub relation: Cow<'a, str>,
    pub reason: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<Cow<'a, str>>,
    pub assumption: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    pub function: Option<Cow<'a, str>>,
    pub frame: usize,
    pub shared_loops: Vec<SharedLoopJson<'a>>,
    pub deciding_loop: Option<SharedLoopJson<'a>>,
    pub a: SideJson<'a>,
    pub b: SideJson<'a>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SharedLoopJson<'a> {
    pub function: Cow<'a, str>,
    pub place: Cow<'a, str>,
    pub variable: Cow<'a, str>,
    pub a: serde_json::Value,
    pub b: serde_json::Value,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SideJson<'a> {
    pub ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    pub function: Option<Cow<'a, str>>,
    pub file: Option<Cow<'a, str>>,
    pub line: Option<u32>,
    pub values: BTreeMap<Cow<'a, str>, serde_json::Value>,
}

/// An explanation as it is written.
pub(super) fn explanation_out(proof: &Explanation) -> ExplanationJson<'_> {
    ExplanationJson {
        relation: proof.relation.word().into(),
        reason: (&proof.reason).into(),
        reason_code: (proof.unknown_because.as_ref()).map(|reason| reason.code().into()),
        assumption: proof.assumption.as_deref().map(Into::into),
        advice: proof.advice.as_ref().map(ToString::to_string),
        function: proof.function.as_deref().map(Into::into),
        frame: proof.depth,
        shared_loops: proof.shared_loops.iter().map(shared_loop).collect(),
        deciding_loop: proof.deciding_loop.as_ref().map(shared_loop),
        a: side(&proof.a),
        b: side(&proof.b),
    }
}

fn shared_loop(shared: &SharedLoop) -> SharedLoopJson<'_> {
    SharedLoopJson {
        function: (&shared.function).into(),
        place: (&shared.place).into(),
        variable: (&shared.variable).into(),
        a: value(shared.a),
        b: value(shared.b),
    }
}

fn side(side: &Side) -> SideJson<'_> {
    SideJson {
        ranks: side.who.ranks.to_string(),
        tasks: (&side.who.names).into(),
        function: side.frame.as_deref().map(Into::into),
        file: side.source.as_ref().map(|source| (&source.path).into()),
        line: side.source.as_ref().map(|source| source.line),
        values: side
            .values
            .iter()
            .map(|(name, of)| (name.into(), value(*of)))
            .collect(),
    }
}
