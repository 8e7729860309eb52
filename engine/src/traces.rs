//! What the traces of a job tell: its processes' calls, by names that are the same in all of them, and where ways parted.
//!
//! Functions are numbers here, one for each name of a job (or of two that are compared): whoever runs the same build has the same names, and a good and a bad run of two builds can still be held
//! against each other.

mod cut;
mod moments;
mod way;

pub use calltrace::compare::{self, Difference, Differences, Turn};
pub use calltrace::fold::{Call, Forest, Shape, Unrolled, View};
pub use calltrace::paths::{Deviation, Outlier, Paths};
pub use calltrace::phases::{Common, Phase, Phases};
pub use calltrace::stamps::{Message, Part, Tie, WORLD};
pub use calltrace::task::Place;
pub use calltrace::{About, Ended, Event, Task, Trace};
pub use cut::{Calls, Cut, NoCalls, Wanted};
pub use moments::{Happening, Moment};
pub use way::{Did, Way, parted};

use calltrace::fold::Builder;
use cut::{Cutter, Known};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What was read of a thread.
#[derive(Clone, Debug, Default)]
pub struct ThreadFiles {
    /// The number in their names.
    pub number: u32,
    /// Its trace.
    pub trace: Packable,
    /// When things happened in it.
    pub stamps: Packable,
}

/// A file and the one that its first blocks were packed into, read in this order; empty where there is none. They are large, and shared by who looks at them.
#[derive(Clone, Debug, Default)]
pub struct Packable {
    /// The file.
    pub plain: Arc<Vec<u8>>,
    /// What was packed of it.
    pub packed: Arc<Vec<u8>>,
}

impl Packable {
    fn trace(&self) -> Result<Trace<'_>, calltrace::Error> {
        Trace::of(&self.plain, &self.packed)
    }
}

/// A process that was traced, as it was read.
#[derive(Clone, Debug)]
pub struct Process {
    /// What it says of itself.
    pub task: Task,
    /// The names of its functions as linkers know them, in the order of [`Task::functions`].
    pub names: Vec<Option<String>>,
    /// The traces of its threads.
    pub threads: Vec<ThreadFiles>,
}

/// Which thread of which process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    /// The rank, if it is known.
    pub rank: Option<u32>,
    /// The process.
    pub pid: u32,
    /// Which of the programs that the process executed.
    pub image: u32,
    /// Which thread, in the order in which they began.
    pub thread: u32,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank {
            Some(rank) => write!(f, "rank {rank}")?,
            None => write!(f, "process {}", self.pid)?,
        }
        if self.image > 0 {
            write!(f, ", program {}", self.image + 1)?;
        }
        if self.thread > 0 {
            write!(f, ", thread {}", self.thread)?;
        }
        Ok(())
    }
}

/// A thread with its trace.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Whose it is.
    pub who: Who,
    /// Of which run: 0, or 1 of one that it is held against.
    pub run: usize,
    trace: Packable,
    stamps: Packable,
    /// When the first process of its run began, in nanoseconds since the epoch.
    begun: u64,
    functions: Vec<Known>,
    cut: Arc<Cut>,
}

/// The traces of a job.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    /// Names of functions as people read them: number *n* is at index *n* - 1.
    pub names: Vec<String>,
    /// All threads, sorted.
    pub streams: Vec<Stream>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Functions by which the traces were to be cut, and that none of them has.
    pub unmet: Vec<String>,
}

impl Traces {
    /// The traces of these processes, of which the first ones are of one run and the others of another that it is held against. Of each thread there is what is wanted.
    #[must_use]
    pub fn of(processes: Vec<Process>, of_first_run: usize, wanted: &Wanted<'_>) -> Self {
        let mut traces = Self::default();
        let cut = Arc::new(wanted.cut.clone());
        traces.unmet = cut.functions().map(str::to_owned).collect();
        let mut numbers = BTreeMap::new();
        let (first, second) = processes.split_at(of_first_run.min(processes.len()));
        let begun =
            [first, second].map(|run| run.iter().map(|process| process.task.started).min().unwrap_or(0));
        for (index, process) in processes.into_iter().enumerate() {
            let run = usize::from(index >= of_first_run);
            traces.add(process, (run, begun[run]), (wanted, &cut), &mut numbers);
        }
        traces.streams.sort_by_key(|stream| (stream.run, stream.who));
        traces
    }

