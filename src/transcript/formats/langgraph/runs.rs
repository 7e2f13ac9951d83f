//! Runs as `LangSmith` keeps them: the outermost tells a turn's input and the state at its end, the runs of nodes
//! the state they saw and what they returned, the runs of models the prompt that was sent.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::super::requests::{self, Conversations, Request};
use super::super::{Adapter, Detected, Sample, Sink, Way, encoding, form, sent, time};
use super::shape;
use crate::transcript::event::{Caching, Call, Event, Fate, NO_MESSAGE, NodeWrite, Prompt, REPEATS, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::markers::Origin;
use crate::transcript::message::Draft;
use crate::transcript::reader::{Record, Spot};

fn is_run(run: &Object<'_>) -> bool {
    run.has("run_type") && (run.has("inputs") || run.has("outputs")) && (run.has("dotted_order") || run.has("id"))
}

/// The runs that stand in one record, if it holds several.
fn several<'r>(record: &Object<'r>) -> Option<Vec<Raw<'r>>> {
    let lists = ["runs", "post", "patch"].iter().filter_map(|key| record.list(key));
    let runs: Vec<Raw<'r>> = lists.flatten().collect();
    let known = !record.has("run_type") && runs.iter().any(|run| Object::of(*run).is_some_and(|run| is_run(&run)));
    known.then_some(runs)
}

pub(super) fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let known = |record: &Object<'_>| is_run(record) || several(record).is_some();
    if !sample.first().is_some_and(known) {
        return None;
    }
    let tells_states = |run: &Object<'_>| {
        let part = |key: &str| {
            run.object(key)
                .is_some_and(|part| shape::channels(&part).next().is_some())
        };
        run.string("run_type").is_some_and(|kind| kind != "llm") && (part("inputs") || part("outputs"))
    };
    let has_states = sample.any(|record| {
        let runs = several(record).unwrap_or_default();
        tells_states(record)
            || runs
                .iter()
                .filter_map(|run| Object::of(*run))
                .any(|run| tells_states(&run))
    });
    let form = if has_states { &form::RUNS } else { &form::PROMPTS };
    Some(Detected::new(
        form,
        Runs {
            prompts: !has_states,
            ..Runs::default()
        },
    ))
}

/// When a run began: the trace, which one it is, the run, and how deep it is in the trace.
type Order = (i64, u64, i64, usize);

fn order(run: &Object<'_>) -> Order {
    let dotted = run.string("dotted_order").unwrap_or_default();
    let mut segments = dotted.split('.');
    let time = |segment: &str| {
        let digits: String = segment
            .chars()
            .take_while(|c| *c != 'Z')
            .filter(char::is_ascii_digit)
            .collect();
        // Up to microseconds: twenty digits.
        digits
            .parse::<i128>()
            .ok()
            .map_or(0, |digits| (digits % 1_000_000_000_000_000_000) as i64)
    };
    let first = segments.next().unwrap_or_default();
    if first.is_empty() {
        let start = run
            .string("start_time")
            .and_then(|text| time::parse(&text))
            .unwrap_or_default();
        let depth = usize::from(run.some("parent_run_id").is_some());
        return (start, rank_of(run.string("trace_id")), start, depth);
    }
    let depth = dotted.split('.').count() - 1;
    (
        time(first),
        rank_of(first),
        time(segments.next_back().unwrap_or(first)),
        depth,
    )
}

/// A number by which traces that began at the same time are kept apart, in an order that never changes.
fn rank_of(trace: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    trace.hash(&mut hasher);
    hasher.finish()
}

/// Reads runs in the order in which they began.
#[derive(Default)]
struct Runs {
    /// Whether only prompts are recorded, which then are the histories.
    prompts: bool,
    places: Vec<(Order, Spot)>,
    /// Whether a record holds several runs.
    batched: bool,
    /// Whether runs do not stand as they began: then what they read from the cache cannot be compared.
    out_of_order: bool,
    /// The superstep under way, with what its nodes returned.
    step: Option<String>,
    writes: Vec<NodeWrite>,
    /// The trace under way.
    trace: Option<Trace>,
    /// Where only prompts are recorded: which goes on with which.
    conversations: Conversations,
}

