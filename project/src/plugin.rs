//! The plugin for gcc, made for one gcc with that one's own headers.

use crate::failure::Failure;
use crate::recorder::{compile, library_beside};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file that the shim is linked with.
const RUNTIME: &str = "libruntime_gcc.a";
const SHIM: &str = include_str!("../../integrations/gcc/hindmost_plugin.cc");
const ROWS: &str = include_str!("../../integrations/gcc/hindmost_rows.h");
/// How the shim includes what is put in its place.
const INCLUDED: &str = "#include \"hindmost_rows.h\"\n";
const HINT: &str = "--gcc names the compiler that the plugin is for";

/// Makes the plugin for the compiler `gcc`.
///
/// `runtime` is the part that the plugins of all compilers share; without it, the one that stands beside this program.
pub fn make_plugin(gcc: &Path, output: &Path, runtime: Option<&Path>) -> Result<(), Failure> {
    let runtime = match runtime {
        Some(runtime) => runtime.to_owned(),
        None => library_beside(RUNTIME, "runtime-gcc", "--runtime")?,
    };
    let name = gcc.display();
    let printed = compile(
        Command::new(gcc).arg("-print-file-name=plugin"),
        "",
        &format!("{name} -print-file-name=plugin"),
        HINT,
    )?;
    let headers = Path::new(String::from_utf8_lossy(&printed).trim()).join("include");
    if !headers.join("gcc-plugin.h").is_file() {
        return Err(Failure::new(format!("{name} has no headers for plugins")).hint(
            "Debian has them in gcc-12-plugin-dev, for gcc 12; hindmost cc needs none and serves any compiler",
        ));
    }
    // A compiler may have read the old one, which must not change under it.
    let made = beside(output);
    let mut command = Command::new(gcc);
    command
        .args([
            "-std=gnu++17",
            "-fno-rtti",
            "-fno-exceptions",
            "-fPIC",
            "-O2",
            "-w",
        ])
        .args(["-shared", "-fvisibility=hidden", "-I"])
        .arg(headers)
        .args(["-x", "c++", "-", "-x", "none"])
        .arg(runtime)
        .args(["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections", "-Wl,-s"])
        .args(["-lgcc_s", "-lpthread", "-ldl", "-lm", "-o"])
        .arg(&made);
    let done = compile(
        &mut command,
        &SHIM.replacen(INCLUDED, ROWS, 1),
        &format!("{name} -shared"),
        HINT,
    );
    let done = done.and_then(|_| {
        std::fs::rename(&made, output)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", output.display())))
    });
    if done.is_err() {
        let _ = std::fs::remove_file(&made);
    }
    done
}

/// A name of this process alone in the same directory.
fn beside(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    PathBuf::from(name)
}
