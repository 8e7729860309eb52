//! The view of a job's events while they come: what drawing them in a terminal costs, beside a real job of many ranks.
//!
//! tmux is the terminal. The processor time of `hindmost` is its own and that of all its threads, as the kernel counts it; how often it draws is counted in what it writes, and how many events it has taken in stands on its screen.

use crate::command::{make_recorder, succeed};
use crate::workspace;
use anyhow::{Context, Result, bail};
use corpus::{JobProcesses, Mpi, cpu_ticks};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The ranks of the job.
const RANKS: usize = 128;

/// The most of one processor that the view may take, in percent.
const SHARE_LIMIT: f64 = 10.0;

/// How long it is looked at.
const LENGTH: Duration = Duration::from_secs(20);

/// How long it draws before that, so that its screen is full of time.
const RUN_UP: Duration = Duration::from_secs(4);

/// How long anything may take on a busy machine before it counts as never.
const PATIENCE: Duration = Duration::from_secs(120);

/// A line for each rank, and those around them.
const SCREEN: [&str; 4] = ["-x", "200", "-y", "140"];

/// What is written at the end of each screen: the cursor is hidden.
const DRAWN: &[u8] = b"\x1b[?25l";

/// What the ranks do.
#[derive(Clone, Copy)]
enum Pace {
    /// All wait for one that has stopped.
    Hung,
    /// Each step takes so many microseconds, and what its messages take.
    Steps(u32),
}

/// Prints the table.
pub(super) fn print(hindmost: &Path, directory: &Path) -> Result<()> {
    let recorder = make_recorder(hindmost, Mpi::OpenMpi, directory)?;
    let source = workspace::root().join("bench/src/causal/steps.c");
    let program = directory.join("steps");
    let mut compile = Command::new(format!("mpicc.{}", Mpi::OpenMpi.name()));
    succeed(compile.args(["-O2", "-o"]).arg(&program).arg(source))?;
    println!(
        "\nThe view in the terminal of {RANKS} ranks under {}, for {} s: processor time of hindmost in percent of one processor, at most {SHARE_LIMIT:.0}",
        Mpi::OpenMpi.name(),
        LENGTH.as_secs()
    );
    println!("  a step of the ranks   events/s   screens/s   user and system   of the limit");
    for pace in [
        Pace::Hung,
        Pace::Steps(1_000_000),
        Pace::Steps(100_000),
        Pace::Steps(10_000),
    ] {
        let job = Recorded::start(hindmost, &recorder, &program, pace)?;
        let seen = Terminal::open(hindmost, &job.recordings, directory)?.watched()?;
        let pace = match pace {
            Pace::Hung => "none: they hang".to_owned(),
            Pace::Steps(time) => format!("{} ms", time / 1000),
        };
        println!(
            "  {pace:<19} {:>10.0}   {:>9.1}   {:>13.1} %   {}",
            seen.events,
            seen.screens,
            seen.share,
            if seen.share <= SHARE_LIMIT {
                "kept"
            } else {
                "MISSED"
            }
        );
    }
    Ok(())
}

/// A job that is recorded with its events, until it is dropped.
struct Recorded {
    processes: JobProcesses,
    launcher: Child,
    recordings: PathBuf,
}

impl Recorded {
    /// Starts it, and waits until all ranks write events.
    fn start(hindmost: &Path, recorder: &Path, program: &Path, pace: Pace) -> Result<Self> {
        let processes = JobProcesses::new();
        let (variable, value) = processes.variable();
        let mut run = Command::new(hindmost);
        run.args(["run", "--events", "--recorder"]).arg(recorder);
        // In memory, as where nothing is named; but known beforehand.
        let recordings = PathBuf::from(format!("/dev/shm/hindmost-bench-{}", std::process::id()));
        run.arg("--record").arg(&recordings);
        run.args(["--", &format!("mpirun.{}", Mpi::OpenMpi.name())]);
        run.args([
            "--allow-run-as-root",
            "--oversubscribe",
            "-np",
            &RANKS.to_string(),
        ]);
        run.arg(program).arg(match pace {
            Pace::Hung => "0".to_owned(),
            Pace::Steps(time) => time.to_string(),
        });
        run.env(variable, value);
        run.stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let job = Self {
            launcher: run.spawn().context("cannot start the job")?,
            processes,
            recordings,
        };
        let begun = Instant::now();
        while job.writers() < RANKS {
            if begun.elapsed() > PATIENCE {
                bail!("{} of {RANKS} ranks write events", job.writers());
            }
            thread::sleep(Duration::from_millis(100));
        }
        // Where there are fewer processors than ranks, these poll all the time, and the view would hardly come to draw.
        job.processes.give_way();
        Ok(job)
    }

