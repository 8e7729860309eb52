//! What the ranks of a job did, drawn over time: a line for each, states coloured, messages, who waits.
//!
//! [`TimelineState`] keeps the newest events and what a user has made of them (where the cursor is, how much is in sight, what is left out). It is told of
//! events while they come, of the time, and of who waits for whom; keys change it, and [`draw_timeline`] paints it. No time passes here, nothing is read, and nothing
//! is sorted: events come in causal order.

mod draw;
mod filter;
mod keys;
mod lane;
#[cfg(test)]
mod tests;

pub use draw::draw_timeline;

use base::RankSet;
use engine::timeline::{Happening, Tie, WindowPoint};
use filter::Filter;
use lane::{Lane, LaneId};
use report::WaitsSaid;
use std::collections::{BTreeMap, VecDeque};

/// Events that are kept; older ones are forgotten.
const KEPT: usize = 1 << 18;

/// Points of the window over time that are kept.
const POINTS: usize = 1 << 14;

/// Nobody can look at less, in nanoseconds.
const LEAST_SIGHT: i64 = 1_000;

/// A message of which both ends are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrow {
    from: (u32, i64),
    to: (u32, i64),
}

/// Whether what is in sight follows the newest events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Follows,
    Stands,
}

/// Which messages are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrows {
    None,
    OfSelected,
    All,
}

/// How ranks become lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    Ranks,
    /// Ranks that are in the same call at the cursor are one line.
    Classes,
}

/// What stands in front of it until the next key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overlay {
    Help,
}

/// What is being typed, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asking {
    Search(String),
    Filter(String),
}

/// A line of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// The lane that is drawn.
    lane: LaneId,
    /// All ranks that it stands for.
    ranks: RankSet,
}

/// The events of a job as they are looked at.
#[derive(Debug)]
pub struct TimelineState {
    lanes: BTreeMap<LaneId, Lane>,
    arrows: VecDeque<Arrow>,
    points: VecDeque<WindowPoint>,
    said: WaitsSaid,
    /// Events that were seen in all, and those kept.
    seen: u64,
    kept: usize,
    lost: u64,
    /// The first time of all, and the latest: of events, or what the clock says.
    begun: Option<i64>,
    now: i64,
    /// The latest event.
    latest: i64,
    /// The last moment in sight, and how much is, in nanoseconds.
    right: i64,
    sight: i64,
    cursor: i64,
    pace: Pace,
    selected: usize,
    top: usize,
    rows_in_sight: usize,
    columns: usize,
    rows: Rows,
    shown_arrows: Arrows,
    filter: Filter,
    search: String,
    asking: Option<Asking>,
    overlay: Option<Overlay>,
    message: String,
    colors: bool,
    done: bool,
}

impl TimelineState {
    /// Nothing yet. With `colors`, states are told by colours as well as by their letters.
    #[must_use]
    pub fn new(colors: bool) -> Self {
        Self {
            lanes: BTreeMap::new(),
            arrows: VecDeque::new(),
            points: VecDeque::new(),
            said: WaitsSaid::default(),
            seen: 0,
            kept: 0,
            lost: 0,
            begun: None,
            now: i64::MIN,
            latest: i64::MIN,
            right: i64::MIN,
            sight: 2_000_000_000,
            cursor: i64::MIN,
            pace: Pace::Follows,
            selected: 0,
            top: 0,
            rows_in_sight: 1,
            columns: 1,
            rows: Rows::Ranks,
            shown_arrows: Arrows::OfSelected,
            filter: Filter::default(),
            search: String::new(),
            asking: None,
            overlay: None,
            message: String::new(),
            colors,
            done: false,
        }
    }

    /// Events that have come, in causal order behind those before.
    pub fn add(&mut self, happenings: impl IntoIterator<Item = Happening<'static>>) {
        for happening in happenings {
            self.seen += 1;
            self.kept += 1;
            self.begun.get_or_insert(happening.time);
            self.latest = self.latest.max(happening.time);
            self.now = self.now.max(happening.time);
            if let (Tie::From(..), Some((rank, _, time))) = (happening.tie, happening.cause) {
                self.arrows.push_back(Arrow {
                    from: (rank, time),
                    to: (happening.rank, happening.time),
                });
            }
            let id = LaneId::of(&happening);
            self.lanes.entry(id).or_default().add(happening);
        }
        if self.kept > KEPT {
            self.forget();
        }
        self.follow();
    }

    /// What time it is, by the clock of the events.
    pub fn pass(&mut self, now: i64) {
        self.now = self.now.max(now);
        self.follow();
    }

    /// What is known of the job as a whole by now.
    pub fn say(&mut self, said: WaitsSaid) {
        self.said = said;
    }

    /// Something that the user should know: it stands there until the next key.
    pub fn note(&mut self, text: &str) {
        text.clone_into(&mut self.message);
    }

    /// How many events were lost by now.
    pub fn lose(&mut self, lost: u64) {
        self.lost = lost;
    }

    /// How large the sort's window is.
    pub fn measure(&mut self, points: impl IntoIterator<Item = WindowPoint>) {
        self.points.extend(points);
        self.points.drain(..self.points.len().saturating_sub(POINTS));
    }

    /// All that is kept is in sight, and the cursor at its end: what there is to see of a job that is over.
    pub fn show_whole(&mut self) {
        let begun = self.first();
        self.sight = self.now.saturating_sub(begun).max(LEAST_SIGHT);
        self.pace = Pace::Stands;
        (self.right, self.cursor) = (self.now, self.now);
    }

    /// The user has had enough.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The moment of the hang, if the job hangs.
    fn hang(&self) -> Option<i64> {
        self.said.hangs.then_some(self.latest)
    }

    /// The first time that is kept.
    fn first(&self) -> i64 {
        let first = self.lanes.values().filter_map(Lane::first).min();
        first.unwrap_or(self.now)
    }

    /// The older half is forgotten.
    fn forget(&mut self) {
        let mut times = Vec::from_iter(self.lanes.values().flat_map(Lane::times));
        let middle = times.len() / 2;
        let (_, &mut until, _) = times.select_nth_unstable(middle);
        for lane in self.lanes.values_mut() {
            lane.forget(until);
        }
        self.kept = self.lanes.values().map(Lane::len).sum();
        while self.arrows.front().is_some_and(|arrow| arrow.to.1 < until) {
            self.arrows.pop_front();
        }
    }

    fn follow(&mut self) {
        if self.pace == Pace::Follows {
            (self.right, self.cursor) = (self.now, self.now);
        }
    }

    fn left(&self) -> i64 {
        self.right.saturating_sub(self.sight)
    }

    /// The lines, as the filter and the cursor have them.
    fn rows(&self) -> Vec<Row> {
        let shown = self.lanes.keys().filter(|id| self.filter.shows(id.rank));
        match self.rows {
            Rows::Ranks => shown
                .map(|id| Row {
                    lane: *id,
                    ranks: RankSet::from_iter([id.rank]),
                })
                .collect(),
            Rows::Classes => {
                let mut classes: BTreeMap<&str, Vec<LaneId>> = BTreeMap::new();
                for id in shown.filter(|id| id.thread == 0) {
                    let call = self.lanes[id].call_at(self.cursor);
                    classes.entry(call.unwrap_or("")).or_default().push(*id);
                }
                let mut rows = Vec::from_iter(classes.into_values().map(|lanes| Row {
                    lane: lanes[0],
                    ranks: lanes.iter().map(|id| id.rank).collect(),
                }));
                rows.sort_by_key(|row| (row.ranks.len(), row.lane));
                rows
            }
        }
    }
}
