//! Home-made logs: records of a form that the project tells in its configuration.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::form::{self, Form};
use super::{Adapter, Sink, Way, encoding};
use crate::transcript::event::{Fate, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{Draft, Role, hash_of};
use crate::transcript::reader::Record;

/// The most characters of a role that nobody told which are named.
const NAMED: usize = 64;

/// Where something stands in a value, as RFC 6901 has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer(Vec<Box<str>>);

impl Pointer {
    /// Reads a pointer: nothing, which is the whole value, or steps that each begin with `/`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        let steps = text.strip_prefix('/')?.split('/');
        let plain = steps.map(|step| step.replace("~1", "/").replace("~0", "~").into_boxed_str());
        Some(Self(plain.collect()))
    }

    /// What stands there, unless it is missing or `null`.
    fn find<'r>(&self, raw: Raw<'r>) -> Option<Raw<'r>> {
        let found = self.0.iter().try_fold(raw, |raw, step| match json::list(raw) {
            Some(list) => list.get(index(step)?).copied(),
            None => Object::of(raw)?.get(step),
        });
        found.filter(|raw| !json::is_null(*raw))
    }
}

/// The place in a list that a step of a pointer names.
fn index(step: &str) -> Option<usize> {
    let is_plain = !step.starts_with('+') && (step == "0" || !step.starts_with('0'));
    is_plain.then(|| step.parse().ok())?
}

/// Where the parts of a message stand in the records of a log, and what its roles are called.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) role: Pointer,
    pub(crate) content: Pointer,
    pub(crate) id: Option<Pointer>,
    pub(crate) calls: Option<Pointer>,
    pub(crate) call_id: Pointer,
    pub(crate) result: Option<Pointer>,
    pub(crate) session: Option<Pointer>,
    /// The list in a record, where a record holds one; the pointers to a message begin in it.
    pub(crate) messages: Option<Pointer>,
    /// Words of the log beside those that every log may use.
    pub(crate) words: FxHashMap<String, Role>,
}

impl Plan {
    /// What a log of this form lets one see.
    pub(crate) fn form(&self) -> &'static Form {
        match (&self.messages, &self.id) {
            (None, Some(_)) => &form::LOG_WITH_IDS,
            (None, None) => &form::LOG,
            (Some(_), Some(_)) => &form::LOG_OF_STATES,
            (Some(_), None) => &form::LOG_OF_REQUESTS,
        }
    }

    /// Reads a message, or says what is not known of it.
    fn message<'r>(&self, raw: Raw<'r>, locator: &mut Locator<'r>) -> Result<Draft, String> {
        let place = locator.place(raw);
        let word = self.role.find(raw).ok_or("no role")?;
        let word = text(word).ok_or("a role that is no text")?;
        let told = self.words.get(&*word).copied();
        let role = told.or_else(|| encoding::role_word(&word));
        let role = role.ok_or_else(|| format!("role \"{}\"", word.chars().take(NAMED).collect::<String>()))?;
        let find = |pointer: &Option<Pointer>| pointer.as_ref().and_then(|pointer| pointer.find(raw));
        let calls = list(find(&self.calls)).into_iter();
        let calls = calls.filter_map(|call| text(self.call_id.find(call)?).map(Box::from));
        let results = list(find(&self.result)).into_iter();
        let results = results.filter_map(|id| text(id).map(Box::from));
        let id = find(&self.id).and_then(text).map(Arc::from);
        let content = self.content.find(raw);
        let mut draft = encoding::draft(role, id, content, calls.collect(), results.collect());
        draft.place = place;
        Ok(draft)
    }

    fn thread(&self, raw: Raw<'_>) -> Arc<str> {
        let session = self.session.as_ref().and_then(|pointer| pointer.find(raw));
        // Whatever tells sessions apart may do so, even if it is no text.
        let name = session.map(|raw| text(raw).unwrap_or(Cow::Borrowed(raw.get())));
        name.unwrap_or_default().into()
    }
}

