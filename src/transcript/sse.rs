//! Server-sent events: each becomes a record `{"event": …, "data": …}` in the line of its data.

use std::io::{self, BufRead, Write};

/// Whether a text begins as a stream of events does.
pub(super) fn begins(start: &[u8]) -> bool {
    [&b"event:"[..], b"data:", b"id:", b"retry:", b": "]
        .iter()
        .any(|key| start.starts_with(key))
}

/// Turns a stream of events into JSON, a line for a line.
pub(super) fn to_records(mut input: impl BufRead, out: &mut impl Write) -> io::Result<()> {
    let mut block = Block::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line)?;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if read == 0 || text.is_empty() {
            block.write(out)?;
            block = Block::default();
        }
        if read == 0 {
            return Ok(());
        }
        if text.is_empty() {
            writeln!(out)?;
        } else {
            block.take(&String::from_utf8_lossy(text));
        }
    }
}

/// The lines of one event.
#[derive(Default)]
struct Block {
    event: Option<String>,
    data: Option<String>,
    lines: usize,
    /// The line that the data ends in.
    data_line: usize,
}

impl Block {
    fn take(&mut self, line: &str) {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match key {
            "event" => self.event = Some(value.to_owned()),
            "data" => {
                let data = self.data.get_or_insert_default();
                // A line feed between two lines of JSON is white space.
                data.push_str(if data.is_empty() { "" } else { " " });
                data.push_str(value);
                self.data_line = self.lines;
            }
            _ => {}
        }
        self.lines += 1;
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for line in 0..self.lines {
            if let (Some(data), true) = (&self.data, line == self.data_line) {
                let data = data.trim();
                match &self.event {
                    // What ends some streams is no JSON.
                    _ if data == "[DONE]" => {}
                    Some(event) => {
                        let data = if data.is_empty() { "null" } else { data };
                        write!(out, "{{\"event\":{},\"data\":{data}}}", serde_json::to_string(event)?)?;
                    }
                    None => write!(out, "{data}")?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{begins, to_records};

    #[test]
    fn an_event_becomes_a_record_in_the_line_of_its_data() {
        let text = "event: updates\r\ndata: {\"a\":\r\ndata: 1}\r\nid: 7\r\n\r\n: ping\n\nevent: end\n\ndata: {}\n\ndata: [DONE]\n\n";
        let mut out = Vec::new();
        to_records(text.as_bytes(), &mut out).expect("a vector can be written to");
        let out = String::from_utf8(out).expect("JSON is text");
        let lines: Vec<&str> = out.split('\n').collect();
        assert_eq!(lines.len(), text.split('\n').count());
        assert_eq!(
            (lines[2], lines[9]),
            ("{\"event\":\"updates\",\"data\":{\"a\": 1}}", "{}")
        );
        assert_eq!(lines.iter().filter(|line| !line.is_empty()).count(), 2);
        assert!(begins(b"event: metadata\n") && !begins(b"eventful"));
    }
}