    /// How many ranks have a ring of events.
    fn writers(&self) -> usize {
        let files = fs::read_dir(&self.recordings).into_iter().flatten().flatten();
        files
            .filter(|file| file.path().extension().is_some_and(|end| end == "events"))
            .count()
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        self.processes.end();
        let _ = self.launcher.wait();
        let _ = fs::remove_dir_all(&self.recordings);
    }
}

/// A terminal with the view in it.
struct Terminal {
    socket: PathBuf,
    /// Where all that the view writes goes, too.
    written: PathBuf,
    view: u32,
}

/// What a view came to, each second.
struct Seen {
    events: f64,
    screens: f64,
    /// In percent.
    share: f64,
}

impl Terminal {
    fn open(hindmost: &Path, recordings: &Path, directory: &Path) -> Result<Self> {
        let mut terminal = Self {
            socket: directory.join("tmux"),
            written: directory.join("screens"),
            view: 0,
        };
        File::create(&terminal.written)?;
        let view = format!(
            "exec '{}' timeline --view '{}'",
            hindmost.display(),
            recordings.display()
        );
        let begin = [
            &["-f", "/dev/null", "new-session", "-d"][..],
            &SCREEN,
            &[view.as_str()],
        ]
        .concat();
        terminal.say(&begin)?;
        let copy = format!("exec cat >'{}'", terminal.written.display());
        terminal.say(&["pipe-pane", &copy])?;
        terminal.view = terminal.say(&["display", "-p", "#{pane_pid}"])?.trim().parse()?;
        Ok(terminal)
    }

    fn say(&self, words: &[&str]) -> Result<String> {
        let mut tmux = Command::new("tmux");
        tmux.args(["-u", "-S"]).arg(&self.socket).args(words);
        let (output, _) = succeed(tmux.env("LC_ALL", "C.UTF-8").env_remove("TMUX"))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The events that it has taken in, by its last line; `None` before it is drawn.
    fn events(&self) -> Result<Option<u64>> {
        let screen = self.say(&["capture-pane", "-p"])?;
        let count = screen
            .rsplit_once(" lines, ")
            .and_then(|(_, rest)| rest.split_once(" events"));
        Ok(count.and_then(|(count, _)| count.parse().ok()))
    }

    /// The processor time that it has used.
    fn used(&self) -> Result<Duration> {
        let ticks = cpu_ticks(self.view).context("the view has ended")?;
        Ok(Duration::from_millis(10 * ticks))
    }

    fn screens(&self) -> Result<usize> {
        let written = fs::read(&self.written)?;
        Ok(written.windows(DRAWN.len()).filter(|part| *part == DRAWN).count())
    }

    fn watched(&self) -> Result<Seen> {
        let begun = Instant::now();
        while self.events()?.is_none() {
            if begun.elapsed() > PATIENCE {
                bail!("the view is not drawn: {}", self.say(&["capture-pane", "-p"])?);
            }
            thread::sleep(Duration::from_millis(100));
        }
        thread::sleep(RUN_UP);
        let look = || {
            anyhow::Ok((
                Instant::now(),
                self.used()?,
                self.events()?.unwrap_or(0),
                self.screens()?,
            ))
        };
        let (begun, used, events, screens) = look()?;
        thread::sleep(LENGTH);
        let (ended, used_then, events_then, screens_then) = look()?;
        let seconds = ended.duration_since(begun).as_secs_f64();
        Ok(Seen {
            events: (events_then - events) as f64 / seconds,
            screens: (screens_then - screens) as f64 / seconds,
            share: 100.0 * (used_then - used).as_secs_f64() / seconds,
        })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.say(&["kill-server"]);
    }
}
