//! What of a build's compile command is run as a preprocessor.
//!
//! A build database comes with a tree, and a tree may come from anywhere: its commands could run any program, write any file, or have a compiler load
//! code (`-B`, `-fplugin=`, `-wrapper`, `-Xclang -load`). So a command is not cleansed of what is known to be bad, but made anew of what is known to be
//! harmless: a compiler by its name, and options that say what is defined, where headers are, and which language it is. Options that only
//! matter to later stages are left out. Anything else makes the whole command one that is not run: without that option its output might be wrong.
//!
//! Whoever trusts the build ([`Trust::Build`]) has everything run but what writes files in well-known ways.

use std::borrow::Cow;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// What a build database is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Nothing: only compilers are run, with options that cannot do harm.
    Nothing,
    /// The user has said that its commands may be run.
    Build,
}

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It belongs to the preprocessor.
    Keep,
    /// The same, with a second word.
    KeepTwo,
    /// It decides what comes out, and where, or is for later stages.
    Drop,
    /// The same, with a second word.
    DropTwo,
    /// Not known to be harmless.
    Refuse,
}

/// The words that preprocess what `words` compiles, or why they are not run. Empty when there are no words.
pub(crate) fn preprocessing(words: &[String], trust: Trust) -> Result<Vec<String>, String> {
    let words = without_launcher(words);
    let Some((compiler, rest)) = words.split_first() else {
        return Ok(Vec::new());
    };
    if trust == Trust::Nothing && !is_compiler(compiler) {
        return Err(format!("{compiler} is not known as a compiler{CONSENT}"));
    }
    let mut kept = vec![compiler.clone(), "-E".to_owned()];
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        match use_of(word) {
            Use::Keep => kept.push(word.clone()),
            Use::KeepTwo => {
                kept.push(word.clone());
                kept.extend(rest.next().cloned());
            }
            Use::Drop => {}
            Use::DropTwo => drop(rest.next()),
            Use::Refuse if trust == Trust::Build => kept.push(word.clone()),
            Use::Refuse => {
                return Err(format!(
                    "its command has '{word}', which is not known to be harmless{CONSENT}"
                ));
            }
        }
    }
    Ok(kept)
}

/// What a user can do about it.
const CONSENT: &str = " (--trust-build runs it)";

