//! Programs of C, C++ and Fortran that are their own oracle. Each counts its calls of `stand` and stays in the one that its argument names, so that the numbers tell
//! which of two processes is behind the other, whatever the compiler made of the source.
//!
//! All processes of a program do the same, so each call comes before the next one, and nothing else may be said of two of them:
//! that they are the same, or in branches which exclude each other, is wrong as well.

mod fortran;
mod generate;

use crate::oracle::judge::Directory;
use crate::oracle::rng::Rng;
use crate::stopped::{Stopped, hindmost, succeed};
use base::Language;
pub use fortran::generate_fortran;
pub use generate::generate;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// What each program begins with: `stand`, and what counts its calls. The macro `STANDS_IN_MPI` says whether it leads to MPI.
const COUNT: &str = include_str!("prelude.c");

/// What programs of C++ begin with besides: functions and classes that call `stand`.
const CLASSES: &str = include_str!("prelude.cc");

/// What programs of Fortran begin with, and what they are linked with.
const SUBROUTINES: &str = include_str!("prelude.f90");
const ENTRIES_FOR_FORTRAN: &str = include_str!("prelude_fortran.c");

/// In a program of Fortran, the line in front of what is compiled by itself.
const NEXT_FILE: &str = "! next file\n";

/// So many calls of a program are looked at, unless told otherwise.
pub const STOPS: usize = 20;

/// A program may take so long; a longer one is left out.
const LONGEST: Duration = Duration::from_secs(10);

/// The text of a program that counts its calls of `stand`.
pub struct Source {
    /// What it is called where something is wrong.
    pub name: String,
    /// Draws the calls that are looked at.
    pub seed: u64,
    /// What it is written in.
    pub language: Language,
    /// All of it.
    pub text: String,
}

impl Source {
    /// A program that somebody wrote, behind what counts the calls. `stand` leads to MPI, so that what calls it is known to have effects.
    #[must_use]
    pub fn written(name: &str, program: &str) -> Self {
        let c = || format!("#define STANDS_IN_MPI 1\n{COUNT}");
        let (language, text) = match Path::new(name).extension().and_then(|ending| ending.to_str()) {
            Some("c") => (Language::C, format!("{}{program}", c())),
            Some("f90" | "f") => (Language::Fortran, format!("{SUBROUTINES}{program}")),
            _ => (Language::Cxx, format!("{}{CLASSES}{program}", c())),
        };
        Self {
            name: name.to_owned(),
            seed: 0,
            language,
            text,
        }
    }

    /// The same program with as many statements on a line as its directives and comments allow.
    #[must_use]
    pub fn joined(&self) -> Self {
        let mut text = String::new();
        let mut is_continued = false;
        for line in self.text.lines() {
            let is_alone = is_continued || line.starts_with('#') || line.contains("//");
            if is_alone && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(line.trim_start());
            text.push(if is_alone { '\n' } else { ' ' });
            is_continued = is_alone && line.ends_with('\\');
        }
        Self {
            name: format!("{}, joined lines", self.name),
            text,
            ..*self
        }
    }
}

/// A program that was built, with its map.
pub struct Program {
    directory: Directory,
}

/// What `order` says of two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// That the first is behind.
    Before,
    /// That the second is behind.
    After,
    /// That they are in the same execution of the same point.
    Equal,
    /// That they are on branches that do not follow each other.
    Incomparable,
    /// Nothing.
    Nothing,
}

/// What was said of two calls.
pub struct Answer {
    /// The numbers of the calls.
    pub calls: (u32, u32),
    /// What was said of them.
    pub said: Said,
    /// The words of the answer.
    pub text: String,
}

