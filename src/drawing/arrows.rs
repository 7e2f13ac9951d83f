//! Arrows in the margin, from the row that something left to the row at which it stands.

/// From one row to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// How many arrows are drawn beside each other. More would be a carpet: the signs of their rows have to do.
pub(crate) const LANES: usize = 3;

/// Columns of the margin.
pub(crate) const MARGIN: usize = LANES + 2;

/// Columns of line-drawing characters for the arrows, a text of [`MARGIN`] columns for each row.
pub(crate) fn margins(rows: usize, arrows: &[Arrow]) -> Vec<String> {
    let mut margins = vec![vec![' '; MARGIN]; rows];
    for (lane, arrow) in arrows.iter().rev().take(LANES).enumerate() {
        let (first, last) = (arrow.from.min(arrow.to), arrow.from.max(arrow.to));
        for (place, margin) in margins.iter_mut().enumerate().take(last + 1).skip(first) {
            let corner = match place {
                place if place == first => '╭',
                place if place == last => '╰',
                _ => '│',
            };
            margin[lane] = corner;
            if corner != '│' {
                margin[lane + 1..]
                    .iter_mut()
                    .filter(|cell| **cell != '│')
                    .for_each(|cell| *cell = '─');
                margin[MARGIN - 1] = if place == arrow.to { '▶' } else { '─' };
            }
        }
    }
    margins.into_iter().map(String::from_iter).collect()
}

#[cfg(test)]
mod tests {
    use super::{Arrow, margins};

    #[test]
    fn arrows_run_in_lanes_of_their_own() {
        let drawn = margins(4, &[Arrow { from: 0, to: 3 }]);
        assert_eq!(drawn, ["╭────", "│    ", "│    ", "╰───▶"]);
        let drawn = margins(3, &[Arrow { from: 2, to: 0 }]);
        assert_eq!(drawn, ["╭───▶", "│    ", "╰────"]);
        let drawn = margins(4, &[Arrow { from: 0, to: 2 }, Arrow { from: 1, to: 3 }]);
        assert_eq!(drawn, [" ╭───", "╭│───", "│╰──▶", "╰───▶"]);
    }
}
