//! What a compiler reads when it preprocesses: so that the map of a build is kept as long as that is the same.
//!
//! The line markers of the output name every file that was read. Three more things decide the output. The *command* and
//! the *environment* are a part of the name under which a map is kept, and so is what the *compiler* says of itself
//! (version, configuration, where it looks for headers). Files that *were not there* may come: for every name in an
//! `#include` or `__has_include` of what was read, it is noted in which of all directories of headers there is such a file. Whatever
//! cannot be seen through (a macro for a name, an option that reads more files) keeps nothing.

use rayon::prelude::*;
use regular_files::Limit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file that changed so shortly before it was read may have changed after: the clock of a file system has steps.
const RECENT: Duration = Duration::from_millis(50);

/// Variables that change what compilers read.
pub(crate) const ENVIRONMENT: [&str; 9] = [
    "PATH",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "SDKROOT",
    "SOURCE_DATE_EPOCH",
    "CCC_OVERRIDE_OPTIONS",
];

/// The state of everything that was read, or looked for.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inputs {
    /// Files by path, with the hashes of their bytes.
    files: Vec<(PathBuf, String)>,
    /// Where headers are looked for.
    directories: BTreeSet<PathBuf>,
    /// The names in their `#include` lines.
    names: BTreeSet<String>,
    /// The hash of which names are there in which directories.
    present: String,
}

impl Inputs {
    /// The state of `files` and of the headers that they name, when compilers look for them in `directories`. Nothing when
    /// something has changed since `started`, or when it cannot be told what was read.
    pub(crate) fn now(
        files: &BTreeSet<PathBuf>,
        directories: &BTreeSet<PathBuf>,
        started: SystemTime,
    ) -> Option<Self> {
        let read = files.par_iter().map(|path| {
            let bytes = regular_files::read(path, Limit::SOURCE).ok()?;
            let mut names = BTreeSet::new();
            collect_names(&bytes, &mut names).ok()?;
            (!changed_since(path, started)).then(|| (path.clone(), hash(&bytes), names))
        });
        let read: Vec<(PathBuf, String, BTreeSet<String>)> = read.collect::<Option<_>>()?;
        let mut names = BTreeSet::new();
        let mut hashes = Vec::new();
        let mut directories = directories.clone();
        for (path, hash, mut own) in read {
            names.append(&mut own);
            // A name in quotation marks is looked for beside the file first.
            directories.extend(path.parent().map(Path::to_owned));
            hashes.push((path, hash));
        }
        Some(Inputs {
            present: present(&directories, &names),
            files: hashes,
            directories,
            names,
        })
    }

    /// Whether everything is still the same.
    pub(crate) fn hold(&self) -> bool {
        let same = |(path, known): &(PathBuf, String)| {
            let bytes = regular_files::read(path, Limit::SOURCE);
            bytes.is_ok_and(|bytes| hash(&bytes) == *known)
        };
        self.files.par_iter().all(same) && present(&self.directories, &self.names) == self.present
    }
}

fn hash(bytes: &[u8]) -> String {
    engine::build_id_text(&engine::content_hash(bytes))
}

/// Whether a file may have changed at `started` or later. What changes a file changes this time too, and nobody sets it.
fn changed_since(path: &Path, started: SystemTime) -> bool {
    let Ok(metadata) = fs::metadata(path) else {
        return true;
    };
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let changed = Duration::new(seconds, u32::try_from(metadata.ctime_nsec()).unwrap_or(0));
    SystemTime::UNIX_EPOCH + changed + RECENT >= started
}

/// The hash of which `names` are there in which `directories`.
fn present(directories: &BTreeSet<PathBuf>, names: &BTreeSet<String>) -> String {
    let directories: Vec<&PathBuf> = directories.iter().collect();
    let rows = directories.par_iter().map(|directory| {
        let there = names.iter().map(|name| u8::from(directory.join(name).exists()));
        there.collect::<Vec<u8>>()
    });
    hash(&rows.collect::<Vec<_>>().concat())
}

