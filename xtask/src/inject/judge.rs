//! Holds hindmost's answer against what is known of the job: which rank was stalled, and how far each rank has come.
//!
//! Two things are judged. *Who is to be looked at* must be the rank that was stalled: the one that is named as behind, or, where the answer says
//! whom that one waits for, the one that it says to look at. Or it is a rank that has begun fewer collective calls on
//! `MPI_COMM_WORLD` than the stalled one, because that is further behind, although not the cause; or fewer calls of MPI in all, after as many
//! collective ones, in a program of which all ranks make as many. *Every order that is claimed*, of
//! any two classes, named or not, must not be contradicted by these numbers: whoever has begun fewer is behind. That all are at one point
//! is such a claim, too.

use super::log::Record;
use super::moment::{Moment, StallKind};
use base::RankSet;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// How an answer is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The stalled rank, and nobody else, is named.
    Right { proven: bool },
    /// Others are named, who are further behind than the stalled rank by their own logs.
    Behind { proven: bool },
    /// Nobody is named, or the stalled rank and others.
    Undecided {
        /// What kind of reason there is, by the answer's own words for programs.
        kind: String,
        /// The reason.
        reason: String,
    },
    /// Those who are named, all of them if nobody is, are in the same function of MPI after the same collective calls, the stalled rank at its
    /// very beginning, or after the same number of calls somewhere inside: no stack of the program tells them apart.
    Undecidable,
    /// All tasks are said to be at one point, and the stalled rank is not where the others are.
    Acquitted,
    /// What was said is not so.
    Wrong { proven: bool, why: String },
}

impl Verdict {
    /// The word for it in the records of all injections.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Right { proven: true } => "proven",
            Self::Right { proven: false } => "probable",
            Self::Behind { proven: true } => "behind, proven",
            Self::Behind { proven: false } => "behind, probable",
            Self::Undecided { .. } => "undecided",
            Self::Undecidable => "undecidable",
            Self::Acquitted => "wrong, acquitted",
            Self::Wrong { proven: true, .. } => "wrong, proven",
            Self::Wrong { proven: false, .. } => "wrong, probable",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Undecided { reason, .. } => write!(f, ": {reason}"),
            Self::Wrong { why, .. } => write!(f, ": {why}"),
            _ => Ok(()),
        }
    }
}

/// What is known of a job beside its ranks' logs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// The instruction at which the stalled rank stands is one of MPI's.
    pub in_mpi: bool,
    /// Undisturbed, all ranks make as many calls of MPI.
    pub as_many_calls: bool,
}

/// Judges an answer (`hindmost-answer`, see docs/json-schema.md) of a job with a rank that was stalled at that moment.
pub fn judge(answer: &Value, moment: &Moment, records: &[Record], known: Known) -> Verdict {
    let stalled = moment.rank;
    if let Some(why) = contradiction(answer, records) {
        return Verdict::Wrong { proven: true, why };
    }
    let diagnosis = answer["motion"]["diagnosis"].as_str();
    if let Some(word @ ("running" | "slow")) = diagnosis {
        let why = format!("it is said to move ('{word}'), and stands still");
        return Verdict::Wrong { proven: true, why };
    }
    let (named, proven) = named(answer);
    if let Some((culprit, culprit_proven)) = culprit(answer) {
        // The reader goes there, whoever is named besides.
        let sure = proven && culprit_proven;
        if culprit == BTreeSet::from([stalled]) {
            return Verdict::Right { proven: sure };
        }
        if !culprit.contains(&stalled) {
            return Verdict::Wrong {
                proven: sure,
                why: format!("rank {stalled} was stalled, and {culprit:?} is to be looked at"),
            };
        }
    }
    if undecidable(&named, moment, records, known.in_mpi) {
        return Verdict::Undecidable;
    }
    let world = |rank: u32| records.get(rank as usize).map(|record| record.world);
    if named.is_empty() {
        let same_calls = records.windows(2).all(|pair| pair[0].world == pair[1].world);
        let outside = matches!(
            moment.kind,
            StallKind::Before | StallKind::After | StallKind::Code
        );
        if answer["outcome"] == "all-equal" && (outside || !same_calls) {
            return Verdict::Acquitted;
        }
        return undecided(answer);
    }
    if named == BTreeSet::from([stalled]) {
        return Verdict::Right { proven };
    }
    if named.contains(&stalled) {
        return Verdict::Undecided {
            kind: "named together with others".to_owned(),
            reason: format!("rank {stalled} is named together with {} others", named.len() - 1),
        };
    }
    let calls = |rank: u32| records.get(rank as usize).map(|record| record.calls);
    let is_behind = |&rank: &u32| {
        let after_as_many = known.as_many_calls && answer["by"] == "order" && world(rank) == world(stalled);
        world(rank) < world(stalled) || after_as_many && calls(rank) < calls(stalled)
    };
    if named.iter().all(is_behind) {
        return Verdict::Behind { proven };
    }
    Verdict::Wrong {
        proven,
        why: format!("rank {stalled} was stalled, and {named:?} is named"),
    }
}