/// The command behind programs that only keep or distribute what a compiler makes.
fn without_launcher(words: &[String]) -> &[String] {
    const LAUNCHERS: [&str; 5] = ["ccache", "sccache", "distcc", "icecc", "buildcache"];
    match words {
        [first, rest @ ..] if LAUNCHERS.contains(&base_name(first)) => rest,
        _ => words,
    }
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a word is a name by which compilers go: `gcc`, `x86_64-linux-gnu-g++-12`, `mpicc.openmpi`, `/opt/gcc/bin/gcc`. One with a directory must be
/// written from the root: the tree's own programs are found by relative names.
fn is_compiler(word: &str) -> bool {
    const NAMES: [&str; 44] = [
        "cc",
        "c++",
        "c89",
        "c99",
        "gcc",
        "g++",
        "clang",
        "clang++",
        "icc",
        "icpc",
        "icx",
        "icpx",
        "dpcpp",
        "pgcc",
        "pgc++",
        "nvc",
        "nvc++",
        "armclang",
        "armclang++",
        "amdclang",
        "amdclang++",
        "CC",
        "craycc",
        "crayCC",
        "craycxx",
        "xlc",
        "xlC",
        "xlc++",
        "xlc_r",
        "xlC_r",
        "fcc",
        "FCC",
        "mpicc",
        "mpicxx",
        "mpic++",
        "mpiCC",
        "mpigcc",
        "mpigxx",
        "mpiicc",
        "mpiicpc",
        "mpiicx",
        "mpiicpx",
        "mpifcc",
        "mpiFCC",
    ];
    if word.contains('/') && !word.starts_with('/') {
        return false;
    }
    let name = base_name(word);
    // The MPI or the version, and the machine that code is made for.
    let name = { name.strip_suffix(".openmpi") }
        .or_else(|| name.strip_suffix(".mpich"))
        .unwrap_or(name);
    let is_version = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let name = match name.rsplit_once('-') {
        Some((name, version)) if is_version(version) => name,
        _ => name,
    };
    let is_triple = |text: &str| { text.chars() }.all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    match name.rsplit_once('-') {
        Some((machine, name)) => is_triple(machine) && NAMES.contains(&name),
        None => NAMES.contains(&name),
    }
}

fn use_of(word: &str) -> Use {
    if !word.starts_with('-') {
        // A source file. `@file` stands for more words than can be seen.
        return match word.starts_with('@') {
            true => Use::Refuse,
            false => Use::Keep,
        };
    }
    exact(word)
        .or_else(|| joined(word))
        .unwrap_or_else(|| feature(word))
}

/// Options that are one word, or a word and its value.
fn exact(word: &str) -> Option<Use> {
    Some(match word {
        "-D" | "-U" | "-I" | "-isystem" | "-iquote" | "-idirafter" | "-include" | "-imacros" | "-iprefix"
        | "-iwithprefix" | "-iwithprefixbefore" | "-isysroot" | "--sysroot" | "-x" | "-target" => {
            Use::KeepTwo
        }
        "-nostdinc" | "-nostdinc++" | "-ansi" | "-pedantic" | "-pedantic-errors" | "-undef"
        | "-trigraphs" | "-pthread" | "-pipe" | "-w" | "-p" | "-pg" | "-static" | "-shared" | "-no-pie"
        | "-pie" | "-qopenmp" | "-stdlib=libc++" | "-stdlib=libstdc++" => Use::Keep,
        // What comes out, and -P, which leaves out the line markers.
        "-c" | "-S" | "-E" | "-P" | "-C" | "-CC" | "-v" | "-H" | "-M" | "-MM" | "-MD" | "-MMD" | "-MP"
        | "-MG" | "-MV" | "-s" | "-rdynamic" | "-save-temps" | "-dM" | "-dD" | "-dN" | "-dI" | "-dU"
        | "--" => Use::Drop,
        "-o" | "--output" | "-MF" | "-MT" | "-MQ" | "-MJ" | "-L" | "-l" | "-u" | "-z" | "-T" | "-Xlinker"
        | "-Xassembler" | "-aux-info" | "-dumpbase" | "-dumpbase-ext" | "-dumpdir" | "--param" | "-mllvm" => {
            Use::DropTwo
        }
        _ => return None,
    })
}

/// Options whose value is joined to them.
fn joined(word: &str) -> Option<Use> {
    let starts = |options: &[&str]| options.iter().any(|option| word.starts_with(option));
    if let Some(parts) = word.strip_prefix("-Wp,") {
        // They go to the preprocessor as they are.
        let is_definition = |part: &str| {
            { ["-D", "-U", "-I"] }
                .iter()
                .any(|option| part.strip_prefix(option).is_some_and(|rest| !rest.is_empty()))
        };
        let mut parts = parts.split(',');
        return Some(match parts.clone().all(is_definition) {
            true => Use::Keep,
            // `-Wp,-MD,file`.
            false if parts.next().is_some_and(|first| first.starts_with("-M")) => Use::Drop,
            false => Use::Refuse,
        });
    }
    if starts(&["-include-pch"]) {
        return Some(Use::Refuse);
    }
    if starts(&["-Wa,", "-Wl,"]) {
        return Some(Use::Drop);
    }
    if starts(&[
        "-D",
        "-U",
        "-I",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-include",
        "-imacros",
        "-isysroot",
        "--sysroot=",
        "--target=",
        "-std=",
        "--std=",
        "-x",
    ]) {
        return Some(Use::Keep);
    }
    if starts(&[
        "-o",
        "--output=",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-save-temps=",
        "-dumpbase",
        "-dumpdir",
        "-L",
        "-l",
        "-T",
        "--param=",
        "-fdump",
        "-fplugin",
        "-fpass-plugin",
        "-gsplit-dwarf",
    ]) {
        return Some(Use::Drop);
    }
    None
}

/// Options of families whose members are harmless: warnings, machines and optimisation, which name no file; features; and debug info, which the
/// preprocessor has nothing to do with (icc's `-gcc-name=` runs another program).
fn feature(word: &str) -> Use {
    let (family, rest) = match word.char_indices().nth(2) {
        Some((at, _)) => word.split_at(at),
        None => (word, ""),
    };
    match family {
        "-W" | "-O" | "-m" if !rest.contains(['/', ',']) => Use::Keep,
        "-g" => Use::Drop,
        "-f" => language_feature(rest),
        _ => Use::Refuse,
    }
}

/// Features that define macros, or change what is text and what is not; all others are for later stages.
fn language_feature(name: &str) -> Use {
    let plain = name.strip_prefix("no-").unwrap_or(name);
    let (plain, value) = plain
        .split_once('=')
        .map_or((plain, None), |(name, value)| (name, Some(value)));
    const WITH_VALUE: [&str; 9] = [
        "openmp",
        "sanitize",
        "visibility",
        "input-charset",
        "exec-charset",
        "wide-exec-charset",
        "abi-version",
        "cf-protection",
        "fp-model",
    ];
    const PLAIN: [&str; 41] = [
        "openmp",
        "openmp-simd",
        "openacc",
        "PIC",
        "pic",
        "PIE",
        "pie",
        "exceptions",
        "rtti",
        "cxx-exceptions",
        "unsigned-char",
        "signed-char",
        "short-wchar",
        "short-enums",
        "char8_t",
        "coroutines",
        "concepts",
        "gnu89-inline",
        "ms-extensions",
        "ms-compatibility",
        "dollars-in-identifiers",
        "extended-identifiers",
        "operator-names",
        "permissive",
        "freestanding",
        "hosted",
        "builtin",
        "fast-math",
        "math-errno",
        "finite-math-only",
        "stack-protector",
        "stack-protector-all",
        "stack-protector-strong",
        "threadsafe-statics",
        "aligned-new",
        "sized-deallocation",
        "gnu-keywords",
        "asm",
        "blocks",
        "modules-ts",
        "cilkplus",
    ];
    let is_known = match value {
        Some(_) => WITH_VALUE.contains(&plain),
        None => PLAIN.contains(&plain),
    };
    match is_known {
        true => Use::Keep,
        false => Use::Drop,
    }
}

/// The directories of `PATH` in which programs are looked for. The tree's own directory is never one of them, whatever `PATH` says.
pub(crate) fn search_path() -> Vec<PathBuf> {
    let all = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&all);
    all.filter(|directory| directory.is_absolute()).collect()
}

