//! Bytes to records, in a memory that does not depend on the size of the file.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::layout::{self, Layout, Scanner};
use super::message::Place;
use super::scan::{Bounds, Tape};

/// The longest record that is read. A longer one is reported and passed over without being held.
pub(crate) const RECORD_LIMIT: usize = 64 << 20;

/// The deepest nesting of a record that is read.
pub(crate) const DEPTH_LIMIT: usize = 128;

/// The most objects in a record that is read: each may be a message.
pub(crate) const OBJECT_LIMIT: usize = 200_000;

/// Where a record stands in its file: 1-based line and column of its first character, and its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Which part of the input, from 0.
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) end_line: u32,
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

impl Spot {
    /// The first character.
    pub(crate) fn start(self) -> Place {
        Place {
            file: self.file,
            line: self.line,
            column: self.column,
            end_line: self.line,
            end_column: self.column + 1,
        }
    }
}

/// A record: one line, or one element of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'r> {
    pub(crate) text: &'r str,
    pub(crate) spot: Spot,
    /// What the text consists of; none if that is left to `serde_json`.
    pub(crate) tape: Option<&'r Tape>,
}

/// A record that cannot be read, and where that shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// Which part of the input, from 0.
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) reason: String,
}

/// A file, or standard input held in memory.
pub(crate) trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// Hands out the records of a file.
pub(crate) struct Reader {
    input: BufReader<Box<dyn Source>>,
    layout: Layout,
    buffer: Vec<u8>,
    /// What the record consists of that was taken last.
    tape: Tape,
    limit: usize,
    cursor: Cursor,
    /// Whether the closing bracket of the array was read.
    closed: bool,
    /// Which part of the input this is, from 0.
    file: u32,
}

#[derive(Clone, Copy, Debug)]
struct Cursor {
    offset: u64,
    line: u32,
    column: u32,
}

impl Cursor {
    const START: Self = Self {
        offset: 0,
        line: 1,
        column: 1,
    };

    fn take(&mut self, byte: u8) {
        self.offset += 1;
        if byte == b'\n' {
            self.line += 1;
            self.column = 1;
        } else if byte & 0xc0 != 0x80 {
            self.column += 1;
        }
    }
}

/// What a stretch of bytes turned out to be.
pub(crate) enum Stretch {
    End,
    Record(Spot),
    TooLong(Spot),
    Unfinished(Spot),
}

impl Reader {
    /// Judges the layout of `source` and goes to its first record.
    pub(crate) fn open(source: Box<dyn Source>) -> io::Result<Self> {
        Self::with_limit(source, RECORD_LIMIT)
    }

    fn with_limit(source: Box<dyn Source>, limit: usize) -> io::Result<Self> {
        let mut input = BufReader::with_capacity(64 << 10, source);
        let layout = layout::of(&mut input)?;
        let mut reader = Self {
            input,
            layout,
            buffer: Vec::new(),
            tape: Tape::default(),
            limit,
            cursor: Cursor::START,
            closed: false,
            file: 0,
        };
        reader.rewind()?;
        Ok(reader)
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Goes back to the first record.
    pub(crate) fn rewind(&mut self) -> io::Result<()> {
        self.input.seek(SeekFrom::Start(0))?;
        self.cursor = Cursor::START;
        self.closed = false;
        if self.input.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
            self.input.consume(3);
            self.cursor.offset = 3;
        }
        if self.layout == Layout::Array {
            while let Some(byte) = self.byte()? {
                if byte == b'[' {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Says which part of an input this is, from 0.
    pub(crate) fn set_file(&mut self, file: u32) {
        self.file = file;
    }

    /// Goes on to the next stretch, in the order of the file; what it holds, [`Self::taken`] says.
    pub(crate) fn advance(&mut self) -> io::Result<Stretch> {
        match self.layout {
            Layout::Array => self.element(),
            Layout::Object => self.document(),
            Layout::Lines | Layout::Text => self.line(),
            Layout::Empty | Layout::Binary => Ok(Stretch::End),
        }
    }

    /// The record in the stretch that was taken last.
    pub(crate) fn taken(&mut self, stretch: &Stretch) -> Option<Result<Record<'_>, Broken>> {
        Some(match *stretch {
            Stretch::End => return None,
            Stretch::Record(spot) => self.judge(spot),
            Stretch::TooLong(spot) => Err(too_long(spot, self.limit)),
            Stretch::Unfinished(spot) => Err(Broken::at(spot, "the file ends inside this record".to_owned())),
        })
    }

    /// The next record, in the order of the file.
    #[cfg(test)]
    fn next(&mut self) -> io::Result<Option<Result<Record<'_>, Broken>>> {
        let stretch = self.advance()?;
        Ok(self.taken(&stretch))
    }

    /// The record at a spot that [`Self::next`] gave before.
    pub(crate) fn at(&mut self, spot: Spot) -> io::Result<Result<Record<'_>, Broken>> {
        let ahead = spot.offset.checked_sub(self.cursor.offset);
        match ahead.filter(|ahead| *ahead <= self.input.buffer().len() as u64) {
            // Places mostly ascend: what was read ahead is not thrown away.
            Some(ahead) => self.input.consume(ahead as usize),
            None => drop(self.input.seek(SeekFrom::Start(spot.offset))?),
        }
        self.buffer.clear();
        self.input.by_ref().take(spot.len).read_to_end(&mut self.buffer)?;
        self.cursor.offset = spot.offset + self.buffer.len() as u64;
        Ok(self.judge(spot))
    }

    /// Whether the bytes are text of bearable depth.
    fn judge(&mut self, spot: Spot) -> Result<Record<'_>, Broken> {
        let text = std::str::from_utf8(&self.buffer).map_err(|error| {
            let (line, column) = position(spot, &self.buffer[..error.valid_up_to()]);
            Broken {
                file: spot.file,
                line,
                column,
                reason: "invalid UTF-8".to_owned(),
            }
        })?;
        let bounds = Bounds {
            depth: DEPTH_LIMIT,
            objects: OBJECT_LIMIT,
        };
        if self.tape.scan(text, bounds).is_ok() {
            let tape = Some(&self.tape);
            return Ok(Record { text, spot, tape });
        }
        let size = layout::measure(&self.buffer);
        if size.depth > DEPTH_LIMIT || size.objects > OBJECT_LIMIT {
            let reason = if size.depth > DEPTH_LIMIT {
                format!("nested deeper than {DEPTH_LIMIT} levels")
            } else {
                format!("more than {OBJECT_LIMIT} objects in one record")
            };
            return Err(Broken::at(spot, reason));
        }
        Ok(Record { text, spot, tape: None })
    }

