//! What the calls of each session cost, and what breaks of their cached prefix cost, by cause.

use std::io::{self, Write};

use crate::outcome::{Bill, BreakReport, FileKind, ModelReport, Outcome};
use crate::report::causes::by_cause;
use crate::report::text::{clip, count, one_line};
use crate::transcript::cost::{dollars, grouped};

/// Lines of a cause are named up to this many.
const LINES: usize = 8;
/// The name of a model is shown up to this length.
const NAME: usize = 32;

/// Tokens by class, and what they cost, of the models whose price is known.
#[derive(Default)]
struct Sum {
    calls: u64,
    input: u64,
    read: u64,
    written: u64,
    output: u64,
    price: u64,
    /// Whether some model's price is not known.
    unpriced: bool,
}

impl Sum {
    fn add(&mut self, model: &ModelReport) {
        self.calls += model.calls;
        self.input += model.input;
        self.read += model.read;
        self.written += model.written;
        self.output += model.output;
        self.price += model.price.unwrap_or(0);
        self.unpriced |= model.price.is_none();
    }

    fn row(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        let price = match (self.price, self.unpriced) {
            (0, true) => "?".to_owned(),
            (price, true) => format!("{} + ?", dollars(price)),
            (price, false) => dollars(price),
        };
        let [calls, input, read, written, output] =
            [self.calls, self.input, self.read, self.written, self.output].map(grouped);
        let name = clip(name, NAME);
        writeln!(
            out,
            "  {name:<NAME$} {calls:>7} {input:>13} {read:>15} {written:>13} {output:>12} {price:>12}"
        )
    }
}

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let mut total = Sum::default();
    let mut breaks: Vec<&BreakReport> = Vec::new();
    let (mut billed, mut silent) = (0_usize, 0_usize);
    let mut day = None;
    for file in &outcome.files {
        let FileKind::Transcript { sessions, .. } = &file.kind else {
            continue;
        };
        for session in sessions {
            let Some(bill) = &session.bill else {
                silent += 1;
                continue;
            };
            billed += 1;
            day = Some(&bill.as_of);
            let path = file.path.display().to_string();
            writeln!(out, "cost of session {} of {}", one_line(&session.id), one_line(&path))?;
            write_bill(bill, out)?;
            bill.models.iter().for_each(|model| total.add(model));
            breaks.extend(&bill.breaks);
        }
    }
    if billed > 1 {
        writeln!(out, "cost in total, of {}", count(billed as u64, "session"))?;
        head(out)?;
        total.row("all models", out)?;
        write_causes(&breaks, false, out)?;
    }
    if silent > 0 {
        writeln!(
            out,
            "{} without a record of what calls cost",
            count(silent as u64, "session")
        )?;
    }
    match day {
        Some(day) => writeln!(
            out,
            "prices of {}, in US dollars; --prices FILE has others\n",
            one_line(day)
        ),
        None => writeln!(out),
    }
}

fn head(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "  {:<NAME$} {:>7} {:>13} {:>15} {:>13} {:>12} {:>12}",
        "tokens", "calls", "paid in full", "read from cache", "written to it", "answered", "price"
    )
}

fn write_bill(bill: &Bill, out: &mut dyn Write) -> io::Result<()> {
    head(out)?;
    for model in &bill.models {
        let mut sum = Sum::default();
        sum.add(model);
        let name = model.model.as_deref().unwrap_or("(model not recorded)");
        sum.row(&one_line(name), out)?;
    }
    let breaks: Vec<&BreakReport> = bill.breaks.iter().collect();
    write_causes(&breaks, true, out)
}

/// What breaks cost, by cause, the dearest first.
fn write_causes(breaks: &[&BreakReport], lines: bool, out: &mut dyn Write) -> io::Result<()> {
    if breaks.is_empty() {
        return writeln!(out, "  the prefix never broke");
    }
    writeln!(out, "  breaks of the prefix, by cause")?;
    for cause in by_cause(breaks.iter().copied()) {
        let name = cause.name;
        let tokens = format!("{} tokens paid again", cause.again_in_words());
        let number = cause.breaks.len();
        let price = cause.price();
        let places = if lines { places(&cause.breaks) } else { String::new() };
        let line = format!("    {name:<16} {number:>5}   {tokens:<34} {price:>10}   {places}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn places(breaks: &[&BreakReport]) -> String {
    let mut lines: Vec<String> = breaks
        .iter()
        .take(LINES)
        .map(|broken| broken.line.to_string())
        .collect();
    if breaks.len() > LINES {
        lines.push("…".to_owned());
    }
    let word = if breaks.len() == 1 { "line" } else { "lines" };
    format!("{word} {}", lines.join(", "))
}
