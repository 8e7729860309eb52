//! Iterations that machine code tells and no variable does: each loop is asked about with all values of variables taken away, at all levels of both compilers. What is
//! decided must be what the source says of the two moments, and at moderate levels enough must be.
//!
//! `loops.c` stops itself at a chosen visit of `step`. Where that is in the source is written down here as loops once more, without any map.

use rayon::prelude::*;
use std::cmp::Ordering;
use std::fs;
use std::path::Path;
use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{Stopped, has_tools, hindmost, succeed};

/// Where a visit is: in which iteration of each loop, outermost first, and which statement of the innermost one, or of the body of one of the loops.
type Moment = Vec<u32>;

/// Adds what one loop does to the visits.
type Loops = fn(flag: bool, visit: &mut dyn FnMut(&[u32]));

const CASES: [(&str, Loops); 14] = [
    ("nested", |flag, visit| {
        for it in 1..=3 {
            for stage in 0..3 {
                for start in 0..2 {
                    visit(&[it, 0, stage, start]);
                }
            }
            if flag && it % 2 == 0 {
                visit(&[it, 1]);
            }
            visit(&[it, 2]);
        }
    }),
    ("early", |flag, visit| {
        for i in 1..=6 {
            visit(&[i, 0]);
            if !(flag && i % 2 == 0) {
                visit(&[i, 1]);
            }
        }
    }),
    ("few", |flag, visit| {
        for i in 0..4 {
            visit(&[i, 0]);
            if flag && i == 2 {
                visit(&[i, 1]);
            }
        }
    }),
    ("seldom", |flag, visit| {
        let (mut found, mut i) = (0, 0);
        while found < 2 {
            if (i + u32::from(flag)).is_multiple_of(3) {
                found += 1;
            } else {
                visit(&[i]);
            }
            i += 1;
        }
    }),
    ("flat", |flag, visit| {
        for i in 0..3 {
            for j in 0..3 {
                if !(flag && j == 1) {
                    visit(&[i, j]);
                }
            }
        }
    }),
    ("around", |flag, visit| {
        for i in 0..3 + u32::from(flag) {
            visit(&[i, 0]);
            visit(&[i, 1]);
        }
    }),
    ("warm", |flag, visit| {
        for it in 0..=3 {
            if it == 1 {
                visit(&[it, 0]);
            }
            for phase in 1..2 + u32::from(flag) {
                visit(&[it, 1, phase, 0]);
                if flag && phase == 2 {
                    visit(&[it, 1, phase, 1]);
                }
            }
        }
    }),
    ("arms", |flag, visit| {
        for it in 0..6 {
            if (it + u32::from(flag)) % 3 == 1 {
                visit(&[it, 0]);
            }
            if it % 2 == 0 {
                visit(&[it, 1]);
            }
            if it == 4 {
                visit(&[it, 2]);
                visit(&[it, 3]);
            }
        }
    }),
    ("middle", |flag, visit| {
        for it in 0..=6 {
            if it == 2 {
                visit(&[it, 0]);
            }
            if it < 6 && !(flag && it % 3 == 0) && it > 0 {
                visit(&[it, 1]);
            }
        }
    }),
    ("twos", by_twos),
    ("sized", by_twos),
    ("aligned", by_twos),
    ("either", |flag, visit| {
        for it in 0..=6 - u32::from(flag) {
            if it == 1 {
                visit(&[it, 0]);
            }
            visit(&[it, 1]);
        }
    }),
    ("last", |flag, visit| {
        for it in (2..=6 - u32::from(flag)).step_by(2) {
            if it == 4 {
                visit(&[it, 0]);
            }
            visit(&[it, 1]);
        }
    }),
];

fn by_twos(flag: bool, visit: &mut dyn FnMut(&[u32])) {
    for it in (5..11).step_by(2) {
        if it > 5 {
            visit(&[it, 0]);
        }
        for k in 0..=u32::from(flag) {
            if k + it != 8 {
                visit(&[it, 1, k]);
            }
        }
    }
}

