//! The flight recorder: made for one MPI library by that library's own compiler, and directories for what it records.

use crate::failure::Failure;
use crate::files::begins_with;
use regular_files::Limit;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The file that the C shim is linked with.
const RUNTIME: &str = "libruntime_pmpi.a";
pub(crate) const HINT: &str = "--mpicc names the compiler of the job's MPI library";

/// A directory that only this user can read, with a name that was not there.
pub fn new_recording_directory() -> Result<PathBuf, Failure> {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    let user = rustix::process::getuid().as_raw();
    for number in 0..10_000 {
        let directory = parent.join(format!("hindmost-{user}-{}-{number}", std::process::id()));
        match std::fs::DirBuilder::new().mode(0o700).create(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(Failure::new(format!(
                    "cannot make a directory in {}: {error}",
                    parent.display()
                )));
            }
        }
    }
    Err(Failure::new(format!(
        "all names for a directory in {} are taken",
        parent.display()
    ))
    .hint("--record DIR names one"))
}

/// Makes the directory, for this user alone, if it is not there.
pub fn make_recording_directory(directory: &Path) -> Result<(), Failure> {
    match std::fs::DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(Failure::new(format!(
            "cannot make {}: {error}",
            directory.display()
        ))),
        _ => Ok(()),
    }
}

/// Makes the recorder for the MPI library that `mpicc` compiles for.
///
/// `runtime` is the part that all recorders share; without it, the one that stands beside this program.
pub fn make_recorder(mpicc: &Path, output: &Path, runtime: Option<&Path>) -> Result<(), Failure> {
    let runtime = match runtime {
        Some(runtime) => runtime.to_owned(),
        None => library_beside(RUNTIME, "runtime-pmpi", "--runtime")?,
    };
    let asked = format!("{} -E -P -x c -", mpicc.display());
    let header = compile(
        Command::new(mpicc).args(["-E", "-P", "-x", "c", "-"]),
        "#include <mpi.h>\n",
        &asked,
        HINT,
    )?;
    let shim = engine::recorder_shim(&String::from_utf8_lossy(&header))
        .map_err(|error| Failure::new(format!("{}: {error}", mpicc.display())))?;
    let mut command = Command::new(mpicc);
    command
        .args([
            "-shared",
            "-fPIC",
            "-O2",
            "-w",
            "-fvisibility=hidden",
            "-Wl,-z,lazy",
            // With a runtime of another version nothing is made, where tasks would end at their first call of what it lacks.
            "-Wl,-z,defs",
            "-Wl,--exclude-libs,ALL",
            "-o",
        ])
        .arg(output)
        .args(["-x", "c", "-", "-x", "none"])
        .arg(&runtime)
        .args(["-lgcc_s", "-lpthread", "-ldl", "-lm"])
        // The program brings its MPI along, at its start or later: one of the recorder's own would stand in front of that of another family. Nothing in
        // the shim asks for it by a name that has to be there.
        .arg("-Wl,--as-needed");
    compile(&mut command, &shim, &format!("{} -shared", mpicc.display()), HINT)?;
    Ok(())
}

/// The program among the words of a job's command that has MPI in itself, linked with a static library: it calls its own functions, which no recorder can stand in front of. One that a script or
/// another word names is not seen.
pub fn program_with_own_mpi(command: &[String]) -> Option<&Path> {
    command.iter().map(Path::new).find(|file| {
        executable_bytes(file).is_some_and(|bytes| runtime_probe::defines_function(&bytes, "PMPI_Init"))
    })
}

/// The bytes of an ELF file; of others, which may be a job's input of any size, no more than the first is read.
fn executable_bytes(path: &Path) -> Option<Vec<u8>> {
    let is_executable = begins_with(path, b"\x7fELF");
    is_executable.then(|| regular_files::read(path, Limit::PROGRAM).ok())?
}

/// The library that traces calls, beside hindmost.
///
/// # Errors
/// There is none.
pub fn tracer() -> Result<PathBuf, Failure> {
    library_beside("libruntime_trace.so", "runtime-trace", "--tracer")
}

/// The library of this name that stands beside this program, or where packages put it; `member` of the workspace makes it, and `option` names another one.
pub(crate) fn library_beside(name: &str, member: &str, option: &str) -> Result<PathBuf, Failure> {
    let own = std::env::current_exe()
        .map_err(|error| Failure::new(format!("cannot tell where hindmost is: {error}")))?;
    let directory = own.parent().unwrap_or(Path::new("."));
    let places = [directory.join(name), directory.join("../lib/hindmost").join(name)];
    places.into_iter().find(|place| place.is_file()).ok_or_else(|| {
        Failure::new(format!(
            "{name} is neither beside hindmost nor in ../lib/hindmost"
        ))
        .hint(format!(
            "cargo build -p {member} makes it; {option} FILE names it"
        ))
    })
}

/// Runs a compiler on text, and returns what it prints; `hint` says what to do if there is no such program.
pub(crate) fn compile(command: &mut Command, text: &str, name: &str, hint: &str) -> Result<Vec<u8>, Failure> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::new(format!("cannot run {name}: {error}")).hint(hint))?;
    let mut input = child
        .stdin
        .take()
        .ok_or_else(|| Failure::new(format!("{name} has no standard input")))?;
    let text = text.to_owned();
    // The compiler may print while it reads.
    let writer = std::thread::spawn(move || {
        // Whatever goes wrong here the compiler says itself.
        let _ = input.write_all(text.as_bytes());
    });
    let done = child
        .wait_with_output()
        .map_err(|error| Failure::new(format!("cannot wait for {name}: {error}")))?;
    let _ = writer.join();
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let first: Vec<&str> = said.lines().take(5).collect();
        return Err(Failure::new(format!("{name} failed: {}", first.join("; "))));
    }
    Ok(done.stdout)
}