/// Whether the stalled rank could not be told from the others that are named with it, or from all if nobody is.
fn undecidable(named: &BTreeSet<u32>, moment: &Moment, records: &[Record], in_mpi: bool) -> bool {
    let Some(stalled) = records.get(moment.rank as usize) else {
        return false;
    };
    let of_interest = |rank: u32| named.is_empty() || named.contains(&rank);
    let is_alike = |record: &Record| {
        let same = (record.world, record.function) == (stalled.world, stalled.function);
        same && match moment.kind {
            StallKind::In => true,
            // Between two calls of one function the program's own stack may well tell.
            StallKind::Anywhere => in_mpi && record.calls == stalled.calls,
            StallKind::Before | StallKind::After | StallKind::Code => false,
        }
    };
    named.len() != 1
        && of_interest(moment.rank)
        && (0..)
            .zip(records)
            .filter(|&(rank, _)| of_interest(rank))
            .all(|(_, record)| is_alike(record))
}

/// Who is named, and whether that is said to be proven. An answer without these two fields names only whom it proves.
fn named(answer: &Value) -> (BTreeSet<u32>, bool) {
    match (answer["named"].as_str(), answer["proven"].as_bool()) {
        (Some(named), Some(proven)) => (ranks(named), proven),
        _ => {
            let hindmost = array(&answer["hindmost"]).iter();
            let named = hindmost.flat_map(|class| ranks(class["ranks"].as_str().unwrap_or_default()));
            (named.collect(), answer["decided"] == true)
        }
    }
}

/// Who is to be looked at since those that are named wait for it, and whether that is said to be proven.
fn culprit(answer: &Value) -> Option<(BTreeSet<u32>, bool)> {
    let culprit = answer["awaited"].get("culprit")?;
    Some((ranks(culprit["ranks"].as_str()?), culprit["proven"] == true))
}

/// The first pair of ranks that the answer puts in an order, and their logs in the other.
fn contradiction(answer: &Value, records: &[Record]) -> Option<String> {
    let classes = array(&answer["classes"]);
    let members = |class: &Value| {
        let index = class.as_u64().and_then(|index| usize::try_from(index).ok());
        let class = index.and_then(|index| classes.get(index));
        ranks(
            class
                .and_then(|class| class["ranks"].as_str())
                .unwrap_or_default(),
        )
    };
    let mut claims = Vec::new();
    for hindmost in array(&answer["hindmost"]) {
        for ahead in array(&hindmost["behind"]) {
            claims.push((members(&hindmost["class"]), members(&ahead["class"])));
        }
    }
    for class in classes {
        let own = ranks(class["ranks"].as_str().unwrap_or_default());
        for relation in array(&class["relations"]) {
            let other = members(&relation["class"]);
            match relation["relation"].as_str() {
                Some("before") => claims.push((own.clone(), other)),
                Some("after") => claims.push((other, own.clone())),
                _ => {}
            }
        }
    }
    claims.iter().find_map(|(behind, ahead)| {
        behind.iter().find_map(|&behind| {
            ahead.iter().find_map(|&ahead| {
                let left = records.get(behind as usize)?.world;
                let right = records.get(ahead as usize)?.world;
                (left > right).then(|| {
                    format!(
                        "rank {behind} is put behind rank {ahead}, and has begun {left} collective calls, the other {right}"
                    )
                })
            })
        })
    })
}

/// Nobody is named: why, by the first pair that is not decided, or the first task that could not be read.
fn undecided(answer: &Value) -> Verdict {
    let outcome = answer["outcome"].as_str().unwrap_or("no outcome");
    let because = |word: &str| format!("{outcome}: {word}");
    let pair = array(&answer["undecided"]).first();
    if let Some(reason) = pair.and_then(|pair| pair["reason"].as_str()) {
        let code = pair.and_then(|pair| pair["reason_code"].as_str());
        return Verdict::Undecided {
            kind: because(code.unwrap_or("no code")),
            reason: because(reason),
        };
    }
    let unreadable = array(&answer["unreadable"]).first();
    match unreadable.and_then(|task| task["error"].as_str()) {
        Some(error) => Verdict::Undecided {
            kind: because("unreadable"),
            reason: because(error),
        },
        None => Verdict::Undecided {
            kind: outcome.to_owned(),
            reason: outcome.to_owned(),
        },
    }
}

