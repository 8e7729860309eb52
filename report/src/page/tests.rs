//! The page as text. What a browser makes of it is tested in `tests`.

use super::*;

fn page(sources: &[PageSource]) -> String {
    let tree = OrderedTree {
        nodes: Vec::new(),
        classes: Vec::new(),
        names: engine::TaskNames::ranks(),
        granularity: engine::Granularity::Point,
        steps: Vec::new(),
        undecided: None,
        changes: Vec::new(),
        programs: ["/opt/solver</script>".to_owned()].into(),
    };
    let warnings = ["</script><script>alert(1)</script>{{script}}".to_owned()];
    page_html(&Page {
        tree: &tree,
        answer: None,
        waiting: None,
        slice: None,
        slice_steps: &[],
        warnings: &warnings,
        sources,
        hosts: &[],
        seen: &engine::SnapshotHeader::default(),
        map: &engine::Map::default(),
    })
}

#[test]
fn a_page_needs_nothing_from_outside() {
    // The name of SVG's elements is written as an address; nobody goes there.
    let html = page(&[]).replace("http://www.w3.org/2000/svg", "");
    for address in [
        "http:",
        "https:",
        "src=",
        "href=",
        "url(",
        "@import",
        "//cdn",
        "fetch(",
        "innerHTML",
        "eval(",
    ] {
        assert!(!html.contains(address), "{address}");
    }
    assert!(html.contains("default-src 'none'"));
    assert!(!html.contains("unsafe-inline"));
}

#[test]
fn a_page_without_a_map_names_the_program_that_was_seen() {
    assert!(page(&[]).contains("/opt/solver"));
}

#[test]
fn text_of_a_target_ends_no_element() {
    let html = page(&[PageSource {
        path: "<!--\u{202e}.c".to_owned(),
        changed: false,
        lines: vec![(1, "</SCRIPT ><img onerror=alert(1)> \u{2028}".to_owned())],
    }]);
    assert_eq!(html.matches("</script").count(), 2, "the data and the script");
    assert_eq!(html.matches("<script").count(), 2);
    assert!(!html.contains("<!--"));
    assert!(!html.contains(['\u{202e}', '\u{2028}']));
    assert!(!html.contains("alert(1)<"));
    assert_eq!(
        escape("<a href=\"x\">'&\u{1b}"),
        "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\\u{1b}"
    );
}

#[test]
fn the_hashes_are_of_what_stands_in_the_file() {
    // The empty text's hash, known from everywhere, and each element's own.
    assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    let html = page(&[]);
    let script = html
        .rsplit_once("<script>")
        .unwrap()
        .1
        .split_once("</script>")
        .unwrap()
        .0;
    let style = html
        .split_once("<style>")
        .unwrap()
        .1
        .split_once("</style>")
        .unwrap()
        .0;
    for part in [script, style] {
        assert!(html.contains(&format!("'sha256-{}'", hash(part))));
    }
}
