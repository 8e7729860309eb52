//! A real source tree: hindmost beside the compiler, ctags and the bare grammar, and the map against what the compiler made.
//!
//! The sources are copied below cargo's target directory first: one file is changed on the way, and the tree may be
//! read-only. A file that does not compile with the flags given is mapped all the same, and left out of the comparison.

use super::compile::{Compiled, Compiler};
use super::measure::{Usage, used_by};
use crate::command::{self, cargo, find_program, shown, succeed, work_directory};
use crate::{setup, workspace};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;

/// What to measure.
pub struct Request<'a> {
    /// The tree.
    pub tree: &'a Path,
    /// How the table calls it.
    pub name: &'a str,
    /// About how many of the files are compiled; all when `None`.
    pub sample: Option<usize>,
    /// What the compiler needs. Without directories among it, every directory of the tree that holds headers is added.
    pub flags: &'a [String],
}

impl Request<'_> {
    /// The flags, with directories of the tree as those of its copy: debug info then names the files that are mapped.
    fn flags_in(&self, root: &Path) -> Vec<String> {
        let tree = self.tree.canonicalize().ok();
        let moved = |flag: &String| {
            let directory = Path::new(flag.strip_prefix("-I")?).canonicalize().ok()?;
            let inside = directory.strip_prefix(tree.as_ref()?).ok()?;
            Some(format!("-I{}", root.join(inside).display()))
        };
        let flags = self.flags.iter();
        flags
            .map(|flag| moved(flag).unwrap_or_else(|| flag.clone()))
            .collect()
    }
}

/// Measures a tree and prints its table.
pub fn run(hindmost: &Path, request: &Request<'_>) -> Result<()> {
    setup::ensure()?;
    command::run(cargo().args(["build", "--release", "--package", "bench", "--bin", "tree-bench"]))?;
    let tree_bench = workspace::target()?.join("release/tree-bench");
    let directory = work_directory(&format!("bench/tree-{}", request.name))?;
    fs::remove_dir_all(&directory).with_context(|| format!("cannot empty {}", directory.display()))?;
    let mut sources = Sources::copy(request.tree, &directory.join("src"))?;
    println!(
        "\n## {}: {} files, {} lines, of which {} to compile",
        request.name,
        sources.files,
        sources.lines,
        sources.c.len()
    );
    let map = directory.join("tree.hmap");
    mapping(hindmost, &directory, &sources, &map)?;
    let (output, _) = succeed(Command::new(&tree_bench).arg("parse").arg(&sources.root))?;
    print!(
        "  bare grammar                 {}",
        String::from_utf8_lossy(&output.stdout)
    );
    ctags(&sources)?;
    succeed_and_show(
        Command::new(&tree_bench)
            .arg("map")
            .arg(&map)
            .arg(sources.lines.to_string()),
    )?;
    if let Some(sample) = request.sample {
        let all = sources.c.len();
        sources.c = sources
            .c
            .into_iter()
            .step_by((all / sample.max(1)).max(1))
            .collect();
        println!("  of {all} files {} are compiled", sources.c.len());
    }
    for (compiler, level) in [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")] {
        against(
            hindmost,
            &tree_bench,
            &directory,
            &sources,
            request,
            (compiler, level),
        )?;
    }
    Ok(())
}

/// The copied sources.
struct Sources {
    root: PathBuf,
    files: usize,
    lines: usize,
    /// Files to compile, C or C++: the compilers tell by the ending.
    c: Vec<PathBuf>,
    /// Directories with headers.
    include: Vec<PathBuf>,
}

impl Sources {
    fn copy(from: &Path, to: &Path) -> Result<Self> {
        let mut sources = Sources {
            root: to.to_owned(),
            files: 0,
            lines: 0,
            c: Vec::new(),
            include: Vec::new(),
        };
        for entry in WalkDir::new(from).sort_by_file_name() {
            let entry = entry.with_context(|| format!("cannot list {}", from.display()))?;
            let ending = entry.path().extension().and_then(|ending| ending.to_str());
            let is_header = matches!(ending, Some("h" | "hpp" | "hh" | "hxx" | "inc"));
            let is_c = matches!(ending, Some("c" | "cpp" | "cc" | "cxx"));
            let is_source = is_header || is_c;
            if !is_source || !entry.path().is_file() {
                continue;
            }
            let path = to.join(entry.path().strip_prefix(from)?);
            let directory = path.parent().unwrap_or(to).to_owned();
            fs::create_dir_all(&directory)?;
            let bytes = fs::read(entry.path())?;
            sources.files += 1;
            sources.lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
            fs::write(&path, bytes)?;
            if is_c {
                sources.c.push(path);
            }
            if is_header && sources.include.last() != Some(&directory) {
                sources.include.push(directory);
            }
        }
        sources.include.sort();
        sources.include.dedup();
        if sources.files == 0 {
            bail!("no source file below {}", from.display());
        }
        Ok(sources)
    }
}

