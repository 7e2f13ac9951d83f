//! Small programs and how often they evaluate `here()`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Declared, Frequencies};
use crate::code::flow::paths::AllPaths;
use crate::code::flow::testing::{call_in, function_in, project};
use crate::code::ir::{ExprId, ExprKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Runs, Strength};

/// The frequency of `here()`, where calls of `complete` call a model and the given functions are
/// hooks.
fn runs(source: &str, hooks: &[(&str, Runs, Strength)]) -> Option<(Runs, Strength)> {
    let project = project(&[("app.py", source)]);
    let paths = AllPaths::of(&project);
    let declared = hooks
        .iter()
        .map(|&(name, runs, strength)| (function_in(&project, name), Declared { runs, strength }))
        .collect();
    let calls_model = |call: &ExprRef| match project.module(call.module).kind(call.expr) {
        ExprKind::Call { callee, .. } => {
            matches!(project.module(call.module).kind(*callee), ExprKind::Attribute { name, .. } if &**name == "complete")
        }
        _ => false,
    };
    let model_calls = project
        .modules()
        .flat_map(|(module, ir)| {
            (0..ir.exprs.len() as u32).map(move |expr| ExprRef {
                module,
                expr: ExprId(expr),
            })
        })
        .filter(calls_model)
        .collect();
    let found = Frequencies::of(&project, &paths, &declared, &model_calls);
    found
        .at(&project, &paths, call_in(&project, "here"))
        .map(|found| (found.runs, found.strength))
}

fn surely(runs: Runs) -> (Runs, Strength) {
    (runs, Strength::Strong)
}

#[test]
fn at_import_and_construction() {
    assert_eq!(runs("NOW = here()\n", &[]), Some(surely(Runs::Import)));
    assert_eq!(runs("def f(now=here()):\n    pass\n", &[]), Some(surely(Runs::Import)));
    let constructor = "class A:\n    def __init__(self):\n        self.now = here()\n";
    assert_eq!(runs(constructor, &[]), Some(surely(Runs::Construction)));
    assert_eq!(runs("def f():\n    return here()\n", &[]), None);
}

#[test]
fn where_a_model_is_called() {
    let once = "def f(model, xs):\n    return model.complete([here(), *xs])\n";
    assert_eq!(runs(once, &[]), Some(surely(Runs::Call)));
    let before_loop = "
def f(model, xs):
    system = here()
    while True:
        xs.append(model.complete([system, *xs]))
";
    assert_eq!(runs(before_loop, &[]), Some(surely(Runs::Turn)));
    let in_loop = "
def f(self, xs):
    while True:
        xs.append(self.ask([here(), *xs]))

def ask(model, xs):
    return model.complete(xs)
";
    assert_eq!(runs(&in_loop.replace("self.ask", "ask"), &[]), Some(surely(Runs::Call)));
}

#[test]
fn along_calls() {
    let source = "
class Agent:
    def _prompt(self):
        return build(1)

    def step(self, xs):
        return self.model.complete([self._prompt(), *xs])

def build(n):
    return f'{here()}'
";
    assert_eq!(runs(source, &[]), Some(surely(Runs::Call)));
    let threaded = "
import asyncio

async def hook(state):
    return await asyncio.to_thread(work, state)

def work(state):
    return here()
";
    assert_eq!(
        runs(threaded, &[("hook", Runs::Turn, Strength::Strong)]),
        Some(surely(Runs::Turn))
    );
}

#[test]
fn names_alone_give_way() {
    let source = "def handle():\n    return other()\n\ndef other():\n    return here()\n";
    let weak = ("handle", Runs::Turn, Strength::Weak);
    assert_eq!(runs(source, &[weak]), Some((Runs::Turn, Strength::Weak)));
    let known = ("other", Runs::Call, Strength::Strong);
    assert_eq!(runs(source, &[weak, known]), Some(surely(Runs::Call)));
}

#[test]
fn values_that_are_kept() {
    let kept = "
class Agent:
    def prompt(self):
        if self._text is None:
            self._text = here()
        return self._text

    def step(self, xs):
        return self.model.complete([self.prompt(), *xs])
";
    assert_eq!(runs(kept, &[]), Some(surely(Runs::Session)));
    let early = kept.replace(
        "        if self._text is None:\n            self._text = here()\n",
        "        if self._text:\n            return self._text\n        self._text = here()\n",
    );
    assert_eq!(runs(&early, &[]), Some(surely(Runs::Session)));
    let forgotten = kept.replace("self._text = here()", "text = here()");
    assert_eq!(runs(&forgotten, &[]), Some(surely(Runs::Call)));
    let cached = kept.replace("self._text = here()", "self._text = prompt()")
        + "
def prompt():
    return here()
";
    assert_eq!(runs(&cached, &[]), Some(surely(Runs::Session)));
    let decorated = "
def prompt():
    return here()

def step(model, xs):
    return model.complete([prompt(), *xs])
";
    let cached = ("prompt", Runs::Construction, Strength::Strong);
    assert_eq!(runs(decorated, &[cached]), Some(surely(Runs::Construction)));
}

#[test]
fn tests_of_a_program_are_not_the_program() {
    let project = project(&[
        ("app.py", "def build():\n    return here()\n"),
        ("test_app.py", "from app import build\n\nbuild()\n"),
    ]);
    let paths = AllPaths::of(&project);
    let found = Frequencies::of(&project, &paths, &FxHashMap::default(), &FxHashSet::default());
    assert_eq!(found.function(function_in(&project, "build")), None);
}
