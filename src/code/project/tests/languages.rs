//! Paths and packages of TypeScript and Rust.

use super::*;

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
