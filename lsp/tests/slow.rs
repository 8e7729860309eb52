//! While a slice takes its time, everything else goes on.

mod one_file;

use crossbeam_channel::{Receiver, Sender, bounded};
use engine::{CompiledUnits, DependenceGraph, SourceFile};
use lsp::{Ended, Host, Job, Settings, serve};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

const SOURCE: &str = "\
int main(int argc, char **argv)
{
    int it, n = argc;
    for (it = 0; it < n; it++)
        wait_for(it);
    return 0;
}
";

const STACKS: &str = r#"
{"task": "0", "rank": 0, "frames": [{"function": "main", "file": "/a.c", "line": 5, "values": {"it": 2}}]}
{"task": "1", "rank": 1, "frames": [{"function": "main", "file": "/a.c", "line": 5, "values": {"it": 4}}]}
"#;

/// Has one file, and makes a graph when it is allowed to.
struct Slow {
    /// Says that it was asked for a graph.
    asked: Sender<()>,
    allowed: Receiver<bool>,
}

impl Host for Slow {
    fn load(&self, settings: &Settings) -> Result<Job, String> {
        assert_ne!(settings.map, Some("/mistake".into()), "a mistake of ours");
        if settings.map != Some("/map".into()) {
            return Err("no such map".to_owned());
        }
        one_file::job(SOURCE, STACKS)
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        (path == Path::new("/a.c")).then(|| SOURCE.into())
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        assert_ne!(path, Path::new("/mistake.c"), "a mistake of ours");
        Some(path.to_owned())
    }

    fn graph(&self, files: Vec<SourceFile>, _: CompiledUnits) -> Result<DependenceGraph, String> {
        assert_eq!(files, [one_file::source(SOURCE)]);
        self.asked.send(()).unwrap();
        assert!(self.allowed.recv().unwrap(), "a mistake of ours");
        engine::dependence_graph(files, None, &|_| {}).map_err(|error| error.to_string())
    }
}

struct Client {
    connection: Connection,
    asked: Receiver<()>,
    allow: Sender<bool>,
    server: JoinHandle<Ended>,
}

impl Client {
    fn new() -> Self {
        let (ours, theirs) = Connection::memory();
        let (to_asked, asked) = bounded(9);
        let (allow, allowed) = bounded(9);
        let host = Arc::new(Slow {
            asked: to_asked,
            allowed,
        });
        let settings = Settings {
            map: Some("/map".into()),
            ..Settings::default()
        };
        let client = Self {
            connection: ours,
            asked,
            allow,
            server: std::thread::spawn(move || serve(&theirs, host, settings)),
        };
        client.ask(1, "initialize", json!({"capabilities": {}}));
        assert!(client.answer(1).is_ok());
        client.tell("initialized", json!({}));
        let document = json!({"uri": "file:///a.c", "languageId": "c", "version": 1, "text": SOURCE});
        client.tell("textDocument/didOpen", json!({"textDocument": document}));
        client
    }

    fn ask(&self, id: i32, method: &str, params: Value) {
        let request = Request {
            id: RequestId::from(id),
            method: method.to_owned(),
            params,
        };
        self.connection.sender.send(request.into()).unwrap();
    }

    fn run(&self, id: i32, command: &str) {
        self.ask(
            id,
            "workspace/executeCommand",
            json!({"command": command, "arguments": []}),
        );
    }

    fn tell(&self, method: &str, params: Value) {
        let note = Notification {
            method: method.to_owned(),
            params,
        };
        self.connection.sender.send(note.into()).unwrap();
    }

    /// The next message for the user.
    fn said(&self) -> String {
        loop {
            match self.connection.receiver.recv().unwrap() {
                Message::Notification(told) if told.method == "window/showMessage" => {
                    return told.params["message"].as_str().unwrap().to_owned();
                }
                _ => {}
            }
        }
    }

    /// The next answer, which must be to this request: the value, or the code of the error.
    fn answer(&self, id: i32) -> Result<Value, i32> {
        loop {
            let Message::Response(Response {
                id: of,
                response_result,
            }) = self.connection.receiver.recv().unwrap()
            else {
                continue;
            };
            assert_eq!(of, RequestId::from(id), "{response_result:?}");
            return response_result.map_err(|error| error.code);
        }
    }

