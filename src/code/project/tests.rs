//! Names, imports, classes and calls of small projects.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ClassKind, ExprRef, FuncRef, ModuleIx, Project, Target};
use crate::code::dump;
use crate::code::ir::{ExprId, ExprKind};
use crate::code::lang::Language;

/// A project of these files.
fn project(files: &[(&str, &str)]) -> Project {
    let modules = files.iter().map(|(path, text)| {
        Language::Python
            .lower(Path::new(path), text)
            .expect("the test's source is Python")
    });
    Project::new(modules.collect())
}

/// A project of these files, each in the language that its name says.
fn mixed(files: &[(&str, &str)]) -> Project {
    let modules = files.iter().map(|(path, text)| {
        let path = Path::new(path);
        let language = Language::of(path).expect("the test's file has a known extension");
        language
            .lower(path, text)
            .expect("the test's source is of its language")
    });
    Project::new(modules.collect())
}

/// A project of these files and of the manifests among them.
fn workspace(files: &[(&str, &str)]) -> Project {
    let manifest = |path: &PathBuf| {
        let text = files.iter().find(|(name, _)| path == Path::new(name))?.1;
        Language::Rust.package(path.parent()?, text)
    };
    let sources = files.iter().filter(|(path, _)| Language::of(Path::new(path)).is_some());
    let modules = sources.map(|(path, text)| {
        let path = Path::new(path);
        let mut module = Language::Rust.lower(path, text).expect("the test's source is Rust");
        module.package = Language::Rust.manifests(path).iter().find_map(manifest).map(Arc::new);
        module
    });
    Project::new(modules.collect())
}

/// The first call of the file that is written like this.
fn call(project: &Project, path: &str, written: &str) -> ExprRef {
    for (module, ir) in project.modules() {
        if ir.path != Path::new(path) {
            continue;
        }
        for index in 0..ir.exprs.len() {
            let expr = ExprId(index as u32);
            if matches!(ir.kind(expr), ExprKind::Call { .. }) && dump::expression(ir, expr) == written {
                return ExprRef { module, expr };
            }
        }
    }
    panic!("no call `{written}` in {path}");
}

/// What the callee of that call may mean, in words.
fn meanings(project: &Project, path: &str, written: &str) -> Vec<String> {
    let call = call(project, path, written);
    let ExprKind::Call { callee, .. } = project.module(call.module).kind(call.expr) else {
        unreachable!("only calls are found");
    };
    let targets = project.resolve_all(project.owner(call), *callee);
    targets.iter().map(|target| words(project, target)).collect()
}

fn words(project: &Project, target: &Target) -> String {
    match target {
        Target::Function(function) => format!("function {}", path_of(project, *function)),
        Target::Class(class) => {
            let module = &project.module(class.module).name;
            format!("class {module}.{}", project.class(*class).name)
        }
        Target::Module(module) => format!("module {}", project.module(*module).name),
        Target::External(path) => format!("external {path}"),
        Target::Unknown => "unknown".to_owned(),
    }
}

fn path_of(project: &Project, function: FuncRef) -> String {
    let module = project.module(function.module);
    let ir = module.function(function.function);
    match ir.class {
        Some(class) => format!("{}.{}.{}", module.name, module.class(class).name, ir.name),
        None => format!("{}.{}", module.name, ir.name),
    }
}

/// Parameters of the call's only callee with the arguments that bind them.
fn bound(project: &Project, path: &str, written: &str) -> Vec<String> {
    let call = call(project, path, written);
    let [callee] = *project.callees_of(call) else {
        panic!("`{written}` enters {} functions", project.callees_of(call).len());
    };
    let module = project.module(call.module);
    project
        .bind(call, callee)
        .into_iter()
        .map(|(index, value)| {
            let param = &project.function(callee).params[index].name;
            format!("{param}={}", dump::expression(module, value))
        })
        .collect()
}

