//! Lists of messages, drawn for a terminal: one short line a message, moves as arrows in the margin. Pure functions.
//!
//! ```text
//! ╭────               user      make me an intro video        was here
//! │       1 ~ ▒ system    u1    <date>2026-08-16</date>
//! │         … 11 as before
//! │      13   user      u7    remove the subtitles       ◀ the question
//! ╰───▶  14 +   user      u1b   make me an intro video     ◀ taken for the question
//! ```

mod arrows;
mod paint;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) use self::arrows::Arrow;
use self::arrows::margins;
pub(crate) use self::paint::Ink;

/// The narrowest that a drawing gets: less holds no text.
const NARROW: usize = 40;
/// Under this width ids are left out, so that texts have room.
const WITH_IDS: usize = 64;
/// A role takes at most so many columns.
const ROLE: usize = 9;
/// An id takes at most so many columns.
const ID: usize = 11;
/// A text that has less room than this gives its note a line of its own.
const TEXT: usize = 16;

/// How it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Columns; no line takes more.
    pub(crate) width: usize,
    pub(crate) color: bool,
    /// Whether every column is there, with arrows and injections or without: in a row of drawings they meet.
    pub(crate) margin: bool,
}

/// One line of a drawing. Texts are safe to show: on one line, neutralised, without secrets.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    Message(Box<Entry>),
    /// So many messages that nothing happened to.
    Fold(usize),
    /// So many messages that are gone.
    Cut(usize),
}

/// A message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// Its place in the list, from 1; none for one that does not stand there.
    pub(crate) number: Option<usize>,
    /// What happened to it.
    pub(crate) sign: Option<char>,
    /// Whose it is, if not its role's: the column of what programs wrote.
    pub(crate) program: Option<char>,
    pub(crate) role: String,
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    /// What is special about it.
    pub(crate) note: Option<(Ink, &'static str)>,
}

/// The sign of what a program injected, in the column of programs.
pub(crate) const INJECTED: char = '▒';
/// That of a summary.
pub(crate) const SUMMARY: char = 'Σ';

/// Draws the lines, with arrows between them by their indices.
pub(crate) fn draw(lines: &[Line], arrows: &[Arrow], style: Style) -> Vec<String> {
    let width = style.width.max(NARROW);
    let margins = if style.margin || !arrows.is_empty() {
        margins(lines.len(), arrows)
    } else {
        vec![String::new(); lines.len()]
    };
    let entries = || {
        lines.iter().filter_map(|line| match line {
            Line::Message(entry) => Some(entry),
            _ => None,
        })
    };
    let widest = |of: &dyn Fn(&Entry) -> usize| entries().map(|entry| of(entry)).max().unwrap_or(0);
    let columns = Columns {
        width,
        color: style.color,
        role: if style.margin {
            ROLE
        } else {
            widest(&|entry| entry.role.width()).min(ROLE)
        },
        id: if width < WITH_IDS {
            0
        } else if style.margin {
            ID
        } else {
            widest(&|entry| entry.id.as_deref().map_or(0, UnicodeWidthStr::width)).min(ID)
        },
        programs: style.margin || entries().any(|entry| entry.program.is_some()),
    };
    let mut drawn = Vec::new();
    for (at, (line, margin)) in lines.iter().zip(&margins).enumerate() {
        // What a line needs below it stands beside the arrows that go on.
        let goes_on: String = margin.chars().map(|cell| beside(cell, at, arrows)).collect();
        columns.line(line, margin, &goes_on, &mut drawn);
    }
    drawn
}

/// What stands in the margin under a cell of it.
fn beside(cell: char, at: usize, arrows: &[Arrow]) -> char {
    let begins = arrows.iter().any(|arrow| arrow.from.min(arrow.to) == at);
    match cell {
        '│' => '│',
        '╭' if begins => '│',
        _ => ' ',
    }
}

struct Columns {
    width: usize,
    color: bool,
    role: usize,
    id: usize,
    programs: bool,
}

