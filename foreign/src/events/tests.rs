//! Files of other tools, and what is wrong in them. `archive.txt` is what `otf2-print` 3.0.2 prints of an archive that OTF2's own library has written.

use super::{Event, Format, Step, Tie, Trace, format_of, read};

const ARCHIVE: &str = include_str!("tests/archive.txt");
const FLOWS: &str = include_str!("tests/flows.json");
const LINES: &str = include_str!("tests/lines.jsonl");

/// The events of a rank as words.
fn told(trace: &Trace, rank: u32) -> Vec<String> {
    let events = trace.events.iter().filter(|event| event.rank == rank);
    events.map(|event| words(trace, event)).collect()
}

fn words(trace: &Trace, event: &Event) -> String {
    let name = event.name.map_or("", |name| &trace.names[name]);
    let of = |name: Option<super::NameId>| name.map_or("nothing", |name| &trace.names[name]);
    let tie = match event.tie {
        Tie::None => String::new(),
        Tie::Sends(message) => format!(" to {} {:?} #{:?}", message.peer, message.tag, message.number),
        Tie::Receives(message) => format!(" from {} {:?} #{:?}", message.peer, message.tag, message.number),
        Tie::Enters(part) => format!(" enters {} {:?} by {}", part.number, part.root, of(part.function)),
        Tie::Leaves(part) => format!(" leaves {} {:?} by {}", part.number, part.root, of(part.function)),
    };
    format!("{:?} {name}{tie}", event.step)
}

#[test]
fn the_beginning_tells_what_a_file_is() {
    let cases: [(&[u8], Option<Format>); 9] = [
        (ARCHIVE.as_bytes(), Some(Format::Otf2)),
        (FLOWS.as_bytes(), Some(Format::Chrome)),
        (b"[{\"ph\": \"X\"", Some(Format::Chrome)),
        (LINES.as_bytes(), Some(Format::Lines)),
        (b"\x03BOTF2\x00\x03", Some(Format::Otf2Archive)),
        (b"hindmREC", None),
        (b"[{\"pid\": 3}]", None),
        (b"{\"hindmost_snapshot\": 1}", None),
        (b"", None),
    ];
    for (start, format) in cases {
        assert_eq!(format_of(start), format, "{}", String::from_utf8_lossy(start));
    }
}

#[test]
fn records_of_an_archive_belong_to_the_calls_around_them() {
    let trace = read(Format::Otf2, ARCHIVE).unwrap();
    let hosts = Vec::from_iter(trace.lanes.iter().map(|lane| (lane.rank, &*lane.host)));
    assert_eq!(hosts, [(0, "node0"), (1, "node0"), (2, "node1")]);
    assert_eq!(
        told(&trace, 1),
        [
            "Begins MPI_Recv",
            "Ends MPI_Recv from 0 Some(7) #Some(1)",
            "Begins MPI_Barrier enters 1 None by MPI_Barrier",
            "Ends MPI_Barrier leaves 1 None by MPI_Barrier",
            "Begins MPI_Bcast enters 2 Some(1) by MPI_Bcast",
            "Ends MPI_Bcast leaves 2 Some(1) by MPI_Bcast",
            // No call is around these, and somebody gives nothing.
            "Starts MPI_Allreduce enters 3 None by nothing",
            "Completes MPI_Allreduce leaves 3 None by nothing",
        ]
    );
    assert_eq!(
        told(&trace, 0),
        [
            "Begins MPI_Send to 1 Some(7) #Some(1)",
            "Ends MPI_Send",
            "Begins MPI_Irecv",
            "Ends MPI_Irecv",
            "Begins MPI_Wait",
            "Completes MPI_Irecv from 2 Some(3) #Some(2)",
            "Ends MPI_Wait",
            "Begins MPI_Barrier enters 1 None by MPI_Barrier",
            "Ends MPI_Barrier leaves 1 None by MPI_Barrier",
            "Begins MPI_Bcast enters 2 Some(1) by MPI_Bcast",
            "Ends MPI_Bcast leaves 2 Some(1) by MPI_Bcast",
            "Begins MPI_Ibarrier enters 1 None by MPI_Barrier",
            "Ends MPI_Ibarrier",
            "Begins MPI_Wait",
            "Completes MPI_Ibarrier leaves 1 None by MPI_Barrier",
            "Ends MPI_Wait",
            "Starts MPI_Send to 0 Some(1) #Some(3)",
            "Completes MPI_Recv from 0 Some(1) #Some(3)",
            "Starts MPI_Allreduce enters 3 None by nothing",
            "Completes MPI_Allreduce leaves 3 None by nothing",
            // To a rank that there is not.
            "Starts MPI_Send to 5 Some(1) #None",
        ]
    );
    let last = trace.events.iter().rfind(|event| event.rank == 2).unwrap();
    assert_eq!(words(&trace, last), "Begins MPI_Barrier");
    // A thread of rank 2 that has no rank of its own.
    assert!(
        trace
            .events
            .iter()
            .any(|event| (event.rank, event.thread) == (2, Some(1)))
    );
    let half = trace
        .groups
        .iter()
        .find(|group| group.identity == Some(2))
        .unwrap();
    assert_eq!(half.members, [2, 0]);
    // A thousandth of a second after the archive's clock began, which tells its date.
    let began = 1_795_967_264_283_077_632;
    let send = trace
        .events
        .iter()
        .find(|event| matches!(event.tie, Tie::Sends(_)))
        .unwrap();
    assert_eq!(send.time, began + 1_000_000);
    let sequences = trace
        .events
        .iter()
        .filter(|event| event.rank == 1)
        .map(|event| event.sequence);
    assert!(sequences.eq(0..8));
}

