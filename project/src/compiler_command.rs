//! What of a build's compile command is run as a preprocessor.
//!
//! A build database comes with a tree, and a tree may come from anywhere: its commands could run any program, write any file, or have a compiler load
//! code (`-B`, `-fplugin=`, `-wrapper`, `-Xclang -load`). So a command is not cleansed of what is known to be bad, but made anew of what is known to be
//! harmless: a compiler by its name, and options that say what is defined, where headers are, and which language it is. Options that only
//! matter to later stages are left out. Anything else makes the whole command one that is not run: without that option its output might be wrong.
//!
//! Whoever trusts the build ([`Trust::Build`]) has everything run but what writes files in well-known ways.

use std::path::Path;

/// What a build database is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
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
    /// It says which language the files after it are, in its second word.
    Language,
    /// It decides what comes out, and where, or is for later stages.
    Drop,
    /// The same, with a second word.
    DropTwo,
    /// Not known to be harmless.
    Refuse,
}

/// The words that preprocess what `words` compiles. Empty when there are no words.
///
/// # Errors
/// Why they are not run, for the user.
pub fn preprocessing(words: &[String], trust: Trust) -> Result<Vec<String>, String> {
    let words = without_launcher(words);
    let Some((compiler, rest)) = words.split_first() else {
        return Ok(Vec::new());
    };
    if trust == Trust::Nothing && !is_compiler(compiler) {
        return Err(format!("{compiler} is not known as a compiler{CONSENT}"));
    }
    let refused = |word: &str| {
        let why = format!("its command has '{word}', which is not known to be harmless{CONSENT}");
        (trust == Trust::Nothing).then_some(why).map_or(Ok(()), Err)
    };
    let mut kept = vec![compiler.clone(), "-E".to_owned()];
    // Whether `-x` has said what the files are; by their endings they may be ones for which a compiler runs other programs.
    let mut is_c = false;
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        if is_script(compiler) && word.contains(SHELL) {
            refused(word)?;
        }
        let usage = match use_of(word) {
            Use::Refuse if is_c && !word.starts_with(['-', '@']) => Use::Keep,
            usage => usage,
        };
        match usage {
            Use::Keep => kept.push(word.clone()),
            Use::KeepTwo | Use::Language => {
                kept.push(word.clone());
                if let Some(value) = rest.next() {
                    // Compilers and wrappers do not agree on which options have a second word, and put the words of a file in place of `@file`
                    // wherever it stands.
                    if value.starts_with(['-', '@']) || is_script(compiler) && value.contains(SHELL) {
                        refused(value)?;
                    }
                    if usage == Use::Language {
                        is_c = is_c_language(value);
                        if !is_c && value != "none" {
                            refused(value)?;
                        }
                    }
                    kept.push(value.clone());
                }
            }
            Use::Drop => {}
            Use::DropTwo => drop(rest.next()),
            Use::Refuse => {
                refused(word)?;
                kept.push(word.clone());
            }
        }
    }
    Ok(kept)
}

/// Whether the word after an option belongs to it.
pub(crate) fn takes_a_word(option: &str) -> bool {
    // Those that the preprocessor is never given.
    matches!(
        option,
        "-Xclang" | "-Xpreprocessor" | "-B" | "-wrapper" | "-specs" | "-fplugin"
    ) || matches!(exact(option), Some(Use::KeepTwo | Use::Language | Use::DropTwo))
}

/// What a user can do about it.
pub(crate) const CONSENT: &str = " (--trust-build runs it)";

/// What the shell gives a meaning to: some wrappers of MPI are scripts that have it read their arguments again.
const SHELL: [char; 8] = ['$', '`', ';', '&', '|', '<', '>', '\n'];

fn is_script(compiler: &str) -> bool {
    base::last_component(compiler).starts_with("mpi")
}

/// Whether `-x` says that files are ones which a compiler preprocesses by itself. For others it looks for programs, clang even in the `--sysroot`.
fn is_c_language(name: &str) -> bool {
    matches!(name, "c" | "c++" | "c-header" | "c++-header")
}

