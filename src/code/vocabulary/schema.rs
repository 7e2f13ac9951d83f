//! The form of a vocabulary file. A project extends the vocabulary with files of the same form.
//!
//! Everywhere a `calls`, `names` or `decorators` entry is a pattern over dotted paths: `a.b` matches
//! any path that ends in those segments, `a.*` any path under the root `a`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Role;
use crate::code::ir::{Arg, ExprId};

/// One file: what a framework calls things.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Framework {
    /// The name it is known by.
    pub(crate) name: String,
    /// Module roots: a file that imports one speaks this framework. None at all: always in force.
    pub(crate) imports: Vec<String>,
    /// Constructors and types of messages.
    pub(crate) message: Vec<Constructor>,
    /// Markers that remove one message.
    pub(crate) removal: Vec<Removal>,
    /// Markers that replace the whole history.
    pub(crate) remove_all: RemoveAll,
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
    /// Calls that make text of what they are given.
    pub(crate) text_makers: TextMakers,
    /// Names of the key under which a provider keeps a prefix.
    pub(crate) cache_keys: Vec<String>,
    /// Words that tell state from what was said.
    pub(crate) state_words: StateWords,
}

/// How much a word alone proves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
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
                .find(|arg| arg.name.as_deref() == Some(word))
                .map(|arg| arg.value)
        });
        named.or_else(|| {
            let mut unnamed = args.iter().take_while(|arg| arg.name.is_none() && !arg.spread);
            unnamed.nth(self.position?).map(|arg| arg.value)
        })
    }
}

/// A constructor of messages; the same name in a type test or an annotation is the type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Constructor {
    /// The names of the class.
    pub(crate) names: Vec<String>,
    /// The role of all its messages; none where an argument gives it.
    pub(crate) role: Option<Role>,
    /// Fields taken by position.
    #[serde(default)]
    pub(crate) positional: Vec<String>,
}

/// A marker that removes one message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Removal {
    /// The names of the class.
    pub(crate) names: Vec<String>,
    /// The id of the message it removes.
    pub(crate) id: ArgumentSpec,
}

/// Markers that replace the whole history.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct RemoveAll {
    /// Constants that are the id of such a removal.
    pub(crate) names: Vec<String>,
    /// The same as literals.
    pub(crate) literals: Vec<String>,
    /// Classes whose argument replaces the list.
    pub(crate) wrappers: Vec<String>,
}

/// What a content block or an item can be besides text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Block {
    /// The model asks for a tool.
    ToolCall,
    /// What the tool gave.
    ToolResult,
}

/// Attributes and keys of messages.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Fields {
    /// Hold a role.
    pub(crate) role: Vec<String>,
    /// Hold a role or something else.
    pub(crate) role_weak: Vec<String>,
    /// Hold the content.
    pub(crate) content: Vec<String>,
    /// Hold the id.
    pub(crate) id: Vec<String>,
    /// Hold marks that a program set.
    pub(crate) marker: Vec<String>,
    /// Only messages that ask for a tool have them filled.
    pub(crate) tool_call: Vec<String>,
    /// Only results of a tool have them filled.
    pub(crate) tool_result: Vec<String>,
}

/// Names and types of histories.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct HistoryNames {
    /// Types of text, which is sliced as lists are.
    pub(crate) texts: Vec<String>,
    /// Last words of a name that usually is a history.
    pub(crate) names: Vec<String>,
    /// Last words of a name that may be one.
    pub(crate) names_weak: Vec<String>,
    /// First words of a name that is none.
    pub(crate) names_foreign: Vec<String>,
    /// Types of messages.
    pub(crate) types: Vec<String>,
    /// Types that may be messages.
    pub(crate) types_weak: Vec<String>,
    /// Types that are themselves lists of messages.
    pub(crate) list_types: Vec<String>,
    /// Types that may be lists of messages.
    pub(crate) list_types_weak: Vec<String>,
    /// Last words of the names of types of messages whose first words may name a role.
    pub(crate) nouns: Vec<String>,
    /// Types of mappings: what holds one history for each of something is no history.
    pub(crate) mappings: Vec<String>,
    /// Types of lists.
    pub(crate) containers: Vec<String>,
    /// Types of a state that has a history as a field.
    pub(crate) state_types: Vec<String>,
}

/// Places where a history is read from a larger state: `holder[key]`, `holder.key`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct State {
    /// Names of the state.
    pub(crate) holders: Vec<String>,
    /// Names of the history in it.
    pub(crate) keys: Vec<String>,
}

