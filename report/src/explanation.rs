//! The proof for two tasks, as text.

use crate::clean::{clean, source_line};
use crate::style::{DOUBT, FAINT, TITLE, VALUE, paint};
use engine::{Explanation, Relation, Side};
use std::fmt::Write as _;

/// The proof as text, ending with a newline.
pub fn explanation_text(explanation: &Explanation) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_explanation(&mut out, explanation);
    out
}

fn write_explanation(out: &mut String, proof: &Explanation) -> std::fmt::Result {
    let (a, b) = (name(&proof.a), name(&proof.b));
    let relation = match proof.relation {
        Relation::Before => "is behind",
        Relation::After => "is ahead of",
        Relation::Equal => "is at the same point as",
        Relation::Incomparable => "has no order against",
        Relation::Unknown => "has an unknown order against",
    };
    writeln!(
        out,
        "{}: {}",
        paint(TITLE, format!("{a} {relation} {b}")),
        clean(&proof.reason)
    )?;
    if let Some(assumption) = &proof.assumption {
        writeln!(out, "  {}", clean(assumption))?;
    }
    if let Some(advice) = &proof.advice {
        writeln!(
            out,
            "  {} {}",
            paint(DOUBT, "to decide it:"),
            clean(&advice.to_string())
        )?;
    }
    if let Some(function) = &proof.function {
        writeln!(
            out,
            "  decided in {}, frame {} of the program",
            clean(function),
            proof.depth + 1
        )?;
    }
    write_loops(out, proof)?;
    write_side(out, &proof.a)?;
    write_side(out, &proof.b)
}

/// How a side is called.
fn name(side: &Side) -> String {
    clean(&side.who.to_string()).into_owned()
}

/// The loops around both, whose iterations are the same or decide.
fn write_loops(out: &mut String, proof: &Explanation) -> std::fmt::Result {
    for (shared, word) in proof
        .shared_loops
        .iter()
        .map(|shared| (shared, "same iteration of"))
        .chain(
            proof
                .deciding_loop
                .iter()
                .map(|shared| (shared, "different iterations of")),
        )
    {
        writeln!(
            out,
            "  {word} the loop at {} in {}: {}",
            clean(&shared.place),
            clean(&shared.function),
            paint(
                VALUE,
                format!("{0}={1} and {0}={2}", clean(&shared.variable), shared.a, shared.b)
            )
        )?;
    }
    Ok(())
}

/// Where one of the two is, with its values and its line.
fn write_side(out: &mut String, side: &Side) -> std::fmt::Result {
    write!(out, "  {}", name(side))?;
    if let Some(frame) = &side.frame {
        write!(out, " in {}", clean(frame))?;
    }
    if let Some(source) = &side.source {
        write!(out, " at {}:{}", clean(&source.short_path), source.line)?;
    }
    for (at, (variable, value)) in side.values.iter().enumerate() {
        let before = if at == 0 { ": " } else { ", " };
        write!(
            out,
            "{before}{}",
            paint(VALUE, format!("{}={value}", clean(variable)))
        )?;
    }
    writeln!(out)?;
    let text = side
        .source
        .as_ref()
        .and_then(|source| source.lines.iter().find(|(number, _)| *number == source.line));
    if let Some((number, text)) = text {
        let text = source_line(text);
        writeln!(
            out,
            "    {} {}",
            paint(FAINT, format!("{number} |")),
            text.trim_start()
        )?;
    }
    Ok(())
}
