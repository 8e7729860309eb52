//! Judges slices of programs of [`fortran`](super::fortran) by running what they leave.
//!
//! As with the other languages, a slice is sound if the program without everything else observes the same values, for every input, and comes to its end. Locals that nobody
//! sets hold a pattern. The programs share one file and one executable; each run is a process of its own.

use super::batch::{End, Run};
use super::fortran::{Mode, Program, Programs, left};
use crate::oracle::rng::Rng;
use crate::second::Plugin;
use engine::{CompiledUnits, DependenceGraph, SliceOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Inputs that every program and every slice is run on.
const INPUTS: usize = 6;

/// The name of the file that all programs are.
const FILE: &str = "programs.f90";

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs that show something, each with one slice.
    pub programs: usize,
    /// Slices that left something out, or are none at all, in words.
    pub faults: Vec<String>,
    /// Lines of all slices together.
    pub slice_lines: usize,
    /// Lines with statements of the programs that they are slices of.
    pub program_lines: usize,
    /// Of slices with one line less, how many were noticed.
    pub killed: usize,
    /// And how many were not.
    pub survived: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noticed = 100 * self.killed / (self.killed + self.survived).max(1);
        writeln!(f, "programs                      {:>7}", self.programs)?;
        writeln!(f, "  unsound or refused          {:>7}", self.faults.len())?;
        writeln!(
            f,
            "slice of program              {:>6} %",
            100 * self.slice_lines / self.program_lines.max(1)
        )?;
        writeln!(
            f,
            "one line less: noticed        {:>7}  ({noticed} %)",
            self.killed
        )?;
        writeln!(f, "  not noticed                 {:>7}", self.survived)
    }
}

/// Judges the slices of programs, and drops one line of each so many times to see whether that is noticed.
///
/// # Errors
/// The programs or the harness are at fault.
pub fn judge(
    programs: &Programs,
    plugin: &Plugin<'_>,
    mutants: usize,
    scratch: &Path,
) -> Result<Report, String> {
    let source = scratch.join(FILE);
    let write = |text: &str| std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()));
    write(&programs.text)?;
    let source = source
        .canonicalize()
        .map_err(|e| format!("{}: {e}", source.display()))?;
    // The compiler's own files stay where the rest is.
    let flags = [plugin.flags, &[format!("-J{}", scratch.display())]].concat();
    let reading = Plugin {
        flags: &flags,
        ..*plugin
    };
    let packed = reading.packed(&source, &scratch.join("programs.o"))?;
    let compiled = CompiledUnits::of(packed).ok_or("the fragments are none")?;
    let graph =
        engine::dependence_graph_with(Vec::new(), compiled, None, &|_| {}).map_err(|e| e.to_string())?;
    let judge = Judge {
        programs,
        compiler: plugin.gcc,
        scratch,
        truth: run(programs, &programs.text, plugin.gcc, Mode::Delete, scratch)?,
    };
    judge.check_truth(run(programs, &programs.text, plugin.gcc, Mode::Perturb, scratch)?)?;
    let mut report = Report::default();
    let mut slices: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    // Where nothing is ever shown, any slice is as good.
    let is_seen = |program: &&Program| {
        judge.truth[program.number]
            .iter()
            .any(|run| !run.values.is_empty())
    };
    for program in programs.programs.iter().filter(is_seen) {
        report.programs += 1;
        match slice(&graph, &source, program) {
            Ok(lines) => {
                report.slice_lines += lines.len();
                report.program_lines += judge.statements(program).count();
                slices.insert(program.number, lines);
            }
            Err(why) => report.faults.push(format!("{}: no slice: {why}", program.name)),
        }
    }
    let mut wrong = BTreeSet::new();
    for mode in [Mode::Delete, Mode::Perturb] {
        for (number, what) in judge.differences(&slices, mode)? {
            if wrong.insert(number) {
                let (program, lines) = (&programs.programs[number], &slices[&number]);
                report.faults.push(format!(
                    "{}: {mode:?}: {what}\n{}",
                    program.name,
                    judge.shown(program, lines)
                ));
            }
        }
    }
    slices.retain(|number, _| !wrong.contains(number));
    let mut rng = Rng::new(26);
    for _ in 0..mutants {
        let mut less = slices.clone();
        for (number, lines) in &mut less {
            // Without its own line there is nothing to compare.
            let all = Vec::from_iter(
                lines
                    .iter()
                    .copied()
                    .filter(|&line| line != programs.programs[*number].criterion),
            );
            if !all.is_empty() {
                lines.remove(&all[rng.below(all.len())]);
            }
        }
        let noticed = judge.differences(&less, Mode::Delete)?.len();
        report.killed += noticed;
        report.survived += less.len() - noticed;
    }
    Ok(report)
}

