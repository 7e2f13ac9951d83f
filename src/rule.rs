//! The table of rules. A rule's metadata is the front matter of its page in `rules/`.

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::finding::{Confidence, Severity, Witness};
use crate::mend::Applicability;
use crate::nearest;

/// One rule: its id and its page.
#[derive(Debug)]
pub struct Rule {
    id: &'static str,
    page: &'static str,
    meta: LazyLock<Meta>,
}

/// The front matter of a rule's page.
#[derive(Debug)]
struct Meta {
    summary: String,
    family: String,
    severity: Severity,
    confidence: Confidence,
    witness: Vec<Witness>,
    since: String,
    fix: Vec<Applicability>,
    opt_in: bool,
}

macro_rules! rules {
    ($($name:ident = $id:literal),+ $(,)?) => {
        $(
            #[doc = concat!("See `rules/", $id, ".md`.")]
            pub static $name: Rule = Rule {
                id: $id,
                page: include_str!(concat!("../rules/", $id, ".md")),
                meta: LazyLock::new(|| Meta::of(&$name)),
            };
        )+

        /// Every rule, in the order of the table.
        pub static RULES: &[&Rule] = &[$(&$name),+];
    };
}

rules! {
    HEAD_SCAN_ATTACH = "head-scan-attach",
    IGNORED_INSERT = "ignored-insert",
    FIXED_INDEX_INSERT = "fixed-index-insert",
    DISPLACED_QUESTION = "displaced-question",
    REORDERED_HISTORY = "reordered-history",
    HEAD_WINDOW = "head-window",
    MERGED_INJECTION = "merged-injection",
    ID_SWAP = "id-swap",
    REMINTED_IDS = "reminted-ids",
    DUPLICATE_MESSAGE = "duplicate-message",
    MUTATED_INPUT = "mutated-input",
    MID_TURN_CUT = "mid-turn-cut",
    SPLIT_TOOL_PAIR = "split-tool-pair",
    IGNORED_TRIM = "ignored-trim",
    SYSTEM_AFTER_HISTORY = "system-after-history",
    DROPPED_SYSTEM = "dropped-system",
    DEDUPE_KEEPS_OLDEST = "dedupe-keeps-oldest",
    STALE_OFFSET = "stale-offset",
    CUT_WITHOUT_SUMMARY = "cut-without-summary",
    LOST_TAIL = "lost-tail",
    PERSISTED_STATE = "persisted-state",
    STALE_INJECTION = "stale-injection",
    REPEATED_INJECTION = "repeated-injection",
    SKIPPED_INJECTION = "skipped-injection",
    UNLATCHED_WARNING = "unlatched-warning",
    UNRESET_LATCH = "unreset-latch",
    WRONG_RECIPIENT = "wrong-recipient",
    ROLE_ONLY_PREDICATE = "role-only-predicate",
    UNEXPIRED_INJECTION = "unexpired-injection",
    UNMARKED_INJECTION = "unmarked-injection",
    VOLATILE_PREFIX = "volatile-prefix",
    UNORDERED_PREFIX = "unordered-prefix",
    MISPLACED_BREAKPOINT = "misplaced-breakpoint",
    REWRITTEN_PREFIX = "rewritten-prefix",
    CACHE_BREAK = "cache-break",
    UNSTABLE_SUMMARY = "unstable-summary",
    UNORDERED_REPLAY = "unordered-replay",
    BROKEN_CHAIN = "broken-chain",
    COMPACTION_LOOP = "compaction-loop",
    UNMARKED_DEGRADED_STATE = "unmarked-degraded-state",
    UNGUARDED_HOOK = "unguarded-hook",
    WRONG_QUEUE = "wrong-queue",
    EXTERNAL_IN_BATCH = "external-in-batch",
    PROMPT_ONLY_BUDGET = "prompt-only-budget",
    SILENT_STOP = "silent-stop",
    VISIBLE_INJECTOR = "visible-injector",
    SHAPE_ONLY_TEST = "shape-only-test",
    UNUSED_IGNORE = "unused-ignore",
    UNKNOWN_RULE_IN_IGNORE = "unknown-rule-in-ignore",
    MALFORMED_IGNORE = "malformed-ignore",
    MALFORMED_RECORD = "malformed-record",
}