    /// The next line that is not blank.
    fn line(&mut self) -> io::Result<Stretch> {
        loop {
            self.buffer.clear();
            let start = self.cursor;
            let mut len = 0;
            let mut ended = false;
            while !ended {
                let bytes = self.input.fill_buf()?;
                if bytes.is_empty() {
                    break;
                }
                let newline = memchr::memchr(b'\n', bytes);
                let taken = newline.map_or(bytes.len(), |at| at + 1);
                let content = &bytes[..newline.unwrap_or(taken)];
                len += content.len();
                if len <= self.limit {
                    self.buffer.extend_from_slice(content);
                }
                ended = newline.is_some();
                self.input.consume(taken);
                self.cursor.offset += taken as u64;
            }
            if ended {
                self.cursor.line += 1;
            } else if len == 0 {
                return Ok(Stretch::End);
            }
            let spot = Spot {
                file: self.file,
                line: start.line,
                column: 1,
                end_line: start.line,
                offset: start.offset,
                len: len as u64,
            };
            if len > self.limit {
                self.buffer = Vec::new();
                return Ok(Stretch::TooLong(spot));
            }
            if !self.buffer.trim_ascii().is_empty() {
                return Ok(Stretch::Record(spot));
            }
        }
    }

    /// The whole file.
    fn document(&mut self) -> io::Result<Stretch> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() {
                break;
            }
            self.byte()?;
        }
        self.value()
    }

    /// The next element of the array that the file is.
    fn element(&mut self) -> io::Result<Stretch> {
        while let Some(byte) = self.peek()? {
            if self.closed || !(byte.is_ascii_whitespace() || matches!(byte, b',' | b']')) {
                break;
            }
            self.closed = byte == b']';
            self.byte()?;
        }
        if self.closed {
            return Ok(Stretch::End);
        }
        self.value()
    }

    /// A value up to its last byte, or up to the comma or bracket behind it.
    fn value(&mut self) -> io::Result<Stretch> {
        self.buffer.clear();
        let start = self.cursor;
        let mut scanner = Scanner::default();
        let mut len = 0;
        let mut ended = false;
        while !ended {
            let bytes = self.input.fill_buf()?;
            let mut taken = 0;
            for &byte in bytes {
                if !scanner.is_inside() && len + taken > 0 && matches!(byte, b',' | b']' | b'}') {
                    ended = true;
                    break;
                }
                self.cursor.take(byte);
                taken += 1;
                if scanner.ends_with(byte) {
                    ended = true;
                    break;
                }
            }
            ended |= bytes.is_empty();
            len += taken;
            if len <= self.limit {
                self.buffer.extend_from_slice(&bytes[..taken]);
            }
            self.input.consume(taken);
        }
        let spot = Spot {
            file: self.file,
            line: start.line,
            column: start.column,
            end_line: self.cursor.line,
            offset: start.offset,
            len: len as u64,
        };
        Ok(match len {
            0 => Stretch::End,
            _ if len > self.limit => {
                self.buffer = Vec::new();
                Stretch::TooLong(spot)
            }
            _ if scanner.is_inside() => Stretch::Unfinished(spot),
            _ => Stretch::Record(spot),
        })
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.input.consume(1);
            self.cursor.take(byte);
        }
        Ok(byte)
    }
}

