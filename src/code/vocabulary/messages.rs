//! Messages, their fields, and the lists they stand in.

use std::borrow::Cow;
use std::sync::Arc;

use super::schema::{Block, Constructor, Fold, Removal, Rendering, Strength};
use super::words::{end_in, last_segment, of_elements, paths, place_of, same_name, words};
use super::{Frameworks, Purpose, Role, Vocabulary};

/// What an attribute or a key of a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// Its role.
    Role(Strength),
    /// Its content.
    Content,
    /// Its id.
    Id,
    /// Marks that a program set.
    Marker,
    /// The calls that it asks for.
    ToolCall,
    /// The call that it answers.
    ToolResult,
}

/// What an annotation says a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HistoryType {
    /// A list of messages.
    List(Strength),
    /// One message.
    Message(Strength),
    /// A state with a history in it.
    State,
}

impl Vocabulary {
    /// A constructor of messages, or the type of that name.
    pub(crate) fn message_constructor(&self, path: &str, here: Frameworks) -> Option<&Constructor> {
        let entry = self.best(&self.constructors, path, here, |_| ())?;
        Some(&self.files[entry.framework].message[entry.index])
    }

    /// The role of all messages of a type: by its constructor, or else by the words of its name.
    pub(crate) fn role_of_type(&self, path: &str, here: Frameworks) -> Option<Role> {
        if let Some(constructor) = self.message_constructor(path, here) {
            return constructor.role;
        }
        let words = words(last_segment(path));
        let mut words = &*words;
        // The version of an interface says nothing about the message: `UserMessageV2`.
        let is_version = |word: &String| word.trim_start_matches('v').chars().all(|c| c.is_ascii_digit());
        if let [rest @ .., last] = words
            && is_version(last)
        {
            words = rest;
        }
        let mut nouns = self.files.iter().flat_map(|file| &file.history.nouns);
        if !words.last().is_some_and(|last| nouns.any(|noun| noun == last)) {
            return None;
        }
        let qualifier = &words[..words.len() - 1];
        qualifier
            .iter()
            .find_map(|word| self.role(word))
            .or_else(|| self.role(&qualifier.join("_")))
    }

    /// A call that makes a message of an object that says itself what is in it.
    pub(crate) fn rendering(&self, path: &str, here: Frameworks) -> Option<&Rendering> {
        let entry = self.best(&self.renderings, path, here, |_| ())?;
        Some(&self.files[entry.framework].rendering[entry.index])
    }

    /// A marker that removes one message.
    pub(crate) fn removal(&self, path: &str, here: Frameworks) -> Option<&Removal> {
        let entry = self.best(&self.removals, path, here, |_| ())?;
        Some(&self.files[entry.framework].removal[entry.index])
    }

    /// Whether a constant is the id that removes the whole history.
    pub(crate) fn is_remove_all_name(&self, path: &str) -> bool {
        let last = last_segment(path);
        self.files
            .iter()
            .any(|file| file.remove_all.names.iter().any(|name| name == last))
    }

