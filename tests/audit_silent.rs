//! Runs in which nothing is wrong: each is a harmless shape that looks like a defect.

mod support;

use ctxlint::transcript::{AuditOptions, audit};
use serde_json::{Value, json};
use support::{folder, write};

/// What the audit says about a file with these lines, `severity rule: message` a finding.
fn judge(lines: &[Value]) -> Vec<String> {
    let folder = folder();
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let text = lines.join("\n") + "\n";
    let path = write(folder.path(), "run.jsonl", text);
    let outcome = audit(&AuditOptions {
        paths: vec![path],
        input_format: None,
        ..AuditOptions::default()
    });
    let problems = outcome
        .problems
        .iter()
        .map(|problem| format!("problem: {}", problem.message));
    let found = outcome.findings.iter();
    let found = found.map(|finding| format!("{} {}: {}", finding.severity, finding.rule().id(), finding.message));
    found.chain(problems).collect()
}

fn is_silent(lines: &[Value]) {
    assert_eq!(judge(lines), Vec::<String>::new());
}

fn human(id: &str, text: &str) -> Value {
    json!({"type": "human", "id": id, "content": text})
}

fn ai(id: &str, text: &str) -> Value {
    json!({"type": "ai", "id": id, "content": text})
}

fn calls(id: &str, keys: &[&str]) -> Value {
    let calls: Vec<Value> = keys
        .iter()
        .map(|key| json!({"name": "look", "args": {}, "id": key}))
        .collect();
    json!({"type": "ai", "id": id, "content": "", "tool_calls": calls})
}

fn result(id: &str, key: &str) -> Value {
    json!({"type": "tool", "id": id, "content": format!("found {key}"), "tool_call_id": key})
}

fn remove(id: &str) -> Value {
    json!({"type": "remove", "id": id, "content": ""})
}

fn remove_all() -> Value {
    remove("__remove_all__")
}

fn input(messages: &[Value]) -> Value {
    json!({"__input__": {"messages": messages}})
}

fn update(node: &str, messages: &[Value]) -> Value {
    json!({node: {"messages": messages}})
}

fn state(messages: &[Value]) -> Value {
    json!({"messages": messages})
}

/// The states of a list that grows by one message a step.
fn growing(messages: &[Value]) -> Vec<Value> {
    (1..=messages.len()).map(|end| state(&messages[..end])).collect()
}

#[test]
fn a_chat_with_tools() {
    let messages = [
        human("u1", "look up two things"),
        calls("a1", &["k1", "k2"]),
        result("t1", "k1"),
        result("t2", "k2"),
        ai("a2", "both found"),
        human("u2", "thanks"),
        ai("a3", "with pleasure"),
    ];
    is_silent(&growing(&messages));
    is_silent(&messages);
    is_silent(&[state(&messages)]);
}

#[test]
fn a_person_who_says_the_same_again() {
    let messages = [
        human("u1", "continue"),
        ai("a1", "Done."),
        human("u2", "continue"),
        ai("a2", "Done."),
        human("u3", "continue"),
        ai("a3", "Done."),
        human("u4", "continue"),
        ai("a4", "Done."),
    ];
    is_silent(&growing(&messages));
    is_silent(&messages);
    let turns = |n: usize| {
        [
            input(&messages[2 * n..=2 * n]),
            update("model", &messages[2 * n + 1..2 * n + 2]),
        ]
    };
    is_silent(&[turns(0), turns(1), turns(2), turns(3)].concat());
}

#[test]
fn a_person_who_speaks_twice_before_the_answer() {
    let messages = [
        human("u1", "paint it blue"),
        human("u2", "no, green"),
        ai("a1", "Green it is."),
    ];
    is_silent(&growing(&messages));
    is_silent(&[
        input(&messages[..1]),
        input(&messages[1..2]),
        update("model", &messages[2..]),
    ]);
}

