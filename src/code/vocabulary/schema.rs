//! The form of a vocabulary file. A project extends the vocabulary with files of the same form.
//!
//! Everywhere a `calls`, `names` or `decorators` entry is a pattern over dotted paths: `a.b` matches
//! any path that ends in those segments, `a.*` any path under the root `a`.

mod calls;
mod cuts;
mod hooks;
mod messages;
mod texts;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Role;
use super::words::same_name;
use crate::code::ir::{Arg, ExprId};
pub(crate) use calls::{ModelCall, Queries, Retrieval, RetrievalWords, Sinks, Store, Tests};
pub(crate) use cuts::{CutWords, InheritedCut, Trim};
pub(crate) use hooks::{Dispatch, Effect, Fold, Hook, Reducer, Registration, Runs, Update, Wrapper};
pub(crate) use messages::{Block, Constructor, Fields, Foreign, HistoryNames, Removal, RemoveAll, Rendering, State};
pub(crate) use texts::{
    External, Granularity, Narrowing, Notices, Purpose, PurposeWords, StateWords, TextMakers, TriggerWords, Unordered,
    Volatile, VolatileKind,
};

/// One file: what a framework calls things.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Framework {
    /// The name it is known by.
    pub(crate) name: String,
    /// Whether a project says so of itself.
    #[serde(skip)]
    pub(crate) is_project: bool,
    /// Module roots: a file that imports one speaks this framework. None at all: always in force.
    pub(crate) imports: Vec<String>,
    /// The end of the path of a file of the framework itself. Where that stands in a project, what the framework
    /// calls things is read from it, and these words are left out.
    pub(crate) source: Option<String>,
    /// Constructors and types of messages.
    pub(crate) message: Vec<Constructor>,
    /// Interfaces whose objects become messages.
    pub(crate) rendering: Vec<Rendering>,
    /// Markers that remove one message.
    pub(crate) removal: Vec<Removal>,
    /// Markers that replace the whole history.
    pub(crate) remove_all: RemoveAll,
    /// Words without which a file need not be read.
    pub(crate) triggers: TriggerWords,
    /// Role literals by role.
    pub(crate) roles: BTreeMap<Role, Vec<String>>,
    /// Literals that name a kind of content block or item.
    pub(crate) blocks: BTreeMap<Block, Vec<String>>,
    /// Attributes and keys of messages.
    pub(crate) fields: Fields,
    /// Names and types of histories.
    pub(crate) history: HistoryNames,
    /// Places where a history is read from a larger state.
    pub(crate) state: Vec<State>,
    /// Modules whose messages are no history.
    pub(crate) foreign: Foreign,
    /// Functions that a framework calls.
    pub(crate) hook: Vec<Hook>,
    /// Calls that make a function a hook.
    pub(crate) registration: Vec<Registration>,
    /// Words about lists of hooks.
    pub(crate) dispatch: Dispatch,
    /// How a returned update is wrapped.
    pub(crate) update: Update,
    /// How a state folds an update into its history.
    pub(crate) reducer: Vec<Reducer>,
    /// Calls of a model.
    pub(crate) model_call: Vec<ModelCall>,
    /// What the receiver of a model call is called.
    pub(crate) model_receivers: Words,
    /// Look-ups by text.
    pub(crate) retrieval: Vec<Retrieval>,
    /// Names of functions that look something up by text.
    pub(crate) retrieval_words: RetrievalWords,
    /// Calls that make messages durable.
    pub(crate) store: Vec<Store>,
    /// Words of queries that are built by calls.
    pub(crate) queries: Queries,
    /// Library functions that cut a history.
    pub(crate) trim: Vec<Trim>,
    /// Methods of a library's class that cut a history in the project's subclasses.
    pub(crate) inherited_cut: Vec<InheritedCut>,
    /// Words about cuts.
    pub(crate) cuts: CutWords,
    /// Calls that show or note a value.
    pub(crate) sinks: Sinks,
    /// How tests see what an update makes of a history.
    pub(crate) tests: Tests,
    /// What a name says its value is for.
    pub(crate) purpose: Vec<PurposeWords>,
    /// Names of the text before every history.
    pub(crate) prefix_names: Words,
    /// Calls whose value differs from one evaluation to the next.
    pub(crate) volatile: Vec<Volatile>,
    /// Attributes and methods that narrow a clock value.
    pub(crate) narrowing: Vec<Narrowing>,
    /// Keywords that set a part of a clock value to nothing, and what is left.
    pub(crate) zeroed: BTreeMap<String, Granularity>,
    /// Named precisions of a clock's text.
    pub(crate) timespec: BTreeMap<String, Granularity>,
    /// Letters of format directives.
    pub(crate) directives: BTreeMap<Granularity, Vec<char>>,
    /// Last words of the names of functions outside the project that read a clock.
    pub(crate) clock_names: BTreeMap<Granularity, Vec<String>>,
    /// What an object is called that tells the time.
    pub(crate) clocks: Vec<String>,
    /// What holds a value for one request or task only.
    pub(crate) request_scopes: Vec<String>,
    /// Last words of a function that reads one, which say how.
    pub(crate) clock_manners: Vec<String>,
    /// First words of the names of methods that put something in an object.
    pub(crate) setters: Vec<String>,
    /// Words for roles that are kinds of code as well.
    pub(crate) code_kinds: Vec<String>,
    /// Names of methods that are given the text before every history.
    pub(crate) prefix_setters: Vec<String>,
    /// Calls that make text of what they are given.
    pub(crate) text_makers: TextMakers,
    /// Names of the key under which a provider keeps a prefix.
    pub(crate) cache_keys: Vec<String>,
    /// Arguments with the id of an answer that the provider keeps with all before it.
    pub(crate) continued: Vec<String>,
    /// Modules of providers that take a system message anywhere in the list.
    pub(crate) system_anywhere: Vec<String>,
    /// Names of the field that marks how far a provider keeps a prefix.
    pub(crate) cache_markers: Vec<String>,
    /// Values without an order of their own.
    pub(crate) unordered: Unordered,
    /// Words that tell state from what was said.
    pub(crate) state_words: StateWords,
    /// What texts say about limits.
    pub(crate) notices: Notices,
    /// Words about text that neither the program nor the person wrote.
    pub(crate) external: External,
}

