//! A debugger that has an adapter of its own: messages go to and fro, and what is known of the hindmost is added on the way.

use crate::incoming::Said;
use crate::message::{self, Request};
use crate::session::PATIENCE;
use crate::whom::{Hindmost, Place};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Frames that the editor has asked for; the debugger is asked for all, since only whole stacks can be held against the answer's.
struct Wanted {
    thread: u64,
    from: usize,
    count: usize,
}

pub(crate) struct Relay {
    child: Child,
    input: ChildStdin,
    pid: u32,
    /// What it gets once it has said what it can do.
    attach: Option<Value>,
    stacks: BTreeMap<u64, Wanted>,
}

/// The command that starts a debugger's own adapter, if it has one: lldb's is a program of its own, gdb's is in gdb from version 14 on.
pub(crate) fn adapter_of(debugger: &str) -> Option<Command> {
    let name = debugger.rsplit('/').next().unwrap_or(debugger);
    let mut command = Command::new(debugger);
    if name.starts_with("lldb-dap") || name.starts_with("lldb-vscode") {
        return Some(command);
    }
    let probe = [
        "-nx",
        "-batch",
        "-ex",
        "python import gdb.dap; print('adapter', 'here')",
    ];
    let found = Command::new(debugger)
        .args(probe)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    command.args(["--quiet", "--interpreter=dap"]);
    String::from_utf8_lossy(&found.stdout)
        .contains("adapter here")
        .then_some(command)
}

impl Relay {
    /// Starts the adapter, and tells it what the editor has said up to now; `attach` is about the hindmost's process.
    ///
    /// # Errors
    /// There is no such program.
    pub(crate) fn start(
        mut command: Command,
        said: Said,
        initialize: &Request,
        attach: &Request,
        pid: u32,
    ) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        std::thread::spawn(move || {
            message::read_all(BufReader::new(output), |message| said.relayed(message));
            said.gone();
        });
        let mut wanted = attach.arguments.clone();
        if let Some(wanted) = wanted.as_object_mut() {
            for ours in ["report", "map", "debugger"] {
                wanted.remove(ours);
            }
        } else {
            wanted = json!({});
        }
        wanted["pid"] = pid.into();
        // Without it lldb's lets the task run at once.
        wanted["stopOnEntry"] = true.into();
        let mut relay = Self {
            child,
            input,
            pid,
            attach: Some(request(attach, wanted)),
            stacks: BTreeMap::new(),
        };
        relay.send(&request(initialize, initialize.arguments.clone()));
        Ok(relay)
    }

    /// If the adapter is gone, that comes in.
    fn send(&mut self, message: &Value) {
        let _ = message::write_to(&mut self.input, message);
    }

    /// Hands on what the editor wants.
    pub(crate) fn forward(&mut self, asked: &Request) {
        let mut arguments = asked.arguments.clone();
        if asked.command == "stackTrace"
            && let Some(whole) = arguments.as_object_mut()
        {
            let number = |name: &str| usize::try_from(asked.number(name).unwrap_or(0)).unwrap_or(usize::MAX);
            let wanted = Wanted {
                thread: asked.number("threadId").unwrap_or(0),
                from: number("startFrame"),
                count: number("levels"),
            };
            self.stacks.insert(asked.seq, wanted);
            whole.remove("startFrame");
            whole.remove("levels");
        }
        self.send(&request(asked, arguments));
    }

    /// What the editor gets of a message of the adapter's.
    pub(crate) fn annotated(&mut self, mut message: Value, hindmost: Option<&Hindmost>) -> Option<Value> {
        match (
            message["type"].as_str(),
            message["command"].as_str(),
            message["event"].as_str(),
        ) {
            (Some("response"), Some("initialize"), _) => {
                if let Some(attach) = self.attach.take() {
                    self.send(&attach);
                }
                // The editor has its answer to that; what there is beyond it comes so.
                let capabilities = json!({"capabilities": message["body"]});
                Some(json!({"type": "event", "event": "capabilities", "body": capabilities}))
            }
            (Some("response"), Some("stackTrace"), _) => {
                let wanted = message["request_seq"]
                    .as_u64()
                    .and_then(|seq| self.stacks.remove(&seq));
                if let Some(wanted) = wanted {
                    let is_main = wanted.thread == u64::from(self.pid) || wanted.thread == 1;
                    annotate(&mut message["body"], &wanted, hindmost.filter(|_| is_main));
                }
                Some(message)
            }
            (Some("event"), _, Some("stopped")) => {
                if let Some(hindmost) = hindmost {
                    message["body"]["description"] = hindmost.why.as_str().into();
                }
                Some(message)
            }
            _ => Some(message),
        }
    }

    /// Lets the task go on, and ends the adapter.
    pub(crate) fn end(mut self) {
        let leave = json!({"seq": u64::from(u32::MAX), "type": "request", "command": "disconnect", "arguments": {"terminateDebuggee": false}});
        self.send(&leave);
        drop(self.input);
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Whom it still holds the kernel lets go.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(like: &Request, arguments: Value) -> Value {
    json!({"seq": like.seq, "type": "request", "command": like.command, "arguments": arguments})
}

/// Adds to a whole stack what the answer says, and leaves the frames that the editor wants.
fn annotate(body: &mut Value, wanted: &Wanted, hindmost: Option<&Hindmost>) {
    let Some(frames) = body["stackFrames"].as_array_mut() else {
        return;
    };
    let all = frames.len();
    if let Some(hindmost) = hindmost {
        let places = Vec::from_iter(frames.iter().rev().map(place));
        let seen = hindmost.among(&places);
        let innermost = seen.keys().next_back().copied();
        for (index, frame) in frames.iter_mut().rev().enumerate() {
            if innermost.is_some_and(|innermost| index > innermost) {
                frame["presentationHint"] = "subtle".into();
            }
            if let Some(known) = seen.get(&index).and_then(|seen| seen.known()) {
                frame["name"] = format!("{} [{known}]", frame["name"].as_str().unwrap_or_default()).into();
            }
        }
    }
    frames.drain(..wanted.from.min(all));
    if wanted.count > 0 {
        frames.truncate(wanted.count);
    }
    body["totalFrames"] = all.into();
}

fn place(frame: &Value) -> Option<Place> {
    let source = &frame["source"];
    let path = source["path"].as_str().or_else(|| source["name"].as_str())?;
    let line = u32::try_from(frame["line"].as_u64()?).ok()?;
    (line > 0).then(|| Place::new(path, line))
}
