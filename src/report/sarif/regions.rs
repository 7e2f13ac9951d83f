//! Where a result stands.

use std::path::Path;

use crate::finding::{Related, Span};
use crate::report::paths::Paths;
use crate::report::text::one_line;

use super::model::{ArtifactLocation, Location, PhysicalLocation, Region, Text};

/// The place of a finding: its first line. A pull request shows an alert only if all lines of its region are in the
/// diff, so a longer region would hide an alert for which only one of its lines was changed. The whole span is the
/// context.
pub(super) fn primary(span: &Span, text: Option<&str>, paths: &Paths<'_>) -> Location {
    let several_lines = span.end.line > span.start.line;
    let mut region = whole(span);
    if several_lines {
        let line = text.and_then(|text| text.lines().nth(span.start.line.saturating_sub(1) as usize));
        let behind = line.map_or(0, |line| line.chars().count() as u32 + 1);
        region.end_line = Some(span.start.line);
        region.end_column = Some(behind.max(span.start.column + 1));
    }
    Location {
        id: None,
        physical: PhysicalLocation {
            artifact_location: artifact(&span.path, paths),
            region: Some(region),
            context_region: several_lines.then(|| whole(span)),
        },
        message: None,
    }
}

/// Another place, with the id that the message links to.
pub(super) fn related(id: usize, related: &Related, paths: &Paths<'_>) -> Location {
    Location {
        id: Some(id),
        physical: PhysicalLocation {
            artifact_location: artifact(&related.span.path, paths),
            region: Some(whole(&related.span)),
            context_region: None,
        },
        message: Some(Text {
            text: one_line(&related.message).into_owned(),
        }),
    }
}

pub(super) fn artifact(path: &Path, paths: &Paths<'_>) -> ArtifactLocation {
    ArtifactLocation { uri: paths.uri(path) }
}

/// All of a span, and at least one column of it.
fn whole(span: &Span) -> Region {
    let (start, end) = (span.start, span.end.max(span.start));
    let empty = end == start;
    Region {
        start_line: start.line,
        start_column: Some(start.column),
        end_line: Some(end.line),
        end_column: Some(if empty { end.column + 1 } else { end.column }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Position;
    use crate::roots::Roots;

    fn region(from: (u32, u32), to: (u32, u32), text: Option<&str>) -> ([u32; 4], bool) {
        let at = |(line, column)| Position { line, column };
        let span = Span {
            path: "agent.py".into(),
            start: at(from),
            end: at(to),
        };
        let location = primary(&span, text, &Paths::of(&Roots::default()));
        let place = location.physical;
        let region = place.region.expect("a finding has a place");
        let columns = [region.start_column, region.end_line, region.end_column];
        let [column, line, behind] = columns.map(|number| number.expect("a finding has a whole place"));
        (
            [region.start_line, column, line, behind],
            place.context_region.is_some(),
        )
    }

    #[test]
    fn a_region_is_one_line_and_never_empty() {
        assert_eq!(region((2, 3), (2, 9), None), ([2, 3, 2, 9], false));
        assert_eq!(region((2, 3), (2, 3), None), ([2, 3, 2, 4], false));
        assert_eq!(region((1, 3), (2, 2), Some("añb(\n)\n")), ([1, 3, 1, 5], true));
        assert_eq!(region((1, 3), (2, 2), None), ([1, 3, 1, 4], true));
        assert_eq!(region((9, 3), (11, 2), Some("x\n")), ([9, 3, 9, 4], true));
    }
}
