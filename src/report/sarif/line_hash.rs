//! `primaryLocationLineHash`, exactly as GitHub's upload step computes it: it warns where it finds another.
//!
//! A rolling hash over UTF-16 code units, without spaces and tabs and with one line feed for each kind of line break.
//! The hash of a line is the value of the window of 100 units that starts at its first unit, in hexadecimal, and
//! behind a colon how many lines so far have this hash. Behind the end of the file stand a mark and zeros.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use rustc_hash::FxHashMap;

const WINDOW: usize = 100;
const FACTOR: u64 = 37;
/// What stands behind the last unit of a file.
const END: u16 = 65535;
/// How much of a text is held.
const CHUNK: u64 = 64 << 10;

/// The hashes of some lines of a text, which is read twice, the second time to count: only the wanted lines are held,
/// whatever the size of the text.
pub(super) fn of_lines<R: Read>(
    mut open: impl FnMut() -> io::Result<R>,
    wanted: &BTreeSet<u32>,
) -> io::Result<BTreeMap<u32, String>> {
    let Some(&last) = wanted.last() else {
        return Ok(BTreeMap::new());
    };
    let mut hashes: BTreeMap<u32, u64> = BTreeMap::new();
    scan(open()?, last, &mut |line, hash| {
        if wanted.contains(&line) {
            hashes.insert(line, hash);
        }
    })?;
    let mut counts: FxHashMap<u64, u64> = hashes.values().map(|hash| (*hash, 0)).collect();
    let mut told = BTreeMap::new();
    scan(open()?, last, &mut |line, hash| {
        let Some(count) = counts.get_mut(&hash) else { return };
        *count += 1;
        if wanted.contains(&line) {
            told.insert(line, format!("{hash:x}:{count}"));
        }
    })?;
    Ok(told)
}

/// Tells each line of a text with its hash, until one that is not before `last`.
fn scan(mut text: impl Read, last: u32, tell: &mut impl FnMut(u32, u64)) -> io::Result<()> {
    let mut roller = Roller::new();
    let mut bytes = Vec::new();
    loop {
        let at_end = text.by_ref().take(CHUNK).read_to_end(&mut bytes)? == 0;
        let used = units(&bytes, at_end, |unit| roller.read(unit, tell));
        bytes.drain(..used);
        if roller.told >= last {
            return Ok(());
        }
        if at_end {
            break;
        }
    }
    roller.read(END, tell);
    for _ in 0..WINDOW {
        roller.roll(0, tell);
    }
    Ok(())
}

/// Hands on the code units of bytes, and says how many bytes it has used: a character whose end is not read yet waits
/// for it. Bytes that are no character count as the one that stands for them.
fn units(bytes: &[u8], at_end: bool, mut take: impl FnMut(u16)) -> usize {
    let mut used = 0;
    for chunk in bytes.utf8_chunks() {
        chunk.valid().encode_utf16().for_each(&mut take);
        used += chunk.valid().len();
        let broken = chunk.invalid();
        if broken.is_empty() {
            continue;
        }
        let unfinished = std::str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
        if unfinished && !at_end && used + broken.len() == bytes.len() {
            break;
        }
        take(char::REPLACEMENT_CHARACTER as u16);
        used += broken.len();
    }
    used
}

/// The window over the text.
struct Roller {
    units: [u16; WINDOW],
    /// The line that starts with a unit of the window, or 0.
    lines: [u32; WINDOW],
    at: usize,
    hash: u64,
    /// [`FACTOR`] to the power of [`WINDOW`]: what the unit that leaves the window counts.
    leaving: u64,
    line: u32,
    at_line_start: bool,
    after_return: bool,
    /// The last line that was told.
    told: u32,
}

impl Roller {
    fn new() -> Self {
        Self {
            units: [0; WINDOW],
            lines: [0; WINDOW],
            at: 0,
            hash: 0,
            leaving: (0..WINDOW).fold(1, |power: u64, _| power.wrapping_mul(FACTOR)),
            line: 0,
            at_line_start: true,
            after_return: false,
            told: 0,
        }
    }

    /// Takes the next unit of the text.
    fn read(&mut self, unit: u16, tell: &mut impl FnMut(u32, u64)) {
        let [space, tab, feed, carriage_return] = [b' ', b'\t', b'\n', b'\r'].map(u16::from);
        if unit == space || unit == tab || (self.after_return && unit == feed) {
            self.after_return = false;
            return;
        }
        self.after_return = unit == carriage_return;
        let unit = if self.after_return { feed } else { unit };
        self.tell_due(tell);
        if self.at_line_start {
            self.line += 1;
            self.lines[self.at] = self.line;
        }
        self.at_line_start = unit == feed;
        self.push(unit);
    }

    /// Moves the window on over a unit that is no part of the text.
    fn roll(&mut self, unit: u16, tell: &mut impl FnMut(u32, u64)) {
        self.tell_due(tell);
        self.push(unit);
    }

    /// Tells the line that the window starts with, if one starts there: its hash is complete.
    fn tell_due(&mut self, tell: &mut impl FnMut(u32, u64)) {
        let line = std::mem::take(&mut self.lines[self.at]);
        if line != 0 {
            self.told = line;
            tell(line, self.hash);
        }
    }