fn function(project: &Project, path: &str) -> FuncRef {
    project
        .functions()
        .map(|(function, _)| function)
        .find(|&function| path_of(project, function) == path)
        .expect("the test names a function of its project")
}

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

const SESSION: &str = "
from dataclasses import dataclass
from store import Store, Base
class Session(Base):
    limit: int = 3
    def __init__(self, store: Store, clock=None):
        self.store = store
        self.scratch = Store()
    def run(self):
        self.store.save(1)
        self.scratch.save(2)
        self.render()
        self.missing()
        self.child.close()
    @property
    def child(self) -> 'Session | None': ...
    def render(self): ...
    def close(self):
        super().close()
class Loud(Session):
    def render(self): ...
@dataclass
class Row:
    session: Session
def use(rows: list[Row]):
    for row in rows:
        row.session.close()
    rows[0].session.run()
    make().render()
    Session.render(rows)
    Session(Store(), clock=1)
def make():
    return Session(Store())
";

const STORE: &str = "
from vendor import Thing
class Base(Thing):
    def close(self): ...
class Store:
    def save(self, value): ...
";

fn sessions() -> Project {
    project(&[("session.py", SESSION), ("store.py", STORE)])
}

#[test]
fn methods_are_found_through_annotations_assignments_and_bases() {
    let project = sessions();
    let means = |written| meanings(&project, "session.py", written);
    assert_eq!(means("self.store.save(1)"), ["function store.Store.save"]);
    assert_eq!(means("self.scratch.save(2)"), ["function store.Store.save"]);
    assert_eq!(means("row.session.close()"), ["function session.Session.close"]);
    assert_eq!(means("rows[0].session.run()"), ["function session.Session.run"]);
    assert_eq!(means("self.child.close()"), ["function session.Session.close"]);
    assert_eq!(means("super().close()"), ["function store.Base.close"]);
    assert_eq!(means("self.missing()"), ["external vendor.Thing.missing"]);
}

#[test]
fn a_method_that_subclasses_override_may_mean_each_of_them() {
    let project = sessions();
    let both = ["function session.Session.render", "function session.Loud.render"];
    assert_eq!(meanings(&project, "session.py", "self.render()"), both);
    assert_eq!(meanings(&project, "session.py", "make().render()"), both);
    assert_eq!(
        meanings(&project, "session.py", "Session.render(rows)"),
        ["function session.Session.render"]
    );
}

#[test]
fn a_call_of_a_class_enters_its_constructor() {
    let project = sessions();
    let constructor = function(&project, "session.Session.__init__");
    let callers = project.callers_of(constructor);
    let written: Vec<String> = callers
        .iter()
        .map(|site| dump::expression(project.module(site.caller.module), site.call))
        .collect();
    assert_eq!(written, ["Session(Store(), clock=1)", "Session(Store())"]);
    assert_eq!(
        bound(&project, "session.py", "Session(Store(), clock=1)"),
        ["store=Store()", "clock=1"]
    );
}

#[test]
fn classes_know_their_lineage_and_kind() {
    let project = project(&[(
        "m.py",
        "
import dataclasses
from pydantic import BaseModel
from typing import TypedDict, Generic
class A: ...
class B(A): ...
class C(A): ...
class D(B, C, Generic[T]): ...
@dataclasses.dataclass(frozen=True)
class Row: ...
class Config(BaseModel): ...
class Nested(Config): ...
class State(TypedDict, total=False): ...
class Loop(Loop): ...
",
    )]);
    let facts = |name: &str| {
        let (module, ir) = project.modules().next().expect("there is one module");
        let index = ir.classes.iter().position(|class| &*class.name == name);
        let class = crate::code::ir::ClassId(index.expect("the test names a class of its module") as u32);
        project.class_facts(super::ClassRef { module, class })
    };
    let lineage: Vec<String> = facts("D").lineage.iter().map(|base| words(&project, base)).collect();
    assert_eq!(
        lineage,
        [
            "class m.D",
            "class m.B",
            "class m.C",
            "class m.A",
            "external typing.Generic"
        ]
    );
    assert_eq!(facts("A").subclasses.len(), 2);
    assert_eq!(facts("A").kind, ClassKind::Plain);
    assert_eq!(facts("Row").kind, ClassKind::Dataclass);
    assert_eq!(facts("Nested").kind, ClassKind::Model);
    assert_eq!(facts("State").kind, ClassKind::TypedDict);
    assert_eq!(facts("Loop").lineage.len(), 1);
}

