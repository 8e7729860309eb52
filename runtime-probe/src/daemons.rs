//! Launchers without a table of their processes: the daemons that they have on other hosts, as the command lines tell that started them there.
//!
//! MPICH's Hydra keeps no table that could be found once it is stripped. But it starts its proxies by `ssh HOST hydra_pmi_proxy --control-port HOST:PORT …`: the host is in the
//! arguments of a child of ours, and the port tells the proxy of this job there from those of others.

use crate::launcher::is_launcher;
use crate::procfs;
use crate::tasks::user_of;
use crate::told::common_variable;
use nodes::OWN_ARGUMENT;

/// A launcher's daemon on another host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DaemonHost {
    /// The host.
    pub host: String,
    /// An argument of the daemon that no other has.
    pub argument: String,
}

/// How a daemon of some launcher is known.
struct Daemon {
    /// Its program.
    name: &'static str,
    /// The option whose value tells one job's daemon from another's.
    option: &'static str,
}

const DAEMONS: [Daemon; 1] = [Daemon {
    name: "hydra_pmi_proxy",
    option: "--control-port",
}];

/// The daemons that the children of a launcher have started on other hosts.
pub(crate) fn of_launcher(launcher: u32) -> Vec<DaemonHost> {
    let processes = procfs::processes().unwrap_or_default();
    let children = processes.iter().filter(|(_, parent)| *parent == launcher);
    let mut hosts = Vec::from_iter(children.filter_map(|&(pid, _)| started_by(&arguments(pid))));
    hosts.sort();
    hosts.dedup();
    hosts
}

/// The daemon that a command line starts on another host: its name follows that of the host, with the quotes that the shell there takes away.
fn started_by(arguments: &[String]) -> Option<DaemonHost> {
    let daemon_at = |at: usize| {
        let name = arguments[at].trim_matches('"');
        DAEMONS
            .iter()
            .find(|daemon| base::last_component(name) == daemon.name)
    };
    // The first words are the program that reaches the host and the host itself.
    let (at, daemon) = (2..arguments.len()).find_map(|at| Some((at, daemon_at(at)?)))?;
    let host = &arguments[at - 1];
    let option = arguments[at..]
        .iter()
        .position(|argument| argument == daemon.option)?;
    let argument = arguments.get(at + option + 1)?;
    Some(DaemonHost {
        host: host.clone(),
        argument: argument.clone(),
    })
}

/// The daemon of our user on this host that has this argument.
pub(crate) fn with_argument(argument: &str) -> Option<u32> {
    let own = user_of(std::process::id());
    let mut processes = procfs::processes()
        .unwrap_or_default()
        .into_iter()
        .map(|(pid, _)| pid);
    processes.find(|&pid| {
        let is_ours = own == Some(0) || user_of(pid) == own;
        is_ours && is_launcher(&procfs::command(pid)) && arguments(pid).iter().any(|found| found == argument)
    })
}

/// How far a rank may be below the daemon that has started it: wrappers are between them.
const GENERATIONS: usize = 16;

/// What the process that a rank is below tells in one of its arguments, if it is of the same user.
fn of_ancestor(rank: u32, told: impl Fn(&[String]) -> Option<String>) -> Option<String> {
    let user = user_of(rank)?;
    let parent = |pid: &u32| procfs::stat(*pid).ok().map(|stat| stat.parent);
    let ancestors = std::iter::successors(parent(&rank), parent).take(GENERATIONS);
    let mut ours = ancestors.filter(|&pid| user_of(pid) == Some(user));
    ours.find_map(|pid| told(&arguments(pid)))
}

/// The nodes of the job of a rank, as the daemon of Open MPI 4 was told that has started it (`orte_node_regex`).
pub fn nodes_of_daemon(rank: u32) -> Option<String> {
    of_ancestor(rank, told_nodes)
}

fn told_nodes(arguments: &[String]) -> Option<String> {
    let at = arguments
        .iter()
        .position(|argument| argument == "orte_node_regex")?;
    arguments.get(at + 1).cloned()
}

