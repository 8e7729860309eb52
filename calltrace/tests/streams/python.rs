//! `docs/trace-format.md` is enough to write a reader: the one in Python, which was, reads the same as this crate.

use crate::generate::{Rng, Shape, events};
use crate::packing::moments;
use crate::stamps;
use crate::thread::written;
use calltrace::{Event, Tie, packed};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn python(arguments: &[&str], file: &Path) -> Output {
    let integrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/python");
    let output = Command::new("python3")
        .arg("-B")
        .args(arguments)
        .arg(file)
        .env("PYTHONPATH", integrations)
        .output();
    output.unwrap_or_else(|e| panic!("this test needs python3 (Debian: apt-get install python3): {e}"))
}

#[test]
fn python_reads_what_was_written() {
    for (number, shape) in Shape::ALL.into_iter().enumerate() {
        let events = events(shape, 11 + number as u64, 40_000);
        let bytes = written(&events);
        if shape == Shape::Random {
            assert!(
                calltrace::Trace::read(&bytes).unwrap().blocks() > 1,
                "one block shows little"
            );
        }
        // As it was written, when the first blocks were packed and given back, and packed to its end.
        let moments = moments(&bytes, 2);
        for step in [0, 4, moments.len() - 1] {
            let (plain, packed) = &moments[step];
            let path = file("python.trace", plain);
            file("python.trace-packed", packed);
            if plain.is_empty() {
                std::fs::remove_file(&path).unwrap();
            }
            let output = python(&["-m", "hindmost_trace"], &path);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{shape:?}, step {step}: {said}");
            let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let read = read["events"].as_array().unwrap().iter();
            let expected = events.iter().map(|event| match event {
                Event::Enter(function) => u64::from(function.number()),
                Event::Exit => 0,
            });
            assert!(
                read.map(|number| number.as_u64().unwrap()).eq(expected),
                "{shape:?}, step {step}"
            );
        }
    }
}

#[test]
fn python_reads_stamps() {
    let script = "\
import json
import sys
import hindmost_trace
with open(sys.argv[1], 'rb') as file:
    data = file.read()
is_packed = data[:8] == b'hindmTPK'
print(json.dumps(list(hindmost_trace.stamps(*((b'', data) if is_packed else (data,))))))
";
    let all = stamps::some(4, 12_000);
    let bytes = stamps::written(&all);
    let packed = packed::whole(&bytes, 3).unwrap();
    for bytes in [bytes, packed] {
        let output = python(&["-c", script], &file("python.stamps", &bytes));
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let read = read.as_array().unwrap();
        assert_eq!(read.len(), all.len());
        for (read, stamp) in read.iter().zip(&all) {
            // The clocks of the header, as `stamps::written` sets them.
            assert_eq!(
                (&read["behind"], &read["time"]),
                (&stamp.behind.into(), &(stamp.time + 500_000 - 1_000).into())
            );
            let (kind, of) = match stamp.tie {
                Tie::None => continue,
                Tie::Sends(message) => ("sends", Ok(message)),
                Tie::Receives(message) => ("receives", Ok(message)),
                Tie::Enters(part) => ("enters", Err(part)),
                Tie::Leaves(part) => ("leaves", Err(part)),
            };
            let expected = match of {
                Ok(message) => {
                    serde_json::json!({"communicator": message.communicator, "peer": message.peer, "tag": message.tag, "ordinal": message.ordinal})
                }
                Err(part) => {
                    serde_json::json!({"communicator": part.communicator, "root": part.root, "ordinal": part.ordinal})
                }
            };
            assert_eq!(read[kind], expected);
        }
    }
}

/// Damage of a packed file is met by a sentence, or not at all.
#[test]
fn python_reads_any_packed_bytes_or_says_why_not() {
    let script = "\
import struct
import sys
import zlib
import hindmost_trace
with open(sys.argv[1], 'rb') as file:
    whole = file.read()
events = list(hindmost_trace.events(b'', whole))
read = refused = 0
for at in range(24, len(whole), 7):
    damaged = bytearray(whole)
    damaged[at] ^= 1 << at % 8
    # The sum fits, so that what is within is looked at.
    end = 24
    while end + 8 <= len(damaged):
        length = struct.unpack_from('<I', damaged, end)[0]
        struct.pack_into('<I', damaged, end + 4, zlib.adler32(damaged[end + 8:end + 8 + length]))
        end += 8 + length
    try:
        sum(1 for _ in zip(hindmost_trace.events(b'', bytes(damaged)), range(20000)))
        read += 1
    except hindmost_trace.TraceError:
        refused += 1
assert len(events) > 1000 and read > 5 and refused > 5, (len(events), read, refused)
";
    let trace = written(&events(Shape::Data, 2, 3_000));
    let output = python(
        &["-c", script],
        &file("packed.trace", &packed::whole(&trace, 1).unwrap()),
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Damage anywhere: it is read, or a sentence says why not.
#[test]
fn python_reads_any_bytes_or_says_why_not() {
    let script = "\
import sys
import hindmost_trace
with open(sys.argv[1], 'rb') as file:
    data = file.read()
length = int.from_bytes(data[:8], 'little')
read = refused = 0
for at in range(8, len(data), length):
    try:
        sum(1 for _ in zip(hindmost_trace.events(data[at:at + length]), range(20000)))
        read += 1
    except hindmost_trace.TraceError:
        refused += 1
assert read > 5 and refused > 5, (read, refused)
";
    let whole = written(&events(Shape::Data, 2, 3_000));
    let tokens = calltrace::Trace::read(&whole).unwrap().bytes();
    let used = 8 * (calltrace::layout::HEADER + calltrace::layout::head::WORDS) + tokens;
    let mut rng = Rng(4);
    let mut all = (used as u64).to_le_bytes().to_vec();
    for _ in 0..100 {
        let mut some = whole[..used].to_vec();
        let block = 8 * calltrace::layout::HEADER;
        // In the header, in the head of the block, or in its tokens.
        let at = match rng.below(3) {
            0 => rng.below(96),
            1 => block + rng.below(32),
            _ => block + rng.below(used - block),
        };
        some[at] = rng.below(256) as u8;
        all.extend(some);
    }
    let output = python(&["-c", script], &file("hostile.trace", &all));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
