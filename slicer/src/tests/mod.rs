//! What is in the slices of small programs: one snippet for each dependence and for each refusal.
//!
//! Each line of an expectation is a statement of the slice, nearest first: its line, how far it is, why it is there, and of which
//! of the lines before. That leaving out the rest changes nothing is held against slices by `tests`, which executes
//! programs without it.

mod calls;
mod classes;
mod flow;
mod meeting;
mod members;
mod messages;
mod parted;
mod refusals;

use crate::{Graph, Options, Slice, SliceFrame};
use expect_test::Expect;
use frontend::{Macros, Source};
use std::fmt::Write as _;

/// Checks the slice of what is executed on the line with the mark `//<`, or of the variable that is named behind the mark.
fn check(text: &str, expect: Expect) {
    check_as("t.c", text, expect);
}

/// The same in C++.
fn check_cxx(text: &str, expect: Expect) {
    check_as("t.cc", text, expect);
}

fn check_as(path: &str, text: &str, expect: Expect) {
    let (line, variable) = mark(text);
    let slice = graph(path, text).slice_at(path, line, variable, Options::default());
    expect.assert_eq(&match slice {
        Ok(slice) => shown(&slice),
        Err(why) => why.to_string(),
    });
}

/// Checks the slice of a stack: functions and lines, outermost first, in a file `t.c`.
fn check_stack(text: &str, stack: &[(&str, u32)], expect: Expect) {
    check_frames(text, &frames(stack), expect);
}

fn check_frames(text: &str, frames: &[SliceFrame], expect: Expect) {
    let slice = graph("t.c", text).slice_stack(frames, Options::default());
    expect.assert_eq(&match slice {
        Ok(slice) => shown(&slice),
        Err(why) => why.to_string(),
    });
}

fn frames(stack: &[(&str, u32)]) -> Vec<SliceFrame> {
    let called = stack.iter().skip(1).map(|&(name, _)| Some(name));
    let frames = stack.iter().zip(called.chain([None]));
    let frames = frames.map(|(&(function, line), callee)| SliceFrame::on_line("t.c", function, line, callee));
    frames.collect()
}

fn graph(path: &str, text: &str) -> Graph {
    let source = Source {
        path,
        text: text.as_bytes(),
    };
    let macros = Macros::gather([source]);
    let mut units = [frontend::parse(&source, &macros)];
    frontend::add_defaults(&mut units);
    frontend::add_macros(&mut units, &macros);
    Graph::of_units(&units).expect("a snippet calls few functions")
}

fn mark(text: &str) -> (u32, Option<&str>) {
    let lines = (1..).zip(text.lines());
    let mut marks = lines.filter_map(|(line, text)| Some((line, text.split_once("//<")?.1.trim())));
    let (line, variable) = marks.next().expect("a snippet has a mark");
    (line, Some(variable).filter(|name| !name.is_empty()))
}

fn shown(slice: &Slice) -> String {
    let mut text = String::new();
    for each in &slice.statements {
        let _ = write!(
            text,
            "{} at {}: {:?}",
            each.line, each.distance, each.because.kind
        );
        if let Some(name) = &each.because.name {
            let _ = write!(text, " {name}");
        }
        if let Some(of) = each.because.of {
            let _ = write!(text, " of {}", slice.statements[of].line);
        }
        text.push_str(if each.elsewhere {
            ", in another task\n"
        } else {
            "\n"
        });
    }
    for (function, why) in &slice.in_part {
        let _ = writeln!(text, "{function} in part: {why}");
    }
    text
}
