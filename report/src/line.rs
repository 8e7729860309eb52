//! What a map knows about one source line, as text.

use crate::clean::clean;
use crate::style::{DOUBT, FAINT, TITLE, VALUE, paint};
use base::Confidence;
use engine::{FunctionLine, LineView, LoopView, LovView, PointView, Token, TupleView};
use std::fmt::Write as _;

/// The line as text, ending with a newline.
pub fn line_text(view: &LineView) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_line(&mut out, view);
    out
}

fn write_line(out: &mut String, view: &LineView) -> std::fmt::Result {
    let place = format!("{}:{}", clean(&view.short_path), view.line);
    for function in &view.functions {
        for tuple in &function.tuples {
            writeln!(out, "{}  {}", paint(TITLE, &place), paint(VALUE, &tuple.tuple))?;
            iterations(out, function, tuple)?;
            for point in &tuple.points {
                writeln!(out, "  {}", point_text(point))?;
            }
        }
        writeln!(
            out,
            "in {} ({}:{}-{})",
            clean(&function.name),
            clean(&view.path),
            function.lines.0,
            function.lines.1
        )?;
        let reason = function
            .confidence_reason
            .as_deref()
            .unwrap_or("no reason recorded");
        match function.confidence {
            Confidence::Clean => {
                if let Some(reason) = &function.confidence_reason {
                    writeln!(out, "  understood {}", clean(reason))?;
                }
            }
            Confidence::Repaired => writeln!(out, "  understood after a repair: {}", clean(reason))?,
            Confidence::Partial => writeln!(
                out,
                "  {} {}",
                paint(DOUBT, "understood in part, so nothing in it is ordered:"),
                clean(reason)
            )?,
        }
        if !function.loops.is_empty() {
            writeln!(out, "loops around it, outermost first:")?;
        }
        for around in &function.loops {
            loop_text(out, &view.short_path, around)?;
        }
    }
    match &view.nearest[..] {
        [] => Ok(()),
        lines => {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            writeln!(
                out,
                "{}",
                paint(
                    DOUBT,
                    format!(
                        "no program point at {place}; the nearest are on: {}",
                        lines.join(", ")
                    )
                )
            )
        }
    }
}

/// What each `$iter` of a tuple stands for.
fn iterations(out: &mut String, function: &FunctionLine, tuple: &TupleView) -> std::fmt::Result {
    for token in &tuple.tuple.0 {
        let Token::Iteration(id) = token else { continue };
        let Some(of) = function.loops.iter().find(|around| around.id == *id) else {
            continue;
        };
        match of.lovs.first() {
            Some(lov) => writeln!(out, "  $iter of line {}: {}", of.line, clean(&lov.name))?,
            None => writeln!(out, "  $iter of line {}: {}", of.line, paint(DOUBT, "no LOV"))?,
        }
    }
    Ok(())
}

fn point_text(point: &PointView) -> String {
    let callee = point
        .callee
        .as_ref()
        .map(|callee| format!(" {}", clean(callee)))
        .unwrap_or_default();
    let span = point.span;
    let place = format!(
        "{}:{}-{}:{}",
        span.line, span.column, span.end_line, span.end_column
    );
    format!(
        "point {:?}: {}{callee} {}",
        point.id,
        point.kind,
        paint(FAINT, place)
    )
}

fn loop_text(out: &mut String, file: &str, around: &LoopView) -> std::fmt::Result {
    writeln!(
        out,
        "  {} at {}:{}",
        paint(TITLE, around.statement),
        clean(file),
        around.line
    )?;
    if !around.reducible {
        writeln!(
            out,
            "    {}",
            paint(
                DOUBT,
                "entered by a jump into its middle: nothing in it is ordered"
            )
        )?;
    }
    if around.lovs.is_empty() {
        writeln!(out, "    {}", paint(DOUBT, "no LOV"))?;
    }
    for lov in &around.lovs {
        lov_text(out, lov)?;
    }
    for refused in &around.refused {
        writeln!(
            out,
            "    {} {}",
            paint(FAINT, format!("refused {}:", clean(&refused.name))),
            clean(&refused.why.to_string())
        )?;
    }
    Ok(())
}

fn lov_text(out: &mut String, lov: &LovView) -> std::fmt::Result {
    write!(
        out,
        "    LOV {}: {}, {}, {}; {} ({})",
        paint(VALUE, clean(&lov.name)),
        lov.class,
        lov.direction,
        lov.growth,
        lov.across,
        lov.assumption
    )?;
    if let Some(start) = &lov.start {
        write!(out, "; starts at {}", clean(start))?;
    }
    if let Some(step) = &lov.step {
        write!(out, "; step {}", clean(step))?;
    }
    let lines: Vec<String> = lov.updated_at.iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "; updated on line {}; cut at the {}",
        lines.join(", "),
        lov.cut
    )?;
    writeln!(out, "      accepted because: {}", clean(&lov.because))
}
