//! A stack and the source at its end, as text.

use crate::call::arguments;
use crate::clean::{clean, source_line};
use crate::names::Names;
use crate::recursion::{Rounds, rounds};
use crate::style::{DOUBT, FAINT, HINDMOST, TITLE, VALUE, paint};
use engine::{CallView, Excerpt, FrameView};
use std::fmt::Write as _;

/// How many lines of a stack are shown at either end.
const LINES_AT_END: usize = 20;

/// The frames of a class, with the values that order its loops.
///
/// `call` says what is known of the arguments of the call that the innermost frame of the program is in. Calls that call themselves take one
/// line for all rounds, so that the innermost frame is always shown.
pub(crate) fn frames(
    out: &mut String,
    frames: &[FrameView],
    call: Option<&CallView>,
    names: Names,
) -> std::fmt::Result {
    let entry = frames.iter().rposition(|frame| frame.in_map).map(|at| at + 1);
    let lines = lines(frames);
    let functions = Vec::from_iter(lines.iter().map(|line| {
        let frame = &frames[line.at];
        clean(&names.of(&frame.function, frame.qualified.as_deref())).into_owned()
    }));
    let places = Vec::from_iter(lines.iter().map(|line| clean(&line.place(frames)).into_owned()));
    let widest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let function_width = widest(&functions).min(48);
    let place_width = widest(&places).min(40);
    for (number, ((line, function), place)) in lines.iter().zip(&functions).zip(&places).enumerate() {
        if number >= LINES_AT_END && number + LINES_AT_END < lines.len() {
            if number == LINES_AT_END {
                let last = &lines[lines.len() - LINES_AT_END];
                writeln!(out, "       … {} frames …", last.at - line.at)?;
            }
            continue;
        }
        let mut text = format!("       {function:function_width$}  {place:place_width$}");
        let mut values = line.values(frames);
        values.extend(call.filter(|_| entry == Some(line.at)).and_then(given));
        if !values.is_empty() {
            let _ = write!(text, "  {}", values.join("  "));
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

/// A line of a stack: a frame, or those of all rounds that stand where it does.
struct StackLine {
    at: usize,
    rounds: Option<Rounds>,
}

/// The lines of a stack. The last round of what calls itself stands by itself: it made the call that the frames below are of.
fn lines(frames: &[FrameView]) -> Vec<StackLine> {
    let same = |a: usize, b: usize| {
        let [a, b] = [a, b].map(|at| &frames[at]);
        (&a.function, &a.file, &a.module, &a.qualified) == (&b.function, &b.file, &b.module, &b.qualified)
    };
    let mut lines = Vec::new();
    let mut at = 0;
    for mut rounds in rounds(frames.len(), &same) {
        rounds.times -= 1;
        let single = |at| StackLine { at, rounds: None };
        lines.extend((at..rounds.start).map(single));
        lines.extend((rounds.start..rounds.start + rounds.calls).map(|at| StackLine {
            at,
            rounds: Some(rounds),
        }));
        at = rounds.end();
    }
    lines.extend((at..frames.len()).map(|at| StackLine { at, rounds: None }));
    lines
}

impl StackLine {
    /// The frames that it stands for.
    fn frames(&self) -> impl Iterator<Item = usize> {
        let all = self.rounds.map(|rounds| rounds.alike(self.at));
        let alone = self.rounds.is_none().then_some(self.at);
        all.into_iter().flatten().chain(alone)
    }

    /// Where they are; of several lines the first and the last.
    fn place(&self, frames: &[FrameView]) -> String {
        let mut place = frame_place(&frames[self.at]);
        let lines = Vec::from_iter(self.frames().filter_map(|at| frames[at].line));
        if let (Some(first), Some(last)) = (lines.iter().min(), lines.iter().max())
            && first != last
            && let Some(file) = &frames[self.at].short_file
        {
            place = format!("{file}:{first}-{last}");
        }
        place
    }

    fn values(&self, frames: &[FrameView]) -> Vec<String> {
        let frame = &frames[self.at];
        let last = self.frames().last().map_or(frame, |at| &frames[at]);
        let mut shown = Vec::new();
        for (name, value) in &frame.values {
            let differs = if frame.differing.contains(name) {
                " (differs by task)"
            } else {
                ""
            };
            let end = last.values.iter().find(|(other, _)| other == name);
            let end = match end {
                Some((_, end)) if end != value => format!(" … {end}"),
                _ => String::new(),
            };
            shown.push(format!(
                "{}{differs}",
                paint(VALUE, format!("{}={value}{end}", clean(name)))
            ));
        }
        let missing = frame.missing.iter();
        shown.extend(
            missing.map(|(name, reason)| paint(DOUBT, format!("{}: {}", clean(name), clean(reason)))),
        );
        shown.extend(frame.inlined.then(|| paint(FAINT, "inlined")));
        shown.extend(self.rounds.map(|rounds| {
            let others = match rounds.calls {
                1 => String::new(),
                calls => format!(", {calls} in turn"),
            };
            paint(FAINT, format!("×{}{others}", rounds.times))
        }));
        shown
    }
}

fn given(call: &CallView) -> Option<String> {
    let given = arguments(call);
    (!given.is_empty()).then(|| paint(VALUE, clean(given.trim_start())))
}

fn frame_place(frame: &FrameView) -> String {
    match (&frame.short_file, frame.line, &frame.module) {
        (Some(file), Some(line), _) => format!("{file}:{line}"),
        (_, _, Some(module)) => format!("({module})"),
        (Some(file), None, None) => file.clone(),
        (None, ..) => String::new(),
    }
}

/// Source lines around a position, with a marker.
pub(crate) fn source(out: &mut String, excerpt: &Excerpt) -> std::fmt::Result {
    writeln!(
        out,
        "\n{}",
        paint(TITLE, format!("{}:{}", clean(&excerpt.path), excerpt.line))
    )?;
    let width = excerpt
        .lines
        .last()
        .map_or(1, |(number, _)| number.to_string().len());
    for (number, text) in &excerpt.lines {
        let text = source_line(text);
        if *number == excerpt.line {
            writeln!(out, "{}", paint(HINDMOST, format!("> {number:width$} | {text}")))?;
        } else {
            let line = format!("  {} {text}", paint(FAINT, format!("{number:width$} |")));
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}
