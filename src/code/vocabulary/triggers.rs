//! Which files are worth reading for their own sake.

use std::collections::BTreeSet;

use regex::{Regex, RegexBuilder};

use super::schema::{Framework, TriggerWords};
use super::{Vocabulary, last_segment, words};

/// Tells by the text of a file whether a rule can find anything in it.
#[derive(Debug)]
pub(crate) struct Triggers {
    enough: Regex,
    conversations: Regex,
    speakers: Regex,
}

impl Triggers {
    /// Whether a text has a word that is enough, or one about a conversation and one about who speaks.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.enough.is_match(text) || self.conversations.is_match(text) && self.speakers.is_match(text)
    }
}

impl Vocabulary {
    /// The words that make a file worth reading: those that are listed as such, imports of frameworks, and
    /// whatever histories and prefixes are called.
    pub(crate) fn triggers(&self) -> &Triggers {
        self.triggers.get_or_init(|| self.make_triggers())
    }

    fn make_triggers(&self) -> Triggers {
        let all = || self.files.iter();
        let listed = |words: fn(&TriggerWords) -> &Vec<String>| -> BTreeSet<&String> {
            all().flat_map(|file| words(&file.triggers)).collect()
        };
        let enough = listed(|words| &words.enough);
        let whole = listed(|words| &words.enough_whole);
        let conversations = listed(|words| &words.conversations);
        let called = all().flat_map(|file| {
            let history = &file.history;
            let names = history.names.iter().chain(&history.types).chain(&history.list_types);
            names.chain(&file.prefix_names.strong)
        });
        // One word of everyday use, such as the `Content` of a provider, needs another beside it.
        let (plain, long): (Vec<_>, Vec<_>) = called.partition(|name| words(name).len() == 1);
        let roots: Vec<String> = all()
            .flat_map(|file| &file.imports)
            .map(|root| regex::escape(root))
            .collect();
        let imports = format!(
            r#"\b(?:use|from|import|require)\b[ ("']*(?:{})(?:["'./:;,)\s]|$)"#,
            roots.join("|")
        );
        let own = all().filter(|file| file.is_project).flat_map(own_words);
        let weak = all().flat_map(|file| &file.history.names_weak).chain(plain);
        let weak = weak.filter(|name| !whole.contains(*name));
        Triggers {
            enough: any_of(
                parts(enough.iter().copied().chain(long).chain(own))
                    .into_iter()
                    .chain(whole.iter().map(|word| format!(r"\b{}\b", regex::escape(word))))
                    .chain([imports]),
            ),
            conversations: any_of(parts(conversations.iter().copied().chain(weak))),
            speakers: any_of(parts(listed(|words| &words.speakers).into_iter())),
        }
    }
}

/// What a project says that its code calls things: whatever has such a word is meant.
fn own_words(file: &Framework) -> impl Iterator<Item = &String> {
    let history = &file.history;
    let histories = history.names.iter().chain(&history.names_weak);
    let types = history.types.iter().chain(&history.types_weak);
    let lists = history.list_types.iter().chain(&history.list_types_weak);
    let prefixes = file.prefix_names.strong.iter().chain(&file.prefix_names.weak);
    let messages = file.message.iter().flat_map(|message| &message.names);
    let hooks = file.hook.iter().flat_map(|hook| &hook.names);
    histories
        .chain(types)
        .chain(lists)
        .chain(prefixes)
        .chain(messages)
        .chain(hooks)
}

/// Patterns for words that are parts of others; one that has a shorter one in it is left out.
fn parts<'a>(words: impl Iterator<Item = &'a String>) -> BTreeSet<String> {
    let all: BTreeSet<String> = words.map(|word| last_segment(word).to_lowercase()).collect();
    let shortest = all
        .iter()
        .filter(|word| !all.iter().any(|other| other != *word && word.contains(other.as_str())));
    shortest.map(|word| spelled_anyhow(word)).collect()
}

/// `system_text` is `systemText` as well.
fn spelled_anyhow(name: &str) -> String {
    let words: Vec<String> = name.split('_').map(regex::escape).collect();
    words.join("_?")
}

fn any_of(patterns: impl IntoIterator<Item = String>) -> Regex {
    let patterns: Vec<String> = patterns.into_iter().collect();
    RegexBuilder::new(&patterns.join("|"))
        .case_insensitive(true)
        .unicode(false)
        .build()
        .expect("words are escaped, and few")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_triggers(text: &str) -> bool {
        Vocabulary::builtin().triggers().are_in(text)
    }

    #[test]
    fn one_sure_word_makes_a_file_worth_reading() {
        assert!(has_triggers("def trim(messages): return messages[-9:]"));
        assert!(has_triggers("let turns: Vec<Turn> = load();"));
        assert!(has_triggers("const systemText = await build();"));
        assert!(has_triggers(
            "fn drop_oldest(items: &mut Vec<ResponseItem>) { items.remove(0); }"
        ));
    }

    #[test]
    fn the_import_of_a_framework_does() {
        assert!(has_triggers("use rig::message::Message;\n"));
        assert!(has_triggers("import { stepCountIs } from \"ai\";"));
        assert!(has_triggers("from agents import Runner"));
        assert!(!has_triggers(
            "import air\nfrom agents_of_change import x\nlet rig = 1;"
        ));
    }

    #[test]
    fn two_everyday_words_do_so_together() {
        assert!(has_triggers("def trim(thread, role): return thread[-9:]"));
        assert!(!has_triggers("def start(thread): return thread.start()"));
        assert!(!has_triggers("class User: role = CharField()"));
    }

    #[test]
    fn a_part_of_another_word_does_not() {
        assert!(!has_triggers("def returns(agent): return agent.returns"));
    }

    #[test]
    fn a_comment_that_speaks_to_ctxlint_is_read_wherever_it_stands() {
        assert!(has_triggers("# ctxlint: ignore[head-scan-attach]"));
    }
}