/// A fence ties its members if somebody has accessed the window since the one before; epochs tie each access to the wait for it.
#[test]
fn windows_tie_where_mpi_says_so() {
    const DEFINITIONS: &str = "=== Global Definitions =====\n\
        LOCATION_GROUP 0 Name: \"MPI Rank 0\" <1>, Type: PROCESS, Parent: \"node::a\" <1>\n\
        LOCATION_GROUP 1 Name: \"MPI Rank 1\" <2>, Type: PROCESS, Parent: \"node::a\" <1>\n\
        LOCATION 0 Name: \"x\" <3>, Type: CPU_THREAD, # Events: 9, Group: \"MPI Rank 0\" <0>\n\
        LOCATION 1 Name: \"x\" <3>, Type: CPU_THREAD, # Events: 9, Group: \"MPI Rank 1\" <1>\n\
        GROUP 0 Name: \"\" <0>, Type: COMM_LOCATIONS, Paradigm: MPI, Flags: NONE, 2 Members: \"x\" <0>, \"x\" <1>\n\
        GROUP 1 Name: \"all\" <4>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 0 (\"x\" <0>), 1 (\"x\" <1>)\n\
        GROUP 2 Name: \"one\" <5>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 1 Member: 1 (\"x\" <1>)\n\
        GROUP 3 Name: \"zero\" <6>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 1 Member: 0 (\"x\" <0>)\n\
        COMM 0 Name: \"WORLD\" <7>, Group: \"all\" <1>, Parent: UNDEFINED, Flags: NONE\n\
        RMA_WIN 5 Name: \"w\" <8>, Communicator: \"WORLD\" <0>, Flags: NONE\n\
        === Events =====\n";
    let mut events = String::new();
    let mut now = 1000;
    let mut told_by = |rank: u32, records: &[&str]| {
        for record in records {
            now += 10;
            let (word, rest) = record.split_once(' ').unwrap_or((record, ""));
            events.push_str(&format!("{word} {rank} {now} {rest}\n"));
        }
    };
    let fence = [
        "ENTER Region: \"MPI_Win_fence\" <0>",
        "RMA_COLLECTIVE_BEGIN",
        "RMA_COLLECTIVE_END Operation: BARRIER, Window: \"w\" <5>, Level of Synchronicity: {PROCESS, MEMORY}, Root: NONE, Sent: 0, Received: 0",
        "LEAVE Region: \"MPI_Win_fence\" <0>",
    ];
    let put = "RMA_PUT Window: \"w\" <5>, Remote: 1 (\"x\" <1>), Bytes: 8, Matching: 3";
    let synchronises = |call: &str, group: &str| {
        [
            format!("ENTER Region: \"{call}\" <1>"),
            format!("RMA_GROUP_SYNC Level of Synchronicity: {{PROCESS}}, Window: \"w\" <5>, Group: {group}"),
            format!("LEAVE Region: \"{call}\" <1>"),
        ]
    };
    for rank in [0, 1] {
        told_by(rank, &fence);
        if rank == 0 {
            told_by(rank, &[put]);
        }
        told_by(rank, &fence);
        told_by(rank, &fence);
    }
    for (rank, call, group) in [
        (1, "MPI_Win_post", "\"zero\" <3>"),
        (0, "MPI_Win_start", "\"one\" <2>"),
        (0, "MPI_Win_complete", "\"one\" <2>"),
        (1, "MPI_Win_wait", "\"zero\" <3>"),
        // Whether this was answered nobody knows.
        (1, "MPI_Win_test", "\"zero\" <3>"),
        (1, "MPI_Win_wait", "\"zero\" <3>"),
    ] {
        let records = synchronises(call, group);
        told_by(rank, &Vec::from_iter(records.iter().map(String::as_str)));
    }
    told_by(
        1,
        &["RMA_ACQUIRE_LOCK Window: \"w\" <5>, Remote: 0 (\"x\" <0>), Lock: 0, Type: SHARED"],
    );
    let trace = read(Format::Otf2, &format!("{DEFINITIONS}{events}")).unwrap();
    let functions = (1..).zip(["nothing", "MPI_Win_fence", "nothing"]);
    let fences = functions.flat_map(|(number, function)| {
        ["Begins MPI_Win_fence enters", "Ends MPI_Win_fence leaves"]
            .map(|step| format!("{step} {number} None by {function}"))
    });
    let fences = Vec::from_iter(fences);
    let behind = |rank: u32| told(&trace, rank).split_off(6);
    for rank in [0, 1] {
        assert_eq!(told(&trace, rank)[..6], fences);
    }
    assert_eq!(
        behind(0),
        [
            "Begins MPI_Win_start",
            "Ends MPI_Win_start",
            "Begins MPI_Win_complete",
            "Signals MPI_Win_complete to 1 None #Some(1)",
            "Ends MPI_Win_complete",
        ]
    );
    assert_eq!(
        behind(1),
        [
            "Begins MPI_Win_post",
            "Ends MPI_Win_post",
            "Begins MPI_Win_wait",
            "Completes MPI_Win_wait from 0 None #Some(1)",
            "Ends MPI_Win_wait",
            "Begins MPI_Win_test",
            "Ends MPI_Win_test",
            "Begins MPI_Win_wait",
            "Completes MPI_Win_wait",
            "Ends MPI_Win_wait",
        ]
    );
    let window = trace
        .groups
        .iter()
        .find(|group| group.identity == Some(5 + (1 << 32)));
    assert_eq!(window.unwrap().members, [0, 1]);
    // What a record has to say.
    for cut in [
        "RMA_PUT 0 1",
        "RMA_GROUP_SYNC 0 1 Window: \"w\" <5>",
        "RMA_COLLECTIVE_END 0 1 Operation: BARRIER",
    ] {
        let error = read(Format::Otf2, &format!("{DEFINITIONS}{cut}\n")).unwrap_err();
        assert!(error.to_string().contains("without Window"), "{error}");
    }
}

