//! Small programs and what becomes of the message in them whose content is `NOTE`.

use super::{Durability, Keeper};
use crate::code::facts::Facts;
use crate::code::flow::testing::project;
use crate::code::vocabulary::Vocabulary;

/// Who keeps the note: nobody at all where it reaches a call only.
fn kept(source: &str) -> Result<Vec<Keeper>, &'static str> {
    let project = project(&[("app.py", source)]);
    let facts = Facts::of(&project, Vocabulary::builtin());
    let is_note = |text: &str| text == "NOTE";
    let note = facts.constructions().iter().find(|made| {
        made.content
            .is_some_and(|content| facts.text(content).is_some_and(|text| is_note(text)))
    });
    match facts.durability(note.expect("the program makes a note").expr) {
        Durability::Durable(kept) => Ok(kept.iter().map(|kept| kept.keeper).collect()),
        Durability::CallOnly => Ok(Vec::new()),
        Durability::Unknown => Err("unknown"),
    }
}

/// A desk that keeps its messages, with this between the question and the call of the model.
fn desk(between: &str) -> String {
    format!(
        "\
import openai

class Desk:
    def __init__(self):
        self.client = openai.OpenAI()
        self.messages = []

    def ask(self, text):
        note = {{'role': 'system', 'content': 'NOTE'}}
        self.messages.append({{'role': 'user', 'content': text}})
        outgoing = self.messages
{between}
        reply = self.client.chat.completions.create(model='m', messages=outgoing)
        self.messages.append({{'role': 'assistant', 'content': reply.choices[0].message.content}})
"
    )
}

#[test]
fn the_list_of_an_object_keeps() {
    assert_eq!(
        kept(&desk("        self.messages.append(note)")),
        Ok(vec![Keeper::Object])
    );
    assert_eq!(kept(&desk("        self.messages += [note]")), Ok(vec![Keeper::Object]));
    assert_eq!(
        kept(&desk("        outgoing.append(note)")),
        Ok(vec![Keeper::Object]),
        "another name is no copy"
    );
}

#[test]
fn a_copy_for_a_call_does_not() {
    assert_eq!(
        kept(&desk(
            "        outgoing = list(self.messages)\n        outgoing.append(note)"
        )),
        Ok(vec![])
    );
    assert_eq!(kept(&desk("        outgoing = [*self.messages, note]")), Ok(vec![]));
    assert_eq!(kept(&desk("        outgoing = self.messages + [note]")), Ok(vec![]));
}

#[test]
fn a_copy_that_is_put_back_does() {
    let back =
        "        outgoing = list(self.messages)\n        outgoing.append(note)\n        self.messages = outgoing";
    assert_eq!(kept(&desk(back)), Ok(vec![Keeper::Object]));
    let whole = "        outgoing = [*self.messages, note]\n        self.messages[:] = outgoing";
    assert_eq!(kept(&desk(whole)), Ok(vec![Keeper::Object]));
}

#[test]
fn updates_stores_and_callers() {
    let update = "\
from langchain_core.messages import SystemMessage
from langgraph.graph import MessagesState

def node(state: MessagesState):
    return {'messages': [SystemMessage('NOTE')]}
";
    assert_eq!(kept(update), Ok(vec![Keeper::Update]));
    let store = "async def tell(session):\n    await session.add_items([{'role': 'system', 'content': 'NOTE'}])\n";
    assert_eq!(kept(store), Ok(vec![Keeper::Store]));
    let caller = "\
def remind(messages):
    messages.append({'role': 'user', 'content': 'NOTE'})
    return messages
";
    assert_eq!(kept(caller), Ok(vec![Keeper::Caller]));
    let passed_on = "\
def remind(batch):
    batch.append({'role': 'user', 'content': 'NOTE'})
";
    assert_eq!(kept(passed_on), Err("unknown"), "a batch is made for one call");
}
