//! The wire form of a slice (`hindmost-slice` in `docs/json-schema.md`).

use super::{VERSION, document};
use crate::slice::{Step, kind, sentence_of_places};
use engine::Slice;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The slice as JSON, with the classes that it goes through.
pub(crate) fn slice_json(slice: &Slice, steps: &[Step<'_>]) -> String {
    document(&slice_out(slice, steps))
}

/// The wire form, for documents that hold a slice among other things.
pub(crate) fn slice_out<'a>(slice: &'a Slice, steps: &[Step<'a>]) -> SliceJson<'a> {
    let statements = slice.statements.iter().map(|statement| StatementJson {
        file: (&statement.file).into(),
        line: statement.line,
        end_line: statement.end_line,
        column: statement.column,
        function: (&statement.function).into(),
        distance: statement.distance,
        elsewhere: statement.elsewhere,
        class: statement.class,
        kind: kind(statement.because.kind).into(),
        name: statement.because.name.as_deref().map(Into::into),
        of: statement.because.of,
        because: sentence_of_places(slice, statement),
    });
    SliceJson {
        schema: "hindmost-slice".into(),
        version: VERSION,
        complete: !slice.has_more,
        statements: statements.collect(),
        steps: steps
            .iter()
            .map(|step| SliceStepJson {
                class: step.class,
                ranks: step.who.ranks.to_string(),
                tasks: (&step.who.names).into(),
                waits_for: step.waits_for.into(),
            })
            .collect(),
        in_part: slice
            .in_part
            .iter()
            .map(|(function, reason)| InPartJson {
                function: function.into(),
                reason: reason.into(),
            })
            .collect(),
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SliceJson<'a> {
    pub schema: Cow<'a, str>,
    pub version: u32,
    pub complete: bool,
    pub statements: Vec<StatementJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<SliceStepJson<'a>>,
    pub in_part: Vec<InPartJson<'a>>,
}

/// A class that the slice goes through.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SliceStepJson<'a> {
    pub class: usize,
    pub ranks: String,
    pub tasks: Cow<'a, [String]>,
    pub waits_for: Cow<'a, [usize]>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StatementJson<'a> {
    pub file: Cow<'a, str>,
    pub line: u32,
    pub end_line: u32,
    pub column: u32,
    pub function: Cow<'a, str>,
    pub distance: u32,
    pub elsewhere: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<usize>,
    pub kind: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    pub because: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InPartJson<'a> {
    pub function: Cow<'a, str>,
    pub reason: Cow<'a, str>,
}
