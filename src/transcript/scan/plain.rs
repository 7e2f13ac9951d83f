//! How far a string goes without a byte that ends it, escapes something, or may not stand in it.

/// Bytes that are looked at together once a string has turned out to be long. The compiler makes vector instructions
/// of it.
const BLOCK: usize = 32;

/// Bytes that are looked at together in short strings.
const WORD: usize = 8;

const ONES: u64 = u64::from_ne_bytes([1; WORD]);
const HIGH: u64 = ONES << 7;

/// The place of the first quote, backslash or control character from `at` on; the end of `bytes` if there is none.
#[inline]
pub(super) fn end(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..2 {
        match word(bytes, at) {
            Some(0) => at += WORD,
            Some(found) => return at + found.trailing_zeros() as usize / 8,
            None => return short_end(bytes, at),
        }
    }
    long_end(bytes, at)
}

fn long_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
        if is_told(block) {
            break;
        }
        at += BLOCK;
    }
    loop {
        match word(bytes, at) {
            Some(0) => at += WORD,
            Some(found) => return at + found.trailing_zeros() as usize / 8,
            None => return short_end(bytes, at),
        }
    }
}

fn short_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at.min(bytes.len())..];
    let found = rest.iter().position(|&byte| tells(byte));
    at.min(bytes.len()) + found.unwrap_or(rest.len())
}

/// Whether a string does not go on behind this byte as if nothing was.
fn tells(byte: u8) -> bool {
    told(byte) != 0
}

/// The same without a branch.
fn told(byte: u8) -> u8 {
    u8::from(byte == b'"') | u8::from(byte == b'\\') | u8::from(byte < b' ')
}

fn is_told(block: &[u8; BLOCK]) -> bool {
    block.iter().fold(0, |any, &byte| any | told(byte)) != 0
}

/// The bytes at `at` that tell something, as the high bits of a word. The lowest is right; those above may be too many.
#[inline]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let word = u64::from_le_bytes(*bytes.get(at..)?.first_chunk::<WORD>()?);
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let quote = zero(word ^ (ONES * u64::from(b'"')));
    let backslash = zero(word ^ (ONES * u64::from(b'\\')));
    let control = word.wrapping_sub(ONES * u64::from(b' ')) & !word;
    Some((quote | backslash | control) & HIGH)
}

#[cfg(test)]
mod tests {
    use super::{end, tells};

    #[test]
    fn the_first_byte_that_tells_is_found_wherever_it_stands() {
        for len in 0..140 {
            for byte in [b'"', b'\\', 0, 0x1f, 0x20, 0x7f, 0x80, 0xff, b'!', b'#', b'['] {
                for at in 0..len {
                    let mut text = vec![b'x'; len];
                    text[at] = byte;
                    text[len - 1 - at / 2] = b'"';
                    for from in [0, 1, at] {
                        let plain = text.iter().skip(from).position(|&byte| tells(byte));
                        assert_eq!(
                            end(&text, from),
                            plain.map_or(len, |plain| from + plain),
                            "{at} of {len}"
                        );
                    }
                }
            }
        }
        assert_eq!(end(b"abc", 9), 3, "behind the end there is nothing");
    }
}
