//! Sessions in which nothing is wrong, of many lengths and shapes.

use crate::model::{Compact, Does, How, Message, Step, Timeline, What, letter, places};
use crate::support::random::Random;
use crate::write::Traits;

const DEEDS: [&str; 24] = [
    "count",
    "sort",
    "repair",
    "describe",
    "measure",
    "label",
    "rename",
    "draw",
    "weigh",
    "clean",
    "paint",
    "store",
    "lend",
    "translate",
    "polish",
    "wrap",
    "mend",
    "archive",
    "compare",
    "photograph",
    "stack",
    "fold",
    "water",
    "sow",
];
const MANNERS: [&str; 20] = [
    "wooden", "narrow", "green", "broken", "silent", "heavy", "rusty", "woollen", "bitter", "round", "borrowed",
    "early", "empty", "frozen", "golden", "hollow", "inner", "jagged", "lonely", "modest",
];
const THINGS: [&str; 28] = [
    "lanterns", "beans", "violins", "ladders", "maps", "kettles", "anchors", "saddles", "mirrors", "candles", "ropes",
    "spoons", "carpets", "bottles", "wheels", "feathers", "baskets", "gloves", "stamps", "clocks", "drums", "sails",
    "roofs", "fences", "stairs", "wells", "ovens", "nets",
];
const PLACES: [&str; 20] = [
    "harbour",
    "cellar",
    "orchard",
    "attic",
    "mill",
    "chapel",
    "quarry",
    "meadow",
    "tower",
    "bakery",
    "stable",
    "bridge",
    "garden",
    "tannery",
    "forge",
    "market",
    "lighthouse",
    "vineyard",
    "barn",
    "cloister",
];

/// What an injection tells, as far as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// How something stands at the moment.
    State,
    /// That something happened.
    Event,
    /// A text that holds for the whole session.
    Standing,
}

impl Family {
    pub(crate) const fn names(self) -> &'static [&'static str] {
        match self {
            Self::State => &["plan_state", "workspace_tree", "cart_status"],
            Self::Event => &["job_finished", "upload_result", "mail_notification"],
            Self::Standing => &["style_guide", "house_rules", "spelling_advice"],
        }
    }
}

/// Makes messages.
pub(crate) struct Maker<'r> {
    pub(crate) timeline: Timeline,
    pub(crate) random: &'r mut Random,
}

