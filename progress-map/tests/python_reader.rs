//! `docs/map-format.md` is enough to write a reader: the one in Python, which was, reads the same as this crate.

mod as_json;

use as_json::{a_function, a_map};
use progress_map::Map;
use progress_map::generate::{arbitrary, bind, synthetic};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&Path]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/python/hindmost_map");
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

#[test]
fn python_reads_the_map_inside_a_program() {
    let itself = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    for seed in 0..4 {
        let map = arbitrary(seed);
        // A linker may have joined it with others.
        let content = [map.to_bytes(), Map::default().to_bytes()].concat();
        let program = embed::with_section(&itself, embed::MAP, &content, embed::Kind::Joined).unwrap();
        let output = run(&[&file("inside", &program)]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert_eq!(
            serde_json::from_slice::<Value>(&output.stdout).unwrap(),
            a_map(&map)
        );
    }
    let output = run(&[&file("without", &itself)]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no map inside"));
}

/// Damage where it hurts most: in the headers of programs, and in the records of maps. Python must say what is wrong, or read it.
#[test]
fn python_reads_any_bytes_or_says_why_not() {
    let itself = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let map = arbitrary(1).to_bytes();
    let program = embed::with_section(&itself, embed::MAP, &map, embed::Kind::Joined).unwrap();
    let script = "\
import random, sys
sys.path.insert(0, sys.argv[1])
import hindmost_map
random.seed(7)
read = 0
for path in sys.argv[2:]:
    with open(path, 'rb') as file:
        whole = file.read()
    for _ in range(1500):
        some = bytearray(whole)
        for _ in range(random.randrange(1, 4)):
            at = random.choice([random.randrange(64), len(some) - 1 - random.randrange(min(4000, len(some)))])
            some[at] = random.randrange(256)
        if random.randrange(4) == 0:
            del some[random.randrange(len(some)):]
        try:
            hindmost_map.read(bytes(some))
            read += 1
        except hindmost_map.MapError:
            pass
assert 0 < read < 3000, read
";
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/python");
    let output = Command::new("python3")
        .args(["-B", "-c", script])
        .arg(package)
        .args([file("hostile.hmap", &map), file("hostile", &program)])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The package as a user installs it: a wheel, with types, and a command.
#[test]
fn the_package_is_installed_and_used() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("package");
    let _ = std::fs::remove_dir_all(&directory);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../integrations/python");
    // setuptools leaves files beside what it builds.
    let source = directory.join("source");
    std::fs::create_dir_all(source.join("hindmost_map")).unwrap();
    for name in [
        "pyproject.toml",
        "hindmost_map/__init__.py",
        "hindmost_map/__main__.py",
        "hindmost_map/py.typed",
    ] {
        std::fs::copy(from.join(name), source.join(name)).unwrap();
    }
    let target = directory.join("installed");
    let output = Command::new("/usr/bin/python3")
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-build-isolation",
            "--no-deps",
            "--no-index",
            "--target",
        ])
        .args([&target, &source])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("No module named") && std::env::var_os("CI").is_none() {
        eprintln!("SKIPPED: python3 has no pip or setuptools (`cargo xtask setup` installs them)");
        return;
    }
    assert!(output.status.success(), "{said}");
    assert!(target.join("hindmost_map/py.typed").is_file());
    let map = arbitrary(3);
    let path = file("packaged.hmap", &map.to_bytes());
    let used = Command::new(target.join("bin/hindmost-map"))
        .env("PYTHONPATH", &target)
        .arg(path)
        .output()
        .unwrap();
    assert!(used.status.success(), "{}", String::from_utf8_lossy(&used.stderr));
    assert_eq!(
        serde_json::from_slice::<Value>(&used.stdout).unwrap(),
        a_map(&map)
    );
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}
