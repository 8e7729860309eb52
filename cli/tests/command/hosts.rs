//! Hosts that are listed: what cannot be asked is said, with what to do. Jobs on hosts that can are tested in `tests`.

use crate::support::Sandbox;

#[test]
fn lists_and_commands_that_make_no_sense_are_refused_and_so_is_a_job_that_nobody_has_seen() {
    let sandbox = Sandbox::new("hosts");
    sandbox.write("good", "node1\nnode2:7,8\n");
    sandbox.write("option", "node1\n-oProxyCommand=id\n");
    sandbox.write("empty", "# nobody\n");
    sandbox.write("text", "no program\n");
    let probe = env!("CARGO_BIN_EXE_hindmost");
    for (arguments, words) in [
        (
            &["--hosts", "option"][..],
            &[
                "option: line 2: '-oProxyCommand=id' is no name of a host",
                "hint: ",
            ][..],
        ),
        (&["--hosts", "empty"], &["no host is listed"]),
        (&["--hosts", "missing"], &["missing"]),
        (
            &["--hosts", "good", "--via", "ssh {host}"],
            &["--via 'ssh {host}': there is no {command} in it"],
        ),
        (
            &["--hosts", "good", "--via", "srun"],
            &[
                "--via 'srun': it is not known of which job of Slurm the hosts are",
                "hint: --job names it",
            ],
        ),
        (
            &["--hosts", "good", "--via", "flux"],
            &["--via 'flux': it is not known of which job of Flux"],
        ),
        (
            &["--hosts", "good", "--via", "true"],
            &[
                "--via 'true': neither a way to reach hosts (ssh, srun, flux, clush) nor a launcher of MPI that is known",
            ],
        ),
        (
            &["--hosts", "good", "--probe", "text"],
            &["text: it is no program for Linux on x86-64", "--here"],
        ),
        (
            &["--hosts", "good", "--probe", "missing"],
            &["missing: ", "hindmost-probe"],
        ),
        (
            &[
                "--hosts",
                "good",
                "--probe",
                probe,
                "--via",
                "sh -c 'echo no route to {host} >&2' - {command}",
            ],
            &[
                "no host of the job has answered: node1: it could not be reached (no route to node1); node2: ",
                "hint: --via must run a command line on each",
            ],
        ),
        (
            &[
                "--hosts",
                "good",
                "--probe",
                probe,
                "--via",
                "sh -c 'exec sleep 100' {host} {command}",
                "--deadline",
                "300ms",
            ],
            &["node1: it did not answer within 0.3 s"],
        ),
        (
            &[
                "--hosts",
                "good",
                "--probe",
                probe,
                "--via",
                "/no/such/program {host} {command}",
            ],
            &["node1: /no/such/program cannot be started"],
        ),
    ] {
        let message = sandbox.refused(&[&["find"], arguments].concat());
        for word in words {
            assert!(message.contains(word), "{arguments:?}: no '{word}' in: {message}");
        }
    }
}

/// Who follows a job on other hosts says the same of them, and which are not there.
#[test]
fn whoever_follows_a_job_elsewhere_is_told_what_cannot_be_asked() {
    let sandbox = Sandbox::new("followed-hosts");
    sandbox.write("good", "node1\nnode2:7,8\n");
    let probe = env!("CARGO_BIN_EXE_hindmost");
    let unreached = [
        "--probe",
        probe,
        "--via",
        "sh -c 'echo no route to {host} >&2' - {command}",
    ];
    let listed = ["timeline", "--hosts", "good"];
    let message = sandbox.refused(&[&listed[..], &unreached].concat());
    for words in [
        "host node1: it could not be reached (no route to node1)",
        "host node2: it could not be reached (no route to node2)",
        "no task of the job has recorded events",
        "hint: hindmost run --events",
    ] {
        assert!(message.contains(words), "no '{words}' in: {message}");
    }
    for (arguments, words) in [
        (&["timeline", "--hosts", "missing"][..], "missing"),
        (
            &["timeline", "--hosts", "good", "--reduce", "mpi"],
            "not reduced by MPI",
        ),
        (&["until", "rank 3 in MPI", "--hosts", "missing"], "missing"),
        (
            &["until", "rank 3 in MPI", "--recordings", "4000000000"],
            "4000000000",
        ),
    ] {
        let message = sandbox.refused(arguments);
        assert!(
            message.contains(words),
            "{arguments:?}: no '{words}' in: {message}"
        );
    }
    for together in [
        &["timeline", "--hosts", "good", "recordings"][..],
        &["until", "rank 3 in MPI", "--hosts", "good", "--", "true"],
    ] {
        let run = sandbox.run(together);
        assert_eq!(run.code, Some(2), "{together:?}: {}", run.err);
        assert!(run.err.contains("cannot be used with"), "{}", run.err);
    }
}
