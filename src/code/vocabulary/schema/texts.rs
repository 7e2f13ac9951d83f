//! Values that change, and texts that are made of them.

use serde::Deserialize;

use super::ArgumentSpec;

/// What a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// It is made again out of what was stored.
    Replay,
}

/// Words that say what a value is for.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PurposeWords {
    /// The purpose.
    pub(crate) is: Purpose,
    /// Any of them in a name says so.
    pub(crate) words: Vec<String>,
}

/// What texts say about limits, in lower case.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Notices {
    /// Asks for an end.
    pub(crate) stop: Vec<String>,
    /// Speaks of what is not done.
    pub(crate) partial: Vec<String>,
    /// Stands before a greatest amount.
    pub(crate) bounds: Vec<String>,
    /// What such an amount counts.
    pub(crate) units: Vec<String>,
}

/// What a volatile value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// What a person has open in an editor; it is read, not called.
    Editor,
}

/// How soon a value differs, from the soonest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// Values without an order of their own.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Unordered {
    /// Types of maps and sets that hash what they hold.
    pub(crate) types: Vec<String>,
    /// Calls that list a directory.
    pub(crate) listings: Vec<String>,
    /// Those of them whose items are more than names, and choices that make them so.
    pub(crate) entries: Vec<String>,
    /// Calls that give results as they are ready.
    pub(crate) completions: Vec<String>,
    /// Last words of the names of functions that make a part of a prompt.
    pub(crate) prompt_parts: Vec<String>,
    /// Last words of names that only files about prompts have.
    pub(crate) about_prompts: Vec<String>,
    /// Last words of the names of functions that make the list of tools.
    pub(crate) tool_parts: Vec<String>,
}

/// Attributes and methods that narrow a clock value.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Narrowing {
    /// Their names.
    pub(crate) names: Vec<String>,
    /// What is left.
    pub(crate) granularity: Granularity,
}

/// Calls outside the project that make text, or another form, of what they are given.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct TextMakers {
    /// Methods of the value itself.
    pub(crate) methods: Vec<String>,
    /// Words of a function that is given the value.
    pub(crate) words: Vec<String>,
}

/// Words that tell the state of the world from what was said in a conversation.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct StateWords {
    /// A key or an attribute with one of them holds what changes while the agent works.
    pub(crate) states: Vec<String>,
    /// What keeps one is called so at the end.
    pub(crate) keepers: Vec<String>,
    /// Methods that show what an object keeps begin so.
    pub(crate) showing: Vec<String>,
    /// What a run can use up.
    pub(crate) budgets: Vec<String>,
    /// Beside one of those, a name with one of them is how much is not used up.
    pub(crate) left: Vec<String>,
    /// A variable with one of them holds what a person just said.
    pub(crate) inputs: Vec<String>,
    /// What a run of an agent is counted in.
    pub(crate) rounds: Vec<String>,
    /// Beside one of those, a name with one of them is the number of the one at hand.
    pub(crate) numbers: Vec<String>,
    /// Something with one of them in its name is the message at hand.
    pub(crate) messages: Vec<String>,
    /// A name with one of them is that of the way by which a person speaks to an agent that is at work.
    pub(crate) steering: Vec<String>,
    /// A name with one of them says which agent something runs for.
    pub(crate) agents: Vec<String>,
    /// Something with one of them in its name is made for one call.
    pub(crate) one_call: Vec<String>,
    /// A name with one of them is settled for the session, or is something that happened.
    pub(crate) settled: Vec<String>,
    /// What holds the choices of whoever runs the program is called by one of them.
    pub(crate) settings: Vec<String>,
}

/// Words about text that neither the program nor the person wrote.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct External {
    /// Calls that fetch what stands under an address; one without a dot is the whole path.
    pub(crate) fetches: Vec<String>,
    /// What an object is called whose `get` fetches, in a file that imports one of the libraries.
    pub(crate) clients: Vec<String>,
    /// Those libraries.
    pub(crate) libraries: Vec<String>,
    /// Words in the name of what searches the web, beside one of the lookups.
    pub(crate) engines: Vec<String>,
    /// Words of the name of a search.
    pub(crate) lookups: Vec<String>,
    /// First words of the name of a function that runs a tool, and names of such methods of a tool.
    pub(crate) runs: Vec<String>,
    /// Methods, and words of functions, that hand on the text of what they are given as it is.
    pub(crate) carriers: Vec<String>,
    /// A function with one of them in its name puts the text in other words, or says that it is a quotation.
    pub(crate) marks: Vec<String>,
    /// A name with one of them holds what the program or the person wrote, wherever it is kept.
    pub(crate) own: Vec<String>,
    /// What a text says, in small letters, about a quotation in it.
    pub(crate) cautions: Vec<String>,
}

/// Words without which a file is about nothing that a rule looks for.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct TriggerWords {
    /// Parts of words, in lower case, each of which is enough.
    pub(crate) enough: Vec<String>,
    /// Whole words that are.
    pub(crate) enough_whole: Vec<String>,
    /// Parts of words about a conversation, in lower case.
    pub(crate) conversations: Vec<String>,
    /// Parts of words about who speaks in one, in lower case.
    pub(crate) speakers: Vec<String>,
}
