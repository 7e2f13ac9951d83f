//! Code that is silent for what its names say. The examples on the rule pages are also run with other
//! names, so that these stand here. Each file is named, so that it is read whatever words it has.

mod support;

use support::{folder, run, write};

#[track_caller]
fn silent(source: &str) {
    let folder = folder();
    write(folder.path(), "agent.py", source);
    let run = run(folder.path(), &["check", "--format", "concise", "agent.py"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{source}");
}

#[track_caller]
fn reported(source: &str) {
    let folder = folder();
    write(folder.path(), "agent.py", source);
    let run = run(folder.path(), &["check", "--format", "concise", "agent.py"]);
    assert!(
        run.status == 1 && run.stdout.contains("mid-turn-cut"),
        "{}{source}",
        run.stdout
    );
}

#[track_caller]
fn of_rule(rule: &str, file: &str, source: &str) -> support::Run {
    let folder = folder();
    write(folder.path(), file, source);
    run(folder.path(), &["check", "--format", "concise", "--select", rule, file])
}

#[track_caller]
fn silent_of(rule: &str, file: &str, source: &str) {
    let run = of_rule(rule, file, source);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{source}");
}

#[track_caller]
fn reported_as(rule: &str, file: &str, source: &str) {
    let run = of_rule(rule, file, source);
    assert!(run.status == 1 && run.stdout.contains(rule), "{}{source}", run.stdout);
}

#[test]
fn what_goes_into_a_summary_is_no_history() {
    let source = |name: &str| {
        format!(
            "def ask(client, messages: list[dict], kept):\n    {name} = messages[1:-kept]\n    \
             return client.chat.completions.create(model='m', messages={name})\n"
        )
    };
    silent(&source("to_summarize"));
    reported(&source("recent"));
}

#[test]
fn a_page_of_stored_messages_is_no_history() {
    let source = |before: &str, after: &str, limit: &str| {
        format!(
            "def page(messages: list[dict], {before}, {after}, {limit}):\n    if {before} and {after}:\n        \
             middle = len(messages) // 2\n        messages = messages[middle - {limit} : middle + {limit}]\n    \
             return messages\n\n\ndef show(store, client, first, last):\n    \
             messages = page(store.load_messages(), first, last, 20)\n    \
             return client.chat.completions.create(model='m', messages=messages)\n"
        )
    };
    silent(&source("before", "after", "limit"));
    reported(&source("odd", "even", "size"));
}

#[test]
fn what_holds_for_the_whole_conversation_may_stand_at_its_head() {
    let source = |name: &str| {
        format!(
            "def send(client, {name}: list[str], messages: list[dict]):\n    text = '\\n'.join({name})\n    for message in messages:\n        \
             if message['role'] == 'user':\n            message['content'] = f'{{text}} ' + message['content']\n            break\n    \
             return client.chat.completions.create(model='m', messages=messages)\n"
        )
    };
    silent_of("head-scan-attach", "agent.py", &source("system_parts"));
    reported_as("head-scan-attach", "agent.py", &source("open_files"));
}

#[test]
fn how_often_something_was_tried_belongs_to_what_happened() {
    let source = |name: &str| {
        format!(
            "class Agent:\n    def __init__(self, client):\n        self.client = client\n        self.messages: list[dict] = []\n        \
             self.{name} = 0\n\n    def note(self):\n        self.{name} += 1\n\n    def step(self, text):\n        \
             self.messages.append({{'role': 'user', 'content': f'So far: {{self.{name}}}'}})\n        \
             return self.client.chat.completions.create(model='m', messages=self.messages)\n"
        )
    };
    silent_of("persisted-state", "agent.py", &source("attempts"));
    reported_as("persisted-state", "agent.py", &source("balance"));
}

#[test]
fn a_button_says_what_its_person_means() {
    let source = |attribute: &str| {
        format!(
            "export function Page({{ agent }}: {{ agent: Agent }}) {{\n  const ask = () => {{\n    \
             agent.addMessage({{ id: crypto.randomUUID(), role: \"user\", content: \"Improve the recipe\" }});\n    \
             runner.runAgent({{ agent }});\n  }};\n  return <button {attribute}={{ask}}>Improve</button>;\n}}\n"
        )
    };
    silent_of("unmarked-injection", "page.tsx", &source("onClick"));
    reported_as("unmarked-injection", "page.tsx", &source("ready"));
}

#[test]
fn what_the_house_keeps_elsewhere_is_its_own() {
    let source = |name: &str, address: &str| {
        format!(
            "import requests\n\n\nclass Scout:\n    def __init__(self, client):\n        self.client = client\n        \
             self.messages = []\n\n    def visit(self, url):\n        self.{name} = requests.get({address}).text\n\n    \
             def ask(self, question):\n        self.messages.append({{'role': 'user', 'content': question}})\n        \
             note = {{'role': 'system', 'content': self.{name}}}\n        \
             return self.client.chat.completions.create(model='m', messages=[*self.messages, note])\n"
        )
    };
    let rule = "external-in-batch";
    reported_as(rule, "agent.py", &source("page", "url"));
    silent_of(rule, "agent.py", &source("persona", "url"));
    silent_of(rule, "agent.py", &source("page", "PAGE_URL"));
    silent_of(rule, "agent.py", &source("page", "f'https://example.org/{url}'"));
}

#[test]
fn words_of_nobody_in_particular_may_go_with_one_call() {
    let source = |name: &str| {
        format!(
            "class Runner:\n    def __init__(self, client):\n        self.client = client\n        self.messages = []\n        \
             self.batch = []\n\n    def {name}(self, text):\n        self.batch.append({{'role': 'user', 'content': text}})\n\n    \
             def step(self):\n        batch = self.batch\n        self.batch = []\n        \
             return self.client.chat.completions.create(model='m', messages=self.messages + batch)\n"
        )
    };
    reported_as("wrong-queue", "agent.py", &source("steer"));
    silent_of("wrong-queue", "agent.py", &source("remind"));
}

#[test]
fn the_first_question_of_one_turn_is_its_only_one() {
    let source = |name: &str| {
        format!(
            "def record(memory, {name}, text):\n    for message in {name}:\n        if message['role'] == 'user':\n            \
             message['content'] = text\n            break\n    memory.add({name})\n"
        )
    };
    silent_of("head-scan-attach", "agent.py", &source("turn_messages"));
    reported_as("head-scan-attach", "agent.py", &source("messages"));
}

#[test]
fn one_of_several_arguments_is_a_prompt_and_nobody_knows_which() {
    let source = |given: &str| {
        format!(
            "import time\n\n\ndef save(store, session):\n    session.key = f'{{time.time()}}-{{session.user}}'\n    \
             store.update_system_prompt({given})\n"
        )
    };
    silent_of("volatile-prefix", "agent.py", &source("session.key, session.prompt"));
    reported_as("volatile-prefix", "agent.py", &source("session.key"));
}

#[test]
fn an_agent_is_run_with_a_history_by_its_name() {
    let source = |name: &str| {
        format!(
            "async def respond(self, body):\n    chat_history = []\n    for entry in body['history']:\n        \
             chat_history.append({{'role': str(entry['role']), 'content': entry['content']}})\n    \
             chat_history = chat_history[-60:]\n    agent = self.make_agent()\n    \
             return await {name}(question=body['question'], chat_history=chat_history)\n"
        )
    };
    reported(&source("agent.run_turn"));
    silent(&source("archive.note_turn"));
}

#[test]
fn what_keeps_a_plan_says_how_that_is_now() {
    let source = |kept: &str| {
        format!(
            "def shorten(agent, messages: list, rules: str):\n    short = agent.compactor.shorten(messages)\n    \
             text = agent.{kept}.render_items()\n    if text:\n        \
             short.append({{'role': 'user', 'content': text, 'injected': True}})\n    \
             agent.database.replace_messages(agent.key, short)\n    return short, rules\n"
        )
    };
    reported_as("persisted-state", "agent.py", &source("plan_store"));
    silent_of("persisted-state", "agent.py", &source("manual"));
}

#[test]
fn a_text_that_was_taken_back_is_blotted_out_wherever_it_stands() {
    let source = |text: &str| {
        format!(
            "GONE = '[taken back]'\n\n\ndef recall(store, key, said):\n    messages = store.load(key)\n    \
             for entry in messages:\n        if entry['role'] == 'user' and entry['content'] == said:\n            \
             entry['content'] = {text}\n            store.save(key, messages)\n            return\n"
        )
    };
    silent_of("head-scan-attach", "agent.py", &source("GONE"));
    reported_as("head-scan-attach", "agent.py", &source("store.note() + said"));
}

#[test]
fn what_a_generator_tells_in_passing_is_no_prompt() {
    let source = |name: &str| {
        format!(
            "import time\nfrom openai import OpenAI\n\nclass Message:\n    def __init__(self, role, content):\n        self.role = role\n        \
             self.content = content\n\ndef {name}(job):\n    yield Message('system', f\"[{{time.strftime('%H:%M:%S')}}] {{job.state}}\")\n"
        )
    };
    silent_of("volatile-prefix", "agent.py", &source("watch"));
    reported_as("volatile-prefix", "agent.py", &source("system_prompt"));
}

#[test]
fn what_a_message_says_was_true_when_it_was_made() {
    let source = |kept: &str| {
        format!(
            "import time\nfrom dataclasses import dataclass\n\n@dataclass\nclass Message:\n    role: str\n    content: str\n\ndef ended(job):\n    \
             return Message('system', f\"{{job}} ended at {{time.strftime('%H:%M:%S')}}\")\n\ndef ask(client, history: list[Message]):\n    \
             rules: list[str] = []\n    for message in history:\n        if message.role == 'system':\n            \
             rules.append({kept})\n    instructions = '\\n'.join(rules)\n    \
             return client.responses.create(model='some', instructions=instructions, input=history)\n\ndef main(client, jobs, text):\n    \
             history = [Message('user', text)]\n    for job in jobs:\n        history.append(ended(job))\n    \
             return ask(client, history)\n"
        )
    };
    silent_of("volatile-prefix", "agent.py", &source("message.content.strip()"));
    reported_as("volatile-prefix", "agent.py", &source("time.strftime('%H:%M:%S')"));
}

#[test]
fn a_pattern_is_looked_for_in_a_text_and_not_by_it() {
    let source = |by: &str| {
        format!(
            "def route(client, messages: list[dict], {by}s):\n    first = messages[0]['content']\n    for name, {by} in {by}s.items():\n        \
             if {by}.search(first):\n            return client.chat.completions.create(model=name, messages=messages)\n"
        )
    };
    silent_of("head-scan-attach", "agent.py", &source("pattern"));
    reported_as("head-scan-attach", "agent.py", &source("index"));
}

#[test]
fn a_list_of_histories_is_no_history() {
    let source = |of: &str| {
        format!(
            "from langchain_core.messages import BaseMessage\n\ndef recent(model, blocks: {of}):\n    kept = blocks[-8:]\n    \
             return model.invoke([message for block in kept for message in block])\n"
        )
    };
    silent_of("mid-turn-cut", "agent.py", &source("list[list[BaseMessage]]"));
    reported_as("mid-turn-cut", "agent.py", &source("list[BaseMessage]"));
}

#[test]
fn what_two_arguments_share_is_for_the_callers_to_know() {
    silent_of(
        "duplicate-message",
        "agent.py",
        "class Model:\n    def take(self, messages: list[dict], results: list[dict]):\n        if results:\n            messages.extend(results)\n\n    \
         def respond(self, client, messages: list[dict]):\n        answer = client.chat.completions.create(model='some', messages=messages)\n        \
         messages.append({'role': 'assistant', 'content': answer.text, 'tool_calls': answer.calls})\n        results = []\n        \
         for call in answer.calls:\n            results.append({'role': 'tool', 'tool_call_id': call.id, 'content': call.run()})\n        \
         self.take(messages, results)\n\nclass Other(Model):\n    def take(self, messages: list[dict], results: list[dict]):\n        \
         if results:\n            messages.extend(results)\n",
    );
}

#[test]
fn who_manages_a_group_chat_is_asked_with_a_copy_of_it() {
    let source = |hook: &str| {
        format!(
            "from semantic_kernel.agents import GroupChatManager\nfrom semantic_kernel.contents import AuthorRole, ChatHistory, ChatMessageContent\n\n\n\
             class Chair(GroupChatManager):\n    async def {hook}(self, chat_history: ChatHistory):\n        \
             chat_history.add_message(ChatMessageContent(role=AuthorRole.USER, content='Decide if the talk is over.'))\n        \
             return await self.service.get_chat_message_content(chat_history)\n"
        )
    };
    for rule in ["repeated-injection", "unmarked-injection"] {
        silent_of(rule, "agent.py", &source("should_terminate"));
        reported_as(rule, "agent.py", &source("remark"));
    }
}

#[test]
fn the_id_of_what_was_looked_up_is_no_text_of_it() {
    let source = |wanted: &str| {
        format!(
            "from anthropic import Anthropic\n\nclient = Anthropic()\n\ndef ask(store, question, messages):\n    \
             hits = store.similarity_search(question)\n    part = hits[0].{wanted}\n    return client.messages.create(\n        \
             model='m', max_tokens=900, system=f'You keep the files of {{part}}.', messages=messages)\n"
        )
    };
    silent_of("volatile-prefix", "agent.py", &source("thread_id"));
    reported_as("volatile-prefix", "agent.py", &source("page_content"));
}

#[test]
fn one_page_of_what_was_found_is_no_cut() {
    let source = |size: &str| {
        format!(
            "from openai import OpenAI\n\nclient = OpenAI()\n\nclass Search:\n    def __init__(self, messages):\n        \
             self.messages = messages\n\n    def ask(self, text):\n        self.messages.append({{'role': 'user', 'content': text}})\n        \
             return client.chat.completions.create(model='m', messages=self.messages)\n\n    def find(self, query):\n        \
             found = [message for message in self.messages if query.word in message['content']]\n        \
             more = len(found) > query.{size}\n        del found[query.{size} :]\n        self.shown = found\n        return found, more\n"
        )
    };
    silent_of("mid-turn-cut", "agent.py", &source("page_size"));
    reported_as("mid-turn-cut", "agent.py", &source("most"));
}

#[test]
fn an_id_for_what_has_none_is_kept() {
    let source = |when: &str| {
        format!(
            "import uuid\nfrom anthropic import Anthropic\n\nclient = Anthropic()\n\ndef ask(store, task, messages):\n    \
             if {when}:\n        task.task_id = str(uuid.uuid4())\n        store.save(task)\n    return client.messages.create(\n        \
             model='m', max_tokens=900, system=f'You work on {{task.task_id}}.', messages=messages)\n"
        )
    };
    silent_of("volatile-prefix", "agent.py", &source("not task.task_id"));
    reported_as("volatile-prefix", "agent.py", &source("store"));
}