/// Modules and objects whose messages are no history of a model.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Foreign {
    /// Modules.
    pub(crate) imports: Vec<String>,
    /// Last words of the names of objects.
    pub(crate) receivers: Vec<String>,
    /// Methods of such objects that give messages.
    pub(crate) methods: Vec<String>,
}

/// What becomes of what a hook returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effect {
    /// It is folded into the history.
    Persists,
    /// It is used for one call.
    CallOnly,
}

/// How often something runs, from the rarest to the most frequent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Runs {
    /// When the module is loaded.
    Import,
    /// When an object is made, or once because the value is kept.
    Construction,
    /// Once a session.
    Session,
    /// Once a turn.
    Turn,
    /// Once a call of the model.
    Call,
    /// Once a call of a tool.
    ToolCall,
}

/// A function that a framework calls.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Hook {
    /// Its name.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// Decorators that make a function one, whatever its name.
    #[serde(default)]
    pub(crate) decorators: Vec<String>,
    /// The name counts in subclasses of these; anywhere if there is none.
    #[serde(default)]
    pub(crate) bases: Vec<String>,
    /// What becomes of what it returns; none where nobody knows.
    pub(crate) effect: Option<Effect>,
    /// How often it runs.
    pub(crate) runs: Runs,
    /// How much the name proves.
    #[serde(default)]
    pub(crate) strength: Strength,
}

/// A call that makes a function a hook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Registration {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the function.
    pub(crate) function: ArgumentSpec,
    /// Whether a single argument is the function.
    #[serde(default)]
    pub(crate) only_argument: bool,
    /// What becomes of what the function returns.
    pub(crate) effect: Effect,
    /// How often the function runs.
    pub(crate) runs: Runs,
}

/// How a returned update is wrapped.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Update {
    /// Keys of an update that reach the next call only.
    pub(crate) call_only_keys: Vec<String>,
    /// Methods whose arguments reach the next call only.
    pub(crate) call_only_methods: Vec<String>,
    /// Classes around an update.
    pub(crate) wrapper: Vec<Wrapper>,
}

/// A class around an update.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Wrapper {
    /// The names of the class.
    pub(crate) names: Vec<String>,
    /// Where it takes the update.
    pub(crate) argument: ArgumentSpec,
    /// Whether the update is the input of another agent.
    #[serde(default)]
    pub(crate) sub_agent: bool,
}

/// How an update is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fold {
    /// Known ids replace in place, others go to the tail, nothing is removed without a marker.
    MergeById,
    /// All goes to the tail.
    Append,
}

/// A reducer of a state.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Reducer {
    /// The function, as annotations name it.
    pub(crate) names: Vec<String>,
    /// How it folds.
    pub(crate) kind: Fold,
    /// State classes whose fields have it.
    #[serde(default)]
    pub(crate) state_bases: Vec<String>,
    /// The fields of those classes.
    #[serde(default)]
    pub(crate) fields: Vec<String>,
}

/// A call of a model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ModelCall {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the messages.
    #[serde(default)]
    pub(crate) messages: ArgumentSpec,
    /// Where it takes the system prompt.
    #[serde(default)]
    pub(crate) system: ArgumentSpec,
    /// Where it takes the tools.
    #[serde(default)]
    pub(crate) tools: ArgumentSpec,
    /// Weak where many things have a method of the name.
    pub(crate) strength: Strength,
    /// Whether it only makes the object that will call the model, with its system prompt and tools.
    #[serde(default)]
    pub(crate) builds: bool,
}

/// A look-up by text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Retrieval {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the text.
    pub(crate) query: ArgumentSpec,
    /// Weak where many things have a method of the name.
    pub(crate) strength: Strength,
}

/// Names of functions that look something up by text.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct RetrievalWords {
    /// First words.
    pub(crate) verbs: Vec<String>,
    /// Words in the name of an argument that is looked up.
    pub(crate) arguments: Vec<String>,
}

/// A call that makes messages durable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Store {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the messages.
    pub(crate) messages: ArgumentSpec,
    /// Weak where many things have a method of the name.
    pub(crate) strength: Strength,
}

/// A library function that cuts a history.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Trim {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the messages.
    pub(crate) messages: ArgumentSpec,
    /// What the kept part must start on.
    #[serde(default)]
    pub(crate) start: ArgumentSpec,
    /// Values of `start`, each alone, that make the cut a boundary.
    #[serde(default)]
    pub(crate) boundary_starts: Vec<String>,
    /// Whether it drops by kind or name and not by amount.
    #[serde(default)]
    pub(crate) filters: bool,
}

