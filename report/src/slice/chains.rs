//! The ways back from where a task stands, each on one line, nearest first.
//!
//! `MPI_Waitall(4, wait, …); main.c:10 (its request) <- MPI_Irecv(in, …); main.c:6 (its tag) <- d->tag = 7; setup.c:35`: what is left
//! of an arrow depends on what is right of it; the brackets say what that value means to the call. A way ends where no
//! statement that is shown leads any farther.

use super::{meaning, place};
use crate::clean;
use engine::{Slice, Statement};
use std::collections::BTreeSet;

/// So many ways are shown at most.
const MOST: usize = 8;

/// So many characters of a line.
const LONGEST: usize = 44;

/// The ways, as lines of text; `texts` has the line of each statement, if it could be read.
pub(super) fn chains(slice: &Slice, texts: &[Option<String>]) -> Vec<String> {
    let statements = slice.statements.iter();
    let used = statements.filter_map(|statement| statement.because.of);
    let used: BTreeSet<usize> = used.collect();
    let ends = (0..slice.statements.len()).filter(|at| !used.contains(at));
    let shown = ends.take(MOST).map(|end| {
        let mut way = vec![end];
        // Reasons stand before what they explain, so that this ends.
        while let Some(&last) = way.last()
            && let Some(of) = slice.statements[last].because.of.filter(|&of| of < last)
        {
            way.push(of);
        }
        way.reverse();
        let steps = way.iter().enumerate().map(|(number, &at)| {
            let text = texts.get(at).and_then(Option::as_deref);
            let step = step(&slice.statements[at], text);
            let next = way.get(number + 1).map(|&next| &slice.statements[next].because);
            match next.and_then(|because| because.role) {
                Some(role) => format!("{step} (its {})", meaning(role)),
                None => step,
            }
        });
        Vec::from_iter(steps).join(" <- ")
    });
    shown.collect()
}

/// One statement: what the line says, and where.
fn step(statement: &Statement, text: Option<&str>) -> String {
    let place = place(statement);
    let Some(text) = text else {
        return place;
    };
    let words = Vec::from_iter(text.split_whitespace()).join(" ");
    let text = match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", words[..end].trim_end()),
        None => words,
    };
    format!("{} {place}", clean(&text))
}
