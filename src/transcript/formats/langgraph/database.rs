//! Databases of `SqliteSaver`: each checkpoint becomes a tuple with its writes, as `saver.list()` gives it.
//!
//! Source: `langgraph/checkpoint/sqlite/__init__.py` of langchain-ai/langgraph, langgraph-checkpoint-sqlite 3.

use rusqlite::Row;
use serde_json::Value;

use super::serde;
use crate::transcript::sqlite::{Query, Schema};

pub(super) fn queries(schema: &Schema) -> Option<Vec<Query>> {
    let keys = ["thread_id", "checkpoint_ns", "checkpoint_id"];
    let has = |table, more: &[&str]| schema.has(table, &[&keys, more].concat());
    if !has(
        "checkpoints",
        &["parent_checkpoint_id", "type", "checkpoint", "metadata"],
    ) {
        return None;
    }
    let path = if schema.has("writes", &["task_path"]) {
        "task_path"
    } else {
        "''"
    };
    let writes = if has("writes", &["task_id", "idx", "channel", "type", "value"]) {
        format!(
            "(SELECT json_group_array(json_array(task_id, channel, type, hex(value), {path})) FROM \
             (SELECT * FROM writes w WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns \
             AND w.checkpoint_id = c.checkpoint_id ORDER BY {path}, task_id, idx))"
        )
    } else {
        "'[]'".to_owned()
    };
    let config = |id: &str| {
        format!(
            "json_object('configurable', json_object('thread_id', thread_id, 'checkpoint_ns', checkpoint_ns, \
             'checkpoint_id', {id}))"
        )
    };
    let (config, parent) = (config("checkpoint_id"), config("parent_checkpoint_id"));
    let sql = format!(
        "SELECT {config} AS config, CASE WHEN parent_checkpoint_id IS NOT NULL THEN {parent} END AS parent_config, \
         type, checkpoint, metadata, {writes} AS pending_writes \
         FROM checkpoints c ORDER BY thread_id, checkpoint_ns, checkpoint_id"
    );
    Some(vec![Query {
        table: "checkpoints",
        sql,
        json: &["config", "parent_config"],
        decode: Some(decode),
    }])
}

fn decode(column: &str, row: &Row<'_>) -> Option<Value> {
    let bytes = |name| row.get_ref(name).ok()?.as_bytes().ok();
    match column {
        "checkpoint" => {
            let kind: String = row.get("type").unwrap_or_default();
            serde::decode(&kind, bytes(column)?)
        }
        "metadata" => serde::decode("", bytes(column)?),
        "pending_writes" => {
            let writes: Vec<[Option<String>; 5]> = serde_json::from_slice(bytes(column)?).ok()?;
            let write = |[task, channel, kind, value, path]: [Option<String>; 5]| {
                let value = serde::decode(&kind.unwrap_or_default(), &serde::hex(&value?)?)?;
                Some(Value::from(vec![task.into(), channel.into(), value, path.into()]))
            };
            Some(writes.into_iter().filter_map(write).collect())
        }
        _ => None,
    }
}
