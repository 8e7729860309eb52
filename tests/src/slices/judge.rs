//! Judges slices by running what they leave of a program.
//!
//! A slice is *sound* if the program without everything else observes the same values at the criterion, in the same
//! order, for every input, and comes to its end. That is necessary, not sufficient: so the rest is once deleted and
//! several times replaced by wrong values ([`Mode`]), and the judge says how sharp it is: of all slices with one line less,
//! how many does it notice?

use super::batch::{self, Build, End, Outcome};
use super::neutralise::{Language, Mode, neutralise};
use super::suite::{Criterion, Program, SourceText, is_code};
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// Lines of a program: the file's name, and the line from 1.
pub type Lines = BTreeSet<(String, u32)>;

/// Whoever is judged: the slices of a program, one for each criterion.
pub type Slicer<'a> = dyn Fn(&Program, &[Criterion]) -> Vec<Result<Lines, String>> + Sync + 'a;

/// All ways in which what is outside a slice is taken away.
pub const MODES: [Mode; 4] = [Mode::Delete, Mode::Perturb(0), Mode::Perturb(1), Mode::Perturb(2)];

/// Inputs that every program and every slice is run on.
const INPUTS: usize = 8;

/// A slice with one line less is run in fewer ways and on fewer inputs: there are ten times as many of them.
const MUTANT_MODES: [Mode; 2] = [Mode::Delete, Mode::Perturb(1)];
const MUTANT_INPUTS: usize = 4;

/// How many programs are compiled as one.
const BATCH: usize = 600;

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Every so many-th line of sound slices is dropped to see whether that is noticed; 0 for none.
    pub mutants: usize,
    /// The ways in which the rest is taken away.
    pub modes: &'static [Mode],
}

/// A slice that left something out, or none at all.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The program.
    pub program: String,
    /// What was asked.
    pub criterion: Criterion,
    /// What is wrong.
    pub what: String,
    /// The program, with the lines of the slice marked.
    pub shown: String,
}

/// What became of slices with one line less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mutants {
    /// Values differ.
    pub killed: usize,
    /// Nothing was noticed, though the text changed.
    pub survived: usize,
    /// The line alone changes nothing in the text: a brace, a declaration, one of several lines of a statement.
    pub no_effect: usize,
    /// What was left does not compile.
    pub not_compiled: usize,
}

/// The result of judging.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs judged.
    pub programs: usize,
    /// Slices asked for.
    pub slices: usize,
    /// Those that are wrong.
    pub faults: Vec<Fault>,
    /// Lines of code in all slices together.
    pub slice_lines: usize,
    /// Lines of code of the programs that they are slices of.
    pub code_lines: usize,
    /// Sharpness.
    pub mutants: Mutants,
    /// The mutants that nobody noticed: program, criterion, file and line.
    pub survivors: Vec<String>,
}

/// A slice that is being judged.
struct Question<'p> {
    program: &'p Program,
    criterion: Criterion,
    lines: Lines,
    /// What the program observes there, for each input.
    expected: Vec<Vec<i64>>,
}

