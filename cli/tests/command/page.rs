//! The page for a browser, in a browser: what it shows, what clicks and keys do, and that nothing of a target is executed.

use crate::browser::{Browser, DOWN, END, ENTER, ESCAPE, HOME, LEFT, RIGHT};
use crate::support::Sandbox;
use serde_json::{Value, json};

const SOLVER: &str = "\
static double norm(const double *a)
{
    double n = 0.0;
    for (int k = 0; k < 64; k++)
        n += check(a[k]);
    return n;
}
static void even(double *a) { exchange(a); }
static void odd(double *a) { exchange(a); }
static void solve(double *a, int max, int rank)
{
    int it = 0;
    while (it < max) {
        if (rank % 2)
            odd(a);
        else
            even(a);
        norm(a);
        MPI_Allreduce(a);
        it++;
    }
}
int main(void)
{
    solve(a, 100, rank);
    return 0;
}
";

/// What a target would call its functions if it wanted to get at whoever reads the page.
const HOSTILE: &str =
    "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=1\">\u{202e}${alert(1)}";

fn task(rank: u32, frames: &[(&str, u32, Option<i64>)]) -> String {
    let frames: Vec<Value> = frames
        .iter()
        .map(|(function, line, it)| {
            let mut frame = json!({"function": function, "file": "solver.c", "line": line});
            if let Some(it) = it {
                frame["values"] = json!({"it": it});
            }
            frame
        })
        .collect();
    format!(
        "{}\n",
        json!({"task": rank.to_string(), "rank": rank, "frames": frames})
    )
}

/// 40 tasks: 8 is behind all others, 9 and 10 are on two branches, 11 calls something with a hostile name, 12 was not read.
fn stacks() -> String {
    let solve = |rank: u32, line: u32, it: i64, callees: &[&str]| {
        let mut frames = vec![("main", 25, None), ("solve", line, Some(it))];
        frames.extend(callees.iter().map(|callee| (*callee, 0, None)));
        task(rank, &frames)
    };
    let of_rank = |rank| match rank {
        8 => task(
            8,
            &[("main", 25, None), ("solve", 18, Some(7)), ("norm", 6, None)],
        ),
        9 => solve(rank, 15, 8, &["odd"]),
        10 => solve(rank, 17, 8, &["even"]),
        11 => solve(rank, 19, 7, &["PMPI_Allreduce", HOSTILE]),
        12 => format!(
            "{}\n",
            json!({"task": "12", "rank": 12, "frames": [], "error": format!("gone {HOSTILE}")})
        ),
        // More than a browser's numbers hold exactly.
        13 => solve(rank, 19, 9_007_199_254_740_993, &["PMPI_Allreduce", "MPIDI_wait"]),
        _ => solve(rank, 19, 7, &["PMPI_Allreduce", "MPIDI_wait"]),
    };
    (0..40).map(of_rank).collect()
}

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("solver.c", SOLVER);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "solver.c"]);
    sandbox
}

/// The page of some stacks, opened.
fn opened(sandbox: &Sandbox, arguments: &[&str]) -> Option<Browser> {
    let run = sandbox.run(&[&["tree", "--format", "html"], arguments].concat());
    assert!(run.code.is_some_and(|code| code < 2), "{}", run.err);
    let file = sandbox.write("page.html", run.out);
    let browser = Browser::start(sandbox.path("profile"))?;
    browser.open(&file);
    Some(browser)
}

/// Nothing went wrong, nothing was executed, and nobody was asked for anything.
#[track_caller]
fn is_quiet(browser: &Browser) {
    assert_eq!(browser.console(), [] as [Value; 0]);
    let state = browser.ask(
        "return [window.hacked ?? null, document.images.length, document.scripts.length,
                 performance.getEntriesByType('resource').length]",
    );
    assert_eq!(state, json!([null, 0, 2, 0]));
}

/// The function of each line in sight.
#[track_caller]
fn functions(browser: &Browser) -> Vec<String> {
    browser.texts(".row .fn")
}

#[track_caller]
fn selected(browser: &Browser) -> String {
    browser.text(".row[aria-selected=true] .fn")
}

