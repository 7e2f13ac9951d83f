//! The errors that pydantic reports for a message, in its words.

use std::fmt::Write as _;

use serde_json::Value;

use super::Raised;
use super::repr::{repr, type_name};

/// The version of pydantic whose manual the errors link to.
const MANUAL: &str = "2.14";

/// Longest quote of a refused value, in bytes.
const QUOTE: usize = 50;

/// Collects what is wrong with the fields of one message.
pub(super) struct Errors {
    class: &'static str,
    lines: String,
    count: usize,
}

impl Errors {
    pub(super) fn of(class: &'static str) -> Self {
        Self {
            class,
            lines: String::new(),
            count: 0,
        }
    }

    pub(super) fn not_a_string(&mut self, place: &str, value: &Value) {
        self.add(place, "Input should be a valid string", "string_type", value);
    }

    pub(super) fn not_a_list(&mut self, place: &str, value: &Value) {
        self.add(place, "Input should be a valid list", "list_type", value);
    }

    pub(super) fn not_a_dictionary(&mut self, place: &str, value: &Value) {
        self.add(place, "Input should be a valid dictionary", "dict_type", value);
    }

    pub(super) fn not_a_status(&mut self, place: &str, value: &Value) {
        self.add(place, "Input should be 'success' or 'error'", "literal_error", value);
    }

    pub(super) fn missing(&mut self, place: &str, all_fields: &Value) {
        self.add(place, "Field required", "missing", all_fields);
    }

    fn add(&mut self, place: &str, what: &str, error: &str, value: &Value) {
        self.count += 1;
        let (quote, class) = (quote(value), type_name(value));
        let written = write!(
            self.lines,
            "\n{place}\n  {what} [type={error}, input_value={quote}, input_type={class}]\n    \
             For further information visit https://errors.pydantic.dev/{MANUAL}/v/{error}"
        );
        debug_assert!(written.is_ok(), "writing into a string cannot fail");
    }

    /// Raises what was collected, if anything was.
    pub(super) fn raise(self) -> Result<(), Raised> {
        let plural = match self.count {
            0 => return Ok(()),
            1 => "",
            _ => "s",
        };
        let message = format!(
            "{} validation error{plural} for {}{}",
            self.count, self.class, self.lines
        );
        Err(Raised::new("ValidationError", message))
    }
}

/// The start and the end of a long value.
fn quote(value: &Value) -> String {
    let all = repr(value);
    if all.len() <= QUOTE {
        return all;
    }
    let head = (0..=QUOTE / 2).rfind(|&at| all.is_char_boundary(at)).unwrap_or(0);
    let tail_from = all.len() - (QUOTE / 2 - 1);
    let tail = (tail_from..all.len())
        .find(|&at| all.is_char_boundary(at))
        .unwrap_or(all.len());
    format!("{}...{}", &all[..head], &all[tail..])
}
