//! Classes, their methods and calls.

use super::*;
use crate::code::project::ClassRef;

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
        project.class_facts(ClassRef { module, class })
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
