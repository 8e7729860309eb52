//! What the map claims of loop variables, against what they do.
//!
//! `order_loops.c` is built with its marks turned into logging and run as three ranks; then every variable that the map lists
//! for a marked loop must move as its class says: strictly, or never the other way, and on all ranks alike where
//! the map says so. A variable that the map lists and the mark does not is an error of the file.

use progress_map::{Across, Cut, Direction, Function, Lov, LovClass, Map, Point};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command as Process;
use tests::oracle::judge::Command;

const SOURCE: &str = include_str!("order_loops.c");

/// A mark: its function, its line, its variables.
struct Mark {
    function: String,
    line: u32,
    variables: Vec<String>,
}

/// By function and variable: one list of values per activation of the loop.
type Log = BTreeMap<(String, String), Vec<Vec<f64>>>;

fn names(line: &str, word: &str) -> Option<Vec<String>> {
    let rest = line
        .trim()
        .strip_prefix("/* ")?
        .strip_prefix(word)?
        .strip_prefix(": ")?;
    Some(rest.strip_suffix(" */")?.split(", ").map(str::to_owned).collect())
}

/// The name of the function that a line begins to define.
fn defines(line: &str) -> Option<&str> {
    let head = line.split('(').next()?;
    let name = head.split([' ', '*']).next_back()?;
    (!line.starts_with([' ', '/', '#', '}']) && line.ends_with('{') && head != line).then_some(name)
}

fn marks() -> Vec<Mark> {
    let mut function = String::new();
    let mut marks = Vec::new();
    for (index, line) in SOURCE.lines().enumerate() {
        if let Some(name) = defines(line) {
            function = name.to_owned();
        }
        if let Some(variables) = names(line, "mark") {
            marks.push(Mark {
                function: function.clone(),
                line: index as u32 + 1,
                variables: variables
                    .iter()
                    .map(|name| name.trim_end_matches('*').to_owned())
                    .collect(),
            });
        }
    }
    marks
}

