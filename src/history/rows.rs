//! One row: a state and the updates that are folded into it.

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use super::coerce::{self, Dialect, Raised, is_truthy, repr, type_name};
use super::delta::Delta;
use super::item::Item;
use super::message::MessageId;
use super::openai;
use super::reducer::{FoldError, History, Reducer};

/// Folds the updates of one row.
#[derive(Debug)]
pub(super) struct Folder {
    reducer: Reducer,
    /// `format=` of `add_messages`.
    format: Value,
    history: History<Item>,
    /// The state, where it is no list: nothing at all, or a single message.
    other: Option<Value>,
    /// Whether the history holds nothing but messages, none of them a chunk.
    is_plain: bool,
    /// How many ids were made up.
    made_up: u64,
}

impl Serialize for Folder {
    /// The state, as it is now.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.other {
            Some(value) => value.serialize(serializer),
            None => self.history.entries().serialize(serializer),
        }
    }
}

impl Folder {
    pub(super) fn new(reducer: Reducer, left: Value, format: Value) -> Self {
        let mut folder = Self {
            reducer,
            format,
            history: History::new(reducer),
            other: None,
            is_plain: false,
            made_up: 0,
        };
        folder.take_as_is(left);
        folder
    }

    /// Folds one update: a write, or with a channel reducer a superstep of writes.
    pub(super) fn fold(&mut self, update: Value) -> Result<(), Raised> {
        match (self.reducer, update) {
            (Reducer::Channel, Value::Array(writes)) => self.fold_channel(writes),
            (Reducer::Delta, Value::Array(writes)) => self.fold_delta(writes),
            (Reducer::OperatorAdd, update) => self.concatenate(update),
            (Reducer::LastValue, update) => {
                self.take_as_is(update);
                Ok(())
            }
            (_, update) => self.add_messages(update),
        }
    }

    /// Writes are coerced one after another, each just before it is folded: what is wrong with one is
    /// raised only if those before it could be folded, and never behind an overwrite.
    fn fold_channel(&mut self, writes: Vec<Value>) -> Result<(), Raised> {
        let mut overwritten = false;
        for write in writes {
            match overwrite(&write) {
                Some(_) if overwritten => return Err(self.raised(&FoldError::TwoOverwrites)),
                Some(value) => {
                    self.take_as_is(value.clone());
                    overwritten = true;
                }
                None if overwritten => {}
                None => self.add_messages(write)?,
            }
        }
        Ok(())
    }

    fn add_messages(&mut self, update: Value) -> Result<(), Raised> {
        let dialect = self.dialect();
        if dialect == Dialect::Python {
            self.refuse_nothing(&update)?;
        }
        if !self.is_plain {
            self.rewrite(|item| item.into_plain(dialect))?;
            self.is_plain = true;
        }
        let items = listed(update)
            .into_iter()
            .map(|like| Item::Raw(like).into_plain(dialect));
        let delta = self.apply(items.collect::<Result<_, _>>()?)?;
        if delta.reset.is_none() {
            self.apply_format()
        } else {
            Ok(())
        }
    }

    /// Python's `add_messages` wants something on both sides.
    fn refuse_nothing(&self, update: &Value) -> Result<(), Raised> {
        let (left_is_missing, left_is_set) = match &self.other {
            Some(left) => (left.is_null(), is_truthy(left)),
            None => (false, !self.history.entries().is_empty()),
        };
        match (left_is_missing, update.is_null()) {
            (false, false) => Ok(()),
            // With nothing at all it hands back a function, which is no list of messages.
            (true, true) => Err(Raised::new("TypeError", "'functools.partial' object is not iterable")),
            _ => {
                let side = if left_is_set { "left" } else { "right" };
                let message =
                    format!("Must specify non-null arguments for both 'left' and 'right'. Only received: '{side}'.");
                Err(Raised::new("ValueError", message))
            }
        }
    }

    /// `format=` rewrites the whole list.
    fn apply_format(&mut self) -> Result<(), Raised> {
        if !is_truthy(&self.format) {
            return Ok(());
        }
        if self.format != "langchain-openai" {
            let format = repr(&self.format);
            let message = format!("Unrecognized format={format}. Expected one of 'langchain-openai', None.");
            return Err(Raised::new("ValueError", message));
        }
        let messages = self.history.entries().iter().filter_map(Item::message);
        let items = openai::format(messages)?.into_iter().map(Item::from);
        self.history = History::with_entries(self.reducer, items.collect());
        Ok(())
    }

