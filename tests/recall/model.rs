//! A session as any format could tell it: messages, and the steps in which the list of them came about.

use std::collections::HashSet;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    System,
    /// What the person asked.
    Question,
    /// What a program put there; its text is wrapped in tags that say so.
    Injection,
    /// The end of a turn.
    Answer,
    /// What the model says before it calls, where that is a message of its own.
    Remark,
    /// Calls of tools.
    Call,
    /// The result of one call.
    Result,
    Summary,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// What tells it from all others, also from a copy of it.
    pub(crate) uid: usize,
    /// Its id, where the format has ids.
    pub(crate) id: String,
    pub(crate) what: What,
    pub(crate) text: String,
    /// Ids of the calls it makes.
    pub(crate) calls: Vec<String>,
    /// The id of the call it answers.
    pub(crate) answers: Option<String>,
}

impl Message {
    /// Whether it is the result of one of these calls.
    pub(crate) fn is_result_of(&self, calls: &[String]) -> bool {
        self.answers.as_ref().is_some_and(|call| calls.contains(call))
    }
}

/// How a step came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The person asks.
    Input,
    /// The model was called with the list before the step, and answered.
    Model,
    /// Tools answered.
    Tools,
    /// A part of the program, which has a name.
    Node(&'static str),
    /// The harness shortened the list, in the way that it documents.
    Compaction,
}

/// What a step does to the list.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    Append(Vec<Message>),
    /// Another list instead.
    Set(Vec<Message>),
    /// What a compaction leaves of the list.
    Compact(Compact),
}

/// A compaction.
#[derive(Clone, Debug)]
pub(crate) struct Compact {
    pub(crate) style: Style,
    /// How many turns at the end stay as they are.
    pub(crate) keeps: usize,
    pub(crate) summary: Message,
}

/// What a harness leaves when it compacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// The summary, then the turns that are kept.
    SummaryFirst,
    /// What the person asked in all turns, then the summary.
    QuestionsFirst,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) how: How,
    pub(crate) does: Does,
}

/// A session from its beginning to its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) steps: Vec<Step>,
    /// The message whose record names a parent that is nowhere, where records are linked.
    pub(crate) severed: Option<usize>,
    /// The step at which the model was called and read nothing from the provider's cache, where that is told.
    pub(crate) missed: Option<usize>,
    /// How many messages were made.
    made: usize,
}

impl Timeline {
    /// A number for a message that did not exist before.
    pub(crate) fn uid(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    /// A copy of a message under an id of its own.
    pub(crate) fn copy(&mut self, message: &Message) -> Message {
        let uid = self.uid();
        Message {
            uid,
            id: format!("{}{uid}", letter(message.what)),
            ..message.clone()
        }
    }

    /// The list behind each step.
    pub(crate) fn lists(&self) -> Vec<Vec<Message>> {
        let mut list: Vec<Message> = Vec::new();
        let fold = |step: &Step| {
            match &step.does {
                Does::Append(messages) => list.extend(messages.iter().cloned()),
                Does::Set(messages) => list.clone_from(messages),
                Does::Compact(compact) => list = compact.left_of(&list),
            }
            list.clone()
        };
        self.steps.iter().map(fold).collect()
    }

    /// The step in which the model was called first behind step `at`.
    pub(crate) fn call_behind(&self, at: usize) -> Option<usize> {
        (at + 1..self.steps.len()).find(|&at| self.steps[at].how == How::Model)
    }
}

impl Compact {
    fn left_of(&self, list: &[Message]) -> Vec<Message> {
        let questions: Vec<usize> = places(list, What::Question).collect();
        let from = match self.keeps {
            0 => list.len(),
            keeps => questions
                .len()
                .checked_sub(keeps)
                .map_or(list.len(), |first| questions[first]),
        };
        let mut left: Vec<Message> = list
            .iter()
            .filter(|message| message.what == What::System)
            .cloned()
            .collect();
        match self.style {
            Style::SummaryFirst => {
                left.push(self.summary.clone());
                left.extend(list[from..].iter().cloned());
            }
            Style::QuestionsFirst => {
                left.extend(questions.iter().map(|&at| list[at].clone()));
                left.push(self.summary.clone());
            }
        }
        left
    }
}

/// Where messages of a kind stand.
pub(crate) fn places(list: &[Message], what: What) -> impl DoubleEndedIterator<Item = usize> + '_ {
    (0..list.len()).filter(move |&at| list[at].what == what)
}

/// Whether no call of the list stands without its results, and no result without its call before it.
pub(crate) fn is_whole(list: &[Message]) -> bool {
    let mut open: HashSet<&str> = HashSet::new();
    for message in list {
        open.extend(message.calls.iter().map(String::as_str));
        if message.answers.as_ref().is_some_and(|call| !open.remove(call.as_str())) {
            return false;
        }
    }
    open.is_empty()
}

/// What ids of messages begin with.
pub(crate) fn letter(what: What) -> char {
    match what {
        What::System => 's',
        What::Question => 'q',
        What::Injection => 'i',
        What::Answer => 'a',
        What::Remark => 'm',
        What::Call => 'c',
        What::Result => 'r',
        What::Summary => 'z',
    }
}
