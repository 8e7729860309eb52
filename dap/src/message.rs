//! Messages of the Debug Adapter Protocol, as far as an adapter sends and gets them.

use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, channel};

use crate::incoming::Incoming;

/// What the editor wants.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Request {
    pub(crate) seq: u64,
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

impl Request {
    /// An argument that is a number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.arguments[name].as_u64()
    }

    /// An argument that is a text; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.arguments[name].as_str().unwrap_or_default()
    }
}

/// The way to the editor.
pub struct Writer<W> {
    output: W,
    seq: u64,
}

/// The two ways of a connection. The reading thread ends with the input, or with the process.
pub fn connect<W: Write>(input: impl BufRead + Send + 'static, output: W) -> (Incomings, Writer<W>) {
    let (sender, receiver) = channel();
    let to_adapter = sender.clone();
    std::thread::spawn(move || {
        read_all(input, |message| {
            // What is no request is an answer to a request of ours, and there are none.
            serde_json::from_value(message)
                .map_or(true, |request| sender.send(Incoming::Request(request)).is_ok())
        });
        // If nobody listens any more, there is nobody to tell.
        let _ = sender.send(Incoming::ClientGone);
    });
    let incomings = Incomings {
        receiver,
        sender: to_adapter,
    };
    (incomings, Writer { output, seq: 0 })
}

/// What comes in, and the way by which debuggers come in, too.
pub struct Incomings {
    pub(crate) receiver: Receiver<Incoming>,
    pub(crate) sender: std::sync::mpsc::Sender<Incoming>,
}

/// Reads messages as long as there are some and they are wanted. What is no JSON is left out.
pub(crate) fn read_all(mut input: impl BufRead, mut take: impl FnMut(Value) -> bool) {
    while let Ok(Some(body)) = lsp::read_body(&mut input) {
        if let Ok(message) = serde_json::from_slice(&body)
            && !take(message)
        {
            return;
        }
    }
}

/// Adds the body, if there is one: what is `null` is no body to every editor.
fn with_body(mut message: Value, body: Value) -> Value {
    if !body.is_null() {
        message["body"] = body;
    }
    message
}

/// Writes a message with its length, as the protocol frames it.
pub(crate) fn write_to(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

impl<W: Write> Writer<W> {
    /// Sends a message under a number of its own. If nobody reads any more, the reading side will notice that, too.
    pub(crate) fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = self.seq.into();
        let _ = write_to(&mut self.output, &message);
    }

    pub(crate) fn event(&mut self, event: &str, body: Value) {
        self.send(with_body(json!({"type": "event", "event": event}), body));
    }

    pub(crate) fn respond(&mut self, request: &Request, answer: Result<Value, String>) {
        let mut response = json!({
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(body) => response = with_body(response, body),
            Err(why) => {
                response["body"] = json!({"error": {"id": 1, "format": "{why}", "variables": {"why": &why}, "showUser": true}});
                response["message"] = why.into();
            }
        }
        self.send(response);
    }

    /// A line in the editor's console.
    pub(crate) fn say(&mut self, text: &str) {
        self.event(
            "output",
            json!({"category": "console", "output": format!("{text}\n")}),
        );
    }
}
