//! The moments at which a run is stopped, and what is known of each from the run's log.

use super::build::{Build, Config};
use super::dress::{self, Dress};
use super::process::{Process, Waiting};
use crate::oracle::ast::{Expr, ForInit, Function, Part, Program, Stmt, visit_stmts};
use crate::oracle::case::{Case, RANKS};
use crate::oracle::externals::{self, MPI, PROTOTYPES};
use crate::oracle::interp::{self, Event, Setting};
use crate::oracle::rng::{Rng, mix};
use runtime_probe::{Options, take, tasks_of};
use snapshot::Task;
use std::collections::BTreeSet;

/// A stopped task.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Index of the run.
    pub run: usize,
    /// Which stop of the run it is: the order of time.
    pub number: usize,
    /// The moment is this event of the run, or lies after it.
    pub first: usize,
    /// The moment is this event of the run, or lies before it; the same as `first` for a task in a call.
    pub last: usize,
    /// The counters that the call was passed, if it is one that reports them.
    pub noted: Option<[u64; 2]>,
    /// What the probe recorded.
    pub task: Task,
}

impl Stop {
    /// Whether the task was stopped in a call of an external function.
    #[must_use]
    pub fn in_call(&self) -> bool {
        self.first == self.last
    }
}

/// The runs of a case as one compiler makes them, and the events that are calls.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The case, with the runs of this compiler.
    pub case: Case,
    /// The same events as C sees them: without variables that have no value yet.
    pub plain: Vec<Vec<Event>>,
    /// Calls in `?:` whose condition a compiler knows, sorted: gcc numbers them like it wants.
    pub folded: Vec<usize>,
    /// Names that a function declares more than once, by index of the function: which of the variables is read is not said.
    shared: Vec<BTreeSet<String>>,
    /// The functions that have their caller's counter, of a dressed program.
    pub handed: BTreeSet<String>,
    /// Whether the program is dressed.
    is_dressed: bool,
    /// By run: the events that are calls of external functions, in order.
    calls: Vec<Vec<usize>>,
    /// By run and call: what the harness must have seen by then.
    history: Vec<Vec<u64>>,
}

impl Runs {
    /// Runs the program of `case` in the order of evaluation of `config`.
    ///
    /// # Errors
    /// When the program is not valid in that order.
    pub fn new(case: &Case, config: Config) -> Result<Self, String> {
        let mut case = case.clone();
        let (mut runs, mut plain) = (Vec::new(), Vec::new());
        for rank in RANKS {
            let setting = Setting {
                evaluation: config.evaluation(),
                ..Case::setting(case.profile, case.seed, rank)
            };
            let run =
                |c_view| interp::run(&case.program, Setting { c_view, ..setting }).map_err(|e| e.reason);
            runs.push(run(false)?);
            plain.push(run(true)?);
        }
        let of_calls = |events: &Vec<Event>| -> Vec<usize> {
            (0..events.len())
                .filter(|&at| events[at].leaf.is_some())
                .collect()
        };
        let calls: Vec<Vec<usize>> = runs.iter().map(of_calls).collect();
        let mut history = Vec::new();
        for (events, calls) in runs.iter().zip(&calls) {
            let mut hash = 0;
            let mut hashes = Vec::new();
            for &at in calls {
                let name = events[at].leaf.as_deref().and_then(number);
                hash = mix(hash ^ name.ok_or("an unknown external function")?);
                hashes.push(hash);
            }
            history.push(hashes);
        }
        case.runs = runs;
        Ok(Self {
            folded: folded(&case.program),
            plain,
            shared: case.program.functions.iter().map(declared_twice).collect(),
            case,
            handed: BTreeSet::new(),
            is_dressed: false,
            calls,
            history,
        })
    }

    /// Whether a name of a function may mean several variables.
    #[must_use]
    pub fn is_shared(&self, function: usize, name: &str) -> bool {
        self.shared
            .get(function)
            .is_some_and(|names| names.contains(name))
    }

    /// The same runs of the dressed program; returns its text.
    pub fn dressed(&mut self, dress: Dress) -> String {
        self.case.layout.sites = dress.sites;
        self.handed = dress.handed;
        self.is_dressed = true;
        dress.text
    }
}

/// The names that a function declares more than once, parameters and parts of structures included.
fn declared_twice(function: &Function) -> BTreeSet<String> {
    let mut names: Vec<String> = function.params.iter().map(|(name, _)| name.clone()).collect();
    visit_stmts(&mut function.body.clone(), &mut |part| {
        if let Part::Stmt(stmt) = part {
            match stmt {
                Stmt::Decl(_, name, ..) | Stmt::ForMacro(name, ..) => names.push(name.clone()),
                Stmt::For(parts) => {
                    if let Some(ForInit::Decl(_, name, _)) = &parts.init {
                        names.push(name.clone());
                    }
                }
                _ => {}
            }
        }
    });
    names.sort();
    let twice = names.windows(2).filter(|pair| pair[0] == pair[1]);
    twice.map(|pair| pair[0].clone()).collect()
}

fn folded(program: &Program) -> Vec<usize> {
    let mut sites = Vec::new();
    let mut program = program.clone();
    for function in &mut program.functions {
        visit_stmts(&mut function.body, &mut |part| {
            if let Part::Expr(Expr::Choose(condition, yes, no)) = part
                && is_constant(condition)
            {
                for arm in [yes, no] {
                    let mut arm = [Stmt::Expr((**arm).clone(), 0)];
                    visit_stmts(&mut arm, &mut |part| {
                        if let Part::Expr(Expr::Call { site, .. }) = part {
                            sites.push(*site);
                        }
                    });
                }
            }
        });
    }
    sites.sort_unstable();
    sites
}

