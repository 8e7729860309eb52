//! What the flight recorder knows of a job, beside what its stacks say.
//!
//! The order of the code says who is behind by its statements; the recorder says who waits for whom, exactly, whatever the code. What the order proves stands, with the
//! recorder's account beside it. Where it proves nothing, those are named whom the recorder finds: in a deadlock, in calls that do not fit together, or
//! awaited by all others.

use crate::Who;
use crate::answer::{Answer, Certainty, Finding, Grounds, Witness};
use crate::recorded::{Named, Verdict, Waiting};

impl Answer {
    /// Puts what the tasks have recorded beside the answer.
    pub(crate) fn beside_recordings(&mut self, waiting: Waiting) {
        let is_proven = |found: &Finding| found.certainty == Certainty::Proven;
        let found = self.finding_of(&waiting);
        match &self.finding {
            // The order's proof stands, and so does one guess beside another.
            Some(own) if is_proven(own) || !found.as_ref().is_some_and(is_proven) => {}
            _ if found.is_some() => {
                self.finding = found;
                self.awaited = None;
            }
            _ => {}
        }
        self.waiting = Some(waiting);
    }

    /// Whom the recorder finds, if it finds anybody.
    fn finding_of(&self, waiting: &Waiting) -> Option<Finding> {
        let verdict = waiting.verdict();
        let Named { ranks, doubt } = waiting.named(&verdict)?;
        if let Verdict::Awaited(_) = verdict {
            let mut tasks = ranks.iter().filter_map(|rank| waiting.task(*rank));
            // Whoever moves comes to what the others wait for, as far as anybody can tell.
            if tasks.any(|task| task.moves) || 2 * ranks.len() > waiting.tasks.len() {
                return None;
            }
        }
        let who = Who {
            ranks: ranks.iter().map(|rank| rank.0).collect(),
            names: Vec::new(),
        };
        let classes = (0..self.classes.len()).filter(|&at| self.classes[at].who.meets(&who));
        Some(Finding {
            certainty: match doubt {
                None => Certainty::Proven,
                Some(_) => Certainty::Probable,
            },
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
