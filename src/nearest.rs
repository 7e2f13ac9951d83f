//! What a mistyped word most likely means.

/// Under this similarity a suggestion confuses more than it helps.
const ALIKE: f64 = 0.7;

/// The known word that is most like a given one, if any is like it.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(given, known), known))
        .filter(|(similarity, _)| *similarity >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}