/// Where a program is. Without trust it must be in a directory of `PATH`, or where a system keeps its programs: a tree may bring a link of the name `gcc` to any program, and
/// `/proc/self/cwd/gcc` is an absolute name, too.
pub(crate) fn program(name: &str, trust: Trust) -> Result<Cow<'_, Path>, String> {
    let missing = || format!("{name} is not installed");
    let is_program = |path: &PathBuf| {
        { std::fs::metadata(path) }
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let path = if name.contains('/') {
        Cow::Borrowed(Path::new(name))
    } else {
        let mut all = search_path().into_iter();
        let found = all.find_map(|directory| Some(directory.join(name)).filter(is_program));
        Cow::Owned(found.ok_or_else(missing)?)
    };
    if trust == Trust::Build {
        return Ok(path);
    }
    let directory = path.parent().and_then(|directory| directory.canonicalize().ok());
    let (directory, program) = directory.zip(path.file_name()).ok_or_else(missing)?;
    let path = directory.join(program);
    let found = std::fs::metadata(&path).map_err(|_| missing())?;
    let own = nix::unistd::geteuid().as_raw();
    let (owner, mode) = (found.uid(), found.mode());
    if ![0, own].contains(&owner) || mode & 0o002 != 0 {
        return Err(format!(
            "{name} belongs to somebody else, or everybody may write to it{CONSENT}"
        ));
    }
    let searched = search_path();
    let is_same = |it: &PathBuf| it.canonicalize().is_ok_and(|it| it == directory);
    let is_searched = searched.iter().any(is_same);
    if !is_searched && !is_of_system(&directory) {
        return Err(format!(
            "{name} is neither in PATH nor a program of the system{CONSENT}"
        ));
    }
    Ok(Cow::Owned(path))
}

