//! LangGraph: streams of every mode, state histories, and lists of LangChain messages.

mod checkpoint;
mod database;
mod rows;
mod runs;
mod serde;
pub(crate) mod shape;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::checkpoint::Checkpoints;
use self::shape::{Mode, Shape};
use super::form::{self, Form};
use super::{Adapter, Companion, Detected, Format, Sample, Sink, Way, chat, encoding};
use crate::transcript::event::{Event, Fate, NO_MESSAGE, NodeWrite, REPEATS, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::markers::Origin;
use crate::transcript::message::Draft;
use crate::transcript::reader::{Record, Spot};

/// Reads LangGraph records.
#[derive(Debug)]
pub(super) struct LangGraph {
    /// The mode whose records are taken for updates, where a stream has several.
    updates: Option<Mode>,
    /// The mode whose records are taken for states.
    states: Option<Mode>,
    checkpoints: Checkpoints,
    /// In a stream of events, the superstep that began last.
    superstep_of_run: Option<i64>,
    threads: FxHashMap<String, Arc<str>>,
    /// Whether the records run backwards in time.
    newest_first: bool,
}

pub(super) static FORMAT: Format = Format {
    name: "langgraph",
    detect,
    forced: || Detected::new(&form::MESSAGE_LIST, LangGraph::new(None, None)),
    tables: Some(database::queries),
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let stored = runs::detect(sample)
        .or_else(|| rows::detect(sample))
        .or_else(|| serde::detect(sample));
    if stored.is_some() {
        return stored;
    }
    if sample.all(|record| record.has("left") && record.has("updates")) {
        let rows = Companion("rows for `ctxlint fold`, no run");
        return Some(Detected::new(&form::FOLD_ROWS, rows));
    }
    if sample.all(is_platform_run) {
        return Some(Detected::new(
            &form::PLATFORM_RUNS,
            Companion("lists runs, not what they say"),
        ));
    }
    let others = sample.raws().filter(|raw| chat::Shape::of(*raw).is_none());
    let shapes: Vec<Shape> = others.filter_map(Shape::of).collect();
    let (mut form, adapter) = recognise(&shapes)?;
    if form == &form::TUPLES && sample.first().is_some_and(|first| first.has("table")) {
        form = &form::SAVER;
    }
    if form == &form::MESSAGE_LIST && sample.raws().any(is_foreign) && !sample.any(is_own) {
        return None;
    }
    Some(Detected::new(form, adapter))
}

/// Whether a message names its type as LangChain does. Others call theirs `user` and `assistant`, too.
fn is_own(record: &Object<'_>) -> bool {
    let own = |kind: &str| {
        matches!(kind, "human" | "ai" | "tool" | "remove") || kind.ends_with("Message") || kind.ends_with("Chunk")
    };
    record.has("lc") || record.string("type").is_some_and(|kind| own(&kind))
}

/// Whether a record is of a type that LangChain does not have.
fn is_foreign(raw: Raw<'_>) -> bool {
    let is_typed = Object::of(raw).is_some_and(|record| record.has("type") && !record.has("role"));
    is_typed && Shape::of(raw).is_none()
}

/// What the platform answers when it is asked for the runs of a thread.
fn is_platform_run(run: &Object<'_>) -> bool {
    ["run_id", "thread_id", "assistant_id", "status", "kwargs"]
        .iter()
        .all(|key| run.has(key))
}

/// Judges a file by the shapes of its first records.
fn recognise(shapes: &[Shape]) -> Option<(&'static Form, LangGraph)> {
    let has = |wanted: Shape| shapes.contains(&wanted);
    let first_of = |modes: &[Mode]| modes.iter().copied().find(|mode| has(Shape::Part(*mode)));
    let parts = shapes.iter().any(|shape| matches!(shape, Shape::Part(_)));
    let updates = if parts {
        first_of(&[Mode::Updates, Mode::Tasks, Mode::Debug, Mode::Events])
    } else {
        None
    };
    let states = first_of(&[Mode::Values, Mode::Checkpoints, Mode::Debug]);
    let steps: Vec<i64> = shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Checkpoint { step, .. } => *step,
            _ => None,
        })
        .collect();
    let newest_first = matches!((steps.first(), steps.last()), (Some(first), Some(last)) if first > last);
    let inputs = shapes
        .iter()
        .any(|shape| matches!(shape, Shape::Update { input: true, .. }));
    let form = shapes.iter().find_map(|shape| match shape {
        Shape::Part(_) => match (updates, states) {
            (Some(Mode::Debug), _) => Some(&form::DEBUG),
            (Some(Mode::Events), None) => Some(&form::EVENTS),
            (Some(_), Some(_)) => Some(&form::UPDATES_AND_VALUES),
            (Some(Mode::Tasks), None) => Some(&form::TASKS),
            (Some(_), None) => Some(&form::UPDATES),
            (None, Some(Mode::Checkpoints)) => Some(&form::CHECKPOINTS),
            (None, Some(_)) => Some(&form::VALUES),
            (None, None) => has(Shape::Part(Mode::Messages)).then_some(&form::MESSAGES),
        },
        Shape::Update { empty: true, .. } => None,
        Shape::Update { .. } if inputs => Some(&form::UPDATES_WITH_INPUT),
        Shape::Update { .. } => Some(&form::UPDATES),
        Shape::Values | Shape::Checkpoint { stored: false, .. } if shapes.len() == 1 => Some(&form::MESSAGE_LIST),
        Shape::Values => Some(&form::VALUES),
        Shape::Checkpoint { stored: true, .. } => Some(&form::TUPLES),
        Shape::Checkpoint { .. } if newest_first => Some(&form::HISTORY),
        Shape::Checkpoint { .. } => Some(&form::CHECKPOINTS),
        Shape::Task => Some(&form::TASKS),
        Shape::Debug => Some(&form::DEBUG),
        Shape::Event => Some(&form::EVENTS),
        Shape::StreamedMessage => Some(&form::MESSAGES),
        Shape::Message => Some(&form::MESSAGE_LIST),
    })?;
    let adapter = LangGraph {
        newest_first,
        ..LangGraph::new(updates, states)
    };
    Some((form, adapter))
}

