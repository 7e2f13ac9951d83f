//! Times as records write them.

use chrono::{DateTime, NaiveDateTime};

use crate::transcript::json::{self, Object};

/// Milliseconds since 1970 of a time in RFC 3339; one without a zone is taken for UTC.
pub(super) fn parse(text: &str) -> Option<i64> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_millis());
    }
    let plain = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
    let mut found = plain
        .iter()
        .filter_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    found.next().map(|time| time.and_utc().timestamp_millis())
}

/// A time in milliseconds since 1970, written as a number of milliseconds or seconds, or in words.
pub(super) fn of(object: &Object<'_>, key: &str) -> Option<i64> {
    let raw = object.some(key)?;
    if let Some(time) = json::string(raw).and_then(|text| parse(&text)) {
        return Some(time);
    }
    let text = json::string(raw).unwrap_or_else(|| raw.get().into());
    let number: f64 = text.trim().parse().ok()?;
    // Seconds of this century have ten digits.
    let milliseconds = if number.abs() < 1e11 { number * 1000.0 } else { number };
    (milliseconds.abs() < 1e16).then_some(milliseconds as i64)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn times_are_read_with_and_without_a_zone() {
        assert_eq!(parse("1970-01-01T00:00:01.5Z"), Some(1500));
        assert_eq!(parse("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(parse("1970-01-01 00:01:00"), Some(60_000));
        assert_eq!(parse("1970-01-01T00:00:00.000001"), Some(0));
        assert_eq!(parse("yesterday"), None);
    }
}
