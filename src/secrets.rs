//! Credentials in texts that are shown: logs of a run are read by more people than the run itself.
//!
//! Only known shapes are found. A table of prefixes makes most of them; to add one, add a row.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What stands for a secret.
const MASK: &str = "[secret]";

/// From this length on, a text may be the beginning of a longer one, so that a secret at its end may be a part of one.
const MAY_BE_CUT: usize = 128;

/// How a secret begins, what it goes on with, and how much of that there is at least.
const SHAPES: &[(&str, &str, usize)] = &[
    // Providers of models.
    (r"\bsk-", WORD, 16),
    (r"\bgsk_", ALNUM, 20),
    (r"\bhf_", ALNUM, 20),
    (r"\br8_", ALNUM, 20),
    (r"\bxai-", WORD, 20),
    (r"\bpplx-", ALNUM, 20),
    (r"\bnvapi-", WORD, 20),
    (r"\bfw_", ALNUM, 20),
    (r"\bAIza", WORD, 30),
    (r"\bya29\.", WORD, 20),
    (r"\bGOCSPX-", WORD, 20),
    // What watches them and searches for them.
    (r"\blsv2_(?:pt|sk)_", WORD, 20),
    (r"\bpk-lf-", WORD, 16),
    (r"\btvly-", WORD, 16),
    // Hosts of code and packages.
    (r"\bgh[opsur]_", ALNUM, 20),
    (r"\bgithub_pat_", WORD, 20),
    (r"\bgl(?:pat|dt|rt|ft|soat|imt|oas|cbt|ptt)-", WORD, 16),
    (r"\bATATT3", WORD, 20),
    (r"\bATBB", ALNUM, 20),
    (r"\bnpm_", ALNUM, 30),
    (r"\bpypi-", WORD, 40),
    (r"\bdckr_pat_", WORD, 20),
    // Clouds.
    (r"\b(?:AKIA|ASIA|ABIA|ACCA)", "[A-Z0-9]", 16),
    (r"\bdop_v1_", "[a-f0-9]", 32),
    (r"\bdapi", "[a-f0-9]", 32),
    (r"\bhvs\.", WORD, 20),
    (r"\bsbp_", "[a-f0-9]", 32),
    // Chats and mail.
    (r"\bxox[abeoprs]-", "[A-Za-z0-9-]", 10),
    (r"\bxapp-", "[A-Za-z0-9-]", 20),
    (r"\bhooks\.slack\.com/services/", "[A-Za-z0-9/]", 20),
    (r"\bdiscord(?:app)?\.com/api/webhooks/", "[A-Za-z0-9/_-]", 20),
    (r"\b[0-9]{8,10}:AA", WORD, 30),
    (r"\bSG\.", "[A-Za-z0-9._-]", 30),
    // Payments and the rest.
    (r"\b[sr]k_(?:live|test)_", ALNUM, 16),
    (r"\bwhsec_", ALNUM, 20),
    (r"\bshp(?:at|ss|ca|pa)_", "[A-Fa-f0-9]", 32),
    (r"\blin_api_", ALNUM, 20),
    (r"\bntn_", ALNUM, 20),
    (r"\bfigd_", WORD, 20),
    (r"\bPMAK-", WORD, 20),
];

const WORD: &str = "[A-Za-z0-9_-]";
const ALNUM: &str = "[A-Za-z0-9]";

/// Secrets without a prefix of their own.
const OTHERS: &str = r"-----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----(?s:.)*?(?:-----END\ [A-Z\ ]*PRIVATE\ KEY-----|\z)
    | \beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?
    | \b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}
    | (?i:\bbearer)\s+[A-Za-z0-9._~+/=-]{12,}";

/// Those of them of which only the beginning may stand at the end of a text.
const OTHERS_CUT: &str = r"\beyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?\z
    | (?i:\bbearer)\s+[A-Za-z0-9._~+/=-]{2,}\z";

