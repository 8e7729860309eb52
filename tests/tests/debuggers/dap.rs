//! An editor that attaches to the hindmost of two processes, by gdb and by lldb.

use crate::program::built;
use serde_json::{Value, json};
use std::process::Command;
use tests::editor::Editor;
use tests::stopped::{Stopped, has_tools, hindmost};

struct Hung {
    built: crate::program::Built,
    late: Stopped,
    early: Stopped,
}

impl Hung {
    fn new() -> Self {
        let built = built(&["-O0"]);
        let [late, early] = [7, 3].map(|iteration| Stopped::new(&built.program, &[iteration]));
        Self { built, late, early }
    }

    fn adapter(&self, arguments: &[&str]) -> Editor {
        let dir = &self.built.directory.path;
        Editor::new(
            Command::new(hindmost())
                .arg("dap")
                .args(arguments)
                .current_dir(dir)
                .env("HOME", dir)
                .env("XDG_CACHE_HOME", dir)
                .env_remove("DEBUGINFOD_URLS"),
        )
    }

    fn pids(&self) -> Value {
        json!([self.late.id(), self.early.id()])
    }
}

/// Attaches, and returns the thread in which the hindmost stands.
fn attached(editor: &mut Editor, wanted: Value) -> Value {
    editor
        .ask(
            "initialize",
            json!({"adapterID": "hindmost", "linesStartAt1": true, "pathFormat": "path"}),
        )
        .unwrap();
    let attach = editor.send("attach", wanted);
    editor.event("initialized");
    editor
        .ask("setExceptionBreakpoints", json!({"filters": []}))
        .unwrap();
    editor.ask("configurationDone", json!({})).unwrap();
    editor.answer(attach).unwrap();
    let stopped = editor.event("stopped");
    assert!(
        stopped["description"]
            .as_str()
            .unwrap()
            .contains("earlier iteration than it=7"),
        "{stopped}"
    );
    stopped["threadId"].clone()
}

/// The frames as the editor shows them: the first that is not subtle is where it goes.
fn frames(editor: &mut Editor, thread: &Value) -> Vec<Value> {
    let stack = editor.ask("stackTrace", json!({"threadId": thread})).unwrap();
    let frames = stack["stackFrames"].as_array().unwrap().clone();
    let place = frames
        .iter()
        .find(|frame| frame["presentationHint"] != "subtle")
        .unwrap();
    assert_eq!(
        (&place["line"], &place["source"]["name"]),
        (&json!(13), &json!("iterate.c")),
        "{stack}"
    );
    // A part of the stack is the same part of the whole.
    let part = editor
        .ask(
            "stackTrace",
            json!({"threadId": thread, "startFrame": 1, "levels": 2}),
        )
        .unwrap();
    let names = |frames: &[Value]| Vec::from_iter(frames.iter().map(|frame| frame["name"].clone()));
    assert_eq!(
        names(part["stackFrames"].as_array().unwrap()),
        names(&frames)[1..3]
    );
    frames
}

#[test]
fn an_editor_attaches_by_gdb() {
    if !has_tools(&["gcc", "gdb"]) {
        return;
    }
    let hung = Hung::new();
    let mut editor = hung.adapter(&[]);
    let thread = attached(&mut editor, json!({"pid": hung.pids()}));
    let threads = editor.ask("threads", json!({})).unwrap();
    assert_eq!(threads["threads"][0]["id"], thread);
    let frames = frames(&mut editor, &thread);
    let main = frames
        .iter()
        .find(|frame| frame["name"] == "main [it=3]")
        .unwrap();

    let scopes = editor.ask("scopes", json!({"frameId": main["id"]})).unwrap();
    let group = |name: &str| {
        let scopes = scopes["scopes"].as_array().unwrap();
        scopes.iter().find(|scope| scope["name"] == name).unwrap()["variablesReference"].clone()
    };
    let named = |variables: &Value, name: &str| {
        let variables = variables["variables"].as_array().unwrap();
        variables
            .iter()
            .find(|one| one["name"] == name)
            .cloned()
            .unwrap_or_else(|| panic!("no {name} in {variables:?}"))
    };
    let locals = editor
        .ask("variables", json!({"variablesReference": group("Locals")}))
        .unwrap();
    assert_eq!(
        (&named(&locals, "it")["value"], &named(&locals, "stop")["value"]),
        (&json!("3"), &json!("3"))
    );
    let iteration = editor
        .ask(
            "variables",
            json!({"variablesReference": group("Iteration (hindmost)")}),
        )
        .unwrap();
    assert_eq!(named(&iteration, "it")["value"], "3");
    // What has parts is opened.
    let parts = named(&locals, "argv")["variablesReference"].clone();
    let parts = editor
        .ask("variables", json!({"variablesReference": parts}))
        .unwrap();
    assert!(
        named(&parts, "*argv")["value"]
            .as_str()
            .unwrap()
            .contains("iterate"),
        "{parts}"
    );
    let evaluate = |editor: &mut Editor, expression: &str| {
        editor.ask(
            "evaluate",
            json!({"expression": expression, "frameId": main["id"]}),
        )
    };
    assert_eq!(evaluate(&mut editor, "it * 2 + stop").unwrap()["result"], "9");
    assert!(evaluate(&mut editor, "nothing\"\\").is_err());

    editor.ask("continue", json!({"threadId": thread})).unwrap();
    assert!(evaluate(&mut editor, "it").unwrap_err().contains("gone on"));
    editor.ask("pause", json!({"threadId": thread})).unwrap();
    assert_eq!(editor.event("stopped")["reason"], "pause");
    self::frames(&mut editor, &thread);
    editor
        .ask("disconnect", json!({"terminateDebuggee": true}))
        .unwrap();
    editor.vanish();
    assert_eq!(state(&hung.early), "S (sleeping)");
}

