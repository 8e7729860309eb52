//! An editor's session: who is behind is asked, gdb attached, and what the editor wants is asked of gdb.

mod looks;

use crate::gdb::Gdb;
use crate::incoming::{self, Incoming, Said};
use crate::message::{Incomings, Request, Writer};
use crate::mi::Record;
use crate::relay::Relay;
use crate::stack::Frame;
use crate::variables::Shown;
use crate::whom::Hindmost;
use crate::{Host, Settings};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long gdb may take to let a task go, before it is ended and the kernel does that.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Serves an editor until it leaves. The task goes on in any case.
pub fn serve<W: Write>(incomings: Incomings, writer: Writer<W>, host: Arc<dyn Host>, settings: Settings) {
    Session {
        incomings,
        later: VecDeque::new(),
        writer,
        host,
        settings,
        asked: None,
        hindmost: None,
        debugger: Debugger::None,
        latest: incoming::Debugger::default(),
        shown: Shown::default(),
        stacks: BTreeMap::new(),
        is_leaving: false,
    }
    .run();
}

/// Whom the editor talks to in the end.
enum Debugger {
    /// Nobody is attached.
    None,
    /// gdb, by its machine interface.
    Gdb { gdb: Gdb, task: Task },
    /// A debugger's own adapter.
    Relay(Relay),
}

/// What the task does that gdb holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Running,
    Standing,
    /// gdb is gone, and nobody knows.
    Lost,
}

struct Session<W> {
    incomings: Incomings,
    /// What came in while something else was waited for.
    later: VecDeque<Incoming>,
    writer: Writer<W>,
    host: Arc<dyn Host>,
    settings: Settings,
    /// What the editor has asked, as long as no debugger has got it: `initialize`, and `attach` while the answer is awaited.
    asked: Option<Asked>,
    hindmost: Option<Hindmost>,
    debugger: Debugger,
    /// The debugger that was started last.
    latest: incoming::Debugger,
    shown: Shown,
    /// The frames of threads that were looked at, innermost first.
    stacks: BTreeMap<u64, Vec<Frame>>,
    /// The editor is gone, or wants to be.
    is_leaving: bool,
}

struct Asked {
    initialize: Request,
    attach: Option<Request>,
    debugger: String,
}

impl Asked {
    fn new(initialize: Request) -> Self {
        Self {
            initialize,
            attach: None,
            debugger: String::new(),
        }
    }
}

type Answer = Result<Value, String>;

impl<W: Write> Session<W> {
    fn run(&mut self) {
        while let Some(incoming) = self.next() {
            match incoming {
                Incoming::Request(request) if request.command == "disconnect" => {
                    self.let_go();
                    self.writer.respond(&request, Ok(Value::Null));
                    return;
                }
                Incoming::Request(request) => self.request(request),
                Incoming::Answer(answer) => self.attach(answer),
                Incoming::Record(_, record) => self.record(&record),
                Incoming::Relayed(_, message) => self.relayed(message),
                Incoming::DebuggerGone(_) => self.lost(),
                Incoming::ClientGone => break,
            }
        }
        self.let_go();
    }

    fn next(&mut self) -> Option<Incoming> {
        loop {
            let incoming = self
                .later
                .pop_front()
                .or_else(|| self.incomings.receiver.recv().ok())?;
            if self.is_of_interest(&incoming) {
                return Some(incoming);
            }
        }
    }

    fn is_of_interest(&self, incoming: &Incoming) -> bool {
        incoming.from().is_none_or(|from| from == self.latest)
    }

    fn said(&mut self) -> Said {
        self.latest.0 += 1;
        Said {
            to: self.incomings.sender.clone(),
            by: self.latest,
        }
    }

