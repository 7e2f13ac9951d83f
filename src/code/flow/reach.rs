//! Where a value goes, and where it comes from: walks through the value-flow graph that match calls
//! with their returns and fields with their loads.

use std::collections::VecDeque;

use arrayvec::ArrayVec;
use rustc_hash::FxHashSet;

use super::graph::{Edge, Flow, Graph, Node, Origin, Part, Site, Symbol};

/// How many calls a walk keeps in mind; deeper ones are matched with any caller.
const CALL_DEPTH: usize = 6;
/// How many containers a walk keeps in mind.
const HOLD_DEPTH: usize = 4;
/// How many states one walk visits; a walk that stops here reports what it saw.
const STATES: usize = 20_000;

/// The containers around a value, outermost last.
pub(crate) type Holds = ArrayVec<Held, HOLD_DEPTH>;

/// A container around the value that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Held {
    /// A field or string key.
    Field(Symbol),
    /// An element of a list.
    Item,
}

/// What was done to a value on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Via {
    /// It was made into text or a number.
    pub(crate) text: bool,
    /// It went through a call outside the project.
    pub(crate) opaque: bool,
    /// Only a part of the list, or the list in another order, is left.
    pub(crate) part: bool,
    /// It is an element of the list that was followed.
    pub(crate) element: bool,
    /// It is a field of the value that was followed.
    pub(crate) load: Option<Symbol>,
    /// It is a position in the list that was followed.
    pub(crate) position: bool,
    /// It was copied deeply.
    pub(crate) detached: bool,
    /// It is a new list with the same elements.
    pub(crate) copied: bool,
}

/// A node that a walk came to.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// The node.
    pub(crate) node: Node,
    /// What was done on the way.
    pub(crate) via: Via,
    /// The containers around the value, outermost last; backward: the fields of this node that are
    /// wanted.
    pub(crate) held: Holds,
    /// The step before, as an index into the result; `None` for the start.
    pub(crate) previous: Option<u32>,
}

/// The direction of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Along the flow of values.
    Forward,
    /// Against it.
    Backward,
}

/// The calls that a walk went into, outermost first.
type Calls = ArrayVec<Site, CALL_DEPTH>;

struct State {
    node: Node,
    via: Via,
    held: Holds,
    calls: Calls,
    /// Whether it left a package for one that uses it.
    out: bool,
    previous: Option<u32>,
}

/// Walks from `start`. `follow` is asked before each step; it sees the flow, what was done so far and
/// the containers, and may stop the walk there.
///
/// What a package gives to one that uses it, and that one to it again, is not followed: it is for any user,
/// and what one does with all that it gets ties together what has nothing to do with each other.
pub(crate) fn reach(
    graph: &Graph,
    start: Node,
    direction: Direction,
    mut follow: impl FnMut(Flow, &Via, &[Held], Node) -> bool,
) -> Vec<Reached> {
    let mut seen = FxHashSet::default();
    let mut queue = VecDeque::from([State {
        node: start,
        via: Via::default(),
        held: Holds::new(),
        calls: Calls::new(),
        out: false,
        previous: None,
    }]);
    let mut reached = Vec::new();
    while let Some(state) = queue.pop_front() {
        if !seen.insert((
            state.node,
            state.via,
            state.held.clone(),
            state.calls.clone(),
            state.out,
        )) {
            continue;
        }
        if reached.len() >= STATES {
            break;
        }
        let here = reached.len() as u32;
        let edges = match direction {
            Direction::Forward => graph.outgoing(state.node),
            Direction::Backward => graph.incoming(state.node),
        };
        for edge in edges {
            let enters = match (edge.flow, direction) {
                (Flow::Enter(site), Direction::Forward) | (Flow::Leave(site), Direction::Backward) => Some(site),
                _ => None,
            };
            let origin = graph.origin(edge.node);
            if enters.is_some_and(|site| !graph.dispatch.enters(site, &state.calls, origin)) {
                continue;
            }
            if follow(edge.flow, &state.via, &state.held, edge.node)
                && let Some(mut next) = step(&state, *edge, direction)
            {
                next.previous = Some(here);
                if graph.crosses(state.node, next.node) {
                    let (into, back) = (
                        next.calls.len() > state.calls.len(),
                        next.calls.len() < state.calls.len(),
                    );
                    if state.out && !back {
                        continue;
                    }
                    next.out |= !into && !back;
                }
                // A field, or a variable of a scope around, is written by one call and read by another.
                if matches!(graph.origin(next.node), Origin::Field(..) | Origin::Variable(..)) {
                    next.calls.clear();
                }
                queue.push_back(next);
            }
        }
        reached.push(Reached {
            node: state.node,
            via: state.via,
            held: state.held,
            previous: state.previous,
        });
    }
    reached
}

