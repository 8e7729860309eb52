//! Of which hosts those are that are named: all of one host behind is another trouble than one of its ranks.

use crate::clean::clean;
use crate::style::{FAINT, HINDMOST, TITLE, paint};
use crate::text::counted;
use base::RankSet;
use engine::{Answer, HostRanks};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many hosts are spelled out before the rest is only counted.
const SPELLED_OUT: usize = 8;

/// How many hosts are named beside a class.
const NAMED: usize = 3;

/// On which hosts those are that are named, below the sentence about them.
pub(crate) fn of_named(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let Some(finding) = &answer.finding else {
        return Ok(());
    };
    match sentence(&answer.hosts, &finding.who.ranks) {
        Some(words) => writeln!(out, "  {}", clean(&words)),
        None => Ok(()),
    }
}

/// The hosts of the named ranks, and how much of each that is; `None` where no host is known.
fn sentence(hosts: &[HostRanks], named: &RankSet) -> Option<String> {
    let part = |each: &HostRanks| {
        let here = each.ranks.len() - each.ranks.without(named).len();
        let share = match (here, each.ranks.len()) {
            (0, _) => return None,
            (1, 1) => "its only rank".to_owned(),
            (here, all) if here == all => format!("all of its {all} ranks"),
            (here, all) => format!("{here} of its {all} ranks"),
        };
        Some(format!("{}: {share}", each.host))
    };
    let parts = Vec::from_iter(hosts.iter().filter_map(part));
    let shown = parts[..parts.len().min(SPELLED_OUT)].join("; ");
    match (parts.len(), parts.len().saturating_sub(SPELLED_OUT)) {
        (0, _) => None,
        (1, _) => Some(format!("On host {shown}.")),
        (_, 0) => Some(format!("On hosts {shown}.")),
        (_, more) => Some(format!(
            "On hosts {shown}; and {}.",
            counted(more, "more host", "more hosts")
        )),
    }
}

/// On which hosts the ranks of a class are, where these are fewer than the job has: all of one host, one host alone, or so many of all. `None` where it tells nothing.
pub(crate) fn of_class(hosts: &[HostRanks], ranks: &RankSet) -> Option<String> {
    let here = Vec::from_iter(hosts.iter().filter(|host| host.ranks.meets(ranks)));
    let name = |host: &HostRanks| host.host.clone();
    match here[..] {
        _ if here.len() == hosts.len() => None,
        [] => None,
        [only] if only.ranks.len() > 1 && only.ranks.without(ranks).is_empty() => {
            Some(format!("all of {}", name(only)))
        }
        [only] if ranks.len() == 1 => Some(format!("on {}", name(only))),
        [only] => Some(format!("on {} alone", name(only))),
        _ if here.len() <= NAMED => {
            let names = Vec::from_iter(here.iter().map(|host| name(host)));
            Some(format!("on {}", names.join(", ")))
        }
        _ => Some(format!("on {} of {} hosts", here.len(), hosts.len())),
    }
}

/// The only host of these ranks, of several that the job has.
pub(crate) fn only_host<'h>(hosts: &'h [HostRanks], ranks: &RankSet) -> Option<&'h str> {
    let mut here = hosts.iter().filter(|host| host.ranks.meets(ranks));
    match (here.next(), here.next()) {
        (Some(only), None) if hosts.len() > 1 => Some(&only.host),
        _ => None,
    }
}

/// The classes that some ranks of a host are in, as numbers from 0.
pub(crate) fn classes_on(answer: &Answer, host: &HostRanks) -> Vec<usize> {
    let classes = answer.classes.iter().enumerate();
    let here = classes.filter(|(_, class)| class.who.ranks.meets(&host.ranks));
    here.map(|(index, _)| index).collect()
}

/// Every host with its ranks, and in which classes these are; hosts whose ranks are all in the same classes together.
pub(crate) fn by_host(answer: &Answer) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = table(&mut out, answer);
    out
}