#[test]
fn an_answer_that_is_asked_for_again() {
    let begin = [
        human("u1", "paint it"),
        ai("a1", "Blue."),
        human("u2", "a poem"),
        ai("a2", "Roses."),
    ];
    let again = [&begin[..3], &[ai("a3", "Violets.")]].concat();
    is_silent(&[
        state(&begin[..1]),
        state(&begin[..2]),
        state(&begin[..3]),
        state(&begin),
        state(&begin[..3]),
        state(&again),
    ]);
    // The client sends the question once more, under a new id, from the point before it.
    let resent = [&begin[..2], &[human("u3", "a poem")]].concat();
    let answered = [&resent[..], &[ai("a3", "Violets.")]].concat();
    is_silent(&[growing(&begin), vec![state(&resent), state(&answered)]].concat());
    // Or another question.
    let other = [&begin[..2], &[human("u3", "a song")]].concat();
    is_silent(&[growing(&begin), vec![state(&other)]].concat());
}

fn checkpoint(id: &str, parent: Option<&str>, source: &str, step: i64, messages: &[Value], tasks: &Value) -> Value {
    let config = |id: &str| json!({"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": id}});
    json!({
        "values": {"messages": messages}, "next": [], "config": config(id), "parent_config": parent.map(config),
        "metadata": {"source": source, "step": step}, "tasks": tasks,
    })
}

#[test]
fn a_fork_from_an_earlier_checkpoint() {
    let messages = [
        human("u1", "paint it"),
        ai("a1", "Blue."),
        human("u2", "a poem"),
        ai("a2", "Roses."),
    ];
    let forked = [&messages[..1], &[ai("a9", "Red.")]].concat();
    let none = json!([]);
    is_silent(&[
        checkpoint("c0", None, "loop", 0, &messages[..1], &none),
        checkpoint("c1", Some("c0"), "loop", 1, &messages[..2], &none),
        checkpoint("c2", Some("c1"), "loop", 2, &messages[..3], &none),
        checkpoint("c3", Some("c2"), "loop", 3, &messages, &none),
        checkpoint("c4", Some("c0"), "fork", 4, &messages[..1], &none),
        checkpoint("c5", Some("c4"), "loop", 5, &forked, &none),
    ]);
}

#[test]
fn a_history_whose_tasks_lost_an_id() {
    let note = |id: Option<&str>| json!({"type": "system", "id": id, "content": "Answer in German."});
    let task = |name: &str, messages: &[Value]| json!([{"id": "x", "name": name, "result": {"messages": messages}}]);
    let u1 = human("u1", "paint it");
    let a1 = ai("a1", "Blau.");
    let mut newest_first = vec![
        checkpoint(
            "c0",
            None,
            "input",
            -1,
            &[],
            &task("__start__", std::slice::from_ref(&u1)),
        ),
        checkpoint(
            "c1",
            Some("c0"),
            "loop",
            0,
            std::slice::from_ref(&u1),
            &task("note", &[note(None)]),
        ),
        checkpoint(
            "c2",
            Some("c1"),
            "loop",
            1,
            &[u1.clone(), note(Some("n1"))],
            &task("model", std::slice::from_ref(&a1)),
        ),
        checkpoint("c3", Some("c2"), "loop", 2, &[u1, note(Some("n1")), a1], &json!([])),
    ];
    newest_first.reverse();
    is_silent(&newest_first);
}

#[test]
fn messages_edited_under_their_own_id() {
    is_silent(&[
        input(&[human("u1", "see my file")]),
        update("uploads", &[human("u1", "attached: a.txt\nsee my file")]),
        update("model", &[ai("a1", "I see")]),
        update("usage", &[ai("a1", "I see it.")]),
    ]);
    let edited = human("u1", "attached: a.txt\nsee my file");
    is_silent(&[
        state(&[human("u1", "see my file")]),
        state(std::slice::from_ref(&edited)),
        state(&[edited, ai("a1", "I see it.")]),
    ]);
}

#[test]
fn a_whole_list_returned_with_the_last_message_edited() {
    let begin = [human("u1", "one"), ai("a1", "1"), human("u2", "two")];
    let edited = [&begin[..2], &[human("u2", "two (2026-11-30)")]].concat();
    is_silent(&[
        input(&begin[..1]),
        update("model", &begin[1..2]),
        input(&begin[2..]),
        update("stamp", &edited),
        update("model", &[ai("a2", "2")]),
    ]);
}

