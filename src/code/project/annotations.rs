//! The classes that an annotation names.

/// Generic types that say nothing about the value beyond their first argument.
const TRANSPARENT: &[&str] = &[
    "Optional",
    "Annotated",
    "Final",
    "ClassVar",
    "Required",
    "NotRequired",
    "ReadOnly",
    "InitVar",
    "Mapped",
];

/// Generic types whose elements are their last argument.
const CONTAINERS: &[&str] = &[
    "list",
    "List",
    "Sequence",
    "MutableSequence",
    "Iterable",
    "Iterator",
    "Collection",
    "tuple",
    "Tuple",
    "set",
    "Set",
    "frozenset",
    "deque",
    "Deque",
    "AsyncIterator",
    "AsyncIterable",
    "Generator",
];

/// The dotted names of the classes that a value with this annotation is an instance of.
pub(super) fn classes(annotation: &str) -> Vec<&str> {
    let mut found = Vec::new();
    collect(annotation, 0, &mut found);
    found
}

/// The annotation of the elements, where the annotation is one of a container.
pub(super) fn element(annotation: &str) -> Option<&str> {
    let (head, arguments) = generic(unquoted(annotation));
    let name = last_part(head);
    if TRANSPARENT.contains(&name) {
        return element(arguments.first()?);
    }
    CONTAINERS.contains(&name).then(|| arguments.first().copied())?
}

fn collect<'a>(annotation: &'a str, depth: usize, found: &mut Vec<&'a str>) {
    if depth > 8 {
        return;
    }
    let annotation = unquoted(annotation);
    let alternatives = split(annotation, '|');
    if alternatives.len() > 1 {
        for alternative in alternatives {
            collect(alternative, depth + 1, found);
        }
        return;
    }
    let (head, arguments) = generic(annotation);
    match last_part(head) {
        "Union" => {
            for argument in arguments {
                collect(argument, depth + 1, found);
            }
        }
        name if TRANSPARENT.contains(&name) => {
            if let Some(first) = arguments.first() {
                collect(first, depth + 1, found);
            }
        }
        "None" | "Any" | "object" | "" => {}
        _ if head.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') => found.push(head),
        _ => {}
    }
}

/// `head[a, b]`.
fn generic(annotation: &str) -> (&str, Vec<&str>) {
    match annotation.split_once('[') {
        Some((head, rest)) => {
            let inside = rest.trim_end().strip_suffix(']').unwrap_or(rest);
            (head.trim(), split(inside, ','))
        }
        None => (annotation.trim(), Vec::new()),
    }
}

/// Splits outside brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0;
    let mut start = 0;
    let mut pieces = Vec::new();
    for (at, character) in text.char_indices() {
        match character {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ if character == separator && depth == 0 => {
                pieces.push(text[start..at].trim());
                start = at + character.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(text[start..].trim());
    pieces
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

fn last_part(dotted: &str) -> &str {
    dotted.rsplit('.').next().unwrap_or(dotted)
}
