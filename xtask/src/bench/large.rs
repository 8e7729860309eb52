//! How long it takes to get the map out of a program of 100 MB: what `find` and `show` take longer than on the same program without what makes it large.

use super::measure::{median_wall, print_machine};
use crate::command::succeed;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What a program of so many bytes has in place of code and of debug info, in bytes: large programs are debug info for the most part.
const CODE: u64 = 10_000_000;
const DEBUG: u64 = 90_000_000;

/// It writes a byte where it stays. The code behind it is what no one runs.
const PROGRAM: &str = "\
#include <unistd.h>
int main(void)
{
    for (int it = 0; it < 9; it++)
        if (it == 5 && write(1, \"\", 1) == 1)
            pause();
    return 0;
}
__asm__(\".text\\n.fill FILLER, 1, 0x90\");
";

/// Prints the times.
pub fn print(hindmost: &Path, directory: &Path) -> Result<()> {
    println!("\n## The map in a program of {} MB", (CODE + DEBUG) / 1_000_000);
    print_machine();
    let small = program(hindmost, directory, "small", 0, 0)?;
    let large = program(hindmost, directory, "large", CODE, DEBUG)?;
    let size = |path: &PathBuf| fs::metadata(path).map(|found| found.len());
    println!("{:<38} {:>12} {:>12}", "", "small", "large");
    println!("{:<38} {:>12} {:>12}", "bytes", size(&small)?, size(&large)?);
    let shown = [&small, &large]
        .map(|program| median_wall(Command::new(hindmost).arg("show").arg(program).arg("filled.c:5")));
    row("hindmost show PROGRAM FILE:LINE", shown)?;
    let found = [&small, &large].map(|program| {
        let running = Running::of(program)?;
        let mut find = Command::new(hindmost);
        find.args(["find", "--format", "json", &running.0.id().to_string()])
            .env("XDG_CACHE_HOME", directory.join("no-cache"));
        let (output, _) = succeed(&mut find)?;
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(
            answer.contains("\"from\": \"program\"") || answer.contains("\"from\":\"program\""),
            "the map is not the one inside: {answer}"
        );
        median_wall(&mut find)
    });
    row("hindmost find PID", found)
}

fn row(name: &str, [small, large]: [Result<Duration>; 2]) -> Result<()> {
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    println!("{name:<38} {:>12} {:>12}", ms(small?), ms(large?));
    Ok(())
}

/// A program with a map inside and so many bytes of code and debug info more.
fn program(hindmost: &Path, directory: &Path, name: &str, code: u64, debug: u64) -> Result<PathBuf> {
    let source = directory.join("filled.c");
    fs::write(&source, PROGRAM.replace("FILLER", &code.to_string()))?;
    let plain = directory.join(format!("{name}-plain"));
    succeed(
        Command::new("gcc")
            .args(["-g", "-O1", "-o"])
            .args([&plain, &source]),
    )?;
    let filler = directory.join("filler");
    // A hole is no debug info: file systems read it faster.
    fs::write(&filler, vec![b'x'; usize::try_from(debug)?])?;
    let filled = directory.join(name);
    let mut section = std::ffi::OsString::from(".debug_filler=");
    section.push(&filler);
    succeed(
        Command::new("objcopy")
            .arg("--add-section")
            .arg(section)
            .args([&plain, &filled]),
    )?;
    succeed(Command::new(hindmost).args(["embed", "-q"]).arg(&filled))?;
    Ok(filled)
}

/// A program that stays where it is, ended with this value.
struct Running(Child);

impl Running {
    fn of(program: &Path) -> Result<Self> {
        let mut child = Command::new(program).stdout(Stdio::piped()).spawn()?;
        let mut stands = child.stdout.take().context("its output is a pipe")?;
        stands.read_exact(&mut [0])?;
        Ok(Self(child))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It does nothing but wait.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