/// The lines of a program that are in its slice.
fn slice(graph: &DependenceGraph, source: &Path, program: &Program) -> Result<BTreeSet<u32>, String> {
    let path = source.to_string_lossy();
    let slice = graph.slice_at(&path, program.criterion, None, SliceOptions::default());
    let lines = slice.map_err(|error| error.to_string())?.lines();
    Ok(lines
        .into_iter()
        .map(|(_, line)| line)
        .filter(|line| program.lines.contains(line))
        .collect())
}

struct Judge<'a> {
    programs: &'a Programs,
    compiler: &'a str,
    scratch: &'a Path,
    /// What the programs observe.
    truth: Vec<Vec<Run>>,
}

impl Judge<'_> {
    /// Whether the programs come to their end and observe the same whatever unset variables hold.
    fn check_truth(&self, again: Vec<Vec<Run>>) -> Result<(), String> {
        let mut wrong = Vec::new();
        for (program, (one, other)) in self.programs.programs.iter().zip(self.truth.iter().zip(&again)) {
            let is_clean = one.iter().all(|run| run.end == End::Exit);
            if one != other || !is_clean {
                wrong.push(format!(
                    "{}: {one:?}\n{other:?}\n{}",
                    program.name,
                    self.text(program)
                ));
            }
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(wrong.join("\n"))
        }
    }

    fn text(&self, program: &Program) -> String {
        let first = program.lines.start as usize - 1;
        let lines = self.programs.text.lines().skip(first).take(program.lines.len());
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// The lines of a program that are taken out when they are in no slice.
    fn statements(&self, program: &Program) -> impl Iterator<Item = u32> {
        let text = self.text(program);
        let (bare, _) = left(&text, program.lines.start, &|_| false, Mode::Delete);
        let lines = Vec::from_iter(text.lines().zip(bare.lines()).map(|(all, bare)| all != bare));
        program
            .lines
            .clone()
            .zip(lines)
            .filter(|(_, is_taken)| *is_taken)
            .map(|(line, _)| line)
    }

    /// The programs that observe something else when only these lines are left, each with what is different.
    fn differences(
        &self,
        slices: &BTreeMap<usize, BTreeSet<u32>>,
        mode: Mode,
    ) -> Result<Vec<(usize, String)>, String> {
        let mut found = Vec::new();
        let mut text = String::new();
        for program in &self.programs.programs {
            let whole = self.text(program);
            let Some(lines) = slices.get(&program.number) else {
                text.push_str(&whole);
                continue;
            };
            let (left, orphan) = left(&whole, program.lines.start, &|line| lines.contains(&line), mode);
            match orphan {
                Some(line) => {
                    found.push((
                        program.number,
                        format!("line {line} is in it, and what decides about it is not"),
                    ));
                    text.push_str(&whole);
                }
                None => text.push_str(&left),
            }
        }
        let runs = run(self.programs, &text, self.compiler, mode, self.scratch)?;
        for (program, (now, before)) in self.programs.programs.iter().zip(runs.iter().zip(&self.truth)) {
            let differing = now.iter().zip(before).position(|(now, before)| now != before);
            if let Some(input) = differing
                && slices.contains_key(&program.number)
            {
                let values = |run: &Run| Vec::from_iter(run.values.iter().map(|(_, value)| *value));
                found.push((
                    program.number,
                    format!(
                        "input {input}: it observes {:?}, not {:?} ({:?})",
                        values(&now[input]),
                        values(&before[input]),
                        now[input].end
                    ),
                ));
            }
        }
        Ok(found)
    }

    fn shown(&self, program: &Program, lines: &BTreeSet<u32>) -> String {
        let mut shown = String::new();
        for (line, text) in program.lines.clone().zip(self.text(program).lines()) {
            let mark = if lines.contains(&line) { '|' } else { ' ' };
            let _ = writeln!(shown, "{line:>5} {mark} {text}");
        }
        shown
    }
}

