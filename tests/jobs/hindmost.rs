//! The command under test, as a user runs it, and the jobs that it is run on.

use corpus::{Build, Heartbeat, Job, JobPlan, Mpi, Program, Stall};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long anything may take on a busy machine before it counts as never.
pub const PATIENCE: Duration = Duration::from_secs(280);

/// The binary: the one named by `HINDMOST_BIN`, else what cargo builds. It is asked to, because it builds the programs
/// of a package for that package's own tests only.
static HINDMOST: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(named) = std::env::var_os("HINDMOST_BIN") {
        return PathBuf::from(named);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--package", "cli", "--bin", "hindmost"])
        .args(["--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| Some(PathBuf::from(message["executable"].as_str()?)))
        .expect("cargo names the executable")
});

static TURN: Mutex<()> = Mutex::new(());

/// Waits until no other test has a job or a target running. Two jobs whose ranks poll take longer together than one after the other.
pub fn my_turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where tests put what they make.
pub fn out() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// `hindmost` with a cache of its own, so that no map from an earlier run is found.
pub fn hindmost() -> Command {
    let mut command = Command::new(&*HINDMOST);
    command.env("XDG_CACHE_HOME", out().join("cache"));
    command
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Standard output and standard error, for messages of tests.
pub fn said(output: &Output) -> String {
    format!(
        "exit {:?}\n{}{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The answer of a `find --format json` that is to name someone; else what it said instead.
///
/// A task that spins is seen now and then in an instruction that an optimising compiler made of several lines; how often, the
/// processor decides, and every second time is not rare. `find` looks again by itself, so that hardly anybody sees it say that
/// nothing can be said: twice may happen in thousands of questions.
pub fn named(command: &mut Command) -> Result<Value, String> {
    const MOST_TIMES: usize = 3;
    let mut answer = named_at_once(command);
    for _ in 1..MOST_TIMES {
        match &answer {
            Err(said) if said.contains("in code that an optimising compiler has mixed") => {
                answer = named_at_once(command);
            }
            _ => break,
        }
    }
    answer
}

fn named_at_once(command: &mut Command) -> Result<Value, String> {
    let output = run(command);
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|_| said(&output))?;
    if output.status.code() == Some(0) {
        Ok(answer)
    } else {
        Err(format!(
            "nobody was named: {:#}{:#}",
            answer["undecided"], answer["warnings"]
        ))
    }
}

/// Checks that the command fails as one should: exit 2, nothing but a message that holds all of `words`.
#[track_caller]
pub fn refused(command: &mut Command, words: &[&str]) {
    let output = run(command);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{command:?}: {}", said(&output));
    assert!(!message.contains("panicked"), "{message}");
    for word in words {
        assert!(message.contains(word), "{command:?}: no '{word}' in: {message}");
    }
}

/// A map file for an executable, made from `sources`. Not beside the executable: there it would be found by itself.
#[track_caller]
pub fn bound_map(exe: &Path, sources: &[PathBuf]) -> PathBuf {
    let directory = exe.with_extension("maps");
    std::fs::create_dir_all(&directory).unwrap_or_else(|error| panic!("{error}"));
    let map = directory.join("bound.hmap");
    let output = run(hindmost()
        .args(["map", "-o"])
        .arg(&map)
        .arg("--exe")
        .arg(exe)
        .args(sources));
    assert!(output.status.success(), "{}", said(&output));
    map
}

/// A running heartbeat program, compiled with `-g -O2` under a name that no other test uses.
#[track_caller]
pub fn heartbeat(name: &str) -> Heartbeat {
    Heartbeat::start(&out().join(name), &["-g", "-O2"]).unwrap_or_else(|error| panic!("{error}"))
}

/// Compiles a program, once for all tests; `level` may be several words.
#[track_caller]
pub fn compile(program: Program, mpi: Mpi, level: &str) -> PathBuf {
    once(format!("{} {} {level}", program.name(), mpi.name()), || {
        let flags = Vec::from_iter(["-g"].into_iter().chain(level.split(' ')));
        let build = Build {
            program,
            mpi,
            flags: &flags,
        };
        build.compile(out()).unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The file that `make` makes, which is made once under each name, whichever test asks first.
#[track_caller]
pub fn once(name: String, make: impl FnOnce() -> PathBuf) -> PathBuf {
    static MADE: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    // Whoever panicked with it has put nothing in.
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(name).or_insert_with(make).clone()
}

/// Starts a job and waits until it hangs.
#[track_caller]
pub fn hung(exe: &Path, mpi: Mpi, ranks: u32, stall: Stall<'_>) -> Job {
    let plan = JobPlan {
        exe,
        mpi,
        ranks,
        stall: Some(stall),
        arguments: &[],
    };
    let mut job = plan.start().unwrap_or_else(|error| panic!("{error}"));
    job.wait_hung(PATIENCE)
        .unwrap_or_else(|error| panic!("{stall:?}: {error}"));
    job.give_way();
    job
}

/// Starts a job of a program that is none of the corpus: `variable` is the one that tells whose processes they are.
pub fn launch(mpi: Mpi, ranks: u32, exe: &Path, variable: (&str, &str)) -> Child {
    let exe = exe.to_string_lossy();
    launch_as(mpi, &["-np", &ranks.to_string(), &exe], variable)
}

/// The same with the launcher's own arguments.
pub fn launch_as(mpi: Mpi, arguments: &[&str], (name, token): (&str, &str)) -> Child {
    let (launcher, first): (_, &[&str]) = match mpi {
        Mpi::OpenMpi => ("mpirun.openmpi", &["--oversubscribe", "-x", name]),
        Mpi::Mpich => ("mpiexec.mpich", &[]),
    };
    Command::new(launcher)
        .args(first)
        .args(arguments)
        .env(name, token)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{launcher}: {error}"))
}

/// What a browser makes of a page: its elements, as text. `None` where there is no browser and nobody demands one.
pub fn dom_of(page: &str, name: &str) -> Option<String> {
    let file = out().join(format!("page-{name}.html"));
    std::fs::write(&file, page).unwrap_or_else(|error| panic!("{error}"));
    let profile = out().join(format!("profile-{name}"));
    let browser = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .args(["--disable-background-networking", "--window-size=1400,1600"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--screenshot={}", file.with_extension("png").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .output();
    let Ok(output) = browser else {
        assert!(std::env::var_os("CI").is_none(), "CI has no chromium");
        eprintln!("SKIPPED: no chromium");
        return None;
    };
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