impl LangGraph {
    fn new(updates: Option<Mode>, states: Option<Mode>) -> Self {
        Self {
            updates,
            states,
            checkpoints: Checkpoints::default(),
            superstep_of_run: None,
            threads: FxHashMap::default(),
            newest_first: false,
        }
    }

    /// Reads a record that was made of others, or unpacked: everything in it stands where `spot` says.
    fn read_made(&mut self, text: &str, spot: Spot, events: &mut Vec<Event>) -> Fate {
        let record = Record { text, spot, tape: None };
        let Ok(raw) = json::value(&record) else {
            return Fate::Malformed("what it holds is nested too deeply".to_owned());
        };
        let mut made = Vec::new();
        let fate = self.read(record, raw, &mut Sink::new(record, &mut made));
        for event in &mut made {
            event.spot = spot;
            let drafts: Vec<&mut Draft> = match &mut event.what {
                What::Append(drafts) | What::Snapshot { messages: drafts, .. } => drafts.iter_mut().collect(),
                What::Update(writes) => writes.iter_mut().flat_map(|write| &mut write.messages).collect(),
                _ => Vec::new(),
            };
            for draft in drafts {
                draft.place = spot.start();
            }
        }
        events.append(&mut made);
        fate
    }

    fn thread(&mut self, parts: [&str; 2]) -> Arc<str> {
        let name = parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("/");
        self.threads
            .entry(name)
            .or_insert_with_key(|name| name.as_str().into())
            .clone()
    }