impl Maker<'_> {
    /// One of several.
    pub(crate) fn one_of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.random.below(words.len())]
    }

    /// Whether something happens that does so in one of `cases`.
    pub(crate) fn one_in(&mut self, cases: usize) -> bool {
        self.random.below(cases) == 0
    }

    pub(crate) fn message(&mut self, what: What, text: String) -> Message {
        let uid = self.timeline.uid();
        Message {
            uid,
            id: format!("{}{uid}", letter(what)),
            what,
            text,
            calls: Vec::new(),
            answers: None,
        }
    }

    fn about(&mut self) -> String {
        let (manner, thing) = (self.one_of(&MANNERS), self.one_of(&THINGS));
        let (other, place) = (self.one_of(&MANNERS), self.one_of(&PLACES));
        format!("the {manner} {thing} of the {other} {place}")
    }

    /// What an injection says.
    pub(crate) fn body(&mut self) -> String {
        self.about()
    }

    fn question(&mut self) -> Message {
        let deed = self.one_of(&DEEDS);
        let about = self.about();
        let text = match self.random.below(3) {
            0 => format!("Please {deed} {about}."),
            1 => format!("How do I {deed} {about}?"),
            _ => format!("{deed} {about}"),
        };
        self.message(What::Question, text)
    }

    fn answer(&mut self) -> Message {
        let deed = self.one_of(&DEEDS);
        let text = format!("I was asked to {deed} {}, and so I did.", self.about());
        self.message(What::Answer, text)
    }

    /// What the model says in the middle of a turn: one message, or one for what it says and one for each call.
    fn calls(&mut self, traits: &Traits) -> Vec<Message> {
        let text = if self.one_in(2) {
            format!("First I look at {}.", self.about())
        } else {
            String::new()
        };
        let many = if traits.parallel && self.one_in(3) {
            2 + self.random.below(2)
        } else {
            1
        };
        if !traits.apart {
            let mut message = self.message(What::Call, text);
            message.calls = (0..many).map(|n| format!("call_{}_{n}", message.uid)).collect();
            return vec![message];
        }
        let remark = (!text.is_empty()).then(|| self.message(What::Remark, text));
        let call = |_| {
            let mut message = self.message(What::Call, String::new());
            message.calls = vec![format!("call_{}", message.uid)];
            message
        };
        let calls: Vec<Message> = (0..many).map(call).collect();
        remark.into_iter().chain(calls).collect()
    }

    fn results(&mut self, said: &[Message]) -> Vec<Message> {
        let result = |id: &String| {
            let text = format!("In sight: {}, {}.", self.about(), self.about());
            let mut message = self.message(What::Result, text);
            message.answers = Some(id.clone());
            message
        };
        said.iter().flat_map(|message| &message.calls).map(result).collect()
    }

    /// An injection of a family, with a body of its own.
    pub(crate) fn injection(&mut self, family: Family) -> Message {
        let name = self.one_of(family.names());
        let about = self.about();
        self.injection_named(name, &about)
    }

    pub(crate) fn injection_named(&mut self, name: &str, body: &str) -> Message {
        let text = format!("<system-reminder>\n<{name}>{body}</{name}>\n</system-reminder>");
        self.message(What::Injection, text)
    }

    pub(crate) fn summary(&mut self) -> Message {
        let text = format!(
            "Summary of the conversation so far: {} and {} were dealt with.",
            self.about(),
            self.about()
        );
        self.message(What::Summary, text)
    }

    fn step(&mut self, how: How, messages: Vec<Message>) {
        let does = Does::Append(messages);
        self.timeline.steps.push(Step { how, does });
    }

    /// One turn: a question, rounds of tools, an answer.
    fn turn(&mut self, traits: &Traits, mut input: Vec<Message>) {
        if traits.injections && self.one_in(8) {
            input.push(self.injection(Family::Event));
        }
        input.push(self.question());
        self.step(How::Input, input);
        for _ in 0..self.random.below(4) {
            let calls = self.calls(traits);
            let results = self.results(&calls);
            self.step(How::Model, calls);
            self.step(How::Tools, results);
            if traits.injections && self.one_in(8) {
                let injection = self.injection(Family::Event);
                self.step(How::Node("notices"), vec![injection]);
            }
        }
        let answer = self.answer();
        self.step(How::Model, vec![answer]);
    }
}

/// A session in which nothing is wrong.
pub(crate) fn session<'r>(random: &'r mut Random, traits: &Traits) -> Maker<'r> {
    let mut maker = Maker {
        timeline: Timeline::default(),
        random,
    };
    let mut input = Vec::new();
    if traits.system {
        let mut text = format!("You look after {}.", maker.about());
        // Providers do not cache short prompts.
        if maker.one_in(4) {
            let matters = (0..110).map(|_| format!(" Then there is the matter of {}.", maker.about()));
            let matters: Vec<String> = matters.collect();
            text.push_str(&matters.concat());
        }
        input.push(maker.message(What::System, text));
    }
    if traits.injections && maker.one_in(3) {
        input.push(maker.injection(Family::Standing));
    }
    for turn in 0..2 + maker.random.below(4) {
        maker.turn(traits, std::mem::take(&mut input));
        if let Some(style) = traits.compaction
            && turn > 0
            && maker.one_in(6)
        {
            // One turn at least is summed up.
            let list = maker.timeline.lists().pop().unwrap_or_default();
            let turns = places(&list, What::Question).count();
            let compact = Compact {
                style,
                keeps: maker.random.below(3).min(turns.saturating_sub(1)),
                summary: maker.summary(),
            };
            maker.timeline.steps.push(Step {
                how: How::Compaction,
                does: Does::Compact(compact),
            });
        }
    }
    maker
}