#[test]
fn an_empty_answer_that_is_taken_back() {
    is_silent(&[
        input(&[human("u1", "go on")]),
        update("model", &[ai("a1", "")]),
        update("retry", &[remove("a1")]),
        update("model", &[ai("a2", "Here it is.")]),
    ]);
}

#[test]
fn a_list_written_anew_with_placeholders_in_place() {
    let begin = [human("u1", "look"), calls("a1", &["k1"]), human("u2", "never mind")];
    let repaired = [
        remove_all(),
        begin[0].clone(),
        begin[1].clone(),
        result("t1", "k1"),
        begin[2].clone(),
    ];
    is_silent(&[
        input(&begin[..1]),
        update("model", &begin[1..2]),
        input(&begin[2..]),
        update("patch", &repaired),
        update("model", &[ai("a2", "Fine.")]),
    ]);
}

#[test]
fn a_summary_at_the_boundary_of_a_turn() {
    let begin = [
        human("u1", "look"),
        calls("a1", &["k1"]),
        result("t1", "k1"),
        ai("a2", "found"),
        human("u2", "and now?"),
    ];
    let summary = json!({"type": "human", "id": "s1", "content": "Here is a summary of the conversation: they looked.", "additional_kwargs": {"lc_source": "summarization"}});
    is_silent(&[
        input(&begin[..1]),
        update("model", &begin[1..2]),
        update("tools", &begin[2..3]),
        update("model", &begin[3..4]),
        input(&begin[4..]),
        update("summarize", &[remove_all(), summary.clone(), begin[4].clone()]),
        update("model", &[ai("a3", "Now we go.")]),
    ]);
    is_silent(&[growing(&begin), vec![state(&[summary, begin[4].clone()])]].concat());
}

#[test]
fn whole_turns_removed_one_by_one() {
    let begin = [
        human("u1", "one"),
        ai("a1", "1"),
        human("u2", "two"),
        ai("a2", "2"),
        human("u3", "three"),
    ];
    is_silent(&[
        input(&begin[..1]),
        update("model", &begin[1..2]),
        input(&begin[2..3]),
        update("model", &begin[3..4]),
        input(&begin[4..]),
        update("trim", &[remove("u1"), remove("a1"), remove("u2"), remove("a2")]),
        update("model", &[ai("a3", "3")]),
    ]);
}

#[test]
fn parallel_tools_in_the_order_in_which_they_finish() {
    let begin = [human("u1", "look"), calls("a1", &["k1", "k2"])];
    let (t1, t2) = (result("t1", "k1"), result("t2", "k2"));
    let done = [&begin[..], &[t1.clone(), t2.clone()]].concat();
    is_silent(&[
        json!(["values", state(&begin[..1])]),
        json!(["updates", update("model", &begin[1..])]),
        json!(["values", state(&begin)]),
        json!(["updates", update("tools", &[t2])]),
        json!(["updates", update("tools", &[t1])]),
        json!(["values", state(&done)]),
        json!(["updates", update("model", &[ai("a2", "found")])]),
        json!(["values", state(&[&done[..], &[ai("a2", "found")]].concat())]),
    ]);
}

#[test]
fn a_run_that_stops_to_ask() {
    is_silent(&[
        input(&[human("u1", "delete the file")]),
        update("model", &[calls("a1", &["k1"])]),
        json!({"__interrupt__": [{"value": "sure?"}]}),
        update("tools", &[result("t1", "k1")]),
        update("model", &[ai("a2", "Which one?")]),
        json!({"__interrupt__": [{"value": "which?"}]}),
        update("ask", &[human("u2", "the old one")]),
        update("model", &[ai("a3", "Gone.")]),
    ]);
}

#[test]
fn subgraphs_with_histories_of_their_own() {
    let inner = |messages: &[Value]| json!([["research:1"], "updates", update("model", messages)]);
    is_silent(&[
        json!([[], "updates", update("plan", &[ai("a1", "I ask the researcher.")])]),
        inner(&[human("x1", "find it"), ai("x2", "found it")]),
        json!([[], "updates", update("model", &[ai("a2", "It is found.")])]),
    ]);
}