struct Trace {
    thread: Arc<str>,
    spot: Spot,
    /// What came in, as long as no node has told the state with it.
    input: Option<Vec<Draft>>,
    /// The state at its end.
    last: Option<Vec<Draft>>,
    /// Whether nothing of the thread can come later.
    is_alone: bool,
}

impl Trace {
    fn new(thread: Arc<str>, spot: Spot, is_alone: bool) -> Self {
        Self {
            thread,
            spot,
            input: None,
            last: None,
            is_alone,
        }
    }
}

impl Runs {
    /// Tells what came in, where no state tells it.
    fn tell_input(&mut self, events: &mut Vec<Event>) {
        let Some(trace) = &mut self.trace else { return };
        let Some(messages) = trace.input.take() else { return };
        let write = NodeWrite {
            node: "__start__".into(),
            origin: Origin::Input,
            overwrites: false,
            messages,
        };
        events.push(Event {
            thread: trace.thread.clone(),
            spot: trace.spot,
            what: What::Update(vec![write]),
        });
    }

    fn flush_step(&mut self, spot: Spot, events: &mut Vec<Event>) {
        let mut writes = std::mem::take(&mut self.writes);
        self.step = None;
        if let (false, Some(trace)) = (writes.is_empty(), &self.trace) {
            writes.sort_by(|a, b| a.node.cmp(&b.node));
            let thread = trace.thread.clone();
            let what = What::Update(writes);
            events.push(Event { thread, spot, what });
        }
    }

    fn flush_trace(&mut self, events: &mut Vec<Event>) {
        let Some(spot) = self.trace.as_ref().map(|trace| trace.spot) else {
            return;
        };
        self.tell_input(events);
        self.flush_step(spot, events);
        let Some(trace) = self.trace.take() else { return };
        let mut tell = |what| {
            let thread = trace.thread.clone();
            events.push(Event { thread, spot, what });
        };
        if let Some(messages) = trace.last {
            tell(What::Snapshot {
                messages,
                branches: false,
            });
        }
        if trace.is_alone {
            tell(What::End);
        }
    }

    /// The thread that a run names, or its trace.
    fn thread(run: &Object<'_>) -> (Arc<str>, bool) {
        let metadata = metadata(run);
        let named = ["thread_id", "session_id", "conversation_id"]
            .iter()
            .find_map(|key| metadata.string(key).filter(|name| !name.is_empty()));
        if let Some(name) = named.or_else(|| metadata_of_run(run)) {
            return (name.as_ref().into(), false);
        }
        let trace = run.string("trace_id").or_else(|| run.string("id")).unwrap_or_default();
        (trace.as_ref().into(), true)
    }

