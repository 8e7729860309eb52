//! `hindmost lsp` byte by byte: what a client may send, and what comes back.

use crate::editor::{JOB, hung};
use crate::support::Sandbox;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A client without an editor.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: i64,
    /// What came besides answers.
    others: Vec<Value>,
    /// The diagnostics of each file, as an editor would show them.
    shown: BTreeMap<String, Value>,
}

impl Client {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut command: Command = sandbox.command(&[&["lsp"], arguments].concat());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            next: 0,
            others: Vec::new(),
            shown: BTreeMap::new(),
        }
    }

    /// Started and initialized, with a root and further capabilities.
    fn ready(sandbox: &Sandbox, arguments: &[&str], capabilities: Value, options: Value) -> Self {
        let mut client = Self::start(sandbox, arguments);
        let root = format!("file://{}", sandbox.root.display());
        let initialize = json!({
            "processId": null, "rootUri": root, "capabilities": capabilities, "initializationOptions": options,
        });
        let answer = client.ask("initialize", initialize);
        assert!(answer["result"]["capabilities"].is_object(), "{answer}");
        client.tell("initialized", json!({}));
        client
    }

    fn write(&mut self, body: &[u8]) {
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        input.write_all(body).unwrap();
        input.flush().unwrap();
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.write(message.to_string().as_bytes());
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({"method": method, "params": params}));
    }

    /// The next message; nothing at the end.
    fn read(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut header = String::new();
            if self.output.read_line(&mut header).unwrap() == 0 {
                return None;
            }
            match header.trim_end().split_once(": ") {
                Some((_, value)) => length = value.parse().unwrap(),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        Some(message)
    }

    /// The answer to a request; everything before it is kept.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(json!({"id": id, "method": method, "params": params}));
        self.answer_to(&json!(id))
    }

    fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            let message = self.read().expect("an answer");
            if message.get("method").is_none() && message["id"] == *id {
                return message;
            }
            if message["method"] == "textDocument/publishDiagnostics" {
                let params = &message["params"];
                let uri = params["uri"].as_str().unwrap().to_owned();
                self.shown.insert(uri, params["diagnostics"].clone());
            }
            self.others.push(message);
        }
    }

    fn run(&mut self, command: &str, arguments: Value) -> Value {
        self.ask(
            "workspace/executeCommand",
            json!({"command": command, "arguments": arguments}),
        )
    }

    /// All that was said up to now, of one method.
    fn said(&mut self, method: &str) -> Vec<Value> {
        // An answer comes after everything before it.
        self.ask(
            "textDocument/codeLens",
            json!({"textDocument": {"uri": "file:///none"}}),
        );
        let (of_method, others) = std::mem::take(&mut self.others)
            .into_iter()
            .partition(|message: &Value| message["method"] == method);
        self.others = others;
        Vec::from_iter(Vec::<Value>::into_iter(of_method).map(|message| message["params"].clone()))
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "c", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, uri: &str, text: &str) {
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]}),
        );
    }

    /// The diagnostics of a file: severity, line and column from 0, code.
    fn diagnostics(&mut self, uri: &str) -> Vec<(u64, u64, u64, String)> {
        self.said("textDocument/publishDiagnostics");
        let found = self
            .shown
            .get(uri)
            .expect("diagnostics")
            .as_array()
            .unwrap()
            .clone();
        let number = |value: &Value| value.as_u64().unwrap();
        let found = found.into_iter().map(|each| {
            let start = &each["range"]["start"];
            assert_eq!(each["source"], "hindmost");
            (
                number(&each["severity"]),
                number(&start["line"]),
                number(&start["character"]),
                each["code"].as_str().unwrap().to_owned(),
            )
        });
        found.collect()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        let late = self.ask("textDocument/hover", json!({}));
        assert_eq!(late["error"]["code"], -32600, "{late}");
        self.tell("exit", Value::Null);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn uri(sandbox: &Sandbox) -> String {
    format!("file://{}", sandbox.root.join("job.c").display())
}

const FOUND: [&str; 4] = ["--map", "job.hmap", "--snapshot", "stacks"];

#[test]
fn what_a_client_sees_in_all_encodings() {
    let sandbox = hung("lsp-encodings");
    let uri = uri(&sandbox);
    // The call on line 19 stands behind two tabs and `/* ä𝄞 */ `.
    for (offered, agreed, column) in [
        (json!(null), "utf-16", 12),
        (json!(["utf-16"]), "utf-16", 12),
        (json!(["utf-16", "utf-8"]), "utf-8", 15),
        (json!(["utf-32"]), "utf-32", 11),
    ] {
        let mut client = Client::start(&sandbox, &FOUND);
        let capabilities = match offered {
            Value::Null => json!({}),
            offered => json!({"general": {"positionEncodings": offered}}),
        };
        let answer = client.ask(
            "initialize",
            json!({"processId": null, "capabilities": capabilities}),
        );
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], agreed);
        // Nothing that a server of the language has.
        let offered = answer["result"]["capabilities"].as_object().unwrap();
        for foreign in [
            "definitionProvider",
            "renameProvider",
            "completionProvider",
            "referencesProvider",
        ] {
            assert!(!offered.contains_key(foreign), "{foreign}");
        }
        client.tell("initialized", json!({}));
        client.open(&uri, JOB);
        assert_eq!(
            client.diagnostics(&uri),
            [(1, 10, 1, "hindmost".to_owned()), (4, 10, 1, "here".to_owned())]
        );
        client.run("hindmost.next", json!([]));
        let step = client.run("hindmost.next", json!([]));
        let start = &step["result"]["location"]["range"]["start"];
        assert_eq!(
            (&start["line"], &start["character"]),
            (&json!(18), &json!(column)),
            "{step}"
        );
        client.end();
    }
}