/// Runs programs as they are; every one must compile, run clean, and observe something at each criterion.
///
/// # Errors
/// The programs that do not: the suite is at fault, not the slicer.
pub fn reference(programs: &[Program], scratch: &Path) -> Result<Vec<Vec<batch::Run>>, String> {
    let texts: Vec<Vec<SourceText>> = programs.iter().map(|program| program.files.clone()).collect();
    let clean = batch::run(&texts, Build::Sanitised, INPUTS, scratch)?;
    let poisoned = batch::run(&texts, Build::Poisoned, INPUTS, scratch)?;
    let mut all = Vec::new();
    let mut wrong = Vec::new();
    for ((program, clean), poisoned) in programs.iter().zip(clean).zip(poisoned) {
        let name = &program.name;
        let runs = match clean {
            Ok(runs) => runs,
            Err(complaint) => {
                wrong.push(format!("{name}: {complaint}"));
                continue;
            }
        };
        if let Some(run) = runs.iter().find(|run| run.end != End::Exit) {
            wrong.push(format!("{name} does not run clean: {:?}", run.end));
        }
        if poisoned.as_ref() != Ok(&runs) {
            wrong.push(format!("{name} reads what nobody wrote:\n{runs:?}\n{poisoned:?}"));
        }
        for criterion in program.criteria() {
            if runs.iter().all(|run| run.at(&criterion.place()).is_empty()) {
                wrong.push(format!("{name}: {} is never reached", criterion.place()));
            }
        }
        all.push(runs);
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    Ok(all)
}

/// Judges the slices that `slicer` makes of `programs`.
///
/// # Errors
/// The suite or the harness is at fault.
pub fn judge(
    programs: &[Program],
    slicer: &Slicer<'_>,
    effort: Effort,
    scratch: &Path,
) -> Result<Report, String> {
    let truth = reference(programs, scratch)?;
    let mut report = Report {
        programs: programs.len(),
        ..Report::default()
    };
    let mut questions = Vec::new();
    for (program, runs) in programs.iter().zip(&truth) {
        let criteria = program.criteria();
        report.slices += criteria.len();
        for (criterion, answer) in criteria.iter().zip(slicer(program, &criteria)) {
            match answer {
                Ok(lines) => questions.push(Question {
                    program,
                    criterion: criterion.clone(),
                    lines,
                    expected: runs.iter().map(|run| run.at(&criterion.place())).collect(),
                }),
                Err(why) => report.faults.push(Fault {
                    program: program.name.clone(),
                    criterion: criterion.clone(),
                    what: format!("no slice: {why}"),
                    shown: String::new(),
                }),
            }
        }
    }
    let mut sound = Vec::new();
    let asked: Vec<(&Question<'_>, Mode)> = questions
        .iter()
        .flat_map(|question| effort.modes.iter().map(move |&mode| (question, mode)))
        .collect();
    let mut wrong: BTreeSet<usize> = BTreeSet::new();
    for chunk in asked.chunks(BATCH) {
        let texts: Result<Vec<_>, String> = chunk
            .iter()
            .map(|(question, mode)| question.left(&question.lines, *mode))
            .collect();
        let texts = texts?;
        for ((question, mode), (outcome, text)) in chunk.iter().zip(
            batch::run(&texts, Build::Poisoned, INPUTS, scratch)?
                .iter()
                .zip(&texts),
        ) {
            if let Some(what) = question.difference(outcome) {
                let at = questions.iter().position(|other| std::ptr::eq(other, *question));
                // One fault for a slice is enough.
                if wrong.insert(at.unwrap_or(usize::MAX)) {
                    report
                        .faults
                        .push(question.fault(format!("{mode:?}: {what}"), text));
                }
            }
        }
    }
    for (at, question) in questions.iter().enumerate() {
        report.slice_lines += question.size();
        report.code_lines += question.program.code_lines();
        if !wrong.contains(&at) {
            sound.push(question);
        }
    }
    if effort.mutants > 0 {
        mutate(&sound, effort.mutants, &mut report, scratch)?;
    }
    Ok(report)
}

/// Drops one line of every sound slice after the other.
fn mutate(sound: &[&Question<'_>], every: usize, report: &mut Report, scratch: &Path) -> Result<(), String> {
    let mut mutants = Vec::new();
    let mut count = 0usize;
    for question in sound {
        let whole: Result<Vec<_>, String> = MUTANT_MODES
            .iter()
            .map(|mode| question.left(&question.lines, *mode))
            .collect();
        let whole = whole?;
        for line in &question.lines {
            // Without its own line there is nothing to compare.
            if line.0 == question.criterion.file && line.1 == question.criterion.line {
                continue;
            }
            count += 1;
            if !count.is_multiple_of(every) {
                continue;
            }
            let mut less = question.lines.clone();
            less.remove(line);
            let mut texts = Vec::new();
            for (mode, whole) in MUTANT_MODES.iter().zip(&whole) {
                let text = question.left(&less, *mode)?;
                let same = text.iter().zip(whole).all(|(a, b)| a.text == b.text);
                if !same {
                    texts.push(text);
                }
            }
            if texts.is_empty() {
                report.mutants.no_effect += 1;
            } else {
                mutants.push((*question, line, texts));
            }
        }
    }
    for chunk in mutants.chunks(BATCH / MUTANT_MODES.len()) {
        let texts: Vec<Vec<SourceText>> = chunk
            .iter()
            .flat_map(|(_, _, texts)| texts.iter().cloned())
            .collect();
        let mut outcomes = batch::run(&texts, Build::Poisoned, MUTANT_INPUTS, scratch)?.into_iter();
        for (question, line, texts) in chunk {
            let outcomes: Vec<Outcome> = outcomes.by_ref().take(texts.len()).collect();
            let noticed = outcomes
                .iter()
                .any(|outcome| outcome.is_ok() && question.difference(outcome).is_some());
            if noticed {
                report.mutants.killed += 1;
            } else if outcomes.iter().all(Result::is_err) {
                report.mutants.not_compiled += 1;
            } else {
                report.mutants.survived += 1;
                report.survivors.push(format!(
                    "{} for {}: {}:{}",
                    question.program.name,
                    question.criterion.place(),
                    line.0,
                    line.1
                ));
            }
        }
    }
    Ok(())
}

impl Criterion {
    /// `file:line`
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

impl Question<'_> {
    /// The program with nothing but `lines` left in it.
    fn left(&self, lines: &Lines, mode: Mode) -> Result<Vec<SourceText>, String> {
        let files = self.program.files.iter().map(|file| {
            let here = lines.iter().filter(|(name, _)| *name == file.name);
            let kept = here.map(|(_, line)| *line).collect();
            let text = neutralise(&file.text, Language::of(&file.name), &kept, mode)
                .map_err(|e| format!("{} ({}): {e}", self.program.name, file.name))?;
            Ok(SourceText {
                name: file.name.clone(),
                text,
            })
        });
        files.collect()
    }

    /// Lines of code in the slice.
    fn size(&self) -> usize {
        let lines = self.lines.iter().filter(|(name, line)| {
            let file = self.program.files.iter().find(|file| file.name == *name);
            let text = file.and_then(|file| file.text.lines().nth(*line as usize - 1));
            text.is_some_and(is_code)
        });
        lines.count()
    }

    /// What is different from the whole program.
    fn difference(&self, outcome: &Outcome) -> Option<String> {
        let runs = match outcome {
            Ok(runs) => runs,
            Err(complaint) => return Some(format!("what is left does not compile: {complaint}")),
        };
        let place = self.criterion.place();
        runs.iter().enumerate().find_map(|(input, run)| {
            let seen = run.at(&place);
            if seen != self.expected[input] {
                return Some(format!(
                    "input {}: it observes {}, not {} ({:?})",
                    input + 1,
                    few(&seen),
                    few(&self.expected[input]),
                    run.end
                ));
            }
            (run.end != End::Exit).then(|| format!("input {}: it ends by {:?}", input + 1, run.end))
        })
    }

    fn fault(&self, what: String, left: &[SourceText]) -> Fault {
        let mut shown = String::new();
        for (file, left) in self.program.files.iter().zip(left) {
            shown.push_str(&format!("--- {}\n", file.name));
            for (line, (text, left)) in (1..).zip(file.text.lines().zip(left.text.lines())) {
                let mark = if self.lines.contains(&(file.name.clone(), line)) {
                    '|'
                } else {
                    ' '
                };
                shown.push_str(&format!("{line:>4} {mark} {text:<60} // {}\n", left.trim()));
            }
        }
        Fault {
            program: self.program.name.clone(),
            criterion: self.criterion.clone(),
            what,
            shown,
        }
    }
}

/// The first few of a list.
fn few(values: &[i64]) -> String {
    let more = if values.len() > 8 { " …" } else { "" };
    format!("{:?}{more}", &values[..values.len().min(8)])
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} for {}: {}",
            self.program,
            self.criterion.place(),
            self.what
        )?;
        f.write_str(&self.shown)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_slice = |lines: usize| lines as f64 / self.slices.max(1) as f64;
        let Mutants {
            killed,
            survived,
            no_effect,
            not_compiled,
        } = self.mutants;
        let noticed = 100.0 * killed as f64 / (killed + survived).max(1) as f64;
        writeln!(f, "programs                      {:>7}", self.programs)?;
        writeln!(f, "slices                        {:>7}", self.slices)?;
        writeln!(f, "  unsound or refused          {:>7}", self.faults.len())?;
        writeln!(
            f,
            "mean slice, lines of code     {:>7.1}",
            per_slice(self.slice_lines)
        )?;
        writeln!(
            f,
            "mean program, lines of code   {:>7.1}",
            per_slice(self.code_lines)
        )?;
        writeln!(
            f,
            "slice of program              {:>6.0} %",
            100.0 * self.slice_lines as f64 / self.code_lines.max(1) as f64
        )?;
        writeln!(f, "one line less: noticed        {killed:>7}  ({noticed:.0} %)")?;
        writeln!(f, "  not noticed                 {survived:>7}")?;
        writeln!(f, "  changes no statement        {no_effect:>7}")?;
        writeln!(f, "  does not compile            {not_compiled:>7}")
    }
}
