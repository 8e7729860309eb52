//! Installs what is missing on Debian: two MPIs, two compilers, the debuggers that we measure against, a browser, a terminal.
//!
//! When every program is there already, nothing is run and no network is needed.

use crate::command::{self, find_program};
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// A program, and the Debian packages that bring it with what it needs to be of use.
const TOOLS: [(&str, &[&str]); 48] = [
    ("gcc", &["gcc", "libc6-dev"]),
    ("clang", &["clang"]),
    ("musl-gcc", &["musl-tools"]),
    ("dwz", &["dwz"]),
    ("dwp", &["binutils"]),
    ("llvm-dwp", &["llvm"]),
    ("ld.lld", &["lld"]),
    ("ld.mold", &["mold"]),
    ("llvm-symbolizer", &["llvm"]),
    ("readelf", &["binutils"]),
    ("objdump", &["binutils"]),
    ("addr2line", &["binutils"]),
    ("objcopy", &["binutils"]),
    ("strip", &["binutils"]),
    ("cmake", &["cmake"]),
    ("make", &["make"]),
    ("meson", &["meson"]),
    ("ninja", &["ninja-build"]),
    ("ccache", &["ccache"]),
    ("bear", &["bear"]),
    ("git", &["git"]),
    ("ssh", &["openssh-client"]),
    ("ip", &["iproute2"]),
    ("patch", &["patch"]),
    ("gdb", &["gdb"]),
    ("lldb", &["lldb"]),
    ("eu-stack", &["elfutils"]),
    ("debuginfod", &["debuginfod"]),
    ("python3", &["python3"]),
    ("pkg-config", &["pkg-config"]),
    ("dot", &["graphviz"]),
    ("groff", &["groff-base"]),
    ("rpmbuild", &["rpm"]),
    ("cpio", &["cpio"]),
    ("chromium", &["chromium"]),
    ("tmux", &["tmux"]),
    ("chromedriver", &["chromium-driver"]),
    ("nvim", &["neovim"]),
    ("clangd", &["clangd"]),
    ("mpirun.openmpi", &["openmpi-bin"]),
    ("mpicc.openmpi", &["libopenmpi-dev", "openmpi-bin"]),
    ("mpicxx.openmpi", &["libopenmpi-dev", "openmpi-bin", "g++"]),
    ("mpicxx.mpich", &["libmpich-dev", "mpich", "g++"]),
    ("mpif90.openmpi", &["libopenmpi-dev", "openmpi-bin", "gfortran"]),
    ("mpif90.mpich", &["libmpich-dev", "mpich", "gfortran"]),
    ("mpirun.mpich", &["mpich"]),
    ("mpicc.mpich", &["libmpich-dev", "mpich"]),
    ("otf2-print", &["otf2-tools"]),
];

/// What only CI installs, because the packages start services: Slurm, for jobs that `srun` starts, and `sshd`, for jobs on several hosts. Elsewhere the tests do
/// without and say so.
const SERVICES: [(&str, &[&str]); 5] = [
    ("sshd", &["openssh-server"]),
    ("munged", &["munge"]),
    ("slurmctld", &["slurmctld"]),
    ("slurmd", &["slurmd", "slurm-wlm-basic-plugins"]),
    ("srun", &["slurm-client"]),
];

/// What only CI installs, because not every Debian has it: a second version of gcc, for which plugins are made as well.
const OTHER_GCC: [(&str, &[&str]); 1] = [("g++-11", &["g++-11", "gcc-11-plugin-dev"])];

/// Installs what is missing.
pub fn ensure() -> Result<()> {
    ensure_tools(&TOOLS)?;
    ensure_runtime_of_clang()?;
    ensure_headers_of_gcc()?;
    ensure_modules("mpi4py", &["python3", "python3-mpi4py"])?;
    ensure_modules("otf2", &["python3", "python3-otf2"])?;
    let packaging = ["python3", "python3-pip", "python3-setuptools", "python3-wheel"];
    ensure_modules("setuptools, wheel, pip", &packaging)?;
    if std::env::var_os("CI").is_some() {
        ensure_tools(&SERVICES)?;
        ensure_tools(&OTHER_GCC)?;
    }
    Ok(())
}