#[test]
fn arguments_bind_parameters() {
    let project = project(&[(
        "m.py",
        "
def f(a, b=1, *rest, key, **more): ...
class C:
    def m(self, x, y=0): ...
    @classmethod
    def k(cls, x): ...
    @staticmethod
    def s(x): ...
c = C()
f(1, key=2, other=3)
f(1, 2, 3, 4)
f(1, *xs, 5, key=6, **d)
c.m(1, y=2)
C.m(c, 1)
C.k(1)
c.s(1)
",
    )]);
    let binds = |written| bound(&project, "m.py", written);
    assert_eq!(binds("f(1, key=2, other=3)"), ["a=1", "key=2", "more=3"]);
    assert_eq!(binds("f(1, 2, 3, 4)"), ["a=1", "b=2", "rest=3", "rest=4"]);
    assert_eq!(binds("f(1, *xs, 5, key=6, **d)"), ["a=1", "key=6"]);
    assert_eq!(binds("c.m(1, y=2)"), ["self=c", "x=1", "y=2"]);
    assert_eq!(binds("C.m(c, 1)"), ["self=c", "x=1"]);
    assert_eq!(binds("C.k(1)"), ["cls=C", "x=1"]);
    assert_eq!(binds("c.s(1)"), ["x=1"]);
}

#[test]
fn names_assigned_through_each_other_end_a_search() {
    let mut text = String::from("def end(): ...\n");
    for round in 0..40 {
        for name in ["a", "b", "c"] {
            text.extend([name, " = (a or b or c) if ", &round.to_string(), " else end\n"]);
        }
    }
    text.push_str("a()\n");
    let project = project(&[("m.py", &text)]);
    assert_eq!(meanings(&project, "m.py", "a()"), ["function m.end"]);
}

#[test]
fn a_value_built_up_in_many_branches_has_a_bounded_number_of_meanings() {
    let branches: Vec<String> = (0..24)
        .map(|at| format!("    if asked.x{at}:\n        q = q.where{at}().join{at}()\n"))
        .collect();
    let text = format!(
        "from vendor import select\n\ndef read(asked):\n    q = select()\n{}    return q.all()\n",
        branches.concat()
    );
    let project = project(&[("m.py", &text)]);
    let meanings = meanings(&project, "m.py", "q.all()");
    assert_eq!(meanings.len(), 32);
    assert!(
        meanings.contains(&"external vendor.select().all".to_owned()),
        "{meanings:?}"
    );
}

#[test]
fn paths_of_typescript_files_are_followed() {
    let project = mixed(&[
        (
            "src/agent.ts",
            "import run, { load as read } from './lib/tools.js';\nimport * as lib from './lib';\n\
             import { deep } from '@/lib/deep';\nimport OpenAI from 'openai';\n\
             read();\nrun();\nlib.pick();\nlib.deep();\ndeep();\nOpenAI();\n",
        ),
        ("src/lib/deep.ts", "export function deep() {}\n"),
        (
            "src/lib/index.ts",
            "export { load as pick } from './tools';\nexport * from './deep';\n",
        ),
        (
            "src/lib/tools.ts",
            "export default function start() {}\nexport const load = () => 1;\n",
        ),
    ]);
    let of = |written| meanings(&project, "src/agent.ts", written);
    assert_eq!(of("read()"), ["function lib.tools.load"]);
    assert_eq!(of("run()"), ["function lib.tools.start"]);
    assert_eq!(of("lib.pick()"), ["function lib.tools.load"]);
    assert_eq!(of("lib.deep()"), ["function lib.deep.deep"]);
    assert_eq!(of("deep()"), ["function lib.deep.deep"]);
    assert_eq!(of("OpenAI()"), ["external openai.OpenAI"]);
}