    fn push(&mut self, unit: u16) {
        let left = std::mem::replace(&mut self.units[self.at], unit);
        self.hash = self
            .hash
            .wrapping_mul(FACTOR)
            .wrapping_add(u64::from(unit))
            .wrapping_sub(self.leaving.wrapping_mul(u64::from(left)));
        self.at = (self.at + 1) % WINDOW;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(text: &[u8]) -> Vec<String> {
        let wanted: BTreeSet<u32> = (1..=1_000).collect();
        let hashes = of_lines(|| Ok(text), &wanted).expect("a slice can be read");
        assert_eq!(
            hashes.keys().copied().collect::<Vec<_>>(),
            (1..=hashes.len() as u32).collect::<Vec<_>>()
        );
        hashes.into_values().collect()
    }

    #[test]
    fn the_hashes_are_those_of_github() {
        for (text, expected) in [
            ("", &["c129715d7a2bc9a3:1"][..]),
            (
                " a\nb\n  \tc\n d",
                &[
                    "271789c17abda88f:1",
                    "54703d4cd895b18:1",
                    "180aee12dab6264:1",
                    "a23a3dc5e078b07b:1",
                ],
            ),
            (
                " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End",
                &[
                    "8b7cf3e952e7aeb2:1",
                    "b1ae1287ec4718d9:1",
                    "bff680108adb0fcc:1",
                    "c6805c5e1288b612:1",
                    "b86d3392aea1be30:1",
                    "e6ceba753e1a442:1",
                ],
            ),
            (
                "héllo 😀\nz\r\nq\rw",
                &[
                    "3e3c953086158650:1",
                    "137a6bfc7a45f42d:1",
                    "7a75142a9e20d3b9:1",
                    "d9ddcb7cd81fb962:1",
                ],
            ),
        ] {
            assert_eq!(hashes(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn line_breaks_of_every_kind_are_the_same() {
        let text = "one\ntwo\n\nthree\n";
        let expected = hashes(text.as_bytes());
        assert_eq!(expected.len(), 5, "what follows the last line break is a line");
        assert_eq!(hashes(text.replace('\n', "\r\n").as_bytes()), expected);
        assert_eq!(hashes(text.replace('\n', "\r").as_bytes()), expected);
    }

    #[test]
    fn a_hash_reaches_a_hundred_units_and_no_further() {
        let line = "x".repeat(150);
        let same = hashes(format!("{line}\nold").as_bytes());
        assert_eq!(hashes(format!("{line}\nnew").as_bytes())[0], same[0]);
        let near = "x".repeat(90);
        assert_ne!(
            hashes(format!("{near}\nold").as_bytes())[0],
            hashes(format!("{near}\nnew").as_bytes())[0]
        );
    }

    #[test]
    fn lines_that_look_alike_are_counted() {
        let line = format!("{}\n", "x".repeat(100));
        let alike = hashes(line.repeat(3).as_bytes());
        let [first, second, third, _last] = &alike[..] else {
            panic!("three lines and what follows them: {alike:?}");
        };
        let (hash, count) = first.split_once(':').expect("a count follows the hash");
        assert_eq!(count, "1");
        assert_eq!((second, third), (&format!("{hash}:2"), &format!("{hash}:3")));
        let wanted = BTreeSet::from([2]);
        let only = of_lines(|| Ok(io::Cursor::new(line.repeat(3).into_bytes())), &wanted);
        assert_eq!(
            only.expect("a slice can be read"),
            BTreeMap::from([(2, second.clone())])
        );
    }

    /// Gives one byte a time.
    struct Dripping<'t>(&'t [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let (Some(place), Some((byte, rest))) = (buffer.first_mut(), self.0.split_first()) else {
                return Ok(0);
            };
            *place = *byte;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn characters_may_be_cut_by_the_reading_and_broken_ones_count() {
        let filler = "a".repeat(CHUNK as usize - 1);
        for text in [
            "é\n😀x\n".as_bytes(),
            b"\xffa\n\xf0\x9f\x98",
            format!("{filler}😀\nz").as_bytes(),
        ] {
            let wanted: BTreeSet<u32> = (1..9).collect();
            let whole = of_lines(|| Ok(text), &wanted).expect("a slice can be read");
            assert_eq!(
                of_lines(|| Ok(Dripping(text)), &wanted).expect("bytes can be read"),
                whole
            );
            let replaced = String::from_utf8_lossy(text).into_owned();
            assert_eq!(
                of_lines(|| Ok(replaced.as_bytes()), &wanted).expect("a slice can be read"),
                whole
            );
        }
    }

    #[test]
    fn a_line_behind_the_end_has_no_hash() {
        assert_eq!(
            of_lines(|| Ok(&b"a\n"[..]), &BTreeSet::from([7]))
                .expect("a slice can be read")
                .len(),
            0
        );
        assert_eq!(
            of_lines(|| Ok(&b"a\n"[..]), &BTreeSet::new())
                .expect("a slice can be read")
                .len(),
            0
        );
    }
}
