//! What the fuzzer does for minutes, for seconds: every input of `corpus/`, the seeds, and some changes of them.

use fuzz::{TARGETS, Target, changed, target};
use progress_map::generate::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// How many changed inputs each target sees.
const CHANGES: u64 = 300;

fn directory(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target.name)
}

/// The inputs that are committed: reproducers of what was found, named by what they are.
fn committed(target: &Target) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(directory(target)) else {
        return Vec::new();
    };
    let mut inputs = Vec::from_iter(entries.map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    }));
    inputs.sort();
    inputs
}

fn check(name: &str) {
    let target = target(name).unwrap();
    let run = |what: &str, input: &[u8]| {
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
        if let Err(panic) = outcome {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{what}"));
            std::fs::write(&path, input).unwrap();
            eprintln!("{name}: {what}: the input is kept as {}", path.display());
            std::panic::resume_unwind(panic);
        }
    };
    let mut inputs = committed(target);
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "no compiler of this machine made a seed");
    inputs.extend(seeds);
    for (what, input) in &inputs {
        run(what, input);
    }
    for seed in 0..CHANGES {
        let mut rng = Rng(seed);
        let (what, input) = &inputs[rng.below(inputs.len())];
        run(&format!("{what}-changed-{seed}"), &changed(&mut rng, input));
    }
}

#[test]
fn bind() {
    check("bind");
}

#[test]
fn unwind() {
    check("unwind");
}

#[test]
fn launcher() {
    check("launcher");
    let (_, seed) = &(target("launcher").unwrap().seeds)()[0];
    let entries = runtime_probe::hostile::launcher_table(seed).unwrap();
    let [first, second] = &entries[..] else {
        panic!("{entries:?}");
    };
    assert_eq!(
        (first.host.as_str(), first.executable.as_str()),
        ("node1", "/bin/app")
    );
    assert_eq!((first.pid, second.pid, second.rank), (4711, 4712, 1));
}

#[test]
fn core() {
    check("core");
}

#[test]
fn map() {
    check("map");
}

#[test]
fn graph() {
    check("graph");
}

#[test]
fn snapshot() {
    check("snapshot");
}

#[test]
fn foreign() {
    check("foreign");
}

#[test]
fn tree() {
    check("tree");
}

#[test]
fn nodes() {
    check("nodes");
}

#[test]
fn recording() {
    check("recording");
}

#[test]
fn events() {
    check("events");
}

#[test]
fn told() {
    check("told");
}

#[test]
fn condition() {
    check("condition");
}

#[test]
fn causal() {
    check("causal");
}

#[test]
fn trace() {
    check("trace");
}

#[test]
fn texts() {
    check("texts");
}

#[test]
fn mi() {
    check("mi");
}

#[test]
fn sources() {
    check("sources");
}

#[test]
fn every_target_has_a_test_and_every_directory_a_target() {
    let tests = include_str!("corpus.rs");
    for target in &TARGETS {
        assert!(
            tests.contains(&format!("check(\"{}\")", target.name)),
            "{}",
            target.name
        );
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for entry in std::fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(target(name.to_str().unwrap()).is_some(), "{name:?}");
    }
}

/// The seeds are what they are meant to be: a fuzzer that starts from inputs which are refused at once finds nothing.
#[test]
fn seeds_are_read_whole() {
    for (name, bytes) in (target("bind").unwrap().seeds)() {
        let mut map = engine::map_sources(Vec::new(), &|_| ());
        let program = bind::Program {
            executable: &bytes,
            ..bind::Program::default()
        };
        let bound = bind::bind_program(&mut map, &program, "small");
        assert!(bound.is_ok(), "{name}: {bound:?}");
        assert!(map.binding.unwrap().rows.len() > 20, "{name}");
    }
    let unwound = (target("unwind").unwrap().seeds)().into_iter().map(|(_, bytes)| {
        let (stack, file) = bytes[2..].split_at(640);
        let frames = runtime_probe::hostile::stacks(file, stack, &engine::Map::default());
        frames.unwrap().len()
    });
    let unwound = Vec::from_iter(unwound);
    assert!(unwound.iter().any(|&frames| frames > 3), "{unwound:?}");
    for (name, bytes) in (target("core").unwrap().seeds)() {
        let core = runtime_probe::hostile::core(&bytes).unwrap();
        assert_eq!((core.rank(), core.pid()), (Some(3), Some(4711)), "{name}");
        assert_eq!(core.executable(), Some("/bin/true"));
        let records = runtime_probe::take_cores(&engine::Map::default(), &[core]);
        assert_eq!(records[0].threads.len(), 1, "{records:?}");
        assert!(
            name == "bare" || records[0].frames.len() > 1,
            "{name}: {records:?}"
        );
    }
    for (name, bytes) in (target("map").unwrap().seeds)() {
        assert!(engine::Map::from_bytes(&bytes).is_ok(), "{name}");
    }
    for (name, bytes) in (target("foreign").unwrap().seeds)() {
        let text = std::str::from_utf8(&bytes).unwrap();
        let tasks = foreign::read(foreign::format_of(text), text, "3", Some(3));
        assert!(tasks.is_ok_and(|tasks| tasks[0].frames.len() > 1), "{name}");
    }
    for (name, bytes) in (target("graph").unwrap().seeds)() {
        assert!(engine::DependenceGraph::from_bytes(&bytes).is_ok(), "{name}");
    }
    let (_, text) = &(target("snapshot").unwrap().seeds)()[0];
    let (_, tasks) = snapshot::read(std::str::from_utf8(text).unwrap()).unwrap();
    assert_eq!(tasks.len(), 4);
}
