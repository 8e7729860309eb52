//! Which hosts the tasks of a job run on.

use base::RankSet;
use snapshot::Task;
use std::collections::BTreeMap;

/// The ranks that were seen on a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRanks {
    /// Its name, as the launcher or the user has it.
    pub host: String,
    /// Those that run there.
    pub ranks: RankSet,
}

/// The hosts of these tasks, by name; none where the tasks do not tell theirs, or have no ranks.
pub fn hosts_of(tasks: &[Task]) -> Vec<HostRanks> {
    let mut by_host: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let with_host = |task: &&Task| !task.host.is_empty();
    // Tasks of one host mostly follow each other.
    for together in tasks.chunk_by(|a, b| a.host == b.host) {
        if let Some(first) = together.first().filter(with_host) {
            let ranks = together.iter().filter_map(|task| task.rank);
            by_host.entry(&first.host).or_default().extend(ranks);
        }
    }
    let by_host = by_host.into_iter().map(|(host, ranks)| HostRanks {
        host: host.to_owned(),
        ranks: ranks.into_iter().collect(),
    });
    by_host.filter(|host| !host.ranks.is_empty()).collect()
}
