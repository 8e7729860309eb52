//! An RPM package, for distributions that use those.

use crate::command;
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Makes the package of what is below `prefix`, by a spec that is kept beside it.
pub fn make(directory: &Path, prefix: &Path, version: &str) -> Result<PathBuf> {
    let top = directory.join("rpm");
    fs::create_dir_all(&top)?;
    let spec = directory.join("hindmost.spec");
    fs::write(&spec, text(prefix, version))?;
    let mut build = Command::new("rpmbuild");
    build
        .args(["-bb", "--quiet", "--define"])
        .arg(format!("_topdir {}", top.display()))
        .arg(&spec);
    command::run(&mut build)?;
    let name = format!("hindmost-{version}-1.x86_64.rpm");
    let package = directory.join(&name);
    fs::rename(top.join("RPMS/x86_64").join(&name), &package)?;
    fs::remove_dir_all(&top)?;
    Ok(package)
}

/// Unpacks the package below `place`, as an installation would.
pub fn unpack(package: &Path, place: &Path) -> Result<()> {
    fs::create_dir_all(place)?;
    let mut archive = Command::new("rpm2cpio")
        .arg(package)
        .stdout(Stdio::piped())
        .spawn()
        .context("rpm2cpio (Debian: rpm)")?;
    let from = archive.stdout.take().context("its output is a pipe")?;
    let mut take = Command::new("cpio");
    take.args(["--extract", "--make-directories", "--quiet"])
        .current_dir(place)
        .stdin(from);
    command::run(&mut take)?;
    let status = archive.wait()?;
    ensure!(status.success(), "rpm2cpio: {status}");
    Ok(())
}

/// The programs are static and stripped already: nothing is looked for in them, and nothing is changed.
fn text(prefix: &Path, version: &str) -> String {
    format!(
        "%global __os_install_post %{{nil}}
%global debug_package %{{nil}}
%global _build_id_links none

Name: hindmost
Version: {version}
Release: 1
Summary: Finds why a parallel job hangs
License: MIT OR Apache-2.0
AutoReqProv: no

%description
Names the tasks of a hung MPI job that are behind all others, proves it from
their stacks and the program's progress map, and shows the code responsible.

%install
mkdir -p %{{buildroot}}/usr
cp -a {}/. %{{buildroot}}/usr/

%files
/usr/bin/*
/usr/lib/hindmost
/usr/share/doc/hindmost
/usr/share/hindmost
/usr/share/man/man1/*
/usr/share/bash-completion/completions/*
/usr/share/zsh/site-functions/*
/usr/share/fish/vendor_completions.d/*
",
        prefix.display()
    )
}