/// The state behind an edge; `None` where calls or containers do not match.
fn step(state: &State, edge: Edge, direction: Direction) -> Option<State> {
    let mut next = State {
        node: edge.node,
        via: state.via,
        held: state.held.clone(),
        calls: state.calls.clone(),
        out: state.out,
        previous: None,
    };
    let forward = direction == Direction::Forward;
    match edge.flow {
        Flow::Same => {}
        Flow::Enter(site) => call(&mut next.calls, site, forward)?,
        Flow::Leave(site) => call(&mut next.calls, site, !forward)?,
        Flow::Into => hold(&mut next, Held::Item, forward, |via| via.element = true)?,
        Flow::Element => hold(&mut next, Held::Item, !forward, |via| via.element = true)?,
        Flow::Store(symbol) => hold(&mut next, Held::Field(symbol), forward, |via| via.load = Some(symbol))?,
        Flow::Load(symbol) => hold(&mut next, Held::Field(symbol), !forward, |via| via.load = Some(symbol))?,
        Flow::Part(part) => {
            match next.held.last() {
                Some(Held::Field(_)) => return None,
                Some(Held::Item) if part == Part::Map => return None,
                _ => {}
            }
            match part {
                Part::Copy | Part::Concat => next.via.copied = true,
                Part::DeepCopy => next.via.detached = true,
                Part::Slice | Part::Reverse | Part::Sort | Part::Filter | Part::Map => {
                    next.via.part = true;
                    next.via.copied = true;
                }
            }
        }
        Flow::Text => {
            next.held.clear();
            next.via.text = true;
        }
        Flow::Opaque => {
            next.held.clear();
            next.via.opaque = true;
        }
        Flow::Position => {
            if !next.held.is_empty() {
                return None;
            }
            next.via.position = true;
        }
        Flow::Test | Flow::Select | Flow::Length => {
            next.held.clear();
        }
    }
    Some(next)
}

/// Enters (or leaves) a call.
fn call(calls: &mut Calls, site: Site, enters: bool) -> Option<()> {
    if enters {
        if calls.len() == CALL_DEPTH {
            calls.remove(0);
        }
        calls.push(site);
        return Some(());
    }
    match calls.pop() {
        Some(top) if top != site => None,
        _ => Some(()),
    }
}

/// Puts the value into a container, or takes it out of one; a value that is in none has its own part
/// taken, which `own` notes.
fn hold(next: &mut State, held: Held, puts: bool, own: impl FnOnce(&mut Via)) -> Option<()> {
    if puts {
        return next.held.try_push(held).ok();
    }
    match next.held.pop() {
        None => own(&mut next.via),
        Some(top) if top != held => return None,
        Some(_) => {}
    }
    Some(())
}

/// The steps from the start to `reached[at]`, oldest first.
pub(crate) fn path(reached: &[Reached], at: usize) -> Vec<Node> {
    let mut nodes = vec![reached[at].node];
    let mut previous = reached[at].previous;
    while let Some(index) = previous {
        nodes.push(reached[index as usize].node);
        previous = reached[index as usize].previous;
    }
    nodes.reverse();
    nodes
}