#[test]
fn machine_code_counts_the_iterations_of_the_source_or_says_nothing() {
    if !has_tools(&["gcc", "clang"]) {
        return;
    }
    let levels = [
        "-O0",
        "-Og",
        "-O1",
        "-O2",
        "-O3",
        "-Os",
        "-O2 -fno-omit-frame-pointer",
    ];
    let builds = ["gcc", "clang"].map(|compiler| levels.map(|level| (compiler, level)));
    let by_build = builds.as_flattened().par_iter().map(|&(compiler, level)| {
        let dir = Directory::of_seed(None, 0).unwrap();
        build(&dir.path, compiler, level);
        let mut by_case = [[0; 3]; CASES.len()];
        for (number, (name, loops)) in CASES.iter().enumerate() {
            let Judged {
                decided,
                by_count,
                mixed,
                read,
            } = judge(&dir.path, number, *loops, &format!("{compiler} {level}, {name}"));
            println!("{compiler} {level}, {name}: {decided} pairs decided, {by_count} by counted iterations, {mixed} with one value; {read} values read");
            by_case[number] = [by_count, mixed, read];
        }
        by_case
    });
    let none = || [[0; 3]; CASES.len()];
    let sum = |a: [usize; 3], b: [usize; 3]| std::array::from_fn(|at| a[at] + b[at]);
    let by_case = by_build.reduce(none, |a, b| std::array::from_fn(|case| sum(a[case], b[case])));
    println!("{by_case:?}");
    let [
        nested,
        early,
        _,
        seldom,
        _,
        around,
        ..,
        twos,
        sized,
        aligned,
        either,
        last,
    ] = by_case;
    assert!(
        nested[0] > 2_000 && early[0] > 800 && around[0] > 800,
        "{by_case:?} pairs by counted iterations"
    );
    let mixed: usize = by_case.iter().map(|[_, mixed, _]| mixed).sum();
    assert!(mixed > MIXED, "{mixed} pairs by a count and a value");
    assert_eq!(seldom[0], 0, "no call is made in each iteration");
    for (case, least) in [
        (twos, 130),
        (sized, 130),
        (aligned, 130),
        (either, 100),
        (last, 70),
    ] {
        assert!(
            case[2] >= least,
            "{} values read, some of which debug info has lost",
            case[2]
        );
    }
}

/// How many pairs must be decided of which one task has its values.
const MIXED: usize = 4_000;

fn build(dir: &Path, compiler: &str, level: &str) {
    fs::write(dir.join("loops.c"), include_str!("counted_iterations/loops.c")).unwrap();
    let arguments = ["-std=gnu11", "-g", "-Wall", "-Werror", "loops.c", "-o", "loops"];
    let mut build = Command::new(compiler);
    build.args(arguments).args(level.split(' '));
    succeed(build.current_dir(dir));
    let bind = ["map", "-q", "--exe", "loops", "-o", "loops.hmap", "--no-cache"];
    succeed(Command::new(hindmost()).args(bind).current_dir(dir));
}

/// What came out for one case of one build.
struct Judged {
    /// How many pairs of visits are decided, with no value known.
    decided: usize,
    /// How many of these because the code counts iterations.
    by_count: usize,
    /// How many pairs are decided so if one of the two has its values.
    mixed: usize,
    /// At how many visits the variable of the outermost loop was read.
    read: usize,
}

