//! Watches a stream for the items at which a condition comes true.

use crate::event::Event;
use crate::fact_state::FactState;
use crate::syntax::{Condition, Fact, Formula, What};
use base::RankSet;

/// What a condition came to at an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// It does not hold.
    No,
    /// It has come true here.
    ComesTrue,
    /// It held before, and does still.
    Still,
}

/// A condition and what it needs to remember of the stream.
#[derive(Debug)]
pub struct Watch {
    facts: Vec<Watched>,
    formula: Node,
    size: u32,
    /// The latest time of all items; `None` before the first.
    clock: Option<i64>,
    held: bool,
    truths: Vec<(String, RankSet)>,
}

/// A fact, and what it counts since.
#[derive(Debug)]
struct Watched {
    text: String,
    state: FactState,
    since: Option<Since>,
}

#[derive(Debug)]
struct Since {
    /// What has to hold while it counts: facts left of it alone.
    anchor: Node,
    /// It did at the last item.
    held: bool,
}

/// A formula over facts by their number.
#[derive(Clone, Debug)]
enum Node {
    Fact(usize),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
}

impl Node {
    fn holds(&self, facts: &[Watched]) -> bool {
        match self {
            Self::Fact(fact) => facts[*fact].holds(),
            Self::Not(inner) => !inner.holds(facts),
            Self::And(parts) => parts.iter().all(|part| part.holds(facts)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(facts)),
        }
    }
}

impl Watched {
    fn holds(&self) -> bool {
        self.state.holds() && self.since.as_ref().is_none_or(|since| since.held)
    }
}

impl Watch {
    /// Watches the stream of a job of so many ranks from its beginning.
    #[must_use]
    pub fn new(condition: &Condition, size: u32) -> Self {
        let mut watch = Self {
            facts: Vec::new(),
            formula: Node::And(Vec::new()),
            size,
            clock: None,
            held: false,
            truths: Vec::new(),
        };
        watch.formula = watch.node(&condition.formula, &[]);
        watch.follow_anchors(None);
        watch
    }

    /// The next event of the stream.
    pub fn observe(&mut self, event: &Event<'_>) -> Holds {
        let own = (event.rank < self.size).then_some(event);
        self.item(event.time, own)
    }

    /// A moment, in nanoseconds on the clock of the events.
    pub fn pass(&mut self, time: i64) -> Holds {
        self.item(time, None)
    }

    /// What was true when the condition came true last: each such fact, as it is written, with the ranks that it was true of.
    #[must_use]
    pub fn truths(&self) -> &[(String, RankSet)] {
        &self.truths
    }

    fn item(&mut self, time: i64, event: Option<&Event<'_>>) -> Holds {
        let is_first = self.clock.is_none();
        let clock = self.clock.map_or(time, |clock| clock.max(time));
        self.clock = Some(clock);
        for fact in &mut self.facts {
            if is_first {
                fact.state.begin(clock);
            }
            if let (Some(event), None) = (event, &fact.since) {
                fact.state.observe(event, clock);
            }
            fact.state.pass(clock);
        }
        self.follow_anchors(event);
        let held = std::mem::replace(&mut self.held, self.formula.holds(&self.facts));
        if !self.held {
            Holds::No
        } else if held {
            Holds::Still
        } else {
            let is_true = self.facts.iter().filter(|fact| fact.holds());
            self.truths = is_true
                .map(|fact| (fact.text.clone(), fact.state.true_of()))
                .collect();
            self.arm();
            Holds::ComesTrue
        }
    }

    /// Arms the condition again.
    fn arm(&mut self) {
        for fact in &mut self.facts {
            fact.state.forget();
        }
        self.follow_anchors(None);
        self.held = self.formula.holds(&self.facts);
    }

    /// Counts what counts since something, from left to right: an anchor stands left of what it is for.
    fn follow_anchors(&mut self, event: Option<&Event<'_>>) {
        for at in 0..self.facts.len() {
            let (left, from_here) = self.facts.split_at_mut(at);
            let [fact, ..] = from_here else { continue };
            let Some(since) = &mut fact.since else { continue };
            let holds = since.anchor.holds(left);
            if !holds || !since.held {
                fact.state.forget();
            } else if let Some(event) = event {
                fact.state.observe(event, self.clock.unwrap_or(event.time));
            }
            since.held = holds;
        }
    }

    /// A formula by the numbers of its facts, which are added; `left` is what stands left of it in the innermost `and` of which it is not the first operand.
    fn node(&mut self, formula: &Formula, left: &[Node]) -> Node {
        match formula {
            Formula::Fact(fact) => Node::Fact(self.add(fact, left)),
            Formula::Not(inner) => Node::Not(Box::new(self.node(inner, left))),
            Formula::Or(parts) => Node::Or(parts.iter().map(|part| self.node(part, left)).collect()),
            Formula::And(parts) => {
                let mut nodes: Vec<Node> = Vec::with_capacity(parts.len());
                for part in parts {
                    let node = self.node(part, if nodes.is_empty() { left } else { &nodes });
                    nodes.push(node);
                }
                Node::And(nodes)
            }
        }
    }

    fn add(&mut self, fact: &Fact, left: &[Node]) -> usize {
        let counts_since = matches!(fact.what, What::Has { since: true, .. });
        self.facts.push(Watched {
            text: fact.to_string(),
            state: FactState::new(fact, self.size),
            since: counts_since.then(|| Since {
                anchor: Node::And(left.to_vec()),
                held: false,
            }),
        });
        self.facts.len() - 1
    }
}