    /// A payload of a stream with several modes.
    fn part<'r>(&mut self, mode: Mode, namespace: &str, payload: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let wanted = self.updates == Some(mode) || self.states == Some(mode);
        let alone = self.updates.is_none() && self.states.is_none();
        match mode {
            Mode::Other => NO_MESSAGE,
            Mode::Messages if alone => self.streamed(payload, sink),
            _ if !wanted => REPEATS,
            Mode::Updates => self.update(namespace, payload, sink),
            Mode::Values => self.values(namespace, payload, sink),
            Mode::Checkpoints => self.checkpoint(payload, sink),
            Mode::Tasks => self.task(namespace, payload, sink),
            Mode::Debug => self.debug(payload, sink),
            Mode::Events => self.event(payload, sink),
            Mode::Messages => NO_MESSAGE,
        }
    }

    /// `{node: update}`
    fn update<'r>(&mut self, namespace: &str, payload: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(payload) else {
            return unknown("update");
        };
        let mut writes: Vec<(&str, Vec<Object<'r>>, Origin)> = Vec::new();
        let mut fate = NO_MESSAGE;
        for (node, value) in object.iter() {
            if node == "__interrupt__" {
                sink.event(self.thread([namespace, ""]), What::Interrupt);
                continue;
            }
            let origin = if shape::is_input(node) {
                Origin::Input
            } else {
                Origin::Node
            };
            if shape::is_special(node) && origin != Origin::Input {
                continue;
            }
            let Some(parts) = shape::parts_of(value) else {
                return unknown("update");
            };
            writes.push((node, parts, origin));
            fate = Fate::Understood;
        }
        if writes.iter().any(|(.., origin)| *origin == Origin::Input) {
            sink.event(self.thread([namespace, ""]), What::TurnStart);
        }
        self.superstep(namespace, writes, sink);
        fate
    }

    /// The updates of one superstep; they are folded in the order of the names of their nodes.
    fn superstep<'r>(
        &mut self,
        namespace: &str,
        mut writes: Vec<(&str, Vec<Object<'r>>, Origin)>,
        sink: &mut Sink<'_, 'r>,
    ) {
        writes.sort_by_key(|(node, ..)| *node);
        let mut by_channel: Vec<(String, Vec<NodeWrite>)> = vec![(String::new(), Vec::new())];
        for (node, parts, origin) in writes {
            let node: Arc<str> = node.into();
            let mut spoke = false;
            for part in &parts {
                for channel in shape::channels(part) {
                    let messages = encoding::messages(channel.messages, &mut sink.locator);
                    let write = NodeWrite {
                        node: node.clone(),
                        origin,
                        overwrites: channel.overwrites,
                        messages,
                    };
                    spoke |= channel.name.is_empty();
                    match by_channel.iter_mut().find(|(name, _)| name == channel.name) {
                        Some((_, writes)) => writes.push(write),
                        None => by_channel.push((channel.name.to_owned(), vec![write])),
                    }
                }
            }
            if !spoke {
                // That a node ran and wrote nothing is a fact too.
                by_channel[0].1.push(NodeWrite {
                    node,
                    origin,
                    overwrites: false,
                    messages: Vec::new(),
                });
            }
        }
        for (channel, writes) in by_channel {
            if !writes.is_empty() {
                sink.event(self.thread([namespace, &channel]), What::Update(writes));
            }
        }
    }

    /// A whole state, bare or with what the platform puts around it.
    fn values<'r>(&mut self, namespace: &str, payload: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(payload) else {
            return unknown("state");
        };
        let object = object
            .object("values")
            .filter(|_| !object.has("messages"))
            .unwrap_or(object);
        let mut fate = NO_MESSAGE;
        for channel in shape::channels(&object) {
            let messages = encoding::messages(channel.messages, &mut sink.locator);
            sink.event(
                self.thread([namespace, channel.name]),
                What::Snapshot {
                    messages,
                    branches: false,
                },
            );
            fate = Fate::Understood;
        }
        fate
    }

    /// A task that begins with the state it sees, or ends with its result.
    fn task<'r>(&mut self, namespace: &str, payload: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(payload) else {
            return unknown("task");
        };
        let Some(node) = object.string("name") else {
            return unknown("task");
        };
        if let Some(result) = object.some("result") {
            let parts = checkpoint::result(result);
            self.superstep(namespace, vec![(&node, parts, Origin::Node)], sink);
            return Fate::Understood;
        }
        // What is pushed to a task is not the state.
        let pushed = object
            .list("triggers")
            .is_some_and(|triggers| triggers.iter().any(|name| name.get().contains("push")));
        match object.get("input") {
            Some(input) if !pushed => self.values(namespace, input, sink),
            _ => NO_MESSAGE,
        }
    }

    fn debug<'r>(&mut self, payload: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(payload) else {
            return unknown("debug");
        };
        let Some(inner) = object.get("payload") else {
            return unknown("debug");
        };
        match object.string("type").as_deref() {
            Some("checkpoint") => self.checkpoint(inner, sink),
            Some("task_result") => {
                let thread = self.checkpoints.results_told();
                self.task(&thread, inner, sink)
            }
            // The checkpoint before it holds the same state.
            Some("task") => NO_MESSAGE,
            other => unknown(other.unwrap_or("debug")),
        }
    }

    fn checkpoint<'r>(&mut self, payload: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(found) = self.checkpoints.read(payload) else {
            return unknown("checkpoint");
        };
        let thread = found.thread.clone();
        let writes: Vec<_> = found
            .writes
            .iter()
            .map(|(node, raw)| (node.as_str(), checkpoint::result(*raw), Origin::Node))
            .collect();
        self.superstep(&thread, writes, sink);
        for channel in shape::channels(&found.values) {
            let messages = encoding::messages(channel.messages, &mut sink.locator);
            let thread = self.thread([&thread, channel.name]);
            sink.event(
                thread,
                What::Snapshot {
                    messages,
                    branches: found.branches,
                },
            );
        }
        if found.is_input {
            sink.event(self.thread([&thread, ""]), What::TurnStart);
        }
        if found.interrupted {
            sink.event(self.thread([&thread, ""]), What::Interrupt);
        }
        let results: Vec<_> = found
            .results
            .iter()
            .map(|(node, updates)| {
                // Writes of a stored checkpoint do not always name their node.
                let from_outside = shape::is_input(node) || node.is_empty() && found.is_input;
                let origin = if from_outside { Origin::Input } else { Origin::Node };
                (node.as_ref(), updates.clone(), origin)
            })
            .collect();
        self.superstep(&thread, results, sink);
        Fate::Understood
    }

    /// An event of `astream_events`: the outermost run tells the input, every update and the last state;
    /// the nodes tell the state with which a superstep begins.
    fn event<'r>(&mut self, record: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(record) else {
            return unknown("event");
        };
        let (Some(name), Some(data)) = (object.string("event"), object.object("data")) else {
            return unknown("event");
        };
        let depth = object.list("parent_ids").map_or(0, |parents| parents.len());
        match (name.as_ref(), depth) {
            ("on_chain_start", 0) => {
                sink.event(self.thread(["", ""]), What::TurnStart);
                self.superstep_of_run = None;
                Fate::Understood
            }
            ("on_chain_start", 1) => match (self.begins_superstep(&object), data.some("input")) {
                (true, Some(input)) => self.values("", input, sink),
                _ => NO_MESSAGE,
            },
            ("on_chain_stream", 0) => match data.some("chunk") {
                Some(chunk) if matches!(Shape::of(chunk), Some(Shape::Values)) => self.values("", chunk, sink),
                Some(chunk) => self.update("", chunk, sink),
                None => NO_MESSAGE,
            },
            ("on_chain_end", 0) => match data.some("output") {
                Some(output) => self.values("", output, sink),
                None => NO_MESSAGE,
            },
            _ => NO_MESSAGE,
        }
    }

    /// Whether a node is the first of its superstep to start, with the whole state for its input.
    fn begins_superstep(&mut self, event: &Object<'_>) -> bool {
        let Some(metadata) = event.object("metadata") else {
            return false;
        };
        let is_node =
            metadata.string("langgraph_node").is_some() && metadata.string("langgraph_node") == event.string("name");
        let triggers = metadata.list("langgraph_triggers").unwrap_or_default();
        let pushed = triggers.iter().any(|name| name.get().contains("push"));
        let step = metadata.get("langgraph_step").and_then(|step| step.get().parse().ok());
        is_node && !pushed && step.is_some() && std::mem::replace(&mut self.superstep_of_run, step) != step
    }

    /// `[message, metadata]`: what the model said, or pieces of it.
    fn streamed<'r>(&mut self, payload: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let parts = json::list(payload).unwrap_or_default();
        let [message, metadata] = parts.as_slice() else {
            return unknown("streamed message");
        };
        let is_piece = Object::of(*message).and_then(|message| Some(message.string("type")?.ends_with("Chunk")));
        if is_piece == Some(true) {
            return NO_MESSAGE;
        }
        let node = Object::of(*metadata).and_then(|metadata| Some(metadata.string("langgraph_node")?.into_owned()));
        let messages = encoding::messages(*message, &mut sink.locator);
        let node = node.unwrap_or_default().into();
        let write = NodeWrite {
            node,
            origin: Origin::Node,
            overwrites: false,
            messages,
        };
        sink.event(self.thread(["", ""]), What::Update(vec![write]));
        Fate::Understood
    }
}

