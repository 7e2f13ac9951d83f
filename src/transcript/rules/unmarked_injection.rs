//! Text of a program that nothing tells from the person's words.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{StepRule, Symptom, count, name, quote};
use crate::finding::Severity;
use crate::rule::UNMARKED_INJECTION;
use crate::transcript::markers::Origin;
use crate::transcript::message::{Live, Place, Role, Telling};
use crate::transcript::step::{Scene, Step};

/// A text that a node wrote twice and that has so many bytes is one of the program's.
const WRITTEN: usize = 40;

/// The same for a text that stands beside the person's own at several turns.
const LONG: usize = 120;

/// How often it stands there.
const TURNS: usize = 3;

/// How many others of a family are shown.
const SHOWN: usize = 8;

/// Parts of names of nodes that hand in what a person typed.
const HANDS_IN: [&str; 7] = ["human", "user", "input", "ask", "person", "chat", "start"];

/// Tells each family of injections once.
#[derive(Default)]
pub(crate) struct UnmarkedInjection {
    /// In the order in which they came.
    families: Vec<Family>,
    by_key: FxHashMap<Box<str>, usize>,
}

struct Family {
    /// The first of its members.
    members: Vec<Live>,
    /// Where all of them stand.
    places: FxHashSet<Place>,
    telling: Telling,
    node: Option<String>,
}

impl StepRule for UnmarkedInjection {
    fn step(&mut self, step: &Step<'_>, _symptoms: &mut Vec<Symptom>) {
        // Who wrote what, where that has to be known.
        let mut writers: Option<FxHashMap<u64, &str>> = None;
        for at in super::arrivals(step) {
            let live = &step.after[at];
            let Some(class) = live.class.as_deref() else { continue };
            let node = match live.telling {
                Telling::Mark => continue,
                Telling::Role | Telling::Opening => None,
                Telling::Nothing => match writer(writers.get_or_insert_with(|| writers_of(step)), live) {
                    Some(node) if live.length >= WRITTEN => Some(node),
                    _ => continue,
                },
            };
            let next = self.families.len();
            let family = *self.by_key.entry(class.key.clone()).or_insert(next);
            if family == next {
                self.families.push(Family {
                    members: Vec::new(),
                    places: FxHashSet::default(),
                    telling: live.telling,
                    node,
                });
            }
            let family = &mut self.families[family];
            if family.places.insert(live.place) && family.members.len() <= SHOWN {
                family.members.push(live.clone());
            }
        }
    }

    fn end(&mut self, scene: &Scene<'_>, symptoms: &mut Vec<Symptom>) {
        let families = std::mem::take(&mut self.families);
        symptoms.extend(families.iter().filter_map(told));
        symptoms.extend(beside_the_person(scene.list));
    }
}

/// For each message that nodes returned, by what it says, the first that did.
fn writers_of<'s>(step: &'s Step<'_>) -> FxHashMap<u64, &'s str> {
    let mut writers = FxHashMap::default();
    for write in step.writes.iter().filter(|write| write.origin == Origin::Node) {
        for written in &write.messages {
            writers.entry(written.live.print).or_insert(&*write.node);
        }
    }
    writers
}

/// The node that wrote a message, unless it is one that hands in what a person typed.
fn writer(writers: &FxHashMap<u64, &str>, live: &Live) -> Option<String> {
    let node = writers.get(&live.print)?.to_lowercase();
    let hands_in = HANDS_IN.iter().any(|part| node.contains(part));
    (!hands_in).then_some(node)
}

fn told(family: &Family) -> Option<Symptom> {
    let first = family.members.first()?;
    let times = count(family.places.len(), "time", "times");
    let (label, message) = match (family.telling, &family.node) {
        // One text may be what the node was handed; the same one twice is its own.
        (Telling::Nothing, Some(node)) if family.members.len() > 1 => (
            "as if the person had said it",
            format!(
                "`{node}` wrote {} {times} in the role of the user, and nothing in it tells it from what the person said",
                quote(first)
            ),
        ),
        (Telling::Opening, _) => (
            "as if the person had said it",
            format!(
                "{} is the program's, told {times} in the role of the user, and only its wording tells it from what the person said",
                quote(first)
            ),
        ),
        (Telling::Role, _) => (
            "no tag says whose it is",
            format!(
                "{} was added {times} without the tag that tells what others put into this role from each other",
                quote(first)
            ),
        ),
        _ => return None,
    };
    let severity = if family.telling == Telling::Nothing {
        Severity::Warn
    } else {
        Severity::Info
    };
    let mut symptom = Symptom::new(&UNMARKED_INJECTION, first, label, message)
        .severity(severity)
        .alone();
    for member in &family.members[1..] {
        symptom = symptom.related(member, "once more");
    }
    Some(symptom)
}

/// A long text that stands word for word beside the person's own words in several turns: nobody types it again.
fn beside_the_person(list: &[Live]) -> Vec<Symptom> {
    let is_open = |live: &Live| live.is_authored() && live.role == Role::User && live.telling == Telling::Nothing;
    let mut texts: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (at, live) in list.iter().enumerate() {
        if is_open(live) && live.length >= LONG {
            texts.entry(live.content).or_default().push(at);
        }
    }
    let mut found: Vec<Symptom> = Vec::new();
    let mut repeated: Vec<Vec<usize>> = texts.into_values().filter(|places| places.len() >= TURNS).collect();
    repeated.sort_unstable();
    for places in repeated {
        let own = |at: usize| {
            let beside = [at.checked_sub(1), Some(at + 1)];
            let others = beside.into_iter().flatten().filter_map(|at| list.get(at));
            others
                .filter(|live| live.is_authored() && live.content != list[at].content)
                .map(|live| live.content)
                .next()
        };
        let beside: Vec<u64> = places.iter().filter_map(|&at| own(at)).collect();
        let differ = beside.windows(2).any(|pair| pair[0] != pair[1]);
        if beside.len() < places.len() || !differ {
            continue;
        }
        let first = &list[places[0]];
        let message = format!(
            "{} stands beside what the person said in {} turns, word for word, and nothing in it says that a program wrote it",
            name(first),
            places.len()
        );
        let mut symptom = Symptom::new(&UNMARKED_INJECTION, first, "as if the person had said it", message).alone();
        for &at in places[1..].iter().take(SHOWN) {
            symptom = symptom.related(&list[at], "the same text");
        }
        found.push(symptom);
    }
    found
}