/// The source with marks that log.
fn logging_text() -> String {
    let mut text = String::from(
        "void hx_value(const char *, const char *, double); void hx_start(const char *, const char *);\n",
    );
    for line in SOURCE.lines() {
        let log = |name: &String| match name.strip_suffix('*') {
            Some(name) => format!("hx_value(__func__, \"{name}\", (double) (unsigned long) {name});"),
            None => format!("hx_value(__func__, \"{name}\", (double) {name});"),
        };
        if let Some(variables) = names(line, "mark") {
            text.extend(variables.iter().map(log));
        } else if let Some(variables) = names(line, "start") {
            text.extend(
                variables
                    .iter()
                    .map(|name| format!("hx_start(__func__, \"{name}\");")),
            );
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

fn run_ranks(dir: &Path) -> Vec<Log> {
    let files = [
        ("logging.c", logging_text()),
        ("harness.c", include_str!("order_loops_harness.c").to_owned()),
        ("mpi.h", include_str!("../src/oracle/harness/mpi.h").to_owned()),
    ];
    for (name, text) in files {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let args = [
        "-std=gnu11",
        "-O0",
        "-w",
        "-I.",
        "logging.c",
        "harness.c",
        "-o",
        "logging",
    ];
    let built = Process::new("gcc").args(args).current_dir(dir).output().unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    (0..3)
        .map(|rank: u32| {
            let run = Process::new(dir.join("logging"))
                .env("HX_RANK", rank.to_string())
                .output()
                .unwrap();
            assert!(run.status.success(), "rank {rank}: {}", run.status);
            let mut log = Log::new();
            for line in String::from_utf8_lossy(&run.stdout).lines() {
                let mut words = line.split(' ');
                let mut word = || words.next().unwrap().to_owned();
                let activations = log.entry((word(), word())).or_default();
                match word().parse::<f64>() {
                    Ok(value) => match activations.last_mut() {
                        Some(values) => values.push(value),
                        None => activations.push(vec![value]),
                    },
                    Err(_) => activations.push(Vec::new()),
                }
            }
            log
        })
        .collect()
}

fn strict(values: &[f64], direction: Direction) -> bool {
    let up = values.windows(2).all(|pair| pair[0] < pair[1]);
    let down = values.windows(2).all(|pair| pair[0] > pair[1]);
    match direction {
        Direction::Up => up,
        Direction::Down => down,
        Direction::SignOfStep => up || down,
    }
}

fn weak(values: &[f64], direction: Direction) -> bool {
    let up = values.windows(2).all(|pair| pair[0] <= pair[1]);
    let down = values.windows(2).all(|pair| pair[0] >= pair[1]);
    match direction {
        Direction::Up => up,
        Direction::Down => down,
        Direction::SignOfStep => up || down,
    }
}

/// Whether two sequences agree as far as both go.
fn agree(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y)
}

/// The sequence as a count of iterations, or of changes: what a relative variable promises to be the same.
fn relative(values: &[f64]) -> Vec<f64> {
    let step = values.get(1).map_or(1.0, |second| second - values[0]);
    values.iter().map(|value| (value - values[0]) / step).collect()
}

/// Where the claim is false, if it is.
fn contradiction(lov: &Lov, ranks: &[Vec<Vec<f64>>]) -> Option<String> {
    for (rank, activations) in ranks.iter().enumerate() {
        for values in activations {
            let holds = match lov.class {
                LovClass::Strict => strict(values, lov.direction),
                LovClass::Weak => weak(values, lov.direction),
            };
            if !holds {
                return Some(format!(
                    "{:?} {:?}, but rank {rank} has {values:?}",
                    lov.class, lov.direction
                ));
            }
        }
    }
    // A weak variable promises nothing about iterations: ranks may differ in when it moves.
    if lov.class == LovClass::Weak {
        return None;
    }
    let normal = |values: &Vec<f64>| match lov.across {
        Across::Relative => relative(values),
        Across::SameSequence | Across::Nothing => values.clone(),
    };
    if lov.across != Across::Nothing {
        for (rank, activations) in ranks.iter().enumerate().skip(1) {
            for (mine, first) in activations.iter().zip(&ranks[0]) {
                if !agree(&normal(mine), &normal(first)) {
                    return Some(format!(
                        "{:?}, but ranks 0 and {rank} have {first:?} and {mine:?}",
                        lov.across
                    ));
                }
            }
        }
    }
    let per_iteration = match lov.cut {
        Cut::Header { per_iteration, .. } => per_iteration,
        Cut::Updates => return None,
    };
    let exact = |values: &Vec<f64>| {
        values
            .windows(2)
            .all(|pair| pair[1] - pair[0] == per_iteration as f64)
    };
    let known = lov.growth == progress_map::Growth::Additive
        && matches!(lov.step, Some(progress_map::Term::Constant(_)))
        && !ranks.iter().flatten().all(exact);
    known.then(|| format!("moves by {per_iteration}, but {:?}", ranks[0]))
}

/// The variables of the loop in which a mark stands.
fn lovs<'a>(function: &'a Function, mark: &Mark) -> &'a [Lov] {
    let after = |point: &&Point| point.span.line > mark.line;
    let first = function
        .points
        .iter()
        .filter(after)
        .min_by_key(|point| (point.span.line, point.span.column));
    match first.and_then(|point| point.innermost_loop) {
        Some(id) => &function.loops[id].lovs,
        None => panic!(
            "{}:{}: the mark is in no loop of the map",
            mark.function, mark.line
        ),
    }
}

#[test]
fn no_claim_about_a_loop_variable_is_false() {
    let command = Command::find().unwrap_or_else(|e| panic!("{e}"));
    let dir = command.directory(0).unwrap();
    let ranks = run_ranks(&dir.path);
    let bytes = std::fs::read(command.map(&dir.path, SOURCE).unwrap()).unwrap();
    let map = Map::from_bytes(&bytes).unwrap();
    let (mut false_claims, mut table) = (Vec::new(), Vec::new());
    // Loops with a variable that is strict and, as an iteration count, the same everywhere; and those that are won.
    let (mut winnable, mut won) = (0, 0);
    for mark in marks() {
        let function = map.functions.iter().find(|f| f.name == mark.function);
        let function = function.unwrap_or_else(|| panic!("{} is not in the map", mark.function));
        let sequences = |name: &str| -> Vec<Vec<Vec<f64>>> {
            let key = (mark.function.clone(), name.to_owned());
            ranks
                .iter()
                .map(|log| log.get(&key).cloned().unwrap_or_default())
                .collect()
        };
        let listed = lovs(function, &mark);
        for lov in listed {
            assert!(
                mark.variables.contains(&lov.name),
                "{}: '{}' is not marked",
                mark.function,
                lov.name
            );
            if let Some(why) = contradiction(lov, &sequences(&lov.name)) {
                false_claims.push(format!("{} {}: {why}", mark.function, lov.name));
            }
        }
        let monotone = |values: &Vec<f64>| strict(values, Direction::SignOfStep);
        let is_winnable = mark.variables.iter().any(|name| {
            let sequences = sequences(name);
            sequences.iter().flatten().all(monotone)
                && sequences.iter().skip(1).all(|activations| {
                    activations
                        .iter()
                        .zip(&sequences[0])
                        .all(|(a, b)| agree(&relative(a), &relative(b)))
                })
        });
        let is_won = listed
            .iter()
            .any(|lov| lov.class == LovClass::Strict && lov.across != Across::Nothing);
        winnable += usize::from(is_winnable);
        won += usize::from(is_winnable && is_won);
        let claims = listed
            .iter()
            .map(|l| format!("{} {:?} {:?}", l.name, l.class, l.across));
        table.push(format!(
            "{:<20} {:<9} {}",
            mark.function,
            if is_winnable { "strict" } else { "-" },
            claims.collect::<Vec<_>>().join("; ")
        ));
    }
    println!("{}\nwon {won} of {winnable}", table.join("\n"));
    assert!(false_claims.is_empty(), "{}", false_claims.join("\n"));
    assert!(won >= WON, "won only {won} of {winnable}:\n{}", table.join("\n"));
}

/// Loops whose iterations must be told apart on all ranks.
const WON: usize = 40;