impl Columns {
    fn line(&self, line: &Line, margin: &str, goes_on: &str, drawn: &mut Vec<String>) {
        let arrow =
            Ink::Wrong.paint(margin.trim_end(), self.color) + &blanks(margin.width() - margin.trim_end().width());
        match line {
            Line::Fold(count) => {
                let text = format!("     … {count} as before");
                drawn.push(arrow + &Ink::Faint.paint(&text, self.color));
            }
            Line::Cut(count) => {
                let word = if *count == 1 { "message" } else { "messages" };
                let text = format!("╌╌╌╌ cut: {count} {word} gone ");
                let rest = self.width.saturating_sub(margin.width() + text.width());
                drawn.push(arrow + &Ink::Wrong.paint(&(text + &"╌".repeat(rest)), self.color));
            }
            Line::Message(entry) => self.message(entry, margin.width(), &arrow, goes_on, drawn),
        }
    }

    fn message(&self, entry: &Entry, margin: usize, arrow: &str, goes_on: &str, drawn: &mut Vec<String>) {
        let gone = entry.number.is_none();
        let ink = |ink: Ink| if gone { Ink::Faint } else { ink };
        let number = entry.number.map_or(String::new(), |number| number.to_string());
        let mut start = format!("{number:>4} {} ", entry.sign.unwrap_or(' '));
        let mut used = margin + start.width();
        if self.programs {
            let sign = entry.program.map_or(" ".to_owned(), String::from);
            start += &ink(Ink::Program).paint(&sign, self.color);
            start.push(' ');
            used += 2;
        }
        let cells = [
            (&*entry.role, self.role, ink(Ink::of_role(&entry.role))),
            (entry.id.as_deref().unwrap_or(""), self.id, Ink::Faint),
        ];
        for (text, width, ink) in cells.into_iter().filter(|(_, width, _)| *width > 0) {
            let text = cut(text, width);
            start += &ink.paint(&text, self.color);
            start += &blanks(width - text.width() + 1);
            used += width + 1;
        }
        let room = self.width.saturating_sub(used);
        let note = entry.note.map(|(ink, note)| (ink, cut(note, self.width - margin)));
        let beside = note.as_ref().map_or(0, |(_, note)| note.width() + 2);
        let fits = room >= beside + TEXT || entry.text.width() + beside <= room;
        let text = cut(&entry.text, if fits { room - beside } else { room });
        let mut line = format!("{arrow}{start}{}", ink(Ink::Plain).paint(&text, self.color));
        match note {
            Some((ink, note)) if fits => {
                line += "  ";
                line += &ink.paint(&note, self.color);
                drawn.push(line);
            }
            Some((ink, note)) => {
                drawn.push(line);
                let indent = 7.min((self.width - margin).saturating_sub(note.width()));
                let goes_on = Ink::Wrong.paint(goes_on, self.color);
                drawn.push(goes_on + &blanks(indent) + &ink.paint(&note, self.color));
            }
            None => drawn.push(line),
        }
        if let Some(last) = drawn.last_mut() {
            last.truncate(last.trim_end().len());
        }
    }
}

fn blanks(count: usize) -> String {
    " ".repeat(count)
}