/// What tells by what stands before it that it is a secret: that stays.
const TOLD: &str = r#"(?P<url>\b[a-z][a-z0-9+.-]*://[^\s:/@"'<>]*:)[^\s/@"'<>]+(?P<at>@)
    | (?P<header>(?i:authorization["']?\s*[:=]\s*["']?basic)\s+)[A-Za-z0-9+/=]{8,}
    | (?P<azure>(?i:\b(?:AccountKey|SharedAccessKey)=|[?&]sig=))[A-Za-z0-9+/=%]{16,}
    | (?P<name>(?i:(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key))\\?["']?\s*[:=]\s*)(?P<quote>\\?["'])?(?P<value>[A-Za-z0-9+/_=~.!@\#$%^&*-]{8,})"#;

static WHOLE: LazyLock<Regex> = LazyLock::new(|| pattern(&[&by_prefix(|least| format!("{{{least},}}")), OTHERS]));
static CUT: LazyLock<Regex> = LazyLock::new(|| pattern(&[&by_prefix(|_| r"{2,}\z".to_owned()), OTHERS_CUT]));
static BY_NAME: LazyLock<Regex> = LazyLock::new(|| pattern(&[TOLD]));

fn by_prefix(many: impl Fn(usize) -> String) -> String {
    let shape = |(prefix, body, least): &(&str, &str, usize)| format!("{prefix}{body}{}", many(*least));
    SHAPES.iter().map(shape).collect::<Vec<_>>().join("|")
}

fn pattern(alternatives: &[&str]) -> Regex {
    Regex::new(&format!("(?x){}", alternatives.join("|"))).expect("a literal pattern")
}

/// The text with a word in the place of each secret.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    replaced(text, |_| MASK.to_owned())
}

/// The text with a star for each character of a secret, so that columns stay.
pub(crate) fn starred(text: &str) -> Cow<'_, str> {
    replaced(text, |secret| "*".repeat(secret.chars().count()))
}

fn replaced(text: &str, stand_in: impl Fn(&str) -> String) -> Cow<'_, str> {
    let whole = |found: &Captures<'_>| stand_in(&found[0]);
    let mut shown = WHOLE.replace_all(text, whole);
    if text.len() >= MAY_BE_CUT && CUT.is_match(&shown) {
        shown = CUT.replace_all(&shown, whole).into_owned().into();
    }
    if BY_NAME.is_match(&shown) {
        shown = BY_NAME
            .replace_all(&shown, |found: &Captures<'_>| told(found, &stand_in))
            .into_owned()
            .into();
    }
    shown
}

/// What is shown of a secret that is told by what stands before it.
fn told(found: &Captures<'_>, stand_in: &impl Fn(&str) -> String) -> String {
    let part = |name| found.name(name).map_or("", |part| part.as_str());
    let (before, behind) = ["url", "header", "azure"]
        .iter()
        .fold((String::new(), part("at")), |(before, behind), name| {
            (before + part(name), behind)
        });
    if let Some(value) = found.name("value") {
        let before = format!("{}{}", part("name"), part("quote"));
        let value = value.as_str();
        return if is_random(value, !part("quote").is_empty()) {
            before + &stand_in(value)
        } else {
            before + value
        };
    }
    let secret = &found[0][before.len()..found[0].len() - behind.len()];
    format!("{before}{}{behind}", stand_in(secret))
}

/// Whether what a name of a secret is given looks like one rather than like a word or a name in code.
fn is_random(value: &str, is_quoted: bool) -> bool {
    let any = |is: fn(char) -> bool| value.chars().any(is);
    let letter = |c: char| c.is_ascii_alphabetic();
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let is_hex = value.len() >= 20 && value.chars().all(|c| c.is_ascii_hexdigit());
    let is_mixed = any(|c| c.is_ascii_lowercase()) && any(|c| c.is_ascii_uppercase()) && digits > 0;
    let is_marked = any(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '-')) && any(letter) && digits > 0;
    digits > 1 && (is_hex || is_mixed && value.len() >= 12) || is_quoted && is_marked
}

#[cfg(test)]
mod tests {
    use super::{masked, starred};

    /// Invented secrets; put together here, so that nobody who looks for real ones finds them.
    fn secrets() -> Vec<String> {
        let random = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5f";
        let hex = "0123456789abcdef0123456789abcdef";
        let upper = "ABCD2345EFGH6789";
        let with = |prefix: &str, body: &str| format!("{prefix}{body}");
        let mut secrets: Vec<String> = [
            "sk-",
            "sk-ant-api03-",
            "sk-proj-",
            "gsk_",
            "hf_",
            "r8_",
            "xai-",
            "pplx-",
            "nvapi-",
            "fw_",
            "AIza",
            "ya29.",
            "GOCSPX-",
            "lsv2_pt_",
            "pk-lf-",
            "tvly-",
            "ghp_",
            "gho_",
            "github_pat_",
            "glpat-",
            "ATATT3",
            "ATBB",
            "npm_",
            "pypi-",
            "dckr_pat_",
            "hvs.",
            "xoxb-",
            "xapp-",
            "hooks.slack.com/services/",
            "SG.",
            "sk_live_",
            "rk_test_",
            "whsec_",
            "lin_api_",
            "ntn_",
            "figd_",
            "PMAK-",
            "123456789:AA",
        ]
        .iter()
        .map(|prefix| with(prefix, random))
        .collect();
        secrets.extend(
            ["dop_v1_", "dapi", "sbp_", "shpat_"]
                .iter()
                .map(|prefix| with(prefix, hex)),
        );
        secrets.extend(["AKIA", "ASIA"].iter().map(|prefix| with(prefix, upper)));
        secrets.push(format!("eyJ{random}.eyJ{random}.{random}"));
        secrets.push(format!(
            "-----BEGIN {}-----\n{random}\n-----END {}-----",
            "PRIVATE KEY", "PRIVATE KEY"
        ));
        secrets.push(format!("M{}.{}.{random}", &random[..24], &random[..6]));
        secrets
    }

    #[test]
    fn every_shape_is_masked_wherever_it_stands() {
        for secret in secrets() {
            let text = format!("before {secret} behind");
            assert_eq!(masked(&text), "before [secret] behind");
            assert_eq!(starred(&text).chars().count(), text.chars().count());
            assert!(!starred(&text).contains(&secret), "{secret}");
        }
    }

    #[test]
    fn a_secret_that_is_cut_off_at_the_end_of_a_long_text_is_masked() {
        let long = "word ".repeat(40);
        for secret in secrets() {
            let prefix = secret.find("aB3").or(secret.find("012")).or(secret.find("ABC"));
            let cut = &secret[..prefix.expect("a secret has a body") + 5];
            if cut.starts_with('-') || cut.starts_with('M') {
                continue;
            }
            assert_eq!(masked(&format!("{long}{cut}")), format!("{long}[secret]"), "{cut}");
        }
    }

    #[test]
    fn what_stands_before_a_secret_tells_it_and_stays() {
        let random = "aB3dE5gH7jK9mN1pQ2r";
        let cases = [
            (
                format!("postgres://harbour:{random}@db/ferries"),
                "postgres://harbour:[secret]@db/ferries",
            ),
            (format!("Authorization: Bearer {random}"), "Authorization: [secret]"),
            (
                format!("Authorization: Basic {random}=="),
                "Authorization: Basic [secret]",
            ),
            (
                format!("AccountName=a;AccountKey={random}{random}==;"),
                "AccountName=a;AccountKey=[secret];",
            ),
            (format!("DB_PASSWORD={random} next"), "DB_PASSWORD=[secret] next"),
            (format!(r#"{{"api_key": "{random}"}}"#), r#"{"api_key": "[secret]"}"#),
            (format!("client_secret: '{random}'"), "client_secret: '[secret]'"),
            ("password = \"ferry!2man\"".to_owned(), "password = \"[secret]\""),
        ];
        for (text, shown) in cases {
            assert_eq!(masked(&text), shown);
        }
    }

    #[test]
    fn words_and_names_are_no_secrets() {
        for text in [
            "the token: it is counted, 1024 of them",
            "password=password",
            "token = next_token_of_list2",
            "secret: Option<String>",
            "max_tokens=4096000000",
            "https://example.org:8080/path@home",
            "a basic understanding of task-tracking and risk-taking",
            "sk-short and a bearer of news",
        ] {
            assert_eq!(masked(text), text);
        }
    }
}