impl Adapter for LangGraph {
    fn way(&self) -> Way {
        if self.newest_first { Way::Backward } else { Way::Forward }
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(shape) = Shape::of(raw) else {
            let name = Object::of(raw).and_then(|object| Some(object.string("type")?.into_owned()));
            return Fate::Unknown(name.unwrap_or_else(|| "record without a type".to_owned()));
        };
        match shape {
            Shape::Part(mode) => {
                let list = json::list(raw).unwrap_or_default();
                match (list.as_slice(), Object::of(raw)) {
                    ([namespace, _, payload], _) => {
                        let names = json::list(*namespace).unwrap_or_default();
                        let names: Vec<_> = names.into_iter().filter_map(json::string).collect();
                        self.part(mode, &names.join("|"), *payload, sink)
                    }
                    ([_, payload], _) => self.part(mode, "", *payload, sink),
                    (_, Some(object)) => {
                        let event = object.string("event").unwrap_or_default();
                        let namespace = Mode::parse(&event).map(|(_, namespace)| namespace).unwrap_or_default();
                        match object.get("data") {
                            Some(payload) => self.part(mode, namespace, payload, sink),
                            None => NO_MESSAGE,
                        }
                    }
                    _ => unknown("stream part"),
                }
            }
            Shape::Update { .. } => self.update("", raw, sink),
            Shape::Values => self.values("", raw, sink),
            Shape::Checkpoint { .. } => self.checkpoint(raw, sink),
            Shape::Task => self.task("", raw, sink),
            Shape::Debug => self.debug(raw, sink),
            Shape::Event => self.event(raw, sink),
            Shape::StreamedMessage => self.streamed(raw, sink),
            Shape::Message => {
                let messages = encoding::messages(raw, &mut sink.locator);
                let thread = self.thread(["", ""]);
                sink.event(thread, What::Append(messages));
                Fate::Understood
            }
        }
    }
}

fn unknown(name: &str) -> Fate {
    Fate::Unknown(name.to_owned())
}
