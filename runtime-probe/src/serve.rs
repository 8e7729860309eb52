//! The probe on a host of a job, asked over a stream by who answers for the whole job (`nodes`).
//!
//! The stream is all that keeps the probe: when its other end is closed, as it is when the connection is lost, the front ends or is killed, the probe ends at once, in whatever it is
//! doing. The kernel then releases what it holds. Should the end of the stream be lost as well, a limit of time ends it.

use crate::error::ProbeError;
use crate::following::Following;
use crate::gather::Stopping;
use crate::proctable::own_host;
use crate::recordings::FirstSight;
use crate::several::take_each;
use crate::take::{Options, Threads};
use crate::tasks::{Job, TaskRef, discover, job_alike, job_of_daemon, job_of_pids, job_of_slurm, only_job};
use nodes::{
    Found, FoundTask, FrameError, FromNode, Hello, Look, MapFile, MapPlace, MessageError, Reader,
    RecordedPart, Report, Select, ThreadsRead, ToNode, VERSION,
};
use progress_map::Map;
use regular_files::Limit;
use std::convert::Infallible;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// A probe that nobody asks anything for so long ends. Two looks may be further apart than one thinks.
const IDLE: Duration = Duration::from_secs(3600);

/// How long a file is waited for that may lie on a file system which hangs, as a job may for that very reason.
const FOR_A_FILE: Duration = Duration::from_secs(1);

/// Why the dialogue ended before the front has ended it.
#[derive(Debug)]
pub enum ServeError {
    /// What the front sent is no message.
    Message(MessageError),
    /// The answer could not be sent.
    Output(io::Error),
    /// It is larger than any that is read.
    Large(FrameError),
    /// Nobody has asked for anything.
    Idle,
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Message(error) => write!(f, "standard input: {error}"),
            ServeError::Output(error) => write!(f, "cannot answer: {error}"),
            ServeError::Large(error) => write!(f, "cannot answer: {error}"),
            ServeError::Idle => write!(f, "nothing was asked for {} seconds", IDLE.as_secs()),
        }
    }
}

impl std::error::Error for ServeError {}

/// Answers what comes from `input`, until that ends: then the process ends as well.
///
/// # Errors
/// What came is no message; the answer could not be sent; nothing came for long.
pub fn serve(input: impl Read + Send + 'static, mut output: impl Write) -> Result<Infallible, ServeError> {
    let (sender, messages) = channel();
    thread::spawn(move || {
        listen(input, &sender);
        // Whoever asked is gone. A look may be on its way, and nobody is to wait for its end.
        std::process::exit(0);
    });
    let hello = Hello {
        version: VERSION,
        host: own_host(),
    };
    send(&mut output, &FromNode::Hello(hello))?;
    answer_all(&messages, &mut output)
}

