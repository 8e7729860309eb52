//! `docs/map-format.md` is enough to write a reader: the one in Python, which was, reads the same as this crate.

mod as_json;

use as_json::{a_function, a_map};
use progress_map::Map;
use progress_map::generate::{arbitrary, bind, synthetic};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&Path]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/python/hindmost_map.py");
    let mut command = Command::new("python3");
    let output = command.arg("-B").arg(script).args(arguments).output();
    output.unwrap_or_else(|e| panic!("this test needs python3 (Debian: apt-get install python3): {e}"))
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read(name: &str, map: &Map, what: &str) -> Value {
    let output = run(&[&file(name, &map.to_bytes()), Path::new(what)]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn python_reads_what_was_written() {
    let mut program = synthetic(2000, 3);
    program.binding = Some(bind(&program, 4));
    let maps = (0..40).map(arbitrary).chain([program, Map::default()]);
    for (seed, map) in maps.enumerate() {
        let read = read("whole.hmap", &map, "all");
        // Function by function first: the difference is easier to see.
        for (function, expected) in array(&read, "functions").iter().zip(&map.functions) {
            assert_eq!(*function, a_function(expected), "map {seed}");
        }
        assert_eq!(read, a_map(&map), "map {seed}");
    }
}

#[test]
fn python_reads_several_body_sections_and_prints_summaries() {
    let map = synthetic(50_000, 5);
    let functions = read("summary.hmap", &map, "functions");
    let expected = map.functions.iter().map(|f| {
        let file = &map.files[f.file].path;
        json!({"function": f.name, "file": file, "lines": [f.span.line, f.span.end_line], "points": f.points.len()})
    });
    assert_eq!(functions, Value::from_iter(expected));
    let count = |what| read("summary.hmap", &map, what).as_array().map_or(0, Vec::len);
    let loops = map.functions.iter().flat_map(|f| &f.loops);
    assert_eq!(count("loops"), loops.clone().count());
    assert_eq!(count("lovs"), loops.map(|l| l.lovs.len()).sum::<usize>());
}

#[test]
fn python_refuses_what_is_not_a_map() {
    let good = synthetic(300, 1).to_bytes();
    let refused = |name: &str, bytes: &[u8], reason: &str| {
        let output = run(&[&file(name, bytes)]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(reason), "{stderr}");
    };
    refused(
        "text.hmap",
        b"int main(void) { return 0; }\n",
        "not a progress map",
    );
    refused("short.hmap", &good[..good.len() - 9], "truncated");
    let mut newer = good.clone();
    newer[8] = 9;
    refused("newer.hmap", &newer, "newer");
    let mut older = good.clone();
    older[8] = 1;
    refused("older.hmap", &older, "older");
    let mut damaged = good.clone();
    damaged[good.len() - 40] ^= 4;
    refused("damaged.hmap", &damaged, "checksum");
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}
