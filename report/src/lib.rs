//! The answer as text, as versioned JSON, as SARIF 2.1.0, and as a page for a browser.
//!
//! Text is for people and tickets: the answer first, then what it rests on. It carries ANSI styles; whoever prints it
//! strips them where they do not belong. Everything that came from a target or a file (names, paths, source lines) is
//! freed of control characters first: a hung job's strings must not drive the reader's terminal. JSON is for programs;
//! its types live here and nowhere else, and `docs/json-schema.md` documents every field.
//!
//! # How it works
//!
//! The page for a browser (`page/`) is a fixed document with a small script; the JSON stands in it as data, escaped, and gets into
//! the document as text alone. Its security policy admits the script and the style sheet by their hashes and
//! nothing else.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod awaited;
mod call;
mod check;
mod clean;
mod explanation;
mod form;
mod headline;
mod hosts;
pub mod json;
mod last_events;
mod line;
mod loops_page;
mod names;
mod next;
mod page;
mod recursion;
mod sarif;
mod slice;
mod stack;
mod state;
mod style;
mod summary;
mod text;
mod threads;
mod timeline;
mod timeline_page;
pub mod traces;
pub mod tree;
mod trouble;
mod uri;
mod waits;

pub use awaited::sentence as awaited_sentence;
pub use check::{check_text, lost_lines};
pub use clean::{clean, clean_field};
pub use form::{Form, write};
pub use json::{check_json, line_json, read_check, summary_json, waits_json};
pub use line::line_text;
pub use loops_page::loops_html;
pub use names::Names;
pub use page::{AboutJson, BadPage, BadSet, PageJson, PageSets, PageSource, ProgramJson};
pub use recursion::sentence_of_values;
pub use sarif::check_sarif;
pub use slice::sentence_of_places;
pub use summary::summary_text;
pub use text::{counted, stands};
pub use timeline::{
    event_words, timeline_json_line, timeline_jsonl, timeline_line, timeline_perfetto, timeline_text,
};
pub use timeline_page::{PageKind, PagePart, timeline_html, timeline_part};
pub use tree::{DotColors, TreeText};
pub use uri::encoded;
pub use waits::{WaitsSaid, headline as waits_headline, waits_dot, waits_dump, waits_text};