/// Whether a directory is one below `/usr` or `/opt` into which only root can put something. (What root has unpacked elsewhere may still be anybody's.)
fn is_of_system(directory: &Path) -> bool {
    let is_roots = |directory: &Path| {
        std::fs::metadata(directory).is_ok_and(|found| found.uid() == 0 && found.mode() & 0o022 == 0)
    };
    let below = ["/usr", "/opt"]
        .iter()
        .any(|system| directory.starts_with(system));
    below && directory.ancestors().all(is_roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn kept(text: &str) -> String {
        match preprocessing(&words(text), Trust::Nothing) {
            Ok(kept) => kept.join(" "),
            Err(why) => why,
        }
    }

    #[test]
    fn what_decides_the_text_is_kept_and_what_writes_files_is_not() {
        assert_eq!(
            kept("gcc -DX -c -o a.o -MMD -MF a.d -MTa.o -O2 -Wp,-MD,b.d -P -oa.o a.c -M -include b.h"),
            "gcc -E -DX -O2 a.c -include b.h"
        );
        assert_eq!(
            kept(
                "ccache g++-12 -std=c++17 -fPIC -fopenmp -march=native -D A=1 -Wp,-DB -isystem /x -fno-exceptions -ftree-vectorize a.cc"
            ),
            "g++-12 -E -std=c++17 -fPIC -fopenmp -march=native -D A=1 -Wp,-DB -isystem /x -fno-exceptions a.cc"
        );
        for writes in [
            "--output F",
            "--output=F",
            "-Wp,-MD,F",
            "-save-temps=obj",
            "-fdump-tree-all",
            "-dumpdir F",
            "-dumpbase F",
            "-fplugin=F",
            "-MJ F",
            "-fsave-optimization-record=F",
            "-ftime-trace=F",
            "-fdiagnostics-format=sarif-file",
            "-fprofile-dir=F",
            "-gsplit-dwarf",
            "-gcc-name=evil",
            "-g3",
            "-fcrash-diagnostics-dir=F",
            "-fcallgraph-info",
            "-fstack-usage",
            "-aux-info F",
            "-fopt-info-all=F",
        ] {
            assert_eq!(kept(&format!("cc {writes} a.c")), "cc -E a.c", "{writes}");
        }
        assert!(preprocessing(&[], Trust::Nothing).unwrap().is_empty());
    }

    #[test]
    fn what_is_not_known_to_be_harmless_is_not_run() {
        for runs in [
            "-B.",
            "-B",
            "-wrapper",
            "-specs=s",
            "--specs=s",
            "@args",
            "-Xclang",
            "-Xpreprocessor",
            "-Wp,-o,F",
            "-Wp,-o",
            "--write-dependencies",
            "--config=x",
            "-ccbin",
            "-iplugindir=x",
            "-no-integrated-cpp",
            "--output-x",
            "-ivfsoverlay",
            "-cc=evil",
            "-config=evil",
            "-profile=evil",
            "-showme",
            "-mdump=/tmp/x",
        ] {
            let why = kept(&format!("gcc {runs} a.c"));
            assert!(why.contains("not known to be harmless"), "{runs}: {why}");
            assert!(preprocessing(&words(&format!("gcc {runs} a.c")), Trust::Build).is_ok());
        }
        for program in [
            "sh",
            "./gcc",
            "tools/gcc",
            "rm",
            "gcc-evil.sh",
            "/tmp/x",
            "python3",
            "../gcc",
        ] {
            assert!(
                kept(&format!("{program} a.c")).contains("not known as a compiler"),
                "{program}"
            );
        }
        for program in [
            "cc",
            "gcc-12",
            "x86_64-linux-gnu-g++-12",
            "/usr/bin/mpicc.openmpi",
            "clang++-14",
            "mpicxx",
        ] {
            assert_eq!(kept(&format!("{program} a.c")), format!("{program} -E a.c"));
        }
    }

    #[test]
    fn programs_are_found_where_path_says_and_nowhere_else() {
        assert!(program("cc", Trust::Nothing).unwrap().is_absolute());
        assert!(program("/usr/bin/cc", Trust::Nothing).is_ok());
        // A link that a tree brings: to whatever program, with whatever name for the directory.
        let tree = std::env::temp_dir().join(format!("hindmost-link-{}", std::process::id()));
        std::fs::create_dir_all(&tree).unwrap();
        std::os::unix::fs::symlink("/bin/sh", tree.join("gcc")).unwrap();
        let link = tree.join("gcc").display().to_string();
        let around = format!("/proc/self/root{link}");
        for name in [&link, &around] {
            let why = program(name, Trust::Nothing).unwrap_err();
            assert!(why.contains("neither in PATH nor"), "{why}");
            assert!(program(name, Trust::Build).is_ok());
        }
        std::fs::remove_dir_all(&tree).unwrap();
        assert!(
            program("no-such-compiler", Trust::Build)
                .unwrap_err()
                .contains("not installed")
        );
    }
}
