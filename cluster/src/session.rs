//! The dialogue with one host, without waiting: what can be read or written is, and the rest is left for later.

use crate::loss::{Loss, Reached};
use crate::start::{Probe, Speech, Step};
use nodes::{Found, FoundThere, FrameError, FromLines, FromNode, Piece, Reader, RecordedPart, Report};
use rustix::event::{PollFd, PollFlags};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A greeting is shorter.
const MOST_TEXT: usize = 64 << 10;
/// So much of standard error is kept: its end tells why a connection ended.
const MOST_SAID: usize = 4 << 10;
/// So many bytes has what a node says of itself and of the tasks that it has found.
const MOST_FOUND: u32 = 16 << 20;
/// And so many what it has seen of each task; of all of them together never more than a frame may have.
const MOST_OF_TASK: u32 = 256 << 10;
/// And so many what a task has recorded: its file, if every place in it was used.
const MOST_OF_RECORDING: u32 = 8 << 20;
/// And so many an answer with new events, as a sixteenth: as many as a node sends of recordings.
const MOST_OF_EVENTS: u32 = (nodes::MOST_OF_NODE >> 4) as u32 + 16;
/// Once the stream has ended, the program that carried it may take so long to say why.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Who is at the other end.
#[derive(Clone)]
pub(crate) enum Peer {
    /// A probe on one host, which is sent there where it is not.
    Probe(Probe),
    /// Processes on several hosts, which answer together.
    Reducer,
}

/// Where the dialogue is.
#[derive(Debug)]
enum Stage {
    /// The command line speaks.
    Starting(Reached),
    /// The probe was started.
    Greeting,
    /// It was asked for its tasks.
    Selecting,
    /// It waits for us.
    Ready,
    /// It looks.
    Looking,
    /// It was asked for what its tasks have recorded.
    Reading,
    /// Its stream has ended; what carried it has not yet.
    Ending {
        /// Where the dialogue was.
        reached: Reached,
        /// Since when.
        since: Instant,
    },
}

/// What a step has brought.
#[derive(Debug)]
pub(crate) enum Event {
    /// The tasks that there are.
    Found(Found),
    /// What they were seen at.
    Report(Report),
    /// The tasks that there are on several hosts.
    FoundThere(FoundThere),
    /// What those of several hosts were seen at, or a piece of it.
    Piece(Piece),
    /// What the tasks of one host have recorded.
    Recorded(RecordedPart),
    /// In place of a report: the maps are not where the host was to find them.
    MapsWanted,
}

/// The dialogue with one host, or with processes on several that answer together.
pub(crate) struct Session {
    child: Child,
    /// `None` once nothing more can be said.
    input: Option<ChildStdin>,
    output: ChildStdout,
    errors: Option<ChildStderr>,
    stage: Stage,
    peer: Peer,
    /// The first question, as bytes.
    select: Arc<[u8]>,
    outbox: Outbox,
    text: Vec<u8>,
    text_seen: usize,
    /// What takes answers apart that come as lines of text.
    lines: Option<FromLines>,
    reader: Reader,
    said: Vec<u8>,
    /// When something last went to the host or came from it, or it was asked for something.
    last_sign: Instant,
}

/// What is still to be sent. Probe and map are the same for all hosts, and not copied for each.
#[derive(Default)]
struct Outbox {
    queue: VecDeque<Arc<[u8]>>,
    /// How much of the first was sent.
    sent: usize,
}

impl Outbox {
    fn push(&mut self, bytes: Arc<[u8]>) {
        self.queue.push_back(bytes);
    }

