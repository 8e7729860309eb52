//! What a host sends of its tasks, and what it is asked.

use ::nodes::{
    Found, FoundTask, FoundThere, FromLines, FromNode, Hello, MapFile, MapPlace, Merge, NodeId,
    NodeRecordings, PIECE, Piece, Plan, PlannedNode, Reader, RecordedPart, Report, RingPart, Select,
    TaskRecording, ToNode, VERSION, to_lines,
};
use base::RankSet;
use snapshot::{Frame, Header, Task};
use std::collections::BTreeMap;

/// Frames of a fuzzed stream are no larger, so that no input needs more memory than the fuzzer allows.
const MOST: u32 = 8 << 20;

/// Any stream is frames up to an error, any frame a message or an error. What is read is written and read as it was, and a report is merged, into tasks of its own ranks alone.
pub(crate) fn stream(bytes: &[u8]) {
    lines(bytes);
    let mut reader = Reader::with_most(MOST);
    // The pieces that a stream comes in play no part.
    for piece in bytes.chunks(1000) {
        reader.push(piece);
        loop {
            match reader.next_frame() {
                Ok(None) => break,
                Ok(Some(frame)) => {
                    assert_eq!(again(&frame.to_bytes().unwrap()), frame);
                    message(frame);
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    return;
                }
            }
        }
    }
}

/// Any text is lines of base64 or none, however it is cut, and what was in them is in lines that are made of it.
fn lines(text: &[u8]) {
    let mut taken = FromLines::default();
    let pieces = text.chunks(1000).map(|piece| taken.bytes_of(piece));
    if let Ok(pieces) = pieces.collect::<Result<Vec<_>, _>>() {
        let bytes = pieces.concat();
        let again = FromLines::default().bytes_of(to_lines(&bytes).as_bytes());
        assert_eq!(again, Ok(bytes));
    }
}

fn again(bytes: &[u8]) -> ::nodes::Frame {
    let mut reader = Reader::default();
    reader.push(bytes);
    let frame = reader.next_frame().unwrap().unwrap();
    assert_eq!(reader.finish(), Ok(()));
    frame
}

fn message(frame: ::nodes::Frame) {
    if let Ok(asked) = ToNode::of(frame.clone()) {
        assert_eq!(ToNode::of(again(&asked.to_bytes().unwrap())).unwrap(), asked);
    }
    let Ok(told) = FromNode::of(frame) else { return };
    let read = FromNode::of(again(&told.to_bytes().unwrap())).unwrap();
    assert_eq!(read, told);
    match told {
        FromNode::Report(report) => merged(report),
        FromNode::Piece(piece) => absorbed(&piece),
        FromNode::Recorded(part) => recorded(&part.bytes),
        _ => {}
    }
}

/// What tasks have recorded is files of bounded size, and what is sent on of them is what they were.
fn recorded(bytes: &[u8]) {
    let (mut again, mut files) = (NodeRecordings::default(), 0);
    let mut tasks = Vec::new();
    let read = NodeRecordings::each(bytes, |task| {
        assert!(again.add(&task), "what may be read may be sent");
        files += 1;
        if task.file.len() < 4096 {
            tasks.push(task);
        }
    });
    if let Ok(left_out) = read {
        again.leave_out(left_out);
        let (mut count, mut read_again) = (0, Vec::new());
        let read = NodeRecordings::each(&again.to_bytes(), |task| {
            count += 1;
            if task.file.len() < 4096 {
                read_again.push(task);
            }
        });
        assert_eq!((read, count), (Ok(left_out), files));
        assert_eq!(read_again, tasks);
    }
}

/// An answer of several nodes is believed as each of them is, once, and what is sent on of it is what it was.
fn absorbed(piece: &Piece) {
    let own: RankSet = (0..4).collect();
    let absorb = |pieces: &[&Piece]| {
        let mut merge = Merge::default();
        for &piece in pieces {
            merge.absorb([piece.clone()], |node| node.0 < 4, |_| Some(&own));
        }
        merge
    };
    let name = |_| "node";
    let once = absorb(&[piece]).finish(&name);
    let is_own = |task: &Task| task.rank.is_none_or(|rank| own.contains(rank));
    assert!(once.tasks.iter().all(is_own));
    assert_eq!(absorb(&[piece, piece]).finish(&name), once);
    for enough in [1, PIECE] {
        let mut sent_on = Merge::default();
        sent_on.absorb(absorb(&[piece]).into_pieces(enough), |_| true, |_| None);
        assert_eq!(sent_on.finish(&name), once);
    }
}