/// Stops the program at each visit of a case, holds the values that are read there against it, and asks about all pairs of visits with no value known, and with those of every second
/// visit.
fn judge(dir: &Path, number: usize, loops: Loops, what: &str) -> Judged {
    let mut moments: Vec<Moment> = Vec::new();
    let mut stopped = Vec::new();
    for flag in [false, true] {
        let mut visits = 0;
        loops(flag, &mut |moment| {
            visits += 1;
            let number = u32::try_from(number).unwrap();
            stopped.push(Stopped::new(
                &dir.join("loops"),
                &[number, u32::from(flag), visits],
            ));
            moments.push(moment.to_vec());
        });
    }
    let (seen, stacks) = look(dir, &stopped);
    drop(stopped);
    let read = values_read(CASES[number].0, &seen, &moments, what);
    let pairs = || (0..moments.len()).flat_map(|a| (0..moments.len()).map(move |b| (a, b)));
    let names = Vec::from_iter(
        stacks
            .iter()
            .map(|stack| stack["task"].as_str().unwrap().to_owned()),
    );
    let lines = pairs().map(|(a, b)| format!("{} {}\n", names[a], names[b]));
    fs::write(dir.join("pairs.txt"), lines.collect::<String>()).unwrap();
    let ask = |file: &str| {
        let ask = [
            "order",
            "--map",
            "loops.hmap",
            "--pairs",
            "pairs.txt",
            "--stacks",
            file,
        ];
        let output = succeed(Command::new(hindmost()).args(ask).current_dir(dir));
        String::from_utf8(output.stdout).unwrap()
    };
    let (blind, half) = (ask("blind.jsonl"), ask("half.jsonl"));
    let (mut decided, mut by_count, mut mixed) = (0, 0, 0);
    let answers = blind.lines().chain(half.lines());
    for (number, ((a, b), answer)) in pairs().chain(pairs()).zip(answers).enumerate() {
        let relation = answer.split(' ').nth(2).unwrap();
        let expected = match moments[a].cmp(&moments[b]) {
            Ordering::Less => "before",
            Ordering::Equal => "equal",
            Ordering::Greater => "after",
        };
        assert!(
            relation == expected || relation == "unknown",
            "{what}: {:?} is {relation} {:?}\n{answer}\n{}\n{}",
            moments[a],
            moments[b],
            stacks[a],
            stacks[b]
        );
        let is_by_count = answer.contains("by the machine code iteration");
        if number < moments.len() * moments.len() {
            decided += usize::from(relation != "unknown" && a != b);
            by_count += usize::from(is_by_count);
        } else {
            mixed += usize::from(is_by_count && a % 2 != b % 2);
        }
    }
    Judged {
        decided,
        by_count,
        mixed,
        read,
    }
}

type Stack = serde_json::Value;

/// Holds the values of the outermost loop's variable that were read against the moments, of which each begins with it; returns how many were read.
fn values_read(name: &str, stacks: &[Stack], moments: &[Moment], what: &str) -> usize {
    // There the second statement of an iteration follows the change.
    let is_changed = |moment: &Moment| name == "around" && moment[1] == 1;
    let read = stacks.iter().zip(moments).filter_map(|(stack, moment)| {
        let frames = stack["frames"].as_array().unwrap();
        let frame = frames.iter().find(|frame| frame["function"] == name)?;
        let value = ["it", "i"]
            .iter()
            .find_map(|&each| frame["values"][each].as_u64())?;
        let expected = u64::from(moment[0]) + u64::from(is_changed(moment));
        assert_eq!(value, expected, "{what}: at {moment:?}\n{stack}");
        Some(())
    });
    read.count()
}

/// The recorded stacks of the processes, in their order, as they are and with no values. The latter lie in `blind.jsonl`, and in `half.jsonl` with the values of every second one.
fn look(dir: &Path, stopped: &[Stopped]) -> (Vec<Stack>, Vec<Stack>) {
    let mut command = Command::new(hindmost());
    command.args(["find", "--map", "loops.hmap", "--save", "seen.jsonl"]);
    command.args(stopped.iter().map(|process| process.id().to_string()));
    let output = command
        .env("XDG_CACHE_HOME", dir)
        .current_dir(dir)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "find: {errors}");
    let seen = fs::read_to_string(dir.join("seen.jsonl")).unwrap();
    let mut lines = seen.lines();
    let head = lines.next().unwrap().to_owned();
    let mut stacks: Vec<Stack> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |process: &Stopped, stacks: &[Stack]| {
        let is_it = |stack: &&Stack| stack["pid"].as_u64() == Some(process.id().into());
        let stack = stacks.iter().find(is_it);
        stack.expect("each process is recorded").clone()
    };
    let seen = Vec::from_iter(stopped.iter().map(|process| of(process, &stacks)));
    for stack in &mut stacks {
        for frame in stack["frames"].as_array_mut().unwrap() {
            frame.as_object_mut().unwrap().remove("values");
        }
    }
    let stacks = Vec::from_iter(stopped.iter().map(|process| of(process, &stacks)));
    let half = seen.iter().zip(&stacks).enumerate();
    let half = half.map(|(at, (seen, blind))| if at % 2 == 0 { seen } else { blind });
    let write = |name: &str, stacks: &mut dyn Iterator<Item = &Stack>| {
        let lines = std::iter::once(head.clone()).chain(stacks.map(ToString::to_string));
        fs::write(dir.join(name), lines.map(|line| line + "\n").collect::<String>()).unwrap();
    };
    write("blind.jsonl", &mut stacks.iter());
    write("half.jsonl", &mut half.into_iter());
    (seen, stacks)
}
