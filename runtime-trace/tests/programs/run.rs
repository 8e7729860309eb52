//! Builds and runs programs under the tracer, and reads what it and they have written.

use calltrace::{Event, Task, Trace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory that goes away with its value.
pub struct Place(PathBuf);

impl Place {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("hindmost-programs-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The tracer, which cargo builds beside the tests.
pub fn tracer() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let tracer = own.parent().unwrap().join("libruntime_trace.so");
    assert!(
        tracer.is_file(),
        "{}: cargo builds it with this test",
        tracer.display()
    );
    tracer
}

/// Compiles a program with hooks; nothing if there is no such compiler.
pub fn build(place: &Place, compiler: &str, options: &[&str], text: &str) -> Option<PathBuf> {
    compile(
        place,
        compiler,
        &[&["-finstrument-functions"], options].concat(),
        text,
    )
}

/// Compiles a program; nothing if there is no such compiler.
pub fn compile(place: &Place, compiler: &str, options: &[&str], text: &str) -> Option<PathBuf> {
    let language = if compiler.ends_with("++") { "cc" } else { "c" };
    let source = place.0.join(format!("program.{language}"));
    std::fs::write(&source, text).unwrap();
    let program = place.0.join("program");
    let output = Command::new(compiler)
        .args(["-w", "-pthread", "-o"])
        .arg(&program)
        .args(options)
        .arg(&source)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {said}");
    Some(program)
}

/// How the program is started.
pub fn command(place: &Place, program: &Path) -> Command {
    let traces = place.0.join("traces");
    std::fs::create_dir_all(&traces).unwrap();
    let mut command = Command::new(program);
    command
        .current_dir(&place.0)
        .env("LD_PRELOAD", tracer())
        .env("HINDMOST_TRACE", traces);
    command
}

/// The traces of a process: events of each thread by its number in the kernel, functions by name.
pub struct Traced {
    pub pid: u32,
    pub forked_from: Option<u32>,
    pub threads: BTreeMap<u32, Thread>,
}

impl Traced {
    /// Its first thread, the only one where it starts no other.
    pub fn first(&self) -> &Thread {
        self.threads.values().next().expect("it has a thread")
    }
}

/// The trace of a thread.
pub struct Thread {
    pub events: Vec<Step>,
    pub about: calltrace::About,
}

/// An event with its function's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Enter(String),
    Exit,
}

/// All processes that have been traced in the place, by their names.
pub fn traced(place: &Place) -> BTreeMap<String, Traced> {
    let mut names = BTreeMap::new();
    let mut files = Vec::from_iter(
        std::fs::read_dir(place.0.join("traces"))
            .unwrap()
            .map(|entry| entry.unwrap().path()),
    );
    files.sort();
    let mut all = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().unwrap() == "task") {
        let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let task = match Task::read(&std::fs::read(file).unwrap()) {
            // It was killed while the file was made.
            Err(calltrace::task::Error::NotATask) => continue,
            task => task.unwrap(),
        };
        // The loader tells the name that a library was loaded by.
        let paths = task
            .modules
            .iter()
            .map(|module| place.0.join(&module.path).canonicalize().unwrap());
        let paths = Vec::from_iter(paths);
        for path in &paths {
            names.entry(path.clone()).or_insert_with(|| self::names(path));
        }
        let own = format!("{stem}-");
        let traces = files.iter().filter(|file| {
            let name = file.file_name().unwrap().to_str().unwrap();
            name.starts_with(&own) && name.ends_with(".trace")
        });
        let mut threads = BTreeMap::new();
        for file in traces {
            let bytes = std::fs::read(file).unwrap();
            let trace = match Trace::read(&bytes) {
                Err(calltrace::Error::NotATrace) => continue,
                trace => trace.unwrap(),
            };
            let mut events = trace.events();
            let mut all = Vec::from_iter(events.by_ref().map(Result::unwrap));
            all.extend(trace.queued(&events));
            let thread = Thread {
                events: all
                    .into_iter()
                    .map(|event| step(&task, &paths, &names, event))
                    .collect(),
                about: trace.about(),
            };
            threads.insert(trace.about().tid, thread);
        }
        let (pid, forked_from) = (task.pid, task.forked_from);
        all.insert(
            stem,
            Traced {
                pid,
                forked_from,
                threads,
            },
        );
    }
    all
}

type Names = BTreeMap<PathBuf, BTreeMap<u64, String>>;

fn step(task: &Task, paths: &[PathBuf], names: &Names, event: Event) -> Step {
    let Event::Enter(function) = event else {
        return Step::Exit;
    };
    let of = task.functions[function.number() as usize - 1].expect("it was entered");
    let path = &paths[of.module.expect("it is in a file")];
    let name = names[path].get(&of.address);
    Step::Enter(name.expect("it begins where a symbol is").clone())
}

/// The functions of a program by address, as binutils tell them.
fn names(program: &Path) -> BTreeMap<u64, String> {
    let output = Command::new("nm").arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let symbols = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
        let name = words.next()?;
        // What an optimiser has made of a function is that function.
        is_code.then(|| (address, name.split('.').next().unwrap_or(name).to_owned()))
    });
    symbols.collect()
}

/// What the threads of a process noted themselves, by their numbers in the kernel.
pub fn logs(place: &Place) -> BTreeMap<u32, Vec<Step>> {
    let entries = std::fs::read_dir(&place.0)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let logs = entries.filter(|path| path.file_stem().unwrap() == "log");
    logs.map(|path| {
        let tid = path.extension().unwrap().to_str().unwrap().parse().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let (words, _) = bytes.as_chunks::<4>();
        let mut numbers = words.iter().map(|word| i32::from_le_bytes(*word));
        // One that was killed may have made the file and no more.
        let count = numbers.next().unwrap_or(0) as usize;
        let notes = numbers.take(count).map(|number| match number {
            0 => Step::Exit,
            99 => Step::Enter("_ZN4HeldD2Ev".to_owned()),
            number => Step::Enter(format!("f{number}")),
        });
        (tid, notes.collect())
    })
    .collect()
}
