//! Stalls a random rank of a real program at a random moment, and holds hindmost's answer against it.
//!
//! The programs know nothing of it, and nothing of the injector is left on the stack of the rank that hangs: see
//! `inject/preload.c`. A seed stands for program, build, rank and moment, so that any injection can be repeated.

mod job;
mod judge;
mod log;
mod moment;
mod recorded;
mod subject;
mod table;

use crate::command::{self, build_hindmost, work_directory};
use crate::setup;
use anyhow::{Context, Result, bail, ensure};
use corpus::Mpi;
use job::{Outcome, Plan, Void};
use judge::{Known, Verdict, judge};
use log::Record;
use moment::Moment;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use subject::{Compiler, LEVELS, Subject, Toolchain};
use table::Table;

/// How long hindmost may take to answer.
const PATIENCE: Duration = Duration::from_secs(240);

/// What `cargo xtask inject` is asked for.
#[derive(clap::Args)]
pub struct Options {
    /// The seeds to try, such as 0..100
    #[arg(long, value_name = "A..B", default_value = "0..60", value_parser = seeds)]
    seeds: (u64, u64),
    /// Only this seed
    #[arg(long, value_name = "SEED")]
    only: Option<u64>,
    /// A list of further programs, instead of those of the corpus (inject/subject.rs says how it is written)
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Only this program; may be repeated
    #[arg(long, value_name = "NAME")]
    program: Vec<String>,
    /// Only builds whose name has all these words: openmpi, mpich, gcc, clang, -O0, -O2, -O3, -flto, -Os
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    build: Option<String>,
    /// Ask a second time with --twice
    #[arg(long)]
    twice: bool,
    /// Ask the flight recorder instead, and AutomaDeD's inference on what it has recorded; kernels in Fortran are tried as well
    #[arg(long, conflicts_with_all = ["twice", "hindmost"])]
    recorder: bool,
    /// Where programs, stacks and records go [default: target/inject]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The hindmost to ask, instead of building one
    #[arg(long, value_name = "FILE")]
    hindmost: Option<PathBuf>,
}

fn seeds(text: &str) -> Result<(u64, u64), String> {
    let bounds = text.split_once("..");
    let bounds = bounds.and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)));
    bounds
        .filter(|(first, end)| first < end)
        .ok_or_else(|| format!("'{text}' is no range of seeds such as 0..100"))
}

/// Runs all injections that are asked for.
pub fn run(options: &Options) -> Result<()> {
    if options.recorder {
        recorded::run(options)
    } else {
        run_order(options)
    }
}

/// Asks who is behind by the order of the code; fails when an answer that is said to be proven is wrong.
fn run_order(options: &Options) -> Result<()> {
    let hindmost = match &options.hindmost {
        Some(named) => fs::canonicalize(named).with_context(|| format!("there is no {}", named.display()))?,
        None => {
            setup::ensure()?;
            build_hindmost()?
        }
    };
    let builds = builds(options)?;
    let mut injector = Injector::new(hindmost, out_directory(options)?)?;
    let seeds = options.only.map_or(options.seeds, |seed| (seed, seed + 1));
    let mut table = Table::default();
    for seed in seeds.0..seeds.1 {
        let (subject, toolchain) = &builds[usize::try_from(seed % builds.len() as u64)?];
        let injection = injector.inject(subject, *toolchain, seed, options.twice)?;
        report(&injection, seed, options, &injector.out, &mut table)?;
    }
    println!("\n{}", table.print());
    let wrong = table.wrong();
    ensure!(wrong == 0, "{wrong} answers that were given as certain are wrong");
    Ok(())
}

fn out_directory(options: &Options) -> Result<PathBuf> {
    let Some(directory) = &options.out else {
        return work_directory("inject");
    };
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    Ok(fs::canonicalize(directory)?)
}

/// Every program in every build that is asked for, programs changing fastest.
fn builds(options: &Options) -> Result<Vec<(Subject, Toolchain)>> {
    let mut subjects = match &options.list {
        Some(list) => Subject::of_list(list)?,
        None if options.recorder => [Subject::of_corpus(), Subject::of_fortran()?].concat(),
        None => Subject::of_corpus(),
    };
    for name in &options.program {
        ensure!(
            subjects.iter().any(|subject| subject.name == *name),
            "there is no program '{name}'"
        );
    }
    if !options.program.is_empty() {
        subjects.retain(|subject| options.program.contains(&subject.name));
    }
    let mut builds = Vec::new();
    for level in LEVELS {
        for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
            for compiler in Compiler::ALL {
                let toolchain = Toolchain { mpi, compiler, level };
                let name = toolchain.name();
                let has = |word: &str| name.split(' ').any(|own| own == word);
                if options.build.iter().flat_map(|words| words.split(' ')).all(has) {
                    let suited = subjects.iter().filter(|subject| subject.suits(toolchain));
                    builds.extend(suited.map(|subject| (subject.clone(), toolchain)));
                }
            }
        }
    }
    if builds.is_empty() {
        bail!("no build has that name");
    }
    Ok(builds)
}

