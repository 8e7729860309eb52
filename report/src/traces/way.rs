//! Where ways parted, in the answer of `find`.

use super::times;
use base::RankSet;
use engine::traces::{Did, Way};
use serde::{Deserialize, Serialize};

/// Where ways parted, in a sentence without its end: `in call 41 of step, ranks 0-2 called exchange 6 times, rank 3 5 times`.
#[must_use]
pub fn way_sentence(way: &Way) -> String {
    let place = match way.path.last() {
        Some((function, 1)) => format!("in {function}"),
        Some((function, nth)) => format!("in call {nth} of {function}"),
        None => "outside of all functions".to_owned(),
    };
    let mut called = false;
    let did = way.ranks.iter().map(|(did, ranks)| {
        let set: RankSet = ranks.iter().copied().collect();
        let who = match ranks.len() {
            1 => format!("rank {set}"),
            _ => format!("ranks {set}"),
        };
        match did {
            Did::NeverCame => format!("{who} never came there"),
            Did::Called(count) => {
                let name = if called {
                    String::new()
                } else {
                    format!(" {}", way.function)
                };
                let verb = if called { "" } else { " called" };
                called = true;
                match count {
                    0 if name.is_empty() => format!("{who} never"),
                    0 => format!("{who} never called{name}"),
                    count => format!("{who}{verb}{name} {}", times(*count)),
                }
            }
        }
    });
    let did = Vec::from_iter(did).join(", ");
    format!("{place}, {did}")
}

/// Where ways parted, for programs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WayJson {
    /// In words.
    pub sentence: String,
    /// Functions from the outermost one in, each with which call of it it is within the one before.
    pub path: Vec<WayStepJson>,
    /// The function that was called unequally often there.
    pub function: String,
    /// How often, by whom; nothing for those that never came there.
    pub ranks: Vec<WayRanksJson>,
    /// How many calls of this path differ so.
    pub alike: u64,
    /// Some have only not come as far.
    pub is_lag: bool,
}

/// A call on the way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WayStepJson {
    /// The function.
    pub function: String,
    /// Which call of it, from 1.
    pub nth: u64,
}

/// Ranks that did the same.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WayRanksJson {
    /// The ranks.
    pub ranks: String,
    /// How often they called the function; `null` if they never came there.
    pub called: Option<u64>,
}

pub(crate) fn way_out(way: &Way) -> WayJson {
    let path = way.path.iter().map(|(function, nth)| WayStepJson {
        function: function.clone(),
        nth: *nth,
    });
    let ranks = way.ranks.iter().map(|(did, ranks)| WayRanksJson {
        ranks: RankSet::from_iter(ranks.iter().copied()).to_string(),
        called: match did {
            Did::Called(count) => Some(*count),
            Did::NeverCame => None,
        },
    });
    WayJson {
        sentence: way_sentence(way),
        path: path.collect(),
        function: way.function.clone(),
        ranks: ranks.collect(),
        alike: way.alike,
        is_lag: way.is_lag,
    }
}
