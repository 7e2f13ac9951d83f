//! Calls: of models, stores, look-ups and displays, and the functions that frameworks call.

use super::schema::{Effect, Hook, ModelCall, Registration, Retrieval, Store, Strength, Trim, Wrapper};
use super::words::{end_in, last_segment, same_name, words};
use super::{Frameworks, Vocabulary};

impl Vocabulary {
    /// A call of a model; a weak one needs a second signal.
    pub(crate) fn model_call(&self, path: &str, here: Frameworks) -> Option<&ModelCall> {
        let entry = self.best(&self.model_calls, path, here, |entry| {
            self.files[entry.framework].model_call[entry.index].strength
        })?;
        Some(&self.files[entry.framework].model_call[entry.index])
    }

    /// Whether an argument of this name gives a model its tools.
    pub(crate) fn is_tools_argument(&self, name: &str) -> bool {
        let mut calls = self.files.iter().flat_map(|file| &file.model_call);
        calls.any(|call| call.tools.keywords.iter().any(|keyword| keyword == name))
    }

    /// Whether a name is what the receiver of a model call is called.
    pub(crate) fn model_receiver(&self, name: &str) -> Option<Strength> {
        let words = words(name);
        let lists = || self.files.iter().map(|file| &file.model_receivers);
        if lists()
            .flat_map(|list| &list.strong)
            .any(|word| super::words::contain(&words, word))
        {
            Some(Strength::Strong)
        } else if lists().flat_map(|list| &list.weak).any(|word| end_in(&words, word)) {
            Some(Strength::Weak)
        } else {
            None
        }
    }

    /// Whether an argument names an answer that the provider keeps, with all before it.
    pub(crate) fn continues(&self, name: &str) -> bool {
        let mut names = self.files.iter().flat_map(|file| &file.continued);
        names.any(|known| known == name)
    }

    /// Whether the name of a function says that it calls a model: a verb of such a call, and a model.
    pub(crate) fn names_model_call(&self, path: &str) -> bool {
        let words = words(last_segment(path));
        let asks = words.first().is_some_and(|verb| self.is_model_call_verb(verb));
        asks && words.iter().skip(1).any(|word| self.model_receiver(word).is_some())
    }

    fn is_model_call_verb(&self, word: &str) -> bool {
        let mut calls = self.files.iter().flat_map(|file| &file.model_call);
        calls.any(|call| call.calls.iter().any(|known| known == word))
    }

    /// Whether a call hands what it is given to something that will call a model: it says so itself, or it is
    /// a verb of such a call on something that is called so: `agent.run_turn(…)`.
    pub(crate) fn runs_model_holder(&self, path: &str) -> bool {
        let (holder, name) = path.rsplit_once('.').unwrap_or(("", path));
        let words = words(name);
        let verb = words.first().is_some_and(|verb| self.is_model_call_verb(verb));
        verb && self.model_receiver(last_segment(holder)).is_some() || self.names_model_call(path)
    }

    /// A look-up by text; a weak one needs a second signal.
    pub(crate) fn retrieval(&self, path: &str, here: Frameworks) -> Option<&Retrieval> {
        // `pattern.search(text)` looks something up in the text, not by it.
        let receiver = path.rsplit_once('.').map(|(receiver, _)| words(last_segment(receiver)));
        let last = receiver.as_ref().and_then(|words| words.last());
        if last.is_some_and(|last| self.any_word(std::slice::from_ref(last), |file| &file.retrieval_words.patterns)) {
            return None;
        }
        let entry = self.best(&self.retrievals, path, here, |entry| {
            self.files[entry.framework].retrieval[entry.index].strength
        })?;
        Some(&self.files[entry.framework].retrieval[entry.index])
    }

    /// Whether the name of a function says that it looks something up by text.
    pub(crate) fn is_retrieval_name(&self, name: &str) -> bool {
        let words = words(name);
        let verbs = self.files.iter().flat_map(|file| &file.retrieval_words.verbs);
        words.len() > 1
            && words
                .first()
                .is_some_and(|first| verbs.clone().any(|verb| verb == first))
    }

    /// Whether a function looks something up by a text that it is given, by the first word of its name.
    pub(crate) fn recalls_text(&self, name: &str) -> bool {
        let first = words(name).first().cloned();
        let mut verbs = self
            .files
            .iter()
            .flat_map(|file| file.retrieval_words.verbs.iter().chain(&file.retrieval_words.also));
        first.is_some_and(|first| verbs.any(|verb| *verb == first))
    }

    /// Whether a function keeps a text that it is given, by the first word of its name.
    pub(crate) fn keeps_text(&self, name: &str) -> bool {
        let first = words(name).first().cloned();
        let mut verbs = self.files.iter().flat_map(|file| &file.retrieval_words.keeps);
        first.is_some_and(|first| verbs.any(|verb| *verb == first))
    }