#[test]
fn a_hung_job_in_a_browser() {
    let sandbox = sandbox("page_hung");
    sandbox.write("stacks", stacks());
    sandbox.write(
        "table",
        "node0:1\n8 node1:8 app\n9 node1:9 app\n13 node2:13 app\n",
    );
    let Some(browser) = opened(
        &sandbox,
        &[
            "stacks",
            "--map",
            "a.hmap",
            "--library-frames",
            "--table",
            "table",
        ],
    ) else {
        return;
    };
    // The answer and its reason come first; the hung line is marked.
    let heading = browser.text("h1").to_lowercase();
    assert_eq!(
        heading,
        "probably the hindmost; not proven: one task could not be read and may be further behind"
    );
    assert_eq!(
        browser.text("p.who"),
        "Rank 8, computing in norm at solver.c:6, iteration it=7"
    );
    assert!(
        browser
            .text("#why .behind")
            .contains("solver.c:18 comes before solver.c:19")
    );
    let hung = browser.text("#why .lines .here");
    assert!(hung.contains('6') && hung.contains("return n;"), "{hung}");
    assert!(
        browser
            .text("#why .note")
            .starts_with("It computes here, behind ranks")
    );

    // The tree, with the ranks and colours of the JSON.
    let all = functions(&browser);
    let lines = ["main", "solve@[T1]", "norm", "solve@[T2]", "MPI_Allreduce"];
    assert_eq!(all[..5], lines, "{all:?}");
    assert!(
        all.iter()
            .any(|name| name.contains("<img src=x") && name.contains("\\u{202e}")),
        "{all:?}"
    );
    assert_eq!(selected(&browser), "norm");
    let strokes = browser.ask(
        "return [...document.querySelectorAll('.row .edge')].slice(0, 4).map((each) => each.getAttribute('stroke'))",
    );
    assert_eq!(strokes[1], "#e34a33", "{strokes}");
    assert_ne!(strokes[3], "#e34a33", "{strokes}");
    assert_eq!(
        browser.ask("return document.querySelectorAll('.row .edge.incomparable').length"),
        2,
        "two branches of a conditional"
    );
    let values = browser.texts(".row .value");
    assert!(values.contains(&"it=9007199254740993".to_owned()), "{values:?}");

    // Clicks.
    browser.click(".row:first-child .twist");
    assert_eq!(functions(&browser)[0], "main");
    assert_eq!(selected(&browser), "main", "what is hidden is not selected");
    assert_eq!(browser.text(".row:first-child .tag"), "hindmost below");
    browser.click("#undo");
    assert_eq!(functions(&browser), all);
    browser.click(".row:nth-child(4)");
    assert!(selected(&browser).starts_with("solve@[T2]"));
    assert!(browser.text("#node").contains("is behind"));
    browser.click("#node .actions button:nth-child(2)");
    assert_eq!(functions(&browser)[1..3], ["solve@[T2]", "MPI_Allreduce"]);
    assert_eq!(browser.texts("#filters button"), ["class T2 ✕"]);
    browser.click("#filters button");
    assert_eq!(functions(&browser), all);

    // Keys.
    browser.click("#tree");
    browser.press(HOME);
    assert_eq!(selected(&browser), "main");
    browser.press(&[DOWN, DOWN].concat());
    assert_eq!(selected(&browser), "norm");
    browser.press(&[LEFT, LEFT].concat());
    assert_eq!(functions(&browser)[1..3], ["solve@[T1]", "solve@[T2]"], "closed");
    browser.press(RIGHT);
    assert_eq!(functions(&browser), all);
    browser.press("c");
    assert!(!functions(&browser).iter().any(|name| name.contains("MPIDI_wait")));
    browser.press("u");
    browser.press("j");
    let joined = functions(&browser);
    assert!(
        joined.contains(&"solve › MPI_Allreduce › MPIDI_wait@[T4]".to_owned()),
        "{joined:?}"
    );
    browser.press("r");
    assert_eq!(functions(&browser), all);
    browser.press("l");
    assert_eq!(functions(&browser), ["main", "solve@[T1]", "norm"]);
    browser.press("m");
    assert!(!functions(&browser).contains(&"norm".to_owned()));
    browser.press("r");
    browser.press("?");
    assert_eq!(browser.ask("return document.getElementById('help').open"), true);
    browser.press(ESCAPE);
    assert_eq!(browser.ask("return document.getElementById('help').open"), false);

    // Search: a function, a task, a host, a value.
    browser.press("/");
    browser.press(&format!("even{ENTER}"));
    assert_eq!(browser.text("#hits"), "1 of 1 hit");
    assert_eq!(selected(&browser), "even");
    let find = |what: &str| {
        browser.ask(&format!(
            "const box = document.getElementById('search'); box.value = {}; box.dispatchEvent(new Event('input'))",
            json!(what)
        ));
        browser.press(ENTER);
        (browser.text("#hits"), selected(&browser))
    };
    assert_eq!(find("8"), ("1 of 1 hit".to_owned(), "norm".to_owned()));
    assert_eq!(find("host:node1").0, "1 of 2 hits");
    assert_eq!(find("it=8").0, "1 of 2 hits");
    assert_eq!(find("/^nor.$/").0, "1 of 1 hit");
    assert_eq!(find("no such thing").0, "0 hits");
    find("norm");
    browser.click("#only-hits");
    assert_eq!(functions(&browser), ["main", "solve@[T1]", "norm"]);
    browser.click("#reset");

    // Reading a canvas back, below, is worth a warning to Chromium.
    is_quiet(&browser);

    // A cell for each task; that of the hindmost is red, that of the task that was not read is empty.
    let pixels = browser.ask(
        "const box = document.getElementById('ranks'), pen = box.getContext('2d'), size = 24 * devicePixelRatio;
         const columns = Math.floor(box.clientWidth / 24);
         return [8, 12, 0].map((rank) => [...pen.getImageData((rank % columns + 0.5) * size,
             (Math.floor(rank / columns) + 0.5) * size, 1, 1).data])",
    );
    assert_eq!(pixels[0], json!([227, 74, 51, 255]), "{pixels}");
    assert_eq!(pixels[1][3], 0, "{pixels}");
    assert_ne!(pixels[2], pixels[0], "{pixels}");
    let classes = browser.texts("#classes tbody tr");
    assert!(
        classes[0].contains("1:[8]") && classes[0].contains("hindmost"),
        "{classes:?}"
    );
    assert!(
        browser
            .text("#notes")
            .contains("Not read: rank 12: gone </script>")
    );

    // The policy holds even for a script that got in somehow.
    let asked = browser.ask(
        "let said = null; document.addEventListener('securitypolicyviolation', (event) => said = event.effectiveDirective);
         const added = document.createElement('script'); added.textContent = 'window.hacked = 2'; document.body.append(added);
         return fetch('http://127.0.0.1:9/').then(() => 'sent', () => [window.hacked ?? null, said])",
    );
    assert_eq!(asked[0], Value::Null, "{asked}");
    assert_ne!(asked, "sent");
}