/// The command behind programs that only keep or distribute what a compiler makes.
fn without_launcher(words: &[String]) -> &[String] {
    const LAUNCHERS: [&str; 5] = ["ccache", "sccache", "distcc", "icecc", "buildcache"];
    match words {
        [first, rest @ ..] if LAUNCHERS.contains(&base::last_component(first)) => rest,
        _ => words,
    }
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
    let name = base::last_component(word);
    // The MPI or the version, and the machine that code is made for.
    let name = name
        .strip_suffix(".openmpi")
        .or_else(|| name.strip_suffix(".mpich"))
        .unwrap_or(name);
    let is_version = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let name = match name.rsplit_once('-') {
        Some((name, version)) if is_version(version) => name,
        _ => name,
    };
    let is_triple = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
    };
    match name.rsplit_once('-') {
        Some((machine, name)) => is_triple(machine) && NAMES.contains(&name),
        None => NAMES.contains(&name),
    }
}

fn use_of(word: &str) -> Use {
    if !word.starts_with('-') {
        // `@file` stands for more words than can be seen.
        return match word.rsplit_once('.').map(|(_, ending)| ending) {
            _ if word.starts_with('@') => Use::Refuse,
            Some(
                "c" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "i" | "ii" | "h" | "hh" | "H"
                | "hp" | "hxx" | "hpp" | "HPP" | "h++" | "tcc",
            ) => Use::Keep,
            // For the linker.
            Some("o" | "lo" | "a" | "la" | "so") => Use::Drop,
            _ => Use::Refuse,
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
        | "-iwithprefix" | "-iwithprefixbefore" | "-isysroot" | "--sysroot" | "-target" => Use::KeepTwo,
        "-x" => Use::Language,
        "-nostdinc" | "-nostdinc++" | "-ansi" | "-pedantic" | "-pedantic-errors" | "-undef"
        | "-trigraphs" | "-pthread" | "-pipe" | "-w" | "-p" | "-pg" | "-static" | "-shared" | "-no-pie"
        | "-pie" | "-qopenmp" | "-stdlib=libc++" | "-stdlib=libstdc++" => Use::Keep,
        // What comes out, and -P, which leaves out the line markers.
        "-c"
        | "-S"
        | "-E"
        | "-P"
        | "-C"
        | "-CC"
        | "-v"
        | "-H"
        | "-M"
        | "-MM"
        | "-MD"
        | "-MMD"
        | "-MP"
        | "-MG"
        | "-MV"
        | "-s"
        | "-rdynamic"
        | "-save-temps"
        | "-dM"
        | "-dD"
        | "-dN"
        | "-dI"
        | "-dU"
        | "--"
        | "--dependencies"
        | "--user-dependencies"
        | "--write-dependencies"
        | "--write-user-dependencies"
        | "--save-temps"
        | "-save-stats"
        | "--save-stats"
        | "-time" => Use::Drop,
        "-o"
        | "--output"
        | "-MF"
        | "-MT"
        | "-MQ"
        | "-MJ"
        | "-L"
        | "-l"
        | "-u"
        | "-z"
        | "-T"
        | "-Xlinker"
        | "-Xassembler"
        | "-aux-info"
        | "-dumpbase"
        | "-dumpbase-ext"
        | "-dumpdir"
        | "--param"
        | "-mllvm"
        | "-serialize-diagnostics"
        | "--serialize-diagnostics" => Use::DropTwo,
        _ => return None,
    })
}

/// Options whose value is joined to them and means something to the preprocessor.
const JOINED_KEPT: [&str; 13] = [
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
];

/// Options whose value is joined to them and that name an output, or mean nothing to the preprocessor.
const JOINED_DROPPED: [&str; 24] = [
    "-Wa,",
    "-Wl,",
    "-o",
    "--output=",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-save-temps=",
    "--save-temps=",
    "-save-stats=",
    "--save-stats=",
    "-time=",
    "-dumpbase",
    "-dumpdir",
    "-mllvm",
    "-L",
    "-l",
    "-T",
    "--param=",
    "-fdump",
    "-fplugin",
    "-fpass-plugin",
    "-gsplit-dwarf",
];