/// One injection, and what was said of it.
#[derive(Debug)]
struct Injection {
    program: String,
    toolchain: Toolchain,
    moment: Moment,
    /// What the ranks had logged when all stood still; empty if they never did.
    records: Vec<Record>,
    /// What hindmost said, first at once and then with `--twice`.
    answers: Vec<(Value, Verdict)>,
    /// Why there is nothing to judge.
    void: Option<Void>,
    /// The stacks, for `hindmost order`.
    stacks: PathBuf,
}

impl Injection {
    /// The worst that was said.
    fn verdict(&self) -> Option<&Verdict> {
        // Of equally bad ones the last is taken: what was said at once counts, unless the second look is worse.
        let verdicts = self.answers.iter().rev().map(|(_, verdict)| verdict);
        verdicts.max_by_key(|verdict| match verdict {
            Verdict::Wrong { proven: true, .. } => 4,
            Verdict::Acquitted => 3,
            Verdict::Wrong { proven: false, .. } => 2,
            _ => 1,
        })
    }
}

/// All that injections share: the command, what was built, and how each program runs undisturbed.
struct Injector {
    hindmost: PathBuf,
    out: PathBuf,
    preload: PathBuf,
    undisturbed: BTreeMap<PathBuf, Result<Vec<Record>, Void>>,
    /// The flight recorders of MPIs that have one.
    recorders: BTreeMap<&'static str, PathBuf>,
}

/// A job in which one rank is stalled and the others wait.
struct Hung {
    job: job::Job,
    moment: Moment,
    /// What its ranks have logged.
    records: Vec<Record>,
    /// What they log when nobody is stalled.
    undisturbed: Vec<Record>,
}

impl Injector {
    fn new(hindmost: PathBuf, out: PathBuf) -> Result<Self> {
        let preload = out.join("preload.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/inject/preload.c");
        // Any compiler does: the entry points of both MPIs and all languages are in it, and it uses no header of theirs.
        command::succeed(
            Command::new("gcc")
                .args([
                    "-O2",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-mgeneral-regs-only",
                    "-shared",
                    "-fPIC",
                    "-o",
                ])
                .arg(&preload)
                .arg(source)
                .arg("-ldl"),
        )?;
        fs::create_dir_all(out.join("stacks"))?;
        Ok(Self {
            hindmost,
            out,
            preload,
            undisturbed: BTreeMap::new(),
            recorders: BTreeMap::new(),
        })
    }

    /// Stalls one rank of one build, as `seed` says, and asks who it was.
    fn inject(
        &mut self,
        subject: &Subject,
        toolchain: Toolchain,
        seed: u64,
        twice: bool,
    ) -> Result<Injection> {
        let mut injection = Injection {
            program: subject.name.clone(),
            toolchain,
            moment: Moment::UNKNOWN,
            records: Vec::new(),
            answers: Vec::new(),
            void: None,
            stacks: self.out.join("stacks").join(format!(
                "{}-{}-{seed}.json",
                subject.name,
                toolchain.name().replace(' ', "")
            )),
        };
        injection.void = self.hang_and_ask(subject, seed, twice, &mut injection)?.err();
        Ok(injection)
    }

    /// Does so, and notes what was said; or says why there is nothing to judge.
    fn hang_and_ask(
        &mut self,
        subject: &Subject,
        seed: u64,
        twice: bool,
        injection: &mut Injection,
    ) -> Result<Result<(), Void>> {
        let hung = match self.hang(subject, injection.toolchain, seed, &mut injection.moment)? {
            Ok(hung) => hung,
            Err(void) => return Ok(Err(void)),
        };
        let Hung {
            job,
            moment,
            records,
            undisturbed,
        } = hung;
        let save = injection.stacks.to_string_lossy().into_owned();
        let mut asked = vec![self.ask(&job, &["--save", &save])?];
        if twice {
            asked.push(self.ask(&job, &["--twice", "500ms"])?);
        }
        if job.records()? != records {
            return Ok(Err(Void::WentOn));
        }
        let known = Known {
            in_mpi: job::stands_in_mpi(&records[moment.rank as usize]),
            as_many_calls: undisturbed.windows(2).all(|pair| pair[0].calls == pair[1].calls),
        };
        injection.answers = asked
            .into_iter()
            .map(|answer| {
                let verdict = match &answer {
                    Value::String(error) => Verdict::Undecided {
                        kind: "no answer".to_owned(),
                        reason: format!("error: {error}"),
                    },
                    answer => judge(answer, &moment, &records, known),
                };
                (answer, verdict)
            })
            .collect();
        injection.records = records;
        Ok(Ok(()))
    }

