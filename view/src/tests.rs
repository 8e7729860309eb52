//! The viewer in a terminal of 80 columns and 24 lines that is memory.

use crate::{Job, Key, ViewState, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};

/// A node: parent, label, line and tasks; the rest follows from them.
fn node(id: usize, parent: usize, label: &str, line: u32, tasks: &str) -> Value {
    let function = label.split('@').next().unwrap();
    let (_, temporal) = label.split_once("@[").unwrap_or_default();
    let count: u64 = tasks
        .split(',')
        .map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            last.parse::<u64>().unwrap() - first.parse::<u64>().unwrap() + 1
        })
        .sum();
    json!({
        "id": id, "parent": if id == 0 { Value::Null } else { parent.into() }, "children": [],
        "kind": if id == 0 { "root" } else { "frame" }, "label": label, "function": function,
        "file": "src/solver.c", "line": line, "values": [], "points": 1, "tasks": tasks, "count": count, "stacks": count,
        "temporal": temporal.strip_suffix(']'), "mark": if temporal.is_empty() { "none" } else { "ranked" }, "rank": id,
        "siblings": [], "progress": id as f64 / 10.0, "color": "#e34a33", "hindmost": false, "same_tasks": count,
    })
}

fn tree() -> Value {
    let mut nodes = vec![
        node(0, 0, "/", 0, "0-31"),
        node(1, 0, "main", 20, "0-31"),
        node(2, 1, "solve@[T1]", 13, "8"),
        node(3, 2, "norm", 6, "8"),
        node(4, 1, "solve@[T2]", 14, "0-7,10-31"),
        node(5, 4, "MPI_Allreduce", 0, "0-7,10-31"),
        node(6, 5, "wait\u{1b}[2J\u{202e}", 0, "0-7,10-31"),
        node(7, 1, "solve@[T3]", 12, "9"),
        node(8, 7, "exchange", 0, "9"),
    ];
    for node in &mut nodes[..4] {
        node["hindmost"] = true.into();
    }
    nodes[2]["values"] = json!([{"name": "it", "value": 7}]);
    nodes[2]["siblings"] =
        json!([{"node": 4, "relation": "before", "reason": "line 13 comes before line 14"}]);
    json!({"schema": "hindmost-tree", "version": 1, "granularity": "point", "tasks": 32, "tasks_are": "ranks",
        "decided": true, "nodes": nodes, "classes": [], "steps": [], "warnings": ["solver.c has changed"]})
}

fn answer() -> Value {
    json!({"schema": "hindmost-answer", "hindmost": [{"ranks": "8", "function": "norm", "file": "src/solver.c", "line": 6,
        "activity": "computing", "iteration": [{"function": "solve", "variable": "it", "value": 7}],
        "behind": [{"class": 1, "ranks": "0-7,10-31", "reason": "same iteration (it=7 in the loop at solver.c:11); solver.c:13 comes before solver.c:14"}]}]})
}

fn state() -> ViewState {
    let mut job = Job::from_json(&tree().to_string(), Some(&answer().to_string())).unwrap();
    let source: String = (1..30).map(|line| format!("\tline {line};\n")).collect();
    job.add_source("src/solver.c", &source);
    ViewState::new(job, true, &|function| function.starts_with("MPI_"))
}

/// The screen, line by line.
fn screen(state: &mut ViewState, columns: u16, lines: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    let buffer = terminal.backend().buffer();
    let cells = buffer.content.chunks(usize::from(columns));
    let text = |line: &[ratatui::buffer::Cell]| line.iter().map(|cell| cell.symbol()).collect::<String>();
    cells.map(|line| text(line).trim_end().to_owned()).collect()
}

/// The labels of the lines of the tree.
fn labels(state: &ViewState) -> Vec<&str> {
    let rows = state.rows.iter();
    rows.map(|row| state.job.tree.nodes[row.id].function.as_str())
        .collect()
}

fn press(state: &mut ViewState, keys: &str) {
    for key in keys.chars() {
        state.press(match key {
            '\n' => Key::Enter,
            other => Key::Char(other),
        });
    }
}

