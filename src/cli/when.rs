//! Points in time on the command line.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDate};

/// Milliseconds since 1970 of `90m`, `12h`, `7d` or `2w` ago, of the beginning of a date in UTC, or of a time in
/// RFC 3339.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_millis());
    at(text, i64::try_from(now).unwrap_or(i64::MAX))
}

/// Units of an age, in seconds.
const UNITS: [(char, i64); 4] = [('m', 60), ('h', 3_600), ('d', 86_400), ('w', 604_800)];

fn at(text: &str, now: i64) -> Result<i64, String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.timestamp_millis());
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Ok(date
            .and_hms_opt(0, 0, 0)
            .map_or(0, |time| time.and_utc().timestamp_millis()));
    }
    let ago = UNITS.iter().find_map(|(unit, seconds)| {
        let number: i64 = text.strip_suffix(*unit)?.parse().ok().filter(|number| *number >= 0)?;
        number.checked_mul(seconds * 1_000)
    });
    let ago = ago.ok_or("give 90m, 12h, 7d or 2w for as long ago, a date as 2026-05-31, or a time in RFC 3339")?;
    Ok(now.saturating_sub(ago))
}

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn times_are_given_as_an_age_a_date_or_in_full() {
        let now = 1_000_000_000;
        assert_eq!(at("90m", now), Ok(now - 90 * 60_000));
        assert_eq!(at("0d", now), Ok(now));
        assert_eq!(at("2w", now), Ok(now - 14 * 86_400_000));
        assert_eq!(at("1970-01-02", now), Ok(86_400_000));
        assert_eq!(at("1970-01-01T00:00:02Z", now), Ok(2_000));
        for wrong in ["", "d", "-1d", "soon", "7", "1970-13-01", "99999999999999w"] {
            assert!(at(wrong, now).is_err(), "{wrong}");
        }
    }
}