    fn request(&mut self, request: Request) {
        if let Debugger::Relay(relay) = &mut self.debugger {
            relay.forward(&request);
            return;
        }
        let answer = match request.command.as_str() {
            "initialize" => {
                self.asked = Some(Asked::new(request.clone()));
                Ok(json!({"supportsConfigurationDoneRequest": true, "supportsEvaluateForHovers": true}))
            }
            "attach" => match self.ask_whom(&request) {
                // It is answered when gdb is there.
                Ok(()) => return,
                Err(why) => Err(why),
            },
            "configurationDone" => {
                self.writer.respond(&request, Ok(Value::Null));
                self.stopped("pause");
                return;
            }
            "setBreakpoints" => Ok(no_breakpoints(&request)),
            "setExceptionBreakpoints" | "setFunctionBreakpoints" => Ok(json!({"breakpoints": []})),
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(&request),
            "scopes" => self.scopes(&request),
            "variables" => self.variables(&request),
            "evaluate" => self.evaluate(&request),
            "continue" => self
                .go("-exec-continue")
                .map(|()| json!({"allThreadsContinued": true})),
            "next" => self.step(&request, "-exec-next"),
            "stepIn" => self.step(&request, "-exec-step"),
            "stepOut" => self.step(&request, "-exec-finish"),
            "pause" => self.ask("-exec-interrupt"),
            other => Err(format!("'{other}' is not offered")),
        };
        self.writer.respond(&request, answer);
    }

    /// Asks who is behind, in a thread of its own: the editor may leave meanwhile.
    fn ask_whom(&mut self, request: &Request) -> Result<(), String> {
        let asked = self
            .asked
            .as_mut()
            .ok_or("'attach' comes after 'initialize', and once")?;
        if asked.attach.is_some() {
            return Err("one task at a time can be debugged".to_owned());
        }
        let wanted = wanted(&self.settings, request)?;
        asked.attach = Some(request.clone());
        asked.debugger = wanted.debugger.clone().unwrap_or_else(|| "gdb".to_owned());
        let (host, sender) = (Arc::clone(&self.host), self.incomings.sender.clone());
        self.writer.say("hindmost: looking who is behind");
        std::thread::spawn(move || {
            // If nobody listens any more, there is nobody to tell.
            let _ = sender.send(Incoming::Answer(host.answer(&wanted)));
        });
        Ok(())
    }

    fn attach(&mut self, answer: Result<String, String>) {
        let Some(asked) = self.asked.take() else { return };
        let Some(attach) = &asked.attach else { return };
        let begun = answer.and_then(|answer| {
            let hindmost = Hindmost::of(&answer)?;
            self.writer.say(&hindmost.why);
            self.begin(&asked, attach, hindmost)
        });
        match begun {
            Ok(Begun::Attached) => {
                self.writer.respond(attach, Ok(Value::Null));
                self.writer.event("initialized", Value::Null);
            }
            // It answers itself.
            Ok(Begun::Relayed) => {}
            Err(why) => {
                self.release();
                self.writer.respond(attach, Err(why));
                self.asked = Some(Asked::new(asked.initialize));
            }
        }
    }

    /// Starts the debugger on the hindmost task.
    fn begin(&mut self, asked: &Asked, attach: &Request, hindmost: Hindmost) -> Result<Begun, String> {
        let program = &asked.debugger;
        let pid = hindmost.pid;
        self.hindmost = Some(hindmost);
        if let Some(command) = crate::relay::adapter_of(program) {
            let relay = Relay::start(command, self.said(), &asked.initialize, attach, pid)
                .map_err(|error| format!("{program}: {error}"))?;
            self.debugger = Debugger::Relay(relay);
            return Ok(Begun::Relayed);
        }
        let gdb = Gdb::start(program, self.said())
            .map_err(|error| format!("{program}: {error}: `debugger` names the debugger"))?;
        self.debugger = Debugger::Gdb {
            gdb,
            task: Task::Running,
        };
        for setting in [
            "-gdb-set confirm off",
            "-gdb-set pagination off",
            "-gdb-set mi-async on",
            "-enable-pretty-printing",
        ] {
            self.ask(setting)?;
        }
        self.ask(&format!("-target-attach {pid}"))
            .map_err(|why| format!("gdb cannot attach to process {pid}: {why}"))?;
        self.await_stop()?;
        Ok(Begun::Attached)
    }

