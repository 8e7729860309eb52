//! A stack and the source at its end, as text.

use crate::call::arguments;
use crate::clean::{clean, source_line};
use crate::style::{DOUBT, FAINT, HINDMOST, TITLE, VALUE, paint};
use engine::{CallView, Excerpt, FrameView};
use std::fmt::Write as _;

/// How many frames of a stack are shown at either end.
const FRAMES_AT_END: usize = 20;

/// The frames of a class, with the values that order its loops.
///
/// `call` says what is known of the arguments of the call that the innermost frame of the program is in.
pub(crate) fn frames(out: &mut String, frames: &[FrameView], call: Option<&CallView>) -> std::fmt::Result {
    let entry = frames.iter().rposition(|frame| frame.in_map).map(|at| at + 1);
    let places: Vec<String> = frames.iter().map(frame_place).collect();
    let function_width = frames
        .iter()
        .map(|frame| frame.function.chars().count())
        .max()
        .unwrap_or(0)
        .min(32);
    let place_width = places
        .iter()
        .map(|place| place.chars().count())
        .max()
        .unwrap_or(0)
        .min(40);
    for (at, (frame, place)) in frames.iter().zip(&places).enumerate() {
        if at >= FRAMES_AT_END && at + FRAMES_AT_END < frames.len() {
            if at == FRAMES_AT_END {
                let hidden = frames.len() - 2 * FRAMES_AT_END;
                writeln!(out, "       … {hidden} frames …")?;
            }
            continue;
        }
        let values: Vec<String> = frame
            .values
            .iter()
            .map(|(name, value)| {
                let differs = if frame.differing.contains(name) {
                    " (differs by task)"
                } else {
                    ""
                };
                format!("{}{differs}", paint(VALUE, format!("{}={value}", clean(name))))
            })
            .chain(
                frame
                    .missing
                    .iter()
                    .map(|(name, reason)| paint(DOUBT, format!("{}: {}", clean(name), clean(reason)))),
            )
            .chain(frame.inlined.then(|| paint(FAINT, "inlined")))
            .chain(call.filter(|_| entry == Some(at)).and_then(given))
            .collect();
        let mut line = format!(
            "       {:function_width$}  {:place_width$}",
            clean(&frame.function),
            clean(place)
        );
        if !values.is_empty() {
            let _ = write!(line, "  {}", values.join("  "));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
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