#[test]
fn a_page_on_a_phone_in_the_dark_and_over_time() {
    let sandbox = sandbox("page_samples");
    sandbox.write("stacks", stacks());
    let earlier: String = (0..40)
        .map(|rank| {
            task(
                rank,
                &[
                    ("main", 25, None),
                    ("solve", 19, Some(6)),
                    ("PMPI_Allreduce", 0, None),
                ],
            )
        })
        .collect();
    sandbox.write("earlier", earlier);
    let Some(browser) = opened(&sandbox, &["earlier", "earlier", "stacks", "--map", "a.hmap"]) else {
        return;
    };
    // Where all tasks were in earlier samples nobody is any more: the hindmost is that of the last one.
    assert_eq!(browser.text(".row .tag.hindmost"), "hindmost");
    assert_eq!(selected(&browser), "norm");
    assert!(browser.text("#time").contains("moved since the one before"));
    let first = browser.texts(".heat tbody tr:first-child td");
    assert_eq!(first, ["40", "40", "·"]);
    let moved = browser.texts(".heat tbody tr:last-child td");
    assert_eq!(moved, ["", "0", "40"]);
    let light = browser.ask("return getComputedStyle(document.body).backgroundColor");

    browser.devtools(
        "Emulation.setDeviceMetricsOverride",
        &json!({"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true}),
    );
    browser.devtools(
        "Emulation.setEmulatedMedia",
        &json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]}),
    );
    let dark = browser.ask("return getComputedStyle(document.body).backgroundColor");
    assert_ne!(light, dark);
    // Nothing sticks out, and a line can be hit by a finger.
    let [wide, high] = [
        "return document.documentElement.scrollWidth",
        "return document.querySelector('.row').offsetHeight",
    ]
    .map(|question| browser.ask(question).as_f64().unwrap());
    assert!(wide <= 390.0, "{wide}");
    assert!(high >= 44.0, "{high}");
    browser.click("#collapse");
    assert!(functions(&browser).len() < 8, "{:?}", functions(&browser));
    is_quiet(&browser);
}

