//! Where nothing of what was loaded can be shown, the editor says so.

mod one_file;

use engine::{CompiledUnits, DependenceGraph, SourceFile};
use lsp::{Host, Job, Settings, serve};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SOURCE: &str = "int main(void)\n{\n    wait_for(1);\n    return 0;\n}\n";

/// One source, of which this stands on disk, and stacks.
struct OneFile {
    on_disk: Option<&'static str>,
    stacks: &'static str,
}

impl Host for OneFile {
    fn load(&self, _: &Settings) -> Result<Job, String> {
        one_file::job(SOURCE, self.stacks)
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let text = self.on_disk.filter(|_| path == Path::new("/a.c"))?;
        Some(text.into())
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn graph(&self, _: Vec<SourceFile>, _: CompiledUnits) -> Result<DependenceGraph, String> {
        Err("nobody asks for a slice".to_owned())
    }
}

/// The messages that a user sees when the editor starts.
fn messages(host: OneFile) -> Vec<String> {
    messages_with(
        host,
        Settings {
            map: Some("/map".into()),
            ..Settings::default()
        },
    )
}

fn messages_with(host: OneFile, settings: Settings) -> Vec<String> {
    let (ours, theirs) = Connection::memory();
    let server = std::thread::spawn(move || serve(&theirs, Arc::new(host), settings));
    let ask = |id: i32, method: &str, params: Value| {
        let request = Request {
            id: RequestId::from(id),
            method: method.to_owned(),
            params,
        };
        ours.sender.send(request.into()).unwrap();
    };
    let tell = |method: &str| {
        let told = Notification {
            method: method.to_owned(),
            params: json!({}),
        };
        ours.sender.send(told.into()).unwrap();
    };
    ask(1, "initialize", json!({"capabilities": {}}));
    tell("initialized");
    ask(2, "shutdown", Value::Null);
    let mut shown = Vec::new();
    loop {
        match ours.receiver.recv().unwrap() {
            Message::Response(response) if response.id == RequestId::from(2) => break,
            Message::Notification(told) if told.method == "window/showMessage" => {
                shown.push(told.params["message"].as_str().unwrap().to_owned());
            }
            _ => {}
        }
    }
    tell("exit");
    server.join().unwrap();
    shown
}

const IN_MAIN: &str =
    r#"{"task": "0", "rank": 0, "frames": [{"function": "main", "file": "/a.c", "line": 3}]}"#;
const ELSEWHERE: &str =
    r#"{"task": "0", "rank": 0, "frames": [{"function": "start", "file": "/b.c", "line": 3}]}"#;

#[test]
fn what_is_shown_is_shown_without_words() {
    let host = OneFile {
        on_disk: Some(SOURCE),
        stacks: IN_MAIN,
    };
    assert_eq!(messages(host), [""; 0]);
}

#[test]
fn another_text_on_disk() {
    for on_disk in [None, Some("int main(void) { return 1; }\n")] {
        let host = OneFile {
            on_disk,
            stacks: IN_MAIN,
        };
        assert_eq!(
            messages(host),
            [
                "hindmost: nothing can be shown: the source that the stacks go through is not here as it was mapped"
            ]
        );
    }
}

#[test]
fn stacks_of_another_program() {
    let host = OneFile {
        on_disk: Some(SOURCE),
        stacks: ELSEWHERE,
    };
    assert_eq!(
        messages(host),
        ["hindmost: nothing can be shown: no frame of the stacks is in a source of the map"]
    );
}

#[test]
fn nothing_is_named() {
    let host = OneFile {
        on_disk: Some(SOURCE),
        stacks: IN_MAIN,
    };
    let said = messages_with(host, Settings::default());
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("hindmost: nothing can be shown: no map is named"),
        "{said:?}"
    );
}
