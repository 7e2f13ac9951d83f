//! How soon a value differs.

use super::schema::{Granularity, Volatile};
use super::words::same_name;
use super::{Frameworks, Vocabulary};

impl Vocabulary {
    /// A call whose value differs from one evaluation to the next.
    pub(crate) fn volatile(&self, path: &str, here: Frameworks) -> Option<&Volatile> {
        let entry = self.best(&self.volatiles, path, here, |_| ())?;
        Some(&self.files[entry.framework].volatile[entry.index])
    }

    /// What is left of a clock value behind this attribute or method.
    pub(crate) fn narrowed(&self, name: &str) -> Option<Granularity> {
        let mut entries = self.files.iter().flat_map(|file| &file.narrowing);
        entries
            .find(|entry| entry.names.iter().any(|word| same_name(word, name)))
            .map(|entry| entry.granularity)
    }

    /// What is left of a clock value whose part of this name is set to nothing.
    pub(crate) fn zeroed(&self, part: &str) -> Option<Granularity> {
        self.files.iter().find_map(|file| file.zeroed.get(part).copied())
    }

    /// A precision by its name.
    pub(crate) fn timespec(&self, name: &str) -> Option<Granularity> {
        self.files.iter().find_map(|file| file.timespec.get(name).copied())
    }

    /// The finest directive of a time format; none if it has none.
    pub(crate) fn format_granularity(&self, format: &str) -> Option<Granularity> {
        let mut finest = None;
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                continue;
            }
            // A flag such as `%-H` stands before the letter.
            let letter = chars.find(|c| !matches!(c, '-' | '_' | '#' | '^' | '0'..='9' | 'E' | 'O'));
            let found = letter.and_then(|letter| self.directive(letter));
            finest = match (finest, found) {
                (Some(a), Some(b)) => Some(std::cmp::min::<Granularity>(a, b)),
                (a, b) => a.or(b),
            };
        }
        finest
    }

    fn directive(&self, letter: char) -> Option<Granularity> {
        let mut entries = self.files.iter().flat_map(|file| &file.directives);
        entries
            .find(|(_, letters)| letters.contains(&letter))
            .map(|(granularity, _)| *granularity)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::speaking;
    use super::super::{Granularity, Vocabulary, VolatileKind};

    #[test]
    fn clocks_and_chance() {
        let here = speaking(&[]);
        let of = |path| {
            Vocabulary::builtin()
                .volatile(path, here)
                .map(|found| (found.kind, found.granularity))
        };
        assert_eq!(
            of("datetime.datetime.now"),
            Some((VolatileKind::Clock, Granularity::Exact))
        );
        assert_eq!(of("datetime.date.today"), Some((VolatileKind::Clock, Granularity::Day)));
        assert_eq!(of("uuid.uuid4"), Some((VolatileKind::Random, Granularity::Exact)));
        assert_eq!(of("random.choice"), Some((VolatileKind::Random, Granularity::Exact)));
        assert_eq!(
            of("pathlib.Path.cwd").map(|found| found.0),
            Some(VolatileKind::WorkingDirectory)
        );
        assert_eq!(of("self.clock"), None);
        assert_eq!(of("datetime.datetime.fromisoformat"), None);
    }

    #[test]
    fn the_finest_directive_decides() {
        let of = |format| Vocabulary::builtin().format_granularity(format);
        assert_eq!(of("%Y-%m-%d"), Some(Granularity::Day));
        assert_eq!(of("%A, %-d %B"), Some(Granularity::Day));
        assert_eq!(of("%Y-%m-%d %H:00"), Some(Granularity::Hour));
        assert_eq!(of("%H:%M"), Some(Granularity::Minute));
        assert_eq!(of("%H:%M:%S"), Some(Granularity::Second));
        assert_eq!(of("%f"), Some(Granularity::Exact));
        assert_eq!(of("100%"), None);
        assert_eq!(of(".2f"), None);
    }

    #[test]
    fn parts_set_to_nothing() {
        let vocabulary = Vocabulary::builtin();
        assert_eq!(vocabulary.narrowed("date"), Some(Granularity::Day));
        assert_eq!(vocabulary.narrowed("isoformat"), None);
        assert_eq!(vocabulary.zeroed("second"), Some(Granularity::Minute));
        assert_eq!(vocabulary.timespec("hours"), Some(Granularity::Hour));
    }
}
