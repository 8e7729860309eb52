//! Executables, debug files and what else users may hand over; sources and identities.

use crate::support::{MapBuilder, Program, binding, have, run, sources};
use bind::{
    BindError, CompiledFile, Language, Mismatch, bind, build_id_at_head, check, compiled_files, identity,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Splits the debug info off, as distributions do; returns the stripped executable and the debug file.
fn split(program: &Program) -> (Vec<u8>, Vec<u8>) {
    let path = |name: &str| program.scratch.0.join(name);
    let (stripped, debug) = (path("stripped"), path("program.debug"));
    run(Command::new("objcopy")
        .arg("--only-keep-debug")
        .args([&program.path, &debug]));
    let link = format!("--add-gnu-debuglink={}", debug.display());
    run(Command::new("objcopy")
        .arg("--strip-all")
        .arg(link)
        .args([&program.path, &stripped]));
    (std::fs::read(stripped).unwrap(), std::fs::read(debug).unwrap())
}

#[test]
fn a_separate_debug_file_gives_the_same_binding() {
    for flags in [
        &["-g", "-O2"][..],
        &["-g", "-O1", "-gz", "-no-pie"],
        &["-g", "-O1", "-Wl,--build-id=none"],
    ] {
        let Some(program) = Program::solve("gcc", flags) else {
            return;
        };
        let (stripped, debug) = split(&program);
        let whole = program.bound();
        let mut map = program.map();
        bind(&mut map, &stripped, Some(&debug), "program").unwrap();
        assert_eq!(map, whole, "{}", program.label);
        assert_eq!(sources(&stripped, Some(&debug)), sources(&program.bytes, None));

        let about = identity(&stripped).unwrap();
        assert!(!about.has_debug_info && identity(&program.bytes).unwrap().has_debug_info);
        assert_eq!(about.hints.debuglink.as_deref(), Some("program.debug"));
        let with_id = !flags.contains(&"-Wl,--build-id=none");
        assert_eq!(about.hints.build_id_path.is_some(), with_id);
        let error = bind(&mut program.map(), &stripped, None, "program").unwrap_err();
        assert_eq!(error, BindError::NoDebugInfo(about.hints));
        assert!(
            error.to_string().contains("-g") && error.to_string().contains("program.debug"),
            "{error}"
        );

        let other = Program::solve("gcc", &["-g", "-O0"]).unwrap();
        let (_, wrong) = split(&other);
        let error = bind(&mut program.map(), &stripped, Some(&wrong), "program").unwrap_err();
        assert!(matches!(error, BindError::WrongDebugFile { .. }), "{error}");
        let error = bind(&mut program.map(), &debug, None, "program").unwrap_err();
        assert_eq!(error, BindError::DebugFileAlone);

        assert_eq!(check(&whole, &stripped), Ok(()), "stripping keeps the build");
        let expected = check(&whole, &other.bytes).unwrap_err();
        assert_eq!(
            matches!(expected, Mismatch::BuildId { .. }),
            with_id,
            "{expected}"
        );
        assert_eq!(check(&program.map(), &stripped), Err(Mismatch::NotBound));
        assert_eq!(
            check(&whole, b"#!/bin/sh"),
            Err(Mismatch::Unreadable(BindError::NotElf))
        );
    }
}

#[test]
fn the_build_id_is_that_of_readelf() {
    let Some(program) = Program::solve("gcc", &["-g", "-O0"]) else {
        return;
    };
    let notes = run(Command::new("readelf").arg("-n").arg(&program.path));
    let expected = notes
        .split("Build ID: ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let found = identity(&program.bytes).unwrap();
    let hex = String::from_iter(found.build_id.iter().map(|byte| format!("{byte:02x}")));
    assert_eq!(hex, expected);
    assert_eq!(
        build_id_at_head(&program.bytes[..4096]),
        Some(&found.build_id[..])
    );
    for cut in 0..1024 {
        let id = build_id_at_head(&program.bytes[..cut]);
        assert!(id.is_none_or(|id| id == found.build_id), "cut at {cut}");
    }
    assert_eq!(
        found.hints.build_id_path.unwrap(),
        format!(".build-id/{}/{}.debug", &hex[..2], &hex[2..])
    );
    let text = program.scratch.0.join("text");
    let mut command = Command::new("objcopy");
    run(command
        .args(["-O", "binary", "--only-section=.text"])
        .args([&program.path, &text]));
    assert_eq!(
        found.text_hash,
        *blake3::hash(&std::fs::read(text).unwrap()).as_bytes()
    );
    let map = program.bound();
    assert_eq!(binding(&map).build_id, found.build_id);
    assert_eq!(binding(&map).text_hash, found.text_hash);
    assert!(
        binding(&map).producer.contains("GNU C"),
        "{}",
        binding(&map).producer
    );
}

#[test]
fn sources_are_units_and_headers_with_code() {
    for (compiler, flags) in [
        ("gcc", &["-g", "-O0"][..]),
        ("gcc", &["-g", "-O2", "-flto"]),
        ("clang", &["-g", "-O2"]),
    ] {
        let Some(program) = Program::solve(compiler, flags) else {
            continue;
        };
        let found = sources(&program.bytes, None).unwrap();
        let here = program.scratch.0.display().to_string();
        assert!(found.directories.contains(&here), "{:?}", found.directories);
        let mut found = Vec::from_iter(found.units.iter().map(|unit| {
            assert_eq!(unit.language, Language::C);
            assert!(!unit.producer.is_empty());
            (Path::new(&unit.path).to_owned(), unit.is_header)
        }));
        // gcc attributes inlined library functions to their headers.
        found.retain(|(path, _)| path.starts_with(&program.scratch.0));
        let path = |name: &str| program.scratch.0.join(name);
        let expected = [
            (path("mesh.h"), true),
            (path("norm.c"), false),
            (path("solve.c"), false),
        ];
        assert_eq!(found, expected, "{}", program.label);
    }
}

/// What a build tells of its files.
fn files_of(program: &Program) -> BTreeMap<String, CompiledFile> {
    let program = bind::Program {
        executable: &program.bytes,
        ..Default::default()
    };
    compiled_files(&program).unwrap()
}

/// A source that another one includes is compiled twice, perhaps in two ways; one whose functions the linker has inlined elsewhere is not.
#[test]
fn sources_that_are_compiled_once_have_their_lines() {
    let util = "static int next(int n)\n{\n    return n * 3 + 1;\n}\nint far(int n)\n{\n    return next(n) ^ next(n + 1);\n}\n";
    let calls = "int far(int);\nint main(int argc, char **argv)\n{\n    return far(argc) + !argv;\n}\n";
    let includes = "#define far other\n#include \"util.c\"\n#undef far\nint far(int);\nint main(int argc, char **argv)\n{\n    return other(far(argc)) + !argv;\n}\n";
    for (compiler, flags) in [
        ("gcc", &["-g", "-O2"][..]),
        ("gcc", &["-g", "-O3", "-flto"]),
        ("clang", &["-g", "-O2"]),
        ("clang", &["-g", "-O3", "-flto", "-fuse-ld=lld"]),
    ] {
        for (main, is_compiled_once) in [(calls, true), (includes, false)] {
            let sources = [("main.c", main), ("util.c", util)];
            let Some(program) = Program::build(compiler, flags, &sources) else {
                continue;
            };
            let lines = files_of(&program);
            let of_util = lines.iter().find(|(path, _)| path.ends_with("util.c"));
            let has_lines =
                of_util.is_some_and(|(_, file)| file.lines.contains(&3) || file.lines.contains(&7));
            assert_eq!(has_lines, is_compiled_once, "{}: {lines:?}", program.label);
        }
    }
}

/// Of headers only those have lines that one unit includes.
#[test]
fn headers_that_one_unit_includes_have_their_lines() {
    let one = "static int once(int n)\n{\n    return n * 3 + 1;\n}\n";
    let both = "static int twice(int n)\n{\n    return n * 5 + 1;\n}\n";
    let main = "#include \"one.h\"\n#include \"both.h\"\nint far(int);\nint main(int argc, char **argv)\n{\n    return once(far(argc)) + twice(argc) + !argv;\n}\n";
    let util = "#include \"both.h\"\nint far(int n)\n{\n    return twice(n);\n}\n";
    let sources = [
        ("one.h", one),
        ("both.h", both),
        ("main.c", main),
        ("util.c", util),
    ];
    for (compiler, flags) in [
        ("gcc", &["-g", "-O0"][..]),
        ("gcc", &["-g", "-O2"]),
        ("clang", &["-g", "-O0"]),
    ] {
        let Some(program) = Program::build(compiler, flags, &sources) else {
            continue;
        };
        let files = files_of(&program);
        let of = |name: &str| files.iter().find(|(path, _)| path.ends_with(name)).unwrap().1;
        assert!(
            of("one.h").is_included && of("one.h").lines.is_superset(&[1, 3].into()),
            "{}",
            program.label
        );
        assert!(
            of("both.h").is_included && of("both.h").lines.is_empty(),
            "{}",
            program.label
        );
        assert!(
            !of("util.c").is_included && !of("util.c").lines.is_empty(),
            "{}",
            program.label
        );
    }
}

/// clang writes down what it has read, and gcc 12 does not.
#[test]
fn a_text_is_told_from_another_one() {
    let header = "static int once(int n)\n{\n    return n * 3 + 1;\n}\n";
    let main = "#include \"one.h\"\nint main(int argc, char **argv)\n{\n    return once(argc) + !argv;\n}\n";
    let sources = [("one.h", header), ("main.c", main)];
    for (compiler, flags, is_told) in [
        ("clang", &["-gdwarf-5", "-O0"][..], true),
        ("clang", &["-gdwarf-5", "-O2"], true),
        ("clang", &["-gdwarf-4", "-O0"], false),
        ("gcc", &["-gdwarf-5", "-O0"], false),
    ] {
        let Some(program) = Program::build(compiler, flags, &sources) else {
            continue;
        };
        let files = files_of(&program);
        for (name, text) in sources {
            let file = files.iter().find(|(path, _)| path.ends_with(name)).unwrap().1;
            let same = file.is_made_of(text.as_bytes());
            let other = file.is_made_of(format!("{text} ").as_bytes());
            assert_eq!(same, is_told.then_some(true), "{} {name}", program.label);
            assert_eq!(other, is_told.then_some(false), "{} {name}", program.label);
        }
    }
}

#[test]
fn relative_and_moved_paths_are_found() {
    let source = |name: &str| format!("int {name}(int n)\n{{\n    return n + 1;\n}}\n");
    let main = "int one(int), two(int);\nint main(int argc, char **argv)\n{\n    return one(two(argc)) * !argv;\n}\n";
    let files = [
        ("main.c", main),
        ("src/util.c", &source("one")),
        ("src/x/util.c", &source("two")),
    ];
    for flags in [
        &["-g"][..],
        &["-g", "-ffile-prefix-map=/tmp=/elsewhere"],
        &["-g", "-gdwarf-4"],
    ] {
        for prefix in ["", "./", "../src/../", "/some/build/tree/"] {
            let Some(program) = Program::build("gcc", flags, &files) else {
                return;
            };
            let mut builder = MapBuilder::default();
            let names = ["main", "one", "two"];
            for ((path, source), name) in files.iter().zip(names) {
                let file = builder.file(&format!("{prefix}{path}"), source);
                builder.function(file, name, Vec::new());
            }
            let mut map = builder.map;
            let diagnostics = bind(&mut map, &program.bytes, None, "program").unwrap();
            for (id, function) in map.functions.iter_enumerated() {
                let mut bound = binding(&map).functions.iter();
                let bound = bound.find(|bound| bound.function == Some(id));
                let name = bound.map(|bound| &bound.name);
                assert_eq!(name, Some(&function.name), "{flags:?} {prefix}: {diagnostics:?}");
            }
        }
    }
}

#[test]
fn other_files_are_refused_by_name() {
    let refused = |bytes: &[u8]| identity(bytes).unwrap_err();
    assert_eq!(refused(b""), BindError::NotElf);
    assert_eq!(refused(b"#!/bin/sh\nexec ./program\n"), BindError::NotElf);
    assert!(matches!(refused(b"\x7fELF"), BindError::Damaged(_)));
    let Some(program) = Program::solve("gcc", &["-g", "-O0"]) else {
        return;
    };
    let changed = |at: usize, value: u8| {
        let mut bytes = program.bytes.clone();
        bytes[at] = value;
        refused(&bytes)
    };
    assert_eq!(
        changed(4, 1),
        BindError::OtherMachine("32-bit little-endian ELF".to_owned())
    );
    assert_eq!(
        changed(5, 2),
        BindError::OtherMachine("64-bit big-endian ELF".to_owned())
    );
    assert_eq!(
        changed(18, 183),
        BindError::OtherMachine("ELF for machine number 183".to_owned())
    );
    assert!(matches!(changed(16, 4), BindError::NotLinked("a core file")));
    let object = program.scratch.0.join("norm.o");
    run(Command::new("gcc")
        .current_dir(&program.scratch.0)
        .args(["-g", "-c", "norm.c", "-o"])
        .arg(&object));
    assert!(matches!(
        refused(&std::fs::read(object).unwrap()),
        BindError::NotLinked(_)
    ));

    let plain = Program::solve("gcc", &["-O0"]).unwrap();
    let error = bind(&mut plain.map(), &plain.bytes, None, "program").unwrap_err();
    assert!(
        matches!(error, BindError::NoDebugInfo(_)) && error.to_string().contains("-g"),
        "{error}"
    );
    let dwo = Program::solve("gcc", &["-g", "-gsplit-dwarf"]).unwrap();
    let error = bind(&mut dwo.map(), &dwo.bytes, None, "program").unwrap_err();
    assert!(
        matches!(&error, BindError::SplitDwarf(name) if name.ends_with(".dwo")),
        "{error}"
    );
}

#[test]
fn functions_that_the_linker_dropped_leave_no_rows() {
    let source = "int unused(int n)\n{\n    return n * 3;\n}\n\nint main(int argc, char **argv)\n{\n    return argc + !argv;\n}\n";
    let linkers: [&[&str]; 2] = [&[], &["-fuse-ld=lld"]];
    for linker in linkers {
        if !linker.is_empty() && !have("ld.lld") {
            continue;
        }
        for pie in ["-pie", "-no-pie"] {
            let flags = [
                &["-g", "-O1", "-ffunction-sections", "-Wl,--gc-sections", pie],
                linker,
            ]
            .concat();
            let Some(program) = Program::build("gcc", &flags, &[("gc.c", source)]) else {
                return;
            };
            let mut builder = MapBuilder::default();
            let file = builder.file("gc.c", source);
            builder.function(file, "unused", Vec::new());
            builder.function(file, "main", Vec::new());
            let mut map = builder.map;
            bind(&mut map, &program.bytes, None, "program").unwrap();
            let names = Vec::from_iter(binding(&map).functions.iter().map(|f| f.name.as_str()));
            assert_eq!(names, ["main"], "{flags:?}");
            assert!(
                binding(&map)
                    .rows
                    .iter()
                    .all(|row| row.line == 0 || row.line >= 6),
                "{flags:?}"
            );
        }
    }
}

/// Nobody goes on behind a call of `exit`, wherever the compiler has put what follows in memory; and of all calls of this program that one alone may come to MPI, by what
/// runs at the end. So who has passed the test knows that `failed` is 0.
#[test]
fn nobody_comes_back_from_exit() {
    let source = "#include <stdlib.h>\n#include <string.h>\nvolatile int sum;\n__attribute__((noipa)) static void add(int n)\n{\n    sum += n;\n}\n\
                  int main(int argc, char **argv)\n{\n    int failed = strcmp(argv[0], \"x\") == 0;\n    if (failed)\n        exit(failed);\n    \
                  for (int i = 0; i < argc; i++)\n        add(i);\n    return sum != 0;\n}\n";
    for flags in [&["-g", "-Os"][..], &["-g", "-O2", "-fno-plt"], &["-g", "-O0"]] {
        let Some(program) = Program::build("gcc", flags, &[("main.c", source)]) else {
            return;
        };
        let mut map = MapBuilder::default().map;
        bind(&mut map, &program.bytes, None, "program").unwrap();
        let bound = binding(&map);
        let main = bound
            .functions
            .iter()
            .find(|function| function.name == "main")
            .unwrap();
        let code = &bound.code;
        let blocks = (0u32..).zip(&code.blocks);
        let inside = blocks.filter(|(_, block)| (main.start..main.end).contains(&block.start));
        let ends = Vec::from_iter(inside.filter(|(_, block)| block.communicates));
        let &[(exit, _)] = &ends[..] else {
            panic!("{}: {ends:?}", program.label);
        };
        assert_eq!(code.ways_from(exit).len(), 0, "{}", program.label);
    }
}