/// An operation that is told within another call, as that of a constructor is, or whose beginning is lost, ties nothing.
#[test]
fn operations_within_other_calls_tie_nothing() {
    let lost = ARCHIVE.replacen(
        "NON_BLOCKING_COLLECTIVE_REQUEST ",
        "NON_BLOCKING_COLLECTIVE_REQUESTS ",
        1,
    );
    let trace = read(Format::Otf2, &lost).unwrap();
    let told_of_0 = told(&trace, 0);
    assert!(
        told_of_0.contains(&"Begins MPI_Wait enters 1 None by nothing".to_owned()),
        "{told_of_0:#?}"
    );
    assert!(
        told_of_0.contains(&"Completes MPI_Wait leaves 1 None by nothing".to_owned()),
        "{told_of_0:#?}"
    );
    let text = ARCHIVE.replace("\"MPI_Barrier\" <6>", "\"MPI_Comm_dup\" <6>");
    let trace = read(Format::Otf2, &text).unwrap();
    assert!(told(&trace, 0).contains(&"Begins MPI_Comm_dup enters 1 None by nothing".to_owned()));
}

#[test]
fn flows_are_messages_and_slices_calls() {
    let trace = read(Format::Chrome, FLOWS).unwrap();
    assert_eq!(
        told(&trace, 0),
        [
            "Begins MPI_Send",
            "Signals message to 1 None #Some(0)",
            "Ends MPI_Send"
        ]
    );
    // By the times of each thread; what ends and has not begun, and what is no function of MPI, is left out.
    assert_eq!(
        told(&trace, 1),
        [
            "Begins MPI_Recv",
            "Begins MPI_Recv",
            "Completes message from 0 None #Some(0)",
            "Ends MPI_Recv",
        ]
    );
    let times = trace
        .events
        .iter()
        .filter(|event| event.rank == 0)
        .map(|event| event.time);
    assert!(times.eq([10_500, 11_000, 15_500]));
}

