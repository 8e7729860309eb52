//! Programs as they are copied to machines of others: one static file that asks nothing of the machine.

use crate::command::{self, cargo, find_program};
use crate::workspace;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// musl's C library makes the smaller file; glibc's is there without asking.
const SMALL: &str = "x86_64-unknown-linux-musl";
const USUAL: &str = "x86_64-unknown-linux-gnu";

/// What programs of the machine are linked with, or preload: the member of the workspace, and its library.
const LIBRARIES: [(&str, &str); 4] = [
    ("runtime-pmpi", "libruntime_pmpi.a"),
    ("runtime-gcc", "libruntime_gcc.a"),
    ("runtime-reduce", "libruntime_reduce.a"),
    ("runtime-trace", "libruntime_trace.so"),
];

/// Builds the probe and returns its path.
pub fn probe() -> Result<PathBuf> {
    one_file("runtime-probe", "hindmost-probe", "probe")
}

/// Builds the command and returns its path.
pub fn hindmost() -> Result<PathBuf> {
    one_file("cli", "hindmost", "dist")
}

/// Builds what `recorder`, `plugin`, `build-reducer` and `run --trace` need beside the command, and returns the paths. They become part of programs of the machine, and use its C library.
pub fn libraries() -> Result<[PathBuf; 4]> {
    let mut build = cargo();
    build.args(["build", "--lib", "--profile", "dist", "--target", USUAL]);
    build.args(LIBRARIES.map(|(member, _)| format!("--package={member}")));
    command::run(&mut build)?;
    let built = workspace::target()?.join(USUAL).join("dist");
    let libraries = LIBRARIES.map(|(_, name)| built.join(name));
    // The standard library comes with its debug info.
    command::run(Command::new("strip").arg("--strip-debug").args(&libraries))?;
    Ok(libraries)
}

/// Builds a program of a package as one static file.
fn one_file(package: &str, program: &str, profile: &str) -> Result<PathBuf> {
    let target = if has_small() { SMALL } else { USUAL };
    let mut build = cargo();
    build
        .env("RUSTFLAGS", "-C target-feature=+crt-static")
        .args(["build", "--package", package, "--bin", program])
        // A target that is named keeps the flag from reaching procedural macros.
        .args(["--profile", profile, "--target", target]);
    command::run(&mut build)?;
    if target == USUAL {
        println!("(`rustup target add {SMALL}` makes it smaller)");
    }
    Ok(workspace::target()?.join(target).join(profile).join(program))
}

/// Whether the standard library for musl is there, or could be fetched.
fn has_small() -> bool {
    find_program("rustup").is_some()
        && Command::new("rustup")
            .args(["target", "add", SMALL])
            .output()
            .is_ok_and(|output| output.status.success())
}
