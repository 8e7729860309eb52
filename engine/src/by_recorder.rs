//! What the flight recorder knows of a job, beside what its stacks say.
//!
//! The order of the code says who is behind by its statements; the recorder says who waits for whom, exactly, whatever the code. What the order proves stands, with the
//! recorder's account beside it. Where it proves nothing, those are named whom the recorder finds: in a deadlock, in calls that do not fit together, or
//! awaited by all others.

use crate::answer::{Answer, Certainty, Finding, Grounds, Witness};
use crate::recorded::{self, Rank, Verdict, Waiting};
use crate::{Who, recorded::Doing};
use base::RankSet;

impl Answer {
    /// Puts what the tasks have recorded beside the answer.
    pub fn beside_recordings(&mut self, waiting: Waiting) {
        let is_proven = |found: &Finding| found.certainty == Certainty::Proven;
        if !self.finding.as_ref().is_some_and(is_proven)
            && let Some(found) = self.finding_of(&waiting)
        {
            // What is probable by other grounds is no more so where the recorder knows.
            let is_better = found.certainty == Certainty::Proven || self.finding.is_none();
            if is_better {
                self.finding = Some(found);
                self.awaited = None;
            }
        }
        self.waiting = Some(waiting);
    }

    /// Whom the recorder finds, if it finds anybody.
    fn finding_of(&self, waiting: &Waiting) -> Option<Finding> {
        let (ranks, mut certainty) = match waiting.verdict() {
            Verdict::Deadlock(ranks, recorded::Certainty::Proven) => (ranks, Certainty::Proven),
            Verdict::Deadlock(ranks, recorded::Certainty::Probable) => (ranks, Certainty::Probable),
            Verdict::Mismatch(mismatch) => (vec![mismatch.one.0, mismatch.other.0], Certainty::Proven),
            Verdict::Gone(waiter, _) => (vec![waiter], Certainty::Proven),
            Verdict::Awaited(ranks) => (ranks, Certainty::Proven),
            Verdict::Nobody => return None,
        };
        let mut doubt = None;
        if let Verdict::Awaited(ranks) = waiting.verdict() {
            let tasks = || ranks.iter().filter_map(|rank| waiting.task(*rank));
            // Whoever moves comes to what the others wait for, as far as anybody can tell.
            if tasks().any(|task| task.moves) || 2 * ranks.len() > waiting.tasks.len() {
                return None;
            }
            doubt = doubt_of_awaited(waiting, &ranks);
        }
        if certainty == Certainty::Probable {
            doubt = Some("some of them only ask again and again, and may do other things between".to_owned());
        }
        if doubt.is_some() {
            certainty = Certainty::Probable;
        }
        let who = Who {
            ranks: ranks.iter().map(|rank| rank.0).collect(),
            names: Vec::new(),
        };
        let classes = (0..self.classes.len()).filter(|&at| self.classes[at].who.meets(&who));
        Some(Finding {
            certainty,
            by: Witness::Recorder,
            classes: classes.collect(),
            who,
            grounds: Grounds::Recorded,
            doubt,
            remedy: None,
        })
    }

    /// Whether the recorder finds others than those who are named on other grounds.
    pub fn recorder_finds_others(&self) -> bool {
        let (Some(finding), Some(waiting)) = (&self.finding, &self.waiting) else {
            return false;
        };
        finding.grounds != Grounds::Recorded
            && self
                .finding_of(waiting)
                .is_some_and(|found| !found.who.meets(&finding.who))
    }
}

/// Why it is not certain that all others wait for these; `None` if it is.
fn doubt_of_awaited(waiting: &Waiting, awaited: &[Rank]) -> Option<String> {
    let is_awaited = |task: &&Doing| awaited.contains(&Rank(task.rank));
    let waits = |task: &&Doing| waiting.graph.edges.iter().any(|edge| edge.waiter.0 == task.rank);
    let others = waiting
        .tasks
        .iter()
        .filter(|task| !is_awaited(task) && !waits(task));
    let others: RankSet = others.map(|task| task.rank).collect();
    let partial = waiting.tasks.iter().any(|task| task.is_partial);
    match (waiting.tasks.len() < waiting.size as usize, others.len()) {
        (true, _) => Some("there are no recordings of some ranks".to_owned()),
        (false, 1..) => Some(format!("of {others} nobody knows for whom they wait, if they do")),
        (false, 0) if partial => Some("the recorder had not room for all that was done".to_owned()),
        (false, 0) => None,
    }
}