    fn run<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(run) = Object::of(raw).filter(|run| run.has("inputs") || run.has("outputs")) else {
            return NO_MESSAGE;
        };
        let Some(kind) = run.string("run_type") else {
            // An update of a run that was posted before.
            return self.root_or_nothing(&run, sink);
        };
        let metadata = metadata(&run);
        let (_, _, _, depth) = order(&run);
        let is_root = depth == 0 && run.some("parent_run_id").is_none();
        let node = metadata.string("langgraph_node");
        match &*kind {
            "llm" => self.model(&run, sink),
            _ if is_root => self.root(&run, sink),
            _ if self.prompts => NO_MESSAGE,
            _ if depth <= 1 && node.is_some() && node == run.string("name") => {
                let node: Arc<str> = node.unwrap_or_default().as_ref().into();
                self.node(node, &run, &metadata, sink)
            }
            _ => REPEATS,
        }
    }

    /// A patch without a type: only the end of the trace under way is of use.
    fn root_or_nothing<'r>(&mut self, run: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        if run.some("parent_run_id").is_none() && order(run).3 == 0 {
            let last = state(run, "outputs", sink);
            if let (Some(trace), true) = (&mut self.trace, last.is_some()) {
                trace.last = last;
                return Fate::Understood;
            }
        }
        NO_MESSAGE
    }

    fn root<'r>(&mut self, run: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let (thread, is_alone) = Self::thread(run);
        let inputs = state(run, "inputs", sink);
        let last = state(run, "outputs", sink);
        let known = inputs.is_some() || last.is_some();
        // A patch tells the end of a trace that was posted before.
        if let (None, Some(trace)) = (run.some("inputs"), &mut self.trace)
            && trace.thread == thread
        {
            trace.last = last;
            return Fate::Understood;
        }
        self.flush_trace(sink.events);
        let has_input = inputs.is_some();
        self.trace = Some(Trace {
            thread: thread.clone(),
            spot: sink.spot,
            input: inputs,
            last,
            is_alone,
        });
        if has_input {
            sink.event(thread, What::TurnStart);
        }
        if known { Fate::Understood } else { NO_MESSAGE }
    }

    fn node<'r>(&mut self, node: Arc<str>, run: &Object<'r>, metadata: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let (thread, _) = Self::thread(run);
        if self.trace.as_ref().is_none_or(|trace| trace.thread != thread) {
            self.flush_trace(sink.events);
            self.trace = Some(Trace::new(thread.clone(), sink.spot, false));
        }
        let step = metadata.get("langgraph_step").map(|step| step.get().to_owned());
        if step.is_none() || self.step != step {
            let spot = sink.spot;
            self.flush_step(spot, sink.events);
            self.step = step;
            let triggers = metadata.list("langgraph_triggers").unwrap_or_default();
            let pushed = triggers.iter().any(|name| name.get().contains("push"));
            if let Some(messages) = state(run, "inputs", sink).filter(|_| !pushed) {
                if let Some(trace) = &mut self.trace {
                    trace.input = None;
                }
                sink.event(
                    thread,
                    What::Snapshot {
                        messages,
                        branches: false,
                    },
                );
            }
            self.tell_input(sink.events);
        }
        let Some(outputs) = run.some("outputs") else {
            return Fate::Understood;
        };
        let inner = Object::of(outputs).and_then(|outputs| outputs.get("output"));
        let mut spoke = false;
        for part in shape::parts_of(inner.unwrap_or(outputs)).unwrap_or_default() {
            for channel in shape::channels(&part).filter(|channel| channel.name.is_empty()) {
                let messages = encoding::messages(channel.messages, &mut sink.locator);
                spoke = true;
                self.writes.push(NodeWrite {
                    node: node.clone(),
                    origin: Origin::Node,
                    overwrites: channel.overwrites,
                    messages,
                });
            }
        }
        if !spoke {
            // That a node ran and wrote nothing is a fact too.
            self.writes.push(NodeWrite {
                node,
                origin: Origin::Node,
                overwrites: false,
                messages: Vec::new(),
            });
        }
        Fate::Understood
    }

    fn model<'r>(&mut self, run: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let (mut thread, _) = Self::thread(run);
        let mut fate = REPEATS;
        if let Some(messages) = prompt(run, sink) {
            let (sender, tools) = (sender(run), tools(run));
            if self.prompts {
                let request = Request {
                    group: &thread,
                    sender,
                    messages,
                    tools,
                    ..Request::default()
                };
                thread = self.conversations.request(request, sink);
            } else {
                self.tell_input(sink.events);
                let prompt = Prompt {
                    messages: Some(messages.into_iter().map(Arc::new).collect()),
                    tools,
                    sender,
                    ..Prompt::default()
                };
                sink.event(thread.clone(), What::Prompt(prompt));
            }
            fate = Fate::Understood;
        }
        // What was sent says which call goes on with which.
        let in_order = fate == Fate::Understood || !self.out_of_order;
        if let Some(call) = call(run).filter(|_| in_order) {
            sink.event(thread, What::Call(call));
            fate = Fate::Understood;
        }
        fate
    }
}

fn metadata<'r>(run: &Object<'r>) -> Object<'r> {
    let extra = run.object("extra").and_then(|extra| extra.object("metadata"));
    extra.or_else(|| run.object("metadata")).unwrap_or_default()
}

fn metadata_of_run<'r>(run: &Object<'r>) -> Option<std::borrow::Cow<'r, str>> {
    run.string("thread_id").filter(|name| !name.is_empty())
}

/// The list of messages in what went into a run, or came out.
fn state<'r>(run: &Object<'r>, key: &str, sink: &mut Sink<'_, 'r>) -> Option<Vec<Draft>> {
    let part = run.object(key)?;
    let part = part.object("output").filter(|_| !part.has("messages")).unwrap_or(part);
    let channel = shape::channels(&part).find(|channel| channel.name.is_empty())?;
    Some(encoding::messages(channel.messages, &mut sink.locator))
}