/// The files that preprocessor output says it was made of; relative ones are relative to `directory`.
pub(crate) fn files_read(output: &[u8], directory: &Path) -> BTreeSet<PathBuf> {
    let mut names: BTreeSet<&[u8]> = BTreeSet::new();
    for line in output.split(|&byte| byte == b'\n') {
        // `# 12 "name" 1 3`
        let Some(rest) = line.strip_prefix(b"# ") else {
            continue;
        };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let name = rest[digits..].strip_prefix(b" \"");
        let Some(name) = name.filter(|_| digits > 0) else {
            continue;
        };
        let end = name.iter().rposition(|&byte| byte == b'"').unwrap_or(name.len());
        names.insert(&name[..end]);
    }
    let text = names.into_iter().map(|name| {
        let text = String::from_utf8_lossy(name);
        text.replace("\\\"", "\"").replace("\\\\", "\\")
    });
    // `<built-in>` and the like, and the working directory with two slashes behind, are no files.
    let is_none = |name: &str| name.starts_with('<') && name.ends_with('>') || name.ends_with("//");
    text.filter(|name| !is_none(name))
        .map(|name| directory.join(name))
        .collect()
}

/// The name of a file that a text includes is not written out in it.
#[derive(Debug)]
struct NotWrittenOut;

/// Adds the names that a text includes or asks for.
fn collect_names(text: &[u8], names: &mut BTreeSet<String>) -> Result<(), NotWrittenOut> {
    for line in text.split(|&byte| byte == b'\n') {
        let trimmed = line.trim_ascii_start();
        // A comment or a splice behind the `#`, and other spellings of it, may hide what follows.
        let odd = |rest: &[u8]| matches!(rest.trim_ascii_start().first(), Some(b'/' | b'\\'));
        if trimmed.starts_with(b"%:")
            || trimmed.starts_with(b"??=")
            || trimmed.strip_prefix(b"#").is_some_and(odd)
        {
            return Err(NotWrittenOut);
        }
        let mut rest = line;
        // Only what a line begins with is a directive; behind it, and in comments, anything may follow.
        let mut begins = trimmed.starts_with(b"#");
        while let Some(at) = rest.iter().position(|&byte| byte == b'#') {
            rest = rest[at + 1..].trim_ascii_start();
            if rest.starts_with(b"embed") {
                return Err(NotWrittenOut);
            }
            for word in [&b"include_next"[..], b"include", b"import"] {
                let Some(after) = rest.strip_prefix(word) else {
                    continue;
                };
                match name(after) {
                    Some(name) => drop(names.insert(name)),
                    // `#include's` stands in a comment of the C library.
                    None if begins && after.first() != Some(&b'\'') => return Err(NotWrittenOut),
                    None => {}
                }
                break;
            }
            begins = false;
        }
        let mut rest = line;
        while let Some(at) = rest.windows(13).position(|part| part == b"__has_include") {
            rest = &rest[at + 13..];
            let after = rest.strip_prefix(b"_next").unwrap_or(rest).trim_ascii_start();
            if let Some(after) = after.strip_prefix(b"(") {
                names.insert(name(after).ok_or(NotWrittenOut)?);
            }
        }
    }
    Ok(())
}

/// The name that begins here: `"a.h"` or `<a.h>`.
fn name(text: &[u8]) -> Option<String> {
    let text = text.trim_ascii_start();
    let close = match text.first()? {
        b'"' => b'"',
        b'<' => b'>',
        _ => return None,
    };
    let end = text[1..].iter().position(|&byte| byte == close)?;
    Some(String::from_utf8_lossy(&text[1..=end]).into_owned())
}