/// The host on which the launcher of a rank runs, by name or address, where that is another one: Open MPI 4 has it in the environment, Hydra among the arguments of its proxy.
pub fn host_of_launcher(rank: u32) -> Option<String> {
    let variable = |name: &str| common_variable(&[rank], name);
    match variable("OMPI_MCA_orte_hnp_uri") {
        Some(launcher) if variable("OMPI_MCA_orte_local_daemon_uri").as_ref() == Some(&launcher) => None,
        Some(launcher) => address_of(&launcher),
        None => of_ancestor(rank, told_launcher),
    }
}

/// The first address in what Open MPI calls a process by: `749469696.0;tcp://10.0.0.1,10.1.0.1:43029;…`.
fn address_of(uri: &str) -> Option<String> {
    let (_, addresses) = uri.split_once("tcp://")?;
    let end = addresses.find([',', ':', ';'])?;
    Some(addresses[..end].to_owned())
}

fn told_launcher(arguments: &[String]) -> Option<String> {
    let daemon = DAEMONS
        .iter()
        .find(|daemon| base::last_component(&arguments[0]) == daemon.name)?;
    let at = arguments.iter().position(|argument| argument == daemon.option)?;
    let (host, _) = arguments.get(at + 1)?.rsplit_once(':')?;
    Some(host.to_owned())
}

/// Whether a process looks at jobs for us, or for somebody else who asks: one of those that answer together, or a probe that a launcher of MPI has started. To that they are ranks.
pub(crate) fn looks_at_jobs(pid: u32) -> bool {
    let arguments = arguments(pid);
    let [program, first, ..] = &arguments[..] else {
        return false;
    };
    let is_probe = base::last_component(program) == "hindmost-probe" || program.starts_with("/proc/self/fd/");
    first == OWN_ARGUMENT || is_probe && first.starts_with("--serve")
}

fn arguments(pid: u32) -> Vec<String> {
    let bytes = regular_files::read_of_kernel(&format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    let arguments = bytes.split(|&byte| byte == 0);
    arguments
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(line: &str) -> Option<DaemonHost> {
        started_by(&Vec::from_iter(line.split(' ').map(str::to_owned)))
    }

    /// As Open MPI 4.1 and Hydra 4.0 start them.
    #[test]
    fn daemons_tell_where_the_rest_of_their_job_is() {
        let words = |line: &str| Vec::from_iter(line.split(' ').map(str::to_owned));
        let orted = words("orted -mca ess env -mca orte_node_regex node[1:1-3]@0(3) -mca plm rsh");
        assert_eq!(told_nodes(&orted).as_deref(), Some("node[1:1-3]@0(3)"));
        assert_eq!(told_nodes(&words("orted -mca orte_node_regex")), None);
        let proxy = words("/usr/bin/hydra_pmi_proxy --control-port node1:37211 --rmk user");
        assert_eq!(told_launcher(&proxy).as_deref(), Some("node1"));
        assert_eq!(told_launcher(&words("app --control-port node1:37211")), None);
        for (uri, expected) in [
            (
                "749469696.0;tcp://10.77.1.2:43029;tcp6://[fd00::2]:56929",
                Some("10.77.1.2"),
            ),
            ("1.0;tcp://10.77.1.2,192.168.0.1:43029", Some("10.77.1.2")),
            ("1.0;usock", None),
        ] {
            assert_eq!(address_of(uri).as_deref(), expected, "{uri}");
        }
    }

    /// As Hydra 4.0 starts them.
    #[test]
    fn a_proxys_host_and_port_are_in_its_command_line() {
        let line = "/usr/bin/ssh -x node2 \"/usr/bin/hydra_pmi_proxy\" --control-port node1:37211 --rmk user --launcher ssh --proxy-id 1";
        let expected = DaemonHost {
            host: "node2".to_owned(),
            argument: "node1:37211".to_owned(),
        };
        assert_eq!(started(line), Some(expected));
        for other in [
            "",
            "/usr/bin/hydra_pmi_proxy --control-port node1:37211",
            "ssh node2 hydra_pmi_proxy",
            "ssh node2 hydra_pmi_proxy --control-port",
            "ssh node2 top",
        ] {
            assert_eq!(started(other), None, "{other}");
        }
    }
}
