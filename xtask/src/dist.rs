//! What a site installs: the command as one static file, with pages and integrations, as a tarball, as a Debian package, as an RPM with its spec and by a recipe for Spack,
//! and the extension for VS Code.
//!
//! Tarball and packages are tried before they are announced: unpacked, and run as on the oldest kernel that is promised (`old_kernel.c`), and without any file of a distribution.

mod rpm;
mod spack;
mod vscode;

use crate::command::{self, capture, find_program, succeed};
use crate::{licences, setup, ship, workspace};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How large the command may be, in bytes.
const LARGEST: u64 = 25_000_000;

/// Where the parts of a distribution go, below its prefix.
const INTEGRATIONS: [(&str, &str); 10] = [
    ("integrations/cmake", "share/hindmost/cmake"),
    ("integrations/make", "share/hindmost/make"),
    ("integrations/meson", "share/hindmost/meson"),
    ("integrations/c", "share/hindmost/c"),
    ("integrations/ci", "share/hindmost/ci"),
    ("integrations/python", "share/hindmost/python"),
    ("integrations/nvim", "share/hindmost/nvim"),
    ("integrations/vscode", "share/hindmost/vscode"),
    ("integrations/statview", "share/hindmost/statview"),
    ("docs", "share/doc/hindmost"),
];

/// Makes them, tries them, and says where they are.
pub fn run() -> Result<()> {
    setup::ensure()?;
    let directory = workspace::target()?.join("dist");
    let _ = fs::remove_dir_all(&directory);
    let version = workspace::version()?;
    let name = format!("hindmost-{version}-x86_64-linux");
    let prefix = directory.join(&name);
    fill(&prefix)?;

    let tarball = directory.join(format!("{name}.tar.gz"));
    let mut pack = Command::new("tar");
    // Equal contents give equal bytes.
    pack.args([
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mtime=@0",
        "-czf",
    ]);
    command::run(pack.arg(&tarball).arg("-C").arg(&directory).arg(&name))?;
    let package = debian(&directory, &prefix, &version)?;
    let rpm = rpm::make(&directory, &prefix, &version)?;
    let recipe = spack::make(&directory, &tarball, &version)?;
    let extension = vscode::make(&directory, &version)?;

    try_tarball(&directory, &tarball, &name)?;
    try_package(&directory, &package)?;
    try_rpm(&directory, &rpm)?;
    println!("{} (a repository for Spack)", recipe.display());
    for file in [&tarball, &package, &rpm].into_iter().chain(&extension) {
        println!(
            "{} ({} KiB)",
            file.display(),
            fs::metadata(file)?.len().div_ceil(1024)
        );
    }
    Ok(())
}

/// Lays everything below `prefix`.
fn fill(prefix: &Path) -> Result<()> {
    let programs = prefix.join("bin");
    fs::create_dir_all(&programs)?;
    for program in [ship::hindmost()?, ship::probe()?] {
        let name = program.file_name().context("a program has a name")?;
        fs::copy(&program, programs.join(name))?;
    }
    let libraries = prefix.join("lib/hindmost");
    fs::create_dir_all(&libraries)?;
    for library in ship::libraries()? {
        let name = library.file_name().context("a library has a name")?;
        fs::copy(&library, libraries.join(name))?;
    }
    let hindmost = programs.join("hindmost");
    let size = fs::metadata(&hindmost)?.len();
    ensure!(
        size <= LARGEST,
        "the command has {size} bytes, and is to have at most {LARGEST}"
    );

    let pages = prefix.join("pages");
    succeed(Command::new(&hindmost).arg("generate-pages").arg(&pages))?;
    for (from, to) in [
        ("man1", "share/man/man1"),
        ("bash", "share/bash-completion/completions"),
        ("zsh", "share/zsh/site-functions"),
        ("fish", "share/fish/vendor_completions.d"),
    ] {
        copy(&pages.join(from), &prefix.join(to))?;
    }
    fs::remove_dir_all(&pages)?;
    // The name under which bash looks for it.
    let completions = prefix.join("share/bash-completion/completions");
    fs::rename(completions.join("hindmost.bash"), completions.join("hindmost"))?;
    for (from, to) in INTEGRATIONS {
        copy(&workspace::root().join(from), &prefix.join(to))?;
    }
    let documents = prefix.join("share/doc/hindmost");
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(workspace::root().join(name), documents.join(name))?;
    }
    fs::write(
        documents.join("THIRD-PARTY"),
        licences::of_dependencies(&[
            "cli",
            "runtime-probe",
            "runtime-pmpi",
            "runtime-gcc",
            "runtime-trace",
            "runtime-reduce",
        ])?,
    )?;
    Ok(())
}

/// A directory with everything below it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let all = from.join(".");
    command::run(Command::new("cp").arg("-R").arg(all).arg(to))
}