/// All that a server knows comes from its client and from files: a client that starts another one, and tells it what is open and
/// edited, sees what it saw.
#[test]
fn a_server_that_was_killed_leaves_nothing_that_is_lost() {
    let sandbox = hung("lsp-killed");
    let uri = uri(&sandbox);
    let edited = format!("// An edit that is not saved.\n{JOB}");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let mut client = Client::ready(&sandbox, &FOUND, json!({}), Value::Null);
        client.open(&uri, JOB);
        client.change(&uri, &edited);
        let step = client.run("hindmost.next", json!([]));
        let at = json!({"textDocument": {"uri": uri}, "position": {"line": 11, "character": 0}});
        let hover = client.ask("textDocument/hover", at);
        assert!(hover["result"].is_object(), "{hover}");
        seen.push((
            client.diagnostics(&uri),
            step["result"].clone(),
            hover["result"].clone(),
        ));
        // In the middle of its work, as a crash comes.
        client.send(json!({"id": "last", "method": "workspace/executeCommand", "params": {"command": "hindmost.reload"}}));
        client.child.kill().unwrap();
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].0.len(), 2, "{seen:?}");
}

#[test]
fn lines_are_those_that_were_mapped_or_none() {
    let sandbox = hung("lsp-lines");
    let uri = uri(&sandbox);
    let mut client = Client::ready(&sandbox, &FOUND, json!({}), json!(null));
    let here = |line| {
        vec![
            (1, line, 1, "hindmost".to_owned()),
            (4, line, 1, "here".to_owned()),
        ]
    };
    let changed = vec![(3, 0, 0, "changed".to_owned())];
    let hover = |client: &mut Client, line: u32| {
        let at = json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}});
        client.ask("textDocument/hover", at)["result"].clone()
    };
    // Before it is open, the file on disk is what was mapped.
    assert_eq!(client.diagnostics(&uri), here(10));

    // Ends of lines and the mark of byte order are the editor's own business.
    client.open(&uri, &format!("\u{feff}{}", JOB.replace('\n', "\r\n")));
    assert_eq!(client.diagnostics(&uri), here(10));
    // Unless they would make another line of it.
    client.change(&uri, &JOB.replace("char said", "char\rsaid"));
    assert_eq!(client.diagnostics(&uri), changed);

    client.change(&uri, &format!("\n{JOB}"));
    assert_eq!(client.diagnostics(&uri), here(11));
    assert!(
        hover(&mut client, 11)["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("edited since")
    );
    assert!(hover(&mut client, 0).is_null());
    let edited = JOB.replace("\tpause();", "\tpause( );");
    client.change(&uri, &edited);
    assert!(client.diagnostics(&uri).is_empty());
    assert!(hover(&mut client, 10).is_null());
    // A copy beside it: nobody knows which is which.
    client.change(&uri, &JOB.replace("\tpause();\n", "\tpause();\n\tpause();\n"));
    assert!(client.diagnostics(&uri).is_empty());
    let slice = client.run("hindmost.slice", json!([]));
    assert!(slice["result"]["steps"][0]["location"].is_null(), "{slice}");
    assert_eq!(
        slice["result"]["steps"][1]["location"]["range"]["start"]["line"],
        19
    );
    client.change(&uri, JOB);
    assert_eq!(client.diagnostics(&uri), here(10));

    // Saved with a change, closed, and opened again: it never was the mapped text, as far as anybody saw.
    sandbox.write("job.c", &edited);
    client.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert!(client.diagnostics(&uri).is_empty());
    client.open(&uri, &edited);
    assert_eq!(client.diagnostics(&uri), changed);
    client.end();
}

