//! Small programs and what the argument of `show(…)` is made of.

use super::Cause;
use crate::code::facts::Facts;
use crate::code::flow::testing::{call_in, project};
use crate::code::ir::ExprKind;
use crate::code::vocabulary::{Granularity, Runs, Vocabulary};

const IMPORTS: &str = "import random\nimport time\nfrom datetime import date, datetime, timedelta\n";

/// Cause, granularity and how often the value is read, of each volatile part.
fn parts(source: &str) -> Vec<(Cause, Granularity, Option<Runs>)> {
    let project = project(&[("app.py", &format!("{IMPORTS}{source}"))]);
    let facts = Facts::of(&project, Vocabulary::builtin());
    let shown = call_in(&project, "show");
    let ExprKind::Call { args, .. } = facts.kind(shown) else {
        return Vec::new();
    };
    let text = facts.node(facts.beside(shown, args[0].value));
    let sources = facts.volatile_sources(text).into_iter();
    sources
        .map(|source| (source.cause, source.granularity, facts.renewed(&source.way)))
        .collect()
}

/// Cause and granularity of the only part of an expression.
fn of(text: &str) -> Option<(Cause, Granularity)> {
    match parts(&format!("def f(since, now, name):\n    show({text})\n"))[..] {
        [(cause, granularity, _)] => Some((cause, granularity)),
        _ => None,
    }
}

#[test]
fn what_is_left_of_a_clock() {
    let clock = |granularity| Some((Cause::Clock, granularity));
    assert_eq!(of("str(datetime.now())"), clock(Granularity::Exact));
    assert_eq!(of("datetime.now().isoformat()"), clock(Granularity::Exact));
    assert_eq!(
        of("datetime.now().isoformat(timespec='minutes')"),
        clock(Granularity::Minute)
    );
    assert_eq!(of("datetime.now().strftime('%A, %H:%M')"), clock(Granularity::Minute));
    assert_eq!(of("f'Now: {datetime.now():%Y-%m-%d}'"), clock(Granularity::Day));
    assert_eq!(of("'Now: {:%H} h'.format(datetime.now())"), clock(Granularity::Hour));
    assert_eq!(of("f'{datetime.now().date()}'"), clock(Granularity::Day));
    assert_eq!(of("f'{datetime.now().year}'"), clock(Granularity::Day));
    assert_eq!(
        of("str(datetime.now().replace(second=0, microsecond=0))"),
        clock(Granularity::Minute)
    );
    assert_eq!(of("datetime.now().isoformat()[:10]"), clock(Granularity::Day));
    assert_eq!(of("time.strftime('%H:%M:%S')"), clock(Granularity::Second));
    assert_eq!(of("f'{date.today()}'"), clock(Granularity::Day));
    assert_eq!(of("f'{name} {since}'"), None);
}

#[test]
fn the_finest_form_decides() {
    let text = "def f():\n    now = datetime.now()\n    show(f'{now:%Y-%m-%d} at {now:%H:%M}')\n";
    assert_eq!(parts(text), [(Cause::Clock, Granularity::Minute, None)]);
}

#[test]
fn an_age_is_no_time_of_day() {
    let age = |granularity| Some((Cause::Age, granularity));
    assert_eq!(of("f'{datetime.now() - since} ago'"), age(Granularity::Exact));
    assert_eq!(of("f'{(time.time() - since) // 60} min'"), age(Granularity::Minute));
    assert_eq!(of("f'{(datetime.now() - since).days} days'"), age(Granularity::Day));
    assert_eq!(
        of("f'{datetime.now() - timedelta(days=1):%d}'"),
        Some((Cause::Clock, Granularity::Day))
    );
    assert_eq!(of("f'{time.monotonic() - since:.0f} s'"), age(Granularity::Exact));
    assert_eq!(of("f'{time.monotonic()}'"), None, "it tells no time");
}

#[test]
fn through_helpers_and_objects() {
    let helper =
        "def clock():\n    return datetime.now().strftime('%H:%M')\n\ndef f():\n    show('It is ' + clock())\n";
    assert_eq!(parts(helper), [(Cause::Clock, Granularity::Minute, None)]);
    let object = "\
class Lines:
    def __init__(self):
        self.lines = []

    def add(self, line):
        self.lines.append(line)

    def text(self):
        return '\\n'.join(self.lines)

def f():
    lines = Lines()
    lines.add(f'{datetime.now():%d}')
    show(lines.text())
";
    assert_eq!(parts(object), [(Cause::Clock, Granularity::Day, None)]);
    let outside = "from shed import local_now\n\ndef f():\n    show(f'{local_now():%H:%M}')\n";
    assert_eq!(parts(outside), [(Cause::Clock, Granularity::Minute, None)]);
    let sent = "def f(client):\n    reply = client.post('/', at=time.time())\n    show(reply.text)\n";
    assert_eq!(parts(sent), [], "an answer is not made of what was asked");
}

#[test]
fn how_often_it_is_read() {
    let kept = "\
class Desk:
    def __init__(self, model):
        self.model = model
        self.opened = datetime.now()
        self.messages = []

    def ask(self):
        show(f'Open since {self.opened}')
        return self.model.complete(messages=self.messages)
";
    assert_eq!(
        parts(kept),
        [(Cause::Clock, Granularity::Exact, Some(Runs::Construction))]
    );
    let each =
        "def ask(model, messages):\n    show(f'{random.random()}')\n    return model.complete(messages=messages)\n";
    assert_eq!(parts(each), [(Cause::Random, Granularity::Exact, Some(Runs::Call))]);
    let module = "NOW = datetime.now()\n\ndef f():\n    show(f'{NOW:%H:%M}')\n";
    assert_eq!(parts(module), [(Cause::Clock, Granularity::Minute, Some(Runs::Import))]);
}

#[test]
fn a_count_counts_where_the_loop_calls_a_model() {
    let calls = "\
def run(model, messages, limit):
    for step in range(limit):
        show(f'Step {step}')
        messages.append(model.complete(messages=messages))
";
    let found = parts(calls);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, Cause::Counter);
    let numbers = "def f(lines):\n    for at in range(len(lines)):\n        show(f'{at}: {lines[at]}')\n";
    assert_eq!(parts(numbers), []);
}

#[test]
fn a_look_up_that_depends_on_something() {
    assert_eq!(
        of("str(name.similarity_search(since))"),
        Some((Cause::Lookup, Granularity::Exact))
    );
    assert_eq!(of("str(name.similarity_search('opening hours'))"), None);
}

#[test]
fn the_number_of_the_round_is_a_counter() {
    let counter = |head: &str| {
        let found = parts(&format!(
            "def {head}:\n    show(f'Round {{round_idx + 1}} of {{max_rounds}}')\n"
        ));
        found.iter().map(|(cause, ..)| *cause).collect::<Vec<_>>()
    };
    assert_eq!(counter("f(round_idx, max_rounds)"), [Cause::Counter]);
    assert_eq!(counter("f(max_rounds)"), []);
}
