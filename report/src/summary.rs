//! A map in figures, as text.

use crate::clean::clean;
use crate::style::{DOUBT, TITLE, paint};
use crate::text::counted;
use engine::{BindingFacts, Summary};
use std::fmt::Write as _;

/// How many loops, functions and messages are listed before the rest is only counted.
const LISTED: usize = 20;

/// The summary as text, ending with a newline.
pub fn summary_text(summary: &Summary) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_summary(&mut out, summary);
    out
}

fn write_summary(out: &mut String, summary: &Summary) -> std::fmt::Result {
    writeln!(
        out,
        "{}, {} ({} in part, {} after a repair), {}, {}",
        counted(summary.files, "file", "files"),
        counted(summary.functions, "function", "functions"),
        summary.partial.len(),
        summary.repaired,
        counted(summary.points, "program point", "program points"),
        counted(summary.loops, "loop", "loops"),
    )?;
    if summary.loops > 0 {
        writeln!(
            out,
            "{} of {} loops ({}) have a variable that orders them across tasks:",
            summary.ordered_loops(),
            summary.loops,
            percent(summary.ordered_loops(), summary.loops)
        )?;
    }
    for share in &summary.shares {
        writeln!(
            out,
            "  {:>5}  {:>5}  {}, {}",
            share.loops,
            percent(share.loops, summary.loops),
            share.class,
            share.across
        )?;
    }
    let unordered = summary
        .unordered
        .iter()
        .map(|of| format!("{} in {}: {}", of.place, of.function, of.reason));
    list(out, "Loops that nothing orders across tasks:", unordered)?;
    let partial = summary
        .partial
        .iter()
        .map(|of| format!("{} {}: {}", of.place, of.function, of.reason));
    list(
        out,
        "Functions understood in part, in which nothing is ordered:",
        partial,
    )?;
    list(
        out,
        "What the map could not take in:",
        summary.diagnostics.iter().cloned(),
    )?;
    match &summary.binding {
        None => writeln!(
            out,
            "\nNot bound to an executable: made without --exe, so it serves recorded stacks; a live job binds it on \
             the fly"
        ),
        Some(binding) => binding_text(out, binding),
    }
}

fn binding_text(out: &mut String, binding: &BindingFacts) -> std::fmt::Result {
    writeln!(
        out,
        "\n{}",
        paint(TITLE, format!("Bound to {}", clean(&binding.executable)))
    )?;
    let build_id = if binding.build_id.is_empty() {
        "none"
    } else {
        &binding.build_id
    };
    writeln!(out, "  build-id {build_id}")?;
    if !binding.producer.is_empty() {
        writeln!(out, "  built by {}", clean(&binding.producer))?;
    }
    writeln!(
        out,
        "  {} line rows, {} of {} function ranges in the map, {} inlined calls, {} of {} variable instances located",
        binding.rows,
        binding.functions.0,
        binding.functions.1,
        binding.inlines,
        binding.variables.0,
        binding.variables.1
    )
}

fn list(out: &mut String, title: &str, items: impl ExactSizeIterator<Item = String>) -> std::fmt::Result {
    if items.len() == 0 {
        return Ok(());
    }
    let more = items.len().saturating_sub(LISTED);
    writeln!(out, "\n{}", paint(DOUBT, title))?;
    for item in items.take(LISTED) {
        writeln!(out, "  {}", clean(&item))?;
    }
    if more > 0 {
        writeln!(out, "  and {more} more")?;
    }
    Ok(())
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    // Never rounded up to 100: that would hide the loops that are listed below.
    format!("{} %", part * 100 / whole)
}