#[test]
fn two_threads_in_one_file() {
    let one = |id: &str, parent: Option<&str>, thread: &str, step: i64, messages: &[Value]| {
        let mut value = checkpoint(id, parent, "loop", step, messages, &json!([]));
        value["config"]["configurable"]["thread_id"] = json!(thread);
        value
    };
    let (u1, a1) = (human("u1", "paint"), ai("a1", "Blue."));
    let (v1, b1) = (human("v1", "sing"), ai("b1", "La."));
    is_silent(&[
        one("c0", None, "t1", 0, std::slice::from_ref(&u1)),
        one("d0", None, "t2", 0, std::slice::from_ref(&v1)),
        one("c1", Some("c0"), "t1", 1, &[u1, a1]),
        one("d1", Some("d0"), "t2", 1, &[v1, b1]),
    ]);
}

#[test]
fn notices_of_different_events() {
    let notice = |id: &str, text: &str| json!({"type": "human", "id": id, "content": text, "additional_kwargs": {"hidden": true}});
    is_silent(&[
        input(&[human("u1", "build it")]),
        update(
            "notify",
            &[notice(
                "n1",
                "<task-notification>Task 1 is finished</task-notification>",
            )],
        ),
        update("model", &[ai("a1", "One is built.")]),
        update(
            "notify",
            &[notice(
                "n2",
                "<task-notification>Task 2 is finished</task-notification>",
            )],
        ),
        update("model", &[ai("a2", "Both are built.")]),
    ]);
}

#[test]
fn a_newer_copy_that_takes_back_the_older() {
    let plan = |id: &str, step: u32| {
        let text = format!("<plan>This plan supersedes earlier plans. Step {step} of 3.</plan>");
        json!({"type": "human", "id": id, "content": text, "additional_kwargs": {"hidden": true}})
    };
    is_silent(&[
        input(&[human("u1", "build it")]),
        update("plan", &[plan("p1", 1)]),
        update("model", &[ai("a1", "begun")]),
        update("plan", &[plan("p2", 2)]),
        update("model", &[ai("a2", "built")]),
    ]);
}

#[test]
fn markup_that_the_person_pasted() {
    let page = human("u1", "<html><body>Today is 2026-11-30, 3/4 done</body></html>");
    let next = human("u2", "<html><body>Today is 2026-12-01, 4/4 done</body></html>");
    is_silent(&growing(&[
        page.clone(),
        ai("a1", "A page."),
        next.clone(),
        ai("a2", "Another."),
    ]));
    is_silent(&[
        input(&[page]),
        update("model", &[ai("a1", "A page.")]),
        input(&[next]),
        update("model", &[ai("a2", "Another.")]),
    ]);
}

#[test]
fn a_list_that_its_graph_replaces() {
    // The state has no reducer for messages: what a node returns is the list.
    let begin = [
        human("u1", "one"),
        ai("a1", "1"),
        human("u2", "two"),
        ai("a2", "2"),
        human("u3", "three"),
    ];
    is_silent(&[
        json!(["values", state(&begin)]),
        json!(["updates", update("trim", &begin[2..])]),
        json!(["values", state(&begin[2..])]),
    ]);
}

#[test]
fn requests_that_grow_and_carry_something_at_the_tail() {
    let chat = |role: &str, text: &str| json!({"role": role, "content": text});
    let system = chat("system", "You are a gardener. Today is 2026-11-30.");
    let plan = |n: u32| chat("user", &format!("<plan>step {n} of 3</plan>"));
    let (u1, a1, u2) = (
        chat("user", "water"),
        chat("assistant", "Watered."),
        chat("user", "sow"),
    );
    let body = |messages: &[Value]| json!({"model": "m", "messages": messages});
    is_silent(&[
        body(&[system.clone(), u1.clone(), plan(1)]),
        body(&[system.clone(), u1.clone(), a1.clone(), u2.clone(), plan(2)]),
        body(&[system, u1, a1, u2, chat("assistant", "Sown."), plan(3)]),
    ]);
}