#[test]
fn files_of_one_language_do_not_stand_for_those_of_another() {
    let project = mixed(&[
        ("app/agent.py", "from .tools import load\nload()\n"),
        ("app/agent.ts", "import { load } from './tools';\nload();\n"),
        ("app/tools.py", "def load(): pass\n"),
        ("app/tools.ts", "export function load() {}\n"),
    ]);
    for path in ["app/agent.py", "app/agent.ts"] {
        let call = call(&project, path, "load()");
        let [callee] = *project.callees_of(call) else {
            panic!("{path} finds no function");
        };
        let found = &project.module(callee.module).path;
        assert_eq!(found.extension(), Path::new(path).extension());
    }
}

#[test]
fn an_object_of_options_is_one_argument() {
    let project = mixed(&[("a.ts", "function f(options, extra) {}\nf({ extra: x, ...more }, y);\n")]);
    assert_eq!(
        bound(&project, "a.ts", "f({\"extra\": x, **more}, y)"),
        ["options={\"extra\": x, **more}", "extra=y"]
    );
}

#[test]
fn a_receiver_is_known_in_the_functions_inside_its_methods() {
    let project = mixed(&[(
        "a.ts",
        "class Agent {\n  run() { return [1].map(async (x) => this.step(x)); }\n  step(x) {}\n}\n",
    )]);
    assert_eq!(meanings(&project, "a.ts", "this.step(x)"), ["function a.Agent.step"]);
}

#[test]
fn rust_paths_lead_through_the_crate_and_types_have_their_methods_from_every_file() {
    let project = mixed(&[
        ("src/lib.rs", "mod garden;\npub use garden::bed::Bed;\n"),
        ("src/garden/mod.rs", "pub mod bed;\npub mod tools;\n"),
        ("src/garden/bed.rs", "pub struct Bed { pub rows: Vec<u32> }\n"),
        (
            "src/garden/tools.rs",
            "use super::bed::Bed;\nimpl Bed {\n    pub fn new() -> Self { Bed { rows: Vec::new() } }\n    pub fn dig(&self) {}\n}\n",
        ),
        (
            "src/walk.rs",
            "use crate::{garden::tools, Bed};\nfn walk(bed: &Bed) {\n    bed.dig();\n    Bed::new();\n    crate::garden::bed::missing();\n}\n",
        ),
    ]);
    let dig = meanings(&project, "src/walk.rs", "bed.dig()");
    assert_eq!(dig, ["function src.garden.tools.Bed.dig"]);
    assert_eq!(
        meanings(&project, "src/walk.rs", "Bed.new()"),
        ["function src.garden.tools.Bed.new"]
    );
    assert_eq!(
        meanings(&project, "src/walk.rs", "crate::garden.bed.missing()"),
        Vec::<String>::new()
    );
}

