//! Which files imports lead to, by what manifests and configurations of a project say.

mod support;

use support::{folder, run, write};

/// Cuts what it is given, wherever that is called from.
const HELPER: &str = "export function newest<T>(items: T[], count: number): T[] {\n  return items.slice(-count);\n}\n";

/// Where a project that calls the helper has its findings; the helper is imported by this path.
fn found_in(import: &str, files: &[(&str, &str)]) -> String {
    let agent = format!(
        "import OpenAI from \"openai\";
import {{ newest }} from \"{import}\";

export async function ask(client: OpenAI, messages: ChatCompletionMessageParam[]) {{
  const kept = newest(messages, 8);
  return client.chat.completions.create({{ model: \"m\", messages: kept }});
}}
"
    );
    let folder = folder();
    write(folder.path(), "desk/src/agent.ts", agent);
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    let found = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(found.stderr, "");
    found.stdout
}

/// Whether the cut is found in this file.
#[track_caller]
fn leads(import: &str, to: &str, files: &[(&str, &str)]) {
    let found = found_in(import, files);
    assert!(
        found.contains(&format!("{to}:2:10: error mid-turn-cut")),
        "{import} leads to {to} in {files:?}: {found}"
    );
}

/// Whether nothing is found: the import leads out of the project.
#[track_caller]
fn leads_out(import: &str, files: &[(&str, &str)]) {
    let found = found_in(import, files);
    assert!(
        !found.contains("mid-turn-cut"),
        "{import} leads nowhere in {files:?}: {found}"
    );
}

const DESK: (&str, &str) = (
    "desk/package.json",
    r#"{"name": "@post/desk", "dependencies": {"@post/lists": "workspace:*"}}"#,
);

#[test]
fn a_package_of_the_workspace_is_its_source() {
    let manifests = [
        r#"{"name": "@post/lists"}"#,
        r#"{"name": "@post/lists", "main": "dist/index.js", "types": "dist/index.d.ts"}"#,
        r#"{"name": "@post/lists", "main": "./lib/cjs/index.js"}"#,
        r#"{"name": "@post/lists", "exports": "./dist/index.mjs"}"#,
        r#"{"name": "@post/lists", "exports": {".": {"import": {"types": "./dist/index.d.ts", "default": "./dist/index.js"}}}}"#,
        r#"{"name": "@post/lists", "exports": {"bun": "./src/index.ts", "default": "./dist/index.js"}}"#,
    ];
    for manifest in manifests {
        leads(
            "@post/lists",
            "lists/src/newest.ts",
            &[
                DESK,
                ("lists/package.json", manifest),
                ("lists/src/index.ts", "export * from \"./newest.js\";\n"),
                ("lists/src/newest.ts", HELPER),
            ],
        );
    }
}

#[test]
fn a_path_behind_the_name_of_a_package_is_what_the_manifest_says() {
    let manifests = [
        r#"{"name": "@post/lists", "exports": {"./ends": "./dist/ends.js"}}"#,
        r#"{"name": "@post/lists", "exports": {"./*": {"types": "./build/*.d.ts", "default": "./build/*.js"}}}"#,
        r#"{"name": "@post/lists", "exports": {"./en*": [{"import": "./src/en*.ts"}]}}"#,
        r#"{"name": "@post/lists"}"#,
    ];
    for manifest in manifests {
        leads(
            "@post/lists/ends",
            "lists/src/ends.ts",
            &[DESK, ("lists/package.json", manifest), ("lists/src/ends.ts", HELPER)],
        );
    }
    for path in [
        "@post/lists/dist/ends",
        "@post/lists/dist/ends.js",
        "@post/lists/src/ends",
    ] {
        leads(
            path,
            "lists/src/ends.ts",
            &[
                DESK,
                ("lists/package.json", manifests[3]),
                ("lists/src/ends.ts", HELPER),
            ],
        );
    }
}

#[test]
fn a_package_may_have_another_name_where_it_is_used() {
    leads(
        "rows",
        "lists/src/index.ts",
        &[
            (
                "desk/package.json",
                r#"{"name": "desk", "dependencies": {"rows": "workspace:@post/lists@*"}}"#,
            ),
            ("lists/package.json", r#"{"name": "@post/lists"}"#),
            ("lists/src/index.ts", HELPER),
        ],
    );
}

#[test]
fn another_version_of_a_package_is_another_package() {
    let desk = |range: &str| format!(r#"{{"name": "desk", "dependencies": {{"lists": "{range}"}}}}"#);
    let lists = [
        ("lists/package.json", r#"{"name": "lists", "version": "1.4.0"}"#),
        ("lists/src/index.ts", HELPER),
    ];
    let with = |range: &str, check: fn(&str, &str, &[(&str, &str)])| {
        let manifest = desk(range);
        check(
            "lists",
            "lists/src/index.ts",
            &[("desk/package.json", &manifest), lists[0], lists[1]],
        );
    };
    for range in ["^1.2.0", "workspace:^", "*", "1", ">=1"] {
        with(range, leads);
    }
    with("^2.0.0", |import, _, files| leads_out(import, files));
}

#[test]
fn what_is_asked_for_from_outside_is_no_folder_of_the_project() {
    leads_out(
        "lists",
        &[
            (
                "desk/package.json",
                r#"{"name": "desk", "dependencies": {"lists": "^3.0.0"}}"#,
            ),
            ("desk/src/lists/index.ts", HELPER),
        ],
    );
}

#[test]
fn a_package_calls_its_own_paths_what_it_likes() {
    leads(
        "#kit/newest",
        "desk/src/kit/newest.ts",
        &[
            (
                "desk/package.json",
                r##"{"name": "desk", "imports": {"#kit/*": "./dist/kit/*.js"}}"##,
            ),
            ("desk/src/kit/newest.ts", HELPER),
        ],
    );
}

#[test]
fn paths_are_what_the_nearest_configuration_says() {
    let configs = [
        "{\n  // Ours.\n  \"compilerOptions\": {\n    \"paths\": {\"kit/*\": [\"./gone/*\", \"./src/kit/*\"],},\n  },\n}\n",
        r#"{"compilerOptions": {"baseUrl": "src", "paths": {"kit/*": ["kit/*"]}}}"#,
        r#"{"compilerOptions": {"baseUrl": "./src"}}"#,
        r#"{"extends": "../base"}"#,
        r#"{"extends": ["./tsconfig.json", "../base.json"]}"#,
        r#"{"files": [], "references": [{"path": "../lists"}, {"path": "./tsconfig.app.json"}]}"#,
    ];
    for config in configs {
        leads(
            "kit/newest",
            "desk/src/kit/newest.ts",
            &[
                ("desk/tsconfig.json", config),
                (
                    "desk/tsconfig.app.json",
                    r#"{"compilerOptions": {"paths": {"kit/newest": ["./src/kit/newest.ts"]}}}"#,
                ),
                (
                    "base.json",
                    r#"{"compilerOptions": {"paths": {"kit/*": ["${configDir}/../gone/*", "./desk/src/kit/*"]}}}"#,
                ),
                ("lists/tsconfig.json", r#"{"compilerOptions": {"baseUrl": "."}}"#),
                ("desk/src/kit/newest.ts", HELPER),
            ],
        );
    }
}

#[test]
fn what_names_most_of_a_path_decides() {
    leads(
        "kit/ends/newest",
        "desk/near/newest.ts",
        &[
            (
                "desk/jsconfig.json",
                r#"{"compilerOptions": {"paths": {"kit/*": ["./far/*"], "kit/ends/*": ["./near/*"], "*": ["./any/*"]}}}"#,
            ),
            ("desk/near/newest.ts", HELPER),
            (
                "desk/far/ends/newest.ts",
                "export const newest = (items: string[]) => items;\n",
            ),
        ],
    );
}

#[test]
fn a_configuration_that_cannot_be_read_says_nothing() {
    let configs = [
        "{",
        "[]",
        r#"{"extends": "./tsconfig.json"}"#,
        r#"{"compilerOptions": {"paths": ["kit"], "baseUrl": 3}, "references": 7}"#,
        &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
    ];
    for config in configs {
        leads_out(
            "kit/newest",
            &[
                ("desk/tsconfig.json", config),
                ("desk/package.json", config),
                ("desk/src/kit/newest.ts", HELPER),
            ],
        );
    }
}

#[test]
fn how_a_package_changes_its_objects_is_not_what_another_one_keeps() {
    let folder = folder();
    let files = [
        DESK,
        ("lists/package.json", r#"{"name": "@post/lists"}"#),
        (
            "lists/src/index.ts",
            "export class Cabinet {
  private _hints: string[] = [];

  add(hint: string) {
    this._hints.push(hint);
  }

  get hints(): string[] {
    return this._hints;
  }
}
",
        ),
        (
            "desk/src/panel.ts",
            "import { Cabinet } from \"@post/lists\";
import type { UIMessage } from \"ai\";

export class Panel {
  private messages: UIMessage[] = [];

  constructor(private readonly cabinet: Cabinet) {}

  pick(place: number) {
    const hint = this.cabinet.hints[place];
    this.messages.push({ id: crypto.randomUUID(), role: \"user\", content: `Please: ${hint}` });
  }
}
",
        ),
    ];
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    let found = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!((found.status, found.stdout.as_str()), (0, ""));
}
