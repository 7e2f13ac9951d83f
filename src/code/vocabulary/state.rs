//! Words that tell the state of the world from what was said, and what makes text of values.

use super::schema::Framework;
use super::words::{end_in, last_segment, same_name, words};
use super::{Granularity, Vocabulary};

impl Vocabulary {
    /// How soon the value differs of a function that lies outside the project, if its name says that
    /// it reads a clock.
    pub(crate) fn clock_name(&self, path: &str) -> Option<Granularity> {
        let words = words(last_segment(path));
        let mut named = self.files.iter().flat_map(|file| &file.clock_names);
        // A word more says how it is got, `local_time_fast`; `local_time_of(then)` is about another time.
        let shorter = words
            .split_last()
            .filter(|(last, _)| self.any_word(std::slice::from_ref(*last), |file| &file.clock_manners));
        let named_so = |name: &String| end_in(&words, name) || shorter.is_some_and(|(_, rest)| end_in(rest, name));
        let found = named.find(|(_, names)| names.iter().any(named_so));
        let clock = || {
            let is_clock = self
                .files
                .iter()
                .flat_map(|file| &file.clocks)
                .any(|name| end_in(&words, name));
            (is_clock && !last_segment(path).starts_with(char::is_uppercase)).then_some(Granularity::Exact)
        };
        found.map(|(granularity, _)| *granularity).or_else(clock)
    }

    /// The same, for a method of an object that is called a clock. How soon its value differs may be said
    /// by the method: `clock.date()`.
    pub(crate) fn clock_method(&self, path: &str) -> Option<Granularity> {
        let (receiver, method) = path.rsplit_once('.')?;
        let of_clock = self.any_word(&words(last_segment(receiver)), |file| &file.clocks);
        of_clock.then(|| self.narrowed(method).unwrap_or(Granularity::Exact))
    }

    /// Whether a method gives its own value in another form.
    pub(crate) fn is_form_of_receiver(&self, method: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.text_makers.methods.iter().any(|name| same_name(name, method)))
    }

    /// Whether a function outside the project makes text of what it is given.
    pub(crate) fn makes_text(&self, path: &str) -> bool {
        let words = words(last_segment(path));
        self.any_word(&words, |file| &file.text_makers.words)
    }

    /// Whether a name is that of the key under which a provider keeps a prefix.
    pub(crate) fn is_cache_key(&self, name: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.cache_keys.iter().any(|key| key == name))
    }

    /// Whether a name says that its value changes while the agent works.
    pub(crate) fn names_state(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.state_words.states)
    }

    /// Whether a name is that of an object that keeps what changes while the agent works: `plan_store`.
    pub(crate) fn names_state_keeper(&self, name: &str) -> bool {
        let words = words(name);
        self.any_word(&words, |file| &file.state_words.states)
            && words
                .last()
                .is_some_and(|last| self.any_word(std::slice::from_ref(last), |file| &file.state_words.keepers))
    }

    /// What the name of a method says beside that it shows something: `for_prompt` of `format_for_prompt`.
    pub(crate) fn shown_by<'n>(&self, method: &'n str) -> &'n str {
        match method.split_once('_') {
            Some((verb, rest)) if self.any_word(&words(verb), |file| &file.state_words.showing) => rest,
            None if self.any_word(&words(method), |file| &file.state_words.showing) => "",
            _ => method,
        }
    }

    /// Whether a name says that its value is how much a run has left of something: `remaining_tokens`.
    pub(crate) fn names_left(&self, name: &str) -> bool {
        let words = words(name);
        self.any_word(&words, |file| &file.state_words.left) && self.any_word(&words, |file| &file.state_words.budgets)
    }

    /// Whether a name says that its value is what a person just said.
    pub(crate) fn names_input(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.state_words.inputs)
    }

    /// Whether a name says that its value is settled, or something that happened.
    pub(crate) fn names_settled(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.state_words.settled)
    }

    /// Whether a name is that of what holds the choices of whoever runs the program.
    pub(crate) fn names_settings(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.state_words.settings)
    }

    /// Whether a name is that of the agent, or of the kind of session, that something runs for.
    pub(crate) fn names_agent(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.state_words.agents)
    }

    /// Whether a name is that of the way by which a person speaks to an agent that is at work.
    pub(crate) fn names_steering(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.state_words.steering)
    }

    /// Whether a name is that of the message at hand.
    pub(crate) fn names_message(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.state_words.messages)
    }

    /// Whether a name is that of the number of the round at hand: `round_idx`, `current_turn`.
    pub(crate) fn names_round(&self, name: &str) -> bool {
        let words = words(name);
        let unit = |word: &String| self.any_word(std::slice::from_ref(word), |file| &file.state_words.rounds);
        let numbers = |word: &String| self.any_word(std::slice::from_ref(word), |file| &file.state_words.numbers);
        words.len() > 1 && words.iter().any(unit) && words.iter().all(|word| unit(word) || numbers(word))
    }

    /// Whether a call makes something that holds its value for one request or task only.
    pub(crate) fn is_request_scope(&self, path: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.request_scopes.iter().any(|scope| scope == path))
    }

    /// Whether a name is that of something made for one call.
    pub(crate) fn names_one_call(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.state_words.one_call)
    }

    pub(super) fn any_word(&self, words: &[String], list: fn(&Framework) -> &Vec<String>) -> bool {
        self.files.iter().flat_map(list).any(|known| words.contains(known))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Granularity, Vocabulary};

    #[test]
    fn clocks_by_name() {
        let of = |path| Vocabulary::builtin().clock_name(path);
        assert_eq!(of("shed.clock.local_now"), Some(Granularity::Exact));
        assert_eq!(of("get_current_time"), Some(Granularity::Exact));
        assert_eq!(of("calendar.today"), Some(Granularity::Day));
        assert_eq!(of("clock.known"), None);
        assert_eq!(of("nowhere"), None);
    }

    #[test]
    fn forms_of_a_value() {
        let vocabulary = Vocabulary::builtin();
        assert!(vocabulary.is_form_of_receiver("strftime"));
        assert!(!vocabulary.is_form_of_receiver("run"));
        assert!(vocabulary.makes_text("shed.clock.format_stamp"));
        assert!(!vocabulary.makes_text("client.send"));
    }

    #[test]
    fn state_and_what_was_said() {
        let vocabulary = Vocabulary::builtin();
        assert!(vocabulary.names_state("open_todos") && !vocabulary.names_state("customer"));
        assert!(vocabulary.names_input("user_text") && !vocabulary.names_input("zone"));
        assert!(vocabulary.names_settings("app_config") && !vocabulary.names_settings("outcome"));
        assert!(vocabulary.names_settled("tool_schemas") && !vocabulary.names_settled("kettle"));
        assert!(vocabulary.names_round("round_idx") && vocabulary.names_round("current_turn"));
        assert!(!vocabulary.names_round("max_rounds") && !vocabulary.names_round("turn"));
        assert!(
            vocabulary.clock_name("get_local_time_fast").is_some() && vocabulary.clock_name("local_time_of").is_none()
        );
        assert!(vocabulary.names_steering("pendingSteers") && !vocabulary.names_steering("pending"));
        assert!(vocabulary.is_cache_key("prompt_cache_key") && !vocabulary.is_cache_key("cache_key"));
    }
}
