//! What names and imports mean.

use super::*;

#[test]
fn a_local_name_hides_the_outer_one() {
    let project = project(&[(
        "m.py",
        "
def pick(): ...
def outer():
    pick()
    def inner():
        def pick(): ...
        pick(1)
def hidden(pick):
    pick(2)
",
    )]);
    assert_eq!(meanings(&project, "m.py", "pick()"), ["function m.pick"]);
    let inner = call(&project, "m.py", "pick(1)");
    let entered = project.callees_of(inner);
    assert_eq!(entered.len(), 1);
    assert!(project.function(entered[0]).parent != Some(crate::code::ir::FunctionId(0)));
    assert_eq!(meanings(&project, "m.py", "pick(2)"), [""; 0]);
}

#[test]
fn imports_are_followed_through_packages_and_aliases() {
    let project = project(&[
        ("app/src/agent/__init__.py", "from .hooks import inject as put"),
        ("app/src/agent/hooks.py", "def inject(): ...\nfrom .words import *"),
        ("app/src/agent/words.py", "def say(): ..."),
        ("app/src/agent/deep/__init__.py", ""),
        (
            "app/src/agent/deep/tool.py",
            "from ..hooks import inject\nfrom .. import words as w\ninject()\nw.say()",
        ),
        (
            "app/tests/test_agent.py",
            "import agent.hooks\nfrom agent import put\nfrom agent import hooks as h\n\
             put()\nagent.hooks.inject()\nh.say()\ndef late():\n    from agent.words import say\n    say()",
        ),
    ]);
    assert_eq!(
        meanings(&project, "app/src/agent/deep/tool.py", "inject()"),
        ["function agent.hooks.inject"]
    );
    assert_eq!(
        meanings(&project, "app/src/agent/deep/tool.py", "w.say()"),
        ["function agent.words.say"]
    );
    let test = "app/tests/test_agent.py";
    assert_eq!(meanings(&project, test, "put()"), ["function agent.hooks.inject"]);
    assert_eq!(
        meanings(&project, test, "agent.hooks.inject()"),
        ["function agent.hooks.inject"]
    );
    assert_eq!(meanings(&project, test, "h.say()"), ["function agent.words.say"]);
    assert_eq!(meanings(&project, test, "say()"), ["function agent.words.say"]);
}

#[test]
fn what_is_outside_the_run_keeps_its_dotted_path() {
    let project = project(&[(
        "m.py",
        "
from langchain_core.messages import HumanMessage as Human
import langchain_core.messages as lc
from openai import OpenAI
client = OpenAI()
Human()
lc.AIMessage()
client.chat.completions.create()
open()
def f(c: OpenAI):
    c.responses.create()
",
    )]);
    assert_eq!(
        meanings(&project, "m.py", "Human()"),
        ["external langchain_core.messages.HumanMessage"]
    );
    assert_eq!(
        meanings(&project, "m.py", "lc.AIMessage()"),
        ["external langchain_core.messages.AIMessage"]
    );
    assert_eq!(
        meanings(&project, "m.py", "client.chat.completions.create()"),
        ["external openai.OpenAI.chat.completions.create"]
    );
    assert_eq!(meanings(&project, "m.py", "open()"), ["external open"]);
    assert_eq!(
        meanings(&project, "m.py", "c.responses.create()"),
        ["external openai.OpenAI.responses.create"]
    );
}

#[test]
fn a_lone_file_is_imported_only_from_below_its_folder() {
    let project = project(&[
        ("a/helpers.py", "def go(): ..."),
        ("a/main.py", "import helpers\nhelpers.go()"),
        ("b/main.py", "import helpers\nhelpers.go()"),
    ]);
    assert_eq!(meanings(&project, "a/main.py", "helpers.go()"), ["function helpers.go"]);
    assert_eq!(meanings(&project, "b/main.py", "helpers.go()"), ["external helpers.go"]);
}

#[test]
fn the_nearest_of_several_packages_of_one_name_is_meant() {
    let project = project(&[
        ("one/core/__init__.py", ""),
        ("one/core/state.py", "def load(): ..."),
        ("one/main.py", "from core.state import load\nload()"),
        ("two/core/__init__.py", ""),
        ("two/core/state.py", "def load(): ..."),
        ("two/main.py", "from core.state import load\nload()"),
    ]);
    for (main, state) in [("one/main.py", 1), ("two/main.py", 4)] {
        let call = call(&project, main, "load()");
        let callees = project.callees_of(call);
        assert_eq!(callees.len(), 1, "{main}");
        assert_eq!(callees[0].module, ModuleIx(state), "{main}");
    }
}