    /// A call that makes messages durable; a weak one needs a second signal.
    pub(crate) fn store(&self, path: &str, here: Frameworks) -> Option<&Store> {
        let entry = self.best(&self.stores, path, here, |entry| {
            self.files[entry.framework].store[entry.index].strength
        })?;
        Some(&self.files[entry.framework].store[entry.index])
    }

    /// A library function that cuts a history.
    pub(crate) fn trim(&self, path: &str, here: Frameworks) -> Option<&Trim> {
        let entry = self.best(&self.trims, path, here, |_| ())?;
        Some(&self.files[entry.framework].trim[entry.index])
    }

    /// Whether a call shows or notes its arguments and does nothing else with them.
    pub(crate) fn is_display_call(&self, path: &str) -> bool {
        let receivers = self.files.iter().flat_map(|file| &file.sinks.receivers);
        let by_receiver = path.rsplit_once('.').is_some_and(|(receiver, _)| {
            let words = words(last_segment(receiver));
            receivers
                .clone()
                .any(|name| last_segment(receiver) == name || end_in(&words, &name.to_lowercase()))
        });
        by_receiver || !self.display_functions.matches(path).is_empty()
    }

    /// Whether a call hands out messages that are no history of a model.
    pub(crate) fn is_foreign_source(&self, path: &str) -> bool {
        let Some((receiver, method)) = path.rsplit_once('.') else {
            return false;
        };
        let words = words(last_segment(receiver));
        self.files.iter().any(|file| {
            file.foreign.methods.iter().any(|name| same_name(name, method))
                && file.foreign.receivers.iter().any(|name| end_in(&words, name))
        })
    }

    /// A hook by the name of a method and the bases of its class, as dotted paths.
    pub(crate) fn hook(&self, name: &str, bases: &[&str]) -> Option<&Hook> {
        let mut hooks: Vec<&Hook> = self
            .files
            .iter()
            .flat_map(|file| &file.hook)
            .filter(|hook| hook.names.iter().any(|word| same_name(word, name)))
            .filter(|hook| {
                let is_base = |path: &str| hook.bases.iter().any(|base| base == last_segment(path));
                hook.bases.is_empty() || bases.iter().copied().any(is_base)
            })
            .collect();
        hooks.sort_by_key(|hook| std::cmp::Reverse(hook.strength));
        hooks.first().copied()
    }

    /// Whether an argument of this name is what is looked up, whatever is called.
    pub(crate) fn is_query_argument(&self, name: &str) -> bool {
        let words = words(name);
        let named = self.files.iter().flat_map(|file| &file.retrieval_words.arguments);
        named.into_iter().any(|word| words.contains(word))
    }

    /// Whether a call in a test folds an update into a history, or runs the graph that does.
    pub(crate) fn folds(&self, path: &str, here: Frameworks) -> bool {
        let words = words(last_segment(path));
        let by_name = self.files.iter().flat_map(|file| &file.tests.fold_words);
        self.reducer(path, here).is_some()
            || self.best(&self.graph_runs, path, here, |_| ()).is_some()
            || by_name.into_iter().any(|word| words.contains(word))
    }

    /// A hook by one of the decorators of a function.
    pub(crate) fn hook_decorator(&self, path: &str, here: Frameworks) -> Option<&Hook> {
        let entry = self.best(&self.hook_decorators, path, here, |_| ())?;
        Some(&self.files[entry.framework].hook[entry.index])
    }

    /// All ways in which a call makes one of its arguments a hook.
    pub(crate) fn registrations(&self, path: &str, here: Frameworks) -> Vec<&Registration> {
        self.registrations
            .matches(path)
            .into_iter()
            .filter(|(_, entry)| self.counts(entry.framework, path, here))
            .map(|(_, entry)| &self.files[entry.framework].registration[entry.index])
            .collect()
    }

    /// A class around a returned update.
    pub(crate) fn update_wrapper(&self, path: &str, here: Frameworks) -> Option<&Wrapper> {
        let entry = self.best(&self.wrappers, path, here, |_| ())?;
        Some(&self.files[entry.framework].update.wrapper[entry.index])
    }

    /// What becomes of messages under a key of a returned update, if the key alone says so.
    pub(crate) fn update_key(&self, key: &str) -> Option<Effect> {
        self.files
            .iter()
            .any(|file| file.update.call_only_keys.iter().any(|name| same_name(name, key)))
            .then_some(Effect::CallOnly)
    }

