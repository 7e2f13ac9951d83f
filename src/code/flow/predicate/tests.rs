//! Conditions as people write them.

use super::{Asks, Kinds, Predicate, Predicates, Subject};
use crate::code::flow::testing::{call_in, function_in, project};
use crate::code::ir::ExprKind;
use crate::code::project::ExprRef;
use crate::code::vocabulary::Vocabulary;

/// What `cond`, the argument of `ask(…)`, says about `m`.
fn of(cond: &str) -> Predicate {
    with("", cond)
}

/// The same behind other code at the top of the file.
fn with(top: &str, cond: &str) -> Predicate {
    let source = format!("{top}\n\ndef scan(messages, m):\n    ask({cond})\n");
    let project = project(&[("scan.py", &source)]);
    let call = call_in(&project, "ask");
    let ExprKind::Call { args, .. } = project.module(call.module).kind(call.expr) else {
        unreachable!("a call is what was looked for");
    };
    let cond = ExprRef {
        module: call.module,
        expr: args[0].value,
    };
    Predicates::new(&project, Vocabulary::builtin()).of(cond, &Subject::named("m".into()))
}

const LANGCHAIN: &str = "from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage";

#[test]
fn roles_in_every_spelling() {
    for cond in [
        "m['role'] == 'user'",
        "m.get('role') == 'user'",
        "'user' == m.role",
        "m.type == 'human'",
        "getattr(m, 'type', None) == 'human'",
        "m.role is Role.USER",
        "m.role == AuthorRole.USER.value",
        "m.role.lower() in ('user', 'human')",
        "m['role'] in {'user'}",
        "not m['role'] != 'user'",
    ] {
        let found = of(cond);
        assert_eq!((found.accepts, found.rejects), (Kinds::USER, !Kinds::USER), "{cond}");
        assert!(found.is_user() && found.is_role_only(), "{cond}");
        assert!(!found.is_turn_start(), "{cond}");
    }
    assert_eq!(of("m.role in ('user', 'tool')").accepts, Kinds::USER | Kinds::RESULTS);
    assert_eq!(of("m['role'] not in ('system', 'developer')").accepts, !Kinds::SYSTEM);
}

#[test]
fn types_stand_for_roles() {
    let human = with(LANGCHAIN, "isinstance(m, HumanMessage)");
    assert_eq!(human.accepts, Kinds::USER);
    assert!(human.is_role_only());
    let others = with(LANGCHAIN, "not isinstance(m, (HumanMessage, SystemMessage))");
    assert_eq!(others.accepts, !(Kinds::USER | Kinds::SYSTEM));
    let own = "class Asked:\n    role: str = 'user'\n";
    assert_eq!(with(own, "isinstance(m, Asked)").accepts, Kinds::USER);
    assert_eq!(of("isinstance(m, dict)").accepts, Kinds::ALL);
}

#[test]
fn constants_and_members_of_the_project() {
    assert_eq!(with("MINE = 'user'", "m['role'] == MINE").accepts, Kinds::USER);
    let kind = "class Kind(str, Enum):\n    ANSWER = 'assistant'\n    OUT = 'tool_response'\n";
    assert_eq!(with(kind, "m.kind == Kind.OUT").accepts, Kinds::RESULTS);
    assert_eq!(with(kind, "m.kind == Kind.ANSWER").accepts, Kinds::ASSISTANT);
    let unknown = of("m.role == wanted");
    assert_eq!(
        (unknown.accepts, unknown.rejects, unknown.asks),
        (Kinds::ALL, Kinds::ALL, Asks::ROLE)
    );
}

