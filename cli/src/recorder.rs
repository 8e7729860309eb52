//! `hindmost recorder` and `hindmost run`: makes the flight recorder for one MPI library, and starts jobs with it.

use crate::failure::Failure;
use crate::output::{self, Status};
use crate::recorder_args::{RecorderArgs, RunArgs};
use anyhow::Context as _;
use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The file that the C shim is linked with.
const RUNTIME: &str = "libruntime_pmpi.a";

pub(crate) fn make(args: &RecorderArgs) -> anyhow::Result<Status> {
    build(&args.mpicc, &args.output, args.runtime.as_deref())?;
    output::note(&format!("{} is written", args.output.display()));
    Ok(Status::Done)
}

pub(crate) fn run(args: &RunArgs) -> anyhow::Result<Status> {
    let directory = match &args.record {
        Some(directory) => {
            make_directory(directory)?;
            directory.clone()
        }
        None => new_directory()?,
    };
    // A relative name means another file in each directory that a task may start in.
    let directory = directory
        .canonicalize()
        .with_context(|| format!("cannot use {}", directory.display()))?;
    let recorder = match &args.recorder {
        Some(recorder) => recorder
            .canonicalize()
            .with_context(|| format!("cannot use {}", recorder.display()))?,
        None => {
            let made = directory.join("libhindmost-recorder.so");
            build(Path::new("mpicc"), &made, None)?;
            made
        }
    };
    let mut preload = OsString::from(&recorder);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    output::note(&format!(
        "recording to {}; hindmost waits {} tells who waits for whom",
        directory.display(),
        base::shell_word(&directory.to_string_lossy())
    ));
    let Some((program, rest)) = args.command.split_first() else {
        return Err(Failure::new("there is no command to run").into());
    };
    let error = Command::new(program)
        .args(rest)
        .env("HINDMOST_RECORD", &directory)
        .env("HINDMOST_JOB", job_name())
        .env("LD_PRELOAD", preload)
        .exec();
    Err(Failure::new(format!("cannot start {program}: {error}")).into())
}

/// A name that no other job of this host has: MPICH's launcher gives none.
fn job_name() -> String {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    format!("{}-{}", time.tv_sec, std::process::id())
}

/// A directory that only this user can read, with a name that was not there.
fn new_directory() -> anyhow::Result<PathBuf> {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let user = rustix::process::getuid().as_raw();
    for number in 0..10_000 {
        let directory = parent.join(format!("hindmost-{user}-{}-{number}", std::process::id()));
        match std::fs::DirBuilder::new().mode(0o700).create(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot make a directory in {}", parent.display()));
            }
        }
    }
    Err(Failure::new(format!("all names for a directory in {} are taken", parent.display()))
        .hint("--record DIR names one")
        .into())
}

fn make_directory(directory: &Path) -> anyhow::Result<()> {
    match std::fs::DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("cannot make {}", directory.display()))
        }
        _ => Ok(()),
    }
}

/// Makes the recorder for the MPI library that `mpicc` compiles for.
fn build(mpicc: &Path, output: &Path, runtime: Option<&Path>) -> anyhow::Result<()> {
    let runtime = match runtime {
        Some(runtime) => runtime.to_owned(),
        None => runtime_beside()?,
    };
    let asked = format!("{} -E -P -x c -", mpicc.display());
    let header = compile(Command::new(mpicc).args(["-E", "-P", "-x", "c", "-"]), "#include <mpi.h>\n", &asked)?;
    let shim = engine::recorder_shim(&String::from_utf8_lossy(&header))
        .map_err(|error| Failure::new(format!("{}: {error}", mpicc.display())))?;
    let mut command = Command::new(mpicc);
    command
        .args(["-shared", "-fPIC", "-O2", "-w", "-fvisibility=hidden", "-Wl,-z,lazy", "-Wl,--exclude-libs,ALL", "-o"])
        .arg(output)
        .args(["-x", "c", "-", "-x", "none"])
        .arg(&runtime)
        .args(["-lgcc_s", "-lpthread", "-ldl", "-lm"]);
    compile(&mut command, &shim, &format!("{} -shared", mpicc.display()))?;
    Ok(())
}

fn runtime_beside() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where hindmost is")?;
    let directory = own.parent().unwrap_or(Path::new("."));
    let places = [directory.join(RUNTIME), directory.join("../lib/hindmost").join(RUNTIME)];
    places.into_iter().find(|place| place.is_file()).ok_or_else(|| {
        Failure::new(format!("{RUNTIME} is neither beside hindmost nor in ../lib/hindmost"))
            .hint("cargo build -p runtime-pmpi makes it; --runtime FILE names it")
            .into()
    })
}

/// Runs a compiler on text, and returns what it prints.
fn compile(command: &mut Command, text: &str, name: &str) -> anyhow::Result<Vec<u8>> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            Failure::new(format!("cannot run {name}: {error}")).hint("--mpicc names the compiler of the job's MPI library")
        })?;
    let mut input = child.stdin.take().context("a compiler without standard input")?;
    let text = text.to_owned();
    // The compiler may print while it reads.
    let writer = std::thread::spawn(move || {
        // Whatever goes wrong here the compiler says itself.
        let _ = input.write_all(text.as_bytes());
    });
    let done = child.wait_with_output().with_context(|| format!("cannot wait for {name}"))?;
    let _ = writer.join();
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let first: Vec<&str> = said.lines().take(5).collect();
        return Err(Failure::new(format!("{name} failed: {}", report::clean(&first.join("; ")))).into());
    }
    Ok(done.stdout)
}