#[test]
fn all_that_matters_fits_80_columns_and_24_lines() {
    let shown = screen(&mut state(), 80, 24);
    let text = shown.join("\n");
    assert_eq!(
        shown[0],
        "Hindmost: rank 8, computing in norm at solver.c:6, it=7"
    );
    assert_eq!(
        shown[1..3],
        [
            "  behind ranks 0-7,10-31: same iteration (it=7 in the loop at solver.c:11);",
            "    solver.c:13 comes before solver.c:14"
        ]
    );
    assert!(
        shown[3].starts_with("└▾ main solver.c:20") && shown[3].ends_with("32:[0-31]"),
        "{text}"
    );
    assert!(
        shown[4].starts_with("  ├▾ solve@[T1] solver.c:13 it=7") && shown[4].ends_with("1:[8]"),
        "{text}"
    );
    assert!(
        shown[5].starts_with("  │ └─ norm solver.c:6 <- hindmost"),
        "{text}"
    );
    assert!(text.contains(">    6     line 6;"), "{text}");
    assert!(text.contains("solve@[T1] is behind solve@[T2]"), "{text}");
    assert!(text.contains("wait\\u{1b}[2J\\u{202e}"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']));
    assert!(
        shown[23].contains("? keys") && shown[23].ends_with("3/8"),
        "{text}"
    );
}

#[test]
fn no_screen_is_too_small_and_none_too_large() {
    for (columns, lines) in [
        (1, 1),
        (2, 3),
        (7, 5),
        (20, 9),
        (40, 11),
        (119, 40),
        (120, 40),
        (300, 90),
    ] {
        for key in ["", "?", "w", "\n", "/", "c", "j"] {
            let mut state = state();
            press(&mut state, key);
            screen(&mut state, columns, lines);
        }
    }
}

#[test]
fn keys_do_what_the_help_says() {
    let mut state = state();
    let all = labels(&state).join(" ");
    assert_eq!(labels(&state)[..3], ["main", "solve", "norm"]);
    assert_eq!(state.shown.selected, 3, "the hindmost");

    // Closed and opened; what is hidden is not selected.
    state.press(Key::Left);
    assert_eq!(state.shown.selected, 2);
    state.press(Key::Left);
    assert_eq!(labels(&state)[..3], ["main", "solve", "solve"]);
    assert!(
        screen(&mut state, 80, 24)
            .iter()
            .any(|line| line.contains("<- hindmost below"))
    );
    state.press(Key::Right);
    state.press(Key::Right);
    assert_eq!((labels(&state).join(" "), state.shown.selected), (all.clone(), 3));
    press(&mut state, "E");
    assert_eq!(labels(&state), ["main", "solve", "solve", "solve"]);
    press(&mut state, "E");
    assert_eq!(labels(&state), ["main"]);
    press(&mut state, "uu");
    assert_eq!(labels(&state).join(" "), all);

    // Cut and joined.
    press(&mut state, "c");
    assert!(!labels(&state).iter().any(|label| label.starts_with("wait")));
    press(&mut state, "cj");
    assert_eq!(state.rows.len(), 4, "main and three branches");
    assert!(
        screen(&mut state, 80, 24)
            .join("\n")
            .contains("solve › norm@[T1]")
    );
    press(&mut state, "r");
    assert_eq!(labels(&state).join(" "), all);

    // Ways.
    press(&mut state, "m");
    assert_eq!(labels(&state), ["main", "solve", "exchange"]);
    press(&mut state, "m");
    assert_eq!(
        labels(&state)[..3],
        ["main", "solve", "MPI_Allreduce"],
        "the next one"
    );
    press(&mut state, "l");
    assert_eq!(labels(&state), ["main", "solve", "norm"]);
    press(&mut state, "r");
    state.press(Key::End);
    assert_eq!(state.shown.selected, 8);
    press(&mut state, "t");
    assert_eq!(labels(&state), ["main", "solve", "exchange"]);
    press(&mut state, "uh");
    assert!(!labels(&state).contains(&"exchange"));
    press(&mut state, "r");

    // Search: a function, a task, a regular expression, nothing.
    press(&mut state, "/ALLRED\n");
    assert_eq!(state.shown.selected, 5);
    press(&mut state, "/9\n");
    assert_eq!(state.shown.selected, 8);
    press(&mut state, "//^nor.$/\n");
    assert_eq!(state.shown.selected, 3);
    press(&mut state, "/it=7\n");
    assert_eq!(state.shown.selected, 2);
    press(&mut state, "/solve@\nnn");
    assert_eq!(state.shown.selected, 7);
    press(&mut state, "n");
    assert_eq!(state.shown.selected, 2, "from the last to the first");
    press(&mut state, "/nowhere\n");
    assert_eq!(
        (state.shown.selected, state.message.as_str()),
        (2, "nothing is found")
    );
    press(&mut state, "w");
    assert!(
        screen(&mut state, 80, 24)
            .join("\n")
            .contains("Warning: solver.c has changed")
    );
    press(&mut state, "qq");
    assert!(state.is_done());
}

#[test]
fn steps_are_taken_back_and_again() {
    let mut state = state();
    let all = labels(&state).join(" ");
    press(&mut state, "cE");
    let cut = labels(&state).join(" ");
    assert_ne!(cut, all);
    press(&mut state, "uu");
    assert_eq!(labels(&state).join(" "), all);
    press(&mut state, "u");
    assert_eq!(state.message, "nothing to undo");
    state.press(Key::Escape);
    assert!(state.message.is_empty() && !state.done, "the view goes on");
    press(&mut state, "U");
    assert_eq!(state.message, "done again: cut below MPI and threads");
    press(&mut state, "U");
    assert_eq!(labels(&state).join(" "), cut);
    press(&mut state, "U");
    assert_eq!(state.message, "nothing to do again");
    // The steps are listed, those that were taken back as such.
    press(&mut state, "uH");
    let shown = screen(&mut state, 80, 24).join("\n");
    assert!(shown.contains("collapsed (taken back)"), "{shown}");
    // A new step leaves nothing to be done again.
    press(&mut state, "HjU");
    assert_eq!(state.message, "nothing to do again");
}

#[test]
fn the_mouse_selects_opens_and_closes() {
    let mut state = state();
    let shown = screen(&mut state, 80, 24);
    let line_of = |shown: &[String], text: &str| {
        let at = shown.iter().position(|line| line.contains(text));
        u16::try_from(at.unwrap()).unwrap()
    };
    let exchange = line_of(&shown, "exchange");
    state.click(10, exchange);
    assert_eq!(state.shown.selected, 8);
    let third = line_of(&shown, "solve@[T3]");
    state.click(79, third);
    assert_eq!(state.shown.selected, 7);
    state.click(0, third);
    assert!(!labels(&state).contains(&"exchange"));
    state.click(0, third);
    assert!(labels(&state).contains(&"exchange"));
    // Beside the tree and behind its end there is nothing to click on.
    for (column, line) in [(0, 0), (0, 23), (200, 5), (u16::MAX, u16::MAX)] {
        state.click(column, line);
    }
    assert_eq!(state.shown.selected, 7);
}

#[test]
fn what_is_no_tree_is_refused() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut tree = tree();
        change(&mut tree);
        Job::from_json(&tree.to_string(), None).map(|_| ())
    };
    assert_eq!(with(&|_| ()), Ok(()));
    let changes: [&dyn Fn(&mut Value); 11] = [
        &|tree| tree["nodes"] = json!([]),
        &|tree| tree["schema"] = "hindmost-answer".into(),
        &|tree| tree["version"] = 2.into(),
        &|tree| tree["nodes"][3]["parent"] = 7.into(),
        &|tree| tree["nodes"][3]["parent"] = Value::Null,
        &|tree| tree["nodes"][4]["parent"] = 3_000_000_000_u64.into(),
        &|tree| tree["nodes"][8]["parent"] = 5.into(),
        &|tree| tree["nodes"][3]["tasks"] = "8-2".into(),
        &|tree| tree["nodes"][2]["siblings"][0]["node"] = 999.into(),
        &|tree| tree["nodes"][3]["class"] = 1.into(),
        &|tree| tree["classes"] = json!([{"id": 0, "node": 999, "tasks": "8"}]),
    ];
    for (at, change) in changes.iter().enumerate() {
        assert!(with(change).is_err(), "{at}");
    }
    assert!(Job::from_page("<html>").is_err());
    assert!(Job::from_json("{", None).is_err());
}

