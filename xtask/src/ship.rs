//! The probe as it is copied to compute nodes: one static file that asks nothing of the machine.

use crate::command::{self, cargo, find_program};
use crate::workspace;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// musl's C library makes the smaller file; glibc's is there without asking.
const SMALL: &str = "x86_64-unknown-linux-musl";
const USUAL: &str = "x86_64-unknown-linux-gnu";

/// Builds it and returns its path.
pub fn probe() -> Result<PathBuf> {
    let target = if has_small() { SMALL } else { USUAL };
    let mut build = cargo();
    build
        .env("RUSTFLAGS", "-C target-feature=+crt-static")
        .args(["build", "--package", "runtime-probe", "--bin", "hindmost-probe"])
        // A target that is named keeps the flag from reaching procedural macros.
        .args(["--profile", "probe", "--target", target]);
    command::run(&mut build)?;
    if target == USUAL {
        println!("(`rustup target add {SMALL}` makes it half as large)");
    }
    Ok(workspace::target()?.join(target).join("probe/hindmost-probe"))
}

/// Whether the standard library for musl is there, or could be fetched.
fn has_small() -> bool {
    find_program("rustup").is_some()
        && Command::new("rustup")
            .args(["target", "add", SMALL])
            .output()
            .is_ok_and(|output| output.status.success())
}