#[test]
fn a_page_of_thousands_of_calls_draws_what_is_in_sight() {
    let sandbox = Sandbox::new("page_large");
    let stacks: String = (0..1300)
        .map(|rank: u32| {
            let names: Vec<String> = [rank % 7, rank % 130, rank, rank, rank]
                .iter()
                .enumerate()
                .map(|(depth, of)| format!("f{depth}_{of}"))
                .collect();
            let frames: Vec<Value> = names.iter().map(|name| json!({"function": name})).collect();
            format!(
                "{}\n",
                json!({"task": rank.to_string(), "rank": rank, "frames": frames})
            )
        })
        .collect();
    sandbox.write("stacks", stacks);
    let Some(browser) = opened(&sandbox, &["stacks", "--library-frames"]) else {
        return;
    };
    let size = browser.text("#tree-size");
    let calls: usize = size
        .replace(',', "")
        .trim_end_matches(" calls")
        .parse()
        .expect(&size);
    assert!(calls > 4800, "{calls}");
    let drawn = |browser: &Browser| {
        browser
            .ask("return document.querySelectorAll('.row').length")
            .as_u64()
    };
    assert!(
        drawn(&browser).is_some_and(|drawn| drawn < 100),
        "{:?}",
        drawn(&browser)
    );
    browser.click("#tree");
    browser.press(END);
    let last = selected(&browser);
    assert!(last.starts_with("f4_"), "{last}");
    assert!(drawn(&browser).is_some_and(|drawn| drawn < 100));
    browser.press("/");
    browser.press(&format!("f4_777{ENTER}"));
    assert_eq!(selected(&browser), "f4_777");
    browser.press(ESCAPE);
    browser.press(ENTER);
    assert_eq!(
        functions(&browser),
        ["f0_0", "f1_127", "f2_777", "f3_777", "f4_777"]
    );
    is_quiet(&browser);
}

#[test]
fn a_page_of_many_classes_shows_what_it_has() {
    let sandbox = sandbox("page_classes");
    // 1,500 iterations, dealt so that the ranks of none follow one another, in a function with a name as instances of templates have.
    let name = format!("@work<{}>", "std::pair<int, ".repeat(9));
    let at = |rank: u32| {
        let it = i64::from(rank * 7919 % 1500);
        task(
            rank,
            &[("main", 25, None), ("solve", 18, Some(it)), (&name, 0, None)],
        )
    };
    sandbox.write("stacks", (0..4_500).map(at).collect::<String>());
    let Some(browser) = opened(&sandbox, &["stacks", "--map", "a.hmap"]) else {
        return;
    };
    is_quiet(&browser);
    let said = browser.ask(
        "return [document.getElementById('why').textContent.includes('and 1493 more classes'),
                 document.querySelectorAll('#classes tbody tr').length > 3,
                 document.getElementById('classes').textContent.includes('iteration it=0'),
                 document.getElementById('why').textContent.includes('@work<std::pair')]",
    );
    assert_eq!(said, json!([true, true, true, true]));
    let functions = functions(&browser);
    assert!(
        functions.iter().any(|shown| shown.contains("@work<")),
        "{functions:?}"
    );
}

#[test]
fn the_slice_stands_beside_the_source() {
    let sandbox = sandbox("page_slice");
    sandbox.write("stacks", stacks());
    let Some(browser) = opened(&sandbox, &["stacks", "--map", "a.hmap", "--slice"]) else {
        return;
    };
    let suspects = browser.texts("#suspects li");
    assert!(suspects.len() > 3, "{suspects:?}");
    assert!(
        suspects[0].contains("return n;") && suspects[0].contains("solver.c:6"),
        "{suspects:?}"
    );
    // The first is chosen, and marked in the source with its number.
    assert_eq!(browser.texts("#suspects li[aria-selected=true]"), suspects[..1]);
    assert!(browser.text("#suspect .lines .chosen").contains("return n;"));
    // The loop that has to end first is among them; a click shows it in its place, and what it leads on to.
    let at = suspects.iter().position(|each| each.contains("while (it < max)"));
    let at = at.unwrap_or_else(|| panic!("{suspects:?}"));
    browser.ask(&format!(
        "document.querySelectorAll('#suspects li')[{at}].click()"
    ));
    assert!(
        browser
            .text("#suspect .lines .chosen")
            .contains("while (it < max)")
    );
    assert!(browser.text("#suspect .lines .note").contains("decides"));
    assert!(browser.text("#suspect p").contains("It leads on to"));
    // Keys: the next one and the one before from anywhere, arrows in the list itself.
    browser.press("[");
    assert_eq!(
        browser.texts("#suspects li[aria-selected=true]"),
        suspects[at - 1..at]
    );
    browser.press("]");
    assert_eq!(
        browser.texts("#suspects li[aria-selected=true]"),
        suspects[at..=at]
    );
    browser.ask("document.getElementById('suspects').focus()");
    browser.press(HOME);
    assert_eq!(browser.texts("#suspects li[aria-selected=true]"), suspects[..1]);
    browser.press(DOWN);
    assert_eq!(browser.texts("#suspects li[aria-selected=true]"), suspects[1..2]);
    browser.press(END);
    assert_eq!(
        browser.texts("#suspects li[aria-selected=true]"),
        suspects[suspects.len() - 1..]
    );
    is_quiet(&browser);
    drop(browser);
    // Without the option there is no such part.
    let Some(browser) = opened(&sandbox, &["stacks", "--map", "a.hmap"]) else {
        return;
    };
    assert_eq!(
        browser.ask("return document.getElementById('slice').hidden"),
        json!(true)
    );
}