#[test]
fn slices_that_last_are_nested() {
    let slice = |name: &str, ts: u32, dur: u32| {
        format!("{{\"ph\":\"X\",\"name\":{name:?},\"pid\":0,\"tid\":0,\"ts\":{ts},\"dur\":{dur}}}")
    };
    let slices = [
        slice("b", 5, 5),
        slice("a", 0, 10),
        slice("c", 10, 0),
        // Longer than the one around it.
        slice("d", 8, 9),
    ];
    let text = format!("[{}", slices.join(","));
    let trace = read(Format::Chrome, &text).unwrap();
    let expected = [
        "Begins a", "Begins b", "Begins d", "Ends d", "Ends b", "Ends a", "Begins c", "Ends c",
    ];
    assert_eq!(told(&trace, 0), expected);
}

#[test]
fn processes_are_ranks_by_their_names_or_numbers() {
    let ranks = |pids: &[i64], name: &str| {
        let slices = pids.iter().map(|pid| {
            format!(
                "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{pid},\"args\":{{\"name\":\"{name}{}\"}}}},\
                 {{\"ph\":\"X\",\"name\":\"p{pid}\",\"pid\":{pid},\"tid\":0,\"ts\":1,\"dur\":1}}",
                pid + 3
            )
        });
        let text = format!("[{}]", Vec::from_iter(slices).join(","));
        let trace = read(Format::Chrome, &text).unwrap();
        let first = trace.events.iter().filter(|event| event.step == Step::Begins);
        let first = first.map(|event| (event.rank, trace.names[event.name.unwrap()].clone()));
        Vec::from_iter(first)
    };
    let named = |pairs: [(u32, &str); 2]| pairs.map(|(rank, name)| (rank, name.to_owned())).to_vec();
    assert_eq!(ranks(&[1, 0], "rank "), named([(3, "p0"), (4, "p1")]));
    assert_eq!(ranks(&[1, 0], "app"), named([(0, "p0"), (1, "p1")]));
    assert_eq!(ranks(&[907, 33], "app"), named([(0, "p33"), (1, "p907")]));
}