/// A text, or a number as it is written.
fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let is_number = raw
        .get()
        .starts_with(|first: char| first == '-' || first.is_ascii_digit());
    json::string(raw).or_else(|| is_number.then(|| Cow::Borrowed(raw.get())))
}

/// The elements of a list; a single value where a list may stand.
fn list(raw: Option<Raw<'_>>) -> Vec<Raw<'_>> {
    raw.map(|raw| json::list(raw).unwrap_or_else(|| vec![raw]))
        .unwrap_or_default()
}

/// Reads the records of a home-made log.
pub(crate) struct Generic {
    plan: Arc<Plan>,
    /// Where the last record of each session begins, by the hash of its name: behind it the session is over,
    /// and nothing of it has to be held any longer.
    last: FxHashMap<u64, (u32, u64)>,
}

impl Generic {
    pub(crate) fn new(plan: Arc<Plan>) -> Self {
        Self {
            plan,
            last: FxHashMap::default(),
        }
    }
}

impl Adapter for Generic {
    fn way(&self) -> Way {
        if self.plan.session.is_some() {
            Way::Surveyed
        } else {
            Way::Forward
        }
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let spot = record.spot;
        self.last
            .insert(hash_of(&*self.plan.thread(raw)), (spot.file, spot.offset));
        Fate::Understood
    }

    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let fate = self.messages(raw, sink);
        let thread = self.plan.thread(raw);
        if self.last.get(&hash_of(&*thread)) == Some(&(record.spot.file, record.spot.offset)) {
            sink.event(thread, What::End);
        }
        fate
    }
}

impl Generic {
    fn messages<'r>(&self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let plan = &self.plan;
        let mut unknown = None;
        let what = match &plan.messages {
            None => match plan.message(raw, &mut sink.locator) {
                Ok(draft) => What::Append(vec![draft]),
                Err(name) => return Fate::Unknown(name),
            },
            Some(pointer) => {
                let Some(list) = pointer.find(raw).and_then(json::list) else {
                    return Fate::Unknown("no list of messages".to_owned());
                };
                let mut messages = Vec::with_capacity(list.len());
                for raw in list {
                    match plan.message(raw, &mut sink.locator) {
                        Ok(draft) => messages.push(draft),
                        Err(name) => {
                            unknown.get_or_insert(name);
                        }
                    }
                }
                What::Snapshot {
                    messages,
                    branches: false,
                }
            }
        };
        sink.event(plan.thread(raw), what);
        // The rest of a list is followed, and what was left out of it is told.
        unknown.map_or(Fate::Understood, Fate::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Pointer, Raw};

    #[test]
    fn pointers_lead_where_those_of_the_standard_lead() {
        let text = r#"{"a": {"b/c": [1, {"~": "x"}], "": 2, "0": "zero"}, "n": null, "l": [[7]]}"#;
        let raw: Raw<'_> = serde_json::from_str(text).expect("it is JSON");
        let value: Value = serde_json::from_str(text).expect("it is JSON");
        let pointers = [
            "",
            "/a",
            "/a/b~1c",
            "/a/b~1c/1/~0",
            "/a/b~1c/01",
            "/a/b~1c/+1",
            "/a/b~1c/2",
            "/a/",
            "/a/0",
            "/l/0/0",
            "/n",
            "/n/x",
            "/a/b~1c/-",
            "/z",
        ];
        for pointer in pointers {
            let found = Pointer::parse(pointer).expect("it is a pointer").find(raw);
            let found = found.map(|raw| serde_json::from_str::<Value>(raw.get()).expect("it is JSON"));
            let expected = value.pointer(pointer).filter(|value| !value.is_null());
            assert_eq!(found.as_ref(), expected, "{pointer}");
        }
        assert_eq!(Pointer::parse("a/b"), None);
    }
}