    /// The batch reducer looks at the first element of the state to see whether it must be coerced.
    fn fold_delta(&mut self, writes: Vec<Value>) -> Result<(), Raised> {
        let mut overwrites = writes.iter().filter_map(overwrite);
        match (overwrites.next(), overwrites.next()) {
            (Some(_), Some(_)) => return Err(self.raised(&FoldError::TwoOverwrites)),
            (Some(value), None) => {
                let value = if value.is_null() {
                    Value::Array(Vec::new())
                } else {
                    value.clone()
                };
                self.take_as_is(value);
                return Ok(());
            }
            (None, _) => {}
        }
        if self.other.is_some() || matches!(self.history.entries(), [Item::Raw(_), ..]) {
            self.rewrite(|item| item.coerced(Dialect::Python))?;
        }
        let raw = self
            .history
            .entries()
            .iter()
            .find_map(Item::raw)
            .filter(|_| !self.is_plain);
        if let Some(value) = raw {
            let message = format!("'{}' object has no attribute 'id'", type_name(value));
            return Err(Raised::new("AttributeError", message));
        }
        let likes = writes.into_iter().flat_map(listed);
        let update = likes.map(|like| Item::Raw(like).coerced(Dialect::Python));
        self.apply(update.collect::<Result<_, _>>()?).map(drop)
    }

    fn concatenate(&mut self, update: Value) -> Result<(), Raised> {
        if let Some(value) = overwrite(&update) {
            self.take_as_is(value.clone());
            return Ok(());
        }
        let message = match (&self.other, update) {
            (None, Value::Array(values)) => {
                let items = values.into_iter().map(Item::Raw);
                return self.apply(items.collect()).map(drop);
            }
            (None, other) => format!("can only concatenate list (not \"{}\") to list", type_name(&other)),
            (Some(left), right) => {
                let (left, right) = (type_name(left), type_name(&right));
                format!("unsupported operand type(s) for +: '{left}' and '{right}'")
            }
        };
        Err(Raised::new("TypeError", message))
    }

    fn apply(&mut self, update: Vec<Item>) -> Result<Delta<Item>, Raised> {
        let made_up = &mut self.made_up;
        let folded = self.history.apply(update, &mut || {
            *made_up += 1;
            MessageId::Text(format!("auto-{made_up}"))
        });
        folded.map_err(|error| self.raised(&error))
    }

    /// Makes a value the state, past the reducer.
    fn take_as_is(&mut self, value: Value) {
        self.is_plain = false;
        let (items, other) = match value {
            Value::Array(values) => (values.into_iter().map(|value| self.as_is(value)).collect(), None),
            other => (Vec::new(), Some(other)),
        };
        self.other = other;
        self.history = History::with_entries(self.reducer, items);
    }

    fn as_is(&self, value: Value) -> Item {
        match self.reducer {
            // These never look into what they hold.
            Reducer::OperatorAdd | Reducer::LastValue => Item::Raw(value),
            _ => coerce::canonical(&value).map_or(Item::Raw(value), Item::from),
        }
    }

    /// Replaces every element of the state, a single one by a list of one.
    fn rewrite(&mut self, with: impl Fn(Item) -> Result<Item, Raised>) -> Result<(), Raised> {
        let single = self.other.take().map(|value| self.as_is(value));
        let history = std::mem::replace(&mut self.history, History::new(self.reducer));
        let items = history.into_entries().into_iter().chain(single).map(with);
        self.history = History::with_entries(self.reducer, items.collect::<Result<_, _>>()?);
        Ok(())
    }

    fn dialect(&self) -> Dialect {
        if self.reducer == Reducer::Js {
            Dialect::JavaScript
        } else {
            Dialect::Python
        }
    }

    /// The exception that the library raises for what the reducer refuses.
    fn raised(&self, error: &FoldError<MessageId>) -> Raised {
        match (error, self.dialect()) {
            (FoldError::UnknownRemoval(_), Dialect::Python) => Raised::new("ValueError", error.to_string()),
            (_, Dialect::JavaScript) => Raised::new("Error", error.to_string()),
            (FoldError::TwoOverwrites | FoldError::NotOneValue, Dialect::Python) => {
                let manual = "https://docs.langchain.com/oss/python/langgraph/errors/INVALID_CONCURRENT_GRAPH_UPDATE";
                let message = format!("{error}\nFor troubleshooting, visit: {manual}");
                Raised::new("InvalidUpdateError", message)
            }
        }
    }
}

/// The elements of an update: a list's own, or the one that it is.
fn listed(update: Value) -> Vec<Value> {
    if let Value::Array(likes) = update {
        likes
    } else {
        vec![update]
    }
}

/// What a write puts in the place of the state, if it bypasses the reducer. A typed overwrite has two
/// spellings once it is data: with its own key, or with its type erased.
fn overwrite(write: &Value) -> Option<&Value> {
    const OVERWRITE: &str = "__overwrite__";
    let fields = write.as_object()?;
    match fields.get(OVERWRITE) {
        Some(value) if fields.len() == 1 => Some(value),
        _ if fields.get("type").is_some_and(|kind| kind == OVERWRITE) => fields.get("value"),
        _ => None,
    }
}
