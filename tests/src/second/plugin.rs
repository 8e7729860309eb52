//! What gcc's own front end has understood of a file, by the plugin, held against what `frontend` makes of its text.

use super::{Comparison, Detail};
use crate::stopped::{hindmost, succeed};
use frontend::{Macros, MacrosOfFile, Source};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Functions of C's library that gcc computes where it can, or has operators for.
const COMPUTED: [&str; 12] = [
    "abs", "acos", "asin", "atan", "cos", "exp", "fabs", "labs", "pow", "sin", "sqrt", "strlen",
];

/// The plugin for `gcc`, made from the sources as they are; once for all tests. Nothing where that gcc has no headers for plugins; CI must have them.
///
/// # Panics
/// When it cannot be made.
pub fn made_plugin(gcc: &str) -> Option<PathBuf> {
    // Tests of one program run side by side, and one of them makes it.
    static MAKING: Mutex<()> = Mutex::new(());
    let _turn = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let headers = succeed(Command::new(gcc).arg("-print-file-name=plugin"));
    let headers = PathBuf::from(String::from_utf8_lossy(&headers.stdout).trim()).join("include/gcc-plugin.h");
    if !headers.is_file() {
        assert!(
            std::env::var_os("CI").is_none(),
            "{gcc} has no headers for plugins"
        );
        eprintln!("SKIPPED: {gcc} has no headers for plugins; `cargo xtask setup` installs them");
        return None;
    }
    let (hindmost, runtime) = (hindmost(), crate::built::runtime("runtime_gcc"));
    let directory = crate::built::scratch().join(format!("plugin-{gcc}"));
    std::fs::create_dir_all(&directory).expect("there is room for it");
    let plugin = directory.join("hindmost.so");
    let changed = |path: &Path| std::fs::metadata(path).and_then(|about| about.modified()).ok();
    let parts = [&hindmost, &runtime].map(|path| changed(path));
    // It is not of these parts unless it is younger than they.
    if changed(&plugin) > parts.into_iter().max().flatten() {
        return plugin.canonicalize().ok();
    }
    let made = succeed(
        Command::new(hindmost)
            .args(["plugin", "--gcc", gcc, "-o"])
            .arg(&plugin)
            .arg("--runtime")
            .arg(runtime),
    );
    let flag = String::from_utf8_lossy(&made.stdout).into_owned();
    let path = plugin.canonicalize().expect("it was made");
    assert_eq!(
        flag,
        format!("-fplugin={}\n", path.display()),
        "it says how it is used"
    );
    Some(path)
}

/// A gcc with the plugin.
#[derive(Clone, Copy, Debug)]
pub struct Plugin<'a> {
    /// The compiler.
    pub gcc: &'a str,
    /// The plugin, made for it.
    pub plugin: &'a Path,
    /// What it compiles with.
    pub flags: &'a [String],
}

impl Plugin<'_> {
    /// The packed units that the plugin puts into the object file of a source, one for each file of which something was read; `object` is where
    /// that file goes.
    ///
    /// # Errors
    /// The first line of what the compiler says.
    pub fn packed(&self, source: &Path, object: &Path) -> Result<Vec<Vec<u8>>, String> {
        let output = Command::new(self.gcc)
            .arg(format!("-fplugin={}", self.plugin.display()))
            .args(self.flags)
            .args(["-w", "-c", "-o"])
            .arg(object)
            .arg(source)
            .output()
            .map_err(|error| format!("{}: {error}", self.gcc))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let error = said.lines().find(|line| line.contains("error"));
            return Err(error
                .or(said.lines().next())
                .unwrap_or("it fails without a message")
                .to_owned());
        }
        let bytes = std::fs::read(object).map_err(|error| format!("{}: {error}", object.display()))?;
        let section = embed::section(&bytes, embed::UNITS).map_err(|error| error.to_string())?;
        let section = section.ok_or_else(|| "there is no fragment".to_owned())?;
        embed::fragment::read(section, engine::FRAGMENT_LAYOUT)
            .map(|payload| payload.map_err(|error| error.to_string()))
            .collect()
    }

    /// The unit of the source itself.
    ///
    /// # Errors
    /// As of [`Self::packed`], or when what was written is not of this source.
    pub fn unit(&self, source: &Path, object: &Path) -> Result<ir::Unit, String> {
        let source = source
            .canonicalize()
            .map_err(|error| format!("{}: {error}", source.display()))?;
        for packed in self.packed(&source, object)? {
            let unit = ir::packed::unpack(&packed).map_err(|error| error.to_string())?;
            if Path::new(&unit.path) == source {
                return Ok(unit);
            }
        }
        Err("its own fragment is missing".to_owned())
    }

    /// Compares the two readings of `files`; `headers` give the tolerant one its macros. Object files go into `directory`.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn compare(
        &self,
        files: &[PathBuf],
        headers: &[PathBuf],
        directory: &Path,
    ) -> Result<Comparison, String> {
        let read =
            |path: &PathBuf| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        let mut parts = Vec::new();
        for path in files.iter().chain(headers) {
            let text = read(path)?;
            parts.push(MacrosOfFile::gather(Source {
                path: &path.to_string_lossy(),
                text: &text,
            }));
        }
        let macros = Macros::merge(parts);
        let mut found = Comparison {
            computed: &COMPUTED,
            ..Comparison::default()
        };
        for path in files {
            match self.unit(path, &directory.join("compared.o")) {
                Ok(unit) => {
                    let text = read(path)?;
                    let tolerant = frontend::parse(
                        &Source {
                            path: &path.to_string_lossy(),
                            text: &text,
                        },
                        &macros,
                    );
                    found.files += 1;
                    found.add(&tolerant, &unit, Detail::Effects);
                    found.add_lovs(&tolerant, &unit);
                }
                Err(why) => found.left_out.push((path.clone(), why)),
            }
        }
        Ok(found)
    }
}
