//! What the tasks on other hosts have recorded of their calls of MPI.

use super::Everywhere;
use cluster::{Asked, Gathering};
use project::{FromHost, RecordedElsewhere};
use std::collections::BTreeMap;

impl Everywhere {
    /// What the tasks on other hosts had recorded of their calls of MPI when they were last looked at, and a moment after that: the hosts are asked once all have looked. Nothing of hosts that do not answer
    /// any more.
    pub(crate) fn recordings(&mut self) -> RecordedElsewhere {
        if !self.is_recorded {
            return RecordedElsewhere::default();
        }
        let mut recorded = BTreeMap::new();
        if let Some(together) = &mut self.together {
            match together.reduction.recordings() {
                Ok(all) => recorded.extend(all),
                Err(loss) => {
                    let not_told =
                        "what the tasks on the hosts that answer together have recorded is not known";
                    self.notes.push(format!("{not_told}: {loss}"));
                    self.together = None;
                }
            }
        }
        let lost = |gathering: &Gathering| -> BTreeMap<String, String> {
            let losses = gathering.losses();
            losses
                .map(|(asked, loss, _)| (asked.host.to_string(), loss.to_string()))
                .collect()
        };
        let lost_before = lost(&self.gathering);
        match self.gathering.recordings() {
            Ok(all) => recorded.extend(all),
            Err(error) => self.notes.push(error.to_string()),
        }
        for (host, why) in lost(&self.gathering) {
            if !lost_before.contains_key(&host) {
                let not_told = "what its tasks have recorded is not known";
                self.notes
                    .push(format!("host {}: {not_told}: {why}", base::clean(&host)));
                self.lost_behind.insert(host);
            }
        }
        let of_hosts = recorded.iter().filter_map(|(node, bytes)| {
            let Asked { host, ranks, .. } = self.asked.get(node)?;
            Some(FromHost {
                host: host.as_str(),
                own: ranks.as_ref(),
                bytes,
            })
        });
        let mut recorded = RecordedElsewhere::of(of_hosts);
        self.notes.append(&mut recorded.notes);
        recorded
    }
}