    fn add(
        &mut self,
        process: Process,
        (run, begun): (usize, u64),
        (wanted, cut): (&Wanted<'_>, &Arc<Cut>),
        numbers: &mut BTreeMap<String, u32>,
    ) {
        let Process { task, names, threads } = process;
        let all = task.functions.iter().enumerate().map(|(index, place)| {
            let name = names.get(index).cloned().flatten();
            let name = name.map_or_else(
                || nameless(&task, *place),
                |name| crate::readable::readable(&name),
            );
            let marks = cut.marks(&name);
            self.unmet.retain(|unmet| !cut::is_called(&name, unmet));
            let number = if (wanted.is_kept)(&name) {
                let next = self.names.len() as u32 + 1;
                *numbers.entry(name).or_insert_with_key(|name| {
                    self.names.push(name.clone());
                    next
                })
            } else {
                0
            };
            Known { number, marks }
        });
        let functions = Vec::from_iter(all);
        for ThreadFiles {
            number,
            trace,
            stamps,
        } in threads
        {
            let who = Who {
                rank: task.rank,
                pid: task.pid,
                image: task.image,
                thread: number,
            };
            match trace.trace() {
                Ok(trace) => self.notes.extend(notes_of(who, &trace.about())),
                // It was killed, or has only begun.
                Err(calltrace::Error::NotATrace) => continue,
                Err(error) => {
                    self.notes
                        .push(format!("the trace of {who} is left out: {error}"));
                    continue;
                }
            }
            self.streams.push(Stream {
                who,
                run,
                trace,
                stamps,
                begun,
                functions: functions.clone(),
                cut: Arc::clone(cut),
            });
        }
    }

    /// The name of a function.
    #[must_use]
    pub fn name(&self, function: u32) -> &str {
        let index = (function as usize).checked_sub(1);
        let name = index.and_then(|index| self.names.get(index));
        name.map_or("(other functions)", String::as_str)
    }

    /// The shapes of all threads, in the order of the streams.
    #[must_use]
    pub fn shapes(&mut self, forest: &mut Forest) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for stream in &self.streams {
            let mut builder = Builder::new(forest);
            let read = stream.each_step(|step| match step {
                Step::Enter(function) => builder.enter(function),
                Step::Exit => builder.exit(),
            });
            shapes.push(builder.finish());
            if let Err(damage) = read {
                let note = format!("the trace of {} is read in part: {damage}", stream.who);
                self.notes.push(note);
            }
        }
        shapes
    }

    /// The stream of the first thread of a rank in this run, or of a process by its number where no rank has it.
    #[must_use]
    pub fn find(&self, number: u32, run: usize) -> Option<usize> {
        let first_of = |is_meant: &dyn Fn(Who) -> bool| {
            let mut streams = self.streams.iter();
            streams.position(|stream| stream.run == run && stream.who.thread == 0 && is_meant(stream.who))
        };
        first_of(&|who| who.rank == Some(number)).or_else(|| first_of(&|who| who.pid == number))
    }
}

/// A function without a symbol.
fn nameless(task: &Task, place: Option<Place>) -> String {
    let Some(place) = place else {
        return "??".to_owned();
    };
    let module = place.module.and_then(|module| task.modules.get(module));
    match module {
        Some(module) => {
            let name = module.path.rsplit('/').next().unwrap_or_default();
            format!("{name}+{:#x}", place.address)
        }
        None => format!("{:#x}", place.address),
    }
}

fn notes_of(who: Who, about: &About) -> Vec<String> {
    let mut notes = Vec::new();
    let why = match about.ended {
        Some(Ended::NoRoom) => {
            Some("there was no room for it on the disk, or its file could not be opened any more")
        }
        Some(Ended::Full) => Some("it has as many blocks as a trace can have"),
        Some(Ended::Thread) | None => None,
    };
    if let Some(why) = why {
        notes.push(format!(
            "the trace of {who} ends early, {} events before now: {why}",
            about.lost
        ));
    }
    if about.is_overrun {
        notes.push(format!("{who}: some of what a signal handler did is missing"));
    }
    notes
}

/// An event with the job's number of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The thread enters this function.
    Enter(u32),
    /// It leaves the function that it entered last.
    Exit,
}

impl Stream {
    /// Calls `each` with its events but for those that are left out.
    ///
    /// # Errors
    /// The trace is damaged; `each` has got what comes before.
    pub fn each_step(&self, mut each: impl FnMut(Step)) -> Result<(), calltrace::Damage> {
        // Who made the stream has read its heads.
        let Ok(trace) = self.trace.trace() else {
            return Ok(());
        };
        let mut cutter = self.cutter();
        let mut events = trace.events();
        for event in events.by_ref() {
            if let Some(step) = cutter.step(event?) {
                each(step);
            }
        }
        let queued = trace.queued(&events);
        queued.filter_map(|event| cutter.step(event)).for_each(each);
        Ok(())
    }

    fn cutter(&self) -> Cutter<'_> {
        Cutter::new(&self.cut, &self.functions)
    }

    /// What its header says.
    #[must_use]
    pub fn about(&self) -> About {
        self.trace
            .trace()
            .map_or_else(|_| About::default(), |trace| trace.about())
    }

    /// Bytes that its events take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.trace.trace().map_or(0, |trace| trace.bytes())
    }
}