impl Program {
    /// Builds a program and makes its map. `flags` are separated by spaces; with a plugin among them, the map is what that leaves in the program.
    ///
    /// # Panics
    /// If the compiler or `hindmost map` fails.
    pub fn build(source: &Source, compiler: &str, flags: &str) -> Self {
        let directory = Directory::of_seed(None, 0).unwrap();
        let (ending, others) = match source.language {
            Language::C => ("c", "-std=gnu11"),
            Language::Cxx => ("cc", "-std=c++20"),
            Language::Fortran if source.name.ends_with(".f") => ("f", "count.o"),
            Language::Fortran => ("f90", "count.o"),
        };
        let parts = match source.language {
            Language::Fortran => Vec::from_iter(source.text.split(NEXT_FILE)),
            Language::C | Language::Cxx => vec![source.text.as_str()],
        };
        let files = Vec::from_iter((1..=parts.len()).map(|number| format!("program{number}.{ending}")));
        for (file, text) in files.iter().zip(parts) {
            std::fs::write(directory.path.join(file), text).unwrap();
        }
        let program = Self { directory };
        if source.language == Language::Fortran {
            let count = format!("{COUNT}{ENTRIES_FOR_FORTRAN}");
            std::fs::write(program.directory.path.join("count.c"), count).unwrap();
            succeed(program.command(Path::new("gcc")).args(["-c", "count.c"]));
        }
        let mut compile = program.command(Path::new(compiler));
        compile.args([others, "-w", "-g", "-o", "program"]).args(&files);
        succeed(compile.args(flags.split(' ')));
        if flags.contains("-fplugin=") {
            // Whoever looks for the source does not find it.
            for file in files {
                std::fs::remove_file(program.directory.path.join(file)).unwrap();
            }
            succeed(program.command(&hindmost()).args(["embed", "-q", "program"]));
            let extract = ["extract", "-o", "program.hmap", "program"];
            succeed(program.command(&hindmost()).args(extract));
            return program;
        }
        let map = ["map", "-q", "-o", "program.hmap", "--exe", "program"];
        succeed(program.command(&hindmost()).args(map));
        program
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.directory.path)
            .env("XDG_CACHE_HOME", &self.directory.path);
        command
    }

    /// How many calls it makes when it stays in none of them; `None` if it takes very long, or ends otherwise than by the end of `main`.
    fn calls(&self) -> Option<u32> {
        let mut child = self
            .command(&self.directory.path.join("program"))
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > LONGEST {
                child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let output = child.wait_with_output().unwrap();
        let count = String::from_utf8(output.stdout).unwrap();
        count.trim().parse().ok().filter(|_| output.status.success())
    }

    /// What `order` says of each two of some of its calls, `most` at most; `None` if it makes hardly any, takes very long, or does not end.
    ///
    /// # Panics
    /// If `hindmost` fails.
    pub fn order_some(&self, seed: u64, most: usize) -> Option<Vec<Answer>> {
        let count = self.calls().filter(|&count| count > 1)?;
        Some(self.order(&drawn(seed, most, count)))
    }

    /// What `order` says of each two of these calls, which need not be in the order of their numbers.
    ///
    /// # Panics
    /// If the program does not come to one of the calls, or `hindmost` fails.
    pub fn order(&self, calls: &[u32]) -> Vec<Answer> {
        let exe = self.directory.path.join("program");
        let stopped = Vec::from_iter(calls.iter().map(|&call| Stopped::new(&exe, &[call])));
        let pids = stopped.iter().map(|process| process.id().to_string());
        let mut find = self.command(&hindmost());
        find.args(["find", "--map", "program.hmap", "--save", "stacks.jsonl"]);
        let found = find.args(pids).output().unwrap();
        assert!(matches!(found.status.code(), Some(0 | 1 | 3)), "{found:?}");

        let mut asked = Vec::new();
        for (at, a) in stopped.iter().enumerate() {
            for (b, later) in stopped.iter().zip(calls).skip(at + 1) {
                asked.push(((calls[at], *later), format!("{} {}\n", a.id(), b.id())));
            }
        }
        let lines = asked.iter().map(|(_, line)| line.as_str());
        std::fs::write(self.directory.path.join("pairs"), lines.collect::<String>()).unwrap();
        let mut order = self.command(&hindmost());
        order.args(["order", "--stacks", "stacks.jsonl", "--map", "program.hmap"]);
        let output = succeed(order.args(["--pairs", "pairs"]));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), asked.len(), "{text}");
        let answers = text.lines().zip(asked).map(|(line, (calls, _))| Answer {
            calls,
            said: match line.split(' ').nth(2) {
                Some("before") => Said::Before,
                Some("after") => Said::After,
                Some("equal") => Said::Equal,
                Some("incomparable") => Said::Incomparable,
                Some("unknown") => Said::Nothing,
                _ => panic!("{line}"),
            },
            text: line.to_owned(),
        });
        answers.collect()
    }
}

/// What came out for generated programs.
#[derive(Default)]
pub struct Figures {
    /// Pairs of calls of which the order was found.
    pub right: usize,
    /// Of each pair of which nothing was said, the words of the answer, with the seed.
    pub unknown: Vec<String>,
    /// Programs that end in another way, take too long, or make hardly any call.
    pub left_out: usize,
    /// What is wrong, with the seed and the build.
    pub wrong: Vec<String>,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pairs right, {} unknown, {} wrong; {} programs left out",
            self.right,
            self.unknown.len(),
            self.wrong.len(),
            self.left_out
        )
    }
}

/// Holds what is said of `stops` calls of a program at most, as one compiler makes it, against what it does.
pub fn check(source: &Source, stops: usize, compiler: &str, flags: &str, figures: &mut Figures) {
    let program = Program::build(source, compiler, flags);
    let Some(answers) = program.order_some(source.seed, stops) else {
        figures.left_out += 1;
        return;
    };
    let name = format!("{}, {compiler} {flags}", source.name);
    for answer in answers {
        match answer.said {
            Said::Before => figures.right += 1,
            Said::Nothing => figures.unknown.push(format!("{name}: {}", answer.text)),
            Said::After | Said::Equal | Said::Incomparable => {
                let (a, b) = answer.calls;
                let text = answer.text;
                figures
                    .wrong
                    .push(format!("{name}: call {a} comes before call {b}, but: {text}"));
            }
        }
    }
}

/// Some of the calls, many of them one behind the other.
fn drawn(seed: u64, most: usize, count: u32) -> Vec<u32> {
    let mut random = Rng::new(seed);
    let mut calls = BTreeSet::new();
    while calls.len() < most.min(count as usize) {
        let call = random.range(1, i64::from(count)) as u32;
        calls.extend([call, call + 1].into_iter().filter(|&call| call <= count));
    }
    Vec::from_iter(calls)
}
