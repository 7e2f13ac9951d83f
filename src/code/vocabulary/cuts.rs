//! Cuts: words for amounts, limited reads, repairs, and the cuts that a library's classes bring.

use super::schema::CutWords;
use super::words::{last_segment, same_name, words};
use super::{Strength, Vocabulary};
use crate::code::ir::Name;

impl Vocabulary {
    fn cut_words(&self) -> impl Iterator<Item = &CutWords> {
        self.files.iter().map(|file| &file.cuts)
    }

    /// Whether a name says that it holds a number of messages.
    pub(crate) fn is_count_name(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.iter().any(|word| file.counts.contains(word)))
    }

    /// Whether a call by its name puts something in the place of what is stored.
    pub(crate) fn is_update_name(&self, path: &str) -> bool {
        let words = words(last_segment(path));
        self.cut_words()
            .any(|file| words.iter().any(|word| file.updates.contains(word)))
    }

    /// Whether an argument is called one of messages, or of their ids.
    pub(crate) fn names_kept_messages(&self, name: &str) -> bool {
        let ids = name.strip_suffix("_ids").map(|stem| format!("{stem}s"));
        self.history_name(ids.as_deref().unwrap_or(name)) == Some(Strength::Strong)
    }

    /// Whether a list is called the messages of one turn: `turn_messages`, `this_turn`.
    pub(crate) fn names_one_turn(&self, name: &str) -> bool {
        let words = words(name);
        let one = words.iter().any(|word| word == "turn") && !words.iter().any(|word| word == "multi" || word == "per");
        one && (self.history_name(name).is_some() || words.last().is_some_and(|last| last == "turn"))
    }

    /// Whether a name says that its value is the position of a message.
    pub(crate) fn is_position_name(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.last().is_some_and(|last| file.positions.contains(last)))
    }

    /// Whether a name says that a list is to be put into a summary.
    pub(crate) fn is_summarized_name(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.iter().any(|word| file.summarized.contains(word)))
    }

    /// Whether a text asks for something about a conversation: `Decide whether the conversation is over.`
    pub(crate) fn is_task(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let has = |pick: fn(&CutWords) -> &Vec<String>| {
            self.cut_words().any(|file| {
                text.split(|sign: char| !sign.is_alphabetic())
                    .any(|word| pick(file).iter().any(|one| one == word))
            })
        };
        has(|file| &file.task_nouns) && has(|file| &file.task_verbs)
    }

    /// Whether a name says that a person takes back what was said: `rollback`, `rewind_to`.
    pub(crate) fn undoes(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.iter().any(|word| file.undoes.contains(word)))
    }

    /// Whether a key is that of a tool result that stands in the person's name.
    pub(crate) fn is_user_result(&self, key: &str) -> bool {
        self.cut_words()
            .any(|file| file.user_results.iter().any(|name| name == key))
    }

    /// Whether a parameter says where a page begins.
    pub(crate) fn is_page_name(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.iter().any(|word| file.pages.contains(word)))
    }

    /// Whether a name is that of the length of a page: `page_size`, `per_page`.
    pub(crate) fn is_page_size(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.iter().any(|word| file.page_sizes.contains(word)))
    }

    /// Whether a decorator of this name makes a function answer a request to see something.
    pub(crate) fn is_showing_decorator(&self, name: &str) -> bool {
        self.cut_words().any(|file| file.shows.iter().any(|show| show == name))
    }

    /// Whether a field says why a model stopped.
    pub(crate) fn is_stop_field(&self, name: &str) -> bool {
        self.cut_words().any(|file| file.stops.iter().any(|stop| stop == name))
    }

    /// Whether a call reads as many messages as it is told.
    pub(crate) fn is_limited_read(&self, path: &str) -> bool {
        let method = last_segment(path);
        self.cut_words()
            .any(|file| file.reads.iter().any(|name| same_name(name, method)))
    }

    /// Whether the name of a function says that it only looks at something.
    pub(crate) fn only_looks(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.first().is_some_and(|first| file.looks.contains(first)))
    }

    /// Whether the name of a method says that it takes messages away: `truncate_turns`.
    pub(crate) fn names_cut(&self, name: &str) -> bool {
        let words = words(name);
        let mut verbs = self.cut_words().flat_map(|file| &file.cut_verbs);
        let cuts = words.first().is_some_and(|first| verbs.any(|verb| verb == first));
        cuts && words.len() > 1 && self.history_name(&words[1..].join("_")).is_some()
    }

    /// Whether a name says that a history becomes shorter.
    pub(crate) fn shortens(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.iter().any(|word| file.shortens.contains(word)))
    }

    /// Whether a name is that of something that works on all that a model reads.
    pub(crate) fn is_about_context(&self, name: &str) -> bool {
        let words = words(name);
        self.cut_words()
            .any(|file| words.iter().any(|word| file.about_context.contains(word)))
    }

    /// Whether a method puts a list in the place of a history: `setHistory`.
    pub(crate) fn sets_history(&self, method: &str) -> bool {
        let words = words(method);
        let Some((first, rest)) = words.split_first() else {
            return false;
        };
        let replaces = first == "set" || self.cut_words().any(|file| file.updates.contains(first));
        replaces && self.history_name(&rest.join("_")).is_some()
    }

    /// Whether the name of a function says that it makes tool pairs whole.
    pub(crate) fn is_pair_repair(&self, path: &str) -> bool {
        let words = words(last_segment(path));
        let any = |pick: fn(&CutWords) -> &Vec<String>| {
            self.cut_words()
                .any(|file| words.iter().any(|word| pick(file).contains(word)))
        };
        any(|file| &file.repair_verbs) && any(|file| &file.repair_nouns)
    }

    /// The item of a result that holds what a library's method keeps, for a class with these bases.
    pub(crate) fn inherited_cut(&self, method: &str, bases: &[Name]) -> Option<usize> {
        let mut cuts = self.files.iter().flat_map(|file| &file.inherited_cut);
        cuts.find(|cut| {
            cut.methods.iter().any(|name| name == method)
                && bases
                    .iter()
                    .any(|base| cut.bases.iter().any(|name| name == last_segment(base)))
        })
        .map(|cut| cut.kept)
    }
}

#[cfg(test)]
mod tests {
    use crate::code::vocabulary::Vocabulary;

    #[test]
    fn names_of_amounts() {
        let vocabulary = Vocabulary::builtin();
        assert!(vocabulary.is_update_name("UpdateThread") && !vocabulary.is_update_name("get_thread"));
        assert!(vocabulary.names_kept_messages("message_ids") && !vocabulary.names_kept_messages("ids"));
        assert!(vocabulary.is_count_name("max_messages"));
        assert!(vocabulary.is_count_name("n"));
        assert!(!vocabulary.is_count_name("cut"));
        assert!(!vocabulary.is_count_name("start_index"));
    }

    #[test]
    fn functions_that_repair_pairs() {
        let vocabulary = Vocabulary::builtin();
        assert!(vocabulary.is_pair_repair("history.drop_orphaned_results"));
        assert!(vocabulary.is_pair_repair("repair_tool_pairs"));
        assert!(!vocabulary.is_pair_repair("repair_json"));
        assert!(!vocabulary.is_pair_repair("count_pairs"));
    }

    #[test]
    fn methods_that_subclasses_inherit() {
        let vocabulary = Vocabulary::builtin();
        let bases = ["langchain.agents.middleware.SummarizationMiddleware".into()];
        assert_eq!(vocabulary.inherited_cut("_partition_messages", &bases), Some(1));
        assert_eq!(vocabulary.inherited_cut("_partition_messages", &[]), None);
    }
}
