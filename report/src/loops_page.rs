//! What the ranks of a job did, loops folded, side by side, as a page for a browser in a file that needs nothing else.
//!
//! Ranks that did the same are one column. A call or a loop that not every column has somewhere stands out, and is open when the page is: there ways part. The walls before what comes
//! from a target are those of the other pages (`page`).

use crate::page::{escape, filled, hash};
use crate::traces::{Shapes, threads_text};
use engine::traces::{Forest, Shape, Traces, Who};
use serde_json::json;

const TEMPLATE: &str = include_str!("loops_page/page.html");
const STYLE: &str = include_str!("loops_page/page.css");
const SCRIPT: &str = include_str!("loops_page/page.js");

/// Groups that are shown, at most: those with the most threads.
const MOST: usize = 64;

/// The page of these threads, in the order of the streams.
#[must_use]
pub fn loops_html(traces: &Traces, forest: &Forest, shapes: &[Shape]) -> String {
    let mut groups: Vec<(Shape, Vec<Who>)> = Vec::new();
    for (stream, &shape) in traces.streams.iter().zip(shapes) {
        match groups.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, who)) => who.push(stream.who),
            None => groups.push((shape, vec![stream.who])),
        }
    }
    // Of equally large ones the first comes first.
    groups.sort_by_key(|(_, who)| std::cmp::Reverse(who.len()));
    let left_out = groups.len().saturating_sub(MOST);
    groups.truncate(MOST);
    let mut written = Shapes::default();
    groups
        .iter()
        .for_each(|(shape, _)| written.add(traces, forest, *shape));
    let columns = groups
        .iter()
        .map(|(shape, who)| json!({"who": threads_text(who), "shape": written.number(*shape)}));
    let columns = Vec::from_iter(columns);
    let data = json!({"shapes": written.rows(), "columns": columns, "left_out": left_out});
    // No text in it ends the block or acts on who reads the file.
    let data = base::escape_json(&data.to_string(), &|c| matches!(c, '<' | '>' | '&'));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    filled(
        TEMPLATE,
        &[
            ("policy", &policy),
            ("title", &escape("hindmost: what the ranks did, loops folded")),
            ("style", STYLE),
            ("data", &data),
            ("script", SCRIPT),
        ],
    )
}