/// How a process is, and that nobody holds it.
fn state(task: &Stopped) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", task.id())).unwrap();
    let field = |name: &str| {
        status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap()
            .trim()
            .to_owned()
    };
    assert_eq!(field("TracerPid:"), "0");
    field("State:")
}

/// An adapter of the debugger's own, to which messages go: the way of gdb from 14 on.
#[test]
fn an_editor_attaches_by_lldb() {
    if !has_tools(&["gcc", "lldb"]) {
        return;
    }
    let hung = Hung::new();
    let mut editor = hung.adapter(&["--debugger", "lldb-vscode-14"]);
    let thread = attached(&mut editor, json!({"pid": hung.pids()}));
    let frames = frames(&mut editor, &thread);
    assert!(
        frames
            .iter()
            .any(|frame| frame["name"].as_str().unwrap().ends_with("main [it=3]")),
        "{frames:?}"
    );
    let evaluated = editor
        .ask(
            "evaluate",
            json!({"expression": "it + 1", "frameId": frames[2]["id"]}),
        )
        .unwrap();
    assert_eq!(evaluated["result"], "4");
    editor.ask("disconnect", json!({})).unwrap();
    editor.vanish();
    assert_eq!(state(&hung.early), "S (sleeping)");
}

/// What goes wrong is said to the editor, which may try again; one that vanishes leaves nothing stopped.
#[test]
fn troubles_and_ends() {
    if !has_tools(&["gcc", "gdb"]) {
        return;
    }
    let hung = Hung::new();
    let mut editor = hung.adapter(&[]);
    let too_early = [
        "attach",
        "threads",
        "stackTrace",
        "scopes",
        "variables",
        "evaluate",
        "continue",
        "pause",
        "next",
    ];
    for command in too_early.into_iter().chain(["nonsense"]) {
        assert!(
            !editor.ask(command, json!({"pid": 1})).unwrap_err().is_empty(),
            "{command}"
        );
    }
    editor.ask("initialize", json!({})).unwrap();
    for (wanted, why) in [
        (json!({}), "'pid' names the job"),
        (json!({"pid": "x"}), "is no pid"),
        (json!({"pid": 999_999_999}), "999999999"),
        (json!({"report": "nothing.json"}), "nothing.json"),
        (json!({"report": "iterate.c"}), "not an answer of hindmost"),
        (
            json!({"pid": hung.pids(), "debugger": "./nothing"}),
            "`debugger` names the debugger",
        ),
        (json!({"pid": hung.pids(), "debugger": "true"}), "gdb has ended"),
    ] {
        let said = editor.ask("attach", wanted.clone()).unwrap_err();
        assert!(said.contains(why), "{wanted}: {said}");
    }
    attached(&mut editor, json!({"pid": hung.pids()}));
    assert!(
        editor
            .ask("attach", json!({"pid": hung.pids()}))
            .unwrap_err()
            .contains("once")
    );
    let breakpoints = editor
        .ask(
            "setBreakpoints",
            json!({"source": {"path": "iterate.c"}, "breakpoints": [{"line": 13}]}),
        )
        .unwrap();
    assert_eq!(breakpoints["breakpoints"][0]["verified"], false);
    editor.vanish();
    assert_eq!(state(&hung.early), "S (sleeping)");
}
