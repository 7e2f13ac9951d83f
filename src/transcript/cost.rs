//! The bill of a session: what its calls came to, and what the breaks of its prefix cost.

use super::event::Caching;
use super::prices::Prices;
use super::usage::{Compared, Drop};
use crate::outcome::{Bill, BreakReport, ModelReport};

/// The bill for what the calls of a history came to.
pub(crate) fn bill(compared: &Compared, prices: &Prices) -> Bill {
    let models = compared.tokens.iter().map(|(model, tokens)| {
        let price = model.as_ref().and_then(|model| prices.of(model));
        ModelReport {
            model: model.as_deref().map(str::to_owned),
            calls: tokens.calls,
            input: tokens.input,
            read: tokens.read,
            written: tokens.written,
            written_hour: tokens.written_hour,
            output: tokens.output,
            price: price.map(|price| millionths(price.bill(tokens))),
        }
    });
    let breaks = compared.drops.iter().map(|drop| BreakReport {
        line: drop.spot.line,
        cause: drop.cause.as_str(),
        before: drop.before,
        after: drop.after,
        again: drop.again,
        price: price(drop, prices),
        estimated: drop.estimated,
        promised: drop.caching == Caching::Explicit,
    });
    Bill {
        models: models.collect(),
        comparisons: compared.comparisons as u64,
        breaks: breaks.collect(),
        as_of: prices.as_of().to_owned(),
    }
}

/// What a drop cost, in millionths of a US dollar.
pub(crate) fn price(drop: &Drop, prices: &Prices) -> Option<u64> {
    let price = prices.of(drop.model.as_deref()?)?;
    Some(millionths(price.again(drop)))
}

/// A sum of money, in whole millionths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is not negative, and no bill comes near 2^63 millionths of a dollar"
)]
fn millionths(price: f64) -> u64 {
    price.max(0.0).round() as u64
}

/// Millionths of a US dollar as a price: to the cent, or to two digits below it.
pub(crate) fn dollars(millionths: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "what is lost is far below a cent")]
    let dollars = millionths as f64 / 1e6;
    match millionths {
        0 => "$0.00".to_owned(),
        1..10_000 => format!("${dollars:.4}"),
        _ => format!("${dollars:.2}"),
    }
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{dollars, grouped};

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(
            [7, 999, 1_000, 1_234_567].map(grouped),
            ["7", "999", "1,000", "1,234,567"]
        );
    }

    #[test]
    fn small_sums_keep_digits_that_say_something() {
        assert_eq!(
            [0, 300, 9_999, 10_000, 1_234_567].map(dollars),
            ["$0.00", "$0.0003", "$0.0100", "$0.01", "$1.23"]
        );
    }
}
