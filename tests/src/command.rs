//! What the command lines of the fuzzers have in common.

use std::ops::Range;
use std::process::ExitCode;

/// A range of seeds, `0..100`; or what is wrong with it, and how the command is used.
pub fn seeds(text: &str, usage: &str) -> Result<Range<u64>, String> {
    let bad = || format!("'{text}' is no range such as 0..100\n{usage}");
    let (first, last) = text.split_once("..").ok_or_else(bad)?;
    Ok(first.parse().map_err(|_| bad())?..last.parse().map_err(|_| bad())?)
}

/// How the command `name` ends: 0 when nothing is wrong, 1 when something is, 2 with the reason when it could not tell.
pub fn end(name: &str, nothing_is_wrong: Result<bool, String>) -> ExitCode {
    match nothing_is_wrong {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(reason) => {
            eprintln!("{name}: {reason}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_seeds() {
        assert_eq!(seeds("3..17", ""), Ok(3..17));
        for wrong in ["", "3", "3..", "..4", "a..b", "3-5"] {
            let why = seeds(wrong, "usage").unwrap_err();
            assert_eq!(why, format!("'{wrong}' is no range such as 0..100\nusage"));
        }
    }
}
