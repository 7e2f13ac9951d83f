//! The incremental fold against a fold written the naive way, and the deltas against before and after.

mod naive;

use ctxlint::history::delta::{Delta, Reset};
use ctxlint::history::entry::{Entry, Removal};
use ctxlint::history::reducer::{FoldError, History, Reducer, Write};

/// A message small enough to be made in thousands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    id: Option<u32>,
    removal: Removal,
    text: u32,
}

impl Entry for Line {
    type Id = u32;

    fn id(&self) -> Option<&u32> {
        self.id.as_ref()
    }

    fn set_id(&mut self, id: u32) {
        self.id = Some(id);
    }

    fn removal(&self) -> Removal {
        self.removal
    }
}

const ALL: u32 = u32::MAX;
const FIRST_FRESH: u32 = 1000;

/// A linear congruential generator: the same cases on every run and machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % bound
    }

    fn line(&mut self) -> Line {
        let text = self.below(1000);
        let id = Some(self.below(8)).filter(|_| self.below(6) > 0);
        match self.below(12) {
            0..=2 if id.is_some() => Line {
                id,
                removal: Removal::One,
                text,
            },
            3 => Line {
                id: Some(ALL),
                removal: Removal::All,
                text,
            },
            _ => Line {
                id,
                removal: Removal::No,
                text,
            },
        }
    }

    fn lines(&mut self, most: u32) -> Vec<Line> {
        (0..self.below(most + 1)).map(|_| self.line()).collect()
    }

    fn kept(&mut self, most: u32) -> Vec<Line> {
        let mut lines = self.lines(most);
        lines.retain(|line| line.removal == Removal::No);
        lines
    }

    fn superstep(&mut self) -> Vec<Write<Line>> {
        (0..=self.below(3))
            .map(|_| match self.below(10) {
                0 => Write::Overwrite(self.kept(5)),
                _ => Write::Update(self.lines(5)),
            })
            .collect()
    }
}

/// What the delta says must be what before and after show.
fn assert_consistent(before: &[Line], delta: &Delta<Line>, after: &[Line]) {
    let mut expected: Vec<Option<Line>> = before.iter().cloned().map(Some).collect();
    for removed in &delta.removed {
        assert_eq!(
            expected[removed.was_at].take().as_ref(),
            Some(&removed.old),
            "removed entries are told as they were"
        );
    }
    let survivors: Vec<usize> = (0..before.len()).filter(|&at| expected[at].is_some()).collect();
    assert_eq!(
        delta.appended,
        survivors.len()..after.len(),
        "all that is new stands behind all that stayed"
    );
    let mut rebuilt: Vec<Line> = expected.into_iter().flatten().collect();
    for replaced in &delta.replaced {
        assert_eq!(
            before[replaced.was_at], replaced.old,
            "replaced entries are told as they were"
        );
        assert_eq!(
            survivors[replaced.at], replaced.was_at,
            "a replacement keeps its place among those that stayed"
        );
        rebuilt[replaced.at] = after[replaced.at].clone();
    }
    rebuilt.extend_from_slice(&after[delta.appended.clone()]);
    assert_eq!(
        rebuilt, after,
        "what is neither removed, replaced nor appended is unchanged"
    );
    if delta.reset.is_some() {
        assert_eq!(delta.removed.len(), before.len(), "a reset removes everything");
    }
}

/// The ids that a fold gives to messages that were in the history without one are not in its delta.
fn name(mut lines: Vec<Line>, after: &[Line], delta: &Delta<Line>) -> Vec<Line> {
    let mut after = after.iter();
    for (at, line) in lines.iter_mut().enumerate() {
        let removed = delta.removed.iter().find(|removed| removed.was_at == at);
        let now = if let Some(removed) = removed {
            Some(&removed.old)
        } else {
            after.next()
        };
        if let (None, Some(now)) = (line.id, now) {
            line.id = now.id;
        }
    }
    lines
}

#[test]
fn folding_in_steps_equals_the_naive_fold_for_every_reducer() {
    let mut errors = 0;
    for (_, reducer) in Reducer::ALL {
        for seed in 0..400 {
            let mut random = Random(seed);
            let start = random.kept(6);
            let mut history = History::with_entries(reducer, start.clone());
            let mut state = start;
            let (mut fresh, mut naive_fresh) = (FIRST_FRESH, FIRST_FRESH);
            for _ in 0..12 {
                let mut writes = random.superstep();
                if reducer == Reducer::LastValue && random.below(4) > 0 {
                    writes.truncate(1);
                }
                let expected = naive::superstep(reducer, &state, &writes, &mut naive_fresh);
                let before = history.entries().to_vec();
                let folded = history.superstep(writes, &mut || {
                    fresh += 1;
                    fresh - 1
                });
                match (folded, expected) {
                    (Ok(delta), Ok(after)) => {
                        assert_eq!(history.entries(), after, "{reducer:?}, seed {seed}");
                        assert_consistent(&name(before, &after, &delta), &delta, &after);
                        state = after;
                    }
                    (Err(error), Err(expected)) => {
                        assert_eq!(error, expected, "{reducer:?}, seed {seed}");
                        let nameless = |lines: &[Line]| lines.iter().map(|line| line.text).collect::<Vec<_>>();
                        assert_eq!(
                            nameless(history.entries()),
                            nameless(&before),
                            "an error changes nothing"
                        );
                        errors += 1;
                        // The real fold stops here; this one may go on from the state it kept.
                        state = history.entries().to_vec();
                        naive_fresh = fresh;
                    }
                    (folded, expected) => panic!("{reducer:?}, seed {seed}: {folded:?} instead of {expected:?}"),
                }
            }
        }
    }
    assert!(errors > 500, "the cases must contain errors, found {errors}");
}

