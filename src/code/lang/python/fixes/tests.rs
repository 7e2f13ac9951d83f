use super::spell;
use crate::code::lang::spelling::testing::{made, span};
use crate::mend::{Applicability, Mend};

fn after(text: &str, mend: &Mend) -> Option<String> {
    let spelled = spell(text, &[mend]).expect("the text is parsed").remove(0);
    spelled.map(|spelled| made(text, spelled))
}

/// A search, from its other end: the whole text where nothing else is searched.
fn turned(text: &str, search: &str) -> Option<String> {
    let mend = Mend::SearchFromTail {
        search: span(text, search),
        list: span(text, "xs"),
    };
    after(text, &mend)
}

#[test]
fn searches_in_one_expression() {
    let next = |text: &str| turned(text, text.trim_end());
    assert_eq!(
        next("next(m for m in xs if m.ok)\n").as_deref(),
        Some("next(m for m in reversed(xs) if m.ok)\n")
    );
    assert_eq!(
        next("next((i for i, m in enumerate(xs) if m.ok), -1)\n").as_deref(),
        Some("next((i for i, m in reversed(list(enumerate(xs))) if m.ok), -1)\n")
    );
    assert_eq!(
        next("next(i for i in range(len(xs)) if xs[i].ok)\n").as_deref(),
        Some("next(i for i in reversed(range(len(xs))) if xs[i].ok)\n")
    );
    assert_eq!(
        next("[m for m in xs if m.ok][0]\n").as_deref(),
        Some("[m for m in xs if m.ok][-1]\n")
    );
    assert_eq!(next("next(m for m in xs[::-1] if m.ok)\n"), None);
    let own = "def reversed(of): ...\n\nfound = next(m for m in xs if m.ok)\n";
    assert_eq!(
        turned(own, "next(m for m in xs if m.ok)"),
        None,
        "it is another function here"
    );
}

#[test]
fn loops_that_only_search() {
    let search = "for m in xs:\n    role = m.role\n    if role == 'user':\n        seen += 1\n        found = (m)\n        break\n";
    assert!(turned(search, "(m)").is_some_and(|text| text.starts_with("for m in reversed(xs):\n")));
    let counting = search.replace("    role = m.role\n", "    role = m.role\n    rounds += 1\n");
    assert_eq!(turned(&counting, "(m)"), None, "what is counted depends on the order");
    let kept = search.replace("        break\n", "");
    assert_eq!(turned(&kept, "(m)"), None, "the loop goes on behind the match");
}

#[test]
fn items_in_an_order() {
    let sorted = |text: &str, names: bool| {
        let mend = Mend::Sort {
            items: span(text, "xs"),
            names,
        };
        let spelled = spell(text, &[&mend]).expect("the text is parsed").remove(0);
        spelled.map(|spelled| (spelled.applicability, made(text, spelled)))
    };
    let safe = |text: &str| Some((Applicability::Safe, text.to_owned()));
    let unsafe_ = |text: &str| Some((Applicability::Unsafe, text.to_owned()));
    assert_eq!(sorted("', '.join(xs)\n", false), safe("', '.join(sorted(xs))\n"));
    assert_eq!(
        sorted("for x in xs:\n    f(x)\n", true),
        safe("for x in sorted(xs):\n    f(x)\n")
    );
    assert_eq!(
        sorted("for x in xs:\n    f(x)\n", false),
        unsafe_("for x in sorted(xs):\n    f(x)\n")
    );
    assert_eq!(
        sorted("a = [f(x) for x in xs]\n", false),
        unsafe_("a = [f(x) for x in sorted(xs)]\n")
    );
    assert_eq!(sorted("a = list(xs)\n", false), unsafe_("a = sorted(xs)\n"));
    assert_eq!(sorted("a = [*xs]\n", false), unsafe_("a = [*sorted(xs)]\n"));
    assert_eq!(sorted("f(xs)\n", false), None);
    assert_eq!(sorted("async for x in xs:\n    f(x)\n", false), None);
}

#[test]
fn arguments_by_name() {
    let named = |text: &str| {
        let mend = Mend::NameArgument {
            call: span(text, text.trim_end()),
            name: "start_on".to_owned(),
            value: "human".to_owned(),
        };
        after(text, &mend)
    };
    assert_eq!(
        named("trim_messages(xs, max_tokens=9,)\n").as_deref(),
        Some("trim_messages(xs, max_tokens=9, start_on=\"human\",)\n")
    );
    assert_eq!(
        named("trim_messages(xs, strategy='last')\n").as_deref(),
        Some("trim_messages(xs, strategy='last', start_on=\"human\")\n")
    );
    assert_eq!(named("trim_messages(xs, strategy='first')\n"), None);
    assert_eq!(named("trim_messages(xs, **options)\n"), None, "it may be told already");
}

