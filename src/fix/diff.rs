//! What fixes would change, as a unified diff.

use similar::TextDiff;

/// How many unchanged lines stand around a change.
const AROUND: usize = 3;

/// The change of one file, in the form that `patch` reads; coloured line by line where that is wanted.
#[must_use]
pub fn unified(path: &str, old: &str, new: &str, color: bool) -> String {
    let diff = TextDiff::from_lines(old, new);
    let plain = diff
        .unified_diff()
        .context_radius(AROUND)
        .header(path, path)
        .to_string();
    if !color {
        return plain;
    }
    plain.split_inclusive('\n').map(colored).collect()
}

fn colored(line: &str) -> String {
    let code = match line.as_bytes().first() {
        Some(b'+') => "32",
        Some(b'-') => "31",
        Some(b'@') => "36",
        _ => return line.to_owned(),
    };
    let text = line.trim_end_matches('\n');
    format!("\u{1b}[{code}m{text}\u{1b}[0m\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_a_change() {
        let diff = unified("a.py", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5!\n6\n", false);
        assert_eq!(diff, "--- a.py\n+++ a.py\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+5!\n 6\n");
    }

    #[test]
    fn colours_end_with_their_line() {
        let diff = unified("a.py", "x\n", "y\n", true);
        assert!(
            diff.ends_with("\u{1b}[31m-x\u{1b}[0m\n\u{1b}[32m+y\u{1b}[0m\n"),
            "{diff:?}"
        );
    }
}