/// A page with these sets, where two nodes and the answer have the one of this text.
fn page(version: u32, sets: Value, text: &str) -> String {
    let (mut tree, mut answer) = (tree(), answer());
    for id in [4, 5] {
        tree["nodes"][id]["tasks"] = text.into();
    }
    answer["hindmost"][0]["behind"][0]["ranks"] = text.into();
    let data =
        json!({"schema": "hindmost-page", "version": version, "tree": tree, "answer": answer, "sets": sets});
    format!("<html><script type=\"application/json\" id=\"data\">{data}</script></html>")
}

#[test]
fn sets_of_a_page_stand_for_what_they_say() {
    let job = Job::from_page(&page(3, json!(["0:1s/c20", "#0,1-1"]), "#1")).unwrap();
    let tasks = &job.tree.nodes[4].tasks;
    assert_eq!(tasks.len(), 15_625 + 2, "every 64th of a million, and two");
    assert!(tasks.contains(2) && tasks.contains(64) && !tasks.contains(65));
    let behind = &job.said.hindmost[0].behind[0];
    assert!(behind.starts_with("ranks 0-2,64,128,"), "{behind}");
    let mut state = ViewState::new(job, true, &|_| false);
    let shown = screen(&mut state, 100, 24).join("\n");
    assert!(shown.contains("[0-2,64,128,192"), "{shown}");
}

