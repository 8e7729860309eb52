//! An editor without a screen: what it says to a debug adapter or a language server, and what it gets.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// How long anything may take on a busy machine before it counts as never.
const PATIENCE: Duration = Duration::from_secs(280);

/// An adapter that serves this editor.
pub struct Editor {
    adapter: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// What came while something else was waited for.
    waiting: VecDeque<Value>,
    seq: u64,
}

impl Editor {
    /// Starts an adapter.
    pub fn new(adapter: &mut Command) -> Self {
        let mut adapter = adapter
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = adapter.stdin.take().unwrap();
        let output = BufReader::new(adapter.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || listen(output, &sender));
        Self {
            adapter,
            input,
            messages,
            waiting: VecDeque::new(),
            seq: 0,
        }
    }

    /// Asks for something; the body of the answer, or why there is none.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        let seq = self.send(command, arguments);
        self.answer(seq)
    }

    /// Asks for something without waiting.
    pub fn send(&mut self, command: &str, arguments: Value) -> u64 {
        self.seq += 1;
        self.write(&json!({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}));
        self.seq
    }

    /// The answer to what was sent under this number.
    pub fn answer(&mut self, seq: u64) -> Result<Value, String> {
        let answer = self.first(|message| message["request_seq"] == seq);
        if answer["success"] == true {
            Ok(answer["body"].clone())
        } else {
            Err(answer["message"].as_str().unwrap_or_default().to_owned())
        }
    }

    /// The body of the next event of this name.
    pub fn event(&mut self, name: &str) -> Value {
        self.first(|message| message["event"] == name)["body"].clone()
    }

    /// Asks a language server, which has other names for the same; the whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.seq += 1;
        let id = self.seq;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.first(|message| message["id"] == id && message["method"].is_null())
    }

    /// Tells a language server something.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    /// The first message that is wanted; others wait.
    fn first(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&wanted) {
            return self.waiting.remove(at).unwrap();
        }
        loop {
            let message = self
                .messages
                .recv_timeout(PATIENCE)
                .expect("the adapter says nothing more");
            if wanted(&message) {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// Closes the connection without a word, as an editor that crashes does, and waits until the adapter has ended.
    pub fn vanish(mut self) {
        drop(self.input);
        self.adapter.wait().unwrap();
    }
}

fn listen(mut output: BufReader<ChildStdout>, messages: &Sender<Value>) {
    loop {
        let mut length = 0;
        loop {
            let mut header = String::new();
            if output.read_line(&mut header).unwrap_or(0) == 0 {
                return;
            }
            match header.trim_end().strip_prefix("Content-Length: ") {
                Some(value) => length = value.parse().unwrap(),
                None if header.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        output.read_exact(&mut body).unwrap();
        if messages.send(serde_json::from_slice(&body).unwrap()).is_err() {
            return;
        }
    }
}