#[test]
fn calls_and_results_of_tools() {
    for cond in [
        "m.tool_calls",
        "'tool_calls' in m",
        "len(m.get('tool_calls') or []) > 0",
        "m.tool_calls is not None",
    ] {
        assert_eq!(of(cond).accepts, Kinds::CALLS, "{cond}");
    }
    for cond in [
        "m.tool_call_id",
        "'tool_call_id' in m",
        "any(b['type'] == 'tool_result' for b in m['content'])",
        "any('functionResponse' in part for part in m['parts'])",
        "any(isinstance(b, ToolResultBlock) for b in m.content)",
        "not all(b.get('type') != 'tool_result' for b in m.content)",
    ] {
        let found = of(cond);
        assert_eq!(
            (found.accepts, found.rejects),
            (Kinds::ANY_RESULTS, !Kinds::ANY_RESULTS),
            "{cond}"
        );
    }
    assert_eq!(of("m['type'] == 'function_call_output'").accepts, Kinds::RESULTS);
    assert_eq!(of("m['type'] == 'function_call'").accepts, Kinds::CALLS);
}

#[test]
fn look_ups() {
    assert!(of("m.id == wanted").is_by_id());
    assert!(of("m['id'] in seen").is_by_id());
    let by_call = of("m.tool_call_id == call.id");
    assert!(by_call.asks.has(Asks::CALL_ID) && !by_call.is_by_id());
    assert!(of("m is not None").is_existence_only());
    assert!(of("m").is_existence_only());
    assert_eq!(of("m.role == 'user' and ready").asks, Asks::ROLE | Asks::ELSE);
}

#[test]
fn marks_of_programs() {
    let marked = of("m['role'] == 'user' and m['content'].startswith('<note>')");
    assert_eq!(marked.accepts, Kinds::INJECTED | Kinds::USER_RESULTS);
    assert!(marked.wants_marked());
    for cond in [
        "m.role == 'user' and not m.additional_kwargs.get('hidden')",
        "m.role == 'user' and m.name != 'summary'",
        "m.role == 'user' and not m.metadata['injected']",
        "m.role == 'user' and not m.is_injected",
        "m.role == 'user' and not (m.id or '').endswith('__user')",
        "m['role'] == 'user' and 'injected' not in m['metadata']",
    ] {
        let found = of(cond);
        assert!(found.is_user() && found.tells_authored(), "{cond}");
        assert!(!found.is_role_only() && !found.wants_marked(), "{cond}");
    }
    let flagged = of("m.role == 'user' and m.metadata.get('urgent')");
    assert!(flagged.is_user() && !flagged.tells_authored());
}

#[test]
fn starts_of_turns() {
    assert!(of("m['role'] == 'user' and not m.get('tool_results')").is_turn_start());
    assert!(of("m['role'] == 'user' and isinstance(m['content'], str)").is_turn_start());
    assert!(!of("m['role'] == 'user' or m['role'] == 'assistant'").is_user());
    assert!(of("is_user_turn_start(m)").is_turn_start());
}

#[test]
fn helpers_are_read() {
    let helper = "
def is_person(message):
    if message['role'] != 'user':
        return False
    content = message['content']
    if isinstance(content, str):
        return True
    return not any(block['type'] == 'tool_result' for block in content)
";
    let found = with(helper, "is_person(m)");
    assert_eq!(found.accepts, Kinds::AUTHORED | Kinds::INJECTED);
    assert!(found.is_turn_start());
    let loops = "
def is_person(message):
    if message.role == 'user':
        for block in message.content:
            if block.type == 'tool_result':
                return False
        return True
    return False
";
    assert!(with(loops, "is_person(m)").is_turn_start());
    let nested = format!("{helper}\ndef other(message, depth=0):\n    return not is_person(message)\n");
    assert!(with(&nested, "not other(m)").is_turn_start());
    let role = "def role_of(message):\n    return message.get('role', '')\n";
    assert_eq!(with(role, "role_of(m) == 'tool'").accepts, Kinds::RESULTS);
    let on_content = "def is_note(text):\n    return text.strip().startswith('<note>')\n";
    assert!(with(on_content, "m.role == 'user' and not is_note(m.content)").tells_authored());
    let on_id = "def stem(id):\n    return id.split('__')[0]\n";
    assert!(with(on_id, "stem(m.id) == wanted").is_by_id());
    assert!(of("stem(m.id) in wanted").is_by_id());
    let recursive = "def is_person(message):\n    return is_person(message)\n";
    assert_eq!(with(recursive, "is_person(m)").accepts, Kinds::ALL);
}