/// The directories that a preprocessing command, run in `directory`, adds to those in which headers are looked for.
/// Nothing when it may read files that its output does not name, or depends on the machine.
pub(crate) fn search_directories(words: &[String], directory: &Path) -> Option<Vec<PathBuf>> {
    let mut found = vec![directory.to_owned()];
    let mut words = words.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        let option = ["-isystem", "-iquote", "-idirafter", "-I"];
        if let Some((_, joined)) = option
            .iter()
            .find_map(|each| Some((each, word.strip_prefix(each)?)))
        {
            let path = if joined.is_empty() { words.next()? } else { joined };
            // A dash ends the list of quoted ones, a `=` stands for the system's root.
            if path.starts_with(['-', '=', '$']) {
                return None;
            }
            found.push(directory.join(path));
            continue;
        }
        let reads_more = [
            "-Wp,",
            "-fplugin",
            "-fmodule",
            "-fpch",
            "-ffile-prefix-map",
            "-fmacro-prefix-map",
        ];
        let plain = ["-D", "-U", "-O", "-g", "-W", "-f", "-m", "-std="];
        match word {
            "-E" | "-nostdinc" | "-nostdinc++" | "-ansi" | "-pedantic" | "-pthread" | "-pipe" | "-w" => {}
            "-D" | "-U" | "-x" => drop(words.next()?),
            _ if word.ends_with("=native") || reads_more.iter().any(|each| word.starts_with(each)) => {
                return None;
            }
            _ if plain.iter().any(|each| word.starts_with(each)) => {}
            // A source file is named by the output.
            _ if !word.starts_with(['-', '@']) => {}
            _ => return None,
        }
    }
    Some(found)
}

/// The directories that a compiler says it looks for headers in (`cc -E -v`).
pub(crate) fn system_directories(said: &str) -> impl Iterator<Item = PathBuf> {
    let lists = said.split("search starts here:").skip(1);
    lists.flat_map(|list| {
        let lines = list.lines().skip(1);
        lines
            .take_while(|line| line.starts_with(' '))
            .map(|line| PathBuf::from(line.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<String> {
        let mut names = BTreeSet::new();
        collect_names(text.as_bytes(), &mut names).ok()?;
        Some(Vec::from_iter(names).join(" "))
    }

    #[test]
    fn names_of_headers_are_found_or_nothing_is_told() {
        assert_eq!(
            names("# include \"a.h\"\n#include<b/c.h> // x\n#include_next <d.h>\n/* see #include <e.h> */\n")
                .unwrap(),
            "a.h b/c.h d.h e.h"
        );
        assert_eq!(
            names("#if defined __has_include && __has_include(<f.h>) || __has_include_next (\"g.h\")\n")
                .unwrap(),
            "f.h g.h"
        );
        assert_eq!(names("int x; /* #include what you want */").unwrap(), "");
        assert_eq!(names("/*\n #include's and #include_next through */").unwrap(), "");
        for hidden in [
            "#include NAME\n",
            "#/**/include <a.h>",
            "#\\\ninclude <a.h>",
            "%:include <a.h>",
            "#if __has_include(N)",
        ] {
            assert_eq!(names(hidden), None, "{hidden}");
        }
    }

    #[test]
    fn files_are_those_of_the_line_markers() {
        let output = b"# 0 \"a.c\"\n# 0 \"<built-in>\"\n# 1 \"/b//\"\nint x;\n# 1 \"../i/h.h\" 1 3 4\n# 2 \"q\\\"\\\\.h\" 2\n#pragma x\n";
        let files = files_read(output, Path::new("/b"));
        let files: Vec<&str> = files.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(files, ["/b/../i/h.h", "/b/a.c", "/b/q\"\\.h"]);
    }

    #[test]
    fn options_that_read_unnamed_files_keep_nothing() {
        let of = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let found = search_directories(&words, Path::new("/b"))?;
            Some(
                found
                    .iter()
                    .map(|path| path.to_str().unwrap().to_owned())
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        let known = of("cc -E -Ii -I j -isystem /k -DX -D Y -O2 -std=c99 -fPIC -w a.c");
        assert_eq!(known.as_deref(), Some("/b /b/i /b/j /k"));
        for unknown in [
            "-imacros x.h",
            "-include x.h",
            "-wrapper w",
            "-march=native",
            "@args",
            "-I- a.c",
            "-I=inc",
            "-fplugin=p.so",
            "-specs=s",
            "--sysroot=/s",
            "-I",
        ] {
            assert_eq!(of(&format!("cc -E {unknown}")), None, "{unknown}");
        }
        let said = "gcc version 12\n#include \"...\" search starts here:\n#include <...> search starts here:\n /usr/a\n /usr/b (x)\nEnd of search list.\n x\n";
        assert_eq!(system_directories(said).count(), 2);
    }
}
