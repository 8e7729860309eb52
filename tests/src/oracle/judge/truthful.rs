//! Judges that know the truth: one that tells it, to test that the oracle accepts what is right, and ones that tell
//! it with one fault each, to test every single check.

use super::{Judge, Question, Unknown, Verdict};
use crate::oracle::case::Case;
use crate::oracle::truth::Truth;

/// What a [`Truthful`] judge gets wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It never says anything.
    Silent,
    /// Same innermost line and same depth: equal, whatever the iteration.
    EqualLines,
    /// It orders by the time stamps of one run what C leaves unsequenced.
    OrdersOperands,
    /// Incomparable where there is an order.
    Incomparable,
    /// Asked the other way round, it says the same again.
    OneWay,
    /// Equal for different branches.
    EqualBranches,
}

/// A judge that looks at the truth.
#[derive(Clone, Copy, Debug)]
pub struct Truthful(pub Fault);

impl Judge for Truthful {
    fn judge(&self, case: &Case, questions: &[Question]) -> Result<Vec<Vec<Verdict>>, String> {
        let answer = |question: &Question| {
            let verdict = |&(i, j): &(usize, usize)| {
                let (a, b) = (question.moments[i], question.moments[j]);
                let truth = case.truth(a, b);
                let ordered = matches!(truth, Truth::Before { .. } | Truth::After { .. });
                let same_place = || {
                    let depth = case.event(a).frames.len();
                    let line = |moment| case.line(moment, depth - 1, question.view);
                    depth == case.event(b).frames.len() && line(a) == line(b)
                };
                let silent = || Verdict::Unknown(Unknown::plain("nothing is said"));
                match (self.0, truth) {
                    (Fault::Silent, _) | (_, Truth::Nothing) => silent(),
                    (Fault::EqualLines, _) if ordered && same_place() => Verdict::Equal,
                    (Fault::Incomparable, _) if ordered => Verdict::Incomparable,
                    (Fault::OneWay, _) if ordered && i > j => honest(case.truth(b, a)),
                    (Fault::OrdersOperands, Truth::Unsequenced) => Verdict::Before,
                    (Fault::EqualBranches, Truth::Branches) => Verdict::Equal,
                    (_, truth) => honest(truth),
                }
            };
            question.pairs.iter().map(verdict).collect()
        };
        Ok(questions.iter().map(answer).collect())
    }
}

fn honest(truth: Truth) -> Verdict {
    match truth {
        Truth::Before { .. } | Truth::FallsInto { first: true } => Verdict::Before,
        Truth::After { .. } | Truth::FallsInto { first: false } => Verdict::After,
        Truth::Same(_) => Verdict::Equal,
        Truth::Branches | Truth::Leaving { .. } => Verdict::Incomparable,
        Truth::Unsequenced | Truth::Nothing => Verdict::Unknown(Unknown::plain("no order")),
    }
}
