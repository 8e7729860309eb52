//! Names of hosts as batch systems write many of them: `node[01-03,7],login1`, as Slurm and Flux do (RFC 29 of Flux).
//!
//! What is in brackets is numbers and ranges of them, which keep the zeros that they begin with. A name may have several pairs of brackets (`rack[1-2]node[1-4]`): then it stands for all combinations, the last one changing first.

use crate::hosts::{HostName, NotAHost};
use base::clean;
use std::fmt;

/// No job has more hosts. A range is written in a few characters, and could stand for any number of names.
const MOST: usize = 1 << 17;

/// Why a text is no list of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAList {
    /// A bracket is not closed, was not opened, or is within another.
    Brackets(String),
    /// What is in brackets is no number and no range.
    Range(String),
    /// It stands for more hosts than any job has.
    TooMany,
    /// A name in it cannot be used.
    Name(NotAHost),
}

impl fmt::Display for NotAList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAList::Brackets(text) => write!(f, "the brackets in '{}' do not fit", clean(text)),
            NotAList::Range(text) => write!(f, "'{}' is no range of numbers", clean(text)),
            NotAList::TooMany => write!(f, "more than {MOST} hosts"),
            NotAList::Name(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotAList {}

/// The names that a list stands for, in its order.
///
/// # Errors
/// It is none, or one of them is no name of a host.
pub fn expand(list: &str) -> Result<Vec<HostName>, NotAList> {
    let mut names = Vec::new();
    for part in parts(list)? {
        let mut all = vec![String::new()];
        for piece in pieces(part)? {
            let choices = match piece {
                Piece::Text(text) => vec![text.to_owned()],
                Piece::Numbers(numbers) => numbers_of(numbers, MOST)?,
            };
            if all.len().saturating_mul(choices.len()) + names.len() > MOST {
                return Err(NotAList::TooMany);
            }
            let with =
                |begun: &String| Vec::from_iter(choices.iter().map(|choice| format!("{begun}{choice}")));
            all = all.iter().flat_map(with).collect();
        }
        for name in all {
            names.push(name.parse().map_err(NotAList::Name)?);
        }
    }
    Ok(names)
}

/// The parts between commas that are not in brackets, without empty ones.
fn parts(list: &str) -> Result<Vec<&str>, NotAList> {
    let (mut parts, mut begun, mut is_inside) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices() {
        match (c, is_inside) {
            ('[', false) => is_inside = true,
            (']', true) => is_inside = false,
            ('[', true) | (']', false) => return Err(NotAList::Brackets(list.to_owned())),
            (',', false) => {
                parts.push(&list[begun..at]);
                begun = at + 1;
            }
            _ => {}
        }
    }
    if is_inside {
        return Err(NotAList::Brackets(list.to_owned()));
    }
    parts.push(&list[begun..]);
    Ok(parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect())
}

enum Piece<'a> {
    Text(&'a str),
    /// What is between brackets.
    Numbers(&'a str),
}

/// The pieces of a part, whose brackets fit.
fn pieces(part: &str) -> Result<Vec<Piece<'_>>, NotAList> {
    let mut pieces = Vec::new();
    let mut rest = part;
    while let Some((before, behind)) = rest.split_once('[') {
        let brackets = || NotAList::Brackets(part.to_owned());
        let (numbers, behind) = behind.split_once(']').ok_or_else(brackets)?;
        pieces.extend([Piece::Text(before), Piece::Numbers(numbers)]);
        rest = behind;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// The numbers in brackets, as they are written in names.
fn numbers_of(text: &str, most: usize) -> Result<Vec<String>, NotAList> {
    let mut numbers = Vec::new();
    for range in text.split(',') {
        let wrong = || NotAList::Range(range.to_owned());
        let number = |digits: &str| {
            let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            are_digits
                .then(|| digits.parse::<u32>().ok())
                .flatten()
                .ok_or_else(wrong)
        };
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (from, to) = (number(first)?, number(last)?);
        if from > to {
            return Err(wrong());
        }
        if (to - from) as usize >= most - numbers.len().min(most) {
            return Err(NotAList::TooMany);
        }
        let width = first.len();
        numbers.extend((from..=to).map(|number| format!("{number:0width$}")));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> Vec<String> {
        let names = expand(list).unwrap_or_else(|error| panic!("{list}: {error}"));
        names.iter().map(HostName::to_string).collect()
    }

    #[test]
    fn lists_as_slurm_and_flux_write_them() {
        for (list, expected) in [
            ("", vec![]),
            ("node1", vec!["node1"]),
            (
                "node[01-03,7],login1",
                vec!["node01", "node02", "node03", "node7", "login1"],
            ),
            ("n[9-11]-ib", vec!["n9-ib", "n10-ib", "n11-ib"]),
            ("n[099-101]", vec!["n099", "n100", "n101"]),
            ("r[1-2]n[1-2]", vec!["r1n1", "r1n2", "r2n1", "r2n2"]),
            ("b[1],a[1],b[1]", vec!["b1", "a1", "b1"]),
        ] {
            assert_eq!(names(list), expected, "{list}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused_before_it_becomes_large() {
        for bad in [
            "n[1-",
            "n]1[",
            "n[[1]]",
            "n[]",
            "n[2-1]",
            "n[a-b]",
            "n[1-2-3]",
            "n[1,]",
            "-x",
            "a b",
            "n[1]$(id)",
            "n[+1]",
            "n[99999999999]",
        ] {
            assert!(expand(bad).is_err(), "{bad}");
        }
        for large in [
            "n[0-4294967295]",
            "n[0-999]x[0-999]",
            "n[0-100000],n[0-100000]",
            "n[0-70000,0-70000]",
        ] {
            assert_eq!(expand(large), Err(NotAList::TooMany), "{large}");
        }
    }

    /// Every list that is made of names stands for them: against what is told name by name.
    #[test]
    fn written_out_or_not_it_is_the_same() {
        for (from, to, width) in [(0, 12, 1), (7, 104, 2), (98, 1002, 4)] {
            let one_by_one = Vec::from_iter((from..=to).map(|number| format!("x{number:0width$}y")));
            let list = format!("x[{from:0width$}-{to}]y");
            assert_eq!(names(&list), one_by_one);
            assert_eq!(names(&one_by_one.join(",")), one_by_one);
        }
    }
}
