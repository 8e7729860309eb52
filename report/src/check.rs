//! What a build keeps of the loops' order variables, for people: the figure first, then the loops that lose them and what helps.

use crate::clean::{clean, clean_field};
use crate::text::counted;
use engine::{Check, CheckedLoop, LoopState};
use std::fmt::Write as _;

/// A check as text.
pub fn check_text(check: &Check, program: &str) -> String {
    let (all, kept) = (check.with_variables(), check.count(LoopState::Kept));
    let mut out = String::new();
    let percent = |part: usize, whole: usize| match whole {
        0 => String::new(),
        _ => format!(" ({:.1} %)", 100.0 * part as f64 / whole as f64),
    };
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "{}: {kept} of {} with calls {} a readable order variable at every call{}; at {} of {} inside them{}",
        clean_field(program),
        counted(all, "loop", "loops"),
        if kept == 1 { "keeps" } else { "keep" },
        percent(kept, all),
        check.readable,
        counted(check.pairs, "call", "calls"),
        percent(check.readable, check.pairs),
    );
    if check.blocking() > 0 {
        let _ = writeln!(
            out,
            "{} an answer where a task hangs in them: {} a variable at some call, {} none in the source",
            match check.blocking() {
                1 => "1 loop can block".to_owned(),
                blocking => format!("{blocking} loops can block"),
            },
            verb(
                check.count(LoopState::Lost) + check.count(LoopState::Partly),
                "loses",
                "lose"
            ),
            verb(check.count(LoopState::Unordered), "has", "have"),
        );
    }
    for state in [LoopState::Lost, LoopState::Partly, LoopState::Unordered] {
        for each in check.loops.iter().filter(|each| each.state == state) {
            let _ = writeln!(out, "{}", line(each));
        }
    }
    out
}

/// The loops that a build has lost since an earlier one, whose check stands in the file `since`, as lines.
pub fn lost_lines(lost: &[&CheckedLoop], since: &str) -> Vec<String> {
    let head = match lost.len() {
        0 => "every loop that kept a variable keeps one".to_owned(),
        1 => "1 loop kept a variable at every call, and no longer does".to_owned(),
        count => format!("{count} loops kept a variable at every call, and no longer do"),
    };
    let head = format!("since {}: {head}", clean_field(since));
    std::iter::once(head)
        .chain(lost.iter().map(|each| line(each)))
        .collect()
}

fn verb(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn line(each: &CheckedLoop) -> String {
    format!("{}:{}: {}", clean(&each.file), each.line, what_becomes_of(each))
}

/// What a build does to the variables of a loop, and what helps.
pub(crate) fn what_becomes_of(each: &CheckedLoop) -> String {
    let looped = format!("{} in {}", each.statement, clean(&each.function));
    let names = each.variables.iter().map(|name| format!("'{}'", clean(name)));
    let names = Vec::from_iter(names).join(", ");
    let dark = each
        .calls
        .iter()
        .filter(|call| call.readable < call.sites)
        .map(|call| call.line.to_string());
    let dark = Vec::from_iter(dark).join(", ");
    match each.state {
        LoopState::Lost => format!("{looped} loses {names}: {}", advice(each)),
        LoopState::Partly => format!("{looped} loses {names} at calls on line {dark}: {}", advice(each)),
        _ => format!("{looped} has no order variable in the source: {}", advice(each)),
    }
}

/// What helps, as a command or a flag.
pub(crate) fn advice(each: &CheckedLoop) -> String {
    let place = format!("{}:{}", each.file, each.line);
    let counter = if each.can_be_counted {
        format!("hindmost counters {}", clean(&base::shell_word(&place)))
    } else {
        "give it a volatile variable that every iteration increments by one".to_owned()
    };
    match each.state {
        LoopState::Kept => String::new(),
        LoopState::Lost | LoopState::Partly if each.optimised => {
            let dark = |call: &engine::CheckedCall| call.sites - call.readable;
            let all_unsafe = each.calls.iter().all(|call| dark(call) == call.unsafe_register);
            if all_unsafe {
                return format!(
                    "it is in a register that calls may overwrite: build this file with gcc -fno-ipa-ra, or {counter}"
                );
            }
            format!("build this file with gcc -Og, or {counter}")
        }
        _ => counter,
    }
}
