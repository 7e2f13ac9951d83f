//! Texts in Markdown, as GitHub and viewers of SARIF show it.

use crate::report::text::one_line;

/// A text that stands for itself on one line, in a table too: no markup, no HTML, no link, no mention.
pub(crate) fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 16);
    for c in one_line(text).chars() {
        match c {
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '~' | '[' | ']' | '\\' | '#' | '@' | '!' | '$' => {
                literal.extend(["&#", &u32::from(c).to_string(), ";"]);
            }
            c => literal.push(c),
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_stands_for_itself() {
        assert_eq!(
            literal("a|b\n<img> `x` [y](z) **w**"),
            "a&#124;b &#60;img&#62; &#96;x&#96; &#91;y&#93;(z) &#42;&#42;w&#42;&#42;"
        );
        assert_eq!(literal("nothing, to. escape: 1-2 (3)"), "nothing, to. escape: 1-2 (3)");
    }
}
