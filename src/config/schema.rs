//! `docs/ctxlint.schema.json`, made from the types that read the configuration.

use std::borrow::Cow;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::adapter::AdapterName;
use super::file::{File, Name, Pattern, RuleId};
use super::rules::{AnyRule, DuplicateMessage, SkippedInjection};
use crate::rule::RULES;
use crate::transcript::{self, Pointer};

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "RuleOrFamily".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut families: Vec<&str> = RULES.iter().map(|rule| rule.family()).collect();
        families.sort_unstable();
        families.dedup();
        let names: Vec<&str> = RULES.iter().map(|rule| rule.id()).chain(families).collect();
        json_schema!({ "description": "The id of a rule, or a family.", "enum": names })
    }
}

impl JsonSchema for RuleId {
    fn schema_name() -> Cow<'static, str> {
        "Rule".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = RULES.iter().map(|rule| rule.id()).collect();
        json_schema!({ "description": "The id of a rule.", "enum": names })
    }
}

impl JsonSchema for Pattern {
    fn schema_name() -> Cow<'static, str> {
        "Pattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A pattern for paths, in the form of .gitignore.",
            "type": "string",
            "minLength": 1
        })
    }
}

impl JsonSchema for AdapterName {
    fn schema_name() -> Cow<'static, str> {
        "AdapterName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A name that no format has which ctxlint knows.",
            "type": "string",
            "pattern": r"\S",
            "not": { "enum": transcript::input_formats() }
        })
    }
}

impl JsonSchema for Pointer {
    fn schema_name() -> Cow<'static, str> {
        "Pointer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A JSON pointer (RFC 6901).", "type": "string", "pattern": "^(/|$)" })
    }
}

/// A table whose keys are of a kind.
pub(super) fn keyed<K: JsonSchema, V: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let (keys, values) = (generator.subschema_for::<K>(), generator.subschema_for::<V>());
    json_schema!({ "type": "object", "propertyNames": keys, "additionalProperties": values })
}

/// The tables of rules: two have a key of their own.
pub(super) fn rules(generator: &mut SchemaGenerator) -> Schema {
    let ids = generator.subschema_for::<RuleId>();
    let any = generator.subschema_for::<AnyRule>();
    let repeated = generator.subschema_for::<DuplicateMessage>();
    let skipped = generator.subschema_for::<SkippedInjection>();
    json_schema!({
        "type": "object",
        "propertyNames": ids,
        "properties": { "duplicate-message": repeated, "skipped-injection": skipped },
        "additionalProperties": any
    })
}

/// The file in the documentation; `UPDATE_EXPECTED=1` writes it anew.
#[test]
fn the_schema_in_the_documentation_is_in_step() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ctxlint.schema.json");
    let mut schema = schemars::schema_for!(File);
    schema.insert("title".to_owned(), "ctxlint.toml".into());
    let made = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, &made).expect("the file can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "docs/ctxlint.schema.json is not what the types say; UPDATE_EXPECTED=1 cargo test --lib config writes it"
    );
}

/// What the program takes, the schema takes; what the one refuses, the other refuses.
#[test]
fn the_schema_and_the_program_agree() {
    let schema = serde_json::to_value(schemars::schema_for!(File)).expect("a schema is JSON");
    let schema = jsonschema::validator_for(&schema).expect("it is a schema");
    let files = [
        ("", true),
        (
            "exclude = [\"vendor/\"]\nselect = [\"cuts\", \"id-swap\"]\nfail-on = \"info\"",
            true,
        ),
        ("[rules.id-swap]\nseverity = \"off\"", true),
        (
            "[rules.mid-turn-cut]\nseverity = \"warn\"\nmin-confidence = \"high\"",
            true,
        ),
        ("[per-path-ignores]\n\"tests/**\" = [\"cuts\"]", true),
        ("[[vocabulary.message]]\nnames = [\"Note\"]\nrole = \"system\"", true),
        ("[vocabulary.history]\nnames = [\"ledger\"]", true),
        (
            "[transcripts.markers.injected]\ntags = [\"kiln\"]\nid-prefixes = [\"note-\"]",
            true,
        ),
        (
            "[[transcripts.adapter]]\nname = \"desk\"\nfiles = [\"logs/\"]\nrole = \"/who\"\ncontent = \"\"\n\
             call-id = \"/n\"\n[transcripts.adapter.roles]\nuser = [\"guest\"]",
            true,
        ),
        ("[[transcripts.adapter]]\nname = \"desk\"\nrole = \"/who\"", false),
        (
            "[[transcripts.adapter]]\nname = \"openai-chat\"\nrole = \"/who\"\ncontent = \"/what\"",
            false,
        ),
        (
            "[[transcripts.adapter]]\nname = \"desk\"\nrole = \"who\"\ncontent = \"/what\"",
            false,
        ),
        ("exclud = []", false),
        ("select = [\"id-swop\"]", false),
        ("fail-on = \"fatal\"", false),
        ("[rules.duplicate-message]\nrepeats = 6", true),
        ("[rules.skipped-injection]\nfrom-turn = 2\nseverity = \"info\"", true),
        ("[rules.duplicate-message]\nfrom-turn = 6", false),
        ("[rules.skipped-injection]\nfrom-turn = 0", false),
        ("[rules.id-swap]\nrepeats = 6", false),
        ("[rules.id-swop]", false),
        ("[rules.id-swap]\nseverity = \"none\"", false),
        ("[vocabulary.history]\nname = []", false),
        ("[transcripts.markers.injected]\ntag = []", false),
        ("exclude = [\"\"]", false),
        ("pedantic = \"yes\"", false),
    ];
    for (text, expected) in files {
        let value: toml::Table = text.parse().expect("it is TOML");
        let value = serde_json::to_value(value).expect("TOML without dates is JSON");
        assert_eq!(schema.is_valid(&value), expected, "the schema: {text}");
        assert_eq!(toml::from_str::<File>(text).is_ok(), expected, "the program: {text}");
    }
}