fn table(out: &mut String, answer: &Answer) -> std::fmt::Result {
    if answer.hosts.is_empty() {
        return writeln!(
            out,
            "By host: the tasks do not say on which they run, so that it is one."
        );
    }
    writeln!(out, "{}", paint(TITLE, "By host:"))?;
    let mut alike: BTreeMap<Vec<usize>, Vec<&HostRanks>> = BTreeMap::new();
    for host in &answer.hosts {
        alike.entry(classes_on(answer, host)).or_default().push(host);
    }
    let behind = |class: usize| answer.hindmost.iter().any(|hindmost| hindmost.class == class);
    for (classes, hosts) in alike {
        let names = hosts.iter().take(SPELLED_OUT).map(|host| host.host.as_str());
        let mut names = Vec::from_iter(names).join(", ");
        if let Some(more @ 1..) = hosts.len().checked_sub(SPELLED_OUT) {
            let _ = write!(names, " and {}", counted(more, "more host", "more hosts"));
        }
        let ranks = RankSet::union(hosts.iter().map(|host| &host.ranks));
        let of_class = |&class: &usize| {
            let others = &answer.classes[class].who.ranks;
            let here = ranks.without(&ranks.without(others));
            let name = format!("class {} ({})", class + 1, clean(&here.brief()));
            if behind(class) {
                paint(HINDMOST, format!("{name}, hindmost"))
            } else {
                name
            }
        };
        let classes = Vec::from_iter(classes.iter().map(of_class));
        let told = if classes.is_empty() {
            paint(FAINT, "no rank that could be placed")
        } else {
            classes.join("; ")
        };
        writeln!(
            out,
            "  {} (ranks {}): {told}",
            paint(TITLE, clean(&names)),
            clean(&ranks.brief())
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(number: usize, ranks: &str) -> HostRanks {
        HostRanks {
            host: format!("node{number}"),
            ranks: ranks.parse().unwrap(),
        }
    }

    #[test]
    fn a_class_that_lies_on_few_hosts_says_so() {
        let hosts = [host(1, "0"), host(2, "1-4"), host(3, "5-8"), host(4, "9")];
        let said = |ranks: &str| of_class(&hosts, &ranks.parse().unwrap());
        for (ranks, expected) in [
            ("0", "on node1"),
            ("3", "on node2"),
            ("3-4", "on node2 alone"),
            ("1-4", "all of node2"),
            ("0,4-5", "on node1, node2, node3"),
        ] {
            assert_eq!(said(ranks).as_deref(), Some(expected), "{ranks}");
        }
        // All hosts, or none that is known, tell nothing.
        assert_eq!((said("0-9"), said("77")), (None, None));
        assert_eq!(of_class(&hosts[..1], &"0".parse().unwrap()), None);
        let many = Vec::from_iter((0..64).map(|number| host(number, &number.to_string())));
        let said = of_class(&many, &"0-39".parse().unwrap());
        assert_eq!(said.as_deref(), Some("on 40 of 64 hosts"));
        assert_eq!(only_host(&many, &"7".parse().unwrap()), Some("node7"));
        assert_eq!(only_host(&many, &"7-8".parse().unwrap()), None);
        assert_eq!(only_host(&many[..1], &"0".parse().unwrap()), None);
    }

    #[test]
    fn how_much_of_a_host_is_named_is_told() {
        let hosts = [host(1, "0"), host(2, "1-4"), host(3, "5-8")];
        let said = |named: &str| sentence(&hosts, &named.parse().unwrap());
        assert_eq!(said("1-4").as_deref(), Some("On host node2: all of its 4 ranks."));
        assert_eq!(said("6").as_deref(), Some("On host node3: 1 of its 4 ranks."));
        assert_eq!(
            said("0,7-8").as_deref(),
            Some("On hosts node1: its only rank; node3: 2 of its 4 ranks.")
        );
        assert_eq!(said("9"), None);
        assert_eq!(sentence(&[], &"1".parse().unwrap()), None);
        let many = Vec::from_iter((0..10).map(|number| host(number, &number.to_string())));
        let said = sentence(&many, &"0-9".parse().unwrap()).unwrap();
        assert!(
            said.ends_with("node7: its only rank; and 2 more hosts."),
            "{said}"
        );
    }
}