#[test]
fn commands_and_loading() {
    let sandbox = hung("lsp-commands");
    let uri = uri(&sandbox);
    let capabilities = json!({
        "window": {"showDocument": {"support": true}},
        "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}, "codeLens": {"refreshSupport": true}},
    });
    // The report in place of the snapshot; the client's word counts more than the command line's.
    let options = json!({"map": "job.hmap", "report": "report.json"});
    let mut client = Client::ready(&sandbox, &["--map", "none.hmap"], capabilities, options);
    client.open(&uri, JOB);
    assert_eq!(client.diagnostics(&uri).len(), 2);
    assert!(client.said("window/showMessage").is_empty());
    let watched = client.said("client/registerCapability");
    let watchers = &watched[0]["registrations"][0]["registerOptions"]["watchers"];
    assert_eq!(watchers.as_array().unwrap().len(), 2, "{watched:?}");

    client.run("hindmost.next", json!([]));
    let shown = client.said("window/showDocument");
    assert_eq!(
        (&shown[0]["uri"], &shown[0]["selection"]["start"]["line"]),
        (&json!(uri), &json!(10))
    );
    // It begins where it begins, and ends where it ends.
    client.run("hindmost.previous", json!([]));
    assert!(
        client.said("window/showMessage")[0]["message"]
            .as_str()
            .unwrap()
            .contains("begins here")
    );
    let steps = client.run("hindmost.next", json!([]))["result"]["steps"]
        .as_u64()
        .unwrap();
    // The other class is at the same line in another turn: it brings nothing new.
    let mut last = json!(null);
    let mut said = Vec::new();
    for _ in 0..4 * steps {
        last = client.run("hindmost.next", json!([]))["result"].clone();
        said = client.said("window/showMessage");
        if !said.is_empty() {
            break;
        }
    }
    assert!(
        said[0]["message"].as_str().unwrap().contains("ends here"),
        "{said:?}"
    );
    assert_eq!(last["step"], last["steps"], "{last}");
    assert!(last["steps"].as_u64().unwrap() >= steps, "{last}");

    // A line: what sets `sum` has no influence on the stack, but on what is returned.
    let at = json!([{"textDocument": {"uri": uri}, "position": {"line": 30, "character": 0}}]);
    let slice = client.run("hindmost.slice", at);
    assert_eq!(slice["result"]["steps"][0]["line"], 31, "{slice}");
    assert_eq!(
        client.run("hindmost.fade", json!([true]))["result"]["fading"],
        true
    );
    let codes = client.diagnostics(&uri).into_iter().map(|each| each.3);
    assert!(codes.filter(|code| code == "outside").count() > 0);

    for (command, arguments) in [
        ("hindmost.slice", json!([{"class": 99}])),
        (
            "hindmost.slice",
            json!([{"position": {"line": 1, "character": 1}}]),
        ),
        (
            "hindmost.slice",
            json!([{"textDocument": {"uri": "file:///x.c"}, "position": {"line": 1, "character": 1}}]),
        ),
        ("hindmost.slice", json!(["class"])),
        ("hindmost.reload", json!([{"map": 3}])),
        ("hindmost.other", json!([])),
    ] {
        let answer = client.run(command, arguments);
        assert!(answer["error"]["message"].is_string(), "{command}: {answer}");
    }

    // The file that is watched is another one now.
    let report = std::fs::read_to_string(sandbox.path("report.json")).unwrap();
    sandbox.write("report.json", report.replace("\"line\": 11", "\"line\": 10"));
    let file = format!("file://{}", sandbox.path("report.json").display());
    client.tell(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": file, "type": 2}]}),
    );
    assert_eq!(
        Vec::from_iter(client.diagnostics(&uri).iter().map(|each| each.1)),
        [9, 9]
    );
    assert!(!client.said("workspace/codeLens/refresh").is_empty());

    // What cannot be loaded is said, and what was there stays.
    for (name, content, part) in [
        ("a.json", "{", "not an answer of hindmost"),
        (
            "b.json",
            "{\"schema\": \"x\", \"version\": 1, \"hindmost\": [], \"classes\": []}",
            "x version 1",
        ),
        (
            "c.json",
            &report.replace("\"version\": 1", "\"version\": 2"),
            "version 2",
        ),
    ] {
        sandbox.write(name, content);
        assert_eq!(
            client.run("hindmost.reload", json!([{"report": name}]))["result"]["loaded"],
            false
        );
        let said = client.said("window/showMessage");
        assert!(said[0]["message"].as_str().unwrap().contains(part), "{said:?}");
        assert_eq!(said[0]["type"], 1);
    }
    assert!(client.said("textDocument/publishDiagnostics").is_empty());
    assert_eq!(
        client.run("hindmost.reload", json!([{"snapshot": "stacks"}]))["result"]["loaded"],
        true
    );
    assert_eq!(
        Vec::from_iter(client.diagnostics(&uri).iter().map(|each| each.1)),
        [10, 10]
    );
    client.end();
}

