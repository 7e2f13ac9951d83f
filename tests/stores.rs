//! Stores in `SQLite`: read as what they are, and never written to, also while their tool has them open.

mod support;

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};
use support::{folder, repository, run};

const OPENCODE: &str = r#"
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
INSERT INTO session VALUES ('ses_1', 'p1', NULL, '/srv/shop', 'shop', 1772442000000), ('ses_2', 'p1', 'ses_1', '/srv/shop', 'sub', 1772442000000);
INSERT INTO message VALUES ('msg_2', 'ses_1', 2, '{"role":"assistant","parentID":"msg_1","finish":"stop","tokens":{"input":1,"output":2,"cache":{"read":3,"write":4}}}'),
  ('msg_1', 'ses_1', 1, '{"role":"user","time":{"created":1}}'), ('msg_3', 'ses_2', 3, '{"role":"user"}');
INSERT INTO part VALUES ('prt_3', 'msg_2', 'ses_1', '{"type":"text","text":"There."}'),
  ('prt_2', 'msg_2', 'ses_1', '{"type":"tool","callID":"c1","tool":"ls","state":{"status":"completed","input":{},"output":"cart"}}'),
  ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"add a cart"}'), ('prt_4', 'msg_3', 'ses_2', '{"type":"text","text":"look"}');
"#;

const GOOSE: &str = r#"
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, updated_at TIMESTAMP);
CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT);
INSERT INTO sessions VALUES ('20260302_1', 'shop', '/srv/shop', '2026-03-02 09:00:00');
INSERT INTO messages VALUES (1, 'm1', '20260302_1', 'user', '[{"type":"text","text":"old"}]', 1, '{"userVisible":true,"agentVisible":false}'),
  (2, 'm2', '20260302_1', 'user', '[{"type":"text","text":"add a cart"}]', 2, '{"userVisible":true,"agentVisible":true}'),
  (3, 'm3', '20260302_1', 'assistant', '[{"type":"toolRequest","id":"t1","toolCall":{"status":"success"}}]', 3, '{}'),
  (4, 'm4', '20260302_1', 'user', '[{"type":"toolResponse","id":"t1","toolResult":{"status":"success"}}]', 4, '{}');
"#;

const MASTRA: &str = r#"
CREATE TABLE mastra_messages (id TEXT PRIMARY KEY, thread_id TEXT, content TEXT, role TEXT, type TEXT, createdAt TEXT, resourceId TEXT);
INSERT INTO mastra_messages VALUES ('m2', 't1', '{"format":2,"parts":[{"type":"text","text":"Seven."}]}', 'assistant', 'v2', '2026-03-02T09:00:02Z', 'r'),
  ('m1', 't1', '{"format":2,"parts":[{"type":"text","text":"how many?"}]}', 'user', 'v2', '2026-03-02T09:00:01Z', 'r');
"#;

fn database(path: &Path, sql: &str) -> Connection {
    let connection = Connection::open(path).expect("a database can be made");
    connection.execute_batch(sql).expect("it can be filled");
    connection
}

fn replayed(path: &Path) -> Value {
    let run = run(
        repository(),
        &[
            "replay",
            "--isolated",
            "--format",
            "json",
            path.to_str().expect("a plain path"),
        ],
    );
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    serde_json::from_str(&run.stdout).expect("the document is JSON")
}

fn told(document: &Value) -> Vec<String> {
    let mut told = Vec::new();
    for session in document["sessions"].as_array().into_iter().flatten() {
        told.push(format!("session {}", session["id"].as_str().unwrap_or_default()));
        for message in session["messages"].as_array().into_iter().flatten() {
            let [kind, id, text] = ["kind", "id", "text"].map(|key| message[key].as_str().unwrap_or_default());
            told.push(format!("{kind} {id} {text}"));
        }
    }
    told
}

fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry can be read").path())
        .map(|path| (path.display().to_string(), fs::read(&path).expect("it can be read")))
        .collect();
    files.sort();
    files
}

#[test]
fn databases_are_read_and_stay_as_they_are() {
    let stores: [(&str, &str, &[&str]); 3] = [
        (
            "opencode",
            OPENCODE,
            &[
                "session ses_1",
                "authored msg_1 add a cart",
                "tool_call msg_2 calls c1",
                "tool_result msg_2.2 cart",
                "assistant msg_2.3 There.",
                "session ses_1/ses_2",
                "authored msg_3 look",
            ],
        ),
        (
            "goose",
            GOOSE,
            &[
                "session 20260302_1",
                "authored m2 add a cart",
                "tool_call m3 calls t1",
                "tool_result m4 (no text)",
            ],
        ),
        (
            "mastra",
            MASTRA,
            &["session t1", "authored m1 how many?", "assistant m2 Seven."],
        ),
    ];
    for (format, sql, expected) in stores {
        let folder = folder();
        let path = folder.path().join("store.db");
        drop(database(&path, sql));
        let before = bytes(folder.path());
        let document = replayed(&path);
        assert_eq!(document["format"], json!(format));
        assert_eq!([&document["unknown"], &document["malformed"]], [0, 0], "{format}");
        assert_eq!(told(&document), expected, "{format}");
        assert_eq!(bytes(folder.path()), before, "{format}");
    }
}

#[test]
fn what_only_the_write_ahead_log_holds_is_read_from_a_copy() {
    let folder = folder();
    let path = folder.path().join("store.db");
    let connection = database(&path, &format!("PRAGMA journal_mode = WAL; {MASTRA}"));
    let log = fs::metadata(folder.path().join("store.db-wal")).expect("there is a log");
    assert!(log.len() > 0);
    let before = bytes(folder.path());
    assert_eq!(told(&replayed(&path)).len(), 3);
    assert_eq!(bytes(folder.path()), before);
    drop(connection);
}