    /// Whether a literal is the id that removes the whole history.
    pub(crate) fn is_remove_all_literal(&self, text: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.remove_all.literals.iter().any(|literal| literal == text))
    }

    /// Whether a class's argument replaces the whole history.
    pub(crate) fn is_overwrite(&self, path: &str) -> bool {
        let last = last_segment(path);
        self.files
            .iter()
            .any(|file| file.remove_all.wrappers.iter().any(|name| name == last))
    }

    /// The role that a literal, or the name of a member of an enumeration, stands for.
    pub(crate) fn role(&self, literal: &str) -> Option<Role> {
        self.roles.get(&literal.to_lowercase()).copied()
    }

    /// The role that a literal stands for in a field of so sure a name. `function` is a kind of code too,
    /// of a declaration or of a symbol, and says nothing where the field need not be a role.
    pub(crate) fn role_in(&self, literal: &str, field: Strength) -> Option<Role> {
        let sure = field == Strength::Strong
            || !self
                .files
                .iter()
                .any(|file| file.code_kinds.iter().any(|word| word == literal));
        self.role(literal).filter(|_| sure)
    }

    /// The kind of content block or item that a literal stands for.
    pub(crate) fn block(&self, literal: &str) -> Option<Block> {
        self.blocks.get(&literal.to_lowercase()).copied()
    }

    /// What an attribute or a key of a message holds.
    pub(crate) fn field(&self, name: &str) -> Option<Field> {
        self.fields.get(name).copied()
    }

    /// Whether a name is that of a list of ids of messages.
    pub(crate) fn is_id_list_name(&self, name: &str) -> bool {
        let words = words(name);
        let Some((last, before)) = words.split_last() else {
            return false;
        };
        let mut lists = self.files.iter().map(|file| &file.history.id_words);
        last == "ids" && lists.any(|known| before.iter().any(|word| known.contains(word)))
    }

    /// Whether a name is that of a history.
    pub(crate) fn history_name(&self, name: &str) -> Option<Strength> {
        self.history_names
            .of(name, || name.into(), || self.find_history_name(name))
    }

    fn find_history_name(&self, name: &str) -> Option<Strength> {
        let words = words(name);
        let lists = || self.files.iter().map(|file| &file.history);
        let foreign = words.len() > 1
            && lists()
                .flat_map(|history| &history.names_foreign)
                .any(|word| words[..words.len() - 1].contains(word));
        if foreign {
            None
        } else if lists()
            .flat_map(|history| &history.names)
            .any(|name| end_in(&words, name))
        {
            Some(Strength::Strong)
        } else if lists()
            .flat_map(|history| &history.names_weak)
            .any(|name| end_in(&words, name))
        {
            Some(Strength::Weak)
        } else {
            None
        }
    }

    /// Whether an annotation names nothing but text.
    pub(crate) fn is_text_type(&self, annotation: &str) -> bool {
        let mut names = paths(annotation)
            .map(last_segment)
            .filter(|name| !matches!(*name, "None" | "Optional"));
        let texts = || self.files.iter().flat_map(|file| &file.history.texts);
        let is_text = |name: &str| texts().any(|text| text == name);
        !annotation.contains('[') && names.next().is_some_and(is_text) && names.all(is_text)
    }

    /// Whether an annotation names nothing but text, numbers and other values that hold no list.
    pub(crate) fn is_single_value_type(&self, annotation: &str) -> bool {
        let mut names = paths(annotation)
            .map(last_segment)
            .filter(|name| !matches!(*name, "None" | "Optional"));
        let known = || {
            self.files
                .iter()
                .flat_map(|file| file.history.texts.iter().chain(&file.history.scalars))
        };
        let is_single = |name: &str| known().any(|known| known == name);
        let in_list = annotation.contains('[') && !annotation.starts_with("Optional[");
        !in_list && names.next().is_some_and(is_single) && names.all(is_single)
    }

    /// Whether a name is that of an id: `id`, `thread_id`, `uuid`.
    pub(crate) fn names_id(&self, name: &str) -> bool {
        let words = words(name);
        self.field(name) == Some(Field::Id) || words.last().is_some_and(|last| last == "id" || last == "uuid")
    }

    /// What an annotation says about histories.
    pub(crate) fn history_type(&self, annotation: &str, here: Frameworks) -> Option<HistoryType> {
        let annotation = &*self.of_elements(annotation);
        let names: Vec<&str> = paths(annotation).map(last_segment).collect();
        let is_in = |list: &[String], name: &&str| list.iter().any(|entry| entry == name);
        let any = |pick: fn(&super::schema::HistoryNames) -> &Vec<String>| {
            self.files
                .iter()
                .any(|file| names.iter().any(|name| is_in(pick(&file.history), name)))
        };
        // What holds one history for each of something, or several, is no history.
        if any(|history| &history.mappings) || self.is_nested(annotation) {
            return None;
        }
        if any(|history| &history.state_types) {
            return Some(HistoryType::State);
        }
        let strength_by = |strong: fn(&super::schema::HistoryNames) -> &Vec<String>,
                           weak: fn(&super::schema::HistoryNames) -> &Vec<String>| {
            let mut found = None;
            for (number, file) in self.files.iter().enumerate() {
                for path in paths(annotation) {
                    let name = last_segment(path);
                    let strength = if is_in(strong(&file.history), &name) {
                        // The same word without its framework may be somebody else's.
                        if self.counts(number, path, here) {
                            Some(Strength::Strong)
                        } else {
                            Some(Strength::Weak)
                        }
                    } else if is_in(weak(&file.history), &name) {
                        Some(Strength::Weak)
                    } else {
                        None
                    };
                    found = found.max(strength);
                }
            }
            found
        };
        if let Some(strength) = strength_by(|h| &h.list_types, |h| &h.list_types_weak) {
            return Some(HistoryType::List(strength));
        }
        let strength = strength_by(|h| &h.types, |h| &h.types_weak)?;
        if any(|history| &history.containers) {
            Some(HistoryType::List(strength))
        } else {
            Some(HistoryType::Message(strength))
        }
    }

    /// Whether an annotation is that of a list of lists.
    pub(crate) fn is_nested(&self, annotation: &str) -> bool {
        let is_container = |name: &str| {
            let mut containers = self.files.iter().flat_map(|file| &file.history.containers);
            containers.any(|container| container == name)
        };
        let mut open: Vec<bool> = Vec::new();
        for (at, c) in annotation.char_indices() {
            if c == '[' {
                let mut names = annotation[..at].rsplit(|c: char| !(c.is_alphanumeric() || c == '_'));
                let contains = names.next().is_some_and(is_container);
                if contains && open.last() == Some(&true) {
                    return true;
                }
                open.push(contains);
            } else if c == ']' {
                open.pop();
            }
        }
        false
    }

    /// An annotation without what the elements of a list are themselves generic over: `list[Job[Message]]`
    /// is a list of jobs.
    pub(crate) fn of_elements<'a>(&self, annotation: &'a str) -> Cow<'a, str> {
        let any = |name: &str, pick: fn(&super::schema::HistoryNames) -> &Vec<String>| {
            self.files
                .iter()
                .any(|file| pick(&file.history).iter().any(|one| one == name))
        };
        of_elements(
            annotation,
            |name| any(name, |history| &history.containers),
            |name| any(name, |history| &history.wrappers),
        )
    }

    /// Whether `holder[key]` or `holder.key` reads a history from a state.
    pub(crate) fn is_state_source(&self, holder: &str, key: &str, here: Frameworks) -> bool {
        let holder_matches = |name: &String| {
            holder == name
                || holder
                    .strip_suffix(name.as_str())
                    .is_some_and(|rest| rest.ends_with('.') || rest.ends_with('_'))
        };
        self.files.iter().enumerate().any(|(number, file)| {
            self.counts(number, "", here)
                && file.state.iter().any(|state| {
                    state.keys.iter().any(|name| same_name(name, key)) && state.holders.iter().any(holder_matches)
                })
        })
    }

    /// The reducer that an annotation names.
    pub(crate) fn reducer_of_annotation(&self, annotation: &str, here: Frameworks) -> Option<Fold> {
        paths(annotation).find_map(|path| self.reducer(path, here))
    }

    /// How a function folds, if it is a reducer.
    pub(crate) fn reducer(&self, path: &str, here: Frameworks) -> Option<Fold> {
        let entry = self.best(&self.reducers, path, here, |_| ())?;
        Some(self.files[entry.framework].reducer[entry.index].kind)
    }

    /// The reducer of a field that a state class inherits.
    pub(crate) fn reducer_of_base(&self, base: &str, field: &str) -> Option<Fold> {
        let last = last_segment(base);
        let mut reducers = self.files.iter().flat_map(|file| &file.reducer);
        reducers
            .find(|reducer| {
                reducer.state_bases.iter().any(|name| name == last) && reducer.fields.iter().any(|name| name == field)
            })
            .map(|reducer| reducer.kind)
    }

    /// Whether a name is that of the text before every history.
    pub(crate) fn prefix_name(&self, name: &str) -> Option<Strength> {
        self.prefix_names
            .of(name, || name.into(), || self.find_prefix_name(name))
    }

    fn find_prefix_name(&self, name: &str) -> Option<Strength> {
        let words = words(name);
        let lists = || self.files.iter().map(|file| &file.prefix_names);
        let foreign = |word: &String| lists().any(|list| list.foreign.contains(word));
        let elsewhere = |last: &String| lists().any(|list| list.elsewhere.contains(last));
        if words.first().is_some_and(foreign) || words.last().is_some_and(elsewhere) {
            return None;
        }
        // `build_turn_system_text` is of a turn, a `system_message` of none.
        let of_prefix = |name: &String| place_of(&words, name).is_some_and(|at| !words[..at].iter().any(foreign));
        if lists().flat_map(|list| &list.strong).any(of_prefix) {
            Some(Strength::Strong)
        } else if lists().flat_map(|list| &list.weak).any(|name| end_in(&words, name)) {
            Some(Strength::Weak)
        } else {
            None
        }
    }

    /// Whether a method puts what it is given in the text before every history: `set_system_prompt`,
    /// `with_first_system`.
    pub(crate) fn sets_prefix(&self, method: &str) -> bool {
        let words = words(method);
        let Some((first, rest)) = words.split_first() else {
            return false;
        };
        let sets = self.files.iter().any(|file| file.setters.contains(first));
        let named = self.prefix_name(&rest.join("_")) == Some(Strength::Strong);
        let alone = self.files.iter().flat_map(|file| &file.prefix_setters);
        sets && (named || rest.last().is_some_and(|last| last == "system"))
            || alone.into_iter().any(|name| same_name(name, method))
    }

    /// Whether a class by its name makes prompts: `PromptGenerator`.
    pub(crate) fn makes_prompts(&self, class: &str) -> bool {
        let words = words(class);
        let makers = || self.files.iter().flat_map(|file| &file.prefix_names.makers);
        match &words[..] {
            [.., what, last] => what == "prompt" && makers().any(|maker| maker == last),
            _ => false,
        }
    }

    /// Whether a text says that it sums up what was said before.
    pub(crate) fn says_summary(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let mut openings = self.files.iter().flat_map(|file| &file.prefix_names.openings);
        openings.any(|opening| text.contains(opening.as_str()))
    }

    /// What the words of a name say its value is for.
    pub(crate) fn purposes(&self, name: &str) -> Arc<[Purpose]> {
        self.purposes
            .of(name, || name.into(), || self.find_purposes(name).into())
    }

    fn find_purposes(&self, name: &str) -> Vec<Purpose> {
        let words = words(name);
        let mut found: Vec<Purpose> = self
            .files
            .iter()
            .flat_map(|file| &file.purpose)
            .filter(|purpose| words.iter().any(|word| purpose.words.contains(word)))
            .map(|purpose| purpose.is)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::speaking;
    use super::*;

    fn vocabulary() -> &'static Vocabulary {
        Vocabulary::builtin()
    }

    #[test]
    fn constructors_need_their_framework() {
        let role = |path, here| {
            vocabulary()
                .message_constructor(path, here)
                .map(|constructor| constructor.role)
        };
        let plain = speaking(&[]);
        let langchain = speaking(&["langgraph.graph"]);
        assert_eq!(
            role("langchain_core.messages.HumanMessage", plain),
            Some(Some(Role::User))
        );
        assert_eq!(role("HumanMessage", langchain), Some(Some(Role::User)));
        assert_eq!(role("HumanMessage", plain), None);
        assert_eq!(role("ChatMessage", langchain), Some(None));
    }

    #[test]
    fn types_that_name_a_role() {
        let plain = speaking(&[]);
        assert_eq!(vocabulary().role_of_type("app.UserMessage", plain), Some(Role::User));
        assert_eq!(vocabulary().role_of_type("ToolResultMessage", plain), Some(Role::Tool));
        assert_eq!(vocabulary().role_of_type("HumanMessage", plain), Some(Role::User));
        assert_eq!(vocabulary().role_of_type("ErrorMessage", plain), None);
        assert_eq!(vocabulary().role_of_type("UserAccount", plain), None);
    }

    #[test]
    fn literals() {
        assert_eq!(vocabulary().role("human"), Some(Role::User));
        assert_eq!(vocabulary().role("TOOL_RESPONSE"), Some(Role::Tool));
        assert_eq!(vocabulary().role("developer"), Some(Role::System));
        assert_eq!(vocabulary().role("text"), None);
        assert_eq!(vocabulary().block("toolUse"), Some(Block::ToolCall));
        assert_eq!(vocabulary().block("function_call_output"), Some(Block::ToolResult));
        assert_eq!(vocabulary().block("text"), None);
    }

    #[test]
    fn fields_of_messages() {
        assert_eq!(vocabulary().field("role"), Some(Field::Role(Strength::Strong)));
        assert_eq!(vocabulary().field("kind"), Some(Field::Role(Strength::Weak)));
        assert_eq!(vocabulary().field("tool_call_id"), Some(Field::ToolResult));
        assert_eq!(vocabulary().field("additional_kwargs"), Some(Field::Marker));
        assert_eq!(vocabulary().field("price"), None);
    }

    #[test]
    fn names_of_histories() {
        assert_eq!(vocabulary().history_name("messages"), Some(Strength::Strong));
        assert_eq!(vocabulary().history_name("_past_messages"), Some(Strength::Strong));
        assert_eq!(vocabulary().history_name("chatHistory"), Some(Strength::Strong));
        assert_eq!(vocabulary().history_name("history"), Some(Strength::Weak));
        assert_eq!(vocabulary().history_name("error_messages"), None);
        assert_eq!(vocabulary().history_name("messages_count"), None);
        assert_eq!(vocabulary().history_name("orders"), None);
    }

    #[test]
    fn annotations() {
        let plain = speaking(&[]);
        let langchain = speaking(&["langchain_core.messages"]);
        let of = |text, here| vocabulary().history_type(text, here);
        assert_eq!(
            of("list[BaseMessage]", langchain),
            Some(HistoryType::List(Strength::Strong))
        );
        assert_eq!(
            of("Optional[List['AnyMessage']]", langchain),
            Some(HistoryType::List(Strength::Strong))
        );
        assert_eq!(of("list[BaseMessage]", plain), Some(HistoryType::List(Strength::Weak)));
        assert_eq!(
            of("BaseMessage", langchain),
            Some(HistoryType::Message(Strength::Strong))
        );
        assert_eq!(of("MessagesState", langchain), Some(HistoryType::State));
        assert_eq!(of("Sequence[Message]", plain), Some(HistoryType::List(Strength::Weak)));
        assert_eq!(of("dict[str, list[BaseMessage]]", langchain), None);
        assert_eq!(of("list[dict[str, Any]]", plain), None);
        assert_eq!(of("list[int]", plain), None);
    }

    #[test]
    fn states() {
        let langchain = speaking(&["langgraph"]);
        assert!(vocabulary().is_state_source("state", "messages", langchain));
        assert!(vocabulary().is_state_source("self.agent_state", "messages", langchain));
        assert!(vocabulary().is_state_source("request", "messages", speaking(&[])));
        assert!(!vocabulary().is_state_source("state", "todos", langchain));
        assert!(!vocabulary().is_state_source("estate", "messages", langchain));
    }

    #[test]
    fn reducers() {
        let langgraph = speaking(&["langgraph"]);
        let of = |text| vocabulary().reducer_of_annotation(text, langgraph);
        assert_eq!(of("Annotated[list[AnyMessage], add_messages]"), Some(Fold::MergeById));
        assert_eq!(of("Annotated[list, operator.add]"), Some(Fold::Append));
        assert_eq!(of("list[AnyMessage]"), None);
        assert_eq!(
            vocabulary().reducer_of_base("langgraph.graph.MessagesState", "messages"),
            Some(Fold::MergeById)
        );
        assert_eq!(vocabulary().reducer_of_base("MessagesState", "plan"), None);
        assert_eq!(vocabulary().reducer("operator.add", speaking(&[])), Some(Fold::Append));
    }

    #[test]
    fn names_with_a_purpose() {
        assert_eq!(*vocabulary().purposes("thread_title"), [Purpose::Title]);
        assert_eq!(
            *vocabulary().purposes("initialQuestion"),
            [Purpose::Origin, Purpose::Query]
        );
        assert!(vocabulary().purposes("anchored").is_empty());
        assert_eq!(vocabulary().prefix_name("build_system_prompt"), Some(Strength::Strong));
        assert_eq!(vocabulary().prefix_name("prompt"), Some(Strength::Weak));
        assert_eq!(vocabulary().prefix_name("file_system_root"), None);
        assert_eq!(
            vocabulary().prefix_name("render_system_message"),
            Some(Strength::Strong)
        );
        assert_eq!(vocabulary().prefix_name("render_turn_system_text"), None);
        assert!(vocabulary().sets_prefix("with_system_prompt"));
        assert!(vocabulary().sets_prefix("setFirstSystem"));
        assert!(!vocabulary().sets_prefix("set_system_time"));
        assert!(vocabulary().sets_prefix("preamble"));
        assert!(!vocabulary().sets_prefix("render_system_prompt"));
    }

    #[test]
    fn removal_of_everything() {
        assert!(vocabulary().is_remove_all_name("langgraph.graph.message.REMOVE_ALL_MESSAGES"));
        assert!(vocabulary().is_remove_all_literal("__remove_all__"));
        assert!(vocabulary().is_overwrite("langgraph.types.Overwrite"));
        assert!(
            vocabulary()
                .removal("RemoveMessage", speaking(&["langchain_core"]))
                .is_some()
        );
    }
}
