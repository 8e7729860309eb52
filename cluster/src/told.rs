//! The hosts of a job as what runs it tells its ranks: in a variable of their environment, in a file that one names, or among the arguments of the daemon that has started them.
//!
//! What is told is the hosts of the whole allocation. Some of them may have no rank.

use crate::hostlist::{NotAList, expand};
use crate::hosts::HostName;
use std::collections::BTreeSet;

/// How hosts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// As a list ([`expand`]).
    List,
    /// By words, each host followed by how many places it has.
    Counted,
    /// In a file of this name, one a line, perhaps with something behind it.
    InFile,
}

/// The variables that name hosts, those of the batch system before those that a user sets: by Slurm, LSF, PBS, Grid Engine, OAR and Cobalt, and what Hydra reads.
pub const VARIABLES: [(&str, Written); 8] = [
    ("SLURM_JOB_NODELIST", Written::List),
    ("LSB_MCPU_HOSTS", Written::Counted),
    ("LSB_DJOB_HOSTFILE", Written::InFile),
    ("PBS_NODEFILE", Written::InFile),
    ("PE_HOSTFILE", Written::InFile),
    ("OAR_NODEFILE", Written::InFile),
    ("COBALT_NODEFILE", Written::InFile),
    ("HYDRA_HOST_FILE", Written::InFile),
];

/// The hosts in what was told, each once; of a file, in its text.
///
/// # Errors
/// It is not written so.
pub fn told_hosts(written: Written, text: &str) -> Result<Vec<HostName>, NotAList> {
    let names = match written {
        Written::List => expand(text)?,
        Written::Counted => parsed(text.split_whitespace().step_by(2))?,
        Written::InFile => {
            let lines = text
                .lines()
                .map(|line| line.split('#').next().unwrap_or_default());
            let first = lines.filter_map(|line| line.split_whitespace().next());
            parsed(first.map(|word| word.split(':').next().unwrap_or_default()))?
        }
    };
    Ok(each_once(names))
}

fn parsed<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<HostName>, NotAList> {
    names.map(|name| name.parse().map_err(NotAList::Name)).collect()
}

fn each_once(names: Vec<HostName>) -> Vec<HostName> {
    let mut seen = BTreeSet::new();
    names
        .into_iter()
        .filter(|name| seen.insert(name.clone()))
        .collect()
}

/// The hosts in what Open MPI 4 tells its daemons (`orte_node_regex`): names, of which `node[2:1-3,7]` stands for several whose number has two digits, and behind an `@` what runs there.
///
/// # Errors
/// It is not written so.
pub fn hosts_of_orte(text: &str) -> Result<Vec<HostName>, NotAList> {
    let names = text.split('@').next().unwrap_or_default();
    let mut list = String::new();
    let mut rest = names;
    while let Some((before, behind)) = rest.split_once('[') {
        let wrong = || NotAList::Brackets(names.to_owned());
        let (numbers, behind) = behind.split_once(']').ok_or_else(wrong)?;
        let (digits, ranges) = numbers.split_once(':').ok_or_else(wrong)?;
        let width = digits.parse::<usize>().ok().filter(|&width| width <= 10);
        let width = width.ok_or_else(wrong)?;
        let filled = |range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            format!("{first:0>width$}-{last}")
        };
        let ranges = Vec::from_iter(ranges.split(',').map(filled)).join(",");
        list.push_str(&format!("{before}[{ranges}]"));
        rest = behind;
    }
    list.push_str(rest);
    Ok(each_once(expand(&list)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(hosts: Result<Vec<HostName>, NotAList>) -> String {
        let hosts = hosts.map(|hosts| Vec::from_iter(hosts.iter().map(HostName::to_string)).join(" "));
        hosts.unwrap_or_else(|error| format!("error: {error}"))
    }

    /// As the manuals of the batch systems have them.
    #[test]
    fn each_batch_system_tells_hosts_its_way() {
        for (written, text, expected) in [
            (Written::List, "n[1-2],n1", "n1 n2"),
            (Written::Counted, "hostA 5 hostB 8", "hostA hostB"),
            (Written::InFile, "n1\nn1\nn2\n\n", "n1 n2"),
            (
                Written::InFile,
                "n1.x 8 all.q@n1 UNDEFINED\nn2.x 8 all.q@n2 UNDEFINED\n",
                "n1.x n2.x",
            ),
            (Written::InFile, "# ours\nn1:4 binding=user:0\nn2:4\n", "n1 n2"),
            (
                Written::Counted,
                "hostA 5 -oProxyCommand=id 8",
                "error: '-oProxyCommand=id' is no name of a host (letters, digits, '.', '-' and '_')",
            ),
        ] {
            assert_eq!(names(told_hosts(written, text)), expected, "{text}");
        }
    }

    /// As Open MPI 4.1 has started its daemons, and as its `regx` components write names.
    #[test]
    fn open_mpi_tells_its_daemons() {
        for (text, expected) in [
            ("node[1:1-3]@0(3)", "node1 node2 node3"),
            (
                "login,n[3:8-11,99]-ib@0(6)",
                "login n008-ib n009-ib n010-ib n011-ib n099-ib",
            ),
            ("node1,node1", "node1"),
            ("node[1:1-3", "error: the brackets in 'node[1:1-3' do not fit"),
            ("node[1-3]", "error: the brackets in 'node[1-3]' do not fit"),
            (
                "node[99999999999:1]",
                "error: the brackets in 'node[99999999999:1]' do not fit",
            ),
            ("node[1:x]", "error: 'x-x' is no range of numbers"),
        ] {
            assert_eq!(names(hosts_of_orte(text)), expected, "{text}");
        }
    }
}
