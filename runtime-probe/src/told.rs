//! What the processes of a job carry in their environment of the batch system that runs it.

use crate::procfs;

/// Whoever has more of it than this in one variable tells nothing: a hundred thousand hosts, written out.
const LONGEST: usize = 1 << 20;

/// The value that a variable has in the environment of each of these processes, as it was when they were started; `None` where one has none, or another. What it says is theirs: it is to be checked before it is used.
pub fn common_variable(pids: &[u32], name: &str) -> Option<String> {
    let mut common: Option<String> = None;
    for &pid in pids {
        let environment = procfs::environment(pid).ok()?;
        let value = variable(&environment, name)?;
        match &common {
            Some(other) if *other != value => return None,
            Some(_) => {}
            None => common = Some(value),
        }
    }
    common
}

/// The value of a variable, if it is text that is neither empty nor endless.
pub(crate) fn variable(environment: &[u8], name: &str) -> Option<String> {
    let mut entries = environment.split(|&byte| byte == 0);
    let value = entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    let is_told = (1..=LONGEST).contains(&value.len());
    is_told.then(|| String::from_utf8(value.to_vec()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_its_value_and_no_other() {
        let long = format!("LONG={}", "x".repeat(LONGEST + 1));
        let environment = [
            b"XJOB=1\0JOBS=2\0JOB=3=4\0EMPTY=\0ODD=\xff\0".as_slice(),
            long.as_bytes(),
        ]
        .concat();
        assert_eq!(variable(&environment, "JOB").as_deref(), Some("3=4"));
        for name in ["EMPTY", "ODD", "LONG", "NONE"] {
            assert_eq!(variable(&environment, name), None, "{name}");
        }
    }

    #[test]
    fn all_have_it_or_none_has() {
        let own = std::process::id();
        assert!(common_variable(&[own, own], "PATH").is_some());
        assert_eq!(common_variable(&[own, 0x7fff_fff0], "PATH"), None);
        assert_eq!(common_variable(&[], "PATH"), None);
    }
}
