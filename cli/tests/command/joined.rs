//! Programs that are put together of what does not belong together: maps of several builds, fragments of several versions of hindmost, objects for other machines,
//! and code that the linker makes.

use crate::embedded::{forget, found, sections, tool, wrapped, written};

#[test]
fn of_two_maps_in_a_program_its_own_counts() {
    let sandbox = written("joined-maps");
    for (name, level) in [("app", "-O1"), ("other", "-O0")] {
        tool(
            &sandbox,
            &["cc", "-g", level, "-o", name, "src/main.c", "src/work.c"],
        );
        let map = format!("{name}.hmap");
        sandbox.ok(&["map", "-q", "--exe", name, "-o", &map]);
    }
    let map = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    let (own, other) = (map("app.hmap"), map("other.hmap"));
    std::fs::remove_file(sandbox.path("app.hmap")).unwrap();
    sandbox.write("own.hmap", &own);
    let shown = sandbox.ok(&["show", "own.hmap", "src/work.c:6"]);
    for (name, content) in [
        ("before", [&other[..], &own].concat()),
        ("behind", [&own[..], &other].concat()),
        ("cut", [&other[..], &own, &other[..100]].concat()),
    ] {
        sandbox.write("content", content);
        let section = ".hindmost.map=content";
        tool(&sandbox, &["objcopy", "--add-section", section, "app", name]);
        assert_eq!(sandbox.ok(&["show", name, "src/work.c:6"]), shown, "{name}");
        sandbox.ok(&["extract", name, "-o", "out.hmap"]);
        assert!(map("out.hmap") == own, "{name}");
    }
    forget(&sandbox);
    let (answer, said) = found(&sandbox, "before");
    assert_eq!((&answer["map"]["from"], &*said), (&"program".into(), ""));
}

#[test]
fn fragments_of_another_version_cost_no_more_than_themselves() {
    let sandbox = written("joined-versions");
    wrapped(&sandbox, &["cc", "-g", "-O1", "-c", "src/main.c"]);
    wrapped(&sandbox, &["cc", "-g", "-O1", "-c", "src/work.c"]);
    sandbox.write("content", b"hindmost-unit 1 abc\0");
    let section = ".hindmost.units=content";
    tool(
        &sandbox,
        &["objcopy", "--update-section", section, "main.o", "older.o"],
    );
    tool(&sandbox, &["cc", "older.o", "work.o", "-o", "app"]);
    let process = sandbox.start("app", &["3"]);
    let find = || sandbox.run(&["find", &process.pid()]).out;
    // The sources know both files, and without them the file of this version is known.
    for known in ["main.c:5", "count=6"] {
        assert!(find().contains(known), "{}", find());
    }
    forget(&sandbox);
    std::fs::remove_dir_all(sandbox.path("src")).unwrap();
    let said = find();
    assert!(said.contains("count=6"), "{said}");
    assert!(
        said.contains("written by another version of hindmost (layout 1)"),
        "{said}"
    );
}

#[test]
fn objects_for_other_machines_are_left_as_they_are_or_carry_their_part() {
    let sandbox = written("joined-machines");
    sandbox.write("t.c", "int twice(int n)\n{\n    return 2 * n;\n}\n");
    tool(&sandbox, &["cc", "-m32", "-c", "t.c", "-o", "alone.o"]);
    let run = wrapped(&sandbox, &["cc", "-m32", "-c", "t.c", "-o", "wrapped.o"]);
    assert!(run.err.contains("not an ELF file of 64 bits"), "{}", run.err);
    let bytes = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    assert!(bytes("alone.o") == bytes("wrapped.o"), "32 bits");
    let why = sandbox.refused(&["embed", "alone.o"]);
    assert!(why.contains("32-bit little-endian ELF"), "{why}");
    // A build for another machine is well served by the map of its sources.
    let target = "--target=aarch64-linux-gnu";
    wrapped(&sandbox, &["clang", target, "-c", "t.c", "-o", "arm.o"]);
    assert!(sections(&sandbox, "arm.o").contains(".hindmost.units"));
    let why = sandbox.refused(&["embed", "arm.o"]);
    assert!(why.contains("machine number 183"), "{why}");
}

#[test]
fn a_program_of_link_time_optimisation_gets_its_map_behind_the_link() {
    let sandbox = written("joined-lto");
    tool(
        &sandbox,
        &[
            "cc",
            "-g",
            "-O1",
            "-flto",
            "-o",
            "app",
            "src/main.c",
            "src/work.c",
        ],
    );
    sandbox.ok(&["embed", "app"]);
    let (answer, said) = found(&sandbox, "app");
    assert_eq!((&answer["map"]["from"], &*said), (&"program".into(), ""));
}

#[test]
fn a_full_disk_costs_the_map_and_nothing_else() {
    let sandbox = written("joined-full");
    tool(
        &sandbox,
        &["cc", "-g", "-O1", "-o", "app", "src/main.c", "src/work.c"],
    );
    let before = std::fs::read(sandbox.path("app")).unwrap();
    let why = sandbox.refused(&["embed", "app", "-o", "/dev/full"]);
    assert!(why.contains("cannot write /dev/full"), "{why}");
    let why = sandbox.refused(&["embed", "app", "-o", "no/such/place"]);
    assert!(why.contains("no/such/place"), "{why}");
    assert!(std::fs::read(sandbox.path("app")).unwrap() == before);
}
