//! The page for a browser: `report` makes it, here is who reads the sources that it carries.

use engine::{Answer, Map, OrderedTree, Slice, TaskSet};
use project::SourceFinder;
use report::{Page, ReadSource};

/// A tree, and what is known of the order, as one HTML file.
pub(crate) fn html(
    map: &Map,
    tree: &OrderedTree,
    (answer, slice): (Option<&Answer>, Option<&Slice>),
    warnings: &[String],
    hosts: &[(String, TaskSet)],
    finder: &SourceFinder,
) -> String {
    // The names come from a target, and the page may be sent to anybody: only files that the map is of are put into it.
    let read = |path: &str| {
        let mapped = map.files.iter().find(|file| file.path == path)?;
        let bytes = finder.read(path)?;
        Some(match engine::content_hash(&bytes) == mapped.hash {
            true => ReadSource::Text(bytes),
            false => ReadSource::Changed,
        })
    };
    let sources = report::page_sources(tree, answer, slice, &read);
    report::page_html(&Page {
        tree,
        answer,
        slice,
        warnings,
        sources: &sources,
        hosts,
    })
}