#[test]
fn sets_of_a_page_that_would_fill_memory_are_refused() {
    let bad = |sets: Value, text: &str| {
        Job::from_page(&page(3, sets, text))
            .map(|_| ())
            .unwrap_err()
            .reason
    };
    assert!(bad(json!(["0:2/zik0z"]), "#0").contains("too large"));
    assert!(bad(json!([]), "#0").contains("not in the table"));
    assert!(bad(json!(["#0"]), "0").contains("not in the table"), "of itself");
    assert!(bad(json!(["5-"]), "0").contains("no set"));
    assert!(
        Job::from_page(&page(4, json!([]), "0")).is_err(),
        "of a later version"
    );
    assert!(
        Job::from_page(&page(1, json!([]), "0-7")).is_ok(),
        "of an earlier version"
    );
}

#[test]
fn a_stack_of_thousands_of_calls_is_drawn() {
    let mut nodes = vec![node(0, 0, "/", 0, "0")];
    nodes.extend((1..5000).map(|id| node(id, id - 1, &format!("f{id}"), 1, "0")));
    let mut tree = tree();
    tree["nodes"] = nodes.into();
    let job = Job::from_json(&tree.to_string(), None).unwrap();
    let mut state = ViewState::new(job, false, &|_| false);
    state.press(Key::End);
    let shown = screen(&mut state, 80, 24).join("\n");
    assert!(shown.contains("f4999"), "{shown}");
    press(&mut state, "j");
    assert_eq!(state.rows.len(), 1);
    screen(&mut state, 80, 24);
}

#[test]
fn for_whom_a_class_waits_stands_beside_its_call() {
    let mut tree = tree();
    let wait = json!({"on": "8", "classes": [0], "proven": true, "polling": false, "label": "MPI_Allreduce 3",
        "sentence": "waits for rank 8 (MPI_Allreduce 3\u{1b}[2J)"});
    tree["classes"] = json!([{"id": 0, "node": 3, "tasks": "8"}, {"id": 1, "node": 6, "tasks": "0-7,10-31", "waits": [wait]}]);
    let job = Job::from_json(&tree.to_string(), None).unwrap();
    let mut state = ViewState::new(job, false, &|_| false);
    assert!(
        !screen(&mut state, 160, 40)
            .iter()
            .any(|line| line.contains("waits for"))
    );
    state.press(Key::End);
    state.press(Key::Up);
    state.press(Key::Up);
    let shown = screen(&mut state, 160, 40).join("\n");
    assert!(
        shown.contains("and waits for rank 8 (MPI_Allreduce 3") && !shown.contains('\u{1b}'),
        "{shown}"
    );
}

/// A tree of one task that calls itself: `deep` five times, of which the first four are folded, and two functions five times in turn.
fn recursion() -> Value {
    let mut names = vec!["/", "main"];
    names.extend(["deep"; 5]);
    names.extend(["odd", "even"].repeat(5));
    names.push("leaf");
    let nodes: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(id, name)| node(id, id.saturating_sub(1), name, 5, "0"))
        .collect();
    json!({"schema": "hindmost-tree", "version": 1, "granularity": "point", "tasks": 1, "tasks_are": "numbers", "names": ["4711"],
        "decided": true, "nodes": nodes, "classes": [], "steps": [], "warnings": []})
}

#[test]
fn calls_that_call_themselves_take_a_line_for_all_rounds() {
    let job = Job::from_json(&recursion().to_string(), None).unwrap();
    let mut state = ViewState::new(job, true, &|_| false);
    let text = screen(&mut state, 80, 24).join("\n");
    for line in [
        "deep solver.c:5 ×4",
        "deep solver.c:5  ",
        "odd › even solver.c:5 ×4",
        "leaf solver.c:5",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(
        labels(&state),
        ["main", "deep", "deep", "even", "odd", "even", "leaf"]
    );
    // What is closed above is not opened by folding, and what a search finds is on the line of its rounds.
    press(&mut state, "/odd\n");
    assert_eq!(state.rows[state.at()].ids, Vec::from_iter(7..15));
}

#[test]
fn tasks_that_are_no_ranks_are_named_by_their_numbers() {
    let answer = json!({"schema": "hindmost-answer", "hindmost": [{"ranks": "", "tasks": ["4711"], "function": "leaf", "file": "solver.c", "line": 5,
        "activity": "computing", "iteration": [], "behind": [{"class": 1, "ranks": "", "reason": "line 5 comes before line 6"}]}],
        "classes": [{"ranks": "", "tasks": ["4711"], "count": 1}, {"ranks": "", "tasks": ["4712"], "count": 1}]});
    let job = Job::from_json(&recursion().to_string(), Some(&answer.to_string())).unwrap();
    let mut state = ViewState::new(job, true, &|_| false);
    let shown = screen(&mut state, 80, 24);
    assert_eq!(shown[0], "Hindmost: task 4711, computing in leaf at solver.c:5");
    assert_eq!(shown[1], "  behind task 4712: line 5 comes before line 6");
}