    /// Writes what can be written; whether that was anything.
    fn send(&mut self, input: &mut impl Write) -> io::Result<bool> {
        let mut has_sent = false;
        while let Some(first) = self.queue.front() {
            if self.sent == first.len() {
                self.queue.pop_front();
                self.sent = 0;
                continue;
            }
            match input.write(&first[self.sent..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.sent += written;
                    has_sent = true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(has_sent)
    }
}

impl Session {
    /// Starts what reaches the host, which answers by `speech`. `select` is the first question there.
    pub(crate) fn start(
        mut command: Command,
        peer: &Peer,
        speech: Speech,
        select: Arc<[u8]>,
    ) -> io::Result<Self> {
        let piped = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = piped.spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let session = Session {
            input: Some(child.stdin.take().ok_or_else(missing)?),
            output: child.stdout.take().ok_or_else(missing)?,
            errors: child.stderr.take(),
            child,
            stage: Stage::Starting(Reached::Nothing),
            peer: peer.clone(),
            select,
            outbox: Outbox::default(),
            text: Vec::new(),
            text_seen: 0,
            lines: match speech {
                Speech::Bytes => None,
                Speech::Lines => Some(FromLines::default()),
            },
            reader: match peer {
                Peer::Probe(_) => Reader::with_most(MOST_FOUND),
                Peer::Reducer => Reader::default(),
            },
            said: Vec::new(),
            last_sign: Instant::now(),
        };
        ioctl_fionbio(&session.output, true)?;
        if let Some(input) = &session.input {
            ioctl_fionbio(input, true)?;
        }
        if let Some(errors) = &session.errors {
            ioctl_fionbio(errors, true)?;
        }
        Ok(session)
    }

    /// Whether the probe waits for us.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready)
    }

    /// Whether something that was to be sent has not been sent yet.
    pub(crate) fn has_more_to_send(&self) -> bool {
        self.input.is_some() && !self.outbox.queue.is_empty()
    }

    /// Since when nothing has come from the host and nothing could be sent there.
    pub(crate) fn silent_since(&self) -> Instant {
        self.last_sign
    }

    /// How far the host has come.
    pub(crate) fn reached(&self) -> Reached {
        match self.stage {
            Stage::Starting(reached) | Stage::Ending { reached, .. } => reached,
            Stage::Greeting => Reached::Probe,
            Stage::Selecting | Stage::Ready => Reached::Tasks,
            Stage::Looking | Stage::Reading => Reached::Look,
        }
    }

    /// Sends the maps, which are not answered.
    pub(crate) fn send_maps(&mut self, frames: &Arc<[u8]>) {
        self.outbox.push(frames.clone());
    }

    /// Asks for a look at `tasks` tasks.
    pub(crate) fn ask_to_look(&mut self, frame: &Arc<[u8]>, tasks: usize) {
        self.ask(frame, (tasks, MOST_OF_TASK), Stage::Looking);
    }

    /// Asks for what has been recorded by `tasks` tasks that were looked at.
    pub(crate) fn ask_for_recordings(&mut self, frame: &Arc<[u8]>, tasks: usize) {
        self.ask(frame, (tasks, MOST_OF_RECORDING), Stage::Reading);
    }

    /// Asks for the events that its tasks have written since.
    pub(crate) fn ask_for_events(&mut self, frame: &Arc<[u8]>) {
        self.ask(frame, (0, MOST_OF_EVENTS), Stage::Reading);
    }

    /// Sends a question about `tasks` tasks, of each of which at most so many bytes come, and waits for the answer.
    fn ask(&mut self, frame: &Arc<[u8]>, (tasks, most_of_each): (usize, u32), stage: Stage) {
        self.outbox.push(frame.clone());
        let tasks = u32::try_from(tasks).unwrap_or(u32::MAX);
        let most = most_of_each.saturating_mul(tasks.saturating_add(16));
        self.reader.expect(most.min(nodes::frame::LARGEST));
        self.stage = stage;
        self.last_sign = Instant::now();
    }

    /// What this session waits for; when a time is given, it is to be asked again by then whatever happens.
    pub(crate) fn polled(&self) -> (Vec<PollFd<'_>>, Option<Duration>) {
        if matches!(self.stage, Stage::Ending { .. }) {
            return (Vec::new(), Some(Duration::from_millis(10)));
        }
        let mut all = vec![PollFd::new(&self.output, PollFlags::IN)];
        if let Some(errors) = &self.errors {
            all.push(PollFd::from_borrowed_fd(errors.as_fd(), PollFlags::IN));
        }
        if let Some(input) = self.input.as_ref().filter(|_| !self.outbox.queue.is_empty()) {
            all.push(PollFd::from_borrowed_fd(input.as_fd(), PollFlags::OUT));
        }
        (all, None)
    }

    /// Reads and writes what can be.
    ///
    /// # Errors
    /// There will be no more of this host.
    pub(crate) fn step(&mut self) -> Result<Vec<Event>, Loss> {
        self.hear_errors();
        let mut events = Vec::new();
        if !matches!(self.stage, Stage::Ending { .. }) {
            self.hear(&mut events)?;
        }
        if let Some(input) = &mut self.input {
            match self.outbox.send(input) {
                Ok(true) => self.last_sign = Instant::now(),
                Ok(false) => {}
                // Why is told by the end of the stream that leads here.
                Err(_) => self.input = None,
            }
        }
        if let Stage::Ending { reached, since } = self.stage {
            let has_ended = self.child.try_wait().is_ok_and(|status| status.is_some());
            if has_ended || since.elapsed() > LAST_WORDS {
                self.hear_errors();
                let said = self.last_words();
                return Err(Loss::Ended { reached, said });
            }
        }
        Ok(events)
    }

    fn hear(&mut self, events: &mut Vec<Event>) -> Result<(), Loss> {
        let mut piece = [0; 1 << 16];
        loop {
            match self.output.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => {
                    self.last_sign = Instant::now();
                    self.take(&piece[..length], events)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(_) => break,
            }
        }
        let has_cut_line = self.lines.as_ref().is_some_and(|lines| !lines.is_whole());
        let whole = if has_cut_line {
            Err(FrameError::Cut)
        } else {
            self.reader.finish()
        };
        whole.map_err(|error| Loss::Garbage { why: error.into() })?;
        self.stage = Stage::Ending {
            reached: self.reached(),
            since: Instant::now(),
        };
        Ok(())
    }

    fn take(&mut self, piece: &[u8], events: &mut Vec<Event>) -> Result<(), Loss> {
        if let Stage::Starting(_) = self.stage {
            self.text.extend_from_slice(piece);
            self.text_seen += piece.len();
            while let Stage::Starting(_) = self.stage
                && let Some(end) = self.text.iter().position(|&byte| byte == b'\n')
            {
                let line: Vec<u8> = self.text.drain(..=end).collect();
                self.take_line(&String::from_utf8_lossy(&line))?;
            }
            if let Stage::Starting(_) = self.stage {
                return if self.text_seen > MOST_TEXT {
                    Err(Loss::Talkative)
                } else {
                    Ok(())
                };
            }
            let rest = std::mem::take(&mut self.text);
            self.take_bytes(&rest)?;
        } else {
            self.take_bytes(piece)?;
        }
        loop {
            let frame = self.reader.next_frame();
            let Some(frame) = frame.map_err(|error| Loss::Garbage { why: error.into() })? else {
                return Ok(());
            };
            let message = FromNode::of(frame).map_err(|why| Loss::Garbage { why })?;
            events.extend(self.answer(message)?);
        }
    }

    /// What has come since the probe has begun.
    fn take_bytes(&mut self, piece: &[u8]) -> Result<(), Loss> {
        match &mut self.lines {
            None => self.reader.push(piece),
            Some(lines) => {
                let bytes = lines.bytes_of(piece).map_err(|error| Loss::Garbage {
                    why: FrameError::NotLines(error).into(),
                })?;
                self.reader.push(&bytes);
            }
        }
        Ok(())
    }

    /// A line of text before the probe has begun.
    fn take_line(&mut self, line: &str) -> Result<(), Loss> {
        match Step::of(line) {
            None => {}
            Some(Step::Node { system, machine }) => {
                if (system.as_str(), machine.as_str()) != ("Linux", "x86_64") {
                    let machine = format!("{system} on {machine}");
                    return Err(Loss::OtherMachine { machine });
                }
                self.stage = Stage::Starting(Reached::Shell);
            }
            Some(Step::Send) => match &self.peer {
                Peer::Probe(probe) => self.outbox.push(probe.bytes.clone()),
                Peer::Reducer => return Err(Loss::OutOfTurn),
            },
            Some(Step::Begin) => self.stage = Stage::Greeting,
            Some(Step::NoPlace) => return Err(Loss::NoPlace),
        }
        Ok(())
    }

    fn answer(&mut self, message: FromNode) -> Result<Option<Event>, Loss> {
        match (message, &self.stage, &self.peer) {
            (FromNode::Hello(hello), Stage::Greeting, _) => {
                if hello.version != nodes::VERSION {
                    let version = hello.version;
                    return Err(Loss::OtherVersion { version });
                }
                self.outbox.push(self.select.clone());
                self.stage = Stage::Selecting;
                Ok(None)
            }
            (FromNode::Found(found), Stage::Selecting, Peer::Probe(_)) => {
                self.stage = Stage::Ready;
                Ok(Some(Event::Found(found)))
            }
            (FromNode::Report(report), Stage::Looking, Peer::Probe(_)) => {
                self.stage = Stage::Ready;
                Ok(Some(Event::Report(report)))
            }
            (FromNode::MapsWanted, Stage::Looking, Peer::Probe(_)) => {
                self.stage = Stage::Ready;
                Ok(Some(Event::MapsWanted))
            }
            (FromNode::FoundThere(found), Stage::Selecting, Peer::Reducer) => {
                if found.last {
                    self.stage = Stage::Ready;
                }
                Ok(Some(Event::FoundThere(found)))
            }
            (FromNode::Piece(piece), Stage::Looking, Peer::Reducer) => {
                if piece.is_last() {
                    self.stage = Stage::Ready;
                }
                Ok(Some(Event::Piece(piece)))
            }
            (FromNode::Recorded(part), Stage::Reading, _) => {
                if part.last {
                    self.stage = Stage::Ready;
                }
                Ok(Some(Event::Recorded(part)))
            }
            (FromNode::Failure(why), ..) => Err(Loss::Failed { why }),
            _ => Err(Loss::OutOfTurn),
        }
    }

    fn hear_errors(&mut self) {
        let mut piece = [0; 4096];
        while let Some(errors) = &mut self.errors {
            match errors.read(&mut piece) {
                Ok(0) => self.errors = None,
                Ok(length) => {
                    self.said.extend_from_slice(&piece[..length]);
                    let too_much = self.said.len().saturating_sub(MOST_SAID);
                    self.said.drain(..too_much);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.errors = None,
            }
        }
    }

    /// The last line on standard error of our own program there; else the last that does not only draw.
    fn last_words(&self) -> String {
        let text = String::from_utf8_lossy(&self.said);
        let mut lines = text.lines().map(str::trim).rev();
        let own = lines.clone().find(|line| line.starts_with("hindmost-"));
        let last = own.or_else(|| lines.find(|line| line.contains(char::is_alphanumeric)));
        last.unwrap_or_default().to_owned()
    }
}

impl Session {
    /// Ends the stream, and with it the probe, without waiting for that. What carries it is told to end as well: `srun` would leave its step behind if it were killed.
    pub(crate) fn leave(&mut self) {
        self.input = None;
        // One that has ended has no process that could be another's by now: it was not waited for.
        if let (Ok(None), Some(pid)) = (
            self.child.try_wait(),
            Pid::from_raw(self.child.id().cast_signed()),
        ) {
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.leave();
        let until = Instant::now() + LAST_WORDS;
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