#[test]
fn helpers_of_other_files_methods_and_lambdas() {
    let project = project(&[
        (
            "app/tests_of_messages.py",
            "def is_person(message):\n    return message.role == 'user'\n",
        ),
        (
            "app/scan.py",
            "from app.tests_of_messages import is_person

class Scan:
    def _mine(self, message):
        return is_person(message) and not message.metadata.get('injected')

    def run(self, messages):
        for m in messages:
            ask(self._mine(m))
        wanted = lambda item: item.type == 'human'
        pick(wanted)
",
        ),
    ]);
    let predicates = Predicates::new(&project, Vocabulary::builtin());
    let arg = |name| {
        let call = call_in(&project, name);
        let ExprKind::Call { args, .. } = project.module(call.module).kind(call.expr) else {
            unreachable!("a call is what was looked for");
        };
        ExprRef {
            module: call.module,
            expr: args[0].value,
        }
    };
    let method = predicates.of(arg("ask"), &Subject::named("m".into()));
    assert!(method.tells_authored());
    let named = predicates.of_function(function_in(&project, "is_person"), 0);
    assert!(named.is_user() && named.is_role_only());
    assert_eq!(predicates.of_callable(arg("pick")).accepts, Kinds::USER);
}

#[test]
fn elements_by_position() {
    let source = "
def scan(messages):
    for i in range(len(messages)):
        ask(messages[i]['role'] == 'user')
        role = messages[i]['role']
        tell(role == 'tool' and i > 0)
";
    let project = project(&[("scan.py", source)]);
    let predicates = Predicates::new(&project, Vocabulary::builtin());
    let ask = call_in(&project, "ask");
    let module = project.module(ask.module);
    let arg = |name| {
        let call = call_in(&project, name);
        match module.kind(call.expr) {
            ExprKind::Call { args, .. } => ExprRef {
                module: call.module,
                expr: args[0].value,
            },
            _ => unreachable!("a call is what was looked for"),
        }
    };
    let list = module
        .exprs
        .iter()
        .position(|expr| matches!(&expr.kind, ExprKind::Name(name) if &**name == "messages"))
        .map(|index| crate::code::ir::ExprId(index as u32))
        .expect("the list is named");
    let subject = Subject::default().or_at(list, "i".into());
    assert_eq!(predicates.of(arg("ask"), &subject).accepts, Kinds::USER);
    let told = predicates.of(arg("tell"), &subject);
    assert_eq!((told.accepts, told.asks), (Kinds::RESULTS, Asks::ROLE | Asks::POSITION));
}

#[test]
fn nothing_is_made_up() {
    let other = of("x.role == 'user'");
    assert_eq!((other.accepts, other.asks), (Kinds::ALL, Asks::ELSE));
    let opaque = of("check(m.content, m)");
    assert_eq!((opaque.accepts, opaque.rejects), (Kinds::ALL, Kinds::ALL));
    let flag = "
def is_person(message):
    found = False
    for block in message.content:
        if block.type == 'text':
            found = True
    return found
";
    assert_eq!(with(flag, "is_person(m)").accepts, Kinds::ALL);
}

impl Predicate {
    /// Whether it can tell the person's words from what programs put in the person's name.
    fn tells_authored(self) -> bool {
        self.is_user() && !self.accepts.meets(Kinds::INJECTED)
    }

    /// Whether a role, or a type that stands for one, is all it asks about the message.
    fn is_role_only(self) -> bool {
        self.asks.has(Asks::ROLE)
            && self
                .asks
                .only(Asks::ROLE | Asks::EXISTENCE | Asks::ELSE | Asks::POSITION)
    }
}
