//! Names of hosts, and lists of them that users write.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The name or the IPv4 address of a host: letters, digits, `.`, `-` and `_`, and no `-` or `.` at its start. So it is never an option of a program, nor more than one word to a shell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(String);

/// A text that is no name of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAHost(pub String);

impl fmt::Display for NotAHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no name of a host (letters, digits, '.', '-' and '_')",
            base::clean(&self.0)
        )
    }
}

impl std::error::Error for NotAHost {}

impl HostName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for HostName {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        // As long as names may be in the domain name system.
        const LONGEST: usize = 253;
        let may_be = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let is_name = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(may_be);
        if is_name && text.len() <= LONGEST {
            Ok(HostName(text.to_owned()))
        } else {
            Err(NotAHost(text.to_owned()))
        }
    }
}

/// A host that the user has listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedHost {
    /// Its name.
    pub host: HostName,
    /// Its processes; none where the ranks of the only job there are meant.
    pub pids: Vec<u32>,
}

/// What is wrong with a list of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostsError {
    /// The line, from 1; the number of lines where there is no host in them.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl fmt::Display for HostsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for HostsError {}

/// Reads a list of hosts, `host` or `host:pid[,pid…]` on each line; what follows a `#` is a comment. The lines of one host count as one.
///
/// # Errors
/// The first line that is none of these, or contradicts an earlier one; there is no host.
pub fn parse(text: &str) -> Result<Vec<ListedHost>, HostsError> {
    let mut hosts: Vec<ListedHost> = Vec::new();
    let mut places: BTreeMap<HostName, usize> = BTreeMap::new();
    let mut last = 1;
    for (line, content) in (1..).zip(text.lines()) {
        last = line;
        let content = content.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let wrong = |reason: String| HostsError { line, reason };
        let (host, pids) = match content.split_once(':') {
            Some((host, pids)) => (host, pids_of(pids).map_err(wrong)?),
            None => (content, Vec::new()),
        };
        let host: HostName = host
            .trim()
            .parse()
            .map_err(|error: NotAHost| wrong(error.to_string()))?;
        match places.get(&host).map(|&at| &mut hosts[at]) {
            Some(known) if known.pids.is_empty() == pids.is_empty() => known.pids.extend(pids),
            Some(_) => {
                return Err(wrong(format!("{host} is listed with pids and without")));
            }
            None => {
                places.insert(host.clone(), hosts.len());
                hosts.push(ListedHost { host, pids });
            }
        }
    }
    if hosts.is_empty() {
        return Err(HostsError {
            line: last,
            reason: "no host is listed, neither as 'host' nor as 'host:pid,pid'".to_owned(),
        });
    }
    Ok(hosts)
}

fn pids_of(text: &str) -> Result<Vec<u32>, String> {
    let pid = |word: &str| {
        let number = word.trim().parse().ok().filter(|&pid| pid > 0);
        number.ok_or_else(|| format!("'{}' is no pid", base::clean(word)))
    };
    text.split(',').map(pid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_or_ssh_would_take_for_more_is_no_name() {
        for good in ["node7", "node-7.cluster.example", "10.0.0.7", "gpu_01"] {
            assert_eq!(good.parse::<HostName>().unwrap().as_str(), good);
        }
        let long = "n".repeat(254);
        for bad in [
            "",
            "-oProxyCommand=id",
            ".",
            "a b",
            "a;id",
            "$(id)",
            "a\n",
            "é",
            "a@b",
            "a/b",
            &long,
        ] {
            assert!(bad.parse::<HostName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn hosts_with_pids_and_without() {
        let listed = parse("# the job\nnode1:12,13\n\nnode2 # all of it\nnode1: 14\n").unwrap();
        let read = Vec::from_iter(listed.iter().map(|each| (each.host.as_str(), &each.pids[..])));
        assert_eq!(read, [("node1", &[12, 13, 14][..]), ("node2", &[])]);
        for (text, line) in [
            ("", 1),
            ("# none\n\n", 2),
            ("a\nb:", 2),
            ("a:1,x", 1),
            ("a:0", 1),
            ("a\n-b", 2),
            ("a\na:1", 2),
            ("a:1:2", 1),
        ] {
            assert_eq!(parse(text).unwrap_err().line, line, "{text:?}");
        }
    }
}
