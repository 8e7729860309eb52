//! The processes of one job, found and ended wherever they went.
//!
//! A process group or a session does not hold a job together: Open MPI gives every rank a group of its own, and
//! Hydra even a session. What every process of a job does inherit is its environment, so each job carries a token
//! there that nothing else has. Ending a job means ending whatever carries its token, and nothing else, ever.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The environment variable that holds the token.
const TOKEN: &str = "HINDMOST_JOB";

/// How nice processes are that give way: a tenth of what others get, but not nothing.
const NICE: &str = "10";

/// Tokens of the jobs that are running, for [`end_all`].
static RUNNING: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// All processes that were started, directly or not, with one token in their environment. Ends them when dropped,
/// and when this process is interrupted.
#[derive(Debug)]
pub struct JobProcesses {
    token: String,
}

impl JobProcesses {
    /// A new token: the variable to set for the first process of the job comes from [`Self::variable`].
    pub fn new() -> Self {
        static WATCH_FOR_INTERRUPT: Once = Once::new();
        WATCH_FOR_INTERRUPT.call_once(|| {
            // Whoever has a handler of their own must end the jobs themselves: keep theirs.
            let _ = ctrlc::try_set_handler(|| {
                end_all();
                std::process::exit(130);
            });
        });
        static COUNT: Mutex<u32> = Mutex::new(0);
        let mut count = lock(&COUNT);
        *count += 1;
        let started = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_micros();
        let token = format!("{}-{count}-{started}", std::process::id());
        lock(&RUNNING).insert(token.clone());
        Self { token }
    }

    /// Name and value of the environment variable that marks the job.
    pub fn variable(&self) -> (&'static str, &str) {
        (TOKEN, &self.token)
    }

    /// The pids that carry the token and are not zombies, in increasing order.
    pub fn pids(&self) -> Vec<u32> {
        carrying(&self.token)
    }

    /// From now on ranks that poll leave the processors to whoever looks at them, as far as the kernel lets them: on a machine with fewer processors
    /// than ranks whatever is run beside a hung job takes several times as long otherwise.
    pub fn give_way(&self) {
        let group = |pid: &str| {
            let group = fs::read_to_string(format!("/proc/{pid}/autogroup")).ok()?;
            Some(group.split_once(' ')?.0.to_owned())
        };
        let own = group("self");
        let pids = Vec::from_iter(self.pids().iter().map(u32::to_string));
        for pid in &pids {
            // MPICH gives each rank a session of its own, and the kernel shares the processors fairly among sessions before it asks how nice a process is.
            // Open MPI's are in our session, and would take us with them.
            if own.is_some() && group(pid) != own {
                let _ = fs::write(format!("/proc/{pid}/autogroup"), NICE);
            }
        }
        let mut renice = Command::new("renice");
        renice.args(["-n", NICE, "-p"]).args(&pids);
        let _ = renice.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }

    /// A directory for the job's files, not made yet; it is removed when the job has ended. The path is short, because
    /// sockets are made in it and their paths may have 108 bytes only.
    pub fn scratch(&self) -> PathBuf {
        scratch(&self.token)
    }

    /// Ends all processes of the job, waits until they are gone, and removes its files. Returns those that would not
    /// go.
    pub fn end(&self) -> Vec<u32> {
        let left = end(&self.token);
        lock(&RUNNING).remove(&self.token);
        left
    }
}

