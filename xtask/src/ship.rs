//! Programs as they are copied to machines of others: one static file that asks nothing of the machine.

use crate::command::{self, cargo, find_program};
use crate::workspace;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// musl's C library makes the smaller file; glibc's is there without asking.
const SMALL: &str = "x86_64-unknown-linux-musl";
const USUAL: &str = "x86_64-unknown-linux-gnu";

/// Builds the probe and returns its path.
pub fn probe() -> Result<PathBuf> {
    one_file("runtime-probe", "hindmost-probe", "probe")
}

/// Builds the command and returns its path.
pub fn hindmost() -> Result<PathBuf> {
    one_file("cli", "hindmost", "dist")
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
