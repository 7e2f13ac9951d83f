//! Text that neither the program nor the person wrote: pages, search hits, results of tools.

use super::schema::{External, Framework};
use super::words::{last_segment, same_name, words};
use super::{Vocabulary, is_under};
use crate::code::ir::Module;

impl Vocabulary {
    fn external(&self) -> impl Iterator<Item = &External> {
        self.files.iter().map(|file| &file.external)
    }

    /// Whether a call fetches what stands under the address that it is given.
    pub(crate) fn fetches_page(&self, path: &str, module: &Module) -> bool {
        let mut known = self.external().flat_map(|file| &file.fetches);
        let is_known = known.any(|name| {
            path == name
                || name.contains('.') && path.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('.'))
        });
        is_known || self.is_get_of_client(path, module)
    }

    /// `client.get`, in a file that imports a library of such clients.
    fn is_get_of_client(&self, path: &str, module: &Module) -> bool {
        let Some((receiver, "get")) = path.rsplit_once('.') else {
            return false;
        };
        let mut libraries = self.external().flat_map(|file| &file.libraries);
        self.any_last_word(receiver, |file| &file.clients)
            && libraries.any(|root| module.imports.iter().any(|import| is_under(&import.module, root)))
    }

    /// Whether a call searches the web, by its name and that of what it is a method of.
    pub(crate) fn searches_web(&self, path: &str) -> bool {
        let near = path
            .rsplit('.')
            .take(2)
            .flat_map(|part| words(part).to_vec())
            .collect::<Vec<_>>();
        self.any_word(&near, |file| &file.external.engines) && self.any_word(&near, |file| &file.external.lookups)
    }

    /// Whether a call runs a tool: `execute_tool`, `tool.run`.
    pub(crate) fn runs_tool(&self, path: &str) -> bool {
        let method = words(last_segment(path));
        let runs = |first: Option<&String>| {
            first.is_some_and(|first| self.any_word(std::slice::from_ref(first), |file| &file.external.runs))
        };
        let is_tool = |word: &String| word == "tool" || word == "tools";
        let of_tool = path
            .rsplit_once('.')
            .is_some_and(|(receiver, _)| words(last_segment(receiver)).last().is_some_and(is_tool));
        runs(method.first()) && (method.get(1).is_some_and(is_tool) || method.len() == 1 && of_tool)
    }

    /// Whether a call outside the project hands on the text of what it is given as it is.
    pub(crate) fn carries_text(&self, name: &str) -> bool {
        let mut carriers = self.external().flat_map(|file| &file.carriers);
        carriers.any(|known| same_name(known, name)) || self.any_word(&words(name), |file| &file.external.carriers)
    }

    /// Whether a function puts a text in other words or marks it, by its name.
    pub(crate) fn names_marking(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.external.marks)
    }

    /// Whether a name is that of something that the program or the person wrote.
    pub(crate) fn names_own_text(&self, name: &str) -> bool {
        self.any_word(&words(name), |file| &file.external.own)
    }

    /// Whether a text speaks of a quotation in it.
    pub(crate) fn says_quoted(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let mut cautions = self.external().flat_map(|file| &file.cautions);
        cautions.any(|caution| text.contains(caution.as_str()))
    }

    fn any_last_word(&self, path: &str, list: fn(&External) -> &Vec<String>) -> bool {
        let name = words(last_segment(path)).join("_");
        let own = |file: &Framework| {
            let mut known = list(&file.external).iter();
            known.any(|word| name == *word || name.strip_suffix(word.as_str()).is_some_and(|rest| rest.ends_with('_')))
        };
        self.files.iter().any(own)
    }
}

#[cfg(test)]
mod tests {
    use crate::code::vocabulary::Vocabulary;

    #[test]
    fn searches_and_runs_by_name() {
        let vocabulary = Vocabulary::builtin();
        assert!(vocabulary.searches_web("tavily_client.search") && vocabulary.searches_web("web_search"));
        assert!(!vocabulary.searches_web("store.search") && !vocabulary.searches_web("web.close"));
        assert!(vocabulary.runs_tool("self.execute_tool") && vocabulary.runs_tool("tool.run"));
        assert!(vocabulary.runs_tool("runToolCall") && !vocabulary.runs_tool("toolbox.run"));
        assert!(!vocabulary.runs_tool("run_plan") && !vocabulary.runs_tool("tool_name"));
    }

    #[test]
    fn quotations_and_the_texts_of_the_house() {
        let vocabulary = Vocabulary::builtin();
        assert!(vocabulary.says_quoted("The page below is UNTRUSTED.") && !vocabulary.says_quoted("The page."));
        assert!(vocabulary.names_marking("wrapPage") && !vocabulary.names_marking("page"));
        assert!(vocabulary.names_own_text("prompt_url") && !vocabulary.names_own_text("page_url"));
        assert!(vocabulary.carries_text("BeautifulSoup") && !vocabulary.carries_text("condense"));
    }
}
