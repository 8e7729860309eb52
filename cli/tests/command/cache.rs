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
    match random.below(12) {
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
        6 => drop(sandbox.write(&name, format!("{old}int bad{step}( {{ while ( }}\n"))),
        7 => {
            let renamed = sandbox.path(&format!("src/r{}.c", random.below(3)));
            let _ = fs::rename(sandbox.path(&name), renamed);
        }
        // A header of the same name nearer to some files, and a type and a function that others may ask about.
        8 => drop(sandbox.write(
            "src/near/n.h",
            format!("#define N {step}\n#define EACH(i) while (i < N)\n"),
        )),
        9 => {
            let far = format!("src/near/h{step}.c");
            let text = old.replace("int f", "int near_f");
            sandbox.write(
                &far,
                format!("#define calls (*p{step}())\ntypedef int T{step};\n{text}"),
            );
        }
        10 => drop(sandbox.write(
            &format!("src/c{step}.cc"),
            "struct S { int calls; void more(int &n) { n++; calls--; } };\nint f1(int &n);\n",
        )),
        _ => drop(sandbox.write(&name, old.replace("#include \"n.h\"", "#include \"near/n.h\""))),
    }
}

/// What is kept of single files.
fn units(sandbox: &Sandbox) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(sandbox.path("cache/hindmost/units")) else {
        return Vec::new();
    };
    let mut paths = Vec::from_iter(entries.map(|entry| entry.unwrap().path()));
    paths.sort();
    paths
}

/// Damages one of the units, sometimes.
fn damage_units(sandbox: &Sandbox, random: &mut Random) {
    let paths = units(sandbox);
    let path = &paths[random.below(paths.len())];
    let mut bytes = fs::read(path).unwrap();
    match random.below(4) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        2 => bytes = fs::read(&paths[random.below(paths.len())]).unwrap(),
        _ => return,
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn runs_at_the_same_time_share_what_is_kept() {
    let sandbox = Sandbox::new("at-once");
    write_program(&sandbox);
    for round in 0..3 {
        sandbox.write("src/g.c", format!("int g(void) {{ return {round}; }}\n"));
        let (scratch, _) = map(&sandbox, &["--no-cache"]);
        let outputs = ["a.hmap", "b.hmap", "c.hmap"];
        let runs = outputs.map(|output| {
            sandbox
                .command(&["map", "-q", "-o", output, "src"])
                .spawn()
                .unwrap()
        });
        for (mut run, output) in runs.into_iter().zip(outputs) {
            assert!(run.wait().unwrap().success());
            assert!(
                fs::read(sandbox.path(output)).unwrap() == scratch,
                "round {round}: {output}"
            );
        }
        let left = units(&sandbox);
        let whole = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "unit");
        assert!(left.iter().all(whole), "something half-written is left: {left:?}");
    }
}