/// Times of `hindmost map`: with nothing kept, unchanged, and with one file changed.
fn mapping(hindmost: &Path, directory: &Path, sources: &Sources, map: &Path) -> Result<()> {
    let mut command = Command::new(hindmost);
    command
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .args(["map", "-q", "-o"])
        .arg(map)
        .arg(&sources.root);
    let show = |what: &str, usage: &Usage| {
        println!(
            "  hindmost map, {what:<14} {:.2} s, {:.2} s of processor time, {:.0} MB at most",
            usage.wall.as_secs_f64(),
            usage.processor.as_secs_f64(),
            usage.memory as f64 / 1e6
        );
    };
    show("first", &used_by(&mut command)?);
    let first = fs::read(map)?;
    show("unchanged", &used_by(&mut command)?);
    if fs::read(map)? != first {
        bail!("the second map of the unchanged tree differs from the first");
    }
    let touched = sources.c.get(sources.c.len() / 2).context("no file to change")?;
    let before = fs::read(touched)?;
    let mut changed = before.clone();
    changed.extend_from_slice(b"\nint one_more_function_of_the_benchmark(void) { return 1; }\n");
    fs::write(touched, changed)?;
    show("one changed", &used_by(&mut command)?);
    fs::write(touched, before)?;
    // The map that the rest judges.
    succeed(&mut command)?;
    Ok(())
}

fn ctags(sources: &Sources) -> Result<()> {
    if find_program("ctags").is_none() {
        println!("  ctags                        not installed");
        return Ok(());
    }
    let mut command = Command::new("ctags");
    let usage = used_by(command.args(["-R", "-f", "/dev/null"]).arg(&sources.root))?;
    println!("  ctags -R                     {:.2} s", usage.wall.as_secs_f64());
    Ok(())
}

/// Compiles, links what there is, binds the map to it, and prints how they fit.
fn against(
    hindmost: &Path,
    tree_bench: &Path,
    directory: &Path,
    sources: &Sources,
    request: &Request<'_>,
    (program, level): (&str, &str),
) -> Result<()> {
    if find_program(program).is_none() {
        println!("\n  {program} is not installed");
        return Ok(());
    }
    let objects = directory.join(format!("{program}{level}"));
    // A tree may hold headers that stand for others, as PETSc's do for MPI: who names directories names all.
    let names_directories = request.flags.iter().any(|flag| flag.starts_with("-I"));
    let include = if names_directories {
        &[][..]
    } else {
        &sources.include
    };
    let flags = request.flags_in(&sources.root);
    let compiler = Compiler::new(program, level, include, &flags, &objects)?;
    let Compiled {
        objects: linked,
        processor,
        example,
    } = compiler.compile_all(&sources.c)?;
    println!(
        "\n  {program} -g {level}: {} of {} files compile, {:.2} s of processor time\n    each like {}",
        linked.len(),
        sources.c.len(),
        processor.as_secs_f64(),
        example.unwrap_or_default()
    );
    if linked.is_empty() {
        return Ok(());
    }
    let executable = link(program, &objects, &linked)?;
    let bound = objects.join("all.hmap");
    let mut bind = Command::new(hindmost);
    bind.env("XDG_CACHE_HOME", directory.join("cache"))
        .args(["map", "-q", "--exe"])
        .arg(&executable)
        .arg("-o")
        .arg(&bound)
        .arg(&sources.root);
    command::capture(&mut bind)?;
    if !bound.is_file() {
        bail!("{} made no map", shown(&bind));
    }
    succeed_and_show(
        Command::new(tree_bench)
            .arg("compiled")
            .arg(&bound)
            .arg(&executable),
    )
}

/// One executable of all objects: addresses are final, and every call names its callee. It is never run. What the objects
/// do not define is put beside them as labels, since a linker's own stubs would not tell one from the other.
fn link(program: &str, directory: &Path, objects: &[PathBuf]) -> Result<PathBuf> {
    let list = directory.join("objects");
    let names = Vec::from_iter(objects.iter().map(|path| format!("\"{}\"", path.display())));
    fs::write(&list, names.join("\n"))?;
    let at_list = format!("@{}", list.display());
    let symbols = |which: &[&str]| -> Result<BTreeSet<String>> {
        let (output, _) = succeed(
            Command::new("nm")
                .arg("--format=just-symbols")
                .args(which)
                .arg(&at_list),
        )?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.ends_with(':'));
        Ok(lines.map(str::to_owned).collect())
    };
    let defined = symbols(&["--defined-only", "--extern-only"])?;
    let mut labels = String::from(".text\n");
    for name in symbols(&["--undefined-only"])?.difference(&defined) {
        if name != "_GLOBAL_OFFSET_TABLE_" {
            labels += &format!(".globl \"{name}\"\n.type \"{name}\", @function\n\"{name}\": ret\n");
        }
    }
    let outside = directory.join("outside.s");
    fs::write(&outside, labels)?;
    let executable = directory.join("all");
    let mut link = Command::new(program);
    link.args([
        "-nostdlib",
        "-pie",
        "-Wl,-z,muldefs,-z,noexecstack,--build-id,--entry=0",
        "-o",
    ])
    .arg(&executable)
    .arg(&at_list)
    .arg(&outside);
    succeed(&mut link)?;
    Ok(executable)
}

fn succeed_and_show(command: &mut Command) -> Result<()> {
    let (output, _) = succeed(command)?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}