#[test]
fn samples_that_share_their_system_prompt() {
    let sample = |question: &str, answer: &str| {
        json!({"messages": [
            {"role": "system", "content": "Answer in one word."},
            {"role": "user", "content": question},
            {"role": "assistant", "content": answer},
        ]})
    };
    is_silent(&[
        sample("capital of France?", "Paris"),
        sample("two and two?", "four"),
        sample("capital of France?", "Paris."),
    ]);
}

#[test]
fn anthropic_messages_with_results_and_text_in_one() {
    let block =
        |value: Value| json!({"role": "user", "content": [value, {"type": "text", "text": "which is newest?"}]});
    is_silent(&[
        json!({"role": "user", "content": "list the files"}),
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "k1", "name": "sh", "input": {"cmd": "ls"}}]}),
        block(json!({"type": "tool_result", "tool_use_id": "k1", "content": "a.txt"})),
        json!({"role": "assistant", "content": "a.txt"}),
    ]);
}

#[test]
fn two_files_under_one_tag_are_no_two_versions_of_one() {
    let file = |id: &str, path: &str, text: &str| json!({"type": "system", "id": id, "name": null, "content": format!("<attached path=\"{path}\">{text}</attached>")});
    is_silent(&[
        input(&[human("u1", "compare the two lists")]),
        update(
            "read",
            &[file("f1", "north.txt", "beans"), file("f2", "south.txt", "peas")],
        ),
        update("model", &[ai("a1", "They differ.")]),
    ]);
}

#[test]
fn a_number_deep_in_a_quoted_conversation_is_no_state() {
    let review = |id: &str, said: &str| {
        let text = format!(
            "You look back at what was said in the shop and note what is worth it. {} {said}",
            "And so on. ".repeat(50)
        );
        json!({"type": "system", "id": id, "content": text})
    };
    is_silent(&[
        input(&[human("u1", "look back")]),
        update("bring", &[review("n1", "It was 16:01, and 437 items were counted.")]),
        update("model", &[ai("a1", "Noted.")]),
        update("bring", &[review("n2", "It was 17:40, and 12 items were counted.")]),
        update("model", &[ai("a2", "Noted, too.")]),
    ]);
}

#[test]
fn commands_that_are_given_again_are_no_history_that_was_passed_again() {
    let again = |n: usize| {
        [
            human(&format!("c{n}"), "/model large"),
            human(&format!("o{n}"), "the model is large now"),
        ]
    };
    let messages = [again(1), again(2), again(3)].concat();
    is_silent(&messages);
    is_silent(&growing(&messages));
}

#[test]
fn a_result_that_is_said_again_inside_a_tag() {
    let text = "The ferry to the island leaves at nine and at noon from the northern pier, and whoever wants to take a \
        bicycle along has to buy a ticket for it at the kiosk on the day before.";
    let result = json!({"type": "tool", "id": "t1", "content": text, "tool_call_id": "k1"});
    let quoted = |opening: &str, end: &str| json!({"type": "system", "id": "n1", "name": "found_page", "content": format!("{opening}{text}{end}")});
    for (opening, end) in [("<page>", "</page>"), ("What the page says:\n", ""), ("```\n", "\n```")] {
        is_silent(&[
            input(&[human("u1", "when does it go?")]),
            update("model", &[calls("a1", &["k1"])]),
            update("tools", std::slice::from_ref(&result)),
            update("quote", &[quoted(opening, end)]),
            update("model", &[ai("a2", "At nine and at noon.")]),
        ]);
    }
}

#[test]
fn a_question_that_was_sent_with_a_block_and_is_sent_with_it_again() {
    let request = |messages: &[Value]| json!({"model": "m", "messages": messages});
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let first = said(
        "user",
        "Which bed is dry?\n\n<board>Two jobs are running: the pump and the lamp.</board>",
    );
    is_silent(&[
        request(&[said("system", "You keep a garden."), first.clone()]),
        request(&[
            said("system", "You keep a garden."),
            first.clone(),
            said("assistant", "The first."),
            said("user", "Water it\n\n<board>One job is running: the pump.</board>"),
        ]),
        request(&[
            said("system", "You keep a garden."),
            first,
            said("assistant", "The first."),
            said("user", "Water it\n\n<board>One job is running: the pump.</board>"),
            said("assistant", "Watered."),
            said("user", "Thanks"),
        ]),
    ]);
}