#[test]
fn lines_of_an_export_are_read_as_they_were() {
    let trace = read(Format::Lines, LINES).unwrap();
    assert_eq!(
        told(&trace, 1),
        [
            "Ends MPI_Recv from 0 Some(5) #Some(0)",
            "Begins MPI_Barrier enters 1 None by MPI_Barrier",
            "Ends MPI_Barrier leaves 1 None by MPI_Barrier",
        ]
    );
    let first = trace.events.iter().find(|event| event.rank == 1).unwrap();
    assert_eq!((first.sequence, first.time), (3, 900));
    assert_eq!(trace.groups.iter().next().unwrap().members, [1, 0]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let without = |what: &str| {
        ARCHIVE
            .lines()
            .filter(|line| !line.contains(what))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let line_of = |text: &str, what: &str| 1 + text.lines().position(|line| line.contains(what)).unwrap();
    let cut = ARCHIVE.replace(", Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Length: 80", "");
    let strange = ARCHIVE.replace("MPI_REQUEST_TEST ", "mpi_request_test ");
    let definitions = ARCHIVE.split("=== Events").next().unwrap().to_owned();
    let bare = format!(
        "=== OTF2-PRINT ===\n=== Events{}",
        ARCHIVE.split("=== Events").nth(1).unwrap()
    );
    let members = ARCHIVE.replace("2 Members: ", "3 Members: ");
    let cases = [
        (
            Format::Otf2,
            cut.clone(),
            line_of(&cut, "MPI_RECV "),
            "MPI_RECV without Sender, Communicator and Tag",
        ),
        (
            Format::Otf2,
            strange.clone(),
            line_of(&strange, "mpi_request_test"),
            "is no event of otf2-print",
        ),
        (
            Format::Otf2,
            definitions.clone(),
            definitions.lines().count(),
            "no events",
        ),
        (Format::Otf2, bare, 2, "without the definitions"),
        (
            Format::Otf2,
            members.clone(),
            line_of(&members, "3 Members: 2"),
            "as many members as it says",
        ),
        (
            Format::Otf2,
            without("LOCATION  "),
            line_of(&without("LOCATION  "), "=== Events"),
            "without the definitions",
        ),
        (Format::Otf2Archive, String::new(), 1, "its own tool"),
        (
            Format::Chrome,
            FLOWS.replace("\"ts\": 11}", "\"ts\": \"x\"}"),
            8,
            "without a time",
        ),
        (
            Format::Chrome,
            FLOWS.replace("\"dur\": 100", "\"dur\": -1"),
            6,
            "lasts no time",
        ),
        (
            Format::Chrome,
            FLOWS.replace("\"id\": 7, \"pid\": 4711", "\"pid\": 4711"),
            10,
            "a flow \"message\" without an id",
        ),
        (Format::Chrome, FLOWS.replace(" ]}", " "), 14, "EOF"),
        (
            Format::Chrome,
            "{\"traceEvents\": []}".to_owned(),
            1,
            "without a slice or a flow",
        ),
        (Format::Chrome, "{\"events\": []}".to_owned(), 1, "no traceEvents"),
        (
            Format::Lines,
            LINES.replace("\"sequence\":3,", "\"sequence\":-3,"),
            3,
            "invalid value",
        ),
        (
            Format::Lines,
            LINES.replace("\"step\":\"ends\",\"operation\":\"MPI_Recv\"", "\"step\":\"en\""),
            3,
            "no step",
        ),
        (
            Format::Lines,
            LINES.replace("\"to\":1", "\"to\":4000000000"),
            2,
            "no job has more",
        ),
        (
            Format::Lines,
            LINES.replace("\"version\":1", "\"version\":9"),
            1,
            "version 9",
        ),
    ];
    for (format, text, line, reason) in cases {
        let error = read(format, &text).expect_err(reason);
        assert!(error.reason.contains(reason), "{error} is not {reason:?}");
        assert_eq!(error.line, line, "{error}");
        assert!(error.hint.is_some(), "{error}");
    }
}

/// `eztrace.txt` is what `otf2-print` prints of an archive that EZTrace 2.0 has recorded of a real job of three ranks under Open MPI. Its group of all locations has the number of a communicator's group, and its clocks are 0.1 s apart.
#[test]
fn an_archive_of_eztrace_is_read() {
    let trace = read(Format::Otf2, include_str!("tests/eztrace.txt")).unwrap();
    assert_eq!(
        Vec::from_iter(trace.lanes.iter().map(|lane| lane.rank)),
        [0, 1, 2]
    );
    assert_eq!(
        told(&trace, 0),
        [
            "Begins MPI_Comm_split",
            "Ends MPI_Comm_split",
            "Begins MPI_Recv",
            "Ends MPI_Recv from 2 Some(5) #Some(1)",
            "Begins MPI_Recv",
            "Ends MPI_Recv from 1 Some(5) #Some(2)",
            "Begins MPI_Irecv",
            "Ends MPI_Irecv",
            // It records no end of what it receives with a request.
            "Begins MPI_Send to 1 Some(6) #Some(3)",
            "Ends MPI_Send",
            "Begins MPI_Wait",
            "Ends MPI_Wait",
            "Begins MPI_Bcast enters 1 Some(1) by MPI_Bcast",
            "Ends MPI_Bcast leaves 1 Some(1) by MPI_Bcast",
            "Begins MPI_Barrier enters 1 None by MPI_Barrier",
            "Ends MPI_Barrier leaves 1 None by MPI_Barrier",
            "Begins MPI_Allreduce enters 2 None by MPI_Allreduce",
            "Ends MPI_Allreduce leaves 2 None by MPI_Allreduce",
        ]
    );
    let members = trace.groups.iter().map(|group| group.members.clone());
    let mut members = Vec::from_iter(members);
    members.sort_unstable();
    assert_eq!(members, [vec![0], vec![0, 1, 2], vec![2, 1]]);
}
