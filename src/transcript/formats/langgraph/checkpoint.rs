//! Checkpoints, as streams and state histories hold them.

use super::shape;
use crate::transcript::json::{self, Object, Raw};

/// What was learnt from the checkpoints read so far.
#[derive(Debug, Default)]
pub(crate) struct Checkpoints {
    thread: String,
    /// Id of the checkpoint read last.
    last: Option<String>,
    /// Whether it told the results of its tasks, so that the next one's list of writes repeats them.
    told_results: bool,
}

/// One checkpoint.
#[derive(Debug)]
pub(crate) struct Checkpoint<'r> {
    pub(crate) thread: String,
    pub(crate) values: Object<'r>,
    /// The updates that led to the state, where nothing before told them.
    pub(crate) writes: Vec<(String, Raw<'r>)>,
    /// The updates made on the state.
    pub(crate) results: Vec<(String, Vec<Object<'r>>)>,
    /// Whether a person's input comes next.
    pub(crate) is_input: bool,
    pub(crate) interrupted: bool,
    /// Whether it does not continue the checkpoint read before.
    pub(crate) branches: bool,
}

impl Checkpoints {
    /// Notes that the results of the current checkpoint's tasks come as records of their own; its thread.
    pub(crate) fn results_told(&mut self) -> String {
        self.told_results = true;
        self.thread.clone()
    }

    pub(crate) fn read<'r>(&mut self, raw: Raw<'r>) -> Option<Checkpoint<'r>> {
        let object = Object::of(raw)?;
        let stored = object
            .object("checkpoint")
            .filter(|stored| stored.has("channel_values"));
        let values = object.object("values").or_else(|| stored?.object("channel_values"));
        let values = values.unwrap_or_default();
        let metadata = object.object("metadata").unwrap_or_default();
        let place = Place::of(&object, ["config", "checkpoint"]);
        let parent = ["parent_config", "parentConfig", "parent_checkpoint"]
            .into_iter()
            .find_map(|key| Place::of(&object, [key, key]).id);
        let source = metadata.string("source");
        let same_thread = place.thread == self.thread;
        let continues = parent.is_none() || self.last.is_none() || parent == self.last;
        let branches = same_thread && (!continues || matches!(source.as_deref(), Some("update" | "fork")));
        let tasks: Vec<_> = object
            .list("tasks")
            .unwrap_or_default()
            .into_iter()
            .filter_map(Task::of)
            .collect();
        let interrupted = tasks.iter().any(|task| task.interrupted);
        let results: Vec<_> = tasks
            .into_iter()
            .filter_map(|task| Some((task.name, result(task.result?))))
            .collect();
        let results = if results.is_empty() {
            stored_writes(&object, &values)
        } else {
            results
        };
        let told = std::mem::replace(&mut self.told_results, !results.is_empty()) && same_thread;
        let mut writes = Vec::new();
        if let (false, Some(written)) = (told || branches, metadata.object("writes")) {
            writes.extend(
                written
                    .iter()
                    .filter(|(node, _)| !shape::is_special(node))
                    .map(|(node, raw)| (node.to_owned(), raw)),
            );
        }
        self.thread.clone_from(&place.thread);
        self.last = place.id;
        Some(Checkpoint {
            thread: place.thread,
            values,
            writes,
            results,
            is_input: source.as_deref() == Some("input"),
            interrupted,
            branches,
        })
    }
}

/// The updates among the writes of a stored checkpoint, `[task, channel, value]` and, where it is known, the
/// path of the task; those of one task together.
fn stored_writes<'r>(checkpoint: &Object<'r>, values: &Object<'r>) -> Vec<(String, Vec<Object<'r>>)> {
    let mut writes: Vec<(String, String, Vec<Object<'r>>)> = Vec::new();
    // Where no path is told, the node that comes next is known by its channel, if it is the only one.
    let mut next = values.iter().filter_map(|(name, _)| name.strip_prefix("branch:to:"));
    let only = next
        .next()
        .filter(|_| next.next().is_none())
        .unwrap_or_default()
        .to_owned();
    for raw in checkpoint.list("pending_writes").unwrap_or_default() {
        let parts = json::list(raw).unwrap_or_default();
        let [task, channel, value, rest @ ..] = parts.as_slice() else {
            continue;
        };
        let (Some(task), Some(channel)) = (json::string(*task), json::string(*channel)) else {
            continue;
        };
        // Which node comes next is written to channels of their own.
        let says_nothing = channel.starts_with("branch:") || shape::is_special(&channel);
        let write = if says_nothing {
            None
        } else {
            Some(Object::of_one(channel, *value))
        };
        if let Some((.., updates)) = writes.iter_mut().find(|(known, ..)| *known == task) {
            updates.extend(write);
        } else {
            let path = rest.first().and_then(|path| json::string(*path)).unwrap_or_default();
            let node = path.rsplit(", ").next().filter(|node| !node.is_empty());
            let node = node.map_or_else(|| only.clone(), str::to_owned);
            writes.push((task.into_owned(), node, write.into_iter().collect()));
        }
    }
    // A node may write nothing; an input without messages is one whose row is missing.
    let told = |(_, node, updates): &(String, String, Vec<_>)| !updates.is_empty() || !shape::is_input(node);
    let told = writes.into_iter().filter(told);
    told.map(|(_, node, updates)| (node, updates)).collect()
}

/// A task of a checkpoint.
struct Task<'r> {
    name: String,
    result: Option<Raw<'r>>,
    interrupted: bool,
}

impl<'r> Task<'r> {
    /// An object; or, from a dump that lost the names, `[id, name, path, error, interrupts, state, result]`.
    fn of(raw: Raw<'r>) -> Option<Self> {
        let object = Object::of(raw);
        let tuple = json::list(raw).unwrap_or_default();
        let part = |key: &str, at: usize| match &object {
            Some(object) => object.some(key),
            None => tuple.get(at).copied().filter(|raw| !json::is_null(*raw)),
        };
        let interrupts = part("interrupts", 4).and_then(json::list);
        Some(Self {
            name: json::string(part("name", 1)?)?.into_owned(),
            result: part("result", 6),
            interrupted: interrupts.is_some_and(|list| !list.is_empty()),
        })
    }
}

/// Which checkpoint of which thread.
struct Place {
    thread: String,
    id: Option<String>,
}

impl Place {
    fn of(object: &Object<'_>, keys: [&str; 2]) -> Self {
        let found = keys.into_iter().find_map(|key| object.object(key));
        let config = found
            .map(|found| found.object("configurable").unwrap_or(found))
            .unwrap_or_default();
        let text = |key| config.string(key).map(String::from).unwrap_or_default();
        let names = [text("thread_id"), text("checkpoint_ns")];
        let thread = names
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect::<Vec<_>>()
            .join("/");
        Self {
            thread,
            id: config.string("checkpoint_id").map(String::from),
        }
    }
}

/// The updates that a task's result holds: an object, several, or pairs of channel and value (0.2).
pub(crate) fn result(raw: Raw<'_>) -> Vec<Object<'_>> {
    let pair = |item: Raw<'_>| json::list(item).is_some_and(|pair| pair.len() == 2 && json::string(pair[0]).is_some());
    match json::list(raw) {
        Some(list) if !list.is_empty() && list.iter().all(|item| pair(*item)) => {
            list.into_iter().filter_map(Object::of_pair).collect()
        }
        _ => shape::parts_of(raw).unwrap_or_default(),
    }
}
