//! Builds by make, CMake, Meson and Ninja whose programs get a map: by the files of `integrations`, or by the wrapper of compilers.

use crate::embedded::{found, tool, written};
use crate::support::{Sandbox, installed};
use std::process::{Command, Output};

/// A file of `integrations`.
fn put(sandbox: &Sandbox, directory: &str, name: &str) {
    let path = format!(
        "{}/../integrations/{directory}/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    sandbox.write(name, std::fs::read(path).unwrap());
}

/// Runs a build with the command under test on its PATH.
fn build(sandbox: &Sandbox, words: &[&str]) -> Output {
    let command = std::path::Path::new(env!("CARGO_BIN_EXE_hindmost"));
    let path = std::env::var("PATH").unwrap();
    Command::new(words[0])
        .args(&words[1..])
        .current_dir(&sandbox.root)
        .env("PATH", format!("{}:{path}", command.parent().unwrap().display()))
        .env("XDG_CACHE_HOME", sandbox.path("cache"))
        .env("CCACHE_DIR", sandbox.path("ccache"))
        .output()
        .unwrap()
}

#[track_caller]
fn builds(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = build(sandbox, words);
    let said = [&output.stdout[..], &output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{words:?}: {said}");
    said
}

/// Asks about a program, whose map has to come from there, and nothing may be said beside the answer.
#[track_caller]
fn finds_by_map(sandbox: &Sandbox, program: &str, from: &str) {
    let (answer, said) = found(sandbox, program);
    assert_eq!((answer["map"]["from"].as_str(), said.as_str()), (Some(from), ""));
}

#[test]
fn a_build_by_cmake_and_make_needs_no_more_than_a_launcher() {
    if !installed("cmake") || !installed("make") {
        return;
    }
    let sandbox = written("embed-cmake");
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(app C)\nadd_library(w STATIC src/work.c)\n\
         add_executable(app src/main.c)\ntarget_link_libraries(app w)\n",
    );
    let launcher = format!(
        "-DCMAKE_C_COMPILER_LAUNCHER={};cc;--",
        env!("CARGO_BIN_EXE_hindmost")
    );
    let flags = "-DCMAKE_BUILD_TYPE=RelWithDebInfo";
    tool(
        &sandbox,
        &[
            "cmake",
            "-S",
            ".",
            "-B",
            "build",
            &launcher,
            flags,
            "-G",
            "Unix Makefiles",
        ],
    );
    tool(&sandbox, &["cmake", "--build", "build", "-j", "4"]);
    let (_, said) = found(&sandbox, "build/app");
    assert_eq!(said, "");
}

#[test]
fn a_target_of_cmake_carries_its_map() {
    if !installed("cmake") || !installed("make") {
        return;
    }
    let sandbox = written("embed-find-package");
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../integrations/cmake");
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(app C)\nfind_package(Hindmost REQUIRED)\n\
         add_executable(app src/main.c src/work.c)\nhindmost_add_map(app)\n\
         add_executable(beside src/main.c src/work.c)\nhindmost_add_map(beside SIDECAR REQUIRED)\n\
         add_executable(bare src/main.c src/work.c)\ntarget_compile_options(bare PRIVATE -g0)\nhindmost_add_map(bare)\n\
         add_executable(strict EXCLUDE_FROM_ALL src/main.c src/work.c)\ntarget_compile_options(strict PRIVATE -g0)\nhindmost_add_map(strict REQUIRED)\n",
    );
    let path = format!("-DCMAKE_MODULE_PATH={module}");
    let command = format!("-DHindmost_EXECUTABLE={}", env!("CARGO_BIN_EXE_hindmost"));
    let kind = "-DCMAKE_BUILD_TYPE=RelWithDebInfo";
    tool(
        &sandbox,
        &[
            "cmake",
            "-S",
            ".",
            "-B",
            "build",
            &path,
            &command,
            kind,
            "-G",
            "Unix Makefiles",
        ],
    );
    tool(&sandbox, &["cmake", "--build", "build"]);
    assert!(sandbox.ok(&["show", "build/app"]).contains("Bound to"));
    assert!(sandbox.ok(&["show", "build/beside.hmap"]).contains("Bound to"));
    assert!(sandbox.refused(&["show", "build/bare"]).contains("no map inside"));
    let strict = Command::new("cmake")
        .args(["--build", "build", "--target", "strict"])
        .current_dir(&sandbox.root)
        .output()
        .unwrap();
    assert!(!strict.status.success());
    let (_, said) = found(&sandbox, "build/app");
    assert_eq!(said, "");
}