/// What was sent to the model: `messages`, in one list or in a list of lists.
fn prompt<'r>(run: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Option<Vec<Draft>> {
    let inputs = run.object("inputs")?;
    let messages = inputs.get("messages")?;
    let list = json::list(messages)?;
    let inner = list
        .first()
        .copied()
        .filter(|first| json::list(*first).is_some_and(|first| first.iter().all(|raw| Object::of(*raw).is_some())));
    let messages = encoding::messages(inner.unwrap_or(messages), &mut sink.locator);
    Some(requests::with_system(&inputs, "system", messages, sink)).filter(|messages| !messages.is_empty())
}

/// The tools that were offered: they stand with the parameters of the call, or with what was sent.
fn tools(run: &Object<'_>) -> Option<u64> {
    let parameters = run.object("extra").and_then(|extra| extra.object("invocation_params"));
    let inputs = || run.object("inputs").filter(|inputs| inputs.has("tools"));
    parameters.or_else(inputs).map(|body| sent::tools_of(&body))
}

/// The node that called, in which run of which subgraph: each run of a subgraph is a conversation of its own.
fn sender(run: &Object<'_>) -> Option<Arc<str>> {
    let metadata = metadata(run);
    let node = metadata.string("langgraph_node")?;
    let namespace = ["langgraph_checkpoint_ns", "checkpoint_ns"]
        .iter()
        .find_map(|key| metadata.string(key).filter(|name| !name.is_empty()));
    let above = namespace.as_deref().and_then(|name| name.rsplit_once('|'));
    Some(above.map_or_else(|| Arc::from(&*node), |(above, _)| format!("{above}|{node}").into()))
}

/// What a run of a model cost.
fn call(run: &Object<'_>) -> Option<Call> {
    let outputs = run.object("outputs")?;
    let generations = outputs.list("generations").and_then(|all| json::list(*all.first()?));
    let message = generations.and_then(|all| Object::of(*all.first()?)?.object("message"));
    let message = message.map(|message| message.object("kwargs").unwrap_or(message));
    let id = message
        .as_ref()
        .and_then(|message| message.some("id").and_then(encoding::id));
    let usage = message
        .and_then(|message| message.object("usage_metadata"))
        .or_else(|| outputs.object("usage_metadata"))?;
    let counts = encoding::langchain(&usage);
    let metadata = metadata(run);
    let promises = counts.written.is_some_and(|written| written > 0)
        || metadata.string("ls_provider").as_deref() == Some("anthropic");
    Some(Call {
        // The message that stands in the states has the same id.
        response: id.or_else(|| run.string("id").map(|id| id.as_ref().into())),
        time: run.string("start_time").and_then(|text| time::parse(&text)),
        model: metadata.string("ls_model_name").map(|name| name.as_ref().into()),
        ..counts.call(Caching::promised(promises))?
    })
}

impl Adapter for Runs {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        self.batched |= several(&object).is_some();
        let fate = match object.string("run_type") {
            None => return Fate::Unknown("record without a run".to_owned()),
            // What is read of a run is known without reading it.
            Some(_) if order(&object).3 > 1 && object.string("run_type").is_some_and(|kind| kind != "llm") => REPEATS,
            Some(_) => Fate::Understood,
        };
        self.places.push((order(&object), record.spot));
        fate
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        if self.batched {
            return None;
        }
        self.out_of_order = !self.places.is_sorted_by_key(|(order, _)| *order);
        let mut places = std::mem::take(&mut self.places);
        places.sort_by_key(|(order, spot)| (*order, spot.offset));
        Some(places.into_iter().map(|(_, spot)| spot).collect())
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        let Some(mut runs) = several(&object) else {
            return self.run(raw, sink);
        };
        runs.sort_by_cached_key(|run| Object::of(*run).map(|run| order(&run)));
        for run in runs {
            let fate = self.run(run, sink);
            sink.part(run, fate);
        }
        Fate::Parts
    }

    fn finish(&mut self, events: &mut Vec<Event>) {
        self.flush_trace(events);
    }
}