#[test]
fn lists_that_replace_all() {
    let replacing = |text: &str| {
        let mend = Mend::ReplaceAll { list: span(text, "xs") };
        after(text, &mend)
    };
    let imported =
        "from langchain_core.messages import RemoveMessage\nfrom langgraph.graph.message import REMOVE_ALL_MESSAGES\n";
    assert_eq!(
        replacing(&format!("{imported}u = {{'messages': xs}}\n")),
        Some(format!(
            "{imported}u = {{'messages': [RemoveMessage(id=REMOVE_ALL_MESSAGES), *xs]}}\n"
        ))
    );
    assert_eq!(
        replacing("\"\"\"Doc.\"\"\"\nu = {'messages': xs}\n"),
        Some(format!(
            "\"\"\"Doc.\"\"\"\n{imported}u = {{'messages': [RemoveMessage(id=REMOVE_ALL_MESSAGES), *xs]}}\n"
        ))
    );
    assert_eq!(
        replacing("RemoveMessage = 1\nu = {'messages': xs}\n"),
        None,
        "the name is taken"
    );
}

#[test]
fn indices_that_move_on() {
    let advanced = |text: &str| {
        let mend = Mend::AdvanceIndex {
            insert: span(text, "out.insert(at_, f(x))"),
            items: span(text, "xs"),
        };
        after(text, &mend)
    };
    let plain = "for x in xs:\n    out.insert(at_, f(x))\n";
    assert_eq!(
        advanced(plain).as_deref(),
        Some("for at, x in enumerate(xs, at_):\n    out.insert(at, f(x))\n")
    );
    let taken = "at = 1\nfor x in xs:\n    out.insert(at_, f(x))\n";
    assert!(advanced(taken).is_some_and(|text| text.contains("for index, x in enumerate(xs, at_):")));
    let pairs = "for k, x in xs:\n    out.insert(at_, f(x))\n";
    assert!(advanced(pairs).is_some_and(|text| text.starts_with("for at, (k, x) in enumerate(xs, at_):")));
    for gaps in [
        "for x in xs:\n    if x:\n        out.insert(at_, f(x))\n",
        "for x in xs:\n    if not x:\n        continue\n    out.insert(at_, f(x))\n",
        "for x in xs:\n    out.insert(at_, f(x))\n    out.append(x)\n",
    ] {
        assert_eq!(advanced(gaps), None, "{gaps}");
    }
}

#[test]
fn clocks_that_tell_the_day() {
    let coarse = |text: &str, way: &[&str]| {
        let way = way.iter().map(|part| span(text, part)).collect();
        after(text, &Mend::CoarsenClock { way, from: 0 })
    };
    let now = |text: &str| coarse(text, &["datetime.now()"]);
    assert_eq!(
        now("t = datetime.now().isoformat()\n").as_deref(),
        Some("t = datetime.now().date().isoformat()\n")
    );
    assert_eq!(
        now("t = datetime.now().strftime('%d.%m. %H:%M')\n").as_deref(),
        Some("t = datetime.now().strftime('%d.%m')\n")
    );
    assert_eq!(
        now("t = f'{datetime.now():%Y-%m-%d %H}'\n").as_deref(),
        Some("t = f'{datetime.now():%Y-%m-%d}'\n")
    );
    assert_eq!(
        now("t = f'{datetime.now()}'\n").as_deref(),
        Some("t = f'{datetime.now().date()}'\n")
    );
    assert_eq!(
        now("t = str(datetime.now())\n").as_deref(),
        Some("t = str(datetime.now().date())\n")
    );
    assert_eq!(
        now("t = f'{datetime.now().strftime(form)}'\n"),
        None,
        "nobody knows the format"
    );
    let named = "def f():\n    return f'{at}'\n\nat = datetime.now()\n";
    assert!(coarse(named, &["datetime.now()", "at"]).is_some_and(|text| text.contains("f'{at.date()}'")));
    let given = "def f():\n    return local.strftime('%d.%m.%Y %H:%M')\n\nlocal = to_local(datetime.now())\n";
    let way = ["datetime.now()", "to_local(datetime.now())", "local"];
    assert!(coarse(given, &way).is_some_and(|text| text.contains("local.strftime('%d.%m.%Y')")));
    let given = given.replace(".strftime('%d.%m.%Y %H:%M')", ".isoformat()");
    assert_eq!(coarse(&given, &way), None, "what the function gives may be a text");
    let shown = "n = datetime.now()\ns = n.strftime(form)\nt = f'{s}'\n";
    assert_eq!(
        coarse(shown, &["datetime.now()", "n.strftime(form)"]),
        None,
        "a text has no date"
    );
}