/// Installs what is missing of these programs, each with its Debian packages.
pub fn ensure_tools(tools: &[(&str, &[&str])]) -> Result<()> {
    let missing = Vec::from_iter(
        tools
            .iter()
            .copied()
            .filter(|(program, _)| find_program(program).is_none()),
    );
    if missing.is_empty() {
        return Ok(());
    }
    let programs = Vec::from_iter(missing.iter().map(|(program, _)| *program)).join(" ");
    let packages: BTreeSet<&str> = missing
        .iter()
        .flat_map(|(_, packages)| packages.iter().copied())
        .collect();
    let wanted = Vec::from_iter(packages.iter().copied()).join(" ");
    install(&programs, &packages)?;
    let still = Vec::from_iter(
        missing
            .into_iter()
            .map(|(program, _)| program)
            .filter(|p| find_program(p).is_none()),
    );
    if !still.is_empty() {
        bail!("installed {wanted}, but there is still no {}", still.join(" "));
    }
    Ok(())
}

/// Installs the libraries of clang's sanitizers, which the C reader of maps is checked with. No program tells whether they are there, and
/// their package is named after clang's version.
fn ensure_runtime_of_clang() -> Result<()> {
    let clang = |arguments: &[&str]| -> Result<String> {
        let (output, _) = command::succeed(Command::new("clang").args(arguments))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let library = &clang(&["-print-libgcc-file-name", "-rtlib=compiler-rt"])?;
    if Path::new(library).is_file() {
        return Ok(());
    }
    let version = clang(&["-dumpversion"])?;
    let major = version.split('.').next().unwrap_or_default();
    let package = format!("libclang-rt-{major}-dev");
    install(library, &BTreeSet::from([package.as_str()]))?;
    if !Path::new(library).is_file() {
        bail!("installed {package}, but there is still no {library}");
    }
    Ok(())
}

/// Installs the headers that plugins for gcc are made with; their package is named after gcc's version.
fn ensure_headers_of_gcc() -> Result<()> {
    let gcc = |argument: &str| -> Result<String> {
        let (output, _) = command::succeed(Command::new("gcc").arg(argument))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let header = Path::new(&gcc("-print-file-name=plugin")?).join("include/gcc-plugin.h");
    if header.is_file() {
        return Ok(());
    }
    let package = format!("gcc-{}-plugin-dev", gcc("-dumpversion")?);
    install("gcc-plugin.h", &BTreeSet::from([package.as_str()]))?;
    if !Path::new(&gcc("-print-file-name=plugin")?)
        .join("include/gcc-plugin.h")
        .is_file()
    {
        bail!("installed {package}, but there is still no gcc-plugin.h");
    }
    Ok(())
}

/// Installs what Debian's own Python lacks of these modules; another Python that comes first on PATH may have others.
fn ensure_modules(modules: &str, packages: &[&str]) -> Result<()> {
    let is_there = || {
        let import = format!("import {modules}");
        let found = Command::new("/usr/bin/python3").args(["-c", &import]).output();
        found.is_ok_and(|output| output.status.success())
    };
    if is_there() {
        return Ok(());
    }
    install(modules, &packages.iter().copied().collect())?;
    if !is_there() {
        bail!(
            "installed {}, but /usr/bin/python3 still has no {modules}",
            packages.join(", ")
        );
    }
    Ok(())
}

/// Installs Debian packages; `what` is missing without them.
fn install(what: &str, packages: &BTreeSet<&str>) -> Result<()> {
    let wanted = Vec::from_iter(packages.iter().copied()).join(" ");
    println!("missing: {what}");
    if find_program("apt-get").is_none() {
        bail!("this is not a Debian system: please install {what} (Debian packages: {wanted})");
    }
    if !is_root() && find_program("sudo").is_none() {
        bail!("not root, and there is no sudo: please have someone run 'apt-get install {wanted}'");
    }
    command::run(apt_get().arg("update"))?;
    command::run(
        apt_get()
            .args(["install", "--yes", "--no-install-recommends"])
            .args(packages),
    )
}

/// The `setup` command: as [`ensure`], and says that all is there.
pub fn run() -> Result<()> {
    ensure()?;
    println!("everything is installed");
    Ok(())
}

fn apt_get() -> Command {
    let mut command = if is_root() {
        Command::new("env")
    } else {
        let mut command = Command::new("sudo");
        command.arg("env");
        command
    };
    // Set by `env`, because sudo would drop it. apt-get must not ask: CI has no one to answer.
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    command
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}
