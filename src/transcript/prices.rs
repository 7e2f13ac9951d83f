//! What tokens cost: a table of models with a date, which a project or a run may change.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::usage::{Drop, Tokens};

/// The table that ctxlint comes with.
const TABLE: &str = include_str!("prices.toml");

/// Words behind a model's name that name no other model.
const SAME_MODEL: [&str; 14] = [
    "beta",
    "default",
    "exp",
    "experimental",
    "free",
    "high",
    "latest",
    "low",
    "medium",
    "minimal",
    "preview",
    "reasoning",
    "thinking",
    "xhigh",
];

static BUILT_IN: LazyLock<Arc<Table>> = LazyLock::new(|| {
    let table = toml::from_str(TABLE).expect("a test reads the table that is built in");
    Arc::new(table)
});

/// What models cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices(Arc<Table>);

impl Default for Prices {
    fn default() -> Self {
        Self(Arc::clone(&BUILT_IN))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Table {
    /// The day on which the prices held.
    as_of: Option<String>,
    /// By name.
    models: BTreeMap<String, Price>,
}

/// What a model costs, in US dollars for a million tokens; that is in millionths of a dollar for a token.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Price {
    /// Of requests, neither read from the cache nor written to it.
    input: f64,
    /// Read from the cache; without it, the price of input.
    #[serde(default)]
    read: Option<f64>,
    /// Written to the cache; without it, the price of input.
    #[serde(default)]
    written: Option<f64>,
    /// Written to the cache for an hour; without it, the price of what is written.
    #[serde(default)]
    written_hour: Option<f64>,
    /// Of answers.
    output: f64,
}

impl Prices {
    /// The day on which the prices held.
    #[must_use]
    pub fn as_of(&self) -> &str {
        self.0.as_of.as_deref().unwrap_or("an unknown day")
    }

    /// These prices with those of a text in the form of the table before them.
    ///
    /// # Errors
    ///
    /// The text is no table of prices.
    pub fn with(&self, text: &str) -> Result<Self, Box<toml::de::Error>> {
        let table: Table = toml::from_str(text)?;
        let mut prices = self.and(table.models);
        if let Some(day) = table.as_of {
            Arc::make_mut(&mut prices.0).as_of = Some(day);
        }
        Ok(prices)
    }

    /// These prices with others before them.
    pub(crate) fn and(&self, models: BTreeMap<String, Price>) -> Self {
        let mut table = Table::clone(&self.0);
        table.models.extend(models);
        Self(Arc::new(table))
    }

    /// What the model of this name costs; the longest name that means it counts.
    pub(crate) fn of(&self, model: &str) -> Option<Price> {
        let name = plain(model);
        let matching = self.0.models.iter().filter(|(known, _)| means(&name, &plain(known)));
        matching.max_by_key(|(known, _)| known.len()).map(|(_, price)| *price)
    }
}

/// A model's name without its provider, in small letters, with one sign between its parts.
fn plain(name: &str) -> String {
    let name = name.rsplit(['/', '~']).next().unwrap_or(name).to_lowercase();
    // Bedrock names region and provider before the model.
    let name = name.rsplit_once("anthropic.").map_or(&*name, |(_, model)| model);
    name.replace(['.', '@', ':', '_', ' '], "-")
}

/// Whether a name is that of a known model, with a date or a setting behind it.
fn means(name: &str, known: &str) -> bool {
    let Some(rest) = name.strip_prefix(known) else {
        return false;
    };
    let Some(rest) = rest.strip_prefix('-') else {
        return rest.is_empty();
    };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut dated = false;
    rest.split('-').all(|part| {
        // A short number is another version, unless it goes on with a date.
        let fits = SAME_MODEL.contains(&part)
            || is_number(part) && (dated || part.len() >= 4)
            || dated && part.strip_prefix('v').is_some_and(is_number);
        dated |= is_number(part) && part.len() >= 4;
        fits
    })
}

impl Price {
    /// What tokens cost, in millionths of a US dollar.
    pub(crate) fn bill(self, tokens: &Tokens) -> f64 {
        let short = tokens.written - tokens.written_hour;
        count(tokens.input) * self.input
            + count(tokens.read) * self.read()
            + count(short) * self.written()
            + count(tokens.written_hour) * self.written_hour.unwrap_or(self.written())
            + count(tokens.output) * self.output
    }

    /// What a drop cost: what was paid for its tokens beyond the price of reading them, in millionths of a US
    /// dollar.
    pub(crate) fn again(self, drop: &Drop) -> f64 {
        let plain = drop.again - drop.written;
        count(drop.written) * (self.written() - self.read()) + count(plain) * (self.input - self.read())
    }

    fn read(self) -> f64 {
        self.read.unwrap_or(self.input)
    }

    fn written(self) -> f64 {
        self.written.unwrap_or(self.input)
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn count(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use super::{Prices, Tokens};

    #[test]
    fn a_model_is_found_under_the_names_that_providers_give_it() {
        let prices = Prices::default();
        let input = |model| prices.of(model).map(|price| price.input);
        assert_eq!(prices.as_of(), "2026-08-05");
        assert_eq!(input("claude-opus-4-5-20251101"), Some(5.0));
        assert_eq!(input("anthropic/claude-opus-4.5"), Some(5.0));
        assert_eq!(input("us.anthropic.claude-opus-4-1-20250805-v1:0"), Some(15.0));
        assert_eq!(input("claude-opus-4-20250514"), Some(15.0), "the date is no version");
        assert_eq!(input("claude-opus-4-9"), None, "another version");
        assert_eq!(input("openai/gpt-4o-mini-2024-07-18"), Some(0.15));
        assert_eq!(input("gpt-5.9"), None, "another version");
        assert_eq!(input("gpt-5-turbo"), None, "another model");
        assert_eq!(
            input("models/gemini-2.5-pro-preview-03-25"),
            None,
            "a short number without a year"
        );
        assert_eq!(input("gemini-2.5-flash-lite"), Some(0.1));
    }

    #[test]
    fn prices_are_changed_and_added_by_name() {
        let text = "as-of = \"2030-01-02\"\n[models]\n\"gpt-4o\" = { input = 7, output = 8 }\n\"ours\" = { input = 1, output = 2 }\n";
        let prices = Prices::default().with(text).expect("it is a table of prices");
        assert_eq!(prices.as_of(), "2030-01-02");
        assert_eq!(prices.of("gpt-4o").map(|price| price.input), Some(7.0));
        assert_eq!(prices.of("ours").map(|price| price.output), Some(2.0));
        assert!(prices.of("o4-mini").is_some(), "the others stay");
        assert!(Prices::default().with("[models]\n\"ours\" = { input = 1 }\n").is_err());
    }

    #[test]
    fn each_class_of_tokens_has_its_price() {
        let price = Prices::default().of("claude-sonnet-4-5").expect("it is in the table");
        let tokens = Tokens {
            calls: 1,
            input: 1_000,
            read: 100_000,
            written: 3_000,
            written_hour: 1_000,
            output: 2_000,
        };
        // 1,000 × 3 + 100,000 × 0.3 + 2,000 × 3.75 + 1,000 × 6 + 2,000 × 15 millionths of a dollar
        assert!((price.bill(&tokens) - 76_500.0).abs() < 1e-6);
    }
}
