//! Files by the names that editors give them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What is escaped in a path. Editors escape the colon of a drive too.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The path of a file on this machine; none for a text that is no file, such as one that was never saved.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri
        .scheme()
        .is_some_and(|scheme| scheme.as_str().eq_ignore_ascii_case("file"));
    let host = match uri.authority() {
        Some(authority) => authority.as_str(),
        None => "",
    };
    if !is_file || !(host.is_empty() || host == "localhost") {
        return None;
    }
    let path = percent_decode_str(uri.path().as_str()).decode_utf8().ok()?;
    let path = match path.strip_prefix('/') {
        // `/C:/src` is `C:/src`.
        Some(rest) if cfg!(windows) && rest.as_bytes().get(1) == Some(&b':') => rest,
        _ => &path,
    };
    let path = Path::new(path);
    (path.is_absolute() && !path.as_os_str().as_encoded_bytes().contains(&0)).then(|| path.to_owned())
}

/// The name of a file; none for a path that is no text.
pub(super) fn of(path: &Path) -> Option<Uri> {
    let path = path.to_str()?;
    let path = if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    let slash = if path.starts_with('/') { "" } else { "/" };
    Uri::from_str(&format!("file://{slash}{}", utf8_percent_encode(&path, ESCAPED))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(uri: &str) -> Option<PathBuf> {
        path_of(&Uri::from_str(uri).expect("this is a URI"))
    }

    #[test]
    #[cfg(unix)]
    fn a_path_and_back() {
        for name in ["/a b/ö.py", "/x/100%.py", "/x/[id]#1.ts", "/x/a+b&c.rs"] {
            let uri = of(Path::new(name)).expect("a path has a name");
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(name)), "{}", uri.as_str());
        }
        assert_eq!(path("file:///a%20b/c%3A.py"), Some(PathBuf::from("/a b/c:.py")));
        assert_eq!(path("file://localhost/a.py"), Some(PathBuf::from("/a.py")));
    }

    #[test]
    fn what_is_no_file_here_has_no_path() {
        for uri in [
            "untitled:Untitled-1",
            "https://example.com/a.py",
            "file://other/a.py",
            "file:a.py",
            "file:///%ff.py",
            "file:///a%00b.py",
        ] {
            assert_eq!(path(uri), None, "{uri}");
        }
    }
}
