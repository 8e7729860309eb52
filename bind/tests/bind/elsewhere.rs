//! Debug info that is not in the program: split, packed, shared, compressed. Wherever it is, the binding is the same.

use crate::support::{Program, binding, have, run};
use bind::{BindError, bind_program, needs, sources};
use progress_map::{Binding, Map};
use std::process::Command;

/// What a binding says of the code, without what names the build.
fn essence(map: &Map) -> Binding {
    let mut binding = binding(map).clone();
    binding.build_id.clear();
    binding.producer.clear();
    binding
}

/// Compiles the larger program; its `.dwo` files stay where the compiler put them.
fn split_program(compiler: &str, flags: &[&str]) -> Option<Program> {
    Program::solve(compiler, &[flags, &["-gsplit-dwarf"]].concat())
}

/// The same program, whose debug info is all in itself, in the directory of the split one.
fn whole_program(split: &Program, compiler: &str, flags: &[&str]) -> Map {
    let mut command = Command::new(compiler);
    command.current_dir(&split.scratch.0).args(flags);
    run(command.args(["-o", "whole", "norm.c", "solve.c", "-lm"]));
    let bytes = std::fs::read(split.scratch.0.join("whole")).unwrap();
    let mut map = split.map();
    bind::bind(&mut map, &bytes, None, "program").unwrap();
    map
}

/// The files that the program's debug info needs, as a caller would find them.
fn dwo_files(program: &Program) -> Vec<(String, Vec<u8>)> {
    let needs = needs(&program.bytes, None).unwrap();
    assert_eq!(needs.split.len(), 2, "{needs:?}");
    needs
        .split
        .into_iter()
        .map(|path| {
            (
                path.clone(),
                std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}")),
            )
        })
        .collect()
}

const SPLIT: [(&str, &[&str]); 5] = [
    ("gcc", &["-g", "-O2"]),
    ("gcc", &["-g", "-O0", "-fdebug-types-section"]),
    ("gcc", &["-gdwarf-4", "-O3"]),
    ("clang", &["-gdwarf-5", "-O2"]),
    ("clang", &["-gdwarf-4", "-O1"]),
];

#[test]
fn split_debug_info_gives_the_same_binding() {
    for (compiler, flags) in SPLIT {
        let Some(program) = split_program(compiler, flags) else {
            continue;
        };
        let files = dwo_files(&program);
        let whole = whole_program(&program, compiler, flags);
        let parts = bind::Program {
            executable: &program.bytes,
            split: &files,
            ..bind::Program::default()
        };
        let mut map = program.map();
        let said = bind_program(&mut map, &parts, "program").unwrap();
        assert!(
            !said.iter().any(|note| note.message.contains("missing")),
            "{said:?}"
        );
        assert_eq!(essence(&map), essence(&whole), "{}", program.label);
        let found = Vec::from_iter(sources(&parts).unwrap().units.into_iter().map(|unit| unit.path));
        for name in ["mesh.h", "norm.c", "solve.c"] {
            let path = program.scratch.0.join(name).display().to_string();
            assert!(
                found.contains(&path) || name == "mesh.h",
                "{}: {found:?}",
                program.label
            );
        }

        // Half of them: what is there is bound, and what is not is named.
        let parts = bind::Program {
            split: &files[..1],
            ..parts
        };
        let said = bind_program(&mut map, &parts, "program").unwrap();
        let named = said.iter().any(|note| note.message.contains(&files[1].0));
        assert!(named, "{said:?}");
        let names = |map: &Map| binding(map).functions.len();
        assert!((1..names(&whole)).contains(&names(&map)), "{}", program.label);
    }
}

#[test]
fn a_package_gives_the_same_binding() {
    for (compiler, flags) in SPLIT {
        // Debian 12 has nothing that packs DWARF 5 of gcc: binutils reads only 4, and llvm-dwp 14 does not come to an end.
        let packer = match (compiler, flags.contains(&"-gdwarf-4")) {
            (_, true) => "dwp",
            ("clang", false) => "llvm-dwp",
            _ => continue,
        };
        if !have(packer) {
            continue;
        }
        let Some(program) = split_program(compiler, flags) else {
            continue;
        };
        let files = dwo_files(&program);
        let mut command = Command::new(packer);
        command
            .current_dir(&program.scratch.0)
            .args(["-o", "program.dwp"]);
        run(command.args(files.iter().map(|(path, _)| path)));
        let package = std::fs::read(program.scratch.0.join("program.dwp")).unwrap();
        let parts = bind::Program {
            executable: &program.bytes,
            package: Some(&package),
            ..bind::Program::default()
        };
        let mut map = program.map();
        bind_program(&mut map, &parts, "program").unwrap();
        let whole = whole_program(&program, compiler, flags);
        assert_eq!(essence(&map), essence(&whole), "{}", program.label);
    }
}

