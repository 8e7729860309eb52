//! What the ranks of a job did over time, as a page for a browser: whole, in a file that needs nothing else, or while it comes, from `timeline --serve`.
//!
//! The page is a fixed document (`timeline_page/`) with the events in it as rows of numbers, and names once in a table. The walls before what comes from a target are those of the other
//! page (`page`): the data stands in a block that no browser executes, the script puts it in as text or draws it, and the page's policy admits the one script and
//! the one style sheet by their hashes. A page that is served may ask the server that it came from, and nobody else.

use crate::WaitsSaid;
use crate::page::{escape, filled, hash};
use engine::timeline::{Happening, Tie, WindowPoint};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TEMPLATE: &str = include_str!("timeline_page/page.html");
const STYLE: &str = include_str!("timeline_page/page.css");
const SCRIPT: &str = include_str!("timeline_page/page.js");

/// Events of one page, at most: the newest ones.
const MOST: usize = 200_000;

/// What has come since.
#[derive(Clone, Copy, Debug)]
pub struct PagePart<'p> {
    /// Events in causal order.
    pub happenings: &'p [Happening<'p>],
    /// How large the sort's window was.
    pub points: &'p [WindowPoint],
    /// What is said of the job, if it is not what was said before.
    pub said: Option<&'p WaitsSaid>,
    /// When the first event of all was, in nanoseconds since the epoch: times count from there.
    pub begun: i64,
    /// What time it is.
    pub now: i64,
    /// What the next part is asked for by.
    pub next: u64,
    /// Nothing comes any more.
    pub is_over: bool,
}

/// Whether a page is made of what is there, or goes on asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// It is a file.
    File,
    /// It asks its server for what comes.
    Served,
}

/// The page with this first part.
#[must_use]
pub fn timeline_html(part: &PagePart<'_>, kind: PageKind) -> String {
    let left_out = part.happenings.len().saturating_sub(MOST);
    let kept = PagePart {
        happenings: &part.happenings[left_out..],
        ..*part
    };
    let data = json!({
        "live": kind == PageKind::Served,
        "left_out": left_out,
        "part": part_json(&kept),
    });
    // No text in it ends the block or acts on who reads the file.
    let data = base::escape_json(&data.to_string(), &|c| matches!(c, '<' | '>' | '&'));
    let asks = match kind {
        PageKind::File => "",
        PageKind::Served => "; connect-src 'self'",
    };
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'{asks}",
        hash(SCRIPT),
        hash(STYLE)
    );
    let headline = part
        .said
        .map(|said| said.headline.as_str())
        .filter(|said| !said.is_empty());
    filled(
        TEMPLATE,
        &[
            ("policy", &policy),
            (
                "title",
                &escape(headline.unwrap_or("hindmost: what the ranks did")),
            ),
            ("style", STYLE),
            ("data", &data),
            ("script", SCRIPT),
        ],
    )
}

/// A part as the page's script takes it.
#[must_use]
pub fn timeline_part(part: &PagePart<'_>) -> String {
    base::escape_json(&part_json(part).to_string(), &|_| false)
}

/// Texts, each once, by their number.
#[derive(Default)]
struct Table<'p> {
    texts: Vec<&'p str>,
    numbers: BTreeMap<&'p str, usize>,
}

impl<'p> Table<'p> {
    fn number(&mut self, text: &'p str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.texts.push(text);
            self.texts.len() - 1
        })
    }
}

fn part_json(part: &PagePart<'_>) -> Value {
    let (mut names, mut doubts) = (Table::default(), Table::default());
    let mut communicators: BTreeMap<u64, usize> = BTreeMap::new();
    let mut events = Vec::with_capacity(part.happenings.len());
    let since = |time: i64| time.saturating_sub(part.begun);
    for happening in part.happenings {
        let (tie, a, b) = match happening.tie {
            Tie::None => (0, None, None),
            Tie::To(rank, tag) => (1, Some(u64::from(rank)), tag),
            Tie::From(rank, tag) => (2, Some(u64::from(rank)), tag),
            Tie::Enters(ordinal, root) => (3, Some(ordinal), root.map(i64::from)),
            Tie::Leaves(ordinal, root) => (4, Some(ordinal), root.map(i64::from)),
        };
        let communicator = happening.communicator.map(|identity| {
            let next = communicators.len();
            *communicators.entry(identity).or_insert(next)
        });
        events.push(json!([
            happening.rank,
            happening.thread.unwrap_or(0),
            since(happening.time),
            happening.step as u8 - 1,
            happening
                .operation
                .as_deref()
                .map(|operation| names.number(operation)),
            tie,
            a,
            b,
            communicator,
            happening.cause.map(|(rank, ..)| rank),
            happening.cause.map(|(_, _, time)| since(time)),
            u8::from(happening.standing.lost_before > 0),
            crate::timeline::doubt(happening).map(|doubt| doubts.number(doubt)),
        ]));
    }
    let mut identities = vec![String::new(); communicators.len()];
    for (identity, number) in communicators {
        identities[number] = format!("{identity:016x}");
    }
    let points = part
        .points
        .iter()
        .map(|point| (since(point.time), point.events, point.held));
    json!({
        "names": names.texts,
        "communicators": identities,
        "doubts": doubts.texts,
        "events": events,
        "points": Vec::from_iter(points),
        "said": part.said.map(said_json),
        "now": since(part.now),
        "next": part.next,
        "is_over": part.is_over,
    })
}

fn said_json(said: &WaitsSaid) -> Value {
    let waits = said.waits.iter().map(|(rank, on)| (rank.to_string(), on.brief()));
    json!({
        "headline": said.headline,
        "named": said.named.ranges(),
        "waits": BTreeMap::from_iter(waits),
        "hangs": said.hangs,
    })
}