/// Methods that a subclass inherits and that cut the history between tool pairs, wherever the turns
/// begin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct InheritedCut {
    /// The methods.
    pub(crate) methods: Vec<String>,
    /// The classes that have them.
    pub(crate) bases: Vec<String>,
    /// The item of the result that holds what is kept.
    pub(crate) kept: usize,
}

/// Words about cuts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct CutWords {
    /// Words of a name that holds a number of messages.
    pub(crate) counts: Vec<String>,
    /// Keys of tool results that stand in the person's name.
    pub(crate) user_results: Vec<String>,
    /// Methods of a web framework that decorate functions whose result a person sees.
    pub(crate) shows: Vec<String>,
    /// Words of a parameter that says where a page begins.
    pub(crate) pages: Vec<String>,
    /// Fields that say why a model stopped.
    pub(crate) stops: Vec<String>,
    /// Methods that read a history, as many messages as they are told.
    pub(crate) reads: Vec<String>,
    /// Words of the names of functions that repair tool pairs: one of each list.
    pub(crate) repair_verbs: Vec<String>,
    /// The other list.
    pub(crate) repair_nouns: Vec<String>,
}

/// Calls that show or note a value.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Sinks {
    /// Last words of the name of a receiver, all of whose methods do.
    pub(crate) receivers: Vec<String>,
    /// Functions.
    pub(crate) functions: Vec<String>,
}

/// How tests see what an update makes of a history.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Tests {
    /// Calls that run a graph.
    pub(crate) runs: Vec<String>,
    /// Words in the name of a function that folds.
    pub(crate) fold_words: Vec<String>,
}

/// What a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Purpose {
    /// The name of a conversation.
    Title,
    /// A person looks at it.
    Display,
    /// It is noted somewhere.
    Record,
    /// The task that a conversation began with.
    Origin,
    /// What the whole conversation is meant to reach.
    Goal,
    /// What holds at the moment.
    Current,
    /// What is asked or looked up.
    Query,
    /// It stands for what was cut.
    Summary,
    /// It decides who or what goes on.
    Routing,
}

/// Words that say what a value is for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PurposeWords {
    /// The purpose.
    pub(crate) is: Purpose,
    /// Any of them in a name says so.
    pub(crate) words: Vec<String>,
}

/// Words by what they prove.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Words {
    /// Usually enough.
    pub(crate) strong: Vec<String>,
    /// Something else must agree.
    pub(crate) weak: Vec<String>,
}

/// What a volatile value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum VolatileKind {
    /// The time.
    Clock,
    /// A time that only tells how long something took.
    Stopwatch,
    /// Chance.
    Random,
    /// The directory of the process.
    WorkingDirectory,
    /// What a version control system says.
    Git,
    /// The files of a directory.
    FileListing,
    /// The load of the machine.
    Machine,
}

/// How soon a value differs, from the soonest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Granularity {
    /// At the next evaluation.
    Exact,
    /// In a second.
    Second,
    /// In a minute.
    Minute,
    /// In an hour.
    Hour,
    /// On another day.
    Day,
}

/// A call whose value differs from one evaluation to the next.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Volatile {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// What it depends on.
    pub(crate) kind: VolatileKind,
    /// How soon it differs.
    pub(crate) granularity: Granularity,
    /// The argument with a format that decides the granularity.
    #[serde(default)]
    pub(crate) format: ArgumentSpec,
    /// A word that must stand in one of the arguments.
    pub(crate) argument: Option<String>,
}

/// Attributes and methods that narrow a clock value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Narrowing {
    /// Their names.
    pub(crate) names: Vec<String>,
    /// What is left.
    pub(crate) granularity: Granularity,
}

/// Calls outside the project that make text, or another form, of what they are given.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct TextMakers {
    /// Methods of the value itself.
    pub(crate) methods: Vec<String>,
    /// Words of a function that is given the value.
    pub(crate) words: Vec<String>,
}

/// Words that tell the state of the world from what was said in a conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct StateWords {
    /// A key or an attribute with one of them holds what changes while the agent works.
    pub(crate) states: Vec<String>,
    /// A variable with one of them holds what a person just said.
    pub(crate) inputs: Vec<String>,
    /// Something with one of them in its name is the message at hand.
    pub(crate) messages: Vec<String>,
    /// Something with one of them in its name is made for one call.
    pub(crate) one_call: Vec<String>,
    /// A name with one of them is settled for the session, or is something that happened.
    pub(crate) settled: Vec<String>,
}
