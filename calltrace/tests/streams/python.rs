//! `docs/trace-format.md` is enough to write a reader: the one in Python, which was, reads the same as this crate.

use crate::generate::{Rng, Shape, events};
use crate::thread::written;
use calltrace::Event;
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
        let output = python(&["-m", "hindmost_trace"], &file("python.trace", &bytes));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{shape:?}: {said}");
        let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let read = read["events"].as_array().unwrap().iter();
        let expected = events.iter().map(|event| match event {
            Event::Enter(function) => u64::from(function.number()),
            Event::Exit => 0,
        });
        assert!(
            read.map(|number| number.as_u64().unwrap()).eq(expected),
            "{shape:?}"
        );
    }
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