/// Compiles the text and runs each program on all inputs.
fn run(
    programs: &Programs,
    text: &str,
    compiler: &str,
    mode: Mode,
    scratch: &Path,
) -> Result<Vec<Vec<Run>>, String> {
    let write = |name: &str, text: &str| {
        let path = scratch.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok::<_, String>(path)
    };
    let source = write("left.f90", text)?;
    let harness = write("harness.c", &harness(programs.programs.len()))?;
    let exe = scratch.join("left");
    let unset = match mode {
        Mode::Delete => "-finit-integer=-7771",
        Mode::Perturb => "-finit-integer=31",
    };
    let output = Command::new(compiler)
        .args([
            "-O0",
            "-w",
            "-fmax-errors=20",
            "-finit-real=inf",
            "-finit-character=42",
            unset,
        ])
        .arg(format!("-J{}", scratch.display()))
        .arg(&source)
        .args(["-x", "c"])
        .arg(&harness)
        .arg("-o")
        .arg(&exe)
        .output()
        .map_err(|e| format!("{compiler}: {e}"))?;
    if !output.status.success() {
        return Err(format!(
            "{}: {}",
            source.display(),
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let output = Command::new(&exe)
        .stderr(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", exe.display()))?;
    let mut runs = vec![vec![Run::default(); INPUTS]; programs.programs.len()];
    let mut here = (0, 0);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let numbers = Vec::from_iter(line[1..].split(' ').filter_map(|word| word.parse::<i64>().ok()));
        match (line.as_bytes()[0], &numbers[..]) {
            (b'=', &[program, input]) => here = (program as usize, input as usize),
            (b'>', &[value]) => runs[here.0][here.1].values.push((FILE.to_owned(), value)),
            (b'!', &[0]) => runs[here.0][here.1].end = End::Exit,
            (b'!', _) => runs[here.0][here.1].end = End::Killed(line[1..].to_owned()),
            _ => return Err(format!("the programs say '{line}'")),
        }
    }
    Ok(runs)
}

/// What runs the programs.
fn harness(count: usize) -> String {
    let declared = String::from_iter((0..count).map(|number| format!("void main{number}_(void);\n")));
    let listed = String::from_iter((0..count).map(|number| format!("main{number}_, ")));
    format!(
        "#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n{declared}
static void (*const programs[])(void) = {{ {listed} }};
static int set;
int input_(const int *which) {{ return (set * 37 + *which * 11) % 10; }}
void observe_(const int *value) {{ printf(\"> %d\\n\", *value); }}
int main(void)
{{
    for (int at = 0; at < {count}; at++)
        for (set = 0; set < {INPUTS}; set++) {{
            printf(\"= %d %d\\n\", at, set);
            fflush(stdout);
            int status = 0, child = fork();
            if (child == 0) {{
                alarm(1);
                programs[at]();
                fflush(stdout);
                _exit(0);
            }}
            waitpid(child, &status, 0);
            printf(\"! %d\\n\", status);
        }}
    return 0;
}}
"
    )
}