    fn hovers(&self, id: i32) {
        let at = json!({"textDocument": {"uri": "file:///a.c"}, "position": {"line": 4, "character": 0}});
        self.ask(id, "textDocument/hover", at);
        let hover = self.answer(id).unwrap();
        let text = hover["contents"]["value"].as_str().unwrap();
        assert!(
            text.starts_with("rank 0 here, hindmost: it=2\nrank 1 here, ahead"),
            "{text}"
        );
    }
}

#[test]
fn hover_does_not_wait_and_what_waits_can_be_cancelled() {
    let client = Client::new();
    client.run(2, "hindmost.slice");
    client.asked.recv().unwrap();
    client.run(3, "hindmost.next");
    client.run(4, "hindmost.next");
    client.hovers(5);
    client.tell("$/cancelRequest", json!({"id": 3}));
    assert_eq!(client.answer(3), Err(-32800));
    client.allow.send(true).unwrap();
    let slice = client.answer(2).unwrap();
    assert_eq!(slice["steps"][0]["line"], 5);
    // The list stands at its first step, and the step that was cancelled was not made.
    assert_eq!(client.answer(4).unwrap()["step"], 2);
    // Done is done: too late to cancel, and the graph is not made again.
    client.tell("$/cancelRequest", json!({"id": 4}));
    client.run(6, "hindmost.previous");
    assert_eq!(client.answer(6).unwrap()["step"], 1);
    assert!(client.asked.is_empty());

    client.ask(7, "shutdown", Value::Null);
    assert_eq!(client.answer(7), Ok(Value::Null));
    client.tell("exit", Value::Null);
    assert_eq!(client.server.join().unwrap(), Ended::InOrder);
}

#[test]
fn what_was_begun_before_a_reload_or_the_end_is_dropped() {
    let client = Client::new();
    client.run(2, "hindmost.next");
    client.asked.recv().unwrap();
    client.run(3, "hindmost.reload");
    // Of what is loaded now, the slice was not asked for.
    assert_eq!(client.answer(2), Err(-32801));
    assert_eq!(client.answer(3), Ok(json!({"loaded": true})));
    client.run(4, "hindmost.next");
    client.asked.recv().unwrap();
    client.allow.send(true).unwrap();
    client.allow.send(true).unwrap();
    assert_eq!(client.answer(4).unwrap()["step"], 1);
    client.run(5, "hindmost.next");
    assert_eq!(client.answer(5).unwrap()["step"], 2);

    // A thread is at work when the client goes.
    client.run(6, "hindmost.reload");
    assert!(client.answer(6).is_ok());
    client.run(7, "hindmost.next");
    client.asked.recv().unwrap();
    drop(client.connection);
    assert_eq!(client.server.join().unwrap(), Ended::Abruptly);
}

#[test]
fn a_mistake_in_a_thread_is_an_answer() {
    let client = Client::new();
    client.run(2, "hindmost.next");
    client.asked.recv().unwrap();
    client.allow.send(false).unwrap();
    assert_eq!(client.answer(2), Err(-32803));
    client.run(3, "hindmost.next");
    client.allow.send(true).unwrap();
    assert_eq!(client.answer(3).unwrap()["step"], 1);
}

#[test]
fn a_mistake_in_a_message_ends_no_server() {
    let client = Client::new();
    let document = json!({"uri": "file:///mistake.c", "languageId": "c", "version": 1, "text": ""});
    client.tell("textDocument/didOpen", json!({"textDocument": document}));
    assert_eq!(
        client.said(),
        "hindmost: an error inside hindmost, at file:///mistake.c: what is shown may be old"
    );
    let reload = json!({"command": "hindmost.reload", "arguments": [{"map": "/mistake"}]});
    client.ask(2, "workspace/executeCommand", reload);
    assert_eq!(client.answer(2), Err(-32603));
    // What was loaded before is still there, and what is loaded next is, too.
    client.hovers(3);
    let reload = json!({"command": "hindmost.reload", "arguments": [{"map": "/map"}]});
    client.ask(4, "workspace/executeCommand", reload);
    assert_eq!(client.answer(4), Ok(json!({"loaded": true})));
    client.hovers(5);
}