/// How much a word alone proves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Strength {
    /// Something else must agree.
    Weak,
    /// Usually enough.
    #[default]
    Strong,
}

/// Where a call takes a value: by one of these names, or else at this position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ArgumentSpec {
    /// Names, the likeliest first.
    pub(crate) keywords: Vec<String>,
    /// Among the arguments without a name, from 0.
    pub(crate) position: Option<usize>,
}

impl ArgumentSpec {
    /// The argument that it describes.
    pub(crate) fn find(&self, args: &[Arg]) -> Option<ExprId> {
        let named = self.keywords.iter().find_map(|word| {
            args.iter()
                .find(|arg| arg.name.as_deref().is_some_and(|name| same_name(name, word)))
                .map(|arg| arg.value)
        });
        named.or_else(|| {
            let mut unnamed = args.iter().take_while(|arg| arg.name.is_none() && !arg.spread);
            unnamed.nth(self.position?).map(|arg| arg.value)
        })
    }
}

/// Words by what they prove.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Words {
    /// Usually enough.
    pub(crate) strong: Vec<String>,
    /// Something else must agree.
    pub(crate) weak: Vec<String>,
    /// First words of a name that is of something else.
    pub(crate) foreign: Vec<String>,
    /// Last words of a name that is none.
    pub(crate) elsewhere: Vec<String>,
    /// Last words of a class that makes such texts.
    pub(crate) makers: Vec<String>,
    /// What a text says, in small letters, that sums up an earlier conversation.
    pub(crate) openings: Vec<String>,
}