    /// Builds and starts the program, with one rank stalled as the seed says, and waits until the others stand still; `chosen` becomes the moment once it is known.
    fn hang(
        &mut self,
        subject: &Subject,
        toolchain: Toolchain,
        seed: u64,
        chosen: &mut Moment,
    ) -> Result<Result<Hung, Void>> {
        let exe = match subject.build(toolchain, &self.out) {
            Ok(exe) => exe,
            Err(error) => {
                eprintln!("{error:#}");
                return Ok(Err(Void::NotBuilt {
                    program: subject.name.clone(),
                    build: toolchain.name(),
                }));
            }
        };
        let plan = Plan {
            subject,
            exe: &exe,
            preload: &self.preload,
            mpi: toolchain.mpi,
            recorder: self.recorders.get(toolchain.mpi.name()).map(PathBuf::as_path),
        };
        let undisturbed = self
            .undisturbed
            .entry(exe.clone())
            .or_insert_with(|| kept_or_measured(&plan));
        let undisturbed = match undisturbed {
            Ok(records) => records.clone(),
            Err(error) => return Ok(Err(error.clone())),
        };
        let moment = Moment::of_seed(seed, &undisturbed);
        *chosen = moment;
        let longest = undisturbed.iter().map(|record| record.longest).max().unwrap_or(0);
        let mut job = plan.start(Some(moment))?;
        Ok(match job.wait_hung(moment.rank, longest)? {
            Outcome::Hung(records) => Ok(Hung {
                job,
                moment,
                records,
                undisturbed,
            }),
            Outcome::Void(why) => Err(why),
        })
    }

    /// What hindmost says of the job; a string if it gives no answer.
    fn ask(&self, job: &job::Job, more: &[&str]) -> Result<Value> {
        let path = self.out.join("answer.json");
        let errors = self.out.join("answer.err");
        let mut find = Command::new(&self.hindmost)
            .args([
                "find",
                "--format",
                "json",
                "--launcher",
                &job.launcher().to_string(),
            ])
            .args(more)
            .env("XDG_CACHE_HOME", self.out.join("cache"))
            .stdin(Stdio::null())
            .stdout(File::create(&path)?)
            .stderr(File::create(&errors)?)
            .spawn()
            .with_context(|| format!("cannot start {}", self.hindmost.display()))?;
        let deadline = Instant::now() + PATIENCE;
        while find.try_wait()?.is_none() {
            if Instant::now() > deadline {
                find.kill()?;
                find.wait()?;
                return Ok(Value::String(format!("no answer within {PATIENCE:?}")));
            }
            thread::sleep(Duration::from_millis(10));
        }
        let text = fs::read_to_string(&path)?;
        Ok(serde_json::from_str(&text).unwrap_or_else(|_| {
            let said = fs::read_to_string(&errors).unwrap_or_default();
            let said = said.lines().find(|line| line.contains("error"));
            Value::String(said.unwrap_or("no JSON").to_owned())
        }))
    }
}

/// How the program runs undisturbed: kept beside it, so that a seed means the same moment when it is tried again.
fn kept_or_measured(plan: &Plan<'_>) -> Result<Vec<Record>, Void> {
    let kept = plan.exe.with_extension("undisturbed");
    if let Ok(records) = log::read(&kept) {
        return Ok(records);
    }
    plan.undisturbed(&kept)
        .map_err(|error| Void::NotMeasured(format!("{error:#}")))
}