/// The rule with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// A rule is written as its id.
impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

impl<'de> Deserialize<'de> for &'static Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        find(&id).ok_or_else(|| de::Error::custom("no rule has this id"))
    }
}

/// The rule with this id; the error says what to do about an id that no rule has.
pub(crate) fn known(id: &str) -> Result<&'static Rule, String> {
    find(id).ok_or_else(|| match nearest(id) {
        Some(near) => format!("no rule of this name; did you mean `{near}`?"),
        None => "no rule of this name; `ctxlint rules` lists them".to_owned(),
    })
}

/// The id or family that a mistyped name most likely means.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    nearest::nearest(name, RULES.iter().flat_map(|rule| [rule.id(), rule.family()]))
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl Rule {
    /// The id, in kebab-case; it names the bad pattern.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The page: front matter and Markdown.
    #[must_use]
    pub fn page(&self) -> &'static str {
        self.page
    }

    /// The page without its front matter.
    #[must_use]
    pub fn body(&self) -> &'static str {
        split_page(self.page).1
    }

    /// One line that says what the rule reports.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.meta.summary
    }

    /// `placement`, `identity`, `cuts`, `staleness`, `prompt-cache`, `replay`, `hooks`, `tests` or `housekeeping`.
    #[must_use]
    pub fn family(&self) -> &str {
        &self.meta.family
    }

    /// The severity at the rule's full evidence.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.meta.severity
    }

    /// The confidence at the rule's full evidence.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        self.meta.confidence
    }

    /// Where the rule sees its evidence.
    #[must_use]
    pub fn witness(&self) -> &[Witness] {
        &self.meta.witness
    }

    /// The version that brought the rule.
    #[must_use]
    pub fn since(&self) -> &str {
        &self.meta.since
    }

    /// What kinds of fixes its findings may carry; empty: none.
    #[must_use]
    pub fn fixes(&self) -> &[Applicability] {
        &self.meta.fix
    }

    /// Whether it watches over ignore comments and records: such rules run whatever is selected.
    #[must_use]
    pub fn is_housekeeping(&self) -> bool {
        self.family() == "housekeeping"
    }

    /// Whether it runs only under `--pedantic`.
    #[must_use]
    pub fn is_opt_in(&self) -> bool {
        self.meta.opt_in
    }
}

impl Meta {
    /// Reads the front matter: `key: value` lines between two `---` lines.
    fn of(rule: &Rule) -> Self {
        let mut meta = Self {
            summary: String::new(),
            family: String::new(),
            severity: Severity::Warn,
            confidence: Confidence::High,
            witness: Vec::new(),
            since: String::new(),
            fix: Vec::new(),
            opt_in: false,
        };
        let (front, _) = split_page(rule.page);
        for (key, value) in front.lines().filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match key {
                "summary" => meta.summary = value.to_owned(),
                "family" => meta.family = value.to_owned(),
                "severity" => meta.severity = Severity::parse(value).unwrap_or(meta.severity),
                "confidence" => meta.confidence = Confidence::parse(value).unwrap_or(meta.confidence),
                "witness" => {
                    meta.witness = value
                        .split(',')
                        .filter_map(|word| Witness::parse(word.trim()))
                        .collect()
                }
                "since" => meta.since = value.to_owned(),
                "fix" => {
                    meta.fix = value
                        .split(',')
                        .filter_map(|word| Applicability::parse(word.trim()))
                        .collect()
                }
                "opt_in" => meta.opt_in = value == "yes",
                _ => {}
            }
        }
        meta
    }
}

/// Front matter and body.
fn split_page(page: &str) -> (&str, &str) {
    page.strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .unwrap_or(("", page))
}
