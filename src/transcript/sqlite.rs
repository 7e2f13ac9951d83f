//! Stores kept in `SQLite`: their rows become records, one JSON object a row.
//!
//! The database is never written to. Opening one that others have open may write beside it, so a database
//! with changes in its write-ahead log is read from a copy, and any other as immutable.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The tables of a database with their columns, both in lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schema(BTreeMap<String, Vec<String>>);

impl Schema {
    /// Whether there is a table with these columns.
    pub(crate) fn has(&self, table: &str, columns: &[&str]) -> bool {
        let known = self.0.get(table);
        known.is_some_and(|known| columns.iter().all(|column| known.iter().any(|name| name == column)))
    }
}

/// What is read of a database: each row becomes `{"table": …, column: value, …}`.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// What the records say under `table`.
    pub(crate) table: &'static str,
    /// A `SELECT`, with the order in which the rows are to be read.
    pub(crate) sql: String,
    /// Columns that hold JSON, which stands in the record as it is rather than as a text.
    pub(crate) json: &'static [&'static str],
    /// What turns columns that are written in another way into JSON, by their names; none for a value that
    /// it leaves alone.
    pub(crate) decode: Option<fn(column: &str, row: &Row<'_>) -> Option<Value>>,
}

/// Characters that stand for themselves in the path of a URI.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A database that is open for reading.
pub(crate) struct Database {
    connection: Connection,
    /// The copy that is read, if one is; removed when it is dropped.
    _copy: Option<tempfile::TempDir>,
}

impl Database {
    /// Opens a database without changing anything in its folder.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let log = beside(path, "-wal");
        let is_live = fs::metadata(&log).is_ok_and(|log| log.len() > 0);
        let copy = is_live.then(|| copy(path, &log)).transpose()?;
        let opened = copy
            .as_ref()
            .map_or_else(|| path.to_owned(), |copy| copy.path().join("store.db"));
        let absolute = std::path::absolute(&opened)?;
        let uri = utf8_percent_encode(&absolute.to_string_lossy(), PATH).to_string();
        let (uri, flags) = match &copy {
            Some(_) => (format!("file:{uri}"), OpenFlags::SQLITE_OPEN_READ_WRITE),
            None => (format!("file:{uri}?immutable=1"), OpenFlags::SQLITE_OPEN_READ_ONLY),
        };
        let flags = flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(uri, flags).map_err(failed)?;
        Ok(Self {
            connection,
            _copy: copy,
        })
    }

    /// Its tables.
    pub(crate) fn schema(&self) -> io::Result<Schema> {
        let sql = "SELECT lower(m.name), lower(c.name) FROM sqlite_master m, pragma_table_info(m.name) c \
                   WHERE m.type = 'table'";
        let mut statement = self.connection.prepare(sql).map_err(failed)?;
        let pairs = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
        let mut schema = Schema::default();
        for pair in pairs.map_err(failed)? {
            let (table, column) = pair.map_err(failed)?;
            schema.0.entry(table).or_default().push(column);
        }
        Ok(schema)
    }

    /// Writes the rows of the queries to a file of their own, a record a line.
    pub(crate) fn rows(&self, queries: &[Query]) -> io::Result<File> {
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for query in queries {
            let mut statement = self.connection.prepare(&query.sql).map_err(failed)?;
            let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
            let mut rows = statement.query([]).map_err(failed)?;
            while let Some(row) = rows.next().map_err(failed)? {
                write_row(query, &names, row, &mut out)?;
            }
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

fn write_row(query: &Query, names: &[String], row: &Row<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut record: Map<String, Value> = Map::new();
    record.insert("table".to_owned(), Value::from(query.table));
    let mut raw: Vec<(&str, String)> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(value) = query.decode.and_then(|decode| decode(name, row)) {
            record.insert(name.clone(), value);
            continue;
        }
        let value = row.get_ref(at).map_err(failed)?;
        let text = match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        // JSON goes in as it is written, but for line feeds: a record is a line.
        let json = text
            .filter(|_| query.json.contains(&name.as_str()))
            .and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
        match json {
            Some(json) => raw.push((name, json.get().replace(['\n', '\r'], " "))),
            None => drop(record.insert(name.clone(), plain(value, text))),
        }
    }
    let mut line = serde_json::to_string(&record)?;
    line.pop();
    for (name, json) in raw {
        line = line + "," + &serde_json::to_string(name)? + ":" + &json;
    }
    writeln!(out, "{line}}}")
}

fn plain(value: ValueRef<'_>, text: Option<&str>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Real(number) => Value::from(number),
        ValueRef::Text(bytes) => Value::from(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => text.map_or_else(|| Value::from(STANDARD.encode(bytes)), Value::from),
    }
}

/// Copies a database with its write-ahead log.
fn copy(path: &Path, log: &Path) -> io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    fs::copy(path, folder.path().join("store.db"))?;
    fs::copy(log, folder.path().join("store.db-wal"))?;
    Ok(folder)
}

/// The file that `SQLite` keeps beside a database under this ending.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn failed(error: rusqlite::Error) -> io::Error {
    io::Error::other(format!("the database cannot be read: {error}"))
}