/// A text in at most so many columns, the last one an ellipsis if there was more.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let mut cut = String::new();
    for c in text.chars() {
        let columns = c.width().unwrap_or(0);
        if columns > room {
            break;
        }
        room -= columns;
        cut.push(c);
    }
    if width > 0 {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::{Arrow, Entry, INJECTED, Ink, Line, SUMMARY, Style, cut, draw};

    fn message(number: usize, role: &str, id: &str, text: &str) -> Entry {
        Entry {
            number: (number > 0).then_some(number),
            role: role.to_owned(),
            id: Some(id.to_owned()),
            text: text.to_owned(),
            ..Entry::default()
        }
    }

    fn swap() -> (Vec<Line>, Vec<Arrow>) {
        let mut was = message(0, "user", "", "make me a product intro video");
        was.note = Some((Ink::Faint, "was here"));
        let mut injected = message(1, "system", "u1", "<current_date>2026-08-16</current_date>");
        injected.sign = Some('~');
        injected.program = Some(INJECTED);
        let mut question = message(13, "user", "u7", "字幕を削除してください、すべての場面から");
        question.note = Some((Ink::Now, "◀ the question"));
        let mut taken = message(14, "user", "u1__user", "make me a product intro video");
        taken.sign = Some('+');
        taken.note = Some((Ink::Wrong, "◀ taken for the question"));
        let mut summary = message(15, "user", "s1", "what was said so far");
        summary.program = Some(SUMMARY);
        let [was, injected, question, taken, summary] =
            [was, injected, question, taken, summary].map(|entry| Line::Message(Box::new(entry)));
        let lines = vec![was, injected, Line::Fold(11), Line::Cut(57), question, taken, summary];
        (lines, vec![Arrow { from: 0, to: 5 }])
    }

    fn drawn(width: usize, color: bool) -> String {
        let (lines, arrows) = swap();
        let style = Style {
            width,
            color,
            margin: false,
        };
        draw(&lines, &arrows, style).join("\n")
    }

    #[test]
    fn a_list_is_drawn_in_the_room_that_there_is() {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.bind(|| {
            for width in [40, 80, 120] {
                insta::assert_snapshot!(format!("drawing_{width}"), drawn(width, false));
            }
            insta::assert_snapshot!("drawing_in_colour", drawn(80, true).replace('\u{1b}', "␛"));
        });
    }

    /// The text without its colours.
    fn plain(text: &str) -> String {
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('\u{1b}') {
            plain.push_str(before);
            rest = behind.split_once('m').map_or("", |(_, rest)| rest);
        }
        plain + rest
    }

    #[test]
    fn colours_say_nothing_that_the_text_does_not() {
        for width in [40, 64, 80, 200] {
            assert_eq!(plain(&drawn(width, true)), drawn(width, false));
        }
    }

    #[test]
    fn no_line_is_wider_than_its_room() {
        let texts = [
            "",
            "a",
            "字幕を削除",
            "word word word word word word word word word word",
            "👩‍🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀",
        ];
        let notes = [
            None,
            Some((Ink::Now, "◀ the question")),
            Some((Ink::Wrong, "◀ taken for the question")),
        ];
        let mut throw = 7_u32;
        let mut below = |limit: usize| {
            throw = throw.wrapping_mul(1_103_515_245).wrapping_add(12345);
            (throw >> 16) as usize % limit
        };
        for round in 0..2_000 {
            let width = 40 + below(100);
            let count = 1 + below(8);
            let lines: Vec<Line> = (0..count)
                .map(|_| match below(6) {
                    0 => Line::Fold(below(100_000)),
                    1 => Line::Cut(below(100_000)),
                    _ => {
                        let mut entry = message(
                            below(100_000),
                            ["user", "assistant", "tool", "参加者の役割名です"][below(4)],
                            texts[below(5)],
                            texts[below(5)],
                        );
                        entry.note = notes[below(3)];
                        entry.program = [None, Some(INJECTED)][below(2)];
                        Line::Message(Box::new(entry))
                    }
                })
                .collect();
            let arrows: Vec<Arrow> = (0..below(4))
                .map(|_| Arrow {
                    from: below(count),
                    to: below(count),
                })
                .collect();
            let style = Style {
                width,
                color: round % 2 == 0,
                margin: round % 3 == 0,
            };
            for line in draw(&lines, &arrows, style) {
                let line = plain(&line);
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn a_text_is_cut_by_columns() {
        assert_eq!(cut("subtitles", 9), "subtitles");
        assert_eq!(cut("subtitles", 8), "subtitl…");
        assert_eq!(cut("字幕字幕", 6), "字幕…");
        assert_eq!(cut("word", 0), "");
    }
}