#[test]
fn after_random_edits_the_map_is_the_one_from_scratch() {
    for seed in 1..=3 {
        let sandbox = Sandbox::new(&format!("edits-{seed}"));
        write_program(&sandbox);
        let mut random = Random(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed));
        for step in 0..10 {
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
            for _ in 0..=random.below(2) {
                edit(&sandbox, &mut random, step);
            }
            damage_units(&sandbox, &mut random);
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

/// A project with a compile command whose compiler notes its runs: `a.c` includes a header of the system, as far as the
/// map can see, and that one another.
fn write_build(sandbox: &Sandbox) {
    sandbox.write(
        "src/a.c",
        "#include <loops.h>\nint work(int);\nint f(int n) {\n  int sum = 0;\n  EACH_BEGIN(i, n)\n    sum += work(i);\n  EACH_END\n  return sum;\n}\n",
    );
    sandbox.write(
        "system/loops.h",
        "#include <limits.h>\n#include <more.h>\n#define EACH_END }}\n",
    );
    sandbox.write(
        "system/more.h",
        "#define EACH_BEGIN(i, n) { int i; for (i = 0; i < (n); i++) {\n",
    );
    fs::create_dir_all(sandbox.path("first")).unwrap();
    let compiler = sandbox.write("bin/cc", "#!/bin/sh\necho \"$*\" >> runs\nexec gcc \"$@\"\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&compiler, executable).unwrap();
    write_command(sandbox, &["-DX=1"]);
    settle();
}

fn write_command(sandbox: &Sandbox, more: &[&str]) {
    let mut arguments = vec!["bin/cc", "-Ifirst", "-isystem", "system", "-c", "src/a.c"];
    arguments.extend(more);
    let entry = serde_json::json!([{"directory": sandbox.root, "file": "src/a.c", "arguments": arguments}]);
    sandbox.write("compile_commands.json", entry.to_string());
}

/// What has changed just now may change again, as far as the clock of the file system can tell, and is not kept.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(120));
}

/// The map with the build's preprocessor, which must be the one that is made without anything kept, and whether a
/// preprocessor ran for it.
#[track_caller]
fn preprocessed(sandbox: &Sandbox) -> (Vec<u8>, bool) {
    let map = |more: &[&str]| {
        let arguments = [
            &["map", "-q", "-p", ".", "--trust-build", "-o", "made.hmap"][..],
            more,
        ]
        .concat();
        let run = sandbox.run(&arguments);
        assert_eq!(run.code, Some(0), "{}", run.err);
        fs::read(sandbox.path("made.hmap")).unwrap()
    };
    let _ = fs::remove_file(sandbox.path("runs"));
    let made = map(&[]);
    let runs = fs::read_to_string(sandbox.path("runs")).unwrap();
    let ran = runs.lines().any(|line| line.contains("a.c"));
    assert!(
        made == map(&["--no-cache"]),
        "the kept map is another than a fresh one"
    );
    (made, ran)
}

#[test]
fn a_map_with_a_preprocessor_is_kept_while_its_inputs_stay() {
    let found = std::process::Command::new("gcc")
        .arg("--version")
        .output()
        .is_ok();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "gcc is not installed, and CI must have it"
    );
    if !found {
        eprintln!("SKIPPED: gcc is not installed");
        return;
    }
    let sandbox = Sandbox::new("preprocessed");
    write_build(&sandbox);
    let (first, ran) = preprocessed(&sandbox);
    assert!(ran, "nothing is kept at first");
    assert_eq!(
        preprocessed(&sandbox),
        (first.clone(), false),
        "nothing has changed"
    );

    // A header that no map sees, two includes away.
    sandbox.write(
        "system/more.h",
        "#define EACH_BEGIN(i, n) { int i; for (i = (n); i > 0; i -= 2) {\n",
    );
    settle();
    let (down, ran) = preprocessed(&sandbox);
    assert!(ran && down != first);
    assert_eq!(preprocessed(&sandbox), (down.clone(), false));

    // A header that was not there, in front of the one that was read.
    sandbox.write(
        "first/more.h",
        "#define EACH_BEGIN(i, n) { int i = 0; while (work(i)) {\n",
    );
    settle();
    let (other, ran) = preprocessed(&sandbox);
    assert!(ran && other != down && other != first);
    fs::remove_file(sandbox.path("first/more.h")).unwrap();
    assert_eq!(preprocessed(&sandbox).0, down);

    // A flag, and a compiler that calls itself something else.
    write_command(&sandbox, &["-DX=2"]);
    assert!(preprocessed(&sandbox).1, "another flag");
    assert!(!preprocessed(&sandbox).1);
    sandbox.write(
        "bin/cc",
        "#!/bin/sh\necho \"$*\" >> runs\necho new >&2\nexec gcc \"$@\"\n",
    );
    settle();
    assert!(preprocessed(&sandbox).1, "another compiler");
    assert!(!preprocessed(&sandbox).1);

    // An option that names files which the output does not show.
    sandbox.write("system/hidden.h", "#define Y 1\n");
    write_command(&sandbox, &["-imacros", "system/hidden.h"]);
    settle();
    assert!(
        preprocessed(&sandbox).1 && preprocessed(&sandbox).1,
        "not to be kept"
    );
}

#[test]
fn damage_to_what_was_kept_of_a_build_is_noticed() {
    if std::process::Command::new("gcc")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let sandbox = Sandbox::new("preprocessed-damage");
    write_build(&sandbox);
    let (first, _) = preprocessed(&sandbox);
    let [path] = &kept(&sandbox)[..] else {
        panic!("one map is kept: {:?}", kept(&sandbox));
    };
    let whole = fs::read(path).unwrap();
    let mut random = Random(7);
    for _ in 0..12 {
        let mut damaged = whole.clone();
        match random.below(3) {
            0 => damaged.truncate(random.below(whole.len())),
            _ => damaged[random.below(whole.len())] ^= 1 << random.below(8),
        }
        fs::write(path, damaged).unwrap();
        assert_eq!(preprocessed(&sandbox), (first.clone(), true));
    }
    assert_eq!(preprocessed(&sandbox), (first, false));
}

#[test]
fn a_dependence_graph_is_kept_and_damage_is_told() {
    let sandbox = Sandbox::new("kept-graph");
    write_program(&sandbox);
    let slice = || sandbox.run(&["slice", "--all", "--slice-format", "lines", "src/f2.c:3", "src"]);
    let graphs = || -> Vec<PathBuf> {
        let entries = fs::read_dir(sandbox.path("cache/hindmost/graphs")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let first = slice();
    assert_eq!((first.code, first.err.as_str()), (Some(0), ""));
    let [kept] = &graphs()[..] else {
        panic!("one graph is kept");
    };
    let bytes = fs::read(kept).unwrap();

    // What was read of single files is not needed any more: it would be made again.
    fs::remove_dir_all(sandbox.path("cache/hindmost/units")).unwrap();
    let second = slice();
    assert_eq!(
        (second.out.as_str(), second.err.as_str()),
        (first.out.as_str(), "")
    );
    assert!(!sandbox.path("cache/hindmost/units").exists(), "it was made anew");

    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for wrong in [&damaged[..], &bytes[..bytes.len() - 1], &[]] {
        fs::write(kept, wrong).unwrap();
        let third = slice();
        assert_eq!(third.out, first.out);
        assert!(third.err.contains("is damaged and made anew"), "{}", third.err);
        assert!(fs::read(kept).unwrap() == bytes, "it is kept again");
    }

    sandbox.write("src/f2.c", "int f2(int n) {\n  n++;\n  return n; }\n");
    let changed = slice();
    assert_eq!((changed.code, changed.err.as_str()), (Some(0), ""));
    assert_ne!(changed.out, first.out);
    assert_eq!(graphs().len(), 2);
}