    /// Whether the arguments of a method reach the next call only.
    pub(crate) fn is_call_only_method(&self, path: &str, here: Frameworks) -> bool {
        self.best(&self.call_only_methods, path, here, |_| ()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::speaking;
    use super::super::{Effect, Runs, Strength, Vocabulary};

    fn vocabulary() -> &'static Vocabulary {
        Vocabulary::builtin()
    }

    #[test]
    fn model_calls_by_how_much_they_prove() {
        let plain = speaking(&[]);
        let of = |path, here| vocabulary().model_call(path, here).map(|call| call.strength);
        assert_eq!(
            of("self.client.chat.completions.create", speaking(&["openai"])),
            Some(Strength::Strong)
        );
        assert_eq!(of("self.model.complete", plain), Some(Strength::Weak));
        assert_eq!(of("model.invoke", plain), Some(Strength::Weak));
        assert_eq!(
            of("model.invoke", speaking(&["langchain_core"])),
            Some(Strength::Strong)
        );
        assert_eq!(of("client.models.generate_content", plain), Some(Strength::Strong));
        assert_eq!(of("litellm.completion", plain), Some(Strength::Strong));
        assert_eq!(of("os.path.join", plain), None);
    }

    #[test]
    fn receivers_of_model_calls() {
        assert_eq!(vocabulary().model_receiver("chat_model"), Some(Strength::Strong));
        assert_eq!(vocabulary().model_receiver("llm"), Some(Strength::Strong));
        assert_eq!(vocabulary().model_receiver("backend"), Some(Strength::Weak));
        assert_eq!(vocabulary().model_receiver("database"), None);
    }

    #[test]
    fn look_ups() {
        let plain = speaking(&[]);
        let of = |path| vocabulary().retrieval(path, plain).map(|call| call.strength);
        assert_eq!(of("store.similarity_search"), Some(Strength::Strong));
        assert_eq!(of("index.search"), Some(Strength::Weak));
        assert_eq!(of("index.count"), None);
        assert_eq!(of("self.date_pattern.search"), None);
        assert!(vocabulary().is_retrieval_name("search_archive"));
        assert!(!vocabulary().is_retrieval_name("search"));
        assert!(!vocabulary().is_retrieval_name("research_notes"));
    }

    #[test]
    fn displays() {
        assert!(vocabulary().is_display_call("logger.info"));
        assert!(vocabulary().is_display_call("self._logger.debug"));
        assert!(vocabulary().is_display_call("print"));
        assert!(!vocabulary().is_display_call("catalog.add"));
        assert!(!vocabulary().is_display_call("blog.save"));
    }

    #[test]
    fn messages_of_something_else() {
        assert!(vocabulary().is_foreign_source("self.consumer.consume"));
        assert!(!vocabulary().is_foreign_source("self.session.get_messages"));
    }

    #[test]
    fn hooks_by_name_need_their_base() {
        let found = vocabulary().hook("abefore_agent", &["langchain.agents.middleware.AgentMiddleware"]);
        assert_eq!(
            found.map(|hook| (hook.effect, hook.runs)),
            Some((Some(Effect::Persists), Runs::Turn))
        );
        let found = vocabulary().hook("wrap_model_call", &["AgentMiddleware"]);
        assert_eq!(
            found.map(|hook| (hook.effect, hook.runs)),
            Some((Some(Effect::CallOnly), Runs::Call))
        );
        assert!(vocabulary().hook("wrap_model_call", &["Widget"]).is_none());
        let found = vocabulary().hook("handle_message", &[]);
        assert_eq!(
            found.map(|hook| (hook.effect, hook.runs, hook.strength)),
            Some((None, Runs::Turn, Strength::Weak))
        );
    }

    #[test]
    fn hooks_by_decorator() {
        let found = vocabulary().hook_decorator("langchain.agents.middleware.dynamic_prompt", speaking(&[]));
        assert_eq!(
            found.map(|hook| (hook.effect, hook.runs)),
            Some((Some(Effect::CallOnly), Runs::Call))
        );
        assert!(vocabulary().hook_decorator("before_model", speaking(&[])).is_none());
        let found = vocabulary().hook_decorator("functools.lru_cache", speaking(&[]));
        assert_eq!(found.map(|hook| hook.runs), Some(Runs::Construction));
    }

    #[test]
    fn functions_that_become_hooks() {
        let here = speaking(&["langgraph.prebuilt"]);
        let found = vocabulary().registrations("create_react_agent", here);
        let mut words: Vec<_> = found
            .iter()
            .map(|way| (way.function.keywords[0].as_str(), way.effect))
            .collect();
        words.sort_unstable_by_key(|way| way.0);
        assert_eq!(
            words,
            [
                ("pre_model_hook", Some(Effect::Persists)),
                ("prompt", Some(Effect::CallOnly))
            ]
        );
        assert_eq!(vocabulary().update_key("llm_input_messages"), Some(Effect::CallOnly));
        assert_eq!(vocabulary().update_key("messages"), None);
        assert!(vocabulary().is_call_only_method("request.override", here));
        assert!(!vocabulary().is_call_only_method("typing.override", speaking(&[])));
        assert!(vocabulary().update_wrapper("langgraph.types.Command", here).is_some());
    }

    #[test]
    fn cuts_that_can_start_at_a_boundary() {
        let found = vocabulary().trim("langchain_core.messages.trim_messages", speaking(&[]));
        assert!(found.is_some_and(|trim| trim.boundary_starts.iter().any(|word| word == "human")));
    }
}