/// Looks at a page as people do who see little, or hear it: `npm pack axe-core` gives the script.
#[test]
#[ignore = "needs axe-core: HINDMOST_AXE=package/axe.min.js cargo test -p cli --test command axe -- --ignored"]
fn axe_finds_nothing() {
    let script = std::env::var_os("HINDMOST_AXE").expect("HINDMOST_AXE names axe.min.js");
    let script = std::fs::read_to_string(script).unwrap();
    let sandbox = sandbox("page_axe");
    sandbox.write("stacks", stacks());
    for arguments in [&["stacks", "--map", "a.hmap", "--slice"][..], &["stacks"]] {
        let Some(browser) = opened(&sandbox, arguments) else {
            return;
        };
        for theme in ["light", "dark"] {
            browser.devtools(
                "Emulation.setEmulatedMedia",
                &json!({"features": [{"name": "prefers-color-scheme", "value": theme}]}),
            );
            // As it opens, and with the list of keys above it.
            for keys in ["", "?"] {
                browser.press(keys);
                let found = violations(&browser, &script);
                assert!(
                    found.is_empty(),
                    "{arguments:?}, {theme}, keys {keys:?}: {} found\n{}",
                    found.len(),
                    found.join("\n\n")
                );
            }
            browser.press(ESCAPE);
        }
    }
}

/// What axe finds wrong in a page as it is now.
fn violations(browser: &Browser, script: &str) -> Vec<String> {
    browser.ask(script);
    let found = browser.ask("return axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html} ${node.failureSummary}`)))");
    serde_json::from_value(found).unwrap()
}

#[test]
fn a_page_says_what_it_is_of_and_goes_both_ways() {
    let sandbox = sandbox("page_about");
    let header = json!({"hindmost_snapshot": 1, "host": "node7", "taken": 1_764_057_600, "job": "mpirun", "launcher": 17277});
    sandbox.write("stacks", format!("{header}\n{}", stacks()));
    let Some(browser) = opened(&sandbox, &["stacks", "--map", "a.hmap", "--slice"]) else {
        return;
    };
    let about = browser.text("#about");
    for part in [
        "mpirun, pid 17277",
        "node7",
        "2025-11-25 08:00:00 UTC",
        concat!("hindmost ", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(about.contains(part), "{part}: {about}");
    }

    // What was undone is done again, until something else is done.
    let whole = functions(&browser);
    browser.click("#collapse");
    let collapsed = functions(&browser);
    assert_ne!(whole, collapsed);
    browser.click("#undo");
    assert_eq!(functions(&browser), whole);
    browser.click("#redo");
    assert_eq!(functions(&browser), collapsed);
    browser.press("u");
    browser.click("#join");
    assert_eq!(
        browser.ask("return document.getElementById('redo').disabled"),
        json!(true)
    );

    // A statement that is asked for from the tree comes into sight.
    browser.ask("window.scrollTo(0, 0)");
    let in_sight = "const box = document.getElementById('suspect').getBoundingClientRect(); return box.top < innerHeight && box.bottom > 0";
    assert_eq!(browser.ask(in_sight), json!(false));
    browser.press("]");
    assert_eq!(browser.ask(in_sight), json!(true));
    is_quiet(&browser);
}
