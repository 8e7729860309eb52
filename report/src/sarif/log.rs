//! The parts of SARIF 2.1.0 that are written, by the names of the standard.
//!
//! Types of our own and not those of a crate: the ones that there are bring every part of the standard, and code
//! generators with them. The tests hold the output against the standard's schema.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    pub(super) tool: Tool,
    pub(super) invocations: [Invocation; 1],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) original_uri_base_ids: BTreeMap<&'static str, Base>,
    pub(super) column_kind: &'static str,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) results: Vec<SarifResult>,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) semantic_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) information_uri: Option<&'static str>,
    pub(super) short_description: Message,
    pub(super) rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    pub(super) default_configuration: Configuration,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: &'static str,
    pub(super) message: Message,
}

#[derive(Clone, Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

#[derive(Serialize)]
pub(super) struct Base {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri: Option<String>,
    pub(super) description: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Artifact {
    pub(super) location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source_language: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) hashes: BTreeMap<&'static str, String>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    pub(super) uri_base_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<usize>,
}

/// A `result`; that name is taken.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: &'static str,
    pub(super) rule_index: usize,
    pub(super) kind: &'static str,
    pub(super) level: &'static str,
    pub(super) message: Message,
    pub(super) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) stacks: Vec<Stack>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) properties: BTreeMap<&'static str, Value>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Message>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) region: Region,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) snippet: Option<Snippet>,
}

#[derive(Clone, Serialize)]
pub(super) struct Snippet {
    pub(super) text: String,
}

#[derive(Clone, Serialize)]
pub(super) struct LogicalLocation {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fully_qualified_name: Option<String>,
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct Stack {
    pub(super) message: Message,
    pub(super) frames: Vec<StackFrame>,
}

#[derive(Serialize)]
pub(super) struct StackFrame {
    pub(super) location: Location,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) module: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeFlow {
    pub(super) message: Message,
    pub(super) thread_flows: [ThreadFlow; 1],
}

#[derive(Serialize)]
pub(super) struct ThreadFlow {
    pub(super) locations: Vec<ThreadFlowLocation>,
}

/// A `threadFlowLocation`.
#[derive(Serialize)]
pub(super) struct ThreadFlowLocation {
    pub(super) location: Location,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) kinds: Vec<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) state: BTreeMap<String, Message>,
    pub(super) importance: &'static str,
    pub(super) properties: BTreeMap<&'static str, Value>,
}