    /// Asks gdb, and returns what it says. What else comes in meanwhile has to wait.
    fn ask(&mut self, command: &str) -> Answer {
        let gdb = match &mut self.debugger {
            Debugger::Gdb { task: Task::Lost, .. } => return Err(gone()),
            Debugger::Gdb { gdb, .. } => gdb,
            _ => return Err("no task is attached".to_owned()),
        };
        let number = gdb.send(command);
        loop {
            match self.receive()? {
                Incoming::Record(_, Record::Result(of, class, results)) if of == number => {
                    return match class.as_str() {
                        "error" => Err(results["msg"]
                            .as_str()
                            .unwrap_or("gdb gives no reason")
                            .to_owned()),
                        _ => Ok(results),
                    };
                }
                other => self.later.push_back(other),
            }
        }
    }

    /// The next thing that comes in while gdb is waited for. Whoever wants to leave waits for a while only.
    fn receive(&mut self) -> Result<Incoming, String> {
        let incoming = if self.is_leaving {
            self.incomings
                .receiver
                .recv_timeout(PATIENCE)
                .map_err(|_| "gdb does not answer".to_owned())?
        } else {
            self.incomings.receiver.recv().map_err(|_| gone())?
        };
        self.is_leaving |= match &incoming {
            Incoming::ClientGone => true,
            Incoming::Request(request) => request.command == "disconnect",
            _ => false,
        };
        if !self.is_of_interest(&incoming) {
            return self.receive();
        }
        if let Incoming::DebuggerGone(_) = incoming {
            self.is_now(Task::Lost);
            self.later.push_back(incoming);
            return Err(gone());
        }
        Ok(incoming)
    }

    fn is_now(&mut self, now: Task) {
        if let Debugger::Gdb { task, .. } = &mut self.debugger {
            *task = now;
        }
    }

    fn await_stop(&mut self) -> Result<(), String> {
        // It may have come before the result.
        let came = self.later.iter().position(
            |one| matches!(one, Incoming::Record(_, Record::Happened(what, _)) if what == "stopped"),
        );
        if let Some(at) = came {
            self.later.remove(at);
        } else {
            while !matches!(self.receive_or_keep()?, Some(Record::Happened(what, _)) if what == "stopped") {}
        }
        self.is_now(Task::Standing);
        Ok(())
    }

    fn receive_or_keep(&mut self) -> Result<Option<Record>, String> {
        match self.receive()? {
            Incoming::Record(_, record) => Ok(Some(record)),
            other => {
                self.later.push_back(other);
                Ok(None)
            }
        }
    }

    fn record(&mut self, record: &Record) {
        let Record::Happened(what, told) = record else {
            return;
        };
        match what.as_str() {
            "running" => self.is_now(Task::Running),
            "stopped" => {
                self.is_now(Task::Standing);
                let reason = told["reason"].as_str().unwrap_or_default();
                if reason.starts_with("exited") {
                    self.writer.say("the task has ended");
                    self.writer.event("terminated", json!({}));
                    return;
                }
                let reason = match (reason, told["signal-name"].as_str()) {
                    ("end-stepping-range" | "function-finished", _) => "step",
                    ("breakpoint-hit", _) => "breakpoint",
                    ("signal-received", Some("SIGINT" | "0")) | ("", _) => "pause",
                    _ => "exception",
                };
                let thread = told["thread-id"].as_str().and_then(|id| id.parse().ok());
                self.stopped_at(reason, thread);
            }
            _ => {}
        }
    }

    /// Says that the task stands, at its main thread.
    fn stopped(&mut self, reason: &str) {
        self.stopped_at(reason, None);
    }