/// The example of `integrations/make`: the map goes into the program; what has no debug info gets none, and is no error unless that is asked for.
#[test]
fn a_program_of_make_carries_its_map() {
    if !installed("make") {
        return;
    }
    let sandbox = written("embed-make");
    put(&sandbox, "make", "Makefile");
    put(&sandbox, "make", "hindmost.mk");
    let again = |arguments: &[&str]| build(&sandbox, &[&["make", "--always-make"], arguments].concat());
    assert!(!again(&["CFLAGS=", "HINDMOST_REQUIRED=1"]).status.success());
    assert!(!sandbox.path("app").exists());
    let said = builds(&sandbox, &["make", "CFLAGS="]);
    assert!(said.contains("app gets no progress map"), "{said}");
    assert!(again(&["HINDMOST=nothing"]).status.success());
    assert!(again(&["HINDMOST_SIDECAR=1"]).status.success());
    assert!(sandbox.ok(&["show", "app.hmap"]).contains("Bound to"));
    std::fs::remove_file(sandbox.path("app.hmap")).unwrap();
    assert!(sandbox.refused(&["show", "app"]).contains("no map inside"));
    builds(&sandbox, &["make", "--always-make"]);
    finds_by_map(&sandbox, "app", "program");
}

/// The example of `integrations/meson`, built by Ninja.
#[test]
fn a_program_of_meson_has_its_map_beside_it() {
    if !installed("meson") || !installed("ninja") {
        return;
    }
    let sandbox = written("embed-meson");
    put(&sandbox, "meson", "meson.build");
    builds(&sandbox, &["meson", "setup", "build"]);
    builds(&sandbox, &["ninja", "-C", "build"]);
    builds(&sandbox, &["meson", "setup", "bare", "--buildtype=plain"]);
    builds(&sandbox, &["ninja", "-C", "bare"]);
    assert!(!sandbox.path("bare/app.hmap").exists());
    finds_by_map(&sandbox, "build/app", "file");
}

/// The wrapper in front of ccache, in a build by Ninja: what comes out of ccache gets its part of the map, too.
#[test]
fn what_ccache_has_kept_gets_its_part_of_the_map() {
    if !["cmake", "ninja", "ccache"].iter().all(|tool| installed(tool)) {
        return;
    }
    let sandbox = written("embed-ccache");
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(app C)\nadd_executable(app src/main.c src/work.c)\n",
    );
    let launcher = "-DCMAKE_C_COMPILER_LAUNCHER=hindmost;cc;--;ccache";
    let kind = "-DCMAKE_BUILD_TYPE=RelWithDebInfo";
    builds(
        &sandbox,
        &["cmake", "-S", ".", "-B", "build", "-G", "Ninja", launcher, kind],
    );
    builds(&sandbox, &["ninja", "-C", "build"]);
    builds(&sandbox, &["ninja", "-C", "build", "-t", "clean"]);
    builds(&sandbox, &["ccache", "--zero-stats"]);
    builds(&sandbox, &["ninja", "-C", "build"]);
    let counts = builds(&sandbox, &["ccache", "--print-stats"]);
    let hits = counts
        .lines()
        .filter(|line| line.contains("cache_hit") && !line.ends_with("\t0"));
    assert!(hits.count() > 0 && counts.contains("cache_miss\t0"), "{counts}");
    finds_by_map(&sandbox, "build/app", "made");
}