/// Hands on the messages of a stream up to its end. What is no message is handed on as the error that it is, and nothing after it.
pub fn listen(mut input: impl Read, messages: &Sender<Result<ToNode, MessageError>>) {
    let mut reader = Reader::default();
    let mut piece = vec![0; 1 << 16];
    let mut is_sound = true;
    loop {
        match input.read(&mut piece) {
            Ok(0) => return,
            Ok(_) if !is_sound => {}
            Ok(length) => {
                reader.push(&piece[..length]);
                is_sound = hand_on(&mut reader, messages).is_ok();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Hands on what is there as a whole.
fn hand_on(reader: &mut Reader, messages: &Sender<Result<ToNode, MessageError>>) -> Result<(), ()> {
    loop {
        let message = match reader.next_frame() {
            Ok(None) => return Ok(()),
            Ok(Some(frame)) => ToNode::of(frame),
            Err(error) => Err(error.into()),
        };
        let is_sound = message.is_ok();
        messages.send(message).map_err(drop)?;
        if !is_sound {
            return Err(());
        }
    }
}

fn answer_all(
    messages: &Receiver<Result<ToNode, MessageError>>,
    output: &mut impl Write,
) -> Result<Infallible, ServeError> {
    let mut served = Served::default();
    loop {
        let message = messages.recv_timeout(IDLE).map_err(|_| ServeError::Idle)?;
        let answer = match message.map_err(ServeError::Message)? {
            ToNode::Select(select) => match served.select(&select) {
                Ok(found) => FromNode::Found(found),
                Err(why) => FromNode::Failure(why),
            },
            ToNode::Map { place, bytes } => match served.take_map(place, &bytes) {
                Ok(()) => continue,
                Err(why) => FromNode::Failure(why),
            },
            ToNode::MapFile(file) => match served.take_map_file(&file) {
                Ok(()) => continue,
                Err(why) => FromNode::Failure(why),
            },
            ToNode::Look(_) if served.lacks_maps => FromNode::MapsWanted,
            ToNode::Look(look) => FromNode::Report(served.look(look)),
            ToNode::Recordings => recorded(served.recordings()),
            ToNode::Events => recorded(served.events()),
            ToNode::Plan(_) | ToNode::End => {
                FromNode::Failure("a probe answers for its own host alone".to_owned())
            }
        };
        send(output, &answer)?;
    }
}

/// What this host alone has recorded.
fn recorded(bytes: Vec<u8>) -> FromNode {
    FromNode::Recorded(RecordedPart {
        bytes,
        last: true,
        ..RecordedPart::default()
    })
}

/// The tasks of this host that were asked for, and the maps by which they are read.
#[derive(Debug)]
pub struct Served {
    job: Job,
    maps: Vec<Map>,
    /// One of them was not found where it was said to be.
    lacks_maps: bool,
    /// What they record, as it was at the last look.
    recorded: Option<FirstSight>,
    /// Their rings of events, if they are followed.
    following: Following,
}

impl Default for Served {
    fn default() -> Self {
        Served {
            job: Job::default(),
            maps: vec![Map::default()],
            lacks_maps: false,
            recorded: None,
            following: Following::default(),
        }
    }
}

impl Served {
    /// From now on these tasks are meant.
    ///
    /// # Errors
    /// There are none, and why.
    pub fn select(&mut self, select: &Select) -> Result<Found, String> {
        self.job = selected(select)?;
        self.following = Following::default();
        Ok(found(&self.job))
    }

    /// From now on they are read by this map, too, or by it alone.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn take_map(&mut self, place: MapPlace, bytes: &[u8]) -> Result<(), String> {
        let read = Map::from_bytes(bytes).map_err(|error| format!("the map cannot be read: {error}"))?;
        match place {
            MapPlace::First => (self.maps, self.lacks_maps) = (vec![read], false),
            MapPlace::Further => self.maps.push(read),
        }
        self.job.prefer(&Vec::from_iter(&self.maps));
        Ok(())
    }

    /// The same, if the map is where it may be; otherwise nobody is looked at before it was sent.
    fn take_map_file(&mut self, file: &MapFile) -> Result<(), String> {
        match bytes_of(file) {
            Some(bytes) => self.take_map(file.place, &bytes),
            None => {
                self.lacks_maps = true;
                Ok(())
            }
        }
    }

    /// What they are at.
    pub fn look(&mut self, look: Look) -> Report {
        self.recorded = look.recordings.then(|| FirstSight::of(&self.job, look.events));
        let recorded = self.recorded.as_ref().map_or(0, FirstSight::count);
        let report = match options(look) {
            Some(options) => {
                let maps = Vec::from_iter(&self.maps);
                let (header, records) = take_each(&maps, &self.job.tasks, options);
                Report::of(header, records)
            }
            None => Report::default(),
        };
        Report {
            recorded: u32::try_from(recorded).unwrap_or(u32::MAX),
            ..report
        }
    }

    /// What they have written to their rings of events since this was asked last, as [`nodes::NodeRecordings`] are sent.
    pub fn events(&mut self) -> Vec<u8> {
        self.following.events(&self.job).to_bytes()
    }

    /// What they have recorded until a moment after the last look, as [`nodes::NodeRecordings`] are sent; nothing if that was not at what they record.
    pub fn recordings(&mut self) -> Vec<u8> {
        let recorded = self.recorded.take().map(|first| first.again());
        recorded.unwrap_or_default().to_bytes()
    }
}

fn send(output: &mut impl Write, message: &FromNode) -> Result<(), ServeError> {
    let bytes = message.to_bytes().map_err(ServeError::Large)?;
    output.write_all(&bytes).map_err(ServeError::Output)?;
    output.flush().map_err(ServeError::Output)
}

/// The bytes of a map that lies in a file here, if it is that one, and comes in time. Whoever waits for a file system that hangs is left behind.
fn bytes_of(MapFile { path, hash, .. }: &MapFile) -> Option<Vec<u8>> {
    let path = Some(PathBuf::from(path)).filter(|path| Path::is_absolute(path))?;
    let (sender, bytes) = channel();
    thread::spawn(move || sender.send(regular_files::read(&path, Limit::RECORD)));
    let bytes = bytes.recv_timeout(FOR_A_FILE).ok()?.ok()?;
    (blake3::hash(&bytes) == *hash).then_some(bytes)
}

/// The tasks of a launcher's table on this host, by their pids and ranks. Open MPI has 0 for a process of which it had not been told when it made the table, and leaves it so: that is
/// the one of its rank, if a single job runs here.
fn of_table(tasks: &[(u32, u32)]) -> Vec<TaskRef> {
    let lacks_pids = tasks.iter().any(|&(pid, _)| pid == 0);
    let running = lacks_pids.then(|| only_job().unwrap_or_default());
    let of_rank = |rank: u32| {
        let mut running = running.iter().flat_map(|job| &job.tasks);
        running.find(|task| task.rank == Some(rank)).cloned()
    };
    let found = tasks.iter().filter_map(|&(pid, rank)| match pid {
        0 => of_rank(rank),
        _ => Some(TaskRef::of(pid, Some(rank))),
    });
    found.collect()
}

/// The tasks of this host that are meant.
///
/// # Errors
/// There are none, and why. Where no process was named, that there are none is no error.
pub fn selected(select: &Select) -> Result<Job, String> {
    let job = match select {
        Select::Table { tasks, owner } => {
            let mut job = Job {
                tasks: of_table(tasks),
                ..Job::default()
            };
            job.keep_ranks_of(*owner, "the launcher");
            job
        }
        Select::Processes(pids) => match pids[..] {
            [pid] => discover(pid).map_err(|error| error.to_string())?,
            _ => job_of_pids(pids),
        },
        Select::Daemon { argument } => job_of_daemon(argument).map_err(|error| error.to_string())?,
        Select::OnlyJob => match only_job() {
            // A host that was listed need not have a rank, or has none any more.
            Err(error @ ProbeError::NoJob) => {
                return Ok(Job {
                    notes: vec![error.to_string()],
                    ..Job::default()
                });
            }
            found => found.map_err(|error| error.to_string())?,
        },
        // A job may have nodes without ranks.
        Select::Alike { variables } => return job_alike(variables).map_err(|error| error.to_string()),
        &Select::Slurm { job, step } => return job_of_slurm(job, step).map_err(|error| error.to_string()),
    };
    if job.tasks.is_empty() {
        return Err("none of its processes that were named may be looked at".to_owned());
    }
    Ok(job)
}

fn found(job: &Job) -> Found {
    let tasks = job.tasks.iter().map(|task| FoundTask {
        pid: task.pid,
        rank: task.rank,
        executable: task.executable.clone(),
    });
    Found {
        tasks: tasks.collect(),
        size: job.size,
        notes: job.notes.clone(),
    }
}

/// How their stacks are looked at, if they are.
fn options(look: Look) -> Option<Options> {
    Some(Options {
        limit: usize::try_from(look.limit).unwrap_or(usize::MAX),
        patience: Duration::from_millis(look.patience_ms),
        threads: match look.threads {
            ThreadsRead::None => return None,
            ThreadsRead::Main => Threads::Main,
            ThreadsRead::All => Threads::All,
        },
        stopping: if look.stop_sleepers {
            Stopping::Always
        } else {
            Stopping::Sparing
        },
        ..Options::default()
    })
}

impl Options {
    /// As they are sent to another host.
    pub fn as_look(&self) -> Look {
        Look {
            threads: match self.threads {
                Threads::Main => ThreadsRead::Main,
                Threads::All => ThreadsRead::All,
            },
            stop_sleepers: self.stopping == Stopping::Always,
            limit: self.limit as u64,
            patience_ms: u64::try_from(self.patience.as_millis()).unwrap_or(u64::MAX),
            recordings: false,
            events: 0,
        }
    }
}