#[test]
fn crates_of_a_workspace_import_each_other_by_the_names_in_their_manifests() {
    let project = workspace(&[
        ("shed/Cargo.toml", "[package]\nname = 'garden-shed'\n"),
        (
            "shed/src/lib.rs",
            "pub mod tools;\npub use tools::Spade;\npub fn open() {}\n",
        ),
        (
            "shed/src/tools.rs",
            "pub struct Spade { length: u32 }\nimpl Spade { pub fn dig(&self) {} }\npub fn fetch() -> Spade { crate::open() }\n",
        ),
        (
            "shed/tests/all.rs",
            "use garden_shed::tools::fetch;\nfn works() { fetch(); }\n",
        ),
        (
            "beds/Cargo.toml",
            "[package]\nname = 'beds'\n[lib]\nname = 'flower_beds'\n[dependencies]\nhut = { package = 'garden-shed', path = '../shed' }\n",
        ),
        (
            "beds/src/lib.rs",
            "use hut::Spade;\npub fn plant(spade: &Spade) { spade.dig(); hut::tools::fetch(); }\n",
        ),
        ("road/Cargo.toml", "[package]\nname = 'road'\n"),
        (
            "road/src/main.rs",
            "use garden_shed::Spade;\nfn main() { flower_beds::plant(&spade); garden_shed::open(); hut::open(); }\nfn f(s: Spade) { s.dig() }\n",
        ),
    ]);
    let in_beds = |written| meanings(&project, "beds/src/lib.rs", written);
    assert_eq!(in_beds("spade.dig()"), ["function garden_shed.tools.Spade.dig"]);
    assert_eq!(in_beds("hut.tools.fetch()"), ["function garden_shed.tools.fetch"]);
    let in_road = |written| meanings(&project, "road/src/main.rs", written);
    assert_eq!(in_road("flower_beds.plant(spade)"), ["function flower_beds.plant"]);
    assert_eq!(in_road("garden_shed.open()"), ["function garden_shed.open"]);
    assert_eq!(in_road("s.dig()"), ["function garden_shed.tools.Spade.dig"]);
    // Only the crate that says so calls another one by a name of its own.
    assert_eq!(in_road("hut.open()"), ["external hut.open"]);
    assert_eq!(
        meanings(&project, "shed/tests/all.rs", "fetch()"),
        ["function garden_shed.tools.fetch"]
    );
    assert_eq!(
        meanings(&project, "shed/src/tools.rs", "crate::open()"),
        ["function garden_shed.open"]
    );
}

#[test]
fn of_two_crates_of_one_name_the_nearer_is_meant() {
    let project = workspace(&[
        ("one/kit/Cargo.toml", "[package]\nname = 'kit'\n"),
        ("one/kit/src/lib.rs", "pub fn run() {}\n"),
        ("one/app/Cargo.toml", "[package]\nname = 'app'\n"),
        ("one/app/src/main.rs", "fn main() { kit::run(); }\n"),
        ("two/kit/Cargo.toml", "[package]\nname = 'kit'\n"),
        ("two/kit/src/lib.rs", "pub fn run() {}\n"),
        ("two/app/Cargo.toml", "[package]\nname = 'app'\n"),
        ("two/app/src/main.rs", "fn main() { kit::run(); }\n"),
    ]);
    for (app, kit) in [("one/app/src/main.rs", "one/kit"), ("two/app/src/main.rs", "two/kit")] {
        let call = call(&project, app, "kit.run()");
        let [entered] = *project.callees_of(call) else {
            panic!("the call enters one function");
        };
        assert!(project.module(entered.module).path.starts_with(kit));
    }
}

#[test]
fn a_variant_of_an_enum_keeps_the_name_of_the_enum() {
    let project = workspace(&[
        ("post/Cargo.toml", "[package]\nname = 'post'\n"),
        ("post/src/lib.rs", "pub enum Item { Letter { text: String } }\n"),
        ("desk/Cargo.toml", "[package]\nname = 'desk'\n"),
        (
            "desk/src/lib.rs",
            "use post::Item;\nfn write() -> Item { Item::Letter { text: String::new() } }\n",
        ),
    ]);
    let made = call(&project, "desk/src/lib.rs", "Item.Letter(text=\"\")");
    let ExprKind::Call { callee, .. } = project.module(made.module).kind(made.expr) else {
        unreachable!("only calls are found");
    };
    let path = project.dotted(ExprRef {
        module: made.module,
        expr: *callee,
    });
    assert_eq!(path.as_deref(), Some("post.Item.Letter"));
}
