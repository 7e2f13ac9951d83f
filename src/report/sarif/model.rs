//! The parts of a SARIF 2.1.0 log that ctxlint writes, under their names in the standard.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Log<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'a> {
    pub(super) tool: Tool,
    pub(super) automation_details: AutomationDetails,
    pub(super) column_kind: &'static str,
    pub(super) invocations: [Invocation; 1],
    pub(super) results: Vec<Result<'a>>,
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
    pub(super) rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) id: &'static str,
    pub(super) short_description: Text,
    pub(super) full_description: Text,
    pub(super) help: Message,
    pub(super) default_configuration: Configuration,
    pub(super) properties: DescriptorProperties,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
pub(super) struct DescriptorProperties {
    pub(super) tags: Vec<&'static str>,
    pub(super) precision: &'static str,
    #[serde(rename = "problem.severity")]
    pub(super) problem_severity: &'static str,
}

#[derive(Serialize)]
pub(super) struct AutomationDetails {
    pub(super) id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: &'static str,
    pub(super) message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) locations: Vec<Location>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Result<'a> {
    pub(super) rule_id: &'static str,
    pub(super) rule_index: usize,
    pub(super) level: &'static str,
    pub(super) message: Message,
    pub(super) locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    /// Of all results or of none, says the standard: empty for what is reported.
    pub(super) suppressions: Vec<Suppression>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fixes: Vec<Fix<'a>>,
    pub(super) properties: ResultProperties<'a>,
}

#[derive(Serialize)]
pub(super) struct ResultProperties<'a> {
    pub(super) confidence: &'static str,
    pub(super) witness: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turn: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) also: Vec<&'static str>,
}

#[derive(Serialize)]
pub(super) struct Suppression {
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) justification: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Text {
    pub(super) text: String,
}

#[derive(Serialize)]
pub(super) struct Message {
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) markdown: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    pub(super) physical: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_region: Option<Region>,
}

#[derive(Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
}

/// The last column is behind the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_column: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fix<'a> {
    pub(super) description: Text,
    pub(super) artifact_changes: [ArtifactChange<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactChange<'a> {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) replacements: Vec<Replacement<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement<'a> {
    pub(super) deleted_region: Region,
    pub(super) inserted_content: Content<'a>,
}

#[derive(Serialize)]
pub(super) struct Content<'a> {
    pub(super) text: &'a str,
}