fn too_long(spot: Spot, limit: usize) -> Broken {
    let reason = format!(
        "{} MiB long; records of more than {} MiB are passed over",
        spot.len >> 20,
        limit >> 20
    );
    Broken::at(spot, reason)
}

impl Broken {
    /// What is wrong with a record as a whole.
    pub(crate) fn at(spot: Spot, reason: String) -> Self {
        Self {
            file: spot.file,
            line: spot.line,
            column: spot.column,
            reason,
        }
    }
}

/// Line and column of the byte behind `before`, in a record that stands at `spot`.
pub(crate) fn position(spot: Spot, before: &[u8]) -> (u32, u32) {
    let mut cursor = Cursor {
        offset: 0,
        line: spot.line,
        column: spot.column,
    };
    for &byte in before {
        cursor.take(byte);
    }
    (cursor.line, cursor.column)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::Reader;

    /// Every record as `line:column text`, every broken one as `line:column! reason`.
    fn read(bytes: &[u8], limit: usize) -> Vec<String> {
        let source = Box::new(Cursor::new(bytes.to_vec()));
        let mut reader = Reader::with_limit(source, limit).expect("memory can be read");
        let mut found = Vec::new();
        while let Some(next) = reader.next().expect("memory can be read") {
            found.push(match next {
                Ok(record) => format!("{}:{} {}", record.spot.line, record.spot.column, record.text),
                Err(broken) => format!("{}:{}! {}", broken.line, broken.column, broken.reason),
            });
        }
        found
    }

    #[test]
    fn lines_are_records_and_blank_ones_are_not() {
        assert_eq!(
            read(b"{\"a\":1}\n\n  \n{\"b\":2}", 99),
            ["1:1 {\"a\":1}", "4:1 {\"b\":2}"]
        );
    }

    #[test]
    fn elements_of_an_array_are_records_in_their_place() {
        let pretty = b"[\n  {\"a\": \"],\"},\n  {\"\xc3\xa9\": [1]}, {\"c\":\n3}, 7\n]\n";
        assert_eq!(
            read(pretty, 99),
            ["2:3 {\"a\": \"],\"}", "3:3 {\"é\": [1]}", "3:15 {\"c\":\n3}", "4:5 7\n"]
        );
    }

    #[test]
    fn records_are_found_again_in_any_order() {
        let text: String = (0..40_000)
            .map(|n| format!("{{\"n\":{n}}}\n"))
            .collect::<Vec<_>>()
            .concat();
        let mut reader = Reader::open(Box::new(Cursor::new(text.into_bytes()))).expect("memory can be read");
        let mut spots = Vec::new();
        while let Some(next) = reader.next().expect("memory can be read") {
            spots.push(next.expect("a record").spot);
        }
        for n in [0, 1, 2, 7, 7, 6, 39_999, 3, 20_000, 20_001, 39_000] {
            let record = reader.at(spots[n]).expect("memory can be read");
            assert_eq!(record.expect("a record").text, format!("{{\"n\":{n}}}"));
        }
    }

    #[test]
    fn an_object_is_one_record() {
        assert_eq!(read(b"\xef\xbb\xbf\n{\"a\":\n1}\n", 99), ["2:1 {\"a\":\n1}"]);
    }

    #[test]
    fn what_is_too_long_is_passed_over() {
        let long = format!("{{\"a\":1}}\n{{\"b\":\"{}\"}}\n{{\"c\":3}}\n", "x".repeat(3 << 20));
        let reason = "2:1! 3 MiB long; records of more than 2 MiB are passed over";
        assert_eq!(
            read(long.as_bytes(), 2 << 20),
            ["1:1 {\"a\":1}", reason, "3:1 {\"c\":3}"]
        );
        let array = format!("[{{\"a\":1}},\n\"{}\",\n{{\"c\":3}}]", "x".repeat(3 << 20));
        assert_eq!(
            read(array.as_bytes(), 2 << 20),
            ["1:2 {\"a\":1}", reason, "3:1 {\"c\":3}"]
        );
    }

    #[test]
    fn invalid_text_is_located_and_the_rest_is_read() {
        assert_eq!(
            read(b"{\"a\":\"\xc3\xa9\xff\"}\n{\"b\":2}\n", 99),
            ["1:8! invalid UTF-8", "2:1 {\"b\":2}"]
        );
    }

    #[test]
    fn deep_nesting_is_refused_without_a_stack() {
        let deep = format!("{{\"a\":1}}\n{}\n{{\"b\":2}}\n", "[".repeat(100_000));
        assert_eq!(
            read(deep.as_bytes(), 1 << 20),
            ["1:1 {\"a\":1}", "2:1! nested deeper than 128 levels", "3:1 {\"b\":2}"]
        );
    }

    #[test]
    fn an_array_without_its_end_gives_what_it_has() {
        assert_eq!(
            read(b"[{\"a\":1},\n{\"b\":", 99),
            ["1:2 {\"a\":1}", "2:1! the file ends inside this record"]
        );
    }
}