/// Prints an injection, appends it to the records, and counts it.
fn report(injection: &Injection, seed: u64, options: &Options, out: &Path, table: &mut Table) -> Result<()> {
    let build = injection.toolchain.name();
    let list = options.list.as_ref();
    let list = list.map_or_else(String::new, |list| format!(" --list {}", list.display()));
    let programs = options
        .program
        .iter()
        .map(|name| format!(" --program {name}"))
        .collect::<String>();
    let words = options
        .build
        .as_ref()
        .map_or_else(String::new, |words| format!(" --build '{words}'"));
    let repeat = format!("cargo xtask inject{list}{programs}{words} --only {seed}");
    let verdict = injection.verdict();
    let said = match (&injection.void, verdict) {
        (Some(why), _) => format!("nothing to judge: {why}"),
        (None, Some(verdict)) => verdict.to_string(),
        (None, None) => "nothing was said".to_owned(),
    };
    println!(
        "{seed}: {} {build}, rank {} {} {}: {said}",
        injection.program,
        injection.moment.rank,
        injection.moment.kind.word(),
        injection.moment.at
    );
    let ranks = injection.records.iter();
    let ranks = ranks.map(|record| json!({"calls": record.calls, "world": record.world, "pc": record.pc}));
    let line = json!({
        "seed": seed,
        "program": injection.program,
        "build": build,
        "rank": injection.moment.rank,
        "kind": injection.moment.kind.word(),
        "at": injection.moment.at,
        "verdict": verdict.filter(|_| injection.void.is_none()).map(Verdict::word),
        "said": said,
        "ranks": Vec::from_iter(ranks),
        "stacks": injection.stacks,
        "repeat": repeat,
        "answers": Vec::from_iter(injection.answers.iter().map(|(answer, _)| answer)),
    });
    let mut records = OpenOptions::new()
        .create(true)
        .append(true)
        .open(out.join("injections.jsonl"))?;
    writeln!(records, "{line}")?;
    match (&injection.void, verdict) {
        (None, Some(verdict)) => {
            table.add(&build, &injection.program, injection.moment.kind.word(), verdict);
            if matches!(verdict, Verdict::Wrong { .. } | Verdict::Acquitted) {
                println!("    {repeat}");
            }
        }
        (Some(why), _) => table.add_void(why),
        (None, None) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::subject::Compiler;
    use super::{Injector, Subject, Table, Toolchain, Verdict};
    use crate::command::{self, cargo, work_directory};
    use crate::workspace;
    use corpus::Mpi;
    use std::path::PathBuf;

    /// Seeds that stall a rank before, in or after an MPI call: moments by processor time differ from run to run.
    const SEEDS: [u64; 12] = [3, 5, 7, 9, 11, 12, 18, 19, 26, 30, 42, 44];

    /// The command named by `HINDMOST_BIN`, or else one that is built.
    fn hindmost() -> PathBuf {
        if let Some(named) = std::env::var_os("HINDMOST_BIN") {
            return PathBuf::from(named);
        }
        command::succeed(cargo().args(["build", "--quiet", "--package", "cli", "--bin", "hindmost"]))
            .unwrap();
        workspace::target().unwrap().join("debug/hindmost")
    }

    /// A dozen of those that `cargo xtask inject` tries by the hundred: no order that is claimed may be wrong, nor that nobody is behind, and
    /// some must be claimed.
    #[test]
    fn no_proof_is_wrong_on_stalls_at_random() {
        let toolchains = [
            (Mpi::OpenMpi, Compiler::Gcc, "-O0"),
            (Mpi::Mpich, Compiler::Gcc, "-O2"),
            (Mpi::OpenMpi, Compiler::Clang, "-O2"),
            (Mpi::Mpich, Compiler::Gcc, "-O3"),
        ];
        let subjects = Subject::of_corpus();
        let mut injector = Injector::new(hindmost(), work_directory("tmp/inject").unwrap()).unwrap();
        let mut table = Table::default();
        let mut proven = 0;
        for (number, seed) in SEEDS.into_iter().enumerate() {
            let (mpi, compiler, level) = toolchains[number % toolchains.len()];
            let toolchain = Toolchain { mpi, compiler, level };
            // Five programs and four builds: no pair comes twice.
            let subject = &subjects[number % 5];
            let injection = injector.inject(subject, toolchain, seed, false).unwrap();
            let said = format!(
                "seed {seed}: {} {}: {injection:?}",
                subject.name,
                toolchain.name()
            );
            match injection.verdict() {
                Some(verdict @ (Verdict::Acquitted | Verdict::Wrong { proven: true, .. })) => {
                    panic!("{verdict}\n{said}")
                }
                Some(Verdict::Right { proven: true }) => proven += 1,
                _ => {}
            }
            println!("{}", said.split(", records").next().unwrap_or_default());
            if let Some(verdict) = injection.verdict() {
                println!("    {verdict}");
                table.add(
                    &toolchain.name(),
                    &subject.name,
                    injection.moment.kind.word(),
                    verdict,
                );
            }
        }
        // Were jobs never stalled, or never understood, nothing would be wrong either.
        assert!(proven >= 3, "{proven} of 12 proven\n{}", table.print());
    }
}
