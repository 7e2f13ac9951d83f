//! One pass over a JSON text: what is wrong with it is left to `serde_json` to say, what is right is written down as a
//! tape, so that its parts are found without reading the text again.
//!
//! The scanner takes exactly what `serde_json` takes as a `RawValue`: structure, literals, numbers, escapes and control
//! characters are checked, ranges of numbers and halves of surrogate pairs are not.

#[cfg(any(test, fuzzing))]
pub(super) mod agreement;
mod plain;

/// A value of a text, or a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Where it begins and ends, in bytes from the beginning of the text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The node behind it and all that is in it.
    pub(super) next: u32,
    pub(super) marks: Marks,
}

/// What is to be known of a value before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    /// A string with escapes.
    pub(super) const ESCAPES: Self = Self(1);
    /// A string with escapes that `serde_json` would not write: `\u` and `\/`.
    pub(super) const UNUSUAL: Self = Self(2);
    /// An object with a key that has escapes.
    pub(super) const ODD_KEYS: Self = Self(4);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The values of one text in the order in which they begin, each key before its value.
///
/// It is made to be used again: what it holds is given up with the next text, its memory is not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    nodes: Vec<Node>,
    /// The containers around the value that is read.
    open: Vec<u32>,
}

/// Says that a text is left to `serde_json`: it is not JSON, or more than is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

/// How much of a text is followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The deepest nesting of lists and objects.
    pub(crate) depth: usize,
    /// The most objects.
    pub(crate) objects: usize,
}

impl Bounds {
    /// Whatever there is room for.
    pub(crate) const NONE: Self = Self {
        depth: usize::MAX,
        objects: usize::MAX,
    };
}

/// The most nodes for each byte of a text, as a fraction, and how many more: a tape stays below twice the text.
const BYTES_A_NODE: usize = 8;
const NODES: usize = 1024;

impl Tape {
    /// Writes down what `text` consists of: one value, with white space around it.
    pub(crate) fn scan(&mut self, text: &str, bounds: Bounds) -> Result<(), Refused> {
        self.nodes.clear();
        self.open.clear();
        if u32::try_from(text.len()).is_err() {
            return Err(Refused);
        }
        let scan = Scan {
            bytes: text.as_bytes(),
            at: 0,
            most: text.len() / BYTES_A_NODE + NODES,
            nodes: &mut self.nodes,
            open: &mut self.open,
        };
        let scanned = scan.text(bounds);
        if scanned.is_err() {
            self.nodes.clear();
        }
        scanned
    }

    /// The node at a place.
    pub(super) fn node(&self, at: u32) -> Node {
        self.nodes[at as usize]
    }
}

/// A text being gone through.
struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The most nodes.
    most: usize,
    nodes: &'t mut Vec<Node>,
    open: &'t mut Vec<u32>,
}

impl Scan<'_> {
    fn text(mut self, bounds: Bounds) -> Result<(), Refused> {
        let mut objects = 0;
        loop {
            self.space();
            let start = self.at;
            match self.peek() {
                b'"' => self.string(start)?,
                b'{' => {
                    objects += 1;
                    self.enter(bounds.depth)?;
                    if objects > bounds.objects {
                        return Err(Refused);
                    }
                    self.space();
                    if self.peek() != b'}' {
                        self.key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.enter(bounds.depth)?;
                    self.space();
                    if self.peek() != b']' {
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => {
                    self.number()?;
                    self.leaf(start, Marks::default())?;
                }
                b't' => self.literal(b"true")?,
                b'f' => self.literal(b"false")?,
                b'n' => self.literal(b"null")?,
                _ => return Err(Refused),
            }
            if !self.go_on()? {
                return Ok(());
            }
        }
    }

    /// Goes from the end of a value to the beginning of the next; false at the end of the text.
    fn go_on(&mut self) -> Result<bool, Refused> {
        loop {
            self.space();
            let Some(&open) = self.open.last() else {
                return if self.at == self.bytes.len() {
                    Ok(false)
                } else {
                    Err(Refused)
                };
            };
            let is_object = self.bytes[self.nodes[open as usize].start as usize] == b'{';
            match self.peek() {
                b',' => {
                    self.at += 1;
                    if is_object {
                        self.space();
                        self.key()?;
                    }
                    return Ok(true);
                }
                b'}' if is_object => {}
                b']' if !is_object => {}
                _ => return Err(Refused),
            }
            self.at += 1;
            let next = self.nodes.len() as u32;
            let container = &mut self.nodes[open as usize];
            (container.end, container.next) = (self.at as u32, next);
            self.open.pop();
        }
    }

    /// Begins a list or an object.
    fn enter(&mut self, depth: usize) -> Result<(), Refused> {
        if self.open.len() >= depth {
            return Err(Refused);
        }
        self.open.push(self.nodes.len() as u32);
        let start = self.at;
        self.at += 1;
        self.leaf(start, Marks::default())
    }

    /// A key and the colon behind it.
    fn key(&mut self) -> Result<(), Refused> {
        if self.peek() != b'"' {
            return Err(Refused);
        }
        self.string(self.at)?;
        let is_odd = self.nodes.last().is_some_and(|key| key.marks.has(Marks::ESCAPES));
        if let Some(open) = self.open.last().filter(|_| is_odd) {
            self.nodes[*open as usize].marks.add(Marks::ODD_KEYS);
        }
        self.space();
        if self.peek() != b':' {
            return Err(Refused);
        }
        self.at += 1;
        Ok(())
    }

    /// A string from its first quote to behind its last.
    fn string(&mut self, start: usize) -> Result<(), Refused> {
        let mut marks = Marks::default();
        self.at += 1;
        loop {
            self.at = plain::end(self.bytes, self.at);
            match self.peek() {
                b'"' => break,
                b'\\' => marks.add(self.escape()?),
                _ => return Err(Refused),
            }
        }
        self.at += 1;
        self.leaf(start, marks)
    }

    fn escape(&mut self) -> Result<Marks, Refused> {
        let mut marks = Marks::ESCAPES;
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'/') => {
                marks.add(Marks::UNUSUAL);
                self.at += 2;
            }
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6).ok_or(Refused)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(Refused);
                }
                marks.add(Marks::UNUSUAL);
                self.at += 6;
            }
            _ => return Err(Refused),
        }
        Ok(marks)
    }

    fn number(&mut self) -> Result<(), Refused> {
        if self.peek() == b'-' {
            self.at += 1;
        }
        match self.peek() {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits(),
            _ => return Err(Refused),
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.some_digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok(())
    }

    fn some_digits(&mut self) -> Result<(), Refused> {
        let start = self.at;
        self.digits();
        if self.at == start { Err(Refused) } else { Ok(()) }
    }

    fn digits(&mut self) {
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), Refused> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(Refused);
        }
        let start = self.at;
        self.at += word.len();
        self.leaf(start, Marks::default())
    }

    /// Writes down a value that has ended, or a container that has begun.
    fn leaf(&mut self, start: usize, marks: Marks) -> Result<(), Refused> {
        if self.nodes.len() >= self.most {
            return Err(Refused);
        }
        self.nodes.push(Node {
            start: start as u32,
            end: self.at as u32,
            next: self.nodes.len() as u32 + 1,
            marks,
        });
        Ok(())
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    /// The next byte; zero, which stands nowhere in JSON, at the end.
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }
}

#[cfg(test)]
pub(super) mod tests;
