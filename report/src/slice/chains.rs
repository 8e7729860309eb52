//! The ways back from where a task stands, each on one line, nearest first.
//!
//! `MPI_Waitall(4, wait, …); main.c:10 (its request) <- MPI_Irecv(in, …); main.c:6 (its tag) <- d->tag = 7; setup.c:35`: what is left
//! of an arrow depends on what is right of it; the brackets say what that value means to the call. A way ends where no
//! statement that is shown leads any farther. Each has the nearest statement that was on none before it, and at each fork goes to the nearest.
//! What a way has in common with the one above it is told by the place where they part: `… main.c:6 (its communicator) <- …`.

use super::{meaning, place};
use crate::clean;
use engine::{Slice, Statement};

/// So many ways are shown at most.
const MOST: usize = 8;

/// So many characters of a line.
const LONGEST: usize = 44;

/// The ways, as lines of text; `texts` has the line of each statement, if it could be read.
pub(super) fn chains(slice: &Slice, texts: &[Option<String>]) -> Vec<String> {
    let shown = ways(&Vec::from_iter(
        slice.statements.iter().map(|statement| statement.because.of),
    ));
    let above = std::iter::once(&[][..]).chain(shown.iter().map(Vec::as_slice));
    let shown = shown.iter().zip(above).map(|(way, above)| {
        let common = way.iter().zip(above).take_while(|(own, other)| own == other);
        let fork = common.count().saturating_sub(1);
        let steps = way.iter().enumerate().skip(fork).map(|(number, &at)| {
            // The line of the fork stands above.
            let is_told = above.contains(&at);
            let text = texts.get(at).and_then(Option::as_deref).filter(|_| !is_told);
            let step = step(&slice.statements[at], text);
            let next = way.get(number + 1).map(|&next| &slice.statements[next].because);
            match next.and_then(|because| because.role) {
                Some(role) => format!("{step} (its {})", meaning(role)),
                None => step,
            }
        });
        let steps = Vec::from_iter(steps).join(" <- ");
        match fork {
            0 => steps,
            _ => format!("… {steps}"),
        }
    });
    shown.collect()
}

/// The ways, as statements by number; `of` has for each the one that it matters for.
fn ways(of: &[Option<usize>]) -> Vec<Vec<usize>> {
    // Reasons stand before what they explain, so that this ends.
    let before = |at: usize| of[at].filter(|&before| before < at);
    let mut next = vec![None; of.len()];
    for at in (0..of.len()).rev() {
        if let Some(before) = before(at) {
            next[before] = Some(at);
        }
    }
    let mut is_shown = vec![false; of.len()];
    let mut ways = Vec::new();
    for at in 0..of.len() {
        if is_shown[at] || ways.len() == MOST {
            continue;
        }
        let mut way = Vec::from_iter(std::iter::successors(Some(at), |&at| before(at)));
        way.reverse();
        way.extend(std::iter::successors(next[at], |&at| next[at]));
        way.iter().for_each(|&at| is_shown[at] = true);
        ways.push(way);
    }
    ways
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_way_goes_to_the_nearest_at_each_fork() {
        // 0 is where the task stands; 1 and 4 matter to it, 2 and 3 to 1, 5 to 3, 6 to 4, 7 to 2; 8 stands alone.
        let of = [
            None,
            Some(0),
            Some(1),
            Some(1),
            Some(0),
            Some(3),
            Some(4),
            Some(2),
            None,
        ];
        let expected: [&[usize]; 4] = [&[0, 1, 2, 7], &[0, 1, 3, 5], &[0, 4, 6], &[8]];
        assert_eq!(ways(&of), expected);
        // Nothing matters for what stands behind it.
        assert_eq!(ways(&[Some(1), Some(1)]), [[0], [1]]);
        assert_eq!(ways(&vec![Some(0); 40]).len(), MOST);
    }
}