/// Options whose value is joined to them.
fn joined(word: &str) -> Option<Use> {
    let starts = |options: &[&str]| options.iter().any(|option| word.starts_with(option));
    if let Some(parts) = word.strip_prefix("-Wp,") {
        return Some(for_the_preprocessor(parts));
    }
    if starts(&["-include-pch"]) {
        return Some(Use::Refuse);
    }
    if starts(&JOINED_KEPT) {
        return Some(Use::Keep);
    }
    if let Some(value) = word.strip_prefix("-x") {
        // icc's `-xHost` and `-xCORE-AVX2` are machines.
        let is_machine = value.starts_with(|first: char| first.is_ascii_uppercase());
        return Some(if is_c_language(value) || is_machine {
            Use::Keep
        } else {
            Use::Refuse
        });
    }
    starts(&JOINED_DROPPED).then_some(Use::Drop)
}

/// What `-Wp,` hands to the preprocessor as it is.
fn for_the_preprocessor(parts: &str) -> Use {
    let starts = |part: &str, option: &str| part.strip_prefix(option).is_some_and(|rest| !rest.is_empty());
    let is_definition = |part: &str| ["-D", "-U", "-I"].iter().any(|option| starts(part, option));
    let writes = |part: &str| ["-M", "-o"].iter().any(|option| part.starts_with(option));
    let mut parts = parts.split(',');
    // `-Wp,-MD,file`.
    if parts.clone().all(is_definition) {
        Use::Keep
    } else if !parts.clone().any(is_definition) && parts.any(writes) {
        Use::Drop
    } else {
        Use::Refuse
    }
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
        // What a module exports is read from files that the tree may bring along, compiled.
        "-f" if rest.starts_with("modules") => Use::Refuse,
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
    const PLAIN: [&str; 40] = [
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
        "cilkplus",
    ];
    let is_known = match value {
        Some(_) => WITH_VALUE.contains(&plain),
        None => PLAIN.contains(&plain),
    };
    if is_known { Use::Keep } else { Use::Drop }
}

/// Whether clang would read a header as it was compiled before, from a file beside it: it believes what is in there. gcc reads none when it only preprocesses.
pub(crate) fn finds_precompiled(words: &[String], directory: &Path) -> bool {
    let is_gcc = |name: &str| ["gcc", "g++"].iter().any(|gcc| name.contains(gcc));
    if words
        .first()
        .is_some_and(|compiler| is_gcc(base::last_component(compiler)))
    {
        return false;
    }
    let is_there = |header: &str| {
        let beside = |ending: &str| directory.join(format!("{header}{ending}"));
        [".pch", ".gch"]
            .iter()
            .any(|ending| beside(ending).symlink_metadata().is_ok())
    };
    let mut headers = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match word.strip_prefix("-include") {
            Some("") => headers.extend(words.get(at + 1).map(String::as_str)),
            Some(header) => headers.push(header),
            None => {}
        }
    }
    headers.into_iter().any(is_there)
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
            "-Wp,-o,F",
            "-Wp,-oF",
            "-Wp,-P,-MMD,F",
            "--write-dependencies",
            "--write-user-dependencies",
            "--serialize-diagnostics F",
            "-save-stats=obj",
            "--save-temps",
            "-time=F",
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
            "-Wp,-DX,-o,F",
            "-Wp,-MD,F,-DX",
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
            "-D @args",
            "-I -B.",
            "-x ada",
            "-xf95-cpp-input",
            "-x c -x none a.f90",
            "a.F90",
            "a.adb",
            "-fmodules-ts",
            "-fmodules",
        ] {
            let why = kept(&format!("gcc {runs} a.c"));
            assert!(why.contains("not known to be harmless"), "{runs}: {why}");
            assert!(preprocessing(&words(&format!("gcc {runs} a.c")), Trust::Build).is_ok());
        }
        for hidden in ["-D -cc=./evil", "-DX=$(evil)", "-D X=`evil`", "-DX=1;evil"] {
            let why = kept(&format!("mpicc.mpich {hidden} a.c"));
            assert!(why.contains("not known to be harmless"), "{hidden}: {why}");
        }
        for harmless in ["-x c a.inc", "-x c++ a.cu", "-xHost a.c", "-DF(x)=\"x\" a.c"] {
            assert_eq!(kept(&format!("icc {harmless}")), format!("icc -E {harmless}"));
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
}
