//! Links between records that lead nowhere or past what they should lead to.

use super::{StepRule, Symptom, count};
use crate::finding::{Confidence, Severity};
use crate::rule::BROKEN_CHAIN;
use crate::transcript::event::{Chain, Dangling};
use crate::transcript::replay::Noted;
use crate::transcript::step::Scene;

pub(crate) struct BrokenChain;

impl StepRule for BrokenChain {
    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        let Noted::Chain(fault) = *noted else { return };
        symptoms.extend(symptom(scene, fault));
    }
}

fn symptom(scene: &Scene<'_>, fault: Chain) -> Option<Symptom> {
    let at = |label, message| Symptom::at_spot(&BROKEN_CHAIN, scene.spot, scene.turn, label, label, message);
    Some(match fault {
        Chain::Dangling(Dangling::Hides(hidden)) => at(
            "its parent is not in the record",
            format!(
                "the parent of this record is nowhere in the file: whoever goes back from the end of the conversation \
                 stops here and does not read the {} before it",
                count(hidden, "message", "messages"),
            ),
        ),
        Chain::Dangling(Dangling::Aside) => at(
            "its parent is not in the record",
            "the parent of this record is nowhere in the file: whoever resumed the conversation from here read nothing \
             of what came before; its end is reached another way"
                .to_owned(),
        )
        .severity(Severity::Warn),
        Chain::Around { back, hides } => at(
            "goes on from before the compaction",
            format!(
                "the conversation goes on from before the last compaction: the model reads {} again that a summary \
                 had replaced, and nothing of the {} behind it",
                count(back, "message", "messages"),
                count(hides, "message", "messages"),
            ),
        ),
        Chain::NotKept(missing) => at(
            "kept what is not in the record",
            format!(
                "the compaction names messages that it kept, and {} nowhere in the file: the model goes on with the \
                 summary alone",
                count(missing, "of them is", "of them are"),
            ),
        )
        .severity(Severity::Warn),
        Chain::KeepsTooMuch => at(
            "what it kept is left out",
            "the compactions up to this one keep more messages in all than are followed: what it kept is left out, and \
             what later ones kept may be, too"
                .to_owned(),
        )
        .severity(Severity::Warn),
        Chain::Window => at(
            "goes on from another window",
            "this compaction goes on from another window than the one that the compaction before it began: what the \
             model read in between is not in the record"
                .to_owned(),
        ),
        Chain::Ordinal { repeats, times } => {
            let which = if repeats {
                "the number of"
            } else {
                "a lower number than"
            };
            let more = match times - 1 {
                0 => String::new(),
                more => format!(", as {} do", count(more, "later record", "later records")),
            };
            let more = if times == 2 { more.replace(" do", " does") } else { more };
            let message = format!(
                "this record has {which} the record before it{more}: a reader that goes by the numbers leaves records \
                 out or reads them in another order"
            );
            at("its number does not rise", message)
        }
        Chain::RolledBack { compaction } => {
            let message = "turns are taken back behind which the history was compacted: a replay that begins at the \
                           compaction reads what was taken back, and not what stood before it"
                .to_owned();
            let mut symptom = at("takes back what was compacted", message).confidence(Confidence::Medium);
            symptom.related.push((compaction, "the compaction".to_owned()));
            symptom
        }
        Chain::Dangling(Dangling::Nothing)
        | Chain::Unreachable
        | Chain::NoTail
        | Chain::Tie
        | Chain::OtherSummary { .. }
        | Chain::Again { .. }
        | Chain::Inverted { .. } | Chain::LastFirst { .. } => return None,
    })
}