fn is_constant(e: &Expr) -> bool {
    match e {
        Expr::Int(_) => true,
        Expr::Not(e) => is_constant(e),
        Expr::Bin(_, a, b) | Expr::Logic(_, a, b) => is_constant(a) && is_constant(b),
        _ => false,
    }
}

/// The number of an external function in `harness.c`.
fn number(name: &str) -> Option<u64> {
    let of_mpi = MPI.iter().position(|known| *known == name).map(|at| at + 16);
    let at = PROTOTYPES
        .iter()
        .position(|(known, _)| *known == name)
        .or(of_mpi)?;
    u64::try_from(at).ok()
}

/// Why a program was not stopped as planned.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// The compiler evaluates something in an order that the interpreter does not know: nothing is known of the run.
    OtherOrder(String),
    /// The test itself has failed.
    Failed(String),
}

impl From<String> for Trouble {
    fn from(reason: String) -> Self {
        Trouble::Failed(reason)
    }
}

/// Runs the program as all ranks and stops it at about `count` random calls of each, and once after each of them.
///
/// # Errors
/// When what runs is not what the interpreter ran, or cannot be driven.
pub fn collect(build: &Build, runs: &Runs, config: Config, count: usize) -> Result<Vec<Stop>, Trouble> {
    let seed = runs.case.seed;
    let salt = format!("{config}")
        .bytes()
        .fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
    let mut rng = Rng::new(seed ^ salt);
    let plans: Vec<Vec<usize>> = runs
        .calls
        .iter()
        .map(|calls| plan(&mut rng, calls.len(), count))
        .collect();
    let mut processes = Vec::new();
    for (run, &rank) in RANKS.iter().enumerate() {
        let hash = externals::run_seed(
            seed,
            if Case::setting(runs.case.profile, seed, rank).diverse {
                rank
            } else {
                0
            },
        );
        let (process, waiting) = Process::start(build, hash, seed, rank)?;
        same_history(runs, run, 0, waiting)?;
        processes.push(process);
    }
    let mut stops = Vec::new();
    let mut numbers = vec![0; processes.len()];
    let mut noted = vec![[0; 2]; processes.len()];
    let mut at = vec![0; processes.len()];
    for round in 0..count {
        let active: Vec<usize> = (0..processes.len())
            .filter(|&run| round < plans[run].len())
            .collect();
        for &run in &active {
            let call = plans[run][round];
            if call != at[run] {
                // After a single-stepped stop the number was told already.
                if round == 0 {
                    processes[run].aim(call as u64)?;
                }
                let waiting = processes[run].waiting()?;
                same_history(runs, run, call, waiting)?;
                noted[run] = waiting.noted;
                at[run] = call;
            }
        }
        let reported = noted.clone();
        let mut shoot = |stops: &mut Vec<Stop>, processes: &[Process], spans: &[(usize, usize, usize)]| {
            let pids: Vec<u32> = spans.iter().map(|&(run, ..)| processes[run].pid()).collect();
            let (_, records) = take(&build.map, &tasks_of(&pids), Options::default());
            for (&(run, first, last), mut task) in spans.iter().zip(records) {
                task.task = format!("r{run}s{}", numbers[run]);
                task.rank = Some(RANKS[run]);
                let leaf = runs.case.runs[run][first].leaf.as_deref();
                let reports = runs.is_dressed && first == last && leaf.is_some_and(dress::reports);
                stops.push(Stop {
                    run,
                    number: numbers[run],
                    first,
                    last,
                    noted: reports.then_some(reported[run]),
                    task,
                });
                numbers[run] += 1;
            }
        };
        let in_calls: Vec<(usize, usize, usize)> = active
            .iter()
            .map(|&run| {
                let event = runs.calls[run][plans[run][round]];
                (run, event, event)
            })
            .collect();
        shoot(&mut stops, &processes, &in_calls);
        let mut between = Vec::new();
        for &run in &active {
            let Some(&next) = plans[run].get(round + 1) else {
                continue;
            };
            let most = if rng.chance(50) { 8 } else { 40 };
            let steps = 1 + rng.below(most);
            let outside = 1 + rng.below(3);
            processes[run].step(next as u64, steps as u32, outside as u32)?;
            let call = plans[run][round];
            between.push((run, runs.calls[run][call], runs.calls[run][call + 1]));
        }
        shoot(&mut stops, &processes, &between);
        for &(run, ..) in &between {
            processes[run].resume()?;
        }
    }
    Ok(stops)
}

/// The numbers of the calls in which to stop, in order. The first one is always call 0.
fn plan(rng: &mut Rng, calls: usize, count: usize) -> Vec<usize> {
    let mut plan: Vec<usize> = (0..count.min(calls)).map(|_| rng.below(calls)).collect();
    // Errors show best between moments that are near in time.
    for index in 1..plan.len() {
        if rng.chance(50) {
            plan[index] = (plan[index - 1] + 1 + rng.below(6)).min(calls - 1);
        }
    }
    plan.sort_unstable();
    plan.dedup();
    plan
}

fn same_history(runs: &Runs, run: usize, call: usize, waiting: Waiting) -> Result<(), Trouble> {
    if waiting.call != call as u64 {
        return Err(Trouble::Failed(format!(
            "asked to wait in call {call}, it waits in {}",
            waiting.call
        )));
    }
    if runs.history[run].get(call) == Some(&waiting.history) {
        return Ok(());
    }
    Err(Trouble::OtherOrder(format!(
        "run {run} has made other calls before call {call} than the interpreter"
    )))
}
