//! `hindmost map` a second time: what is kept must never change what is made.

use crate::support::Sandbox;
use std::fs;
use std::path::PathBuf;

/// A small program whose files depend on each other through macros and calls.
fn write_program(sandbox: &Sandbox) {
    sandbox.write(
        "src/n.h",
        "#define N 10\n#define EACH(i) for (i = 0; i < N; i++)\n",
    );
    for number in 0..6 {
        sandbox.write(
            &format!("src/f{number}.c"),
            format!(
                "#include \"n.h\"\nint calls;\nint f{number}(int n) {{ int i; EACH(i) {{ calls++; f{}(i); }} return n; }}\n",
                (number + 1) % 6
            ),
        );
    }
}

/// The bytes of the map of `src`, and what was said on standard error.
fn map(sandbox: &Sandbox, arguments: &[&str]) -> (Vec<u8>, String) {
    let mut all = vec!["map", "-q", "-o", "made.hmap"];
    all.extend(arguments);
    all.push("src");
    let run = sandbox.run(&all);
    assert_eq!(run.code, Some(0), "{}", run.err);
    (fs::read(sandbox.path("made.hmap")).unwrap(), run.err)
}

fn kept(sandbox: &Sandbox) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(sandbox.path("cache/hindmost/maps")) else {
        return Vec::new();
    };
    let mut paths = Vec::from_iter(entries.map(|entry| entry.unwrap().path()));
    paths.sort();
    paths
}

/// A sequence of numbers that a seed gives.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// One random change of one file.
fn edit(sandbox: &Sandbox, random: &mut Random, step: usize) {
    let name = format!("src/f{}.c", random.below(6));
    let old = fs::read_to_string(sandbox.path(&name)).unwrap_or_default();
    match random.below(7) {
        0 => drop(sandbox.write(&name, format!("{old}int more{step}(void) {{ return calls; }}\n"))),
        1 => drop(sandbox.write(&name, old.replace("calls++", "calls += 2"))),
        2 => drop(sandbox.write(&name, old.replace("calls += 2", "calls++"))),
        3 => drop(sandbox.write(
            "src/n.h",
            format!("#define N {step}\n#define EACH(i) for (i = N; i > 0; i--)\n"),
        )),
        4 => drop(sandbox.write(&name, format!("\n{old}"))),
        5 => {
            // It may be gone already.
            let _ = fs::remove_file(sandbox.path(&name));
        }
        _ => drop(sandbox.write(&name, format!("{old}int bad{step}( {{ while ( }}\n"))),
    }
}

#[test]
fn after_random_edits_the_map_is_the_one_from_scratch() {
    for seed in 1..=3 {
        let sandbox = Sandbox::new(&format!("edits-{seed}"));
        write_program(&sandbox);
        let mut random = Random(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed));
        for step in 0..8 {
            let first = map(&sandbox, &[]);
            let second = map(&sandbox, &[]);
            let scratch = map(&sandbox, &["--no-cache", "--jobs", "1"]);
            assert!(
                first == scratch,
                "seed {seed}, step {step}: first run\n{}",
                first.1
            );
            assert!(
                second == scratch,
                "seed {seed}, step {step}: second run\n{}",
                second.1
            );
            edit(&sandbox, &mut random, step);
            sandbox.write("src/g.c", "int g(void) { return 0; }\n");
        }
    }
}

#[test]
fn the_second_run_uses_what_the_first_kept() {
    let sandbox = Sandbox::new("second-run");
    write_program(&sandbox);
    map(&sandbox, &["--no-cache"]);
    assert!(kept(&sandbox).is_empty(), "--no-cache keeps nothing");
    let first = map(&sandbox, &[]);
    let [path] = &kept(&sandbox)[..] else {
        panic!("one map is kept: {:?}", kept(&sandbox));
    };
    assert_eq!(fs::read(path).unwrap(), first.0);
    // The proof that it is used: a sound map of something else in its place is what comes out.
    sandbox.write("other/o.c", "int o(void) { return 1; }\n");
    sandbox.ok(&["map", "-q", "--no-cache", "-o", "other.hmap", "other"]);
    let other = fs::read(sandbox.path("other.hmap")).unwrap();
    fs::write(path, &other).unwrap();
    assert_eq!(map(&sandbox, &[]).0, other);
    assert_eq!(map(&sandbox, &["--no-cache"]).0, first.0);
}

#[test]
fn what_is_damaged_is_made_anew() {
    let sandbox = Sandbox::new("damaged");
    write_program(&sandbox);
    let (whole, _) = map(&sandbox, &[]);
    let path = kept(&sandbox).remove(0);
    let mut random = Random(7);
    for round in 0..12 {
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes.truncate(random.below(whole.len())),
            1 => bytes[random.below(whole.len())] ^= 1 << random.below(8),
            _ => bytes = b"not a map".to_vec(),
        }
        fs::write(&path, &bytes).unwrap();
        let (made, said) = map(&sandbox, &[]);
        assert!(made == whole, "round {round}: {said}");
        assert!(
            fs::read(&path).unwrap() == whole,
            "round {round}: the damage stays"
        );
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let sandbox = Sandbox::new("no-room");
    write_program(&sandbox);
    sandbox.write("cache", "a file where a directory should be");
    let run = sandbox.run(&["map", "-q", "-o", "made.hmap", "src"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("could not be kept"), "{}", run.err);
}