impl Default for JobProcesses {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for JobProcesses {
    fn drop(&mut self) {
        let left = self.end();
        if !left.is_empty() {
            eprintln!("corpus: processes {left:?} of a job could not be killed");
        }
    }
}

/// Ends every job that this process has running.
fn end_all() {
    let tokens = lock(&RUNNING).clone();
    for token in tokens {
        end(&token);
    }
}

fn scratch(token: &str) -> PathBuf {
    std::env::temp_dir().join(format!("hindmost-{token}"))
}

fn end(token: &str) -> Vec<u32> {
    // One at a time: on an interrupt the owner of a job sees it die and ends it as well, and two that remove the same
    // files stumble over each other.
    static ENDING: Mutex<()> = Mutex::new(());
    let _turn = lock(&ENDING);
    let left = end_processes(token);
    // There may be none, and what cannot be removed from the temporary directory harms nobody.
    let _ = fs::remove_dir_all(scratch(token));
    left
}

fn end_processes(token: &str) -> Vec<u32> {
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut seen = BTreeSet::new();
    let mut quiet_rounds = 0;
    // Two rounds with nothing, because a process in the middle of its exec shows no environment.
    while quiet_rounds < 2 {
        let pids = carrying(token);
        seen.extend(&pids);
        for pid in pids {
            // It may have gone in the meantime, which is what we want.
            let _ = kill(Pid::from_raw(pid.cast_signed()), Signal::SIGKILL);
        }
        // One that has given up its memory, and with it its environment, may still be on its way out.
        let left = Vec::from_iter(seen.iter().copied().filter(|&pid| is_running(pid)));
        if Instant::now() > deadline {
            return left;
        }
        quiet_rounds = if left.is_empty() { quiet_rounds + 1 } else { 0 };
        thread::sleep(Duration::from_millis(5));
    }
    Vec::new()
}

fn carrying(token: &str) -> Vec<u32> {
    let mark = format!("{TOKEN}={token}");
    let mut pids: Vec<u32> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        // A zombie has no environment any more.
        .filter(|&pid| environment(pid).any(|variable| variable == mark.as_bytes()))
        .collect();
    pids.sort_unstable();
    pids
}

/// The variables that a process was started with; none when it is gone or not ours to look at.
pub(crate) fn environment(pid: u32) -> impl Iterator<Item = Vec<u8>> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    bytes
        .split(|&byte| byte == 0)
        .map(<[u8]>::to_vec)
        .collect::<Vec<_>>()
        .into_iter()
}

/// The processor time that a process has used, in clock ticks (a hundredth of a second each); `None` when it is
/// gone.
pub fn cpu_ticks(pid: u32) -> Option<u64> {
    let fields = stat(pid)?;
    let user: u64 = fields.get(11)?.parse().ok()?;
    let system: u64 = fields.get(12)?.parse().ok()?;
    Some(user + system)
}

/// What a process has had of the processors at some instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTime {
    /// Of all its threads, in clock ticks.
    ticks: u64,
    /// How long its first thread has run, in nanoseconds, and how many times it was given a processor; `None` where the kernel does not tell.
    first: Option<(u64, u64)>,
}

impl ProcessorTime {
    /// So far; `None` when the process is gone.
    pub fn of(pid: u32) -> Option<Self> {
        let ticks = cpu_ticks(pid)?;
        let schedstat = fs::read_to_string(format!("/proc/{pid}/schedstat"));
        let first = schedstat.ok().and_then(|text| {
            let mut numbers = text.split_whitespace().map(|number| number.parse::<u64>().ok());
            let (run, _waited, turns) = (numbers.next()??, numbers.next()??, numbers.next()??);
            Some((run, turns))
        });
        Some(Self { ticks, first })
    }

    /// Whether since `before` the process has used so many clock ticks, or has polled.
    ///
    /// Who polls and finds nothing gives the processor up at once, many times. Beside a process that computes it is given one now and then only, and would need many seconds until it has used a
    /// single tick; who computes keeps the processor for a millisecond or more.
    pub fn has_done_enough_since(&self, before: &Self, ticks: u64) -> bool {
        const TURNS: u64 = 100;
        const SHORT: u64 = 100_000;
        let has_polled = self.first.zip(before.first).is_some_and(|(now, before)| {
            let (run, turns) = (now.0.saturating_sub(before.0), now.1.saturating_sub(before.1));
            turns >= TURNS && run < turns * SHORT
        });
        has_polled || self.ticks >= before.ticks + ticks
    }
}

/// Whether a process exists and is neither dead nor a zombie.
pub fn is_running(pid: u32) -> bool {
    stat(pid).is_some_and(|fields| !matches!(fields.first().map(String::as_str), Some("Z" | "X")))
}

/// The fields of `/proc/PID/stat` from the third, the state, on.
fn stat(pid: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second is the program's name in parentheses, which may itself contain anything.
    let (_, after_name) = stat.rsplit_once(')')?;
    Some(after_name.split_whitespace().map(str::to_owned).collect())
}

/// Nothing that is done under these locks can leave the data half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
