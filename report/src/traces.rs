//! The traces of a job: the last events, call trees, folded loops, differences, and who does not do as the others.

mod exported;
mod json;
mod moments;
mod phases;
mod text;
mod way;

pub use exported::{paths_folded, perfetto};
pub(crate) use json::Shapes;
pub use json::{differences_json, last_json, loops_json, outliers_json, paths_json};
pub use phases::phases_text;
pub use text::{differences_text, last_text, loops_text, outliers_text, paths_text};
pub(crate) use way::way_out;
pub use way::{WayJson, WayRanksJson, WayStepJson, way_sentence};

use base::RankSet;
use engine::traces::{Happening, Moment, Step, Traces, Who};
use std::collections::VecDeque;

/// The threads of a list, as short as it goes.
#[must_use]
pub fn threads_text(who: &[Who]) -> String {
    let is_rank = |who: &&Who| who.rank.is_some() && who.thread == 0 && who.image == 0;
    let ranks: RankSet = who.iter().filter(is_rank).filter_map(|who| who.rank).collect();
    let mut words = Vec::new();
    match ranks.len() {
        0 => {}
        1 => words.push(format!("rank {ranks}")),
        _ => words.push(format!("ranks {ranks}")),
    }
    words.extend(who.iter().filter(|who| !is_rank(who)).map(ToString::to_string));
    words.join("; ")
}

/// The last events of a thread.
pub struct Last {
    /// Whose they are.
    pub who: Who,
    /// How many events there are.
    pub events: u64,
    /// The last ones.
    pub last: VecDeque<Shown>,
    /// The functions that the thread is in at its end, outermost first.
    pub stack: Vec<u32>,
    /// Why there may be more.
    pub damage: Option<String>,
}

/// An event that is shown.
pub struct Shown {
    /// The event.
    pub step: Step,
    /// Functions around it.
    pub depth: usize,
    /// What is known of the time from it to the next event.
    pub moments: Vec<Moment>,
}

/// The last `most` events of each thread.
#[must_use]
pub fn last_events(traces: &Traces, most: usize) -> Vec<Last> {
    let last = traces.streams.iter().map(|stream| {
        let mut found = Last {
            who: stream.who,
            events: 0,
            last: VecDeque::new(),
            stack: Vec::new(),
            damage: None,
        };
        let read = stream.each_happening(|happening| {
            let step = match happening {
                Happening::Step(step) => step,
                Happening::Moment(moment) => {
                    if let Some(last) = found.last.back_mut() {
                        last.moments.push(moment);
                    }
                    return;
                }
            };
            found.events += 1;
            let depth = match step {
                Step::Enter(function) => {
                    found.stack.push(function);
                    found.stack.len() - 1
                }
                Step::Exit => {
                    found.stack.pop();
                    found.stack.len()
                }
            };
            if found.last.len() == most {
                found.last.pop_front();
            }
            if most > 0 {
                found.last.push_back(Shown {
                    step,
                    depth,
                    moments: Vec::new(),
                });
            }
        });
        found.damage = read.err().map(|damage| damage.to_string());
        found
    });
    last.collect()
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}