/// The members of a rank set such as `0-6,10`; none of what is no such set.
fn ranks(text: &str) -> BTreeSet<u32> {
    let set = text.parse::<RankSet>().unwrap_or_default();
    set.iter().collect()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::{Known, Verdict, ranks};
    use crate::inject::log::Record;
    use crate::inject::moment::{Moment, StallKind};
    use serde_json::{Value, json};

    fn records(world: &[u64]) -> Vec<Record> {
        let record = |&world| Record {
            world,
            ..Record::default()
        };
        world.iter().map(record).collect()
    }

    fn stalled(kind: StallKind) -> Moment {
        Moment { rank: 2, kind, at: 7 }
    }

    fn judge(answer: &Value, moment: &Moment, records: &[Record]) -> Verdict {
        super::judge(answer, moment, records, Known::default())
    }

    const CODE: StallKind = StallKind::Code;

    fn answer(named: &str, proven: bool) -> Value {
        json!({"named": named, "proven": proven, "outcome": "undecided", "classes": [], "hindmost": [],
            "undecided": [{"reason": "no loop", "reason_code": "loop"}]})
    }

    #[test]
    fn who_is_named_is_held_against_who_was_stalled() {
        let level = records(&[5, 5, 5, 5]);
        for proven in [true, false] {
            assert_eq!(
                judge(&answer("2", proven), &stalled(CODE), &level),
                Verdict::Right { proven }
            );
            let wrong = judge(&answer("1", proven), &stalled(CODE), &level);
            assert!(matches!(wrong, Verdict::Wrong { proven: said, .. } if said == proven));
            // Rank 1 never came to the fifth call: it is behind, whoever was stalled.
            let victim = judge(&answer("1", proven), &stalled(CODE), &records(&[5, 4, 5, 5]));
            assert_eq!(victim, Verdict::Behind { proven });
        }
        assert!(
            matches!(judge(&answer("", false), &stalled(CODE), &level), Verdict::Undecided { kind, reason } if (kind.as_str(), reason.as_str()) == ("undecided: loop", "undecided: no loop"))
        );
        assert!(matches!(
            judge(&answer("1-2", true), &stalled(CODE), &level),
            Verdict::Undecided { .. }
        ));
    }

    #[test]
    fn who_has_begun_fewer_calls_is_behind_where_all_make_as_many() {
        let mut level = records(&[5, 5, 5, 5]);
        for (record, calls) in level.iter_mut().zip([90, 80, 85, 90]) {
            record.calls = calls;
        }
        let mut said = answer("1", true);
        said["by"] = json!("order");
        let judged = |said: &Value, as_many_calls| {
            let known = Known {
                as_many_calls,
                ..Known::default()
            };
            super::judge(said, &stalled(CODE), &level, known)
        };
        assert_eq!(judged(&said, true), Verdict::Behind { proven: true });
        assert!(matches!(judged(&said, false), Verdict::Wrong { .. }));
        said["named"] = json!("0");
        assert!(
            matches!(judged(&said, true), Verdict::Wrong { .. }),
            "it has begun more"
        );
    }

    #[test]
    fn who_is_to_be_looked_at_counts_where_the_hindmost_waits_for_another() {
        let level = records(&[5, 5, 5, 5]);
        let judged = |named, culprit: &str, proven: bool| {
            let mut said = answer(named, true);
            said["awaited"] = json!({"end": "culprit", "culprit": {"ranks": culprit, "proven": proven}});
            judge(&said, &stalled(CODE), &level)
        };
        for proven in [true, false] {
            assert_eq!(judged("1", "2", proven), Verdict::Right { proven });
            for (named, culprit) in [("1", "3"), ("2", "3"), ("1", "0-1")] {
                let wrong = judged(named, culprit, proven);
                assert!(
                    matches!(wrong, Verdict::Wrong { proven: said, .. } if said == proven),
                    "{wrong:?}"
                );
            }
        }
        // Without anybody to look at, who is named counts.
        let mut said = answer("1", true);
        said["awaited"] = json!({"end": "cycle"});
        assert!(matches!(
            judge(&said, &stalled(CODE), &level),
            Verdict::Wrong { proven: true, .. }
        ));
        assert!(matches!(judged("2-3", "1-2", true), Verdict::Undecided { .. }));
        // That no stack tells the stalled rank from others is no excuse for sending the reader elsewhere.
        let mut said = answer("1-2", true);
        said["awaited"] = json!({"end": "culprit", "culprit": {"ranks": "0", "proven": true}});
        let inside = judge(&said, &stalled(StallKind::In), &level);
        assert!(matches!(inside, Verdict::Wrong { .. }), "{inside:?}");
    }

    #[test]
    fn an_order_that_the_logs_contradict_is_wrong_whoever_is_named() {
        let mut said = answer("2", true);
        said["classes"] = json!([{"ranks": "2"}, {"ranks": "0-1,3"}]);
        said["hindmost"] = json!([{"class": 0, "behind": [{"class": 1}]}]);
        assert_eq!(
            judge(&said, &stalled(CODE), &records(&[5, 5, 5, 5])),
            Verdict::Right { proven: true }
        );
        let wrong = judge(&said, &stalled(CODE), &records(&[5, 5, 6, 5]));
        assert!(matches!(wrong, Verdict::Wrong { proven: true, .. }), "{wrong:?}");

        // Candidates are in no order, and a class that is ahead of one of them is.
        let mut undecided = answer("", false);
        undecided["classes"] =
            json!([{"ranks": "2"}, {"ranks": "0-1,3", "relations": [{"class": 0, "relation": "after"}]}]);
        assert!(matches!(
            judge(&undecided, &stalled(CODE), &records(&[5, 5, 5, 5])),
            Verdict::Undecided { .. }
        ));
        assert!(matches!(
            judge(&undecided, &stalled(CODE), &records(&[5, 4, 5, 5])),
            Verdict::Wrong { .. }
        ));
    }

    #[test]
    fn that_nobody_is_behind_is_a_claim() {
        let level = records(&[5, 5, 5, 5]);
        let mut said = answer("", false);
        said["outcome"] = json!("all-equal");
        assert_eq!(
            judge(&said, &stalled(StallKind::Before), &level),
            Verdict::Acquitted
        );
        assert_eq!(
            judge(&said, &stalled(StallKind::Anywhere), &records(&[5, 5, 4, 5])),
            Verdict::Acquitted
        );
        assert!(matches!(
            judge(&said, &stalled(StallKind::Anywhere), &level),
            Verdict::Undecided { .. }
        ));
        assert_eq!(
            judge(&said, &stalled(StallKind::In), &level),
            Verdict::Undecidable
        );
        said["named"] = json!("1-2");
        assert_eq!(
            judge(&said, &stalled(StallKind::In), &level),
            Verdict::Undecidable
        );
        assert!(matches!(
            judge(&said, &stalled(StallKind::Before), &level),
            Verdict::Undecided { .. }
        ));
        said["named"] = json!("");
        // The others are in another function: then it can be seen who is not.
        let mut others = records(&[5, 5, 5, 5]);
        others[2].function = 1;
        assert!(matches!(
            judge(&said, &stalled(StallKind::In), &others),
            Verdict::Undecided { .. }
        ));
    }

    #[test]
    fn who_stands_inside_mpi_is_like_those_in_the_same_call() {
        let mut alike = records(&[5, 5, 5, 5]);
        let said = answer("1-2", true);
        let known = Known {
            in_mpi: true,
            ..Known::default()
        };
        let inside = |records: &[Record]| super::judge(&said, &stalled(StallKind::Anywhere), records, known);
        assert_eq!(inside(&alike), Verdict::Undecidable);
        // At an instruction of the program the stack tells.
        assert!(matches!(
            judge(&said, &stalled(StallKind::Anywhere), &alike),
            Verdict::Undecided { .. }
        ));
        // So it does of another call of the same function.
        alike[1].calls = 1;
        assert!(matches!(inside(&alike), Verdict::Undecided { .. }));
    }

    #[test]
    fn a_job_that_stands_still_does_not_move() {
        let mut said = answer("2", true);
        said["motion"] = json!({"diagnosis": "running"});
        assert!(matches!(
            judge(&said, &stalled(CODE), &records(&[1, 1, 1])),
            Verdict::Wrong { proven: true, .. }
        ));
        said["motion"] = json!({"diagnosis": "in-place"});
        assert_eq!(
            judge(&said, &stalled(CODE), &records(&[1, 1, 1])),
            Verdict::Right { proven: true }
        );
    }

    #[test]
    fn rank_sets() {
        assert_eq!(Vec::from_iter(ranks("0-2,7")), [0, 1, 2, 7]);
        assert!(ranks("").is_empty());
    }
}