    fn stopped_at(&mut self, reason: &str, thread: Option<u64>) {
        self.shown.clear();
        self.stacks.clear();
        let mut body = json!({
            "reason": reason,
            "threadId": thread.or_else(|| self.main_thread()).unwrap_or(1),
            "allThreadsStopped": true,
        });
        if let Some(hindmost) = self.hindmost.as_ref().filter(|_| thread.is_none()) {
            body["description"] = hindmost.why.as_str().into();
            body["text"] = hindmost.why.as_str().into();
        }
        self.writer.event("stopped", body);
    }

    fn step(&mut self, request: &Request, command: &str) -> Answer {
        let thread = request.number("threadId").ok_or("no thread is named")?;
        self.go(&format!("{command} --thread {thread}"))
            .map(|()| Value::Null)
    }

    fn go(&mut self, command: &str) -> Result<(), String> {
        // What gdb keeps of variables is of this moment.
        self.shown.clear();
        self.stacks.clear();
        self.ask(command)?;
        self.is_now(Task::Running);
        Ok(())
    }

    fn relayed(&mut self, message: Value) {
        if let Debugger::Relay(relay) = &mut self.debugger
            && let Some(message) = relay.annotated(message, self.hindmost.as_ref())
        {
            self.writer.send(message);
        }
    }

    fn lost(&mut self) {
        if !matches!(self.debugger, Debugger::None) {
            self.debugger = Debugger::None;
            self.writer.say("the debugger has ended");
            self.writer.event("terminated", json!({}));
        }
    }

    /// Lets the task go on, and does not wait for long.
    fn let_go(&mut self) {
        self.is_leaving = true;
        self.release();
    }

    /// Lets the task go on, without the debugger.
    fn release(&mut self) {
        if let Debugger::Gdb {
            task: Task::Running, ..
        } = &self.debugger
            && self.ask("-exec-interrupt").is_ok()
        {
            // If it does not stop, it cannot be detached from in order.
            let _ = self.await_stop();
        }
        let _ = self.ask("-target-detach");
        match std::mem::replace(&mut self.debugger, Debugger::None) {
            Debugger::Gdb { gdb, .. } => gdb.end(),
            Debugger::Relay(relay) => relay.end(),
            Debugger::None => {}
        }
    }
}

fn gone() -> String {
    "gdb has ended".to_owned()
}

enum Begun {
    Attached,
    Relayed,
}

/// What is to be debugged: what the editor's configuration says, and else what the adapter was started with.
fn wanted(settings: &Settings, request: &Request) -> Result<Settings, String> {
    let text = |name: &str| Some(request.text(name)).filter(|text| !text.is_empty());
    let pid = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        number
            .and_then(|number| u32::try_from(number).ok())
            .ok_or_else(|| format!("'{value}' is no pid"))
    };
    let pids = match &request.arguments["pid"] {
        Value::Null => settings.pids.clone(),
        Value::Array(pids) => pids.iter().map(pid).collect::<Result<_, _>>()?,
        one => vec![pid(one)?],
    };
    let wanted = Settings {
        pids,
        report: text("report")
            .map(PathBuf::from)
            .or_else(|| settings.report.clone()),
        map: text("map").map(PathBuf::from).or_else(|| settings.map.clone()),
        debugger: text("debugger")
            .map(str::to_owned)
            .or_else(|| settings.debugger.clone()),
    };
    if wanted.pids.is_empty() && wanted.report.is_none() {
        return Err("'pid' names the job: the pid of mpirun, mpiexec or srun, or of its tasks; or 'report' a file that `find --format json` wrote".to_owned());
    }
    Ok(wanted)
}

fn no_breakpoints(request: &Request) -> Value {
    let wanted = request.arguments["breakpoints"].as_array().map_or(0, Vec::len);
    let none = json!({"verified": false, "message": "a task that hangs comes to no breakpoint: gdb itself has them"});
    json!({"breakpoints": vec![none; wanted]})
}
