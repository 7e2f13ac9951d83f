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
    pub(crate) results: Vec<(String, Raw<'r>)>,
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
        let values = object.object("values").unwrap_or_default();
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
            .filter_map(|task| Some((task.name, task.result?)))
            .collect();
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
            None => tuple.get(at).copied().filter(|raw| !json::is_null(raw)),
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
        Some(list) if !list.is_empty() && list.iter().all(|item| pair(item)) => {
            list.into_iter().filter_map(Object::of_pair).collect()
        }
        _ => shape::parts_of(raw).unwrap_or_default(),
    }
}
