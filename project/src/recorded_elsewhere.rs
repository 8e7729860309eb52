//! What tasks on other hosts have recorded, as those hosts have sent it.

use base::RankSet;
use engine::recorded::{Record, Recording, Stage};
use engine::timeline::{Events, ring};
use runtime_probe::recordings::{NodeRecordings, RingPart};
use std::collections::BTreeMap;

/// What the tasks of one host have recorded.
#[derive(Clone, Copy, Debug)]
pub struct FromHost<'h> {
    /// Its name.
    pub host: &'h str,
    /// The ranks that it has, where that is known: it is believed of no others.
    pub own: Option<&'h RankSet>,
    /// What it has sent.
    pub bytes: &'h [u8],
}

/// What one task has recorded, with its last events if these were asked for.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) record: Record,
    pub(crate) events: Option<Events>,
}

/// What was sent of a ring.
pub(crate) fn copied(part: RingPart<'_>) -> ring::Copied {
    ring::Copied {
        from: part.from,
        bytes: part.rows.into_owned(),
    }
}

/// What tasks on other hosts have recorded.
#[derive(Clone, Debug, Default)]
pub struct RecordedElsewhere {
    /// What each of them has.
    pub(crate) records: Vec<Told>,
    /// What the user should know of the rest.
    pub notes: Vec<String>,
}

impl RecordedElsewhere {
    /// Of hosts in any order. A task is of the host that has its rank; of a rank of which two hosts speak, neither is believed.
    #[must_use]
    pub fn of<'h>(hosts: impl IntoIterator<Item = FromHost<'h>>) -> Self {
        let mut by_rank: BTreeMap<u32, Vec<Told>> = BTreeMap::new();
        let mut notes = Vec::new();
        for FromHost { host, own, bytes } in hosts {
            let (mut of_host, mut bad): (BTreeMap<u32, Told>, u64) = (BTreeMap::new(), 0);
            let read = NodeRecordings::each(bytes, |task| {
                let Ok(recording) = Recording::read(&task.file) else {
                    bad += 1;
                    return;
                };
                match recording.world {
                    Some((rank, _)) if own.is_none_or(|own| own.contains(rank)) => {
                        let record = Record {
                            // Whoever is in MPI_Finalize waits for others perhaps, and does nothing for them any more.
                            is_gone: recording.stage >= Stage::Ending || !task.is_alive,
                            moves: task.moves,
                            threads: task.threads,
                            now: task.now,
                            recording,
                        };
                        of_host.entry(rank).or_insert_with(|| Told {
                            record,
                            events: task.events.and_then(|part| copied(part).events().ok()),
                        });
                    }
                    Some(_) => bad += 1,
                    // It has not come to MPI_Init yet.
                    None => {}
                }
            });
            match read {
                Ok(left_out) => bad += left_out,
                Err(damaged) => notes.push(format!("host {host}: {damaged}")),
            }
            if bad > 0 {
                let files = if bad == 1 { "file" } else { "files" };
                notes.push(format!(
                    "host {host}: {bad} {files} of what its tasks have recorded left out: unreadable, too large, or of ranks that are not its own"
                ));
            }
            for (rank, record) in of_host {
                by_rank.entry(rank).or_default().push(record);
            }
        }
        let disputed: RankSet = by_rank
            .iter()
            .filter(|(_, records)| records.len() > 1)
            .map(|(&rank, _)| rank)
            .collect();
        if !disputed.is_empty() {
            notes.push(format!(
                "several hosts have recordings of the same ranks ({}): none of them was believed",
                disputed.brief()
            ));
        }
        let records = by_rank.into_values().filter(|records| records.len() == 1);
        RecordedElsewhere {
            records: records.flatten().collect(),
            notes,
        }
    }

    /// Whether there is anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodes::TaskRecording;
    use recording::layout::{MAGIC, VERSION, WORDS, header};

    /// What a host sends of tasks of these ranks of eight, each in MPI.
    fn sent(ranks: &[u32]) -> Vec<u8> {
        let mut all = NodeRecordings::default();
        for &rank in ranks {
            let mut words = vec![0_u64; WORDS];
            words[header::MAGIC] = MAGIC;
            words[header::VERSION] = VERSION;
            words[header::RANK] = u64::from(rank) + 1;
            words[header::SIZE] = 8;
            let file: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            all.add(&TaskRecording {
                is_alive: true,
                file: file.into(),
                ..TaskRecording::default()
            });
        }
        all.to_bytes()
    }

    fn ranks(all: &RecordedElsewhere) -> Vec<u32> {
        let worlds = all.records.iter().map(|told| told.record.recording.world);
        worlds.map(|world| world.unwrap().0).collect()
    }

    fn from<'h>(host: &'h str, own: Option<&'h RankSet>, bytes: &'h [u8]) -> FromHost<'h> {
        FromHost { host, own, bytes }
    }

    #[test]
    fn a_host_tells_of_no_ranks_but_its_own() {
        let (own, foreign) = (sent(&[0, 1]), sent(&[1, 2, 3]));
        let (of_a, of_b) = ([0, 1].into_iter().collect(), [2, 3].into_iter().collect());
        let all = RecordedElsewhere::of([from("a", Some(&of_a), &own), from("b", Some(&of_b), &foreign)]);
        assert_eq!(ranks(&all), [0, 1, 2, 3]);
        assert_eq!(all.notes.len(), 1);
        assert!(all.notes[0].starts_with("host b: 1 file "), "{:?}", all.notes);
    }

    #[test]
    fn of_a_rank_of_which_two_hosts_speak_neither_is_believed() {
        let (one, other) = (sent(&[0, 1]), sent(&[1, 2]));
        let all = RecordedElsewhere::of([from("a", None, &one), from("b", None, &other)]);
        assert_eq!(ranks(&all), [0, 2]);
        assert!(all.notes[0].contains("(1)"), "{:?}", all.notes);
        // What is cut is told, and what came before is kept.
        let all = RecordedElsewhere::of([from("a", None, &one[..one.len() - 1])]);
        assert_eq!(ranks(&all), [0]);
        assert_eq!(all.notes, ["host a: what its tasks have recorded is damaged"]);
    }
}