/// The Debian package of what is below `prefix`.
fn debian(directory: &Path, prefix: &Path, version: &str) -> Result<PathBuf> {
    let root = directory.join("debian");
    copy(prefix, &root.join("usr"))?;
    let documents = root.join("usr/share/doc/hindmost");
    fs::copy(documents.join("THIRD-PARTY"), documents.join("copyright"))?;
    let control = format!(
        "Package: hindmost\nVersion: {version}\nArchitecture: amd64\nSection: devel\nPriority: optional\n\
         Maintainer: The authors of hindmost <hindmost@localhost>\nDescription: finds why a parallel job hangs\n \
         Names the tasks of a hung MPI job that are behind all others, proves it from\n \
         their stacks and the program's progress map, and shows the code responsible.\n"
    );
    fs::create_dir_all(root.join("DEBIAN"))?;
    fs::write(root.join("DEBIAN/control"), control)?;
    let package = directory.join(format!("hindmost_{version}_amd64.deb"));
    command::run(
        Command::new("dpkg-deb")
            .args(["--root-owner-group", "--build"])
            .args([&root, &package]),
    )?;
    fs::remove_dir_all(&root)?;
    Ok(package)
}

fn try_tarball(directory: &Path, tarball: &Path, name: &str) -> Result<()> {
    let place = directory.join("tried");
    fs::create_dir_all(&place)?;
    command::run(Command::new("tar").arg("-xzf").arg(tarball).arg("-C").arg(&place))?;
    use_it(&place, &place.join(name))?;
    fs::remove_dir_all(&place)?;
    Ok(())
}

/// Installs the package and removes it again where CI is set and no hindmost is installed; elsewhere it is only unpacked.
fn try_package(directory: &Path, package: &Path) -> Result<()> {
    let place = directory.join("tried");
    fs::create_dir_all(&place)?;
    let is_free = find_program("hindmost").is_none() && std::env::var_os("CI").is_some();
    if is_free {
        command::run(Command::new("dpkg").arg("--install").arg(package))?;
        let used = use_it(&place, Path::new("/usr"));
        command::run(Command::new("dpkg").args(["--purge", "hindmost"]))?;
        used?;
    } else {
        println!("(the package is unpacked, not installed: set CI where no hindmost is installed)");
        command::run(Command::new("dpkg-deb").arg("--extract").arg(package).arg(&place))?;
        use_it(&place, &place.join("usr"))?;
    }
    fs::remove_dir_all(&place)?;
    Ok(())
}

fn try_rpm(directory: &Path, package: &Path) -> Result<()> {
    let place = directory.join("tried");
    rpm::unpack(package, &place)?;
    use_it(&place, &place.join("usr"))?;
    fs::remove_dir_all(&place)?;
    Ok(())
}

/// Runs the command where nothing is but itself, a map and `/proc`: no loader, library or locale of any distribution, however old it is.
fn use_it_alone(place: &Path, prefix: &Path) -> Result<()> {
    let root = place.join("alone");
    fs::create_dir_all(root.join("proc"))?;
    fs::copy(prefix.join("bin/hindmost"), root.join("hindmost"))?;
    fs::copy(place.join("app.map"), root.join("app.map"))?;
    let script = "mount --rbind /proc \"$0/proc\" && exec chroot \"$0\" /hindmost show /app.map";
    let mut alone = Command::new("unshare");
    alone.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    let (output, _) = succeed(alone.arg(&root))?;
    let shown = String::from_utf8_lossy(&output.stdout);
    ensure!(
        shown.contains("1 file, 1 function "),
        "alone it shows another map:\n{shown}"
    );
    Ok(())
}

/// Uses an installed command as a user would, on a kernel that knows nothing newer than Linux 3.10.
fn use_it(place: &Path, prefix: &Path) -> Result<()> {
    let old = place.join("old-kernel");
    let source = workspace::root().join("xtask/src/dist/old_kernel.c");
    command::run(Command::new("cc").args(["-O1", "-o"]).args([&old, &source]))?;
    let program = "#include <unistd.h>\nint main(void)\n{\n    for (int it = 0; it < 9; it++)\n        if (it == 5 && write(1, \"\", 1) == 1)\n            pause();\n    return 0;\n}\n";
    fs::write(place.join("app.c"), program)?;
    let run = |words: &[&str]| -> Result<String> {
        let mut command = Command::new(&old);
        command.arg(prefix.join("bin/hindmost")).args(words);
        command
            .current_dir(place)
            .env("XDG_CACHE_HOME", place.join("cache"));
        let (output, _) = capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            bail!(
                "hindmost {}: {}{text}",
                words.join(" "),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(text)
    };
    run(&["cc", "--", "cc", "-g", "-o", "app", "app.c"])?;
    run(&["map", "-q", "--exe", "app", "-o", "app.map"])?;
    run(&["embed", "-q", "app"])?;
    use_it_alone(place, prefix)?;
    let mut app = Command::new(place.join("app")).stdout(Stdio::piped()).spawn()?;
    // It writes one byte when it has come to where it stays.
    let mut stands = app.stdout.take().context("its output is a pipe")?;
    stands.read_exact(&mut [0])?;
    let found = run(&["find", &app.id().to_string()]);
    app.kill()?;
    app.wait()?;
    let found = found?;
    ensure!(found.contains("it=5"), "find names no iteration:\n{found}");
    run(&["recorder", "--mpicc", "mpicc", "-o", "recorder.so"])?;
    run(&["build-reducer", "--mpicc", "mpicc", "-o", "reducer"])?;
    run(&["plugin", "-o", "plugin.so"])?;
    run(&["run", "--no-recorder", "--trace", "traces", "--", "true"])?;
    let man = prefix.join("share/man/man1/hindmost-find.1");
    ensure!(man.is_file(), "there is no {}", man.display());
    Ok(())
}
