//! Paths for forms that other machines read: relative to the project, whatever was named on the command line.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rustc_hash::FxHashMap;

use crate::roots::Roots;

/// What has to be escaped in the path of a URI. A colon would make a scheme of what stands before it.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b'@');

/// [`Roots::relative`], which asks the file system, once a path.
pub(crate) struct Paths<'a> {
    roots: &'a Roots,
    known: RefCell<FxHashMap<PathBuf, String>>,
}

impl<'a> Paths<'a> {
    pub(crate) fn of(roots: &'a Roots) -> Self {
        Self {
            roots,
            known: RefCell::default(),
        }
    }

    pub(crate) fn relative(&self, path: &Path) -> String {
        let mut known = self.known.borrow_mut();
        let known = known.entry(path.to_owned());
        known.or_insert_with_key(|path| self.roots.relative(path)).clone()
    }

    /// The same as a relative URI.
    pub(super) fn uri(&self, path: &Path) -> String {
        utf8_percent_encode(&self.relative(path), ESCAPED).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_relative_uri() {
        let roots = Roots::default();
        let paths = Paths::of(&roots);
        for (path, uri) in [
            ("./src/agent.py", "src/agent.py"),
            ("a b/ü#1%.py", "a%20b/%C3%BC%231%25.py"),
            ("app/[slug]/(group)/page.tsx", "app/%5Bslug%5D/(group)/page.tsx"),
            ("c:d?.py", "c%3Ad%3F.py"),
            ("two\nlines\\\u{202e}.py", "two%0Alines%5C%E2%80%AE.py"),
        ] {
            assert_eq!(paths.uri(Path::new(path)), uri);
        }
    }
}