fn line(id: u32, text: u32) -> Line {
    Line {
        id: Some(id),
        removal: Removal::No,
        text,
    }
}

fn no_fresh() -> u32 {
    panic!("every message of this test has an id")
}

#[test]
fn a_delta_tells_what_a_superstep_did() {
    let mut history = History::with_entries(Reducer::Channel, vec![line(1, 10), line(2, 20), line(3, 30)]);
    let remove = |id| Line {
        id: Some(id),
        removal: Removal::One,
        text: 0,
    };
    let writes = vec![
        Write::Update(vec![line(3, 31), line(4, 40), remove(1)]),
        Write::Update(vec![remove(4), line(3, 32), line(5, 50)]),
    ];
    let delta = history.superstep(writes, &mut no_fresh).unwrap();
    assert_eq!(history.entries(), [line(2, 20), line(3, 32), line(5, 50)]);
    assert_eq!((delta.reset, delta.appended), (None, 2..3));
    let [removed] = &delta.removed[..] else {
        panic!("{:?}", delta.removed)
    };
    assert_eq!((removed.was_at, &removed.old), (0, &line(1, 10)));
    let [replaced] = &delta.replaced[..] else {
        panic!("{:?}", delta.replaced)
    };
    assert_eq!(
        (replaced.was_at, replaced.at, &replaced.old),
        (2, 1, &line(3, 30)),
        "the content before the superstep"
    );
}

#[test]
fn a_removal_of_everything_and_an_overwrite_are_told_apart() {
    let start = vec![line(1, 10), line(2, 20)];
    let remove_all = Line {
        id: Some(ALL),
        removal: Removal::All,
        text: 0,
    };
    let mut history = History::with_entries(Reducer::AddMessages, start.clone());
    let delta = history.apply(vec![remove_all, line(2, 20)], &mut no_fresh).unwrap();
    assert_eq!(
        (delta.reset, delta.removed.len(), delta.appended),
        (Some(Reset::RemoveAll), 2, 0..1)
    );
    let mut history = History::with_entries(Reducer::Channel, start);
    let delta = history
        .superstep(vec![Write::Overwrite(Vec::new())], &mut no_fresh)
        .unwrap();
    assert_eq!(
        (delta.reset, delta.removed.len(), delta.appended),
        (Some(Reset::Overwrite), 2, 0..0)
    );
}

#[test]
fn a_hundred_thousand_small_updates_do_not_copy_the_history() {
    // Quadratic work would be 10^10 entry moves: minutes, where the linear fold needs a moment.
    let many: u32 = 100_000;
    let mut history = History::new(Reducer::AddMessages);
    for id in 0..many {
        history.apply(vec![line(id, 0)], &mut no_fresh).unwrap();
        history.apply(vec![line(id / 2, 1)], &mut no_fresh).unwrap();
    }
    assert_eq!(history.entries().len(), 100_000);
    let last_replaced = history.entries().iter().rposition(|line| line.text == 1);
    assert_eq!(last_replaced, Some(49_999));
    let refused = (0..many).filter(|id| {
        let unknown = Line {
            id: Some(many + id),
            removal: Removal::One,
            text: 0,
        };
        history.apply(vec![unknown], &mut no_fresh).is_err()
    });
    assert_eq!(refused.count(), 100_000);
}

#[test]
fn one_id_a_hundred_thousand_times_in_one_update_is_one_message() {
    let mut update: Vec<Line> = (0..100_000).map(|text| line(1, text)).collect();
    update.extend((0..100_000).map(|_| Line {
        id: Some(2),
        removal: Removal::One,
        text: 0,
    }));
    let mut history = History::with_entries(Reducer::AddMessages, vec![line(2, 0)]);
    let delta = history.apply(update, &mut no_fresh).unwrap();
    assert_eq!(history.entries(), [line(1, 99_999)]);
    assert_eq!((delta.removed.len(), delta.appended), (1, 0..1));
}