/// A node is believed of its own ranks, and of those that another node speaks of as well not even of these.
fn merged(report: Report) {
    let own: RankSet = (0..4).collect();
    let merge = |nodes: &[u32], own: Option<&RankSet>| {
        let mut merge = Merge::default();
        for &node in nodes {
            merge.add(NodeId(node), own, report.clone());
        }
        merge.finish(&|_| "node")
    };
    let once = merge(&[0], Some(&own));
    assert!(
        once.tasks
            .iter()
            .all(|task| task.rank.is_none_or(|rank| own.contains(rank)))
    );
    assert_eq!(merge(&[0, 0], Some(&own)), once);
    let twice = merge(&[0, 1], None);
    assert!(twice.tasks.iter().all(|task| task.rank.is_none()));
    assert_eq!(merge(&[1, 0], None), twice);
}

/// A whole dialogue, and each message of it.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let task = |rank: u32| Task {
        task: rank.to_string(),
        rank: Some(rank),
        pid: Some(rank + 70),
        frames: vec![Frame {
            function: "main".to_owned(),
            line: Some(rank / 2),
            ..Frame::default()
        }]
        .into(),
        ..Task::default()
    };
    let tasks = (0..6).map(|rank| FoundTask {
        pid: rank + 70,
        rank: Some(rank),
        executable: "/bin/app".to_owned(),
    });
    let found = Found {
        tasks: tasks.collect(),
        size: Some(6),
        notes: Vec::new(),
    };
    let hello = Hello {
        version: VERSION,
        host: "node".to_owned(),
    };
    let report = Report::of(Header::default(), (0..6).map(task).collect());
    let select = Select::Table {
        tasks: vec![(70, 0)],
        owner: Some(1000),
    };
    let mut of_two = Merge::default();
    of_two.add(NodeId(1), Some(&(0..4).collect()), report.clone());
    of_two.add(NodeId(2), None, Report::of(Header::default(), vec![task(8)]));
    let pieces = of_two.into_pieces(200).map(FromNode::Piece);
    let pieces = pieces.flat_map(|piece| piece.to_bytes().unwrap_or_default());
    let plan = Plan {
        nodes: BTreeMap::from([(
            NodeId(1),
            PlannedNode {
                host: "node".to_owned(),
                select: Select::OnlyJob,
                ranks: Some(vec![(0, 3)]),
            },
        )]),
        patience_ms: 5000,
    };
    let there = FoundThere {
        nodes: BTreeMap::from([
            (NodeId(1), Ok(found.clone())),
            (NodeId(2), Err("none".to_owned())),
        ]),
        last: true,
    };
    let map_file = MapFile {
        place: MapPlace::Further,
        path: "/home/user/app.hmap".to_owned(),
        hash: [7; 32],
    };
    let mut files = NodeRecordings::default();
    files.leave_out(1);
    files.add(&TaskRecording {
        is_alive: true,
        threads: Some(vec![7, 8]),
        now: 1 << 40,
        file: [vec![0; 300], vec![5; 20], vec![0; 90]].concat().into(),
        ..TaskRecording::default()
    });
    // A task whose file is known, with what is new in its ring.
    files.add(&TaskRecording {
        events: Some(RingPart {
            from: 5,
            rows: Vec::from_iter((0..64 * 4).map(|byte| (byte / 3) as u8)).into(),
        }),
        ..TaskRecording::default()
    });
    let part = RecordedPart {
        node: NodeId(3),
        bytes: files.to_bytes(),
        last: true,
    };
    let sent = [
        ("plan", ToNode::Plan(plan).to_bytes()),
        ("found-there", FromNode::FoundThere(there).to_bytes()),
        ("pieces", Ok(pieces.collect())),
        ("end", ToNode::End.to_bytes()),
        ("hello", FromNode::Hello(hello).to_bytes()),
        ("select", ToNode::Select(select).to_bytes()),
        ("found", FromNode::Found(found).to_bytes()),
        ("report", FromNode::Report(report).to_bytes()),
        ("map-file", ToNode::MapFile(map_file).to_bytes()),
        ("maps-wanted", FromNode::MapsWanted.to_bytes()),
        ("recordings", ToNode::Recordings.to_bytes()),
        ("events", ToNode::Events.to_bytes()),
        ("recorded", FromNode::Recorded(part).to_bytes()),
        ("failure", FromNode::Failure("no".to_owned()).to_bytes()),
    ];
    let mut seeds = Vec::from_iter(
        sent.into_iter()
            .filter_map(|(name, bytes)| Some((name.to_owned(), bytes.ok()?))),
    );
    let all = seeds
        .iter()
        .flat_map(|(_, bytes)| bytes.iter().copied())
        .collect();
    seeds.push(("dialogue".to_owned(), all));
    seeds
}
