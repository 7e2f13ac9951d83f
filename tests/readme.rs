//! What the README, pages of the documentation and `examples/expected.txt` show is what the program prints.
//!
//! `UPDATE_EXPECTED=1 cargo test --test readme` writes all but the README anew.

mod support;

use support::{repository, run};

fn read(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).expect("the file is committed")
}

/// What `examples/run` prints: each command behind a prompt, and its output.
fn session() -> (String, Vec<i32>) {
    let mut text = String::new();
    let mut statuses = Vec::new();
    for half in ["check", "audit"] {
        let run = run(repository(), &[half, "examples"]);
        assert_eq!(run.stderr, "", "{half}");
        text.push_str(&["$ ctxlint ", half, " examples\n\n", &run.stdout, "\n"].concat());
        statuses.push(run.status);
    }
    (text, statuses)
}

#[test]
fn the_expected_text_is_what_the_examples_give() {
    let (text, statuses) = session();
    assert_eq!(statuses, [1, 1]);
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(repository().join("examples/expected.txt"), &text).expect("the file can be written");
    }
    assert_eq!(read("examples/expected.txt"), text);
}

#[test]
fn the_pictures_of_the_readme_are_what_their_commands_print() {
    let readme = read("README.md");
    let pictures = readme
        .split("```console\n$ ctxlint ")
        .skip(1)
        .filter_map(|rest| rest.split("\n```").next());
    let pictures: Vec<_> = pictures.filter_map(|picture| picture.split_once('\n')).collect();
    assert_eq!(pictures.len(), 2);
    for (command, picture) in pictures {
        assert!(
            picture.contains("Order brake pads") || picture.contains("takes this for the question"),
            "{picture}"
        );
        let arguments: Vec<_> = command.split(' ').collect();
        let printed = run(repository(), &arguments).stdout;
        assert!(
            printed.contains(picture),
            "{command} does not print\n{picture}\nbut\n{printed}"
        );
    }
}

#[test]
fn both_halves_tell_the_agents_apart() {
    for half in ["check", "audit"] {
        let report = run(repository(), &[half, "examples", "--format", "concise"]).stdout;
        assert!(report.contains("examples/defective/"), "{half}: {report}");
        let mended = report.lines().filter(|line| line.starts_with("examples/mended/"));
        let loud: Vec<_> = mended
            .filter(|line| line.contains(": error ") || line.contains(": warn "))
            .collect();
        assert!(loud.is_empty(), "{half}: {loud:#?}");
    }
}

/// `text` with each block behind a command as it has to be: `$ ctxlint …` in a block of a console, or a comment that
/// says which part of which JSON follows.
fn with_real_outputs(text: &str) -> String {
    let mut real = String::new();
    let mut lines = text.lines().peekable();
    let printed = |command: &str| {
        let arguments: Vec<_> = command.split(' ').skip(1).collect();
        run(repository(), &arguments).stdout
    };
    while let Some(line) = lines.next() {
        real.extend([line, "\n"]);
        let part = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let output = if let Some(command) = line.strip_prefix("$ ").filter(|_| lines.peek().is_some()) {
            printed(command)
        } else if let Some((pointer, command)) = part.and_then(|part| part.split_once(" of: ")) {
            real.extend(lines.next().into_iter().chain(["\n"]));
            let document: serde_json::Value = serde_json::from_str(&printed(command)).expect("the output is JSON");
            let part = document
                .pointer(pointer.trim_end_matches('/'))
                .expect("the output has this part");
            serde_json::to_string_pretty(part).expect("a value serialises") + "\n"
        } else {
            continue;
        };
        real.push_str(&output);
        while lines.peek().is_some_and(|line| *line != "```") {
            lines.next();
        }
    }
    real
}

/// The pages whose blocks are what the program prints, with how many blocks of a console and of JSON they have.
const PAGES: [(&str, usize, usize); 2] = [("docs/output.md", 5, 2), ("docs/why.md", 3, 0)];

#[test]
fn the_outputs_in_the_documentation_are_real() {
    for (page, outputs, parts) in PAGES {
        let text = read(page);
        let blocks = (
            text.matches("\n$ ctxlint ").count(),
            text.matches(" of: ctxlint ").count(),
        );
        assert_eq!(blocks, (outputs, parts), "{page}");
        in_step(page, &with_real_outputs(&text));
    }
}

#[test]
fn every_format_is_documented() {
    let text = read("docs/output.md");
    for format in ctxlint::report::Format::ALL {
        let name = format.as_str();
        assert!(text.contains(&format!("`{name}`")), "{name} is not documented");
    }
}

#[test]
fn the_page_of_the_command_line_is_its_help() {
    let overview = run(repository(), &["--help"]).stdout;
    let (_, commands) = overview.split_once("Commands:\n").expect("the help lists the commands");
    let commands: Vec<&str> = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(commands.contains(&"check") && commands.len() > 8, "{commands:?}");
    let mut page = String::from(
        "# The command line\n\nThe help of every command, as `--help` prints it. \
         [The output formats](output.md) and [the configuration](configuration.md) have pages of their own.\n",
    );
    for name in commands {
        let help = run(repository(), &[name, "--help"]).stdout;
        page.extend(["\n## ", name, "\n\n```text\n", help.trim_end(), "\n```\n"]);
    }
    in_step("docs/cli.md", &page);
}

/// Holds a page to what it has to be, or writes it.
fn in_step(page: &str, text: &str) {
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(repository().join(page), text).expect("the file can be written");
    } else {
        assert_eq!(read(page), text, "{page}");
    }
}
