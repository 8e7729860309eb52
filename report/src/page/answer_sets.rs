//! Where sets of ranks stand in an answer.

use crate::json::AnswerJson;

impl AnswerJson<'_> {
    /// Changes every set of ranks, wherever it stands alone; those in sentences stay.
    pub fn each_set(&mut self, change: &mut dyn FnMut(&mut String)) {
        let Self {
            named,
            awaited,
            halted,
            probable,
            hindmost,
            classes,
            missing_ranks,
            ended_ranks,
            hosts,
            trouble,
            programs,
            ..
        } = self;
        change(named);
        change(missing_ranks);
        ended_ranks.iter_mut().for_each(&mut *change);
        hosts.iter_mut().for_each(|one| change(&mut one.ranks));
        if let Some(awaited) = awaited {
            for wait in &mut awaited.chain {
                change(&mut wait.ranks);
                wait.for_ranks.iter_mut().for_each(&mut *change);
            }
            awaited.unseen_ranks.iter_mut().for_each(&mut *change);
            if let Some(culprit) = &mut awaited.culprit {
                change(&mut culprit.ranks);
            }
        }
        halted.iter_mut().for_each(|one| change(&mut one.ranks));
        probable.iter_mut().for_each(|one| change(&mut one.ranks));
        for one in hindmost {
            change(&mut one.ranks);
            one.behind.iter_mut().for_each(|link| change(&mut link.ranks));
        }
        for class in classes {
            change(&mut class.ranks);
            class.calls.iter_mut().for_each(|call| change(&mut call.ranks));
            class.threads.iter_mut().for_each(|one| change(&mut one.ranks));
            let behind = class.threads_behind.iter_mut();
            behind.for_each(|one| change(&mut one.ranks));
        }
        // A document nests no deeper than its reader allows.
        programs
            .iter_mut()
            .for_each(|one| one.answer.each_set(&mut *change));
        if let Some(trouble) = trouble {
            change(&mut trouble.ranks);
        }
    }
}
