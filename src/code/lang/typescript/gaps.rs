//! Forms of the language that the grammar does not know, blanked out before the text is parsed. The
//! text keeps its length, so that every place in it stays where it is.

use std::borrow::Cow;

use memchr::memmem;

/// The type of a module: `typeof import("module")`. It says nothing that is looked for.
const TYPE_OF_MODULE: &[u8] = b"typeof import(";

/// `export type * from "module"`, of which `type` is too much.
const TYPES_OF_MODULE: &[u8] = b"export type *";

/// The text that the parser is given.
pub(super) fn filled(text: &str) -> Cow<'_, str> {
    let mut bytes = Cow::Borrowed(text.as_bytes());
    let mut from = 0;
    while let Some(at) = memmem::find(&bytes[from..], TYPE_OF_MODULE).map(|at| at + from) {
        from = at + TYPE_OF_MODULE.len();
        let Some(length) = memchr::memchr2(b')', b'\n', &bytes[from..]) else {
            break;
        };
        let end = from + length;
        if bytes[end] == b')' {
            blank(bytes.to_mut(), at, end + 1);
            bytes.to_mut()[at..at + 3].copy_from_slice(b"any");
        }
    }
    let starts: Vec<usize> = memmem::find_iter(&bytes, TYPES_OF_MODULE).collect();
    for at in starts {
        let start = at + b"export ".len();
        blank(bytes.to_mut(), start, start + b"type".len());
    }
    match bytes {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => {
            let text = String::from_utf8(bytes);
            Cow::Owned(text.expect("what is blanked begins and ends with characters of one byte"))
        }
    }
}

fn blank(bytes: &mut [u8], from: usize, to: usize) {
    bytes[from..to].fill(b' ');
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn the_type_of_a_module_is_any() {
        let text = "load<typeof import('node:fs')>(); x";
        assert_eq!(filled(text), "load<any                     >(); x");
        assert_eq!(filled("typeof import('ü')"), "any                ");
    }

    #[test]
    fn types_of_a_module_are_exported_like_values() {
        assert_eq!(filled("export type * from 'a';"), "export      * from 'a';");
    }

    #[test]
    fn what_is_no_gap_stays() {
        for text in ["import('a')", "typeof import('a\n", "typeof x", "export type A = B;"] {
            assert_eq!(filled(text), text);
        }
    }
}
