//! Colours of a drawing. They repeat what signs and words say, and never say more.
//!
//! They are of the 256 that terminals share, chosen for a contrast of about four and a half to one on white and on black
//! alike: a program cannot know which of them it is drawn on.

/// What is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// As it is.
    Plain,
    User,
    Assistant,
    Tool,
    System,
    /// What a program put there.
    Program,
    /// What is no longer there, or only orients.
    Faint,
    /// What the person asked.
    Now,
    /// What is taken for it, and what is lost.
    Wrong,
}

impl Ink {
    /// The ink of a role.
    pub(crate) fn of_role(role: &str) -> Self {
        match role {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            "system" => Self::System,
            _ => Self::Plain,
        }
    }

    /// The number of the colour, and whether it is bold.
    const fn look(self) -> Option<(u8, bool)> {
        match self {
            Self::Plain => None,
            Self::User => Some((27, true)),
            Self::Assistant => Some((28, false)),
            Self::Tool => Some((98, false)),
            Self::System => Some((130, false)),
            Self::Program => Some((163, false)),
            Self::Faint => Some((243, false)),
            Self::Now => Some((28, true)),
            Self::Wrong => Some((161, true)),
        }
    }

    /// The text in this ink, if there are colours.
    pub(crate) fn paint(self, text: &str, color: bool) -> String {
        match self.look().filter(|_| color && !text.trim().is_empty()) {
            Some((number, true)) => format!("\x1b[1;38;5;{number}m{text}\x1b[0m"),
            Some((number, false)) => format!("\x1b[38;5;{number}m{text}\x1b[0m"),
            None => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ink;

    /// The relative luminance of a colour of the cube or the greys of the 256 (WCAG 2.2).
    fn luminance(number: u8) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
        let [red, green, blue] = if number >= 232 {
            [8 + 10 * (number - 232); 3]
        } else {
            let cube = number - 16;
            [level(cube / 36), level(cube / 6 % 6), level(cube % 6)]
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    #[test]
    fn every_colour_is_read_on_white_and_on_black() {
        let inks = [
            Ink::User,
            Ink::Assistant,
            Ink::Tool,
            Ink::System,
            Ink::Program,
            Ink::Faint,
            Ink::Now,
            Ink::Wrong,
        ];
        for ink in inks {
            let (number, _) = ink.look().expect("an ink has a colour");
            let light = luminance(number);
            let (on_white, on_black) = (1.05 / (light + 0.05), (light + 0.05) / 0.05);
            assert!(
                on_white > 4.0 && on_black > 4.0,
                "{ink:?}: {on_white:.2}, {on_black:.2}"
            );
        }
    }

    #[test]
    fn without_colours_the_text_stays() {
        assert_eq!(Ink::Wrong.paint("word", false), "word");
        assert_eq!(Ink::Plain.paint("word", true), "word");
        assert_eq!(Ink::Faint.paint("word", true), "\x1b[38;5;243mword\x1b[0m");
    }
}