#[test]
fn wrong_messages_end_nothing() {
    let sandbox = Sandbox::new("lsp-wrong");
    let mut client = Client::start(&sandbox, &["--map", "none.hmap", "--snapshot", "none"]);
    let early = client.ask("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    client.write(b"{ not json");
    assert_eq!(client.answer_to(&Value::Null)["error"]["code"], -32700);
    client.write(b"[1, 2]");
    assert_eq!(client.answer_to(&Value::Null)["error"]["code"], -32600);
    client.write(b"{\"jsonrpc\": \"2.0\", \"id\": 1.5}");
    assert_eq!(client.answer_to(&json!(1.5))["error"]["code"], -32600);
    client.write(b"\xff\xfe");
    assert_eq!(client.answer_to(&Value::Null)["error"]["code"], -32700);
    let answer = client.ask(
        "initialize",
        json!({"capabilities": {}, "initializationOptions": {"map": 1}}),
    );
    assert!(answer["result"].is_object(), "{answer}");
    assert_eq!(
        client.ask("initialize", json!({"capabilities": {}}))["error"]["code"],
        -32600
    );
    client.tell("initialized", json!({}));
    let said = client.said("window/showMessage");
    let said = Vec::from_iter(said.iter().map(|each| each["message"].as_str().unwrap()));
    assert!(said[0].contains("initializationOptions"), "{said:?}");
    assert!(said[1].contains("none.hmap"), "{said:?}");

    assert_eq!(
        client.ask("textDocument/rename", json!({}))["error"]["code"],
        -32601
    );
    assert_eq!(
        client.ask("textDocument/hover", json!({"position": 3}))["error"]["code"],
        -32602
    );
    for (method, params) in [
        ("textDocument/didOpen", json!({})),
        ("textDocument/didChange", json!([])),
        ("$/cancelRequest", json!({"id": {}})),
        ("$/cancelRequest", json!({"id": 77})),
        ("$/unknown", json!(null)),
    ] {
        client.tell(method, params);
    }
    client.send(json!({"id": 5, "result": null}));
    client.open("untitled:Untitled-1", "int main(void) { return 0; }");
    let at = json!({"textDocument": {"uri": "untitled:Untitled-1"}, "position": {"line": 0, "character": 4_294_967_295_u32}});
    assert!(client.ask("textDocument/hover", at)["result"].is_null());
    assert!(client.run("hindmost.next", json!([]))["error"]["message"].is_string());
    client.end();

    // Without a word, and in the middle of one.
    for last in [&b""[..], b"Content-Length: 100\r\n\r\n{", b"nonsense\r\n\r\n"] {
        let mut client = Client::start(&sandbox, &[]);
        client.input.as_mut().unwrap().write_all(last).unwrap();
        client.input = None;
        assert_eq!(client.read(), None);
        assert_eq!(client.child.wait().unwrap().code(), Some(1), "{last:?}");
    }
}

/// Behind the last step of the hindmost's slice comes what the next class adds; back the same way.
#[test]
fn steps_go_outwards_class_by_class() {
    let sandbox = Sandbox::new("lsp-classes");
    let text = "int main(void)\n{\n    int a = first();\n    wait_a(a);\n    int b = second();\n    wait_b(b);\n    return 0;\n}\n";
    sandbox.write("two.c", text);
    sandbox.ok(&["map", "--quiet", "-o", "two.hmap", "two.c"]);
    let task = |rank: u32, line: u32, callee: &str| {
        format!(
            "{{\"task\": \"{rank}\", \"rank\": {rank}, \"frames\": [{{\"function\": \"main\", \"file\": \"two.c\", \"line\": {line}}}, \
             {{\"function\": \"{callee}\", \"module\": \"/usr/lib/libx.so\"}}]}}\n"
        )
    };
    sandbox.write("stacks", task(0, 6, "wait_b") + &task(1, 4, "wait_a"));
    let options = json!({"map": "two.hmap", "snapshot": "stacks"});
    let mut client = Client::ready(&sandbox, &[], json!({}), options);
    let uri = format!(
        "file://{}",
        sandbox.root.canonicalize().unwrap().join("two.c").display()
    );
    client.open(&uri, text);
    let mut lines = Vec::new();
    while lines.len() < 40 {
        let step = client.run("hindmost.next", json!([]))["result"].clone();
        if !client.said("window/showMessage").is_empty() {
            break;
        }
        lines.push((step["class"].as_u64().unwrap(), step["line"].as_u64().unwrap()));
    }
    let first_of_other = lines.iter().position(|(class, _)| *class == 1).unwrap();
    let (own, other) = lines.split_at(first_of_other);
    assert!(own.iter().all(|(class, _)| *class == 0), "{lines:?}");
    assert!(other.iter().all(|(class, _)| *class == 1), "{lines:?}");
    let has = |steps: &[(u64, u64)], line| steps.iter().any(|(_, each)| *each == line);
    assert!(has(own, 3) && has(own, 4) && !has(own, 5), "{lines:?}");
    assert!(has(other, 5) && has(other, 6) && !has(other, 3), "{lines:?}");
    let back = client.run("hindmost.previous", json!([]))["result"]["line"].as_u64();
    assert_eq!(back, Some(lines[lines.len() - 2].1), "{lines:?}");
}