#[test]
fn debug_info_of_another_compilation_is_refused() {
    let (Some(program), Some(other)) = (
        split_program("gcc", &["-g", "-O2"]),
        split_program("gcc", &["-g", "-O1"]),
    ) else {
        return;
    };
    let names = dwo_files(&program).into_iter().map(|(name, _)| name);
    let mut files = Vec::from_iter(names.zip(dwo_files(&other).into_iter().map(|(_, bytes)| bytes)));
    let parts = bind::Program {
        executable: &program.bytes,
        split: &files,
        ..bind::Program::default()
    };
    let error = bind_program(&mut program.map(), &parts, "program").unwrap_err();
    assert!(matches!(error, BindError::SplitDwarf(_)), "{error}");
    // One of the two is right.
    files[0] = dwo_files(&program).swap_remove(0);
    let parts = bind::Program {
        executable: &program.bytes,
        split: &files,
        ..bind::Program::default()
    };
    let mut map = program.map();
    let said = bind_program(&mut map, &parts, "program").unwrap();
    let named = said
        .iter()
        .any(|note| note.message.contains("another compilation"));
    assert!(named, "{said:?}");
    let names = Vec::from_iter(
        binding(&map)
            .functions
            .iter()
            .map(|function| function.name.as_str()),
    );
    assert_eq!(names, ["norm"]);
}

#[test]
fn compressed_sections_give_the_same_binding() {
    let Some(program) = Program::solve("gcc", &["-g", "-O2"]) else {
        return;
    };
    let whole = program.bound();
    for how in ["zlib", "zlib-gnu", "zstd"] {
        let path = program.scratch.0.join(how);
        let mut command = Command::new("objcopy");
        command.arg(format!("--compress-debug-sections={how}"));
        run(command.args([&program.path, &path]));
        let bytes = std::fs::read(&path).unwrap();
        let mut map = program.map();
        bind::bind(&mut map, &bytes, None, "program").unwrap();
        assert_eq!(map, whole, "{how}");
    }
}

#[test]
fn what_dwz_took_out_is_found() {
    if !have("dwz") {
        return;
    }
    for (compiler, flags) in [("gcc", &["-g", "-O2"][..]), ("gcc", &["-gdwarf-4", "-O0"])] {
        let Some(program) = Program::solve(compiler, flags) else {
            return;
        };
        let whole = program.bound();
        let path = |name: &str| program.scratch.0.join(name);
        // Within one file: partial units, which all others import.
        let mut command = Command::new("dwz");
        run(command.arg("-o").arg(path("alone")).arg(&program.path));
        let mut map = program.map();
        bind::bind(&mut map, &std::fs::read(path("alone")).unwrap(), None, "program").unwrap();
        assert_eq!(essence(&map), essence(&whole), "{}", program.label);

        // Two programs that share most of it.
        for copy in ["one", "two"] {
            std::fs::copy(&program.path, path(copy)).unwrap();
        }
        let mut command = Command::new("dwz");
        run(command
            .current_dir(&program.scratch.0)
            .args(["-m", "common", "one", "two"]));
        let executable = std::fs::read(path("one")).unwrap();
        assert_eq!(
            needs(&executable, None).unwrap().supplementary.as_deref(),
            Some("common")
        );
        let common = std::fs::read(path("common")).unwrap();
        let parts = bind::Program {
            executable: &executable,
            supplementary: Some(&common),
            ..bind::Program::default()
        };
        let mut map = program.map();
        bind_program(&mut map, &parts, "program").unwrap();
        assert_eq!(essence(&map), essence(&whole), "{}", program.label);
        let wrong = bind::Program {
            supplementary: Some(&program.bytes),
            ..parts
        };
        let error = bind_program(&mut map, &wrong, "program").unwrap_err();
        assert!(matches!(error, BindError::WrongSupplementary { .. }), "{error}");
        let without = bind::Program {
            supplementary: None,
            ..parts
        };
        let said = bind_program(&mut map, &without, "program").unwrap();
        assert!(
            said.iter().any(|note| note.message.contains("'common'")),
            "{said:?}"
        );
    }
}
